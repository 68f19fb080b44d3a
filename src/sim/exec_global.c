// Loads and stores in global memory, by the pattern of the addresses: all lanes alike, side by side or a stride apart
// need one check; others are checked together, and moved eight at a time where eight are side by side. What is not in
// order goes lane by lane (exec_memory.c), where the fault is found.

#include "sim/exec_memory.h"

#include "sim/exec.h"
#include "sim/gather.h"

#include <string.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

// ---- all lanes -------------------------------------------------------------------------------------------

// How 32 addresses lie. `bytes` is what a lane moves.
static inline pattern pattern_of(const uint64_t *a, uint64_t bytes) {
    uint64_t stride = a[1] - a[0], wrong = (a[2] - a[1]) ^ stride;
    if (wrong) return SCATTERED; // as a rule
    wrong = (a[3] - a[2]) ^ stride;
    for (int i = 4; i < SIM_LANES; i++) wrong |= (a[i] - a[i - 4]) ^ 4 * stride;
    if (wrong) return SCATTERED;
    return stride == bytes ? CONTIGUOUS : stride ? STRIDED : UNIFORM;
}

// The host's address of [address, address + bytes), or NULL where one check does not settle it.
static inline uint8_t *global_range(sim_warp *w, const sim_op *op, uint64_t address, uint64_t bytes,
                                    uint64_t align, bool write) {
    const sim_extent *extent = &w->extents[op->c];
    if (__builtin_expect(bytes > extent->bytes || address - extent->low > extent->bytes - bytes ||
                             (write && !extent->writable),
                         0))
        if (!sim_extent_find(w, op, address, bytes, write)) return NULL;
    if (__builtin_expect(address & (align - 1), 0)) return NULL;
    return (uint8_t *)(w->global + address);
}

// The host's address of lane 0's element where the lanes are one stride apart: the first and the last lie in one
// allocation, so the others do too. NULL where that does not settle it.
static inline uint8_t *strided_range(sim_warp *w, const sim_op *op, const uint64_t *a, uint64_t bytes,
                                     bool write) {
    const uint64_t longest = UINT64_C(1) << 56; // 31 strides beyond it could lead around and back
    uint64_t stride = a[1] - a[0], first = a[0] + (uint64_t)op->offset, span = a[SIM_LANES - 1] - a[0];
    if (stride + longest > 2 * longest || stride & (bytes - 1)) return NULL;
    bool descends = span >> 63;
    uint64_t low = descends ? first + span : first;
    uint8_t *host = global_range(w, op, low, (descends ? 0 - span : span) + bytes, bytes, write);
    return host ? host + (first - low) : NULL;
}

// Whether all lanes lie in the allocation that the operation hit last, or in the first lane's, and are aligned.
static inline bool in_one_extent(sim_warp *w, const sim_op *op, const uint64_t *a, uint64_t bytes,
                                 bool write) {
    if (!global_range(w, op, a[0] + (uint64_t)op->offset, bytes, bytes, write)) return false;
    const sim_extent *extent = &w->extents[op->c];
    return !((uint64_t)op->offset & (bytes - 1)) &&
           are_inside(a, extent->low - (uint64_t)op->offset, extent->bytes, bytes);
}

// Elements side by side, to others of another size or the same.
#define CONVERT_ROW(TO, FROM, to, from, count)                                                               \
    {                                                                                                        \
        TO *restrict target = (to);                                                                          \
        const FROM *restrict source = (from);                                                                \
        if (sizeof(TO) == sizeof(FROM))                                                                      \
            memcpy(target, source, (count) * sizeof(TO));                                                    \
        else                                                                                                 \
            for (int k = 0; k < (count); k++) target[k] = (TO)source[k];                                     \
    }
#define GLOBAL_AT(R, M, i)  (R) * (const M *)(global + a[i])
#define STRIDED_AT(R, M, i) (R) * (const M *)((const uint8_t *)from + (uint64_t)(i)*stride)

