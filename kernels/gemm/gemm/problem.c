// gemm: what a case asks for, all defaults filled in. A case of the table says it by operation and axes; one that
// kz_gemm_open made carries the caller's problem.
#include "private.h"

// What the cases named _scaled have.
static const double case_alpha = 1.5, case_beta = -0.5;

static gemm_matrix make_matrix(uint64_t rows, uint64_t columns, uint64_t ld, uint64_t stride) {
    gemm_matrix made = {rows, columns, ld ? ld : columns, stride};
    if (stride == 0) made.stride = rows * made.ld;
    if (stride == KZ_GEMM_SHARED) made.stride = 0;
    return made;
}

gemm_spec gemm_spec_of_problem(const kz_gemm_problem *p) {
    gemm_spec s = {.type = p->type,
                   .out = p->result == KZ_GEMM_TO_F32 ? KZ_F32 : p->type,
                   .a_transposed = p->a_transposed,
                   .b_transposed = p->b_transposed,
                   .m = p->m,
                   .n = p->n,
                   .k = p->k,
                   .alpha = p->alpha ? *p->alpha : 1.0,
                   .beta = p->beta ? *p->beta : 0.0,
                   .form = p->form,
                   .count = p->form == KZ_GEMM_ONE ? 1 : p->count,
                   .alignment = p->alignment ? p->alignment : 16};
    if (s.alpha == 0.0) s.k = 0;
    s.a = s.a_transposed ? make_matrix(s.k, s.m, p->lda, p->stride_a)
                         : make_matrix(s.m, s.k, p->lda, p->stride_a);
    s.b = s.b_transposed ? make_matrix(s.n, s.k, p->ldb, p->stride_b)
                         : make_matrix(s.k, s.n, p->ldb, p->stride_b);
    s.c = make_matrix(s.m, s.n, p->ldc, p->stride_c);
    if (s.form == KZ_GEMM_GROUPED) s.a.stride = s.c.stride = 0; // the groups are parts of one matrix
    return s;
}

// With slack, rows lie that many elements further apart, and so do the matrices of a batch.
static kz_gemm_problem problem_of(const kz_case *c) {
    uint32_t kind = c->operation / ORDERS, order = c->operation % ORDERS;
    uint64_t m = (uint64_t)c->axes[M], n = (uint64_t)c->axes[N], k = (uint64_t)c->axes[K];
    uint64_t slack = (uint64_t)c->axes[SLACK], bytes = c->misalign * kz_type_size(c->type);
    kz_gemm_problem p = {.size = sizeof p,
                         .type = c->type,
                         .result = kind == TO_F32 ? KZ_GEMM_TO_F32 : KZ_GEMM_SAME,
                         .a_transposed = order >= 2,
                         .b_transposed = order % 2 == 1,
                         .m = m,
                         .n = n,
                         .k = k,
                         .alpha = kind == SCALED ? &case_alpha : NULL,
                         .beta = kind == SCALED ? &case_beta : NULL,
                         .form = kind == GROUPED ? KZ_GEMM_GROUPED : KZ_GEMM_STRIDED,
                         .count = (size_t)c->axes[BATCH],
                         .alignment = bytes % 16 ? kz_type_size(c->type) : 16};
    if (slack == 0) return p;
    p.lda = (p.a_transposed ? m : k) + slack;
    p.ldb = (p.b_transposed ? k : n) + slack;
    p.ldc = n + slack;
    p.stride_a = (p.a_transposed ? k : m) * p.lda + slack;
    p.stride_b = (p.b_transposed ? n : k) * p.ldb + slack;
    p.stride_c = m * p.ldc + slack;
    return p;
}

gemm_spec gemm_spec_of(const kz_case *c) {
    if (c->detail) return gemm_spec_of_problem(c->detail);
    kz_gemm_problem problem = problem_of(c);
    return gemm_spec_of_problem(&problem);
}

bool gemm_is_empty(const gemm_spec *s) { return s->m == 0 || s->n == 0 || s->count == 0; }

uint64_t gemm_elements(const gemm_spec *s, const gemm_matrix *matrix) {
    if (matrix->rows == 0 || matrix->columns == 0 || s->count == 0) return 0;
    if (s->form == KZ_GEMM_POINTERS) return s->count; // addresses
    return (s->count - 1) * matrix->stride + (matrix->rows - 1) * matrix->ld + matrix->columns;
}
