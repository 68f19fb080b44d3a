// Products of matrices as families have them, for libraries that think in columns (cuBLAS, cuBLASLt).
//
// A row-major matrix is its transpose in columns, without a move, and the transpose of a * b is b' * a'. So the family's b is
// the library's left operand and its a the right one; one that lies transposed in rows is itself in columns.
#ifndef PEERS_PRODUCT_H
#define PEERS_PRODUCT_H

#include "peers/peer.h"

// cudaDataType and cublasComputeType_t, which both libraries share.
enum {
    PRODUCT_F32 = 0,      // CUDA_R_32F
    PRODUCT_F64 = 1,      // CUDA_R_64F
    PRODUCT_F16 = 2,      // CUDA_R_16F
    PRODUCT_I8 = 3,       // CUDA_R_8I
    PRODUCT_I32 = 10,     // CUDA_R_32I
    PRODUCT_BF16 = 14,    // CUDA_R_16BF
    PRODUCT_E4M3 = 28,    // CUDA_R_8F_E4M3
    PRODUCT_IN_F32 = 68,  // CUBLAS_COMPUTE_32F: no TF32
    PRODUCT_IN_F64 = 70,  // CUBLAS_COMPUTE_64F
    PRODUCT_IN_I32 = 72,  // CUBLAS_COMPUTE_32I
    PRODUCT_IN_TF32 = 77, // CUBLAS_COMPUTE_32F_FAST_TF32
};

typedef enum product_scales { PRODUCT_NO_SCALES, PRODUCT_PER_TENSOR, PRODUCT_PER_BLOCK } product_scales;

typedef enum product_epilogue {
    PRODUCT_PLAIN,
    PRODUCT_BIAS,
    PRODUCT_BIAS_RELU,
    PRODUCT_BIAS_GELU
} product_epilogue;

// As it lies in memory, row-major.
typedef struct product_matrix {
    int buffer;                         // which of the family's
    uint64_t rows, columns, ld, stride; // elements; stride: from a product's to the next one's
} product_matrix;

// c = epilogue(alpha a b + beta added), `count` times.
typedef struct product {
    product_matrix a, b, c;
    int added; // a buffer that lies as c does: c itself, or another
    bool a_transposed, b_transposed;
    int in, out, compute;
    double alpha, beta;
    uint64_t count;
    product_scales scales;
    int scale_a, scale_b; // buffers
    bool fast;            // sums of 8-bit floats are left to tensor cores, which keep few bits
    product_epilogue epilogue;
    int bias; // a buffer: an element for each column of c
    // `count` groups share the rows of a and c, and each has a b: group i has rows offsets[i] to offsets[i + 1].
    bool grouped;
    int offsets; // a buffer of 32-bit numbers on the device
} product;

// False where the problem is no product, or one that neither library has.
bool product_find(const kz_peer_problem *problem, product *p);

// alpha and beta in the type that the library takes them in.
typedef union product_scalar {
    float f32;
    double f64;
    int32_t i32;
} product_scalar;
product_scalar product_scalar_of(const product *p, double value);
int product_scalar_type(const product *p); // PRODUCT_F32, ...

// Why TF32 cannot be had in this process; NULL where it can, or the product is in another type.
const char *product_forbidden(const product *p);

#endif
