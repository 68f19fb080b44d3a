// bench/data: see data.h.
#include "bench/data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "bench/parallel.h"
#include "device/share.h"
#include "family/buffers.h"
#include "family/inputs.h"

enum {
    ALIGNMENT = 256,
    TIMES_L2 = 4,            // "several times L2"
    MOST_SETS = 1024,        // more launches than this go into no graph
    SMALL_OUTPUT = 16 << 20, // poisoned with the mark that messages recognise; larger ones with 0xff
};

static size_t round_up(size_t bytes) { return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }
// ---- on the host --------------------------------------------------------------------------------

typedef struct fill {
    const bench_data *data;
    size_t buffer;
} fill;

static void fill_part(void *context, unsigned part, uint64_t first, uint64_t count) {
    const fill *f = context;
    const kz_buffer *b = &f->data->buffers[f->buffer];
    char *to = (char *)f->data->host[f->buffer] + first * kz_type_size(b->type);
    family_make_input(f->data->family, &f->data->c, f->buffer, b, f->data->seed, first, count, to);
}

static void make_inputs(bench_data *d) {
    double start = base_seconds();
    for (size_t b = 0; b < d->buffer_count; b++)
        if (d->host[b])
            bench_parallel(d->buffers[b].count, bench_host_cores(), fill_part,
                           &(fill){.data = d, .buffer = b});
    if (d->family->derive) d->family->derive(&d->c, d->host);
    d->input_seconds = base_seconds() - start;
}

typedef struct reference_job {
    const bench_data *data;
    size_t which;
    kz_status status[BENCH_PARTS];
    kz_error error[BENCH_PARTS];
} reference_job;

// An elementwise case is many smaller cases side by side.
static void reference_part(void *context, unsigned part, uint64_t first, uint64_t count) {
    reference_job *job = context;
    const bench_data *d = job->data;
    kz_case c = d->c;
    void *host[KZ_FAMILY_BUFFERS] = {NULL};
    for (size_t b = 0; b < d->buffer_count; b++)
        if (d->host[b]) host[b] = (char *)d->host[b] + first * kz_type_size(d->buffers[b].type);
    if (first || count != d->buffers[job->which].count) c.axes[0] = (int64_t)count;
    job->status[part] = d->family->reference(&c, host, job->which, d->expected[job->which] + first,
                                             d->bound[job->which] + first, &job->error[part]);
}

static kz_status compute_reference(bench_data *d, size_t which, kz_error *error) {
    reference_job *job = calloc(1, sizeof *job);
    if (!job) return base_fail(error, KZ_NO_MEMORY, "no memory for the reference");
    job->data = d;
    job->which = which;
    unsigned parts = 1;
    if (d->family->elementwise)
        parts = bench_parallel(d->buffers[which].count, bench_host_cores(), reference_part, job);
    else
        reference_part(job, 0, 0, d->buffers[which].count);
    kz_status status = KZ_OK;
    for (unsigned i = 0; i < parts && status == KZ_OK; i++) {
        status = job->status[i];
        if (status != KZ_OK && error) *error = job->error[i];
    }
    free(job);
    return status;
}

static kz_status make_references(bench_data *d, kz_error *error) {
    double start = base_seconds();
    kz_status status = KZ_OK;
    for (size_t b = 0; b < d->buffer_count && status == KZ_OK && !d->unchecked; b++)
        if (d->expected[b]) status = compute_reference(d, b, error);
    d->reference_seconds = base_seconds() - start;
    return status;
}

static kz_status allocate_host(bench_data *d, kz_error *error) {
    size_t largest = 1;
    bool enough = true;
    for (size_t b = 0; b < d->buffer_count; b++) {
        const kz_buffer *buffer = &d->buffers[b];
        size_t bytes = bench_data_bytes(d, b) + 1; // an empty buffer has an address too
        if (buffer->role != KZ_OUTPUT) enough = enough && (d->host[b] = malloc(bytes));
        if (buffer->role == KZ_INPUT) continue;
        if (bytes > largest) largest = bytes;
        enough = enough && (d->expected[b] = malloc(buffer->count * sizeof(double) + 1));
        enough = enough && (d->bound[b] = malloc(buffer->count * sizeof(double) + 1));
    }
    if (enough && (d->got = malloc(largest))) return KZ_OK;
    kz_status status =
        base_fail(error, KZ_NO_MEMORY, "the host has no memory for this case and its reference");
    base_fail_note(error, "--case chooses smaller ones");
    return status;
}

