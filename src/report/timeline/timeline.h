// Timelines: what ran on which engine of a GPU, when, and how much of the copying hides behind work.
//
// One drawing for both sources: a plan's steps (measured, or modelled by the simulator) and the operations of a whole
// program on the simulator. In the terminal a row per engine shows the stream that each operation came from, a row
// per stream the engine that it went to.
#ifndef REPORT_TIMELINE_H
#define REPORT_TIMELINE_H

#include <jansson.h>

#include "base/base.h"
#include "device/clock.h"

typedef struct report_timeline_span {
    device_engine engine;
    unsigned stream; // its number: a variant's by its plan, a program's as cudaStreamGetId gives them
    char name[64];   // "copy", "fill", a kernel's name
    uint64_t bytes;  // of copies and fills
    double start, end;
} report_timeline_span;

typedef struct report_timeline {
    char title[160], device[64];
    bool modelled;
    double seconds; // from the start to the end of it all
    report_timeline_span *spans;
    size_t count;
    unsigned default_stream; // its number; 0: there is none
    uint64_t left_out;       // operations that came after those kept
} report_timeline;
void report_timeline_free(report_timeline *timeline); // the spans
// The streams in the order of their first operation; gives how many there are, at most as many as fit.
enum { REPORT_TIMELINE_STREAMS = 32 };
size_t report_timeline_streams(const report_timeline *timeline, unsigned streams[REPORT_TIMELINE_STREAMS]);

enum { REPORT_STREAM_NAME = 32 };
void report_timeline_name_stream(const report_timeline *timeline, unsigned stream,
                                 char name[REPORT_STREAM_NAME]); // "stream 3", "default 1"

typedef struct report_timeline_totals {
    double busy[DEVICE_ENGINES]; // seconds in which an engine had something to do
    double copied, hidden;       // seconds of copying, and those in which a kernel ran beside it
    double beside;               // seconds in which two engines or three were busy
    double alone;                // all operations one after the other
    double covered; // seconds in which anything was under way: less than alone where some overlap
    size_t kernels;
} report_timeline_totals;
report_timeline_totals report_timeline_sum(const report_timeline *timeline);

void report_timeline_print(base_text *out, const report_timeline *timeline, unsigned width);
json_t *report_timeline_to_json(const report_timeline *timeline);
void report_timeline_svg(base_text *out, const report_timeline *timeline);
void report_timeline_html(base_text *out, const report_timeline *timeline);

// A record (docs/record.md) whose operations have times. KZ_INVALID where they have none.
struct report_record;
kz_status report_timeline_read(const struct report_record *record, report_timeline *timeline,
                               kz_error *error);

#endif
