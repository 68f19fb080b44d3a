// Tensor maps that are changed, and the two fences that a copy needs then: a release behind the change, an acquire before the copy.
#include "warpgroup.cuh"
#include <cuda.h>

DEVICE void map_release() { asm volatile("fence.proxy.tensormap::generic.release.gpu;" ::: "memory"); }
DEVICE void map_acquire(const CUtensorMap *map) {
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory");
}
DEVICE void change(CUtensorMap *map, const int *to) { // in global memory
    asm volatile("tensormap.replace.tile.global_address.global.b1024.b64 [%0], %1;" ::"l"(map), "l"(to)
                 : "memory");
}
DEVICE void change_in_shared(CUtensorMap *map, const int *to) {
    asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(address(map)),
                 "l"(to)
                 : "memory");
}
DEVICE void publish(CUtensorMap *to, const CUtensorMap *from) { // by a whole warp
    asm volatile(
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], "
        "128;" ::"l"(to),
        "r"(address(from))
        : "memory");
}

enum { WIDTH = 8, ROW_BYTES = WIDTH * 4 };
struct __align__(128) box {
    int row[WIDTH];
    uint64_t bar;
};

// Row 1 by one thread; its first element.
DEVICE int load(box *b, const CUtensorMap *map) {
    bar_init(&b->bar, 1);
    proxy_fence();
    bar_expect(&b->bar, ROW_BYTES);
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, "
        "{%2, %3}], [%4];" ::"r"(address(b->row)),
        "l"(map), "r"(0), "r"(1), "r"(address(&b->bar))
        : "memory");
    bar_wait(&b->bar, 0);
    return b->row[0];
}
DEVICE void store(box *b, const CUtensorMap *map, int value) {
    for (int i = 0; i < WIDTH; i++) b->row[i] = value;
    proxy_fence();
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(0),
        "r"(1), "r"(address(b->row))
        : "memory");
    bulk_commit();
    bulk_wait();
}
DEVICE void copy_words(CUtensorMap *to, const CUtensorMap *from) { // 16 threads
    if (threadIdx.x < 16) to->opaque[threadIdx.x] = from->opaque[threadIdx.x];
}

// ---- the host --------------------------------------------------------------------------------------------

