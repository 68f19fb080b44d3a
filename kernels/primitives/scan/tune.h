// scan: the tuning constants, read by the kernels and by the plans that launch them.
// Each may be given by -D, to both compilers, for a search.
#ifndef SCAN_TUNE_H
#define SCAN_TUNE_H

#define SCAN_THREADS 256 // per block, for 01 to 06

// 04 to 06: 16-byte packs per thread; a tile is 256 x 4 x 16 bytes = 16 KB. To be searched: 2 4 8.
#ifndef SCAN_ROWS
#define SCAN_ROWS 4
#endif

// 01 to 05: totals of tiles that a thread of the one block that scans them takes at a time. To be searched: 4 16.
#ifndef SCAN_SUMS_ITEMS
#define SCAN_SUMS_ITEMS 16
#endif

// 07: to be searched: threads 128 256 512, rows 2 4 6 8, blocks 3 to 8 (65536 registers). 04 to 07's hints:
// kz/device/scan_tile.cuh.
#ifndef SCAN_EPOCH_THREADS
#define SCAN_EPOCH_THREADS 256
#endif
#ifndef SCAN_EPOCH_ROWS
#define SCAN_EPOCH_ROWS 4
#endif
#ifndef SCAN_EPOCH_BLOCKS
#define SCAN_EPOCH_BLOCKS 4 // per multiprocessor, at least
#endif
// 07, elements of 8 bytes (but not a segmented scan of them, which has no registers left): tiles of 48 KB, so that 12 MB are
// one wave of blocks. Trials on an H200 with i64, 2^20, 1.5 2^20 and 2^21 elements: 11.4, 12.8 and 16.9 us; with 256 x 4
// and 4 blocks, 11.5, 15.6 and 18.7; 384 x 6 and 3, 11.7, 13.7 and 16.7; 512 x 8 and 2, 11.9, 13.9 and 15.8.
#ifndef SCAN_EPOCH_WIDE_THREADS
#define SCAN_EPOCH_WIDE_THREADS 384
#endif
#ifndef SCAN_EPOCH_WIDE_ROWS
#define SCAN_EPOCH_WIDE_ROWS 8
#endif
#ifndef SCAN_EPOCH_WIDE_BLOCKS
#define SCAN_EPOCH_WIDE_BLOCKS 2
#endif
#define SCAN_EPOCH_IS_WIDE(element_bytes, value_bytes) ((element_bytes) == 8 && (value_bytes) == 8)

// 07: tiles that the module has a status for: 2^19 of 16 KB are 8 GiB of input, of 48 KB 24; 08's, of 32 KB, are 16 GiB.
#define SCAN_STATUSES (1 << 19)

// 08: kz/device/scan_shape.h, for kernels with operations of one's own have the same.
#include "kz/device/scan_shape.h"

#endif
