// The child's part of the speed gate: the kernel, the solution and the peaks timed in turn, cold, by the bench's
// own sampler, and the kernel's outputs once more after that.
//
// The job's run 0 is what was checked before; the sets of buffers that runs rotate through hold the inputs of
// run 0 and run 1 by turns, so that no two runs in a row see the same data.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/candidate.h"
#include "bench/measure.h"
#include "bench/sampler.h"
#include "family/inputs.h"
#include "judge.h"

enum { MOST_SETS = 8, KERNEL = 0, RIVAL, COPY, COPY_DRIVER, FMA, CANDIDATES };

typedef struct timed {
    kz_device *device;
    const course_judge_run *run;
    const bench_data *data;
    kz_kernel *kernel;
    kz_launch launch;
} timed;

typedef struct timing {
    kz_device *device;
    const course_judge_job *job;
    bench_data data;
    bench_probes *probes;
    kz_module *rival_module;
    timed own, rival;
    bench_candidate candidates[CANDIDATES];
    bench_candidate *list[CANDIDATES];
    size_t kinds[CANDIDATES], count;
    double fma_flops;
} timing;

// ---- buffers --------------------------------------------------------------------------------------------

static kz_role role_of(course_role role) {
    return role == COURSE_INPUT ? KZ_INPUT : role == COURSE_INOUT ? KZ_INOUT : KZ_OUTPUT;
}

// As many sets as make the footprint several times L2, half of the free memory at the most.
static size_t choose_sets(const timing *t, uint64_t footprint) {
    size_t available = 0, sets = 2;
    const kz_device_info *info = kz_device_get_info(t->device);
    if (footprint) sets = (size_t)(4 * info->l2_bytes / footprint) + 2;
    if (sets > MOST_SETS) sets = MOST_SETS;
    if (kz_memory_available(t->device, &available, NULL) == KZ_OK && footprint)
        while (sets > 1 && sets * footprint > available / 2) sets--;
    return sets;
}

static kz_status upload(const timing *t, size_t b, size_t set, const course_judge_run *run, kz_error *error) {
    const course_judge_buffer *from = &run->buffers[b];
    kz_ptr to = t->data.base[b] + set * t->data.stride[b] + run->misalign * kz_type_size(from->type);
    if (!from->bytes || from->role == COURSE_OUTPUT) return KZ_OK;
    return kz_copy_to_device(t->device, NULL, to, from->data, from->bytes, error);
}

static kz_status open_data(timing *t, kz_error *error) {
    const course_judge_run *run = &t->job->runs[0];
    bench_data *d = &t->data;
    if (run->buffer_count > KZ_FAMILY_BUFFERS)
        return base_fail(error, KZ_LIMIT, "a kernel with more than %d buffers cannot be timed",
                         KZ_FAMILY_BUFFERS);
    uint64_t largest = 0;
    *d = (bench_data){
        .device = t->device, .buffer_count = run->buffer_count, .c = {.misalign = run->misalign}};
    for (size_t b = 0; b < run->buffer_count; b++) {
        const course_judge_buffer *from = &run->buffers[b];
        d->buffers[b] = (kz_buffer){from->name, role_of(from->role), from->type, from->count};
        d->stride[b] = (from->bytes + run->misalign * kz_type_size(from->type) + 255) / 256 * 256 + 256;
        d->footprint += d->stride[b];
        if (from->bytes > largest) largest = from->bytes;
    }
    d->sets = choose_sets(t, d->footprint);
    d->got = malloc(largest + 1);
    kz_status status = d->got ? KZ_OK : base_fail(error, KZ_NO_MEMORY, "no memory to measure");
    for (size_t b = 0; b < run->buffer_count && !status; b++) {
        const course_judge_buffer *from = &run->buffers[b];
        status = kz_memory_alloc(t->device, d->stride[b] * d->sets, &d->base[b], error);
        if (!status && from->role == COURSE_INOUT && from->bytes) {
            status = kz_memory_alloc(t->device, from->bytes, &d->pristine[b], error);
            if (!status)
                status = kz_copy_to_device(t->device, NULL, d->pristine[b], from->data, from->bytes, error);
        }
        for (size_t s = 0; s < d->sets && !status; s++)
            status = upload(t, b, s, &t->job->runs[s % t->job->run_count], error);
    }
    return status ? status : kz_device_synchronize(t->device, error);
}

