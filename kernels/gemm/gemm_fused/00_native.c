// gemm_fused 00: plain C on the `cpu` device
//
// Idea     element by element: the sum, then what becomes of it.
// Change   none: it stands before the ladder. Each block of the grid takes a run of rows; all in double, rounded once.
// Expect   bound by the conversion of elements, one by one.
#include <math.h>

#include "private.h"

typedef struct problem {
    const void *a, *b;
    void *c, *x;
    uint64_t m, n, k;
    kz_case of;
    fused_epilogue e;
} problem;

static double multiply(const problem *p, uint64_t row, uint64_t column) {
    double sum = 0.0;
    for (uint64_t x = 0; x < p->k; x++)
        sum += kz_element_get(p->of.type, p->a, row * p->k + x) *
               kz_element_get(p->of.type, p->b, fused_b_mn(&p->of) ? x * p->n + column : column * p->k + x);
    return sum;
}

static void put(const problem *p, const gemm_passing *v) {
    float *folded = p->x;
    double value = v->v.value;
    uint64_t at = v->row * v->columns + v->column;
    if (p->e.byte)
        ((uint8_t *)p->c)[at] = gemm_byte_code(p->e.byte, value);
    else
        kz_element_set(p->e.out, p->c, at, value);
    if (p->e.x.fold == FOLD_SUM_ROWS) folded[v->row] += (float)value;
    if (p->e.x.fold == FOLD_MAX_ROWS && !isnan(folded[v->row]) && !(value <= (double)folded[v->row]))
        folded[v->row] = (float)value;
    if (p->e.x.fold == FOLD_SUM_COLUMNS) folded[v->column] += (float)value;
}

// One block has all rows where columns are folded (family.c).
static void run(const kz_native_launch *launch, uint32_t operation, kz_type type) {
    problem p = {.a = kz_native_pointer(launch, 0),
                 .b = kz_native_pointer(launch, 1),
                 .c = kz_native_pointer(launch, 2),
                 .x = kz_native_pointer(launch, 3),
                 .m = kz_native_u64(launch, 5),
                 .n = kz_native_u64(launch, 6),
                 .k = kz_native_u64(launch, 7)};
    p.of =
        (kz_case){.operation = operation, .type = type, .axes = {(int64_t)p.m, (int64_t)p.n, (int64_t)p.k}};
    p.e = fused_epilogue_of(&p.of);
    kz_share own = kz_native_share(launch, p.m);
    uint64_t columns = fused_columns(&p.of, &p.e);
    bool by_columns = p.e.x.fold == FOLD_SUM_COLUMNS;
    for (uint64_t i = by_columns ? 0 : own.begin; p.e.x.fold && i < (by_columns ? columns : own.end); i++)
        ((float *)p.x)[i] = p.e.x.fold == FOLD_MAX_ROWS ? -INFINITY : 0.0f;
    for (uint64_t row = own.begin; row < own.end; row++)
        for (uint64_t column = 0; column < columns; column++) {
            uint64_t from = p.e.halves ? 2 * column : column;
            gemm_passing v = {{multiply(&p, row, from), 0.0},
                              {p.e.halves ? multiply(&p, row, from + 1) : 0.0, 0.0},
                              row,
                              column,
                              columns,
                              p.k,
                              p.e.x.type,
                              p.e.y.type,
                              p.x,
                              kz_native_pointer(launch, 4)};
            for (gemm_step *const *step = p.e.steps; *step; step++) (*step)(&v);
            put(&p, &v);
        }
}

enum { // the operations, by their names
#define EPILOGUE(name, ...) IS_##name##_nn, IS_##name##_nt,
#include "epilogues.def"
#undef EPILOGUE
};
#define KERNELS(X, name)                                                                                     \
    X(name##_nn, f16, F16)                                                                                   \
    X(name##_nt, f16, F16)                                                                                   \
    X(name##_nn, bf16, BF16)                                                                                 \
    X(name##_nt, bf16, BF16)
#define DEFINE(operation, type, TYPE)                                                                        \
    static void operation##_##type(const kz_native_launch *launch) { run(launch, IS_##operation, KZ_##TYPE); }
#define EPILOGUE(name, ...) KERNELS(DEFINE, name)
#include "epilogues.def"
#undef EPILOGUE

#define ROW(operation, type, TYPE) {"gemm_fused_native_" #operation "_" #type, operation##_##type},
const kz_native_entry gemm_fused_natives[] = {
#define EPILOGUE(name, ...) KERNELS(ROW, name)
#include "epilogues.def"
#undef EPILOGUE
    {0}};
