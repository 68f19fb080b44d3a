// rope 02: a table of cosines and sines
//
// Idea     angles belong to a token and a pair, not to a head: compute each once.
// Change   a first launch writes cosine and sine of every token's pairs into the workspace; a thread per pair reads them.
// Expect   the arithmetic of a pair falls to four products. The table is 4 bytes per element of one head, written once and
//          read by all heads, from L2.
// Limit    accesses of one element each, and three loads for each pair (see 03).

#include "table.cuh"

template <bool halves, typename T>
static __device__ __forceinline__ void turn_all(const rope_job<T> &j, const float2 *table) {
    const unsigned pairs = j.rotary / 2, slots = pairs + j.dim - j.rotary; // of a head
    for (size_t at = kz_thread(); at < j.tokens * j.heads() * slots; at += kz_threads()) {
        size_t row_index = at / slots, token = row_index / j.heads();
        unsigned slot = (unsigned)(at - row_index * slots);
        rope_row<T> row = rope_find(j, token, (unsigned)(row_index - token * j.heads()));
        if (slot < pairs)
            rope_turn_pair<halves>(row, slot, j.rotary, table[token * pairs + slot]);
        else
            row.out[slot + pairs] = row.in[slot + pairs];
    }
}

ROPE_TABLE_ENTRY(table)
#define ENTRY(layout, halves, type, T)                                                                       \
    KZ_ENTRY(rope_table_##layout##_##type)(ROPE_PARAMETERS(T), const float2 *table) {                        \
        turn_all<halves>(ROPE_JOB(T), table);                                                                \
    }
ROPE_ALL(ENTRY)
