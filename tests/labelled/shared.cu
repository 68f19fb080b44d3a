// Order within a block: shared memory, barriers, warps.
#include "cases.cuh"
#define ALL 0xffffffffu

// right: tree reduction whose last warp folds by shuffles
__global__ void tree_shuffle(const int *in, int *out) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    if (t < 64) s[t] += s[t + 64];
    __syncthreads();
    if (t < 32) {
        int v = s[t] + s[t + 32];
        for (int step = 16; step; step /= 2) v += __shfl_down_sync(ALL, v, step);
        if (t == 0) *out = v;
    }
}
CASE(tree_shuffle) {
    int *out = zeros(1);
    tree_shuffle<<<1, 128>>>(counting(128), out);
    EXPECT(at(out, 0) == 8128);
}

// wrong: race: warp-synchronous volatile tail without __syncwarp
__global__ void volatile_tail(const int *in, int *out) {
    __shared__ volatile int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    s[t + 32] = in[t + 32];
    s[t] += s[t + 32];
    s[t] += s[t + 16]; // here
    s[t] += s[t + 8];  // here
    s[t] += s[t + 4];  // here
    s[t] += s[t + 2];  // here
    s[t] += s[t + 1];  // here
    if (t == 0) *out = s[0];
}
CASE(volatile_tail) { volatile_tail<<<1, 32>>>(counting(64), zeros(1)); }

// wrong: race: the old template, a tree with barriers and a volatile last warp
__global__ void volatile_last_warp(const int *in, int *out) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    if (t < 64) s[t] += s[t + 64];
    __syncthreads();
    if (t < 32) {
        volatile int *v = s;
        v[t] += v[t + 32]; // here
        for (int step = 16; step; step /= 2)
            if (t < step) v[t] += v[t + step]; // here
    }
    if (t == 0) *out = s[0];
}
CASE(volatile_last_warp) { volatile_last_warp<<<1, 128>>>(counting(128), zeros(1)); }

// right: warp tail with loads and stores kept apart by __syncwarp
__global__ void warp_tail(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x, v;
    s[t] = in[t];
    s[t + 32] = in[t + 32];
    __syncwarp();
    for (int step = 32; step; step /= 2) {
        v = s[t] + (t + step < 64 ? s[t + step] : 0);
        __syncwarp();
        s[t] = v;
        __syncwarp();
    }
    if (t == 0) *out = s[0];
}
CASE(warp_tail) {
    int *out = zeros(1);
    warp_tail<<<1, 32>>>(counting(64), out);
    EXPECT(at(out, 0) == 2016);
}

// wrong: race: one __syncwarp per round, between the load and the store of the next lane
__global__ void warp_tail_half(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    s[t + 32] = 0;
    __syncwarp();
    for (int step = 16; step; step /= 2) {
        s[t] += s[t + step]; // here
        __syncwarp();
    }
    if (t == 0) *out = s[0];
}
CASE(warp_tail_half) { warp_tail_half<<<1, 32>>>(counting(32), zeros(1)); }

// wrong: race: a vote between store and load orders no memory
__global__ void vote_between(int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t; // here
    unsigned odd = __ballot_sync(ALL, t & 1);
    out[t] = s[31 - t] + (odd == 0); // here
}
CASE(vote_between) { vote_between<<<1, 32>>>(zeros(32)); }

// wrong: race: a shuffle between store and load orders no memory
__global__ void shuffle_between(int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t; // here
    int v = __shfl_xor_sync(ALL, t, 1);
    out[t] = s[31 - t] + v; // here
}
CASE(shuffle_between) { shuffle_between<<<1, 32>>>(zeros(32)); }

// wrong: race: __match_any_sync between store and load
__global__ void match_between(int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t; // here
    unsigned same = __match_any_sync(ALL, t / 4);
    out[t] = s[t ^ 1] + __popc(same); // here
}
CASE(match_between) { match_between<<<1, 32>>>(zeros(32)); }

