// After a kata was graded: its schedule; whether today's is done.
#ifndef CLI_KATA_H
#define CLI_KATA_H

#include "course/course.h"
#include "store/store.h"

// To be called after the attempt was recorded, for any task: nothing happens where it is no kata. `says` gets
// one line for people ("This kata is back on 2026-11-18."), "" where there is nothing to say.
kz_status cli_kata_graded(store *progress, const course_task *task, char *says, size_t size, kz_error *error);

// The line for a starter that nobody has touched yet: it is graded, and does not count.
void cli_kata_untouched(char *says, size_t size);

// Whether today's kata was given and was passed today.
bool cli_kata_is_done(store *progress, const char *today);

#endif
