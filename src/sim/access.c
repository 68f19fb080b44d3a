// Memory accesses, lane by lane: where an address leads, what is wrong with it, atomics, listeners.

#include "sim/exec_memory.h"

#include <string.h>

#include "sim/atomics.h"

// ---- where an address leads -------------------------------------------------------------------------

bool sim_extent_find(sim_warp *w, const sim_op *op, uint64_t address, uint64_t bytes, bool write) {
    if (address < SIM_GLOBAL_BASE) return false; // a window: there is nothing to search
    const sim_allocation *a = sim_memory_find(w->block->grid->memory, address, bytes);
    if (!a || (write && a->constant)) return false;
    w->extents[op->c] = (sim_extent){.low = a->address, .bytes = a->bytes, .writable = !a->constant};
    return true;
}

static uint8_t *resolve_global(sim_warp *w, const sim_op *op, unsigned lane, uint64_t address, unsigned bytes,
                               bool write) {
    const sim_extent *e = &w->extents[op->c];
    bool hit = bytes <= e->bytes && address - e->low <= e->bytes - bytes && (!write || e->writable);
    if (!hit && !sim_extent_find(w, op, address, bytes, write)) {
        const sim_memory *memory = w->block->grid->memory;
        uint8_t *registered = sim_memory_registered(memory, address, bytes, write);
        if (registered) return registered;
        const sim_allocation *a = sim_memory_find(memory, address, bytes);
        sim_fault_access(w, op, lane, address, bytes, SIM_GLOBAL, a ? "writes constant memory" : NULL);
    }
    return (uint8_t *)(w->global + address);
}

uint8_t *sim_resolve(sim_warp *w, const sim_op *op, memory_space space, unsigned lane, uint64_t address,
                     unsigned bytes, bool write) {
    const sim_grid *grid = w->block->grid;
    uint64_t offset = address;
    sim_space named = SIM_GLOBAL;
    if (space == MEMORY_GENERIC) {
        space = MEMORY_GLOBAL;
        if (address >= SIM_PARAM_WINDOW && address - SIM_PARAM_WINDOW < SIM_WINDOW_BYTES) {
            space = MEMORY_PARAM;
            offset = address - SIM_PARAM_WINDOW;
        } else if (address >= SIM_LOCAL_WINDOW && address - SIM_LOCAL_WINDOW < SIM_WINDOW_BYTES) {
            space = MEMORY_LOCAL;
            offset = address - SIM_LOCAL_WINDOW;
        } else if (address >= SIM_SHARED_WINDOW && address - SIM_SHARED_WINDOW < SIM_WINDOW_BYTES) {
            space = MEMORY_SHARED;
            offset = address - SIM_SHARED_WINDOW;
        }
    }
    uint8_t *host;
    switch (space) {
    case MEMORY_SHARED:
        named = SIM_SHARED;
        if (offset > w->shared_bytes || bytes > w->shared_bytes - offset)
            host = sim_shared_elsewhere(w, op, lane, offset, bytes);
        else
            host = w->shared + offset;
        break;
    case MEMORY_LOCAL:
        named = SIM_LOCAL;
        offset -= SIM_LOCAL_FIRST;
        if (offset > grid->kernel->local_room || bytes > grid->kernel->local_room - offset)
            sim_fault_access(w, op, lane, offset, bytes, SIM_LOCAL, NULL);
        host = sim_local(w, lane, offset);
        break;
    case MEMORY_PARAM:
        named = SIM_PARAM;
        if (write) sim_fault_access(w, op, lane, offset, bytes, SIM_PARAM, "writes the kernel's parameters");
        if (offset > grid->kernel->param_bytes || bytes > grid->kernel->param_bytes - offset)
            sim_fault_access(w, op, lane, offset, bytes, SIM_PARAM, NULL);
        host = grid->params + offset;
        break;
    default: host = resolve_global(w, op, lane, address, bytes, write); break;
    }
    if (offset & (bytes - 1)) sim_fault_access(w, op, lane, offset, bytes, named, "is misaligned");
    return host;
}

