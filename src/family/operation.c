// The object behind every kz/ops/<family>.h: a plan and the module it runs in.
#include "kz/operation.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "device/plan.h"
#include "kz/family.h"

struct kz_operation {
    kz_device *device;
    const kz_variant *variant;
    kz_module *module;
    const kz_family *family;
    kz_case c;
    kz_buffer buffers[KZ_FAMILY_BUFFERS];
    size_t buffer_count;
    kz_plan plan;
};

// Why nobody does the case: what most of those say that the device could run, for one with a reason of its
// own is a specialist; of equals the later. "" where all would do it.
static void find_reason(const kz_family *family, const kz_case *c, const kz_device_info *device,
                        kz_error *reason) {
    kz_plan *plan = malloc(sizeof *plan); // too large for a thread's stack
    size_t most = 0;
    reason->message[0] = 0;
    for (size_t i = 0; plan && i < family->variant_count; i++) {
        kz_error one = {0}, other;
        const kz_variant *variant = &family->variants[i];
        bool fits = kz_variant_fits(variant, device);
        if (kz_variant_plan(family, variant, c, device, plan, &one) == KZ_OK) continue;
        size_t count = 0;
        for (size_t k = 0; fits && k < family->variant_count; k++)
            count += kz_variant_plan(family, &family->variants[k], c, device, plan, &other) != KZ_OK &&
                     strcmp(one.message, other.message) == 0;
        if (count < most) continue;
        most = count;
        *reason = one;
    }
    free(plan);
}

static kz_status refuse(const kz_family *family, const kz_case *c, const kz_device_info *device,
                        bool deterministic, kz_error *error) {
    kz_error reason;
    if (deterministic && kz_choose(family, c, device, false, NULL)) {
        base_fail(error, KZ_UNSUPPORTED,
                  "no variant of %s does this case on %s with the same bits in every run", family->name,
                  device->id);
        base_fail_note(error, "without KZ_DETERMINISTIC (NULL in its place) one does, in its own order");
        return KZ_UNSUPPORTED;
    }
    find_reason(family, c, device, &reason);
    base_fail(error, KZ_UNSUPPORTED, "no variant of %s does this case on %s: %s", family->name, device->id,
              reason.message);
    base_fail_note(error, "`kz info %s` lists its operations, types and variants", family->name);
    return KZ_UNSUPPORTED;
}

static kz_status pick(const kz_family *family, const kz_case *c, const kz_device_info *device,
                      const char *name, const kz_variant **variant, kz_error *error) {
    bool deterministic = name && strcmp(name, KZ_DETERMINISTIC) == 0;
    if (!name || deterministic) {
        *variant = kz_choose(family, c, device, deterministic, NULL);
        return *variant ? KZ_OK : refuse(family, c, device, deterministic, error);
    }
    *variant = kz_variant_find(family, name);
    if (!*variant) {
        kz_status status = base_fail(error, KZ_NOT_FOUND, "%s has no variant %s", family->name, name);
        base_fail_note(error, "`kz info %s` lists them", family->name);
        return status;
    }
    return KZ_OK;
}

// Numbers from outside, before anything takes them for an index or a size. A size of 2^63 and more is a
// negative axis.
static kz_status check_case(const kz_family *family, const kz_case *c, kz_error *error) {
    uint32_t operations = 0;
    while (family->operations[operations]) operations++;
    if ((uint32_t)c->operation >= operations)
        return kz_fail(
            error, KZ_INVALID,
            "%s has the operations 0 to %u, and %u was asked for\n`kz info %s` lists them in order, and "
            "kz/ops/%s.h names them",
            family->name, operations - 1, (uint32_t)c->operation, family->name, family->name);
    if ((uint32_t)c->type >= KZ_TYPE_COUNT)
        return kz_fail(error, KZ_INVALID, "%s: %u is no kz_type\npass one of kz_type: KZ_F32, KZ_BF16, ...",
                       family->name, (uint32_t)c->type);
    for (size_t i = 0; i < KZ_CASE_AXES && family->axes[i]; i++)
        if (c->axes[i] < 0)
            return kz_fail(
                error, KZ_INVALID,
                "%s: %s is %llu, and must be below 2^63\nlook for a difference below 0, or an int that was "
                "negative, where it is computed",
                family->name, family->axes[i], (unsigned long long)c->axes[i]);
    double bytes = family->work(c).bytes; // in double: no product is too large for it
    if (bytes >= 0x1p62)
        return kz_fail(
            error, KZ_INVALID,
            "%s: the sizes come to %.2g bytes, more than any memory has\nlook at them in a debugger: one "
            "may be unset, or in bytes where elements are counted",
            family->name, bytes);
    return KZ_OK;
}

