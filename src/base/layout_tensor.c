// Layouts: swizzles, and tensors with their tiles and parts. See layout.h.
#include "base/layout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/layout_inside.h"

// ---- swizzles ----------------------------------------------------------------------------------------------

int64_t base_swizzle_apply(base_swizzle s, int64_t index) {
    int64_t mask = (INT64_C(1) << s.bits) - 1;
    int low = s.shift < 0 ? -s.shift : 0, high = s.shift > 0 ? s.shift : 0;
    int64_t from = index >> (s.base + high) & mask;
    return index ^ from << (s.base + low);
}

static kz_status read_swizzle(layout_reader *r, base_swizzle *swizzle, kz_error *error) {
    int64_t value[3];
    for (unsigned i = 0; i < 3; i++) {
        kz_status status = base_layout_number(r, &value[i], error);
        if (status) return status;
        if (i < 2 && !base_layout_word(r, ","))
            return base_layout_wrong(r, "a swizzle is three numbers: bits, base, shift", error);
    }
    int64_t distance = value[2] < 0 ? -value[2] : value[2];
    if (value[0] < 0 || value[1] < 0 || distance < value[0])
        return base_layout_wrong(r, "bits and base are 0 or more, and the shift no less than the bits",
                                 error);
    if (value[0] + value[1] + distance > 40)
        return base_layout_wrong(r, "the swizzle looks at bits above the 40th", error);
    *swizzle =
        (base_swizzle){.bits = (uint8_t)value[0], .base = (uint8_t)value[1], .shift = (int8_t)value[2]};
    return KZ_OK;
}

kz_status base_swizzle_parse(const char *text, base_swizzle *swizzle, kz_error *error) {
    layout_reader r = {text, text};
    bool open = base_layout_word(&r, "Sw<");
    kz_status status = read_swizzle(&r, swizzle, error);
    if (!status && open && !base_layout_word(&r, ">"))
        status = base_layout_wrong(&r, "here a '>' is missing", error);
    return status ? status : base_layout_end(&r, error);
}

kz_status base_composed_parse(const char *text, base_composed *composed, kz_error *error) {
    layout_reader r = {text, text};
    base_composed read = {0};
    bool has_strides;
    kz_status status = KZ_OK;
    if (base_layout_word(&r, "Sw<")) {
        status = read_swizzle(&r, &read.swizzle, error);
        if (status) return status;
        if (!base_layout_word(&r, ">") || !base_layout_word(&r, "o"))
            return base_layout_wrong(&r, "here '> o ' is missing, and what is swizzled", error);
        base_layout_word(&r, " ");
        if (*r.at == 's') // CuTe's smem_ptr[16b](unset)
            return base_layout_wrong(&r, "a swizzle of pointers is not known: give it of elements", error);
        layout_reader before = r;
        int64_t offset;
        if (base_layout_number(&r, &offset, NULL) == KZ_OK && base_layout_word(&r, "o"))
            read.offset = offset;
        else
            r = before;
    }
    status = base_layout_read(&r, &read.layout, &has_strides, error);
    if (!status) status = base_layout_end(&r, error);
    if (!status) *composed = read;
    return status;
}

void base_composed_print(const base_composed *c, base_text *text) {
    if (c->swizzle.bits || c->offset)
        base_text_add(text, "Sw<%d,%d,%d> o %" PRId64 " o ", c->swizzle.bits, c->swizzle.base,
                      c->swizzle.shift, c->offset);
    base_layout_print(&c->layout, text);
}

int64_t base_composed_at(const base_composed *c, int64_t index) {
    return base_swizzle_apply(c->swizzle, c->offset + base_layout_at(&c->layout, index));
}

int64_t base_composed_cosize(const base_composed *c) {
    int64_t size = base_layout_size(&c->layout), most = 0;
    if (!c->swizzle.bits) return c->offset + base_layout_cosize(&c->layout);
    for (int64_t i = 0; i < size; i++) {
        int64_t at = base_composed_at(c, i);
        if (at > most) most = at;
    }
    return most + 1;
}

// A mode that is contiguous loses elements; strides of others are counted in larger ones.
static bool upcast_mode(int64_t *shape, int64_t *stride, int64_t count) {
    int64_t step = *stride < 0 ? -*stride : *stride;
    if (step == 0) return true;
    if (step % count == 0) {
        *stride /= count;
        return true;
    }
    if (count % step != 0 || *shape % (count / step) != 0) return false;
    *shape /= count / step;
    *stride = *stride < 0 ? -1 : 1;
    return true;
}

