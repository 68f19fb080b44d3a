// A cuSPARSELt for the tests, on the simulator's device memory: it has four kernels, of which the second is none. Its form of a
// is a flag and then, of each four elements, which of them are not 0, and these.
//
// It refuses what the real one does: sizes that are no multiples of 16 and 8, more than two of four that are not 0, a packed
// matrix that is none, structs that were never described.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
enum {
    TO_DEVICE = 1,
    TO_HOST = 2,
    INVALID = 3,
    NOT_SUPPORTED = 10,
    KERNELS = 4,
    FLAG = 0x5a5a1234,
    HANDLE = 77
};

typedef struct matrix {
    int64_t rows, columns, row;
    int type, is_sparse, is_there;
} matrix;
typedef struct product {
    matrix a, b, c;
    int is_there;
} product;
typedef struct choice {
    product p;
    int kernel;
} choice;

int cusparseLtInit(int *handle);
int cusparseLtDestroy(const int *handle);
int cusparseLtGetProperty(int which, int *value);
const char *cusparseLtGetErrorString(int status);
int cusparseLtDenseDescriptorInit(const int *handle, matrix *to, int64_t rows, int64_t columns, int64_t row,
                                  uint32_t alignment, int type, int order);
int cusparseLtStructuredDescriptorInit(const int *handle, matrix *to, int64_t rows, int64_t columns,
                                       int64_t row, uint32_t alignment, int type, int order, int sparsity);
int cusparseLtMatDescriptorDestroy(const matrix *of);
int cusparseLtMatmulDescriptorInit(const int *handle, product *to, int turn_a, int turn_b, const matrix *a,
                                   const matrix *b, const matrix *c, const matrix *d, int sums);
int cusparseLtMatmulAlgSelectionInit(const int *handle, choice *to, const product *p, int algorithm);
int cusparseLtMatmulAlgSelectionDestroy(const choice *of);
int cusparseLtMatmulAlgSetAttribute(const int *handle, choice *of, int what, const void *value, size_t bytes);
int cusparseLtMatmulAlgGetAttribute(const int *handle, choice *of, int what, void *value, size_t bytes);
int cusparseLtMatmulPlanInit(const int *handle, choice *plan, const product *p, const choice *c);
int cusparseLtMatmulPlanDestroy(const choice *plan);
int cusparseLtMatmulGetWorkspace(const int *handle, const choice *plan, size_t *bytes);
int cusparseLtSpMMACompressedSize2(const int *handle, const matrix *a, size_t *bytes, size_t *while_packing);
int cusparseLtSpMMACompress2(const int *handle, const matrix *a, int is_a, int turn, const void *dense,
                             void *packed, void *while_packing, void *stream);
int cusparseLtMatmul(const int *handle, const choice *plan, const float *alpha, const void *a, const void *b,
                     const float *beta, const void *c, void *d, void *workspace, void **streams,
                     int32_t count);

int cusparseLtInit(int *handle) { return *handle = HANDLE, 0; }
int cusparseLtDestroy(const int *handle) { return *handle == HANDLE ? 0 : INVALID; }
int cusparseLtGetProperty(int which, int *value) {
    const int number[] = {0, getenv("FAKE_CUSPARSELT_OLD") ? 6 : 8, 1};
    return which < 0 || which > 2 ? INVALID : (*value = number[which], 0);
}
const char *cusparseLtGetErrorString(int status) {
    return status == INVALID ? "invalid value" : "not supported";
}

