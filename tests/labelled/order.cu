// Order between blocks: flags, tickets, fences, locks, look-back.
#include "cases.cuh"

// right: the last block sums, fences on both sides of the ticket
__global__ void last_block(volatile int *part, unsigned *ticket, int *out) {
    if (threadIdx.x) return;
    part[blockIdx.x] = blockIdx.x + 1;
    __threadfence();
    if (atomicInc(ticket, gridDim.x - 1) != gridDim.x - 1) return;
    __threadfence();
    int sum = 0;
    for (int i = 0; i < gridDim.x; i++) sum += part[i];
    *out = sum;
}
CASE(last_block) {
    int *out = zeros(1);
    last_block<<<8, 32>>>(room(8), (unsigned *)zeros(1), out);
    EXPECT(at(out, 0) == 36);
}

// wrong: race-publication|race: the last block sums volatile parts without a fence
__global__ void last_block_volatile(volatile int *part, unsigned *ticket, int *out) {
    if (threadIdx.x) return;
    part[blockIdx.x] = blockIdx.x + 1; // here
    if (atomicInc(ticket, gridDim.x - 1) != gridDim.x - 1) return;
    int sum = 0;
    for (int i = 0; i < gridDim.x; i++) sum += part[i]; // here
    *out = sum;
}
CASE(last_block_volatile) { last_block_volatile<<<8, 32>>>(room(8), (unsigned *)zeros(1), zeros(1)); }

// wrong: race-publication|race: the fence comes after the ticket
__global__ void last_block_late_fence(int *part, unsigned *ticket, int *out) {
    if (threadIdx.x) return;
    part[blockIdx.x] = blockIdx.x + 1; // here
    bool last = atomicAdd(ticket, 1) == gridDim.x - 1;
    __threadfence();
    if (!last) return;
    int sum = 0;
    for (int i = 0; i < gridDim.x; i++) sum += part[i]; // here
    *out = sum;
}
CASE(last_block_late_fence) { last_block_late_fence<<<8, 32>>>(room(8), (unsigned *)zeros(1), zeros(1)); }

// wrong: race-publication|race: a block fence before a ticket of the grid
__global__ void last_block_small_fence(int *part, unsigned *ticket, int *out) {
    if (threadIdx.x) return;
    part[blockIdx.x] = blockIdx.x + 1; // here
    __threadfence_block();
    if (atomicAdd(ticket, 1) != gridDim.x - 1) return;
    __threadfence();
    int sum = 0;
    for (int i = 0; i < gridDim.x; i++) sum += part[i]; // here
    *out = sum;
}
CASE(last_block_small_fence) { last_block_small_fence<<<8, 32>>>(room(8), (unsigned *)zeros(1), zeros(1)); }

// warned: race-publication|race: fence by all, barrier, ticket by one thread
__global__ void fence_barrier_ticket(int *part, unsigned *ticket, int *out) {
    __shared__ bool last;
    part[blockIdx.x * 64 + threadIdx.x] = 1; // here
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(ticket, 1) == gridDim.x - 1;
    __syncthreads();
    if (!last) return;
    __threadfence();
    int sum = 0;
    for (int i = threadIdx.x; i < gridDim.x * 64; i += 64) sum += part[i]; // here
    atomicAdd(out, sum);
}
CASE(fence_barrier_ticket) {
    int *out = zeros(1);
    fence_barrier_ticket<<<4, 64>>>(room(256), (unsigned *)zeros(1), out);
    EXPECT(at(out, 0) == 256);
}

// warned: race-publication|race: the sum of the CUDA Programming Guide: no fence after the ticket
__device__ unsigned guide_count;
__global__ void guide_sum(const int *in, volatile int *part, int *out) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < 32; i++) sum += in[blockIdx.x * 32 + i];
        part[blockIdx.x] = sum; // here
        __threadfence();
        last = atomicInc(&guide_count, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last || threadIdx.x) return;
    int sum = 0;
    for (int i = 0; i < gridDim.x; i++) sum += part[i]; // here
    *out = sum;
    guide_count = 0;
}
CASE(guide_sum) {
    int *out = zeros(1);
    guide_sum<<<8, 32>>>(counting(256), room(8), out);
    EXPECT(at(out, 0) == 255 * 128);
}

