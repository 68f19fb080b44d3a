// The parts of the rival CUTLASS: a menu of kernels for each family, compiled in files of their own.
//
// A way is a kernel with its settings; the bench tries all ways of a problem and keeps the fastest.
#ifndef PEERS_CUTLASS_CUTLASS_H
#define PEERS_CUTLASS_CUTLASS_H

#include <string.h>

#include "peers/peer.h"

#if __has_include(<cutlass/version.h>)
#define PEER_HAS_CUTLASS 1
#include <cutlass/cutlass.h>
#include <cutlass/version.h>
#endif

typedef struct cutlass_menu {
    const char *name; // for tables
    int ways;
    bool hopper; // machine code for sm_90a, and no other
    // Of all its ways, for the GPU that is current.
    size_t (*workspace)(const kz_peer_problem *problem);
#if PEER_HAS_CUTLASS
    cutlass::Status (*run)(const kz_peer_problem *problem, const kz_peer_call *call, int way);
#endif
} cutlass_menu;

// Each NULL where the problem is none of its own.
const cutlass_menu *cutlass_find_simt(const kz_peer_problem *problem);
const cutlass_menu *cutlass_find_f16(const kz_peer_problem *problem);
const cutlass_menu *cutlass_find_bf16(const kz_peer_problem *problem);
const cutlass_menu *cutlass_find_fused(const kz_peer_problem *problem);

static inline bool cutlass_sizes_fit(const kz_peer_problem *problem) {
    for (int i = 0; i < 3; i++)
        if (problem->axes[i] < 1 || problem->axes[i] > 0x7fffffff) return false;
    return true;
}

// Tensor maps want matrices and rows that begin at multiples of 16 bytes. Rows have n or k halves.
static inline bool cutlass_rows_fit(const kz_peer_problem *problem) {
    return problem->axes[1] % 8 == 0 && problem->axes[2] % 8 == 0 && problem->alignment % 16 == 0;
}

// hgemm in one of its first two orders, nn and nt.
static inline bool cutlass_is_hgemm(const kz_peer_problem *problem, kz_type type) {
    return strcmp(problem->family, "hgemm") == 0 && problem->type == type &&
           (strcmp(problem->operation, "nn") == 0 || strcmp(problem->operation, "nt") == 0) &&
           cutlass_sizes_fit(problem) && cutlass_rows_fit(problem);
}

#endif
