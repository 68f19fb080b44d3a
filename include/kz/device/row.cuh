// The frame of row kernels: what a family computes of a row (softmax, layernorm, rmsnorm, cross-entropy) is a program, and
// the frame loads rows, keeps them on the chip, folds values over them and hands them back to be written.
//
// A program is a struct, made of kz_row_program<T, ARRAYS>:
//     const T *array(int k) const      row 0 of array k of those that are held; rows lie behind each other
//     float outside() const            what elements beyond the row's ends are as inputs; 0 without it
//     int read(row, columns) const     with READS_PART = true: how many of a row's columns are read, from the first one; the
//                                      others are `outside`. All columns are handed to `fold` and `write` all the same
//     bool aligned() const             that all other arrays it reads and writes by a row's place begin at multiples of 16
//                                      bytes; false without it. Then rows of whole packs have code without questions
//     template <class Row> void run(Row &row)
// In `run` a row has
//     row.fold<Op>(f)     each of the thread's units onto a value, value = f(value, unit, at), then over all threads; every
//                         thread gets the result. Any number of times, or never.
//     row.each(f)         f(unit, at) for each of the thread's units: for what a thread finds out alone, where Row::HELD
//                         says that the row is in registers, and a further pass costs nothing
//     row.write(f)        the same, as the row's last pass: exactly once, behind the folds
//     row.row(), row.columns(), row.leader(): true in one of its threads, row.exists(): false for lanes without a row
// A unit is a pack of 16 bytes of each array: unit.get(k, e) is an element as float, unit.at[k] the pack. `at` says where it
// is: at.column + e is the column of element e, at.inside(e) whether the row has it, at.unit which of the thread's units it
// is (of a row in registers). Other arrays, of any type, are read and written by kz_row_get and kz_row_put with the same
// `at`: outputs, weights per column, masks.
//
// An Op has a type `value` of 32-bit words, identity(), and combine(a, b): associative as far as rounding goes, and
// commutative bit by bit, for each lane folds in its own order (no a * b + c * d that becomes a fused product). All threads
// of a row get the same bits, in every run. Where lanes have a shorter way than one value after the other, it is
// Op::fold_lanes(v, lanes): over groups of so many lanes, in all of them.
//
// Whoever has the row: lanes of a warp (kz_rows_lanes) hold it in registers, with the next row's loads in flight; so does a
// block (kz_rows_block), which takes one row; kz_rows_stream reads it anew in each pass; kz/device/row_ring.cuh has clusters, which
// need sm_90. kz/device/row_shape.h plans the launch. y may be x: all of a unit's elements are read and written by one thread, in
// this order, and nothing outside of the row is touched. Rows have less than 2^30 columns. A kernel that calls two of these
// functions needs a __syncthreads() between them.
#ifndef KZ_ROW_CUH
#define KZ_ROW_CUH

#include "kz/device/row_shape.h"
#include "kz/device/warp.cuh"

// ---- units -----------------------------------------------------------------------------------------------

template <typename T_, int ARRAYS_ = 1> struct kz_row_program {
    typedef T_ T;
    static const int ARRAYS = ARRAYS_;
    // true: unit i begins at column i * E in every row, whatever its address. For sums per column.
    static const bool FROM_START = false;
    static const bool READS_PART = false; // true: `read` has a say
    __device__ float outside() const { return 0.0f; }
    __device__ int read(size_t, int columns) const { return columns; }
    __device__ bool aligned() const { return false; }
};

// For `aligned`: of arrays, some of which may be NULL.
template <typename... A> static __device__ __forceinline__ bool kz_row_aligned(const A *...arrays) {
    return ((0 | ... | (size_t)arrays) & 15) == 0;
}

// Elements of a unit, per array.
template <typename T> static __device__ __forceinline__ constexpr int kz_row_elements(void) {
    return 16 / (int)sizeof(T);
}

// Element e as float. Of bf16 in one instruction, for the compiler takes a pair apart first.
template <typename T> static __device__ __forceinline__ float kz_row_element(const kz_pack<T> &pack, int e) {
    return kz_widen(pack.at[e]);
}
static __device__ __forceinline__ float kz_row_element(const kz_pack<kz_bf16> &pack, int e) {
    const uint4 &raw = pack.raw;
    unsigned pair = e < 2 ? raw.x : e < 4 ? raw.y : e < 6 ? raw.z : raw.w;
    return __uint_as_float(e % 2 ? pair & 0xffff0000u : pair << 16);
}

