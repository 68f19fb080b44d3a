// compact 02: the warp's ballot
//
// Idea     one vote tells all 32 lanes who is selected: the bits before a lane's own are its rank, all bits
//          the warp's count. No scan at all inside a warp.
// Change   a part is a warp's: 16 rows of 32 neighbouring elements, a ballot and two population counts each.
// Expect   loads of whole lines; the selected ones of a row are written beside each other; a count per 512
//          elements instead of 16.
// Limit    the input is read twice, 4 bytes per lane at a time, and a row's few elements are written apart
//          from the next row's: half-filled lines (see 03).

#include "frame.cuh"

enum { PART = COMPACT_ITEMS * KZ_WARP };

static __device__ __forceinline__ size_t warp_of_grid(void) { return kz_thread() / KZ_WARP; }

// The bits of one row; all lanes of the warp must be here.
template <typename R>
static __device__ __forceinline__ unsigned vote(const typename R::element *in, const uint8_t *flags, size_t i,
                                                size_t n) {
    return __ballot_sync(KZ_ALL_LANES, i < n && selected_at<R>(in, flags, i));
}

template <typename R>
static __device__ __forceinline__ void count_part(const typename R::element *in, const uint8_t *flags,
                                                  unsigned *counts, size_t n) {
    size_t first = warp_of_grid() * PART;
    if (first >= n) return;
    unsigned selected = 0;
#pragma unroll
    for (int k = 0; k < COMPACT_ITEMS; k++)
        selected += __popc(vote<R>(in, flags, first + k * KZ_WARP + kz_lane(), n));
    if (kz_lane() == 0) counts[warp_of_grid()] = selected;
}

template <typename R>
static __device__ __forceinline__ void write_part(const typename R::element *in, const uint8_t *flags,
                                                  const unsigned *counts, typename R::element *out,
                                                  size_t n) {
    size_t first = warp_of_grid() * PART;
    if (first >= n) return;
    unsigned before = counts[warp_of_grid()], lower_lanes = (1u << kz_lane()) - 1;
#pragma unroll
    for (int k = 0; k < COMPACT_ITEMS; k++) {
        size_t i = first + k * KZ_WARP + kz_lane();
        unsigned bits = vote<R>(in, flags, i, n);
        if (i < n) put_at<R>(in, out, n, i, bits >> kz_lane() & 1, before + __popc(bits & lower_lanes));
        before += __popc(bits);
    }
}

COMPACT_SUMS(ballot)
#define ENTRY(operation, type, T, rule)       COMPACT_FRAME(ballot, operation, type, T, rule)
#define COUNT_ENTRY(operation, type, T, rule) COMPACT_FRAME_COUNT(ballot, operation, type, T, rule)
COMPACT_FEW(ENTRY)
COMPACT_FEW_SELECTIONS(COUNT_ENTRY)
