// bench/sets: the part of data.h that works on sets of buffers alone, and knows neither inputs nor references: all that
// taking samples needs.
#include "bench/data.h"

size_t bench_data_bytes(const bench_data *data, size_t buffer) {
    return data->buffers[buffer].count * kz_type_size(data->buffers[buffer].type);
}

size_t bench_data_offset(const bench_data *data, size_t buffer) {
    return data->c.misalign * kz_type_size(data->buffers[buffer].type);
}

kz_ptr bench_data_address(const bench_data *data, size_t buffer, size_t set) {
    return data->base[buffer] + set * data->stride[buffer] + bench_data_offset(data, buffer);
}

void bench_data_addresses(const bench_data *data, size_t set, kz_ptr addresses[KZ_FAMILY_BUFFERS]) {
    for (size_t b = 0; b < data->buffer_count; b++) addresses[b] = bench_data_address(data, b, set);
}

bool bench_data_has_inout(const bench_data *data) {
    for (size_t b = 0; b < data->buffer_count; b++)
        if (data->pristine[b]) return true;
    return false;
}

kz_status bench_data_restore(const bench_data *data, kz_stream *stream, size_t first, size_t count,
                             kz_error *error) {
    kz_status status = KZ_OK;
    for (size_t b = 0; b < data->buffer_count; b++)
        for (size_t s = first; data->pristine[b] && s < first + count && status == KZ_OK; s++)
            status = kz_copy_on_device(data->device, stream, bench_data_address(data, b, s),
                                       data->pristine[b], bench_data_bytes(data, b), error);
    return status;
}

// Whole strides, so that one fill does for all sets: what lies around an output is nobody's.
kz_status bench_data_blank(const bench_data *data, kz_stream *stream, size_t first, size_t count,
                           kz_error *error) {
    kz_status status = KZ_OK;
    for (size_t b = 0; b < data->buffer_count && status == KZ_OK; b++)
        if (data->buffers[b].role == KZ_OUTPUT && bench_data_bytes(data, b))
            status = kz_memory_fill(data->device, stream, data->base[b] + first * data->stride[b], 0xff,
                                    count * data->stride[b], error);
    return status;
}

// Whole strides: what lies around an input is its own padding.
kz_status bench_data_produce(const bench_data *data, bench_probes *probes, kz_stream *stream, size_t set,
                             kz_error *error) {
    kz_status status = KZ_OK;
    for (size_t b = 0; b < data->buffer_count && status == KZ_OK; b++)
        if (data->buffers[b].role == KZ_INPUT)
            status = bench_probe_rewrite(probes, stream, data->base[b] + set * data->stride[b],
                                         data->stride[b], error);
    return status;
}
