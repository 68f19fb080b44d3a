// A recursive-descent evaluator; each function bears its rule's name:
//     sum     = product { ("+" | "-") product }
//     product = factor { ("*" | "/") factor }
//     factor  = number | name | name "(" sum { "," sum } ")" | "(" sum ")" | "-" factor
// Two sums that stand beside each other with a blank between them are two expressions.
#include "family/expression.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

enum { DEPTH = 64 };

typedef struct reader {
    const char *at;
    const family_name_value *names;
    int depth;
    kz_error *error;
    kz_status status;
} reader;

static double sum(reader *r);

static double fail(reader *r, const char *expected) {
    if (r->status) return 0;
    r->status = base_fail(r->error, KZ_SYNTAX, "expected %s at \"%.24s\"", expected, r->at);
    base_text known = {0};
    for (const family_name_value *n = r->names; n->name; n++) base_text_add(&known, " %s", n->name);
    base_fail_note(r->error, "an expression knows + - * / ( ) ceil() floor() min() max() and%s",
                   known.data ? known.data : "");
    base_text_free(&known);
    return 0;
}

static void skip_blanks(reader *r) {
    while (*r->at == ' ' || *r->at == '\t') r->at++;
}

static bool take(reader *r, char c) {
    const char *start = r->at;
    skip_blanks(r);
    if (*r->at == c) return r->at++, true;
    r->at = start;
    return false;
}

static bool is_word(const char *word, size_t length, const char *text) {
    return strlen(text) == length && memcmp(word, text, length) == 0;
}

static double function_call(reader *r, const char *name, size_t length) {
    bool low = is_word(name, length, "min"), high = is_word(name, length, "max");
    bool up = is_word(name, length, "ceil"), down = is_word(name, length, "floor");
    if (!low && !high && !up && !down) {
        r->at = name;
        return fail(r, "ceil, floor, min or max");
    }
    double value = sum(r);
    while (!r->status && (low || high) && take(r, ',')) {
        double other = sum(r);
        value = low ? fmin(value, other) : fmax(value, other);
    }
    if (!r->status && !take(r, ')')) return fail(r, "\")\"");
    return up ? ceil(value) : down ? floor(value) : value;
}

static double name(reader *r) {
    const char *word = r->at;
    while (isalnum((unsigned char)*r->at) || *r->at == '_') r->at++;
    size_t length = (size_t)(r->at - word);
    if (take(r, '(')) return function_call(r, word, length);
    for (const family_name_value *n = r->names; n->name; n++)
        if (is_word(word, length, n->name)) return n->value;
    r->at = word;
    return fail(r, "a known name");
}

static double factor(reader *r) {
    double value = 0;
    if (r->status) return 0;
    if (++r->depth > DEPTH) return fail(r, "an expression that is not nested so deep");
    skip_blanks(r);
    if (isdigit((unsigned char)*r->at)) {
        char *end;
        value = (double)strtoull(r->at, &end, 0);
        bool point = *end == '.' && isdigit((unsigned char)end[1]); // 2.5, 1e9, 1e-3
        bool power = (*end | 32) == 'e' && isdigit((unsigned char)end[1 + (end[1] == '-' || end[1] == '+')]);
        if (point || power) value = strtod(r->at, &end);
        r->at = end;
    } else if (isalpha((unsigned char)*r->at) || *r->at == '_') {
        value = name(r);
    } else if (take(r, '-')) {
        value = -factor(r);
    } else if (take(r, '(')) {
        value = sum(r);
        if (!r->status && !take(r, ')')) fail(r, "\")\"");
    } else {
        fail(r, "a number, a name or \"(\"");
    }
    r->depth--;
    return value;
}

static double product(reader *r) {
    double value = factor(r);
    while (!r->status) {
        if (take(r, '*')) {
            value *= factor(r);
        } else if (take(r, '/')) {
            const char *divisor_at = r->at;
            double divisor = factor(r);
            if (!r->status && divisor == 0) {
                r->at = divisor_at;
                return fail(r, "a divisor other than 0");
            }
            value /= divisor;
        } else {
            break;
        }
    }
    return value;
}

static double sum(reader *r) {
    double value = product(r);
    while (!r->status) {
        if (take(r, '+'))
            value += product(r);
        else if (take(r, '-'))
            value -= product(r);
        else
            break;
    }
    return value;
}

kz_status family_evaluate(const char **text, const family_name_value *names, double *value, kz_error *error) {
    reader r = {.at = *text, .names = names, .error = error};
    *value = sum(&r);
    skip_blanks(&r);
    *text = r.at;
    return r.status;
}
