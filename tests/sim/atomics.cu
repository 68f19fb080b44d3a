// Atomics of many types on global and shared memory, contended by all threads.
// launch: grid 4 block 64
// arg: u u32[8] = 0 0 0 4294967295 0 4294967295 0 5
// arg: d f64[1] = 0
// arg: f f32[1] = 0
// arg: l u64[2] = 0 18446744073709551615
// expect: u = 256 255 3 0 255 4294967295 32896 2
// expect: d = 64
// expect: f = 128
// expect: l = 2560 3
extern "C" __global__ void atomics(unsigned *u, double *d, float *f, unsigned long long *l) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned box;
    if (threadIdx.x == 0) box = 0;
    __syncthreads();
    atomicAdd(&u[0], 1);
    atomicMax(&u[1], i);
    atomicOr(&u[2], i & 3);
    atomicAnd(&u[3], ~(1u << (i % 32)));
    atomicXor(&u[4], i == 255 ? 255u : 0u);
    atomicMin((int *)&u[5], (int)i);
    atomicAdd(&box, i + 1);
    atomicInc(&u[7], i == 0 ? 100u : 6u);
    atomicAdd(d, 0.25);
    atomicAdd(f, 0.5f);
    atomicAdd(&l[0], 10ull);
    atomicMin(&l[1], (unsigned long long)i + 3);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(&u[6], box);
}
