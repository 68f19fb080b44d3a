// Grading: what is the same for all kinds. The file is read, its rules are looked at, a device and a fresh seed
// are chosen; then the kind's own part takes over.
//
// Rules look at the source without comments and without the contents of strings, so that neither hides or
// fakes a word. A submission may not include files of the course: the solution is one of them.
#include <ctype.h>
#include <errno.h>
#include <libgen.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "course.h"
#include "family/check.h"

// ---- the source without comments ------------------------------------------------------------------------

// The end of what begins at `at`: a comment, a string, a character, a raw string; `at` itself for code.
static const char *skip_piece(const char *source, const char *at) {
    bool after_word = at > source && (isalnum((unsigned char)at[-1]) || at[-1] == '_');
    if (at[0] == '/' && at[1] == '/') {
        while (*at && *at != '\n') at += at[0] == '\\' && at[1] == '\n' ? 2 : 1; // a spliced line goes on
        return at;
    }
    if (at[0] == '/' && at[1] == '*') {
        const char *end = strstr(at + 2, "*/");
        return end ? end + 2 : at + strlen(at);
    }
    if (at[0] == '"' && at > source && at[-1] == 'R') {
        char close[24];
        size_t length = strcspn(at + 1, "(\n");
        if (length < 17 && at[1 + length] == '(') {
            snprintf(close, sizeof close, ")%.*s\"", (int)length, at + 1);
            const char *end = strstr(at, close);
            return end ? end + strlen(close) : at + strlen(at);
        }
    }
    if (at[0] != '"' && (at[0] != '\'' || after_word)) return at; // 1'000 is a number
    char quote = *at++;
    while (*at && *at != quote && *at != '\n') at += at[0] == '\\' && at[1] ? 2 : 1;
    return at + (*at == quote);
}

// Blanks comments, and with `strings` what stands between quotes; lines stay where they are. Malloc'ed.
static char *strip(const char *source, bool strings) {
    size_t length = strlen(source);
    char *out = malloc(length + 1);
    if (!out) return NULL;
    memcpy(out, source, length + 1);
    for (const char *at = source; *at;) {
        const char *end = skip_piece(source, at);
        if (*at == '/' || strings)
            for (const char *c = at; c < end; c++)
                if (*c != '\n') out[c - source] = ' ';
        at = end > at ? end : at + 1;
    }
    return out;
}

