// fails: leak
// Handles that are none, which a runtime that follows them would read and write through: whatever it answers, it must still
// be there to tell of the leaks.
#include <cuda_runtime.h>

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
    static long fake[64];
    for (int i = 0; i < 64; i++) fake[i] = (long)fake;
    void *lies[] = {fake, from, (void *)0x4141414141414141, (void *)-8};
    for (void *lie : lies) {
        cudaGraph_t graph;
        cudaGraphNode_t node, none = (cudaGraphNode_t)lie;
        cudaGraphCreate(&graph, 0);
        cudaGraphAddEmptyNode(&node, graph, &none, 1);
        cudaGraphAddEmptyNode(&node, (cudaGraph_t)lie, nullptr, 0);
        cudaGraphAddEventRecordNode(&node, graph, nullptr, 0, (cudaEvent_t)lie);
        cudaGraphNodeGetType(none, (cudaGraphNodeType *)fake);
        cudaGraphDestroy((cudaGraph_t)lie);
        cudaGraphExecDestroy((cudaGraphExec_t)lie);
        cudaGraphLaunch((cudaGraphExec_t)lie, (cudaStream_t)lie);
        cudaFreeArray((cudaArray_t)lie);
        cudaEventDestroy((cudaEvent_t)lie);
        cudaStreamDestroy((cudaStream_t)lie);
        cudaDestroyTextureObject((cudaTextureObject_t)lie);
        cudaFree(lie);
        cudaGraphDestroy(graph);
    }
    while (cudaGetLastError() != cudaSuccess) {}
}
