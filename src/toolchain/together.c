// Many .cu files in one run of nvcc. They are included one after the other, and while one is read, macros give all
// that it names outside of its functions a mark of its own: "argmax" is argmax_KZ_05. The PTX is then taken apart
// (together_split.c), and each part goes into the cache as the PTX of its file. Of programs the object is kept for each
// file, with the one function that others call under its own name.
//
// Only files with the same #include lines are put together, so that none is helped by what another includes.
#include "toolchain/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARKS "_KZ_"

enum { MOST = 99 };

typedef struct batch {
    const toolchain *tools;
    const char *arch; // NULL: what each file asks for
    // Of programs; NULL for PTX:
    const toolchain_program *program;
    const char *function, *prototype;
} batch;

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

static kz_status find_key(const batch *b, member *m) {
    toolchain_words flags;
    if (b->program) return toolchain_object_key(b->tools, b->program, m->path, m->before);
    toolchain_ptx_flags(b->tools, m->arch, NULL, &flags);
    return toolchain_ptx_key(b->tools, m->path, &flags, m->before, NULL);
}

static void open_member(const batch *b, const char *source, size_t index, member *m) {
    size_t size = 0;
    char key[TOOLCHAIN_KEY];
    m->path = realpath(source, NULL);
    if (!m->path || toolchain_check_name(m->path, NULL) || base_file_read(m->path, &m->text, &size, NULL))
        return;
    if (b->arch)
        snprintf(m->arch, sizeof m->arch, "%s", b->arch);
    else if (toolchain_source_arch(m->path, m->arch, NULL))
        return;
    snprintf(m->mark, sizeof m->mark, MARKS "%02zu", index % 100);
    toolchain_read_names(m->text, &m->names, &m->macros);
    if (!read_includes(m->text, &m->includes) || shows_names(m->text) || m->names.full || m->macros.full)
        return;
    if (find_key(b, m)) return;
    m->is_open = !toolchain_cache_find(b->tools, m->before, key);
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

static void add_member(const batch *b, base_text *out, const member *m) {
    for (size_t i = 0; i < m->names.count; i++)
        if (!is_macro(m, m->names.all[i]))
            base_text_add(out, "#define %s %s%s\n", m->names.all[i], m->names.all[i], m->mark);
    if (b->prototype) base_text_add(out, "#include \"%s\"\n", b->prototype); // with the mark
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

// The object of all, with this member's function under its own name.
static bool take_object(const batch *b, const char *folder, const member *m, base_text *own) {
    char objcopy[TOOLCHAIN_PATH], from[TOOLCHAIN_PATH + 16], to[TOOLCHAIN_PATH + 16], rename[512],
        *data = NULL;
    size_t size = 0;
    int code = 1;
    base_text said = {0};
    snprintf(from, sizeof from, "%s/0.o", folder);
    snprintf(to, sizeof to, "%s/own.o", folder);
    snprintf(rename, sizeof rename, "--redefine-sym=%s%s=%s", b->function, m->mark, b->function);
    bool taken =
        toolchain_find_program("objcopy", objcopy) &&
        toolchain_run((const char *const[]){objcopy, rename, from, to, NULL}, &said, &code, NULL) == KZ_OK &&
        code == 0 && base_file_read(to, &data, &size, NULL) == KZ_OK;
    if (taken) base_text_add_bytes(own, data, size);
    base_text_free(&said);
    free(data);
    return taken;
}

static void keep(const batch *b, const char *folder, const char *ptx, const base_text *headers,
                 const char *said, const member *m) {
    base_text own = {0}, lines = {0};
    char key[TOOLCHAIN_KEY];
    if (ptx) toolchain_split_ptx(ptx, MARKS, m->mark, &m->names, &own);
    bool kept = (ptx || take_object(b, folder, m, &own)) && toolchain_cache_add_line(m->path, &lines);
    base_text_add(&lines, "%s", headers->data);
    if (kept && own.data && !own.failed && !lines.failed) {
        toolchain_cache_write_lines(b->tools, m->before, &lines, key);
        toolchain_keep_warnings(b->tools, key, said, m->path);
        toolchain_cache_write(b->tools, key, ptx ? "ptx" : "o", own.data, own.length);
    }
    base_text_free(&own);
    base_text_free(&lines);
}

static kz_status run_nvcc(const batch *b, const char *arch, const char *source, const char *folder,
                          char **ptx, char **dependencies, base_text *said) {
    toolchain_words flags;
    char list[TOOLCHAIN_PATH + 16];
    size_t size = 0;
    if (!b->program) {
        toolchain_ptx_flags(b->tools, arch, NULL, &flags);
        return toolchain_run_nvcc(b->tools, source, &flags, true, folder, ptx, &size, dependencies, said,
                                  NULL);
    }
    kz_status status = toolchain_make_object(b->tools, b->program, source, folder, said);
    snprintf(list, sizeof list, "%s/0.d", folder);
    return status ? status : base_file_read(list, dependencies, &size, NULL);
}

// One run for all of `some`; false where nvcc refuses.
static bool compile_at_once(const batch *b, member *const *some, size_t count) {
    char folder[TOOLCHAIN_PATH], source[TOOLCHAIN_PATH + 16], *ptx = NULL, *dependencies = NULL;
    base_text text = {0}, headers = {0}, said = {0};
    kz_status status = KZ_NO_MEMORY;
    // First of all, where no macro is in their way.
    if (some[0]->includes.length) base_text_add(&text, "%s", some[0]->includes.data);
    for (size_t i = 0; i < count; i++) add_member(b, &text, some[i]);
    if (!text.failed && toolchain_work_open(folder, NULL) == KZ_OK) {
        snprintf(source, sizeof source, "%s/together.cu", folder);
        status = base_file_write_scratch(source, text.data, text.length, NULL);
        if (!status) status = run_nvcc(b, some[0]->arch, source, folder, &ptx, &dependencies, &said);
        if (!status && dependencies && list_headers(dependencies, source, some, count, &headers))
            for (size_t i = 0; i < count; i++) keep(b, folder, ptx, &headers, said.data, some[i]);
        toolchain_work_close(folder);
    }
    free(ptx);
    free(dependencies);
    base_text_free(&text);
    base_text_free(&headers);
    base_text_free(&said);
    return status != KZ_TOOL;
}

// Where they are refused, halves are tried: one bad file among many must not cost a run for each.
static void compile_some(const batch *b, member *const *some, size_t count) {
    if (count < 2 || compile_at_once(b, some, count)) return;
    compile_some(b, some, count / 2);
    compile_some(b, some + count / 2, count - count / 2);
}

// All open members that belong to the first.
static void compile_group(const batch *b, member *first, member *members, size_t count) {
    member *some[MOST];
    size_t chosen = 0;
    for (size_t i = 0; i < count; i++) {
        if (!members[i].is_open || !belong_together(first, &members[i])) continue;
        members[i].is_open = false;
        some[chosen++] = &members[i];
    }
    compile_some(b, some, chosen);
}

static void compile_together(const batch *b, const char *const *sources, size_t count) {
    if (!b->tools->nvcc[0] || !b->tools->cache[0] || count < 2) return;
    if (count > MOST) count = MOST;
    member *members = calloc(count, sizeof *members);
    if (!members) return;
    for (size_t i = 0; i < count; i++) open_member(b, sources[i], i, &members[i]);
    for (size_t i = 0; i < count; i++)
        if (members[i].is_open) compile_group(b, &members[i], members, count);
    for (size_t i = 0; i < count; i++) close_member(&members[i]);
    free(members);
}

void toolchain_compile_ptx_together(const toolchain *tools, const char *arch, const char *const *sources,
                                    size_t count) {
    compile_together(&(batch){.tools = tools, .arch = arch}, sources, count);
}

void toolchain_compile_programs_together(const toolchain *tools, const toolchain_program *program,
                                         const char *function, const char *prototype,
                                         const char *const *sources, size_t count) {
    for (size_t i = 0; i < program->flag_count; i++) // what is linked on the device has a name for each file
        if (strstr(program->flags[i], "rdc") || strstr(program->flags[i], "relocatable")) return;
    const batch b = {.tools = tools,
                     .arch = program->arch,
                     .program = program,
                     .function = function,
                     .prototype = prototype};
    compile_together(&b, sources, count);
}
