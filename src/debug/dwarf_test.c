// DWARF: a small unit made by hand, read back; and the same bytes spoilt in every way that is cheap to try.
#include <stdlib.h>

#include "debug/symbols.h"
#include "unit.h"

// ---- making it -------------------------------------------------------------------------------------------

enum { ROOM = 1024 };
typedef struct bytes {
    uint8_t data[ROOM];
    uint64_t size;
} bytes;

static void put(bytes *b, uint64_t value, unsigned count) {
    for (unsigned i = 0; i < count; i++) b->data[b->size++] = (uint8_t)(value >> 8 * i);
}
static void put_text(bytes *b, const char *text) {
    memcpy(b->data + b->size, text, strlen(text) + 1);
    b->size += strlen(text) + 1;
}

static const uint8_t abbreviations[] = {
    1,  0x11, 1, 0x03, 0x08, 0,    0,                         // unit: name
    2,  0x24, 0, 0x03, 0x08, 0x3e, 0x0b, 0x0b, 0x0b, 0,    0, // base: name, encoding, bytes
    3,  0x2e, 1, 0x03, 0x08, 0x11, 0x01, 0x12, 0x01, 0,    0, // subprogram: name, low, high
    4,  0x05, 0, 0x03, 0x08, 0x49, 0x13, 0x02, 0x0a, 0,    0, // parameter: name, type, location
    5,  0x0b, 1, 0x11, 0x01, 0x12, 0x01, 0,    0,             // block: low, high
    6,  0x34, 0, 0x03, 0x08, 0x49, 0x13, 0x02, 0x06, 0,    0, // variable: name, type, list
    7,  0x13, 1, 0x03, 0x08, 0x0b, 0x0b, 0,    0,             // structure: name, bytes
    8,  0x0d, 0, 0x03, 0x08, 0x49, 0x13, 0x38, 0x0a, 0,    0, // member: name, type, offset
    9,  0x01, 1, 0x49, 0x13, 0,    0,                         // array: type
    10, 0x21, 0, 0x37, 0x0b, 0,    0,                         // subrange: count
    11, 0x0f, 0, 0x49, 0x13, 0,    0,                         // pointer: type
    12, 0x34, 0, 0x03, 0x08, 0x49, 0x13, 0x02, 0x0a, 0x33, 0x0b,
    0,  0,                                        // variable: name, type, location, class
    13, 0x04, 1, 0x03, 0x08, 0x0b, 0x0b, 0,    0, // enumeration: name, bytes
    14, 0x28, 0, 0x03, 0x08, 0x1c, 0x0d, 0,    0, // enumerator: name, value
    15, 0x16, 0, 0x49, 0x13, 0x03, 0x08, 0,    0, // typedef: type, name
    0,
};

static const ptx_variable tile = {.name = "tile", .space = PTX_MOD_SHARED, .size = 24};

typedef struct unit {
    bytes info, locations;
    ptx_section_reference reference;
    uint64_t integer, node; // offsets of types
} unit;

static uint64_t die(unit *u, unsigned code) {
    uint64_t offset = u->info.size;
    put(&u->info, code, 1);
    return offset;
}

static uint64_t base(unit *u, const char *name, unsigned encoding, unsigned size) {
    uint64_t offset = die(u, 2);
    put_text(&u->info, name);
    put(&u->info, encoding, 1);
    put(&u->info, size, 1);
    return offset;
}

static void member(unit *u, const char *name, uint64_t type, unsigned at) {
    die(u, 8);
    put_text(&u->info, name);
    put(&u->info, type, 4);
    put(&u->info, 2 | 0x23u << 8 | at << 16, 3); // plus_uconst
}

// struct node { int value; node *next; }, where next's type is a typedef of the struct.
static void make_types(unit *u) {
    u->integer = base(u, "int", 5, 4);
    uint64_t pointer = u->info.size, alias = pointer + 5;
    die(u, 11);
    put(&u->info, alias, 4);
    die(u, 15);
    u->node = alias + 1 + 4 + strlen("node_t") + 1;
    put(&u->info, u->node, 4);
    put_text(&u->info, "node_t");
    assert_int_equal(die(u, 7), u->node);
    put_text(&u->info, "node");
    put(&u->info, 16, 1);
    member(u, "value", u->integer, 0);
    member(u, "next", pointer, 8);
    put(&u->info, 0, 1);
    die(u, 13);
    put_text(&u->info, "colour");
    put(&u->info, 4, 1);
    die(u, 14);
    put_text(&u->info, "RED");
    put(&u->info, 0x7f, 1); // -1
    put(&u->info, 0, 1);
}