// warned: race-publication|race: fence by all, barrier, ticket by one thread, no fence by those who read
__global__ void ticket_all(int *part, unsigned *ticket, int *out) {
    __shared__ bool last;
    part[blockIdx.x * 64 + threadIdx.x] = 1; // here
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(ticket, 1) == gridDim.x - 1;
    __syncthreads();
    if (!last) return;
    int sum = 0;
    for (int i = threadIdx.x; i < gridDim.x * 64; i += 64) sum += part[i]; // here
    atomicAdd(out, sum);
}
CASE(ticket_all) {
    int *out = zeros(1);
    ticket_all<<<4, 64>>>(room(256), (unsigned *)zeros(1), out);
    EXPECT(at(out, 0) == 256);
}

// right: as the guide's sum, with a fence after the ticket
__global__ void guide_sum_fenced(volatile int *part, unsigned *ticket, int *out) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        part[blockIdx.x] = blockIdx.x;
        __threadfence();
        last = atomicInc(ticket, gridDim.x) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last && threadIdx.x < gridDim.x) atomicAdd(out, part[threadIdx.x]);
}
CASE(guide_sum_fenced) {
    int *out = zeros(1);
    guide_sum_fenced<<<8, 32>>>(room(8), (unsigned *)zeros(1), out);
    EXPECT(at(out, 0) == 28);
}

// wrong: race-publication|race: a flag polled by an atomic, no fence by the reader, whose L1 may hold old data
__global__ void atomic_poll(int *data, int *flag, int *out) {
    if (blockIdx.x == 0) {
        *data = 42; // here
        __threadfence();
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0) {}
        out[blockIdx.x] = *data; // here
    }
}
CASE(atomic_poll) { atomic_poll<<<4, 1>>>(zeros(1), zeros(1), zeros(4)); }

