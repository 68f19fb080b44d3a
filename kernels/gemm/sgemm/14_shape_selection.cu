// sgemm 14: the kernel by the shape
//
// Idea     10 chooses between two tiles by counting rounds. 11 to 13 are each the best for some matrices: which one, with
//          which tile, and into how many parts k should be divided, is a matter of m, n and k.
// Change   the kernels of 11 for the tiles of tiles.def, of 12 for tiles of 128 x 256 and 128 x 64, and all of 13. The plan
//          (selection.c) works out the time of each by a model, whose figures were measured, and takes the least. Where
//          rows are not aligned and are read often, a first launch copies them to where they are.
// Expect   the time of the best of them, for every shape.
// Limit    the model is of an H200: elsewhere its order of candidates may be another.
// kz: sm 90a

#include "pack.cuh"
#include "split.cuh"
#include "stream.cuh"
#include "vector.cuh"

#define SGEMM_TILE(name, down, across, quads, depth, rows, stages, unroll, blocks, ...)                      \
    typedef shape<down, across, quads, depth, rows> shape_##name;                                            \
    static_assert(stages * shape_##name::STAGE_FLOATS >= staged<shape_##name>::FLOATS, "a tile fits");       \
    KZ_ENTRY_BOUNDS(sgemm_shape_selection_##name##_gemm_f32, shape_##name::THREADS, blocks)                  \
    (const float *a, const float *b, float *c, size_t m, size_t n, size_t k, float *partials, size_t groups, \
     size_t a_line, size_t b_line) {                                                                         \
        run_split<shape_##name, stages, unroll>({a, b, c, m, n, k, a_line, b_line}, partials,                \
                                                (unsigned)groups);                                           \
    }
#include "tiles.def"
#undef SGEMM_TILE

typedef shape<SGEMM_PRODUCER_DOWN, SGEMM_PRODUCER_ACROSS, 4, SGEMM_PRODUCER_DEPTH> large;
typedef shape<2, 2, 2, SGEMM_PRODUCER_DEPTH> small;

KZ_ENTRY_BOUNDS(sgemm_shape_selection_large_gemm_f32, large::THREADS + PRODUCERS, 1)
(const float *a, const float *b, float *c, size_t m, size_t n, size_t k, float *partials, size_t whole,
 size_t a_line, size_t b_line) {
    const problem p = {a, b, c, m, n, k, a_line, b_line};
    run<large>(p, stream_tiles::make<large>(p, partials, whole));
}

KZ_ENTRY_BOUNDS(sgemm_shape_selection_small_gemm_f32, small::THREADS + PRODUCERS, SGEMM_SMALL_BLOCKS)
(const float *a, const float *b, float *c, size_t m, size_t n, size_t k, float *partials, size_t whole,
 size_t a_line, size_t b_line) {
    const problem p = {a, b, c, m, n, k, a_line, b_line};
    run<small>(p, stream_tiles::make<small>(p, partials, whole));
}

KZ_ENTRY(sgemm_shape_selection_pack_gemm_f32)
(const float *a, const float *b, float *to_a, float *to_b, size_t m, size_t n, size_t k, size_t a_line,
 size_t b_line) {
    pack(a, b, to_a, to_b, m, n, k, a_line, b_line);
}

VECTOR_ENTRIES(sgemm_shape_selection)
