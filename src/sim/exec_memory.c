// Loads and stores. Every access is checked: inside a live allocation, aligned, of a known space.
//
// The common forms look at the pattern of the addresses first (exec_global.c, exec_shared.c, exec_local.c). Whatever
// they do not recognise comes here: where the lanes' data lie is found at once if one check settles it, else lane by
// lane, where the fault, if any, is found and told exactly.

#include "sim/exec_memory.h"

#include "sim/exec.h"
#include "sim/gather.h"

#include <string.h>

// ---- one lane ------------------------------------------------------------------------------------------

static inline uint64_t lane_address(const sim_warp *w, const sim_op *op, const memory_form *f,
                                    unsigned lane) {
    uint64_t base =
        f->base_bits == 64 ? SIM_REG(uint64_t, w, op->a)[lane] : SIM_REG(uint32_t, w, op->a)[lane];
    uint64_t address = base + (uint64_t)op->offset;
    return f->base_bits == 64 ? address : address & UINT32_MAX;
}

uint8_t *SIM_NAME(sim_lane_host)(sim_warp *w, const sim_op *op, unsigned lane, bool write) {
    const memory_form *f = (const memory_form *)(uintptr_t)op->aux;
    return sim_resolve(w, op, f->space, lane, lane_address(w, op, f, lane), f->bytes * f->count, write);
}

static inline void register_write(sim_warp *w, uint32_t at, unsigned bits, unsigned lane, uint64_t value) {
    if (bits == 32)
        SIM_REG(uint32_t, w, at)[lane] = (uint32_t)value;
    else if (bits == 64)
        SIM_REG(uint64_t, w, at)[lane] = value;
    else
        SIM_REG(uint16_t, w, at)[lane] = (uint16_t)value;
}

static inline uint64_t register_read(const sim_warp *w, uint32_t at, unsigned bits, unsigned lane) {
    if (bits == 32) return SIM_REG(uint32_t, w, at)[lane];
    if (bits == 64) return SIM_REG(uint64_t, w, at)[lane];
    return SIM_REG(uint16_t, w, at)[lane];
}

static inline uint64_t extend(uint64_t value, const memory_form *f) {
    if (!f->is_signed || f->bytes == 8) return value;
    unsigned shift = 64 - 8 * f->bytes;
    return (uint64_t)((int64_t)(value << shift) >> shift);
}

// The lanes' addresses; those that do not take part are where the first that does is, so they are never wrong.
static inline void lane_addresses(const sim_warp *w, const sim_op *op, const memory_form *f, uint32_t mask,
                                  uint64_t at[SIM_LANES]) {
    const uint64_t *wide = SIM_REG(uint64_t, w, op->a);
    const uint32_t *narrow = SIM_REG(uint32_t, w, op->a);
    if (f->base_bits == 64)
        for (int i = 0; i < SIM_LANES; i++) at[i] = wide[i] + (uint64_t)op->offset;
    else
        for (int i = 0; i < SIM_LANES; i++) at[i] = (uint32_t)(narrow[i] + (uint32_t)op->offset);
    if (mask == SIM_ALL) return;
    uint64_t first = at[__builtin_ctz(mask)];
    for (int i = 0; i < SIM_LANES; i++) at[i] = mask >> i & 1 ? at[i] : first;
}

// Where in the machine's memory a space lies: [low, low + room) is at base.
typedef struct region {
    memory_space space; // never GENERIC
    uint64_t low, room;
    uint8_t *base;
} region;

static inline bool find_region(sim_warp *w, const sim_op *op, memory_space space, uint64_t first,
                               uint64_t bytes, bool write, region *r) {
    *r = (region){.space = space};
    if (space == MEMORY_GENERIC) {
        if (first >= SIM_GLOBAL_BASE)
            r->space = MEMORY_GLOBAL;
        else if (first - SIM_SHARED_WINDOW < SIM_WINDOW_BYTES) {
            r->space = MEMORY_SHARED;
            r->low = SIM_SHARED_WINDOW;
        } else if (first - SIM_LOCAL_WINDOW < SIM_WINDOW_BYTES) {
            r->space = MEMORY_LOCAL;
            r->low = SIM_LOCAL_WINDOW;
        }
    }
    if (r->space == MEMORY_LOCAL) r->low += SIM_LOCAL_FIRST;
    switch (r->space) {
    case MEMORY_SHARED:
        r->base = w->shared;
        r->room = w->shared_bytes;
        return r->room >= bytes;
    case MEMORY_LOCAL:
        r->base = w->local;
        r->room = w->block->grid->kernel->local_room;
        return r->room >= bytes;
    case MEMORY_GLOBAL: {
        const sim_extent *extent = &w->extents[op->c];
        if ((bytes > extent->bytes || first - extent->low > extent->bytes - bytes ||
             (write && !extent->writable)) &&
            !sim_extent_find(w, op, first, bytes, write))
            return false;
        r->low = extent->low;
        r->room = extent->bytes;
        r->base = (uint8_t *)(w->global + r->low);
        return true;
    }
    default: return false;
    }
}

