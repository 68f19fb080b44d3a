// softmax: the tuning constants, read by the kernels and by the plans that launch them. Each may be given by -D, to both
// compilers, for a search; those of the frame are in kz/device/row_shape.h. 05 was searched on an H200 (notebook/rows.md).
#ifndef SOFTMAX_TUNE_H
#define SOFTMAX_TUNE_H

// 01, 02: threads of a block: 128 256 512.
#ifndef SOFTMAX_THREADS
#define SOFTMAX_THREADS 256
#endif
// 04, 05: packs of 16 bytes that a thread holds of a row, forward and (of each of two arrays) backward: 1 2 4 8, 1 2 4 8.
#ifndef SOFTMAX_UNITS
#define SOFTMAX_UNITS 4
#endif
#ifndef SOFTMAX_BACK_UNITS
#define SOFTMAX_BACK_UNITS 2
#endif
// 04: rows of up to so many packs have a lane for each, longer ones a lane for SOFTMAX_UNITS: 4 8 16 32.
#ifndef SOFTMAX_SHORT_PACKS
#define SOFTMAX_SHORT_PACKS 8
#endif
// 04: rows that are loaded ahead, of one pack for each lane and of more: 1 2 3; threads of a multiprocessor at once, by the
// registers that takes: 512 768 1024.
#ifndef SOFTMAX_SHORT_AHEAD
#define SOFTMAX_SHORT_AHEAD 3
#endif
#ifndef SOFTMAX_AHEAD
#define SOFTMAX_AHEAD 2
#endif
#ifndef SOFTMAX_SHORT_RESIDENT
#define SOFTMAX_SHORT_RESIDENT 768
#endif
#ifndef SOFTMAX_LANES_RESIDENT
#define SOFTMAX_LANES_RESIDENT 512
#endif
#endif
