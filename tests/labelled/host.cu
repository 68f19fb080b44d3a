// Host code: streams, events, copies, what the host reads and when, misuse of the runtime.
#include "cases.cuh"

__global__ void add(int *a, int v) { a[threadIdx.x] += v; }
__global__ void fill(int *a, int v) { a[threadIdx.x] = v; }
__global__ void copy(const int *a, int *b) { b[threadIdx.x] = a[threadIdx.x]; }

static cudaStream_t stream() {
    cudaStream_t made;
    cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking);
    return made;
}

static cudaEvent_t event() {
    cudaEvent_t made;
    cudaEventCreateWithFlags(&made, cudaEventDisableTiming);
    return made;
}

static int *pinned(size_t n) {
    int *memory;
    cudaMallocHost(&memory, n * sizeof(int));
    std::memset(memory, 0, n * sizeof(int));
    return memory;
}

static int *managed(size_t n) {
    int *memory;
    cudaMallocManaged(&memory, n * sizeof(int));
    return memory;
}

// wrong: race: two streams add to one buffer
CASE(two_streams) {
    int *a = zeros(32);
    cudaDeviceSynchronize();
    add<<<1, 32, 0, stream()>>>(a, 1);
    add<<<1, 32, 0, stream()>>>(a, 2);
    at(a, 0);
}

// right: two streams on two halves of one buffer
CASE(two_halves) {
    int *a = zeros(64);
    cudaDeviceSynchronize();
    add<<<1, 32, 0, stream()>>>(a, 1);
    add<<<1, 32, 0, stream()>>>(a + 32, 2);
    EXPECT(at(a, 31) == 1 && at(a, 32) == 2);
}

// right: two streams only read one buffer
CASE(two_readers) {
    int *a = counting(32), *b = zeros(32), *c = zeros(32);
    cudaDeviceSynchronize();
    copy<<<1, 32, 0, stream()>>>(a, b);
    copy<<<1, 32, 0, stream()>>>(a, c);
    EXPECT(at(b, 3) == at(c, 3));
}

// right: an event orders the second stream after the first
CASE(event_order) {
    int *a = zeros(32);
    cudaStream_t one = stream(), two = stream();
    cudaEvent_t done = event();
    cudaDeviceSynchronize();
    add<<<1, 32, 0, one>>>(a, 1);
    cudaEventRecord(done, one);
    cudaStreamWaitEvent(two, done, 0);
    add<<<1, 32, 0, two>>>(a, 2);
    EXPECT(at(a, 0) == 3);
}

// wrong: race: the event is recorded before the launch that it should wait for
CASE(event_too_early) {
    int *a = zeros(32);
    cudaStream_t one = stream(), two = stream();
    cudaEvent_t done = event();
    cudaDeviceSynchronize();
    cudaEventRecord(done, one);
    add<<<1, 32, 0, one>>>(a, 1);
    cudaStreamWaitEvent(two, done, 0);
    add<<<1, 32, 0, two>>>(a, 2);
    at(a, 0);
}

// wrong: race: the stream waits for an event that was never recorded
CASE(event_not_recorded) {
    int *a = zeros(32);
    cudaStream_t one = stream(), two = stream();
    cudaEvent_t done = event();
    cudaDeviceSynchronize();
    add<<<1, 32, 0, one>>>(a, 1);
    cudaStreamWaitEvent(two, done, 0);
    add<<<1, 32, 0, two>>>(a, 2);
    at(a, 0);
}

// wrong: race: the wait comes after the launch that needs it
CASE(wait_too_late) {
    int *a = zeros(32);
    cudaStream_t one = stream(), two = stream();
    cudaEvent_t done = event();
    cudaDeviceSynchronize();
    add<<<1, 32, 0, one>>>(a, 1);
    cudaEventRecord(done, one);
    add<<<1, 32, 0, two>>>(a, 2);
    cudaStreamWaitEvent(two, done, 0);
    at(a, 0);
}

