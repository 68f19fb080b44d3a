// kz: sm 90
// launch: grid 1 block 1
// arg: in s32[4] = 7
// arg: out s32[8] = 0
// arg: far s32[8] = 3
// expect: out = 1 0 1 1 7 5 0
// expect: far = 9 9 9 9 5 5 5 5

// A bulk copy has not arrived before its mbarrier says so; the first look fails. A copy to global memory
// reads its source as late as its group is waited for.
#include <cuda/ptx>
namespace ptx = cuda::ptx;

extern "C" __global__ void stale_bulk(const int *in, int *out, int *far) {
    __shared__ alignas(16) int tile[4];
    __shared__ alignas(16) int source[8];
    __shared__ alignas(8) uint64_t bar;
    for (int i = 0; i < 4; i++) tile[i] = 1;
    for (int i = 0; i < 8; i++) source[i] = 5;
    ptx::mbarrier_init(&bar, 1);
    ptx::fence_proxy_async(ptx::space_shared);
    ptx::cp_async_bulk(ptx::space_shared, ptx::space_global, tile, in, 16, &bar);
    uint64_t state =
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 16);
    volatile int *look = tile;
    out[0] = look[0];
    out[1] = ptx::mbarrier_test_wait(&bar, state);
    out[2] = look[0];
    while (!ptx::mbarrier_test_wait(&bar, state)) {}
    out[3] = ptx::mbarrier_test_wait_parity(&bar, 0);
    out[4] = look[3];
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, far, source, 16);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, far + 4, source + 4, 16);
    ptx::cp_async_bulk_commit_group();
    volatile int *change = source;
    for (int i = 0; i < 4; i++) change[i] = 9; // not yet read: it is this that arrives
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    for (int i = 0; i < 8; i++) change[i] = 11; // read already
    out[5] = ((volatile int *)far)[0] == 3 ? 5 : -1;
    ptx::cp_async_bulk_wait_group(ptx::n32_t<1>());
    if (((volatile int *)far)[0] != 9 || ((volatile int *)far)[4] != 3) out[5] = -2;
}
