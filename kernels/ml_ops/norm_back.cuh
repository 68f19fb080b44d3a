// layernorm and rmsnorm: what their kernels share, backward.
//
// With h the normalised row, g = dy gamma and a bar over what is a row's mean,
//     layernorm   dx = rstd (g - g^ - h (g h)^)         dgamma = sum over rows of dy h, dbeta = sum of dy
//     rmsnorm     dx = rstd (g - h (g h)^)              dgamma the same
// where ^ is the mean. rmsnorm's rstd is computed anew, for x is read anyway: one fold has the squares and the products.
//
// Sums of columns are float. A stage leaves `parts` rows of them, those of dgamma first and then those of dbeta; the last
// stage (norm_fold_parts) adds these in a fixed order.
#ifndef NORM_BACK_CUH
#define NORM_BACK_CUH

#include "ml_ops/norm.cuh"

// What a backward kernel is given; mean is NULL for rmsnorm. rstd_out: where rmsnorm leaves rstd for the stage that adds
// columns; NULL where there is none.
template <typename T> struct norm_back_given {
    const T *dy, *x, *gamma;
    const float *mean, *rstd;
    T *dx;
    float *rstd_out, *parts;
    float epsilon;
};
#define NORM_BACK_ARGS(T)                                                                                    \
    (const T *dy, const T *x, const T *gamma, const float *mean, const float *rstd, T *dx, float *rstd_out,  \
     float *parts, size_t rows, size_t columns, float epsilon, unsigned extra)
#define NORM_BACK_GIVEN(T)                                                                                   \
    norm_back_given<T> { dy, x, gamma, mean, rstd, dx, rstd_out, parts, epsilon }
#define NORM_FOLD_ARGS(T) (const float *parts, T *dgamma, T *dbeta, size_t columns, unsigned count)

// layernorm: sums of g and of g h. rmsnorm: of x^2 and of g x.
struct norm_pair {
    struct value {
        float first, second;
    };
    static __device__ __forceinline__ value identity(void) { return {0.0f, 0.0f}; }
    static __device__ __forceinline__ value combine(value a, value b) {
        return {a.first + b.first, a.second + b.second};
    }
};

template <bool CENTERED>
static __device__ __forceinline__ norm_pair::value norm_onto(norm_pair::value sums, float x, float g,
                                                             const norm_row &s) {
    return CENTERED ? norm_pair::value{sums.first + g, fmaf(g, s.of(x), sums.second)}
                    : norm_pair::value{fmaf(x, x, sums.first), fmaf(g, x, sums.second)};
}

// A row's gradient, from its folded sums: dx = rstd g - rstd g^ - h rstd (g h)^.
template <bool CENTERED> struct norm_gradient_of {
    norm_row s;
    float of_g, of_gh; // the means of g and of g h, times rstd
    __device__ __forceinline__ norm_gradient_of(norm_pair::value sums, norm_row given, int columns,
                                                float epsilon) {
        s = CENTERED ? given : norm_row{0.0f, norm_rstd(sums.first, columns, epsilon)};
        of_g = CENTERED ? sums.first / (float)columns * s.rstd : 0.0f;
        of_gh = sums.second / (float)columns * s.rstd * (CENTERED ? 1.0f : s.rstd);
    }
    __device__ __forceinline__ float h(float x) const { return CENTERED ? s.of(x) : x * s.rstd; }
    __device__ __forceinline__ float dx(float h, float g) const {
        return fmaf(-h, of_gh, CENTERED ? fmaf(g, s.rstd, -of_g) : g * s.rstd);
    }
};

// ---- programs ------------------------------------------------------------------------------------------------

