// What a program registers before main: fat binaries, kernels, variables. PTX is loaded when first needed.
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/host.h"
#include "fatbin.h"
#include "link.h"
#include "runtime.h"
#include "toolchain/toolchain.h"

#include "device/cubin.h"

// The entry points that nvcc's stubs call; no header declares them for C.
void **__cudaRegisterFatBinary(void *image);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
char __cudaInitModule(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int thread_limit,
                            uint3 *thread, uint3 *block, dim3 *block_size, dim3 *grid_size, int *warp_size);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external, size_t bytes,
                       int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int external,
                              size_t bytes, int constant, int global);
void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t bytes);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function);

static void add_module(cudart_module *module) {
    module->serial = ++cudart.module_count;
    module->next = cudart.modules;
    cudart.modules = module;
}

void **__cudaRegisterFatBinary(void *image) {
    const cudart_fatbin_wrapper *w = image;
    cudart_module *module = calloc(1, sizeof *module);
    if (!module) abort();
    pthread_mutex_lock(&cudart.lock);
    module->registered = true;
    if (w->magic == CUDART_FATBIN_WRAPPER) {
        module->image = w->data;
        if (w->version == 2) module->linked = w->linked;
    } else
        module->error = cudaErrorInvalidKernelImage;
    add_module(module);
    pthread_mutex_unlock(&cudart.lock);
    return (void **)module;
}

void __cudaRegisterFatBinaryEnd(void **handle) {}
void __cudaUnregisterFatBinary(void **handle) {} // the record is written later, and needs it

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int thread_limit,
                            uint3 *thread, uint3 *block, dim3 *block_size, dim3 *grid_size, int *warp_size) {
    cudart_function *f = calloc(1, sizeof *f);
    if (!f) abort();
    *f = (cudart_function){
        .host = host, .name = strdup(name), .module = (cudart_module *)handle, .carveout = -1};
    pthread_mutex_lock(&cudart.lock);
    f->next = cudart.functions;
    cudart.functions = f;
    pthread_mutex_unlock(&cudart.lock);
}

static void add_variable(void **handle, const void *host, const char *name, size_t bytes, bool managed) {
    cudart_variable *v = calloc(1, sizeof *v);
    if (!v) abort();
    *v = (cudart_variable){.host = host,
                           .name = strdup(name),
                           .bytes = bytes,
                           .managed = managed,
                           .module = (cudart_module *)handle};
    pthread_mutex_lock(&cudart.lock);
    v->next = cudart.variables;
    cudart.variables = v;
    pthread_mutex_unlock(&cudart.lock);
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external, size_t bytes,
                       int constant, int global) {
    add_variable(handle, host, name, bytes, false);
}

void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int external,
                              size_t bytes, int constant, int global) {
    add_variable(handle, host, name, bytes, true);
}

void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t bytes) {}

// Managed variables are about to be used by the host: their addresses must be known.
char __cudaInitModule(void **handle) {
    cudart_leave(cudart_enter(NULL) ? cudart_broken() : cudart_module_load((cudart_module *)handle));
    return 1;
}

// ---- loading ------------------------------------------------------------------------------------------

static void keep_text(const cudart_module *module, const char *text, size_t size) {
    if (!cudart.session_folder[0]) return;
    char path[sizeof cudart.session_folder + 32];
    snprintf(path, sizeof path, "%s/module-%u.ptx", cudart.session_folder, module->serial);
    kz_error error = {0};
    if (base_file_write(path, text, size, &error)) cudart_say("%s", error.message);
}

static cudaError_t explain_no_code(const cudart_module *module, int nearest) {
    int sm = (int)cudart.gpu.sm;
    if (nearest)
        cudart_say("the program has no code for this GPU: its PTX is for sm_%d and later, the simulated %s "
                   "is sm_%d\n"
                   "  take a newer GPU (--gpu NAME, or KZ_GPU; kz devices lists them), or build it for this "
                   "one: nvcc -arch=sm_%d",
                   nearest, cudart.gpu.name, sm, sm);
    else
        cudart_say("the program has no PTX inside, only machine code, which the simulator does not run\n"
                   "  build it with PTX: nvcc -gencode arch=compute_%d,code=[compute_%d,sm_%d]",
                   sm, sm, sm);
    return cudaErrorNoKernelImageForDevice;
}

// The text of the PTX in one fat binary.
static cudaError_t unpack_ptx(cudart_module *module, const void *image, char **text, size_t *size) {
    cudart_entry entry;
    int nearest = 0;
    kz_error error = {0};
    size_t bytes = cudart_fatbin_size(image, &error);
    if (!bytes) {
        cudart_say("%s", error.message);
        return cudaErrorInvalidKernelImage;
    }
    if (!cudart_fatbin_choose_ptx(image, bytes, (int)cudart.gpu.sm, &entry, &nearest))
        return explain_no_code(module, nearest);
    if (cudart_entry_unpack(&entry, text, size, &error)) {
        cudart_say("%s", error.message);
        return cudaErrorInvalidKernelImage;
    }
    *size = strlen(*text); // padded with NULs
    return cudaSuccess;
}

