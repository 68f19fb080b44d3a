// cuBLASLt as a rival: the products of product.h, by the fastest of the algorithms that its heuristics give. Single precision is
// without TF32 unless TF32 is asked for; sums of halves are in single precision; 8-bit floats have their scales, and fast
// accumulation where the family's sums are tensor cores' own.
//
// The library is opened when it is first asked for; KZ_CUBLASLT names its file.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peers/library.h"
#include "peers/peer.h"
#include "peers/product.h"

enum {
    TRANSPOSED = 1,       // CUBLAS_OP_T
    TRANSPOSE_A = 3,      // CUBLASLT_MATMUL_DESC_TRANSA
    TRANSPOSE_B = 4,      // CUBLASLT_MATMUL_DESC_TRANSB
    EPILOGUE = 7,         // CUBLASLT_MATMUL_DESC_EPILOGUE
    BIAS_POINTER = 8,     // CUBLASLT_MATMUL_DESC_BIAS_POINTER
    SCALE_A_POINTER = 17, // CUBLASLT_MATMUL_DESC_A_SCALE_POINTER
    SCALE_B_POINTER = 18,
    FAST_SUMS = 25,    // CUBLASLT_MATMUL_DESC_FAST_ACCUM
    SCALE_A_MODE = 31, // CUBLASLT_MATMUL_DESC_A_SCALE_MODE
    SCALE_B_MODE = 32,
    PER_128 = 4,        // CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F
    PER_128_BY_128 = 5, // CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F
    BATCH_COUNT = 5,    // CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT
    BATCH_STRIDE = 6,   // CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET
    MOST_WORKSPACE = 1, // CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES
    SUM_SCHEMES = 3,    // CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK
    // In place, or in the type of the computation; 4 would be in c's type, which rounds each part of a sum.
    IN_COMPUTE_TYPE = 3,
    ALIGNMENT_A = 5, // CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES; those of b, c and d follow. Without: 256
    ALIGNMENT_D = 8,
    WORKSPACE = 32 << 20, // what NVIDIA advises for Hopper
    ASKED = 128,          // more than the heuristics give
};

// CUBLASLT_EPILOGUE_..., by product_epilogue; its gelu is by tanh.
static const int epilogues[] = {1, 4, 4 | 2, 4 | 32};

typedef struct heuristic { // cublasLtMatmulHeuristicResult_t
    uint64_t algorithm[8];
    size_t workspace_bytes;
    int status;
    float waves;
    int reserved[4];
} heuristic;

typedef struct state { // of a plan
    product product;
    void *handle, *operation, *a, *b, *c, *preference;
    heuristic found[ASKED];
} state;

