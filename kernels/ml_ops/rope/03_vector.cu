// rope 03: 16 bytes per access
//
// Idea     neighbouring pairs of a head lie together in every layout: load and store them 16 bytes at a time.
// Change   a thread takes a unit of a head: one access of interleaved pairs, or one in each half. Its table entries come two
//          per load. Where rows do not begin at 16 bytes, a unit is a pair of single elements.
// Expect   an eighth of 02's memory instructions for the half types, a quarter for f32.
// Limit    a thread has one or two loads of elements in flight, and reads as many bytes of the table as of elements, or
//          twice as many (see 04).

#include "table.cuh"
#include "units.cuh"

#define ENTRY(layout, halves, type, T)                                                                       \
    KZ_ENTRY(rope_vector_##layout##_##type)(ROPE_PARAMETERS(T), const float2 *table) {                       \
        const rope_job<T> job = ROPE_JOB(T);                                                                 \
        rope_serve_all<T, halves>(job, job.heads(), rope_table{table, job.rotary / 2});                      \
    }
ROPE_TABLE_ENTRY(vector)
ROPE_ALL(ENTRY)
