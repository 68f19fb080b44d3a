// Polling across the bus: the host waits for a flag of a kernel, or a kernel for one of the host or of another stream.
#include "cases.cuh"

static cudaStream_t free_stream() {
    cudaStream_t made;
    cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking);
    return made;
}

static int *pinned(size_t n) {
    int *memory;
    cudaMallocHost(&memory, n * sizeof(int));
    std::memset(memory, 0, n * sizeof(int));
    return memory;
}

static void poll(int *flag, int until) {
    while (*(volatile int *)flag != until) {}
    __sync_synchronize();
}

// right: data, system fence, barrier, then the flag by one thread
__global__ void publishes(int *data, volatile int *flag) {
    data[threadIdx.x] = threadIdx.x;
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x == 0) *flag = 1;
}
CASE(poll_fenced) {
    int *data = pinned(64), *flag = pinned(1);
    publishes<<<1, 64>>>(data, flag);
    poll(flag, 1);
    EXPECT(data[63] == 63);
    cudaDeviceSynchronize();
}

// right: one thread writes, fences and sets the flag, piece by piece of one page
__global__ void pieces(int *data, volatile int *flag) {
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 8; k++) data[i * 8 + k] = i;
        __threadfence_system();
        *flag = i + 1;
    }
}
CASE(poll_pieces) {
    int *data = pinned(32), *flag = pinned(1);
    pieces<<<1, 1>>>(data, flag);
    poll(flag, 4);
    EXPECT(data[0] == 0 && data[31] == 3);
    cudaDeviceSynchronize();
}

// right: the words themselves are polled, each by itself
__global__ void words(volatile int *data) { data[threadIdx.x] = threadIdx.x + 1; }
CASE(poll_words) {
    int *data = pinned(32);
    words<<<1, 32>>>(data);
    for (int i = 0; i < 32; i++) poll(data + i, i + 1);
    cudaDeviceSynchronize();
}

// right: the last of several blocks, which all fence, sets the flag
__global__ void last_publishes(int *data, unsigned *ticket, volatile int *flag) {
    data[blockIdx.x] = blockIdx.x;
    __threadfence_system();
    if (atomicAdd_system(ticket, 1) == gridDim.x - 1) {
        __threadfence_system();
        *flag = 1;
    }
}
CASE(poll_last_block) {
    int *data = pinned(8), *flag = pinned(1);
    last_publishes<<<8, 1>>>(data, (unsigned *)zeros(1), flag);
    poll(flag, 1);
    EXPECT(data[5] == 5);
    cudaDeviceSynchronize();
}

// wrong: race: no fence between the data and the flag that the host polls
__global__ void unfenced(int *data, volatile int *flag) {
    data[threadIdx.x] = threadIdx.x; // here
    __syncthreads();
    if (threadIdx.x == 0) *flag = 1;
}
CASE(poll_unfenced) {
    int *data = pinned(64), *flag = pinned(1);
    unfenced<<<1, 64>>>(data, flag);
    poll(flag, 1);
    std::printf("%d\n", data[63]);
    cudaDeviceSynchronize();
}

// wrong: race: the flag is set before the data
__global__ void flag_first(int *data, volatile int *flag) {
    if (threadIdx.x == 0) *flag = 1;
    __threadfence_system();
    data[threadIdx.x] = threadIdx.x; // here
}
CASE(poll_flag_first) {
    int *data = pinned(64), *flag = pinned(1);
    flag_first<<<1, 64>>>(data, flag);
    poll(flag, 1);
    std::printf("%d\n", data[63]);
    cudaDeviceSynchronize();
}

// wrong: race: a fence of the device, which the host has no part in
__global__ void device_fence(int *data, volatile int *flag) {
    data[threadIdx.x] = threadIdx.x; // here
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) *flag = 1;
}
CASE(poll_device_fence) {
    int *data, *flag = pinned(1);
    cudaMallocManaged(&data, 256);
    device_fence<<<1, 64>>>(data, flag);
    poll(flag, 1);
    std::printf("%d\n", data[63]);
    cudaDeviceSynchronize();
}

// wrong: deadlock: the answer is in the same stream, and comes after
__global__ void waits_for(volatile int *flag, int *out) {
    while (*flag == 0) {} // here
    *out = 1;
}
__global__ void answers(volatile int *flag) { *flag = 1; }
CASE(nobody_answers) {
    int *flag = zeros(1), *out = zeros(1);
    waits_for<<<1, 1>>>(flag, out);
    answers<<<1, 1>>>(flag);
    cudaDeviceSynchronize();
}

// Kernels run to their end here before the program goes on: the next two are not checked, which is no finding.

// right: the host answers a kernel that it has launched
CASE(host_answers) {
    int *flag = pinned(1), *out = zeros(1);
    waits_for<<<1, 1>>>(flag, out);
    *(volatile int *)flag = 1;
    cudaDeviceSynchronize();
}

// right: a kernel in another stream answers one that was launched before
CASE(stream_answers) {
    int *flag = zeros(1), *out = zeros(1);
    cudaDeviceSynchronize();
    waits_for<<<1, 1, 0, free_stream()>>>(flag, out);
    answers<<<1, 1, 0, free_stream()>>>(flag);
    cudaDeviceSynchronize();
}

int main(int argc, char **argv) { return run_case(argc, argv); }
