// What the C files of gemm share.
#ifndef GEMM_PRIVATE_H
#define GEMM_PRIVATE_H

#include "gemm/two_widths.h"
#include "kz/family.h"
#include "gemm.h"

enum { A, B, C, OFFSETS };               // the buffers, in order
enum { M, N, K, BATCH, SLACK };          // the axes, in order; BATCH counts groups where they are grouped
enum { ORDERS = 4 };                     // nn, nt, tn, tt; operations come in fours of them
enum { PLAIN, TO_F32, SCALED, GROUPED }; // those fours; GROUPED has nn and nt alone

KZ_DECLARE_FAMILY(gemm);
extern const kz_native_entry gemm_natives[];

// A problem with all its defaults filled in.
typedef struct gemm_matrix {
    uint64_t rows, columns, ld, stride; // as it lies in memory; stride 0: all products have the same
} gemm_matrix;
typedef struct gemm_spec {
    kz_type type, out;
    bool a_transposed, b_transposed;
    uint64_t m, n, k; // k is 0 where alpha is: then neither a nor b is read
    gemm_matrix a, b, c;
    double alpha, beta;
    kz_gemm_form form;
    uint64_t count;
    uint64_t alignment; // bytes
} gemm_spec;

gemm_spec gemm_spec_of(const kz_case *c);
gemm_spec gemm_spec_of_problem(const kz_gemm_problem *problem);
uint64_t gemm_elements(const gemm_spec *s, const gemm_matrix *matrix); // from its first to its last element
bool gemm_is_empty(const gemm_spec *s);                                // nothing to write

kz_status gemm_reference(const kz_case *c, void *const *host, size_t which, double *expected, double *bound,
                         kz_error *error);

// ---- plans -------------------------------------------------------------------------------------------

kz_status gemm_plan_native(const kz_planner *p);
kz_status gemm_plan_universal(const kz_planner *p);
kz_status gemm_plan_frame(const kz_planner *p); // the variant's `tile` says which

// A kernel of the frame: a row of tiles.def.
typedef enum gemm_tile_id {
#define GEMM_TILE(id, ...) GEMM_##id,
#include "tiles.def"
#undef GEMM_TILE
    GEMM_TILES
} gemm_tile_id;
typedef struct gemm_tile {
    const char *part;
    uint32_t tile_m, tile_n, narrow_n, stages, consumers, cluster_m, cluster_n, cluster_k, store, orders;
    double chunk, besides; // ns: of 64 along k, and of the rest of a tile
} gemm_tile;
extern const gemm_tile gemm_tiles[];
enum { GEMM_CHUNK_K = 64 };

bool gemm_is_swapped(gemm_tile_id id); // b's columns are the tile's rows
uint64_t gemm_cluster_blocks(const gemm_tile *t);
// Clusters that all products need.
uint64_t gemm_count_clusters(const gemm_tile *t, const gemm_spec *s, bool swapped);
gemm_widths gemm_widths_of(const gemm_tile *t, const gemm_spec *s, uint64_t multiprocessors); // of 18 and 19
uint64_t gemm_split_tiles(const gemm_spec *s, uint64_t multiprocessors); // of 07, that are cut along k
// ---- 22 to 25: parts of k (parts.c) ------------------------------------------------------------------

bool gemm_has_parts(gemm_tile_id id);
bool gemm_is_odd(gemm_tile_id id);             // rows of a and b begin anywhere
uint64_t gemm_parts_pitch(const gemm_spec *s); // floats from a row of a part to the next
// The best number of parts for so many tiles; 1: k is too short, or, where rows begin anywhere, one is best.
uint64_t gemm_count_parts(const gemm_tile *t, uint64_t tiles, const gemm_spec *s, uint64_t multiprocessors);
double gemm_parts_time(const gemm_tile *t, uint64_t tiles, const gemm_spec *s, uint64_t parts,
                       uint64_t multiprocessors); // microseconds

bool gemm_is_padded(const gemm_spec *s, bool a); // a, or b, is copied first
bool gemm_stores_by_map(const gemm_spec *s, const gemm_tile *t);
gemm_tile_id gemm_tile_of(const kz_variant *variant, const gemm_spec *s); // 08, 09, 23 and 25 have two

double gemm_estimate(const kz_case *c, const kz_device_info *device, const kz_variant *variant,
                     char how[KZ_ESTIMATE_HOW]);

#endif
