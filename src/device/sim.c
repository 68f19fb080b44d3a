// The simulator as a device: PTX on the host's cores, with the limits of a GPU from gpus/.
// The variable KZ_GPU names the GPU that plain "sim" stands for; without it, device_gpu_default. It counts when asked to,
// by attaching the counters of observe/ to its launches. KZ_SEED=N draws the order of blocks, warps and
// paths.
#include "sim/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/gpus.h"
#include "device/host.h"
#include "device/queue.h"
#include "observe/observe.h"
#include "sim/tensor_map.h"

typedef struct sim_device {
    device_queue queue; // first
    sim_machine *machine;
    device_gpu gpu;
    observe_counters *counters; // NULL until first asked for
    observe_session *session;   // NULL, or who observes; the caller's
    bool counting;
    uint64_t launches; // while counting
    uint64_t seed;     // of the schedule; 0: the plain order
    kz_print print;
    void *print_context;
} sim_device;

typedef struct sim_module {
    kz_module base;
    sim_program *program;
} sim_module;

typedef struct sim_kernel {
    kz_kernel base;
    const ptx_function *function;
    const uint32_t *param_offset;
} sim_kernel;

static sim_device *self_of(kz_device *device) { return (sim_device *)device; }

// ---- the device ------------------------------------------------------------------------------------

static void describe(const device_gpu *gpu, uint64_t host_bytes, kz_device_info *info) {
    *info = (kz_device_info){
        .size = sizeof *info,
        .kind = KZ_DEVICE_SIM,
        .sm = (int)gpu->sm,
        .multiprocessors = (int)gpu->multiprocessors,
        .warp_size = 32,
        .max_threads_per_block = (int)gpu->max_threads_per_block,
        .max_threads_per_multiprocessor = (int)gpu->max_threads_per_multiprocessor,
        .max_blocks_per_multiprocessor = (int)gpu->max_blocks_per_multiprocessor,
        .registers_per_multiprocessor = (int)gpu->registers_per_multiprocessor,
        .memory_bytes = gpu->memory < (double)host_bytes ? (size_t)gpu->memory : host_bytes,
        .l2_bytes = (size_t)gpu->l2,
        .shared_per_block = (size_t)gpu->shared_per_block,
        .shared_per_block_optin = (size_t)gpu->shared_per_block_optin,
        .shared_per_multiprocessor = (size_t)gpu->shared_per_multiprocessor,
        .peak_bytes_per_s = gpu->bandwidth,
        .peak_flops_f32 = gpu->flops_f32,
        .has_clock = false,
        .has_memory_guards = true,
    };
    snprintf(info->id, sizeof info->id, "sim:%.27s", gpu->key);
    snprintf(info->name, sizeof info->name, "simulated %s", gpu->name);
    snprintf(info->gpu, sizeof info->gpu, "%.31s", gpu->key);
}

static size_t sim_list(kz_device_info *infos, size_t capacity) {
    device_gpu *gpus = calloc(device_gpu_file_count, sizeof *gpus);
    if (!gpus) return 0;
    size_t count = device_gpu_list(gpus, device_gpu_file_count);
    uint64_t host_bytes = capacity ? device_host_memory("") : 0;
    for (size_t i = 0; i < count && i < capacity; i++) describe(&gpus[i], host_bytes, &infos[i]);
    free(gpus);
    return count;
}

void device_gpu_configure(const device_gpu *gpu, sim_config *out) {
    uint64_t host_bytes = device_host_memory("");
    *out = (sim_config){
        .sm = (int)gpu->sm,
        .multiprocessors = (int)gpu->multiprocessors,
        .max_threads_per_block = (uint32_t)gpu->max_threads_per_block,
        .max_threads_per_multiprocessor = (uint32_t)gpu->max_threads_per_multiprocessor,
        .max_blocks_per_multiprocessor = (uint32_t)gpu->max_blocks_per_multiprocessor,
        .shared_per_block = (uint32_t)gpu->shared_per_block,
        .shared_per_block_optin = (uint32_t)gpu->shared_per_block_optin,
        .shared_per_multiprocessor = (uint32_t)gpu->shared_per_multiprocessor,
        .memory_bytes = gpu->memory < (double)host_bytes ? (uint64_t)gpu->memory : host_bytes,
    };
}

static kz_status sim_run_op(kz_device *device, const device_op *op, kz_error *error);

static size_t sim_arg_bytes(const kz_kernel *kernel, size_t index) {
    return ((const sim_kernel *)kernel)->function->params[index]->size;
}

