// Asynchronous copies: cp.async by cuda_pipeline.h, bulk copies and mbarriers by PTX; launches that overlap.
#include "cases.cuh"
#include <cuda_pipeline.h>

// right: two stages, the next copy is under way while this one is used
__global__ void two_stages(const int *in, int *out) {
    __shared__ int s[2][64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[0][t], &in[t], 4);
    __pipeline_commit();
    for (int round = 0; round < 4; round++) {
        if (round < 3) __pipeline_memcpy_async(&s[(round + 1) % 2][t], &in[(round + 1) * 64 + t], 4);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        out[round * 64 + t] = s[round % 2][63 - t];
        __syncthreads();
    }
}
CASE(two_stages) {
    int *out = zeros(256);
    two_stages<<<1, 64>>>(counting(256), out);
    EXPECT(at(out, 192) == 255);
}

// 16 bytes each: `first` words into the array, which begins at a multiple of 16.
template <int first> __device__ void copy_sixteen(const int *in, int *out) {
    __shared__ __align__(16) int s[132];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[first + 4 * t], &in[4 * t], 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[t] = s[first + 4 * (31 - t)];
}

// wrong: misaligned: 16 bytes by cp.async to an odd word of shared memory
__global__ void sixteen_odd(const int *in, int *out) {
    copy_sixteen<1>(in, out); // here
}
CASE(sixteen_odd) { sixteen_odd<<<1, 32>>>(counting(128), zeros(32)); }

// right: 16 bytes by cp.async to a multiple of 16
__global__ void sixteen(const int *in, int *out) { copy_sixteen<4>(in, out); }
CASE(sixteen) {
    int *out = zeros(32);
    sixteen<<<1, 32>>>(counting(128), out);
    EXPECT(at(out, 0) == 124);
}

// wrong: async-no-wait|race: it waits for one group too few
__global__ void one_too_few(const int *in, int *out) {
    __shared__ int s[2][64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[0][t], &in[t], 4); // here
    __pipeline_commit();
    for (int round = 0; round < 4; round++) {
        if (round < 3) __pipeline_memcpy_async(&s[(round + 1) % 2][t], &in[(round + 1) * 64 + t], 4); // here
        __pipeline_commit();
        __pipeline_wait_prior(2);
        __syncthreads();
        out[round * 64 + t] = s[round % 2][63 - t]; // here
        __syncthreads();
    }
}
CASE(one_too_few) { one_too_few<<<1, 64>>>(counting(256), zeros(256)); }

// wrong: race: the copies are waited for, but other threads' copies need a barrier too
__global__ void wait_no_barrier(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &in[t], 4); // here
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[t] = s[63 - t]; // here
}
CASE(wait_no_barrier) { wait_no_barrier<<<1, 64>>>(counting(64), zeros(64)); }

