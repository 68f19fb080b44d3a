// What cublasLtMatmul takes: which types go together, and what the epilogues need.
#include <stdatomic.h>
#include <stdio.h>

#include "base/base.h"
#include "lt.h"

static bool is_byte_float(int type) { return type == CUBLAS_E4M3 || type == CUBLAS_E5M2; }

static bool has_byte_floats(void) {
    int device = 0, major = 0, minor = 0;
    return cudaGetDevice(&device) == cudaSuccess &&
           cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess &&
           cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) == cudaSuccess &&
           10 * major + minor >= 89;
}

static int64_t column_bytes(const lt_layout *l) {
    return l->ld * (int64_t)cublas_type_bytes((cublas_type)l->type);
}

// 8-bit floats: A transposed and B not, columns of a multiple of 16 bytes, not both E5M2; D of 8 bits has a C of 16.
static bool has_byte_combination(const lt_matmul_desc *d, const lt_layout *la, const lt_layout *lb,
                                 const lt_layout *lc, const lt_layout *ld) {
    bool narrow = is_byte_float(ld->type);
    bool right_c = lc->type == CUBLAS_BF16 || lc->type == CUBLAS_F16 || (lc->type == CUBLAS_F32 && !narrow);
    bool right_d = narrow ? ld->type == CUBLAS_E4M3 || la->type != lb->type : ld->type == lc->type;
    cublas_type scalar;
    return has_byte_floats() && cublas_can_multiply(d->compute, CUBLAS_F32, CUBLAS_F32, &scalar) &&
           d->scale_type == CUBLAS_F32 && is_byte_float(la->type) && is_byte_float(lb->type) &&
           !(la->type == CUBLAS_E5M2 && lb->type == CUBLAS_E5M2) && right_c && right_d && d->ta == CUBLAS_T &&
           d->tb == CUBLAS_N && column_bytes(la) % 16 == 0 && column_bytes(lb) % 16 == 0 &&
           column_bytes(ld) % 16 == 0;
}

// Bytes come in columns of whole words; from sums of 32 bits they are scaled back to bytes by floats.
static bool has_whole_combination(const lt_matmul_desc *d, const lt_layout *la, const lt_layout *lb,
                                  const lt_layout *ld) {
    bool to_bytes = ld->type == CUBLAS_I8;
    cublas_type scalar;
    return cublas_can_multiply(d->compute, CUBLAS_I8, CUBLAS_I32, &scalar) &&
           d->scale_type == (int)(to_bytes ? CUBLAS_F32 : CUBLAS_I32) && column_bytes(la) % 4 == 0 &&
           column_bytes(lb) % 4 == 0 && column_bytes(ld) % 4 == 0;
}

static bool has_combination(const lt_matmul_desc *d, const lt_layout *la, const lt_layout *lb,
                            const lt_layout *lc, const lt_layout *ld) {
    cublas_type scalar;
    if (is_byte_float(la->type) || is_byte_float(lb->type)) return has_byte_combination(d, la, lb, lc, ld);
    if (la->type != lb->type || lc->type != ld->type) return false;
    if (la->type == CUBLAS_I8 && (ld->type == CUBLAS_I8 || ld->type == CUBLAS_I32))
        return has_whole_combination(d, la, lb, ld);
    return la->type != CUBLAS_C8I && cublas_can_multiply(d->compute, la->type, ld->type, &scalar) &&
           d->scale_type == (int)scalar;
}

// What a GPU's library may have and this one has not: told once, for the status does not say why.
static cublas_status lacks(const char *what) {
    static atomic_flag said = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&said))
        fprintf(
            stderr,
            "kz: cublasLtMatmul: the simulator's cuBLASLt has no %s; it returns CUBLAS_STATUS_NOT_SUPPORTED\n"
            "  docs/whole_programs.md lists what works\n",
            what);
    return CUBLAS_NOT_SUPPORTED;
}

static bool is_of_blocks(const lt_matmul_desc *d, int which) {
    return d->scale_modes[which] == LT_SCALE_128 || d->scale_modes[which] == LT_SCALE_128_BY_128;
}

// Factors lie at multiples of 16 bytes, and only matrices of 8-bit floats have them. Both operands have those of blocks, or
// neither.
static cublas_status check_scales(const lt_matmul_desc *d, const lt_layout *const layouts[4]) {
    for (int i = 0; i < LT_SCALES; i++) {
        int mode = d->scale_modes[i];
        bool several = mode >= LT_SCALE_OUTER_VECTOR && mode <= LT_SCALE_128_BY_128 && i <= LT_OF_B;
        if (mode != LT_SCALE_SCALAR && !several) return lacks("factors for blocks of this matrix");
        if (d->scales[i] && i <= LT_OF_D && !is_byte_float(layouts[i]->type)) return CUBLAS_INVALID_VALUE;
        if ((uintptr_t)d->scales[i] % 16) return CUBLAS_NOT_SUPPORTED;
    }
    if (is_of_blocks(d, LT_OF_A) != is_of_blocks(d, LT_OF_B) ||
        (d->scale_modes[LT_OF_A] == LT_SCALE_128_BY_128 && d->scale_modes[LT_OF_B] == LT_SCALE_128_BY_128))
        return CUBLAS_NOT_SUPPORTED;
    return d->d_out_scale || d->d_out_mode ? lacks("factors for blocks of a matrix") : CUBLAS_SUCCESS;
}

