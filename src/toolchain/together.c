// Many .cu files in one run of nvcc. They are included one after the other, and while one is read, macros give all
// that it names outside of its functions a mark of its own: "argmax" is argmax_KZ_05. The PTX is then taken apart
// (together_split.c), and each part goes into the cache as the PTX of its file.
//
// Only files with the same #include lines are put together, so that none is helped by what another includes.
#include "toolchain/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARKS "_KZ_"

enum { MOST = 99 };

typedef struct member {
    char *path, *text;
    char arch[TOOLCHAIN_ARCH], before[TOOLCHAIN_KEY], mark[16];
    base_text includes;
    toolchain_names names, macros;
    bool is_open; // waits to be compiled
} member;

// ---- the files ------------------------------------------------------------------------------------

// The #include lines; false where one is of a file beside it, whose path would not be the same for all.
static bool read_includes(const char *text, base_text *includes) {
    for (const char *at = text; *at;) {
        const char *line = at + strspn(at, " \t");
        size_t length = strcspn(at, "\n");
        if (*line == '#') {
            const char *word = line + 1 + strspn(line + 1, " \t");
            bool is_include = strncmp(word, "include", 7) == 0;
            if (is_include && word[7 + strspn(word + 7, " \t")] != '<') return false;
            if (is_include) base_text_add(includes, "%.*s\n", (int)(length - (size_t)(line - at)), line);
        }
        at += length + (at[length] == '\n');
    }
    return true;
}

// What would show that a name is another for a while.
static bool shows_names(const char *text) {
    return strstr(text, "assert") || strstr(text, "__func__") || strstr(text, "_FUNCTION__") ||
           strstr(text, MARKS);
}

static void open_member(const toolchain *tools, const char *arch, const char *source, size_t index,
                        member *m) {
    size_t size = 0;
    char key[TOOLCHAIN_KEY];
    toolchain_words flags;
    m->path = realpath(source, NULL);
    if (!m->path || toolchain_check_name(m->path, NULL) || base_file_read(m->path, &m->text, &size, NULL))
        return;
    if (arch)
        snprintf(m->arch, sizeof m->arch, "%s", arch);
    else if (toolchain_source_arch(m->path, m->arch, NULL))
        return;
    snprintf(m->mark, sizeof m->mark, MARKS "%02zu", index % 100);
    toolchain_read_names(m->text, &m->names, &m->macros);
    if (!read_includes(m->text, &m->includes) || shows_names(m->text) || m->names.full || m->macros.full)
        return;
    toolchain_ptx_flags(tools, m->arch, NULL, &flags);
    if (toolchain_ptx_key(tools, m->path, &flags, m->before, NULL)) return;
    m->is_open = !toolchain_cache_find(tools, m->before, key);
}

static void close_member(member *m) {
    free(m->path);
    free(m->text);
    base_text_free(&m->includes);
}

static bool belong_together(const member *a, const member *b) {
    return strcmp(a->arch, b->arch) == 0 && a->includes.length == b->includes.length &&
           (!a->includes.length || strcmp(a->includes.data, b->includes.data) == 0);
}

// ---- one run --------------------------------------------------------------------------------------

static bool is_macro(const member *m, const char *name) {
    for (size_t i = 0; i < m->macros.count; i++)
        if (strcmp(m->macros.all[i], name) == 0) return true;
    return false;
}

static void add_member(base_text *out, const member *m) {
    for (size_t i = 0; i < m->names.count; i++)
        if (!is_macro(m, m->names.all[i]))
            base_text_add(out, "#define %s %s%s\n", m->names.all[i], m->names.all[i], m->mark);
    base_text_add(out, "#include \"%s\"\n", m->path);
    for (size_t i = 0; i < m->names.count; i++) base_text_add(out, "#undef %s\n", m->names.all[i]);
    for (size_t i = 0; i < m->macros.count; i++) base_text_add(out, "#undef %s\n", m->macros.all[i]);
}

