// atomics 09: one lock for a warp's group, taken by its leader
//
// Idea     04's: lanes with the same key fold first, and only their leader needs the lock.
// Change   07 behind match and redux.
// Expect   with few keys up to 32 times fewer locks taken, and no lane that waits for another of its warp.
// Limit    the lock is still taken once for each warp and key; what need not happen together is better off without
//          (04, 05).
// kz: sm 80

#include "group.cuh"
#include "lock.cuh"

KZ_ENTRY(atomics_leader_lock_update_i32)
(const unsigned *keys, int *out, const int *values, unsigned *locks, size_t n, size_t k) {
    for (size_t i = kz_thread(); round_begins(i) < n; i += kz_threads()) {
        unsigned group = group_of(keys, i, n);
        if (group) {
            parts p = fold_group(group, values[i]);
            if (leads(group)) update_with_backoff(&locks[keys[i]], &out[4 * keys[i]], p);
        }
        __syncwarp();
    }
}

ATOMICS_CLEAR_UPDATE
