// Prints what was found: for people, as JSON lines, as the table of docs/conformance.md.
#include <stdio.h>
#include <string.h>

#include "conform.h"

typedef struct tally {
    const char *group;
    size_t forms, equal, nan_only, differ, refused, approximate;
    double error_a, error_b;
} tally;

static void count(tally *t, const verdict *v) {
    t->forms++;
    if (v->refused[0] || v->refused[1])
        t->refused++;
    else if (v->approximate)
        t->approximate++;
    else if (v->differ)
        t->differ++;
    else if (v->nan_only)
        t->nan_only++;
    else
        t->equal++;
}

static void print_value(const operand_type *type, uint64_t bits) {
    if (type->bits == 1)
        printf("%s", bits ? "true" : "false");
    else
        printf("%0*llx", (int)type->bits / 4, (unsigned long long)bits);
    if (type->format == F32 || type->format == F64 || type->format == F16 || type->format == BF16)
        printf(" (%.9g)", value_of_bits(type->format, bits));
}

static void print_example(const form *f, const example *e) {
    printf("      ");
    for (unsigned s = 0; s < f->source_count; s++) {
        printf("%s", s ? ", " : "");
        print_value(f->sources[s], e->sources[s]);
    }
    for (unsigned side = 0; side < 2; side++) {
        printf(side ? "   B" : "   A");
        for (unsigned r = 0; r < f->result_count; r++) {
            printf(" ");
            print_value(f->results[r], side ? e->b[r] : e->a[r]);
        }
    }
    printf("\n");
}

static void print_form(const form *f, const verdict *v) {
    if (v->refused[0]) printf("REFUSED by A  %s\n      %s\n", f->text, v->refused[0]);
    if (v->refused[1]) printf("REFUSED by B  %s\n      %s\n", f->text, v->refused[1]);
    if (v->refused[0] || v->refused[1]) return;
    if (v->approximate) {
        printf("%-12s  %s  A %.3g ulp, B %.3g ulp, apart %.3g; %zu of %zu equal",
               v->special ? "SPECIAL" : "approx", f->text, v->error_a, v->error_b, v->apart,
               v->lanes - v->differ - v->nan_only, v->lanes);
        if (v->special) printf("; %zu where only one is a number", v->special);
        printf("\n");
    } else if (v->differ) {
        printf("%5zu differ  %s\n", v->differ, f->text);
        for (unsigned b = 0; b < BLOCKS; b++)
            if (v->blocks >> b & 1)
                printf("      in lanes %u to %u\n", b * LANES / BLOCKS, (b + 1) * LANES / BLOCKS - 1);
    } else if (v->nan_only) {
        printf("%5zu NaN     %s\n", v->nan_only, f->text);
    } else {
        printf("OK            %s\n", f->text);
    }
    for (size_t i = 0; i < v->example_count; i++) print_example(f, &v->examples[i]);
    for (size_t i = 0; i < v->nan_example_count; i++) print_example(f, &v->nan_examples[i]);
}

void report_text(const report *r) {
    tally all = {0};
    printf("A is %s (%s), B is %s (%s)\n", r->a->id, r->a->name, r->b->id, r->b->name);
    for (size_t i = 0; i < r->forms->count; i++) {
        const verdict *v = &r->verdicts[i];
        count(&all, v);
        if (r->all || v->differ || v->nan_only || v->approximate || v->refused[0] || v->refused[1])
            print_form(&r->forms->items[i], v);
    }
    printf("%zu forms: %zu equal bit for bit, %zu differ in NaN only, %zu differ, %zu approximate, %zu "
           "refused\n",
           all.forms, all.equal, all.nan_only, all.differ, all.approximate, all.refused);
}

static void json_string(const char *text) {
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') putchar('\\');
        if ((unsigned char)*text >= ' ') putchar(*text);
    }
    putchar('"');
}

static void json_values(const char *name, const uint64_t *bits, unsigned count_of) {
    printf("\"%s\":[", name);
    for (unsigned i = 0; i < count_of; i++) printf("%s\"%llx\"", i ? "," : "", (unsigned long long)bits[i]);
    printf("]");
}

static void json_example(const form *f, const example *e) {
    printf("{");
    json_values("in", e->sources, f->source_count);
    printf(",");
    json_values("a", e->a, f->result_count);
    printf(",");
    json_values("b", e->b, f->result_count);
    printf("}");
}

