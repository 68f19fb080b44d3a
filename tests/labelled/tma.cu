// Bulk copies and mbarriers around products of a warpgroup: a producer warp and consumers, stores out of shared memory, two
// warpgroups in turn.
#include "warpgroup.cuh"

enum mistake {
    NONE,
    NO_EMPTY_WAIT,
    EMPTY_PARITY,
    ARRIVE_EARLY,
    NO_FULL_WAIT,
    FULL_PARITY,
    EXPECT_FEW,
    EXPECT_MANY,
    EXPECT_TWICE_FEW,
    INIT_NO_BARRIER,
    INIT_COUNT,
    OTHER_STAGE,
    WAIT_LEAVES_ONE,
    ONE_ARRIVES,
    RELEASE_BEHIND,
    NO_FENCE,
    FENCE_AFTER_BARRIER,
    NO_BARRIER,
    NO_READ_WAIT,
    NO_COMMIT,
    ONE_FENCES,
    OTHER_NAME,
};

// ---- a producer warp and a warpgroup ---------------------------------------------------------------------

struct ring {
    tiles stage[STAGES];
    uint64_t full[STAGES], empty[STAGES];
};

template <mistake m> DEVICE void produce(ring *r, const tiles *in) {
    for (int i = 0; i < STEPS; i++) {
        int s = i % STAGES, round = i / STAGES;
        if (m != NO_EMPTY_WAIT) bar_wait(&r->empty[s], (round & 1) ^ (m == EMPTY_PARITY ? 0 : 1));
        bar_expect(&r->full[s], m == EXPECT_FEW ? A_BYTES : m == EXPECT_MANY ? TILE_BYTES + 16 : TILE_BYTES);
        bulk_in(r->stage[s].a, in[i].a, A_BYTES, &r->full[s]);
        bulk_in(r->stage[s].b, in[i].b, B_BYTES, &r->full[s]);
    }
}

template <mistake m> DEVICE void consume(ring *r, float *out) {
    float d[4] = {0, 0, 0, 0};
    for (int i = 0; i < STEPS; i++) {
        int s = i % STAGES, round = i / STAGES;
        if (m != NO_FULL_WAIT) bar_wait(&r->full[s], (round & 1) ^ (m == FULL_PARITY ? 1 : 0));
        const tiles *now = &r->stage[m == OTHER_STAGE ? (s + 1) % STAGES : s];
        wgmma_fence();
        multiply(d, describe(now->a), describe(now->b));
        wgmma_commit();
        if (m == ARRIVE_EARLY) bar_arrive(&r->empty[s]);
        if (m == RELEASE_BEHIND || m == WAIT_LEAVES_ONE)
            wgmma_wait<1>();
        else
            wgmma_wait<0>();
        if (m == RELEASE_BEHIND && i > 0) bar_arrive(&r->empty[(s + STAGES - 1) % STAGES]);
        if (m == ONE_ARRIVES && threadIdx.x == 0) bar_arrive(&r->empty[s]);
        if (m != ARRIVE_EARLY && m != ONE_ARRIVES && m != RELEASE_BEHIND) bar_arrive(&r->empty[s]);
    }
    wgmma_wait<0>();
    keep(d);
    out[threadIdx.x] = d[0];
}

template <mistake m> DEVICE void pipeline(const tiles *in, float *out) {
    __shared__ ring r;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            bar_init(&r.full[s], 1);
            bar_init(&r.empty[s], m == ONE_ARRIVES ? 1 : m == INIT_COUNT ? 129 : 128);
        }
        bar_init_fence();
    }
    if (m != INIT_NO_BARRIER) __syncthreads();
    if (threadIdx.x < 128)
        consume<m>(&r, out);
    else if (threadIdx.x == 128)
        produce<m>(&r, in);
}

#define LAUNCH(kernel) kernel<<<1, 160>>>(tiles_of_ones(STEPS), float_zeros(128))
#define RIGHT(kernel)                                                                                        \
    float *out = float_zeros(128);                                                                           \
    kernel<<<1, 160>>>(tiles_of_ones(STEPS), out);                                                           \
    EXPECT(float_at(out, 0) == 16 * STEPS && float_at(out, 127) == 16 * STEPS)

// right: full and empty mbarriers for each stage, a producer thread, a warpgroup that multiplies
__global__ void producer(const tiles *in, float *out) { pipeline<NONE>(in, out); }
CASE(producer) { RIGHT(producer); }

// right: one thread of the warpgroup gives the stage back for all four warps, behind its wait
__global__ void one_arrives(const tiles *in, float *out) { pipeline<ONE_ARRIVES>(in, out); }
CASE(one_arrives) { RIGHT(one_arrives); }

// right: a product stays under way, and the stage of the one before is given back
__global__ void release_behind(const tiles *in, float *out) { pipeline<RELEASE_BEHIND>(in, out); }
CASE(release_behind) { RIGHT(release_behind); }

