// Order between streams, and between them and the host: "right_" programs have it, the others lack it somewhere.
// The first argument is the case; unordered.sh says what kz sanitize must find.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <fcntl.h>
#include <map>
#include <string>
#include <thread>
#include <unistd.h>

__global__ void add(int *a, int v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += v;
}
__global__ void count(int *counter) { atomicAdd(counter, 1); }
__global__ void copy(const int *from, int *to) { to[threadIdx.x] = from[threadIdx.x]; }
__global__ void publish(int *data, volatile int *flag) {
    data[threadIdx.x] = threadIdx.x;
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x == 0) *flag = 1;
}
__global__ void consume(const int *data, volatile int *flag, int *out) {
    while (*flag == 0) {}
    __threadfence_system();
    out[threadIdx.x] = data[threadIdx.x];
}
__constant__ int table[32];
__global__ void look_up(int *to) { to[threadIdx.x] = table[threadIdx.x]; }
struct mixed {
    int device, host;
};
__global__ void touch(mixed *m) { m->device = 7; }

static void need(bool condition, int line) {
    if (!condition) std::printf("line %d: not so\n", line), std::exit(9);
}
#define NEED(condition) need(condition, __LINE__)

static cudaStream_t free_stream() {
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    return s;
}
static cudaEvent_t event() {
    cudaEvent_t e;
    cudaEventCreate(&e);
    return e;
}
static int *device(size_t n) {
    int *p;
    cudaMalloc(&p, n * 4);
    cudaMemset(p, 0, n * 4);
    cudaDeviceSynchronize();
    return p;
}
static int *pinned(size_t n) {
    int *p;
    cudaHostAlloc(&p, n * 4, cudaHostAllocDefault);
    std::memset(p, 0, n * 4);
    return p;
}
static int *managed(size_t n) {
    int *p;
    cudaMallocManaged(&p, n * 4);
    std::memset(p, 0, n * 4);
    return p;
}

// Chunks of one pinned buffer, whose ends share pages, through two streams; `waits` before a chunk is used again.
static void pipeline(bool waits) {
    const int chunk = 1000, slots = 3;
    int *host = pinned(slots * chunk), *dev = device(slots * chunk);
    cudaStream_t s[2] = {free_stream(), free_stream()};
    cudaEvent_t done[3] = {event(), event(), event()};
    long sum = 0;
    for (int round = 0; round < 9; round++) {
        int k = round % slots;
        int *h = host + k * chunk, *d = dev + k * chunk;
        cudaStream_t in = s[round % 2];
        if (waits) cudaEventSynchronize(done[k]);
        for (int i = 0; i < chunk; i++) sum += h[i], h[i] = round;
        if (waits) cudaStreamWaitEvent(in, done[k], 0);
        cudaMemcpyAsync(d, h, chunk * 4, cudaMemcpyHostToDevice, in);
        add<<<4, 256, 0, in>>>(d, 1, chunk);
        cudaMemcpyAsync(h, d, chunk * 4, cudaMemcpyDeviceToHost, in);
        cudaEventRecord(done[k], in);
    }
    cudaDeviceSynchronize();
    if (waits) NEED(sum == 21000 && host[0] == 7 && host[2 * chunk] == 9);
}

static void ping_pong(bool right_stream) {
    int *a = device(32);
    cudaStream_t s[2] = {free_stream(), free_stream()};
    cudaEvent_t e = event();
    for (int i = 0; i < 6; i++) {
        add<<<1, 32, 0, s[i % 2]>>>(a, 1, 32);
        cudaEventRecord(e, s[right_stream ? i % 2 : 0]);
        cudaStreamWaitEvent(s[(i + 1) % 2], e, 0);
    }
    cudaDeviceSynchronize();
}

