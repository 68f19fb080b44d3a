// What the tests of peers share.
#ifndef BENCH_PEERS_TEST_H
#define BENCH_PEERS_TEST_H

#include <stdlib.h>

#include "bench/peers.h"
#include "unit.h"

// Opens all that were built; NULL where that one was not.
static inline const kz_peer *open_peer(const char *name, bench_peers *peers) {
    setenv("KZ_PEERS", PEERS_FOLDER, 1);
    assert_int_equal(bench_peers_open(peers, NULL), KZ_OK);
    for (size_t i = 0; i < peers->count; i++)
        if (strcmp(peers->items[i]->name, name) == 0) return peers->items[i];
    return NULL;
}

// By the last of its `algorithms`, after what it packs.
static inline void run_last(const kz_peer *peer, const kz_peer_problem *problem, const kz_ptr *buffers,
                            int algorithms) {
    const char *why = "";
    kz_peer_plan plan = {0};
    if (peer->prepare(problem, &plan, &why) != 0) fail_msg("%s", why);
    assert_int_equal(plan.algorithms, algorithms);
    plan.algorithm = algorithms - 1;
    void *workspace = malloc(plan.workspace_bytes + 1), *packed = malloc(plan.packed_bytes + 1);
    const kz_peer_call call = {
        .buffers = buffers, .workspace = (kz_ptr)(uintptr_t)workspace, .packed = (kz_ptr)(uintptr_t)packed};
    if (peer->pack && peer->pack(problem, &plan, &call, &why) != 0) fail_msg("%s", why);
    if (peer->run(problem, &plan, &call, &why) != 0) fail_msg("%s", why);
    free(workspace), free(packed);
    if (peer->close) peer->close(&plan);
}

#endif