template <typename T, int ARRAYS> struct kz_row_unit {
    kz_pack<T> at[ARRAYS];
    __device__ __forceinline__ float get(int k, int e) const { return kz_row_element(at[k], e); }
};

struct kz_row_at {
    size_t row;
    int column, columns; // of element 0: negative where the row begins within the unit
    int unit;
    bool whole;   // all of its elements are inside
    bool aligned; // and all arrays have it at a multiple of as many bytes as are loaded at once
    __device__ __forceinline__ bool inside(int e) const { return (unsigned)(column + e) < (unsigned)columns; }
};

// Elements of a unit one by one: at a row's ends, and of arrays that lie at another place of 16 bytes. Functions of their own,
// for they are called rarely, and from many places.
template <typename U, int COUNT> struct kz_row_values { U at[COUNT]; };
template <typename U, int COUNT>
static __device__ __noinline__ kz_row_values<U, COUNT>
kz_row_get_singly(kz_row_values<U, COUNT> values, const U *from, int column, int columns) {
#pragma unroll
    for (int e = 0; e < COUNT; e++)
        if ((unsigned)(column + e) < (unsigned)columns) values.at[e] = from[e];
    return values;
}
template <typename U, int COUNT>
static __device__ __noinline__ void kz_row_put_singly(kz_row_values<U, COUNT> values, U *to, int column,
                                                      int columns) {
#pragma unroll
    for (int e = 0; e < COUNT; e++)
        if ((unsigned)(column + e) < (unsigned)columns) to[e] = values.at[e];
}

// `count` elements of a unit of an array whose row 0 is at `base`: 16, 8 or 4 bytes at a time where they are whole and
// aligned, single ones otherwise. What is outside of the row is left as it is.
template <int hint = KZ_CACHE, typename U, int COUNT>
static __device__ __forceinline__ void kz_row_get_elements(U (&to)[COUNT], const U *from,
                                                           const kz_row_at &at) {
    constexpr int BYTES = COUNT * (int)sizeof(U), ACCESS = BYTES < 16 ? BYTES : 16;
    if (at.aligned || (at.whole && kz_aligned(from, ACCESS))) {
        if constexpr (ACCESS == 16) {
#pragma unroll
            for (int i = 0; i < BYTES / 16; i++) {
                uint4 raw = kz_load<hint>((const uint4 *)from + i);
                memcpy((char *)to + i * 16, &raw, 16);
            }
        } else if constexpr (ACCESS == 8) {
            uint2 raw = kz_load<hint>((const uint2 *)from);
            memcpy(to, &raw, 8);
        } else if constexpr (ACCESS == 4) {
            unsigned raw = *(const unsigned *)from;
            memcpy(to, &raw, 4);
        } else {
            unsigned short raw = *(const unsigned short *)from;
            memcpy(to, &raw, 2);
        }
        return;
    }
    kz_row_values<U, COUNT> values;
    memcpy(values.at, to, BYTES);
    values = kz_row_get_singly(values, from, at.column, at.columns);
    memcpy(to, values.at, BYTES);
}

template <int hint, typename U, int COUNT>
static __device__ __forceinline__ void kz_row_put_elements(U *to, const kz_row_at &at,
                                                           const U (&from)[COUNT]) {
    constexpr int BYTES = COUNT * (int)sizeof(U), ACCESS = BYTES < 16 ? BYTES : 16;
    if (at.aligned || (at.whole && kz_aligned(to, ACCESS))) {
        if constexpr (ACCESS == 16) {
#pragma unroll
            for (int i = 0; i < BYTES / 16; i++) {
                uint4 raw;
                memcpy(&raw, (const char *)from + i * 16, 16);
                kz_store<hint>((uint4 *)to + i, raw);
            }
        } else if constexpr (ACCESS == 8) {
            uint2 raw;
            memcpy(&raw, from, 8);
            kz_store<hint>((uint2 *)to, raw);
        } else if constexpr (ACCESS == 4) {
            unsigned raw;
            memcpy(&raw, from, 4);
            *(unsigned *)to = raw;
        } else {
            unsigned short raw;
            memcpy(&raw, from, 2);
            *(unsigned short *)to = raw;
        }
        return;
    }
    kz_row_values<U, COUNT> values;
    memcpy(values.at, from, BYTES);
    kz_row_put_singly(values, to, at.column, at.columns);
}

