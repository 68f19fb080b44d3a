// A folder for one grading: what commands and compilers make there goes away with it.
#ifndef COURSE_SCRATCH_H
#define COURSE_SCRATCH_H

#include "course.h"

// A new folder with a copy of the task's files/ and, where `file` (may be NULL) lies in the task's own folder of
// the learner's, of the learner's files beside it: theirs win. The submission is there in any case.
kz_status course_scratch_open(const course_task *task, const char *file, char folder[COURSE_PATH],
                              kz_error *error);
void course_scratch_close(const char *folder); // with all that is in it

#endif
