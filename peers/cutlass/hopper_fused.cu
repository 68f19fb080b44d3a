// gemm_fused's gelu(a * b + bias) by CUTLASS with an epilogue of our own: the example to read for how one is written.
//
// In CUTLASS 3 an epilogue is a tree, an epilogue visitor tree (EVT). A warpgroup visits it for every fragment of its sums,
// still in registers, from the leaves to the root; what the root returns is stored as c.
//
//     compute<gelu>                    root: our own function, rounds to c's type
//         compute<plus>                in single precision
//             row broadcast            leaf: bias, a vector along n, the same for all rows
//             accumulator              leaf: the sums
//
// A leaf fetches (the accumulator, a vector, a matrix by TMA), an inner node computes from its children or stores besides. The
// tree is a type, so the compiler sees through it: no node is called at run time, and no value leaves its register. What a node
// needs when it runs, as the bias's address, are arguments, nested as the tree is.
#include "cutlass.h"

static bool does(const kz_peer_problem *p) {
    return strcmp(p->family, "gemm_fused") == 0 && strcmp(p->operation, "bias_gelu_nt") == 0 &&
           p->type == KZ_BF16 && cutlass_sizes_fit(p) && cutlass_rows_fit(p);
}

#if PEER_HAS_CUTLASS
#include "hopper.cuh"
#include "kz/device/activation.cuh"

// 1. The function. A compute node calls it with an array of floats, a thread's share of the fragment, once for each of its
// children; the primary template is there for the node's question whether the function has arguments of its own (no).
template <typename T> struct gelu {};
template <int N> struct gelu<cutlass::Array<float, N>> {
    __device__ cutlass::Array<float, N> operator()(const cutlass::Array<float, N> &x) const {
        cutlass::Array<float, N> y;
#pragma unroll
        for (int i = 0; i < N; i++) y[i] = kz_gelu_erf(x[i]);
        return y;
    }
};

// 2. The tree, for a kernel whose blocks have tiles of this shape. Sm90EVT<node, children...>; a node computes in its second
// type and hands on its first.
using T = cutlass::bfloat16_t;
namespace evt = cutlass::epilogue::fusion;
constexpr auto NEAREST = cutlass::FloatRoundStyle::round_to_nearest;

template <typename Tile>
using bias = evt::Sm90RowBroadcast<0, typename Tile::shape, T, float>; // 0 stages: by plain loads, not by TMA
template <typename Tile>
using with_bias =
    evt::Sm90EVT<evt::Sm90Compute<cutlass::plus, float, float, NEAREST>, bias<Tile>, evt::Sm90AccFetch>;
template <typename Tile>
using bias_gelu = evt::Sm90EVT<evt::Sm90Compute<gelu, T, float, NEAREST>, with_bias<Tile>>;

// 3. The arguments, children before their node: {{{bias}, {sums}, {plus}}, {gelu}}.
struct fused {
    template <typename Gemm>
    static hopper::fusion_arguments<Gemm> arguments(const kz_peer_problem *, const kz_ptr *buffers) {
        return {{{(const T *)buffers[3]}, {}, {}}, {}};
    }
};

// 4. The kernels: the tree takes the place of the plain epilogue in the builder, and nothing else changes.
template <typename Tile, typename Schedule>
using gemm = typename hopper::product<T, T, hopper::column, Tile, Schedule,
                                      cutlass::gemm::PersistentScheduler, bias_gelu<Tile>>::device;
using kernels = hopper::ways<fused, gemm<hopper::tile<128, 256>, hopper::cooperative>,
                             gemm<hopper::tile<128, 128>, hopper::ping_pong>>;

static const cutlass_menu menu = {"GemmUniversal with an EVT", kernels::count, true, kernels::workspace,
                                  kernels::run};
#else
static const cutlass_menu menu = {"GemmUniversal with an EVT", 0, true, NULL};
#endif

const cutlass_menu *cutlass_find_fused(const kz_peer_problem *p) { return does(p) ? &menu : NULL; }