static void find_cubin(cudart_module *module, const void *image) {
    size_t bytes = cudart_fatbin_size(image, NULL);
    cudart_entry entry;
    char *data;
    if (module->cubin || !cudart_fatbin_choose_cubin(image, bytes, (int)cudart.gpu.sm, &entry) ||
        cudart_entry_unpack(&entry, &data, &module->cubin_size, NULL))
        return;
    module->cubin = data;
}

static bool has_usable_ptx(const void *image) {
    size_t bytes = cudart_fatbin_size(image, NULL);
    cudart_entry entry;
    int nearest;
    return cudart_fatbin_choose_ptx(image, bytes, (int)cudart.gpu.sm, &entry, &nearest);
}

// All fat binaries that were linked together, as one text. Those without PTX for this GPU are left out if others
// have it (CUDA's device runtime library is such a one): a kernel that calls what is missing says so.
static cudaError_t link_ptx(cudart_module *module, char **text, size_t *size) {
    cudart_linker *linker = cudart_linker_open();
    cudaError_t result = linker ? cudaSuccess : cudaErrorMemoryAllocation;
    bool any = false;
    for (size_t i = 0; module->linked[i]; i++) any = any || has_usable_ptx(module->linked[i]);
    for (size_t i = 0; result == cudaSuccess && module->linked[i]; i++) {
        if (any && !has_usable_ptx(module->linked[i])) continue;
        char *part = NULL;
        size_t part_size;
        result = unpack_ptx(module, module->linked[i], &part, &part_size);
        if (result == cudaSuccess) cudart_linker_add(linker, part, part_size);
        free(part);
    }
    if (result == cudaSuccess && !cudart_linker_finish(linker, text, size))
        result = cudaErrorMemoryAllocation;
    cudart_linker_close(linker);
    return result;
}

static const char *program_name(void) { return program_invocation_short_name; }

// What ptxas refuses is bad PTX, as an H200 says.
static cudaError_t refusal(kz_status status, const kz_error *error) {
    if (status != KZ_LIMIT) return cudart_error_of(status, NULL);
    return strstr(error->message, "Unsupported .version") ? cudaErrorUnsupportedPtxVersion
                                                          : cudaErrorInvalidPtx;
}

static cudaError_t open_program(cudart_module *module, const char *text, size_t size) {
    char name[160];
    snprintf(name, sizeof name, "%.100s, module %u", program_name(), module->serial);
    kz_error error = {0};
    ptx_module *ptx;
    keep_text(module, text, size);
    kz_status status = ptx_module_open(name, text, size, &ptx, &error);
    if (status == KZ_OK) status = sim_program_open(cudart.machine, ptx, &module->program, &error);
    if (status == KZ_OK) return cudaSuccess;
    cudart_say("the program's device code cannot be loaded\n%s", error.message);
    return refusal(status, &error);
}

// nvcc had the PTX of a fat binary assembled; text is the driver's to compile, and ptxas speaks for it.
static cudaError_t ask_ptxas(cudart_module *module, const char *text) {
    toolchain tools;
    kz_error error = {0};
    toolchain_find(&tools, NULL); // without a compiler there may still be a ptxas
    if (!toolchain_check_ptx(&tools, "the text", text, (int)cudart.gpu.sm, &error)) return cudaSuccess;
    // The driver gives static shared memory all that a block can have (seen on an H200).
    if (strstr(error.message, "uses too much shared data")) return cudaSuccess;
    cudart_say("the program's device code cannot be loaded\n%s", error.message);
    sim_program_close(module->program);
    module->program = NULL;
    return cudaErrorInvalidPtx;
}

static void publish_managed(const cudart_module *module) {
    for (cudart_variable *v = cudart.variables; v; v = v->next) {
        uint64_t address, bytes;
        if (v->module != module || !v->managed) continue;
        if (sim_program_global(module->program, v->name, &address, &bytes, NULL)) continue;
        cudart.host->write((uint64_t)(uintptr_t)v->host, &address, sizeof address);
        v->address = address;
    }
}

cudaError_t cudart_module_load(cudart_module *module) {
    if (module->program || module->error) return module->error;
    char *text = NULL;
    size_t size = 0;
    bool is_text = false;
    if (module->linked && module->linked[0]) {
        module->error = link_ptx(module, &text, &size);
        find_cubin(module, module->image);
    } else if (cudart_is_fatbin(module->image)) {
        module->error = unpack_ptx(module, module->image, &text, &size);
        find_cubin(module, module->image);
    } else {
        text = strdup(module->image); // a library given as PTX text
        is_text = true;
        size = text ? strlen(text) : 0;
    }
    if (!module->error && text) module->error = open_program(module, text, size);
    if (!module->error && text && is_text) module->error = ask_ptxas(module, text);
    if (!module->error) publish_managed(module);
    if (!module->error && module->program) cudart_journal_loaded(module);
    free(text);
    return module->error;
}

// ---- finding ------------------------------------------------------------------------------------------

cudart_function *cudart_function_find(const void *symbol) {
    for (cudart_function *f = cudart.functions; f; f = f->next)
        if (f->host == symbol || f == symbol) return symbol ? f : NULL;
    return NULL;
}

