// Filling a kz_error. A message that does not fit is cut at its end, never overrun.
#include "base/base.h"

#include <stdio.h>
#include <string.h>

kz_status base_fail(kz_error *error, kz_status status, const char *format, ...) {
    if (!error) return status;
    error->status = status;
    va_list list;
    va_start(list, format);
    // Through a buffer of its own: the arguments may point into error->message.
    char message[sizeof error->message];
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    memcpy(error->message, message, strlen(message) + 1);
    return status;
}

void base_fail_note(kz_error *error, const char *format, ...) {
    if (!error) return;
    size_t used = strnlen(error->message, sizeof error->message - 1);
    if (used + 2 >= sizeof error->message) return;
    if (used > 0 && error->message[used - 1] != '\n') error->message[used++] = '\n';
    error->message[used] = 0;
    va_list list;
    va_start(list, format);
    vsnprintf(error->message + used, sizeof error->message - used, format, list);
    va_end(list);
}
