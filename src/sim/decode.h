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

// ---- decode_frame.c ----

unsigned sim_slot_bits(ptx_type type); // of the slot that a register of this type has: 1, 16, 32, 64 or 128
uint32_t sim_frame_take(sim_code *code, unsigned bits);
// Room for one more in a list of the kernel's arena; `list` points at the list's pointer.
bool sim_grow(sim_decoder *decoder, void *list, uint32_t count, uint32_t *capacity, size_t element);
bool sim_is_kernel_param(const sim_decoder *decoder, const ptx_variable *variable);
void sim_place_shared(sim_decoder *decoder, const sim_code *code); // what it declares and never names too
const sim_variable_slot *sim_local_slot(const sim_decoder *decoder, const ptx_variable *variable);
bool sim_is_clock(ptx_special special);
bool sim_changes_by_block(const sim_constant *constant);
sim_op *sim_add_op(sim_decoder *decoder);

// ---- decode_inst.c ----

// Gives registers that are constant the constant's slot.
void sim_share_constants(sim_decoder *decoder);
void sim_decode_plain(sim_decoder *decoder, const ptx_inst *inst);
void sim_decode_end(sim_decoder *decoder, const ptx_inst *inst, ptx_end end);
sim_builtin sim_builtin_of(const char *name);

// ---- stack.c ----

bool sim_uses_stack(const ptx_function *function); // it has an alloca
bool sim_select_stack(sim_decoder *decoder, const ptx_inst *inst, sim_op *op);

// ---- decode_basic_block.c ----

void sim_decode_function(sim_decoder *decoder, sim_code *code);

// ---- sampling.c: tex, tld4, suld, sust, txq, suq ----
bool sim_select_texture(sim_decoder *decoder, const ptx_inst *inst, sim_op *op);

#endif