// Elements of type M in memory and R in registers, NAME for short; N of them are gathered at a time. Eight lanes at a time: rows of a tile are often
// side by side in halves or quarters of a warp. False, with nothing done, where a lane has to be looked at alone.
#define GLOBAL_GROUPS(NAME, R, M, N)                                                                         \
    static inline bool is_row_##NAME(const uint64_t *a) {                                                    \
        uint64_t wrong = 0;                                                                                  \
        for (int i = 0; i < 8; i++) wrong |= (a[i] - a[0]) ^ ((uint64_t)i * sizeof(M));                      \
        return !wrong;                                                                                       \
    }                                                                                                        \
    static bool SIM_NAME(load_groups_##NAME)(sim_warp * w, const sim_op *op, const uint64_t *a, R *d) {      \
        if (!in_one_extent(w, op, a, sizeof(M), false)) return false;                                        \
        uintptr_t global = w->global + (uint64_t)op->offset;                                                 \
        for (int g = 0; g < SIM_LANES; g += 8) {                                                             \
            const M *row = (const M *)(global + a[g]);                                                       \
            if (is_row_##NAME(a + g))                                                                        \
                CONVERT_ROW(R, M, d + g, row, 8)                                                             \
            else                                                                                             \
                for (int i = g; i < g + 8; i += N) GATHER(GLOBAL_AT, R, M, N, d, i)                          \
        }                                                                                                    \
        return true;                                                                                         \
    }                                                                                                        \
    static bool SIM_NAME(store_groups_##NAME)(sim_warp * w, const sim_op *op, const uint64_t *a,             \
                                              const R *d) {                                                  \
        if (!in_one_extent(w, op, a, sizeof(M), true)) return false;                                         \
        uintptr_t global = w->global + (uint64_t)op->offset;                                                 \
        for (int g = 0; g < SIM_LANES; g += 8) {                                                             \
            M *restrict row = (M *)(global + a[g]);                                                          \
            if (is_row_##NAME(a + g))                                                                        \
                CONVERT_ROW(M, R, row, d + g, 8)                                                             \
            else                                                                                             \
                for (int i = g; i < g + 8; i++) *(M *)(global + a[i]) = (M)d[i];                             \
        }                                                                                                    \
        return true;                                                                                         \
    }

#define GLOBAL_FORM(NAME, R, M, N)                                                                           \
    GLOBAL_GROUPS(NAME, R, M, N)                                                                             \
    static void SIM_NAME(load_global_##NAME)(sim_warp * w, const sim_op *op) {                               \
        if (__builtin_expect(w->attention, 0)) SIM_NAME(sim_notice_access)(w, op);                           \
        const uint64_t *restrict a = SIM_REG(uint64_t, w, op->a);                                            \
        R *d = SIM_REG(R, w, op->d);                                                                         \
        uint64_t first = a[0] + (uint64_t)op->offset;                                                        \
        const M *from;                                                                                       \
        switch (pattern_of(a, sizeof(M))) {                                                                  \
        case CONTIGUOUS:                                                                                     \
            from = (const M *)global_range(w, op, first, SIM_LANES * sizeof(M), sizeof(M), false);           \
            if (!from) break;                                                                                \
            CONVERT_ROW(R, M, d, from, SIM_LANES)                                                            \
            return;                                                                                          \
        case UNIFORM: {                                                                                      \
            if (!(from = (const M *)global_range(w, op, first, sizeof(M), sizeof(M), false))) break;         \
            R value = (R)*from;                                                                              \
            for (int i = 0; i < SIM_LANES; i++) d[i] = value;                                                \
            return;                                                                                          \
        }                                                                                                    \
        case STRIDED: {                                                                                      \
            uint64_t stride = a[1] - a[0];                                                                   \
            if (!(from = (const M *)strided_range(w, op, a, sizeof(M), false))) break;                       \
            for (int i = 0; i < SIM_LANES; i += N) GATHER(STRIDED_AT, R, M, N, d, i)                         \
            return;                                                                                          \
        }                                                                                                    \
        case SCATTERED:                                                                                      \
            if (SIM_NAME(load_groups_##NAME)(w, op, a, d)) return;                                           \
        }                                                                                                    \
        SIM_NAME(sim_load_lanes)(w, op, SIM_ALL);                                                            \
    }                                                                                                        \
    static void SIM_NAME(store_global_##NAME)(sim_warp * w, const sim_op *op) {                              \
        if (__builtin_expect(w->attention, 0)) SIM_NAME(sim_notice_access)(w, op);                           \
        const uint64_t *restrict a = SIM_REG(uint64_t, w, op->a);                                            \
        const R *d = SIM_REG(R, w, op->d);                                                                   \
        uint64_t first = a[0] + (uint64_t)op->offset;                                                        \
        uint8_t *to;                                                                                         \
        switch (pattern_of(a, sizeof(M))) {                                                                  \
        case CONTIGUOUS:                                                                                     \
            if (!(to = global_range(w, op, first, SIM_LANES * sizeof(M), sizeof(M), true))) break;           \
            CONVERT_ROW(M, R, (M *)to, d, SIM_LANES)                                                         \
            return;                                                                                          \
        case UNIFORM: /* the last lane's stays */                                                            \
        case STRIDED: {                                                                                      \
            uint64_t stride = a[1] - a[0];                                                                   \
            if (!(to = strided_range(w, op, a, sizeof(M), true))) break;                                     \
            for (uint64_t i = 0; i < SIM_LANES; i++) *(M *)(to + i * stride) = (M)d[i];                      \
            return;                                                                                          \
        }                                                                                                    \
        case SCATTERED:                                                                                      \
            if (SIM_NAME(store_groups_##NAME)(w, op, a, d)) return;                                          \
        }                                                                                                    \
        SIM_NAME(sim_store_lanes)(w, op, SIM_ALL);                                                           \
    }

GLOBAL_FORM(u8, uint16_t, uint8_t, 8)
GLOBAL_FORM(s8, uint16_t, int8_t, 8)
GLOBAL_FORM(2, uint16_t, uint16_t, 8)
GLOBAL_FORM(4, uint32_t, uint32_t, 8)
GLOBAL_FORM(8, uint64_t, uint64_t, 4)

// Vectors side by side: lane i's elements lie at first + i * COUNT * size.
#define GLOBAL_VECTOR(T, BYTES, COUNT)                                                                       \
    static void SIM_NAME(load_global_##BYTES##x##COUNT)(sim_warp * w, const sim_op *op) {                    \
        if (__builtin_expect(w->attention, 0)) SIM_NAME(sim_notice_access)(w, op);                           \
        const memory_form *f = (const memory_form *)(uintptr_t)op->aux;                                      \
        const uint64_t *restrict a = SIM_REG(uint64_t, w, op->a);                                            \
        const uint8_t *from;                                                                                 \
        if (pattern_of(a, BYTES * COUNT) != CONTIGUOUS ||                                                    \
            !(from = global_range(w, op, a[0] + (uint64_t)op->offset, SIM_LANES * BYTES * COUNT,             \
                                  BYTES * COUNT, false))) {                                                  \
            SIM_NAME(sim_load_lanes)(w, op, SIM_ALL);                                                        \
            return;                                                                                          \
        }                                                                                                    \
        const T *restrict p = (const T *)from;                                                               \
        for (int e = 0; e < COUNT; e++) {                                                                    \
            T *restrict d = SIM_REG(T, w, f->regs[e]);                                                       \
            for (int i = 0; i < SIM_LANES; i++) d[i] = p[i * COUNT + e];                                     \
        }                                                                                                    \
    }                                                                                                        \
    static void SIM_NAME(store_global_##BYTES##x##COUNT)(sim_warp * w, const sim_op *op) {                   \
        if (__builtin_expect(w->attention, 0)) SIM_NAME(sim_notice_access)(w, op);                           \
        const memory_form *f = (const memory_form *)(uintptr_t)op->aux;                                      \
        const uint64_t *restrict a = SIM_REG(uint64_t, w, op->a);                                            \
        uint8_t *to;                                                                                         \
        if (pattern_of(a, BYTES * COUNT) != CONTIGUOUS ||                                                    \
            !(to = global_range(w, op, a[0] + (uint64_t)op->offset, SIM_LANES * BYTES * COUNT,               \
                                BYTES * COUNT, true))) {                                                     \
            SIM_NAME(sim_store_lanes)(w, op, SIM_ALL);                                                       \
            return;                                                                                          \
        }                                                                                                    \
        T *restrict p = (T *)to;                                                                             \
        for (int e = 0; e < COUNT; e++) {                                                                    \
            const T *restrict d = SIM_REG(T, w, f->regs[e]);                                                 \
            for (int i = 0; i < SIM_LANES; i++) p[i * COUNT + e] = d[i];                                     \
        }                                                                                                    \
    }

GLOBAL_VECTOR(uint32_t, 4, 2)
GLOBAL_VECTOR(uint32_t, 4, 4)
GLOBAL_VECTOR(uint64_t, 8, 2)
GLOBAL_VECTOR(uint16_t, 2, 2)
GLOBAL_VECTOR(uint16_t, 2, 4)

// ---- some lanes ----------------------------------------------------------------------

// The lanes that take part lie side by side, the others being where they would be: the host's address of
// lane 0, whether or not it takes part; NULL otherwise.
static inline uint8_t *masked_row(sim_warp *w, const sim_op *op, uint64_t bytes, bool write) {
    const uint64_t *restrict a = SIM_REG(uint64_t, w, op->a);
    unsigned low = (unsigned)__builtin_ctz(w->mask), high = 31u - (unsigned)__builtin_clz(w->mask);
    uint64_t origin = a[low] - low * bytes, wrong = 0;
    for (int i = 0; i < SIM_LANES; i++) {
        uint64_t lane = (uint64_t)(int64_t)(int32_t)w->lanes[i];
        wrong |= ((a[i] - origin) ^ ((uint64_t)i * bytes)) & lane;
    }
    if (wrong) return NULL;
    uint64_t first = a[low] + (uint64_t)op->offset;
    uint8_t *host = global_range(w, op, first, (high - low + 1) * bytes, bytes, write);
    return host ? host - low * bytes : NULL;
}

static void SIM_NAME(load_global_4_masked)(sim_warp *w, const sim_op *op) {
    if (__builtin_expect(w->attention, 0)) SIM_NAME(sim_notice_access)(w, op);
    const uint8_t *from = masked_row(w, op, 4, false);
    if (!from) {
        SIM_NAME(sim_load_lanes)(w, op, w->mask);
        return;
    }
    uint32_t *d = SIM_REG(uint32_t, w, op->d);
#if defined(__AVX2__)
    for (int i = 0; i < SIM_LANES; i += 8) {
        __m256i m = _mm256_load_si256((const __m256i *)(w->lanes + i));
        __m256i v = _mm256_maskload_epi32((const int *)(from + 4 * i), m);
        _mm256_store_si256((__m256i *)(d + i),
                           _mm256_blendv_epi8(_mm256_load_si256((const __m256i *)(d + i)), v, m));
    }
#else
    for (uint32_t m = w->mask; m; m &= m - 1) {
        int i = __builtin_ctz(m);
        memcpy(d + i, from + 4 * i, 4);
    }
#endif
}

static void SIM_NAME(store_global_4_masked)(sim_warp *w, const sim_op *op) {
    if (__builtin_expect(w->attention, 0)) SIM_NAME(sim_notice_access)(w, op);
    uint8_t *to = masked_row(w, op, 4, true);
    if (!to) {
        SIM_NAME(sim_store_lanes)(w, op, w->mask);
        return;
    }
    const uint32_t *d = SIM_REG(uint32_t, w, op->d);
#if defined(__AVX2__)
    for (int i = 0; i < SIM_LANES; i += 8)
        _mm256_maskstore_epi32((int *)(to + 4 * i), _mm256_load_si256((const __m256i *)(w->lanes + i)),
                               _mm256_load_si256((const __m256i *)(d + i)));
#else
    for (uint32_t m = w->mask; m; m &= m - 1) {
        int i = __builtin_ctz(m);
        memcpy(to + 4 * i, d + i, 4);
    }
#endif
}

// ---- the selector -----------------------------------------------------------------------------------

void SIM_NAME(sim_pick_global)(const memory_form *f, sim_op *op) {
    bool plain = f->reg_bits == 8u * f->bytes || (f->bytes == 1 && f->reg_bits == 16);
    for (unsigned e = 0; e < f->count; e++) plain = plain && f->regs[e] != SIM_NOWHERE;
    if (!plain) return;
#define PICK(suffix) op->full = f->is_store ? SIM_NAME(store_global_##suffix) : SIM_NAME(load_global_##suffix)
    switch (f->bytes * 16u + f->count) {
    case 0x11:
        if (f->is_signed)
            PICK(s8);
        else
            PICK(u8);
        break;
    case 0x21: PICK(2); break;
    case 0x41:
        PICK(4);
        op->masked = f->is_store ? SIM_NAME(store_global_4_masked) : SIM_NAME(load_global_4_masked);
        break;
    case 0x81: PICK(8); break;
    case 0x22: PICK(2x2); break;
    case 0x24: PICK(2x4); break;
    case 0x42: PICK(4x2); break;
    case 0x44: PICK(4x4); break;
    case 0x82: PICK(8x2); break;
    default: break;
    }
#undef PICK
}
