// Hands events to several listeners. For each event there is a list of those that want it, made anew when a
// launch begins or a worker forks, so that a member may ask for less or more from launch to launch.
#include "observe/fanout.h"

#include <stdlib.h>
#include <string.h>

// The events that have to do with the running of a launch: X(name, parameters, arguments).
#define TEAM_EVENTS(X)                                                                                       \
    X(block_begin, (sim_listener * l, uint32_t block, uint32_t warps), (to, block, warps))                   \
    X(block_end, (sim_listener * l, uint32_t block), (to, block))                                            \
    X(run,                                                                                                   \
      (sim_listener * l, const ptx_inst *first, uint32_t count, uint32_t block, uint32_t warp,               \
       uint32_t mask),                                                                                       \
      (to, first, count, block, warp, mask))                                                                 \
    X(branch, (sim_listener * l, const sim_event *event, uint32_t taken), (to, event, taken))                \
    X(sync, (sim_listener * l, const sim_sync *sync), (to, sync))                                            \
    X(exchange, (sim_listener * l, const sim_exchange_event *event), (to, event))                            \
    X(call, (sim_listener * l, const sim_event *event, const ptx_function *function, uint32_t frame),        \
      (to, event, function, frame))                                                                          \
    X(copy_local,                                                                                            \
      (sim_listener * l, const sim_event *event, uint32_t target, uint32_t source, uint32_t bytes),          \
      (to, event, target, source, bytes))                                                                    \
    X(leave, (sim_listener * l, const sim_event *event), (to, event))

// Those of which a member may want some instructions alone: X(name, parameters, arguments, instruction,
// want).
#define TEAM_ROUTED(X)                                                                                       \
    X(step, (sim_listener * l, const sim_event *event), (to, event), event->inst,                            \
      SIM_WANT_STEP | SIM_WANT_STEP_IN_DETAIL)                                                               \
    X(done, (sim_listener * l, const sim_event *event), (to, event), event->inst, SIM_WANT_DONE)             \
    X(access, (sim_listener * l, const sim_access *access), (to, access), access->at.inst, SIM_WANT_ACCESS)

typedef struct list {
    sim_listener *to[OBSERVE_FANOUT_LISTENERS];
    uint32_t count;
} list;

// Who wants what of one instruction: bit i is member i of the event's list.
typedef struct route {
#define TEAM_ROUTE(name, parameters, arguments, inst, want) uint16_t name;
    TEAM_ROUTED(TEAM_ROUTE)
} route;

// Listeners that hear of one worker's events, or of all.
typedef struct fan {
    sim_listener listener; // first
    list active;           // members, or their private ones
#define TEAM_LIST(name, parameters, arguments) list on_##name;
    TEAM_EVENTS(TEAM_LIST)
#define TEAM_ROUTED_LIST(name, parameters, arguments, inst, want) list on_##name;
    TEAM_ROUTED(TEAM_ROUTED_LIST)
    list on_enter;
    list on_memory;
    route *routes; // by serial
    uint32_t route_count, route_capacity;
} fan;

struct observe_fanout {
    fan fan; // first; serves launches where the fanout does not fork
    sim_listener *members[OBSERVE_FANOUT_LISTENERS];
    uint32_t count;
    observe_fanout_hooks hooks;
    const ptx_module *module;                       // of the launch
    sim_listener *forked[OBSERVE_FANOUT_LISTENERS]; // of members, in a launch where the fanout does not fork
};

// A worker's, with the private listeners in the order of the members; NULL where one is none.
typedef struct child {
    fan fan; // first
    sim_listener *forked[OBSERVE_FANOUT_LISTENERS];
} child;

#define TEAM_FORWARD(name, parameters, arguments)                                                            \
    static void forward_##name parameters {                                                                  \
        const list *all = &((fan *)l)->on_##name;                                                            \
        for (uint32_t i = 0; i < all->count; i++) {                                                          \
            sim_listener *to = all->to[i];                                                                   \
            to->name arguments;                                                                              \
        }                                                                                                    \
    }
TEAM_EVENTS(TEAM_FORWARD)
TEAM_FORWARD(memory, (sim_listener * l, const sim_memory_event *event), (to, event))

// Where nothing is known of the instruction, all of the list.
static inline route route_of(const fan *f, const ptx_inst *inst) {
    if (inst && inst->serial < f->route_count) return f->routes[inst->serial];
    return (route){UINT16_MAX, UINT16_MAX, UINT16_MAX};
}

