// Comparison: every element against the reference and its error bound, and what the wrong ones
// have in common, in words.
#ifndef FAMILY_COMPARE_H
#define FAMILY_COMPARE_H

#include "kz/family.h"

enum { FAMILY_PATTERN = 240 };

// What a kernel's output is compared with. All of it is read only.
typedef struct family_output {
    kz_type type;
    uint64_t count;
    const void *got;
    const double *expected, *bound;
    kz_read *read; // an element of `got`; NULL: as `type` says
    // Only for naming the pattern; may be NULL.
    const void *input;          // an input of the same type and count: was it merely copied?
    const void *second;         // another such input: is it another operation of the two?
    const char *input_names[2]; // theirs
    const void *previous;       // what the kernel wrote in an earlier run on other data: was it kept?
    const void *initial;        // what it held before the run, where that was given
    uint64_t rows, columns;     // of a matrix: is it transposed? 0 where it is none
    uint64_t block; // threads of a block, where they take as many neighbours; 0 where that is not known
    const kz_launch *launch; // how the kernel was launched
    bool is_grid_given;      // whoever judges chose the grid: it is no mistake
    bool is_zeroed;          // it may have held zeros before the run; else it was poisoned
    bool is_defined;         // it is known that nothing was read that had never been set
    bool is_chance;  // in other runs the values are neither off by a factor nor near: here that is chance
    bool is_plain_c; // a C function made it: loops and no threads, no shared memory
    const char *const *names; // of the run's scalars, ends with NULL: is it one of them everywhere?
    const double *values;     // theirs
} family_output;

typedef struct family_comparison {
    uint64_t count, wrong;
    uint64_t first_wrong; // index; the three values below are that element's
    double got, expected, bound;
    double worst_error; // greatest |got - expected| where both are finite
    double worst_ratio; // greatest error / bound: above 1 is wrong; Inf where the bound is 0
    uint64_t worst_index;
    // All values are off by one factor, or by one constant; most of them are near. Few numbers are so by chance.
    bool is_factor, is_near;
    char pattern[FAMILY_PATTERN];                     // "" where all is right
    char cause[FAMILY_PATTERN], next[FAMILY_PATTERN]; // likely why, and what to do; "" where nothing is known
} family_comparison;

// Whether `got` is right: |got - expected| <= bound; NaN expects NaN, Inf that very Inf; the bound
// KZ_ANYTHING allows all.
bool family_is_right(double got, double expected, double bound);

void family_compare(const family_output *output, family_comparison *comparison);

// The words for what the wrong elements have in common: `pattern`, `cause` and `next`. patterns.c.
void family_name_pattern(const family_output *output, family_comparison *comparison);

// Whether every element is one operation of the two inputs, and its formula: "x[i] - y[i]".
bool family_find_operation(const family_output *output, char *formula, size_t size);

#endif
