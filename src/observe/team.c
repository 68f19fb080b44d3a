// Hands events to several listeners. For each event there is a list of those that want it, made anew when a
// launch begins or a worker forks, so that a member may ask for less or more from launch to launch.
#include "observe/team.h"

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
    X(step, (sim_listener * l, const sim_event *event), (to, event))                                         \
    X(done, (sim_listener * l, const sim_event *event), (to, event))                                         \
    X(branch, (sim_listener * l, const sim_event *event, uint32_t taken), (to, event, taken))                \
    X(access, (sim_listener * l, const sim_access *access), (to, access))                                    \
    X(sync, (sim_listener * l, const sim_sync *sync), (to, sync))                                            \
    X(exchange, (sim_listener * l, const sim_exchange_event *event), (to, event))                            \
    X(call, (sim_listener * l, const sim_event *event, const ptx_function *function, uint32_t frame),        \
      (to, event, function, frame))                                                                          \
    X(copy_local,                                                                                            \
      (sim_listener * l, const sim_event *event, uint32_t target, uint32_t source, uint32_t bytes),          \
      (to, event, target, source, bytes))                                                                    \
    X(leave, (sim_listener * l, const sim_event *event), (to, event))

typedef struct list {
    sim_listener *to[OBSERVE_TEAM_MEMBERS];
    uint32_t count;
} list;

// Listeners that hear of one worker's events, or of all.
typedef struct fan {
    sim_listener listener; // first
    list active;           // members, or their private ones
#define TEAM_LIST(name, parameters, arguments) list on_##name;
    TEAM_EVENTS(TEAM_LIST)
    list on_memory;
} fan;

struct observe_team {
    fan fan; // first; serves launches where the team does not fork
    sim_listener *members[OBSERVE_TEAM_MEMBERS];
    uint32_t count;
    observe_team_hooks hooks;
    sim_listener *forked[OBSERVE_TEAM_MEMBERS]; // of members, in a launch where the team does not fork
};

// A worker's, with the private listeners in the order of the members; NULL where one is none.
typedef struct child {
    fan fan; // first
    sim_listener *forked[OBSERVE_TEAM_MEMBERS];
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

static void push(list *all, sim_listener *listener) { all->to[all->count++] = listener; }

// Asks for what the active ones want.
static void arrange(fan *f) {
#define TEAM_ARRANGE(name, parameters, arguments)                                                            \
    f->on_##name.count = 0;                                                                                  \
    for (uint32_t i = 0; i < f->active.count; i++)                                                           \
        if (f->active.to[i]->name) push(&f->on_##name, f->active.to[i]);                                     \
    f->listener.name = f->on_##name.count ? forward_##name : NULL;
    TEAM_EVENTS(TEAM_ARRANGE)
}

static void arrange_memory(fan *f, sim_listener *const *members, uint32_t count) {
    f->on_memory.count = 0;
    for (uint32_t i = 0; i < count; i++)
        if (members[i] && members[i]->memory) push(&f->on_memory, members[i]);
    f->listener.memory = f->on_memory.count ? forward_memory : NULL;
}

static bool follows_launches(const sim_listener *member) {
#define TEAM_WANTS(name, parameters, arguments) || member->name
    return member->fork || false TEAM_EVENTS(TEAM_WANTS);
}

// ---- forking ----------------------------------------------------------------------------------------

static sim_listener *on_fork(sim_listener *listener) {
    observe_team *team = (observe_team *)listener;
    if (team->count == 1) return team->members[0]->fork(team->members[0]); // nothing to hand on
    child *made = calloc(1, sizeof *made);
    if (!made) return NULL;
    sim_listener *hearing[OBSERVE_TEAM_MEMBERS];
    for (uint32_t i = 0; i < team->count; i++) {
        sim_listener *member = team->members[i];
        if (member->fork) made->forked[i] = member->fork(member);
        if (made->forked[i]) push(&made->fan.active, made->forked[i]);
        hearing[i] = made->forked[i] && made->forked[i]->memory ? made->forked[i] : member;
    }
    arrange(&made->fan);
    arrange_memory(&made->fan, hearing, team->count);
    return &made->fan.listener;
}

static void on_join(sim_listener *listener, sim_listener *joined) {
    observe_team *team = (observe_team *)listener;
    if (team->count == 1) {
        team->members[0]->join(team->members[0], joined);
        return;
    }
    child *from = (child *)joined;
    for (uint32_t i = 0; i < team->count; i++)
        if (from->forked[i]) team->members[i]->join(team->members[i], from->forked[i]);
    free(from);
}

// ---- launches ---------------------------------------------------------------------------------------

static void on_launch_begin(sim_listener *listener, const sim_launch_event *event) {
    observe_team *team = (observe_team *)listener;
    if (team->hooks.begin) team->hooks.begin(team->hooks.context, event);
    for (uint32_t i = 0; i < team->count; i++)
        if (team->members[i]->launch_begin) team->members[i]->launch_begin(team->members[i], event);
    if (team->fan.listener.fork) return;
    team->fan.active.count = 0;
    for (uint32_t i = 0; i < team->count; i++) {
        sim_listener *member = team->members[i];
        team->forked[i] = member->fork ? member->fork(member) : NULL;
        if (team->forked[i] || !member->fork)
            push(&team->fan.active, team->forked[i] ? team->forked[i] : member);
    }
    arrange(&team->fan);
}

static void on_launch_end(sim_listener *listener, kz_status status) {
    observe_team *team = (observe_team *)listener;
    for (uint32_t i = 0; i < team->count; i++) {
        if (team->forked[i]) team->members[i]->join(team->members[i], team->forked[i]);
        team->forked[i] = NULL;
    }
    for (uint32_t i = 0; i < team->count; i++)
        if (team->members[i]->launch_end) team->members[i]->launch_end(team->members[i], status);
    if (team->hooks.end) team->hooks.end(team->hooks.context, status);
}

// ---- the team ---------------------------------------------------------------------------------------

observe_team *observe_team_open(void) {
    observe_team *team = calloc(1, sizeof *team);
    if (!team) return NULL;
    team->fan.listener.launch_begin = on_launch_begin;
    team->fan.listener.launch_end = on_launch_end;
    team->fan.listener.fork = on_fork;
    team->fan.listener.join = on_join;
    return team;
}

void observe_team_close(observe_team *team) { free(team); }

bool observe_team_add(observe_team *team, sim_listener *member) {
    if (team->count == OBSERVE_TEAM_MEMBERS) return false;
    team->members[team->count++] = member;
    if (follows_launches(member) && !member->fork) {
        team->fan.listener.fork = NULL;
        team->fan.listener.join = NULL;
    }
    arrange_memory(&team->fan, team->members, team->count);
    return true;
}

void observe_team_set_hooks(observe_team *team, const observe_team_hooks *hooks) { team->hooks = *hooks; }

sim_listener *observe_team_listener(observe_team *team) { return &team->fan.listener; }
