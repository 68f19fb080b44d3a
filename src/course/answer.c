// The learner's lines and what they mean: names, numbers with units, words, commands. See answer.h.
//     sum     = product { ("+" | "-") product }
//     product = power { ("*" | "/") power }
//     power   = atom [ ("^" | "**") power ]
//     atom    = number | "(" sum ")" | "-" atom
#include "answer.h"

#include <ctype.h>
#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { DEPTH = 32, NUMBER_TEXT = 256, COMMAND_WORDS = 128 };

// ---- lines ----------------------------------------------------------------------------------------

static size_t without_comment(const char *text, size_t length) {
    char quote = 0;
    for (size_t i = 0; i < length; i++) {
        if (quote) {
            if (text[i] == quote) quote = 0;
        } else if (text[i] == '#' && (i == 0 || isspace((unsigned char)text[i - 1])))
            return i;
        else if ((text[i] == '"' || text[i] == '\'') && memchr(text + i + 1, text[i], length - i - 1))
            quote = text[i];
    }
    return length;
}

static const char *trimmed(base_arena *arena, const char *text, size_t length) {
    while (length && isspace((unsigned char)text[0])) text++, length--;
    while (length && isspace((unsigned char)text[length - 1])) length--;
    return base_arena_string(arena, text, length);
}

kz_status course_lines_read(base_arena *arena, const char *source, course_lines *lines, kz_error *error) {
    size_t most = 1;
    for (const char *at = source; *at; at++) most += *at == '\n';
    *lines = (course_lines){.items = base_arena_alloc(arena, most * sizeof *lines->items)};
    if (!lines->items) return base_fail(error, KZ_NO_MEMORY, "no memory for the lines of the answer");
    int number = 0;
    for (const char *at = source; *at;) {
        size_t whole = strcspn(at, "\n"), length = without_comment(at, whole);
        number++;
        const char *equals = memchr(at, '=', length);
        if (equals && equals > at) {
            course_line *line = &lines->items[lines->count++];
            line->name = trimmed(arena, at, (size_t)(equals - at));
            line->value = trimmed(arena, equals + 1, length - (size_t)(equals + 1 - at));
            line->line = number;
            if (!line->name || !line->value)
                return base_fail(error, KZ_NO_MEMORY, "no memory for the lines of the answer");
        } else if (!lines->stray) {
            for (size_t i = 0; i < length; i++)
                if (!isspace((unsigned char)at[i])) lines->stray = number;
        }
        at += whole + (at[whole] == '\n');
    }
    return KZ_OK;
}

const course_line *course_line_find(const course_lines *lines, const char *name) {
    for (size_t i = 0; i < lines->count; i++)
        if (strcasecmp(lines->items[i].name, name) == 0) return &lines->items[i];
    return NULL;
}

bool course_line_is_open(const course_line *line) {
    static const char *const open[] = {"", "?", "??", "???", "...", "_", "TODO", "\"\""};
    for (size_t i = 0; i < BASE_COUNT(open); i++)
        if (strcasecmp(line->value, open[i]) == 0) return true;
    return false;
}

// ---- numbers --------------------------------------------------------------------------------------

typedef struct reader {
    const char *at;
    int depth;
    bool failed;
} reader;

static double sum(reader *r);

static void skip_blanks(reader *r) {
    while (*r->at == ' ' || *r->at == '\t') r->at++;
}

static double atom(reader *r) {
    skip_blanks(r);
    if (++r->depth > DEPTH) r->failed = true;
    double value = 0;
    if (r->failed) return 0;
    if (*r->at == '(') {
        r->at++;
        value = sum(r);
        skip_blanks(r);
        if (*r->at == ')')
            r->at++;
        else
            r->failed = true;
    } else if (*r->at == '-') {
        r->at++;
        value = -atom(r);
    } else if (isdigit((unsigned char)*r->at) || *r->at == '.') {
        char *end;
        value = strtod(r->at, &end);
        r->failed = end == r->at;
        r->at = end;
    } else
        r->failed = true;
    r->depth--;
    return value;
}

static double power(reader *r) {
    double base = atom(r);
    skip_blanks(r);
    bool caret = *r->at == '^', stars = r->at[0] == '*' && r->at[1] == '*';
    if (r->failed || (!caret && !stars)) return base;
    r->at += caret ? 1 : 2;
    if (++r->depth > DEPTH) r->failed = true;
    double exponent = r->failed ? 0 : power(r);
    r->depth--;
    return pow(base, exponent);
}

