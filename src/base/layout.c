// Layouts: notation, sizes, indices. See layout.h.
#include "base/layout.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/layout_inside.h"

// ---- sums and products that stop at the limit -------------------------------------------------------------

static int64_t clamp(int64_t value) {
    return value > LAYOUT_BEYOND ? LAYOUT_BEYOND : value < -LAYOUT_BEYOND ? -LAYOUT_BEYOND : value;
}

int64_t base_layout_times(int64_t a, int64_t b) {
    int64_t product;
    if (__builtin_mul_overflow(a, b, &product)) return (a < 0) == (b < 0) ? LAYOUT_BEYOND : -LAYOUT_BEYOND;
    return clamp(product);
}

// ---- trees ---------------------------------------------------------------------------------------------------

void base_layout_leaf(layout_builder *b, int64_t shape, int64_t stride) {
    base_layout *l = &b->layout;
    if (l->count == BASE_LAYOUT_NODES) {
        b->full = true;
        return;
    }
    l->span[l->count] = 1;
    l->shape[l->count] = shape;
    l->stride[l->count++] = stride;
}

unsigned base_layout_open(layout_builder *b) {
    unsigned at = b->layout.count;
    base_layout_leaf(b, 0, 0);
    return at;
}

void base_layout_close(layout_builder *b, unsigned at) {
    if (!b->full) b->layout.span[at] = (uint8_t)(b->layout.count - at);
}

void base_layout_copy(layout_builder *b, const base_layout *from, unsigned node) {
    unsigned end = node + from->span[node], first = b->layout.count;
    for (unsigned i = node; i < end; i++) base_layout_leaf(b, from->shape[i], from->stride[i]);
    for (unsigned i = node; !b->full && i < end; i++) b->layout.span[first + i - node] = from->span[i];
}

kz_status base_layout_finish(const layout_builder *b, base_layout *result, kz_error *error) {
    if (b->full) {
        base_fail(error, KZ_INVALID, "the layout has more than %d tuples and integers", BASE_LAYOUT_NODES);
        base_fail_note(error, "coalesce its operands first");
        return KZ_INVALID;
    }
    bool large =
        base_layout_size(&b->layout) > BASE_LAYOUT_MOST || base_layout_cosize(&b->layout) > BASE_LAYOUT_MOST;
    for (unsigned i = 0; i < b->layout.count; i++) {
        int64_t stride = b->layout.stride[i];
        large = large || stride > BASE_LAYOUT_MOST || stride < -BASE_LAYOUT_MOST;
    }
    if (large) {
        base_fail(error, KZ_INVALID, "a layout with more than 2^48 elements, or indices beyond that");
        base_fail_note(error, "no memory is that large: is a number too much, or one digit?");
        return KZ_INVALID;
    }
    *result = b->layout;
    return KZ_OK;
}

base_layout base_layout_of(int64_t shape, int64_t stride) {
    return (base_layout){.count = 1, .span = {1}, .shape = {shape}, .stride = {stride}};
}

base_layout base_layout_mode(const base_layout *l, unsigned mode) {
    layout_builder b = {0};
    unsigned node = 0;
    if (l->span[0] > 1) {
        node = 1;
        while (mode-- > 0 && node + l->span[node] < l->count) node += l->span[node];
    }
    base_layout_copy(&b, l, node);
    return b.layout;
}

base_tuple base_layout_shape(const base_layout *l) {
    base_tuple t = {.count = l->count};
    memcpy(t.span, l->span, sizeof t.span);
    memcpy(t.value, l->shape, sizeof t.value);
    return t;
}

bool base_layout_equal(const base_layout *a, const base_layout *b) {
    if (a->count != b->count || memcmp(a->span, b->span, a->count) != 0) return false;
    for (unsigned i = 0; i < a->count; i++)
        if (a->span[i] == 1 && (a->shape[i] != b->shape[i] || a->stride[i] != b->stride[i])) return false;
    return true;
}

// ---- what a layout is -----------------------------------------------------------------------------------------

int64_t base_layout_size(const base_layout *l) {
    int64_t size = 1;
    for (unsigned i = 0; i < l->count; i++)
        if (l->span[i] == 1) size = base_layout_times(size, l->shape[i]);
    return size;
}

int64_t base_layout_cosize(const base_layout *l) {
    int64_t last = 0;
    for (unsigned i = 0; i < l->count; i++) {
        int64_t stride = l->stride[i] < 0 ? -l->stride[i] : l->stride[i];
        if (l->span[i] == 1) last = clamp(last + base_layout_times(l->shape[i] - 1, stride));
    }
    return last + 1;
}

unsigned base_layout_rank(const base_layout *l) {
    if (l->span[0] == 1) return 1;
    unsigned rank = 0;
    for (unsigned i = 1; i < l->count; i += l->span[i]) rank++;
    return rank;
}