void report_json(const report *r) {
    for (size_t i = 0; i < r->forms->count; i++) {
        const form *f = &r->forms->items[i];
        const verdict *v = &r->verdicts[i];
        printf("{\"group\":\"%s\",\"form\":", f->group);
        json_string(f->text);
        printf(",\"a\":\"%s\",\"b\":\"%s\"", r->a->id, r->b->id);
        for (unsigned side = 0; side < 2; side++) {
            if (!v->refused[side]) continue;
            printf(",\"refused_by_%c\":", side ? 'b' : 'a');
            json_string(v->refused[side]);
        }
        printf(",\"lanes\":%zu,\"differ\":%zu,\"nan_only\":%zu", v->lanes, v->differ, v->nan_only);
        if (v->approximate)
            printf(",\"ulp_a\":%.6g,\"ulp_b\":%.6g,\"ulp_apart\":%.6g,\"special\":%zu", v->error_a,
                   v->error_b, v->apart, v->special);
        printf(",\"examples\":[");
        for (size_t k = 0; k < v->example_count; k++) {
            printf("%s", k ? "," : "");
            json_example(f, &v->examples[k]);
        }
        for (size_t k = 0; k < v->nan_example_count; k++) {
            printf("%s", v->example_count + k ? "," : "");
            json_example(f, &v->nan_examples[k]);
        }
        printf("]}\n");
    }
}

// ---- docs/conformance.md ------------------------------------------------------------------------

static const char markdown_start[] =
    "# Does the simulator compute what the GPU computes?\n\n"
    "`conform` (tests/conform) runs each form of each PTX instruction that the simulator executes on two "
    "devices,\n"
    "over the same %d lanes of inputs (combinations of edge values, then random bits), and compares the\n"
    "results bit by bit. This page compares the simulator with the hardware:\n\n"
    "    %s\n\n"
    "What the hardware computed is kept as hashes in tests/conform/h200.golden, so that every machine "
    "repeats the\n"
    "comparison (`ctest -R conform`). The page is generated: `conform --golden tests/conform/h200.golden\n"
    "--markdown`; the hashes, on the GPU: `conform --golden-out FILE`.\n\n";

static void markdown_groups(const report *r) {
    tally all = {.group = "all"};
    printf("| group | forms | equal bit for bit | NaN payload only | different | approximate | refused |\n"
           "|---|--:|--:|--:|--:|--:|--:|\n");
    for (size_t i = 0; i < r->forms->count;) {
        tally t = {.group = r->forms->items[i].group};
        for (; i < r->forms->count && !strcmp(r->forms->items[i].group, t.group); i++) {
            count(&t, &r->verdicts[i]);
            count(&all, &r->verdicts[i]);
        }
        printf("| %s | %zu | %zu | %zu | %zu | %zu | %zu |\n", t.group, t.forms, t.equal, t.nan_only,
               t.differ, t.approximate, t.refused);
    }
    printf("| %s | %zu | %zu | %zu | %zu | %zu | %zu |\n", all.group, all.forms, all.equal, all.nan_only,
           all.differ, all.approximate, all.refused);
}

static void markdown_approximations(const report *r) {
    printf("\n## Approximations\n\n"
           "PTX bounds their error and leaves the bits to the hardware. The table has the largest error "
           "seen, in\n"
           "units of the last place. The error of lg2, sin and cos (in -pi to pi) is bounded absolutely: if "
           "the\n"
           "result is below 1, the unit is the last place of 1.\n\n"
           "| form | simulator | hardware |\n|---|--:|--:|\n");
    for (size_t i = 0; i < r->forms->count; i++) {
        const form *f = &r->forms->items[i];
        const verdict *v = &r->verdicts[i];
        if (!v->approximate || v->refused[0] || v->refused[1]) continue;
        printf(v->error_b < 1000 ? "| `%.*s` | %.1f | %.1f |\n" : "| `%.*s` | %.1g | %.1g |\n",
               (int)strcspn(f->text, " "), f->text, v->error_a, v->error_b);
    }
}

static bool is_different(const verdict *v) {
    return v->refused[0] || v->refused[1] || (!v->approximate && (v->differ || v->nan_only));
}

// The forms of one excuse (or of none) are counted and the first is shown.
static void markdown_difference(const report *r, const excuse *why) {
    size_t different = 0, all = 0;
    const form *first = NULL;
    for (size_t i = 0; i < r->forms->count; i++) {
        const form *f = &r->forms->items[i];
        if (golden_excuse(f) != why) continue;
        all++;
        if (!is_different(&r->verdicts[i])) continue;
        if (!first) first = f;
        different++;
    }
    if (different == 0) return;
    printf("| `%s` | %zu of %zu | `%s` | %s |\n", why ? why->start : "", different, all, first->text,
           why ? why->reason : "not explained");
}

static void markdown_differences(const report *r) {
    const excuse *last = NULL;
    printf("\n## What is different\n\n| begins with | forms | the first | why |\n|---|--:|---|---|\n");
    markdown_difference(r, NULL);
    for (size_t i = 0; i < r->forms->count; i++) {
        const excuse *why = golden_excuse(&r->forms->items[i]);
        if (!why || why <= last) continue; // the forms and their excuses are in the same order
        markdown_difference(r, why);
        last = why;
    }
}

void report_markdown(const report *r) {
    printf(markdown_start, LANES, r->b->name);
    markdown_groups(r);
    markdown_approximations(r);
    markdown_differences(r);
}
