// What the host asks for, one way per argument; order.sh looks at the lines "operation" and "host" of its record.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1024, BYTES = N * sizeof(float) };

__global__ void twice(float *x) { x[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }

static float *pageable, *pinned, *a, *b;
static cudaStream_t s, t;
static void launch(float *x, cudaStream_t stream) { twice<<<N / 256, 256, 0, stream>>>(x); }

static void plain(void) { // copies that the host waits for: nothing may overlap
    cudaMemcpy(a, pageable, BYTES, cudaMemcpyHostToDevice);
    launch(a, 0);
    cudaMemcpy(pageable, a, BYTES, cudaMemcpyDeviceToHost);
}

static void one_stream(void) { // not waited for, but in turn
    cudaMemcpyAsync(a, pinned, BYTES, cudaMemcpyHostToDevice, s);
    launch(a, s);
    cudaMemcpyAsync(pinned, a, BYTES, cudaMemcpyDeviceToHost, s);
    cudaStreamSynchronize(s);
}

static void two_streams(cudaStream_t one, cudaStream_t two, float *host) { // copy 2 beside kernel 1
    cudaMemcpyAsync(a, host, BYTES / 4, cudaMemcpyHostToDevice, one);
    launch(a, one);
    cudaMemcpyAsync(b, host + N / 4, BYTES / 4 * 3, cudaMemcpyHostToDevice, two);
    cudaDeviceSynchronize();
}

static void event(void) { // as before, but the second stream waits for the first
    cudaEvent_t done;
    cudaEventCreate(&done);
    cudaMemcpyAsync(a, pinned, BYTES, cudaMemcpyHostToDevice, s);
    launch(a, s);
    cudaEventRecord(done, s);
    cudaStreamWaitEvent(t, done, 0);
    cudaMemcpyAsync(b, pinned, BYTES, cudaMemcpyHostToDevice, t);
    cudaEventSynchronize(done);
    cudaEventDestroy(done);
}

static void legacy(void) { // the default stream stands between the two
    launch(a, s);
    cudaMemsetAsync(b, 0, BYTES, 0);
    cudaMemcpyAsync(b, pinned, BYTES, cudaMemcpyHostToDevice, t);
    cudaDeviceSynchronize();
}

static void graph(void) { // a fork in a capture: the copy beside the kernel
    cudaGraph_t made;
    cudaGraphExec_t exec;
    cudaEvent_t fork, join;
    cudaEventCreate(&fork), cudaEventCreate(&join);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaEventRecord(fork, s);
    cudaStreamWaitEvent(t, fork, 0);
    launch(a, s);
    cudaMemcpyAsync(b, pinned, BYTES, cudaMemcpyHostToDevice, t);
    cudaEventRecord(join, t);
    cudaStreamWaitEvent(s, join, 0);
    launch(b, s);
    cudaStreamEndCapture(s, &made);
    cudaGraphInstantiate(&exec, made, 0);
    cudaGraphLaunch(exec, s);
    cudaGraphLaunch(exec, s);
    cudaStreamSynchronize(s);
    cudaGraphExecDestroy(exec), cudaGraphDestroy(made);
    cudaEventDestroy(fork), cudaEventDestroy(join);
}

static void hazard(void) { // the copy back does not wait for the kernel in the other stream
    launch(a, s);
    cudaMemcpyAsync(pinned, a, BYTES, cudaMemcpyDeviceToHost, t);
    cudaMemcpyAsync(pinned + N / 2, b, BYTES / 2, cudaMemcpyDeviceToHost, s);
    cudaDeviceSynchronize();
}

static void timed(bool waits) { // a warm-up, then a copy and two kernels between the events
    cudaEvent_t start, end;
    float ms = -1;
    cudaEventCreate(&start), cudaEventCreate(&end);
    launch(a, s);
    cudaEventRecord(start, s);
    cudaMemcpyAsync(pinned, a, BYTES, cudaMemcpyDeviceToHost, s);
    launch(a, s), launch(a, s);
    cudaEventRecord(end, s);
    launch(a, s);
    if (waits) cudaEventSynchronize(end);
    cudaError_t error = cudaEventElapsedTime(&ms, start, end);
    printf("%s\n", error ? cudaGetErrorName(error) : ms > 0 ? "a time" : "no time");
    cudaStreamSynchronize(s);
    cudaEventDestroy(start), cudaEventDestroy(end);
}

int main(int argc, char **argv) {
    const char *way = argc > 1 ? argv[1] : "";
    pageable = (float *)calloc(N, sizeof(float));
    cudaMallocHost(&pinned, BYTES);
    cudaMalloc(&a, BYTES), cudaMalloc(&b, BYTES);
    bool apart = strcmp(way, "apart") == 0;
    cudaStreamCreateWithFlags(&s, apart ? cudaStreamNonBlocking : cudaStreamDefault);
    cudaStreamCreate(&t);
    if (strcmp(way, "plain") == 0) plain();
    if (strcmp(way, "one_stream") == 0) one_stream();
    if (strcmp(way, "two_streams") == 0) two_streams(s, t, pinned);
    if (strcmp(way, "pageable") == 0) two_streams(t, s, pageable);
    if (strcmp(way, "apart") == 0) two_streams(s, 0, pinned);
    if (strcmp(way, "with_default") == 0) two_streams(s, 0, pinned);
    if (strcmp(way, "event") == 0) event();
    if (strcmp(way, "legacy") == 0) legacy();
    if (strcmp(way, "graph") == 0) graph();
    if (strcmp(way, "hazard") == 0) hazard();
    if (strcmp(way, "timed") == 0) timed(true);
    if (strcmp(way, "hasty") == 0) timed(false);
    cudaStreamDestroy(s), cudaStreamDestroy(t);
    cudaFree(a), cudaFree(b), cudaFreeHost(pinned);
    free(pageable);
    return cudaGetLastError() != cudaSuccess;
}
