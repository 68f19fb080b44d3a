// The steps of kz/device/epilogue.cuh in double, with how far single precision may be from them: for references, and for
// variants in C, which take the values alone.
#ifndef GEMM_EPILOGUE_H
#define GEMM_EPILOGUE_H

#include "kz/family.h"

// A value, and how far a kernel's may be from it before it is rounded to c's type.
typedef struct gemm_near {
    double value, error;
} gemm_near;

// An element that passes, and where it is. For kz_gate's kin `next` is the sum in the column to its right.
typedef struct gemm_passing {
    gemm_near v, next;
    uint64_t row, column, columns, k; // columns of c
    kz_type x_type, y_type;
    const void *x, *y; // what the steps read
} gemm_passing;

typedef void gemm_step(gemm_passing *p);

gemm_step epilogue_add_x_column, epilogue_add_x_row, epilogue_add_y; // x: a vector; y: a matrix like c
gemm_step epilogue_scale_x_row, epilogue_scale_y_column, epilogue_over_root_k;
gemm_step epilogue_scale_x, epilogue_scale_y; // by the first element
gemm_step epilogue_relu, epilogue_gelu_erf, epilogue_gelu_tanh, epilogue_silu;
gemm_step epilogue_gate_silu, epilogue_gate_gelu_erf;
gemm_step epilogue_causal;
gemm_step epilogue_mask_x;        // 0 where x's byte is 0; x: a matrix like c
gemm_step epilogue_mask_x_column; // -infinity where it is; x: a vector

// Stored as `out`: the value or the infinity it becomes, and its bound, the last rounding included.
gemm_near gemm_stored(gemm_near v, kz_type out);

// The same for numbers of 8 bits, kept as bytes: rounded to nearest even, the largest number for what is beyond it.
typedef enum gemm_byte { GEMM_NO_BYTE, GEMM_BYTE_E4M3, GEMM_BYTE_E5M2, GEMM_BYTE_INT8 } gemm_byte;
uint8_t gemm_byte_code(gemm_byte kind, double value);
kz_read *gemm_byte_read(gemm_byte kind); // NULL for GEMM_NO_BYTE
double gemm_byte_largest(gemm_byte kind);
// Exactly the codes of what a kernel's sum may be: one, or near the middle of two numbers these two.
gemm_near gemm_stored_byte(gemm_near v, gemm_byte kind);

#endif
