// The figures of the documentation: each is made by one function from a run on the simulator, from the GPU's
// limits, or from measured records.
#ifndef PAGES_FIGURES_H
#define PAGES_FIGURES_H

#include "observe/observe.h"
#include "report/profile/profile.h"
#include "report/record/record.h"

// The kernels of course/figures, compiled and loaded on a simulated H200.
enum { FIGURE_BUFFERS = 16, FIGURE_ARGS = 8 };

typedef struct figure_lab {
    kz_device *device;
    kz_module *module;
    char *ptx, *source; // of course/figures/figures.cu
    device_gpu gpu;
    kz_ptr buffers[FIGURE_BUFFERS];
    size_t buffer_count;
    const char *results; // the folder with the measured records
} figure_lab;

typedef struct figure_launch {
    const char *kernel;
    uint32_t blocks[2], threads;
    const void *args[FIGURE_ARGS];
    size_t arg_count;
} figure_launch;

// Opens what runs need, at the first of them.
kz_status figure_lab_open(figure_lab *lab, kz_error *error);
void figure_lab_close(figure_lab *lab);
void figure_lab_clear(figure_lab *lab); // frees the buffers
// A zeroed buffer that lives until the lab is cleared.
kz_status figure_lab_buffer(figure_lab *lab, size_t bytes, kz_ptr *address, kz_error *error);
kz_status figure_lab_run(figure_lab *lab, const figure_launch *launch, sim_listener *listener,
                         kz_error *error);
// Does some work under the profiler's instruments; the caller frees the record.
typedef kz_status figure_work(figure_lab *lab, void *context, kz_error *error);
kz_status figure_lab_observe(figure_lab *lab, const char *name, figure_work *work, void *context,
                             report_record *record, kz_error *error);
kz_status figure_lab_count(figure_lab *lab, figure_launch *launch, report_record *record, kz_error *error);
// One metric of the first kernel of a record, or of all of its kernels together.
double figure_metric(const report_record *record, const char *name);
double figure_metric_sum(const report_record *record, const char *name);
// A line of figures.cu without its indentation, malloc'ed.
char *figure_lab_line(const figure_lab *lab, uint32_t line);

kz_status figure_gpu(device_gpu *gpu, observe_gpu *limits, kz_error *error); // the H200 of gpus/

// Whether a figure draws what was measured in this case: a ladder of one run, and a peak of it.
bool figure_draws(const char *family, const char *case_name);

#define FIGURE(name, text, kind) kz_status figure_##name(figure_lab *lab, base_text *svg, kz_error *error);
#include "figures.def"
#undef FIGURE

#endif
