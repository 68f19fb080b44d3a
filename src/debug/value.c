// Values: reading them, and writing them as their types say.

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debug/expression.h"

enum { MAX_ELEMENTS = 64, MAX_BRIEF = 8, MAX_LEVELS = 6 };

bool debug_value_is_number(const debug_value *value) {
    const debug_type *type = debug_type_real(value->type);
    return type->kind != DEBUG_VOID && type->kind != DEBUG_ARRAY && type->kind != DEBUG_STRUCT;
}

bool debug_value_bits(const debug_context *context, const debug_value *value, uint64_t *bits) {
    uint64_t size = debug_type_real(value->type)->bytes;
    *bits = 0;
    if (size == 0 || size > 8) return false;
    if (value->in_memory)
        return sim_inspect_memory(context->warp, context->lane, value->address, bits, (uint32_t)size);
    memcpy(bits, value->bytes, size);
    return true;
}

static double real_of(const debug_type *type, uint64_t bits) {
    float single;
    double real;
    switch (type->kind) {
    case DEBUG_HALF: return (double)base_f16_to_f32((uint16_t)bits);
    case DEBUG_BFLOAT: return (double)base_bf16_to_f32((uint16_t)bits);
    default: break;
    }
    if (type->bytes == 4) {
        memcpy(&single, &bits, sizeof single);
        return (double)single;
    }
    memcpy(&real, &bits, sizeof real);
    return real;
}

bool debug_value_truth(const debug_context *context, const debug_value *value, bool *truth) {
    uint64_t bits;
    if (!debug_value_is_number(value) || !debug_value_bits(context, value, &bits)) return false;
    const debug_type *type = debug_type_real(value->type);
    bool real = type->kind == DEBUG_FLOAT || type->kind == DEBUG_HALF || type->kind == DEBUG_BFLOAT;
    *truth = real ? real_of(type, bits) != 0.0 : bits != 0;
    return true;
}

// ---- numbers -------------------------------------------------------------------------------------------

static void print_real(double value, unsigned digits, base_text *out) {
    char text[40];
    if (isnan(value)) {
        base_text_add(out, "nan");
        return;
    }
    // The shortest that reads back as the same value, without an exponent where that is short too.
    bool plain = fabs(value) >= 1e-4 && fabs(value) < 1e9;
    for (unsigned precision = 1; precision <= digits; precision++) {
        snprintf(text, sizeof text, "%.*g", (int)precision, value);
        if (plain && strchr(text, 'e') && precision < digits) continue;
        double back = strtod(text, NULL);
        if (digits <= 9 ? (float)back == (float)value : back == value) break;
    }
    base_text_add(out, "%s", text);
}

static void print_binary(uint64_t bits, base_text *out) {
    char digits[65];
    unsigned count = 0;
    for (int i = 63; i >= 0; i--)
        if (count || i == 0 || bits >> i & 1) digits[count++] = (char)('0' + (bits >> i & 1));
    base_text_add_bytes(out, digits, count);
}

static void print_letter(uint64_t bits, base_text *out) {
    char letter = (char)bits;
    if (letter >= ' ' && letter <= '~')
        base_text_add(out, "'%c'", letter);
    else
        base_text_add(out, "'\\%03o'", (unsigned)(uint8_t)letter);
}

static int64_t extended(uint64_t bits, uint64_t bytes) {
    unsigned shift = 64 - 8 * (unsigned)bytes;
    return (int64_t)(bits << shift) >> shift;
}

static const char *window_name(uint64_t address) {
    static const sim_space spaces[] = {SIM_SHARED, SIM_LOCAL, SIM_PARAM};
    static const char *const names[] = {" (shared)", " (local)", " (parameter)"};
    for (size_t i = 0; i < BASE_COUNT(spaces); i++) {
        uint64_t window = sim_inspect_window(spaces[i]);
        if (address >= window && address - window < UINT64_C(1) << 40) return names[i];
    }
    return "";
}

static void print_formatted(const debug_type *type, uint64_t bits, char letter, base_text *out) {
    switch (letter) {
    case 'x': base_text_add(out, "0x%" PRIx64, bits); break;
    case 'a': base_text_add(out, "0x%" PRIx64 "%s", bits, window_name(bits)); break;
    case 'd': base_text_add(out, "%" PRId64, extended(bits, type->bytes)); break;
    case 'u': base_text_add(out, "%" PRIu64, bits); break;
    case 'o': base_text_add(out, "0%" PRIo64, bits); break;
    case 't': print_binary(bits, out); break;
    case 'c': print_letter(bits, out); break;
    default: { // f: the bits as a float of that width
        debug_type real = {.kind = type->bytes == 2 ? DEBUG_HALF : DEBUG_FLOAT, .bytes = type->bytes};
        if (type->kind == DEBUG_BFLOAT) real.kind = DEBUG_BFLOAT;
        if (type->bytes == 1)
            base_text_add(out, "%" PRId64, extended(bits, 1));
        else
            print_real(real_of(&real, bits), type->bytes == 8 ? 17 : 9, out);
    }
    }
}

