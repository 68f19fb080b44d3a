// ptx: PTX text to an intermediate representation, and back.
//
// A module lives in one arena, freed at once by ptx_module_close. Everything refers to everything
// by index or by pointer into that arena. Four tables drive the layer: ops.def (instructions; ops.h),
// mods.def (the dotted modifiers and their categories), types.def, specials.def (special registers).
// The parser accepts whatever the tables say; ptx_check finds what is well-formed but wrong.
#ifndef PTX_PTX_H
#define PTX_PTX_H

#include "base/base.h"
#include "ptx/ops.h"

// ---- the tables, as enumerations --------------------------------------------------------------

// PTX_TYPE(ID, "name", bits per element, class letter): the letters are explained in types.def
typedef enum ptx_type {
    PTX_TYPE_NONE,
#define PTX_TYPE(id, name, bits, class) PTX_##id,
#include "ptx/types.def"
#undef PTX_TYPE
    PTX_TYPE_COUNT
} ptx_type;

// The categories a modifier can belong to; an instruction has at most one of each, but for types.
typedef enum ptx_category {
    PTX_CAT_TYPE,     // .f32: kept in ptx_inst.types, in order
    PTX_CAT_SPACE,    // .global .shared .shared::cta .shared::cluster .local .param .param::entry .const
    PTX_CAT_ROUND,    // .rn .rz .rm .rp .rna .rs .rni .rzi .rmi .rpi
    PTX_CAT_COMPARE,  // .eq .ne .lt .le .gt .ge .lo .ls .hi .hs .equ .neu .ltu .leu .gtu .geu .num .nan
    PTX_CAT_BOOL,     // .and .or .xor .popc (also the operation of atom, red, bar.red, redux)
    PTX_CAT_ATOMIC,   // .exch .cas .add .inc .dec .min .max
    PTX_CAT_HALF,     // .hi .lo .wide of mul, mad ...; in setp, set and vset .hi and .lo are comparisons
    PTX_CAT_ORDER,    // .weak .relaxed .acquire .release .acq_rel .sc .volatile .mmio
    PTX_CAT_SCOPE,    // .cta .cluster .gpu .sys; .gl is .gpu for membar
    PTX_CAT_CACHE,    // .ca .cg .cs .lu .cv .wb .wt
    PTX_CAT_EVICT,    // .L1::evict_first .L1::no_allocate ...
    PTX_CAT_PREFETCH, // .L2::64B .L2::128B .L2::256B
    PTX_CAT_VECTOR,   // .v2 .v4 .v8
    PTX_CAT_MODE,   // a word that selects a form: .up .down, .all .any .ballot, .clamp .wrap, .f4e, .shiftamt
                    // ...
    PTX_CAT_SHAPE,  // .m16n8k16 .x4 .2d; may repeat
    PTX_CAT_LAYOUT, // .row .col; may repeat
    PTX_CAT_FLAG,   // .ftz .sat .approx .uni .sync .nc .cc .relu .NaN .to ...: bits in ptx_inst.flags
    PTX_CAT_COUNT
} ptx_category;

// PTX_MOD(ID, "text without the dot", CATEGORY)
typedef enum ptx_mod {
    PTX_MOD_NONE,
#define PTX_MOD(id, text, category) PTX_MOD_##id,
#include "ptx/mods.def"
#undef PTX_MOD
    PTX_MOD_COUNT
} ptx_mod;

// PTX_SPECIAL(ID, "%name", TYPE): vectors are one row per component: TID_X "%tid.x"
typedef enum ptx_special {
    PTX_SPECIAL_NONE,
#define PTX_SPECIAL(id, name, type) PTX_SPECIAL_##id,
#include "ptx/specials.def"
#undef PTX_SPECIAL
    PTX_SPECIAL_COUNT
} ptx_special;

unsigned ptx_type_bits(ptx_type type); // of one element: 16 for F16, 32 for F16X2, 1 for PRED
char ptx_type_class(ptx_type type);    // b u s f p v, as in types.def
const char *ptx_type_name(ptx_type type);
ptx_type ptx_type_named(const char *name); // PTX_TYPE_NONE where none is called so
const char *ptx_mod_text(ptx_mod mod);
const char *ptx_special_name(ptx_special special);
ptx_type ptx_special_type(ptx_special special);
// What a modifier means on this instruction: .lo compares in setp, .uni is the mode of vote.
ptx_category ptx_mod_category(ptx_op op, ptx_mod mod);

