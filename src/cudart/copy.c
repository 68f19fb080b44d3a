// Copies and fills in all their forms: everything is rows of bytes from one memory to another.
#include "runtime.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t address_of(const void *pointer) { return (uint64_t)(uintptr_t)pointer; }

// What the machine refuses is no memory, no memory any more, or not so much of it.
static cudaError_t refused(const char *call, const kz_error *error) {
    return cudart_misuse(
        cudaErrorInvalidValue, "%s: %s\nlikely cause: %s", call, error->message,
        strstr(error->message, "freed")
            ? "it was freed before its last use\nwhat to do: free it after what uses it last"
            : "another size here than where it was allocated\nwhat to do: sizes are in bytes "
              "at both: count * sizeof(element)");
}

// ---- running --------------------------------------------------------------------------------------------

// The machine checks and tells of its own memory; the host's is touched as it is.
static kz_status copy_row(uint64_t to, uint64_t from, size_t bytes, bool to_device, bool from_device,
                          kz_error *error) {
    const cudart_host *host = cudart.host;
    if (to_device && from_device) return sim_memory_copy(cudart.machine, to, from, bytes, error);
    void *buffer = host->is_here ? (void *)(uintptr_t)to : malloc(bytes);
    if (!buffer) return base_fail(error, KZ_NO_MEMORY, "no memory for a copy of %zu bytes", bytes);
    const void *data = buffer;
    kz_status status = KZ_OK;
    if (from_device)
        status = sim_memory_read(cudart.machine, buffer, from, bytes, error);
    else if (!(data = host->look(from, bytes, buffer)))
        status = base_fail(error, KZ_INVALID, "the host's memory cannot be read");
    if (!status && to_device) status = sim_memory_write(cudart.machine, to, data, bytes, error);
    if (!status && !to_device && data != (void *)(uintptr_t)to && !host->write(to, data, bytes))
        status = base_fail(error, KZ_INVALID, "the host's memory cannot be written");
    if (!host->is_here) free(buffer);
    return status;
}

cudaError_t cudart_copy_run(const cudart_copy *c) {
    bool to_device = sim_memory_is_device(cudart.machine, c->to.address);
    bool from_device = sim_memory_is_device(cudart.machine, c->from.address);
    size_t width = c->width, height = c->height, depth = c->depth;
    if (width == 0 || height == 0 || depth == 0) return cudaSuccess;
    // Rows without gaps on both sides are one.
    if (height > 1 && c->to.pitch == width && c->from.pitch == width) {
        bool whole = depth > 1 && c->to.slice == width * height && c->from.slice == width * height;
        width *= height;
        height = 1;
        if (whole) width *= depth, depth = 1;
    }
    for (size_t z = 0; z < depth; z++)
        for (size_t y = 0; y < height; y++) {
            kz_error error = {0};
            uint64_t to = c->to.address + z * c->to.slice + y * c->to.pitch,
                     from = c->from.address + z * c->from.slice + y * c->from.pitch;
            if (copy_row(to, from, width, to_device, from_device, &error) == KZ_OK) continue;
            return refused(c->call, &error);
        }
    return cudaSuccess;
}

cudaError_t cudart_set_run(const cudart_set *s) {
    size_t width = s->width * s->element, height = s->height;
    uint8_t row[4096];
    if (width == 0 || height == 0 || s->depth == 0) return cudaSuccess;
    for (size_t i = 0; i < sizeof row; i++) row[i] = (uint8_t)(s->value >> 8 * (i % s->element));
    if (height > 1 && s->to.pitch == width && s->depth == 1) {
        width *= height;
        height = 1;
    }
    bool on_device = sim_memory_is_device(cudart.machine, s->to.address);
    for (size_t z = 0; z < s->depth; z++)
        for (size_t y = 0; y < height; y++) {
            uint64_t at = s->to.address + z * s->to.slice + y * s->to.pitch;
            kz_error error = {0};
            kz_status status = KZ_OK;
            const cudart_allocation *a = on_device ? NULL : cudart_allocation_find(at);
            if (!on_device && (!a || width > a->address + a->bytes - at))
                status = base_fail(&error, KZ_INVALID,
                                   "%zu bytes at 0x%" PRIx64 " are more than was registered", width, at);
            else if (s->element == 1 && on_device)
                status = sim_memory_fill(cudart.machine, at, (uint8_t)s->value, width, &error);
            else
                for (size_t done = 0; done < width && status == KZ_OK; done += sizeof row) {
                    size_t part = width - done < sizeof row ? width - done : sizeof row;
                    if (on_device)
                        status = sim_memory_write(cudart.machine, at + done, row, part, &error);
                    else if (!cudart.host->write(at + done, row, part))
                        status = base_fail(&error, KZ_INVALID, "the host's memory cannot be written");
                }
            if (status == KZ_OK) continue;
            return refused(s->call, &error);
        }
    return cudaSuccess;
}