// The unit's elements of another array that has rows of as many columns, or (kz_row_get_column) one row for all. What is
// outside of the row keeps its value.
template <typename U, int COUNT>
static __device__ __forceinline__ void kz_row_get(U (&to)[COUNT], const U *base, const kz_row_at &at) {
    kz_row_get_elements<KZ_CACHE>(to, base + at.row * (size_t)at.columns + at.column, at);
}
template <typename U, int COUNT>
static __device__ __forceinline__ void kz_row_get_column(U (&to)[COUNT], const U *base, const kz_row_at &at) {
    kz_row_get_elements<KZ_CACHE>(to, base + at.column, at);
}

// The unit's elements of an output, as they are or rounded to its type.
template <int hint = KZ_STREAM, typename U, int COUNT>
static __device__ __forceinline__ void kz_row_put(U *base, const kz_row_at &at, const U (&from)[COUNT]) {
    kz_row_put_elements<hint>(base + at.row * (size_t)at.columns + at.column, at, from);
}
// Two values rounded to a type: of half types one instruction from sm_80 on, where one value alone takes as many.
template <typename U>
static __device__ __forceinline__ void kz_narrow_pair(U *to, float first, float second) {
    kz_narrow(&to[0], first), kz_narrow(&to[1], second);
}
#if __CUDA_ARCH__ >= 800
static __device__ __forceinline__ void kz_narrow_pair(kz_f16 *to, float first, float second) {
    uint32_t pair;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
    memcpy(to, &pair, 4);
}
static __device__ __forceinline__ void kz_narrow_pair(kz_bf16 *to, float first, float second) {
    uint32_t pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
    memcpy(to, &pair, 4);
}
#endif

template <int hint = KZ_STREAM, typename U, int COUNT>
static __device__ __forceinline__ void kz_row_put_float(U *base, const kz_row_at &at,
                                                        const float (&from)[COUNT]) {
    U narrow[COUNT];
#pragma unroll
    for (int e = 0; e < COUNT; e += 2) kz_narrow_pair(&narrow[e], from[e], from[e + 1]);
    kz_row_put<hint>(base, at, narrow);
}

// ---- a row, and a thread's part of it ----------------------------------------------------------------------

// Whether all rows are whole packs at multiples of 16 bytes, in every array: PLAIN below.
template <class Program>
static __device__ __forceinline__ bool kz_rows_plain(const Program &program, size_t columns) {
    size_t addresses = 0;
#pragma unroll
    for (int k = 0; k < Program::ARRAYS; k++) addresses |= (size_t)program.array(k);
    return columns % kz_row_elements<typename Program::T>() == 0 && addresses % 16 == 0 && program.aligned();
}

