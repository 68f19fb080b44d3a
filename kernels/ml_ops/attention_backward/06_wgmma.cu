// kz: sm 90a
// attention_backward 06: wgmma
//
// Idea     Hopper's wgmma multiplies out of shared memory, where tensor maps put tiles, and takes its left operand from registers: what
//          04 does by fragments that warps load, it does by descriptors (FlashAttention-3, arXiv 2407.08608).
// Change   two warpgroups have 64 keys each; one thread of a third one asks for tiles of q and dout, two ahead. dq of a tile of
//          queries leaves by bulk copies that add, 16 KB each, in the place of 4096 atomics; both warpgroups' ds is in it.
// Expect   fragments no longer pass through registers: shared memory is read once for 64 keys, not for 16.
// Limit    a warpgroup waits for its scores, and again for its sums: only the other one multiplies meanwhile. Any order of dq.

#include "wgmma.cuh"

#define KERNEL(D, QUERIES, type, T)                                                                          \
    KZ_ENTRY_BOUNDS(attention_backward_wgmma_d##D##_any_##type, BACKWARD_WGMMA_THREADS, 1)                   \
    (BACKWARD_WGMMA_PARAMETERS(T)) {                                                                         \
        BACKWARD_WGMMA_OF(T, g)                                                                              \
        run_frame<frame<T, D, QUERIES>>(g, {&q_map, &k_map, &v_map, &dout_map}, rows, blockIdx.x,            \
                                        any_order());                                                        \
    }
#define KERNELS(type, T)                                                                                     \
    BACKWARD_WGMMA_PASSES(wgmma, type, T)                                                                    \
    BACKWARD_WGMMA_TILES(KERNEL, type, T)
KERNELS(f16, kz_f16)
KERNELS(bf16, kz_bf16)
