// cudaMemset in all its forms.
#include "runtime.h"

#include <inttypes.h>

cudaError_t cudart_set_check(const cudart_set *s) {
    if (s->width == 0 || s->height == 0 || s->depth == 0) return cudaSuccess;
    if (!s->to.address)
        return cudart_misuse(cudaErrorInvalidValue,
                             "%s: the address is NULL\nlikely cause: an allocation that failed, or was never "
                             "made\nwhat to do: look at what cudaMalloc gave back",
                             s->call);
    if (!cudart_is_on_device(s->to.address))
        return cudart_misuse(cudaErrorInvalidValue,
                             "%s: 0x%" PRIx64
                             " is no device memory\nlikely cause: a pointer of the host's own\nwhat to do: "
                             "memset() for the host's memory",
                             s->call, s->to.address);
    bool overlap = s->height > 1 && s->width * s->element > s->to.pitch;
    return overlap ? cudaErrorInvalidValue : cudaSuccess;
}

static cudaError_t set(void *to, size_t pitch, size_t slice, int value, struct cudaExtent extent,
                       cudaStream_t stream, bool waits, const char *call) {
    cudart_op op = {.kind = CUDART_OP_SET,
                    .set = {.to = {(uint64_t)(uintptr_t)to, pitch, slice},
                            .width = extent.width,
                            .height = extent.height,
                            .depth = extent.depth,
                            .element = 1,
                            .value = (unsigned)value & 255,
                            .waits = waits,
                            .call = call}};
    cudaError_t error = cudart_set_check(&op.set);
    if (!error && waits) error = cudart_capture_forbids(call);
    if (!error && waits) error = cudart_synchronize();
    return error ? error : cudart_submit(stream, &op);
}

static struct cudaExtent line(size_t bytes) { return (struct cudaExtent){bytes, 1, 1}; }

cudaError_t cudaMemset(void *to, int value, size_t bytes) {
    return CUDART_CALL(set(to, bytes, bytes, value, line(bytes), NULL, true, "cudaMemset"));
}
CUDART_TWIN(cudaMemset, _ptds);

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream) {
    return CUDART_CALL(set(to, bytes, bytes, value, line(bytes), stream, false, "cudaMemsetAsync"));
}
CUDART_TWIN(cudaMemsetAsync, _ptsz);

cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height) {
    return CUDART_CALL(set(to, pitch, pitch * height, value, (struct cudaExtent){width, height, 1}, NULL,
                           true, "cudaMemset2D"));
}
CUDART_TWIN(cudaMemset2D, _ptds);

cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
    return CUDART_CALL(set(to, pitch, pitch * height, value, (struct cudaExtent){width, height, 1}, stream,
                           false, "cudaMemset2DAsync"));
}
CUDART_TWIN(cudaMemset2DAsync, _ptsz);

cudaError_t cudaMemset3D(struct cudaPitchedPtr to, int value, struct cudaExtent extent) {
    return CUDART_CALL(set(to.ptr, to.pitch, to.pitch * to.ysize, value, extent, NULL, true, "cudaMemset3D"));
}
CUDART_TWIN(cudaMemset3D, _ptds);

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr to, int value, struct cudaExtent extent,
                              cudaStream_t stream) {
    return CUDART_CALL(
        set(to.ptr, to.pitch, to.pitch * to.ysize, value, extent, stream, false, "cudaMemset3DAsync"));
}
CUDART_TWIN(cudaMemset3DAsync, _ptsz);
