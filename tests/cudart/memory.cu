// Memory of every kind, copies and fills in every form, symbols, pools, pointers and what they are.
#include "check.h"

__device__ int counter = 7;
__constant__ float table[8];
__managed__ int shared_value = 3;

__global__ void add_one(int *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] += 1;
}
__global__ void use_symbols(float *out) {
    out[threadIdx.x] = table[threadIdx.x];
    if (threadIdx.x == 0) counter += 1, shared_value *= 2;
}

__device__ void *heap_memory;
__global__ void from_heap() { heap_memory = malloc(64); }

static void linear() {
    int host[100], back[100], *a, *b;
    for (int i = 0; i < 100; i++) host[i] = i;
    OK(cudaMalloc(&a, sizeof host));
    OK(cudaMalloc(&b, sizeof host));
    OK(cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(b, a, sizeof host, cudaMemcpyDeviceToDevice));
    add_one<<<1, 128>>>(b, 100);
    OK(cudaMemcpyAsync(back, b, sizeof host, cudaMemcpyDefault, 0));
    OK(cudaDeviceSynchronize());
    CHECK(back[0] == 1 && back[99] == 100);
    OK(cudaMemset(b, 0x11, 40));
    OK(cudaMemcpy(back, b, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(back[9] == 0x11111111 && back[10] == 11);
    size_t available, total;
    OK(cudaMemGetInfo(&available, &total));
    CHECK(available > 0 && available <= total);
    cudaPointerAttributes what;
    OK(cudaPointerGetAttributes(&what, a + 5));
    CHECK(what.type == cudaMemoryTypeDevice && what.devicePointer == a + 5 && what.device == 0);
    OK(cudaPointerGetAttributes(&what, host));
    CHECK(what.type == cudaMemoryTypeUnregistered);
    GIVES(cudaErrorInvalidValue, cudaMemset2D(a, 64, 7, 65, 4));
    OK(cudaFree(a));
    OK(cudaPointerGetAttributes(&what, a));
    CHECK(what.type == cudaMemoryTypeUnregistered);
    OK(cudaMemGetInfo(nullptr, &total));
    OK(cudaFree(b));
    OK(cudaFree(nullptr));
    void *p = &host;
    OK(cudaMalloc(&p, 0));
    CHECK(p == nullptr);
    GIVES(cudaErrorMemoryAllocation, cudaMalloc(&p, size_t(1) << 60));
    CHECK(cudaGetLastError() == cudaErrorMemoryAllocation && cudaGetLastError() == cudaSuccess);
}

static void both_sides() {
    int *m, *h, *d;
    OK(cudaMallocManaged(&m, 4000));
    for (int i = 0; i < 1000; i++) m[i] = i;
    add_one<<<4, 256>>>(m, 1000);
    OK(cudaDeviceSynchronize());
    CHECK(m[0] == 1 && m[999] == 1000);
    cudaPointerAttributes what;
    OK(cudaPointerGetAttributes(&what, m));
    CHECK(what.type == cudaMemoryTypeManaged);
    cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
    OK(cudaMemPrefetchAsync(m, 4000, here, 0));
    OK(cudaMemAdvise(m, 4000, cudaMemAdviseSetReadMostly, here));
    int value = -5;
    OK(cudaMemRangeGetAttribute(&value, sizeof value, cudaMemRangeAttributeReadMostly, m, 4000));
    CHECK(value == 1);
    cudaMemLocation elsewhere = {cudaMemLocationTypeDevice, 9};
    GIVES(cudaErrorInvalidValue, cudaMemPrefetchAsync(m, 4000, here, 3));
    GIVES(cudaErrorInvalidValue, cudaMemAdvise(m, 4000, cudaMemAdviseSetAccessedBy, elsewhere));
    GIVES(cudaErrorInvalidValue, cudaMemAdvise(m, 0, cudaMemAdviseSetReadMostly, here));
    GIVES(cudaErrorInvalidValue,
          cudaMemRangeGetAttribute(&value, 2 * sizeof value, cudaMemRangeAttributeReadMostly, m, 4000));
    OK(cudaStreamAttachMemAsync(0, m, 4000, cudaMemAttachGlobal));
    GIVES(cudaErrorInvalidValue, cudaStreamAttachMemAsync(0, m, 17, cudaMemAttachGlobal));
    GIVES(cudaErrorInvalidValue, cudaStreamAttachMemAsync(0, m, 0, 9));
    void *nothing = &value;
    OK(cudaMallocManaged(&nothing, 0));
    OK(cudaHostAlloc(&h, 4000, cudaHostAllocMapped));
    for (int i = 0; i < 1000; i++) h[i] = 2 * i;
    OK(cudaHostGetDevicePointer(&d, h, 0));
    add_one<<<4, 256>>>(d, 1000);
    OK(cudaDeviceSynchronize());
    CHECK(h[0] == 1 && h[999] == 1999);
    OK(cudaMemcpy(m, h, 4000, cudaMemcpyHostToDevice));
    CHECK(m[999] == 1999);
    OK(cudaFreeHost(h));
    OK(cudaFree(m));
    int *mine = (int *)malloc(4000);
    for (int i = 0; i < 1000; i++) mine[i] = 5;
    OK(cudaHostRegister(mine, 4000, cudaHostRegisterDefault));
    GIVES(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(mine, 4000, 0));
    GIVES(cudaErrorInvalidValue, cudaMemset(mine, 0, 4001));
    GIVES(cudaErrorInvalidValue, cudaHostRegister(&value, 4, 99));
    GIVES(cudaErrorInvalidValue, cudaHostUnregister(mine + 1));
    OK(cudaHostGetDevicePointer(&d, mine, 0));
    add_one<<<4, 256>>>(d, 1000);
    OK(cudaDeviceSynchronize());
    CHECK(mine[0] == 6 && mine[999] == 6);
    OK(cudaHostUnregister(mine));
    GIVES(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(mine));
    free(mine);
}

static void symbols() {
    float values[8] = {1, 2, 3, 4, 5, 6, 7, 8}, back[8], *out;
    OK(cudaMalloc(&out, sizeof back));
    OK(cudaMemcpyToSymbol(table, values, sizeof values));
    OK(cudaMemcpyToSymbol(table, values, 4, 28));
    use_symbols<<<1, 8>>>(out);
    OK(cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost));
    CHECK(back[0] == 1 && back[6] == 7 && back[7] == 1);
    int now;
    OK(cudaMemcpyFromSymbol(&now, counter, sizeof now));
    CHECK(now == 8 && shared_value == 6);
    int *where;
    size_t size;
    OK(cudaGetSymbolAddress((void **)&where, counter));
    OK(cudaGetSymbolSize(&size, table));
    CHECK(size == 32);
    OK(cudaMemcpy(&now, where, sizeof now, cudaMemcpyDeviceToHost));
    CHECK(now == 8);
    GIVES(cudaErrorInvalidValue, cudaMemcpyToSymbol(table, values, sizeof values, 4));
    GIVES(cudaErrorInvalidMemcpyDirection, cudaMemcpyToSymbol(table, values, 4, 0, cudaMemcpyDeviceToHost));
    GIVES(cudaErrorInvalidMemcpyDirection, cudaMemcpyFromSymbol(values, table, 4, 0, cudaMemcpyHostToDevice));
    cudaPointerAttributes what;
    void *inner;
    from_heap<<<1, 1>>>();
    OK(cudaMemcpyFromSymbol(&inner, heap_memory, sizeof inner));
    GIVES(cudaErrorInvalidValue, cudaMemcpy(&now, inner, 4, cudaMemcpyDeviceToHost));
    OK(cudaPointerGetAttributes(&what, inner));
    CHECK(what.type == cudaMemoryTypeUnregistered);
    OK(cudaPointerGetAttributes(&what, where));
    CHECK(what.type == cudaMemoryTypeDevice);
    OK(cudaPointerGetAttributes(&what, &shared_value));
    CHECK(what.type == cudaMemoryTypeManaged);
    OK(cudaFree(out));
}

static void pitched() {
    char host[10][32], back[10][32], *p;
    for (int y = 0; y < 10; y++)
        for (int x = 0; x < 32; x++) host[y][x] = char(y * 32 + x);
    size_t pitch;
    OK(cudaMallocPitch(&p, &pitch, 20, 10));
    CHECK(pitch >= 20 && pitch % 512 == 0);
    OK(cudaMemcpy2D(p, pitch, host, 32, 20, 10, cudaMemcpyHostToDevice));
    memset(back, 0, sizeof back);
    OK(cudaMemcpy2DAsync(back, 32, p, pitch, 20, 10, cudaMemcpyDeviceToHost, 0));
    CHECK(!memcmp(back[9], host[9], 20) && back[9][20] == 0);
    OK(cudaMemset2D(p, pitch, 0x7f, 3, 10));
    OK(cudaMemcpy2D(back, 32, p, pitch, 20, 10, cudaMemcpyDeviceToHost));
    CHECK(back[5][2] == 0x7f && back[5][3] == host[5][3]);
    GIVES(cudaErrorInvalidPitchValue, cudaMemcpy2D(p, 10, host, 32, 20, 10, cudaMemcpyHostToDevice));
    OK(cudaFree(p));

    cudaExtent extent = make_cudaExtent(16, 4, 3);
    cudaPitchedPtr box;
    OK(cudaMalloc3D(&box, extent));
    OK(cudaMemset3D(box, 1, extent));
    char cube[3][4][16], got[3][4][16];
    for (int i = 0; i < 192; i++) ((char *)cube)[i] = char(i);
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(cube, 16, 16, 4);
    copy.dstPtr = box;
    copy.dstPos = make_cudaPos(0, 0, 1);
    copy.extent = make_cudaExtent(16, 4, 2);
    copy.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&copy));
    cudaMemcpy3DParms out = {};
    out.srcPtr = box;
    out.dstPtr = make_cudaPitchedPtr(got, 16, 16, 4);
    out.extent = extent;
    out.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&out));
    CHECK(got[0][0][0] == 1 && !memcmp(got[1], cube[0], 128));
    OK(cudaFree(box.ptr));
}

