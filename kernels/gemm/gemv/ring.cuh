// gemv: blocks that stay, a ring of stages in shared memory filled by bulk copies, for 05 and up.
//
// A block takes units of ROWS rows, one after another. A unit is cut along k into chunks of DEPTH elements. A stage has a chunk of
// the unit's rows and the same chunk of x. Some warps ask for copies; the others share the steps of a chunk, and add
// their sums when the unit is done. Rows in shared memory are padded so that the lanes of a load meet no bank twice.
#ifndef GEMV_RING_CUH
#define GEMV_RING_CUH

#include "any.cuh"
#include "kz/device/bulk.cuh"
#include "ring_shape.h"
#include "tensor.cuh"

// What a variant's kernels are made of: tiles of 16 rows in a unit, tiles of 8 tokens, k in a chunk, warps that multiply, warps that ask for
// copies, and whether it may begin before the kernel in front has ended.
template <int F_, typename T_, int RT_, int NT_, int DEPTH_, int WARPS_, int FETCHERS_, bool OVERLAP_>
struct ring_kind {
    typedef T_ T;
    static constexpr int F = F_, RT = RT_, NT = NT_, DEPTH = DEPTH_, WARPS = WARPS_, FETCHERS = FETCHERS_;
    static constexpr int THREADS = KZ_WARP * (WARPS + FETCHERS);
    static constexpr bool OVERLAP = OVERLAP_;
    static constexpr int ROWS = 16 * RT;
    static constexpr unsigned W_STRIDE = GEMV_W_STRIDE(F == INT3, (unsigned)bytes_of<F>(DEPTH));
    static constexpr unsigned X_STRIDE = GEMV_X_STRIDE(bits_of(F), DEPTH);
};

// Where everything is in the block's shared memory.
template <typename R> struct ring_memory {
    uint64_t *full, *empty; // barriers, one per stage each
    char *stages, *scales;
    float *sums; // of each warp, each token, each row
    unsigned stage_bytes, scale_bytes, slots;
};

template <typename R> struct ring_block {
    problem<typename R::T> p;
    ring_memory<R> memory;
    unsigned stages, units, first_unit, unit_step;
    unsigned first_chunk, chunks; // of each unit: those of this block
    unsigned stage = 0, parity = 0;
    __device__ __forceinline__ void advance(void) {
        if (++stage == stages) stage = 0, parity ^= 1;
    }
    __device__ __forceinline__ char *now(void) const { return memory.stages + stage * memory.stage_bytes; }
    __device__ __forceinline__ float *sum_at(unsigned token, unsigned row) const { // of warp 0
        return memory.sums + token * (R::ROWS + GEMV_SUM_PAD) + row;
    }
    __device__ __forceinline__ size_t first_row(unsigned unit) const { // of the unit; n behind the last one
        size_t row = (size_t)unit * R::ROWS;
        return row < p.n ? row : p.n;
    }
    __device__ __forceinline__ unsigned depth_of(unsigned chunk) const { // k in it
        size_t left = p.k - (size_t)(first_chunk + chunk) * R::DEPTH;
        return left < R::DEPTH ? (unsigned)left : R::DEPTH;
    }
    __device__ __forceinline__ char *scales_of(unsigned ordinal) const {
        return memory.scales + ordinal % memory.slots * memory.scale_bytes;
    }
};

// ---- the warps that ask for copies ----------------------------------------------------------------------

// This thread among those that fetch: the lanes of one warp ask one after another, so that neighbours are of different warps.
template <typename R> static __device__ __forceinline__ unsigned fetcher(void) {
    return kz_lane() * R::FETCHERS + (kz_warp() - R::WARPS);
}

// Where a chunk of a row is. Rows past the unit's last are the last again: their sums go nowhere, but something must be there.
template <typename R>
static __device__ __forceinline__ const char *row_of(const ring_block<R> &b, unsigned unit, unsigned r,
                                                     unsigned chunk) {
    size_t row = b.first_row(unit) + r, end = b.first_row(unit + 1);
    if (row >= end) row = end - 1;
    return (const char *)b.p.w + row * bytes_of<R::F>(b.p.k) +
           bytes_of<R::F>((size_t)(b.first_chunk + chunk) * R::DEPTH);
}

