// DWARF: units, abbreviations, entries. Nothing in the bytes is trusted: a reader that has come to its end
// stays there and gives zeros, and is asked at the end of each entry whether it is still whole.

#include "debug/dwarf.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 256, MAX_ENTRIES = 1 << 23 };

enum { // the attributes that are kept
    AT_LOCATION = 0x02,
    AT_NAME = 0x03,
    AT_BYTE_SIZE = 0x0b,
    AT_BIT_SIZE = 0x0d,
    AT_LOW = 0x11,
    AT_HIGH = 0x12,
    AT_CONST_VALUE = 0x1c,
    AT_UPPER_BOUND = 0x2f,
    AT_ABSTRACT_ORIGIN = 0x31,
    AT_ADDRESS_CLASS = 0x33,
    AT_ARTIFICIAL = 0x34,
    AT_COUNT = 0x37,
    AT_MEMBER_LOCATION = 0x38,
    AT_DECL_LINE = 0x3b,
    AT_ENCODING = 0x3e,
    AT_SPECIFICATION = 0x47,
    AT_TYPE = 0x49,
    AT_CALL_FILE = 0x58,
    AT_CALL_LINE = 0x59,
    AT_LINKAGE_NAME = 0x6e,
    AT_MIPS_LINKAGE_NAME = 0x2007,
};

// ---- reading -------------------------------------------------------------------------------------------

typedef struct reader {
    const uint8_t *data;
    uint64_t size, at;
    bool failed;
} reader;

static uint64_t fixed(reader *r, unsigned bytes) {
    if (r->failed || bytes > r->size - r->at) {
        r->failed = true;
        return 0;
    }
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes && i < 8; i++) value |= (uint64_t)r->data[r->at + i] << 8 * i;
    r->at += bytes;
    return value;
}

static uint64_t unsigned_leb(reader *r) {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint8_t byte = (uint8_t)fixed(r, 1);
        if (r->failed) return 0;
        if (shift < 64) value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) return value;
    }
}

static int64_t signed_leb(reader *r) {
    uint64_t value = 0;
    unsigned shift = 0;
    for (;;) {
        uint8_t byte = (uint8_t)fixed(r, 1);
        if (r->failed) return 0;
        if (shift < 64) value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
        if (byte & 0x80) continue;
        if (shift < 64 && (byte & 0x40)) value |= ~UINT64_C(0) << shift;
        return (int64_t)value;
    }
}

static const char *string(reader *r) {
    const uint8_t *from = r->data + r->at;
    const uint8_t *end = r->failed ? NULL : memchr(from, 0, r->size - r->at);
    if (!end) {
        r->failed = true;
        return "";
    }
    r->at += (uint64_t)(end - from) + 1;
    return (const char *)from;
}

static debug_bytes block(reader *r, uint64_t size) {
    if (r->failed || size > r->size - r->at) {
        r->failed = true;
        return (debug_bytes){0};
    }
    debug_bytes bytes = {.data = r->data + r->at, .size = size, .offset = r->at};
    r->at += size;
    return bytes;
}

// ---- abbreviations ---------------------------------------------------------------------------------------

typedef struct abbreviation {
    uint64_t code;
    uint64_t attributes; // where its list begins in .debug_abbrev
    uint16_t tag;
    bool has_children;
} abbreviation;

typedef struct unit {
    debug_dwarf *dwarf;
    const debug_part *part;
    const ptx_section *abbreviations_section, *strings; // of the part
    abbreviation *abbreviations;
    size_t abbreviation_count, abbreviation_capacity;
    uint64_t begin;
    unsigned address_bytes, offset_bytes, version;
    debug_die **entries;       // of all units
    uint64_t *types, *origins; // beside `entries`: offset with the part, + 1; or 0
    size_t entry_count, entry_capacity;
} unit;

