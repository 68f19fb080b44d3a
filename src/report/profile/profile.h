// What `kz prof` says of a record (docs/record.md): estimates, verdict, reasons, and their renderings.
//
// A report_prof is made of one record and lives in one arena; it borrows texts from the record, which
// must outlive it. How the verdict is found is written down in docs/profiling.md: the time each resource
// would need for what was counted, from the GPU's nominal peaks; the largest is the verdict. Times are per
// launch.
#ifndef REPORT_PROF_H
#define REPORT_PROF_H

#include <stdio.h>

#include "bench/peaks.h"
#include "device/gpus.h"
#include "observe/time.h"
#include "report/record/record.h"
#include "report/report.h"

// ---- the model ----------------------------------------------------------------------------------------

typedef enum report_prof_bound {
#define REPORT_PROF_BOUND(id, name, title) REPORT_PROF_BY_##id,
#include "report/profile/bounds.def"
#undef REPORT_PROF_BOUND
    REPORT_PROF_BOUNDS
} report_prof_bound;
const char *report_prof_bound_name(report_prof_bound bound);
const char *report_prof_bound_title(report_prof_bound bound);

typedef enum report_prof_pattern_kind {
    REPORT_PROF_UNIFORM,
    REPORT_PROF_CONTIGUOUS,
    REPORT_PROF_STRIDE,
    REPORT_PROF_ROWS,
    REPORT_PROF_OTHER
} report_prof_pattern_kind;

typedef struct report_prof_pattern { // see docs/record.md
    report_prof_pattern_kind kind;
    int64_t stride, jump;
    uint32_t run;
    double share;
} report_prof_pattern;

typedef struct report_prof_padding {     // of rows of shared memory, tried by the run; row 0: nothing was
    uint32_t row, to;                    // bytes; to == row: no length is better
    double now, then, own_now, own_then; // wavefronts per request: of all accesses of the array, of this one
} report_prof_padding;

typedef enum report_prof_space {
    REPORT_PROF_GLOBAL,
    REPORT_PROF_SHARED,
    REPORT_PROF_LOCAL,
    REPORT_PROF_ELSEWHERE
} report_prof_space;

typedef struct report_prof_access {
    const char *ptx;
    uint32_t ptx_line, bytes; // bytes per lane
    bool is_store, is_atomic;
    bool is_distributed;  // shared memory by the cluster's window: no wavefronts are counted for it
    bool is_gathered;     // an atomic of which ptxas folds the lanes of a warp
    bool address_by_data; // an atomic whose address depends on what was loaded
    bool is_bulk;         // by the copy engine: `bytes` of a whole copy, and each counts as one lane
    report_prof_space space;
    double requests, lanes, sectors, ideal_sectors, wavefronts, ideal_wavefronts, distinct;
    report_prof_pattern pattern; // the commonest
    report_prof_padding padding;
} report_prof_access;

typedef struct report_prof_line {
    const char *file;
    uint32_t line;
    bool is_ptx;
    const json_t *inlined_at; // NULL where none
    const json_t *metrics;
    report_prof_access *accesses;
    size_t access_count;
    double seconds[OBSERVE_RESOURCES];  // its part of the kernel's
    double spill_seconds;               // of those: for spilled registers, over all levels of memory
    uint32_t spill_stores, spill_loads; // instructions of it, as the disassembler tells
    double cost;                        // seconds, weighed by how near each resource is to the largest
    double share;                       // of the costs of all lines, 0 to 1
    const char *reason;                 // "32 sectors per request, 4 would do: neighbouring threads ..."
    const char *advice;                 // what to try; NULL where nothing is wrong
} report_prof_line;

typedef struct report_prof_occupancy {
    int registers;       // per thread; -1 where ptxas was not there to tell
    int blocks;          // that fit on one multiprocessor
    int warps;           // of them
    double fraction;     // of the warps there could be
    const char *limiter; // as observe_occupancy says it; "" where all warps fit
} report_prof_occupancy;

typedef struct report_prof_spill { // of one source line
    const char *file;
    uint32_t line, stores, loads; // instructions
} report_prof_spill;