// The headers that all include, as nvcc -MD lists them: the first files are the one that includes all, and they.
static bool list_headers(const char *dependencies, const char *together, member *const *some, size_t count,
                         base_text *lines) {
    base_text headers = {0};
    base_text_add(&headers, "out : ");
    for (const char *at = strstr(dependencies, ": "); at && *at;) {
        at += strspn(at, ": \t\r\n\\");
        size_t length = strcspn(at, " \t\r\n");
        bool is_source = strlen(together) == length && strncmp(at, together, length) == 0;
        for (size_t i = 0; i < count && !is_source; i++)
            is_source = strlen(some[i]->path) == length && strncmp(at, some[i]->path, length) == 0;
        if (length && !is_source) base_text_add(&headers, " \\\n %.*s", (int)length, at);
        at += length;
    }
    bool complete = headers.data && !headers.failed && toolchain_cache_add_lines(headers.data, lines);
    base_text_free(&headers);
    return complete;
}

static void keep(const toolchain *tools, const char *ptx, const base_text *headers, const member *m) {
    base_text own = {0}, lines = {0};
    char key[TOOLCHAIN_KEY];
    toolchain_split_ptx(ptx, MARKS, m->mark, &m->names, &own);
    bool listed = toolchain_cache_add_line(m->path, &lines);
    base_text_add(&lines, "%s", headers->data);
    if (listed && own.data && !own.failed && !lines.failed) {
        toolchain_cache_write_lines(tools, m->before, &lines, key);
        toolchain_cache_write(tools, key, "ptx", own.data, own.length);
    }
    base_text_free(&own);
    base_text_free(&lines);
}

// One run for all of `some`; false where nvcc refuses.
static bool compile_at_once(const toolchain *tools, member *const *some, size_t count) {
    char folder[TOOLCHAIN_PATH], source[TOOLCHAIN_PATH + 16], *ptx = NULL, *dependencies = NULL;
    base_text text = {0}, headers = {0};
    toolchain_words flags;
    size_t size = 0;
    kz_status status = KZ_NO_MEMORY;
    // First of all, where no macro is in their way.
    if (some[0]->includes.length) base_text_add(&text, "%s", some[0]->includes.data);
    for (size_t i = 0; i < count; i++) add_member(&text, some[i]);
    if (!text.failed && toolchain_work_open(folder, NULL) == KZ_OK) {
        toolchain_ptx_flags(tools, some[0]->arch, NULL, &flags);
        snprintf(source, sizeof source, "%s/together.cu", folder);
        status = base_file_write_scratch(source, text.data, text.length, NULL);
        if (!status)
            status =
                toolchain_run_nvcc(tools, source, &flags, true, folder, &ptx, &size, &dependencies, NULL);
        if (!status && dependencies && list_headers(dependencies, source, some, count, &headers))
            for (size_t i = 0; i < count; i++) keep(tools, ptx, &headers, some[i]);
        toolchain_work_close(folder);
    }
    free(ptx);
    free(dependencies);
    base_text_free(&text);
    base_text_free(&headers);
    return status != KZ_TOOL;
}

// Where they are refused, halves are tried: one bad file among many must not cost a run for each.
static void compile_some(const toolchain *tools, member *const *some, size_t count) {
    if (count < 2 || compile_at_once(tools, some, count)) return;
    compile_some(tools, some, count / 2);
    compile_some(tools, some + count / 2, count - count / 2);
}

// All open members that belong to the first.
static void compile_group(const toolchain *tools, member *first, member *members, size_t count) {
    member *some[MOST];
    size_t chosen = 0;
    for (size_t i = 0; i < count; i++) {
        if (!members[i].is_open || !belong_together(first, &members[i])) continue;
        members[i].is_open = false;
        some[chosen++] = &members[i];
    }
    compile_some(tools, some, chosen);
}

void toolchain_compile_ptx_together(const toolchain *tools, const char *arch, const char *const *sources,
                                    size_t count) {
    if (!tools->nvcc[0] || !tools->cache[0] || count < 2) return;
    if (count > MOST) count = MOST;
    member *members = calloc(count, sizeof *members);
    if (!members) return;
    for (size_t i = 0; i < count; i++) open_member(tools, arch, sources[i], i, &members[i]);
    for (size_t i = 0; i < count; i++)
        if (members[i].is_open) compile_group(tools, &members[i], members, count);
    for (size_t i = 0; i < count; i++) close_member(&members[i]);
    free(members);
}
