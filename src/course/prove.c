// Proving a task: the starter compiles and fails, the solution passes, and each wrong file fails for the reason
// that its first line states.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "course.h"
#include "replay.h"
#include "report/findings/findings.h"
#include "scratch.h"
#include "toolchain/toolchain.h"

enum { TOGETHER = 96 };
enum { PROOF_SEED = 77 }; // in the fresh one's place: a proof that holds today holds tomorrow

typedef struct proof {
    const course_task *task;
    const char *kz, *device;
    base_text *report;
    size_t failed;
    size_t wrong;            // files in wrong/
    struct kernels *kernels; // while they are gathered
    course_replay *replay;
} proof;

// ---- what a wrong file states ---------------------------------------------------------------------------

typedef struct claim {
    char word[COURSE_NAME], detail[COURSE_NAME], quoted[200];
} claim;

// "// fails: gate load_sectors", "// fails: result "last partial""; false where there is no such line.
static bool read_claim(const char *text, claim *c) {
    *c = (claim){0};
    const char *at = text + strspn(text, "/#* \t");
    size_t length = strcspn(at, "\n");
    if (strncmp(at, "fails:", 6) != 0) return false;
    char line[512];
    snprintf(line, sizeof line, "%.*s", (int)(length - 6), at + 6);
    char *quote = strchr(line, '"'), *end = quote ? strchr(quote + 1, '"') : NULL;
    if (quote && end) {
        *end = 0;
        snprintf(c->quoted, sizeof c->quoted, "%.190s", quote + 1);
        *quote = 0;
    }
    return sscanf(line, " %63s %63s", c->word, c->detail) >= 1;
}

static bool begins(const char *text, const char *word) {
    size_t length = strlen(word);
    return length && strncmp(text, word, length) == 0 && (text[length] == 0 || text[length] == '-');
}

// A bad row that is what the claim says. A word that names no reason is a kind of finding or fault.
static bool fits(const claim *c, const course_check *check) {
    if (check->outcome != COURSE_BAD) return false;
    const char *detail = check->reason_detail ? check->reason_detail : "";
    bool by_reason = strcmp(course_reason_name(check->reason), c->word) == 0 &&
                     (!c->detail[0] || begins(detail, c->detail));
    bool is_found = check->reason == COURSE_FINDING || check->reason == COURSE_FAULT;
    char among[COURSE_NAME + 4]; // the row is named by the first finding, and lists the others
    snprintf(among, sizeof among, "[%s]", c->word);
    bool by_kind = is_found && (begins(detail, c->word) || strstr(check->detail, among));
    if (!by_reason && !by_kind) return false;
    return !c->quoted[0] || strstr(check->summary, c->quoted) || strstr(check->detail, c->quoted);
}

static bool is_known(const char *word) {
    for (int r = COURSE_COMPILE; r < COURSE_REASONS; r++)
        if (strcmp(course_reason_name((course_reason)r), word) == 0) return true;
    report_findings kinds = {0};
    bool is_kind = report_findings_choose(&kinds, word, NULL, NULL) == KZ_OK;
    report_findings_close(&kinds);
    return is_kind;
}

static void add_reasons(char *what, size_t size, const char *word) {
    int length = snprintf(what, size, "its first line says \"fails: %s\", and that is no reason (", word);
    for (int r = COURSE_COMPILE; r < COURSE_REASONS && (size_t)length < size; r++)
        length += snprintf(what + length, size - (size_t)length, "%s%s", r > COURSE_COMPILE ? ", " : "",
                           course_reason_name((course_reason)r));
    if ((size_t)length < size)
        snprintf(what + length, size - (size_t)length, ") and no kind of finding (docs/sanitizer.md)");
}

// ---- one grading ----------------------------------------------------------------------------------------

static void add_first_lines(base_text *out, const char *text, int lines) {
    for (const char *at = text; *at && lines-- > 0;) {
        size_t length = strcspn(at, "\n");
        base_text_add(out, "\n        %.*s", (int)length, at);
        at += length + (at[length] == '\n');
    }
}

static void add_verdict(base_text *out, const course_verdict *verdict) {
    for (size_t i = 0; i < verdict->check_count; i++) {
        const course_check *check = &verdict->checks[i];
        if (check->outcome == COURSE_RIGHT) continue;
        base_text_add(out, "\n      %s%s%s: %s", course_reason_name(check->reason),
                      check->reason_detail && check->reason_detail[0] ? " " : "",
                      check->reason_detail ? check->reason_detail : "", check->summary);
        if (check->outcome == COURSE_BAD) add_first_lines(out, check->detail, 12);
    }
}

