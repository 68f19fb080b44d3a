// Accesses out of bounds, after free, misaligned; values that were never written.
#include "cases.cuh"

// wrong: out-of-bounds: one past the end of a global array
__global__ void one_past(int *a, int n) {
    int i = blockIdx.x * 64 + threadIdx.x;
    if (i <= n) a[i] = i; // here
}
CASE(one_past) { one_past<<<2, 64>>>(room(100), 100); }

// right: a pointer one past the end is formed and compared, never read
__global__ void end_pointer(const int *a, int n, int *out) {
    int sum = 0;
    for (const int *p = a, *end = a + n; p != end; p++) sum += *p;
    *out = sum;
}
CASE(end_pointer) {
    int *out = zeros(1);
    end_pointer<<<1, 1>>>(counting(10), 10, out);
    EXPECT(at(out, 0) == 45);
}

// right: arrays that start at one, by a pointer before the first element
__global__ void from_one(const int *a, int *out) {
    const int *b = a - 1;
    out[threadIdx.x] = b[threadIdx.x + 1];
}
CASE(from_one) {
    int *out = zeros(32);
    from_one<<<1, 32>>>(counting(32), out);
    EXPECT(at(out, 31) == 31);
}

// wrong: out-of-bounds: from one shared array into its neighbour
__global__ void shared_neighbour(int *out, int n) {
    __shared__ int a[16], b[16];
    int t = threadIdx.x;
    a[t] = t;
    b[t] = -t;
    __syncthreads();
    if (t == 0) a[n] = 9; // here
    __syncthreads();
    out[t] = a[15 - t] + b[15 - t];
}
CASE(shared_neighbour) { shared_neighbour<<<1, 16>>>(zeros(16), 16); }

// wrong: out-of-bounds: a shared array is read at -1, where its neighbour lies
__global__ void shared_before(int *out, int n) {
    __shared__ int a[16], b[16];
    int t = threadIdx.x;
    a[t] = t;
    b[t] = -t;
    __syncthreads();
    out[t] = a[(t + n) % 16] + b[t + n]; // here
}
CASE(shared_before) { shared_before<<<1, 16>>>(zeros(16), -1); }

// right: dynamic shared memory cut into arrays of several types
__global__ void carved(int *out) {
    extern __shared__ double wide[];
    int t = threadIdx.x;
    int *whole = (int *)(wide + 64);
    unsigned char *flag = (unsigned char *)(whole + 64);
    wide[t] = t;
    whole[t] = t;
    flag[t] = t % 2;
    __syncthreads();
    out[t] = (int)wide[63 - t] + whole[t] + flag[t];
}
CASE(carved) {
    int *out = zeros(64);
    carved<<<1, 64, 64 * 13>>>(out);
    EXPECT(at(out, 1) == 64);
}

// wrong: out-of-bounds: from one local array into its neighbour
__global__ void local_neighbour(int *out, int n) {
    int a[8], b[8];
    for (int i = 0; i < 8; i++) a[i] = i, b[i] = n;
    a[n] = 5; // here
    out[threadIdx.x] = a[threadIdx.x % 8] + b[(threadIdx.x + 1) % 8];
}
CASE(local_neighbour) { local_neighbour<<<1, 32>>>(zeros(32), 8); }

// wrong: out-of-bounds|fault: far past a local array
__global__ void local_far(int *out, int n) {
    int a[8];
    for (int i = 0; i < 8; i++) a[i] = i;
    a[n * 1000] = 5; // here
    out[threadIdx.x] = a[threadIdx.x % 8];
}
CASE(local_far) { local_far<<<1, 32>>>(zeros(32), 8); }

// wrong: out-of-bounds: a global variable's neighbour
__device__ int table[16], after_table[16];
__global__ void table_past(int *out, int n) {
    after_table[threadIdx.x] = 1;
    table[threadIdx.x + n] = 2; // here
    out[threadIdx.x] = after_table[threadIdx.x] + table[threadIdx.x];
}
CASE(table_past) { table_past<<<1, 16>>>(zeros(16), 1); }

// wrong: out-of-bounds: rows of a two-dimensional shared tile by a wrong pitch
__global__ void wrong_pitch(int *out) {
    __shared__ int tile[16][16];
    int x = threadIdx.x, y = threadIdx.y, *flat = &tile[0][0];
    tile[y][x] = x;
    __syncthreads();
    out[y * 16 + x] = flat[y * 17 + x]; // here
}
CASE(wrong_pitch) { wrong_pitch<<<1, dim3(16, 16)>>>(zeros(256)); }