void debug_print_number(const debug_type *type, uint64_t bits, char letter, base_text *out) {
    type = debug_type_real(type);
    if (type->bytes == 0 || type->bytes > 8) return;
    if (type->bytes < 8) bits &= (UINT64_C(1) << 8 * type->bytes) - 1;
    if (letter) {
        print_formatted(type, bits, letter, out);
        return;
    }
    const char *name;
    switch (type->kind) {
    case DEBUG_FLOAT:
    case DEBUG_HALF:
    case DEBUG_BFLOAT: print_real(real_of(type, bits), type->bytes == 8 ? 17 : 9, out); break;
    case DEBUG_BOOL:
        if (bits > 1)
            base_text_add(out, "true (%" PRIu64 ")", bits);
        else
            base_text_add(out, "%s", bits ? "true" : "false");
        break;
    case DEBUG_CHAR:
        base_text_add(out, "%" PRId64 " ", type->is_signed ? extended(bits, type->bytes) : (int64_t)bits);
        print_letter(bits, out);
        break;
    case DEBUG_ENUM:
        name = debug_enumerator(type, extended(bits, type->bytes));
        if (!name) name = debug_enumerator(type, (int64_t)bits);
        if (name)
            base_text_add(out, "%s", name);
        else
            base_text_add(out, "%" PRId64, extended(bits, type->bytes));
        break;
    case DEBUG_POINTER: base_text_add(out, "0x%" PRIx64 "%s", bits, window_name(bits)); break;
    case DEBUG_SIGNED: base_text_add(out, "%" PRId64, extended(bits, type->bytes)); break;
    default: base_text_add(out, "%" PRIu64, bits);
    }
}

// ---- arrays and structures -------------------------------------------------------------------------------

static void print_at(const debug_context *context, const debug_value *value, debug_format format,
                     unsigned level, base_text *out);

static debug_value part_of(const debug_value *whole, const debug_type *type, uint64_t offset) {
    debug_value part = {.type = type, .in_memory = whole->in_memory, .address = whole->address + offset};
    if (!whole->in_memory && offset < sizeof whole->bytes)
        memcpy(part.bytes, whole->bytes + offset, sizeof whole->bytes - offset);
    return part;
}

static bool same_number(const debug_context *context, const debug_value *a, const debug_value *b) {
    uint64_t x, y;
    return debug_value_is_number(a) && debug_value_bits(context, a, &x) && debug_value_bits(context, b, &y) &&
           x == y;
}

// Equal neighbours are told once, as gdb does: 0 <repeats 12 times>.
static void print_array(const debug_context *context, const debug_value *value, debug_format format,
                        unsigned level, base_text *out) {
    const debug_type *type = debug_type_real(value->type);
    uint64_t shown = 0, most = format.brief ? MAX_BRIEF : MAX_ELEMENTS, size = type->target->bytes;
    if (type->count == 0) {
        base_text_add(out, "<an array without a size: name elements, or how many, as in a[0]@8>");
        return;
    }
    base_text_add(out, "{");
    for (uint64_t i = 0; i < type->count; shown++) {
        if (i) base_text_add(out, ", ");
        if (shown == most) {
            base_text_add(out, "...");
            break;
        }
        debug_value element = part_of(value, type->target, i * size);
        uint64_t repeats = 1;
        while (i + repeats < type->count && repeats < 100000) {
            debug_value next = part_of(value, type->target, (i + repeats) * size);
            if (!same_number(context, &element, &next)) break;
            repeats++;
        }
        print_at(context, &element, format, level + 1, out);
        if (repeats >= 4)
            base_text_add(out, " <repeats %" PRIu64 " times>", repeats);
        else
            repeats = 1;
        i += repeats;
    }
    base_text_add(out, "}");
}

static void print_struct(const debug_context *context, const debug_value *value, debug_format format,
                         unsigned level, base_text *out) {
    const debug_type *type = debug_type_real(value->type);
    base_text_add(out, "{");
    for (uint32_t i = 0; i < type->member_count; i++) {
        if (i) base_text_add(out, ", ");
        if (format.brief && i == MAX_BRIEF) {
            base_text_add(out, "...");
            break;
        }
        if (type->members[i].name) base_text_add(out, "%s = ", type->members[i].name);
        debug_value member = part_of(value, type->members[i].type, type->members[i].offset);
        print_at(context, &member, format, level + 1, out);
    }
    base_text_add(out, "}");
}

static void print_at(const debug_context *context, const debug_value *value, debug_format format,
                     unsigned level, base_text *out) {
    const debug_type *type = debug_type_real(value->type);
    uint64_t bits;
    if (level > MAX_LEVELS) {
        base_text_add(out, "{...}");
    } else if (type->kind == DEBUG_ARRAY) {
        print_array(context, value, format, level, out);
    } else if (type->kind == DEBUG_STRUCT) {
        print_struct(context, value, format, level, out);
    } else if (type->kind == DEBUG_VOID) {
        base_text_add(out, "<%s, %" PRIu64 " bytes>", type->name, type->bytes);
    } else if (!debug_value_bits(context, value, &bits)) {
        base_text_add(out, "<no memory at 0x%" PRIx64 ">", value->address);
    } else {
        debug_print_number(type, bits, format.letter, out);
    }
}

void debug_print_value(const debug_context *context, const debug_value *value, debug_format format,
                       base_text *out) {
    print_at(context, value, format, 0, out);
}
