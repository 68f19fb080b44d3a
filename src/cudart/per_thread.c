// The default stream of each thread, and whether stream 0 means it: a program built with --default-stream per-thread
// calls the runtime by names that end in _ptsz or _ptds.
#include "runtime.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

static _Thread_local cudaStream_t own;

// Made at its first use. It and the legacy stream wait for each other, as for any stream that is not free of it.
cudaStream_t cudart_own_stream(void) {
    if (own) return own;
    own = calloc(1, sizeof *own);
    if (!own) return &cudart.legacy; // in more order than it need be
    own->id = cudart.next_id++;
    own->is_own = true;
    own->next = cudart.streams;
    cudart.streams = own;
    return own;
}

// ---- the program's imports ------------------------------------------------------------------------------

typedef struct imports {
    const Elf64_Rela *calls, *others;
    size_t call_bytes, other_bytes;
    const Elf64_Sym *symbols;
    const char *names;
} imports;

static imports read_dynamic(const Elf64_Dyn *at) {
    imports i = {0};
    for (; at->d_tag != DT_NULL; at++) switch (at->d_tag) {
        case DT_JMPREL: i.calls = (const Elf64_Rela *)at->d_un.d_ptr; break;
        case DT_PLTRELSZ: i.call_bytes = at->d_un.d_val; break;
        case DT_RELA: i.others = (const Elf64_Rela *)at->d_un.d_ptr; break;
        case DT_RELASZ: i.other_bytes = at->d_un.d_val; break;
        case DT_SYMTAB: i.symbols = (const Elf64_Sym *)at->d_un.d_ptr; break;
        case DT_STRTAB: i.names = (const char *)at->d_un.d_ptr; break;
        default: break;
        }
    return i;
}

static bool has_twins(const imports *i, const Elf64_Rela *list, size_t bytes) {
    for (size_t k = 0; list && k < bytes / sizeof *list; k++) {
        const char *name = i->names + i->symbols[ELF64_R_SYM(list[k].r_info)].st_name;
        size_t length = strlen(name);
        if (length > 5 &&
            (strcmp(name + length - 5, "_ptsz") == 0 || strcmp(name + length - 5, "_ptds") == 0))
            return true;
    }
    return false;
}

// The kernel tells where the program's own headers are.
bool cudart_has_per_thread_default(void) {
    const Elf64_Phdr *headers = (const Elf64_Phdr *)getauxval(AT_PHDR), *dynamic = NULL;
    uint64_t base = 0;
    for (size_t i = 0, count = headers ? getauxval(AT_PHNUM) : 0; i < count; i++) {
        if (headers[i].p_type == PT_PHDR) base = (uint64_t)(uintptr_t)headers - headers[i].p_vaddr;
        if (headers[i].p_type == PT_DYNAMIC) dynamic = &headers[i];
    }
    if (!dynamic) return false;
    imports i = read_dynamic((const Elf64_Dyn *)(uintptr_t)(base + dynamic->p_vaddr));
    return i.symbols && i.names &&
           (has_twins(&i, i.calls, i.call_bytes) || has_twins(&i, i.others, i.other_bytes));
}
