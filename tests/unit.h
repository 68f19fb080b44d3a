// What every unit test includes: cmocka, with the headers that it wants before it; and what tests say of texts.
#ifndef UNIT_H
#define UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

// The text has this in it: a message, a page.
#define assert_has(text, wanted)                                                                             \
    do {                                                                                                     \
        const char *text_ = (text), *wanted_ = (wanted);                                                     \
        if (!text_ || !strstr(text_, wanted_))                                                               \
            fail_msg("'%s' is not in:\n%s", wanted_, text_ ? text_ : "(none)");                              \
    } while (0)

#endif
