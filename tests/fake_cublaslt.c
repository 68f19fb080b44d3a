// A cuBLASLt for the tests: its heuristics give four algorithms, one of which is none. Matrices go by columns, on the
// host's memory. The first algorithm leaves the result as it is, the others multiply.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct layout {
    uint64_t rows, columns;
    int64_t column;
    int type; // 0: f32; 14: bf16
} layout;

typedef struct heuristic {
    uint64_t algorithm[8];
    size_t workspace_bytes;
    int status;
    float waves;
    int reserved[4];
} heuristic;

int cublasLtCreate(void **handle);
int cublasLtDestroy(void *handle);
size_t cublasLtGetVersion(void);
const char *cublasLtGetStatusString(int status);
int cublasLtMatmulDescCreate(void **operation, int compute, int scale);
int cublasLtMatmulDescSetAttribute(void *operation, int attribute, const void *value, size_t bytes);
int cublasLtMatmulDescDestroy(void *operation);
int cublasLtMatrixLayoutCreate(void **to, int type, uint64_t rows, uint64_t columns, int64_t column);
int cublasLtMatrixLayoutSetAttribute(void *of, int attribute, const void *value, size_t bytes);
int cublasLtMatrixLayoutDestroy(void *of);
int cublasLtMatmulPreferenceCreate(void **preference);
int cublasLtMatmulPreferenceDestroy(void *preference);
int cublasLtMatmulPreferenceSetAttribute(void *preference, int attribute, const void *value, size_t bytes);
int cublasLtMatmulAlgoGetHeuristic(void *handle, void *operation, layout *a, layout *b, layout *c, layout *d,
                                   size_t *preference, int asked, heuristic *found, int *count);
int cublasLtMatmul(void *handle, void *operation, const float *alpha, const float *a, layout *of_a,
                   const float *b, layout *of_b, const float *beta, const float *c, layout *of_c, float *d,
                   layout *of_d, const uint64_t *algorithm, void *workspace, size_t workspace_bytes,
                   void *stream);

static int make(void **to, size_t bytes) {
    *to = calloc(1, bytes);
    return *to ? 0 : 3;
}
static int drop(void *of) {
    free(of);
    return 0;
}

int cublasLtCreate(void **handle) { return make(handle, 1); }
int cublasLtDestroy(void *handle) { return drop(handle); }
size_t cublasLtGetVersion(void) { return getenv("FAKE_CUBLASLT_OLD") ? 11501 : 130107; }
const char *cublasLtGetStatusString(int status) { return status == 7 ? "invalid value" : "not supported"; }
int cublasLtMatmulDescCreate(void **operation, int compute, int scale) {
    return compute == 68 && scale == 0 ? make(operation, 1) : 15; // 77 would be TF32
}
// Transposed operands are all that it does: bit 0 the first, bit 1 the second.
int cublasLtMatmulDescSetAttribute(void *operation, int attribute, const void *value, size_t bytes) {
    if ((attribute != 3 && attribute != 4) || bytes != 4 || *(const int *)value != 1) return 7;
    *(char *)operation |= (char)(1 << (attribute - 3));
    return 0;
}
static bool turns(const void *operation, int which) { return *(const char *)operation >> which & 1; }
int cublasLtMatmulDescDestroy(void *operation) { return drop(operation); }

int cublasLtMatrixLayoutCreate(void **to, int type, uint64_t rows, uint64_t columns, int64_t column) {
    if ((type != 0 && type != 14) || column < (int64_t)rows || make(to, sizeof(layout))) return 7;
    *(layout *)*to = (layout){rows, columns, column, type};
    return 0;
}
int cublasLtMatrixLayoutSetAttribute(void *of, int attribute, const void *value, size_t bytes) {
    return 7; // one product has no strides
}
int cublasLtMatrixLayoutDestroy(void *of) { return drop(of); }

