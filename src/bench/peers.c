// bench/peers: see peers.h.
#include "bench/peers.h"

#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"

static bool find_folder(char folder[PATH_MAX]) {
    const char *given = getenv("KZ_PEERS");
    if (given) return snprintf(folder, PATH_MAX, "%s", given) < PATH_MAX;
    char self[BASE_PATH];
    if (base_self_path(self, NULL)) return false;
    if (!base_path_up(self) || !base_path_up(self)) return false; // the command's name, then bin
    return snprintf(folder, PATH_MAX, "%s/lib", self) < PATH_MAX;
}

static kz_status open_one(bench_peers *peers, const char *path, kz_error *error) {
    if (peers->count == BENCH_PEERS)
        return base_fail(error, KZ_LIMIT, "there are more than %d peers", BENCH_PEERS);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) return base_fail(error, KZ_TOOL, "the peer %s could not be opened: %s", path, dlerror());
    kz_peer_get_function get;
    *(void **)&get = dlsym(library, "kz_peer_get");
    const kz_peer *peer = get ? get() : NULL;
    if (!peer || peer->interface != KZ_PEER_INTERFACE) {
        dlclose(library);
        kz_status status = base_fail(error, KZ_TOOL, "%s is no peer of this version of kz", path);
        base_fail_note(error, "build it anew, or leave it out with --rivals none");
        return status;
    }
    peers->items[peers->count++] = peer;
    return KZ_OK;
}

// ".../libkz_peer_cub.so" is "cub".
static void keep_broken(bench_peers *peers, const char *path, const kz_error *error) {
    if (peers->broken_count == BENCH_PEERS) return;
    const char *name = base_file_name(path) + strlen("libkz_peer_");
    char *kept = peers->broken[peers->broken_count].name;
    snprintf(kept, sizeof peers->broken[0].name, "%.*s", (int)strcspn(name, "."), name);
    peers->broken[peers->broken_count++].error = *error;
}

static kz_status open_libraries(bench_peers *peers, bool keeps_broken, kz_error *error) {
    *peers = (bench_peers){0};
    char folder[PATH_MAX], pattern[PATH_MAX + 32];
    if (!find_folder(folder)) return KZ_OK;
    snprintf(pattern, sizeof pattern, "%s/libkz_peer_*.so", folder);
    glob_t found;
    kz_status status = KZ_OK;
    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc && status == KZ_OK; i++) {
            kz_error own = {0};
            status = open_one(peers, found.gl_pathv[i], &own);
            if (status && error) *error = own;
            if (status == KZ_TOOL && keeps_broken)
                keep_broken(peers, found.gl_pathv[i], &own), status = KZ_OK;
        }
        globfree(&found);
    }
    if (status != KZ_OK) bench_peers_close(peers);
    return status;
}

void bench_keep_single_precision(void) { setenv("NVIDIA_TF32_OVERRIDE", "0", 0); }

bool bench_is_of_tf32(const kz_family *family) {
    for (const char *const *name = family->operations; *name; name++)
        if (strncmp(*name, "tf32_", 5) == 0) return true;
    return false;
}

kz_status bench_peers_open(bench_peers *peers, kz_error *error) {
    return open_libraries(peers, false, error);
}

// Libraries stay mapped: a CUDA runtime that is unloaded at exit before the driver's own cleanup may crash.
void bench_peers_close(bench_peers *peers) {
    for (size_t i = 0; i < peers->remote_count; i++) bench_remote_close(peers->remotes[i]);
    *peers = (bench_peers){0};
}

// ---- those that are not there ------------------------------------------------------------------------

const bench_rival bench_rivals[BENCH_RIVALS] = {
#define BENCH_RIVAL(name, on_cpu, library)              {#name, library, on_cpu, NULL, NULL},
#define BENCH_PYTHON_RIVAL(name, on_cpu, file, package) {#name, NULL, on_cpu, file, package},
#include "bench/rivals.def"
};

