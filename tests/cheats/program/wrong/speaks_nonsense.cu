// fails: fault
// Speaks to the process that has its device itself: calls that do not exist, sizes that cannot be, half a message.
#include <cuda_runtime.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static __global__ void twice(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}

extern "C" void scale(const float *x, float *y, int n) {
    float *from, *to;
    cudaMalloc(&from, n * sizeof(float));
    cudaMalloc(&to, n * sizeof(float));
    cudaMemcpy(from, x, n * sizeof(float), cudaMemcpyHostToDevice);
    twice<<<(n + 255) / 256, 256>>>(from, to, n);
    cudaMemcpy(y, to, n * sizeof(float), cudaMemcpyDeviceToHost);
    for (unsigned kind = 0; kind < 40; kind++)
        for (int fd = 3; fd < 200; fd++) {
            unsigned char message[120];
            memset(message, 0xff, sizeof message);
            memcpy(message, &kind, sizeof kind);
            send(fd, message, sizeof message - kind % 3, MSG_DONTWAIT | MSG_NOSIGNAL);
        }
    cudaFree(from), cudaFree(to);
}
