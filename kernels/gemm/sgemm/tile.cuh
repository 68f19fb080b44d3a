// sgemm: the warp's tile, from 07 on: 8 rows of c for each of ROWS, and 16 columns for each of QUADS; ROWS rows and
// 4 QUADS columns in each thread's registers.
//
// Lanes lie 8 down and 4 across: a thread has every 8th row, and a quad in every 16 columns. The block's tile
// of a lies in shared memory as it does in a, row by row: a quad along k serves four steps, so nothing has to
// be transposed. Its rows are padded to an odd number of quads: neighbours hit different groups of banks.
#ifndef SGEMM_TILE_CUH
#define SGEMM_TILE_CUH

#include "sgemm.cuh"

enum { STEP = 4 }; // of k, between two reads of a

// A block of DOWN x ACROSS warps that takes k in chunks of K.
template <int DOWN, int ACROSS, int QUADS_, int K, int ROWS_ = 8> struct shape {
    enum {
        ROWS = ROWS_, // of a thread
        QUADS = QUADS_,
        COLUMNS = 4 * QUADS, // of a thread
        DEPTH = K,
        THREADS = DOWN * ACROSS * KZ_WARP,
        WARP_WIDTH = 16 * QUADS,
        WARP_HEIGHT = 8 * ROWS,
        HEIGHT = DOWN * WARP_HEIGHT,
        WIDTH = ACROSS * WARP_WIDTH,
        PITCH = DEPTH + 4, // floats from a row of a's tile to the next
        A_FLOATS = HEIGHT * PITCH,
        STAGE_FLOATS = A_FLOATS + DEPTH * WIDTH, // a chunk: a's tile, then b's
        STEPS = DEPTH / STEP,
    };
    static_assert(DEPTH % 8 == 0, "neighbouring rows of a's tile would meet in the same banks");
};

// Where a thread's part of the block's tile of c begins. A load of 16 bytes per lane is served in quarters of
// the warp, or in halves where lanes 2 i and 2 i + 1 agree all over, or lanes that differ in their second
// bit: so bit 0 of a lane goes across, where all of a's quads agree, and bit 1 down, where all of b's do.
template <typename S> struct thread_tile {
    unsigned row, column;
    unsigned a_offset, b_offset; // of its first quads in a chunk, in bytes
    __device__ __forceinline__ thread_tile() {
        const unsigned across = S::WIDTH / S::WARP_WIDTH;
        const unsigned lane = kz_lane();
        row = kz_warp() / across * S::WARP_HEIGHT + (lane >> 1 & 1) + (lane >> 2 & 6);
        column = kz_warp() % across * S::WARP_WIDTH + 4 * ((lane & 1) + (lane >> 1 & 2));
        a_offset = 4 * row * S::PITCH;
        b_offset = 4 * (S::A_FLOATS + column);
        // Without this the compiler works both out anew for every chunk.
        asm volatile("" : "+r"(a_offset), "+r"(b_offset));
    }
    // Addresses in shared memory, for a chunk at such an address.
    __device__ __forceinline__ unsigned a(unsigned chunk) const { return chunk + a_offset; }
    __device__ __forceinline__ unsigned b(unsigned chunk) const { return chunk + b_offset; }
};

template <typename S> struct registers {
    float a[S::ROWS][STEP];
    float b[2][S::COLUMNS]; // of this k, and of the next
    float c[S::ROWS][S::COLUMNS];
};

// By 32-bit addresses: from pointers the compiler works out more than it has to.
static __device__ __forceinline__ void read_quad(float to[4], unsigned from) {
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3])
                 : "r"(from)
                 : "memory");
}

template <typename S> static __device__ __forceinline__ void read_b(float to[S::COLUMNS], unsigned b) {
#pragma unroll
    for (int q = 0; q < S::QUADS; q++) read_quad(to + 4 * q, b + 4 * 16 * q);
}

template <typename S>
static __device__ __forceinline__ void read_first(registers<S> &r, unsigned a, unsigned b) {
#pragma unroll
    for (int i = 0; i < S::ROWS; i++) read_quad(r.a[i], a + 4 * 8 * i * S::PITCH);
    read_b<S>(r.b[0], b);
}

template <typename S> static __device__ __forceinline__ void clear(registers<S> &r) {
#pragma unroll
    for (int i = 0; i < S::ROWS; i++)
#pragma unroll
        for (int j = 0; j < S::COLUMNS; j++) r.c[i][j] = 0.0f;
}

