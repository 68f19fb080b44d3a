// kz: sm 80
// hgemm 04: asynchronous copies
//
// Idea     cp.async moves 16 bytes from global to shared memory without registers, and nobody waits for it.
// Change   four stages: while one is multiplied, three are on their way; one barrier per chunk.
// Expect   the tensor cores' mma.sync rate, wherever rows are whole units of 16 bytes.
// Limit    mma.sync: it reads operands from registers, and reaches some 60% of what Hopper's tensor cores can (05). Odd rows
//          go by single elements.

#include "mma_tile.cuh"

enum { STAGES = HGEMM_MMA_STAGES };

template <typename T, bool mn>
static __device__ __forceinline__ void copy_chunk(unsigned to, const operand<T> &o, size_t row, size_t k,
                                                  bool units) {
    if (!units) return stage_chunk<T, mn, true>(to, o, row, k, false);
#pragma unroll
    for (unsigned i = threadIdx.x; i < UNITS; i += THREADS) {
        unit_place<mn> at(i, row, k);
        bool inside = at.row < o.outer && at.first < o.inner;
        const T *from = inside ? o.at + at.row * o.inner + at.first : o.at;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                         to + unit_offset<mn, true>(at.outer, at.unit)),
                     "l"(from), "r"(inside ? 16 : 0) // the rest is filled with zeros
                     : "memory");
    }
}

template <typename In, typename Out, bool a_mn, bool b_mn>
static __device__ __forceinline__ void multiply(const In *a_at, const In *b_at, Out *c, size_t m, size_t n,
                                                size_t k) {
    extern __shared__ __align__(128) char memory[];
    unsigned stages = kz_shared_address(memory);
    operand<In> a = operand_of<a_mn>(a_at, m, k), b = operand_of<b_mn>(b_at, n, k);
    bool units = has_units(a) && has_units(b);
    size_t tiles = (n + SIDE - 1) / SIDE, row = blockIdx.x / tiles * SIDE, column = blockIdx.x % tiles * SIDE;
    size_t chunks = (k + DEPTH - 1) / DEPTH;
    warp_tile w;
    // A group is closed for every chunk, there or not: then waiting for all but STAGES - 2 is right to the end.
    auto copy = [&](size_t chunk) {
        unsigned to = stages + chunk % STAGES * 2 * CHUNK_BYTES;
        if (chunk < chunks) {
            copy_chunk<In, a_mn>(to, a, row, chunk * DEPTH, units);
            copy_chunk<In, b_mn>(to + CHUNK_BYTES, b, column, chunk * DEPTH, units);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    for (size_t chunk = 0; chunk < STAGES - 1; chunk++) copy(chunk);
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncthreads(); // the chunk is there for all, and the one before it is done by all
        copy(chunk + STAGES - 1);
        unsigned at = stages + chunk % STAGES * 2 * CHUNK_BYTES;
        multiply_chunk<In, a_mn, b_mn, true>(w, at, at + CHUNK_BYTES);
    }
    store_tile(w, c, m, n, row, column);
}

#define ASYNC_COPY(order, a_mn, b_mn, type, In, Out)                                                         \
    KZ_ENTRY_BOUNDS(hgemm_async_copy_##order##_##type, THREADS, 2)                                           \
    (const In *a, const In *b, Out *c, size_t m, size_t n, size_t k) {                                       \
        multiply<In, Out, a_mn, b_mn>(a, b, c, m, n, k);                                                     \
    }
HGEMM_KERNELS(ASYNC_COPY)
