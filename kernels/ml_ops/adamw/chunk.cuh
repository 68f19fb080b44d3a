// adamw: the chunk of a tensor, which a block of 02 to 06 takes: single elements, and packs of 16 bytes.
//
// A pack is 16 bytes of weights and moments: 4 floats or 8 of bf16. Where gradients are a half type and weights are not, a pack
// has 8 bytes of gradients.
#ifndef ADAMW_CHUNK_CUH
#define ADAMW_CHUNK_CUH

#include "adamw.cuh"
#include "tune.h"

// Elements [0, head) and from the last whole pack on are done one by one. Where the arrays of a tensor begin unlike each other
// that is all of them.
template <typename W, typename G> struct adamw_chunk {
    W *weights;
    const G *gradients;
    W *m, *v;
    G *copy;
    size_t first; // its first element's number among all tensors' elements
    unsigned count, head;
    adamw_tensor_terms own;
};

template <typename W> static constexpr int ADAMW_LANES = 16 / (int)sizeof(W);

// The chunk that an entry of the list names.
template <typename W, typename G, bool has_copy>
static __device__ __forceinline__ adamw_chunk<W, G> adamw_find_chunk(const adamw_run<W, G> &run,
                                                                     const adamw_terms &t, long long entry) {
    const kz_parameter *tensor = parameter_tensor(run.table, entry);
    adamw_chunk<W, G> c;
    c.weights = parameter_array(run.weights, tensor->weights);
    c.gradients = parameter_array(run.gradients, tensor->gradients);
    c.m = parameter_array(run.m, tensor->m);
    c.v = parameter_array(run.v, tensor->v);
    c.copy = has_copy ? parameter_array(run.copy, tensor->copy) : NULL;
    unsigned head = parameter_head(c.weights);
    const size_t SHORT = ADAMW_LANES<W> * sizeof(G);
    size_t wide = (size_t)(c.weights + head) | (size_t)(c.m + head) | (size_t)(c.v + head);
    size_t narrow = (size_t)(c.gradients + head) | (has_copy ? (size_t)(c.copy + head) : 0);
    bool alike = wide % 16 + narrow % SHORT == 0; // each address is a multiple
    parameter_range range = parameter_chunk(entry, tensor->count, head);
    c.weights += range.begin, c.gradients += range.begin, c.m += range.begin, c.v += range.begin;
    if (has_copy) c.copy += range.begin;
    c.first = tensor->first + range.begin;
    c.count = range.count;
    c.head = !alike || head > range.count ? range.count : (unsigned)entry == 0 ? head : 0;
    c.own = adamw_tensor(t, tensor);
    return c;
}

// The call for the pair of elements that `index` belongs to.
static __device__ __forceinline__ kz_philox_block adamw_draw(const adamw_terms &t, size_t index) {
    return kz_philox(t.seed, t.count, index / 2);
}

// An element's results, each with its half of a word of the call.
template <typename W>
static __device__ __forceinline__ void adamw_narrow_all(W *weights, W *m, W *v, float weight, float first,
                                                        float second, const kz_philox_block &call,
                                                        size_t index) {
    unsigned shift = index % 2 * 16;
    adamw_narrow(weights, weight, call.word[0] >> shift);
    adamw_narrow(m, first, call.word[1] >> shift);
    adamw_narrow(v, second, call.word[2] >> shift);
}

template <bool fast, bool has_copy, typename W, typename G>
static __device__ __forceinline__ void adamw_element(const adamw_terms &t, const adamw_chunk<W, G> &c,
                                                     size_t i) {
    float weight = kz_widen(c.weights[i]), m = kz_widen(c.m[i]), v = kz_widen(c.v[i]);
    adamw_step<fast>(t, c.own, kz_widen(c.gradients[i]), &weight, &m, &v);
    kz_philox_block call = {};
    if constexpr (ADAMW_DRAWS<W>) call = adamw_draw(t, c.first + i);
    adamw_narrow_all(&c.weights[i], &c.m[i], &c.v[i], weight, m, v, call, c.first + i);
    if (has_copy) kz_narrow(&c.copy[i], weight);
}

// ---- packs -------------------------------------------------------------------------------------------

template <int bytes> struct adamw_raw;
template <> struct adamw_raw<16> { typedef uint4 type; };
template <> struct adamw_raw<8> { typedef uint2 type; };
template <typename T, int lanes> union adamw_lanes {
    typename adamw_raw<lanes * sizeof(T)>::type raw;
    T at[lanes];
};

template <typename W, typename G> struct adamw_pack {
    adamw_lanes<W, ADAMW_LANES<W>> weights, m, v;
    adamw_lanes<G, ADAMW_LANES<W>> gradients;
};