// ---- the representation -------------------------------------------------------------------------

typedef struct ptx_variable ptx_variable;
typedef struct ptx_function ptx_function;

typedef enum ptx_operand_kind {
    PTX_OPERAND_NONE,
    PTX_OPERAND_REG,      // reg; with `second` >= 0 for "r|p", always a predicate; negated for "!p"
    PTX_OPERAND_INT,      // value
    PTX_OPERAND_FLOAT,    // real, as written: 0f, 0d and decimal literals
    PTX_OPERAND_SPECIAL,  // special
    PTX_OPERAND_VARIABLE, // the address of variable, plus value
    PTX_OPERAND_FUNCTION, // a function, called or its address taken
    PTX_OPERAND_ADDRESS,  // [reg + value], [variable + value] or [value]: reg < 0 and variable NULL for the
                          // last; tex and tensor copies: [base, b, {c}], whose further parts are the elements
    PTX_OPERAND_VECTOR,   // {a, b, ...}: elements, element_count
    PTX_OPERAND_LABEL,    // value is the index of the instruction that follows the label, or inst_count
    PTX_OPERAND_TABLE,    // branch targets or call targets: index into the function's tables
    PTX_OPERAND_SINK,     // _; with `second` >= 0 for "_|p"
} ptx_operand_kind;

typedef struct ptx_operand {
    ptx_operand_kind kind;
    bool negated;   // !p, or -a of vmad; the minus of an immediate is already folded
    bool is_single; // FLOAT written as 0f: `value` holds its 32 bits; else `value` holds the double's 64
    char select[6]; // video instructions: the part of a register, "b0" "h1" "b3210"; else ""
    int32_t reg;    // index into function->regs, or -1
    int32_t second; // the q of p|q, or -1
    int64_t value;
    double real;
    ptx_special special;
    const ptx_variable *variable;
    const ptx_function *function;
    struct ptx_operand *elements;
    uint32_t element_count;
    uint32_t column; // in the PTX line, for messages
} ptx_operand;

enum { PTX_INST_TYPES = 6, PTX_INST_MODS = 16 };

typedef struct ptx_inst {
    ptx_op op;
    uint8_t type_count;
    uint8_t mod_count;
    uint8_t types[PTX_INST_TYPES];       // ptx_type, in the order written
    uint16_t mods[PTX_INST_MODS];        // ptx_mod, every modifier in the order written, types too
    uint16_t by_category[PTX_CAT_COUNT]; // ptx_mod of that category, or PTX_MOD_NONE
    uint64_t flags;                      // PTX_FLAG_* bits
    int32_t guard;                       // predicate register, or -1
    bool guard_negated;
    ptx_operand *operands; // destinations first, in the order written; call: see below
    uint32_t operand_count;
    uint32_t line;   // in the PTX text, from 1
    uint32_t serial; // in the module, counted through all functions
    int32_t source;  // index into module->locations, or -1
    // NULL, or why this instruction is not known: op is NONE for an unknown root, and its text is kept.
    // Such a module opens; launching a kernel that contains the instruction is the error.
    const char *unknown;
    const char *text; // the instruction as written, where `unknown`
} ptx_inst;
// call: operands are [0] VECTOR of returned param variables (may be empty), [1] FUNCTION or REG,
// [2] VECTOR of argument operands (param variables), [3] TABLE (call targets) or a FUNCTION that is
// the prototype, for indirect calls.
// bra: [0] LABEL. brx.idx: [0] REG, [1] TABLE.

