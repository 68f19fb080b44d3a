// Floats as unsigned integers of the same order, for selecting, sorting and comparing: families top_k and sampling.
//
// -Inf has the least key of a number. -0 and +0 have one key, and so have all NaN: the greatest. Key 0 is nobody's.
#ifndef KZ_ORDERED_KEY_CUH
#define KZ_ORDERED_KEY_CUH

#include "kz/kernel.cuh"

// What belongs to a type: digits of its keys, and the bits of +Inf.
template <typename T> struct kz_key_traits;
template <> struct kz_key_traits<float> {
    enum : uint32_t { BITS = 32, INFINITE = 0x7f800000u };
};
template <> struct kz_key_traits<kz_f16> {
    enum : uint32_t { BITS = 16, INFINITE = 0x7c00u };
};
template <> struct kz_key_traits<kz_bf16> {
    enum : uint32_t { BITS = 16, INFINITE = 0x7f80u };
};

template <typename T> static __device__ __forceinline__ constexpr uint32_t kz_key_sign(void) {
    return 1u << (kz_key_traits<T>::BITS - 1);
}
template <typename T> static __device__ __forceinline__ constexpr uint32_t kz_key_most(void) {
    return kz_key_sign<T>() | (kz_key_sign<T>() - 1);
}
template <typename T> static __device__ __forceinline__ constexpr uint32_t kz_key_of_zero(void) {
    return kz_key_sign<T>();
}
template <typename T> static __device__ __forceinline__ constexpr uint32_t kz_key_of_infinity(void) {
    return kz_key_sign<T>() | kz_key_traits<T>::INFINITE;
}
template <typename T> static __device__ __forceinline__ constexpr uint32_t kz_key_of_minus_infinity(void) {
    return kz_key_sign<T>() - 1 - kz_key_traits<T>::INFINITE;
}

static __device__ __forceinline__ uint32_t kz_bits_of(float x) { return __float_as_uint(x); }
static __device__ __forceinline__ uint32_t kz_bits_of(kz_f16 x) { return x.bits; }
static __device__ __forceinline__ uint32_t kz_bits_of(kz_bf16 x) { return x.bits; }
static __device__ __forceinline__ void kz_from_bits(float *x, uint32_t bits) { *x = __uint_as_float(bits); }
static __device__ __forceinline__ void kz_from_bits(kz_f16 *x, uint32_t bits) { x->bits = (uint16_t)bits; }
static __device__ __forceinline__ void kz_from_bits(kz_bf16 *x, uint32_t bits) { x->bits = (uint16_t)bits; }

// A negative number is complemented, so that the least is first; others get the sign bit, and come behind.
template <typename T> static __device__ __forceinline__ uint32_t kz_ordered_key_of_bits(uint32_t bits) {
    uint32_t sign = kz_key_sign<T>(), magnitude = bits & (sign - 1);
    uint32_t key = bits & sign ? sign - 1 - magnitude : sign | magnitude;
    if (magnitude == 0) key = kz_key_of_zero<T>();
    return magnitude > kz_key_traits<T>::INFINITE ? kz_key_most<T>() : key;
}
template <typename T> static __device__ __forceinline__ uint32_t kz_ordered_key(T x) {
    return kz_ordered_key_of_bits<T>(kz_bits_of(x));
}

// The bits of a key's number; of zero's key those of +0, of NaN's key those of a NaN.
template <typename T> static __device__ __forceinline__ uint32_t kz_bits_of_key(uint32_t key) {
    return key & kz_key_sign<T>() ? key - kz_key_sign<T>() : kz_key_most<T>() - key;
}

#endif
