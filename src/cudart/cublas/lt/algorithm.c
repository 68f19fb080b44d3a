// Algorithms of cuBLASLt: there is one, and what it can do.
#include <string.h>

#include "base/base.h"
#include "lt.h"

enum { ONLY = 0 }; // its number

typedef struct heuristic_result { // cublasLtMatmulHeuristicResult_t
    union {
        lt_algorithm algorithm;
        uint64_t room[8];
    };
    size_t workspace_bytes;
    cublas_status state;
    float waves;
    int reserved[4];
} heuristic_result;

static heuristic_result result_of(size_t workspace_bytes) {
    heuristic_result r = {.workspace_bytes = workspace_bytes, .state = CUBLAS_SUCCESS, .waves = 1};
    r.algorithm = (lt_algorithm){.id = ONLY, .splits = 1};
    return r;
}

static cublas_status check_layouts(const cublas_handle *handle, const void *d, const lt_layout *la,
                                   const lt_layout *lb, const lt_layout *lc, const lt_layout *ld) {
    cublas_status status = cublas_check(handle);
    if (status) return status;
    if (!d || !la || !lb || !lc || !ld) return CUBLAS_INVALID_VALUE;
    return lt_check_matmul(d, la, lb, lc, ld);
}

CUBLAS_FUNCTION(cublasLtMatmulAlgoGetHeuristic, cublas_handle *handle, const lt_matmul_desc *d,
                const lt_layout *la, const lt_layout *lb, const lt_layout *lc, const lt_layout *ld,
                const lt_preference *preference, int wanted, heuristic_result *results, int *count) {
    if (!preference || wanted < 1 || !results || !count) return CUBLAS_INVALID_VALUE;
    cublas_status status = check_layouts(handle, d, la, lb, lc, ld);
    if (!status && lt_workspace_bytes(d, ld) > preference->workspace_bytes) status = CUBLAS_NOT_SUPPORTED;
    *count = status ? 0 : 1;
    if (!status) results[0] = result_of(lt_workspace_bytes(d, ld));
    return status;
}

CUBLAS_FUNCTION(cublasLtMatmulAlgoCheck, cublas_handle *handle, const lt_matmul_desc *d, const lt_layout *la,
                const lt_layout *lb, const lt_layout *lc, const lt_layout *ld, const lt_algorithm *algorithm,
                heuristic_result *result) {
    if (!algorithm || !result) return CUBLAS_INVALID_VALUE;
    cublas_status status = check_layouts(handle, d, la, lb, lc, ld);
    if (algorithm->id != ONLY) status = status ? status : CUBLAS_NOT_SUPPORTED;
    if (status) return status;
    *result = result_of(lt_workspace_bytes(d, ld));
    result->algorithm = *algorithm;
    return CUBLAS_SUCCESS;
}

CUBLAS_FUNCTION(cublasLtMatmulAlgoGetIds, cublas_handle *handle, int compute, int scale_type, int at, int bt,
                int ct, int dt, int wanted, int *ids, int *count) {
    if (cublas_check(handle)) return CUBLAS_NOT_INITIALIZED;
    if (wanted < 1 || !ids || !count) return CUBLAS_INVALID_VALUE;
    ids[0] = ONLY;
    *count = 1;
    return CUBLAS_SUCCESS;
}

CUBLAS_FUNCTION(cublasLtMatmulAlgoInit, cublas_handle *handle, int compute, int scale_type, int at, int bt,
                int ct, int dt, int id, lt_algorithm *algorithm) {
    if (cublas_check(handle)) return CUBLAS_NOT_INITIALIZED;
    if (!algorithm || id != ONLY) return CUBLAS_INVALID_VALUE;
    *algorithm = (lt_algorithm){.id = ONLY, .splits = 1};
    return CUBLAS_SUCCESS;
}

// cublasLtMatmulAlgoCapAttributes_t. Lists (of tiles, of stages) have the one number that means: no choice.
static const struct {
    int number;
    uint64_t value;
    size_t bytes;
} capabilities[] = {
    {0, 0, 4},                                          // split k
    {1, 0, 4},                                          // reduction schemes
    {2, 0, 4},                                          // swizzling of blocks
    {3, 1, 4},                                          // strided batches
    {4, 1, 4},                                          // D apart from C
    {5, 0, 4},                                          // a triangle alone
    {6, 0, 4},                                          // tiles
    {7, 0, 4},                                          // custom options
    {10, 1, 4},                                         // orders other than by columns and rows
    {11, 0x1f, 4},                                      // pointer modes
    {12, 0x3ff, 4},                                     // epilogues
    {13, 0, 4},                                         // stages
    {14, 0, 4},                                         // negative leading dimensions
    {15, 0x401, 8},                                     // how it computes: multiply-adds, sums of 64 bits
    {16, 1, 4},                                         // alignment of A
    {17, 1, 4},     {18, 1, 4}, {19, 1, 4}, {21, 1, 4}, // batches by pointers
    {22, 0, 4},                                         // emulated floating point
};

CUBLAS_FUNCTION(cublasLtMatmulAlgoCapGetAttribute, const lt_algorithm *algorithm, int number, void *to,
                size_t bytes, size_t *written) {
    for (size_t i = 0; algorithm && i < BASE_COUNT(capabilities); i++) {
        size_t needed = capabilities[i].bytes;
        if (capabilities[i].number != number) continue;
        if (bytes ? !to || bytes < needed : !written) return CUBLAS_INVALID_VALUE;
        if (bytes) memcpy(to, &capabilities[i].value, needed); // little-endian, as the GPU's hosts are
        if (written) *written = needed;
        return CUBLAS_SUCCESS;
    }
    return CUBLAS_INVALID_VALUE;
}