// ---- on the device --------------------------------------------------------------------------------

size_t bench_data_sets(kz_device *device, const kz_family *family, const kz_case *c) {
    kz_buffer buffers[KZ_FAMILY_BUFFERS];
    size_t count = family->buffers(c, buffers), footprint = 1, available = 0;
    for (size_t b = 0; b < count; b++)
        footprint += round_up(buffers[b].count * kz_type_size(buffers[b].type));
    size_t sets = (TIMES_L2 * kz_device_get_info(device)->l2_bytes + footprint - 1) / footprint;
    if (kz_memory_available(device, &available, NULL) == KZ_OK && sets > available / 4 / footprint)
        sets = available / 4 / footprint; // the peaks need as much again, and the inouts a copy
    return sets > MOST_SETS ? MOST_SETS : sets < 1 ? 1 : sets;
}

// What is on the device can be opened by a rival in another process. A host's pages are there before anything is timed: a
// run that first wrote to one would wait for it.
static kz_status allocate(const bench_data *d, size_t bytes, kz_ptr *address, kz_error *error) {
    if (!d->family->location || d->family->location(&d->c) == KZ_ON_DEVICE)
        return device_memory_alloc_shared(d->device, bytes, address, error);
    kz_status status = family_alloc(d->device, d->family, &d->c, bytes, address, error);
    if (!status) memset((void *)(uintptr_t)*address, 0, bytes);
    return status;
}

static kz_status allocate_device(bench_data *d, kz_error *error) {
    kz_status status = KZ_OK;
    for (size_t b = 0; b < d->buffer_count && status == KZ_OK; b++) {
        size_t bytes = bench_data_bytes(d, b);
        d->stride[b] = round_up(bytes + bench_data_offset(d, b) + 1);
        d->footprint += bytes;
        status = allocate(d, d->sets * d->stride[b], &d->base[b], error);
        if (status == KZ_OK && d->buffers[b].role == KZ_INOUT)
            status = allocate(d, d->stride[b], &d->pristine[b], error);
    }
    return status;
}

// What lies between an input and the next is 0: all of it is the same in every set.
static kz_status upload(const bench_data *d, size_t sets, kz_error *error) {
    kz_status status = KZ_OK;
    for (size_t b = 0; b < d->buffer_count && status == KZ_OK; b++) {
        size_t bytes = bench_data_bytes(d, b);
        if (!d->host[b] || bytes == 0) continue;
        if (d->buffers[b].role == KZ_INPUT)
            status = kz_memory_fill(d->device, NULL, d->base[b], 0, sets * d->stride[b], error);
        if (status == KZ_OK)
            status =
                kz_copy_to_device(d->device, NULL, bench_data_address(d, b, 0), d->host[b], bytes, error);
        for (size_t s = 1; s < sets && status == KZ_OK; s++)
            status = kz_copy_on_device(d->device, NULL, bench_data_address(d, b, s),
                                       bench_data_address(d, b, 0), bytes, error);
        if (status == KZ_OK && d->pristine[b])
            status =
                kz_copy_on_device(d->device, NULL, d->pristine[b], bench_data_address(d, b, 0), bytes, error);
    }
    return status ? status : kz_device_synchronize(d->device, error);
}

// ---- whether inputs are as they were ----------------------------------------------------------------

// What nobody may write: every set of an input, and the one copy that an inout is restored from.
static size_t kept_copies(const bench_data *d, size_t b) {
    if (bench_data_bytes(d, b) == 0) return 0;
    return d->buffers[b].role == KZ_INPUT ? d->sets : d->pristine[b] ? 1 : 0;
}

