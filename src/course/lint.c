// What a task's folder must have beside its task.toml: a statement with a title, hints, marks, wrong files that say why they fail.
#include "course/catalogue.h"
#include "course/gate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HINTS = 3, WRONG_KERNELS = 3 };

static kz_status check_title(const course_task *task, kz_error *error) {
    char *text;
    kz_status status = course_task_text(task, "statement.md", &text, error);
    if (status) return status;
    size_t length = strlen(task->title);
    bool titled = strncmp(text, "# ", 2) == 0 && strncmp(text + 2, task->title, length) == 0;
    titled = titled && (text[2 + length] == '\n' || text[2 + length] == '\r');
    free(text);
    if (titled) return KZ_OK;
    base_fail(error, KZ_SYNTAX, "%s/statement.md:1: the first line is not the task's title", task->folder);
    base_fail_note(error, "by task.toml it is: # %s", task->title);
    return KZ_SYNTAX;
}

// Who reads the statement knows what is asked: it asks, has a part "Your job", or names every answer.
static kz_status check_questions(const course_task *task, kz_error *error) {
    char *text;
    if (task->kind != COURSE_ANSWER) return KZ_OK;
    kz_status status = course_task_text(task, "statement.md", &text, error);
    if (status) return status;
    bool names_all = task->answer_count > 0;
    for (size_t i = 0; i < task->answer_count; i++) {
        char name[COURSE_NAME + 2];
        snprintf(name, sizeof name, "`%.60s`", task->answers[i].name);
        names_all = names_all && strstr(text, name);
    }
    const char *body = text + strcspn(text, "\n"); // a title asks nothing
    bool asks = names_all || strchr(body, '?') || strstr(body, "## Your job") || strstr(body, "nswer");
    free(text);
    if (asks) return KZ_OK;
    base_fail(error, KZ_SYNTAX, "%s/statement.md does not say what is to be answered", task->folder);
    base_fail_note(error, "add a part \"## Your job\", or name every answer: `%s`, ...",
                   task->answer_count ? task->answers[0].name : "name");
    return KZ_SYNTAX;
}

static kz_status check_hints(const course_task *task, kz_error *error) {
    char *text;
    size_t count = 0;
    kz_status status = course_task_hint(task, 0, &text, &count, error);
    free(text);
    if (status && status != KZ_NOT_FOUND) return status;
    if (count >= HINTS) return KZ_OK;
    base_fail(error, KZ_SYNTAX, "%s/hints.md has %zu hints; three or more are wanted", task->folder, count);
    base_fail_note(error, "each begins with a line \"## ...\", from a nudge to nearly the answer");
    return KZ_SYNTAX;
}

static kz_status check_marks(const course_task *task, kz_error *error) {
    char *starter = NULL, *solution = NULL;
    kz_status status = course_task_starter(task, &starter, error);
    if (!status) status = course_task_solution(task, &solution, error);
    if (!status && strcmp(starter, solution) == 0)
        status = base_fail(error, KZ_SYNTAX, "%s: the starter is the solution: the marks leave nothing out",
                           task->folder);
    free(starter);
    free(solution);
    return status;
}

static kz_status check_reason(const course_task *task, const char *name, kz_error *error) {
    char path[COURSE_NAME * 2], *text;
    snprintf(path, sizeof path, "wrong/%.64s.%s", name, task->extension);
    kz_status status = course_task_text(task, path, &text, error);
    if (status) return status;
    if (strncmp(text, "// fails: ", 10) != 0) {
        status =
            base_fail(error, KZ_SYNTAX, "%s/%s:1: the first line says why it must fail", task->folder, path);
        base_fail_note(error, "such as: // fails: result    (docs/tasks.md has them all)");
    } else if (strncmp(text, "// fails: gate ", 15) == 0) {
        char metric[COURSE_NAME];
        snprintf(metric, sizeof metric, "%.*s", (int)strcspn(text + 15, " \r\n"), text + 15);
        bool is_there =
            course_gate_is_of_all(metric) && (task->form != COURSE_PROGRAM || task->gate_count > 0);
        for (size_t i = 0; i < task->gate_count; i++)
            is_there = is_there || strcmp(task->gates[i].metric, metric) == 0;
        if (!is_there)
            status = base_fail(error, KZ_SYNTAX, "%s/%s:1: the task has no gate on \"%s\"", task->folder,
                               path, metric);
    }
    free(text);
    return status;
}

