// histogram 08: a lookup table into the levels
//
// Idea     a search from scratch asks log2(bins) dependent questions. Where x lies between the first and the
//          last level already says, roughly, where to look.
// Change   05 for range with a guide: the span of the levels is cut into even cells, and the guide has, for
//          each, the levels that lie in it. x is searched for among those of its own cell alone. A u8 needs
//          no search, and goes as in 05.
// Expect   with four cells per bin one look into the guide and one or two at levels, for levels that are not
//          too uneven; never more steps than 05.
// Limit    counters, levels and guide share shared memory: some ten thousand bins of f32 at most.

#include "vector.cuh"

// Which cell x lies in. Every operation is monotonic, roundings too, and so are the bounds: of two values the
// smaller never lies in the higher cell. NaN lies in cell 0, where no level is found to be at most it.
struct cells {
    float first, scale, last_cell;

    template <typename L>
    __device__ __forceinline__ cells(L first_level, L last_level, unsigned count)
        : first((float)first_level), scale((float)count / ((float)last_level - (float)first_level)),
          last_cell((float)(count - 1)) {}
    template <typename X> __device__ __forceinline__ unsigned find(X x) const {
        return (unsigned)fminf(fmaxf(((float)x - first) * scale, 0.0f), last_cell);
    }
};

template <typename T> struct guided {
    typedef typename with<T>::level L;
    const L *levels;
    const unsigned *guide; // per cell: levels before it, and how many are in it in the upper 16 bits
    cells cell;
};

template <typename T> struct pack_finder<T, guided<T>> {
    guided<T> finder;
    __device__ __forceinline__ explicit pack_finder(guided<T> finder) : finder(finder) {}

    static __device__ __forceinline__ unsigned any(const unsigned (&length)[16 / sizeof(T)]) {
        unsigned left = 0;
#pragma unroll
        for (int e = 0; e < 16 / (int)sizeof(T); e++) left |= length[e];
        return left;
    }

    // Among the levels of the cell: those at most x. The elements of a pack take their steps side by side.
    __device__ __forceinline__ void find(kz_pack<T> pack, unsigned (&bin)[16 / sizeof(T)]) const {
        const int ELEMENTS = 16 / sizeof(T);
        unsigned length[ELEMENTS];
#pragma unroll
        for (int e = 0; e < ELEMENTS; e++) {
            unsigned entry = finder.guide[finder.cell.find(pack.at[e])];
            bin[e] = entry & 0xffff;
            length[e] = entry >> 16;
        }
        for (unsigned left = any(length); left; left = any(length))
#pragma unroll
            for (int e = 0; e < ELEMENTS; e++) {
                unsigned half = (length[e] + 1) / 2;
                bool below = length[e] > 0 && finder.levels[bin[e] + half - 1] <= pack.at[e];
                bin[e] += below ? half : 0;
                length[e] = below ? length[e] - half : half - (half > 0);
            }
#pragma unroll
        for (int e = 0; e < ELEMENTS; e++) bin[e] -= 1;
    }
};

// The first level whose cell is `cell` or a later one.
template <typename L>
static __device__ __forceinline__ unsigned first_in(const L *levels, unsigned count, const cells &cell,
                                                    unsigned wanted) {
    unsigned low = 0, high = count;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (cell.find(levels[middle]) < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

template <typename T>
static __device__ __forceinline__ void count(const T *in, unsigned *out,
                                             const typename with<T>::level *levels, size_t n, unsigned bins,
                                             unsigned copies, unsigned cell_count) {
    typedef typename with<T>::level L;
    unsigned words = (bins + 2) * copies;
    clear_counters(words);
    const L *staged = stage_levels<range<T>>(levels, words, bins);
    __syncthreads();
    unsigned *guide = histogram_shared + words + bins + 1;
    cells cell(staged[0], staged[bins], cell_count);
    uint16_t *half = (uint16_t *)guide;
    for (unsigned k = threadIdx.x; k <= cell_count; k += THREADS)
        half[2 * k] = (uint16_t)first_in(staged, bins + 1, cell, k);
    __syncthreads();
    for (unsigned k = threadIdx.x; k < cell_count; k += THREADS)
        half[2 * k + 1] = (uint16_t)(half[2 * k + 2] - half[2 * k]);
    __syncthreads();
    guided<T> finder = {staged, guide, cell};
    copies_counter<T, guided<T>> counter(finder, copies);
    sweep<T, sizeof(T) < 4 ? HISTOGRAM_NARROW_PACKS : HISTOGRAM_VECTOR_PACKS>(in, n, counter);
    __syncthreads();
    flush_counters(out, bins, copies, 1);
}

#define ENTRY(operation, type, T)                                                                            \
    KZ_ENTRY_BOUNDS(histogram_lookup_table_##operation##_##type, THREADS, HISTOGRAM_VECTOR_BLOCKS)           \
    (HISTOGRAM_PARAMETERS(T), size_t copies, size_t cell_count) {                                            \
        count(in, out, levels, n, (unsigned)bins, (unsigned)copies, (unsigned)cell_count);                   \
    }
ENTRY(range, u16, uint16_t)
ENTRY(range, u32, uint32_t)
ENTRY(range, f32, float)
