// The front of the arithmetic selectors: tries them in turn.
#include "sim/exec.h"

bool SIM_NAME(sim_select_arith)(sim_decoder *decoder, const ptx_inst *inst, sim_op *op) {
    return SIM_NAME(sim_select_move)(decoder, inst, op) || SIM_NAME(sim_select_integer)(decoder, inst, op) ||
           SIM_NAME(sim_select_bits)(decoder, inst, op) || SIM_NAME(sim_select_compare)(decoder, inst, op) ||
           SIM_NAME(sim_select_float)(decoder, inst, op) || SIM_NAME(sim_select_special)(decoder, inst, op) ||
           SIM_NAME(sim_select_half)(decoder, inst, op);
}
