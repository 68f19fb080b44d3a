// Kernel Zoo, an operation: breadth-first search: how many edges each vertex is away from a source.
//
//     kz_operation *operation;
//     kz_bfs_open(device, vertices, edges, source, NULL, &operation, &error);
//     uint64_t bytes = kz_operation_workspace(operation); // the caller's: kz_memory_alloc, any content
//     kz_bfs_run(operation, NULL, &graph, levels, workspace, bytes, &error);
//     kz_operation_close(operation);
//
// levels are KZ_I32: 0 at the source, -1 where the search does not come. All variants give the same levels in every
// run. A search is one cooperative launch, whatever the number of levels.
#ifndef KZ_OPS_BFS_H
#define KZ_OPS_BFS_H

#include "kz/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

// A graph and its transpose, on the device: the edges out of v lead to out_targets[out_offsets[v]] up to
// out_targets[out_offsets[v + 1] - 1]; the edges into v come from in_sources, likewise. Unsigned numbers of 32 bits;
// vertices + 1 offsets that never fall, the first 0 and the last `edges`. An undirected graph is its own transpose.
typedef struct kz_bfs_graph {
    kz_ptr out_offsets, out_targets, in_offsets, in_sources;
} kz_bfs_graph;

// `variant` NULL takes the best known for device and size; a name ("03_frontier_queue") overrides it.
// KZ_DETERMINISTIC: kz/operation.h.
KZ_API kz_status kz_bfs_open(kz_device *device, size_t vertices, size_t edges, size_t source,
                             const char *variant, kz_operation **operation, kz_error *error);
KZ_API kz_status kz_bfs_run(kz_operation *operation, kz_stream *stream, const kz_bfs_graph *graph,
                            kz_ptr levels, kz_ptr workspace, uint64_t workspace_bytes, kz_error *error);

#ifdef __cplusplus
}
#endif
#endif
