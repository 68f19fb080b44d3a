// Findings of one or many runs, merged, chosen, and written: for people, and as JSON, JUnit and SARIF.
//
// A finding is an object of docs/record.md with three more members: "target" (what was run: a program, a
// variant and its case), "seeds" (the schedules that showed it) and "short" (the kernel's name for people).
#ifndef REPORT_FINDINGS_H
#define REPORT_FINDINGS_H

#include "report/profile/profile.h"
#include "report/record/record.h"
#include "report/report.h"

typedef struct report_findings {
    json_t *items;   // merged, in the order they were first seen
    json_t *targets; // names of all that was run, clean or not
    uint64_t runs, launches;
    json_t *only, *ignore; // arrays of words, or NULL
    json_t *suppressions;  // arrays [kind, location], both globs
    uint64_t suppressed;
    json_t *unchecked; // what was not checked, and why: {"target", "text"}
} report_findings;

bool report_findings_open(report_findings *findings); // false when out of memory
void report_findings_close(report_findings *findings);
// "race,undefined": kinds, or what their names begin with. KZ_INVALID names a word that is none.
kz_status report_findings_choose(report_findings *findings, const char *only, const char *ignore,
                                 kz_error *error);
// Lines "KIND FILE:LINE", both globs; what follows a # is a comment.
kz_status report_findings_suppress(report_findings *findings, const char *path, kz_error *error);

// All findings of a record that are wanted.
void report_findings_add(report_findings *findings, const report_record *record, const char *target,
                         uint64_t seed);
void report_findings_add_one(report_findings *findings, const json_t *finding, const char *target,
                             uint64_t seed);
// Something of the target was not checked: its run was cut short.
void report_findings_add_unchecked(report_findings *findings, const char *target, const char *text);
// Findings that have no case yet were first seen in this one.
void report_findings_name_case(report_findings *findings, const char *name);
// Of the same kind at the same lines; and whether `a` goes further: between warps, where `b` is within one.
bool report_finding_is_same(const json_t *a, const json_t *b);
bool report_finding_is_wider(const json_t *a, const json_t *b);
size_t report_findings_count(const report_findings *findings, const char *severity);

// Outputs that differ between the records of one target under different seeds become findings.
void report_findings_compare(report_findings *findings, const report_record *records, const uint64_t *seeds,
                             size_t count, const char *target);

// ---- renderings -----------------------------------------------------------------------------------------

void report_findings_print(FILE *file, const report_style *style, const report_findings *findings,
                           report_prof_sources *sources);
void report_findings_print_summary(FILE *file, const report_style *style, const report_findings *findings);
json_t *report_findings_to_json(const report_findings *findings);  // an array: findings, then a summary
json_t *report_findings_to_sarif(const report_findings *findings); // SARIF 2.1.0
kz_status report_findings_write_junit(const report_findings *findings, const char *path, kz_error *error);

// "race at tile.cu:14 and tile.cu:18"
void report_finding_title(const json_t *finding, base_text *out);

#endif
