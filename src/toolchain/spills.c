// Where machine code stores and loads spilled registers: nvdisasm's text, by source line.
#include "toolchain/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    toolchain_spill *spills;
    size_t count, capacity;
    char entry[128], file[256];
    uint32_t line;
} reader;

// "//## File "/home/ada/k.cu", line 12 inlined at ...": the line of the instructions that follow.
static bool read_source(reader *r, const char *text) {
    const char *at = strstr(text, "//## File \"");
    if (!at) return false;
    sscanf(at, "//## File \"%255[^\"]\", line %u", r->file, &r->line);
    return true;
}

// ".section .text._Z1kPf,...": the kernel of the instructions that follow.
static bool read_entry(reader *r, const char *text) {
    const char *at = strstr(text, ".section\t.text.");
    if (!at) return false;
    snprintf(r->entry, sizeof r->entry, "%.*s", (int)strcspn(at + 15, ","), at + 15);
    r->file[0] = 0;
    r->line = 0;
    return true;
}

static bool add(reader *r, bool is_store) {
    toolchain_spill *last = NULL;
    for (size_t i = 0; i < r->count && !last; i++) {
        toolchain_spill *s = &r->spills[i];
        if (s->line == r->line && !strcmp(s->file, r->file) && !strcmp(s->entry, r->entry)) last = s;
    }
    if (!last && r->count == r->capacity) {
        size_t capacity = r->capacity ? 2 * r->capacity : 16;
        toolchain_spill *grown = realloc(r->spills, capacity * sizeof *grown);
        if (!grown) return false;
        r->spills = grown;
        r->capacity = capacity;
    }
    if (!last) {
        last = &r->spills[r->count++];
        *last = (toolchain_spill){.line = r->line};
        memcpy(last->entry, r->entry, sizeof last->entry);
        memcpy(last->file, r->file, sizeof last->file);
    }
    *(is_store ? &last->stores : &last->loads) += 1;
    return true;
}

// nvdisasm marks what spills; a local array's own loads and stores have no mark.
static void read_text(reader *r, const char *text) {
    while (*text) {
        char line[1024];
        size_t length = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        text += length + (text[length] == '\n');
        if (read_entry(r, line) || read_source(r, line) || !strstr(line, "SpillRefill")) continue;
        bool is_store = strstr(line, " STL") != NULL;
        if ((is_store || strstr(line, " LDL")) && !add(r, is_store)) return;
    }
}

kz_status toolchain_spills(const toolchain *tools, const void *cubin, size_t size, toolchain_spill **spills,
                           size_t *count, kz_error *error) {
    char folder[TOOLCHAIN_PATH], path[TOOLCHAIN_PATH + 16];
    base_text said = {0};
    int code = 0;
    *spills = NULL;
    *count = 0;
    if (!tools->nvdisasm[0]) return base_fail(error, KZ_TOOL, "there is no nvdisasm on this machine");
    kz_status status = toolchain_work_open(folder, error);
    if (status) return status;
    snprintf(path, sizeof path, "%s/in.cubin", folder);
    status = base_file_write_scratch(path, cubin, size, error);
    if (!status)
        status = toolchain_start(tools, (const char *const[]){tools->nvdisasm, "-g", "-c", path, NULL}, &said,
                                 &code, error);
    toolchain_work_close(folder);
    if (!status && code) status = toolchain_fail_tool(error, "nvdisasm", "nvdisasm", path, code, &said);
    reader r = {0};
    if (!status) read_text(&r, said.data ? said.data : "");
    base_text_free(&said);
    *spills = r.spills;
    *count = r.count;
    return status;
}
