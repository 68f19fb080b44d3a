// adamw 06: persistent blocks that look ahead in the list
// kz: sm 80
//
// Idea     the list and the table can be read while other elements are on their way.
// Change   a grid that fills the GPU walks over the list. A block has its next chunk's tensor, and the entry after that, before it
//          needs them. What is the same for all elements is computed once per block's thread instead of once per chunk.
// Expect   two waits per block of the whole launch instead of two per chunk; all blocks together still move over the arrays in order.
// Limit    a copy's rate. The last chunks of a small model are not evened out as blocks of their own would be.

#include "chunk.cuh"

template <typename W, typename G, bool has_copy>
static __device__ __forceinline__ void persistent(const adamw_run<W, G> &run) {
    unsigned stride = gridDim.x, at = blockIdx.x, chunks = (unsigned)run.chunks; // no fewer than blocks
    long long entry = run.list[at], after = at + stride < chunks ? run.list[at + stride] : entry;
    adamw_read read = adamw_read_control(run);
    if (read.skips) return;
    adamw_terms t = adamw_prepare(run, read);
    adamw_chunk<W, G> c = adamw_find_chunk<W, G, has_copy>(run, t, entry);
#pragma unroll 1
    for (;;) {
        adamw_chunk<W, G> next = adamw_find_chunk<W, G, has_copy>(run, t, after);
        if (at + 2 * stride < chunks) after = run.list[at + 2 * stride];
        adamw_do_chunk<true, ADAMW_PACKS, has_copy>(t, c);
        at += stride;
        if (at >= chunks) return;
        c = next;
    }
}
ADAMW_ENTRIES(persistent, ADAMW_BLOCKS, persistent)
