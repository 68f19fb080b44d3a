// bench/verify: see verify.h.
#include "bench/verify.h"

#include "base/base.h"

enum { FEW_SETS = 8 };
static const double MOST_SECONDS = 0.25; // that comparing sets of one candidate may take, after the first one

// The worst of all sets stays. A wrong one is the end.
static void keep_worst(bench_check *check, const bench_data *data, const family_comparison *one) {
    if (!check->done || one->wrong || one->worst_ratio > check->comparison.worst_ratio)
        check->comparison = *one;
    check->done = true;
    check->seed = data->seed;
    check->sets++;
}

static kz_status compare(const bench_data *data, bench_result *r, bench_check *check, kz_stream *stream,
                         size_t set, const char *when) {
    family_comparison one;
    if (data->unchecked) return KZ_OK;
    kz_status status = bench_data_check(data, stream, set, &one, &r->error);
    if (status) return status;
    keep_worst(check, data, &one);
    if (!one.wrong) return KZ_OK;
    char where[64] = "";
    if (set) snprintf(where, sizeof where, ", in set %zu of %zu of buffers", set + 1, data->sets);
    base_fail(&r->error, KZ_WRONG, "%s gave a wrong result %s%s: %s; element %llu is %.9g, expected %.9g",
              r->candidate.name, when, where, one.pattern, (unsigned long long)one.first_wrong, one.got,
              one.expected);
    return KZ_WRONG;
}

kz_status bench_verify_run(const bench_data *data, bench_result *r, bench_check *check, const char *when) {
    *check = (bench_check){0};
    kz_status status = bench_data_poison(data, NULL, 0, &r->error);
    if (!status) status = r->candidate.enqueue(r->candidate.self, NULL, 0, &r->error);
    if (!status) status = kz_stream_synchronize(data->device, NULL, &r->error);
    return status ? status : compare(data, r, check, NULL, 0, when);
}

// ---- as it was timed --------------------------------------------------------------------------------------

typedef struct replay {
    const bench_data *data;
    bench_sampler *sampler;
    size_t candidate, sets; // sets that it may visit
    bench_result *result;
    double start;
} replay;

// The k-th set to look at: the last, a drawn one, then from the first on.
static size_t set_at(const replay *p, size_t k) {
    uint64_t drawn = base_hash(BASE_HASH, &p->data->seed, sizeof p->data->seed);
    return k == 0 ? p->sets - 1 : k == 1 ? (size_t)(drawn % p->sets) : k - 2;
}

// A few sets are all looked at, however slow the machine.
static bool has_time(const replay *p, size_t k) {
    return k == 0 || p->sets <= FEW_SETS || base_seconds() - p->start < MOST_SECONDS;
}

static bool is_new(const replay *p, size_t k) {
    for (size_t i = 0; i < k && i < 2; i++)
        if (set_at(p, i) == set_at(p, k)) return false;
    return true;
}

static kz_status compare_replayed(const replay *p, size_t set, const char *when) {
    return compare(p->data, p->result, &p->result->after, bench_sampler_stream(p->sampler), set, when);
}

static kz_status verify_graph(replay *p) {
    kz_stream *stream = bench_sampler_stream(p->sampler);
    kz_error *error = &p->result->error;
    kz_status status = KZ_OK;
    for (size_t set = 0; set < p->sets && !status; set++)
        status = bench_data_poison(p->data, stream, set, error);
    if (!status) status = bench_sampler_replay(p->sampler, p->candidate, 0, error);
    p->start = base_seconds();
    for (size_t k = 0; k < p->sets + 2 && !status && has_time(p, k); k++)
        if (is_new(p, k)) status = compare_replayed(p, set_at(p, k), "after timing");
    return status;
}

static kz_status verify_runs(const replay *p) {
    bool gpu = kz_device_get_info(p->data->device)->kind == KZ_DEVICE_CUDA;
    const char *when =
        gpu ? "after timing, run behind other work in the stream that is timed" : "after timing";
    kz_stream *stream = bench_sampler_stream(p->sampler);
    kz_error *error = &p->result->error;
    kz_status status = KZ_OK;
    for (size_t k = 0; k < p->sets + 2 && !status && has_time(p, k); k++) {
        size_t set = set_at(p, k);
        if (!is_new(p, k)) continue;
        status = bench_data_poison(p->data, stream, set, error);
        if (!status) status = bench_sampler_replay(p->sampler, p->candidate, set, error);
        if (!status) status = compare_replayed(p, set, when);
    }
    return status;
}

kz_status bench_verify_samples(const bench_data *data, bench_sampler *sampler, size_t candidate,
                               bench_result *result) {
    size_t graph_sets = bench_sampler_graph_sets(sampler, candidate);
    replay p = {.data = data,
                .sampler = sampler,
                .candidate = candidate,
                .sets = graph_sets ? graph_sets : bench_sampler_sets(sampler),
                .result = result,
                .start = base_seconds()};
    return graph_sets ? verify_graph(&p) : verify_runs(&p);
}

// ---- inputs -----------------------------------------------------------------------------------------------

// That it failed, and why, says more than this; that its result was wrong follows from it.
void bench_blame_for_input(bench_result *r, const char *what, const char *when) {
    r->wrote_input = true;
    if (r->status != KZ_OK && r->status != KZ_WRONG) return;
    r->status = base_fail(&r->error, KZ_WRONG,
                          "%s wrote into %s %s; inputs are only to be read, and were restored for the others",
                          r->candidate.name, what, when);
}

kz_status bench_verify_inputs(const bench_data *data, size_t sets, bench_result *r, const char *when,
                              kz_error *error) {
    char what[BENCH_WRITTEN];
    kz_status status = bench_data_find_written(data, sets, what, error);
    if (status || !what[0]) return status;
    bench_blame_for_input(r, what, when);
    return bench_data_renew(data, error);
}
