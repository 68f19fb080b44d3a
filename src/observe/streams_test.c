// Operations of streams: who comes after whom, which bytes two of them share, what the host may touch.
#include "observe/streams.h"

#include <stdio.h>

#include "unit.h"

enum { AT = 0x10000, PAGE = OBSERVE_STREAMS_PAGE };

typedef struct fixture {
    observe_findings *findings;
    observe_streams *streams;
    observe_chains chains;
    observe_order host;
} fixture;

static fixture open_all(void) {
    fixture f = {.findings = observe_findings_open()};
    f.streams = observe_streams_open(f.findings);
    assert_non_null(f.streams);
    return f;
}

static void close_all(fixture *f) {
    observe_streams_close(f->streams);
    observe_findings_close(f->findings);
}

// An operation that uses `bytes`; `stream` is what it comes after, and afterwards it too.
static void run(fixture *f, observe_order *stream, const char *what, uint64_t address, uint64_t bytes,
                bool is_write) {
    observe_order before = *stream;
    observe_order_join(&before, &f->host);
    observe_operation o = {.stream = 3, .turn = observe_chains_next(&f->chains, &before), .before = &before};
    snprintf(o.what, sizeof o.what, "%s", what);
    observe_streams_begin(f->streams, &o);
    observe_streams_range(f->streams, address, bytes, is_write);
    observe_streams_end(f->streams);
    observe_order_add(stream, o.turn);
}

static size_t errors(const fixture *f) { return observe_findings_count(f->findings, OBSERVE_ERROR); }

static void chains_follow_streams(void **state) {
    observe_chains chains = {0};
    observe_order a = {0}, b = {0}, both;
    observe_turn first = observe_chains_next(&chains, &a);
    observe_order_add(&a, first);
    observe_turn other = observe_chains_next(&chains, &b);
    assert_int_not_equal(first.chain, other.chain);
    observe_order_add(&b, other);
    observe_turn second = observe_chains_next(&chains, &a);
    assert_int_equal(second.chain, first.chain);
    assert_true(second.number > first.number);
    assert_false(observe_order_has(&b, first));
    both = a;
    observe_order_join(&both, &b);
    assert_true(observe_order_has(&both, first) && observe_order_has(&both, other));
    assert_false(observe_order_has(&both, second));
    assert_true(observe_order_covers(&both, &b));
    assert_false(observe_order_covers(&b, &both));
}

static void too_many_chains_are_no_race(void **state) {
    fixture f = open_all();
    for (int i = 0; i < OBSERVE_CHAINS + 10; i++) {
        observe_order alone = {0};
        run(&f, &alone, "reads", AT, 4, false);
    }
    assert_int_equal(f.chains.unplaced, 10);
    assert_int_equal(errors(&f), 0);
    close_all(&f);
}

static void streams_race_by_bytes(void **state) {
    static const struct {
        uint64_t address, bytes;
        bool is_write;
        size_t errors;
    } cases[] = {
        {AT, 100, true, 1},         {AT + 99, 1, true, 1},       {AT + 100, 5, true, 0},
        {AT - 5, 5, true, 0},       {AT - 5, 6, false, 1},       {AT + 3, 3 * PAGE, true, 1},
        {AT + PAGE, PAGE, true, 0}, {AT - PAGE, PAGE, false, 0},
    };
    for (size_t i = 0; i < BASE_COUNT(cases); i++) {
        fixture f = open_all();
        observe_order a = {0}, b = {0};
        run(&f, &a, "first", AT, 100, true);
        run(&f, &b, "second", cases[i].address, cases[i].bytes, cases[i].is_write);
        assert_int_equal(errors(&f), cases[i].errors);
        close_all(&f);
    }
}

static void order_is_no_race(void **state) {
    fixture f = open_all();
    observe_order a = {0}, b = {0};
    run(&f, &a, "writes", AT, 3 * PAGE, true);
    run(&f, &a, "writes again", AT + 10, PAGE, true);
    observe_order_join(&b, &a); // by an event
    run(&f, &b, "reads", AT, 3 * PAGE, false);
    run(&f, &a, "reads beside", AT, 3 * PAGE, false);
    assert_int_equal(errors(&f), 0);
    run(&f, &a, "writes beside", AT + PAGE, 1, true); // and b has read it
    assert_int_equal(errors(&f), 1);
    close_all(&f);
}

static void who_covers_is_raced_with(void **state) {
    fixture f = open_all();
    observe_order a = {0}, b = {0};
    run(&f, &a, "writes", AT, PAGE, true);
    run(&f, &a, "writes half", AT, PAGE / 2, true);
    run(&f, &b, "reads the other half", AT + PAGE / 2, 4, false);
    assert_int_equal(errors(&f), 1);
    run(&f, &b, "reads the first half", AT, 4, false);
    assert_int_equal(errors(&f), 2);
    close_all(&f);
}

