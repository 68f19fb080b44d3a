// fused_elementwise 05: several rows in flight
// kz: sm 80
//
// Idea     DRAM is kept busy by bytes in flight: ask for more of them at once.
// Change   a thread loads the packs of several rows before it uses the first: of four rows where there is one input, else of
//          two; of two where a row's unit is two packs.
// Expect   64 bytes in flight per thread, and more where there are three inputs; 04 has 16 with one input. From sm_80 on, one instruction rounds
//          to bf16.
// Limit    registers: 80 leave room for 768 threads on a multiprocessor, which have 48 KB in flight.

#include "columns.cuh"

#define ENTRY(operation, type, T)                                                                            \
    CHAIN_COLUMNS(in_flight, FUSED_PACKS, FUSED_IN_FLIGHT_BLOCKS, operation, type, T)
CHAIN_ALL(ENTRY)
CHAIN_GATHERS(in_flight)
