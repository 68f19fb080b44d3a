// The verdict: rows of checks, and the reason that the first bad one gives.
#include <math.h>
#include <string.h>

#include "course.h"

const char *course_reason_name(course_reason reason) {
    static const char *const names[COURSE_REASONS] = {[COURSE_PASSED] = "passed",
                                                      [COURSE_COMPILE] = "compile",
                                                      [COURSE_SIGNATURE] = "signature",
                                                      [COURSE_SOURCE] = "source",
                                                      [COURSE_FAULT] = "fault",
                                                      [COURSE_TIMEOUT] = "timeout",
                                                      [COURSE_WRONG] = "result",
                                                      [COURSE_INPUT_CHANGED] = "input",
                                                      [COURSE_FINDING] = "finding",
                                                      [COURSE_GATE_MISSED] = "gate",
                                                      [COURSE_SLOW] = "speed",
                                                      [COURSE_ANSWER_WRONG] = "answer",
                                                      [COURSE_COMMAND_FAILED] = "command"};
    return (unsigned)reason < COURSE_REASONS ? names[reason] : "?";
}

// Much of it was printed by the submission: it is shown on terminals and written as JSON.
static const char *keep(course_verdict *verdict, const char *text) {
    base_text clean = {0};
    if (text) base_text_add_clean(&clean, text);
    const char *copy = clean.length ? base_arena_string(verdict->arena, clean.data, clean.length) : "";
    base_text_free(&clean);
    return copy ? copy : "";
}

course_check *course_verdict_add(course_verdict *verdict, const char *name, course_outcome outcome,
                                 course_reason reason, const char *reason_detail, const char *summary,
                                 const char *detail) {
    // The reason is kept even where there is no room for the row: what failed never passes for that.
    if (outcome == COURSE_BAD && verdict->reason == COURSE_PASSED) {
        verdict->reason = reason;
        verdict->reason_detail = verdict->arena ? keep(verdict, reason_detail) : "";
    }
    if (outcome == COURSE_BAD) verdict->passed = false;
    if (!verdict->arena || verdict->check_count == COURSE_CHECKS) return NULL;
    course_check *check = &verdict->checks[verdict->check_count++];
    *check = (course_check){.name = keep(verdict, name),
                            .outcome = outcome,
                            .summary = keep(verdict, summary),
                            .detail = keep(verdict, detail),
                            .value = (double)NAN,
                            .limit = (double)NAN,
                            .reason = outcome == COURSE_BAD ? reason : COURSE_PASSED,
                            .reason_detail = outcome == COURSE_BAD ? keep(verdict, reason_detail) : ""};
    return check;
}

void course_verdict_add_warnings(course_verdict *verdict, const base_text *warnings) {
    enum { MOST = 8 };
    size_t count = 0, shown = 0;
    if (!warnings->length) return;
    // What the learner has not written yet uses nothing: that is no news.
    if (verdict->task && course_task_is_untouched(verdict->task, verdict->file)) return;
    for (const char *line = warnings->data; *line; line += strcspn(line, "\n") + 1) {
        bool begins = *line != ' ' && *line != '\t'; // what it quotes of the source is indented
        if (begins && count++ == MOST) shown = (size_t)(line - warnings->data);
    }
    base_text summary = {0}, detail = {0};
    base_text_add(&summary, "%zu by the compiler%s", count, count > MOST ? ", the first of them:" : "");
    base_text_add_bytes(&detail, warnings->data, count > MOST ? shown : warnings->length);
    course_verdict_add(verdict, "warnings", COURSE_NOT_DONE, COURSE_PASSED, NULL, summary.data, detail.data);
    base_text_free(&summary);
    base_text_free(&detail);
}

void course_verdict_close(course_verdict *verdict) {
    base_arena_close(verdict->arena);
    *verdict = (course_verdict){0};
}
