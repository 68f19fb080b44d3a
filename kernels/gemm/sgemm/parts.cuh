// sgemm: sums of a tile's parts, from 11 on. Several blocks have each the products of a part of k. Those of a cluster
// read each other's shared memory; clusters meet in the workspace, where the one that comes last adds up. All sums are
// in the order of k, whoever comes last: the result is the same every time.
#ifndef SGEMM_PARTS_CUH
#define SGEMM_PARTS_CUH

#include "sgemm.cuh"
#include "tune.h"

// ---- clusters: sm_90 ----------------------------------------------------------------------------------

static __device__ __forceinline__ unsigned cluster_rank(void) {
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
static __device__ __forceinline__ unsigned cluster_size(void) {
    unsigned size;
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
    return size;
}
static __device__ __forceinline__ void cluster_sync(void) {
    asm volatile("barrier.cluster.arrive.release;\n\tbarrier.cluster.wait.acquire;" ::: "memory");
}
// What lies at the same place in the shared memory of another block of the cluster.
template <int WIDTH>
static __device__ __forceinline__ void load_from(float to[WIDTH], unsigned address, unsigned rank) {
    unsigned there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    if (WIDTH == 4)
        asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3])
                     : "r"(there)
                     : "memory");
    else
        asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(to[0]) : "r"(there) : "memory");
}

// ---- which part of which tile a block has --------------------------------------------------------------

// `groups` clusters share a tile; the blocks of one are its neighbours along k.
struct share {
    unsigned tile, group, rank, size;
    __device__ __forceinline__ share(unsigned groups) {
        rank = cluster_rank(), size = cluster_size();
        unsigned block;
        asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(block)); // volatile: see run_split
        unsigned cluster = block / size;
        tile = cluster / groups, group = cluster % groups;
    }
    // This block's part of k, in chunks of `depth`: the first parts may have one more than the others.
    __device__ __forceinline__ void find_part(size_t k, unsigned depth, unsigned groups, size_t &from,
                                              size_t &to) const {
        unsigned chunks = (unsigned)((k + depth - 1) / depth), parts = groups * size,
                 part = group * size + rank;
        unsigned each = chunks / parts, more = chunks % parts;
        from = (size_t)(part * each + (part < more ? part : more)) * depth;
        to = from + (size_t)(each + (part < more)) * depth;
        if (from > k) from = k;
        if (to > k) to = k;
    }
};

// ---- sums ------------------------------------------------------------------------------------------------

__device__ unsigned sgemm_tickets[SGEMM_TICKETS]; // 0 before and after every launch

// Adds `count` vectors that lie `stride` floats apart, eight loads at a time.
template <int WIDTH>
static __device__ __forceinline__ void add_partials(float sum[WIDTH], const float *from, size_t stride,
                                                    unsigned count) {
#pragma unroll
    for (int x = 0; x < WIDTH; x++) sum[x] = 0.0f;
    for (unsigned g = 0; g < count; g += 8) {
        float value[8][WIDTH];
#pragma unroll
        for (unsigned i = 0; i < 8; i++)
            if (g + i < count) {
                if (WIDTH == 4)
                    *(float4 *)value[i] = __ldcg((const float4 *)(from + (g + i) * stride));
                else
                    value[i][0] = __ldcg(from + (g + i) * stride);
            }
#pragma unroll
        for (unsigned i = 0; i < 8; i++)
#pragma unroll
            for (int x = 0; x < WIDTH; x++)
                if (g + i < count) sum[x] += value[i][x];
    }
}

template <int WIDTH>
static __device__ __forceinline__ void add_cluster(float sum[WIDTH], unsigned address, unsigned size) {
    float value[SGEMM_CLUSTER][WIDTH];
#pragma unroll
    for (unsigned r = 0; r < SGEMM_CLUSTER; r++)
        if (r < size) load_from<WIDTH>(value[r], address, r);
#pragma unroll
    for (int x = 0; x < WIDTH; x++) sum[x] = value[0][x];
#pragma unroll
    for (unsigned r = 1; r < SGEMM_CLUSTER; r++)
#pragma unroll
        for (int x = 0; x < WIDTH; x++)
            if (r < size) sum[x] += value[r][x];
}

template <int WIDTH>
static __device__ __forceinline__ void write_some(float *c, size_t m, size_t n, size_t row, size_t column,
                                                  const float sum[WIDTH], bool quads) {
    if (row >= m) return;
    float *to = c + row * n + column;
    if (WIDTH == 4 && quads && column < n) {
        *(float4 *)to = make_float4(sum[0], sum[1], sum[2], sum[3]);
        return;
    }
#pragma unroll
    for (int x = 0; x < WIDTH; x++)
        if (column + x < n) to[x] = sum[x];
}

// True for all threads of the block that comes last of the `groups` that have the same slice of a tile.
static __device__ __forceinline__ bool is_last_group(unsigned ticket, unsigned groups) {
    __shared__ bool last;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence(); // the block's partial sums before the ticket
        last = atomicInc(&sgemm_tickets[ticket], groups - 1) == groups - 1;
        __threadfence(); // the ticket before the others' partial sums
    }
    __syncthreads();
    return last;
}

// The block's part of a tile, HEIGHT rows of WIDTH floats, lies in shared memory, PITCH floats from row to row; its
// threads have met. A block adds up a slice of the tile, for all blocks of its cluster, WIDE floats per thread and step.
template <int HEIGHT, int WIDTH, int PITCH, int THREADS>
static __device__ __forceinline__ void add_parts(const share &s, unsigned groups, const float *part,
                                                 corner tile, float *c, size_t m, size_t n, float *partials) {
    enum { WIDE = WIDTH % 4 == 0 ? 4 : 1, LINE = WIDTH / WIDE, ALL = HEIGHT * LINE };
    unsigned first = s.rank * ALL / s.size, last = (s.rank + 1) * ALL / s.size;
    bool quads = has_quads(c, n);
    float *mine = partials + ((size_t)s.tile * groups + s.group) * (HEIGHT * WIDTH);
    if (s.size > 1)
        cluster_sync();
    else
        __syncthreads();
    for (unsigned i = first + threadIdx.x; i < last; i += THREADS) {
        unsigned row = i / LINE, column = i % LINE * WIDE;
        float sum[WIDE];
        add_cluster<WIDE>(sum, kz_shared_address(part + row * PITCH + column), s.size);
        if (groups == 1) {
            write_some<WIDE>(c, m, n, tile.row + row, tile.column + column, sum, quads);
        } else {
#pragma unroll
            for (int x = 0; x < WIDE; x++) mine[i * WIDE + x] = sum[x];
        }
    }
    if (s.size > 1) cluster_sync(); // nobody leaves while others read his part
    if (groups == 1 || !is_last_group(s.tile * s.size + s.rank, groups)) return;
    for (unsigned i = first + threadIdx.x; i < last; i += THREADS) {
        float sum[WIDE];
        add_partials<WIDE>(sum, partials + (size_t)s.tile * groups * (HEIGHT * WIDTH) + i * WIDE,
                           HEIGHT * WIDTH, groups);
        write_some<WIDE>(c, m, n, tile.row + i / LINE, tile.column + i % LINE * WIDE, sum, quads);
    }
}

#endif
