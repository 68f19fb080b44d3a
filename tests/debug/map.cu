// A tensor map to look at.
#include <cstdio>
#include <cuda.h>

__global__ void look(const __grid_constant__ CUtensorMap map, const CUtensorMap *other, int *out) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(&map));
    out[0] = threadIdx.x;
}

int main() {
    void *encode;
    cudaDriverEntryPointQueryResult found;
    CUtensorMap map, *other;
    int *data;
    cudaMalloc(&data, 64 * 48 * 4);
    cudaMalloc(&other, sizeof map);
    cudaMemset(other, 0xff, sizeof map);
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault, &found);
    cuuint64_t sizes[] = {48, 64}, strides[] = {192};
    cuuint32_t box[] = {32, 8}, steps[] = {1, 1};
    ((decltype(&cuTensorMapEncodeTiled))encode)(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, data, sizes, strides,
                                                box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                                CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    look<<<1, 32>>>(map, other, data);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
