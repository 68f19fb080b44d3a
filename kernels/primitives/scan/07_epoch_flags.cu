// scan 07: decoupled look-back with epoch flags
//
// Idea     06 clears its tile statuses before each launch, so that an old flag is not taken for a new one. A flag
//          that names its launch needs no clearing (reduce 08).
// Change   the statuses live in the module, their flag is twice the launch's number, the epoch, and block b takes tile
//          b: no fill, no counter. Blocks start in index order, so a block waits only for blocks that have started;
//          CUB relies on the same.
// Expect   one launch, the first load in its first instructions; ahead of 06 by a few microseconds, which is
//          much below 2^22 elements.
// Limit    the module's statuses allow one launch at a time, and 2^19 tiles. As in 06, each block waits for its
//          prefix with its registers full and nothing in flight: loads and waits alternate (see 08).

#include "one_pass.cuh"

static __device__ unsigned long long scan_words[3 * SCAN_STATUSES];
static __device__ unsigned scan_epoch; // of the last launch

template <typename Op> struct shape {
    static const bool WIDE = SCAN_EPOCH_IS_WIDE(sizeof(typename Op::element), sizeof(typename Op::value));
    static const int THREADS = WIDE ? SCAN_EPOCH_WIDE_THREADS : SCAN_EPOCH_THREADS, WARPS = THREADS / KZ_WARP;
    static const int ROWS = WIDE ? SCAN_EPOCH_WIDE_ROWS : SCAN_EPOCH_ROWS;
    static const int BLOCKS = WIDE ? SCAN_EPOCH_WIDE_BLOCKS : SCAN_EPOCH_BLOCKS;
};

template <typename Op>
static __device__ __forceinline__ void run(const typename Op::element *in, const uint8_t *heads,
                                           typename Op::element *out, size_t n, size_t exclusive) {
    unsigned epoch = *(volatile unsigned *)&scan_epoch + 1; // on its way while the input is read
    const kz_tile_states states = {scan_words, SCAN_STATUSES};
    one_pass<Op, shape<Op>::WARPS, shape<Op>::ROWS>(kz_scan_view<Op>(in, heads, n), out, blockIdx.x, states,
                                                    epoch * 2, exclusive);
    // The last tile has heard of all others, so every block has read the old epoch.
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) *(volatile unsigned *)&scan_epoch = epoch;
}

#define ENTRY(operation, type, op)                                                                           \
    KZ_ENTRY_BOUNDS(scan_epoch_flags_##operation##_##type, shape<SCAN_OP op>::THREADS,                       \
                    shape<SCAN_OP op>::BLOCKS)                                                               \
    (const SCAN_ELEMENT(op) * in, const uint8_t *heads, SCAN_ELEMENT(op) * out, size_t n,                    \
     size_t exclusive) {                                                                                     \
        run<SCAN_OP op>(in, heads, out, n, exclusive);                                                       \
    }
SCAN_ALL(ENTRY)
