// compact 05: nothing to prepare
//
// Idea     04 fills its words so that an old one is not taken for a new one; a word that names its launch
//          cannot be (scan 07, reduce 08).
// Change   the words live in the module, their mark is twice the launch's number, and a tile is the block of
//          its number: no fill, no counter. Blocks start in the order of their numbers, so whoever waits,
//          waits for blocks that have started; CUB relies on the same.
// Expect   one launch, the first load in its first instructions: ahead of 04 by a few microseconds.
// Limit    the module's words allow one launch at a time, and 2^19 tiles. Each block waits for its prefix with
//          its registers full and nothing in flight: loads and waits take turns (see 06).

#include "one_pass.cuh"

enum { THREADS = COMPACT_MAIL_THREADS, WARPS = THREADS / KZ_WARP };

static __device__ unsigned long long compact_words[COMPACT_MAILS];
static __device__ unsigned compact_launch; // number of the last launch

template <typename R>
static __device__ __forceinline__ void run(const typename R::element *in, const uint8_t *flags,
                                           typename R::element *out, unsigned *selected, size_t n) {
    unsigned launch = *(volatile unsigned *)&compact_launch + 1; // on its way while the input is read
    const kz_mailbox box = {compact_words, COMPACT_MAILS};
    one_pass<R, WARPS, COMPACT_MAIL_ROWS>(view<R>(in, flags, n), out, selected, blockIdx.x, gridDim.x, box,
                                          launch * 2);
    // The last tile has heard of all others, so every block has read the old number.
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) *(volatile unsigned *)&compact_launch = launch;
}

#define ENTRY(operation, type, T, rule)                                                                      \
    KZ_ENTRY_BOUNDS(compact_mail_##operation##_##type, THREADS, COMPACT_MAIL_BLOCKS)                         \
    (const T *in, const uint8_t *flags, T *out, unsigned *selected, size_t n) {                              \
        run<COMPACT_RULE rule>(in, flags, out, selected, n);                                                 \
    }
COMPACT_ALL(ENTRY)
