// What the tests of devices expect of a call. Include <cmocka.h> first.
#ifndef DEVICE_TEST_EXPECT_H
#define DEVICE_TEST_EXPECT_H

#include <string.h>

#include "base/base.h"

// A call that must succeed; its last argument is `trouble`.
#define GOOD(call)                                                                                           \
    do {                                                                                                     \
        kz_error error_ = {0};                                                                               \
        kz_error *trouble = &error_;                                                                         \
        if (call) fail_msg("%s: %s", #call, error_.message);                                                 \
    } while (0)

// The message has this text.
#define SAYS(error, text)                                                                                    \
    do {                                                                                                     \
        if (!strstr((error).message, text)) fail_msg("'%s' is not in: %s", text, (error).message);           \
    } while (0)

#endif
