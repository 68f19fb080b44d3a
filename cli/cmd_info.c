// kz info FAMILY: everything the zoo knows of one family.
#include "cmd_info.h"

#include <stdlib.h>
#include <string.h>

#include "family/case.h"
#include "report/report.h"
#include "workload/names.h"

static void print_heading(const report_style *style, const char *text) {
    report_print(stdout, style, REPORT_BOLD, "\n%s\n", text);
}

static void print_operations(const kz_family *family) {
    printf("  operations  ");
    for (size_t i = 0; family->operations[i]; i++) printf("%s%s", i ? ", " : "", family->operations[i]);
    printf("\n  types       ");
    const char *between = "";
    for (int t = 0; t < KZ_TYPE_COUNT; t++) {
        if (!family_has_type(family, (kz_type)t)) continue;
        printf("%s%s", between, kz_type_name((kz_type)t));
        between = ", ";
    }
    printf("\n  axes        ");
    for (size_t i = 0; i < KZ_CASE_AXES && family->axes[i]; i++)
        printf("%s%s", i ? ", " : "", family->axes[i]);
    printf("\n");
    if (family->axes_note) printf("              %s\n", family->axes_note);
}

typedef struct described_buffer {
    kz_buffer buffer;
    base_text operations;
} described_buffer;

static void describe_buffers(const kz_family *family, uint32_t operation, described_buffer *all,
                             size_t *count) {
    kz_buffer list[KZ_FAMILY_BUFFERS] = {0};
    kz_case c = family->cases[0]; // of an operation that the table has no case of
    c.operation = operation;
    for (size_t i = family->case_count; i-- > 0;)
        if (family->cases[i].operation == operation) c = family->cases[i];
    size_t found = family->buffers(&c, list);
    for (size_t i = 0; i < found; i++) {
        size_t k = 0;
        while (k < *count && strcmp(all[k].buffer.name, list[i].name) != 0) k++;
        if (k == KZ_FAMILY_BUFFERS) return;
        if (k == *count) all[(*count)++].buffer = list[i];
        base_text_add(&all[k].operations, "%s%s", all[k].operations.length ? ", " : "",
                      family->operations[operation]);
    }
}

// Those of the family's kernels, by the names that a provider in Python gets them by; of one that some operations have
// alone, which do.
static void print_buffers(const kz_family *family) {
    static const char *const roles[] = {[KZ_INPUT] = "input", [KZ_OUTPUT] = "output", [KZ_INOUT] = "inout"};
    described_buffer all[KZ_FAMILY_BUFFERS] = {0};
    size_t count = 0;
    base_text operations = {0};
    for (uint32_t i = 0; family->operations[i]; i++) {
        describe_buffers(family, i, all, &count);
        base_text_add(&operations, "%s%s", i ? ", " : "", family->operations[i]);
    }
    printf("  buffers     ");
    for (size_t i = 0; i < count; i++) {
        const char *of = all[i].operations.data ? all[i].operations.data : "";
        bool whole = operations.data && strcmp(of, operations.data) == 0;
        printf("%s%s (%s%s%s)", i ? ", " : "", all[i].buffer.name, roles[all[i].buffer.role],
               whole ? "" : " of ", whole ? "" : of);
        base_text_free(&all[i].operations);
    }
    printf("\n");
    base_text_free(&operations);
}

static void print_rivals(const kz_family *family) {
    printf("  rivals      ");
    for (const char *const *name = family->rivals; name && *name; name++)
        printf("%s%s", name == family->rivals ? "" : ", ", *name);
    printf("%s\n", family->rivals && *family->rivals ? "" : "none");
}

static void print_variants(const kz_family *family, const report_style *style) {
    const report_column columns[] = {
        {.title = ""}, {.title = "variant"}, {.title = "runs on"}, {"idea", .shrink = true}};
    report_table *table = report_table_open(columns, BASE_COUNT(columns));
    if (!table) return;
    for (size_t i = 0; i < family->variant_count; i++) {
        const kz_variant *v = &family->variants[i];
        report_table_add(table, REPORT_PLAIN, "%s", "");
        report_table_add(table, REPORT_PLAIN, "%s", v->name);
        if (v->natives)
            report_table_add(table, REPORT_PLAIN, "cpu");
        else
            report_table_add(table, REPORT_PLAIN, v->min_sm < 0 ? "sm_%d alone" : "sm_%d up", abs(v->min_sm));
        report_table_add(table, REPORT_PLAIN, "%s", v->idea);
    }
    report_table_print(table, stdout, style, true);
    report_table_close(table);
}

static int widest_case(const kz_family *family) {
    size_t most = 0;
    for (size_t i = 0; i < family->case_count; i++) {
        char name[FAMILY_CASE_NAME];
        family_case_name(family, &family->cases[i], name);
        if (strlen(name) > most) most = strlen(name);
    }
    return (int)most;
}

