// sampling: filters by searching: the greatest key that enough tokens, or enough of their weight, reach.
#ifndef SAMPLING_SEARCH_CUH
#define SAMPLING_SEARCH_CUH

#include "team.cuh"

typedef struct search_room { // in shared memory
    team_room team;
    uint2 list[SAMPLING_LIST]; // key and weight of the tokens between the limits of a search
    unsigned count;
} search_room;

// What a search works on, and what the row's keys and weights are made of.
template <typename T> struct work_of {
    slice<T> s;
    float most, scale;
    search_room *room;
    team t;
};

// Keys at which nothing else is known: [low, high) has the answer. at_low and at_high are what reaches them.
typedef struct limits {
    uint32_t low, high;
    measure at_low, at_high;
    bool listed; // the tokens between them are in the list
} limits;

// Whether a logit's key is in [from, to): as numbers, which need no key. NaN is in none.
typedef struct interval {
    float first, last;
} interval;
template <typename T> static __device__ __forceinline__ interval interval_of(uint32_t from, uint32_t to) {
    return {value_of_key<T>(from), value_of_key<T>(to - 1)};
}
static __device__ __forceinline__ bool is_inside(float logit, interval i) {
    return logit >= i.first && logit <= i.last;
}

// The measure of this thread's tokens with keys in [from, to): of the list where `listed`. Their weights cost more than their
// number, so they come only where `weigh`.
template <bool weigh, typename T>
static __device__ __forceinline__ measure measure_between(const work_of<T> *w, bool listed, uint32_t from,
                                                          uint32_t to) {
    mass weight = 0;
    unsigned count = 0;
    if (listed) {
        for (unsigned i = threadIdx.x; i < w->room->count; i += blockDim.x) {
            uint2 token = w->room->list[i];
            if (token.x >= from && token.x < to) weight += token.y, count++;
        }
        return {weight, count};
    }
    interval inside = interval_of<T>(from, to);
    visit_block(w->s, [&](T x) {
        if (!is_inside(kz_widen(x), inside)) return;
        if (weigh) weight += weight_of(x, w->most, w->scale);
        count++;
    });
    return {weight, count};
}

template <bool weigh, typename T>
static __device__ __forceinline__ void make_list(work_of<T> *w, const limits *l) {
    __syncthreads(); // an earlier list has been read
    if (threadIdx.x == 0) w->room->count = 0;
    __syncthreads();
    interval inside = interval_of<T>(l->low, l->high);
    visit_block(w->s, [&](T x) {
        if (is_inside(kz_widen(x), inside))
            w->room->list[atomicAdd(&w->room->count, 1u)] =
                make_uint2(token_key(x), weigh ? weight_of(x, w->most, w->scale) : 0);
    });
    __syncthreads();
}

// The key of the number that lies so far up between the limits, which it leaves apart.
template <typename T> static __device__ __forceinline__ uint32_t key_between(const limits *l, float share) {
    float low = value_of_key<T>(l->low), high = value_of_key<T>(l->high - 1);
    return min(max(key_of_number<T>(low * (1.0f - share) + high * share), l->low + 1), l->high - 1);
}

// What is tried next. Halfway between numbers, which logits spread over more evenly than over keys; every fourth time halfway
// between keys, which ends every search. Where tokens are counted, every fourth time is a guess as if they were spread evenly:
// as many above as are needed and half a list.
template <bool weigh, typename T>
static __device__ __forceinline__ uint32_t next_trial(const limits *l, mass need, unsigned trial) {
    if (trial % 4 == 3) return l->low + (l->high - l->low) / 2;
    if (weigh || l->listed || trial % 4 != 1) return key_between<T>(l, 0.5f);
    float wanted = (float)(need - l->at_high.count + SAMPLING_LIST / 2);
    float share = 1.0f - wanted / (float)(l->at_low.count - l->at_high.count);
    return key_between<T>(l, share > 0.0f ? share : 0.5f);
}

