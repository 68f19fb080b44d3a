// kz: sm 90a
// attention_backward 07: wgmma, in one order
//
// Idea     05's counters for 06's bulk additions: a chunk is added once the tiles of keys before have added theirs.
// Change   one thread of each warpgroup waits before its copy, then for its copy, and counts. Copies are the work of another proxy
//          than counters: fences of both stand between them.
// Expect   06's work; while the thread waits, its warpgroup does, and the other one goes on until it needs ds of both.
// Limit    a copy's way to L2 and a counter's, for each tile of queries, in a row.

#include "wgmma.cuh"

struct one_turn {
    unsigned *counter, before;
    __device__ __forceinline__ void begin(void) const {
        wait_for(counter, before);
        asm volatile("fence.proxy.async;" ::: "memory");
    }
    __device__ __forceinline__ void end(void) const {
        kz_bulk_wait();
        asm volatile("fence.proxy.async;" ::: "memory");
        count_one(counter);
    }
};
// A counter for each warpgroup: its chunks are its own.
struct one_order {
    unsigned *counters;
    template <typename F>
    __device__ __forceinline__ one_turn of(const job<typename F::T> &j, unsigned head, unsigned row,
                                           unsigned own) const {
        return {counters + counter_index<F>(j, head, row) * F::CONSUMERS + own, tiles_before<F>(j, row)};
    }
};

// The blocks' counter is the first.
#define KERNEL(D, QUERIES, type, T)                                                                          \
    KZ_ENTRY_BOUNDS(attention_backward_wgmma_ordered_d##D##_any_##type, BACKWARD_WGMMA_THREADS, 1)           \
    (BACKWARD_WGMMA_PARAMETERS(T)) {                                                                         \
        BACKWARD_WGMMA_OF(T, g)                                                                              \
        run_frame<frame<T, D, QUERIES>>(g, {&q_map, &k_map, &v_map, &dout_map}, rows, take_number(counters), \
                                        one_order{counters + 1});                                            \
    }
#define KERNELS(type, T)                                                                                     \
    BACKWARD_WGMMA_PASSES(wgmma_ordered, type, T)                                                            \
    BACKWARD_WGMMA_TILES(KERNEL, type, T)
KERNELS(f16, kz_f16)
KERNELS(bf16, kz_bf16)
