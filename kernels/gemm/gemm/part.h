// Products as parts of other families' plans.
#ifndef GEMM_PART_H
#define GEMM_PART_H

#include "gemm.h"
#include "kz/family.h"

// Appends the product to the plan, by the family and variant that kz_gemm_open would take. `problem` has neither an epilogue nor
// numbers of its own, and all three begin at multiples of 16 bytes. A plan that calls it has the code of GEMM_PART_CODE.
kz_status gemm_add_product(const kz_planner *p, const kz_gemm_problem *problem, kz_arg a, kz_arg b, kz_arg c);

extern const kz_embedded kz_embedded_gemm, kz_embedded_gemv, kz_embedded_hgemm, kz_embedded_sgemm;
#define GEMM_PART_CODE                                                                                       \
    &kz_embedded_gemm.code, &kz_embedded_gemv.code, &kz_embedded_hgemm.code, &kz_embedded_sgemm.code

#endif
