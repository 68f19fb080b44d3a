// bench/micro: the lab and the measuring of one job. See micro.h.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "bench/micro_lab.h"
#include "device/host.h"

enum { LEAST_SAMPLES = 7, CLOCK_SAMPLES = 7 };
static const double RATE_SECONDS = 0.2; // of samples for a rate, at most
static const size_t MOST_DATA = (size_t)17 << 30, LITTLE_DATA = (size_t)1 << 20;

#define MICRO_GROUP(name, x, y, about) {#name, about, {x, y}, bench_micro_group_##name},
static const struct {
    const char *name, *about, *axes[2];
    kz_status (*run)(bench_micro_lab *lab, kz_error *error);
} groups[] = {
#include "bench/micro.def"
};
#undef MICRO_GROUP

const char *bench_micro_group_name(bench_micro_group group) { return groups[group].name; }
const char *bench_micro_group_about(bench_micro_group group) { return groups[group].about; }
const char *bench_micro_group_axis(bench_micro_group group, int axis) { return groups[group].axes[axis]; }

bool bench_micro_group_find(const char *name, bench_micro_group *group) {
    for (int i = 0; i < BENCH_MICRO_GROUPS; i++)
        if (strcmp(groups[i].name, name) == 0) return *group = (bench_micro_group)i, true;
    return false;
}

// ---- images -----------------------------------------------------------------------------------------

#define IMAGE(name)                                                                                          \
    extern const char bench_micro_##name##_ptx[], bench_micro_##name##_cubin[];                              \
    extern const uint64_t bench_micro_##name##_ptx_size, bench_micro_##name##_cubin_size;
IMAGE(memory)
IMAGE(shared)
IMAGE(arithmetic)
IMAGE(atomics)
IMAGE(bf16)
IMAGE(cluster)
#undef IMAGE

static void load_modules(bench_micro_lab *lab) {
#define IMAGE(name)                                                                                          \
    {                                                                                                        \
        "bench/micro/" #name, bench_micro_##name##_ptx, bench_micro_##name##_cubin,                          \
            &bench_micro_##name##_ptx_size, &bench_micro_##name##_cubin_size                                 \
    }
    static const struct {
        const char *name, *ptx, *cubin;
        const uint64_t *ptx_size, *cubin_size;
    } files[MICRO_FILES] = {IMAGE(memory),  IMAGE(shared), IMAGE(arithmetic),
                            IMAGE(atomics), IMAGE(bf16),   IMAGE(cluster)};
#undef IMAGE
    for (int i = 0; i < MICRO_FILES; i++) {
        const kz_machine_code code = {.sm = 90, .data = files[i].cubin, .size = *files[i].cubin_size};
        const kz_image image = {.size = sizeof(kz_image),
                                .name = files[i].name,
                                .ptx = files[i].ptx,
                                .ptx_size = *files[i].ptx_size,
                                .machine_code = &code,
                                .machine_code_count = 1};
        if (i == MICRO_BF16 && lab->info->sm < 80)
            base_fail(&lab->module_errors[i], KZ_UNSUPPORTED, "bf16 arithmetic needs sm_80 or later");
        else if (i == MICRO_CLUSTER && lab->info->sm < 90)
            base_fail(&lab->module_errors[i], KZ_UNSUPPORTED, "clusters of blocks need sm_90 or later");
        else
            kz_module_load(lab->device, &image, &lab->modules[i], &lab->module_errors[i]);
    }
}

// ---- one job ------------------------------------------------------------------------------------------

bench_micro_job bench_micro_job_of(bench_micro_group group, const char *name, const char *unit,
                                   bench_micro_file file, const char *entry) {
    return (bench_micro_job){.group = group,
                             .name = name,
                             .unit = unit,
                             .x = NAN,
                             .y = NAN,
                             .nominal = NAN,
                             .file = file,
                             .entry = entry,
                             .blocks = 1,
                             .threads = 32,
                             .turns = 1,
                             .a = 1,
                             .b = 1};
}

