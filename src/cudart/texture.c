// Texture and surface objects: what the program describes, as the simulator keeps it.
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

// What was asked for, to be given back.
typedef struct object {
    unsigned long long handle;
    bool is_surface, has_view;
    struct cudaResourceDesc resource;
    struct cudaTextureDesc texture;
    struct cudaResourceViewDesc view;
    struct object *next;
} object;

enum { TEXTURE_ALIGNMENT = 512 }; // as the properties say

static object *objects;

static object *find(unsigned long long handle, bool is_surface) {
    for (object *o = objects; o; o = o->next)
        if (o->handle == handle && o->is_surface == is_surface) return o;
    return NULL;
}

// ---- the resource ---------------------------------------------------------------------------------------

static cudaError_t set_format(sim_texture *t, const struct cudaChannelFormatDesc *f) {
    const int bits[4] = {f->x, f->y, f->z, f->w};
    for (int i = 0; i < 4; i++) {
        t->bits[i] = (uint8_t)bits[i];
        if (bits[i]) t->channels = (uint8_t)(i + 1);
        t->element_bytes += (uint32_t)bits[i] / 8;
    }
    switch (f->f) {
    case cudaChannelFormatKindSigned: t->kind = SIM_TEXEL_SIGNED; break;
    case cudaChannelFormatKindUnsigned: t->kind = SIM_TEXEL_UNSIGNED; break;
    case cudaChannelFormatKindFloat: t->kind = SIM_TEXEL_FLOAT; break;
    default: return cudaErrorInvalidChannelDescriptor;
    }
    return cudart_is_format(f) ? cudaSuccess : cudaErrorInvalidChannelDescriptor;
}

static uint64_t at_least_one(size_t n) { return n ? n : 1; }

static void set_level(sim_texture *t, unsigned index, const struct cudaArray *a) {
    t->levels[index] = (sim_texture_level){.address = a->address,
                                           .width = a->extent.width,
                                           .height = at_least_one(a->extent.height),
                                           .depth = at_least_one(a->extent.depth),
                                           .pitch = a->pitch,
                                           .slice = a->slice};
}

static void set_shape(sim_texture *t, struct cudaExtent extent, unsigned flags) {
    t->is_layered = (flags & cudaArrayLayered) != 0;
    t->is_cubemap = (flags & cudaArrayCubemap) != 0;
    bool slices = t->is_layered || t->is_cubemap;
    t->dimensions = extent.depth && !slices ? 3 : extent.height ? 2 : 1;
    if (slices) t->layers = (uint32_t)at_least_one(extent.depth) / (t->is_cubemap ? 6 : 1);
}

static cudaError_t set_resource(sim_texture *t, const struct cudaResourceDesc *r) {
    switch (r->resType) {
    case cudaResourceTypeArray: {
        const struct cudaArray *a = r->res.array.array;
        if (!a) return cudaErrorInvalidResourceHandle;
        set_shape(t, a->extent, a->flags);
        t->level_count = 1;
        set_level(t, 0, a);
        return set_format(t, &a->format);
    }
    case cudaResourceTypeMipmappedArray: {
        const struct cudaMipmappedArray *m = r->res.mipmap.mipmap;
        if (!m) return cudaErrorInvalidResourceHandle;
        set_shape(t, m->extent, m->flags);
        t->level_count = m->count;
        for (unsigned i = 0; i < m->count; i++) set_level(t, i, &m->levels[i]);
        return set_format(t, &m->format);
    }
    case cudaResourceTypeLinear: {
        cudaError_t error = set_format(t, &r->res.linear.desc);
        if (error) return error;
        uint64_t at = (uint64_t)(uintptr_t)r->res.linear.devPtr;
        const cudart_allocation *a = cudart_allocation_find(at);
        if (!at || at % TEXTURE_ALIGNMENT || (a && r->res.linear.sizeInBytes > a->bytes - (at - a->address)))
            return cudaErrorInvalidValue;
        if (!cudart_is_on_device(at)) return cudaErrorInvalidDevicePointer;
        uint64_t width = r->res.linear.sizeInBytes / t->element_bytes;
        t->dimensions = 1;
        t->is_linear = true;
        t->level_count = 1;
        t->levels[0] = (sim_texture_level){(uint64_t)(uintptr_t)r->res.linear.devPtr,
                                           width,
                                           1,
                                           1,
                                           r->res.linear.sizeInBytes,
                                           r->res.linear.sizeInBytes};
        return cudaSuccess;
    }
    case cudaResourceTypePitch2D: {
        cudaError_t error = set_format(t, &r->res.pitch2D.desc);
        if (error) return error;
        if (!cudart_is_on_device((uint64_t)(uintptr_t)r->res.pitch2D.devPtr))
            return cudaErrorInvalidDevicePointer;
        t->dimensions = 2;
        t->is_linear = true;
        t->level_count = 1;
        t->levels[0] = (sim_texture_level){(uint64_t)(uintptr_t)r->res.pitch2D.devPtr,
                                           r->res.pitch2D.width,
                                           r->res.pitch2D.height,
                                           1,
                                           r->res.pitch2D.pitchInBytes,
                                           r->res.pitch2D.pitchInBytes * r->res.pitch2D.height};
        return r->res.pitch2D.pitchInBytes % 32 ? cudaErrorInvalidValue : cudaSuccess;
    }
    default: return cudaErrorInvalidValue;
    }
}

