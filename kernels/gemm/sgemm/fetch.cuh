// sgemm: chunks of a and b on their way to shared memory by asynchronous copies, from 08 on.
#ifndef SGEMM_FETCH_CUH
#define SGEMM_FETCH_CUH

#include "async.cuh"
#include "tile.cuh"

struct problem {
    const float *a, *b;
    float *c;
    size_t m, n, k;
    size_t a_line,
        b_line; // floats from a row to the next: k and n, or a multiple of 4 past them, zeros in between
};

// How THREADS threads copy a tile, HEIGHT rows of WIDTH floats, BY floats at a time: lanes along the rows, as many rows
// at a time as there are threads for.
template <int HEIGHT, int WIDTH, int BY, int THREADS> struct deal {
    static constexpr int round_up(int count) {
        int power = 1;
        while (power < count) power *= 2;
        return power;
    }
    enum {
        LINE = WIDTH / BY, // pieces in a row
        LANES = round_up(LINE) < THREADS ? round_up(LINE) : THREADS,
        STEP = THREADS / LANES,
        DOWN = HEIGHT > STEP ? HEIGHT / STEP : 1,
        ACROSS = LINE > THREADS ? LINE / THREADS : 1,
        ALL = LINE >= LANES && HEIGHT >= STEP, // no thread is idle
    };
    static_assert(HEIGHT % STEP == 0 || STEP % HEIGHT == 0, "whole rows");
    static_assert(LINE <= THREADS || LINE % THREADS == 0, "whole lines");
    static __device__ __forceinline__ unsigned row(unsigned index) { return index / LANES; }
    static __device__ __forceinline__ unsigned column(unsigned index) { return index % LANES * BY; }
    static __device__ __forceinline__ bool is_idle(unsigned index) {
        return !ALL && (row(index) >= HEIGHT || column(index) >= WIDTH);
    }
};

// THREADS threads copy chunks of a tile, one after another, by 16 bytes where the rows of a matrix are aligned, else by 4.
// QUADS: both are. Rows below a's last and columns right of b's last are read from a valid place: what comes of them is
// never written. Past the end of k there are zeros. Each thread has its addresses, so that a chunk takes little more than
// the copies themselves.
template <typename S, int THREADS, bool QUADS> struct fetcher {
    template <int BY> using a_deal = deal<S::HEIGHT, S::DEPTH, BY, THREADS>;
    template <int BY> using b_deal = deal<S::DEPTH, S::WIDTH, BY, THREADS>;

    const problem &p;
    const float *a, *b;  // what this thread copies first
    unsigned a_to, b_to; // where to, in a chunk, in bytes
    unsigned index;      // of the thread
    int a_rows;          // so many of its rows of a's tile, from the first on, are rows of a
    int b_columns;       // and so many floats lie in its row of b, from its first on
    size_t left;         // of k

    __device__ __forceinline__ bool a_quads(void) const { return QUADS || has_quads(p.a, p.a_line); }
    __device__ __forceinline__ bool b_quads(void) const { return QUADS || has_quads(p.b, p.b_line); }

    template <int BY> __device__ __forceinline__ void place_a(corner tile, size_t x) {
        typedef a_deal<BY> D;
        size_t row = tile.row + D::row(index), last = p.m - 1;
        a = p.a + (row < p.m ? row : last) * p.a_line + x + D::column(index);
        a_to = 4 * (D::row(index) * S::PITCH + D::column(index));
        size_t more = row < p.m ? (last - row) / D::STEP : 0;
        a_rows = 1 + (more < D::DOWN ? (int)more : (int)D::DOWN - 1);
    }
    template <int BY> __device__ __forceinline__ void place_b(corner tile, size_t x) {
        typedef b_deal<BY> D;
        size_t column = tile.column + D::column(index);
        if (column >= p.b_line) column = p.b_line - BY;
        b = p.b + (x + D::row(index)) * p.b_line + column;
        b_to = 4 * (S::A_FLOATS + D::row(index) * S::WIDTH + D::column(index));
        b_columns = p.b_line - column < S::WIDTH ? (int)(p.b_line - column) : (int)S::WIDTH;
    }
    // Of k, `from` (a multiple of DEPTH) to `to`.
    __device__ __forceinline__ fetcher(const problem &whole, corner tile, size_t from, size_t to,
                                       unsigned thread)
        : p(whole), index(thread), left(to - from) {
        if (a_quads())
            place_a<4>(tile, from);
        else
            place_a<1>(tile, from);
        if (b_quads())
            place_b<4>(tile, from);
        else
            place_b<1>(tile, from);
    }

    template <int BY> __device__ __forceinline__ void copy_a_by(unsigned to) const {
        typedef a_deal<BY> D;
        const float *from = a;
        if (D::is_idle(index)) return;
        to += a_to;
        if (a_rows == D::DOWN && left >= S::DEPTH) { // nearly always: no conditions, no zeros
#pragma unroll 8
            for (int i = 0; i < D::DOWN; i++, from += D::STEP * p.a_line)
                copy_async<BY>(to + 4 * i * D::STEP * S::PITCH, from, true);
            return;
        }
        bool wanted = D::column(index) < left;
        if (!wanted) from -= D::column(index);
#pragma unroll 1
        for (int i = 0; i < D::DOWN; i++) {
            copy_async<BY>(to + 4 * i * D::STEP * S::PITCH, from, wanted);
            if (i + 1 < a_rows) from += D::STEP * p.a_line;
        }
    }

    template <int BY> __device__ __forceinline__ void copy_b_by(unsigned to) const {
        typedef b_deal<BY> D;
        const float *from = b;
        if (D::is_idle(index)) return;
        to += b_to;
        if (left >= S::DEPTH && (D::ACROSS == 1 || b_columns > (D::ACROSS - 1) * THREADS * BY)) {
#pragma unroll 8
            for (int i = 0; i < D::DOWN; i++, from += D::STEP * p.b_line)
#pragma unroll
                for (int j = 0; j < D::ACROSS; j++)
                    copy_async<BY>(to + 4 * (i * D::STEP * S::WIDTH + j * THREADS * BY),
                                   from + j * THREADS * BY, true);
            return;
        }
#pragma unroll 1
        for (int i = 0; i < D::DOWN; i++, from += D::STEP * p.b_line) {
            bool wanted = D::row(index) + i * D::STEP < left;
#pragma unroll
            for (int j = 0; j < D::ACROSS; j++) {
                int column = j * THREADS * BY < b_columns ? j * THREADS * BY : 0;
                copy_async<BY>(to + 4 * (i * D::STEP * S::WIDTH + j * THREADS * BY),
                               wanted ? from + column : p.b, wanted);
            }
        }
    }

    __device__ __forceinline__ void copy_a(unsigned to) const {
        if (a_quads())
            copy_a_by<4>(to);
        else
            copy_a_by<1>(to);
    }
    __device__ __forceinline__ void copy_b(unsigned to) const {
        if (b_quads())
            copy_b_by<4>(to);
        else
            copy_b_by<1>(to);
    }

    __device__ __forceinline__ void advance(void) {
        a += S::DEPTH;
        b += S::DEPTH * p.b_line;
        left = left > S::DEPTH ? left - S::DEPTH : 0;
    }

    __device__ __forceinline__ void next(unsigned chunk) {
        copy_a(chunk);
        copy_b(chunk);
        advance();
    }
};

#endif
