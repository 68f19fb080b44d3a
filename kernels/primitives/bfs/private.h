// What the C files of bfs share.
#ifndef BFS_PRIVATE_H
#define BFS_PRIVATE_H

#include "primitives/pagerank/graph.h"

enum { LEVELS = GRAPH_BUFFERS }; // the buffer behind the graph's
enum { SOURCE = GRAPH_AXES };    // the axis behind the graph's

KZ_DECLARE_FAMILY(bfs);
extern const kz_native_entry bfs_natives[];

// levels[] of a search from `source`, -1 where it does not come; `queue` has room for all vertices.
void bfs_search(const uint32_t *offsets, const uint32_t *targets, uint64_t vertices, uint32_t source,
                int32_t *levels, uint32_t *queue);
kz_status bfs_reference(const kz_case *c, void *const *host, size_t which, double *expected, double *bound,
                        kz_error *error);

#endif
