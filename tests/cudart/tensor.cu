// Tensor maps in whole programs: encoded by the driver's calls, found in three ways; by parameter, constant and global
// memory; loads, stores, reductions, ranks, swizzles, multicast and im2col.
// flags: --nvcc-flag -gencode --nvcc-flag arch=compute_90a,code=[compute_90a,sm_90a] --nvcc-flag -lcuda
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/ptx>
#include <cooperative_groups.h>
#include <dlfcn.h>
#include <vector>
#include "check.h"
namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;
using barrier = cuda::barrier<cuda::thread_scope_block>;

#define DRIVER(result, call)                                                                                 \
    do {                                                                                                     \
        CUresult got_ = (call);                                                                              \
        if (got_ != (result)) {                                                                              \
            printf("%s:%d: not so: %s gives %d, not %s\n", __FILE__, __LINE__, #call, (int)got_, #result);   \
            failures++;                                                                                      \
        }                                                                                                    \
    } while (0)

enum { WIDTH = 48, HEIGHT = 40, TILE = 32 };

// ---- a transposition by tiles, with cuda::barrier ---------------------------------------------------------

__global__ void transpose(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to) {
    __shared__ alignas(128) float in[TILE][TILE], out[TILE][TILE];
    __shared__ barrier full;
    if (threadIdx.x == 0) {
        init(&full, blockDim.x);
        ptx::fence_proxy_async(ptx::space_shared);
    }
    __syncthreads();
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
        const int at[] = {TILE * (int)blockIdx.x, TILE * (int)blockIdx.y};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, in, &from, at,
                                  cuda::device::barrier_native_handle(full));
        token = cuda::device::barrier_arrive_tx(full, 1, sizeof in);
    } else
        token = full.arrive();
    full.wait(std::move(token));
    for (int i = threadIdx.x; i < TILE * TILE; i += blockDim.x)
        out[i % TILE][i / TILE] = in[i / TILE][i % TILE];
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        const int at[] = {TILE * (int)blockIdx.y, TILE * (int)blockIdx.x};
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &to, at, out);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}

static CUtensorMap matrix_map(void *address, unsigned width, unsigned height, unsigned box_width,
                              unsigned box_height, CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
                              CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE) {
    CUtensorMap map;
    cuuint64_t dims[] = {width, height}, strides[] = {width * 4ull};
    cuuint32_t box[] = {box_width, box_height}, steps[] = {1, 1};
    DRIVER(CUDA_SUCCESS, cuTensorMapEncodeTiled(
                             &map, type, 2, address, dims, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                             swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
    return map;
}

static void transposition() {
    std::vector<float> in(WIDTH * HEIGHT), out(WIDTH * HEIGHT);
    float *x, *y;
    for (int i = 0; i < WIDTH * HEIGHT; i++) in[i] = (float)i;
    OK(cudaMalloc(&x, sizeof(float) * in.size()));
    OK(cudaMalloc(&y, sizeof(float) * in.size()));
    OK(cudaMemcpy(x, in.data(), sizeof(float) * in.size(), cudaMemcpyHostToDevice));
    CUtensorMap from = matrix_map(x, WIDTH, HEIGHT, TILE, TILE),
                to = matrix_map(y, HEIGHT, WIDTH, TILE, TILE);
    transpose<<<dim3(2, 2), 128>>>(from, to);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(out.data(), y, sizeof(float) * out.size(), cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < WIDTH * HEIGHT; i++) wrong += out[i % WIDTH * HEIGHT + i / WIDTH] != in[i];
    CHECK(wrong == 0);
    OK(cudaFree(x));
    OK(cudaFree(y));
}

// ---- where the encoder is found, and what it refuses -------------------------------------------------------

static void entry_points() {
    decltype(&cuTensorMapEncodeTiled) encode = nullptr;
    cudaDriverEntryPointQueryResult status;
    OK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000, cudaEnableDefault,
                                        &status));
    CHECK(status == cudaDriverEntryPointSuccess && encode);
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    CHECK(library && dlsym(library, "cuTensorMapEncodeIm2col") &&
          dlsym(library, "cuTensorMapReplaceAddress"));
    const char *name = nullptr, *text = nullptr;
    DRIVER(CUDA_SUCCESS, cuGetErrorName(CUDA_ERROR_INVALID_VALUE, &name));
    DRIVER(CUDA_SUCCESS, cuGetErrorString(CUDA_ERROR_INVALID_VALUE, &text));
    CHECK(name && !strcmp(name, "CUDA_ERROR_INVALID_VALUE") && text && !strcmp(text, "invalid argument"));
    int version = 0;
    DRIVER(CUDA_SUCCESS, cuInit(0));
    DRIVER(CUDA_SUCCESS, cuDriverGetVersion(&version));
    CHECK(version >= 12000);
}

