// The frame of row kernels (kz/device/row.cuh): who takes a row, and how many of them. Plain C, read by host and device
// alike; the constants may be given by -D, to both compilers, for a search.
//
// A row is counted in packs of 16 bytes, from the 16-byte boundary at or before its first element. It has lanes of a warp
// (short rows, several at a time in a warp), a block, or a cluster of blocks. Lane groups, clusters and blocks that stay take rows
// at a fixed distance; other blocks take one.
#ifndef KZ_ROW_SHAPE_H
#define KZ_ROW_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Threads of a block whose rows have lanes each: 128 256 512.
#ifndef KZ_ROW_LANE_THREADS
#define KZ_ROW_LANE_THREADS 256
#endif
// Threads that a multiprocessor holds at once, by the registers of most row kernels (64): 1024 1536 2048. A larger number
// makes more blocks than have room, of which the last begin late.
#ifndef KZ_ROW_RESIDENT
#define KZ_ROW_RESIDENT 1024
#endif
// A ring of a cluster's block: threads that fold, packs that each has of a stage and an array: 256 512, 1 2 4.
#ifndef KZ_ROW_RING_THREADS
#define KZ_ROW_RING_THREADS 512
#endif
#ifndef KZ_ROW_RING_UNITS
#define KZ_ROW_RING_UNITS 2
#endif
// Of a ring's stages, in eighths: what a row may fill, so that the rest has the next row in flight: 3 4 5 6.
#ifndef KZ_ROW_RING_EIGHTHS
#define KZ_ROW_RING_EIGHTHS 5
#endif

#define KZ_ROW_BLOCK_THREADS 1024                                      // of a block that takes a row, at most
#define KZ_ROW_CLUSTER       8                                         // blocks of a cluster, at most
#define KZ_ROW_RING_STAGES   16                                        // of a ring, at most
#define KZ_ROW_RING_PACKS    (KZ_ROW_RING_THREADS * KZ_ROW_RING_UNITS) // of a stage and an array
#define KZ_ROW_RING_STATIC   (10 * 1024) // shared memory that a ring's kernel needs besides its stages, at most

typedef struct kz_row_work {
    uint64_t rows, columns;
    unsigned element_bytes; // of the arrays that are held
    unsigned arrays;        // how many of them: 1; 2 for y and dy
    int multiprocessors;
    size_t shared_bytes; // that a block may have
    unsigned resident;   // threads that a multiprocessor holds at once of this kernel; 0: KZ_ROW_RESIDENT
} kz_row_work;

typedef struct kz_row_shape {
    uint64_t blocks;       // of the grid; 0: does not fit
    unsigned threads;      // of a block
    unsigned lanes;        // of a row: 1 to 32; 0: the whole block
    unsigned cluster;      // blocks of a row; 0: no cluster
    unsigned stages;       // of a ring
    unsigned shared_bytes; // dynamic
} kz_row_shape;

static inline unsigned kz_row_resident(const kz_row_work *w) {
    return w->resident ? w->resident : KZ_ROW_RESIDENT;
}

