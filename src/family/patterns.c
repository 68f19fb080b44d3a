// Words for what is wrong: what the wrong elements have in common, the likely cause and the next step.
//
// Patterns are tried from the most specific to the vaguest; the first that fits is kept.
#include "family/patterns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "family/inputs.h"

double family_got_at(const family_output *o, uint64_t i) {
    return o->read ? o->read(o->got, i) : kz_element_get(o->type, o->got, i);
}

bool family_is_wrong(const family_output *o, uint64_t i) {
    return !family_is_right(family_got_at(o, i), o->expected[i], o->bound[i]);
}

static bool is_integer(const family_output *o) { return !o->read && !base_type_is_float(o->type); }

bool family_explain(family_comparison *c, const char *cause, const char *next, const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(c->pattern, FAMILY_PATTERN, format, list);
    va_end(list);
    snprintf(c->cause, FAMILY_PATTERN, "%s", cause);
    snprintf(c->next, FAMILY_PATTERN, "%s", next);
    return true;
}

// ---- what one element is --------------------------------------------------------------------------------

typedef bool (*element_function)(const family_output *o, uint64_t i);

static bool all_wrong_are(const family_output *o, const family_comparison *c, element_function fits) {
    for (uint64_t i = c->first_wrong; i < o->count; i++)
        if (family_is_wrong(o, i) && !fits(o, i)) return false;
    return true;
}

static bool is_untouched(const family_output *o, uint64_t i) {
    return family_is_poison(o->type, (const char *)o->got + i * kz_type_size(o->type));
}
static bool is_unchanged(const family_output *o, uint64_t i) {
    size_t size = kz_type_size(o->type), at = i * size;
    return memcmp((const char *)o->got + at, (const char *)o->initial + at, size) == 0;
}
static bool is_zero(const family_output *o, uint64_t i) { return family_got_at(o, i) == 0; }
static bool is_nan(const family_output *o, uint64_t i) { return isnan(family_got_at(o, i)); }
static bool is_inf(const family_output *o, uint64_t i) { return isinf(family_got_at(o, i)); }
static bool is_negated(const family_output *o, uint64_t i) {
    return o->expected[i] != 0 && family_is_right(-family_got_at(o, i), o->expected[i], o->bound[i]);
}
static bool is_dropped_nan(const family_output *o, uint64_t i) {
    return isnan(o->expected[i]) && !is_nan(o, i);
}
static bool is_near(const family_output *o, uint64_t i) {
    double error = fabs(family_got_at(o, i) - o->expected[i]);
    return isfinite(error) && (error <= 0.05 * fabs(o->expected[i]) || error <= 1000 * o->bound[i]);
}
// Within a few units of what the bound allows, or of the last place where it allows nothing.
static bool is_last_bits(const family_output *o, uint64_t i) {
    double error = fabs(family_got_at(o, i) - o->expected[i]);
    return error <= 64 * fmax(o->bound[i], 2 * kz_half_ulp(o->type, o->expected[i]));
}

const char *family_what_they_hold(const family_output *o, const family_comparison *c) {
    if (all_wrong_are(o, c, is_untouched)) return "never written";
    if (o->initial && all_wrong_are(o, c, is_unchanged)) return "as before the run";
    if (all_wrong_are(o, c, is_zero)) return "zero";
    if (all_wrong_are(o, c, is_nan)) return "NaN";
    if (all_wrong_are(o, c, is_inf)) return "infinite";
    return NULL;
}

bool family_is_missing(const family_output *o, const family_comparison *c) {
    return all_wrong_are(o, c, is_untouched) || (o->initial && all_wrong_are(o, c, is_unchanged)) ||
           (o->is_zeroed && all_wrong_are(o, c, is_zero));
}

// "it was never written", "they are zero"
static void hold_clause(const family_comparison *c, const char *what, char clause[48]) {
    bool was = strcmp(what, "never written") == 0;
    snprintf(clause, 48, "%s %s",
             c->wrong == 1 ? was ? "it was" : "it is"
             : was         ? "they were"
                           : "they are",
             what);
}

const char *family_either(const family_output *o, const char *kernel, const char *plain) {
    return o->is_plain_c ? plain : kernel;
}

