// Products of a warpgroup: cp.async pipelines, registers under way, fragments in registers as attention has them.
#include "warpgroup.cuh"

enum mistake {
    NONE,
    NO_PROXY_FENCE,
    FENCE_BEFORE_WAIT,
    FENCE_BY_ONE,
    NO_BARRIER,
    REFILL_EARLY,
    WAIT_TOO_MANY,
    NO_COMMIT,
    NO_COPY_WAIT,
    STORES_NO_FENCE,
    READ_EARLY,
    WRITE_EARLY,
    NO_FENCE,
    NO_WAIT,
    A_REUSED,
    A_NO_FENCE,
    A_IN_FLIGHT,
    OTHER_DESCRIPTOR,
    THREE_WARPS,
    FENCE_AT_READER,
};

// Tiles by cp.async, two stages: the next one is under way while this one is multiplied.
template <mistake m> DEVICE void load_stage(tiles *to, const tiles *from) {
    int t = threadIdx.x;
    copy16(to->a + 16 * t, from->a + 16 * t);
    if (t < 16) copy16(to->b + 16 * t, from->b + 16 * t);
}
template <mistake m> DEVICE void by_cp_async(const tiles *in, float *out) {
    __shared__ tiles s[STAGES];
    float d[4] = {0, 0, 0, 0};
    load_stage<m>(&s[0], in);
    copies_commit();
    for (int i = 0; i < STEPS; i++) {
        tiles *now = &s[i % STAGES];
        if (i + 1 < STEPS) load_stage<m>(&s[(i + 1) % STAGES], in + i + 1);
        copies_commit();
        if (m == FENCE_BEFORE_WAIT) proxy_fence();
        if (m != NO_COPY_WAIT) copies_wait<1>();
        if (m != NO_PROXY_FENCE && m != FENCE_BEFORE_WAIT && m != FENCE_AT_READER &&
            (m != FENCE_BY_ONE || threadIdx.x == 0))
            proxy_fence();
        if (m != NO_BARRIER) __syncthreads();
        if (m == FENCE_AT_READER) proxy_fence();
        wgmma_fence();
        multiply(d, describe(now->a), describe(now->b));
        if (m != NO_COMMIT) wgmma_commit();
        if (m == WAIT_TOO_MANY)
            wgmma_wait<1>();
        else if (m != REFILL_EARLY)
            wgmma_wait<0>();
        __syncthreads();
    }
    if (m == REFILL_EARLY || m == WAIT_TOO_MANY) wgmma_wait<0>();
    keep(d);
    out[threadIdx.x] = d[0];
}

#define LAUNCH(kernel) kernel<<<1, 128>>>(tiles_of_ones(STEPS), float_zeros(128))
#define RIGHT(kernel, value)                                                                                 \
    float *out = float_zeros(128);                                                                           \
    kernel<<<1, 128>>>(tiles_of_ones(STEPS), out);                                                           \
    EXPECT(float_at(out, 0) == (value) && float_at(out, 127) == (value))

// right: two stages by cp.async; wait, proxy fence, barrier, product, wait, barrier
__global__ void two_stages(const tiles *in, float *out) { by_cp_async<NONE>(in, out); }
CASE(two_stages) { RIGHT(two_stages, 16 * STEPS); }

// right: the proxy fence behind the barrier, by all who multiply
__global__ void fence_at_reader(const tiles *in, float *out) { by_cp_async<FENCE_AT_READER>(in, out); }
CASE(fence_at_reader) { RIGHT(fence_at_reader, 16 * STEPS); }

// wrong: async-no-wait: no proxy fence between cp.async and wgmma
__global__ void no_proxy_fence(const tiles *in, float *out) {
    by_cp_async<NO_PROXY_FENCE>(in, out); // here
}
CASE(no_proxy_fence) { LAUNCH(no_proxy_fence); }

