// .cu to PTX by nvcc, and PTX to machine code by ptxas, each through the cache.
#include "toolchain/internal.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

// ---- the architecture -----------------------------------------------------------------------------

static bool is_arch(const char *arch) {
    size_t digits = strspn(arch, "0123456789");
    return digits >= 2 && digits <= 3 &&
           (arch[digits] == 0 || (strchr("af", arch[digits]) && arch[digits + 1] == 0));
}

kz_status toolchain_source_arch(const char *source, char arch[TOOLCHAIN_ARCH], kz_error *error) {
    char *text = NULL;
    size_t size = 0;
    kz_status status = base_file_read(source, &text, &size, error);
    if (status) return status;
    static const char mark[] = "// kz: sm ";
    snprintf(arch, TOOLCHAIN_ARCH, "75");
    const char *at = strncmp(text, mark, strlen(mark)) == 0 ? text : NULL;
    if (!at) at = strstr(text, "\n// kz: sm ");
    if (at) {
        at += strspn(at, "\n") + strlen(mark);
        size_t length = strcspn(at, " \t\r\n");
        char word[32];
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        if (is_arch(word))
            snprintf(arch, TOOLCHAIN_ARCH, "%.7s", word);
        else
            status = base_fail(error, KZ_INVALID,
                               "%s: \"// kz: sm %s\" names no architecture; write 75 or 90a", source, word);
    }
    free(text);
    return status;
}

static kz_status check_arch(const char *arch, kz_error *error) {
    if (is_arch(arch)) return KZ_OK;
    return base_fail(error, KZ_INVALID, "\"%s\" is no architecture: write 75 or 90a", arch);
}

// ---- nvcc -----------------------------------------------------------------------------------------

static void add(toolchain_words *c, const char *word) {
    if (c->count + 1 < TOOLCHAIN_WORDS) c->argv[c->count++] = word;
}

void toolchain_ptx_flags(const toolchain *tools, const char *arch, const char *const *include_dirs,
                         toolchain_words *flags) {
    *flags = (toolchain_words){0};
    snprintf(flags->target, sizeof flags->target, "-arch=compute_%s", arch);
    const char *head[] = {"-ptx", "-std=c++17", flags->target};
    for (size_t i = 0; i < BASE_COUNT(head); i++) add(flags, head[i]);
    if (tools->for_debugging)
        add(flags, "-G");
    else
        add(flags, "-O3"), add(flags, "-lineinfo");
    for (size_t i = 0; include_dirs && include_dirs[i]; i++) add(flags, "-I"), add(flags, include_dirs[i]);
    if (tools->include[0]) add(flags, "-I"), add(flags, tools->include);
}

kz_status toolchain_ptx_key(const toolchain *tools, const char *source, const toolchain_words *flags,
                            char key[TOOLCHAIN_KEY], kz_error *error) {
    char content[TOOLCHAIN_KEY];
    kz_status status = base_sha256_file(source, content, error);
    if (status) return status;
    base_sha256 hash;
    base_sha256_begin(&hash);
    base_sha256_add_field(&hash, "ptx with warnings");
    base_sha256_add_field(&hash, tools->nvcc);
    base_sha256_add_field(&hash, tools->version);
    base_sha256_add_field(&hash, source);
    base_sha256_add_field(&hash, content);
    for (size_t i = 0; i < flags->count; i++) base_sha256_add_field(&hash, flags->argv[i]);
    base_sha256_end(&hash, key);
    return KZ_OK;
}

static void explain_nvcc(kz_error *error, const base_text *said) {
    if (said->data && strstr(said->data, "kz/kernel.cuh"))
        base_fail_note(error,
                       "kz's own headers are looked for in the folder include beside the executable's");
}

