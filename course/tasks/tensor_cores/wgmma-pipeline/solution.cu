// kz: sm 90a
#include <cuda.h>
#include <cuda_fp16.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                        \
    do {                                                                   \
        cudaError_t error = (call);                                        \
        if (error != cudaSuccess) {                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,             \
                    cudaGetErrorString(error));                            \
            exit(1);                                                       \
        }                                                                  \
    } while (0)

// A barrier is 8 bytes of shared memory, named by its address there.
__device__ unsigned address_of(const void *pointer) {
    return (unsigned)__cvta_generic_to_shared(pointer);
}
__device__ void barrier_init(unsigned barrier, unsigned arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier),
                 "r"(arrivals)
                 : "memory");
}
__device__ void arrive(unsigned barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier)
                 : "memory");
}
__device__ void arrive_and_expect(unsigned barrier, unsigned bytes) {
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
            barrier),
        "r"(bytes)
        : "memory");
}
// Until the phase with this parity has ended.
__device__ void wait(unsigned barrier, unsigned parity) {
    unsigned done;
    do
        asm volatile(
            "{ .reg .pred p;\n"
            "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
            "selp.u32 %0, 1, 0, p; }"
            : "=r"(done)
            : "r"(barrier), "r"(parity)
            : "memory");
    while (!done);
}

// The box at (column, row) of the map's matrix to shared memory; its bytes
// count at `barrier`.
__device__ void copy_box(unsigned to, const CUtensorMap *map, int column,
                         int row, unsigned barrier) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier"
        "::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(to),
        "l"(map), "r"(column), "r"(row), "r"(barrier)
        : "memory");
}

// d = a b, plus d where `adds`: D 64 x 64, A 64 x 16, B 16 x 64, for a
// warpgroup. a and b are descriptors of tiles whose rows lie along k.
__device__ void wgmma(float d[32], unsigned long long a,
                      unsigned long long b, int adds) {
    asm volatile(
        "{ .reg .pred p; setp.ne.b32 p, %34, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
        "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"
        "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, "
        "%32, %33, p, 1, 1, 0, 0; }"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]),
          "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]),
          "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]),
          "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]),
          "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),
          "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
          "+f"(d[30]), "+f"(d[31])
        : "l"(a), "l"(b), "r"(adds)
        : "memory");
}
__device__ void wgmma_fence() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ void wgmma_commit() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int N> __device__ void wgmma_wait_for_all_but() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
}

// The arrival of a warp.
__device__ void release(unsigned barrier) {
    __syncwarp();
    if (threadIdx.x % 32 == 0) arrive(barrier);
}

enum {
    SIDE = 64,
    DEPTH = 64,
    STAGES = 3,
    BOX = SIDE * DEPTH * 2, // bytes
    SHARED = STAGES * 2 * BOX + 1024,
    CONSUMERS = 128,
    THREADS = CONSUMERS + 32
};

// Of a box in shared memory, swizzled by 128 bytes, rows along k.
__device__ unsigned long long descriptor(unsigned address) {
    return address >> 4 | 1024ull >> 4 << 32 | 1ull << 62;
}

// Begins the products of a chunk: a group.
__device__ void multiply(float sums[32], unsigned a, unsigned b,
                         bool adds) {
    wgmma_fence();
    for (int step = 0; step < DEPTH / 16; step++)
        wgmma(sums, descriptor(a + 32 * step), descriptor(b + 32 * step),
              adds || step > 0);
    wgmma_commit();
}

