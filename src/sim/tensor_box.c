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
    return span ? (bytes + span - 1) / span * span : bytes;
}

static bool is_inside(const sim_tensor_map *m, uint32_t i, int64_t at) {
    return at >= 0 && (uint64_t)at < m->dim[i];
}

// A run of `count` elements along dimension 0 from `at` on; `address` is that of element 0 there.
static void emit_run(walker *w, int64_t at, uint32_t count, uint64_t address, bool is_in) {
    const sim_tensor_map *m = &w->copy->map;
    int64_t begin = at < 0 ? 0 : at, end = at + count;
    if (end > (int64_t)m->dim[0]) end = (int64_t)m->dim[0];
    if (!is_in || end <= begin) begin = end = at;
    tensor_row row = {.to = w->to,
                      .bytes = count * w->element,
                      .first = (uint32_t)(begin - at) * w->element,
                      .count = (uint32_t)(end - begin) * w->element,
                      .address = address + (uint64_t)begin * w->element};
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
        emit_run(w, here, run, base, is_in);
        done += run;
    }
}

static void emit_row(walker *w, const int64_t *at) {
    const sim_tensor_map *m = &w->copy->map;
    bool interleaved = m->interleave != SIM_INTERLEAVE_NONE, is_in = true;
    uint64_t address = m->address;
    for (uint32_t i = 1; i < m->rank; i++) {
        uint64_t stride = m->stride[i - 1];
        if (interleaved && i == 1) stride = m->interleave == SIM_INTERLEAVE_32 ? 32 : 16;
        is_in = is_in && is_inside(m, i, at[i]);
        address += (uint64_t)at[i] * stride;
    }
    uint32_t count = m->im2col ? m->channels : sim_tensor_count(m, 0);
    if (interleaved)
        emit_slices(w, count, address, is_in);
    else
        emit_run(w, w->copy->at[0], count, address, is_in);
}

static void walk_tile(walker *w) {
    const sim_tensor_map *m = &w->copy->map;
    uint32_t index[SIM_TENSOR_RANK] = {0}, i;
    do {
        int64_t at[SIM_TENSOR_RANK];
        for (i = 1; i < m->rank; i++) at[i] = w->copy->at[i] + (int64_t)index[i] * m->step[i];
        emit_row(w, at);
        for (i = 1; i < m->rank && ++index[i] == sim_tensor_count(m, i); i++) index[i] = 0;
    } while (i < m->rank);
}

static void walk_pixels(walker *w) {
    const sim_tensor_map *m = &w->copy->map;
    uint32_t last = m->rank - 1; // the batch
    int64_t pixel[SIM_TENSOR_RANK];
    memcpy(pixel, w->copy->at, sizeof pixel);
    for (uint32_t p = 0; p < m->pixels; p++) {
        int64_t at[SIM_TENSOR_RANK];
        uint32_t i;
        for (i = 1; i < last; i++) at[i] = pixel[i] + w->copy->offset[i - 1];
        at[last] = pixel[last];
        emit_row(w, at);
        for (i = 1; i < last; i++) {
            pixel[i] += m->step[i];
            if (pixel[i] < (int64_t)m->dim[i] + m->upper[i - 1]) break;
            pixel[i] = m->lower[i - 1];
        }
        if (i == last) pixel[last]++;
    }
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
