// What is called an error of measurement: what no peak could have been, from memory, beyond doubt.
#include <stdlib.h>

#include "base/base.h"
#include "bench/bench.h"
#include "unit.h"

enum { COPY, READ, IN_PLACE, OURS, COUNT };

typedef struct figures {
    double ours, spread; // seconds, and half its interval as a share
    bench_mode mode;
    bench_cache cache;
    uint64_t sets;
    bool over;
} figures;

static void put(bench_outcome *o, int at, bench_provider provider, const char *name, double seconds,
                double spread) {
    bench_result *r = &o->results[at];
    r->candidate = bench_candidate_blank(provider, "any", name);
    r->timings[0].taken = true;
    r->timings[0].series.summary =
        (bench_summary){.median = seconds, .low = seconds * (1 - spread), .high = seconds * (1 + spread)};
}

static void only_what_no_peak_reaches_is_an_error(void **state) {
    static const figures rows[] = {
        {95e-6, 0.01, BENCH_LATENCY, BENCH_COLD, 100, false}, // faster than a copy and a read, and no error
        {59e-6, 0.01, BENCH_LATENCY, BENCH_COLD, 100, false},
        {50e-6, 0.01, BENCH_LATENCY, BENCH_COLD, 100, true},
        {50e-6, 0.01, BENCH_LATENCY, BENCH_DIRTY, 100, true},
        {50e-6, 0.01, BENCH_LATENCY, BENCH_HOT, 100, false},
        {50e-6, 0.30, BENCH_LATENCY, BENCH_COLD, 100, false}, // too uncertain to be called one
        {50e-6, 0.01, BENCH_THROUGHPUT, BENCH_COLD, 100, true},
        {50e-6, 0.01, BENCH_THROUGHPUT, BENCH_COLD, 10, false}, // all sets of the graph fit into the cache
        {50e-6, 0.01, BENCH_LATENCY, BENCH_COLD, 10, true},     // which is flushed before each single run
    };
    bench_outcome *o = calloc(1, sizeof *o);
    (void)state;
    assert_non_null(o);
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        const figures *f = &rows[i];
        *o = (bench_outcome){.work = {.bytes = 1e6},
                             .footprint_bytes = 1000000,
                             .flush_bytes = 64000000,
                             .sets = f->sets,
                             .conditions = {{.mode = f->mode, .cache = f->cache}},
                             .condition_count = 1,
                             .count = COUNT};
        put(o, COPY, BENCH_PEAK, "copy by memcpy", 100e-6, 0.01);
        put(o, READ, BENCH_PEAK, "read", 98e-6, 0.01);
        put(o, IN_PLACE, BENCH_PEAK, "in place", 60e-6, 0.01);
        put(o, OURS, BENCH_ZOO, "00_native", f->ours, f->spread);
        bench_outcome_derive(o);
        assert_float_equal(o->copy[0], 1e10, 1); // in place is no copy
        assert_float_equal(o->results[OURS].timings[0].of_copy, 100e-6 / f->ours, 1e-9);
        if (o->results[OURS].timings[0].over_peak != f->over) fail_msg("row %zu", i);
        o->on_cpu = true; // no peak is a ceiling there
        bench_outcome_derive(o);
        assert_false(o->results[OURS].timings[0].over_peak);
        for (int k = COPY; k <= IN_PLACE; k++) assert_false(o->results[k].timings[0].over_peak);
    }
    o->count = 0;
    put(o, 0, BENCH_ZOO, "00_native", 1e-6, 0.01); // beside no peak at all
    o->count = 1;
    bench_outcome_derive(o);
    assert_false(o->results[0].timings[0].over_peak);
    free(o);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(only_what_no_peak_reaches_is_an_error)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
