// The cuda backend: NVIDIA GPUs through the driver interface, opened at run time (driver.h).
// It works in the device's primary context, which is current in the calling thread after every call, so that
// vendor libraries find the same memory and streams there.
#include "device/cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/cubin.h"
#include "device/entries.h"
#include "device/gpus.h"
#include "device/image.h"

enum { OTHER_BYTES = 1 << 20 }; // filled by the other context

typedef struct cuda_module {
    kz_module base;
    driver_module handle;
    device_entries entries; // of its code, for what the driver had better not be asked
} cuda_module;

typedef struct cuda_kernel {
    kz_kernel base;
    driver_function handle;
    uint32_t dynamic_allowed; // dynamic shared memory the function may have as it is set now
    bool large_clusters;      // more than 8 blocks per cluster were allowed
} cuda_kernel;

// ---- errors ----------------------------------------------------------------------------------------

kz_status device_cuda_enter(kz_device *device, kz_error *error) {
    cuda_device *self = cuda_of(device);
    device_lock(device);
    kz_status dead = self->dead;
    if (dead) {
        base_fail(error, dead, "%s stopped earlier: %s", device->info.id, self->dead_why);
        base_fail_note(error, "its memory and modules are gone: close the device and open it again");
    }
    device_unlock(device);
    if (dead) return dead;
    return device_cuda_check(device, self->driver.context_set(self->context), error,
                             "entering the GPU's context");
}

static void mark_dead(cuda_device *self, kz_status status, const kz_error *explained) {
    self->dead = status;
    size_t length = strcspn(explained->message, "\n");
    snprintf(self->dead_why, sizeof self->dead_why, "%.*s", (int)length, explained->message);
}

kz_status device_cuda_check(kz_device *device, driver_result result, kz_error *error, const char *format,
                            ...) {
    if (result == 0) return KZ_OK;
    cuda_device *self = cuda_of(device);
    char where[256];
    va_list list;
    va_start(list, format);
    int used = vsnprintf(where, sizeof where, format, list);
    va_end(list);
    if (used >= 0 && (size_t)used < sizeof where)
        snprintf(where + used, sizeof where - (size_t)used, " on %s (%s)", device->info.id,
                 device->info.name);

    kz_error own = {0}; // the device remembers, even where the caller wants to know nothing
    kz_error *out = error ? error : &own;
    bool sticky;
    kz_status status = device_driver_fail(&self->driver, result, where, &sticky, out);
    if (status == KZ_NO_DEVICE) { // it was there when it was opened
        status = out->status = KZ_LOST;
        sticky = true;
    }
    if (!sticky) return status;
    device_lock(device);
    mark_dead(self, status, out);
    if (status == KZ_FAULT) {
        if (self->last_kernel[0]) base_fail_note(out, "the kernel launched last was %s", self->last_kernel);
        base_fail_note(out,
                       "the simulator names block, thread and source line: run the same with --device sim");
    }
    device_unlock(device);
    base_fail_note(out, "the GPU's memory and modules are gone: close the device and open it again");
    return status;
}

// ---- devices ---------------------------------------------------------------------------------------

// Lanes for f32 per multiprocessor, from the CUDA C++ Programming Guide's table of arithmetic throughput.
static int f32_lanes(int sm) { return sm == 60 || (sm >= 70 && sm <= 80) ? 64 : 128; }

// Nominal peaks: from gpus/ where the GPU is known there, else from the clocks the driver reports.
static void fill_peaks(const driver_table *d, driver_device ordinal, kz_device_info *info) {
    device_gpu gpu;
    if (device_gpu_match(info->name, info->sm, info->multiprocessors, (double)info->memory_bytes, &gpu)) {
        snprintf(info->gpu, sizeof info->gpu, "%s", gpu.key);
        info->peak_bytes_per_s = gpu.bandwidth;
        info->peak_flops_f32 = gpu.flops_f32;
        return;
    }
    int clock = 0, memory_clock = 0, bus = 0;
    d->device_attribute(&clock, DRIVER_CLOCK_RATE, ordinal);
    d->device_attribute(&memory_clock, DRIVER_MEMORY_CLOCK_RATE, ordinal);
    d->device_attribute(&bus, DRIVER_MEMORY_BUS_WIDTH, ordinal);
    info->peak_bytes_per_s = 2.0 * 1e3 * memory_clock * (bus / 8.0); // two transfers per clock
    info->peak_flops_f32 = 2.0 * 1e3 * clock * info->multiprocessors * f32_lanes(info->sm);
}