static kz_status sim_open(const char *which, kz_device **device, kz_error *error) {
    device_gpu gpu;
    kz_status status = device_gpu_load(device_gpu_choose(which), &gpu, error);
    if (status) {
        if (!which && getenv("KZ_GPU")) base_fail_note(error, "it was named by the variable KZ_GPU");
        if (status == KZ_NOT_FOUND) status = KZ_NO_DEVICE;
        if (error) error->status = status;
        return status;
    }
    sim_device *made = DEVICE_NEW(sim_device, error);
    if (!made) return KZ_NO_MEMORY;
    sim_config config;
    device_gpu_configure(&gpu, &config);
    describe(&gpu, config.memory_bytes,
             &made->queue.device.info); // the host's memory is looked at once: it changes
    made->gpu = gpu;
    device_begin(&made->queue.device, &device_sim);
    made->queue.run = sim_run_op;
    made->queue.arg_bytes = sim_arg_bytes;
    status = sim_seed_asked(&made->seed, error);
    if (!status) status = sim_machine_open(&config, &made->machine, error);
    if (status) {
        device_end(&made->queue.device);
        free(made);
        return status;
    }
    *device = &made->queue.device;
    return KZ_OK;
}

static void sim_close(kz_device *device) {
    sim_device *self = self_of(device);
    device_queue_end(&self->queue);
    sim_machine_close(self->machine);
    observe_counters_close(self->counters);
    device_end(device);
    free(self);
}

static kz_status sim_set_print(kz_device *device, kz_print print, void *context, kz_error *error) {
    self_of(device)->print = print;
    self_of(device)->print_context = context;
    return KZ_OK;
}

static kz_status sim_set_threads(kz_device *device, unsigned threads, kz_error *error) {
    sim_machine_set_host_threads(self_of(device)->machine, threads);
    return KZ_OK;
}

// ---- counters --------------------------------------------------------------------------------------

static kz_status sim_counters_enable(kz_device *device, bool on, kz_error *error) {
    sim_device *self = self_of(device);
    if (on && !self->counters) self->counters = observe_counters_open();
    if (on && !self->counters)
        return base_fail(error, KZ_NO_MEMORY, "the host has no memory left for counters");
    self->counting = on;
    return KZ_OK;
}

static kz_status sim_counters_read(kz_device *device, kz_counters *counters, bool reset, kz_error *error) {
    sim_device *self = self_of(device);
    if (!self->counters) return KZ_OK; // never asked to count: not valid
    counters->valid = true;
    counters->launches = self->launches;
    observe_counters_read(self->counters, counters);
    if (!reset) return KZ_OK;
    observe_counters_reset(self->counters);
    self->launches = 0;
    return KZ_OK;
}

// ---- observing -------------------------------------------------------------------------------------

static kz_status check_sim(const kz_device *device, kz_error *error) {
    if (device->backend == &device_sim) return KZ_OK;
    base_fail(error, KZ_UNSUPPORTED, "%s cannot be observed: only the simulator can", device->info.id);
    base_fail_note(error, "take --device sim");
    return KZ_UNSUPPORTED;
}

kz_status device_sim_observe(kz_device *device, observe_session *session, kz_error *error) {
    kz_status status = check_sim(device, error);
    if (status) return status;
    device_lock(device);
    self_of(device)->session = session;
    sim_machine_set_listener(self_of(device)->machine, session ? observe_session_listener(session) : NULL);
    device_unlock(device);
    return KZ_OK;
}

kz_status device_sim_listen(kz_device *device, sim_listener *listener, kz_error *error) {
    kz_status status = check_sim(device, error);
    if (!status) sim_machine_set_listener(self_of(device)->machine, listener);
    return status;
}

void device_sim_interrupt(kz_device *device) {
    if (device->backend == &device_sim) sim_machine_interrupt(self_of(device)->machine);
}

kz_status device_sim_set_seed(kz_device *device, uint64_t seed, kz_error *error) {
    kz_status status = check_sim(device, error);
    if (!status) self_of(device)->seed = seed;
    return status;
}

void device_gpu_describe(const device_gpu *gpu, observe_gpu *out) {
    *out = (observe_gpu){
        .sm = (uint32_t)gpu->sm,
        .multiprocessors = (uint32_t)gpu->multiprocessors,
        .l1_bytes = (uint64_t)gpu->l1,
        .l2_bytes = (uint64_t)gpu->l2,
        .bandwidth = gpu->bandwidth,
        .flops_f32 = gpu->flops_f32,
        .flops_f64 = gpu->flops_f64,
        .flops_f16 = gpu->flops_f16,
        // 4-bit integers are products of 8 bits on sm_90; of bits no table of NVIDIA's says anything.
        .tensor = {[OBSERVE_TENSOR_F16] = gpu->flops_tensor_f16,
                   [OBSERVE_TENSOR_BF16] = gpu->flops_tensor_f16,
                   [OBSERVE_TENSOR_TF32] = gpu->flops_tensor_tf32,
                   [OBSERVE_TENSOR_F64] = gpu->flops_tensor_f64,
                   [OBSERVE_TENSOR_F8] = gpu->flops_tensor_f8,
                   [OBSERVE_TENSOR_I8] = gpu->ops_tensor_i8,
                   [OBSERVE_TENSOR_I4] = gpu->ops_tensor_i8},
        .clock = gpu->clock,
        .max_threads = (uint32_t)gpu->max_threads_per_multiprocessor,
        .max_blocks = (uint32_t)gpu->max_blocks_per_multiprocessor,
        .registers = (uint32_t)gpu->registers_per_multiprocessor,
        .shared_bytes = (uint32_t)gpu->shared_per_multiprocessor,
        .shared_per_block = (uint32_t)gpu->shared_per_block_optin,
    };
    snprintf(out->key, sizeof out->key, "%s", gpu->key);
}

