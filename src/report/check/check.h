// What kz check says: the table, the JSON records, JUnit. It keeps nothing of a case but what it has printed.
#ifndef REPORT_CHECK_CHECK_H
#define REPORT_CHECK_CHECK_H

#include "family/limits.h"
#include "bench/stats.h"
#include "family/case.h"
#include "family/check.h"
#include "report/report.h"

// One row of the table: a variant on a device.
typedef struct report_check_row {
    const char *variant;
    kz_device_info device;
    size_t outcomes[FAMILY_OUTCOMES];
    // The case its figures are of: the largest plain one that passed.
    kz_case figure_case;
    kz_work work;
    kz_counters counters;
    uint64_t elements;
    bool has_figures, figures_are_plain;
    char limit
        [FAMILY_LIMIT]; // as the simulator tells it, where the device itself does not count; "": not known
    // From the clock, where the device has one and it was looked at.
    bool timed, settled;
    double seconds, bytes_per_s, of_copy; // NAN where there is none
    char rival[24];                       // "" where none ran
    bench_ratio ratio;                    // of times, ours over the rival's
} report_check_row;

typedef struct report_check {
    report_style style, error_style;
    bool verbose, quiet; // quiet: stdout belongs to JSON
    const char *command; // what to say for reproducing: "kz check reduce/01_atomic"
    report_journal *journal;
    json_t *records; // NULL unless asked for
    report_junit *junit;
    base_text failures;  // of the family at hand, printed below its table
    base_text captions;  // what its figures are of, printed between the two
    bool counts, rivals; // there are counters to tell limits from; some rival may run
    int widest_device;   // columns of the longest device's id
    size_t shown_failures;
    size_t families; // printed so far: the first has the header
    size_t outcomes[FAMILY_OUTCOMES];
    kz_error write_error; // the first one
    char first_skip[400]; // why the first case that was skipped was
    kz_status first_skip_status;
    bool fault, wrong;
    kz_status other; // of the first failure that is neither
} report_check;

// One case is done.
void report_check_case(report_check *report, const family_check_job *job, const char *variant,
                       const family_check_result *result, double seconds, report_check_row *row);

// The timing of one candidate, as the bench records it; takes the object over. NULL is passed over.
void report_check_timing(report_check *report, json_t *record);

// A kernel that passed its checks and was wrong, or faulted, when it was to be timed.
void report_check_broken(report_check *report, const kz_family *family, const char *variant, bool guest,
                         const char *case_name, const char *device, uint64_t seed, const kz_error *why);

// A family is done.
void report_check_family(report_check *report, const kz_family *family, const report_check_row *rows,
                         size_t count, size_t widest_variant);

// All is done: totals, the summary record, the files. `json_path` NULL: the records go to stdout, where there are any;
// the other two paths may be NULL. `write_error` of the report says what could not be written.
void report_check_end(report_check *report, double seconds, bool interrupted, const char *json_path,
                      const char *junit_path, const char *journal_path);
// What it comes to: KZ_OK; a fault before a wrong result before any other failure, none of which has words of its own;
// then, with words in `error`, a file that could not be written, or nothing that could be checked.
kz_status report_check_verdict(const report_check *report, kz_error *error);

#endif