uint8_t *sim_lane_pointer(sim_warp *w, const sim_op *op, uint32_t lane, uint64_t generic, uint32_t bytes,
                          bool write) {
    sim_op at = *op;
    at.c = w->block->grid->kernel->memory_op_count; // the entry that nobody else has
    return sim_resolve(w, &at, MEMORY_GENERIC, lane, generic, bytes, write);
}

// ---- shapes -----------------------------------------------------------------------------------------

static bool space_of(sim_decoder *d, const ptx_inst *inst, const ptx_operand *address, memory_form *f) {
    switch (inst->by_category[PTX_CAT_SPACE]) {
    case PTX_MOD_NONE: f->space = MEMORY_GENERIC; return true;
    case PTX_MOD_CONST: f->is_const = true; // fall through
    case PTX_MOD_GLOBAL: f->space = MEMORY_GLOBAL; return true;
    case PTX_MOD_SHARED_CLUSTER: f->is_cluster = true; // fall through
    case PTX_MOD_SHARED:
    case PTX_MOD_SHARED_CTA: f->space = MEMORY_SHARED; return true;
    case PTX_MOD_LOCAL: f->space = MEMORY_LOCAL; return true;
    case PTX_MOD_PARAM_ENTRY: f->space = MEMORY_PARAM; return true;
    case PTX_MOD_PARAM_FUNC: f->space = MEMORY_LOCAL; return true;
    case PTX_MOD_PARAM: f->space = sim_param_is_local(d, address) ? MEMORY_LOCAL : MEMORY_PARAM; return true;
    default: return false;
    }
}

// The registers of a data operand: one, or the elements of a vector. Constants get slots as wide as the
// others.
static bool data_registers(sim_decoder *d, const ptx_operand *data, ptx_type type, bool is_store,
                           memory_form *f, uint32_t *regs) {
    const ptx_operand *list = data->kind == PTX_OPERAND_VECTOR ? data->elements : data;
    uint32_t count = data->kind == PTX_OPERAND_VECTOR ? data->element_count : 1;
    if (count == 0 || count > MEMORY_ELEMENTS) return false;
    f->count = (uint8_t)count;
    unsigned bits = 0;
    for (uint32_t i = 0; i < count; i++)
        if (list[i].kind == PTX_OPERAND_REG) bits = sim_operand_bits(d, &list[i], type);
    if (!bits) bits = f->bytes <= 2 ? 16 : 8u * f->bytes;
    f->reg_bits = (uint8_t)bits;
    for (uint32_t i = 0; i < count; i++) {
        if (list[i].kind == PTX_OPERAND_REG) {
            if (sim_operand_bits(d, &list[i], type) != bits) return false;
            regs[i] = is_store ? sim_source(d, &list[i], type) : sim_destination(d, &list[i], type);
        } else if (list[i].kind == PTX_OPERAND_SINK) {
            regs[i] = SIM_NOWHERE;
        } else if (list[i].kind == PTX_OPERAND_INT || list[i].kind == PTX_OPERAND_FLOAT) {
            regs[i] = sim_constant_bits(d, bits, ptx_immediate(&list[i], type));
        } else {
            regs[i] = sim_source(d, &list[i], bits == 64 ? PTX_U64 : bits == 32 ? PTX_U32 : PTX_U16);
        }
    }
    return true;
}

