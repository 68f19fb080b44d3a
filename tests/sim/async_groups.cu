// kz: sm 80 90
// launch: grid 4 block 64
// arg: in s32[1024] = 1 2 3 4 5 6 7
// arg: out s32[256] = 0
// expect: out = 4 12 20 10 ...

// Copies to shared memory in groups, two under way while a third is used; sizes of 4, 8 and 16 bytes, and the
// zeros that fill up what is not read.
#include <cuda_pipeline.h>

static __device__ void copy4(void *to, const void *from, int bytes) {
    unsigned at = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(at), "l"(from), "r"(bytes) : "memory");
}
static __device__ void copy16_unless(void *to, const void *from, bool unless) {
    unsigned at = (unsigned)__cvta_generic_to_shared(to);
    asm volatile(
        "{ .reg .pred p; setp.ne.u32 p, %2, 0; cp.async.cg.shared.global.L2::128B [%0], [%1], 16, p; }" ::"r"(
            at),
        "l"(from), "r"((unsigned)unless)
        : "memory");
}

extern "C" __global__ void async_groups(const int *in, int *out) {
    __shared__ __align__(16) int tile[3][256];
    int t = threadIdx.x;
    auto load = [&](int i) { __pipeline_memcpy_async(&tile[i % 3][4 * t], &in[4 * ((t + i) % 64)], 16); };
    load(0);
    __pipeline_commit();
    load(1);
    __pipeline_commit();
    int sum = 0;
    for (int i = 0; i < 8; i++) {
        __pipeline_wait_prior(1);
        __syncthreads();
        if (i == 0) sum += tile[0][4 * ((t + 1) % 64)] - in[4 * ((t + 1) % 64)]; // 0
        sum += tile[i % 3][4 * t] - in[4 * ((t + i) % 64)];                      // 0
        __syncthreads();
        if (i + 2 < 8) load(i + 2);
        __pipeline_commit();
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    copy4(&tile[0][t], &in[t], t % 2 ? 4 : 2); // half a word
    copy16_unless(&tile[1][4 * t], &in[4 * t], t % 2);
    __pipeline_memcpy_async(&tile[2][2 * t], &in[2 * t], 8, 4); // zeros past four bytes
    asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");
    bool good = tile[0][t] == in[t];
    for (int i = 0; i < 4; i++) good = good && tile[1][4 * t + i] == (t % 2 ? 0 : in[4 * t + i]);
    good = good && tile[2][2 * t] == in[2 * t] && tile[2][2 * t + 1] == 0;
    const int expected[4] = {4, 12, 20, 10};
    int n = blockIdx.x * 64 + t;
    out[n] = good && sum == 0 ? expected[n < 3 ? n : 3] : -1;
}
