// What the table of instructions (ops.def) says of one, as C. The columns of a row are facts of the
// instruction itself; the layers above ask for them here and keep no lists of instructions of their own.
#ifndef PTX_OPS_H
#define PTX_OPS_H

#include <stdbool.h>
#include <stdint.h>

// PTX_OP(ID, "root", ...): one id per root; a root may have several dotted parts ("cp.async.bulk").
typedef enum ptx_op {
    PTX_OP_NONE,
#define PTX_OP(id, root, ...) PTX_OP_##id,
#include "ptx/ops.def"
#undef PTX_OP
    PTX_OP_COUNT
} ptx_op;

typedef enum ptx_support {
    PTX_SUPPORT_SIMULATED,
    PTX_SUPPORT_NOTHING, // accepted, without effect
    PTX_SUPPORT_TEXTURE,
    PTX_SUPPORT_MULTIMEM,
} ptx_support;

// A switch over classes has no default, so that the compiler names the place a new class was forgotten in.
typedef enum ptx_class {
    PTX_CLASS_OTHER,
    PTX_CLASS_ARITHMETIC, // on the type written last: set.u32.f32 compares floats
    PTX_CLASS_SPECIAL,    // arithmetic that the special function unit takes part in where the type is a float
    PTX_CLASS_LOGIC,      // bits, shifts, fields
    PTX_CLASS_MOVE,       // copies, choices, addresses
    PTX_CLASS_CONVERSION,
    PTX_CLASS_VIDEO, // takes parts of registers
    PTX_CLASS_LOAD,
    PTX_CLASS_STORE,
    PTX_CLASS_ATOMIC,    // gives the old value
    PTX_CLASS_REDUCTION, // an atomic that gives nothing
    PTX_CLASS_TEXTURE_LOAD,
    PTX_CLASS_TEXTURE_STORE,
    PTX_CLASS_ASYNC, // asynchronous copies and mbarriers
    PTX_CLASS_FENCE,
    PTX_CLASS_BARRIER, // of a block or a cluster
    PTX_CLASS_SHUFFLE,
    PTX_CLASS_VOTE,
    PTX_CLASS_WARP, // other synchronisation of a warp
    PTX_CLASS_TENSOR,
    PTX_CLASS_CONTROL,
    PTX_CLASS_COUNT
} ptx_class;

typedef enum ptx_flops {
    PTX_FLOPS_0,
    PTX_FLOPS_1,
    PTX_FLOPS_2,
    PTX_FLOPS_SHAPE, // 2 m n k of the shape
} ptx_flops;

// How an instruction ends a basic block: everything that can make lanes diverge, reconverge, wait or leave.
typedef enum ptx_end {
    PTX_END_FALL,   // it does not: execution falls through to the next instruction
    PTX_END_BRANCH, // guarded or not
    PTX_END_TABLE,  // a branch by table
    PTX_END_CALL,
    PTX_END_RETURN, // guarded or not; from an entry it is an exit
    PTX_END_EXIT,
    PTX_END_BARRIER,   // arrives at a barrier of the block and waits
    PTX_END_ARRIVE,    // arrives at a barrier of the block and goes on
    PTX_END_SYNC,      // waits for lanes of the warp
    PTX_END_YIELD,     // lets others run
    PTX_END_REGISTERS, // gives registers of the warp to its block, or waits for some
    PTX_END_CLUSTER,   // waits at the barrier of the cluster
    PTX_END_TRAP,
} ptx_end;

// When the order in which blocks run can be told from what an instruction does. "Outside" is memory that is
// not the block's own.
typedef enum ptx_effect {
    PTX_EFFECT_PRIVATE,   // never
    PTX_EFFECT_ATOMIC,    // outside: the value that comes back
    PTX_EFFECT_REDUCTION, // outside, where the order of the operations shows in the result
    PTX_EFFECT_STRONG,  // outside, where the access is strong: volatile, relaxed, acquire, release, uncached
    PTX_EFFECT_FENCE,   // where its scope goes beyond the cluster
    PTX_EFFECT_HEAP,    // where it calls malloc or free of the device
    PTX_EFFECT_CLUSTER, // between the blocks of one cluster
} ptx_effect;

// Which bits of the result depend on which bits of the sources a, b, c. The detector of undefined values has
// one rule for each. A source in brackets is followed through memory, byte by byte, whatever is said here.
typedef enum ptx_bits {
    PTX_BITS_WHOLE,    // all on all; of packed numbers, each on its own
    PTX_BITS_NONE,     // no result
    PTX_BITS_MEMORY,   // bytes of memory
    PTX_BITS_EXCHANGE, // values of other lanes
    PTX_BITS_COPY,     // each on its own
    PTX_BITS_AND,
    PTX_BITS_OR,
    PTX_BITS_XOR,
    PTX_BITS_LOP3,
    PTX_BITS_SHIFT_LEFT,
    PTX_BITS_SHIFT_RIGHT,
    PTX_BITS_FUNNEL_SHIFT,
    PTX_BITS_EXTRACT, // a field
    PTX_BITS_INSERT,  // a field
    PTX_BITS_PERMUTE, // bytes
    PTX_BITS_REVERSE,
    PTX_BITS_COUNT_ONES,
    PTX_BITS_LEADING_ZEROS,
    PTX_BITS_IS_ZERO,
    PTX_BITS_COMPARE,        // a with b, all ones or zeros
    PTX_BITS_PREDICATE,      // a with b, to one or two predicates
    PTX_BITS_SELECT,         // a or b, by predicate c
    PTX_BITS_SELECT_BY_SIGN, // a or b, by the sign of c
    PTX_BITS_CONVERT,
    PTX_BITS_COPY_SIGN, // a's sign, the rest of b
    PTX_BITS_MAGNITUDE, // without the sign
    PTX_BITS_NEGATE,
    PTX_BITS_SUM, // a carry goes upwards
    PTX_BITS_DIFFERENCE,
    PTX_BITS_PRODUCT,
    PTX_BITS_PRODUCT_SUM,
    PTX_BITS_CARRY, // all, on the carry flag too
    PTX_BITS_LESSER,
    PTX_BITS_GREATER,
    PTX_BITS_COUNT
} ptx_bits;

// A row.
typedef struct ptx_op_info {
    const char *root, *operands, *mods, *types, *what;
    uint16_t version, sm;
    ptx_support support;
    ptx_class class;
    ptx_flops flops;
    ptx_end end;
    ptx_effect effect;
    ptx_bits bits;
} ptx_op_info;

const ptx_op_info *ptx_op_get(ptx_op op);
const char *ptx_op_root(ptx_op op);
// Whether its first operand is a destination, as far as the row says.
bool ptx_op_has_destination(ptx_op op);
// A hint the simulator may skip: prefetch, pmevent, ...
bool ptx_has_no_effect(ptx_op op);

#endif
