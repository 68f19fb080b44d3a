// What `kz prof` says of a record (docs/record.md): estimates, verdict, reasons, and their renderings.
//
// A prof_report is made of one record and lives in one arena; it borrows texts from the record, which must
// outlive it. How the verdict is found is written down in docs/profiling.md: the time each resource would
// need for what was counted, from the GPU's nominal peaks; the largest is the verdict. Times are per launch.
#ifndef REPORT_PROF_H
#define REPORT_PROF_H

#include <stdio.h>

#include "device/gpus.h"
#include "report/record.h"
#include "report/report.h"

// ---- the model ----------------------------------------------------------------------------------------

typedef enum prof_resource {
#define PROF_RESOURCE(id, name, title) PROF_##id,
#include "report/prof_resources.def"
#undef PROF_RESOURCE
    PROF_RESOURCES
} prof_resource;
const char *prof_resource_name(prof_resource resource);
const char *prof_resource_title(prof_resource resource);

typedef enum prof_bound {
#define PROF_BOUND(id, name, title) PROF_BY_##id,
#include "report/prof_bounds.def"
#undef PROF_BOUND
    PROF_BOUNDS
} prof_bound;
const char *prof_bound_name(prof_bound bound);
const char *prof_bound_title(prof_bound bound);

typedef enum prof_pattern_kind {
    PROF_UNIFORM,
    PROF_CONTIGUOUS,
    PROF_STRIDE,
    PROF_ROWS,
    PROF_OTHER
} prof_pattern_kind;

typedef struct prof_pattern { // see docs/record.md
    prof_pattern_kind kind;
    int64_t stride, jump;
    uint32_t run;
    double share;
} prof_pattern;

typedef enum prof_space { PROF_GLOBAL, PROF_SHARED, PROF_LOCAL, PROF_ELSEWHERE } prof_space;

typedef struct prof_access {
    const char *ptx;
    uint32_t ptx_line, bytes; // bytes per lane
    bool is_store, is_atomic;
    prof_space space;
    double requests, lanes, sectors, ideal_sectors, wavefronts, ideal_wavefronts, distinct;
    prof_pattern pattern; // the commonest
} prof_access;

typedef struct prof_line {
    const char *file;
    uint32_t line;
    bool is_ptx;
    const json_t *inlined_at; // NULL where none
    const json_t *metrics;
    prof_access *accesses;
    size_t access_count;
    double seconds[PROF_RESOURCES]; // its part of the kernel's
    double cost;                    // seconds, weighed by how near each resource is to the largest
    double share;                   // of the costs of all lines, 0 to 1
    const char *reason;             // "32 sectors per request, 4 would do: neighbouring threads ..."
    const char *advice;             // what to try; NULL where nothing is wrong
} prof_line;

typedef struct prof_occupancy {
    int registers;       // per thread; -1 where ptxas was not there to tell
    int blocks;          // that fit on one multiprocessor
    int warps;           // of them
    double fraction;     // of the warps there could be
    const char *limiter; // "registers", "shared memory", "threads", "blocks"; "" where nothing limits
} prof_occupancy;

enum { PROF_NOTES = 8 };

typedef struct prof_kernel {
    const json_t *json;
    const char *name, *title, *module; // title: the bare identifier
    uint64_t launches, failed;
    uint32_t grid[3], block[3], cluster[3];
    double blocks, threads, warps; // of one launch; threads per block; warps per block
    uint32_t shared_bytes, shared_dynamic, local_bytes;
    const json_t *metrics, *caches; // caches: NULL without the model
    prof_line *lines;               // the most costly first
    size_t line_count;
    prof_occupancy occupancy;

    double seconds[PROF_RESOURCES]; // of one launch
    double shared_part;             // of the seconds of L1: shared memory's
    double estimate;                // the largest of them
    double resident;                // warps per multiprocessor at work, at most
    prof_resource first, second;    // the largest and the next
    bool close;                     // the second is nearly as large
    prof_bound bound;
    const char *why;               // the figures that decided, in a sentence or two
    const char *notes[PROF_NOTES]; // what else is worth knowing
    size_t note_count;
    const char *advice[PROF_NOTES]; // what to try, the best first
    size_t advice_count;
} prof_kernel;

