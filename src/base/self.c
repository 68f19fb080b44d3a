// The running process: its clocks, and where it was started from.
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"

double base_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

uint64_t base_wall_nanoseconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int64_t base_wall_seconds(void) { return (int64_t)(base_wall_nanoseconds() / 1000000000u); }

static void write_utc(const char *format, char text[BASE_UTC]) {
    time_t now = (time_t)base_wall_seconds();
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(text, BASE_UTC, format, &utc);
}

void base_utc_time(char text[BASE_UTC]) { write_utc("%Y-%m-%dT%H:%M:%SZ", text); }
void base_utc_stamp(char text[BASE_UTC]) { write_utc("%Y%m%dT%H%M%SZ", text); }

kz_status base_self_path(char path[BASE_PATH], kz_error *error) {
    ssize_t length = readlink("/proc/self/exe", path, BASE_PATH - 1);
    if (length <= 0) {
        path[0] = 0;
        return base_fail(error, KZ_IO, "this program cannot find itself: /proc/self/exe: %s",
                         strerror(errno));
    }
    path[length] = 0;
    return KZ_OK;
}

typedef struct search {
    const char *symbol, *except;
} search;

// Addresses in the dynamic section are where the object was loaded, but for the kernel's own, whose are its file's.
static int names_symbol(struct dl_phdr_info *object, size_t size, void *context) {
    const search *wanted = context;
    ElfW(Addr) strings = 0;
    size_t length = 0;
    if (object->dlpi_name && strstr(object->dlpi_name, wanted->except)) return 0;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        if (object->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
        const ElfW(Dyn) *row = (const void *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
        for (; row->d_tag != DT_NULL; row++) {
            if (row->d_tag == DT_STRTAB) strings = row->d_un.d_ptr;
            if (row->d_tag == DT_STRSZ) length = row->d_un.d_val;
        }
    }
    if (strings < object->dlpi_addr) strings += object->dlpi_addr;
    return length && memmem((const void *)strings, length, wanted->symbol, strlen(wanted->symbol) + 1);
}

bool base_self_names(const char *symbol, const char *except) {
    search wanted = {symbol, except};
    return dl_iterate_phdr(names_symbol, &wanted) != 0;
}

bool base_state_folder(base_text *path) {
    const char *results = getenv("KZ_RESULTS"), *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (results && *results)
        base_text_add(path, "%s", results);
    else if (state && *state)
        base_text_add(path, "%s/kz", state);
    else if (home && *home)
        base_text_add(path, "%s/.local/state/kz", home);
    else
        return false;
    return true;
}
