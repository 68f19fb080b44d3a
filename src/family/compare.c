// Comparison and the words for what is wrong. See compare.h.
//
// A pattern function answers whether all wrong elements are wrong in one way, and writes the
// sentence. They are tried from the most specific to the vaguest; the first that fits is kept.
#include "family/compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "family/inputs.h"

bool family_is_right(double got, double expected, double bound) {
    if (isnan(expected)) return isnan(got);
    if (isinf(expected)) return got == expected;
    return fabs(got - expected) <= bound; // false for a NaN in `got`
}

static double got_at(const family_output *o, uint64_t i) { return kz_element_get(o->type, o->got, i); }

static bool is_wrong(const family_output *o, uint64_t i) {
    return !family_is_right(got_at(o, i), o->expected[i], o->bound[i]);
}

static void note_worst(const family_output *o, family_comparison *c, uint64_t i, double got) {
    double error = fabs(got - o->expected[i]);
    if (!isfinite(error)) return;
    double ratio = error == 0 ? 0 : o->bound[i] > 0 ? error / o->bound[i] : (double)INFINITY;
    if (error > c->worst_error) c->worst_error = error;
    if (ratio > c->worst_ratio) {
        c->worst_ratio = ratio;
        c->worst_index = i;
    }
}

// ---- patterns -------------------------------------------------------------------------------------

typedef bool (*pattern_function)(const family_output *o, const family_comparison *c, char *text);

static bool all_wrong_are(const family_output *o, const family_comparison *c,
                          bool (*fits)(const family_output *o, uint64_t i)) {
    for (uint64_t i = c->first_wrong; i < o->count; i++)
        if (is_wrong(o, i) && !fits(o, i)) return false;
    return true;
}

static bool is_untouched(const family_output *o, uint64_t i) {
    return family_is_poison(o->type, (const char *)o->got + i * kz_type_size(o->type));
}
static bool is_zero(const family_output *o, uint64_t i) { return got_at(o, i) == 0; }
static bool is_nan(const family_output *o, uint64_t i) { return isnan(got_at(o, i)); }
static bool is_negated(const family_output *o, uint64_t i) {
    return o->expected[i] != 0 && family_is_right(-got_at(o, i), o->expected[i], o->bound[i]);
}
static bool is_dropped_nan(const family_output *o, uint64_t i) {
    return isnan(o->expected[i]) && !is_nan(o, i);
}
static bool is_near(const family_output *o, uint64_t i) {
    double error = fabs(got_at(o, i) - o->expected[i]);
    return error <= 0.05 * fabs(o->expected[i]) || error <= 1000 * o->bound[i];
}

// What the wrong elements hold, as a clause after "they are ...".
static const char *what_they_hold(const family_output *o, const family_comparison *c) {
    if (all_wrong_are(o, c, is_untouched)) return "never written";
    if (all_wrong_are(o, c, is_zero)) return "zero";
    if (all_wrong_are(o, c, is_nan)) return "NaN";
    return NULL;
}

static bool every_element(const family_output *o, const family_comparison *c, char *text) {
    if (c->wrong != o->count) return false;
    const char *what = what_they_hold(o, c);
    if (!what) return false;
    if (strcmp(what, "never written") == 0)
        snprintf(text, FAMILY_PATTERN, "the output was never written: it is still poison");
    else if (strcmp(what, "NaN") == 0) // outputs are poisoned with NaN, and what is added to NaN stays one
        snprintf(text, FAMILY_PATTERN,
                 "every element is NaN: perhaps the output is added to without being set first");
    else
        snprintf(text, FAMILY_PATTERN, "every element is %s", what);
    return true;
}

static bool equals_bytes(const family_output *o, const void *other) {
    return other && o->count && memcmp(o->got, other, o->count * kz_type_size(o->type)) == 0;
}

static bool copied(const family_output *o, const family_comparison *c, char *text) {
    if (!equals_bytes(o, o->input)) return false;
    snprintf(text, FAMILY_PATTERN, "the output is a copy of the input");
    return true;
}

