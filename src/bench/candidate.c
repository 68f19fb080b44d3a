// bench/candidate: see candidate.h.
#include "bench/candidate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "device/image.h"
#include "family/check.h"

// ---- variants and guests: a plan and its module -----------------------------------------------------

typedef struct program {
    const bench_data *data;
    kz_module *module;
    kz_plan plan;
    kz_ptr workspace;
} program;

static kz_status program_enqueue(void *self, kz_stream *stream, size_t set, kz_error *error) {
    program *p = self;
    kz_ptr buffers[KZ_FAMILY_BUFFERS];
    bench_data_addresses(p->data, set, buffers);
    return kz_plan_run(p->data->device, stream, p->module, &p->plan, buffers, p->data->buffer_count,
                       p->workspace, error);
}

static void program_close(void *self) {
    program *p = self;
    kz_memory_free(p->data->device, p->workspace, NULL);
    if (p->module) kz_module_close(p->module);
    free(p);
}

static void hash_image(const kz_image *image, char text[20]) {
    uint64_t h = BASE_HASH;
    char *ptx = NULL;
    if (kz_image_ptx(image, &ptx, NULL) != KZ_OK && !image->machine_code_count) return;
    if (ptx) h = base_hash(h, ptx, strlen(ptx));
    free(ptx);
    for (size_t i = 0; i < image->machine_code_count; i++) {
        const void *data;
        void *unpacked;
        if (device_code_unpack(image->name, &image->machine_code[i], &data, &unpacked, NULL) == KZ_OK)
            h = base_hash(h, data, image->machine_code[i].size);
        free(unpacked);
    }
    snprintf(text, 20, "%016llx", (unsigned long long)h);
}

static void describe_kernel(program *p, bench_candidate *candidate) {
    candidate->kernel = (kz_kernel_info){.size = sizeof candidate->kernel, .registers = -1};
    kz_kernel *kernel;
    for (uint32_t i = p->plan.step_count; i-- > 0;) {
        if (p->plan.steps[i].kind != KZ_STEP_LAUNCH) continue;
        if (kz_module_kernel(p->module, p->plan.steps[i].entry, &kernel, NULL) == KZ_OK)
            kz_kernel_get_info(kernel, &candidate->kernel, NULL);
        return;
    }
}

static kz_status open_program(const bench_data *data, const family_check_job *job, const kz_image *image,
                              bench_candidate *candidate, kz_error *error) {
    program *p = calloc(1, sizeof *p);
    if (!p) return base_fail(error, KZ_NO_MEMORY, "no memory for a candidate");
    p->data = data;
    candidate->self = p;
    candidate->enqueue = program_enqueue;
    candidate->close = program_close;
    kz_status status = family_make_plan(job, &p->plan, error);
    if (status == KZ_OK) status = kz_module_load(data->device, image, &p->module, error);
    if (status == KZ_OK)
        status = kz_memory_alloc(data->device, p->plan.workspace_bytes, &p->workspace, error);
    if (status == KZ_OK && p->plan.workspace_bytes)
        status = kz_memory_fill(data->device, NULL, p->workspace, 0xa5, p->plan.workspace_bytes, error);
    if (status != KZ_OK) {
        bench_candidate_close(candidate);
        return status;
    }
    candidate->plan = p->plan;
    candidate->workspace_bytes = p->plan.workspace_bytes;
    hash_image(image, candidate->code_hash);
    describe_kernel(p, candidate);
    return KZ_OK;
}

kz_status bench_candidate_variant(const bench_data *data, const kz_variant *variant,
                                  bench_candidate *candidate, kz_error *error) {
    *candidate = (bench_candidate){.provider = BENCH_ZOO, .by = "kz", .kernel.registers = -1};
    snprintf(candidate->name, sizeof candidate->name, "%s", variant->name);
    const family_check_job job = {.family = data->family,
                                  .variant = variant,
                                  .c = &data->c,
                                  .device = data->device,
                                  .seed = data->seed};
    kz_image image;
    kz_status status = kz_variant_image(data->family, variant, &image, error);
    return status ? status : open_program(data, &job, &image, candidate, error);
}

kz_status bench_candidate_guest(const bench_data *data, const family_guest *guest, bench_candidate *candidate,
                                kz_error *error) {
    *candidate = (bench_candidate){.provider = BENCH_GUEST, .by = "guest", .kernel.registers = -1};
    snprintf(candidate->name, sizeof candidate->name, "%s", family_guest_name(guest));
    const family_check_job job = {
        .family = data->family, .guest = guest, .c = &data->c, .device = data->device, .seed = data->seed};
    return open_program(data, &job, family_guest_image(guest), candidate, error);
}

