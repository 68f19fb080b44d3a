// kz bench results: from records to the tables in the READMEs.
#ifndef CLI_BENCH_RESULTS_H
#define CLI_BENCH_RESULTS_H

#include <stdbool.h>
#include <stddef.h>

// Writes the part between the marks of every family's README that the records speak of. No files: those of
// results/*/*.jsonl, which it packs (bench/records.h), and results/<gpu>/README.md too. With `check` nothing is
// written, and a stale file is an error. In the sources' folder.
int bench_results(const char *const *files, size_t count, bool check);

#endif