cudaError_t cudart_no_function(const void *symbol) {
    return symbol ? cudaErrorInvalidResourceHandle : cudaErrorInvalidDeviceFunction;
}

cudart_function *cudart_module_function(cudart_module *module, const char *name) {
    for (cudart_function *f = cudart.functions; f; f = f->next)
        if (f->module == module && strcmp(f->name, name) == 0) return f;
    const ptx_function *entry =
        module->program ? ptx_find_function(sim_program_module(module->program), name) : NULL;
    if (!entry || !entry->is_entry) return NULL;
    cudart_function *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    *f = (cudart_function){.name = strdup(name), .module = module, .carveout = -1};
    f->next = cudart.functions;
    cudart.functions = f;
    return f;
}

cudaError_t cudart_function_describe(cudart_function *f) {
    cudaError_t error = cudart_module_load(f->module);
    if (error || f->described) return error;
    kz_error why = {0};
    kz_status status = sim_kernel_describe(f->module->program, f->name, &f->info, &why);
    if (status) {
        cudart_say("the kernel %s cannot run\n%s", cudart_readable(f->name), why.message);
        return status == KZ_NOT_FOUND ? cudaErrorInvalidDeviceFunction : refusal(status, &why);
    }
    if (f->info.sums_uncompared)
        cudart_say("note: %s adds on tensor cores as %s is documented to; the bits were not compared with "
                   "that GPU, only an H200's were",
                   cudart_readable(f->name), cudart.gpu.name);
    f->entry = ptx_find_function(sim_program_module(f->module->program), f->name);
    device_cubin_info info;
    if (f->module->cubin && device_cubin_find(f->module->cubin, f->module->cubin_size, f->name, &info)) {
        f->registers = info.registers;
        f->local_bytes = info.frame_bytes;
        f->code = (observe_machine_code){.registers = info.registers, .instructions = info.instructions};
        if (!f->info.local_bytes) { // the source has no arrays there: all of it is spilled registers
            f->code.spills = info.local_loads + info.local_stores;
            f->code.spill_bytes = info.frame_bytes;
        }
    }
    if (!f->max_dynamic_shared && f->info.static_shared_bytes < (uint64_t)cudart.gpu.shared_per_block)
        f->max_dynamic_shared = (uint32_t)(cudart.gpu.shared_per_block - (double)f->info.static_shared_bytes);
    f->described = true;
    return cudaSuccess;
}

cudaError_t cudart_variable_find(const void *symbol, uint64_t *address, size_t *bytes) {
    for (cudart_variable *v = cudart.variables; v; v = v->next) {
        bool managed_value = v->managed && symbol && v->address == (uint64_t)(uintptr_t)symbol;
        if (v->host != symbol && !managed_value) continue;
        cudaError_t error = cudart_module_load(v->module);
        if (error) return error;
        uint64_t size;
        kz_error why = {0};
        if (sim_program_global(v->module->program, v->name, address, &size, &why))
            return cudaErrorInvalidSymbol;
        *bytes = v->bytes ? v->bytes : (size_t)size;
        return cudaSuccess;
    }
    return cudaErrorInvalidSymbol;
}

// __cxa_demangle is in the C++ runtime, which CUDA programs have; the library does not need it.
const char *cudart_readable(const char *mangled) {
    static _Thread_local char text[512];
    typedef char *(*demangle_function)(const char *, char *, size_t *, int *);
    demangle_function demangle;
    void *found = dlsym(RTLD_DEFAULT, "__cxa_demangle");
    memcpy(&demangle, &found, sizeof demangle);
    int status = -1;
    char *made = demangle ? demangle(mangled, NULL, NULL, &status) : NULL;
    snprintf(text, sizeof text, "%s", made && status == 0 ? made : mangled);
    free(made);
    return text;
}

static cudaError_t get_kernel(cudaKernel_t *kernel, const void *symbol) {
    cudart_function *f = cudart_function_find(symbol);
    if (!kernel) return cudaErrorInvalidValue;
    *kernel = (cudaKernel_t)f;
    return f ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *symbol) {
    pthread_mutex_lock(&cudart.lock); // at the first launch of each kernel: no reason to open the device
    return cudart_leave(get_kernel(kernel, symbol));
}
cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *symbol) {
    return CUDART_CALL(get_kernel(kernel, symbol));
}
cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *symbol) {
    return CUDART_CALL(get_kernel((cudaKernel_t *)function, symbol));
}

static cudaError_t symbol_address(void **pointer, const void *symbol) {
    uint64_t address = 0;
    size_t bytes;
    if (!pointer) return cudaErrorInvalidValue;
    cudaError_t error = cudart_variable_find(symbol, &address, &bytes);
    if (!error) *pointer = (void *)(uintptr_t)address;
    return error;
}

static cudaError_t symbol_size(size_t *size, const void *symbol) {
    uint64_t address;
    return size ? cudart_variable_find(symbol, &address, size) : cudaErrorInvalidValue;
}

cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol) {
    return CUDART_CALL(symbol_address(pointer, symbol));
}
cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol) {
    return CUDART_CALL(symbol_size(size, symbol));
}