static const char *cause_of_nan(const family_output *o) {
    if (o->is_defined)
        return "an overflow made an infinity, and inf - inf, inf / inf or 0 * inf made NaN; or 0 / 0, the "
               "root or "
               "logarithm of a negative number";
    return family_either(
        o,
        "a value that was never set takes part: an output that is added to (+=), shared memory, a "
        "register; or inf - inf, inf / inf, 0 * inf, 0 / 0",
        "a value that was never set takes part: an output that is added to (+=), a local variable, "
        "memory of malloc; or inf - inf, inf / inf, 0 * inf, 0 / 0");
}

static const char *next_of_nan(const family_output *o) {
    return o->is_defined ? "kz sanitize FILE --numerics names the line that makes the first NaN or infinity"
                         : "set it before the first use; outputs hold garbage before the run";
}

void family_add_contents(const family_output *o, family_comparison *c) {
    const char *what = family_what_they_hold(o, c);
    size_t used = strlen(c->pattern);
    char clause[48];
    if (!what || used >= FAMILY_PATTERN) return;
    hold_clause(c, what, clause);
    snprintf(c->pattern + used, FAMILY_PATTERN - used, "; %s", clause);
    if (!o->is_defined || strcmp(what, "NaN") != 0) return;
    snprintf(c->cause, FAMILY_PATTERN, "%s", cause_of_nan(o)); // what they are says more than where
    snprintf(c->next, FAMILY_PATTERN, "%s", next_of_nan(o));
}

// ---- all of it ------------------------------------------------------------------------------------------

static const char *every_is(const family_output *o) {
    return o->count == 1 ? "the value is" : "every element is";
}

static bool every_element(const family_output *o, family_comparison *c) {
    if (c->wrong != o->count) return false;
    const char *what = family_what_they_hold(o, c);
    if (!what) return false;
    if (strcmp(what, "never written") == 0)
        return family_explain(
            c,
            family_either(
                o,
                "nothing was stored there: a guard that is never true, a store elsewhere; or += on "
                "what was never set",
                "nothing was stored there: a loop that never runs, a store elsewhere; or += on what "
                "was never set"),
            "store with = first, a constant if need be, and see whether it arrives",
            "the output was never written, or only added to (+=)");
    if (strcmp(what, "NaN") == 0) // outputs are poisoned with NaN, and what is added to NaN stays one
        return family_explain(c, cause_of_nan(o), next_of_nan(o), "%s NaN", every_is(o));
    if (strcmp(what, "as before the run") == 0)
        return family_explain(
            c,
            family_either(o, "nothing is stored there: a guard that is never true, a store elsewhere",
                          "nothing is stored there: a loop that never runs, a store elsewhere"),
            "store a constant first, and see whether it arrives", "%s %s", every_is(o), what);
    if (strcmp(what, "infinite") == 0)
        return family_explain(c, "an overflow, or a division by zero",
                              "look at the largest value on the way there", "%s infinite", every_is(o));
    return family_explain(
        c,
        o->is_zeroed
            ? "nothing is stored there, or nothing but 0 is added: a guard that is never true, a loop that "
              "never runs, a cast to int"
            : "zero is stored: a first value of 0 that nothing is added to, or nothing exceeds, a loop that "
              "never runs, an integer "
              "division",
        "follow one element from its load to its store", "%s %s", every_is(o), what);
}

// The same number everywhere, where it should be others: what is stored does not depend on who stores it.
static bool constant(const family_output *o, family_comparison *c) {
    if (o->count < 4 || c->wrong < o->count / 2) return false;
    bool differs = false;
    for (uint64_t i = 1; i < o->count; i++) {
        if (!(family_got_at(o, i) == family_got_at(o, 0))) return false; // NaN: every_element
        differs = differs || o->expected[i] != o->expected[0];
    }
    if (!differs) return false;
    for (size_t i = 0; o->names && o->names[i]; i++)
        if (o->values[i] == family_got_at(o, 0) && fabs(o->values[i]) > 1)
            return family_explain(c,
                                  "that very number is stored instead of what was computed for the element",
                                  "say what element 0 should get, and compare it with what the line stores",
                                  "every element is %.9g, which is %s", family_got_at(o, 0), o->names[i]);
    return family_explain(
        c, "what is stored is the same for every element: the index takes no part in it",
        "say what element 0 and element 1 should get, and what in the line makes the difference",
        "every element is %.9g", family_got_at(o, 0));
}

static bool equals_bytes(const family_output *o, const void *other) {
    return other && o->count && memcmp(o->got, other, o->count * kz_type_size(o->type)) == 0;
}

