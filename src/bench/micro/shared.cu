// Shared memory: bandwidth, banks by stride, atomics; barriers and shuffles.
//
// Loads are volatile for the assembler too, or it would keep in registers what it has loaded once.

#include "micro.cuh"

enum { THREADS = 512, PIECES = 4, CHUNK = THREADS * PIECES };

static __device__ __forceinline__ uint4 load_piece(uint32_t from) {
    uint4 v;
    asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "r"(from));
    return v;
}
static __device__ __forceinline__ void store_piece(uint32_t to, uint4 v) {
    asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
                 : "memory");
}

// 32 KiB: 2 blocks of 512 threads fit on a multiprocessor, and each warp's access is 4 wavefronts of 128 bytes.
MICRO(shared_read) {
    __shared__ uint4 tile[CHUNK];
    uint32_t first = micro_shared(&tile[threadIdx.x]), sum = 0;
    for (int i = threadIdx.x; i < CHUNK; i += THREADS) tile[i] = make_uint4(i, i * 3u, i * 5u, i * 7u);
    for (uint32_t turn = 0; turn < turns; turn++) {
        uint4 v[PIECES];
#pragma unroll
        for (int k = 0; k < PIECES; k++) v[k] = load_piece(first + k * THREADS * 16);
#pragma unroll
        for (int k = 0; k < PIECES; k++) sum += v[k].x + v[k].y + v[k].z + v[k].w;
    }
    values[kz_thread()] = sum;
}

MICRO(shared_write) {
    __shared__ uint4 tile[CHUNK];
    uint32_t first = micro_shared(&tile[threadIdx.x]), t = threadIdx.x;
    uint4 v = make_uint4(t, t * 3u, t * 5u, t * 7u);
    for (uint32_t turn = 0; turn < turns; turn++) {
        v.x += 1;
#pragma unroll
        for (int k = 0; k < PIECES; k++) store_piece(first + k * THREADS * 16, v);
    }
    uint32_t sum = 0;
    for (int i = threadIdx.x; i < CHUNK; i += THREADS) sum += tile[i].x + tile[i].y + tile[i].z + tile[i].w;
    values[kz_thread()] = sum;
}

// From one half to the other and back; a 1 is added on the way, which tells how often. A thread has pieces of its own, so
// that nobody waits.
MICRO(shared_copy) {
    enum { HALF = CHUNK / 2, EACH = PIECES / 2 };
    __shared__ uint4 tile[CHUNK];
    uint32_t from = micro_shared(&tile[threadIdx.x]), to = from + HALF * 16;
    for (int i = threadIdx.x; i < HALF; i += THREADS) tile[i] = make_uint4(i, i * 3u, i * 5u, i * 7u);
    for (uint32_t turn = 0; turn < turns; turn++) {
        uint4 v[EACH];
#pragma unroll
        for (int k = 0; k < EACH; k++) v[k] = load_piece(from + k * THREADS * 16);
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            v[k].x += 1;
            store_piece(to + k * THREADS * 16, v[k]);
        }
        uint32_t other = from;
        from = to;
        to = other;
    }
    uint32_t sum = 0;
    for (int k = 0; k < EACH; k++) {
        uint4 v = load_piece(from + k * THREADS * 16);
        sum += v.x + v.y + v.z + v.w;
    }
    values[kz_thread()] = sum;
}

// ---- banks -----------------------------------------------------------------------------------------------

// Lane i reads word i * a; the 8 loads of a turn are a word apart, which moves all lanes by a bank alike.
enum { WORDS = 2048, UNROLL = 8 };
MICRO(banks) {
    __shared__ uint32_t words[WORDS];
    for (uint32_t i = threadIdx.x; i < WORDS; i += blockDim.x) words[i] = i;
    uint32_t at = micro_shared(&words[kz_lane() * a]), sum = 0;
    uint64_t begin = micro_begin();
    for (uint32_t turn = 0; turn < turns; turn++) {
        uint32_t v[UNROLL];
#pragma unroll
        for (int k = 0; k < UNROLL; k++)
            asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v[k]) : "r"(at + 4 * k));
#pragma unroll
        for (int k = 0; k < UNROLL; k++) sum += v[k];
    }
    micro_end(cycles, begin);
    values[kz_thread()] = sum;
}

