// gemm: a model of the time of each variant, in microseconds. kz_choose takes the least where nothing near was measured.
//
// A multiprocessor that has most to do has `rounds` tiles, each of `chunks` of 64 along k; what the frame's kernels take for a
// chunk is in tiles.def. The whole takes no less than its bytes take from memory.
#include <math.h>
#include <stdio.h>

#include "private.h"
#include "tune.h"

static const struct {
    double launch, bandwidth, pad, pad_bandwidth, direct, beta, share, add, universal, universal_step,
        universal_double, narrow;
} model = {
#include "model.def"
};

static double bytes_of(const gemm_spec *s, const gemm_matrix *matrix, kz_type type) {
    return (double)matrix->rows * (double)matrix->columns * (double)kz_type_size(type) *
           (matrix->stride ? (double)s->count : 1.0);
}

static double time_memory(const gemm_spec *s) {
    double c = bytes_of(s, &s->c, s->out) * (s->beta != 0.0 ? 2.0 : 1.0);
    return (bytes_of(s, &s->a, s->type) + bytes_of(s, &s->b, s->type) + c) * 1e-6 / model.bandwidth;
}

static double time_pad(const gemm_spec *s) {
    double time = 0.0;
    for (int a = 0; a <= 1; a++)
        if (gemm_is_padded(s, a))
            time += model.pad + 2.0 * bytes_of(s, a ? &s->a : &s->b, s->type) * 1e-6 / model.pad_bandwidth;
    return time;
}

// Of two limits that bind together.
static double join(double a, double b) { return pow(pow(a, 4) + pow(b, 4), 0.25); }

static double time_universal(const gemm_spec *s, double multiprocessors, char how[KZ_ESTIMATE_HOW]) {
    double products = s->form == KZ_GEMM_GROUPED ? 1.0 : (double)s->count;
    double flops = 2.0 * (double)s->m * (double)s->n * fmax((double)s->k, 1.0) * products;
    double rate = (s->type == KZ_F64 ? model.universal_double : model.universal) * multiprocessors / 132.0;
    double steps = ceil((double)s->k / GEMM_UNIVERSAL_SIDE) * model.universal_step;
    snprintf(how, KZ_ESTIMATE_HOW, "by FFMA");
    return model.launch + join(fmax(flops * 1e-6 / rate, steps), time_memory(s));
}

static double time_tile(const gemm_spec *s, gemm_tile_id id, double multiprocessors,
                        char how[KZ_ESTIMATE_HOW]) {
    const gemm_tile *t = &gemm_tiles[id];
    uint64_t tiles = gemm_count_clusters(t, s, gemm_is_swapped(id));
    double clusters = (double)tiles;
    double at_once = floor(multiprocessors / (double)gemm_cluster_blocks(t));
    double chunks = ceil((double)s->k / GEMM_CHUNK_K) / t->cluster_k, rounds = ceil(clusters / at_once);
    double besides = t->besides * 1e-3 * (gemm_stores_by_map(s, t) ? 1.0 : model.direct);
    if (s->beta != 0.0) besides += model.beta * t->tile_m * t->tile_n / 32768.0;
    double work = rounds * (chunks * t->chunk * 1e-3 + besides), shared = 0.0;
    if (t->narrow_n > 0) {
        gemm_widths w = gemm_widths_of(t, s, (uint64_t)multiprocessors);
        double part = (double)t->narrow_n / t->tile_n;
        shared = (double)w.most_wide + (double)w.most_narrow * part;
        work = shared * (chunks * t->chunk * 1e-3 + besides) +
               (double)w.most_narrow * part * chunks * t->chunk * 1e-3 * (model.narrow - 1.0);
    }
    if (gemm_has_parts(id)) {
        uint64_t parts = gemm_count_parts(t, tiles, s, (uint64_t)multiprocessors);
        shared = ceil(clusters * (double)parts / at_once) / (double)parts;
        work = gemm_parts_time(t, tiles, s, parts, (uint64_t)multiprocessors);
    }
    if (id == GEMM_STREAM && gemm_split_tiles(s, (uint64_t)multiprocessors) > 0) {
        shared = clusters / at_once; // rounds, all of the same length
        work = shared * chunks * t->chunk * 1e-3 + ceil(shared) * besides + model.share +
               model.add * fmax(0.0, 1.0 / shared - 1.0);
    }
    if (shared > 0.0)
        snprintf(how, KZ_ESTIMATE_HOW, "%.2f rounds", shared);
    else
        snprintf(how, KZ_ESTIMATE_HOW, "%.0f round%s", rounds, rounds == 1.0 ? "" : "s");
    return model.launch + (gemm_is_odd(id) ? 0.0 : time_pad(s)) + join(work, time_memory(s));
}

double gemm_estimate(const kz_case *c, const kz_device_info *device, const kz_variant *variant,
                     char how[KZ_ESTIMATE_HOW]) {
    gemm_spec s = gemm_spec_of(c);
    double multiprocessors = device->multiprocessors > 0 ? device->multiprocessors : 1;
    if (variant->natives) return -1.0; // the only one there
    if (variant->plan == gemm_plan_universal) return time_universal(&s, multiprocessors, how);
    return time_tile(&s, gemm_tile_of(variant, &s), multiprocessors, how);
}
