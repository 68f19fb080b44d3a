// layernorm and rmsnorm: the tuning constants, read by the kernels and by the plans that launch them. Each may be given by
// -D, to both compilers, for a search; those of the row frame are in kz/device/row_shape.h. 05 was searched on an H200.
#ifndef NORM_TUNE_H
#define NORM_TUNE_H

// 01, 02: threads of a block: 128 256 512.
#ifndef NORM_THREADS
#define NORM_THREADS 256
#endif
// 04: packs of 16 bytes that a lane holds of a row, by how many arrays are held: 2 4.
#ifndef NORM_LANE_UNITS
#define NORM_LANE_UNITS 4
#endif
#ifndef NORM_LANE_UNITS_OF_TWO
#define NORM_LANE_UNITS_OF_TWO 2
#endif
// 04: blocks of a multiprocessor: 3 4 forward (4 leave 64 registers, of which some are spilled), 2 backward.
#ifndef NORM_LANE_BLOCKS
#define NORM_LANE_BLOCKS 3
#endif
#ifndef NORM_LANE_BACK_BLOCKS
#define NORM_LANE_BACK_BLOCKS 2
#endif
// 05: packs that a thread holds of a row, and threads of a block, at most: of one array, of x and the residual.
#ifndef NORM_UNITS
#define NORM_UNITS 4
#endif
#ifndef NORM_BLOCK
#define NORM_BLOCK 1024
#endif
#ifndef NORM_BLOCK_OF_TWO
#define NORM_BLOCK_OF_TWO 512
#endif
// 05, of no more rows than multiprocessors: packs that a thread holds: 1 2.
#ifndef NORM_FEW_UNITS
#define NORM_FEW_UNITS 2
#endif
// 05 backward: packs of x and of dy that a thread holds, threads of a block at most, and those that a multiprocessor holds at once, by
// the registers that this leaves. Searched on an H200 (notebook/rows.md): 1 2 4, 128 to 1024, 256 to 1024, 0 to 2 rows under way.
#ifndef NORM_BACK_UNITS
#define NORM_BACK_UNITS 2
#endif
#ifndef NORM_BACK_BLOCK
#define NORM_BACK_BLOCK 512
#endif
#ifndef NORM_BACK_RESIDENT
#define NORM_BACK_RESIDENT(bytes) ((bytes) == 4 ? 1024 : 768)
#endif
// 03 backward: threads of a block that adds columns, blocks for each multiprocessor, rows of a chunk at least.
#ifndef NORM_COLUMN_THREADS
#define NORM_COLUMN_THREADS 128
#endif
#ifndef NORM_COLUMN_BLOCKS
#define NORM_COLUMN_BLOCKS 8
#endif
#ifndef NORM_COLUMN_ROWS
#define NORM_COLUMN_ROWS 16
#endif
// The last stage: warps that share a group of 32 columns: 8 16 32.
#ifndef NORM_FOLD_WARPS
#define NORM_FOLD_WARPS 16
#endif

#endif
