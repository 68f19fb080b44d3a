// Elements of every type, scalars, jobs, handles and statuses: what cuBLAS and cuBLASLt share.
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "cublas.h"
#include "cudart/library_call.h"
#include "sim/formats.h"

static const struct {
    cublas_type type, part;
    size_t bytes;
} types[] = {
    {CUBLAS_F32, CUBLAS_F32, 4},   {CUBLAS_F64, CUBLAS_F64, 8},   {CUBLAS_F16, CUBLAS_F16, 2},
    {CUBLAS_I8, CUBLAS_I8, 1},     {CUBLAS_C32, CUBLAS_F32, 8},   {CUBLAS_C64, CUBLAS_F64, 16},
    {CUBLAS_C8I, CUBLAS_I8, 2},    {CUBLAS_I32, CUBLAS_I32, 4},   {CUBLAS_BF16, CUBLAS_BF16, 2},
    {CUBLAS_E4M3, CUBLAS_E4M3, 1}, {CUBLAS_E5M2, CUBLAS_E5M2, 1},
};

static size_t row_of(int type) {
    size_t i = 0;
    while (i < BASE_COUNT(types) && (int)types[i].type != type) i++;
    return i;
}

bool cublas_is_type(int type) { return row_of(type) < BASE_COUNT(types); }
bool cublas_is_complex(cublas_type type) { return cublas_real_type(type) != type; }
cublas_type cublas_real_type(cublas_type type) { return types[row_of((int)type)].part; }
size_t cublas_type_bytes(cublas_type type) { return types[row_of((int)type)].bytes; }

double cublas_load(const void *from, cublas_type type, size_t i) {
    switch (cublas_real_type(type)) {
    case CUBLAS_F32: return ((const float *)from)[i];
    case CUBLAS_F64: return ((const double *)from)[i];
    case CUBLAS_F16: return base_f16_to_f32(((const uint16_t *)from)[i]);
    case CUBLAS_BF16: return base_bf16_to_f32(((const uint16_t *)from)[i]);
    case CUBLAS_I8: return ((const int8_t *)from)[i];
    case CUBLAS_I32: return ((const int32_t *)from)[i];
    case CUBLAS_E4M3: return small_decode(((const uint8_t *)from)[i], &format_e4m3);
    case CUBLAS_E5M2: return small_decode(((const uint8_t *)from)[i], &format_e5m2);
    default: return NAN;
    }
}

// Bytes saturate, those of 8-bit floats too; sums of 32 bits wrap round as a GPU's do.
void cublas_store(void *to, cublas_type type, size_t i, double value) {
    switch (cublas_real_type(type)) {
    case CUBLAS_F32: ((float *)to)[i] = (float)value; break;
    case CUBLAS_F64: ((double *)to)[i] = value; break;
    case CUBLAS_F16: ((uint16_t *)to)[i] = base_f64_to_f16(value); break;
    case CUBLAS_BF16: ((uint16_t *)to)[i] = base_f64_to_bf16(value); break;
    case CUBLAS_I8: ((int8_t *)to)[i] = (int8_t)fmax(-128, fmin(127, rint(value))); break;
    case CUBLAS_I32: ((int32_t *)to)[i] = (int32_t)(int64_t)value; break;
    case CUBLAS_E4M3:
        ((uint8_t *)to)[i] = (uint8_t)small_encode(value, &format_e4m3, ROUND_NEAREST, true);
        break;
    case CUBLAS_E5M2:
        ((uint8_t *)to)[i] = (uint8_t)small_encode(value, &format_e5m2, ROUND_NEAREST, true);
        break;
    default: break;
    }
}

// ---- types that go together -------------------------------------------------------------------------------

typedef enum sum { SUM_NONE, SUM_F16, SUM_F32, SUM_F64, SUM_I32 } sum;

static sum sum_of(int compute) {
    switch (compute) {
    case 64:
    case 65: return SUM_F16; // CUBLAS_COMPUTE_16F, and pedantic
    case 68:
    case 69:
    case 74:
    case 75:
    case 77:
    case 78: return SUM_F32; // CUBLAS_COMPUTE_32F, pedantic, by faster types
    case 70:
    case 71:
    case 79: return SUM_F64;
    case 72:
    case 73: return SUM_I32;
    default: return SUM_NONE;
    }
}

