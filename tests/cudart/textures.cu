// Textures and surfaces end to end: linear memory, pitched memory, arrays of 1 to 3 dimensions and layered ones;
// filters, edges, normalised coordinates and values; arrays that a kernel alone has filled.
#include <cmath>

#include "check.h"

__global__ void fetch(cudaTextureObject_t t, float *out) {
    out[0] = tex1Dfetch<float>(t, 3);
    out[1] = tex1Dfetch<float>(t, 100);
}
__global__ void sample_2d(cudaTextureObject_t t, float width, float height, float *out) {
    static const float at[][2] = {{1.5f, 2.5f},    {2, 2.5f},    {-5.5f, 0.5f},
                                  {100.5f, 99.5f}, {9.5f, 2.5f}, {-1.5f, 2.5f}};
    for (int i = 0; i < 6; i++) out[i] = tex2D<float>(t, at[i][0] / width, at[i][1] / height);
}
__global__ void gather(cudaTextureObject_t t, float4 *out) { *out = tex2Dgather<float4>(t, 2, 2, 0); }
__global__ void sample_3d(cudaTextureObject_t t, float *out) {
    out[0] = tex3D<float>(t, 1.5f, 0.5f, 2.5f);
    out[1] = tex3D<float>(t, 1.5f, 1, 2);
}
__global__ void sample_layer(cudaTextureObject_t t, float *out) {
    out[0] = tex2DLayered<float>(t, 1.5f, 0.5f, 2);
    out[1] = tex2DLayered<float>(t, 0.5f, 1.5f, 0);
}
__global__ void sample_colour(cudaTextureObject_t t, float4 *out) {
    bool is_resident = false;
    *out = tex2D<float4>(t, 0.5f, 0.5f, &is_resident);
    if (!is_resident) out->x = -1; // of textures that are not sparse all is
}
__global__ void sample_line(cudaTextureObject_t t, int *out) {
    out[threadIdx.x] = tex1D<int>(t, threadIdx.x + 0.5f);
}
__global__ void change(cudaSurfaceObject_t s) {
    float value;
    surf2Dread(&value, s, threadIdx.x * 4, threadIdx.y);
    surf2Dwrite(value * 2 + 1, s, threadIdx.x * 4, threadIdx.y);
}
__global__ void fill(cudaSurfaceObject_t s) {
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    surf3Dwrite(make_int2(x + 10 * y + 100 * z, -x), s, x * 8, y, z);
}

static float *out;
static bool near(float is, double expected) { return fabs(is - expected) < 0.01; }
static void wait() { OK(cudaDeviceSynchronize()); }
static cudaResourceDesc resource(cudaArray_t array) {
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    return r;
}
static cudaTextureObject_t texture(const cudaResourceDesc &r, cudaTextureFilterMode filter,
                                   cudaTextureAddressMode edge, bool normalised = false,
                                   cudaTextureReadMode read = cudaReadModeElementType) {
    cudaTextureDesc d = {};
    cudaTextureObject_t t = 0;
    d.filterMode = filter;
    d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = edge;
    d.normalizedCoords = normalised;
    d.readMode = read;
    OK(cudaCreateTextureObject(&t, &r, &d, nullptr));
    return t;
}

static void memory() {
    float squares[16], *data;
    size_t pitch;
    cudaResourceDesc r = {};
    for (int i = 0; i < 16; i++) squares[i] = i * i;
    OK(cudaMalloc(&data, sizeof squares));
    OK(cudaMemcpy(data, squares, sizeof squares, cudaMemcpyDefault));
    r.resType = cudaResourceTypeLinear;
    r.res.linear = {data, cudaCreateChannelDesc<float>(), sizeof squares};
    fetch<<<1, 1>>>(texture(r, cudaFilterModePoint, cudaAddressModeClamp), out);
    wait();
    CHECK(out[0] == 9 && out[1] == 0);
    cudaTextureObject_t none;
    cudaTextureDesc how = {};
    r.res.linear.devPtr = data + 1;
    GIVES(cudaErrorInvalidValue, cudaCreateTextureObject(&none, &r, &how, nullptr));
    r.res.linear.devPtr = data;
    r.res.linear.desc.x = 24;
    GIVES(cudaErrorInvalidChannelDescriptor, cudaCreateTextureObject(&none, &r, &how, nullptr));
    r.res.linear.desc.x = 32;
    how.readMode = cudaReadModeNormalizedFloat;
    GIVES(cudaErrorInvalidNormSetting, cudaCreateTextureObject(&none, &r, &how, nullptr));
    OK(cudaMallocPitch(&data, &pitch, 16, 4));
    OK(cudaMemcpy2D(data, pitch, squares, 16, 16, 4, cudaMemcpyDefault));
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D = {data, cudaCreateChannelDesc<float>(), 4, 4, pitch};
    sample_2d<<<1, 1>>>(texture(r, cudaFilterModeLinear, cudaAddressModeClamp), 1, 1, out);
    wait();
    CHECK(out[0] == 81 && out[1] == 90.5f);
}

