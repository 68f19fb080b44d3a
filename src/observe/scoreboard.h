// How long a block would take if nobody else were there: the clock of a few blocks' warps.
//
// For each warp of a few sampled blocks the scoreboard keeps when each register's value is there. Within a basic block
// instructions begin when their operands are there and earlier stores have begun, as ptxas arranges them; a basic block
// begins when the one before has issued all of its own. Loads take what the cache that served them takes. Barriers make
// the warps of a block wait for the last. So dependent chains are long and independent loads overlap, in whatever way
// the source wrote them. What others do meanwhile is no part of it: that is the rates' (time.h).
//
// What is asynchronous goes on beside it: a warp waits for copies (cp.async) and products (wgmma) where it waits for their group, and
// at an mbarrier for the last that arrives there, threads and bulk copies.
#ifndef OBSERVE_SCOREBOARD_H
#define OBSERVE_SCOREBOARD_H

#include "observe/metrics.h"
#include "sim/sim.h"

typedef struct observe_scoreboard observe_scoreboard;
observe_scoreboard *observe_scoreboard_open(void); // NULL when out of memory
void observe_scoreboard_close(observe_scoreboard *board);

// `infos` by serial, alive until the end. Blocks are sampled evenly.
void observe_scoreboard_begin(observe_scoreboard *board, const sim_launch_event *event,
                              const observe_inst_info *infos, uint32_t inst_count);
bool observe_scoreboard_samples(const observe_scoreboard *board, uint32_t block);
void observe_scoreboard_block(observe_scoreboard *board, uint32_t block, uint32_t warps);
// A memory instruction of the basic block that is being executed takes this long.
void observe_scoreboard_access(observe_scoreboard *board, const sim_access *access, uint32_t clocks);
void observe_scoreboard_run(observe_scoreboard *board, const ptx_inst *first, uint32_t count, uint32_t block,
                            uint32_t warp);
// A bulk copy of the basic block that is being executed reads memory, which takes this long.
void observe_scoreboard_bulk(observe_scoreboard *board, const sim_access *access, uint32_t clocks);
void observe_scoreboard_sync(observe_scoreboard *board, const sim_sync *sync);
// What the samples took: blocks, and the sum of their clocks; `waits`, by serial, what was waited for each
// instruction's result and its issue, in clocks of all sampled warps.
typedef struct observe_sampled {
    uint64_t blocks, clocks;
    const uint64_t *waits; // NULL: none
} observe_sampled;
observe_sampled observe_scoreboard_end(observe_scoreboard *board);

#endif