static bool read_abbreviations(unit *u, uint64_t at) {
    u->abbreviation_count = 0;
    reader r = {.data = u->abbreviations_section->data, .size = u->abbreviations_section->size, .at = at};
    if (at > r.size) return false;
    for (;;) {
        abbreviation a = {.code = unsigned_leb(&r)};
        if (r.failed) return false;
        if (a.code == 0) return true;
        a.tag = (uint16_t)unsigned_leb(&r);
        a.has_children = fixed(&r, 1) != 0;
        a.attributes = r.at;
        for (;;) {
            uint64_t name = unsigned_leb(&r), form = unsigned_leb(&r);
            if (r.failed) return false;
            if (form == 0x21) signed_leb(&r); // implicit_const
            if (name == 0 && form == 0) break;
        }
        if (u->abbreviation_count == u->abbreviation_capacity) {
            size_t capacity = u->abbreviation_capacity ? u->abbreviation_capacity * 2 : 64;
            abbreviation *grown = realloc(u->abbreviations, capacity * sizeof *grown);
            if (!grown) return false;
            u->abbreviations = grown;
            u->abbreviation_capacity = capacity;
        }
        u->abbreviations[u->abbreviation_count++] = a;
    }
}

static const abbreviation *find_abbreviation(const unit *u, uint64_t code) {
    if (code - 1 < u->abbreviation_count && u->abbreviations[code - 1].code == code)
        return &u->abbreviations[code - 1];
    for (size_t i = 0; i < u->abbreviation_count; i++)
        if (u->abbreviations[i].code == code) return &u->abbreviations[i];
    return NULL;
}

// ---- attributes -------------------------------------------------------------------------------------

typedef struct attribute {
    enum { IS_NUMBER, IS_SIGNED, IS_TEXT, IS_BLOCK, IS_REFERENCE, IS_OFFSET, IS_ADDRESS } kind;
    uint64_t number;
    const char *text;
    debug_bytes bytes;
} attribute;

static const char *string_at(const unit *u, uint64_t at) {
    if (!u->strings || at >= u->strings->size) return "";
    return memchr(u->strings->data + at, 0, u->strings->size - at) ? (const char *)u->strings->data + at : "";
}

static attribute read_form(const unit *u, reader *r, uint64_t form, reader *abbreviations) {
    attribute a = {0};
    if (form == 0x16) form = unsigned_leb(r); // indirect
    switch (form) {
    case 0x01: a.kind = IS_ADDRESS, a.number = fixed(r, u->address_bytes); break;
    case 0x03: a.kind = IS_BLOCK, a.bytes = block(r, fixed(r, 2)); break;
    case 0x04: a.kind = IS_BLOCK, a.bytes = block(r, fixed(r, 4)); break;
    case 0x05: a.number = fixed(r, 2); break;
    case 0x06: a.number = fixed(r, 4); break;
    case 0x07: a.number = fixed(r, 8); break;
    case 0x08: a.kind = IS_TEXT, a.text = string(r); break;
    case 0x09:
    case 0x18: a.kind = IS_BLOCK, a.bytes = block(r, unsigned_leb(r)); break;
    case 0x0a: a.kind = IS_BLOCK, a.bytes = block(r, fixed(r, 1)); break;
    case 0x0b:
    case 0x0c: a.number = fixed(r, 1); break;
    case 0x0d: a.kind = IS_SIGNED, a.number = (uint64_t)signed_leb(r); break;
    case 0x0e: a.kind = IS_TEXT, a.text = string_at(u, fixed(r, u->offset_bytes)); break;
    case 0x0f: a.number = unsigned_leb(r); break;
    case 0x10:
        a.kind = IS_REFERENCE, a.number = fixed(r, u->version == 2 ? u->address_bytes : u->offset_bytes);
        break;
    case 0x11: a.kind = IS_REFERENCE, a.number = u->begin + fixed(r, 1); break;
    case 0x12: a.kind = IS_REFERENCE, a.number = u->begin + fixed(r, 2); break;
    case 0x13: a.kind = IS_REFERENCE, a.number = u->begin + fixed(r, 4); break;
    case 0x14: a.kind = IS_REFERENCE, a.number = u->begin + fixed(r, 8); break;
    case 0x15: a.kind = IS_REFERENCE, a.number = u->begin + unsigned_leb(r); break;
    case 0x17: a.kind = IS_OFFSET, a.number = fixed(r, u->offset_bytes); break;
    case 0x19: a.number = 1; break;
    case 0x20: fixed(r, 8); break; // a signature: not followed
    case 0x21: a.kind = IS_SIGNED, a.number = (uint64_t)signed_leb(abbreviations); break;
    default: r->failed = true;
    }
    return a;
}

