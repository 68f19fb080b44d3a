// The rules about a submission's text. See source_rules.h.
//
// Patterns are tried on what the preprocessor makes of it, once for each way in which it is compiled (with a sanitizer
// and without, for the device and for the host): one truth, that of the compiler. What is the submission's own is told by
// the preprocessor's line markers, which the submission may not write itself.
#include "source_rules.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "preprocessed.h"
#include "source_text.h"
#include "toolchain/toolchain.h"

// One way in which a file is compiled.
typedef struct pass {
    bool for_device, quick; // of CUDA; quick: as nvcc is called first, and may be refused
    const char *sanitize;   // of C
    bool runs;              // what a rule requires must be in it
} pass;

typedef struct rules {
    const course_grade_job *job;
    course_verdict *verdict;
    toolchain tools;
    char folder[COURSE_PATH];     // the submission's, real
    char trusted[3][COURSE_PATH]; // real: the toolkit, kz's headers, the harness
    bool broken[64];              // rules that have a row
} rules;

// ---- whose lines --------------------------------------------------------------------------------------------

static void folder_of(const char *path, int levels, char folder[COURSE_PATH]) {
    snprintf(folder, COURSE_PATH, "%s", path);
    for (int i = 0; i < levels && strrchr(folder, '/'); i++) *strrchr(folder, '/') = 0;
}

static void trust(char folder[COURSE_PATH], const char *path) {
    char *real = path[0] ? realpath(path, NULL) : NULL;
    snprintf(folder, COURSE_PATH, "%s", real ? real : "");
    free(real);
}

static void trust_tools(rules *r) {
    char toolkit[COURSE_PATH], harness[COURSE_PATH + 16];
    folder_of(r->tools.nvcc, 2, toolkit);
    snprintf(harness, sizeof harness, "%s/harness", r->tools.cache);
    trust(r->trusted[0], toolkit);
    trust(r->trusted[1], r->tools.include);
    trust(r->trusted[2], harness);
}

// All but the compiler's, the system's and kz's own.
static bool is_own(const char *path, const void *context) {
    const rules *r = context;
    static const char *const system[] = {"/usr", "/opt", "/lib", "/lib64", "/nix/store", "/gnu/store"};
    if (strcmp(path, r->job->file) == 0) return true;
    for (size_t i = 0; i < BASE_COUNT(r->trusted); i++)
        if (r->trusted[i][0] && course_lies_in(path, r->trusted[i])) return false;
    if (course_lies_in(path, r->folder)) return true;
    for (size_t i = 0; i < BASE_COUNT(system); i++)
        if (course_lies_in(path, system[i])) return false;
    return true;
}

// ---- patterns -----------------------------------------------------------------------------------------------

static bool matches(const regex_t *regex, const base_text *text, regmatch_t *match) {
    return text->length && regexec(regex, text->data, 1, match, 0) == 0;
}

static kz_status compile(const rules *r, const char *pattern, regex_t *regex, kz_error *error) {
    int failed = regcomp(regex, pattern, REG_EXTENDED | REG_NEWLINE);
    if (!failed) return KZ_OK;
    char why[200];
    regerror(failed, regex, why, sizeof why);
    return base_fail(error, KZ_SYNTAX, "task %s: [[source]] \"%s\" is no extended regular expression: %s",
                     r->job->task->id, pattern, why);
}

static void add_broken(rules *r, const char *pattern, const char *summary, const char *why,
                       const char *next) {
    base_text detail = {0};
    base_text_add(&detail, "%s\nnext: %s", why, next);
    course_verdict_add(r->verdict, "source", COURSE_BAD, COURSE_SOURCE, pattern, summary,
                       detail.data ? detail.data : "");
    base_text_free(&detail);
}

static void add_found(rules *r, const course_preprocessed *p, const regmatch_t *match, bool in_pragma,
                      const char *pattern, const char *why, const char *next) {
    base_text summary = {0};
    const char *text = in_pragma ? p->pragmas.data : p->code.data;
    size_t file = 0;
    int line = 0;
    if (!in_pragma) course_preprocessed_locate(p, (size_t)match->rm_so, &file, &line);
    base_text_add(&summary, "%s",
                  base_file_name(in_pragma || !p->file_count ? r->job->file : p->files[file]));
    if (line) base_text_add(&summary, ":%d", line);
    base_text_add(&summary, ": \"%.*s\" is not to be used here", (int)(match->rm_eo - match->rm_so),
                  text + match->rm_so);
    add_broken(r, pattern, summary.data ? summary.data : "", why, next);
    base_text_free(&summary);
}

