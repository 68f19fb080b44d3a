// Kinds answer and command: the learner's file "name = value", each value against the right one.
//
// A right value is stated by the task, computed from `given`, or found in what a command prints: one of the
// grader's (`run`), or the solution's line for one of the learner's (`command`), for what the learner's own prints is
// the learner's to choose. With a stated value and `command`, it is what the learner's command prints that must have
// this value, and the learner need not write it down. Every answer is a row. A wrong one is told what was asked and,
// where the error is a known one, why it is wrong; never the value.
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "answer_commands.h"
#include "family/expression.h"

enum { MOST_GIVEN = 64 };

// ---- the learner's lines --------------------------------------------------------------------------

static const course_line *line_of(const course_answering *g, const char *name) {
    return course_line_find(&g->lines, name);
}

static bool is_asked(const course_task *task, const char *name) {
    for (size_t i = 0; i < task->answer_count; i++)
        if (strcasecmp(task->answers[i].name, name) == 0) return true;
    for (size_t i = 0; i < task->command_count; i++)
        if (strcasecmp(task->commands[i].name, name) == 0) return true;
    return false;
}

// What is odd about the file as such: names that nobody asks for, lines that say nothing.
static void add_oddities(const course_answering *g, base_text *text) {
    for (size_t i = 0; i < g->lines.count; i++)
        if (!is_asked(g->task, g->lines.items[i].name))
            base_text_add(text, "line %d: nothing here is called \"%s\"; is it misspelt?\n",
                          g->lines.items[i].line, g->lines.items[i].name);
    if (g->lines.stray)
        base_text_add(text, "line %d is not of the form \"name = value\" (a comment begins with #)\n",
                      g->lines.stray);
}

// The row where a line is missing, empty, or there twice; true where it was added.
static bool add_unanswered(course_answering *g, const char *name, const char *question, course_reason reason,
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
    if (!line && !g->said_oddities) add_oddities(g, &detail);
    g->said_oddities |= !line;
    course_verdict_add(g->verdict, name, COURSE_BAD, reason, name, summary, detail.data ? detail.data : "");
    base_text_free(&detail);
    return true;
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
static void add_reason(const course_answering *g, const course_answer *answer, const char *got,
                       base_text *detail) {
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

static void add_judged(course_answering *g, const course_answer *answer, const char *got, const char *from,
                       bool right, bool is_number, bool is_own_output) {
    base_text detail = {0}, summary = {0};
    base_text_add(&summary, right ? "%s" : "%s is not right", got);
    if (!right) {
        if (answer->question) base_text_add(&detail, "Asked: %s\n", answer->question);
        base_text_add(&detail, "%s: %s\n", from, got);
        size_t before = detail.length;
        add_form(answer, got, is_number, &detail);
        if (detail.length == before && is_own_output)
            base_text_add(
                &detail,
                "Your command \"%s\" prints it, but the one that is asked for prints something else: "
                "does yours run the case that the statement names, on the task's own files?\n",
                answer->command);
        else if (detail.length == before)
            add_reason(g, answer, got, &detail);
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
static kz_status found_in(course_answering *g, const course_answer *answer, const course_ran *from,
                          const char **found) {
    *found = NULL;
    if (from->bad) {
        course_verdict_add(g->verdict, answer->name, COURSE_NOT_DONE, COURSE_PASSED, NULL,
                           "not looked at: its command failed", "");
        return KZ_OK;
    }
    kz_status status =
        course_find_group(g->arena, from->output, answer->find ? answer->find : ".*", found, g->error);
    if (status || *found) return status;
    if (!answer->command || course_command_is_solved(from))
        return base_fail(g->error, KZ_TOOL, "the task's own command printed nothing that \"%s\" matches: %s",
                         answer->find, answer->command ? from->key : answer->run);
    base_text detail = {0};
    if (answer->question) base_text_add(&detail, "Asked: %s\n", answer->question);
    base_text_add(&detail, "Nothing in what your command \"%s\" prints tells it.\n", answer->command);
    base_text output = {.data = (char *)(uintptr_t)from->output, .length = strlen(from->output)};
    course_add_output(&detail, &output);
    course_verdict_add(g->verdict, answer->name, COURSE_BAD, COURSE_ANSWER_WRONG, answer->name,
                       "not in the command's output", detail.data ? detail.data : "");
    base_text_free(&detail);
    return KZ_OK;
}

static kz_status grade_answer(course_answering *g, const course_answer *answer) {
    static const course_ran nothing = {.key = "", .output = "", .bad = true};
    bool by_command_alone = answer->command && answer->value;
    if (!by_command_alone && add_unanswered(g, answer->name, answer->question, COURSE_ANSWER_WRONG,
                                            answer->is_number ? "<number>" : "<answer>"))
        return KZ_OK;
    const char *got = by_command_alone ? NULL : line_of(g, answer->name)->value, *wanted = answer->value;
    const char *from = "Your answer";
    const course_ran *source = NULL;
    kz_status status = KZ_OK;
    if (answer->run)
        status = course_command_run_own(g, answer, &source);
    else if (answer->command && !(source = course_command_ran(g, answer->command)))
        source = &nothing;
    if (status) return status;
    const char *printed = NULL; // by the learner's own command
    if (source) {
        const char *found;
        status = found_in(g, answer, source, &found);
        if (status || !found) return status;
        if (by_command_alone)
            got = found, from = "Your command's output says";
        else
            wanted = found;
        if (answer->command && !by_command_alone)
            printed = found, status = course_command_run_solved(g, answer->command, &source);
        if (!status && printed) status = found_in(g, answer, source, &wanted);
    }
    if (status) return status;
    bool is_number = answer->value ? answer->is_number : is_plain_number(wanted);
    double number = 0, values[2] = {0};
    if (answer->value && is_number)
        status = evaluate(g->task, wanted, &number, g->error);
    else if (is_number && course_read_number(wanted, values))
        number = values[0];
    if (status) return status;
    bool right = equals(got, wanted, is_number, number, answer->tolerance);
    bool is_own = !right && printed &&
                  equals(got, printed, is_number, course_read_number(printed, values) ? values[0] : 0,
                         answer->tolerance);
    add_judged(g, answer, got, from, right, is_number, is_own);
    return KZ_OK;
}

kz_status course_grade_answers(const course_grade_job *job, const char *source, course_verdict *verdict,
                               kz_error *error) {
    course_answering g = {.job = job, .task = job->task, .verdict = verdict, .error = error};
    snprintf(verdict->device, sizeof verdict->device, "cpu");
    g.arena = base_arena_open();
    if (!g.arena) return base_fail(error, KZ_NO_MEMORY, "no memory to grade %s", job->file);
    kz_status status = course_lines_read(g.arena, source, &g.lines, error);
    if (status == KZ_OK && g.task->command_count) status = course_commands_open(&g);
    for (size_t i = 0; i < g.task->command_count && status == KZ_OK; i++) {
        const course_command *command = &g.task->commands[i];
        if (!add_unanswered(&g, command->name, NULL, COURSE_COMMAND_FAILED, "<a command>"))
            status = course_command_grade(&g, command);
    }
    for (size_t i = 0; i < g.task->answer_count && status == KZ_OK; i++)
        status = grade_answer(&g, &g.task->answers[i]);
    course_commands_close(&g);
    base_arena_close(g.arena);
    return status;
}
