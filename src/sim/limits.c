// What ptxas refuses, known without it: a kernel that it refuses runs on no GPU, and so not here. The words are
// its own. It also knows limits of modifiers, which the table of instructions does not have; where it is there, it is
// asked (toolchain_check_ptx).
#include <inttypes.h>

#include "sim/core.h"

enum {
    NEWEST_VERSION = 94, // of PTX
    CONSTANT_BYTES = 64 << 10,
    SHARED_BYTES = 48 << 10,   // of a kernel, static; where no GPU says another limit
    PARAM_BYTES = 4352,        // a kernel's parameters, by ptxas: 4 KiB and a little
    PARAM_BYTES_LARGE = 32764, // from PTX 8.1 and sm_70 on
};

static kz_status refuse(kz_error *error, const char *note) {
    base_fail_note(error, "ptxas refuses it, so no GPU of this kind runs it");
    base_fail_note(error, "%s", note);
    return error ? error->status : KZ_LIMIT;
}

// ---- modules -------------------------------------------------------------------------------------------

// The first version of PTX that has an architecture.
static int version_of(int sm, char suffix) {
    static const struct {
        int sm, version;
    } rows[] = {{50, 40},  {52, 41},  {53, 42},  {60, 50},  {61, 50},  {62, 50}, {70, 60}, {72, 61},
                {75, 63},  {80, 70},  {86, 71},  {87, 74},  {88, 90},  {89, 78}, {90, 78}, {100, 86},
                {101, 86}, {103, 88}, {107, 94}, {110, 90}, {120, 87}, {121, 88}};
    int first = 0;
    for (size_t i = 0; i < BASE_COUNT(rows); i++)
        if (rows[i].sm == sm) first = rows[i].version;
    if (sm == 90 && suffix == 'a') return 80;
    return suffix == 'f' && first < 88 ? 88 : first;
}

static kz_status check_version(const ptx_module *m, kz_error *error) {
    if (m->version > NEWEST_VERSION) {
        base_fail(error, KZ_LIMIT, "%s: Unsupported .version %d.%d; the newest known here is %d.%d", m->name,
                  m->version / 10, m->version % 10, NEWEST_VERSION / 10, NEWEST_VERSION % 10);
        return refuse(error, "a driver refuses PTX that is newer than itself: write the version of the CUDA "
                             "toolkit that you have (nvcc -ptx writes it)");
    }
    if (m->version >= version_of(m->sm, m->sm_suffix)) return KZ_OK;
    base_fail(error, KZ_LIMIT, "%s: PTX .version %d.%d does not support .target sm_%d%.1s", m->name,
              m->version / 10, m->version % 10, m->sm, &m->sm_suffix);
    return refuse(error, "raise the .version, or lower the .target");
}

// PTX for an architecture runs on that one and later ones; with an a on that one alone, with an f on its family.
static bool runs_on(const ptx_module *m, int sm) {
    if (m->sm_suffix == 'a') return m->sm == sm;
    return m->sm <= sm && (m->sm_suffix != 'f' || m->sm / 10 == sm / 10);
}

static kz_status check_target(const ptx_module *m, int sm, kz_error *error) {
    if (!sm || runs_on(m, sm)) return KZ_OK;
    base_fail(error, KZ_LIMIT, "%s: PTX with .target sm_%d%.1s cannot be compiled for architecture sm_%d",
              m->name, m->sm, &m->sm_suffix, sm);
    return refuse(error, m->sm > sm ? "take a newer GPU (--gpu NAME, or KZ_GPU; kz devices lists them), or "
                                      "compile it for this one"
                                    : "a target with an a or f at its end runs on that architecture or "
                                      "family alone: compile it without, or take that GPU (--gpu NAME)");
}

static kz_status check_addresses(const ptx_module *m, kz_error *error) {
    if (m->address_bits != 32) return KZ_OK;
    base_fail(error, KZ_LIMIT, "%s: .address_size 32: 32-Bit compilation is no longer supported", m->name);
    return refuse(error, "write .address_size 64, and hold addresses in registers of 64 bits");
}

static kz_status check_constants(const ptx_module *module, kz_error *error) {
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

static kz_status check_directives(const ptx_module *m, kz_error *error) {
    for (uint32_t i = 0; i < m->function_count; i++) {
        const ptx_function *f = m->functions[i];
        if (!f->max_threads[0] || !f->required_threads[0]) continue;
        base_fail(error, KZ_LIMIT,
                  "%s: Conflicting directives: .maxntid and .reqntid cannot both be specified (entry '%s')",
                  m->name, f->name);
        return refuse(error, "leave one of them: .reqntid is the size of every block, .maxntid its limit");
    }
    return KZ_OK;
}

kz_status sim_check_module_limits(const ptx_module *module, int sm, kz_error *error) {
    kz_status status = check_version(module, error);
    if (!status) status = check_target(module, sm, error);
    if (!status) status = check_addresses(module, error);
    if (!status) status = check_constants(module, error);
    return status ? status : check_directives(module, error);
}

// ---- kernels -------------------------------------------------------------------------------------------

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
    uint32_t limit = k->program->machine->config.shared_per_block, most = limit ? limit : SHARED_BYTES;
    if (k->static_shared > most) {
        base_fail(error, KZ_LIMIT, "%s: Entry function '%s' uses too much shared data (0x%x bytes, 0x%x max)",
                  k->program->module->name, k->entry->name, k->static_shared, most);
        base_fail_note(error, "ptxas refuses it; a driver that compiles PTX text itself does not");
        base_fail_note(error, "make it dynamic: extern __shared__, its size at the launch, and above 48 KiB "
                              "cudaFuncAttributeMaxDynamicSharedMemorySize");
        return KZ_LIMIT;
    }
    kz_status status = check_params(k, error);
    return status ? status : check_targets(k, error);
}

// A GPU has 512 KiB of local memory per thread; an H200 takes a frame of 1 KiB less, and none above.
kz_status sim_check_local_limit(const sim_kernel *k, kz_error *error) {
    enum { MOST = 511 << 10 };
    if (k->least_stack <= MOST) return KZ_OK;
    base_fail(error, KZ_LIMIT, "launch of %s: %u bytes of local memory per thread, a GPU has %d",
              k->entry->name, k->least_stack, MOST);
    base_fail_note(error, "put arrays of this size into global memory: one cudaMalloc, a part per thread");
    return KZ_LIMIT;
}
