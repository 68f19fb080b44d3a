// compact: the tuning constants, read by the kernels and by the plans that launch them.
// Each may be given by -D, to both compilers, for a search.
#ifndef COMPACT_TUNE_H
#define COMPACT_TUNE_H

#define COMPACT_THREADS 256 // per block, for 01 to 04

// 01: neighbouring elements of a thread. 02: elements of a lane, which lie 32 apart.
#define COMPACT_ITEMS 16

// 01 to 03: counts that a thread of the one block that scans them takes at a time. To be searched: 4 16.
#ifndef COMPACT_SUMS_ITEMS
#define COMPACT_SUMS_ITEMS 16
#endif

// 03 and 04: 16-byte packs per thread; a tile is 256 x 4 x 16 bytes = 16 KB. To be searched: 2 4.
#ifndef COMPACT_ROWS
#define COMPACT_ROWS 4
#endif

// 05: to be searched: threads 128 256 512, rows 2 4 6 8, blocks 3 to 8 (65536 registers, 228 KB).
#ifndef COMPACT_EPOCH_THREADS
#define COMPACT_EPOCH_THREADS 256
#endif
#ifndef COMPACT_EPOCH_ROWS
#define COMPACT_EPOCH_ROWS 4
#endif
#ifndef COMPACT_EPOCH_BLOCKS
#define COMPACT_EPOCH_BLOCKS 4 // per multiprocessor, at least
#endif
#ifndef COMPACT_LOAD // 03 to 05: KZ_CACHE KZ_STREAM
#define COMPACT_LOAD KZ_CACHE
#endif

// 05 and 06: tiles that the module has a status for: 2^19 of 16 KB are 8 GiB of input, of 32 KB 16 GiB.
#define COMPACT_STATUSES (1 << 19)

// 06: warps that compact, each a chunk of rows x 512 bytes, which are the tile; warps that store; tiles in
// flight on a multiprocessor. Searched on an H200, select of half of 2^26 f32, 102 us as it stands: rows 4 with 12
// stages 146, and on two blocks with half the room each 133; storers 8 103. At 2^22, 15.7 us: 18.2, 19.0, 15.8. Not yet
// searched: chunks 4 12, groups of 32 tile statuses that are polled together 4 5 8.
#ifndef COMPACT_AHEAD_CHUNKS
#define COMPACT_AHEAD_CHUNKS 8
#endif
#ifndef COMPACT_AHEAD_ROWS
#define COMPACT_AHEAD_ROWS 8
#endif
#ifndef COMPACT_AHEAD_STORERS
#define COMPACT_AHEAD_STORERS 4
#endif
#ifndef COMPACT_AHEAD_STAGES
#define COMPACT_AHEAD_STAGES 6
#endif
#ifndef COMPACT_AHEAD_GROUPS
#define COMPACT_AHEAD_GROUPS 6
#endif
#ifndef COMPACT_AHEAD_BLOCKS
#define COMPACT_AHEAD_BLOCKS 1
#endif
// Bulk loads mark their lines as the first to leave L2. Searched likewise: 0, and 1, which takes 107 us.
#ifndef COMPACT_AHEAD_EVICT_LOADS
#define COMPACT_AHEAD_EVICT_LOADS 0
#endif
// Bytes of shared memory for stages: where flags make a stage larger, there are fewer.
#ifndef COMPACT_AHEAD_ROOM
#define COMPACT_AHEAD_ROOM (212 * 1024)
#endif

#define COMPACT_AHEAD_TILE (COMPACT_AHEAD_CHUNKS * COMPACT_AHEAD_ROWS * 512) // bytes
// For elements of `size` bytes: flags lie after a tile, the pack before it comes first (unique).
#define COMPACT_AHEAD_STAGE(size, flagged, unique)                                                           \
    (COMPACT_AHEAD_TILE + ((flagged) ? COMPACT_AHEAD_TILE / (size) : 0) + ((unique) ? 16 : 0))
#define COMPACT_AHEAD_DEPTH(stage)                                                                           \
    (COMPACT_AHEAD_STAGES * (stage) <= COMPACT_AHEAD_ROOM ? COMPACT_AHEAD_STAGES                             \
                                                          : COMPACT_AHEAD_ROOM / (stage))
#define COMPACT_AHEAD_THREADS ((2 + COMPACT_AHEAD_CHUNKS + COMPACT_AHEAD_STORERS) * 32)

#endif
