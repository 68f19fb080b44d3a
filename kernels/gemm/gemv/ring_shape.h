// gemv: what the ring takes of shared memory: figures that kernels (ring.cuh) and plans share.
#ifndef GEMV_RING_SHAPE_H
#define GEMV_RING_SHAPE_H

#define GEMV_BARRIER_BYTES 128 // two barriers of 8 bytes for each stage
// From row to row in a stage, in bytes: a multiple of 128 and 64 more, of INT3 48 more; x's rows by the format's bits.
#define GEMV_W_STRIDE(int3, bytes) ((bytes) + (((int3) ? 48 : 64) + 128 - (bytes) % 128) % 128)
#define GEMV_X_STRIDE(bits, depth) (2 * (depth) + ((bits) == 16 ? 64 : (bits) == 8 ? 16 : 32))
#define GEMV_SUM_PAD               4 // floats behind a token's sums: lanes that store them meet no bank twice
// Units whose scales are kept: two, or one per stage where a unit may be shorter than the ring.
#define GEMV_SCALE_SLOTS(chunks, stages) ((chunks) + 1 >= (stages) ? 2u : (stages))

#endif
