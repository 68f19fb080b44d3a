// Types, made of DWARF entries when first asked for.

#include "debug/symbols_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NESTING = 100 };

static const char *keep_name(debug_symbols *s, const char *format, const char *part, uint64_t number) {
    char name[256];
    snprintf(name, sizeof name, format, part, (unsigned long long)number);
    const char *kept = base_arena_string(s->arena, name, strlen(name));
    return kept ? kept : "?";
}

// ---- the table of those made -----------------------------------------------------------------------------

static debug_type_entry *slot_of(debug_type_entry *table, size_t capacity, const debug_die *die) {
    size_t at = (size_t)(die->offset ^ die->offset >> 32) * 0x9e3779b1u & (capacity - 1);
    while (table[at].die && table[at].die != die) at = (at + 1) & (capacity - 1);
    return &table[at];
}

static bool remember(debug_symbols *s, const debug_die *die, debug_type *type) {
    if (s->type_count * 2 >= s->type_capacity) {
        size_t capacity = s->type_capacity ? s->type_capacity * 2 : 256;
        debug_type_entry *larger = calloc(capacity, sizeof *larger);
        if (!larger) return false;
        for (size_t i = 0; i < s->type_capacity; i++)
            if (s->types[i].die) *slot_of(larger, capacity, s->types[i].die) = s->types[i];
        free(s->types);
        s->types = larger;
        s->type_capacity = capacity;
    }
    *slot_of(s->types, s->type_capacity, die) = (debug_type_entry){die, type};
    s->type_count++;
    return true;
}

static debug_type *made_before(debug_symbols *s, const debug_die *die) {
    return s->type_capacity ? slot_of(s->types, s->type_capacity, die)->type : NULL;
}

// ---- types that no entry describes ---------------------------------------------------------------------

// The first of a kind and size is what it is called; the others are more names for it.
static const debug_type builtins[] = {
    {.kind = DEBUG_VOID, .bytes = 0, .name = "void"},
    {.kind = DEBUG_SIGNED, .bytes = 1, .name = "signed char"},
    {.kind = DEBUG_SIGNED, .bytes = 1, .name = "int8_t"},
    {.kind = DEBUG_SIGNED, .bytes = 2, .name = "short"},
    {.kind = DEBUG_SIGNED, .bytes = 2, .name = "int16_t"},
    {.kind = DEBUG_SIGNED, .bytes = 4, .name = "int"},
    {.kind = DEBUG_SIGNED, .bytes = 4, .name = "int32_t"},
    {.kind = DEBUG_SIGNED, .bytes = 8, .name = "long long"},
    {.kind = DEBUG_SIGNED, .bytes = 8, .name = "long"},
    {.kind = DEBUG_SIGNED, .bytes = 8, .name = "int64_t"},
    {.kind = DEBUG_UNSIGNED, .bytes = 1, .name = "unsigned char"},
    {.kind = DEBUG_UNSIGNED, .bytes = 1, .name = "uint8_t"},
    {.kind = DEBUG_UNSIGNED, .bytes = 2, .name = "unsigned short"},
    {.kind = DEBUG_UNSIGNED, .bytes = 2, .name = "uint16_t"},
    {.kind = DEBUG_UNSIGNED, .bytes = 4, .name = "unsigned int"},
    {.kind = DEBUG_UNSIGNED, .bytes = 4, .name = "unsigned"},
    {.kind = DEBUG_UNSIGNED, .bytes = 4, .name = "uint32_t"},
    {.kind = DEBUG_UNSIGNED, .bytes = 8, .name = "unsigned long long"},
    {.kind = DEBUG_UNSIGNED, .bytes = 8, .name = "unsigned long"},
    {.kind = DEBUG_UNSIGNED, .bytes = 8, .name = "uint64_t"},
    {.kind = DEBUG_UNSIGNED, .bytes = 8, .name = "size_t"},
    {.kind = DEBUG_BOOL, .bytes = 1, .name = "bool"},
    {.kind = DEBUG_CHAR, .bytes = 1, .name = "char", .is_signed = true},
    {.kind = DEBUG_FLOAT, .bytes = 4, .name = "float"},
    {.kind = DEBUG_FLOAT, .bytes = 8, .name = "double"},
    {.kind = DEBUG_HALF, .bytes = 2, .name = "__half"},
    {.kind = DEBUG_HALF, .bytes = 2, .name = "half"},
    {.kind = DEBUG_BFLOAT, .bytes = 2, .name = "__nv_bfloat16"},
};
static const debug_type *const nothing = &builtins[0];