template <typename R>
static __device__ __forceinline__ void fetch_rows(const ring_block<R> &b, unsigned unit, unsigned chunk,
                                                  uint64_t policy) {
    unsigned bytes = (unsigned)bytes_of<R::F>(b.depth_of(chunk));
    for (unsigned r = fetcher<R>(); r < R::ROWS; r += R::FETCHERS * KZ_WARP)
        kz_bulk_load(b.now() + r * R::W_STRIDE, row_of(b, unit, r, chunk), bytes, &b.memory.full[b.stage],
                     policy);
}

template <typename R> static __device__ __forceinline__ void fetch_x(const ring_block<R> &b, unsigned chunk) {
    unsigned token = fetcher<R>();
    if (token < b.p.m)
        kz_bulk_load(b.now() + R::ROWS * R::W_STRIDE + token * R::X_STRIDE,
                     b.p.x + token * b.p.k + (size_t)(b.first_chunk + chunk) * R::DEPTH,
                     2 * b.depth_of(chunk), &b.memory.full[b.stage]);
}

// The scales of a unit, by one copy where that is aligned. Says how many bytes come by copies. By one warp.
template <typename R>
static __device__ __forceinline__ unsigned fetch_scales(const ring_block<R> &b, unsigned unit,
                                                        unsigned ordinal) {
    typedef typename R::T T;
    const size_t groups = b.p.k / GROUP, first = b.first_row(unit);
    const T *from = b.p.scale + first * groups;
    T *to = (T *)b.scales_of(ordinal);
    unsigned count = (unsigned)((b.first_row(unit + 1) - first) * groups);
    if (kz_aligned(from, 16) && count % 8 == 0) {
        if (kz_lane() == 0) kz_bulk_load(to, from, count * sizeof(T), &b.memory.full[b.stage]);
        return count * sizeof(T);
    }
    for (unsigned i = kz_lane(); i < count; i += KZ_WARP) to[i] = from[i];
    return 0;
}

// Chunk `chunk` of a unit into the stage that is next. `x`: x's too; else it comes later.
template <typename R>
static __device__ __forceinline__ void fetch(const ring_block<R> &b, unsigned unit, unsigned ordinal,
                                             unsigned chunk, uint64_t policy, bool x) {
    if (kz_warp() == R::WARPS) {
        unsigned depth = b.depth_of(chunk);
        unsigned bytes = R::ROWS * (unsigned)bytes_of<R::F>(depth) + b.p.m * 2 * depth;
        if (R::F != DENSE && chunk == 0) bytes += fetch_scales(b, unit, ordinal);
        kz_barrier_arrive_expect_warp(&b.memory.full[b.stage], bytes);
    } else
        kz_barrier_arrive(&b.memory.full[b.stage]);
    fetch_rows(b, unit, chunk, policy);
    if (x) fetch_x(b, chunk);
}

template <typename R> static __device__ __forceinline__ void produce(ring_block<R> b) {
    uint64_t policy = kz_evict_first();
    unsigned unit = b.first_unit, ordinal = 0, chunk = 0;
    // What fits into the ring at once. W is nobody's result: its copies need not wait for the kernel in front.
    ring_block<R> begin = b;
    unsigned count = 0;
    for (; count < b.stages && unit < b.units; count++, b.advance()) {
        fetch(b, unit, ordinal, chunk, policy, !R::OVERLAP);
        if (++chunk == b.chunks) chunk = 0, ordinal++, unit += b.unit_step;
    }
    if (R::OVERLAP) {
        asm volatile("griddepcontrol.wait;" ::: "memory");
        asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
        for (unsigned c = 0; count > 0; count--, begin.advance()) {
            fetch_x(begin, c);
            if (++c == b.chunks) c = 0;
        }
    }
    for (; unit < b.units; b.advance()) {
        kz_barrier_wait(&b.memory.empty[b.stage], b.parity ^ 1);
        fetch(b, unit, ordinal, chunk, policy, true);
        if (++chunk == b.chunks) chunk = 0, ordinal++, unit += b.unit_step;
    }
}

// ---- the warps that multiply ---------------------------------------------------------------------------

