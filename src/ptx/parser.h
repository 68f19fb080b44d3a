// The parser's inside, shared by parse*.c and check.c.
//
// A parser function bears the name of its grammar rule, takes the token it begins at and returns the token
// after it. A failure is kept in the parser and sends the reader to the end of the text, where every loop
// stops; so nobody needs to test for it in between, and the first failure is the one reported.
#ifndef PTX_PARSER_H
#define PTX_PARSER_H

#include "ptx/lex.h"
#include "ptx/map.h"
#include "ptx/tables.h"

typedef struct ptx_list { // grows; malloc'ed
    void *data;
    size_t count, capacity;
} ptx_list;

enum { PTX_MAX_OPERANDS = 16, PTX_MAX_SCOPES = 200, PTX_MAX_NESTING = 40 };

// A row of ops.def, read once per module and instruction.
typedef struct ptx_row {
    const ptx_op_info *info;
    struct {
        char kind, holds;
        bool optional;
    } words[PTX_MAX_OPERANDS];
    uint32_t word_count, required;
    bool any_operands, any_mods, any_types;
    uint32_t categories;                      // bits of ptx_category
    uint64_t mods[(PTX_MOD_COUNT + 63) / 64]; // single modifiers
    uint64_t types[PTX_INST_TYPES];           // bits of ptx_type, per position
    uint32_t type_count, types_required;
} ptx_row;
_Static_assert(PTX_TYPE_COUNT <= 64, "a set of types is one word");

// An opcode as it stands in the text, taken apart once.
typedef struct ptx_opcode {
    ptx_inst inst; // without operands
    const ptx_row *row;
} ptx_opcode;

typedef enum ptx_name_kind {
    PTX_NAME_REG,
    PTX_NAME_RANGE,
    PTX_NAME_VARIABLE,
    PTX_NAME_FUNCTION,
    PTX_NAME_TABLE
} ptx_name_kind;

typedef struct ptx_range { // %r<10>, or one vector register
    ptx_type type;
    uint32_t count, vector;
} ptx_range;

typedef struct ptx_reference { // to a label, which may come later
    const ptx_token *token;
    uint32_t scope;
    int64_t *value;   // of a LABEL operand, or
    uint32_t *target; // in a table
} ptx_reference;

typedef struct ptx_section_start {
    const ptx_token *name;
    uint32_t part;
} ptx_section_start;

typedef struct ptx_parser {
    ptx_module *module;
    base_arena *arena;   // the module's
    base_arena *scratch; // until the parse is done
    const char *text;
    size_t length;
    const ptx_token *first, *end;
    kz_error *error;
    kz_status status; // the first failure
    ptx_map words;    // what the tables know: modifiers, roots, specials
    ptx_map opcodes;
    ptx_map names;     // tag: scope
    ptx_map taken;     // tag: function; the names used in it
    ptx_map labels;    // tag: scope
    ptx_map positions; // of .loc directives seen: text is a packed (file, line, column)
    ptx_map strings;   // labels of .debug_str
    ptx_map marks;     // labels of the code, whatever their scope, for debugging sections; tag: part
    uint32_t part;     // of the texts that stand one behind the other
    ptx_row *rows[PTX_OP_COUNT];
    ptx_list scopes; // uint32_t: the parent of each scope; 0 is the module's
    uint32_t scope, depth;
    ptx_list variables, functions, files, locations;  // the module's
    ptx_list sections;                                // ptx_section_start
    ptx_list regs, locals, insts, tables, references; // the current function's
    ptx_list operands;                                // a stack
    ptx_function *function;
    uint32_t function_tag;
    int32_t location; // of the next instruction
    uint32_t nesting;
    uint64_t data_bytes; // of initialisers, in all
    bool has_alias;
} ptx_parser;