// Packs `first`, first + step, ... < end are this thread's.
template <class Program, bool PLAIN> struct kz_row_place {
    typedef typename Program::T T;
    enum { E = 16 / sizeof(T) };
    size_t row;
    int columns, head; // the row begins `head` elements behind the boundary
    int packs;         // of the row; 0: there is no row
    int first, step, end;
    int read; // columns that are read
    kz_row_place() = default;

    // A row of a team of `threads` threads. Where it has more packs than `room` because of its address alone, it is
    // counted from its first element instead.
    __device__ __forceinline__ kz_row_place(const Program &program, size_t row_, size_t rows, int columns_,
                                            int thread, int threads, int room)
        : row(row_), columns(columns_), head(0), packs(0), first(thread), step(threads), end(0), read(0) {
        if (row >= rows) return;
        read = program.read(row, columns);
        packs = end = columns / E;
        if (PLAIN) return;
        unsigned offset = (unsigned)(size_t)(program.array(0) + row * (size_t)columns) % 16;
        head = Program::FROM_START || offset % sizeof(T) != 0 ? 0 : (int)(offset / sizeof(T));
        if ((head + columns + E - 1) / E > room) head = 0;
        packs = end = (head + columns + E - 1) / E;
    }
    // All arrays begin this row at the same place of 16 bytes.
    __device__ __forceinline__ bool congruent(const Program &program) const {
        size_t differ = 0, from = (size_t)program.array(0);
#pragma unroll
        for (int k = 1; k < Program::ARRAYS; k++) differ |= ((size_t)program.array(k) ^ from) % 16;
        return differ == 0;
    }
    __device__ __forceinline__ kz_row_at at(int pack, int unit) const {
        int column = pack * E - head;
        return {row, column, columns, unit, PLAIN || (column >= 0 && column + E <= columns), PLAIN};
    }
    // Of a row that is PLAIN.
    __device__ __forceinline__ const T *plain_pack(const Program &program, int pack, int k) const {
        return program.array(k) + row * (size_t)columns + pack * E;
    }
    __device__ __forceinline__ bool is_read(int pack) const {
        return !Program::READS_PART || pack * E - head < read;
    }
    static __device__ __forceinline__ void fill(const Program &program, kz_pack<T> &to) {
        T outside;
        kz_narrow(&outside, program.outside());
#pragma unroll
        for (int e = 0; e < E; e++) to.at[e] = outside;
    }
    template <int hint>
    __device__ __forceinline__ void load(const Program &program, kz_row_unit<T, Program::ARRAYS> &to,
                                         int pack, int k) const {
        if constexpr (PLAIN && !Program::READS_PART) {
            to.at[k] = kz_load_pack<hint>(plain_pack(program, pack, k));
            return;
        }
        kz_row_at here = at(pack, 0);
        const T *from = program.array(k) + row * (size_t)columns + here.column;
        fill(program, to.at[k]);
        if (is_read(pack)) kz_row_get_elements<hint>(to.at[k].at, from, here);
    }
};

// ---- teams: who folds ------------------------------------------------------------------------------------------

// Over each group of `lanes` lanes, a power of two; all of the group get the result. All lanes of the warp must call it.
template <class Op>
static __device__ __forceinline__ typename Op::value kz_row_swap_lanes(typename Op::value v, int lanes) {
#pragma unroll
    for (int step = KZ_WARP / 2; step > 0; step /= 2)
        if (step < lanes) v = Op::combine(v, kz_shuffle_xor(v, step));
    return v;
}
template <class Op>
static __device__ __forceinline__ auto kz_row_fold_lanes(typename Op::value v, int lanes, int)
    -> decltype(Op::fold_lanes(v, lanes)) {
    return Op::fold_lanes(v, lanes);
}
template <class Op>
static __device__ __forceinline__ typename Op::value kz_row_fold_lanes(typename Op::value v, int lanes,
                                                                       long) {
    return kz_row_swap_lanes<Op>(v, lanes);
}

struct kz_row_lanes_team {
    int lanes;
    template <class Op> __device__ __forceinline__ typename Op::value fold(typename Op::value v) {
        return kz_row_fold_lanes<Op>(v, lanes, 0);
    }
};

template <class Op>
static __device__ __forceinline__ typename Op::value kz_row_fold_warp(typename Op::value v) {
    return kz_row_fold_lanes<Op>(v, KZ_WARP, 0);
}

// The block: one barrier per fold, for the shared memory of two takes turns. `span`: as many lanes as there are warps, or
// the next power of two.
struct kz_row_block_team {
    unsigned turn;
    int span;
    static __device__ __forceinline__ kz_row_block_team of_block(void) {
        return {0, kz_warps() > 1 ? 1 << (KZ_WARP - __clz((int)kz_warps() - 1)) : 1};
    }
    template <class Op> __device__ __forceinline__ typename Op::value fold(typename Op::value v) {
        __shared__ __align__(16) typename Op::value of_warp[2][KZ_WARP];
        v = kz_row_fold_warp<Op>(v);
        if (kz_lane() == 0) of_warp[turn][kz_warp()] = v;
        __syncthreads();
        unsigned warp = kz_lane() & (unsigned)(span - 1);
        v = warp < kz_warps() ? of_warp[turn][warp] : Op::identity();
        turn ^= 1;
        return kz_row_fold_lanes<Op>(v, span, 0);
    }
};

// ---- rows as programs see them --------------------------------------------------------------------------------

