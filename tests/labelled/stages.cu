// Stages that warps fill by cp.async for mbarriers, phases over several tiles, data from block to block of a cluster.
#include "warpgroup.cuh"

enum mistake {
    NONE,
    NO_PROXY_FENCE,
    COUNTED_TWICE,
    PHASE_ANEW,
    ARRIVE_EARLY,
    OTHER_COMMITS,
    NO_START,
    RELAXED,
    ASYNC_FEW,
};

struct ring {
    tiles stage[STAGES];
    uint64_t full[STAGES], empty[STAGES];
};

// ---- a producer warp that copies by cp.async -----------------------------------------------------------

template <mistake m> DEVICE void copies_arrive(uint64_t *bar) {
    if (m == COUNTED_TWICE)
        asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(address(bar)) : "memory");
    else
        asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(address(bar)) : "memory");
}
template <mistake m> DEVICE void by_threads(const tiles *in, float *out) {
    __shared__ ring r;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            bar_init(&r.full[s], 32);
            bar_init(&r.empty[s], 128);
        }
        bar_init_fence();
    }
    __syncthreads();
    if (threadIdx.x >= 128) {
        for (int i = 0; i < STEPS; i++) {
            int s = i % STAGES;
            bar_wait(&r.empty[s], (i / STAGES & 1) ^ 1);
            for (int at = threadIdx.x % 32 * 16; at < TILE_BYTES; at += 512)
                copy16((char *)&r.stage[s] + at, (const char *)(in + i) + at);
            copies_arrive<m>(&r.full[s]);
        }
        copies_commit();
        copies_wait<0>();
        return;
    }
    float d[4] = {0, 0, 0, 0};
    for (int i = 0; i < STEPS; i++) {
        int s = i % STAGES;
        bar_wait(&r.full[s], i / STAGES & 1);
        if (m != NO_PROXY_FENCE) proxy_fence();
        wgmma_fence();
        multiply(d, describe(r.stage[s].a), describe(r.stage[s].b));
        wgmma_commit();
        wgmma_wait<0>();
        bar_arrive(&r.empty[s]);
    }
    keep(d);
    out[threadIdx.x] = d[0];
}
#define LAUNCH(kernel) kernel<<<1, 160>>>(tiles_of_ones(STEPS), float_zeros(128))
#define RIGHT(kernel, value)                                                                                 \
    float *out = float_zeros(128);                                                                           \
    kernel<<<1, 160>>>(tiles_of_ones(STEPS), out);                                                           \
    EXPECT(float_at(out, 0) == (value) && float_at(out, 127) == (value))

// right: a warp copies by cp.async, mbarriers say when a stage is full, the readers fence
__global__ void copying_warp(const tiles *in, float *out) { by_threads<NONE>(in, out); }
CASE(copying_warp) { RIGHT(copying_warp, 16 * STEPS); }

// wrong: async-no-wait: an mbarrier says that cp.asyncs are done, and no proxy fence follows
__global__ void copying_no_fence(const tiles *in, float *out) {
    by_threads<NO_PROXY_FENCE>(in, out); // here
}
CASE(copying_no_fence) { LAUNCH(copying_no_fence); }

// wrong: deadlock: cp.async.mbarrier.arrive without .noinc, where the mbarrier counts these arrivals itself
__global__ void counted_twice(const tiles *in, float *out) {
    by_threads<COUNTED_TWICE>(in, out); // here
}
CASE(counted_twice) { LAUNCH(counted_twice); }

// ---- phases over several tiles -------------------------------------------------------------------------

enum { TILES = 3, EACH = 3 }; // an odd number of uses: the phase of a tile's first use differs

template <mistake m> DEVICE void persistent(const tiles *in, float *out) {
    __shared__ ring r;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            bar_init(&r.full[s], 1);
            bar_init(&r.empty[s], 128);
        }
        bar_init_fence();
    }
    __syncthreads();
    int use = 0;
    if (threadIdx.x == 128)
        for (; use < TILES * EACH; use++) {
            int s = use % STAGES;
            bar_wait(&r.empty[s], (use / STAGES & 1) ^ 1);
            bar_expect(&r.full[s], TILE_BYTES);
            bulk_in(&r.stage[s], in + use % EACH, TILE_BYTES, &r.full[s]);
        }
    if (threadIdx.x >= 128) return;
    float sum = 0;
    for (int tile = 0; tile < TILES; tile++) {
        float d[4] = {0, 0, 0, 0};
        if (m == PHASE_ANEW) use = 0;
        for (int k = 0; k < EACH; k++, use++) {
            int s = use % STAGES;
            bar_wait(&r.full[s], use / STAGES & 1);
            if (m == ARRIVE_EARLY) bar_arrive(&r.empty[s]);
            wgmma_fence();
            multiply(d, describe(r.stage[s].a), describe(r.stage[s].b));
            wgmma_commit();
            wgmma_wait<0>();
            if (m != ARRIVE_EARLY) bar_arrive(&r.empty[s]);
        }
        keep(d);
        sum += d[0];
    }
    out[threadIdx.x] = sum;
}

