// Smallest of a warp by volatile keys: the load that tests a key has not waited for it, so it excuses no other.
// launch: grid 1 block 32
// arg: in s32[32] = 5 4 3 2 1 0
// arg: out s32[1] = 0
// expect finding: race "line":16
// expect finding: race "line":17
// seeds: 2
extern "C" __global__ void race_volatile_pair(const int *in, int *out) {
    __shared__ volatile int key[32], index[32];
    int t = threadIdx.x;
    key[t] = in[t] - t;
    index[t] = t;
    __syncwarp();
    for (int k = 16; k; k /= 2)
        if (t < k && key[t + k] < key[t]) {
            key[t] = key[t + k];
            index[t] = index[t + k];
        }
    if (t == 0) *out = index[0];
}