typedef struct report_prof_machine {
    observe_machine_code code;
    uint64_t spill_store_bytes, spill_load_bytes; // of a thread, as ptxas -v tells
    const report_prof_spill *spills; // whose text lives as long as the report's options; NULL: not known
    size_t spill_count;
} report_prof_machine;

enum { REPORT_PROF_NOTES = 8 };

typedef struct report_prof_kernel {
    const json_t *json;
    const char *name, *title, *module; // title: the bare identifier
    uint64_t launches, failed;
    uint32_t grid[3], block[3], cluster[3];
    double blocks, threads, warps; // of one launch; threads per block; warps per block
    uint32_t shared_bytes, shared_dynamic, local_bytes;
    json_t *metrics;         // the record's, with what ptxas told; the report's own
    const json_t *caches;    // NULL without the model
    report_prof_line *lines; // the most costly first
    size_t line_count;
    report_prof_occupancy occupancy;
    report_prof_machine machine; // what ptxas made of it
    double spilled;              // requests of a launch that spilled registers make, by the model

    double seconds[OBSERVE_RESOURCES];       // of one launch
    double spill_seconds[OBSERVE_RESOURCES]; // of those: for spilled registers
    double dram_start;                       // of DRAM's: what it takes to get going
    double texture_part, constant_part;      // of the seconds of L1
    double shared_part;                      // of the seconds of L1: shared memory's
    double estimate;                         // of one launch, without what starting it takes
    double launch;                           // with it
    double resident;                         // warps per multiprocessor at work, at most
    observe_resource first, second;          // the largest and the next
    bool close;                              // the second is nearly as large
    bool has_idle_sms;                       // there are fewer blocks than SMs
    bool is_full;                            // an SM has all the warps it can hold
    report_prof_bound bound;
    const char *why;                      // the figures that decided, in a sentence or two
    const char *notes[REPORT_PROF_NOTES]; // what else is worth knowing
    size_t note_count;
    const char *advice[REPORT_PROF_NOTES]; // what to try, the best first
    size_t advice_count;
    // Launches of the same kernel in other shapes that have the same verdict: this one stands for them.
    size_t other_shapes;
    uint64_t other_launches;
    double other_seconds; // of all of them
} report_prof_kernel;

typedef struct report_prof {
    base_arena *arena;
    const json_t *head, *end;               // the first and the last line; end may be NULL
    const json_t *host;                     // what the host asked for; NULL: of no whole program
    const char *program, *detail, *gpu_key; // detail: the case, or ""
    device_gpu gpu;
    bench_peaks peaks;                 // measured ones, as far as there are some
    report_prof_kernel *kernels;       // the most costly first
    size_t kernel_count, loaded_count; // loaded: with those that are not shown
    size_t hidden_count;               // hidden: left out by pattern or number; folded ones are neither
    bool cut;
} report_prof;

typedef struct report_prof_options {
    device_gpu gpu;             // limits and peaks; where its key is "" those of the record are all there is
    const bench_peaks *peaks;   // of that GPU; NULL: none are known
    const char *title, *detail; // what the user calls it, and which case; NULL: as in the record, none
    const char *pattern;        // of kernels: a glob or a part of the name; NULL: all
    size_t top;                 // 0: all, each shape of a launch by itself
    // What ptxas made of a kernel; false where it is not there or does not know. May be NULL.
    bool (*machine)(void *context, const char *module, const char *kernel, report_prof_machine *machine);
    void *context;
} report_prof_options;

kz_status report_prof_open(const report_record *record, const report_prof_options *options,
                           report_prof *report, kz_error *error);
void report_prof_close(report_prof *report);

// ---- for the files of this module -----------------------------------------------------------------------

