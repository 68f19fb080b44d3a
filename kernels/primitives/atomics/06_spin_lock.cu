// atomics 06: a spin lock for each key
//
// Idea     where several words must change together, one thread at a time may change them: whoever exchanges a 0 in the
//          lock for a 1 has it.
// Change   plain loads and stores of the four parts, inside an exchange with acquire and a store with release.
// Expect   correct on any schedule. While it waits a thread sends one exchange after another, to the very word that the
//          holder must reach to give the lock back.
// Limit    those exchanges (see 07).

#include "lock.cuh"

KZ_ENTRY(atomics_spin_lock_update_i32)
(const unsigned *keys, int *out, const int *values, unsigned *locks, size_t n, size_t k) {
    for (size_t i = kz_thread(); i < n; i += kz_threads()) {
        unsigned key = keys[i];
        for (bool done = false; !done;) {
            if (!try_lock(&locks[key])) continue;
            add_parts_alone(&out[4 * key], parts_of(values[i]));
            store_release(&locks[key], 0);
            done = true;
        }
    }
}

ATOMICS_CLEAR_UPDATE
