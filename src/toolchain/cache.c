// Results by content. Nothing here fails: a cache that does not work is a slow one.
//
// An entry begins with the digest of what it holds and of the name that it is kept under, which is checked whenever it
// is read. One that was damaged, or exchanged for another, is removed, and made anew.
#include "toolchain/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DIGEST = TOOLCHAIN_KEY }; // the digits and a newline
enum { LINE = TOOLCHAIN_PATH + TOOLCHAIN_KEY + 64 };

// cache/<two digits>/<key>.<kind>; false where the path would be too long.
static bool entry_path(const toolchain *tools, const char *key, const char *kind, char path[TOOLCHAIN_PATH]) {
    int length = snprintf(path, TOOLCHAIN_PATH, "%s/%.2s/%s.%s", tools->cache, key, key, kind);
    return tools->cache[0] && length < TOOLCHAIN_PATH;
}

static void digest_of(const char *key, const char *kind, const void *data, size_t size, char digest[DIGEST]) {
    base_sha256 hash;
    base_sha256_begin(&hash);
    base_sha256_add_field(&hash, key);
    base_sha256_add_field(&hash, kind);
    base_sha256_add(&hash, data, size);
    base_sha256_end(&hash, digest);
}

bool toolchain_cache_read(const toolchain *tools, const char *key, const char *kind, char **data,
                          size_t *size) {
    char path[TOOLCHAIN_PATH], digest[DIGEST];
    if (!entry_path(tools, key, kind, path) || base_file_read(path, data, size, NULL) != KZ_OK) return false;
    if (*size > DIGEST) {
        *size -= DIGEST;
        digest_of(key, kind, *data + DIGEST, *size, digest);
        bool is_whole = memcmp(*data, digest, DIGEST - 1) == 0;
        if (is_whole) memmove(*data, *data + DIGEST, *size + 1); // with the NUL behind it
        if (is_whole) return true;
    }
    unlink(path);
    free(*data);
    *data = NULL;
    return false;
}

void toolchain_cache_write(const toolchain *tools, const char *key, const char *kind, const void *data,
                           size_t size) {
    char path[TOOLCHAIN_PATH], folder[TOOLCHAIN_PATH];
    if (!entry_path(tools, key, kind, path)) return;
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    char *entry = size ? malloc(DIGEST + size) : NULL;
    if (entry && base_make_folders(folder, NULL) == KZ_OK) {
        digest_of(key, kind, data, size, entry);
        entry[DIGEST - 1] = '\n';
        memcpy(entry + DIGEST, data, size);
        base_file_write_scratch(path, entry, DIGEST + size, NULL);
    }
    free(entry);
}

static void key_of_list(const char *before, const char *list, char key[TOOLCHAIN_KEY]) {
    base_sha256 hash;
    base_sha256_begin(&hash);
    base_sha256_add_field(&hash, before);
    base_sha256_add_field(&hash, list);
    base_sha256_end(&hash, key);
}

// A line of a list: "hash size time path". A file whose size and time are as they were is taken for unchanged: nvcc
// reads some megabytes of headers. The time is 0 where the file was new, and might have been written again within
// the clock's tick.
static bool make_line(const char *path, char line[LINE]) {
    enum { SETTLED_SECONDS = 2 };
    char hash[TOOLCHAIN_KEY];
    struct stat about;
    if (stat(path, &about) != 0 || base_sha256_file(path, hash, NULL) != KZ_OK) return false;
    bool settled = about.st_mtime < base_wall_seconds() - SETTLED_SECONDS;
    int length =
        snprintf(line, LINE, "%s %lld %lld.%09ld %s", hash, (long long)about.st_size,
                 settled ? (long long)about.st_mtim.tv_sec : 0, settled ? about.st_mtim.tv_nsec : 0, path);
    return length < LINE;
}

static bool is_line_current(const char *line, size_t length) {
    char text[LINE], hash[TOOLCHAIN_KEY], now[TOOLCHAIN_KEY];
    long long size, seconds;
    long nanoseconds;
    int path = 0;
    struct stat about;
    if (length >= sizeof text) return false;
    snprintf(text, sizeof text, "%.*s", (int)length, line);
    if (sscanf(text, "%64s %lld %lld.%ld %n", hash, &size, &seconds, &nanoseconds, &path) != 4 || !path ||
        stat(text + path, &about) != 0 || about.st_size != size)
        return false;
    if (seconds && about.st_mtim.tv_sec == seconds && about.st_mtim.tv_nsec == nanoseconds) return true;
    return base_sha256_file(text + path, now, NULL) == KZ_OK && strcmp(hash, now) == 0;
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

bool toolchain_cache_add_line(const char *path, base_text *lines) {
    char line[LINE];
    bool made = make_line(path, line);
    if (made) base_text_add(lines, "%s\n", line);
    return made && !lines->failed;
}

bool toolchain_cache_add_lines(const char *dependencies, base_text *lines) {
    char path[TOOLCHAIN_PATH];
    const char *at = strstr(dependencies, ": "); // nvcc writes a blank before the colon too
    bool complete = at != NULL;
    if (complete) at += 2;
    while (complete && (at = next_dependency(at, path))) complete = toolchain_cache_add_line(path, lines);
    return complete && lines->data;
}

void toolchain_cache_write_lines(const toolchain *tools, const char *before, const base_text *lines,
                                 char key[TOOLCHAIN_KEY]) {
    key_of_list(before, lines->data, key);
    toolchain_cache_write(tools, before, "list", lines->data, lines->length);
}

bool toolchain_cache_list(const toolchain *tools, const char *before, const char *dependencies,
                          char key[TOOLCHAIN_KEY]) {
    base_text lines = {0};
    bool complete = toolchain_cache_add_lines(dependencies, &lines);
    if (complete) toolchain_cache_write_lines(tools, before, &lines, key);
    base_text_free(&lines);
    return complete;
}
