// scan 06: decoupled look-back
//
// Idea     a tile need not wait for all before it to be done: their totals are enough, and those are there
//          soon after the tiles are read (Merrill and Garland 2016).
// Change   one kernel. A block draws its tile from a counter, reads it, sends its total, and one warp looks
//          back over the tiles before until it meets one that knows all before itself.
// Expect   8 bytes per float: each element is read once and written once. Safe whatever order blocks start
//          in: a tile that is drawn has a block that runs, and whoever waits, waits for drawn tiles alone.
// Limit    words and counter must be filled before the launch, and a trip to the counter precedes all else
//          (see 07). Float sums depend on how far each tile had to look: the last bits vary between runs.

#include "one_pass.cuh"

enum { THREADS = SCAN_THREADS, WARPS = THREADS / KZ_WARP };

template <typename Op>
static __device__ __forceinline__ void run(const typename Op::element *in, const uint8_t *heads,
                                           typename Op::element *out, unsigned *counter,
                                           unsigned long long *words, size_t n, size_t exclusive) {
    __shared__ unsigned drawn;
    if (threadIdx.x == 0) drawn = atomicAdd(counter, 1);
    __syncthreads();
    const kz_tile_states states = {words, gridDim.x};
    one_pass<Op, WARPS, SCAN_ROWS>(kz_scan_view<Op>(in, heads, n), out, drawn, states, 1, exclusive);
}

#define ENTRY(operation, type, op)                                                                           \
    KZ_ENTRY_BOUNDS(scan_look_back_##operation##_##type, THREADS, 4)                                         \
    (const SCAN_ELEMENT(op) * in, const uint8_t *heads, SCAN_ELEMENT(op) * out, unsigned *counter,           \
     unsigned long long *words, size_t n, size_t exclusive) {                                                \
        run<SCAN_OP op>(in, heads, out, counter, words, n, exclusive);                                       \
    }
SCAN_MANY(ENTRY)
