// What the words of `kz prof` mean; see prof_run.h.
//
// A word that ends in .jsonl is a record. A .cu file with a main, or an
// executable, is a program; with
// --family a .cu or .ptx file is a guest; a .cu file without a main that is for a
// task of the course, or any with --task, is a learner's; everything else names a
// kernel of the zoo. A second word of the same kind is what the first is compared with; other
// words after a program are its arguments.
#include <stdlib.h>
#include <string.h>

#include "prof_run.h"

static bool ends_with(const char *text, const char *suffix) {
    size_t n = strlen(text), m = strlen(suffix);
    return n >= m && strcmp(text + n - m, suffix) == 0;
}

static bool is_part_of_program(const char *word) { // a source without a main of its own
    static const char *const suffixes[] = {".cu", ".cpp", ".cc", ".c", ".o", ".a"};
    for (size_t i = 0; i < BASE_COUNT(suffixes); i++)
        if (ends_with(word, suffixes[i])) return base_file_exists(word) && !cli_program_is(word);
    return false;
}

static bool is_record(const char *word) { return ends_with(word, ".jsonl"); }

// ---- one target -------------------------------------------------------------------------------------

static kz_status add_target(const prof_choices *o, const char *word, prof_targets *t, kz_error *error) {
    prof_target *target = &t->items[t->count++];
    *target = (prof_target){.files = {.items = {word}, .count = 1}};
    if (is_record(word)) {
        target->kind = PROF_RECORD;
        return KZ_OK;
    }
    if (o->family) {
        target->kind = PROF_GUEST;
        kz_status status = cli_find_family(o->family, &target->family, error);
        return status ? status : cli_open_guest(target->family, word, &target->guest, error);
    }
    kz_status status = cli_task_file_open("prof", word, o->task, &target->task, error);
    if (status) return status;
    if (target->task.task) {
        target->kind = PROF_TASK;
        return KZ_OK;
    }
    if (cli_program_is(word)) {
        target->kind = PROF_PROGRAM;
        return KZ_OK;
    }
    if (ends_with(word, ".cu") || ends_with(word, ".ptx")) return cli_task_file_fail("prof", word, error);
    target->kind = PROF_VARIANT;
    status = cli_find_target(word, &target->family, &target->variant, error);
    if (status && (strchr(word, '/') || base_file_exists(word)))
        base_fail_note(error, "a program must be a .cu file with a main, or an executable");
    return status;
}

// ---- all of them ------------------------------------------------------------------------------------

static bool is_another(const prof_choices *o, const prof_targets *t, const char *word) {
    if (t->count != 1) return t->count == 0;
    switch (t->items[0].kind) {
    case PROF_PROGRAM: return cli_program_is(word);
    case PROF_RECORD: return is_record(word);
    default: return true;
    }
}

static kz_status take_word(const prof_choices *o, const char *word, prof_targets *t, kz_error *error) {
    prof_target *last = t->count ? &t->items[t->count - 1] : NULL;
    if (last && last->kind == PROF_PROGRAM && !t->argument_count && is_part_of_program(word) &&
        last->files.count < CLI_LIST_CAPACITY) {
        last->files.items[last->files.count++] = word;
        return KZ_OK;
    }
    if (!t->argument_count && is_another(o, t, word)) return add_target(o, word, t, error);
    if (last->kind != PROF_PROGRAM) {
        base_fail(error, KZ_INVALID, "one word too many: %s", word);
        base_fail_note(error, "kz prof takes one target, or two that are compared");
        return KZ_INVALID;
    }
    if (t->argument_count + 1 >= CLI_LIST_CAPACITY)
        return base_fail(error, KZ_LIMIT, "more than %d arguments for the program", CLI_LIST_CAPACITY - 1);
    t->arguments[t->argument_count++] = (char *)word;
    return KZ_OK;
}

kz_status prof_run_parse(const cli_command *self, int argc, char **argv, prof_choices *o, prof_targets *t,
                         kz_error *error) {
    cli_list words;
    int own = 1;
    while (own < argc && strcmp(argv[own], "--") != 0) own++;
    kz_status status = cli_parse(self, own, argv, o, &words, error);
    if (status && own == argc) base_fail_note(error, "what is meant for the program goes after --");
    if (status || o->query) return status;
    for (size_t i = 0; i < words.count && !status; i++) status = take_word(o, words.items[i], t, error);
    if (!status && t->count == 0) {
        base_fail(error, KZ_INVALID,
                  "what is to be profiled? a program, a kernel of the zoo, a task's, or a guest");
        base_fail_note(error, "try: kz prof transpose/01_naive, or kz help prof");
        return KZ_INVALID;
    }
    if (!status && t->items[0].kind != PROF_PROGRAM && own + 1 < argc)
        return base_fail(error, KZ_INVALID, "there is no program that could take %s", argv[own + 1]);
    for (int i = own + 1; i < argc && !status; i++) {
        if (t->argument_count + 1 >= CLI_LIST_CAPACITY)
            return base_fail(error, KZ_LIMIT, "more than %d arguments for the program",
                             CLI_LIST_CAPACITY - 1);
        t->arguments[t->argument_count++] = argv[i];
    }
    return status;
}

void prof_targets_close(prof_targets *targets) {
    for (size_t i = 0; i < targets->count; i++) {
        if (targets->items[i].guest) family_guest_close(targets->items[i].guest);
        cli_task_file_close(&targets->items[i].task);
    }
}
