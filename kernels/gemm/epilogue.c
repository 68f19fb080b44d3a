// Epilogues in double. Error bounds with u = 2^-24: each operation in single precision adds u of its result; an activation
// function passes its argument's error on, at most STEEPEST times, and adds what the family elementwise derives for it.
#include "gemm/epilogue.h"

#include <math.h>

#include "gemm/fp8.h"

enum { TERMS = 8 };                  // of an activation function, each within 2 u
static const double STEEPEST = 1.13; // of gelu and silu; relu's is 1
static const double UNIT = 0x1p-24;

static void add(gemm_near *v, double term) {
    v->value += term;
    v->error += UNIT * (fabs(v->value) + v->error);
}
static void scale(gemm_near *v, double factor, double roundings) {
    v->value *= factor;
    v->error = v->error * fabs(factor) + roundings * UNIT * fabs(v->value);
}

static double get(kz_type type, const void *from, uint64_t at) { return kz_element_get(type, from, at); }

void epilogue_add_x_column(gemm_passing *p) { add(&p->v, get(p->x_type, p->x, p->column)); }
void epilogue_add_x_row(gemm_passing *p) { add(&p->v, get(p->x_type, p->x, p->row)); }
void epilogue_add_y(gemm_passing *p) { add(&p->v, get(p->y_type, p->y, p->row * p->columns + p->column)); }
void epilogue_scale_x_row(gemm_passing *p) { scale(&p->v, get(p->x_type, p->x, p->row), 2.0); }
void epilogue_scale_y_column(gemm_passing *p) { scale(&p->v, get(p->y_type, p->y, p->column), 2.0); }
void epilogue_scale_x(gemm_passing *p) { scale(&p->v, get(p->x_type, p->x, 0), 1.0); }
void epilogue_scale_y(gemm_passing *p) { scale(&p->v, get(p->y_type, p->y, 0), 1.0); }
// rsqrtf is off by 2 ulps at most.
void epilogue_over_root_k(gemm_passing *p) { scale(&p->v, 1.0 / sqrt((double)p->k), 6.0); }

// ---- activation functions ------------------------------------------------------------------------------------

static double gelu_tanh_z(double x) { return 2.0 * sqrt(2.0 / M_PI) * (x + 0.044715 * x * x * x); }

// x * sigmoid(z) in single precision: exp turns a relative error of z into |z| times it, and where exp(-z) overflows the
// kernel gives 0: the truth is below |x| * 2^-126 there.
static gemm_near times_sigmoid(gemm_near x, double z) {
    double y = x.value / (1.0 + exp(-z));
    return (gemm_near){y, STEEPEST * x.error + TERMS * UNIT * (1.0 + fabs(z)) * fabs(y) +
                              (fabs(x.value) + x.error) * 0x1p-126};
}
static gemm_near silu(gemm_near x) { return times_sigmoid(x, x.value); }
// 1 + erf(t) = erfc(-t), which does not cancel. In single precision it does: the error is u |x|, however small the result.
static gemm_near gelu_erf(gemm_near x) {
    return (gemm_near){0.5 * x.value * erfc(-x.value * M_SQRT1_2),
                       STEEPEST * x.error + TERMS * UNIT * (fabs(x.value) + x.error)};
}

void epilogue_relu(gemm_passing *p) {
    if (p->v.value < 0.0) p->v.value = 0.0;
}
void epilogue_gelu_erf(gemm_passing *p) { p->v = gelu_erf(p->v); }
void epilogue_gelu_tanh(gemm_passing *p) { p->v = times_sigmoid(p->v, gelu_tanh_z(p->v.value)); }
void epilogue_silu(gemm_passing *p) { p->v = silu(p->v); }

static void gate(gemm_passing *p, gemm_near gate) {
    gemm_near up = p->next;
    double value = gate.value * up.value;
    p->v = (gemm_near){value, gate.error * (fabs(up.value) + up.error) + up.error * fabs(gate.value) +
                                  UNIT * fabs(value)};
}
void epilogue_gate_silu(gemm_passing *p) { gate(p, silu(p->v)); }
void epilogue_gate_gelu_erf(gemm_passing *p) { gate(p, gelu_erf(p->v)); }

void epilogue_causal(gemm_passing *p) {
    if (p->column > p->row) p->v = (gemm_near){-INFINITY, 0.0};
}

void epilogue_mask_x(gemm_passing *p) {
    if (get(p->x_type, p->x, p->row * p->columns + p->column) == 0.0) p->v = (gemm_near){0.0, 0.0};
}
void epilogue_mask_x_column(gemm_passing *p) {
    if (get(p->x_type, p->x, p->column) == 0.0) p->v = (gemm_near){-INFINITY, 0.0};
}

// ---- what is stored --------------------------------------------------------------------------------------------

gemm_near gemm_stored(gemm_near v, kz_type out) {
    double value = kz_saturate(out, v.value);
    if (!isfinite(value)) return (gemm_near){value, 0.0};
    return (gemm_near){value, v.error + kz_half_ulp(out, fabs(v.value) + v.error)};
}

static double read_e4m3(const void *data, uint64_t i) {
    return gemm_fp8_value(GEMM_E4M3, ((const uint8_t *)data)[i]);
}
static double read_e5m2(const void *data, uint64_t i) {
    return gemm_fp8_value(GEMM_E5M2, ((const uint8_t *)data)[i]);
}
static double read_int8(const void *data, uint64_t i) { return ((const int8_t *)data)[i]; }

kz_read *gemm_byte_read(gemm_byte kind) {
    switch (kind) {
    case GEMM_BYTE_E4M3: return read_e4m3;
    case GEMM_BYTE_E5M2: return read_e5m2;
    case GEMM_BYTE_INT8: return read_int8;
    default: return NULL;
    }
}

static gemm_fp8 fp8_of(gemm_byte kind) { return kind == GEMM_BYTE_E5M2 ? GEMM_E5M2 : GEMM_E4M3; }

double gemm_byte_largest(gemm_byte kind) {
    return kind == GEMM_BYTE_INT8 ? INT8_MAX : gemm_fp8_largest(fp8_of(kind));
}

uint8_t gemm_byte_code(gemm_byte kind, double value) {
    double largest = gemm_byte_largest(kind);
    if (kind != GEMM_BYTE_INT8)
        return gemm_fp8_code(fp8_of(kind), isnan(value) ? value : fmax(-largest, fmin(largest, value)));
    return isnan(value) ? 0 : (uint8_t)(int8_t)nearbyint(fmax(-largest - 1.0, fmin(largest, value)));
}

gemm_near gemm_stored_byte(gemm_near v, gemm_byte kind) {
    kz_read *read = gemm_byte_read(kind);
    double error = isfinite(v.value) ? v.error : 0.0;
    uint8_t codes[] = {gemm_byte_code(kind, v.value - error), gemm_byte_code(kind, v.value + error)};
    double low = read(codes, 0), high = read(codes, 1);
    return (gemm_near){low + (high - low) / 2.0, (high - low) / 2.0};
}
