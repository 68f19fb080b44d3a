// fails: gate stores
// The loop of the CPU, kept: every thread writes all elements.
extern "C" __global__ void hello_thread(int *who, int n) {
    for (int i = 0; i < n; i++) who[i] = i;
}