// wrong: misaligned: four words from an odd element
__global__ void odd_vector(const int *a, int *out) {
    int4 v = *(const int4 *)(a + 1 + 4 * threadIdx.x); // here
    out[threadIdx.x] = v.x + v.w;
}
CASE(odd_vector) { odd_vector<<<1, 8>>>(counting(64), zeros(8)); }

// wrong: misaligned: a double in shared memory after an odd number of words
__global__ void odd_double(int *out) {
    extern __shared__ int s[];
    double *d = (double *)(s + 33);
    d[threadIdx.x] = threadIdx.x; // here
    __syncthreads();
    out[threadIdx.x] = (int)d[31 - threadIdx.x];
}
CASE(odd_double) { odd_double<<<1, 32, 1024>>>(zeros(32)); }

// right: head and tail by words, the aligned middle by vectors
__global__ void vector_middle(const int *a, int n, int *out) {
    int head = (int)((16 - (size_t)a % 16) % 16 / 4), wide = (n - head) / 4, sum = 0;
    for (int i = threadIdx.x; i < head; i += 32) sum += a[i];
    for (int i = threadIdx.x; i < wide; i += 32) {
        int4 v = ((const int4 *)(a + head))[i];
        sum += v.x + v.y + v.z + v.w;
    }
    for (int i = head + wide * 4 + threadIdx.x; i < n; i += 32) sum += a[i];
    atomicAdd(out, sum);
}
CASE(vector_middle) {
    int *out = zeros(1);
    vector_middle<<<1, 32>>>(counting(104) + 3, 101, out);
    EXPECT(at(out, 0) == 103 * 52 - 3);
}

// right: bytes of a word by a union and by a cast
__global__ void word_bytes(int *out) {
    union {
        unsigned word;
        unsigned char byte[4];
    } u;
    u.word = 0x04030201u + threadIdx.x;
    out[threadIdx.x] = u.byte[threadIdx.x % 4] + ((const unsigned char *)&u.word)[3];
}
CASE(word_bytes) {
    int *out = zeros(4);
    word_bytes<<<1, 4>>>(out);
    EXPECT(at(out, 1) == 6);
}

// wrong: use-after-free: a kernel reads memory that was freed before its launch
__global__ void read_freed(const int *a, int *out) {
    out[threadIdx.x] = a[threadIdx.x]; // here
}
CASE(read_freed) {
    int *a = counting(32);
    cudaFree(a);
    read_freed<<<1, 32>>>(a, zeros(32));
    cudaDeviceSynchronize();
}

// wrong: use-after-free: device malloc, freed by one thread, read by another
__global__ void heap_freed(int *out) {
    __shared__ int *p;
    int t = threadIdx.x;
    if (t == 0) p = (int *)malloc(128);
    __syncthreads();
    p[t] = t;
    __syncthreads();
    if (t == 0) free(p);
    __syncthreads();
    out[t] = p[31 - t]; // here
}
CASE(heap_freed) { heap_freed<<<1, 32>>>(zeros(32)); }

// right: device malloc by one launch, used and freed by another
__device__ int *kept;
__global__ void heap_make() {
    kept = (int *)malloc(16);
    for (int i = 0; i < 4; i++) kept[i] = i;
}
__global__ void heap_use(int *out) {
    *out = kept[3];
    free(kept);
}
CASE(heap_two_launches) {
    int *out = zeros(1);
    heap_make<<<1, 1>>>();
    heap_use<<<1, 1>>>(out);
    EXPECT(at(out, 0) == 3);
}

// wrong: undefined-output: elements that no thread wrote reach the host
__global__ void half_filled(int *a) {
    if (threadIdx.x % 2) a[threadIdx.x] = 1;
}
CASE(half_filled) {
    int *a = room(32), host[32];
    half_filled<<<1, 32>>>(a);
    cudaMemcpy(host, a, 128, cudaMemcpyDeviceToHost);
}

// wrong: undefined-branch|undefined-output: a maximum that starts from nothing
__global__ void never_set(const int *in, int *out, int n) {
    int best[2];
    for (int i = 0; i < n; i++)
        if (in[i] > best[i % 2]) best[i % 2] = in[i]; // here
    *out = best[0] + best[1];                         // here
}
CASE(never_set) {
    int *out = zeros(1);
    never_set<<<1, 1>>>(counting(8), out, 8);
    at(out, 0);
}