static CUtensorMap map_of(int *tensor) {
    void *encode = nullptr;
    cudaDriverEntryPointQueryResult found;
    CUtensorMap map;
    cuuint64_t sizes[] = {WIDTH, 8}, strides[] = {ROW_BYTES};
    cuuint32_t sides[] = {WIDTH, 1}, steps[] = {1, 1};
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault, &found);
    EXPECT(((decltype(&cuTensorMapEncodeTiled))encode)(
               &map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, tensor, sizes, strides, sides, steps,
               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    return map;
}
static CUtensorMap *in_global(const CUtensorMap &map) {
    void *memory = nullptr;
    cudaMalloc(&memory, sizeof map);
    cudaMemcpy(memory, &map, sizeof map, cudaMemcpyHostToDevice);
    return (CUtensorMap *)memory;
}

// Where kernels change a map, it leads to zeros first; counting's row 1 begins with 8.
#define RIGHT(kernel)                                                                                        \
    int *out = zeros(1);                                                                                     \
    kernel<<<1, 64>>>(map_of(zeros(64)), in_global(map_of(zeros(64))), counting(64), out);                   \
    EXPECT(at(out, 0) == 8)
#define LAUNCH(kernel)                                                                                       \
    kernel<<<1, 64>>>(map_of(zeros(64)), in_global(map_of(zeros(64))), counting(64), zeros(1))
#define KERNEL(name)                                                                                         \
    __global__ void name(const __grid_constant__ CUtensorMap old, CUtensorMap *place, int *x, int *out)

// ---- maps that no kernel changes -------------------------------------------------------------------------

// right: the map is a parameter of the kernel
__global__ void parameter(const __grid_constant__ CUtensorMap map, int *out) {
    __shared__ box b;
    if (threadIdx.x == 0) out[0] = load(&b, &map);
}
CASE(parameter) {
    int *out = zeros(1);
    parameter<<<1, 64>>>(map_of(counting(64)), out);
    EXPECT(at(out, 0) == 8);
}

// right: the map is in constant memory
__constant__ CUtensorMap constant_map;
__global__ void constant(int *out) {
    __shared__ box b;
    if (threadIdx.x == 0) out[0] = load(&b, &constant_map);
}
CASE(constant) {
    int *out = zeros(1);
    CUtensorMap map = map_of(counting(64));
    cudaMemcpyToSymbol(constant_map, &map, sizeof map);
    constant<<<1, 64>>>(out);
    EXPECT(at(out, 0) == 8);
}

// right: the host wrote the map to global memory before the launch
__global__ void host_written(const CUtensorMap *map, int *out) {
    __shared__ box b;
    if (threadIdx.x == 0) out[0] = load(&b, map);
}
CASE(host_written) {
    int *out = zeros(1);
    host_written<<<1, 64>>>(in_global(map_of(counting(64))), out);
    EXPECT(at(out, 0) == 8);
}

// ---- changed by the kernel -------------------------------------------------------------------------------

// right: changed in shared memory, copied by tensormap.cp_fenceproxy, acquired
KERNEL(changed_in_shared) {
    __shared__ CUtensorMap mine;
    __shared__ box b;
    copy_words(&mine, &old);
    __syncwarp();
    if (threadIdx.x == 0) change_in_shared(&mine, x);
    __syncwarp();
    if (threadIdx.x < 32) publish(place, &mine);
    if (threadIdx.x == 0) {
        map_acquire(place);
        out[0] = load(&b, place);
    }
}
CASE(changed_in_shared) { RIGHT(changed_in_shared); }

// right: all lanes of the warp copy the map, and one that did not change it starts the load
KERNEL(other_lane) {
    __shared__ CUtensorMap mine;
    __shared__ box b;
    copy_words(&mine, &old);
    __syncwarp();
    if (threadIdx.x == 0) change_in_shared(&mine, x);
    __syncwarp();
    if (threadIdx.x < 32) publish(place, &mine);
    if (threadIdx.x == 5) {
        map_acquire(place);
        out[0] = load(&b, place);
    }
}
CASE(other_lane) { RIGHT(other_lane); }

// wrong: race: the copy reads what another lane changes, with no synchronisation of the warp between
KERNEL(no_syncwarp) {
    __shared__ CUtensorMap mine;
    __shared__ box b;
    copy_words(&mine, &old);
    __syncwarp();
    if (threadIdx.x == 7) change_in_shared(&mine, x); // here
    if (threadIdx.x < 32) publish(place, &mine);      // here
    if (threadIdx.x == 5) {
        map_acquire(place);
        out[0] = load(&b, place);
    }
}
CASE(no_syncwarp) { LAUNCH(no_syncwarp); }

// wrong: async-no-wait: copied by tensormap.cp_fenceproxy, never acquired
KERNEL(shared_no_acquire) {
    __shared__ CUtensorMap mine;
    __shared__ box b;
    copy_words(&mine, &old);
    __syncwarp();
    if (threadIdx.x == 0) change_in_shared(&mine, x);
    __syncwarp();
    if (threadIdx.x < 32) publish(place, &mine);
    if (threadIdx.x == 0) out[0] = load(&b, place); // here
}
CASE(shared_no_acquire) { LAUNCH(shared_no_acquire); }

// right: every thread of the block acquires what its first warp published, and one of another warp starts the copy
KERNEL(all_acquire) {
    __shared__ CUtensorMap mine;
    __shared__ box b;
    copy_words(&mine, &old);
    __syncwarp();
    if (threadIdx.x == 0) change_in_shared(&mine, x);
    __syncwarp();
    if (threadIdx.x < 32) publish(place, &mine);
    __syncthreads();
    map_acquire(place);
    if (threadIdx.x == 32) out[0] = load(&b, place);
}
CASE(all_acquire) { RIGHT(all_acquire); }

// right: one thread acquires the map for its block
KERNEL(one_acquires) {
    __shared__ box b;
    if (threadIdx.x == 0) {
        change(place, x);
        map_release();
        map_acquire(place);
    }
    __syncthreads();
    if (threadIdx.x == 32) out[0] = load(&b, place);
}
CASE(one_acquires) { RIGHT(one_acquires); }

// right: changed in global memory, released and acquired by the same thread
KERNEL(changed_in_global) {
    __shared__ box b;
    if (threadIdx.x) return;
    change(place, x);
    map_release();
    map_acquire(place);
    out[0] = load(&b, place);
}
CASE(changed_in_global) { RIGHT(changed_in_global); }

// wrong: async-no-wait: changed in global memory and acquired, but not released
KERNEL(no_release) {
    __shared__ box b;
    if (threadIdx.x) return;
    change(place, x); // here
    map_acquire(place);
    out[0] = load(&b, place);
}
CASE(no_release) { LAUNCH(no_release); }

// wrong: async-no-wait: changed in global memory and released, but not acquired
KERNEL(no_acquire) {
    __shared__ box b;
    if (threadIdx.x) return;
    change(place, x); // here
    map_release();
    out[0] = load(&b, place);
}
CASE(no_acquire) { LAUNCH(no_acquire); }

// wrong: async-no-wait: neither fence
KERNEL(no_fence) {
    __shared__ box b;
    if (threadIdx.x) return;
    change(place, x); // here
    out[0] = load(&b, place);
}
CASE(no_fence) { LAUNCH(no_fence); }

// wrong: async-no-wait: the release stands before the change
KERNEL(release_first) {
    __shared__ box b;
    if (threadIdx.x) return;
    map_release();
    change(place, x); // here
    map_acquire(place);
    out[0] = load(&b, place);
}
CASE(release_first) { LAUNCH(release_first); }

// right: stores make the map, their threads release it, another one acquires it
KERNEL(stores) {
    __shared__ CUtensorMap mine;
    __shared__ box b;
    copy_words(&mine, &old);
    __syncwarp();
    if (threadIdx.x == 0) change_in_shared(&mine, x);
    __syncwarp();
    copy_words(place, &mine);
    map_release();
    __syncthreads();
    if (threadIdx.x == 32) {
        map_acquire(place);
        out[0] = load(&b, place);
    }
}
CASE(stores) { RIGHT(stores); }

// wrong: async-no-wait: stores make the map, and nobody releases it
KERNEL(stores_no_release) {
    __shared__ box b;
    copy_words(place, &old); // here
    __syncthreads();
    if (threadIdx.x == 32) {
        map_acquire(place);
        out[0] = load(&b, place);
    }
}
CASE(stores_no_release) { LAUNCH(stores_no_release); }

// wrong: async-no-wait: the thread acquires before the barrier that hands the map over
KERNEL(acquire_first) {
    __shared__ box b;
    if (threadIdx.x == 0) {
        change(place, x); // here
        map_release();
    }
    if (threadIdx.x == 32) map_acquire(place);
    __syncthreads();
    if (threadIdx.x == 32) out[0] = load(&b, place);
}
CASE(acquire_first) { LAUNCH(acquire_first); }

// wrong: race: no barrier hands the map over
KERNEL(no_barrier) {
    __shared__ box b;
    if (threadIdx.x == 0) {
        change(place, x); // here
        map_release();
    }
    if (threadIdx.x == 32) {
        map_acquire(place);
        out[0] = load(&b, place); // here
    }
}
CASE(no_barrier) { LAUNCH(no_barrier); }

// right: a tensor store by a map that was changed
KERNEL(stored) {
    __shared__ box b;
    if (threadIdx.x) return;
    change(place, x);
    map_release();
    map_acquire(place);
    store(&b, place, 8);
}
CASE(stored) {
    int *x = counting(64);
    stored<<<1, 64>>>(map_of(zeros(64)), in_global(map_of(zeros(64))), x, nullptr);
    EXPECT(at(x, 15) == 8);
}

// wrong: async-no-wait: a tensor store by a map that is not acquired
KERNEL(stored_no_acquire) {
    __shared__ box b;
    if (threadIdx.x) return;
    change(place, x); // here
    map_release();
    store(&b, place, 8);
}
CASE(stored_no_acquire) { LAUNCH(stored_no_acquire); }

// ---- handed to another block -----------------------------------------------------------------------------

template <bool releases, bool acquires>
DEVICE void hand_over(CUtensorMap *place, int *x, int *out, int *flag, box *b) {
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        change(place, x);
        if (releases) map_release();
        asm volatile("st.release.gpu.global.s32 [%0], 1;" ::"l"(flag) : "memory");
    } else {
        for (int set = 0; !set;)
            asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(set) : "l"(flag) : "memory");
        if (acquires) map_acquire(place);
        out[0] = load(b, place);
    }
}

