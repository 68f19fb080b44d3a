// compact: which elements are selected, the right answer, and inputs of which `percent` are selected.
//
// Elements are copied, so all is exact; what a selection leaves behind its last element is anything.
#include <string.h>

#include "private.h"

bool compact_selects(uint32_t operation, kz_type type, const void *in, const uint8_t *flags, uint64_t i) {
    if (compact_flagged(operation)) return flags[i] != 0;
    if (operation == KZ_COMPACT_UNIQUE && !compact_real(type)) { // an i64 has more digits than a double
        size_t size = kz_type_size(type);
        const char *own = (const char *)in + i * size;
        return i == 0 || memcmp(own - size, own, size) != 0;
    }
    double x = kz_element_get(type, in, i);
    if (operation == KZ_COMPACT_UNIQUE) return i == 0 || kz_element_get(type, in, i - 1) != x;
    return x > (type == KZ_U8 ? 127.0 : 0.0);
}

kz_status compact_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                            double *bound, kz_error *error) {
    uint64_t n = (uint64_t)c->axes[AXIS_N], selected = 0;
    const uint8_t *flags = compact_flagged(c->operation) ? host[FLAGS] : NULL;
    bool partitions = compact_partitions(c->operation);
    for (uint64_t i = 0; i < n; i++) {
        bool is = compact_selects(c->operation, c->type, host[IN], flags, i);
        if (which == OUT && (is || partitions)) {
            uint64_t position = is ? selected : n - 1 - (i - selected);
            expected[position] = kz_element_get(c->type, host[IN], i);
            bound[position] = 0.0;
        }
        selected += is;
    }
    if (which == COUNT) {
        expected[0] = (double)selected;
        bound[0] = 0.0;
        return KZ_OK;
    }
    for (uint64_t i = selected; i < n && !partitions; i++) {
        expected[i] = 0.0;
        bound[i] = KZ_ANYTHING;
    }
    return KZ_OK;
}

// ---- inputs ------------------------------------------------------------------------------------------

static bool hit(const kz_case *c, uint64_t bits) { return bits % 100 < (uint64_t)c->axes[AXIS_PERCENT]; }

// A value that is selected, or one that is not, with all bits that the type can have in (0, 1) or its range.
static double value(kz_type type, bool selected, uint64_t bits) {
    uint64_t high = bits >> 11; // 53 bits
    switch (type) {
    case KZ_U8: return (double)((high & 127) + (selected ? 128 : 0));
    case KZ_U16: return (double)(high & 0xffff); // not by value
    case KZ_U32: return (double)(high & 0xffffffff);
    case KZ_I64: return (double)high - 0x1p52;
    case KZ_BF16: return (selected ? 1.0 : -1.0) * (double)(high >> 45 | 1) * 0x1p-8;
    case KZ_I32: return selected ? 1.0 + (double)(high & 0x3fffffff) : -(double)(high & 0x3fffffff);
    case KZ_F64: return (selected ? 1.0 : -1.0) * (double)(high | 1) * 0x1p-53;
    case KZ_F32: return (selected ? 1.0 : -1.0) * (double)(high >> 29 | 1) * 0x1p-24;
    default: return (selected ? 1.0 : -1.0) * (double)(high >> 42 | 1) * 0x1p-11;
    }
}

// Where the run of element `index` begins: every element begins one by chance, and percent 0 is one run.
static uint64_t run_of(const kz_case *c, uint64_t seed, uint64_t index) {
    if (c->axes[AXIS_PERCENT] == 0) return 0;
    while (index > 0 && !hit(c, kz_draw(seed, COUNT, index))) index--;
    return index;
}

static void fill_runs(const kz_case *c, uint64_t seed, uint64_t first, uint64_t count, void *host) {
    uint64_t run = count ? run_of(c, seed, first) : 0;
    for (uint64_t i = 0; i < count; i++) {
        if (i > 0 && hit(c, kz_draw(seed, COUNT, first + i))) run = first + i;
        uint64_t bits = kz_draw(seed, IN, run);
        kz_element_set(c->type, host, i, value(c->type, bits & 1, bits));
    }
}

bool compact_fill(const kz_case *c, size_t which, uint64_t seed, uint64_t first, uint64_t count, void *host) {
    if (which == FLAGS) { // not 0: any value
        for (uint64_t i = 0; i < count; i++) {
            uint64_t bits = kz_draw(seed, FLAGS, first + i);
            ((uint8_t *)host)[i] = hit(c, bits) ? (uint8_t)((bits >> 32) % 255 + 1) : 0;
        }
        return true;
    }
    if (c->data != KZ_DATA_UNIFORM || compact_flagged(c->operation)) return false;
    if (c->operation == KZ_COMPACT_UNIQUE) {
        fill_runs(c, seed, first, count, host);
        return true;
    }
    for (uint64_t i = 0; i < count; i++) {
        uint64_t bits = kz_draw(seed, IN, first + i);
        kz_element_set(c->type, host, i, value(c->type, hit(c, bits), bits));
    }
    return true;
}
