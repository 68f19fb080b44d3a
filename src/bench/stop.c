// bench/stop: see stop.h.
#include "bench/stop.h"

#include <math.h>
#include <string.h>

enum { WINDOW = 10, LEAST_OF_ALL = 3 };

bench_rule bench_default_rule(void) {
    return (bench_rule){.least_samples = 30,
                        .least_seconds = 0.3,
                        .precision = 0.005,
                        .most_seconds = 10,
                        .warm_precision = 0.01,
                        .warm_seconds = 1};
}

bench_rule bench_suite_rule(void) {
    bench_rule rule = bench_default_rule();
    rule.most_seconds = 2.5;
    rule.warm_seconds = 0.4;
    return rule;
}

bench_rule bench_quick_rule(void) {
    return (bench_rule){.least_samples = 5,
                        .least_seconds = 0.02,
                        .precision = 0.05,
                        .most_seconds = 0.5,
                        .warm_precision = 0.1,
                        .warm_seconds = 0.05};
}

void bench_rule_limit(bench_rule *rule, double most_seconds) {
    if (most_seconds <= 0) return;
    rule->most_seconds = most_seconds;
    rule->least_seconds = fmin(rule->least_seconds, most_seconds);
    rule->warm_seconds = fmin(rule->warm_seconds, most_seconds);
}

const char *bench_state_name(bench_state state) {
    static const char *const names[] = {"going on", "converged", "not converged"};
    return names[state];
}

bench_state bench_decide(const bench_rule *rule, const double *samples, size_t count, double spent) {
    if (count < LEAST_OF_ALL) return BENCH_GO_ON;
    if (count >= rule->least_samples && spent >= rule->least_seconds) {
        bench_summary summary;
        if (bench_summarise(samples, count, &summary) && bench_relative_error(&summary) <= rule->precision)
            return BENCH_CONVERGED;
    }
    return spent >= rule->most_seconds ? BENCH_NOT_CONVERGED : BENCH_GO_ON;
}

bool bench_is_warm(const bench_rule *rule, const double *samples, size_t count) {
    if (count < 2 * WINDOW) return false;
    double window[2][WINDOW];
    memcpy(window, samples + count - 2 * WINDOW, sizeof window);
    double before = bench_median(window[0], WINDOW), now = bench_median(window[1], WINDOW);
    return fabs(now - before) <= rule->warm_precision * fmin(now, before);
}

size_t bench_next_look(size_t count) { return count < 30 ? count + 1 : count + count / 10; }