static void columns(int overlap) { // of a matrix with rows of 64 ints, 32 rows
    int *a = device(64 * 32), *host = pinned(2 * 33 * 32);
    cudaMemcpy2DAsync(a, 256, host, 128, 128, 32, cudaMemcpyHostToDevice, free_stream());
    cudaMemcpy2DAsync(a + 32 - overlap, 256, host + 33 * 32, 128, 128, 32, cudaMemcpyHostToDevice,
                      free_stream());
    cudaDeviceSynchronize();
}

// a -> b and c -> d, by nodes; without the last edge d does not wait for c.
static void diamond(bool whole) {
    int *a = device(32), v = 1, n = 32;
    void *args[] = {&a, &v, &n};
    cudaKernelNodeParams params = {};
    params.func = (void *)add;
    params.gridDim = dim3(1);
    params.blockDim = dim3(32);
    params.kernelParams = args;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaGraphNode_t first, left, right, last;
    cudaGraphCreate(&graph, 0);
    cudaGraphAddKernelNode(&first, graph, nullptr, 0, &params);
    cudaGraphAddEmptyNode(&left, graph, &first, 1);
    cudaGraphAddKernelNode(&right, graph, &first, 1, &params);
    cudaGraphNode_t both[] = {left, right};
    cudaGraphAddKernelNode(&last, graph, both, whole ? 2 : 1, &params);
    cudaGraphInstantiate(&ready, graph, 0);
    for (int i = 0; i < 3; i++) cudaGraphLaunch(ready, cudaStreamPerThread);
    cudaStreamSynchronize(cudaStreamPerThread);
}

static void captured(bool joined) {
    int *a = device(32), *b = device(32), *out = pinned(32);
    cudaStream_t s = free_stream(), t = free_stream();
    cudaEvent_t fork = event(), join = event();
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    add<<<1, 32, 0, s>>>(a, 1, 32);
    cudaEventRecord(fork, s);
    cudaStreamWaitEvent(t, fork, 0);
    copy<<<1, 32, 0, t>>>(a, b);
    if (!joined) add<<<1, 32, 0, s>>>(a, 1, 32);
    cudaEventRecord(join, t);
    cudaStreamWaitEvent(s, join, 0);
    cudaMemcpyAsync(out, b, 128, cudaMemcpyDeviceToHost, s);
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&ready, graph, 0);
    for (int i = 0; i < 2; i++) {
        cudaGraphLaunch(ready, s);
        cudaStreamSynchronize(s);
        if (joined) NEED(out[5] == i + 1);
    }
}

static void ordered_pool(bool by_event) {
    int *p;
    cudaStream_t s = free_stream(), t = free_stream();
    cudaEvent_t e = event(), f = event();
    cudaMallocAsync(&p, 128, s);
    cudaEventRecord(e, s);
    if (by_event) cudaStreamWaitEvent(t, e, 0);
    cudaMemsetAsync(p, 0, 128, t);
    cudaEventRecord(f, t);
    cudaStreamWaitEvent(s, f, 0);
    cudaFreeAsync(p, s);
    cudaDeviceSynchronize();
}

static void host_function(bool waits) {
    static int *out;
    int *a = device(32);
    out = pinned(64);
    cudaStream_t s = free_stream();
    add<<<1, 32, 0, s>>>(a, 3, 32);
    cudaMemcpyAsync(out, a, 128, cudaMemcpyDeviceToHost, s);
    cudaLaunchHostFunc(
        s, [](void *) { out[32] = out[5] + 1; }, nullptr);
    if (!waits) cudaMemcpyAsync(out, a, 128, cudaMemcpyDeviceToHost, s);
    if (waits) cudaStreamSynchronize(s);
    int seen = *(volatile int *)(out + 5);
    if (waits) NEED(seen == 3 && out[32] == 4);
    cudaDeviceSynchronize();
}

static void polled(bool strong) {
    int *data = pinned(64), *flag = pinned(1);
    publish<<<1, 64>>>(data, flag);
    if (strong)
        while (*(volatile int *)flag == 0) {}
    NEED(data[5] == 5);
    cudaDeviceSynchronize();
}

