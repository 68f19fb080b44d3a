// cuBLASLt for whole programs: descriptors as programs hold them, matrices in every memory order.
//
// A program may have a descriptor of its own instead of one that was created: each fits into the opaque structure of
// NVIDIA's header, whose size is given here. Jobs, elements and dense matrices are cuBLAS's (../cublas.h).
#ifndef CUDART_CUBLAS_LT_LT_H
#define CUDART_CUBLAS_LT_LT_H

#include "cublas.h"

typedef enum lt_order { LT_COLUMN, LT_ROW, LT_COL32, LT_COL4_4R2_8C, LT_COL32_2R_4R4 } lt_order;

typedef struct lt_layout {
    int32_t type, order;
    uint64_t rows, columns;
    int64_t ld;
    int32_t batch;
    uint32_t by_pointers; // a matrix per pointer of a list, not by strides
    int64_t stride, plane;
} lt_layout;

enum { LT_FULL = 2 }; // of fill modes: the only one that products have

// cublasLtPointerMode_t: of alpha and beta.
typedef enum lt_pointer_mode {
    LT_HOST,
    LT_DEVICE,
    LT_VECTORS,          // one for each row of D, both on the device
    LT_VECTOR_BETA_ZERO, // alpha alone
    LT_VECTOR_BETA_HOST,
} lt_pointer_mode;

// Bits of cublasLtEpilogue_t.
enum {
    LT_RELU = 2,
    LT_BIAS = 4,
    LT_RELU_GRADIENT = 8,
    LT_BIAS_GRADIENT = 16,
    LT_GELU = 32,
    LT_GELU_GRADIENT = 64,
    LT_AUX = 128,
    LT_BIAS_GRADIENT_A = 256,
    LT_BIAS_GRADIENT_B = 512,
};

// Factors of a matrix: one; one for each row of op(A), or column of op(B); for each 128 of its elements along k, or for each
// 128 x 128.
enum { LT_SCALE_SCALAR = 0, LT_SCALE_OUTER_VECTOR = 3, LT_SCALE_128 = 4, LT_SCALE_128_BY_128 = 5 };
enum { LT_OF_A, LT_OF_B, LT_OF_C, LT_OF_D, LT_OF_AUX, LT_SCALES };

typedef struct lt_matmul_desc {
    int32_t compute, scale_type, pointer_mode, ta, tb, tc, fill;
    uint32_t epilogue;
    void *bias, *aux; // read, or written where they are gradients
    int64_t bias_stride, aux_ld, aux_stride, alpha_stride;
    const void *scales[LT_SCALES]; // factors on the device
    int32_t scale_modes[LT_SCALES];
    int32_t bias_type, aux_type; // -1: D's
    void *amax, *aux_amax, *d_out_scale, *emulation;
    int32_t d_out_mode, sm_count;
    int8_t fast;
} lt_matmul_desc;

typedef struct lt_transform_desc {
    int32_t scale_type, pointer_mode, ta, tb;
} lt_transform_desc;

typedef struct lt_preference {
    uint64_t workspace_bytes, implementations;
    uint32_t search, reductions, alignments[4];
    float waves;
} lt_preference;

typedef struct lt_algorithm {
    int32_t id, splits;
    uint32_t tile, reduction, swizzle, custom, stages;
    uint16_t inner, cluster;
} lt_algorithm;

_Static_assert(sizeof(lt_layout) <= 64 && sizeof(lt_matmul_desc) <= 256 && sizeof(lt_transform_desc) <= 64 &&
                   sizeof(lt_preference) <= 64 && sizeof(lt_algorithm) <= 64,
               "programs have descriptors of these sizes");

// A matrix by its layout; `at` is where the first begins, or the list of pointers.
bool lt_layout_is_right(const lt_layout *layout);
bool lt_layout_fetch(const lt_layout *layout, const void *at, int64_t index, cublas_dense *to);
bool lt_layout_put(const lt_layout *layout, void *at, int64_t index, const cublas_dense *values);

// The type of the bias, and of the matrix beside the result.
cublas_type lt_bias_type(const lt_matmul_desc *d, const lt_layout *lc, const lt_layout *ld);
cublas_type lt_aux_type(const lt_matmul_desc *d, const lt_layout *ld);

// Whether a GPU's library would multiply so: CUBLAS_INVALID_VALUE where the descriptors contradict each other,
// CUBLAS_NOT_SUPPORTED for what it has not, or we have not. By what an H200's library was seen to do.
cublas_status lt_check_matmul(const lt_matmul_desc *d, const lt_layout *la, const lt_layout *lb,
                              const lt_layout *lc, const lt_layout *ld);
size_t lt_workspace_bytes(const lt_matmul_desc *d, const lt_layout *ld);

#endif
