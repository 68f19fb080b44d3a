// permute 03: merged axes
//
// Idea     axes that stay neighbours are one axis, and an axis of 1 is none: NCHW to NHWC moves C past H x W,
//          three axes, and a batched transpose is three, whatever it was called.
// Change   the plan merges them and says how many are left; the kernel divides once less for each.
// Expect   fewer instructions; a permutation that moves nothing is a copy without a division.
// Limit    an element at a time: 2 bytes per lane and load in bf16 (see 04), scattered reads where the last
//          axis changes (see 05). Fewer than 2^31 elements.

#include "permute.cuh"

// As in 02; of fewer axes than four the first are missing, and their divisors are 1.
template <typename T>
static __device__ __forceinline__ void merged(const T *in, T *out, uint32_t total, uint32_t rank, uint64_t m1,
                                              uint64_t m2, uint64_t m3, uint32_t s0, uint32_t s1, uint32_t s2,
                                              uint32_t s3) {
    uint32_t i = (uint32_t)kz_thread();
    if (i >= total) return;
    uint32_t rest = i, x, from = 0;
    if (rank > 1) {
        rest = divide(rest, divider_unpack(m3), &x);
        from += x * s3;
    }
    if (rank > 2) {
        rest = divide(rest, divider_unpack(m2), &x);
        from += x * s2;
    }
    if (rank > 3) {
        rest = divide(rest, divider_unpack(m1), &x);
        from += x * s1;
    }
    // What is left is the coordinate on the first axis there is.
    from += rest * (rank > 3 ? s0 : rank > 2 ? s1 : rank > 1 ? s2 : s3);
    out[i] = in[from];
}

#define MERGED(type, T)                                                                                      \
    KZ_ENTRY(permute_merged_axes_permute_##type)                                                             \
    (const T *in, T *out, uint64_t total, uint64_t m1, uint64_t m2, uint64_t m3, uint64_t s0, uint64_t s1,   \
     uint64_t s2, uint64_t s3, uint64_t rank) {                                                              \
        merged(in, out, (uint32_t)total, (uint32_t)rank, m1, m2, m3, (uint32_t)s0, (uint32_t)s1,             \
               (uint32_t)s2, (uint32_t)s3);                                                                  \
    }
PERMUTE_SIZES(MERGED)
