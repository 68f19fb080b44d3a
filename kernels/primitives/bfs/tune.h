// bfs: the tuning constants, read by the kernels and by the plans that launch them.
// Each may be given by -D, to both compilers, for a search.
#ifndef BFS_TUNE_H
#define BFS_TUNE_H

#define BFS_THREADS 256 // per block

// Blocks that a multiprocessor holds at once; all must be resident, for they wait for each other: of 01 to 03, of 06,
// and of 04, 05 and 07, whose threads have the most in their registers. To be searched: 2 to 8.
#ifndef BFS_BLOCKS
#define BFS_BLOCKS 8
#endif
#ifndef BFS_PULL_BLOCKS
#define BFS_PULL_BLOCKS 6
#endif
#ifndef BFS_WIDE_BLOCKS
#define BFS_WIDE_BLOCKS 4
#endif

// 04, 05, 07: edges that a thread has in flight. To be searched: 4 8.
#ifndef BFS_EDGES
#define BFS_EDGES 4
#endif
#define BFS_TILE (BFS_THREADS * BFS_EDGES)

// 06, 07: vertices that a thread pulls for before the block meets, and edges that it looks at together. To be searched:
// vertices 2 4 8, edges 1 2 4.
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

// 08: edges of a level that one block does alone. To be searched: 512 to 8192.
#ifndef BFS_ALONE
#define BFS_ALONE 2048
#endif

#endif
