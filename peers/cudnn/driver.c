// See driver.h.
#include "peers/cudnn/driver.h"

#include <dlfcn.h>
#include <string.h>

// A function of the driver, where a context is current; else NULL.
static void *driver_function(const char *name) {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *context = NULL;
    int (*current)(void **) = NULL;
    if (driver) *(void **)&current = dlsym(driver, "cuCtxGetCurrent");
    return current && current(&context) == 0 && context ? dlsym(driver, name) : NULL;
}

bool driver_wait(void *stream) {
    int (*synchronize)(void *);
    *(void **)&synchronize = driver_function("cuStreamSynchronize");
    return !synchronize || synchronize(stream) == 0;
}

bool driver_copy_in(kz_ptr to, const void *from, size_t bytes) {
    int (*copy)(kz_ptr to, const void *from, size_t bytes);
    *(void **)&copy = driver_function("cuMemcpyHtoD_v2");
    if (copy) return copy(to, from, bytes) == 0;
    memcpy((void *)(uintptr_t)to, from, bytes);
    return true;
}
