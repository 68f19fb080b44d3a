// The right answer, inside: a task's reference as a loaded function. reference.c makes it, data.c calls it.
#ifndef COURSE_REFERENCE_H
#define COURSE_REFERENCE_H

#include "course.h"

// One array per parameter, by its index; NULL where the parameter has none.
typedef struct course_reference_call {
    double *inputs[COURSE_PARAMETERS];   // inputs and inouts
    double *expected[COURSE_PARAMETERS]; // outputs; an inout's holds what went in
    double *bounds[COURSE_PARAMETERS];   // of outputs and inouts; negative: the exact result, rounded once
    int64_t counts[COURSE_PARAMETERS];
    int64_t whole[COURSE_PARAMETERS]; // scalars, both ways
    double real[COURSE_PARAMETERS];
    uint64_t seed;
} course_reference_call;

void course_reference_run(const course_reference *reference, const course_reference_call *call);
bool course_reference_has_inputs(const course_reference *reference);
void course_reference_inputs(const course_reference *reference, const course_reference_call *call);

#endif
