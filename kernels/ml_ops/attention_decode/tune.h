// attention_decode: the tuning constants, read by the kernels and by the plans that launch them.
// Each may be given by -D, to both compilers, for a search. Not searched yet; as they are they have been timed.
#ifndef ATTENTION_DECODE_TUNE_H
#define ATTENTION_DECODE_TUNE_H

#define DECODE_THREADS 128 // per block; 06 has a warp more, which fetches

// Keys of a block's share are a multiple of this: a tile of 05 and 06.
#define DECODE_TILE 64
// 03 and later: keys that are worth a block of their own. To be searched: 64 128 256 512.
#ifndef DECODE_LEAST
#define DECODE_LEAST 128
#endif
// 03 and later: what a block costs besides its keys, counted in keys: its start, its part's way through memory. To be
// searched: 16 32 64 128.
#ifndef DECODE_BLOCK_COST
#define DECODE_BLOCK_COST 64
#endif
// 03 and 04: blocks that a multiprocessor holds, as the plan sees it. To be searched: 2 3 4.
#ifndef DECODE_RESIDENT
#define DECODE_RESIDENT 3
#endif
// 02 to 04: keys that a lane has in flight at once. To be searched: 2 4 8.
#ifndef DECODE_IN_FLIGHT
#define DECODE_IN_FLIGHT 4
#endif
// 05 and 06: the same, of heads of up to 128 numbers; of 256 one. Shared memory and registers have room for three.
#ifndef DECODE_TENSOR_RESIDENT
#define DECODE_TENSOR_RESIDENT 3
#endif
// 05 and 06: bytes of shared memory that a block's stages may take. To be searched: 49152 73728 106496.
#ifndef DECODE_STAGE_BYTES
#define DECODE_STAGE_BYTES 73728
#endif

// Where things lie in shared memory, in bytes, of rows of `row` bytes in the cache and `d` numbers in q. A row of k or v is padded
// such that eight of them, read side by side, are in different banks; `bytes`: the cache is of e4m3.
#define DECODE_TENSOR_ROWS       16
#define DECODE_Q_ROW(d)          (2 * (d) + 16)
#define DECODE_K_ROW(row, bytes) ((row) + (!(bytes) ? 16 : (row) % 128 == 96 ? 0 : 32))
#define DECODE_V_ROW(row)        ((row) + 16)
#define DECODE_STAGE(row, bytes) (DECODE_TILE * (DECODE_K_ROW(row, bytes) + DECODE_V_ROW(row)))
#define DECODE_STAGES(stage)     ((stage)*4 <= DECODE_STAGE_BYTES ? 4 : (stage)*3 <= DECODE_STAGE_BYTES ? 3 : 2)

// Floats of a part of `rows` rows, whole packs of 16 bytes; and how many parts of one cache there may be: their greatest scores and
// sums lie in shared memory where the parts of four warps were.
#define DECODE_PART(rows, dimension)  (((rows) * ((dimension) + 2) + 3) / 4 * 4)
#define DECODE_MOST_SPLITS(dimension) (2 * ((dimension) + 2))

// 04 and later: tickets of a module, one for each group of blocks that share a cache. More groups than that fill any device.
#define DECODE_TICKETS 4096

#endif