// wrong: race|async-no-wait|fault: the producer does not wait until the stage is empty
__global__ void no_empty_wait(const tiles *in, float *out) {
    pipeline<NO_EMPTY_WAIT>(in, out); // here
}
CASE(no_empty_wait) { LAUNCH(no_empty_wait); }

// wrong: deadlock: the first round waits for a phase that nobody ends
__global__ void empty_parity(const tiles *in, float *out) {
    pipeline<EMPTY_PARITY>(in, out); // here
}
CASE(empty_parity) { LAUNCH(empty_parity); }

// wrong: race|async-no-wait: the stage is given back before its product is over (tilelang 2613)
__global__ void arrive_early(const tiles *in, float *out) {
    pipeline<ARRIVE_EARLY>(in, out); // here
}
CASE(arrive_early) { LAUNCH(arrive_early); }

// wrong: race|async-no-wait: the wait lets the product be under way whose stage is given back
__global__ void wait_leaves_one(const tiles *in, float *out) {
    pipeline<WAIT_LEAVES_ONE>(in, out); // here
}
CASE(wait_leaves_one) { LAUNCH(wait_leaves_one); }

// wrong: async-no-wait|race: the consumers do not wait for the copies
__global__ void no_full_wait(const tiles *in, float *out) {
    pipeline<NO_FULL_WAIT>(in, out); // here
}
CASE(no_full_wait) { LAUNCH(no_full_wait); }

// wrong: async-no-wait|race: the consumers wait for the phase before
__global__ void full_parity(const tiles *in, float *out) {
    pipeline<FULL_PARITY>(in, out); // here
}
CASE(full_parity) { LAUNCH(full_parity); }

// wrong: async-no-wait|race: the consumers wait for one stage and multiply the other
__global__ void other_stage(const tiles *in, float *out) {
    pipeline<OTHER_STAGE>(in, out); // here
}
CASE(other_stage) { LAUNCH(other_stage); }

// wrong: mbarrier-bytes: the bytes of B are not expected
__global__ void expect_few(const tiles *in, float *out) {
    pipeline<EXPECT_FEW>(in, out); // here
}
CASE(expect_few) { LAUNCH(expect_few); }

// wrong: deadlock: more bytes are expected than come
__global__ void expect_many(const tiles *in, float *out) {
    pipeline<EXPECT_MANY>(in, out); // here
}
CASE(expect_many) { LAUNCH(expect_many); }

// wrong: race|fault: the mbarriers are made by one thread, and no barrier follows
__global__ void init_no_barrier(const tiles *in, float *out) {
    pipeline<INIT_NO_BARRIER>(in, out); // here
}
CASE(init_no_barrier) { LAUNCH(init_no_barrier); }

// wrong: deadlock: an arrival too many is expected
__global__ void init_count(const tiles *in, float *out) {
    pipeline<INIT_COUNT>(in, out); // here
}
CASE(init_count) { LAUNCH(init_count); }

// warned: race: the thread that makes an mbarrier uses it for a copy at once, with neither fence nor barrier
__global__ void init_no_fence(const tiles *in, float *out) {
    __shared__ tiles s;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        bar_init(&bar, 1); // here
        bar_expect(&bar, B_BYTES);
        bulk_in(s.b, in->b, B_BYTES, &bar); // here
    }
    __syncthreads();
    bar_wait(&bar, 0);
    out[threadIdx.x % 128] = s.b[threadIdx.x];
}
CASE(init_no_fence) { LAUNCH(init_no_fence); }

// right: the same with a fence for the asynchronous proxy
__global__ void init_fence(const tiles *in, float *out) {
    __shared__ tiles s;
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        bar_init(&bar, 1);
        proxy_fence();
        bar_expect(&bar, B_BYTES);
        bulk_in(s.b, in->b, B_BYTES, &bar);
    }
    __syncthreads();
    bar_wait(&bar, 0);
    if (threadIdx.x < 128) out[threadIdx.x] = s.b[threadIdx.x];
}
CASE(init_fence) {
    float *out = float_zeros(128);
    init_fence<<<1, 160>>>(tiles_of_ones(1), out);
    EXPECT(float_at(out, 1) == 0x3c);
}

// ---- out of shared memory --------------------------------------------------------------------------------

// Accumulators to shared memory, and from there by a bulk copy; two tiles, one buffer.
template <mistake m> DEVICE void epilogue(const tiles *in, float *out) {
    __shared__ tiles s;
    __shared__ __align__(128) float tile[128];
    int t = threadIdx.x;
    ((uint4 *)s.a)[t] = ((const uint4 *)in->a)[t];
    if (t < 16) ((uint4 *)s.b)[t] = ((const uint4 *)in->b)[t];
    proxy_fence();
    __syncthreads();
    for (int i = 0; i < 2; i++) {
        float d[4] = {0, 0, 0, 0};
        keep(d);
        wgmma_fence();
        multiply(d, describe(s.a), describe(s.b));
        wgmma_commit();
        wgmma_wait<0>();
        keep(d);
        if (i > 0) {
            if (t == 0 && m != NO_READ_WAIT) bulk_wait_read();
            __syncthreads();
        }
        tile[t] = d[0];
        if (m != NO_FENCE && m != FENCE_AFTER_BARRIER && (m != ONE_FENCES || t == 0)) proxy_fence();
        if (m != NO_BARRIER) __syncthreads();
        if (m == FENCE_AFTER_BARRIER && t != 0) proxy_fence();
        if (t == 0) {
            bulk_out(out + 128 * i, tile, sizeof tile);
            if (m != NO_COMMIT) bulk_commit();
        }
    }
    if (t == 0) bulk_wait();
}
#define STORE(kernel) kernel<<<1, 128>>>(tiles_of_ones(1), float_zeros(256))

