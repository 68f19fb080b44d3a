// kz learn new-task, check-task, metrics: what people who write tasks use.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

#include "course/course.h"
#include "learn/learner.h"
#include "report/report.h"

typedef struct author_options {
    cli_shared shared;
    const char *kind;
    bool compile_only;
} author_options;

// ---- where tasks are written -----------------------------------------------------------------------

// $KZ_COURSE, else the course of the checkout that we are in: what was installed is not for writing.
static kz_status source_folder(char folder[COURSE_PATH], kz_error *error) {
    const char *said = getenv("KZ_COURSE");
    if (said && *said) return course_find(folder, error);
    if (base_file_exists("course/order.toml")) {
        snprintf(folder, COURSE_PATH, "course");
        return KZ_OK;
    }
    base_fail(error, KZ_NOT_FOUND, "there is no course to write in: ./course/order.toml is not there");
    base_fail_note(error,
                   "go to the root of a checkout of Kernel Zoo, or set KZ_COURSE to a course's folder");
    return KZ_NOT_FOUND;
}

// ---- new-task -----------------------------------------------------------------------------------

static const struct {
    const char *name;
    course_kind kind;
    course_form form;
} kinds[] = {{"cuda", COURSE_CUDA, COURSE_KERNEL},
             {"program", COURSE_CUDA, COURSE_PROGRAM},
             {"c", COURSE_C, COURSE_KERNEL},
             {"command", COURSE_COMMAND, COURSE_KERNEL},
             {"answer", COURSE_ANSWER, COURSE_KERNEL}};

static int find_kind(const char *name) {
    for (size_t i = 0; i < BASE_COUNT(kinds); i++)
        if (strcmp(kinds[i].name, name) == 0) return (int)i;
    return -1;
}

static bool is_topic(const char *course, const char *topic) {
    char path[COURSE_PATH + 32], *text, quoted[COURSE_NAME + 2];
    size_t size;
    snprintf(path, sizeof path, "%s/order.toml", course);
    if (base_file_read(path, &text, &size, NULL)) return true; // nothing to say
    snprintf(quoted, sizeof quoted, "\"%.60s\"", topic);
    bool found = strstr(text, quoted) != NULL;
    free(text);
    return found;
}

static int new_task(const author_options *options, const cli_list *words) {
    char course[COURSE_PATH], topic_folder[COURSE_PATH + 2 * COURSE_NAME],
        folder[COURSE_PATH + 4 * COURSE_NAME];
    kz_error error = {0};
    int kind = find_kind(options->kind ? options->kind : "cuda");
    const char *slash = words->count == 1 ? strchr(words->items[0], '/') : NULL;
    if (!slash || strchr(slash + 1, '/') || slash == words->items[0])
        return cli_fail_with(KZ_INVALID, "kz learn new-task takes TOPIC/ID, such as execution/vector-add, or "
                                         "katas/kata-ID");
    if (kind < 0)
        return cli_fail_with(KZ_INVALID, "--kind is cuda, program, c, command or answer, not \"%s\"",
                             options->kind);
    if (source_folder(course, &error)) return cli_fail(&error);
    char topic[COURSE_NAME];
    snprintf(topic, sizeof topic, "%.*s", (int)(slash - words->items[0]), words->items[0]);
    bool is_kata = strcmp(topic, "katas") == 0;
    snprintf(topic_folder, sizeof topic_folder, "%s/%s%s", course, is_kata ? "" : "tasks/", topic);
    snprintf(folder, sizeof folder, "%s/%.100s", topic_folder, slash + 1);
    if (course_new_task(folder, kinds[kind].kind, kinds[kind].form, &error)) return cli_fail(&error);
    if (!is_kata && course_list_task(topic_folder, slash + 1, &error)) return cli_fail(&error);
    printf("%s is made: it compiles, its solution passes and its wrong files fail.\n"
           "  edit   task.toml, statement.md, solution, hints.md, after.md%s\n"
           "  prove  kz learn check-task %s\n",
           folder, kinds[kind].kind == COURSE_CUDA || kinds[kind].kind == COURSE_C ? ", wrong/" : "", folder);
    if (!is_kata && !is_topic(course, topic))
        printf("  note   the topic %s is not in %s/order.toml yet: add it there\n", topic, course);
    return CLI_OK;
}

// ---- check-task ---------------------------------------------------------------------------------

