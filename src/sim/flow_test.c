// The order of basic blocks: what it must guarantee for lanes to reconverge.

#include "sim/core.h"
#include "unit.h"

enum { MOST = 64 };

// Orders a graph given as pairs, from and to, ended by -1; gives the position of every node.
static void order_of(const int *edges, uint32_t count, uint32_t position[MOST]) {
    uint32_t successors[256], start[MOST + 2], order[MOST], total = 0;
    for (uint32_t node = 0; node < count; node++) {
        start[node] = total;
        for (const int *e = edges; *e >= 0; e += 2)
            if ((uint32_t)e[0] == node) successors[total++] = (uint32_t)e[1];
    }
    start[count] = total;
    base_arena *arena = base_arena_open();
    assert_non_null(arena);
    assert_true(sim_order_runs(arena, successors, start, count, order));
    base_arena_close(arena);
    uint32_t seen = 0;
    for (uint32_t i = 0; i < count; i++) {
        assert_true(order[i] < count);
        position[order[i]] = i;
        seen++;
    }
    assert_int_equal(seen, count);
    assert_int_equal(position[0], 0);
}

static void branch_meets_after_both_sides(void **state) {
    // 0 branches to 1 and 2; both go to 3. The text has 3 before 2, as compilers put rare code last.
    static const int edges[] = {0, 1, 0, 3, 1, 2, 3, 2, -1};
    uint32_t at[MOST];
    order_of(edges, 4, at);
    assert_true(at[2] > at[1] && at[2] > at[3]);
}

static void loop_lies_together(void **state) {
    // 0 -> 1 (head) -> 2 -> 1, left from 1 to 3 and from 2 to 4; 3 and 4 -> 5.
    static const int edges[] = {0, 1, 1, 3, 1, 2, 2, 4, 2, 1, 3, 5, 4, 5, -1};
    uint32_t at[MOST];
    order_of(edges, 6, at);
    assert_true(at[1] < at[2] && at[2] < at[3] && at[2] < at[4]);
    assert_int_equal(at[5], 5);
}

static void inner_loop_inside_outer(void **state) {
    // outer head 1, inner head 2 with body 3, rest of the outer body 4, exit 5 which the text puts first.
    static const int edges[] = {0, 1, 1, 5, 1, 2, 2, 4, 2, 3, 3, 2, 4, 1, -1};
    uint32_t at[MOST];
    order_of(edges, 6, at);
    assert_int_equal(at[1], 1);
    assert_true(at[2] < at[3] && at[3] < at[4] && at[4] < at[5]);
}

static void two_entries_and_the_unreachable(void **state) {
    // A loop entered at 1 and at 2; 4 is reached by nothing.
    static const int edges[] = {0, 1, 0, 2, 1, 2, 2, 1, 2, 3, 4, 3, -1};
    uint32_t at[MOST];
    order_of(edges, 5, at);
    assert_true(at[3] > at[1] && at[3] > at[2]);
    assert_int_equal(at[4], 4);
}

static void deep_nest(void **state) {
    // 30 loops, each inside the one before: heads 0..29, a body 30, and back edges from 30 to every head.
    int edges[4 * MOST + 1];
    size_t n = 0;
    for (int i = 0; i < 30; i++) {
        edges[n++] = i;
        edges[n++] = i + 1;
    }
    for (int i = 0; i < 30; i++) {
        edges[n++] = 30;
        edges[n++] = i;
    }
    edges[n++] = 30;
    edges[n++] = 31;
    edges[n] = -1;
    uint32_t at[MOST];
    order_of(edges, 32, at);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(at[i], i);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(branch_meets_after_both_sides),
        cmocka_unit_test(loop_lies_together),
        cmocka_unit_test(inner_loop_inside_outer),
        cmocka_unit_test(two_entries_and_the_unreachable),
        cmocka_unit_test(deep_nest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
