// Symbols and segments of ELF files, and the bytes of their code. See executable.h.
#include "executable.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Attributes that take a function out of a sanitizer's sight, and calls that compilers insert and nobody else needs.
const char course_poisoned_names[] =
    "no_sanitize __no_sanitize__ no_sanitize_address __no_sanitize_address__ no_sanitize_thread "
    "__no_sanitize_thread__ no_sanitize_undefined __no_sanitize_undefined__ no_address_safety_analysis "
    "__no_address_safety_analysis__ disable_sanitizer_instrumentation "
    "__disable_sanitizer_instrumentation__ __asan_unpoison_stack_memory __asan_allocas_unpoison "
    "__asan_handle_no_return __asan_set_shadow_00";

typedef struct elf {
    char *data;
    size_t size;
    Elf64_Ehdr head;
} elf;

static bool is_inside(const elf *e, uint64_t offset, uint64_t bytes) {
    return offset <= e->size && bytes <= e->size - offset;
}

static bool open_elf(const char *path, elf *e) {
    *e = (elf){0};
    if (base_file_read(path, &e->data, &e->size, NULL) != KZ_OK) return false;
    if (e->size >= sizeof e->head) memcpy(&e->head, e->data, sizeof e->head);
    const Elf64_Ehdr *h = &e->head;
    return memcmp(h->e_ident, ELFMAG, SELFMAG) == 0 && h->e_ident[EI_CLASS] == ELFCLASS64 &&
           h->e_shentsize == sizeof(Elf64_Shdr) &&
           is_inside(e, h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf64_Shdr)) &&
           (!h->e_phnum || h->e_phentsize == sizeof(Elf64_Phdr)) &&
           is_inside(e, h->e_phoff, (uint64_t)h->e_phnum * sizeof(Elf64_Phdr));
}

static Elf64_Shdr section_at(const elf *e, size_t index) {
    Elf64_Shdr section = {0};
    if (index < e->head.e_shnum)
        memcpy(&section, e->data + e->head.e_shoff + index * sizeof section, sizeof section);
    return is_inside(e, section.sh_offset, section.sh_size) ? section : (Elf64_Shdr){0};
}

// ---- symbols --------------------------------------------------------------------------------------------

typedef struct symbol {
    const char *name;
    bool is_defined, is_local, is_indirect;
} symbol;

typedef struct symbols {
    const elf *file;
    Elf64_Shdr table, names;
    size_t next;
} symbols;

static symbols symbols_of(const elf *e, uint32_t type) {
    symbols s = {.file = e};
    for (size_t i = 0; i < e->head.e_shnum && !s.table.sh_type; i++)
        if (section_at(e, i).sh_type == type) s.table = section_at(e, i);
    s.names = section_at(e, s.table.sh_link);
    return s;
}

static bool next_symbol(symbols *s, symbol *found) {
    while ((s->next + 1) * sizeof(Elf64_Sym) <= s->table.sh_size) {
        Elf64_Sym row;
        memcpy(&row, s->file->data + s->table.sh_offset + s->next++ * sizeof row, sizeof row);
        const char *name = s->file->data + s->names.sh_offset + row.st_name;
        if (row.st_name >= s->names.sh_size || !memchr(name, 0, (size_t)(s->names.sh_size - row.st_name)) ||
            !*name)
            continue;
        *found = (symbol){.name = name,
                          .is_defined = row.st_shndx != SHN_UNDEF,
                          .is_local = ELF64_ST_BIND(row.st_info) == STB_LOCAL,
                          .is_indirect = ELF64_ST_TYPE(row.st_info) == STT_GNU_IFUNC};
        return true;
    }
    return false;
}

static bool is_exported(const elf *program, const char *name) {
    symbols s = symbols_of(program, SHT_DYNSYM);
    for (symbol at; next_symbol(&s, &at);)
        if (at.is_defined && strcmp(at.name, name) == 0) return true;
    return false;
}

