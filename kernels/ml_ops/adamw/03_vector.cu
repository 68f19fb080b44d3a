// adamw 03: 16 bytes per access
//
// Idea     02 moves 4 or 2 bytes per thread and instruction; the hardware moves 16.
// Change   packs of 4 floats or 8 of bf16. Only a tensor's two ends are done element by element: a chunk begins where a pack does.
// Expect   a quarter (f32) or an eighth (bf16) of the memory instructions, 64 bytes of loads in flight per thread.
// Limit    a thread waits for its four loads before it asks for more (see 04). A tensor whose arrays begin unlike each other
//          falls back to single elements.

#include "chunk.cuh"

template <typename W, typename G, bool has_copy>
static __device__ __forceinline__ void vector(const adamw_run<W, G> &run) {
    adamw_block<false, 1, has_copy>(run);
}
ADAMW_ENTRIES(vector, 1, vector)
