// Loads and stores of 4 bytes a lane in shared memory, the commonest there: eight lanes at a time, by the
// pattern of their addresses. What is not in order goes lane by lane (exec_memory.c), where the fault is
// found.

#include "sim/exec_memory.h"

#include "sim/exec.h"

#include <string.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#define SIM_SELDOM __attribute__((noinline))

#if defined(__AVX2__)
// False where any of 32 addresses is out of bounds or misaligned.
static inline bool shared_in_bounds(const sim_warp *w, const __m256i at[4]) {
    if (w->shared_bytes < 4) return false;
    __m256i high = _mm256_max_epu32(_mm256_max_epu32(at[0], at[1]), _mm256_max_epu32(at[2], at[3]));
    __m256i any = _mm256_or_si256(_mm256_or_si256(at[0], at[1]), _mm256_or_si256(at[2], at[3]));
    __m256i limit = _mm256_set1_epi32((int)(w->shared_bytes - 4));
    __m256i over = _mm256_xor_si256(_mm256_max_epu32(high, limit), limit);
    __m256i wrong = _mm256_or_si256(over, _mm256_and_si256(any, _mm256_set1_epi32(3)));
    return _mm256_testz_si256(wrong, wrong);
}

static inline bool shared_check(const sim_warp *w, const sim_op *op, __m256i at[4]) {
    const __m256i *a = (const __m256i *)SIM_REG(uint32_t, w, op->a);
    __m256i offset = _mm256_set1_epi32((int)op->offset);
    for (int g = 0; g < 4; g++) at[g] = _mm256_add_epi32(_mm256_load_si256(a + g), offset);
    return shared_in_bounds(w, at);
}

static inline bool all_equal(__m256i x, __m256i y) {
    __m256i difference = _mm256_xor_si256(x, y);
    return _mm256_testz_si256(difference, difference);
}

static inline void load_by_groups(sim_warp *w, const sim_op *op) {
    __m256i at[4];
    if (__builtin_expect(!shared_check(w, op, at), 0)) {
        SIM_NAME(sim_load_lanes)(w, op, SIM_ALL);
        return;
    }
    const __m256i step = _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28);
    uint32_t *d = SIM_REG(uint32_t, w, op->d);
    for (int g = 0; g < 4; g++) {
        uint32_t first = (uint32_t)_mm256_extract_epi32(at[g], 0);
        __m256i same = _mm256_broadcastd_epi32(_mm256_castsi256_si128(at[g])), v;
        if (all_equal(at[g], _mm256_add_epi32(same, step))) {
            v = _mm256_loadu_si256((const __m256i *)(w->shared + first));
        } else if (all_equal(at[g], same)) {
            int32_t value;
            memcpy(&value, w->shared + first, 4);
            v = _mm256_set1_epi32(value);
        } else {
            v = _mm256_i32gather_epi32((const int *)w->shared, at[g], 1);
        }
        _mm256_store_si256((__m256i *)(d + 8 * g), v);
    }
}

// What is seldom needed stands apart: a call in the middle would cost the usual way its registers.
static SIM_SELDOM void load_apart(sim_warp *w, const sim_op *op) { load_by_groups(w, op); }

static SIM_SELDOM void load_noticed(sim_warp *w, const sim_op *op) {
    SIM_NAME(sim_notice_access)(w, op);
    load_by_groups(w, op);
}

static void SIM_NAME(load_shared_4)(sim_warp *w, const sim_op *op) {
    if (__builtin_expect(w->attention, 0))
        load_noticed(w, op);
    else
        load_by_groups(w, op);
}

static inline void store_by_groups(sim_warp *w, const sim_op *op) {
    __m256i at[4];
    if (__builtin_expect(!shared_check(w, op, at), 0)) {
        SIM_NAME(sim_store_lanes)(w, op, SIM_ALL);
        return;
    }
    const __m256i step = _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28);
    const uint32_t *d = SIM_REG(uint32_t, w, op->d);
    for (int g = 0; g < 4; g++) {
        uint32_t first = (uint32_t)_mm256_extract_epi32(at[g], 0);
        __m256i same = _mm256_broadcastd_epi32(_mm256_castsi256_si128(at[g]));
        if (all_equal(at[g], _mm256_add_epi32(same, step))) {
            memcpy(w->shared + first, d + 8 * g, 32);
        } else {
            uint32_t offsets[8];
            memcpy(offsets, &at[g], sizeof offsets);
            for (int i = 0; i < 8; i++) memcpy(w->shared + offsets[i], d + 8 * g + i, 4);
        }
    }
}

static SIM_SELDOM void store_apart(sim_warp *w, const sim_op *op) { store_by_groups(w, op); }

static SIM_SELDOM void store_noticed(sim_warp *w, const sim_op *op) {
    SIM_NAME(sim_notice_access)(w, op);
    store_by_groups(w, op);
}

