// Metrics of kernels: what the record of a run on the simulator says about them, for gates.
#ifndef COURSE_GATES_H
#define COURSE_GATES_H

#include "course.h"
#include "report/record/record.h"

// What a metric's value is, and where most of it comes from.
typedef struct course_metric_value {
    bool known;
    double value;
    char file[COURSE_PATH]; // the source line that costs most; "" where the record does not say
    uint32_t line;
    double share; // of the whole, where the line is known
    double mean;  // of sectors: for each request; 0 where there is none
} course_metric_value;

// Over all kernels of the record. `registers` (0: not known) is what ptxas allots, for `registers` and
// `occupancy`; the record says the GPU. False where there is no such metric of kernels.
bool course_metric_of_record(const report_record *record, const char *metric, uint32_t registers,
                             course_metric_value *value);
// By what it was counted, and where: "by the simulator; most of it at f.cu:7 (90%)".
void course_metric_counted(const course_metric_value *value, base_text *out);

#endif
