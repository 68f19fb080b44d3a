// Words for what is wrong: what the wrong elements have in common, the likely cause and the next step.
//
// A pattern function answers whether all wrong elements are wrong in one way, and tells it. They are tried from
// the most specific to the vaguest; the first that fits is kept.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "family/compare.h"
#include "family/inputs.h"

typedef unsigned long long number; // for printing

static double got_at(const family_output *o, uint64_t i) { return kz_element_get(o->type, o->got, i); }

static bool is_wrong(const family_output *o, uint64_t i) {
    return !family_is_right(got_at(o, i), o->expected[i], o->bound[i]);
}

static bool is_integer(const family_output *o) { return !base_type_is_float(o->type); }

__attribute__((format(printf, 4, 5))) static bool explain(family_comparison *c, const char *cause,
                                                          const char *next, const char *format, ...) {
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
        if (is_wrong(o, i) && !fits(o, i)) return false;
    return true;
}

static bool is_untouched(const family_output *o, uint64_t i) {
    return family_is_poison(o->type, (const char *)o->got + i * kz_type_size(o->type));
}
static bool is_zero(const family_output *o, uint64_t i) { return got_at(o, i) == 0; }
static bool is_nan(const family_output *o, uint64_t i) { return isnan(got_at(o, i)); }
static bool is_inf(const family_output *o, uint64_t i) { return isinf(got_at(o, i)); }
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
// Within a few units of what the bound allows, or of the last place where it allows nothing.
static bool is_last_bits(const family_output *o, uint64_t i) {
    double error = fabs(got_at(o, i) - o->expected[i]);
    return error <= 64 * fmax(o->bound[i], 2 * kz_half_ulp(o->type, o->expected[i]));
}