static memory_form *open_form(sim_decoder *d, const ptx_inst *inst, const ptx_operand *address, sim_op *op) {
    memory_form *f = sim_keep(d, sizeof *f);
    if (!f || inst->type_count == 0 || address->kind != PTX_OPERAND_ADDRESS || !space_of(d, inst, address, f))
        return NULL;
    f->type = inst->types[0];
    unsigned bits = ptx_type_bits(f->type);
    if (bits < 8) return NULL;
    f->bytes = (uint8_t)(bits / 8);
    f->is_signed = ptx_type_class(f->type) == 's';
    uint16_t order = inst->by_category[PTX_CAT_ORDER];
    f->is_volatile =
        (order != PTX_MOD_NONE && order != PTX_MOD_WEAK) || inst->by_category[PTX_CAT_CACHE] == PTX_MOD_CV;
    f->base_bits = (uint8_t)sim_address(d, address, f->space == MEMORY_SHARED ? 32 : 64, op);
    if (f->base_bits != 32 && f->base_bits != 64) return NULL;
    for (unsigned i = 0; i < MEMORY_ELEMENTS; i++) f->regs[i] = f->result[i] = SIM_NOWHERE;
    op->aux = (uint64_t)(uintptr_t)f;
    op->c = d->kernel->memory_op_count++;
    return f;
}

const memory_form *sim_memory_form(sim_decoder *d, const ptx_inst *inst, sim_op *op) {
    bool is_store = inst->op == PTX_OP_ST;
    if (inst->operand_count < 2) return NULL;
    memory_form *f = open_form(d, inst, &inst->operands[is_store ? 0 : 1], op);
    if (!f) return NULL;
    f->is_store = is_store;
    if (!data_registers(d, &inst->operands[is_store ? 1 : 0], f->type, is_store, f, f->regs)) return NULL;
    // PTX has 32 bytes at once in global memory alone.
    return f->bytes * f->count <= SIM_LOCAL_PIECE || f->space == MEMORY_GLOBAL ? f : NULL;
}

const memory_form *sim_atomic_form(sim_decoder *d, const ptx_inst *inst, sim_op *op) {
    bool returns = inst->op == PTX_OP_ATOM;
    uint32_t at = returns ? 1 : 0;
    if (inst->operand_count < at + 2) return NULL;
    memory_form *f = open_form(d, inst, &inst->operands[at], op);
    if (!f) return NULL;
    f->is_store = true;
    f->operation = inst->by_category[PTX_CAT_ATOMIC] ? inst->by_category[PTX_CAT_ATOMIC]
                                                     : inst->by_category[PTX_CAT_BOOL];
    uint32_t value = at + 1;
    f->compare = SIM_NOWHERE;
    if (f->operation == PTX_MOD_CAS) {
        if (inst->operand_count < at + 3) return NULL;
        f->compare = sim_source(d, &inst->operands[value++], f->type);
    }
    if (!data_registers(d, &inst->operands[value], f->type, true, f, f->regs)) return NULL;
    uint8_t count = f->count;
    if (returns && !data_registers(d, &inst->operands[0], f->type, false, f, f->result)) return NULL;
    return f->count == count && f->reg_bits == (f->bytes <= 2 ? 16 : 8 * f->bytes) ? f : NULL;
}

static uint64_t window_of(uint16_t space) {
    switch (space) {
    case PTX_MOD_SHARED:
    case PTX_MOD_SHARED_CLUSTER:
    case PTX_MOD_SHARED_CTA: return SIM_SHARED_WINDOW;
    case PTX_MOD_LOCAL: return SIM_LOCAL_WINDOW;
    case PTX_MOD_PARAM:
    case PTX_MOD_PARAM_ENTRY: return SIM_PARAM_WINDOW;
    default: return 0; // global and constant memory are where they are
    }
}

bool sim_cvta_form(sim_decoder *d, const ptx_inst *inst, sim_op *op) {
    uint16_t space = inst->by_category[PTX_CAT_SPACE];
    if (inst->operand_count < 2 || inst->type_count == 0) return false;
    uint64_t window = window_of(space);
    if (window == SIM_PARAM_WINDOW && !d->code->function->is_entry) window = SIM_LOCAL_WINDOW;
    op->aux = inst->flags & PTX_FLAG(TO) ? 0 - window : window;
    op->d = sim_destination(d, &inst->operands[0], inst->types[0]);
    op->a = sim_source(d, &inst->operands[1], inst->types[0]);
    op->aux8 = (uint8_t)sim_operand_bits(d, &inst->operands[1], inst->types[0]);
    op->aux16 = (uint16_t)sim_operand_bits(d, &inst->operands[0], inst->types[0]);
    return true;
}