// right: fork and join by events over three streams
CASE(fork_join) {
    int *a = zeros(32), *b = zeros(32), *c = zeros(32);
    cudaStream_t one = stream(), two = stream();
    cudaEvent_t forked = event(), joined = event();
    cudaDeviceSynchronize();
    fill<<<1, 32, 0, one>>>(a, 5);
    cudaEventRecord(forked, one);
    cudaStreamWaitEvent(two, forked, 0);
    copy<<<1, 32, 0, two>>>(a, b);
    copy<<<1, 32, 0, one>>>(a, c);
    cudaEventRecord(joined, two);
    cudaStreamWaitEvent(one, joined, 0);
    fill<<<1, 32, 0, one>>>(a, 6);
    EXPECT(at(b, 0) == 5 && at(c, 0) == 5);
}

// wrong: race: the buffer is filled anew before the fork has joined
CASE(fork_no_join) {
    int *a = zeros(32), *b = zeros(32);
    cudaStream_t one = stream(), two = stream();
    cudaEvent_t forked = event();
    cudaDeviceSynchronize();
    fill<<<1, 32, 0, one>>>(a, 5);
    cudaEventRecord(forked, one);
    cudaStreamWaitEvent(two, forked, 0);
    copy<<<1, 32, 0, two>>>(a, b);
    fill<<<1, 32, 0, one>>>(a, 6);
    at(b, 0);
}

// right: the legacy default stream orders two blocking streams
CASE(legacy_default) {
    int *a = zeros(32);
    cudaStream_t one, two;
    cudaStreamCreate(&one);
    cudaStreamCreate(&two);
    add<<<1, 32, 0, one>>>(a, 1);
    add<<<1, 32>>>(a, 2);
    add<<<1, 32, 0, two>>>(a, 3);
    EXPECT(at(a, 0) == 6);
}

// wrong: race: a non-blocking stream does not wait for the default stream
CASE(default_no_order) {
    int *a = zeros(32);
    cudaStream_t one = stream();
    cudaDeviceSynchronize();
    add<<<1, 32>>>(a, 2);
    add<<<1, 32, 0, one>>>(a, 1);
    at(a, 0);
}

// wrong: race: a copy in one stream reads what a kernel in another writes
CASE(copy_other_stream) {
    int *a = zeros(32), *host = pinned(32);
    cudaStream_t one = stream(), two = stream();
    cudaDeviceSynchronize();
    fill<<<1, 32, 0, one>>>(a, 5);
    cudaMemcpyAsync(host, a, 128, cudaMemcpyDeviceToHost, two);
    cudaDeviceSynchronize();
}

// wrong: race: a memset in one stream, a kernel in another
CASE(memset_other_stream) {
    int *a = zeros(32);
    cudaStream_t one = stream(), two = stream();
    cudaDeviceSynchronize();
    cudaMemsetAsync(a, 0, 128, one);
    add<<<1, 32, 0, two>>>(a, 1);
    at(a, 0);
}

// wrong: race: the host reads pinned memory before the copy was waited for
CASE(pinned_early) {
    int *a = zeros(32), *host = pinned(32);
    cudaStream_t one = stream();
    cudaDeviceSynchronize();
    fill<<<1, 32, 0, one>>>(a, 7);
    cudaMemcpyAsync(host, a, 128, cudaMemcpyDeviceToHost, one);
    std::printf("%d\n", host[5]);
    cudaStreamSynchronize(one);
}

// right: the host waits for the stream, then reads
CASE(pinned_waited) {
    int *a = zeros(32), *host = pinned(32);
    cudaStream_t one = stream();
    cudaDeviceSynchronize();
    fill<<<1, 32, 0, one>>>(a, 7);
    cudaMemcpyAsync(host, a, 128, cudaMemcpyDeviceToHost, one);
    cudaStreamSynchronize(one);
    EXPECT(host[5] == 7);
}

