// What ptxas refuses, known without it: a kernel that it refuses runs on no GPU, and so not here. The words are
// its own. It also knows limits of modifiers, which the table of instructions does not have; where it is there, it is
// asked (toolchain_check_ptx).
#include <inttypes.h>

#include "sim/core.h"

enum {
    CONSTANT_BYTES = 64 << 10,
    PARAM_BYTES = 4352,        // a kernel's parameters, by ptxas: 4 KiB and a little
    PARAM_BYTES_LARGE = 32764, // from PTX 8.1 and sm_70 on
};

static kz_status refuse(kz_error *error, const char *note) {
    base_fail_note(error, "ptxas refuses it, so it runs on no GPU");
    base_fail_note(error, "%s", note);
    return error ? error->status : KZ_LIMIT;
}

kz_status sim_check_module_limits(const ptx_module *module, kz_error *error) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < module->variable_count; i++) {
        const ptx_variable *v = module->variables[i];
        if (v->space != PTX_MOD_CONST || v->is_extern) continue;
        uint64_t align = v->align ? v->align : 1;
        bytes = (bytes + align - 1) / align * align + v->size;
    }
    if (bytes <= CONSTANT_BYTES) return KZ_OK;
    base_fail(error, KZ_LIMIT, "%s: File uses too much global constant data (0x%" PRIx64 " bytes, 0x%x max)",
              module->name, bytes, CONSTANT_BYTES);
    return refuse(error,
                  "a module's __constant__ variables have 64 KiB together: put what is larger into global "
                  "memory, and read it by const __restrict__ pointers");
}

static kz_status check_params(const sim_kernel *k, kz_error *error) {
    const ptx_module *module = k->program->module;
    bool large = module->sm >= 70 && module->version >= 81;
    uint32_t most = large ? PARAM_BYTES_LARGE : PARAM_BYTES;
    if (k->param_bytes <= most) return KZ_OK;
    base_fail(error, KZ_LIMIT, "%s: Entry function '%s' uses too much parameter space (0x%x bytes, 0x%x max)",
              module->name, k->entry->name, k->param_bytes, most);
    return refuse(error, "pass a pointer to a buffer instead of a large struct by value");
}

static kz_status check_targets(const sim_kernel *k, kz_error *error) {
    const ptx_module *module = k->program->module;
    for (uint32_t c = 0; c < k->code_count; c++) {
        const ptx_function *f = k->codes[c]->function;
        for (uint32_t i = 0; i < f->inst_count; i++) {
            const ptx_op_info *op = ptx_op_get(f->insts[i].op);
            if (!module->sm || op->sm <= module->sm) continue;
            base_fail(error, KZ_LIMIT, "%s, line %u: Feature '%s' requires .target sm_%u or higher",
                      module->name, f->insts[i].line, op->root, op->sm);
            return refuse(error,
                          "compile it for that architecture: a line \"// kz: sm NN\" in a kernel's file, "
                          "-arch=sm_NN for nvcc; or take another path on older GPUs (__CUDA_ARCH__)");
        }
    }
    return KZ_OK;
}

kz_status sim_check_kernel_limits(const sim_kernel *k, kz_error *error) {
    uint32_t most = k->program->machine->config.shared_per_block;
    if (most && k->static_shared > most) { // none: no machine, sim_module_check
        base_fail(error, KZ_LIMIT, "%s: Entry function '%s' uses too much shared data (0x%x bytes, 0x%x max)",
                  k->program->module->name, k->entry->name, k->static_shared, most);
        return refuse(error, "make it dynamic: extern __shared__, its size at the launch, and above 48 KiB "
                             "cudaFuncAttributeMaxDynamicSharedMemorySize");
    }
    kz_status status = check_params(k, error);
    return status ? status : check_targets(k, error);
}
