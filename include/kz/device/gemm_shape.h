// What a kernel made of kz/device/gemm.cuh or gemm_plain.cuh needs of its launch, for the host and the kernel alike.
#ifndef KZ_GEMM_SHAPE_H
#define KZ_GEMM_SHAPE_H

#define KZ_GEMM_CHUNK         128 // bytes of a row of a stage, and of a row of what is stored
#define KZ_GEMM_SLAB          (64 * KZ_GEMM_CHUNK) // 64 such rows
#define KZ_GEMM_STORE_BUFFERS 2 // of each consumer, a slab each, where a tensor map stores c
#define KZ_GEMM_BARRIER_BYTES 1024
#define KZ_GEMM_SCALE_ROWS    128 // of b, that share a factor for each chunk
#define KZ_GEMM_METADATA      512 // bytes of metadata for 64 rows of a sparse a, and a chunk's 64 of k

// kz/device/gemm_plain.cuh: columns of a warp's tile, which has 16 rows.
#define KZ_PLAIN_WIDTH 8
#define KZ_PASS_WIDTH  64

#define KZ_GEMM_THREADS(consumers) (128 * ((consumers) + 1))
// Dynamic shared memory; 1024 bytes of it for the alignment that the swizzle wants.
#define KZ_GEMM_SHARED_BYTES(tile_m, tile_n, stages, consumers, tensor_store)                                \
    (1024 + KZ_GEMM_BARRIER_BYTES + (stages) * ((tile_m) + (tile_n)) * KZ_GEMM_CHUNK +                       \
     ((tensor_store) ? (consumers)*KZ_GEMM_STORE_BUFFERS * KZ_GEMM_SLAB : 0))
// The same where a is sparse: half of its bytes are stored, and there is metadata.
#define KZ_GEMM_SPARSE_SHARED_BYTES(tile_m, tile_n, stages, consumers, tensor_store)                         \
    (KZ_GEMM_SHARED_BYTES((tile_m) / 2, tile_n, stages, consumers, tensor_store) +                           \
     (stages) * ((tile_m) / 64) * KZ_GEMM_METADATA)
// The same where the producer's warps copy: raw rows of nine units of 16 bytes instead of buffers for c.
#define KZ_GEMM_RAW_UNITS 9
#define KZ_GEMM_ODD_SHARED_BYTES(tile_m, tile_n, stages, consumers, raw_stages)                              \
    (KZ_GEMM_SHARED_BYTES(tile_m, tile_n, stages, consumers, false) +                                        \
     (raw_stages) * ((tile_m) + (tile_n)) * KZ_GEMM_RAW_UNITS * 16)

#endif
