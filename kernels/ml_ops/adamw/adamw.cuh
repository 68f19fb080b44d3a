// adamw: what the variants share: the launch's arguments, what is the same for all elements, and the step of one element.
//
// W is the type of weights and moments, G that of the gradients and of the copy. Arithmetic is float, and each result is rounded
// once: to nearest even, or by chance where W is adamw_by_chance.
#ifndef ADAMW_CUH
#define ADAMW_CUH

#include "kz/device/philox.cuh"
#include "ml_ops/parameters.cuh"

// ---- rounding ----------------------------------------------------------------------------------------

// A bf16 in memory that results are rounded to by chance.
struct adamw_by_chance {
    kz_bf16 value;
};
static __device__ __forceinline__ float kz_widen(adamw_by_chance x) { return kz_widen(x.value); }

template <typename W> static constexpr bool ADAMW_DRAWS = false;
template <> constexpr bool ADAMW_DRAWS<adamw_by_chance> = true;

// `bits`: 16 random ones, in the low half.
template <typename T> static __device__ __forceinline__ void adamw_narrow(T *to, float x, uint32_t bits) {
    kz_narrow(to, x);
}
// Added below the last bit that is kept; what is cut off then was carried with the probability that it deserves. No carry makes
// a finite number infinite, and a NaN's bits are not added to.
static __device__ __forceinline__ void adamw_narrow(adamw_by_chance *to, float x, uint32_t bits) {
    const uint32_t EXPONENT = 0x7f800000u;
    uint32_t exact = __float_as_uint(x), carried = exact + (bits & 0xffffu);
    if ((exact & EXPONENT) == EXPONENT || (carried & EXPONENT) == EXPONENT)
        carried = x != x ? 0x7fffffffu : exact;
    to->value.bits = (uint16_t)(carried >> 16);
}

// ---- arguments ---------------------------------------------------------------------------------------

// The arguments of every entry. Arrays are addresses that the table's offsets are added to.
template <typename W, typename G> struct adamw_run {
    W *weights;
    const G *gradients;
    W *m, *v;
    G *copy;                   // of the weights, rounded; NULL where there is none
    const kz_parameter *table; // and its tensors
    const long long *list;     // and its chunks
    // The learning rate's bits and, above them, the step's number: at this address, or in its place where bit 63 is set.
    const unsigned long long *now;
    const float *scale;   // NULL, or what gradients are multiplied by
    const unsigned *skip; // NULL, or nonzero: nothing is changed
    size_t n, tensors, chunks;
    float beta1, beta2, epsilon, rest1, rest2, log_beta1, log_beta2; // rest: 1 - beta, rounded once
    unsigned long long seed;
};

// What is the same for all elements.
struct adamw_terms {
    float beta1, beta2, rest1, rest2, epsilon;
    float scale;          // of gradients
    float rate;           // the learning rate
    float step;           // the rate over m's bias correction
    float root;           // 1 over the root of v's bias correction
    uint64_t seed, count; // of random bits: the step's number makes them others in each step
};

// What a launch reads of device memory besides the arrays. Read at once, before the first of it is waited for.
struct adamw_read {
    unsigned long long now;
    float scale;
    bool skips;
};

template <typename W, typename G>
static __device__ __forceinline__ adamw_read adamw_read_control(const adamw_run<W, G> &run) {
    adamw_read r = {(unsigned long long)run.now, 1.0f, false};
    if ((long long)r.now >= 0) r.now = *run.now;
    if (run.scale) r.scale = *run.scale;
    if (run.skip) r.skips = *run.skip != 0;
    return r;
}

// 1 - beta^step, by log beta: a power near 1 taken from 1 would leave few of float's digits.
static __device__ __forceinline__ float adamw_correction(float log_beta, float step) {
    return -expm1f(step * log_beta);
}

