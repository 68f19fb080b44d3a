// Kinds answer and command: the learner's file "name = value", each value against the right one.
//
// A right value is stated by the task, computed from `given`, or found in what a command prints: one of the
// grader's (`run`), or one of the learner's own (`command`). With a stated value and `command`, it is what
// the command prints that must have this value, and the learner need not write it down. Every answer is a row.
// A wrong one is told what was asked and, where the error is a known one, why it is wrong; never the value.
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "answer.h"
#include "family/expression.h"
#include "replay.h"
#include "scratch.h"
#include "toolchain/toolchain.h"

enum { MOST_GIVEN = 64, OUTPUT = 1 << 20, OUTPUT_SHOWN = 1200, MOST_PROCESSES = 256 };
static const uint64_t MOST_MEMORY = UINT64_C(16) << 30; // of a command and all that it starts

// What one command printed; `bad` where the learner's failed, and nothing can be found in it.
typedef struct ran {
    const char *key; // the learner's command's name, or the grader's command itself
    const char *output;
    bool bad;
} ran;

typedef struct grading {
    const course_grade_job *job;
    const course_task *task;
    course_verdict *verdict;
    base_arena *arena;
    course_lines lines;
    char folder[COURSE_PATH];     // where the learner's commands run
    const char *commands;         // all of the learner's commands, which name what each of them does
    char own_folder[COURSE_PATH]; // where the grader's do: with the task's files alone; "" before the first
    ran ran[COURSE_CHECKS];
    size_t ran_count;
    kz_error *error;
} grading;

// ---- the learner's lines --------------------------------------------------------------------------

static const course_line *line_of(const grading *g, const char *name) {
    for (size_t i = 0; i < g->lines.count; i++)
        if (strcasecmp(g->lines.items[i].name, name) == 0) return &g->lines.items[i];
    return NULL;
}

static bool is_asked(const course_task *task, const char *name) {
    for (size_t i = 0; i < task->answer_count; i++)
        if (strcasecmp(task->answers[i].name, name) == 0) return true;
    for (size_t i = 0; i < task->command_count; i++)
        if (strcasecmp(task->commands[i].name, name) == 0) return true;
    return false;
}

// What is odd about the file as such: names that nobody asks for, lines that say nothing.
static void add_oddities(const grading *g, base_text *text) {
    for (size_t i = 0; i < g->lines.count; i++)
        if (!is_asked(g->task, g->lines.items[i].name))
            base_text_add(text, "line %d: nothing here is called \"%s\"; is it misspelt?\n",
                          g->lines.items[i].line, g->lines.items[i].name);
    if (g->lines.stray)
        base_text_add(text, "line %d is not of the form \"name = value\" (a comment begins with #)\n",
                      g->lines.stray);
}

// The row where a line is missing, empty, or there twice; true where it was added.
static bool add_unanswered(grading *g, const char *name, const char *question, course_reason reason,
                           const char *example) {
    base_text detail = {0};
    const char *summary = NULL;
    const course_line *line = line_of(g, name);
    if (!line)
        summary = "not answered";
    else if (course_line_is_open(line))
        summary = "not answered yet";
    for (size_t i = 0; line && !summary && i < g->lines.count; i++) {
        const course_line *other = &g->lines.items[i];
        if (other == line || strcasecmp(other->name, name) != 0 || strcmp(other->value, line->value) == 0)
            continue;
        summary = "answered twice";
        base_text_add(&detail, "lines %d and %d both say what %s is, and differ: keep one of them.\n",
                      line->line, other->line, name);
    }
    if (!summary) return false;
    if (question) base_text_add(&detail, "Asked: %s\n", question);
    if (!line || course_line_is_open(line))
        base_text_add(&detail, "Write a line \"%s = %s\" into the file.\n", name, example);
    if (!line) add_oddities(g, &detail);
    course_verdict_add(g->verdict, name, COURSE_BAD, reason, name, summary, detail.data ? detail.data : "");
    base_text_free(&detail);
    return true;
}

