// A small GPU, for the tests of this layer.
#ifndef SIM_TEST_MACHINE_H
#define SIM_TEST_MACHINE_H

#include "sim/sim.h"

static inline sim_config test_config(int sm) {
    return (sim_config){.sm = sm,
                        .multiprocessors = 2,
                        .max_threads_per_block = 1024,
                        .max_threads_per_multiprocessor = 2048,
                        .max_blocks_per_multiprocessor = 32,
                        .shared_per_block = 49152,
                        .shared_per_block_optin = 49152,
                        .shared_per_multiprocessor = 65536,
                        .memory_bytes = 1 << 20};
}

#endif