// `index` is the driver's; the result is that of the first call that failed.
static driver_result describe(const driver_table *d, int index, driver_device *ordinal,
                              kz_device_info *info) {
    *info = (kz_device_info){.size = sizeof *info, .kind = KZ_DEVICE_CUDA, .has_clock = true};
    snprintf(info->id, sizeof info->id, "cuda:%d", index);
    driver_result result = d->device_get(ordinal, index);
    if (!result) result = d->device_name(info->name, sizeof info->name, *ordinal);
    if (!result) result = d->device_memory(&info->memory_bytes, *ordinal);
    int major = 0, minor = 0, l2 = 0, shared = 0, optin = 0, per_multiprocessor = 0;
    const struct {
        int attribute, *value;
    } rows[] = {
        {DRIVER_CAPABILITY_MAJOR, &major},
        {DRIVER_CAPABILITY_MINOR, &minor},
        {DRIVER_MULTIPROCESSORS, &info->multiprocessors},
        {DRIVER_WARP_SIZE, &info->warp_size},
        {DRIVER_MAX_THREADS_PER_BLOCK, &info->max_threads_per_block},
        {DRIVER_MAX_THREADS_PER_MULTIPROCESSOR, &info->max_threads_per_multiprocessor},
        {DRIVER_MAX_BLOCKS_PER_MULTIPROCESSOR, &info->max_blocks_per_multiprocessor},
        {DRIVER_REGISTERS_PER_MULTIPROCESSOR, &info->registers_per_multiprocessor},
        {DRIVER_L2_BYTES, &l2},
        {DRIVER_SHARED_PER_BLOCK, &shared},
        {DRIVER_SHARED_PER_BLOCK_OPTIN, &optin},
        {DRIVER_SHARED_PER_MULTIPROCESSOR, &per_multiprocessor},
    };
    for (size_t i = 0; i < BASE_COUNT(rows) && !result; i++)
        result = d->device_attribute(rows[i].value, rows[i].attribute, *ordinal);
    if (result) return result;
    info->sm = 10 * major + minor;
    info->l2_bytes = (size_t)l2;
    info->shared_per_block = (size_t)shared;
    info->shared_per_block_optin = (size_t)(optin ? optin : shared);
    info->shared_per_multiprocessor = (size_t)per_multiprocessor;
    fill_peaks(d, *ordinal, info);
    return 0;
}

static size_t cuda_list(kz_device_info *infos, size_t capacity) {
    driver_table d;
    int count;
    if (device_driver_open(&d, NULL) || d.device_count(&count) || count < 0) return 0;
    size_t found = 0;
    for (int i = 0; i < count; i++) {
        kz_device_info info;
        driver_device ordinal;
        if (describe(&d, i, &ordinal, &info)) continue; // a broken one is not there
        if (found < capacity) infos[found] = info;
        found++;
    }
    return found;
}

// "0", "1", ...; nothing means 0.
static kz_status parse_index(const char *which, int *index, kz_error *error) {
    char *end = NULL;
    long number = which ? strtol(which, &end, 10) : 0;
    *index = (int)number;
    if (!which || (end != which && *end == 0 && number >= 0 && number < 4096 && which[0] != '+'))
        return KZ_OK;
    base_fail(error, KZ_NO_DEVICE, "there is no device 'cuda:%.40s': GPUs are numbered from cuda:0", which);
    device_note_present(error);
    return KZ_NO_DEVICE;
}

static kz_status open_driver(cuda_device *self, const char *which, kz_error *error) {
    int index, count = 0;
    kz_status status = parse_index(which, &index, error);
    if (status) return status;
    status = device_driver_open(&self->driver, error);
    driver_result result = status ? 0 : self->driver.device_count(&count);
    if (result) status = device_driver_fail(&self->driver, result, "counting the GPUs", NULL, error);
    if (!status && index >= count)
        status = base_fail(error, KZ_NO_DEVICE, "there is no device 'cuda:%d': the driver shows %d GPU%s",
                           index, count, count == 1 ? "" : "s");
    if (status) {
        device_note_present(error);
        return status;
    }
    result = describe(&self->driver, index, &self->ordinal, &self->base.info);
    if (!result) result = self->driver.context_retain(&self->context, self->ordinal);
    if (result) return device_driver_fail(&self->driver, result, "opening the GPU", NULL, error);
    return KZ_OK;
}

