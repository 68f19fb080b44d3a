// bench/tune: from measured winners to the rows of a family's choice.csv. Knows no device and no file.
//
// The rule: in the order of the ladder, a later variant takes an earlier one's place only where it is faster
// by BENCH_TUNE_MARGIN, for what is simpler and as fast is the better choice. Between two sizes with
// different winners the line is drawn at their geometric mean; the smallest size stands for all below it, the
// largest for all above.
#ifndef BENCH_TUNE_H
#define BENCH_TUNE_H

#include "base/base.h"
#include "bench/bench.h"

#define BENCH_TUNE_MARGIN 0.01

typedef struct bench_win {
    kz_type type;
    uint32_t operation;
    uint64_t size; // elements, as the family's choose() counts them
    const char *variant;
} bench_win;

// The result that the rule takes, in the figure's mode; -1 where none was right and timed.
int bench_tune_winner(const bench_outcome *outcome);

// Appends the rows "gpu,type,operation,from,to,variant". Reorders the wins. Operations of a type that agree
// become one row with "*", and so do types; what was not measured takes the rows of its type's first
// operation, or of the first type.
void bench_tune_rows(const kz_family *family, const char *gpu, bench_win *wins, size_t count,
                     base_text *rows);

// `before` with the rows of this GPU replaced. Header, comments and other GPUs' rows stay where they are; those of a new
// GPU come before the defaults, whose GPU is "*".
void bench_tune_merge(const char *before, const char *gpu, const char *rows, base_text *after);

#endif
