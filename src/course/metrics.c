// The metrics that gates may name, from metrics.def.
#include "course/course.h"

#include <string.h>

static const course_metric metrics[] = {
#define COURSE_METRIC(name, unit, larger, text, page) {#name, unit, text, page, larger},
#include "course/metrics.def"
#undef COURSE_METRIC
};

const course_metric *course_metrics(size_t *count) {
    *count = BASE_COUNT(metrics);
    return metrics;
}

const course_metric *course_find_metric(const char *name) {
    for (size_t i = 0; i < BASE_COUNT(metrics); i++)
        if (strcmp(metrics[i].name, name) == 0) return &metrics[i];
    return NULL;
}
