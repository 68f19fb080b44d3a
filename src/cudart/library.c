// Libraries of kernels that a program loads itself: fat binaries, PTX text.
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

#include "fatbin.h"

static cudaError_t load(cudaLibrary_t *library, const void *code, size_t size) {
    if (!library || !code) return cudaErrorInvalidValue;
    bool is_fatbin = cudart_is_fatbin(code), is_text = !is_fatbin && memcmp(code, "\177ELF", 4) != 0;
    size_t bytes = is_text ? size ? size : strlen(code) : 0;
    kz_error damage = {0};
    if (is_fatbin) bytes = cudart_fatbin_size(code, &damage);
    if (is_fatbin && !bytes) {
        cudart_say("%s", damage.message);
        return cudaErrorInvalidKernelImage;
    }
    cudart_module *made = calloc(1, sizeof *made);
    if (!made) return cudaErrorMemoryAllocation;
    // The program may free what it gave us.
    char *copy = malloc(bytes + 1);
    if (!copy) {
        free(made);
        return cudaErrorMemoryAllocation;
    }
    memcpy(copy, code, bytes);
    copy[bytes] = 0;
    made->image = copy;
    made->is_library = true;
    made->serial = ++cudart.module_count;
    if (!is_text && !is_fatbin) {
        cudart_say("cudaLibraryLoadData: machine code without PTX, which the simulator does not run");
        made->error = cudaErrorNoKernelImageForDevice;
    }
    cudaError_t error = cudart_module_load(made);
    if (error) {
        free(copy);
        free(made);
        return error;
    }
    made->next = cudart.modules;
    cudart.modules = made;
    *library = (cudaLibrary_t)made;
    return cudaSuccess;
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code, enum cudaJitOption *jit,
                                void **jit_values, unsigned jit_count, enum cudaLibraryOption *options,
                                void **values, unsigned count) {
    return CUDART_CALL(load(library, code, 0));
}

static cudaError_t load_file(cudaLibrary_t *library, const char *path) {
    char *data;
    size_t size;
    kz_error error = {0};
    if (!path) return cudaErrorInvalidValue;
    if (base_file_read(path, &data, &size, &error)) {
        cudart_say("cudaLibraryLoadFromFile: %s", error.message);
        return cudaErrorFileNotFound;
    }
    cudaError_t result = size < 16 ? cudaErrorInvalidKernelImage : load(library, data, size);
    free(data);
    return result;
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *path, enum cudaJitOption *jit,
                                    void **jit_values, unsigned jit_count, enum cudaLibraryOption *options,
                                    void **values, unsigned count) {
    return CUDART_CALL(load_file(library, path));
}

static cudart_module *find(cudaLibrary_t library) {
    for (cudart_module *m = cudart.modules; m; m = m->next)
        if (m == (cudart_module *)library && m->is_library) return m;
    return NULL;
}

// Its kernels may still be known to a record: the module stays, its handle does not.
static cudaError_t unload(cudaLibrary_t library) {
    cudart_module *m = find(library);
    if (!m) return cudaErrorInvalidResourceHandle;
    m->is_library = false;
    return cudaSuccess;
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) { return CUDART_CALL(unload(library)); }

static cudaError_t get_kernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name) {
    cudart_module *m = find(library);
    if (!kernel || !name) return cudaErrorInvalidValue;
    if (!m) return cudaErrorInvalidResourceHandle;
    *kernel = (cudaKernel_t)cudart_module_function(m, name);
    return *kernel ? cudaSuccess : cudaErrorSymbolNotFound;
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name) {
    return CUDART_CALL(get_kernel(kernel, library, name));
}

static cudaError_t get_global(void **pointer, size_t *bytes, cudaLibrary_t library, const char *name) {
    cudart_module *m = find(library);
    uint64_t address, size;
    if (!name) return cudaErrorInvalidValue;
    if (!m) return cudaErrorInvalidResourceHandle;
    if (sim_program_global(m->program, name, &address, &size, NULL)) return cudaErrorSymbolNotFound;
    if (pointer) *pointer = (void *)(uintptr_t)address;
    if (bytes) *bytes = size;
    return cudaSuccess;
}

cudaError_t cudaLibraryGetGlobal(void **pointer, size_t *bytes, cudaLibrary_t library, const char *name) {
    return CUDART_CALL(get_global(pointer, bytes, library, name));
}
cudaError_t cudaLibraryGetManaged(void **pointer, size_t *bytes, cudaLibrary_t library, const char *name) {
    return CUDART_CALL(get_global(pointer, bytes, library, name));
}

static cudaError_t list_kernels(cudaKernel_t *kernels, unsigned room, unsigned *count,
                                cudaLibrary_t library) {
    cudart_module *m = find(library);
    if (!m) return cudaErrorInvalidResourceHandle;
    const ptx_module *ptx = sim_program_module(m->program);
    unsigned found = 0;
    for (uint32_t i = 0; i < ptx->function_count; i++) {
        if (!ptx->functions[i]->is_entry || !ptx->functions[i]->has_body) continue;
        if (kernels && found < room)
            kernels[found] = (cudaKernel_t)cudart_module_function(m, ptx->functions[i]->name);
        found++;
    }
    if (count) *count = found;
    return cudaSuccess;
}

cudaError_t cudaLibraryGetKernelCount(unsigned *count, cudaLibrary_t library) {
    return CUDART_CALL(count ? list_kernels(NULL, 0, count, library) : cudaErrorInvalidValue);
}
cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned room, cudaLibrary_t library) {
    return CUDART_CALL(kernels ? list_kernels(kernels, room, NULL, library) : cudaErrorInvalidValue);
}
