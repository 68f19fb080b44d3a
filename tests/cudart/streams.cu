// Launches, streams, events, host functions, graphs by nodes and by capture.
#include <cooperative_groups.h>
#include "check.h"

__global__ void scale(float *p, float by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] *= by;
}
__global__ void add(float *p, float what, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] += what;
}
__global__ void grid_sum(int *data, int *out, int n) {
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    for (int i = grid.thread_rank(); i < n; i += grid.size()) atomicAdd(out, data[i]);
    grid.sync();
    if (grid.thread_rank() == 0) out[1] = out[0] * 2;
}
extern __shared__ int dynamic_memory[];
__global__ void big_shared(int *out) {
    dynamic_memory[15000] = 5;
    out[0] = dynamic_memory[15000];
}
__global__ void __launch_bounds__(64) bounded(int *out) { out[threadIdx.x] = threadIdx.x; }
__global__ void __cluster_dims__(2, 1, 1) in_pairs(int *out) { *out = 1; }
__global__ void __launch_bounds__(256, 1, 2) in_two(int *out) { *out = 1; }
__global__ void hello(int n) { printf("hello from %d of %d\n", threadIdx.x, n); }

enum { N = 1000 };
static float *data;
static float first() {
    float value;
    OK(cudaMemcpy(&value, data, 4, cudaMemcpyDeviceToHost));
    return value;
}
static void reset_to(float value) {
    static float host[N];
    for (float &h : host) h = value;
    OK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
}

static void CUDART_CB count(void *counter) { ++*(int *)counter; }
static void CUDART_CB callback(cudaStream_t, cudaError_t status, void *counter) {
    if (status == cudaSuccess) *(int *)counter += 10;
}

static void streams() {
    cudaStream_t a, b;
    cudaEvent_t event, start, stop;
    int counter = 0;
    OK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithPriority(&b, cudaStreamDefault, -1));
    OK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    OK(cudaEventCreate(&start));
    OK(cudaEventCreate(&stop));
    reset_to(1);
    OK(cudaEventRecord(start, a));
    scale<<<4, 256, 0, a>>>(data, 3, N);
    OK(cudaEventRecord(event, a));
    OK(cudaStreamWaitEvent(b, event, 0));
    add<<<4, 256, 0, b>>>(data, 1, N);
    OK(cudaLaunchHostFunc(b, count, &counter));
    OK(cudaStreamAddCallback(b, callback, &counter, 0));
    OK(cudaEventRecord(stop, b));
    OK(cudaEventSynchronize(stop));
    OK(cudaStreamQuery(b));
    float ms = -1;
    OK(cudaEventElapsedTime(&ms, start, stop));
    CHECK(ms >= 0 && first() == 4 && counter == 11);
    GIVES(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, start, event));
    GIVES(cudaErrorInvalidValue, cudaStreamWaitEvent(b, start, 5));
    cudaEvent_t other;
    GIVES(cudaErrorInvalidValue, cudaEventCreateWithFlags(&other, cudaEventInterprocess)); // with times
    OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeThreadLocal));
    OK(cudaEventRecord(start, a));
    GIVES(cudaErrorCapturedEvent, cudaEventQuery(start)); // and the capture is over
    cudaGraph_t graph;
    GIVES(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(a, &graph));
    cudaGetLastError();
    unsigned flags;
    int priority;
    OK(cudaStreamGetFlags(a, &flags));
    OK(cudaStreamGetPriority(b, &priority));
    CHECK(flags == cudaStreamNonBlocking && priority == -1);
    OK(cudaEventDestroy(event));
    OK(cudaStreamDestroy(a));
    OK(cudaStreamDestroy(b));
}

// Times are a model's (docs/timeline.md): 16 MiB take about 0.31 ms over the bus of an H200, each way. `side` is what goes
// to the other stream meanwhile: nothing, a copy in the same direction, one back.
enum { COPIED = 16 << 20 };
static float copy_time(void *host, int side) {
    cudaStream_t a, b;
    cudaEvent_t start, both, stop;
    char *there;
    OK(cudaMalloc(&there, 2 * COPIED));
    OK(cudaStreamCreate(&a));
    OK(cudaStreamCreate(&b));
    OK(cudaEventCreate(&start));
    OK(cudaEventCreate(&both));
    OK(cudaEventCreate(&stop));
    OK(cudaEventRecord(start, a));
    OK(cudaMemcpyAsync(there, host, COPIED, cudaMemcpyHostToDevice, a));
    char *other = (char *)host + COPIED;
    if (side == 1) OK(cudaMemcpyAsync(there + COPIED, other, COPIED, cudaMemcpyHostToDevice, b));
    if (side == 2) OK(cudaMemcpyAsync(other, there + COPIED, COPIED, cudaMemcpyDeviceToHost, b));
    OK(cudaEventRecord(both, b));
    OK(cudaStreamWaitEvent(a, both, 0));
    OK(cudaEventRecord(stop, a));
    OK(cudaEventSynchronize(stop));
    float ms = -1;
    OK(cudaEventElapsedTime(&ms, start, stop));
    OK(cudaStreamDestroy(a));
    OK(cudaStreamDestroy(b));
    OK(cudaEventDestroy(start));
    OK(cudaEventDestroy(both));
    OK(cudaEventDestroy(stop));
    OK(cudaFree(there));
    return ms;
}