static kz_status cuda_open(const char *which, kz_device **device, kz_error *error) {
    cuda_device *self = DEVICE_NEW(cuda_device, error);
    if (!self) return KZ_NO_MEMORY;
    device_begin(&self->base, &device_cuda);
    kz_status status = open_driver(self, which, error);
    if (!status) {
        status = device_cuda_enter(&self->base, error);
        if (status) self->driver.context_release(self->ordinal);
    }
    if (status) {
        device_end(&self->base);
        free(self);
    } else
        *device = &self->base;
    return status;
}

// A new context is current at once, above the primary one, which popping it leaves as it was.
static driver_result open_other(cuda_device *self) {
    const driver_table *d = &self->driver;
    driver_context popped;
    driver_result result = d->context_create(&self->other, 0, self->ordinal);
    if (result) return result;
    result = d->memory_alloc(&self->other_memory, OTHER_BYTES);
    driver_result back = d->context_pop(&popped);
    if (!result) return back;
    d->context_destroy(self->other);
    self->other = NULL;
    return result;
}

static kz_status cuda_switch_context(kz_device *device, kz_error *error) {
    cuda_device *self = cuda_of(device);
    const driver_table *d = &self->driver;
    kz_status status = device_cuda_enter(device, error);
    if (status) return status;
    device_lock(device);
    driver_result result = self->other ? 0 : open_other(self);
    if (!result) result = d->context_set(self->other);
    if (!result) result = d->fill(self->other_memory, 0, OTHER_BYTES, NULL);
    if (!result) result = d->context_synchronize();
    driver_result back = d->context_set(self->context);
    device_unlock(device);
    return device_cuda_check(device, result ? result : back, error, "letting another context work");
}

static void cuda_close(kz_device *device) {
    cuda_device *self = cuda_of(device);
    if (self->other) self->driver.context_destroy(self->other); // and its memory
    self->driver.context_set(NULL);
    self->driver.context_release(self->ordinal);
    // A context that faulted stays in the primary context's place; only a reset lets the next open have a new
    // one.
    if (self->dead) self->driver.context_reset(self->ordinal);
    device_end(device);
    free(self);
}

static kz_status cuda_synchronize(kz_device *device, kz_error *error) {
    kz_status status = device_cuda_enter(device, error);
    if (status) return status;
    return device_cuda_check(device, cuda_of(device)->driver.context_synchronize(), error,
                             "waiting for the GPU");
}

// ---- modules ---------------------------------------------------------------------------------------

// Machine code runs on its own architecture and, unless made for that one alone, on later ones of the same
// generation. The nearest wins.
static const kz_machine_code *choose_code(const kz_image *image, int sm) {
    const kz_machine_code *best = NULL;
    for (size_t i = 0; i < image->machine_code_count; i++) {
        const kz_machine_code *code = &image->machine_code[i];
        bool runs = code->sm == sm || (!code->specific && code->sm / 10 == sm / 10 && code->sm < sm);
        if (runs && (!best || code->sm > best->sm || (code->sm == best->sm && code->specific))) best = code;
    }
    return best;
}

// Loads PTX, which the driver compiles now; what its assembler wrote goes into the error.
static kz_status load_ptx(kz_device *device, const kz_image *image, cuda_module *module, kz_error *error) {
    char *ptx;
    kz_status status = kz_image_ptx(image, &ptx, error);
    if (status) return status;
    char log[2048] = "";
    int options[] = {DRIVER_JIT_ERROR_LOG, DRIVER_JIT_ERROR_LOG_BYTES, DRIVER_JIT_LINE_INFO};
    void *values[] = {log, (void *)(uintptr_t)(sizeof log - 1), (void *)(uintptr_t)1};
    status = device_entries_read(ptx, &module->entries, error);
    if (!status) {
        driver_result result =
            cuda_of(device)->driver.module_load(&module->handle, ptx, BASE_COUNT(options), options, values);
        status = device_cuda_check(device, result, error, "compiling the PTX of %s", image->name);
    }
    free(ptx);
    log[sizeof log - 1] = 0;
    for (size_t length = strlen(log); length && (unsigned char)log[length - 1] <= 32;) log[--length] = 0;
    if (status && log[0]) base_fail_note(error, "the driver's assembler says:\n%s", log);
    return status;
}