// ---- checks ---------------------------------------------------------------------------------------------

static const char *kind_name(enum cudaMemcpyKind kind) {
    static const char *const names[] = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice",
                                        "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice",
                                        "cudaMemcpyDefault"};
    return (unsigned)kind < BASE_COUNT(names) ? names[kind] : "an unknown kind";
}

static cudaError_t wrong_side(const cudart_copy *c, const char *which, uint64_t address, bool wants_device) {
    char what[512];
    cudart_describe_address(address, what, sizeof what);
    return cudart_misuse(
        cudaErrorInvalidValue,
        "%s: %s says that the %s is on the %s, and it is not\n%s\nlikely cause: the pointers "
        "are the wrong way round, or the kind is\nwhat to do: the destination comes first; "
        "cudaMemcpyDefault finds the kind itself",
        c->call, kind_name(c->kind), which, wants_device ? "device" : "host", what);
}

static uint64_t last_byte(const cudart_rows *p, const cudart_copy *c) {
    return p->address + (c->depth - 1) * p->slice + (c->height - 1) * p->pitch + c->width;
}

static cudaError_t past_the_end(const cudart_copy *c, const cudart_rows *p, const char *which) {
    const cudart_allocation *a = cudart_allocation_find(p->address);
    if (!a || last_byte(p, c) <= a->address + a->bytes) return cudaSuccess;
    char what[512];
    cudart_describe_address(p->address, what, sizeof what);
    return cudart_misuse(
        cudaErrorInvalidValue,
        "%s: the %s has not so many bytes: the copy ends %" PRIu64
        " bytes past the end\n%s\nlikely cause: another size here than where it was allocated\n"
        "what to do: sizes are in bytes at both: count * sizeof(element)",
        c->call, which, last_byte(p, c) - (a->address + a->bytes), what);
}

cudaError_t cudart_copy_check(const cudart_copy *c) {
    if ((unsigned)c->kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
    if (c->width == 0 || c->height == 0 || c->depth == 0) return cudaSuccess;
    uint64_t to = c->to.address, from = c->from.address;
    if (!to || !from) {
        return cudart_misuse(cudaErrorInvalidValue,
                             "%s: the %s is a null pointer\nlikely cause: its allocation failed, or was "
                             "forgotten\nwhat to do: look at what the call that allocates it returns",
                             c->call, to ? "source" : "destination");
    }
    if (sim_memory_is_heap(cudart.machine, to) || sim_memory_is_heap(cudart.machine, from))
        return cudart_misuse(
            cudaErrorInvalidValue,
            "%s: malloc() in a kernel gave that memory, and only kernels can reach it\nlikely "
            "cause: a pointer that a kernel handed out\nwhat to do: let a kernel copy it to "
            "memory of cudaMalloc",
            c->call);
    if (c->kind != cudaMemcpyDefault) {
        bool to_device = c->kind == cudaMemcpyHostToDevice || c->kind == cudaMemcpyDeviceToDevice;
        bool from_device = c->kind == cudaMemcpyDeviceToHost || c->kind == cudaMemcpyDeviceToDevice;
        if (to_device ? !cudart_is_on_device(to) : !cudart_is_on_host(to))
            return wrong_side(c, "destination", to, to_device);
        if (from_device ? !cudart_is_on_device(from) : !cudart_is_on_host(from))
            return wrong_side(c, "source", from, from_device);
    }
    cudaError_t error = past_the_end(c, &c->to, "destination");
    return error ? error : past_the_end(c, &c->from, "source");
}

static cudaError_t submit(const cudart_copy *asked, cudaStream_t stream, bool waits) {
    cudart_op op = {.kind = CUDART_OP_COPY, .copy = *asked};
    cudart_copy *c = &op.copy;
    c->waits = waits;
    if (cudart.journal.library_call[0]) c->call = cudart.journal.library_call;
    cudaError_t error = cudart_copy_check(c);
    if (!error && waits) error = cudart_capture_forbids(c->call);
    if (!error && waits) error = cudart_synchronize();
    return error ? error : cudart_submit(stream, &op);
}

// For graphs: a 3D description of what was asked for.
static struct cudaMemcpy3DParms params_of(const cudart_copy *c) {
    return (struct cudaMemcpy3DParms){
        .srcPtr = {(void *)(uintptr_t)c->from.address, c->from.pitch, c->width, c->height},
        .dstPtr = {(void *)(uintptr_t)c->to.address, c->to.pitch, c->width, c->height},
        .extent = {c->width, c->height, c->depth},
        .kind = c->kind};
}

cudart_copy cudart_copy_1d(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                           const char *call) {
    cudart_copy c = {.to = {address_of(to), bytes, bytes},
                     .from = {address_of(from), bytes, bytes},
                     .width = bytes,
                     .height = 1,
                     .depth = 1,
                     .kind = kind,
                     .call = call};
    c.params = params_of(&c);
    return c;
}

static cudaError_t copy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                        cudaStream_t stream, bool waits, const char *call) {
    cudart_copy c = cudart_copy_1d(to, from, bytes, kind, call);
    return submit(&c, stream, waits);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
    return CUDART_CALL(copy(to, from, bytes, kind, NULL, true, "cudaMemcpy"));
}
CUDART_TWIN(cudaMemcpy, _ptds);

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream) {
    return CUDART_CALL(copy(to, from, bytes, kind, stream, false, "cudaMemcpyAsync"));
}
CUDART_TWIN(cudaMemcpyAsync, _ptsz);

