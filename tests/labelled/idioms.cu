// Idioms of public code, old and new, that are right though they look otherwise.
#include "cases.cuh"
#define ALL 0xffffffffu

// right: blocks take their number from a counter, then chain their sums in that order
__device__ unsigned next_block;
__global__ void chained_scan(volatile unsigned long long *state, int *out) {
    __shared__ int block, before;
    int t = threadIdx.x;
    if (t == 0) {
        block = atomicAdd(&next_block, 1);
        unsigned long long seen = 1ull << 32;
        if (block)
            while (((seen = state[block - 1]) >> 32) == 0) {}
        before = (int)seen;
        state[block] = (1ull << 32) | (before + 32);
    }
    __syncthreads();
    out[block * 32 + t] = before + t;
}
CASE(chained_scan) {
    int *out = zeros(256);
    chained_scan<<<8, 32>>>((unsigned long long *)zeros(16), out);
    EXPECT(at(out, 255) == 255);
}

// right: persistent blocks fetch work from a counter, one thread for all
__global__ void persistent(const int *in, int *next, int tiles, int *out) {
    __shared__ int tile;
    for (;;) {
        if (threadIdx.x == 0) tile = atomicAdd(next, 1);
        __syncthreads();
        int mine = tile;
        __syncthreads();
        if (mine >= tiles) return;
        out[mine * 64 + threadIdx.x] = in[mine * 64 + threadIdx.x] + 1;
    }
}
CASE(persistent) {
    int *out = zeros(640);
    persistent<<<3, 64>>>(counting(640), zeros(1), 10, out);
    EXPECT(at(out, 639) == 640);
}

// right: hash table, keys placed by compare-and-swap, values by the winner
__global__ void hash_insert(const int *keys, int *table, int *values) {
    int key = keys[blockIdx.x * 32 + threadIdx.x] / 2 + 1;
    for (unsigned slot = key * 2654435761u >> 25;; slot = (slot + 1) % 128) {
        int seen = atomicCAS(&table[slot], 0, key);
        if (seen == 0) values[slot] = key * 3;
        if (seen == 0 || seen == key) break;
    }
}
__global__ void hash_sum(const int *table, const int *values, int *out) {
    if (table[threadIdx.x]) atomicAdd(out, values[threadIdx.x]);
}
CASE(hash_table) {
    int *table = zeros(128), *values = room(128), *out = zeros(1);
    hash_insert<<<4, 32>>>(counting(128), table, values);
    hash_sum<<<1, 128>>>(table, values, out);
    EXPECT(at(out, 0) == 3 * 2080);
}

// right: a bump allocator hands out parts that do not overlap
__global__ void bump(int *pool, int *used, int *out) {
    int t = blockIdx.x * 32 + threadIdx.x, want = t % 4 + 1, first = atomicAdd(used, want), sum = 0;
    for (int i = 0; i < want; i++) pool[first + i] = t;
    for (int i = 0; i < want; i++) sum += pool[first + i];
    out[t] = sum;
}
CASE(bump) {
    int *out = zeros(64);
    bump<<<2, 32>>>(room(256), zeros(1), out);
    EXPECT(at(out, 63) == 252);
}

// right: breadth-first search, neighbours marked with the same level by several threads
__global__ void next_level(int *level, int n, int now, int *changed) {
    int v = blockIdx.x * 32 + threadIdx.x;
    if (v >= n || ((volatile int *)level)[v] != now) return;
    for (int step = 1; step <= 2; step++)
        if (atomicCAS(&level[(v + step) % n], -1, now + 1) == -1) *changed = 1;
}
CASE(levels) {
    int *level = room(64), *changed = zeros(1);
    cudaMemset(level, 255, 256);
    cudaMemset(level, 0, 4);
    for (int now = 0; now < 3; now++) next_level<<<2, 32>>>(level, 64, now, changed);
    EXPECT(at(level, 5) == 3 && at(changed, 0) == 1);
}

// right: atomicAdd for doubles by compare-and-swap, the first look is a volatile load
__global__ void double_add(unsigned long long *sum) {
    unsigned long long old = *(volatile unsigned long long *)sum, seen;
    do {
        seen = old;
        old =
            atomicCAS(sum, seen, (unsigned long long)__double_as_longlong(__longlong_as_double(seen) + 1.0));
    } while (old != seen);
}
CASE(double_add) {
    int *sum = zeros(2);
    double_add<<<2, 32>>>((unsigned long long *)sum);
    EXPECT(at(sum, 1) == 0x40500000);
}