static void times() {
    char *pinned, *pageable = (char *)calloc(2, COPIED);
    OK(cudaMallocHost(&pinned, 2 * COPIED));
    float one = copy_time(pinned, 0);
    CHECK(one > 0.25f && one < 0.4f);
    float again = copy_time(pinned, 0);
    CHECK(again > 0.9999f * one && again < 1.0001f * one); // the same in every run
    CHECK(copy_time(pinned, 1) > 1.9f * one);
    CHECK(copy_time(pinned, 2) < 1.3f * one); // the bus is shared
    CHECK(copy_time(pageable, 0) > 2 * one);
    CHECK(copy_time(pageable, 2) > 4 * one); // nothing overlaps
    OK(cudaFreeHost(pinned));
    free(pageable);
}

static void captured() {
    cudaStream_t a, b;
    cudaEvent_t fork, join;
    OK(cudaStreamCreate(&a));
    OK(cudaStreamCreate(&b));
    OK(cudaEventCreate(&fork));
    OK(cudaEventCreate(&join));
    reset_to(1);
    OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    scale<<<4, 256, 0, a>>>(data, 2, N);
    OK(cudaEventRecord(fork, a));
    OK(cudaStreamWaitEvent(b, fork, 0));
    add<<<4, 256, 0, b>>>(data, 5, N);
    OK(cudaEventRecord(join, b));
    OK(cudaStreamWaitEvent(a, join, 0));
    scale<<<4, 256, 0, a>>>(data, 10, N);
    cudaStreamCaptureStatus status;
    OK(cudaStreamIsCapturing(b, &status));
    CHECK(status == cudaStreamCaptureStatusActive);
    cudaGraph_t graph;
    OK(cudaStreamEndCapture(a, &graph));
    CHECK(first() == 1); // nothing has run yet
    size_t nodes = 0, edges = 0;
    OK(cudaGraphGetNodes(graph, nullptr, &nodes));
    OK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
    CHECK(nodes == 3 && edges >= 2);
    cudaGraphExec_t exec;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, a));
    OK(cudaStreamSynchronize(a));
    CHECK(first() == 70);
    OK(cudaGraphLaunch(exec, a));
    CHECK(first() == 1450);

    cudaGraphNode_t root;
    size_t one = 1;
    OK(cudaGraphGetRootNodes(graph, &root, &one));
    cudaKernelNodeParams params;
    OK(cudaGraphKernelNodeGetParams(root, &params));
    float by = 4;
    int n = N;
    void *args[] = {&data, &by, &n};
    params.kernelParams = args;
    OK(cudaGraphExecKernelNodeSetParams(exec, root, &params));
    reset_to(1);
    OK(cudaGraphLaunch(exec, 0));
    CHECK(first() == 90);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));

    OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    void *p;
    GIVES(cudaErrorStreamCaptureUnsupported, cudaMalloc(&p, 16));
    GIVES(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(a, &graph));
    OK(cudaStreamDestroy(a));
    OK(cudaStreamDestroy(b));
    (void)cudaGetLastError();
}

static void by_hand() {
    cudaGraph_t graph, copy;
    cudaGraphNode_t fill, work, back, host;
    static float got[N];
    int counter = 0;
    OK(cudaGraphCreate(&graph, 0));
    cudaMemsetParams set = {};
    set.dst = data;
    set.elementSize = 4;
    set.value = 0x40000000; // 2.0f
    set.width = N;
    set.height = 1;
    OK(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &set));
    float by = 3;
    int n = N;
    void *args[] = {&data, &by, &n};
    cudaKernelNodeParams kernel = {};
    kernel.func = (void *)scale;
    kernel.gridDim = dim3(4);
    kernel.blockDim = dim3(256);
    kernel.kernelParams = args;
    OK(cudaGraphAddKernelNode(&work, graph, nullptr, 0, &kernel));
    OK(cudaGraphAddDependencies(graph, &fill, &work, nullptr, 1));
    OK(cudaGraphAddMemcpyNode1D(&back, graph, &work, 1, got, data, sizeof got, cudaMemcpyDeviceToHost));
    cudaHostNodeParams call = {count, &counter};
    OK(cudaGraphAddHostNode(&host, graph, &back, 1, &call));
    by = 100; // the node has its own copy
    cudaGraphNode_t none;
    GIVES(cudaErrorInvalidValue,
          cudaGraphAddMemcpyNode1D(&none, graph, &work, 1, got, nullptr, 4, cudaMemcpyDefault));
    GIVES(cudaErrorInvalidValue,
          cudaGraphAddMemcpyNode1D(&none, graph, &work, 1, data, got, 4, cudaMemcpyDeviceToHost));
    set.dst = nullptr;
    GIVES(cudaErrorInvalidValue, cudaGraphAddMemsetNode(&none, graph, nullptr, 0, &set));
    OK(cudaGraphClone(&copy, graph));
    cudaGraph_t outer;
    cudaGraphNode_t child;
    OK(cudaGraphCreate(&outer, 0));
    OK(cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, copy));
    cudaGraphExec_t exec;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphNodeSetEnabled(exec, work, 0));
    GIVES(cudaErrorInvalidValue, cudaGraphNodeSetEnabled(exec, host, 0));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphInstantiate(&exec, outer, 0));
    OK(cudaGraphLaunch(exec, 0));
    OK(cudaDeviceSynchronize());
    CHECK(got[0] == 6 && got[N - 1] == 6 && counter == 1);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphDestroy(copy));
    OK(cudaGraphDestroy(outer));
}