template <class Program, class Team, bool PLAIN> struct kz_row_base {
    typedef kz_row_unit<typename Program::T, Program::ARRAYS> unit;
    kz_row_place<Program, PLAIN> place;
    Team *team;
    __device__ __forceinline__ size_t row() const { return place.row; }
    __device__ __forceinline__ int columns() const { return place.columns; }
    __device__ __forceinline__ bool exists() const { return place.end > 0; }
    __device__ __forceinline__ bool leader() const { return place.first == 0 && exists(); }
};

// In registers: `units` of each thread.
template <class Program, class Team, bool PLAIN, int UNITS_>
struct kz_row_held : kz_row_base<Program, Team, PLAIN> {
    static const bool HELD = true;
    static const int UNITS = UNITS_;
    typedef kz_row_unit<typename Program::T, Program::ARRAYS> unit;
    unit units[UNITS];

    __device__ __forceinline__ void load(const Program &program, Team *t,
                                         const kz_row_place<Program, PLAIN> &p) {
        this->place = p, this->team = t;
#pragma unroll
        for (int u = 0; u < UNITS; u++)
            if (pack(u) < this->place.end) {
#pragma unroll
                for (int k = 0; k < Program::ARRAYS; k++)
                    if constexpr (!PLAIN)
                        this->place.template load<KZ_CACHE>(program, units[u], pack(u), k);
                    else if (this->place.is_read(pack(u)))
                        units[u].at[k] = kz_load_pack<KZ_CACHE>(this->place.plain_pack(program, pack(u), k));
                    else
                        this->place.fill(program, units[u].at[k]);
            }
    }
    __device__ __forceinline__ int pack(int u) const { return this->place.first + u * this->place.step; }
    template <class F> __device__ __forceinline__ void each(F f) {
#pragma unroll
        for (int u = 0; u < UNITS; u++)
            if (pack(u) < this->place.end) f(units[u], this->place.at(pack(u), u));
    }
    template <class Op, class F> __device__ __forceinline__ typename Op::value fold(F f) {
        typename Op::value v = Op::identity();
        each([&](unit &of, const kz_row_at &at) { v = f(v, of, at); });
        return this->team->template fold<Op>(v);
    }
    template <class F> __device__ __forceinline__ void write(F f) { each(f); }
};

// Read anew in each pass, a few units at a time.
template <class Program, class Team, bool PLAIN> struct kz_row_streamed : kz_row_base<Program, Team, PLAIN> {
    enum { AHEAD = 4 / Program::ARRAYS };
    static const bool HELD = false;
    static const int UNITS = 1;
    typedef kz_row_unit<typename Program::T, Program::ARRAYS> unit;
    const Program &program;

    __device__ __forceinline__ kz_row_streamed(const Program &p, const kz_row_place<Program, PLAIN> &where,
                                               Team *t)
        : kz_row_base<Program, Team, PLAIN>{where, t}, program(p) {}
    template <int hint, class F> __device__ __forceinline__ void each_by(F f) const {
        for (int first = this->place.first; first < this->place.end; first += AHEAD * this->place.step) {
            unit units[AHEAD];
#pragma unroll
            for (int u = 0; u < AHEAD; u++)
#pragma unroll
                for (int k = 0; k < Program::ARRAYS; k++)
                    if (first + u * this->place.step < this->place.end)
                        this->place.template load<hint>(program, units[u], first + u * this->place.step, k);
#pragma unroll
            for (int u = 0; u < AHEAD; u++)
                if (first + u * this->place.step < this->place.end)
                    f(units[u], this->place.at(first + u * this->place.step, u));
        }
    }
    template <class Op, class F> __device__ __forceinline__ typename Op::value fold(F f) {
        typename Op::value v = Op::identity();
        each([&](unit &of, const kz_row_at &at) { v = f(v, of, at); });
        return this->team->template fold<Op>(v);
    }
    template <class F> __device__ __forceinline__ void each(F f) const { each_by<KZ_CACHE>(f); }
    template <class F> __device__ __forceinline__ void write(F f) const { each_by<KZ_STREAM>(f); }
};

// ---- kernels: what an entry calls -------------------------------------------------------------------------------

