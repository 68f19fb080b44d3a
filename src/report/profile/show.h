// The words and figures that the page, the HTML and the comparison share.
#ifndef REPORT_PROF_SHOW_H
#define REPORT_PROF_SHOW_H

#include "report/profile/profile.h"

void report_prof_show_head(base_text *text,
                           const report_prof *report); // what ran, and what the figures are
void report_prof_show_tail(base_text *text,
                           const report_prof *report); // what was left out; nothing where all is well
void report_prof_show_shape(base_text *text, const report_prof_kernel *kernel);
void report_prof_show_location(base_text *text, const report_prof_line *line); // "tile.cuh:12 in main.cu:40"
const char *
report_prof_show_resource(observe_resource resource); // its title, marked where a model stands behind it
double
report_prof_show_longest(const report_prof_kernel *kernel); // of the times needed: what bars are scaled by
double report_prof_show_part(const report_prof *report,
                             const report_prof_kernel *kernel); // of all kernels' time, 0 to 1

// Facts: the rows under the verdict, each a label and a sentence of figures; empty where it does not apply.
size_t report_prof_show_count(void);
const char *report_prof_show_label(size_t fact);
void report_prof_show_fact(base_text *text, size_t fact, const report_prof *report,
                           const report_prof_kernel *kernel);

typedef struct report_prof_roofline {
    double flops, bytes;     // of a launch; bytes across DRAM by the model
    double intensity, ridge; // flop per byte
    double peak, bandwidth;  // of the type that most flops are of
    double attainable;       // at that intensity, 1/s
    const char *type;        // "f32"
    const char *unit;        // "flop"; "op" where they are integers
    bool on_tensor, sparse;  // the peak is that of tensor cores
    // The same by peaks that were measured, where both were: a copy's bandwidth, or that of reading for a kernel that
    // writes next to nothing. 0 and "" where they were not.
    double measured_peak, measured_bandwidth, measured_attainable;
    const char *origin; // "measured 2026-11-15", of the bandwidth
} report_prof_roofline;
bool report_prof_roofline_of(const report_prof *report, const report_prof_kernel *kernel,
                             report_prof_roofline *roofline);

// Global memory's sums over a kernel or a line, and shared memory's.
typedef struct report_prof_traffic {
    double load_requests, load_sectors, load_ideal, store_requests, store_sectors, store_ideal;
    double shared_requests, wavefronts, ideal_wavefronts;
    double distributed_requests; // by the cluster's window; none of those of shared memory
    double atomic_requests, atomic_lanes, atomic_distinct;
    double used_bytes;
} report_prof_traffic;
void report_prof_traffic_add(report_prof_traffic *traffic, const report_prof_line *line);
report_prof_traffic report_prof_traffic_of(const report_prof_kernel *kernel);

// Columns of a page on this terminal, and words wrapped to them: lines after the first begin at `indent`.
int report_prof_page_width(const report_style *style);
void report_prof_print_wrapped(FILE *file, const report_style *style, report_tone tone, int indent,
                               const char *text);

#endif
