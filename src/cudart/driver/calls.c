// The few functions of the CUDA driver that programs over the runtime call: tensor maps and fills by words have no other way. They are
// found by cudaGetDriverEntryPoint, or in libcuda.so.1 (library.c); here each has a name that no program is linked with.
#include <cuda.h>
#include <string.h>

#include "cudart/runtime.h"
#include "sim/tensor_map.h"

#define CUDART_DRIVER(function, name) extern __typeof__(function) __cudaDriver_##function;
#include "cudart/driver/calls.def"
#undef CUDART_DRIVER

// ---- errors ----------------------------------------------------------------------------------------------

static const struct {
    CUresult error;
    const char *name;
} errors[] = {
#define CUDART_DRIVER_ERROR(name) {name, #name},
#include "cudart/driver/errors.def"
#undef CUDART_DRIVER_ERROR
};

static const char *name_of(CUresult error) {
    for (size_t i = 0; i < BASE_COUNT(errors); i++)
        if (errors[i].error == error) return errors[i].name;
    return NULL;
}

CUresult __cudaDriver_cuGetErrorName(CUresult error, const char **name) {
    if (!name) return CUDA_ERROR_INVALID_VALUE;
    *name = name_of(error);
    return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult __cudaDriver_cuGetErrorString(CUresult error, const char **text) {
    if (!text) return CUDA_ERROR_INVALID_VALUE;
    *text = name_of(error) ? cudart_error_text((int)error) : NULL;
    return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// ---- the driver itself -----------------------------------------------------------------------------------

CUresult __cudaDriver_cuInit(unsigned flags) {
    if (flags) return CUDA_ERROR_INVALID_VALUE;
    return (CUresult)CUDART_CALL(cudaSuccess);
}

CUresult __cudaDriver_cuDriverGetVersion(int *version) {
    if (!version) return CUDA_ERROR_INVALID_VALUE;
    *version = CUDA_VERSION;
    return CUDA_SUCCESS;
}

static void *find(const char *symbol) {
    static const struct {
        const char *name;
        void *function;
    } calls[] = {
#define CUDART_DRIVER(function, name) {name, (void *)__cudaDriver_##function},
#include "cudart/driver/calls.def"
#undef CUDART_DRIVER
    };
    for (size_t i = 0; i < BASE_COUNT(calls); i++)
        if (!strcmp(calls[i].name, symbol)) return calls[i].function;
    cudart_say("%s is asked for, and is not there: the simulator's CUDA driver does not have this call\n"
               "  what to do: call the runtime API instead (docs/whole_programs.md lists what works)",
               symbol);
    return NULL;
}

static cudaError_t entry_point(const char *symbol, void **function,
                               enum cudaDriverEntryPointQueryResult *status) {
    if (!symbol || !function) return cudaErrorInvalidValue;
    *function = find(symbol);
    if (status) *status = *function ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *status) {
    return CUDART_CALL(entry_point(symbol, function, status));
}
CUDART_TWIN(cudaGetDriverEntryPoint, _ptsz);

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                             unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *status) {
    return CUDART_CALL(version ? entry_point(symbol, function, status) : cudaErrorInvalidValue);
}
CUDART_TWIN(cudaGetDriverEntryPointByVersion, _ptsz);

CUresult __cudaDriver_cuGetProcAddress_v2(const char *symbol, void **function, int version, cuuint64_t flags,
                                          CUdriverProcAddressQueryResult *status) {
    if (!symbol || !function) return CUDA_ERROR_INVALID_VALUE;
    *function = find(symbol);
    if (status) *status = *function ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

// ---- fills -----------------------------------------------------------------------------------------------

static cudaError_t fill(CUdeviceptr to, unsigned value, unsigned element, size_t count, CUstream stream,
                        const char *call) {
    cudart_op op = {.kind = CUDART_OP_SET,
                    .set = {.to = {to, count * element, count * element},
                            .width = count,
                            .height = 1,
                            .depth = 1,
                            .element = element,
                            .value = value,
                            .call = call}};
    cudaError_t error = cudart_set_check(&op.set);
    if (!error && to % element)
        error = cudart_misuse(cudaErrorInvalidValue, "%s: the address is no multiple of %u", call, element);
    return error ? error : cudart_submit((cudaStream_t)stream, &op);
}

CUresult __cudaDriver_cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
    return (CUresult)CUDART_CALL(fill(to, value, 1, count, stream, "cuMemsetD8Async"));
}

CUresult __cudaDriver_cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream) {
    return (CUresult)CUDART_CALL(fill(to, value, 2, count, stream, "cuMemsetD16Async"));
}

CUresult __cudaDriver_cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
    return (CUresult)CUDART_CALL(fill(to, value, 4, count, stream, "cuMemsetD32Async"));
}

// ---- tensor maps -----------------------------------------------------------------------------------------

static cudaError_t refused(const char *call, const kz_error *error) {
    return cudart_misuse(cudaErrorInvalidValue, "%s: %s", call, error->message);
}

