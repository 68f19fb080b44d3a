// rope 04: several heads per thread
//
// Idea     the heads of a token turn alike: what a thread knows of the angles serves more than one of them.
// Change   a thread takes the same unit of ROPE_HEADS heads: their loads are in flight together, and the entries of the
//          table are read once for all.
// Expect   a quarter of the table's reads, and four times the bytes in flight.
// Limit    the table itself: a launch before the work, and its way through L2. With one or two heads a token, as in the
//          keys of one group, the table is as large as the elements (see 05).

#include "table.cuh"
#include "units.cuh"

#define ENTRY(layout, halves, type, T)                                                                       \
    KZ_ENTRY(rope_heads_##layout##_##type)(ROPE_PARAMETERS(T), const float2 *table, size_t groups) {         \
        const rope_job<T> job = ROPE_JOB(T);                                                                 \
        rope_serve_all<T, halves>(job, (unsigned)groups, rope_table{table, job.rotary / 2});                 \
    }
ROPE_TABLE_ENTRY(heads)
ROPE_ALL(ENTRY)
