// rmsnorm 02: a block per row
//
// Idea     neighbouring threads take neighbouring columns, so that all accesses are coalesced.
// Change   256 threads stride over a row; the squares meet in shared memory, and the factor comes back from there.
// Expect   every sector is fetched once from DRAM: the second reading of a row finds it in L1 or L2.
// Limit    single elements instead of 16 bytes per access, and each row is read twice; two barriers a row, which
//          short rows do not hide.

#include "kz/device/fold.cuh"
#include "rmsnorm.cuh"

template <typename T>
static __device__ __forceinline__ void normalize(const T *x, const T *weight, T *y, size_t columns,
                                                 float epsilon) {
    __shared__ float factor;
    x += blockIdx.x * columns;
    y += blockIdx.x * columns;
    float squares = 0.0f;
    for (size_t c = threadIdx.x; c < columns; c += blockDim.x) squares += kz_widen(x[c]) * kz_widen(x[c]);
    squares = kz_fold_block<KZ_SUM>(squares);
    if (threadIdx.x == 0) factor = factor_of(squares, columns, epsilon);
    __syncthreads();
    for (size_t c = threadIdx.x; c < columns; c += blockDim.x)
        kz_narrow(&y[c], kz_widen(x[c]) * factor * kz_widen(weight[c]));
}

#define ENTRY(type, T)                                                                                       \
    KZ_ENTRY(rmsnorm_block_rmsnorm_##type)                                                                   \
    (const T *x, const T *weight, T *y, size_t rows, size_t columns, float epsilon) {                        \
        normalize(x, weight, y, columns, epsilon);                                                           \
    }
RMSNORM_TYPES(ENTRY)
