// Which variant a public operation takes: the rows of choice.csv, which the build embeds as text.
//
// A row is gpu,type,operation,from,to,variant; from <= size < to, either may be empty. The files are
// checked by a test, so a row that does not parse is passed over here.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "family/choice.h"
#include "kz/family.h"

bool choice_next_row(const char **text, choice_row *row) {
    while (**text) {
        const char *line = *text;
        size_t length = strcspn(line, "\n");
        *text = line + length + (line[length] == '\n');
        if (length == 0 || line[0] == '#') continue;
        if (length >= sizeof row->text) length = sizeof row->text - 1;
        memcpy(row->text, line, length);
        row->text[length] = 0;
        char *rest = row->text;
        for (size_t i = 0; i < CHOICE_COLUMNS; i++) row->column[i] = rest ? strsep(&rest, ",") : NULL;
        row->whole = row->column[CHOICE_COLUMNS - 1] != NULL && rest == NULL;
        return true;
    }
    return false;
}

static bool matches(const char *pattern, const char *value) {
    return strcmp(pattern, "*") == 0 || strcmp(pattern, value) == 0;
}

const char *choice_text(const kz_family *family) { return family->embedded ? family->embedded->choice : ""; }

// It runs there, does the case, and gives the same bits in every run where that is wanted.
static bool will_do(const kz_family *family, const kz_variant *variant, const kz_case *c,
                    const kz_device_info *device, bool deterministic) {
    kz_plan plan;
    if (!variant || kz_variant_plan(family, variant, c, device, &plan, NULL) != KZ_OK) return false;
    return !deterministic || !family->nondeterministic || !family->nondeterministic(c, variant);
}

static const kz_variant *from_table(const kz_family *family, const kz_case *c, const kz_device_info *device,
                                    uint64_t size, bool deterministic, choice_row *row) {
    if (device->kind == KZ_DEVICE_CPU || !device->gpu[0]) return NULL;
    const char *text = choice_text(family);
    while (choice_next_row(&text, row)) {
        if (!row->whole || !matches(row->column[CHOICE_GPU], device->gpu)) continue;
        if (!matches(row->column[CHOICE_TYPE], kz_type_name(c->type))) continue;
        if (!matches(row->column[CHOICE_OPERATION], family->operations[c->operation])) continue;
        uint64_t from = strtoull(row->column[CHOICE_FROM], NULL, 10);
        uint64_t to = row->column[CHOICE_TO][0] ? strtoull(row->column[CHOICE_TO], NULL, 10) : UINT64_MAX;
        if (size < from || size >= to) continue;
        const kz_variant *variant = kz_variant_find(family, row->column[CHOICE_VARIANT]);
        if (will_do(family, variant, c, device, deterministic)) return variant;
    }
    return NULL;
}

const kz_variant *kz_choose_from_table(const kz_family *family, const kz_case *c,
                                       const kz_device_info *device, uint64_t size) {
    choice_row row;
    return from_table(family, c, device, size, false, &row);
}

static const kz_variant *last(const kz_family *family, const kz_case *c, const kz_device_info *device,
                              bool deterministic) {
    for (size_t i = family->variant_count; i-- > 0;)
        if (will_do(family, &family->variants[i], c, device, deterministic)) return &family->variants[i];
    return NULL;
}

const kz_variant *kz_choose_last(const kz_family *family, const kz_case *c, const kz_device_info *device) {
    return last(family, c, device, false);
}

const kz_variant *kz_choose_in_order(const kz_family *family, const kz_case *c, const kz_device_info *device,
                                     const char *const *names) {
    for (; *names; names++) {
        const kz_variant *variant = kz_variant_find(family, *names);
        if (will_do(family, variant, c, device, false)) return variant;
    }
    return NULL;
}

static void say(char why[KZ_CHOICE_WHY], const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(char why[KZ_CHOICE_WHY], const char *format, ...) {
    va_list args;
    va_start(args, format);
    if (why) vsnprintf(why, KZ_CHOICE_WHY, format, args);
    va_end(args);
}

const kz_variant *kz_choose(const kz_family *family, const kz_case *c, const kz_device_info *device,
                            bool deterministic, char why[KZ_CHOICE_WHY]) {
    uint64_t size = family->size ? family->size(c) : (uint64_t)c->axes[0];
    choice_row row;
    const kz_variant *chosen = from_table(family, c, device, size, deterministic, &row);
    if (chosen) {
        const char *const *column = (const char *const *)row.column;
        say(why, "measured: choice.csv has it for %s, %s, %s, sizes from %s to %s; the size is %llu",
            column[CHOICE_GPU], column[CHOICE_TYPE], column[CHOICE_OPERATION], column[CHOICE_FROM],
            column[CHOICE_TO][0] ? column[CHOICE_TO] : "any", (unsigned long long)size);
        return chosen;
    }
    const char *known = device->gpu[0] ? device->gpu : device->id;
    chosen = family->choose ? family->choose(c, device) : NULL;
    if (will_do(family, chosen, c, device, deterministic)) {
        say(why, "by the family's rule: choice.csv has no row for %s", known);
        return chosen;
    }
    chosen = last(family, c, device, deterministic);
    if (chosen)
        say(why, "the last one that runs there%s: choice.csv has no row for %s",
            deterministic ? " and gives the same bits in every run" : "", known);
    return chosen;
}
