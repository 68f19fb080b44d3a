// observe: instruments that listen to the simulator.
//
// One file per instrument. Each offers _open, _close and _listener (the sim_listener to attach), and its own
// way to be read. The simulator knows none of them; device/sim.c attaches what was asked for.
#ifndef OBSERVE_OBSERVE_H
#define OBSERVE_OBSERVE_H

#include "sim/sim.h"

// ---- counters: what kz_counters says -------------------------------------------------------------------
//
// Terms as Nsight Compute uses them, applied to PTX instructions:
// request    one memory instruction of one warp (loads, stores and atomics alike).
// sector     an aligned 32-byte piece of global memory; a request counts each sector its lanes touch once.
//            Ideal: the sectors that the active lanes' bytes would fill if packed, and never more than were
//            touched (lanes that share a word are no waste).
// wavefront  one pass of shared memory's 32 banks of 4 bytes. Lanes are served together as far as 128 bytes
//            go: 32 lanes for up to 4 bytes each, 16 for 8, 8 for 16. Different words in one bank take turns;
//            one word for many lanes is a broadcast. Ideal: one wavefront per served group.
// barrier    one barrier instruction of one warp.
// Atomics on global and shared memory count as requests there, and once more as atomics, where lanes beyond
// the first on one address are conflicts.
// `launches` is not an event: who attaches the listener counts them.

typedef struct observe_counters observe_counters;
observe_counters *observe_counters_open(void); // NULL when out of memory
void observe_counters_close(observe_counters *counters);
sim_listener *observe_counters_listener(observe_counters *counters);
void observe_counters_read(const observe_counters *counters,
                           kz_counters *sums); // `valid` and `launches` untouched
void observe_counters_reset(observe_counters *counters);

#endif
