// Tiles of several warps keep their barriers in the shared memory that the system reserves for each block: beside the
// kernel's own, static and dynamic, and of the size that an H200 says.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "check.h"

namespace cg = cooperative_groups;

__global__ void sum_tiles(int *sums, int *kept) {
    __shared__ int own[256];
    extern __shared__ int more[];
    int i = (int)threadIdx.x;
    own[i] = 3 * i;
    more[i] = 5 * i;
    auto tile = cg::tiled_partition<64>(cg::this_thread_block());
    sums[i] = cg::reduce(tile, i, cg::plus<int>());
    tile.sync();
    kept[i] = own[i] == 3 * i && more[i] == 5 * i;
}

__global__ void sizes(unsigned *out) {
    __shared__ unsigned own[256];
    own[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x) return;
    asm volatile("mov.u32 %0, %%reserved_smem_offset_begin;" : "=r"(out[0]));
    asm volatile("mov.u32 %0, %%reserved_smem_offset_end;" : "=r"(out[1]));
    asm volatile("mov.u32 %0, %%reserved_smem_offset_cap;" : "=r"(out[2]));
    asm volatile("mov.u32 %0, %%total_smem_size;" : "=r"(out[3]));
    asm volatile("mov.u32 %0, %%aggr_smem_size;" : "=r"(out[4]));
    out[5] = (unsigned)__cvta_generic_to_shared(own) + own[out[0] + 5] - 1;
}

int main() {
    int *sums, *kept, wrong = 0;
    unsigned *out;
    cudaMallocManaged(&sums, 1024);
    cudaMallocManaged(&kept, 1024);
    cudaMallocManaged(&out, 64);
    sum_tiles<<<1, 256, 1024>>>(sums, kept);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    for (int i = 0; i < 256; i++) wrong += sums[i] != 64 * (i / 64 * 64) + 2016 || !kept[i];
    CHECK(wrong == 0);
    sizes<<<1, 256, 1500>>>(out);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(out[0] == 0 && out[1] == 288 && out[2] == 1024);
    CHECK(out[3] == 2560 && out[4] == 3548 && out[5] == 1024);
    return finish();
}