template <int WORDS> static __device__ __forceinline__ void read_words(unsigned *word, const char *from) {
    if (WORDS == 4) {
        uint4 v = *(const uint4 *)from;
        word[0] = v.x, word[1] = v.y, word[2] = v.z, word[3] = v.w;
    } else
        for (int w = 0; w < WORDS; w++) word[w] = ((const unsigned *)from)[w];
}

// Piece `at` of a chunk, of SPAN elements per row.
template <typename R>
static __device__ __forceinline__ void multiply_at(float sum[R::RT][R::NT][4], const char *w, const char *x,
                                                   unsigned m, unsigned at, bool there) {
    constexpr int F = R::F, WORDS = piece<F>::WORDS, QUADS = piece<F>::PAIRS / 4;
    const unsigned g = kz_lane() / 4, t = kz_lane() % 4;
    uint4 right[R::NT][QUADS];
#pragma unroll
    for (int i = 0; i < R::NT; i++) {
        unsigned token = 8 * i + g < m ? 8 * i + g : m - 1;
#pragma unroll
        for (int q = 0; q < QUADS; q++) {
            right[i][q] = make_uint4(0, 0, 0, 0);
            if (there)
                right[i][q] = order_pairs<F>(
                    *(const uint4 *)(x + token * R::X_STRIDE + 16 * (QUADS * (4 * at + t) + q)));
        }
    }
#pragma unroll
    for (int r = 0; r < R::RT; r++) {
        unsigned upper[WORDS] = {0}, lower[WORDS] = {0};
        const char *from = w + (16 * r + g) * R::W_STRIDE + 4 * WORDS * (4 * at + t);
        if (there) {
            read_words<WORDS>(upper, from);
            read_words<WORDS>(lower, from + 8 * R::W_STRIDE);
        }
        multiply_piece<F, typename R::T, R::NT>(sum[r], upper, lower, right);
    }
}

// Step `s` of a chunk: a piece of DENSE, a group of the others, whose sum its scale multiplies.
template <typename R>
static __device__ __forceinline__ void multiply_step(float sum[R::RT][R::NT][4], const ring_block<R> &b,
                                                     const typename R::T *scale, unsigned last,
                                                     unsigned chunk, unsigned s) {
    const char *w = b.now(), *x = w + R::ROWS * R::W_STRIDE;
    const unsigned row = kz_lane() / 4; // of the unit: this lane's first
    if (R::F == DENSE) {
        bool there = s * SPAN<DENSE> + kz_lane() % 4 * 8 < b.depth_of(chunk);
        multiply_at<R>(sum, w, x, b.p.m, s, there);
        return;
    }
    float part[R::RT][R::NT][4] = {};
#pragma unroll
    for (int i = 0; i < GROUP / SPAN<R::F>; i++)
        multiply_at<R>(part, w, x, b.p.m, s * (GROUP / SPAN<R::F>)+i, true);
    unsigned groups = (unsigned)(b.p.k / GROUP), group = (b.first_chunk + chunk) * (R::DEPTH / GROUP) + s;
#pragma unroll
    for (int r = 0; r < R::RT; r++) {
        float upper = kz_widen(scale[min(row + 16 * r, last) * groups + group]);
        float lower = kz_widen(scale[min(row + 16 * r + 8, last) * groups + group]);
#pragma unroll
        for (int i = 0; i < R::NT; i++)
#pragma unroll
            for (int e = 0; e < 4; e++) sum[r][i][e] += (e < 2 ? upper : lower) * part[r][i][e];
    }
}

static __device__ __forceinline__ void meet(int warps) { // those that multiply
    asm volatile("bar.sync 1, %0;" ::"r"(warps * KZ_WARP) : "memory");
}

