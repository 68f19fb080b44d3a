// Devices, modules and launches: what is the same for every backend.
#include "device/device.h"
#include "device/image.h"
#include "device/sized.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- helpers ---------------------------------------------------------------------------------------

const char *device_size_text(uint64_t bytes, char text[DEVICE_SIZE_TEXT]) {
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB"};
    if (bytes < 1024) {
        snprintf(text, DEVICE_SIZE_TEXT, "%" PRIu64 " bytes", bytes);
        return text;
    }
    double value = (double)bytes / 1024;
    size_t unit = 0;
    while (value >= 1024 && unit + 1 < BASE_COUNT(units)) value /= 1024, unit++;
    snprintf(text, DEVICE_SIZE_TEXT, "%.4g %s", value, units[unit]);
    return text;
}

kz_status device_fail_memory(const kz_device *device, uint64_t asked, uint64_t available, kz_error *error) {
    char a[DEVICE_SIZE_TEXT], b[DEVICE_SIZE_TEXT], c[DEVICE_SIZE_TEXT];
    base_fail(error, KZ_NO_MEMORY, "%s has no room for %s: %s of its %s are free", device->info.id,
              device_size_text(asked, a), device_size_text(available, b),
              device_size_text(device->info.memory_bytes, c));
    if (device->info.kind == KZ_DEVICE_CUDA)
        base_fail_note(error, "take a smaller case, or see with nvidia-smi who else holds the GPU's memory");
    else
        base_fail_note(error, "take a smaller case, or a machine with more memory: %s lives in the host's",
                       device->info.id);
    return KZ_NO_MEMORY;
}

void device_note_present(kz_error *error) {
    kz_device_info infos[32] = {{.size = sizeof infos[0]}};
    size_t count = 0;
    if (!error || kz_device_list(infos, BASE_COUNT(infos), &count, NULL)) return;
    base_text text = {0};
    for (size_t i = 0; i < count && i < BASE_COUNT(infos); i++)
        base_text_add(&text, "%s %s", i ? "," : "", infos[i].id);
    base_fail_note(error, "this machine has:%s (`kz devices` tells more)", text.data ? text.data : "");
    base_text_free(&text);
}

void *device_new(size_t bytes, kz_error *error) {
    void *memory = calloc(1, bytes);
    if (!memory) base_fail(error, KZ_NO_MEMORY, "the host has no memory left for %zu bytes", bytes);
    return memory;
}

kz_status device_check_stream(const kz_device *device, const kz_stream *stream, kz_error *error) {
    if (!stream || stream->device == device) return KZ_OK;
    return base_fail(error, KZ_INVALID, "the stream belongs to %s, not to %s", stream->device->info.id,
                     device->info.id);
}

// ---- devices ---------------------------------------------------------------------------------------

enum { MOST_DEVICES = 4096 }; // that are listed, whatever room the caller says there is

kz_status kz_device_list(kz_device_info *infos, size_t capacity, size_t *count, kz_error *error) {
    kz_status status = BASE_NEED_RESULT(count, size_t, error);
    if (!status && capacity > 0) status = BASE_NEED_RESULT(infos, kz_device_info, error);
    if (status) return status;
    if (capacity > MOST_DEVICES) capacity = MOST_DEVICES;
    if (capacity > 0) status = DEVICE_CHECK_SIZE(kz_device_info, has_memory_guards, infos, error);
    kz_device_info *found = NULL;
    if (!status && capacity > 0) {
        found = calloc(capacity, sizeof *found);
        if (!found)
            status = base_fail(error, KZ_NO_MEMORY, "the host has no memory left for %zu devices", capacity);
    }
    if (status) return status;
    *count = 0;
    for (const device_backend *const *b = device_backends; *b; b++) {
        size_t room = *count < capacity ? capacity - *count : 0;
        *count += (*b)->list(room ? found + *count : NULL, room);
    }
    size_t bytes = capacity ? infos->size : 0;
    for (size_t i = 0; i < *count && i < capacity; i++)
        device_give((char *)infos + i * bytes, bytes, &found[i], sizeof found[i]);
    free(found);
    return KZ_OK;
}

