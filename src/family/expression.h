// Arithmetic in a guest's comment lines: "ceil(n/256)".
#ifndef FAMILY_EXPRESSION_H
#define FAMILY_EXPRESSION_H

#include "kz/kz.h"

typedef struct family_name_value {
    const char *name;
    double value;
} family_name_value;

// Evaluates one expression at *text and leaves *text behind it. `names` ends with a NULL name.
kz_status family_evaluate(const char **text, const family_name_value *names, double *value, kz_error *error);

#endif
