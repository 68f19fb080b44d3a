// Layouts: the algebra. See layout.h; the results have the modes that CuTe's have.
#include "base/layout.h"

#include <inttypes.h>
#include <string.h>

#include "base/layout_inside.h"

static int64_t ceiling(int64_t a, int64_t b) { return (a + b - 1) / b; }

static kz_status two_words(kz_error *error, const char *format, const base_layout *a, const base_layout *b) {
    base_text first = {0}, second = {0};
    base_layout_print(a, &first);
    base_layout_print(b, &second);
    base_fail(error, KZ_INVALID, format, base_layout_text(&first), base_layout_text(&second));
    base_text_free(&first);
    base_text_free(&second);
    return KZ_INVALID;
}

static bool has_negative(const base_layout *l) {
    for (unsigned i = 0; i < l->count; i++)
        if (l->span[i] == 1 && l->stride[i] < 0) return true;
    return false;
}

static kz_status refuse_negative(const base_layout *l, const char *what, kz_error *error) {
    if (!has_negative(l)) return KZ_OK;
    base_text text = {0};
    base_layout_print(l, &text);
    base_fail(error, KZ_INVALID, "%s %s has a negative stride", what, base_layout_text(&text));
    base_fail_note(error, "it would count outside of a domain; count the other way, and add an offset");
    base_text_free(&text);
    return KZ_INVALID;
}

// ---- flat lists of modes ----------------------------------------------------------------------------------------

typedef struct flat {
    unsigned count;
    int64_t shape[BASE_LAYOUT_NODES], stride[BASE_LAYOUT_NODES];
} flat;

// Modes that are contiguous to each other are one; those of 1 go. `extends`: keeps what the layout is past its end too, where a last
// mode of 1 has the stride that counts; 2 stands for "more than one" then.
static flat merge(const base_layout *l, bool extends) {
    flat f = {0};
    for (unsigned i = 0; i < l->count; i++) {
        if (l->span[i] > 1) continue;
        int64_t shape = l->shape[i], stride = l->stride[i];
        if (extends && i + 1 == l->count && shape == 1) shape = 2;
        if (shape == 1) continue;
        unsigned last = f.count - 1;
        if (f.count && base_layout_times(f.shape[last], f.stride[last]) == stride) {
            f.shape[last] = base_layout_times(f.shape[last], shape);
            continue;
        }
        f.shape[f.count] = shape;
        f.stride[f.count++] = stride;
    }
    if (!f.count) f.shape[f.count++] = 1;
    return f;
}

static base_layout of_flat(const flat *f) {
    layout_builder b = {0};
    unsigned at = f->count > 1 ? base_layout_open(&b) : 0;
    for (unsigned i = 0; i < f->count; i++) base_layout_leaf(&b, f->shape[i], f->stride[i]);
    if (f->count > 1) base_layout_close(&b, at);
    return b.layout;
}

base_layout base_layout_flatten(const base_layout *l) {
    layout_builder b = {0};
    if (l->span[0] == 1) return *l;
    unsigned at = base_layout_open(&b);
    for (unsigned i = 0; i < l->count; i++)
        if (l->span[i] == 1) base_layout_leaf(&b, l->shape[i], l->stride[i]);
    base_layout_close(&b, at);
    return b.layout;
}

base_layout base_layout_coalesce(const base_layout *l) {
    flat f = merge(l, false);
    return of_flat(&f);
}

static void sort_by_stride(flat *f, unsigned *order) {
    for (unsigned i = 0; i < f->count; i++) {
        unsigned at = i;
        for (; at > 0 && f->stride[order[at - 1]] > f->stride[i]; at--) order[at] = order[at - 1];
        order[at] = i;
    }
}

kz_status base_layout_pair(const base_layout *a, const base_layout *b, base_layout *result, kz_error *error) {
    layout_builder out = {0};
    unsigned at = base_layout_open(&out);
    base_layout_copy(&out, a, 0);
    base_layout_copy(&out, b, 0);
    base_layout_close(&out, at);
    return base_layout_finish(&out, result, error);
}

// ---- composition ----------------------------------------------------------------------------------------------------

typedef struct run { // shape:stride, counted through the modes of the left
    int64_t shape, stride;
} run;

typedef struct left_side {
    flat modes;
    int64_t last
        [BASE_LAYOUT_NODES]; // of each mode, the sum of the last coordinates that modes of the right have in it
} left_side;

