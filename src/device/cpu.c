// The host as a device: native C kernels, one call per block of the grid, blocks spread over the cores.
// Its memory is the host's own, so addresses are pointers and copies are memcpy.
#include "device/queue.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/host.h"
#include "device/pool.h"
#include "device/share.h"

enum { CPU_ALIGNMENT = 256, /* as cuMemAlloc's */ ASKED_EACH = 64 << 20 };

typedef struct cpu_range {
    kz_ptr address;
    size_t bytes;
    enum { CPU_OWN, CPU_SHARED, CPU_IMPORTED } kind; // from malloc; a mapping of a file in memory
    int file;                                        // CPU_SHARED: what others open
} cpu_range;

typedef struct cpu_device {
    device_queue queue; // first
    device_pool *pool;
    cpu_range *live; // what was allocated, in no order: a wrong address is told before it is used
    size_t live_count, live_capacity;
    uint64_t available,
        room; // of the host's memory when it was last asked; what may be taken before it is again
} cpu_device;

typedef struct cpu_module {
    kz_module base;
    const kz_native_entry *natives;
} cpu_module;

typedef struct cpu_kernel {
    kz_kernel base;
    kz_native_function function;
} cpu_kernel;

// ---- the device ------------------------------------------------------------------------------------

static void describe(kz_device_info *info) {
    *info = (kz_device_info){
        .size = sizeof *info,
        .kind = KZ_DEVICE_CPU,
        .id = "cpu",
        .multiprocessors = (int)device_host_cores(),
        .warp_size = 1,
        .max_threads_per_block = 1,
        .max_threads_per_multiprocessor = 1,
        .max_blocks_per_multiprocessor = 1,
        .memory_bytes = device_host_memory(""),
        .l2_bytes = device_host_cache_bytes(""), // the last level's
        .has_clock = true,
    };
    device_host_processor("", info->name, sizeof info->name);
}

static size_t cpu_list(kz_device_info *infos, size_t capacity) {
    if (capacity > 0) describe(infos);
    return 1;
}

static kz_status cpu_run(kz_device *device, const device_op *op, kz_error *error);
static void free_range(const cpu_range *range);

// Native entries state no parameter sizes; kz.h asks for 8 readable bytes each.
static size_t cpu_arg_bytes(const kz_kernel *kernel, size_t index) { return 8; }

static kz_status cpu_open(const char *which, kz_device **device, kz_error *error) {
    if (which && strcmp(which, "0") != 0) {
        base_fail(error, KZ_NO_DEVICE, "there is no device 'cpu:%.40s': there is one `cpu`", which);
        return KZ_NO_DEVICE;
    }
    cpu_device *made = DEVICE_NEW(cpu_device, error);
    if (!made) return KZ_NO_MEMORY;
    describe(&made->queue.device.info);
    device_begin(&made->queue.device, &device_cpu);
    made->queue.run = cpu_run;
    made->queue.arg_bytes = cpu_arg_bytes;
    made->pool = device_pool_open(device_host_cores());
    if (!made->pool) {
        device_end(&made->queue.device);
        free(made);
        return base_fail(error, KZ_NO_MEMORY, "the host has no memory left for a pool of threads");
    }
    *device = &made->queue.device;
    return KZ_OK;
}

static void cpu_close(kz_device *device) {
    device_queue_end((device_queue *)device);
    cpu_device *self = (cpu_device *)device;
    device_pool_close(self->pool);
    for (size_t i = 0; i < self->live_count; i++) free_range(&self->live[i]);
    free(self->live);
    device_end(device);
    free(device);
}

static kz_status cpu_set_threads(kz_device *device, unsigned threads, kz_error *error) {
    device_pool *pool = device_pool_open(threads ? threads : device_host_cores());
    if (!pool) return base_fail(error, KZ_NO_MEMORY, "the host has no memory left for a pool of threads");
    device_pool_close(((cpu_device *)device)->pool);
    ((cpu_device *)device)->pool = pool;
    return KZ_OK;
}