#define TEAM_FORWARD_ROUTED(name, parameters, arguments, inst, want)                                         \
    static void forward_##name parameters {                                                                  \
        const fan *f = (const fan *)l;                                                                       \
        const list *all = &f->on_##name;                                                                     \
        uint32_t members = (UINT32_C(1) << all->count) - 1;                                                  \
        if (f->route_count) members &= route_of(f, inst).name;                                               \
        for (; members; members &= members - 1) {                                                            \
            sim_listener *to = all->to[__builtin_ctz(members)];                                              \
            to->name arguments;                                                                              \
        }                                                                                                    \
    }
TEAM_ROUTED(TEAM_FORWARD_ROUTED)

static bool forward_enter(sim_listener *l, const sim_event *event, uint32_t count) {
    const list *all = &((fan *)l)->on_enter;
    bool in_detail = false;
    for (uint32_t i = 0; i < all->count; i++) in_detail |= all->to[i]->enter(all->to[i], event, count);
    return in_detail;
}

// A member that does not tell them apart wants every step, whatever others say of details.
static unsigned wants_of(sim_listener *member, const ptx_inst *inst) {
    unsigned wanted = member->wants ? member->wants(member, inst) : SIM_WANT_ALL;
    if (!member->step) wanted &= ~(unsigned)(SIM_WANT_STEP | SIM_WANT_STEP_IN_DETAIL);
    if (member->step && !member->enter && wanted & SIM_WANT_STEP_IN_DETAIL) wanted |= SIM_WANT_STEP;
    return wanted;
}