// right: a flag hands the map to another block
__global__ void flag(CUtensorMap *place, int *x, int *out, int *flag) {
    __shared__ box b;
    hand_over<true, true>(place, x, out, flag, &b);
}
CASE(flag) {
    int *out = zeros(1);
    flag<<<2, 32>>>(in_global(map_of(zeros(64))), counting(64), out, zeros(1));
    EXPECT(at(out, 0) == 8);
}

// wrong: async-no-wait: the other block does not acquire it
__global__ void flag_no_acquire(CUtensorMap *place, int *x, int *out, int *flag) {
    __shared__ box b;
    hand_over<true, false>(place, x, out, flag, &b); // here
}
CASE(flag_no_acquire) {
    flag_no_acquire<<<2, 32>>>(in_global(map_of(zeros(64))), counting(64), zeros(1), zeros(1));
}

// wrong: async-no-wait: the block that changed it does not release it
__global__ void flag_no_release(CUtensorMap *place, int *x, int *out, int *flag) {
    __shared__ box b;
    hand_over<false, true>(place, x, out, flag, &b); // here
}
CASE(flag_no_release) {
    flag_no_release<<<2, 32>>>(in_global(map_of(zeros(64))), counting(64), zeros(1), zeros(1));
}

// ---- handed to another kernel ----------------------------------------------------------------------------

