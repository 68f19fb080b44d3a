// hgemm of f16 by Hopper's tensor cores, orders nn and nt: two kernels, since most
// cases are of bf16 and a kernel takes half a minute to compile.
#include "cutlass.h"

#if PEER_HAS_CUTLASS
#include "hopper.cuh"

template <typename LayoutB>
using kernels =
    hopper::ways<hopper::plain,
                 hopper::gemm<cutlass::half_t, LayoutB, hopper::tile<128, 256>, hopper::cooperative>,
                 hopper::gemm<cutlass::half_t, LayoutB, hopper::tile<128, 128>, hopper::ping_pong>>;

template <typename LayoutB>
static const cutlass_menu menu = {"GemmUniversal, sm_90", kernels<LayoutB>::count, true,
                                  kernels<LayoutB>::workspace, kernels<LayoutB>::run};
#else
namespace hopper {
struct row;
struct column;
} // namespace hopper
template <typename LayoutB> static const cutlass_menu menu = {"GemmUniversal, sm_90", 0, true, NULL};
#endif

const cutlass_menu *cutlass_find_f16(const kz_peer_problem *p) {
    if (!cutlass_is_hgemm(p, KZ_F16)) return NULL;
    return p->operation[1] == 't' ? &menu<hopper::column> : &menu<hopper::row>;
}
