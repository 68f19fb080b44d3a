// Commands of answer files: the learner's, the solution's of the same name, and the grader's own. Each is run at most
// once in a grading, and what it printed is kept.
#ifndef COURSE_ANSWER_COMMANDS_H
#define COURSE_ANSWER_COMMANDS_H

#include "answer.h"

// What one command printed; `bad` where the learner's failed, and nothing can be found in it.
typedef struct course_ran {
    const char
        *key; // the learner's command's name, "solution: " and that name, or the grader's command itself
    const char *output;
    bool bad;
} course_ran;

typedef struct course_answering {
    const course_grade_job *job;
    const course_task *task;
    course_verdict *verdict;
    base_arena *arena;
    course_lines lines, solved;   // the learner's, the solution's
    char folder[COURSE_PATH];     // where the learner's commands run
    const char *commands;         // all of the learner's commands, which name what each of them does
    char own_folder[COURSE_PATH]; // where the grader's do: with the task's files alone; "" before the first
    char solved_folder[COURSE_PATH]; // and the solution's, the first `solved_count` of which have run
    size_t solved_count;
    bool as_solved; // the learner's commands are the solution's, and no file of the learner's is beside them
    course_ran ran[COURSE_CHECKS];
    size_t ran_count;
    bool said_oddities; // of the file: once, with the first answer that it lacks
    kz_error *error;
} course_answering;

// Where commands run: folders, and the solution's lines. Close it in any case.
kz_status course_commands_open(course_answering *g);
void course_commands_close(course_answering *g);

// Runs the learner's command, which there is, and adds its row.
kz_status course_command_grade(course_answering *g, const course_command *command);
// What the command of this key printed; NULL where it has not run.
const course_ran *course_command_ran(const course_answering *g, const char *key);
// The grader's own command for this answer.
kz_status course_command_run_own(course_answering *g, const course_answer *answer, const course_ran **found);
// What the command that is asked for prints: the solution's, among the task's files alone. Those before it are run too,
// for one may need what another makes. Where the learner runs the same, it has run already.
kz_status course_command_run_solved(course_answering *g, const char *name, const course_ran **found);
bool course_command_is_solved(const course_ran *from); // it is the solution's

// The last whole lines of what a command said.
void course_add_output(base_text *text, const base_text *output);

#endif