// wrong: race: the host waits for the wrong stream
CASE(pinned_wrong_stream) {
    int *a = zeros(32), *host = pinned(32);
    cudaStream_t one = stream(), two = stream();
    cudaDeviceSynchronize();
    fill<<<1, 32, 0, one>>>(a, 7);
    cudaMemcpyAsync(host, a, 128, cudaMemcpyDeviceToHost, one);
    cudaStreamSynchronize(two);
    std::printf("%d\n", host[5]);
    cudaDeviceSynchronize();
}

// wrong: race: the host writes the source of a copy that is under way
CASE(pinned_source_reused) {
    int *a = zeros(1 << 16), *host = pinned(1 << 16);
    cudaStream_t one = stream();
    cudaDeviceSynchronize();
    cudaMemcpyAsync(a, host, 4 << 16, cudaMemcpyHostToDevice, one);
    host[9] = 1;
    cudaStreamSynchronize(one);
}

// right: two pinned buffers by turns, each waited for by its event before it is written again
CASE(pinned_by_turns) {
    int *a = zeros(64), *host[2] = {pinned(32), pinned(32)};
    cudaStream_t one = stream();
    cudaEvent_t done[2] = {event(), event()};
    cudaDeviceSynchronize();
    for (int round = 0; round < 4; round++) {
        int slot = round % 2;
        cudaEventSynchronize(done[slot]);
        for (int i = 0; i < 32; i++) host[slot][i] = round;
        cudaMemcpyAsync(a + slot * 32, host[slot], 128, cudaMemcpyHostToDevice, one);
        cudaEventRecord(done[slot], one);
    }
    EXPECT(at(a, 0) == 2 && at(a, 40) == 3);
}

// wrong: race: the host reads managed memory while the kernel may run
CASE(managed_early) {
    int *a = managed(32);
    fill<<<1, 32>>>(a, 7);
    std::printf("%d\n", a[5]);
    cudaDeviceSynchronize();
}

// right: managed memory, read after synchronising
CASE(managed_waited) {
    int *a = managed(32);
    for (int i = 0; i < 32; i++) a[i] = i;
    add<<<1, 32>>>(a, 7);
    cudaDeviceSynchronize();
    EXPECT(a[5] == 12);
}

// wrong: race: the host writes managed memory after the launch that reads it
CASE(managed_written) {
    int *a = managed(32), *b = zeros(32);
    for (int i = 0; i < 32; i++) a[i] = i;
    copy<<<1, 32>>>(a, b);
    a[3] = 0;
    cudaDeviceSynchronize();
}

// right: polling an event until it is done, then reading
CASE(event_polled) {
    int *a = zeros(32), *host = pinned(32);
    cudaStream_t one = stream();
    cudaEvent_t done = event();
    cudaDeviceSynchronize();
    fill<<<1, 32, 0, one>>>(a, 7);
    cudaMemcpyAsync(host, a, 128, cudaMemcpyDeviceToHost, one);
    cudaEventRecord(done, one);
    while (cudaEventQuery(done) == cudaErrorNotReady) {}
    EXPECT(host[5] == 7);
}

// wrong: invalid-call|out-of-bounds: a copy past the end of the device buffer
CASE(copy_past_end) {
    static int host[256];
    cudaMemcpy(room(64), host, sizeof host, cudaMemcpyHostToDevice);
}

// wrong: invalid-call|out-of-bounds: a memset past the end
CASE(memset_past_end) { cudaMemset(room(64), 0, 64 * sizeof(int) + 1); }

// wrong: invalid-call: a buffer is freed twice
CASE(double_free) {
    int *a = zeros(32);
    cudaFree(a);
    cudaFree(a);
}

// wrong: invalid-call: a pointer into the middle of a buffer is freed
CASE(free_middle) { cudaFree(zeros(32) + 4); }

