// gemm_fused: tuning constants, for kernels and plans.
#ifndef GEMM_FUSED_TUNE_H
#define GEMM_FUSED_TUNE_H

// 01 and the second kernel of 02: warps of a block.
#define FUSED_WARPS 4

// The product of 02, and 04, as hgemm's fastest for large matrices.
#define FUSED_TILE_M 128
#define FUSED_TILE_N 256
#define FUSED_STAGES 4

// 03: small tiles for any shape.
#define FUSED_DIRECT_M      64
#define FUSED_DIRECT_N      128
#define FUSED_DIRECT_STAGES 8

// 05: a tile for each consumer. To be searched on a GPU: 128 with 6 stages, 160 with 5, 192 with 4. Wider ones copy less per product
// and spill: 164 bytes of a thread's registers for bias_gelu at 160, 744 at 192, once per tile. 160 has no bias_residual, whose
// pairs must not be seen twice.
#define FUSED_PING_PONG_M      128
#define FUSED_PING_PONG_N      128
#define FUSED_PING_PONG_STAGES 6
// Those whose arithmetic or loads are worth hiding.
#define FUSED_PING_PONG(X)                                                                                   \
    X(bias)                                                                                                  \
    X(bias_relu)                                                                                             \
    X(bias_gelu)                                                                                             \
    X(bias_gelu_tanh)                                                                                        \
    X(bias_silu)                                                                                             \
    X(bias_residual)                                                                                         \
    X(masked)                                                                                                \
    X(bias_gelu_e4m3)                                                                                        \
    X(swiglu)                                                                                                \
    X(geglu)

// Rows of tiles that blocks walk down before they go to the next column, as in hgemm.
#define FUSED_GROUP 8

#endif