// A folder as such, or the id of a task in the source course or the one that came with kz.
static kz_status find_folder(const char *word, base_arena *arena, course_task *task, kz_error *error) {
    char path[COURSE_PATH + 16], course[COURSE_PATH];
    snprintf(path, sizeof path, "%.1000s/task.toml", word);
    if (strchr(word, '/') || base_file_exists(path)) return course_task_load(arena, word, task, error);
    course_catalogue *catalogue;
    kz_error unused;
    kz_status status = source_folder(course, &unused) ? course_find(course, error) : KZ_OK;
    if (!status) status = course_open(course, &catalogue, error);
    if (status) return status;
    const course_task *found = course_find_task(catalogue, word);
    status = found ? course_task_load(arena, found->folder, task, error)
                   : course_fail_task(catalogue, word, error);
    course_close(catalogue);
    return status;
}

// The kernels of many tasks, into the cache: tests of the whole course do this first.
static int compile_tasks(const cli_list *words) {
    kz_error error = {0};
    base_arena *arena = base_arena_open();
    course_task *tasks = calloc(words->count + 1, sizeof *tasks);
    kz_status status = arena && tasks ? KZ_OK : base_fail(&error, KZ_NO_MEMORY, "no memory for tasks");
    for (size_t i = 0; i < words->count && !status; i++)
        status = find_folder(words->items[i], arena, &tasks[i], &error);
    if (!status) course_compile_tasks(tasks, words->count);
    free(tasks);
    base_arena_close(arena);
    return status ? cli_fail(&error) : CLI_OK;
}

static int check_task(const author_options *options, const cli_list *words) {
    char kz[LEARN_PATH];
    kz_error error = {0};
    if (options->compile_only) return compile_tasks(words);
    if (words->count != 1)
        return cli_fail_with(KZ_INVALID, "kz learn check-task takes one folder of a task, or a task's id");
    base_arena *arena = base_arena_open();
    course_task task;
    base_text report = {0};
    const char *device = NULL;
    cli_catch_interrupts();
    kz_status status = arena ? find_folder(words->items[0], arena, &task, &error)
                             : base_fail(&error, KZ_NO_MEMORY, "no memory for a task");
    if (!status) status = course_lint_task(&task, &error);
    if (!status) status = cli_one_device(&options->shared, "learn check-task", &device, &error);
    if (!status) status = base_self_path(kz, &error);
    if (!status) status = course_prove_task(&task, kz, device, &report, &error);
    if (report.data) printf("%s", report.data);
    base_text_free(&report);
    base_arena_close(arena);
    return status ? cli_fail(&error) : CLI_OK;
}

// ---- metrics ------------------------------------------------------------------------------------

static int metrics(void) {
    static const report_column columns[] = {{.title = "metric"},
                                            {.title = "unit"},
                                            {.title = "better"},
                                            {.title = "what it counts", .shrink = true}};
    size_t count;
    const course_metric *all = course_metrics(&count);
    report_style style = report_detect_style(stdout);
    report_table *table = report_table_open(columns, BASE_COUNT(columns));
    if (!table) return cli_fail_with(KZ_NO_MEMORY, "no memory for a table");
    for (size_t i = 0; i < count; i++) {
        report_table_add(table, REPORT_PLAIN, "%s", all[i].name);
        report_table_add(table, REPORT_DIM, "%s", *all[i].unit ? all[i].unit : "part");
        report_table_add(table, REPORT_DIM, "%s", all[i].larger_is_better ? "larger" : "smaller");
        report_table_add(table, REPORT_PLAIN, "%s", all[i].text);
    }
    report_table_print(table, stdout, &style, true);
    report_table_close(table);
    return CLI_OK;
}

// ---- which of them ----------------------------------------------------------------------------------

static const cli_option options_table[] = {
    {"kind", CLI_TEXT, offsetof(author_options, kind), "KIND", "new-task: cuda, program, c, command, answer"},
    CLI_DEVICES("check-task: where to prove it (sim)"),
    {"compile-only", CLI_FLAG, offsetof(author_options, compile_only), NULL,
     "check-task: compile the kernels of these tasks for later proofs, in a few runs of nvcc"},
    {0},
};

int cli_learn_author(int argc, char **argv) {
    static const cli_command parser = {.options = options_table};
    author_options options = {0};
    cli_list words;
    kz_error error = {0};
    const char *verb = argv[0];
    char learn[] = "learn"; // what messages tell to ask for help
    argv[0] = learn;
    if (cli_parse(&parser, argc, argv, &options, &words, &error)) return cli_fail(&error);
    if (strcmp(verb, "new-task") == 0) return new_task(&options, &words);
    if (strcmp(verb, "check-task") == 0) return check_task(&options, &words);
    if (strcmp(verb, "metrics") == 0) return metrics();
    return cli_fail_with(KZ_INVALID, "kz learn has no verb \"%s\"\ntry: kz help learn", verb);
}
