// pagerank 06: pull, a group of lanes per vertex
//
// Idea     as many lanes for a vertex as its row can feed: the mean degree decides, which the host knows.
// Change   groups of 2 to 32 lanes stride over a row together and fold by shuffles.
// Expect   a group's lanes read neighbouring sources, and a row's shares are all asked for at once: more loads in
//          flight for each thread that there is. The order of additions depends on the group's size alone.
// Limit    one size for all rows: a hub has 32 lanes at most, and a row of 2 as many as one of 200 (see 07).

#include "pagerank.cuh"

PAGERANK_SHARES(pull_group)

template <int LANES>
static __device__ __forceinline__ void pull(const unsigned *in_offsets, const unsigned *in_sources,
                                            const float *share, float *next, size_t vertices) {
    unsigned lane = threadIdx.x % LANES;
    size_t groups = kz_threads() / LANES, rounds = (vertices + groups - 1) / groups;
    for (size_t i = 0; i < rounds; i++) { // as often for all lanes of a warp, for they shuffle
        size_t v = kz_thread() / LANES + i * groups;
        unsigned end = v < vertices ? in_offsets[v + 1] : 0;
        float sum = 0.0f;
        for (unsigned e = v < vertices ? in_offsets[v] + lane : 0; e < end; e += LANES)
            sum += share[in_sources[e]];
#pragma unroll
        for (int step = LANES / 2; step > 0; step /= 2)
            sum += __shfl_down_sync(KZ_ALL_LANES, sum, step, LANES);
        if (lane == 0 && v < vertices) next[v] = ground(vertices) + DAMPING * sum;
    }
}

KZ_ENTRY(pagerank_pull_group_step_f32)
(const unsigned *in_offsets, const unsigned *in_sources, const float *share, float *next, size_t vertices,
 size_t lanes) {
    switch (lanes) {
    case 2: pull<2>(in_offsets, in_sources, share, next, vertices); break;
    case 4: pull<4>(in_offsets, in_sources, share, next, vertices); break;
    case 8: pull<8>(in_offsets, in_sources, share, next, vertices); break;
    case 16: pull<16>(in_offsets, in_sources, share, next, vertices); break;
    default: pull<32>(in_offsets, in_sources, share, next, vertices); break;
    }
}