// wrong: race: __activemask() is no barrier
__global__ void activemask_between(int *out) {
    __shared__ volatile int s[32];
    int t = threadIdx.x;
    s[t] = t; // here
    unsigned here_now = __activemask();
    out[t] = s[t ^ 16] + (here_now == 0); // here
}
CASE(activemask_between) { activemask_between<<<1, 32>>>(zeros(32)); }

// right: __syncwarp of two halves, each within itself
__global__ void half_warps(int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    unsigned half = t < 16 ? 0x0000ffffu : 0xffff0000u;
    s[t] = t;
    __syncwarp(half);
    out[t] = s[t ^ 15];
}
CASE(half_warps) {
    int *out = zeros(32);
    half_warps<<<1, 32>>>(out);
    EXPECT(at(out, 17) == 30);
}

// wrong: race: __syncwarp of the own half, but the other half's word is read
__global__ void other_half(int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    unsigned half = t < 16 ? 0x0000ffffu : 0xffff0000u;
    s[t] = t; // here
    __syncwarp(half);
    out[t] = s[t ^ 16]; // here
}
CASE(other_half) { other_half<<<1, 32>>>(zeros(32)); }

// right: __syncwarp within a branch, named by the lanes of the branch
__global__ void branch_mask(int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    unsigned mask = __ballot_sync(ALL, t < 20);
    if (t < 20) {
        s[t] = t * 2;
        __syncwarp(mask);
        out[t] = s[19 - t];
    }
}
CASE(branch_mask) {
    int *out = zeros(32);
    branch_mask<<<1, 32>>>(out);
    EXPECT(at(out, 0) == 38);
}

// wrong: race: Hillis-Steele in place with one barrier a round
__global__ void scan_one_barrier(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    for (int step = 1; step < 64; step *= 2) {
        __syncthreads();
        if (t >= step) s[t] += s[t - step]; // here
    }
    out[t] = s[t];
}
CASE(scan_one_barrier) { scan_one_barrier<<<1, 64>>>(counting(64), zeros(64)); }

// right: Hillis-Steele in place with two barriers a round
__global__ void scan_two_barriers(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int step = 1; step < 64; step *= 2) {
        int left = t >= step ? s[t - step] : 0;
        __syncthreads();
        s[t] += left;
        __syncthreads();
    }
    out[t] = s[t];
}
CASE(scan_two_barriers) {
    int *out = zeros(64);
    scan_two_barriers<<<1, 64>>>(counting(64), out);
    EXPECT(at(out, 63) == 2016);
}

// right: Hillis-Steele with two buffers and one barrier a round
__global__ void scan_two_buffers(const int *in, int *out) {
    __shared__ int s[2][64];
    int t = threadIdx.x, now = 0;
    s[0][t] = in[t];
    for (int step = 1; step < 64; step *= 2, now ^= 1) {
        __syncthreads();
        s[now ^ 1][t] = s[now][t] + (t >= step ? s[now][t - step] : 0);
    }
    out[t] = s[now][t];
}
CASE(scan_two_buffers) {
    int *out = zeros(64);
    scan_two_buffers<<<1, 64>>>(counting(64), out);
    EXPECT(at(out, 63) == 2016);
}

// right: transposed tile with swizzled columns instead of padding
__global__ void swizzled_tile(const int *in, int *out) {
    __shared__ int tile[32 * 32];
    int x = threadIdx.x, y = threadIdx.y;
    for (int r = y; r < 32; r += 8) tile[r * 32 + (x ^ r)] = in[r * 32 + x];
    __syncthreads();
    for (int r = y; r < 32; r += 8) out[r * 32 + x] = tile[x * 32 + (r ^ x)];
}
CASE(swizzled_tile) {
    int *out = zeros(1024);
    swizzled_tile<<<1, dim3(32, 8)>>>(counting(1024), out);
    EXPECT(at(out, 33) == 33 && at(out, 1) == 32);
}

// wrong: race: the tile is filled anew while a slow warp still reads the old one
__global__ void tile_reused(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x, sum = 0;
    for (int round = 0; round < 4; round++) {
        s[t] = in[round * 64 + t]; // here
        __syncthreads();
        sum += s[63 - t]; // here
    }
    out[t] = sum;
}
CASE(tile_reused) { tile_reused<<<1, 64>>>(counting(256), zeros(64)); }

