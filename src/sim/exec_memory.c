// Loads and stores. Every access is checked: inside a live allocation, aligned, of a known space.
//
// The common forms (one element of 2, 4 or 8 bytes per lane, global or shared) look at the pattern
// of the addresses first: all lanes alike, or side by side, need one check and a copy. Whatever is
// not recognised goes lane by lane, where the fault, if any, is found and told exactly.

#include "sim/exec_memory.h"

#include "sim/exec.h"
#include "sim/gather.h"

#include <string.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

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

// True where each of 32 accesses lies in [low, low + room) and is aligned to its size, a power of two. No branch
// and no comparison: of an offset past the end, it or its distance to the end has the highest bit.
static inline bool are_inside(const uint64_t *at, uint64_t low, uint64_t room, uint64_t bytes) {
    uint64_t limit = room - bytes, over = 0, bits = 0;
    for (int i = 0; i < SIM_LANES; i++) {
        uint64_t offset = at[i] - low;
        over |= offset | (limit - offset);
        bits |= at[i];
    }
    return !(over >> 63 | (bits & (bytes - 1)));
}

// Keeps the compiler from storing several at once: they are loaded one by one at once, and a CPU hands a store on to a
// load of the same size soonest. A histogram is a quarter faster so.
static inline uint8_t *by_itself(uintptr_t host) {
    __asm__("" : "+r"(host));
    return (uint8_t *)host;
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
    if (r.space != MEMORY_LOCAL) {
        for (int i = 0; i < SIM_LANES; i++) hosts->lane[i] = by_itself(base + at[i]);
        return true;
    }
    enum { IN_PIECE = SIM_LOCAL_PIECE - 1 }; // see sim_local
    for (int i = 0; i < SIM_LANES; i++) {
        uint64_t offset = at[i] - r.low, piece = (offset & ~(uint64_t)IN_PIECE) * SIM_LANES;
        hosts->lane[i] = r.base + (piece + (offset & IN_PIECE) + (uint64_t)i * SIM_LOCAL_PIECE);
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
        case HOSTS_SHAPE(2, 16, 0): HOSTS_LOAD(uint16_t, uint16_t, 8)
        case HOSTS_SHAPE(2, 32, 0): HOSTS_LOAD(uint16_t, uint32_t, 8)
        case HOSTS_SHAPE(2, 32, 1): HOSTS_LOAD(int16_t, uint32_t, 8)
        case HOSTS_SHAPE(4, 32, 0): HOSTS_LOAD(uint32_t, uint32_t, 8)
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
        case HOSTS_SHAPE(2, 16, 0): HOSTS_STORE(uint16_t, uint16_t)
        case HOSTS_SHAPE(2, 32, 0): HOSTS_STORE(uint16_t, uint32_t)
        case HOSTS_SHAPE(4, 32, 0): HOSTS_STORE(uint32_t, uint32_t)
        case HOSTS_SHAPE(8, 64, 0): HOSTS_STORE(uint64_t, uint64_t)
        default: return false;
        }
    }
    return true;
}

void SIM_NAME(sim_load_lanes)(sim_warp *w, const sim_op *op, uint32_t mask) {
    const memory_form *f = (const memory_form *)(uintptr_t)op->aux;
    memory_hosts hosts;
    if (SIM_NAME(sim_find_hosts)(w, op, mask, false, &hosts) && load_hosts(w, f, mask, &hosts)) return;
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
    if (SIM_NAME(sim_find_hosts)(w, op, mask, true, &hosts) && store_hosts(w, f, mask, &hosts)) return;
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

// ---- global memory, all lanes ----------------------------------------------------------------------------

// How 32 addresses lie. `bytes` is what a lane moves.
static inline pattern pattern_of(const uint64_t *a, uint64_t bytes) {
    uint64_t first = a[0], wrong = 0;
    if (a[1] == first) {
        for (int i = 0; i < SIM_LANES; i++) wrong |= a[i] ^ first;
        return wrong ? SCATTERED : UNIFORM;
    }
    if (a[1] - first != bytes) return SCATTERED;
    for (int i = 0; i < SIM_LANES; i++) wrong |= (a[i] - first) ^ ((uint64_t)i * bytes);
    return wrong ? SCATTERED : CONTIGUOUS;
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
#define GLOBAL_AT(R, M, i) (R) * (const M *)(global + a[i])

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
        default:                                                                                             \
            if (SIM_NAME(load_groups_##NAME)(w, op, a, d)) return;                                           \
        }                                                                                                    \
        SIM_NAME(sim_load_lanes)(w, op, SIM_ALL);                                                            \
    }                                                                                                        \
    static void SIM_NAME(store_global_##NAME)(sim_warp * w, const sim_op *op) {                              \
        if (__builtin_expect(w->attention, 0)) SIM_NAME(sim_notice_access)(w, op);                           \
        const uint64_t *restrict a = SIM_REG(uint64_t, w, op->a);                                            \
        const R *d = SIM_REG(R, w, op->d);                                                                   \
        uint64_t first = a[0] + (uint64_t)op->offset;                                                        \
        M *restrict to;                                                                                      \
        if (pattern_of(a, sizeof(M)) == CONTIGUOUS &&                                                        \
            (to = (M *)global_range(w, op, first, SIM_LANES * sizeof(M), sizeof(M), true))) {                \
            CONVERT_ROW(M, R, to, d, SIM_LANES)                                                              \
            return;                                                                                          \
        }                                                                                                    \
        if (SIM_NAME(store_groups_##NAME)(w, op, a, d)) return;                                              \
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

// ---- global memory, some lanes ----------------------------------------------------------------------

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

static void pick_fast(const memory_form *f, sim_op *op) {
    bool global = (f->space == MEMORY_GLOBAL || f->space == MEMORY_GENERIC) && f->base_bits == 64;
    bool shared = f->space == MEMORY_SHARED && f->base_bits == 32;
    bool plain = f->reg_bits == 8u * f->bytes || (f->bytes == 1 && f->reg_bits == 16);
    for (unsigned e = 0; e < f->count; e++) plain = plain && f->regs[e] != SIM_NOWHERE;
    if (!plain) return;
#define PICK(shape, suffix)                                                                                  \
    op->full = f->is_store ? SIM_NAME(store_##shape##_##suffix) : SIM_NAME(load_##shape##_##suffix)
    unsigned form = f->bytes * 16u + f->count;
    if (global) {
        switch (form) {
        case 0x11:
            if (f->is_signed)
                PICK(global, s8);
            else
                PICK(global, u8);
            break;
        case 0x21: PICK(global, 2); break;
        case 0x41:
            PICK(global, 4);
            op->masked = f->is_store ? SIM_NAME(store_global_4_masked) : SIM_NAME(load_global_4_masked);
            break;
        case 0x81: PICK(global, 8); break;
        case 0x22: PICK(global, 2x2); break;
        case 0x24: PICK(global, 2x4); break;
        case 0x42: PICK(global, 4x2); break;
        case 0x44: PICK(global, 4x4); break;
        case 0x82: PICK(global, 8x2); break;
        default: break;
        }
    } else if (shared && form == 0x41)
        SIM_NAME(sim_pick_shared)(f->is_store, op);
    else if (f->space == MEMORY_LOCAL)
        SIM_NAME(sim_pick_local)(f, op);
#undef PICK
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
