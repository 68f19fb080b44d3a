// A product by Hopper's tensor cores, as CUTLASS 3's builders make it: a producer warp that fetches by TMA, consumer
// warpgroups that multiply by wgmma, an epilogue that stores by TMA.
//
// A kernel is made of three parts: the epilogue (what becomes of the sums), the main loop (how the sums come about),
// and the scheduler (which block has which tile). The epilogue is built first, because the main loop takes for its
// stages the shared memory that the epilogue leaves.
#ifndef PEERS_CUTLASS_HOPPER_CUH
#define PEERS_CUTLASS_HOPPER_CUH

#include <cutlass/epilogue/collective/collective_builder.hpp>
#include <cutlass/gemm/collective/collective_builder.hpp>
#include <cutlass/gemm/device/gemm_universal_adapter.h>
#include <cutlass/gemm/kernel/gemm_universal.hpp>

#include "cutlass.h"

namespace hopper {

using row = cutlass::layout::RowMajor;
using column = cutlass::layout::ColumnMajor;
enum { ALIGNMENT = 8 }; // in halves: TMA wants rows that begin at multiples of 16 bytes

// A tile of M x N of c per cluster block, slices of 64 along k, clusters of 2 x 1 which share the fetches of b.
template <int M, int N> struct tile {
    using shape = cute::Shape<cute::Int<M>, cute::Int<N>, cute::_64>;
    using cluster = cute::Shape<cute::_2, cute::_1, cute::_1>;
};

// Two consumer warpgroups share a tile, or take turns with a tile each.
struct cooperative {
    using loop = cutlass::gemm::KernelTmaWarpSpecializedCooperative;
    using store = cutlass::epilogue::TmaWarpSpecializedCooperative;
};
struct ping_pong {
    using loop = cutlass::gemm::KernelTmaWarpSpecializedPingpong;
    using store = cutlass::epilogue::TmaWarpSpecialized;
};

// c = fusion(a * b): a row-major, b by its layout, c row-major without a matrix that is added (void).
template <typename T, typename Out, typename LayoutB, typename Tile, typename Schedule, typename Scheduler,
          typename Fusion>
struct product {
    using epilogue = typename cutlass::epilogue::collective::CollectiveBuilder<
        cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, typename Tile::shape, typename Tile::cluster,
        cutlass::epilogue::collective::EpilogueTileAuto, float, float, void, row, ALIGNMENT, Out, row,
        ALIGNMENT, typename Schedule::store, Fusion>::CollectiveOp;
    using loop = typename cutlass::gemm::collective::CollectiveBuilder<
        cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, T, row, ALIGNMENT, T, LayoutB, ALIGNMENT, float,
        typename Tile::shape, typename Tile::cluster,
        cutlass::gemm::collective::StageCountAutoCarveout<sizeof(typename epilogue::SharedStorage)>,
        typename Schedule::loop>::CollectiveOp;
    using kernel =
        cutlass::gemm::kernel::GemmUniversal<cute::Shape<int, int, int, int>, loop, epilogue, Scheduler>;
    using device = cutlass::gemm::device::GemmUniversalAdapter<kernel>;
};

template <typename Gemm> using fusion_arguments = decltype(Gemm::Arguments::epilogue.thread);

// c = a * b, and nothing else: alpha is 1, beta 0.
struct plain {
    template <typename T> using fusion = cutlass::epilogue::fusion::LinearCombination<T, float, void>;
    template <typename Gemm>
    static fusion_arguments<Gemm> arguments(const kz_peer_problem *, const kz_ptr *) {
        return {1.0f, 0.0f};
    }
};
template <typename T, typename LayoutB, typename Tile, typename Schedule,
          typename Scheduler = cutlass::gemm::PersistentScheduler>
using gemm = typename product<T, T, LayoutB, Tile, Schedule, Scheduler, plain::fusion<T>>::device;

// A stride of CuTe has the constant 1 where elements are contiguous; the other one is the leading dimension.
template <typename Stride> Stride leading(int64_t elements) {
    Stride stride{};
    if constexpr (cute::is_static<cute::tuple_element_t<0, Stride>>::value)
        cute::get<1>(stride) = elements;
    else
        cute::get<0>(stride) = elements;
    return stride;
}

// What a kernel is asked. `swizzle`: so many rows of tiles are gone through side by side, for L2's sake. `fused`: what the
// epilogue's fusion takes.
template <typename Gemm>
typename Gemm::Arguments arguments(const kz_peer_problem *p, const kz_ptr buffers[3], int swizzle,
                                   const fusion_arguments<Gemm> &fused) {
    using kernel = typename Gemm::GemmKernel;
    int m = (int)p->axes[0], n = (int)p->axes[1], k = (int)p->axes[2], device = 0;
    bool b_by_columns = std::is_same<typename Gemm::LayoutB, column>::value;
    typename Gemm::Arguments all;
    all.mode = cutlass::gemm::GemmUniversalMode::kGemm;
    all.problem_shape = cute::make_shape(m, n, k, 1);
    all.mainloop.ptr_A = (const typename kernel::ElementA *)buffers[0];
    all.mainloop.dA = leading<typename kernel::StrideA>(k);
    all.mainloop.ptr_B = (const typename kernel::ElementB *)buffers[1];
    all.mainloop.dB = leading<typename kernel::StrideB>(b_by_columns ? k : n);
    all.epilogue.thread = fused;
    all.epilogue.ptr_C = nullptr;
    all.epilogue.dC = leading<typename kernel::StrideC>(n);
    all.epilogue.ptr_D = (typename kernel::ElementD *)buffers[2];
    all.epilogue.dD = leading<typename kernel::StrideD>(n);
    cudaGetDevice(&device);
    all.hw_info.device_id = device;
    all.hw_info.sm_count = cutlass::KernelHardwareInfo::query_device_multiprocessor_count(device);
    all.scheduler.max_swizzle_size = swizzle;
    return all;
}

// Checks, makes the tensor maps, clears what of the workspace must be clear (stream-k's flags), and launches.
template <typename Gemm>
cutlass::Status launch(const typename Gemm::Arguments &all, const kz_peer_call *call) {
    Gemm gemm;
    cudaStream_t stream = (cudaStream_t)call->stream;
    cutlass::Status status = Gemm::can_implement(all);
    if (status == cutlass::Status::kSuccess) status = gemm.initialize(all, (void *)call->workspace, stream);
    return status == cutlass::Status::kSuccess ? gemm.run(stream) : status;
}

// Kernels, each with tiles in plain order and swizzled: the ways of a menu. Fused::arguments<Gemm>(problem, buffers) are what
// the epilogue takes.
template <typename Fused, typename... Gemms> struct ways {
    static constexpr int swizzles[] = {1, 8};
    static constexpr int count = sizeof...(Gemms) * 2;

    template <typename Gemm>
    static cutlass::Status multiply(const kz_peer_problem *p, const kz_peer_call *call, int swizzle) {
        return launch<Gemm>(
            arguments<Gemm>(p, call->buffers, swizzle, Fused::template arguments<Gemm>(p, call->buffers)),
            call);
    }
    static cutlass::Status run(const kz_peer_problem *p, const kz_peer_call *call, int way) {
        static constexpr cutlass::Status (*kernels[])(const kz_peer_problem *, const kz_peer_call *,
                                                      int) = {multiply<Gemms>...};
        return kernels[way / 2](p, call, swizzles[way % 2]);
    }

    // Swizzling pads c to whole groups of tiles, and stream-k's partial sums with it.
    static size_t workspace(const kz_peer_problem *p) {
        const kz_ptr nowhere[KZ_FAMILY_BUFFERS] = {0};
        size_t most = 0;
        for (int swizzle : swizzles)
            for (size_t bytes : {Gemms::get_workspace_size(
                     arguments<Gemms>(p, nowhere, swizzle, Fused::template arguments<Gemms>(p, nowhere)))...})
                if (bytes > most) most = bytes;
        return most;
    }
};

} // namespace hopper
#endif
