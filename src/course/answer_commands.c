// Runs the commands of answer files, confined or as the grader's own, and says how they ended. See answer_commands.h.
#include "answer_commands.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "replay.h"
#include "scratch.h"
#include "source_rules.h"
#include "toolchain/toolchain.h"

#define SOLVED "solution: "
enum { OUTPUT = 1 << 20, OUTPUT_SHOWN = 1200, MOST_PROCESSES = 256, LEAST_SPACE = 64 << 10 };
static const uint64_t MOST_MEMORY = UINT64_C(16) << 30; // of a command and all that it starts

// ---- what was printed -----------------------------------------------------------------------------

const course_ran *course_command_ran(const course_answering *g, const char *key) {
    for (size_t i = 0; i < g->ran_count; i++)
        if (strcmp(g->ran[i].key, key) == 0) return &g->ran[i];
    return NULL;
}

static const course_ran *keep_ran(course_answering *g, const char *key, const base_text *output, bool bad) {
    if (g->ran_count == BASE_COUNT(g->ran)) return NULL;
    const char *kept = base_arena_string(g->arena, output->data ? output->data : "", output->length);
    if (!kept) return NULL;
    g->ran[g->ran_count] = (course_ran){.key = key, .output = kept, .bad = bad};
    return &g->ran[g->ran_count++];
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_kz(const char *word) { return strcmp(base_name(word), "kz") == 0; }

// The words with this kz in the place of "kz" at the start.
static kz_status words_of(course_answering *g, const char *text, const char *const **words, size_t *count,
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

static void look_around(const course_answering *g, surroundings *s) {
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

static kz_status run_words(course_answering *g, const char *folder, bool is_learners, const char *key,
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
    course_hidden hidden;
    look_around(g, &around);
    course_hide(g->task, &hidden);
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
                               .hidden = hidden.list,
                               .may_fork = true};
    kz_status status = sandbox_run(&process, result, error);
    if (is_learners) g->verdict->unguarded |= SANDBOX_ALL & ~result->enforced;
    if (key && status == KZ_OK) course_replay_keep(g->job->replay, key, result);
    return status;
}

// Where all commands are the same, each does the same; where one differs, what the others find in the folder may too.
// None where a command reads the learner's file.
static const char *name_commands(course_answering *g, const course_lines *lines) {
    base_text all = {0};
    const char *file = base_name(g->job->file), *kept = NULL;
    for (size_t i = 0; i < g->task->command_count; i++) {
        const course_line *line = course_line_find(lines, g->task->commands[i].name);
        base_text_add(&all, "%s = %s\n", g->task->commands[i].name, line ? line->value : "");
    }
    if (all.data && !all.failed && !strstr(all.data, file))
        kept = base_arena_string(g->arena, all.data, all.length);
    base_text_free(&all);
    return kept;
}

static const char *key_of(course_answering *g, const char *commands, const char *command) {
    base_text key = {0};
    const char *kept = NULL;
    base_text_add(&key, "%s: %s", command, commands);
    if (key.data && !key.failed) kept = base_arena_string(g->arena, key.data, key.length);
    base_text_free(&key);
    return kept;
}

void course_add_output(base_text *text, const base_text *output) {
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

// The first of them is the program by its name alone, for a path may lead to one of the learner's; the second, if it is
// no option, follows it: "echo kz prof" and "sh -c 'echo 1' files/measure.sh" print what somebody wants to hear.
static const char *missing_word(const course_command *command, const char *const *words, size_t count,
                                size_t *place) {
    for (size_t i = 0; command->must && command->must[i]; i++) {
        const char *must = command->must[i];
        bool is_there = has_word(words + 1, count - 1, must);
        if (i == 0) is_there = strcmp(is_kz(words[0]) ? "kz" : words[0], must) == 0;
        if (i == 1 && must[0] != '-') is_there = count > 1 && has_word(words + 1, 1, must);
        *place = i;
        if (!is_there) return must;
    }
    return NULL;
}

static void add_failed(course_answering *g, const course_command *command, const char *summary,
                       const base_text *detail) {
    course_verdict_add(g->verdict, command->name, COURSE_BAD, COURSE_COMMAND_FAILED, command->name, summary,
                       detail->data ? detail->data : "");
    keep_ran(g, command->name, &(base_text){0}, true);
}

// Why a command was stopped, and what may be behind it; NULL where it ended by itself.
static const char *explain_stop(const sandbox_result *result, double seconds, char summary[160]) {
    if (result->timed_out || result->stop == SANDBOX_TIME) {
        snprintf(summary, 160, "stopped after %g s", seconds);
        return "It did not end in its time: does it wait for input, or is the case too large?";
    }
    if (result->stop == SANDBOX_COUNT) {
        snprintf(summary, 160, "stopped: it had more than %d processes at a time", MOST_PROCESSES);
        return "Does it start itself again, or processes in a loop that does not end?";
    }
    if (result->stop == SANDBOX_MEMORY) {
        snprintf(summary, 160, "stopped: it took more than %d GiB of memory", (int)(MOST_MEMORY >> 30));
        return "Is the case too large, or does something grow in a loop that does not end?";
    }
    if (!result->signal) return NULL;
    snprintf(summary, 160, "ended by signal %d: %s", result->signal, strsignal(result->signal));
    return result->signal == SIGXFSZ   ? "It wrote a file of more than 64 MiB, the most that a command may."
           : result->signal == SIGXCPU ? "It took more processor time than it may: is the case too large?"
           : result->signal == SIGSYS  ? "It asked the system for something that no command may do here."
                                       : "The program itself failed, or somebody ended it.";
}

// Whether a command that failed found no space for its files: nobody's fault but the machine's.
static bool is_disk_full(const char *folder, const sandbox_result *result) {
    struct statvfs disk;
    if (result->output.data && strstr(result->output.data, strerror(ENOSPC))) return true;
    return statvfs(folder, &disk) == 0 && (uint64_t)disk.f_bavail * disk.f_frsize < LEAST_SPACE;
}

// How the learner's command ended, as a row.
static void add_ended(course_answering *g, const course_command *command, const char *line, double seconds,
                      const sandbox_result *result) {
    base_text detail = {0};
    char summary[160];
    const char *why = explain_stop(result, seconds, summary);
    bool good = !why && result->exit_code == command->exit_code;
    if (!why)
        snprintf(summary, sizeof summary, good ? "exit code %d" : "exit code %d, and %d was wanted",
                 result->exit_code, command->exit_code);
    if (!good) {
        base_text_add(&detail, "The command was: %s\n", line);
        if (why) base_text_add(&detail, "%s\n", why);
        course_add_output(&detail, &result->output);
        base_text_add(&detail, "Run it by hand in the task's folder until it does what is asked.\n");
        add_failed(g, command, summary, &detail);
    } else {
        course_verdict_add(g->verdict, command->name, COURSE_RIGHT, COURSE_PASSED, NULL, summary, "");
        keep_ran(g, command->name, &result->output, false);
    }
    base_text_free(&detail);
}

kz_status course_command_grade(course_answering *g, const course_command *command) {
    const char *line = course_line_find(&g->lines, command->name)->value;
    const char *const *words, *const *own;
    size_t count;
    kz_error error = {0};
    base_text detail = {0};
    kz_status status = course_split_command(g->arena, line, &own, &count, &error);
    if (status == KZ_OK) status = words_of(g, line, &words, &count, &error);
    if (status == KZ_NO_MEMORY) return *g->error = error, status;
    size_t place = 0;
    kz_status full = KZ_OK;
    const char *missing = status == KZ_OK ? missing_word(command, own, count, &place) : NULL;
    if (status) {
        base_text_add(&detail, "The command was: %s\n%s\n", line, error.message);
        add_failed(g, command, "cannot be read", &detail);
    } else if (missing) {
        base_text_add(&detail, "The command was: %s\nIt must %s \"%s\"; the statement says what for.\n", line,
                      place == 0                        ? "begin with"
                      : place == 1 && missing[0] != '-' ? "have as its second word"
                                                        : "contain the word",
                      missing);
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
        } else if (result.exit_code != command->exit_code && is_disk_full(g->folder, &result)) {
            full =
                base_fail(g->error, KZ_IO, "the disk is full: the command \"%s\" could not do its work in %s",
                          command->name, g->folder);
            base_fail_note(g->error,
                           "free some space, or set TMPDIR to a folder on another disk, and try again");
        } else
            add_ended(g, command, line, seconds, &result);
        base_text_free(&result.output);
        base_text_free(&result.answer);
    }
    base_text_free(&detail);
    return full;
}

// ---- the grader's commands ------------------------------------------------------------------------

// One of the course's own: that it does not work is no fault of the learner's. `key` is where its output is kept,
// `replay_key` under which name it was run before.
static kz_status run_ours(course_answering *g, const char *folder, const char *key, const char *replay_key,
                          const char *line, double seconds, int exit_code, const course_ran **found) {
    const char *const *words;
    size_t count;
    sandbox_result result = {0};
    kz_status status = words_of(g, line, &words, &count, g->error);
    if (!status) status = run_words(g, folder, false, replay_key, words, seconds, &result, g->error);
    if (status == KZ_OK && (result.timed_out || result.exit_code != exit_code)) {
        base_text said = {0};
        course_add_output(&said, &result.output);
        status =
            base_fail(g->error, KZ_TOOL, "a command of the task %s itself %s (exit code %d): %s", g->task->id,
                      result.timed_out ? "took too long" : "failed", result.exit_code, line);
        base_fail_note(g->error, "%s", said.data ? said.data : "");
        base_text_free(&said);
    }
    if (status == KZ_OK && !(*found = keep_ran(g, key, &result.output, false)))
        status = base_fail(g->error, KZ_NO_MEMORY, "too many commands in %s", g->task->id);
    base_text_free(&result.output);
    base_text_free(&result.answer);
    return status;
}

kz_status course_command_run_own(course_answering *g, const course_answer *answer, const course_ran **found) {
    *found = course_command_ran(g, answer->run);
    if (*found) return KZ_OK;
    kz_status status = KZ_OK;
    if (!g->own_folder[0]) status = course_scratch_open(g->task, NULL, g->own_folder, NULL, g->error);
    if (status) return status;
    return run_ours(g, g->own_folder, answer->run, key_of(g, "", answer->run), answer->run,
                    g->task->limit_seconds, 0, found);
}

// Whether two command lines are the same words.
static bool same_command(course_answering *g, const course_line *a, const course_line *b) {
    const char *const *words[2];
    size_t count[2];
    if (!a || !b || course_split_command(g->arena, a->value, &words[0], &count[0], NULL) != KZ_OK ||
        course_split_command(g->arena, b->value, &words[1], &count[1], NULL) != KZ_OK || count[0] != count[1])
        return false;
    for (size_t i = 0; i < count[0]; i++)
        if (strcmp(words[0][i], words[1][i]) != 0) return false;
    return true;
}

static kz_status read_solution(course_answering *g, bool has_own_files) {
    char *text = NULL;
    kz_status status = course_task_solution(g->task, &text, g->error);
    if (!status) status = course_lines_read(g->arena, text, &g->solved, g->error);
    free(text);
    g->as_solved = !has_own_files;
    for (size_t i = 0; i < g->task->command_count && !status; i++) {
        const char *name = g->task->commands[i].name;
        const course_line *line = course_line_find(&g->solved, name);
        if (!line)
            status =
                base_fail(g->error, KZ_INVALID, "%s: its solution has no line for \"%s\"", g->task->id, name);
        g->as_solved = g->as_solved && same_command(g, course_line_find(&g->lines, name), line);
    }
    return status;
}

kz_status course_command_run_solved(course_answering *g, const char *name, const course_ran **found) {
    char key[COURSE_NAME + 16];
    snprintf(key, sizeof key, SOLVED "%s", name);
    *found = course_command_ran(g, g->as_solved ? name : key);
    kz_status status = KZ_OK;
    if (!*found && !g->solved_folder[0])
        status = course_scratch_open(g->task, NULL, g->solved_folder, NULL, g->error);
    const char *all = *found ? NULL : name_commands(g, &g->solved);
    while (!status && !*found && g->solved_count < g->task->command_count) {
        const course_command *command = &g->task->commands[g->solved_count++];
        const course_ran *one;
        snprintf(key, sizeof key, SOLVED "%s", command->name);
        const char *kept = base_arena_string(g->arena, key, strlen(key));
        if (!kept) return base_fail(g->error, KZ_NO_MEMORY, "no memory for a command");
        status = run_ours(g, g->solved_folder, kept, all ? key_of(g, all, command->name) : NULL,
                          course_line_find(&g->solved, command->name)->value, command->seconds,
                          command->exit_code, &one);
        if (!status && strcmp(command->name, name) == 0) *found = one;
    }
    return status;
}

bool course_command_is_solved(const course_ran *from) {
    return strncmp(from->key, SOLVED, strlen(SOLVED)) == 0;
}

kz_status course_commands_open(course_answering *g) {
    bool has_own_files = false;
    g->commands = name_commands(g, &g->lines);
    kz_status status = course_scratch_open(g->task, g->job->file, g->folder, &has_own_files, g->error);
    return status ? status : read_solution(g, has_own_files);
}

void course_commands_close(course_answering *g) {
    course_scratch_close(g->folder);
    course_scratch_close(g->own_folder);
    course_scratch_close(g->solved_folder);
}
