// Memory accesses, lane by lane: where an address leads, what is wrong with it, atomics, listeners.

#include "sim/exec_memory.h"

#include <string.h>

#include "sim/floats.h"

// ---- where an address leads -------------------------------------------------------------------------

bool sim_extent_find(sim_warp *w, const sim_op *op, uint64_t address, uint64_t bytes, bool write) {
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
        if (offset > grid->kernel->local_stride || bytes > grid->kernel->local_stride - offset)
            sim_fault_access(w, op, lane, offset, bytes, SIM_LOCAL, NULL);
        host = w->local + (size_t)lane * grid->kernel->local_stride + offset;
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
    return data_registers(d, &inst->operands[is_store ? 1 : 0], f->type, is_store, f, f->regs) ? f : NULL;
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

static float float_of(ptx_mod operation, float a, float b) {
    switch (operation) {
    case PTX_MOD_ADD: return f32_canonical(a + b);
    case PTX_MOD_MIN: return f32_min(a, b);
    default: return f32_max(a, b);
    }
}

static uint16_t half_of(const memory_form *f, bool brain, uint16_t a, uint16_t b) {
    if (brain) return bf16_of_f32(float_of(f->operation, f32_of_bf16(a), f32_of_bf16(b)));
    return f16_of_f32(float_of(f->operation, f32_of_f16(a), f32_of_f16(b)));
}

// Global memory adds where it lies and passes a NaN on as it is, the new one first; shared memory has no unit
// for f64, so the thread adds, as add.f64 does.
static uint64_t double_sum(uint64_t old, uint64_t b, bool shared) {
    double x = f64_of_bits(old), y = f64_of_bits(b), sum = x + y;
    if (shared) return bits_of_f64(f64_of_2(sum, y, x));
    return y != y ? b : x != x ? old : bits_of_f64(sum);
}

static uint64_t float_result(const memory_form *f, uint64_t old, uint64_t b, bool shared) {
    switch (f->type) {
    case PTX_F32: {
        float x = f32_of_bits((uint32_t)old), y = f32_of_bits((uint32_t)b);
        // On global memory atom.add.f32 flushes subnormals, on shared memory it does not (PTX, "atom").
        if (f->operation == PTX_MOD_ADD && !shared)
            return bits_of_f32(f32_flushed(f32_canonical(f32_flushed(x) + f32_flushed(y))));
        return bits_of_f32(float_of(f->operation, x, y));
    }
    case PTX_F64:
        if (f->operation == PTX_MOD_ADD) return double_sum(old, b, shared);
        return bits_of_f64(f->operation == PTX_MOD_MIN ? f64_min(f64_of_bits(old), f64_of_bits(b))
                                                       : f64_max(f64_of_bits(old), f64_of_bits(b)));
    case PTX_F16: return half_of(f, false, (uint16_t)old, (uint16_t)b);
    case PTX_BF16: return half_of(f, true, (uint16_t)old, (uint16_t)b);
    default: {
        bool brain = f->type == PTX_BF16X2;
        return half_of(f, brain, (uint16_t)old, (uint16_t)b) |
               (uint64_t)half_of(f, brain, (uint16_t)(old >> 16), (uint16_t)(b >> 16)) << 16;
    }
    }
}

static int64_t as_signed(uint64_t value, unsigned bytes) {
    unsigned shift = 64 - 8 * bytes;
    return (int64_t)(value << shift) >> shift;
}

static uint64_t atomic_result(const memory_form *f, uint64_t old, uint64_t b, uint64_t compare, bool shared) {
    char class = ptx_type_class(f->type);
    switch (f->operation) {
    case PTX_MOD_EXCH: return b;
    case PTX_MOD_CAS: return old == compare ? b : old;
    case PTX_MOD_AND: return old & b;
    case PTX_MOD_OR: return old | b;
    case PTX_MOD_XOR: return old ^ b;
    case PTX_MOD_INC: return old >= b ? 0 : old + 1;
    case PTX_MOD_DEC: return old == 0 || old > b ? b : old - 1;
    default: break;
    }
    if (class == 'f' || class == 'v') return float_result(f, old, b, shared);
    if (f->operation == PTX_MOD_ADD) return old + b;
    bool less = class == 's' ? as_signed(b, f->bytes) < as_signed(old, f->bytes) : b < old;
    return less == (f->operation == PTX_MOD_MIN) ? b : old;
}

// Where other blocks may be at the same word, the change is one compare-and-swap of the host.
#define ATOMIC_WORD(T)                                                                                       \
    static uint64_t atomic_word_##T(const memory_form *f, T *at, uint64_t b, uint64_t compare, bool alone,   \
                                    bool shared, uint64_t *now) {                                            \
        T old, new;                                                                                          \
        if (alone) {                                                                                         \
            old = *at;                                                                                       \
            *at = new = (T)atomic_result(f, old, b, compare, shared);                                        \
        } else {                                                                                             \
            old = __atomic_load_n(at, __ATOMIC_SEQ_CST);                                                     \
            do new = (T)atomic_result(f, old, b, compare, shared);                                           \
            while (!__atomic_compare_exchange_n(at, &old, new, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));  \
        }                                                                                                    \
        *now = new;                                                                                          \
        return old;                                                                                          \
    }
