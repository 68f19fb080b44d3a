// embedding: the tuning constants, read by the kernels and by the plans that launch them.
// Each may be given by -D, to both compilers, for a search. Not searched yet; as they are they have been timed.
#ifndef EMBEDDING_TUNE_H
#define EMBEDDING_TUNE_H

#define EMBEDDING_THREADS 256 // per block, for all kernels

// 03: rows whose loads a thread has in flight. To be searched: 2 4 8.
#ifndef EMBEDDING_ROWS
#define EMBEDDING_ROWS 4
#endif

// The sort: bits of a digit at most, and tokens of a warp in rounds of 32. To be searched: bits 7 8 9, rounds 2 4 8.
#define EMBEDDING_DIGIT_BITS 9
#define EMBEDDING_DIGITS     (1 << EMBEDDING_DIGIT_BITS)
#ifndef EMBEDDING_ROUNDS
#define EMBEDDING_ROUNDS 4
#endif
#define EMBEDDING_SORT_TILE (EMBEDDING_THREADS * EMBEDDING_ROUNDS)

// 05 to 07: rows of a segment whose loads are in flight, a power of two. To be searched: 2 4 8.
#ifndef EMBEDDING_SEGMENT_ROWS
#define EMBEDDING_SEGMENT_ROWS 4
#endif
// 07: rows of the table that a thread looks up at once. To be searched: 2 4 8.
#ifndef EMBEDDING_TABLE_ROWS
#define EMBEDDING_TABLE_ROWS 4
#endif
// 06 and 07: tokens of a piece, and pieces of a large piece. To be searched: 16 32 64.
#ifndef EMBEDDING_PIECE
#define EMBEDDING_PIECE 32
#endif

#endif