static bool kept(const family_output *o, const family_comparison *c, char *text) {
    if (!equals_bytes(o, o->previous)) return false;
    snprintf(text, FAMILY_PATTERN, "the output is that of the run before, on other data: it is stale");
    return true;
}

// Whether the output is the expected one read through another index.
static bool maps_to(const family_output *o, uint64_t (*map)(const family_output *o, uint64_t i)) {
    uint64_t same = 0, compared = 0;
    for (uint64_t i = 0; i < o->count; i++) {
        uint64_t j = map(o, i);
        if (j >= o->count) continue;
        compared++;
        same += family_is_right(got_at(o, i), o->expected[j], o->bound[j]);
    }
    return compared >= 4 && same == compared;
}

static uint64_t map_transposed(const family_output *o, uint64_t i) {
    return i % o->rows * o->columns + i / o->rows;
}
static uint64_t map_next(const family_output *o, uint64_t i) { return i + 1; }
static uint64_t map_last(const family_output *o, uint64_t i) { return i - 1; } // 0 wraps past the end
static uint64_t map_reversed(const family_output *o, uint64_t i) { return o->count - 1 - i; }

static bool moved(const family_output *o, const family_comparison *c, char *text) {
    const char *how = NULL;
    family_output other_way = *o;
    other_way.rows = o->columns;
    other_way.columns = o->rows;
    bool is_matrix = o->rows > 1 && o->columns > 1 && o->rows * o->columns == o->count;
    if (is_matrix && (maps_to(o, map_transposed) || maps_to(&other_way, map_transposed)))
        how = "the output is transposed: rows and columns are exchanged";
    else if (maps_to(o, map_next))
        how = "every element holds the answer of the next one: an index is one too high";
    else if (maps_to(o, map_last))
        how = "every element holds the answer of the one before: an index is one too low";
    else if (maps_to(o, map_reversed))
        how = "the output is right, but backwards";
    if (how) snprintf(text, FAMILY_PATTERN, "%s", how);
    return how != NULL;
}

static void add_contents(const family_output *o, const family_comparison *c, char *text) {
    const char *what = what_they_hold(o, c);
    size_t used = strlen(text);
    if (what && used < FAMILY_PATTERN) snprintf(text + used, FAMILY_PATTERN - used, "; they are %s", what);
}

// The wrong elements are one run that begins or ends at the array's end.
static bool one_end(const family_output *o, const family_comparison *c, char *text) {
    if (c->wrong == o->count) return false;
    uint64_t first = c->first_wrong, last = first;
    while (last + 1 < o->count && is_wrong(o, last + 1)) last++;
    if (last - first + 1 != c->wrong) return false;
    if (last + 1 == o->count) {
        uint64_t block = 1024;
        while (block >= 32 && (first % block != 0 || c->wrong >= block)) block /= 2;
        if (block >= 32)
            snprintf(text, FAMILY_PATTERN,
                     "only the tail is wrong: the last %llu of %llu, the partial block from %llu on",
                     (unsigned long long)c->wrong, (unsigned long long)o->count, (unsigned long long)first);
        else
            snprintf(text, FAMILY_PATTERN, "only the tail is wrong: the last %llu of %llu, from %llu on",
                     (unsigned long long)c->wrong, (unsigned long long)o->count, (unsigned long long)first);
    } else if (first == 0) {
        snprintf(text, FAMILY_PATTERN, "only the first %llu of %llu are wrong", (unsigned long long)c->wrong,
                 (unsigned long long)o->count);
    } else {
        snprintf(text, FAMILY_PATTERN, "one run of %llu is wrong, from %llu to %llu",
                 (unsigned long long)c->wrong, (unsigned long long)first, (unsigned long long)last);
    }
    add_contents(o, c, text);
    return true;
}

static const char *ordinal_ending(uint64_t n) {
    if (n % 100 / 10 == 1) return "th";
    return n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : n % 10 == 3 ? "rd" : "th";
}

