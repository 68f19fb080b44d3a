// The rules about a submission's text: forbidden and required patterns, and what it may include.
#ifndef COURSE_SOURCE_RULES_H
#define COURSE_SOURCE_RULES_H

#include "course.h"
#include "toolchain/toolchain.h"

// A row for each rule that is broken. The file is job->file, its text `source`.
kz_status course_check_source(const course_grade_job *job, const char *source, course_verdict *verdict,
                              kz_error *error);

// Its part that looks at includes, in the text (source_includes.c).
kz_status course_check_includes(const course_grade_job *job, const char *source, course_verdict *verdict,
                                kz_error *error);
bool course_lies_in(const char *path, const char *folder);
void course_root_of(const course_task *task, char root[COURSE_PATH]); // the folder of its course
// The folders of a course that hold solutions: a submission, its compiler and its commands do not see them.
typedef struct course_hidden {
    char paths[2][COURSE_PATH + 8];
    const char *list[3];
} course_hidden;
void course_hide(const course_task *task, course_hidden *hidden);
void course_hide_from(const course_task *task, toolchain *tools); // and tools->is_untrusted

// The submission as the preprocessor leaves it, with the flags of one of its builds; `name` says which: see
// source_rules.c. KZ_TOOL and KZ_LIMIT with the compiler's words. c_build.c, grade_program.c.
kz_status course_c_preprocess(const course_task *task, const char *file, const char *sanitize,
                              base_text *text, kz_error *error);
kz_status course_program_preprocess(const course_grade_job *job, bool for_device, bool quick, base_text *text,
                                    kz_error *error);

#endif