static kz_status check_rule(rules *r, size_t i, const course_preprocessed *p, bool runs, kz_error *error) {
    const course_source_rule *rule = &r->job->task->rules[i];
    regex_t regex;
    regmatch_t match;
    bool has_row = i < BASE_COUNT(r->broken) && r->broken[i];
    if (has_row || (!rule->forbid && !runs)) return KZ_OK;
    kz_status status = compile(r, rule->pattern, &regex, error);
    if (status) return status;
    bool in_code = matches(&regex, &p->code, &match), found = in_code || matches(&regex, &p->pragmas, &match);
    regfree(&regex);
    if (i < BASE_COUNT(r->broken)) r->broken[i] = found == rule->forbid;
    const char *why = rule->why ? rule->why : "The exercise asks for it.";
    if (found && rule->forbid)
        add_found(r, p, &match, !in_code, rule->pattern, why,
                  "do it without; comments and texts do not count");
    else if (!found && !rule->forbid) {
        char summary[400];
        snprintf(summary, sizeof summary, "%.150s: there is no \"%.150s\" in it",
                 base_file_name(r->job->file), rule->pattern);
        add_broken(r, rule->pattern, summary, why,
                   "use it where it is compiled; see the statement and the hints");
    }
    return KZ_OK;
}

// No pattern sees what an assembler makes of its text.
static kz_status check_asm(rules *r, const course_preprocessed *p, kz_error *error) {
    static const char pattern[] = "\\b(asm|__asm|__asm__)\\b";
    regex_t regex;
    regmatch_t match;
    bool forbids = false;
    for (size_t i = 0; i < r->job->task->rule_count; i++) forbids = forbids || r->job->task->rules[i].forbid;
    kz_status status = forbids ? compile(r, pattern, &regex, error) : KZ_OK;
    if (!forbids || status) return status;
    if (matches(&regex, &p->code, &match))
        add_found(r, p, &match, false, "asm",
                  "This task forbids something, and nobody can see what assembly does.",
                  "write it in the language itself");
    regfree(&regex);
    return KZ_OK;
}

// Line markers are the preprocessor's word on whose lines follow: a file that writes some says what it likes. Asking
// which files there are tells the run that is looked at from the one that is compiled.
static kz_status check_directives(rules *r, const course_preprocessed *p, kz_error *error) {
    kz_status status = KZ_OK;
    for (size_t i = 0; i < p->file_count && !status; i++) {
        char *source = NULL, summary[400];
        kz_error unread = {0};
        status = course_read_submission(p->files[i], &source, &unread);
        int line = status ? 0 : course_find_line_directive(source);
        const char *name = base_file_name(p->files[i]),
                   *asks = status ? NULL : strstr(source, "__has_include");
        if (asks && !line) line = course_line_at(source, asks);
        if (line) {
            snprintf(summary, sizeof summary, "%.200s:%d: %s is not taken here", name, line,
                     asks ? "__has_include" : "a directive that renumbers lines (#line)");
            add_broken(r, "line", summary,
                       "The rules of this task are tried on what the compiler sees of your file.",
                       "leave it out");
        }
        if (status == KZ_INVALID) {
            add_broken(r, "text", unread.message, "All that a submission includes is looked at.",
                       "put the code into your file");
            status = KZ_OK;
        } else if (status && error)
            *error = unread;
        free(source);
    }
    if (p->is_full)
        add_broken(r, "include", "more than 64 files", "All that a submission includes is looked at.",
                   "put the code into fewer headers, or into your file");
    return status;
}

// ---- all of them --------------------------------------------------------------------------------------------

static kz_status preprocess(rules *r, const pass *one, base_text *text, kz_error *error) {
    const course_task *task = r->job->task;
    if (one->sanitize) return course_c_preprocess(task, r->job->file, one->sanitize, text, error);
    if (task->form == COURSE_PROGRAM)
        return course_program_preprocess(r->job, one->for_device, one->quick, text, error);
    char arch[TOOLCHAIN_ARCH];
    kz_status status = toolchain_source_arch(r->job->file, arch, error);
    return status ? status
                  : toolchain_preprocess_kernel(&r->tools, r->job->file, arch, one->quick, text, error);
}