// wrong: undefined-output: shared words that no thread wrote are added up
__global__ void part_of_tile(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t < 50) s[t] = in[t];
    __syncthreads();
    out[t] = s[t] + s[63 - t]; // here
}
CASE(part_of_tile) {
    int *out = zeros(64), host[64];
    part_of_tile<<<1, 64>>>(counting(64), out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
}

// wrong: undefined-output: an undefined operand of an atomic, blamed where it was read
__global__ void atomic_operand(int *sum) {
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < 16) s[t] = 1;
    __syncthreads();
    int v = s[t]; // here
    atomicAdd(sum, v);
}
CASE(atomic_operand) {
    int *sum = zeros(1);
    atomic_operand<<<1, 32>>>(sum);
    at(sum, 0);
}

// wrong: undefined-address: an index that was never written
__global__ void undefined_index(const int *index, const int *a, int *out) {
    out[threadIdx.x] = a[index[threadIdx.x] & 31]; // here
}
CASE(undefined_index) {
    undefined_index<<<1, 32>>>(room(32), counting(32), zeros(32));
    cudaDeviceSynchronize();
}

// right: a tail is loaded undefined, but masked before it counts
__global__ void masked_tail(const int *a, int n, int *out) {
    int4 v = ((const int4 *)a)[threadIdx.x];
    int first = threadIdx.x * 4, sum = 0;
    sum += first < n ? v.x : 0;
    sum += first + 1 < n ? v.y : 0;
    sum += first + 2 < n ? v.z : 0;
    sum += first + 3 < n ? v.w : 0;
    atomicAdd(out, sum);
}
CASE(masked_tail) {
    int *a = room(32), *out = zeros(1);
    cudaMemset(a, 0, 30 * 4);
    masked_tail<<<1, 8>>>(a, 30, out);
    EXPECT(at(out, 0) == 0);
}

// right: structures with padding go through shared memory to the host
struct padded {
    char tag;
    int value;
};
__global__ void padding(padded *out) {
    __shared__ padded s[32];
    s[threadIdx.x].tag = 'x';
    s[threadIdx.x].value = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[31 - threadIdx.x];
}
CASE(padding) {
    padded *out = (padded *)room(64), host[32];
    padding<<<1, 32>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    EXPECT(host[0].value == 31);
}

// right: one bit of an undefined word is set, and only it is looked at
__global__ void one_bit(unsigned *flags, int *out) {
    flags[threadIdx.x] |= 4;
    out[threadIdx.x] = flags[threadIdx.x] & 4 ? 1 : 2;
}
CASE(one_bit) {
    int *out = zeros(32);
    one_bit<<<1, 32>>>((unsigned *)room(32), out);
    EXPECT(at(out, 9) == 1);
}

// right: a local array written by one loop and read by another, indices at run time
__global__ void local_array(const int *in, int *out, int n) {
    int held[16];
    for (int i = 0; i < n; i++) held[in[i] % 16] = i;
    int sum = 0;
    for (int i = 0; i < n; i++) sum += held[in[n - 1 - i] % 16];
    *out = sum;
}
CASE(local_array) {
    int *out = zeros(1);
    local_array<<<1, 1>>>(counting(12), out, 12);
    EXPECT(at(out, 0) == 66);
}

// right: a halo whose outer cells are clamped to the edge
__global__ void halo(const int *in, int *out, int n) {
    __shared__ int s[66];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t + 1] = in[min(i, n - 1)];
    if (t == 0) s[0] = in[max(i - 1, 0)];
    if (t == 63) s[65] = in[min(i + 1, n - 1)];
    __syncthreads();
    if (i < n) out[i] = s[t] + s[t + 1] + s[t + 2];
}
CASE(halo) {
    int *out = zeros(100);
    halo<<<2, 64>>>(counting(100), out, 100);
    EXPECT(at(out, 99) == 98 + 99 + 99);
}

// wrong: out-of-bounds|fault: a null pointer
__global__ void null_pointer(int *a) {
    a[threadIdx.x] = 1; // here
}
CASE(null_pointer) { null_pointer<<<1, 32>>>(nullptr); }

// wrong: out-of-bounds|fault: a host pointer of pageable memory
__global__ void host_pointer(int *a) {
    a[threadIdx.x] = 1; // here
}
CASE(host_pointer) {
    int host[32];
    host_pointer<<<1, 32>>>(host);
    cudaDeviceSynchronize();
}

int main(int argc, char **argv) { return run_case(argc, argv); }
