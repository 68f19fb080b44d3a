// What the machine does for a PTX instruction: how many machine instructions ptxas makes of it, which pipe they
// occupy, and when the result is there. The model of time (time.h) and the scoreboard are made of these.
//
// The rates and latencies are those of the CUDA Programming Guide's throughput table for compute capability 9.0 and of
// `kz microbench` on an H200; the number of machine instructions is what ptxas usually makes for sm_90.
#ifndef OBSERVE_COSTS_H
#define OBSERVE_COSTS_H

#include "ptx/ptx.h"

typedef enum observe_pipe {
    OBSERVE_PIPE_NONE,
    OBSERVE_PIPE_FMA,     // floats, and products of integers: 4 warp instructions per clock and SM
    OBSERVE_PIPE_ALU,     // integers, logic, comparisons: 2
    OBSERVE_PIPE_SPECIAL, // special functions, bit counts, conversions of 64 bits: 1/2
    OBSERVE_PIPE_FP64,
    OBSERVE_PIPE_FP16,
    OBSERVE_PIPE_CONST, // loads of constant memory: 1
    OBSERVE_PIPES
} observe_pipe;

typedef struct observe_cost {
    uint8_t issue;               // slots of a scheduler
    uint8_t pipe[OBSERVE_PIPES]; // slots of each pipe, in warp instructions at its own rate
    uint16_t latency; // clocks from the issue to the result; of memory: where nothing else is known
    uint16_t
        tensor; // clocks of the tensor core of a warp's quarter of the multiprocessor; of wgmma: of all four
} observe_cost;

observe_cost observe_inst_cost(const ptx_inst *inst);

// Latencies of memory in clocks (kz microbench latency, atomics, sync; H200).
enum {
    OBSERVE_LATENCY_ALU = 4,
    OBSERVE_LATENCY_SHARED = 23,
    OBSERVE_LATENCY_SHUFFLE = 26,
    OBSERVE_LATENCY_CONST = 28,
    OBSERVE_LATENCY_L1 = 32,
    OBSERVE_LATENCY_ATOMIC = 270,
    OBSERVE_LATENCY_L2 = 280,
    OBSERVE_LATENCY_DRAM = 677,
    OBSERVE_LATENCY_DISTRIBUTED = 190,
    OBSERVE_LATENCY_BARRIER = 12, // and two clocks for each warp
    // Products of tensor cores whose rows of A are 16 and 32 bytes, and what a warpgroup's product takes beside its own clocks
    // (tests/truth/tensor_rates.cu; H200, 2026-11-17, results/h200/tensor_rates.csv).
    OBSERVE_LATENCY_MMA_SHORT = 22,
    OBSERVE_LATENCY_MMA = 33,
    OBSERVE_LATENCY_WGMMA = 53,
};

// Of the tensor cores' peak on sm_90, in percent, that mma reaches; wgmma reaches it all. Believed, from reports on the H100:
// tensor_rates reached 52 with 16 warps of 4 chains.
enum { OBSERVE_MMA_PERCENT = 63 };

#endif
