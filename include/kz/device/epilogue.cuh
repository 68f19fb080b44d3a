// Epilogues: what a product's sums become before they are stored, as a chain of small steps.
//
//     auto epilogue = kz_chain_of(kz_bias<kz_bf16>{bias}, kz_apply<kz_gelu_erf>{});
//     kz_gemm_run<G>(&a, &b, &c, {NULL, m, n}, order, k, epilogue);
//
// A step is a struct with its parameters and
//
//     __device__ void apply(kz_pair &v, kz_position &at);
//
// which changes two neighbouring sums, since that is what a lane holds; `at` says where they are. All sums of a tile
// pass, those beyond c's edge too: these are never stored, and the loads below read inside for them. A step of your own
// needs no more than that. What is done in single precision here is rounded once, when c is stored.
#ifndef KZ_EPILOGUE_CUH
#define KZ_EPILOGUE_CUH

#include "kz/device/activation.cuh"
#include "kz/device/byte_types.cuh"

struct kz_pair {
    float x, y;
};

// Where a pair is. Sum i, 0 or 1, is at row(i) and column(i) of c.
struct kz_position {
    int m, n, batch;   // of the product: (m, n) and (m, n + 1)
    int rows, columns; // of c
    int slot, slots;   // which of the thread's rows of the product it is, and how many it has
    bool transposed;   // c is the product, transposed: the two are in one column then
    bool single;       // there is no second: kz_gate made one of two
    bool even; // pairs can be loaded at once: c's rows, and what steps read, begin at multiples of 16 bytes

    __device__ __forceinline__ int row(int i) const { return transposed ? n + i : m; }
    __device__ __forceinline__ int column(int i) const { return transposed ? m : n + i; }
    __device__ __forceinline__ bool inside(int i) const {
        return row(i) < rows && column(i) < columns && !(single && i > 0);
    }
    // Not those of the pair before: pairs come by columns of the product, the even slot before the odd one.
    __device__ __forceinline__ bool new_columns(void) const { return transposed || slot % 2 == 0; }
    // The same, moved into c.
    __device__ __forceinline__ int row_inside(int i) const { return min(row(i), rows - 1); }
    __device__ __forceinline__ int column_inside(int i) const { return min(column(i), columns - 1); }
};

// Which of a thread's rows a slot is, counted from the place of slot 0: warps have 16 rows of each 64.
static __device__ __forceinline__ int kz_slot_row(int slot) { return slot / 2 * 64 + slot % 2 * 8; }

// ---- a chain ------------------------------------------------------------------------------------------------

// Optional: overloads for a step's type, for one that keeps something for a tile. `at` is the place of this thread's first
// pair in the tile.
template <typename Step>
static __device__ __forceinline__ void kz_step_begin(Step &step, const kz_position &at) {}
template <typename Step>
static __device__ __forceinline__ void kz_step_end(Step &step, const kz_position &at) {}

// Whether a step may see a pair twice: it adds nothing up, and reads nothing that the first time has written.
template <typename Step> struct kz_step_again {
    enum { YES = false };
};
// Whether it makes one of two: c has half of the product's columns then.
template <typename Step> struct kz_step_halves {
    enum { YES = false };
};

template <typename... Steps> struct kz_chain {
    enum { STEPS = 0, AGAIN = true, HALVES = false };
    __device__ __forceinline__ void begin(const kz_position &at) {}
    __device__ __forceinline__ void apply(kz_pair &v, kz_position &at) {}
    __device__ __forceinline__ void end(const kz_position &at) {}
};
template <typename First, typename... Rest> struct kz_chain<First, Rest...> {
    enum {
        STEPS = 1 + sizeof...(Rest),
        AGAIN = kz_step_again<First>::YES && kz_chain<Rest...>::AGAIN,
        HALVES = kz_step_halves<First>::YES || kz_chain<Rest...>::HALVES,
    };
    First first;
    kz_chain<Rest...> rest;

    __device__ __forceinline__ void begin(const kz_position &at) {
        kz_step_begin(first, at);
        rest.begin(at);
    }
    __device__ __forceinline__ void apply(kz_pair &v, kz_position &at) {
        first.apply(v, at);
        rest.apply(v, at);
    }
    __device__ __forceinline__ void end(const kz_position &at) {
        kz_step_end(first, at);
        rest.end(at);
    }
};
static __device__ __forceinline__ kz_chain<> kz_chain_of(void) { return {}; }
template <typename First, typename... Rest>
static __device__ __forceinline__ kz_chain<First, Rest...> kz_chain_of(First first, Rest... rest) {
    return {first, kz_chain_of(rest...)};
}

// ---- what steps read ------------------------------------------------------------------------------------------