__global__ void writes_map(const __grid_constant__ CUtensorMap map, CUtensorMap *place) {
    copy_words(place, &map);
    map_release();
}
__global__ void acquires_map(const CUtensorMap *map, int *out) {
    __shared__ box b;
    if (threadIdx.x) return;
    map_acquire(map);
    out[0] = load(&b, map);
}

// right: a kernel makes the map, the next one acquires it
CASE(other_kernel) {
    int *out = zeros(1);
    CUtensorMap *place = in_global(map_of(zeros(64)));
    writes_map<<<1, 32>>>(map_of(counting(64)), place);
    acquires_map<<<1, 32>>>(place, out);
    EXPECT(at(out, 0) == 8);
}

// warned: async-no-wait: a kernel makes the map, the next one does not acquire it
__global__ void takes_map(const CUtensorMap *map, int *out) {
    __shared__ box b;
    if (threadIdx.x == 0) out[0] = load(&b, map); // here
}
CASE(other_kernel_no_acquire) {
    int *out = zeros(1);
    CUtensorMap *place = in_global(map_of(zeros(64)));
    writes_map<<<1, 32>>>(map_of(counting(64)), place);
    takes_map<<<1, 32>>>(place, out);
    EXPECT(at(out, 0) == 8);
}

// right: a kernel makes a map there, then the host writes another one
CASE(host_writes_again) {
    int *out = zeros(1);
    CUtensorMap *place = in_global(map_of(zeros(64))), map = map_of(counting(64));
    writes_map<<<1, 32>>>(map_of(zeros(64)), place);
    cudaMemcpy(place, &map, sizeof map, cudaMemcpyHostToDevice);
    host_written<<<1, 32>>>(place, out);
    EXPECT(at(out, 0) == 8);
}

int main(int argc, char **argv) { return run_case(argc, argv); }
