// The rules about a submission's text: forbidden and required patterns, and what it may include; and the text itself.
#ifndef COURSE_SOURCE_RULES_H
#define COURSE_SOURCE_RULES_H

#include "course.h"

// The file's text, malloc'ed, without a byte-order mark. KZ_INVALID where it is no text or no plain file: devices
// and pipes have no end.
kz_status course_read_submission(const char *file, char **source, kz_error *error);
// The text without comments and without what stands between quotes, lines where they were; malloc'ed, NULL without
// memory.
char *course_bare_source(const char *source);
// A row for each rule that is broken. The file is job->file, its text `source`.
kz_status course_check_source(const course_grade_job *job, const char *source, course_verdict *verdict,
                              kz_error *error);

#endif
