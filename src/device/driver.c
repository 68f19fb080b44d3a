// Opens libcuda and explains its errors.
#include "device/driver.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef struct driver_symbol {
    const char *name;
    size_t offset; // into struct driver_table
    bool needed;
} driver_symbol;

static const driver_symbol symbols[] = {
#define NEED                               true
#define WANT                               false
#define DRIVER(name, symbol, need, params) {#symbol, offsetof(driver_table, name), need},
#include "device/driver.def"
#undef DRIVER
#undef NEED
#undef WANT
};

typedef struct driver_meaning {
    driver_result code;
    const char *name;
    kz_status status;
    bool sticky;
    const char *cause;
} driver_meaning;

static const driver_meaning meanings[] = {
#define ONCE                                            false
#define STICKY                                          true
#define DRIVER_ERROR(code, name, status, sticky, cause) {code, "CUDA_ERROR_" #name, status, sticky, cause},
#include "device/driver_errors.def"
#undef DRIVER_ERROR
#undef ONCE
#undef STICKY
};

static kz_status find_symbols(driver_table *d, void *library, const char *path, kz_error *error) {
    for (size_t i = 0; i < BASE_COUNT(symbols); i++) {
        void *address = dlsym(library, symbols[i].name);
        if (!address && symbols[i].needed) {
            base_fail(error, KZ_DRIVER, "%s has no %s", path, symbols[i].name);
            base_fail_note(error, "the NVIDIA driver is too old: 520 (CUDA 11.8) or newer is needed");
            return KZ_DRIVER;
        }
        memcpy((char *)d + symbols[i].offset, &address, sizeof address);
    }
    return KZ_OK;
}

kz_status device_driver_open(driver_table *d, kz_error *error) {
    const char *variable = getenv("KZ_LIBCUDA");
    const char *path = variable && variable[0] ? variable : "libcuda.so.1";
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) {
        const char *why = dlerror();
        base_fail(error, KZ_NO_DEVICE, "no CUDA device: %s", why ? why : path);
        if (path == variable)
            base_fail_note(error, "that library was named by the variable KZ_LIBCUDA");
        else
            base_fail_note(error, "the NVIDIA driver is not installed, or not visible in this container");
        return KZ_NO_DEVICE;
    }
    memset(d, 0, sizeof *d);
    kz_status status = find_symbols(d, library, path, error);
    if (!status) {
        driver_result result = d->init(0);
        if (result) status = device_driver_fail(d, result, "starting the CUDA driver", NULL, error);
        if (status == KZ_LOST) status = KZ_DRIVER; // nothing was there to be lost
        if (status && error) error->status = status;
    }
    dlclose(library); // RTLD_NODELETE keeps it
    return status;
}

kz_status device_driver_fail(const driver_table *d, driver_result result, const char *where, bool *sticky,
                             kz_error *error) {
    static const driver_meaning unlisted = {0, "an unknown error", KZ_DRIVER, false, NULL};
    const driver_meaning *meaning = &unlisted;
    for (size_t i = 0; i < BASE_COUNT(meanings); i++)
        if (meanings[i].code == result) meaning = &meanings[i];
    if (sticky) *sticky = meaning->sticky;

    const char *name = NULL, *text = NULL;
    if (d->error_name(result, &name) || !name) name = meaning->name;
    if (d->error_string(result, &text) || !text) text = "the driver has no text for it";
    base_fail(error, meaning->status, "%s: %s (%d, %s)", where, text, result, name);
    if (meaning->cause) base_fail_note(error, "%s", meaning->cause);
    return meaning->status;
}