static bool has_ptx(const kz_image *image) { return image->ptx || image->packed_ptx; }

// `*compile`: an older driver may not know the newer machine code's format, and can still compile the PTX.
static kz_status load_code(kz_device *device, const kz_image *image, const kz_machine_code *code,
                           cuda_module *module, bool *compile, kz_error *error) {
    const driver_table *d = &cuda_of(device)->driver;
    const void *data;
    void *unpacked;
    kz_status status = device_code_unpack(image->name, code, &data, &unpacked, error);
    if (status) return status;
    driver_result result = d->module_load(&module->handle, data, 0, NULL, NULL);
    *compile = has_ptx(image) && (result == DRIVER_INVALID_IMAGE || result == DRIVER_NO_BINARY_FOR_GPU);
    if (!*compile)
        status = device_cuda_check(device, result, error, "loading the machine code of %s", image->name);
    if (!result) {
        status = device_cubin_entries(data, code->size, &module->entries, error);
        if (status) d->module_unload(module->handle);
    }
    free(unpacked); // the driver has its own copy
    return status;
}

// Machine code where there is some for this GPU: then the PTX, which is several times as large, is not even unpacked.
static kz_status load_image(kz_device *device, const kz_image *image, cuda_module *module, kz_error *error) {
    const kz_machine_code *code = choose_code(image, device->info.sm);
    bool compile = has_ptx(image);
    kz_status status = code ? load_code(device, image, code, module, &compile, error) : KZ_OK;
    if (status) return status;
    if (compile) return load_ptx(device, image, module, error);
    if (code) return KZ_OK;
    base_fail(error, KZ_UNSUPPORTED, "%s has no code for %s, which is sm_%d: neither PTX nor machine code",
              image->name, device->info.id, device->info.sm);
    if (image->natives) base_fail_note(error, "it is native C: --device cpu runs it");
    return KZ_UNSUPPORTED;
}

static kz_status cuda_module_load(kz_device *device, const kz_image *image, kz_module **module,
                                  kz_error *error) {
    kz_status status = device_cuda_enter(device, error);
    if (status) return status;
    cuda_module *made = DEVICE_NEW(cuda_module, error);
    if (!made) return KZ_NO_MEMORY;
    status = load_image(device, image, made, error);
    if (status) {
        device_entries_free(&made->entries);
        free(made);
        return status;
    }
    *module = &made->base;
    return KZ_OK;
}

static void cuda_module_close(kz_module *module) {
    if (!device_cuda_enter(module->device, NULL))
        cuda_of(module->device)->driver.module_unload(((cuda_module *)module)->handle);
    device_entries_free(&((cuda_module *)module)->entries);
    free(module);
}

// For machine code without notes that we can read. -1 where the driver is too old to tell.
static int ask_params(const driver_table *d, driver_function function) {
    if (!d->function_param) return -1;
    size_t offset, bytes;
    int count = 0;
    driver_result result = 0;
    while (count < 4096 && !(result = d->function_param(function, (size_t)count, &offset, &bytes))) count++;
    return result == DRIVER_INVALID_VALUE ? count : -1;
}

static driver_result describe_kernel(const driver_table *d, cuda_kernel *kernel) {
    int threads = 0, shared = 0, local = 0, registers = 0;
    driver_function f = kernel->handle;
    // Code is loaded when first used otherwise, which must not happen while a graph is recorded or timed.
    driver_result result = d->function_load ? d->function_load(f) : 0;
    if (!result) result = d->function_attribute(&threads, DRIVER_FUNCTION_MAX_THREADS, f);
    if (!result) result = d->function_attribute(&shared, DRIVER_FUNCTION_SHARED_BYTES, f);
    if (!result) result = d->function_attribute(&local, DRIVER_FUNCTION_LOCAL_BYTES, f);
    if (!result) result = d->function_attribute(&registers, DRIVER_FUNCTION_REGISTERS, f);
    kernel->base.info = (kz_kernel_info){
        .size = sizeof kernel->base.info,
        .registers = registers,
        .static_shared_bytes = (size_t)shared,
        .local_bytes_per_thread = (size_t)local,
        .max_threads_per_block = threads,
    };
    return result;
}

