// warp 06: many rows per warp, 16 bytes per lane
//
// Idea     a row of 32 elements is no work for a warp; only bytes in flight keep DRAM busy. And in a product the
//          lane that got an element should use it more than once.
// Change   eight lanes with a pack of four elements each are a row: a load of the warp is four rows, and a tile of
//          eight packs per lane 32 rows. Within a lane no exchange is needed; among the eight, 04's butterfly hands
//          over. Votes: four ballots for four rows. Match: a register per row as before, eight rows in flight.
//          Product: a lane has a tile of 8 x 4, and 12 shuffles feed 32 multiply-adds.
// Expect   7 shuffles for 32 rows folded, 3 for 4 rows scanned, a product by 384 shuffles and not 1024: peak DRAM bandwidth.
// Limit    rows that do not begin with 16 bytes, and those behind the last whole tile, go row by row as in 03.
// kz: sm 80

#include "row.cuh"

enum { LANES = 8, GROUPS = KZ_WARP / LANES, PACK = 4, PACKS = 8, TILE_ROWS = PACKS * GROUPS };

static __device__ __forceinline__ size_t warps(void) { return kz_threads() / KZ_WARP; }
// Pack j of a lane in a tile belongs to row first + 4 j + lane / 8. After the butterfly the lane has that of:
static __device__ __forceinline__ unsigned handed_row(void) {
    return kz_lane() % LANES * GROUPS + kz_lane() / LANES;
}

template <int count, typename T>
static __device__ __forceinline__ void load_packs(kz_pack<T> (&packs)[count], const T *tile) {
#pragma unroll
    for (int j = 0; j < count; j++)
        packs[j] = kz_load_pack<WARP_HINT>(tile + (size_t)(j * KZ_WARP + kz_lane()) * PACK);
}

// ---- folds ----------------------------------------------------------------------------------------------

template <int operation, typename T> static __device__ __forceinline__ T fold_tile(const T *tile) {
    kz_pack<T> packs[PACKS];
    load_packs(packs, tile);
    T value[PACKS];
#pragma unroll
    for (int j = 0; j < PACKS; j++)
        value[j] = kz_fold_pack<operation, T, T>(kz_fold_identity<operation>(T()), packs[j]);
    hand_over<operation, LANES / 2>(value);
    return value[0];
}

template <int operation, typename T>
static __device__ __forceinline__ void fold_rows(const T *in, T *out, size_t n) {
    size_t tiles = kz_aligned(in, 16) ? n / (TILE_ROWS * KZ_WARP) : 0;
    for (size_t t = own_row(); t < tiles; t += warps())
        out[t * TILE_ROWS + handed_row()] = fold_tile<operation>(in + t * TILE_ROWS * KZ_WARP);
    for (size_t row = tiles * TILE_ROWS + own_row(); row < rows_of(n); row += warps()) {
        T value = load_or(in, row * KZ_WARP + kz_lane(), n, kz_fold_identity<operation>(T()));
        value = kz_fold_lanes<operation>(value);
        if (kz_lane() == 0) out[row] = value;
    }
}

// ---- scans ----------------------------------------------------------------------------------------------

// A pack's prefix sums in place, and then those of the eight lanes' totals.
template <bool exclusive, typename T> static __device__ __forceinline__ void scan_pack(kz_pack<T> &pack) {
#pragma unroll
    for (int e = 1; e < PACK; e++) pack.at[e] = kz_fold_combine<KZ_SUM>(pack.at[e - 1], pack.at[e]);
    T total = pack.at[PACK - 1];
#pragma unroll
    for (unsigned step = 1; step < LANES; step *= 2) {
        T before = __shfl_up_sync(KZ_ALL_LANES, total, step, LANES);
        if (kz_lane() % LANES >= step) total = kz_fold_combine<KZ_SUM>(before, total);
    }
    T before = __shfl_up_sync(KZ_ALL_LANES, total, 1, LANES);
    if (kz_lane() % LANES == 0) before = 0;
    T inclusive[PACK];
#pragma unroll
    for (int e = 0; e < PACK; e++) inclusive[e] = kz_fold_combine<KZ_SUM>(before, pack.at[e]);
#pragma unroll
    for (int e = 0; e < PACK; e++) pack.at[e] = !exclusive ? inclusive[e] : e ? inclusive[e - 1] : before;
}

