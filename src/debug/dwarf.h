// DWARF (versions 2 to 4) as nvcc -G writes it into PTX: entries with the attributes a debugger asks for.
//
// The addresses of code are serial numbers of instructions (ptx_section). A register is named in
// DW_OP_regx by its name: the letters "%r12", packed big-endian into the operand. Everything lives in one
// arena; names and locations point into the module's sections, so the module must live longer.
#ifndef DEBUG_DWARF_H
#define DEBUG_DWARF_H

#include "ptx/ptx.h"

// DEBUG_TAG(ID, code): the tags that are understood; others are kept with their number.
#define DEBUG_TAGS(_)                                                                                        \
    _(ARRAY, 0x01)                                                                                           \
    _(CLASS, 0x02)                                                                                           \
    _(ENUMERATION, 0x04)                                                                                     \
    _(PARAMETER, 0x05)                                                                                       \
    _(BLOCK, 0x0b)                                                                                           \
    _(MEMBER, 0x0d)                                                                                          \
    _(POINTER, 0x0f)                                                                                         \
    _(REFERENCE, 0x10)                                                                                       \
    _(UNIT, 0x11)                                                                                            \
    _(STRUCTURE, 0x13)                                                                                       \
    _(TYPEDEF, 0x16)                                                                                         \
    _(UNION, 0x17)                                                                                           \
    _(INHERITANCE, 0x1c)                                                                                     \
    _(INLINED, 0x1d)                                                                                         \
    _(SUBRANGE, 0x21)                                                                                        \
    _(BASE, 0x24)                                                                                            \
    _(CONST, 0x26)                                                                                           \
    _(ENUMERATOR, 0x28)                                                                                      \
    _(SUBPROGRAM, 0x2e)                                                                                      \
    _(VARIABLE, 0x34)                                                                                        \
    _(VOLATILE, 0x35)                                                                                        \
    _(RESTRICT, 0x37)                                                                                        \
    _(NAMESPACE, 0x39)                                                                                       \
    _(RVALUE, 0x42)
enum {
#define DEBUG_TAG(id, code) DEBUG_TAG_##id = code,
    DEBUG_TAGS(DEBUG_TAG)
#undef DEBUG_TAG
};

typedef struct debug_bytes {
    const uint8_t *data;
    uint64_t size;
    uint64_t offset; // of `data` in its section, to find references to variables
} debug_bytes;

typedef struct debug_part { // of a module that was linked from several
    const ptx_section *info, *abbreviations, *strings, *locations;
    uint32_t number;
} debug_part;

typedef struct debug_die debug_die;
struct debug_die {
    uint64_t offset; // in .debug_info; in the upper half the part's number
    uint16_t tag;
    const debug_part *part;
    const debug_die *parent, *child, *next; // child: the first
    const debug_die *type;                  // NULL: none, or void
    const debug_die *origin;                // abstract_origin or specification
    const char *name, *linkage_name;        // NULL where absent
    uint64_t low, high;                     // [low, high): serial numbers; equal where there is no range
    debug_bytes location;                   // an expression; data NULL where there is none
    uint64_t location_list;                 // offset into .debug_loc, or UINT64_MAX
    uint64_t bytes;                         // byte_size
    uint64_t count;                         // subrange: elements; UINT64_MAX where not known
    uint64_t member_at;                     // offset in the structure
    int64_t value;                          // const_value, where has_value
    uint32_t line;
    uint32_t call_file, call_line; // of a function inlined: a number of .file, and a line
    uint8_t encoding;              // of a base type: DW_ATE_*
    uint8_t address_class; // 2 register, 4 constant, 5 global, 6 local, 7 parameter, 8 shared, 12 generic
    bool has_value, is_bits, is_artificial;
};

typedef struct debug_dwarf {
    base_arena *arena;
    const ptx_module *module;
    const debug_die *units; // a list by `next`
    const debug_die **all;  // by part and offset
    size_t count;
} debug_dwarf;

// KZ_OK with no units where the module has no .debug_info. KZ_SYNTAX where it cannot be understood.
kz_status debug_dwarf_open(const ptx_module *module, debug_dwarf *dwarf, kz_error *error);
void debug_dwarf_close(debug_dwarf *dwarf);
bool debug_dwarf_has_variables(const debug_dwarf *dwarf);

const char *debug_die_name(const debug_die *die);      // its own, or its origin's; NULL where neither
const debug_die *debug_die_type(const debug_die *die); // its own, or its origin's
bool debug_die_covers(const debug_die *die, uint32_t serial);

// ---- where a variable is -------------------------------------------------------------------------------

typedef enum debug_location_kind {
    DEBUG_NOWHERE, // optimised away, or not yet, or not understood
    DEBUG_IN_REGISTER,
    DEBUG_IN_VARIABLE, // of the PTX module: at its address plus `offset`
    DEBUG_IS_VALUE,    // a constant
} debug_location_kind;
typedef struct debug_location {
    debug_location_kind kind;
    char reg[24]; // "%r12"
    const ptx_variable *variable;
    int64_t offset;
    uint64_t value;
    bool indirect; // the register, or the variable, holds the address
} debug_location;
// Where the entry's value is at this instruction.
debug_location debug_dwarf_locate(const debug_dwarf *dwarf, const debug_die *die, uint32_t serial);

#endif