// wrong: async-no-wait: the proxy fence comes before the copies are there
__global__ void fence_before_wait(const tiles *in, float *out) {
    by_cp_async<FENCE_BEFORE_WAIT>(in, out); // here
}
CASE(fence_before_wait) { LAUNCH(fence_before_wait); }

// wrong: async-no-wait: one thread fences, before the barrier, for all
__global__ void fence_by_one(const tiles *in, float *out) {
    by_cp_async<FENCE_BY_ONE>(in, out); // here
}
CASE(fence_by_one) { LAUNCH(fence_by_one); }

// wrong: race|async-no-wait: no barrier between the copies of others and the product
__global__ void no_barrier(const tiles *in, float *out) {
    by_cp_async<NO_BARRIER>(in, out); // here
}
CASE(no_barrier) { LAUNCH(no_barrier); }

// wrong: async-no-wait: a stage is refilled while a product may still read it
__global__ void refill_early(const tiles *in, float *out) {
    by_cp_async<REFILL_EARLY>(in, out); // here
}
CASE(refill_early) { LAUNCH(refill_early); }

// wrong: async-no-wait: the wait lets the product be under way whose stage is refilled next
__global__ void wait_too_many(const tiles *in, float *out) {
    by_cp_async<WAIT_TOO_MANY>(in, out); // here
}
CASE(wait_too_many) { LAUNCH(wait_too_many); }

// wrong: async-no-wait|wgmma-registers: nothing is committed, so nothing is waited for
__global__ void no_commit(const tiles *in, float *out) {
    by_cp_async<NO_COMMIT>(in, out); // here
}
CASE(no_commit) { LAUNCH(no_commit); }

// wrong: async-no-wait: no wait for cp.async before the product
__global__ void no_copy_wait(const tiles *in, float *out) {
    by_cp_async<NO_COPY_WAIT>(in, out); // here
}
CASE(no_copy_wait) { LAUNCH(no_copy_wait); }

// Tiles by plain stores, and two products in a row on one accumulator.
template <mistake m> DEVICE void by_stores(const tiles *in, float *out) {
    __shared__ tiles both[2]; // a wrong descriptor stays inside
    tiles &s = both[0];
    int t = threadIdx.x;
    float d[4] = {0, 0, 0, 0};
    ((uint4 *)s.a)[t] = ((const uint4 *)in->a)[t];
    if (t < 16) ((uint4 *)s.b)[t] = ((const uint4 *)in->b)[t];
    if (m != STORES_NO_FENCE) proxy_fence();
    __syncthreads();
    keep(d);
    if (m != NO_FENCE) wgmma_fence();
    if (m != THREE_WARPS || t < 96) {
        uint64_t a = describe(m == OTHER_DESCRIPTOR ? s.a + t / 32 * 256 : s.a);
        multiply(d, a, describe(s.b));
        multiply(d, a, describe(s.b));
        wgmma_commit();
        if (m == READ_EARLY) out[t] = d[1];
        if (m == WRITE_EARLY) {
            d[2] += 1;
            keep(d);
        }
        if (m != NO_WAIT) wgmma_wait<0>();
    }
    if (m == NO_WAIT) return;
    keep(d);
    out[t] = d[0];
}

// right: plain stores, proxy fence, barrier; two products on one accumulator need one fence
__global__ void plain_stores(const tiles *in, float *out) { by_stores<NONE>(in, out); }
CASE(plain_stores) { RIGHT(plain_stores, 32); }

// wrong: async-no-wait: plain stores are multiplied without a proxy fence
__global__ void stores_no_fence(const tiles *in, float *out) {
    by_stores<STORES_NO_FENCE>(in, out); // here
}
CASE(stores_no_fence) { LAUNCH(stores_no_fence); }

// wrong: wgmma-registers: an accumulator is read before the wait
__global__ void read_early(const tiles *in, float *out) {
    by_stores<READ_EARLY>(in, out); // here
}
CASE(read_early) { LAUNCH(read_early); }