template <bool exclusive, typename T>
static __device__ __forceinline__ void scan_rows(const T *in, T *out, size_t n) {
    const size_t tile = WARP_SCAN_PACKS * GROUPS * KZ_WARP;
    size_t tiles = kz_aligned(in, 16) && kz_aligned(out, 16) ? n / tile : 0;
    for (size_t t = own_row(); t < tiles; t += warps()) {
        kz_pack<T> packs[WARP_SCAN_PACKS];
        load_packs(packs, in + t * tile);
#pragma unroll
        for (int j = 0; j < WARP_SCAN_PACKS; j++) {
            scan_pack<exclusive>(packs[j]);
            kz_store_pack<WARP_HINT>(out + t * tile + (size_t)(j * KZ_WARP + kz_lane()) * PACK, packs[j]);
        }
    }
    for (size_t row = tiles * tile / KZ_WARP + own_row(); row < rows_of(n); row += warps()) {
        size_t i = row * KZ_WARP + kz_lane();
        T value = scan_lanes(load_or(in, i, n, (T)0));
        if (exclusive) value = shift_up(value);
        if (i < n) out[i] = value;
    }
}

// ---- votes ----------------------------------------------------------------------------------------------

// Of four ballots, one per element of the packs, the eight lanes of this lane's row.
typedef struct votes {
    unsigned count, first;
} votes;

static __device__ __forceinline__ votes count_votes(const unsigned (&ballots)[PACK]) {
    votes v = {0, KZ_WARP};
#pragma unroll
    for (unsigned e = 0; e < PACK; e++) {
        unsigned lanes = ballots[e] >> (kz_lane() / LANES * LANES) & ((1u << LANES) - 1);
        v.count += __popc(lanes);
        if (lanes) v.first = min(v.first, (__ffs((int)lanes) - 1) * PACK + e);
    }
    return v;
}

// Every lane sees all ballots; lane l keeps those of the pack that it will count for.
static __device__ __forceinline__ votes vote_tile(const float *tile) {
    kz_pack<float> packs[PACKS];
    load_packs(packs, tile);
    unsigned mine[PACK] = {0};
#pragma unroll
    for (int j = 0; j < PACKS; j++)
#pragma unroll
        for (int e = 0; e < PACK; e++) {
            unsigned ballot = __ballot_sync(KZ_ALL_LANES, packs[j].at[e] > 0.0f);
            if (kz_lane() % LANES == j) mine[e] = ballot;
        }
    return count_votes(mine);
}

// ---- entry points ---------------------------------------------------------------------------------------

