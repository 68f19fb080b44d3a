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

#include "sim/matrix.h"
#include "sim/sim.h"

enum { SIM_LANES = 32 };
#define SIM_ALL     UINT32_C(0xffffffff)
#define SIM_NOWHERE UINT32_MAX // "no such operand" among frame offsets

typedef struct sim_op sim_op;
typedef struct sim_block sim_block;
typedef struct sim_decoder sim_decoder;
typedef struct sim_extent sim_extent;

typedef void (*sim_exec)(sim_warp *warp, const sim_op *op);

struct sim_op {
    sim_exec full;       // every lane is active
    sim_exec masked;     // only the lanes of warp->mask; warp->lanes[] is that mask, expanded
    uint32_t d, a, b, c; // frame offsets in bytes; SIM_NOWHERE where absent
    int32_t guard;       // frame offset of the guard predicate, or -1
    bool guard_negated;
    uint8_t aux8;
    uint16_t aux16;
    int64_t offset; // of an address operand; or whatever the instruction needs
    uint64_t aux;
    const ptx_inst *inst;
};

// Lanes that are at the same instruction: the unit of scheduling inside a warp.
typedef enum sim_path_state {
    SIM_PATH_READY,
    SIM_PATH_AT_BARRIER,
    SIM_PATH_AT_SYNC,
    SIM_PATH_AT_CLUSTER, // at the cluster's barrier; barrier_op and basic block as at a block's
} sim_path_state;
typedef struct sim_path {
    uint32_t mask;
    uint32_t basic_block; // index into kernel->basic blocks: where it stands
    uint32_t frame;       // index into warp->frames
    sim_path_state state;
    bool at_end;      // the basic block's operations are done, its end is not
    uint32_t barrier; // AT_BARRIER: which; its basic block is the one to go on with
    const sim_op *barrier_op;
    uint32_t sync_mask; // AT_SYNC: the membermask; its basic block ends with the operation
} sim_path;

// The registers of one call. Its lanes entered together, so they all return to one instruction.
typedef struct sim_frame {
    uint32_t at, bytes; // in the warp's register file
    uint32_t local;     // where its variables begin in each lane's stack
    uint32_t stack;     // what a GPU's stack holds with it, at least
    uint32_t lanes;     // that have not returned
    uint32_t caller;    // index of the caller's frame
    uint32_t back;      // the basic block to return to
    const void *call;   // sim_call
    const void *code;   // sim_code: its constants are in the frame
} sim_frame;

struct sim_warp {
    uint8_t *frame;                                         // the registers of the function that runs
    uint32_t mask;                                          // active lanes of the instruction in flight
    uint32_t lanes_mask;                                    // what lanes[] holds, expanded
    uint32_t lanes[SIM_LANES] __attribute__((aligned(64))); // 0 or ~0, for masked operations
    sim_block *block;
    sim_extent *extents; // the worker's cache of allocations, one entry per memory operation
    uintptr_t global;    // the host's address of simulated address 0: add a global address to it
    uint8_t *shared;     // the block's shared memory
    uint32_t shared_bytes;
    bool attention;     // somebody wants to know of every access: a listener, or the search for a deadlock
    bool observed;      // a listener wants to know of every instruction
    bool ends_observed; // or of branches
    bool in_detail;     // of the run that is executed, the listener wants every step
    uint32_t index;     // in the block
    uint32_t exited;    // lanes that are gone (or never were)
    uint8_t *registers; // the register file: frames of all calls
    uint8_t *local;     // the lanes' stacks, see sim_local
    sim_frame *frames;  // a stack; freed ones on top are dropped
    uint32_t frame_count, frame_capacity;
    uint32_t
        frames_filled; // so many from the first hold constants, also when they are free: a call may find its own
    uint32_t path_count, current;
    sim_path paths[SIM_LANES];
    uint64_t issued; // instructions, for %clock and limits
    bool spun;       // in this slice: read something that another thread may be about to change
    bool fair;       // the next slice goes to a path chosen by turn, not by position
    uint32_t turn;
    uint16_t register_count;                 // of a thread, by setmaxnreg; 0: as many as at first
    uint32_t register_changes;               // setmaxnregs, and
    const sim_op *register_op;               // the last of them
    uint32_t stack_top[SIM_LANES];           // alloca takes below
    uint32_t cluster_arrived, cluster_phase; // lanes that have arrived and not waited, and in which parity
};