bool sim_isspacep_form(sim_decoder *d, const ptx_inst *inst, sim_op *op) {
    uint16_t space = inst->by_category[PTX_CAT_SPACE];
    op->aux16 = space == PTX_MOD_SHARED || space == PTX_MOD_SHARED_CTA; // the block's own alone
    op->aux = window_of(space) ? window_of(space) : SIM_GLOBAL_BASE;
    op->d = sim_destination(d, &inst->operands[0], PTX_PRED);
    op->a = sim_source(d, &inst->operands[1], PTX_U64);
    op->aux8 = (uint8_t)sim_operand_bits(d, &inst->operands[1], PTX_U64);
    return true;
}

// ---- atomics ----------------------------------------------------------------------------------------

#define ATOMIC_WORD(T)                                                                                       \
    static void apply_##T(const memory_form *f, T *at, const uint8_t *from, bool alone, bool shared) {       \
        T b, old = __atomic_load_n(at, __ATOMIC_SEQ_CST), new;                                               \
        memcpy(&b, from, sizeof b);                                                                          \
        do new = (T)sim_atomic_result(f->type, f->operation, old, b, 0, shared);                             \
        while (!alone &&                                                                                     \
               !__atomic_compare_exchange_n(at, &old, new, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));      \
        if (alone) *at = new;                                                                                \
    }
ATOMIC_WORD(uint16_t)
ATOMIC_WORD(uint32_t)
ATOMIC_WORD(uint64_t)

void sim_atomic_apply(const memory_form *f, uint8_t *at, const uint8_t *from, bool alone, bool shared) {
    if (f->bytes == 4)
        apply_uint32_t(f, (uint32_t *)at, from, alone, shared);
    else if (f->bytes == 8)
        apply_uint64_t(f, (uint64_t *)at, from, alone, shared);
    else
        apply_uint16_t(f, (uint16_t *)at, from, alone, shared);
}

// ---- listeners --------------------------------------------------------------------------------------

// Whether a store is about to change memory; resolves the addresses, so it may fault as the store itself
// would.
static void watch_store(sim_warp *w, const sim_op *op, const memory_form *f, const uint64_t *addresses) {
    for (uint32_t mask = w->mask; mask; mask &= mask - 1) {
        unsigned lane = (unsigned)__builtin_ctz(mask);
        const uint8_t *at = sim_resolve(w, op, f->space, lane, addresses[lane], f->bytes * f->count, true);
        for (unsigned e = 0; e < f->count; e++) {
            uint32_t stride = f->reg_bits / 8;
            if (memcmp(at + e * f->bytes, SIM_REG(uint8_t, w, f->regs[e]) + lane * stride, f->bytes)) {
                w->block->worker->changes++;
                return;
            }
        }
    }
}

// Who could change what a loop looks at.
static void watch_load(sim_warp *w, const uint64_t *addresses) {
    sim_worker *worker = w->block->worker;
    for (uint32_t m = w->mask; m && worker->polled != SIM_POLLED_HOST; m &= m - 1) {
        uint64_t address = addresses[__builtin_ctz(m)];
        const sim_allocation *a =
            address < SIM_GLOBAL_BASE ? NULL : sim_memory_find(w->block->grid->memory, address, 1);
        if (a) worker->polled = a->visible ? SIM_POLLED_HOST : SIM_POLLED_DEVICE;
    }
}

