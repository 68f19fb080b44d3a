// fails: source "a device"
// Has the compiler read without end.
#include "/dev/zero"
void scale(const float *x, float *y, float factor, int n) {}