static void report_result(proof *p, bool holds, const char *name, const char *what,
                          const course_verdict *verdict, const kz_error *error) {
    base_text_add(p->report, "%s %s: %s", holds ? "ok  " : "FAIL", name, what);
    if (!holds) {
        p->failed++;
        if (verdict) add_verdict(p->report, verdict);
        if (error && error->message[0]) add_first_lines(p->report, error->message, 20);
    }
    base_text_add(p->report, "\n");
}

// Grades a text beside the task's files/: in a folder of the cache, so that what is proven again is not compiled
// again, or where there is no cache, in a folder of its own.
static kz_status grade_text(const proof *p, const char *text, course_verdict *verdict, kz_error *error) {
    char folder[COURSE_PATH] = "", file[2 * COURSE_PATH];
    *verdict = (course_verdict){0};
    kz_status status = KZ_OK;
    if (course_scratch_keep(p->task, text, file, NULL) != KZ_OK) {
        status = course_scratch_open(p->task, NULL, folder, NULL, error);
        if (status) return status;
        snprintf(file, sizeof file, "%s/%s.%s", folder, p->task->id, p->task->extension);
        status = base_file_write_scratch(file, text, strlen(text), error);
    }
    const course_grade_job job = {.task = p->task,
                                  .file = file,
                                  .device = p->device,
                                  .kz = p->kz,
                                  .fresh_seed = PROOF_SEED,
                                  .no_time = true,
                                  .replay = p->replay};
    if (!status) status = course_grade(&job, verdict, error);
    course_scratch_close(folder);
    return status;
}

static bool compiled(const course_verdict *verdict) {
    return verdict->reason != COURSE_COMPILE && verdict->reason != COURSE_SIGNATURE &&
           verdict->reason != COURSE_SOURCE;
}

static void prove_starter(proof *p) {
    char *text = NULL;
    kz_error error = {0};
    course_verdict verdict = {0};
    kz_status status = course_task_starter(p->task, &text, &error);
    if (!status) status = grade_text(p, text, &verdict, &error);
    bool code = p->task->kind == COURSE_CUDA || p->task->kind == COURSE_C;
    if (status)
        report_result(p, false, "starter", "it could not be graded", NULL, &error);
    else if (verdict.passed)
        report_result(p, false, "starter", "it passes, and there is nothing left to do", NULL, NULL);
    else if (code && !compiled(&verdict) && verdict.reason != COURSE_SOURCE)
        report_result(p, false, "starter", "it must compile", &verdict, NULL);
    else
        report_result(p, true, "starter", "compiles and does not pass", NULL, NULL);
    course_verdict_close(&verdict);
    free(text);
}

// What must pass: `text` is taken over, or `status` says why there is none.
static void prove_passes(proof *p, const char *name, kz_status status, char *text, kz_error *error) {
    course_verdict verdict = {0};
    if (!status) status = grade_text(p, text, &verdict, error);
    if (status)
        report_result(p, false, name, "it could not be graded", NULL, error);
    else
        report_result(p, verdict.passed, name, verdict.passed ? "passes" : "does not pass", &verdict, NULL);
    course_verdict_close(&verdict);
    free(text);
}

static void prove_solution(proof *p) {
    char *text = NULL;
    kz_error error = {0};
    kz_status status = course_task_solution(p->task, &text, &error);
    prove_passes(p, "solution", status, text, &error);
}

// Another right answer: what keeps a gate from asking for our own idea alone.
static void prove_right(proof *p, const char *name) {
    char path[2 * COURSE_PATH], *text = NULL;
    size_t size;
    kz_error error = {0};
    snprintf(path, sizeof path, "%s/%s", p->task->folder, name);
    kz_status status = base_file_read(path, &text, &size, &error);
    prove_passes(p, name, status, text, &error);
}

static void prove_wrong(proof *p, const char *name) {
    char path[2 * COURSE_PATH], what[600], *text = NULL;
    size_t size;
    claim c;
    kz_error error = {0};
    course_verdict verdict = {0};
    p->wrong++;
    snprintf(path, sizeof path, "%s/%s", p->task->folder, name);
    kz_status status = base_file_read(path, &text, &size, &error);
    if (!status && !read_claim(text, &c))
        status = base_fail(&error, KZ_SYNTAX, "its first line must say why: // fails: result");
    if (!status) status = grade_text(p, text, &verdict, &error);
    bool holds = false;
    for (size_t i = 0; i < verdict.check_count && !status; i++) holds = holds || fits(&c, &verdict.checks[i]);
    if (status)
        snprintf(what, sizeof what, "it could not be graded");
    else if (!is_known(c.word))
        add_reasons(what, sizeof what, c.word);
    else if (verdict.passed)
        snprintf(what, sizeof what, "it passes, and should fail: %s %s", c.word, c.detail);
    else if (holds)
        snprintf(what, sizeof what, "fails: %s%s%s", c.word, c.detail[0] ? " " : "", c.detail);
    else
        snprintf(what, sizeof what, "it fails for another reason than \"%s%s%s\"%s%s%s", c.word,
                 c.detail[0] ? " " : "", c.detail, c.quoted[0] ? ", or without the words \"" : "", c.quoted,
                 c.quoted[0] ? "\"" : "");
    report_result(p, holds, name, what, status ? NULL : &verdict, &error);
    course_verdict_close(&verdict);
    free(text);
}