const device_gpu *device_sim_card(kz_device *device) { return &self_of(device)->gpu; }

kz_status device_sim_gpu(kz_device *device, observe_gpu *out, kz_error *error) {
    kz_status status = check_sim(device, error);
    if (!status) device_gpu_describe(&self_of(device)->gpu, out);
    return status;
}

// ---- memory ----------------------------------------------------------------------------------------

static kz_status sim_alloc(kz_device *device, size_t bytes, kz_ptr *address, kz_error *error) {
    sim_machine *machine = self_of(device)->machine;
    uint64_t available = sim_memory_available(machine);
    if (bytes > available) return device_fail_memory(device, bytes, available, error);
    return sim_memory_alloc(machine, bytes, address, error);
}

static kz_status sim_free(kz_device *device, kz_ptr address, kz_error *error) {
    return sim_memory_free(self_of(device)->machine, address, error);
}

static kz_status sim_available(kz_device *device, size_t *bytes, kz_error *error) {
    *bytes = sim_memory_available(self_of(device)->machine);
    return KZ_OK;
}

// ---- modules ---------------------------------------------------------------------------------------

// What a real GPU of this kind would refuse is refused here too.
static kz_status check_target(const kz_device_info *info, const kz_image *image, const ptx_module *ptx,
                              kz_error *error) {
    bool fits = ptx->sm <= info->sm;
    if (ptx->sm_suffix == 'a') fits = ptx->sm == info->sm;
    if (ptx->sm_suffix == 'f') fits = fits && ptx->sm / 10 == info->sm / 10;
    if (fits) return KZ_OK;
    char suffix[2] = {ptx->sm_suffix, 0};
    base_fail(error, KZ_UNSUPPORTED, "%s is compiled for sm_%d%s; %s is sm_%d", image->name, ptx->sm, suffix,
              info->id, info->sm);
    base_fail_note(error, "compile it for sm_%d, or take a device that runs it (`kz devices`)", info->sm);
    return KZ_UNSUPPORTED;
}

static kz_status sim_module_load(kz_device *device, const kz_image *image, kz_module **module,
                                 kz_error *error) {
    if (!image->ptx) {
        base_fail(error, KZ_UNSUPPORTED, "%s has no PTX, which is what %s runs", image->name,
                  device->info.id);
        if (image->natives) base_fail_note(error, "it is native C: --device cpu runs it");
        return KZ_UNSUPPORTED;
    }
    ptx_module *ptx;
    kz_status status = ptx_module_open(image->name, image->ptx, image->ptx_size, &ptx, error);
    if (status) return status;
    status = check_target(&device->info, image, ptx, error);
    sim_module *made = status ? NULL : DEVICE_NEW(sim_module, error);
    if (!made) {
        ptx_module_close(ptx);
        return status ? status : KZ_NO_MEMORY;
    }
    status = sim_program_open(self_of(device)->machine, ptx, &made->program, error); // takes ptx over
    if (status) {
        free(made);
        return status;
    }
    *module = &made->base;
    return KZ_OK;
}

static void sim_module_close(kz_module *module) {
    sim_program_close(((sim_module *)module)->program);
    free(module);
}

static int threads_allowed(const ptx_function *function, int most) {
    const uint32_t *bound =
        function->required_threads[0] ? function->required_threads : function->max_threads;
    uint64_t threads = 1;
    for (int i = 0; i < 3; i++) threads *= bound[i] ? bound[i] : 1;
    return bound[0] && threads < (uint64_t)most ? (int)threads : most;
}

static void note_kernels(const ptx_module *ptx, kz_error *error) {
    base_text names = {0};
    for (uint32_t i = 0; i < ptx->function_count; i++)
        if (ptx->functions[i]->is_entry) base_text_add(&names, " %s", ptx->functions[i]->name);
    base_fail_note(error, "it has:%.2000s", names.data ? names.data : " no kernels");
    base_text_free(&names);
}