static void make_tile(unit *u) { // float tile[2][3] at the variable's address
    uint64_t real = base(u, "float", 4, 4), array = die(u, 9);
    put(&u->info, real, 4);
    for (unsigned count = 2; count <= 3; count++) {
        die(u, 10);
        put(&u->info, count, 1);
    }
    put(&u->info, 0, 1);
    die(u, 12);
    put_text(&u->info, "tile");
    put(&u->info, array, 4);
    put(&u->info, 9 | 0x03u << 8, 2);
    u->reference = (ptx_section_reference){.offset = u->info.size, .variable = &tile};
    put(&u->info, 4, 8); // four bytes behind its beginning
    put(&u->info, 8, 1);
}

// "%r" and a digit, packed big-endian into DW_OP_regx.
static void put_register(bytes *b, char digit) {
    uint64_t packed = 0x257200u | (uint64_t)digit;
    put(b, 0x90, 1);
    for (int i = 0; i < 3; i++) put(b, (packed >> 7 * i & 0x7f) | 0x80, 1);
    put(b, packed >> 21, 1);
}

static void make_unit(unit *u) {
    *u = (unit){0};
    put(&u->info, 0, 4); // the length comes last
    put(&u->info, 2, 2);
    put(&u->info, 0, 4);
    put(&u->info, 8, 1);
    die(u, 1);
    put_text(&u->info, "unit.cu");
    make_types(u);
    die(u, 3); // look: instructions 10 to 29
    put_text(&u->info, "look");
    put(&u->info, 10, 8);
    put(&u->info, 30, 8);
    die(u, 4);
    put_text(&u->info, "n");
    put(&u->info, u->integer, 4);
    put(&u->info, 5, 1);
    put_register(&u->info, '7');
    make_tile(u);
    die(u, 5); // a block, 15 to 19, where n is another one
    put(&u->info, 15, 8);
    put(&u->info, 20, 8);
    die(u, 6);
    put_text(&u->info, "n");
    put(&u->info, u->node, 4);
    put(&u->info, 0, 4);
    put(&u->info, 0, 3); // ends of the block, the function, the unit
    uint64_t length = u->info.size - 4;
    memcpy(u->info.data, &length, 4);
    for (uint64_t from = 15; from < 19; from += 2) { // %r1 in 15 and 16, %r2 in 17 and 18, nowhere in 19
        put(&u->locations, from, 8);
        put(&u->locations, from + 2, 8);
        put(&u->locations, 5, 2);
        put_register(&u->locations, from == 15 ? '1' : '2');
    }
    put(&u->locations, 0, 8);
    put(&u->locations, 0, 8);
}

static ptx_module module_of(const unit *u, ptx_section sections[3]) {
    sections[0] = (ptx_section){.name = ".debug_info",
                                .data = u->info.data,
                                .size = u->info.size,
                                .references = &u->reference,
                                .reference_count = 1};
    sections[1] = (ptx_section){.name = ".debug_abbrev", .data = abbreviations, .size = sizeof abbreviations};
    sections[2] = (ptx_section){.name = ".debug_loc", .data = u->locations.data, .size = u->locations.size};
    return (ptx_module){.name = "unit.ptx", .sections = sections, .section_count = 3, .location_count = 1};
}

// ---- tests ------------------------------------------------------------------------------------------

typedef struct fixture {
    unit u;
    ptx_section sections[3];
    ptx_module module;
    debug_symbols *symbols;
} fixture;

static void open_unit(fixture *f) {
    kz_error error;
    make_unit(&f->u);
    f->module = module_of(&f->u, f->sections);
    assert_int_equal(debug_symbols_open(&f->module, &f->symbols, &error), KZ_OK);
    assert_null(debug_symbols_note(f->symbols));
}

