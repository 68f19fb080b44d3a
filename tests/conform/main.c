// conform: runs every instruction form on two devices over the same inputs and compares bit by bit.
//
//   conform [--a DEVICE] [--b DEVICE] [--isa-a NAME] [--isa-b NAME] [--mask-b HEX] [--seed N] [--exact]
//   [--all]
//           [--golden FILE] [--golden-out FILE] [--rows FILE] [--rows-out FILE] [--lanes-out FILE] [--flip LANE]
//           [--json | --markdown | --list | --ptx] [FILTER]
//
// A is sim:h200 and B is cuda unless told. --isa chooses the simulator's instruction set for one side
// (KZ_SIM_ISA). --mask-b runs only those lanes of each warp on B, compares only them, and leaves out the
// forms where lanes work together. --exact demands the same bits of approximations and NaN too. --flip
// changes a bit of that lane's results on A, to see that it is found. Exit: 0 all agree, 1 some do not, 2 it
// could not run.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conform.h"

typedef struct options {
    const char *devices[2], *isas[2], *filter, *golden, *golden_out, *lanes_out, *rows, *rows_out;
    uint64_t seed;
    uint32_t mask_b;
    unsigned flip; // a lane of A; LANES for none
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
    else if (!strcmp(word, "--golden"))
        o->golden = value;
    else if (!strcmp(word, "--golden-out"))
        o->golden_out = value;
    else if (!strcmp(word, "--lanes-out"))
        o->lanes_out = value;
    else if (!strcmp(word, "--rows"))
        o->rows = value;
    else if (!strcmp(word, "--rows-out"))
        o->rows_out = value;
    else if (!strcmp(word, "--flip"))
        o->flip = (unsigned)strtoul(value, NULL, 10);
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

static void compare_all(const options *o, const form_list *forms, run_result *results[2],
                        uint64_t (*in)[SOURCES], verdict *verdicts) {
    for (size_t i = 0; i < forms->count; i++) {
        if (i == 0 || !values_same(&forms->items[i - 1], &forms->items[i]))
            values_make(&forms->items[i], o->seed, in);
        verdicts[i] = compare_form(&forms->items[i], in, &results[0][i], &results[1][i], o->mask_b);
    }
}

static int say(const options *o, const form_list *forms, const verdict *verdicts,
               const kz_device_info infos[2]) {
    size_t failures = 0;
    report r = {forms, verdicts, &infos[0], &infos[1], o->mask_b, o->exact, o->all};
    (o->json ? report_json : o->markdown ? report_markdown : report_text)(&r);
    for (size_t i = 0; i < forms->count; i++)
        failures +=
            verdict_is_failure(&verdicts[i], o->exact) && !(o->golden && golden_excuse(&forms->items[i]));
    return failures ? 1 : 0;
}

// "NVIDIA H200, driver 570.86.15, 2026-11-15"
static void name_machine(const kz_device_info *info, char to[96]) {
    char line[256] = "", driver[32] = "", date[BASE_UTC];
    base_utc_time(date);
    FILE *file = fopen("/proc/driver/nvidia/version", "r");
    if (file && fgets(line, sizeof line, file)) {
        for (char *word = strtok(line, " \t"); word; word = strtok(NULL, " \t"))
            if (word[0] >= '1' && word[0] <= '9' && strchr(word, '.') && !driver[0])
                snprintf(driver, sizeof driver, ", driver %.16s", word);
    }
    if (file) fclose(file);
    snprintf(to, 96, "%.40s%s, %.10s", info->name, info->kind == KZ_DEVICE_CUDA ? driver : "", date);
}

// Runs side A (0) or B (1).
static kz_status run_side(const options *o, const form_list *forms, unsigned side, run_result *results,
                          kz_device_info *info, kz_error *error) {
    if (o->isas[side])
        setenv("KZ_SIM_ISA", o->isas[side], 1);
    else
        unsetenv("KZ_SIM_ISA");
    return kernels_run(o->devices[side], forms, o->seed, side ? o->mask_b : UINT32_MAX, results, info, error);
}

// One device after the other, so that each finds its own instruction set chosen.
static int run(const options *o, const form_list *forms) {
    run_result *results[2] = {calloc(forms->count + 1, sizeof **results),
                              calloc(forms->count + 1, sizeof **results)};
    verdict *verdicts = calloc(forms->count + 1, sizeof *verdicts);
    uint64_t(*in)[SOURCES] = malloc(sizeof(inputs));
    kz_device_info infos[2] = {{.id = ""}, {.id = "file"}};
    char machine[96];
    kz_error error = {.message = "out of memory"};
    int code = 2;
    if (!results[0] || !results[1] || !verdicts || !in) goto done;
    if (run_side(o, forms, 0, results[0], &infos[0], &error)) goto done;
    for (size_t i = 0; i < forms->count && o->flip < LANES; i++)
        if (results[0][i].values) (*results[0][i].values)[o->flip][0] ^= 1;
    if (o->golden) {
        if (golden_judge(o->golden, forms, o->seed, results[0], verdicts, infos[1].name, &error)) goto done;
    } else {
        if (run_side(o, forms, 1, results[1], &infos[1], &error)) goto done;
        compare_all(o, forms, results, in, verdicts);
    }
    name_machine(&infos[1], machine);
    if (o->golden_out && golden_write(o->golden_out, forms, o->seed, results[1], verdicts, machine, &error))
        goto done;
    if (o->lanes_out && golden_write_lanes(o->lanes_out, forms, o->seed, results[0], results[1], &error))
        goto done;
    if (o->rows_out && rows_write(o->rows_out, forms, o->seed, results[1], machine, &error)) goto done;
    code = say(o, forms, verdicts, infos);
    if (o->rows) {
        size_t rows, different;
        if (rows_judge(o->rows, forms, o->seed, results[0], &rows, &different, &error)) code = 2;
        if (code != 2) printf("%zu rows, %zu different\n", rows, different);
        if (code == 0 && (different || !rows)) code = 1;
    }
done:
    if (code == 2) fprintf(stderr, "conform: %s\n", error.message);
    for (unsigned side = 0; side < 2; side++) {
        for (size_t i = 0; results[side] && i < forms->count; i++) free(results[side][i].values);
        free(results[side]);
    }
    free(verdicts);
    free(in);
    return code;
}

int main(int argc, char **argv) {
    options o = {.devices = {"sim:h200", "cuda"}, .seed = 1, .mask_b = UINT32_MAX, .flip = LANES};
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
