// Clusters that share a tile by multicast, two warpgroups of consumers, persistent epilogues, registers that are asked for.
#include "warpgroup.cuh"

enum mistake {
    NONE,
    PEER_NOT_ASKED,
    EXPECT_OWN,
    NO_CLUSTER_BARRIER,
    LEAVES,
    COUNT_ONE,
    ONE_WAITS,
    HALF_BARRIER,
    WAITS_ELSEWHERE,
    PAST_THE_RING,
    TOO_MANY,
};

// ---- a cluster that shares B -------------------------------------------------------------------------

struct ring {
    tiles stage[STAGES];
    uint64_t full[STAGES], empty[STAGES];
};

DEVICE uint32_t rank() {
    uint32_t r;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}
DEVICE void cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
DEVICE void bulk_in_both(void *to, const void *from, int bytes, uint64_t *bar) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
                 "[%1], %2, "
                 "[%3], %4;" ::"r"(address(to)),
                 "l"(from), "r"(bytes), "r"(address(bar)), "h"((uint16_t)3)
                 : "memory");
}
DEVICE void bar_arrive_at(uint64_t *bar, uint32_t block) {
    asm volatile("{.reg .b32 a; mapa.shared::cluster.u32 a, %0, %1; "
                 "mbarrier.arrive.release.cluster.shared::cluster.b64 _, "
                 "[a];}" ::"r"(address(bar)),
                 "r"(block)
                 : "memory");
}

// Each block has A of its own; the first loads B for both, and so needs to know that both stages are empty.
template <mistake m> DEVICE void produce_both(ring *r, const tiles *in) {
    for (int i = 0; i < STEPS; i++) {
        int s = i % STAGES, round = i / STAGES;
        bar_wait(&r->empty[s], (round & 1) ^ 1);
        bar_expect(&r->full[s], m == EXPECT_OWN && rank() ? A_BYTES : TILE_BYTES);
        bulk_in(r->stage[s].a, in[i].a, A_BYTES, &r->full[s]);
        if (rank() == 0) bulk_in_both(r->stage[s].b, in[i].b, B_BYTES, &r->full[s]);
    }
}
template <mistake m> DEVICE void consume_both(ring *r, float *out) {
    float d[4] = {0, 0, 0, 0};
    for (int i = 0; i < STEPS; i++) {
        int s = i % STAGES;
        bar_wait(&r->full[s], i / STAGES & 1);
        wgmma_fence();
        multiply(d, describe(r->stage[s].a), describe(r->stage[s].b));
        wgmma_commit();
        wgmma_wait<0>();
        bar_arrive(&r->empty[s]);
        if (m != PEER_NOT_ASKED && rank()) bar_arrive_at(&r->empty[s], 0);
    }
    keep(d);
    out[blockIdx.x * 128 + threadIdx.x] = d[0];
}
template <mistake m> DEVICE void shared_b(const tiles *in, float *out) {
    __shared__ ring r;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            bar_init(&r.full[s], 1);
            bar_init(&r.empty[s], rank() == 0 && m != PEER_NOT_ASKED ? 256 : 128);
        }
        bar_init_fence();
    }
    if (m == NO_CLUSTER_BARRIER)
        __syncthreads();
    else
        cluster_sync();
    if (threadIdx.x < 128)
        consume_both<m>(&r, out);
    else if (threadIdx.x == 128)
        produce_both<m>(&r, in);
    if (m != LEAVES) {
        __syncwarp();
        cluster_sync();
    }
}
#define BOTH(kernel) kernel<<<2, 160>>>(tiles_of_ones(STEPS), float_zeros(256))

// right: one block of a cluster loads a tile for both
__global__ void __cluster_dims__(2, 1, 1) multicast(const tiles *in, float *out) { shared_b<NONE>(in, out); }
CASE(multicast) {
    float *out = float_zeros(256);
    multicast<<<2, 160>>>(tiles_of_ones(STEPS), out);
    EXPECT(float_at(out, 0) == 16 * STEPS && float_at(out, 255) == 16 * STEPS);
}

// wrong: race|async-no-wait: the block that loads for both does not ask whether the other's stage is empty
__global__ void __cluster_dims__(2, 1, 1) peer_not_asked(const tiles *in, float *out) {
    shared_b<PEER_NOT_ASKED>(in, out); // here
}
CASE(peer_not_asked) { BOTH(peer_not_asked); }

// wrong: mbarrier-bytes|async-no-wait|deadlock: a block does not expect the bytes that the other loads for it
__global__ void __cluster_dims__(2, 1, 1) expect_own(const tiles *in, float *out) {
    shared_b<EXPECT_OWN>(in, out); // here
}
CASE(expect_own) { BOTH(expect_own); }