// One bit per modifier of PTX_CAT_FLAG, in the order of mods.def: at most 64.
enum ptx_flag_index {
#define PTX_MOD(id, text, category) PTX_FLAG_OF_##category(id)
#define PTX_FLAG_OF_FLAG(id)        PTX_FLAG_INDEX_##id,
#define PTX_FLAG_OF_TYPE(id)
#define PTX_FLAG_OF_SPACE(id)
#define PTX_FLAG_OF_ROUND(id)
#define PTX_FLAG_OF_COMPARE(id)
#define PTX_FLAG_OF_BOOL(id)
#define PTX_FLAG_OF_ATOMIC(id)
#define PTX_FLAG_OF_HALF(id)
#define PTX_FLAG_OF_ORDER(id)
#define PTX_FLAG_OF_SCOPE(id)
#define PTX_FLAG_OF_CACHE(id)
#define PTX_FLAG_OF_EVICT(id)
#define PTX_FLAG_OF_PREFETCH(id)
#define PTX_FLAG_OF_VECTOR(id)
#define PTX_FLAG_OF_MODE(id)
#define PTX_FLAG_OF_SHAPE(id)
#define PTX_FLAG_OF_LAYOUT(id)
#include "ptx/mods.def"
#undef PTX_MOD
#undef PTX_FLAG_OF_FLAG
#undef PTX_FLAG_OF_TYPE
#undef PTX_FLAG_OF_SPACE
#undef PTX_FLAG_OF_ROUND
#undef PTX_FLAG_OF_COMPARE
#undef PTX_FLAG_OF_BOOL
#undef PTX_FLAG_OF_ATOMIC
#undef PTX_FLAG_OF_HALF
#undef PTX_FLAG_OF_ORDER
#undef PTX_FLAG_OF_SCOPE
#undef PTX_FLAG_OF_CACHE
#undef PTX_FLAG_OF_EVICT
#undef PTX_FLAG_OF_PREFETCH
#undef PTX_FLAG_OF_VECTOR
#undef PTX_FLAG_OF_MODE
#undef PTX_FLAG_OF_SHAPE
#undef PTX_FLAG_OF_LAYOUT
    PTX_FLAG_INDEX_COUNT
};
#define PTX_FLAG(id) (UINT64_C(1) << PTX_FLAG_INDEX_##id)

typedef struct ptx_reg {
    const char *name; // "%r12"
    ptx_type type;
} ptx_reg;

// Where an initialiser holds an address, to be filled in when the module is loaded.
typedef struct ptx_relocation {
    uint64_t offset;              // into the variable's data
    uint8_t bytes;                // 8, or the width of the element
    bool generic;                 // generic(symbol)
    const ptx_variable *variable; // or
    const ptx_function *function;
    int64_t addend;
    uint64_t mask; // 0xff00(symbol): the address's bits under the mask, shifted down to bit 0; 0: all of it
} ptx_relocation;

struct ptx_variable {
    const char *name;
    ptx_mod space; // PTX_MOD_GLOBAL, CONST, SHARED, LOCAL, PARAM
    ptx_type type;
    uint32_t vector; // 1, 2, 4
    uint64_t size;   // bytes in all; 0 for an open array ("[]"): dynamic shared memory
    uint32_t align;
    bool is_extern, is_visible, is_weak, is_common, is_managed;
    ptx_mod pointer_space;  // of a parameter's ".ptr .global .align 16"; PTX_MOD_NONE where absent
    uint32_t pointer_align; // 0 where absent
    const uint8_t *data;    // `size` bytes where there is an initialiser, else NULL
    const ptx_relocation *relocations;
    uint32_t relocation_count;
    uint32_t index; // in the list that holds it
    uint32_t line;
};

typedef struct ptx_table { // .branchtargets or .calltargets
    const char *name;
    uint32_t *labels; // instruction indices
    const ptx_function **functions;
    uint32_t count;
} ptx_table;

struct ptx_function {
    const char *name;
    bool is_entry;
    bool has_body;
    bool is_prototype; // .callprototype
    bool is_visible, is_weak, is_noreturn;
    ptx_variable **params, **returns;
    uint32_t param_count, return_count;
    ptx_variable **locals; // .local, .shared and .param variables declared inside, all scopes
    uint32_t local_count;
    ptx_reg *regs;
    uint32_t reg_count;
    ptx_inst *insts;
    uint32_t inst_count;
    ptx_table *tables;
    uint32_t table_count;
    uint32_t max_threads[3], required_threads[3]; // .maxntid, .reqntid; 0: absent
    uint32_t min_blocks, max_registers;
    uint32_t max_blocks; // .maxnctapersm
    uint32_t cluster[3]; // .reqnctapercluster; 0: absent
    uint32_t max_cluster_rank;
    bool explicit_cluster, blocks_are_clusters;
    bool is_extern;
    const ptx_function
        *alias;     // .alias: the function that stands for this one; operands point at that already
    uint32_t index; // in module->functions
    uint32_t line;
};

