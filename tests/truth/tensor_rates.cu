// What products on tensor cores and ldmatrix take: clocks from one to the next that needs it, and operations per clock and SM.
//
//   tensor_rates    prints "kind,latency,ops_per_clock"; ops of ldmatrix are bytes
//
// The constants OBSERVE_LATENCY_MMA*, OBSERVE_LATENCY_WGMMA and OBSERVE_MMA_PERCENT of src/observe/costs.h are from such a
// table. On a GPU of sm_90: nvcc -std=c++17 -O3 -gencode arch=compute_90a,code=sm_90a.
#include <cstdint>
#include <cstdio>

enum { LOOPS = 256, CHAINS = 4, WARPS = 16 };

__device__ uint32_t shared_of(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }

// Each kind: `step(chain)` is a product whose sum is the chain's own.
#define MMA(name, ops, sums, type, letter, text, ...)                                                        \
    struct name {                                                                                            \
        static constexpr const char *title = #name;                                                          \
        static constexpr double work = ops;                                                                  \
        type d[CHAINS][sums] = {};                                                                           \
        uint32_t a[8] = {threadIdx.x, 1, 2, 3, 4, 5, 6, 7};                                                  \
        __device__ void step(int c) { asm volatile(text __VA_ARGS__); }                                      \
        __device__ float sum() {                                                                             \
            float s = 0;                                                                                     \
            for (int c = 0; c < CHAINS; c++)                                                                 \
                for (int i = 0; i < sums; i++) s += (float)d[c][i];                                          \
            return s;                                                                                        \
        }                                                                                                    \
    };
#define F4 : "+f"(d[c][0]), "+f"(d[c][1]), "+f"(d[c][2]), "+f"(d[c][3])
#define R4 : "+r"(d[c][0]), "+r"(d[c][1]), "+r"(d[c][2]), "+r"(d[c][3])
#define R2 : "+r"(d[c][0]), "+r"(d[c][1])
#define AB42 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5])
#define AB21 : "r"(a[0]), "r"(a[1]), "r"(a[2])
#define T4  " {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
#define T4S " {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
#define T2  " {%0,%1},{%2,%3,%4,%5},{%6,%7},{%0,%1};"
#define M   "mma.sync.aligned."
MMA(m16n8k16_f32_f16, 4096, 4, float, f, M "m16n8k16.row.col.f32.f16.f16.f32" T4, F4 AB42)
MMA(m16n8k16_f16_f16, 4096, 2, uint32_t, r, M "m16n8k16.row.col.f16.f16.f16.f16" T2, R2 AB42)
MMA(m16n8k16_f32_bf16, 4096, 4, float, f, M "m16n8k16.row.col.f32.bf16.bf16.f32" T4, F4 AB42)
MMA(m16n8k8_f32_f16, 2048, 4, float, f, M "m16n8k8.row.col.f32.f16.f16.f32" T4S, F4 AB21)
MMA(m16n8k8_f32_tf32, 2048, 4, float, f, M "m16n8k8.row.col.f32.tf32.tf32.f32" T4, F4 AB42)
MMA(m16n8k4_f32_tf32, 1024, 4, float, f, M "m16n8k4.row.col.f32.tf32.tf32.f32" T4S, F4 AB21)
MMA(m16n8k32_f32_e4m3, 8192, 4, float, f, M "m16n8k32.row.col.f32.e4m3.e4m3.f32" T4, F4 AB42)
MMA(m16n8k32_s32_s8, 8192, 4, uint32_t, r, M "m16n8k32.row.col.s32.s8.s8.s32" T4, R4 AB42)
MMA(m16n8k16_s32_s8, 4096, 4, uint32_t, r, M "m16n8k16.row.col.s32.s8.s8.s32" T4S, R4 AB21)
MMA(m16n8k256_s32_b1, 65536, 4, uint32_t, r, M "m16n8k256.row.col.s32.b1.b1.s32.and.popc" T4, R4 AB42)
struct m8n8k4_f64 {
    static constexpr const char *title = "m8n8k4_f64";
    static constexpr double work = 512;
    double d[CHAINS][2] = {}, a = threadIdx.x;
    __device__ void step(int c) {
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%2},{%0,%1};"
                     : "+d"(d[c][0]), "+d"(d[c][1])
                     : "d"(a));
    }
    __device__ float sum() { return (float)(d[0][0] + d[1][0] + d[2][0] + d[3][0] + d[0][1]); }
};
// Its result is the next one's address.
struct ldmatrix_x4 {
    static constexpr const char *title = "ldmatrix_x4";
    static constexpr double work = 512;
    uint32_t d[CHAINS][4];
    __device__ ldmatrix_x4() {
        extern __shared__ uint32_t room[];
        for (int i = threadIdx.x; i < 1024; i += blockDim.x) room[i] = 0;
        __syncthreads();
        for (int c = 0; c < CHAINS; c++) d[c][0] = 0;
    }
    __device__ void step(int c) {
        extern __shared__ uint32_t room[];
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(d[c][0]), "=r"(d[c][1]), "=r"(d[c][2]), "=r"(d[c][3])
                     : "r"(shared_of(room) + (threadIdx.x % 32 * 16 | d[c][0])));
    }
    __device__ float sum() { return (float)(d[0][0] + d[1][1] + d[2][2] + d[3][3]); }
};

