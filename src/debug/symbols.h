// What a module's names mean: types, variables in scope, functions by the names the source gives them.
//
// Types are made of DWARF entries when first asked for, and live as long as the symbols. Without DWARF (only
// -lineinfo) there are no variables; the built-in types serve registers and casts all the same.
#ifndef DEBUG_SYMBOLS_H
#define DEBUG_SYMBOLS_H

#include "debug/dwarf.h"

typedef enum debug_kind {
    DEBUG_VOID,
    DEBUG_SIGNED,
    DEBUG_UNSIGNED,
    DEBUG_BOOL,
    DEBUG_CHAR, // printed as a number and a letter
    DEBUG_FLOAT,
    DEBUG_HALF,
    DEBUG_BFLOAT,
    DEBUG_ENUM,
    DEBUG_POINTER, // and references
    DEBUG_ARRAY,
    DEBUG_STRUCT, // and classes and unions
} debug_kind;

typedef struct debug_type debug_type;
typedef struct debug_member {
    const char *name; // NULL: unnamed, its own members are found through it
    const debug_type *type;
    uint64_t offset;
} debug_member;
struct debug_type {
    debug_kind kind;
    bool is_signed; // of an enumeration or a character
    bool is_reference;
    uint64_t bytes;
    const char *name;
    const debug_type *target; // POINTER, ARRAY
    uint64_t count;           // ARRAY
    debug_member *members;
    uint32_t member_count;
    const debug_die *die;       // ENUM: its enumerators are the children
    const debug_type *alias_of; // typedef, const and the like: what it is another name for
};

// The type behind a typedef or a const; use it before looking at anything but the name.
static inline const debug_type *debug_type_real(const debug_type *type) {
    return type->alias_of ? type->alias_of : type;
}

typedef struct debug_symbols debug_symbols;
// Never fails for want of variables: `note` then says why there are none.
kz_status debug_symbols_open(const ptx_module *module, debug_symbols **symbols, kz_error *error);
void debug_symbols_close(debug_symbols *symbols);
const ptx_module *debug_symbols_module(const debug_symbols *symbols);
const debug_dwarf *debug_symbols_dwarf(const debug_symbols *symbols);
const char *debug_symbols_note(const debug_symbols *symbols); // NULL where variables are known

// ---- types ---------------------------------------------------------------------------------------------

const debug_type *debug_type_of(debug_symbols *symbols,
                                const debug_die *die); // of a type's entry; NULL: void
const debug_type *debug_type_builtin(debug_symbols *symbols, debug_kind kind, unsigned bytes);
const debug_type *debug_type_pointer(debug_symbols *symbols, const debug_type *target);
const debug_type *debug_type_array(debug_symbols *symbols, const debug_type *target, uint64_t count);
const debug_type *debug_type_dimensions(debug_symbols *symbols); // of threadIdx and its like: x, y, z
// By its name in the source: "float", "unsigned int", "point"; NULL where there is none.
const debug_type *debug_type_named(debug_symbols *symbols, const char *name);
const char *debug_enumerator(const debug_type *type, int64_t value); // NULL where none has it

// ---- names -----------------------------------------------------------------------------------------------

// The function that holds this instruction; NULL where the number is beyond the module.
const ptx_function *debug_function_at(const ptx_module *module, uint32_t serial);
const ptx_inst *debug_inst_at(const ptx_module *module, uint32_t serial);
// "kernel" for _Z6kernelPKf: the name as the source has it, as far as it can be told. Into `to`.
void debug_function_name(const debug_symbols *symbols, const ptx_function *function, char *to, size_t size);
bool debug_is_named(const char *known, const char *name); // "add" means add<float> too
bool debug_function_is(const debug_symbols *symbols, const ptx_function *function, const char *name);
// "tile" for _ZZ6kernelPKfE4tile. Into `to`.
void debug_variable_name(const ptx_variable *variable, char *to, size_t size);
// A line of the source; `file` is an index into the module's files, UINT32_MAX where it is not known.
typedef struct debug_line {
    uint32_t file, line;
} debug_line;

// Where an instruction is, as the user sees it: the functions that the compiler inlined, the innermost
// first, and at last the function itself, each with its line. Inner ones that are headers of the toolkit's
// are left out where somebody else called them.
enum { DEBUG_CALLS = 64 };
typedef struct debug_call {
    debug_line at;
    bool inlined;
    char name[128];         // "" for the function itself
    const debug_die *scope; // NULL: not known, so are its parameters
} debug_call;
unsigned debug_calls_at(debug_symbols *symbols, const ptx_inst *inst, debug_call calls[DEBUG_CALLS]);
// The innermost line of those; where `most` is less than the functions inlined, an outer one.
debug_line debug_line_at(debug_symbols *symbols, const ptx_inst *inst, uint32_t most, uint32_t *inlined);

// The variable that `name` means at this instruction: the innermost scope first, then the module's own.
const debug_die *debug_find_variable(const debug_symbols *symbols, const char *name, uint32_t serial);
// Calls `visit` for each variable of the function in scope, the innermost first: its parameters, or the
// others.
void debug_each_variable(const debug_symbols *symbols, uint32_t serial, bool parameters,
                         void (*visit)(void *context, const debug_die *variable), void *context);

#endif
