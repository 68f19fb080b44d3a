// streams 01: one thing after the other
//
// Idea     copy the input to the device, run the kernel, copy the result back; the host waits after each.
// Change   none: what every first program does.
// Expect   the three times add up; at any moment two of the three engines have nothing to do.
// Limit    the sum of the stages. With pageable memory the copies are slower as well: the driver carries the bytes
//          through a pinned buffer of its own.

#include "work.cuh"

STREAMS_ENTRY(synchronous)
