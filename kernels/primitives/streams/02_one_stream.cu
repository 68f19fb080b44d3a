// streams 02: asynchronous, in one stream
//
// Idea     the host need not wait between steps that a stream keeps in order.
// Change   all three are enqueued at once.
// Expect   the gaps between the steps close: no round trip to the host. A few microseconds, whatever the size.
// Limit    a stream is in order: nothing overlaps yet.

#include "work.cuh"

STREAMS_ENTRY(one_stream)
