// Barriers, votes and shuffles: who arrives, and who is named.
#include "cases.cuh"
#define ALL 0xffffffffu

// wrong: barrier-divergent|barrier-mismatch: a barrier that half of the threads reach
__global__ void half_arrive(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    if (t < 32)
        __syncthreads(); // here
    else
        out[0] = 1;
    __syncthreads(); // here
    out[t] = s[63 - t];
    __syncthreads(); // here
}
CASE(half_arrive) { half_arrive<<<1, 64>>>(zeros(64)); }

// wrong: barrier-divergent|barrier-mismatch: lanes of one warp at two barriers on one line
__global__ void one_line(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    // clang-format off
    if (t & 1) __syncthreads(); else __syncthreads(); // here
    // clang-format on
    out[t] = s[63 - t];
}
CASE(one_line) { one_line<<<1, 64>>>(zeros(64)); }

// wrong: barrier-divergent|barrier-mismatch: a barrier in a loop whose length differs by thread
__global__ void uneven_rounds(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = 0;
    for (int i = 0; i < 1 + t % 2; i++) {
        s[t] += i;
        __syncthreads(); // here
    }
    __syncthreads(); // here
    out[t] = s[63 - t];
}
CASE(uneven_rounds) { uneven_rounds<<<1, 64>>>(zeros(64)); }

// right: threads without work leave before the first barrier
__global__ void leave_early(int *out, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t >= n) return;
    s[t] = t;
    __syncthreads();
    out[t] = s[n - 1 - t];
}
CASE(leave_early) {
    int *out = zeros(64);
    leave_early<<<1, 64>>>(out, 40);
    EXPECT(at(out, 0) == 39);
}

// right: a barrier in a branch that all threads of the block take alike
__global__ void uniform_branch(int *out, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    if (blockIdx.x * 64 < n) {
        __syncthreads();
        out[blockIdx.x * 64 + t] = s[63 - t];
    }
}
CASE(uniform_branch) {
    int *out = zeros(192);
    uniform_branch<<<3, 64>>>(out, 128);
    EXPECT(at(out, 64) == 63);
}

// right: a loop over tiles with as many rounds for every thread, guarded loads inside
__global__ void guarded_rounds(const int *in, int *out, int n) {
    __shared__ int s[64];
    int t = threadIdx.x, sum = 0;
    for (int first = 0; first < n; first += 64) {
        s[t] = first + t < n ? in[first + t] : 0;
        __syncthreads();
        for (int i = 0; i < 64; i++) sum += s[(t + i) % 64];
        __syncthreads();
    }
    out[t] = sum;
}
CASE(guarded_rounds) {
    int *out = zeros(64);
    guarded_rounds<<<1, 64>>>(counting(100), out, 100);
    EXPECT(at(out, 9) == 4950);
}

// right: named barriers, producers arrive and consumers wait
__global__ void named_barriers(int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < 32) {
        s[t] = t + 1;
        asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[t - 32] = s[63 - t];
    }
}
CASE(named_barriers) {
    int *out = zeros(32);
    named_barriers<<<1, 64>>>(out);
    EXPECT(at(out, 0) == 32);
}

// wrong: race: the consumers wait at another barrier than the producers arrive at
__global__ void other_name(int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < 32) {
        s[t] = t + 1; // here
        asm volatile("bar.sync 1, 32;" ::: "memory");
    } else {
        asm volatile("bar.sync 2, 32;" ::: "memory");
        out[t - 32] = s[63 - t]; // here
    }
}
CASE(other_name) { other_name<<<1, 64>>>(zeros(32)); }

// wrong: deadlock|barrier-divergent: a named barrier that counts more threads than come
__global__ void too_many_named(int *out) {
    int t = threadIdx.x;
    if (t < 64) asm volatile("bar.sync 3, 96;" ::: "memory"); // here
    out[t] = t;
}
CASE(too_many_named) { too_many_named<<<1, 96>>>(zeros(96)); }

