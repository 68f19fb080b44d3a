// adamw 04: several packs in flight
//
// Idea     a block begins with two loads that wait for each other, the list's and the table's; what follows must make up for it.
// Change   a thread loads two packs of each array, eight loads, before it uses the first.
// Expect   128 bytes of loads in flight per thread; ahead of 03 where three blocks on a multiprocessor are what registers allow.
// Limit    a root and a division that round exactly are some fifteen instructions of an element; bf16 has eight elements for
//          every four loads (see 05).

#include "chunk.cuh"

template <typename W, typename G, bool has_copy>
static __device__ __forceinline__ void unrolled(const adamw_run<W, G> &run) {
    adamw_block<false, ADAMW_PACKS, has_copy>(run);
}
ADAMW_ENTRIES(unrolled, ADAMW_BLOCKS, unrolled)
