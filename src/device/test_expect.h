// What the tests of devices expect of a call.
#ifndef DEVICE_TEST_EXPECT_H
#define DEVICE_TEST_EXPECT_H

#include "base/base.h"
#include "unit.h"

// A call that must succeed; its last argument is `trouble`.
#define GOOD(call)                                                                                           \
    do {                                                                                                     \
        kz_error error_ = {0};                                                                               \
        kz_error *trouble = &error_;                                                                         \
        if (call) fail_msg("%s: %s", #call, error_.message);                                                 \
    } while (0)

#endif
