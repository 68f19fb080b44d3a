// README.md's table of families, from the families.
#include <stdlib.h>

#include "kz/family.h"
#include "pages.h"

static const char path[] = "README.md";

// "f32, f16", those that its cases have; "all" where none is missing.
static void add_types(base_text *text, const kz_family *family) {
    uint32_t has = 0;
    for (size_t i = 0; i < family->case_count; i++) has |= 1u << family->cases[i].type;
    if (has == (1u << KZ_TYPE_COUNT) - 1) {
        base_text_add(text, "all");
        return;
    }
    const char *between = "";
    for (int type = 0; type < KZ_TYPE_COUNT; type++) {
        if (!(has >> type & 1)) continue;
        base_text_add(text, "%s%s", between, kz_type_name((kz_type)type));
        between = ", ";
    }
}

static void add_table(base_text *text) {
    size_t count;
    const kz_family *const *families = kz_family_list(&count);
    base_text_add(text, "| family | what it computes | types |\n|---|---|---|\n");
    for (size_t i = 0; i < count; i++) {
        const kz_family *f = families[i];
        base_text_add(text, "| [%s](kernels/%s/%s/README.md) | %s | ", f->name, f->group, f->name,
                      f->summary);
        add_types(text, f);
        base_text_add(text, " |\n");
    }
}

kz_status pages_families(pages_writer *w, const char *const *words, size_t count, kz_error *error) {
    char *text = NULL;
    size_t size;
    base_text table = {0}, page = {0};
    add_table(&table);
    kz_status status = base_file_read(path, &text, &size, error);
    if (status) base_fail_note(error, "likely cause: this is not the folder of the sources");
    if (!status)
        status = pages_replace(path, text, "<!-- families:begin -->", "<!-- families:end -->", &table, &page,
                               error);
    if (!status) status = pages_put(w, path, &page, error);
    free(text);
    base_text_free(&table);
    base_text_free(&page);
    return status;
}