#undef WARP_FOLD
#undef WARP_SCAN
#define WARP_VECTOR(operation, type)                                                                         \
    KZ_ENTRY_BOUNDS(warp_vector_##operation##_##type, WARP_VECTOR_THREADS, WARP_VECTOR_BLOCKS)
#define WARP_FOLD(idea, operation, OPERATION, type, T)                                                       \
    WARP_VECTOR(operation, type)(const T *in, T *out, size_t n) { fold_rows<OPERATION>(in, out, n); }
#define WARP_SCAN(idea, operation, EXCLUSIVE, type, T)                                                       \
    WARP_VECTOR(operation, type)(const T *in, T *out, size_t n) { scan_rows<EXCLUSIVE>(in, out, n); }
WARP_FOLDS(vector)
WARP_SCANS(vector)

WARP_VECTOR(vote, f32)(const float *in, unsigned *count, unsigned *first, size_t n) {
    size_t tiles = kz_aligned(in, 16) ? n / (TILE_ROWS * KZ_WARP) : 0;
    for (size_t t = own_row(); t < tiles; t += warps()) {
        votes v = vote_tile(in + t * TILE_ROWS * KZ_WARP);
        count[t * TILE_ROWS + handed_row()] = v.count;
        first[t * TILE_ROWS + handed_row()] = v.first;
    }
    for (size_t row = tiles * TILE_ROWS + own_row(); row < rows_of(n); row += warps()) {
        float x = load_or(in, row * KZ_WARP + kz_lane(), n, 0.0f);
        unsigned ballot = __ballot_sync(KZ_ALL_LANES, x > 0.0f);
        if (kz_lane() == 0) count[row] = __popc(ballot), first[row] = first_of(ballot);
    }
}

// A tile of rows, one after the other: found(j, i, peers, present), all lanes together, where i is this lane's element
// of row j. Where the tile is not whole, absent lanes are matched with the rest, as zeros, and struck out.
template <bool whole, typename F>
static __device__ __forceinline__ void match_tile(const int *in, size_t n, size_t first, F found) {
    const int ROWS = WARP_MATCH_ROWS;
    int value[ROWS];
#pragma unroll
    for (int j = 0; j < ROWS; j++) {
        size_t i = (first + j) * KZ_WARP + kz_lane();
        value[j] = whole ? in[i] : load_or(in, i, n, 0);
    }
#pragma unroll
    for (int j = 0; j < ROWS; j++) {
        size_t i = (first + j) * KZ_WARP + kz_lane();
        bool present = whole || i < n;
        unsigned peers = __match_any_sync(KZ_ALL_LANES, value[j]);
        if (!whole) peers &= __ballot_sync(KZ_ALL_LANES, present);
        found(j, i, peers, present);
    }
}

template <typename F> static __device__ __forceinline__ void match_rows(const int *in, size_t n, F found) {
    const size_t tile = WARP_MATCH_ROWS * KZ_WARP;
    size_t t = own_row();
    for (; t < n / tile; t += warps()) match_tile<true>(in, n, t * WARP_MATCH_ROWS, found);
    if (t * tile < n) match_tile<false>(in, n, t * WARP_MATCH_ROWS, found);
}

WARP_VECTOR(match, i32)(const int *in, unsigned *out, size_t n) {
    match_rows(in, n, [=](int, size_t i, unsigned peers, bool present) {
        if (present) out[i] = peers;
    });
}

// Lane j keeps row j's count, so that a tile's leave together.
WARP_VECTOR(distinct, i32)(const int *in, unsigned *out, size_t n) {
    unsigned mine = 0;
    match_rows(in, n, [=, &mine](int j, size_t i, unsigned peers, bool present) {
        unsigned leaders = __ballot_sync(KZ_ALL_LANES, present && first_of(peers) == kz_lane());
        if (kz_lane() == j) mine = __popc(leaders);
        size_t own = i / KZ_WARP - j + kz_lane(); // in the tile's last round
        if (j == WARP_MATCH_ROWS - 1 && kz_lane() < WARP_MATCH_ROWS && own < rows_of(n)) out[own] = mine;
    });
}

// ---- products -------------------------------------------------------------------------------------------

// Lane 8 r + c has rows 8 r to 8 r + 7 and columns 4 c to 4 c + 3 of a, b and the result. For product k, a's column
// k lies with the lanes of column k / 4, b's row k with those of row k / 8: the registers' numbers are known to the
// compiler, and the lanes differ alone.
enum { HIGH = 8, WIDE = 4 };

static __device__ __forceinline__ void load_tile(kz_pack<float> (&tile)[HIGH], const float *matrix) {
    unsigned row = kz_lane() / LANES * HIGH, column = kz_lane() % LANES * WIDE;
#pragma unroll
    for (int i = 0; i < HIGH; i++) tile[i] = kz_load_pack<WARP_HINT>(matrix + (row + i) * KZ_WARP + column);
}

KZ_ENTRY_BOUNDS(warp_vector_product_f32, WARP_PRODUCT_THREADS, WARP_PRODUCT_BLOCKS)
(const float *a, float *out, const float *b, size_t n) {
    size_t matrix = own_row() * MATRIX;
    if (matrix >= n) return; // the whole warp
    kz_pack<float> left[HIGH], right[HIGH], sum[HIGH] = {};
    load_tile(left, a + matrix);
    load_tile(right, b + matrix);
    unsigned r = kz_lane() / LANES, c = kz_lane() % LANES;
#pragma unroll 1
    for (unsigned block = 0; block < KZ_WARP / HIGH; block++) {
#pragma unroll
        for (unsigned t = 0; t < HIGH; t++) { // k = 8 * block + t
            float across[HIGH], down[WIDE];
#pragma unroll
            for (int i = 0; i < HIGH; i++)
                across[i] = __shfl_sync(KZ_ALL_LANES, left[i].at[t % WIDE],
                                        r * LANES + block * (HIGH / WIDE) + t / WIDE);
#pragma unroll
            for (int j = 0; j < WIDE; j++)
                down[j] = __shfl_sync(KZ_ALL_LANES, right[t].at[j], block * LANES + c);
#pragma unroll
            for (int i = 0; i < HIGH; i++)
#pragma unroll
                for (int j = 0; j < WIDE; j++) sum[i].at[j] += across[i] * down[j];
        }
    }
    unsigned row = r * HIGH, column = c * WIDE;
#pragma unroll
    for (int i = 0; i < HIGH; i++)
        kz_store_pack<WARP_HINT>(out + matrix + (row + i) * KZ_WARP + column, sum[i]);
}