// Keeps the compiler from storing several at once: they are loaded one by one at once, and a CPU hands a store on to a
// load of the same size soonest. A histogram is a quarter faster so.
static inline uint8_t *by_itself(uintptr_t host) {
    __asm__("" : "+r"(host));
    return (uint8_t *)host;
}

// Where a lane's local memory lies: see sim_local.
static inline uint8_t *local_host(uint8_t *base, uint64_t offset, int lane) {
    enum { IN_PIECE = SIM_LOCAL_PIECE - 1 };
    uint64_t piece = (offset & ~(uint64_t)IN_PIECE) * SIM_LANES;
    return base + (piece + (offset & IN_PIECE) + (uint64_t)lane * SIM_LOCAL_PIECE);
}

bool SIM_NAME(sim_find_hosts)(sim_warp *w, const sim_op *op, uint32_t mask, bool write, memory_hosts *hosts) {
    const memory_form *f = (const memory_form *)(uintptr_t)op->aux;
    uint64_t at[SIM_LANES] __attribute__((aligned(64))), bytes = (uint64_t)f->bytes * f->count;
    region r;
    if (!mask) return false;
    lane_addresses(w, op, f, mask, at);
    if (!find_region(w, op, f->space, at[__builtin_ctz(mask)], bytes, write, &r)) return false;
    if (!are_inside(at, r.low, r.room, bytes)) return false;
    uintptr_t base = (uintptr_t)r.base - r.low;
    if (r.space == MEMORY_LOCAL)
        for (int i = 0; i < SIM_LANES; i++) hosts->lane[i] = local_host(r.base, at[i] - r.low, i);
    else
        for (int i = 0; i < SIM_LANES; i++) hosts->lane[i] = by_itself(base + at[i]);
    return true;
}

static inline bool is_inside(const region *r, uint64_t at, uint64_t bytes) {
    return at - r->low <= r->room - bytes && !(at & (bytes - 1));
}

// The same where the lanes lie in several spaces or allocations (the tables of virtual functions, one of two arrays):
// each is looked for among those that were found for the lanes before.
static __attribute__((noinline)) bool find_hosts_apart(sim_warp *w, const sim_op *op, uint32_t mask,
                                                       bool write, memory_hosts *hosts) {
    enum { REGIONS = 8 };
    const memory_form *f = (const memory_form *)(uintptr_t)op->aux;
    uint64_t bytes = (uint64_t)f->bytes * f->count;
    region found[REGIONS];
    unsigned count = 0;
    for (; mask; mask &= mask - 1) {
        int lane = __builtin_ctz(mask);
        unsigned r = 0;
        uint64_t at = lane_address(w, op, f, (unsigned)lane);
        while (r < count && !is_inside(&found[r], at, bytes)) r++;
        if (r == REGIONS) return false;
        if (r == count && (!find_region(w, op, f->space, at, bytes, write, &found[count++]) ||
                           !is_inside(&found[r], at, bytes)))
            return false;
        uint64_t offset = at - found[r].low;
        bool local = found[r].space == MEMORY_LOCAL;
        hosts->lane[lane] = local ? local_host(found[r].base, offset, lane) : found[r].base + offset;
    }
    return true;
}

#define HOSTS_AT(R, M, i) (R) * (const M *)(hosts->lane[i] + e * sizeof(M))
#define HOSTS_LOAD(M, R, N)                                                                                  \
    {                                                                                                        \
        R *d = SIM_REG(R, w, f->regs[e]);                                                                    \
        if (mask == SIM_ALL)                                                                                 \
            for (int i = 0; i < SIM_LANES; i += N) GATHER(HOSTS_AT, R, M, N, d, i)                           \
        else                                                                                                 \
            for (uint32_t m = mask; m; m &= m - 1) d[__builtin_ctz(m)] = HOSTS_AT(R, M, __builtin_ctz(m));   \
        break;                                                                                               \
    }
#define HOSTS_STORE(M, R)                                                                                    \
    {                                                                                                        \
        const R *d = SIM_REG(R, w, f->regs[e]);                                                              \
        if (mask == SIM_ALL)                                                                                 \
            for (int i = 0; i < SIM_LANES; i++) *(M *)(hosts->lane[i] + e * sizeof(M)) = (M)d[i];            \
        else                                                                                                 \
            for (uint32_t m = mask; m; m &= m - 1)                                                           \
                *(M *)(hosts->lane[__builtin_ctz(m)] + e * sizeof(M)) = (M)d[__builtin_ctz(m)];              \
        break;                                                                                               \
    }