const debug_type *debug_type_builtin(debug_symbols *s, debug_kind kind, unsigned bytes) {
    for (size_t i = 0; i < BASE_COUNT(builtins); i++)
        if (builtins[i].kind == kind && builtins[i].bytes == bytes) return &builtins[i];
    return nothing;
}

static const debug_type *builtin_named(debug_symbols *s, const char *name) {
    for (size_t i = 0; i < BASE_COUNT(builtins); i++)
        if (!strcmp(builtins[i].name, name))
            return debug_type_builtin(s, builtins[i].kind, (unsigned)builtins[i].bytes);
    return NULL;
}

const debug_type *debug_type_pointer(debug_symbols *s, const debug_type *target) {
    debug_type *type = base_arena_alloc(s->arena, sizeof *type);
    if (!type) return nothing;
    *type = (debug_type){.kind = DEBUG_POINTER, .bytes = 8, .target = target};
    type->name = keep_name(s, target->kind == DEBUG_POINTER ? "%s*" : "%s *", target->name, 0);
    return type;
}

// "float [4]" of which there are 8 is "float [8][4]".
static const char *array_name(debug_symbols *s, const debug_type *target, uint64_t count) {
    const char *bracket = target->kind == DEBUG_ARRAY ? strchr(target->name, '[') : NULL;
    char name[256];
    if (bracket)
        snprintf(name, sizeof name, "%.*s[%llu]%s", (int)(bracket - target->name), target->name,
                 (unsigned long long)count, bracket);
    else
        snprintf(name, sizeof name, "%s [%llu]", target->name, (unsigned long long)count);
    const char *kept = base_arena_string(s->arena, name, strlen(name));
    return kept ? kept : "?";
}

const debug_type *debug_type_array(debug_symbols *s, const debug_type *target, uint64_t count) {
    debug_type *type = base_arena_alloc(s->arena, sizeof *type);
    if (!type) return nothing;
    uint64_t bytes;
    if (__builtin_mul_overflow(count, target->bytes, &bytes)) count = bytes = 0;
    *type = (debug_type){.kind = DEBUG_ARRAY, .target = target, .count = count, .bytes = bytes};
    type->name = array_name(s, target, count);
    return type;
}

const debug_type *debug_type_dimensions(debug_symbols *s) {
    if (s->dimensions) return s->dimensions;
    debug_type *type = base_arena_alloc(s->arena, sizeof *type);
    debug_member *members = base_arena_alloc(s->arena, 3 * sizeof *members);
    if (!type || !members) return nothing;
    static const char *const names[] = {"x", "y", "z"};
    for (uint32_t i = 0; i < 3; i++)
        members[i] = (debug_member){names[i], debug_type_builtin(s, DEBUG_UNSIGNED, 4), 4 * i};
    *type = (debug_type){
        .kind = DEBUG_STRUCT, .bytes = 12, .name = "uint3", .members = members, .member_count = 3};
    s->dimensions = type;
    return type;
}

// ---- types from entries -----------------------------------------------------------------------------

static const debug_type *type_of(debug_symbols *s, const debug_die *die, unsigned nesting);

static void fill_base(debug_type *type, const debug_die *die) {
    switch (die->encoding) { // DW_ATE_*
    case 0x02: type->kind = DEBUG_BOOL; break;
    case 0x04: type->kind = DEBUG_FLOAT; break;
    case 0x05: type->kind = DEBUG_SIGNED; break;
    case 0x06:
        type->kind = DEBUG_CHAR;
        type->is_signed = true;
        break;
    case 0x08: type->kind = DEBUG_CHAR; break;
    default: type->kind = DEBUG_UNSIGNED;
    }
    if (type->bytes > 8) type->kind = DEBUG_VOID; // long double and 128 bits: not read
}

static void fill_array(debug_symbols *s, debug_type *type, const debug_die *die, unsigned nesting) {
    uint64_t counts[16];
    unsigned dimensions = 0;
    for (const debug_die *d = die->child; d && dimensions < BASE_COUNT(counts); d = d->next)
        if (d->tag == DEBUG_TAG_SUBRANGE) counts[dimensions++] = d->count == UINT64_MAX ? 0 : d->count;
    const debug_type *element = type_of(s, die->type, nesting);
    while (dimensions > 1) element = debug_type_array(s, element, counts[--dimensions]);
    const debug_type *whole = debug_type_array(s, element, dimensions ? counts[0] : 0);
    if (whole->kind == DEBUG_ARRAY) *type = *whole;
}