static bool copied(const family_output *o, family_comparison *c) {
    if (!equals_bytes(o, o->input)) return false;
    return family_explain(c, "the input is stored as it was read", "store what was computed from it",
                          "the output is a copy of the input");
}

static bool kept(const family_output *o, family_comparison *c) {
    if (!equals_bytes(o, o->previous)) return false;
    return family_explain(c,
                          family_either(o, "a value in a __device__ or static variable outlives the launch",
                                        "a value in a static or global variable outlives the call"),
                          "compute it from this run's inputs, and set what accumulates at its beginning",
                          "the output is that of the run before, on other data: it is stale");
}

// What the kernel computed from its two inputs, instead of what was asked for.
static bool other_operation(const family_output *o, family_comparison *c) {
    char formula[FAMILY_PATTERN / 2];
    if (c->wrong < 4 || !family_find_operation(o, formula, sizeof formula)) return false;
    return family_explain(c, "another operator than the statement's, or its operands exchanged",
                          "compare the line that computes with the statement", "every element is %s",
                          formula);
}

static bool is_underflow(const family_output *o, uint64_t i) {
    return is_zero(o, i) && o->expected[i] != 0 && fabs(o->expected[i]) < 1e-30;
}

static bool underflowed(const family_output *o, family_comparison *c) {
    if (is_integer(o) || !all_wrong_are(o, c, is_underflow)) return false;
    return family_explain(
        c,
        "a number on the way there is too small for the type: exp of a very negative number, a product of "
        "small ones",
        "scale first: take the greatest away before exp, or divide before multiplying",
        c->wrong == 1 ? "it should be very small and is zero: an underflow"
                      : "they should be very small and are zero: an underflow");
}

// ---- how they are wrong ---------------------------------------------------------------------------------

static const char *cause_of_factor(const family_output *o, double ratio) {
    if (ratio == 2)
        return family_either(o, "counted twice: added where it should be set, or run by two threads",
                             "counted twice: added where it should be set, or added in two places");
    if (ratio == 0.5) return "half of the terms: one of two loads, or one of two halves, is missing";
    if (ratio == 32 && !o->is_plain_c) return "every lane of a warp adds what one should";
    if (o->block && ratio == (double)o->block) return "every thread of a block adds what one should";
    if (o->is_plain_c) return "a factor is missing or applied twice: a scale, a mean's division";
    return "a factor is missing or applied twice: a scale, a mean's division, a number of threads";
}

static const char *next_of_factor(const family_output *o, double ratio) {
    bool is_by_all = !o->is_plain_c && (ratio == 32 || (o->block && ratio == (double)o->block));
    return is_by_all ? "let one thread add it: if (threadIdx.x == 0), or lane 0 of a warp"
                     : "search for what multiplies, and for who adds";
}

// Of few numbers any has some ratio: it must be a whole one, or one by a whole one, and no large one.
static bool is_round(const family_output *o, uint64_t i, double *ratio) {
    static const double LARGEST = 1024;
    double whole = fabs(*ratio) >= 1 ? round(*ratio) : 1 / round(1 / *ratio);
    double slack = fmin(2 * o->bound[i] / fabs(o->expected[i]) + 1e-5, 0.05 / fabs(whole));
    if (!isfinite(whole) || !(fabs(*ratio / whole - 1) <= slack)) return false;
    *ratio = whole;
    return fabs(whole) <= LARGEST && fabs(whole) >= 1 / LARGEST;
}

// The factor is one of the run's scalars, or one by it: "s is missing". False where it is none.
static bool scaled_by_name(const family_output *o, family_comparison *c, double ratio) {
    for (size_t i = 0; o->names && o->names[i]; i++) {
        double value = o->values[i];
        bool is_too_many = fabs(ratio / value - 1) <= 1e-5, is_missing = fabs(ratio * value - 1) <= 1e-5;
        char cause[FAMILY_PATTERN];
        if (fabs(value) == 1 || (fabs(value) == 2 && o->count < 4) || !(is_too_many || is_missing)) continue;
        snprintf(cause, sizeof cause,
                 is_missing ? "%s is left out, or divided by once too often"
                            : "%s is applied twice, or not divided by",
                 o->names[i]);
        return family_explain(c, cause, "search for where it takes part", "%s %s%s times what %s should be",
                              o->count == 1 ? "the value is" : "they are", is_missing ? "1/" : "",
                              o->names[i], o->count == 1 ? "it" : "they");
    }
    return false;
}

