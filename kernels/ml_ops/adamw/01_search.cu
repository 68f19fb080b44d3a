// adamw 01: a thread per element, which searches its tensor
//
// Idea     elements of all tensors are counted through: one launch has them all, whatever their sizes.
// Change   the first version. A thread finds its tensor by a binary search of the table, then does its element.
// Expect   right for any sizes; lanes of a warp are neighbours, so accesses are coalesced inside a tensor.
// Limit    log2(tensors) loads that wait for each other before an element's first one, and again for each element (see 02).

#include "chunk.cuh"

// The last tensor that begins at or before element i: of those that begin there too all but the last are empty.
static __device__ __forceinline__ size_t find_tensor(const kz_parameter *table, size_t tensors, size_t i) {
    size_t low = 0, high = tensors; // it is in [low, high)
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (table[middle].first <= i)
            low = middle;
        else
            high = middle;
    }
    return low;
}

template <typename W, typename G, bool has_copy>
static __device__ __forceinline__ void search(const adamw_run<W, G> &run) {
    size_t i = kz_thread();
    adamw_read read = adamw_read_control(run);
    if (i >= run.n || read.skips) return;
    adamw_terms t = adamw_prepare(run, read);
    size_t found = find_tensor(run.table, run.tensors, i);
    adamw_chunk<W, G> all = adamw_find_chunk<W, G, has_copy>(run, t, (long long)found << 32);
    adamw_element<false, has_copy>(t, all, i - run.table[found].first);
}
ADAMW_ENTRIES(search, 1, search)
