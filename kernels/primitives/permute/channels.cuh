// permute: a last axis of 2, 3 or 4 to planes, and back, for 08 and 09.
//
// `split` takes [batch][k][D] to [batch][D][k], `join` the other way. A group is as many k as fill a pack: it
// has D packs in the interleaved tensor, side by side, and one in each plane. A thread transposes one group, all
// in registers, with every index known to the compiler; shared memory only hands the packs over, so that the
// warp sees whole lines of the interleaved side.
#ifndef PERMUTE_CHANNELS_CUH
#define PERMUTE_CHANNELS_CUH

#include "kz/device/tile_transpose.cuh"
#include "permute.cuh"
#include "tune.h"

enum { CHANNELS_THREADS = PERMUTE_CHANNELS_THREADS };

// A word of elements from[at[0]], from[at[1]], ...: 1, 2 or 4 of them; half of one for 8 bytes.
template <int SIZE>
static __device__ __forceinline__ uint32_t pick(const uint32_t *from, const int *at, int half) {
    if (SIZE == 8) return from[2 * at[0] + half];
    if (SIZE == 4) return from[at[0]];
    if (SIZE == 2)
        return __byte_perm(from[at[0] / 2], from[at[1] / 2],
                           (at[0] % 2 ? 0x32 : 0x10) | (at[1] % 2 ? 0x7600 : 0x5400));
    uint32_t lower = __byte_perm(from[at[0] / 4], from[at[1] / 4], at[0] % 4 | (4 + at[1] % 4) << 4);
    uint32_t upper = __byte_perm(from[at[2] / 4], from[at[3] / 4], at[2] % 4 | (4 + at[3] % 4) << 4);
    return __byte_perm(lower, upper, 0x5410);
}

// A group's D packs: element e of plane c is element e * D + c of the interleaved ones.
template <int SIZE, int D, bool SPLIT>
static __device__ __forceinline__ void turn_group(const kz_words (&from)[D], kz_words (&to)[D]) {
    const int PACK = 16 / SIZE, EACH = SIZE < 4 ? 4 / SIZE : 1; // elements of a word
    uint32_t flat[4 * D];
#pragma unroll
    for (int w = 0; w < 4 * D; w++) flat[w] = from[w / 4].at[w % 4];
#pragma unroll
    for (int w = 0; w < 4 * D; w++) {
        int at[4];
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            int q = (SIZE == 8 ? w / 2 : w * EACH) + j; // of the result
            at[j] = SPLIT ? q % PACK * D + q / PACK : q % D * PACK + q / D;
        }
        to[w / 4].at[w % 4] = pick<SIZE>(flat, at, w % 2);
    }
}

// Where pack p of a block lies in shared memory: with D even, 8 lanes D packs apart would meet in few banks.
template <int D> static __device__ __forceinline__ unsigned hand_over(unsigned p) {
    return D % 2 == 0 ? p + p / 8 : p;
}

// The same by elements, for pointers that are aligned for these alone.
template <int SIZE, int D, bool SPLIT>
static __device__ __forceinline__ void channels_by_elements(const void *in, void *out, uint32_t groups,
                                                            divider per_batch) {
    typedef typename kz_uint_of<SIZE>::bits bits;
    const int PACK = 16 / SIZE;
    uint32_t group = blockIdx.x * CHANNELS_THREADS + threadIdx.x, k;
    if (group >= groups) return;
    size_t batch = divide(group, per_batch, &k), length = (size_t)per_batch.by * PACK;
    for (int q = 0; q < PACK * D; q++) {
        size_t mixed = (size_t)group * PACK * D + q;
        size_t plane = (batch * D + q % D) * length + (size_t)k * PACK + q / D;
        ((bits *)out)[SPLIT ? plane : mixed] = ((const bits *)in)[SPLIT ? mixed : plane];
    }
}

template <int SIZE, int D, bool SPLIT>
static __device__ __forceinline__ void channels(const void *in, void *out, uint32_t groups,
                                                divider per_batch) {
    __shared__ uint4 packs[CHANNELS_THREADS * D + CHANNELS_THREADS * D / 8];
    if (!kz_aligned(in, 16) || !kz_aligned(out, 16)) {
        channels_by_elements<SIZE, D, SPLIT>(in, out, groups, per_batch);
        return;
    }
    uint32_t first = blockIdx.x * CHANNELS_THREADS, group = first + threadIdx.x, k;
    size_t batch = divide(group, per_batch, &k);
    uint32_t mixed = groups - first < CHANNELS_THREADS ? (groups - first) * D : CHANNELS_THREADS * D;
    const uint4 *from = (const uint4 *)in + (SPLIT ? (size_t)first * D : batch * D * per_batch.by + k);
    uint4 *to = (uint4 *)out + (SPLIT ? batch * D * per_batch.by + k : (size_t)first * D);
    kz_words loaded[D], transposed[D];
#pragma unroll
    for (int i = 0; i < D; i++) {
        loaded[i].raw = make_uint4(0, 0, 0, 0);
        uint32_t p = threadIdx.x + i * CHANNELS_THREADS;
        if (SPLIT ? p < mixed : group < groups)
            loaded[i].raw = kz_load<KZ_CACHE>(from + (SPLIT ? p : (size_t)i * per_batch.by));
    }
    if (!SPLIT) turn_group<SIZE, D, false>(loaded, transposed);
#pragma unroll
    for (int i = 0; i < D; i++)
        packs[hand_over<D>(SPLIT ? threadIdx.x + i * CHANNELS_THREADS : threadIdx.x * D + i)] =
            SPLIT ? loaded[i].raw : transposed[i].raw;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < D; i++)
        loaded[i].raw = packs[hand_over<D>(SPLIT ? threadIdx.x * D + i : threadIdx.x + i * CHANNELS_THREADS)];
    if (SPLIT) turn_group<SIZE, D, true>(loaded, transposed);
#pragma unroll
    for (int i = 0; i < D; i++) {
        uint32_t p = threadIdx.x + i * CHANNELS_THREADS;
        if (SPLIT && group < groups) kz_store<KZ_CACHE>(to + (size_t)i * per_batch.by, transposed[i].raw);
        if (!SPLIT && p < mixed) kz_store<KZ_CACHE>(to + p, loaded[i].raw);
    }
}

#define CHANNELS_ENTRY(type, size, count)                                                                    \
    KZ_ENTRY_BOUNDS(permute_split##count##_permute_##type, CHANNELS_THREADS, 1)                              \
    (const void *in, void *out, uint64_t groups, uint64_t per_batch) {                                       \
        channels<size, count, true>(in, out, (uint32_t)groups, divider_unpack(per_batch));                   \
    }                                                                                                        \
    KZ_ENTRY_BOUNDS(permute_join##count##_permute_##type, CHANNELS_THREADS, 1)                               \
    (const void *in, void *out, uint64_t groups, uint64_t per_batch) {                                       \
        channels<size, count, false>(in, out, (uint32_t)groups, divider_unpack(per_batch));                  \
    }
#define CHANNELS_SIZES(count)                                                                                \
    CHANNELS_ENTRY(u8, 1, count)                                                                             \
    CHANNELS_ENTRY(u16, 2, count)                                                                            \
    CHANNELS_ENTRY(u32, 4, count)                                                                            \
    CHANNELS_ENTRY(i64, 8, count)
#define CHANNELS_ENTRIES() CHANNELS_SIZES(2) CHANNELS_SIZES(3) CHANNELS_SIZES(4)

#endif
