// The counters by kernel, source line and memory instruction: an instrument that adds to profiles.
#ifndef OBSERVE_LINES_H
#define OBSERVE_LINES_H

#include "observe/profile.h"

typedef struct observe_lines observe_lines;
// Adds to profiles->current; whoever owns the profiles sets that before the launch begins.
observe_lines *observe_lines_open(observe_profiles *profiles); // NULL when out of memory
void observe_lines_close(observe_lines *lines);
sim_listener *observe_lines_listener(observe_lines *lines);

#endif
