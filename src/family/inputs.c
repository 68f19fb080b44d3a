// Inputs from Philox, and poison for outputs. See inputs.h.
#include "family/inputs.h"

#include <math.h>
#include <float.h>
#include <pthread.h>
#include <string.h>

#include "base/base.h"
#include "device/host.h"

// The limits of a float type.
static double largest(const base_type *t) { return ldexp(1 - t->roundoff, t->highest); }
static double smallest_normal(const base_type *t) { return ldexp(1, t->lowest + t->digits - 1); }
static double smallest(const base_type *t) { return ldexp(1, t->lowest); }

// The index's own 64 random bits; `salt` gives a second, independent draw.
static uint64_t draw(uint64_t seed, uint32_t buffer, uint64_t index, uint32_t salt) {
    base_philox_block block = base_philox(seed, (uint64_t)salt << 32 | buffer, index >> 1);
    unsigned half = (unsigned)(index & 1) * 2;
    return (uint64_t)block.word[half + 1] << 32 | block.word[half];
}

uint64_t kz_draw(uint64_t seed, uint32_t buffer, uint64_t index) { return draw(seed, buffer, index, 2); }

kz_philox_block kz_philox(uint64_t seed, uint64_t stream, uint64_t counter) {
    base_philox_block block = base_philox(seed, stream, counter);
    return (kz_philox_block){{block.word[0], block.word[1], block.word[2], block.word[3]}};
}

// In [-1, 1), 53 bits below the point and never -0.
static double signed_unit(uint64_t bits) { return (double)((int64_t)bits >> 10) * 0x1p-53; }
static double unit(uint64_t bits) { return (double)(bits >> 11) * 0x1p-53; } // [0, 1)

// Rounding to a narrower type must not reach the open end of [-1, 1).
static double below_one(const base_type *t, double value) {
    return value > 1 - t->roundoff ? 1 - t->roundoff : value;
}

static bool is_special(uint64_t seed, uint32_t buffer, uint64_t index, uint64_t total) {
    return index == total / 2 || (draw(seed, buffer, index, 1) & 63) == 0;
}

static double eighth_power(double x) {
    double square = x * x, fourth = square * square;
    return fourth * fourth;
}

// The index whose bits make the element: its own, or that of the first of its run.
static uint64_t source_of(kz_data data, uint64_t seed, uint32_t buffer, uint64_t index) {
    if (data == KZ_DATA_EQUAL) return 0;
    if (data != KZ_DATA_RUNS) return index;
    uint64_t bits =
        draw(seed, buffer, index & ~UINT64_C(15), 1); // a run starts where both of two bits are set
    uint32_t starts = ((uint32_t)bits & (uint32_t)(bits >> 16) & 0xffff) | 1;
    uint32_t before = starts & ((2u << (index & 15)) - 1);
    return (index & ~UINT64_C(15)) + (31 - (uint32_t)__builtin_clz(before));
}

static double real_value(kz_type type, kz_data data, uint64_t seed, uint32_t buffer, uint64_t index,
                         uint64_t total) {
    const base_type *t = base_type_of(type);
    uint64_t bits = draw(seed, buffer, source_of(data, seed, buffer, index), 0);
    double sign = bits & 1 ? -1.0 : 1.0;
    switch (data) {
    case KZ_DATA_POSITIVE: return 0.5 + below_one(t, unit(bits));
    case KZ_DATA_ZEROS: return 0.0;
    case KZ_DATA_ONES: return 1.0;
    case KZ_DATA_EQUAL: return 0.5 + below_one(t, unit(bits)) / 2;
    case KZ_DATA_BIASED: return below_one(t, 2 * eighth_power(unit(bits)) - 1);
    case KZ_DATA_NAN:
        if (is_special(seed, buffer, index, total)) return NAN;
        break;
    case KZ_DATA_INF:
        if (is_special(seed, buffer, index, total)) return sign * (double)INFINITY;
        break;
    case KZ_DATA_DENORMAL: // 1 to all of the denormal steps below the smallest normal
        return sign * smallest(t) * (1 + floor(unit(bits) * (smallest_normal(t) / smallest(t) - 1)));
    case KZ_DATA_LARGE: return sign * largest(t) * (0.5 + below_one(t, unit(bits)) / 2);
    case KZ_DATA_SMALL: return sign * smallest_normal(t) * (1 + below_one(t, unit(bits)));
    default: break;
    }
    return below_one(t, signed_unit(bits));
}

