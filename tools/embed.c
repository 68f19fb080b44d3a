// embed FAMILY ROWS CHOICE MEASURED OUT.c OUT.pack: writes the C file that defines kz_embedded_<family> (kz/family.h).
//
// ROWS has a line "family variant sm ptx cubin" per kernel; sm is 90 or 90a, and the cubin may be "none". CHOICE is the
// family's choice.csv, or "none", and MEASURED its measured.csv, or "none". Code is packed (LZ4: PTX becomes a sixth), for only what is loaded is unpacked.
// OUT.pack has it all, the texts first; it enters by .incbin, which every assembler knows, so that megabytes
// of code cost the compiler nothing.
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

enum { WORD = 1024 };

typedef struct part {
    size_t offset, packed_size, size;
} part;

static void fail(const char *what, const char *path) {
    fprintf(stderr, "embed: %s %s\n", what, path);
    exit(1);
}

// With line numbers ptxas copies the whole PTX into a section of the machine code: half of its bytes, for a debugger's
// eyes. We have the PTX beside it, so the copy becomes zeros, which pack to nothing; the tables of lines stay.
static void clear_ptx_copy(char *data, size_t size) {
    Elf64_Ehdr head;
    if (size < sizeof head) return;
    memcpy(&head, data, sizeof head);
    size_t table = head.e_shoff, count = head.e_shnum;
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_shstrndx >= count) return;
    if (table > size || count * sizeof(Elf64_Shdr) > size - table) return;
    Elf64_Shdr names, section;
    memcpy(&names, data + table + head.e_shstrndx * sizeof names, sizeof names);
    for (size_t i = 0; i < count; i++) {
        static const char name[] = ".nv_debug_ptx_txt";
        memcpy(&section, data + table + i * sizeof section, sizeof section);
        size_t at = names.sh_offset + section.sh_name;
        if (at > size || sizeof name > size - at || memcmp(data + at, name, sizeof name) != 0) continue;
        if (section.sh_offset <= size && section.sh_size <= size - section.sh_offset)
            memset(data + section.sh_offset, 0, section.sh_size);
    }
}

static part add_file(FILE *pack, size_t *end, const char *path) {
    part made = {.offset = *end};
    char *data;
    if (base_file_read(path, &data, &made.size, NULL) != KZ_OK || made.size == 0)
        fail("missing or empty:", path);
    clear_ptx_copy(data, made.size);
    uint8_t *packed = base_lz4_pack((const uint8_t *)data, made.size, &made.packed_size);
    if (!packed || fwrite(packed, 1, made.packed_size, pack) != made.packed_size) fail("cannot pack", path);
    *end += made.packed_size;
    free(packed);
    free(data);
    return made;
}

// The text of a table and the NUL that ends it; where it begins.
static size_t add_table(FILE *pack, size_t *end, const char *path) {
    char *text = NULL;
    size_t size = 0, begin = *end;
    if (strcmp(path, "none") != 0 && base_file_read(path, &text, &size, NULL) != KZ_OK)
        fail("cannot read", path);
    if (fwrite(text, 1, size, pack) != size || fputc(0, pack) != 0) fail("cannot pack", path);
    *end += size + 1;
    free(text);
    return begin;
}

// One row of the table of images; its machine code becomes a variable of its own, written to `out` at once.
static void add_image(FILE *out, FILE *pack, size_t *end, base_text *images, size_t number,
                      char words[5][WORD]) {
    const char *family = words[0], *variant = words[1], *sm = words[2], *ptx = words[3], *cubin = words[4];
    part text = add_file(pack, end, ptx);
    base_text_add(images,
                  "    {.size = sizeof(kz_image), .name = \"%s/%s\", .ptx_size = %zu, .packed_ptx = pack + "
                  "%zu, .packed_ptx_size = %zu",
                  family, variant, text.size, text.offset, text.packed_size);
    if (strcmp(cubin, "none") != 0) {
        part code = add_file(pack, end, cubin);
        fprintf(out, "static const kz_machine_code machine_code_%zu[] = {{%d, %s, pack + %zu, %zu, %zu}};\n",
                number, atoi(sm), strchr(sm, 'a') ? "true" : "false", code.offset, code.size,
                code.packed_size);
        base_text_add(images, ", .machine_code = machine_code_%zu, .machine_code_count = 1", number);
    }
    base_text_add(images, "},\n");
}

int main(int argc, char **argv) {
    if (argc != 7) return fprintf(stderr, "usage: embed FAMILY ROWS CHOICE MEASURED OUT.c OUT.pack\n"), 2;
    const char *family = argv[1], *pack_path = argv[6];
    FILE *in = fopen(argv[2], "r"), *out = fopen(argv[5], "w"), *pack = fopen(pack_path, "wb");
    if (!in || !out || !pack) return perror("embed"), 1;
    fprintf(
        out,
        "// Written by tools/embed.c: choice.csv and the kernels of %s, as PTX and machine code, packed.\n"
        "#include \"kz/family.h\"\n\n"
        "#define pack kz_pack_%s\n"
        "extern const unsigned char pack[];\n"
        "__asm__(\".section .rodata\\n.balign 16\\n.hidden kz_pack_%s\\n.global kz_pack_%s\\n"
        "kz_pack_%s:\\n.incbin \\\"%s\\\"\\n.byte 0\\n.previous\\n\");\n\n",
        family, family, family, family, family, pack_path);
    char words[5][WORD];
    base_text images = {0};
    size_t count = 0, end = 0;
    add_table(pack, &end, argv[3]);
    size_t measured = add_table(pack, &end, argv[4]);
    for (; fscanf(in, "%1023s %1023s %1023s %1023s %1023s", words[0], words[1], words[2], words[3],
                  words[4]) == 5;
         count++)
        add_image(out, pack, &end, &images, count, words);
    if (images.failed) fail("no memory for", argv[5]);
    // C has no empty arrays; the count says that this row is none.
    fprintf(
        out,
        "\nstatic const kz_image images[] = {\n%s};\n"
        "extern const kz_embedded kz_embedded_%s;\n"
        "const kz_embedded kz_embedded_%s = {(const char *)pack, {images, %zu}, (const char *)pack + %zu};\n",
        count ? images.data : "    {0},\n", family, family, count, measured);
    base_text_free(&images);
    fclose(in);
    if (fclose(out) != 0 || fclose(pack) != 0) return perror("embed"), 1;
    return 0;
}