static bool is_wanted(const elf *harness, const char *name) {
    symbols s = symbols_of(harness, SHT_SYMTAB);
    for (symbol at; next_symbol(&s, &at);)
        if (!at.is_defined && strcmp(at.name, name) == 0) return true;
    return false;
}

static bool begins_with_one(const char *name, const char *const *heads) {
    for (; *heads; heads++)
        if (strncmp(name, *heads, strlen(*heads)) == 0) return true;
    return false;
}

static bool is_sanitizers(const char *name) {
    static const char *const heads[] = {
        "__asan_",        "__lsan_",         "__tsan_",  "__ubsan_",    "__sanitizer_",
        "__interceptor_", "___interceptor_", "Annotate", "WTFAnnotate", NULL};
    return begins_with_one(name, heads);
}

// What gcc and clang insert.
static bool is_inserted(const symbol *at) {
    static const char *const calls[] = {"__asan_report_load",
                                        "__asan_report_store",
                                        "__asan_report_exp_",
                                        "__asan_load",
                                        "__asan_store",
                                        "__asan_exp_",
                                        "__asan_init",
                                        "__asan_version_mismatch_check",
                                        "__asan_register_",
                                        "__asan_unregister_",
                                        "__asan_handle_no_return",
                                        "__asan_stack_malloc_",
                                        "__asan_stack_free_",
                                        "__asan_option_detect_stack",
                                        "__asan_alloca_poison",
                                        "__asan_allocas_unpoison",
                                        "__asan_poison_stack_memory",
                                        "__asan_unpoison_stack_memory",
                                        "__asan_memcpy",
                                        "__asan_memmove",
                                        "__asan_memset",
                                        "__asan_set_shadow_",
                                        "__asan_shadow_memory_dynamic_address",
                                        "__tsan_read",
                                        "__tsan_write",
                                        "__tsan_unaligned_",
                                        "__tsan_volatile_",
                                        "__tsan_func_",
                                        "__tsan_init",
                                        "__tsan_atomic",
                                        "__tsan_memcpy",
                                        "__tsan_memmove",
                                        "__tsan_memset",
                                        "__ubsan_handle_",
                                        NULL};
    static const char *const data[] = {"__asan_globals_registered", "__asan_gen_", NULL};
    return begins_with_one(at->name, at->is_defined ? data : calls);
}

// What finds functions by their names while the program runs: a sanitizer's own among them.
static bool is_loaders(const char *name) {
    static const char *const heads[] = {"dlsym",  "dlvsym",          "dlopen", "dlmopen",   "dladdr",
                                        "dlinfo", "dl_iterate_phdr", "_dl_",   "__libc_dl", "_r_debug",
                                        "_rtld_", "_DYNAMIC",        NULL};
    return begins_with_one(name, heads);
}

// The name of a section that runs, or decides what runs, before the harness has closed the doors; NULL where there is none.
static const char *early_section(const elf *e) {
    static const char *const heads[] = {".preinit_array", ".interp", NULL};
    Elf64_Shdr names = section_at(e, e->head.e_shstrndx);
    for (size_t i = 0; i < e->head.e_shnum; i++) {
        Elf64_Shdr section = section_at(e, i);
        const char *name = e->data + names.sh_offset + section.sh_name;
        if (section.sh_type == SHT_PREINIT_ARRAY) return ".preinit_array";
        if (section.sh_name < names.sh_size && memchr(name, 0, (size_t)(names.sh_size - section.sh_name)) &&
            begins_with_one(name, heads))
            return name;
    }
    return NULL;
}

static void refuse(course_verdict *verdict, const char *name, const char *what) {
    char summary[300];
    snprintf(summary, sizeof summary, "%.100s: %s", name, what);
    course_verdict_add(verdict, "source", COURSE_BAD, COURSE_SOURCE, "sanitizer", summary,
                       "Sanitizers, harness and libraries stay as they are, so that all of the function is "
                       "seen and counted.\n"
                       "next: do without it; a function of your own takes another name, or is static");
}

