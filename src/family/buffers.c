// Buffers with guard bands. See buffers.h.
#include "family/buffers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "device/host.h"
#include "family/inputs.h"

enum { GUARD = 512, GUARD_BYTE = 0xc3, CHUNK = 1 << 22, WORTH_ASKING = 64 << 20 };

// ---- open and close -----------------------------------------------------------------------------

static void lay_out(family_slot *slot, uint64_t guard, uint64_t misalign_bytes) {
    slot->front = guard + misalign_bytes;
    slot->total = slot->front + slot->bytes + guard;
    if (slot->total == 0) slot->total = 1; // an empty buffer has an address all the same
}

// Whether everything fits; elements of outputs need two doubles for the reference.
static kz_status check_memory(const family_buffers *b, kz_error *error) {
    uint64_t on_device = b->workspace.total, on_host = 0;
    for (size_t i = 0; i < b->count; i++) {
        const family_slot *slot = &b->slots[i];
        *(b->family->location ? &on_host : &on_device) += slot->total;
        on_host += slot->bytes;
        if (slot->what.role != KZ_INPUT) on_host += slot->bytes + slot->what.count * 2 * sizeof(double);
    }
    if (on_device + on_host < WORTH_ASKING) return KZ_OK; // the allocation itself says so
    size_t available = 0;
    kz_status status = kz_memory_available(b->device, &available, error);
    if (status) return status;
    const kz_device_info *info = kz_device_get_info(b->device);
    if (info->kind != KZ_DEVICE_CUDA) on_host += on_device; // it is the same memory
    if (on_device > available)
        return base_fail(error, KZ_NO_MEMORY, "needs %.2f GB on %s, which has %.2f GB left",
                         (double)on_device / 1e9, info->id, (double)available / 1e9);
    uint64_t host = device_host_memory("");
    if (on_host > host)
        return base_fail(error, KZ_NO_MEMORY, "needs %.2f GB of host memory, of which %.2f GB are left",
                         (double)on_host / 1e9, (double)host / 1e9);
    return KZ_OK;
}

kz_status family_alloc(kz_device *device, const kz_family *family, const kz_case *c, uint64_t bytes,
                       kz_ptr *address, kz_error *error) {
    kz_location location = family->location ? family->location(c) : KZ_ON_DEVICE;
    if (location == KZ_ON_DEVICE) return kz_memory_alloc(device, bytes, address, error);
    return kz_memory_alloc_host(device, bytes, location == KZ_ON_HOST_PINNED, address, error);
}

static kz_status open_slot(family_buffers *b, family_slot *slot, bool is_buffer, kz_error *error) {
    kz_status status = is_buffer ? family_alloc(b->device, b->family, b->c, slot->total, &slot->base, error)
                                 : kz_memory_alloc(b->device, slot->total, &slot->base, error);
    if (status) return status;
    slot->data = slot->base + slot->front;
    if (!is_buffer) return KZ_OK;
    slot->host = malloc(slot->bytes + 1);
    if (slot->what.role != KZ_INPUT) slot->got = malloc(slot->bytes + 1);
    if (!slot->host || (slot->what.role != KZ_INPUT && !slot->got))
        return base_fail(error, KZ_NO_MEMORY, "no host memory for buffer %s (%.2f GB)", slot->what.name,
                         (double)slot->bytes / 1e9);
    return KZ_OK;
}

kz_status family_buffers_open(const kz_family *family, const kz_case *c, kz_device *device,
                              uint64_t workspace_bytes, family_buffers *b, kz_error *error) {
    *b = (family_buffers){.device = device, .family = family, .c = c};
    uint64_t guard = kz_device_get_info(device)->has_memory_guards ? 0 : GUARD;
    kz_buffer what[KZ_FAMILY_BUFFERS] = {0};
    b->count = family->buffers(c, what);
    for (size_t i = 0; i < b->count; i++) {
        family_slot *slot = &b->slots[i];
        size_t size = kz_type_size(what[i].type);
        slot->what = what[i];
        b->is_too_large =
            __builtin_mul_overflow(what[i].count, size, &slot->bytes) || slot->bytes > INT64_MAX / 8;
        if (b->is_too_large)
            return base_fail(error, KZ_NO_MEMORY, "buffer %s has %llu elements: more than any memory holds",
                             what[i].name, (unsigned long long)what[i].count);
        lay_out(slot, guard, c->misalign * size);
    }
    b->workspace.what.name = "the workspace";
    b->workspace.bytes = workspace_bytes;
    lay_out(&b->workspace, guard, 0);

    kz_status status = check_memory(b, error);
    b->is_too_large = status == KZ_NO_MEMORY;
    for (size_t i = 0; i < b->count && !status; i++) {
        status = open_slot(b, &b->slots[i], true, error);
        b->addresses[i] = b->slots[i].data;
    }
    if (!status && workspace_bytes) status = open_slot(b, &b->workspace, false, error);
    if (status) family_buffers_close(b);
    return status;
}

static void close_slot(family_buffers *b, family_slot *slot) {
    if (slot->base) kz_memory_free(b->device, slot->base, NULL);
    free(slot->host);
    free(slot->got);
    *slot = (family_slot){0};
}