kz_status toolchain_run_nvcc(const toolchain *tools, const char *source, const toolchain_words *flags,
                             bool quick, const char *folder, char **ptx, size_t *ptx_size,
                             char **dependencies, base_text *said, kz_error *error) {
    char out[TOOLCHAIN_PATH + 16], list[TOOLCHAIN_PATH + 16];
    snprintf(out, sizeof out, "%s/out.ptx", folder);
    snprintf(list, sizeof list, "%s/out.d", folder);
    toolchain_words c = {0};
    add(&c, tools->nvcc);
    for (size_t i = 0; i < flags->count; i++) add(&c, flags->argv[i]);
    const char *words[] = {TOOLCHAIN_QUICK};
    for (size_t i = 0; quick && i < BASE_COUNT(words); i++) add(&c, words[i]);
    const char *tail[] = {"-MD", "-MF", list, "-o", out, source};
    for (size_t i = 0; i < BASE_COUNT(tail); i++) add(&c, tail[i]);

    int code = 0;
    base_text_free(said);
    kz_status status = toolchain_start(tools, c.argv, said, &code, error);
    if (status == KZ_OK && code != 0) {
        char what[TOOLCHAIN_PATH + 64];
        snprintf(what, sizeof what, "nvcc could not compile %s (exit status %d)", source, code);
        status = toolchain_fail_tool(error, "nvcc", what, source, code, said);
        explain_nvcc(error, said);
    }
    if (status == KZ_OK) status = base_file_read(out, ptx, ptx_size, error);
    size_t size = 0;
    if (status == KZ_OK) base_file_read(list, dependencies, &size, NULL); // without it, nothing is cached
    return status;
}

