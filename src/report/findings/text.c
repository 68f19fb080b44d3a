// Findings for people: one block each, with both source lines, the threads, the memory, cause and remedy.
#include <string.h>

#include "report/findings/findings.h"
#include "report/terminal/markdown.h"

static void print_triple(FILE *file, const json_t *site, const char *name) {
    const json_t *values = report_get(site, name);
    if (json_array_size(values) != 3) return;
    fprintf(file, "%s (%d,%d,%d)", name, (int)json_integer_value(json_array_get(values, 0)),
            (int)json_integer_value(json_array_get(values, 1)),
            (int)json_integer_value(json_array_get(values, 2)));
}

// nvcc gives all statements of a line the column of the first, and miscounts it where __global__ or its like stands
// before it. So a column is right only where it begins the line's last statement.
static bool begins_statement(const char *text, size_t length, size_t at) {
    if (at >= length || memmem(text, length, "__global__", 10) || memmem(text, length, "__device__", 10))
        return false;
    const char *end = memchr(text + at, ';', length - at);
    size_t next = end ? (size_t)(end - text) + 1 : length, before = at;
    while (next < length && strchr(" \t\r}", text[next])) next++;
    if (next < length && strncmp(text + next, "//", 2) != 0) return false;
    while (before && strchr(" \t", text[before - 1])) before--;
    return before &&
           (strchr("{}):", text[before - 1]) || (before >= 4 && memcmp(text + before - 4, "else", 4) == 0));
}

static void print_line(FILE *file, const report_style *style, uint32_t line, const char *text, size_t length,
                       size_t indent) {
    enum { MOST = 160 };
    bool is_cut = length - indent > MOST;
    if (is_cut) length = indent + MOST;
    while (is_cut && length > indent && ((unsigned char)text[length] & 0xc0) == 0x80) length--; // UTF-8
    report_print(file, style, REPORT_DIM, "  %6u | ", line);
    fprintf(file, "%.*s%s\n", (int)(length - indent), text + indent,
            !is_cut       ? ""
            : style->utf8 ? "…"
                          : "...");
}

static size_t indent_of(const char *text, size_t length) {
    size_t indent = 0;
    while (indent < length && (text[indent] == ' ' || text[indent] == '\t')) indent++;
    return indent;
}

// Of an asm statement its first line too: it has the instruction.
static void print_source(FILE *file, const report_style *style, const json_t *site,
                         report_prof_sources *sources) {
    const char *name = report_get_text(site, "file");
    uint32_t line = (uint32_t)report_get_count(site, "line");
    size_t length = 0, column = (size_t)report_get_count(site, "column");
    uint32_t first = sources ? report_prof_sources_asm(sources, name, line) : line;
    const char *text = sources ? report_prof_sources_line(sources, name, first, &length) : NULL;
    if (!text) return;
    size_t indent = indent_of(text, length);
    print_line(file, style, first, text, length, indent);
    if (first < line) {
        text = report_prof_sources_line(sources, name, line, &length);
        indent = indent_of(text, length);
        print_line(file, style, line, text, length, indent);
    }
    if (column <= indent + 1 || !begins_statement(text, length, column - 1)) return;
    report_print(file, style, REPORT_DIM, "         | ");
    for (size_t i = indent + 1; i < column && i <= length; i++) fputc(' ', file);
    report_print(file, style, REPORT_BAD, "^\n");
}

// "tile.cu:14  write by thread (3,0,0) of block (1,0,0)", then the line.
static void print_site(FILE *file, const report_style *style, const json_t *site, const char *what,
                       report_prof_sources *sources) {
    const char *access = report_get_text(site, "access"), *agent = report_get_text(site, "agent");
    report_print(file, style, REPORT_BOLD, "  %s:%llu", report_prof_basename(report_get_text(site, "file")),
                 (unsigned long long)report_get_count(site, "line"));
    fprintf(file, "  %s%s%s%s by ", what,
            strcmp(agent, "async") == 0     ? "cp.async "
            : strcmp(agent, "product") == 0 ? "wgmma's "
            : agent[0]                      ? "bulk copy's "
                                            : "",
            access, access[0] ? "" : "executed");
    print_triple(file, site, "thread");
    fprintf(file, " of ");
    print_triple(file, site, "block");
    fputc('\n', file);
    print_source(file, style, site, sources);
    size_t i;
    json_t *outer;
    json_array_foreach(report_get(site, "inlined_at"), i, outer)
        report_print(file, style, REPORT_DIM, "         inlined at %s:%llu\n",
                     report_prof_basename(report_get_text(outer, "file")),
                     (unsigned long long)report_get_count(outer, "line"));
}

static const char *role_of_second(const char *kind) {
    if (strncmp(kind, "undefined", 9) == 0) return "the value comes from here: ";
    if (strncmp(kind, "race", 4) == 0 || strncmp(kind, "async", 5) == 0) return "and ";
    return "";
}

// The same line, executed by the same thread of the same launch: once is enough.
static bool is_same_spot(const json_t *finding, const json_t *a, const json_t *b) {
    if (strcmp(report_get_text(finding, "between"), "operations") == 0) return false;
    static const char *const members[] = {"file", "line", "thread", "block"};
    for (size_t i = 0; i < BASE_COUNT(members); i++)
        if (!a || !json_equal(report_get(a, members[i]), report_get(b, members[i]))) return false;
    return true;
}

