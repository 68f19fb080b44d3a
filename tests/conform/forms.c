// Expands the patterns of forms.def.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conform.h"

static const operand_type types[] = {
#define TYPE(name, bits, format, values) {#name, bits, format, VALUES_##values},
#include "types.def"
#undef TYPE
};

static const struct row {
    const char *group, *pattern, *types;
    oracle oracle;
} rows[] = {
#define FORM(group, pattern, types, oracle) {group, pattern, types, oracle},
#include "forms.def"
#undef FORM
};

enum { MOST_CHOICES = 9, TEXT = sizeof((form *)0)->text };

// What the alternatives chose on the way to one form.
typedef struct choices {
    char types[2][8];
    char texts[MOST_CHOICES][24];
    unsigned type_count, text_count;
} choices;

static const operand_type *type_named(const char *name) {
    for (size_t i = 0; i < BASE_COUNT(types); i++)
        if (!strcmp(types[i].name, name)) return &types[i];
    return NULL;
}

static unsigned width_of(const choices *made) {
    const operand_type *type = type_named(made->types[0]);
    return type ? type->bits : 0;
}

// Replaces $T $U $W $1 ... in `from`.
static bool substitute(const char *from, const choices *made, char *to, size_t room) {
    size_t length = 0;
    for (; *from; from++) {
        char number[12];
        const char *piece = number;
        snprintf(number, sizeof number, "%c", *from);
        if (*from == '$') {
            char name = *++from;
            if (name == 'T' || name == 'U')
                piece = made->types[name - 'T'];
            else if (name == 'W')
                snprintf(number, sizeof number, "%u", width_of(made));
            else
                piece = made->texts[(name - '1') % MOST_CHOICES];
        }
        size_t more = strlen(piece);
        if (length + more >= room) return false;
        memcpy(to + length, piece, more);
        length += more;
    }
    to[length] = 0;
    return true;
}

// One word of a row's types: T, U, or a name, in which $W may stand.
static const operand_type *type_of_word(const char *word, const choices *made) {
    char name[32];
    if (!strcmp(word, "T") || !strcmp(word, "U")) return type_named(made->types[word[0] - 'T']);
    return substitute(word, made, name, sizeof name) ? type_named(name) : NULL;
}

static bool read_types(const char *text, const choices *made, form *to) {
    char copy[96];
    snprintf(copy, sizeof copy, "%s", text);
    char *colon = strchr(copy, ':'), *rest = NULL;
    if (!colon) return false;
    *colon = 0;
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        if (to->result_count == RESULTS) return false;
        if (!(to->results[to->result_count++] = type_of_word(word, made))) return false;
    }
    for (char *word = strtok_r(colon + 1, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        if (to->source_count == SOURCES) return false;
        if (!(to->sources[to->source_count++] = type_of_word(word, made))) return false;
    }
    return to->result_count > 0 && to->source_count > 0;
}

static bool add_form(form_list *list, const struct row *row, const char *text, const choices *made,
                     const char *filter, unsigned *index) {
    if (list->count == list->capacity) {
        size_t capacity = 2 * list->capacity + 64;
        form *more = realloc(list->items, capacity * sizeof *more);
        if (!more) return false;
        list->items = more;
        list->capacity = capacity;
    }
    form *f = &list->items[list->count];
    *f = (form){.group = row->group, .pattern = row->pattern, .index = (*index)++, .oracle = row->oracle};
    if (!substitute(text, made, f->text, sizeof f->text) || !read_types(row->types, made, f)) {
        fprintf(stderr, "conform: wrong row: %s\n", row->pattern);
        return false;
    }
    if (!filter || strstr(f->text, filter) || strstr(f->group, filter)) list->count++;
    return true;
}

// Takes each alternative of the first group in `text` and goes on with the rest.
static bool expand(form_list *list, const struct row *row, const char *text, const choices *made,
                   const char *filter, unsigned *index) {
    size_t open = strcspn(text, "(<");
    if (!text[open]) return add_form(list, row, text, made, filter, index);
    bool is_type = text[open] == '<';
    size_t close = open + strcspn(text + open, is_type ? ">" : ")");
    for (size_t at = open + 1; at <= close;) {
        size_t length = strcspn(text + at, is_type ? "|>" : "|)");
        choices next = *made;
        char *to = is_type ? next.types[next.type_count++ & 1] : next.texts[next.text_count++ % MOST_CHOICES];
        snprintf(to, is_type ? sizeof next.types[0] : sizeof next.texts[0], "%.*s", (int)length, text + at);
        char chosen[2 * TEXT];
        snprintf(chosen, sizeof chosen, "%.*s%.*s%s", (int)open, text, (int)length, text + at,
                 text + close + 1);
        if (!expand(list, row, chosen, &next, filter, index)) return false;
        at += length + 1;
    }
    return true;
}

bool forms_open(form_list *list, const char *filter, const char *without) {
    *list = (form_list){0};
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        unsigned index = 0;
        if ((!without || strcmp(rows[i].group, without)) &&
            !expand(list, &rows[i], rows[i].pattern, &(choices){0}, filter, &index))
            return false;
    }
    return true;
}

void forms_close(form_list *list) { free(list->items); }
