// Cooperative groups, cuda::atomic_ref, cuda::barrier: one file, because their headers take nvcc seconds.
#include "cases.cuh"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/atomic>
#include <cuda/barrier>
namespace cg = cooperative_groups;
using device_atomic = cuda::atomic_ref<int, cuda::thread_scope_device>;
using block_atomic = cuda::atomic_ref<int, cuda::thread_scope_block>;

template <class... T> static void launch_grid(void (*kernel)(T...), int grid, int block, T... values) {
    void *pointers[] = {&values...};
    cudaLaunchCooperativeKernel((const void *)kernel, dim3(grid), dim3(block), pointers, 0, 0);
}

// right: tiles of eight exchange through shared memory and synchronise themselves
__global__ void tile_sync(int *out) {
    __shared__ int s[64];
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int t = threadIdx.x;
    s[t] = t;
    tile.sync();
    out[t] = s[t ^ 7];
}
CASE(tile_sync) {
    int *out = zeros(64);
    tile_sync<<<1, 64>>>(out);
    EXPECT(at(out, 8) == 15);
}

// wrong: race: a tile of eight reads beyond itself
__global__ void tile_beyond(int *out) {
    __shared__ int s[64];
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int t = threadIdx.x;
    s[t] = t; // here
    tile.sync();
    out[t] = s[t ^ 8]; // here
}
CASE(tile_beyond) { tile_beyond<<<1, 64>>>(zeros(64)); }

// right: tiles sum by cg::reduce, their leaders add to the total
__global__ void tile_reduce(const int *in, int *out) {
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int sum = cg::reduce(tile, in[threadIdx.x], cg::plus<int>());
    if (tile.thread_rank() == 0) atomicAdd(out, sum);
}
CASE(tile_reduce) {
    int *out = zeros(1);
    tile_reduce<<<1, 64>>>(counting(64), out);
    EXPECT(at(out, 0) == 2016);
}

// right: threads of a branch group themselves
__global__ void coalesced(int *count, int *out) {
    int t = threadIdx.x;
    if (t % 3 == 1) {
        auto group = cg::coalesced_threads();
        int first = 0;
        if (group.thread_rank() == 0) first = atomicAdd(count, group.size());
        out[group.shfl(first, 0) + group.thread_rank()] = t;
    }
}
CASE(coalesced) {
    int *count = zeros(1);
    coalesced<<<1, 64>>>(count, zeros(64));
    EXPECT(at(count, 0) == 21);
}

// right: grid.sync between two phases
__global__ void grid_phases(int *a, int *b) {
    cg::grid_group grid = cg::this_grid();
    int i = (int)grid.thread_rank(), n = (int)grid.size();
    a[i] = i;
    grid.sync();
    b[i] = a[n - 1 - i];
    grid.sync();
    a[i] = b[(i + 32) % n];
}
CASE(grid_phases) {
    int *a = room(128);
    launch_grid(grid_phases, 4, 32, a, room(128));
    EXPECT(at(a, 0) == 95);
}

// wrong: race: block.sync where grid.sync is needed
__global__ void block_for_grid(int *a, int *b) {
    cg::grid_group grid = cg::this_grid();
    int i = (int)grid.thread_rank(), n = (int)grid.size();
    a[i] = i; // here
    cg::this_thread_block().sync();
    b[i] = a[n - 1 - i]; // here
}
CASE(block_for_grid) { launch_grid(block_for_grid, 4, 32, zeros(128), room(128)); }

// wrong: race: grid.sync after the write, none before the next round's write
__global__ void grid_one_sync(int *a, int *b) {
    cg::grid_group grid = cg::this_grid();
    int i = (int)grid.thread_rank(), n = (int)grid.size();
    for (int round = 0; round < 2; round++) {
        a[i] = i + round; // here
        grid.sync();
        b[i] = a[n - 1 - i]; // here
    }
}
CASE(grid_one_sync) { launch_grid(grid_one_sync, 4, 32, zeros(128), room(128)); }

// wrong: deadlock|barrier-divergent|fault: one block leaves before grid.sync
__global__ void grid_left(int *a) {
    if (blockIdx.x == 1) return;
    cg::this_grid().sync(); // here
    a[blockIdx.x] = 1;
}
CASE(grid_left) { launch_grid(grid_left, 4, 32, zeros(4)); }

