// The model of time: how long a launch takes on a GPU, from what the simulator counted. docs/profiling.md explains it.
//
// It is one function, and everybody who tells a time asks it: `kz prof` for its verdict, `kz timeline` and the events of
// whole programs for their clock. For each resource it says how long this alone would take, at rates that were
// measured on an H200 relative to the nominal ones; the launch takes somewhat longer than the longest.
#ifndef OBSERVE_TIME_H
#define OBSERVE_TIME_H

#include "observe/metrics.h"

typedef enum observe_resource {
#define OBSERVE_RESOURCE(id, name, title) OBSERVE_BY_##id,
#include "observe/resources.def"
#undef OBSERVE_RESOURCE
    OBSERVE_RESOURCES
} observe_resource;
const char *observe_resource_name(observe_resource resource);
const char *observe_resource_title(observe_resource resource);

struct observe_time {
    double resource[OBSERVE_RESOURCES]; // seconds that each alone would take
    double dram_start;                  // of those of DRAM: what it takes to get going
    double kernel;                      // from the first block's start to the last one's end
    double launch;                      // what a stream needs for it, with the start and the end of a kernel
    double share;                       // of the GPU that its blocks fill at once: 0 to 1
};

// What is known besides the counts. Without registers the occupancy is an upper bound.
typedef struct observe_launch {
    const observe_gpu *gpu;
    observe_occupancy_input shape;
    observe_machine_code code;
    double count; // launches alike, which the counts are of; times are of one
} observe_launch;

observe_time observe_time_of(const observe_launch *launch, const observe_sums *sums);
// Executions of spilling instructions, by warps: they are taken to be where most is executed, for registers are short
// there.
double observe_time_spills(const observe_launch *launch, const observe_sums *sums);
double observe_time_start(void); // what `launch` has more than `kernel`
double observe_time_empty(void); // `launch` of a kernel that does nothing
// A part of such a launch, a source line: what it adds to each resource, spilled registers apart.
void observe_time_of_part(const observe_launch *launch, const observe_sums *all, const observe_sums *part,
                          double resource[OBSERVE_RESOURCES]);

#endif
