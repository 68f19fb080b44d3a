// kz: sm 90a
// attention_backward 08: products under arithmetic
//
// Idea     in 06 both warpgroups make p and ds at the same time, and tensor cores wait.
// Change   p is made while dp is multiplied, in tiles where no pair is hidden, and dq leaves while dk is. ds has two places, so that
//          one barrier for a tile is enough.
// Expect   the exponentials and the way of dq cost no time of tensor cores; ds does.
// Limit    a tile ends with all of its products: ptxas serializes what is in flight over the end of the loop. Any order of dq.

#include "wgmma.cuh"

#define KERNEL(D, QUERIES, type, T)                                                                          \
    KZ_ENTRY_BOUNDS(attention_backward_overlap_d##D##_any_##type, BACKWARD_WGMMA_THREADS, 1)                 \
    (BACKWARD_WGMMA_PARAMETERS(T)) {                                                                         \
        BACKWARD_WGMMA_OF(T, g)                                                                              \
        run_frame<frame<T, D, QUERIES, true>>(g, {&q_map, &k_map, &v_map, &dout_map}, rows, blockIdx.x,      \
                                              any_order());                                                  \
    }
#define KERNELS(type, T)                                                                                     \
    BACKWARD_WGMMA_PASSES(overlap, type, T)                                                                  \
    BACKWARD_WGMMA_TILES(KERNEL, type, T)
KERNELS(f16, kz_f16)
KERNELS(bf16, kz_bf16)
