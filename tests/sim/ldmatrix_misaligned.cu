// A row of ldmatrix begins at a multiple of 16 bytes.
// kz: sm 90
// launch: block 32
// arg: out u32[32] = 0
// expect fault: misaligned access of 16 bytes
// expect fault: ldmatrix
// expect fault: thread (3,0,0)
__shared__ __align__(16) unsigned short tile[64 + 8];
extern "C" __global__ void misaligned(unsigned *out) {
    unsigned at =
        (unsigned)__cvta_generic_to_shared(tile) + threadIdx.x % 8 * 16 + (threadIdx.x == 3 ? 8 : 0);
    tile[threadIdx.x] = 1;
    __syncthreads();
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                 : "=r"(out[threadIdx.x])
                 : "r"(at)
                 : "memory");
}