static void flag_between(bool waits) {
    int *data = device(64), *flag = device(1), *out = device(64);
    publish<<<1, 64, 0, free_stream()>>>(data, flag);
    if (waits)
        consume<<<1, 64, 0, free_stream()>>>(data, flag, out);
    else
        copy<<<1, 64, 0, free_stream()>>>(data, out);
    cudaDeviceSynchronize();
}

// The system reads and writes memory for the host: of the bytes in flight, or of others of their page.
static void through_the_system(bool in_flight) {
    int *host = pinned(64), *dev = device(64), file = open("/dev/zero", O_RDWR);
    cudaStream_t s = free_stream();
    cudaMemcpyAsync(host, dev, 128, cudaMemcpyDeviceToHost, s);
    NEED(read(file, host + (in_flight ? 8 : 32), 128) == 128);
    NEED(write(file, host + (in_flight ? 8 : 32), 128) == 128);
    cudaStreamSynchronize(s);
}

static void half(bool other) { // of managed memory, within a page
    int *m = managed(64);
    add<<<1, 32>>>(m, 1, 32);
    for (int i = 0; i < 32; i++) m[(other ? 32 : 0) + i] += 2;
    cudaDeviceSynchronize();
    if (other) NEED(m[0] == 1 && m[63] == 2);
}