static kz_ptr kept_at(const bench_data *d, size_t b, size_t copy) {
    return d->pristine[b] ? d->pristine[b] : d->base[b] + copy * d->stride[b];
}

static bool has_digests(const bench_data *d) { return d->probes && bench_probes_has_digests(d->probes); }

static kz_status take_digests(bench_data *d, kz_error *error) {
    kz_status status = KZ_OK;
    for (size_t b = 0; b < d->buffer_count && has_digests(d) && !status; b++)
        if (kept_copies(d, b))
            status = bench_probe_digest(d->probes, kept_at(d, b, 0), d->stride[b], &d->digest[b], error);
    return status;
}

static kz_status compare_on_host(const bench_data *d, size_t b, kz_ptr at, bool *same, kz_error *error) {
    enum { PART = 1 << 18 };
    size_t bytes = bench_data_bytes(d, b);
    char *part = malloc(PART);
    kz_status status = part ? KZ_OK : base_fail(error, KZ_NO_MEMORY, "no memory to compare inputs");
    for (size_t done = 0; done < bytes && *same && !status; done += PART) {
        size_t size = bytes - done < PART ? bytes - done : PART;
        status = kz_copy_to_host(d->device, NULL, part, at + done, size, error);
        if (!status) status = kz_stream_synchronize(d->device, NULL, error);
        *same = !status && memcmp(part, (const char *)d->host[b] + done, size) == 0;
    }
    free(part);
    return status;
}

static kz_status is_same(const bench_data *d, size_t b, size_t copy, bool *same, kz_error *error) {
    uint64_t digest = 0;
    kz_ptr at = kept_at(d, b, copy);
    *same = true;
    if (!has_digests(d)) // an inout's copy lies where it was allocated, whatever the case's misalignment
        return compare_on_host(d, b, at + (d->pristine[b] ? 0 : bench_data_offset(d, b)), same, error);
    kz_status status = bench_probe_digest(d->probes, at, d->stride[b], &digest, error);
    *same = digest == d->digest[b];
    return status;
}

kz_status bench_data_find_written(const bench_data *d, size_t sets, char what[BENCH_WRITTEN],
                                  kz_error *error) {
    bool same = true;
    what[0] = 0;
    kz_status status = kz_device_synchronize(d->device, error);
    for (size_t b = 0; b < d->buffer_count; b++)
        for (size_t i = 0; i < kept_copies(d, b) && i < sets && !what[0] && !status; i++) {
            status = is_same(d, b, i, &same, error);
            if (!status && !same)
                snprintf(what, BENCH_WRITTEN,
                         d->pristine[b] ? "the copy that \"%s\" is restored from" : "its input \"%s\"",
                         d->buffers[b].name);
        }
    return status;
}

kz_status bench_data_renew(const bench_data *data, kz_error *error) {
    return upload(data, data->sets, error);
}

// ---- open and close ---------------------------------------------------------------------------------

kz_status bench_data_open(kz_device *device, bench_probes *probes, const kz_family *family, const kz_case *c,
                          uint64_t seed, size_t sets, bench_data *data, kz_error *error) {
    *data = (bench_data){.device = device,
                         .probes = probes,
                         .family = family,
                         .c = *c,
                         .seed = seed,
                         .sets = sets,
                         .unchecked = data->unchecked};
    data->buffer_count = family->buffers(c, data->buffers);
    kz_status status = allocate_device(data, error); // first: it is what most likely does not fit
    if (status == KZ_OK) status = allocate_host(data, error);
    if (status == KZ_OK) {
        make_inputs(data);
        status = make_references(data, error);
    }
    if (status == KZ_OK) status = upload(data, sets, error);
    if (status == KZ_OK) status = take_digests(data, error);
    if (status != KZ_OK) bench_data_close(data);
    return status;
}

