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

kz_status bench_peers_open(bench_peers *peers, kz_error *error) {
    *peers = (bench_peers){0};
    char folder[PATH_MAX], pattern[PATH_MAX + 32];
    if (!find_folder(folder)) return KZ_OK;
    snprintf(pattern, sizeof pattern, "%s/libkz_peer_*.so", folder);
    glob_t found;
    kz_status status = KZ_OK;
    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc && status == KZ_OK; i++)
            status = open_one(peers, found.gl_pathv[i], error);
        globfree(&found);
    }
    if (status != KZ_OK) bench_peers_close(peers);
    return status;
}

// Libraries stay mapped: a CUDA runtime that is unloaded at exit before the driver's own cleanup may crash.
void bench_peers_close(bench_peers *peers) { *peers = (bench_peers){0}; }

// ---- those that are not there ------------------------------------------------------------------------

const bench_rival bench_rivals[BENCH_RIVALS] = {
#define BENCH_RIVAL(name, on_cpu, library) {#name, library, on_cpu},
#include "bench/rivals.def"
#undef BENCH_RIVAL
};

const bench_rival *bench_rival_find(const char *name) {
    for (size_t i = 0; i < BENCH_RIVALS; i++)
        if (strcmp(bench_rivals[i].name, name) == 0) return &bench_rivals[i];
    return NULL;
}

bool bench_rival_does(const bench_rival *rival, const kz_family *family, bool cpu) {
    if (rival->on_cpu != cpu) return false;
    for (const char *const *name = family->rivals; name && *name; name++)
        if (strcmp(*name, rival->name) == 0) return true;
    return false;
}

bool bench_rival_missing(const bench_rival *rival, const bench_peers *peers, base_text *why) {
    for (size_t i = 0; i < peers->count; i++) {
        const char *reason = "";
        if (strcmp(peers->items[i]->name, rival->name) != 0) continue;
        if (peers->items[i]->version(&reason)) return false;
        base_text_add(why, "%s's own library was not found (%s): %s", rival->name, reason, rival->library);
        return true;
    }
    base_text_add(
        why,
        "%s is not built: `make bench` in a checkout of Kernel Zoo builds it, `make install` installs it",
        rival->name);
    return true;
}

// ---- by name --------------------------------------------------------------------------------------------

static kz_status fail_rival(const char *name, kz_error *error) {
    base_text why = {0};
    const bench_rival *rival = bench_rival_find(name);
    base_fail(error, KZ_NOT_FOUND, "there is no rival \"%s\" here", name);
    if (rival && bench_rival_missing(rival, &(bench_peers){0}, &why)) base_fail_note(error, "%s", why.data);
    base_text_free(&why);
    base_fail_note(
        error,
        "rivals are lib/libkz_peer_<name>.so beside the folder of kz; `--rivals none` leaves them out");
    return KZ_NOT_FOUND;
}

kz_status bench_peers_open_named(bench_peers *peers, const char *const *names, size_t count, bool used,
                                 kz_error *error) {
    *peers = (bench_peers){0};
    if (count == 1 && strcmp(names[0], "none") == 0) return KZ_OK;
    for (size_t i = 0; !used && i < count; i++)
        if (!bench_rival_find(names[i])) return fail_rival(names[i], error);
    kz_status status = used ? bench_peers_open(peers, error) : KZ_OK;
    if (status || !used || count == 0) return status;
    size_t kept = 0;
    for (size_t i = 0; i < peers->count; i++)
        for (size_t k = 0; k < count; k++)
            if (strcmp(peers->items[i]->name, names[k]) == 0) peers->items[kept++] = peers->items[i];
    peers->count = kept;
    return kept ? KZ_OK : fail_rival(names[0], error);
}
