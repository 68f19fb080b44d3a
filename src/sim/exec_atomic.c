// Atomics: lane by lane, lowest first. The common ones have a function each, so that nothing is decided in the
// loop over lanes.

#include "sim/exec_memory.h"

#include "sim/atomics.h"
#include "sim/exec.h"

#include <string.h>

#define SIM_INLINE static inline __attribute__((always_inline))

// Nobody on another of the host's threads can reach what this access reaches.
static inline bool is_alone(const sim_warp *w, const memory_form *f) {
    return f->space == MEMORY_SHARED || w->block->grid->workers == 1;
}

static inline bool is_shared(const sim_warp *w, const memory_form *f, const uint8_t *at) {
    return f->space == MEMORY_SHARED || (at >= w->shared && at < w->shared + w->shared_bytes);
}

// Where other blocks may be at the same word at the same time, the change is one instruction of the host: sums, the
// commonest, as such, all else as compare-and-swap.
#define ATOMIC_LANES(T)                                                                                      \
    SIM_INLINE T change_##T(T *at, T b, T compare, ptx_type type, ptx_mod operation, bool shared,            \
                            uint64_t *changes) {                                                             \
        T old = *at, new = (T)sim_atomic_result(type, operation, old, b, compare, shared);                   \
        *at = new;                                                                                           \
        *changes += old != new;                                                                              \
        return old;                                                                                          \
    }                                                                                                        \
    SIM_INLINE T change_among_others_##T(T *at, T b, T compare, ptx_type type, ptx_mod operation,            \
                                         bool shared, uint64_t *changes) {                                   \
        bool sums = operation == PTX_MOD_ADD && (type == PTX_U32 || type == PTX_U64);                        \
        T old = sums ? __atomic_fetch_add(at, b, __ATOMIC_SEQ_CST) : __atomic_load_n(at, __ATOMIC_SEQ_CST),  \
          new;                                                                                               \
        do new = (T)sim_atomic_result(type, operation, old, b, compare, shared);                             \
        while (!sums &&                                                                                      \
               !__atomic_compare_exchange_n(at, &old, new, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));      \
        *changes += old != new;                                                                              \
        return old;                                                                                          \
    }                                                                                                        \
    SIM_INLINE void lanes_##T(sim_warp *w, const memory_form *f, unsigned e, uint32_t mask,                  \
                              const memory_hosts *hosts, ptx_type type, ptx_mod operation) {                 \
        const T *b = SIM_REG(const T, w, f->regs[e]);                                                        \
        const T *compare = f->compare == SIM_NOWHERE ? b : SIM_REG(const T, w, f->compare);                  \
        T *result = f->result[e] == SIM_NOWHERE ? NULL : SIM_REG(T, w, f->result[e]);                        \
        bool shared = is_shared(w, f, hosts->lane[__builtin_ctz(mask)]);                                     \
        uint64_t changes = 0;                                                                                \
        if (is_alone(w, f)) {                                                                                \
            for (uint32_t m = mask; m; m &= m - 1) {                                                         \
                int i = __builtin_ctz(m);                                                                    \
                T old = change_##T((T *)hosts->lane[i] + e, b[i], compare[i], type, operation, shared,       \
                                   &changes);                                                                \
                if (result) result[i] = old;                                                                 \
            }                                                                                                \
        } else {                                                                                             \
            for (uint32_t m = mask; m; m &= m - 1) {                                                         \
                int i = __builtin_ctz(m);                                                                    \
                T old = change_among_others_##T((T *)hosts->lane[i] + e, b[i], compare[i], type, operation,  \
                                                shared, &changes);                                           \
                if (result) result[i] = old;                                                                 \
            }                                                                                                \
        }                                                                                                    \
        w->block->worker->changes += changes;                                                                \
    }
ATOMIC_LANES(uint16_t)
ATOMIC_LANES(uint32_t)
ATOMIC_LANES(uint64_t)

// 16 bytes: only exch and cas, and only where one thread runs all blocks.
static void lane_of_16(sim_warp *w, const memory_form *f, unsigned lane, uint8_t *at) {
    uint8_t old[16];
    memcpy(old, at, 16);
    bool swap = f->operation == PTX_MOD_EXCH || !memcmp(old, SIM_REG(uint8_t, w, f->compare) + 16 * lane, 16);
    if (swap) {
        if (memcmp(at, SIM_REG(uint8_t, w, f->regs[0]) + 16 * lane, 16)) w->block->worker->changes++;
        memcpy(at, SIM_REG(uint8_t, w, f->regs[0]) + 16 * lane, 16);
    }
    if (f->result[0] != SIM_NOWHERE) memcpy(SIM_REG(uint8_t, w, f->result[0]) + 16 * lane, old, 16);
}

SIM_INLINE void apply(sim_warp *w, const memory_form *f, uint32_t mask, const memory_hosts *hosts,
                      unsigned bytes, ptx_type type, ptx_mod operation) {
    for (uint32_t m = mask; bytes == 16 && m; m &= m - 1)
        lane_of_16(w, f, (unsigned)__builtin_ctz(m), hosts->lane[__builtin_ctz(m)]);
    for (unsigned e = 0; e < f->count; e++) {
        if (bytes == 2) lanes_uint16_t(w, f, e, mask, hosts, type, operation);
        if (bytes == 4) lanes_uint32_t(w, f, e, mask, hosts, type, operation);
        if (bytes == 8) lanes_uint64_t(w, f, e, mask, hosts, type, operation);
    }
}