// right: phases that go on from tile to tile
__global__ void phases_go_on(const tiles *in, float *out) { persistent<NONE>(in, out); }
CASE(phases_go_on) { RIGHT(phases_go_on, 16 * TILES * EACH); }

// wrong: race|async-no-wait|deadlock: the consumers begin each tile with the phase of the first
__global__ void phase_anew(const tiles *in, float *out) {
    persistent<PHASE_ANEW>(in, out); // here
}
CASE(phase_anew) { LAUNCH(phase_anew); }

// wrong: race|async-no-wait: a stage is given back before the product that reads it
__global__ void given_back_early(const tiles *in, float *out) {
    persistent<ARRIVE_EARLY>(in, out); // here
}
CASE(given_back_early) { LAUNCH(given_back_early); }

// ---- who commits -----------------------------------------------------------------------------------------

// One thread stores a tile out of shared memory; groups are a thread's own.
template <mistake m> DEVICE void store_out(int *out) {
    __shared__ __align__(128) int tile[128];
    for (int round = 0; round < 2; round++) {
        tile[threadIdx.x] = round;
        proxy_fence();
        __syncthreads();
        if (threadIdx.x == 0) bulk_out(out + 128 * round, tile, sizeof tile);
        if (threadIdx.x == (m == OTHER_COMMITS ? 32 : 0)) {
            bulk_commit();
            bulk_wait_read();
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        bulk_commit();
        bulk_wait();
    }
}

// right: the thread that starts a store commits it and waits
__global__ void commits_itself(int *out) { store_out<NONE>(out); }
CASE(commits_itself) {
    int *out = room(256);
    commits_itself<<<1, 128>>>(out);
    EXPECT(at(out, 0) == 0 && at(out, 255) == 1);
}

// wrong: async-no-wait|race: one thread starts the store, another commits and waits
__global__ void other_commits(int *out) {
    store_out<OTHER_COMMITS>(out); // here
}
CASE(other_commits) { other_commits<<<1, 128>>>(room(256)); }

// ---- from block to block of a cluster ------------------------------------------------------------------

DEVICE uint32_t peer_address(const void *p) {
    uint32_t mapped;
    asm volatile(
        "{.reg .b32 r; mov.u32 r, %%cluster_ctarank; xor.b32 r, r, 1; mapa.shared::cluster.u32 %0, %1, r;}"
        : "=r"(mapped)
        : "r"(address(p)));
    return mapped;
}

DEVICE void cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

template <mistake m> DEVICE void exchange(int *out) {
    __shared__ int box[64];
    if (m != NO_START) cluster_sync();
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(peer_address(&box[threadIdx.x])), "r"(threadIdx.x)
                 : "memory");
    if (m == RELAXED)
        asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    else
        asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    out[blockIdx.x * 64 + threadIdx.x] = box[63 - threadIdx.x];
}

// right: stores to the other block, a cluster barrier that releases them
__global__ void __cluster_dims__(2, 1, 1) exchanged(int *out) { exchange<NONE>(out); }
CASE(exchanged) {
    int *out = zeros(128);
    exchanged<<<2, 64>>>(out);
    EXPECT(at(out, 0) == 63 && at(out, 127) == 0);
}

// wrong: race: the cluster barrier's arrival is relaxed, and no fence stands before it
__global__ void __cluster_dims__(2, 1, 1) exchanged_relaxed(int *out) {
    exchange<RELAXED>(out); // here
}
CASE(exchanged_relaxed) { exchanged_relaxed<<<2, 64>>>(zeros(128)); }

// wrong: race: the other block need not have begun when its shared memory is written
__global__ void __cluster_dims__(2, 1, 1) exchanged_at_once(int *out) {
    exchange<NO_START>(out); // here
}
CASE(exchanged_at_once) { exchanged_at_once<<<2, 64>>>(zeros(128)); }

template <mistake m> DEVICE void sent(int *out) {
    __shared__ int box[64];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        bar_init(&bar, 1);
        bar_init_fence();
        bar_expect(&bar, m == ASYNC_FEW ? 128 : 256);
    }
    cluster_sync();
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(
                     peer_address(&box[threadIdx.x])),
                 "r"(threadIdx.x), "r"(peer_address(&bar))
                 : "memory");
    bar_wait(&bar, 0);
    out[blockIdx.x * 64 + threadIdx.x] = box[63 - threadIdx.x];
    cluster_sync();
}

// right: asynchronous stores to the other block, whose mbarrier counts their bytes
__global__ void __cluster_dims__(2, 1, 1) sent_all(int *out) { sent<NONE>(out); }
CASE(sent_all) {
    int *out = zeros(128);
    sent_all<<<2, 64>>>(out);
    EXPECT(at(out, 0) == 63 && at(out, 127) == 0);
}

// wrong: mbarrier-bytes|async-no-wait|race: the mbarrier expects half of the bytes
__global__ void __cluster_dims__(2, 1, 1) sent_half(int *out) {
    sent<ASYNC_FEW>(out); // here
}
CASE(sent_half) { sent_half<<<2, 64>>>(zeros(128)); }

int main(int argc, char **argv) { return run_case(argc, argv); }
