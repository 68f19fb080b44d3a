// scan 02: Blelloch
//
// Idea     a scan needs no more work than a loop: a tree of sums upwards, then what lies before each subtree
//          downwards (Blelloch 1990).
// Change   two sweeps over one tile in shared memory; at each node of the way down the left child gets what
//          its parent had, the right child that with the left child's sum after it: the order is kept.
// Expect   2 n combinations, but 20 barriers, and in most steps most threads have nothing to do.
// Limit    bank conflicts: nodes of one level lie a power of two apart, up to 32 lanes on one bank; and the
//          barriers (see 03).

#include "frame.cuh"

template <typename Op>
static __device__ typename Op::value scan_block(typename Op::value own, typename Op::value *total) {
    typedef typename Op::value A;
    __shared__ A tree[THREADS];
    unsigned t = threadIdx.x;
    tree[t] = own;
    for (unsigned width = 2; width <= THREADS; width *= 2) { // the sum of a subtree lies at its last leaf
        __syncthreads();
        unsigned last = (t + 1) * width - 1;
        if (last < THREADS) tree[last] = Op::combine(tree[last - width / 2], tree[last]);
    }
    __syncthreads();
    *total = tree[THREADS - 1];
    __syncthreads();
    if (t == 0) tree[THREADS - 1] = Op::identity();
    for (unsigned width = THREADS; width >= 2; width /= 2) { // the same place: what lies before the subtree
        __syncthreads();
        unsigned last = (t + 1) * width - 1;
        if (last < THREADS) {
            A left = tree[last - width / 2], before = tree[last];
            tree[last - width / 2] = before;
            tree[last] = Op::combine(before, left);
        }
    }
    __syncthreads();
    A before = tree[t];
    __syncthreads(); // the next call writes
    return before;
}

#define ENTRY(operation, type, op) SCAN_FRAME(blelloch, operation, type, op)
SCAN_FEW(ENTRY)
