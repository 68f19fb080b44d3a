// cuBLAS handles and their settings; copies of vectors and matrices.
#include "cublas.h"

// ---- handles --------------------------------------------------------------------------------------------

CUBLAS_FUNCTION(cublasCreate_v2, cublas_handle **handle) { return cublas_handle_open(handle); }
CUBLAS_FUNCTION(cublasDestroy_v2, cublas_handle *handle) { return cublas_handle_close(handle); }

CUBLAS_FUNCTION(cublasGetVersion_v2, cublas_handle *handle, int *version) {
    if (!version) return CUBLAS_INVALID_VALUE;
    *version = CUBLAS_VERSION;
    return CUBLAS_SUCCESS;
}

CUBLAS_FUNCTION(cublasGetProperty, int which, int *value) { return cublas_property(which, value); }

size_t cublasGetCudartVersion(void);
size_t cublasGetCudartVersion(void) { return CUDART_VERSION; }

#define SETTING(name, type, field)                                                                           \
    CUBLAS_FUNCTION(cublasSet##name, cublas_handle *handle, type value) {                                    \
        if (cublas_check(handle)) return CUBLAS_NOT_INITIALIZED;                                             \
        handle->field = value;                                                                               \
        return CUBLAS_SUCCESS;                                                                               \
    }                                                                                                        \
    CUBLAS_FUNCTION(cublasGet##name, cublas_handle *handle, type *value) {                                   \
        if (cublas_check(handle)) return CUBLAS_NOT_INITIALIZED;                                             \
        if (!value) return CUBLAS_INVALID_VALUE;                                                             \
        *value = handle->field;                                                                              \
        return CUBLAS_SUCCESS;                                                                               \
    }
SETTING(Stream_v2, cudaStream_t, stream)
SETTING(PointerMode_v2, int, pointer_mode)
SETTING(MathMode, int, math_mode)
SETTING(AtomicsMode, int, atomics_mode)

CUBLAS_FUNCTION(cublasSetWorkspace_v2, cublas_handle *handle, void *workspace, size_t bytes) {
    return cublas_check(handle);
}

const char *cublasGetStatusName(cublas_status status);
const char *cublasGetStatusName(cublas_status status) { return cublas_status_name(status); }
const char *cublasGetStatusString(cublas_status status);
const char *cublasGetStatusString(cublas_status status) { return cublas_status_text(status); }

// ---- copies ---------------------------------------------------------------------------------------------

static cublas_status copy_strided(void *to, size_t to_step, const void *from, size_t from_step, size_t width,
                                  size_t count, cudaStream_t stream) {
    if (width == 0 || count == 0) return CUBLAS_SUCCESS;
    cudaError_t error =
        cudaMemcpy2DAsync(to, to_step, from, from_step, width, count, cudaMemcpyDefault, stream);
    return error ? CUBLAS_EXECUTION_FAILED : CUBLAS_SUCCESS;
}

static cublas_status copy_vector(int n, int bytes, const void *from, int from_step, void *to, int to_step,
                                 cudaStream_t stream) {
    if (n < 0 || bytes <= 0 || from_step <= 0 || to_step <= 0) return CUBLAS_INVALID_VALUE;
    return copy_strided(to, (size_t)to_step * (size_t)bytes, from, (size_t)from_step * (size_t)bytes,
                        (size_t)bytes, (size_t)n, stream);
}

static cublas_status copy_matrix(int rows, int columns, int bytes, const void *from, int from_ld, void *to,
                                 int to_ld, cudaStream_t stream) {
    if (rows < 0 || columns < 0 || bytes <= 0 || from_ld < rows || to_ld < rows) return CUBLAS_INVALID_VALUE;
    return copy_strided(to, (size_t)to_ld * (size_t)bytes, from, (size_t)from_ld * (size_t)bytes,
                        (size_t)rows * (size_t)bytes, (size_t)columns, stream);
}

#define COPIES(name)                                                                                         \
    CUBLAS_FUNCTION(cublas##name##Vector, int n, int bytes, const void *from, int from_step, void *to,       \
                    int to_step) {                                                                           \
        return copy_vector(n, bytes, from, from_step, to, to_step, NULL);                                    \
    }                                                                                                        \
    CUBLAS_FUNCTION(cublas##name##VectorAsync, int n, int bytes, const void *from, int from_step, void *to,  \
                    int to_step, cudaStream_t stream) {                                                      \
        return copy_vector(n, bytes, from, from_step, to, to_step, stream);                                  \
    }                                                                                                        \
    CUBLAS_FUNCTION(cublas##name##Matrix, int rows, int columns, int bytes, const void *from, int from_ld,   \
                    void *to, int to_ld) {                                                                   \
        return copy_matrix(rows, columns, bytes, from, from_ld, to, to_ld, NULL);                            \
    }                                                                                                        \
    CUBLAS_FUNCTION(cublas##name##MatrixAsync, int rows, int columns, int bytes, const void *from,           \
                    int from_ld, void *to, int to_ld, cudaStream_t stream) {                                 \
        return copy_matrix(rows, columns, bytes, from, from_ld, to, to_ld, stream);                          \
    }
COPIES(Set)
COPIES(Get)
