// Names of cases. See case.h for the form.
#include "family/case.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

static const char *const data_names[KZ_DATA_COUNT] = {
#define KZ_DATA(id, name, meaning) [KZ_DATA_##id] = name,
#include "kz/data.def"
#undef KZ_DATA
};

const char *family_data_name(kz_data data) { return (unsigned)data < KZ_DATA_COUNT ? data_names[data] : "?"; }

bool family_data_find(const char *name, kz_data *data) {
    for (int d = 0; d < KZ_DATA_COUNT; d++)
        if (strcmp(data_names[d], name) == 0) return *data = (kz_data)d, true;
    return false;
}

void family_data_list(base_text *out) {
    for (int d = 0; d < KZ_DATA_COUNT; d++) base_text_add(out, "%s%s", d ? ", " : "", data_names[d]);
}

bool family_has_type(const kz_family *family, kz_type type) {
    bool has = family->types >> type & 1;
    for (size_t i = 0; i < family->case_count && !family->types; i++)
        has = has || family->cases[i].type == type;
    return has;
}

kz_type family_plain_type(const kz_family *family) {
    const kz_case *first = NULL;
    for (size_t i = 0; i < family->case_count; i++) {
        const kz_case *c = &family->cases[i];
        if (c->operation != 0) continue;
        if (c->type == KZ_F32) return KZ_F32;
        if (!first) first = c;
    }
    return first ? first->type : KZ_F32;
}

void family_case_name(const kz_family *family, const kz_case *c, char name[FAMILY_CASE_NAME]) {
    size_t at = 0;
#define ADD(...)                                                                                             \
    do {                                                                                                     \
        int wrote = snprintf(name + at, FAMILY_CASE_NAME - at, __VA_ARGS__);                                 \
        at = at + (size_t)wrote < FAMILY_CASE_NAME ? at + (size_t)wrote : FAMILY_CASE_NAME - 1;              \
    } while (0)
    ADD("%s-%s", family->operations[c->operation], kz_type_name(c->type));
    for (size_t i = 0; i < KZ_CASE_AXES && family->axes[i]; i++)
        ADD("-%s%lld", family->axes[i], (long long)c->axes[i]);
    ADD("-%s", family_data_name(c->data));
    if (c->misalign) ADD("-misalign%u", c->misalign);
#undef ADD
}

bool family_case_matches(const kz_family *family, const kz_case *c, const char *pattern) {
    char name[FAMILY_CASE_NAME];
    family_case_name(family, c, name);
    return strcmp(name, pattern) == 0 || fnmatch(pattern, name, 0) == 0;
}

uint64_t family_case_elements(const kz_family *family, const kz_case *c) {
    kz_buffer buffers[KZ_FAMILY_BUFFERS] = {0};
    size_t count = family->buffers(c, buffers);
    uint64_t most = 0;
    for (size_t i = 0; i < count; i++)
        if (buffers[i].count > most) most = buffers[i].count;
    return most;
}

// ---- parsing ------------------------------------------------------------------------------------

// Takes `word` and the '-' after it from *at, where it stands there as a whole part.
static bool take_word(const char **at, const char *word) {
    size_t length = strlen(word);
    if (strncmp(*at, word, length) != 0) return false;
    if ((*at)[length] != '-' && (*at)[length] != 0) return false;
    *at += length + ((*at)[length] == '-');
    return true;
}

bool family_size_parse(const char **at, int64_t *value) {
    if (!isdigit((unsigned char)**at)) return false;
    char *end;
    errno = 0;
    long long size = strtoll(*at, &end, 10);
    if (errno) return false; // past 2^63 - 1
    if (*end == '^') {
        if (!isdigit((unsigned char)end[1])) return false;
        long long power = strtoll(end + 1, &end, 10), base = size;
        if (power > 62) return false;
        size = 1;
        for (long long i = 0; i < power; i++)
            if (__builtin_mul_overflow(size, base, &size)) return false;
    }
    *value = size;
    *at = end;
    return true;
}