static void waiting_forgets(void **state) {
    fixture f = open_all();
    observe_order a = {0}, b = {0};
    run(&f, &a, "writes", AT, 2 * PAGE, true);
    run(&f, &b, "reads elsewhere", AT + 9 * PAGE, 4, false);
    observe_order_join(&f.host, &a);
    observe_streams_ended(f.streams, &f.host);
    run(&f, &b, "writes too", AT, PAGE, true);
    assert_int_equal(errors(&f), 0);
    close_all(&f);
}

static void new_memory_is_another(void **state) {
    fixture f = open_all();
    observe_order a = {0}, b = {0};
    run(&f, &a, "writes", AT, 2 * PAGE, true);
    sim_listener *listener = observe_streams_listener(f.streams);
    listener->memory(listener,
                     &(sim_memory_event){.kind = SIM_MEMORY_FREE, .address = AT + 8, .bytes = 2 * PAGE - 16});
    run(&f, &b, "writes too", AT + 8, 2 * PAGE - 16, true);
    assert_int_equal(errors(&f), 0);
    run(&f, &b, "writes the rest", AT, 8, true);
    assert_int_equal(errors(&f), 1);
    close_all(&f);
}

static void host_may_not_touch_what_is_in_flight(void **state) {
    fixture f = open_all();
    observe_order a = {0};
    observe_turn seen;
    run(&f, &a, "reads", AT, 8, false);
    assert_int_equal(observe_streams_page(f.streams, AT, &f.host), OBSERVE_IS_READ);
    assert_int_equal(observe_streams_host(f.streams, AT, false, &f.host, &seen), OBSERVE_HOST_FREE);
    assert_int_equal(observe_streams_host(f.streams, AT + 7, true, &f.host, &seen), OBSERVE_HOST_RACES);
    assert_int_equal(observe_streams_host(f.streams, AT + 8, true, &f.host, &seen), OBSERVE_HOST_FREE);
    run(&f, &a, "writes", AT + 8, 8, true);
    assert_int_equal(observe_streams_page(f.streams, AT, &f.host), OBSERVE_IS_WRITTEN);
    assert_int_equal(observe_streams_host(f.streams, AT + 9, false, &f.host, &seen), OBSERVE_HOST_RACES);
    assert_int_equal(observe_streams_host(f.streams, AT + 9, false, &a, &seen), OBSERVE_HOST_FREE);
    assert_int_equal(observe_streams_page(f.streams, AT, &a), OBSERVE_IDLE);
    assert_int_equal(errors(&f), 2);
    close_all(&f);
}

// The same by brute force: every operation is kept, with its bytes.
enum { OPERATIONS = 40, SPAN = 3 * PAGE, STREAMS = 4, ROUNDS = 300 };
typedef struct plain {
    observe_turn turn;
    uint32_t first, count;
    bool is_write;
} plain;

static bool races(const plain *all, size_t count, const plain *now, const observe_order *before) {
    for (size_t i = 0; i < count; i++) {
        bool meet = now->first < all[i].first + all[i].count && all[i].first < now->first + now->count;
        if (meet && (now->is_write || all[i].is_write) && !observe_order_has(before, all[i].turn))
            return true;
    }
    return false;
}

static uint32_t draw(uint64_t *state, uint32_t below) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % below;
}

static void random_orders_agree_with_brute_force(void **state) {
    uint64_t random = 1;
    for (int round = 0; round < ROUNDS; round++) {
        fixture f = open_all();
        observe_order streams[STREAMS] = {0};
        plain all[OPERATIONS];
        for (int i = 0; i < OPERATIONS; i++) {
            observe_order *stream = &streams[draw(&random, STREAMS)];
            uint32_t what = draw(&random, 8);
            if (what == 0) observe_order_join(stream, &streams[draw(&random, STREAMS)]); // waits for an event
            if (what == 1) {
                observe_order_join(&f.host, stream); // the host waits
                observe_streams_ended(f.streams, &f.host);
            }
            plain *now = &all[i];
            *now = (plain){.first = draw(&random, SPAN - 1), .is_write = draw(&random, 3) == 0};
            now->count = 1 + draw(&random, draw(&random, 2) ? 8 : SPAN - now->first);
            observe_order before = *stream;
            observe_order_join(&before, &f.host);
            bool expected = races(all, (size_t)i, now, &before);
            size_t had = errors(&f);
            char name[32];
            snprintf(name, sizeof name, "operation %d", i);
            run(&f, stream, name, AT + now->first, now->count, now->is_write);
            for (uint32_t c = 0; c < OBSERVE_CHAINS; c++)
                if (stream->ended[c] > before.ended[c]) now->turn = (observe_turn){c, stream->ended[c]};
            if ((errors(&f) > had) != expected)
                fail_msg("round %d, operation %d: expected %d", round, i, expected);
        }
        close_all(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_follow_streams),
        cmocka_unit_test(too_many_chains_are_no_race),
        cmocka_unit_test(streams_race_by_bytes),
        cmocka_unit_test(order_is_no_race),
        cmocka_unit_test(who_covers_is_raced_with),
        cmocka_unit_test(waiting_forgets),
        cmocka_unit_test(new_memory_is_another),
        cmocka_unit_test(host_may_not_touch_what_is_in_flight),
        cmocka_unit_test(random_orders_agree_with_brute_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
