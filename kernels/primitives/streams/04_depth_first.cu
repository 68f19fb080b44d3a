// streams 04: several streams, piece by piece
//
// Idea     a buffer for every stage, and one to spare: then each engine finds work.
// Change   four streams with a buffer each; the host issues copy, kernel, copy of one piece, then the next one's.
// Expect   all three engines are busy but for filling and draining: the time of the slowest stage, and two pieces.
// Limit    the slowest stage; pieces that do not overlap at both ends.

#include "work.cuh"

STREAMS_ENTRY(depth_first)
