// A folder for one grading: what commands and compilers make there goes away with it.
#ifndef COURSE_SCRATCH_H
#define COURSE_SCRATCH_H

#include "course.h"

// A new folder with a copy of the task's files/ and, where `file` (may be NULL) lies in the task's own folder of
// the learner's, of the learner's files beside it, but for links that lead out of it: theirs win. The submission is
// there in any case. `has_own_files` (may be NULL): there are others of the learner's, which the task does not have.
kz_status course_scratch_open(const course_task *task, const char *file, char folder[COURSE_PATH],
                              bool *has_own_files, kz_error *error);
void course_scratch_close(const char *folder); // with all that is in it

// Writes a text of the task's own to a file <id>.<extension> whose path depends on the task and the text alone, below
// the cache, beside a copy of the task's files/: graded again, it is not compiled again. KZ_NOT_FOUND without a cache.
kz_status course_scratch_keep(const course_task *task, const char *text, char file[COURSE_PATH],
                              kz_error *error);

#endif
