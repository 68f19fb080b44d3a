// What the C files of pagerank share.
#ifndef PAGERANK_PRIVATE_H
#define PAGERANK_PRIVATE_H

#include "graph.h"

enum { RANK = GRAPH_BUFFERS, NEXT }; // the buffers behind the graph's

#define PAGERANK_DAMPING 0.85

KZ_DECLARE_FAMILY(pagerank);
extern const kz_native_entry pagerank_natives[];
kz_status pagerank_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                             double *bound, kz_error *error);

#endif