void report_prof_distinguish_titles(report_prof *report);           // titles.c
double report_prof_metric(const json_t *metrics, const char *name); // 0 where there is none
bool report_prof_has_metric(const json_t *metrics, const char *name);
const char *report_prof_text(report_prof *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void report_prof_occupy(const device_gpu *gpu,
                        report_prof_kernel *kernel); // occupancy, from its registers on
void report_prof_estimate(const report_prof *report,
                          report_prof_kernel *kernel); // seconds, first, second, costs of lines
void report_prof_decide(report_prof *report, report_prof_kernel *kernel); // bound, why, notes, advice
void report_prof_explain(report_prof *report, const report_prof_kernel *kernel,
                         report_prof_line *line); // reason, advice
bool report_prof_is_pipe(
    observe_resource resource); // arithmetic: instructions of one kind have it for themselves
// Whether atomics on that memory were counted.
bool report_prof_has_atomics(const report_prof_kernel *kernel, report_prof_space space);
// Clocks of one multiprocessor that a request's sectors keep L2 busy.
double report_prof_sector_clocks(const report_prof_access *access);
typedef struct report_prof_dram { // bytes of one launch
    double read, written;         // that cross DRAM meanwhile
    double left;                  // written, and still in L2 at the end
} report_prof_dram;
report_prof_dram report_prof_dram_of(const report_prof_kernel *kernel);
// Tensor cores (tensor.c), of one launch; false where the kernel does not use them.
typedef struct report_prof_tensor {
    observe_tensor_type type;      // that most operations are of
    bool sparse;                   //
    double ops, peak;              // operations; of that type in a second, 0: not known
    double by_groups;              // wgmma's part of them
    double columns;                // of wgmma's products, on average
    double products;               // machine instructions
    double wavefronts, ideal;      // of ldmatrix
    double other_wavefronts;       // of other loads of shared memory
    double filling, ideal_filling; // of stores to it, cp.async's too
    double group_wavefronts;       // what wgmma reads of shared memory, in pieces of 128 bytes
    double waits, waits_for_all;   // for groups; those that leave none under way
} report_prof_tensor;
bool report_prof_tensor_of(const report_prof *report, const report_prof_kernel *kernel,
                           report_prof_tensor *tensor);
// What they wait for, in a sentence without its point, and what to try; NULL: nothing to say.
const char *report_prof_tensor_why(report_prof *report, const report_prof_kernel *kernel);
const char *report_prof_tensor_advice(report_prof *report, const report_prof_kernel *kernel);
void report_prof_tensor_show(base_text *text, const report_prof *report, const report_prof_kernel *kernel);
bool report_prof_wastes_sectors(const report_prof_access *access);
bool report_prof_conflicts(const report_prof_access *access);
double report_prof_active_lanes(const json_t *metrics); // per warp instruction; 32 where nothing ran
const char *report_prof_basename(const char *path);

// ---- sources --------------------------------------------------------------------------------------------

// Files that lines are shown of, read once. A relative name is looked for in each of the roots.
typedef struct report_prof_sources report_prof_sources;
report_prof_sources *report_prof_sources_open(const char *const *roots,
                                              size_t count); // NULL when out of memory
void report_prof_sources_close(report_prof_sources *sources);
// The text of a line without its newline, and its length; NULL where the file or the line is not there.
const char *report_prof_sources_line(report_prof_sources *sources, const char *file, uint32_t line,
                                     size_t *length);
// Where the asm statement begins that this line ends: nvcc names its last line, which says nothing. Else the line itself.
uint32_t report_prof_sources_asm(report_prof_sources *sources, const char *file, uint32_t line);
uint32_t report_prof_sources_count(report_prof_sources *sources,
                                   const char *file); // lines; 0 where it is not there

// ---- renderings -----------------------------------------------------------------------------------------

void report_prof_page_print(FILE *file, const report_style *style, const report_prof *report,
                            report_prof_sources *sources);
void report_prof_annotate_print(FILE *file, const report_style *style, const report_prof *report,
                                report_prof_sources *sources);
void report_prof_html_write(base_text *out, const report_prof *report, report_prof_sources *sources);
json_t *report_prof_to_json(const report_prof *report); // one object for the report
// All metrics of all kernels whose names match `names`: "all", names, "regex:..." separated by commas.
kz_status report_prof_metrics_print(FILE *file, const report_style *style, const report_prof *report,
                                    const char *names, bool csv, kz_error *error);
void report_prof_metrics_list(FILE *file, const report_style *style); // --query-metrics

// What changed from one report to the other.
void report_prof_compare_print(FILE *file, const report_style *style, const report_prof *before,
                               const report_prof *after, report_prof_sources *sources);
json_t *report_prof_compare_to_json(const report_prof *before, const report_prof *after);
void report_prof_compare_html(base_text *out, const report_prof *before, const report_prof *after,
                              report_prof_sources *sources);

#endif
