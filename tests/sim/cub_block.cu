// CUB's block and warp algorithms, as they compile: scan, reduce, radix sort, exchange.
// launch: grid 2 block 128 kernel cub_block
// arg: out s32[256] = 0
// arg: sums s32[2] = 0
// expect: sums = 32512 98048
// expect: out = 0 1 2 3 4 5 6 7 8 9 10 11
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
extern "C" __global__ void cub_block(int *out, int *sums) {
    typedef cub::BlockReduce<int, 128> reduce;
    typedef cub::BlockScan<int, 128> scan;
    typedef cub::BlockRadixSort<unsigned, 128, 1> sort;
    __shared__ union {
        reduce::TempStorage reduce;
        scan::TempStorage scan;
        sort::TempStorage sort;
    } room;
    int t = threadIdx.x, value = (t * 77 + 5) % 128 * 4 + blockIdx.x * 512;
    int sum = reduce(room.reduce).Sum(value);
    __syncthreads();
    unsigned key[1] = {(unsigned)value};
    sort(room.sort).Sort(key);
    __syncthreads();
    int before;
    scan(room.scan).ExclusiveSum(key[0] == blockIdx.x * 512 + 4 * t, before);
    out[blockIdx.x * 128 + t] = before + blockIdx.x * 128;
    if (t == 0) sums[blockIdx.x] = sum;
}