static struct {
    int (*create)(void **handle);
    int (*destroy)(void *handle);
    size_t (*version)(void);
    const char *(*text)(int status);
    int (*operation_create)(void **operation, int compute, int scale);
    int (*operation_set)(void *operation, int attribute, const void *value, size_t bytes);
    int (*operation_destroy)(void *operation);
    int (*layout_create)(void **layout, int type, uint64_t rows, uint64_t columns, int64_t column);
    int (*layout_set)(void *layout, int attribute, const void *value, size_t bytes);
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
        {"cublasLtMatrixLayoutSetAttribute", &api.layout_set},
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

static const char *offers(const kz_peer_problem *problem) {
    product p;
    if (!product_find(problem, &p) || p.grouped) return NULL;
    return p.epilogue != PRODUCT_PLAIN     ? "cublasLtMatmul, epilogue"
           : p.scales == PRODUCT_NO_SCALES ? "cublasLtMatmul"
           : p.scales == PRODUCT_PER_BLOCK ? "cublasLtMatmul, scales of blocks"
           : p.fast                        ? "cublasLtMatmul, fast sums"
                                           : "cublasLtMatmul, promoted sums";
}

// ---- a plan ----------------------------------------------------------------------------------------------

static int set(const state *s, int attribute, const void *value, size_t bytes) {
    return api.operation_set(s->operation, attribute, value, bytes);
}
static int set_int(const state *s, int attribute, int value) {
    return set(s, attribute, &value, sizeof value);
}
static int set_pointer(const state *s, int attribute, kz_ptr address) {
    const void *pointer = (const void *)(uintptr_t)address;
    return set(s, attribute, &pointer, sizeof pointer);
}

// A row-major matrix has its rows for columns.
static int describe_matrix(void **layout, int type, const product_matrix *m, uint64_t count) {
    const int32_t products = (int32_t)count;
    const int64_t stride = (int64_t)m->stride;
    int status = api.layout_create(layout, type, m->columns, m->rows, (int64_t)m->ld);
    if (status == 0 && count > 1) status = api.layout_set(*layout, BATCH_COUNT, &products, sizeof products);
    if (status == 0 && count > 1) status = api.layout_set(*layout, BATCH_STRIDE, &stride, sizeof stride);
    return status;
}

// The left operand is the family's b.
static int describe_operands(state *s) {
    const product *p = &s->product;
    int status = p->b_transposed ? set_int(s, TRANSPOSE_A, TRANSPOSED) : 0;
    if (status == 0 && p->a_transposed) status = set_int(s, TRANSPOSE_B, TRANSPOSED);
    if (status == 0) status = describe_matrix(&s->b, p->in, &p->b, p->count);
    if (status == 0) status = describe_matrix(&s->a, p->in, &p->a, p->count);
    if (status == 0) status = describe_matrix(&s->c, p->out, &p->c, p->count);
    return status;
}

// The heuristics look at whether there are pointers, not at where they point.
static int point(const state *s, const kz_ptr *buffers) {
    const product *p = &s->product;
    bool scaled = p->scales != PRODUCT_NO_SCALES;
    int status = scaled ? set_pointer(s, SCALE_A_POINTER, buffers[p->scale_b]) : 0;
    if (status == 0 && scaled) status = set_pointer(s, SCALE_B_POINTER, buffers[p->scale_a]);
    if (status == 0 && p->epilogue != PRODUCT_PLAIN) status = set_pointer(s, BIAS_POINTER, buffers[p->bias]);
    return status;
}

static int describe_extras(const state *s) {
    static const kz_ptr somewhere[KZ_FAMILY_BUFFERS] = {256, 256, 256, 256, 256, 256};
    const product *p = &s->product;
    const int8_t fast = p->fast;
    int status = p->fast ? set(s, FAST_SUMS, &fast, sizeof fast) : 0;
    if (status == 0 && p->scales == PRODUCT_PER_BLOCK) {
        status = set_int(s, SCALE_A_MODE, PER_128_BY_128);
        if (status == 0) status = set_int(s, SCALE_B_MODE, PER_128);
    }
    if (status == 0 && p->epilogue != PRODUCT_PLAIN) status = set_int(s, EPILOGUE, epilogues[p->epilogue]);
    return status == 0 ? point(s, somewhere) : status;
}

static int describe(state *s, uint32_t alignment) {
    const uint64_t most = WORKSPACE;
    const uint32_t schemes = IN_COMPUTE_TYPE;
    int status = api.create(&s->handle);
    if (status == 0)
        status = api.operation_create(&s->operation, s->product.compute, product_scalar_type(&s->product));
    if (status == 0) status = describe_operands(s);
    if (status == 0) status = describe_extras(s);
    if (status == 0) status = api.preference_create(&s->preference);
    if (status == 0) status = api.preference_set(s->preference, MOST_WORKSPACE, &most, sizeof most);
    if (status == 0) status = api.preference_set(s->preference, SUM_SCHEMES, &schemes, sizeof schemes);
    for (int i = ALIGNMENT_A; i <= ALIGNMENT_D && alignment && status == 0; i++)
        status = api.preference_set(s->preference, i, &alignment, sizeof alignment);
    return status;
}

// Keeps what can run; returns how many.
static int keep_found(state *s, int count, kz_peer_plan *plan) {
    for (int i = 0; i < count; i++) {
        if (s->found[i].status != 0) continue;
        if (s->found[i].workspace_bytes > plan->workspace_bytes)
            plan->workspace_bytes = s->found[i].workspace_bytes;
        s->found[plan->algorithms++] = s->found[i];
    }
    return plan->algorithms;
}

static int prepare(const kz_peer_problem *problem, kz_peer_plan *plan, const char **why) {
    pthread_once(&once, open_library);
    if (!peer_library_usable(&library, why)) return 1;
    state *s = plan->state = calloc(1, sizeof *s);
    *why = "no memory";
    if (!s || !product_find(problem, &s->product)) return 1;
    *why = product_forbidden(&s->product);
    if (*why) return 1;
    int count = 0, status = describe(s, problem->alignment);
    if (status == 0)
        status = api.heuristics(s->handle, s->operation, s->b, s->a, s->c, s->c, s->preference, ASKED,
                                s->found, &count);
    *why = status ? api.text(status) : "its heuristics give no algorithm for this case";
    return status != 0 || keep_found(s, count, plan) == 0;
}

static int run(const kz_peer_problem *problem, const kz_peer_plan *plan, const kz_peer_call *call,
               const char **why) {
    (void)problem;
    const state *s = plan->state;
    const product *p = &s->product;
    const heuristic *chosen = &s->found[plan->algorithm];
    const product_scalar alpha = product_scalar_of(p, p->alpha), beta = product_scalar_of(p, p->beta);
    const void *a = (const void *)(uintptr_t)call->buffers[p->a.buffer],
               *b = (const void *)(uintptr_t)call->buffers[p->b.buffer];
    const void *added = (const void *)(uintptr_t)call->buffers[p->added];
    void *c = (void *)(uintptr_t)call->buffers[p->c.buffer], *workspace = (void *)(uintptr_t)call->workspace;
    int status = point(s, call->buffers);
    if (status == 0)
        status = api.multiply(s->handle, s->operation, &alpha, b, s->b, a, s->a, &beta, added, s->c, c, s->c,
                              chosen->algorithm, workspace, chosen->workspace_bytes, call->stream);
    if (status != 0) *why = api.text(status);
    return status != 0;
}

static void close_plan(kz_peer_plan *plan) {
    state *s = plan->state;
    if (!s) return;
    if (s->preference) api.preference_destroy(s->preference);
    if (s->a) api.layout_destroy(s->a);
    if (s->b) api.layout_destroy(s->b);
    if (s->c) api.layout_destroy(s->c);
    if (s->operation) api.operation_destroy(s->operation);
    if (s->handle) api.destroy(s->handle);
    free(s);
}

static const kz_peer peer = {KZ_PEER_INTERFACE, "cublaslt", false,      version, offers,
                             prepare,           run,        close_plan, NULL};

const kz_peer *kz_peer_get(void) { return &peer; }