// parse.c
const ptx_token *ptx_fail_at(ptx_parser *parser, const ptx_token *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
const ptx_token *ptx_fail_memory(ptx_parser *parser);
bool ptx_push(ptx_parser *parser, ptx_list *list, const void *item, size_t size);
void *ptx_keep(ptx_parser *parser, const ptx_list *list, size_t first, size_t size); // a copy in the arena
void ptx_list_free(ptx_list *list);
void *ptx_alloc(ptx_parser *parser, size_t bytes); // NULL after a failure
char *ptx_copy_text(ptx_parser *parser, const ptx_token *token);

static inline const char *ptx_token_text(const ptx_parser *parser, const ptx_token *token) {
    return parser->text + token->offset;
}
bool ptx_is(const ptx_parser *parser, const ptx_token *token, const char *text);
const ptx_token *ptx_expect(ptx_parser *parser, const ptx_token *token, int punctuation);
const ptx_token *ptx_skip_braces(ptx_parser *parser, const ptx_token *token); // from "{" past its "}"

// parse_function.c
typedef struct ptx_linkage {
    bool is_extern, is_visible, is_weak, is_common;
} ptx_linkage;
const ptx_token *ptx_parse_function(ptx_parser *parser, const ptx_token *token, ptx_linkage how);
const ptx_token *ptx_parse_pragma(ptx_parser *parser, const ptx_token *token);

// parse_names.c
void ptx_scope_enter(ptx_parser *parser);
void ptx_scope_leave(ptx_parser *parser);
bool ptx_declare(ptx_parser *parser, const ptx_token *name, ptx_name_kind kind, void *pointer,
                 uint32_t number);
ptx_map_entry *ptx_find_name(ptx_parser *parser, const char *text, size_t length);
// A name for printing, unlike all others in the function.
const char *ptx_unique_name(ptx_parser *parser, const char *text, size_t length);
// A register operand, or false where the name is no register.
bool ptx_resolve_register(ptx_parser *parser, const char *text, size_t length, ptx_operand *operand);
bool ptx_may_be_register(ptx_type type);
const ptx_token *ptx_parse_reg(ptx_parser *parser, const ptx_token *token); // .reg .b32 %r<10>, x;
void ptx_define_label(ptx_parser *parser, const ptx_token *name);
void ptx_refer_label(ptx_parser *parser, const ptx_token *name, int64_t *value, uint32_t *target);
void ptx_resolve_labels(ptx_parser *parser);

// parse_expression.c
typedef struct ptx_constant {
    bool is_float, is_single, is_unsigned;
    int64_t integer;
    double real;
    uint64_t bits; // of a float as written
} ptx_constant;
const ptx_token *ptx_parse_expression(ptx_parser *parser, const ptx_token *token, ptx_constant *value);
const ptx_token *ptx_parse_sum(ptx_parser *parser, const ptx_token *token,
                               ptx_constant *value); // no < > | and below
const ptx_token *ptx_parse_integer(ptx_parser *parser, const ptx_token *token, uint64_t most,
                                   uint64_t *value);

// parse_variable.c
const ptx_token *ptx_parse_variables(ptx_parser *parser, const ptx_token *token, ptx_variable model);
const ptx_token *ptx_parse_param(ptx_parser *parser, const ptx_token *token, ptx_variable **param);
ptx_mod ptx_space_of(const ptx_parser *parser,
                     const ptx_token *token); // .global .const .shared .local .param, .tex
ptx_type ptx_type_of(const ptx_parser *parser, const ptx_token *token);
ptx_mod ptx_mod_of(const ptx_parser *parser, const char *text, size_t length); // without the dot

// parse_inst.c
const ptx_token *ptx_parse_instruction(ptx_parser *parser, const ptx_token *token);

// parse_debug.c
const ptx_token *ptx_parse_file(ptx_parser *parser, const ptx_token *token);
const ptx_token *ptx_parse_loc(ptx_parser *parser, const ptx_token *token);
const ptx_token *ptx_parse_section(ptx_parser *parser, const ptx_token *token);
void ptx_resolve_locations(ptx_parser *parser);

// parse_section.c
void ptx_keep_sections(ptx_parser *parser); // when instructions have their numbers

// check.c
ptx_row *ptx_row_open(ptx_parser *parser, ptx_op op);
// Sets inst->unknown where the row does not know a modifier or a type.
void ptx_check_opcode(ptx_parser *parser, const ptx_row *row, ptx_inst *inst);
void ptx_check_operands(ptx_parser *parser, const ptx_row *row, const ptx_inst *inst, const ptx_token *token);

// check_tensor.c: the operands of instructions that take tensor maps, which no pattern of a row says
void ptx_check_tensor(ptx_parser *parser, const ptx_inst *inst, const ptx_token *token);

#endif
