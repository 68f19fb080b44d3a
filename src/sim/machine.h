// The inside of the simulator: how a decoded kernel and a running warp look.
//
// Registers are arrays of 32 lanes in a frame: 16-bit registers take 64 bytes, 32-bit ones 128,
// 64-bit ones 256, 128-bit ones 512; a predicate is one uint32_t, bit i for lane i. Constants,
// kernel parameters and special registers have slots in the frame too, filled before they are
// read, so that every source operand is a frame offset. Instructions are decoded once into sim_op:
// a pair of functions (all lanes; some lanes) and frame offsets.
//
// The exec_*.c files are compiled once per instruction set (portable; AVX2 with FMA and F16C), with
// SIM_ISA defined to the suffix of every function in them; the decoder asks the table of the best.
#ifndef SIM_MACHINE_H
#define SIM_MACHINE_H

#include "sim/sim.h"

enum { SIM_LANES = 32 };
#define SIM_ALL UINT32_C(0xffffffff)

typedef struct sim_warp sim_warp;
typedef struct sim_op sim_op;
typedef struct sim_block sim_block;
typedef struct sim_decoder sim_decoder;

typedef void (*sim_exec)(sim_warp *warp, const sim_op *op);

struct sim_op {
    sim_exec full;   // every lane is active
    sim_exec masked; // only the lanes of warp->mask; warp->lanes[] is that mask, expanded
    uint32_t d, a, b, c; // frame offsets in bytes; UINT32_MAX where absent
    int32_t guard;       // frame offset of the guard predicate, or -1
    bool guard_negated;
    uint8_t aux8;
    uint16_t aux16;
    int64_t offset;  // of an address operand; or whatever the instruction needs
    uint64_t aux;
    const ptx_inst *inst;
};

struct sim_warp {
    uint8_t *frame; // the registers of the function that runs
    uint32_t mask;  // active lanes of the instruction in flight
    uint32_t lanes_mask; // what lanes[] holds, expanded
    uint32_t lanes[SIM_LANES] __attribute__((aligned(64))); // 0 or ~0, for masked operations
    sim_block *block;
    // Scheduling state follows in warp.c's own struct.
};

#define SIM_REG(type, warp, at) ((type *)__builtin_assume_aligned((warp)->frame + (at), 64))
#define SIM_PRED(warp, at) (*(uint32_t *)((warp)->frame + (at)))

// ---- for the selectors in exec_*.c ---------------------------------------------------------------

// The frame offset that holds this source operand as a value of `type`: a register's slot, or a
// constant's (broadcast to all lanes in the width of `type`; predicates: 0 or ~0).
uint32_t sim_source(sim_decoder *decoder, const ptx_operand *operand, ptx_type type);
// The frame offset of a destination; a slot nobody reads for "_".
uint32_t sim_destination(sim_decoder *decoder, const ptx_operand *operand, ptx_type type);
// Width in bits of the register behind an operand (16, 32, 64, 128; 1 for a predicate); for an
// immediate, that of `type` (at least 16).
unsigned sim_operand_bits(sim_decoder *decoder, const ptx_operand *operand, ptx_type type);

// Each selector sets full, masked and the offsets for the instructions it knows and returns true;
// false where the instruction is not its own. Guards are handled by the caller.
// One such table per instruction set.
typedef struct sim_isa {
    const char *name;
    bool (*select_arith)(sim_decoder *decoder, const ptx_inst *inst, sim_op *op);   // integer, logic, float, half, compare, select, bits
    bool (*select_convert)(sim_decoder *decoder, const ptx_inst *inst, sim_op *op); // cvt, and cvt.pack
    bool (*select_video)(sim_decoder *decoder, const ptx_inst *inst, sim_op *op);   // dp2a, dp4a, vadd ... vset4
    bool (*select_memory)(sim_decoder *decoder, const ptx_inst *inst, sim_op *op);  // ld, st, ldu, atom, red, cvta, isspacep
    bool (*select_warp)(sim_decoder *decoder, const ptx_inst *inst, sim_op *op);    // shfl, vote, match, redux, activemask
} sim_isa;

extern const sim_isa sim_isa_portable;
#if defined(__x86_64__)
extern const sim_isa sim_isa_avx2;
#endif

#define SIM_JOIN_(a, b) a##_##b
#define SIM_JOIN(a, b) SIM_JOIN_(a, b)
// The name of a function that exists once per instruction set: SIM_NAME(add_u32) -> add_u32_avx2
#define SIM_NAME(name) SIM_JOIN(name, SIM_ISA)

#endif
