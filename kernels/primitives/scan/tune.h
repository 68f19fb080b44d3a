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

// 07: to be searched: threads 128 256 512, rows 2 4 6 8, blocks 3 to 8 (65536 registers), hints KZ_CACHE
// KZ_STREAM: loads that are marked as streaming cost vector_add a tenth on an H200.
#ifndef SCAN_MAIL_THREADS
#define SCAN_MAIL_THREADS 256
#endif
#ifndef SCAN_MAIL_ROWS
#define SCAN_MAIL_ROWS 4
#endif
#ifndef SCAN_MAIL_BLOCKS
#define SCAN_MAIL_BLOCKS 4 // per multiprocessor, at least
#endif
#ifndef SCAN_LOAD // 04 to 07
#define SCAN_LOAD KZ_CACHE
#endif
#ifndef SCAN_STORE
#define SCAN_STORE KZ_CACHE
#endif

// 07 and 08: tiles that the module has mail for: 2^19 of 16 KB are 8 GiB of input, of 32 KB 16 GiB.
#define SCAN_MAILS (1 << 19)

// 08: warps that scan, each with a chunk of rows x 512 bytes, which are the tile; warps that reduce; tiles in
// flight on a multiprocessor. To be searched: chunks 4 8, rows 4 8, reducers 2 4 8, stages 2 to 12 (224 KB at
// most), groups of 32 mails that are looked at together 4 5 6 8, blocks per multiprocessor 1 2.
#ifndef SCAN_AHEAD_CHUNKS
#define SCAN_AHEAD_CHUNKS 8
#endif
#ifndef SCAN_AHEAD_ROWS
#define SCAN_AHEAD_ROWS 8
#endif
#ifndef SCAN_AHEAD_REDUCERS
#define SCAN_AHEAD_REDUCERS 4
#endif
#ifndef SCAN_AHEAD_STAGES
#define SCAN_AHEAD_STAGES 6
#endif
#ifndef SCAN_AHEAD_GROUPS
#define SCAN_AHEAD_GROUPS 6
#endif
#ifndef SCAN_AHEAD_BLOCKS
#define SCAN_AHEAD_BLOCKS 1
#endif
// Bulk copies mark their lines as the first to leave L2: to be searched: 0 1, for each way.
#ifndef SCAN_AHEAD_EVICT_LOADS
#define SCAN_AHEAD_EVICT_LOADS 0
#endif
#ifndef SCAN_AHEAD_EVICT_STORES
#define SCAN_AHEAD_EVICT_STORES 0
#endif

#define SCAN_AHEAD_TILE (SCAN_AHEAD_CHUNKS * SCAN_AHEAD_ROWS * 512) // bytes
// A segmented scan's stage holds a byte per 4-byte element more, and there is a stage less.
#define SCAN_AHEAD_STAGE(segmented)  (SCAN_AHEAD_TILE + ((segmented) ? SCAN_AHEAD_TILE / 4 : 0))
#define SCAN_AHEAD_DEPTH(segmented)  (SCAN_AHEAD_STAGES - ((segmented) ? 1 : 0))
#define SCAN_AHEAD_SHARED(segmented) (SCAN_AHEAD_STAGE(segmented) * SCAN_AHEAD_DEPTH(segmented))
#define SCAN_AHEAD_THREADS           ((2 + SCAN_AHEAD_REDUCERS + SCAN_AHEAD_CHUNKS) * 32)

#endif
