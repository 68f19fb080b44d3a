// What the memory instructions share whatever the instruction set: access.c has it, exec_memory.c uses it.
#ifndef SIM_EXEC_MEMORY_H
#define SIM_EXEC_MEMORY_H

#include "sim/decode.h"

typedef enum memory_space {
    MEMORY_GENERIC,
    MEMORY_GLOBAL,
    MEMORY_SHARED,
    MEMORY_LOCAL,
    MEMORY_PARAM
} memory_space;

// How the addresses of lanes lie.
typedef enum pattern { SCATTERED, UNIFORM, CONTIGUOUS, STRIDED } pattern;

enum { MEMORY_ELEMENTS = 8 };

// The shape of a load, store or atomic; sim_op.aux points at it, sim_op.c is its entry in warp->extents.
typedef struct memory_form {
    memory_space space;
    uint8_t bytes;     // of an element: 1, 2, 4, 8, 16
    uint8_t count;     // elements per lane
    uint8_t base_bits; // of the address register
    uint8_t reg_bits;  // of the data registers: 16, 32, 64, 128
    bool is_signed, is_store, is_volatile, is_const;
    bool is_cluster;                // .shared::cluster: perhaps another block's
    uint32_t regs[MEMORY_ELEMENTS]; // SIM_NOWHERE for "_"
    // atomics
    ptx_type type;
    ptx_mod operation;                // ADD, MIN, ..., AND, OR, XOR, EXCH, CAS
    uint32_t result[MEMORY_ELEMENTS]; // SIM_NOWHERE for red
    uint32_t compare;                 // cas: the value expected
} memory_form;

typedef struct memory_hosts { // where each lane's data lies in the host's memory
    uint8_t *lane[SIM_LANES];
} memory_hosts;

// Each fills `op` and the form it keeps; NULL or false where the instruction is not of a known shape.
const memory_form *sim_memory_form(sim_decoder *decoder, const ptx_inst *inst, sim_op *op);
const memory_form *sim_atomic_form(sim_decoder *decoder, const ptx_inst *inst, sim_op *op);
bool sim_cvta_form(sim_decoder *decoder, const ptx_inst *inst, sim_op *op);
bool sim_isspacep_form(sim_decoder *decoder, const ptx_inst *inst, sim_op *op);

// The host's address of what a lane accesses, or a fault that ends the launch.
uint8_t *sim_resolve(sim_warp *warp, const sim_op *op, memory_space space, unsigned lane, uint64_t address,
                     unsigned bytes, bool write);
// Puts the allocation that holds [address, address + bytes) into the operation's extent; false where there is
// none.
bool sim_extent_find(sim_warp *warp, const sim_op *op, uint64_t address, uint64_t bytes, bool write);

// *at becomes operation(*at, *from), one element of the form's type, whose other members are not looked at.
void sim_atomic_apply(const memory_form *form, uint8_t *at, const uint8_t *from, bool alone, bool shared);

// Tells the listener of an access about to happen, and notes whether a store will change anything. The lanes'
// addresses are computed by vector code: SIM_NAME(sim_notice_access) in exec_memory.c.
void sim_notice_addresses(sim_warp *warp, const sim_op *op, uint64_t *addresses);
#ifdef SIM_ISA
void SIM_NAME(sim_notice_access)(sim_warp *warp, const sim_op *op);
// Where the lanes of `mask` find their data, when all of them lie in one space and, in global memory, in one
// allocation; false where a lane has to be looked at alone, perhaps to tell what is wrong with it.
bool SIM_NAME(sim_find_hosts)(sim_warp *warp, const sim_op *op, uint32_t mask, bool write,
                              memory_hosts *hosts);
// Where one lane does, or a fault that ends the launch.
uint8_t *SIM_NAME(sim_lane_host)(sim_warp *warp, const sim_op *op, unsigned lane, bool write);
void SIM_NAME(sim_pick_atomic)(const memory_form *form, sim_op *op); // exec_atomic.c
// What suits a plain access to a space better than lane by lane, if any: exec_global.c, exec_shared.c, exec_local.c.
void SIM_NAME(sim_pick_global)(const memory_form *form, sim_op *op);
void SIM_NAME(sim_pick_shared)(const memory_form *form, sim_op *op);
void SIM_NAME(sim_pick_local)(const memory_form *form, sim_op *op);

// True where each of 32 accesses lies in [low, low + room) and is aligned to its size, a power of two. No branch
// and no comparison: of an offset past the end, it or its distance to the end has the highest bit.
static inline bool are_inside(const uint64_t *at, uint64_t low, uint64_t room, uint64_t bytes) {
    uint64_t limit = room - bytes, over = 0, bits = 0;
    for (int i = 0; i < SIM_LANES; i++) {
        uint64_t offset = at[i] - low;
        over |= offset | (limit - offset);
        bits |= at[i];
    }
    return !(over >> 63 | (bits & (bytes - 1)));
}
#endif

#endif