static void SIM_NAME(store_shared_4)(sim_warp *w, const sim_op *op) {
    if (__builtin_expect(w->attention, 0))
        store_noticed(w, op);
    else
        store_by_groups(w, op);
}

// What is known of a base register's 32 offsets into shared memory, for the accesses of a basic block that share
// it.
typedef struct shared_summary {
    uint32_t first[4];
    uint8_t kind[4];         // pattern
    uint32_t low, high, any; // least, greatest, and the bits of all
} shared_summary;

static void SIM_NAME(shared_summarise)(sim_warp *w, const sim_op *op) {
    const __m256i *a = (const __m256i *)SIM_REG(uint32_t, w, op->a);
    shared_summary *s = (shared_summary *)(w->frame + op->d);
    const __m256i step = _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28);
    __m256i low = a[0], high = a[0], any = a[0];
    for (int g = 0; g < 4; g++) {
        __m256i at = _mm256_load_si256(a + g), same = _mm256_broadcastd_epi32(_mm256_castsi256_si128(at));
        s->first[g] = (uint32_t)_mm256_extract_epi32(at, 0);
        s->kind[g] = all_equal(at, _mm256_add_epi32(same, step)) ? CONTIGUOUS
                     : all_equal(at, same)                       ? UNIFORM
                                                                 : SCATTERED;
        low = _mm256_min_epu32(low, at);
        high = _mm256_max_epu32(high, at);
        any = _mm256_or_si256(any, at);
    }
    uint32_t lows[8], highs[8], anys[8];
    memcpy(lows, &low, 32);
    memcpy(highs, &high, 32);
    memcpy(anys, &any, 32);
    s->low = lows[0];
    s->high = highs[0];
    s->any = anys[0];
    for (int i = 1; i < 8; i++) {
        if (lows[i] < s->low) s->low = lows[i];
        if (highs[i] > s->high) s->high = highs[i];
        s->any |= anys[i];
    }
}

static inline bool summary_in_bounds(const sim_warp *w, const shared_summary *s, int64_t offset) {
    return (int64_t)s->low + offset >= 0 && (int64_t)s->high + offset + 4 <= (int64_t)w->shared_bytes &&
           ((s->any | (uint32_t)offset) & 3) == 0;
}

static inline void load_known(sim_warp *w, const sim_op *op) {
    const shared_summary *s = (const shared_summary *)(w->frame + op->b);
    if (__builtin_expect(!summary_in_bounds(w, s, op->offset), 0)) {
        load_apart(w, op);
        return;
    }
    const uint8_t *base = w->shared + op->offset;
    __m256i *d = (__m256i *)SIM_REG(uint32_t, w, op->d);
    for (int g = 0; g < 4; g++) {
        __m256i v;
        if (s->kind[g] == CONTIGUOUS)
            v = _mm256_loadu_si256((const __m256i *)(base + s->first[g]));
        else if (s->kind[g] == UNIFORM)
            v = _mm256_castps_si256(_mm256_broadcast_ss((const float *)(base + s->first[g])));
        else
            v = _mm256_i32gather_epi32(
                (const int *)base, _mm256_load_si256((const __m256i *)SIM_REG(uint32_t, w, op->a) + g), 1);
        _mm256_store_si256(d + g, v);
    }
}

static SIM_SELDOM void load_known_noticed(sim_warp *w, const sim_op *op) {
    SIM_NAME(sim_notice_access)(w, op);
    load_known(w, op);
}

static void SIM_NAME(load_shared_known)(sim_warp *w, const sim_op *op) {
    if (__builtin_expect(w->attention, 0))
        load_known_noticed(w, op);
    else
        load_known(w, op);
}

static void SIM_NAME(store_shared_known)(sim_warp *w, const sim_op *op) {
    const shared_summary *s = (const shared_summary *)(w->frame + op->b);
    uint32_t kinds;
    memcpy(&kinds, s->kind, 4);
    if (__builtin_expect(w->attention, 0)) {
        store_noticed(w, op);
        return;
    }
    if (__builtin_expect(kinds != CONTIGUOUS * 0x01010101u || !summary_in_bounds(w, s, op->offset), 0)) {
        store_apart(w, op);
        return;
    }
    const uint32_t *d = SIM_REG(uint32_t, w, op->d);
    for (int g = 0; g < 4; g++) memcpy(w->shared + op->offset + s->first[g], d + 8 * g, 32);
}

// The lanes that do not take part read, and are checked at, address 0; groups with no lane are left out.
static inline bool shared_check_masked(const sim_warp *w, const sim_op *op, __m256i at[4]) {
    const __m256i *a = (const __m256i *)SIM_REG(uint32_t, w, op->a), *lanes = (const __m256i *)w->lanes;
    __m256i offset = _mm256_set1_epi32((int)op->offset);
    for (int g = 0; g < 4; g++)
        at[g] = _mm256_and_si256(_mm256_add_epi32(_mm256_load_si256(a + g), offset),
                                 _mm256_load_si256(lanes + g));
    return shared_in_bounds(w, at);
}