static double product(reader *r) {
    double value = power(r);
    for (;;) {
        skip_blanks(r);
        // "x" between digits is the sign that people write for times.
        bool times = *r->at == '*' || (*r->at == 'x' && r->at[1] == ' ' && isdigit((unsigned char)r->at[2]));
        if (r->failed || (!times && *r->at != '/')) return value;
        // "GB/s" is a unit, "3/8" is not.
        const char *next = r->at + 1 + strspn(r->at + 1, " \t");
        if (!isdigit((unsigned char)*next) && !strchr("(-.", *next)) return value;
        r->at++;
        double right = power(r);
        value = times ? value * right : value / right;
    }
}

static double sum(reader *r) {
    double value = product(r);
    for (;;) {
        skip_blanks(r);
        if (r->failed || (*r->at != '+' && *r->at != '-')) return value;
        char sign = *r->at++;
        double right = product(r);
        value += sign == '+' ? right : -right;
    }
}

// "1,048,576" and "1_048_576" without what parts the thousands; a "+" before, "~" and "=" too.
static bool plain_number(const char *text, char plain[NUMBER_TEXT]) {
    size_t length = 0;
    text += strspn(text, " \t~+=");
    for (const char *at = text; *at; at++) {
        bool inside = at > text && isdigit((unsigned char)at[-1]) && isdigit((unsigned char)at[1]);
        if (inside && *at == '_') continue;
        if (inside && *at == ',' && strspn(at + 1, "0123456789") == 3) continue;
        if (length + 1 >= NUMBER_TEXT) return false;
        plain[length++] = *at;
    }
    plain[length] = 0;
    return true;
}

static double unit_factor(const char *unit) {
    static const struct {
        const char *name;
        double factor;
    } units[] = {{"KiB", 1024},     {"MiB", 1048576}, {"GiB", 1073741824.0},
                 {"TiB", 0x1p40},   {"kB", 1e3},      {"KB", 1e3},
                 {"MB", 1e6},       {"GB", 1e9},      {"TB", 1e12},
                 {"thousand", 1e3}, {"million", 1e6}, {"billion", 1e9},
                 {"k", 1e3},        {"K", 1024},      {"M", 1e6},
                 {"G", 1e9},        {"T", 1e12},      {"%", 0.01},
                 {"percent", 0.01}, {"GFLOP", 1e9},   {"TFLOP", 1e12},
                 {"MFLOP", 1e6},    {"ms", 1e-3},     {"us", 1e-6},
                 {"ns", 1e-9}};
    size_t length = strcspn(unit, " /,;.");
    for (size_t i = 0; i < BASE_COUNT(units); i++)
        if (strlen(units[i].name) == length && strncmp(units[i].name, unit, length) == 0)
            return units[i].factor;
    return 1;
}

size_t course_read_number(const char *text, double values[2]) {
    char plain[NUMBER_TEXT];
    if (!plain_number(text, plain)) return 0;
    reader r = {.at = plain};
    values[0] = sum(&r);
    skip_blanks(&r);
    // What follows must be a unit: words, no second number.
    if (r.failed || !isfinite(values[0]) || strpbrk(r.at, "0123456789=*()")) return 0;
    values[1] = values[0] * unit_factor(r.at);
    return values[1] == values[0] ? 1 : 2;
}

bool course_same_number(double got, double wanted, double tolerance) {
    if (!isfinite(got) || !isfinite(wanted)) return got == wanted; // no distance from infinity is small
    double room = fabs(wanted) * (tolerance > 1e-9 ? tolerance * (1 + 1e-9) : 1e-9);
    return fabs(got - wanted) <= room;
}

// ---- words ----------------------------------------------------------------------------------------

// "serial_work", "serial-work" and "serial work" are the same; -1, x-1 and __syncthreads stay as they are.
static bool joins(const char *at) {
    if (*at == '_') return isalnum((unsigned char)at[-1]) && isalpha((unsigned char)at[1]);
    return *at == '-' && isalpha((unsigned char)at[-1]) && isalpha((unsigned char)at[1]);
}

static const char *next_word(const char *at, size_t *length) {
    static const char between[] = " \t,;[](){}\"'_-";
    while (*at && strchr(between, *at) && *at != '_' && *at != '-') at++;
    *length = 0;
    while (at[*length]) {
        const char *c = at + *length;
        bool is_joint = *c == '_' || *c == '-';
        if (is_joint ? *length && joins(c) : strchr(between, *c) != NULL) break;
        ++*length;
    }
    return at;
}

// Behind "the" and its like, where what is wanted has none and is no single letter.
static const char *without_article(const char *text, const char *wanted) {
    static const char *const articles[] = {"the", "an", "a"};
    size_t length, wanted_length;
    const char *first = next_word(text, &length), *other = next_word(wanted, &wanted_length);
    for (size_t i = 0; i < BASE_COUNT(articles) && wanted_length > 1; i++)
        if (strlen(articles[i]) == length && strncasecmp(first, articles[i], length) == 0 &&
            !(wanted_length == length && strncasecmp(other, first, length) == 0))
            return first + length;
    return text;
}