static void refusals() {
    CUtensorMap map;
    cuuint64_t dims[] = {64, 64}, strides[] = {256}, odd[] = {260};
    cuuint32_t box[] = {32, 8}, wide[] = {64, 8}, large[] = {32, 300}, steps[] = {1, 1}, far[] = {1, 9};
    void *address = (void *)0x7f0000000000ull;
    auto encode = [&](void *a, const cuuint64_t *s, const cuuint32_t *b, const cuuint32_t *e,
                      CUtensorMapSwizzle w, CUtensorMapDataType t, CUtensorMapFloatOOBfill f) {
        return cuTensorMapEncodeTiled(&map, t, 2, a, dims, s, b, e, CU_TENSOR_MAP_INTERLEAVE_NONE, w,
                                      CU_TENSOR_MAP_L2_PROMOTION_NONE, f);
    };
    auto f32 = CU_TENSOR_MAP_DATA_TYPE_FLOAT32, s32 = CU_TENSOR_MAP_DATA_TYPE_INT32;
    auto none = CU_TENSOR_MAP_SWIZZLE_NONE, all = CU_TENSOR_MAP_SWIZZLE_128B;
    auto zero = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE, nan = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
    DRIVER(CUDA_SUCCESS, encode(address, strides, box, steps, all, f32, nan));
    DRIVER(CUDA_ERROR_INVALID_VALUE, encode((char *)address + 4, strides, box, steps, none, f32, zero));
    DRIVER(CUDA_ERROR_INVALID_VALUE, encode(address, odd, box, steps, none, f32, zero));
    DRIVER(CUDA_ERROR_INVALID_VALUE, encode(address, strides, large, steps, none, f32, zero));
    DRIVER(CUDA_ERROR_INVALID_VALUE, encode(address, strides, wide, steps, all, f32, zero));
    DRIVER(CUDA_ERROR_INVALID_VALUE, encode(address, strides, box, far, none, f32, zero));
    DRIVER(CUDA_ERROR_INVALID_VALUE, encode(address, strides, box, steps, none, s32, nan));
    DRIVER(CUDA_SUCCESS, encode(address, strides, box, steps, none, s32, zero));
    DRIVER(CUDA_SUCCESS, cuTensorMapReplaceAddress(&map, (char *)address + 4096));
    DRIVER(CUDA_ERROR_INVALID_VALUE, cuTensorMapReplaceAddress(&map, (char *)address + 4));
}

// ---- where the map lies --------------------------------------------------------------------------------------

__constant__ CUtensorMap constant_map;

__device__ void load_row(const CUtensorMap *map, int row, int *out) {
    __shared__ alignas(128) int tile[32];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        const int at[] = {0, row};
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_proxy_async(ptx::space_shared);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar,
                                       sizeof tile);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, map, at, &bar);
    }
    __syncwarp();
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
    out[threadIdx.x] = tile[threadIdx.x];
}

__global__ void by_constant(int *out) { load_row(&constant_map, 1, out); }
__global__ void by_global(const CUtensorMap *map, int *out) {
    ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_sys, map, ptx::n32_t<128>());
    load_row(map, 2, out);
}
__global__ void changed(const __grid_constant__ CUtensorMap map, CUtensorMap *place, int *other, int *out) {
    __shared__ alignas(128) CUtensorMap mine;
    if (threadIdx.x < 16) mine.opaque[threadIdx.x] = map.opaque[threadIdx.x];
    __syncwarp();
    if (threadIdx.x == 0) ptx::tensormap_replace_global_address(ptx::space_shared, &mine, (int64_t)other);
    __syncwarp();
    ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_gpu, place, &mine, ptx::n32_t<128>());
    ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_gpu, place, ptx::n32_t<128>());
    load_row(place, 3, out);
}

static void places() {
    int *x, *out, got[32];
    CUtensorMap *place;
    std::vector<int> values(32 * 8);
    for (size_t i = 0; i < values.size(); i++) values[i] = (int)i;
    OK(cudaMalloc(&x, 2048));
    OK(cudaMalloc(&out, sizeof got));
    OK(cudaMalloc(&place, sizeof *place));
    OK(cudaMemcpy(x, values.data(), 1024, cudaMemcpyHostToDevice));
    CUtensorMap map = matrix_map(x, 32, 8, 32, 1, CU_TENSOR_MAP_DATA_TYPE_INT32);
    OK(cudaMemcpyToSymbol(constant_map, &map, sizeof map));
    OK(cudaMemcpy(place, &map, sizeof map, cudaMemcpyHostToDevice));
    auto begins_with = [&](int value) {
        OK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
        return got[0] == value && got[31] == value + 31;
    };
    by_constant<<<1, 32>>>(out);
    CHECK(begins_with(32));
    by_global<<<1, 32>>>(place, out);
    CHECK(begins_with(64));
    changed<<<1, 32>>>(map, place, x + 32, out);
    CHECK(begins_with(128));
    OK(cudaFree(x));
    OK(cudaFree(out));
    OK(cudaFree(place));
}

