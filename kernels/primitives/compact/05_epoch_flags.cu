// compact 05: decoupled look-back with epoch flags
//
// Idea     04 clears its tile statuses before each launch, so that an old flag is not taken for a new one. A flag
//          that names its launch needs no clearing (scan 07, reduce 08).
// Change   the statuses live in the module, their flag is twice the launch's number, the epoch, and block b takes tile
//          b: no fill, no counter. Blocks start in index order, so a block waits only for blocks that have started;
//          CUB relies on the same.
// Expect   one launch, the first load in its first instructions: ahead of 04 by a few microseconds.
// Limit    the module's statuses allow one launch at a time, and 2^19 tiles. Each block waits for its prefix with
//          its registers full and nothing in flight: loads and waits alternate (see 06).

#include "one_pass.cuh"

enum { THREADS = COMPACT_EPOCH_THREADS, WARPS = THREADS / KZ_WARP };

static __device__ unsigned long long compact_words[COMPACT_STATUSES];
static __device__ unsigned compact_epoch; // of the last launch

template <typename R>
static __device__ __forceinline__ void run(const typename R::element *in, const uint8_t *flags,
                                           typename R::element *out, unsigned *selected, size_t n) {
    unsigned epoch = *(volatile unsigned *)&compact_epoch + 1; // on its way while the input is read
    const kz_tile_states states = {compact_words, COMPACT_STATUSES};
    one_pass<R, WARPS, COMPACT_EPOCH_ROWS>(view<R>(in, flags, n), out, selected, blockIdx.x, gridDim.x,
                                           states, epoch * 2);
    // The last tile has heard of all others, so every block has read the old epoch.
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) *(volatile unsigned *)&compact_epoch = epoch;
}

#define ENTRY(operation, type, T, rule)                                                                      \
    KZ_ENTRY_BOUNDS(compact_epoch_flags_##operation##_##type, THREADS, COMPACT_EPOCH_BLOCKS)                 \
    (const T *in, const uint8_t *flags, T *out, unsigned *selected, size_t n) {                              \
        run<COMPACT_RULE rule>(in, flags, out, selected, n);                                                 \
    }
COMPACT_ALL(ENTRY)
