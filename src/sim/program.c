// Machines and programs: memory and globals; kernels are decoded when first asked for.

#include "sim/core.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/texture.h"

kz_status sim_machine_open(const sim_config *config, sim_machine **machine, kz_error *error) {
    kz_status status = sim_isa_check(error);
    if (status != KZ_OK) return status;
    sim_machine *m = calloc(1, sizeof *m);
    if (!m) return base_fail(error, KZ_NO_MEMORY, "out of memory while opening a simulated GPU");
    m->config = *config;
    if (!m->config.heap_bytes) m->config.heap_bytes = UINT64_C(8) << 20;
    if (!m->config.stack_bytes) m->config.stack_bytes = 1024;
    if (m->config.multiprocessors < 1) m->config.multiprocessors = 1;
    status =
        sim_memory_open(&m->memory, config->memory_bytes, m->config.heap_bytes, config->host_view, error);
    if (status != KZ_OK) {
        free(m);
        return status;
    }
    m->memory.on_view = config->on_view;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    m->cores = cores < 1 ? 1 : (unsigned)cores;
    pthread_mutex_init(&m->storage_lock, NULL);
    *machine = m;
    return KZ_OK;
}

void sim_machine_close(sim_machine *machine) {
    if (!machine) return;
    sim_storage_close(machine);
    sim_texture_close_all(machine);
    sim_memory_close(&machine->memory);
    free(machine);
}

const sim_config *sim_machine_config(const sim_machine *machine) { return &machine->config; }

uint32_t sim_shared_reserved(int sm) { return sm >= 80 ? 1024 : 0; }

uint64_t sim_shared_unit(int sm) { return sm >= 80 ? 128 : 256; }

uint64_t sim_shared_allocated(int sm, uint64_t own) {
    uint64_t unit = sim_shared_unit(sm);
    return (own + sim_shared_reserved(sm) + unit - 1) / unit * unit;
}

void sim_machine_set_stack(sim_machine *machine, uint32_t bytes) { machine->config.stack_bytes = bytes; }

void sim_machine_set_host_threads(sim_machine *machine, unsigned threads) {
    machine->config.host_threads = threads;
}

void sim_machine_set_listener(sim_machine *machine, sim_listener *listener) { machine->listener = listener; }

void sim_machine_interrupt(sim_machine *machine) { atomic_store(&machine->interrupted, true); }

// ---- globals ----------------------------------------------------------------------------------------

static bool in_memory(const ptx_variable *v) {
    return v->space == PTX_MOD_GLOBAL || v->space == PTX_MOD_CONST;
}

uint64_t sim_program_variable(const sim_program *program, const ptx_variable *variable) {
    if (variable->index < program->module->variable_count &&
        program->module->variables[variable->index] == variable)
        return program->variable_at[variable->index];
    return 0;
}

static kz_status allocate_variables(sim_program *p, kz_error *error) {
    sim_memory *memory = &p->machine->memory;
    const ptx_module *module = p->module;
    for (uint32_t i = 0; i < module->variable_count; i++) {
        const ptx_variable *v = module->variables[i];
        if (!in_memory(v) || v->is_extern) continue;
        uint64_t bytes = v->size ? v->size : 1;
        bool visible = v->is_managed && memory->host_view;
        p->variable_at[i] = visible ? sim_memory_suballocate_visible(memory, bytes, v->name)
                                    : sim_memory_suballocate(memory, bytes, v->name);
        if (!p->variable_at[i])
            return base_fail(error, KZ_NO_MEMORY, "no device memory left for variable %s (%" PRIu64 " bytes)",
                             v->name, v->size);
        uint8_t *host = sim_memory_host(memory, p->variable_at[i]);
        if (v->data)
            memcpy(host, v->data, v->size);
        else
            memset(host, 0, v->size);
        sim_memory_emit_variable(p->machine, p->variable_at[i], v->size, v->name);
    }
    return KZ_OK;
}

// Initialisers that hold addresses: now all addresses are known.
static void relocate(sim_program *p) {
    for (uint32_t i = 0; i < p->module->variable_count; i++) {
        const ptx_variable *v = p->module->variables[i];
        for (uint32_t r = 0; p->variable_at[i] && r < v->relocation_count; r++) {
            const ptx_relocation *at = &v->relocations[r];
            uint64_t address = (uint64_t)at->addend;
            if (at->variable) address += sim_program_variable(p, at->variable);
            if (at->function) address += SIM_CODE_WINDOW + 16 * ((uint64_t)at->function->index + 1);
            if (at->offset + at->bytes > v->size) continue;
            memcpy(sim_memory_host(&p->machine->memory, p->variable_at[i]) + at->offset, &address, at->bytes);
        }
    }
}

static void protect_constants(sim_program *p) {
    for (uint32_t i = 0; i < p->module->variable_count; i++) {
        if (p->module->variables[i]->space != PTX_MOD_CONST || !p->variable_at[i]) continue;
        // Found by address: taking further memory may have moved the list.
        sim_memory *memory = &p->machine->memory;
        for (size_t a = 0; a < memory->count; a++)
            if (memory->allocations[a].address == p->variable_at[i]) memory->allocations[a].constant = true;
    }
}

