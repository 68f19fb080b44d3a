// plan PEER.so FAMILY CASE...: has a rival prepare cases without a GPU, and runs none. A case is a glob of the family's cases, or
// the name of any case.
//
// What the rival calls is its real library, as far as that works without a device (KZ_CUDNN names deviceless_cudnn.c's). Prints
// a line per case; exit status 1 where a case is not offered or cannot be prepared, or none matches, 77 where the rival was
// not built or the library is not here.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "family/case.h"
#include "kz/family.h"
#include "peers/peer.h"

enum { SKIPPED = 77 };

static bool prepares(const kz_peer *peer, const kz_family *family, const kz_case *c) {
    char name[FAMILY_CASE_NAME];
    kz_arg args[KZ_PLAN_ARGS];
    kz_peer_problem problem = {.family = family->name,
                               .operation = family->operations[c->operation],
                               .type = c->type,
                               .args = args,
                               .arg_count = kz_guest_args(family, c, args)};
    memcpy(problem.axes, c->axes, sizeof problem.axes);
    family_case_name(family, c, name);
    const char *offer = peer->offers(&problem), *why = "it does not offer it";
    kz_peer_plan plan = {0};
    bool good = offer && peer->prepare(&problem, &plan, &why) == 0;
    if (good)
        printf("%s %s: %s, algorithms %d, workspace %zu, packed %zu\n", family->name, name, offer,
               plan.algorithms, plan.workspace_bytes, plan.packed_bytes);
    else
        printf("%s %s: %s\n", family->name, name, why);
    if (offer && peer->close) peer->close(&plan);
    return good;
}

// How many cases could not be prepared, or 1 where there is none of the name.
static int prepare_named(const kz_peer *peer, const kz_family *family, const char *glob) {
    int wrong = 0, found = 0;
    for (size_t i = 0; i < family->case_count; i++) {
        if (!family_case_matches(family, &family->cases[i], glob)) continue;
        found++;
        wrong += !prepares(peer, family, &family->cases[i]);
    }
    kz_case c;
    kz_error error = {0};
    if (found) return wrong;
    if (family_case_parse(family, glob, &c, &error)) {
        fprintf(stderr, "plan: %s: %s\n", glob, error.message);
        return 1;
    }
    return !prepares(peer, family, &c);
}

int main(int argc, char **argv) {
    if (argc < 4 || access(argv[1], R_OK) != 0) return argc < 4 ? 2 : SKIPPED;
    void *library = dlopen(argv[1], RTLD_NOW);
    kz_peer_get_function get = NULL;
    if (library) *(void **)&get = dlsym(library, "kz_peer_get");
    const kz_family *family = kz_family_find(argv[2]);
    if (!get || !family) {
        fprintf(stderr, "plan: %s\n", get ? argv[2] : dlerror());
        return 1;
    }
    const char *why = "", *version = get()->version(&why);
    if (!version || strcmp(version, "0.0.0") == 0) {
        printf("skipped: %s\n", version ? "the library is not here, or of another version" : why);
        return SKIPPED;
    }
    int wrong = 0;
    for (int i = 3; i < argc; i++) wrong += prepare_named(get(), family, argv[i]);
    return wrong ? 1 : 0;
}
