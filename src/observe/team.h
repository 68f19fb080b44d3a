// A team: one listener that hands the simulator's events to several. Only what some member wants is asked
// for.
//
// If every member that follows launches can fork, so can the team, and launches use all cores. Else they run
// on one, and the members that can fork are given one private listener for each launch.
#ifndef OBSERVE_TEAM_H
#define OBSERVE_TEAM_H

#include "sim/sim.h"

enum { OBSERVE_TEAM_MEMBERS = 12 };

typedef struct observe_team observe_team;
observe_team *observe_team_open(void); // NULL when out of memory
void observe_team_close(observe_team *team);
// The members stay their owners'. False where there are too many.
bool observe_team_add(observe_team *team, sim_listener *member);
// Called before the members hear that a launch begins, and after they heard that it ended.
typedef struct observe_team_hooks {
    void (*begin)(void *context, const sim_launch_event *event);
    void (*end)(void *context, kz_status status);
    void *context;
} observe_team_hooks;
void observe_team_set_hooks(observe_team *team, const observe_team_hooks *hooks);
sim_listener *observe_team_listener(observe_team *team);

#endif
