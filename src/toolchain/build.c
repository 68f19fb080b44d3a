// Whole programs, by nvcc or by the host's C compiler: each source to an object, the objects to an executable,
// both through the cache.
#include "toolchain/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { WORDS = 512 };

typedef struct command {
    const char *argv[WORDS];
    size_t count;
    bool full;
} command;

static void add(command *c, const char *word) {
    if (c->count + 1 < WORDS)
        c->argv[c->count++] = word;
    else
        c->full = true;
}

static bool starts_with(const char *text, const char *head) { return strncmp(text, head, strlen(head)) == 0; }

static bool chooses_arch(const toolchain_program *program) {
    for (size_t i = 0; i < program->flag_count; i++) {
        const char *flag = program->flags[i];
        if (starts_with(flag, "-arch") || starts_with(flag, "--gpu-architecture") ||
            starts_with(flag, "-gencode") || starts_with(flag, "--generate-code"))
            return true;
    }
    return false;
}

// The compiler of one program and what it is told at both steps.
typedef struct compiler {
    const toolchain *tools;
    const toolchain_program *program;
    char path[TOOLCHAIN_PATH], version[64], gencode[96];
    const char *name; // for messages
} compiler;

static kz_status open_compiler(const toolchain *tools, const toolchain_program *program, compiler *with,
                               kz_error *error) {
    *with = (compiler){.tools = tools, .program = program, .name = "nvcc"};
    if (!program->plain_c) {
        if (!tools->nvcc[0])
            return base_fail(error, KZ_TOOL, "there is no CUDA compiler to build %s", program->files[0]);
        snprintf(with->path, sizeof with->path, "%s", tools->nvcc);
        snprintf(with->version, sizeof with->version, "%s", tools->version);
        snprintf(with->gencode, sizeof with->gencode, "arch=compute_%s,code=[compute_%s,sm_%s]",
                 program->arch, program->arch, program->arch);
        return KZ_OK;
    }
    kz_status status = KZ_OK;
    if (program->cc)
        snprintf(with->path, sizeof with->path, "%s", program->cc);
    else
        status = toolchain_find_cc(with->path, error);
    if (status) return status;
    base_text said = {0};
    int code = 0;
    with->name = strrchr(with->path, '/') + 1;
    status = toolchain_run((const char *const[]){with->path, "--version", NULL}, &said, &code, error);
    snprintf(with->version, sizeof with->version, "%.60s", said.data ? said.data : "");
    base_text_free(&said);
    return status;
}

static void add_common(command *c, const compiler *with) {
    static const char *const cuda[] = {"-O3", "-lineinfo", "-cudart", "shared", NULL};
    static const char *const plain[] = {"-std=gnu11", "-O2", "-g", "-Wall", NULL};
    add(c, with->path);
    for (const char *const *flag = with->program->plain_c ? plain : cuda; *flag; flag++) add(c, *flag);
    if (!with->program->plain_c && !chooses_arch(with->program)) add(c, "-gencode"), add(c, with->gencode);
    for (size_t i = 0; i < with->program->flag_count; i++) add(c, with->program->flags[i]);
}

static void hash_command(base_sha256 *hash, const compiler *with, const char *kind, const command *c) {
    base_sha256_begin(hash);
    base_sha256_add_field(hash, kind);
    base_sha256_add_field(hash, with->version);
    for (size_t i = 0; i < c->count; i++) base_sha256_add_field(hash, c->argv[i]);
}