// Row i of a thread's tile, for the s-th of four k. Odd rows go back: the first product of a row then has the
// b of the last one before it, still in the operand cache, at the very place where a changes. Else that
// instruction needs three numbers of the register file, which has two banks (README, 07).
template <typename S> static __device__ __forceinline__ void multiply_row(registers<S> &r, int i, int s) {
#pragma unroll
    for (int x = 0; x < S::COLUMNS; x++) {
        int j = i % 2 ? S::COLUMNS - 1 - x : x;
        r.c[i][j] += r.a[i][s] * r.b[s % 2][j];
    }
}

// An event for profilers, which costs a slot of 130 and does nothing. The compiler moves no product across
// it: left to itself it brings the next k's loads late, one by one, and multiplies what is there by columns,
// an order in which the banks meet. In tiles of less than 64 products per k the slot would cost more than it gains.
template <typename S> static __device__ __forceinline__ void keep_order(void) {
    if (S::ROWS * S::COLUMNS >= 0) asm volatile("pmevent 1;");
}

// The first three of four k, whose a and first b are in registers; the next b is read a k ahead.
template <typename S> static __device__ __forceinline__ void multiply_three(registers<S> &r, unsigned b) {
#pragma unroll
    for (int s = 0; s < STEP - 1; s++) {
        read_b<S>(r.b[(s + 1) % 2], b + 4 * (s + 1) * S::WIDTH);
        keep_order<S>();
#pragma unroll
        for (int i = 0; i < S::ROWS; i++) multiply_row<S>(r, i, s);
    }
}

// The fourth. A row's quad of a is used up when its products are done: the next one takes its place.
template <typename S>
static __device__ __forceinline__ void multiply_fourth(registers<S> &r, unsigned next_a, unsigned next_b) {
    const int s = STEP - 1;
    read_b<S>(r.b[0], next_b);
    keep_order<S>();
#pragma unroll
    for (int i = 0; i < S::ROWS; i++) {
        multiply_row<S>(r, i, s);
        read_quad(r.a[i], next_a + 4 * 8 * i * S::PITCH);
    }
}

// All steps of a chunk but the last: they read ahead within it. Moves a and b on to the last.
template <typename S, int UNROLL>
static __device__ __forceinline__ void multiply_inner(registers<S> &r, unsigned a, unsigned &b) {
#pragma unroll UNROLL
    for (int step = 1; step < S::STEPS; step++) {
        a += 4 * STEP;
        multiply_three<S>(r, b);
        b += 4 * STEP * S::WIDTH;
        multiply_fourth<S>(r, a, b);
    }
}

// How many of `all` lie from `first` on, as far as a tile can reach.
static __device__ __forceinline__ int count_left(size_t all, size_t first) {
    return first >= all ? 0 : all - first < 1024 ? (int)(all - first) : 1024;
}

// A copy that the compiler takes for something new. Were c itself stored by quads, its elements would have to
// lie in quads of registers, each in the same bank as its column's b; so they may lie where they do not meet.
static __device__ __forceinline__ unsigned copy_elsewhere(float c, unsigned in_order) {
    return __byte_perm(__float_as_uint(c), 0, in_order);
}

static __device__ __forceinline__ unsigned make_order(void) {
    unsigned in_order = 0x3210;
    asm volatile("" : "+r"(in_order));
    return in_order;
}
static __device__ __forceinline__ uint4 copy_quad_elsewhere(const float c[4], unsigned in_order) {
    return make_uint4(copy_elsewhere(c[0], in_order), copy_elsewhere(c[1], in_order),
                      copy_elsewhere(c[2], in_order), copy_elsewhere(c[3], in_order));
}

template <typename S>
static __device__ __forceinline__ void write_tile(const registers<S> &r, float *c, size_t m, size_t n,
                                                  corner tile, const thread_tile<S> &at) {
    size_t row = tile.row + at.row, column = tile.column + at.column;
    int rows = count_left(m, row), columns = count_left(n, column);
    bool quads = has_quads(c, n);
    float *line = c + row * n + column;
    unsigned in_order = make_order();
#pragma unroll
    for (int i = 0; i < S::ROWS; i++, line += 8 * n) {
        if (8 * i >= rows) return;
#pragma unroll
        for (int q = 0; q < S::QUADS; q++) {
            uint32_t v[4];
#pragma unroll
            for (int x = 0; x < 4; x++) v[x] = copy_elsewhere(r.c[i][4 * q + x], in_order);
            if (quads && 16 * q < columns) {
                kz_store<KZ_CACHE>((uint4 *)(line + 16 * q), make_uint4(v[0], v[1], v[2], v[3]));
            } else {
#pragma unroll
                for (int x = 0; x < 4; x++)
                    if (16 * q + x < columns) line[16 * q + x] = __uint_as_float(v[x]);
            }
        }
    }
}

#endif
