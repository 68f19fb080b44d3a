// Kernel Zoo, an operation: one step of PageRank's power iteration on a directed graph.
//
//     kz_operation *operation;
//     kz_pagerank_open(device, vertices, edges, NULL, &operation, &error);
//     uint64_t bytes = kz_operation_workspace(operation); // the caller's: kz_memory_alloc, any content
//     kz_pagerank_run(operation, NULL, &graph, rank, next, workspace, bytes, &error); // then swap rank and next
//     kz_operation_close(operation);
//
// next[v] = 0.15 / vertices + 0.85 * (the sum over edges u -> v of rank[u] / (edges out of u)). Ranks are KZ_F32; what
// a vertex without an edge out has is given to nobody. Variants that push (01 to 03) add by atomics, in an order that
// changes from run to run; those that pull give the same bits in every run.
#ifndef KZ_OPS_PAGERANK_H
#define KZ_OPS_PAGERANK_H

#include "kz/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

// A graph and its transpose, on the device: the edges out of v lead to out_targets[out_offsets[v]] up to
// out_targets[out_offsets[v + 1] - 1]; the edges into v come from in_sources, likewise. Unsigned numbers of 32 bits;
// vertices + 1 offsets that never fall, the first 0 and the last `edges`.
typedef struct kz_pagerank_graph {
    kz_ptr out_offsets, out_targets, in_offsets, in_sources;
} kz_pagerank_graph;

// `variant` NULL takes the best known for device and size; a name ("04_pull_thread") overrides it.
// KZ_DETERMINISTIC takes the best of those that add in the same order in every run: those that pull.
KZ_API kz_status kz_pagerank_open(kz_device *device, size_t vertices, size_t edges, const char *variant,
                                  kz_operation **operation, kz_error *error);
KZ_API kz_status kz_pagerank_run(kz_operation *operation, kz_stream *stream, const kz_pagerank_graph *graph,
                                 kz_ptr rank, kz_ptr next, kz_ptr workspace, uint64_t workspace_bytes,
                                 kz_error *error);

#ifdef __cplusplus
}
#endif
#endif
