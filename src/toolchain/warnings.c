// What a compiler warns of in a file that it takes: picked from its output, kept beside the result in the cache.
#include "toolchain/internal.h"

#include <stdlib.h>
#include <string.h>

// "/home/me/my.cu(3): warning #174-D: ..." by nvcc, "/home/me/my.c:3:9: warning: ..." by gcc and clang. What they say
// of the machine or of their flags names no line.
static bool begins_warning(const char *line, size_t length) {
    const char *at = strstr(line, ": warning");
    if (!at || at >= line + length || at == line) return false;
    if (at[-1] == ')') return true;
    return at[-1] >= '0' && at[-1] <= '9';
}

// The lines of the source that it quotes are indented; gcc's have their number before a bar.
static size_t warning_length(const char *text) {
    size_t length = strcspn(text, "\n");
    while (text[length] == '\n' && (text[length + 1] == ' ' || text[length + 1] == '\t'))
        length += 1 + strcspn(text + length + 1, "\n");
    return length;
}

static bool is_of(const char *line, const char *path) {
    size_t length = strlen(path);
    return strncmp(line, path, length) == 0 && (line[length] == '(' || line[length] == ':');
}

void toolchain_pick_warnings(const char *said, const char *path, base_text *warnings) {
    for (const char *line = said; line && *line;) {
        size_t first = strcspn(line, "\n");
        if (!begins_warning(line, first) || (path && !is_of(line, path))) {
            line += first + (line[first] == '\n');
            continue;
        }
        size_t length = warning_length(line), folder = 0;
        for (size_t i = 0; i < first && line[i] != '(' && line[i] != ':'; i++)
            if (line[i] == '/') folder = i + 1;
        base_text one = {0};
        base_text_add(&one, "%.*s\n", (int)(length - folder), line + folder);
        // The compiler goes through a file once for the host and once for the device.
        if (one.data && !(warnings->data && strstr(warnings->data, one.data)))
            base_text_add(warnings, "%s", one.data);
        base_text_free(&one);
        line += length + (line[length] == '\n');
    }
}

void toolchain_keep_warnings(const toolchain *tools, const char *key, const char *said, const char *path) {
    base_text warnings = {0};
    toolchain_pick_warnings(said, path, &warnings);
    if (warnings.length) toolchain_cache_write(tools, key, "warnings", warnings.data, warnings.length);
    base_text_free(&warnings);
}

void toolchain_recall_warnings(const toolchain *tools, const char *key) {
    char *kept = NULL;
    size_t size = 0;
    if (tools->warnings && toolchain_cache_read(tools, key, "warnings", &kept, &size))
        base_text_add_bytes(tools->warnings, kept, size);
    free(kept);
}