// A member's offset is a number, or an expression that adds one.
static uint64_t member_offset(const attribute *a) {
    if (a->kind != IS_BLOCK) return a->number;
    reader r = {.data = a->bytes.data, .size = a->bytes.size};
    uint64_t op = fixed(&r, 1);
    return op == 0x23 || op == 0x10 ? unsigned_leb(&r) : 0;
}

static void keep_attribute(debug_die *die, uint64_t name, const attribute *a, bool *high_is_size,
                           uint64_t *type, uint64_t *origin) {
    switch (name) {
    case AT_NAME: die->name = a->kind == IS_TEXT ? a->text : NULL; break;
    case AT_LINKAGE_NAME:
    case AT_MIPS_LINKAGE_NAME: die->linkage_name = a->kind == IS_TEXT ? a->text : NULL; break;
    case AT_LOCATION:
        if (a->kind == IS_BLOCK)
            die->location = a->bytes;
        else if (a->kind != IS_TEXT)
            die->location_list = a->number;
        break;
    case AT_BYTE_SIZE: die->bytes = a->number; break;
    case AT_BIT_SIZE: die->is_bits = true; break;
    case AT_LOW: die->low = a->number; break;
    case AT_HIGH:
        die->high = a->number;
        *high_is_size = a->kind != IS_ADDRESS;
        break;
    case AT_CONST_VALUE:
        if (a->kind == IS_BLOCK) {
            reader r = {.data = a->bytes.data, .size = a->bytes.size};
            die->value = (int64_t)fixed(&r, a->bytes.size > 8 ? 8 : (unsigned)a->bytes.size);
        } else
            die->value = (int64_t)a->number;
        die->has_value = a->kind != IS_TEXT;
        break;
    case AT_UPPER_BOUND:
        if (a->kind == IS_NUMBER || a->kind == IS_SIGNED) die->count = a->number + 1;
        break;
    case AT_COUNT:
        if (a->kind == IS_NUMBER || a->kind == IS_SIGNED) die->count = a->number;
        break;
    case AT_MEMBER_LOCATION: die->member_at = member_offset(a); break;
    case AT_ADDRESS_CLASS: die->address_class = (uint8_t)a->number; break;
    case AT_ARTIFICIAL: die->is_artificial = a->number != 0; break;
    case AT_DECL_LINE: die->line = (uint32_t)a->number; break;
    case AT_CALL_FILE: die->call_file = (uint32_t)a->number; break;
    case AT_CALL_LINE: die->call_line = (uint32_t)a->number; break;
    case AT_ENCODING: die->encoding = (uint8_t)a->number; break;
    case AT_TYPE: *type = a->kind == IS_REFERENCE ? a->number + 1 : 0; break;
    case AT_ABSTRACT_ORIGIN:
    case AT_SPECIFICATION: *origin = a->kind == IS_REFERENCE ? a->number + 1 : 0; break;
    default: break;
    }
}

// ---- entries ----------------------------------------------------------------------------------------

static bool grow_entries(unit *u) {
    if (u->entry_count < u->entry_capacity) return true;
    if (u->entry_capacity >= MAX_ENTRIES) return false;
    size_t capacity = u->entry_capacity ? u->entry_capacity * 2 : 1024;
    debug_die **entries = realloc(u->entries, capacity * sizeof *entries);
    if (entries) u->entries = entries;
    uint64_t *types = realloc(u->types, capacity * sizeof *types);
    if (types) u->types = types;
    uint64_t *origins = realloc(u->origins, capacity * sizeof *origins);
    if (origins) u->origins = origins;
    if (!entries || !types || !origins) return false;
    u->entry_capacity = capacity;
    return true;
}

