// What of an ELF file runs before its libraries. See early_code.h.
#include "early_code.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#ifdef __aarch64__
enum { CHOSEN_AT_LOAD = R_AARCH64_IRELATIVE };
#else
enum { CHOSEN_AT_LOAD = R_X86_64_IRELATIVE };
#endif

static bool has_chosen(const char *data, size_t size, const Elf64_Shdr *section) {
    if (section->sh_offset > size || section->sh_size > size - section->sh_offset) return true; // damaged
    for (size_t at = 0; at + sizeof(Elf64_Rela) <= section->sh_size; at += sizeof(Elf64_Rela)) {
        Elf64_Rela relocation;
        memcpy(&relocation, data + section->sh_offset + at, sizeof relocation);
        if (ELF64_R_TYPE(relocation.r_info) == CHOSEN_AT_LOAD) return true;
    }
    return false;
}

static bool is_early(const char *data, size_t size) {
    Elf64_Ehdr head;
    if (size < sizeof head) return true;
    memcpy(&head, data, sizeof head);
    size_t table = (size_t)head.e_shnum * sizeof(Elf64_Shdr);
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
        head.e_shnum == 0 || head.e_shentsize != sizeof(Elf64_Shdr) || head.e_shoff > size ||
        table > size - head.e_shoff)
        return true;
    for (size_t i = 0; i < head.e_shnum; i++) {
        Elf64_Shdr section;
        memcpy(&section, data + head.e_shoff + i * sizeof section, sizeof section);
        if (section.sh_type == SHT_PREINIT_ARRAY && section.sh_size > 0) return true;
        if (section.sh_type == SHT_RELA && has_chosen(data, size, &section)) return true;
    }
    return false;
}

bool course_has_early_code(const char *executable) {
    char *data = NULL;
    size_t size = 0;
    if (base_file_read(executable, &data, &size, NULL) != KZ_OK) return true;
    bool early = is_early(data, size);
    free(data);
    return early;
}
