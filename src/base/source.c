// Lines of code in the text of a C or CUDA file.
#include <ctype.h>
#include <string.h>

#include "base/base.h"

typedef enum place { CODE, LINE_COMMENT, BLOCK_COMMENT, QUOTED } place;

// What begins here, in code. Behind a digit a quote separates digits: 1'000.
static place enter(const char *at, bool first, char *quote) {
    if (at[0] == '/' && at[1] == '/') return LINE_COMMENT;
    if (at[0] == '/' && at[1] == '*') return BLOCK_COMMENT;
    if (at[0] != '"' && (at[0] != '\'' || (!first && isalnum((unsigned char)at[-1])))) return CODE;
    *quote = at[0];
    return QUOTED;
}

size_t base_code_lines(const char *text) {
    size_t lines = 0;
    bool has_code = false;
    place now = CODE;
    char quote = 0;
    for (const char *at = text; *at; at++) {
        if (*at == '\n') {
            lines += has_code;
            has_code = false;
            if (now != BLOCK_COMMENT) now = CODE;
        } else if (now == BLOCK_COMMENT) {
            if (at[0] == '*' && at[1] == '/') now = CODE, at++;
        } else if (now == QUOTED) {
            if (*at == '\\' && at[1] && at[1] != '\n')
                at++;
            else if (*at == quote)
                now = CODE;
        } else if (now == CODE) {
            now = enter(at, at == text, &quote);
            has_code = has_code || (now != LINE_COMMENT && now != BLOCK_COMMENT && !strchr(" \t\r\f\v", *at));
            if (now == BLOCK_COMMENT) at++; // the star of "/*/" ends nothing
        }
    }
    return lines + has_code;
}