// right: release store, acquire load
__global__ void atomic_release(int *data, int *flag, int *out) {
    device_atomic ready(*flag);
    if (blockIdx.x == 0) {
        *data = 42;
        ready.store(1, cuda::memory_order_release);
    } else {
        while (!ready.load(cuda::memory_order_acquire)) {}
        *out = *data;
    }
}
CASE(atomic_release) {
    int *out = zeros(1);
    atomic_release<<<2, 1>>>(room(1), zeros(1), out);
    EXPECT(at(out, 0) == 42);
}

// wrong: race-publication|race: release store, relaxed load
__global__ void atomic_relaxed_load(int *data, int *flag, int *out) {
    device_atomic ready(*flag);
    if (blockIdx.x == 0) {
        *data = 42; // here
        ready.store(1, cuda::memory_order_release);
    } else {
        while (!ready.load(cuda::memory_order_relaxed)) {}
        *out = *data; // here
    }
}
CASE(atomic_relaxed_load) { atomic_relaxed_load<<<2, 1>>>(zeros(1), zeros(1), zeros(1)); }

// right: relaxed load, then an acquire fence
__global__ void atomic_fence(int *data, int *flag, int *out) {
    device_atomic ready(*flag);
    if (blockIdx.x == 0) {
        *data = 42;
        cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
        ready.store(1, cuda::memory_order_relaxed);
    } else {
        while (!ready.load(cuda::memory_order_relaxed)) {}
        cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
        *out = *data;
    }
}
CASE(atomic_fence) {
    int *out = zeros(1);
    atomic_fence<<<2, 1>>>(room(1), zeros(1), out);
    EXPECT(at(out, 0) == 42);
}

// wrong: race-publication|race: a block's scope between two blocks
__global__ void atomic_block_scope(int *data, int *flag, int *out) {
    block_atomic ready(*flag);
    if (blockIdx.x == 0) {
        *data = 42;                                 // here
        ready.store(1, cuda::memory_order_release); // here
    } else {
        while (!ready.load(cuda::memory_order_acquire)) {} // here
        *out = *data;                                      // here
    }
}
CASE(atomic_block_scope) { atomic_block_scope<<<2, 1>>>(zeros(1), zeros(1), zeros(1)); }

// right: a block's scope between warps of a block, in global memory
__global__ void atomic_own_block(int *data, int *flag, int *out) {
    block_atomic ready(flag[blockIdx.x]);
    if (threadIdx.x == 0) {
        data[blockIdx.x] = 42;
        ready.store(1, cuda::memory_order_release);
    } else if (threadIdx.x == 32) {
        while (!ready.load(cuda::memory_order_acquire)) {}
        out[blockIdx.x] = data[blockIdx.x];
    }
}
CASE(atomic_own_block) {
    int *out = zeros(2);
    atomic_own_block<<<2, 64>>>(room(2), zeros(2), out);
    EXPECT(at(out, 1) == 42);
}

// right: the last block by an acquire-release ticket
__global__ void atomic_last_block(int *part, int *ticket, int *out) {
    if (threadIdx.x) return;
    part[blockIdx.x] = blockIdx.x + 1;
    if (device_atomic(*ticket).fetch_add(1, cuda::memory_order_acq_rel) != gridDim.x - 1) return;
    int sum = 0;
    for (int i = 0; i < gridDim.x; i++) sum += part[i];
    *out = sum;
}
CASE(atomic_last_block) {
    int *out = zeros(1);
    atomic_last_block<<<8, 32>>>(room(8), zeros(1), out);
    EXPECT(at(out, 0) == 36);
}

// wrong: race-publication|race: the last block by a ticket that releases but does not acquire
__global__ void atomic_ticket_release(int *part, int *ticket, int *out) {
    if (threadIdx.x) return;
    part[blockIdx.x] = blockIdx.x + 1; // here
    if (device_atomic(*ticket).fetch_add(1, cuda::memory_order_release) != gridDim.x - 1) return;
    int sum = 0;
    for (int i = 0; i < gridDim.x; i++) sum += part[i]; // here
    *out = sum;
}
CASE(atomic_ticket_release) { atomic_ticket_release<<<8, 32>>>(room(8), zeros(1), zeros(1)); }

