// Writing JSON: what every line of a record (docs/record.md) is made with.
#ifndef OBSERVE_RECORD_H
#define OBSERVE_RECORD_H

#include "base/base.h"

// "text" with quotes, escaped; bytes that are no UTF-8 become U+FFFD. NULL is the empty string.
void observe_write_string(base_text *out, const char *text);
// Whole numbers without a point, others so that they read back as they were; what is not finite is null.
void observe_write_number(base_text *out, double number);
void observe_write_3(base_text *out, const uint32_t values[3]); // [x,y,z]

#endif
