// A program that uses most of what the runtime has, for remote.sh: what it prints must not depend on where its device is.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <thread>
#include <unistd.h>

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        cudaError_t error = (call);                                                                          \
        if (error) printf("%s: %s\n", #call, cudaGetErrorString(error));                                     \
    } while (0)

enum { COUNT = 1000, BYTES = COUNT * 4, SIDE = 8 };

__managed__ int calls;
__constant__ float scale;

static __global__ void add(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * scale + 1;
    if (i == 0) atomicAdd(&calls, 1);
}
static __global__ void greet() { printf("thread %d\n", threadIdx.x); }
struct large {
    int values[40];
};
static __global__ void take(large by_value, int *out) { out[threadIdx.x] = by_value.values[threadIdx.x]; }
static __global__ void fetch(cudaTextureObject_t texture, float *y) {
    y[threadIdx.y * SIDE + threadIdx.x] = tex2D<float>(texture, threadIdx.x + .5f, threadIdx.y + .5f);
}

static void CUDART_CB host_function(void *data) { printf("host function %d\n", *(int *)data); }
static void CUDART_CB callback(cudaStream_t, cudaError_t error, void *data) {
    printf("callback %d, %s\n", *(int *)data, cudaGetErrorName(error));
}

// What our cuBLAS does: a host function that copies, in the name of the routine. Any other call is none of a host function's.
static void CUDART_CB library_function(void *data) {
    float *device = *(float **)data, value = 0;
    auto name = (void (*)(const char *))dlsym(RTLD_DEFAULT, "__cudaLibraryCall");
    name("cublasSscal_v2");
    CHECK(cudaMemcpy(&value, device, 4, cudaMemcpyDefault));
    value *= 3;
    CHECK(cudaMemcpy2D(device, 4, &value, 4, 4, 1, cudaMemcpyDefault));
    name(NULL);
}

// More threads than a process may have descriptors, one after the other.
static void threads() {
    for (int i = 0; i < 1100; i++)
        std::thread([] {
            int device;
            CHECK(cudaGetDevice(&device));
        }).join();
}

static void library() {
    float *device, value = 14;
    CHECK(cudaMalloc(&device, 4));
    CHECK(cudaMemcpy(device, &value, 4, cudaMemcpyHostToDevice));
    CHECK(cudaLaunchHostFunc(0, library_function, &device));
    CHECK(cudaMemcpy(&value, device, 4, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(device));
    printf("library %g\n", value);
}

static void memories(float *x, float *y) {
    float *a, *b, *pinned, *managed, *row;
    size_t pitch;
    CHECK(cudaMalloc(&a, BYTES));
    CHECK(cudaMalloc(&b, BYTES));
    CHECK(cudaMemcpy(a, x, BYTES, cudaMemcpyHostToDevice));
    add<<<4, 256>>>(a, b, COUNT);
    CHECK(cudaMemcpy(y, b, BYTES, cudaMemcpyDeviceToHost));
    printf("device %g, %d call\n", y[7], calls);
    CHECK(cudaMallocHost(&pinned, BYTES));
    CHECK(cudaMallocManaged(&managed, BYTES));
    for (int i = 0; i < COUNT; i++) pinned[i] = 3 * i;
    add<<<4, 256>>>(pinned, managed, COUNT);
    CHECK(cudaDeviceSynchronize());
    printf("pinned to managed %g\n", managed[5]);
    CHECK(cudaHostRegister(x, BYTES, 0)); // neighbours: they share a page
    CHECK(cudaHostRegister(y, BYTES, 0));
    add<<<4, 256>>>(x, y, COUNT);
    CHECK(cudaDeviceSynchronize());
    printf("registered %g\n", y[9]);
    x[9] = 50;
    CHECK(cudaHostUnregister(y));
    add<<<4, 256>>>(x, managed, COUNT);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaHostUnregister(x));
    printf("and not any more %g %g, %g\n", y[9], x[9], managed[9]);
    CHECK(cudaMallocPitch(&row, &pitch, 40, 10));
    CHECK(cudaMemcpy2D(row, pitch, x, 40, 40, 10, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy2D(y, 40, row, pitch, 40, 10, cudaMemcpyDeviceToHost));
    printf("rows %d\n", memcmp(x, y, 400));
    CHECK(cudaFree(row));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFree(managed));
}