// ---- candidates -----------------------------------------------------------------------------------------

static kz_status enqueue(void *self, kz_stream *stream, size_t set, kz_error *error) {
    timed *k = self;
    kz_ptr addresses[KZ_FAMILY_BUFFERS];
    uint64_t values[COURSE_PARAMETERS];
    const void *args[COURSE_PARAMETERS];
    bench_data_addresses(k->data, set, addresses);
    kz_status status = KZ_OK;
    for (size_t b = 0; b < k->run->buffer_count && !status; b++)
        if (k->run->buffers[b].role == COURSE_OUTPUT && k->run->buffers[b].fill >= 0 &&
            k->run->buffers[b].bytes)
            status = kz_memory_fill(k->device, stream, addresses[b], (uint8_t)k->run->buffers[b].fill,
                                    k->run->buffers[b].bytes, error);
    for (uint32_t i = 0; i < k->run->argument_count; i++) {
        const course_judge_argument *a = &k->run->arguments[i];
        values[i] = a->is_buffer ? addresses[a->buffer] : a->bits;
        args[i] = &values[i];
    }
    if (status) return status;
    return kz_launch_kernel(k->device, stream, k->kernel, &k->launch, args, k->run->argument_count, error);
}

static kz_status enqueue_fma(void *self, kz_stream *stream, size_t set, kz_error *error) {
    timing *t = self;
    return bench_probe_fma(t->probes, stream, &t->fma_flops, error);
}

static void take(timing *t, size_t kind) {
    t->kinds[t->count] = kind;
    t->list[t->count++] = &t->candidates[kind];
}

static kz_status open_candidates(timing *t, kz_module *module, kz_error *error) {
    const course_judge_timing *wanted = &t->job->timing;
    const course_judge_run *run = &t->job->runs[0];
    t->own = (timed){.device = t->device, .run = run, .data = &t->data, .launch = run->launch};
    kz_status status = kz_module_kernel(module, t->job->entry, &t->own.kernel, error);
    t->candidates[KERNEL] = (bench_candidate){.provider = BENCH_GUEST, .self = &t->own, .enqueue = enqueue};
    take(t, KERNEL);
    if (!status && wanted->rival[0]) {
        kz_image image = {.size = sizeof(kz_image),
                          .name = "the solution",
                          .ptx = wanted->rival,
                          .ptx_size = strlen(wanted->rival)};
        t->rival = t->own;
        t->rival.launch = wanted->rival_launch;
        status = kz_module_load(t->device, &image, &t->rival_module, error);
        if (!status) status = kz_module_kernel(t->rival_module, wanted->rival_entry, &t->rival.kernel, error);
        t->candidates[RIVAL] =
            (bench_candidate){.provider = BENCH_GUEST, .self = &t->rival, .enqueue = enqueue};
        take(t, RIVAL);
    }
    if (!status && wanted->bytes > 0) {
        status = bench_candidate_peak(&t->data, t->probes, BENCH_PEAK_COPY_KERNEL, wanted->bytes,
                                      &t->candidates[COPY], error);
        if (!status) take(t, COPY);
        if (!status)
            status = bench_candidate_peak(&t->data, t->probes, BENCH_PEAK_COPY_DRIVER, wanted->bytes,
                                          &t->candidates[COPY_DRIVER], error);
        if (!status) take(t, COPY_DRIVER);
    }
    if (!status && wanted->flops > 0) {
        t->candidates[FMA] = (bench_candidate){.provider = BENCH_PEAK, .self = t, .enqueue = enqueue_fma};
        take(t, FMA);
    }
    return status;
}

// ---- measuring ------------------------------------------------------------------------------------------

static void read_series(const timing *t, const bench_series *series, course_judge_times *times) {
    double seconds[CANDIDATES] = {0};
    for (size_t i = 0; i < t->count; i++) seconds[t->kinds[i]] = series[i].summary.median;
    times->kernel = seconds[KERNEL];
    times->rival = seconds[RIVAL];
    times->copy = seconds[COPY] > 0 && seconds[COPY_DRIVER] > 0 ? fmin(seconds[COPY], seconds[COPY_DRIVER])
                                                                : seconds[COPY] + seconds[COPY_DRIVER];
    times->fma = seconds[FMA];
    if (times->copy > 0) times->copy_bytes_per_s = t->job->timing.bytes / times->copy;
    if (times->fma > 0) times->fma_flops_per_s = t->fma_flops / times->fma;
    times->relative_error = bench_relative_error(&series[KERNEL].summary);
}

