// Constant expressions: integers of 64 bits and doubles, with C's operators and precedence. The remainder
// operator is left out: % begins a register's name.
#include "ptx/parser.h"

#include <stdlib.h>
#include <string.h>

static int digit_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 99;
}

static const ptx_token *integer(ptx_parser *parser, const ptx_token *token, ptx_constant *value) {
    const char *text = ptx_token_text(parser, token);
    uint32_t length = token->length, at = 0;
    value->is_unsigned = text[length - 1] == 'U';
    if (value->is_unsigned) length--;
    int base = 10;
    if (length > 1 && text[0] == '0') {
        char second = text[1];
        base = second == 'x' || second == 'X' ? 16 : second == 'b' || second == 'B' ? 2 : 8;
        at = base == 8 ? 1 : 2;
    }
    if (at >= length) return ptx_fail_at(parser, token, "expected digits here");
    uint64_t result = 0;
    for (; at < length; at++) {
        int digit = digit_value(text[at]);
        if (digit >= base) return ptx_fail_at(parser, token, "'%.*s' is no number", (int)token->length, text);
        if (result > (UINT64_MAX - (uint64_t)digit) / (uint64_t)base)
            return ptx_fail_at(parser, token, "this number does not fit in 64 bits");
        result = result * (uint64_t)base + (uint64_t)digit;
    }
    if (result > INT64_MAX) value->is_unsigned = true;
    value->integer = (int64_t)result;
    return token + 1;
}

static const ptx_token *floating(ptx_parser *parser, const ptx_token *token, ptx_constant *value) {
    const char *text = ptx_token_text(parser, token);
    value->is_float = true;
    char second = token->length > 1 && text[0] == '0' ? text[1] : 0;
    bool single = second == 'f' || second == 'F', twice = second == 'd' || second == 'D';
    if (single || twice) {
        if (token->length != (single ? 10u : 18u))
            return ptx_fail_at(parser, token, "expected %d hexadecimal digits after 0%c", single ? 8 : 16,
                               second);
        for (uint32_t i = 2; i < token->length; i++)
            value->bits = value->bits << 4 | (uint64_t)digit_value(text[i]);
        value->is_single = single;
        if (single) {
            uint32_t bits = (uint32_t)value->bits;
            float real;
            memcpy(&real, &bits, sizeof real);
            value->real = real;
        } else {
            memcpy(&value->real, &value->bits, sizeof value->real);
        }
        return token + 1;
    }
    char copy[400]; // longer decimal literals have more digits than a double can tell apart
    if (token->length >= sizeof copy) return ptx_fail_at(parser, token, "this number has too many digits");
    memcpy(copy, text, token->length);
    copy[token->length] = 0;
    value->real = strtod(copy, NULL);
    memcpy(&value->bits, &value->real, sizeof value->bits);
    return token + 1;
}

static double as_real(const ptx_constant *value) {
    if (value->is_float) return value->real;
    return value->is_unsigned ? (double)(uint64_t)value->integer : (double)value->integer;
}

static void set_real(ptx_constant *value, double real) {
    *value = (ptx_constant){.is_float = true, .real = real};
    memcpy(&value->bits, &real, sizeof value->bits);
}

static void negate(ptx_constant *value) {
    if (!value->is_float) {
        value->integer = (int64_t)(0 - (uint64_t)value->integer);
        return;
    }
    value->real = -value->real;
    value->bits ^= value->is_single ? UINT64_C(1) << 31 : UINT64_C(1) << 63;
}

static const ptx_token *expression_at(ptx_parser *parser, const ptx_token *token, int level,
                                      ptx_constant *value);

static const ptx_token *primary(ptx_parser *parser, const ptx_token *token, ptx_constant *value) {
    if (token->kind == PTX_TOKEN_INT) return integer(parser, token, value);
    if (token->kind == PTX_TOKEN_FLOAT) return floating(parser, token, value);
    if (token->kind == PTX_TOKEN_WORD && ptx_is(parser, token, "WARP_SZ")) {
        value->integer = 32;
        return token + 1;
    }
    if (token->kind != '(') return ptx_fail_at(parser, token, "expected a constant");
    if (token[1].kind == PTX_TOKEN_DOT && token[2].kind == ')') { // a cast
        bool to_unsigned = ptx_is(parser, token + 1, ".u64");
        if (!to_unsigned && !ptx_is(parser, token + 1, ".s64"))
            return ptx_fail_at(parser, token + 1, "a constant can be cast to .s64 or .u64 only");
        token = expression_at(parser, token + 3, 11, value);
        if (value->is_float) return ptx_fail_at(parser, token, "a float cannot be cast");
        value->is_unsigned = to_unsigned;
        return token;
    }
    return ptx_expect(parser, expression_at(parser, token + 1, 0, value), ')');
}

static const ptx_token *unary(ptx_parser *parser, const ptx_token *token, ptx_constant *value) {
    int sign = (int)token->kind;
    if (sign != '-' && sign != '+' && sign != '!' && sign != '~') return primary(parser, token, value);
    const ptx_token *rest = expression_at(parser, token + 1, 11, value);
    if (sign == '-') negate(value);
    if (sign == '!' || sign == '~') {
        if (value->is_float) return ptx_fail_at(parser, token, "a float has no '%c'", sign);
        value->integer = sign == '!' ? !value->integer : ~value->integer;
    }
    return rest;
}

typedef struct binary_operator {
    char text[3];
    int level; // 1 binds least
} binary_operator;

