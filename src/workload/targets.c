// One or two workloads. See targets.h.
#include "workload/targets.h"

#include <string.h>

static bool is_part_of_program(const char *word) { // a source without a main of its own
    return workload_program_is_source(word) && base_file_exists(word) && !workload_program_is(word);
}

static bool is_another(const workload_targets *t, const char *word) {
    if (t->count != 1) return t->count == 0;
    switch (t->items[0].kind) {
    case WORKLOAD_PROGRAM: return workload_program_is(word);
    case WORKLOAD_RECORD: return base_ends_with(word, ".jsonl");
    default: return true;
    }
}

static kz_status add_argument(workload_targets *t, const char *word, kz_error *error) {
    if (t->argument_count + 1 >= WORKLOAD_ARGUMENTS)
        return base_fail(error, KZ_LIMIT, "more than %d arguments for the program", WORKLOAD_ARGUMENTS - 1);
    t->arguments[t->argument_count++] = (char *)(uintptr_t)word;
    return KZ_OK;
}

static kz_status take_word(const workload_request *request, const char *const *word, workload_targets *t,
                           kz_error *error) {
    workload *last = t->count ? &t->items[t->count - 1] : NULL;
    bool after_program = last && last->kind == WORKLOAD_PROGRAM && !t->argument_count;
    if (after_program && is_part_of_program(*word) && last->file_count < WORKLOAD_WORDS) {
        last->files[last->file_count++] = *word;
        return KZ_OK;
    }
    if (!t->argument_count && is_another(t, *word))
        return workload_open(request, word, 1, &t->items[t->count++], error);
    if (last->kind == WORKLOAD_PROGRAM) {
        if (!base_ends_with(*word, ".cu") || base_file_exists(*word)) return add_argument(t, *word, error);
        workload_task_fail_missing(request->command, *word, error);
        base_fail_note(error, "where it is a word for the program, it goes after --");
        return KZ_NOT_FOUND;
    }
    base_fail(error, KZ_INVALID, "one word too many: %s", *word);
    base_fail_note(error, "kz %s takes one target, or two that are compared", request->command);
    return KZ_INVALID;
}

kz_status workload_targets_open(const workload_request *request, const char *const *words, size_t count,
                                char *const *rest, size_t rest_count, workload_targets *t, kz_error *error) {
    *t = (workload_targets){.count = 0};
    kz_status status = KZ_OK;
    for (size_t i = 0; i < count && !status; i++) status = take_word(request, &words[i], t, error);
    if (status) return status;
    if (t->count == 0)
        return workload_open(request, NULL, 0, &t->items[t->count++], error); // it asks what is meant
    if (t->items[0].kind != WORKLOAD_PROGRAM && rest_count)
        return base_fail(error, KZ_INVALID, "there is no program that could take %s", rest[0]);
    for (size_t i = 0; i < rest_count && !status; i++) status = add_argument(t, rest[i], error);
    for (size_t i = 0; i < t->count; i++) {
        t->items[i].arguments = t->arguments;
        t->items[i].argument_count = t->argument_count;
    }
    return status;
}

void workload_targets_close(workload_targets *t) {
    for (size_t i = 0; i < t->count; i++) workload_close(&t->items[i]);
}
