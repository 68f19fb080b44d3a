// Fused multiply-adds by type, special functions, and chains against warps.
//
// The chains are x = x * x - 1.8125, which wanders over all bits of its type and never settles: the value at the end
// says how many there were, and the host makes it again to the bit.

#include "arithmetic.cuh"

SQUARES(fma_f32, float, float_start, "fma.rn.f32 %0, %0, %0, %1;", "f", -1.8125f, __float_as_uint)
SQUARES(fma_f64, double, double_start, "fma.rn.f64 %0, %0, %0, %1;", "d", -1.8125, fold)
SQUARES(fma_i32, uint32_t, integer_start, "mad.lo.u32 %0, %0, %0, %1;", "r", 0x9e3779b9u, as_it_is)
SQUARES(fma_f16x2, uint32_t, half_start, "fma.rn.f16x2 %0, %0, %0, %1;", "r", 0xbf40bf40u, as_it_is)

// Functions of the special unit, each again and again: they come to rest at a number that is known.
SQUARES(special_ex2, float, float_start, "{ .reg .f32 t; neg.ftz.f32 t, %0; ex2.approx.ftz.f32 %0, t; }", "f",
        0.0f, __float_as_uint)
SQUARES(special_rsqrt, float, float_start, "rsqrt.approx.ftz.f32 %0, %0;", "f", 0.0f, __float_as_uint)
SQUARES(special_cos, float, float_start, "cos.approx.ftz.f32 %0, %0;", "f", 0.0f, __float_as_uint)

// ---- chains against warps ------------------------------------------------------------------------------------

enum { PER_TURN = 128 };
template <int chains>
static __device__ __forceinline__ void chains_of(uint32_t *values, uint64_t *cycles, uint32_t turns) {
    float x[chains];
#pragma unroll
    for (int c = 0; c < chains; c++) x[c] = float_start(c);
    uint64_t begin = micro_begin();
    for (uint32_t turn = 0; turn < turns; turn++)
#pragma unroll
        for (int k = 0; k < PER_TURN; k++)
            asm volatile("fma.rn.f32 %0, %0, %0, %1;" : "+f"(x[k % chains]) : "f"(-1.8125f));
    micro_end(cycles, begin);
    uint32_t bits = 0;
#pragma unroll
    for (int c = 0; c < chains; c++) bits ^= __float_as_uint(x[c]);
    values[kz_thread()] = bits;
}
MICRO(chains_1) { chains_of<1>(values, cycles, turns); }
MICRO(chains_2) { chains_of<2>(values, cycles, turns); }
MICRO(chains_4) { chains_of<4>(values, cycles, turns); }
MICRO(chains_8) { chains_of<8>(values, cycles, turns); }
