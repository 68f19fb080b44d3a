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
typedef enum cublas_side { CUBLAS_LEFT, CUBLAS_RIGHT } cublas_side;
typedef enum cublas_fill { CUBLAS_LOWER, CUBLAS_UPPER } cublas_fill;
typedef enum cublas_type { // cudaDataType_t
    CUBLAS_F32 = 0,
    CUBLAS_F64 = 1,
    CUBLAS_F16 = 2,
    CUBLAS_I8 = 3,
    CUBLAS_C32 = 4, // is_complex, of two F32
    CUBLAS_C64 = 5,
    CUBLAS_C8I = 7,
    CUBLAS_I32 = 10,
    CUBLAS_BF16 = 14,
    CUBLAS_E4M3 = 28,
    CUBLAS_E5M2 = 29,
} cublas_type;

enum { CUBLAS_POINTER_HOST, CUBLAS_POINTER_DEVICE };
enum { CUBLAS_VERSION = 130000 };

typedef struct cublas_handle {
    uint32_t magic;
    cudaStream_t stream;
    int pointer_mode, math_mode, atomics_mode;
} cublas_handle;

#define CUBLAS_FUNCTION(name, ...)                                                                           \
    cublas_status name(__VA_ARGS__);                                                                         \
    cublas_status name(__VA_ARGS__)

cublas_status cublas_check(const cublas_handle *handle);
cublas_status cublas_handle_open(cublas_handle **handle);
cublas_status cublas_handle_close(cublas_handle *handle);
cublas_status cublas_property(int which, int *value); // 0: major, 1: minor, 2: patch
const char *cublas_status_name(cublas_status status);
const char *cublas_status_text(cublas_status status);

// ---- elements (element.c) --------------------------------------------------------------------------------

typedef double _Complex cublas_number;

bool cublas_is_type(int type);
bool cublas_is_complex(cublas_type type);
cublas_type cublas_real_type(cublas_type type); // of a part; a real type's is itself
size_t cublas_type_bytes(cublas_type type);
// The real element at an index; of a complex type, the part: 2 i and 2 i + 1.
double cublas_load(const void *from, cublas_type type, size_t index);
void cublas_store(void *to, cublas_type type, size_t index, double value);
// Whether products of these types are there, A and B of one, by what they are summed in (cublasComputeType_t); gives the
// type of alpha and beta. As an H200's cuBLAS has it.
bool cublas_can_multiply(int compute, int ab, int c, cublas_type *scalar);
// Bytes between the host's memory and the simulated device's, or the host's own.
bool cublas_read(void *to, const void *from, size_t bytes);
bool cublas_write(void *to, const void *from, size_t bytes);
// A scalar argument: now where it is the host's, else when the job runs.
typedef struct cublas_scalar {
    const void *device; // NULL: `value` is it
    cublas_type type;
    cublas_number value;
} cublas_scalar;
cublas_scalar cublas_scalar_of(bool on_device, const void *pointer, cublas_type type);
bool cublas_scalar_read(const cublas_scalar *scalar, cublas_number *value);
// Enqueues `run(job)`; the job is freed unless the stream captures. Gives what the run gave. The routine is what the
// program called: findings name it. Functions between the two are called by macros that add it (__func__).
typedef struct cublas_job {
    cublas_status (*run)(struct cublas_job *self);
    const char *routine;
    cublas_status status;
} cublas_job;
cublas_status cublas_enqueue(cudaStream_t stream, const cublas_job *job, size_t bytes);

// ---- matrices (matrix.c) ---------------------------------------------------------------------------------

// Column-major: element (i, j) is at i + j * rows. `imaginary` is NULL where all are real.
typedef struct cublas_dense {
    size_t rows, columns;
    double *real, *imaginary;
} cublas_dense;

bool cublas_dense_make(cublas_dense *dense, size_t rows, size_t columns, bool is_complex); // of zeros
void cublas_dense_free(cublas_dense *dense);
cublas_number cublas_dense_get(const cublas_dense *dense, size_t row, size_t column);
void cublas_dense_set(cublas_dense *dense, size_t row, size_t column, cublas_number value);
void cublas_dense_scale(cublas_dense *dense, cublas_number factor);
bool cublas_dense_transpose(cublas_dense *dense, bool conjugate);
// sum += a * b; where an operand is is_complex, so is the sum.
void cublas_dense_multiply(cublas_dense *sum, const cublas_dense *a, const cublas_dense *b);

// Of all but a general matrix only the triangle `fill` is stored.
typedef enum cublas_form {
    CUBLAS_GENERAL,
    CUBLAS_SYMMETRIC,
    CUBLAS_HERMITIAN,
    CUBLAS_TRIANGULAR,
    CUBLAS_UNIT_TRIANGULAR, // and its diagonal is of ones
} cublas_form;

// An operand in a program's memory: element (i, j) is at i + j * ld.
typedef struct cublas_matrix {
    const void *at;          // the first matrix, or
    const void *const *list; // on the device: a pointer per matrix
    long long stride;        // elements from matrix to matrix
    int64_t ld;
    cublas_type type;
    cublas_operation operation;
    cublas_form form;
    cublas_fill fill;
} cublas_matrix;

// Whether its leading dimension can be that of op(matrix), `rows` by `columns`.
bool cublas_matrix_fits(const cublas_matrix *matrix, int64_t rows, int64_t columns);
// op(matrix) of that index, `rows` by `columns`, whole. False where it cannot be read.
bool cublas_matrix_fetch(const cublas_matrix *matrix, int64_t index, size_t rows, size_t columns,
                         cublas_dense *to);
// Stores it; of a form other than general only the triangle.
bool cublas_matrix_put(const cublas_matrix *matrix, int64_t index, const cublas_dense *values);

// ---- products (product.c) --------------------------------------------------------------------------------

// c = alpha a b + beta c, where a is m by k and b is k by n; `twice`: and alpha a b once more, transposed as c's form is.
typedef struct cublas_product {
    cublas_job job; // first
    int64_t m, n, k, batch;
    cublas_scalar alpha, beta;
    cublas_matrix a, b, c;
    bool twice, replaces; // replaces: beta is 0
} cublas_product;

// Checks and enqueues it. The scalars' types may differ: herk's are real.
cublas_status cublas_multiply_as(const char *routine, const cublas_handle *handle, cublas_product *product,
                                 const void *alpha, cublas_type alpha_type, const void *beta,
                                 cublas_type beta_type);
#define cublas_multiply(...) cublas_multiply_as(__func__, __VA_ARGS__)

#endif
