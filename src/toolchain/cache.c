// Results by content. Nothing here fails: a cache that does not work is a slow one.
#include "toolchain/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// cache/<two digits>/<key>.<kind>; false where the path would be too long.
static bool entry_path(const toolchain *tools, const char *key, const char *kind, char path[TOOLCHAIN_PATH]) {
    int length = snprintf(path, TOOLCHAIN_PATH, "%s/%.2s/%s.%s", tools->cache, key, key, kind);
    return tools->cache[0] && length < TOOLCHAIN_PATH;
}

bool toolchain_cache_read(const toolchain *tools, const char *key, const char *kind, char **data,
                          size_t *size) {
    char path[TOOLCHAIN_PATH];
    return entry_path(tools, key, kind, path) && base_file_read(path, data, size, NULL) == KZ_OK;
}

void toolchain_cache_write(const toolchain *tools, const char *key, const char *kind, const void *data,
                           size_t size) {
    char path[TOOLCHAIN_PATH], folder[TOOLCHAIN_PATH];
    if (!entry_path(tools, key, kind, path)) return;
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    if (base_make_folders(folder, NULL) == KZ_OK) base_file_write(path, data, size, NULL);
}

static void key_of_list(const char *before, const char *list, char key[TOOLCHAIN_KEY]) {
    toolchain_hash hash;
    toolchain_hash_begin(&hash);
    toolchain_hash_add_field(&hash, before);
    toolchain_hash_add_field(&hash, list);
    toolchain_hash_end(&hash, key);
}

static bool is_line_current(const char *line, size_t length) {
    char path[TOOLCHAIN_PATH], key[TOOLCHAIN_KEY];
    if (length <= TOOLCHAIN_KEY || length - TOOLCHAIN_KEY >= sizeof path) return false;
    snprintf(path, sizeof path, "%.*s", (int)(length - TOOLCHAIN_KEY), line + TOOLCHAIN_KEY);
    return toolchain_hash_file(path, key, NULL) == KZ_OK && memcmp(key, line, TOOLCHAIN_KEY - 1) == 0;
}

bool toolchain_cache_find(const toolchain *tools, const char *before, char key[TOOLCHAIN_KEY]) {
    char *list = NULL;
    size_t size = 0;
    if (!toolchain_cache_read(tools, before, "list", &list, &size)) return false;
    bool current = true;
    for (const char *line = list; current && *line;) {
        size_t length = strcspn(line, "\n");
        current = is_line_current(line, length);
        line += length + (line[length] == '\n');
    }
    if (current) key_of_list(before, list, key);
    free(list);
    return current;
}

// The next word of a dependency file ("out : a b \<newline> c"), with "\ " for a blank in a name.
static const char *next_dependency(const char *at, char path[TOOLCHAIN_PATH]) {
    size_t length = 0;
    for (;;) {
        at += strspn(at, " \t\r\n");
        if (at[0] == '\\' && (at[1] == '\n' || at[1] == '\r'))
            at++;
        else
            break;
    }
    for (; *at && !strchr(" \t\r\n", *at); at++) {
        if (at[0] == '\\' && at[1] == ' ') at++;
        if (length + 1 < TOOLCHAIN_PATH) path[length++] = *at;
    }
    path[length] = 0;
    return length ? at : NULL;
}

bool toolchain_cache_list(const toolchain *tools, const char *before, const char *dependencies,
                          char key[TOOLCHAIN_KEY]) {
    base_text list = {0};
    char path[TOOLCHAIN_PATH], hash[TOOLCHAIN_KEY];
    const char *at = strstr(dependencies, ": "); // nvcc writes a blank before the colon too
    bool complete = at != NULL;
    if (complete) at += 2;
    while (complete && (at = next_dependency(at, path))) {
        complete = toolchain_hash_file(path, hash, NULL) == KZ_OK;
        base_text_add(&list, "%s %s\n", hash, path);
    }
    complete = complete && list.data && !list.failed;
    if (complete) {
        key_of_list(before, list.data, key);
        toolchain_cache_write(tools, before, "list", list.data, list.length);
    }
    base_text_free(&list);
    return complete;
}