// right: stores, proxy fence by all, barrier, bulk copy; the buffer is used again behind wait_group.read
__global__ void store_tile(const tiles *in, float *out) { epilogue<NONE>(in, out); }
CASE(store_tile) {
    float *out = float_zeros(256);
    store_tile<<<1, 128>>>(tiles_of_ones(1), out);
    EXPECT(float_at(out, 0) == 16 && float_at(out, 255) == 16);
}

// wrong: async-no-wait: no proxy fence between the stores and the bulk copy (tilelang 2634)
__global__ void store_no_fence(const tiles *in, float *out) {
    epilogue<NO_FENCE>(in, out); // here
}
CASE(store_no_fence) { STORE(store_no_fence); }

// wrong: async-no-wait: others fence behind the barrier, not the thread that starts the copy
__global__ void store_late_fence(const tiles *in, float *out) {
    epilogue<FENCE_AFTER_BARRIER>(in, out); // here
}
CASE(store_late_fence) { STORE(store_late_fence); }

// wrong: async-no-wait: one thread fences before the barrier, and its own stores alone
__global__ void store_one_fences(const tiles *in, float *out) {
    epilogue<ONE_FENCES>(in, out); // here
}
CASE(store_one_fences) { STORE(store_one_fences); }

// wrong: race: no barrier between the stores of others and the bulk copy
__global__ void store_no_barrier(const tiles *in, float *out) {
    epilogue<NO_BARRIER>(in, out); // here
}
CASE(store_no_barrier) { STORE(store_no_barrier); }

// wrong: async-no-wait|race: the buffer is written again before the copy has read it
__global__ void store_reused(const tiles *in, float *out) {
    epilogue<NO_READ_WAIT>(in, out); // here
}
CASE(store_reused) { STORE(store_reused); }

// wrong: async-no-wait|race: the copy is in no group, so the wait does not wait for it
__global__ void store_no_commit(const tiles *in, float *out) {
    epilogue<NO_COMMIT>(in, out); // here
}
CASE(store_no_commit) { STORE(store_no_commit); }

// ---- two warpgroups in turn ------------------------------------------------------------------------------

// Each multiplies its own tile and hands the buffer for results to the other by a named barrier.
template <mistake m> DEVICE void turns(const tiles *in, float *out) {
    __shared__ tiles s[2];
    __shared__ float tile[128];
    int group = threadIdx.x / 128, t = threadIdx.x % 128;
    ((uint4 *)s[group].a)[t] = ((const uint4 *)in->a)[t];
    if (t < 16) ((uint4 *)s[group].b)[t] = ((const uint4 *)in->b)[t];
    proxy_fence();
    __syncthreads();
    float d[4] = {0, 0, 0, 0};
    keep(d);
    wgmma_fence();
    multiply(d, describe(s[group].a), describe(s[group].b));
    wgmma_commit();
    wgmma_wait<0>();
    keep(d);
    if (group == 1) named_sync<2, 256>();
    tile[t] = d[0] + group;
    if (group == 0)
        named_sync<3, 128>();
    else
        named_sync<4, 128>();
    out[threadIdx.x] = tile[127 - t];
    if (group == 0) {
        if (m == OTHER_NAME) named_sync<5, 128>();
        named_arrive<2, 256>();
    }
}

// right: the second warpgroup waits until the first has read its results
__global__ void in_turn(const tiles *in, float *out) { turns<NONE>(in, out); }
CASE(in_turn) {
    float *out = float_zeros(256);
    in_turn<<<1, 256>>>(tiles_of_ones(1), out);
    EXPECT(float_at(out, 0) == 16 && float_at(out, 255) == 17);
}

// wrong: race: the first warpgroup says that it is done before it has read
__global__ void turn_early(const tiles *in, float *out) {
    __shared__ float tile[128];
    int group = threadIdx.x / 128, t = threadIdx.x % 128;
    if (group == 1) named_sync<2, 256>();
    tile[t] = in->a[t] + group; // here
    if (group == 0)
        named_sync<3, 128>();
    else
        named_sync<4, 128>();
    if (group == 0) named_arrive<2, 256>();
    out[threadIdx.x] = tile[127 - t]; // here
}
CASE(turn_early) { turn_early<<<1, 256>>>(tiles_of_ones(1), float_zeros(256)); }

int main(int argc, char **argv) { return run_case(argc, argv); }