static void print_cases(const kz_family *family, const report_style *style) {
    int width = widest_case(family);
    for (size_t i = 0; i < family->case_count; i++) {
        const kz_case *c = &family->cases[i];
        char name[FAMILY_CASE_NAME];
        family_case_name(family, c, name);
        printf("  %-*s", width + 1, name);
        report_print(stdout, style, REPORT_DIM, "%s%s%s\n", c->use & KZ_USE_CHECK ? " check" : "",
                     c->use & KZ_USE_BENCH ? " bench" : "", c->use & KZ_USE_HUGE ? " huge" : "");
    }
}

// What stands for the family: its first operation in its plain type, where that has benchmark cases, else the first such
// case. NULL where there is none.
static const kz_case *find_typical(const kz_family *family) {
    const kz_case *first = NULL;
    for (size_t i = 0; i < family->case_count; i++) {
        const kz_case *c = &family->cases[i];
        if (!(c->use & KZ_USE_BENCH)) continue;
        if (c->operation == 0 && c->type == family_plain_type(family)) return c;
        if (!first) first = c;
    }
    return first;
}

// Which variant the public operation takes, on every device there is, from small to large.
static void print_choice(const kz_family *family) {
    kz_device_info infos[16] = {{.size = sizeof infos[0]}};
    size_t count = 0;
    const kz_case *typical = find_typical(family);
    if (!typical || kz_device_list(infos, BASE_COUNT(infos), &count, NULL)) return;
    for (size_t d = 0; d < count && d < BASE_COUNT(infos); d++) {
        const kz_variant *last = NULL;
        char name[FAMILY_CASE_NAME];
        for (size_t i = 0; i < family->case_count; i++) {
            const kz_case *c = &family->cases[i];
            if (!(c->use & KZ_USE_BENCH) || c->type != typical->type || c->operation != typical->operation)
                continue;
            const kz_variant *chosen = kz_choose(family, c, &infos[d], false, NULL);
            if (!chosen || chosen == last) continue;
            family_case_name(family, c, name);
            printf("  %-12s from %-36s %s\n", infos[d].id, name, chosen->name);
            last = chosen;
        }
    }
}

static void print_step(const kz_step *step) {
    const kz_launch *l = &step->launch;
    if (step->kind == KZ_STEP_LAUNCH)
        printf("      launch %s: %u x %u x %u blocks of %u x %u x %u threads%s%s\n", step->entry, l->grid[0],
               l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2],
               l->cooperative ? ", all resident" : "", l->overlap ? ", before its turn" : "");
    else if (step->kind == KZ_STEP_FILL || step->kind == KZ_STEP_COPY)
        printf("      %s %llu bytes\n", step->kind == KZ_STEP_FILL ? "fill" : "copy",
               (unsigned long long)step->bytes);
}

// The plan of the workspace: what lies where, from which step to which.
static void print_regions(const kz_plan *plan) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < plan->region_count && i < KZ_PLAN_REGIONS; i++) {
        const kz_region *region = &plan->regions[i];
        if (region->first > region->last) continue;
        printf("        %-24s %12llu bytes at %12llu, steps %u to %u\n", region->name,
               (unsigned long long)region->bytes, (unsigned long long)region->offset, region->first + 1,
               region->last + 1);
        sum += region->bytes;
    }
    if (sum) printf("        %-24s %12llu bytes if none shared its place\n", "", (unsigned long long)sum);
}

// The variant for one case on one device, why it is that one, and what it will do.
static void print_pick(const kz_family *family, const kz_case *c, const kz_device_info *info,
                       const report_style *style) {
    char why[KZ_CHOICE_WHY] = "";
    const kz_variant *chosen = kz_choose(family, c, info, false, why);
    printf("  %-12s ", info->id);
    report_print(stdout, style, REPORT_BOLD, "%s\n", chosen ? chosen->name : "none does this case");
    if (!chosen) return;
    printf("      %s\n", why);
    const kz_variant *same = chosen;
    if (family->nondeterministic && family->nondeterministic(c, chosen))
        same = kz_choose(family, c, info, true, why);
    if (same == chosen)
        printf("      the same bits in every run\n");
    else
        printf("      its result may differ from run to run; KZ_DETERMINISTIC takes %s\n",
               same ? same->name : "none");
    kz_plan plan = {0};
    if (kz_variant_plan(family, chosen, c, info, &plan, NULL)) return;
    for (uint32_t i = 0; i < plan.step_count; i++) print_step(&plan.steps[i]);
    if (plan.workspace_bytes)
        printf("      workspace of %llu bytes\n", (unsigned long long)plan.workspace_bytes);
    print_regions(&plan);
}

