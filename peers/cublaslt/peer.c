// cuBLASLt as a rival: matrix products in single precision, TF32 off, and of half types with sums in single precision (hgemm,
// gemv), by the fastest of the algorithms that its heuristics give.
//
// The library is opened when it is first asked for; KZ_CUBLASLT names its file. It thinks in columns, as cuBLAS does:
// c' = b' * a', and the transpose of a row-major matrix lies there without a move.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peers/library.h"
#include "peers/peer.h"

enum {
    F32 = 0,            // CUDA_R_32F
    F16 = 2,            // CUDA_R_16F
    BF16 = 14,          // CUDA_R_16BF
    TRANSPOSED = 1,     // CUBLAS_OP_T
    TRANSPOSE_A = 3,    // CUBLASLT_MATMUL_DESC_TRANSA
    TRANSPOSE_B = 4,    // CUBLASLT_MATMUL_DESC_TRANSB
    COMPUTE_F32 = 68,   // CUBLAS_COMPUTE_32F: products in single precision, no TF32
    MOST_WORKSPACE = 1, // CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES
    SUM_SCHEMES = 3,    // CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK
    IN_F32 =
        3, // in place, or in the type of the computation; 4 would be in c's type, which rounds each part of a sum
    ALIGNMENT_A = 5, // CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES; those of b, c and d follow. Without: 256
    ALIGNMENT_D = 8,
    WORKSPACE = 32 << 20, // what NVIDIA advises for Hopper
    ASKED = 128,          // more than the heuristics give
};

typedef struct heuristic { // cublasLtMatmulHeuristicResult_t
    uint64_t algorithm[8];
    size_t workspace_bytes;
    int status;
    float waves;
    int reserved[4];
} heuristic;

typedef struct product { // a plan's state
    void *handle, *operation, *a, *b, *c, *preference;
    heuristic found[ASKED];
} product;

static struct {
    int (*create)(void **handle);
    int (*destroy)(void *handle);
    size_t (*version)(void);
    const char *(*text)(int status);
    int (*operation_create)(void **operation, int compute, int scale);
    int (*operation_set)(void *operation, int attribute, const void *value, size_t bytes);
    int (*operation_destroy)(void *operation);
    int (*layout_create)(void **layout, int type, uint64_t rows, uint64_t columns, int64_t column);
    int (*layout_destroy)(void *layout);
    int (*preference_create)(void **preference);
    int (*preference_destroy)(void *preference);
    int (*preference_set)(void *preference, int attribute, const void *value, size_t bytes);
    int (*heuristics)(void *handle, void *operation, void *a, void *b, void *c, void *d, void *preference,
                      int asked, heuristic *found, int *count);
    int (*multiply)(void *handle, void *operation, const void *alpha, const void *a, void *a_layout,
                    const void *b, void *b_layout, const void *beta, const void *c, void *c_layout, void *d,
                    void *d_layout, const uint64_t *algorithm, void *workspace, size_t workspace_bytes,
                    void *stream);
} api;

// Opened once, for the life of the process.
static pthread_once_t once = PTHREAD_ONCE_INIT;
static peer_library library;

