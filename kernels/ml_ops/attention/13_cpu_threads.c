// attention 13: all cores
//
// Idea     tiles of queries need nothing of each other.
// Change   12's code, launched with four blocks for each core instead of one for all; each takes every so many tiles, and cores
//          that are free take the next block. The plan is all there is to it.
// Expect   as many times 12 as there are cores, less what wide vectors cost the clock.
// Limit    each tile of queries copies its keys and values anew, also where heads share them.
#include "private.h"
