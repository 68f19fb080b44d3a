// Feeds any bytes to the TOML reader. What it refuses must be explained; what it accepts is walked through:
// every name is there once, and a document of which nothing was asked for has unknown keys unless it is empty.
#include "course/toml.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t walk(const course_toml_value *value) {
    size_t count = 0;
    for (const course_toml_value *m = value->first; m; m = m->next, count++) {
        if (value->kind == COURSE_TOML_TABLE && !m->key) abort();
        if (m->kind == COURSE_TOML_STRING && !m->string) abort();
        for (const course_toml_value *other = m->next; other && m->key; other = other->next)
            if (strcmp(other->key, m->key) == 0) abort();
        walk(m);
    }
    if (count != value->count) abort();
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > 4096) return 0;
    kz_error error = {0};
    course_toml toml;
    base_arena *arena = base_arena_open();
    if (!arena) return 0;
    kz_status status = course_toml_parse(arena, "fuzz.toml", (const char *)data, size, &toml, &error);
    if (status != KZ_OK) {
        if (strlen(error.message) == 0) abort();
    } else {
        size_t members = walk(toml.root);
        if ((course_toml_finish(&toml) == KZ_OK) != (members == 0)) abort();
    }
    base_arena_close(arena);
    return 0;
}