// Bytes of an element, bits of its register, signed or not, as one number to choose by.
#define HOSTS_SHAPE(bytes, bits, is_signed) ((bytes)*512u + (bits)*2u + (is_signed))

static bool load_hosts(sim_warp *w, const memory_form *f, uint32_t mask, const memory_hosts *hosts) {
    for (unsigned e = 0; e < f->count; e++) {
        if (f->regs[e] == SIM_NOWHERE) continue;
        switch (HOSTS_SHAPE(f->bytes, f->reg_bits, f->is_signed && 8u * f->bytes < f->reg_bits)) {
        case HOSTS_SHAPE(1, 16, 0): HOSTS_LOAD(uint8_t, uint16_t, 8)
        case HOSTS_SHAPE(1, 16, 1): HOSTS_LOAD(int8_t, uint16_t, 8)
        case HOSTS_SHAPE(1, 32, 0): HOSTS_LOAD(uint8_t, uint32_t, 8)
        case HOSTS_SHAPE(1, 32, 1): HOSTS_LOAD(int8_t, uint32_t, 8)
        case HOSTS_SHAPE(1, 64, 0): HOSTS_LOAD(uint8_t, uint64_t, 4)
        case HOSTS_SHAPE(1, 64, 1): HOSTS_LOAD(int8_t, uint64_t, 4)
        case HOSTS_SHAPE(2, 16, 0): HOSTS_LOAD(uint16_t, uint16_t, 8)
        case HOSTS_SHAPE(2, 32, 0): HOSTS_LOAD(uint16_t, uint32_t, 8)
        case HOSTS_SHAPE(2, 32, 1): HOSTS_LOAD(int16_t, uint32_t, 8)
        case HOSTS_SHAPE(2, 64, 0): HOSTS_LOAD(uint16_t, uint64_t, 4)
        case HOSTS_SHAPE(2, 64, 1): HOSTS_LOAD(int16_t, uint64_t, 4)
        case HOSTS_SHAPE(4, 32, 0): HOSTS_LOAD(uint32_t, uint32_t, 8)
        case HOSTS_SHAPE(4, 64, 0): HOSTS_LOAD(uint32_t, uint64_t, 4)
        case HOSTS_SHAPE(4, 64, 1): HOSTS_LOAD(int32_t, uint64_t, 4)
        case HOSTS_SHAPE(8, 64, 0): HOSTS_LOAD(uint64_t, uint64_t, 4)
        default: return false;
        }
    }
    return true;
}

static bool store_hosts(sim_warp *w, const memory_form *f, uint32_t mask, const memory_hosts *hosts) {
    for (unsigned e = 0; e < f->count; e++) {
        if (f->regs[e] == SIM_NOWHERE) return false;
        switch (HOSTS_SHAPE(f->bytes, f->reg_bits, 0)) {
        case HOSTS_SHAPE(1, 16, 0): HOSTS_STORE(uint8_t, uint16_t)
        case HOSTS_SHAPE(1, 32, 0): HOSTS_STORE(uint8_t, uint32_t)
        case HOSTS_SHAPE(1, 64, 0): HOSTS_STORE(uint8_t, uint64_t)
        case HOSTS_SHAPE(2, 16, 0): HOSTS_STORE(uint16_t, uint16_t)
        case HOSTS_SHAPE(2, 32, 0): HOSTS_STORE(uint16_t, uint32_t)
        case HOSTS_SHAPE(2, 64, 0): HOSTS_STORE(uint16_t, uint64_t)
        case HOSTS_SHAPE(4, 32, 0): HOSTS_STORE(uint32_t, uint32_t)
        case HOSTS_SHAPE(4, 64, 0): HOSTS_STORE(uint32_t, uint64_t)
        case HOSTS_SHAPE(8, 64, 0): HOSTS_STORE(uint64_t, uint64_t)
        default: return false;
        }
    }
    return true;
}

void SIM_NAME(sim_load_lanes)(sim_warp *w, const sim_op *op, uint32_t mask) {
    const memory_form *f = (const memory_form *)(uintptr_t)op->aux;
    memory_hosts hosts;
    bool found =
        SIM_NAME(sim_find_hosts)(w, op, mask, false, &hosts) || find_hosts_apart(w, op, mask, false, &hosts);
    if (found && load_hosts(w, f, mask, &hosts)) return;
    for (; mask; mask &= mask - 1) {
        unsigned lane = (unsigned)__builtin_ctz(mask);
        const uint8_t *from = SIM_NAME(sim_lane_host)(w, op, lane, false);
        for (unsigned e = 0; e < f->count; e++) {
            if (f->regs[e] == SIM_NOWHERE) continue;
            if (f->bytes == 16) {
                memcpy(SIM_REG(uint8_t, w, f->regs[e]) + 16 * lane, from + 16 * e, 16);
                continue;
            }
            uint64_t value = 0;
            memcpy(&value, from + e * f->bytes, f->bytes);
            register_write(w, f->regs[e], f->reg_bits, lane, extend(value, f));
        }
    }
}

