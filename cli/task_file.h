// A learner's file on the command line of kz run, prof, sanitize and debug: which task it is for, and whether these
// verbs can look into it. Kernels run inside kz; programs get the grader's harness around them.
#ifndef CLI_TASK_FILE_H
#define CLI_TASK_FILE_H

#include "course/inspect.h"
#include "program.h"

enum { CLI_TASK_FILE_SECONDS = 60 }; // for one run of a kernel, where --timeout says nothing

typedef enum cli_task_words {
    CLI_TASK_SILENT,
    CLI_TASK_WRONG,
    CLI_TASK_ANY
} cli_task_words; // about the answer

typedef struct cli_task_file {
    course_catalogue *catalogue;
    const course_task *task; // kind cuda; NULL: the file is for none
    const char *file;
} cli_task_file;

// One .cu, .c or .txt file without a main of its own: a learner's, or nothing that can be run.
bool cli_task_file_may_be(const cli_program_words *words);
// Whether `file` is for a task: `id` (of --task; may be NULL) says so, or a line "// kz: task ID" or its folder does
// and it has no main of its own. Tasks that `verb` cannot look into are errors that say what can. Close it in any case.
kz_status cli_task_file_open(const char *verb, const char *file, const char *id, cli_task_file *found,
                             kz_error *error);
void cli_task_file_close(cli_task_file *found);

// The error for a .cu file that has no main and is for no task.
kz_status cli_task_file_fail(const char *verb, const char *file, kz_error *error);

// The case that --case says, or that `choose` takes where `text` is NULL.
kz_status cli_task_file_case(const course_task *task, const char *text,
                             kz_status (*choose)(const course_task *, course_case *, kz_error *),
                             course_case *c, kz_error *error);

// Runs a task of form program on one case: `program` has all but files and what stands around them. Whether the
// answer is right is told on stderr as far as `words` says.
kz_status cli_task_file_run(const cli_task_file *found, const course_case *c, const cli_program *program,
                            cli_task_words words, cli_program_result *result, kz_error *error);
// The words on stderr about an answer that is wrong.
void cli_task_file_tell(const cli_task_file *found, const course_case *c, const kz_error *wrong);

#endif
