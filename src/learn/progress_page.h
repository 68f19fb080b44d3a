// What a learner's pages show, gathered from their progress and the course.
#ifndef LEARN_PROGRESS_PAGE_H
#define LEARN_PROGRESS_PAGE_H

#include "course/course.h"
#include "learn/learn.h"
#include "learn/learner.h"
#include "report/learner/learner.h"

// Everything that the verbs of a learner need: their learner in the course, and what is known of every task.
typedef struct learn_desk {
    learn learner;
    const char *folder; // of `learner`, as are these two
    store *progress;
    course_catalogue *course;
    store_task *tasks; // all that were ever touched
    size_t task_count;
    char today[STORE_DAY];
} learn_desk;

// Says on stderr where a broken progress file was put. Close it whatever is returned.
kz_status learn_desk_open(learn_desk *desk, kz_error *error);
void learn_desk_close(learn_desk *desk);
const store_task *learn_desk_task(const learn_desk *desk, const char *id); // NULL: never touched
bool learn_desk_passed(const learn_desk *desk, const char *id);

// What kz learn opens: where the learner is, or the next that is not passed. NULL: everything is passed.
const course_task *learn_desk_next(const learn_desk *desk);

// Fills the page; its texts live in the arena, or as long as the desk is open.
kz_status learn_progress_gather(const learn_desk *desk, base_arena *arena, report_learner *page,
                                kz_error *error);
// The name and the introduction at the head of the portfolio; NULL leaves what was said before, "" takes it away.
enum { LEARN_WORDS = 4000 };
kz_status learn_portfolio_say(const learn_desk *desk, const char *name, const char *introduction,
                              kz_error *error);
kz_status learn_portfolio_gather(const learn_desk *desk, base_arena *arena, report_portfolio *page,
                                 kz_error *error);

#endif
