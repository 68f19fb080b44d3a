// What the tests of devices share that open one with a module.
#ifndef DEVICE_TEST_DEVICE_H
#define DEVICE_TEST_DEVICE_H

#include <stdlib.h>

#include "device/test_expect.h"
#include "kz/kz.h"

typedef struct fixture {
    kz_device *device;
    kz_module *module;
} fixture;

static inline int tear_down(void **state) {
    fixture *f = *state;
    kz_module_close(f->module);
    kz_device_close(f->device);
    free(f);
    return 0;
}

static inline kz_kernel *kernel_of(fixture *f, const char *name) {
    kz_kernel *kernel;
    GOOD(kz_module_kernel(f->module, name, &kernel, trouble));
    return kernel;
}

#endif
