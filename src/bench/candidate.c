// bench/candidate: see candidate.h.
#include "bench/candidate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "device/device.h"
#include "device/image.h"
#include "device/share.h"
#include "family/check.h"

bench_candidate bench_candidate_blank(bench_provider provider, const char *by, const char *name) {
    bench_candidate made = {.provider = provider,
                            .own_bytes = UINT64_MAX,
                            .code = bench_code_unknown(),
                            .facts = bench_facts_unknown()};
    snprintf(made.by, sizeof made.by, "%s", by);
    snprintf(made.name, sizeof made.name, "%s", name);
    return made;
}

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

// False where the image has no code to hash.
static bool add_code(const kz_image *image, uint64_t *hash) {
    uint64_t h = *hash;
    char *ptx = NULL;
    if (kz_image_ptx(image, &ptx, NULL) != KZ_OK && !image->machine_code_count) return false;
    if (ptx) h = base_hash(h, ptx, strlen(ptx));
    free(ptx);
    for (size_t i = 0; i < image->machine_code_count; i++) {
        const void *data;
        void *unpacked;
        if (device_code_unpack(image->name, &image->machine_code[i], &data, &unpacked, NULL) == KZ_OK)
            h = base_hash(h, data, image->machine_code[i].size);
        free(unpacked);
    }
    *hash = h;
    return true;
}

void bench_image_hash(const kz_image *image, char text[BENCH_DIGEST]) {
    uint64_t h = BASE_HASH;
    text[0] = 0;
    if (add_code(image, &h)) snprintf(text, BENCH_DIGEST, "%016llx", (unsigned long long)h);
}

// Of the image, and of those of its others that the plan launches.
static void hash_code(const kz_image *image, const kz_plan *plan, char text[BENCH_DIGEST]) {
    uint64_t h = BASE_HASH;
    const kz_image *last = image;
    text[0] = 0;
    if (!add_code(image, &h)) return;
    for (uint32_t i = 0; i < plan->step_count; i++) {
        if (plan->steps[i].kind != KZ_STEP_LAUNCH) continue;
        const kz_image *part = device_step_image(image, &plan->steps[i]);
        if (part != last && part != image && !add_code(part, &h)) return;
        last = part;
    }
    snprintf(text, BENCH_DIGEST, "%016llx", (unsigned long long)h);
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
    candidate->workspace_bytes = p->plan.workspace_bytes;
    hash_code(image, &p->plan, candidate->code_hash);
    candidate->code = bench_code_of(data->device, p->module, image, &p->plan, data->assembler);
    return KZ_OK;
}

kz_status bench_candidate_variant(const bench_data *data, const kz_variant *variant,
                                  bench_candidate *candidate, kz_error *error) {
    *candidate = bench_candidate_blank(BENCH_ZOO, "kz", variant->name);
    candidate->facts = bench_facts_of(data->family->name, variant->name);
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
    *candidate = bench_candidate_blank(BENCH_GUEST, "guest", family_guest_name(guest));
    const family_check_job job = {
        .family = data->family, .guest = guest, .c = &data->c, .device = data->device, .seed = data->seed};
    return open_program(data, &job, family_guest_image(guest), candidate, error);
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
    case BENCH_PEAK_IN_PLACE: return bench_probe_rewrite(r->probes, stream, from, r->bytes, error);
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
    bool is_copy = r->kind == BENCH_PEAK_COPY_DRIVER || r->kind == BENCH_PEAK_COPY_KERNEL;
    kz_status status = device_memory_alloc_shared(d->device, total, &r->from, error); // as the case's own
    if (status == KZ_OK && is_copy) status = device_memory_alloc_shared(d->device, total, &r->to, error);
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
    static const char *const names[] = {"copy by the driver", "copy by a kernel", "read", "in place"};
    bool copies = kind == BENCH_PEAK_COPY_DRIVER || kind == BENCH_PEAK_COPY_KERNEL;
    bool is_memcpy = copies && kz_device_get_info(data->device)->kind == KZ_DEVICE_CPU;
    *candidate = bench_candidate_blank(BENCH_PEAK, "peak", is_memcpy ? "copy by memcpy" : names[kind]);
    if (kind != BENCH_PEAK_COPY_DRIVER && !bench_probes_has_kernels(probes))
        return base_fail(error, KZ_UNSUPPORTED, "this device has no kernel for the peak \"%s\"", names[kind]);
    if (kind == BENCH_PEAK_IN_PLACE && !bench_data_has_inout(data))
        return base_fail(error, KZ_UNSUPPORTED, "the case writes over none of its inputs");
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
