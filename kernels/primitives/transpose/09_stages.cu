// transpose 09: the next tiles are on their way
// kz: sm 80
//
// Idea     in 08 a block loads, waits, turns, stores and is gone: its own loads and stores never overlap, and what
//          is in flight has to fit into registers.
// Change   as many blocks as the GPU holds stay, and each goes from tile to tile. Packs come by cp.async, which
//          writes to shared memory past the registers: every thread has slots of its own there, that nobody else
//          reads, so no barrier is needed to take them. While a tile is turned and stored, those of the next
//          STAGES - 1 are being loaded.
// Expect   loads in flight at all times, and as many as shared memory holds.
// Limit    sm_80. Rows of the input that do not begin with packs are read element by element, without stages.

#include "transpose.cuh"
#include "tune.h"
#include "kz/turn.cuh"

static __device__ __forceinline__ void copy_async(uint4 *to, const void *from, bool is_there) {
    asm volatile(
        "cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)),
        "l"(from), "r"(is_there ? 16 : 0)
        : "memory");
}
static __device__ __forceinline__ void commit_async(void) {
    asm volatile("cp.async.commit_group;" ::: "memory");
}
// All but the last `groups` of this thread's groups have landed.
template <int groups> static __device__ __forceinline__ void wait_async(void) {
    asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory");
}

template <int SIZE, int CHUNKS, int THREADS, int GROUP, int STAGES> struct pipeline {
    typedef kz_turn<SIZE, CHUNKS, THREADS, KZ_CACHE, TRANSPOSE_STAGES_STORE> tile;
    typedef typename tile::bits bits;
    enum { PACK = tile::PACK, BLOCKS = tile::BLOCKS, SLOTS = BLOCKS * PACK * THREADS };
    const bits *in;
    bits *out;
    size_t rows, columns;
    uint4 *turned, *slots;

    __device__ __forceinline__ corner find(unsigned number) const {
        return find_grouped_tile(rows, columns, tile::TILE, GROUP, number);
    }
    static __device__ __forceinline__ unsigned most(size_t left) {
        return left < tile::TILE ? (unsigned)left : tile::TILE;
    }

    // Asks for this thread's packs of a tile. Past the input's end there are zeros.
    __device__ __forceinline__ void ask(unsigned number, int stage) const {
        corner from = find(number);
#pragma unroll
        for (int b = 0; b < BLOCKS; b++) {
            unsigned block = threadIdx.x + b * THREADS;
            size_t row = from.row + block / CHUNKS * PACK, column = from.column + block % CHUNKS * PACK;
            const bits *at = in + row * columns + column;
            uint4 *slot = slots + stage * SLOTS + b * PACK * THREADS + threadIdx.x;
#pragma unroll
            for (int i = 0; i < PACK; i++, at += columns, slot += THREADS) {
                bool is_there = column < columns && row + i < rows;
                copy_async(slot, is_there ? at : in, is_there);
            }
        }
    }
    __device__ __forceinline__ void take(int stage) const {
#pragma unroll
        for (int b = 0; b < BLOCKS; b++) {
            unsigned block = threadIdx.x + b * THREADS;
            const uint4 *slot = slots + stage * SLOTS + b * PACK * THREADS + threadIdx.x;
            kz_words line[PACK];
#pragma unroll
            for (int i = 0; i < PACK; i++) line[i].raw = slot[i * THREADS];
#pragma unroll
            for (int j = 0; j < PACK; j++)
                turned[tile::place(block % CHUNKS * PACK + j, block / CHUNKS)] =
                    kz_block<SIZE>::column(line, j).raw;
        }
    }

    __device__ __forceinline__ void run(void) const {
        unsigned down = (unsigned)((rows + tile::TILE - 1) / tile::TILE);
        unsigned tiles = (unsigned)((columns + tile::TILE - 1) / tile::TILE) * down;
        bool in_packs = columns % PACK == 0 && kz_aligned(in, 16);
        bool out_packs = rows % PACK == 0 && kz_aligned(out, 16);
        for (int s = 0; s < STAGES - 1; s++) {
            if (in_packs && blockIdx.x + s * gridDim.x < tiles) ask(blockIdx.x + s * gridDim.x, s);
            commit_async();
        }
        int stage = 0, next = STAGES - 1;
#pragma unroll 1
        for (unsigned number = blockIdx.x; number < tiles; number += gridDim.x) {
            unsigned later = number + (STAGES - 1) * gridDim.x;
            if (in_packs && later < tiles) ask(later, next);
            commit_async(); // an empty group counts as well
            corner from = find(number);
            unsigned height = most(rows - from.row), width = most(columns - from.column);
            if (in_packs) {
                wait_async<STAGES - 1>();
                take(stage);
            } else {
                tile::read_elements(turned, in + from.row * columns + from.column, columns, height, width);
            }
            __syncthreads();
            tile::give(turned, {out + from.column * rows + from.row, rows, out_packs}, height, width);
            __syncthreads();
            stage = stage + 1 < STAGES ? stage + 1 : 0;
            next = next + 1 < STAGES ? next + 1 : 0;
        }
    }
};

template <int SIZE, int CHUNKS, int THREADS, int GROUP, int STAGES>
static __device__ __forceinline__ void stages(const void *in, void *out, size_t rows, size_t columns) {
    typedef pipeline<SIZE, CHUNKS, THREADS, GROUP, STAGES> line;
    typedef typename line::bits bits;
    extern __shared__ uint4 shared[];
    line{(const bits *)in, (bits *)out, rows, columns, shared, shared + line::SLOTS}.run();
}

#define STAGES_ENTRY(type, size)                                                                             \
    KZ_ENTRY_BOUNDS(transpose_stages_transpose_##type, TRANSPOSE_STAGES_THREADS_##size,                      \
                    TRANSPOSE_STAGES_BLOCKS_##size)                                                          \
    (const void *in, void *out, size_t rows, size_t columns) {                                               \
        stages<size, TRANSPOSE_STAGES_CHUNKS_##size, TRANSPOSE_STAGES_THREADS_##size,                        \
               TRANSPOSE_STAGES_GROUP_##size, TRANSPOSE_STAGES_DEPTH_##size>(in, out, rows, columns);        \
    }
STAGES_ENTRY(u8, 1)
STAGES_ENTRY(u16, 2)
STAGES_ENTRY(u32, 4)
STAGES_ENTRY(i64, 8)