// right: each thread reads its own copy alone, so its wait is enough
__global__ void own_copy(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &in[t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[t] = s[t] + 1;
}
CASE(own_copy) {
    int *out = zeros(64);
    own_copy<<<1, 64>>>(counting(64), out);
    EXPECT(at(out, 63) == 64);
}

// wrong: race|async-no-wait: the next copy begins while other threads still read the tile
__global__ void copy_over_readers(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    for (int round = 0; round < 2; round++) {
        __pipeline_memcpy_async(&s[t], &in[round * 64 + t], 4); // here
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        out[round * 64 + t] = s[63 - t]; // here
    }
}
CASE(copy_over_readers) { copy_over_readers<<<1, 64>>>(counting(128), zeros(128)); }

// right: a short copy whose rest is filled with zeros
__global__ void zero_fill(const int *in, int *out, int n) {
    __shared__ alignas(16) int s[64];
    int t = threadIdx.x;
    int there = max(0, min(4, n - t * 4));
    __pipeline_memcpy_async(&s[t * 4], &in[there ? t * 4 : 0], 16, 16 - there * 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[t] = s[t * 4 + 3] + s[63 - t];
}
CASE(zero_fill) {
    int *out = zeros(16);
    zero_fill<<<1, 16>>>(counting(64), out, 50);
    EXPECT(at(out, 0) == 3);
}

// right: an empty commit keeps the count of groups in the last rounds
__global__ void three_stages(const int *in, int *out) {
    __shared__ int s[3][32];
    int t = threadIdx.x;
    for (int stage = 0; stage < 2; stage++) {
        __pipeline_memcpy_async(&s[stage][t], &in[stage * 32 + t], 4);
        __pipeline_commit();
    }
    for (int round = 0; round < 6; round++) {
        __pipeline_wait_prior(1);
        __syncwarp();
        if (round + 2 < 6) __pipeline_memcpy_async(&s[(round + 2) % 3][t], &in[(round + 2) * 32 + t], 4);
        __pipeline_commit();
        out[round * 32 + t] = s[round % 3][31 - t];
    }
}
CASE(three_stages) {
    int *out = zeros(192);
    three_stages<<<1, 32>>>(counting(192), out);
    EXPECT(at(out, 160) == 191);
}

// mbarriers and bulk copies.
__device__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void mbarrier_init(unsigned long long *b, unsigned count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(count) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ void mbarrier_expect(unsigned long long *b, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(b)), "r"(bytes)
                 : "memory");
}
__device__ void mbarrier_arrive(unsigned long long *b) {
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_address(b)) : "memory");
}
__device__ void mbarrier_wait(unsigned long long *b, unsigned parity) {
    unsigned done = 0;
    while (!done)
        asm volatile(
            "{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
            : "=r"(done)
            : "r"(shared_address(b)), "r"(parity)
            : "memory");
}
__device__ void bulk_load(void *to, const void *from, unsigned bytes, unsigned long long *b) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
            shared_address(to)),
        "l"(from), "r"(bytes), "r"(shared_address(b))
        : "memory");
}
__device__ void bulk_store(void *to, const void *from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
                 "r"(shared_address(from)), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
#define PROXY_FENCE()  asm volatile("fence.proxy.async.shared::cta;" ::: "memory")
#define BULK_WAIT(how) asm volatile("cp.async.bulk.wait_group" how " 0;" ::: "memory")
// right: one bulk copy, all threads wait for its bytes
__global__ void bulk(const int *in, int *out) {
    __shared__ alignas(16) int s[64];
    __shared__ unsigned long long full;
    int t = threadIdx.x;
    if (t == 0) mbarrier_init(&full, 1);
    __syncthreads();
    if (t == 0) {
        mbarrier_expect(&full, 256);
        bulk_load(s, in, 256, &full);
    }
    mbarrier_wait(&full, 0);
    out[t] = s[63 - t];
}
CASE(bulk) {
    int *out = zeros(64);
    bulk<<<1, 64>>>(counting(64), out);
    EXPECT(at(out, 0) == 63);
}

// wrong: async-no-wait|race: the bytes of a bulk copy are read without waiting
__global__ void bulk_not_waited(const int *in, int *out) {
    __shared__ alignas(16) int s[64];
    __shared__ unsigned long long full;
    int t = threadIdx.x;
    if (t == 0) mbarrier_init(&full, 1);
    __syncthreads();
    if (t == 0) {
        mbarrier_expect(&full, 256);
        bulk_load(s, in, 256, &full); // here
    }
    __syncthreads();
    out[t] = s[63 - t]; // here
    mbarrier_wait(&full, 0);
}
CASE(bulk_not_waited) { bulk_not_waited<<<1, 64>>>(counting(64), zeros(64)); }

// right: a ring of two stages, full and empty barriers, phases by round
__global__ void bulk_ring(const int *in, int *out) {
    __shared__ alignas(16) int s[2][32];
    __shared__ unsigned long long full[2], empty[2];
    int t = threadIdx.x, lane = t % 32;
    if (t == 0)
        for (int i = 0; i < 2; i++) mbarrier_init(&full[i], 1), mbarrier_init(&empty[i], 32);
    __syncthreads();
    for (int round = 0; round < 6; round++) {
        int stage = round % 2;
        unsigned phase = round / 2 % 2;
        if (t == 0) {
            mbarrier_wait(&empty[stage], phase ^ 1);
            mbarrier_expect(&full[stage], 128);
            bulk_load(s[stage], in + round * 32, 128, &full[stage]);
        } else if (t >= 32) {
            mbarrier_wait(&full[stage], phase);
            out[round * 32 + lane] = s[stage][31 - lane];
            mbarrier_arrive(&empty[stage]);
        }
    }
}
CASE(bulk_ring) {
    int *out = zeros(192);
    bulk_ring<<<1, 64>>>(counting(192), out);
    EXPECT(at(out, 160) == 191);
}

// wrong: race|async-no-wait: the ring's producer does not wait for empty stages
__global__ void bulk_ring_over(const int *in, int *out) {
    __shared__ alignas(16) int s[2][32];
    __shared__ unsigned long long full[2];
    int t = threadIdx.x, lane = t % 32;
    if (t == 0)
        for (int i = 0; i < 2; i++) mbarrier_init(&full[i], 1);
    __syncthreads();
    for (int round = 0; round < 4; round++) {
        int stage = round % 2;
        unsigned phase = round / 2 % 2;
        if (t == 0) {
            if (round >= 2) mbarrier_wait(&full[stage], phase ^ 1);
            mbarrier_expect(&full[stage], 128);
            bulk_load(s[stage], in + round * 32, 128, &full[stage]); // here
        }
        if (t >= 32) {
            mbarrier_wait(&full[stage], phase);
            out[round * 32 + lane] = s[stage][31 - lane]; // here
        }
        if (round == 1) __syncwarp();
    }
}
CASE(bulk_ring_over) { bulk_ring_over<<<1, 64>>>(counting(128), zeros(128)); }

// right: a tile is made in shared memory, fenced for the async proxy, and stored in bulk
__global__ void bulk_out(int *out) {
    __shared__ alignas(16) int s[64];
    int t = threadIdx.x;
    s[t] = 2 * t;
    PROXY_FENCE();
    __syncthreads();
    if (t == 0) {
        bulk_store(out, s, 256);
        BULK_WAIT("");
    }
}
CASE(bulk_out) {
    int *out = zeros(64);
    bulk_out<<<1, 64>>>(out);
    EXPECT(at(out, 63) == 126);
}

// wrong: race|async-no-wait: a bulk store of a tile without the proxy fence
__global__ void bulk_out_no_fence(int *out) {
    __shared__ alignas(16) int s[64];
    int t = threadIdx.x;
    s[t] = 2 * t; // here
    __syncthreads();
    if (t == 0) {
        bulk_store(out, s, 256); // here
        BULK_WAIT("");
    }
}
CASE(bulk_out_no_fence) { bulk_out_no_fence<<<1, 64>>>(zeros(64)); }

// right: the tile is written again after the bulk store has read it
__global__ void bulk_out_reused(int *out) {
    __shared__ alignas(16) int s[64];
    int t = threadIdx.x;
    for (int round = 0; round < 2; round++) {
        s[t] = t + round;
        PROXY_FENCE();
        __syncthreads();
        if (t == 0) {
            bulk_store(out + round * 64, s, 256);
            BULK_WAIT(".read");
        }
        __syncthreads();
    }
    if (t == 0) BULK_WAIT("");
}
CASE(bulk_out_reused) {
    int *out = zeros(128);
    bulk_out_reused<<<1, 64>>>(out);
    EXPECT(at(out, 127) == 64);
}

// wrong: race|async-no-wait: the tile is written again while the bulk store may still read it
__global__ void bulk_out_early(int *out) {
    __shared__ alignas(16) int s[64];
    int t = threadIdx.x;
    for (int round = 0; round < 2; round++) {
        s[t] = t + round; // here
        PROXY_FENCE();
        __syncthreads();
        if (t == 0) bulk_store(out + round * 64, s, 256); // here
        __syncthreads();
    }
    if (t == 0) BULK_WAIT("");
}
CASE(bulk_out_early) { bulk_out_early<<<1, 64>>>(zeros(128)); }

// right: an mbarrier as the barrier of the block, phase after phase
__global__ void mbarrier_rounds(int *out) {
    __shared__ int s[64];
    __shared__ unsigned long long all_here;
    int t = threadIdx.x;
    if (t == 0) mbarrier_init(&all_here, 64);
    __syncthreads();
    for (int round = 0; round < 4; round++) {
        s[t] = t + round;
        mbarrier_arrive(&all_here);
        mbarrier_wait(&all_here, 0);
        out[t] = s[63 - t];
        mbarrier_arrive(&all_here);
        mbarrier_wait(&all_here, 1);
    }
}
CASE(mbarrier_rounds) {
    int *out = zeros(64);
    mbarrier_rounds<<<1, 64>>>(out);
    EXPECT(at(out, 0) == 66);
}

// wrong: race: the wait is for the phase that is already over
__global__ void mbarrier_wrong_phase(int *out) {
    __shared__ int s[64];
    __shared__ unsigned long long all_here;
    int t = threadIdx.x;
    if (t == 0) mbarrier_init(&all_here, 64);
    __syncthreads();
    s[t] = t; // here
    mbarrier_arrive(&all_here);
    mbarrier_wait(&all_here, 1);
    out[t] = s[63 - t]; // here
}
CASE(mbarrier_wrong_phase) { mbarrier_wrong_phase<<<1, 64>>>(zeros(64)); }

// Kernels that may begin before the kernel before them has ended.
static void launch_early(void (*kernel)(const int *, const int *, int *), const int *a, const int *b,
                         int *out, cudaStream_t stream = 0) {
    cudaLaunchAttribute early = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = 64;
    config.stream = stream;
    config.attrs = &early;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, kernel, a, b, out);
}
__global__ void make_input(int *a) {
    a[threadIdx.x] = threadIdx.x;
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

// right: what the other kernel does not write is read before the wait, its result after it
__global__ void overlap(const int *a, const int *b, int *out) {
    int early = b[threadIdx.x];
    if (threadIdx.x == 0) asm volatile("griddepcontrol.wait;" ::: "memory");
    __syncthreads();
    out[threadIdx.x] = a[threadIdx.x] + early;
}
CASE(overlap) {
    int *a = room(64), *b = counting(64), *out = room(64);
    make_input<<<1, 64>>>(a);
    launch_early(overlap, a, b, out);
    EXPECT(at(out, 63) == 126);
}

// wrong: race: the result of the other kernel is read before the wait
__global__ void overlap_early(const int *a, const int *b, int *out) {
    int early = a[threadIdx.x]; // here
    asm volatile("griddepcontrol.wait;" ::: "memory");
    out[threadIdx.x] = early + b[threadIdx.x];
}
CASE(overlap_early) {
    int *a = zeros(64), *b = counting(64), *out = zeros(64);
    make_input<<<1, 64>>>(a);
    launch_early(overlap_early, a, b, out);
}

// A bulk copy of the other kernel's result, before or after the wait.
template <bool waits> __device__ void overlap_copy(const int *a, int *out) {
    __shared__ __align__(128) int s[64];
    __shared__ unsigned long long bar;
    unsigned to = (unsigned)__cvta_generic_to_shared(s), at = (unsigned)__cvta_generic_to_shared(&bar);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        if (waits) asm volatile("griddepcontrol.wait;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(at) : "memory");
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(
                to),
            "l"(a), "r"(at)
            : "memory");
    }
    __syncthreads();
    if (!waits) asm volatile("griddepcontrol.wait;" ::: "memory");
    int over = 0;
    while (!over)
        asm volatile(
            "{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.s32 %0, 1, 0, p;}"
            : "=r"(over)
            : "r"(at)
            : "memory");
    out[threadIdx.x] = s[threadIdx.x];
}