typedef struct wish {
    size_t workspace;
    uint32_t alignment[4]; // of a, b, c and d
} wish;

int cublasLtMatmulPreferenceCreate(void **preference) { return make(preference, sizeof(wish)); }
int cublasLtMatmulPreferenceDestroy(void *preference) { return drop(preference); }
int cublasLtMatmulPreferenceSetAttribute(void *preference, int attribute, const void *value, size_t bytes) {
    wish *w = preference;
    if (attribute == 1 && bytes == 8)
        w->workspace = *(const size_t *)value;
    else if (attribute == 3 && bytes == 4 && *(const uint32_t *)value == 3)
        return 0; // sums of parts in f32
    else if (attribute >= 5 && attribute <= 8 && bytes == 4)
        w->alignment[attribute - 5] = *(const uint32_t *)value;
    else
        return 7;
    return 0;
}

int cublasLtMatmulAlgoGetHeuristic(void *handle, void *operation, layout *a, layout *b, layout *c, layout *d,
                                   size_t *preference, int asked, heuristic *found, int *count) {
    const wish *w = (const wish *)preference;
    if (!handle || !operation || c != d || asked < 4 || w->workspace < 1024) return 7;
    uint32_t least = 256; // the third needs 16
    for (int i = 0; i < 4; i++)
        if (w->alignment[i] && w->alignment[i] < least) least = w->alignment[i];
    bool left = turns(operation, 0), right = turns(operation, 1);
    if ((left ? a->rows : a->columns) != (right ? b->columns : b->rows)) return 7;
    if (c->rows != (left ? a->columns : a->rows) || c->columns != (right ? b->rows : b->columns)) return 7;
    if (a->type != b->type || (a->type != c->type && c->type != 0)) return 7;
    for (uint64_t i = 0; i < 4; i++)
        found[i] = (heuristic){.algorithm = {40 + i},
                               .workspace_bytes = 100 * i,
                               .status = i == 1 || (i == 2 && least < 16) ? 15 : 0};
    *count = 4;
    return 0;
}

// An element; a bf16 is the high half of a float, here cut off and not rounded.
static float get(const void *matrix, const layout *of, uint64_t row, uint64_t column) {
    uint64_t at = column * (uint64_t)of->column + row;
    float value = 0.0f;
    if (of->type == 0) return ((const float *)matrix)[at];
    memcpy((char *)&value + 2, (const uint16_t *)matrix + at, 2);
    return value;
}
static void set(void *matrix, const layout *of, uint64_t row, uint64_t column, float value) {
    uint64_t at = column * (uint64_t)of->column + row;
    if (of->type == 0)
        ((float *)matrix)[at] = value;
    else
        memcpy((uint16_t *)matrix + at, (const char *)&value + 2, 2);
}

int cublasLtMatmul(void *handle, void *operation, const float *alpha, const float *a, layout *of_a,
                   const float *b, layout *of_b, const float *beta, const float *c, layout *of_c, float *d,
                   layout *of_d, const uint64_t *algorithm, void *workspace, size_t workspace_bytes,
                   void *stream) {
    if (!handle || !operation || stream || c != d || of_c != of_d || *beta != 0.0f) return 7;
    if (algorithm[0] < 40 || workspace_bytes != 100 * (algorithm[0] - 40) || !workspace) return 7;
    bool left = turns(operation, 0), right = turns(operation, 1);
    uint64_t depth = right ? of_b->columns : of_b->rows;
    for (uint64_t column = 0; algorithm[0] > 40 && column < of_d->columns; column++)
        for (uint64_t row = 0; row < of_d->rows; row++) {
            float sum = 0.0f;
            for (uint64_t k = 0; k < depth; k++)
                sum += (left ? get(a, of_a, k, row) : get(a, of_a, row, k)) *
                       (right ? get(b, of_b, column, k) : get(b, of_b, k, column));
            set(d, of_d, row, column, *alpha * sum);
        }
    return 0;
}