// ---- peers -----------------------------------------------------------------------------------------

typedef struct rival {
    const bench_data *data;
    const kz_peer *peer;
    kz_peer_problem problem;
    kz_arg args[KZ_PLAN_ARGS];
    kz_ptr workspace;
    size_t workspace_bytes;
    kz_module *module; // on the CPU
    kz_kernel *kernel;
    const char *failed; // why its last run on the CPU did not work
} rival;

// On the CPU a rival is a kernel of one block, so that it takes its turn in the stream, and in graphs.
static void rival_block(const kz_native_launch *launch) {
    rival *r = *(rival *const *)launch->args[0];
    kz_ptr buffers[KZ_FAMILY_BUFFERS] = {0};
    for (size_t i = 0; i < r->data->buffer_count; i++) buffers[i] = *(const kz_ptr *)launch->args[1 + i];
    const char *why = "no reason given";
    bool good = r->peer->run(&r->problem, NULL, buffers, r->workspace, r->workspace_bytes, &why) == 0;
    r->failed = good ? NULL : why;
}

static const kz_native_entry rival_natives[] = {{"rival", rival_block}, {0}};

static kz_status rival_load(rival *r, kz_error *error) {
    const kz_image image = {.size = sizeof(kz_image), .name = r->peer->name, .natives = rival_natives};
    kz_status status = kz_module_load(r->data->device, &image, &r->module, error);
    return status ? status : kz_module_kernel(r->module, "rival", &r->kernel, error);
}

static kz_status rival_launch(rival *r, kz_stream *stream, const kz_ptr *buffers, kz_error *error) {
    const void *args[1 + KZ_FAMILY_BUFFERS] = {&r};
    for (size_t i = 0; i < r->data->buffer_count; i++) args[1 + i] = &buffers[i];
    const kz_launch launch = {.size = sizeof(kz_launch), .grid = {1, 1, 1}, .block = {1, 1, 1}};
    r->failed = NULL;
    kz_status status =
        kz_launch_kernel(r->data->device, stream, r->kernel, &launch, args, 1 + r->data->buffer_count, error);
    if (status || !r->failed) return status;
    return base_fail(error, KZ_TOOL, "the peer %s failed on %s: %s", r->peer->name, r->problem.family,
                     r->failed);
}

static kz_status rival_enqueue(void *self, kz_stream *stream, size_t set, kz_error *error) {
    rival *r = self;
    kz_ptr buffers[KZ_FAMILY_BUFFERS];
    bench_data_addresses(r->data, set, buffers);
    if (r->peer->on_cpu) return rival_launch(r, stream, buffers, error);
    const char *why = "no reason given";
    if (r->peer->run(&r->problem, kz_stream_handle(stream), buffers, r->workspace, r->workspace_bytes,
                     &why) == 0)
        return KZ_OK;
    return base_fail(error, KZ_DRIVER, "the peer %s failed on %s: %s", r->peer->name, r->problem.family, why);
}

static void rival_close(void *self) {
    rival *r = self;
    kz_memory_free(r->data->device, r->workspace, NULL);
    if (r->module) kz_module_close(r->module);
    free(r);
}

kz_status bench_candidate_peer(const bench_data *data, const kz_peer *peer, bench_candidate *candidate,
                               kz_error *error) {
    *candidate = (bench_candidate){.provider = BENCH_PEER, .kernel.registers = -1};
    rival *r = calloc(1, sizeof *r);
    if (!r) return base_fail(error, KZ_NO_MEMORY, "no memory for a candidate");
    r->data = data;
    r->peer = peer;
    r->problem = (kz_peer_problem){.family = data->family->name,
                                   .operation = data->family->operations[data->c.operation],
                                   .type = data->c.type,
                                   .args = r->args,
                                   .arg_count = kz_guest_args(data->family, &data->c, r->args)};
    memcpy(r->problem.axes, data->c.axes, sizeof r->problem.axes);
    bool meant = peer->on_cpu == (kz_device_get_info(data->device)->kind == KZ_DEVICE_CPU);
    const char *offer = meant ? peer->offers(&r->problem) : NULL, *why = "no reason given";
    if (!offer) {
        free(r);
        return base_fail(error, KZ_UNSUPPORTED, "the peer %s does not do this case", peer->name);
    }
    snprintf(candidate->by, sizeof candidate->by, "%s", peer->name);
    snprintf(candidate->name, sizeof candidate->name, "%s", offer);
    candidate->self = r;
    candidate->enqueue = rival_enqueue;
    candidate->close = rival_close;
    kz_status status = KZ_OK;
    if (peer->prepare(&r->problem, &r->workspace_bytes, &why) != 0)
        status = base_fail(error, KZ_DRIVER, "the peer %s could not prepare: %s", peer->name, why);
    snprintf(candidate->version, sizeof candidate->version, "%s", peer->version); // some know it only now
    if (status == KZ_OK) status = kz_memory_alloc(data->device, r->workspace_bytes, &r->workspace, error);
    if (status == KZ_OK && peer->on_cpu) status = rival_load(r, error);
    candidate->workspace_bytes = r->workspace_bytes;
    if (status != KZ_OK) bench_candidate_close(candidate);
    return status;
}

