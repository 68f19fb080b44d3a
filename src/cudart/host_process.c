// The process that is the host. See host_process.h.
#include "host_process.h"

#include <elf.h>
#include <string.h>
#include <sys/auxv.h>
#include <ucontext.h>

// ---- the program --------------------------------------------------------------------------------------------------

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
uint64_t cudart_program_bias(void) {
    const Elf64_Phdr *headers = (const Elf64_Phdr *)getauxval(AT_PHDR);
    for (size_t i = 0, count = headers ? getauxval(AT_PHNUM) : 0; i < count; i++)
        if (headers[i].p_type == PT_PHDR) return (uint64_t)(uintptr_t)headers - headers[i].p_vaddr;
    return 0;
}

// Such a program calls the runtime by names that end in _ptsz or _ptds.
bool cudart_has_per_thread_default(void) {
    const Elf64_Phdr *headers = (const Elf64_Phdr *)getauxval(AT_PHDR), *dynamic = NULL;
    for (size_t i = 0, count = headers ? getauxval(AT_PHNUM) : 0; i < count; i++)
        if (headers[i].p_type == PT_DYNAMIC) dynamic = &headers[i];
    if (!dynamic) return false;
    imports i = read_dynamic((const Elf64_Dyn *)(uintptr_t)(cudart_program_bias() + dynamic->p_vaddr));
    return i.symbols && i.names &&
           (has_twins(&i, i.calls, i.call_bytes) || has_twins(&i, i.others, i.other_bytes));
}

// ---- where a signal stopped it ------------------------------------------------------------------------------------

#if defined(__x86_64__)
cudart_touch cudart_context_touch(const void *context) {
    const ucontext_t *c = context;
    return c->uc_mcontext.gregs[REG_ERR] & 2 ? CUDART_TOUCH_WRITE : CUDART_TOUCH_READ;
}

const void *cudart_context_instruction(const void *context) {
    return (const void *)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
}

void cudart_context_step(void *context, bool wanted) {
    enum { TRAP_FLAG = 0x100 };
    greg_t *flags = &((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL];
    *flags = wanted ? *flags | TRAP_FLAG : *flags & ~(greg_t)TRAP_FLAG;
}
#else
cudart_touch cudart_context_touch(const void *context) { return CUDART_TOUCH_UNKNOWN; }
#if defined(__aarch64__)
const void *cudart_context_instruction(const void *context) {
    return (const void *)((const ucontext_t *)context)->uc_mcontext.pc;
}
#else
const void *cudart_context_instruction(const void *context) { return NULL; }
#endif
void cudart_context_step(void *context, bool wanted) {}
#endif
