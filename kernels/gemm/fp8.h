// Numbers of 8 bits on the host: e4m3 (no infinities, one NaN of each sign) and e5m2.
#ifndef GEMM_FP8_H
#define GEMM_FP8_H

#include <stdint.h>

typedef enum gemm_fp8 { GEMM_E4M3, GEMM_E5M2 } gemm_fp8;

double gemm_fp8_largest(gemm_fp8 format); // 448, 57344
double gemm_fp8_value(gemm_fp8 format, uint8_t code);
// The nearest value's code, ties to even; beyond the largest, that, but for e5m2's infinities. NaN is 0x7f.
uint8_t gemm_fp8_code(gemm_fp8 format, double value);

#endif