// ---- peaks ---------------------------------------------------------------------------------------

typedef struct peak {
    const bench_data *data;
    bench_probes *probes;
    bench_peak kind;
    size_t bytes, stride; // of one set: what is read, and written where it is a copy
    kz_ptr from, to;
} peak;

static kz_status peak_enqueue(void *self, kz_stream *stream, size_t set, kz_error *error) {
    peak *r = self;
    kz_ptr from = r->from + set * r->stride, to = r->to + set * r->stride;
    switch (r->kind) {
    case BENCH_PEAK_COPY_DRIVER: return kz_copy_on_device(r->data->device, stream, to, from, r->bytes, error);
    case BENCH_PEAK_COPY_KERNEL: return bench_probe_copy(r->probes, stream, to, from, r->bytes, error);
    default: return bench_probe_read(r->probes, stream, from, r->bytes, error);
    }
}

static kz_status peak_produce(void *self, kz_stream *stream, size_t set, kz_error *error) {
    peak *r = self;
    return bench_probe_rewrite(r->probes, stream, r->from + set * r->stride, r->bytes, error);
}

static void peak_close(void *self) {
    peak *r = self;
    kz_memory_free(r->data->device, r->from, NULL);
    kz_memory_free(r->data->device, r->to, NULL);
    free(r);
}

// A copy's buffers cannot be the case's: outputs would no longer hold what the kernels wrote. Random bytes,
// for what is moved changes the power it takes.
static kz_status peak_allocate(peak *r, kz_error *error) {
    const bench_data *d = r->data;
    size_t total = d->sets * r->stride;
    kz_status status = kz_memory_alloc(d->device, total, &r->from, error);
    if (status == KZ_OK && r->kind != BENCH_PEAK_READ)
        status = kz_memory_alloc(d->device, total, &r->to, error);
    if (status == KZ_OK) status = kz_memory_fill(d->device, NULL, r->from, 0x5a, total, error);
    size_t b = 0, filled = 0;
    while (b < d->buffer_count && d->buffers[b].role == KZ_OUTPUT) b++;
    if (status != KZ_OK || b == d->buffer_count) return status;
    size_t size = d->stride[b] * d->sets;
    for (; filled < total && status == KZ_OK; filled += size)
        status = kz_copy_on_device(d->device, NULL, r->from + filled, d->base[b],
                                   total - filled < size ? total - filled : size, error);
    return status ? status : kz_device_synchronize(d->device, error);
}

kz_status bench_candidate_peak(const bench_data *data, bench_probes *probes, bench_peak kind, double bytes,
                               bench_candidate *candidate, kz_error *error) {
    static const char *const names[] = {"copy by the driver", "copy by a kernel", "read"};
    *candidate = (bench_candidate){.provider = BENCH_PEAK, .by = "peak", .kernel.registers = -1};
    snprintf(candidate->name, sizeof candidate->name, "%s", names[kind]);
    if (kind != BENCH_PEAK_COPY_DRIVER && !bench_probes_has_kernels(probes))
        return base_fail(error, KZ_UNSUPPORTED, "this device has no kernel for the peak \"%s\"", names[kind]);
    peak *r = calloc(1, sizeof *r);
    if (!r) return base_fail(error, KZ_NO_MEMORY, "no memory for a candidate");
    r->data = data;
    r->probes = probes;
    r->kind = kind;
    r->bytes = (size_t)(kind == BENCH_PEAK_READ ? bytes : bytes / 2) / 16 * 16;
    if (r->bytes < 16) r->bytes = 16;
    r->stride = (r->bytes + 255) / 256 * 256;
    candidate->self = r;
    candidate->enqueue = peak_enqueue;
    candidate->produce = peak_produce;
    candidate->close = peak_close;
    kz_status status = peak_allocate(r, error);
    if (status != KZ_OK) bench_candidate_close(candidate);
    return status;
}

void bench_candidate_close(bench_candidate *candidate) {
    if (candidate->close && candidate->self) candidate->close(candidate->self);
    candidate->self = NULL; // what it was called stays, for the record
}