__global__ void multiply_tiles(const __grid_constant__ CUtensorMap a,
                               const __grid_constant__ CUtensorMap b,
                               float *c, int m, int n, int k) {
    extern __shared__ char memory[];
    __shared__ unsigned long long full[STAGES], empty[STAGES];
    // Stage s: a's box at stages + 2 * s * BOX, b's behind it.
    unsigned stages = (address_of(memory) + 1023) / 1024 * 1024;
    int row = blockIdx.y * SIDE, column = blockIdx.x * SIDE;
    int chunks = (k + DEPTH - 1) / DEPTH;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            barrier_init(address_of(&full[s]), 1);
            barrier_init(address_of(&empty[s]), CONSUMERS / 32);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    float sums[32];
    // kz: begin
    if (threadIdx.x == CONSUMERS) {
        for (int i = 0; i < chunks; i++) {
            int s = i % STAGES, round = i / STAGES;
            unsigned to = stages + 2 * s * BOX, f = address_of(&full[s]);
            wait(address_of(&empty[s]), round % 2 ^ 1);
            arrive_and_expect(f, 2 * BOX);
            copy_box(to, &a, i * DEPTH, row, f);
            copy_box(to + BOX, &b, i * DEPTH, column, f);
        }
    }
    if (threadIdx.x >= CONSUMERS) return;
    for (int i = 0; i < chunks; i++) {
        int s = i % STAGES, round = i / STAGES;
        unsigned from = stages + 2 * s * BOX;
        wait(address_of(&full[s]), round % 2);
        multiply(sums, from, from + BOX, i > 0);
        wgmma_wait_for_all_but<1>();
        if (i > 0) release(address_of(&empty[(i - 1) % STAGES]));
    }
    wgmma_wait_for_all_but<0>();
    // kz: starter
    //|     // Copy, wait, multiply, wait. Make a ring of it: the producer (thread
    //|     // CONSUMERS) runs ahead by up to STAGES chunks.
    //|     for (int i = 0; i < chunks; i++) {
    //|         if (threadIdx.x == CONSUMERS) {
    //|             arrive_and_expect(address_of(&full[0]), 2 * BOX);
    //|             copy_box(stages, &a, i * DEPTH, row, address_of(&full[0]));
    //|             copy_box(stages + BOX, &b, i * DEPTH, column,
    //|                      address_of(&full[0]));
    //|         }
    //|         if (threadIdx.x < CONSUMERS) {
    //|             wait(address_of(&full[0]), i % 2);
    //|             multiply(sums, stages, stages + BOX, i > 0);
    //|             wgmma_wait_for_all_but<0>();
    //|         }
    //|         __syncthreads();
    //|     }
    //|     if (threadIdx.x >= CONSUMERS) return;
    // kz: end

    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int i = 0; i < 32; i++) {
        int y = row + warp * 16 + lane / 4 + i / 2 % 2 * 8;
        int x = column + i / 4 * 8 + lane % 4 * 2 + i % 2;
        if (y < m && x < n) c[(size_t)y * n + x] = sums[i];
    }
}

// The driver's cuTensorMapEncodeTiled, without linking the driver.
static decltype(&cuTensorMapEncodeTiled) encoder() {
    void *found = NULL;
    cudaDriverEntryPointQueryResult result;
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found,
                                           12000, cudaEnableDefault,
                                           &result));
    return (decltype(&cuTensorMapEncodeTiled))found;
}

// Rows of `depth` halves along k, in boxes of 64 x 64.
static CUtensorMap map_of(const __half *matrix, int rows, int depth) {
    CUtensorMap map;
    cuuint64_t sizes[2] = {(cuuint64_t)depth, (cuuint64_t)rows};
    cuuint64_t strides[1] = {(cuuint64_t)depth * sizeof(__half)};
    cuuint32_t box[2] = {DEPTH, SIDE}, steps[2] = {1, 1};
    CUresult made = encoder()(
        &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, (void *)matrix, sizes,
        strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
        CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (made != CUDA_SUCCESS) {
        fprintf(stderr, "the tensor map was refused: %d\n", (int)made);
        exit(1);
    }
    return map;
}

extern "C" void gemm(const __half *a, const __half *b, float *c, int m,
                     int n, int k) {
    size_t a_bytes = sizeof(__half) * m * k,
           b_bytes = sizeof(__half) * n * k;
    size_t c_bytes = sizeof(float) * m * n;
    __half *da, *db;
    float *dc;
    CHECK(cudaMalloc(&da, a_bytes));
    CHECK(cudaMalloc(&db, b_bytes));
    CHECK(cudaMalloc(&dc, c_bytes));
    CHECK(cudaMemcpy(da, a, a_bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(db, b, b_bytes, cudaMemcpyHostToDevice));
    CHECK(cudaFuncSetAttribute(multiply_tiles,
                               cudaFuncAttributeMaxDynamicSharedMemorySize,
                               SHARED));
    dim3 grid((n + SIDE - 1) / SIDE, (m + SIDE - 1) / SIDE);
    multiply_tiles<<<grid, THREADS, SHARED>>>(
        map_of(da, m, k), map_of(db, n, k), dc, m, n, k);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(c, dc, c_bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(dc));
    CHECK(cudaFree(db));
    CHECK(cudaFree(da));
}