ATOMIC_WORD(uint16_t)
ATOMIC_WORD(uint32_t)
ATOMIC_WORD(uint64_t)

// 16 bytes: only exch and cas, and only where one thread runs all blocks.
static void atomic_wide(sim_warp *w, const memory_form *f, unsigned lane, uint8_t *at) {
    uint8_t old[16];
    memcpy(old, at, 16);
    bool swap = f->operation == PTX_MOD_EXCH || !memcmp(old, SIM_REG(uint8_t, w, f->compare) + 16 * lane, 16);
    if (swap) {
        if (memcmp(at, SIM_REG(uint8_t, w, f->regs[0]) + 16 * lane, 16)) w->block->worker->changes++;
        memcpy(at, SIM_REG(uint8_t, w, f->regs[0]) + 16 * lane, 16);
    }
    if (f->result[0] != SIM_NOWHERE) memcpy(SIM_REG(uint8_t, w, f->result[0]) + 16 * lane, old, 16);
}

static uint64_t lane_value(const sim_warp *w, uint32_t at, unsigned bytes, unsigned lane) {
    if (at == SIM_NOWHERE) return 0;
    if (bytes == 4) return SIM_REG(uint32_t, w, at)[lane];
    return bytes == 8 ? SIM_REG(uint64_t, w, at)[lane] : SIM_REG(uint16_t, w, at)[lane];
}

void sim_atomic_apply(const memory_form *f, uint8_t *at, const uint8_t *from, bool alone, bool shared) {
    uint64_t b = 0, now;
    memcpy(&b, from, f->bytes);
    if (f->bytes == 4)
        atomic_word_uint32_t(f, (uint32_t *)at, b, 0, alone, shared, &now);
    else if (f->bytes == 8)
        atomic_word_uint64_t(f, (uint64_t *)at, b, 0, alone, shared, &now);
    else
        atomic_word_uint16_t(f, (uint16_t *)at, b, 0, alone, shared, &now);
}

void sim_atomic_lane(sim_warp *w, const sim_op *op, const memory_form *f, unsigned lane, unsigned element,
                     uint8_t *at) {
    if (f->bytes == 16) {
        atomic_wide(w, f, lane, at);
        return;
    }
    uint64_t b = lane_value(w, f->regs[element], f->bytes, lane),
             compare = lane_value(w, f->compare, f->bytes, lane);
    bool alone = sim_is_alone(w, f),
         shared = f->space == MEMORY_SHARED || (at >= w->shared && at < w->shared + w->shared_bytes);
    uint64_t old, now;
    if (f->bytes == 4)
        old = atomic_word_uint32_t(f, (uint32_t *)at, b, compare, alone, shared, &now);
    else if (f->bytes == 8)
        old = atomic_word_uint64_t(f, (uint64_t *)at, b, compare, alone, shared, &now);
    else
        old = atomic_word_uint16_t(f, (uint16_t *)at, b, compare, alone, shared, &now);
    if (old != now) w->block->worker->changes++;
    uint32_t result = f->result[element];
    if (result == SIM_NOWHERE) return;
    if (f->bytes == 4)
        SIM_REG(uint32_t, w, result)[lane] = (uint32_t)old;
    else if (f->bytes == 8)
        SIM_REG(uint64_t, w, result)[lane] = old;
    else
        SIM_REG(uint16_t, w, result)[lane] = (uint16_t)old;
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
                          : access->space == SIM_LOCAL  ? SIM_LOCAL_WINDOW
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
    sim_listener *listener = worker->listener;
    if (!listener || !listener->access || !w->mask) return;
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
