// streams 06: a stream per engine, events between them
//
// Idea     a stream for each stage is the pipeline as one draws it; events say what waits for what, no more.
// Change   three streams: in, work, out. A kernel waits for the event behind its copy, the copy back for the event
//          behind the kernel, and a copy into a buffer for the event behind the last copy out of it.
// Expect   the overlap of 04; orders that 04 has for free from its streams are written down here.
// Limit    the slowest stage. Nine calls per piece: the host must keep ahead of the device.

#include "work.cuh"

STREAMS_ENTRY(events)
