// What commands printed, kept while one task is proven: its solution and most of its wrong files run the same ones.
#ifndef COURSE_REPLAY_H
#define COURSE_REPLAY_H

#include "course.h"

// NULL where there is no memory, which the others take too.
course_replay *course_replay_open(void);
void course_replay_close(course_replay *replay);

// How the command of this key ended; free the result's texts. False where it was not run yet.
bool course_replay_find(const course_replay *replay, const char *key, sandbox_result *result);
void course_replay_keep(course_replay *replay, const char *key, const sandbox_result *result);

#endif
