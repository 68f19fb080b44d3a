// What the files that name patterns share: patterns.c tells how elements are wrong, patterns_where.c where they are.
//
// A pattern function answers whether all wrong elements are wrong in one way, and tells it. A cause is told only where
// the elements themselves are evidence for it.
#ifndef FAMILY_PATTERNS_H
#define FAMILY_PATTERNS_H

#include "base/base.h"
#include "family/compare.h"

typedef unsigned long long number; // for printing

double family_got_at(const family_output *o, uint64_t i);
bool family_is_wrong(const family_output *o, uint64_t i);

// What the wrong elements hold, where all hold the same: "never written", "zero", "NaN", "infinite"; else NULL.
const char *family_what_they_hold(const family_output *o, const family_comparison *c);

// Nothing was stored there: they are what they were before the run. Others were computed, from the wrong things.
bool family_is_missing(const family_output *o, const family_comparison *c);

__attribute__((format(printf, 4, 5))) bool family_explain(family_comparison *c, const char *cause,
                                                          const char *next, const char *format, ...);

// Adds "; they are zero" to the pattern, where they all hold the same.
void family_add_contents(const family_output *o, family_comparison *c);

// Words for kernels, or for C functions, which have neither threads nor shared memory.
const char *family_either(const family_output *o, const char *kernel, const char *plain);

typedef bool family_pattern(const family_output *o, family_comparison *c);
family_pattern family_moved, family_first_block_alone, family_first_row_alone, family_inside_or_border,
    family_swapped_indices, family_swapped_axes, family_blocks_overlap, family_last_partial_block,
    family_last_tiles, family_one_run, family_periodic, family_at_borders;

#endif