// ---- atomics in shared memory ------------------------------------------------------------------------------

// Threads in groups of `a` share an address; `b` addresses in all, one after the other. A constant 1 has an
// instruction of its own, which counts the lanes that meet; what is not known to be 1 (n) has none.
template <bool increment>
static __device__ __forceinline__ void add_in_shared(uint32_t *values, uint64_t *cycles, uint32_t n,
                                                     uint32_t turns, uint32_t a, uint32_t b) {
    __shared__ uint32_t counts[1024];
    for (uint32_t i = threadIdx.x; i < 1024; i += blockDim.x) counts[i] = 0;
    uint32_t at = micro_shared(&counts[threadIdx.x / a % b]);
    uint64_t begin = micro_begin();
    for (uint32_t turn = 0; turn < turns; turn++) {
#pragma unroll
        for (int k = 0; k < UNROLL; k++)
            if (increment)
                asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(at) : "memory");
            else
                asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(at), "r"(n) : "memory");
    }
    micro_end(cycles, begin);
    values[kz_thread()] = counts[threadIdx.x];
}
MICRO(shared_add) { add_in_shared<false>(values, cycles, (uint32_t)n, turns, a, b); }
MICRO(shared_increment) { add_in_shared<true>(values, cycles, 1, turns, a, b); }

// What was there is what is added next: each waits for the one before.
MICRO(shared_atomic_latency) {
    __shared__ uint32_t counts[32];
    counts[kz_lane()] = 1;
    uint32_t at = micro_shared(&counts[kz_lane()]), v = 1;
    uint64_t begin = micro_begin();
    for (uint32_t turn = 0; turn < turns; turn++) {
#pragma unroll
        for (int k = 0; k < UNROLL; k++)
            asm volatile("atom.shared.add.u32 %0, [%1], %0;" : "+r"(v) : "r"(at) : "memory");
    }
    micro_end(cycles, begin);
    values[kz_thread()] = v;
}

// ---- barriers and shuffles -----------------------------------------------------------------------------------

MICRO(barrier) {
    uint32_t count = 0;
    uint64_t begin = micro_begin();
    for (uint32_t turn = 0; turn < turns; turn++) {
#pragma unroll
        for (int k = 0; k < UNROLL; k++) asm volatile("bar.sync 0;" ::: "memory");
        count++;
    }
    micro_end(cycles, begin);
    values[kz_thread()] = count;
}

// Each lane takes its neighbour's value, in four chains.
MICRO(shuffle) {
    uint32_t from = (kz_lane() + 1) % KZ_WARP, v[4];
#pragma unroll
    for (int c = 0; c < 4; c++) v[c] = kz_lane() + 32u * c;
    uint64_t begin = micro_begin();
    for (uint32_t turn = 0; turn < turns; turn++) {
#pragma unroll
        for (int k = 0; k < 2 * UNROLL; k++)
            asm volatile("shfl.sync.idx.b32 %0, %0, %1, 31, -1;" : "+r"(v[k % 4]) : "r"(from));
    }
    micro_end(cycles, begin);
    values[kz_thread()] = v[0] + v[1] * 3u + v[2] * 5u + v[3] * 7u;
}

MICRO(shuffle_latency) {
    uint32_t from = (kz_lane() + 1) % KZ_WARP, v = kz_lane();
    uint64_t begin = micro_begin();
    for (uint32_t turn = 0; turn < turns; turn++) {
#pragma unroll
        for (int k = 0; k < UNROLL; k++)
            asm volatile("shfl.sync.idx.b32 %0, %0, %1, 31, -1;" : "+r"(v) : "r"(from));
    }
    micro_end(cycles, begin);
    values[kz_thread()] = v;
}

// The lanes whose bit of the last vote was set vote again; the complement keeps them changing.
MICRO(vote_latency) {
    uint32_t v = 0x5a5a00ffu;
    uint64_t begin = micro_begin();
    for (uint32_t turn = 0; turn < turns; turn++) {
#pragma unroll
        for (int k = 0; k < UNROLL; k++) v = __ballot_sync(KZ_ALL_LANES, (~v >> kz_lane()) & 1u);
    }
    micro_end(cycles, begin);
    values[kz_thread()] = v;
}
