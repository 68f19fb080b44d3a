// kz: sm 80
// launch: grid 1 block 32
// arg: out s32[32] = 0
// arg: n s32 = 100000
// expect fault: stack overflow: alloca of 400000 bytes, where 1024 of 1024 are left
extern "C" __global__ void allocates_much(int *out, int n) {
    int *list = (int *)alloca(n * 4);
    for (int i = 0; i < 32; i++) list[i * 3] = i;
    out[threadIdx.x] = list[threadIdx.x];
}
