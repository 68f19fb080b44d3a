// cuSPARSELt as a rival: gemm_sparse's c = a * b' of halves, a 2:4 sparse, by the fastest of its kernels.
//
// It keeps a in a form of its own. `pack` makes that once: a kernel writes a dense again, zeros where nothing is kept, and the
// library compresses it. Only the product is timed. It takes a whose m and k are multiples of 16 and n of 8.
// The library is opened when it is first asked for; KZ_CUSPARSELT names its file.
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peers/library.h"
#include "peers/peer.h"

enum {
    F16 = 2,          // CUDA_R_16F
    BF16 = 14,        // CUDA_R_16BF
    SUMS_F32 = 2,     // CUSPARSE_COMPUTE_32F of cusparseLt.h
    AS_IT_IS = 0,     // CUSPARSE_OPERATION_NON_TRANSPOSE
    TRANSPOSED = 1,   // CUSPARSE_OPERATION_TRANSPOSE
    BY_ROWS = 2,      // CUSPARSE_ORDER_ROW
    HALF_IS_KEPT = 0, // CUSPARSELT_SPARSITY_50_PERCENT
    ITS_CHOICE = 0,   // CUSPARSELT_MATMUL_ALG_DEFAULT
    KERNEL = 0,       // CUSPARSELT_MATMUL_ALG_CONFIG_ID
    MOST_KERNEL = 1,  // CUSPARSELT_MATMUL_ALG_CONFIG_MAX_ID: below it
    ALIGNMENT = 16,   // bytes, of all matrices
    MOST = 64,        // kernels that are tried
    THREADS = 256,
    VALUES = 0,
    METADATA = 1,
    B = 2,
    C = 3, // the family's buffers
};
static const float ONE = 1.0f, NOTHING = 0.0f;

// Its structs are the caller's memory: 512 bytes since 0.8, 1024 before.
typedef struct opaque {
    alignas(16) uint8_t bytes[1024];
} opaque;

typedef struct state { // of a plan
    opaque handle, a, b, c, product, choices[MOST], plans[MOST];
    bool has_handle, has_a, has_b, has_c;
    int made; // choices and plans
    size_t packed_bytes, packing_bytes;
} state;

static struct {
    int (*init)(opaque *handle);
    int (*destroy)(const opaque *handle);
    int (*property)(int which, int *value);
    const char *(*text)(int status);
    int (*describe_dense)(const opaque *handle, opaque *matrix, int64_t rows, int64_t columns, int64_t row,
                          uint32_t alignment, int type, int order);
    int (*describe_sparse)(const opaque *handle, opaque *matrix, int64_t rows, int64_t columns, int64_t row,
                           uint32_t alignment, int type, int order, int sparsity);
    int (*drop_matrix)(const opaque *matrix);
    int (*describe_product)(const opaque *handle, opaque *product, int turn_a, int turn_b, const opaque *a,
                            const opaque *b, const opaque *c, const opaque *d, int sums);
    int (*choose)(const opaque *handle, opaque *choice, const opaque *product, int algorithm);
    int (*set_choice)(const opaque *handle, opaque *choice, int what, const void *value, size_t bytes);
    int (*get_choice)(const opaque *handle, opaque *choice, int what, void *value, size_t bytes);
    int (*make_plan)(const opaque *handle, opaque *plan, const opaque *product, const opaque *choice);
    int (*drop_plan)(const opaque *plan);
    int (*workspace)(const opaque *handle, const opaque *plan, size_t *bytes);
    int (*packed_bytes)(const opaque *handle, const opaque *a, size_t *bytes, size_t *while_packing);
    int (*pack)(const opaque *handle, const opaque *a, int is_a, int turn, const void *dense, void *packed,
                void *while_packing, cudaStream_t stream);
    int (*multiply)(const opaque *handle, const opaque *plan, const void *alpha, const void *a, const void *b,
                    const void *beta, const void *c, void *d, void *workspace, cudaStream_t *streams,
                    int32_t stream_count);
    int (*drop_choice)(const opaque *choice); // since 0.8; NULL before
} api;

// Opened once, for the life of the process.
static pthread_once_t once = PTHREAD_ONCE_INIT;
static peer_library library;