static cudaError_t copy_peer(void *to, int to_device, const void *from, int from_device, size_t bytes,
                             cudaStream_t stream, bool waits, const char *call) {
    if (to_device != 0 || from_device != 0) return cudaErrorInvalidDevice;
    return copy(to, from, bytes, cudaMemcpyDeviceToDevice, stream, waits, call);
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes) {
    return CUDART_CALL(copy_peer(to, to_device, from, from_device, bytes, NULL, true, "cudaMemcpyPeer"));
}
cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                                cudaStream_t stream) {
    return CUDART_CALL(
        copy_peer(to, to_device, from, from_device, bytes, stream, false, "cudaMemcpyPeerAsync"));
}

// ---- symbols --------------------------------------------------------------------------------------------

cudaError_t cudart_symbol_address(const void *symbol, size_t offset, size_t bytes, void **pointer,
                                  const char *call) {
    uint64_t address;
    size_t size;
    cudaError_t error = cudart_variable_find(symbol, &address, &size);
    if (error) {
        return cudart_misuse(
            error,
            "%s: %p is no __device__ or __constant__ variable of this program\nlikely cause: "
            "its name as text, or the address of something else\nwhat to do: give the "
            "variable itself",
            call, symbol);
    }
    if (offset > size || bytes > size - offset) {
        return cudart_misuse(
            cudaErrorInvalidValue,
            "%s: %zu bytes from offset %zu, but the variable has %zu bytes\nlikely cause: the "
            "size of another type, or an offset in elements\nwhat to do: sizes and offsets "
            "are in bytes, sizeof(variable) at most",
            call, bytes, offset, size);
    }
    *pointer = (void *)(uintptr_t)(address + offset);
    return cudaSuccess;
}

static cudaError_t wrong_way(const char *call, const char *kinds) {
    return cudart_misuse(
        cudaErrorInvalidMemcpyDirection,
        "%s: the kind says the other way\nlikely cause: that of another copy\nwhat to do: %s", call, kinds);
}

static cudaError_t to_symbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                             enum cudaMemcpyKind kind, cudaStream_t stream, bool waits, const char *call) {
    void *to = NULL;
    if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost)
        return wrong_way(call, "cudaMemcpyHostToDevice, which it is by default");
    cudaError_t error = cudart_symbol_address(symbol, offset, bytes, &to, call);
    return error ? error : copy(to, from, bytes, kind, stream, waits, call);
}

