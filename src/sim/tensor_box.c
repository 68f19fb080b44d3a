// The elements of a tensor copy's box, row by row.
//
// Tiled: the box is packed with dimension 0 fastest, every element that the traversal strides take. im2col: pixels,
// each a row of channels, or its part in one slice of an interleaved tensor. The walk goes over pixels of a bounding box in W, H
// and D, then on to the next image; the filter's offsets are added to where it stands. A row that is narrower than the swizzle
// leaves the rest of its width untouched.

#include "sim/tensor.h"

#include <string.h>

typedef struct walker {
    const tensor_copy *copy;
    tensor_visit *visit;
    void *context;
    uint32_t to; // where the row lies
    uint32_t pitch;
    uint32_t element;
    tensor_row run; // a row, cut to the tensor in dimension 0
} walker;

uint32_t sim_tensor_extent(const tensor_copy *copy) {
    uint64_t bytes = sim_tensor_rows(&copy->map) * sim_tensor_pitch(&copy->map);
    return bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX; // more than any memory has
}

static bool is_inside(const sim_tensor_map *m, uint32_t i, int64_t at) {
    return at >= 0 && (uint64_t)at < m->dim[i];
}

// Where dimension 0 ends for the copy. Boxes begin at multiples of 16 bytes, so that this cuts no piece of them.
static int64_t width_of(const tensor_copy *copy) {
    int64_t element = sim_tensor_unit(&copy->map), piece = 16 / element;
    int64_t width = (int64_t)copy->map.dim[0];
    return copy->is_store && piece > 1 ? (width + piece - 1) / piece * piece : width;
}

// A run of `count` elements along dimension 0 from `at` on, cut to the tensor; `address` is that of its begin.
static tensor_row cut_run(const walker *w, int64_t at, uint32_t count) {
    int64_t begin = at < 0 ? 0 : at, end = at + count, width = width_of(w->copy);
    if (end > width) end = width;
    if (end <= begin) begin = end = at;
    return (tensor_row){.bytes = count * w->element,
                        .first = (uint32_t)(begin - at) * w->element,
                        .count = (uint32_t)(end - begin) * w->element,
                        .address = (uint64_t)begin * w->element};
}

// `address` is that of element 0 of dimension 0.
static void emit_run(walker *w, const tensor_row *run, uint32_t to, uint64_t address, bool is_in) {
    tensor_row row = *run;
    row.to = to;
    row.address += address;
    if (!is_in) row.first = row.count = 0;
    w->visit(w->context, &row);
}

// What lies at the coordinates of all dimensions but 0. Only interleaved tensors have strides in dimension 0.
static void emit_row(walker *w, uint64_t address, bool is_in) {
    const sim_tensor_map *m = &w->copy->map;
    uint32_t step = m->im2col ? 1 : sim_tensor_step(m, 0);
    if (step == 1) emit_run(w, &w->run, w->to, address, is_in);
    for (uint32_t i = 0; step > 1 && i < sim_tensor_count(m, 0); i++) {
        tensor_row one = cut_run(w, w->copy->at[0] + (int64_t)i * step, 1);
        emit_run(w, &one, w->to + i * w->element, address, is_in);
    }
    w->to += w->pitch;
}

// Rows along dimension 1 are the innermost loop; the others count like a number's digits.
static void walk_tile(walker *w) {
    const sim_tensor_map *m = &w->copy->map;
    uint32_t index[SIM_TENSOR_RANK] = {0}, i, rows = m->rank > 1 ? sim_tensor_count(m, 1) : 1;
    uint64_t down = m->rank > 1 ? m->stride[0] * m->step[1] : 0;
    do {
        uint64_t address = m->address;
        bool is_in = true;
        for (i = 1; i < m->rank; i++) {
            int64_t at = w->copy->at[i] + (int64_t)index[i] * m->step[i];
            address += (uint64_t)at * m->stride[i - 1];
            if (i > 1) is_in = is_in && is_inside(m, i, at);
        }
        for (uint32_t row = 0; row < rows; row++, address += down)
            emit_row(w, address,
                     is_in && (m->rank == 1 || is_inside(m, 1, w->copy->at[1] + (int64_t)row * m->step[1])));
        for (i = 2; i < m->rank && ++index[i] == sim_tensor_count(m, i); i++) index[i] = 0;
    } while (i < m->rank);
}

// The walk's next pixel: in W, then H, then D, then of the next image.
static void step_pixel(const sim_tensor_map *m, int64_t *pixel) {
    uint32_t last = m->rank - 1;
    for (uint32_t i = 0; i + 2 < m->rank; i++) {
        uint32_t along = sim_tensor_space(m) + i;
        pixel[along] += m->step[along];
        if (pixel[along] < (int64_t)m->dim[along] + m->upper[i]) return;
        pixel[along] = m->lower[i];
    }
    pixel[last] += m->step[last];
}

static void walk_pixels(walker *w) {
    const sim_tensor_map *m = &w->copy->map;
    uint32_t space = sim_tensor_space(m);
    int64_t pixel[SIM_TENSOR_RANK], at[SIM_TENSOR_RANK];
    memcpy(pixel, w->copy->at, sizeof pixel);
    for (uint32_t p = 0; p < m->pixels; p++, step_pixel(m, pixel)) {
        uint64_t address = m->address;
        bool is_in = true;
        memcpy(at, pixel, sizeof at);
        for (uint32_t i = 0; i + 2 < m->rank; i++) at[space + i] += w->copy->offset[i];
        for (uint32_t i = 1; i < m->rank; i++) {
            address += (uint64_t)at[i] * m->stride[i - 1];
            is_in = is_in && is_inside(m, i, at[i]);
        }
        if (m->interleave) w->run = cut_run(w, at[0], 1);
        emit_row(w, address, is_in);
    }
}

// The first and the last of the coordinates taken along dimension i that lie inside; false where none does.
static bool clip(const tensor_copy *copy, uint32_t i, int64_t *low, int64_t *high) {
    const sim_tensor_map *m = &copy->map;
    int64_t step = sim_tensor_step(m, i), count = sim_tensor_count(m, i);
    int64_t skip = copy->at[i] < 0 ? (-copy->at[i] + step - 1) / step : 0;
    int64_t room = (i ? (int64_t)m->dim[i] : width_of(copy)) - 1 - copy->at[i];
    int64_t last = room < 0 ? -1 : room / step;
    if (last > count - 1) last = count - 1;
    *low = copy->at[i] + skip * step;
    *high = copy->at[i] + last * step;
    return last >= skip;
}

bool sim_tensor_range(const tensor_copy *copy, uint64_t *low, uint64_t *high) {
    const sim_tensor_map *m = &copy->map;
    uint32_t element = sim_tensor_unit(m);
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
                .pitch = sim_tensor_pitch(&copy->map),
                .element = sim_tensor_unit(&copy->map)};
    w.run = cut_run(&w, copy->at[0], copy->map.im2col ? copy->map.channels : sim_tensor_count(&copy->map, 0));
    if (copy->map.im2col)
        walk_pixels(&w);
    else
        walk_tile(&w);
}
