// Kernel Zoo, an operation: c = alpha a b + beta c, for matrices of any shape, order, stride and count.
//
//     kz_gemm_problem p = {.size = sizeof p, .type = KZ_BF16, .b_transposed = true, .m = m, .n = n, .k = k};
//     kz_operation *gemm;
//     kz_gemm_open(device, &p, NULL, &gemm, &error);
//     kz_gemm_run(gemm, NULL, &(kz_gemm_buffers){.size = sizeof(kz_gemm_buffers), .a = a, .b = b, .c = c}, workspace,
//                 kz_operation_workspace(gemm), &error); // as often as one likes
//     kz_operation_close(gemm);
//
// Matrices are row-major: a is m x k, or k x m where it lies transposed; b is k x n, or n x k; c is m x n. Sums of f16, bf16 and f32
// are single precision, those of f64 double. c may overlap neither a nor b.
//
// It plans once, at open: a kernel of the families gemm, hgemm, sgemm, gemv, gemm_types and gemm_fused, by a table of what was measured on this GPU and a
// model of the time of each kernel. kz_gemm_explain says which, and why. What `kz tune gemm` measured on this machine goes first: a file
// measured_gemm.csv in $KZ_RESULTS, else $XDG_STATE_HOME/kz, else ~/.local/state/kz, which is read at each open. What none of the fast kernels does, a slow one for
// everything does, and the explanation says so. The result is the same in every run.
#ifndef KZ_OPS_GEMM_H
#define KZ_OPS_GEMM_H

#include "kz/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kz_gemm_form {
    KZ_GEMM_ONE,     // one product
    KZ_GEMM_STRIDED, // `count` products, whose matrices lie `stride_a`, `stride_b`, `stride_c` elements apart
    KZ_GEMM_POINTERS, // `count` products; a, b and c are arrays of `count` addresses each, in the device's memory
    // `count` products that share a and c: group g is the rows offsets[g] to offsets[g + 1] - 1 of a and c, times its own b.
    // `offsets` are count + 1 unsigned numbers of 32 bits in the device's memory, none below the one before it. The plan is
    // the same whatever they hold; what lies past m is ignored, and rows in no group are left as they are.
    KZ_GEMM_GROUPED,
} kz_gemm_form;

// c's type.
typedef enum kz_gemm_result {
    KZ_GEMM_SAME,   // as a and b
    KZ_GEMM_TO_F32, // floats
} kz_gemm_result;

// What the elements of a and b are, and how they are multiplied; kz/ops/gemm_types.h says how exact that is.
typedef enum kz_gemm_numbers {
    KZ_GEMM_BY_TYPE, // as `type` says
    // f32, rounded for the tensor cores, or as sums of two such numbers. Where only an exact kernel does the rest of the problem,
    // that is taken.
    KZ_GEMM_AS_TF32,
    KZ_GEMM_AS_TF32X3,
    // `type` does not count. One product c = a b, rows without gaps; with scales but for INT8, whose c is of 32-bit integers; c of
    // the others is bf16.
    KZ_GEMM_AS_INT8,
    KZ_GEMM_AS_E4M3,
    KZ_GEMM_AS_E5M2,
    KZ_GEMM_AS_E4M3_PROMOTED,
    KZ_GEMM_AS_E4M3_FINE,
} kz_gemm_numbers;

// What becomes of the sums before c is stored; kz/ops/gemm_fused.h says what each does with x and y. One product of halves,
// c = epilogue(a b), a as written, rows without gaps.
typedef enum kz_gemm_epilogue {
    KZ_GEMM_NO_EPILOGUE,
    KZ_GEMM_BIAS,
    KZ_GEMM_BIAS_RELU,
    KZ_GEMM_BIAS_GELU,
    KZ_GEMM_BIAS_GELU_TANH,
    KZ_GEMM_BIAS_SILU,
    KZ_GEMM_BIAS_RESIDUAL,
    KZ_GEMM_ROW_BIAS,
    KZ_GEMM_SCALED,
    KZ_GEMM_SCORES,
    KZ_GEMM_BIAS_F32, // whose c is of floats
    KZ_GEMM_SWIGLU,
    KZ_GEMM_GEGLU,
    KZ_GEMM_ROW_SUM,
    KZ_GEMM_ROW_MAX,
    KZ_GEMM_COLUMN_SUM,
    KZ_GEMM_MASKED,
    KZ_GEMM_KEY_SCORES,
    KZ_GEMM_TO_E4M3, // c of bytes, for these four
    KZ_GEMM_TO_E5M2,
    KZ_GEMM_TO_INT8,
    KZ_GEMM_BIAS_GELU_E4M3,
} kz_gemm_epilogue;

// For stride_a and stride_b: all products have the same a (or b).
#define KZ_GEMM_SHARED SIZE_MAX

// Zeroed but for size, type, m, n and k it is c = a b, nothing transposed, rows without gaps.
typedef struct kz_gemm_problem {
    size_t size;  // sizeof(kz_gemm_problem), by the caller
    kz_type type; // of a and b: KZ_F16, KZ_BF16, KZ_F32, KZ_F64
    kz_gemm_numbers numbers;
    kz_gemm_result result;
    bool a_transposed, b_transposed;
    size_t m, n, k; // of a product; for KZ_GEMM_GROUPED m is the rows of all groups
    // Elements from a row to the next, as the matrix lies in memory; 0: the length of a row.
    size_t lda, ldb, ldc;
    // Read when it is opened; NULL: 1 and 0. Where alpha is 0, a and b are not read; where beta is 0, c is not.
    const double *alpha, *beta;
    kz_gemm_form form;
    size_t count;                        // of products, for all forms but KZ_GEMM_ONE; may be 0
    size_t stride_a, stride_b, stride_c; // 0: matrices without gaps. KZ_GEMM_GROUPED has stride_b alone
    size_t
        alignment; // of a, b, c and, for KZ_GEMM_POINTERS, all they point at: bytes; 0: 16, which is fastest
    kz_gemm_epilogue epilogue;
} kz_gemm_problem;

// What a run takes.
typedef struct kz_gemm_buffers {
    size_t size; // sizeof(kz_gemm_buffers), by the caller
    kz_ptr a, b, c;
    kz_ptr offsets;          // KZ_GEMM_GROUPED
    kz_ptr scale_a, scale_b; // of 8-bit floats
    kz_ptr x, y;             // of epilogues
} kz_gemm_buffers;

// `variant` NULL takes the best known; a name ("01_universal") is a variant of the family gemm. KZ_DETERMINISTIC is the same as
// NULL here: every variant gives the same bits in every run.
KZ_API kz_status kz_gemm_open(kz_device *device, const kz_gemm_problem *problem, const char *variant,
                              kz_operation **operation, kz_error *error);
KZ_API kz_status kz_gemm_run(kz_operation *operation, kz_stream *stream, const kz_gemm_buffers *buffers,
                             kz_ptr workspace, uint64_t workspace_bytes, kz_error *error);

// Which kernel kz_gemm_open takes for the problem, and why, in words: up to `size` bytes of `text`, the NUL included.
KZ_API kz_status kz_gemm_explain(kz_device *device, const kz_gemm_problem *problem, char *text, size_t size,
                                 kz_error *error);

#ifdef __cplusplus
}
#endif
#endif