static cudaError_t from_symbol(void *to, const void *symbol, size_t bytes, size_t offset,
                               enum cudaMemcpyKind kind, cudaStream_t stream, bool waits, const char *call) {
    void *from = NULL;
    if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost)
        return wrong_way(call, "cudaMemcpyDeviceToHost, which it is by default");
    cudaError_t error = cudart_symbol_address(symbol, offset, bytes, &from, call);
    return error ? error : copy(to, from, bytes, kind, stream, waits, call);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                               enum cudaMemcpyKind kind) {
    return CUDART_CALL(to_symbol(symbol, from, bytes, offset, kind, NULL, true, "cudaMemcpyToSymbol"));
}
CUDART_TWIN(cudaMemcpyToSymbol, _ptds);

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset,
                                 enum cudaMemcpyKind kind) {
    return CUDART_CALL(from_symbol(to, symbol, bytes, offset, kind, NULL, true, "cudaMemcpyFromSymbol"));
}
CUDART_TWIN(cudaMemcpyFromSymbol, _ptds);

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset,
                                    enum cudaMemcpyKind kind, cudaStream_t stream) {
    return CUDART_CALL(
        to_symbol(symbol, from, bytes, offset, kind, stream, false, "cudaMemcpyToSymbolAsync"));
}
CUDART_TWIN(cudaMemcpyToSymbolAsync, _ptsz);

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream) {
    return CUDART_CALL(
        from_symbol(to, symbol, bytes, offset, kind, stream, false, "cudaMemcpyFromSymbolAsync"));
}
CUDART_TWIN(cudaMemcpyFromSymbolAsync, _ptsz);

// ---- two dimensions -------------------------------------------------------------------------------------

static cudaError_t copy_2d(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                           size_t height, enum cudaMemcpyKind kind, cudaStream_t stream, bool waits,
                           const char *call) {
    if (width > to_pitch || width > from_pitch) {
        return cudart_misuse(
            cudaErrorInvalidPitchValue,
            "%s: rows of %zu bytes are longer than a pitch (%zu, %zu)\nlikely cause: a pitch in "
            "elements\nwhat to do: pitches and widths are in bytes",
            call, width, to_pitch, from_pitch);
    }
    cudart_copy c = {.to = {address_of(to), to_pitch, 0},
                     .from = {address_of(from), from_pitch, 0},
                     .width = width,
                     .height = height,
                     .depth = 1,
                     .kind = kind,
                     .call = call};
    c.params = params_of(&c);
    return submit(&c, stream, waits);
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                         size_t height, enum cudaMemcpyKind kind) {
    return CUDART_CALL(
        copy_2d(to, to_pitch, from, from_pitch, width, height, kind, NULL, true, "cudaMemcpy2D"));
}
CUDART_TWIN(cudaMemcpy2D, _ptds);

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, enum cudaMemcpyKind kind, cudaStream_t stream) {
    return CUDART_CALL(
        copy_2d(to, to_pitch, from, from_pitch, width, height, kind, stream, false, "cudaMemcpy2DAsync"));
}
CUDART_TWIN(cudaMemcpy2DAsync, _ptsz);

// ---- three dimensions, and arrays -----------------------------------------------------------------------

// Whether a box of elements lies in an array.
static bool holds(const struct cudaArray *a, const struct cudaPos *at, const struct cudaExtent *box) {
    size_t rows = a->extent.height ? a->extent.height : 1, slices = a->extent.depth ? a->extent.depth : 1;
    return at->x <= a->extent.width && box->width <= a->extent.width - at->x && at->y <= rows &&
           box->height <= rows - at->y && at->z <= slices && box->depth <= slices - at->z;
}

cudaError_t cudart_copy_of_params(const struct cudaMemcpy3DParms *p, const char *call, cudart_copy *c) {
    const struct cudaArray *from = p->srcArray, *to = p->dstArray;
    // Extents are in elements where an array takes part, else in bytes.
    size_t element = from ? from->element : to ? to->element : 1;
    *c = (cudart_copy){.width = p->extent.width * element,
                       .height = p->extent.height,
                       .depth = p->extent.depth,
                       .kind = p->kind,
                       .call = call,
                       .params = *p};
    if ((from && p->srcPtr.ptr) || (to && p->dstPtr.ptr)) return cudaErrorInvalidValue;
    if (from && to && from->element != to->element) return cudaErrorInvalidValue;
    if ((from && !holds(from, &p->srcPos, &p->extent)) || (to && !holds(to, &p->dstPos, &p->extent)))
        return cudart_misuse(cudaErrorInvalidValue,
                             "%s: the copy leaves the array\nlikely cause: bytes for elements, or a position "
                             "that was not taken off the extent\nwhat to do: where an array takes part, "
                             "positions and extents count its elements",
                             call);
    size_t from_x = from ? p->srcPos.x * element : p->srcPos.x,
           to_x = to ? p->dstPos.x * element : p->dstPos.x;
    c->from =
        from ? (cudart_rows){from->address, from->pitch, from->slice}
             : (cudart_rows){address_of(p->srcPtr.ptr), p->srcPtr.pitch, p->srcPtr.pitch * p->srcPtr.ysize};
    c->to = to ? (cudart_rows){to->address, to->pitch, to->slice}
               : (cudart_rows){address_of(p->dstPtr.ptr), p->dstPtr.pitch, p->dstPtr.pitch * p->dstPtr.ysize};
    c->from.address += from_x + p->srcPos.y * c->from.pitch + p->srcPos.z * c->from.slice;
    c->to.address += to_x + p->dstPos.y * c->to.pitch + p->dstPos.z * c->to.slice;
    return cudaSuccess;
}

