// scan 08: look-ahead
// kz: sm 90
//
// Idea     in 07 a block waits with its registers full and no load in flight. Split the work among warps that
//          never wait for each other's reasons, and keep many tiles of a multiprocessor under way at once
//          (NVIDIA's CCCL does so on Blackwell: "decoupled look-ahead").
// Change   one block per multiprocessor, tiles of 32 KB in six stages of shared memory. One warp loads by
//          bulk copies; four reduce a tile and send its total; one walks forwards over all totals, once, with
//          what lies before; eight scan, each its chunk, in place, and store by bulk copies.
// Expect   192 KB in flight or in work on a multiprocessor, and only totals are sent: one word per tile. The
//          order of all additions depends on n alone: the same bits in every run.
// Limit    half of copying's time is writing, and a tile crosses shared memory five times. sm_90. A launch at
//          a time per module, 2^19 tiles.

// The kernel is kz/device/scan.cuh, so that other operations can have it too.

#define KZ_SCAN_WORDS 3 // a segmented scan of 8-byte numbers
#include "kz/device/scan.cuh"
#include "scan.cuh"

#define ENTRY(operation, type, op) KZ_SCAN_ENTRY(scan_look_ahead_##operation##_##type, SCAN_OP op)
SCAN_ALL(ENTRY)
