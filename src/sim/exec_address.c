// Addresses from one space to another, and to which space one belongs: cvta, isspacep.

#include "sim/exec_memory.h"

#include "sim/exec.h"

static void SIM_NAME(cvta_add)(sim_warp *w, const sim_op *op) {
    for (int i = 0; i < SIM_LANES; i++) {
        if (!(w->mask >> i & 1)) continue;
        uint64_t a = op->aux8 == 64 ? SIM_REG(uint64_t, w, op->a)[i] : SIM_REG(uint32_t, w, op->a)[i];
        if (op->aux16 == 64)
            SIM_REG(uint64_t, w, op->d)[i] = a + op->aux;
        else
            SIM_REG(uint32_t, w, op->d)[i] = (uint32_t)(a + op->aux);
    }
}

static void SIM_NAME(isspacep)(sim_warp *w, const sim_op *op) {
    uint32_t result = 0;
    for (int i = 0; i < SIM_LANES; i++) {
        uint64_t a = op->aux8 == 64 ? SIM_REG(uint64_t, w, op->a)[i] : SIM_REG(uint32_t, w, op->a)[i];
        bool in = op->aux == SIM_GLOBAL_BASE ? a >= SIM_GLOBAL_BASE
                                             : a >= op->aux && a - op->aux < SIM_WINDOW_BYTES;
        uint64_t rank = (a - op->aux) >> 24; // of another block of the cluster, plus 1; 0: the block's own
        if (op->aux16 && in) in = rank == 0 || rank == w->block->rank + UINT64_C(1);
        result |= (uint32_t)in << i;
    }
    SIM_PRED(w, op->d) = (SIM_PRED(w, op->d) & ~w->mask) | (result & w->mask);
}

bool SIM_NAME(sim_select_address)(sim_decoder *decoder, const ptx_inst *inst, sim_op *op) {
    if (inst->op == PTX_OP_CVTA && sim_cvta_form(decoder, inst, op)) {
        op->full = op->masked = SIM_NAME(cvta_add);
        return true;
    }
    if (inst->op == PTX_OP_ISSPACEP && sim_isspacep_form(decoder, inst, op)) {
        op->full = op->masked = SIM_NAME(isspacep);
        return true;
    }
    return false;
}
