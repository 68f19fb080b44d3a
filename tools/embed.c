// embed ROWS OUT.c: writes the C file that holds every kernel of the zoo, as src/family/images.h says.
//
// ROWS has a line "family variant sm ptx cubin" per kernel; sm is 90 or 90a, and the cubin may be "none". The bytes enter by
// .incbin, which every assembler knows, so that megabytes of code cost the compiler nothing; their
// sizes are taken here, for C has no constant that says them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ROWS = 4096, WORD = 1024 };

typedef struct row {
    char family[WORD], variant[WORD], sm[WORD], ptx[WORD], cubin[WORD];
    long ptx_size, cubin_size;
} row;

static long size_of(const char *path) {
    struct stat info;
    if (stat(path, &info) != 0 || info.st_size == 0) {
        fprintf(stderr, "embed: %s is missing or empty\n", path);
        exit(1);
    }
    return (long)info.st_size;
}

static void embed(FILE *out, size_t index, const char *what, const char *path, long size) {
    // One byte more than the file: PTX is read as a string.
    fprintf(out,
            "extern const unsigned char %s_%zu[];\n"
            "__asm__(\".section .rodata\\n.balign 16\\n%s_%zu:\\n.incbin \\\"%s\\\"\\n.byte 0\\n"
            ".size %s_%zu, %ld\\n.previous\\n\");\n",
            what, index, what, index, path, what, index, size);
}

static void write_table(FILE *out, const row *rows, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (rows[i].cubin_size)
            fprintf(out, "static const kz_machine_code machine_code_%zu[] = {{%d, %s, cubin_%zu, %ld}};\n", i,
                    atoi(rows[i].sm), strchr(rows[i].sm, 'a') ? "true" : "false", i, rows[i].cubin_size);
    fprintf(out, "\nconst zoo_image_row zoo_images[] = {\n");
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "    {\"%s\", \"%s\", {.name = \"%s/%s\", .ptx = (const char *)ptx_%zu, .ptx_size = %ld",
                rows[i].family, rows[i].variant, rows[i].family, rows[i].variant, i, rows[i].ptx_size);
        if (rows[i].cubin_size)
            fprintf(out, ", .machine_code = machine_code_%zu, .machine_code_count = 1", i);
        fprintf(out, "}},\n");
    }
    // C has no empty arrays; the count says that this row is none.
    if (count == 0) fprintf(out, "    {0},\n");
    fprintf(out, "};\nconst size_t zoo_image_count = %zu;\n", count);
}

int main(int argc, char **argv) {
    if (argc != 3) return fprintf(stderr, "usage: embed ROWS OUT.c\n"), 2;
    FILE *in = fopen(argv[1], "r"), *out = fopen(argv[2], "w");
    row *rows = calloc(ROWS, sizeof *rows);
    if (!in || !out || !rows) return perror("embed"), 1;

    fprintf(out, "// Written by tools/embed.c: the zoo's kernels as PTX and machine code.\n"
                 "#include \"family/images.h\"\n\n");
    size_t count = 0;
    for (; count < ROWS; count++) {
        row *r = &rows[count];
        if (fscanf(in, "%1023s %1023s %1023s %1023s %1023s", r->family, r->variant, r->sm, r->ptx,
                   r->cubin) != 5)
            break;
        r->ptx_size = size_of(r->ptx);
        embed(out, count, "ptx", r->ptx, r->ptx_size);
        if (strcmp(r->cubin, "none") == 0) continue;
        r->cubin_size = size_of(r->cubin);
        embed(out, count, "cubin", r->cubin, r->cubin_size);
    }
    write_table(out, rows, count);
    free(rows);
    fclose(in);
    if (fclose(out) != 0) return perror(argv[2]), 1;
    return 0;
}
