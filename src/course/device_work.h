// Whether a program's results are its kernels' work, by the values that kernels read and wrote (the record's line
// "values").
#ifndef COURSE_DEVICE_WORK_H
#define COURSE_DEVICE_WORK_H

#include "course.h"
#include "report/record/record.h"

// Of the calls in `data`, which the record's run made: kernels must have read what the inputs hold and written what the
// outputs hold, as far as the task's [device] does not say otherwise. A row where they did not; true where it was added.
bool course_check_device_work(course_verdict *verdict, const course_data *data, size_t count,
                              const report_record *record, const char *where);

#endif
