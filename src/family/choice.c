// Which variant a public operation takes: the rows of choice.csv, which the build embeds as text.
//
// A row is gpu,type,operation,from,to,variant; from <= size < to, either may be empty. The files are
// checked by a test, so a row that does not parse is passed over here.
#include <stdlib.h>
#include <string.h>

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

const char *choice_text(const char *family) {
    for (size_t i = 0; i < zoo_choice_count; i++)
        if (strcmp(zoo_choices[i].family, family) == 0) return zoo_choices[i].text;
    return "";
}

const kz_variant *kz_choose_from_table(const kz_family *family, const kz_case *c,
                                       const kz_device_info *device, uint64_t size) {
    if (device->kind == KZ_DEVICE_CPU || !device->gpu[0]) return NULL;
    const char *text = choice_text(family->name);
    for (choice_row row; choice_next_row(&text, &row);) {
        if (!row.whole || !matches(row.column[CHOICE_GPU], device->gpu)) continue;
        if (!matches(row.column[CHOICE_TYPE], kz_type_name(c->type))) continue;
        if (!matches(row.column[CHOICE_OPERATION], family->operations[c->operation])) continue;
        uint64_t from = strtoull(row.column[CHOICE_FROM], NULL, 10);
        uint64_t to = row.column[CHOICE_TO][0] ? strtoull(row.column[CHOICE_TO], NULL, 10) : UINT64_MAX;
        if (size < from || size >= to) continue;
        const kz_variant *variant = kz_variant_find(family, row.column[CHOICE_VARIANT]);
        if (variant && kz_variant_fits(variant, device)) return variant;
    }
    return NULL;
}

bool kz_variant_fits(const kz_variant *variant, const kz_device_info *device) {
    if (device->kind == KZ_DEVICE_CPU) return variant->natives != NULL;
    return variant->natives == NULL && variant->min_sm <= device->sm;
}

const kz_variant *kz_choose_last(const kz_family *family, const kz_case *c, const kz_device_info *device) {
    for (size_t i = family->variant_count; i-- > 0;) {
        const kz_variant *variant = &family->variants[i];
        kz_plan plan = {0};
        if (kz_variant_fits(variant, device) && variant->plan(c, device, &plan, NULL) == KZ_OK)
            return variant;
    }
    return NULL;
}
