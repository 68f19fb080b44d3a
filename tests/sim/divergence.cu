// Lanes diverge in nested branches and loops and reconverge: activemask tells.
// launch: block 32
// arg: out u32[32] = 0
// arg: together b32[3] = 0
// expect: out = 0 1 3 6 10 15 21 28
// expect: together = ffffffff aaaaaaaa ffffffff
extern "C" __global__ void divergence(unsigned *out, unsigned *together) {
    unsigned lane = threadIdx.x, sum = 0;
    for (volatile unsigned i = 0; i <= lane; i++) sum += i;
    if (lane == 0) together[0] = 0;
    __syncwarp();
    unsigned after_loop = __activemask();
    unsigned in_branch = 0;
    if (lane & 1) {
        in_branch = __activemask();
        for (volatile unsigned i = 0; i < lane * 300; i++) {} // long, and volatile, but nobody waits
    }
    unsigned after_branch = __activemask();
    out[lane] = sum;
    if (lane == 31) {
        together[0] = after_loop;
        together[1] = in_branch;
        together[2] = after_branch;
    }
}
