// bench/condition: under what a run is timed: how runs follow each other, what the caches hold, which stream.
//
// Times of one condition are compared with each other alone. The zeroed condition is the usual one: single runs, cold,
// in a later stream. The rows are in condition.def.
#ifndef BENCH_CONDITION_H
#define BENCH_CONDITION_H

#include "kz/kz.h"

typedef enum bench_mode {
#define BENCH_MODE_ROW(enumerator, name, title, cold, meaning) BENCH_##enumerator,
#include "bench/condition.def"
    BENCH_MODES
} bench_mode;

typedef enum bench_cache {
#define BENCH_CACHE_ROW(enumerator, name, meaning) BENCH_##enumerator,
#include "bench/condition.def"
    BENCH_CACHES
} bench_cache;

typedef enum bench_stream {
#define BENCH_STREAM_ROW(enumerator, name, title, meaning) BENCH_##enumerator##_STREAM,
#include "bench/condition.def"
    BENCH_STREAMS
} bench_stream;

typedef struct bench_condition {
    bench_mode mode;
    bench_cache cache;
    bench_stream stream;
} bench_condition;

enum { BENCH_CONDITIONS = 32, BENCH_CONDITION_TEXT = 80 }; // the most of one request; of a text

const char *bench_mode_name(bench_mode mode);       // "latency"
const char *bench_cache_name(bench_cache cache);    // "cold"
const char *bench_stream_name(bench_stream stream); // "later"
const char *bench_stream_meaning(bench_stream stream);

bool bench_condition_equals(bench_condition a, bench_condition b);
// Single runs or graphs, cold, in a later stream: what targets and the tables of results are of.
bool bench_condition_is_usual(bench_condition condition);
// Where the condition stands in a list; -1 where it does not.
int bench_condition_find(const bench_condition *list, size_t count, bench_condition wanted);

// The condition of these names, NULL or "" for the zeroed one's; false where one is no name.
bool bench_condition_from(const char *mode, const char *cache, const char *stream,
                          bench_condition *condition);

// As a title says it: "one run, cold"; "graph of runs, hot, first stream".
const char *bench_condition_title(bench_condition condition, char text[BENCH_CONDITION_TEXT]);
// As few words as tell it from the usual one: "latency", "latency dirty", "throughput cold first".
const char *bench_condition_name(bench_condition condition, char text[BENCH_CONDITION_TEXT]);

// KZ_INVALID, with the reason and what to ask for instead, where the mode and the cache do not go together.
kz_status bench_condition_check(bench_condition condition, kz_error *error);

// Every combination of the named values, modes outermost: "cold,dirty", several lists add up. An axis without lists
// has its usual values: later, cold, and of latency and throughput those that go with the cache. Refused is a name that
// is none, and a combination that was named and means nothing. `list` has room for BENCH_CONDITIONS.
typedef struct bench_condition_names {
    const char *const *modes, *const *caches, *const *streams;
    size_t mode_count, cache_count, stream_count;
} bench_condition_names;
kz_status bench_conditions_parse(const bench_condition_names *names, bench_condition *list, size_t *count,
                                 kz_error *error);

#endif
