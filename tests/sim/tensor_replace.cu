// kz: sm 90a
// launch: grid 1 block 32
// arg: old tensor = x u32 dims 8,4 strides 32 box 4,2
// arg: x u32[32] = 1
// arg: y u32[40] = 1 2 3 4 5 6 7 8
// arg: maps u32[64] = 0
// arg: out u32[24] = 0
// expect: out = 5 6 7 8 0 0 0 0 0 0 0 0 0 0 0 0 5 6 0 0 5 6 0 0

// A map that is changed in shared memory and handed to global memory, and one made of zeros by tensormap.replace alone.
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

__device__ void make(CUtensorMap *map, const void *y) {
    ptx::tensormap_replace_global_address(ptx::space_shared, map, (int64_t)y);
    ptx::tensormap_replace_rank(ptx::space_shared, map, 1);
    ptx::tensormap_replace_global_dim(ptx::space_shared, map, ptx::n32_t<0>(), 6);
    ptx::tensormap_replace_global_dim(ptx::space_shared, map, ptx::n32_t<1>(), 5);
    ptx::tensormap_replace_global_stride(ptx::space_shared, map, ptx::n32_t<0>(), (int64_t)32);
    ptx::tensormap_replace_box_dim(ptx::space_shared, map, ptx::n32_t<0>(), 4);
    ptx::tensormap_replace_box_dim(ptx::space_shared, map, ptx::n32_t<1>(), 2);
    ptx::tensormap_replace_element_stride(ptx::space_shared, map, ptx::n32_t<0>(), 1);
    ptx::tensormap_replace_element_stride(ptx::space_shared, map, ptx::n32_t<1>(), 1);
    ptx::tensormap_replace_elemtype(ptx::space_shared, map, ptx::n32_t<2>());
    ptx::tensormap_replace_interleave_layout(ptx::space_shared, map, ptx::n32_t<0>());
    ptx::tensormap_replace_swizzle_mode(ptx::space_shared, map, ptx::n32_t<0>());
    ptx::tensormap_replace_fill_mode(ptx::space_shared, map, ptx::n32_t<0>());
}

extern "C" __global__ void tensor_replace(const __grid_constant__ CUtensorMap old, const unsigned *x,
                                          const unsigned *y, CUtensorMap *maps, unsigned *out) {
    __shared__ CUtensorMap changed, made;
    __shared__ alignas(128) unsigned tile[2][32];
    __shared__ uint64_t bar;
    if (threadIdx.x < 16) changed.opaque[threadIdx.x] = old.opaque[threadIdx.x], made.opaque[threadIdx.x] = 0;
    __syncwarp();
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::tensormap_replace_global_address(ptx::space_shared, &changed, (int64_t)y);
        make(&made, y);
    }
    __syncwarp();
    ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_gpu, &maps[0], &changed, ptx::n32_t<128>());
    ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_gpu, &maps[1], &made, ptx::n32_t<128>());
    if (threadIdx.x == 0) {
        const int at[] = {4, 3};
        ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_gpu, &maps[0], ptx::n32_t<128>());
        ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_gpu, &maps[1], ptx::n32_t<128>());
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 64);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile[0], &maps[0], at, &bar);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile[1], &maps[1], at, &bar);
    }
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
    if (threadIdx.x < 8) {
        out[threadIdx.x] = tile[0][threadIdx.x];
        out[16 + threadIdx.x] = tile[1][threadIdx.x];
    }
}
