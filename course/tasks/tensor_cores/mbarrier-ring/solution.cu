// kz: sm 90
// A barrier is 8 bytes of shared memory, named by its address there.
__device__ unsigned address_of(const void *pointer) {
    return (unsigned)__cvta_generic_to_shared(pointer);
}
__device__ void barrier_init(unsigned barrier, unsigned arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier),
                 "r"(arrivals)
                 : "memory");
}
__device__ void arrive(unsigned barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier)
                 : "memory");
}
__device__ void arrive_and_expect(unsigned barrier, unsigned bytes) {
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
            barrier),
        "r"(bytes)
        : "memory");
}
// Until the phase with this parity has ended.
__device__ void wait(unsigned barrier, unsigned parity) {
    unsigned done;
    do
        asm volatile(
            "{ .reg .pred p;\n"
            "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
            "selp.u32 %0, 1, 0, p; }"
            : "=r"(done)
            : "r"(barrier), "r"(parity)
            : "memory");
    while (!done);
}

// Both addresses and the size are multiples of 16 bytes.
__device__ void copy(unsigned to, const void *from, unsigned bytes,
                     unsigned barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier"
                 "::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                 "l"(from), "r"(bytes), "r"(barrier)
                 : "memory");
}

enum { STAGES = 3, CHUNK = 1024, BYTES = 4 * CHUNK, CONSUMERS = 256 };

extern "C" __global__ void column_sums(const float *x, float *y, int n,
                                       int chunks) {
    __shared__ __align__(128) float stages[STAGES][CHUNK];
    __shared__ unsigned long long full[STAGES], empty[STAGES];
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            barrier_init(address_of(&full[s]), 1);
            barrier_init(address_of(&empty[s]), CONSUMERS);
        }
        // The copy engine sees them, too.
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    x += (size_t)blockIdx.x * chunks * CHUNK;

    if (threadIdx.x == CONSUMERS) {
        // kz: begin
        for (int i = 0; i < chunks; i++) {
            int s = i % STAGES, round = i / STAGES;
            wait(address_of(&empty[s]), round % 2 ^ 1);
            arrive_and_expect(address_of(&full[s]), BYTES);
            copy(address_of(stages[s]), x + i * CHUNK, BYTES,
                 address_of(&full[s]));
        }
        // kz: starter
        //|         // For each chunk: wait until its stage is empty, promise the bytes,
        //|         // begin the copy.
        // kz: end
    } else if (threadIdx.x < CONSUMERS) {
        float4 sum = make_float4(0, 0, 0, 0);
        // kz: begin
        for (int i = 0; i < chunks; i++) {
            int s = i % STAGES, round = i / STAGES;
            wait(address_of(&full[s]), round % 2);
            float4 v = ((const float4 *)stages[s])[threadIdx.x];
            sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
            arrive(address_of(&empty[s]));
        }
        // kz: starter
        //|         // For each chunk: wait until its stage is full, add
        //|         // ((const float4 *)stages[s])[threadIdx.x], give the stage back.
        // kz: end
        ((float4 *)y)[blockIdx.x * CONSUMERS + threadIdx.x] = sum;
    }
}
