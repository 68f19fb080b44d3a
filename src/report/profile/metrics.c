// Metrics as users of Nsight Compute know them: a section per kernel, then name, unit and value.
#include <regex.h>
#include <string.h>

#include "observe/observe.h"
#include "report/profile/profile.h"

enum { MOST_METRICS = 512 };

typedef struct choice {
    const observe_metric *metrics;
    size_t count;
    bool wanted[MOST_METRICS];
} choice;

static choice open_choice(void) {
    choice c = {0};
    c.metrics = observe_metrics(&c.count);
    if (c.count > MOST_METRICS) c.count = MOST_METRICS;
    return c;
}

// The sections of the table, by what a name begins with; the first that fits.
static const char *section_of(const char *name) {
    static const struct {
        const char *prefix, *section;
    } sections[] = {{"launch__", "Launch Statistics"},
                    {"sm__maximum_warps", "Occupancy"},
                    {"l1tex__", "Memory (exact)"},
                    {"model__", "Caches and DRAM (model)"},
                    {"ptx__inst", "Instructions (PTX)"},
                    {"ptx__thread_inst", "Instructions (PTX)"},
                    {"ptx__flops", "Instructions (PTX)"},
                    {"ptx__branches", "Instructions (PTX)"},
                    {"ptx__", "Counts on PTX"}};
    for (size_t i = 0; i < BASE_COUNT(sections); i++)
        if (strncmp(name, sections[i].prefix, strlen(sections[i].prefix)) == 0) return sections[i].section;
    return "Other";
}

// ---- choosing --------------------------------------------------------------------------------------------

static kz_status choose_regex(const char *pattern, choice *c, kz_error *error) {
    regex_t regex;
    bool found = false;
    int code = regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB);
    if (code) {
        char why[200];
        regerror(code, &regex, why, sizeof why);
        base_fail(error, KZ_INVALID, "\"%s\" is no regular expression: %s", pattern, why);
        base_fail_note(error, "it follows regex:, in POSIX's extended form");
        return KZ_INVALID;
    }
    for (size_t i = 0; i < c->count; i++)
        if (regexec(&regex, c->metrics[i].name, 0, NULL, 0) == 0) c->wanted[i] = found = true;
    regfree(&regex);
    if (found) return KZ_OK;
    base_fail(error, KZ_NOT_FOUND, "no metric matches regex:%s", pattern);
    base_fail_note(error, "kz prof --query-metrics lists them all");
    return KZ_NOT_FOUND;
}

// A name, or the name without its last part: "launch__grid_size", "ptx__inst_executed".
static kz_status choose_name(const char *name, choice *c, kz_error *error) {
    size_t length = strlen(name);
    bool found = false;
    if (strcmp(name, "all") == 0) {
        for (size_t i = 0; i < c->count; i++) c->wanted[i] = true;
        return KZ_OK;
    }
    if (strncmp(name, "regex:", 6) == 0) return choose_regex(name + 6, c, error);
    for (size_t i = 0; i < c->count; i++)
        if (strncmp(c->metrics[i].name, name, length) == 0 &&
            (!c->metrics[i].name[length] || c->metrics[i].name[length] == '.'))
            c->wanted[i] = found = true;
    if (found) return KZ_OK;
    base_fail(error, KZ_NOT_FOUND, "there is no metric \"%s\"", name);
    base_fail_note(error, "kz prof --query-metrics lists them all; regex:PATTERN takes those that match");
    return KZ_NOT_FOUND;
}

static kz_status choose(const char *names, choice *c, kz_error *error) {
    kz_status status = KZ_OK;
    while (*names && !status) {
        // A regular expression may hold commas: it is the rest.
        size_t length = strncmp(names, "regex:", 6) == 0 ? strlen(names) : strcspn(names, ",");
        char name[512];
        snprintf(name, sizeof name, "%.*s", (int)length, names);
        status = choose_name(name, c, error);
        names += length + (names[length] == ',');
    }
    return status;
}

// ---- printing --------------------------------------------------------------------------------------------

static void format_value(char text[64], double value) {
    if (value == (double)(int64_t)value && value < 1e18)
        snprintf(text, 64, "%lld", (long long)value);
    else
        snprintf(text, 64, "%.6g", value);
}

static void print_csv_field(FILE *file, const char *text) {
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"') fputc('"', file);
        fputc(*text, file);
    }
    fputc('"', file);
}

