// The elements of a tensor copy's box, row by row.
//
// Tiled: the box is packed with dimension 0 fastest, every element that the traversal strides take. im2col: pixels,
// each a row of channels. The walk goes over pixels of a bounding box in W, H and D, then on to the next image; the
// filter's offsets are added to where it stands.

#include "sim/tensor.h"

#include <string.h>

typedef struct walker {
    const tensor_copy *copy;
    tensor_visit *visit;
    void *context;
    uint32_t to; // bytes of the box so far
    uint32_t element;
} walker;

uint32_t sim_tensor_extent(const tensor_copy *copy) {
    uint32_t bytes = sim_tensor_box_bytes(&copy->map), span = sim_swizzle_bytes(copy->map.swizzle);
    if (!span || bytes > UINT32_MAX - span) return bytes; // more than any memory has
    return (bytes + span - 1) / span * span;
}

static bool is_inside(const sim_tensor_map *m, uint32_t i, int64_t at) {
    return at >= 0 && (uint64_t)at < m->dim[i];
}

// A run of `count` elements along dimension 0 from `at` on, cut to the tensor; `address` is that of its begin.
static tensor_row cut_run(const walker *w, int64_t at, uint32_t count) {
    const sim_tensor_map *m = &w->copy->map;
    int64_t begin = at < 0 ? 0 : at, end = at + count;
    if (end > (int64_t)m->dim[0]) end = (int64_t)m->dim[0];
    if (end <= begin) begin = end = at;
    return (tensor_row){.bytes = count * w->element,
                        .first = (uint32_t)(begin - at) * w->element,
                        .count = (uint32_t)(end - begin) * w->element,
                        .address = (uint64_t)begin * w->element};
}

// `address` is that of element 0 of dimension 0.
static void emit_run(walker *w, const tensor_row *run, uint64_t address, bool is_in) {
    tensor_row row = *run;
    row.to = w->to;
    row.address += address;
    if (!is_in) row.first = row.count = 0;
    w->visit(w->context, &row);
    w->to += row.bytes;
}

// Interleaved: channels lie in slices of 16 or 32 bytes, and strides[0] leads from slice to slice; within a slice the
// elements of dimension 1 follow each other.
static void emit_slices(walker *w, uint32_t count, uint64_t address, bool is_in) {
    const sim_tensor_map *m = &w->copy->map;
    uint32_t slice = m->interleave == SIM_INTERLEAVE_32 ? 32 : 16, each = slice / w->element;
    int64_t at = w->copy->at[0];
    for (uint32_t done = 0; done < count;) {
        int64_t here = at + (int64_t)done * m->step[0], in_slice = here % each;
        if (in_slice < 0) in_slice += each;
        int64_t index = (here - in_slice) / each;
        uint32_t run = m->step[0] > 1 ? 1 : (uint32_t)(each - in_slice);
        if (run > count - done) run = count - done;
        // emit_run counts from element 0, so the slice's address is moved back by what comes before it.
        uint64_t base = address + (uint64_t)index * m->stride[0] - (uint64_t)(index * each) * w->element;
        tensor_row part = cut_run(w, here, run);
        emit_run(w, &part, base, is_in);
        done += run;
    }
}

// What lies at the coordinates of all dimensions but 0; `run` is the part of dimension 0, cut.
static void emit_row(walker *w, const tensor_row *run, uint64_t address, bool is_in) {
    const sim_tensor_map *m = &w->copy->map;
    if (m->interleave == SIM_INTERLEAVE_NONE)
        emit_run(w, run, address, is_in);
    else
        emit_slices(w, m->im2col ? m->channels : sim_tensor_count(m, 0), address, is_in);
}

static uint64_t stride_of(const sim_tensor_map *m, uint32_t i) {
    if (i > 1 || m->interleave == SIM_INTERLEAVE_NONE) return m->stride[i - 1];
    return m->interleave == SIM_INTERLEAVE_32 ? 32 : 16;
}