static kz_status check_pass(rules *r, const pass *one, kz_error *error) {
    base_text text = {0};
    course_preprocessed *p = calloc(1, sizeof *p);
    kz_error said = {0};
    kz_status status =
        p ? preprocess(r, one, &text, &said) : base_fail(&said, KZ_NO_MEMORY, "no memory for a rule");
    bool refused = status == KZ_TOOL || status == KZ_INVALID || status == KZ_LIMIT;
    if (refused &&
        !(one->quick && status == KZ_TOOL)) // else nvcc is called once more, without what makes it quick
        course_verdict_add(r->verdict, "compiles", COURSE_BAD, COURSE_COMPILE, NULL,
                           "the compiler refuses it", said.message);
    if (status && !refused && error) *error = said;
    if (!status)
        status = course_preprocessed_read(text.data ? text.data : "", r->job->task->kind == COURSE_CUDA,
                                          is_own, r, p, error);
    else if (refused) {
        base_text_free(&text);
        free(p);
        return KZ_OK;
    }
    if (!status) status = check_directives(r, p, error);
    for (size_t i = 0; i < r->job->task->rule_count && !status; i++)
        status = check_rule(r, i, p, one->runs, error);
    if (!status) status = check_asm(r, p, error);
    if (p) course_preprocessed_close(p);
    free(p);
    base_text_free(&text);
    return status;
}

static kz_status check_code(rules *r, kz_error *error) {
    static const pass of_kernels[] = {{.for_device = true, .runs = true, .quick = true},
                                      {.for_device = true, .runs = true}};
    static const pass of_programs[] = {{.runs = true, .quick = true},
                                       {.runs = true},
                                       {.for_device = true, .quick = true},
                                       {.for_device = true}};
    const course_task *task = r->job->task;
    const pass of_c[] = {{.sanitize = task->build_sanitize, .runs = true},
                         {.sanitize = "none", .runs = true}};
    const pass *passes = task->kind == COURSE_C         ? of_c
                         : task->form == COURSE_PROGRAM ? of_programs
                                                        : of_kernels;
    size_t count = passes == of_programs ? BASE_COUNT(of_programs) : 2;
    bool forbids = false;
    for (size_t i = 0; i < task->rule_count; i++) forbids = forbids || task->rules[i].forbid;
    if (passes == of_programs && !forbids) count = 2; // what is required is required of the host
    if (passes == of_c && strcmp(task->build_sanitize, "none") == 0) count = 1;
    kz_status status = KZ_OK;
    for (size_t i = 0; i < count && !status && r->verdict->passed; i++)
        status = check_pass(r, &passes[i], error);
    return status;
}

// An answer file is no code: its lines as they are.
static kz_status check_text(rules *r, const char *source, kz_error *error) {
    course_preprocessed *p = calloc(1, sizeof *p);
    if (!p) return base_fail(error, KZ_NO_MEMORY, "no memory for a rule");
    base_text_add(&p->code, "%s", source);
    kz_status status = KZ_OK;
    for (size_t i = 0; i < r->job->task->rule_count && !status; i++)
        status = check_rule(r, i, p, true, error);
    course_preprocessed_close(p);
    free(p);
    return status;
}

kz_status course_check_source(const course_grade_job *job, const char *source, course_verdict *verdict,
                              kz_error *error) {
    bool is_code = job->task->kind == COURSE_CUDA || job->task->kind == COURSE_C;
    kz_status status = is_code ? course_check_includes(job, source, verdict, error) : KZ_OK;
    if (status || !verdict->passed || job->task->rule_count == 0) return status;
    rules *r = calloc(1, sizeof *r);
    if (!r) return base_fail(error, KZ_NO_MEMORY, "no memory for %s", job->file);
    r->job = job;
    r->verdict = verdict;
    folder_of(job->file, 1, r->folder);
    kz_error missing = {0};
    bool needs_nvcc = toolchain_find(&r->tools, &missing) != KZ_OK && job->task->kind == COURSE_CUDA;
    course_hide_from(job->task, &r->tools);
    r->tools.interrupted = job->interrupted;
    trust_tools(r);
    if (needs_nvcc) {
        if (error) *error = missing;
        status = missing.status;
    } else
        status = is_code ? check_code(r, error) : check_text(r, source, error);
    free(r);
    return status;
}
