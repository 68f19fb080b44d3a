// A family names its rivals, and they do it: each that is named offers one of the family's cases or more, and none
// offers any case of a family that does not name it. Asks those that were built; nothing is opened or run.
#include <stdlib.h>
#include <string.h>

#include "bench/peers.h"
#include "kz/family.h"
#include "unit.h"

static bool offers(const kz_peer *peer, const kz_family *family) {
    for (size_t i = 0; i < family->case_count; i++)
        if (bench_peer_offer(peer, family, &family->cases[i], peer->on_cpu)) return true;
    return false;
}

static void rivals_do_what_families_name_them_for(void **state) {
    (void)state;
    bench_peers peers;
    size_t count;
    const kz_family *const *families = kz_family_list(&count);
    setenv("KZ_PEERS", PEERS_FOLDER, 1);
    assert_int_equal(bench_peers_open(&peers, NULL), KZ_OK);
    if (peers.count == 0) skip();
    for (size_t p = 0; p < peers.count; p++)
        for (size_t f = 0; f < count; f++) {
            const kz_peer *peer = peers.items[p];
            const bench_rival *rival = bench_rival_find(peer->name);
            if (!rival) fail_msg("bench/rivals.def has no %s", peer->name);
            assert_true(rival->on_cpu == peer->on_cpu);
            bool named = bench_rival_does(rival, families[f], peer->on_cpu);
            if (named && !offers(peer, families[f]))
                fail_msg("%s names %s, which offers none of its cases", families[f]->name, peer->name);
            if (!named && offers(peer, families[f]))
                fail_msg("%s offers %s: add it to kz_family.rivals", peer->name, families[f]->name);
        }
    bench_peers_close(&peers);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rivals_do_what_families_name_them_for)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