static void fill_struct(debug_symbols *s, debug_type *type, const debug_die *die, unsigned nesting) {
    uint32_t count = 0;
    for (const debug_die *d = die->child; d; d = d->next)
        count += d->tag == DEBUG_TAG_MEMBER || d->tag == DEBUG_TAG_INHERITANCE;
    type->kind = DEBUG_STRUCT;
    type->members = base_arena_alloc(s->arena, (count + 1) * sizeof *type->members);
    for (const debug_die *d = die->child; d && type->members; d = d->next) {
        if ((d->tag != DEBUG_TAG_MEMBER && d->tag != DEBUG_TAG_INHERITANCE) || d->is_bits) continue;
        const char *name = d->tag == DEBUG_TAG_MEMBER ? debug_die_name(d) : NULL;
        if (name && !*name) name = NULL;
        type->members[type->member_count++] =
            (debug_member){name, type_of(s, debug_die_type(d), nesting), d->member_at};
    }
    if (type->bytes == 2 && !strcmp(type->name, "__half")) type->kind = DEBUG_HALF;
    if (type->bytes == 2 && !strcmp(type->name, "__nv_bfloat16")) type->kind = DEBUG_BFLOAT;
}

static void fill_type(debug_symbols *s, debug_type *type, const debug_die *die, unsigned nesting) {
    const debug_type *target;
    switch (die->tag) {
    case DEBUG_TAG_BASE: fill_base(type, die); break;
    case DEBUG_TAG_POINTER:
    case DEBUG_TAG_REFERENCE:
    case DEBUG_TAG_RVALUE:
        type->kind = DEBUG_POINTER;
        type->is_reference = die->tag != DEBUG_TAG_POINTER;
        type->bytes = 8;
        type->target = target = type_of(s, die->type, nesting);
        type->name = keep_name(s,
                               type->is_reference              ? "%s &"
                               : target->kind == DEBUG_POINTER ? "%s*"
                                                               : "%s *",
                               target->name, 0);
        break;
    case DEBUG_TAG_ARRAY: fill_array(s, type, die, nesting); break;
    case DEBUG_TAG_STRUCTURE:
    case DEBUG_TAG_CLASS:
    case DEBUG_TAG_UNION: fill_struct(s, type, die, nesting); break;
    case DEBUG_TAG_ENUMERATION:
        type->kind = DEBUG_ENUM;
        type->is_signed = true;
        type->die = die;
        if (type->bytes == 0 || type->bytes > 8) type->bytes = 4;
        break;
    case DEBUG_TAG_TYPEDEF:
    case DEBUG_TAG_CONST:
    case DEBUG_TAG_VOLATILE:
    case DEBUG_TAG_RESTRICT: {
        const char *name = die->tag == DEBUG_TAG_TYPEDEF ? die->name : NULL;
        target = type_of(s, die->type, nesting);
        *type = *target;
        type->alias_of = debug_type_real(target); // which may not be whole yet
        if (name) type->name = name;
        if (die->tag == DEBUG_TAG_CONST) type->name = keep_name(s, "const %s", target->name, 0);
        break;
    }
    default: break;
    }
}

static const debug_type *type_of(debug_symbols *s, const debug_die *die, unsigned nesting) {
    if (!die || nesting > MAX_NESTING) return nothing;
    debug_type *type = made_before(s, die);
    if (type) return type;
    type = base_arena_alloc(s->arena, sizeof *type);
    if (!type || !remember(s, die, type)) return nothing;
    const char *name = debug_die_name(die);
    *type = (debug_type){.kind = DEBUG_VOID, .bytes = die->bytes, .name = name ? name : "(unnamed)"};
    fill_type(s, type, die, nesting + 1);
    return type;
}

const debug_type *debug_type_of(debug_symbols *s, const debug_die *die) { return type_of(s, die, 0); }

const char *debug_enumerator(const debug_type *type, int64_t value) {
    for (const debug_die *d = type->die ? type->die->child : NULL; d; d = d->next)
        if (d->tag == DEBUG_TAG_ENUMERATOR && d->has_value && d->value == value) return d->name;
    return NULL;
}

const debug_type *debug_type_named(debug_symbols *s, const char *name) {
    const debug_type *known = builtin_named(s, name);
    for (size_t i = 0; !known && i < s->dwarf.count; i++) {
        const debug_die *d = s->dwarf.all[i];
        bool is_type = d->tag == DEBUG_TAG_BASE || d->tag == DEBUG_TAG_TYPEDEF ||
                       d->tag == DEBUG_TAG_STRUCTURE || d->tag == DEBUG_TAG_CLASS ||
                       d->tag == DEBUG_TAG_UNION || d->tag == DEBUG_TAG_ENUMERATION;
        if (is_type && d->name && !strcmp(d->name, name)) known = debug_type_of(s, d);
    }
    return known;
}
