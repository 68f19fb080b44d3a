// fused_elementwise: threads that stay on their columns, for 04 and 05, which differ in how many rows are in flight.
//
// A thread's unit is one pack of columns or, in chains with a mask, two packs 32 columns apart, for which the halves of one
// call serve; where rows do not begin with packs, one column. A block is a tile of up to FUSED_WIDTH units by as many rows as
// its threads give, and goes down a piece of the rows. Rows are cut into `pieces`, each with its own sums of columns; a second
// launch adds those, always in the same order.
#ifndef FUSED_ELEMENTWISE_COLUMNS_CUH
#define FUSED_ELEMENTWISE_COLUMNS_CUH

#include "chain.cuh"

// Where a thread is in a tile of the block.
struct tile {
    size_t unit; // of the row
    unsigned width, height, line;
    size_t piece, from, to; // rows
    bool inside;
};

// How many tiles side by side `units` make, and tile `index` of those times pieces.
static __device__ __forceinline__ unsigned tiles_across(unsigned units) {
    return (units + FUSED_WIDTH - 1) / FUSED_WIDTH;
}
static __device__ __forceinline__ tile tile_of(size_t index, unsigned units, size_t rows, size_t pieces) {
    unsigned across = tiles_across(units);
    size_t chunk = (rows + pieces - 1) / pieces;
    tile t;
    t.width = (units + across - 1) / across;
    t.height = FUSED_THREADS / t.width;
    t.line = threadIdx.x / t.width;
    t.piece = index / across;
    t.unit = index % across * t.width + threadIdx.x % t.width;
    t.from = t.piece * chunk < rows ? t.piece * chunk : rows;
    t.to = t.from + chunk < rows ? t.from + chunk : rows;
    t.inside = t.line < t.height && t.unit < units;
    return t;
}

// The block's lines meet: each column's sum of the piece, in the order of the lines. `column` is where value v of this thread
// belongs, of `count`.
template <int count, typename Column>
static __device__ __forceinline__ void leave_sums(float *sums, const tile &t, const float value[count],
                                                  Column column) {
    __shared__ float partial[count][FUSED_THREADS];
    __syncthreads(); // the tile before is done with them
#pragma unroll
    for (int v = 0; v < count; v++) partial[v][threadIdx.x] = value[v];
    __syncthreads();
    if (!t.inside || t.line != 0) return;
#pragma unroll
    for (int v = 0; v < count; v++) {
        float sum = value[v];
        for (unsigned line = 1; line < t.height; line++) sum += partial[v][line * t.width + threadIdx.x];
        sums[column(v)] = sum;
    }
}

// A thread's packs of one row, 32 columns apart where there are two.
template <typename Chain, typename T, int PACKS> struct row_of { loaded<Chain, T> at[PACKS]; };
template <typename Chain, typename T, int PACKS>
static __device__ __forceinline__ void do_row(const arrays<Chain, T> &own, size_t row, size_t column,
                                              const row_of<Chain, T, PACKS> &from, const kz_pack<T> *bias,
                                              float *sums) {
    const int PACK = 16 / sizeof(T);
    size_t i = row * own.columns + column;
    kz_philox_block calls[2];
    if (Chain::MASK) chain_calls<T>(calls, own.d, i);
#pragma unroll
    for (int p = 0; p < PACKS; p++)
        chain_pack(own, row, column + 32 * p, from.at[p], bias[p], calls, PACKS == 2 ? p == 1 : i & 32,
                   sums + p * PACK);
}