static void arrays() {
    float host[6][8], back[6][8];
    for (int i = 0; i < 48; i++) ((float *)host)[i] = float(i);
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>(), found;
    cudaArray_t array;
    OK(cudaMallocArray(&array, &format, 8, 6));
    OK(cudaMemcpy2DToArray(array, 0, 0, host, 32, 32, 6, cudaMemcpyHostToDevice));
    OK(cudaMemcpy2DFromArray(back, 32, array, 0, 0, 32, 6, cudaMemcpyDeviceToHost));
    CHECK(!memcmp(host, back, sizeof host));
    cudaExtent extent;
    unsigned flags;
    OK(cudaArrayGetInfo(&found, &extent, &flags, array));
    CHECK(found.x == 32 && found.f == cudaChannelFormatKindFloat && extent.width == 8 && extent.height == 6);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how = {}, how_found;
    how.addressMode[0] = cudaAddressModeClamp;
    how.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t texture;
    OK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    CHECK(texture != 0);
    OK(cudaGetTextureObjectTextureDesc(&how_found, texture));
    CHECK(how_found.filterMode == cudaFilterModeLinear);
    OK(cudaDestroyTextureObject(texture));
    GIVES(cudaErrorInvalidValue, cudaDestroyTextureObject(texture));
    cudaMemcpy3DParms box = {}; // one element beyond the array
    box.srcPtr = make_cudaPitchedPtr(host, 32, 8, 6);
    box.dstArray = array;
    box.dstPos = make_cudaPos(1, 0, 0);
    box.extent = make_cudaExtent(8, 6, 1);
    box.kind = cudaMemcpyHostToDevice;
    GIVES(cudaErrorInvalidValue, cudaMemcpy3D(&box));
    OK(cudaFreeArray(array));
}

static void pools() {
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    int *p, back[64];
    OK(cudaMallocAsync(&p, 256, stream));
    OK(cudaMemsetAsync(p, 0, 256, stream));
    add_one<<<1, 64, 0, stream>>>(p, 64);
    OK(cudaMemcpyAsync(back, p, 256, cudaMemcpyDeviceToHost, stream));
    OK(cudaFreeAsync(p, stream));
    OK(cudaStreamSynchronize(stream));
    CHECK(back[0] == 1 && back[63] == 1);
    cudaMemPool_t pool;
    unsigned long long threshold = 1 << 20, kept = 0;
    OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept));
    CHECK(kept == threshold);
    cudaMemPoolProps other = {};
    other.allocType = cudaMemAllocationTypePinned;
    other.location = {cudaMemLocationTypeDevice, 5};
    GIVES(cudaErrorInvalidValue, cudaMemPoolCreate(&pool, &other));
    OK(cudaStreamDestroy(stream));
}

int main() {
    linear();
    both_sides();
    symbols();
    pitched();
    arrays();
    pools();
    return finish();
}