void bench_data_close(bench_data *data) {
    for (size_t b = 0; b < data->buffer_count; b++) {
        kz_memory_free(data->device, data->base[b], NULL);
        kz_memory_free(data->device, data->pristine[b], NULL);
        free(data->host[b]);
        free(data->expected[b]);
        free(data->bound[b]);
    }
    free(data->got);
    *data = (bench_data){0};
}

kz_status bench_data_poison(const bench_data *data, kz_stream *stream, size_t set, kz_error *error) {
    kz_status status = bench_data_restore(data, stream, set, 1, error);
    for (size_t b = 0; b < data->buffer_count && status == KZ_OK; b++) {
        const kz_buffer *buffer = &data->buffers[b];
        size_t bytes = bench_data_bytes(data, b);
        if (buffer->role != KZ_OUTPUT || bytes == 0) continue;
        if (bytes > SMALL_OUTPUT) {
            status =
                kz_memory_fill(data->device, stream, bench_data_address(data, b, set), 0xff, bytes, error);
            continue;
        }
        family_poison(buffer->type, buffer->count, data->got);
        status = kz_copy_to_device(data->device, stream, bench_data_address(data, b, set), data->got, bytes,
                                   error);
        if (status == KZ_OK)
            status = kz_stream_synchronize(data->device, stream, error); // `got` is used again
    }
    return status;
}

// ---- comparing --------------------------------------------------------------------------------

typedef struct compare_job {
    family_output output;
    family_comparison parts[BENCH_PARTS];
} compare_job;

static void compare_part(void *context, unsigned part, uint64_t first, uint64_t count) {
    compare_job *job = context;
    family_output slice = job->output;
    slice.count = count;
    slice.got = (const char *)slice.got + first * kz_type_size(slice.type);
    slice.expected += first;
    slice.bound += first;
    family_compare(&slice, &job->parts[part]);
}

static void compare(const bench_data *d, size_t b, family_comparison *comparison) {
    compare_job job = {.output = {.type = d->buffers[b].type,
                                  .count = d->buffers[b].count,
                                  .got = d->got,
                                  .expected = d->expected[b],
                                  .bound = d->bound[b],
                                  .read = d->family->read ? d->family->read(&d->c, b) : NULL,
                                  .is_zeroed = true}};
    unsigned parts = bench_parallel(job.output.count, bench_host_cores(), compare_part, &job);
    *comparison = job.parts[0];
    comparison->count = job.output.count;
    bool wrong = false;
    for (unsigned i = 0; i < parts; i++) {
        wrong = wrong || job.parts[i].wrong > 0;
        if (job.parts[i].worst_ratio > comparison->worst_ratio)
            comparison->worst_ratio = job.parts[i].worst_ratio;
        if (job.parts[i].worst_error > comparison->worst_error)
            comparison->worst_error = job.parts[i].worst_error;
    }
    // Only the whole has a pattern that can be put into words.
    if (wrong) family_compare(&job.output, comparison);
}

kz_status bench_data_check(const bench_data *data, kz_stream *stream, size_t set,
                           family_comparison *comparison, kz_error *error) {
    *comparison = (family_comparison){0};
    for (size_t b = 0; b < data->buffer_count; b++) {
        if (!data->expected[b]) continue;
        size_t bytes = bench_data_bytes(data, b);
        kz_status status = KZ_OK;
        if (bytes)
            status = kz_copy_to_host(data->device, stream, data->got, bench_data_address(data, b, set), bytes,
                                     error);
        if (status == KZ_OK) status = kz_stream_synchronize(data->device, stream, error);
        if (status != KZ_OK) return status;
        family_comparison one;
        compare(data, b, &one);
        if (comparison->count == 0 || one.wrong || one.worst_ratio > comparison->worst_ratio)
            *comparison = one;
        if (one.wrong) break;
    }
    return KZ_OK;
}

kz_status bench_data_reseed(bench_data *data, uint64_t seed, kz_error *error) {
    data->seed = seed;
    make_inputs(data);
    kz_status status = make_references(data, error);
    if (status == KZ_OK) status = upload(data, 1, error);
    return status ? status : take_digests(data, error);
}