template <int ROWS, int PACKS, typename Chain, typename T>
static __device__ __forceinline__ void by_packs(const arrays<Chain, T> &own, size_t pieces) {
    const int PACK = 16 / sizeof(T), EACH = 32 / PACK;
    unsigned units = (unsigned)(own.columns / (PACKS * PACK));
    size_t count = tiles_across(units) * pieces;
    for (size_t index = blockIdx.x; index < count; index += gridDim.x) {
        tile t = tile_of(index, units, own.rows, pieces);
        size_t column = PACKS == 2 ? t.unit / EACH * 64 + t.unit % EACH * PACK : t.unit * PACK;
        kz_pack<T> bias[PACKS];
        float sums[PACKS * PACK] = {0.0f};
        if (Chain::BIAS && t.inside)
#pragma unroll
            for (int p = 0; p < PACKS; p++) bias[p] = kz_load_pack<KZ_CACHE>(own.bias + column + 32 * p);
        size_t row = t.inside ? t.from + t.line : t.to;
        for (; row + (ROWS - 1) * t.height < t.to; row += ROWS * t.height) {
            row_of<Chain, T, PACKS> from[ROWS];
#pragma unroll
            for (int r = 0; r < ROWS; r++)
#pragma unroll
                for (int p = 0; p < PACKS; p++)
                    chain_load(&from[r].at[p], own, row + r * t.height, column + 32 * p);
#pragma unroll
            for (int r = 0; r < ROWS; r++) do_row(own, row + r * t.height, column, from[r], bias, sums);
        }
        if (ROWS > 1)
#pragma unroll 1
            for (; row < t.to; row += t.height) {
                row_of<Chain, T, PACKS> from;
#pragma unroll
                for (int p = 0; p < PACKS; p++) chain_load(&from.at[p], own, row, column + 32 * p);
                do_row(own, row, column, from, bias, sums);
            }
        if (Chain::SUM)
            leave_sums<PACKS * PACK>(own.sums + t.piece * own.columns, t, sums,
                                     [=](int v) { return column + v / PACK * 32 + v % PACK; });
    }
}

template <typename Chain, typename T>
static __device__ __forceinline__ void by_elements(const arrays<Chain, T> &own, size_t pieces) {
    unsigned units = (unsigned)own.columns;
    size_t count = tiles_across(units) * pieces;
    for (size_t index = blockIdx.x; index < count; index += gridDim.x) {
        tile t = tile_of(index, units, own.rows, pieces);
        float sum = 0.0f;
        if (t.inside)
#pragma unroll 1
            for (size_t row = t.from + t.line; row < t.to; row += t.height)
                sum += chain_element(own, row, t.unit);
        if (Chain::SUM) leave_sums<1>(own.sums + t.piece * own.columns, t, &sum, [=](int) { return t.unit; });
    }
}

// in_flight: packs of all inputs together, or 1 for one row at a time.
template <int in_flight, typename Chain, typename T>
static __device__ __forceinline__ void by_columns(const arrays<Chain, T> &own, size_t pieces) {
    const int HALF = in_flight > 1 ? in_flight / 2 : 1;
    if (!own.packs())
        by_elements(own, pieces);
    else if (Chain::MASK && own.columns % 64 == 0)
        by_packs<HALF, 2>(own, pieces);
    else
        by_packs<Chain::IN == 1 ? in_flight : HALF, 1>(own, pieces);
}

// The second stage of the sums: lines of FUSED_GATHER threads share the pieces, then their sums meet.
template <typename T>
static __device__ __forceinline__ void gather(const float *sums, T *dbias, size_t columns, size_t pieces) {
    const int LINES = FUSED_THREADS / FUSED_GATHER;
    __shared__ float partial[LINES][FUSED_GATHER];
    unsigned at = threadIdx.x % FUSED_GATHER, line = threadIdx.x / FUSED_GATHER;
    size_t column = (size_t)blockIdx.x * FUSED_GATHER + at;
    float sum = 0.0f;
    if (column < columns)
#pragma unroll 4
        for (size_t piece = line; piece < pieces; piece += LINES) sum += sums[piece * columns + column];
    partial[line][at] = sum;
    __syncthreads();
    if (line != 0 || column >= columns) return;
    for (int l = 1; l < LINES; l++) sum += partial[l][at];
    kz_narrow(&dbias[column], sum);
}

#define CHAIN_COLUMNS(idea, in_flight, blocks, operation, type, T)                                           \
    KZ_ENTRY_BOUNDS(fused_elementwise_##idea##_##operation##_##type, FUSED_THREADS, blocks)                  \
    (CHAIN_PARAMETERS(T), size_t pieces) {                                                                   \
        CHAIN_ARRAYS(operation, T);                                                                          \
        by_columns<in_flight>(own, pieces);                                                                  \
    }
#define CHAIN_GATHER(idea, type, T)                                                                          \
    KZ_ENTRY(fused_elementwise_##idea##_gather_##type)                                                       \
    (const float *sums, T *dbias, size_t columns, size_t pieces) { gather(sums, dbias, columns, pieces); }
#define CHAIN_GATHERS(idea)                                                                                  \
    CHAIN_GATHER(idea, f32, float) CHAIN_GATHER(idea, f16, kz_f16) CHAIN_GATHER(idea, bf16, kz_bf16)

#endif
