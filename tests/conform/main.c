// conform: runs every instruction form on two devices over the same inputs and compares bit by bit.
//
//   conform [--a DEVICE] [--b DEVICE] [--isa-a NAME] [--isa-b NAME] [--mask-b HEX] [--seed N] [--exact]
//   [--all]
//           [--json | --markdown | --list | --ptx] [FILTER]
//
// A is sim:h200 and B is cuda unless told. --isa chooses the simulator's instruction set for one side
// (KZ_SIM_ISA). --mask-b runs only those lanes of each warp on B, compares only them, and leaves out the
// forms where lanes work together. --exact demands the same bits of approximations and NaN too. Exit: 0 all
// agree, 1 some do not, 2 it could not run.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conform.h"

typedef struct options {
    const char *devices[2], *isas[2], *filter;
    uint64_t seed;
    uint32_t mask_b;
    bool exact, all, json, markdown, list, ptx;
} options;

static bool take_flag(options *o, const char *word) {
    bool *flag = !strcmp(word, "--exact")      ? &o->exact
                 : !strcmp(word, "--all")      ? &o->all
                 : !strcmp(word, "--json")     ? &o->json
                 : !strcmp(word, "--markdown") ? &o->markdown
                 : !strcmp(word, "--list")     ? &o->list
                 : !strcmp(word, "--ptx")      ? &o->ptx
                                               : NULL;
    if (flag) *flag = true;
    return flag != NULL;
}

static bool take_value(options *o, const char *word, const char *value) {
    if (!strcmp(word, "--a") || !strcmp(word, "--b"))
        o->devices[word[2] - 'a'] = value;
    else if (!strcmp(word, "--isa-a") || !strcmp(word, "--isa-b"))
        o->isas[word[6] - 'a'] = value;
    else if (!strcmp(word, "--mask-b"))
        o->mask_b = (uint32_t)strtoul(value, NULL, 16);
    else if (!strcmp(word, "--seed"))
        o->seed = strtoull(value, NULL, 0);
    else
        return false;
    return true;
}

static bool read_options(int argc, char **argv, options *o) {
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-') {
            if (o->filter) return false;
            o->filter = argv[i];
        } else if (!take_flag(o, argv[i])) {
            if (i + 1 >= argc || !take_value(o, argv[i], argv[i + 1])) return false;
            i++;
        }
    }
    return true;
}

static void print_forms(const form_list *forms, bool ptx) {
    base_text text = {0};
    if (ptx) kernels_write(forms->items, forms->count, &text);
    for (size_t i = 0; !ptx && i < forms->count; i++)
        base_text_add(&text, "%-8s %s\n", forms->items[i].group, forms->items[i].text);
    fputs(text.data ? text.data : "", stdout);
    base_text_free(&text);
}

static int compare_all(const options *o, const form_list *forms, run_result *results[2],
                       kz_device_info infos[2]) {
    verdict *verdicts = calloc(forms->count + 1, sizeof *verdicts);
    uint64_t(*in)[SOURCES] = malloc(sizeof(inputs));
    size_t failures = 0;
    if (!verdicts || !in) return 2;
    for (size_t i = 0; i < forms->count; i++) {
        if (i == 0 || !values_same(&forms->items[i - 1], &forms->items[i]))
            values_make(&forms->items[i], o->seed, in);
        verdicts[i] = compare_form(&forms->items[i], in, &results[0][i], &results[1][i], o->mask_b);
        failures += verdict_is_failure(&verdicts[i], o->exact);
    }
    report r = {forms, verdicts, &infos[0], &infos[1], o->mask_b, o->exact, o->all};
    (o->json ? report_json : o->markdown ? report_markdown : report_text)(&r);
    free(verdicts);
    free(in);
    return failures ? 1 : 0;
}

static int run(const options *o, const form_list *forms) {
    run_result *results[2] = {calloc(forms->count + 1, sizeof **results),
                              calloc(forms->count + 1, sizeof **results)};
    kz_device_info infos[2];
    kz_error error = {0};
    int code = results[0] && results[1] ? 0 : 2;
    for (unsigned side = 0; side < 2 && code == 0; side++) {
        // One device after the other, so that each finds its own instruction set chosen.
        if (o->isas[side])
            setenv("KZ_SIM_ISA", o->isas[side], 1);
        else
            unsetenv("KZ_SIM_ISA");
        uint32_t mask = side ? o->mask_b : UINT32_MAX;
        if (kernels_run(o->devices[side], forms, o->seed, mask, results[side], &infos[side], &error)) {
            fprintf(stderr, "conform: %s\n", error.message);
            code = 2;
        }
    }
    if (code == 0) code = compare_all(o, forms, results, infos);
    for (unsigned side = 0; side < 2; side++) {
        for (size_t i = 0; results[side] && i < forms->count; i++) free(results[side][i].values);
        free(results[side]);
    }
    return code;
}

int main(int argc, char **argv) {
    options o = {.devices = {"sim:h200", "cuda"}, .seed = 1, .mask_b = UINT32_MAX};
    form_list forms;
    if (!read_options(argc, argv, &o)) {
        fprintf(stderr, "conform: unknown option; the first lines of tests/conform/main.c list them\n");
        return 2;
    }
    if (!forms_open(&forms, o.filter, o.mask_b != UINT32_MAX ? "warp" : NULL)) return 2;
    int code = 0;
    if (o.list || o.ptx)
        print_forms(&forms, o.ptx);
    else
        code = run(&o, &forms);
    forms_close(&forms);
    return code;
}
