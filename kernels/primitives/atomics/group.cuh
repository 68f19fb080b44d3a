// atomics: lanes of a warp that have the same key, for 04 and 09. Needs sm_80, for redux.
//
// A warp goes over its elements together: all 32 lanes come to each round, those without an element too.
#ifndef ATOMICS_GROUP_CUH
#define ATOMICS_GROUP_CUH

#include "atomics.cuh"

// The lanes of the key's group, of those with an element; 0 for the others. All lanes must call it. Each group is a
// mask for what its lanes do together then: groups do not overlap.
static __device__ __forceinline__ unsigned group_of(const unsigned *keys, size_t i, size_t n) {
    unsigned mask = __ballot_sync(KZ_ALL_LANES, i < n), group = 0;
    if (i < n) group = __match_any_sync(mask, keys[i]);
    return group;
}

static __device__ __forceinline__ bool leads(unsigned group) {
    return group && (unsigned)__ffs((int)group) - 1 == kz_lane();
}

// The group's values together; each lane of the group must call it.
static __device__ __forceinline__ parts fold_group(unsigned group, int value) {
    parts p;
    p.count = __popc(group);
    p.sum = (int)__reduce_add_sync(group, (unsigned)value);
    p.least = __reduce_min_sync(group, value);
    p.greatest = __reduce_max_sync(group, value);
    return p;
}

// This warp's first element, and how far it is to the next: for (size_t i = ...; round_begins(i) < n; ...)
static __device__ __forceinline__ size_t round_begins(size_t i) { return i - kz_lane(); }

#endif