// One more run of what was timed, on the other run's inputs and poisoned outputs.
static kz_status check_again(timing *t, bench_sampler *sampler, course_judge_times *times, base_arena *arena,
                             kz_error *error) {
    const course_judge_run *run = &t->job->runs[t->job->run_count - 1];
    kz_ptr addresses[KZ_FAMILY_BUFFERS];
    kz_status status = KZ_OK;
    for (size_t b = 0; b < run->buffer_count && !status; b++) {
        status = upload(t, b, 0, run, error);
        if (!status && t->data.pristine[b])
            status = kz_copy_to_device(t->device, NULL, t->data.pristine[b], run->buffers[b].data,
                                       run->buffers[b].bytes, error);
    }
    t->own.run = run; // its scalars too
    t->own.launch = run->launch;
    if (!status) status = kz_device_synchronize(t->device, error);
    if (!status) status = bench_data_poison(&t->data, bench_sampler_stream(sampler), 0, error);
    if (!status) status = bench_sampler_replay(sampler, KERNEL, 0, error);
    bench_data_addresses(&t->data, 0, addresses);
    for (size_t b = 0; b < run->buffer_count && !status; b++) {
        void *got = base_arena_alloc(arena, run->buffers[b].bytes + 1);
        if (!got) return base_fail(error, KZ_NO_MEMORY, "no memory for the outputs");
        if (run->buffers[b].bytes)
            status = kz_copy_to_host(t->device, NULL, got, addresses[b], run->buffers[b].bytes, error);
        if (!status) status = kz_device_synchronize(t->device, error);
        times->check.got[b] = got;
        times->check.bytes[b] = run->buffers[b].bytes;
    }
    times->check.message = times->check.record = "";
    return status;
}

static kz_status measure(timing *t, course_judge_times *times, base_arena *arena, kz_error *error) {
    bench_sampler *sampler = NULL;
    bench_series series[CANDIDATES] = {0};
    bench_rule rule = bench_default_rule();
    rule.most_seconds = 3;
    const bench_sampler_setup setup = {.data = &t->data,
                                       .probes = t->probes,
                                       .candidates = t->list,
                                       .count = t->count,
                                       .condition = {.mode = BENCH_LATENCY}};
    kz_status status = bench_sampler_open(&setup, &sampler, error);
    if (!status) {
        bench_clock clock = bench_sampler_clock(sampler);
        status = bench_measure(&clock, &rule, t->count, series, NULL, error);
    }
    if (!status) read_series(t, series, times);
    if (!status) status = check_again(t, sampler, times, arena, error);
    for (size_t i = 0; i < t->count; i++) bench_series_free(&series[i]);
    bench_sampler_close(sampler);
    return status;
}

kz_status course_judge_time(kz_device *device, kz_module *module, const course_judge_job *job,
                            course_judge_times *times, base_arena *arena, kz_error *error) {
    if (!kz_device_get_info(device)->has_clock)
        return base_fail(error, KZ_UNSUPPORTED, "%s has no clock", kz_device_get_info(device)->id);
    timing t = {.device = device, .job = job};
    kz_status status = bench_probes_open(device, &t.probes, error);
    if (!status) status = open_data(&t, error);
    if (!status) status = open_candidates(&t, module, error);
    if (!status) status = measure(&t, times, arena, error);
    bench_candidate_close(&t.candidates[COPY]);
    bench_candidate_close(&t.candidates[COPY_DRIVER]);
    for (size_t b = 0; b < t.data.buffer_count; b++) {
        if (t.data.base[b]) kz_memory_free(device, t.data.base[b], NULL);
        if (t.data.pristine[b]) kz_memory_free(device, t.data.pristine[b], NULL);
    }
    free(t.data.got);
    kz_module_close(t.rival_module);
    if (t.probes) bench_probes_close(t.probes);
    times->measured = !status;
    return status;
}