static unsigned depth_at(const base_layout *l, unsigned node) {
    unsigned most = 0;
    if (l->span[node] == 1) return 0;
    for (unsigned i = node + 1; i < node + l->span[node]; i += l->span[i]) {
        unsigned below = depth_at(l, i);
        if (below > most) most = below;
    }
    return most + 1;
}

unsigned base_layout_depth(const base_layout *l) { return depth_at(l, 0); }

// The last integer of the tuple has no bound: it takes what is left.
static int64_t at_node(const base_layout *l, unsigned node, int64_t index) {
    int64_t sum = 0;
    unsigned end = node + l->span[node];
    for (unsigned i = node; i < end; i++) {
        if (l->span[i] > 1) continue;
        bool last = i + 1 == end;
        sum += (last ? index : index % l->shape[i]) * l->stride[i];
        index /= l->shape[i];
    }
    return sum;
}

int64_t base_layout_at(const base_layout *l, int64_t index) { return at_node(l, 0, index); }

base_tuple base_layout_coordinate(const base_layout *l, int64_t index) {
    base_tuple c = base_layout_shape(l);
    for (unsigned i = 0; i < l->count; i++) {
        if (l->span[i] > 1) continue;
        c.value[i] = i + 1 == l->count ? index : index % l->shape[i];
        index /= l->shape[i];
    }
    return c;
}

static int64_t size_at(const base_layout *l, unsigned node) {
    int64_t size = 1;
    for (unsigned i = node; i < node + l->span[node]; i++)
        if (l->span[i] == 1) size = base_layout_times(size, l->shape[i]);
    return size;
}

static const char *walk_coordinate(const base_layout *l, unsigned node, const base_tuple *c, unsigned at,
                                   int64_t *sum) {
    if (c->span[at] == 1) {
        if (c->value[at] < 0 || c->value[at] >= size_at(l, node)) return "a part of it is outside";
        *sum += at_node(l, node, c->value[at]);
        return NULL;
    }
    if (l->span[node] == 1) return "it is deeper than the layout";
    unsigned i = node + 1, k = at + 1, end = node + l->span[node], last = at + c->span[at];
    for (; i < end && k < last; i += l->span[i], k += c->span[k]) {
        const char *wrong = walk_coordinate(l, i, c, k, sum);
        if (wrong) return wrong;
    }
    return i < end || k < last ? "it has another number of parts" : NULL;
}

kz_status base_layout_at_coordinate(const base_layout *l, const base_tuple *c, int64_t *index,
                                    kz_error *error) {
    *index = 0;
    const char *wrong = walk_coordinate(l, 0, c, 0, index);
    if (!wrong) return KZ_OK;
    base_text coordinate = {0}, shape = {0};
    base_tuple of = base_layout_shape(l);
    base_tuple_print(c, &coordinate);
    base_tuple_print(&of, &shape);
    base_fail(error, KZ_INVALID, "the coordinate %s is none of the shape %s: %s",
              base_layout_text(&coordinate), base_layout_text(&shape), wrong);
    base_fail_note(error, "each part counts from 0 through its mode; an integer counts through a whole mode");
    base_text_free(&coordinate);
    base_text_free(&shape);
    return KZ_INVALID;
}

bool base_layout_find(const base_layout *l, int64_t value, int64_t *index) {
    int64_t size = base_layout_size(l);
    for (int64_t i = 0; i < size; i++)
        if (base_layout_at(l, i) == value) {
            *index = i;
            return true;
        }
    return false;
}

// ---- reading -----------------------------------------------------------------------------------------------------

bool base_layout_word(layout_reader *r, const char *word) {
    while (isspace((unsigned char)*r->at)) r->at++;
    size_t length = strlen(word);
    if (strncmp(r->at, word, length) != 0) return false;
    r->at += length;
    return true;
}

kz_status base_layout_wrong(const layout_reader *r, const char *message, kz_error *error) {
    size_t column = (size_t)(r->at - r->text);
    base_fail_caret(error, KZ_INVALID, "layout", r->text, strlen(r->text), column, 1, (uint32_t)column + 1,
                    message);
    return KZ_INVALID;
}

kz_status base_layout_number(layout_reader *r, int64_t *value, kz_error *error) {
    while (isspace((unsigned char)*r->at)) r->at++;
    bool negative = *r->at == '-';
    const char *digit = r->at + negative;
    if (*digit == '_') digit++; // a constant of CuTe's
    if (*digit == '-' && !negative) negative = true, digit++;
    if (!isdigit((unsigned char)*digit)) return base_layout_wrong(r, "here a number is missing", error);
    int64_t sum = 0;
    for (; isdigit((unsigned char)*digit); digit++) {
        sum = 10 * sum + (*digit - '0');
        if (sum > BASE_LAYOUT_MOST) return base_layout_wrong(r, "the number is larger than 2^48", error);
    }
    if (*digit == '@') {
        r->at = digit;
        return base_layout_wrong(r, "strides are integers here; coordinates as strides (1@0) are not known",
                                 error);
    }
    r->at = digit;
    *value = negative ? -sum : sum;
    return KZ_OK;
}

