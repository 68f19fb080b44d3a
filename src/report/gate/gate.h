// What kz gate says: which counts changed, of which kernel in which case, by how much.
#ifndef REPORT_GATE_GATE_H
#define REPORT_GATE_GATE_H

#include "bench/counts.h"
#include "kz/family.h"
#include "report/report.h"

typedef struct report_gate {
    const char *subject, *path; // "reduce", "kernels/primitives/reduce/counters.csv"
    const char *again;          // the command that writes the counts: "kz gate --counters --write reduce"
    const char *elsewhere;      // the same into a file that is to be named: "--against FILE"
    const char *look; // what shows the lines of the first kernel that is worse: "kz prof ..."; may be NULL
    const bench_counts *before, *now;
    const bench_counts_change *changes;
    size_t change_count;
    const size_t *verdicts;             // how many changes of each verdict there are
    const kz_variant *const *uncounted; // variants that do none of the file's cases
    size_t uncounted_count;
    bool has_file, other_compiler, written;
    bool exact; // what is better, new, renamed or gone is to be written too
} report_gate;

// Whether some row of the file has one to be compared with. A comparison of nothing finds nothing.
bool report_gate_compares(const report_gate *gate);
// Whether the counts are as they should be: some were compared, nothing is worse; with `exact`, nothing differs and every variant is counted.
bool report_gate_passes(const report_gate *gate);
// A line of sums, then what differs.
void report_gate_print(FILE *file, const report_style *style, const report_gate *gate);
// One object with all that differs; NULL when out of memory.
json_t *report_gate_to_json(const report_gate *gate);

#endif
