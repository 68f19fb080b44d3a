// A model of a GPU's L1 and L2 caches: an instrument that adds hit rates and memory traffic to profiles.
#ifndef OBSERVE_CACHES_H
#define OBSERVE_CACHES_H

#include "observe/profile.h"

typedef struct observe_caches observe_caches;
// NULL when out of memory. Adds to profiles->current.
observe_caches *observe_caches_open(observe_profiles *profiles);
void observe_caches_close(observe_caches *caches);
// Each launch begins with empty caches, as Nsight Compute has it by default. Before anybody listens.
void observe_caches_keep_host_out(observe_caches *caches);
sim_listener *observe_caches_listener(observe_caches *caches);

#endif
