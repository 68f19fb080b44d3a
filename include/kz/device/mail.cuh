// How tiles tell each other their totals: words of 64 bits that bear a mark above 32 bits of the value.
//
// A word is written and read whole, so whoever sees the mark sees the value that belongs to it: no fence. A
// value of 64 bits takes two words, and is there when both bear the same mark. A mark that nobody asks for,
// 0 or one of an earlier launch, stands for "nothing yet".
#ifndef KZ_MAIL_CUH
#define KZ_MAIL_CUH

#include "warp.cuh"

static __device__ __forceinline__ unsigned long long kz_look(const unsigned long long *word) {
    unsigned long long value;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
    return value;
}

template <typename A> struct kz_mail {
    static const int WORDS = kz_words_of<A>::COUNT;
    unsigned long long word[WORDS];

    __device__ __forceinline__ bool bears(unsigned mark) const {
        bool all = true;
#pragma unroll
        for (int i = 0; i < WORDS; i++) all = all && (unsigned)(word[i] >> 32) == mark;
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
struct kz_mailbox {
    unsigned long long *words;
    size_t tiles;

    template <typename A> __device__ __forceinline__ void send(size_t tile, unsigned mark, A value) const {
        kz_words_of<A> bits = kz_to_words(value);
#pragma unroll
        for (int i = 0; i < bits.COUNT; i++)
            asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(words + i * tiles + tile),
                         "l"((unsigned long long)mark << 32 | bits.at[i])
                         : "memory");
    }
    // Brings a tile's words from DRAM to L2, where both sides meet.
    template <typename A> __device__ __forceinline__ void expect(size_t tile) const {
#pragma unroll
        for (int i = 0; i < kz_words_of<A>::COUNT; i++)
            asm volatile("prefetch.global.L2 [%0];" ::"l"(words + i * tiles + tile));
    }
    template <typename A> __device__ __forceinline__ kz_mail<A> receive(size_t tile) const {
        kz_mail<A> m;
#pragma unroll
        for (int i = 0; i < m.WORDS; i++) m.word[i] = kz_look(words + i * tiles + tile);
        return m;
    }
};

// Decoupled look-back (Merrill and Garland 2016), by one warp: what lies before `tile`, for all lanes. A tile
// sends `mark` with its own total as soon as it has it, and `mark` + 1 with the total of all up to itself
// when it has looked back. 32 tiles are looked at together; the nearest with mark + 1 ends the walk.
template <typename Op>
static __device__ __forceinline__ typename Op::value kz_look_back(const kz_mailbox &box, size_t tile,
                                                                  unsigned mark) {
    typedef typename Op::value A;
    A prefix = Op::identity();
    for (size_t nearest = tile;; nearest -= KZ_WARP) { // lane 0 asks for the tile before `nearest`
        bool first = kz_lane() >= nearest; // before the first tile lies nothing, and that is known
        A value = Op::identity();
        unsigned ends, missing, wanted;
        do {
            bool all = first, own = false;
            if (!first) {
                kz_mail<A> m = box.receive<A>(nearest - 1 - kz_lane());
                all = m.bears(mark + 1);
                own = m.bears(mark);
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
