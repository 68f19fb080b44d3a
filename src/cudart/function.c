// Attributes of kernels, and how many blocks fit on a multiprocessor.
#include "runtime.h"

#include <string.h>

#include "device/device.h"

static cudaError_t find(const void *symbol, cudart_function **function) {
    *function = cudart_function_find(symbol);
    return *function ? cudart_function_describe(*function) : cudart_no_function(symbol);
}

static uint64_t max_threads(const cudart_function *f) {
    uint64_t most = (uint64_t)cudart.gpu.max_threads_per_block;
    const uint32_t *bound =
        f->entry->required_threads[0] ? f->entry->required_threads : f->entry->max_threads;
    uint64_t threads = 1;
    for (int i = 0; i < 3; i++) threads *= bound[i] ? bound[i] : 1;
    if (bound[0] && threads < most) most = threads;
    // As many warps as have registers.
    uint64_t per_warp = (uint64_t)(f->registers + 7) / 8 * 8 * 32;
    uint64_t room =
        per_warp ? (uint64_t)cudart.gpu.registers_per_multiprocessor / per_warp / 4 * 4 * 32 : most;
    return room < most ? room : most;
}

static cudaError_t get_attributes(struct cudaFuncAttributes *out, const void *symbol) {
    cudart_function *f;
    if (!out) return cudaErrorInvalidValue;
    cudaError_t error = find(symbol, &f);
    if (error) return error;
    const ptx_module *module = sim_program_module(f->module->program);
    *out = (struct cudaFuncAttributes){
        .sharedSizeBytes = f->info.static_shared_bytes,
        .localSizeBytes = f->registers ? f->local_bytes : f->info.local_bytes,
        .maxThreadsPerBlock = (int)max_threads(f),
        .numRegs = (int)f->registers,
        .ptxVersion = module->sm,
        .binaryVersion = (int)cudart.gpu.sm,
        .maxDynamicSharedSizeBytes = (int)f->max_dynamic_shared,
        .preferredShmemCarveout = f->carveout,
        .clusterDimMustBeSet = f->entry->explicit_cluster,
        .requiredClusterWidth = (int)(f->cluster[0] ? f->cluster[0] : f->entry->cluster[0]),
        .requiredClusterHeight = (int)(f->cluster[1] ? f->cluster[1] : f->entry->cluster[1]),
        .requiredClusterDepth = (int)(f->cluster[2] ? f->cluster[2] : f->entry->cluster[2]),
        .clusterSchedulingPolicyPreference = f->cluster_policy,
        .nonPortableClusterSizeAllowed = f->non_portable_cluster,
    };
    for (uint32_t i = 0; i < module->variable_count; i++)
        if (module->variables[i]->space == PTX_MOD_CONST) out->constSizeBytes += module->variables[i]->size;
    return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function) {
    return CUDART_CALL(get_attributes(attributes, function));
}

static cudaError_t set_shared(cudart_function *f, int value) {
    uint64_t optin = (uint64_t)cudart.gpu.shared_per_block_optin, fixed = f->info.static_shared_bytes;
    if (value >= 0 && fixed + (uint64_t)value <= optin) {
        f->max_dynamic_shared = (uint32_t)value;
        return cudaSuccess;
    }
    cudart_say("cudaFuncSetAttribute: %d bytes of dynamic shared memory for %s; beside its %llu static ones "
               "the %s has room for %llu",
               value, cudart_readable(f->name), (unsigned long long)fixed, cudart.gpu.name,
               (unsigned long long)(optin - fixed));
    return cudaErrorInvalidValue;
}

static cudaError_t set_attribute(const void *symbol, enum cudaFuncAttribute attribute, int value) {
    cudart_function *f;
    cudaError_t error = find(symbol, &f);
    if (error) return error;
    switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize: return set_shared(f, value);
    case cudaFuncAttributePreferredSharedMemoryCarveout:
        if (value < -1 || value > 100) return cudaErrorInvalidValue;
        f->carveout = value;
        return cudaSuccess;
    case cudaFuncAttributeRequiredClusterWidth: f->cluster[0] = (uint32_t)value; return cudaSuccess;
    case cudaFuncAttributeRequiredClusterHeight: f->cluster[1] = (uint32_t)value; return cudaSuccess;
    case cudaFuncAttributeRequiredClusterDepth: f->cluster[2] = (uint32_t)value; return cudaSuccess;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
        f->non_portable_cluster = value != 0;
        return cudaSuccess;
    case cudaFuncAttributeClusterSchedulingPolicyPreference: f->cluster_policy = value; return cudaSuccess;
    default: return cudaErrorInvalidValue;
    }
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value) {
    return CUDART_CALL(set_attribute(function, attribute, value));
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attribute, int value,
                                            int device) {
    return CUDART_CALL(device ? cudaErrorInvalidDevice : set_attribute(kernel, attribute, value));
}

// Hints about caches and banks: taken, and without effect.
static cudaError_t hint(const void *symbol) {
    cudart_function *f;
    return find(symbol, &f);
}

cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config) {
    return CUDART_CALL((unsigned)config > cudaFuncCachePreferEqual ? cudaErrorInvalidValue : hint(function));
}
cudaError_t cudaFuncSetSharedMemConfig(const void *function, enum cudaSharedMemConfig config) {
    return CUDART_CALL(hint(function));
}

