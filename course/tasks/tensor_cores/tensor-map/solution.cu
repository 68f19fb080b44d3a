// kz: sm 90
#include <cuda.h>
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

enum { BOX = 32, BYTES = 4 * BOX * BOX, WARPS = 4 };

__global__ void transpose_boxes(const __grid_constant__ CUtensorMap map,
                                float *out, int width, int height) {
    __shared__ __align__(1024) float box[BOX * BOX];
    __shared__ unsigned long long full;
    int column = blockIdx.x * BOX, row = blockIdx.y * BOX;
    if (threadIdx.x == 0) {
        barrier_init(address_of(&full), 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    // kz: begin
    if (threadIdx.x == 0) {
        arrive_and_expect(address_of(&full), BYTES);
        copy_box(address_of(box), &map, column, row, address_of(&full));
    }
    wait(address_of(&full), 0);
    // kz: starter
    //|     // Thread 0: promise the bytes, begin the copy. All: wait for them.
    // kz: end

    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int piece = warp; piece < BOX / 4; piece += WARPS) {
        // kz: begin
        int place = piece ^ lane % 8;
        // kz: starter
        //|         int place = piece;
        // kz: end
        float4 v = ((const float4 *)box)[lane * (BOX / 4) + place];
        const float values[4] = {v.x, v.y, v.z, v.w};
        for (int i = 0; i < 4; i++) {
            int to = column + piece * 4 + i; // a row of the result
            if (to < width && row + lane < height)
                out[(size_t)to * height + row + lane] = values[i];
        }
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

extern "C" void transpose(const float *in, float *out, int width,
                          int height) {
    size_t bytes = sizeof(float) * width * height;
    float *from, *to;
    CHECK(cudaMalloc(&from, bytes));
    CHECK(cudaMalloc(&to, bytes));
    CHECK(cudaMemcpy(from, in, bytes, cudaMemcpyHostToDevice));
    CUtensorMap map;
    // kz: begin
    cuuint64_t sizes[2] = {(cuuint64_t)width, (cuuint64_t)height};
    cuuint64_t strides[1] = {(cuuint64_t)width * sizeof(float)};
    cuuint32_t corners[2] = {BOX, BOX}, steps[2] = {1, 1};
    CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
    // kz: starter
    //|     cuuint64_t sizes[2] = {1, 1};   // of the matrix
    //|     cuuint64_t strides[1] = {16};   // bytes from a row to the next
    //|     cuuint32_t corners[2] = {4, 1}; // of the box
    //|     cuuint32_t steps[2] = {1, 1};
    //|     CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
    // kz: end
    CUresult made =
        encoder()(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, from, sizes,
                  strides, corners, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                  swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (made != CUDA_SUCCESS) {
        fprintf(stderr, "the tensor map was refused: %d\n", (int)made);
        exit(1);
    }
    dim3 grid((width + BOX - 1) / BOX, (height + BOX - 1) / BOX);
    transpose_boxes<<<grid, 32 * WARPS>>>(map, to, width, height);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out, to, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(to));
    CHECK(cudaFree(from));
}