// wrong: wgmma-registers: an accumulator is changed before the wait
__global__ void write_early(const tiles *in, float *out) {
    by_stores<WRITE_EARLY>(in, out); // here
}
CASE(write_early) { LAUNCH(write_early); }

// wrong: wgmma-no-fence: no wgmma.fence between the zeros and the first product
__global__ void no_fence(const tiles *in, float *out) {
    by_stores<NO_FENCE>(in, out); // here
}
CASE(no_fence) { LAUNCH(no_fence); }

// wrong: wgmma-no-wait: the kernel ends with products under way
__global__ void no_wait(const tiles *in, float *out) {
    by_stores<NO_WAIT>(in, out); // here
}
CASE(no_wait) { LAUNCH(no_wait); }

// wrong: fault: each warp makes a descriptor of its own rows
__global__ void other_descriptor(const tiles *in, float *out) {
    by_stores<OTHER_DESCRIPTOR>(in, out); // here
}
CASE(other_descriptor) { LAUNCH(other_descriptor); }

// wrong: fault|deadlock: one of the four warps does not take part
__global__ void three_warps(const tiles *in, float *out) {
    by_stores<THREE_WARPS>(in, out); // here
}
CASE(three_warps) { LAUNCH(three_warps); }

// As attention does it: scores by one product, halves of them in registers are A of the next. Two key tiles.
DEVICE uint32_t pair(float low, float high) {
    uint32_t both;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
    return both;
}
template <mistake m> DEVICE void attention(const tiles *in, float *out) {
    __shared__ tiles s;
    int t = threadIdx.x;
    float sum[4] = {0, 0, 0, 0};
    uint32_t p[4] = {0, 0, 0, 0};
    ((uint4 *)s.a)[t] = ((const uint4 *)in->a)[t];
    if (t < 16) ((uint4 *)s.b)[t] = ((const uint4 *)in->b)[t];
    proxy_fence();
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < 3; i++) {
        float scores[4] = {0, 0, 0, 0};
        keep(scores);
        wgmma_fence();
        multiply(scores, describe(s.a), describe(s.b));
        wgmma_commit();
        if (m != A_IN_FLIGHT) wgmma_wait<0>(); // and the product of the round before, which reads p
        if (m == A_REUSED) { // p of the next round, before the product with this one is waited for
            keep(p);
            wgmma_fence();
            multiply_by(sum, p, describe(s.b));
            wgmma_commit();
        }
        if (m == A_IN_FLIGHT) keep(scores);
        for (int k = 0; k < 4; k++) p[k] = pair(scores[k % 4] * 0.0625f, scores[k % 4] * 0.0625f);
        keep(p);
        if (m == A_REUSED) continue;
        if (m != A_NO_FENCE) wgmma_fence();
        multiply_by(sum, p, describe(s.b));
        wgmma_commit();
    }
    wgmma_wait<0>();
    keep(sum);
    out[t] = sum[0];
}

// right: fragments of A in registers, made anew after the product that reads them was waited for
__global__ void attention_right(const tiles *in, float *out) { attention<NONE>(in, out); }
CASE(attention_right) { RIGHT(attention_right, 48); }

// wrong: wgmma-registers: the fragment of the next round is made while a product reads this one (DeepGEMM 448)
__global__ void attention_reused(const tiles *in, float *out) {
    attention<A_REUSED>(in, out); // here
}
CASE(attention_reused) { LAUNCH(attention_reused); }

// wrong: wgmma-no-fence: the fragment is written and multiplied with no wgmma.fence between
__global__ void attention_no_fence(const tiles *in, float *out) {
    attention<A_NO_FENCE>(in, out); // here
}
CASE(attention_no_fence) { LAUNCH(attention_no_fence); }

// wrong: wgmma-registers: scores are used before their product is over
__global__ void attention_early(const tiles *in, float *out) {
    attention<A_IN_FLIGHT>(in, out); // here
}
CASE(attention_early) { LAUNCH(attention_early); }

int main(int argc, char **argv) { return run_case(argc, argv); }
