// Every kind of shuffle, vote, match and reduction, against what they are defined to be.
// launch: block 32
// arg: out u32[12] = 9
// expect: out = 496 496 32 1 1 0 11 32 8 1 1 0
extern "C" __global__ void shuffles(unsigned *out) {
    unsigned lane = threadIdx.x, all = 0xffffffffu, sum = lane;
    for (int step = 16; step; step /= 2) sum += __shfl_xor_sync(all, sum, step);
    unsigned scan = lane;
    for (int step = 1; step < 32; step *= 2) {
        unsigned other = __shfl_up_sync(all, scan, step);
        if (lane >= step) scan += other;
    }
    unsigned last = __shfl_sync(all, scan, 31);
    unsigned down = __shfl_down_sync(all, lane, 3, 8); // within segments of 8
    bool good = down == ((lane % 8) + 3 < 8 ? lane + 3 : lane);
    unsigned votes = __ballot_sync(all, good);
    unsigned same = __match_any_sync(all, lane / 8);
    int whole = 0;
    unsigned everyone = __match_all_sync(all, 5, &whole);
    if (lane == 7) {
        out[0] = sum;
        out[1] = last;
        out[2] = __popc(votes);
        out[3] = __popc(everyone) == 32 && whole;
        out[4] = same == 0xffu;
    }
    int any = __any_sync(all, lane == 40), every = __all_sync(all, lane < 32);
    if (lane == 0) {
        out[5] = any;
        out[6] = 11 * every;
        out[7] = __popc(__activemask()) * 32;
    }
    __syncwarp();
    if (lane < 8) {
        unsigned few = __activemask();
        if (lane == 1) out[8] = __popc(few);
    }
    unsigned first = __shfl_sync(all, lane, 0) == 0, second = __shfl_sync(all, lane, 33) == 1;
    if (lane == 3) {
        out[9] = first;
        out[10] = second;
        out[11] = __shfl_xor_sync(1u << 3, 5u, 0) - 5;
    }
}