static cudaError_t set_reading(sim_texture *t, const struct cudaTextureDesc *d) {
    for (int i = 0; i < 3; i++) t->address_mode[i] = (sim_address_mode)d->addressMode[i];
    for (int i = 0; i < 4; i++) t->border[i] = d->borderColor[i];
    t->filter_linear = d->filterMode == cudaFilterModeLinear;
    t->mipmap_linear = d->mipmapFilterMode == cudaFilterModeLinear;
    t->normalised_coordinates = d->normalizedCoords != 0;
    t->normalised_values = d->readMode == cudaReadModeNormalizedFloat && t->kind != SIM_TEXEL_FLOAT;
    t->level_bias = d->mipmapLevelBias;
    t->min_level = d->minMipmapLevelClamp;
    t->max_level = d->maxMipmapLevelClamp;
    t->max_anisotropy = d->maxAnisotropy;
    if (d->readMode == cudaReadModeNormalizedFloat && t->bits[0] == 32) return cudaErrorInvalidNormSetting;
    if (d->sRGB && t->normalised_values && t->bits[0] == 8) {
        cudart_say("a texture of sRGB colours is not simulated: the values would be other ones than a GPU's\n"
                   "  without sRGB, convert in the kernel");
        return cudaErrorNotSupported;
    }
    if (t->filter_linear && t->kind != SIM_TEXEL_FLOAT && !t->normalised_values)
        return cudaErrorInvalidFilterSetting;
    return cudaSuccess;
}

// ---- objects --------------------------------------------------------------------------------------------

static cudaError_t create(unsigned long long *handle, const struct cudaResourceDesc *resource,
                          const struct cudaTextureDesc *texture, const struct cudaResourceViewDesc *view,
                          bool is_surface) {
    if (!handle || !resource || (!is_surface && !texture)) return cudaErrorInvalidValue;
    sim_texture t = {.is_surface = is_surface};
    cudaError_t error = set_resource(&t, resource);
    if (!error && !is_surface) error = set_reading(&t, texture);
    if (!error && is_surface && t.is_linear) error = cudaErrorInvalidValue;
    if (error) return error;
    object *made = calloc(1, sizeof *made);
    uint64_t number = 0;
    kz_error why = {0};
    if (!made || sim_texture_create(cudart.machine, &t, &number, &why)) {
        free(made);
        return cudaErrorMemoryAllocation;
    }
    *made = (object){.handle = number, .is_surface = is_surface, .resource = *resource, .next = objects};
    if (texture) made->texture = *texture;
    if (view) made->view = *view, made->has_view = true;
    objects = made;
    *handle = number;
    return cudaSuccess;
}

static cudaError_t destroy(unsigned long long handle, bool is_surface) {
    if (handle == 0) return cudaSuccess;
    for (object **at = &objects; *at; at = &(*at)->next) {
        object *gone = *at;
        if (gone->handle != handle || gone->is_surface != is_surface) continue;
        *at = gone->next;
        sim_texture_destroy(cudart.machine, handle, NULL);
        free(gone);
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *made, const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *texture,
                                    const struct cudaResourceViewDesc *view) {
    return CUDART_CALL(create(made, resource, texture, view, false));
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture) {
    return CUDART_CALL(destroy(texture, false));
}
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *made, const struct cudaResourceDesc *resource) {
    return CUDART_CALL(create(made, resource, NULL, NULL, true));
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface) {
    return CUDART_CALL(destroy(surface, true));
}

static cudaError_t get_resource(struct cudaResourceDesc *out, unsigned long long handle, bool is_surface) {
    const object *o = find(handle, is_surface);
    if (!out || !o) return cudaErrorInvalidValue;
    *out = o->resource;
    return cudaSuccess;
}

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *out, cudaTextureObject_t texture) {
    return CUDART_CALL(get_resource(out, texture, false));
}
cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *out, cudaSurfaceObject_t surface) {
    return CUDART_CALL(get_resource(out, surface, true));
}

static cudaError_t get_texture(struct cudaTextureDesc *out, unsigned long long handle) {
    const object *o = find(handle, false);
    if (!out || !o) return cudaErrorInvalidValue;
    *out = o->texture;
    return cudaSuccess;
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *out, cudaTextureObject_t texture) {
    return CUDART_CALL(get_texture(out, texture));
}

static cudaError_t get_view(struct cudaResourceViewDesc *out, unsigned long long handle) {
    const object *o = find(handle, false);
    if (!out || !o || !o->has_view) return cudaErrorInvalidValue;
    *out = o->view;
    return cudaSuccess;
}

cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *out,
                                                 cudaTextureObject_t texture) {
    return CUDART_CALL(get_view(out, texture));
}

static cudaError_t linear_width(size_t *width, const struct cudaChannelFormatDesc *format) {
    if (!width || !format) return cudaErrorInvalidValue;
    *width = (size_t)1 << 28;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *width, const struct cudaChannelFormatDesc *format,
                                                 int device) {
    return CUDART_CALL(linear_width(width, format));
}
