// adamw 02: a block per chunk
//
// Idea     which tensor an element belongs to is the same for its neighbours: ask once for thousands of them.
// Change   a list names a tensor and a range of 8192 of its elements for each block. Two loads find a block's work.
// Expect   no search; blocks of equal work, however sizes are skewed. What is the same for all elements is computed per thread
//          and not per element.
// Limit    4 or 2 bytes per access: a warp asks for 128 or 64 bytes at a time, four loads in flight per thread (see 03).

#include "chunk.cuh"

template <typename W, typename G, bool has_copy>
static __device__ __forceinline__ void step_chunks(const adamw_run<W, G> &run) {
    long long entry = run.list[blockIdx.x];
    adamw_read read = adamw_read_control(run);
    if (read.skips) return;
    adamw_terms t = adamw_prepare(run, read);
    adamw_chunk<W, G> c = adamw_find_chunk<W, G, has_copy>(run, t, entry);
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < c.count; i += ADAMW_THREADS) adamw_element<false, has_copy>(t, c, i);
}
ADAMW_ENTRIES(chunks, 1, step_chunks)
