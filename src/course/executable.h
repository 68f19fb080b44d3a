// What the compiler made of a C function, looked at before it runs: whether a sanitizer still sees it, and whether
// cachegrind can count it.
#ifndef COURSE_EXECUTABLE_H
#define COURSE_EXECUTABLE_H

#include "course.h"

// A row, and true, where the submission's object reaches beyond its function: it has or uses the sanitizer's own functions,
// which compilers alone insert, or finds functions by name (dlsym); it has code that runs before the harness's first
// (.preinit_array, ifunc); or its functions stand in the place of a library's (malloc, memcpy) for the harness or the
// whole program. `folder` is the one that the program was built in: 0.o is the submission's, 1.o the harness's.
bool course_add_replacing(const course_task *task, const char *folder, const char *executable,
                          course_verdict *verdict);
// The same where it speaks to valgrind, whose requests run code uncounted, or where it could make code that does: memory
// of it can be written and run.
bool course_add_uncountable(const char *executable, course_verdict *verdict);

// Identifiers that the submission may not use, for #pragma GCC poison.
extern const char course_poisoned_names[];

#endif