// ---- memory ----------------------------------------------------------------------------------------

static void *host(kz_ptr address) { return (void *)(uintptr_t)address; }

static kz_status cpu_memory_available(kz_device *device, size_t *bytes, kz_error *error) {
    *bytes = device_host_memory("");
    return KZ_OK;
}

static void free_range(const cpu_range *range) {
    if (range->kind == CPU_OWN)
        free(host(range->address));
    else
        munmap(host(range->address), range->bytes);
    if (range->kind == CPU_SHARED) close(range->file);
}

static bool keep_range(cpu_device *self, cpu_range range) {
    if (self->live_count == self->live_capacity) {
        size_t capacity = self->live_capacity ? 2 * self->live_capacity : 64;
        cpu_range *grown = realloc(self->live, capacity * sizeof *grown);
        if (!grown) return false;
        self->live = grown;
        self->live_capacity = capacity;
    }
    self->live[self->live_count++] = range;
    return true;
}

// Linux promises more than it has and kills whoever takes it at its word; so ask first. The answer is in several
// files: it stands for ASKED_EACH bytes.
static bool has_room(cpu_device *self, size_t bytes) {
    if (bytes > self->room) {
        self->available = device_host_memory("");
        if (bytes > self->available) return false;
        self->room = self->available - bytes < ASKED_EACH ? self->available : bytes + ASKED_EACH;
    }
    self->room -= bytes;
    return true;
}

static kz_status cpu_memory_alloc(kz_device *device, size_t bytes, kz_ptr *address, kz_error *error) {
    cpu_device *self = (cpu_device *)device;
    void *memory = NULL;
    if (!has_room(self, bytes) || posix_memalign(&memory, CPU_ALIGNMENT, bytes) != 0)
        return device_fail_memory(device, bytes, self->available, error);
    if (!keep_range(self, (cpu_range){.address = (kz_ptr)(uintptr_t)memory, .bytes = bytes})) {
        free(memory);
        return device_fail_memory(device, bytes, self->available, error);
    }
    *address = (kz_ptr)(uintptr_t)memory;
    return KZ_OK;
}

static cpu_range *find_range(cpu_device *self, kz_ptr address) {
    for (size_t i = 0; i < self->live_count; i++)
        if (self->live[i].address == address) return &self->live[i];
    return NULL;
}

static kz_status cpu_memory_free(kz_device *device, kz_ptr address, kz_error *error) {
    cpu_device *self = (cpu_device *)device;
    cpu_range *range = find_range(self, address);
    if (range) {
        free_range(range);
        *range = self->live[--self->live_count];
        return KZ_OK;
    }
    base_fail(error, KZ_INVALID, "cannot free 0x%llx: no live allocation of `cpu` begins there",
              (unsigned long long)address);
    base_fail_note(error, "likely cause: it was freed before, or is an address inside a buffer");
    return KZ_INVALID;
}

// ---- memory that other processes open ------------------------------------------------------------------

typedef struct cpu_handle { // what is in a device_memory_handle
    int64_t process, file;
    uint64_t bytes;
} cpu_handle;

// Maps the file and keeps the range; the file is closed where that fails, and where the range is imported. All pages are
// there at once: who measures in this memory measures no page faults.
static kz_status map_file(cpu_device *self, cpu_range range, kz_ptr *address, kz_error *error) {
    void *memory = mmap(NULL, range.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, range.file, 0);
    range.address = (kz_ptr)(uintptr_t)memory;
    bool kept = memory != MAP_FAILED && keep_range(self, range);
    if (!kept && memory != MAP_FAILED) munmap(memory, range.bytes);
    if (!kept || range.kind == CPU_IMPORTED) close(range.file);
    if (!kept) return base_fail(error, KZ_NO_MEMORY, "the host cannot map %zu shared bytes", range.bytes);
    *address = range.address;
    return KZ_OK;
}

