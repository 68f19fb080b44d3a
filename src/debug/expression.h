// Expressions of C over the variables and registers of one thread, and their values.
#ifndef DEBUG_EXPRESSION_H
#define DEBUG_EXPRESSION_H

#include "debug/symbols.h"
#include "sim/inspect.h"

// Where an expression is to be understood: a lane, in one of its calls, at an instruction.
typedef struct debug_context {
    const sim_warp *warp;
    uint32_t lane, frame;
    const ptx_inst *inst; // NULL: the end of the function
    debug_symbols *symbols;
} debug_context;

// A value in memory has an address and is read when needed; any other has its bytes here.
typedef struct debug_value {
    const debug_type *type;
    bool in_memory;
    uint64_t address;
    uint8_t bytes[16];
} debug_value;

// `end` (may be NULL) is set behind what was understood; with end NULL the whole text must be.
// KZ_INVALID with what is wrong, in words, in `error`.
kz_status debug_evaluate(const debug_context *context, const char *text, const char **end, debug_value *value,
                         kz_error *error);
// The value of a variable in scope.
kz_status debug_variable_value(const debug_context *context, const debug_die *variable, debug_value *value,
                               kz_error *error);
// A register of the context's frame by its name.
kz_status debug_register_value(const debug_context *context, const char *name, debug_value *value,
                               kz_error *error);

// What is known without a declaration in scope: threadIdx and its like, enumerators, and variables of the PTX
// that DWARF does not know, as bytes.
bool debug_builtin_value(const debug_context *context, const char *name, debug_value *value);

bool debug_value_is_number(const debug_value *value); // integers, floats, pointers, bool, enumerations
// Numbers only. False where its memory cannot be read.
bool debug_value_bits(const debug_context *context, const debug_value *value, uint64_t *bits);
bool debug_value_truth(const debug_context *context, const debug_value *value, bool *truth);

// How to write it: 0 by its type, else x d u o t c f a.
typedef struct debug_format {
    char letter;
    bool brief; // on one line of a table: long arrays and structures are cut short
} debug_format;
void debug_print_value(const debug_context *context, const debug_value *value, debug_format format,
                       base_text *out);
// A number as type and format say; bits beyond the type's are ignored.
void debug_print_number(const debug_type *type, uint64_t bits, char letter, base_text *out);

#endif
