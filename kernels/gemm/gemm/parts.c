// gemm: 22 to 25, whose blocks have a part of k each: how many parts, and what they take.
#include <math.h>

#include "private.h"
#include "tune.h"

bool gemm_has_parts(gemm_tile_id id) { return id >= GEMM_K_PARTS; }
bool gemm_is_odd(gemm_tile_id id) { return id >= GEMM_ODD; }

uint64_t gemm_parts_pitch(const gemm_spec *s) { return kz_ceil_div(s->n, 4) * 4; }

double gemm_parts_time(const gemm_tile *t, uint64_t tiles, const gemm_spec *s, uint64_t parts,
                       uint64_t multiprocessors) {
    double rounds = (double)kz_ceil_div(tiles * parts, multiprocessors);
    double chunks = (double)kz_ceil_div(kz_ceil_div(s->k, GEMM_CHUNK_K), parts);
    double bytes = 2.0 * (double)parts * (double)(s->m * gemm_parts_pitch(s)) * sizeof(float);
    return rounds * (chunks * t->chunk + t->besides) * 1e-3 + bytes * 1e-6 / GEMM_PARTS_BANDWIDTH +
           GEMM_PARTS_LAUNCH;
}

uint64_t gemm_count_parts(const gemm_tile *t, uint64_t tiles, const gemm_spec *s, uint64_t multiprocessors) {
    uint64_t chunks = kz_ceil_div(s->k, GEMM_CHUNK_K), best = 1;
    double least = gemm_is_odd((gemm_tile_id)(t - gemm_tiles))
                       ? gemm_parts_time(t, tiles, s, 1, multiprocessors)
                       : INFINITY;
    for (uint64_t parts = 2; parts <= GEMM_MOST_PARTS && parts * GEMM_LEAST_CHUNKS <= chunks; parts++) {
        double time = gemm_parts_time(t, tiles, s, parts, multiprocessors);
        if (time < least) least = time, best = parts;
    }
    return best;
}
