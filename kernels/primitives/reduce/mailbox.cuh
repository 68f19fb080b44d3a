// reduce: one launch in which partial results go by mail (kz/device/mail.cuh), for 08 and 09.
//
// A block sends its partial result with the launch's number as the mark, and is done. Block 0 looks at all words at
// once, again and again, until every one bears this launch's number, and folds them in order. Words and number live in
// the module: one launch at a time. Any number of whole warps per block.
#ifndef REDUCE_MAILBOX_CUH
#define REDUCE_MAILBOX_CUH

#include "kz/device/mail.cuh"
#include "vector.cuh"

// Words of 32 bits that a value is at most, and mails a lane looks for at once: fewer where a value is many words,
// for each word is two registers.
enum { MAIL_WORDS = sizeof(kz_best<double>) / 4 };
template <typename A> static constexpr int MAILS = sizeof(A) > 8 ? 3 : REDUCE_MAILBOX_MAILS;

static __device__ unsigned long long reduce_mail[MAIL_WORDS * REDUCE_MAILBOX_BLOCKS];
static __device__ unsigned reduce_launch; // number of the last launch

// What MAILS blocks sent, a warp apart; `nothing` for blocks that are not there. All words are asked for
// before the first is looked at: a question at a time costs a trip to L2 each.
template <typename A>
static __device__ __forceinline__ void receive(const kz_mailbox &box, unsigned first, unsigned launch,
                                               A nothing, A part[MAILS<A>]) {
    kz_mail<A> mail[MAILS<A>];
    bool all;
    do {
        all = true;
#pragma unroll
        for (int m = 0; m < MAILS<A>; m++)
            if (first + m * KZ_WARP < gridDim.x) mail[m] = box.receive<A>(first + m * KZ_WARP);
#pragma unroll
        for (int m = 0; m < MAILS<A>; m++)
            if (first + m * KZ_WARP < gridDim.x) all = all && mail[m].bears(launch);
    } while (!all);
#pragma unroll
    for (int m = 0; m < MAILS<A>; m++) part[m] = first + m * KZ_WARP < gridDim.x ? mail[m].value() : nothing;
}

// The block's values meet; thread 0 gets the result, and only the first warp may go on with it: one barrier.
template <int operation, typename A> static __device__ __forceinline__ A meet(A value) {
    __shared__ A of_warp[KZ_WARP];
    value = kz_fold_lanes<operation>(value);
    if (kz_lane() == 0) of_warp[kz_warp()] = value;
    __syncthreads();
    if (kz_warp() != 0) return value;
    value = kz_lane() < kz_warps() ? of_warp[kz_lane()] : kz_fold_identity<operation>(value);
    return kz_fold_lanes<operation>(value);
}

// `overlap`: launched before the kernel in front has ended (kz_launch.overlap).
template <int operation, typename T, typename A, bool overlap>
static __device__ __forceinline__ void mailbox(const T *in, T *out, long long *index, size_t n) {
    const kz_mailbox box = {reduce_mail, REDUCE_MAILBOX_BLOCKS};
    if (overlap) asm volatile("griddepcontrol.wait;" ::: "memory");
    // On its way while the input is read. One warp of each block asks: all of them would queue for one place in L2.
    unsigned launch = kz_warp() == 0 ? *(volatile unsigned *)&reduce_launch + 1 : 0;
    A value = fold_thread<operation, T, A>(in, n);
    if (overlap)
        asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); // the next may take its place
    value = meet<operation>(value);
    if (kz_warp() != 0) return;
    if (blockIdx.x != 0) {
        if (kz_lane() == 0) box.send(blockIdx.x, launch, value);
        return;
    }
    if (kz_lane() != 0) value = kz_fold_identity<operation>(value);
    for (unsigned first = 1 + kz_lane(); first < gridDim.x; first += KZ_WARP * MAILS<A>) {
        A part[MAILS<A>];
        receive(box, first, launch, kz_fold_identity<operation>(value), part);
#pragma unroll
        for (int m = 0; m < MAILS<A>; m++) value = kz_fold_combine<operation>(value, part[m]);
    }
    __syncwarp();
    value = kz_fold_lanes<operation>(value);
    if (kz_lane() == 0) {
        write_result<operation>(out, index, value, n);
        *(volatile unsigned *)&reduce_launch = launch; // every block has read the old number by now
    }
}

#endif