static void print_csv(FILE *file, const report_prof *report, const choice *c) {
    fputs("\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Launches\",\"Section Name\",\"Metric "
          "Name\",\"Metric Unit\","
          "\"Metric Value\"\n",
          file);
    for (size_t k = 0; k < report->kernel_count; k++)
        for (size_t i = 0; i < c->count; i++) {
            const report_prof_kernel *kernel = &report->kernels[k];
            char value[64];
            if (!c->wanted[i] || !report_prof_has_metric(kernel->metrics, c->metrics[i].name)) continue;
            format_value(value, report_prof_metric(kernel->metrics, c->metrics[i].name));
            fprintf(file, "\"%zu\",", k);
            print_csv_field(file, kernel->title);
            fprintf(file, ",\"(%u, %u, %u)\",\"(%u, %u, %u)\",\"%llu\",", kernel->block[0], kernel->block[1],
                    kernel->block[2], kernel->grid[0], kernel->grid[1], kernel->grid[2],
                    (unsigned long long)kernel->launches);
            print_csv_field(file, section_of(c->metrics[i].name));
            fprintf(file, ",\"%s\",\"%s\",\"%s\"\n", c->metrics[i].name, c->metrics[i].unit, value);
        }
}

static void print_section(FILE *file, const report_style *style, const report_prof_kernel *k, const choice *c,
                          const char *section) {
    const report_column columns[] = {{.title = "Metric Name", .least = 70},
                                     {.title = "Unit", .least = 15},
                                     {"Value", .right = true, .least = 14}};
    report_table *table = report_table_open(columns, BASE_COUNT(columns));
    bool any = false;
    for (size_t i = 0; table && i < c->count; i++) {
        char value[64];
        if (!c->wanted[i] || strcmp(section_of(c->metrics[i].name), section) != 0) continue;
        if (!report_prof_has_metric(k->metrics, c->metrics[i].name)) continue;
        any = true;
        format_value(value, report_prof_metric(k->metrics, c->metrics[i].name));
        report_table_add(table, REPORT_PLAIN, "%s", c->metrics[i].name);
        report_table_add(table, REPORT_DIM, "%s", c->metrics[i].unit);
        report_table_add(table, REPORT_PLAIN, "%s", value);
    }
    if (any) {
        report_print(file, style, REPORT_BOLD, "  Section: %s\n", section);
        report_table_print(table, file, style, true);
        fputc('\n', file);
    }
    report_table_close(table);
}

kz_status report_prof_metrics_print(FILE *file, const report_style *style, const report_prof *report,
                                    const char *names, bool csv, kz_error *error) {
    choice c = open_choice();
    kz_status status = choose(names, &c, error);
    if (status) return status;
    if (csv) {
        print_csv(file, report, &c);
        return KZ_OK;
    }
    for (size_t k = 0; k < report->kernel_count; k++) {
        const report_prof_kernel *kernel = &report->kernels[k];
        report_print(file, style, REPORT_BOLD, "%s", kernel->title);
        fprintf(file, " (%u, %u, %u)x(%u, %u, %u), %llu launch%s, sums over them\n", kernel->grid[0],
                kernel->grid[1], kernel->grid[2], kernel->block[0], kernel->block[1], kernel->block[2],
                (unsigned long long)kernel->launches, kernel->launches == 1 ? "" : "es");
        const char *last = NULL;
        for (size_t i = 0; i < c.count; i++) {
            const char *section = section_of(c.metrics[i].name);
            bool seen = false; // sections in the order of their first metric
            for (size_t j = 0; j < i; j++) seen = seen || strcmp(section_of(c.metrics[j].name), section) == 0;
            if (!seen && section != last) print_section(file, style, kernel, &c, last = section);
        }
    }
    return KZ_OK;
}

void report_prof_metrics_list(FILE *file, const report_style *style) {
    const report_column columns[] = {
        {.title = "metric"}, {.title = "unit"}, {.title = "per"}, {"what it is", .shrink = false}};
    report_table *table = report_table_open(columns, BASE_COUNT(columns));
    if (!table) return;
    choice c = open_choice();
    for (size_t i = 0; i < c.count; i++) {
        report_table_add(table, REPORT_BOLD, "%s", c.metrics[i].name);
        report_table_add(table, REPORT_DIM, "%s", c.metrics[i].unit);
        report_table_add(table, REPORT_DIM, "%s", c.metrics[i].per_line ? "line" : "kernel");
        report_table_add(table, REPORT_PLAIN, "%s", c.metrics[i].text);
    }
    report_table_print(table, file, style, true);
    report_table_close(table);
}