kz_status kz_device_open(const char *id, kz_device **device, kz_error *error) {
    kz_status status = BASE_NEED_RESULT(device, kz_device *, error);
    if (status) return status;
    *device = NULL;
    const device_backend *const *b = device_backends;
    if (!id) { // the best there is; a GPU that is there but does not open is an error, not a reason to
               // simulate
        while (b[1] && b[0]->list(NULL, 0) == 0) b++;
        return b[0]->open(NULL, device, error);
    }
    for (; *b; b++) {
        size_t length = strlen((*b)->prefix);
        if (strncmp(id, (*b)->prefix, length) != 0) continue;
        if (id[length] == 0) return (*b)->open(NULL, device, error);
        if (id[length] == ':') return (*b)->open(id + length + 1, device, error);
    }
    base_fail(error, KZ_NO_DEVICE, "there is no device '%.60s'", id);
    device_note_present(error);
    return KZ_NO_DEVICE;
}

void kz_device_close(kz_device *device) {
    if (!device) return;
    device_plan_close_streams(device);
    device_memory_end(device);
    device->backend->close(device);
}

const kz_device_info *kz_device_get_info(const kz_device *device) { return device ? &device->info : NULL; }

kz_status kz_device_synchronize(kz_device *device, kz_error *error) {
    kz_status status = BASE_NEED(device, DEVICE, error);
    if (status) return status;
    device_enter(device);
    return device_leave(device, device->backend->synchronize(device, error));
}

kz_status kz_device_set_print(kz_device *device, kz_print print, void *context, kz_error *error) {
    kz_status status = BASE_NEED(device, DEVICE, error);
    if (status) return status;
    if (!device->backend->set_print)
        return base_fail(error, KZ_UNSUPPORTED, "%s cannot redirect device printf", device->info.id);
    device_enter(device);
    return device_leave(device, device->backend->set_print(device, print, context, error));
}

enum { MOST_THREADS = 4096 };

kz_status kz_device_set_threads(kz_device *device, unsigned threads, kz_error *error) {
    kz_status status = BASE_NEED(device, DEVICE, error);
    if (!status && threads > MOST_THREADS)
        status =
            base_fail(error, KZ_INVALID, "%u threads were asked for; %d are the most", threads, MOST_THREADS);
    if (status) return status;
    if (!device->backend->set_threads)
        return base_fail(error, KZ_UNSUPPORTED, "%s uses no host threads", device->info.id);
    device_enter(device);
    return device_leave(device, device->backend->set_threads(device, threads, error));
}

kz_status kz_counters_enable(kz_device *device, bool on, kz_error *error) {
    kz_status status = BASE_NEED(device, DEVICE, error);
    if (status) return status;
    if (device->backend->counters_enable) {
        device_enter(device);
        return device_leave(device, device->backend->counters_enable(device, on, error));
    }
    if (!on) return KZ_OK;
    base_fail(error, KZ_UNSUPPORTED, "%s cannot count", device->info.id);
    base_fail_note(error, "only the simulator counts: run the same on --device sim");
    return KZ_UNSUPPORTED;
}

kz_status kz_counters_read(kz_device *device, kz_counters *counters, bool reset, kz_error *error) {
    kz_status status = BASE_NEED(device, DEVICE, error);
    if (!status) status = BASE_NEED_RESULT(counters, kz_counters, error);
    if (!status) status = DEVICE_CHECK_SIZE(kz_counters, barriers, counters, error);
    if (status) return status;
    kz_counters own = {0}; // not valid
    if (device->backend->counters_read) {
        device_enter(device);
        status = device_leave(device, device->backend->counters_read(device, &own, reset, error));
    }
    device_give(counters, counters->size, &own, sizeof own);
    return status;
}

// ---- modules ---------------------------------------------------------------------------------------

kz_status kz_module_load(kz_device *device, const kz_image *image, kz_module **module, kz_error *error) {
    kz_status status = BASE_NEED(device, DEVICE, error);
    if (!status) status = BASE_NEED(image, IMAGE, error);
    if (!status) status = BASE_NEED_RESULT(module, kz_module *, error);
    if (status) return status;
    *module = NULL;
    kz_image named;
    char *unpacked = NULL; // backends keep copies of what they need
    status = device_image_take(&named, image, error);
    if (status) return status;
    if (!named.name) named.name = "unnamed";
    // The simulator runs PTX; a GPU may have machine code, and then nobody reads the PTX.
    if (!named.ptx && named.packed_ptx && device->info.kind == KZ_DEVICE_SIM) {
        status = kz_image_ptx(&named, &unpacked, error);
        named.ptx = unpacked;
    }
    if (!status) {
        device_enter(device);
        status = device_leave(device, device->backend->module_load(device, &named, module, error));
    }
    free(unpacked);
    if (status) return status;
    (*module)->device = device;
    snprintf((*module)->name, sizeof(*module)->name, "%s", named.name);
    (*module)->others = named.others;
    return KZ_OK;
}

