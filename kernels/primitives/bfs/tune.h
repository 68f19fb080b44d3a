// bfs: the tuning constants, read by the kernels and by the plans that launch them.
// Each may be given by -D, to both compilers, for a search.
#ifndef BFS_TUNE_H
#define BFS_TUNE_H

#define BFS_THREADS 256 // per block

// Blocks that a multiprocessor holds at once; all must be resident, for they wait for each other: of 01 to 03, of 04 and
// 05, of 06, and of 07, whose threads have the most in their registers. Of 4 and 6 for 04, 05 and 07, these are the best on
// an H200 (2026-11-15).
#ifndef BFS_BLOCKS
#define BFS_BLOCKS 8
#endif
#ifndef BFS_PUSH_BLOCKS
#define BFS_PUSH_BLOCKS 6
#endif
#ifndef BFS_PULL_BLOCKS
#define BFS_PULL_BLOCKS 6
#endif
#ifndef BFS_WIDE_BLOCKS
#define BFS_WIDE_BLOCKS 4
#endif

// 04, 05, 07: edges that a thread has in flight. 8 spill registers in 07: 479 us on an H200 for a random graph of 2^22
// vertices and 2^26 edges, instead of 390.
#ifndef BFS_EDGES
#define BFS_EDGES 4
#endif
#define BFS_TILE (BFS_THREADS * BFS_EDGES)

// 07: vertices that a thread pulls for side by side, and edges that it looks at together. The same graph: 4 and 2 390 us, 2
// and 4 416 us, 4 and 1 (with ALPHA 4) 466 us.
#ifndef BFS_PULL_VERTICES
#define BFS_PULL_VERTICES 4
#endif
#ifndef BFS_PULL_EDGES
#define BFS_PULL_EDGES 2
#endif

// 07: it pulls from when the frontier has more edges than one ALPHA-th of what is left, and only while it has at least
// one BETA-th of all vertices. 15 and 18 are Beamer's for CPUs. To be searched: 4 to 60 both.
#ifndef BFS_ALPHA
#define BFS_ALPHA 15
#endif
#ifndef BFS_BETA
#define BFS_BETA 18
#endif

#endif