// ---- commands -------------------------------------------------------------------------------------

static const ran *find_ran(const grading *g, const char *key) {
    for (size_t i = 0; i < g->ran_count; i++)
        if (strcmp(g->ran[i].key, key) == 0) return &g->ran[i];
    return NULL;
}

static const ran *keep_ran(grading *g, const char *key, const base_text *output, bool bad) {
    if (g->ran_count == BASE_COUNT(g->ran)) return NULL;
    const char *kept = base_arena_string(g->arena, output->data ? output->data : "", output->length);
    if (!kept) return NULL;
    g->ran[g->ran_count] = (ran){.key = key, .output = kept, .bad = bad};
    return &g->ran[g->ran_count++];
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_kz(const char *word) { return strcmp(base_name(word), "kz") == 0; }

// The words with this kz in the place of "kz" at the start.
static kz_status words_of(grading *g, const char *text, const char *const **words, size_t *count,
                          kz_error *error) {
    kz_status status = course_split_command(g->arena, text, words, count, error);
    if (status == KZ_OK && *count == 0) status = base_fail(error, KZ_SYNTAX, "there is no command");
    if (status == KZ_OK && is_kz((*words)[0]) && g->job->kz)
        ((const char **)(uintptr_t)*words)[0] = g->job->kz;
    return status;
}

// What a command of the learner's may see: this kz with its data, the CUDA toolkit, and what was compiled before. It
// cannot write to any of them.
typedef struct surroundings {
    char kz[COURSE_PATH], toolkit[TOOLCHAIN_PATH], cache[TOOLCHAIN_PATH], caches[TOOLCHAIN_PATH + 16];
    const char *list[4];
} surroundings;

static void go_up(char *path, int levels) {
    for (int i = 0; i < levels && strrchr(path, '/'); i++) *strrchr(path, '/') = 0;
}

static void look_around(const grading *g, surroundings *s) {
    toolchain tools;
    size_t count = 0;
    toolchain_find(&tools, NULL); // what is found is filled in
    snprintf(s->kz, sizeof s->kz, "%s", g->job->kz ? g->job->kz : "");
    snprintf(s->toolkit, sizeof s->toolkit, "%s", tools.nvcc);
    snprintf(s->cache, sizeof s->cache, "%s", tools.cache);
    go_up(s->kz, 2); // of bin/kz
    go_up(s->toolkit, 2);
    snprintf(s->caches, sizeof s->caches, "XDG_CACHE_HOME=%s", tools.cache);
    go_up(s->caches, 1);
    const char *all[] = {s->kz, s->toolkit, s->cache};
    for (size_t i = 0; i < BASE_COUNT(all); i++)
        if (all[i][0]) s->list[count++] = all[i];
    s->list[count] = NULL;
}

static kz_status run_words(grading *g, const char *folder, bool is_learners, const char *key,
                           const char *const *words, double seconds, sandbox_result *result,
                           kz_error *error) {
    if (key && course_replay_find(g->job->replay, key, result)) return KZ_OK;
    if (g->job->progress) {
        char what[96];
        snprintf(what, sizeof what, "running %.60s %.20s", words[0], words[1] ? words[1] : "");
        g->job->progress(what, g->job->progress_context);
    }
    char path[TOOLCHAIN_PATH];
    if (!toolchain_find_program(words[0], path)) {
        base_fail(error, KZ_TOOL, "there is no program \"%s\" in the PATH", words[0]);
        return KZ_TOOL;
    }
    const char *program = base_arena_string(g->arena, path, strlen(path));
    if (!program) return base_fail(error, KZ_NO_MEMORY, "no memory for a command");
    ((const char **)(uintptr_t)words)[0] = program; // the arena's own list
    char results[COURSE_PATH +
                 32]; // what kz check and bench keep goes with the folder: the learner has not run it
    snprintf(results, sizeof results, "KZ_RESULTS=%s/.results", folder);
    surroundings around;
    look_around(g, &around);
    const char *environment[] = {"NO_COLOR=1", "TERM=dumb", "COLUMNS=120", around.caches, results, NULL};
    sandbox_process process = {.argv = words,
                               .folder = folder,
                               .environment = environment,
                               .seconds = seconds,
                               .output_bytes = OUTPUT,
                               .interrupted = g->job->interrupted,
                               .total_memory = MOST_MEMORY,
                               .processes = MOST_PROCESSES,
                               .is_confined = is_learners,
                               .readable = around.list,
                               .may_fork = true};
    kz_status status = sandbox_run(&process, result, error);
    if (is_learners) g->verdict->unguarded |= SANDBOX_ALL & ~result->enforced;
    if (key && status == KZ_OK) course_replay_keep(g->job->replay, key, result);
    return status;
}

// Where all commands are the same, each does the same; where one differs, what the others find in the folder may too.
// None where a command reads the learner's file.
static const char *name_commands(grading *g) {
    base_text all = {0};
    const char *file = base_name(g->job->file), *kept = NULL;
    for (size_t i = 0; i < g->task->command_count; i++) {
        const course_line *line = line_of(g, g->task->commands[i].name);
        base_text_add(&all, "%s = %s\n", g->task->commands[i].name, line ? line->value : "");
    }
    if (all.data && !all.failed && !strstr(all.data, file))
        kept = base_arena_string(g->arena, all.data, all.length);
    base_text_free(&all);
    return kept;
}

static const char *key_of(grading *g, const char *commands, const char *command) {
    base_text key = {0};
    const char *kept = NULL;
    base_text_add(&key, "%s: %s", command, commands);
    if (key.data && !key.failed) kept = base_arena_string(g->arena, key.data, key.length);
    base_text_free(&key);
    return kept;
}

// The last whole lines of what a command said.
static void add_tail(base_text *text, const base_text *output) {
    const char *at = output->data ? output->data : "";
    if (output->length > OUTPUT_SHOWN) {
        at += output->length - OUTPUT_SHOWN;
        const char *next = strchr(at, '\n');
        if (next && next[1]) at = next + 1;
        base_text_add(text, "It said, at the end:\n");
    } else if (*at)
        base_text_add(text, "It said:\n");
    base_text_add(text, "%s%s", at, *at && at[strlen(at) - 1] != '\n' ? "\n" : "");
}

static bool has_word(const char *const *words, size_t count, const char *wanted) {
    size_t length = strlen(wanted);
    for (size_t i = 0; i < count; i++) {
        const char *word = strncmp(words[i], "./", 2) == 0 ? words[i] + 2 : words[i];
        if (strncmp(word, wanted, length) == 0 && (word[length] == 0 || word[length] == '=')) return true;
    }
    return false;
}

// The first of them is the program: "echo kz prof" prints what somebody wants to hear.
static const char *missing_word(const course_command *command, const char *const *words, size_t count) {
    for (size_t i = 0; command->must && command->must[i]; i++) {
        bool is_there = i == 0 ? strcmp(base_name(words[0]), command->must[0]) == 0
                               : has_word(words + 1, count - 1, command->must[i]);
        if (!is_there) return command->must[i];
    }
    return NULL;
}

static void add_failed(grading *g, const course_command *command, const char *summary,
                       const base_text *detail) {
    course_verdict_add(g->verdict, command->name, COURSE_BAD, COURSE_COMMAND_FAILED, command->name, summary,
                       detail->data ? detail->data : "");
    keep_ran(g, command->name, &(base_text){0}, true);
}

// How the learner's command ended, as a row.
static void add_ended(grading *g, const course_command *command, const char *line, double seconds,
                      const sandbox_result *result) {
    base_text detail = {0};
    char summary[160];
    bool good = !result->timed_out && result->exit_code == command->exit_code;
    if (result->timed_out)
        snprintf(summary, sizeof summary, "stopped after %g s", seconds);
    else
        snprintf(summary, sizeof summary, good ? "exit code %d" : "exit code %d, and %d was wanted",
                 result->exit_code, command->exit_code);
    if (!good) {
        base_text_add(&detail, "The command was: %s\n", line);
        if (result->timed_out)
            base_text_add(&detail,
                          "It did not end within %g seconds: does it wait for input, or is the case too "
                          "large?\n",
                          seconds);
        add_tail(&detail, &result->output);
        base_text_add(&detail, "Run it by hand in the task's folder until it does what is asked.\n");
        add_failed(g, command, summary, &detail);
    } else {
        course_verdict_add(g->verdict, command->name, COURSE_RIGHT, COURSE_PASSED, NULL, summary, "");
        keep_ran(g, command->name, &result->output, false);
    }
    base_text_free(&detail);
}

static kz_status grade_command(grading *g, const course_command *command) {
    if (add_unanswered(g, command->name, NULL, COURSE_COMMAND_FAILED, "<a command>"))
        return keep_ran(g, command->name, &(base_text){0}, true), KZ_OK;
    const char *line = line_of(g, command->name)->value;
    const char *const *words, *const *own;
    size_t count;
    kz_error error = {0};
    base_text detail = {0};
    kz_status status = course_split_command(g->arena, line, &own, &count, &error);
    if (status == KZ_OK) status = words_of(g, line, &words, &count, &error);
    if (status == KZ_NO_MEMORY) return *g->error = error, status;
    const char *missing = status == KZ_OK ? missing_word(command, own, count) : NULL;
    if (status) {
        base_text_add(&detail, "The command was: %s\n%s\n", line, error.message);
        add_failed(g, command, "cannot be read", &detail);
    } else if (missing) {
        base_text_add(&detail, "The command was: %s\nIt must %s \"%s\"; the statement says what for.\n", line,
                      missing == command->must[0] ? "begin with" : "contain the word", missing);
        add_failed(g, command, "not the command that is asked for", &detail);
    } else {
        double seconds = command->seconds > 0 ? command->seconds : g->task->limit_seconds;
        sandbox_result result = {0};
        const char *key = g->commands ? key_of(g, g->commands, command->name) : NULL;
        status = run_words(g, g->folder, true, key, words, seconds, &result, &error);
        if (status) {
            base_text_add(&detail, "The command was: %s\n%s\nIs it installed, and written right?\n", line,
                          error.message);
            add_failed(g, command, "could not be started", &detail);
        } else
            add_ended(g, command, line, seconds, &result);
        base_text_free(&result.output);
        base_text_free(&result.answer);
    }
    base_text_free(&detail);
    return KZ_OK;
}

// The grader's own command: that it does not work is no fault of the learner's.
static kz_status run_own(grading *g, const course_answer *answer, const ran **found) {
    *found = find_ran(g, answer->run);
    if (*found) return KZ_OK;
    const char *const *words;
    size_t count;
    kz_status status = words_of(g, answer->run, &words, &count, g->error);
    if (status) return status;
    sandbox_result result = {0};
    if (!g->own_folder[0]) status = course_scratch_open(g->task, NULL, g->own_folder, g->error);
    if (status) return status;
    status = run_words(g, g->own_folder, false, key_of(g, "", answer->run), words, g->task->limit_seconds,
                       &result, g->error);
    if (status == KZ_OK && (result.timed_out || result.exit_code != 0)) {
        base_text said = {0};
        add_tail(&said, &result.output);
        status = base_fail(g->error, KZ_TOOL, "the task's own command for \"%s\" %s (exit code %d): %s",
                           answer->name, result.timed_out ? "took too long" : "failed", result.exit_code,
                           answer->run);
        base_fail_note(g->error, "%s", said.data ? said.data : "");
        base_text_free(&said);
    }
    if (status == KZ_OK && !(*found = keep_ran(g, answer->run, &result.output, false)))
        status = base_fail(g->error, KZ_NO_MEMORY, "too many commands in %s", g->task->id);
    base_text_free(&result.output);
    base_text_free(&result.answer);
    return status;
}

// ---- values ---------------------------------------------------------------------------------------

static kz_status evaluate(const course_task *task, const char *expression, double *value, kz_error *error) {
    family_name_value names[MOST_GIVEN + 1] = {0};
    for (size_t i = 0; task->given && task->given[i].name && i < MOST_GIVEN; i++)
        names[i] = (family_name_value){task->given[i].name, task->given[i].value};
    const char *at = expression;
    kz_status status = family_evaluate(&at, names, value, error);
    if (status == KZ_OK && at[strspn(at, " \t")])
        status = base_fail(error, KZ_SYNTAX, "expected the end of the expression at \"%s\"", at);
    if (status) base_fail_note(error, "in a value of the task %s: %s", task->id, expression);
    return status;
}

static bool equals(const char *got, const char *wanted, bool is_number, double number, double tolerance) {
    if (!is_number) return course_same_words(got, wanted, tolerance);
    double values[2];
    size_t count = course_read_number(got, values);
    for (size_t i = 0; i < count; i++)
        if (course_same_number(values[i], number, tolerance)) return true;
    return false;
}

static const char *choice_of(const course_answer *answer, const char *got) {
    for (size_t i = 0; answer->choices && answer->choices[i]; i++)
        if (course_same_words(answer->choices[i], got, 0)) return answer->choices[i];
    return NULL;
}

// Why a wrong value is wrong, where the task knows.
static void add_reason(const grading *g, const course_answer *answer, const char *got, base_text *detail) {
    for (size_t i = 0; i < answer->common_count; i++) {
        double number = 0;
        bool is_number = answer->is_number || !answer->value;
        if (is_number && evaluate(g->task, answer->common[i].value, &number, NULL) != KZ_OK)
            is_number = false;
        if (!equals(got, answer->common[i].value, is_number, number, answer->tolerance)) continue;
        base_text_add(detail, "%s\n", answer->common[i].says);
        return;
    }
}

static void add_form(const course_answer *answer, const char *got, bool is_number, base_text *detail) {
    double values[2];
    if (answer->choices && !choice_of(answer, got)) {
        base_text_add(detail, "It must be one of:");
        for (size_t i = 0; answer->choices[i]; i++)
            base_text_add(detail, "%s %s", i ? "," : "", answer->choices[i]);
        base_text_add(detail, ".\n");
    } else if (is_number && course_read_number(got, values) == 0)
        base_text_add(detail,
                      "A number is asked for, such as 12, 0.25, 3/8 or 2^20; a unit may follow it.\n");
}

static void add_judged(grading *g, const course_answer *answer, const char *got, const char *from, bool right,
                       bool is_number) {
    base_text detail = {0}, summary = {0};
    base_text_add(&summary, right ? "%s" : "%s is not right", got);
    if (!right) {
        if (answer->question) base_text_add(&detail, "Asked: %s\n", answer->question);
        base_text_add(&detail, "%s: %s\n", from, got);
        size_t before = detail.length;
        add_form(answer, got, is_number, &detail);
        if (detail.length == before) add_reason(g, answer, got, &detail);
    }
    course_verdict_add(g->verdict, answer->name, right ? COURSE_RIGHT : COURSE_BAD,
                       right ? COURSE_PASSED : COURSE_ANSWER_WRONG, answer->name,
                       summary.data ? summary.data : "", detail.data ? detail.data : "");
    base_text_free(&detail);
    base_text_free(&summary);
}

static bool is_plain_number(const char *text) {
    double values[2];
    return course_read_number(text, values) == 1;
}

// What is found in a command's output; a row and NULL where it is not there.
static kz_status found_in(grading *g, const course_answer *answer, const ran *from, const char **found) {
    *found = NULL;
    if (from->bad) {
        course_verdict_add(g->verdict, answer->name, COURSE_NOT_DONE, COURSE_PASSED, NULL,
                           "not looked at: its command failed", "");
        return KZ_OK;
    }
    kz_status status =
        course_find_group(g->arena, from->output, answer->find ? answer->find : ".*", found, g->error);
    if (status || *found) return status;
    if (!answer->command)
        return base_fail(g->error, KZ_TOOL, "the task's own command printed nothing that \"%s\" matches: %s",
                         answer->find, answer->run);
    base_text detail = {0};
    if (answer->question) base_text_add(&detail, "Asked: %s\n", answer->question);
    base_text_add(&detail, "Nothing in what your command \"%s\" prints tells it.\n", answer->command);
    base_text output = {.data = (char *)(uintptr_t)from->output, .length = strlen(from->output)};
    add_tail(&detail, &output);
    course_verdict_add(g->verdict, answer->name, COURSE_BAD, COURSE_ANSWER_WRONG, answer->name,
                       "not in the command's output", detail.data ? detail.data : "");
    base_text_free(&detail);
    return KZ_OK;
}

static kz_status grade_answer(grading *g, const course_answer *answer) {
    static const ran nothing = {.key = "", .output = "", .bad = true};
    bool by_command_alone = answer->command && answer->value;
    if (!by_command_alone && add_unanswered(g, answer->name, answer->question, COURSE_ANSWER_WRONG,
                                            answer->is_number ? "<number>" : "<answer>"))
        return KZ_OK;
    const char *got = by_command_alone ? NULL : line_of(g, answer->name)->value, *wanted = answer->value;
    const char *from = "Your answer";
    const ran *source = NULL;
    kz_status status = KZ_OK;
    if (answer->run)
        status = run_own(g, answer, &source);
    else if (answer->command && !(source = find_ran(g, answer->command)))
        source = &nothing;
    if (status) return status;
    if (source) {
        const char *found;
        status = found_in(g, answer, source, &found);
        if (status || !found) return status;
        if (by_command_alone)
            got = found, from = "Your command's output says";
        else
            wanted = found;
    }
    bool is_number = answer->value ? answer->is_number : is_plain_number(wanted);
    double number = 0, values[2] = {0};
    if (answer->value && is_number)
        status = evaluate(g->task, wanted, &number, g->error);
    else if (is_number && course_read_number(wanted, values))
        number = values[0];
    if (status) return status;
    add_judged(g, answer, got, from, equals(got, wanted, is_number, number, answer->tolerance), is_number);
    return KZ_OK;
}

kz_status course_grade_answers(const course_grade_job *job, const char *source, course_verdict *verdict,
                               kz_error *error) {
    grading g = {.job = job, .task = job->task, .verdict = verdict, .error = error};
    snprintf(verdict->device, sizeof verdict->device, "cpu");
    g.arena = base_arena_open();
    if (!g.arena) return base_fail(error, KZ_NO_MEMORY, "no memory to grade %s", job->file);
    kz_status status = course_lines_read(g.arena, source, &g.lines, error);
    if (status == KZ_OK && g.task->command_count) g.commands = name_commands(&g);
    if (status == KZ_OK && g.task->command_count)
        status = course_scratch_open(g.task, job->file, g.folder, error);
    for (size_t i = 0; i < g.task->command_count && status == KZ_OK; i++)
        status = grade_command(&g, &g.task->commands[i]);
    for (size_t i = 0; i < g.task->answer_count && status == KZ_OK; i++)
        status = grade_answer(&g, &g.task->answers[i]);
    course_scratch_close(g.folder);
    course_scratch_close(g.own_folder);
    base_arena_close(g.arena);
    return status;
}
