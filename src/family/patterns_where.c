// Patterns of place: right answers at wrong indices, and where the wrong elements lie. See patterns.h.
#include "family/patterns.h"

static bool is_matrix(const family_output *o) {
    return o->rows > 1 && o->columns > 1 && o->rows * o->columns == o->count;
}

// Rows and columns exchanged: of which one an output has so many is not known.
static family_output other_way(const family_output *o) {
    family_output other = *o;
    other.rows = o->columns;
    other.columns = o->rows;
    return other;
}

// ---- right, but elsewhere -------------------------------------------------------------------------------

typedef uint64_t map_function(const family_output *o, uint64_t i, uint64_t tile);

// Whether the output is the expected one read through another index; most must be wrong, for equal numbers are right
// at any index.
static bool maps_to(const family_output *o, map_function map, uint64_t tile) {
    uint64_t wrong = 0, compared = 0;
    for (uint64_t i = 0; i < o->count; i++) {
        uint64_t j = map(o, i, tile);
        if (j >= o->count) continue;
        if (!family_is_right(family_got_at(o, i), o->expected[j], o->bound[j])) return false;
        compared++;
        wrong += family_is_wrong(o, i);
    }
    return compared >= 4 && 2 * wrong >= compared;
}

static uint64_t map_transposed(const family_output *o, uint64_t i, uint64_t tile) {
    return i % o->rows * o->columns + i / o->rows;
}
static uint64_t map_next(const family_output *o, uint64_t i, uint64_t tile) { return i + 1; }
static uint64_t map_last(const family_output *o, uint64_t i, uint64_t tile) {
    return i - 1;
} // 0 wraps past the end
static uint64_t map_reversed(const family_output *o, uint64_t i, uint64_t tile) { return o->count - 1 - i; }
static uint64_t map_tiles(const family_output *o, uint64_t i, uint64_t tile) {
    uint64_t r = i / o->columns, c = i % o->columns;
    uint64_t row = r - r % tile + c % tile, column = c - c % tile + r % tile;
    return row < o->rows && column < o->columns ? row * o->columns + column : UINT64_MAX;
}

static bool maps_either_way(const family_output *o, map_function map, uint64_t tile) {
    family_output other = other_way(o);
    return is_matrix(o) && (maps_to(o, map, tile) || maps_to(&other, map, tile));
}

bool family_moved(const family_output *o, family_comparison *c) {
    if (maps_either_way(o, map_transposed, 0))
        return family_explain(
            c, "row and column are exchanged in one index, or the width is taken for the height",
            "write row * columns + column at every access, with x for the column",
            "the output is transposed: rows and columns are exchanged");
    for (uint64_t tile = 32; tile >= 8; tile /= 2)
        if (maps_either_way(o, map_tiles, tile))
            return family_explain(
                c,
                "the two indices of the tile come in the same order where it is filled and where "
                "it is read, tile[y][x] twice",
                "exchange them in one of the two: fill tile[y][x], read tile[x][y]",
                "each tile of %llu x %llu is at its place, but transposed in itself", (number)tile,
                (number)tile);
    if (maps_to(o, map_next, 0))
        return family_explain(c, "an index counts from 1, or a load is one too far",
                              "compare the indices of load and store",
                              "every element holds the answer of the next one: an index is one too high");
    if (maps_to(o, map_last, 0))
        return family_explain(c,
                              "a store is one too far, or an inclusive result is taken for an exclusive one",
                              "compare the indices of load and store",
                              "every element holds the answer of the one before: an index is one too low");
    if (maps_to(o, map_reversed, 0))
        return family_explain(c, "the index runs from the end", "compare the indices of load and store",
                              "the output is right, but backwards");
    return false;
}

// ---- blocks ---------------------------------------------------------------------------------------------

// For elements that hold numbers, and wrong ones: somebody came by.
static const char WRONG_PARTS[] =
    "these are computed, but from wrong parts: what they take from the elements before "
    "them, or the special case at an edge",
                  BY_HAND[] = "work the first of them out by hand, term by term";

