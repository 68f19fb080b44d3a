// Whether the loader will find what an executable needs: a library of NVIDIA's that the simulator lacks is told by name.
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "toolchain/toolchain.h"
#include "workload/libraries.h"

typedef struct image {
    char *data;
    size_t size;
} image;

static const void *at(const image *m, uint64_t offset, uint64_t bytes) {
    return offset <= m->size && bytes <= m->size - offset ? m->data + offset : NULL;
}

static const Elf64_Phdr *segment(const image *m, size_t index) {
    const Elf64_Ehdr *header = at(m, 0, sizeof *header);
    if (!header || index >= header->e_phnum || header->e_phentsize != sizeof(Elf64_Phdr)) return NULL;
    return at(m, header->e_phoff + index * sizeof(Elf64_Phdr), sizeof(Elf64_Phdr));
}

static uint64_t offset_of(const image *m, uint64_t address) {
    const Elf64_Phdr *s;
    for (size_t i = 0; (s = segment(m, i)); i++)
        if (s->p_type == PT_LOAD && address >= s->p_vaddr && address - s->p_vaddr < s->p_filesz)
            return s->p_offset + (address - s->p_vaddr);
    return UINT64_MAX;
}

// The entry of the dynamic section at `index`; NULL at its end.
static const Elf64_Dyn *entry(const image *m, size_t index) {
    const Elf64_Phdr *s;
    for (size_t i = 0; (s = segment(m, i)); i++) {
        if (s->p_type != PT_DYNAMIC) continue;
        const Elf64_Dyn *found = at(m, s->p_offset + index * sizeof *found, sizeof *found);
        return found && found->d_tag != DT_NULL ? found : NULL;
    }
    return NULL;
}

// The name of the library that the entry needs; NULL where it is about something else.
static const char *needed(const image *m, const Elf64_Dyn *of) {
    const Elf64_Dyn *d;
    for (size_t i = 0; of->d_tag == DT_NEEDED && (d = entry(m, i)); i++) {
        if (d->d_tag != DT_STRTAB) continue;
        uint64_t offset = offset_of(m, d->d_un.d_ptr);
        if (offset >= m->size || of->d_un.d_val >= m->size - offset) return NULL;
        const char *name = m->data + offset + of->d_un.d_val;
        return memchr(name, 0, m->size - (size_t)(name - m->data)) ? name : NULL;
    }
    return NULL;
}

// The loader's own answer: it lists what it finds, and starts nothing. `folder` has the libraries that take the places
// of NVIDIA's.
static void ask_loader(const char *executable, const char *folder, base_text *said) {
    const char *path = getenv("LD_LIBRARY_PATH");
    base_text folders = {0};
    base_text_add(&folders, "LD_LIBRARY_PATH=%s%s%s", folder, path && *path ? ":" : "", path ? path : "");
    const char *const argv[] = {"/usr/bin/env", "LD_TRACE_LOADED_OBJECTS=1", folders.data, executable, NULL};
    int code;
    if (!folders.data || toolchain_run(argv, said, &code, NULL) != KZ_OK) base_text_free(said);
    base_text_free(&folders);
}

static bool is_found(const char *library, const base_text *said) {
    base_text missing = {0};
    base_text_add(&missing, "\t%s => not found", library);
    bool found = !said->data || !missing.data || strstr(said->data, missing.data) == NULL;
    base_text_free(&missing);
    return found;
}

// A small one of our own, in the folder of the runtime: what it lacks it names when it is called.
static bool is_ours(const char *library, const char *folder, const base_text *said) {
    base_text where = {0};
    base_text_add(&where, "\t%s => %s/", library, folder);
    bool ours = said->data && where.data && strstr(said->data, where.data);
    base_text_free(&where);
    return ours;
}

// What is no library of the table is lacking too, on this machine.
static kz_status check_rest(const char *name, const base_text *said, kz_error *error) {
    const char *end = said->data ? strstr(said->data, " => not found") : NULL, *start = end;
    if (!end) return KZ_OK;
    while (start > said->data && start[-1] != '\t' && start[-1] != '\n') start--;
    base_fail(error, KZ_NOT_FOUND, "%s needs the library %.*s, which the loader does not find", name,
              (int)(end - start), start);
    base_fail_note(
        error, "likely cause: it is not installed, or of another version, or lies in a folder of its own");
    base_fail_note(error,
                   "what to do: install it, or name its folder in LD_LIBRARY_PATH; ldd %s lists what is "
                   "found",
                   name);
    return KZ_NOT_FOUND;
}

static kz_status check(const image *m, const char *name, const char *folder, const base_text *said,
                       void (*note)(const char *), kz_error *error) {
    const Elf64_Dyn *d;
    for (size_t i = 0; (d = entry(m, i)); i++) {
        const char *library = needed(m, d);
        const toolchain_lacking *row = library ? toolchain_lacking_library(library) : NULL;
        if (!row || is_ours(library, folder, said)) continue;
        kz_error told = {0};
        bool found = is_found(library, said);
        base_fail(&told, KZ_UNSUPPORTED, "%s needs %s (%s)%s", name, row->name, library,
                  found ? ", whose calls fail without a GPU" : "");
        toolchain_note_lacking(row, &told);
        if (found && note) note(told.message);
        if (!found && error) *error = told;
        if (!found) return KZ_UNSUPPORTED;
    }
    return check_rest(name, said, error);
}

kz_status workload_check_libraries(const char *name, const char *executable, const char *folder,
                                   void (*note)(const char *), kz_error *error) {
    image m;
    base_text said = {0};
    kz_status status = base_file_read(executable, &m.data, &m.size, error);
    if (status) return status;
    if (m.size > SELFMAG && memcmp(m.data, ELFMAG, SELFMAG) == 0) {
        ask_loader(executable, folder, &said);
        status = check(&m, name, folder, &said, note, error);
    }
    base_text_free(&said);
    free(m.data);
    return status;
}
