// See product.h.
#include "peers/product.h"

#include <stdlib.h>
#include <string.h>

enum { M, N, K, BATCH, SLACK }; // axes

static bool begins(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }
static bool is(const char *text, const char *other) { return strcmp(text, other) == 0; }

// Buffers 0, 1 and 2, in the order of two letters, n as written or t transposed; rows `slack` elements further apart than they
// must, and matrices too.
static void lay_out(product *p, const kz_peer_problem *problem, const char *order, uint64_t slack) {
    uint64_t m = (uint64_t)problem->axes[M], n = (uint64_t)problem->axes[N], k = (uint64_t)problem->axes[K];
    p->a_transposed = order[0] == 't';
    p->b_transposed = order[1] == 't';
    p->a = p->a_transposed ? (product_matrix){0, k, m, m, 0} : (product_matrix){0, m, k, k, 0};
    p->b = p->b_transposed ? (product_matrix){1, n, k, k, 0} : (product_matrix){1, k, n, n, 0};
    p->c = (product_matrix){2, m, n, n, 0};
    p->added = 2;
    product_matrix *all[] = {&p->a, &p->b, &p->c};
    for (int i = 0; i < 3; i++) {
        all[i]->ld += slack;
        all[i]->stride = all[i]->rows * all[i]->ld + slack;
    }
}

static int type_of(kz_type type) {
    return type == KZ_F16    ? PRODUCT_F16
           : type == KZ_BF16 ? PRODUCT_BF16
           : type == KZ_F64  ? PRODUCT_F64
                             : PRODUCT_F32;
}

// ---- families --------------------------------------------------------------------------------------------

static bool find_sgemm(const kz_peer_problem *problem, product *p) {
    lay_out(p, problem, "nn", 0);
    return problem->type == KZ_F32;
}

static bool find_hgemm(const kz_peer_problem *problem, product *p) { // "nt_f32": c of floats
    lay_out(p, problem, problem->operation, 0);
    if (problem->operation[2]) p->out = PRODUCT_F32;
    return problem->type == KZ_F16 || problem->type == KZ_BF16;
}

// y = x W': its buffers are W, scales, x and y.
static bool find_gemv(const kz_peer_problem *problem, product *p) {
    lay_out(p, problem, "nt", 0);
    p->a.buffer = 2;
    p->b.buffer = 0;
    p->c.buffer = p->added = 3;
    return is(problem->operation, "dense");
}

// "bias_gelu_tanh_nt": an epilogue and an order. What the library's epilogues have: a bias along a row of c, gelu by tanh.
static bool find_gemm_fused(const kz_peer_problem *problem, product *p) {
    static const struct {
        const char *name;
        product_epilogue epilogue;
        bool adds;
    } epilogues[] = {{"bias", PRODUCT_BIAS, false},
                     {"bias_relu", PRODUCT_BIAS_RELU, false},
                     {"bias_gelu_tanh", PRODUCT_BIAS_GELU, false},
                     {"bias_residual", PRODUCT_BIAS, true}};
    const char *name = problem->operation, *order = strrchr(name, '_');
    if (!order) return false;
    lay_out(p, problem, order + 1, 0);
    p->bias = 3;
    for (size_t i = 0; i < sizeof epilogues / sizeof epilogues[0]; i++) {
        if (!begins(name, epilogues[i].name) || name + strlen(epilogues[i].name) != order) continue;
        p->epilogue = epilogues[i].epilogue;
        if (epilogues[i].adds) p->added = 4;
        p->beta = epilogues[i].adds;
    }
    return p->epilogue != PRODUCT_PLAIN;
}