static cudaError_t needs_array(const char *call, const char *name) {
    return cudart_misuse(cudaErrorInvalidValue,
                         "%s: %s is NULL\nwhat to do: give an entry for each dimension", call, name);
}

// What both modes have in common; arrays are read as far as the rank says.
static cudaError_t read_tensor(const char *call, CUtensorMapDataType type, cuuint32_t rank, void *address,
                               const cuuint64_t *dim, const cuuint64_t *stride, const cuuint32_t *step,
                               sim_tensor_map *map) {
    map->type = (int32_t)type;
    map->rank = rank;
    map->address = (uint64_t)(uintptr_t)address;
    if (rank > SIM_TENSOR_RANK) return cudaSuccess; // the rules say so
    if (!dim) return needs_array(call, "globalDim");
    if (!stride) return needs_array(call, "globalStrides"); // a driver wants it for rank 1, too
    if (!step) return needs_array(call, "elementStrides");
    for (uint32_t i = 0; i < rank; i++) {
        map->dim[i] = dim[i];
        map->step[i] = step[i];
        if (i) map->stride[i - 1] = stride[i - 1];
    }
    return cudaSuccess;
}

static cudaError_t encode(const char *call, const sim_tensor_map *map, CUtensorMap *to) {
    kz_error error = {0};
    if (sim_machine_config(cudart.machine)->sm < 90)
        return cudart_misuse(
            cudaErrorNotSupported,
            "%s: this GPU has no tensor maps\nwhat to do: take one of sm_90 or newer: kz run "
            "--gpu h200",
            call);
    return sim_tensor_map_encode(map, to, &error) ? refused(call, &error) : cudaSuccess;
}

static cudaError_t encode_tiled(CUtensorMap *to, sim_tensor_map *map, cudaError_t read,
                                const cuuint32_t *box) {
    static const char call[] = "cuTensorMapEncodeTiled";
    if (read) return read;
    if (!to) return needs_array(call, "tensorMap");
    if (!box) return needs_array(call, "boxDim");
    for (uint32_t i = 0; i < map->rank && i < SIM_TENSOR_RANK; i++) map->box[i] = box[i];
    return encode(call, map, to);
}

CUresult __cudaDriver_cuTensorMapEncodeTiled(CUtensorMap *to, CUtensorMapDataType type, cuuint32_t rank,
                                             void *address, const cuuint64_t *dim, const cuuint64_t *stride,
                                             const cuuint32_t *box, const cuuint32_t *step,
                                             CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                             CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
    sim_tensor_map map = {.interleave = (int32_t)interleave,
                          .swizzle = (int32_t)swizzle,
                          .promotion = (int32_t)promotion,
                          .fill = (int32_t)fill};
    return (CUresult)CUDART_CALL(encode_tiled(
        to, &map, read_tensor("cuTensorMapEncodeTiled", type, rank, address, dim, stride, step, &map), box));
}

static cudaError_t encode_im2col(CUtensorMap *to, sim_tensor_map *map, cudaError_t read, const int *lower,
                                 const int *upper) {
    static const char call[] = "cuTensorMapEncodeIm2col";
    if (read) return read;
    if (!to) return needs_array(call, "tensorMap");
    if (!lower || !upper) return needs_array(call, lower ? "pixelBoxUpperCorner" : "pixelBoxLowerCorner");
    for (uint32_t i = 0; i + 2 < map->rank && i + 2 < SIM_TENSOR_RANK; i++) {
        map->lower[i] = lower[i];
        map->upper[i] = upper[i];
    }
    return encode(call, map, to);
}

CUresult __cudaDriver_cuTensorMapEncodeIm2col(CUtensorMap *to, CUtensorMapDataType type, cuuint32_t rank,
                                              void *address, const cuuint64_t *dim, const cuuint64_t *stride,
                                              const int *lower, const int *upper, cuuint32_t channels,
                                              cuuint32_t pixels, const cuuint32_t *step,
                                              CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                              CUtensorMapL2promotion promotion,
                                              CUtensorMapFloatOOBfill fill) {
    sim_tensor_map map = {.im2col = true,
                          .channels = channels,
                          .pixels = pixels,
                          .interleave = (int32_t)interleave,
                          .swizzle = (int32_t)swizzle,
                          .promotion = (int32_t)promotion,
                          .fill = (int32_t)fill};
    return (CUresult)CUDART_CALL(encode_im2col(
        to, &map, read_tensor("cuTensorMapEncodeIm2col", type, rank, address, dim, stride, step, &map), lower,
        upper));
}

static cudaError_t replace_address(CUtensorMap *map, void *address) {
    static const char call[] = "cuTensorMapReplaceAddress";
    kz_error error = {0};
    if (!map) return needs_array(call, "tensorMap");
    return sim_tensor_map_replace_address(map, (uint64_t)(uintptr_t)address, &error) ? refused(call, &error)
                                                                                     : cudaSuccess;
}

CUresult __cudaDriver_cuTensorMapReplaceAddress(CUtensorMap *map, void *address) {
    return (CUresult)CUDART_CALL(replace_address(map, address));
}
