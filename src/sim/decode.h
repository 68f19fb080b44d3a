// The decoder's state, for decode.c and the selectors of exec_memory.c.
#ifndef SIM_DECODE_H
#define SIM_DECODE_H

#include "sim/core.h"

struct sim_decoder {
    sim_kernel *kernel;
    sim_code *code;
    const ptx_inst *inst; // the one being decoded
    const sim_isa *isa;
    kz_error *error;
    kz_status status;
    unsigned unsupported_count;
    sim_op nowhere; // taken when an operation could not be added; never executed
};

// The slot of a constant in the frame.
uint32_t sim_constant_at(sim_decoder *decoder, sim_constant wanted);
uint32_t sim_constant_bits(sim_decoder *decoder, unsigned width, uint64_t bits);

// Resolves an ADDRESS operand into op->a and op->offset; gives the width of the base in bits
// (`constant_bits` where the whole address is known).
unsigned sim_address(sim_decoder *decoder, const ptx_operand *operand, unsigned constant_bits, sim_op *op);

// Whether a .param address means a thread's own memory (a call's parameters), not the kernel's parameters.
bool sim_param_is_local(sim_decoder *decoder, const ptx_operand *operand);

#endif