void SIM_NAME(sim_store_lanes)(sim_warp *w, const sim_op *op, uint32_t mask) {
    const memory_form *f = (const memory_form *)(uintptr_t)op->aux;
    memory_hosts hosts;
    bool found =
        SIM_NAME(sim_find_hosts)(w, op, mask, true, &hosts) || find_hosts_apart(w, op, mask, true, &hosts);
    if (found && store_hosts(w, f, mask, &hosts)) return;
    for (; mask; mask &= mask - 1) {
        unsigned lane = (unsigned)__builtin_ctz(mask);
        uint8_t *to = SIM_NAME(sim_lane_host)(w, op, lane, true);
        for (unsigned e = 0; e < f->count; e++) {
            if (f->bytes == 16) {
                memcpy(to + 16 * e, SIM_REG(uint8_t, w, f->regs[e]) + 16 * lane, 16);
                continue;
            }
            uint64_t value = register_read(w, f->regs[e], f->reg_bits, lane);
            memcpy(to + e * f->bytes, &value, f->bytes);
        }
    }
}

void SIM_NAME(sim_notice_access)(sim_warp *w, const sim_op *op) {
    const memory_form *f = (const memory_form *)(uintptr_t)op->aux;
    const uint64_t *wide = SIM_REG(uint64_t, w, op->a);
    const uint32_t *narrow = SIM_REG(uint32_t, w, op->a);
    uint64_t at[SIM_LANES] __attribute__((aligned(64)));
    if (f->base_bits == 64)
        for (int i = 0; i < SIM_LANES; i++) at[i] = wide[i] + (uint64_t)op->offset;
    else
        for (int i = 0; i < SIM_LANES; i++) at[i] = (uint32_t)(narrow[i] + (uint32_t)op->offset);
    sim_notice_addresses(w, op, at);
}

static void SIM_NAME(load_any)(sim_warp *w, const sim_op *op) {
    if (w->attention) SIM_NAME(sim_notice_access)(w, op);
    SIM_NAME(sim_load_lanes)(w, op, w->mask);
}

// A load of what another thread may be about to change: whoever does it in a loop is waiting. A thread's own
// local memory is nobody else's, however volatile.
static void SIM_NAME(load_volatile)(sim_warp *w, const sim_op *op) {
    const memory_form *f = (const memory_form *)(uintptr_t)op->aux;
    uint64_t address = lane_address(w, op, f, (unsigned)__builtin_ctz(w->mask));
    bool own = f->space == MEMORY_LOCAL ||
               (f->space == MEMORY_GENERIC && address >= SIM_LOCAL_WINDOW && address < SIM_PARAM_WINDOW);
    if (!own) w->spun = true;
    SIM_NAME(load_any)(w, op);
}

static void SIM_NAME(store_any)(sim_warp *w, const sim_op *op) {
    if (w->attention) SIM_NAME(sim_notice_access)(w, op);
    SIM_NAME(sim_store_lanes)(w, op, w->mask);
}

// ---- the selector -----------------------------------------------------------------------------------

static void pick_fast(const memory_form *f, sim_op *op) {
    if ((f->space == MEMORY_GLOBAL || f->space == MEMORY_GENERIC) && f->base_bits == 64)
        SIM_NAME(sim_pick_global)(f, op);
    else if (f->space == MEMORY_SHARED && f->base_bits == 32)
        SIM_NAME(sim_pick_shared)(f, op);
    else if (f->space == MEMORY_LOCAL)
        SIM_NAME(sim_pick_local)(f, op);
}

bool SIM_NAME(sim_select_memory)(sim_decoder *decoder, const ptx_inst *inst, sim_op *op) {
    switch (inst->op) {
    case PTX_OP_LD:
    case PTX_OP_LDU:
    case PTX_OP_ST: {
        const memory_form *f = sim_memory_form(decoder, inst, op);
        if (!f) return false;
        op->full = op->masked = f->is_store ? SIM_NAME(store_any) : SIM_NAME(load_any);
        op->d = f->regs[0];
        if (f->is_volatile && !f->is_store)
            op->full = op->masked = SIM_NAME(load_volatile);
        else
            pick_fast(f, op);
        return true;
    }
    case PTX_OP_ATOM:
    case PTX_OP_RED:
        if (!sim_atomic_form(decoder, inst, op)) return false;
        SIM_NAME(sim_pick_atomic)((const memory_form *)(uintptr_t)op->aux, op);
        return true;
    default: return SIM_NAME(sim_select_address)(decoder, inst, op);
    }
}