static const struct {
    sum sum;
    cublas_type ab, c, scalar;
} products[] = {
    {SUM_F16, CUBLAS_F16, CUBLAS_F16, CUBLAS_F16},   {SUM_I32, CUBLAS_I8, CUBLAS_I32, CUBLAS_I32},
    {SUM_F32, CUBLAS_F32, CUBLAS_F32, CUBLAS_F32},   {SUM_F32, CUBLAS_F16, CUBLAS_F32, CUBLAS_F32},
    {SUM_F32, CUBLAS_F16, CUBLAS_F16, CUBLAS_F32},   {SUM_F32, CUBLAS_BF16, CUBLAS_F32, CUBLAS_F32},
    {SUM_F32, CUBLAS_BF16, CUBLAS_BF16, CUBLAS_F32}, {SUM_F32, CUBLAS_I8, CUBLAS_F32, CUBLAS_F32},
    {SUM_F32, CUBLAS_C32, CUBLAS_C32, CUBLAS_C32},   {SUM_F32, CUBLAS_C8I, CUBLAS_C32, CUBLAS_C32},
    {SUM_F64, CUBLAS_F64, CUBLAS_F64, CUBLAS_F64},   {SUM_F64, CUBLAS_C64, CUBLAS_C64, CUBLAS_C64},
};

bool cublas_can_multiply(int compute, int ab, int c, cublas_type *scalar) {
    for (size_t i = 0; i < BASE_COUNT(products); i++) {
        if (products[i].sum != sum_of(compute) || (int)products[i].ab != ab || (int)products[i].c != c)
            continue;
        *scalar = products[i].scalar;
        return true;
    }
    return false;
}

bool cublas_read(void *to, const void *from, size_t bytes) {
    return bytes == 0 || cudaMemcpy(to, from, bytes, cudaMemcpyDefault) == cudaSuccess;
}

bool cublas_write(void *to, const void *from, size_t bytes) { return cublas_read(to, from, bytes); }

static cublas_number load_number(const void *from, cublas_type type) {
    double real = cublas_load(from, type, 0);
    return cublas_is_complex(type) ? CMPLX(real, cublas_load(from, type, 1)) : CMPLX(real, 0);
}

cublas_scalar cublas_scalar_of(bool on_device, const void *pointer, cublas_type type) {
    if (on_device) return (cublas_scalar){.device = pointer, .type = type};
    return (cublas_scalar){.type = type, .value = load_number(pointer, type)};
}

bool cublas_scalar_read(const cublas_scalar *scalar, cublas_number *value) {
    uint64_t bits[2] = {0};
    *value = scalar->value;
    if (!scalar->device) return true;
    if (!cublas_read(bits, scalar->device, cublas_type_bytes(scalar->type))) return false;
    *value = load_number(bits, scalar->type);
    return true;
}

// ---- jobs -----------------------------------------------------------------------------------------------

static void CUDART_CB run_job(void *data) {
    cublas_job *job = data;
    __cudaLibraryCall(job->routine);
    job->status = job->run(job);
    __cudaLibraryCall(NULL);
}

cublas_status cublas_enqueue(cudaStream_t stream, const cublas_job *job, size_t bytes) {
    cublas_job *kept = malloc(bytes);
    if (!kept) return CUBLAS_ALLOC_FAILED;
    memcpy(kept, job, bytes);
    kept->status = CUBLAS_SUCCESS;
    enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    cudaStreamIsCapturing(stream, &capture);
    bool failed = cudaLaunchHostFunc(stream, run_job, kept) != cudaSuccess;
    cublas_status status = failed ? CUBLAS_EXECUTION_FAILED : kept->status;
    if (capture == cudaStreamCaptureStatusNone) free(kept); // else the graph runs it, as often as it likes
    return status;
}

// ---- handles --------------------------------------------------------------------------------------------

#define MAGIC UINT32_C(0x6b7a626c)

cublas_status cublas_check(const cublas_handle *handle) {
    return handle && handle->magic == MAGIC ? CUBLAS_SUCCESS : CUBLAS_NOT_INITIALIZED;
}

cublas_status cublas_handle_open(cublas_handle **handle) {
    if (!handle) return CUBLAS_INVALID_VALUE;
    *handle = calloc(1, sizeof **handle);
    if (!*handle) return CUBLAS_ALLOC_FAILED;
    (*handle)->magic = MAGIC;
    return CUBLAS_SUCCESS;
}

cublas_status cublas_handle_close(cublas_handle *handle) {
    if (cublas_check(handle)) return CUBLAS_NOT_INITIALIZED;
    handle->magic = 0;
    free(handle);
    return CUBLAS_SUCCESS;
}

cublas_status cublas_property(int which, int *value) {
    if (!value || which < 0 || which > 2) return CUBLAS_INVALID_VALUE;
    *value = which == 0 ? CUBLAS_VERSION / 10000 : 0;
    return CUBLAS_SUCCESS;
}

// ---- statuses -------------------------------------------------------------------------------------------

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

const char *cublas_status_name(cublas_status status) {
    for (size_t i = 0; i < BASE_COUNT(statuses); i++)
        if (statuses[i].status == status) return statuses[i].name;
    return "CUBLAS_STATUS_UNKNOWN";
}

const char *cublas_status_text(cublas_status status) {
    for (size_t i = 0; i < BASE_COUNT(statuses); i++)
        if (statuses[i].status == status) return statuses[i].text;
    return "unknown status";
}