static kz_status cpu_memory_alloc_shared(kz_device *device, size_t bytes, kz_ptr *address, kz_error *error) {
    cpu_device *self = (cpu_device *)device;
    if (!has_room(self, bytes)) return device_fail_memory(device, bytes, self->available, error);
    int file = memfd_create("kz", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, (off_t)bytes)) {
        base_fail(error, KZ_IO, "the host makes no file of %zu bytes in memory: %s", bytes, strerror(errno));
        if (file >= 0) close(file);
        return KZ_IO;
    }
    return map_file(self, (cpu_range){.bytes = bytes, .kind = CPU_SHARED, .file = file}, address, error);
}

static kz_status cpu_memory_export(kz_device *device, kz_ptr address, device_memory_handle *handle,
                                   kz_error *error) {
    const cpu_range *range = find_range((cpu_device *)device, address);
    if (!range || range->kind != CPU_SHARED)
        return base_fail(error, KZ_INVALID,
                         "cannot export 0x%llx: no shared allocation of `cpu` begins there",
                         (unsigned long long)address);
    const cpu_handle named = {getpid(), range->file, range->bytes};
    memcpy(handle->bytes, &named, sizeof named);
    return KZ_OK;
}

static kz_status cpu_memory_import(kz_device *device, const device_memory_handle *handle, kz_ptr *address,
                                   kz_error *error) {
    cpu_handle named;
    memcpy(&named, handle->bytes, sizeof named);
    char path[64];
    snprintf(path, sizeof path, "/proc/%lld/fd/%lld", (long long)named.process, (long long)named.file);
    int file = open(path, O_RDWR | O_CLOEXEC);
    struct stat about;
    if (file < 0 || fstat(file, &about) || (uint64_t)about.st_size != named.bytes || !named.bytes) {
        base_fail(error, KZ_INVALID, "cannot open the memory that process %lld exported: %s",
                  (long long)named.process, file < 0 ? strerror(errno) : "it has another size");
        base_fail_note(error, "likely cause: that process has ended, or freed it, or is another user's");
        if (file >= 0) close(file);
        return KZ_INVALID;
    }
    return map_file((cpu_device *)device,
                    (cpu_range){.bytes = named.bytes, .kind = CPU_IMPORTED, .file = file}, address, error);
}

static kz_status check_range(const cpu_device *self, kz_ptr address, uint64_t bytes, kz_error *error) {
    for (size_t i = 0; i < self->live_count; i++) {
        const cpu_range *r = &self->live[i];
        if (bytes <= r->bytes && address - r->address <= r->bytes - bytes) return KZ_OK;
    }
    base_fail(error, KZ_INVALID,
              "a copy or fill of %llu bytes at 0x%llx is outside every allocation of `cpu`",
              (unsigned long long)bytes, (unsigned long long)address);
    base_fail_note(error, "likely cause: a size that is too large, or a buffer that was freed");
    return KZ_INVALID;
}

// ---- modules ---------------------------------------------------------------------------------------

static kz_status cpu_module_load(kz_device *device, const kz_image *image, kz_module **module,
                                 kz_error *error) {
    if (!image->natives) {
        base_fail(error, KZ_UNSUPPORTED, "%s has no native C kernels, so it cannot run on cpu", image->name);
        base_fail_note(error, "its PTX runs on the simulator: --device sim");
        return KZ_UNSUPPORTED;
    }
    cpu_module *made = DEVICE_NEW(cpu_module, error);
    if (!made) return KZ_NO_MEMORY;
    made->natives = image->natives;
    *module = &made->base;
    return KZ_OK;
}

static void cpu_module_close(kz_module *module) { free(module); }