static cudaError_t copy_3d(const struct cudaMemcpy3DParms *p, cudaStream_t stream, bool waits,
                           const char *call) {
    cudart_copy c;
    cudaError_t error = p ? cudart_copy_of_params(p, call, &c) : cudaErrorInvalidValue;
    return error ? error : submit(&c, stream, waits);
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p) {
    return CUDART_CALL(copy_3d(p, NULL, true, "cudaMemcpy3D"));
}
CUDART_TWIN(cudaMemcpy3D, _ptds);

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream) {
    return CUDART_CALL(copy_3d(p, stream, false, "cudaMemcpy3DAsync"));
}
CUDART_TWIN(cudaMemcpy3DAsync, _ptsz);

static cudaError_t copy_3d_peer(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream, bool waits,
                                const char *call) {
    if (!p) return cudaErrorInvalidValue;
    if (p->srcDevice || p->dstDevice) return cudaErrorInvalidDevice;
    struct cudaMemcpy3DParms plain = {.srcArray = p->srcArray,
                                      .srcPos = p->srcPos,
                                      .srcPtr = p->srcPtr,
                                      .dstArray = p->dstArray,
                                      .dstPos = p->dstPos,
                                      .dstPtr = p->dstPtr,
                                      .extent = p->extent,
                                      .kind = cudaMemcpyDeviceToDevice};
    return copy_3d(&plain, stream, waits, call);
}

cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p) {
    return CUDART_CALL(copy_3d_peer(p, NULL, true, "cudaMemcpy3DPeer"));
}
CUDART_TWIN(cudaMemcpy3DPeer, _ptds);

cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream) {
    return CUDART_CALL(copy_3d_peer(p, stream, false, "cudaMemcpy3DPeerAsync"));
}
CUDART_TWIN(cudaMemcpy3DPeerAsync, _ptsz);

// An array's rows from (x bytes, y) on.
static cudart_rows array_rows(const struct cudaArray *a, size_t x, size_t y) {
    return (cudart_rows){a->address + x + y * a->pitch, a->pitch, a->slice};
}

static cudaError_t copy_rows(cudart_rows to, cudart_rows from, size_t width, size_t height,
                             enum cudaMemcpyKind kind, cudaStream_t stream, bool waits, const char *call) {
    cudart_copy c = {
        .to = to, .from = from, .width = width, .height = height, .depth = 1, .kind = kind, .call = call};
    c.params = params_of(&c);
    return submit(&c, stream, waits);
}

static bool fits(const struct cudaArray *a, size_t x, size_t y, size_t width, size_t height) {
    size_t rows = a->extent.height ? a->extent.height : 1;
    return x <= a->pitch && width <= a->pitch - x && y <= rows && height <= rows - y;
}

static cudaError_t to_array(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                            size_t height, enum cudaMemcpyKind kind, cudaStream_t stream, bool waits,
                            const char *call) {
    if (!to || !fits(to, x, y, width, height)) return cudaErrorInvalidValue;
    cudart_rows rows = {address_of(from), pitch, 0};
    return copy_rows(array_rows(to, x, y), rows, width, height, kind, stream, waits, call);
}