// All elements i = first (mod period) are wrong, and no others.
static bool periodic(const family_output *o, const family_comparison *c, char *text) {
    if (c->wrong < 3 || c->wrong == o->count) return false;
    uint64_t period = 0, last = c->first_wrong;
    for (uint64_t i = last + 1; i < o->count && !period; i++)
        if (is_wrong(o, i)) period = i - last;
    if (period < 2 || c->first_wrong >= period) return false;
    for (uint64_t i = 0; i < o->count; i++)
        if (is_wrong(o, i) != (i % period == c->first_wrong)) return false;
    const char *hint = period == 32       ? ": one lane of every warp"
                       : period % 32 == 0 ? ": one thread of every block?"
                                          : "";
    snprintf(text, FAMILY_PATTERN, "every %llu%s element is wrong, from %llu on%s",
             (unsigned long long)period, ordinal_ending(period), (unsigned long long)c->first_wrong, hint);
    add_contents(o, c, text);
    return true;
}

static bool scaled(const family_output *o, const family_comparison *c, char *text) {
    if (c->wrong < 4 || c->wrong != o->count) return false;
    double ratio = got_at(o, 0) / o->expected[0];
    if (!isfinite(ratio) || ratio == 0) return false;
    for (uint64_t i = 0; i < o->count; i++)
        if (!family_is_right(got_at(o, i) / ratio, o->expected[i],
                             4 * o->bound[i] + 1e-3 * fabs(o->expected[i])))
            return false;
    snprintf(text, FAMILY_PATTERN, "every element is %.4g times what it should be", ratio);
    return true;
}

static bool one_kind(const family_output *o, const family_comparison *c, char *text) {
    const char *what = what_they_hold(o, c);
    unsigned long long wrong = c->wrong, count = o->count;
    if (all_wrong_are(o, c, is_dropped_nan))
        snprintf(text, FAMILY_PATTERN, "NaN was dropped: %llu of %llu should be NaN and are numbers", wrong,
                 count);
    else if (what && strcmp(what, "NaN") == 0)
        snprintf(
            text, FAMILY_PATTERN,
            "%llu of %llu are NaN where numbers were expected: something was read that was never written?",
            wrong, count);
    else if (what)
        snprintf(text, FAMILY_PATTERN, "%llu of %llu are wrong, and all of those are %s", wrong, count, what);
    else if (all_wrong_are(o, c, is_negated))
        snprintf(text, FAMILY_PATTERN, "%llu of %llu have the wrong sign", wrong, count);
    else if (isfinite(c->worst_ratio) && all_wrong_are(o, c, is_near))
        snprintf(text, FAMILY_PATTERN,
                 "near, but up to %.3g times the error bound: accumulated in a lower precision?",
                 c->worst_ratio);
    else
        return false;
    return true;
}

static const pattern_function patterns[] = {every_element, copied,   kept,   moved,
                                            one_end,       periodic, scaled, one_kind};

static void name_pattern(const family_output *o, family_comparison *c) {
    for (size_t i = 0; i < BASE_COUNT(patterns); i++)
        if (patterns[i](o, c, c->pattern)) return;
    if (o->count == 1)
        snprintf(c->pattern, FAMILY_PATTERN, "the value is wrong");
    else
        snprintf(
            c->pattern, FAMILY_PATTERN, "%llu of %llu elements are wrong, from %llu on, in no simple pattern",
            (unsigned long long)c->wrong, (unsigned long long)o->count, (unsigned long long)c->first_wrong);
}

void family_compare(const family_output *o, family_comparison *c) {
    *c = (family_comparison){.count = o->count};
    for (uint64_t i = 0; i < o->count; i++) {
        double got = got_at(o, i);
        note_worst(o, c, i, got);
        if (family_is_right(got, o->expected[i], o->bound[i])) continue;
        if (c->wrong++ == 0) {
            c->first_wrong = i;
            c->got = got;
            c->expected = o->expected[i];
            c->bound = o->bound[i];
        }
    }
    if (c->wrong) name_pattern(o, c);
}
