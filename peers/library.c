// See library.h.
#include "peers/library.h"

#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FOLDERS = 12 };

typedef struct folders { // globs
    char items[FOLDERS][PATH_MAX];
    size_t count;
} folders;

static void add(folders *f, const char *head, const char *tail) {
    if (!head || f->count == FOLDERS) return;
    int length = snprintf(f->items[f->count], PATH_MAX, "%s%s", head, tail);
    if (length < PATH_MAX) f->count++;
}

static void add_toolkit(folders *f, const char *root) {
    add(f, root, "/lib64");
    add(f, root, "/lib");
    add(f, root, "/targets/*-linux/lib");
}

// Removes the last part of a path.
static bool go_up(char *path) {
    char *slash = strrchr(path, '/');
    if (!slash) return false;
    *slash = '\0';
    return true;
}

// The interpreter of the checkout that this command was built in: .kz/python in a folder above it.
static bool find_in_checkout(char path[PATH_MAX]) {
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    if (length < 0) return false;
    path[length] = '\0';
    while (go_up(path)) {
        size_t end = strlen(path);
        if (end + sizeof "/.kz/python/bin/python" > PATH_MAX) continue;
        strcpy(path + end, "/.kz/python/bin/python");
        if (access(path, X_OK) == 0) return true;
        path[end] = '\0';
    }
    return false;
}

static bool find_on_path(char path[PATH_MAX]) {
    const char *folder = getenv("PATH");
    while (folder && *folder) {
        size_t length = strcspn(folder, ":");
        if (snprintf(path, PATH_MAX, "%.*s/python3", (int)length, folder) < PATH_MAX &&
            access(path, X_OK) == 0)
            return true;
        folder += length + (folder[length] == ':');
    }
    return false;
}

// Links are not followed: a virtual environment's interpreter is one, and its packages are beside the link.
static void add_python(folders *f) {
    char path[PATH_MAX];
    const char *given = getenv("KZ_PYTHON");
    bool found = given ? snprintf(path, sizeof path, "%s", given) < PATH_MAX
                       : find_in_checkout(path) || find_on_path(path);
    if (found && go_up(path)) add(f, path, "/../lib/python3*/*-packages/nvidia/*/lib");
    add(f, getenv("HOME"), "/.local/lib/python3*/site-packages/nvidia/*/lib");
    add(f, "/usr/local/lib", "/python3*/dist-packages/nvidia/*/lib");
}

static void *open_in(const folders *f, const char *file) {
    void *library = NULL;
    for (size_t i = 0; i < f->count && !library; i++) {
        char pattern[PATH_MAX + 64];
        glob_t found;
        snprintf(pattern, sizeof pattern, "%s/%.60s", f->items[i], file);
        if (glob(pattern, 0, NULL, &found) != 0) continue;
        for (size_t k = 0; k < found.gl_pathc && !library; k++)
            library = dlopen(found.gl_pathv[k], RTLD_NOW | RTLD_LOCAL);
        globfree(&found);
    }
    return library;
}

static void *find(const peer_wanted *wanted) {
    folders *f = calloc(1, sizeof *f);
    void *library = NULL;
    if (!f) return NULL;
    add_toolkit(f, getenv("CUDA_HOME"));
    add_toolkit(f, getenv("CUDA_PATH"));
    add_toolkit(f, "/usr/local/cuda");
    add_python(f);
    for (size_t i = 0; wanted->files[i] && !library; i++) {
        library = dlopen(wanted->files[i], RTLD_NOW | RTLD_LOCAL);
        if (!library) library = open_in(f, wanted->files[i]);
    }
    free(f);
    return library;
}

void peer_library_open(peer_library *library, const peer_wanted *wanted) {
    const char *given = getenv(wanted->variable), *problem = NULL;
    library->handle = given ? dlopen(given, RTLD_NOW | RTLD_LOCAL) : find(wanted);
    if (!library->handle && given) problem = dlerror();
    if (!library->handle && given)
        snprintf(library->problem, sizeof library->problem,
                 "%s names no library (%s): name another, or unset it", wanted->variable,
                 problem ? problem : "it cannot be opened");
    else if (!library->handle)
        snprintf(library->problem, sizeof library->problem,
                 "%s is in none of the folders where libraries are", wanted->files[0]);
    for (size_t i = 0; library->handle && i < wanted->symbol_count; i++) {
        void *found = dlsym(library->handle, wanted->symbols[i].name);
        memcpy(wanted->symbols[i].to, &found, sizeof found);
        if (!found && !library->problem[0])
            snprintf(library->problem, sizeof library->problem,
                     "this version of the library has no %s: install a newer one, or name its file with %s",
                     wanted->symbols[i].name, wanted->variable);
    }
}

void peer_library_require(peer_library *library, const char *least, bool enough) {
    if (enough || library->problem[0]) return;
    snprintf(library->problem, sizeof library->problem,
             "version %s of the library is too old: what is called needs %s or later", library->version,
             least);
}

const char *peer_library_version(const peer_library *library, const char **why) {
    if (library->handle) return library->version;
    *why = library->problem;
    return NULL;
}

bool peer_library_usable(const peer_library *library, const char **why) {
    if (library->problem[0]) *why = library->problem;
    return !library->problem[0];
}