static void launches() {
    int *out, *in, back[2], host[256];
    OK(cudaMalloc(&out, 1024));
    OK(cudaMalloc(&in, 1024));
    for (int &h : host) h = 1;
    OK(cudaMemcpy(in, host, 1024, cudaMemcpyHostToDevice));
    OK(cudaMemset(out, 0, 1024));
    int n = 256;
    void *args[] = {&in, &out, &n};
    OK(cudaLaunchCooperativeKernel((void *)grid_sum, dim3(4), dim3(32), args, 0, 0));
    OK(cudaMemcpy(back, out, 8, cudaMemcpyDeviceToHost));
    CHECK(back[0] == 256 && back[1] == 512);
    GIVES(cudaErrorCooperativeLaunchTooLarge,
          cudaLaunchCooperativeKernel((void *)grid_sum, dim3(1 << 20), dim3(1024), args, 0, 0));

    big_shared<<<1, 1, 61440>>>(out);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    OK(cudaFuncSetAttribute(big_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 61440));
    big_shared<<<1, 1, 61440>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(back, out, 4, cudaMemcpyDeviceToHost));
    CHECK(back[0] == 5);

    scale<<<1, 2048>>>(data, 1, N);
    CHECK(cudaPeekAtLastError() == cudaErrorInvalidValue);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    CHECK(cudaGetLastError() == cudaSuccess);
    scale<<<0, 1>>>(data, 1, N);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);

    cudaFuncAttributes what;
    OK(cudaFuncGetAttributes(&what, bounded));
    CHECK(what.numRegs > 0 && what.maxThreadsPerBlock == 64);
    int blocks, size;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale, 256, 0));
    CHECK(blocks == 8);
    OK(cudaOccupancyMaxPotentialBlockSize(&blocks, &size, scale, 0, 0));
    CHECK(size == 1024);
    size_t room;
    OK(cudaOccupancyAvailableDynamicSMemPerBlock(&room, scale, 2, 256));
    CHECK(room == 48 << 10); // what a launch may ask for
    OK(cudaOccupancyAvailableDynamicSMemPerBlock(&room, big_shared, 2, 256));
    CHECK(room == 61440);
    GIVES(cudaErrorInvalidResourceHandle, cudaFuncGetAttributes(&what, (const void *)&failures));
    GIVES(cudaErrorInvalidDeviceFunction, cudaFuncGetAttributes(&what, (const void *)nullptr));
    GIVES(cudaErrorInvalidResourceHandle, cudaLaunchKernel((void *)&failures, 1, 1, args, 0, 0));
    GIVES(cudaErrorInvalidValue, cudaFuncSetCacheConfig(scale, (cudaFuncCache)9));

    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(4);
    config.blockDim = dim3(256);
    reset_to(1);
    OK(cudaLaunchKernelEx(&config, scale, data, 7.0f, int(N)));
    CHECK(first() == 7);
    cudaLaunchAttribute attribute = {};
    config.attrs = &attribute;
    config.numAttrs = 1;
    attribute.id = (cudaLaunchAttributeID)77;
    GIVES(cudaErrorInvalidValue, cudaLaunchKernelEx(&config, scale, data, 7.0f, int(N)));
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {4, 1, 1};
    GIVES(cudaErrorInvalidClusterSize, cudaLaunchKernelEx(&config, in_pairs, out));
    GIVES(cudaErrorInvalidClusterSize, cudaLaunchKernelEx(&config, in_two, out));
    attribute.val.clusterDim = {4, 0, 1};
    GIVES(cudaErrorInvalidClusterSize, cudaLaunchKernelEx(&config, scale, data, 7.0f, int(N)));
    attribute.val.clusterDim = {2, 1, 1};
    OK(cudaLaunchKernelEx(&config, in_pairs, out));
    OK(cudaLaunchKernelEx(&config, in_two, out));
    OK(cudaDeviceSynchronize());
    OK(cudaFree(out));
    OK(cudaFree(in));
}

int main() {
    OK(cudaMalloc(&data, N * sizeof(float)));
    streams();
    times();
    captured();
    by_hand();
    launches();
    printf("before\n");
    hello<<<1, 2>>>(2);
    OK(cudaDeviceSynchronize());
    printf("after\n");
    return finish();
}