// Of all programs that this process has started and waited for.
static double cpu_seconds(void) {
    struct rusage used = {0};
    getrusage(RUSAGE_CHILDREN, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

static kz_status compile(const toolchain *tools, const char *source, const toolchain_words *flags, char **ptx,
                         size_t *ptx_size, kz_error *error) {
    char before[TOOLCHAIN_KEY], key[TOOLCHAIN_KEY], folder[TOOLCHAIN_PATH];
    kz_status status = toolchain_ptx_key(tools, source, flags, before, error);
    if (status) return status;
    if (tools->seconds) *tools->seconds = 0;
    if (toolchain_cache_find(tools, before, key) && toolchain_cache_read(tools, key, "ptx", ptx, ptx_size)) {
        toolchain_recall_warnings(tools, key);
        return KZ_OK;
    }

    status = toolchain_work_open(folder, error);
    if (status) return status;
    char *dependencies = NULL;
    base_text said = {0};
    kz_error quickly = {0};
    double start = cpu_seconds();
    status =
        toolchain_run_nvcc(tools, source, flags, true, folder, ptx, ptx_size, &dependencies, &said, &quickly);
    if (status == KZ_TOOL)
        status = toolchain_run_nvcc(tools, source, flags, false, folder, ptx, ptx_size, &dependencies, &said,
                                    error);
    else if (status && error)
        *error = quickly;
    if (tools->seconds) *tools->seconds = cpu_seconds() - start;
    if (status == KZ_OK && dependencies && toolchain_cache_list(tools, before, dependencies, key)) {
        toolchain_keep_warnings(tools, key, said.data, NULL); // before what they belong to
        toolchain_cache_write(tools, key, "ptx", *ptx, *ptx_size);
    }
    if (status == KZ_OK && tools->warnings) toolchain_pick_warnings(said.data, NULL, tools->warnings);
    base_text_free(&said);
    free(dependencies);
    toolchain_work_close(folder);
    return status;
}

kz_status toolchain_check_name(const char *path, kz_error *error) {
    const char *odd = strpbrk(path, "$`\"\\\n");
    if (!odd) return KZ_OK;
    base_fail(error, KZ_INVALID, "nvcc cannot be given a file whose path has the character %c: %s",
              *odd == '\n' ? ' ' : *odd, path);
    base_fail_note(error,
                   "give the file or its folder another name: letters, digits, blanks, - _ . are fine");
    return KZ_INVALID;
}

kz_status toolchain_compile_ptx(const toolchain *tools, const char *source, const char *arch,
                                const char *const *include_dirs, char **ptx, size_t *ptx_size,
                                kz_error *error) {
    *ptx = NULL;
    *ptx_size = 0;
    kz_status status = check_arch(arch, error);
    if (status) return status;
    if (!tools->nvcc[0]) return base_fail(error, KZ_TOOL, "there is no CUDA compiler to compile %s", source);
    // Absolute, so that line information means the same wherever it is read.
    char *path = realpath(source, NULL);
    if (!path) return base_file_fail_open(source, errno, error);
    status = toolchain_check_name(path, error);
    if (status) {
        free(path);
        return status;
    }
    toolchain_words flags;
    toolchain_ptx_flags(tools, arch, include_dirs, &flags);
    if (flags.count > TOOLCHAIN_WORDS - 10) // what toolchain_run_nvcc adds must fit
        status = base_fail(error, KZ_INVALID, "too many include folders for %s", source);
    else
        status = compile(tools, path, &flags, ptx, ptx_size, error);
    free(path);
    return status;
}

kz_status toolchain_preprocess(const toolchain *tools, const char *source, const char *const *flags,
                               size_t flag_count, base_text *text, kz_error *error) {
    if (!tools->nvcc[0]) return base_fail(error, KZ_TOOL, "there is no CUDA compiler to read %s", source);
    kz_status status = toolchain_check_name(source, error);
    if (status) return status;
    toolchain_words c = {0};
    const char *words[] = {tools->nvcc, "-E", "-I", tools->include[0] ? tools->include : "."};
    for (size_t i = 0; i < BASE_COUNT(words); i++) add(&c, words[i]);
    for (size_t i = 0; i < flag_count && c.count < TOOLCHAIN_WORDS - 2; i++) add(&c, flags[i]);
    add(&c, source);
    int code = 0;
    status = toolchain_start(tools, c.argv, text, &code, error);
    return status || code == 0 ? status : toolchain_fail_tool(error, "nvcc", "nvcc -E", source, code, text);
}

kz_status toolchain_run_to_text(const toolchain *tools, const char **argv, size_t count, const char *tool,
                                const char *source, base_text *text, kz_error *error) {
    char folder[TOOLCHAIN_PATH], out[TOOLCHAIN_PATH + 16], *data = NULL;
    size_t size = 0;
    int code = 0;
    base_text said = {0};
    kz_status status = toolchain_work_open(folder, error);
    if (status) return status;
    snprintf(out, sizeof out, "%s/out.ii", folder);
    argv[count++] = "-o";
    argv[count++] = out;
    argv[count] = NULL;
    status = toolchain_start(tools, argv, &said, &code, error);
    if (!status && code != 0) {
        char what[TOOLCHAIN_PATH + 128];
        snprintf(what, sizeof what, "%.64s could not preprocess %.900s (exit status %d)", tool, source, code);
        status = toolchain_fail_tool(error, tool, what, source, code, &said);
    }
    if (!status) status = base_file_read(out, &data, &size, error);
    if (!status) base_text_add_bytes(text, data, size);
    if (!status && text->failed) status = base_fail(error, KZ_NO_MEMORY, "no memory for %s", source);
    free(data);
    base_text_free(&said);
    toolchain_work_close(folder);
    return status;
}

kz_status toolchain_preprocess_kernel(const toolchain *tools, const char *source, const char *arch,
                                      bool quick, base_text *text, kz_error *error) {
    toolchain_words flags, c = {0};
    const char *words[] = {TOOLCHAIN_QUICK};
    kz_status status = check_arch(arch, error);
    if (!status) status = toolchain_check_name(source, error);
    if (status) return status;
    if (!tools->nvcc[0]) return base_fail(error, KZ_TOOL, "there is no CUDA compiler to read %s", source);
    toolchain_ptx_flags(tools, arch, NULL, &flags);
    add(&c, tools->nvcc);
    add(&c, "-E"); // in the place of -ptx, the first
    for (size_t i = 1; i < flags.count; i++) add(&c, flags.argv[i]);
    for (size_t i = 0; quick && i < BASE_COUNT(words); i++) add(&c, words[i]);
    add(&c, source);
    return toolchain_run_to_text(tools, c.argv, c.count, "nvcc", source, text, error);
}

// ---- ptxas ----------------------------------------------------------------------------------------

// Reads one line of `ptxas -v`; `now` is the entry that the lines speak of, `properties` whether the next
// line has its stack and spills.
static void read_line(const char *line, toolchain_resources *now, bool *properties) {
    char name[128];
    size_t stack, stores, loads;
    const char *at;
    if (sscanf(line, "ptxas info : Function properties for %127s", name) == 1) {
        *properties = strcmp(name, now->entry) == 0;
    } else if (*properties &&
               sscanf(line, " %zu bytes stack frame, %zu bytes spill stores, %zu bytes spill loads", &stack,
                      &stores, &loads) == 3) {
        now->stack_bytes = stack;
        now->spill_store_bytes = stores;
        now->spill_load_bytes = loads;
        *properties = false;
    } else if (sscanf(line, "ptxas info : Used %d registers", &now->registers) == 1 &&
               (at = strstr(line, " bytes smem"))) {
        while (at > line && isdigit((unsigned char)at[-1])) at--;
        now->shared_bytes = strtoull(at, NULL, 10);
    }
}

static kz_status read_resources(const char *said, toolchain_resources **resources, size_t *count,
                                kz_error *error) {
    size_t entries = 0;
    for (const char *at = said; (at = strstr(at, "Compiling entry function")); at++) entries++;
    *count = 0;
    *resources = calloc(entries + 1, sizeof **resources);
    if (!*resources) return base_fail(error, KZ_NO_MEMORY, "no memory for what ptxas says");
    bool properties = false;
    while (*said) {
        char line[512];
        size_t length = strcspn(said, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, said);
        said += length + (said[length] == '\n');
        char name[128];
        if (*count < entries && sscanf(line, "ptxas info : Compiling entry function '%127[^']'", name) == 1)
            memcpy((*resources)[(*count)++].entry, name, sizeof name);
        else if (*count > 0)
            read_line(line, &(*resources)[*count - 1], &properties);
    }
    return KZ_OK;
}

// What -v adds about the kernels is no part of a refusal.
static void keep_refusal(const base_text *said, base_text *refusal) {
    for (const char *line = said->data ? said->data : ""; *line;) {
        size_t length = strcspn(line, "\n");
        if (strncmp(line, "ptxas ", 6) == 0 && strncmp(line, "ptxas info", 10) != 0)
            base_text_add(refusal, "%.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

void toolchain_note_shared_memory(const char *said, kz_error *error) {
    if (said && strstr(said, "uses too much shared data"))
        base_fail_note(error,
                       "static shared memory has 48 KiB: make it dynamic (extern __shared__, its size at the "
                       "launch), or smaller");
}

void toolchain_note_target(const char *said, kz_error *error) {
    if (!said) return;
    if (strstr(said, "not supported on .target 'sm_90'"))
        base_fail_note(
            error, "what Hopper has for itself alone (wgmma, setmaxnreg, tensormap.replace) is for sm_90a: "
                   "leave the architecture to kz, or -gencode "
                   "arch=compute_90a,code=[compute_90a,sm_90a]");
    else if (strstr(said, "not supported on .target 'sm_") || strstr(said, "requires .target sm_"))
        base_fail_note(error,
                       "the code is for a newer GPU than the one that was chosen: --gpu h200, or a fallback "
                       "under #if __CUDA_ARCH__");
}

static kz_status fail_ptxas(const char *name, const char *target, int code, const base_text *said,
                            kz_error *error) {
    char what[TOOLCHAIN_PATH];
    base_text refusal = {0};
    snprintf(what, sizeof what, "ptxas could not assemble %.500s with %s (exit status %d)", name, target,
             code);
    keep_refusal(said, &refusal);
    kz_status status =
        toolchain_fail_tool(error, "ptxas", what, name, code, refusal.length ? &refusal : said);
    if (status == KZ_TOOL) {
        toolchain_note_shared_memory(refusal.data, error);
        toolchain_note_target(refusal.data, error);
    }
    base_text_free(&refusal);
    return status;
}

static kz_status run_ptxas(const toolchain *tools, const char *name, const char *folder, const char *ptx,
                           size_t ptx_size, const char *target, base_text *said, void **cubin,
                           size_t *cubin_size, kz_error *error) {
    char in[TOOLCHAIN_PATH + 16], out[TOOLCHAIN_PATH + 16];
    snprintf(in, sizeof in, "%s/in.ptx", folder);
    snprintf(out, sizeof out, "%s/out.cubin", folder);
    kz_status status = base_file_write_scratch(in, ptx, ptx_size, error);
    if (status) return status;
    int code = 0;
    status = toolchain_start(
        tools, (const char *const[]){tools->ptxas, "-v", "-O3", "-lineinfo", target, "-o", out, in, NULL},
        said, &code, error);
    if (status) return status;
    if (code != 0) return fail_ptxas(name, target, code, said, error);
    return base_file_read(out, (char **)cubin, cubin_size, error);
}

kz_status toolchain_assemble(const toolchain *tools, const char *name, const char *ptx, size_t ptx_size,
                             const char *arch, void **cubin, size_t *cubin_size,
                             toolchain_resources **resources, size_t *resource_count, kz_error *error) {
    *cubin = NULL;
    *cubin_size = 0;
    if (resources) *resources = NULL, *resource_count = 0;
    kz_status status = check_arch(arch, error);
    if (status) return status;
    if (!tools->ptxas[0]) {
        base_fail(error, KZ_TOOL, "there is no ptxas to assemble %s", name);
        base_fail_note(error, "it belongs beside nvcc: install the whole CUDA toolkit");
        return KZ_TOOL;
    }
    char target[32], key[TOOLCHAIN_KEY];
    snprintf(target, sizeof target, "-arch=sm_%s", arch);
    base_sha256 hash;
    base_sha256_begin(&hash);
    const char *fields[] = {"cubin", tools->ptxas, tools->version, target};
    for (size_t i = 0; i < BASE_COUNT(fields); i++) base_sha256_add_field(&hash, fields[i]);
    base_sha256_add(&hash, ptx, ptx_size);
    base_sha256_end(&hash, key);

    base_text said = {0};
    char *stored = NULL, folder[TOOLCHAIN_PATH];
    size_t stored_size = 0;
    if (toolchain_cache_read(tools, key, "info", &stored, &stored_size) &&
        toolchain_cache_read(tools, key, "cubin", (char **)cubin, cubin_size)) {
        base_text_add_bytes(&said, stored, stored_size);
    } else {
        status = toolchain_work_open(folder, error);
        if (status == KZ_OK) {
            status = run_ptxas(tools, name, folder, ptx, ptx_size, target, &said, cubin, cubin_size, error);
            toolchain_work_close(folder);
        }
        if (status == KZ_OK) {
            toolchain_cache_write(tools, key, "cubin", *cubin, *cubin_size);
            toolchain_cache_write(tools, key, "info", said.data ? said.data : "", said.length);
        }
    }
    free(stored);
    if (status == KZ_OK && resources)
        status = read_resources(said.data ? said.data : "", resources, resource_count, error);
    base_text_free(&said);
    return status;
}

void toolchain_ptx_arch(const char *ptx, int sm, char arch[TOOLCHAIN_ARCH]) {
    const char *target = strstr(ptx, ".target sm_");
    size_t digits = target ? strspn(target + 11, "0123456789") : 0;
    bool special = target && (target[11 + digits] == 'a' || target[11 + digits] == 'f');
    if (digits > 0 && digits < 5 && (special || atoi(target + 11) > sm))
        snprintf(arch, TOOLCHAIN_ARCH, "%.*s", (int)(digits + special), target + 11);
    else
        snprintf(arch, TOOLCHAIN_ARCH, "%d", sm);
}

kz_status toolchain_check_ptx(const toolchain *tools, const char *name, const char *ptx, int sm,
                              kz_error *error) {
    if (!tools->ptxas[0]) return KZ_OK;
    char arch[TOOLCHAIN_ARCH];
    void *cubin = NULL;
    size_t size = 0;
    kz_error said = {0};
    toolchain_ptx_arch(ptx, sm, arch);
    kz_status status =
        toolchain_assemble(tools, name, ptx, strlen(ptx), arch, &cubin, &size, NULL, NULL, &said);
    free(cubin);
    // A ptxas that is older than the text says nothing about it; one that cannot work says nothing at all.
    if (status != KZ_TOOL || strstr(said.message, "Unsupported .version")) return KZ_OK;
    if (error) *error = said;
    return status;
}