static bool same_word(const char *a, size_t a_length, const char *b, size_t b_length, double tolerance) {
    if (a_length == b_length && strncasecmp(a, b, a_length) == 0) return true;
    char left[NUMBER_TEXT], right[NUMBER_TEXT], *left_end, *right_end;
    if (a_length == 0 || b_length == 0 || a_length >= sizeof left || b_length >= sizeof right) return false;
    memcpy(left, a, a_length), left[a_length] = 0;
    memcpy(right, b, b_length), right[b_length] = 0;
    double x = strtod(left, &left_end), y = strtod(right, &right_end);
    return !*left_end && !*right_end && course_same_number(x, y, tolerance);
}

bool course_same_words(const char *a, const char *b, double tolerance) {
    const char *whole = a;
    a = without_article(a, b);
    b = without_article(b, whole);
    for (;;) {
        size_t a_length, b_length;
        a = next_word(a, &a_length);
        b = next_word(b, &b_length);
        if (!same_word(a, a_length, b, b_length, tolerance)) return false;
        if (a_length == 0) return true;
        a += a_length, b += b_length;
        if (*a == '_' || *a == '-') a++; // it joins two words
        if (*b == '_' || *b == '-') b++;
    }
}

// ---- commands -------------------------------------------------------------------------------------

// One word at *at into `word`; false for an open quote.
static bool take_word(const char **at, base_text *word) {
    char quote = 0;
    for (; **at && (quote || !isspace((unsigned char)**at)); (*at)++) {
        char c = **at;
        if (quote && c == quote)
            quote = 0;
        else if (!quote && (c == '\'' || c == '"'))
            quote = c;
        else if (c == '\\' && quote != '\'' && (*at)[1])
            base_text_add_bytes(word, ++*at, 1);
        else
            base_text_add_bytes(word, &c, 1);
    }
    return !quote;
}

static bool is_for_a_shell(const char *start, size_t length) {
    static const char *const signs[] = {"|", "||", "&&", "&", ";", ">", ">>", "<", "2>", "2>&1", "|&"};
    for (size_t i = 0; i < BASE_COUNT(signs); i++)
        if (strlen(signs[i]) == length && strncmp(signs[i], start, length) == 0) return true;
    return false;
}

kz_status course_split_command(base_arena *arena, const char *text, const char *const **words, size_t *count,
                               kz_error *error) {
    const char **list = base_arena_alloc(arena, (COMMAND_WORDS + 1) * sizeof *list);
    if (!list) return base_fail(error, KZ_NO_MEMORY, "no memory for a command");
    *count = 0;
    for (const char *at = text; *(at += strspn(at, " \t\r\n"));) {
        const char *start = at;
        base_text word = {0};
        bool closed = take_word(&at, &word);
        const char *kept = base_arena_string(arena, word.data ? word.data : "", word.length);
        bool failed = word.failed || !kept;
        base_text_free(&word);
        if (failed) return base_fail(error, KZ_NO_MEMORY, "no memory for a command");
        if (!closed) return base_fail(error, KZ_SYNTAX, "a quote is opened and never closed");
        if (is_for_a_shell(start, (size_t)(at - start)))
            return base_fail(
                error, KZ_SYNTAX,
                "\"%s\" is for a shell, and commands are run without one: no pipes, no redirections", kept);
        if (*count == COMMAND_WORDS)
            return base_fail(error, KZ_SYNTAX, "a command may have %d words", COMMAND_WORDS);
        list[(*count)++] = kept;
    }
    *words = list;
    return KZ_OK;
}

kz_status course_find_group(base_arena *arena, const char *text, const char *pattern, const char **found,
                            kz_error *error) {
    regex_t compiled;
    *found = NULL;
    int code = regcomp(&compiled, pattern, REG_EXTENDED | REG_NEWLINE);
    if (code) {
        char why[128];
        regerror(code, &compiled, why, sizeof why);
        return base_fail(error, KZ_SYNTAX, "the pattern \"%s\" is no regular expression: %s", pattern, why);
    }
    regmatch_t groups[2];
    kz_status status = KZ_OK;
    if (regexec(&compiled, text, 2, groups, 0) == 0) {
        int which = groups[1].rm_so >= 0 ? 1 : 0;
        *found = base_arena_string(arena, text + groups[which].rm_so,
                                   (size_t)(groups[which].rm_eo - groups[which].rm_so));
        if (!*found) status = base_fail(error, KZ_NO_MEMORY, "no memory for what was found");
    }
    regfree(&compiled);
    return status;
}