const bench_rival *bench_rival_find(const char *name) {
    for (size_t i = 0; i < BENCH_RIVALS; i++)
        if (strcmp(bench_rivals[i].name, name) == 0) return &bench_rivals[i];
    return NULL;
}

static bool is_named(const kz_family *family, const char *rival) {
    for (const char *const *name = family->rivals; name && *name; name++)
        if (strcmp(*name, rival) == 0) return true;
    return false;
}

bool bench_rival_does(const bench_rival *rival, const kz_family *family, bool cpu) {
    return (rival->python || rival->on_cpu == cpu) && is_named(family, rival->name);
}

size_t bench_peers_remotes(const bench_peers *peers, const kz_family *family,
                           bench_remote *remotes[BENCH_REMOTES]) {
    size_t count = 0;
    for (size_t i = 0; i < peers->remote_count; i++)
        if (peers->chosen || is_named(family, bench_remote_name(peers->remotes[i])))
            remotes[count++] = peers->remotes[i];
    return count;
}

static bool is_python_missing(const bench_rival *rival, const bench_peers *peers, base_text *why) {
    for (size_t i = 0; i < peers->remote_count; i++) {
        if (strcmp(bench_remote_name(peers->remotes[i]), rival->name) != 0) continue;
        const char *reason = bench_remote_missing(peers->remotes[i]);
        if (*reason) base_text_add(why, "%s", reason);
        return *reason;
    }
    base_text_add(why, "not installed: `make install` in a checkout of Kernel Zoo does it");
    return true;
}

bool bench_rival_missing(const bench_rival *rival, const bench_peers *peers, base_text *why) {
    if (rival->python) return is_python_missing(rival, peers, why);
    for (size_t i = 0; i < peers->count; i++) {
        const char *reason = "";
        if (strcmp(peers->items[i]->name, rival->name) != 0) continue;
        if (peers->items[i]->version(&reason)) return false;
        if (strncmp(reason, "KZ_", 3) == 0) // the variable is wrong: no package helps
            base_text_add(why, "%s", reason);
        else
            base_text_add(why, "cannot be used (%s): %s", reason, rival->library);
        return true;
    }
    for (size_t i = 0; i < peers->broken_count; i++) {
        const char *reason = peers->broken[i].error.message;
        if (strcmp(peers->broken[i].name, rival->name) != 0) continue;
        base_text_add(why, "cannot be used: %.*s", (int)strcspn(reason, "\n"), reason);
        return true;
    }
    base_text_add(
        why, "not built: `make peers` in a checkout of Kernel Zoo builds it, `make install` installs it");
    return true;
}

void bench_absences_add(bench_absences *all, const char *name, const char *reason) {
    size_t i = 0;
    while (i < all->count && strcmp(all->items[i].reason.data, reason) != 0) i++;
    if (i == BASE_COUNT(all->items)) return;
    if (i == all->count) base_text_add(&all->items[all->count++].reason, "%s", reason);
    base_text_add(&all->items[i].names, "%s%s", all->items[i].names.length ? ", " : "", name);
}

void bench_absences_free(bench_absences *all) {
    for (size_t i = 0; i < all->count; i++) {
        base_text_free(&all->items[i].names);
        base_text_free(&all->items[i].reason);
    }
    *all = (bench_absences){0};
}

// ---- by name --------------------------------------------------------------------------------------------

static bool is_file(const char *name) { return base_ends_with(name, ".py"); }

static void note_names(const char *word, kz_error *error) {
    const char *names[BENCH_RIVALS + 2] = {0};
    base_text all = {0};
    for (size_t i = 0; i < BENCH_RIVALS; i++) names[i] = bench_rivals[i].name;
    names[BENCH_RIVALS] = "none";
    for (size_t i = 0; names[i]; i++) base_text_add(&all, " %s", names[i]);
    const char *near = base_nearest(word, names);
    if (near) base_fail_note(error, "did you mean %s?", near);
    base_fail_note(error, "allowed: a list of%s, or a provider in Python of your own, ./mine.py",
                   all.data ? all.data : " names");
    base_text_free(&all);
}

