// reduce 08: partial results by mail
//
// Idea     07 still pays for order: a fence, a ticket, and only then the partial results. A word that carries
//          its own postmark needs none of them.
// Change   a block writes one 64-bit word, the launch's number above its partial result, and leaves. Block 0
//          looks at the words until all bear this launch's number, and folds them in order.
// Expect   one store and one load between the slowest block and the answer; ahead of 07 below 2^24 elements.
// Limit    the words and the number live in the module: one launch at a time, as in 07. Block 0 waits for the
//          others, so they must fit beside it: any GPU holds more than one block of this size.

#include "vector.cuh"

// Words of 32 bits that a value is at most, and mails a lane looks for at once: fewer where a value is many words,
// for each word is two registers.
enum { MAIL_WORDS = sizeof(best<double>) / 4 };
template <typename A> static constexpr int MAILS = sizeof(A) > 8 ? 3 : REDUCE_MAILBOX_MAILS;

// By block; the launch's number above 32 bits of the value, so a value of 64 bits takes two words.
static __device__ unsigned long long reduce_mail[MAIL_WORDS][REDUCE_MAILBOX_BLOCKS];
static __device__ unsigned reduce_launch; // number of the last launch

static __device__ __forceinline__ unsigned long long look(const unsigned long long *word) {
    unsigned long long value;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
    return value;
}
static __device__ __forceinline__ void post(unsigned long long *word, unsigned launch, unsigned bits) {
    unsigned long long value = (unsigned long long)launch << 32 | bits;
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
}

// A value as words of 32 bits.
template <typename A> static __device__ __forceinline__ void send(unsigned block, unsigned launch, A value) {
    unsigned bits[MAIL_WORDS];
    memcpy(bits, &value, sizeof value);
    for (int i = 0; i < (int)sizeof value / 4; i++) post(&reduce_mail[i][block], launch, bits[i]);
}

// What MAILS blocks sent, a warp apart; `nothing` for blocks that are not there. All words are asked for
// before the first is looked at: a question at a time costs a trip to L2 each.
template <typename A>
static __device__ __forceinline__ void receive(unsigned first, unsigned launch, A nothing, A part[MAILS<A>]) {
    const int WORDS = sizeof(A) / 4;
    unsigned long long word[MAILS<A>][WORDS];
    bool all;
    do {
        all = true;
#pragma unroll
        for (int m = 0; m < MAILS<A>; m++)
#pragma unroll
            for (int i = 0; i < WORDS; i++) {
                word[m][i] = (unsigned long long)launch << 32;
                if (first + m * KZ_WARP < gridDim.x) word[m][i] = look(&reduce_mail[i][first + m * KZ_WARP]);
            }
#pragma unroll
        for (int m = 0; m < MAILS<A>; m++)
#pragma unroll
            for (int i = 0; i < WORDS; i++) all = all && (unsigned)(word[m][i] >> 32) == launch;
    } while (!all);
#pragma unroll
    for (int m = 0; m < MAILS<A>; m++) {
        unsigned bits[WORDS];
#pragma unroll
        for (int i = 0; i < WORDS; i++) bits[i] = (unsigned)word[m][i];
        memcpy(&part[m], bits, sizeof part[m]);
        if (first + m * KZ_WARP >= gridDim.x) part[m] = nothing;
    }
}

template <int operation, typename T, typename A>
static __device__ __forceinline__ void mailbox(const T *in, T *out, long long *index, size_t n) {
    unsigned launch = *(volatile unsigned *)&reduce_launch + 1; // on its way while the input is read
    A value = fold_block<operation>(fold_thread<operation, T, A>(in, n));
    if (kz_warp() != 0) return;
    if (blockIdx.x != 0) {
        if (kz_lane() == 0) send(blockIdx.x, launch, value);
        return;
    }
    if (kz_lane() != 0) value = identity<operation>(value);
    for (unsigned first = 1 + kz_lane(); first < gridDim.x; first += KZ_WARP * MAILS<A>) {
        A part[MAILS<A>];
        receive(first, launch, identity<operation>(value), part);
#pragma unroll
        for (int m = 0; m < MAILS<A>; m++) value = combine<operation>(value, part[m]);
    }
    __syncwarp();
    value = fold_warp<operation>(value);
    if (kz_lane() == 0) {
        write_result<operation>(out, index, value, n);
        *(volatile unsigned *)&reduce_launch = launch; // every block has read the old number by now
    }
}

#define ENTRY(operation, OPERATION, type, T, A)                                                              \
    KZ_ENTRY_BOUNDS(reduce_mailbox_##operation##_##type, THREADS, REDUCE_VECTOR_BLOCKS)                      \
    (const T *in, T *out, size_t n) { mailbox<OPERATION, T, A>(in, out, NULL, n); }
#define ARG(operation, OPERATION, type, T, A)                                                                \
    KZ_ENTRY_BOUNDS(reduce_mailbox_##operation##_##type, THREADS, REDUCE_VECTOR_BLOCKS)                      \
    (const T *in, T *out, long long *index, size_t n) { mailbox<OPERATION, T, best<A>>(in, out, index, n); }
REDUCE_ALL(ENTRY)
REDUCE_FLOATS(ENTRY, mean, MEAN)
REDUCE_ARGS(ARG)