static int line_at(const char *text, const char *at) {
    int line = 1;
    for (; text < at; text++) line += *text == '\n';
    return line;
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// ---- rules ----------------------------------------------------------------------------------------------

static kz_status check_rule(const course_grade_job *job, const course_source_rule *rule, const char *code,
                            course_verdict *verdict, kz_error *error) {
    regex_t regex;
    int failed = regcomp(&regex, rule->pattern, REG_EXTENDED | REG_NEWLINE);
    if (failed) {
        char why[200];
        regerror(failed, &regex, why, sizeof why);
        return base_fail(error, KZ_SYNTAX, "task %s: [[source]] \"%s\" is no extended regular expression: %s",
                         job->task->id, rule->pattern, why);
    }
    regmatch_t match;
    bool found = regexec(&regex, code, 1, &match, 0) == 0;
    regfree(&regex);
    if (found != rule->forbid) return KZ_OK;
    base_text summary = {0}, detail = {0};
    if (found) {
        base_text_add(&summary, "%s:%d: \"%.*s\" is not to be used here", base_name(job->file),
                      line_at(code, code + match.rm_so), (int)(match.rm_eo - match.rm_so),
                      code + match.rm_so);
    } else
        base_text_add(&summary, "%s: there is no \"%s\" in it", base_name(job->file), rule->pattern);
    base_text_add(&detail, "%s\nnext: %s", rule->why ? rule->why : "The exercise asks for it.",
                  found ? "do it without; comments and texts do not count"
                        : "use it; see the statement and the hints");
    course_verdict_add(verdict, "source", COURSE_BAD, COURSE_SOURCE, rule->pattern, summary.data,
                       detail.data);
    base_text_free(&summary);
    base_text_free(&detail);
    return KZ_OK;
}

// The course's own folder: what is above tasks/<topic>/<id> or katas/<id>.
static void course_root(const course_task *task, char root[COURSE_PATH]) {
    char *real = realpath(task->folder, NULL);
    snprintf(root, COURSE_PATH, "%s", real ? real : task->folder);
    free(real);
    for (int up = 0; up < 3; up++) {
        char *slash = strrchr(root, '/');
        if (!slash || slash == root) return;
        *slash = 0;
        const char *folder = base_name(root);
        bool is_list = strcmp(folder, "tasks") == 0 || strcmp(folder, "katas") == 0;
        if (is_list) {
            slash = strrchr(root, '/');
            if (slash && slash != root) *slash = 0;
            return;
        }
    }
}

static bool lies_in(const char *path, const char *folder) {
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && path[length] == '/';
}

// Whether an included name is a file of the course: by where it leads from the submission's folder, or because
// it is called like a solution.
static bool is_course_file(const course_grade_job *job, const char *name) {
    char file[COURSE_PATH], path[2 * COURSE_PATH], root[COURSE_PATH], given[COURSE_PATH + 16];
    if (strncmp(base_name(name), "solution.", 9) == 0 || strcmp(base_name(name), "reference.c") == 0)
        return true;
    snprintf(file, sizeof file, "%s", job->file);
    if (name[0] == '/')
        snprintf(path, sizeof path, "%s", name);
    else
        snprintf(path, sizeof path, "%s/%s", dirname(file), name);
    char *real = realpath(path, NULL);
    course_root(job->task, root);
    snprintf(given, sizeof given, "%s/files", job->task->folder);
    bool is_one = real && lies_in(real, root) && !lies_in(real, given);
    free(real);
    return is_one;
}

static void refuse_include(const course_grade_job *job, int line, const char *what, course_verdict *verdict) {
    char summary[400];
    snprintf(summary, sizeof summary, "%s:%d: %s", base_name(job->file), line, what);
    course_verdict_add(verdict, "source", COURSE_BAD, COURSE_SOURCE, "include", summary,
                       "The course's own files are no part of a submission.\n"
                       "next: write the code into your file; headers of the toolkit and your own are fine");
}

static void check_includes(const course_grade_job *job, const char *code, course_verdict *verdict) {
    for (const char *at = code; *at;) {
        const char *end = at + strcspn(at, "\n"), *word = at + strspn(at, " \t");
        if (*word == '#') {
            word += 1 + strspn(word + 1, " \t");
            bool embeds = strncmp(word, "embed", 5) == 0;
            if (strncmp(word, "include", 7) == 0 || embeds) {
                const char *name = word + (embeds ? 5 : strncmp(word, "include_next", 12) == 0 ? 12 : 7);
                name += strspn(name, " \t");
                char close = *name == '"' ? '"' : '>', text[COURSE_PATH];
                size_t length =
                    *name == '"' || *name == '<' ? strcspn(name + 1, (char[]){close, '\n', 0}) : 0;
                snprintf(text, sizeof text, "%.*s", (int)length, length ? name + 1 : "");
                if (length == 0)
                    refuse_include(job, line_at(code, at), "an #include must name its file", verdict);
                else if (is_course_file(job, text))
                    refuse_include(job, line_at(code, at), "this includes a file of the course", verdict);
                else if (embeds)
                    refuse_include(job, line_at(code, at), "#embed is not taken here", verdict);
            }
        }
        at = end + (*end == '\n');
    }
    const char *binary = strstr(code, ".incbin");
    if (binary) refuse_include(job, line_at(code, binary), ".incbin is not taken here", verdict);
}

static kz_status check_source(const course_grade_job *job, const char *source, course_verdict *verdict,
                              kz_error *error) {
    bool is_code = job->task->kind == COURSE_CUDA || job->task->kind == COURSE_C;
    if (!is_code && job->task->rule_count == 0) return KZ_OK;
    char *code = strip(source, true), *with_strings = strip(source, false);
    kz_status status =
        code && with_strings ? KZ_OK : base_fail(error, KZ_NO_MEMORY, "no memory for %s", job->file);
    if (!status && is_code) check_includes(job, with_strings, verdict);
    for (size_t i = 0; i < job->task->rule_count && !status; i++)
        status = check_rule(job, &job->task->rules[i], code, verdict, error);
    free(code);
    free(with_strings);
    return status;
}

// ---- the device and the seed ----------------------------------------------------------------------------

// A GPU where there is one, else the simulator.
static kz_status choose_device(const course_grade_job *job, char id[32], kz_error *error) {
    kz_device_info infos[16];
    size_t count = 0;
    snprintf(id, 32, "%s", job->task->kind == COURSE_CUDA ? "sim" : "cpu");
    if (job->task->kind != COURSE_CUDA) return KZ_OK;
    if (job->device) {
        snprintf(id, 32, "%.31s", job->device);
        return KZ_OK;
    }
    kz_status status = kz_device_list(infos, BASE_COUNT(infos), &count, error);
    for (size_t i = 0; i < count && i < BASE_COUNT(infos) && !status; i++)
        if (infos[i].kind == KZ_DEVICE_CUDA) {
            memcpy(id, infos[i].id, sizeof infos[i].id);
            return KZ_OK;
        }
    return status;
}

static uint64_t fresh_seed(void) {
    uint32_t seed = 0;
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != (ssize_t)sizeof seed) {
        struct timespec t;
        clock_gettime(CLOCK_REALTIME, &t);
        seed = (uint32_t)t.tv_nsec ^ (uint32_t)t.tv_sec;
    }
    return seed == FAMILY_SEED || seed == 0 ? 1 : seed;
}