// Two neighbours by one load, zeros where they are not there; they begin at a multiple of their size together. A predicate
// and not a branch: so the loads of many pairs are on their way at once, and differ in a constant offset only. The frame
// computes addresses behind its main loop, so no load can come before it.
static __device__ __forceinline__ kz_pair kz_load_pair(const float *from, bool there) {
    kz_pair v;
    asm("{ .reg .pred there; setp.ne.u32 there, %3, 0; mov.b32 %0, 0; mov.b32 %1, 0; "
        "@there ld.global.v2.f32 {%0, %1}, [%2]; }"
        : "=f"(v.x), "=f"(v.y)
        : "l"(from), "r"((unsigned)there));
    return v;
}
template <typename Half>
static __device__ __forceinline__ kz_pair kz_load_pair(const Half *from, bool there) {
    uint32_t v;
    asm("{ .reg .pred there; setp.ne.u32 there, %2, 0; mov.b32 %0, 0; @there ld.global.b32 %0, [%1]; }"
        : "=r"(v)
        : "l"(from), "r"((unsigned)there));
    return {kz_widen(Half{(uint16_t)v}), kz_widen(Half{(uint16_t)(v >> 16)})};
}

static __device__ __forceinline__ unsigned kz_load_two_bytes(const uint8_t *from, bool there) {
    uint16_t v;
    asm("{ .reg .pred there; setp.ne.u32 there, %2, 0; mov.b16 %0, 0; @there ld.global.b16 %0, [%1]; }"
        : "=h"(v)
        : "l"(from), "r"((unsigned)there));
    return v;
}

// vector[column] and vector[row] for both sums.
template <typename T>
static __device__ __forceinline__ kz_pair kz_load_by_column(const T *vector, const kz_position &at) {
    if (at.even && !at.transposed && !at.single)
        return kz_load_pair(vector + at.column(0), at.column(0) < at.columns);
    return {kz_widen(vector[at.column_inside(0)]), kz_widen(vector[at.column_inside(1)])};
}
template <typename T>
static __device__ __forceinline__ kz_pair kz_load_by_row(const T *vector, const kz_position &at) {
    return {kz_widen(vector[at.row_inside(0)]), kz_widen(vector[at.row_inside(1)])};
}

// A matrix of c's shape, rows `pitch` elements apart, matrices of a batch `batch_pitch`.
template <typename T> struct kz_matrix {
    const T *at;
    size_t pitch, batch_pitch;
};
template <typename T>
static __device__ __forceinline__ kz_pair kz_load_by_element(const kz_matrix<T> &matrix,
                                                             const kz_position &at) {
    const T *from = matrix.at + at.batch * matrix.batch_pitch;
    if (at.even && !at.transposed && !at.single)
        return kz_load_pair(from + at.row(0) * matrix.pitch + at.column(0), at.inside(0));
    return {kz_widen(from[at.row_inside(0) * matrix.pitch + at.column_inside(0)]),
            kz_widen(from[at.row_inside(1) * matrix.pitch + at.column_inside(1)])};
}

// ---- steps ------------------------------------------------------------------------------------------------------

// An element where `wanted`, else 0: without a branch, so that the loads of many pairs are in flight together.
static __device__ __forceinline__ float kz_load_if(const float *from, bool wanted) {
    float x;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; mov.f32 %0, 0f00000000; @p ld.global.f32 %0, [%1]; }"
                 : "=f"(x)
                 : "l"(from), "r"((unsigned)wanted)
                 : "memory");
    return x;
}
template <typename Half> static __device__ __forceinline__ float kz_load_if(const Half *from, bool wanted) {
    Half x;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; mov.b16 %0, 0; @p ld.global.b16 %0, [%1]; }"
                 : "=h"(x.bits)
                 : "l"(from), "r"((unsigned)wanted)
                 : "memory");
    return kz_widen(x);
}

// v = alpha * v + beta * c. Where beta is 0, c is not read: what it holds, NaN too, does not matter. Nor is it for sums beyond its
// edge: the nearest element is another thread's to write.
template <typename T> struct kz_linear {
    float alpha, beta;
    kz_matrix<T> c;
    __device__ __forceinline__ void apply(kz_pair &v, kz_position &at) {
        const T *from = c.at + at.batch * c.batch_pitch;
        float x = kz_load_if(from + at.row_inside(0) * c.pitch + at.column_inside(0),
                             beta != 0.0f && at.inside(0)),
              y = kz_load_if(from + at.row_inside(1) * c.pitch + at.column_inside(1),
                             beta != 0.0f && at.inside(1));
        v = {alpha * v.x + beta * x, alpha * v.y + beta * y};
    }
};

