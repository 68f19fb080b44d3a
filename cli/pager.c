// A text page by page, in the reader's own pager.
#include "pager.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "learner.h"
#include "toolchain/toolchain.h"

bool cli_pager_is_longer(const char *text, size_t below) {
    struct winsize window = {0};
    size_t lines = below;
    for (; *text; text++) lines += *text == '\n';
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_row && lines > window.ws_row;
}

// All of it, however often the system takes only a part.
static bool write_all(int file, const char *text, size_t size) {
    for (ssize_t done; size; text += done, size -= (size_t)done)
        if ((done = write(file, text, size)) <= 0) return false;
    return true;
}

bool cli_pager_show(const char *text, size_t size, const char *keys) {
    char less[TOOLCHAIN_PATH], path[64], command[256];
    const char *own = getenv("PAGER");
    bool has_own = own && *own;
    if (!has_own && !toolchain_find_program("less", less)) return false;
    snprintf(command, sizeof command, "less -R -X -P'%s'", keys);
    setenv("LESS", "-R -X", 0); // colours as they are, where somebody's own pager is a bare less
    int memory = memfd_create("page", 0);
    bool shown = memory >= 0 && write_all(memory, text, size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", memory);
    kz_error error = {0};
    if (shown) shown = cli_learner_edit(has_own ? own : command, path, &error) == KZ_OK;
    if (memory >= 0) close(memory);
    return shown;
}