// dx alone. Array 0 is x, array 1 dy.
template <typename T, bool CENTERED> struct norm_backward : kz_row_program<T, 2> {
    enum { E = 16 / sizeof(T) };
    const norm_back_given<T> given;
    __device__ __forceinline__ norm_backward(const norm_back_given<T> &g) : given(g) {}
    __device__ __forceinline__ const T *array(int k) const { return k == 0 ? given.x : given.dy; }
    __device__ __forceinline__ bool aligned(void) const { return kz_row_aligned(given.gamma, given.dx); }

    __device__ __forceinline__ norm_row row_given(size_t row, bool exists) const {
        return CENTERED && exists ? norm_row{given.mean[row], given.rstd[row]} : norm_row{0.0f, 0.0f};
    }
    // gamma of a unit; 0 outside of the row
    __device__ __forceinline__ kz_pack<T> load(const kz_row_at &at) const {
        kz_pack<T> gamma;
        gamma.raw = make_uint4(0, 0, 0, 0);
        kz_row_get_column(gamma.at, given.gamma, at);
        return gamma;
    }
    // `gamma_of` loads or has a unit's gamma; `add` gets dy h and dy of each element.
    template <class Row, class Gamma, class Add>
    __device__ __forceinline__ void take(Row &row, Gamma gamma_of, Add add) const {
        norm_row s = row_given(row.row(), row.exists());
        norm_pair::value sums = row.template fold<norm_pair>(
            [&](norm_pair::value so_far, const typename Row::unit &unit, const kz_row_at &at) {
                kz_pack<T> gamma = gamma_of(at);
#pragma unroll
                for (int e = 0; e < E; e++)
                    so_far = norm_onto<CENTERED>(so_far, unit.get(0, e),
                                                 unit.get(1, e) * kz_row_element(gamma, e), s);
                return so_far;
            });
        norm_gradient_of<CENTERED> of(sums, s, row.columns(), given.epsilon);
        if (!CENTERED && given.rstd_out && row.leader()) given.rstd_out[row.row()] = of.s.rstd;
        row.write([&](const typename Row::unit &unit, const kz_row_at &at) {
            kz_pack<T> gamma = gamma_of(at);
            float v[E];
#pragma unroll
            for (int e = 0; e < E; e++) {
                float h = of.h(unit.get(0, e)), dy = unit.get(1, e);
                v[e] = of.dx(h, dy * kz_row_element(gamma, e));
                add(at.unit, e, dy * h, dy);
            }
            kz_row_put_float(given.dx, at, v);
        });
    }
    template <class Row> __device__ __forceinline__ void run(Row &row) const {
        take(
            row, [&](const kz_row_at &at) { return load(at); }, [](int, int, float, float) {});
    }
};

// dx, and the sums of this thread's columns over all of its rows, in registers. FROM_START: a unit is the same columns in
// every row, so its gamma stays too.
template <typename T, bool CENTERED, int UNITS> struct norm_fused : norm_backward<T, CENTERED> {
    enum { E = 16 / sizeof(T), SUMS = CENTERED ? 2 : 1 };
    static const bool FROM_START = true;
    kz_pack<T> gamma[UNITS];
    float sums[SUMS][UNITS][E]; // of dy h, of dy
    int first, step, columns;

    __device__ __forceinline__ norm_fused(const norm_back_given<T> &g, int first_, int step_, int columns_)
        : norm_backward<T, CENTERED>(g), first(first_), step(step_), columns(columns_) {
#pragma unroll
        for (int u = 0; u < UNITS; u++) {
            gamma[u] = this->load(at(u, 0));
#pragma unroll
            for (int e = 0; e < E; e++)
#pragma unroll
                for (int k = 0; k < SUMS; k++) sums[k][u][e] = 0.0f;
        }
    }
    __device__ __forceinline__ kz_row_at at(int unit, size_t row) const {
        int column = (first + unit * step) * E;
        return {row, column, columns, unit, column + E <= columns};
    }
    template <class Row> __device__ __forceinline__ void run(Row &row) {
        this->take(
            row, [&](const kz_row_at &at) { return gamma[at.unit]; },
            [&](int unit, int e, float of_gamma, float of_beta) {
                sums[0][unit][e] += of_gamma;
                if (CENTERED) sums[SUMS - 1][unit][e] += of_beta;
            });
    }
    // As row `part` of `count` rows of partial sums.
    __device__ __forceinline__ void put(size_t part, size_t count) const {
#pragma unroll
        for (int k = 0; k < SUMS; k++)
#pragma unroll
            for (int u = 0; u < UNITS; u++)
                kz_row_put<KZ_CACHE>(this->given.parts + (size_t)k * count * (size_t)columns, at(u, part),
                                     sums[k][u]);
    }
};

// ---- fused kernels ---------------------------------------------------------------------------------------------

template <typename T, bool CENTERED, int UNITS>
static __device__ __forceinline__ void norm_back_block(const norm_back_given<T> &given, size_t rows,
                                                       size_t columns) {
    norm_fused<T, CENTERED, UNITS> program(given, (int)threadIdx.x, (int)blockDim.x, (int)columns);
    kz_rows_block<decltype(program), UNITS>(program, rows, columns);
    program.put(blockIdx.x, gridDim.x);
}

