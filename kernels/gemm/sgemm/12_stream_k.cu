// sgemm 12: an even share for every multiprocessor
//
// Idea     3072 x 3072 has 288 tiles of 128 x 256: two rounds of 132, and a third in which 24 multiprocessors work and 108
//          wait. Smaller tiles waste less there, but are slower everywhere.
// Change   as 09, but the tiles of the last full round and the rest are taken as one long list of chunks, in the order of
//          tiles and of k, of which each block gets an even share (stream-K: Osama et al. 2023). A tile may so belong to
//          two blocks or more: the one with its first chunk waits for the others' sums, adds them in order and writes it.
// Expect   the time of work / multiprocessors, whatever the number of tiles; 128 KB through L2 for a divided tile.
// Limit    a divided tile's sums cost some microseconds: where the rounds are nearly full, 09 is as fast. Small matrices
//          have less than a tile's k for each block (see 11).
// kz: sm 90a

#include "stream.cuh"

typedef shape<SGEMM_PRODUCER_DOWN, SGEMM_PRODUCER_ACROSS, 4, SGEMM_PRODUCER_DEPTH> S;

KZ_ENTRY_BOUNDS(sgemm_stream_k_gemm_f32, S::THREADS + PRODUCERS, 1)
(const float *a, const float *b, float *c, size_t m, size_t n, size_t k, float *partials, size_t whole) {
    const problem p = {a, b, c, m, n, k, k, n};
    run<S>(p, stream_tiles::make<S>(p, partials, whole));
}
