// Vector clocks over chains of operations. See streams.h.
#include "observe/streams.h"

void observe_order_join(observe_order *to, const observe_order *from) {
    for (size_t i = 0; i < OBSERVE_CHAINS; i++)
        if (from->ended[i] > to->ended[i]) to->ended[i] = from->ended[i];
}

bool observe_order_covers(const observe_order *order, const observe_order *other) {
    for (size_t i = 0; i < OBSERVE_CHAINS; i++)
        if (other->ended[i] > order->ended[i]) return false;
    return true;
}

// The chain that it can go on with, of several the longest: streams keep theirs, and short ones stay free.
observe_turn observe_chains_next(observe_chains *chains, const observe_order *before) {
    size_t best = OBSERVE_CHAINS;
    for (size_t i = 0; i < OBSERVE_CHAINS; i++)
        if (before->ended[i] == chains->last[i] &&
            (best == OBSERVE_CHAINS || chains->last[i] > chains->last[best]))
            best = i;
    if (best == OBSERVE_CHAINS) {
        chains->unplaced++;
        return (observe_turn){0};
    }
    return (observe_turn){(uint32_t)best, ++chains->last[best]};
}
