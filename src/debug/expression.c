// Expressions: a parser that computes as it goes, each function named after its rule.
//
//   expression  binary of all levels
//   binary      repeated {operator repeated}
//   repeated    unary ["@" unary]
//   unary       ("*" | "&" | "-" | "+" | "!" | "~" | "(" type ")") unary | postfix
//   postfix     primary {"[" expression "]" | "." name | "->" name}
//   primary     number | 'c' | name | %register | "(" expression ")"

#include "debug/expression.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 100, NAME = 128 };

typedef struct parser {
    const debug_context *context;
    const char *at;
    kz_error *error;
    kz_status status;
    unsigned depth;
} parser;

static debug_value fail(parser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
static debug_value fail(parser *p, const char *format, ...) {
    if (p->status == KZ_OK) {
        char text[512];
        va_list list;
        va_start(list, format);
        vsnprintf(text, sizeof text, format, list);
        va_end(list);
        p->status = base_fail(p->error, KZ_INVALID, "%s", text);
    }
    return (debug_value){.type = debug_type_builtin(NULL, DEBUG_VOID, 0)};
}

static debug_symbols *symbols_of(const parser *p) { return p->context->symbols; }

static void skip_space(parser *p) {
    while (isspace((unsigned char)*p->at)) p->at++;
}

static bool take(parser *p, const char *text) {
    skip_space(p);
    size_t length = strlen(text);
    if (strncmp(p->at, text, length)) return false;
    p->at += length;
    return true;
}

static bool take_name(parser *p, char *name) {
    skip_space(p);
    size_t length = 0;
    if (!isalpha((unsigned char)*p->at) && *p->at != '_') return false;
    while (isalnum((unsigned char)p->at[length]) || p->at[length] == '_') length++;
    if (length >= NAME) return false;
    memcpy(name, p->at, length);
    name[length] = 0;
    p->at += length;
    return true;
}

// ---- values ----------------------------------------------------------------------------------------------

static bool is_real(const debug_type *type) {
    debug_kind kind = debug_type_real(type)->kind;
    return kind == DEBUG_FLOAT || kind == DEBUG_HALF || kind == DEBUG_BFLOAT;
}

static bool is_signed(const debug_type *type) {
    type = debug_type_real(type);
    return type->kind == DEBUG_SIGNED || type->is_signed || (type->kind == DEBUG_BOOL);
}

static debug_value integer(parser *p, debug_kind kind, unsigned bytes, uint64_t bits) {
    debug_value value = {.type = debug_type_builtin(symbols_of(p), kind, bytes)};
    memcpy(value.bytes, &bits, sizeof bits);
    return value;
}

static debug_value real(parser *p, unsigned bytes, double number) {
    debug_value value = {.type = debug_type_builtin(symbols_of(p), DEBUG_FLOAT, bytes)};
    float single = (float)number;
    if (bytes == 4)
        memcpy(value.bytes, &single, sizeof single);
    else
        memcpy(value.bytes, &number, sizeof number);
    return value;
}

static debug_value pointer_to(parser *p, const debug_type *target, uint64_t address) {
    debug_value value = {.type = debug_type_pointer(symbols_of(p), target)};
    memcpy(value.bytes, &address, sizeof address);
    return value;
}

static uint64_t bits_of(parser *p, const debug_value *value) {
    uint64_t bits = 0;
    if (p->status != KZ_OK) return 0;
    if (!debug_value_is_number(value))
        fail(p, "a number is needed here, not a value of type %s", value->type->name);
    else if (!debug_value_bits(p->context, value, &bits))
        fail(p, "there is no memory at 0x%" PRIx64, value->address);
    return bits;
}

static int64_t signed_of(parser *p, const debug_value *value) {
    uint64_t bits = bits_of(p, value), size = debug_type_real(value->type)->bytes;
    if (!is_signed(value->type) || size == 0 || size >= 8) return (int64_t)bits;
    unsigned shift = 64 - 8 * (unsigned)size;
    return (int64_t)(bits << shift) >> shift;
}

static double real_of(parser *p, const debug_value *value) {
    uint64_t bits = bits_of(p, value);
    const debug_type *type = debug_type_real(value->type);
    float single;
    double number;
    if (!is_real(type)) return is_signed(type) ? (double)signed_of(p, value) : (double)bits;
    if (type->kind == DEBUG_HALF) return (double)base_f16_to_f32((uint16_t)bits);
    if (type->kind == DEBUG_BFLOAT) return (double)base_bf16_to_f32((uint16_t)bits);
    memcpy(&single, &bits, sizeof single);
    memcpy(&number, &bits, sizeof number);
    return type->bytes == 4 ? (double)single : number;
}

static debug_value decayed(parser *p, debug_value value) {
    const debug_type *type = debug_type_real(value.type);
    if (type->kind == DEBUG_ARRAY && value.in_memory) return pointer_to(p, type->target, value.address);
    return value;
}

static debug_value converted(parser *p, const debug_value *value, const debug_type *to) {
    const debug_type *type = debug_type_real(to);
    debug_value from = decayed(p, *value), result = {.type = to};
    if (type->kind == DEBUG_STRUCT || type->kind == DEBUG_ARRAY || type->kind == DEBUG_VOID)
        return fail(p, "a cast to %s is not possible", to->name);
    if (is_real(type)) {
        double number = real_of(p, &from);
        uint16_t half = type->kind == DEBUG_HALF ? base_f64_to_f16(number) : base_f64_to_bf16(number);
        if (type->bytes == 2)
            memcpy(result.bytes, &half, sizeof half);
        else
            result = real(p, (unsigned)type->bytes, number);
        result.type = to;
        return result;
    }
    uint64_t bits = is_real(from.type) ? (uint64_t)(int64_t)real_of(p, &from) : (uint64_t)signed_of(p, &from);
    if (type->kind == DEBUG_BOOL) bits = bits != 0;
    memcpy(result.bytes, &bits, sizeof bits);
    return result;
}

// A reference stands for what it refers to.
static debug_value followed(parser *p, debug_value value) {
    const debug_type *type = debug_type_real(value.type);
    if (type->kind != DEBUG_POINTER || !type->is_reference) return value;
    uint64_t address = bits_of(p, &value);
    return (debug_value){.type = type->target, .in_memory = true, .address = address};
}

// ---- names -----------------------------------------------------------------------------------------------

static debug_value named(parser *p, const char *name) {
    debug_value value;
    uint32_t serial = p->context->inst ? p->context->inst->serial : UINT32_MAX;
    const debug_die *variable = debug_find_variable(symbols_of(p), name, serial);
    if (variable) {
        kz_status status = debug_variable_value(p->context, variable, &value, p->error);
        if (status != KZ_OK) {
            p->status = status;
            return fail(p, "%s", name);
        }
        return followed(p, value);
    }
    if (debug_builtin_value(p->context, name, &value)) return value;
    if (!strcmp(name, "true") || !strcmp(name, "false")) return integer(p, DEBUG_BOOL, 1, name[0] == 't');
    const char *note = debug_symbols_note(symbols_of(p));
    return note ? fail(p, "no variable %s is known here: %s", name, note)
                : fail(p, "no variable %s in scope here\nthose in scope are listed by: info locals", name);
}

// ---- the rules -------------------------------------------------------------------------------------------

static debug_value expression(parser *p, unsigned level);
static debug_value unary(parser *p);

static debug_value number(parser *p) {
    char *end_integer, *end_real;
    unsigned long long whole = strtoull(p->at, &end_integer, 0);
    double fraction = strtod(p->at, &end_real);
    bool hex = p->at[0] == '0' && (p->at[1] == 'x' || p->at[1] == 'X');
    if (!hex && end_real > end_integer) {
        p->at = end_real;
        bool single = *p->at == 'f' || *p->at == 'F';
        p->at += single;
        return real(p, single ? 4 : 8, fraction);
    }
    p->at = end_integer;
    bool is_unsigned = false, wide = whole > INT32_MAX;
    for (; *p->at && strchr("uUlL", *p->at); p->at++) {
        if (*p->at == 'u' || *p->at == 'U')
            is_unsigned = true;
        else
            wide = true;
    }
    return integer(p, is_unsigned ? DEBUG_UNSIGNED : DEBUG_SIGNED, wide ? 8 : 4, whole);
}

static debug_value primary(parser *p) {
    char name[NAME];
    skip_space(p);
    if (take(p, "(")) {
        debug_value value = expression(p, 0);
        return take(p, ")") ? value : fail(p, "a closing ')' is missing");
    }
    if (isdigit((unsigned char)*p->at) || (*p->at == '.' && isdigit((unsigned char)p->at[1])))
        return number(p);
    if (p->at[0] == '\'' && p->at[1] && p->at[2] == '\'') {
        p->at += 3;
        return integer(p, DEBUG_CHAR, 1, (uint8_t)p->at[-2]);
    }
    if (*p->at == '%' || *p->at == '$') {
        size_t length = 1;
        while (isalnum((unsigned char)p->at[length]) || (p->at[length] && strchr("_$.", p->at[length])))
            length++;
        snprintf(name, sizeof name, "%%%.*s", (int)length - 1, p->at + 1);
        p->at += length;
        debug_value value = {0};
        kz_status status = debug_register_value(p->context, name, &value, p->error);
        if (status == KZ_OK) return value;
        p->status = status;
        return fail(p, "%s", name);
    }
    if (take_name(p, name)) return named(p, name);
    return *p->at ? fail(p, "'%s' is not understood", p->at) : fail(p, "an expression is missing");
}

static const debug_member *find_member(const debug_type *type, const char *name, uint64_t *offset,
                                       unsigned depth) {
    type = debug_type_real(type);
    for (uint32_t i = 0; i < type->member_count && depth < 8; i++) {
        const debug_member *m = &type->members[i];
        *offset = m->offset;
        if (m->name && !strcmp(m->name, name)) return m;
        uint64_t inner;
        const debug_member *found = m->name ? NULL : find_member(m->type, name, &inner, depth + 1);
        if (!found) continue;
        *offset += inner;
        return found;
    }
    return NULL;
}

static debug_value member(parser *p, debug_value value) {
    char name[NAME];
    if (!take_name(p, name)) return fail(p, "the name of a member is missing");
    uint64_t offset = 0;
    const debug_member *found = find_member(value.type, name, &offset, 0);
    if (!found) return fail(p, "%s has no member %s", value.type->name, name);
    debug_value part = {.type = found->type, .in_memory = value.in_memory, .address = value.address + offset};
    if (!value.in_memory && offset + found->type->bytes <= sizeof value.bytes)
        memcpy(part.bytes, value.bytes + offset, found->type->bytes);
    return followed(p, part);
}

static debug_value pointed(parser *p, const debug_value *value) {
    debug_value pointer = decayed(p, *value);
    const debug_type *type = debug_type_real(pointer.type);
    if (type->kind != DEBUG_POINTER)
        return fail(p, "a value of type %s does not point at anything", value->type->name);
    if (debug_type_real(type->target)->kind == DEBUG_VOID)
        return fail(p, "what a void pointer points at has no type: cast it first, as in *(float *)p");
    return (debug_value){.type = type->target, .in_memory = true, .address = bits_of(p, &pointer)};
}

static debug_value element(parser *p, const debug_value *value, int64_t index) {
    const debug_type *type = debug_type_real(value->type);
    if (type->kind == DEBUG_ARRAY && type->count && (index < 0 || (uint64_t)index >= type->count))
        return fail(p, "[%" PRId64 "] is outside: it has %" PRIu64 " elements", index, type->count);
    debug_value first = pointed(p, value);
    first.address += (uint64_t)index * debug_type_real(first.type)->bytes;
    return first;
}

static debug_value postfix(parser *p) {
    debug_value value = primary(p);
    while (p->status == KZ_OK) {
        if (take(p, "[")) {
            debug_value index = expression(p, 0);
            int64_t at = signed_of(p, &index);
            if (!take(p, "]")) return fail(p, "a closing ']' is missing");
            if (p->status == KZ_OK) value = element(p, &value, at);
        } else if (take(p, "->")) {
            value = pointed(p, &value);
            value = p->status == KZ_OK ? member(p, value) : value;
        } else if (take(p, ".")) {
            value = member(p, value);
        } else
            break;
    }
    return value;
}

// type: words and stars before a closing parenthesis. NULL, and nothing taken, where it is no type.
static const debug_type *type_name(parser *p) {
    const char *start = p->at;
    char whole[NAME * 2] = "", word[NAME];
    while (take_name(p, word)) {
        if (!strcmp(word, "const") || !strcmp(word, "struct") || !strcmp(word, "volatile")) continue;
        size_t length = strlen(whole);
        snprintf(whole + length, sizeof whole - length, "%s%s", length ? " " : "", word);
    }
    const debug_type *type = *whole ? debug_type_named(symbols_of(p), whole) : NULL;
    while (type && take(p, "*")) type = debug_type_pointer(symbols_of(p), type);
    if (type && take(p, ")")) return type;
    p->at = start;
    return NULL;
}

static debug_value address_of(parser *p, const debug_value *value) {
    if (p->status == KZ_OK && !value->in_memory)
        return fail(p, "it has no address: it is in a register, or computed");
    return pointer_to(p, value->type, value->address);
}

static debug_value negated(parser *p, const debug_value *value) {
    if (is_real(value->type))
        return real(p, debug_type_real(value->type)->bytes == 8 ? 8 : 4, -real_of(p, value));
    return integer(p, DEBUG_SIGNED, debug_type_real(value->type)->bytes == 8 ? 8 : 4,
                   0 - (uint64_t)signed_of(p, value));
}

static debug_value prefixed(parser *p, char sign) {
    debug_value value = unary(p);
    bool truth = false;
    if (p->status != KZ_OK) return value;
    switch (sign) {
    case '*': return pointed(p, &value);
    case '&': return address_of(p, &value);
    case '-': return negated(p, &value);
    case '!':
        if (!debug_value_truth(p->context, &value, &truth)) return fail(p, "! needs a number");
        return integer(p, DEBUG_BOOL, 1, !truth);
    case '~':
        return integer(p, DEBUG_UNSIGNED, debug_type_real(value.type)->bytes == 8 ? 8 : 4,
                       ~bits_of(p, &value));
    default: return value;
    }
}

static debug_value unary(parser *p) {
    if (++p->depth > MAX_DEPTH) return fail(p, "the expression is nested too deeply");
    debug_value value;
    skip_space(p);
    const char *start = p->at;
    const debug_type *type = take(p, "(") ? type_name(p) : NULL;
    if (type) {
        debug_value from = unary(p);
        value = p->status == KZ_OK ? converted(p, &from, type) : from;
    } else {
        p->at = start;
        if (*p->at && strchr("*&-+!~", *p->at))
            value = prefixed(p, *p->at++);
        else
            value = postfix(p);
    }
    p->depth--;
    return value;
}

// ---- operators with two sides ----------------------------------------------------------------------------

typedef enum operation {
    OR,
    AND,
    BIT_OR,
    BIT_XOR,
    BIT_AND,
    EQUAL,
    DIFFERENT,
    LESS_EQUAL,
    MORE_EQUAL,
    SHIFT_LEFT,
    SHIFT_RIGHT,
    LESS,
    MORE,
    PLUS,
    MINUS,
    TIMES,
    DIVIDE,
    REMAINDER,
} operation;
// Longer ones before those they begin with.
static const struct {
    const char *text;
    unsigned level;
} operators[] = {
    [OR] = {"||", 1},         [AND] = {"&&", 2},        [BIT_OR] = {"|", 3},       [BIT_XOR] = {"^", 4},
    [BIT_AND] = {"&", 5},     [EQUAL] = {"==", 6},      [DIFFERENT] = {"!=", 6},   [LESS_EQUAL] = {"<=", 7},
    [MORE_EQUAL] = {">=", 7}, [SHIFT_LEFT] = {"<<", 8}, [SHIFT_RIGHT] = {">>", 8}, [LESS] = {"<", 7},
    [MORE] = {">", 7},        [PLUS] = {"+", 9},        [MINUS] = {"-", 9},        [TIMES] = {"*", 10},
    [DIVIDE] = {"/", 10},     [REMAINDER] = {"%", 10},
};

static bool next_operator(parser *p, unsigned level, operation *op) {
    skip_space(p);
    for (size_t i = 0; i < BASE_COUNT(operators); i++) {
        if (strncmp(p->at, operators[i].text, strlen(operators[i].text))) continue;
        if (operators[i].level <= level) return false;
        *op = (operation)i;
        p->at += strlen(operators[i].text);
        return true;
    }
    return false;
}

static debug_value with_reals(parser *p, operation op, const debug_value *left, const debug_value *right) {
    double a = real_of(p, left), b = real_of(p, right);
    bool wide = debug_type_real(left->type)->bytes == 8 || debug_type_real(right->type)->bytes == 8;
    unsigned bytes = wide ? 8 : 4;
    switch (op) {
    case PLUS: return real(p, bytes, a + b);
    case MINUS: return real(p, bytes, a - b);
    case TIMES: return real(p, bytes, a * b);
    case DIVIDE: return real(p, bytes, a / b);
    case REMAINDER: return real(p, bytes, fmod(a, b));
    case EQUAL: return integer(p, DEBUG_BOOL, 1, a == b);
    case DIFFERENT: return integer(p, DEBUG_BOOL, 1, a != b);
    case LESS: return integer(p, DEBUG_BOOL, 1, a < b);
    case MORE: return integer(p, DEBUG_BOOL, 1, a > b);
    case LESS_EQUAL: return integer(p, DEBUG_BOOL, 1, a <= b);
    case MORE_EQUAL: return integer(p, DEBUG_BOOL, 1, a >= b);
    default: return fail(p, "%s needs whole numbers", operators[op].text);
    }
}

static debug_value divided(parser *p, operation op, debug_kind kind, unsigned bytes, uint64_t a, uint64_t b) {
    if (b == 0) return fail(p, "division by zero");
    if (kind == DEBUG_UNSIGNED) return integer(p, kind, bytes, op == DIVIDE ? a / b : a % b);
    if ((int64_t)b == -1) return integer(p, kind, bytes, op == DIVIDE ? 0 - a : 0);
    int64_t x = (int64_t)a, y = (int64_t)b;
    return integer(p, kind, bytes, (uint64_t)(op == DIVIDE ? x / y : x % y));
}

static debug_value with_integers(parser *p, operation op, const debug_value *left, const debug_value *right) {
    uint64_t left_bytes = debug_type_real(left->type)->bytes,
             right_bytes = debug_type_real(right->type)->bytes;
    unsigned bytes = left_bytes == 8 || right_bytes == 8 ? 8 : 4;
    bool is_unsigned =
        (left_bytes == bytes && !is_signed(left->type)) || (right_bytes == bytes && !is_signed(right->type));
    debug_kind kind = is_unsigned ? DEBUG_UNSIGNED : DEBUG_SIGNED;
    uint64_t a = (uint64_t)signed_of(p, left), b = (uint64_t)signed_of(p, right);
    if (is_unsigned && bytes == 4) a = (uint32_t)a, b = (uint32_t)b;
    bool less = is_unsigned ? a < b : (int64_t)a < (int64_t)b;
    switch (op) {
    case PLUS: return integer(p, kind, bytes, a + b);
    case MINUS: return integer(p, kind, bytes, a - b);
    case TIMES: return integer(p, kind, bytes, a * b);
    case DIVIDE:
    case REMAINDER: return divided(p, op, kind, bytes, a, b);
    case BIT_OR: return integer(p, kind, bytes, a | b);
    case BIT_XOR: return integer(p, kind, bytes, a ^ b);
    case BIT_AND: return integer(p, kind, bytes, a & b);
    case SHIFT_LEFT: return integer(p, kind, bytes, b > 63 ? 0 : a << b);
    case SHIFT_RIGHT:
        return integer(p, kind, bytes, b > 63 ? 0 : is_unsigned ? a >> b : (uint64_t)((int64_t)a >> b));
    case EQUAL: return integer(p, DEBUG_BOOL, 1, a == b);
    case DIFFERENT: return integer(p, DEBUG_BOOL, 1, a != b);
    case LESS: return integer(p, DEBUG_BOOL, 1, less);
    case MORE: return integer(p, DEBUG_BOOL, 1, !less && a != b);
    case LESS_EQUAL: return integer(p, DEBUG_BOOL, 1, less || a == b);
    default: return integer(p, DEBUG_BOOL, 1, !less);
    }
}

static debug_value with_pointer(parser *p, operation op, const debug_value *left, const debug_value *right) {
    const debug_type *type = debug_type_real(left->type);
    uint64_t size = type->kind == DEBUG_POINTER ? debug_type_real(type->target)->bytes : 0;
    bool both = debug_type_real(right->type)->kind == DEBUG_POINTER;
    if (op == MINUS && both && size)
        return integer(p, DEBUG_SIGNED, 8,
                       (uint64_t)((int64_t)(bits_of(p, left) - bits_of(p, right)) / (int64_t)size));
    if ((op == PLUS || op == MINUS) && size && !both) {
        uint64_t step = (uint64_t)signed_of(p, right) * size, from = bits_of(p, left);
        return pointer_to(p, type->target, op == PLUS ? from + step : from - step);
    }
    return with_integers(p, op, left, right);
}

static debug_value combine(parser *p, operation op, debug_value left, debug_value right) {
    left = decayed(p, left);
    right = decayed(p, right);
    bool a = false, b = false;
    if (op == AND || op == OR) {
        if (!debug_value_truth(p->context, &left, &a) || !debug_value_truth(p->context, &right, &b))
            return fail(p, "%s needs numbers", operators[op].text);
        return integer(p, DEBUG_BOOL, 1, op == AND ? a && b : a || b);
    }
    if (debug_type_real(left.type)->kind == DEBUG_POINTER ||
        debug_type_real(right.type)->kind == DEBUG_POINTER) {
        if (is_real(left.type) || is_real(right.type))
            return fail(p, "a pointer and a float do not go together");
        bool swap = op == PLUS && debug_type_real(left.type)->kind != DEBUG_POINTER;
        return swap ? with_pointer(p, op, &right, &left) : with_pointer(p, op, &left, &right);
    }
    if (is_real(left.type) || is_real(right.type)) return with_reals(p, op, &left, &right);
    return with_integers(p, op, &left, &right);
}

// unary ["@" unary]: gdb's, so many of them, side by side
static debug_value repeated(parser *p) {
    debug_value value = unary(p);
    if (p->status != KZ_OK || !take(p, "@")) return value;
    debug_value count = unary(p);
    int64_t many = signed_of(p, &count);
    if (p->status != KZ_OK) return value;
    if (!value.in_memory || many < 1 || many > 1 << 20)
        return fail(p, "@ needs something in memory on its left and a count on its right, as in *p@8");
    value.type = debug_type_array(symbols_of(p), value.type, (uint64_t)many);
    return value;
}

static debug_value expression(parser *p, unsigned level) {
    if (++p->depth > MAX_DEPTH) return fail(p, "the expression is nested too deeply");
    debug_value left = repeated(p);
    operation op;
    while (p->status == KZ_OK && next_operator(p, level, &op)) {
        debug_value right = expression(p, operators[op].level);
        if (p->status == KZ_OK) left = combine(p, op, left, right);
    }
    p->depth--;
    return left;
}

kz_status debug_evaluate(const debug_context *context, const char *text, const char **end, debug_value *value,
                         kz_error *error) {
    parser p = {.context = context, .at = text, .error = error};
    *value = expression(&p, 0);
    skip_space(&p);
    if (p.status == KZ_OK && !end && *p.at) fail(&p, "'%s' is not understood", p.at);
    if (end) *end = p.at;
    return p.status;
}