static unsigned forward_wants(sim_listener *l, const ptx_inst *inst) {
    fan *f = (fan *)l;
    route to = {0};
    unsigned all = 0;
#define TEAM_ASK(name, parameters, arguments, inst_, want)                                                   \
    for (uint32_t i = 0; i < f->on_##name.count; i++) {                                                      \
        unsigned wanted = wants_of(f->on_##name.to[i], inst) & (want);                                       \
        if (wanted) to.name |= (uint16_t)(1u << i);                                                          \
        all |= wanted;                                                                                       \
    }
    TEAM_ROUTED(TEAM_ASK)
    if (inst->serial < f->route_count) f->routes[inst->serial] = to;
    return all;
}

static void push(list *all, sim_listener *listener) { all->to[all->count++] = listener; }

// What was said of another launch's instructions is forgotten: all goes to all, until the machine asks.
static void arrange_routes(fan *f, const ptx_module *module) {
    uint32_t count = module ? module->inst_count : 0;
    f->listener.wants = NULL;
    for (uint32_t i = 0; i < f->active.count; i++)
        if (f->active.to[i]->wants) f->listener.wants = forward_wants;
    f->route_count = 0;
    if (!f->listener.wants) return;
    if (count > f->route_capacity) {
        route *grown = realloc(f->routes, count * sizeof *grown);
        if (!grown) return;
        f->routes = grown;
        f->route_capacity = count;
    }
    f->route_count = count;
    if (count) memset(f->routes, 0xff, count * sizeof *f->routes);
}

// Asks for what the active ones want.
static void arrange(fan *f, const ptx_module *module) {
#define TEAM_ARRANGE(name, parameters, arguments, ...)                                                       \
    f->on_##name.count = 0;                                                                                  \
    for (uint32_t i = 0; i < f->active.count; i++)                                                           \
        if (f->active.to[i]->name) push(&f->on_##name, f->active.to[i]);                                     \
    f->listener.name = f->on_##name.count ? forward_##name : NULL;
    TEAM_EVENTS(TEAM_ARRANGE)
    TEAM_ROUTED(TEAM_ARRANGE)
    TEAM_ARRANGE(enter, , )
    arrange_routes(f, module);
}

static void arrange_memory(fan *f, sim_listener *const *members, uint32_t count) {
    f->on_memory.count = 0;
    for (uint32_t i = 0; i < count; i++)
        if (members[i] && members[i]->memory) push(&f->on_memory, members[i]);
    f->listener.memory = f->on_memory.count ? forward_memory : NULL;
}

static bool follows_launches(const sim_listener *member) {
#define TEAM_WANTS(name, parameters, arguments, ...) || member->name
    return member->fork || member->launch_begin TEAM_EVENTS(TEAM_WANTS) TEAM_ROUTED(TEAM_WANTS);
}

// ---- forking ----------------------------------------------------------------------------------------

static sim_listener *on_fork(sim_listener *listener) {
    observe_fanout *fanout = (observe_fanout *)listener;
    if (fanout->count == 1) return fanout->members[0]->fork(fanout->members[0]); // nothing to hand on
    child *made = calloc(1, sizeof *made);
    if (!made) return NULL;
    sim_listener *hearing[OBSERVE_FANOUT_LISTENERS];
    for (uint32_t i = 0; i < fanout->count; i++) {
        sim_listener *member = fanout->members[i];
        if (member->fork) made->forked[i] = member->fork(member);
        if (made->forked[i]) push(&made->fan.active, made->forked[i]);
        hearing[i] = made->forked[i] && made->forked[i]->memory ? made->forked[i] : member;
    }
    arrange(&made->fan, fanout->module);
    arrange_memory(&made->fan, hearing, fanout->count);
    return &made->fan.listener;
}

static void on_join(sim_listener *listener, sim_listener *joined) {
    observe_fanout *fanout = (observe_fanout *)listener;
    if (fanout->count == 1) {
        fanout->members[0]->join(fanout->members[0], joined);
        return;
    }
    child *from = (child *)joined;
    for (uint32_t i = 0; i < fanout->count; i++)
        if (from->forked[i]) fanout->members[i]->join(fanout->members[i], from->forked[i]);
    free(from->fan.routes);
    free(from);
}

// ---- launches ---------------------------------------------------------------------------------------

static void on_launch_begin(sim_listener *listener, const sim_launch_event *event) {
    observe_fanout *fanout = (observe_fanout *)listener;
    fanout->module = event ? event->module : NULL;
    if (fanout->hooks.begin) fanout->hooks.begin(fanout->hooks.context, event);
    for (uint32_t i = 0; i < fanout->count; i++)
        if (fanout->members[i]->launch_begin) fanout->members[i]->launch_begin(fanout->members[i], event);
    if (fanout->fan.listener.fork) return;
    fanout->fan.active.count = 0;
    for (uint32_t i = 0; i < fanout->count; i++) {
        sim_listener *member = fanout->members[i];
        fanout->forked[i] = member->fork ? member->fork(member) : NULL;
        if (fanout->forked[i] || !member->fork)
            push(&fanout->fan.active, fanout->forked[i] ? fanout->forked[i] : member);
    }
    arrange(&fanout->fan, fanout->module);
}

static void on_launch_end(sim_listener *listener, kz_status status) {
    observe_fanout *fanout = (observe_fanout *)listener;
    for (uint32_t i = 0; i < fanout->count; i++) {
        if (fanout->forked[i]) fanout->members[i]->join(fanout->members[i], fanout->forked[i]);
        fanout->forked[i] = NULL;
    }
    for (uint32_t i = 0; i < fanout->count; i++)
        if (fanout->members[i]->launch_end) fanout->members[i]->launch_end(fanout->members[i], status);
    if (fanout->hooks.end) fanout->hooks.end(fanout->hooks.context, status);
}

// ---- the fanout ---------------------------------------------------------------------------------------

observe_fanout *observe_fanout_open(void) {
    observe_fanout *fanout = calloc(1, sizeof *fanout);
    if (!fanout) return NULL;
    fanout->fan.listener.launch_begin = on_launch_begin;
    fanout->fan.listener.launch_end = on_launch_end;
    fanout->fan.listener.fork = on_fork;
    fanout->fan.listener.join = on_join;
    return fanout;
}

void observe_fanout_close(observe_fanout *fanout) {
    if (!fanout) return;
    free(fanout->fan.routes);
    free(fanout);
}

bool observe_fanout_add(observe_fanout *fanout, sim_listener *member) {
    if (fanout->count == OBSERVE_FANOUT_LISTENERS) return false;
    fanout->members[fanout->count++] = member;
    if (follows_launches(member) && !member->fork) {
        fanout->fan.listener.fork = NULL;
        fanout->fan.listener.join = NULL;
    }
    arrange_memory(&fanout->fan, fanout->members, fanout->count);
    return true;
}

void observe_fanout_set_hooks(observe_fanout *fanout, const observe_fanout_hooks *hooks) {
    fanout->hooks = *hooks;
}

sim_listener *observe_fanout_listener(observe_fanout *fanout) { return &fanout->fan.listener; }
