// sampling: the threads that own a row, a block or the blocks of a cluster, and what they fold together.
#ifndef SAMPLING_TEAM_CUH
#define SAMPLING_TEAM_CUH

#include "kz/device/tensor_copy.cuh"
#include "sampling.cuh"

// Tokens by weight and by number; where a fold takes the greatest, it is that of `weight`.
typedef struct measure {
    mass weight, count;
} measure;

// In shared memory, two of each: what a fold reads, the next one leaves alone, so a barrier each is enough.
typedef struct team_room {
    measure of_warp[2][KZ_WARP], of_block[2][SAMPLING_CLUSTER];
} team_room;

typedef struct team {
    team_room *room;
    unsigned rank; // of this block
    unsigned turn;
} team;

enum { SUM, GREATEST };

template <int fold> static __device__ __forceinline__ measure combine(measure a, measure b) {
    if (fold == GREATEST) return {max(a.weight, b.weight), 0};
    return {a.weight + b.weight, a.count + b.count};
}

// Into the same place of the shared memory of the cluster's block `rank`.
static __device__ __forceinline__ void store_there(measure *to, unsigned rank, measure m) {
    asm volatile(
        "{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1; "
        "st.shared::cluster.v2.u64 [there], {%2, %3}; }" ::"r"((unsigned)__cvta_generic_to_shared(to)),
        "r"(rank), "l"(m.weight), "l"(m.count)
        : "memory");
}

// All blocks of a cluster must run before one writes to another.
template <int BLOCKS> static __device__ __forceinline__ team open_team(team_room *room) {
    if (BLOCKS == 1) return {room, 0, 0};
    kz_cluster_sync();
    return {room, kz_cluster_rank(), 0};
}

// Each warp's, of which all lanes have the same: what all come to, and at `before` what the warps before this one do.
template <int BLOCKS, int fold>
static __device__ __forceinline__ measure fold_warps(team *t, measure of_this_warp, measure *before) {
    measure *of_warp = t->room->of_warp[t->turn], *of_block = t->room->of_block[t->turn];
    t->turn ^= 1;
    if (kz_lane() == 0) of_warp[kz_warp()] = of_this_warp;
    __syncthreads();
    measure all = {0, 0};
    for (unsigned w = 0; w < kz_warps(); w++) {
        if (w == kz_warp()) *before = all;
        all = combine<fold>(all, of_warp[w]);
    }
    if (BLOCKS == 1) return all;
    if (threadIdx.x < BLOCKS) store_there(&of_block[t->rank], threadIdx.x, all);
    kz_cluster_sync();
    all = {0, 0};
    measure blocks_before = {0, 0};
    for (unsigned b = 0; b < BLOCKS; b++) {
        if (b == t->rank) blocks_before = all;
        all = combine<fold>(all, of_block[b]);
    }
    *before = combine<fold>(blocks_before, *before);
    return all;
}

template <int BLOCKS, int fold> static __device__ __forceinline__ measure fold_team(team *t, measure mine) {
#pragma unroll
    for (int step = KZ_WARP / 2; step > 0; step /= 2) {
        measure other = {__shfl_xor_sync(KZ_ALL_LANES, mine.weight, step),
                         fold == GREATEST ? 0 : __shfl_xor_sync(KZ_ALL_LANES, mine.count, step)};
        mine = combine<fold>(mine, other);
    }
    measure before;
    return fold_warps<BLOCKS, fold>(t, mine, &before);
}

// This block's slice of a row.
template <typename T, int BLOCKS>
static __device__ __forceinline__ slice<T> slice_of(const T *row, unsigned vocabulary, unsigned rank) {
    constexpr unsigned EACH = 16 / sizeof(T);
    unsigned share = ((vocabulary + BLOCKS - 1) / BLOCKS + EACH - 1) / EACH * EACH;
    unsigned begin = min(rank * share, vocabulary);
    return {row + begin, begin, min(share, vocabulary - begin)};
}

// ---- greedy ------------------------------------------------------------------------------------------------