// ---- all of it ------------------------------------------------------------------------------------------

static kz_status grade_kind(const course_grade_job *job, const char *source, course_verdict *verdict,
                            kz_error *error) {
    switch (job->task->kind) {
    case COURSE_C: return course_grade_c(job, source, verdict, error);
    case COURSE_CUDA:
        return job->task->form == COURSE_PROGRAM ? course_grade_program(job, source, verdict, error)
                                                 : course_grade_kernel(job, source, verdict, error);
    default: return course_grade_answers(job, source, verdict, error);
    }
}

kz_status course_grade(const course_grade_job *job, course_verdict *verdict, kz_error *error) {
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    *verdict = (course_verdict){.arena = base_arena_open(),
                                .task = job->task,
                                .reason_detail = "",
                                .passed = true,
                                .public_seed = FAMILY_SEED,
                                .fresh_seed = job->fresh_seed ? job->fresh_seed : fresh_seed()};
    if (!verdict->arena) return base_fail(error, KZ_NO_MEMORY, "no memory for a verdict");
    char *source = NULL, *path = realpath(job->file, NULL);
    if (!path) {
        verdict->passed = false;
        return base_fail(error, errno == ENOENT ? KZ_NOT_FOUND : KZ_IO, "cannot open %s: %s", job->file,
                         strerror(errno));
    }
    snprintf(verdict->file, sizeof verdict->file, "%s", path);
    free(path);
    size_t size;
    char device[sizeof verdict->device];
    course_grade_job own = *job;
    own.file = verdict->file;
    kz_status status = base_file_read(own.file, &source, &size, error);
    if (!status && strlen(source) != size)
        status = base_fail(error, KZ_INVALID, "%s is no text: it holds a zero byte", own.file);
    if (!status) status = choose_device(&own, verdict->device, error);
    snprintf(device, sizeof device, "%s", verdict->device); // the kinds may say it more precisely
    own.device = device;
    own.fresh_seed = verdict->fresh_seed;
    if (!status) status = check_source(&own, source, verdict, error);
    if (!status && verdict->passed) status = grade_kind(&own, source, verdict, error);
    free(source);
    clock_gettime(CLOCK_MONOTONIC, &to);
    verdict->seconds = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
    if (status) verdict->passed = false;
    // A verdict without a single check that went well is no pass.
    bool any = false;
    for (size_t i = 0; i < verdict->check_count; i++) any = any || verdict->checks[i].outcome == COURSE_RIGHT;
    if (!any) verdict->passed = false;
    return status;
}
