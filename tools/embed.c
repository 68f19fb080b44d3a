// embed ROWS OUT.c OUT.pack: writes the C file that holds every kernel of the zoo, as src/family/images.h says.
//
// ROWS has a line "family variant sm ptx cubin" per kernel; sm is 90 or 90a, and the cubin may be "none". Code is packed
// (LZ4: PTX becomes a sixth), for only what is loaded is unpacked. OUT.pack has it all; it enters by .incbin, which
// every assembler knows, so that megabytes of code cost the compiler nothing.
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

static part add_file(FILE *pack, size_t *end, const char *path) {
    part made = {.offset = *end};
    char *data;
    if (base_file_read(path, &data, &made.size, NULL) != KZ_OK || made.size == 0)
        fail("missing or empty:", path);
    uint8_t *packed = base_lz4_pack((const uint8_t *)data, made.size, &made.packed_size);
    if (!packed || fwrite(packed, 1, made.packed_size, pack) != made.packed_size) fail("cannot pack", path);
    *end += made.packed_size;
    free(packed);
    free(data);
    return made;
}

int main(int argc, char **argv) {
    if (argc != 4) return fprintf(stderr, "usage: embed ROWS OUT.c OUT.pack\n"), 2;
    FILE *in = fopen(argv[1], "r"), *out = fopen(argv[2], "w"), *pack = fopen(argv[3], "wb");
    if (!in || !out || !pack) return perror("embed"), 1;
    fprintf(out,
            "// Written by tools/embed.c: the zoo's kernels as PTX and machine code, packed.\n"
            "#include \"family/images.h\"\n\n"
            "extern const unsigned char zoo_pack[];\n"
            "__asm__(\".section .rodata\\n.balign 16\\n.hidden zoo_pack\\n.global zoo_pack\\n"
            "zoo_pack:\\n.incbin \\\"%s\\\"\\n.byte 0\\n.previous\\n\");\n\n",
            argv[3]);
    char family[WORD], variant[WORD], sm[WORD], ptx[WORD], cubin[WORD];
    base_text rows = {0};
    size_t count = 0, end = 0;
    for (; fscanf(in, "%1023s %1023s %1023s %1023s %1023s", family, variant, sm, ptx, cubin) == 5; count++) {
        part text = add_file(pack, &end, ptx);
        base_text_add(
            &rows,
            "    {\"%s\", \"%s\", {.name = \"%s/%s\", .ptx_size = %zu, .packed_ptx = zoo_pack + %zu, "
            ".packed_ptx_size = %zu",
            family, variant, family, variant, text.size, text.offset, text.packed_size);
        if (strcmp(cubin, "none") != 0) {
            part code = add_file(pack, &end, cubin);
            fprintf(
                out,
                "static const kz_machine_code machine_code_%zu[] = {{%d, %s, zoo_pack + %zu, %zu, %zu}};\n",
                count, atoi(sm), strchr(sm, 'a') ? "true" : "false", code.offset, code.size,
                code.packed_size);
            base_text_add(&rows, ", .machine_code = machine_code_%zu, .machine_code_count = 1", count);
        }
        base_text_add(&rows, "}},\n");
    }
    if (rows.failed) fail("no memory for", argv[2]);
    // C has no empty arrays; the count says that this row is none.
    fprintf(out, "\nconst zoo_image_row zoo_images[] = {\n%s};\nconst size_t zoo_image_count = %zu;\n",
            count ? rows.data : "    {0},\n", count);
    base_text_free(&rows);
    fclose(in);
    if (fclose(out) != 0 || fclose(pack) != 0) return perror("embed"), 1;
    return 0;
}
