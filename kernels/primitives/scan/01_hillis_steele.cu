// scan 01: Hillis and Steele
//
// Idea     combine with the neighbour 1 to the left, then with that 2 to the left, then 4: after 8 steps each
//          of 256 elements has met all before it (Hillis and Steele 1986).
// Change   the first version. A tile of 256 elements in shared memory, two copies, double-buffered, so that no step
//          overwrites what another thread has yet to read; the tiles meet by the frame's kernels.
// Expect   a barrier per step, and n log n combinations where a loop needs n.
// Limit    the work: 8 combinations per element, 7 of them of no use to a machine that is short of threads
//          (see 02).

#include "frame.cuh"

template <typename Op>
static __device__ typename Op::value scan_block(typename Op::value own, typename Op::value *total) {
    typedef typename Op::value A;
    __shared__ A values[2][THREADS];
    unsigned t = threadIdx.x, from = 0;
    values[from][t] = own;
    __syncthreads();
    for (unsigned step = 1; step < THREADS; step *= 2) {
        A v = values[from][t];
        values[!from][t] = t >= step ? Op::combine(values[from][t - step], v) : v;
        from = !from;
        __syncthreads();
    }
    A before = t > 0 ? values[from][t - 1] : Op::identity();
    *total = values[from][THREADS - 1];
    __syncthreads(); // the next call writes
    return before;
}

#define ENTRY(operation, type, op) SCAN_FRAME(hillis_steele, operation, type, op)
SCAN_FEW(ENTRY)