// wrong: invalid-call: the direction is the wrong way round
CASE(wrong_direction) {
    int host[32] = {0};
    cudaMemcpy(room(32), host, sizeof host, cudaMemcpyDeviceToHost);
}

// wrong: invalid-call: device memory is given back by cudaFreeHost
CASE(wrong_free) { cudaFreeHost(zeros(32)); }

// wrong: invalid-call|use-after-free: a copy from memory that was freed
CASE(copy_freed) {
    int *a = zeros(32), host[32];
    cudaFree(a);
    cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost);
}

// wrong: invalid-call|unchecked-error: too many threads in a block, and nobody looks
CASE(block_too_large) {
    int *a = zeros(32);
    fill<<<1, 2048>>>(a, 1);
}

// right: an error is provoked, looked at, and cleared
CASE(checked_error) {
    void *memory = nullptr;
    EXPECT(cudaMalloc(&memory, (size_t)1 << 60) == cudaErrorMemoryAllocation);
    cudaGetLastError();
}

// right: freeing nothing is allowed
CASE(free_null) {
    int *a = zeros(32);
    EXPECT(cudaFree(nullptr) == cudaSuccess && cudaFreeHost(nullptr) == cudaSuccess);
    cudaFree(a);
}

// right: stream-ordered memory, made, used and freed in one stream
CASE(stream_ordered) {
    int *a, *host = pinned(32);
    cudaStream_t one = stream();
    cudaMallocAsync(&a, 128, one);
    fill<<<1, 32, 0, one>>>(a, 3);
    cudaMemcpyAsync(host, a, 128, cudaMemcpyDeviceToHost, one);
    cudaFreeAsync(a, one);
    cudaStreamSynchronize(one);
    EXPECT(host[0] == 3);
}

// wrong: use-after-free: stream-ordered memory is used after cudaFreeAsync in the same stream
CASE(stream_ordered_freed) {
    int *a;
    cudaStream_t one = stream();
    cudaMallocAsync(&a, 128, one);
    cudaFreeAsync(a, one);
    fill<<<1, 32, 0, one>>>(a, 3);
    cudaDeviceSynchronize();
}

// wrong: race|use-after-free: one stream frees what another still uses
CASE(stream_ordered_race) {
    int *a;
    cudaStream_t one = stream(), two = stream();
    cudaMallocAsync(&a, 128, one);
    cudaStreamSynchronize(one);
    fill<<<1, 32, 0, two>>>(a, 3);
    cudaFreeAsync(a, one);
    cudaDeviceSynchronize();
}

// right: a captured graph, launched twice in one stream
CASE(graph_twice) {
    int *a = zeros(32);
    cudaStream_t one = stream();
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaDeviceSynchronize();
    cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal);
    add<<<1, 32, 0, one>>>(a, 1);
    add<<<1, 32, 0, one>>>(a, 2);
    cudaStreamEndCapture(one, &graph);
    cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphLaunch(ready, one);
    cudaGraphLaunch(ready, one);
    EXPECT(at(a, 0) == 6);
}

// One add to `a` as a graph.
static cudaGraphExec_t graph_of_add(int *a) {
    cudaStream_t one = stream();
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaDeviceSynchronize();
    cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal);
    add<<<1, 32, 0, one>>>(a, 1);
    cudaStreamEndCapture(one, &graph);
    cudaGraphInstantiate(&ready, graph, 0);
    return ready;
}

// right: one executable graph in two streams: its launches follow each other
CASE(graph_two_streams) {
    int *a = zeros(32);
    cudaGraphExec_t ready = graph_of_add(a);
    cudaStream_t one = stream(), two = stream();
    cudaGraphLaunch(ready, one);
    cudaGraphLaunch(ready, two);
    cudaGraphLaunch(ready, one);
    EXPECT(at(a, 0) == 3);
}