// right: two tiles by turns need one barrier a round
__global__ void tile_by_turns(const int *in, int *out) {
    __shared__ int s[2][64];
    int t = threadIdx.x, sum = 0;
    for (int round = 0; round < 4; round++) {
        s[round % 2][t] = in[round * 64 + t];
        __syncthreads();
        sum += s[round % 2][63 - t];
    }
    out[t] = sum;
}
CASE(tile_by_turns) {
    int *out = zeros(64);
    tile_by_turns<<<1, 64>>>(counting(256), out);
    EXPECT(at(out, 0) == 63 * 4 + 64 * 6);
}

// wrong: race: the second reduction overwrites the first one's result before all have read it
__global__ void two_reductions(const int *in, int *out) {
    __shared__ int total;
    int t = threadIdx.x;
    if (t == 0) total = in[0]; // here
    __syncthreads();
    int first = total;         // here
    if (t == 0) total = in[1]; // here
    __syncthreads();
    out[t] = first + total;
}
CASE(two_reductions) { two_reductions<<<1, 64>>>(counting(2), zeros(64)); }

// right: histogram privatised in shared memory
__global__ void histogram(const int *in, int *bins) {
    __shared__ int own[16];
    int t = threadIdx.x;
    if (t < 16) own[t] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 64 + t; i < 512; i += gridDim.x * 64) atomicAdd(&own[in[i] % 16], 1);
    __syncthreads();
    if (t < 16) atomicAdd(&bins[t], own[t]);
}
CASE(histogram) {
    int *bins = zeros(16);
    histogram<<<3, 64>>>(counting(512), bins);
    EXPECT(at(bins, 5) == 32);
}

// wrong: race: the bins are cleared without a barrier after it
__global__ void histogram_early(const int *in, int *bins) {
    __shared__ int own[16];
    int t = threadIdx.x;
    if (t < 16) own[t] = 0;         // here
    atomicAdd(&own[in[t] % 16], 1); // here
    __syncthreads();
    if (t < 16) atomicAdd(&bins[t], own[t]);
}
CASE(histogram_early) { histogram_early<<<1, 64>>>(counting(64), zeros(16)); }

// right: a histogram with one byte counter per thread and bin, neighbours in one word
__global__ void byte_counters(const int *in, int *bins) {
    __shared__ unsigned char own[4][64];
    int t = threadIdx.x;
    for (int b = 0; b < 4; b++) own[b][t] = 0;
    for (int i = t; i < 256; i += 64) own[in[i] / 7 % 4][t]++;
    __syncthreads();
    if (t < 4) {
        int sum = 0;
        for (int i = 0; i < 64; i++) sum += own[t][(i + t) % 64];
        bins[t] = sum;
    }
}
CASE(byte_counters) {
    int *bins = zeros(4);
    byte_counters<<<1, 64>>>(counting(256), bins);
    EXPECT(at(bins, 0) == 67);
}

// wrong: race: the leader of a warp publishes its sum, another warp reads it without a barrier
__global__ void warp_sums(const int *in, int *out) {
    __shared__ int sums[4];
    int t = threadIdx.x, v = in[t];
    for (int step = 16; step; step /= 2) v += __shfl_xor_sync(ALL, v, step);
    if (t % 32 == 0) sums[t / 32] = v;                        // here
    if (t == 0) *out = sums[0] + sums[1] + sums[2] + sums[3]; // here
}
CASE(warp_sums) { warp_sums<<<1, 128>>>(counting(128), zeros(1)); }

// right: block scan by warps, sums of the warps scanned by the first
__global__ void block_scan(const int *in, int *out) {
    __shared__ int sums[4];
    int t = threadIdx.x, lane = t % 32, v = in[t];
    for (int step = 1; step < 32; step *= 2) {
        int left = __shfl_up_sync(ALL, v, step);
        if (lane >= step) v += left;
    }
    if (lane == 31) sums[t / 32] = v;
    __syncthreads();
    if (t < 4) {
        int sum = sums[t];
        for (int step = 1; step < 4; step *= 2) {
            int left = __shfl_up_sync(0xf, sum, step, 4);
            if (t >= step) sum += left;
        }
        sums[t] = sum;
    }
    __syncthreads();
    out[t] = v + (t >= 32 ? sums[t / 32 - 1] : 0);
}
CASE(block_scan) {
    int *out = zeros(128);
    block_scan<<<1, 128>>>(counting(128), out);
    EXPECT(at(out, 127) == 8128);
}