// Local memory lies interleaved, as on a GPU: 16 bytes of lane 0, the same 16 of lane 1, and so on. Lanes at one
// offset, the usual case, then share cache lines and pages; one stack after the other would put them a power of
// two apart, where they evict each other. 16 bytes are the widest access, so each is in one piece.
enum { SIM_LOCAL_PIECE = 16 };
static inline uint8_t *sim_local(const sim_warp *warp, unsigned lane, uint64_t offset) {
    uint64_t piece = offset / SIM_LOCAL_PIECE * SIM_LANES + lane;
    return warp->local + piece * SIM_LOCAL_PIECE + offset % SIM_LOCAL_PIECE;
}

#define SIM_REG(type, warp, at) ((type *)__builtin_assume_aligned((warp)->frame + (at), 64))
#define SIM_PRED(warp, at)      (*(uint32_t *)((warp)->frame + (at)))

// ---- for the selectors in exec_*.c ---------------------------------------------------------------

// The frame offset that holds this source operand as a value of `type`: a register's slot, or a
// constant's (broadcast to all lanes in the width of `type`; predicates: 0 or ~0).
uint32_t sim_source(sim_decoder *decoder, const ptx_operand *operand, ptx_type type);
// The frame offset of a destination; a slot nobody reads for "_".
uint32_t sim_destination(sim_decoder *decoder, const ptx_operand *operand, ptx_type type);
// Width in bits of the register behind an operand (16, 32, 64, 128; 1 for a predicate); for an
// immediate, that of `type` (at least 16).
unsigned sim_operand_bits(sim_decoder *decoder, const ptx_operand *operand, ptx_type type);
// The frame offset of the carry of add.cc and its kin: a mask of lanes.
uint32_t sim_carry(sim_decoder *decoder);
// Memory that lives as long as the decoded kernel, for what does not fit in a sim_op.
void *sim_keep(sim_decoder *decoder, size_t bytes);

// Each selector sets full, masked and the offsets for the instructions it knows and returns true;
// false where the instruction is not its own. Guards are handled by the caller.
// One such table per instruction set.
typedef struct sim_isa {
    const char *name;
    bool (*select_arith)(sim_decoder *decoder, const ptx_inst *inst,
                         sim_op *op); // integer, logic, float, half, compare, select, bits
    bool (*select_convert)(sim_decoder *decoder, const ptx_inst *inst, sim_op *op); // cvt, and cvt.pack
    bool (*select_video)(sim_decoder *decoder, const ptx_inst *inst,
                         sim_op *op); // dp2a, dp4a, vadd ... vset4
    bool (*select_memory)(sim_decoder *decoder, const ptx_inst *inst,
                          sim_op *op); // ld, st, ldu, atom, red, cvta, isspacep
    // Accesses to shared memory through one base register can share what is known of it: `summary` finds it
    // out.
    bool (*can_share_base)(const sim_op *access);
    bool (*share_base)(sim_op *access, sim_op *summary);
    matrix_unpack *unpack_side;
    matrix_multiply *multiply_sides;
    matrix_multiply_f64 *multiply_f64;
    matrix_multiply_m8n8k4 *multiply_m8n8k4;
    matrix_unpack_rows *unpack_rows; // these three may be NULL
    matrix_unpack_columns *unpack_columns;
    matrix_multiply_tile *multiply_tile;
} sim_isa;

extern const sim_isa sim_isa_portable;
#if defined(__x86_64__) && !defined(SIM_PORTABLE_ALONE)
#define SIM_HAS_AVX2 1
extern const sim_isa sim_isa_avx2, sim_isa_avx512; // the latter for products of matrices, else as AVX2
bool sim_isa_has_avx2(void);                       // and what the set is compiled with beside it
bool sim_isa_has_avx512(void);
#endif
const sim_isa *sim_isa_best(void);        // what this CPU can run
kz_status sim_isa_check(kz_error *error); // an error where KZ_SIM_ISA asks for what there is not

#define SIM_JOIN_(a, b) a##_##b
#define SIM_JOIN(a, b)  SIM_JOIN_(a, b)
// The name of a function that exists once per instruction set: SIM_NAME(add_u32) -> add_u32_avx2
#define SIM_NAME(name) SIM_JOIN(name, SIM_ISA)

#endif