static kz_status cpu_kernel_open(kz_module *module, const char *name, kz_kernel **kernel, kz_error *error) {
    const kz_native_entry *entry = ((cpu_module *)module)->natives;
    while (entry->name && strcmp(entry->name, name) != 0) entry++;
    if (!entry->name) return base_fail(error, KZ_NOT_FOUND, "%s has no native kernel %s", module->name, name);
    cpu_kernel *made = DEVICE_NEW(cpu_kernel, error);
    if (!made) return KZ_NO_MEMORY;
    made->function = entry->function;
    made->base.info = (kz_kernel_info){
        .size = sizeof made->base.info, .registers = -1, .max_threads_per_block = 1, .param_count = -1};
    *kernel = &made->base;
    return KZ_OK;
}

static void cpu_kernel_close(kz_kernel *kernel) { free(kernel); }

static kz_status cpu_module_global(kz_module *module, const char *name, kz_ptr *address, size_t *bytes,
                                   kz_error *error) {
    return base_fail(error, KZ_UNSUPPORTED, "%s: native modules do not show variables (asked for %s)",
                     module->name, name);
}

// ---- operations ------------------------------------------------------------------------------------

typedef struct cpu_grid {
    kz_native_function function;
    const kz_launch *launch;
    const void *const *args;
} cpu_grid;

static void run_block(void *context, uint64_t index) {
    const cpu_grid *grid = context;
    const uint32_t *g = grid->launch->grid;
    kz_native_launch launch = {
        .grid = {g[0], g[1], g[2]},
        .block_index = {(uint32_t)(index % g[0]), (uint32_t)(index / g[0] % g[1]),
                        (uint32_t)(index / ((uint64_t)g[0] * g[1]))},
        .args = grid->args,
    };
    grid->function(&launch);
}

static kz_status cpu_run(kz_device *device, const device_op *op, kz_error *error) {
    const cpu_device *self = (const cpu_device *)device;
    bool writes =
        op->kind == DEVICE_OP_FILL || op->kind == DEVICE_OP_TO_DEVICE || op->kind == DEVICE_OP_ON_DEVICE;
    bool reads = op->kind == DEVICE_OP_TO_HOST || op->kind == DEVICE_OP_ON_DEVICE;
    kz_status status = writes ? check_range(self, op->to, op->bytes, error) : KZ_OK;
    if (!status && reads) status = check_range(self, op->from, op->bytes, error);
    if (status) return status;
    switch (op->kind) {
    case DEVICE_OP_FILL: memset(host(op->to), op->byte, op->bytes); break;
    case DEVICE_OP_TO_DEVICE: memmove(host(op->to), op->host_from, op->bytes); break;
    case DEVICE_OP_TO_HOST: memmove(op->host_to, host(op->from), op->bytes); break;
    case DEVICE_OP_ON_DEVICE: memmove(host(op->to), host(op->from), op->bytes); break;
    case DEVICE_OP_LAUNCH: {
        const uint32_t *g = op->launch.grid;
        cpu_grid grid = {((cpu_kernel *)op->kernel)->function, &op->launch, op->args};
        device_pool_run(((cpu_device *)device)->pool, (uint64_t)g[0] * g[1] * g[2], run_block, &grid);
        break;
    }
    }
    return KZ_OK;
}

const device_backend device_cpu = {
    .kind = KZ_DEVICE_CPU,
    .prefix = "cpu",
    .list = cpu_list,
    .open = cpu_open,
    .close = cpu_close,
    .set_threads = cpu_set_threads,
    .memory_alloc = cpu_memory_alloc,
    .memory_free = cpu_memory_free,
    .memory_available = cpu_memory_available,
    .memory_alloc_shared = cpu_memory_alloc_shared,
    .memory_export = cpu_memory_export,
    .memory_import = cpu_memory_import,
    .memory_close = cpu_memory_free,
    .module_load = cpu_module_load,
    .module_close = cpu_module_close,
    .kernel_open = cpu_kernel_open,
    .kernel_close = cpu_kernel_close,
    .module_global = cpu_module_global,
    DEVICE_QUEUE_BACKEND,
};
