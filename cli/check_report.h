// What kz check says: the table, the JSON records, JUnit. It keeps nothing of a case but what it has printed.
#ifndef CLI_CHECK_REPORT_H
#define CLI_CHECK_REPORT_H

#include "bench/stats.h"
#include "cli.h"
#include "family/case.h"
#include "family/check.h"
#include "report/report.h"

// One row of the table: a variant on a device.
typedef struct check_row {
    const char *variant;
    kz_device_info device;
    size_t outcomes[FAMILY_OUTCOMES];
    // The case its figures are of: the largest plain one that passed.
    kz_case figure_case;
    kz_work work;
    kz_counters counters;
    uint64_t elements;
    bool has_figures, figures_are_plain;
    kz_counters explained; // of the same case in the simulator, where the device itself does not count
    // From the clock, where the device has one and it was looked at.
    bool timed, settled;
    double seconds, bytes_per_s, of_copy; // NAN where there is none
    char rival[24];                       // "" where none ran
    bench_ratio ratio;                    // of times, ours over the rival's
} check_row;

typedef struct check_report {
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
    int other_code; // of the first failure that is neither
} check_report;

// One case is done.
void check_report_case(check_report *report, const family_check_job *job, const char *variant,
                       const family_check_result *result, double seconds, check_row *row);

// The timing of one candidate, as the bench records it; takes the object over. NULL is passed over.
void check_report_timing(check_report *report, json_t *record);

// A kernel that passed its checks and was wrong, or faulted, when it was to be timed.
void check_report_broken(check_report *report, const kz_family *family, const char *variant, bool guest,
                         const char *case_name, const char *device, uint64_t seed, const kz_error *why);

// A family is done.
void check_report_family(check_report *report, const kz_family *family, const check_row *rows, size_t count,
                         size_t widest_variant);

// All is done: totals, the summary record, the files. Gives the exit code.
int check_report_end(check_report *report, double seconds, bool interrupted, const cli_output *json,
                     const char *junit_path, const char *journal_path);

#endif
