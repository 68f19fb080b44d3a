// What beginners do wrong, a case per word of the command line; wrong.sh says what is to be heard of it.
#include <cassert>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void touch(int *p) { atomicOr(p + threadIdx.x, 1); }
__global__ void fill(int *p, int value) { p[blockIdx.x * blockDim.x + threadIdx.x] = value; }
__global__ void speak() { printf("nobody hears this\n"); }
__global__ void hold(int *p) { assert(p == nullptr); }
__global__ void wait_for_ever(volatile int *p) {
    int n = 0;
    while (p[0] == 0) n++;
    p[1] = n;
}

static void say(cudaError_t error) { printf("%s\n", cudaGetErrorName(error)); }

int main(int, char **words) {
    const char *what = words[1];
    int host[2048] = {0}, *device;
    cudaMalloc(&device, 4096);
    if (!strcmp(what, "read_device")) printf("%d\n", device[3]);
    if (!strcmp(what, "write_device")) device[3] = 1;
    if (!strcmp(what, "unchecked")) fill<<<1, 2048>>>(device, 1);
    if (!strcmp(what, "unchecked_fault")) {
        fill<<<64, 1024>>>(device, 1);
        cudaDeviceSynchronize();
        cudaMemcpy(host, device, 4096, cudaMemcpyDeviceToHost);
    }
    if (!strcmp(what, "checked")) {
        fill<<<1, 2048>>>(device, 1);
        if (cudaGetLastError() != cudaSuccess) printf("seen\n");
    }
    if (!strcmp(what, "host_pointer")) {
        fill<<<1, 32>>>(host, 1);
        say(cudaDeviceSynchronize());
    }
    if (!strcmp(what, "direction")) say(cudaMemcpy(device, host, 4096, cudaMemcpyDeviceToHost));
    if (!strcmp(what, "past_end")) say(cudaMemcpy(device, host, 8192, cudaMemcpyHostToDevice));
    if (!strcmp(what, "double_free")) {
        cudaFree(device);
        say(cudaFree(device));
    }
    if (!strcmp(what,
                "again")) { // the same mistakes in a loop, with other numbers; and one of them elsewhere
        for (int i = 0; i < 5; i++) {
            fill<<<1, 2048 + i>>>(device, 1);
            say(cudaMemcpy(host, device, 4096 + 4 * (i + 1), cudaMemcpyDeviceToHost));
        }
        fill<<<1, 4096>>>(device, 1);
        say(cudaGetLastError());
    }
    if (!strcmp(what, "shared")) {
        fill<<<1, 32, 65536>>>(device, 1);
        say(cudaGetLastError());
    }
    if (!strcmp(what, "no_sync")) speak<<<1, 1>>>();
    if (!strcmp(what, "missing_call")) {
        cudaIpcMemHandle_t handle;
        say(cudaIpcGetMemHandle(&handle, device));
        cudaIpcGetMemHandle(&handle, device);
    }
    if (!strcmp(what, "colours")) {
        cudaResourceDesc texels = {};
        texels.resType = cudaResourceTypeLinear;
        texels.res.linear = {device, cudaCreateChannelDesc<uchar4>(), 64};
        cudaTextureDesc how = {};
        how.readMode = cudaReadModeNormalizedFloat;
        how.sRGB = 1;
        cudaTextureObject_t texture;
        say(cudaCreateTextureObject(&texture, &texels, &how, nullptr));
    }
    if (!strcmp(what, "assertion")) {
        hold<<<1, 1>>>(device);
        say(cudaDeviceSynchronize());
    }
    if (!strcmp(what, "exit_code")) exit(7);
    if (!strcmp(what, "aborts")) abort();
    if (!strcmp(what, "hangs")) {
        cudaMemset(device, 0, 4096);
        wait_for_ever<<<1, 1>>>(device);
        cudaDeviceSynchronize();
    }
    if (!strcmp(what, "short_blocks")) {
        touch<<<1 << 30, 32>>>(device);
        cudaDeviceSynchronize();
    }
    if (!strcmp(what, "short_launches"))
        for (;;) touch<<<1, 32>>>(device);
    if (!strcmp(what, "host_hangs"))
        for (volatile int i = 0;; i = i + 1) continue;
    return 0;
}
