// An undefined value is copied, added to and stored: the host is told where it came from.
// launch: grid 1 block 32
// arg: in f32[32] = scratch
// arg: out f32[32] = 0
// expect finding: undefined-output "second":{"file":
// expect finding: undefined-output "line":8
extern "C" __global__ void undefined_copied(const float *in, float *out) {
    out[threadIdx.x] = 2.0f * in[threadIdx.x] + 1.0f;
}