// right: two halves of the block, each with a named barrier of its own
__global__ void half_blocks(int *out) {
    __shared__ int s[128];
    int t = threadIdx.x, half = t / 64;
    for (int round = 0; round < 2; round++) {
        s[t] = t + round;
        asm volatile("bar.sync %0, 64;" ::"r"(half + 1) : "memory");
        out[t] = s[t ^ 63];
        asm volatile("bar.sync %0, 64;" ::"r"(half + 1) : "memory");
    }
}
CASE(half_blocks) {
    int *out = zeros(128);
    half_blocks<<<1, 128>>>(out);
    EXPECT(at(out, 64) == 128);
}

// right: ping-pong of two warps over two named barriers, two slots
__global__ void ping_pong(int *out) {
    __shared__ int slot[32];
    int t = threadIdx.x, lane = t % 32;
    for (int round = 0; round < 4; round++) {
        if (t < 32) {
            if (round) asm volatile("bar.sync 2, 64;" ::: "memory");
            slot[lane] = round * 32 + lane;
            asm volatile("bar.arrive 1, 64;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            out[round * 32 + lane] = slot[31 - lane];
            if (round < 3) asm volatile("bar.arrive 2, 64;" ::: "memory");
        }
    }
}
CASE(ping_pong) {
    int *out = zeros(128);
    ping_pong<<<1, 64>>>(out);
    EXPECT(at(out, 96) == 127);
}

// wrong: race: a slot that is filled anew before the barrier that gives it back
__global__ void ping_no_pong(int *out) {
    __shared__ int slot[32];
    int t = threadIdx.x, lane = t % 32;
    for (int round = 0; round < 4; round++) {
        if (t < 32) slot[lane] = round * 32 + lane; // here
        asm volatile("bar.sync 1, 64;" ::: "memory");
        if (t >= 32) out[round * 32 + lane] = slot[31 - lane]; // here
    }
}
CASE(ping_no_pong) { ping_no_pong<<<1, 64>>>(zeros(128)); }

// right: __syncthreads_count orders memory like a barrier
__global__ void count_orders(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    int many = __syncthreads_count(in[t] % 2);
    out[t] = s[63 - t] + many;
}
CASE(count_orders) {
    int *out = zeros(64);
    count_orders<<<1, 64>>>(counting(64), out);
    EXPECT(at(out, 0) == 95);
}

// wrong: shuffle-outside|mask-absent: a vote names lanes that took the other branch
__global__ void vote_absent(int *out) {
    int t = threadIdx.x;
    if (t < 16)
        out[t] = __ballot_sync(ALL, 1); // here
    else
        out[t] = 0;
}
CASE(vote_absent) { vote_absent<<<1, 32>>>(zeros(32)); }

// wrong: shuffle-outside|mask-absent: the mask of a whole warp in a block of twenty threads
__global__ void small_block(int *out) {
    int t = threadIdx.x;
    int v = __shfl_down_sync(ALL, t, 1); // here
    out[t] = v;
}
CASE(small_block) { small_block<<<1, 20>>>(zeros(20)); }

// right: __syncwarp of all lanes, some of which have exited
__global__ void syncwarp_left(int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t >= 24) return;
    s[t] = t;
    __syncwarp();
    out[t] = s[23 - t];
}
CASE(syncwarp_left) {
    int *out = zeros(32);
    syncwarp_left<<<1, 32>>>(out);
    EXPECT(at(out, 0) == 23);
}

// wrong: shuffle-outside|mask-absent|fault: a lane calls with a mask that leaves itself out
__global__ void self_left_out(int *out) {
    int t = threadIdx.x;
    out[t] = __shfl_sync(0x0000ffffu, t, 3); // here
}
CASE(self_left_out) { self_left_out<<<1, 32>>>(zeros(32)); }

// wrong: shuffle-outside|mask-absent|barrier-mismatch: the two sides of a branch shuffle for each other
__global__ void shuffle_both_sides(int *out) {
    int t = threadIdx.x, v;
    if (t % 2) {
        v = __shfl_xor_sync(0xaaaaaaaau, t, 1); // here
    } else {
        v = __shfl_xor_sync(0x55555555u, t, 1); // here
    }
    out[t] = v;
}
CASE(shuffle_both_sides) { shuffle_both_sides<<<1, 32>>>(zeros(32)); }