static inline uint64_t kz_row_ceil_div(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

// Packs of a row, at most: rows that are whole packs begin with one, unless the caller's address does not. The device takes
// those by single elements.
static inline uint64_t kz_row_packs(const kz_row_work *w) {
    uint64_t bytes = w->columns * w->element_bytes;
    return bytes % 16 == 0 ? bytes / 16 : (bytes - w->element_bytes + 15) / 16 + 1;
}

// As many teams as have room at once, or fewer that take equally many rows each.
static inline uint64_t kz_row_even(uint64_t needed, uint64_t room) {
    if (room == 0) room = 1;
    return needed == 0 ? 0 : kz_row_ceil_div(needed, kz_row_ceil_div(needed, room));
}

// Lanes of a warp, each with up to `units` packs of an array; the longest row has 32 * units.
static inline kz_row_shape kz_row_lanes(const kz_row_work *w, unsigned units) {
    kz_row_shape shape = {.threads = KZ_ROW_LANE_THREADS, .lanes = 1};
    uint64_t packs = kz_row_packs(w);
    while ((uint64_t)shape.lanes * units < packs && shape.lanes < 32) shape.lanes *= 2;
    if ((uint64_t)shape.lanes * units < packs) return shape;
    uint64_t blocks = kz_row_ceil_div(w->rows, KZ_ROW_LANE_THREADS / shape.lanes);
    shape.blocks =
        kz_row_even(blocks, (uint64_t)w->multiprocessors * (kz_row_resident(w) / KZ_ROW_LANE_THREADS));
    return shape;
}

// A block for each row, of up to `most` threads, each with up to `units` packs of an array. Blocks that stay, with the next row under
// way, are slower on an H200, in every shape that was tried (notebook/rows.md).
static inline kz_row_shape kz_row_block(const kz_row_work *w, unsigned units, unsigned most) {
    kz_row_shape shape = {0};
    unsigned full = units;
    if (w->rows <= (uint64_t)w->multiprocessors)
        units = (units + 1) / 2; // no other block to wait for: more threads
    uint64_t warps = kz_row_ceil_div(kz_row_packs(w), 32ULL * units);
    if (warps == 0) warps = 1;
    if (warps * 32 > most) warps = kz_row_ceil_div(kz_row_packs(w), 32ULL * full);
    shape.threads = (unsigned)(warps * 32 < most ? warps * 32 : most);
    if (warps * 32 > most) return shape;
    shape.blocks = w->rows < (1u << 30) ? w->rows : 1u << 30;
    return shape;
}

// The same for blocks that keep something over all of their rows: as many as have room at once.
static inline kz_row_shape kz_row_staying(const kz_row_work *w, unsigned units, unsigned most) {
    kz_row_shape shape = kz_row_block(w, units, most);
    unsigned resident = kz_row_resident(w) / shape.threads;
    if (resident > 16) resident = 16;
    if (shape.blocks)
        shape.blocks = kz_row_even(w->rows, (uint64_t)w->multiprocessors * (resident ? resident : 1));
    return shape;
}

// A block per row of any length, which it reads anew in each pass.
static inline kz_row_shape kz_row_stream(const kz_row_work *w) {
    kz_row_shape shape = kz_row_block(w, w->arrays > 1 ? 2 : 4, KZ_ROW_BLOCK_THREADS);
    if (shape.threads > 512) shape.threads = 512;
    shape.blocks = w->rows < (1u << 30) ? w->rows : 1u << 30;
    return shape;
}

// Clusters that have room at once. One lies within a group of multiprocessors, of which an H200 has eight of 16 or 18: 132 of them
// hold 32 clusters of four, and a 33rd would begin when the others have ended.
static inline uint64_t kz_row_clusters(const kz_row_work *w, unsigned cluster) {
    uint64_t room = (uint64_t)w->multiprocessors, groups = room / 16;
    return cluster > 2 && groups ? groups * (16 / cluster) : room / cluster;
}

// The stages that a block's part of a row fills.
static inline uint64_t kz_row_slice_stages(uint64_t packs, unsigned cluster) {
    return kz_row_ceil_div(kz_row_ceil_div(packs, cluster), KZ_ROW_RING_PACKS);
}

// A cluster whose blocks hold the row in rings of shared memory; the next row comes while this one is folded. The
// smallest cluster that leaves room for that, so that many rows are on the way at once; of few rows a larger one. A row that
// does not fit into the largest is read anew in each pass: 0 stages.
static inline kz_row_shape kz_row_cluster(const kz_row_work *w) {
    kz_row_shape shape = {.threads = KZ_ROW_RING_THREADS + 32, .cluster = 1};
    uint64_t packs = kz_row_packs(w), stage = (uint64_t)KZ_ROW_RING_PACKS * 16 * w->arrays;
    uint64_t room = w->shared_bytes > KZ_ROW_RING_STATIC ? w->shared_bytes - KZ_ROW_RING_STATIC : 0;
    uint64_t stages = room / stage < KZ_ROW_RING_STAGES ? room / stage : KZ_ROW_RING_STAGES;
    while (shape.cluster < KZ_ROW_CLUSTER &&
           kz_row_slice_stages(packs, shape.cluster) * 8 > stages * KZ_ROW_RING_EIGHTHS)
        shape.cluster *= 2;
    if (kz_row_slice_stages(packs, shape.cluster) > stages) stages = 0;
    while (shape.cluster < KZ_ROW_CLUSTER && kz_row_slice_stages(packs, shape.cluster) > 1 &&
           w->rows * shape.cluster * 2 <= (uint64_t)w->multiprocessors)
        shape.cluster *= 2;
    shape.stages = (unsigned)stages;
    shape.shared_bytes = (unsigned)(stages * stage);
    shape.blocks = kz_row_even(w->rows, kz_row_clusters(w, shape.cluster)) * shape.cluster;
    return shape;
}

#endif