static kz_status cuda_kernel_open(kz_module *module, const char *name, kz_kernel **kernel, kz_error *error) {
    kz_device *device = module->device;
    kz_status status = device_cuda_enter(device, error);
    if (status) return status;
    const driver_table *d = &cuda_of(device)->driver;
    cuda_kernel *made = DEVICE_NEW(cuda_kernel, error);
    if (!made) return KZ_NO_MEMORY;
    driver_result result = d->module_function(&made->handle, ((cuda_module *)module)->handle, name);
    if (!result) result = describe_kernel(d, made);
    status = device_cuda_check(device, result, error, "looking up the kernel %s in %s", name, module->name);
    if (status) {
        free(made);
        return status;
    }
    size_t plain = device->info.shared_per_block, fixed = made->base.info.static_shared_bytes;
    made->dynamic_allowed = plain > fixed ? (uint32_t)(plain - fixed) : 0;
    int params = device_entries_params(&((cuda_module *)module)->entries, name);
    made->base.info.param_count = params >= 0 ? params : ask_params(d, made->handle);
    *kernel = &made->base;
    return KZ_OK;
}

static void cuda_kernel_close(kz_kernel *kernel) { free(kernel); }

static kz_status cuda_kernel_param(kz_kernel *kernel, size_t index, size_t *offset, size_t *bytes,
                                   kz_error *error) {
    kz_device *device = kernel->module->device;
    kz_status status = device_cuda_enter(device, error);
    if (status) return status;
    const driver_table *d = &cuda_of(device)->driver;
    if (!d->function_param) {
        base_fail(error, KZ_UNSUPPORTED, "the driver of %s cannot tell the parameters of %s", device->info.id,
                  kernel->name);
        base_fail_note(error, "CUDA 12.4 (driver 550) or newer can; the simulator can too");
        return KZ_UNSUPPORTED;
    }
    driver_result result = d->function_param(((cuda_kernel *)kernel)->handle, index, offset, bytes);
    return device_cuda_check(device, result, error, "asking for parameter %zu of %s", index, kernel->name);
}

static kz_status cuda_module_global(kz_module *module, const char *name, kz_ptr *address, size_t *bytes,
                                    kz_error *error) {
    kz_device *device = module->device;
    kz_status status = device_cuda_enter(device, error);
    if (status) return status;
    driver_result result =
        cuda_of(device)->driver.module_global(address, bytes, ((cuda_module *)module)->handle, name);
    return device_cuda_check(device, result, error, "looking up the variable %s in %s", name, module->name);
}

// ---- launches --------------------------------------------------------------------------------------

// More dynamic shared memory than a block has by default, and clusters beyond the portable 8 blocks, must be
// asked for, once per function. Under the device's lock.
static kz_status allow(kz_device *device, cuda_kernel *kernel, const kz_launch *launch, kz_error *error) {
    const driver_table *d = &cuda_of(device)->driver;
    uint32_t bytes = launch->dynamic_shared_bytes;
    if (bytes > kernel->dynamic_allowed) {
        driver_result result =
            d->function_set_attribute(kernel->handle, DRIVER_FUNCTION_MAX_DYNAMIC_SHARED, (int)bytes);
        kz_status status = device_cuda_check(
            device, result, error, "allowing %s %u bytes of dynamic shared memory", kernel->base.name, bytes);
        if (status) return status;
        kernel->dynamic_allowed = bytes;
    }
    uint64_t blocks = (uint64_t)launch->cluster[0] * launch->cluster[1] * launch->cluster[2];
    if (blocks > 8 && !kernel->large_clusters) {
        driver_result result =
            d->function_set_attribute(kernel->handle, DRIVER_FUNCTION_NON_PORTABLE_CLUSTER, 1);
        kz_status status = device_cuda_check(device, result, error,
                                             "allowing %s clusters of more than 8 blocks", kernel->base.name);
        if (status) return status;
        kernel->large_clusters = true;
    }
    return KZ_OK;
}

