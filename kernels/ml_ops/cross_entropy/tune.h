// cross_entropy: the tuning constants, read by the kernels and by the plans that launch them. Each may be given by -D, to
// both compilers, for a search; those of the frame are in kz/device/row_shape.h. None has been searched on a GPU yet.
#ifndef CROSS_ENTROPY_TUNE_H
#define CROSS_ENTROPY_TUNE_H

// 01, 02: threads of a block: 128 256 512.
#ifndef CROSS_ENTROPY_THREADS
#define CROSS_ENTROPY_THREADS 256
#endif
// 04: packs of 16 bytes that a thread holds of a row: 4 8 16, and threads of a block, at most: 256 512 1024.
#ifndef CROSS_ENTROPY_UNITS
#define CROSS_ENTROPY_UNITS 4
#endif
#ifndef CROSS_ENTROPY_BLOCK
#define CROSS_ENTROPY_BLOCK 1024
#endif

#endif