template <class Kind> __global__ void time_kind(int chains, long long *clocks, float *sink) {
    Kind kind;
    __syncthreads();
    long long start = clock64();
    for (int i = 0; i < LOOPS; i++)
        if (chains == 1)
            kind.step(0);
        else
#pragma unroll
            for (int c = 0; c < CHAINS; c++) kind.step(c);
    __syncthreads();
    if (threadIdx.x == 0) clocks[blockIdx.x] = clock64() - start;
    float s = kind.sum();
    if (s == 1.25f) *sink = s;
}

static long long *clocks;
static float *sink;

template <class Kind> void report() {
    time_kind<Kind><<<1, 32, 8192>>>(1, clocks, sink);
    cudaDeviceSynchronize();
    double latency = (double)clocks[0] / LOOPS;
    time_kind<Kind><<<1, 32 * WARPS, 8192>>>(CHAINS, clocks, sink);
    cudaDeviceSynchronize();
    double rate = Kind::work * LOOPS * CHAINS * WARPS / (double)clocks[0];
    printf("%s,%.1f,%.0f\n", Kind::title, latency, rate);
}

// ---- wgmma: one warpgroup, A and B in shared memory, N columns ---------------------------------------------

template <int N, bool WAITS> __global__ void time_group(long long *result, float *out) {
    extern __shared__ __align__(1024) uint8_t tiles[];
    float d[N / 2];
    for (int i = 0; i < N / 2; i++) d[i] = 0;
    for (int i = threadIdx.x; i < 16384 / 4; i += 128) ((uint32_t *)tiles)[i] = 0;
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    uint64_t a = (shared_of(tiles) >> 4 & 0x3fff) | (uint64_t)8 << 16 | (uint64_t)16 << 32;
    long long start = clock64();
    for (int i = 0; i < LOOPS; i++) {
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        if constexpr (N == 8)
            asm volatile(
                "{.reg .pred p; setp.ne.b32 p, 1, 0;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
                "{%0,%1,%2,%3}, %4, %4, p, 1, 1, 0, 0;}"
                : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                : "l"(a));
        if constexpr (N == 16)
            asm volatile(
                "{.reg .pred p; setp.ne.b32 p, 1, 0;\nwgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 "
                "{%0,%1,%2,%3,%4,%5,%6,%7}, %8, %8, p, 1, 1, 0, 0;}"
                : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
                  "+f"(d[7])
                : "l"(a));
#define E8(b)                                                                                                \
    "+f"(d[b]), "+f"(d[b + 1]), "+f"(d[b + 2]), "+f"(d[b + 3]), "+f"(d[b + 4]), "+f"(d[b + 5]),              \
        "+f"(d[b + 6]), "+f"(d[b + 7])
        if constexpr (N == 32)
            asm volatile(
                "{.reg .pred p; setp.ne.b32 p, 1, 0;\nwgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 "
                "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15}, %16, %16, p, 1, 1, 0, 0;}"
                : E8(0), E8(8)
                : "l"(a));
        if constexpr (N == 64)
            asm volatile(
                "{.reg .pred p; setp.ne.b32 p, 1, 0;\nwgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
                "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%"
                "25,"
                "%26,%27,%28,%29,%30,%31}, %32, %32, p, 1, 1, 0, 0;}"
                : E8(0), E8(8), E8(16), E8(24)
                : "l"(a));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        if (WAITS) asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    long long stop = clock64();
    if (threadIdx.x == 0) *result = stop - start;
    float s = 0;
    for (int i = 0; i < N / 2; i++) s += d[i];
    if (s == 1.25f) *out = s;
}

template <int N> void report_group() {
    time_group<N, true><<<1, 128, 20480>>>(clocks, sink);
    cudaDeviceSynchronize();
    double latency = (double)clocks[0] / LOOPS;
    time_group<N, false><<<1, 128, 20480>>>(clocks, sink);
    cudaDeviceSynchronize();
    printf("wgmma_m64n%dk16_f32_f16,%.1f,%.0f\n", N, latency, 2.0 * 64 * N * 16 * LOOPS / (double)clocks[0]);
}

int main() {
    cudaMallocManaged(&clocks, 4096);
    cudaMallocManaged(&sink, 4);
    printf("kind,latency,ops_per_clock\n");
    report<m16n8k16_f32_f16>(), report<m16n8k16_f16_f16>(), report<m16n8k16_f32_bf16>(),
        report<m16n8k8_f32_f16>();
    report<m16n8k8_f32_tf32>(), report<m16n8k4_f32_tf32>(), report<m16n8k32_f32_e4m3>(),
        report<m16n8k32_s32_s8>();
    report<m16n8k16_s32_s8>(), report<m16n8k256_s32_b1>(), report<m8n8k4_f64>(), report<ldmatrix_x4>();
    report_group<8>(), report_group<16>(), report_group<32>(), report_group<64>();
    fprintf(stderr, "%s\n", cudaGetErrorString(cudaGetLastError()));
}
