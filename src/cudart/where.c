// Which function of the program an address lies in, by the program's own table of symbols.
#include "runtime.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct program_file {
    const uint8_t *data;
    size_t size;
} program_file;

static program_file map_program(void) {
    program_file file = {0};
    struct stat status;
    int number = open(cudart.program_file ? cudart.program_file : "/proc/self/exe",
                      O_RDONLY | O_CLOEXEC | O_NOFOLLOW * (cudart.program_file != NULL));
    if (number < 0) return file;
    if (fstat(number, &status) == 0 && status.st_size > (off_t)sizeof(Elf64_Ehdr)) {
        void *data = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, number, 0);
        if (data != MAP_FAILED) file = (program_file){data, (size_t)status.st_size};
    }
    close(number);
    return file;
}

static bool holds(const program_file *file, uint64_t offset, uint64_t bytes) {
    return offset <= file->size && bytes <= file->size - offset;
}

static const char *find(const program_file *file, const Elf64_Shdr *symbols, const Elf64_Shdr *names,
                        uint64_t address) {
    if (!holds(file, symbols->sh_offset, symbols->sh_size) || !holds(file, names->sh_offset, names->sh_size))
        return NULL;
    const Elf64_Sym *all = (const Elf64_Sym *)(file->data + symbols->sh_offset);
    const char *text = (const char *)file->data + names->sh_offset;
    for (size_t i = 0; i < symbols->sh_size / sizeof *all; i++)
        if (ELF64_ST_TYPE(all[i].st_info) == STT_FUNC && address - all[i].st_value < all[i].st_size &&
            all[i].st_name < names->sh_size)
            return text + all[i].st_name;
    return NULL;
}

bool cudart_function_at(const void *address, char *name, size_t capacity) {
    program_file file = map_program();
    uint64_t bias = cudart.program_file ? cudart.program_bias : cudart_program_bias();
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)file.data;
    const char *found = NULL;
    if (head && holds(&file, head->e_shoff, (uint64_t)head->e_shnum * sizeof(Elf64_Shdr))) {
        const Elf64_Shdr *sections = (const Elf64_Shdr *)(file.data + head->e_shoff);
        for (unsigned i = 0; i < head->e_shnum && !found; i++)
            if (sections[i].sh_type == SHT_SYMTAB && sections[i].sh_link < head->e_shnum)
                found = find(&file, &sections[i], &sections[sections[i].sh_link],
                             (uint64_t)(uintptr_t)address - bias);
    }
    if (found) { // "_ZL4makei.isra.0" is a copy that the compiler made of make(int)
        char whole[512], plain[OBSERVE_NAME];
        snprintf(whole, sizeof whole, "%.*s", (int)strcspn(found, "."), found);
        const char *readable = cudart_readable(whole); // as it is, in a program without the C++ runtime
        snprintf(name, capacity, "%s",
                 strncmp(readable, "_Z", 2) ? readable : observe_plain_name(whole, plain));
    }
    if (head) munmap((void *)(uintptr_t)file.data, file.size);
    return found != NULL;
}
