// A family's measured.csv: the variant that was fastest for a shape. One is built in, another may lie in the user's folder,
// where `kz tune` writes it.
//
// A row is gpu,case,variant,microseconds: "h200,nt-bf16-m4096-n4096-k4096-batch1-slack0-uniform,02_tile_128x256,175.2".
// A line that is not such a row, or names no variant of the family, is passed over and counted.
#ifndef FAMILY_MEASURED_H
#define FAMILY_MEASURED_H

#include "base/base.h"
#include "kz/family.h"

#define FAMILY_MEASURED_HEADER "gpu,case,variant,microseconds\n"

typedef struct family_measured_row {
    char gpu[32];
    kz_case c;
    const kz_variant *variant;
    double microseconds;
} family_measured_row;

// The next row of `*text`; false at the end. `bad`, which may be NULL, counts the lines that were passed over.
bool family_measured_next(const kz_family *family, const char **text, family_measured_row *row, size_t *bad);

// How many times the axes differ, in powers of two, all together; HUGE_VAL where operation, type or misalignment do, or
// where one is a multiple of 8 and the other is not.
double family_measured_distance(const kz_family *family, const kz_case *a, const kz_case *b);

// The table without the rows that later ones about the same GPU and case replace, and with a header. Comments stay.
void family_measured_tidy(const kz_family *family, const char *text, base_text *tidy);

// The user's table of the family; false where the user has no folder.
bool family_measured_path(const kz_family *family, base_text *path);

#endif
