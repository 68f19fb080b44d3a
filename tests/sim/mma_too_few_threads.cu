// A matrix instruction takes all 32 threads of a warp.
// kz: sm 90
// launch: block 32
// arg: out u32[32] = 0
// expect fault: movmatrix
// expect fault: 24 of 32 threads
// expect fault: the others have returned
extern "C" __global__ void too_few(unsigned *out) {
    unsigned r;
    if (threadIdx.x >= 24) return;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r) : "r"(threadIdx.x));
    out[threadIdx.x] = r;
}