kz_status base_composed_upcast(const base_composed *c, unsigned count, base_composed *result,
                               kz_error *error) {
    base_composed out = *c;
    unsigned bits = 0;
    while (1u << bits < count) bits++;
    bool fits =
        count == 1u << bits && c->offset % count == 0 && (!c->swizzle.bits || c->swizzle.base >= bits);
    if (fits && c->swizzle.bits) out.swizzle.base = (uint8_t)(c->swizzle.base - bits);
    out.offset /= count ? count : 1;
    for (unsigned i = 0; fits && i < c->layout.count; i++)
        if (c->layout.span[i] == 1) fits = upcast_mode(&out.layout.shape[i], &out.layout.stride[i], count);
    if (fits) {
        *result = out;
        return KZ_OK;
    }
    base_text text = {0};
    base_composed_print(c, &text);
    base_fail(error, KZ_INVALID, "%s cannot be counted in elements %u times as large",
              base_layout_text(&text), count);
    base_fail_note(error,
                   "they are a power of 2, and its strides, its contiguous mode and its swizzle must divide");
    base_text_free(&text);
    return KZ_INVALID;
}

// ---- tensors -------------------------------------------------------------------------------------------------

void *base_tensor_at(const base_tensor *t, int64_t index) {
    return (char *)t->data + base_composed_at(&t->layout, index) * (int64_t)t->bytes;
}

// Of a layout with two modes: what the coordinate `at` of mode `fixed` leaves of the other.
static void slice(const base_tensor *t, const base_layout *divided, unsigned kept, int64_t offset,
                  base_tensor *out) {
    base_layout left = base_layout_mode(divided, kept);
    *out = *t;
    out->layout.offset += offset;
    out->layout.layout = left;
}

kz_status base_tensor_tile(const base_tensor *t, const base_tiler *tiler, const base_tuple *coordinate,
                           base_tensor *tile, kz_error *error) {
    base_layout divided;
    kz_status status = base_layout_divide(&t->layout.layout, tiler, BASE_ZIPPED, &divided, error);
    if (status) return status;
    base_layout rest = base_layout_mode(&divided, 1);
    int64_t offset;
    status = base_layout_at_coordinate(&rest, coordinate, &offset, error);
    if (!status) slice(t, &divided, 0, offset, tile);
    return status;
}

// The flat index in each mode of `threads` of the place that has this thread; of several, the first.
static int64_t place_in(const base_layout *mode, int64_t thread) {
    int64_t index = 0, size = 1;
    for (unsigned i = 0; i < mode->count; i++) {
        if (mode->span[i] > 1) continue;
        if (mode->stride[i]) index += thread / mode->stride[i] % mode->shape[i] * size;
        size *= mode->shape[i];
    }
    return index;
}

kz_status base_tensor_partition(const base_tensor *t, const base_layout *threads, int64_t thread,
                                base_tensor *part, kz_error *error) {
    base_tiler tiler = {.by_mode = true, .count = (uint8_t)base_layout_rank(threads)};
    if (tiler.count > BASE_TILER_MODES)
        return base_fail(error, KZ_INVALID, "threads in %u modes; there can be %d", tiler.count,
                         BASE_TILER_MODES);
    if (thread < 0 || thread >= base_layout_cosize(threads))
        return base_fail(error, KZ_INVALID, "thread %" PRId64 " is none of %" PRId64, thread,
                         base_layout_cosize(threads));
    for (unsigned i = 0; i < tiler.count; i++) {
        base_layout mode = base_layout_mode(threads, i);
        tiler.modes[i] = base_layout_of(base_layout_size(&mode), 1);
    }
    base_layout divided;
    kz_status status = base_layout_divide(&t->layout.layout, &tiler, BASE_ZIPPED, &divided, error);
    if (status) return status;
    base_layout tile = base_layout_mode(&divided, 0);
    int64_t offset = 0;
    for (unsigned i = 0; i < tiler.count; i++) {
        base_layout mode = base_layout_mode(&tile, i), of = base_layout_mode(threads, i);
        offset += base_layout_at(&mode, place_in(&of, thread));
    }
    slice(t, &divided, 1, offset, part);
    return KZ_OK;
}

kz_status base_tensor_thread(const base_tensor *t, const base_layout *thread_value, int64_t thread,
                             base_tensor *part, kz_error *error) {
    base_layout all;
    if (base_layout_rank(thread_value) != 2)
        return base_fail(error, KZ_INVALID, "a thread-value layout has two modes: threads and values");
    kz_status status = base_layout_compose(&t->layout.layout, thread_value, &all, error);
    if (status) return status;
    base_layout threads = base_layout_mode(&all, 0);
    if (thread < 0 || thread >= base_layout_size(&threads))
        return base_fail(error, KZ_INVALID, "thread %" PRId64 " is none of %" PRId64, thread,
                         base_layout_size(&threads));
    slice(t, &all, 1, base_layout_at(&threads, thread), part);
    return KZ_OK;
}