bench_micro_point bench_micro_point_of(const bench_micro_job *job) {
    bench_micro_point point = {
        .group = job->group, .x = job->x, .y = job->y, .nominal = job->nominal, .value = NAN};
    snprintf(point.name, sizeof point.name, "%s", job->name);
    snprintf(point.unit, sizeof point.unit, "%s", job->unit);
    return point;
}

bool bench_micro_goes_on(const bench_micro_lab *lab) {
    return !lab->fatal && !(lab->request->interrupted && lab->request->interrupted());
}
uint32_t bench_micro_turns(const bench_micro_lab *lab, uint32_t turns) {
    return lab->timed || turns < 2 ? turns : 2;
}

kz_status bench_micro_kernel(bench_micro_lab *lab, const bench_micro_job *job, kz_kernel **kernel,
                             kz_error *error) {
    char entry[64];
    if (!lab->modules[job->file]) {
        if (error) *error = lab->module_errors[job->file];
        return lab->module_errors[job->file].status;
    }
    snprintf(entry, sizeof entry, "micro_%s", job->entry);
    return kz_module_kernel(lab->modules[job->file], entry, kernel, error);
}

kz_status bench_micro_launch_kernel(bench_micro_lab *lab, const bench_micro_job *job, kz_kernel *kernel,
                                    kz_error *error) {
    const kz_launch launch = {.size = sizeof(kz_launch),
                              .grid = {job->blocks, 1, 1},
                              .block = {job->threads, 1, 1},
                              .cluster = {job->cluster, job->cluster ? 1 : 0, job->cluster ? 1 : 0}};
    const void *args[] = {&lab->data, &lab->values, &lab->cycles, &job->n, &job->turns, &job->a, &job->b};
    return kz_launch_kernel(lab->device, lab->stream, kernel, &launch, args, BASE_COUNT(args), error);
}

kz_status bench_micro_launch(bench_micro_lab *lab, const bench_micro_job *job, kz_error *error) {
    kz_kernel *kernel;
    kz_status status = bench_micro_kernel(lab, job, &kernel, error);
    return status ? status : bench_micro_launch_kernel(lab, job, kernel, error);
}

// One launch between two events; the sample is in the job's unit.
static kz_status take_sample(bench_micro_lab *lab, const bench_micro_job *job, double *sample,
                             double *seconds, kz_error *error) {
    kz_status status = job->prepare ? job->prepare(lab, job, error) : KZ_OK;
    if (!status && lab->timed) status = kz_event_record(lab->device, lab->start, lab->stream, error);
    if (!status) status = bench_micro_launch(lab, job, error);
    if (!status && lab->timed) status = kz_event_record(lab->device, lab->stop, lab->stream, error);
    if (!status) status = kz_stream_synchronize(lab->device, lab->stream, error);
    *seconds = 0;
    *sample = NAN;
    if (!status && lab->timed) status = kz_event_elapsed(lab->device, lab->start, lab->stop, seconds, error);
    if (status || !lab->timed) return status;
    if (!job->by_clock) {
        *sample = *seconds > 0 ? job->work / *seconds : NAN;
        return KZ_OK;
    }
    uint64_t cycles = 0;
    status = kz_copy_to_host(lab->device, lab->stream, &cycles, lab->cycles, sizeof cycles, error);
    if (!status) status = kz_stream_synchronize(lab->device, lab->stream, error);
    *sample = job->per_cycle ? job->work / (double)cycles : (double)cycles / job->work;
    return status;
}

static kz_status check(bench_micro_lab *lab, const bench_micro_job *job, kz_error *error) {
    if (!job->right) return KZ_OK;
    kz_status status = KZ_OK;
    if (job->values) {
        status = kz_copy_to_host(lab->device, lab->stream, lab->host_values, lab->values,
                                 job->values * sizeof(uint32_t), error);
        if (!status) status = kz_stream_synchronize(lab->device, lab->stream, error);
    }
    if (status || job->right(lab, job)) return status;
    base_fail(error, KZ_WRONG, "micro_%s left what it should not have left: %s/%s is not measured",
              job->entry, bench_micro_group_name(job->group), job->name);
    base_fail_note(error, "likely cause: the device or its driver computes wrongly; kz doctor looks at it");
    return KZ_WRONG;
}

