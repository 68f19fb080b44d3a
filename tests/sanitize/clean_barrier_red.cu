// bar.red orders memory as bar.sync does: here it is the only barrier, in each of its forms.
// launch: grid 2 block 128
// arg: in s32[256] = 1
// arg: out s32[256] = 0
// seeds: 3
extern "C" __global__ void clean_barrier_red(const int *in, int *out) {
    __shared__ int box[128];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    box[t] = in[i];
    int count = __syncthreads_count(in[i] > 0); // the other warps' writes are seen
    int sum = box[127 - t] + count;
    int every = __syncthreads_and(sum > 0); // their reads are done
    box[t] = sum + every;
    int some = __syncthreads_or(t == 5);
    sum = box[127 - t];
    int named;
    asm volatile(
        "{ .reg .pred p, q; setp.gt.s32 p, %1, 0; bar.red.or.pred q, 1, 128, p; selp.s32 %0, 1, 0, q; }"
        : "=r"(named)
        : "r"(sum)
        : "memory");
    box[t] = sum + some + named;
    out[i] = __syncthreads_or(0) ? 0 : box[127 - t];
}
