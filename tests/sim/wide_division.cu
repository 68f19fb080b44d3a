// Division of 128-bit integers, as the compiler writes it out: it adds the carry flag after a subtraction.
// launch: grid 1 block 64
// arg: out u64[64] = 1
// expect: out = 0 ...
__global__ void wide_division(unsigned long long *out) {
    unsigned long long seed = (threadIdx.x + 1) * 0x9e3779b97f4a7c15ull, wrong = 0;
    for (int i = 0; i < 64; i++) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        unsigned __int128 a = ((unsigned __int128)seed << 64) | (seed * 0xd1342543de82ef95ull);
        unsigned __int128 b = (((unsigned __int128)(seed >> 7) << 64) | (seed ^ 0x5555)) >> (i * 2);
        if (!b) b = 3;
        unsigned __int128 quotient = a / b, rest = a % b;
        wrong += quotient * b + rest != a || rest >= b;
    }
    out[threadIdx.x] = wrong;
}