template <typename T, int lanes>
static __device__ __forceinline__ void adamw_load(adamw_lanes<T, lanes> *to, const T *from) {
    to->raw = kz_load<KZ_CACHE>((const decltype(to->raw) *)from);
}
template <typename T, int lanes>
static __device__ __forceinline__ void adamw_store(T *to, const adamw_lanes<T, lanes> &from) {
    kz_store<KZ_CACHE>((decltype(from.raw) *)to, from.raw);
}

template <typename W, typename G>
static __device__ __forceinline__ void adamw_load_pack(adamw_pack<W, G> *p, const adamw_chunk<W, G> &c,
                                                       unsigned i) {
    adamw_load(&p->gradients, c.gradients + i);
    adamw_load(&p->m, c.m + i);
    adamw_load(&p->v, c.v + i);
    adamw_load(&p->weights, c.weights + i);
}

template <bool fast, bool has_copy, typename W, typename G>
static __device__ __forceinline__ void adamw_step_pack(const adamw_terms &t, const adamw_chunk<W, G> &c,
                                                       adamw_pack<W, G> p, unsigned i) {
    const int LANES = ADAMW_LANES<W>;
    adamw_lanes<G, LANES> copy;
    kz_philox_block call = {};
#pragma unroll
    for (int e = 0; e < LANES; e++) {
        float weight = kz_widen(p.weights.at[e]), m = kz_widen(p.m.at[e]), v = kz_widen(p.v.at[e]);
        adamw_step<fast>(t, c.own, kz_widen(p.gradients.at[e]), &weight, &m, &v);
        size_t index = c.first + i + e;
        if constexpr (ADAMW_DRAWS<W>)
            if (e == 0 || index % 2 == 0) call = adamw_draw(t, index);
        adamw_narrow_all(&p.weights.at[e], &p.m.at[e], &p.v.at[e], weight, m, v, call, index);
        if (has_copy) kz_narrow(&copy.at[e], weight);
    }
    adamw_store(c.weights + i, p.weights);
    adamw_store(c.m + i, p.m);
    adamw_store(c.v + i, p.v);
    if (has_copy) adamw_store(c.copy + i, copy);
}

// ---- chunks ------------------------------------------------------------------------------------------

// By the whole block: packs of all four arrays, `wanted` of them in flight per thread, and the edges by the first threads.
// Where results are rounded by chance, the generator needs the registers of a second pack, and hides the wait for the first.
template <bool fast, int wanted, bool has_copy, typename W, typename G>
static __device__ __forceinline__ void adamw_do_chunk(const adamw_terms &t, const adamw_chunk<W, G> &c) {
    const int packs = ADAMW_DRAWS<W> ? 1 : wanted;
    const unsigned LANES = ADAMW_LANES<W>, STRIDE = ADAMW_THREADS * LANES;
    unsigned whole = (c.count - c.head) / LANES * LANES, end = c.head + whole;
    unsigned first = c.head + threadIdx.x * LANES;
#pragma unroll 1
    for (; first + (packs - 1) * STRIDE < end; first += packs * STRIDE) {
        adamw_pack<W, G> p[packs];
#pragma unroll
        for (int k = 0; k < packs; k++) adamw_load_pack(&p[k], c, first + k * STRIDE);
#pragma unroll
        for (int k = 0; k < packs; k++) adamw_step_pack<fast, has_copy>(t, c, p[k], first + k * STRIDE);
    }
#pragma unroll 1
    for (; packs > 1 && first < end; first += STRIDE) { // what is left of a tensor's last chunk
        adamw_pack<W, G> p;
        adamw_load_pack(&p, c, first);
        adamw_step_pack<fast, has_copy>(t, c, p, first);
    }
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < c.head; i += ADAMW_THREADS) adamw_element<fast, has_copy>(t, c, i);
#pragma unroll 1
    for (unsigned i = end + threadIdx.x; i < c.count; i += ADAMW_THREADS)
        adamw_element<fast, has_copy>(t, c, i);
}

// A block per chunk.
template <bool fast, int packs, bool has_copy, typename W, typename G>
static __device__ __forceinline__ void adamw_block(const adamw_run<W, G> &run) {
    long long entry = run.list[blockIdx.x];
    adamw_read read = adamw_read_control(run);
    adamw_terms t = adamw_prepare(run, read);
    adamw_chunk<W, G> c = adamw_find_chunk<W, G, has_copy>(run, t, entry);
    if (!read.skips) adamw_do_chunk<fast, packs, has_copy>(t, c);
}

#endif
