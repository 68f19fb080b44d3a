// A loop that reads nothing and changes nothing: told as what it is, not as waiting for somebody.
// launch: grid 1 block 32
// arg: out s32[1] = 0
// expect fault: endless loop in kernel round_and_round: it looks at nothing that could end it
// expect fault: go round in a loop
// expect fault: a condition that never changes
extern "C" __global__ void round_and_round(int *out) {
    for (unsigned i = 0;; i += 2) *out = (int)i; // nvcc drops the store, and keeps the loop
}
