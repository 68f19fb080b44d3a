// Local memory where all lanes are at one offset: parameters of calls, spilled registers, arrays that a loop walks
// through. One check, and a column of pieces (see sim_local). All else goes lane by lane (exec_memory.c).

#include "sim/exec_memory.h"

#include "sim/exec.h"
#include "sim/gather.h"

// The host's address of lane 0's data; NULL where the lanes are at different offsets, or something is wrong.
static inline uint8_t *column(const sim_warp *w, const sim_op *op, const memory_form *f, uint64_t bytes) {
    uint64_t first, different = 0, room = w->block->grid->kernel->local_room;
    if (f->base_bits == 64) {
        const uint64_t *a = SIM_REG(uint64_t, w, op->a);
        for (int i = 0; i < SIM_LANES; i++) different |= a[i] ^ a[0];
        first = a[0] + (uint64_t)op->offset;
    } else {
        const uint32_t *a = SIM_REG(uint32_t, w, op->a);
        for (int i = 0; i < SIM_LANES; i++) different |= a[i] ^ a[0];
        first = (uint32_t)(a[0] + (uint32_t)op->offset);
    }
    first -= SIM_LOCAL_FIRST;
    if (different || first > room || bytes > room - first || first & (bytes - 1)) return NULL;
    return sim_local(w, 0, first);
}

#define COLUMN_AT(R, M, i) (R) * (const M *)(at + (i)*SIM_LOCAL_PIECE)

// Elements of type M in memory and R in registers, NAME for short; N of them are gathered at a time.
#define LOCAL_FORM(NAME, R, M, N)                                                                            \
    static void SIM_NAME(load_local_##NAME)(sim_warp * w, const sim_op *op) {                                \
        if (__builtin_expect(w->attention, 0)) SIM_NAME(sim_notice_access)(w, op);                           \
        const uint8_t *at = column(w, op, (const memory_form *)(uintptr_t)op->aux, sizeof(M));               \
        if (!at) {                                                                                           \
            SIM_NAME(sim_load_lanes)(w, op, SIM_ALL);                                                        \
            return;                                                                                          \
        }                                                                                                    \
        R *d = SIM_REG(R, w, op->d);                                                                         \
        for (int i = 0; i < SIM_LANES; i += N) GATHER(COLUMN_AT, R, M, N, d, i)                              \
    }                                                                                                        \
    static void SIM_NAME(store_local_##NAME)(sim_warp * w, const sim_op *op) {                               \
        if (__builtin_expect(w->attention, 0)) SIM_NAME(sim_notice_access)(w, op);                           \
        uint8_t *at = column(w, op, (const memory_form *)(uintptr_t)op->aux, sizeof(M));                     \
        if (!at) {                                                                                           \
            SIM_NAME(sim_store_lanes)(w, op, SIM_ALL);                                                       \
            return;                                                                                          \
        }                                                                                                    \
        const R *d = SIM_REG(const R, w, op->d);                                                             \
        for (int i = 0; i < SIM_LANES; i++) *(M *)(at + i * SIM_LOCAL_PIECE) = (M)d[i];                      \
    }

LOCAL_FORM(u8, uint16_t, uint8_t, 8)
LOCAL_FORM(s8, uint16_t, int8_t, 8)
LOCAL_FORM(2, uint16_t, uint16_t, 8)
LOCAL_FORM(4, uint32_t, uint32_t, 8)
LOCAL_FORM(8, uint64_t, uint64_t, 4)

void SIM_NAME(sim_pick_local)(const memory_form *f, sim_op *op) {
    bool plain = f->reg_bits == 8u * f->bytes || (f->bytes == 1 && f->reg_bits == 16);
    if (f->count != 1 || !plain || f->regs[0] == SIM_NOWHERE) return;
#define PICK(suffix) op->full = f->is_store ? SIM_NAME(store_local_##suffix) : SIM_NAME(load_local_##suffix)
    switch (f->bytes) {
    case 1:
        if (f->is_signed)
            PICK(s8);
        else
            PICK(u8);
        break;
    case 2: PICK(2); break;
    case 4: PICK(4); break;
    case 8: PICK(8); break;
    default: break;
    }
#undef PICK
}
