// layernorm and rmsnorm 00: the kernels' work in C, row by row, in double. The arguments are those of the kernels
// (norm_plan.c).
#include <math.h>

#include "gemm/fp8.h"
#include "ml_ops/norm.h"

// Their places among the arguments.
enum { AT_X, AT_RESIDUAL, AT_GAMMA, AT_BETA, AT_SCALE, AT_Y, AT_SUM, AT_MEAN, AT_RSTD, AT_SIZES };
enum { BACK_DY, BACK_X, BACK_GAMMA, BACK_MEAN, BACK_RSTD, BACK_DX, BACK_RSTD_OUT, BACK_PARTS, BACK_SIZES };
enum { DOWN_DY, DOWN_X, DOWN_MEAN, DOWN_RSTD, DOWN_DGAMMA, DOWN_DBETA, DOWN_SIZES };

typedef struct row {
    double mean, rstd;
} row;

static row fold(const norm_family *f, kz_type type, const void *x, uint64_t first, uint64_t columns,
                double epsilon) {
    double mean = 0.0, squares = 0.0;
    for (uint64_t i = first; f->centered && i < first + columns; i++) mean += kz_element_get(type, x, i);
    mean /= (double)columns;
    for (uint64_t i = first; i < first + columns; i++) {
        double d = kz_element_get(type, x, i) - mean;
        squares += d * d;
    }
    return (row){mean, 1.0 / sqrt(squares / (double)columns + epsilon)};
}

void norm_native_forward(const norm_family *f, const kz_native_launch *launch, kz_type type,
                         norm_operation operation) {
    const void *x = kz_native_pointer(launch, AT_X), *residual = kz_native_pointer(launch, AT_RESIDUAL);
    const void *gamma = kz_native_pointer(launch, AT_GAMMA), *beta = kz_native_pointer(launch, AT_BETA);
    void *y = kz_native_pointer(launch, AT_Y), *sum = kz_native_pointer(launch, AT_SUM);
    float *mean = kz_native_pointer(launch, AT_MEAN), *rstd = kz_native_pointer(launch, AT_RSTD);
    const float *scale = kz_native_pointer(launch, AT_SCALE);
    uint64_t columns = kz_native_u64(launch, AT_SIZES + 1);
    kz_share own = kz_native_share(launch, kz_native_u64(launch, AT_SIZES));
    for (uint64_t r = own.begin; r < own.end; r++) {
        uint64_t first = r * columns;
        for (uint64_t i = first; operation == NORM_RESIDUAL && i < first + columns; i++)
            kz_element_set(type, sum, i, kz_element_get(type, x, i) + kz_element_get(type, residual, i));
        const void *from = operation == NORM_RESIDUAL ? sum : x;
        row s = fold(f, type, from, first, columns, (double)*(const float *)launch->args[AT_SIZES + 2]);
        if (f->centered) mean[r] = (float)s.mean, rstd[r] = (float)s.rstd;
        for (uint64_t c = 0; c < columns; c++) {
            double v =
                (kz_element_get(type, from, first + c) - s.mean) * s.rstd * kz_element_get(type, gamma, c);
            if (f->centered) v += kz_element_get(type, beta, c);
            if (operation == NORM_FP8)
                ((uint8_t *)y)[first + c] = isnan(v) ? 0x7f : gemm_fp8_code(GEMM_E4M3, v * (double)*scale);
            else
                kz_element_set(type, y, first + c, v);
        }
    }
}

void norm_native_backward(const norm_family *f, const kz_native_launch *launch, kz_type type) {
    const void *dy = kz_native_pointer(launch, BACK_DY), *x = kz_native_pointer(launch, BACK_X);
    const void *gamma = kz_native_pointer(launch, BACK_GAMMA);
    const float *mean = kz_native_pointer(launch, BACK_MEAN), *rstd = kz_native_pointer(launch, BACK_RSTD);
    void *dx = kz_native_pointer(launch, BACK_DX);
    uint64_t columns = kz_native_u64(launch, BACK_SIZES + 1);
    double epsilon = (double)*(const float *)launch->args[BACK_SIZES + 2];
    kz_share own = kz_native_share(launch, kz_native_u64(launch, BACK_SIZES));
    for (uint64_t r = own.begin; r < own.end; r++) {
        uint64_t first = r * columns;
        double sum_g = 0.0, sum_gh = 0.0;
        row s =
            f->centered ? (row){(double)mean[r], (double)rstd[r]} : fold(f, type, x, first, columns, epsilon);
        if (!f->centered) ((float *)kz_native_pointer(launch, BACK_RSTD_OUT))[r] = (float)s.rstd;
        for (uint64_t c = 0; c < columns; c++) {
            double g = kz_element_get(type, dy, first + c) * kz_element_get(type, gamma, c);
            sum_g += g, sum_gh += g * (kz_element_get(type, x, first + c) - s.mean) * s.rstd;
        }
        if (!f->centered) sum_g = 0.0;
        for (uint64_t c = 0; c < columns; c++) {
            double g = kz_element_get(type, dy, first + c) * kz_element_get(type, gamma, c);
            double h = (kz_element_get(type, x, first + c) - s.mean) * s.rstd;
            kz_element_set(type, dx, first + c, s.rstd * (g - (sum_g + h * sum_gh) / (double)columns));
        }
    }
}

void norm_native_down(const norm_family *f, const kz_native_launch *launch, kz_type type) {
    const void *dy = kz_native_pointer(launch, DOWN_DY), *x = kz_native_pointer(launch, DOWN_X);
    const float *mean = kz_native_pointer(launch, DOWN_MEAN), *rstd = kz_native_pointer(launch, DOWN_RSTD);
    uint64_t rows = kz_native_u64(launch, DOWN_SIZES), columns = kz_native_u64(launch, DOWN_SIZES + 1);
    kz_share own = kz_native_share(launch, columns);
    for (uint64_t c = own.begin; c < own.end; c++) {
        double of_gamma = 0.0, of_beta = 0.0;
        for (uint64_t r = 0; r < rows; r++) {
            double g = kz_element_get(type, dy, r * columns + c), m = f->centered ? (double)mean[r] : 0.0;
            of_gamma += g * (kz_element_get(type, x, r * columns + c) - m) * (double)rstd[r];
            of_beta += g;
        }
        kz_element_set(type, kz_native_pointer(launch, DOWN_DGAMMA), c, of_gamma);
        if (f->centered) kz_element_set(type, kz_native_pointer(launch, DOWN_DBETA), c, of_beta);
    }
}
