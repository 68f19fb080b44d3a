// kz list: the families and their variants.
#include "options.h"

#include <stdlib.h>

#include "family/case.h"
#include "report/report.h"
#include "workload/names.h"

static json_t *describe(const kz_family *family) {
    json_t *variants = json_array(), *operations = json_array();
    for (size_t i = 0; family->operations[i]; i++)
        json_array_append_new(operations, json_string(family->operations[i]));
    for (size_t i = 0; i < family->variant_count; i++) {
        const kz_variant *v = &family->variants[i];
        json_array_append_new(variants, json_pack("{s:s, s:s, s:i, s:b, s:b}", "name", v->name, "idea",
                                                  v->idea, "min_sm", abs(v->min_sm), "min_sm_exact",
                                                  v->min_sm < 0, "native", v->natives != NULL));
    }
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:I}", "family", family->name, "group", family->group,
                     "summary", family->summary, "operations", operations, "variants", variants, "cases",
                     (json_int_t)family->case_count);
}

static int print_json(const kz_family *const *families, size_t count, const char *path) {
    kz_error error;
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) json_array_append_new(array, describe(families[i]));
    kz_status status = report_write_lines(array, path, &error);
    json_decref(array);
    return status ? cli_fail(&error) : CLI_OK;
}

static int run(const cli_command *self, int argc, char **argv) {
    cli_shared options = {0};
    cli_list words;
    kz_error error;
    if (cli_parse(self, argc, argv, &options, &words, &error)) return cli_fail(&error);
    if (words.count)
        return cli_fail_with(KZ_INVALID, "kz list takes no words; did you mean kz info %s?", words.items[0]);
    size_t count, variants = 0;
    const kz_family *const *families = kz_family_list(&count);
    if (options.json.given) return print_json(families, count, options.json.path);

    report_style style = report_detect_style(stdout);
    for (size_t i = 0; i < count; i++) {
        const report_column columns[] = {{.title = ""}, {"variant", .least = 22}, {"idea", .shrink = true}};
        report_table *table = report_table_open(columns, BASE_COUNT(columns));
        if (!table) return cli_fail_with(KZ_NO_MEMORY, "no memory for the table");
        report_print(stdout, &style, REPORT_BOLD, "%s", families[i]->name);
        report_print(stdout, &style, REPORT_DIM, "  %s\n", families[i]->summary);
        for (size_t v = 0; v < families[i]->variant_count; v++) {
            report_table_add(table, REPORT_PLAIN, "%s", "");
            report_table_add(table, REPORT_PLAIN, "%s", families[i]->variants[v].name);
            report_table_add(table, REPORT_DIM, "%s", families[i]->variants[v].idea);
        }
        report_table_print(table, stdout, &style, false);
        report_table_close(table);
        variants += families[i]->variant_count;
    }
    printf("\n%zu families, %zu variants. kz info FAMILY tells more of one.\n", count, variants);
    return CLI_OK;
}

static const cli_option options_table[] = {
    CLI_JSON_OBJECTS("family"),
    {0},
};

const cli_command cli_command_list = {
    .usage = "kz list [--json]",
    .about = "Lists every family of kernels with its variants, from the naive one to the best.",
    .examples = "  kz list              a table\n"
                "  kz list --json       for programs: one line per family",
    .options = options_table,
    .run = run,
};