static cudaError_t get_name(const char **name, const void *symbol) {
    cudart_function *f = cudart_function_find(symbol);
    if (!name) return cudaErrorInvalidValue;
    if (!f) return cudart_no_function(symbol);
    *name = f->name;
    return cudaSuccess;
}

cudaError_t cudaFuncGetName(const char **name, const void *function) {
    return CUDART_CALL(get_name(name, function));
}

static cudaError_t get_parameter(const void *symbol, size_t index, size_t *offset, size_t *size) {
    cudart_function *f;
    cudaError_t error = find(symbol, &f);
    if (error) return error;
    if (index >= f->entry->param_count || !offset) return cudaErrorInvalidValue;
    size_t at = 0;
    for (size_t i = 0; i <= index; i++) {
        size_t align = f->entry->params[i]->align ? f->entry->params[i]->align : 1;
        at = (at + align - 1) / align * align;
        if (i < index) at += f->entry->params[i]->size;
    }
    *offset = at;
    if (size) *size = f->entry->params[index]->size;
    return cudaSuccess;
}

cudaError_t cudaFuncGetParamInfo(const void *function, size_t index, size_t *offset, size_t *size) {
    return CUDART_CALL(get_parameter(function, index, offset, size));
}

// ---- occupancy ------------------------------------------------------------------------------------------

uint32_t cudart_blocks_per_multiprocessor(const cudart_function *f, uint32_t threads, size_t dynamic) {
    observe_gpu gpu;
    device_gpu_describe(&cudart.gpu, &gpu);
    uint64_t shared = f->info.static_shared_bytes + dynamic;
    if (threads == 0 || threads > max_threads(f) || shared > gpu.shared_per_block) return 0;
    observe_occupancy_input input = {.threads = threads,
                                     .registers = f->registers,
                                     .shared_static = (uint32_t)f->info.static_shared_bytes,
                                     .shared_dynamic = (uint32_t)dynamic};
    return observe_occupancy(&gpu, &input).blocks;
}

static cudaError_t max_blocks(int *blocks, const void *symbol, int threads, size_t shared) {
    cudart_function *f;
    if (!blocks || threads <= 0) return cudaErrorInvalidValue;
    cudaError_t error = find(symbol, &f);
    if (!error) *blocks = (int)cudart_blocks_per_multiprocessor(f, (uint32_t)threads, shared);
    return error;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int threads,
                                                          size_t shared) {
    return CUDART_CALL(max_blocks(blocks, function, threads, shared));
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function,
                                                                   int threads, size_t shared,
                                                                   unsigned flags) {
    return CUDART_CALL(flags > cudaOccupancyDisableCachingOverride
                           ? cudaErrorInvalidValue
                           : max_blocks(blocks, function, threads, shared));
}

static cudaError_t available_shared(size_t *bytes, const void *symbol, int blocks, int threads) {
    cudart_function *f;
    if (!bytes || blocks <= 0 || threads <= 0) return cudaErrorInvalidValue;
    cudaError_t error = find(symbol, &f);
    if (error) return error;
    if (cudart_blocks_per_multiprocessor(f, (uint32_t)threads, 0) < (uint32_t)blocks)
        return cudaErrorInvalidValue;
    uint64_t system = sim_shared_reserved((int)cudart.gpu.sm), fixed = f->info.static_shared_bytes;
    uint64_t each = (uint64_t)cudart.gpu.shared_per_multiprocessor / (uint64_t)blocks / 128 * 128;
    each = each > system + fixed ? each - system - fixed : 0;
    *bytes = (size_t)(each < f->max_dynamic_shared ? each : f->max_dynamic_shared);
    return cudaSuccess;
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function, int blocks,
                                                      int threads) {
    return CUDART_CALL(available_shared(bytes, function, blocks, threads));
}

static cudaError_t cluster_size(int *size, const void *symbol, const cudaLaunchConfig_t *config) {
    cudart_function *f;
    if (!size || !config) return cudaErrorInvalidValue;
    cudaError_t error = find(symbol, &f);
    if (!error) *size = cudart.gpu.sm < 90 ? 1 : f->non_portable_cluster ? 16 : 8;
    return error;
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *function,
                                                 const cudaLaunchConfig_t *config) {
    return CUDART_CALL(cluster_size(size, function, config));
}

static cudaError_t active_clusters(int *clusters, const void *symbol, const cudaLaunchConfig_t *config) {
    cudart_function *f;
    if (!clusters || !config) return cudaErrorInvalidValue;
    cudaError_t error = find(symbol, &f);
    if (error) return error;
    uint64_t size = 1;
    for (unsigned i = 0; i < config->numAttrs; i++)
        if (config->attrs[i].id == cudaLaunchAttributeClusterDimension)
            size = (uint64_t)config->attrs[i].val.clusterDim.x * config->attrs[i].val.clusterDim.y *
                   config->attrs[i].val.clusterDim.z;
    uint32_t threads = config->blockDim.x * config->blockDim.y * config->blockDim.z;
    uint64_t blocks = cudart_blocks_per_multiprocessor(f, threads, config->dynamicSmemBytes);
    *clusters = (int)(blocks * (uint64_t)cudart.gpu.multiprocessors / (size ? size : 1));
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *function,
                                           const cudaLaunchConfig_t *config) {
    return CUDART_CALL(active_clusters(clusters, function, config));
}
