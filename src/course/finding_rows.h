// The sanitizer's findings as text of a row: shared by kernels and programs.
#ifndef COURSE_FINDING_ROWS_H
#define COURSE_FINDING_ROWS_H

#include "course.h"
#include "report/findings/findings.h"

// Kinds that end a kernel, as against those that only a sanitizer sees.
bool course_finding_is_fault(const char *kind);
// What ended the kernel comes first: what else was seen on the way is often its consequence.
void course_findings_faults_first(report_findings *findings);
// Threads that nothing orders: what comes out is luck, and patterns in it mean nothing.
bool course_finding_is_race(const char *kind);
// Those before others: a race also shows as values that were never written, and the like.
void course_findings_races_first(report_findings *findings);
// Equal values that threads write over each other are a note, for the result is the same. Where blocks do that many times
// for every element, each thread does the work of all: then it is an error. True where there is such a one.
bool course_findings_blame_repeated_work(report_findings *findings);
// As `kz sanitize` prints them, with the source's lines; cut where they are many.
void course_findings_print(const report_findings *findings, base_text *out);

#endif