static void SIM_NAME(load_shared_4_masked)(sim_warp *w, const sim_op *op) {
    if (__builtin_expect(w->attention, 0)) SIM_NAME(sim_notice_access)(w, op);
    __m256i at[4];
    if (__builtin_expect(!shared_check_masked(w, op, at), 0)) {
        SIM_NAME(sim_load_lanes)(w, op, w->mask);
        return;
    }
    uint32_t *d = SIM_REG(uint32_t, w, op->d);
    for (int g = 0; g < 4; g++) {
        if (!(w->mask >> 8 * g & 0xff)) continue;
        __m256i lanes = _mm256_load_si256((const __m256i *)w->lanes + g),
                old = _mm256_load_si256((const __m256i *)d + g);
        _mm256_store_si256((__m256i *)d + g,
                           _mm256_mask_i32gather_epi32(old, (const int *)w->shared, at[g], lanes, 1));
    }
}

static void SIM_NAME(store_shared_4_masked)(sim_warp *w, const sim_op *op) {
    if (__builtin_expect(w->attention, 0)) SIM_NAME(sim_notice_access)(w, op);
    __m256i at[4];
    if (__builtin_expect(!shared_check_masked(w, op, at), 0)) {
        SIM_NAME(sim_store_lanes)(w, op, w->mask);
        return;
    }
    const uint32_t *d = SIM_REG(uint32_t, w, op->d);
    uint32_t offsets[SIM_LANES];
    memcpy(offsets, at, sizeof offsets);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        int i = __builtin_ctz(m);
        memcpy(w->shared + offsets[i], d + i, 4);
    }
}
#else
static bool shared_check(const sim_warp *w, const sim_op *op, uint32_t at[SIM_LANES]) {
    const uint32_t *a = SIM_REG(uint32_t, w, op->a);
    uint32_t odd = 0, over = 0;
    for (int i = 0; i < SIM_LANES; i++) {
        at[i] = a[i] + (uint32_t)op->offset;
        odd |= at[i] & 3;
        over |= at[i] > w->shared_bytes - 4;
    }
    return w->shared_bytes >= 4 && !(odd | over);
}

static void SIM_NAME(load_shared_4)(sim_warp *w, const sim_op *op) {
    if (w->attention) SIM_NAME(sim_notice_access)(w, op);
    uint32_t at[SIM_LANES], *d = SIM_REG(uint32_t, w, op->d);
    if (!shared_check(w, op, at)) {
        SIM_NAME(sim_load_lanes)(w, op, SIM_ALL);
        return;
    }
    for (int i = 0; i < SIM_LANES; i++) memcpy(d + i, w->shared + at[i], 4);
}

static void SIM_NAME(store_shared_4)(sim_warp *w, const sim_op *op) {
    if (w->attention) SIM_NAME(sim_notice_access)(w, op);
    uint32_t at[SIM_LANES];
    const uint32_t *d = SIM_REG(uint32_t, w, op->d);
    if (!shared_check(w, op, at)) {
        SIM_NAME(sim_store_lanes)(w, op, SIM_ALL);
        return;
    }
    for (int i = 0; i < SIM_LANES; i++) memcpy(w->shared + at[i], d + i, 4);
}
#endif

void SIM_NAME(sim_pick_shared)(const memory_form *f, sim_op *op) {
    if (f->bytes != 4 || f->count != 1 || f->reg_bits != 32 || f->regs[0] == SIM_NOWHERE) return;
    op->full = f->is_store ? SIM_NAME(store_shared_4) : SIM_NAME(load_shared_4);
#if defined(__AVX2__)
    op->masked = f->is_store ? SIM_NAME(store_shared_4_masked) : SIM_NAME(load_shared_4_masked);
#endif
}

bool SIM_NAME(sim_share_base)(sim_op *access, sim_op *summary) {
#if defined(__AVX2__)
    if (access->full == SIM_NAME(load_shared_4))
        access->full = SIM_NAME(load_shared_known);
    else if (access->full == SIM_NAME(store_shared_4))
        access->full = SIM_NAME(store_shared_known);
    else
        return false;
    summary->full = SIM_NAME(shared_summarise);
    return true;
#else
    return false; // lane by lane there is nothing to share
#endif
}

bool SIM_NAME(sim_can_share_base)(const sim_op *access) {
#if defined(__AVX2__)
    return access->full == SIM_NAME(load_shared_4) || access->full == SIM_NAME(store_shared_4);
#else
    return false;
#endif
}
