// Memory on the stack whose size is known only at run time: alloca, stacksave, stackrestore.
//
// It is taken from the end of each lane's local memory downwards, apart from the frames of calls, which grow
// upwards. A function that returns gives back what it took (warp.c).

#include "sim/decode.h"

static uint64_t value_of(const sim_warp *w, const sim_op *op, uint32_t at, unsigned lane) {
    return op->aux8 == 64 ? SIM_REG(uint64_t, w, at)[lane] : SIM_REG(uint32_t, w, at)[lane];
}

// An address in local memory.
static void give(sim_warp *w, const sim_op *op, unsigned lane, uint32_t offset) {
    uint32_t value = offset + (uint32_t)SIM_LOCAL_FIRST;
    if (op->aux8 == 64)
        SIM_REG(uint64_t, w, op->d)[lane] = value;
    else
        SIM_REG(uint32_t, w, op->d)[lane] = value;
}

static void stack_take(sim_warp *w, const sim_op *op) {
    const sim_kernel *k = w->block->grid->kernel;
    uint32_t low = k->local_room - k->stack_bytes;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t bytes = value_of(w, op, op->a, lane);
        uint32_t top = w->stack_top[lane];
        if (bytes > top - low || ((top - (uint32_t)bytes) & ~(uint32_t)(op->aux - 1)) < low)
            sim_fault_here(w, op, lane, SIM_FAULT_STACK,
                           "stack overflow: alloca of %llu bytes, where %u of %u are left\nlikely cause: an "
                           "alloca in a loop, which is given back only when the function returns; "
                           "cudaDeviceSetLimit(cudaLimitStackSize, bytes) allows more",
                           (unsigned long long)bytes, top - low, k->stack_bytes);
        w->stack_top[lane] = (top - (uint32_t)bytes) & ~(uint32_t)(op->aux - 1);
        give(w, op, lane, w->stack_top[lane]);
    }
}

static void stack_save(sim_warp *w, const sim_op *op) {
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        give(w, op, lane, w->stack_top[lane]);
    }
}

static void stack_restore(sim_warp *w, const sim_op *op) {
    const sim_kernel *k = w->block->grid->kernel;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t top = value_of(w, op, op->a, lane) - SIM_LOCAL_FIRST;
        if (top > k->local_room || top < w->stack_top[lane])
            sim_fault_here(w, op, lane, SIM_FAULT_STACK, "stackrestore of 0x%llx, which no stacksave gave",
                           (unsigned long long)(top + SIM_LOCAL_FIRST));
        w->stack_top[lane] = (uint32_t)top;
    }
}

bool sim_uses_stack(const ptx_function *f) {
    for (uint32_t i = 0; i < f->inst_count; i++)
        if (f->insts[i].op == PTX_OP_ALLOCA) return true;
    return false;
}

bool sim_select_stack(sim_decoder *d, const ptx_inst *inst, sim_op *op) {
    const ptx_operand *o = inst->operands;
    if (inst->op != PTX_OP_ALLOCA && inst->op != PTX_OP_STACKSAVE && inst->op != PTX_OP_STACKRESTORE)
        return false;
    ptx_type type = inst->types[0];
    op->aux8 = (uint8_t)ptx_type_bits(type);
    if (inst->op == PTX_OP_STACKRESTORE) {
        op->a = sim_source(d, &o[0], type);
        op->full = op->masked = stack_restore;
        return true;
    }
    op->d = sim_destination(d, &o[0], type);
    op->full = op->masked = inst->op == PTX_OP_ALLOCA ? stack_take : stack_save;
    if (inst->op == PTX_OP_STACKSAVE) return true;
    op->a = sim_source(d, &o[1], type);
    op->aux = inst->operand_count > 2 ? (uint64_t)o[2].value : 8;
    return inst->operand_count < 3 || (o[2].kind == PTX_OPERAND_INT && o[2].value > 0 && o[2].value <= 4096 &&
                                       !(o[2].value & (o[2].value - 1)));
}