// ---- five dimensions, a swizzle, a reduction -------------------------------------------------------------------

__global__ void copy_5d(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to,
                        unsigned bytes) {
    extern __shared__ __align__(1024) unsigned char box[];
    __shared__ uint64_t bar;
    const int at[] = {4, 1, 1, 0, 1};
    if (threadIdx.x) return;
    ptx::mbarrier_init(&bar, 1);
    ptx::fence_proxy_async(ptx::space_shared);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, bytes);
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, box, &from, at, &bar);
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
    ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, &to, at, box);
    ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, &to, at, box);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}

static void five_dimensions(CUtensorMapSwizzle swizzle, unsigned inner) {
    enum { N = 24 * 4 * 3 * 3 * 3 };
    unsigned *x, *y;
    std::vector<unsigned> in(N), out(N);
    cuuint64_t dims[] = {24, 4, 3, 3, 3}, strides[] = {96, 384, 1152, 3456};
    cuuint32_t box[] = {inner, 2, 3, 2, 2}, steps[] = {1, 2, 1, 1, 1};
    CUtensorMap from, to;
    for (unsigned i = 0; i < N; i++) in[i] = i + 1;
    OK(cudaMalloc(&x, N * 4));
    OK(cudaMalloc(&y, N * 4));
    OK(cudaMemcpy(x, in.data(), N * 4, cudaMemcpyHostToDevice));
    OK(cudaMemset(y, 0, N * 4));
    for (auto pair : {std::make_pair(&from, x), std::make_pair(&to, y)})
        DRIVER(CUDA_SUCCESS,
               cuTensorMapEncodeTiled(pair.first, CU_TENSOR_MAP_DATA_TYPE_UINT32, 5, pair.second, dims,
                                      strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                                      CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
    copy_5d<<<1, 32, 8192>>>(from, to, inner * 4 * 1 * 3 * 2 * 2);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(out.data(), y, N * 4, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (unsigned i = 0; i < N; i++) {
        unsigned c0 = i % 24, c1 = i / 24 % 4, c2 = i / 96 % 3, c3 = i / 288 % 3, c4 = i / 864;
        bool inside = c0 >= 4 && c0 < 4 + inner && c1 == 1 && c2 >= 1 && c3 < 2 && c4 >= 1;
        wrong += out[i] != (inside ? 2 * in[i] : 0);
    }
    CHECK(wrong == 0);
    OK(cudaFree(x));
    OK(cudaFree(y));
}

// ---- a cluster ---------------------------------------------------------------------------------------------------

// Each block fetches a quarter of the tile for all four.
__global__ void __cluster_dims__(4, 1, 1) shared_tile(const __grid_constant__ CUtensorMap map, int *sums) {
    __shared__ alignas(128) int tile[4][32];
    __shared__ uint64_t bar;
    cg::cluster_group cluster = cg::this_cluster();
    int rank = (int)cluster.block_rank();
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar,
                                       sizeof tile);
    }
    cluster.sync();
    if (threadIdx.x == 0) {
        const int at[] = {0, rank};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile[rank], &map, at, &bar,
                                  (uint16_t)15);
    }
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
    int sum = 0;
    for (int i = 0; i < 4; i++) sum += tile[i][threadIdx.x] * (i + 1);
    atomicAdd(&sums[rank], sum);
    cluster.sync();
}

static void clusters() {
    int *x, *sums, got[4], expected = 0;
    std::vector<int> values(128);
    for (int i = 0; i < 128; i++) values[i] = i * i, expected += i * i * (i / 32 + 1);
    OK(cudaMalloc(&x, 512));
    OK(cudaMalloc(&sums, sizeof got));
    OK(cudaMemcpy(x, values.data(), 512, cudaMemcpyHostToDevice));
    OK(cudaMemset(sums, 0, sizeof got));
    shared_tile<<<4, 32>>>(matrix_map(x, 32, 4, 32, 1, CU_TENSOR_MAP_DATA_TYPE_INT32), sums);
    OK(cudaMemcpy(got, sums, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 4; i++) CHECK(got[i] == expected);
    OK(cudaFree(x));
    OK(cudaFree(sums));
}

// ---- im2col: a convolution of 3 x 3 with padding -------------------------------------------------------------------

enum { CHANNELS = 4, IMAGE_W = 7, IMAGE_H = 5, IMAGES = 2, PIXELS = IMAGE_W * IMAGE_H * IMAGES };

__global__ void convolve(const __grid_constant__ CUtensorMap map, const int *weights, int *out) {
    __shared__ alignas(128) int pixels[PIXELS][CHANNELS];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) ptx::mbarrier_init(&bar, 1);
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    int sum = 0, parity = 0;
    for (unsigned short r = 0; r < 3; r++)
        for (unsigned short s = 0; s < 3; s++, parity ^= 1) {
            if (threadIdx.x == 0) {
                ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar,
                                               sizeof pixels);
                asm volatile(
                    "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
                    "[%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"(
                        (unsigned)__cvta_generic_to_shared(pixels)),
                    "l"(&map), "r"(0), "r"(-1), "r"(-1), "r"(0),
                    "r"((unsigned)__cvta_generic_to_shared(&bar)), "h"(s), "h"(r)
                    : "memory");
            }
            while (!ptx::mbarrier_try_wait_parity(&bar, parity)) {}
            for (int c = 0; threadIdx.x < PIXELS && c < CHANNELS; c++)
                sum += pixels[threadIdx.x][c] * weights[(r * 3 + s) * CHANNELS + c];
            __syncthreads();
        }
    if (threadIdx.x < PIXELS) out[threadIdx.x] = sum;
}