void kz_module_close(kz_module *module) {
    if (!module) return;
    kz_device *device = module->device;
    const device_backend *backend = device->backend;
    device_plan_close_graphs(module);
    for (kz_module *part = module->parts, *next; part; part = next) {
        next = part->next_part;
        kz_module_close(part);
    }
    device_enter(device);
    for (kz_kernel *kernel = module->kernels, *next; kernel; kernel = next) {
        next = kernel->next;
        free(kernel->name);
        backend->kernel_close(kernel);
    }
    backend->module_close(module);
    device_leave(device, KZ_OK);
}

// Whether the kernel's name begins as those of "reduce/03_warp_shuffle" do: with reduce_warp_shuffle_. How long that is; 0 if it
// does not.
static size_t has_kernel(const kz_image *image, const char *kernel) {
    const char *slash = image->name ? strchr(image->name, '/') : NULL;
    if (!slash) return 0;
    size_t family = (size_t)(slash - image->name);
    const char *idea = slash + 1 + strspn(slash + 1, "0123456789");
    size_t length = strlen(idea); // with the underscore before it
    bool is = strncmp(kernel, image->name, family) == 0 && strncmp(kernel + family, idea, length) == 0 &&
              kernel[family + length] == '_';
    return is ? family + length : 0;
}

const kz_image *device_find_image(const kz_image_set *const *others, const char *name, const char *kernel) {
    const kz_image *found = NULL;
    size_t most = 0;
    for (const kz_image_set *const *set = others; set && *set; set++)
        for (size_t i = 0; i < (*set)->count; i++) {
            const kz_image *image = &(*set)->images[i];
            if (name && image->name && strcmp(image->name, name) == 0) return image;
            size_t length = name ? 0 : has_kernel(image, kernel); // of two names that fit the longer is meant
            if (length > most) most = length, found = image;
        }
    return found;
}

const kz_image *device_step_image(const kz_image *image, const kz_step *step) {
    const kz_image *other = device_find_image(image->others, step->image, step->entry);
    return other ? other : image;
}

static kz_module *known_part(kz_module *module, const char *name) {
    kz_module *part = module->parts;
    while (part && strcmp(part->name, name) != 0) part = part->next_part;
    return part;
}

// The other image of the module that has the kernel, loaded. `*part` is NULL where none has it, or the module itself does.
static kz_status find_part(kz_module *module, const char *name, const char *kernel, kz_module **part,
                           kz_error *error) {
    *part = name ? known_part(module, name) : NULL;
    if (*part) return KZ_OK;
    if (name && strcmp(name, module->name) == 0) return KZ_OK;
    const kz_image *image = device_find_image(module->others, name, kernel);
    if (name && !image) {
        base_fail(error, KZ_NOT_FOUND, "%s is of %s, whose code %s has not", kernel, name, module->name);
        base_fail_note(error,
                       "kz_image.others, a variant's `others`, names the code of each family in its plans");
        return KZ_NOT_FOUND;
    }
    if (!image || strcmp(image->name, module->name) == 0) return KZ_OK;
    *part = known_part(module, image->name);
    if (*part) return KZ_OK;
    kz_status status = kz_module_load(module->device, image, part, error);
    if (status) return status;
    (*part)->next_part = module->parts;
    module->parts = *part;
    return KZ_OK;
}

static kz_kernel *known_kernel(kz_module *module, const char *name) {
    kz_kernel *kernel = module->kernels;
    while (kernel && strcmp(kernel->name, name) != 0) kernel = kernel->next;
    return kernel;
}

static kz_status open_kernel(kz_module *module, const char *name, kz_kernel **kernel, kz_error *error) {
    char *copy = strdup(name);
    if (!copy) return base_fail(error, KZ_NO_MEMORY, "the host has no memory left for a kernel's name");
    kz_kernel *made = NULL;
    kz_status status = module->device->backend->kernel_open(module, name, &made, error);
    if (status) {
        free(copy);
        return status;
    }
    made->module = module;
    made->name = copy;
    made->next = module->kernels;
    module->kernels = made;
    *kernel = made;
    return KZ_OK;
}

// Finds a kernel that was asked for before, or has the backend make one. Under the device's lock.
static kz_status find_kernel(kz_module *module, const char *image, const char *name, kz_kernel **kernel,
                             kz_error *error) {
    kz_module *part = NULL;
    *kernel = image ? NULL : known_kernel(module, name);
    if (*kernel) return KZ_OK;
    kz_status status = image || module->others ? find_part(module, image, name, &part, error) : KZ_OK;
    if (status) return status;
    *kernel = known_kernel(part ? part : module, name);
    return *kernel ? KZ_OK : open_kernel(part ? part : module, name, kernel, error);
}

