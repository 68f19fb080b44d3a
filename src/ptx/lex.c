// The lexer: one pass, no state between tokens.
#include "ptx/lex.h"

#include <stdlib.h>
#include <string.h>

enum { IS_SPACE = 1, IS_DIGIT = 2, IS_START = 4, IS_PART = 8, IS_PUNCTUATION = 16, IS_HEX = 32 };

#define LETTER     (IS_START | IS_PART)
#define HEX_LETTER (IS_START | IS_PART | IS_HEX)
static const uint8_t classes[256] = {
    [' '] = IS_SPACE,           ['\t'] = IS_SPACE,      ['\r'] = IS_SPACE,
    ['\f'] = IS_SPACE,          ['\v'] = IS_SPACE,      ['0' ... '9'] = IS_DIGIT | IS_PART | IS_HEX,
    ['a' ... 'f'] = HEX_LETTER, ['g' ... 'z'] = LETTER, ['A' ... 'F'] = HEX_LETTER,
    ['G' ... 'Z'] = LETTER,     ['_'] = LETTER,         ['$'] = LETTER,
    ['%'] = IS_START,           ['('] = IS_PUNCTUATION, [')'] = IS_PUNCTUATION,
    ['{'] = IS_PUNCTUATION,     ['}'] = IS_PUNCTUATION, ['['] = IS_PUNCTUATION,
    [']'] = IS_PUNCTUATION,     ['<'] = IS_PUNCTUATION, ['>'] = IS_PUNCTUATION,
    [','] = IS_PUNCTUATION,     [';'] = IS_PUNCTUATION, [':'] = IS_PUNCTUATION,
    ['+'] = IS_PUNCTUATION,     ['-'] = IS_PUNCTUATION, ['*'] = IS_PUNCTUATION,
    ['/'] = IS_PUNCTUATION,     ['!'] = IS_PUNCTUATION, ['~'] = IS_PUNCTUATION,
    ['@'] = IS_PUNCTUATION,     ['|'] = IS_PUNCTUATION, ['&'] = IS_PUNCTUATION,
    ['^'] = IS_PUNCTUATION,     ['='] = IS_PUNCTUATION, ['?'] = IS_PUNCTUATION,
};

typedef struct lexer {
    const char *at, *end, *start, *line_start;
    uint32_t line;
    ptx_tokens *tokens;
    size_t capacity;
} lexer;

static bool is(const lexer *lex, const char *at, int class) {
    return at < lex->end && (classes[(unsigned char)*at] & class);
}

static const char *skip(const lexer *lex, const char *at, int class) {
    while (is(lex, at, class)) at++;
    return at;
}

// A word, with its dotted parts: "cp.async.bulk.shared::cluster.global".
static const char *word(const lexer *lex, const char *at) {
    at = skip(lex, at + 1, IS_PART);
    for (;;) {
        if (is(lex, at + 1, IS_PART) && *at == '.')
            at = skip(lex, at + 1, IS_PART);
        else if (at + 2 < lex->end && at[0] == ':' && at[1] == ':' && is(lex, at + 2, IS_PART))
            at = skip(lex, at + 2, IS_PART);
        else
            return at;
    }
}

static const char *dotted(const lexer *lex, const char *at) {
    at = skip(lex, at + 1, IS_PART);
    while (at + 2 < lex->end && at[0] == ':' && at[1] == ':' && is(lex, at + 2, IS_PART))
        at = skip(lex, at + 2, IS_PART);
    return at;
}

static const char *number(const lexer *lex, const char *at, int *kind) {
    *kind = PTX_TOKEN_INT;
    char second = at + 1 < lex->end && *at == '0' ? at[1] : 0;
    if (second == 'f' || second == 'F' || second == 'd' || second == 'D') {
        *kind = PTX_TOKEN_FLOAT;
        return skip(lex, at + 2, IS_HEX);
    }
    if (second == 'x' || second == 'X' || second == 'b' || second == 'B') {
        at = skip(lex, at + 2, IS_HEX);
    } else {
        at = skip(lex, at, IS_DIGIT);
        if (at < lex->end && *at == '.') {
            *kind = PTX_TOKEN_FLOAT;
            at = skip(lex, at + 1, IS_DIGIT);
        }
        if (at < lex->end && (*at == 'e' || *at == 'E')) {
            const char *exponent = at + 1;
            if (exponent < lex->end && (*exponent == '+' || *exponent == '-')) exponent++;
            if (is(lex, exponent, IS_DIGIT)) {
                *kind = PTX_TOKEN_FLOAT;
                at = skip(lex, exponent, IS_DIGIT);
            }
        }
    }
    if (*kind == PTX_TOKEN_INT && at < lex->end && *at == 'U') at++;
    return at;
}

// The end of a string, or NULL where it does not end on its line.
static const char *string(const lexer *lex, const char *at) {
    for (at++; at < lex->end && *at != '\n' && *at; at++) {
        if (*at == '"') return at + 1;
        if (*at == '\\' && at + 1 < lex->end && at[1] != '\n' && at[1]) at++;
    }
    return NULL;
}

