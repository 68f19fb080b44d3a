// Kernel Zoo, for people who scan with an operation of their own: the shape of a launch of a kernel that
// kz/device/scan.cuh made. Plain C, read by host and device alike; the constants are those of scan/08_look_ahead, and
// each may be given by -D, to both compilers, for a search.
#ifndef KZ_SCAN_SHAPE_H
#define KZ_SCAN_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Warps that scan, each with a chunk of rows x 512 bytes, which are the tile; warps that reduce; tiles in flight
// on a multiprocessor. To be searched: chunks 4 8, rows 4 8, reducers 2 4 8, stages 2 to 12 (224 KB at most),
// groups of 32 tile statuses that are polled together 4 5 6 8, blocks per multiprocessor 1 2.
#ifndef KZ_SCAN_CHUNKS
#define KZ_SCAN_CHUNKS 8
#endif
#ifndef KZ_SCAN_ROWS
#define KZ_SCAN_ROWS 8
#endif
#ifndef KZ_SCAN_REDUCERS
#define KZ_SCAN_REDUCERS 4
#endif
#ifndef KZ_SCAN_STAGES
#define KZ_SCAN_STAGES 6
#endif
#ifndef KZ_SCAN_GROUPS
#define KZ_SCAN_GROUPS 6
#endif
#ifndef KZ_SCAN_BLOCKS
#define KZ_SCAN_BLOCKS 1
#endif
// Bulk copies mark their lines as the first to leave L2: to be searched: 0 1, for each way.
#ifndef KZ_SCAN_EVICT_LOADS
#define KZ_SCAN_EVICT_LOADS 0
#endif
#ifndef KZ_SCAN_EVICT_STORES
#define KZ_SCAN_EVICT_STORES 0
#endif

#define KZ_SCAN_THREADS  ((2 + KZ_SCAN_REDUCERS + KZ_SCAN_CHUNKS) * 32)
#define KZ_SCAN_CHUNK    (KZ_SCAN_ROWS * 512)             // bytes of elements
#define KZ_SCAN_TILE     (KZ_SCAN_CHUNKS * KZ_SCAN_CHUNK) // too
#define KZ_SCAN_STATUSES (1 << 19)                        // tiles that a module has a status for
// A stage of a segmented scan holds a byte per element more; as many stages as there are, or have room.
#define KZ_SCAN_STAGE(element_bytes, heads) (KZ_SCAN_TILE + ((heads) ? KZ_SCAN_TILE / (element_bytes) : 0))
#define KZ_SCAN_ROOM                        (216 * 1024)
#define KZ_SCAN_DEPTH(element_bytes, heads)                                                                  \
    (KZ_SCAN_ROOM / KZ_SCAN_STAGE(element_bytes, heads) < KZ_SCAN_STAGES                                     \
         ? KZ_SCAN_ROOM / KZ_SCAN_STAGE(element_bytes, heads)                                                \
         : KZ_SCAN_STAGES)
#define KZ_SCAN_SHARED(element_bytes, heads)                                                                 \
    (KZ_SCAN_STAGE(element_bytes, heads) * KZ_SCAN_DEPTH(element_bytes, heads))

// Tiles are counted from the 16-byte boundary before `in`: one more than the elements need, at worst.
static inline uint64_t kz_scan_tiles_at_most(size_t n, size_t element_bytes) {
    return ((uint64_t)n * element_bytes + 16 - element_bytes + KZ_SCAN_TILE - 1) / KZ_SCAN_TILE;
}

typedef struct kz_scan_shape {
    unsigned blocks; // 0: nothing to do, or (n > 0) more tiles than a module has statuses for
    unsigned threads;
    unsigned shared_bytes; // dynamic: past 48 KB, which a kernel must be allowed (cudaFuncSetAttribute)
} kz_scan_shape;

// No more blocks than the elements need tiles wherever they lie: each block has one.
static inline kz_scan_shape kz_scan_shape_of(size_t n, size_t element_bytes, bool heads,
                                             int multiprocessors) {
    kz_scan_shape shape = {0, KZ_SCAN_THREADS, (unsigned)KZ_SCAN_SHARED(element_bytes, heads)};
    uint64_t tiles = ((uint64_t)n * element_bytes + KZ_SCAN_TILE - 1) / KZ_SCAN_TILE;
    uint64_t most = (uint64_t)multiprocessors * KZ_SCAN_BLOCKS;
    if (kz_scan_tiles_at_most(n, element_bytes) <= KZ_SCAN_STATUSES)
        shape.blocks = (unsigned)(tiles < most ? tiles : most);
    return shape;
}

#endif