static int visible(const struct dirent *entry) { return entry->d_name[0] != '.'; }

// Each file of a folder of the task that may be missing.
static void prove_folder(proof *p, const char *which, void (*prove)(proof *p, const char *name)) {
    char folder[COURSE_PATH + 16], name[300];
    snprintf(folder, sizeof folder, "%s/%s", p->task->folder, which);
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, visible, alphasort);
    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%s/%s", which, entries[i]->d_name);
        prove(p, name);
        free(entries[i]);
    }
    free(entries);
}

// ---- kernels, compiled together ---------------------------------------------------------------------------

// The files that gradings will compile, kernels or programs; what is left out is compiled there.
typedef struct kernels {
    char files[TOGETHER][COURSE_PATH];
    size_t count;
    toolchain tools;
} kernels;

static void compile_gathered(kernels *k) {
    const char *sources[TOGETHER];
    for (size_t i = 0; i < k->count; i++) sources[i] = k->files[i];
    toolchain_compile_ptx_together(&k->tools, NULL, sources, k->count);
    k->count = 0;
}

static void add_kernel(const proof *p, const char *text) {
    kernels *k = p->kernels;
    if (k->count == TOGETHER) compile_gathered(k);
    if (course_scratch_keep(p->task, text, k->files[k->count], NULL) == KZ_OK) k->count++;
}

static void add_kernels_of(proof *p, const char *name) {
    char path[2 * COURSE_PATH], *text = NULL;
    size_t size;
    claim c;
    snprintf(path, sizeof path, "%s/%s", p->task->folder, name);
    if (base_file_read(path, &text, &size, NULL)) return;
    if (!read_claim(text, &c) || strcmp(c.word, "compile") != 0) add_kernel(p, text);
    free(text);
}

static bool has_kernels(const course_task *task) {
    return task->kind == COURSE_CUDA && task->form == COURSE_KERNEL;
}

static bool has_programs(const course_task *task) {
    return task->kind == COURSE_CUDA && task->form != COURSE_KERNEL;
}

static void add_kernels(proof *p) {
    char *solution = NULL, *starter = NULL;
    if (course_task_solution(p->task, &solution, NULL) == KZ_OK) add_kernel(p, solution);
    if (course_task_starter(p->task, &starter, NULL) == KZ_OK) add_kernel(p, starter);
    prove_folder(p, "right", add_kernels_of);
    prove_folder(p, "wrong", add_kernels_of);
    free(solution);
    free(starter);
}

void course_compile_tasks(const course_task *tasks, size_t count) {
    kernels *k = calloc(1, sizeof *k);
    if (k && toolchain_find(&k->tools, NULL) == KZ_OK) {
        for (size_t i = 0; i < count; i++)
            if (has_kernels(&tasks[i])) add_kernels(&(proof){.task = &tasks[i], .kernels = k});
        compile_gathered(k);
    }
    free(k);
}

// Whole programs of one task: others have another harness.
static void compile_programs(const course_task *task, const char *device) {
    kernels *k = calloc(1, sizeof *k);
    if (!k) return;
    const char *files[TOGETHER];
    add_kernels(&(proof){.task = task, .kernels = k});
    for (size_t i = 0; i < k->count; i++) files[i] = k->files[i];
    course_compile_programs(task, device, files, k->count);
    free(k);
}

kz_status course_prove_task(const course_task *task, const char *kz, const char *device, base_text *report,
                            kz_error *error) {
    proof p = {.task = task, .kz = kz, .device = device, .report = report, .replay = course_replay_open()};
    if (has_kernels(task)) course_compile_tasks(task, 1);
    if (has_programs(task)) compile_programs(task, device);
    prove_solution(&p);
    prove_starter(&p);
    prove_folder(&p, "right", prove_right);
    prove_folder(&p, "wrong", prove_wrong);
    course_replay_close(p.replay);
    if (has_kernels(task) && p.wrong < 3)
        report_result(&p, false, "wrong/", "a kernel task has three wrong kernels or more", NULL, NULL);
    if (p.failed == 0) return KZ_OK;
    return base_fail(error, KZ_WRONG, "task %s: %zu proof%s not hold", task->id, p.failed,
                     p.failed == 1 ? " does" : "s do");
}
