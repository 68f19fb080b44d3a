// compact 01: a chunk per thread
//
// Idea     where an element goes depends on how many are selected before it. Cut the input into chunks, count
//          in each, add up the counts: then each chunk knows where its first selected element goes.
// Change   the first step: three kernels. A thread counts in 16 neighbouring elements; one block scans the
//          counts; a thread reads its chunk again and writes, in order, from its count on.
// Expect   order kept, no atomics; the same result in every run.
// Limit    32 lanes read addresses 64 bytes apart (f32), so each load touches 32 sectors for 32 elements, and
//          the counts alone are 1/16 of the input, twice over (see 02).

#include "frame.cuh"

template <typename R>
static __device__ __forceinline__ void count_part(const typename R::element *in, const uint8_t *flags,
                                                  unsigned *counts, size_t n) {
    size_t first = kz_thread() * COMPACT_ITEMS;
    if (first >= n) return;
    unsigned selected = 0;
    for (size_t i = first; i < first + COMPACT_ITEMS && i < n; i++) selected += selected_at<R>(in, flags, i);
    counts[kz_thread()] = selected;
}

template <typename R>
static __device__ __forceinline__ void write_part(const typename R::element *in, const uint8_t *flags,
                                                  const unsigned *counts, typename R::element *out,
                                                  size_t n) {
    size_t first = kz_thread() * COMPACT_ITEMS;
    if (first >= n) return;
    unsigned before = counts[kz_thread()];
    for (size_t i = first; i < first + COMPACT_ITEMS && i < n; i++) {
        bool selected = selected_at<R>(in, flags, i);
        put_at<R>(in, out, n, i, selected, before);
        before += selected;
    }
}

COMPACT_SUMS(thread_chunks)
#define ENTRY(operation, type, T, rule)       COMPACT_FRAME(thread_chunks, operation, type, T, rule)
#define COUNT_ENTRY(operation, type, T, rule) COMPACT_FRAME_COUNT(thread_chunks, operation, type, T, rule)
COMPACT_FEW(ENTRY)
COMPACT_FEW_SELECTIONS(COUNT_ENTRY)
