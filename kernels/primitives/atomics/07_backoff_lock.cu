// atomics 07: a spin lock with backoff
//
// Idea     a lock that is taken cannot be had by asking more often.
// Change   06 with a load before the exchange (loads do not queue as changes do), and a sleep after each failure, twice
//          as long every time.
// Expect   far fewer changes at the lock's word: the holder's release gets through.
// Limit    who sleeps may oversleep; and nothing says who is next (see 08). Lanes of one warp still wait for each other at
//          one lock (see 09).

#include "lock.cuh"

KZ_ENTRY(atomics_backoff_lock_update_i32)
(const unsigned *keys, int *out, const int *values, unsigned *locks, size_t n, size_t k) {
    for (size_t i = kz_thread(); i < n; i += kz_threads())
        update_with_backoff(&locks[keys[i]], &out[4 * keys[i]], parts_of(values[i]));
}

ATOMICS_CLEAR_UPDATE