static const char *cause_of_first_alone(const family_output *o, bool is_missing, bool is_warp) {
    if (!is_missing && is_warp) return "later warps lack what comes from those before (an offset, a carry)";
    if (!is_missing)
        return "later blocks lack what comes from those before (an offset, a carry), or their index has no "
               "blockIdx in "
               "it";
    if (is_warp) return "the index, or a guard, is of one warp";
    return o->is_grid_given ? "the index has no blockIdx in it"
                            : "the index has no blockIdx in it, or the grid has one block";
}

// Only the first block is right, or in a larger block the first warp.
bool family_first_block_alone(const family_output *o, family_comparison *c) {
    enum { WARP = 32 };
    bool is_warp = o->block > WARP && c->first_wrong == WARP, is_missing = family_is_missing(o, c);
    if (o->block < 2 || (c->first_wrong != o->block && !is_warp) || c->wrong != o->count - c->first_wrong)
        return false;
    family_explain(c, cause_of_first_alone(o, is_missing, is_warp),
                   is_warp && !is_missing
                       ? "work the first of them out by hand: its own warp's part, and that of those before"
                   : is_missing && !o->is_grid_given
                       ? "i = blockIdx.x * blockDim.x + threadIdx.x, and as many blocks as the size asks for"
                       : "i = blockIdx.x * blockDim.x + threadIdx.x",
                   "only the first %s is right: all from %llu on are wrong", is_warp ? "warp" : "block",
                   (number)c->first_wrong);
    family_add_contents(o, c);
    return true;
}

// Row 0 needs no length of a row in its index.
bool family_first_row_alone(const family_output *o, family_comparison *c) {
    if (!is_matrix(o) || o->rows < 3 || c->first_wrong != o->columns || c->wrong != o->count - o->columns)
        return false;
    bool is_missing = family_is_missing(o, c);
    family_explain(c,
                   is_missing ? "the index has no row in it, or a loop over the rows ends early"
                              : "the length of a row is wrong in one index, or the row is not in it",
                   is_missing ? "write row * columns + column, and see which thread has row 1"
                              : "row * (length of that array's rows) + column, at every access",
                   "only row 0 of %llu is right", (number)o->rows);
    family_add_contents(o, c);
    return true;
}

static bool is_border(const family_output *o, uint64_t i) {
    uint64_t r = i / o->columns, c = i % o->columns;
    return r == 0 || c == 0 || r + 1 == o->rows || c + 1 == o->columns;
}

// All of the inside is wrong and none of the border, or the other way round.
bool family_inside_or_border(const family_output *o, family_comparison *c) {
    if (!is_matrix(o) || o->rows < 3 || o->columns < 3 || c->wrong == o->count) return false;
    bool is_at_border = is_border(o, c->first_wrong);
    for (uint64_t i = 0; i < o->count; i++)
        if (family_is_wrong(o, i) != (is_border(o, i) == is_at_border)) return false;
    family_explain(
        c,
        is_at_border ? "the elements at the edges, which have fewer neighbours, are treated wrong"
                     : "what is computed where all neighbours exist: a coefficient, a sign, a neighbour",
        is_at_border ? "work out element 0 by hand" : "work out the first of them by hand, term by term",
        is_at_border ? "the border is wrong and the inside is right"
                     : "the inside is wrong and the border is right");
    family_add_contents(o, c);
    return true;
}

// Thread t of block b stored element t * block + b: right are the first elements of each run of `block`, one for
// each block of the grid.
bool family_swapped_indices(const family_output *o, family_comparison *c) {
    if (o->block < 2 || o->is_plain_c || o->count <= o->block) return false;
    uint64_t blocks = (o->count + o->block - 1) / o->block;
    if (blocks >= o->block || !family_is_missing(o, c)) return false;
    for (uint64_t i = 0; i < o->count; i++)
        if (family_is_wrong(o, i) != (i % o->block >= blocks)) return false;
    family_explain(c, "threadIdx and blockIdx are swapped: threadIdx.x * blockDim.x + blockIdx.x",
                   "i = blockIdx.x * blockDim.x + threadIdx.x",
                   "all but the first %llu of every %llu are wrong, and the grid has as many blocks",
                   (number)blocks, (number)o->block);
    family_add_contents(o, c);
    return true;
}