static kz_status fail_rival(const char *name, kz_error *error) {
    if (is_file(name)) {
        base_fail(error, KZ_NOT_FOUND, "the provider %s cannot be read: there is no such file here", name);
        base_fail_note(error, "docs/measuring.md shows how one is written");
    } else if (strcmp(name, "none") == 0) {
        base_fail(error, KZ_NOT_FOUND, "--rivals none stands alone: it leaves all rivals out");
    } else {
        base_fail(error, KZ_NOT_FOUND, "there is no rival \"%s\"", name);
        note_names(name, error);
    }
    return KZ_NOT_FOUND;
}

static bool is_chosen(const char *const *names, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return true;
    return count == 0;
}

static kz_status add_remote(bench_peers *peers, const char *name, const char *file, const char *folder,
                            kz_error *error) {
    if (peers->remote_count == BENCH_REMOTES)
        return base_fail(error, KZ_LIMIT, "at most %d rivals in Python run at once", BENCH_REMOTES);
    kz_status status = bench_remote_open(name, file, folder, &peers->remotes[peers->remote_count], error);
    if (!status) peers->remote_count++;
    return status;
}

// Providers of one's own, and those of ours that are installed.
static kz_status open_remotes(bench_peers *peers, const char *const *names, size_t count, kz_error *error) {
    char folder[PATH_MAX], file[PATH_MAX + 64];
    kz_status status = KZ_OK;
    if (!find_folder(folder)) return KZ_OK;
    for (size_t i = 0; i < BENCH_RIVALS && !status; i++) {
        snprintf(file, sizeof file, "%s/kz-python/%s", folder,
                 bench_rivals[i].python ? bench_rivals[i].python : "");
        if (bench_rivals[i].python && is_chosen(names, count, bench_rivals[i].name) &&
            access(file, R_OK) == 0)
            status = add_remote(peers, bench_rivals[i].name, file, folder, error);
    }
    for (size_t i = 0; i < count && !status; i++) {
        if (!is_file(names[i])) continue;
        if (access(names[i], R_OK) != 0) return fail_rival(names[i], error);
        const char *slash = strrchr(names[i], '/');
        status = add_remote(peers, slash ? slash + 1 : names[i], names[i], folder, error);
    }
    return status;
}

// A library need not be in rivals.def: one that lies there is known by its own name.
static bool is_known(const bench_peers *peers, const char *name) {
    bool known = bench_rival_find(name) || is_file(name);
    for (size_t i = 0; i < peers->count; i++) known = known || strcmp(peers->items[i]->name, name) == 0;
    for (size_t i = 0; i < peers->broken_count; i++)
        known = known || strcmp(peers->broken[i].name, name) == 0;
    return known;
}

static void keep_chosen(bench_peers *peers, const char *const *names, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < peers->count; i++)
        if (is_chosen(names, count, peers->items[i]->name)) peers->items[kept++] = peers->items[i];
    peers->count = kept;
    kept = 0;
    for (size_t i = 0; i < peers->broken_count; i++)
        if (is_chosen(names, count, peers->broken[i].name)) peers->broken[kept++] = peers->broken[i];
    peers->broken_count = kept;
    peers->chosen = true;
}

kz_status bench_peers_open_named(bench_peers *peers, const char *const *names, size_t count, bool used,
                                 kz_error *error) {
    *peers = (bench_peers){0};
    if (count == 1 && strcmp(names[0], "none") == 0) return KZ_OK;
    kz_status status = used ? open_libraries(peers, true, error) : KZ_OK;
    for (size_t i = 0; !status && i < count; i++)
        if (!is_known(peers, names[i])) status = fail_rival(names[i], error);
    if (!status && used) status = open_remotes(peers, names, count, error);
    if (!status && used && count) keep_chosen(peers, names, count);
    return status;
}