static int64_t whole_value(kz_type type, kz_data data, uint64_t seed, uint32_t buffer, uint64_t index) {
    // A double carries the value: the extreme is the largest that it holds with all its neighbours.
    const base_type *t = base_type_of(type);
    int64_t most = (INT64_C(1) << (t->digits < DBL_MANT_DIG ? t->digits : DBL_MANT_DIG)) - 1;
    uint64_t bits = draw(seed, buffer, source_of(data, seed, buffer, index), 0);
    bool narrow = t->digits < 20; // than `twenty`
    int64_t twenty = (int64_t)(bits >> 44), value;
    switch (data) {
    case KZ_DATA_ZEROS: return 0;
    case KZ_DATA_ONES: return 1;
    case KZ_DATA_POSITIVE: return 1 + (narrow ? twenty % most : twenty);
    case KZ_DATA_BIASED: return (int64_t)(eighth_power(unit(bits)) * (narrow ? (double)most + 1 : 0x1p20));
    case KZ_DATA_LARGE:
        value = most - twenty % (narrow ? 16 : 1 << 20);
        return bits & 1 && t->kind == BASE_SIGNED ? -value : value;
    case KZ_DATA_SMALL: value = twenty % 9 - 4; break;
    default: value = ((int64_t)(bits >> 43)) - (1 << 20); break;
    }
    return t->kind == BASE_UNSIGNED && value < 0 ? -value : value;
}

// The common case of a large benchmark input: one Philox block makes two elements.
static void fill_uniform_f32(uint64_t seed, uint32_t buffer, uint64_t first, uint64_t count, float *host) {
    const base_type *f32 = base_type_of(KZ_F32);
    uint64_t i = 0;
    if (first & 1 && count) host[i++] = (float)real_value(KZ_F32, KZ_DATA_UNIFORM, seed, buffer, first, 0);
    for (; i < count; i += 2) {
        base_philox_block block = base_philox(seed, buffer, (first + i) >> 1);
        uint64_t low = (uint64_t)block.word[1] << 32 | block.word[0];
        uint64_t high = (uint64_t)block.word[3] << 32 | block.word[2];
        host[i] = (float)below_one(f32, signed_unit(low));
        if (i + 1 < count) host[i + 1] = (float)below_one(f32, signed_unit(high));
    }
}

typedef struct piece {
    kz_type type;
    kz_data data;
    uint64_t seed, first, count, total;
    uint32_t buffer;
    void *host;
} piece;

static void fill_piece(const piece *p) {
    if (p->type == KZ_F32 && p->data == KZ_DATA_UNIFORM) {
        fill_uniform_f32(p->seed, p->buffer, p->first, p->count, p->host);
        return;
    }
    bool real = base_type_is_float(p->type);
    for (uint64_t i = 0; i < p->count; i++)
        kz_element_set(p->type, p->host, i,
                       real ? real_value(p->type, p->data, p->seed, p->buffer, p->first + i, p->total)
                            : (double)whole_value(p->type, p->data, p->seed, p->buffer, p->first + i));
}

static void *fill_in_thread(void *piece_of_it) {
    fill_piece(piece_of_it);
    return NULL;
}

void family_fill_input(kz_type type, kz_data data, uint64_t seed, uint32_t buffer, uint64_t first,
                       uint64_t count, uint64_t total, void *host) {
    enum { THREADS = 16, WORTH_A_THREAD = 1 << 20 };
    uint64_t pieces = count / WORTH_A_THREAD, cores = pieces > 1 ? device_host_cores() : 1;
    if (pieces > cores) pieces = cores;
    if (pieces > THREADS) pieces = THREADS;
    if (pieces < 1) pieces = 1;
    piece work[THREADS];
    pthread_t threads[THREADS];
    bool started[THREADS] = {false};
    for (uint64_t i = 0, at = 0; i < pieces; i++) {
        uint64_t end = i + 1 == pieces ? count : count / pieces * (i + 1);
        work[i] = (piece){type,     data,  seed,   first + at,
                          end - at, total, buffer, (char *)host + at * kz_type_size(type)};
        at = end;
        // The last piece is this thread's own; so is one for which no thread could be had.
        if (i + 1 < pieces) started[i] = pthread_create(&threads[i], NULL, fill_in_thread, &work[i]) == 0;
        if (!started[i]) fill_piece(&work[i]);
    }
    for (uint64_t i = 0; i < pieces; i++)
        if (started[i]) pthread_join(threads[i], NULL);
}

// ---- poison -------------------------------------------------------------------------------------

void family_make_input(const kz_family *family, const kz_case *c, size_t which, const kz_buffer *buffer,
                       uint64_t seed, uint64_t first, uint64_t count, void *host) {
    if (family->fill && family->fill(c, which, seed, first, count, host)) return;
    family_fill_input(buffer->type, c->data, seed, (uint32_t)which, first, count, buffer->count, host);
}

void family_poison(kz_type type, uint64_t count, void *host) {
    uint64_t bits = base_type_of(type)->poison;
    size_t size = kz_type_size(type);
    for (uint64_t i = 0; i < count; i++) memcpy((char *)host + i * size, &bits, size);
}

bool family_is_poison(kz_type type, const void *element) {
    uint64_t bits = base_type_of(type)->poison;
    return memcmp(element, &bits, kz_type_size(type)) == 0;
}