// Element (r, c) was left out where r is past the threads in x, or c past those in y, though the other way round there
// are enough.
static bool is_covered_the_other_way(const family_output *o) {
    const kz_launch *l = o->launch;
    uint64_t x = (uint64_t)l->grid[0] * l->block[0], y = (uint64_t)l->grid[1] * l->block[1];
    if (!is_matrix(o) || x < 2 || y < 2 || o->columns > x || o->rows > y) return false;
    for (uint64_t i = 0; i < o->count; i++)
        if (family_is_wrong(o, i) != (i / o->columns >= x || i % o->columns >= y)) return false;
    return true;
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

bool family_swapped_axes(const family_output *o, family_comparison *c) {
    if (!o->launch || !family_is_missing(o, c)) return false;
    family_output other = other_way(o);
    bool is_other = !is_covered_the_other_way(o);
    if (is_other && !is_covered_the_other_way(&other)) return false;
    const family_output *m = is_other ? &other : o;
    const kz_launch *l = o->launch;
    family_explain(
        c, "x and y are exchanged: the index with .x runs down the rows, and the one with .y along them",
        "column = blockIdx.x * blockDim.x + threadIdx.x, row = the same with .y",
        "of %llu x %llu only %llu x %llu are right, as many as there are threads in y and in x",
        (number)m->columns, (number)m->rows, (number)least(m->columns, (uint64_t)l->grid[1] * l->block[1]),
        (number)least(m->rows, (uint64_t)l->grid[0] * l->block[0]));
    family_add_contents(o, c);
    return true;
}

// Thread t of block b stored element b * gridDim.x + t.
bool family_blocks_overlap(const family_output *o, family_comparison *c) {
    uint64_t blocks = o->launch ? o->launch->grid[0] : 0, first = c->first_wrong;
    if (o->block < 2 || blocks < 2 || blocks == o->block || !family_is_missing(o, c)) return false;
    if (first != (blocks - 1) * blocks + o->block || c->wrong != o->count - first) return false;
    family_explain(c, "blockIdx.x is multiplied by gridDim.x, not by blockDim.x",
                   "i = blockIdx.x * blockDim.x + threadIdx.x",
                   "all from %llu on are wrong, as if %llu blocks of %llu began %llu apart", (number)first,
                   (number)blocks, (number)o->block, (number)blocks);
    family_add_contents(o, c);
    return true;
}

bool family_last_partial_block(const family_output *o, family_comparison *c) {
    if (o->block < 2 || o->count < o->block || o->count % o->block == 0) return false;
    uint64_t from = o->count - o->count % o->block;
    if (c->first_wrong < from) return false;
    bool is_missing = family_is_missing(o, c), is_whole = c->wrong == o->count - from;
    const char *cause = c->wrong == 1 && !is_whole ? "a guard that ends one too early"
                        : !is_whole                ? "a guard that ends too early"
                        : o->is_grid_given
                            ? "a guard that lets whole blocks through alone, or ends too early"
                            : "the number of blocks is rounded down, or the guard ends too early";
    family_explain(c, is_missing ? cause : WRONG_PARTS,
                   !is_missing ? BY_HAND
                   : o->is_grid_given
                       ? "compare the guard with i < n"
                       : "check the guard (i < n) and the number of blocks, (n + block - 1) / block",
                   "all wrong indices are in the last partial block, from %llu on (blocks of %llu)",
                   (number)from, (number)o->block);
    family_add_contents(o, c);
    return true;
}

// The wrong elements of a matrix lie in its last rows or columns, from a tile's border on.
bool family_last_tiles(const family_output *o, family_comparison *c) {
    if (!is_matrix(o) || c->wrong == o->count) return false;
    uint64_t row = o->rows, column = o->columns;
    for (uint64_t i = c->first_wrong; i < o->count; i++) {
        if (!family_is_wrong(o, i)) continue;
        if (i / o->columns < row) row = i / o->columns;
        if (i % o->columns < column) column = i % o->columns;
    }
    bool by_column = column >= 4 && column % 4 == 0 && o->columns - column < column;
    bool by_row = row >= 4 && row % 4 == 0 && o->rows - row < row;
    if (by_column == by_row || (by_row && row == c->first_wrong)) return false;
    family_explain(c, "the partial tile at the border is left out, or its guard has the wrong size",
                   "round the number of tiles up, and guard rows and columns each with its own size",
                   "all wrong elements are in the last %s, from %s %llu on", by_column ? "columns" : "rows",
                   by_column ? "column" : "row", (number)(by_column ? column : row));
    family_add_contents(o, c);
    return true;
}

// ---- runs and periods -----------------------------------------------------------------------------------

static const char *cause_of_missing_tail(const family_output *o, const family_comparison *c) {
    if (o->is_plain_c) return "a loop ends too early: a bound that is one too small, or another size's";
    if (c->wrong == 1) return "a guard or a loop that ends one too early";
    if (o->is_grid_given)
        return "a guard or a loop that ends too early, or an index that does not come that far";
    return "the grid is too small, or a guard or a loop ends too early";
}

static void explain_tail(const family_output *o, family_comparison *c, uint64_t first) {
    bool is_missing = family_is_missing(o, c); // else they were computed, from the wrong things
    const char *cause = is_missing ? cause_of_missing_tail(o, c) : WRONG_PARTS;
    const char *next = !is_missing ? BY_HAND
                                   : family_either(o, "work out the index of the last thread, and its guard",
                                                   "work out the last index that each loop reaches");
    uint64_t block = o->launch ? 0 : 1024; // where the block is known, others have spoken of it
    while (block >= 32 && (first % block != 0 || c->wrong >= block)) block /= 2;
    if (c->wrong == 1 && block >= 32 && !o->is_plain_c)
        family_explain(c, cause, next,
                       "only the last of %llu is wrong, alone in the partial block from %llu on",
                       (number)o->count, (number)first);
    else if (c->wrong == 1)
        family_explain(c, cause, next, "only the last of %llu is wrong", (number)o->count);
    else if (block >= 32 && !o->is_plain_c)
        family_explain(c, cause, next,
                       "only the tail is wrong: the last %llu of %llu, the partial block from %llu on",
                       (number)c->wrong, (number)o->count, (number)first);
    else
        family_explain(c, cause, next, "only the tail is wrong: the last %llu of %llu, from %llu on",
                       (number)c->wrong, (number)o->count, (number)first);
}

static void explain_beginning(const family_output *o, family_comparison *c) {
    bool is_missing = family_is_missing(o, c);
    const char *cause =
        is_missing
            ? family_either(o,
                            "no thread stores there: a guard that leaves the first out, or an index that "
                            "begins too late",
                            "a loop begins too late, or the index does")
            : "the beginning is treated as a special case, or stored to once more";
    const char *next = is_missing
                           ? family_either(o, "work out the index of thread 0 of block 0, and its guard",
                                           "work out the first index of each loop")
                           : family_either(o, "look at what thread 0, warp 0 or block 0 does differently",
                                           "look at what the first rounds of the loop do differently");
    if (c->wrong == 1)
        family_explain(c, cause, next, "only the first of %llu is wrong", (number)o->count);
    else if (2 * c->wrong > o->count && !is_missing) // the last ones are the special case
        family_explain(c, "", BY_HAND, "all but the last %llu of %llu are wrong",
                       (number)(o->count - c->wrong), (number)o->count);
    else
        family_explain(c, cause, next, "only the first %llu of %llu are wrong", (number)c->wrong,
                       (number)o->count);
}

// The wrong elements are one run, perhaps at one of the array's ends.
bool family_one_run(const family_output *o, family_comparison *c) {
    if (c->wrong == o->count) return false;
    uint64_t first = c->first_wrong, last = first;
    while (last + 1 < o->count && family_is_wrong(o, last + 1)) last++;
    if (last - first + 1 != c->wrong) return false;
    const char *cause = family_is_missing(o, c) ? "one piece of the work is not done"
                                                : "one piece of the work is done from wrong parts, or by two";
    const char *next = family_either(o, "see which thread or block has these indices",
                                     "see which round of which loop has these indices");
    if (last + 1 == o->count)
        explain_tail(o, c, first);
    else if (first == 0)
        explain_beginning(o, c);
    else if (c->wrong == 1)
        family_explain(c, cause, next, "one element alone is wrong, [%llu]", (number)first);
    else
        family_explain(c, cause, next, "one run of %llu is wrong, from %llu to %llu", (number)c->wrong,
                       (number)first, (number)last);
    family_add_contents(o, c);
    return true;
}

static const char *ordinal_ending(uint64_t n) {
    if (n % 100 / 10 == 1) return "th";
    return n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : n % 10 == 3 ? "rd" : "th";
}

static bool explain_column(const family_output *o, family_comparison *c, bool is_last) {
    bool is_first = c->first_wrong == 0;
    family_explain(c,
                   is_last ? "a loop or a guard over the columns ends one too early, or has another size"
                   : is_first && family_is_missing(o, c)
                       ? "a loop or an index over the columns begins one too late"
                   : is_first ? "the first column is treated differently, or has no neighbour before it"
                              : "the index of the column goes wrong there",
                   "take one row, and go through its columns by hand",
                   "column %llu of %llu is wrong in every row", (number)c->first_wrong, (number)o->columns);
    family_add_contents(o, c);
    return true;
}

static const char *cause_of_period(const family_output *o, const family_comparison *c, uint64_t period) {
    if (family_is_missing(o, c)) return "one index of each group is left out";
    if (c->first_wrong == 0)
        return "the first of each group is treated differently, or has no neighbour before it";
    if (c->first_wrong == period - 1)
        return "the last of each group is treated differently, or has no neighbour behind it";
    return "one index of each group goes wrong";
}

// All elements i = first (mod period) are wrong, and no others.
bool family_periodic(const family_output *o, family_comparison *c) {
    if (c->wrong < 3 || c->wrong == o->count) return false;
    uint64_t period = 0, last = c->first_wrong;
    for (uint64_t i = last + 1; i < o->count && !period; i++)
        if (family_is_wrong(o, i)) period = i - last;
    if (period < 2 || c->first_wrong >= period) return false;
    for (uint64_t i = 0; i < o->count; i++)
        if (family_is_wrong(o, i) != (i % period == c->first_wrong)) return false;
    if (is_matrix(o) && period == o->columns) return explain_column(o, c, c->first_wrong == period - 1);
    const char *hint = o->is_plain_c        ? ""
                       : period == 32       ? ": one lane of every warp"
                       : period == o->block ? ": one thread of every block"
                       : period % 32 == 0   ? ": one thread of every block?"
                                            : "";
    family_explain(c, cause_of_period(o, c, period),
                   family_either(o, "look at what this lane or thread does differently from its neighbours",
                                 "see which loop comes by with this period, and what its index is then"),
                   "every %llu%s element is wrong, from %llu on%s", (number)period, ordinal_ending(period),
                   (number)c->first_wrong, hint);
    family_add_contents(o, c);
    return true;
}

// Only elements beside the borders of blocks: what a stencil's halo is about.
bool family_at_borders(const family_output *o, family_comparison *c) {
    if (o->block < 16 || c->wrong < 4 || c->wrong == o->count) return false;
    uint64_t reach = o->block / 8 > 4 ? 4 : o->block / 8;
    for (uint64_t i = c->first_wrong; i < o->count; i++) {
        uint64_t in = i % o->block;
        if (family_is_wrong(o, i) && in >= reach && in < o->block - reach) return false;
    }
    family_explain(c, "what a block needs of its neighbours' elements is missing or stale: the halo",
                   "load the halo before the barrier, and mind the two ends of the array",
                   "all wrong elements are beside the borders of blocks of %llu", (number)o->block);
    family_add_contents(o, c);
    return true;
}