static void plane() {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    cudaSurfaceObject_t surface;
    float host[4][8];
    for (int i = 0; i < 32; i++) host[i / 8][i % 8] = 10 * (i / 8) + i % 8;
    OK(cudaMallocArray(&array, &format, 8, 4, cudaArraySurfaceLoadStore | cudaArrayTextureGather));
    OK(cudaMemcpy2DToArray(array, 0, 0, host, 32, 32, 4, cudaMemcpyHostToDevice));
    const cudaResourceDesc r = resource(array);
    const struct {
        cudaTextureFilterMode filter;
        cudaTextureAddressMode edge;
        bool normalised;
        float expected[6];
    } ways[] = {
        {cudaFilterModeLinear, cudaAddressModeClamp, false, {21, 21.5f, 0, 37, 27, 20}},
        {cudaFilterModePoint, cudaAddressModeBorder, false, {21, 22, 0, 0, 0, 0}},
        {cudaFilterModePoint, cudaAddressModeWrap, true, {21, 22, 2, 34, 21, 26}},
        {cudaFilterModePoint, cudaAddressModeMirror, true, {21, 22, 5, 34, 26, 21}},
    };
    for (const auto &way : ways) {
        sample_2d<<<1, 1>>>(texture(r, way.filter, way.edge, way.normalised), way.normalised ? 8 : 1,
                            way.normalised ? 4 : 1, out);
        wait();
        for (int i = 0; i < 6; i++) {
            CHECK(near(out[i], way.expected[i]));
            if (!near(out[i], way.expected[i])) printf("  %d: %g, not %g\n", i, out[i], way.expected[i]);
        }
    }
    gather<<<1, 1>>>(texture(r, cudaFilterModePoint, cudaAddressModeClamp), (float4 *)out);
    wait();
    CHECK(out[0] == 21 && out[1] == 22 && out[2] == 12 && out[3] == 11);
    OK(cudaCreateSurfaceObject(&surface, &r));
    change<<<1, dim3(8, 4)>>>(surface);
    OK(cudaMemcpy2DFromArray(host, 32, array, 0, 0, 32, 4, cudaMemcpyDeviceToHost));
    CHECK(host[3][7] == 75 && host[1][1] == 23);
}

static void box() {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    float numbers[60];
    for (int i = 0; i < 60; i++) numbers[i] = i;
    for (unsigned flags : {0u, (unsigned)cudaArrayLayered}) {
        cudaMemcpy3DParms copy = {};
        copy.extent = make_cudaExtent(4, 3, 5);
        OK(cudaMalloc3DArray(&copy.dstArray, &format, copy.extent, flags));
        copy.srcPtr = make_cudaPitchedPtr(numbers, 16, 4, 3);
        copy.kind = cudaMemcpyHostToDevice;
        OK(cudaMemcpy3D(&copy));
        cudaResourceDesc r = resource(copy.dstArray);
        if (flags)
            sample_layer<<<1, 1>>>(texture(r, cudaFilterModePoint, cudaAddressModeClamp), out);
        else
            sample_3d<<<1, 1>>>(texture(r, cudaFilterModeLinear, cudaAddressModeClamp), out);
        wait();
        CHECK(out[0] == 25 && out[1] == (flags ? 4 : 21));
    }
}

// The host never wrote to this array: what it reads is what the kernel stored.
static void written() {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int2>();
    cudaMemcpy3DParms copy = {};
    cudaSurfaceObject_t surface;
    int2 host[24];
    copy.extent = make_cudaExtent(4, 3, 2);
    OK(cudaMalloc3DArray(&copy.srcArray, &format, copy.extent, cudaArraySurfaceLoadStore));
    const cudaResourceDesc r = resource(copy.srcArray);
    OK(cudaCreateSurfaceObject(&surface, &r));
    fill<<<1, dim3(4, 3, 2)>>>(surface);
    copy.dstPtr = make_cudaPitchedPtr(host, 32, 4, 3);
    copy.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&copy));
    CHECK(host[23].x == 123 && host[23].y == -3);
}

static void others() {
    cudaChannelFormatDesc bytes = cudaCreateChannelDesc<uchar4>(), words = cudaCreateChannelDesc<int>();
    cudaArray_t colours, line;
    const uchar4 texels[4] = {{255, 0, 128, 64}};
    int numbers[16];
    for (int i = 0; i < 16; i++) numbers[i] = -i;
    OK(cudaMallocArray(&colours, &bytes, 2, 2));
    OK(cudaMemcpy2DToArray(colours, 0, 0, texels, 8, 8, 2, cudaMemcpyHostToDevice));
    sample_colour<<<1, 1>>>(texture(resource(colours), cudaFilterModePoint, cudaAddressModeClamp, false,
                                    cudaReadModeNormalizedFloat),
                            (float4 *)out);
    wait();
    CHECK(out[0] == 1 && out[1] == 0 && near(out[2], 128 / 255.0) && near(out[3], 64 / 255.0));
    OK(cudaMallocArray(&line, &words, 16));
    OK(cudaMemcpy2DToArray(line, 0, 0, numbers, 64, 64, 1, cudaMemcpyDefault));
    sample_line<<<1, 16>>>(texture(resource(line), cudaFilterModePoint, cudaAddressModeClamp), (int *)out);
    wait();
    CHECK(((int *)out)[7] == -7);
}

int main() {
    OK(cudaMallocManaged(&out, 256));
    memory();
    plane();
    box();
    written();
    others();
    return finish();
}
