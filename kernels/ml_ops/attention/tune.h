// attention: tuning constants, for kernels and plans, with what was considered. None was timed yet.
#ifndef ATTENTION_TUNE_H
#define ATTENTION_TUNE_H

// ---- Hopper's rungs, 05 to 09: consumers of 64 queries each, keys of a tile, stages of the ring ----------------

// A multiprocessor has 227 KB and 65536 registers. Of a consumer's thread the sums take dimension / 2 registers, the scores keys /
// 2 and the weights keys / 4; three consumers may have 160 each, two 240.

// 05: one warpgroup to a block. 64 keys leave room for three blocks of 128 elements, 128 for two. Considered: 64, 128.
#ifndef ATTENTION_SINGLE_KEYS_64
#define ATTENTION_SINGLE_KEYS_64 128
#endif
#ifndef ATTENTION_SINGLE_KEYS
#define ATTENTION_SINGLE_KEYS 64
#endif

// 06: 128 queries.
#ifndef ATTENTION_PAIR_KEYS
#define ATTENTION_PAIR_KEYS 128
#endif

// From 07 on. Of 64 elements: 192 queries x 128 keys; considered 128 x 128 and 192 x 192, whose weights do not fit beside
// the scores.
#ifndef ATTENTION_KEYS_64
#define ATTENTION_KEYS_64 128
#endif
#ifndef ATTENTION_CONSUMERS_64
#define ATTENTION_CONSUMERS_64 3
#endif
// Of 96: 128 x 128; considered 192 x 144, which needs 156 registers for sums, scores and weights alone.
#ifndef ATTENTION_KEYS_96
#define ATTENTION_KEYS_96 128
#endif
// Of 128: where no query's keys end before another's, 176 keys fill shared memory; under a causal mask 128, of which the edges
// waste less. Considered: 80 to 176.
#ifndef ATTENTION_KEYS_128
#define ATTENTION_KEYS_128 128
#endif
#ifndef ATTENTION_FULL_KEYS_128
#define ATTENTION_FULL_KEYS_128 176
#endif
// Of 256: what two stages leave.
#ifndef ATTENTION_KEYS_256
#define ATTENTION_KEYS_256 80
#endif
#ifndef ATTENTION_STAGES
#define ATTENTION_STAGES 2
#endif

// Weights may grow to 2 to this power before sums are scaled anew. Considered: 0, 8; f16 ends at 2^16.
#ifndef ATTENTION_LAG
#define ATTENTION_LAG 8.0f
#endif

// 09: bytes of keys and values that blocks work on at the same time: what an L2 of 50 MB holds beside queries and results. Considered:
// 16 to 40 MB.
#ifndef ATTENTION_SECTION
#define ATTENTION_SECTION (32 << 20)
#endif

#endif