static debug_die *read_entry(unit *u, reader *r, const abbreviation *form, uint64_t offset) {
    debug_die *die = base_arena_alloc(u->dwarf->arena, sizeof *die);
    if (!die || !grow_entries(u)) return NULL;
    *die = (debug_die){.offset = (uint64_t)u->part->number << 32 | offset,
                       .tag = form->tag,
                       .part = u->part,
                       .location_list = UINT64_MAX,
                       .count = UINT64_MAX};
    uint64_t type = 0, origin = 0;
    bool high_is_size = false;
    reader list = {.data = u->abbreviations_section->data,
                   .size = u->abbreviations_section->size,
                   .at = form->attributes};
    for (;;) {
        uint64_t name = unsigned_leb(&list), kind = unsigned_leb(&list);
        if (list.failed || r->failed) return NULL;
        if (name == 0 && kind == 0) break;
        attribute a = read_form(u, r, kind, &list);
        if (!r->failed) keep_attribute(die, name, &a, &high_is_size, &type, &origin);
    }
    if (high_is_size) die->high += die->low;
    if (die->high < die->low) die->high = die->low;
    uint64_t part = (uint64_t)u->part->number << 32;
    u->types[u->entry_count] = type && type <= UINT32_MAX ? type | part : 0;
    u->origins[u->entry_count] = origin && origin <= UINT32_MAX ? origin | part : 0;
    u->entries[u->entry_count++] = die;
    return die;
}

typedef struct chain {
    debug_die *parent, *last;
} chain;

static void hang(chain *at, debug_die *die) {
    die->parent = at->parent;
    if (at->last)
        at->last->next = die;
    else if (at->parent)
        at->parent->child = die;
    at->last = die;
}

// The entries of one unit, up to `end`. False where they make no sense.
static bool read_entries(unit *u, reader *r, uint64_t end, chain *units) {
    chain stack[MAX_DEPTH] = {*units};
    unsigned depth = 0;
    while (r->at < end) {
        uint64_t offset = r->at, code = unsigned_leb(r);
        if (r->failed) return false;
        if (code == 0) { // the end of a list of children
            if (depth > 0) depth--;
            continue;
        }
        const abbreviation *form = find_abbreviation(u, code);
        debug_die *die = form ? read_entry(u, r, form, offset) : NULL;
        if (!die) return false;
        hang(&stack[depth], die);
        if (!form->has_children) continue;
        if (++depth == MAX_DEPTH) return false;
        stack[depth] = (chain){.parent = die};
    }
    *units = stack[0];
    return r->at == end;
}

static bool read_units(unit *u, chain *units) {
    const ptx_section *info = u->part->info;
    reader r = {.data = info->data, .size = info->size};
    while (r.at < r.size) {
        u->begin = r.at;
        u->offset_bytes = 4;
        uint64_t length = fixed(&r, 4);
        if (length == UINT32_MAX) {
            u->offset_bytes = 8;
            length = fixed(&r, 8);
        }
        uint64_t end = r.at + length;
        if (r.failed || length > r.size - r.at || end > UINT32_MAX) return false;
        u->version = (unsigned)fixed(&r, 2);
        uint64_t abbreviations = fixed(&r, u->offset_bytes);
        u->address_bytes = (unsigned)fixed(&r, 1);
        if (r.failed || u->address_bytes > 8) return false;
        if (u->version < 2 || u->version > 4) { // newer forms are not read
            r.at = end;
            continue;
        }
        reader inside = {.data = r.data, .size = end, .at = r.at};
        if (!read_abbreviations(u, abbreviations) || !read_entries(u, &inside, end, units)) return false;
        r.at = end;
    }
    return true;
}

