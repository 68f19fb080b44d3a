// What a kernel made of mma_tile.cuh needs of its launch, for the host and the kernel alike.
#ifndef GEMM_MMA_SHAPE_H
#define GEMM_MMA_SHAPE_H

#define GEMM_MMA_TILE        128 // rows and columns of c, of a block of eight warps, 64 x 32 each
#define GEMM_MMA_THREADS     256
#define GEMM_MMA_CHUNK_BYTES (GEMM_MMA_TILE * 64) // of an operand; a stage has two

#endif
