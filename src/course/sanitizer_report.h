// What AddressSanitizer, UndefinedBehaviorSanitizer, ThreadSanitizer and LeakSanitizer print, put into words.
#ifndef COURSE_SANITIZER_REPORT_H
#define COURSE_SANITIZER_REPORT_H

#include "course.h"

typedef struct course_report {
    bool is_fault;   // a wild access; else a finding
    char kind[48];   // "heap-buffer-overflow", "race", "undefined", "leak"
    char where[96];  // "vector_add.c:12", of the submission's own lines; "" where none is named
    base_text words; // whole lines
} course_report;

// The first report in `output`; false where there is none. `file` is the submission; `data` (may be NULL) names
// the buffers by their sizes. Free `words`.
bool course_report_read(const char *output, const char *file, const course_data *data, course_report *report);

#endif