static const std::map<std::string, void (*)()> cases = {
    {"right_pipeline", [] { pipeline(true); }},
    {"pipeline", [] { pipeline(false); }},
    {"right_ping_pong", [] { ping_pong(true); }},
    {"ping_pong", [] { ping_pong(false); }},
    {"right_columns", [] { columns(0); }},
    {"columns", [] { columns(1); }},
    {"right_diamond", [] { diamond(true); }},
    {"diamond", [] { diamond(false); }},
    {"right_captured", [] { captured(true); }},
    {"captured", [] { captured(false); }},
    {"right_pool", [] { ordered_pool(true); }},
    {"pool", [] { ordered_pool(false); }},
    {"right_thread_of_a_host_function",
     [] { // the function is what the thread, and who joins it, wait for
         static int *out = pinned(32);
         static std::thread reader;
         static int seen;
         int *a = device(32);
         cudaStream_t s = free_stream();
         add<<<1, 32, 0, s>>>(a, 3, 32);
         cudaMemcpyAsync(out, a, 128, cudaMemcpyDeviceToHost, s);
         cudaLaunchHostFunc(
             s, [](void *) { reader = std::thread([] { seen = out[5]; }); }, nullptr);
         cudaStreamSynchronize(s);
         reader.join();
         NEED(seen == 3);
     }},
    {"right_woken",
     [] { // stopped at a page that the end of the host function opens
         static int *out = pinned(32);
         static std::atomic<bool> ready;
         int seen = 0;
         std::thread reader([&] {
             while (!ready) {}
             seen = out[5];
         });
         cudaStream_t s = free_stream();
         add<<<1, 32, 0, s>>>(out, 4, 32);
         cudaLaunchHostFunc(
             s, [](void *) { ready = true, usleep(20000); }, nullptr);
         reader.join();
         NEED(seen == 4);
     }},
    {"right_host_function", [] { host_function(true); }},
    {"host_function", [] { host_function(false); }},
    {"right_polled", [] { polled(true); }},
    {"polled", [] { polled(false); }},
    {"right_flag_between", [] { flag_between(true); }},
    {"flag_between", [] { flag_between(false); }},
    {"right_system", [] { through_the_system(false); }},
    {"system", [] { through_the_system(true); }},
    {"right_half", [] { half(true); }},
    {"half", [] { half(false); }},
    {"right_counters",
     [] {
         int *c = device(1);
         count<<<8, 32, 0, free_stream()>>>(c);
         count<<<8, 32, 0, free_stream()>>>(c);
         cudaDeviceSynchronize();
     }},
    {"counters",
     [] {
         int *c = device(1), *out = device(1);
         count<<<8, 32, 0, free_stream()>>>(c);
         copy<<<1, 1, 0, free_stream()>>>(c, out);
         cudaDeviceSynchronize();
     }},
    {"right_default_streams",
     [] { // the legacy one orders those of all threads
         int *a = device(32);
         std::thread([a] { add<<<1, 32, 0, cudaStreamPerThread>>>(a, 1, 32); }).join();
         add<<<1, 32, 0, cudaStreamLegacy>>>(a, 1, 32);
         add<<<1, 32, 0, cudaStreamPerThread>>>(a, 1, 32);
         cudaDeviceSynchronize();
     }},
    {"default_streams",
     [] { // each thread has one
         int *a = device(32);
         std::thread([a] { add<<<1, 32, 0, cudaStreamPerThread>>>(a, 1, 32); }).join();
         add<<<1, 32, 0, cudaStreamPerThread>>>(a, 1, 32);
         cudaDeviceSynchronize();
     }},
    {"constant",
     [] { // set anew while a kernel may read it
         int *out = device(32), *host = pinned(32);
         look_up<<<1, 32, 0, free_stream()>>>(out);
         cudaMemcpyToSymbolAsync(table, host, 128, 0, cudaMemcpyHostToDevice, free_stream());
         cudaDeviceSynchronize();
     }},
    {"right_pageable",
     [] { // the call returns when the source may be written again
         int *d = device(32), host[32] = {0};
         cudaMemcpyAsync(d, host, 128, cudaMemcpyHostToDevice, free_stream());
         host[0] = 1;
         cudaDeviceSynchronize();
     }},
    {"right_source_read",
     [] {
         int *d = device(32), *host = pinned(32);
         cudaMemcpyAsync(d, host, 128, cudaMemcpyHostToDevice, free_stream());
         NEED(host[9] == 0);
         cudaDeviceSynchronize();
     }},
    {"right_managed_fill",
     [] { // waits, where the host sees the memory
         int *m = managed(32);
         cudaMemset(m, 1, 128);
         NEED(m[3] == 0x01010101);
     }},
    {"managed_fill",
     [] {
         int *m = managed(32);
         cudaMemsetAsync(m, 1, 128);
         NEED(m[3] == 0x01010101);
         cudaDeviceSynchronize();
     }},
    {"right_members",
     [] {
         mixed *m;
         cudaMallocManaged(&m, sizeof *m);
         touch<<<1, 1>>>(m);
         m->host = 3;
         cudaDeviceSynchronize();
         NEED(m->device == 7 && m->host == 3);
     }},
    {"copy_on_device",
     [] { // the host does not wait for it, and a free stream neither
         int *a = device(32), *b = device(32);
         cudaMemcpy(b, a, 128, cudaMemcpyDeviceToDevice);
         add<<<1, 32, 0, free_stream()>>>(b, 1, 32);
         cudaDeviceSynchronize();
     }},
    {"event_before_the_last",
     [] {
         int *m = managed(32);
         cudaStream_t s = free_stream();
         cudaEvent_t e = event();
         add<<<1, 32, 0, s>>>(m, 1, 32);
         cudaEventRecord(e, s);
         add<<<1, 32, 0, s>>>(m, 1, 32);
         cudaEventSynchronize(e);
         std::printf("%d\n", m[3]);
         cudaDeviceSynchronize();
     }},
    {"copied_by_libc",
     [] {
         int *host = pinned(2048), *dev = device(2048), to[2048];
         cudaMemcpyAsync(host, dev, 8192, cudaMemcpyDeviceToHost, free_stream());
         std::memcpy(to, host, sizeof to);
         std::printf("%d\n", to[rand() % 2048]);
         cudaDeviceSynchronize();
     }},
};

int main(int argc, char **argv) {
    if (argc < 2) {
        for (auto &c : cases) std::printf("%s\n", c.first.c_str());
        return 0;
    }
    auto found = cases.find(argv[1]);
    if (found == cases.end()) return 8;
    found->second();
    return 0;
}
