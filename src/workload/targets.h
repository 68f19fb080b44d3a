// One workload, or two of one kind that are compared, from words in any order.
#ifndef WORKLOAD_TARGETS_H
#define WORKLOAD_TARGETS_H

#include "workload/workload.h"

enum { WORKLOAD_TARGETS = 2, WORKLOAD_ARGUMENTS = 64 };

typedef struct workload_targets {
    workload items[WORKLOAD_TARGETS];
    size_t count;
    char *arguments[WORKLOAD_ARGUMENTS]; // of a program
    size_t argument_count;
} workload_targets;

// A word after a program is a part of it where it is a source without a main, else an argument. `rest` are arguments
// whatever they look like: what stood after "--". Close them whatever is returned; the words must outlive them.
kz_status workload_targets_open(const workload_request *request, const char *const *words, size_t count,
                                char *const *rest, size_t rest_count, workload_targets *targets,
                                kz_error *error);
void workload_targets_close(workload_targets *targets);

#endif