static void open_library(void) {
    static const peer_symbol symbols[] = {
        {"cusparseLtInit", &api.init},
        {"cusparseLtDestroy", &api.destroy},
        {"cusparseLtGetProperty", &api.property},
        {"cusparseLtGetErrorString", &api.text},
        {"cusparseLtDenseDescriptorInit", &api.describe_dense},
        {"cusparseLtStructuredDescriptorInit", &api.describe_sparse},
        {"cusparseLtMatDescriptorDestroy", &api.drop_matrix},
        {"cusparseLtMatmulDescriptorInit", &api.describe_product},
        {"cusparseLtMatmulAlgSelectionInit", &api.choose},
        {"cusparseLtMatmulAlgSetAttribute", &api.set_choice},
        {"cusparseLtMatmulAlgGetAttribute", &api.get_choice},
        {"cusparseLtMatmulPlanInit", &api.make_plan},
        {"cusparseLtMatmulPlanDestroy", &api.drop_plan},
        {"cusparseLtMatmulGetWorkspace", &api.workspace},
        {"cusparseLtSpMMACompressedSize2", &api.packed_bytes},
        {"cusparseLtSpMMACompress2", &api.pack},
        {"cusparseLtMatmul", &api.multiply},
    };
    peer_wanted wanted = {"KZ_CUSPARSELT", {"libcusparseLt.so.0", "libcusparseLt.so"}, symbols, 0};
    wanted.symbol_count = sizeof symbols / sizeof symbols[0];
    peer_library_open(&library, &wanted);
    int number[3] = {0};
    for (int i = 0; i < 3 && api.property; i++) api.property(i, &number[i]);
    snprintf(library.version, sizeof library.version, "%d.%d.%d", number[0], number[1], number[2]);
    // Its structs were 11 KB in 0.6.
    peer_library_require(&library, "0.7", number[0] > 0 || number[1] >= 7);
    if (library.handle)
        *(void **)&api.drop_choice = dlsym(library.handle, "cusparseLtMatmulAlgSelectionDestroy");
}

static const char *version(const char **why) {
    pthread_once(&once, open_library);
    return peer_library_version(&library, why);
}

static const char *offers(const kz_peer_problem *problem) {
    static const int multiples[] = {16, 8, 16};
    if (strcmp(problem->family, "gemm_sparse") != 0 || strcmp(problem->operation, "nt") != 0) return NULL;
    if (problem->type != KZ_F16 && problem->type != KZ_BF16) return NULL;
    for (int i = 0; i < 3; i++)
        if (problem->axes[i] < 1 || problem->axes[i] > INT32_MAX || problem->axes[i] % multiples[i])
            return NULL;
    if (problem->alignment && problem->alignment < ALIGNMENT) return NULL;
    return "cusparseLtMatmul, a packed before";
}

static int finish(int status, const char **why) {
    if (status != 0) *why = api.text(status);
    return status != 0;
}
static int finish_cuda(cudaError_t error, const char **why) {
    if (error != cudaSuccess) *why = cudaGetErrorString(error);
    return error != cudaSuccess;
}

// ---- a plan ----------------------------------------------------------------------------------------------

// Rows as they lie in memory; the product is a times b turned.
static int describe(state *s, const kz_peer_problem *problem) {
    int64_t m = problem->axes[0], n = problem->axes[1], k = problem->axes[2];
    int type = problem->type == KZ_F16 ? F16 : BF16;
    int status = api.init(&s->handle);
    s->has_handle = status == 0;
    if (status == 0)
        status = api.describe_sparse(&s->handle, &s->a, m, k, k, ALIGNMENT, type, BY_ROWS, HALF_IS_KEPT);
    s->has_a = status == 0;
    if (status == 0) status = api.describe_dense(&s->handle, &s->b, n, k, k, ALIGNMENT, type, BY_ROWS);
    s->has_b = status == 0;
    if (status == 0) status = api.describe_dense(&s->handle, &s->c, m, n, n, ALIGNMENT, type, BY_ROWS);
    s->has_c = status == 0;
    if (status == 0)
        status = api.describe_product(&s->handle, &s->product, AS_IT_IS, TRANSPOSED, &s->a, &s->b, &s->c,
                                      &s->c, SUMS_F32);
    return status == 0 ? api.packed_bytes(&s->handle, &s->a, &s->packed_bytes, &s->packing_bytes) : status;
}

static void drop_choice(const opaque *choice) {
    if (api.drop_choice) api.drop_choice(choice);
}

// A plan for kernel `id`; where it cannot be had the place is used for the next.
static int make_plan(state *s, int id, size_t *workspace) {
    opaque *choice = &s->choices[s->made], *plan = &s->plans[s->made];
    size_t own = 0;
    int status = api.choose(&s->handle, choice, &s->product, ITS_CHOICE);
    if (status != 0) return status;
    status = api.set_choice(&s->handle, choice, KERNEL, &id, sizeof id);
    if (status == 0) status = api.make_plan(&s->handle, plan, &s->product, choice);
    if (status != 0) {
        drop_choice(choice);
        return status;
    }
    s->made++;
    status = api.workspace(&s->handle, plan, &own);
    if (own > *workspace) *workspace = own;
    return status;
}

static int count_kernels(state *s, int *count) {
    opaque *choice = &s->choices[0];
    int status = api.choose(&s->handle, choice, &s->product, ITS_CHOICE);
    if (status != 0) return status;
    status = api.get_choice(&s->handle, choice, MOST_KERNEL, count, sizeof *count);
    drop_choice(choice);
    return status;
}