// `output` gets what the compiler says where all is well; it may be NULL.
static kz_status run(const compiler *with, const command *c, const char *what, const char *of,
                     base_text *output, kz_error *error) {
    if (c->full) return base_fail(error, KZ_INVALID, "too many files or flags for one program");
    base_text said = {0};
    int code = 0;
    kz_status status = toolchain_start(with->tools, c->argv, &said, &code, error);
    if (status == KZ_OK && code == 0 && output && said.length)
        base_text_add_bytes(output, said.data, said.length);
    if (status == KZ_OK && code != 0) {
        char line[TOOLCHAIN_PATH + 128];
        snprintf(line, sizeof line, "%.64s could not %s %.900s (exit status %d)", with->name, what, of, code);
        status = toolchain_fail_tool(error, with->name, line, of, code, &said);
        if (said.data && strstr(said.data, "undefined reference to `main'"))
            base_fail_note(error, "the program has no main: name the file that has it too");
        toolchain_note_lacking_in(said.data, error);
        toolchain_note_shared_memory(said.data, error);
        toolchain_note_target(said.data, error);
        if (said.data && strstr(said.data, "Unresolved extern function"))
            base_fail_note(error, "device code that another file has: kz's --nvcc-flag -rdc=true links it");
        if (said.data && (strstr(said.data, " -lomp") || strstr(said.data, "'omp.h' file not found")))
            base_fail_note(error, "clang's OpenMP is a package of its own: apt-get install libomp-dev, or "
                                  "take gcc (CC=gcc)");
    }
    base_text_free(&said);
    return status;
}

static kz_status write_object(const char *folder, size_t index, const void *data, size_t size,
                              kz_error *error) {
    char path[TOOLCHAIN_PATH + 32];
    snprintf(path, sizeof path, "%s/%zu.o", folder, index);
    return base_file_write_scratch(path, data, size, error);
}

// The command that compiles `source`, with the flags of the file at `index`, up to its outputs; `before` is its key.
static kz_status object_command(const compiler *with, size_t index, const char *source, command *c,
                                char before[TOOLCHAIN_KEY], kz_error *error) {
    const toolchain_program *program = with->program;
    char content[TOOLCHAIN_KEY];
    kz_status status = program->plain_c ? KZ_OK : toolchain_check_name(source, error);
    if (!status) status = base_sha256_file(source, content, error);
    if (status) return status;
    add_common(c, with);
    const char *const *own = program->file_flags ? program->file_flags[index] : NULL;
    for (size_t i = 0; own && own[i]; i++) add(c, own[i]);
    // kz/*.cuh, after all that the program has itself.
    if (!program->plain_c && with->tools->include[0]) add(c, "-I"), add(c, with->tools->include);
    add(c, "-c"), add(c, source);
    base_sha256 hash;
    hash_command(&hash, with, "object with warnings", c);
    base_sha256_add_field(&hash, content);
    base_sha256_end(&hash, before);
    return KZ_OK;
}

// Runs it: to `folder`/<index>.o, and its dependencies to <index>.d. `name` is for messages.
static kz_status make_object(const compiler *with, const command *asked, size_t index, const char *folder,
                             const char *name, base_text *said, kz_error *error) {
    char object[TOOLCHAIN_PATH + 32], list[TOOLCHAIN_PATH + 32];
    snprintf(object, sizeof object, "%s/%zu.o", folder, index);
    snprintf(list, sizeof list, "%s/%zu.d", folder, index);
    const char *tail[] = {"-MD", "-MF", list, "-o", object};
    command c = *asked, quick = *asked;
    const char *words[] = {TOOLCHAIN_QUICK};
    for (size_t i = 0; i < BASE_COUNT(words); i++) add(&quick, words[i]);
    for (size_t i = 0; i < BASE_COUNT(tail); i++) add(&c, tail[i]), add(&quick, tail[i]);
    kz_error quickly = {0};
    kz_status status = with->program->plain_c ? KZ_TOOL : run(with, &quick, "compile", name, said, &quickly);
    if (status == KZ_TOOL)
        status = run(with, &c, "compile", name, said, error);
    else if (status && error)
        *error = quickly;
    return status;
}

