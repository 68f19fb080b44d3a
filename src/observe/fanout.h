// A fan-out: one listener that hands the simulator's events to several. Only what some member wants is asked
// for.
//
// If every member that follows launches can fork, so can the fanout, and launches use all cores. Else they run
// on one, and the members that can fork are given one private listener for each launch.
#ifndef OBSERVE_FANOUT_H
#define OBSERVE_FANOUT_H

#include "sim/sim.h"

enum { OBSERVE_FANOUT_LISTENERS = 16 };

typedef struct observe_fanout observe_fanout;
observe_fanout *observe_fanout_open(void); // NULL when out of memory
void observe_fanout_close(observe_fanout *fanout);
// The members stay their owners'. False where there are too many.
bool observe_fanout_add(observe_fanout *fanout, sim_listener *member);
// Called before the members hear that a launch begins, and after they heard that it ended.
typedef struct observe_fanout_hooks {
    void (*begin)(void *context, const sim_launch_event *event);
    void (*end)(void *context, kz_status status);
    void *context;
} observe_fanout_hooks;
void observe_fanout_set_hooks(observe_fanout *fanout, const observe_fanout_hooks *hooks);
sim_listener *observe_fanout_listener(observe_fanout *fanout);

#endif
