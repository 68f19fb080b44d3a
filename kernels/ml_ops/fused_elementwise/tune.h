// fused_elementwise: the tuning constants, read by the kernels and by the plans that launch them.
#ifndef FUSED_ELEMENTWISE_TUNE_H
#define FUSED_ELEMENTWISE_TUNE_H

#define FUSED_THREADS 256 // per block

// 04 and 05. Not searched yet: width 32 64 128, packs 4 8, blocks 2 to 6, waves 1 to 4.
#define FUSED_WIDTH            64 // threads side by side in a row, at most
#define FUSED_PACKS            4 // that a thread of 05 loads before it uses the first, of all inputs; or a few more
#define FUSED_COLUMNS_BLOCKS   4  // on a multiprocessor: of 04
#define FUSED_IN_FLIGHT_BLOCKS 3  // and of 05
#define FUSED_WAVES            2  // of so many blocks, where there are no sums to put together
#define FUSED_GATHER           32 // columns of a block that adds the pieces' sums

#endif