// v *= factor
struct kz_scale {
    float factor;
    __device__ __forceinline__ void apply(kz_pair &v, kz_position &) { v = {factor * v.x, factor * v.y}; }
};
// v *= *a * *b: a factor of each operand, in memory.
struct kz_scale_tensors {
    const float *a, *b;
    float factor; // for the tile
    __device__ __forceinline__ void apply(kz_pair &v, kz_position &) { v = {factor * v.x, factor * v.y}; }
};
static __device__ __forceinline__ void kz_step_begin(kz_scale_tensors &step, const kz_position &) {
    step.factor = __ldg(step.a) * __ldg(step.b);
}
// v *= *by: a factor in memory, which a kernel before this one may have computed.
struct kz_scale_by {
    const float *by;
    float factor; // for the tile
    __device__ __forceinline__ void apply(kz_pair &v, kz_position &) { v = {factor * v.x, factor * v.y}; }
};
static __device__ __forceinline__ void kz_step_begin(kz_scale_by &step, const kz_position &) {
    step.factor = __ldg(step.by);
}
// v *= factors[column], v *= factors[row]: what quantised operands were divided by.
template <typename T> struct kz_scale_columns {
    const T *factors;
    kz_pair f;
    __device__ __forceinline__ void apply(kz_pair &v, kz_position &at) {
        if (at.new_columns()) f = kz_load_by_column(factors, at);
        v = {v.x * f.x, v.y * f.y};
    }
};
template <typename T> struct kz_scale_rows {
    const T *factors;
    __device__ __forceinline__ void apply(kz_pair &v, kz_position &at) {
        kz_pair f = kz_load_by_row(factors, at);
        v = {v.x * f.x, v.y * f.y};
    }
};

// v += bias[column], v += bias[row]
template <typename T> struct kz_bias {
    const T *bias;
    kz_pair b;
    __device__ __forceinline__ void apply(kz_pair &v, kz_position &at) {
        if (at.new_columns()) b = kz_load_by_column(bias, at);
        v = {v.x + b.x, v.y + b.y};
    }
};
template <typename T> struct kz_bias_rows {
    const T *bias;
    __device__ __forceinline__ void apply(kz_pair &v, kz_position &at) {
        kz_pair b = kz_load_by_row(bias, at);
        v = {v.x + b.x, v.y + b.y};
    }
};
// v += residual, a matrix like c
template <typename T> struct kz_residual {
    kz_matrix<T> residual;
    __device__ __forceinline__ void apply(kz_pair &v, kz_position &at) {
        kz_pair r = kz_load_by_element(residual, at);
        v = {v.x + r.x, v.y + r.y};
    }
};

// v = function(v): kz_apply<kz_relu>, kz_apply<kz_gelu_erf>, or a function of your own.
template <float (*function)(float)> struct kz_apply {
    __device__ __forceinline__ void apply(kz_pair &v, kz_position &) { v = {function(v.x), function(v.y)}; }
};

// v = -infinity above c's diagonal: scores of what comes later.
struct kz_causal {
    __device__ __forceinline__ void apply(kz_pair &v, kz_position &at) {
        if (at.column(0) > at.row(0)) v.x = -INFINITY;
        if (at.column(1) > at.row(1)) v.y = -INFINITY;
    }
};

// v = dropped where the mask's byte is 0, whatever v is, NaN too: a byte for each element of c, or where mask.pitch is 0 for
// each column. Of what dropout dropped, `dropped` is 0; of scores that do not count it is -INFINITY. Rows of the mask begin at
// even addresses where pairs are loaded at once (at.even). c may not be the mask.
struct kz_mask {
    kz_matrix<uint8_t> mask;
    float dropped;
    __device__ __forceinline__ void apply(kz_pair &v, kz_position &at) {
        const uint8_t *from = mask.at + at.batch * mask.batch_pitch;
        unsigned x, y;
        if (at.even && !at.transposed && !at.single) {
            unsigned both = kz_load_two_bytes(from + at.row(0) * mask.pitch + at.column(0), at.inside(0));
            x = both & 0xff, y = both >> 8;
        } else {
            x = from[at.row_inside(0) * mask.pitch + at.column_inside(0)];
            y = from[at.row_inside(1) * mask.pitch + at.column_inside(1)];
        }
        v = {x ? v.x : dropped, y ? v.y : dropped};
    }
};

// v = function(x) * y, one of two: columns 2 j and 2 j + 1 of the product, gate and value, become column j of c.
// kz_gate<kz_silu> is swiglu, kz_gate<kz_gelu_erf> geglu. Steps behind it see one value at c's place.
template <float (*function)(float)> struct kz_gate {
    __device__ __forceinline__ void apply(kz_pair &v, kz_position &at) {
        v = {function(v.x) * v.y, 0.0f};
        at.n /= 2, at.columns /= 2;
        at.single = true;
    }
};
template <float (*function)(float)> struct kz_step_halves<kz_gate<function>> {
    enum { YES = true };
};