static int prepare(const kz_peer_problem *problem, kz_peer_plan *plan, const char **why) {
    pthread_once(&once, open_library);
    if (!peer_library_usable(&library, why)) return 1;
    state *s = (state *)aligned_alloc(alignof(state), sizeof *s);
    *why = "no memory";
    if (!s) return 1;
    memset(s, 0, sizeof *s);
    plan->state = s;
    int count = 0, last = 0;
    if (finish(describe(s, problem), why) || finish(count_kernels(s, &count), why)) return 1;
    for (int id = 0; id < count && s->made < MOST; id++) {
        int status = make_plan(s, id, &plan->workspace_bytes);
        if (status != 0) last = status;
    }
    *why = last ? api.text(last) : "it has no kernel for this case";
    plan->algorithms = s->made;
    plan->packed_bytes = s->packed_bytes;
    return s->made == 0;
}

// ---- a in its own form -------------------------------------------------------------------------------------

// A thread for each four elements along k: which two are kept, kz/ops/gemm_sparse.h says.
static __global__ void widen(const uint16_t *values, const uint32_t *metadata, uint16_t *dense, size_t rows,
                             size_t k) {
    size_t groups = k / 4, steps = (k + 63) / 64, i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * groups) return;
    size_t row = i / groups, group = i % groups, step = group / 16;
    unsigned r = row % 64, q = group % 16;
    uint32_t word = metadata[(row / 64 * steps + step) * 128 + 32 * (r / 16) + 4 * (r % 8) + q / 4];
    unsigned code = word >> (16 * (r / 8 % 2) + 4 * (q % 4)) & 15;
    const uint16_t *kept = values + row * steps * 32 + 2 * group;
    uint16_t four[4] = {0};
    for (int place = 0; place < 4; place++) {
        if (place == (int)(code & 3)) four[place] = kept[0];
        if (place == (int)(code >> 2)) four[place] = kept[1];
    }
    for (int place = 0; place < 4; place++) dense[row * k + 4 * group + place] = four[place];
}

static int pack_dense(const state *s, void *dense, void *packed, cudaStream_t stream, const char **why) {
    void *own = NULL;
    if (s->packing_bytes > 0 && finish_cuda(cudaMalloc(&own, s->packing_bytes), why)) return 1;
    int failed = finish(api.pack(&s->handle, &s->a, true, AS_IT_IS, dense, packed, own, stream), why);
    if (!failed) failed = finish_cuda(cudaStreamSynchronize(stream), why);
    cudaFree(own);
    return failed;
}

static int pack(const kz_peer_problem *problem, const kz_peer_plan *plan, const kz_peer_call *call,
                const char **why) {
    const state *s = (const state *)plan->state;
    cudaStream_t stream = (cudaStream_t)call->stream;
    size_t m = (size_t)problem->axes[0], k = (size_t)problem->axes[2],
           blocks = (m * (k / 4) + THREADS - 1) / THREADS;
    uint16_t *dense = NULL;
    if (finish_cuda(cudaMalloc((void **)&dense, m * k * sizeof *dense), why)) return 1;
    widen<<<(unsigned)blocks, THREADS, 0, stream>>>((const uint16_t *)call->buffers[VALUES],
                                                    (const uint32_t *)call->buffers[METADATA], dense, m, k);
    int failed = finish_cuda(cudaGetLastError(), why);
    if (!failed) failed = pack_dense(s, dense, (void *)call->packed, stream, why);
    cudaFree(dense);
    return failed;
}

static int run(const kz_peer_problem *, const kz_peer_plan *plan, const kz_peer_call *call,
               const char **why) {
    const state *s = (const state *)plan->state;
    cudaStream_t stream = (cudaStream_t)call->stream;
    void *c = (void *)call->buffers[C];
    return finish(api.multiply(&s->handle, &s->plans[plan->algorithm], &ONE, (const void *)call->packed,
                               (const void *)call->buffers[B], &NOTHING, c, c, (void *)call->workspace,
                               &stream, 1),
                  why);
}

static void close_plan(kz_peer_plan *plan) {
    state *s = (state *)plan->state;
    if (!s) return;
    for (int i = 0; i < s->made; i++) {
        api.drop_plan(&s->plans[i]);
        drop_choice(&s->choices[i]);
    }
    if (s->has_c) api.drop_matrix(&s->c);
    if (s->has_b) api.drop_matrix(&s->b);
    if (s->has_a) api.drop_matrix(&s->a);
    if (s->has_handle) api.destroy(&s->handle);
    free(s);
}

extern "C" __attribute__((visibility("default"))) const kz_peer *kz_peer_get(void) {
    static const kz_peer peer = {KZ_PEER_INTERFACE, "cusparselt", false,      version, offers,
                                 prepare,           run,          close_plan, pack};
    return &peer;
}