static sim_space listener_space(const memory_form *f, uint64_t address) {
    switch (f->space) {
    case MEMORY_SHARED: return address >> 24 ? SIM_DISTRIBUTED : SIM_SHARED;
    case MEMORY_LOCAL: return SIM_LOCAL;
    case MEMORY_PARAM: return SIM_PARAM;
    case MEMORY_GLOBAL: return f->is_const ? SIM_CONST : SIM_GLOBAL;
    default: break;
    }
    if (address >= SIM_PARAM_WINDOW && address < SIM_CODE_WINDOW) return SIM_PARAM;
    if (address >= SIM_LOCAL_WINDOW && address < SIM_PARAM_WINDOW) return SIM_LOCAL;
    if (address >= SIM_SHARED_WINDOW && address < SIM_LOCAL_WINDOW)
        return (address - SIM_SHARED_WINDOW) >> 24 ? SIM_DISTRIBUTED : SIM_SHARED;
    return SIM_GLOBAL;
}

// Whether all 32 are global addresses: vector code, for it is the usual case.
static bool are_global(const uint64_t *addresses) {
    uint64_t below = 0;
    for (int i = 0; i < SIM_LANES; i++) below |= addresses[i] / SIM_GLOBAL_BASE - 1;
    return !(below >> 63);
}

// Lanes of one generic access may lie in different spaces: one event for each.
static void emit_generic(sim_listener *listener, sim_access *access, const memory_form *f,
                         uint64_t *addresses) {
    uint32_t left = access->at.mask;
    while (left) {
        uint32_t here = 0;
        access->space = listener_space(f, addresses[__builtin_ctz(left)]);
        for (uint32_t m = left; m; m &= m - 1)
            if (listener_space(f, addresses[__builtin_ctz(m)]) == access->space) here |= m & (0u - m);
        access->at.mask = here;
        uint64_t window = f->space != MEMORY_GENERIC    ? 0
                          : access->space == SIM_SHARED ? SIM_SHARED_WINDOW
                          : access->space == SIM_LOCAL  ? SIM_LOCAL_WINDOW + SIM_LOCAL_FIRST
                          : access->space == SIM_PARAM  ? SIM_PARAM_WINDOW
                                                        : 0;
        if (window)
            for (uint32_t m = here; m; m &= m - 1) addresses[__builtin_ctz(m)] -= window;
        if (access->space == SIM_DISTRIBUTED)
            for (uint32_t m = here; m; m &= m - 1)
                addresses[__builtin_ctz(m)] =
                    sim_cluster_address(access->at.self, addresses[__builtin_ctz(m)]);
        listener->access(listener, access);
        left &= ~here;
    }
}

void sim_notice_addresses(sim_warp *w, const sim_op *op, uint64_t *addresses) {
    const memory_form *f = (const memory_form *)(uintptr_t)op->aux;
    bool atomic = op->inst->op == PTX_OP_ATOM || op->inst->op == PTX_OP_RED;
    sim_worker *worker = w->block->worker;
    if (worker->watch && f->is_store && !atomic) watch_store(w, op, f, addresses);
    if (worker->watch && (!f->is_store || atomic) &&
        listener_space(f, addresses[__builtin_ctz(w->mask)]) == SIM_GLOBAL)
        watch_load(w, addresses);
    sim_listener *listener = worker->listener;
    if (!listener || !listener->access || !w->mask) return;
    if (f->space == MEMORY_LOCAL)
        for (int i = 0; i < SIM_LANES; i++) addresses[i] -= SIM_LOCAL_FIRST;
    sim_access access = {
        .at = {.inst = op->inst, .self = w, .block = w->block->index, .warp = w->index, .mask = w->mask},
        .bytes = (uint32_t)(f->bytes * f->count),
        .kind = atomic        ? SIM_ATOMIC
                : f->is_store ? SIM_STORE
                              : SIM_LOAD,
        .space = listener_space(f, addresses[__builtin_ctz(w->mask)]),
        .addresses = addresses};
    bool mixed = f->is_cluster || (f->space == MEMORY_GENERIC && !are_global(addresses));
    if (mixed)
        emit_generic(listener, &access, f, addresses);
    else
        listener->access(listener, &access);
}