// right: the copy is started after the wait, by the thread that waited
__global__ void overlap_bulk(const int *a, const int *b, int *out) { overlap_copy<true>(a, out); }
CASE(overlap_bulk) {
    int *a = zeros(64), *out = zeros(64);
    make_input<<<1, 64>>>(a);
    launch_early(overlap_bulk, a, a, out);
    EXPECT(at(out, 63) == 63);
}

// wrong: race: a bulk copy reads the result of the other kernel before the wait
__global__ void overlap_bulk_early(const int *a, const int *b, int *out) {
    overlap_copy<false>(a, out); // here
}
CASE(overlap_bulk_early) {
    int *a = zeros(64), *out = zeros(64);
    make_input<<<1, 64>>>(a);
    launch_early(overlap_bulk_early, a, a, out);
}

// Two kernels of a graph that was captured from a stream, the second of which may begin early.
static void run_graph(void (*kernel)(const int *, const int *, int *), int *a, const int *b, int *out) {
    cudaGraph_t graph;
    cudaGraphExec_t made;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    make_input<<<1, 64, 0, stream>>>(a);
    launch_early(kernel, a, b, out, stream);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&made, graph, 0);
    cudaGraphLaunch(made, stream);
    cudaStreamSynchronize(stream);
}

// right: in a graph, the result is read after the wait
__global__ void graph_overlap(const int *a, const int *b, int *out) {
    int early = b[threadIdx.x];
    asm volatile("griddepcontrol.wait;" ::: "memory");
    out[threadIdx.x] = a[threadIdx.x] + early;
}
CASE(graph_overlap) {
    int *a = zeros(64), *b = counting(64), *out = zeros(64);
    run_graph(graph_overlap, a, b, out);
    EXPECT(at(out, 63) == 126);
}

// wrong: race: in a graph, the result is read before the wait
__global__ void graph_overlap_early(const int *a, const int *b, int *out) {
    int early = a[threadIdx.x]; // here
    asm volatile("griddepcontrol.wait;" ::: "memory");
    out[threadIdx.x] = early + b[threadIdx.x];
}
CASE(graph_overlap_early) {
    int *a = zeros(64), *b = counting(64), *out = zeros(64);
    run_graph(graph_overlap_early, a, b, out);
}

int main(int argc, char **argv) { return run_case(argc, argv); }