typedef struct ptx_location {
    uint32_t file; // index into module->files, or UINT32_MAX where the text names no such file
    uint32_t line, column;
    const char *function; // the inlined function's name, or NULL
    int32_t inlined_at;   // index into module->locations, or -1
} ptx_location;

// Files of later texts have numbers of their own: PTX_PART_FILES more for each text before.
#define PTX_PART_FILES UINT32_C(0x10000)
typedef struct ptx_file {
    uint32_t number; // as in .file
    const char *path;
} ptx_file;

// A debugging section (DWARF), as bytes. Where the text names a label of the code, the bytes hold the serial
// number of the instruction that follows it: serials are the addresses of code. Where it names a label in a
// section, they hold that label's offset. Where it names a variable, they hold what is added to its address.
typedef struct ptx_section_reference {
    uint64_t offset; // into the section's bytes
    const ptx_variable *variable;
} ptx_section_reference;
typedef struct ptx_section {
    const char *name; // ".debug_info"
    uint32_t part;    // texts may stand one behind the other, each with its .version: which one it is of
    const uint8_t *data;
    uint64_t size;
    const ptx_section_reference *references; // by offset
    uint32_t reference_count;
} ptx_section;

typedef struct ptx_module {
    base_arena *arena;
    const char *name; // the file's name, for messages
    const char *text; // a copy of the source, for messages
    int version;      // 90 for 9.0
    int sm;           // 90
    char sm_suffix;   // 'a', 'f' or 0
    bool is_debug;    // .target has "debug": nvcc -G
    uint32_t address_bits;
    ptx_file *files;
    uint32_t file_count;
    ptx_location *locations;
    uint32_t location_count;
    ptx_variable **variables; // .global, .const, and .shared at module scope
    uint32_t variable_count;
    ptx_function **functions; // declarations without a body too (malloc, vprintf, ...)
    uint32_t function_count;
    uint32_t inst_count; // of all functions
    ptx_section *sections;
    uint32_t section_count;
} ptx_module;

// ---- what the layer does -----------------------------------------------------------------------

// Parses and checks. On failure `error` shows file, line, the line itself and a caret.
kz_status ptx_module_open(const char *name, const char *text, size_t length, ptx_module **module,
                          kz_error *error);
void ptx_module_close(ptx_module *module);

const ptx_function *ptx_find_function(const ptx_module *module, const char *name);

// NULL where the part has none.
const ptx_section *ptx_find_section(const ptx_module *module, uint32_t part, const char *name);

// PTX text that parses to the same module, debugging sections aside.
void ptx_print_module(const ptx_module *module, base_text *out);
void ptx_print_inst(const ptx_module *module, const ptx_function *function, const ptx_inst *inst,
                    base_text *out);

// "reduce.cu:14 (inlined into main.cu:30)": the user's line first. "line 120 of x.ptx" without line info.
void ptx_print_source(const ptx_module *module, const ptx_inst *inst, base_text *out);

// The user's own line: of the chain of inlined calls the innermost that is no header of the toolkit's or the
// system's. An index into module->locations; -1 without line info.
int32_t ptx_user_location(const ptx_module *module, const ptx_inst *inst);
bool ptx_is_foreign(const char *path); // a header of the toolkit's or the system's

// The bits of an immediate operand as an instruction of `type` takes it (F16 and BF16 too).
uint64_t ptx_immediate(const ptx_operand *operand, ptx_type type);

// The type that operand `index` of a known instruction is taken as, by the instruction's row; for immediates.
ptx_type ptx_operand_type(const ptx_inst *inst, uint32_t index);

// Whether the simulator executes this instruction; where not, `*why` says what is missing.
// The answer comes from the tables alone, so that the page docs/ptx_support.md is generated from them.
bool ptx_is_simulated(const ptx_inst *inst, const char **why);

// docs/ptx_support.md.
void ptx_print_support(base_text *out);

#endif