// What the wrong elements hold, as a clause after "they are ...".
static const char *what_they_hold(const family_output *o, const family_comparison *c) {
    if (all_wrong_are(o, c, is_untouched)) return "never written";
    if (all_wrong_are(o, c, is_zero)) return "zero";
    if (all_wrong_are(o, c, is_nan)) return "NaN";
    if (all_wrong_are(o, c, is_inf)) return "infinite";
    return NULL;
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

// Words for kernels, or for C functions, which have neither threads nor shared memory.
static const char *either(const family_output *o, const char *kernel, const char *plain) {
    return o->is_plain_c ? plain : kernel;
}

static const char *cause_of_nan(const family_output *o) {
    if (o->is_defined)
        return "an overflow made an infinity, and inf - inf, inf / inf or 0 * inf made NaN; or 0 / 0, the "
               "root or "
               "logarithm of a negative number";
    return either(o,
                  "a value that was never set takes part: an output that is added to (+=), shared memory, a "
                  "register; or inf / inf, 0 / 0",
                  "a value that was never set takes part: an output that is added to (+=), a local variable, "
                  "memory of malloc; or inf / inf, 0 / 0");
}

static const char *next_of_nan(const family_output *o) {
    return o->is_defined ? "kz sanitize FILE --numerics names the line that makes the first NaN or infinity"
                         : "set it before the first use; outputs hold garbage before the run";
}

static void add_contents(const family_output *o, family_comparison *c) {
    const char *what = what_they_hold(o, c);
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
    const char *what = what_they_hold(o, c);
    if (!what) return false;
    if (strcmp(what, "never written") == 0)
        return explain(
            c,
            either(o,
                   "nothing was stored there: a guard that is never true, a store elsewhere; or += on "
                   "what was never set",
                   "nothing was stored there: a loop that never runs, a store elsewhere; or += on what "
                   "was never set"),
            "store with = first, a constant if need be, and see whether it arrives",
            "the output was never written, or only added to (+=)");
    if (strcmp(what, "NaN") == 0) // outputs are poisoned with NaN, and what is added to NaN stays one
        return explain(c, cause_of_nan(o), next_of_nan(o), "%s NaN", every_is(o));
    if (strcmp(what, "infinite") == 0)
        return explain(c, "an overflow, or a division by zero", "look at the largest value on the way there",
                       "%s infinite", every_is(o));
    return explain(c, "a result that is computed and not stored, or an accumulator that is never added to",
                   "follow one element from its load to its store", "%s %s", every_is(o), what);
}

// The same number everywhere, where it should be others: what is stored does not depend on who stores it.
static bool constant(const family_output *o, family_comparison *c) {
    if (o->count < 4 || c->wrong < o->count / 2) return false;
    bool differs = false;
    for (uint64_t i = 1; i < o->count; i++) {
        if (!(got_at(o, i) == got_at(o, 0))) return false; // NaN: every_element
        differs = differs || o->expected[i] != o->expected[0];
    }
    if (!differs) return false;
    for (size_t i = 0; o->names && o->names[i]; i++)
        if (o->values[i] == got_at(o, 0) && fabs(o->values[i]) > 1)
            return explain(c, "that very number is stored instead of what was computed for the element",
                           "say what element 0 should get, and compare it with what the line stores",
                           "every element is %.9g, which is %s", got_at(o, 0), o->names[i]);
    return explain(c, "what is stored is the same for every element: the index takes no part in it",
                   "say what element 0 and element 1 should get, and what in the line makes the difference",
                   "every element is %.9g", got_at(o, 0));
}

static bool equals_bytes(const family_output *o, const void *other) {
    return other && o->count && memcmp(o->got, other, o->count * kz_type_size(o->type)) == 0;
}

static bool copied(const family_output *o, family_comparison *c) {
    if (!equals_bytes(o, o->input)) return false;
    return explain(c, "the input is stored as it was read", "store what was computed from it",
                   "the output is a copy of the input");
}

static bool kept(const family_output *o, family_comparison *c) {
    if (!equals_bytes(o, o->previous)) return false;
    return explain(c,
                   either(o, "a value in a __device__ or static variable outlives the launch",
                          "a value in a static or global variable outlives the call"),
                   "compute it from this run's inputs, and set what accumulates at its beginning",
                   "the output is that of the run before, on other data: it is stale");
}

// What the kernel computed from its two inputs, instead of what was asked for.
static bool other_operation(const family_output *o, family_comparison *c) {
    char formula[FAMILY_PATTERN / 2];
    if (c->wrong < 4 || !family_find_operation(o, formula, sizeof formula)) return false;
    return explain(c, "another operator than the statement's, or its operands exchanged",
                   "compare the line that computes with the statement", "every element is %s", formula);
}

// ---- right, but elsewhere -------------------------------------------------------------------------------

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

static bool is_matrix(const family_output *o) {
    return o->rows > 1 && o->columns > 1 && o->rows * o->columns == o->count;
}

static bool moved(const family_output *o, family_comparison *c) {
    family_output other_way = *o;
    other_way.rows = o->columns;
    other_way.columns = o->rows;
    if (is_matrix(o) && (maps_to(o, map_transposed) || maps_to(&other_way, map_transposed)))
        return explain(c, "row and column are exchanged in one index, or the width is taken for the height",
                       "write row * columns + column at every access, with x for the column",
                       "the output is transposed: rows and columns are exchanged");
    if (maps_to(o, map_next))
        return explain(c, "an index counts from 1, or a load is one too far",
                       "compare the indices of load and store",
                       "every element holds the answer of the next one: an index is one too high");
    if (maps_to(o, map_last))
        return explain(c, "a store is one too far, or an inclusive result is taken for an exclusive one",
                       "compare the indices of load and store",
                       "every element holds the answer of the one before: an index is one too low");
    if (maps_to(o, map_reversed))
        return explain(c, "the index runs from the end", "compare the indices of load and store",
                       "the output is right, but backwards");
    return false;
}

// ---- where the wrong ones are ---------------------------------------------------------------------------

// For elements that hold numbers, and wrong ones: somebody came by.
static const char WRONG_PARTS[] =
    "these are computed, but from wrong parts: what they take from the elements before "
    "them, or the special case at an edge",
                  BY_HAND[] = "work the first of them out by hand, term by term";

static bool first_block_alone(const family_output *o, family_comparison *c) {
    if (o->block < 2 || c->first_wrong != o->block || c->wrong != o->count - o->block) return false;
    explain(c, "the index has no blockIdx in it, or the grid has one block",
            "i = blockIdx.x * blockDim.x + threadIdx.x, and as many blocks as the size asks for",
            "only the first block is right: all from %llu on are wrong", (number)o->block);
    add_contents(o, c);
    return true;
}

// Thread t of block b stored element t * block + b: right are the first elements of each run of `block`, one for
// each block of the grid.
static bool swapped_indices(const family_output *o, family_comparison *c) {
    if (o->block < 2 || o->is_plain_c || o->count <= o->block) return false;
    uint64_t blocks = (o->count + o->block - 1) / o->block;
    if (blocks >= o->block || !what_they_hold(o, c)) return false;
    for (uint64_t i = 0; i < o->count; i++)
        if (is_wrong(o, i) != (i % o->block >= blocks)) return false;
    explain(c, "threadIdx and blockIdx are swapped: threadIdx.x * blockDim.x + blockIdx.x",
            "i = blockIdx.x * blockDim.x + threadIdx.x",
            "all but the first %llu of every %llu are wrong, and the grid has as many blocks", (number)blocks,
            (number)o->block);
    add_contents(o, c);
    return true;
}

static bool last_partial_block(const family_output *o, family_comparison *c) {
    if (o->block < 2 || o->count < o->block || o->count % o->block == 0) return false;
    uint64_t from = o->count - o->count % o->block;
    if (c->first_wrong < from) return false;
    bool is_missing = what_they_hold(o, c) != NULL;
    explain(c, is_missing ? "the grid is rounded down, or the guard at the end is one off" : WRONG_PARTS,
            is_missing ? "check the guard (i < n) and the number of blocks, (n + block - 1) / block"
                       : BY_HAND,
            "all wrong indices are in the last partial block, from %llu on (blocks of %llu)", (number)from,
            (number)o->block);
    add_contents(o, c);
    return true;
}

// The wrong elements of a matrix lie in its last rows or columns, from a tile's border on.
static bool last_tiles(const family_output *o, family_comparison *c) {
    if (!is_matrix(o) || c->wrong == o->count) return false;
    uint64_t row = o->rows, column = o->columns;
    for (uint64_t i = c->first_wrong; i < o->count; i++) {
        if (!is_wrong(o, i)) continue;
        if (i / o->columns < row) row = i / o->columns;
        if (i % o->columns < column) column = i % o->columns;
    }
    bool by_column = column >= 4 && column % 4 == 0 && o->columns - column < column;
    bool by_row = row >= 4 && row % 4 == 0 && o->rows - row < row;
    if (by_column == by_row || (by_row && row == c->first_wrong)) return false;
    explain(c, "the partial tile at the border is left out, or its guard has the wrong size",
            "round the number of tiles up, and guard rows and columns each with its own size",
            "all wrong elements are in the last %s, from %s %llu on", by_column ? "columns" : "rows",
            by_column ? "column" : "row", (number)(by_column ? column : row));
    add_contents(o, c);
    return true;
}

static void explain_tail(const family_output *o, family_comparison *c, uint64_t first) {
    bool is_missing = what_they_hold(o, c) != NULL; // else they were computed, from the wrong things
    const char *cause =
        is_missing ? either(o, "the grid is too small, or the loop ends too early",
                            "a loop ends too early: a bound that is one too small, or another size's")
                   : WRONG_PARTS;
    const char *next = is_missing
                           ? either(o, "count the threads that there are, and the elements that each takes",
                                    "work out the last index that each loop reaches")
                           : BY_HAND;
    uint64_t block = 1024;
    while (block >= 32 && (first % block != 0 || c->wrong >= block)) block /= 2;
    if (c->wrong == 1 && block >= 32 && !o->is_plain_c)
        explain(c, cause, next, "only the last of %llu is wrong, alone in the partial block from %llu on",
                (number)o->count, (number)first);
    else if (c->wrong == 1)
        explain(c, cause, next, "only the last of %llu is wrong", (number)o->count);
    else if (block >= 32 && !o->is_plain_c)
        explain(c, cause, next,
                "only the tail is wrong: the last %llu of %llu, the partial block from %llu on",
                (number)c->wrong, (number)o->count, (number)first);
    else
        explain(c, cause, next, "only the tail is wrong: the last %llu of %llu, from %llu on",
                (number)c->wrong, (number)o->count, (number)first);
}

static void explain_beginning(const family_output *o, family_comparison *c) {
    const char *cause = "the beginning is treated as a special case, or written twice";
    const char *next = either(o, "look at what thread 0, warp 0 or block 0 does differently",
                              "look at what the first rounds of the loop do differently");
    if (c->wrong == 1)
        explain(c, cause, next, "only the first of %llu is wrong", (number)o->count);
    else
        explain(c, cause, next, "only the first %llu of %llu are wrong", (number)c->wrong, (number)o->count);
}

static bool is_underflow(const family_output *o, uint64_t i) {
    return is_zero(o, i) && o->expected[i] != 0 && fabs(o->expected[i]) < 1e-30;
}

static bool underflowed(const family_output *o, family_comparison *c) {
    if (is_integer(o) || !all_wrong_are(o, c, is_underflow)) return false;
    return explain(
        c,
        "a number on the way there is too small for the type: exp of a very negative number, a product of "
        "small ones",
        "scale first: take the greatest away before exp, or divide before multiplying",
        c->wrong == 1 ? "it should be very small and is zero: an underflow"
                      : "they should be very small and are zero: an underflow");
}

// The wrong elements are one run, perhaps at one of the array's ends.
static bool one_run(const family_output *o, family_comparison *c) {
    if (c->wrong == o->count) return false;
    uint64_t first = c->first_wrong, last = first;
    while (last + 1 < o->count && is_wrong(o, last + 1)) last++;
    if (last - first + 1 != c->wrong) return false;
    const char *cause = "one piece of the work is not done, or done by two";
    const char *next = either(o, "see which thread or block has these indices",
                              "see which round of which loop has these indices");
    if (last + 1 == o->count)
        explain_tail(o, c, first);
    else if (first == 0)
        explain_beginning(o, c);
    else if (c->wrong == 1)
        explain(c, cause, next, "one element alone is wrong, [%llu]", (number)first);
    else
        explain(c, cause, next, "one run of %llu is wrong, from %llu to %llu", (number)c->wrong,
                (number)first, (number)last);
    add_contents(o, c);
    return true;
}

static const char *ordinal_ending(uint64_t n) {
    if (n % 100 / 10 == 1) return "th";
    return n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : n % 10 == 3 ? "rd" : "th";
}

// All elements i = first (mod period) are wrong, and no others.
static bool periodic(const family_output *o, family_comparison *c) {
    if (c->wrong < 3 || c->wrong == o->count) return false;
    uint64_t period = 0, last = c->first_wrong;
    for (uint64_t i = last + 1; i < o->count && !period; i++)
        if (is_wrong(o, i)) period = i - last;
    if (period < 2 || c->first_wrong >= period) return false;
    for (uint64_t i = 0; i < o->count; i++)
        if (is_wrong(o, i) != (i % period == c->first_wrong)) return false;
    bool first = c->first_wrong == 0, ends = c->first_wrong == period - 1;
    if (is_matrix(o) && period == o->columns) {
        explain(c,
                ends    ? "a loop or a guard over the columns ends one too early, or has another size"
                : first ? "the first column is treated differently, or has no neighbour before it"
                        : "the index of the column goes wrong there",
                "take one row, and go through its columns by hand",
                "column %llu of %llu is wrong in every row", (number)c->first_wrong, (number)o->columns);
        add_contents(o, c);
        return true;
    }
    const char *hint = o->is_plain_c        ? ""
                       : period == 32       ? ": one lane of every warp"
                       : period == o->block ? ": one thread of every block"
                       : period % 32 == 0   ? ": one thread of every block?"
                                            : "";
    explain(c,
            first  ? "the first of each group is treated differently, or has no neighbour before it"
            : ends ? "the last of each group is left out: < where <= belongs, or no neighbour behind it"
                   : "one index of each group goes wrong",
            either(o, "look at what this lane or thread does differently from its neighbours",
                   "see which loop comes by with this period, and what its index is then"),
            "every %llu%s element is wrong, from %llu on%s", (number)period, ordinal_ending(period),
            (number)c->first_wrong, hint);
    add_contents(o, c);
    return true;
}

// Only elements beside the borders of blocks: what a stencil's halo is about.
static bool at_borders(const family_output *o, family_comparison *c) {
    if (o->block < 16 || c->wrong < 4 || c->wrong == o->count) return false;
    uint64_t reach = o->block / 8 > 4 ? 4 : o->block / 8;
    for (uint64_t i = c->first_wrong; i < o->count; i++) {
        uint64_t in = i % o->block;
        if (is_wrong(o, i) && in >= reach && in < o->block - reach) return false;
    }
    explain(c, "what a block needs of its neighbours' elements is missing or stale: the halo",
            "load the halo before the barrier, and mind the two ends of the array",
            "all wrong elements are beside the borders of blocks of %llu", (number)o->block);
    add_contents(o, c);
    return true;
}

// ---- how they are wrong ---------------------------------------------------------------------------------

static const char *cause_of_factor(const family_output *o, double ratio) {
    if (ratio == 2)
        return either(o, "counted twice: added where it should be set, or run by two threads",
                      "counted twice: added where it should be set, or added in two places");
    if (ratio == 0.5) return "half of the terms: one of two loads, or one of two halves, is missing";
    if (ratio == 32 && !o->is_plain_c) return "every lane of a warp adds what one should";
    if (o->block && ratio == (double)o->block) return "every thread of a block adds what one should";
    if (o->is_plain_c) return "a factor is missing or applied twice: a scale, a mean's division";
    return "a factor is missing or applied twice: a scale, a mean's division, a number of threads";
}

static bool scaled(const family_output *o, family_comparison *c) {
    if (c->wrong != o->count) return false;
    double ratio = got_at(o, 0) / o->expected[0];
    if (!isfinite(ratio) || ratio == 0) return false;
    double whole = ratio >= 1 ? round(ratio) : 1 / round(1 / ratio);
    double slack = 4 * o->bound[0] / fabs(o->expected[0]) + 1e-3;
    bool is_whole = isfinite(whole) && fabs(ratio / whole - 1) <= slack;
    if (is_whole) ratio = whole;
    if (c->wrong < 4 && (!is_whole || ratio == 1)) return false; // few numbers say little
    for (uint64_t i = 0; i < o->count; i++)
        if (!family_is_right(got_at(o, i) / ratio, o->expected[i],
                             4 * o->bound[i] + 1e-3 * fabs(o->expected[i])))
            return false;
    if (ratio == 1) return false; // near, but not scaled
    const char *next = "search for what multiplies, and for who adds";
    if (ratio == -1) return explain(c, "a minus too many", next, "every element has the wrong sign");
    return explain(c, cause_of_factor(o, ratio), next, "%s %.4g times what it should be",
                   o->count == 1 ? "the value is" : "every element is", ratio);
}

static bool offset(const family_output *o, family_comparison *c) {
    if (c->wrong < 4 || c->wrong != o->count) return false;
    double step = got_at(o, 0) - o->expected[0], size = fabs(step);
    if (!isfinite(step) || step == 0) return false;
    for (uint64_t i = 0; i < o->count; i++) {
        double error = got_at(o, i) - o->expected[i] - step;
        if (!(fabs(error) <= 4 * o->bound[i] + (is_integer(o) ? 0 : 1e-3 * size))) return false;
    }
    return explain(
        c, is_integer(o) ? "a count begins at 1, or counts one element too many" : "a constant is added",
        "follow one element by hand", "every element is too %s by %.6g", step > 0 ? "large" : "small", size);
}

static bool are_mostly(const family_output *o, const family_comparison *c, element_function fits) {
    uint64_t count = 0;
    for (uint64_t i = c->first_wrong; i < o->count; i++) count += is_wrong(o, i) && fits(o, i);
    return 2 * count > c->wrong;
}

static bool kind_of_numbers(const family_output *o, family_comparison *c, const char *what) {
    number wrong = c->wrong, count = o->count;
    char clause[48];
    if (strcmp(what, "NaN") == 0)
        return explain(c, cause_of_nan(o), next_of_nan(o),
                       wrong == 1 ? "%llu of %llu is NaN where a number was expected"
                                  : "%llu of %llu are NaN where numbers were expected",
                       wrong, count);
    hold_clause(c, what, clause);
    return explain(c,
                   strcmp(what, "infinite") == 0
                       ? "an overflow, or a division by zero"
                       : either(o, "these indices are taken by no thread, or by one that stops early",
                                "no loop comes to these indices, or it is left early"),
                   either(o, "see which thread has the first of them, and follow it",
                          "see which round of which loop has the first of them"),
                   "%llu of %llu %s wrong, and %s", wrong, count, wrong == 1 ? "is" : "are", clause);
}

static bool one_kind(const family_output *o, family_comparison *c) {
    const char *what = what_they_hold(o, c);
    number wrong = c->wrong, count = o->count;
    if (all_wrong_are(o, c, is_dropped_nan))
        return explain(c, "fmaxf, fminf and comparisons let NaN go: they answer with the other operand",
                       "test for NaN (x != x) where it must come through",
                       wrong == 1 ? "NaN was dropped: %llu of %llu should be NaN and is a number"
                                  : "NaN was dropped: %llu of %llu should be NaN and are numbers",
                       wrong, count);
    if (what) return kind_of_numbers(o, c, what);
    if (all_wrong_are(o, c, is_negated))
        return explain(c, "a minus too many, or an absolute value that is missing", "look at the signs",
                       "%llu of %llu %s the wrong sign", wrong, count, wrong == 1 ? "has" : "have");
    if (is_integer(o)) return false;
    const char *cause =
        "arithmetic or an accumulator in a narrower type, an approximate function, or a formula "
        "that cancels";
    const char *next = either(
        o, "accumulate in the type that the task names; leave out __half, fast-math and approximations",
        "accumulate in the type that the task names, and look for terms that cancel");
    if (isfinite(c->worst_ratio) && all_wrong_are(o, c, is_near))
        return explain(c, cause, next,
                       "near, but up to %.3g times the error bound: accumulated in a lower precision?",
                       c->worst_ratio);
    if (all_wrong_are(o, c, is_last_bits))
        return explain(c, cause, next,
                       "wrong in the last bits alone: the exact result, rounded once, is asked for");
    if (c->wrong >= 4 && are_mostly(o, c, is_near))
        return explain(
            c, "a difference of numbers that are nearly equal: what is left of them are rounding errors",
            "write the formula so that nothing cancels, or compute it in a wider type",
            "most are near what they should be and some are not: precision is lost on the way");
    return false;
}

typedef bool (*pattern_function)(const family_output *o, family_comparison *c);
static const pattern_function patterns[] = {
    every_element,   underflowed, constant,          copied,          kept,
    other_operation, moved,       first_block_alone, swapped_indices, last_partial_block,
    last_tiles,      one_run,     periodic,          scaled,          offset,
    at_borders,      one_kind};

void family_name_pattern(const family_output *o, family_comparison *c) {
    for (size_t i = 0; i < BASE_COUNT(patterns); i++)
        if (patterns[i](o, c)) return;
    const char *next = "take the smallest case that is wrong, and work one wrong element out by hand";
    if (o->count == 1)
        explain(c, "", next, "the value is wrong");
    else
        explain(c, "", next, "%llu of %llu elements are wrong, from %llu on, in no simple pattern",
                (number)c->wrong, (number)o->count, (number)c->first_wrong);
}