static kz_status take_samples(bench_micro_lab *lab, const bench_micro_job *job, bench_micro_point *point,
                              kz_error *error) {
    double sample, seconds, spent = 0;
    kz_status status = KZ_OK;
    // The first launch warms up, and is not counted.
    if (lab->timed) status = take_sample(lab, job, &sample, &seconds, error);
    size_t least = job->by_clock ? CLOCK_SAMPLES : LEAST_SAMPLES;
    while (!status && point->count < BENCH_MICRO_SAMPLES && bench_micro_goes_on(lab)) {
        status = take_sample(lab, job, &sample, &seconds, error);
        if (!status && isfinite(sample)) point->samples[point->count++] = sample;
        spent += seconds;
        if (!lab->timed || (point->count >= least && (job->by_clock || spent > RATE_SECONDS))) break;
        if (lab->timed && !isfinite(sample)) break;
    }
    return status;
}

// An error after which nothing more can be measured.
static bool is_fatal(kz_status status) {
    return status == KZ_LOST || status == KZ_FAULT || status == KZ_DEADLOCK || status == KZ_INTERNAL;
}

void bench_micro_finish_point(bench_micro_point *point) {
    bench_summary summary;
    if (point->status) point->count = 0;
    if (point->count && bench_summarise(point->samples, point->count, &summary))
        point->value = summary.median;
}

kz_status bench_micro_hand_over(bench_micro_lab *lab, bench_micro_point *point, kz_error *error) {
    bench_micro_finish_point(point);
    kz_status status = lab->request->done(point, lab->request->context, error);
    if (!status && is_fatal(point->status)) {
        if (error) *error = point->error;
        status = point->status;
    }
    return lab->fatal = status;
}

// What the same launch counts without a turn of its loop: all that is not measured.
static kz_status count_rest(bench_micro_lab *lab, const bench_micro_job *job, kz_counters *rest,
                            kz_error *error) {
    bench_micro_job idle = *job;
    double sample, seconds;
    idle.turns = 0;
    kz_counters_read(lab->device, rest, true, NULL);
    kz_status status = take_sample(lab, &idle, &sample, &seconds, error);
    kz_counters_read(lab->device, rest, true, NULL);
    return status;
}

static void take_away(kz_counters *all, const kz_counters *rest) {
    all->warp_instructions -= rest->warp_instructions;
    all->thread_instructions -= rest->thread_instructions;
    all->global_requests -= rest->global_requests;
    all->global_sectors -= rest->global_sectors;
    all->global_ideal_sectors -= rest->global_ideal_sectors;
    all->shared_requests -= rest->shared_requests;
    all->shared_wavefronts -= rest->shared_wavefronts;
    all->shared_ideal_wavefronts -= rest->shared_ideal_wavefronts;
    all->atomic_requests -= rest->atomic_requests;
    all->atomic_lane_conflicts -= rest->atomic_lane_conflicts;
    all->barriers -= rest->barriers;
}

void bench_micro_take(bench_micro_lab *lab, const bench_micro_job *job, bench_micro_point *point) {
    kz_counters before = {.size = sizeof before};
    *point = bench_micro_point_of(job);
    if (!lab->timed) point->status = count_rest(lab, job, &before, &point->error);
    if (!point->status) point->status = take_samples(lab, job, point, &point->error);
    if (!lab->timed) {
        point->counters.size = sizeof point->counters;
        kz_counters_read(lab->device, &point->counters, true, NULL);
        take_away(&point->counters, &before);
    }
    if (!point->status) point->status = check(lab, job, &point->error);
    bench_micro_finish_point(point);
}