// Takes "<name><size>" and the '-' after it.
static bool take_size(const char **at, const char *name, int64_t *value) {
    size_t length = strlen(name);
    const char *end = *at + length;
    if (strncmp(*at, name, length) != 0 || !family_size_parse(&end, value)) return false;
    if (*end != '-' && *end != 0) return false;
    *at = end + (*end == '-');
    return true;
}

static bool take_operation(const kz_family *family, const char **at, kz_case *c) {
    for (uint32_t i = 0; family->operations[i]; i++)
        if (take_word(at, family->operations[i])) return c->operation = i, true;
    return false;
}

static bool take_type(const char **at, kz_case *c) {
    for (int t = 0; t < KZ_TYPE_COUNT; t++)
        if (take_word(at, kz_type_name((kz_type)t))) return c->type = (kz_type)t, true;
    return false;
}

static bool take_data(const char **at, kz_case *c) {
    for (int d = 0; d < KZ_DATA_COUNT; d++)
        if (take_word(at, data_names[d])) return c->data = (kz_data)d, true;
    return false;
}

static kz_status fail_parse(const kz_family *family, const char *name, const char *missing, const char *at,
                            kz_error *error) {
    char example[FAMILY_CASE_NAME];
    base_fail(error, KZ_INVALID, "\"%s\" is not a case of %s: expected %s at %s%s%s", name, family->name,
              missing, *at ? "\"" : "its end", at, *at ? "\"" : "");
    if (family->case_count) {
        family_case_name(family, &family->cases[0], example);
        base_fail_note(error, "a case of this family looks like %s; kz info %s lists them", example,
                       family->name);
    }
    return KZ_INVALID;
}

// "an operation (sum, min, max)"
static kz_status fail_operation(const kz_family *family, const char *name, kz_error *error) {
    base_text missing = {0};
    base_text_add(&missing, "an operation (");
    for (size_t i = 0; family->operations[i]; i++)
        base_text_add(&missing, "%s%s", i ? ", " : "", family->operations[i]);
    base_text_add(&missing, ")");
    kz_status status = fail_parse(family, name, missing.failed ? "an operation" : missing.data, name, error);
    base_text_free(&missing);
    return status;
}

kz_status family_case_read(const kz_family *family, const char *name, kz_case *c, kz_error *error) {
    *c = (kz_case){0};
    const char *at = name, *missing = NULL;
    if (!take_operation(family, &at, c)) return fail_operation(family, name, error);
    if (!take_type(&at, c)) missing = "a type";
    char axis[64];
    for (size_t i = 0; !missing && i < KZ_CASE_AXES && family->axes[i]; i++)
        if (!take_size(&at, family->axes[i], &c->axes[i])) {
            bool number = strncmp(at, family->axes[i], strlen(family->axes[i])) == 0 &&
                          isdigit((unsigned char)at[strlen(family->axes[i])]);
            snprintf(axis, sizeof axis, "%s%s", family->axes[i], number ? ", a number below 2^63," : "");
            missing = axis;
        }
    if (!missing && !take_data(&at, c)) missing = "the data (uniform, nan, ...)";
    int64_t misalign = 0;
    if (!missing && *at && !take_size(&at, "misalign", &misalign)) missing = "misalign<elements>";
    if (!missing && *at) missing = "the end";
    if (missing) return fail_parse(family, name, missing, at, error);
    c->misalign = (uint32_t)misalign;
    return KZ_OK;
}

kz_status family_case_parse(const kz_family *family, const char *name, kz_case *c, kz_error *error) {
    kz_status status = family_case_read(family, name, c, error);
    if (status) return status;
    for (size_t i = 0; i < family->case_count; i++) {
        char listed[FAMILY_CASE_NAME];
        family_case_name(family, &family->cases[i], listed);
        if (strcmp(listed, name) != 0) continue;
        *c = family->cases[i]; // what has no place in the name comes along
        break;
    }
    return KZ_OK;
}