typedef struct prof_report {
    base_arena *arena;
    const json_t *head, *end; // the first and the last line; end may be NULL
    const char *program, *gpu_key;
    device_gpu gpu;
    prof_kernel *kernels;              // the most costly first
    size_t kernel_count, hidden_count; // hidden: left out by pattern or number
    bool cut;
} prof_report;

typedef struct prof_options {
    device_gpu gpu;      // limits and peaks; where its key is "" those of the record are all there is
    const char *pattern; // of kernels: a glob or a part of the name; NULL: all
    size_t top;          // 0: all
    // Registers per thread of a kernel; -1 where unknown. May be NULL.
    int (*registers)(void *context, const char *module, const char *kernel);
    void *context;
} prof_options;

kz_status prof_report_open(const report_record *record, const prof_options *options, prof_report *report,
                           kz_error *error);
void prof_report_close(prof_report *report);

// ---- for the files of this module -----------------------------------------------------------------------

double prof_metric(const json_t *metrics, const char *name); // 0 where there is none
bool prof_has_metric(const json_t *metrics, const char *name);
const char *prof_text(prof_report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));
void prof_occupy(const device_gpu *gpu, prof_kernel *kernel);       // occupancy, from its registers on
void prof_estimate(const prof_report *report, prof_kernel *kernel); // seconds, first, second, costs of lines
void prof_decide(prof_report *report, prof_kernel *kernel);         // bound, why, notes, advice
void prof_explain(prof_report *report, const prof_kernel *kernel, prof_line *line); // reason, advice
// Clocks of one multiprocessor that a request's sectors keep L2 busy.
double prof_sector_clocks(const prof_access *access);
double prof_atomic_clocks(const prof_access *access);
bool prof_wastes_sectors(const prof_access *access);
bool prof_conflicts(const prof_access *access);
double prof_active_lanes(const json_t *metrics); // per warp instruction; 32 where nothing ran
const char *prof_basename(const char *path);

// ---- sources --------------------------------------------------------------------------------------------

// Files that lines are shown of, read once. A relative name is looked for in each of the roots.
typedef struct prof_sources prof_sources;
prof_sources *prof_sources_open(const char *const *roots, size_t count); // NULL when out of memory
void prof_sources_close(prof_sources *sources);
// The text of a line without its newline, and its length; NULL where the file or the line is not there.
const char *prof_sources_line(prof_sources *sources, const char *file, uint32_t line, size_t *length);
uint32_t prof_sources_count(prof_sources *sources, const char *file); // lines; 0 where it is not there

// ---- renderings -----------------------------------------------------------------------------------------

void prof_page_print(FILE *file, const report_style *style, const prof_report *report, prof_sources *sources);
void prof_annotate_print(FILE *file, const report_style *style, const prof_report *report,
                         prof_sources *sources);
void prof_html_write(base_text *out, const prof_report *report, prof_sources *sources);
json_t *prof_to_json(const prof_report *report); // one object for the report
// All metrics of all kernels whose names match `names`: "all", names, "regex:..." separated by commas.
kz_status prof_metrics_print(FILE *file, const report_style *style, const prof_report *report,
                             const char *names, bool csv, kz_error *error);
void prof_metrics_list(FILE *file, const report_style *style); // --query-metrics

// What changed from one report to the other.
void prof_compare_print(FILE *file, const report_style *style, const prof_report *before,
                        const prof_report *after, prof_sources *sources);
json_t *prof_compare_to_json(const prof_report *before, const prof_report *after);
void prof_compare_html(base_text *out, const prof_report *before, const prof_report *after,
                       prof_sources *sources);

#endif
