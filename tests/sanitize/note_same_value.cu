// Everybody writes the same: a note, and no more.
// launch: grid 2 block 64
// arg: out s32[1] = 0
// expect finding: race-same-value "severity":"note"
// seeds: 2
extern "C" __global__ void note_same_value(int *out) { out[0] = 7; }