// "e4m3_fine_nt": a format and an order.
static bool find_gemm_types(const kz_peer_problem *problem, product *p) {
    const char *name = problem->operation, *order = strrchr(name, '_');
    if (!order) return false;
    lay_out(p, problem, order + 1, 0);
    uint64_t blocks = (p->a.columns + 127) / 128;
    if (begins(name, "tf32x3_") || begins(name, "tf32_")) {
        p->compute = begins(name, "tf32x3_") ? PRODUCT_IN_F32 : PRODUCT_IN_TF32;
    } else if (begins(name, "int8_")) { // rows in whole words
        p->in = PRODUCT_I8;
        p->out = PRODUCT_I32;
        p->compute = PRODUCT_IN_I32;
        return p->a.ld % 4 == 0 && p->b.ld % 4 == 0;
    } else if (begins(name, "e4m3")) { // in the order nt alone, rows in whole units of 16 bytes
        p->in = PRODUCT_E4M3;
        p->out = PRODUCT_BF16;
        p->scales = begins(name, "e4m3_fine_") ? PRODUCT_PER_BLOCK : PRODUCT_PER_TENSOR;
        p->scale_a = 3;
        p->scale_b = 4;
        p->fast = begins(name, "e4m3_n");
        // Rows of blocks are multiples of 4 in cuBLASLt's memory, and ours without gaps.
        bool right = p->scales != PRODUCT_PER_BLOCK || blocks % 4 == 0;
        return is(order, "_nt") && p->a.ld % 16 == 0 && p->c.ld % 8 == 0 && right;
    } else
        return begins(name, "f64_"); // neither library has e5m2 by e5m2
    return true;
}

// "nt", "nt_f32", "nt_grouped", "nt_scaled": alpha is 1.5 and beta -0.5 there.
static bool find_gemm(const kz_peer_problem *problem, product *p) {
    const char *kind = problem->operation + 2;
    lay_out(p, problem, problem->operation, (uint64_t)problem->axes[SLACK]);
    p->count = (uint64_t)problem->axes[BATCH];
    if (is(kind, "_f32")) p->out = PRODUCT_F32;
    if (is(kind, "_scaled")) {
        p->alpha = 1.5;
        p->beta = -0.5;
    }
    p->grouped = is(kind, "_grouped");
    p->offsets = 3;
    return p->count > 0 && p->count <= INT32_MAX;
}

static const struct family {
    const char *name;
    uint32_t types;
    bool (*find)(const kz_peer_problem *problem, product *p);
} families[] = {
    {"sgemm", KZ_TYPE_BIT(F32), find_sgemm},
    {"hgemm", KZ_TYPE_BIT(F16) | KZ_TYPE_BIT(BF16), find_hgemm},
    {"gemv", KZ_TYPE_BIT(F16) | KZ_TYPE_BIT(BF16), find_gemv},
    {"gemm_fused", KZ_TYPE_BIT(F16) | KZ_TYPE_BIT(BF16), find_gemm_fused},
    {"gemm_types", KZ_TYPE_BIT(F32) | KZ_TYPE_BIT(I32) | KZ_TYPE_BIT(BF16) | KZ_TYPE_BIT(F64),
     find_gemm_types},
    {"gemm", KZ_TYPE_BIT(F16) | KZ_TYPE_BIT(BF16) | KZ_TYPE_BIT(F32) | KZ_TYPE_BIT(F64), find_gemm},
};

bool product_find(const kz_peer_problem *problem, product *p) {
    for (int i = M; i <= K; i++)
        if (problem->axes[i] < 1 || problem->axes[i] > INT32_MAX) return false;
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        if (!is(families[i].name, problem->family) || !(families[i].types & 1u << problem->type)) continue;
        int type = type_of(problem->type);
        *p = (product){.in = type, .out = type, .alpha = 1, .count = 1};
        p->compute = problem->type == KZ_F64 ? PRODUCT_IN_F64 : PRODUCT_IN_F32;
        return families[i].find(problem, p);
    }
    return false;
}

// ---- scalars ---------------------------------------------------------------------------------------------

int product_scalar_type(const product *p) {
    return p->compute == PRODUCT_IN_F64   ? PRODUCT_F64
           : p->compute == PRODUCT_IN_I32 ? PRODUCT_I32
                                          : PRODUCT_F32;
}

product_scalar product_scalar_of(const product *p, double value) {
    int type = product_scalar_type(p);
    return type == PRODUCT_F64   ? (product_scalar){.f64 = value}
           : type == PRODUCT_I32 ? (product_scalar){.i32 = (int32_t)value}
                                 : (product_scalar){.f32 = (float)value};
}

const char *product_forbidden(const product *p) {
    const char *set = getenv("NVIDIA_TF32_OVERRIDE");
    return p->compute == PRODUCT_IN_TF32 && set && is(set, "0")
               ? "NVIDIA_TF32_OVERRIDE=0 forbids TF32 in this process: unset it, or name the family alone"
               : NULL;
}
