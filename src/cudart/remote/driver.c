// The driver's encoder of tensor maps, for a program whose device is another process. A map is 128 bytes that say nothing of the
// device's state, so it is made here; the copy that uses one checks it there.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>

#include "cudart/runtime.h"
#include "sim/tensor_map.h"

static const char encoder[] = "cuTensorMapEncodeTiled";

static CUresult refuse(const char *why) {
    fprintf(stderr, "kz: %s: %s\n", encoder, why);
    return CUDA_ERROR_INVALID_VALUE;
}

static CUresult encode_tiled(CUtensorMap *to, CUtensorMapDataType type, cuuint32_t rank, void *address,
                             const cuuint64_t *dim, const cuuint64_t *stride, const cuuint32_t *box,
                             const cuuint32_t *step, CUtensorMapInterleave interleave,
                             CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                             CUtensorMapFloatOOBfill fill) {
    kz_error error = {0};
    sim_tensor_map map = {.type = (int32_t)type,
                          .rank = rank,
                          .address = (uint64_t)(uintptr_t)address,
                          .interleave = (int32_t)interleave,
                          .swizzle = (int32_t)swizzle,
                          .promotion = (int32_t)promotion,
                          .fill = (int32_t)fill};
    if (!to || !dim || !stride || !box || !step)
        return refuse("an array is NULL; each has an entry per dimension");
    for (uint32_t i = 0; i < rank && i < SIM_TENSOR_RANK; i++) {
        map.dim[i] = dim[i];
        map.box[i] = box[i];
        map.step[i] = step[i];
        if (i) map.stride[i - 1] = stride[i - 1];
    }
    return sim_tensor_map_encode(&map, to, &error) ? refuse(error.message) : CUDA_SUCCESS;
}

static cudaError_t entry_point(const char *symbol, void **function,
                               enum cudaDriverEntryPointQueryResult *status) {
    if (!symbol || !function) return cudaErrorInvalidValue;
    bool known = strcmp(symbol, encoder) == 0;
    *function = known ? (void *)encode_tiled : NULL;
    if (status) *status = known ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    if (!known)
        fprintf(stderr,
                "kz: %s is asked for, and is not there: of the CUDA driver, graded programs have %s alone\n"
                "  what to do: call the runtime API instead\n",
                symbol, encoder);
    return cudaSuccess;
}

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *status) {
    return entry_point(symbol, function, status);
}
CUDART_TWIN(cudaGetDriverEntryPoint, _ptsz);

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                             unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *status) {
    return version ? entry_point(symbol, function, status) : cudaErrorInvalidValue;
}
CUDART_TWIN(cudaGetDriverEntryPointByVersion, _ptsz);