// wrong: race|fault: a multicast uses the other block's mbarrier before that one has made it
__global__ void __cluster_dims__(2, 1, 1) no_cluster_barrier(const tiles *in, float *out) {
    shared_b<NO_CLUSTER_BARRIER>(in, out); // here
}
CASE(no_cluster_barrier) { BOTH(no_cluster_barrier); }

// wrong: race|fault: a block ends while the other still arrives at its mbarriers
__global__ void __cluster_dims__(2, 1, 1) leaves(const tiles *in, float *out) {
    shared_b<LEAVES>(in, out); // here
}
CASE(leaves) { BOTH(leaves); }

// ---- two warpgroups of consumers ---------------------------------------------------------------------

template <mistake m> DEVICE void two_groups(const tiles *in, float *out) {
    __shared__ ring r;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            bar_init(&r.full[s], 1);
            bar_init(&r.empty[s], m == COUNT_ONE ? 1 : 2);
        }
        bar_init_fence();
    }
    __syncthreads();
    if (threadIdx.x == 256)
        for (int i = 0; i < STEPS; i++) {
            int s = i % STAGES;
            bar_wait(&r.empty[s], (i / STAGES & 1) ^ 1);
            bar_expect(&r.full[s], TILE_BYTES);
            bulk_in(r.stage[s].a, in[i].a, A_BYTES, &r.full[s]);
            bulk_in(r.stage[s].b, in[i].b, B_BYTES, &r.full[s]);
        }
    if (threadIdx.x >= 256) return;
    float d[4] = {0, 0, 0, 0};
    for (int i = 0; i < STEPS; i++) {
        int s = i % STAGES;
        if (m != ONE_WAITS || threadIdx.x % 128 < 32) bar_wait(&r.full[s], i / STAGES & 1);
        const tiles *now = m == PAST_THE_RING ? &r.stage[s] + 100 : &r.stage[s];
        wgmma_fence();
        multiply(d, describe(now->a), describe(now->b));
        wgmma_commit();
        wgmma_wait<0>();
        if (threadIdx.x % 128 == 0) bar_arrive(&r.empty[s]);
    }
    keep(d);
    out[threadIdx.x] = d[0];
}
#define TWO(kernel) kernel<<<1, 288>>>(tiles_of_ones(STEPS), float_zeros(256))

// right: two warpgroups read the same stage, and one thread of each gives it back
__global__ void two_consumers(const tiles *in, float *out) { two_groups<NONE>(in, out); }
CASE(two_consumers) {
    float *out = float_zeros(256);
    two_consumers<<<1, 288>>>(tiles_of_ones(STEPS), out);
    EXPECT(float_at(out, 0) == 16 * STEPS && float_at(out, 255) == 16 * STEPS);
}

// wrong: race|async-no-wait|fault|deadlock: the stage counts as empty when one warpgroup of two has given it back
__global__ void count_one(const tiles *in, float *out) {
    two_groups<COUNT_ONE>(in, out); // here
}
CASE(count_one) { TWO(count_one); }

// wrong: race|async-no-wait: one warp of the warpgroup waits for the stage, the others multiply at once
__global__ void one_waits(const tiles *in, float *out) {
    two_groups<ONE_WAITS>(in, out); // here
}
CASE(one_waits) { TWO(one_waits); }

// wrong: out-of-bounds|fault: a descriptor of a stage that is not there
__global__ void past_the_ring(const tiles *in, float *out) {
    two_groups<PAST_THE_RING>(in, out); // here
}
CASE(past_the_ring) { TWO(past_the_ring); }

template <mistake m> DEVICE void registers(float *out) {
    if (threadIdx.x >= 256)
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(m == TOO_MANY ? 152 : 40));
    else
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    out[threadIdx.x] = 1;
}

// wrong: deadlock|fault: consumers ask for more registers than the producer gives
__global__ void __launch_bounds__(384, 1) too_many(float *out) {
    registers<TOO_MANY>(out); // here
}
CASE(too_many) { too_many<<<1, 384>>>(float_zeros(384)); }

// right: two warpgroups get the registers that a third gives
__global__ void __launch_bounds__(384, 1) enough(float *out) { registers<NONE>(out); }
CASE(enough) {
    float *out = float_zeros(384);
    enough<<<1, 384>>>(out);
    EXPECT(float_at(out, 0) == 1 && float_at(out, 383) == 1);
}

// ---- an epilogue that goes on ------------------------------------------------------------------------