// The greatest key in [low, high) that `need` tokens reach, or tokens of that weight; low where none does. Then at_low is
// what reaches it. Once few tokens are between the limits they go into a list, and the row is not read any more.
template <bool weigh, int BLOCKS, typename T>
static __device__ __forceinline__ void search(work_of<T> *w, limits *l, mass need) {
    for (unsigned trial = 0; l->high - l->low > 1; trial++) {
        if (!l->listed && l->at_low.count - l->at_high.count <= SAMPLING_LIST) {
            make_list<weigh>(w, l);
            l->listed = true;
        }
        uint32_t middle = next_trial<weigh, T>(l, need, trial);
        measure at = fold_team<BLOCKS, SUM>(&w->t, measure_between<weigh>(w, l->listed, middle, l->high));
        at = combine<SUM>(at, l->at_high);
        if ((weigh ? at.weight : at.count) >= need)
            l->low = middle, l->at_low = at;
        else
            l->high = middle, l->at_high = at;
    }
}

// The key from which on tokens are kept by top_k and top_p. Below the first `low` all weights are 0: 40 octaves under the
// greatest, where the fixed point has 31.
template <typename T, int BLOCKS>
static __device__ __forceinline__ uint32_t find_bound(work_of<T> *w, filters f, uint32_t greatest) {
    uint32_t far = key_of_number<T>(w->most - 40.0f / f.scale);
    limits l = {min(max(far, kz_key_of_minus_infinity<T>()), greatest), greatest + 1, {0, 0}, {0, 0}, false};
    if (f.top_k == 0 && !(f.top_p < 1.0f)) return l.low;
    if (f.top_k) {
        l.at_low = fold_team<BLOCKS, SUM>(&w->t, measure_between<false>(w, false, l.low, l.high));
        search<false, BLOCKS>(w, &l, f.top_k);
    }
    if (f.top_p < 1.0f) {
        l = {l.low, greatest + 1, l.at_low, {0, 0}, f.top_k && l.at_low.count <= SAMPLING_LIST};
        if (l.listed) make_list<true>(w, &l); // before the sum, which needs no row then
        l.at_low = fold_team<BLOCKS, SUM>(&w->t, measure_between<true>(w, l.listed, l.low, l.high));
        search<true, BLOCKS>(w, &l, needed_share(f.top_p, l.at_low.weight));
    }
    return l.low;
}

// The greatest logit of a slice, which is copied to shared memory on the way where `copy` is not NULL: to a place as far from
// 16 bytes as it has here.
template <typename T> static __device__ __forceinline__ float read_slice(slice<T> *s, unsigned char *copy) {
    constexpr unsigned EACH = 16 / sizeof(T);
    float most = __uint_as_float(0xff800000u);
    visit_packs(*s, threadIdx.x, packs_of(*s), blockDim.x, [&](kz_pack<T> pack, unsigned p) {
        if (copy) ((uint4 *)copy)[p] = pack.raw;
#pragma unroll
        for (unsigned e = 0; e < EACH; e++)
            most = fmaxf(most, kz_widen(pack.at[e])); // the other one, where one is NaN
    });
    if (copy) s->at = (const T *)copy + skew_of(*s);
    return most;
}

// The whole of it. All blocks of a cluster return together: none is written to once it is gone.
template <typename T, int BLOCKS>
static __device__ __forceinline__ void sample(const T *row, unsigned vocabulary, filters f, mass random,
                                              int *token, unsigned char *copy) {
    __shared__ search_room room;
    team t = open_team<BLOCKS>(&room.team);
    slice<T> s = slice_of<T, BLOCKS>(row, vocabulary, t.rank);
    uint32_t greatest = key_of_number<T>(read_slice(&s, copy));
    greatest =
        (uint32_t)fold_team<BLOCKS, GREATEST>(&t, {greatest, 0}).weight; // its barrier is the copy's as well
    if (greatest <= kz_key_of_minus_infinity<T>()) {
        if (threadIdx.x == 0 && t.rank == 0) *token = NO_TOKEN;
        return;
    }
    work_of<T> w = {s, value_of_key<T>(greatest), f.scale, &room, t};
    uint32_t bound = find_bound<T, BLOCKS>(&w, f, greatest);
    kept k = {w.most, f.scale, logit_of_bound<T>(bound), f.least};
    draw_token<T, BLOCKS>(s, k, random, token, &w.t);
}

#endif