// wrong: race: two executable graphs of the same work in two streams
CASE(graphs_two_streams) {
    int *a = zeros(32);
    cudaGraphExec_t first = graph_of_add(a), second = graph_of_add(a);
    cudaGraphLaunch(first, stream());
    cudaGraphLaunch(second, stream());
    at(a, 0);
}

// wrong: race: a graph in one stream, a kernel on the same bytes in another
CASE(graph_and_kernel) {
    int *a = zeros(32);
    cudaGraphLaunch(graph_of_add(a), stream());
    add<<<1, 32, 0, stream()>>>(a, 1);
    at(a, 0);
}

// wrong: host-access: the host reads memory of cudaMalloc
CASE(host_reads_device) {
    volatile int *a = zeros(32);
    std::printf("%d\n", a[3]);
}

// wrong: host-access: the host writes memory of cudaMalloc
CASE(host_writes_device) {
    volatile int *a = zeros(32);
    a[3] = 1;
}

// right: the host uses managed memory through the same pointer as the kernel
CASE(host_uses_managed) {
    int *a = managed(32);
    fill<<<1, 32>>>(a, 5);
    cudaDeviceSynchronize();
    a[3]++;
    EXPECT(a[3] == 6);
}

// A launch that may begin before its predecessor in the stream has ended.
template <class... T> static void launch_early(void (*kernel)(T...), cudaStream_t in, T... values) {
    cudaLaunchAttribute early;
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(1);
    config.blockDim = dim3(32);
    config.stream = in;
    config.attrs = &early;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, kernel, values...);
}

// Predecessors that let their successor begin at once.
__global__ void triggers(int *a) {
    cudaTriggerProgrammaticLaunchCompletion();
    a[threadIdx.x] = 9;
}
__global__ void triggers_copy(const int *a, int *b) {
    cudaTriggerProgrammaticLaunchCompletion();
    b[threadIdx.x] = a[threadIdx.x];
}

// right: an early launch waits for its predecessor before it reads
__global__ void early_waits(int *a, int *b) {
    int own = threadIdx.x;
    cudaGridDependencySynchronize();
    b[threadIdx.x] = a[threadIdx.x] + own;
}
CASE(early_waits) {
    int *a = zeros(32), *b = zeros(32);
    cudaStream_t one = stream();
    cudaDeviceSynchronize();
    fill<<<1, 32, 0, one>>>(a, 4);
    launch_early(early_waits, one, a, b);
    EXPECT(at(b, 1) == 5);
}

// wrong: race: an early launch reads what its predecessor writes, without waiting
__global__ void early_reads(int *a, int *b) {
    b[threadIdx.x] = a[threadIdx.x]; // here
}
CASE(early_reads) {
    int *a = zeros(32), *b = zeros(32);
    cudaStream_t one = stream();
    cudaDeviceSynchronize();
    triggers<<<1, 32, 0, one>>>(a);
    launch_early(early_reads, one, a, b);
    at(b, 1);
}

// wrong: race: an early launch overwrites what its predecessor reads, and waits too late
__global__ void early_writes(int *a, int *b) {
    a[threadIdx.x] = 1; // here
    cudaGridDependencySynchronize();
    b[threadIdx.x] = 2;
}
CASE(early_writes) {
    int *a = zeros(32), *b = zeros(32);
    cudaStream_t one = stream();
    cudaDeviceSynchronize();
    triggers_copy<<<1, 32, 0, one>>>(a, b);
    launch_early(early_writes, one, a, b);
    at(b, 1);
}

// right: the predecessor triggers early, the successor waits all the same
CASE(early_trigger) {
    int *a = zeros(32), *b = zeros(32);
    cudaStream_t one = stream();
    cudaDeviceSynchronize();
    triggers<<<1, 32, 0, one>>>(a);
    launch_early(early_waits, one, a, b);
    EXPECT(at(b, 0) == 9);
}

int main(int argc, char **argv) { return run_case(argc, argv); }
