// streams 05: several streams, stage by stage
//
// Idea     where a GPU has one queue for all streams, the order of the calls decides what can overlap.
// Change   the same four streams; the host issues the copies of four pieces, then their kernels, then the copies
//          back.
// Expect   on a GPU with a queue per stream (since Kepler) no better than 04.
// Limit    copies back wait in the host's order behind kernels: a round of four is drained before the next.

#include "work.cuh"

STREAMS_ENTRY(breadth_first)