// A team takes every `stride`-th row. AHEAD + 1 rows take turns in registers: the loads of AHEAD are under way while one is
// folded and written, and those of the last are sent before the first is waited for. `first` is the first row of the
// thread's warp, so that all lanes go round equally often.
template <class Program, bool PLAIN, int UNITS, int AHEAD, class Team>
static __device__ __forceinline__ void kz_rows_held(Program &program, Team &team, size_t row, size_t first,
                                                    size_t stride, size_t rows, int columns, int thread,
                                                    int threads) {
    typedef kz_row_place<Program, PLAIN> place;
    const int room = threads * UNITS;
    kz_row_held<Program, Team, PLAIN, UNITS> held[AHEAD + 1];
    if (first >= rows) return;
#pragma unroll
    for (int i = 0; i < AHEAD; i++)
        held[i].load(program, &team, place(program, row + i * stride, rows, columns, thread, threads, room));
    // True behind the last row. Written out below: as a loop, it would index registers.
    auto turn = [&](int now, int last) {
        held[last].load(program, &team,
                        place(program, row + AHEAD * stride, rows, columns, thread, threads, room));
        program.run(held[now]);
        row += stride, first += stride;
        return first >= rows;
    };
    static_assert(AHEAD <= 3, "rows ahead: 0 to 3");
    for (;;) {
        if (turn(0, AHEAD)) return;
        if constexpr (AHEAD >= 1)
            if (turn(1, 0)) return;
        if constexpr (AHEAD >= 2)
            if (turn(2, 1)) return;
        if constexpr (AHEAD >= 3)
            if (turn(3, 2)) return;
    }
}

// `lanes` (of kz_row_lanes) for each row, in registers: rows of at most 32 * UNITS packs.
template <class Program, int UNITS, int AHEAD = 1>
static __device__ __forceinline__ void kz_rows_lanes(Program &program, size_t rows, size_t columns,
                                                     unsigned lanes) {
    kz_row_lanes_team team = {(int)lanes};
    size_t per_warp = KZ_WARP / lanes, first = ((size_t)blockIdx.x * kz_warps() + kz_warp()) * per_warp;
    size_t row = first + kz_lane() / lanes, stride = (size_t)gridDim.x * kz_warps() * per_warp;
    int thread = (int)(kz_lane() % lanes);
    if (kz_rows_plain(program, columns))
        kz_rows_held<Program, true, UNITS, AHEAD>(program, team, row, first, stride, rows, (int)columns,
                                                  thread, (int)lanes);
    else
        kz_rows_held<Program, false, UNITS, AHEAD>(program, team, row, first, stride, rows, (int)columns,
                                                   thread, (int)lanes);
}

// A block for each row, in registers: rows of at most blockDim.x * UNITS packs (kz_row_block). No next row: while one block folds,
// others of the multiprocessor load, and registers for a second row would keep those out.
template <class Program, int UNITS>
static __device__ __forceinline__ void kz_rows_block(Program &program, size_t rows, size_t columns) {
    kz_row_block_team team = kz_row_block_team::of_block();
    if (kz_rows_plain(program, columns))
        kz_rows_held<Program, true, UNITS, 0>(program, team, blockIdx.x, blockIdx.x, gridDim.x, rows,
                                              (int)columns, (int)threadIdx.x, (int)blockDim.x);
    else
        kz_rows_held<Program, false, UNITS, 0>(program, team, blockIdx.x, blockIdx.x, gridDim.x, rows,
                                               (int)columns, (int)threadIdx.x, (int)blockDim.x);
}

// A block for each row, of any length, read anew in each pass (kz_row_stream).
template <bool PLAIN, class Program>
static __device__ __forceinline__ void kz_rows_stream_as(Program &program, size_t rows, size_t columns) {
    kz_row_block_team team = kz_row_block_team::of_block();
    for (size_t row = blockIdx.x; row < rows; row += gridDim.x) {
        kz_row_place<Program, PLAIN> place(program, row, rows, (int)columns, (int)threadIdx.x,
                                           (int)blockDim.x, 1 << 30);
        kz_row_streamed<Program, kz_row_block_team, PLAIN> one(program, place, &team);
        program.run(one);
    }
}
template <class Program>
static __device__ __forceinline__ void kz_rows_stream(Program &program, size_t rows, size_t columns) {
    if (kz_rows_plain(program, columns))
        kz_rows_stream_as<true>(program, rows, columns);
    else
        kz_rows_stream_as<false>(program, rows, columns);
}

#endif