static bool comment(lexer *lex) {
    const char *at = lex->at;
    bool hash = *at == '#' && skip(lex, lex->line_start, IS_SPACE) == at;
    if (hash || (*at == '/' && at + 1 < lex->end && at[1] == '/')) {
        const char *end = memchr(at, '\n', (size_t)(lex->end - at));
        lex->at = end ? end : lex->end;
        return true;
    }
    if (*at != '/' || at + 1 >= lex->end || at[1] != '*') return false;
    for (at += 2; at < lex->end; at++) {
        if (*at == '\n') {
            lex->line++;
            lex->line_start = at + 1;
        } else if (*at == '*' && at + 1 < lex->end && at[1] == '/') {
            lex->at = at + 2;
            return true;
        }
    }
    lex->at = lex->end; // an open comment swallows the rest, as a C compiler would warn
    return true;
}

static bool push(lexer *lex, int kind, const char *end) {
    ptx_tokens *tokens = lex->tokens;
    if (tokens->count + 1 >= lex->capacity) {
        size_t capacity = lex->capacity * 2;
        ptx_token *data = realloc(tokens->data, capacity * sizeof *data);
        if (!data) return false;
        tokens->data = data;
        lex->capacity = capacity;
    }
    tokens->data[tokens->count++] = (ptx_token){
        .offset = (uint32_t)(lex->at - lex->start),
        .line = lex->line,
        .column = (uint32_t)(lex->at - lex->line_start) + 1,
        .kind = (uint8_t)kind,
        .length = (uint32_t)(end - lex->at) & 0xffffff,
    };
    return true;
}

// The kind of the token at lex->at and where it ends; NULL for what begins no token.
static const char *token(const lexer *lex, int *kind) {
    char c = *lex->at;
    int class = classes[(unsigned char)c];
    if (class & IS_DIGIT) return number(lex, lex->at, kind);
    if (class & IS_START) {
        *kind = PTX_TOKEN_WORD;
        return word(lex, lex->at);
    }
    if (c == '.' && is(lex, lex->at + 1, IS_PART)) {
        *kind = PTX_TOKEN_DOT;
        return dotted(lex, lex->at);
    }
    if (c == '"') {
        *kind = PTX_TOKEN_STRING;
        return string(lex, lex->at);
    }
    *kind = c;
    return class & IS_PUNCTUATION ? lex->at + 1 : NULL;
}

static kz_status lex_all(lexer *lex, const char *name, size_t length, kz_error *error) {
    while (lex->at < lex->end) {
        char c = *lex->at;
        if (c == '\n') {
            lex->line++;
            lex->line_start = ++lex->at;
            continue;
        }
        if (classes[(unsigned char)c] & IS_SPACE) {
            lex->at++;
            continue;
        }
        if ((c == '/' || c == '#') && comment(lex)) continue;
        int kind;
        const char *end = token(lex, &kind);
        if (end && end - lex->at < 1 << 24) {
            if (!push(lex, kind, end))
                return base_fail(error, KZ_NO_MEMORY, "%s: no memory for its tokens", name);
            lex->at = end;
            continue;
        }
        ptx_token here = {.offset = (uint32_t)(lex->at - lex->start),
                          .line = lex->line,
                          .column = (uint32_t)(lex->at - lex->line_start) + 1};
        const char *what = end        ? "this token is too long"
                           : c == '"' ? "this string does not end on its line"
                                      : "this character means nothing in PTX";
        return ptx_fail_caret(error, KZ_SYNTAX, name, lex->start, length, &here, what);
    }
    // Several ends: the parser may look two tokens ahead of the last one.
    size_t count = lex->tokens->count;
    for (int i = 0; i < 4; i++)
        if (!push(lex, PTX_TOKEN_END, lex->at))
            return base_fail(error, KZ_NO_MEMORY, "%s: no memory for its tokens", name);
    lex->tokens->count = count;
    return KZ_OK;
}

kz_status ptx_lex(const char *name, const char *text, size_t length, ptx_tokens *tokens, kz_error *error) {
    *tokens = (ptx_tokens){0};
    if (length >= 1u << 30)
        return base_fail(error, KZ_LIMIT, "%s: %zu bytes of PTX; at most 1 GiB is read", name, length);
    // PTX has about one token in five bytes.
    lexer lex = {.at = text,
                 .end = text + length,
                 .start = text,
                 .line_start = text,
                 .line = 1,
                 .tokens = tokens,
                 .capacity = length / 5 + 64};
    tokens->data = malloc(lex.capacity * sizeof *tokens->data);
    if (!tokens->data) return base_fail(error, KZ_NO_MEMORY, "%s: no memory for its tokens", name);
    kz_status status = lex_all(&lex, name, length, error);
    if (status != KZ_OK) {
        free(tokens->data);
        *tokens = (ptx_tokens){0};
    }
    return status;
}

kz_status ptx_fail_caret(kz_error *error, kz_status status, const char *name, const char *text, size_t length,
                         const ptx_token *at, const char *message) {
    return base_fail_caret(error, status, name, text, length, at->offset, at->line, at->column, message);
}