// All values are off by one factor; zeros have any.
static bool scaled(const family_output *o, family_comparison *c) {
    uint64_t first = c->first_wrong;
    if (o->is_chance) return false;
    double ratio = family_got_at(o, first) / o->expected[first];
    if (!isfinite(ratio) || ratio == 0) return false;
    bool round_one = is_round(o, first, &ratio);
    if (fabs(ratio - 1) < 0.01) return false; // near, but not scaled
    for (uint64_t i = 0; i < o->count; i++)
        if (!family_is_right(family_got_at(o, i) / ratio, o->expected[i],
                             4 * o->bound[i] + 1e-3 * fabs(o->expected[i])))
            return false;
    c->is_factor = true;
    if (scaled_by_name(o, c, ratio)) return true;
    c->is_factor = c->wrong >= 4 || round_one;
    if (!c->is_factor) return false;
    const char *next = next_of_factor(o, ratio);
    if (ratio == -1) return family_explain(c, "a minus too many", next, "every element has the wrong sign");
    return family_explain(c, cause_of_factor(o, ratio), next, "%s %.4g times what it should be",
                          o->count == 1 ? "the value is" : "every element is", ratio);
}

// Every row is off by a factor of its own, as where the division by its sum is missing.
static bool scaled_rows(const family_output *o, family_comparison *c) {
    if (o->rows < 3 || o->columns < 2 || o->rows * o->columns != o->count || 2 * c->wrong < o->count)
        return false;
    for (uint64_t r = 0; r < o->rows; r++) {
        uint64_t from = r * o->columns, most = from;
        for (uint64_t i = from; i < from + o->columns; i++)
            if (fabs(o->expected[i]) > fabs(o->expected[most])) most = i;
        double ratio = family_got_at(o, most) / o->expected[most];
        if (!isfinite(ratio) || ratio == 0) return false;
        for (uint64_t i = from; i < from + o->columns; i++)
            if (!family_is_right(family_got_at(o, i) / ratio, o->expected[i],
                                 4 * o->bound[i] + 1e-4 * fabs(o->expected[i])))
                return false;
    }
    return family_explain(
        c, "what a row is divided or multiplied by, its sum or its scale, is wrong or missing",
        "work that number out for the first row, and compare", "every row is off by a factor of its own");
}

static bool offset(const family_output *o, family_comparison *c) {
    if (c->wrong < 4 || c->wrong != o->count || o->is_chance) return false;
    double step = family_got_at(o, 0) - o->expected[0], size = fabs(step);
    if (!isfinite(step) || step == 0) return false;
    bool differs = false; // of equal numbers any difference is one constant
    for (uint64_t i = 1; i < o->count; i++) differs = differs || o->expected[i] != o->expected[0];
    if (!differs) return false;
    for (uint64_t i = 0; i < o->count; i++) {
        double error = family_got_at(o, i) - o->expected[i] - step;
        if (!(fabs(error) <= 4 * o->bound[i] + (is_integer(o) ? 0 : 1e-3 * size))) return false;
    }
    c->is_factor = true;
    return family_explain(
        c, is_integer(o) ? "a count begins at 1, or counts one element too many" : "a constant is added",
        "follow one element by hand", "every element is too %s by %.6g", step > 0 ? "large" : "small", size);
}

static bool are_mostly(const family_output *o, const family_comparison *c, element_function fits) {
    uint64_t count = 0;
    for (uint64_t i = c->first_wrong; i < o->count; i++) count += family_is_wrong(o, i) && fits(o, i);
    return 2 * count > c->wrong;
}

static bool is_very_near(const family_output *o, uint64_t i) {
    return is_near(o, i) && fabs(family_got_at(o, i) - o->expected[i]) <= 0.005 * fabs(o->expected[i]);
}
static bool is_near_or_overflowed(const family_output *o, uint64_t i) {
    return is_near(o, i) || !isfinite(family_got_at(o, i));
}

// Of few numbers one is soon near another, unless other runs say the same: of a kernel all of them are asked.
static bool are_near(const family_output *o, const family_comparison *c) {
    if (c->wrong >= 4) return are_mostly(o, c, is_near_or_overflowed);
    return all_wrong_are(o, c, o->launch ? is_near_or_overflowed : is_very_near);
}

