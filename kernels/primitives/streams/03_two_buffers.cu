// streams 03: double buffering
//
// Idea     while the kernel works on one piece, the next can be on its way.
// Change   the input is cut into pieces; two streams with a buffer each take them alternately.
// Expect   copies and kernels of neighbouring pieces overlap; memory on the device for two pieces is enough.
// Limit    three stages and two buffers: a buffer is in one stage at a time, so one of three engines always waits.

#include "work.cuh"

STREAMS_ENTRY(two_buffers)
