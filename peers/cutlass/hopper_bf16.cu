// hgemm of bf16 by Hopper's tensor cores, orders nn and nt: four kernels that are
// usually among the fastest.
#include "cutlass.h"

#if PEER_HAS_CUTLASS
#include "hopper.cuh"

template <typename LayoutB>
using kernels =
    hopper::ways<hopper::plain,
                 hopper::gemm<cutlass::bfloat16_t, LayoutB, hopper::tile<128, 256>, hopper::cooperative>,
                 hopper::gemm<cutlass::bfloat16_t, LayoutB, hopper::tile<256, 128>, hopper::cooperative>,
                 hopper::gemm<cutlass::bfloat16_t, LayoutB, hopper::tile<128, 128>, hopper::ping_pong>,
                 hopper::gemm<cutlass::bfloat16_t, LayoutB, hopper::tile<128, 256>, hopper::cooperative,
                              cutlass::gemm::StreamKScheduler>>;

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

const cutlass_menu *cutlass_find_bf16(const kz_peer_problem *p) {
    if (!cutlass_is_hgemm(p, KZ_BF16)) return NULL;
    return p->operation[1] == 't' ? &menu<hopper::column> : &menu<hopper::row>;
}
