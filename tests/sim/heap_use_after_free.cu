// launch: block 1
// arg: out s32[1] = 0
// expect fault: that memory was freed
// expect fault: heap_use_after_free.cu:9
extern "C" __global__ void late(int *out) {
    volatile int *p = (volatile int *)malloc(64);
    p[1] = 5;
    free((void *)p);
    *out = p[1];
}
