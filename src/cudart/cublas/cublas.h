// The types of cuBLAS that our small one needs, with the values that programs are compiled with; its own
// header is not on every machine that has a CUDA compiler.
//
// Every routine is a job: what it needs is copied, then it is enqueued on the handle's stream as a host
// function, so that it also works in graphs. It reads its operands from simulated memory, computes in double
// precision on the CPU and writes the result back.
#ifndef CUDART_CUBLAS_CUBLAS_H
#define CUDART_CUBLAS_CUBLAS_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum cublas_status {
    CUBLAS_SUCCESS = 0,
    CUBLAS_NOT_INITIALIZED = 1,
    CUBLAS_ALLOC_FAILED = 3,
    CUBLAS_INVALID_VALUE = 7,
    CUBLAS_EXECUTION_FAILED = 13,
    CUBLAS_NOT_SUPPORTED = 15,
} cublas_status;

typedef enum cublas_operation { CUBLAS_N, CUBLAS_T, CUBLAS_C } cublas_operation;
typedef enum cublas_type { // cudaDataType_t
    CUBLAS_F32 = 0,
    CUBLAS_F64 = 1,
    CUBLAS_F16 = 2,
    CUBLAS_I8 = 3,
    CUBLAS_I32 = 10,
    CUBLAS_BF16 = 14,
} cublas_type;

enum { CUBLAS_POINTER_HOST, CUBLAS_POINTER_DEVICE };

typedef struct cublas_handle {
    uint32_t magic;
    cudaStream_t stream;
    int pointer_mode, math_mode, atomics_mode;
} cublas_handle;

cublas_status cublas_check(const cublas_handle *handle);
bool cublas_is_type(int type);
size_t cublas_type_bytes(cublas_type type);
double cublas_load(const void *from, cublas_type type, size_t index);
void cublas_store(void *to, cublas_type type, size_t index, double value);
// Bytes between the host's memory and the simulated device's, or the host's own.
bool cublas_read(void *to, const void *from, size_t bytes);
bool cublas_write(void *to, const void *from, size_t bytes);
// A scalar argument: now where it is the host's, else when the job runs.
typedef struct cublas_scalar {
    const void *device; // NULL: `value` is it
    cublas_type type;
    double value;
} cublas_scalar;
cublas_scalar cublas_scalar_of(const cublas_handle *handle, const void *pointer, cublas_type type);
bool cublas_scalar_read(const cublas_scalar *scalar, double *value);
// Enqueues `run(job)`; the job is freed unless the stream captures. Gives what the run gave.
typedef struct cublas_job {
    cublas_status (*run)(struct cublas_job *self);
    cublas_status status;
} cublas_job;
cublas_status cublas_enqueue(const cublas_handle *handle, const cublas_job *job, size_t bytes);

#endif