// right: compaction by ballots, one atomic a warp
__global__ void compact(const int *in, int *count, int *out) {
    int i = blockIdx.x * 64 + threadIdx.x, lane = threadIdx.x % 32, first;
    bool keep = in[i] % 4 == 1;
    unsigned kept = __ballot_sync(ALL, keep);
    if (lane == 0) first = atomicAdd(count, __popc(kept));
    first = __shfl_sync(ALL, first, 0);
    if (keep) out[first + __popc(kept & ((1u << lane) - 1))] = in[i];
}
CASE(compact) {
    int *count = zeros(1);
    compact<<<4, 64>>>(counting(256), count, room(256));
    EXPECT(at(count, 0) == 64);
}

// right: a digit's ranks by matching lanes, counters of the warp in shared memory
__global__ void digit_ranks(const int *in, int *out) {
    __shared__ int many[4];
    int lane = threadIdx.x, digit = in[lane] / 3 % 4;
    if (lane < 4) many[lane] = 0;
    __syncwarp();
    unsigned same = __match_any_sync(ALL, digit);
    int before = __popc(same & ((1u << lane) - 1)), first = many[digit];
    __syncwarp();
    if (before == 0) many[digit] = first + __popc(same);
    __syncwarp();
    out[lane] = first + before + many[digit] * 100;
}
CASE(digit_ranks) {
    int *out = zeros(32);
    digit_ranks<<<1, 32>>>(counting(32), out);
    EXPECT(at(out, 0) == 900);
}

// right: two buffers by turns over launches of one stream
__global__ void life(const int *now, int *next) {
    int t = threadIdx.x;
    next[t] = now[(t + 63) % 64] ^ now[(t + 1) % 64];
}
CASE(launches_by_turns) {
    int *a = counting(64), *b = room(64);
    for (int round = 0; round < 4; round++) life<<<1, 64>>>(round % 2 ? b : a, round % 2 ? a : b);
    EXPECT(at(a, 5) == (1 ^ 9));
}

// right: a table in constant memory, set by the host between two launches
__constant__ int weights[4];
__global__ void weighted(int *out) { out[threadIdx.x] += weights[threadIdx.x % 4]; }
CASE(constant_table) {
    int *out = zeros(32), host[2][4] = {{1, 2, 3, 4}, {10, 20, 30, 40}};
    for (int i = 0; i < 2; i++) {
        cudaMemcpyToSymbol(weights, host[i], sizeof weights);
        weighted<<<1, 32>>>(out);
    }
    EXPECT(at(out, 3) == 44);
}

// right: mapped host memory, written by the kernel, read after synchronising
__global__ void mapped(int *there) { there[threadIdx.x] = threadIdx.x; }
CASE(mapped_memory) {
    int *host, *there;
    cudaHostAlloc(&host, 128, cudaHostAllocMapped);
    cudaHostGetDevicePointer(&there, host, 0);
    mapped<<<1, 32>>>(there);
    cudaDeviceSynchronize();
    EXPECT(host[31] == 31);
}

// right: rows with a pitch, the padding between them is never set
__global__ void pitched(char *rows, size_t pitch) {
    ((int *)(rows + blockIdx.x * pitch))[threadIdx.x] = blockIdx.x;
}
CASE(pitched_rows) {
    char *rows;
    size_t pitch;
    int host[4][20];
    cudaMallocPitch((void **)&rows, &pitch, 80, 4);
    pitched<<<4, 20>>>(rows, pitch);
    cudaMemcpy2D(host, 80, rows, pitch, 80, 4, cudaMemcpyDeviceToHost);
    EXPECT(host[3][19] == 3);
}

// right: blocks of a cluster exchange by distributed shared memory
__global__ void __cluster_dims__(2, 1, 1) cluster_exchange(int *out) {
    __shared__ int s[32];
    unsigned t = threadIdx.x, rank, address, value;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    s[t] = rank * 100 + t;
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(address)
                 : "r"((unsigned)__cvta_generic_to_shared(&s[31 - t])), "r"(rank ^ 1));
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    out[blockIdx.x * 32 + t] = value;
}
CASE(cluster_exchange) {
    int *out = zeros(64);
    cluster_exchange<<<2, 32>>>(out);
    EXPECT(at(out, 0) == 131);
}

// warned: race-publication|race: fence by all, barrier, then one thread sets the block's flag
__global__ void fence_barrier_flag(int *data, volatile int *flag, int *out) {
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        data[t] = t; // here
        __threadfence();
        __syncthreads();
        if (t == 0) *flag = 1;
    } else {
        if (t == 0)
            while (*flag == 0) {}
        __syncthreads();
        __threadfence();
        out[t] = data[63 - t]; // here
    }
}
CASE(fence_barrier_flag) {
    int *out = zeros(64);
    fence_barrier_flag<<<2, 64>>>(room(64), zeros(1), out);
    EXPECT(at(out, 0) == 63);
}

int main(int argc, char **argv) { return run_case(argc, argv); }
