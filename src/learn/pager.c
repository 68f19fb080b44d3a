// A text page by page, in the reader's own pager.
#include "learn/pager.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "learn/learner.h"
#include "toolchain/toolchain.h"

// Of the line at `text`, which is moved behind it: commands and paths are longer than some windows are wide.
static size_t rows_of_line(const char **text, size_t width) {
    size_t columns = 0;
    const char *c = *text;
    while (*c && *c != '\n') {
        bool is_colour = *c == '\033'; // as report prints it: up to its m
        if (is_colour) c += strcspn(c, "m\n");
        columns += !is_colour && ((unsigned char)*c & 0xc0) != 0x80;
        c += *c && *c != '\n';
    }
    *text = c + (*c == '\n');
    return columns ? (columns + width - 1) / width : 1;
}

bool learn_pager_is_longer(const char *text, size_t below) {
    struct winsize window = {0};
    size_t rows = below;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || !window.ws_row) return false;
    while (*text) rows += rows_of_line(&text, window.ws_col ? window.ws_col : 80);
    return rows > window.ws_row;
}

// All of it, however often the system takes only a part.
static bool write_all(int file, const char *text, size_t size) {
    for (ssize_t done; size; text += done, size -= (size_t)done)
        if ((done = write(file, text, size)) <= 0) return false;
    return true;
}

bool learn_pager_show(const char *text, size_t size, size_t first, const char *keys) {
    char less[TOOLCHAIN_PATH], path[64], command[256];
    const char *own = getenv("PAGER");
    bool has_own = own && *own;
    if (!has_own && !toolchain_find_program("less", less)) return false;
    snprintf(command, sizeof command, "less -R -X +%zu -P'%s'", first, keys);
    setenv("LESS", "-R -X", 0); // colours as they are, where somebody's own pager is a bare less
    bool was_secure = getenv("LESSSECURE") != NULL;
    setenv("LESSSECURE", "1", 0); // its key v would open an editor on a page that is nobody's file
    int memory = memfd_create("page", 0);
    bool shown = memory >= 0 && write_all(memory, text, size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", memory);
    kz_error error = {0};
    if (shown) shown = learn_edit(has_own ? own : command, path, &error) == KZ_OK;
    if (!was_secure) unsetenv("LESSSECURE");
    if (memory >= 0) close(memory);
    return shown;
}