static bool kind_of_numbers(const family_output *o, family_comparison *c, const char *what) {
    number wrong = c->wrong, count = o->count;
    char clause[48];
    if (strcmp(what, "NaN") == 0)
        return family_explain(c, cause_of_nan(o), next_of_nan(o),
                              wrong == 1 ? "%llu of %llu is NaN where a number was expected"
                                         : "%llu of %llu are NaN where numbers were expected",
                              wrong, count);
    hold_clause(c, what, clause);
    bool is_infinite = strcmp(what, "infinite") == 0, is_missing = family_is_missing(o, c);
    const char *cause =
        is_infinite  ? "an overflow, or a division by zero"
        : is_missing ? family_either(o, "these indices are taken by no thread, or by one that stops early",
                                     "no loop comes to these indices, or it is left early")
                     : "zero is stored there: a condition that leaves them out (< for <=), or a sum that "
                       "nothing is added to";
    return family_explain(c, cause,
                          family_either(o, "see which thread has the first of them, and follow it",
                                        "see which round of which loop has the first of them"),
                          "%llu of %llu %s wrong, and %s", wrong, count, wrong == 1 ? "is" : "are", clause);
}

static bool one_kind(const family_output *o, family_comparison *c) {
    const char *what = family_what_they_hold(o, c);
    number wrong = c->wrong, count = o->count;
    if (all_wrong_are(o, c, is_dropped_nan))
        return family_explain(c,
                              "fmaxf, fminf and comparisons let NaN go: they answer with the other operand",
                              "test for NaN (x != x) where it must come through",
                              wrong == 1 ? "NaN was dropped: %llu of %llu should be NaN and is a number"
                                         : "NaN was dropped: %llu of %llu should be NaN and are numbers",
                              wrong, count);
    if (what) return kind_of_numbers(o, c, what);
    if (all_wrong_are(o, c, is_negated))
        return family_explain(c, "a minus too many, or an absolute value that is missing",
                              "look at the signs", "%llu of %llu %s the wrong sign", wrong, count,
                              wrong == 1 ? "has" : "have");
    if (is_integer(o)) return false;
    const char *cause =
        "arithmetic or an accumulator in a narrower type, an approximate function, or a formula "
        "that cancels";
    const char *next = family_either(
        o, "accumulate in the type that the task names; leave out __half, fast-math and approximations",
        "accumulate in the type that the task names, and look for terms that cancel");
    if (isfinite(c->worst_ratio) && !o->is_chance && c->is_near && all_wrong_are(o, c, is_near))
        return family_explain(c, cause, next,
                              "near, but up to %.3g times the error bound: accumulated in a lower precision?",
                              c->worst_ratio);
    if (all_wrong_are(o, c, is_last_bits))
        return family_explain(c, cause, next,
                              "wrong in the last bits alone: the exact result, rounded once, is asked for");
    if (c->wrong >= 4 && !o->is_chance && c->is_near)
        return family_explain(
            c,
            "arithmetic in a narrower type, an approximate function, or a difference of numbers that are "
            "nearly equal",
            "compute in the type that the task names, and write the formula so that nothing cancels",
            "most are near what they should be and some are not: precision is lost on the way");
    return false;
}

static family_pattern *const patterns[] = {every_element,
                                           underflowed,
                                           constant,
                                           copied,
                                           kept,
                                           other_operation,
                                           scaled,
                                           family_moved,
                                           family_first_block_alone,
                                           family_first_row_alone,
                                           family_inside_or_border,
                                           family_swapped_indices,
                                           family_swapped_axes,
                                           family_blocks_overlap,
                                           family_last_partial_block,
                                           family_last_tiles,
                                           family_one_run,
                                           family_periodic,
                                           scaled_rows,
                                           offset,
                                           family_at_borders,
                                           one_kind};

void family_name_pattern(const family_output *o, family_comparison *c) {
    c->is_near = !is_integer(o) && are_near(o, c);
    for (size_t i = 0; i < BASE_COUNT(patterns); i++)
        if (patterns[i](o, c)) return;
    const char *next = "work one wrong element of the smallest wrong case out by hand";
    if (o->count == 1)
        family_explain(c, "", next, "the value is wrong");
    else
        family_explain(c, "", next, "%llu of %llu elements are wrong, from %llu on, in no simple pattern",
                       (number)c->wrong, (number)o->count, (number)c->first_wrong);
}
