// Bandwidth of global memory and of the caches before it, and latency by chases of pointers.
//
// Word i of the data is i * 0x9e3779b1 + what was added: no pattern that a memory could profit from, and a sum in
// closed form. Blocks take chunks of 2048 pieces of 16 bytes in turn, 4 loads of every thread under way at once:
// with 1024 threads on a multiprocessor that is 64 KiB in flight. The assembler may keep what it has loaded once from
// an address that does not change (volatile binds the compiler before it alone), so addresses change, or the load goes
// past L1 and must be made each time.

#include "micro.cuh"

enum { THREADS = 512, PIECES = 4, CHUNK = THREADS * PIECES, SUMS = 1024 };
#define WORD 0x9e3779b1u

static __device__ __forceinline__ uint4 word_at(uint64_t piece, uint32_t add) {
    uint32_t first = (uint32_t)piece * 4u * WORD + add;
    return make_uint4(first, first + WORD, first + 2u * WORD, first + 3u * WORD);
}

// Past L1, which would keep what one block reads again.
static __device__ __forceinline__ uint4 load_l2(const uint4 *from) {
    uint4 v;
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(from));
    return v;
}

// n pieces; a: what is added, one more each turn
MICRO(write) {
    for (uint32_t turn = 0; turn < turns; turn++)
        for (uint64_t chunk = blockIdx.x; chunk < n / CHUNK; chunk += gridDim.x)
#pragma unroll
            for (int k = 0; k < PIECES; k++) {
                uint64_t piece = chunk * CHUNK + k * THREADS + threadIdx.x;
                kz_store<KZ_CACHE>((uint4 *)data + piece, word_at(piece, a + turn));
            }
}

// What lies behind the first n pieces gets them.
MICRO(copy) {
    for (uint32_t turn = 0; turn < turns; turn++)
        for (uint64_t chunk = blockIdx.x; chunk < n / CHUNK; chunk += gridDim.x) {
            uint4 *from = (uint4 *)data + chunk * CHUNK + threadIdx.x, v[PIECES];
#pragma unroll
            for (int k = 0; k < PIECES; k++) v[k] = load_l2(from + k * THREADS);
#pragma unroll
            for (int k = 0; k < PIECES; k++) kz_store<KZ_CACHE>(from + n + k * THREADS, v[k]);
        }
}

// One number for a warp, added to those of others: values[] begin as 0.
static __device__ __forceinline__ void add_up(uint32_t *values, uint32_t sum) {
    for (int step = KZ_WARP / 2; step > 0; step /= 2) sum += __shfl_xor_sync(KZ_ALL_LANES, sum, step);
    if (kz_lane() == 0) atomicAdd(&values[blockIdx.x % SUMS], sum);
}

MICRO(read) {
    uint32_t sum = 0;
    for (uint32_t turn = 0; turn < turns; turn++)
        for (uint64_t chunk = blockIdx.x; chunk < n / CHUNK; chunk += gridDim.x) {
            const uint4 *from = (const uint4 *)data + chunk * CHUNK + threadIdx.x;
            uint4 v[PIECES];
#pragma unroll
            for (int k = 0; k < PIECES; k++) v[k] = load_l2(from + k * THREADS);
#pragma unroll
            for (int k = 0; k < PIECES; k++) sum += v[k].x + v[k].y + v[k].z + v[k].w;
        }
    add_up(values, sum);
}

// All blocks read the same two chunks by turns, again and again: from L1. n is 1, and nobody here knows.
MICRO(read_l1) {
    uint32_t sum = 0;
    for (uint32_t turn = 0; turn < turns; turn++) {
        const uint4 *from = (const uint4 *)data + threadIdx.x + (turn & (uint32_t)n) * CHUNK;
        uint4 v[PIECES];
#pragma unroll
        for (int k = 0; k < PIECES; k++) v[k] = kz_load<KZ_CACHE>(from + k * THREADS);
#pragma unroll
        for (int k = 0; k < PIECES; k++) sum += v[k].x + v[k].y + v[k].z + v[k].w;
    }
    add_up(values, sum);
}

// ---- chases ----------------------------------------------------------------------------------------------

// A ring through n slots that are b bytes apart: slot i holds the address of slot (a * i + 7) % n, which for
// the a that is given goes through all of them before it comes back.
MICRO(ring) {
    for (uint64_t i = kz_thread(); i < n; i += kz_threads()) {
        uint64_t next = ((uint64_t)a * i + 7u) % n;
        *(uint64_t *)(data + i * b) = (uint64_t)(data + next * b);
    }
}

MICRO_FOLLOW(follow_l1, uint64_t, "l", "ld.global.u64")
MICRO_FOLLOW(follow_l2, uint64_t, "l", "ld.global.cg.u64")
MICRO_FOLLOW(follow_shared, uint32_t, "r", "ld.shared.u32")
MICRO_FOLLOW(follow_local, uint32_t, "r", "ld.local.u32")

// values[0]: the slot where it ended
MICRO(chase_l1) {
    MICRO_CHASE(follow_l1, uint64_t, (uint64_t)data);
    values[0] = (uint32_t)((at - (uint64_t)data) / b);
}
MICRO(chase_l2) {
    MICRO_CHASE(follow_l2, uint64_t, (uint64_t)data);
    values[0] = (uint32_t)((at - (uint64_t)data) / b);
}

MICRO(chase_shared) {
    __shared__ uint32_t ring[MICRO_SMALL_RING];
    uint32_t first = micro_shared(ring);
    for (uint32_t i = 0; i < MICRO_SMALL_RING; i++)
        ring[i] = first + 4u * ((13u * i + 7u) % MICRO_SMALL_RING);
    MICRO_CHASE(follow_shared, uint32_t, first);
    values[0] = (at - first) / 4u;
}

// Local memory is the thread's own part of global memory, and comes through L1.
MICRO(chase_local) {
    uint32_t ring[MICRO_SMALL_RING], first = (uint32_t)__cvta_generic_to_local(ring);
#pragma unroll 1
    for (uint32_t i = 0; i < MICRO_SMALL_RING; i++)
        ring[i] = first + 4u * ((13u * i + 7u) % MICRO_SMALL_RING);
    asm volatile("" ::"l"(ring) : "memory"); // it is read by address alone
    MICRO_CHASE(follow_local, uint32_t, first);
    values[0] = (at - first) / 4u;
}

struct constant_ring {
    uint32_t next[MICRO_SMALL_RING];
    constexpr constant_ring() : next() {
        for (uint32_t i = 0; i < MICRO_SMALL_RING; i++) next[i] = 4u * ((13u * i + 7u) % MICRO_SMALL_RING);
    }
};
static __constant__ constant_ring in_constant;

static __device__ __forceinline__ uint32_t follow_constant(uint32_t at) {
    return *(const uint32_t *)((const char *)in_constant.next + at);
}
MICRO(chase_constant) {
    MICRO_CHASE(follow_constant, uint32_t, 0);
    values[0] = at / 4u;
}

// ---- the clock -------------------------------------------------------------------------------------------

// n nanoseconds long: the clocks of a multiprocessor, and in cycles[1] the nanoseconds that they took.
MICRO(clock) {
    uint64_t begin = micro_nanoseconds(), clocks = micro_clock(), now;
    do now = micro_nanoseconds();
    while (now - begin < n);
    clocks = micro_clock() - clocks;
    if (kz_thread() == 0) cycles[0] = clocks, cycles[1] = now - begin;
}

MICRO(empty) {}