// Lanes of a warp per row: first the warp's rows are folded, by shuffles, then the block's warps, in their order.
template <typename T, bool CENTERED, int UNITS>
static __device__ __forceinline__ void norm_back_lanes(const norm_back_given<T> &given, size_t rows,
                                                       size_t columns, unsigned lanes) {
    typedef norm_fused<T, CENTERED, UNITS> fused;
    enum { E = fused::E, WARPS = KZ_ROW_LANE_THREADS / KZ_WARP, ROOM = KZ_WARP * UNITS * E };
    __shared__ __align__(16) float of_warp[WARPS][ROOM];
    fused program(given, (int)(kz_lane() % lanes), (int)lanes, (int)columns);
    kz_rows_lanes<fused, UNITS>(program, rows, columns, lanes);
#pragma unroll
    for (int k = 0; k < fused::SUMS; k++) {
        if (k > 0) __syncthreads();
#pragma unroll
        for (int u = 0; u < UNITS; u++)
#pragma unroll
            for (int e = 0; e < E; e++) {
                float sum = program.sums[k][u][e];
#pragma unroll
                for (int far = KZ_WARP / 2; far > 0; far /= 2)
                    if (far >= lanes) sum += kz_shuffle_xor(sum, far);
                if (kz_lane() < lanes) of_warp[kz_warp()][(kz_lane() + u * lanes) * E + e] = sum;
            }
        __syncthreads();
        for (int c = (int)threadIdx.x; c < (int)columns; c += KZ_ROW_LANE_THREADS) {
            float sum = 0.0f;
#pragma unroll
            for (int w = 0; w < WARPS; w++) sum += of_warp[w][c];
            given.parts[((size_t)k * gridDim.x + blockIdx.x) * columns + c] = sum;
        }
    }
}

// ---- stages that add columns -------------------------------------------------------------------------------------

// A chunk of rows for each block: a thread has the sums of a pack of columns.
template <typename T, bool CENTERED>
static __device__ __forceinline__ void norm_add_chunk(const norm_back_given<T> &given, size_t rows,
                                                      size_t columns, size_t chunks) {
    enum { E = 16 / sizeof(T) };
    size_t across = (columns + E * blockDim.x - 1) / (E * blockDim.x), chunk = blockIdx.x / across;
    size_t column = (blockIdx.x % across * blockDim.x + threadIdx.x) * E;
    size_t share = (rows + chunks - 1) / chunks, end = min((chunk + 1) * share, rows);
    float of_gamma[E] = {0.0f}, of_beta[E] = {0.0f};
    if (column >= columns) return;
    kz_row_at at = {chunk, (int)column, (int)columns, 0, column + E <= columns};
#pragma unroll 4
    for (size_t row = chunk * share; row < end; row++) {
        kz_pack<T> x, dy;
        at.row = row;
        x.raw = dy.raw = make_uint4(0, 0, 0, 0);
        kz_row_get(x.at, given.x, at), kz_row_get(dy.at, given.dy, at);
        norm_row s = {CENTERED ? given.mean[row] : 0.0f, given.rstd[row]};
#pragma unroll
        for (int e = 0; e < E; e++) {
            float g = kz_row_element(dy, e), of = kz_row_element(x, e);
            of_gamma[e] = fmaf(g, CENTERED ? s.of(of) : of * s.rstd, of_gamma[e]);
            if (CENTERED) of_beta[e] += g;
        }
    }
    at.row = chunk;
    kz_row_put<KZ_CACHE>(given.parts, at, of_gamma);
    if (CENTERED) kz_row_put<KZ_CACHE>(given.parts + chunks * columns, at, of_beta);
}

// The last stage: 32 columns of dgamma or of dbeta for each block. A warp adds every NORM_FOLD_WARPS-th row of them, and then
// the warps' sums are added in their order.
template <typename T>
static __device__ __forceinline__ void norm_fold_parts(const float *parts, T *dgamma, T *dbeta,
                                                       size_t columns, size_t count) {
    __shared__ float of_warp[NORM_FOLD_WARPS][KZ_WARP];
    size_t groups = (columns + KZ_WARP - 1) / KZ_WARP, which = blockIdx.x / groups;
    size_t column = blockIdx.x % groups * KZ_WARP + kz_lane();
    float sum = 0.0f;
    parts += which * count * columns;
    if (column < columns) {
#pragma unroll 4
        for (size_t row = kz_warp(); row < count; row += NORM_FOLD_WARPS)
            sum += parts[row * columns + column];
    }
    of_warp[kz_warp()][kz_lane()] = sum;
    __syncthreads();
    if (kz_warp() > 0 || column >= columns) return;
#pragma unroll
    for (int w = 1; w < NORM_FOLD_WARPS; w++) sum += of_warp[w][kz_lane()];
    kz_narrow(which == 0 ? &dgamma[column] : &dbeta[column], sum);
}

#endif