static void launches(float *x, float *y) {
    int *out, value = 42;
    large by_value;
    for (int i = 0; i < 40; i++) by_value.values[i] = i * i;
    CHECK(cudaMallocManaged(&out, 160));
    take<<<1, 40>>>(by_value, out);
    greet<<<1, 2>>>();
    CHECK(cudaDeviceSynchronize());
    printf("by value %d\n", out[39]);
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaLaunchHostFunc(stream, host_function, &value));
    CHECK(cudaStreamAddCallback(stream, callback, &value, 0));
    float *a, *b;
    CHECK(cudaMallocAsync(&a, BYTES, stream));
    CHECK(cudaMallocAsync(&b, BYTES, stream));
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemcpyAsync(a, x, BYTES, cudaMemcpyHostToDevice, stream));
    add<<<4, 256, 0, stream>>>(a, b, COUNT);
    CHECK(cudaMemcpyAsync(y, b, BYTES, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    x[3] = 100; // read when the graph runs
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("graph %g\n", y[3]);
    int count = COUNT;
    void *arguments[] = {&a, &b, &count};
    cudaKernelNodeParams params = {};
    params.func = (void *)add;
    params.gridDim = dim3(4), params.blockDim = dim3(256), params.kernelParams = arguments;
    cudaGraph_t made;
    cudaGraphNode_t first, second;
    CHECK(cudaGraphCreate(&made, 0));
    CHECK(cudaGraphAddKernelNode(&first, made, nullptr, 0, &params));
    CHECK(cudaGraphAddMemcpyNode1D(&second, made, &first, 1, y, b, BYTES, cudaMemcpyDeviceToHost));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphInstantiate(&exec, made, 0));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("nodes %g, %d calls\n", y[4], calls);
    CHECK(cudaFreeAsync(a, stream));
    CHECK(cudaFreeAsync(b, stream));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(out));
}

static void textures(float *x, float *y) {
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    CHECK(cudaMallocArray(&array, &format, SIDE, SIDE));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, x, SIDE * 4, SIDE * 4, SIDE, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc reading = {};
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &reading, nullptr));
    float *out;
    CHECK(cudaMallocManaged(&out, SIDE * SIDE * 4));
    fetch<<<1, dim3(SIDE, SIDE)>>>(texture, out);
    CHECK(cudaDeviceSynchronize());
    printf("texture %g\n", out[SIDE + 3]);
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeArray(array));
    CHECK(cudaFree(out));
}

static void questions(float *x) {
    cudaEvent_t begin, end;
    float milliseconds = -1;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventRecord(begin));
    greet<<<1, 1>>>();
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    printf("time %d\n", milliseconds > 0);
    std::thread other([&] {
        float *a;
        CHECK(cudaMalloc(&a, 4));
        printf("%d", cudaMemcpy(a, x, 8, cudaMemcpyHostToDevice));
        printf(" stays the thread's own: %s\n", cudaGetErrorName(cudaPeekAtLastError()));
        CHECK(cudaFree(a));
    });
    other.join();
    printf("here: %s\n", cudaGetErrorName(cudaGetLastError()));
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    int blocks = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 256, 0));
    printf("%s, %d blocks\n", properties.name, blocks);
    printf("%d %d %d\n", cudaGraphLaunch((cudaGraphExec_t)x, 0), cudaStreamSynchronize((cudaStream_t)x),
           cudaEventQuery((cudaEvent_t)x));
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "follows")) { // the host reads device memory
        float *a;
        cudaMalloc(&a, 4);
        printf("%g\n", *a);
    }
    if (!strcmp(what, "races")) { // the host reads what a copy still writes
        float *a, *pinned;
        cudaMalloc(&a, BYTES);
        cudaMemset(a, 0, BYTES);
        cudaMallocHost(&pinned, BYTES);
        cudaMemcpyAsync(pinned, a, BYTES, cudaMemcpyDeviceToHost, cudaStreamPerThread);
        printf("%g\n", pinned[5]);
        cudaDeviceSynchronize();
        cudaFree(a), cudaFreeHost(pinned);
        return 0;
    }
    float *both = (float *)malloc(2 * BYTES), *x = both, *y = both + COUNT, two = 2;
    for (int i = 0; i < COUNT; i++) x[i] = i;
    CHECK(cudaMemcpyToSymbol(scale, &two, sizeof two));
    memories(x, y);
    launches(x, y);
    textures(x, y);
    questions(x);
    library();
    threads();
    free(both);
    return 3;
}
