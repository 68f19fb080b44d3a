// compact 04: decoupled look-back
//
// Idea     where a tile's run begins is a scan of the tiles' counts, and that can be had while the tile waits in
//          registers: one pass (Merrill and Garland 2016; scan/06 explains the protocol).
// Change   one kernel. A block draws its tile from a counter, reads it, sends its count, looks back over the
//          tiles before it, and writes.
// Expect   for f32 at 50%: 4 bytes read and 2 written per element.
// Limit    words and counter must be filled before the launch, and a trip to the counter precedes all else
//          (see 05).

#include "one_pass.cuh"

enum { THREADS = COMPACT_THREADS, WARPS = THREADS / KZ_WARP };

template <typename R>
static __device__ __forceinline__ void run(const typename R::element *in, const uint8_t *flags,
                                           typename R::element *out, unsigned *selected, unsigned *counter,
                                           unsigned long long *words, size_t n) {
    __shared__ unsigned drawn;
    if (threadIdx.x == 0) drawn = atomicAdd(counter, 1);
    __syncthreads();
    const kz_tile_states states = {words, gridDim.x};
    one_pass<R, WARPS, COMPACT_ROWS>(view<R>(in, flags, n), out, selected, drawn, gridDim.x, states, 1);
}

#define ENTRY(operation, type, T, rule)                                                                      \
    KZ_ENTRY_BOUNDS(compact_look_back_##operation##_##type, THREADS, 4)                                      \
    (const T *in, const uint8_t *flags, T *out, unsigned *selected, unsigned *counter,                       \
     unsigned long long *words, size_t n) {                                                                  \
        run<COMPACT_RULE rule>(in, flags, out, selected, counter, words, n);                                 \
    }
COMPACT_ALL(ENTRY)
