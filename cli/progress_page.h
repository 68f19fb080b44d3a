// What a learner's pages show, gathered from their progress and the course.
#ifndef CLI_PROGRESS_PAGE_H
#define CLI_PROGRESS_PAGE_H

#include "course/course.h"
#include "learn.h"
#include "learner.h"
#include "report/learner/learner.h"

// Everything that the verbs of a learner need: their place in the course, and what is known of every task.
typedef struct cli_desk {
    learn place;
    const char *folder; // of `place`, as are these two
    store *progress;
    course_catalogue *course;
    store_task *tasks; // all that were ever touched
    size_t task_count;
    char today[STORE_DAY];
} cli_desk;

// Says on stderr where a broken progress file was put. Close it whatever is returned.
kz_status cli_desk_open(cli_desk *desk, kz_error *error);
void cli_desk_close(cli_desk *desk);
const store_task *cli_desk_task(const cli_desk *desk, const char *id); // NULL: never touched
bool cli_desk_passed(const cli_desk *desk, const char *id);

// What kz learn opens: where the learner is, or the next that is not passed. NULL: everything is passed.
const course_task *cli_desk_next(const cli_desk *desk);

// Fills the page; its texts live in the arena, or as long as the desk is open.
kz_status cli_progress_gather(const cli_desk *desk, base_arena *arena, report_learner *page, kz_error *error);

#endif