// right: barrier first, then fence and ticket by one thread, fence and barrier on the other side
__global__ void barrier_fence_ticket(int *part, unsigned *ticket, int *out) {
    __shared__ bool last;
    part[blockIdx.x * 64 + threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(ticket, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (!last) return;
    int sum = 0;
    for (int i = threadIdx.x; i < gridDim.x * 64; i += 64) sum += part[i];
    atomicAdd(out, sum);
}
CASE(barrier_fence_ticket) {
    int *out = zeros(1);
    barrier_fence_ticket<<<4, 64>>>(room(256), (unsigned *)zeros(1), out);
    EXPECT(at(out, 0) == 256);
}

// wrong: race-publication|race: fence and ticket by one thread, but no barrier before them
__global__ void ticket_no_barrier(int *part, unsigned *ticket, int *out) {
    __shared__ bool last;
    part[blockIdx.x * 64 + threadIdx.x] = 1; // here
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(ticket, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (!last) return;
    int sum = 0;
    for (int i = threadIdx.x; i < gridDim.x * 64; i += 64) sum += part[i]; // here
    atomicAdd(out, sum);
}
CASE(ticket_no_barrier) { ticket_no_barrier<<<4, 64>>>(room(256), (unsigned *)zeros(1), zeros(1)); }

// right: volatile flag with fences on both sides, polled by a later block
__global__ void volatile_flag(int *data, volatile int *flag, int *out) {
    if (blockIdx.x == 0) {
        *data = 42;
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0) {}
        __threadfence();
        *out = *data;
    }
}
CASE(volatile_flag) {
    int *out = zeros(1);
    volatile_flag<<<2, 1>>>(room(1), zeros(1), out);
    EXPECT(at(out, 0) == 42);
}

// wrong: race-publication|race: volatile data and volatile flag, no fence
__global__ void volatile_flag_no_fence(volatile int *data, volatile int *flag, int *out) {
    if (blockIdx.x == 0) {
        *data = 42; // here
        *flag = 1;
    } else {
        while (*flag == 0) {}
        *out = *data; // here
    }
}
CASE(volatile_flag_no_fence) { volatile_flag_no_fence<<<2, 1>>>(zeros(1), zeros(1), zeros(1)); }

// wrong: race-publication|race: the writer fences, the reader does not
__global__ void flag_no_acquire(int *data, volatile int *flag, int *out) {
    if (blockIdx.x == 0) {
        *data = 42; // here
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0) {}
        *out = *data; // here
    }
}
CASE(flag_no_acquire) { flag_no_acquire<<<2, 1>>>(zeros(1), zeros(1), zeros(1)); }

// right: flag and value share one 64-bit word, so no fence is needed
__global__ void packed_flag(volatile unsigned long long *word, int *out) {
    if (blockIdx.x == 0) {
        *word = (1ull << 32) | 42;
    } else {
        unsigned long long seen;
        while (((seen = *word) >> 32) == 0) {}
        *out = (int)seen;
    }
}
CASE(packed_flag) {
    int *out = zeros(1);
    packed_flag<<<2, 1>>>((unsigned long long *)zeros(2), out);
    EXPECT(at(out, 0) == 42);
}

// right: spin lock with fences, one thread per block
__global__ void spin_lock(int *lock, int *count) {
    if (threadIdx.x) return;
    while (atomicCAS(lock, 0, 1)) {}
    __threadfence();
    *count += 1;
    __threadfence();
    atomicExch(lock, 0);
}
CASE(spin_lock) {
    int *count = zeros(1);
    spin_lock<<<8, 32>>>(zeros(1), count);
    EXPECT(at(count, 0) == 8);
}

// wrong: race-publication|race: spin lock without fences
__global__ void spin_lock_no_fence(int *lock, int *count) {
    if (threadIdx.x) return;
    while (atomicCAS(lock, 0, 1)) {}
    *count += 1; // here
    atomicExch(lock, 0);
}
CASE(spin_lock_no_fence) { spin_lock_no_fence<<<8, 32>>>(zeros(1), zeros(1)); }

// wrong: race-publication|race: spin lock on volatile data, released by a volatile store without a fence
__global__ void spin_lock_volatile(volatile int *lock, volatile int *count) {
    if (threadIdx.x) return;
    while (atomicCAS((int *)lock, 0, 1)) {}
    *count = *count + 1; // here
    *lock = 0;
}
CASE(spin_lock_volatile) { spin_lock_volatile<<<8, 32>>>(zeros(1), zeros(1)); }

// right: every lane takes the lock in its turn, the critical section inside the loop
__global__ void lock_every_lane(int *lock, int *count) {
    for (bool done = false; !done;) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            *(volatile int *)count = *(volatile int *)count + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}
CASE(lock_every_lane) {
    int *count = zeros(1);
    lock_every_lane<<<2, 32>>>(zeros(1), count);
    EXPECT(at(count, 0) == 64);
}

// right: ticket lock, served in order
__global__ void ticket_lock(unsigned *next, volatile unsigned *serving, int *count) {
    if (threadIdx.x) return;
    unsigned mine = atomicAdd(next, 1);
    while (*serving != mine) {}
    __threadfence();
    *count += 1;
    __threadfence();
    *serving = mine + 1;
}
CASE(ticket_lock) {
    int *count = zeros(1);
    ticket_lock<<<8, 32>>>((unsigned *)zeros(1), (unsigned *)zeros(1), count);
    EXPECT(at(count, 0) == 8);
}

// right: decoupled look-back, status and value in one word
__global__ void look_back(volatile unsigned long long *state, int *out) {
    if (threadIdx.x) return;
    int value = blockIdx.x + 1, sum = 0;
    state[blockIdx.x] = (1ull << 32) | value;
    for (int i = (int)blockIdx.x - 1; i >= 0; i--) {
        unsigned long long seen;
        while (((seen = state[i]) >> 32) == 0) {}
        sum += (int)seen;
        if (seen >> 32 == 2) break;
    }
    state[blockIdx.x] = (2ull << 32) | (sum + value);
    out[blockIdx.x] = sum + value;
}
CASE(look_back) {
    int *out = zeros(8);
    look_back<<<8, 32>>>((unsigned long long *)zeros(16), out);
    EXPECT(at(out, 7) == 36);
}

// wrong: race-publication|race: look-back with status and value apart, no fence
__global__ void look_back_no_fence(volatile int *value, volatile int *status, int *out) {
    if (threadIdx.x) return;
    int sum = blockIdx.x + 1;
    if (blockIdx.x) {
        while (status[blockIdx.x - 1] == 0) {}
        sum += value[blockIdx.x - 1]; // here
    }
    value[blockIdx.x] = sum; // here
    status[blockIdx.x] = 1;
    out[blockIdx.x] = sum;
}
CASE(look_back_no_fence) { look_back_no_fence<<<8, 32>>>(zeros(8), zeros(8), zeros(8)); }

// right: a queue filled by tickets, read by the next launch
__global__ void queue_push(const int *in, int *queue, int *tail) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] % 3 == 0) queue[atomicAdd(tail, 1)] = in[i];
}
__global__ void queue_pop(const int *queue, const int *tail, int *out) {
    if (threadIdx.x < *tail) atomicAdd(out, queue[threadIdx.x]);
}
CASE(queue_two_launches) {
    int *queue = room(128), *tail = zeros(1), *out = zeros(1);
    queue_push<<<2, 64>>>(counting(128), queue, tail);
    queue_pop<<<1, 64>>>(queue, tail, out);
    EXPECT(at(out, 0) == 2709);
}