static const binary_operator operators[] = {
    {"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<<", 8}, {">>", 8}, {"<=", 7}, {">=", 7}, {"|", 3},
    {"^", 4},  {"&", 5},  {"<", 7},  {">", 7},  {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10},
};

static const binary_operator *operator_at(const ptx_token *token) {
    if (token->kind <= PTX_TOKEN_STRING) return NULL;
    bool joined = token[1].kind > PTX_TOKEN_STRING && token[1].offset == token->offset + 1;
    for (size_t i = 0; i < BASE_COUNT(operators); i++) {
        const char *text = operators[i].text;
        if (text[0] == (char)token->kind && (text[1] == 0 || (joined && text[1] == (char)token[1].kind)))
            return &operators[i];
    }
    return NULL;
}

static bool real_binary(const binary_operator *op, ptx_constant *a, const ptx_constant *b) {
    double x = as_real(a), y = as_real(b);
    int truth = -1;
    switch (op->text[0]) {
    case '+': set_real(a, x + y); return true;
    case '-': set_real(a, x - y); return true;
    case '*': set_real(a, x * y); return true;
    case '/': set_real(a, x / y); return true;
    case '<': truth = op->text[1] == '=' ? x <= y : x < y; break;
    case '>': truth = op->text[1] == '=' ? x >= y : x > y; break;
    case '=': truth = x == y; break;
    case '!': truth = x != y; break;
    }
    if (truth < 0 || op->text[1] == '<' || op->text[1] == '>') return false;
    *a = (ptx_constant){.integer = truth};
    return true;
}

// Arithmetic wraps in 64 bits; division by zero is false.
static bool integer_binary(const binary_operator *op, ptx_constant *a, const ptx_constant *b) {
    bool is_unsigned = a->is_unsigned || b->is_unsigned;
    int64_t s = a->integer, t = b->integer;
    uint64_t x = (uint64_t)s, y = (uint64_t)t, result = 0;
    bool less = is_unsigned ? x < y : s < t, overflow = !is_unsigned && t == -1;
    char first = op->text[0], second = op->text[1];
    bool truth = true;
    if (first == '<' && second == '<')
        result = y < 64 ? x << y : 0, truth = false;
    else if (first == '>' && second == '>')
        result = y < 64 ? (a->is_unsigned ? x >> y : (uint64_t)(s >> y)) : 0, truth = false;
    else if (first == '<')
        result = second == '=' ? less || x == y : less;
    else if (first == '>')
        result = second == '=' ? !less : !less && x != y;
    else if (first == '=')
        result = x == y;
    else if (first == '!')
        result = x != y;
    else if (first == '&' && second)
        result = x && y;
    else if (first == '|' && second)
        result = x || y;
    else {
        truth = false;
        if (first == '/' && y == 0) return false;
        switch (first) {
        case '+': result = x + y; break;
        case '-': result = x - y; break;
        case '*': result = x * y; break;
        case '/': result = overflow ? 0 - x : is_unsigned ? x / y : (uint64_t)(s / t); break;
        case '&': result = x & y; break;
        case '^': result = x ^ y; break;
        case '|': result = x | y; break;
        }
    }
    *a = (ptx_constant){.integer = (int64_t)result, .is_unsigned = !truth && is_unsigned};
    return true;
}

// Everything that binds at least as tightly as `level`.
static const ptx_token *expression_at(ptx_parser *parser, const ptx_token *token, int level,
                                      ptx_constant *value) {
    *value = (ptx_constant){0};
    if (++parser->nesting > PTX_MAX_NESTING) {
        parser->nesting--;
        return ptx_fail_at(parser, token, "this expression is nested too deeply");
    }
    token = unary(parser, token, value);
    for (;;) {
        const binary_operator *op = operator_at(token);
        if (!op || op->level < level) break;
        const ptx_token *sign = token;
        ptx_constant right;
        token = expression_at(parser, token + strlen(op->text), op->level + 1, &right);
        bool done = value->is_float || right.is_float ? real_binary(op, value, &right)
                                                      : integer_binary(op, value, &right);
        if (!done) token = ptx_fail_at(parser, sign, "'%s' has no value here", op->text);
    }
    if (level == 0 && token->kind == '?') {
        ptx_constant yes, no;
        token = ptx_expect(parser, expression_at(parser, token + 1, 0, &yes), ':');
        token = expression_at(parser, token, 0, &no);
        bool chosen = value->is_float ? value->real != 0 : value->integer != 0;
        *value = chosen ? yes : no;
    }
    parser->nesting--;
    return token;
}

const ptx_token *ptx_parse_expression(ptx_parser *parser, const ptx_token *token, ptx_constant *value) {
    // Nearly every constant is one number.
    if (token->kind == PTX_TOKEN_INT &&
        (token[1].kind == ',' || token[1].kind == ';' || token[1].kind == ']')) {
        *value = (ptx_constant){0};
        return integer(parser, token, value);
    }
    return expression_at(parser, token, 0, value);
}

const ptx_token *ptx_parse_sum(ptx_parser *parser, const ptx_token *token, ptx_constant *value) {
    return expression_at(parser, token, 9, value);
}

const ptx_token *ptx_parse_integer(ptx_parser *parser, const ptx_token *token, uint64_t most,
                                   uint64_t *value) {
    ptx_constant constant;
    const ptx_token *rest = ptx_parse_sum(parser, token, &constant);
    *value = 0;
    if (parser->status != KZ_OK) return parser->end;
    if (constant.is_float || (uint64_t)constant.integer > most)
        return ptx_fail_at(parser, token, "expected a whole number up to %llu", (unsigned long long)most);
    *value = (uint64_t)constant.integer;
    return rest;
}
