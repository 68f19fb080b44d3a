// scan 07: nothing to prepare
//
// Idea     06 fills its words so that an old one is not taken for a new one; a word that names its launch
//          cannot be (reduce 08).
// Change   the words live in the module, their mark is twice the launch's number, and a tile is the block of
//          its number: no fill, no counter. Blocks start in the order of their numbers, so whoever waits,
//          waits for blocks that have started; CUB relies on the same.
// Expect   one launch, the first load in its first instructions; ahead of 06 by a few microseconds, which is
//          much below 2^22 elements.
// Limit    the module's words allow one launch at a time, and 2^19 tiles. As in 06, each block waits for its
//          prefix with its registers full and nothing in flight: loads and waits take turns (see 08).

#include "one_pass.cuh"

static __device__ unsigned long long scan_words[3 * SCAN_MAILS];
static __device__ unsigned scan_launch; // number of the last launch

template <typename Op> struct shape {
    static const bool WIDE = SCAN_MAIL_IS_WIDE(sizeof(typename Op::element), sizeof(typename Op::value));
    static const int THREADS = WIDE ? SCAN_MAIL_WIDE_THREADS : SCAN_MAIL_THREADS, WARPS = THREADS / KZ_WARP;
    static const int ROWS = WIDE ? SCAN_MAIL_WIDE_ROWS : SCAN_MAIL_ROWS;
    static const int BLOCKS = WIDE ? SCAN_MAIL_WIDE_BLOCKS : SCAN_MAIL_BLOCKS;
};

template <typename Op>
static __device__ __forceinline__ void run(const typename Op::element *in, const uint8_t *heads,
                                           typename Op::element *out, size_t n, size_t exclusive) {
    unsigned launch = *(volatile unsigned *)&scan_launch + 1; // on its way while the input is read
    const kz_mailbox box = {scan_words, SCAN_MAILS};
    one_pass<Op, shape<Op>::WARPS, shape<Op>::ROWS>(kz_scan_view<Op>(in, heads, n), out, blockIdx.x, box,
                                                    launch * 2, exclusive);
    // The last tile has heard of all others, so every block has read the old number.
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) *(volatile unsigned *)&scan_launch = launch;
}

#define ENTRY(operation, type, op)                                                                           \
    KZ_ENTRY_BOUNDS(scan_mail_##operation##_##type, shape<SCAN_OP op>::THREADS, shape<SCAN_OP op>::BLOCKS)   \
    (const SCAN_ELEMENT(op) * in, const uint8_t *heads, SCAN_ELEMENT(op) * out, size_t n,                    \
     size_t exclusive) {                                                                                     \
        run<SCAN_OP op>(in, heads, out, n, exclusive);                                                       \
    }
SCAN_ALL(ENTRY)