static void test_scopes(void **state) {
    fixture f;
    open_unit(&f);
    const debug_dwarf *dwarf = debug_symbols_dwarf(f.symbols);
    const debug_die *outer = debug_find_variable(f.symbols, "n", 12),
                    *inner = debug_find_variable(f.symbols, "n", 15);
    assert_non_null(outer);
    assert_non_null(inner);
    assert_ptr_not_equal(outer, inner);
    assert_ptr_equal(debug_find_variable(f.symbols, "n", 20), outer);
    assert_null(debug_find_variable(f.symbols, "n", 30));
    assert_null(debug_find_variable(f.symbols, "m", 15));
    debug_location at = debug_dwarf_locate(dwarf, outer, 12);
    assert_int_equal(at.kind, DEBUG_IN_REGISTER);
    assert_string_equal(at.reg, "%r7");
    assert_string_equal(debug_dwarf_locate(dwarf, inner, 16).reg, "%r1");
    assert_string_equal(debug_dwarf_locate(dwarf, inner, 17).reg, "%r2");
    assert_int_equal(debug_dwarf_locate(dwarf, inner, 19).kind, DEBUG_NOWHERE);
    at = debug_dwarf_locate(dwarf, debug_find_variable(f.symbols, "tile", 12), 12);
    assert_int_equal(at.kind, DEBUG_IN_VARIABLE);
    assert_ptr_equal(at.variable, &tile);
    assert_int_equal(at.offset, 4);
    debug_symbols_close(f.symbols);
}

static void test_types(void **state) {
    fixture f;
    open_unit(&f);
    const debug_type *array =
        debug_type_of(f.symbols, debug_die_type(debug_find_variable(f.symbols, "tile", 12)));
    assert_int_equal(array->kind, DEBUG_ARRAY);
    assert_int_equal(array->count, 2);
    assert_int_equal(array->bytes, 24);
    assert_int_equal(array->target->count, 3);
    assert_string_equal(array->name, "float [2][3]");
    const debug_type *node = debug_type_named(f.symbols, "node");
    assert_int_equal(node->kind, DEBUG_STRUCT);
    assert_int_equal(node->member_count, 2);
    assert_int_equal(node->members[1].offset, 8);
    const debug_type *next = node->members[1].type;
    assert_string_equal(next->name, "node_t *");
    assert_ptr_equal(debug_type_real(next->target), node); // whole, though it was not when it was first met
    const debug_type *colour = debug_type_named(f.symbols, "colour");
    assert_int_equal(colour->kind, DEBUG_ENUM);
    assert_string_equal(debug_enumerator(colour, -1), "RED");
    assert_null(debug_enumerator(colour, 0));
    assert_string_equal(debug_type_named(f.symbols, "unsigned int")->name, "unsigned int");
    assert_null(debug_type_named(f.symbols, "nothing"));
    debug_symbols_close(f.symbols);
}

// Everything that a debugger may ask of it.
static void ask_everything(debug_symbols *symbols) {
    const debug_dwarf *dwarf = debug_symbols_dwarf(symbols);
    for (size_t i = 0; i < dwarf->count; i++) {
        const debug_type *type = debug_type_of(symbols, dwarf->all[i]);
        assert_non_null(debug_type_real(type));
        assert_non_null(type->name);
        debug_die_name(dwarf->all[i]);
        for (uint32_t serial = 0; serial < 32; serial += 4) debug_dwarf_locate(dwarf, dwarf->all[i], serial);
    }
    for (uint32_t serial = 0; serial < 32; serial += 5) {
        debug_find_variable(symbols, "n", serial);
        debug_find_variable(symbols, "elsewhere", serial);
    }
}

// Sections with exactly the bytes they claim, so that a sanitizer sees a step beyond.
static unsigned try_sections(const unit *u, const uint8_t *info, uint64_t info_size, const uint8_t *abbrev,
                             uint64_t abbrev_size, uint64_t loc_size) {
    ptx_section sections[3];
    ptx_module module = module_of(u, sections);
    uint8_t *copies[3] = {malloc(info_size + 1), malloc(abbrev_size + 1), malloc(loc_size + 1)};
    memcpy(copies[0] + 1, info, info_size);
    memcpy(copies[1] + 1, abbrev, abbrev_size);
    memcpy(copies[2] + 1, u->locations.data, loc_size);
    const uint64_t sizes[3] = {info_size, abbrev_size, loc_size};
    for (unsigned i = 0; i < 3; i++) sections[i].data = copies[i] + 1, sections[i].size = sizes[i];
    debug_symbols *symbols;
    kz_error error;
    assert_int_equal(debug_symbols_open(&module, &symbols, &error), KZ_OK);
    bool understood = debug_symbols_note(symbols) == NULL;
    ask_everything(symbols);
    debug_symbols_close(symbols);
    for (unsigned i = 0; i < 3; i++) free(copies[i]);
    return understood;
}

