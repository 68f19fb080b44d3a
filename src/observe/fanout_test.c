// A fanout asks for what its members want, and no more; it forks when all can.
#include <stdlib.h>

#include "observe/fanout.h"
#include "unit.h"

typedef struct member {
    sim_listener listener; // first
    struct member *parent;
    unsigned begun, ended, runs, accesses, memory, forks;
} member;

static void on_begin(sim_listener *l, const sim_launch_event *e) { ((member *)l)->begun++; }
static void on_end(sim_listener *l, kz_status status) { ((member *)l)->ended++; }
static void on_run(sim_listener *l, const ptx_inst *first, uint32_t count, uint32_t block, uint32_t warp,
                   uint32_t mask) {
    ((member *)l)->runs++;
}
static void on_access(sim_listener *l, const sim_access *access) { ((member *)l)->accesses++; }
static void on_memory(sim_listener *l, const sim_memory_event *event) { ((member *)l)->memory++; }
static sim_listener *on_fork(sim_listener *l) {
    member *child = calloc(1, sizeof *child);
    child->listener = *l;
    child->listener.fork = NULL;
    ((member *)l)->forks++;
    return &child->listener;
}
static void on_join(sim_listener *l, sim_listener *c) {
    member *self = (member *)l, *child = (member *)c;
    self->runs += child->runs;
    self->accesses += child->accesses;
    free(child);
}

static member counting(void) {
    return (member){.listener = {.fork = on_fork,
                                 .join = on_join,
                                 .run = on_run,
                                 .access = on_access,
                                 .launch_begin = on_begin,
                                 .launch_end = on_end}};
}

static void all_can_fork(void **state) {
    observe_fanout *fanout = observe_fanout_open();
    member a = counting(), b = counting(), c = {.listener = {.memory = on_memory}};
    b.listener.access = NULL;
    observe_fanout_add(fanout, &a.listener);
    observe_fanout_add(fanout, &b.listener);
    observe_fanout_add(fanout, &c.listener); // hears of memory alone, which is no reason not to fork
    sim_listener *l = observe_fanout_listener(fanout);
    assert_non_null(l->fork);
    assert_non_null(l->memory);
    l->memory(l, &(sim_memory_event){.kind = SIM_MEMORY_ALLOC});
    l->launch_begin(l, NULL);
    sim_listener *one = l->fork(l), *two = l->fork(l);
    assert_null(one->branch); // nobody asked
    assert_null(one->step);
    one->run(one, NULL, 1, 0, 0, 1);
    two->run(two, NULL, 1, 0, 0, 1);
    two->access(two, NULL);
    l->join(l, one);
    l->join(l, two);
    l->launch_end(l, KZ_OK);
    assert_int_equal(a.runs, 2);
    assert_int_equal(b.runs, 2);
    assert_int_equal(a.accesses, 1);
    assert_int_equal(b.accesses, 0);
    assert_int_equal(c.memory, 1);
    assert_int_equal(a.begun + a.ended, 2);
    observe_fanout_close(fanout);
}

static void one_cannot_fork(void **state) {
    observe_fanout *fanout = observe_fanout_open();
    member a = counting(), b = counting();
    b.listener.fork = NULL;
    observe_fanout_add(fanout, &a.listener);
    observe_fanout_add(fanout, &b.listener);
    sim_listener *l = observe_fanout_listener(fanout);
    assert_null(l->fork);
    for (int i = 0; i < 2; i++) {
        l->launch_begin(l, NULL);
        l->run(l, NULL, 1, 0, 0, 1);
        l->access(l, NULL);
        l->launch_end(l, KZ_OK);
    }
    assert_int_equal(a.forks, 2); // it has a private one for each launch all the same
    assert_int_equal(a.runs, 2);
    assert_int_equal(b.runs, 2);
    assert_int_equal(b.accesses, 2);
    observe_fanout_close(fanout);
}

// Wants one instruction's steps in detail, and no accesses.
static unsigned on_wants(sim_listener *l, const ptx_inst *inst) {
    return inst->serial == 1 ? SIM_WANT_STEP_IN_DETAIL : 0;
}
static bool on_enter(sim_listener *l, const sim_event *event, uint32_t count) { return count > 1; }
static void on_step(sim_listener *l, const sim_event *event) { ((member *)l)->runs++; }

static void instructions_go_to_who_wants_them(void **state) {
    observe_fanout *fanout = observe_fanout_open();
    member picky = {.listener = {.wants = on_wants, .enter = on_enter, .step = on_step, .access = on_access}};
    member all = {.listener = {.step = on_step, .access = on_access}};
    observe_fanout_add(fanout, &picky.listener);
    sim_listener *l = observe_fanout_listener(fanout);
    ptx_module module = {.inst_count = 3};
    ptx_inst insts[3] = {{.serial = 0}, {.serial = 1}, {.serial = 2}};
    for (int with = 0; with < 2; with++) {
        if (with) observe_fanout_add(fanout, &all.listener);
        l->launch_begin(l, &(sim_launch_event){.module = &module});
        // Somebody who tells no instructions apart wants them all, in detail or not.
        assert_int_equal(l->wants(l, &insts[0]), with ? SIM_WANT_ALL & ~SIM_WANT_DONE : 0);
        assert_int_equal(l->wants(l, &insts[1]),
                         with ? SIM_WANT_ALL & ~SIM_WANT_DONE : SIM_WANT_STEP_IN_DETAIL);
        assert_false(l->enter(l, &(sim_event){.inst = &insts[0]}, 1));
        assert_true(l->enter(l, &(sim_event){.inst = &insts[0]}, 2));
        for (int i = 0; i < 3; i++) {
            l->step(l, &(sim_event){.inst = &insts[i]});
            l->access(l, &(sim_access){.at = {.inst = &insts[i]}});
        }
        l->launch_end(l, KZ_OK);
    }
    assert_int_equal(picky.runs, 4); // of instruction 1; and of 2, which nobody was asked about
    assert_int_equal(picky.accesses, 2);
    assert_int_equal(all.runs, 3);
    assert_int_equal(all.accesses, 3);
    observe_fanout_close(fanout);
}

static void has_an_end(void **state) {
    observe_fanout *fanout = observe_fanout_open();
    member a = counting();
    for (int i = 0; i < OBSERVE_FANOUT_LISTENERS; i++) assert_true(observe_fanout_add(fanout, &a.listener));
    assert_false(observe_fanout_add(fanout, &a.listener));
    observe_fanout_close(fanout);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_can_fork), cmocka_unit_test(one_cannot_fork),
                                       cmocka_unit_test(instructions_go_to_who_wants_them),
                                       cmocka_unit_test(has_an_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