// Takes from the left what one mode of the right has of its mode `i`. False where no layout is that function: the run leaves the
// mode between two of its steps, or steps over it unevenly; or modes of the right add up to more than the mode has.
static bool take_mode(left_side *side, unsigned i, run *rest, flat *out) {
    const flat *left = &side->modes;
    int64_t mode = left->shape[i];
    if (rest->stride >= mode && rest->stride % mode != 0 && rest->shape > 1) return false;
    int64_t steps = ceiling(mode, rest->stride), taken = steps < rest->shape ? steps : rest->shape;
    if (taken > 1) {
        if (rest->shape % taken != 0) return false;
        if (rest->shape > taken && mode % rest->stride != 0) return false;
        side->last[i] += (taken - 1) * rest->stride;
        if (side->last[i] >= mode) return false;
        out->shape[out->count] = taken;
        out->stride[out->count++] = base_layout_times(rest->stride, left->stride[i]);
        rest->shape /= taken;
    }
    rest->stride = ceiling(rest->stride, mode);
    return true;
}

static bool compose_mode(left_side *side, run rest, layout_builder *b) {
    const flat *left = &side->modes;
    flat out = {0};
    if (rest.stride == 0) {
        base_layout_leaf(b, rest.shape, 0);
        return true;
    }
    for (unsigned i = 0; i + 1 < left->count; i++)
        if (!take_mode(side, i, &rest, &out)) return false;
    if (!out.count || rest.shape != 1) { // the last mode has no end
        out.shape[out.count] = rest.shape;
        out.stride[out.count++] = base_layout_times(rest.stride, left->stride[left->count - 1]);
    }
    unsigned at = out.count > 1 ? base_layout_open(b) : 0;
    for (unsigned i = 0; i < out.count; i++) base_layout_leaf(b, out.shape[i], out.stride[i]);
    if (out.count > 1) base_layout_close(b, at);
    return true;
}

static bool compose_node(left_side *left, const base_layout *right, unsigned node, layout_builder *b) {
    if (right->span[node] == 1) return compose_mode(left, (run){right->shape[node], right->stride[node]}, b);
    unsigned at = base_layout_open(b);
    for (unsigned i = node + 1; i < node + right->span[node]; i += right->span[i])
        if (!compose_node(left, right, i, b)) return false;
    base_layout_close(b, at);
    return true;
}

kz_status base_layout_compose(const base_layout *a, const base_layout *b, base_layout *result,
                              kz_error *error) {
    layout_builder out = {0};
    left_side left = {.modes = merge(a, true)};
    kz_status status = refuse_negative(b, "the right side", error);
    if (status) return status;
    if (!compose_node(&left, b, 0, &out)) {
        two_words(error, "no layout is %s o %s: the right does not fit into the left's modes", a, b);
        base_fail_note(error, "a step of the right must divide the modes of the left that it crosses, or be "
                              "a multiple of them, and its modes must not add up to more than a mode has; "
                              "take a tile whose size divides");
        return KZ_INVALID;
    }
    return base_layout_finish(&out, result, error);
}

// ---- complement, inverses -------------------------------------------------------------------------------------------

// How many steps of `by` a shape has, mode by mode: each mode that is begun counts whole.
static int64_t steps_in(const flat *shape, int64_t by) {
    int64_t steps = 1;
    for (unsigned i = 0; i < shape->count; i++) {
        steps = base_layout_times(steps, ceiling(shape->shape[i], by));
        by = ceiling(by, shape->shape[i]);
    }
    return steps;
}