// Two warpgroups fill a tile together, one thread stores it, several times over the same shared memory.
template <mistake m> DEVICE void epilogue(int *out) {
    __shared__ __align__(128) int tile[256];
    for (int round = 0; round < 3; round++) {
        if (m == WAITS_ELSEWHERE || threadIdx.x == 0) bulk_wait_read();
        if (m != WAITS_ELSEWHERE) named_sync<2, 256>();
        tile[255 - threadIdx.x] = round;
        proxy_fence();
        if (m != HALF_BARRIER)
            named_sync<1, 256>();
        else if (threadIdx.x < 128)
            named_sync<1, 128>();
        else
            named_sync<3, 128>();
        if (threadIdx.x == 0) {
            bulk_out(out + 256 * round, tile, sizeof tile);
            bulk_commit();
        }
    }
    if (threadIdx.x == 0) bulk_wait();
}

// right: the thread that stores waits until the tile was read, then all refill it
__global__ void epilogue_right(int *out) { epilogue<NONE>(out); }
CASE(epilogue_right) {
    int *out = room(768);
    epilogue_right<<<1, 256>>>(out);
    EXPECT(at(out, 0) == 0 && at(out, 767) == 2);
}

// wrong: race|async-no-wait: each warpgroup waits for itself, and one thread stores what both wrote
__global__ void half_barrier(int *out) {
    epilogue<HALF_BARRIER>(out); // here
}
CASE(half_barrier) { half_barrier<<<1, 256>>>(room(768)); }

// wrong: race|async-no-wait: every thread waits for its own groups, of which only one thread has any
__global__ void waits_elsewhere(int *out) {
    epilogue<WAITS_ELSEWHERE>(out); // here
}
CASE(waits_elsewhere) { waits_elsewhere<<<1, 256>>>(room(768)); }

// ---- from block to block through global memory -------------------------------------------------------

// The first block stores a tile by a bulk copy and raises a flag; the second reads it.
template <bool done> DEVICE void hand_over(int *data, unsigned *flag, int *out) {
    __shared__ __align__(128) int tile[64];
    if (blockIdx.x == 0) {
        tile[threadIdx.x] = 7;
        proxy_fence();
        __syncthreads();
        if (threadIdx.x) return;
        bulk_out(data, tile, sizeof tile);
        bulk_commit();
        if (done)
            bulk_wait();
        else
            bulk_wait_read();
        asm volatile("fence.proxy.async;" ::: "memory");
        asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(flag) : "memory");
        if (!done) bulk_wait();
        return;
    }
    unsigned up = 0;
    while (!up) asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(up) : "l"(flag) : "memory");
    out[threadIdx.x] = data[threadIdx.x];
}
#define HAND(kernel) kernel<<<2, 64>>>(zeros(64), (unsigned *)zeros(1), out)

// right: the store is waited for, then its block says so
__global__ void handed_over(int *data, unsigned *flag, int *out) { hand_over<true>(data, flag, out); }
CASE(handed_over) {
    int *out = zeros(64);
    HAND(handed_over);
    EXPECT(at(out, 0) == 7 && at(out, 63) == 7);
}

// wrong: race|race-publication|async-no-wait: the source was read, but the store need not be done when the flag is raised
__global__ void read_wait_alone(int *data, unsigned *flag, int *out) {
    hand_over<false>(data, flag, out); // here
}
CASE(read_wait_alone) {
    int *out = zeros(64);
    HAND(read_wait_alone);
}

// The first block stores to global memory, the second copies that in by the asynchronous proxy.
template <bool fenced> DEVICE void copied_in(int *data, unsigned *flag, int *out) {
    __shared__ __align__(128) int tile[64];
    __shared__ uint64_t bar;
    if (blockIdx.x == 0) {
        data[threadIdx.x] = 7;
        if (fenced) asm volatile("fence.proxy.async;" ::: "memory");
        __syncthreads();
        if (threadIdx.x == 0) asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(flag) : "memory");
        return;
    }
    if (threadIdx.x == 0) {
        bar_init(&bar, 1);
        bar_init_fence();
        unsigned up = 0;
        while (!up) asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(up) : "l"(flag) : "memory");
        bar_expect(&bar, sizeof tile);
        bulk_in(tile, data, sizeof tile, &bar);
    }
    __syncthreads();
    bar_wait(&bar, 0);
    out[threadIdx.x] = tile[threadIdx.x];
}

// right: stores to global memory, a proxy fence, a flag, a bulk copy by another block
__global__ void copied_in_fenced(int *data, unsigned *flag, int *out) { copied_in<true>(data, flag, out); }
CASE(copied_in_fenced) {
    int *out = zeros(64);
    HAND(copied_in_fenced);
    EXPECT(at(out, 0) == 7 && at(out, 63) == 7);
}

// wrong: async-no-wait: a bulk copy reads global memory that threads wrote, with no proxy fence on the way
__global__ void copied_in_unfenced(int *data, unsigned *flag, int *out) {
    copied_in<false>(data, flag, out); // here
}
CASE(copied_in_unfenced) {
    int *out = zeros(64);
    HAND(copied_in_unfenced);
}

int main(int argc, char **argv) { return run_case(argc, argv); }