static kz_status sim_kernel_open(kz_module *module, const char *name, kz_kernel **kernel, kz_error *error) {
    sim_program *program = ((sim_module *)module)->program;
    const ptx_module *ptx = sim_program_module(program);
    const ptx_function *function = ptx_find_function(ptx, name);
    if (!function || !function->is_entry) {
        base_fail(error, KZ_NOT_FOUND, "%s has no kernel %s", module->name, name);
        note_kernels(ptx, error);
        return KZ_NOT_FOUND;
    }
    sim_kernel_info info;
    kz_status status = sim_kernel_describe(program, name, &info, error);
    if (status) return status;
    sim_kernel *made = DEVICE_NEW(sim_kernel, error);
    if (!made) return KZ_NO_MEMORY;
    made->function = function;
    made->param_offset = info.param_offset;
    made->base.info = (kz_kernel_info){
        .size = sizeof made->base.info,
        .registers = -1, // PTX has as many as it likes
        .static_shared_bytes = info.static_shared_bytes,
        .local_bytes_per_thread = info.local_bytes,
        .max_threads_per_block = threads_allowed(function, module->device->info.max_threads_per_block),
        .param_count = (int)function->param_count,
    };
    *kernel = &made->base;
    return KZ_OK;
}

static void sim_kernel_close(kz_kernel *kernel) { free(kernel); }

static kz_status sim_kernel_param(kz_kernel *kernel, size_t index, size_t *offset, size_t *bytes,
                                  kz_error *error) {
    *offset = ((sim_kernel *)kernel)->param_offset[index];
    *bytes = ((sim_kernel *)kernel)->function->params[index]->size;
    return KZ_OK;
}

static kz_status sim_module_global(kz_module *module, const char *name, kz_ptr *address, size_t *bytes,
                                   kz_error *error) {
    uint64_t size;
    kz_status status = sim_program_global(((sim_module *)module)->program, name, address, &size, error);
    if (!status) *bytes = size;
    return status;
}

// ---- operations ------------------------------------------------------------------------------------

static kz_status run_launch(sim_device *self, const device_op *op, kz_error *error) {
    sim_launch launch = {
        .dynamic_shared_bytes = op->launch.dynamic_shared_bytes,
        .cooperative = op->launch.cooperative,
        .args = op->args,
        .arg_count = op->arg_count,
        .listener = self->counting && !self->session ? observe_counters_listener(self->counters) : NULL,
        .print = self->print,
        .print_context = self->print_context,
        .seed = self->seed,
    };
    memcpy(launch.grid, op->launch.grid, sizeof launch.grid);
    memcpy(launch.block, op->launch.block, sizeof launch.block);
    memcpy(launch.cluster, op->launch.cluster, sizeof launch.cluster);
    if (self->counting) self->launches++;
    sim_program *program = ((sim_module *)op->kernel->module)->program;
    sim_result result = {0};
    kz_error own;
    if (!error) error = &own;
    kz_status status = sim_run(program, op->kernel->name, &launch, &result, error);
    if (status && self->session) observe_session_fault(self->session, NULL, &result.fault, error);
    return status;
}

static kz_status sim_run_op(kz_device *device, const device_op *op, kz_error *error) {
    sim_machine *machine = self_of(device)->machine;
    switch (op->kind) {
    case DEVICE_OP_FILL: return sim_memory_fill(machine, op->to, op->byte, op->bytes, error);
    case DEVICE_OP_TO_DEVICE: return sim_memory_write(machine, op->to, op->host_from, op->bytes, error);
    case DEVICE_OP_TO_HOST: return sim_memory_read(machine, op->host_to, op->from, op->bytes, error);
    case DEVICE_OP_ON_DEVICE: return sim_memory_copy(machine, op->to, op->from, op->bytes, error);
    case DEVICE_OP_LAUNCH: return run_launch(self_of(device), op, error);
    }
    return base_fail(error, KZ_INTERNAL, "an operation of the unknown kind %d", (int)op->kind);
}

static kz_status sim_encode(kz_device *device, const sim_tensor_map *tensor, void *map, kz_error *error) {
    return sim_tensor_map_encode(tensor, map, error);
}

const device_backend device_sim = {
    .kind = KZ_DEVICE_SIM,
    .prefix = "sim",
    .list = sim_list,
    .open = sim_open,
    .close = sim_close,
    .set_print = sim_set_print,
    .set_threads = sim_set_threads,
    .counters_enable = sim_counters_enable,
    .counters_read = sim_counters_read,
    .memory_alloc = sim_alloc,
    .memory_free = sim_free,
    .memory_available = sim_available,
    .tensor_map = sim_encode,
    .module_load = sim_module_load,
    .module_close = sim_module_close,
    .kernel_open = sim_kernel_open,
    .kernel_close = sim_kernel_close,
    .kernel_param = sim_kernel_param,
    .module_global = sim_module_global,
    DEVICE_QUEUE_BACKEND,
};