kz_status device_module_kernel(kz_module *module, const char *image, const char *name, kz_kernel **kernel,
                               kz_error *error) {
    device_lock(module->device);
    kz_status status = find_kernel(module, image, name, kernel, error);
    device_unlock(module->device);
    return status;
}

kz_status kz_module_kernel(kz_module *module, const char *name, kz_kernel **kernel, kz_error *error) {
    kz_status status = BASE_NEED(module, MODULE, error);
    if (!status) status = BASE_NEED(name, NAME, error);
    if (!status) status = BASE_NEED_RESULT(kernel, kz_kernel *, error);
    if (status) return status;
    *kernel = NULL;
    return device_module_kernel(module, NULL, name, kernel, error);
}

kz_status kz_module_global(kz_module *module, const char *name, kz_ptr *address, size_t *bytes,
                           kz_error *error) {
    kz_status status = BASE_NEED(module, MODULE, error);
    if (!status) status = BASE_NEED(name, NAME, error);
    if (status) return status;
    kz_ptr at;
    size_t size;
    device_enter(module->device);
    status =
        device_leave(module->device, module->device->backend->module_global(module, name, &at, &size, error));
    if (status) return status;
    if (address) *address = at;
    if (bytes) *bytes = size;
    return KZ_OK;
}

kz_status kz_kernel_get_info(kz_kernel *kernel, kz_kernel_info *info, kz_error *error) {
    kz_status status = BASE_NEED(kernel, KERNEL, error);
    if (!status) status = BASE_NEED_RESULT(info, kz_kernel_info, error);
    if (!status) status = DEVICE_CHECK_SIZE(kz_kernel_info, param_count, info, error);
    if (!status) device_give(info, info->size, &kernel->info, sizeof kernel->info);
    return status;
}

kz_status kz_kernel_get_param(kz_kernel *kernel, size_t index, size_t *offset, size_t *bytes,
                              kz_error *error) {
    kz_status status = BASE_NEED(kernel, KERNEL, error);
    if (status) return status;
    kz_device *device = kernel->module->device;
    if (!device->backend->kernel_param)
        return base_fail(error, KZ_UNSUPPORTED, "%s is a native kernel of %s, and states no parameters",
                         kernel->name, device->info.id);
    if (kernel->info.param_count >= 0 && index >= (size_t)kernel->info.param_count)
        return base_fail(error, KZ_INVALID, "%s has no parameter %zu: it takes %d, counted from 0",
                         kernel->name, index, kernel->info.param_count);
    size_t own_offset, own_bytes;
    device_enter(device);
    status =
        device_leave(device, device->backend->kernel_param(kernel, index, &own_offset, &own_bytes, error));
    if (status) return status;
    if (offset) *offset = own_offset;
    if (bytes) *bytes = own_bytes;
    return KZ_OK;
}

// ---- launches --------------------------------------------------------------------------------------

static kz_status check_grid(const kz_kernel *kernel, const kz_launch *launch, kz_error *error) {
    static const uint32_t highest[3] = {INT32_MAX, 65535, 65535};
    const uint32_t *g = launch->grid;
    if (!g[0] || !g[1] || !g[2])
        return base_fail(error, KZ_INVALID, "launching %s: the grid %u x %u x %u is empty", kernel->name,
                         g[0], g[1], g[2]);
    if (g[0] <= highest[0] && g[1] <= highest[1] && g[2] <= highest[2]) return KZ_OK;
    base_fail(error, KZ_LIMIT, "launching %s: the grid %u x %u x %u is too large", kernel->name, g[0], g[1],
              g[2]);
    base_fail_note(error, "a grid may have 2147483647 x 65535 x 65535 blocks: let each block do more (a "
                          "grid-stride loop)");
    return KZ_LIMIT;
}