static int describe(const int *handle, matrix *to, matrix m, uint32_t alignment, int order,
                    int64_t multiple) {
    if (*handle != HANDLE || order != 2 || alignment != 16 || (m.type != 2 && m.type != 14)) return INVALID;
    if (m.rows % multiple || m.columns % multiple || m.row % multiple || m.row < m.columns)
        return NOT_SUPPORTED;
    *to = m;
    return 0;
}
int cusparseLtDenseDescriptorInit(const int *handle, matrix *to, int64_t rows, int64_t columns, int64_t row,
                                  uint32_t alignment, int type, int order) {
    return describe(handle, to, (matrix){rows, columns, row, type, false, true}, alignment, order, 8);
}
int cusparseLtStructuredDescriptorInit(const int *handle, matrix *to, int64_t rows, int64_t columns,
                                       int64_t row, uint32_t alignment, int type, int order, int sparsity) {
    if (sparsity != 0) return INVALID;
    return describe(handle, to, (matrix){rows, columns, row, type, true, true}, alignment, order, 16);
}
int cusparseLtMatDescriptorDestroy(const matrix *of) { return of->is_there ? 0 : INVALID; }

int cusparseLtMatmulDescriptorInit(const int *handle, product *to, int turn_a, int turn_b, const matrix *a,
                                   const matrix *b, const matrix *c, const matrix *d, int sums) {
    bool right = *handle == HANDLE && turn_a == 0 && turn_b == 1 && a->is_sparse && !b->is_sparse && c == d &&
                 sums == 2;
    if (!right || a->columns != b->columns || c->rows != a->rows || c->columns != b->rows) return INVALID;
    *to = (product){*a, *b, *c, true};
    return 0;
}
int cusparseLtMatmulAlgSelectionInit(const int *handle, choice *to, const product *p, int algorithm) {
    if (*handle != HANDLE || !p->is_there || algorithm != 0) return INVALID;
    *to = (choice){*p, -1};
    return 0;
}
int cusparseLtMatmulAlgSelectionDestroy(const choice *of) { return of->p.is_there ? 0 : INVALID; }
int cusparseLtMatmulAlgSetAttribute(const int *handle, choice *of, int what, const void *value,
                                    size_t bytes) {
    if (*handle != HANDLE || what != 0 || bytes != sizeof(int)) return INVALID;
    of->kernel = *(const int *)value;
    return of->kernel < KERNELS ? 0 : INVALID;
}
int cusparseLtMatmulAlgGetAttribute(const int *handle, choice *of, int what, void *value, size_t bytes) {
    if (*handle != HANDLE || what != 1 || bytes != sizeof(int)) return INVALID;
    *(int *)value = KERNELS;
    return 0;
}
int cusparseLtMatmulPlanInit(const int *handle, choice *plan, const product *p, const choice *c) {
    if (*handle != HANDLE || !p->is_there || c->kernel < 0) return INVALID;
    *plan = *c;
    return c->kernel == 1 ? NOT_SUPPORTED : 0;
}
int cusparseLtMatmulPlanDestroy(const choice *plan) { return plan->p.is_there ? 0 : INVALID; }
int cusparseLtMatmulGetWorkspace(const int *handle, const choice *plan, size_t *bytes) {
    *bytes = 64 * (size_t)plan->kernel;
    return *handle == HANDLE ? 0 : INVALID;
}

// ---- a in its own form: a flag of 16 bytes, then four bytes and two halves for each group -------------------------

typedef struct group {
    uint8_t there[4];
    uint16_t kept[2];
} group;

static size_t groups_of(const matrix *a) { return (size_t)(a->rows * a->columns) / 4; }
int cusparseLtSpMMACompressedSize2(const int *handle, const matrix *a, size_t *bytes, size_t *while_packing) {
    *bytes = 16 + groups_of(a) * sizeof(group), *while_packing = 32;
    return *handle == HANDLE && a->is_sparse ? 0 : INVALID;
}

static int pack_group(group *to, const uint16_t *four) {
    int kept = 0;
    memset(to, 0, sizeof *to);
    for (int i = 0; i < 4; i++) {
        if ((four[i] & 0x7fff) == 0) continue;
        if (kept == 2) return INVALID;
        to->there[i] = 1, to->kept[kept++] = four[i];
    }
    return 0;
}