// A lane's address has to be looked at alone, perhaps to tell what is wrong with it.
static __attribute__((noinline)) void each_lane(sim_warp *w, const sim_op *op) {
    const memory_form *f = (const memory_form *)(uintptr_t)op->aux;
    memory_hosts hosts;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        hosts.lane[lane] = SIM_NAME(sim_lane_host)(w, op, lane, true);
        apply(w, f, m & (0u - m), &hosts, f->bytes, f->type, f->operation);
    }
}

SIM_INLINE void execute(sim_warp *w, const sim_op *op, unsigned bytes, ptx_type type, ptx_mod operation) {
    memory_hosts hosts;
    if (w->attention) SIM_NAME(sim_notice_access)(w, op);
    w->spun = true;
    if (SIM_NAME(sim_find_hosts)(w, op, w->mask, true, &hosts))
        apply(w, (const memory_form *)(uintptr_t)op->aux, w->mask, &hosts, bytes, type, operation);
    else
        each_lane(w, op);
}

static void SIM_NAME(atomic_any)(sim_warp *w, const sim_op *op) {
    const memory_form *f = (const memory_form *)(uintptr_t)op->aux;
    execute(w, op, f->bytes, f->type, f->operation);
}

// X(name, bytes, type, operation). Of the types that an operation treats alike, the unsigned one stands for all.
#define COMMON(X)                                                                                            \
    X(add_u32, 4, PTX_U32, PTX_MOD_ADD)                                                                      \
    X(and_u32, 4, PTX_U32, PTX_MOD_AND)                                                                      \
    X(or_u32, 4, PTX_U32, PTX_MOD_OR)                                                                        \
    X(xor_u32, 4, PTX_U32, PTX_MOD_XOR)                                                                      \
    X(exch_u32, 4, PTX_U32, PTX_MOD_EXCH)                                                                    \
    X(cas_u32, 4, PTX_U32, PTX_MOD_CAS)                                                                      \
    X(inc_u32, 4, PTX_U32, PTX_MOD_INC)                                                                      \
    X(dec_u32, 4, PTX_U32, PTX_MOD_DEC)                                                                      \
    X(min_u32, 4, PTX_U32, PTX_MOD_MIN)                                                                      \
    X(max_u32, 4, PTX_U32, PTX_MOD_MAX)                                                                      \
    X(min_s32, 4, PTX_S32, PTX_MOD_MIN)                                                                      \
    X(max_s32, 4, PTX_S32, PTX_MOD_MAX)                                                                      \
    X(add_f32, 4, PTX_F32, PTX_MOD_ADD)                                                                      \
    X(add_u64, 8, PTX_U64, PTX_MOD_ADD)                                                                      \
    X(and_u64, 8, PTX_U64, PTX_MOD_AND)                                                                      \
    X(or_u64, 8, PTX_U64, PTX_MOD_OR)                                                                        \
    X(xor_u64, 8, PTX_U64, PTX_MOD_XOR)                                                                      \
    X(exch_u64, 8, PTX_U64, PTX_MOD_EXCH)                                                                    \
    X(cas_u64, 8, PTX_U64, PTX_MOD_CAS)                                                                      \
    X(min_u64, 8, PTX_U64, PTX_MOD_MIN)                                                                      \
    X(max_u64, 8, PTX_U64, PTX_MOD_MAX)                                                                      \
    X(min_s64, 8, PTX_S64, PTX_MOD_MIN)                                                                      \
    X(max_s64, 8, PTX_S64, PTX_MOD_MAX)                                                                      \
    X(add_f64, 8, PTX_F64, PTX_MOD_ADD)

#define FUNCTION(name, bytes, type, operation)                                                               \
    static void SIM_NAME(atomic_##name)(sim_warp * w, const sim_op *op) {                                    \
        execute(w, op, bytes, type, operation);                                                              \
    }
COMMON(FUNCTION)

// The type that stands for this one, see COMMON.
static ptx_type representative(ptx_type type, ptx_mod operation) {
    bool by_sign = operation == PTX_MOD_MIN || operation == PTX_MOD_MAX;
    switch (type) {
    case PTX_S32: return by_sign ? type : PTX_U32;
    case PTX_S64: return by_sign ? type : PTX_U64;
    case PTX_B32: return PTX_U32;
    case PTX_B64: return PTX_U64;
    default: return type;
    }
}

void SIM_NAME(sim_pick_atomic)(const memory_form *f, sim_op *op) {
    op->full = op->masked = SIM_NAME(atomic_any);
#define ROW(name, bytes, row_type, row_operation)                                                            \
    if (representative(f->type, f->operation) == row_type && f->operation == row_operation)                  \
        op->full = op->masked = SIM_NAME(atomic_##name);
    COMMON(ROW)
#undef ROW
}