kz_status bench_micro_measure(bench_micro_lab *lab, const bench_micro_job *job, kz_error *error) {
    bench_micro_point point;
    if (!bench_micro_goes_on(lab)) return lab->fatal;
    bench_micro_take(lab, job, &point);
    return bench_micro_hand_over(lab, &point, error);
}

// ---- the whole -----------------------------------------------------------------------------------------

static void lab_close(bench_micro_lab *lab) {
    for (int i = 0; i < MICRO_FILES; i++)
        if (lab->modules[i]) kz_module_close(lab->modules[i]);
    kz_memory_free(lab->device, lab->data, NULL);
    kz_memory_free(lab->device, lab->values, NULL);
    kz_memory_free(lab->device, lab->cycles, NULL);
    if (lab->start) kz_event_close(lab->start);
    if (lab->stop) kz_event_close(lab->stop);
    if (lab->stream) kz_stream_close(lab->stream);
    free(lab->host_values);
}

static kz_status lab_open(bench_micro_lab *lab, kz_error *error) {
    kz_device *device = lab->device;
    size_t available = 0;
    kz_status status = kz_memory_available(device, &available, error);
    lab->data_bytes = !lab->timed ? LITTLE_DATA : available / 2 < MOST_DATA ? available / 2 : MOST_DATA;
    lab->data_bytes -= lab->data_bytes % LITTLE_DATA;
    if (!status && lab->data_bytes < LITTLE_DATA)
        status =
            base_fail(error, KZ_NO_MEMORY, "%s has no megabyte of free memory to measure", lab->info->id);
    lab->host_values = malloc(MICRO_MOST_VALUES * sizeof *lab->host_values);
    if (!lab->host_values) return base_fail(error, KZ_NO_MEMORY, "no memory for what the kernels leave");
    if (!status) status = kz_memory_alloc(device, lab->data_bytes, &lab->data, error);
    if (!status) status = kz_memory_alloc(device, MICRO_MOST_VALUES * sizeof(uint32_t), &lab->values, error);
    if (!status) status = kz_memory_alloc(device, 64, &lab->cycles, error);
    if (!status) status = kz_memory_fill(device, NULL, lab->cycles, 0, 64, error);
    if (!status) status = kz_stream_open(device, &lab->stream, error);
    if (!status && lab->timed) status = kz_event_open(device, &lab->start, error);
    if (!status && lab->timed) status = kz_event_open(device, &lab->stop, error);
    if (!status) load_modules(lab);
    if (!status && !lab->modules[MICRO_MEMORY]) {
        if (error) *error = lab->module_errors[MICRO_MEMORY];
        status = lab->module_errors[MICRO_MEMORY].status;
    }
    return status;
}

kz_status bench_micro_run(const bench_micro_request *request, kz_error *error) {
    const kz_device_info *info = kz_device_get_info(request->device);
    if (info->kind == KZ_DEVICE_CPU) {
        base_fail(error, KZ_UNSUPPORTED, "the microbenchmarks are GPU kernels, and %s has none", info->id);
        base_fail_note(error, "try: kz microbench --device cuda, or --device sim to check and count them");
        return KZ_UNSUPPORTED;
    }
    bench_micro_lab lab = {
        .request = request, .device = request->device, .info = info, .timed = info->has_clock};
    lab.multiprocessors = lab.timed && info->multiprocessors > 0 ? (uint32_t)info->multiprocessors : 2;
    if (!info->gpu[0] || device_gpu_load(info->gpu, &lab.gpu, NULL) != KZ_OK) lab.gpu = (device_gpu){0};
    kz_status status = lab_open(&lab, error);
    if (!status && !lab.timed) kz_counters_enable(lab.device, true, NULL);
    for (int i = 0; i < BENCH_MICRO_GROUPS && !status && bench_micro_goes_on(&lab); i++)
        if (request->groups[i]) status = groups[i].run(&lab, error);
    if (!lab.timed) kz_counters_enable(lab.device, false, NULL);
    lab_close(&lab);
    return status;
}
