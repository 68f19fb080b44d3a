// Barriers that not all threads of a block come to, found in a kernel's text.
#ifndef COURSE_BARRIERS_H
#define COURSE_BARRIERS_H

#include "course.h"

typedef struct course_barrier {
    int line;      // of the barrier; 0: there is none
    int branch;    // the line of the branch around it, or
    bool is_after; // of one before it that ends some threads
} course_barrier;

// The first __syncthreads() inside of an if or a loop whose condition depends on threadIdx, or after a return in one of the
// same function, as far as the text tells: by the names that threadIdx was assigned to. `bare` is source without comments (course_bare_source).
course_barrier course_find_barrier(const char *bare);

// A row of the verdict about it; none where there is none, or where the verdict has told of it by its findings.
void course_verdict_add_barrier(course_verdict *verdict, const char *file, const char *source);

#endif
