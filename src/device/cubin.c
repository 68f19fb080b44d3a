// Machine code as an ELF file: what ptxas notes about kernels in the sections .nv.info (of all) and .nv.info.KERNEL, and
// the instructions themselves.
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "device/cubin.h"

enum { FORMAT_BYTES = 4, ATTRIBUTE_FRAME = 0x11, ATTRIBUTE_PARAM = 0x17, ATTRIBUTE_REGISTERS = 0x2f };

typedef struct image {
    const uint8_t *bytes;
    size_t size;
    Elf64_Ehdr header;
} image;

static bool read_at(const image *i, uint64_t offset, void *to, size_t size) {
    if (offset > i->size || size > i->size - offset) return false;
    memcpy(to, i->bytes + offset, size);
    return true;
}

static bool section(const image *i, unsigned index, Elf64_Shdr *found) {
    return index < i->header.e_shnum && i->header.e_shentsize == sizeof *found &&
           read_at(i, i->header.e_shoff + (uint64_t)index * sizeof *found, found, sizeof *found);
}

// A NUL-terminated text in a string section, compared without copying.
static bool text_is(const image *i, const Elf64_Shdr *strings, uint64_t at, const char *wanted) {
    size_t length = strlen(wanted) + 1;
    uint64_t offset = strings->sh_offset + at;
    return at < strings->sh_size && length <= strings->sh_size - at && offset <= i->size &&
           length <= i->size - offset && memcmp(i->bytes + offset, wanted, length) == 0;
}

static bool find_section(const image *i, const char *name, unsigned type, Elf64_Shdr *found) {
    Elf64_Shdr names;
    if (!section(i, i->header.e_shstrndx, &names)) return false;
    for (unsigned n = 0; n < i->header.e_shnum; n++)
        if (section(i, n, found) &&
            (name ? text_is(i, &names, found->sh_name, name) : found->sh_type == type))
            return true;
    return false;
}

// The number of the kernel's symbol.
static bool find_symbol(const image *i, const char *kernel, uint32_t *number) {
    Elf64_Shdr symbols, strings;
    if (!find_section(i, NULL, SHT_SYMTAB, &symbols) || !section(i, symbols.sh_link, &strings)) return false;
    for (uint64_t n = 0; n < symbols.sh_size / sizeof(Elf64_Sym); n++) {
        Elf64_Sym symbol;
        if (!read_at(i, symbols.sh_offset + n * sizeof symbol, &symbol, sizeof symbol)) return false;
        if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && text_is(i, &strings, symbol.st_name, kernel)) {
            *number = (uint32_t)n;
            return true;
        }
    }
    return false;
}

// Since Volta an instruction has 16 bytes, and the lowest 12 bits say which it is.
static void count_instructions(const image *i, const char *kernel, device_cubin_info *info) {
    enum { INSTRUCTION = 16, NOP = 0x918, LDL = 0x983, STL = 0x387 };
    char name[512];
    Elf64_Shdr text;
    int length = snprintf(name, sizeof name, ".text.%s", kernel);
    if (length <= 0 || (size_t)length >= sizeof name || !find_section(i, name, 0, &text)) return;
    for (uint64_t at = 0; at + INSTRUCTION <= text.sh_size; at += INSTRUCTION) {
        uint16_t word;
        if (!read_at(i, text.sh_offset + at, &word, sizeof word)) return;
        info->instructions += (word & 0xfff) != NOP;
        info->local_loads += (word & 0xfff) == LDL;
        info->local_stores += (word & 0xfff) == STL;
    }
}

static bool open_image(const void *cubin, size_t size, image *i) {
    *i = (image){.bytes = cubin, .size = size};
    return read_at(i, 0, &i->header, sizeof i->header) && memcmp(i->header.e_ident, ELFMAG, SELFMAG) == 0;
}

// A row of notes: format, attribute, a 16-bit length (or value), then as many bytes, of which `row` gets the first 8 where
// there are as many. False at the end.
typedef struct note_row {
    uint64_t next, end;
    uint8_t attribute;
    uint32_t first, second;
} note_row;

static note_row first_row(const Elf64_Shdr *notes) {
    return (note_row){.next = notes->sh_offset, .end = notes->sh_offset + notes->sh_size};
}

static bool next_row(const image *i, note_row *row) {
    uint8_t head[4];
    if (row->next + sizeof head > row->end || !read_at(i, row->next, head, sizeof head)) return false;
    unsigned length = head[0] == FORMAT_BYTES ? (unsigned)(head[2] | head[3] << 8) : 0;
    uint32_t words[2] = {0};
    row->attribute =
        length >= sizeof words && read_at(i, row->next + sizeof head, words, sizeof words) ? head[1] : 0;
    row->first = words[0];
    row->second = words[1];
    row->next += sizeof head + length;
    return true;
}

bool device_cubin_find(const void *cubin, size_t size, const char *kernel, device_cubin_info *info) {
    image i;
    Elf64_Shdr notes;
    uint32_t wanted = 0;
    *info = (device_cubin_info){0};
    if (!open_image(cubin, size, &i) || !find_symbol(&i, kernel, &wanted) ||
        !find_section(&i, ".nv.info", 0, &notes))
        return false;
    for (note_row row = first_row(&notes); next_row(&i, &row);) {
        if (row.first == wanted && row.attribute == ATTRIBUTE_REGISTERS) info->registers = row.second;
        if (row.first == wanted && row.attribute == ATTRIBUTE_FRAME) info->frame_bytes = row.second;
    }
    if (info->registers) count_instructions(&i, kernel, info);
    return info->registers != 0;
}

kz_status device_cubin_entries(const void *cubin, size_t size, device_entries *entries, kz_error *error) {
    static const char prefix[] = ".nv.info.";
    image i;
    Elf64_Shdr names, notes;
    kz_status status = KZ_OK;
    *entries = (device_entries){0};
    if (!open_image(cubin, size, &i) || !section(&i, i.header.e_shstrndx, &names)) return KZ_OK;
    for (unsigned n = 0; n < i.header.e_shnum && !status; n++) {
        if (!section(&i, n, &notes) || notes.sh_name >= names.sh_size) continue;
        uint64_t at = names.sh_offset + notes.sh_name, room = names.sh_size - notes.sh_name;
        if (at > i.size || room > i.size - at) continue;
        const char *name = (const char *)i.bytes + at;
        size_t length = strnlen(name, room), skipped = sizeof prefix - 1;
        if (length <= skipped || memcmp(name, prefix, skipped) != 0) continue;
        int params = 0;
        for (note_row row = first_row(&notes); next_row(&i, &row);)
            params += row.attribute == ATTRIBUTE_PARAM;
        status = device_entries_add(entries, name + skipped, length - skipped, params, error);
    }
    if (status) device_entries_free(entries);
    return status;
}