// wrong: race|race-publication: a queue whose consumer trusts the tail alone
__global__ void queue_tail_only(int *queue, int *tail, int *out) {
    if (blockIdx.x == 0) {
        queue[atomicAdd(tail, 1)] = threadIdx.x; // here
    } else {
        while (atomicAdd(tail, 0) < 32) {}
        out[threadIdx.x] = queue[threadIdx.x]; // here
    }
}
CASE(queue_tail_only) { queue_tail_only<<<2, 32>>>(zeros(32), zeros(1), zeros(32)); }

// right: compare-and-swap loop on a float's bits
__global__ void float_max(int *bits) {
    int old = *(volatile int *)bits, seen;
    float mine = threadIdx.x * 1.5f;
    do {
        seen = old;
        if (__int_as_float(seen) >= mine) break;
        old = atomicCAS(bits, seen, __float_as_int(mine));
    } while (old != seen);
}
CASE(float_max) {
    int *bits = zeros(1);
    float_max<<<4, 64>>>(bits);
    EXPECT(at(bits, 0) == 0x42bd0000);
}

// wrong: race: a plain increment where an atomic is needed
__global__ void plain_increment(int *count) {
    *count += 1; // here
}
CASE(plain_increment) { plain_increment<<<4, 1>>>(zeros(1)); }

// wrong: race: an atomic add that a plain load reads
__global__ void atomic_and_load(int *count, int *out) {
    atomicAdd(count, 1);      // here
    out[blockIdx.x] = *count; // here
}
CASE(atomic_and_load) { atomic_and_load<<<4, 1>>>(zeros(1), zeros(4)); }

// wrong: race: an atomic of block scope on a counter of the grid
__global__ void block_atomic(int *count) {
    atomicAdd_block(count, 1); // here
}
CASE(block_atomic) { block_atomic<<<4, 1>>>(zeros(1)); }

// right: an atomic of block scope on a counter of the block, a system atomic on that of all
__global__ void scoped_atomics(int *own, int *all) {
    atomicAdd_block(&own[blockIdx.x], 1);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd_system(all, own[blockIdx.x]);
}
CASE(scoped_atomics) {
    int *all = zeros(1);
    scoped_atomics<<<4, 64>>>(zeros(4), all);
    EXPECT(at(all, 0) == 256);
}

// right: all threads set one flag to the same value
__global__ void found_flag(const int *in, int *found) {
    if (in[blockIdx.x * 32 + threadIdx.x] % 5 == 0) *found = 1;
}
CASE(found_flag) {
    int *found = zeros(1);
    found_flag<<<4, 32>>>(counting(128), found);
    EXPECT(at(found, 0) == 1);
}

// right: hand-made grid barrier, all blocks resident
__device__ void grid_barrier(unsigned *arrived, unsigned goal) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1);
        while (*(volatile unsigned *)arrived < goal) {}
        __threadfence();
    }
    __syncthreads();
}
__global__ void jacobi(int *a, int *b, unsigned *arrived) {
    int i = blockIdx.x * 32 + threadIdx.x, n = gridDim.x * 32;
    a[i] = i;
    grid_barrier(arrived, gridDim.x);
    b[i] = a[(i + 1) % n] + a[(i + n - 1) % n];
    grid_barrier(arrived, 2 * gridDim.x);
    a[i] = b[(i + 32) % n];
}
CASE(hand_made_grid_barrier) {
    int *a = room(128);
    jacobi<<<4, 32>>>(a, room(128), (unsigned *)zeros(1));
    EXPECT(at(a, 0) == 64);
}

// wrong: race|race-publication: a grid barrier that counts without fences
__global__ void thin_barrier(int *a, int *b, unsigned *arrived) {
    int i = blockIdx.x * 32 + threadIdx.x, n = gridDim.x * 32;
    a[i] = i; // here
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1);
        while (*(volatile unsigned *)arrived < gridDim.x) {}
    }
    __syncthreads();
    b[i] = a[(i + 32) % n]; // here
}
CASE(thin_grid_barrier) { thin_barrier<<<4, 32>>>(zeros(128), room(128), (unsigned *)zeros(1)); }

int main(int argc, char **argv) { return run_case(argc, argv); }