// The first of the greatest logits. A thread goes through its tokens in order, so a later equal one does not replace an
// earlier; nothing is greater than NaN, nor NaN than anything.
template <typename T, int BLOCKS>
static __device__ __forceinline__ void take_greatest(const T *row, unsigned vocabulary, int *token, team t) {
    constexpr unsigned EACH = 16 / sizeof(T);
    slice<T> s = slice_of<T, BLOCKS>(row, vocabulary, t.rank);
    float most = __uint_as_float(0xff800000u); // -Inf, which is not taken
    unsigned found = 0, skew = skew_of(s);
    bool any = false;
    visit_packs(s, threadIdx.x, packs_of(s), blockDim.x, [&](kz_pack<T> pack, unsigned p) {
        float of_pack = kz_widen(pack.at[0]);
#pragma unroll
        for (unsigned e = 1; e < EACH; e++) of_pack = fmaxf(of_pack, kz_widen(pack.at[e]));
        if (!(of_pack > most)) return; // nearly always, after the first few
#pragma unroll
        for (unsigned e = 0; e < EACH; e++) {
            float logit = kz_widen(pack.at[e]);
            if (!(logit > most)) continue;
            most = logit;
            found = p * EACH + e - skew + s.begin;
            any = true;
        }
    });
    // A key above, and below it the complement of the index: among equals the first is the greatest.
    mass mine = any ? (mass)kz_ordered_key(most) << 32 | (unsigned)~found : 0;
    mass best = fold_team<BLOCKS, GREATEST>(&t, {mine, 0}).weight;
    if (threadIdx.x == 0 && t.rank == 0) *token = best ? (int)~(unsigned)best : NO_TOKEN;
}

// ---- the draw ----------------------------------------------------------------------------------------------

// Which tokens are left, and how they weigh.
typedef struct kept {
    float most, scale;
    float bound;    // logits from here on
    unsigned least; // weights from here on
} kept;

template <typename T> static __device__ __forceinline__ unsigned kept_weight(T x, kept k) {
    if (!(kz_widen(x) >= k.bound)) return 0; // NaN is not
    unsigned weight = weight_of(x, k.most, k.scale);
    return weight < k.least ? 0 : weight;
}

// By the warp in whose packs the drawn one lies: `left` is what remains until it.
template <typename T>
static __device__ __forceinline__ void find_token(slice<T> s, unsigned begin, unsigned end, mass left, kept k,
                                                  int *token) {
    constexpr unsigned EACH = 16 / sizeof(T);
    for (unsigned base = begin; base < end; base += KZ_WARP) {
        unsigned p = base + kz_lane();
        unsigned weight[EACH];
        mass own = 0;
        if (p < end) {
            kz_pack<T> pack = load_of(s, p);
#pragma unroll
            for (unsigned e = 0; e < EACH; e++) own += weight[e] = kept_weight(pack.at[e], k);
        }
        mass upto = own;
        for (unsigned step = 1; step < KZ_WARP; step *= 2) {
            mass before = __shfl_up_sync(KZ_ALL_LANES, upto, step);
            if (kz_lane() >= step) upto += before;
        }
        mass all = __shfl_sync(KZ_ALL_LANES, upto, KZ_WARP - 1);
        if (left >= all) {
            left -= all;
            continue;
        }
        if (left >= upto || left < upto - own) return; // another lane's
        left -= upto - own;
        unsigned e = 0;
#pragma unroll
        for (unsigned i = 0; i < EACH; i++) // e stays at the first whose end lies behind `left`
            if (e == i && left >= weight[i]) left -= weight[i], e = i + 1;
        *token = (int)(p * EACH + e - skew_of(s) + s.begin);
        return;
    }
}

// The token at which the sum of the kept weights, in the order of the tokens, passes `random` / 2^64 of their total.
template <typename T, int BLOCKS>
static __device__ __forceinline__ void draw_token(slice<T> s, kept k, mass random, int *token, team *t) {
    unsigned packs = packs_of(s), each = (packs + kz_warps() - 1) / kz_warps();
    unsigned begin = min(kz_warp() * each, packs), end = min(begin + each, packs);
    mass own = 0;
    visit_packs(s, begin + kz_lane(), end, KZ_WARP, [&](kz_pack<T> pack, unsigned) {
#pragma unroll
        for (unsigned e = 0; e < 16 / sizeof(T); e++) own += kept_weight(pack.at[e], k);
    });
#pragma unroll
    for (int step = KZ_WARP / 2; step > 0; step /= 2) own += __shfl_xor_sync(KZ_ALL_LANES, own, step);
    measure before = {0, 0};
    mass all = fold_warps<BLOCKS, SUM>(t, {own, 0}, &before).weight;
    mass at = __umul64hi(random, all); // below `all`
    if (at >= before.weight && at - before.weight < own)
        find_token(s, begin, end, at - before.weight, k, token);
}

#endif
