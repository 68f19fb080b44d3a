// atomics 03: compare and swap
//
// Idea     what is not among the atomics can be made of one: look, compute, and write if nobody was faster.
// Change   02 with a loop of compare-and-swap. It needs no trick for maxima of floats, nor for anything else that
//          fits into a word.
// Expect   with nobody else at the word two requests in the place of one. With p threads at it one of them succeeds
//          while p try: work that grows with the square of the crowd.
// Limit    the crowd. Where there is an atomic for it, take that; where not, fold first (04, 05).

#include "atomics.cuh"

KZ_ENTRY(atomics_cas_count_u32)(const unsigned *keys, unsigned *out, size_t n, size_t k) {
    for (size_t i = kz_thread(); i < n; i += kz_threads()) {
        unsigned *slot = &out[keys[i]], expected, seen = load_relaxed(slot);
        do {
            expected = seen;
            seen = atomicCAS(slot, expected, expected + 1);
        } while (seen != expected);
    }
}

// 0xffffffff, what a slot begins with, is a NaN: nothing is above it, and it must give way.
KZ_ENTRY(atomics_cas_max_f32)(const unsigned *keys, unsigned *out, const float *values, size_t n, size_t k) {
    for (size_t i = kz_thread(); i < n; i += kz_threads()) {
        float x = values[i];
        if (x != x) continue;
        unsigned *slot = &out[keys[i]], seen = load_relaxed(slot);
        while (!(__uint_as_float(seen) >= x)) { // most see at once that they have nothing to say
            unsigned expected = seen;
            seen = atomicCAS(slot, expected, __float_as_uint(x));
            if (seen == expected) break;
        }
    }
}
