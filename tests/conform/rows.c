// Rows of operands and results: "= form", the first of its pattern, then a line for each of a few lanes, "lane: sources >
// results".
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conform.h"

enum { ROWS = 3 };

// Two of the lanes with edge values, one of those with random ones; others for every form.
static unsigned chosen_lane(const form *f, unsigned row) {
    uint32_t hash = 2166136261u + row;
    for (const char *at = f->text; *at; at++) hash = (hash ^ (uint8_t)*at) * 16777619u;
    return row + 1 < ROWS ? hash % 1024 : LANES / 2 + LANES / 8 + hash % (LANES / 4);
}

static void write_row(const form *f, unsigned lane, const uint64_t *in, const uint64_t *out,
                      base_text *text) {
    base_text_add(text, "%u:", lane);
    for (unsigned s = 0; s < f->source_count; s++) base_text_add(text, " %llx", (unsigned long long)in[s]);
    base_text_add(text, " >");
    for (unsigned r = 0; r < f->result_count; r++) base_text_add(text, " %llx", (unsigned long long)out[r]);
    base_text_add(text, "\n");
}

kz_status rows_write(const char *path, const form_list *forms, uint64_t seed, const run_result *results,
                     const char *device, kz_error *error) {
    base_text text = {0};
    const form *filled = NULL;
    const char *shown = NULL; // the pattern of the last form that was written
    uint64_t(*in)[SOURCES] = malloc(sizeof(inputs));
    if (!in) return base_fail(error, KZ_NO_MEMORY, "no memory for the inputs");
    base_text_add(&text, "# %s\n", device);
    for (size_t i = 0; i < forms->count; i++) {
        const form *f = &forms->items[i];
        if (f->oracle != NONE || !results[i].values || f->pattern == shown) continue;
        shown = f->pattern;
        if (!filled || !values_same(filled, f)) values_make(f, seed, in);
        filled = f;
        base_text_add(&text, "= %s\n", f->text);
        for (unsigned row = 0; row < ROWS; row++) {
            unsigned lane = chosen_lane(f, row);
            write_row(f, lane, in[lane], (*results[i].values)[lane], &text);
        }
    }
    kz_status status = text.failed ? base_fail(error, KZ_NO_MEMORY, "no memory for %s", path)
                                   : base_file_write(path, text.data, text.length, error);
    base_text_free(&text);
    free(in);
    return status;
}

// The row at `at` against ours; a wrong row is printed.
static bool row_agrees(const form *f, const char *at, uint64_t (*in)[SOURCES], const run_result *result) {
    base_text own = {0};
    unsigned lane = (unsigned)strtoul(at, NULL, 10) % LANES;
    write_row(f, lane, in[lane], (*result->values)[lane], &own);
    size_t length = strcspn(at, "\n") + 1;
    bool same = own.data && own.length == length && !memcmp(own.data, at, length);
    if (!same && !golden_excuse(f))
        printf("ROW  %s\n     GPU       %.*s     simulator %s", f->text, (int)length, at,
               own.data ? own.data : "");
    base_text_free(&own);
    return same || golden_excuse(f);
}

kz_status rows_judge(const char *path, const form_list *forms, uint64_t seed, const run_result *results,
                     size_t *rows, size_t *different, kz_error *error) {
    char *text = NULL;
    size_t size, i = 0;
    const form *filled = NULL;
    uint64_t(*in)[SOURCES] = malloc(sizeof(inputs));
    kz_status status = base_file_read(path, &text, &size, error);
    *rows = *different = 0;
    if (!status && !in) status = base_fail(error, KZ_NO_MEMORY, "no memory for the inputs");
    // Both are in the order of forms.def.
    for (const char *at = status ? NULL : strstr(text, "\n= "); at; at = strstr(at, "\n= ")) {
        size_t length = strcspn(at += 3, "\n"), start = i;
        while (i < forms->count &&
               (strncmp(forms->items[i].text, at, length) != 0 || forms->items[i].text[length]))
            i++;
        if (i == forms->count) { // a form that this run leaves out
            i = start;
            continue;
        }
        const form *f = &forms->items[i];
        if (!results[i].values) continue;
        if (!filled || !values_same(filled, f)) values_make(f, seed, in);
        filled = f;
        for (const char *row = at + length + 1; *row >= '0' && *row <= '9'; row += strcspn(row, "\n") + 1) {
            (*rows)++;
            *different += !row_agrees(f, row, in, &results[i]);
        }
    }
    free(text);
    free(in);
    return status;
}
