// atomics 02: red, no result
//
// Idea     an atomic whose result nobody uses needs no way back: the compiler makes red of atom.
// Change   01 without the question. Maxima of floats by atomics of integers in the same order. An update is four
//          of them, one for each part, which need not happen at the same moment.
// Expect   as many requests as in 01, and no thread waits for one.
// Limit    the words themselves: on one of them L2 makes a change at a time (see 04, 05).

#include "atomics.cuh"

KZ_ENTRY(atomics_red_count_u32)(const unsigned *keys, unsigned *out, size_t n, size_t k) {
    for (size_t i = kz_thread(); i < n; i += kz_threads()) atomicAdd(&out[keys[i]], 1);
}

KZ_ENTRY(atomics_red_max_f32)(const unsigned *keys, unsigned *out, const float *values, size_t n, size_t k) {
    for (size_t i = kz_thread(); i < n; i += kz_threads()) {
        float x = values[i];
        if (x == x) raise_to(&out[keys[i]], x);
    }
}

KZ_ENTRY(atomics_red_update_i32)(const unsigned *keys, int *out, const int *values, size_t n, size_t k) {
    for (size_t i = kz_thread(); i < n; i += kz_threads()) add_parts(&out[4 * keys[i]], parts_of(values[i]));
}

ATOMICS_CLEAR_UPDATE