void family_buffers_close(family_buffers *b) {
    for (size_t i = 0; i < b->count; i++) close_slot(b, &b->slots[i]);
    close_slot(b, &b->workspace);
    b->count = 0;
}

// ---- before the run -----------------------------------------------------------------------------

// Inputs that follow from others: all are on the host by now.
static void derive(family_buffers *b) {
    void *host[KZ_FAMILY_BUFFERS];
    if (!b->family->derive) return;
    for (size_t i = 0; i < b->count; i++) host[i] = b->slots[i].host;
    b->family->derive(b->c, host);
}

kz_status family_buffers_fill(family_buffers *b, uint64_t seed, uint8_t garbage, kz_error *error) {
    kz_status status = KZ_OK;
    for (size_t i = 0; i < b->count && !status; i++) {
        family_slot *slot = &b->slots[i];
        if (slot->what.role == KZ_OUTPUT)
            family_poison(slot->what.type, slot->what.count, slot->host);
        else
            family_make_input(b->family, b->c, i, &slot->what, seed, 0, slot->what.count, slot->host);
    }
    derive(b);
    for (size_t i = 0; i < b->count && !status; i++) {
        family_slot *slot = &b->slots[i];
        status = kz_memory_fill(b->device, NULL, slot->base, GUARD_BYTE, slot->total, error);
        if (!status && slot->bytes)
            status = kz_copy_to_device(b->device, NULL, slot->data, slot->host, slot->bytes, error);
    }
    family_slot *work = &b->workspace;
    if (!status && work->base) {
        status = kz_memory_fill(b->device, NULL, work->base, GUARD_BYTE, work->total, error);
        if (!status) status = kz_memory_fill(b->device, NULL, work->data, garbage, work->bytes, error);
    }
    return status ? status : kz_device_synchronize(b->device, error);
}

// ---- after the run ------------------------------------------------------------------------------

static kz_status read_now(family_buffers *b, void *to, kz_ptr from, uint64_t bytes, kz_error *error) {
    if (bytes == 0) return KZ_OK;
    kz_status status = kz_copy_to_host(b->device, NULL, to, from, bytes, error);
    return status ? status : kz_device_synchronize(b->device, error);
}

static kz_status check_band(family_buffers *b, const family_slot *slot, kz_ptr from, uint64_t bytes,
                            bool behind, kz_error *error) {
    uint8_t band[GUARD + 256]; // the front band may hold up to 32 misaligned elements of 8 bytes more
    if (bytes > sizeof band) bytes = sizeof band;
    kz_status status = read_now(b, band, behind ? from : slot->data - bytes, bytes, error);
    if (status) return status;
    for (uint64_t i = 0; i < bytes; i++) {
        uint64_t near = behind ? i : bytes - 1 - i; // from the buffer outwards
        if (band[near] == GUARD_BYTE) continue;
        return base_fail(error, KZ_WRONG, "wrote out of bounds: the byte %llu %s %s was overwritten",
                         (unsigned long long)i + 1, behind ? "past the end of" : "before the start of",
                         slot->what.name);
    }
    return KZ_OK;
}

static kz_status check_bands(family_buffers *b, const family_slot *slot, kz_error *error) {
    kz_status status = check_band(b, slot, slot->base, slot->front, false, error);
    uint64_t behind = slot->total - slot->front - slot->bytes;
    return status ? status : check_band(b, slot, slot->data + slot->bytes, behind, true, error);
}

static kz_status check_unchanged(family_buffers *b, const family_slot *slot, uint8_t *chunk,
                                 kz_error *error) {
    for (uint64_t at = 0; at < slot->bytes; at += CHUNK) {
        uint64_t bytes = slot->bytes - at < CHUNK ? slot->bytes - at : CHUNK;
        const uint8_t *before = (const uint8_t *)slot->host + at;
        kz_status status = read_now(b, chunk, slot->data + at, bytes, error);
        if (status) return status;
        if (memcmp(chunk, before, bytes) == 0) continue;
        uint64_t i = 0;
        while (chunk[i] == before[i]) i++;
        return base_fail(error, KZ_WRONG, "the input %s was changed, first at element %llu", slot->what.name,
                         (unsigned long long)((at + i) / kz_type_size(slot->what.type)));
    }
    return KZ_OK;
}

kz_status family_buffers_read(family_buffers *b, kz_error *error) {
    kz_status status = kz_device_synchronize(b->device, error);
    uint8_t *chunk = malloc(CHUNK);
    if (!chunk) return base_fail(error, KZ_NO_MEMORY, "no host memory to read the buffers back");
    for (size_t i = 0; i < b->count && !status; i++)
        if (b->slots[i].got)
            status = read_now(b, b->slots[i].got, b->slots[i].data, b->slots[i].bytes, error);
    for (size_t i = 0; i < b->count && !status; i++) status = check_bands(b, &b->slots[i], error);
    if (!status && b->workspace.base) status = check_bands(b, &b->workspace, error);
    for (size_t i = 0; i < b->count && !status; i++)
        if (b->slots[i].what.role == KZ_INPUT) status = check_unchanged(b, &b->slots[i], chunk, error);
    free(chunk);
    return status;
}