// On a terminal lines are wrapped to its width; elsewhere they stay whole, for those who search them.
static void print_lines(FILE *file, const report_style *style, const char *text) {
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, "\n");
        base_text line = {0};
        base_text_add(&line, "%.*s", (int)length, at);
        fprintf(file, "  ");
        if (style->terminal)
            report_wrap(file, style, line.data ? line.data : "", 2, 4);
        else
            fprintf(file, "%s\n", line.data ? line.data : "");
        base_text_free(&line);
        at += length + (at[length] == '\n');
    }
}

static void print_seeds(FILE *file, const json_t *finding) {
    const json_t *seeds = report_get(finding, "seeds");
    json_int_t first = json_integer_value(json_array_get(seeds, 0));
    if (first == 0 && json_array_size(seeds) == 1) return; // the plain order
    fprintf(file, "; schedules:");
    for (size_t i = 0; i < json_array_size(seeds) && i < 8; i++)
        fprintf(file, " %lld", (long long)json_integer_value(json_array_get(seeds, i)));
    if (json_array_size(seeds) > 8) fprintf(file, " ...");
    fprintf(file, " (--seed N shows one again)");
}

static void print_one(FILE *file, const report_style *style, const json_t *finding, bool named,
                      report_prof_sources *sources) {
    const char *kind = report_get_text(finding, "kind"), *severity = report_get_text(finding, "severity"),
               *text = report_get_text(finding, "text"), *buffer = report_get_text(finding, "buffer"),
               *kernel = report_get_text(finding, "short");
    report_tone tone = strcmp(severity, "error") == 0     ? REPORT_BAD
                       : strcmp(severity, "warning") == 0 ? REPORT_WARN
                                                          : REPORT_DIM;
    size_t first_line = strcspn(text, "\n");
    report_print(file, style, tone, "%s: ", severity);
    report_print(file, style, REPORT_BOLD, "%s", report_get_text(finding, "title"));
    report_print(file, style, REPORT_DIM, "  [%s]\n", kind);
    fprintf(file, "  %.*s\n", (int)first_line, text);
    const json_t *first = report_get(finding, "first"), *second = report_get(finding, "second");
    if (first) print_site(file, style, first, "", sources);
    if (second && !is_same_spot(finding, first, second))
        print_site(file, style, second, role_of_second(kind), sources);
    if (buffer[0]) fprintf(file, "  memory: %s\n", buffer);
    print_lines(file, style, text + first_line + (text[first_line] == '\n'));
    uint64_t count = report_get_count(finding, "count");
    if (!kernel[0]) kernel = report_get_text(finding, "kernel");
    fprintf(file, "  ");
    if (kernel[0])
        fprintf(file, "in kernel %s, launch %llu; ", kernel,
                (unsigned long long)report_get_count(finding, "launch"));
    uint64_t more = report_get_count(finding, "more_runs");
    if (named) fprintf(file, "%s", report_get_text(finding, "target"));
    if (named && more) fprintf(file, " and %llu more run%s", (unsigned long long)more, more == 1 ? "" : "s");
    if (named) fprintf(file, "; ");
    fprintf(file, "seen %llu time%s", (unsigned long long)count, count == 1 ? "" : "s");
    if (report_get_text(finding, "case")[0])
        fprintf(file, ", first with --case \"%s\"", report_get_text(finding, "case"));
    print_seeds(file, finding);
    fprintf(file, "\n\n");
}

void report_findings_print(FILE *file, const report_style *style, const report_findings *findings,
                           report_prof_sources *sources) {
    static const char *const order[] = {"error", "warning", "note"};
    bool named = json_array_size(findings->targets) > 1;
    for (size_t s = 0; s < BASE_COUNT(order); s++) {
        size_t i;
        json_t *finding;
        json_array_foreach(findings->items, i,
                           finding) if (strcmp(report_get_text(finding, "severity"), order[s]) == 0)
            print_one(file, style, finding, named, sources);
    }
}

static void print_number(FILE *file, const report_style *style, report_tone tone, size_t count,
                         const char *what) {
    if (count)
        report_print(file, style, tone, "%zu %s%s", count, what, count == 1 ? "" : "s");
    else
        fprintf(file, "no %ss", what);
}

void report_findings_print_summary(FILE *file, const report_style *style, const report_findings *findings) {
    print_number(file, style, REPORT_BAD, report_findings_count(findings, "error"), "error");
    fprintf(file, ", ");
    print_number(file, style, REPORT_WARN, report_findings_count(findings, "warning"), "warning");
    size_t notes = report_findings_count(findings, "note");
    if (notes) fprintf(file, ", %zu note%s", notes, notes == 1 ? "" : "s");
    fprintf(file, " in %llu launch%s", (unsigned long long)findings->launches,
            findings->launches == 1 ? "" : "es");
    if (findings->runs > 1) fprintf(file, " of %llu runs", (unsigned long long)findings->runs);
    if (findings->suppressed) fprintf(file, "; %llu suppressed", (unsigned long long)findings->suppressed);
    fputc('\n', file);
    bool named = json_array_size(findings->targets) > 1;
    size_t i;
    json_t *cut;
    json_array_foreach(findings->unchecked, i, cut) {
        report_print(file, style, REPORT_WARN, "not all was checked");
        if (named) fprintf(file, " of %s", report_get_text(cut, "target"));
        fprintf(file, ": %s\n", report_get_text(cut, "text"));
    }
}
