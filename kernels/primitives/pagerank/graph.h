// Graphs for pagerank and bfs, made from a seed: directed, in compressed sparse rows (CSR), with the transpose.
//
// Row v of a CSR is the range [offsets[v], offsets[v + 1]) of an array of vertices: where v's edges go to or, in
// the transpose, where those into v come from. Rows are in no order, and may hold a vertex twice or v itself. Any
// part of any of the four arrays is made by itself, so none of them is ever sorted or searched: see graph.c.
#ifndef PAGERANK_GRAPH_H
#define PAGERANK_GRAPH_H

#include "kz/family.h"

enum {
    OUT_OFFSETS,
    OUT_TARGETS,
    IN_OFFSETS,
    IN_SOURCES,
    GRAPH_BUFFERS
};                                           // a graph's buffers, before all others
enum { VERTICES, EDGES, SHAPE, GRAPH_AXES }; // and its axes

typedef enum graph_shape {
    GRAPH_UNIFORM, // edges at random; degrees from 0 to twice the mean
    GRAPH_POWER, // edges at random; vertex v has about v^-3/4 times what vertex 1 has: few hubs, a long tail
    GRAPH_LATTICE, // edges / vertices neighbours each, on a torus of half as many dimensions: a ring, a grid, ...
    GRAPH_STAR,  // as uniform, but the middle vertex has half of all edges, both out and in
    GRAPH_EMPTY, // fifteen of sixteen vertices have no edge out, and as many have none in
    GRAPH_SHAPES
} graph_shape;

// The four buffers' rows of the family's table.
void graph_buffers(const kz_case *c, kz_buffer list[GRAPH_BUFFERS]);
// For a family's `fill`: true where `which` is one of the four.
bool graph_fill(const kz_case *c, size_t which, uint64_t seed, uint64_t first, uint64_t count, void *host);
// KZ_UNSUPPORTED with a reason for axes that make no graph, and from 2^31 vertices or 2^32 edges on.
kz_status graph_supported(const char *family, const kz_case *c, kz_error *error);

#endif