// Leaves the object in `folder`/<index>.o; `key` names its content.
static kz_status compile_source(const compiler *with, size_t index, const char *folder,
                                char key[TOOLCHAIN_KEY], kz_error *error) {
    const toolchain *tools = with->tools;
    const char *name = with->program->files[index];
    char *source = realpath(name, NULL); // absolute, for line information
    if (!source) return base_file_fail_open(name, errno, error);
    char before[TOOLCHAIN_KEY], object[TOOLCHAIN_PATH + 32], list[TOOLCHAIN_PATH + 32], *data = NULL;
    size_t size = 0;
    command c = {0};
    base_text said = {0};
    kz_status status = object_command(with, index, source, &c, before, error);
    if (status) goto done;
    if (toolchain_cache_find(tools, before, key) && toolchain_cache_read(tools, key, "o", &data, &size)) {
        toolchain_recall_warnings(tools, key);
        status = write_object(folder, index, data, size, error);
        free(data);
        goto done;
    }
    snprintf(object, sizeof object, "%s/%zu.o", folder, index);
    snprintf(list, sizeof list, "%s/%zu.d", folder, index);
    status = make_object(with, &c, index, folder, name, &said, error);
    if (status == KZ_OK) status = base_file_read(object, &data, &size, error);
    if (status == KZ_OK) {
        char *dependencies = NULL;
        size_t ignored;
        base_sha256 hash;
        memcpy(key, before, TOOLCHAIN_KEY);
        if (base_file_read(list, &dependencies, &ignored, NULL) == KZ_OK &&
            toolchain_cache_list(tools, before, dependencies, key)) {
            toolchain_keep_warnings(tools, key, said.data, NULL); // before what they belong to
            toolchain_cache_write(tools, key, "o", data, size);
        }
        if (tools->warnings) toolchain_pick_warnings(said.data, NULL, tools->warnings);
        base_sha256_begin(&hash); // without a list, the object itself is what the link depends on
        base_sha256_add(&hash, data, size);
        if (!dependencies) base_sha256_end(&hash, key);
        free(dependencies);
        free(data);
    }
done:
    base_text_free(&said);
    free(source);
    return status;
}

kz_status toolchain_object_key(const toolchain *tools, const toolchain_program *program, const char *source,
                               char before[TOOLCHAIN_KEY]) {
    compiler with;
    command c = {0};
    kz_status status = open_compiler(tools, program, &with, NULL);
    return status ? status : object_command(&with, 0, source, &c, before, NULL);
}

kz_status toolchain_make_object(const toolchain *tools, const toolchain_program *program, const char *source,
                                const char *folder, base_text *said) {
    compiler with;
    command c = {0};
    char before[TOOLCHAIN_KEY];
    kz_status status = open_compiler(tools, program, &with, NULL);
    if (!status) status = object_command(&with, 0, source, &c, before, NULL);
    return status ? status : make_object(&with, &c, 0, folder, source, said, NULL);
}

kz_status toolchain_preprocess_program(const toolchain *tools, const toolchain_program *program,
                                       bool for_device, bool quick, base_text *text, kz_error *error) {
    compiler with;
    command c = {0};
    char before[TOOLCHAIN_KEY];
    const char *words[] = {TOOLCHAIN_QUICK};
    char *source = realpath(program->files[0], NULL);
    if (!source) return base_file_fail_open(program->files[0], errno, error);
    kz_status status = open_compiler(tools, program, &with, error);
    if (!status) status = object_command(&with, 0, source, &c, before, error);
    if (!status) {
        c.argv[c.count - 2] = "-E"; // in the place of -c
        for (size_t i = 0; quick && !program->plain_c && i < BASE_COUNT(words); i++) add(&c, words[i]);
        if (!for_device && !program->plain_c) add(&c, "-U__CUDA_ARCH__"); // nvcc's -E is the device's
        if (c.count + 3 >= WORDS || c.full)
            status = base_fail(error, KZ_INVALID, "too many flags for %s", source);
        else
            status = toolchain_run_to_text(tools, c.argv, c.count, with.name, source, text, error);
    }
    free(source);
    return status;
}

static bool is_source(const char *path) {
    static const char *const suffixes[] = {".cu", ".c", ".cc", ".cpp", ".cxx"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < BASE_COUNT(suffixes); i++)
        if (strcmp(dot, suffixes[i]) == 0) return true;
    return false;
}

