// bench/compact: the packed lines of a file of records without what repeats from line to line.
//
// A head comes first: {"schema": 4, "columns": {"statistics": ["count", ..], "check.before": [..], ..}, "shared": ..,
// "repeated": {"kernel": [{..}, ..], ..}}.
// What all lines share stands in its "shared", down to single members; a line has what is its own. An object with the
// keys that "columns" lists for it stands as an array of its values. A mode, candidate or result stands so too, by the
// columns of "modes", "candidates" and "results"; the last columns may be missing. What a candidate has in case after case
// (who it is, its kernel, its source, its memory, its check) stands in "repeated", and the candidate has its index there.
// Nothing is rounded, and nothing is computed anew: bench_expand gives back what bench_compact was given.
#ifndef BENCH_COMPACT_H
#define BENCH_COMPACT_H

#include <jansson.h>

#include "base/base.h"

enum { BENCH_COMPACT_SCHEMA = 4 };

// The head for these lines (an array of objects), and the lines as they are kept. Both are new references; false and
// NULL when out of memory.
bool bench_compact(const json_t *lines, json_t **head, json_t **kept);

bool bench_is_head(const json_t *line);
// A kept line, whole again (a new reference; NULL when out of memory). The head may be NULL: older files have none.
json_t *bench_expand(const json_t *head, const json_t *line);

#endif