// Rows along dimension 1 are the innermost loop; the others count like a number's digits.
static void walk_tile(walker *w) {
    const sim_tensor_map *m = &w->copy->map;
    tensor_row run = cut_run(w, w->copy->at[0], sim_tensor_count(m, 0));
    uint32_t index[SIM_TENSOR_RANK] = {0}, i, rows = m->rank > 1 ? sim_tensor_count(m, 1) : 1;
    uint64_t down = m->rank > 1 ? stride_of(m, 1) * m->step[1] : 0;
    do {
        uint64_t address = m->address;
        bool is_in = true;
        for (i = 1; i < m->rank; i++) {
            int64_t at = w->copy->at[i] + (int64_t)index[i] * m->step[i];
            address += (uint64_t)at * stride_of(m, i);
            if (i > 1) is_in = is_in && is_inside(m, i, at);
        }
        for (uint32_t row = 0; row < rows; row++, address += down)
            emit_row(w, &run, address,
                     is_in && (m->rank == 1 || is_inside(m, 1, w->copy->at[1] + (int64_t)row * m->step[1])));
        for (i = 2; i < m->rank && ++index[i] == sim_tensor_count(m, i); i++) index[i] = 0;
    } while (i < m->rank);
}

static void walk_pixels(walker *w) {
    const sim_tensor_map *m = &w->copy->map;
    tensor_row run = cut_run(w, w->copy->at[0], m->channels);
    uint32_t last = m->rank - 1; // the batch
    int64_t pixel[SIM_TENSOR_RANK];
    memcpy(pixel, w->copy->at, sizeof pixel);
    for (uint32_t p = 0; p < m->pixels; p++) {
        uint64_t address = m->address + (uint64_t)pixel[last] * stride_of(m, last);
        bool is_in = is_inside(m, last, pixel[last]);
        uint32_t i;
        for (i = 1; i < last; i++) {
            int64_t at = pixel[i] + w->copy->offset[i - 1];
            address += (uint64_t)at * stride_of(m, i);
            is_in = is_in && is_inside(m, i, at);
        }
        emit_row(w, &run, address, is_in);
        for (i = 1; i < last; i++) {
            pixel[i] += m->step[i];
            if (pixel[i] < (int64_t)m->dim[i] + m->upper[i - 1]) break;
            pixel[i] = m->lower[i - 1];
        }
        if (i == last) pixel[last]++;
    }
}

// The first and the last of the coordinates taken along dimension i that lie inside; false where none does.
static bool clip(const tensor_copy *copy, uint32_t i, int64_t *low, int64_t *high) {
    const sim_tensor_map *m = &copy->map;
    int64_t step = i ? m->step[i] : 1, count = sim_tensor_count(m, i);
    int64_t skip = copy->at[i] < 0 ? (-copy->at[i] + step - 1) / step : 0;
    int64_t room = (int64_t)m->dim[i] - 1 - copy->at[i];
    int64_t last = room < 0 ? -1 : room / step;
    if (last > count - 1) last = count - 1;
    *low = copy->at[i] + skip * step;
    *high = copy->at[i] + last * step;
    return last >= skip;
}

bool sim_tensor_range(const tensor_copy *copy, uint64_t *low, uint64_t *high) {
    const sim_tensor_map *m = &copy->map;
    uint32_t element = sim_tensor_type_bytes((sim_tensor_type)m->type);
    *low = *high = m->address;
    for (uint32_t i = 0; i < m->rank; i++) {
        int64_t first, last;
        if (!clip(copy, i, &first, &last)) return false;
        *low += (uint64_t)first * (i ? m->stride[i - 1] : element);
        *high += (uint64_t)last * (i ? m->stride[i - 1] : element);
    }
    *high += element;
    return true;
}

void sim_tensor_walk(const tensor_copy *copy, tensor_visit *visit, void *context) {
    walker w = {.copy = copy,
                .visit = visit,
                .context = context,
                .element = sim_tensor_type_bytes((sim_tensor_type)copy->map.type)};
    if (copy->map.im2col)
        walk_pixels(&w);
    else
        walk_tile(&w);
}