kz_status sim_program_open(sim_machine *machine, ptx_module *module, sim_program **program, kz_error *error) {
    sim_program *p = calloc(1, sizeof *p);
    kz_status status = KZ_NO_MEMORY;
    if (p) {
        *p = (sim_program){.machine = machine, .module = module};
        p->variable_at = calloc(module->variable_count + 1, sizeof *p->variable_at);
        p->kernels = calloc(module->function_count + 1, sizeof *p->kernels);
    }
    if (!p || !p->variable_at || !p->kernels)
        base_fail(error, status, "out of memory while loading %s", module->name);
    else
        status = sim_check_module_limits(module, machine->config.sm, error);
    if (status == KZ_OK) status = allocate_variables(p, error);
    if (status != KZ_OK) {
        if (p)
            sim_program_close(p);
        else
            ptx_module_close(module);
        return status;
    }
    relocate(p);
    protect_constants(p);
    *program = p;
    return KZ_OK;
}

void sim_program_close(sim_program *p) {
    if (!p) return;
    for (uint32_t i = 0; p->kernels && i < p->module->function_count; i++) sim_kernel_close(p->kernels[i]);
    for (uint32_t i = 0; p->variable_at && i < p->module->variable_count; i++)
        if (p->variable_at[i]) {
            const ptx_variable *v = p->module->variables[i];
            sim_memory_emit_gone(p->machine, p->variable_at[i], v->size, v->name);
            sim_memory_release(&p->machine->memory, p->variable_at[i]);
            // Its name goes with the module; a late access is explained without it.
            sim_memory_forget_label(&p->machine->memory, p->variable_at[i]);
        }
    free(p->kernels);
    free(p->variable_at);
    ptx_module_close(p->module);
    free(p);
}

const ptx_module *sim_program_module(const sim_program *program) { return program->module; }

kz_status sim_program_global(sim_program *p, const char *name, uint64_t *address, uint64_t *bytes,
                             kz_error *error) {
    for (uint32_t i = 0; i < p->module->variable_count; i++) {
        const ptx_variable *v = p->module->variables[i];
        if (strcmp(v->name, name) || !p->variable_at[i]) continue;
        *address = p->variable_at[i];
        *bytes = v->size;
        return KZ_OK;
    }
    return base_fail(error, KZ_NOT_FOUND, "%s has no variable %s in global or constant memory",
                     p->module->name, name);
}

// ---- kernels ----------------------------------------------------------------------------------------

kz_status sim_program_kernel(sim_program *p, const char *name, sim_kernel **kernel, kz_error *error) {
    const ptx_function *f = ptx_find_function(p->module, name);
    if (!f || !f->is_entry || !f->has_body) {
        base_fail(error, KZ_NOT_FOUND, "%s has no kernel %s", p->module->name, name);
        base_text names = {0};
        for (uint32_t i = 0; i < p->module->function_count && names.length < 600; i++)
            if (p->module->functions[i]->is_entry)
                base_text_add(&names, " %s", p->module->functions[i]->name);
        base_fail_note(error, "its kernels:%s", names.data ? names.data : " none");
        base_text_free(&names);
        return KZ_NOT_FOUND;
    }
    kz_status status = KZ_OK;
    if (!p->kernels[f->index]) status = sim_decode_kernel(p, f, &p->kernels[f->index], error);
    *kernel = p->kernels[f->index];
    return status ? status : sim_check_kernel_limits(*kernel, error);
}

kz_status sim_module_check(ptx_module *module, int sm, sim_unsupported *found, void *context,
                           kz_error *error) {
    // Nothing is launched: the machine has no memory, and variables no addresses.
    sim_machine *machine = calloc(1, sizeof *machine);
    uint64_t *variable_at = calloc(module->variable_count + 1, sizeof *variable_at);
    kz_status status = machine && variable_at ? sim_check_module_limits(module, sm, error) : KZ_NO_MEMORY;
    sim_program program = {.machine = machine,
                           .module = module,
                           .variable_at = variable_at,
                           .found = found,
                           .found_context = context};
    for (uint32_t i = 0; i < module->function_count && (status == KZ_OK || status == KZ_UNSUPPORTED); i++) {
        const ptx_function *f = module->functions[i];
        sim_kernel *kernel = NULL;
        if (f->is_entry && f->has_body) status = sim_decode_kernel(&program, f, &kernel, error);
        if (kernel) status = sim_check_kernel_limits(kernel, error);
        sim_kernel_close(kernel);
    }
    free(variable_at);
    free(machine);
    if (status == KZ_UNSUPPORTED) return KZ_OK; // it was told
    if (status == KZ_LIMIT) return status;
    return status ? base_fail(error, status, "cannot check %s: %s", module->name, kz_status_text(status))
                  : KZ_OK;
}

kz_status sim_kernel_describe(sim_program *program, const char *name, sim_kernel_info *info,
                              kz_error *error) {
    sim_kernel *k;
    kz_status status = sim_program_kernel(program, name, &k, error);
    if (status != KZ_OK) return status;
    *info = (sim_kernel_info){.param_count = k->entry->param_count,
                              .param_offset = k->param_offset,
                              .static_shared_bytes = k->static_shared,
                              .local_bytes = k->local_room,
                              .prints = k->prints,
                              .allocates_heap = k->allocates_heap,
                              .sums_uncompared = k->sums_uncompared,
                              .blocks_communicate = k->communicates};
    return KZ_OK;
}
