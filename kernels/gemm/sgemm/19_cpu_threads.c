// sgemm 19: all cores
//
// Idea     tiles of c need nothing of each other.
// Change   18's kernels, launched with a block for every tile of c instead of one for all; cores that are
//          free take the next block. Panels are packed by all cores too, each once. The plan is all there is
//          to it.
// Expect   as many times 18 as there are cores, less what wide vectors cost the clock.
// Limit    arithmetic; with many cores, the share of L3 and memory that a core has.
#include "private.h"
