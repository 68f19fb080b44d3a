// atomics 08: a ticket lock, first come, first served
//
// Idea     one atomic tells each thread its place in the queue; from then on it only has to read which ticket is served.
// Change   two words for each key: the next ticket, and the one that is served. A thread sleeps in proportion to those
//          before it. The holder serves the next by a plain store with release.
// Expect   one atomic for each update, whatever the crowd; fair.
// Limit    fair also to those who sleep: the lock waits for the next ticket's holder, though others are awake.

#include "lock.cuh"

KZ_ENTRY(atomics_ticket_lock_update_i32)
(const unsigned *keys, int *out, const int *values, unsigned *locks, size_t n, size_t k) {
    for (size_t i = kz_thread(); i < n; i += kz_threads()) {
        unsigned key = keys[i], *next = &locks[key], *served = &locks[k + key];
        unsigned ticket = atomicAdd(next, 1);
        for (bool done = false; !done;) {
            unsigned before = ticket - load_acquire(served);
            if (before) {
                __nanosleep(min(before * ATOMICS_SLEEP_EACH, ATOMICS_SLEEP_MOST));
                continue;
            }
            add_parts_alone(&out[4 * key], parts_of(values[i]));
            store_release(served, ticket + 1);
            done = true;
        }
    }
}

ATOMICS_CLEAR_UPDATE
