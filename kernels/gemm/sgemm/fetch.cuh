// sgemm: chunks of a and b on their way to shared memory by asynchronous copies, for 08 and 09.
#ifndef SGEMM_FETCH_CUH
#define SGEMM_FETCH_CUH

#include "async.cuh"
#include "tile.cuh"

struct problem {
    const float *a, *b;
    float *c;
    size_t m, n, k;
};

// THREADS threads copy a tile's chunks one after another, by 4 bytes or by 16 (BY floats); zeros outside of
// the matrices. Each has its addresses, so that a chunk takes little more than the copies themselves.
template <typename S, int BY, int THREADS> struct fetcher {
    enum {
        A_LINE = S::DEPTH / BY, // pieces in a row of a's tile, and of b's
        B_LINE = S::WIDTH / BY,
        A_STEP = THREADS / A_LINE,
        A_COPIES = S::HEIGHT / A_STEP,
        B_STEP = THREADS > B_LINE ? THREADS / B_LINE : 1,
        B_COPIES = S::DEPTH / B_STEP,
        B_ACROSS = B_LINE > THREADS ? B_LINE / THREADS : 1,
    };
    static_assert(THREADS % A_LINE == 0 && S::HEIGHT % A_STEP == 0, "whole rows of a's tile");
    static_assert(S::DEPTH % B_STEP == 0 && (THREADS % B_LINE == 0 || B_LINE % THREADS == 0), "and of b's");

    const problem &p;
    const float *a, *b;  // what this thread copies first
    unsigned a_to, b_to; // and where to, in a chunk
    int a_rows;          // so many of its rows of a's tile, from the first on, are rows of a
    unsigned a_x, b_x;   // its place along k
    int b_columns;       // and so many of its columns of b's tile are columns of b
    size_t left;         // of k

    __device__ __forceinline__ fetcher(const problem &whole, corner tile, unsigned index) : p(whole) {
        unsigned row = index / A_LINE, column = index % B_LINE * BY;
        a_x = index % A_LINE * BY;
        b_x = THREADS > B_LINE ? index / B_LINE : 0;
        a = p.a + (tile.row + row) * p.k + a_x;
        b = p.b + b_x * p.n + tile.column + column;
        a_to = 4 * (row * S::PITCH + a_x);
        b_to = 4 * (S::A_FLOATS + b_x * S::WIDTH + column);
        a_rows = b_columns = 0;
#pragma unroll
        for (int i = 0; i < A_COPIES; i++) a_rows += tile.row + row + i * A_STEP < p.m;
#pragma unroll
        for (int i = 0; i < B_ACROSS; i++) b_columns += tile.column + column + i * THREADS * BY < p.n;
        left = p.k;
    }

    __device__ __forceinline__ void copy_a(unsigned to) const {
        const float *from = a;
        if (a_rows == A_COPIES && left >= S::DEPTH) { // nearly always: no conditions, no zeros
#pragma unroll 8
            for (int i = 0; i < A_COPIES; i++, from += A_STEP * p.k)
                copy_async<BY>(to + a_to + 4 * i * A_STEP * S::PITCH, from, true);
            return;
        }
        bool inside = a_x < left;
#pragma unroll 8
        for (int i = 0; i < A_COPIES; i++, from += A_STEP * p.k) {
            bool wanted = inside && i < a_rows;
            copy_async<BY>(to + a_to + 4 * i * A_STEP * S::PITCH, wanted ? from : p.a, wanted);
        }
    }

    __device__ __forceinline__ void copy_b(unsigned to) const {
        const float *from = b;
#pragma unroll 8
        for (int i = 0; i < B_COPIES; i++, from += B_STEP * p.n)
#pragma unroll
            for (int j = 0; j < B_ACROSS; j++) {
                bool wanted = b_x + i * B_STEP < left && j < b_columns;
                copy_async<BY>(to + b_to + 4 * (i * B_STEP * S::WIDTH + j * THREADS * BY),
                               wanted ? from + j * THREADS * BY : p.b, wanted);
            }
    }

    __device__ __forceinline__ void advance(void) {
        a += S::DEPTH;
        b += S::DEPTH * p.n;
        left = left > S::DEPTH ? left - S::DEPTH : 0;
    }

    __device__ __forceinline__ void next(float *chunk) {
        copy_a(kz_shared_address(chunk));
        copy_b(kz_shared_address(chunk));
        advance();
    }
};

#endif
