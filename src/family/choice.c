// Which variant a public operation takes: the rows of choice.csv, which the build embeds as text.
//
// A row is gpu,type,operation,from,to,variant; from <= size < to, either may be empty. Rows whose GPU is "*" are the
// defaults. The files are checked by a test, so a row that does not parse is passed over here.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "family/choice.h"
#include "kz/family.h"

bool family_choice_next_row(const char **text, family_choice_row *row) {
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

const char *family_choice_text(const kz_family *family) {
    return family->embedded ? family->embedded->choice : "";
}

bool family_will_do(const kz_family *family, const kz_variant *variant, const kz_case *c,
                    const kz_device_info *device, bool deterministic) {
    kz_plan *plan = variant ? malloc(sizeof *plan) : NULL; // too large for a thread's stack
    bool does = plan && kz_variant_plan(family, variant, c, device, plan, NULL) == KZ_OK;
    free(plan);
    return does && (!deterministic || !family->nondeterministic || !family->nondeterministic(c, variant));
}

static bool row_matches(const family_choice_row *row, const kz_family *family, const kz_case *c,
                        uint64_t size) {
    if (!matches(row->column[CHOICE_TYPE], kz_type_name(c->type))) return false;
    if (!matches(row->column[CHOICE_OPERATION], family->operations[c->operation])) return false;
    uint64_t from = strtoull(row->column[CHOICE_FROM], NULL, 10);
    uint64_t to = row->column[CHOICE_TO][0] ? strtoull(row->column[CHOICE_TO], NULL, 10) : UINT64_MAX;
    return from <= size && size < to;
}

// The first row of `gpu` whose variant will do.
static const kz_variant *from_rows(const char *gpu, const kz_family *family, const kz_case *c,
                                   const kz_device_info *device, uint64_t size, bool deterministic,
                                   family_choice_row *row) {
    const char *text = family_choice_text(family);
    while (family_choice_next_row(&text, row)) {
        if (!row->whole || strcmp(row->column[CHOICE_GPU], gpu) != 0) continue;
        if (!row_matches(row, family, c, size)) continue;
        const kz_variant *variant = kz_variant_find(family, row->column[CHOICE_VARIANT]);
        if (family_will_do(family, variant, c, device, deterministic)) return variant;
    }
    return NULL;
}

static const kz_variant *first(const kz_family *family, const kz_case *c, const kz_device_info *device,
                               bool deterministic) {
    for (size_t i = 0; i < family->variant_count; i++)
        if (family_will_do(family, &family->variants[i], c, device, deterministic))
            return &family->variants[i];
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
    if (!family || !c || !device) return NULL;
    const kz_variant *chosen =
        family->estimate ? family_choose_shape(family, c, device, deterministic, why) : NULL;
    if (chosen) return chosen;
    uint64_t size = family->size ? family->size(c) : (uint64_t)c->axes[0];
    family_choice_row row;
    chosen = device->gpu[0] ? from_rows(device->gpu, family, c, device, size, deterministic, &row) : NULL;
    if (chosen) {
        const char *const *column = (const char *const *)row.column;
        say(why, "measured: choice.csv has it for %s, %s, %s, sizes from %s to %s; the size is %llu",
            column[CHOICE_GPU], column[CHOICE_TYPE], column[CHOICE_OPERATION], column[CHOICE_FROM],
            column[CHOICE_TO][0] ? column[CHOICE_TO] : "any", (unsigned long long)size);
        return chosen;
    }
    const char *known = device->gpu[0] ? device->gpu : device->id;
    const char *same_bits = deterministic ? " with the same bits in every run" : "";
    chosen = from_rows("*", family, c, device, size, deterministic, &row);
    if (chosen) {
        say(why, "the default of choice.csv: no row for %s does the case%s", known, same_bits);
        return chosen;
    }
    chosen = first(family, c, device, deterministic);
    if (chosen) say(why, "the first that runs there: no row of choice.csv does the case%s", same_bits);
    return chosen;
}