// Whether code of one file may call that of another on the device. Where not, nvcc need not look for such calls.
static bool may_link_on_device(const toolchain_program *program) {
    static const char *const said[] = {"-rdc",     "--relocatable", "-dc", "--device-c", "-dlto",
                                       "-dlink",   "--device-link", "-l",  "--library",  "-X",
                                       "--options"};
    for (size_t i = 0; i < program->flag_count; i++)
        for (size_t j = 0; j < BASE_COUNT(said); j++)
            if (starts_with(program->flags[i], said[j])) return true;
    for (size_t i = 0; i < program->file_count; i++)
        if (!is_source(program->files[i])) return true;
    return false;
}

// LLVM's linker takes half of the time. Where it is not there, or refuses, the compiler's own has the word.
static kz_status link_program(const compiler *with, command *c, const char *executable, kz_error *error) {
    char lld[TOOLCHAIN_PATH];
    bool chosen = false;
    for (size_t i = 0; i < c->count; i++) chosen = chosen || strstr(c->argv[i], "-fuse-ld");
    add(c, "-o"), add(c, executable);
    if (!chosen && toolchain_find_program("ld.lld", lld)) {
        command quick = *c;
        if (!with->program->plain_c) add(&quick, "-Xcompiler");
        add(&quick, "-fuse-ld=lld");
        if (run(with, &quick, "link", with->program->files[0], NULL, NULL) == KZ_OK) return KZ_OK;
    }
    return run(with, c, "link", with->program->files[0], NULL, error);
}

kz_status toolchain_build_program(const toolchain *tools, const toolchain_program *program,
                                  const char *folder, char executable[TOOLCHAIN_PATH], kz_error *error) {
    char key[TOOLCHAIN_KEY], library[TOOLCHAIN_PATH + 4];
    compiler with;
    kz_status status = open_compiler(tools, program, &with, error);
    if (status) return status;
    char(*objects)[TOOLCHAIN_PATH + 32] = calloc(program->file_count + 1, sizeof *objects);
    if (!objects) return base_fail(error, KZ_NO_MEMORY, "no memory for the names of objects");
    command c = {0};
    snprintf(library, sizeof library, "-L%s", program->library_folder ? program->library_folder : "");
    add_common(&c, &with);
    if (program->library_folder) add(&c, library);
    if (!program->plain_c && !may_link_on_device(program)) add(&c, "-nodlink");
    base_sha256 hash;
    hash_command(&hash, &with, "program", &c);
    for (size_t i = 0; i < program->file_count; i++) {
        if (is_source(program->files[i])) {
            status = compile_source(&with, i, folder, key, error);
            snprintf(objects[i], sizeof *objects, "%s/%zu.o", folder, i);
        } else {
            status = base_sha256_file(program->files[i], key, error);
            snprintf(objects[i], sizeof *objects, "%s", program->files[i]);
        }
        if (status) break;
        base_sha256_add_field(&hash, key);
        add(&c, objects[i]);
    }
    for (size_t i = 0; i < program->flag_count; i++) // a static library serves only what stands before it
        if (starts_with(program->flags[i], "-l")) add(&c, program->flags[i]);
    if (status == KZ_OK) {
        char *data = NULL;
        size_t size = 0;
        base_sha256_end(&hash, key);
        snprintf(executable, TOOLCHAIN_PATH, "%.900s/program", folder);
        if (toolchain_cache_read(tools, key, "program", &data, &size)) {
            status = base_file_write_scratch(executable, data, size, error);
        } else {
            status = link_program(&with, &c, executable, error);
            if (status == KZ_OK && base_file_read(executable, &data, &size, NULL) == KZ_OK)
                toolchain_cache_write(tools, key, "program", data, size);
        }
        free(data);
        // For its owner alone: a sandbox without mounts allows no other mode.
        if (status == KZ_OK && chmod(executable, 0700) != 0)
            status = base_fail(error, KZ_IO, "cannot make %s executable: %s", executable, strerror(errno));
    }
    free(objects);
    return status;
}
