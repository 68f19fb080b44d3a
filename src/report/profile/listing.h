// A kernel's source with what was counted on each line: what --annotate and the HTML page show.
#ifndef REPORT_PROF_LISTING_H
#define REPORT_PROF_LISTING_H

#include "report/profile/profile.h"

typedef struct report_prof_row {
    uint32_t line; // 0: lines were left out here
    bool counted;
    double share;          // of the kernel's cost
    double part;           // of its instructions
    double lanes;          // active, per instruction
    double sectors, ideal; // per request to global and local memory; 0 where there are none
    double ways;           // wavefronts over the ideal; 0 where there are none
    const char *reason, *advice;
} report_prof_row;

enum { REPORT_PROF_LISTING_FILES = 16 };
// The files that the kernel has lines of, the most costly first; gives how many.
size_t report_prof_listing_files(const report_prof_kernel *kernel,
                                 const char *files[REPORT_PROF_LISTING_FILES]);
// The rows of one file; malloc'ed. NULL when out of memory.
report_prof_row *report_prof_listing(const report_prof_kernel *kernel, const char *file,
                                     report_prof_sources *sources, size_t *count);

#endif
