// attention_backward 13: all cores
//
// Idea     heads of keys need nothing of each other.
// Change   12's code, launched with a block for each core instead of one for all; each takes its share of the heads of keys, and
//          has memory for their dq. The plan is all there is to it.
// Expect   as many times 12 as there are cores, less what wide vectors cost the clock.
// Limit    heads: where batch times heads of keys are fewer than cores, some have nothing to do.
#include "private.h"
