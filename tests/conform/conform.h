// conform: does one device compute the same bits as another?
//
// forms.c expands the table of instruction forms; values.c makes their inputs; kernels.c writes PTX and runs
// it; compare.c judges the outputs, with the functions of oracle.c for approximations; golden.c and rows.c
// keep what a GPU computed; report.c prints. A build may ask for more lanes (CONFORM_LANES, a multiple of
// 4096).
#ifndef CONFORM_H
#define CONFORM_H

#include "base/base.h"

#ifndef CONFORM_LANES
#define CONFORM_LANES 4096
#endif
enum {
    SOURCES = 4,
    RESULTS = 2,
    LANES = CONFORM_LANES,
    BLOCKS = 4,
    CELL_BYTES = 32,
    EXAMPLES = 3,
    NAN_EXAMPLES = 6
};

typedef enum format { BITS, F16, F16X2, BF16, BF16X2, F32, F64 } format;
typedef enum values {
    VALUES_BIT,
    VALUES_INTEGER_8,
    VALUES_INTEGER,
    VALUES_INTEGER_PAIR,
    VALUES_F16,
    VALUES_F16_PAIR,
    VALUES_BF16,
    VALUES_BF16_PAIR,
    VALUES_F32,
    VALUES_F64,
    VALUES_SHIFT,
    VALUES_SMALL,
    VALUES_CLAMP,
    VALUES_CLAMP_16,
    VALUES_FEW,
    VALUES_WARP
} values;
typedef enum oracle { NONE, RCP, SQRT, RSQRT, SIN, COS, LG2, EX2, TANH, DIV } oracle;

typedef struct operand_type {
    const char *name;
    unsigned bits; // of the register; 1 for a predicate
    format format;
    values values;
} operand_type;

typedef struct form {
    const char *group, *pattern;
    unsigned index; // among the forms of its pattern
    char text[320]; // the PTX
    const operand_type *results[RESULTS], *sources[SOURCES];
    unsigned result_count, source_count;
    oracle oracle;
} form;

// The lanes' values: [lane][operand], in the low bits.
typedef uint64_t inputs[LANES][SOURCES];
typedef uint64_t outputs[LANES][RESULTS];

// ---- forms.c ------------------------------------------------------------------------------------

typedef struct form_list {
    form *items;
    size_t count, capacity;
} form_list;

// All forms whose group or text contains `filter` (NULL: all), a group left out (or none: NULL). False when
// out of memory or the table is wrong.
bool forms_open(form_list *list, const char *filter, const char *without);
void forms_close(form_list *list);

// ---- values.c -----------------------------------------------------------------------------------

// Edge values crossed with each other, then random ones; a function of the form's types and the seed.
void values_make(const form *form, uint64_t seed, inputs to);
bool values_same(const form *f, const form *g); // whether both get the same

// ---- kernels.c ----------------------------------------------------------------------------------

// The module of these forms: kernel k0, k1, ... each.
void kernels_write(const form *forms, size_t count, base_text *text);

typedef struct run_result {
    outputs *values; // NULL where it did not run
    char refused[400];
} run_result;

// Runs every form on the device. Lanes outside `mask` (of each warp) leave at once; their outputs are 0.
// What the device refuses is said in its result; the status is of what stops them all.
kz_status kernels_run(const char *device, const form_list *forms, uint64_t seed, uint32_t mask,
                      run_result *results, kz_device_info *info, kz_error *error);

// ---- oracle.c, compare.c ------------------------------------------------------------------------

// The exact result, as far as long double goes; false where the oracle has no opinion (sin of 1e30).
bool oracle_value(oracle function, double a, double b, double *result, double *least_unit);
double value_of_bits(format kind, uint64_t bits); // of one element
unsigned format_elements(format kind);
bool is_nan_bits(format kind, uint64_t bits);
uint64_t canonical_bits(format kind, uint64_t bits); // of all elements; NaN become all ones

typedef struct example {
    uint64_t sources[SOURCES], a[RESULTS], b[RESULTS];
} example;

typedef struct verdict {
    const char *refused[2]; // by A, by B; NULL where it ran
    size_t lanes, differ, nan_only;
    example examples[EXAMPLES], nan_examples[NAN_EXAMPLES];
    size_t example_count, nan_example_count;
    bool approximate;
    double error_a, error_b, apart; // in units of the last place, the largest
    size_t special;                 // of `differ`: one is a number and the other is not
    unsigned blocks; // bit b: block b of the lanes differs from a file's; 0 where that is not known
} verdict;

verdict compare_form(const form *form, inputs in, const run_result *a, const run_result *b, uint32_t mask);
bool verdict_is_failure(const verdict *v, bool exact);

// ---- golden.c -----------------------------------------------------------------------------------

// What a device computed, kept as hashes of inputs and outputs per form and block of lanes, so that it can be compared
// with where that device is not. `verdicts` has the errors of approximations.
kz_status golden_write(const char *path, const form_list *forms, uint64_t seed, const run_result *results,
                       const verdict *verdicts, const char *device, kz_error *error);
// Judges A's results by the file: `device` becomes what it was made on. How many lanes differ is not known:
// all or none.
kz_status golden_judge(const char *path, const form_list *forms, uint64_t seed, const run_result *results,
                       verdict *verdicts, char device[96], kz_error *error);
// Why a form may differ from the hardware; NULL where it may not.
typedef struct excuse {
    const char *start, *reason; // start: of the form's text
} excuse;
const excuse *golden_excuse(const form *f);
// Every lane that differs, of forms that are no approximations, as lines for people to look for a rule.
kz_status golden_write_lanes(const char *path, const form_list *forms, uint64_t seed, const run_result *a,
                             const run_result *b, kz_error *error);

// ---- rows.c -------------------------------------------------------------------------------------

// A few lanes of one form of every pattern with operands and results, as a device computed them: for people to read.
// Approximations are left out.
kz_status rows_write(const char *path, const form_list *forms, uint64_t seed, const run_result *results,
                     const char *device, kz_error *error);
// Compares; tells of every row that differs (of forms without an excuse) on stdout and counts them.
kz_status rows_judge(const char *path, const form_list *forms, uint64_t seed, const run_result *results,
                     size_t *rows, size_t *different, kz_error *error);

// ---- report.c -----------------------------------------------------------------------------------

typedef struct report {
    const form_list *forms;
    const verdict *verdicts;
    const kz_device_info *a, *b;
    uint32_t mask;
    bool exact, all; // all: equal forms too
} report;

void report_text(const report *r);
void report_json(const report *r);
void report_markdown(const report *r);

#endif
