// What valgrind says of a program that it ran: cachegrind's totals, and the system calls.
#ifndef COURSE_COUNTED_RUN_H
#define COURSE_COUNTED_RUN_H

#include "c_build.h"

// False where a total is missing or there twice: somebody else wrote to the log.
bool course_counted_totals(const base_text *log, course_c_cost *cost);

enum { COURSE_CALL_WORDS = 120 };

// Of the calls that --trace-syscalls shows, the first by which work would not be counted: making code, which may ask valgrind
// to run it natively, copying through the kernel, or any that is not known to be harmless (counted_calls.def). False where there is none.
bool course_uncounted_call(const base_text *log, char words[COURSE_CALL_WORDS]);

#endif