static kz_status check_block(const kz_kernel *kernel, const kz_launch *launch, const kz_device_info *info,
                             kz_error *error) {
    const uint32_t *b = launch->block;
    uint64_t threads = (uint64_t)b[0] * b[1] * b[2];
    if (!b[0] || !b[1] || !b[2])
        return base_fail(error, KZ_INVALID, "launching %s: the block %u x %u x %u is empty", kernel->name,
                         b[0], b[1], b[2]);
    if (b[0] > 1024 || b[1] > 1024 || b[2] > 64 || threads > (uint64_t)info->max_threads_per_block)
        return base_fail(error, KZ_LIMIT,
                         "launching %s: a block of %u x %u x %u threads; %s allows %d in all, 64 along z",
                         kernel->name, b[0], b[1], b[2], info->id, info->max_threads_per_block);
    if (threads <= (uint64_t)kernel->info.max_threads_per_block) return KZ_OK;
    base_fail(error, KZ_LIMIT, "launching %s with %u x %u x %u threads: this kernel allows %d per block",
              kernel->name, b[0], b[1], b[2], kernel->info.max_threads_per_block);
    base_fail_note(error, "its registers or its __launch_bounds__ allow no more: launch smaller blocks");
    return KZ_LIMIT;
}

static kz_status check_shared(const kz_kernel *kernel, const kz_launch *launch, const kz_device_info *info,
                              kz_error *error) {
    uint64_t in_all = launch->dynamic_shared_bytes + (uint64_t)kernel->info.static_shared_bytes;
    if (in_all <= info->shared_per_block_optin) return KZ_OK;
    return base_fail(
        error, KZ_LIMIT,
        "launching %s: %u bytes of dynamic and %zu of static shared memory; %s allows %zu per block",
        kernel->name, launch->dynamic_shared_bytes, kernel->info.static_shared_bytes, info->id,
        info->shared_per_block_optin);
}

static kz_status check_cluster(const kz_kernel *kernel, const kz_launch *launch, const kz_device_info *info,
                               kz_error *error) {
    const uint32_t *c = launch->cluster, *g = launch->grid;
    if (!c[0] && !c[1] && !c[2]) return KZ_OK;
    if (!c[0] || !c[1] || !c[2] || g[0] % c[0] || g[1] % c[1] || g[2] % c[2])
        return base_fail(
            error, KZ_INVALID,
            "launching %s: a cluster of %u x %u x %u blocks does not divide the grid %u x %u x %u",
            kernel->name, c[0], c[1], c[2], g[0], g[1], g[2]);
    if (info->sm < 90)
        return base_fail(error, KZ_UNSUPPORTED,
                         "launching %s with clusters: %s is sm_%d, clusters came with sm_90", kernel->name,
                         info->id, info->sm);
    if ((uint64_t)c[0] * c[1] * c[2] > 16)
        return base_fail(error, KZ_LIMIT, "launching %s: a cluster of %u x %u x %u blocks; 16 is the most",
                         kernel->name, c[0], c[1], c[2]);
    return KZ_OK;
}

static kz_status check_args(const kz_kernel *kernel, const void *const *args, size_t count, kz_error *error) {
    if (kernel->info.param_count >= 0 && count != (size_t)kernel->info.param_count)
        return base_fail(error, KZ_INVALID, "launching %s with %zu arguments: it takes %d", kernel->name,
                         count, kernel->info.param_count);
    for (size_t i = 0; i < count; i++)
        if (!args[i])
            return base_fail(error, KZ_INVALID, "launching %s: argument %zu is NULL", kernel->name, i);
    return KZ_OK;
}

kz_status kz_launch_kernel(kz_device *device, kz_stream *stream, kz_kernel *kernel, const kz_launch *given,
                           const void *const *args, size_t arg_count, kz_error *error) {
    kz_launch own, *launch = &own;
    kz_status status = BASE_NEED(device, DEVICE, error);
    if (!status) status = device_check_stream(device, stream, error);
    if (!status) status = BASE_NEED(kernel, KERNEL, error);
    if (!status) status = BASE_NEED(given, LAUNCH, error);
    if (!status) status = DEVICE_TAKE(kz_launch, overlap, launch, given, error);
    if (status) return status;
    if (kernel->module->device != device)
        return base_fail(error, KZ_INVALID, "%s was loaded on %s, not on %s", kernel->name,
                         kernel->module->device->info.id, device->info.id);
    status = check_grid(kernel, launch, error);
    if (!status && arg_count) status = BASE_NEED(args, ARGUMENTS, error);
    if (!status) status = check_args(kernel, args, arg_count, error);
    if (!status && device->info.kind != KZ_DEVICE_CPU) {
        status = check_block(kernel, launch, &device->info, error);
        if (!status) status = check_shared(kernel, launch, &device->info, error);
        if (!status) status = check_cluster(kernel, launch, &device->info, error);
    }
    if (status) return status;
    device_enter(device);
    return device_leave(device,
                        device->backend->launch(device, stream, kernel, launch, args, arg_count, error));
}
