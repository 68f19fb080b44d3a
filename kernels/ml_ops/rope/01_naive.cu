// rope 01: naive
//
// Idea     a pair needs its angle and its two elements: a thread takes a pair and computes all of it.
// Change   the first version. Frequency, angle, cosine and sine are computed in double: position times frequency passes
//          2^20 radians, where a float knows an angle to 1/16 radian only.
// Expect   right at every position, and slow: about 150 instructions of double arithmetic for two elements.
// Limit    every head of a token computes the same angles again (see 02).

#include "rope.cuh"

template <bool halves, typename T> static __device__ __forceinline__ void turn_all(const rope_job<T> &j) {
    const unsigned pairs = j.rotary / 2, slots = pairs + j.dim - j.rotary; // of a head
    for (size_t at = kz_thread(); at < j.tokens * j.heads() * slots; at += kz_threads()) {
        size_t row_index = at / slots, token = row_index / j.heads();
        unsigned slot = (unsigned)(at - row_index * slots);
        rope_row<T> row = rope_find(j, token, (unsigned)(row_index - token * j.heads()));
        if (slot < pairs)
            rope_turn_pair<halves>(row, slot, j.rotary,
                                   rope_angle(j.positions[token], slot, j.log2_step, j.sign));
        else
            row.out[slot + pairs] = row.in[slot + pairs]; // what is not rotated
    }
}

#define ENTRY(layout, halves, type, T)                                                                       \
    KZ_ENTRY(rope_naive_##layout##_##type)(ROPE_PARAMETERS(T)) { turn_all<halves>(ROPE_JOB(T)); }
ROPE_ALL(ENTRY)
