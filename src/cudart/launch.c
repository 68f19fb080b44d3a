// Kernel launches: the checks a GPU makes, the run on the simulator.
#include "runtime.h"

#include "configuration.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "observe/faults.h"

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared,
                               cudaStream_t stream);

// ---- what a GPU refuses ---------------------------------------------------------------------------------

static cudaError_t refuse(const cudart_launch *l, cudaError_t error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static cudaError_t refuse(const cudart_launch *l, cudaError_t error, const char *format, ...) {
    char why[1024], what[512];
    va_list list;
    va_start(list, format);
    vsnprintf(why, sizeof why, format, list);
    va_end(list);
    const uint32_t *g = l->grid, *b = l->block;
    snprintf(what, sizeof what, "the launch of %s <<<(%u,%u,%u), (%u,%u,%u), %zu>>> failed",
             cudart_readable(l->function->name), g[0], g[1], g[2], b[0], b[1], b[2], l->shared);
    cudart_say("%s: %s\n  %s", what, cudart_error_name(error), why);
    cudart_note_failure(what, error);
    return error;
}

static cudaError_t check_shared(const cudart_launch *l) {
    const cudart_function *f = l->function;
    uint64_t fixed = f->info.static_shared_bytes, optin = (uint64_t)cudart.gpu.shared_per_block_optin;
    if (l->shared <= f->max_dynamic_shared) return cudaSuccess;
    if (fixed + l->shared > optin)
        return refuse(l, cudaErrorInvalidValue,
                      "%" PRIu64 " bytes of shared memory per block (%" PRIu64
                      " static, %zu dynamic); the %s has %" PRIu64,
                      fixed + l->shared, fixed, l->shared, cudart.gpu.name, optin);
    return refuse(
        l, cudaErrorInvalidValue,
        "%zu bytes of dynamic shared memory, and this kernel may have %u\n  ask for more before the launch: "
        "cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, %zu); up to %" PRIu64
        " are possible",
        l->shared, f->max_dynamic_shared, l->shared, optin - fixed);
}

static cudaError_t check_cluster(const cudart_launch *l) {
    uint32_t size = 1;
    const uint32_t *own = l->function->entry->cluster;
    for (int i = 0; i < 3; i++) {
        bool is_asked = l->cluster[0] || l->cluster[1] || l->cluster[2];
        if (is_asked && l->cluster[i] == 0)
            return refuse(l, cudaErrorInvalidClusterSize, "the cluster's dimension %c is 0", 'x' + i);
        if (own[i] && l->cluster[i] != own[i])
            return refuse(l, cudaErrorInvalidClusterSize,
                          "the cluster's dimension %c is %u, and __cluster_dims__ says %u", 'x' + i,
                          l->cluster[i], own[i]);
        if (!is_asked) continue;
        size *= l->cluster[i];
        if (l->grid[i] % l->cluster[i])
            return refuse(l, cudaErrorInvalidClusterSize,
                          "the grid's dimension %c, %u, is not a multiple of the cluster's, %u", 'x' + i,
                          l->grid[i], l->cluster[i]);
    }
    if (size > 1 && cudart.gpu.sm < 90)
        return refuse(l, cudaErrorInvalidClusterSize, "clusters need sm_90; the %s is sm_%d", cudart.gpu.name,
                      (int)cudart.gpu.sm);
    uint32_t bound = l->function->entry->max_cluster_rank;
    if (bound && size > bound)
        return refuse(l, cudaErrorInvalidClusterSize, "a cluster of %u blocks, and __launch_bounds__ says %u",
                      size, bound);
    if (size > (l->function->non_portable_cluster ? 16u : 8u))
        return refuse(l, cudaErrorInvalidClusterSize,
                      "a cluster of %u blocks; 8 are always possible, 16 after cudaFuncSetAttribute("
                      "cudaFuncAttributeNonPortableClusterSizeAllowed)",
                      size);
    return cudaSuccess;
}

static cudaError_t check_cooperative(const cudart_launch *l) {
    if (!l->cooperative) return cudaSuccess;
    uint32_t blocks =
        cudart_blocks_per_multiprocessor(l->function, l->block[0] * l->block[1] * l->block[2], l->shared);
    uint64_t room = (uint64_t)blocks * (uint64_t)cudart.gpu.multiprocessors;
    uint64_t wanted = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    if (wanted <= room) return cudaSuccess;
    return refuse(l, cudaErrorCooperativeLaunchTooLarge,
                  "all blocks of a cooperative launch must run at once: %" PRIu64
                  " were asked for, the %s holds %" PRIu64,
                  wanted, cudart.gpu.name, room);
}

cudaError_t cudart_launch_check(const cudart_launch *l) {
    static const uint32_t block_limit[3] = {1024, 1024, 64}, grid_limit[3] = {INT32_MAX, 65535, 65535};
    uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    uint32_t most = (uint32_t)cudart.gpu.max_threads_per_block;
    for (int i = 0; i < 3; i++) {
        if (l->grid[i] == 0 || l->block[i] == 0)
            return refuse(l, cudaErrorInvalidValue, "the %s's dimension %c is 0: nothing would run",
                          l->grid[i] ? "block" : "grid", 'x' + i);
        if (l->grid[i] > grid_limit[i])
            return refuse(l, cudaErrorInvalidValue, "the grid's dimension %c is %u, at most %u is possible",
                          'x' + i, l->grid[i], grid_limit[i]);
    }
    if (threads > most)
        return refuse(l, cudaErrorInvalidValue,
                      "%" PRIu64
                      " threads per block; a block has at most %u\n  use more and smaller blocks, for "
                      "example %" PRIu64 " times as many of %u threads",
                      threads, most, (threads + 255) / 256, 256u);
    for (int i = 0; i < 3; i++)
        if (l->block[i] > block_limit[i])
            return refuse(l, cudaErrorInvalidValue, "the block's dimension %c is %u, at most %u is possible",
                          'x' + i, l->block[i], block_limit[i]);
    const cudart_function *f = l->function;
    const uint32_t *bound = f->entry->max_threads;
    uint64_t bounded = (uint64_t)bound[0] * (bound[1] ? bound[1] : 1) * (bound[2] ? bound[2] : 1);
    if (bounded && threads > bounded)
        return refuse(l, cudaErrorInvalidValue,
                      "%" PRIu64 " threads per block, but __launch_bounds__ of the kernel allows %" PRIu64,
                      threads, bounded);
    uint64_t warps = (threads + 31) / 32, registers = (f->registers + 7) / 8 * 8 * 32 * warps;
    if (registers > (uint64_t)cudart.gpu.registers_per_multiprocessor)
        return refuse(l, cudaErrorLaunchOutOfResources,
                      "%" PRIu64
                      " threads with %u registers each are more registers than a multiprocessor has (%d)\n"
                      "  use smaller blocks, or __launch_bounds__(%" PRIu64 ") at the kernel",
                      threads, f->registers, (int)cudart.gpu.registers_per_multiprocessor, threads);
    cudaError_t error = check_shared(l);
    if (!error) error = check_cluster(l);
    return error ? error : check_cooperative(l);
}

// ---- running --------------------------------------------------------------------------------------------

static void collect_print(void *context, const char *text, size_t length) {
    uint64_t bytes = length;
    base_text_add_bytes(&cudart.printed, text, length);
    base_text_add_bytes(&cudart.print_lengths, (const char *)&bytes, sizeof bytes);
}

static void record_launch(const cudart_launch *l, const sim_launch *launch, const sim_result *result,
                          const kz_error *error) {
    if (!cudart.session) return;
    sim_launch_event event = {
        .module = sim_program_module(l->function->module->program),
        .entry = l->function->entry,
        .launch = launch,
        .static_shared_bytes = (uint32_t)l->function->info.static_shared_bytes,
        .shared_bytes = (uint32_t)(l->function->info.static_shared_bytes + l->shared),
        .local_bytes = (uint32_t)l->function->info.local_bytes,
        .serial = cudart.launch_count - 1, // this one is counted already
    };
    observe_session_fault(cudart.session, &event, &result->fault, error);
}

// Whether work that the program has yet to ask for could run beside this launch.
static bool has_company(cudaStream_t own) {
    if (cudart.is_per_thread || own->flags & cudaStreamNonBlocking) return true;
    for (struct CUstream_st *s = cudart.streams; s; s = s->next)
        if (s != own && (own != &cudart.legacy || s->flags & cudaStreamNonBlocking)) return true;
    return false;
}

// Who may yet end the wait of a kernel that makes no progress by itself; NULL: nobody. A launch runs to its end here before
// the call returns, so on a GPU they get their turn where here they do not.
static const char *who_may_answer(const sim_fault_info *fault) {
    if (fault->kind != SIM_FAULT_DEADLOCK || fault->polled == SIM_POLLED_NOTHING) return NULL;
    if (fault->polled == SIM_POLLED_HOST) return "the host";
    return cudart.journal.stream && has_company(cudart.journal.stream) ? "another stream" : NULL;
}

// A kernel that waits for what comes later in the program: no mistake of it, and the end of what can be run.
static void leave_unanswered(const cudart_launch *l, const char *who, const kz_error *why) {
    const char *name = cudart_readable(l->function->name);
    cudart_say("the kernel %s waits for memory that %s may write later\n"
               "  on a GPU that can work; the simulator runs a kernel to its end before the program goes on\n"
               "  what to do: let what it waits for happen before the launch, or run it on a GPU\n  %.*s",
               name, who, (int)(strstr(why->message, "\n  likely causes") - why->message), why->message);
    if (cudart.session)
        observe_findings_unchecked(
            observe_session_findings(cudart.session),
            "the kernel %s waits for memory that %s may write later, which the simulator "
            "cannot run: what came after did not run",
            name, who);
}

// A kernel that failed while it ran: the call that launched it succeeded, and later ones say so.
static cudaError_t failed(const cudart_launch *l, const sim_launch *launch, kz_status status,
                          const sim_result *result, const kz_error *why) {
    cudaError_t error = cudart_error_of(status, &result->fault);
    const char *who = who_may_answer(&result->fault);
    char what[512];
    snprintf(what, sizeof what, "the kernel %s failed", cudart_readable(l->function->name));
    cudart_flush_prints();
    if (who) {
        leave_unanswered(l, who, why);
        cudart.is_unanswered = true;
        cudart.pending = error;
        return cudaSuccess;
    }
    base_text words = {0};
    observe_print_fault(&result->fault, why->message, &words);
    cudart_say("%s: %s%s", what, cudart_error_name(error), words.data ? words.data : "");
    base_text_free(&words);
    cudart_note_failure(what, error);
    if (!cudart_is_sticky(error)) return error;
    record_launch(l, launch, result, why);
    cudart.pending = error;
    return cudaSuccess;
}

cudaError_t cudart_launch_run(const cudart_launch *l) {
    if (cudart.pending) return cudaSuccess; // the device is gone; the next call that waits says so
    cudart_flush_prints();
    const cudart_function *f = l->function;
    cudaError_t unknown = cudart_function_describe(l->function); // a graph's, after cudaDeviceReset
    if (unknown) return unknown;
    sim_launch launch = {
        .dynamic_shared_bytes = (uint32_t)l->shared,
        .cooperative = l->cooperative,
        .args = (const void *const *)l->args,
        .arg_count = f->info.param_count,
        .print = collect_print,
        .seed = cudart.seed,
    };
    memcpy(launch.grid, l->grid, sizeof launch.grid);
    memcpy(launch.block, l->block, sizeof launch.block);
    memcpy(launch.cluster, l->cluster, sizeof launch.cluster);
    sim_result result = {0};
    kz_error error = {0};
    cudart.launch_count++;
    atomic_store(&cudart.launching, true);
    cudart.has_printed |= f->info.prints;
    if (f->info.allocates_heap && !cudart.has_allocated)
        cudart_journal_heap(cudart.limits[cudaLimitMallocHeapSize]);
    cudart.has_allocated |= f->info.allocates_heap;
    kz_status status = sim_run(f->module->program, f->name, &launch, &result, &error);
    // Still "launching" then: the thread that watches the time leaves the words to us.
    bool killed = status == KZ_TIMEOUT && cudart.debugger; // by the user, who wants to go on
    if ((status == KZ_TIMEOUT && !killed) || (status && atomic_load(&cudart.timed_out)))
        cudart_end_in_time(error.message);
    if (atomic_load(&cudart.timed_out)) { // as the launch ended
        char why[512];
        snprintf(why, sizeof why, "no kernel hangs: %s had just ended, launch %u of the program",
                 cudart_readable(f->name), cudart.launch_count);
        cudart_end_in_time(why);
    }
    atomic_store(&cudart.launching, false);
    return status ? failed(l, &launch, status, &result, &error) : cudaSuccess;
}

static size_t round_up(size_t size, size_t to) { return (size + to - 1) / to * to; }

cudaError_t cudart_launch_keep(const cudart_launch *from, cudart_launch *kept) {
    const ptx_function *entry = from->function->entry;
    size_t count = entry->param_count, bytes = round_up((count + 1) * sizeof(void *), 16);
    for (size_t i = 0; i < count; i++) bytes += round_up(entry->params[i]->size, 16);
    uint8_t *storage = malloc(bytes);
    if (!storage) return cudaErrorMemoryAllocation;
    *kept = *from;
    kept->storage = storage;
    kept->args = (void **)storage;
    uint8_t *at = storage + round_up((count + 1) * sizeof(void *), 16);
    for (size_t i = 0; i < count; i++) {
        memcpy(at, from->args[i], entry->params[i]->size);
        kept->args[i] = at;
        at += round_up(entry->params[i]->size, 16);
    }
    kept->params.kernelParams = kept->args;
    kept->params.extra = NULL;
    return cudaSuccess;
}

// ---- the calls ------------------------------------------------------------------------------------------

// Arguments packed in one buffer, as cuLaunchKernel's `extra` has them, are not taken by the runtime's calls.
static cudaError_t launch(const void *symbol, const struct cudaLaunchConfig_st *config, void **args) {
    cudart_op op = {.kind = CUDART_OP_KERNEL};
    cudart_launch *l = &op.launch;
    l->function = cudart_function_find(symbol);
    if (!l->function) {
        cudart_say("a launch of %p, which is no kernel of this program", symbol);
        return cudart_no_function(symbol);
    }
    cudaError_t error = cudart_function_describe(l->function);
    if (error) {
        char what[512];
        snprintf(what, sizeof what, "the launch of %s failed", cudart_readable(l->function->name));
        cudart_note_failure(what, error);
        if (cudart.session && error == cudaErrorNotSupported)
            observe_findings_unchecked(observe_session_findings(cudart.session),
                                       "%s did not run: the simulator lacks an instruction or a call of it",
                                       cudart_readable(l->function->name));
        return error;
    }
    memcpy(l->grid, &config->gridDim, sizeof l->grid);
    memcpy(l->block, &config->blockDim, sizeof l->block);
    memcpy(l->cluster, l->function->cluster, sizeof l->cluster);
    l->shared = config->dynamicSmemBytes;
    l->args = args;
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const cudaLaunchAttribute *a = &config->attrs[i];
        if ((unsigned)a->id > cudaLaunchAttributeNvlinkUtilCentricScheduling) return cudaErrorInvalidValue;
        if (a->id == cudaLaunchAttributeCooperative) l->cooperative = a->val.cooperative != 0;
        if (a->id == cudaLaunchAttributeProgrammaticStreamSerialization)
            l->overlaps = a->val.programmaticStreamSerializationAllowed != 0;
        if (a->id == cudaLaunchAttributeClusterDimension)
            memcpy(l->cluster, &a->val.clusterDim, sizeof l->cluster);
    }
    for (int i = 0; i < 3; i++)
        if (l->function->entry->cluster[i] && l->cluster[i] == 0)
            l->cluster[i] = l->function->entry->cluster[i];
    l->params = (struct cudaKernelNodeParams){.func = (void *)(uintptr_t)symbol,
                                              .gridDim = config->gridDim,
                                              .blockDim = config->blockDim,
                                              .sharedMemBytes = (unsigned)config->dynamicSmemBytes,
                                              .kernelParams = args};
    error = cudart_launch_check(l);
    return error ? error : cudart_submit(config->stream, &op);
}