static void convolution() {
    std::vector<int> image(PIXELS * CHANNELS), weights(9 * CHANNELS), got(PIXELS);
    int *x, *w, *y, lower[] = {-1, -1}, upper[] = {-1, -1}, wrong = 0;
    cuuint64_t dims[] = {CHANNELS, IMAGE_W, IMAGE_H, IMAGES},
               strides[] = {16, 16 * IMAGE_W, 16 * IMAGE_W * IMAGE_H};
    cuuint32_t steps[] = {1, 1, 1, 1};
    CUtensorMap map;
    for (size_t i = 0; i < image.size(); i++) image[i] = (int)(i * 7 % 23) - 11;
    for (size_t i = 0; i < weights.size(); i++) weights[i] = (int)(i * 5 % 13) - 6;
    OK(cudaMalloc(&x, image.size() * 4));
    OK(cudaMalloc(&w, weights.size() * 4));
    OK(cudaMalloc(&y, PIXELS * 4));
    OK(cudaMemcpy(x, image.data(), image.size() * 4, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(w, weights.data(), weights.size() * 4, cudaMemcpyHostToDevice));
    DRIVER(CUDA_SUCCESS, cuTensorMapEncodeIm2col(
                             &map, CU_TENSOR_MAP_DATA_TYPE_INT32, 4, x, dims, strides, lower, upper, CHANNELS,
                             PIXELS, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                             CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
    convolve<<<1, 128>>>(map, w, y);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(got.data(), y, PIXELS * 4, cudaMemcpyDeviceToHost));
    for (int p = 0; p < PIXELS; p++) {
        int n = p / (IMAGE_W * IMAGE_H), h = p / IMAGE_W % IMAGE_H, v = p % IMAGE_W, sum = 0;
        for (int k = 0; k < 9 * CHANNELS; k++) {
            int a = h + k / CHANNELS / 3 - 1, b = v + k / CHANNELS % 3 - 1;
            if (a >= 0 && a < IMAGE_H && b >= 0 && b < IMAGE_W)
                sum += image[((n * IMAGE_H + a) * IMAGE_W + b) * CHANNELS + k % CHANNELS] * weights[k];
        }
        wrong += sum != got[p];
    }
    CHECK(wrong == 0);
    OK(cudaFree(x));
    OK(cudaFree(w));
    OK(cudaFree(y));
}

// CUTLASS clears its workspace by them.
static void fills() {
    unsigned *x, got[4];
    OK(cudaMalloc(&x, sizeof got));
    DRIVER(CUDA_SUCCESS, cuMemsetD32Async((CUdeviceptr)x, 0x01234567, 4, 0));
    DRIVER(CUDA_SUCCESS, cuMemsetD16Async((CUdeviceptr)x + 4, 0x89ab, 3, 0));
    DRIVER(CUDA_SUCCESS, cuMemsetD8Async((CUdeviceptr)x + 13, 0xcd, 2, 0));
    DRIVER(CUDA_ERROR_INVALID_VALUE, cuMemsetD32Async((CUdeviceptr)x + 2, 0, 1, 0));
    OK(cudaMemcpy(got, x, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(got[0] == 0x01234567 && got[1] == 0x89ab89ab && got[2] == 0x012389ab && got[3] == 0x01cdcd67);
    OK(cudaFree(x));
}

int main() {
    entry_points();
    fills();
    refusals();
    transposition();
    places();
    five_dimensions(CU_TENSOR_MAP_SWIZZLE_NONE, 12);
    five_dimensions(CU_TENSOR_MAP_SWIZZLE_32B, 8);
    five_dimensions(CU_TENSOR_MAP_SWIZZLE_64B, 16);
    five_dimensions(CU_TENSOR_MAP_SWIZZLE_128B, 16);
    clusters();
    convolution();
    return finish();
}
