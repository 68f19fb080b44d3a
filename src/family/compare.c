// Comparison, element by element. See compare.h; patterns.c finds the words for what is wrong.
#include "family/compare.h"

#include <math.h>

#include "family/patterns.h"

bool family_is_right(double got, double expected, double bound) {
    if (bound == KZ_ANYTHING) return true;
    if (isnan(expected)) return isnan(got);
    if (isinf(expected)) return got == expected;
    return fabs(got - expected) <= bound; // false for a NaN in `got`
}

static void note_worst(const family_output *o, family_comparison *c, uint64_t i, double got) {
    double error = fabs(got - o->expected[i]);
    if (!isfinite(error) || o->bound[i] == KZ_ANYTHING) return;
    double ratio = error == 0 ? 0 : o->bound[i] > 0 ? error / o->bound[i] : (double)INFINITY;
    if (error > c->worst_error) c->worst_error = error;
    if (ratio > c->worst_ratio) {
        c->worst_ratio = ratio;
        c->worst_index = i;
    }
}

void family_compare(const family_output *o, family_comparison *c) {
    *c = (family_comparison){.count = o->count};
    for (uint64_t i = 0; i < o->count; i++) {
        double got = family_got_at(o, i);
        note_worst(o, c, i, got);
        if (family_is_right(got, o->expected[i], o->bound[i])) continue;
        if (c->wrong++ == 0) {
            c->first_wrong = i;
            c->got = got;
            c->expected = o->expected[i];
            c->bound = o->bound[i];
        }
    }
    if (c->wrong) family_name_pattern(o, c);
}