static int explain(const kz_family *family, const char *pattern) {
    kz_error error;
    kz_case *cases = NULL;
    size_t count = 0, device_count = 0;
    kz_device_info infos[16] = {{.size = sizeof infos[0]}};
    kz_status status = workload_find_cases(family, pattern, 0, &cases, &count, &error);
    if (!status) status = kz_device_list(infos, BASE_COUNT(infos), &device_count, &error);
    report_style style = report_detect_style(stdout);
    for (size_t i = 0; !status && i < count; i++) {
        char name[FAMILY_CASE_NAME];
        family_case_name(family, &cases[i], name);
        printf("%s%s %s\n", i ? "\n" : "", family->name, name);
        for (size_t d = 0; d < device_count && d < BASE_COUNT(infos); d++)
            print_pick(family, &cases[i], &infos[d], &style);
    }
    free(cases);
    return status ? cli_fail(&error) : CLI_OK;
}

static json_t *describe_case(const kz_family *family, const kz_case *c) {
    char name[FAMILY_CASE_NAME];
    family_case_name(family, c, name);
    return json_pack("{s:s, s:b, s:b, s:b}", "case", name, "check", (c->use & KZ_USE_CHECK) != 0, "bench",
                     (c->use & KZ_USE_BENCH) != 0, "huge", (c->use & KZ_USE_HUGE) != 0);
}

static int print_json(const kz_family *family, const char *path) {
    json_t *variants = json_array(), *cases = json_array(), *operations = json_array(), *axes = json_array();
    for (size_t i = 0; family->operations[i]; i++)
        json_array_append_new(operations, json_string(family->operations[i]));
    for (size_t i = 0; i < KZ_CASE_AXES && family->axes[i]; i++)
        json_array_append_new(axes, json_string(family->axes[i]));
    for (size_t i = 0; i < family->variant_count; i++)
        json_array_append_new(variants,
                              json_pack("{s:s, s:s, s:i, s:b}", "name", family->variants[i].name, "idea",
                                        family->variants[i].idea, "min_sm", abs(family->variants[i].min_sm),
                                        "min_sm_exact", family->variants[i].min_sm < 0));
    for (size_t i = 0; i < family->case_count; i++)
        json_array_append_new(cases, describe_case(family, &family->cases[i]));
    json_t *object = json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:s*, s:o, s:o}", "family", family->name,
                               "group", family->group, "summary", family->summary, "signature",
                               family->guest_signature, "operations", operations, "axes", axes, "axes_note",
                               family->axes_note, "variants", variants, "cases", cases);
    kz_error error;
    return report_write_line(object, path, &error) ? cli_fail(&error) : CLI_OK;
}

static int run(const cli_command *self, int argc, char **argv) {
    cli_shared options = {0};
    cli_list words;
    kz_error error;
    const kz_family *family;
    if (cli_parse(self, argc, argv, &options, &words, &error)) return cli_fail(&error);
    if (words.count != 1)
        return cli_fail_with(KZ_INVALID, "kz info takes one family, or one variant of it\ntry: kz list");
    if (strchr(words.items[0], '/')) {
        workload_zoo zoo = {0};
        if (workload_find_zoo(words.items, 1, &zoo, &error)) return cli_fail(&error);
        return cmd_info_variant(zoo.wanted[0].family, zoo.wanted[0].variant, &options);
    }
    if (workload_find_family(words.items[0], &family, &error)) return cli_fail(&error);
    if (options.pattern) return explain(family, options.pattern);
    if (options.json.given) return print_json(family, options.json.path);

    report_style style = report_detect_style(stdout);
    char example[FAMILY_GUEST_EXAMPLE];
    report_print(stdout, &style, REPORT_BOLD, "%s", family->name);
    printf("  %s\n\n", family->summary);
    print_operations(family);
    print_buffers(family);
    print_rivals(family);
    print_heading(&style, "Variants");
    print_variants(family, &style);
    print_heading(&style, "What the library picks");
    print_choice(family);
    print_heading(&style, "Your own kernel in its place");
    family_guest_example(family, example, sizeof example);
    printf("%s\n  kz check --family %s my.cu\n", example, family->name);
    print_heading(&style, "Cases"); // they are many: last
    print_cases(family, &style);
    return CLI_OK;
}

static const cli_option options_table[] = {
    CLI_CASE("which variant the library picks for this case (a name, a glob, or any size), why, and what it "
             "launches"),
    CLI_JSON_OBJECT,
    {0},
};

const cli_command cli_command_info = {
    .usage = "kz info FAMILY[/VARIANT] [--case NAME] [--json]",
    .about =
        "Shows one family: what it computes, its types and operations, its variants with their ideas,\n"
        "its cases, which variant the library picks, and how a kernel of your own takes its place. Of a\n"
        "variant: its lines of code and what compiling them takes, what its kernel needs of a "
        "multiprocessor,\n"
        "how large its code is, and how people judge it. --json writes a family as family, group, summary,\n"
        "signature, operations, axes, axes_note (what axes mean that their names do not say; where there is\n"
        "such), variants and cases.",
    .examples = "  kz info reduce\n"
                "  kz info reduce/06_vector                       registers, occupancy, code size, grades\n"
                "  kz info reduce --case sum-f32-n2^20-uniform    what is picked for 2^20 elements, and why",
    .options = options_table,
    .run = run,
};
