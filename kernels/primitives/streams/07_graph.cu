// streams 07: the pipeline as a graph
//
// Idea     the calls of 06 are the same in every run: record them once, launch them as one.
// Change   the steps of 06, recorded; a run is one call.
// Expect   06's overlap; the host's part shrinks from 72 calls to one, which shows where pieces are small.
// Limit    the slowest stage.

#include "work.cuh"

STREAMS_ENTRY(graph)