static kz_status complement_in(const base_layout *l, const flat *target, base_layout *result,
                               kz_error *error) {
    kz_status status = refuse_negative(l, "what is to be completed,", error);
    if (status) return status;
    base_layout filtered = *l;
    for (unsigned i = 0; i < l->count; i++)
        if (l->span[i] == 1 && l->stride[i] == 0) filtered.shape[i] = 1;
    flat f = merge(&filtered, false);
    unsigned order[BASE_LAYOUT_NODES];
    layout_builder b = {0};
    unsigned at = base_layout_open(&b);
    int64_t reached = 1;
    sort_by_stride(&f, order);
    for (unsigned k = 0; k < f.count && f.shape[0] > 1; k++) {
        unsigned i = order[k];
        int64_t gap = f.stride[i] / reached;
        if (gap < 1) {
            base_text text = {0};
            base_layout_print(l, &text);
            base_fail(error, KZ_INVALID, "%s has an index twice: it has no complement",
                      base_layout_text(&text));
            base_fail_note(error,
                           "its mode of stride %" PRId64 " begins before index %" PRId64
                           ", where the modes of smaller strides end",
                           f.stride[i], reached);
            base_text_free(&text);
            return KZ_INVALID;
        }
        base_layout_leaf(&b, gap, reached);
        reached = base_layout_times(f.stride[i], f.shape[i]);
    }
    base_layout_leaf(&b, steps_in(target, reached), reached);
    base_layout_close(&b, at);
    base_layout whole;
    status = base_layout_finish(&b, &whole, error);
    if (!status) *result = base_layout_coalesce(&whole);
    return status;
}

kz_status base_layout_complement(const base_layout *l, int64_t size, base_layout *result, kz_error *error) {
    if (size < 1 || size > BASE_LAYOUT_MOST)
        return base_fail(error, KZ_INVALID, "a complement up to %" PRId64 "? A size is 1 to 2^48", size);
    flat target = {.count = 1, .shape = {size}};
    return complement_in(l, &target, result, error);
}

// Flat indices at which the modes of a flat layout begin.
static void starts_of(const flat *f, int64_t *start) {
    int64_t size = 1;
    for (unsigned i = 0; i < f->count; i++) {
        start[i] = size;
        size = base_layout_times(size, f->shape[i]);
    }
}

base_layout base_layout_right_inverse(const base_layout *l) {
    flat f = merge(l, false), out = {0};
    unsigned order[BASE_LAYOUT_NODES];
    int64_t start[BASE_LAYOUT_NODES], reached = 1;
    starts_of(&f, start);
    sort_by_stride(&f, order);
    for (unsigned k = 0; k < f.count; k++) {
        unsigned i = order[k];
        if (f.stride[i] != reached) continue;
        out.shape[out.count] = f.shape[i];
        out.stride[out.count++] = start[i];
        reached = base_layout_times(f.shape[i], f.stride[i]);
    }
    base_layout whole = out.count ? of_flat(&out) : base_layout_of(1, 0);
    return base_layout_coalesce(&whole);
}

kz_status base_layout_left_inverse(const base_layout *l, base_layout *result, kz_error *error) {
    kz_status status = refuse_negative(l, "what is to be inverted,", error);
    if (status) return status;
    flat f = merge(l, false), out = {0};
    unsigned order[BASE_LAYOUT_NODES];
    int64_t start[BASE_LAYOUT_NODES], reached = 1;
    starts_of(&f, start);
    sort_by_stride(&f, order);
    for (unsigned k = 0; k < f.count; k++) {
        unsigned i = order[k];
        if (f.stride[i] == 0) continue;
        if (f.stride[i] % reached != 0) {
            base_text text = {0};
            base_layout_print(l, &text);
            base_fail(error, KZ_INVALID, "no layout is a left inverse of %s", base_layout_text(&text));
            base_fail_note(error,
                           "its strides must divide each other: %" PRId64 " is no multiple of %" PRId64,
                           f.stride[i], reached);
            base_text_free(&text);
            return KZ_INVALID;
        }
        out.shape[out.count] = f.stride[i] / reached;
        out.stride[out.count + 1] = start[i];
        out.count++;
        reached = f.stride[i];
    }
    out.shape[out.count++] = f.shape[order[f.count - 1]];
    layout_builder b = {.layout = of_flat(&out)};
    base_layout whole;
    status = base_layout_finish(&b, &whole, error);
    if (!status) *result = base_layout_coalesce(&whole);
    return status;
}

// ---- quotients and products of one layout -----------------------------------------------------------------------------

static kz_status divide_whole(const base_layout *l, const base_layout *tile, base_layout *result,
                              kz_error *error) {
    base_layout rest, both;
    flat target = merge(l, false);
    kz_status status = complement_in(tile, &target, &rest, error);
    if (!status) status = base_layout_pair(tile, &rest, &both, error);
    return status ? status : base_layout_compose(l, &both, result, error);
}