// A tuple goes into the builder as a shape.
static kz_status read_tuple(layout_reader *r, layout_builder *b, unsigned depth, kz_error *error) {
    int64_t value;
    if (b->full || depth > BASE_LAYOUT_NODES) return base_layout_finish(b, &b->layout, error);
    if (!base_layout_word(r, "(")) {
        kz_status status = base_layout_number(r, &value, error);
        if (!status) base_layout_leaf(b, value, 0);
        return status;
    }
    unsigned at = base_layout_open(b);
    if (base_layout_word(r, ")")) return base_layout_wrong(r, "a tuple cannot be empty", error);
    do {
        kz_status status = read_tuple(r, b, depth + 1, error);
        if (status) return status;
    } while (base_layout_word(r, ","));
    base_layout_close(b, at);
    return base_layout_word(r, ")") ? KZ_OK : base_layout_wrong(r, "here a ',' or ')' is missing", error);
}

static kz_status check_shape(const layout_reader *r, const base_layout *l, kz_error *error) {
    for (unsigned i = 0; i < l->count; i++)
        if (l->span[i] == 1 && l->shape[i] < 1) return base_layout_wrong(r, "a shape is 1 or more", error);
    return KZ_OK;
}

static kz_status read_strides(layout_reader *r, base_layout *l, kz_error *error) {
    layout_builder strides = {0};
    const char *from = r->at;
    kz_status status = read_tuple(r, &strides, 0, error);
    if (status) return status;
    if (strides.full || strides.layout.count != l->count ||
        memcmp(strides.layout.span, l->span, l->count) != 0) {
        layout_reader there = {r->text, from};
        return base_layout_wrong(&there, "the strides do not nest as the shape does", error);
    }
    memcpy(l->stride, strides.layout.shape, sizeof l->stride);
    return KZ_OK;
}

void base_layout_make_compact(base_layout *l) {
    int64_t stride = 1;
    for (unsigned i = 0; i < l->count; i++) {
        if (l->span[i] > 1) continue;
        l->stride[i] = stride;
        stride = base_layout_times(stride, l->shape[i]);
    }
}

kz_status base_layout_read(layout_reader *r, base_layout *layout, bool *has_strides, kz_error *error) {
    layout_builder b = {0};
    kz_status status = read_tuple(r, &b, 0, error);
    if (!status && b.full) return base_layout_finish(&b, layout, error);
    if (!status) status = check_shape(r, &b.layout, error);
    if (status) return status;
    *has_strides = base_layout_word(r, ":");
    if (*has_strides)
        status = read_strides(r, &b.layout, error);
    else
        base_layout_make_compact(&b.layout);
    return status ? status : base_layout_finish(&b, layout, error);
}

kz_status base_layout_end(layout_reader *r, kz_error *error) {
    while (isspace((unsigned char)*r->at)) r->at++;
    return *r->at ? base_layout_wrong(r, "here the text should end", error) : KZ_OK;
}

kz_status base_tuple_parse(const char *text, base_tuple *tuple, kz_error *error) {
    layout_reader r = {text, text};
    layout_builder b = {0};
    kz_status status = read_tuple(&r, &b, 0, error);
    if (!status) status = base_layout_end(&r, error);
    if (!status && b.full) status = base_layout_finish(&b, &b.layout, error);
    if (!status) *tuple = base_layout_shape(&b.layout);
    return status;
}

kz_status base_layout_parse(const char *text, base_layout *layout, kz_error *error) {
    layout_reader r = {text, text};
    bool has_strides;
    base_layout read;
    kz_status status = base_layout_read(&r, &read, &has_strides, error);
    if (!status) status = base_layout_end(&r, error);
    if (!status) *layout = read;
    return status;
}

// ---- printing ------------------------------------------------------------------------------------------------------

const char *base_layout_text(const base_text *text) { return text->data ? text->data : "?"; }

static void print_node(const uint8_t *span, const int64_t *value, unsigned node, base_text *text) {
    if (span[node] == 1) {
        base_text_add(text, "%" PRId64, value[node]);
        return;
    }
    for (unsigned i = node + 1; i < node + span[node]; i += span[i]) {
        base_text_add(text, i == node + 1 ? "(" : ",");
        print_node(span, value, i, text);
    }
    base_text_add(text, ")");
}

void base_tuple_print(const base_tuple *t, base_text *text) { print_node(t->span, t->value, 0, text); }

void base_layout_print(const base_layout *l, base_text *text) {
    print_node(l->span, l->shape, 0, text);
    base_text_add(text, ":");
    print_node(l->span, l->stride, 0, text);
}
