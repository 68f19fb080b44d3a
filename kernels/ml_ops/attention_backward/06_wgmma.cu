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

#define PARAMETERS(T)                                                                                        \
    const __grid_constant__ kz_tensor_map q_map, const __grid_constant__ kz_tensor_map k_map,                \
        const __grid_constant__ kz_tensor_map v_map, const __grid_constant__ kz_tensor_map dout_map,         \
        const float2 *rows, const int *query_offsets, const int *key_offsets, const T *mask, float *dq,      \
        T *dk, T *dv, size_t batch, size_t heads, size_t kv_heads, size_t queries, size_t keys,              \
        size_t dimension, float scale, size_t reach, size_t kv_token, size_t kv_head, size_t kv_batch,       \
        size_t mask_token, size_t mask_head, size_t mask_batch

#define KERNEL(D, QUERIES, type, T)                                                                          \
    KZ_ENTRY_BOUNDS(attention_backward_wgmma_d##D##_any_##type, BACKWARD_WGMMA_THREADS, 1)(PARAMETERS(T)) {  \
        const T *q = nullptr, *k = nullptr, *v = nullptr, *dout = nullptr;                                   \
        const size_t q_token = 0, q_head = 0, q_batch = 0, out_token = 0, out_head = 0, out_batch = 0;       \
        backward<T, float> g = BACKWARD_OF(T);                                                               \
        run_frame<frame<T, D, QUERIES>>(g, {&q_map, &k_map, &v_map, &dout_map}, rows);                       \
    }
#define KERNELS(type, T)                                                                                     \
    BACKWARD_ROWS(wgmma, type, T)                                                                            \
    KZ_ENTRY(attention_backward_wgmma_chunks_any_##type)(BACKWARD_PARAMETERS(T, float), float2 * to) {       \
        backward<T, float> g = BACKWARD_OF(T);                                                               \
        chunk_rows<T>(g, to);                                                                                \
    }                                                                                                        \
    BACKWARD_WGMMA_TILES(KERNEL, type, T)                                                                    \
    KZ_ENTRY(attention_backward_wgmma_convert_any_##type)(BACKWARD_PARAMETERS(T, float), T * to) {           \
        backward<T, float> g = BACKWARD_OF(T);                                                               \
        convert_chunks<T>(g, to, dimension <= 64 ? 1 : 2);                                                   \
    }
KERNELS(f16, kz_f16)
KERNELS(bf16, kz_bf16)