static kz_status multiply_whole(const base_layout *block, const base_layout *tiler, base_layout *result,
                                kz_error *error) {
    base_layout rest, copies;
    int64_t size = base_layout_times(base_layout_size(block), base_layout_cosize(tiler));
    kz_status status = refuse_negative(tiler, "the tiler", error);
    if (!status) status = base_layout_complement(block, size, &rest, error);
    if (!status) status = base_layout_compose(&rest, tiler, &copies, error);
    return status ? status : base_layout_pair(block, &copies, result, error);
}

// ---- by mode, and grouped ------------------------------------------------------------------------------------------------

typedef kz_status whole_operation(const base_layout *a, const base_layout *tile, base_layout *result,
                                  kz_error *error);

static kz_status by_mode(const base_layout *l, const base_tiler *tiler, whole_operation *operation,
                         base_layout *result, kz_error *error) {
    layout_builder b = {0};
    unsigned rank = base_layout_rank(l), at = base_layout_open(&b);
    if (tiler->count > rank) {
        base_fail(error, KZ_INVALID, "the tiler has %u modes, and the layout %u", tiler->count, rank);
        base_fail_note(error, "give the tiler a mode for each of the layout's, or fewer: <4:1,8:1>");
        return KZ_INVALID;
    }
    for (unsigned i = 0; i < rank; i++) {
        base_layout mode = base_layout_mode(l, i), done = mode;
        kz_status status = i < tiler->count ? operation(&mode, &tiler->modes[i], &done, error) : KZ_OK;
        if (status) return status;
        base_layout_copy(&b, &done, 0);
    }
    base_layout_close(&b, at);
    return base_layout_finish(&b, result, error);
}

// Without the parentheses around them.
static void copy_modes(layout_builder *b, const base_layout *l) {
    if (l->span[0] == 1) base_layout_copy(b, l, 0);
    for (unsigned i = 1; i < l->count; i += l->span[i]) base_layout_copy(b, l, i);
}

static void copy_group(layout_builder *b, const base_layout *l, bool unpacked) {
    if (unpacked && base_layout_rank(l) > 1)
        copy_modes(b, l);
    else
        base_layout_copy(b, l, 0);
}

// ((T0,R0),(T1,R1),x) -> ((T0,T1),(R0,R1,x))
static kz_status zip(const base_layout *l, unsigned count, base_layout *result, kz_error *error) {
    layout_builder b = {0};
    unsigned rank = base_layout_rank(l), at = base_layout_open(&b);
    for (unsigned half = 0; half < 2; half++) {
        unsigned group = base_layout_open(&b);
        for (unsigned i = 0; i < rank; i++) {
            base_layout mode = base_layout_mode(l, i), part = mode;
            if (i < count) part = base_layout_mode(&mode, half);
            if (i < count || half == 1) base_layout_copy(&b, &part, 0);
        }
        base_layout_close(&b, group);
    }
    base_layout_close(&b, at);
    return base_layout_finish(&b, result, error);
}

static kz_status group(const base_layout *l, const base_tiler *tiler, base_grouping grouping,
                       base_layout *result, kz_error *error) {
    base_layout zipped = *l;
    kz_status status = KZ_OK;
    if (grouping != BASE_LOGICAL && tiler->by_mode) status = zip(l, tiler->count, &zipped, error);
    if (status || grouping == BASE_LOGICAL || grouping == BASE_ZIPPED) {
        if (!status) *result = zipped;
        return status;
    }
    layout_builder b = {0};
    unsigned at = base_layout_open(&b);
    base_layout tile = base_layout_mode(&zipped, 0), rest = base_layout_mode(&zipped, 1);
    copy_group(&b, &tile, grouping == BASE_FLAT);
    copy_group(&b, &rest, true);
    base_layout_close(&b, at);
    return base_layout_finish(&b, result, error);
}

static kz_status operate(const base_layout *l, const base_tiler *tiler, whole_operation *operation,
                         base_grouping grouping, base_layout *result, kz_error *error) {
    base_layout logical;
    kz_status status = tiler->by_mode ? by_mode(l, tiler, operation, &logical, error)
                                      : operation(l, &tiler->modes[0], &logical, error);
    return status ? status : group(&logical, tiler, grouping, result, error);
}

kz_status base_layout_divide(const base_layout *l, const base_tiler *tiler, base_grouping grouping,
                             base_layout *result, kz_error *error) {
    return operate(l, tiler, divide_whole, grouping, result, error);
}

