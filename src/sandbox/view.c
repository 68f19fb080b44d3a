// What a program gets, prepared before the fork: its environment, and the paths that a confined one sees.
#include "confine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

// ---- the environment --------------------------------------------------------------------------------------------

// What a program may need to run at all; everything else stays here.
static bool is_kept(const char *variable) {
    static const char *const names[] = {"PATH=",
                                        "HOME=",
                                        "LANG=",
                                        "TZ=",
                                        "TMPDIR=",
                                        "LD_LIBRARY_PATH=",
                                        "XDG_CACHE_HOME=",
                                        "XDG_RUNTIME_DIR=",
                                        "CUDA_",
                                        "NVIDIA_",
                                        "KZ_",
                                        "LC_",
                                        "TERM="};
    for (size_t i = 0; i < BASE_COUNT(names); i++)
        if (strncmp(variable, names[i], strlen(names[i])) == 0) return true;
    return false;
}

static bool same_name(const char *a, const char *b) {
    size_t length = strcspn(a, "=");
    return strncmp(a, b, length) == 0 && b[length] == '=';
}

static void set(sandbox_plan *plan, size_t *count, const char *variable) {
    for (size_t i = 0; i < *count; i++)
        if (same_name(plan->variables[i], variable)) return; // who comes first has the word
    if (*count < SANDBOX_VARIABLES) plan->variables[(*count)++] = variable;
}

// Pointers only: the texts are the caller's, the plan's and this process's own.
void sandbox_environment_make(sandbox_plan *plan) {
    const sandbox_process *process = plan->process;
    size_t count = 0;
    for (size_t i = 0; process->environment && process->environment[i]; i++)
        set(plan, &count, process->environment[i]);
    if (process->is_confined && plan->mode != SANDBOX_OFF) {
        set(plan, &count, "KZ_SANDBOX=off"); // a kz that it starts is confined already
        if (plan->home[0]) set(plan, &count, plan->home), set(plan, &count, plan->temporary);
    }
    for (char **at = environ; *at; at++)
        if (process->keeps_environment || is_kept(*at)) set(plan, &count, *at);
    plan->variables[count] = NULL;
}

// ---- the paths --------------------------------------------------------------------------------------------------

static bool is_below(const char *path, const char *folder) {
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == 0);
}

// One path, unless it is seen already. A link is shown as such, for what it points to is asked for by its own name.
static kz_status show(sandbox_plan *plan, const char *path, bool is_writable, bool may_be_link,
                      kz_error *error) {
    struct stat about;
    if (path[0] != '/' || path[1] == 0 || (may_be_link ? lstat : stat)(path, &about) != 0) return KZ_OK;
    for (size_t i = plan->visible_count; i-- > 0;) { // the last word first
        const sandbox_visible *seen = &plan->visible[i];
        if (seen->is_hidden && is_below(path, seen->path)) break; // it lies over what is hidden
        if (seen->is_hidden) continue;
        if (!seen->link[0] && is_below(path, seen->path) && seen->is_writable >= is_writable) return KZ_OK;
        if (seen->link[0] && is_below(path, seen->path))
            return KZ_OK; // what it points to is shown by its own name
    }
    if (plan->visible_count == SANDBOX_VISIBLE || strlen(path) >= SANDBOX_PATH)
        return base_fail(error, KZ_LIMIT, "a sandbox shows at most %d paths of up to %d characters: %s",
                         SANDBOX_VISIBLE, SANDBOX_PATH, path);
    sandbox_visible *v = &plan->visible[plan->visible_count];
    *v = (sandbox_visible){.is_folder = S_ISDIR(about.st_mode), .is_writable = is_writable};
    snprintf(v->path, sizeof v->path, "%s", path);
    for (size_t length = strlen(v->path); length > 1 && v->path[length - 1] == '/';) v->path[--length] = 0;
    if (S_ISLNK(about.st_mode)) {
        ssize_t length = readlink(path, v->link, sizeof v->link - 1);
        if (length <= 0) return KZ_OK;
        v->link[length] = 0;
    }
    plan->visible_count++;
    return KZ_OK;
}