static void open_library(void) {
    static const peer_symbol symbols[] = {
        {"cublasLtCreate", &api.create},
        {"cublasLtDestroy", &api.destroy},
        {"cublasLtGetVersion", &api.version},
        {"cublasLtGetStatusString", &api.text},
        {"cublasLtMatmulDescCreate", &api.operation_create},
        {"cublasLtMatmulDescSetAttribute", &api.operation_set},
        {"cublasLtMatmulDescDestroy", &api.operation_destroy},
        {"cublasLtMatrixLayoutCreate", &api.layout_create},
        {"cublasLtMatrixLayoutDestroy", &api.layout_destroy},
        {"cublasLtMatmulPreferenceCreate", &api.preference_create},
        {"cublasLtMatmulPreferenceDestroy", &api.preference_destroy},
        {"cublasLtMatmulPreferenceSetAttribute", &api.preference_set},
        {"cublasLtMatmulAlgoGetHeuristic", &api.heuristics},
        {"cublasLtMatmul", &api.multiply},
    };
    const peer_wanted wanted = {.variable = "KZ_CUBLASLT",
                                .files = {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"},
                                .symbols = symbols,
                                .symbol_count = sizeof symbols / sizeof symbols[0]};
    peer_library_open(&library, &wanted);
    if (!api.version) return;
    int number = (int)api.version(); // 130107, and 11 had a digit less
    int major = number / (number < 100000 ? 1000 : 10000),
        rest = number - major * (number < 100000 ? 1000 : 10000);
    snprintf(library.version, sizeof library.version, "%d.%d.%d", major, rest / 100, rest % 100);
    peer_library_require(&library, "12.0", major >= 12);
}

static const char *version(const char **why) {
    pthread_once(&once, open_library);
    return peer_library_version(&library, why);
}

// A family's product c = a * b: which of its buffers are a, b and c, which of a and b lie transposed, and their types.
typedef struct form {
    int a, b, c;
    bool a_transposed, b_transposed;
    int in, out;
} form;

static bool find_form(const kz_peer_problem *problem, form *f) {
    const char *operation = problem->operation;
    bool half = problem->type == KZ_F16 || problem->type == KZ_BF16;
    int type = problem->type == KZ_F16 ? F16 : BF16;
    if (strcmp(problem->family, "sgemm") == 0 && problem->type == KZ_F32)
        *f = (form){0, 1, 2, false, false, F32, F32};
    else if (strcmp(problem->family, "hgemm") == 0 &&
             half) // "nt_f32": a as written, b transposed, c of floats
        *f = (form){0, 1, 2, operation[0] == 't', operation[1] == 't', type, operation[2] ? F32 : type};
    else if (strcmp(problem->family, "gemv") == 0 && half && strcmp(operation, "dense") == 0)
        *f = (form){2, 0, 3, false, true, type, type}; // y = x W': its buffers are W, scales, x and y
    else
        return false;
    return true;
}

static const char *offers(const kz_peer_problem *problem) {
    form f;
    if (!find_form(problem, &f)) return NULL;
    for (int i = 0; i < 3; i++)
        if (problem->axes[i] < 1 || problem->axes[i] > 0x7fffffff) return NULL;
    return "cublasLtMatmul";
}

// ---- a plan ----------------------------------------------------------------------------------------------

// A matrix of `rows` x `columns`, row-major, is its transpose in columns; one that lies transposed is itself.
static int describe_matrix(void **layout, int type, uint64_t rows, uint64_t columns, bool transposed) {
    return transposed ? api.layout_create(layout, type, rows, columns, (int64_t)rows)
                      : api.layout_create(layout, type, columns, rows, (int64_t)columns);
}

// In columns it is c' = b' * a': b is the left operand.
static int describe_operands(product *p, const kz_peer_problem *problem) {
    uint64_t m = (uint64_t)problem->axes[0], n = (uint64_t)problem->axes[1], k = (uint64_t)problem->axes[2];
    const int turn = TRANSPOSED;
    form f;
    if (!find_form(problem, &f)) return 1;
    int status = f.b_transposed ? api.operation_set(p->operation, TRANSPOSE_A, &turn, sizeof turn) : 0;
    if (status == 0 && f.a_transposed)
        status = api.operation_set(p->operation, TRANSPOSE_B, &turn, sizeof turn);
    if (status == 0) status = describe_matrix(&p->b, f.in, k, n, f.b_transposed);
    if (status == 0) status = describe_matrix(&p->a, f.in, m, k, f.a_transposed);
    if (status == 0) status = describe_matrix(&p->c, f.out, m, n, false);
    return status;
}

static int describe(product *p, const kz_peer_problem *problem) {
    const uint64_t most = WORKSPACE;
    const uint32_t alignment = problem->alignment, schemes = IN_F32;
    int status = api.create(&p->handle);
    if (status == 0) status = api.operation_create(&p->operation, COMPUTE_F32, F32);
    if (status == 0) status = describe_operands(p, problem);
    if (status == 0) status = api.preference_create(&p->preference);
    if (status == 0) status = api.preference_set(p->preference, MOST_WORKSPACE, &most, sizeof most);
    if (status == 0) status = api.preference_set(p->preference, SUM_SCHEMES, &schemes, sizeof schemes);
    for (int i = ALIGNMENT_A; i <= ALIGNMENT_D && alignment && status == 0; i++)
        status = api.preference_set(p->preference, i, &alignment, sizeof alignment);
    return status;
}

static int prepare(const kz_peer_problem *problem, kz_peer_plan *plan, const char **why) {
    pthread_once(&once, open_library);
    if (!peer_library_usable(&library, why)) return 1;
    product *p = plan->state = calloc(1, sizeof *p);
    *why = "no memory";
    if (!p) return 1;
    int count = 0;
    int status = describe(p, problem);
    if (status == 0)
        status = api.heuristics(p->handle, p->operation, p->b, p->a, p->c, p->c, p->preference, ASKED,
                                p->found, &count);
    for (int i = 0; i < count; i++) {
        if (p->found[i].status != 0) continue;
        if (p->found[i].workspace_bytes > plan->workspace_bytes)
            plan->workspace_bytes = p->found[i].workspace_bytes;
        p->found[plan->algorithms++] = p->found[i];
    }
    *why = status ? api.text(status) : "its heuristics give no algorithm for this case";
    return status != 0 || plan->algorithms == 0;
}

static int run(const kz_peer_problem *problem, const kz_peer_plan *plan, const kz_peer_call *call,
               const char **why) {
    const float one = 1.0f, zero = 0.0f;
    const product *p = plan->state;
    const heuristic *chosen = &p->found[plan->algorithm];
    form f = {0};
    find_form(problem, &f);
    const void *a = (const void *)(uintptr_t)call->buffers[f.a],
               *b = (const void *)(uintptr_t)call->buffers[f.b];
    void *c = (void *)(uintptr_t)call->buffers[f.c], *workspace = (void *)(uintptr_t)call->workspace;
    int status = api.multiply(p->handle, p->operation, &one, b, p->b, a, p->a, &zero, c, p->c, c, p->c,
                              chosen->algorithm, workspace, chosen->workspace_bytes, call->stream);
    if (status != 0) *why = api.text(status);
    return status != 0;
}

static void close_plan(kz_peer_plan *plan) {
    product *p = plan->state;
    if (!p) return;
    if (p->preference) api.preference_destroy(p->preference);
    if (p->a) api.layout_destroy(p->a);
    if (p->b) api.layout_destroy(p->b);
    if (p->c) api.layout_destroy(p->c);
    if (p->operation) api.operation_destroy(p->operation);
    if (p->handle) api.destroy(p->handle);
    free(p);
}

static const kz_peer peer = {KZ_PEER_INTERFACE, "cublaslt", false, version, offers, prepare, run, close_plan};

const kz_peer *kz_peer_get(void) { return &peer; }
