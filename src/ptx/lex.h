// PTX text to tokens. A dotted opcode ("ld.global.v4.f32") and a dotted register ("%tid.x") are one word;
// what begins with a dot (".reg", ".f32") is one token each. Comments and lines beginning with # are dropped.
#ifndef PTX_LEX_H
#define PTX_LEX_H

#include "base/base.h"

enum { // single characters are their own kind
    PTX_TOKEN_END = 0,
    PTX_TOKEN_WORD = 1,
    PTX_TOKEN_DOT = 2, // the text begins with the dot
    PTX_TOKEN_INT = 3,
    PTX_TOKEN_FLOAT = 4,
    PTX_TOKEN_STRING = 5, // with its quotes
};

typedef struct ptx_token {
    uint32_t offset, line, column; // line and column from 1
    uint32_t kind : 8, length : 24;
} ptx_token;

typedef struct ptx_tokens {
    ptx_token *data; // malloc'ed; ends with PTX_TOKEN_END
    size_t count;    // without the end
} ptx_tokens;

kz_status ptx_lex(const char *name, const char *text, size_t length, ptx_tokens *tokens, kz_error *error);

// "file:line:column: message", the line, and a caret under the column. `at` is the token's position.
kz_status ptx_fail_caret(kz_error *error, kz_status status, const char *name, const char *text, size_t length,
                         const ptx_token *at, const char *message);

#endif