// The bits of an epilogue that go together; those that need a vector or a matrix beside D have it, the others have it not.
static cublas_status check_epilogue(const lt_matmul_desc *d, const lt_layout *ld) {
    static const uint32_t known[] = {1, 2, 130, 4, 6, 134, 136, 152, 32, 160, 36, 164, 192, 208, 256, 512};
    bool is_known = false, aux = d->epilogue & LT_AUX;
    for (size_t i = 0; i < BASE_COUNT(known); i++) is_known |= known[i] == d->epilogue;
    if (!is_known) return CUBLAS_INVALID_VALUE;
    if (d->epilogue != 1 && cublas_is_complex((cublas_type)ld->type)) return CUBLAS_NOT_SUPPORTED;
    uint32_t with_bias = LT_BIAS | LT_BIAS_GRADIENT | LT_BIAS_GRADIENT_A | LT_BIAS_GRADIENT_B;
    if (!(d->epilogue & with_bias) != !d->bias) return CUBLAS_INVALID_VALUE;
    if (d->aux && !aux && d->epilogue & (LT_RELU | LT_GELU)) return CUBLAS_NOT_SUPPORTED;
    bool wrong_way = (d->epilogue & LT_BIAS_GRADIENT_A && d->ta != CUBLAS_N) ||
                     (d->epilogue & LT_BIAS_GRADIENT_B && d->tb == CUBLAS_N);
    if (wrong_way) return CUBLAS_NOT_SUPPORTED;
    int64_t step = d->epilogue & (LT_RELU | LT_RELU_GRADIENT) ? 128 : 8;
    bool right =
        d->aux && d->aux_ld % step == 0 && d->aux_ld >= (int64_t)ld->rows && d->aux_stride % step == 0;
    return !aux || right ? CUBLAS_SUCCESS : CUBLAS_INVALID_VALUE;
}

static bool shapes_agree(const lt_matmul_desc *d, const lt_layout *la, const lt_layout *lb,
                         const lt_layout *lc, const lt_layout *ld) {
    bool ta = d->ta != CUBLAS_N, tb = d->tb != CUBLAS_N;
    uint64_t m = ta ? la->columns : la->rows, k = ta ? la->rows : la->columns;
    return (unsigned)d->ta <= CUBLAS_C && (unsigned)d->tb <= CUBLAS_C && d->tc == CUBLAS_N && m == ld->rows &&
           (tb ? lb->columns : lb->rows) == k && (tb ? lb->rows : lb->columns) == ld->columns &&
           lc->rows == ld->rows && lc->columns == ld->columns && la->batch == ld->batch &&
           lb->batch == ld->batch && lc->batch == ld->batch;
}

cublas_type lt_bias_type(const lt_matmul_desc *d, const lt_layout *lc, const lt_layout *ld) {
    if (d->bias_type >= 0) return (cublas_type)d->bias_type;
    if (ld->type == CUBLAS_I8) return (cublas_type)d->scale_type;
    return (cublas_type)(is_byte_float(ld->type) ? lc->type : ld->type);
}

cublas_type lt_aux_type(const lt_matmul_desc *d, const lt_layout *ld) {
    return (cublas_type)(d->aux_type >= 0 ? d->aux_type : ld->type);
}

// The sums of rows beside D are made in a workspace.
size_t lt_workspace_bytes(const lt_matmul_desc *d, const lt_layout *ld) {
    return d->epilogue & LT_BIAS_GRADIENT ? (size_t)ld->rows * sizeof(float) : 0;
}

cublas_status lt_check_matmul(const lt_matmul_desc *d, const lt_layout *la, const lt_layout *lb,
                              const lt_layout *lc, const lt_layout *ld) {
    if (!lt_layout_is_right(la) || !lt_layout_is_right(lb) || !lt_layout_is_right(lc) ||
        !lt_layout_is_right(ld) || !shapes_agree(d, la, lb, lc, ld) || (unsigned)d->fill > LT_FULL ||
        (unsigned)d->pointer_mode > LT_VECTOR_BETA_HOST)
        return CUBLAS_INVALID_VALUE;
    bool vector = d->pointer_mode >= LT_VECTORS; // for bytes alone
    if (!has_combination(d, la, lb, lc, ld) || d->fill != LT_FULL || (vector && la->type != CUBLAS_I8))
        return CUBLAS_NOT_SUPPORTED;
    if (la->plane || lb->plane || lc->plane || ld->plane) return lacks("complex numbers in planes");
    bool known = (d->bias_type < 0 || cublas_is_type(d->bias_type)) &&
                 (d->aux_type < 0 || cublas_is_type(d->aux_type));
    if (!known) return CUBLAS_NOT_SUPPORTED;
    cublas_status status = check_scales(d, (const lt_layout *const[]){la, lb, lc, ld});
    return status ? status : check_epilogue(d, ld);
}