static cudaError_t from_array(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                              size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream,
                              bool waits, const char *call) {
    if (!from || !fits(from, x, y, width, height)) return cudaErrorInvalidValue;
    cudart_rows rows = {address_of(to), pitch, 0};
    return copy_rows(rows, array_rows(from, x, y), width, height, kind, stream, waits, call);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                                size_t width, size_t height, enum cudaMemcpyKind kind) {
    return CUDART_CALL(
        to_array(to, x, y, from, pitch, width, height, kind, NULL, true, "cudaMemcpy2DToArray"));
}
CUDART_TWIN(cudaMemcpy2DToArray, _ptds);

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                                     size_t width, size_t height, enum cudaMemcpyKind kind,
                                     cudaStream_t stream) {
    return CUDART_CALL(
        to_array(to, x, y, from, pitch, width, height, kind, stream, false, "cudaMemcpy2DToArrayAsync"));
}
CUDART_TWIN(cudaMemcpy2DToArrayAsync, _ptsz);

cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                                  size_t width, size_t height, enum cudaMemcpyKind kind) {
    return CUDART_CALL(
        from_array(to, pitch, from, x, y, width, height, kind, NULL, true, "cudaMemcpy2DFromArray"));
}
CUDART_TWIN(cudaMemcpy2DFromArray, _ptds);

cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                                       size_t width, size_t height, enum cudaMemcpyKind kind,
                                       cudaStream_t stream) {
    return CUDART_CALL(
        from_array(to, pitch, from, x, y, width, height, kind, stream, false, "cudaMemcpy2DFromArrayAsync"));
}
CUDART_TWIN(cudaMemcpy2DFromArrayAsync, _ptsz);

static cudaError_t array_to_array(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                                  size_t from_x, size_t from_y, size_t width, size_t height,
                                  enum cudaMemcpyKind kind, const char *call) {
    if (!to || !from || !fits(to, to_x, to_y, width, height) || !fits(from, from_x, from_y, width, height))
        return cudaErrorInvalidValue;
    return copy_rows(array_rows(to, to_x, to_y), array_rows(from, from_x, from_y), width, height, kind, NULL,
                     true, call);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                                     size_t from_x, size_t from_y, size_t width, size_t height,
                                     enum cudaMemcpyKind kind) {
    return CUDART_CALL(array_to_array(to, to_x, to_y, from, from_x, from_y, width, height, kind,
                                      "cudaMemcpy2DArrayToArray"));
}
CUDART_TWIN(cudaMemcpy2DArrayToArray, _ptds);

// Bytes in a row run over the ends of an array's rows: row by row.
static cudaError_t linear_array(struct cudaArray *a, size_t x, size_t y, uint64_t other, size_t bytes,
                                bool to, enum cudaMemcpyKind kind, cudaStream_t stream, bool waits,
                                const char *call) {
    while (bytes) {
        if (!fits(a, x, y, 1, 1)) return cudaErrorInvalidValue;
        size_t part = a->pitch - x < bytes ? a->pitch - x : bytes;
        cudart_rows there = array_rows(a, x, y), here = {other, part, 0};
        cudaError_t error =
            copy_rows(to ? there : here, to ? here : there, part, 1, kind, stream, waits, call);
        if (error) return error;
        bytes -= part;
        other += part;
        x = 0;
        y++;
    }
    return cudaSuccess;
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes,
                              enum cudaMemcpyKind kind) {
    return CUDART_CALL(
        to ? linear_array(to, x, y, address_of(from), bytes, true, kind, NULL, true, "cudaMemcpyToArray")
           : cudaErrorInvalidValue);
}
CUDART_TWIN(cudaMemcpyToArray, _ptds);

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes,
                                   enum cudaMemcpyKind kind, cudaStream_t stream) {
    return CUDART_CALL(to ? linear_array(to, x, y, address_of(from), bytes, true, kind, stream, false,
                                         "cudaMemcpyToArrayAsync")
                          : cudaErrorInvalidValue);
}
CUDART_TWIN(cudaMemcpyToArrayAsync, _ptsz);

cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                enum cudaMemcpyKind kind) {
    return CUDART_CALL(from ? linear_array((cudaArray_t)(uintptr_t)from, x, y, address_of(to), bytes, false,
                                           kind, NULL, true, "cudaMemcpyFromArray")
                            : cudaErrorInvalidValue);
}
CUDART_TWIN(cudaMemcpyFromArray, _ptds);

cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                     enum cudaMemcpyKind kind, cudaStream_t stream) {
    return CUDART_CALL(from ? linear_array((cudaArray_t)(uintptr_t)from, x, y, address_of(to), bytes, false,
                                           kind, stream, false, "cudaMemcpyFromArrayAsync")
                            : cudaErrorInvalidValue);
}
CUDART_TWIN(cudaMemcpyFromArrayAsync, _ptsz);