kz_status base_layout_product(const base_layout *block, const base_tiler *tiler, base_grouping grouping,
                              base_layout *result, kz_error *error) {
    return operate(block, tiler, multiply_whole, grouping, result, error);
}

// ---- blocked and raked products --------------------------------------------------------------------------------------------

static kz_status pad(const base_layout *l, unsigned rank, base_layout *result, kz_error *error) {
    layout_builder b = {0};
    if (base_layout_rank(l) == rank) {
        *result = *l;
        return KZ_OK;
    }
    unsigned at = base_layout_open(&b);
    copy_modes(&b, l);
    for (unsigned i = base_layout_rank(l); i < rank; i++) base_layout_leaf(&b, 1, 0);
    base_layout_close(&b, at);
    return base_layout_finish(&b, result, error);
}

static kz_status interleave(const base_layout *block, const base_layout *tiler, bool raked,
                            base_layout *result, kz_error *error) {
    unsigned first = base_layout_rank(block), second = base_layout_rank(tiler),
             rank = first > second ? first : second;
    base_layout a, b, both;
    kz_status status = pad(block, rank, &a, error);
    if (!status) status = pad(tiler, rank, &b, error);
    if (!status) status = multiply_whole(&a, &b, &both, error);
    if (status) return status;
    layout_builder out = {0};
    unsigned at = base_layout_open(&out);
    for (unsigned i = 0; i < rank; i++) {
        unsigned mode = base_layout_open(&out);
        for (unsigned half = 0; half < 2; half++) {
            unsigned side = half ^ raked;
            base_layout whole = base_layout_mode(&both, side);
            // An integer is one mode, whatever became of it.
            if (a.span[0] > 1 && b.span[0] > 1) whole = base_layout_mode(&whole, i);
            base_layout_copy(&out, &whole, 0);
        }
        base_layout_close(&out, mode);
    }
    base_layout_close(&out, at);
    return base_layout_finish(&out, result, error);
}

kz_status base_layout_blocked_product(const base_layout *block, const base_layout *tiler, base_layout *result,
                                      kz_error *error) {
    return interleave(block, tiler, false, result, error);
}

kz_status base_layout_raked_product(const base_layout *block, const base_layout *tiler, base_layout *result,
                                    kz_error *error) {
    return interleave(block, tiler, true, result, error);
}

// ---- tilers -----------------------------------------------------------------------------------------------------------------

static kz_status add_mode(base_tiler *t, const base_layout *mode, const layout_reader *r, kz_error *error) {
    if (t->count == BASE_TILER_MODES) return base_layout_wrong(r, "a tiler has at most 6 modes", error);
    t->modes[t->count++] = *mode;
    return KZ_OK;
}

// A shape is a tile of each mode.
static kz_status of_shape(base_tiler *t, const base_layout *shape, const layout_reader *r, kz_error *error) {
    t->by_mode = shape->span[0] > 1;
    kz_status status = KZ_OK;
    for (unsigned i = 0; !status && i < base_layout_rank(shape); i++) {
        base_layout mode = base_layout_mode(shape, i);
        if (mode.span[0] > 1)
            return base_layout_wrong(r, "a tiler's shape does not nest: give layouts, <(2,4):(1,2),8:1>",
                                     error);
        mode.stride[0] = 1;
        status = add_mode(t, &mode, r, error);
    }
    return status;
}

kz_status base_tiler_parse(const char *text, base_tiler *tiler, kz_error *error) {
    layout_reader r = {text, text};
    base_tiler t = {0};
    base_layout mode;
    bool has_strides;
    kz_status status;
    if (!base_layout_word(&r, "<")) {
        status = base_layout_read(&r, &mode, &has_strides, error);
        if (!status) status = has_strides ? add_mode(&t, &mode, &r, error) : of_shape(&t, &mode, &r, error);
    } else {
        t.by_mode = true;
        do {
            status = base_layout_read(&r, &mode, &has_strides, error);
            if (!status) status = add_mode(&t, &mode, &r, error);
        } while (!status && base_layout_word(&r, ","));
        if (!status && !base_layout_word(&r, ">"))
            status = base_layout_wrong(&r, "here a ',' or '>' is missing", error);
    }
    if (!status) status = base_layout_end(&r, error);
    if (!status) *tiler = t;
    return status;
}
