// atomics 01: an atomic, and its result
//
// Idea     the hardware reads, changes and writes a word in L2 as one step, and says what was there before.
// Change   the first version: one atomic for each element, whose result is used: append writes to the index that it
//          returns, and count looks whether a counter went astray.
// Expect   as many requests as elements; each thread waits for a round trip to L2 before its next one. Lanes that
//          want the same word are serialised.
// Limit    one word is changed once in a while, whoever asks: with one counter everybody queues (see 04, 05). A
//          result that nobody needs is not worth waiting for (see 02).

#include "atomics.cuh"

KZ_ENTRY(atomics_atomic_count_u32)(const unsigned *keys, unsigned *out, size_t n, size_t k) {
    for (size_t i = kz_thread(); i < n; i += kz_threads())
        if (atomicAdd(&out[keys[i]], 1) >= n) __trap(); // more than there are elements
}

// The sign of what is above 0 is 0: the address is always the same, but the compiler cannot know. Else it would do
// by itself what 04 does.
KZ_ENTRY(atomics_atomic_append_f32)(const float *in, unsigned *queue, unsigned *length, size_t n) {
    for (size_t i = kz_thread(); i < n; i += kz_threads()) {
        float x = in[i];
        if (x > 0.0f) queue[atomicAdd(&length[__float_as_uint(x) >> 31], 1)] = (unsigned)i;
    }
}

ATOMICS_WORK_OFF
