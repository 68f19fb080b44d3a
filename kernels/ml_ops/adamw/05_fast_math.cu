// adamw 05: root and quotient by the special function unit
// kz: sm 80
//
// Idea     a copy's rate leaves an H200 about 200 instructions for an f32 element and 100 for one of bf16, everything included.
// Change   sqrt.approx and rcp.approx in the place of the exact root and division, one instruction each and no branch; two
//          results rounded to bf16 by one instruction (sm_80).
// Expect   the same error bound: each is off by 2^-23, and what they make is a small part of a weight. Fewer instructions per element,
//          which bf16 needs.
// Limit    each block waits for its entry of the list, then for its tensor, and only then loads (see 06).

#include "chunk.cuh"

template <typename W, typename G, bool has_copy>
static __device__ __forceinline__ void fast_math(const adamw_run<W, G> &run) {
    adamw_block<true, ADAMW_PACKS, has_copy>(run);
}
ADAMW_ENTRIES(fast_math, ADAMW_BLOCKS, fast_math)