// right: each warp works on its own part of shared memory, with __syncwarp alone
__global__ void warp_private(const int *in, int *out) {
    extern __shared__ int parts[];
    int t = threadIdx.x, lane = t % 32, *own = parts + t / 32 * 32;
    for (int round = 0; round < 3; round++) {
        own[lane] = in[(t + round) % 128];
        __syncwarp();
        out[round * 128 + t] = own[31 - lane];
        __syncwarp();
    }
}
CASE(warp_private) {
    int *out = zeros(384);
    warp_private<<<1, 128, 512>>>(counting(128), out);
    EXPECT(at(out, 0) == 31);
}

// wrong: race: two parts of dynamic shared memory overlap by a wrong offset
__global__ void overlapping_parts(int *out) {
    extern __shared__ int parts[];
    int t = threadIdx.x, *a = parts, *b = parts + 32;
    a[t] = t;     // here
    b[t] = t * 2; // here
    __syncthreads();
    out[t] = a[t] + b[63 - t];
}
CASE(overlapping_parts) { overlapping_parts<<<1, 64, 512>>>(zeros(64)); }

// right: all threads of the block write the same value to one word
__global__ void same_word(int *out) {
    __shared__ int size;
    size = blockDim.x;
    __syncthreads();
    out[threadIdx.x] = size;
}
CASE(same_word) {
    int *out = zeros(64);
    same_word<<<1, 64>>>(out);
    EXPECT(at(out, 5) == 64);
}

// wrong: race: a stencil in place over global memory, one block
__global__ void stencil_in_place(int *a) {
    int t = threadIdx.x;
    if (t > 0 && t < 127) a[t] = a[t - 1] + a[t + 1]; // here
}
CASE(stencil_in_place) { stencil_in_place<<<1, 128>>>(counting(128)); }

// right: producer and consumer warps with volatile flags and block fences in shared memory
__global__ void warp_flag(int *out) {
    __shared__ int data;
    __shared__ volatile int ready;
    int t = threadIdx.x;
    if (t == 0) ready = 0;
    __syncthreads();
    if (t == 0) {
        data = 7;
        __threadfence_block();
        ready = 1;
    } else if (t == 32) {
        while (!ready) {}
        __threadfence_block();
        *out = data;
    }
}
CASE(warp_flag) {
    int *out = zeros(1);
    warp_flag<<<1, 64>>>(out);
    EXPECT(at(out, 0) == 7);
}

// wrong: race|race-publication: the same on volatile words without fences
__global__ void warp_flag_no_fence(int *out) {
    __shared__ volatile int data, ready;
    int t = threadIdx.x;
    if (t == 0) ready = 0;
    __syncthreads();
    if (t == 0) {
        data = 7; // here
        ready = 1;
    } else if (t == 32) {
        while (!ready) {}
        *out = data; // here
    }
}
CASE(warp_flag_no_fence) { warp_flag_no_fence<<<1, 64>>>(zeros(1)); }

// right: a bitonic sort whose small steps stay inside a warp
__global__ void bitonic(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t * 37 % 64;
    __syncthreads();
    for (int size = 2; size <= 64; size *= 2)
        for (int step = size / 2; step; step /= 2) {
            int other = t ^ step;
            if (other > t && (s[t] > s[other]) == ((t & size) == 0)) {
                int held = s[t];
                s[t] = s[other];
                s[other] = held;
            }
            if (step >= 32)
                __syncthreads();
            else
                __syncwarp();
            if (step == 1) __syncthreads();
        }
    out[t] = s[t];
}
CASE(bitonic) {
    int *out = zeros(64);
    bitonic<<<1, 64>>>(out);
    EXPECT(at(out, 40) == 40);
}

int main(int argc, char **argv) { return run_case(argc, argv); }
