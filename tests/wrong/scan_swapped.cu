// Puts the later map before the earlier one: a sum would not notice, maps do.
// kz: block 32
// kz: grid 1
// family: scan
// case: inclusive_affine-i32-n33-uniform
// exit: 1
// expect: are wrong

extern "C" __global__ void scan_swapped_inclusive_affine_i32(const uint2 *in, uint2 *out, size_t n) {
    if (threadIdx.x != 0) return;
    uint2 all = {1, 0}; // x -> x a + b
    for (size_t i = 0; i < n; i++) {
        all = {all.x * in[i].x, all.x * in[i].y + all.y};
        out[i] = all;
    }
}