static void *read_all(const void *from, size_t bytes) {
    void *to = calloc(1, bytes);
    if (to && cudaMemcpy(to, from, bytes, TO_HOST) != 0) free(to), to = NULL;
    return to;
}

int cusparseLtSpMMACompress2(const int *handle, const matrix *a, int is_a, int turn, const void *dense,
                             void *packed, void *while_packing, void *stream) {
    size_t count = groups_of(a), bytes = 16 + count * sizeof(group);
    if (*handle != HANDLE || !a->is_sparse || !is_a || turn || !while_packing) return INVALID;
    uint16_t *elements = read_all(dense, count * 8);
    char *form = calloc(1, bytes);
    int status = elements && form ? 0 : INVALID;
    for (size_t i = 0; i < count && status == 0; i++)
        status = pack_group((group *)(form + 16) + i, elements + 4 * i);
    if (status == 0) *(uint32_t *)form = FLAG;
    if (status == 0 && cudaMemcpy(packed, form, bytes, TO_DEVICE) != 0) status = INVALID;
    free(elements), free(form);
    return status;
}

// ---- the product ---------------------------------------------------------------------------------------------------

static float widen(uint16_t bits, int type) {
    uint32_t wide = (uint32_t)bits << 16;
    float value;
    if (type == 2) { // f16: exponents as floats have them; 0 and denormal numbers by a factor
        wide = (uint32_t)(bits & 0x8000) << 16 | (uint32_t)(bits & 0x7fff) << 13;
        memcpy(&value, &wide, sizeof value);
        return value * 0x1p112f;
    }
    memcpy(&value, &wide, sizeof value);
    return value;
}
// To nearest even, of numbers that are no NaN; f16 of those within its normal range.
static uint16_t narrow(float value, int type) {
    uint32_t bits;
    if (type == 2) value *= 0x1p-112f;
    memcpy(&bits, &value, sizeof bits);
    int drop = type == 2 ? 13 : 16;
    uint32_t size = bits & 0x7fffffff, rounded = (size + (1u << (drop - 1)) - 1 + (size >> drop & 1)) >> drop;
    return (uint16_t)(bits >> 16 & 0x8000) | (uint16_t)rounded;
}

static float multiply_row(const group *row, const uint16_t *b, int64_t columns, int type) {
    float sum = 0.0f;
    for (int64_t g = 0; g < columns / 4; g++)
        for (int i = 0, kept = 0; i < 4; i++)
            if (row[g].there[i]) sum += widen(row[g].kept[kept++], type) * widen(b[4 * g + i], type);
    return sum;
}

static int multiply(const product *p, const char *form, const uint16_t *b, void *d) {
    int64_t m = p->a.rows, n = p->b.rows, k = p->a.columns;
    if (*(const uint32_t *)form != FLAG) return INVALID;
    uint16_t *c = malloc((size_t)(m * n) * sizeof *c);
    if (!c) return INVALID;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++)
            c[i * n + j] = narrow(
                multiply_row((const group *)(form + 16) + i * k / 4, b + j * k, k, p->a.type), p->a.type);
    int status = cudaMemcpy(d, c, (size_t)(m * n) * sizeof *c, TO_DEVICE) ? INVALID : 0;
    free(c);
    return status;
}

int cusparseLtMatmul(const int *handle, const choice *plan, const float *alpha, const void *a, const void *b,
                     const float *beta, const void *c, void *d, void *workspace, void **streams,
                     int32_t count) {
    const product *p = &plan->p;
    bool right = *handle == HANDLE && p->is_there && *alpha == 1.0f && *beta == 0.0f && c == d &&
                 count == 1 && streams;
    if (!right || (plan->kernel > 0 && !workspace)) return INVALID;
    char *form = read_all(a, 16 + groups_of(&p->a) * sizeof(group));
    uint16_t *elements = read_all(b, (size_t)(p->b.rows * p->b.columns) * 2);
    int status = form && elements ? multiply(p, form, elements, d) : INVALID;
    free(form), free(elements);
    return status;
}