// right: a lock taken with acquire and given back with release
__global__ void atomic_lock(int *lock, int *count) {
    if (threadIdx.x) return;
    device_atomic held(*lock);
    int open = 0;
    while (!held.compare_exchange_weak(open, 1, cuda::memory_order_acquire, cuda::memory_order_relaxed))
        open = 0;
    *count += 1;
    held.store(0, cuda::memory_order_release);
}
CASE(atomic_lock) {
    int *count = zeros(1);
    atomic_lock<<<8, 32>>>(zeros(1), count);
    EXPECT(at(count, 0) == 8);
}

// right: relaxed counters carry no data
__global__ void relaxed_counter(int *count) {
    device_atomic(*count).fetch_add(1, cuda::memory_order_relaxed);
}
CASE(relaxed_counter) {
    int *count = zeros(1);
    relaxed_counter<<<4, 64>>>(count);
    EXPECT(at(count, 0) == 256);
}

// right: producer and consumer warps over two cuda::barriers
__global__ void barrier_pair(const int *in, int *out) {
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ int slot[32];
    __shared__ alignas(barrier) char held[2][sizeof(barrier)];
    barrier *full = (barrier *)held[0], *empty = (barrier *)held[1];
    int t = threadIdx.x, lane = t % 32;
    if (t == 0) init(full, 64), init(empty, 64);
    __syncthreads();
    for (int round = 0; round < 3; round++) {
        if (t < 32) {
            if (round) empty->arrive_and_wait();
            slot[lane] = in[round * 32 + lane];
            (void)full->arrive();
        } else {
            full->arrive_and_wait();
            out[round * 32 + lane] = slot[31 - lane];
            if (round < 2) (void)empty->arrive();
        }
    }
}
CASE(barrier_pair) {
    int *out = zeros(96);
    barrier_pair<<<1, 64>>>(counting(96), out);
    EXPECT(at(out, 64) == 95);
}

// wrong: race: the consumer arrives but does not wait
__global__ void barrier_no_wait(const int *in, int *out) {
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ int slot[32];
    __shared__ alignas(barrier) char held[sizeof(barrier)];
    barrier *full = (barrier *)held;
    int t = threadIdx.x;
    if (t == 0) init(full, 64);
    __syncthreads();
    if (t < 32) slot[t] = in[t]; // here
    (void)full->arrive();
    if (t >= 32) out[t - 32] = slot[63 - t]; // here
}
CASE(barrier_no_wait) { barrier_no_wait<<<1, 64>>>(counting(32), zeros(32)); }

// wrong: race: the barrier is used before all threads know that it is made
__global__ void barrier_not_ready(int *out) {
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ alignas(barrier) char held[sizeof(barrier)];
    barrier *all = (barrier *)held;
    if (threadIdx.x == 0) init(all, 64); // here
    all->arrive_and_wait();              // here
    out[threadIdx.x] = 1;
}
CASE(barrier_not_ready) { barrier_not_ready<<<1, 64>>>(zeros(64)); }

// wrong: race|fault: a block of a cluster ends while another reads its shared memory
__global__ void __cluster_dims__(2, 1, 1) cluster_leaves(int *out) {
    __shared__ int s[64];
    cg::cluster_group cluster = cg::this_cluster();
    s[threadIdx.x] = blockIdx.x * 100 + threadIdx.x;
    cluster.sync();
    int *other = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
    out[blockIdx.x * 64 + threadIdx.x] = other[63 - threadIdx.x]; // here
}
CASE(cluster_leaves) { cluster_leaves<<<4, 64>>>(zeros(256)); }

// right: the blocks of a cluster wait for each other before they end
__global__ void __cluster_dims__(2, 1, 1) cluster_stays(int *out) {
    __shared__ int s[64];
    cg::cluster_group cluster = cg::this_cluster();
    s[threadIdx.x] = blockIdx.x * 100 + threadIdx.x;
    cluster.sync();
    int *other = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
    out[blockIdx.x * 64 + threadIdx.x] = other[63 - threadIdx.x];
    cluster.sync();
}
CASE(cluster_stays) {
    int *out = zeros(256);
    cluster_stays<<<4, 64>>>(out);
    EXPECT(at(out, 0) == 163);
}

int main(int argc, char **argv) { return run_case(argc, argv); }
