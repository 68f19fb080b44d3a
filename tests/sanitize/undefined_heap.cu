// Device malloc gives memory that holds nothing.
// launch: grid 1 block 1
// arg: out s32[1] = 0
// expect finding: undefined-branch device malloc
extern "C" __global__ void undefined_heap(int *out) {
    int *p = (int *)malloc(64);
    if (p[3] > 5) *out = 1;
    p[3] = 6;
    if (p[3] > 5) *out = 2;
    free(p);
}
