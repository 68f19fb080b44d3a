// Runs the kernels of the figures on the simulator; see figures.h.
#include "figures.h"

#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "toolchain/toolchain.h"

static const char GPU[] = "h200";

kz_status figure_gpu(device_gpu *gpu, observe_gpu *limits, kz_error *error) {
    kz_status status = device_gpu_load(GPU, gpu, error);
    if (!status && limits) device_gpu_describe(gpu, limits);
    return status;
}

static kz_status compile(figure_lab *lab, kz_error *error) {
    static const char path[] = "course/figures/figures.cu";
    toolchain tools;
    size_t size;
    kz_status status = base_file_read(path, &lab->source, &size, error);
    if (!status) status = toolchain_find(&tools, error);
    if (!status) status = toolchain_compile_ptx(&tools, path, "75", NULL, &lab->ptx, &size, error);
    if (status) return status;
    kz_image image = {.size = sizeof(kz_image), .name = "figures", .ptx = lab->ptx, .ptx_size = size};
    return kz_module_load(lab->device, &image, &lab->module, error);
}

kz_status figure_lab_open(figure_lab *lab, kz_error *error) {
    char id[32];
    if (lab->module) return KZ_OK;
    snprintf(id, sizeof id, "sim:%s", GPU);
    kz_status status = figure_gpu(&lab->gpu, NULL, error);
    if (!status && !lab->device) status = kz_device_open(id, &lab->device, error);
    return status ? status : compile(lab, error);
}

void figure_lab_clear(figure_lab *lab) {
    for (size_t i = 0; i < lab->buffer_count; i++) kz_memory_free(lab->device, lab->buffers[i], NULL);
    lab->buffer_count = 0;
}

void figure_lab_close(figure_lab *lab) {
    figure_lab_clear(lab);
    if (lab->module) kz_module_close(lab->module);
    if (lab->device) kz_device_close(lab->device);
    free(lab->ptx);
    free(lab->source);
}

kz_status figure_lab_buffer(figure_lab *lab, size_t bytes, kz_ptr *address, kz_error *error) {
    if (lab->buffer_count == FIGURE_BUFFERS)
        return base_fail(error, KZ_INVALID, "a figure uses more than %d buffers", FIGURE_BUFFERS);
    kz_status status = kz_memory_alloc(lab->device, bytes, address, error);
    if (status) return status;
    lab->buffers[lab->buffer_count++] = *address;
    return kz_memory_fill(lab->device, NULL, *address, 0, bytes, error);
}

static kz_status launch(figure_lab *lab, const figure_launch *l, kz_error *error) {
    kz_kernel *kernel;
    kz_launch shape = {.size = sizeof(kz_launch),
                       .grid = {l->blocks[0], l->blocks[1] ? l->blocks[1] : 1, 1},
                       .block = {l->threads, 1, 1}};
    kz_status status = kz_module_kernel(lab->module, l->kernel, &kernel, error);
    if (!status) status = kz_launch_kernel(lab->device, NULL, kernel, &shape, l->args, l->arg_count, error);
    return status ? status : kz_device_synchronize(lab->device, error);
}

kz_status figure_lab_run(figure_lab *lab, const figure_launch *l, sim_listener *listener, kz_error *error) {
    kz_status status = listener ? device_sim_listen(lab->device, listener, error) : KZ_OK;
    if (!status) status = launch(lab, l, error);
    if (listener) device_sim_listen(lab->device, NULL, NULL);
    return status;
}

kz_status figure_lab_observe(figure_lab *lab, const char *name, figure_work *work, void *context,
                             report_record *record, kz_error *error) {
    observe_session *session = NULL;
    observe_gpu gpu;
    base_text text = {0};
    kz_status status = device_sim_gpu(lab->device, &gpu, error);
    if (!status)
        status =
            observe_session_open(&(observe_options){.counters = true, .caches = true}, &gpu, &session, error);
    if (!status) observe_session_name(session, name, 0);
    if (!status) status = device_sim_observe(lab->device, session, error);
    if (!status) status = work(lab, context, error);
    if (session) device_sim_observe(lab->device, NULL, NULL);
    if (!status) {
        observe_session_finish(session, &text);
        status = report_record_parse(name, text.data ? text.data : "", text.length, record, error);
    }
    base_text_free(&text);
    observe_session_close(session);
    return status;
}

static kz_status launch_of(figure_lab *lab, void *l, kz_error *error) { return launch(lab, l, error); }

kz_status figure_lab_count(figure_lab *lab, figure_launch *l, report_record *record, kz_error *error) {
    return figure_lab_observe(lab, l->kernel, launch_of, l, record, error);
}

double figure_metric(const report_record *record, const char *name) {
    size_t at = 0;
    const json_t *kernel = report_record_next(record, "kernel", &at);
    return report_prof_metric(json_object_get(kernel, "metrics"), name);
}

double figure_metric_sum(const report_record *record, const char *name) {
    size_t at = 0;
    double sum = 0;
    const json_t *kernel;
    while ((kernel = report_record_next(record, "kernel", &at)))
        sum += report_prof_metric(json_object_get(kernel, "metrics"), name);
    return sum;
}

char *figure_lab_line(const figure_lab *lab, uint32_t line) {
    const char *at = lab->source;
    for (; line > 1 && (at = strchr(at, '\n')); line--) at++;
    if (!at) return NULL;
    at += strspn(at, " ");
    return strndup(at, strcspn(at, "\n"));
}