static kz_status check_wrong(const course_task *task, kz_error *error) {
    char folder[COURSE_PATH], suffix[8];
    course_names names;
    if (task->kind != COURSE_CUDA && task->kind != COURSE_C) return KZ_OK;
    base_arena *arena = base_arena_open();
    if (!arena) return base_fail(error, KZ_NO_MEMORY, "no memory to look at %s", task->folder);
    snprintf(folder, sizeof folder, "%s/wrong", task->folder);
    snprintf(suffix, sizeof suffix, ".%s", task->extension);
    kz_status status = course_list_files(arena, folder, suffix, &names, error);
    size_t wanted = task->kind == COURSE_CUDA ? WRONG_KERNELS : 1;
    if (!status && names.count < wanted)
        status = base_fail(error, KZ_SYNTAX, "%s holds %zu wrong files; %zu or more are wanted", folder,
                           names.count, wanted);
    for (size_t i = 0; i < names.count && !status; i++) status = check_reason(task, names.names[i], error);
    base_arena_close(arena);
    return status;
}

// Only kernels are timed: a program's time is mostly the host's, and no peak is measured for that.
static kz_status check_speed(const course_task *task, kz_error *error) {
    if (!task->speed.given) return KZ_OK;
    if (task->form == COURSE_KERNEL && task->gate_count == 0) {
        base_fail(error, KZ_SYNTAX, "%s/task.toml: [speed] without a [[gate]]: with no GPU nothing is asked",
                  task->folder);
        base_fail_note(error, "gate on the count that makes it fast or slow, such as load_sectors: "
                              "kz learn metrics lists them");
        return KZ_SYNTAX;
    }
    if (task->form == COURSE_KERNEL) return KZ_OK;
    base_fail(error, KZ_SYNTAX, "%s/task.toml: [speed] is for kernels; nothing measures the time of programs",
              task->folder);
    base_fail_note(error, "gate on what the host asks for instead (launches, copied_bytes, overlap, ...): "
                          "kz learn metrics lists them");
    return KZ_SYNTAX;
}

static bool has_limit(const course_task *task, const course_case *at, const char *metric) {
    for (size_t i = 0; i < task->gate_count; i++) {
        const course_gate *g = &task->gates[i];
        if (g->max && strcmp(g->metric, metric) == 0 && (!at || course_gate_same_case(task, &g->at, at)))
            return true;
    }
    return false;
}

// A mean is met by whoever adds accesses, copies or instructions that do nothing, and counts of barriers or atomics by who
// does all of it in one thread. A total is not.
static kz_status check_totals(const course_task *task, kz_error *error) {
    static const char *const means[][2] = {{"lanes_per_instruction", "instructions"},
                                           {"overlap", "copied_bytes"}};
    static const char *const totals[] = {"load_sectors", "store_sectors", "loads", "stores", "instructions"};
    for (size_t i = 0; i < task->gate_count; i++)
        for (size_t k = 0; k < BASE_COUNT(means); k++) {
            const course_gate *g = &task->gates[i];
            if (!g->min || strcmp(g->metric, means[k][0]) != 0 || has_limit(task, &g->at, means[k][1]))
                continue;
            base_fail(error, KZ_SYNTAX, "%s/task.toml: a gate on %s, which is a mean, and none on a total",
                      task->folder, g->metric);
            base_fail_note(error, "add one on %s with a max, on the same case", means[k][1]);
            return KZ_SYNTAX;
        }
    bool any = task->kind != COURSE_CUDA || task->form != COURSE_KERNEL || task->gate_count == 0;
    for (size_t k = 0; k < BASE_COUNT(totals); k++) any = any || has_limit(task, NULL, totals[k]);
    if (any) return KZ_OK;
    base_fail(error, KZ_SYNTAX, "%s/task.toml: no gate limits what the kernel reads, writes or executes",
              task->folder);
    base_fail_note(error, "add one on load_sectors, store_sectors, loads, stores or instructions with a max");
    return KZ_SYNTAX;
}

kz_status course_lint_task(const course_task *task, kz_error *error) {
    kz_status status = check_speed(task, error);
    if (!status) status = check_totals(task, error);
    if (!status) status = check_title(task, error);
    if (!status) status = check_questions(task, error);
    if (!status) status = check_hints(task, error);
    if (!status) status = check_marks(task, error);
    return status ? status : check_wrong(task, error);
}