// By the name that it is asked for, and by its true one.
static kz_status show_both(sandbox_plan *plan, const char *path, bool is_writable, kz_error *error) {
    char *real = path[0] == '/' ? realpath(path, NULL) : NULL;
    if (!real) return KZ_OK;
    kz_status status = show(plan, real, is_writable, false, error);
    if (!status && strcmp(real, path) != 0) status = show(plan, path, is_writable, false, error);
    free(real);
    return status;
}

// By its true name: whatever leads there finds it empty.
static kz_status hide(sandbox_plan *plan, const char *path, kz_error *error) {
    char *real = realpath(path, NULL);
    size_t before = plan->visible_count;
    if (!real) return KZ_OK;
    if (before == SANDBOX_VISIBLE || strlen(real) >= SANDBOX_PATH) {
        free(real);
        return base_fail(error, KZ_LIMIT, "a sandbox has at most %d paths: %s", SANDBOX_VISIBLE, path);
    }
    plan->visible[before] = (sandbox_visible){.is_folder = true, .is_hidden = true};
    snprintf(plan->visible[before].path, SANDBOX_PATH, "%s", real);
    plan->visible_count++;
    free(real);
    return KZ_OK;
}

// Paths that the caller shows: those that lie in a hidden folder after it is hidden, all others before.
static kz_status show_readable(sandbox_plan *plan, bool in_hidden, kz_error *error) {
    const sandbox_process *process = plan->process;
    kz_status status = KZ_OK;
    for (size_t i = 0; process->readable && process->readable[i] && !status; i++) {
        bool lies_in = false;
        char *real = realpath(process->readable[i], NULL);
        for (size_t k = 0; real && process->hidden && process->hidden[k]; k++) {
            char *folder = realpath(process->hidden[k], NULL);
            lies_in = lies_in || (folder && is_below(real, folder));
            free(folder);
        }
        free(real);
        if (lies_in == in_hidden) status = show_both(plan, process->readable[i], false, error);
    }
    return status;
}

// The folders of a list such as PATH's, and the files that variables of kz name.
static kz_status show_named(sandbox_plan *plan, const char *list, kz_error *error) {
    kz_status status = KZ_OK;
    while (!status && *list) {
        char path[SANDBOX_PATH];
        size_t length = strcspn(list, ":");
        if (length < sizeof path) {
            snprintf(path, sizeof path, "%.*s", (int)length, list);
            status = show_both(plan, path, false, error);
        }
        list += length + (list[length] == ':');
    }
    return status;
}

static kz_status show_variables(sandbox_plan *plan, kz_error *error) {
    static const char *const names[] = {"LD_LIBRARY_PATH=", "KZ_GPU=", "KZ_LIBCUDA=", "KZ_LIBNVML="};
    kz_status status = KZ_OK;
    for (size_t i = 0; plan->variables[i] && !status; i++)
        for (size_t k = 0; k < BASE_COUNT(names) && !status; k++)
            if (strncmp(plan->variables[i], names[k], strlen(names[k])) == 0)
                status = show_named(plan, plan->variables[i] + strlen(names[k]), error);
    return status;
}

kz_status sandbox_view_make(sandbox_plan *plan, kz_error *error) {
    const sandbox_process *process = plan->process;
    static const struct {
        const char *path;
        bool is_device, is_gpu;
    } rows[] = {
#define SYSTEM(path) {path, false, false},
#define DEVICE(path) {path, true, false},
#define GPU(path)    {path, true, true},
#include "visible.def"
    };
    kz_status status = KZ_OK;
    for (size_t i = 0; i < BASE_COUNT(rows) && !status; i++)
        if (!rows[i].is_gpu || process->uses_gpu)
            status = show(plan, rows[i].path, rows[i].is_device, !rows[i].is_device, error);
    if (!status) status = show_readable(plan, false, error);
    for (size_t i = 0; process->hidden && process->hidden[i] && !status; i++)
        status = hide(plan, process->hidden[i], error);
    if (!status) status = show_readable(plan, true, error);
    if (!status && process->argv) status = show_both(plan, process->argv[0], false, error);
    if (!status) status = show_variables(plan, error);
    if (!status && plan->self[0])
        status = show_both(plan, plan->self, true, error); // over what lies above it
    return status;
}