static const debug_die *find_entry(const debug_dwarf *dwarf, uint64_t offset_plus_one) {
    if (offset_plus_one == 0) return NULL;
    uint64_t offset = offset_plus_one - 1;
    size_t low = 0, high = dwarf->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (dwarf->all[middle]->offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low < dwarf->count && dwarf->all[low]->offset == offset ? dwarf->all[low] : NULL;
}

static void resolve(unit *u) {
    debug_dwarf *dwarf = u->dwarf;
    dwarf->all = (const debug_die **)u->entries; // in the order read, which is by offset
    dwarf->count = u->entry_count;
    u->entries = NULL;
    for (size_t i = 0; i < dwarf->count; i++) {
        debug_die *die = (debug_die *)(uintptr_t)dwarf->all[i];
        die->type = find_entry(dwarf, u->types[i]);
        die->origin = find_entry(dwarf, u->origins[i]);
        if (die->type == die) die->type = NULL;
        if (die->origin == die) die->origin = NULL;
    }
}

// The sections of the part that this .debug_info belongs to.
static bool read_part(unit *u, const ptx_section *info, chain *units) {
    const ptx_module *module = u->dwarf->module;
    debug_part *part = base_arena_alloc(u->dwarf->arena, sizeof *part);
    if (!part) return false;
    *part = (debug_part){.info = info,
                         .abbreviations = ptx_find_section(module, info->part, ".debug_abbrev"),
                         .strings = ptx_find_section(module, info->part, ".debug_str"),
                         .locations = ptx_find_section(module, info->part, ".debug_loc"),
                         .number = info->part};
    u->part = part;
    u->abbreviations_section = part->abbreviations;
    u->strings = part->strings;
    return !part->abbreviations || read_units(u, units);
}

kz_status debug_dwarf_open(const ptx_module *module, debug_dwarf *dwarf, kz_error *error) {
    *dwarf = (debug_dwarf){.module = module};
    unit u = {.dwarf = dwarf};
    if (module->section_count == 0) return KZ_OK;
    dwarf->arena = base_arena_open();
    if (!dwarf->arena) return base_fail(error, KZ_NO_MEMORY, "%s: no memory for its variables", module->name);
    chain units = {0};
    debug_die *root = base_arena_alloc(dwarf->arena, sizeof *root);
    units.parent = root;
    bool good = root != NULL;
    for (uint32_t i = 0; good && i < module->section_count; i++)
        if (strcmp(module->sections[i].name, ".debug_info") == 0)
            good = read_part(&u, &module->sections[i], &units);
    if (good) {
        resolve(&u);
        dwarf->units = root->child;
    }
    free(u.abbreviations);
    free(u.entries);
    free(u.types);
    free(u.origins);
    if (good) return KZ_OK;
    debug_dwarf_close(dwarf);
    return base_fail(error, KZ_SYNTAX,
                     "%s: its debugging information (.debug_info) cannot be understood, so variables are not "
                     "known by name\nregisters can still be looked at: info registers",
                     module->name);
}

void debug_dwarf_close(debug_dwarf *dwarf) {
    base_arena_close(dwarf->arena);
    free(dwarf->all);
    *dwarf = (debug_dwarf){0};
}

bool debug_dwarf_has_variables(const debug_dwarf *dwarf) {
    for (size_t i = 0; i < dwarf->count; i++)
        if (dwarf->all[i]->tag == DEBUG_TAG_SUBPROGRAM && dwarf->all[i]->high > dwarf->all[i]->low)
            return true;
    return false;
}

// ---- questions --------------------------------------------------------------------------------------

// Origins may have origins; a chain that goes round is a mistake of the file.
static const debug_die *with_origin(const debug_die *die, bool (*has)(const debug_die *)) {
    for (unsigned i = 0; die && i < 8; i++, die = die->origin)
        if (has(die)) return die;
    return NULL;
}

static bool has_name(const debug_die *die) { return die->name != NULL; }
static bool has_type(const debug_die *die) { return die->type != NULL; }

const char *debug_die_name(const debug_die *die) {
    die = with_origin(die, has_name);
    return die ? die->name : NULL;
}

const debug_die *debug_die_type(const debug_die *die) {
    die = with_origin(die, has_type);
    return die ? die->type : NULL;
}

bool debug_die_covers(const debug_die *die, uint32_t serial) {
    return serial >= die->low && serial < die->high;
}

// ---- locations --------------------------------------------------------------------------------------

// "%r12" packed big-endian, the first letter highest.
static void unpack_register(uint64_t packed, debug_location *to) {
    char letters[9] = {0};
    unsigned count = 0;
    for (unsigned i = 0; i < 8; i++) {
        char letter = (char)(packed >> (56 - 8 * i));
        if (letter) letters[count++] = letter;
    }
    memcpy(to->reg, letters, sizeof letters);
    to->kind = DEBUG_IN_REGISTER;
}

static const ptx_variable *variable_at(const ptx_section *section, uint64_t offset) {
    for (uint32_t i = 0; section && i < section->reference_count; i++)
        if (section->references[i].offset == offset) return section->references[i].variable;
    return NULL;
}

static debug_location evaluate(const ptx_section *section, debug_bytes bytes) {
    debug_location result = {.kind = DEBUG_NOWHERE};
    reader r = {.data = bytes.data, .size = bytes.size};
    while (r.at < r.size && !r.failed) {
        uint64_t op = fixed(&r, 1);
        switch (op) {
        case 0x03: { // addr
            const ptx_variable *variable = variable_at(section, bytes.offset + r.at);
            uint64_t value = fixed(&r, 8);
            result.variable = variable;
            result.offset = (int64_t)value;
            result.kind = variable ? DEBUG_IN_VARIABLE : DEBUG_NOWHERE;
            break;
        }
        case 0x06: result.indirect = true; break; // deref
        case 0x08: result.kind = DEBUG_IS_VALUE, result.value = fixed(&r, 1); break;
        case 0x0a: result.kind = DEBUG_IS_VALUE, result.value = fixed(&r, 2); break;
        case 0x0c: result.kind = DEBUG_IS_VALUE, result.value = fixed(&r, 4); break;
        case 0x0e: result.kind = DEBUG_IS_VALUE, result.value = fixed(&r, 8); break;
        case 0x10: result.kind = DEBUG_IS_VALUE, result.value = unsigned_leb(&r); break;
        case 0x11: result.kind = DEBUG_IS_VALUE, result.value = (uint64_t)signed_leb(&r); break;
        case 0x23: result.offset += (int64_t)unsigned_leb(&r); break; // plus_uconst
        case 0x90: unpack_register(unsigned_leb(&r), &result); break; // regx
        case 0x92:                                                    // bregx: the register holds the address
            unpack_register(unsigned_leb(&r), &result);
            result.offset += signed_leb(&r);
            result.indirect = true;
            break;
        case 0x9f: break; // stack_value
        default:
            if (op >= 0x30 && op <= 0x4f) { // lit0 ... lit31
                result.kind = DEBUG_IS_VALUE;
                result.value = op - 0x30;
                break;
            }
            return (debug_location){.kind = DEBUG_NOWHERE};
        }
    }
    if (r.failed) result.kind = DEBUG_NOWHERE;
    return result;
}

debug_location debug_dwarf_locate(const debug_dwarf *dwarf, const debug_die *die, uint32_t serial) {
    if (die->has_value) return (debug_location){.kind = DEBUG_IS_VALUE, .value = (uint64_t)die->value};
    if (die->location.data) return evaluate(die->part->info, die->location);
    const ptx_section *lists = die->part->locations;
    if (!lists || die->location_list > lists->size) return (debug_location){.kind = DEBUG_NOWHERE};
    reader r = {.data = lists->data, .size = lists->size, .at = die->location_list};
    while (!r.failed) {
        uint64_t low = fixed(&r, 8), high = fixed(&r, 8);
        if (r.failed || (low == 0 && high == 0)) break;
        if (low == UINT64_MAX) continue; // another base: serial numbers have none
        debug_bytes bytes = block(&r, fixed(&r, 2));
        if (!r.failed && serial >= low && serial < high) return evaluate(lists, bytes);
    }
    return (debug_location){.kind = DEBUG_NOWHERE};
}
