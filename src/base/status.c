// The statuses' names and texts, from the one table.
#include "base/base.h"

const char *kz_status_name(kz_status status) {
    switch (status) {
#define KZ_STATUS(name, value, text)                                                                         \
    case KZ_##name:                                                                                          \
        return #name;
#include "kz/status.def"
#undef KZ_STATUS
    }
    return "UNKNOWN";
}

const char *kz_status_text(kz_status status) {
    switch (status) {
#define KZ_STATUS(name, value, text)                                                                         \
    case KZ_##name:                                                                                          \
        return text;
#include "kz/status.def"
#undef KZ_STATUS
    }
    return "unknown status";
}

const char *kz_version(void) { return KZ_VERSION; }