// right: the tail of an array, the mask from a vote while all lanes are there
__global__ void tail_mask(const int *in, int *out, int n) {
    int t = threadIdx.x;
    unsigned mask = __ballot_sync(ALL, t < n);
    if (t < n) {
        int v = in[t];
        for (int step = 16; step; step /= 2) {
            int other = __shfl_down_sync(mask, v, step);
            if (t + step < n) v += other;
        }
        if (t == 0) *out = v;
    }
}
CASE(tail_mask) {
    int *out = zeros(1);
    tail_mask<<<1, 32>>>(counting(20), out, 20);
    EXPECT(at(out, 0) == 190);
}

// wrong: shuffle-outside|undefined-output|undefined-branch: a sum over lanes that are not in the mask
__global__ void tail_outside(const int *in, int *out, int n) {
    int t = threadIdx.x;
    if (t < n) {
        int v = in[t];
        for (int step = 16; step; step /= 2) v += __shfl_down_sync((1u << 20) - 1, v, step); // here
        if (t == 0) *out = v;                                                                // here
    }
}
CASE(tail_outside) {
    int *out = zeros(1);
    tail_outside<<<1, 32>>>(counting(20), out, 20);
    at(out, 0);
}

// right: warp-aggregated atomic with __activemask and a leader
__global__ void aggregated(const int *in, int *count, int *slots) {
    int t = threadIdx.x;
    if (in[t] % 3 == 0) {
        unsigned mask = __match_any_sync(__activemask(), 1);
        int leader = __ffs(mask) - 1, first = 0;
        if (t % 32 == leader) first = atomicAdd(count, __popc(mask));
        first = __shfl_sync(mask, first, leader);
        slots[first + __popc(mask & ((1u << t % 32) - 1))] = in[t];
    }
}
CASE(aggregated) {
    int *count = zeros(1);
    aggregated<<<1, 64>>>(counting(64), count, room(64));
    EXPECT(at(count, 0) == 22);
}

// right: lanes leave a loop one after another, the mask shrinks with them
__global__ void shrinking_mask(int *out) {
    int t = threadIdx.x, sum = 0;
    unsigned mask = ALL;
    for (int i = 0; i < 32; i++) {
        mask = __ballot_sync(mask, t >= i);
        if (t < i) break;
        sum += __shfl_sync(mask, t, 31);
    }
    out[t] = sum;
}
CASE(shrinking_mask) {
    int *out = zeros(32);
    shrinking_mask<<<1, 32>>>(out);
    EXPECT(at(out, 31) == 31 * 32);
}

// right: every group of equal keys reduces within its own mask
__global__ void key_groups(int *out) {
    int t = threadIdx.x;
    unsigned peers = __match_any_sync(ALL, t % 3);
    out[t] = __reduce_add_sync(peers, t);
}
CASE(key_groups) {
    int *out = zeros(32);
    key_groups<<<1, 32>>>(out);
    EXPECT(at(out, 0) == 165);
}

// right: two warps at two calls of one function that has a barrier
__device__ __noinline__ void barrier_inside(int *s, int i, int v) {
    s[i] = v;
    __syncthreads();
}
__global__ void calls_barrier(int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    barrier_inside(s, t, t);
    out[t] = s[63 - t];
    __syncthreads();
    barrier_inside(s, t, out[t]);
    out[t] += s[63 - t];
}
CASE(calls_barrier) {
    int *out = zeros(64);
    calls_barrier<<<1, 64>>>(out);
    EXPECT(at(out, 1) == 63);
}

// wrong: deadlock: the holder of the lock waits at a barrier for threads that wait for the lock
__global__ void lock_and_barrier(int *lock, int *out) {
    int t = threadIdx.x;
    if (t % 32 == 0) {
        while (atomicCAS(lock, 0, 1)) {} // here
    }
    __syncthreads(); // here
    out[t] = t;
}
CASE(lock_and_barrier) { lock_and_barrier<<<1, 64>>>(zeros(1), zeros(64)); }

// wrong: endless-loop|deadlock: a flag that nobody sets is polled
__global__ void poll_forever(int *flag, int *out) {
    if (threadIdx.x == 0) {
        while (*(volatile int *)flag == 0) {} // here
        *out = 1;
    }
}
CASE(poll_forever) { poll_forever<<<1, 32>>>(zeros(1), zeros(1)); }

int main(int argc, char **argv) { return run_case(argc, argv); }
