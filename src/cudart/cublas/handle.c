// cuBLAS handles and their settings; elements, scalars, jobs; copies of vectors and matrices.
#include "cublas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

#define MAGIC UINT32_C(0x6b7a626c)

// ---- elements -------------------------------------------------------------------------------------------

bool cublas_is_type(int type) {
    return type == CUBLAS_F32 || type == CUBLAS_F64 || type == CUBLAS_F16 || type == CUBLAS_I8 ||
           type == CUBLAS_I32 || type == CUBLAS_BF16;
}

size_t cublas_type_bytes(cublas_type type) {
    switch (type) {
    case CUBLAS_F64: return 8;
    case CUBLAS_F16:
    case CUBLAS_BF16: return 2;
    case CUBLAS_I8: return 1;
    default: return 4;
    }
}

double cublas_load(const void *from, cublas_type type, size_t i) {
    switch (type) {
    case CUBLAS_F32: return ((const float *)from)[i];
    case CUBLAS_F64: return ((const double *)from)[i];
    case CUBLAS_F16: return base_f16_to_f32(((const uint16_t *)from)[i]);
    case CUBLAS_BF16: return base_bf16_to_f32(((const uint16_t *)from)[i]);
    case CUBLAS_I8: return ((const int8_t *)from)[i];
    case CUBLAS_I32: return ((const int32_t *)from)[i];
    }
    return NAN;
}

void cublas_store(void *to, cublas_type type, size_t i, double value) {
    switch (type) {
    case CUBLAS_F32: ((float *)to)[i] = (float)value; break;
    case CUBLAS_F64: ((double *)to)[i] = value; break;
    case CUBLAS_F16: ((uint16_t *)to)[i] = base_f64_to_f16(value); break;
    case CUBLAS_BF16: ((uint16_t *)to)[i] = base_f64_to_bf16(value); break;
    case CUBLAS_I8: ((int8_t *)to)[i] = (int8_t)value; break;
    case CUBLAS_I32: ((int32_t *)to)[i] = (int32_t)(int64_t)value; break; // wraps round as the GPU's sum does
    }
}

bool cublas_read(void *to, const void *from, size_t bytes) {
    return bytes == 0 || cudaMemcpy(to, from, bytes, cudaMemcpyDefault) == cudaSuccess;
}

bool cublas_write(void *to, const void *from, size_t bytes) { return cublas_read(to, from, bytes); }

cublas_scalar cublas_scalar_of(const cublas_handle *handle, const void *pointer, cublas_type type) {
    if (handle->pointer_mode == CUBLAS_POINTER_DEVICE)
        return (cublas_scalar){.device = pointer, .type = type};
    return (cublas_scalar){.type = type, .value = cublas_load(pointer, type, 0)};
}

bool cublas_scalar_read(const cublas_scalar *scalar, double *value) {
    uint64_t bits = 0;
    *value = scalar->value;
    if (!scalar->device) return true;
    if (!cublas_read(&bits, scalar->device, cublas_type_bytes(scalar->type))) return false;
    *value = cublas_load(&bits, scalar->type, 0);
    return true;
}

// ---- jobs -----------------------------------------------------------------------------------------------

static void CUDART_CB run_job(void *data) {
    cublas_job *job = data;
    job->status = job->run(job);
}

cublas_status cublas_enqueue(const cublas_handle *handle, const cublas_job *job, size_t bytes) {
    cublas_job *kept = malloc(bytes);
    if (!kept) return CUBLAS_ALLOC_FAILED;
    memcpy(kept, job, bytes);
    kept->status = CUBLAS_SUCCESS;
    enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    cudaStreamIsCapturing(handle->stream, &capture);
    bool failed = cudaLaunchHostFunc(handle->stream, run_job, kept) != cudaSuccess;
    cublas_status status = failed ? CUBLAS_EXECUTION_FAILED : kept->status;
    if (capture == cudaStreamCaptureStatusNone) free(kept); // else the graph runs it, as often as it likes
    return status;
}

// ---- handles --------------------------------------------------------------------------------------------

cublas_status cublas_check(const cublas_handle *handle) {
    return handle && handle->magic == MAGIC ? CUBLAS_SUCCESS : CUBLAS_NOT_INITIALIZED;
}

#define API(name, ...)                                                                                       \
    cublas_status name(__VA_ARGS__);                                                                         \
    cublas_status name(__VA_ARGS__)