// The warps' sums of a unit: into shared memory, and added there. `write` gets token, row and sum.
template <typename R, typename W>
static __device__ __forceinline__ void add_warps(const ring_block<R> &b, const float sum[R::RT][R::NT][4],
                                                 W write) {
    constexpr unsigned STRIDE = R::ROWS + GEMV_SUM_PAD;
    const unsigned g = kz_lane() / 4, t = kz_lane() % 4;
    float *mine = b.memory.sums + kz_warp() * b.p.m * STRIDE;
#pragma unroll
    for (int r = 0; r < R::RT; r++)
#pragma unroll
        for (int i = 0; i < R::NT; i++)
#pragma unroll
            for (int e = 0; e < 4; e++) {
                unsigned token = 8 * i + 2 * t + e % 2, row = 16 * r + g + e / 2 * 8;
                if (token < b.p.m) mine[token * STRIDE + row] = sum[r][i][e];
            }
    meet(R::WARPS);
    for (unsigned i = threadIdx.x; i < b.p.m * R::ROWS; i += R::WARPS * KZ_WARP) {
        unsigned token = i / R::ROWS, row = i % R::ROWS;
        float all = 0.0f;
#pragma unroll
        for (int w = 0; w < R::WARPS; w++) all += b.memory.sums[(w * b.p.m + token) * STRIDE + row];
        write(token, row, all);
    }
    meet(R::WARPS);
}

template <typename R, typename W> static __device__ __forceinline__ void consume(ring_block<R> b, W write) {
    constexpr int STEPS = R::DEPTH / STEP<R::F>;
    static_assert(R::DEPTH % STEP<R::F> == 0, "a chunk is of whole steps");
    unsigned ordinal = 0;
    for (unsigned unit = b.first_unit; unit < b.units; unit += b.unit_step, ordinal++) {
        float sum[R::RT][R::NT][4] = {};
        const typename R::T *scale = (const typename R::T *)b.scales_of(ordinal);
        unsigned last = (unsigned)(b.first_row(unit + 1) - b.first_row(unit)) - 1; // of its rows
        for (unsigned chunk = 0; chunk < b.chunks; chunk++, b.advance()) {
            kz_barrier_wait(&b.memory.full[b.stage], b.parity);
            unsigned steps = (b.depth_of(chunk) + STEP<R::F> - 1) / STEP<R::F>;
            if (steps == STEPS && STEPS % R::WARPS == 0) {
#pragma unroll
                for (int i = 0; i < STEPS / R::WARPS; i++)
                    multiply_step<R>(sum, b, scale, last, chunk, kz_warp() + i * R::WARPS);
            } else
                for (unsigned s = kz_warp(); s < steps; s += R::WARPS)
                    multiply_step<R>(sum, b, scale, last, chunk, s);
            kz_barrier_arrive(&b.memory.empty[b.stage]);
        }
        add_warps<R>(b, sum, [&](unsigned token, unsigned row, float all) { write(unit, token, row, all); });
    }
}

// The block's part of k, and its shared memory with barriers that nobody has come to.
template <typename R>
static __device__ __forceinline__ ring_block<R> start(const problem<typename R::T> &p, unsigned stages,
                                                      unsigned part, unsigned parts) {
    extern __shared__ __align__(128) char base[];
    ring_block<R> b;
    b.p = p;
    b.stages = stages;
    b.units = (unsigned)((p.n + R::ROWS - 1) / R::ROWS);
    unsigned chunks = (unsigned)((p.k + R::DEPTH - 1) / R::DEPTH);
    b.first_chunk = (unsigned)((size_t)chunks * part / parts);
    b.chunks = (unsigned)((size_t)chunks * (part + 1) / parts) - b.first_chunk;
    b.memory.stage_bytes = R::ROWS * R::W_STRIDE + p.m * R::X_STRIDE;
    b.memory.scale_bytes = R::F == DENSE ? 0 : (unsigned)(R::ROWS * (p.k / GROUP) * 2);
    b.memory.slots = GEMV_SCALE_SLOTS(chunks / parts, stages); // alike in all blocks of a cluster
    b.memory.full = (uint64_t *)base;
    b.memory.empty = b.memory.full + stages;
    b.memory.stages = base + GEMV_BARRIER_BYTES;
    b.memory.scales = b.memory.stages + stages * b.memory.stage_bytes;
    b.memory.sums = (float *)(b.memory.scales + b.memory.slots * b.memory.scale_bytes);
    if (threadIdx.x < stages) {
        kz_barrier_init(&b.memory.full[threadIdx.x], R::FETCHERS * KZ_WARP);
        kz_barrier_init(&b.memory.empty[threadIdx.x], R::WARPS * KZ_WARP);
    }
    kz_bulk_fence();
    __syncthreads();
    return b;
}

