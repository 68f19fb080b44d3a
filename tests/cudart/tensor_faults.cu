// Tensor copies that must fail, each in a process of its own, with the error that an H200 gives.
// flags: --nvcc-flag -gencode --nvcc-flag arch=compute_90a,code=[compute_90a,sm_90a] --nvcc-flag -lcuda
#include <cuda.h>
#include <cuda/ptx>
#include <sys/wait.h>
#include <unistd.h>
#include "check.h"
namespace ptx = cuda::ptx;

enum { WIDTH = 40, HEIGHT = 12 };

struct position {
    int c[4];
    int shift; // of the box in shared memory
};

__device__ void load_2d(const CUtensorMap *map, position at) {
    __shared__ alignas(1024) unsigned char box[1024];
    __shared__ uint64_t bar;
    const int c[] = {at.c[0], at.c[1]};
    ptx::mbarrier_init(&bar, 1);
    ptx::fence_proxy_async(ptx::space_shared);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 256);
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, box + at.shift, map, c, &bar);
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
}

__global__ void load(const __grid_constant__ CUtensorMap map, position at) { load_2d(&map, at); }
__global__ void load_from(const CUtensorMap *map, position at) { load_2d(map, at); }
__global__ void load_from_shared(const __grid_constant__ CUtensorMap map, position at) {
    __shared__ CUtensorMap mine;
    for (int i = 0; i < 16; i++) mine.opaque[i] = map.opaque[i];
    load_2d(&mine, at);
}

__global__ void load_3d(const __grid_constant__ CUtensorMap map, position at) {
    __shared__ alignas(1024) unsigned char box[1024];
    __shared__ uint64_t bar;
    const int c[] = {at.c[0], at.c[1], at.c[2]};
    ptx::mbarrier_init(&bar, 1);
    ptx::fence_proxy_async(ptx::space_shared);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 256);
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, box, &map, c, &bar);
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
}

__global__ void store(const __grid_constant__ CUtensorMap map, position at) {
    __shared__ alignas(1024) unsigned char box[1024];
    const int c[] = {at.c[0], at.c[1]};
    for (int i = 0; i < 1024; i++) box[i] = 0;
    ptx::fence_proxy_async(ptx::space_shared);
    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, c, box + at.shift);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}

__global__ void least(const __grid_constant__ CUtensorMap map, position at) {
    __shared__ alignas(1024) unsigned char box[1024];
    const int c[] = {at.c[0], at.c[1]};
    for (int i = 0; i < 1024; i++) box[i] = 0;
    ptx::fence_proxy_async(ptx::space_shared);
    ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_min, &map, c, box);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}

static CUtensorMap encode(void *address) {
    CUtensorMap map;
    cuuint64_t dims[] = {WIDTH, HEIGHT}, strides[] = {WIDTH * 4};
    cuuint32_t box[] = {16, 4}, steps[] = {1, 1};
    CUresult got =
        cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, address, dims, strides, box, steps,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (got != CUDA_SUCCESS) _exit(250);
    return map;
}

typedef void kernel(const CUtensorMap, position);

// The error that the launch gives, by a process that does nothing else.
static int error_of(kernel *run, position at, bool has_memory, int map_shift) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        char *x, *maps;
        if (cudaMalloc(&x, WIDTH * HEIGHT * 4) || cudaMalloc(&maps, 1024) || cudaMemset(maps, 0, 1024))
            _exit(251);
        CUtensorMap map = encode(has_memory ? x : nullptr);
        if (!run) {
            if (map_shift >= 0 && cudaMemcpy(maps + map_shift, &map, sizeof map, cudaMemcpyHostToDevice))
                _exit(252);
            load_from<<<1, 1>>>((const CUtensorMap *)(maps + (map_shift < 0 ? 0 : map_shift)), at);
        } else
            run<<<1, 1>>>(map, at);
        _exit((int)cudaDeviceSynchronize() & 0xff);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#define LAUNCH_GIVES(error, ...) CHECK(error_of(__VA_ARGS__) == ((int)(error)&0xff))

int main() {
    auto illegal = cudaErrorIllegalInstruction;
    LAUNCH_GIVES(cudaSuccess, load, {{8, 3}}, true, 0);
    LAUNCH_GIVES(cudaSuccess, load, {{-4, -1}}, true, 0);
    LAUNCH_GIVES(cudaSuccess, load, {{100, 100}}, true, 0);
    LAUNCH_GIVES(cudaSuccess, store, {{36, 100}}, true, 0);
    LAUNCH_GIVES(illegal, load, {{5, 3}}, true, 0);
    LAUNCH_GIVES(illegal, load, {{-3, 3}}, true, 0);
    LAUNCH_GIVES(illegal, load, {{101, 100}}, true, 0);
    LAUNCH_GIVES(illegal, load_3d, {{8, 3, 0}}, true, 0);
    LAUNCH_GIVES(illegal, store, {{30, 2}}, true, 0);
    LAUNCH_GIVES(illegal, store, {{-4, 2}}, true, 0);
    LAUNCH_GIVES(illegal, store, {{8, -1}}, true, 0);
    LAUNCH_GIVES(illegal, least, {{8, 3}}, true, 0);
    LAUNCH_GIVES(illegal, nullptr, {{8, 3}}, true, -1); // a map of zeros
    LAUNCH_GIVES(cudaSuccess, nullptr, {{8, 3}}, true, 64);
    LAUNCH_GIVES(cudaErrorMisalignedAddress, nullptr, {{8, 3}}, true, 32);
    LAUNCH_GIVES(cudaErrorMisalignedAddress, load, {{8, 3}, 64}, true, 0);
    LAUNCH_GIVES(cudaErrorMisalignedAddress, store, {{8, 3}, 16}, true, 0);
    LAUNCH_GIVES(cudaErrorIllegalAddress, load_from_shared, {{8, 3}}, true, 0);
    LAUNCH_GIVES(cudaErrorIllegalAddress, load, {{8, 3}}, false, 0);
    LAUNCH_GIVES(cudaErrorIllegalAddress, load, {{100, 100}}, false, 0);
    return finish();
}
