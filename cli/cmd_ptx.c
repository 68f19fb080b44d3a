// kz ptx: reads PTX files; says what the simulator does not execute; prints them back.
#include "cli.h"

#include <stdlib.h>
#include <string.h>

#include "device/gpus.h"
#include "ptx/ptx.h"
#include "report/report.h"
#include "sim/sim.h"
#include "workload/names.h"

static kz_status open_module(const char *path, ptx_module **module, kz_error *error) {
    char *text;
    size_t size;
    *module = NULL;
    kz_status status = base_file_read(path, &text, &size, error);
    if (status) return status;
    if (base_ends_with(path, ".cu")) {
        status = base_fail(error, KZ_INVALID, "%s is CUDA C++, and kz ptx reads what nvcc makes of it", path);
        base_fail_note(error, "compile it first: nvcc -ptx -lineinfo %s -o %.*sptx", path,
                       (int)strlen(path) - 2, path);
    } else {
        status = ptx_module_open(path, text, size, module, error);
    }
    free(text);
    return status;
}

// Why each instruction is not simulated, by its serial: what the simulator's decoder says of those that a kernel reaches.
static void note_unsupported(void *reasons, const ptx_inst *inst, const char *why) {
    char **reason = &((char **)reasons)[inst->serial];
    if (!*reason) *reason = strdup(why);
}

// What an instruction is refused for, and how many more are for the same reason: loops that were unrolled repeat them.
typedef struct refusal {
    char *key; // the instruction without its operands, and why
    uint32_t line;
    size_t count;
} refusal;

typedef struct refusal_list {
    refusal *items;
    size_t count, total;
} refusal_list;

// Whether it is the first of its kind.
static bool count_refusal(refusal_list *list, uint32_t line, const char *text, const char *why) {
    base_text key = {0};
    base_text_add(&key, "%.*s: %s", (int)strcspn(text, " \n"), text, why);
    list->total++;
    for (size_t i = 0; key.data && i < list->count; i++)
        if (strcmp(list->items[i].key, key.data) == 0) {
            list->items[i].count++;
            base_text_free(&key);
            return false;
        }
    refusal *grown = key.data ? realloc(list->items, (list->count + 1) * sizeof *grown) : NULL;
    if (!grown) {
        base_text_free(&key);
        return true;
    }
    list->items = grown;
    list->items[list->count++] = (refusal){key.data, line, 1};
    return true;
}

static void close_refusals(const char *path, refusal_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        const refusal *r = &list->items[i];
        if (r->count > 1) printf("%s:%u: and %zu more of the same\n", path, r->line, r->count - 1);
        free(r->key);
    }
    free(list->items);
}

// Prints an instruction that is not simulated, one of each kind. The table speaks for functions that no kernel calls.
static void check_inst(const char *path, const ptx_module *module, const ptx_function *f,
                       const ptx_inst *inst, const char *why, refusal_list *refused) {
    enum { COLUMNS = 160 };
    if (!why && ptx_is_simulated(inst, &why)) return;
    base_text text = {0}, source = {0};
    ptx_print_inst(module, f, inst, &text);
    ptx_print_source(module, inst, &source);
    size_t length = text.data ? strcspn(text.data, "\n") : 0;
    if (count_refusal(refused, inst->line, text.data ? text.data : "", why)) {
        bool cut = length > COLUMNS;
        printf("%s:%u: %.*s%s\n    %s; in %s", path, inst->line, (int)(cut ? COLUMNS : length),
               text.data ? text.data : "", cut ? " ..." : "", why, f->name);
        if (inst->source >= 0 && source.data) printf(", from %s", source.data);
        printf("\n");
    }
    base_text_free(&text);
    base_text_free(&source);
}