// ---- clusters: blocks that share the k of a unit ---------------------------------------------------------

static __device__ __forceinline__ unsigned cluster_rank(void) {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
static __device__ __forceinline__ unsigned cluster_blocks(void) {
    unsigned blocks;
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
    return blocks;
}
static __device__ __forceinline__ void cluster_meet(void) { // all threads of all its blocks
    asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
}
// What another block has where `from` is in this one.
static __device__ __forceinline__ float read_block(const float *from, unsigned rank) {
    unsigned there;
    float value;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(kz_shared_address(from)), "r"(rank));
    asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(value) : "r"(there) : "memory");
    return value;
}

// The blocks' sums of the one unit that they share, in memory.sums of each: in the order of their ranks, each block a part of the results.
template <typename R>
static __device__ __forceinline__ void add_blocks(const ring_block<R> &b, unsigned unit, unsigned parts) {
    cluster_meet();
    for (unsigned i = cluster_rank() * blockDim.x + threadIdx.x; i < b.p.m * R::ROWS;
         i += parts * blockDim.x) {
        float sum = 0.0f;
        for (unsigned rank = 0; rank < parts; rank++)
            sum += read_block(b.sum_at(i / R::ROWS, i % R::ROWS), rank);
        size_t row = b.first_row(unit) + i % R::ROWS;
        if (row < b.first_row(unit + 1)) kz_narrow(&b.p.y[i / R::ROWS * b.p.n + row], sum);
    }
    cluster_meet(); // nobody ends while others read what it has
}

// ---- the whole --------------------------------------------------------------------------------------

// A unit after another by each block, or one that a cluster shares.
template <typename R, bool SPLIT>
static __device__ __forceinline__ void run_ring(const problem<typename R::T> &p, unsigned stages) {
    if (!is_aligned(p)) {
        if (R::OVERLAP) asm volatile("griddepcontrol.wait;" ::: "memory");
        multiply_anywhere<R::F>(p);
        return;
    }
    unsigned parts = SPLIT ? cluster_blocks() : 1;
    ring_block<R> b = start<R>(p, stages, SPLIT ? cluster_rank() : 0, parts);
    b.first_unit = blockIdx.x / parts;
    b.unit_step = parts > 1 ? b.units : gridDim.x;
    if (kz_warp() >= R::WARPS) {
        if (b.chunks > 0) produce<R>(b);
    } else {
        if (R::OVERLAP) asm volatile("griddepcontrol.wait;" ::: "memory");
        consume<R>(b, [&](unsigned unit, unsigned token, unsigned row, float sum) {
            size_t at = b.first_row(unit) + row;
            if (parts > 1)
                *b.sum_at(token, row) = sum;
            else if (at < b.first_row(unit + 1))
                kz_narrow(&p.y[token * p.n + at], sum);
        });
    }
    if (parts > 1) add_blocks<R>(b, b.first_unit, parts);
}

// An entry for a row of shapes.def, and for both types.
#define GEMV_RING_ENTRY(idea, format, FORMAT, part, tiles, columns, depth, blocks, type, T, SPLIT, OVERLAP)  \
    KZ_ENTRY_BOUNDS(gemv_##idea##_##part##_##format##_##type, KZ_WARP *(GEMV_WARPS + GEMV_FETCHERS), blocks) \
    (const void *w, const T *scale, const T *x, T *y, size_t m, size_t n, size_t k, size_t stages) {         \
        run_ring<ring_kind<FORMAT, T, tiles, columns, depth, GEMV_WARPS, GEMV_FETCHERS, OVERLAP>, SPLIT>(    \
            problem<T>{w, scale, x, y, (unsigned)m, n, k}, (unsigned)stages);                                \
    }
#define GEMV_RING_TYPES(idea, format, FORMAT, part, tiles, columns, depth, blocks, SPLIT, OVERLAP)           \
    GEMV_RING_ENTRY(idea, format, FORMAT, part, tiles, columns, depth, blocks, f16, kz_f16, SPLIT, OVERLAP)  \
    GEMV_RING_ENTRY(idea, format, FORMAT, part, tiles, columns, depth, blocks, bf16, kz_bf16, SPLIT, OVERLAP)

#endif