static kz_status cuda_launch(kz_device *device, kz_stream *stream, kz_kernel *kernel, const kz_launch *launch,
                             const void *const *args, size_t arg_count, kz_error *error) {
    kz_status status = device_cuda_enter(device, error);
    if (status) return status;
    cuda_device *self = cuda_of(device);
    device_lock(device);
    status = allow(device, (cuda_kernel *)kernel, launch, error);
    memccpy(self->last_kernel, kernel->name, 0, sizeof self->last_kernel - 1); // its last byte stays 0
    device_unlock(device);
    if (status) return status;
    driver_launch_attribute attributes[3];
    driver_launch_config config = {
        .grid = {launch->grid[0], launch->grid[1], launch->grid[2]},
        .block = {launch->block[0], launch->block[1], launch->block[2]},
        .shared_bytes = launch->dynamic_shared_bytes,
        .stream = cuda_stream_of(stream),
        .attributes = attributes,
    };
    if (launch->cooperative) {
        driver_launch_attribute *attribute = &attributes[config.attribute_count++];
        *attribute = (driver_launch_attribute){.id = DRIVER_LAUNCH_COOPERATIVE, .value.cooperative = 1};
    }
    if (launch->cluster[0]) {
        driver_launch_attribute *attribute = &attributes[config.attribute_count++];
        *attribute = (driver_launch_attribute){
            .id = DRIVER_LAUNCH_CLUSTER,
            .value.cluster = {launch->cluster[0], launch->cluster[1], launch->cluster[2]}};
    }
    if (launch->overlap && device->info.sm >= 90) {
        driver_launch_attribute *attribute = &attributes[config.attribute_count++];
        *attribute = (driver_launch_attribute){.id = DRIVER_LAUNCH_OVERLAP, .value.overlap = 1};
    }
    // The driver copies the values before it returns; its interface merely lacks the const.
    driver_result result = self->driver.launch(&config, ((cuda_kernel *)kernel)->handle, (void **)args, NULL);
    return device_cuda_check(device, result, error, "launching %s", kernel->name);
}

const device_backend device_cuda = {
    .kind = KZ_DEVICE_CUDA,
    .prefix = "cuda",
    .concurrent = true, // as the driver is
    .list = cuda_list,
    .open = cuda_open,
    .close = cuda_close,
    .synchronize = cuda_synchronize,
    .switch_context = cuda_switch_context,
    .memory_alloc = device_cuda_memory_alloc,
    .host_alloc = device_cuda_host_alloc,
    .host_free = device_cuda_host_free,
    .memory_free = device_cuda_memory_free,
    .memory_register = device_cuda_memory_register,
    .memory_unregister = device_cuda_memory_unregister,
    .memory_available = device_cuda_memory_available,
    .memory_alloc_shared = device_cuda_memory_alloc_shared,
    .memory_export = device_cuda_memory_export,
    .memory_import = device_cuda_memory_import,
    .memory_close = device_cuda_memory_close,
    .fill = device_cuda_fill,
    .copy_to_device = device_cuda_copy_to_device,
    .copy_to_host = device_cuda_copy_to_host,
    .copy_on_device = device_cuda_copy_on_device,
    .module_load = cuda_module_load,
    .module_close = cuda_module_close,
    .kernel_open = cuda_kernel_open,
    .kernel_close = cuda_kernel_close,
    .kernel_param = cuda_kernel_param,
    .module_global = cuda_module_global,
    .tensor_map = device_cuda_tensor_map,
    .launch = cuda_launch,
    .stream_open = device_cuda_stream_open,
    .stream_wrap = device_cuda_stream_wrap,
    .stream_close = device_cuda_stream_close,
    .stream_handle = device_cuda_stream_handle,
    .stream_synchronize = device_cuda_stream_synchronize,
    .stream_wait = device_cuda_stream_wait,
    .event_open = device_cuda_event_open,
    .event_close = device_cuda_event_close,
    .event_record = device_cuda_event_record,
    .event_mark = device_cuda_event_mark,
    .event_synchronize = device_cuda_event_synchronize,
    .event_elapsed = device_cuda_event_elapsed,
    .graph_begin = device_cuda_graph_begin,
    .graph_end = device_cuda_graph_end,
    .graph_launch = device_cuda_graph_launch,
    .graph_close = device_cuda_graph_close,
};