bool course_add_replacing(const course_task *task, const char *folder, const char *executable,
                          course_verdict *verdict) {
    char object[COURSE_PATH + 8], main_object[COURSE_PATH + 8];
    snprintf(object, sizeof object, "%s/0.o", folder);
    snprintf(main_object, sizeof main_object, "%s/1.o", folder);
    elf own = {0}, harness = {0}, program = {0};
    const char *what = NULL, *early = NULL;
    symbol at = {.name = "the program"};
    if (!open_elf(object, &own) || !open_elf(main_object, &harness) || !open_elf(executable, &program))
        what = "it cannot be looked at";
    else if ((early = early_section(&own))) {
        at.name = early;
        what = "this section is used before the program begins";
    }
    symbols s = symbols_of(&own, SHT_SYMTAB);
    while (!what && next_symbol(&s, &at)) {
        if (at.is_indirect) {
            what = "this function is chosen (ifunc, target_clones) before the program begins";
            break;
        }
        if (is_inserted(&at) || strcmp(at.name, task->function) == 0) continue;
        if (is_sanitizers(at.name))
            what = "this function is the sanitizer's own";
        else if (!at.is_defined && is_loaders(at.name))
            what = "this finds functions by their names, the sanitizer's own among them";
        else if (at.is_defined && !at.is_local &&
                 (at.name[0] == '_' || is_wanted(&harness, at.name) || is_exported(&program, at.name)))
            what = "this stands in the place of a library's own function";
    }
    if (what) refuse(verdict, at.name, what);
    free(own.data);
    free(harness.data);
    free(program.data);
    return what != NULL;
}

// ---- code -----------------------------------------------------------------------------------------------

// Rotations of one register by 128 bits in all: valgrind knows its clients' requests by them (valgrind.h).
#ifdef __aarch64__
static const unsigned char request[] = {0x8c, 0x0d, 0xcc, 0x93, 0x8c, 0x35, 0xcc, 0x93,
                                        0x8c, 0xcd, 0xcc, 0x93, 0x8c, 0xf5, 0xcc, 0x93};
#else
static const unsigned char request[] = {0x48, 0xc1, 0xc7, 0x03, 0x48, 0xc1, 0xc7, 0x0d,
                                        0x48, 0xc1, 0xc7, 0x3d, 0x48, 0xc1, 0xc7, 0x33};
#endif

static bool has_writable_code(const elf *e) {
    bool says_stack = false;
    for (size_t i = 0; i < e->head.e_phnum; i++) {
        Elf64_Phdr segment;
        memcpy(&segment, e->data + e->head.e_phoff + i * sizeof segment, sizeof segment);
        bool is_stack = segment.p_type == PT_GNU_STACK;
        says_stack = says_stack || is_stack;
        if ((is_stack || segment.p_type == PT_LOAD) && (segment.p_flags & PF_W) && (segment.p_flags & PF_X))
            return true;
    }
    return !says_stack;
}

bool course_add_uncountable(const char *executable, course_verdict *verdict) {
    elf e;
    const char *what = NULL;
    if (!open_elf(executable, &e))
        what = "the program cannot be looked at";
    else if (memmem(e.data, e.size, request, sizeof request))
        what = "the code speaks to valgrind: what it asks for would not be counted";
    else if (has_writable_code(&e))
        what = "the program has memory that is both written and run (an executable stack, or a section of "
               "its own)";
    free(e.data);
    if (what)
        course_verdict_add(verdict, "source", COURSE_BAD, COURSE_SOURCE, "valgrind", what,
                           "Its counts would not be those of all the work.\n"
                           "next: take out client requests (valgrind.h), nested functions whose address is "
                           "taken, and sections that are written and run");
    return what != NULL;
}