static cudaError_t launch_plain(const void *symbol, dim3 grid, dim3 block, void **args, size_t shared,
                                cudaStream_t stream, bool cooperative) {
    cudaLaunchAttribute attribute = {.id = cudaLaunchAttributeCooperative, .val.cooperative = 1};
    cudaLaunchConfig_t config = {.gridDim = grid,
                                 .blockDim = block,
                                 .dynamicSmemBytes = shared,
                                 .stream = stream,
                                 .attrs = &attribute,
                                 .numAttrs = cooperative};
    const void *written = cudart_configuration_caller();
    if (written) cudart.caller = written;
    return launch(symbol, &config, args);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared,
                               cudaStream_t stream) {
    return CUDART_CALL(launch_plain(kernel, grid, block, args, shared, stream, false));
}
CUDART_TWIN(__cudaLaunchKernel, _ptsz);

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared,
                             cudaStream_t stream) {
    return CUDART_CALL(launch_plain(function, grid, block, args, shared, stream, false));
}
CUDART_TWIN(cudaLaunchKernel, _ptsz);

cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **args,
                                        size_t shared, cudaStream_t stream) {
    return CUDART_CALL(launch_plain(function, grid, block, args, shared, stream, true));
}
CUDART_TWIN(cudaLaunchCooperativeKernel, _ptsz);

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **args) {
    return CUDART_CALL(config ? launch(function, config, args) : cudaErrorInvalidValue);
}
CUDART_TWIN(cudaLaunchKernelExC, _ptsz);