// Those that may see a pair twice: not what adds up, nor what reads a matrix that c may be.
#define KZ_STEP_AGAIN(parameters, step)                                                                      \
    template <parameters> struct kz_step_again<step> {                                                       \
        enum { YES = true };                                                                                 \
    };
KZ_STEP_AGAIN(, kz_scale)
KZ_STEP_AGAIN(, kz_scale_by)
KZ_STEP_AGAIN(typename T, kz_scale_columns<T>)
KZ_STEP_AGAIN(typename T, kz_scale_rows<T>)
KZ_STEP_AGAIN(typename T, kz_bias<T>)
KZ_STEP_AGAIN(typename T, kz_bias_rows<T>)
KZ_STEP_AGAIN(float (*function)(float), kz_apply<function>)
KZ_STEP_AGAIN(float (*function)(float), kz_gate<function>)
KZ_STEP_AGAIN(, kz_causal)
KZ_STEP_AGAIN(, kz_mask)

// ---- steps that fold ----------------------------------------------------------------------------------------------

// They leave what passes as it is, and write partial results, in f32, that a second kernel folds: in a fixed order, so
// results are the same in every run. What lies beyond c's edge does not count.

struct kz_fold_sum {
    static __device__ __forceinline__ float identity(void) { return 0.0f; }
    static __device__ __forceinline__ float combine(float a, float b) { return a + b; }
};
struct kz_fold_max { // NaN if one is
    static __device__ __forceinline__ float identity(void) { return -INFINITY; }
    static __device__ __forceinline__ float combine(float a, float b) { return a > b || a != a ? a : b; }
};

// By rows of c: partials[tile of columns][row]; `width`: of a tile, in columns of the product.
enum { KZ_FOLD_SLOTS = 4 };
template <typename Fold> struct kz_row_fold {
    float *partials;
    int width;
    float so_far[KZ_FOLD_SLOTS];
    __device__ __forceinline__ void apply(kz_pair &v, kz_position &at) {
        if (at.inside(0)) so_far[at.slot] = Fold::combine(so_far[at.slot], v.x);
        if (at.inside(1)) so_far[at.slot] = Fold::combine(so_far[at.slot], v.y);
    }
};
template <typename Fold>
static __device__ __forceinline__ void kz_step_begin(kz_row_fold<Fold> &step, const kz_position &at) {
#pragma unroll
    for (int i = 0; i < KZ_FOLD_SLOTS; i++) step.so_far[i] = Fold::identity();
}
template <typename Fold>
static __device__ __forceinline__ void kz_step_end(kz_row_fold<Fold> &step, const kz_position &at) {
#pragma unroll
    for (int i = 0; i < KZ_FOLD_SLOTS; i++) {
        if (i >= at.slots) break;
        float value = step.so_far[i];
        for (int lane = 1; lane < 4; lane *= 2)
            value = Fold::combine(value, __shfl_xor_sync(KZ_ALL_LANES, value, lane));
        int row = at.m + kz_slot_row(i);
        if (kz_lane() % 4 == 0 && row < at.rows)
            step.partials[(size_t)(at.n / step.width) * at.rows + row] = value;
    }
}

// By columns of c: partials[16 rows][column].
template <typename Fold> struct kz_column_fold {
    float *partials;
    kz_pair above; // of the even slot
    __device__ __forceinline__ void apply(kz_pair &v, kz_position &at) {
        kz_pair here = {at.inside(0) ? v.x : Fold::identity(), at.inside(1) ? v.y : Fold::identity()};
        if (at.slot % 2 == 0) {
            above = here;
            return;
        }
        here = {Fold::combine(above.x, here.x), Fold::combine(above.y, here.y)};
        for (int lane = 4; lane < KZ_WARP; lane *= 2)
            here = {Fold::combine(here.x, __shfl_xor_sync(KZ_ALL_LANES, here.x, lane)),
                    Fold::combine(here.y, __shfl_xor_sync(KZ_ALL_LANES, here.y, lane))};
        if (kz_lane() >= 4 || at.m / 16 >= (at.rows + 15) / 16) return;
        float *to = partials + (size_t)(at.m / 16) * at.columns;
        if (at.column(0) < at.columns) to[at.column(0)] = here.x;
        if (at.column(1) < at.columns && !at.single) to[at.column(1)] = here.y;
    }
};

// The second kernel of both: to[i] is the fold of partials[0][i] to partials[parts - 1][i].
template <typename Fold>
static __device__ __forceinline__ void kz_fold_partials(const float *partials, float *to, size_t parts,
                                                        size_t count) {
    for (size_t i = kz_thread(); i < count; i += kz_threads()) {
        float value = Fold::identity();
        for (size_t part = 0; part < parts; part++) value = Fold::combine(value, partials[part * count + i]);
        to[i] = value;
    }
}

#endif