template <typename W, typename G>
static __device__ __forceinline__ adamw_terms adamw_prepare(const adamw_run<W, G> &run,
                                                            const adamw_read &read) {
    unsigned count = (unsigned)(read.now >> 32) & 0x7fffffffu;
    float step = (float)count;
    adamw_terms t;
    t.beta1 = run.beta1, t.beta2 = run.beta2, t.epsilon = run.epsilon;
    t.rest1 = run.rest1, t.rest2 = run.rest2;
    t.scale = read.scale;
    t.rate = __uint_as_float((unsigned)read.now);
    t.step = t.rate / adamw_correction(run.log_beta1, step);
    t.root = rsqrtf(adamw_correction(run.log_beta2, step));
    t.seed = run.seed, t.count = count;
    return t;
}

// What is the same for a tensor's elements.
struct adamw_tensor_terms {
    float keep; // what a weight is multiplied by: decay is apart from the gradient
    float step;
};
static __device__ __forceinline__ adamw_tensor_terms adamw_tensor(const adamw_terms &t,
                                                                  const kz_parameter *tensor) {
    return {1.0f - t.rate * tensor->rate * tensor->weight_decay, t.step * tensor->rate};
}

static __device__ __forceinline__ float adamw_approximate_sqrt(float x) {
    float root;
    asm("sqrt.approx.f32 %0, %1;" : "=f"(root) : "f"(x));
    return root;
}
static __device__ __forceinline__ float adamw_approximate_reciprocal(float x) {
    float reciprocal;
    asm("rcp.approx.f32 %0, %1;" : "=f"(reciprocal) : "f"(x));
    return reciprocal;
}

// `fast` takes root and quotient from the special function unit, each within 2^-23.
template <bool fast>
static __device__ __forceinline__ void adamw_step(const adamw_terms &t, const adamw_tensor_terms &own,
                                                  float gradient, float *weight, float *m, float *v) {
    float g = gradient * t.scale;
    *m = fmaf(t.beta1, *m, t.rest1 * g);
    *v = fmaf(t.beta2, *v, t.rest2 * g * g); // in this order the square overflows last
    float quotient;
    if (fast)
        quotient = *m * adamw_approximate_reciprocal(fmaf(adamw_approximate_sqrt(*v), t.root, t.epsilon));
    else
        quotient = *m / fmaf(sqrtf(*v), t.root, t.epsilon);
    *weight = fmaf(-own.step, quotient, *weight * own.keep);
}

// ---- entry points ------------------------------------------------------------------------------------

// BODY is a function template <W, G, copy>(const adamw_run<W, G> &).
#define ADAMW_ENTRY(idea, threads, blocks, BODY, operation, type, W, G, has_copy)                            \
    KZ_ENTRY_BOUNDS(adamw_##idea##_##operation##_##type, threads, blocks)                                    \
    (W * weights, const G *gradients, W *m, W *v, G *copy, const kz_parameter *table, const long long *list, \
     const unsigned long long *now, const float *scale, const unsigned *skip, size_t n, size_t tensors,      \
     size_t chunks, float beta1, float beta2, float epsilon, float rest1, float rest2, float log_beta1,      \
     float log_beta2, unsigned long long seed) {                                                             \
        adamw_run<W, G> run = {weights, gradients, m,     v,     copy,      table,     list,                 \
                               now,     scale,     skip,  n,     tensors,   chunks,    beta1,                \
                               beta2,   epsilon,   rest1, rest2, log_beta1, log_beta2, seed};                \
        BODY<W, G, has_copy>(run);                                                                           \
    }
#define ADAMW_ENTRIES_OF(idea, threads, blocks, BODY)                                                        \
    ADAMW_ENTRY(idea, threads, blocks, BODY, update, f32, float, float, false)                               \
    ADAMW_ENTRY(idea, threads, blocks, BODY, update, bf16, kz_bf16, kz_bf16, false)                          \
    ADAMW_ENTRY(idea, threads, blocks, BODY, update_stochastic, bf16, adamw_by_chance, kz_bf16, false)       \
    ADAMW_ENTRY(idea, threads, blocks, BODY, update_master, f16, float, kz_f16, true)                        \
    ADAMW_ENTRY(idea, threads, blocks, BODY, update_master, bf16, float, kz_bf16, true)
#define ADAMW_ENTRIES(idea, blocks, BODY) ADAMW_ENTRIES_OF(idea, ADAMW_THREADS, blocks, BODY)

#endif
