// A cuBLAS for the tests: eleven functions, on the host's memory. Matrices go by columns, as in the real one,
// and sgemm wants the order of calls that the real one needs: a handle, a stream, a workspace.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct fake {
    bool has_stream, has_workspace;
} fake;

int cublasCreate_v2(void **handle);
int cublasDestroy_v2(void *handle);
int cublasGetProperty(int which, int *value);
int cublasSetStream_v2(void *handle, void *stream);
int cublasSetWorkspace_v2(void *handle, void *workspace, size_t bytes);
int cublasSetMathMode(void *handle, int mode);
const char *cublasGetStatusString(int status);
int cublasSgemm_v2(void *handle, int turn_a, int turn_b, int m, int n, int k, const float *alpha,
                   const float *a, int a_column, const float *b, int b_column, const float *beta, float *c,
                   int c_column);

int cublasGemmEx(void *handle, int turn_a, int turn_b, int m, int n, int k, const float *alpha,
                 const uint16_t *a, int a_type, int a_column, const uint16_t *b, int b_type, int b_column,
                 const float *beta, void *c, int c_type, int c_column, int compute, int algorithm);
int cublasGemmStridedBatchedEx(void); // is there, and not called
int cublasSaxpy_v2(void *handle, int n, const float *alpha, const float *x, int x_step, float *y, int y_step);
int cublasSgeam(void *handle, int turn_a, int turn_b, int m, int n, const float *alpha, const float *a,
                int a_column, const float *beta, const float *b, int b_column, float *c, int c_column);

int cublasCreate_v2(void **handle) {
    static fake only;
    *handle = &only;
    return 0;
}

int cublasDestroy_v2(void *handle) { return handle ? 0 : 1; }

int cublasGetProperty(int which, int *value) {
    static const int version[] = {13, 1, 7};
    *value = version[which];
    return 0;
}

int cublasSetStream_v2(void *handle, void *stream) {
    (void)stream;
    ((fake *)handle)->has_stream = true;
    return 0;
}

int cublasSetWorkspace_v2(void *handle, void *workspace, size_t bytes) {
    ((fake *)handle)->has_workspace = workspace && bytes >= 32 << 20;
    return 0;
}

int cublasSetMathMode(void *handle, int mode) { return handle && mode == 0 ? 0 : 7; } // 3 would be TF32

const char *cublasGetStatusString(int status) { return status == 7 ? "invalid value" : "not initialized"; }

int cublasSgemm_v2(void *handle, int turn_a, int turn_b, int m, int n, int k, const float *alpha,
                   const float *a, int a_column, const float *b, int b_column, const float *beta, float *c,
                   int c_column) {
    const fake *f = handle;
    if (!f->has_stream || !f->has_workspace) return 1;
    if (turn_a || turn_b || a_column < m || b_column < k || c_column < m || *beta != 0.0f) return 7;
    for (int column = 0; column < n; column++)
        for (int row = 0; row < m; row++) {
            float sum = 0.0f;
            for (int x = 0; x < k; x++) sum += a[x * a_column + row] * b[column * b_column + x];
            c[column * c_column + row] = *alpha * sum;
        }
    return 0;
}

// bf16 alone: the high halves of floats, here cut off and not rounded.
static float widen(uint16_t bits) {
    uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return value;
}

int cublasGemmStridedBatchedEx(void) { return 15; }

int cublasGemmEx(void *handle, int turn_a, int turn_b, int m, int n, int k, const float *alpha,
                 const uint16_t *a, int a_type, int a_column, const uint16_t *b, int b_type, int b_column,
                 const float *beta, void *c, int c_type, int c_column, int compute, int algorithm) {
    const fake *f = handle;
    if (!f->has_stream || !f->has_workspace) return 1;
    if (a_column < (turn_a ? k : m) || b_column < (turn_b ? n : k) || c_column < m || *beta != 0.0f) return 7;
    if (a_type != 14 || b_type != 14 || (c_type != 14 && c_type != 0)) return 7;
    if (compute != 68 || algorithm != -1) return 7;
    for (int column = 0; column < n; column++)
        for (int row = 0; row < m; row++) {
            float sum = 0.0f;
            for (int x = 0; x < k; x++)
                sum += widen(a[turn_a ? row * a_column + x : x * a_column + row]) *
                       widen(b[turn_b ? x * b_column + column : column * b_column + x]);
            sum *= *alpha;
            int at = column * c_column + row;
            if (c_type == 0)
                ((float *)c)[at] = sum;
            else
                memcpy((uint16_t *)c + at, (const char *)&sum + 2, 2);
        }
    return 0;
}

int cublasSaxpy_v2(void *handle, int n, const float *alpha, const float *x, int x_step, float *y,
                   int y_step) {
    if (!((const fake *)handle)->has_stream || x_step != 1 || y_step != 1) return 7;
    for (int i = 0; i < n; i++) y[i] += *alpha * x[i];
    return 0;
}

int cublasSgeam(void *handle, int turn_a, int turn_b, int m, int n, const float *alpha, const float *a,
                int a_column, const float *beta, const float *b, int b_column, float *c, int c_column) {
    if (!((const fake *)handle)->has_stream || !turn_a || turn_b || *beta != 0.0f) return 7;
    if (a_column < n || b_column < m || c_column < m || !b) return 7;
    for (int column = 0; column < n; column++)
        for (int row = 0; row < m; row++) c[column * c_column + row] = *alpha * a[row * a_column + column];
    return 0;
}
