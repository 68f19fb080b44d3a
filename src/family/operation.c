// The object behind every kz/ops/<family>.h: a plan and the module it runs in.
#include "kz/operation.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "kz/family.h"

struct kz_operation {
    kz_device *device;
    const kz_variant *variant;
    kz_module *module;
    size_t buffer_count;
    kz_plan plan;
};

static kz_status pick(const kz_family *family, const kz_case *c, const kz_device_info *device,
                      const char *name, const kz_variant **variant, kz_error *error) {
    bool deterministic = name && strcmp(name, KZ_DETERMINISTIC) == 0;
    if (!name || deterministic) {
        *variant = kz_choose(family, c, device, deterministic, NULL);
        if (*variant) return KZ_OK;
        return base_fail(error, KZ_UNSUPPORTED, "no variant of %s does this case on %s%s", family->name,
                         device->id, deterministic ? " with the same bits in every run" : "");
    }
    *variant = kz_variant_find(family, name);
    if (!*variant) {
        kz_status status = base_fail(error, KZ_NOT_FOUND, "%s has no variant %s", family->name, name);
        base_fail_note(error, "`kz info %s` lists them", family->name);
        return status;
    }
    return KZ_OK;
}

// Numbers from outside, before anything takes them for an index or a size. A size of 2^63 and more is a negative axis.
static kz_status check_case(const kz_family *family, const kz_case *c, kz_error *error) {
    uint32_t operations = 0;
    while (family->operations[operations]) operations++;
    if ((uint32_t)c->operation >= operations)
        return base_fail(error, KZ_INVALID, "%s has the operations 0 to %u, and %u was asked for",
                         family->name, operations - 1, (uint32_t)c->operation);
    if ((uint32_t)c->type >= KZ_TYPE_COUNT)
        return base_fail(error, KZ_INVALID, "%s: %u is no kz_type", family->name, (uint32_t)c->type);
    for (size_t i = 0; i < KZ_CASE_AXES && family->axes[i]; i++)
        if (c->axes[i] < 0)
            return base_fail(error, KZ_INVALID, "%s: %s is %llu, and must be below 2^63", family->name,
                             family->axes[i], (unsigned long long)c->axes[i]);
    return KZ_OK;
}

kz_status kz_operation_open(kz_device *device, const char *family_name, const kz_case *c, const char *variant,
                            kz_operation **operation, kz_error *error) {
    *operation = NULL;
    const kz_family *family = kz_family_find(family_name);
    if (!family) return base_fail(error, KZ_NOT_FOUND, "there is no family %s", family_name);
    kz_status status = check_case(family, c, error);
    if (status != KZ_OK) return status;
    kz_operation *made = calloc(1, sizeof *made);
    if (!made) return base_fail(error, KZ_NO_MEMORY, "no memory for an operation of %s", family_name);

    const kz_device_info *info = kz_device_get_info(device);
    made->device = device;
    kz_buffer buffers[KZ_FAMILY_BUFFERS];
    made->buffer_count = family->buffers(c, buffers);
    kz_image image;
    status = pick(family, c, info, variant, &made->variant, error);
    if (status == KZ_OK) status = kz_variant_plan(made->variant, c, info, &made->plan, error);
    if (status == KZ_OK) status = kz_variant_image(family, made->variant, &image, error);
    if (status == KZ_OK) status = kz_module_load(device, &image, &made->module, error);
    if (status != KZ_OK) {
        kz_operation_close(made);
        return status;
    }
    *operation = made;
    return KZ_OK;
}

void kz_operation_close(kz_operation *operation) {
    if (!operation) return;
    if (operation->module) kz_module_close(operation->module);
    free(operation);
}

const char *kz_operation_variant(const kz_operation *operation) { return operation->variant->name; }

uint64_t kz_operation_workspace(const kz_operation *operation) { return operation->plan.workspace_bytes; }

const kz_plan *kz_operation_plan(const kz_operation *operation) { return &operation->plan; }

kz_status kz_operation_run(kz_operation *operation, kz_stream *stream, const kz_ptr *buffers,
                           size_t buffer_count, kz_ptr workspace, uint64_t workspace_bytes, kz_error *error) {
    if (buffer_count != operation->buffer_count)
        return base_fail(error, KZ_INVALID, "%zu buffers were given, the operation takes %zu", buffer_count,
                         operation->buffer_count);
    if (operation->plan.workspace_bytes && workspace % KZ_WORKSPACE_ALIGNMENT)
        return base_fail(error, KZ_INVALID, "the workspace is at 0x%llx, which is no multiple of %d bytes",
                         (unsigned long long)workspace, KZ_WORKSPACE_ALIGNMENT);
    if (workspace_bytes < operation->plan.workspace_bytes)
        return base_fail(error, KZ_INVALID, "the workspace has %llu bytes, %s needs %llu",
                         (unsigned long long)workspace_bytes, operation->variant->name,
                         (unsigned long long)operation->plan.workspace_bytes);
    return kz_plan_run(operation->device, stream, operation->module, &operation->plan, buffers, buffer_count,
                       workspace, error);
}