// What the variant itself says. Where that names no way out, there are the others.
static void say_refused(const kz_family *family, const kz_variant *variant, kz_status status,
                        const kz_error *reason, kz_error *error) {
    base_fail(error, status, "%s/%s: %s", family->name, variant->name, reason->message);
    if (!strchr(reason->message, '\n'))
        base_fail_note(error, "`kz info %s` lists the others; NULL in its place takes one that does this",
                       family->name);
}

kz_status kz_operation_open_family(kz_device *device, const kz_family *family, const kz_case *c,
                                   const char *variant, kz_operation **operation, kz_error *error) {
    if (operation) *operation = NULL;
    kz_status status = BASE_NEED(family, FAMILY, error);
    if (status) return status;
    // The caller may have called kz_<family>_open: its name says where.
    status = base_need(device, family->name, BASE_NEEDS_DEVICE, error);
    if (!status) status = base_need(c, family->name, BASE_NEEDS_CASE, error);
    if (!status) status = base_need_result(operation, family->name, "kz_operation *", error);
    if (!status) status = check_case(family, c, error);
    if (status) return status;
    kz_operation *made = calloc(1, sizeof *made);
    if (!made)
        return kz_fail(
            error, KZ_NO_MEMORY,
            "no host memory for an operation of %s\nfree some: kz_operation_close ends those that are done",
            family->name);

    const kz_device_info *info = kz_device_get_info(device);
    made->device = device;
    made->family = family;
    made->c = *c;
    made->buffer_count = family->buffers(c, made->buffers);
    kz_image image;
    status = pick(family, c, info, variant, &made->variant, error);
    if (status == KZ_OK) {
        kz_error reason = {0};
        status = kz_variant_plan(family, made->variant, c, info, &made->plan, &reason);
        if (status != KZ_OK) say_refused(family, made->variant, status, &reason, error);
    }
    made->c.detail = NULL; // the caller's, and its plan is made
    if (status == KZ_OK) status = kz_variant_image(family, made->variant, &image, error);
    if (status == KZ_OK) status = kz_module_load(device, &image, &made->module, error);
    if (status == KZ_OK && image.others) status = device_plan_load(made->module, &made->plan, error);
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

const char *kz_operation_family(const kz_operation *operation) {
    return operation ? operation->family->name : NULL;
}

const char *kz_operation_variant(const kz_operation *operation) {
    return operation ? operation->variant->name : NULL;
}

uint64_t kz_operation_workspace(const kz_operation *operation) {
    return operation ? operation->plan.workspace_bytes : 0;
}

const kz_case *kz_operation_case(const kz_operation *operation) { return operation ? &operation->c : NULL; }

const kz_plan *kz_operation_plan(const kz_operation *operation) {
    return operation ? &operation->plan : NULL;
}

// "in, out, index"
static void list_buffers(const kz_operation *operation, base_text *names) {
    for (size_t i = 0; i < operation->buffer_count; i++)
        base_text_add(names, "%s%s", i ? ", " : "", operation->buffers[i].name);
}

static kz_status check_buffers(const kz_operation *operation, const kz_ptr *buffers, size_t count,
                               kz_error *error) {
    const char *family = operation->family->name,
               *what = operation->family->operations[operation->c.operation];
    base_text names = {0};
    list_buffers(operation, &names);
    kz_status status = KZ_OK;
    if (count != operation->buffer_count) {
        status = base_fail(error, KZ_INVALID, "%s's %s takes %zu buffers (%s), and %zu were given", family,
                           what, operation->buffer_count, names.data, count);
        if (count < operation->buffer_count)
            base_fail_note(error, "%s is missing: kz/ops/%s.h has the call that takes it",
                           operation->buffers[count].name, family);
        else
            base_fail_note(error, "kz/ops/%s.h says which operation takes what; what is not taken is 0",
                           family);
    }
    for (size_t i = 0; !status && i < count; i++)
        if (!buffers[i] && operation->buffers[i].count)
            status = kz_fail(error, KZ_INVALID,
                             "%s's %s: the buffer %s is 0, and has %llu elements (of %s)\npass its address: "
                             "kz_memory_alloc "
                             "gives one",
                             family, what, operation->buffers[i].name,
                             (unsigned long long)operation->buffers[i].count, names.data);
    base_text_free(&names);
    return status;
}

kz_status kz_operation_run(kz_operation *operation, kz_stream *stream, const kz_ptr *buffers,
                           size_t buffer_count, kz_ptr workspace, uint64_t workspace_bytes, kz_error *error) {
    kz_status status = BASE_NEED(operation, OPERATION, error);
    if (!status && buffer_count) status = BASE_NEED(buffers, BUFFERS, error);
    if (!status) status = check_buffers(operation, buffers, buffer_count, error);
    if (status) return status;
    if (operation->plan.workspace_bytes && workspace % KZ_WORKSPACE_ALIGNMENT)
        return kz_fail(
            error, KZ_INVALID,
            "the workspace is at 0x%llx, which is no multiple of %d bytes\nround it up, or pass what "
            "kz_memory_alloc gives",
            (unsigned long long)workspace, KZ_WORKSPACE_ALIGNMENT);
    if (workspace_bytes < operation->plan.workspace_bytes) {
        base_fail(error, KZ_INVALID, "the workspace has %llu bytes, %s needs %llu",
                  (unsigned long long)workspace_bytes, operation->variant->name,
                  (unsigned long long)operation->plan.workspace_bytes);
        base_fail_note(error, "kz_operation_workspace says how many bytes to allocate for this operation");
        return KZ_INVALID;
    }
    return kz_plan_run(operation->device, stream, operation->module, &operation->plan, buffers, buffer_count,
                       workspace, error);
}

enum { MOST_NAMED = 64 }; // of all operations of a family

static const kz_named_buffer *find_named(const kz_named_buffer *buffers, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (buffers[i].address && strcmp(buffers[i].name, name) == 0) return &buffers[i];
    return NULL;
}

static bool takes(const kz_operation *operation, const char *name) {
    for (size_t i = 0; i < operation->buffer_count && name; i++)
        if (strcmp(operation->buffers[i].name, name) == 0) return true;
    return false;
}

kz_status kz_operation_run_named(kz_operation *operation, kz_stream *stream, const kz_named_buffer *buffers,
                                 size_t buffer_count, kz_ptr workspace, uint64_t workspace_bytes,
                                 kz_error *error) {
    kz_status status = BASE_NEED(operation, OPERATION, error);
    if (!status && buffer_count) status = BASE_NEED(buffers, BUFFERS, error);
    if (!status && buffer_count > MOST_NAMED)
        status = base_fail(error, KZ_INVALID, "kz_operation_run_named: %zu buffers; %d are the most",
                           buffer_count, MOST_NAMED);
    if (status) return status;
    for (size_t i = 0; i < buffer_count; i++) {
        if (buffers[i].address && !buffers[i].name)
            return base_fail(
                error, KZ_INVALID,
                "kz_operation_run_named: buffer %zu has an address and no name\nname it as kz info "
                "%s does",
                i, operation->family->name);
        if (!buffers[i].address || takes(operation, buffers[i].name)) continue;
        base_text names = {0};
        list_buffers(operation, &names);
        base_fail(error, KZ_INVALID, "%s's %s takes no %s as it was opened: it takes %s",
                  operation->family->name, operation->family->operations[operation->c.operation],
                  buffers[i].name, names.data);
        base_fail_note(error, "set it to 0, or open the operation that takes it: kz/ops/%s.h says which",
                       operation->family->name);
        base_text_free(&names);
        return KZ_INVALID;
    }
    kz_ptr list[KZ_FAMILY_BUFFERS] = {0};
    for (size_t i = 0; i < operation->buffer_count; i++) {
        const kz_named_buffer *named = find_named(buffers, buffer_count, operation->buffers[i].name);
        if (named) list[i] = named->address;
    }
    return kz_operation_run(operation, stream, list, operation->buffer_count, workspace, workspace_bytes,
                            error);
}