API(cublasCreate_v2, cublas_handle **handle) {
    if (!handle) return CUBLAS_INVALID_VALUE;
    *handle = calloc(1, sizeof **handle);
    if (!*handle) return CUBLAS_ALLOC_FAILED;
    (*handle)->magic = MAGIC;
    return CUBLAS_SUCCESS;
}

API(cublasDestroy_v2, cublas_handle *handle) {
    if (cublas_check(handle)) return CUBLAS_NOT_INITIALIZED;
    handle->magic = 0;
    free(handle);
    return CUBLAS_SUCCESS;
}

API(cublasGetVersion_v2, cublas_handle *handle, int *version) {
    if (!version) return CUBLAS_INVALID_VALUE;
    *version = 130000;
    return CUBLAS_SUCCESS;
}

API(cublasGetProperty, int which, int *value) { // major, minor, patch
    if (!value || which < 0 || which > 2) return CUBLAS_INVALID_VALUE;
    *value = which == 0 ? 13 : 0;
    return CUBLAS_SUCCESS;
}

size_t cublasGetCudartVersion(void);
size_t cublasGetCudartVersion(void) { return CUDART_VERSION; }

#define SETTING(name, type, field)                                                                           \
    API(cublasSet##name, cublas_handle *handle, type value) {                                                \
        if (cublas_check(handle)) return CUBLAS_NOT_INITIALIZED;                                             \
        handle->field = value;                                                                               \
        return CUBLAS_SUCCESS;                                                                               \
    }                                                                                                        \
    API(cublasGet##name, cublas_handle *handle, type *value) {                                               \
        if (cublas_check(handle)) return CUBLAS_NOT_INITIALIZED;                                             \
        if (!value) return CUBLAS_INVALID_VALUE;                                                             \
        *value = handle->field;                                                                              \
        return CUBLAS_SUCCESS;                                                                               \
    }
SETTING(Stream_v2, cudaStream_t, stream)
SETTING(PointerMode_v2, int, pointer_mode)
SETTING(MathMode, int, math_mode)
SETTING(AtomicsMode, int, atomics_mode)

API(cublasSetWorkspace_v2, cublas_handle *handle, void *workspace, size_t bytes) {
    return cublas_check(handle);
}

static const struct {
    cublas_status status;
    const char *name, *text;
} statuses[] = {
    {CUBLAS_SUCCESS, "CUBLAS_STATUS_SUCCESS", "success"},
    {CUBLAS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED", "the library was not initialized"},
    {CUBLAS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
    {CUBLAS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE", "an invalid value was used as an argument"},
    {CUBLAS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED", "the function failed to launch on the GPU"},
    {CUBLAS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED", "the functionality is not supported"},
};

const char *cublasGetStatusName(cublas_status status);
const char *cublasGetStatusName(cublas_status status) {
    for (size_t i = 0; i < BASE_COUNT(statuses); i++)
        if (statuses[i].status == status) return statuses[i].name;
    return "CUBLAS_STATUS_UNKNOWN";
}

const char *cublasGetStatusString(cublas_status status);
const char *cublasGetStatusString(cublas_status status) {
    for (size_t i = 0; i < BASE_COUNT(statuses); i++)
        if (statuses[i].status == status) return statuses[i].text;
    return "unknown status";
}

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
    API(cublas##name##Vector, int n, int bytes, const void *from, int from_step, void *to, int to_step) {    \
        return copy_vector(n, bytes, from, from_step, to, to_step, NULL);                                    \
    }                                                                                                        \
    API(cublas##name##VectorAsync, int n, int bytes, const void *from, int from_step, void *to, int to_step, \
        cudaStream_t stream) {                                                                               \
        return copy_vector(n, bytes, from, from_step, to, to_step, stream);                                  \
    }                                                                                                        \
    API(cublas##name##Matrix, int rows, int columns, int bytes, const void *from, int from_ld, void *to,     \
        int to_ld) {                                                                                         \
        return copy_matrix(rows, columns, bytes, from, from_ld, to, to_ld, NULL);                            \
    }                                                                                                        \
    API(cublas##name##MatrixAsync, int rows, int columns, int bytes, const void *from, int from_ld,          \
        void *to, int to_ld, cudaStream_t stream) {                                                          \
        return copy_matrix(rows, columns, bytes, from, from_ld, to, to_ld, stream);                          \
    }
COPIES(Set)
COPIES(Get)
