// Findings as text. See finding_rows.h.
#include "finding_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 6000 }; // bytes

bool course_finding_is_fault(const char *kind) {
    static const char *const faults[] = {"out-of-bounds", "use-after-free", "misaligned",
                                         "fault",         "deadlock",       "endless-loop"};
    for (size_t i = 0; i < BASE_COUNT(faults); i++)
        if (strcmp(kind, faults[i]) == 0) return true;
    return false;
}

bool course_finding_is_race(const char *kind) {
    return strcmp(kind, "race") == 0 || strcmp(kind, "race-publication") == 0 ||
           strcmp(kind, "async-no-wait") == 0;
}

static void move_first(report_findings *findings, bool (*is_one)(const char *kind)) {
    size_t moved = 0;
    for (size_t i = 0; i < json_array_size(findings->items); i++) {
        json_t *finding = json_array_get(findings->items, i);
        if (!is_one(report_get_text(finding, "kind"))) continue;
        json_incref(finding);
        json_array_remove(findings->items, i);
        json_array_insert_new(findings->items, moved++, finding);
    }
}

void course_findings_faults_first(report_findings *findings) {
    move_first(findings, course_finding_is_fault);
}

void course_findings_races_first(report_findings *findings) { move_first(findings, course_finding_is_race); }

// "z[0], byte 0 of buffer z (4000 bytes)"
static double buffer_bytes(const json_t *finding) {
    const char *open = strrchr(report_get_text(finding, "buffer"), '(');
    return open ? strtod(open + 1, NULL) : 0;
}

bool course_findings_blame_repeated_work(report_findings *findings) {
    enum { SMALL = 128 }; // bytes: a flag that many threads raise
    bool found = false;
    for (size_t i = 0; i < json_array_size(findings->items); i++) {
        json_t *finding = json_array_get(findings->items, i);
        double bytes = buffer_bytes(finding), count = (double)report_get_count(finding, "count");
        if (strcmp(report_get_text(finding, "kind"), "race-same-value") != 0 ||
            strcmp(report_get_text(finding, "between"), "blocks") != 0 || bytes < SMALL || count < bytes)
            continue;
        json_object_set_new(finding, "severity", json_string("error"));
        json_object_set_new(finding, "title", json_string("blocks do the same work again"));
        json_object_set_new(
            finding, "text",
            json_string(
                "blocks write what others have written already, many times for each element of the buffer\n"
                "likely cause: every thread does all of the work instead of its share, or a loop's stride is "
                "less than the "
                "number of threads\n"
                "what to do: give each element to one thread: begin at its index in the grid, and step by "
                "gridDim.x * "
                "blockDim.x"));
        found = true;
    }
    return found;
}

void course_findings_print(const report_findings *findings, base_text *out) {
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream) return;
    report_style style = {.width = 100};
    report_prof_sources *sources = report_prof_sources_open(NULL, 0);
    report_findings_print(stream, &style, findings, sources);
    report_prof_sources_close(sources);
    fclose(stream);
    while (size && text[size - 1] == '\n') size--;
    bool is_cut = size > MOST;
    if (is_cut)
        for (size = MOST; size && text[size] != '\n';) size--;
    base_text_add_bytes(out, text, size);
    if (is_cut) base_text_add(out, "\n... and more; kz sanitize shows all");
    free(text);
}
