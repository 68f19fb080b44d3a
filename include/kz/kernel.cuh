// Kernel Zoo, for people who write kernels: the entry macro, lanes, 16-byte loads and stores with cache
// hints, the half types, folding in a warp and in a block. Device code only.
//
// CUDA is written the C way here; a template appears where the C way would repeat a kernel per type.
#ifndef KZ_KERNEL_CUH
#define KZ_KERNEL_CUH

#include <stddef.h>
#include <stdint.h>

// An entry point, named <family>_<idea>_<operation>_<type>: KZ_ENTRY(saxpy_naive_saxpy_f32)(...) { ... }
#define KZ_ENTRY(name) extern "C" __global__ void name
// The same, compiled for blocks of at most `threads`, `blocks` of them on a multiprocessor.
#define KZ_ENTRY_BOUNDS(name, threads, blocks)                                                               \
    extern "C" __global__ void __launch_bounds__(threads, blocks) name

enum { KZ_WARP = 32 };
#define KZ_ALL_LANES 0xffffffffu

static __device__ __forceinline__ unsigned kz_lane(void) { return threadIdx.x % KZ_WARP; }
static __device__ __forceinline__ unsigned kz_warp(void) { return threadIdx.x / KZ_WARP; }
static __device__ __forceinline__ unsigned kz_warps(void) { return blockDim.x / KZ_WARP; }

// This thread's index in a one-dimensional grid, and the number of threads in that grid.
static __device__ __forceinline__ size_t kz_thread(void) {
    return (size_t)blockIdx.x * blockDim.x + threadIdx.x;
}
static __device__ __forceinline__ size_t kz_threads(void) { return (size_t)gridDim.x * blockDim.x; }

// ---- half types: bits in memory, float in registers -------------------------------------------------

struct kz_f16 {
    uint16_t bits;
};
struct kz_bf16 {
    uint16_t bits;
};

// What arithmetic on an element is done in: float for the half types, the type itself otherwise.
static __device__ __forceinline__ float kz_widen(float x) { return x; }
static __device__ __forceinline__ double kz_widen(double x) { return x; }
static __device__ __forceinline__ int kz_widen(int x) { return x; }
static __device__ __forceinline__ unsigned kz_widen(unsigned x) { return x; }
static __device__ __forceinline__ long long kz_widen(long long x) { return x; }
static __device__ __forceinline__ float kz_widen(kz_f16 x) {
    float wide;
    asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(x.bits));
    return wide;
}
static __device__ __forceinline__ float kz_widen(kz_bf16 x) {
    return __uint_as_float((uint32_t)x.bits << 16);
}

// And back, rounded once to nearest even: kz_narrow(&element, value).
static __device__ __forceinline__ void kz_narrow(float *to, float x) { *to = x; }
static __device__ __forceinline__ void kz_narrow(double *to, double x) { *to = x; }
static __device__ __forceinline__ void kz_narrow(int *to, int x) { *to = x; }
static __device__ __forceinline__ void kz_narrow(unsigned *to, unsigned x) { *to = x; }
static __device__ __forceinline__ void kz_narrow(long long *to, long long x) { *to = x; }
static __device__ __forceinline__ void kz_narrow(kz_f16 *to, float x) {
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(to->bits) : "f"(x));
}
static __device__ __forceinline__ void kz_narrow(kz_bf16 *to, float x) {
#if __CUDA_ARCH__ >= 800
    // The two-value form: the one-value form needs sm_90.
    uint32_t pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(0.0f), "f"(x));
    to->bits = (uint16_t)pair;
#else
    // Adding just under half of the last kept bit, and that bit itself, rounds ties to even; a NaN must not
    // be carried into an infinity.
    uint32_t bits = __float_as_uint(x);
    uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    to->bits = (uint16_t)(x != x ? 0x7fffu : rounded);
#endif
}

// ---- 16 bytes at a time --------------------------------------------------------------------------------

// The elements of one 16-byte access: 4 floats, 8 halves, 2 doubles.
template <typename T> union kz_pack {
    uint4 raw;
    T at[16 / sizeof(T)];
};

// How an access treats the caches. STREAM marks lines as the first to go: for data touched once.
enum { KZ_CACHE, KZ_STREAM };

// Loads and stores of 16 or 8 bytes as one instruction each: a plain assignment may be taken apart by the
// compiler into single words.
template <int hint> static __device__ __forceinline__ uint4 kz_load(const uint4 *from) {
    uint4 v;
    if (hint == KZ_STREAM)
        asm volatile("ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(from));
    else
        asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(from));
    return v;
}
template <int hint> static __device__ __forceinline__ uint2 kz_load(const uint2 *from) {
    uint2 v;
    if (hint == KZ_STREAM)
        asm volatile("ld.global.cs.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "l"(from));
    else
        asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "l"(from));
    return v;
}
template <int hint> static __device__ __forceinline__ void kz_store(uint4 *to, uint4 v) {
    if (hint == KZ_STREAM)
        asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(v.x), "r"(v.y), "r"(v.z),
                     "r"(v.w)
                     : "memory");
    else
        asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(v.x), "r"(v.y), "r"(v.z),
                     "r"(v.w)
                     : "memory");
}
template <int hint> static __device__ __forceinline__ void kz_store(uint2 *to, uint2 v) {
    if (hint == KZ_STREAM)
        asm volatile("st.global.cs.v2.u32 [%0], {%1, %2};" ::"l"(to), "r"(v.x), "r"(v.y) : "memory");
    else
        asm volatile("st.global.v2.u32 [%0], {%1, %2};" ::"l"(to), "r"(v.x), "r"(v.y) : "memory");
}

template <int hint, typename T> static __device__ __forceinline__ kz_pack<T> kz_load_pack(const T *from) {
    kz_pack<T> pack;
    pack.raw = kz_load<hint>((const uint4 *)from);
    return pack;
}
template <int hint, typename T> static __device__ __forceinline__ void kz_store_pack(T *to, kz_pack<T> pack) {
    kz_store<hint>((uint4 *)to, pack.raw);
}

static __device__ __forceinline__ bool kz_aligned(const void *pointer, size_t bytes) {
    return (size_t)pointer % bytes == 0;
}

#endif