static int check_module(const char *path, ptx_module *module) {
    size_t total = 0, kernels = 0;
    refusal_list refused = {0};
    kz_error error;
    for (uint32_t f = 0; f < module->function_count; f++) {
        kernels += module->functions[f]->is_entry && module->functions[f]->has_body;
        total += module->functions[f]->inst_count;
    }
    char **reasons = calloc(total + 1, sizeof *reasons);
    if (!reasons) return cli_fail_with(KZ_NO_MEMORY, "no memory to check %s", path);
    device_gpu gpu;
    kz_status status = device_gpu_load(device_gpu_choose(NULL), &gpu, &error);
    if (!status) status = sim_module_check(module, (int)gpu.sm, note_unsupported, reasons, &error);
    for (uint32_t f = 0; !status && f < module->function_count; f++) {
        const ptx_function *function = module->functions[f];
        for (uint32_t k = 0; k < function->inst_count; k++) {
            const ptx_inst *inst = &function->insts[k];
            check_inst(path, module, function, inst, reasons[inst->serial], &refused);
        }
    }
    for (size_t i = 0; i <= total; i++) free(reasons[i]);
    free(reasons);
    size_t missing = refused.total;
    close_refusals(path, &refused);
    if (!status && !missing) status = workload_check_ptx(path, module->text, &error);
    if (status) return cli_fail(&error);
    if (missing)
        printf("%s: %zu of %zu instructions are not simulated; a kernel that has one cannot be launched on "
               "sim\n",
               path, missing, total);
    else
        printf("%s: all simulated (kernels: %zu, instructions: %zu)\n", path, kernels, total);
    return missing ? CLI_UNSUPPORTED : CLI_OK;
}

static int check(const cli_list *files) {
    int code = CLI_OK;
    for (size_t i = 2; i <= files->count; i++) {
        const char *path = files->items[i - 1];
        ptx_module *module;
        kz_error error;
        bool opened = open_module(path, &module, &error) == KZ_OK;
        int one = opened ? check_module(path, module) : cli_fail(&error);
        if (opened) ptx_module_close(module);
        if (code == CLI_OK || (code == CLI_UNSUPPORTED && one != CLI_OK)) code = one; // a failure says more
    }
    return code;
}

static int print(const char *path) {
    ptx_module *module;
    kz_error error;
    if (open_module(path, &module, &error)) return cli_fail(&error);
    base_text text = {0};
    ptx_print_module(module, &text);
    if (text.data) fwrite(text.data, 1, text.length, stdout);
    bool failed = text.failed;
    base_text_free(&text);
    ptx_module_close(module);
    return failed ? cli_fail_with(KZ_NO_MEMORY, "no memory to print %s", path) : CLI_OK;
}

static int support(void) {
    base_text text = {0};
    ptx_print_support(&text);
    if (text.data) fwrite(text.data, 1, text.length, stdout);
    base_text_free(&text);
    return CLI_OK;
}

static int run(const cli_command *self, int argc, char **argv) {
    cli_list words;
    kz_error error;
    if (cli_parse(self, argc, argv, NULL, &words, &error)) return cli_fail(&error);
    const char *what = words.count ? words.items[0] : "";
    if (strcmp(what, "check") == 0 && words.count >= 2) return check(&words);
    if (strcmp(what, "print") == 0 && words.count == 2) return print(words.items[1]);
    if (strcmp(what, "support") == 0 && words.count == 1) return support();
    const char *const known[] = {"check", "print", "support", NULL};
    for (size_t i = 0; known[i]; i++)
        if (strcmp(what, known[i]) == 0)
            return cli_fail_with(KZ_INVALID, "kz ptx %s: wrong number of files\n%s", what, self->usage);
    const char *near = base_nearest(what, known);
    if (words.count && near)
        return cli_fail_with(KZ_INVALID, "kz ptx has no \"%s\"; did you mean %s?", what, near);
    return cli_fail_with(KZ_INVALID, "kz ptx takes check, print or support\n%s", self->usage);
}

const cli_command cli_command_ptx = {
    .usage = "kz ptx check FILE...\nkz ptx print FILE\nkz ptx support",
    .about =
        "check lists every instruction in PTX files that the simulator does not execute, with its line and\n"
        "the reason; the exit status is 0 where there is none, 8 where there are some, 9 on a syntax error.\n"
        "What no GPU of the kind that is simulated (KZ_GPU) takes is an error: a newer target, a limit, "
        "and,\n"
        "where there is a ptxas, all that it refuses.\n"
        "print shows the file as it was understood. support prints the table of all instructions.",
    .examples = "  nvcc -ptx -O3 -lineinfo my.cu -o my.ptx && kz ptx check my.ptx\n"
                "  kz ptx support > docs/ptx_support.md",
    .run = run,
};
