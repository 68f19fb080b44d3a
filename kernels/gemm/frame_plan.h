// What plans of kernels made of kz/device/gemm.cuh share, in all families: operands as they lie in memory, their tensor maps, what these
// cannot take, launches.
#ifndef GEMM_FRAME_PLAN_H
#define GEMM_FRAME_PLAN_H

#include "kz/family.h"

// An operand of halves: `outer` rows of `inner` elements, `pitch` elements apart.
typedef struct gemm_operand {
    kz_arg at;
    uint64_t rows, k; // m or n
    bool mn;          // contiguous along m or n, not along k
    uint64_t outer, inner, pitch;
} gemm_operand;
gemm_operand gemm_operand_of(kz_arg at, uint64_t rows, uint64_t k, bool mn);

// A kernel of the frame, as its file has it.
typedef struct gemm_frame {
    uint32_t tile_m, tile_n, stages, consumers, cluster_m;
    uint32_t group; // rows of tiles that blocks walk down
    bool tensor_store;
} gemm_frame;

kz_tensor_type gemm_tensor_type(kz_type type);          // of f32, f16, bf16 and bytes
bool gemm_whole_units(uint64_t elements, kz_type type); // of 16 bytes
// KZ_UNSUPPORTED where a tensor map cannot take the operand's rows.
kz_status gemm_refuse_rows(const kz_planner *p, const gemm_operand *o, const char *name);
// Where it cannot: a launch of `entry` (kz/device/pad_rows.cuh) that copies them to the workspace, padded.
kz_status gemm_pad(const kz_planner *p, gemm_operand *o, const char *entry);
// KZ_UNSUPPORTED where addresses or sizes are not for tensor maps.
kz_status gemm_refuse_addresses(const kz_planner *p, kz_type out);

// Bytes of the workspace, at a multiple of 256.
kz_arg gemm_reserve(const kz_planner *p, uint64_t bytes);

// What a map of the frame says of a matrix of `rows` rows that are `row_bytes` apart, elements of `bytes`: 128 bytes of `box` rows
// at once, swizzled. For a read; kernels that store by it have no promotion.
kz_tensor gemm_tensor(kz_tensor_type type, uint64_t bytes, uint64_t columns, uint64_t rows,
                      uint64_t row_bytes, uint32_t box);
// By `rows` rows of a tile at once, or by slabs of 64 along m or n.
kz_arg gemm_map_operand(const kz_planner *p, const gemm_operand *o, uint32_t rows);
// c, rows x columns, for a kernel that stores it by a tensor map.
kz_arg gemm_map_result(const kz_planner *p, kz_arg at, kz_type type, uint64_t rows, uint64_t columns);

// The blocks, threads and shared memory of c = a * b in this frame, and its arguments: both maps, `result`, those of `extra`,
// then m, n, k and the group. `launch` says which kernel.
kz_status gemm_launch_frame(const kz_planner *p, const gemm_frame *f, kz_plan_launch launch,
                            const gemm_operand *a, const gemm_operand *b, kz_arg result, const kz_arg *extra,
                            size_t extra_count);

#endif