static void test_cut_short(void **state) {
    unit u;
    make_unit(&u);
    for (uint64_t size = 0; size < u.info.size; size++)
        assert_false(
            try_sections(&u, u.info.data, size, abbreviations, sizeof abbreviations, u.locations.size));
    for (uint64_t size = 0; size < sizeof abbreviations; size++)
        assert_false(try_sections(&u, u.info.data, u.info.size, abbreviations, size, u.locations.size));
    for (uint64_t size = 0; size < u.locations.size; size++)
        assert_true(try_sections(&u, u.info.data, u.info.size, abbreviations, sizeof abbreviations, size));
}

static void test_spoilt(void **state) {
    static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
    unit u;
    make_unit(&u);
    unsigned refused = 0;
    for (uint64_t i = 0; i < u.info.size; i++)
        for (size_t v = 0; v < sizeof values; v++) {
            bytes spoilt = u.info;
            spoilt.data[i] = values[v];
            refused += !try_sections(&u, spoilt.data, spoilt.size, abbreviations, sizeof abbreviations,
                                     u.locations.size);
        }
    for (uint64_t i = 0; i < sizeof abbreviations; i++)
        for (size_t v = 0; v < sizeof values; v++) {
            uint8_t spoilt[sizeof abbreviations];
            memcpy(spoilt, abbreviations, sizeof spoilt);
            spoilt[i] = values[v];
            refused += !try_sections(&u, u.info.data, u.info.size, spoilt, sizeof spoilt, u.locations.size);
        }
    assert_true(refused > 100); // nonsense is noticed, not merely survived
}

static void test_without(void **state) {
    kz_error error;
    debug_symbols *symbols;
    ptx_module module = {.name = "plain.ptx"};
    assert_int_equal(debug_symbols_open(&module, &symbols, &error), KZ_OK);
    assert_non_null(strstr(debug_symbols_note(symbols), "without debugging information"));
    assert_null(debug_find_variable(symbols, "n", 0));
    debug_symbols_close(symbols);
    module.location_count = 1;
    assert_int_equal(debug_symbols_open(&module, &symbols, &error), KZ_OK);
    assert_non_null(strstr(debug_symbols_note(symbols), "-lineinfo"));
    debug_symbols_close(symbols);
}

static void test_names(void **state) {
    static const struct {
        const char *mangled, *name;
    } names[] = {{"_Z6kernelPKf", "kernel"},
                 {"_ZN3lib4tool6kernelEv", "kernel"},
                 {"plain", "plain"},
                 {"_Z3addIfET_S0_S0_", "add"},
                 {"_Z", "_Z"},
                 {"_Z99x", "_Z99x"}};
    kz_error error;
    debug_symbols *symbols;
    ptx_module module = {.name = "plain.ptx"};
    assert_int_equal(debug_symbols_open(&module, &symbols, &error), KZ_OK);
    for (size_t i = 0; i < BASE_COUNT(names); i++) {
        char to[64];
        ptx_function function = {.name = names[i].mangled};
        debug_function_name(symbols, &function, to, sizeof to);
        assert_string_equal(to, names[i].name);
        assert_true(debug_function_is(symbols, &function, names[i].name));
        assert_false(debug_function_is(symbols, &function, "other"));
    }
    char to[64];
    debug_variable_name(&(ptx_variable){.name = "_ZZ6kernelPKfE4tile"}, to, sizeof to);
    assert_string_equal(to, "tile");
    debug_variable_name(&(ptx_variable){.name = "shared_one"}, to, sizeof to);
    assert_string_equal(to, "shared_one");
    assert_true(debug_is_named("add<float>", "add"));
    assert_false(debug_is_named("adder", "add"));
    debug_symbols_close(symbols);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scopes), cmocka_unit_test(test_types),   cmocka_unit_test(test_cut_short),
        cmocka_unit_test(test_spoilt), cmocka_unit_test(test_without), cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
