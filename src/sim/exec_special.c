// The approximations of the special function unit: rsqrt sin cos lg2 ex2 tanh.
//
// PTX states bounds, not values: these are computed to within an ulp of f32 and rounded, which is
// inside all of them. Special values (zeros, infinities, NaN, negative arguments) are as PTX lists them.
#include <math.h>

#include "sim/approximate.h"
#include "sim/exec.h"

LANES_1(ex2, float, float, power_of_2(x))
LANES_1(ex2_ftz, float, float, f32_flushed(power_of_2(f32_flushed(x))))
LANES_1(lg2, float, float, f32_canonical(log2f(x)))
LANES_1(lg2_ftz, float, float, f32_canonical(log2f(f32_flushed(x))))
LANES_1(sin_f32, float, float, f32_canonical(sinf(x)))
LANES_1(sin_f32_ftz, float, float, f32_canonical(f32_flushed(sinf(f32_flushed(x)))))
LANES_1(cos_f32, float, float, f32_canonical(cosf(x)))
LANES_1(cos_f32_ftz, float, float, f32_canonical(f32_flushed(cosf(f32_flushed(x)))))
LANES_1(tanh_f32, float, float, hyperbolic_tangent(x))
LANES_1(rsqrt_f32, float, float, f32_canonical((float)(1.0 / __builtin_sqrt((double)x))))
LANES_1(rsqrt_f32_ftz, float, float, f32_canonical((float)(1.0 / __builtin_sqrt((double)f32_flushed(x)))))

LANES_INLINE double f64_flushed(double x) {
    uint64_t bits = bits_of_f64(x);
    return f64_of_bits((bits & UINT64_C(0x7ff0000000000000)) == 0 ? bits & UINT64_C(0x8000000000000000)
                                                                  : bits);
}
LANES_1(rsqrt_f64, double, double, 1.0 / __builtin_sqrt(x))
// .ftz sees and makes upper words alone.
LANES_INLINE double rsqrt_upper(double x) {
    double upper = f64_of_bits(bits_of_f64(x) & ~UINT64_C(0xffffffff)),
           root = 1.0 / __builtin_sqrt(f64_flushed(upper));
    return f64_of_bits(root == root ? bits_of_f64(root) & ~UINT64_C(0xffffffff)
                                    : UINT64_C(0x7fffffff00000000));
}
LANES_1(rsqrt_f64_ftz, double, double, rsqrt_upper(x))

bool SIM_NAME(sim_select_special)(sim_decoder *decoder, const ptx_inst *inst, sim_op *op) {
    if (inst->type_count != 1) return false;
    ptx_type type = inst->types[0];
    bool ftz = LANES_FLAG(inst, FTZ), is_f64 = type == PTX_F64;
    if (type != PTX_F32 && !(is_f64 && inst->op == PTX_OP_RSQRT)) return false;
    const lanes_pair *pair = NULL;
    switch (inst->op) {
    case PTX_OP_RSQRT:
        pair = is_f64 ? (ftz ? &rsqrt_f64_ftz : &rsqrt_f64) : (ftz ? &rsqrt_f32_ftz : &rsqrt_f32);
        break;
    case PTX_OP_SIN: pair = ftz ? &sin_f32_ftz : &sin_f32; break;
    case PTX_OP_COS: pair = ftz ? &cos_f32_ftz : &cos_f32; break;
    case PTX_OP_LG2: pair = ftz ? &lg2_ftz : &lg2; break;
    case PTX_OP_EX2: pair = ftz ? &ex2_ftz : &ex2; break;
    case PTX_OP_TANH: pair = &tanh_f32; break;
    default: return false;
    }
    return lanes_bind(decoder, inst, op, pair, type, type, PTX_TYPE_NONE, PTX_TYPE_NONE);
}
