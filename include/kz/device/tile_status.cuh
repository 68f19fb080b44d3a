// Tile status, as in CUB: how tiles tell each other their totals. A status is a flag and a value, in 64-bit words that
// have the flag above 32 bits of the value.
//
// A word is written and read whole, so a thread that sees the flag sees the value that belongs to it: no fence. A
// value of 64 bits takes two words, and is valid when both have the same flag. Any other flag, 0 or one of an earlier
// launch (an earlier epoch), means "not valid yet".
#ifndef KZ_TILE_STATUS_CUH
#define KZ_TILE_STATUS_CUH

#include "warp.cuh"

static __device__ __forceinline__ unsigned long long kz_load_relaxed(const unsigned long long *word) {
    unsigned long long value;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
    return value;
}

template <typename A> struct kz_tile_status {
    static const int WORDS = kz_words_of<A>::COUNT;
    unsigned long long word[WORDS];

    __device__ __forceinline__ bool has_flag(unsigned flag) const {
        bool all = true;
#pragma unroll
        for (int i = 0; i < WORDS; i++) all = all && (unsigned)(word[i] >> 32) == flag;
        return all;
    }
    __device__ __forceinline__ A value(void) const {
        kz_words_of<A> words;
#pragma unroll
        for (int i = 0; i < WORDS; i++) words.at[i] = (unsigned)word[i];
        return kz_from_words(words);
    }
};

// The first words of all tiles lie together, then the second ones, `tiles` apart.
struct kz_tile_states {
    unsigned long long *words;
    size_t tiles;

    template <typename A> __device__ __forceinline__ void publish(size_t tile, unsigned flag, A value) const {
        kz_words_of<A> bits = kz_to_words(value);
#pragma unroll
        for (int i = 0; i < bits.COUNT; i++)
            asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(words + i * tiles + tile),
                         "l"((unsigned long long)flag << 32 | bits.at[i])
                         : "memory");
    }
    // Brings a tile's words from DRAM to L2, where both sides meet.
    template <typename A> __device__ __forceinline__ void prefetch(size_t tile) const {
#pragma unroll
        for (int i = 0; i < kz_words_of<A>::COUNT; i++)
            asm volatile("prefetch.global.L2 [%0];" ::"l"(words + i * tiles + tile));
    }
    template <typename A> __device__ __forceinline__ kz_tile_status<A> load(size_t tile) const {
        kz_tile_status<A> m;
#pragma unroll
        for (int i = 0; i < m.WORDS; i++) m.word[i] = kz_load_relaxed(words + i * tiles + tile);
        return m;
    }
};

// Decoupled look-back (Merrill and Garland 2016), by one warp: what lies before `tile`, for all lanes. A tile
// publishes `flag` with its own total as soon as it has it (CUB: partial), and `flag` + 1 with the total of all up to
// itself when it has looked back (inclusive). A step covers 32 tiles; the nearest with flag + 1 ends the walk.
template <typename Op>
static __device__ __forceinline__ typename Op::value kz_look_back(const kz_tile_states &states, size_t tile,
                                                                  unsigned flag) {
    typedef typename Op::value A;
    A prefix = Op::identity();
    for (size_t nearest = tile;; nearest -= KZ_WARP) { // lane 0 asks for the tile before `nearest`
        bool first = kz_lane() >= nearest; // before the first tile lies nothing, and that is known
        A value = Op::identity();
        unsigned ends, missing, wanted;
        do {
            bool all = first, own = false;
            if (!first) {
                kz_tile_status<A> m = states.load<A>(nearest - 1 - kz_lane());
                all = m.has_flag(flag + 1);
                own = m.has_flag(flag);
                value = m.value();
            }
            ends = __ballot_sync(KZ_ALL_LANES, all);
            missing = __ballot_sync(KZ_ALL_LANES, !all && !own);
            wanted = ends & (0 - ends);             // the nearest end,
            wanted = wanted ? wanted * 2 - 1 : ~0u; // and all tiles after it
        } while (missing & wanted);
        if (!(wanted >> kz_lane() & 1)) value = Op::identity();
#pragma unroll
        for (int step = 1; step < KZ_WARP; step *= 2) { // the higher lane has the earlier tile
            A earlier = kz_shuffle_down(value, step);
            if (kz_lane() + step < KZ_WARP) value = Op::combine(earlier, value);
        }
        prefix = Op::combine(kz_shuffle(value, 0), prefix);
        if (ends) return prefix;
    }
}

#endif
