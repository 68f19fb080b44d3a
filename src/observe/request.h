// What one memory request of a warp costs, from the addresses of its lanes alone.
//
// sector     an aligned 32-byte piece of memory; a request counts each that its lanes touch once.
// wavefront  one pass of shared memory's 32 banks of 4 bytes. Lanes are served in groups whose data fill 128
//            bytes: 32 lanes for up to 4 bytes each, 16 for 8, 8 for 16. In a group, different words of one
//            bank take turns; one word for many lanes is a broadcast. Loads pair their groups where every
//            active lane n has the address of lane n^1, or every one that of lane n^2 (or that lane is off):
//            8-byte loads then take one group of 32, 16-byte loads two of 16. Source: NVIDIA's answer in
//            "Unexpected shared memory bank conflict" (developer forums, 2019), for sm_70 and later.
// atomics    lanes that share an address take turns: the first lane of each address, then the second ones,
// and
//            so on. Global memory: each turn touches its sectors. Shared memory: a pass per lane on the
//            fullest bank, twice for compare-and-swap, and one more. Both measured on an H200 (tests/truth).
#ifndef OBSERVE_REQUEST_H
#define OBSERVE_REQUEST_H

#include "sim/sim.h"

enum { OBSERVE_LANES = 32, OBSERVE_SECTOR = 32 };

// How the addresses of the active lanes lie, in lane order.
typedef enum observe_pattern_kind {
    OBSERVE_UNIFORM,    // one address
    OBSERVE_CONTIGUOUS, // neighbours side by side
    OBSERVE_STRIDE,     // a constant step of `stride` bytes
    OBSERVE_ROWS, // runs of `run` lanes that step by `stride`; `jump` from one run's first lane to the next's
    OBSERVE_OTHER,
    OBSERVE_PATTERN_KINDS
} observe_pattern_kind;

typedef struct observe_pattern {
    observe_pattern_kind kind;
    uint32_t run;
    int64_t stride, jump;
} observe_pattern;

const char *observe_pattern_name(observe_pattern_kind kind);
bool observe_pattern_equal(const observe_pattern *a, const observe_pattern *b);

typedef struct observe_request {
    uint32_t lanes, distinct; // active lanes, and different addresses among them
    uint32_t sectors, ideal_sectors;
    uint32_t wavefronts, ideal_wavefronts;
} observe_request;

// `addresses` has 32 entries, `mask` at least one lane, `bytes` (per lane) at least 1.
uint32_t observe_count_sectors(const uint64_t *addresses, uint32_t mask, uint32_t bytes);
uint32_t observe_count_distinct(const uint64_t *addresses, uint32_t mask);
void observe_count_wavefronts(const uint64_t *addresses, uint32_t mask, uint32_t bytes, bool is_load,
                              uint32_t *wavefronts, uint32_t *ideal);
// Of a load or a store of shared memory. ldmatrix pairs no groups: each of its matrices is one (believed, see tests/truth).
static inline bool observe_pairs_groups(const sim_access *access) {
    return access->kind == SIM_LOAD && !(access->at.inst && access->at.inst->op == PTX_OP_LDMATRIX);
}
uint32_t observe_count_atomic_sectors(const uint64_t *addresses, uint32_t mask, uint32_t bytes);
void observe_count_atomic_wavefronts(const uint64_t *addresses, uint32_t mask, bool is_swap,
                                     uint32_t *wavefronts, uint32_t *ideal);
// Whether an atomic compares before it swaps.
static inline bool observe_is_swap(const ptx_inst *inst) {
    return inst && inst->by_category[PTX_CAT_ATOMIC] == PTX_MOD_CAS;
}
observe_pattern observe_find_pattern(const uint64_t *addresses, uint32_t mask, uint32_t bytes);

// The sectors that the distinct bytes would fill if packed, and never more than were touched.
uint32_t observe_ideal_sectors(uint32_t lanes, uint32_t bytes, uint32_t sectors);

// Local memory: word k of the 32 lanes of a warp lies together in 128 bytes. Where a byte of a lane's stack
// is in its warp's part.
static inline uint64_t observe_local_offset(uint64_t offset, uint32_t lane) {
    return (offset >> 2) * 128 + 4 * lane + (offset & 3);
}
// The sectors of an access to local memory; `offsets` are those into the lanes' own stacks.
uint32_t observe_count_local_sectors(const uint64_t *offsets, uint32_t mask, uint32_t bytes);

static inline uint32_t observe_lane_count(uint32_t mask) {
    return mask == UINT32_MAX ? OBSERVE_LANES : (uint32_t)__builtin_popcount(mask);
}

#endif
