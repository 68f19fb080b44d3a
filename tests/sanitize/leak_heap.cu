// Every thread takes memory, all but one give it back.
// launch: grid 1 block 32
// arg: out s32[1] = 0
// instruments: leaks
// expect finding: leak device malloc
// expect finding: leak 48 bytes, was never freed
extern "C" __global__ void leak_heap(int *out) {
    int *mine = (int *)malloc(48);
    mine[0] = threadIdx.x;
    if (mine[0] == 5) {
        *out = 1;
        return;
    }
    free(mine);
}
