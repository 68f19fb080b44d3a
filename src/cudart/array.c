// CUDA arrays: rows of elements in device memory, without padding; layers, faces and slices one after
// another.
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

static size_t element_bytes(const struct cudaChannelFormatDesc *f) {
    return (size_t)(f->x + f->y + f->z + f->w) / 8;
}

bool cudart_is_format(const struct cudaChannelFormatDesc *f) {
    int bits = f->x;
    if (bits != 8 && bits != 16 && bits != 32) return false;
    if ((f->y && f->y != bits) || (f->z && f->z != bits) || (f->w && f->w != bits)) return false;
    if (f->f > cudaChannelFormatKindNone) return false;
    return !f->z == !f->w && (f->y || !f->z); // one, two or four channels
}

static size_t at_least_one(size_t n) { return n ? n : 1; }

// Slices: depth, or layers, or six faces.
static size_t lay_out(struct cudaArray *a) {
    a->element = element_bytes(&a->format);
    a->pitch = a->extent.width * a->element;
    a->slice = a->pitch * at_least_one(a->extent.height);
    return a->slice * at_least_one(a->extent.depth);
}

static cudaError_t create(cudaArray_t *array, const struct cudaChannelFormatDesc *format,
                          struct cudaExtent extent, unsigned flags, const char *call) {
    if (!array || !format || extent.width == 0) return cudaErrorInvalidValue;
    if (!cudart_is_format(format)) return cudaErrorInvalidChannelDescriptor;
    if ((flags & cudaArrayCubemap) && (extent.width != extent.height || !extent.depth || extent.depth % 6))
        return cudaErrorInvalidValue;
    struct cudaArray *made = calloc(1, sizeof *made);
    if (!made) return cudaErrorMemoryAllocation;
    made->format = *format;
    made->extent = extent;
    made->flags = flags;
    cudaError_t error = cudart_allocate(lay_out(made), CUDART_MEMORY_DEVICE, 0, call, &made->address);
    if (error) {
        free(made);
        return error;
    }
    made->next = cudart.arrays;
    cudart.arrays = made;
    *array = made;
    return cudaSuccess;
}

bool cudart_is_array(cudaArray_const_t array) {
    for (const struct cudaArray *a = cudart.arrays; a; a = a->next)
        if (a == array) return true;
    return false;
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format, size_t width,
                            size_t height, unsigned flags) {
    return CUDART_CALL(
        create(array, format, (struct cudaExtent){width, height, 0}, flags, "cudaMallocArray"));
}
cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format,
                              struct cudaExtent extent, unsigned flags) {
    return CUDART_CALL(create(array, format, extent, flags, "cudaMalloc3DArray"));
}

static cudaError_t destroy(cudaArray_t array) {
    if (!array) return cudaSuccess;
    if (!cudart_is_array(array)) return cudaErrorInvalidValue; // of a mipmapped one, perhaps
    cudaError_t error = cudart_deallocate(array->address, "cudaFreeArray");
    if (error) return error;
    struct cudaArray **at = &cudart.arrays;
    while (*at != array) at = &(*at)->next;
    *at = array->next;
    free(array);
    return cudaSuccess;
}

cudaError_t cudaFreeArray(cudaArray_t array) { return CUDART_CALL(destroy(array)); }

static cudaError_t info(struct cudaChannelFormatDesc *format, struct cudaExtent *extent, unsigned *flags,
                        cudaArray_const_t array) {
    if (!array) return cudaErrorInvalidResourceHandle;
    if (format) *format = array->format;
    if (extent) *extent = array->extent;
    if (flags) *flags = array->flags;
    return cudaSuccess;
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *format, struct cudaExtent *extent, unsigned *flags,
                             cudaArray_t array) {
    return CUDART_CALL(info(format, extent, flags, array));
}
cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *format, cudaArray_const_t array) {
    return CUDART_CALL(format ? info(format, NULL, NULL, array) : cudaErrorInvalidValue);
}

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   enum cudaChannelFormatKind kind) {
    return (struct cudaChannelFormatDesc){.x = x, .y = y, .z = z, .w = w, .f = kind};
}

// ---- mipmapped ----------------------------------------------------------------------------------------

static size_t halved(size_t n, unsigned times) { return n == 0 ? 0 : at_least_one(n >> times); }

static cudaError_t create_mipmapped(cudaMipmappedArray_t *array, const struct cudaChannelFormatDesc *format,
                                    struct cudaExtent extent, unsigned levels, unsigned flags) {
    if (!array || !format || extent.width == 0 || levels == 0) return cudaErrorInvalidValue;
    if (!cudart_is_format(format)) return cudaErrorInvalidChannelDescriptor;
    size_t longest = extent.width > extent.height ? extent.width : extent.height;
    if (extent.depth > longest && !(flags & cudaArrayLayered)) longest = extent.depth;
    unsigned most = 1;
    while (longest >>= 1) most++;
    if (levels > most) levels = most;
    if (levels > SIM_TEXTURE_LEVELS) levels = SIM_TEXTURE_LEVELS;
    struct cudaMipmappedArray *made = calloc(1, sizeof *made);
    if (made) made->levels = calloc(levels, sizeof *made->levels);
    if (!made || !made->levels) {
        free(made);
        return cudaErrorMemoryAllocation;
    }
    *made = (struct cudaMipmappedArray){
        .format = *format, .extent = extent, .flags = flags, .count = levels, .levels = made->levels};
    size_t bytes = 0;
    bool slices_stay = flags & (cudaArrayLayered | cudaArrayCubemap);
    for (unsigned i = 0; i < levels; i++) {
        struct cudaArray *level = &made->levels[i];
        level->format = *format;
        level->flags = flags;
        level->extent = (struct cudaExtent){halved(extent.width, i), halved(extent.height, i),
                                            slices_stay ? extent.depth : halved(extent.depth, i)};
        level->address = bytes; // from the beginning, for now
        bytes += (lay_out(level) + 511) / 512 * 512;
    }
    cudaError_t error =
        cudart_allocate(bytes, CUDART_MEMORY_DEVICE, 0, "cudaMallocMipmappedArray", &made->address);
    if (error) {
        free(made->levels);
        free(made);
        return error;
    }
    for (unsigned i = 0; i < levels; i++) made->levels[i].address += made->address;
    *array = made;
    return cudaSuccess;
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *array, const struct cudaChannelFormatDesc *format,
                                     struct cudaExtent extent, unsigned levels, unsigned flags) {
    return CUDART_CALL(create_mipmapped(array, format, extent, levels, flags));
}

static cudaError_t destroy_mipmapped(cudaMipmappedArray_t array) {
    if (!array) return cudaSuccess;
    cudaError_t error = cudart_deallocate(array->address, "cudaFreeMipmappedArray");
    if (error) return error;
    free(array->levels);
    free(array);
    return cudaSuccess;
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array) {
    return CUDART_CALL(destroy_mipmapped(array));
}

static cudaError_t get_level(cudaArray_t *level, cudaMipmappedArray_const_t array, unsigned index) {
    if (!level || !array || index >= array->count) return cudaErrorInvalidValue;
    *level = &array->levels[index];
    return cudaSuccess;
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *level, cudaMipmappedArray_const_t array, unsigned index) {
    return CUDART_CALL(get_level(level, array, index));
}
