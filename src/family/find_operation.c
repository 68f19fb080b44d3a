// Which operation of two inputs gives an output: for a kernel that computes something else than was asked for.
#include <math.h>
#include <stdio.h>

#include "base/base.h"
#include "family/compare.h"

typedef enum operation { ADD, SUBTRACT, MULTIPLY, DIVIDE, MAXIMUM, MINIMUM, OPERATIONS } operation;

static double apply(operation op, double a, double b) {
    switch (op) {
    case ADD: return a + b;
    case SUBTRACT: return a - b;
    case MULTIPLY: return a * b;
    case DIVIDE: return a / b;
    case MAXIMUM: return fmax(a, b);
    default: return fmin(a, b);
    }
}

static void write_formula(operation op, const char *a, const char *b, char *text, size_t size) {
    if (op == MAXIMUM || op == MINIMUM)
        snprintf(text, size, "%s(%s[i], %s[i])", op == MAXIMUM ? "max" : "min", a, b);
    else
        snprintf(text, size, "%s[i] %c %s[i]", a, "+-*/"[op], b);
}

static bool is_result_of(const family_output *o, operation op, const void *a, const void *b) {
    for (uint64_t i = 0; i < o->count; i++) {
        double result = apply(op, kz_element_get(o->type, a, i), kz_element_get(o->type, b, i));
        if (!family_is_right(kz_element_get(o->type, o->got, i), result, 2 * kz_half_ulp(o->type, result)))
            return false;
    }
    return true;
}

bool family_find_operation(const family_output *o, char *formula, size_t size) {
    const void *const inputs[] = {o->input, o->second};
    if (!o->input || !o->second) return false;
    for (int op = 0; op < OPERATIONS; op++)
        for (int first = 0; first < 2; first++)
            if (is_result_of(o, (operation)op, inputs[first], inputs[!first])) {
                write_formula((operation)op, o->input_names[first], o->input_names[!first], formula, size);
                return true;
            }
    return false;
}
