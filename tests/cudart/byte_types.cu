// kz/device/byte_types.cuh: floats to numbers of 8 bits, by instructions and without them, beside a search for the nearest code.
//
// Every upper half of a float with lower halves at and beside the middle: all ties, all neighbours of ties, zeros, denormal numbers,
// infinities and NaN.
// flags: --nvcc-flag -arch=sm_90
#include "check.h"

#include <cmath>
#include <vector>

#include "kz/device/byte_types.cuh"

enum { LOW = 6, COUNT = LOW << 16, KINDS = 5 };
static const uint16_t low_halves[LOW] = {0, 1, 0x7fff, 0x8000, 0x8001, 0xffff};

__global__ void convert(const float *from, uint8_t *to) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    float x = from[i];
    kz_e4m3 e4m3;
    kz_e5m2 e5m2;
    int8_t integer;
    kz_narrow(&e4m3, x), kz_narrow(&e5m2, x), kz_narrow(&integer, x);
    to[i] = e4m3.bits, to[COUNT + i] = e5m2.bits, to[2 * COUNT + i] = (uint8_t)integer;
    to[3 * COUNT + i] = kz_round_to_e4m3(x), to[4 * COUNT + i] = kz_round_to_e5m2(x);
}

// The first of four is in the lowest byte.
__global__ void pack(const float *from, uint32_t *to) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const float *x = from + 4 * i;
    to[i] = kz_pack_four(kz_e4m3(), x[0], x[1], x[2], x[3]);
    to[COUNT / 4 + i] = kz_pack_four(kz_e5m2(), x[0], x[1], x[2], x[3]);
    to[2 * (COUNT / 4) + i] = kz_pack_four(int8_t(), x[0], x[1], x[2], x[3]);
}

// A code's value: of magnitudes up to `largest`, which all are numbers.
static double value_of(int code, int mantissa, int least) {
    int exponent = code >> mantissa, rest = code & ((1 << mantissa) - 1);
    return exponent ? ldexp((1 << mantissa) + rest, exponent - 1 + least - mantissa)
                    : ldexp(rest, least - mantissa);
}
static uint8_t nearest(float x, int mantissa, int least, int largest) {
    uint8_t sign = std::signbit(x) ? 0x80 : 0;
    if (std::isnan(x)) return 0x7f;
    int low = 0, high = largest + 1; // the last code that is not above |x|
    while (high - low > 1) {
        int middle = (low + high) / 2;
        (value_of(middle, mantissa, least) <= fabs((double)x) ? low : high) = middle;
    }
    if (low == largest) return (uint8_t)(sign | low);
    double below = fabs((double)x) - value_of(low, mantissa, least),
           above = value_of(low + 1, mantissa, least) - fabs((double)x);
    return (uint8_t)(sign | (below < above || (below == above && low % 2 == 0) ? low : low + 1));
}
static uint8_t nearest_integer(float x) {
    if (std::isnan(x)) return 0;
    double whole = x >= 127 ? 127 : x <= -128 ? -128 : floor((double)x), rest = (double)x - whole;
    if (fabs((double)x) < 128 && (rest > 0.5 || (rest == 0.5 && fmod(whole, 2) != 0)) && whole < 127) whole++;
    return (uint8_t)(int8_t)whole;
}

int main() {
    std::vector<float> x(COUNT);
    for (int i = 0; i < COUNT; i++) {
        uint32_t bits = (uint32_t)(i / LOW) << 16 | low_halves[i % LOW];
        memcpy(&x[i], &bits, sizeof bits);
    }
    float *from;
    uint8_t *to;
    OK(cudaMalloc(&from, COUNT * sizeof *from));
    OK(cudaMalloc(&to, KINDS * COUNT));
    OK(cudaMemcpy(from, x.data(), COUNT * sizeof *from, cudaMemcpyHostToDevice));
    std::vector<uint8_t> codes(KINDS * COUNT), packed(3 * COUNT);
    convert<<<COUNT / 256, 256>>>(from, to);
    OK(cudaMemcpy(codes.data(), to, codes.size(), cudaMemcpyDeviceToHost));
    pack<<<COUNT / 4 / 256, 256>>>(from, (uint32_t *)to);
    OK(cudaMemcpy(packed.data(), to, packed.size(), cudaMemcpyDeviceToHost));
    int wrong[KINDS] = {0}, unpacked = 0;
    for (int i = 0; i < COUNT; i++) {
        const uint8_t right[] = {nearest(x[i], 3, -6, 0x7e), nearest(x[i], 2, -14, 0x7b),
                                 nearest_integer(x[i])};
        for (int kind = 0; kind < KINDS; kind++) {
            wrong[kind] += codes[kind * COUNT + i] != right[kind % 3];
            if (kind < 3) unpacked += packed[kind * COUNT + i] != codes[kind * COUNT + i];
        }
    }
    for (int kind = 0; kind < KINDS; kind++) CHECK(wrong[kind] == 0);
    CHECK(unpacked == 0);
    CHECK(nearest(1.0625f, 3, -6, 0x7e) == 0x38 && nearest(-500.0f, 3, -6, 0x7e) == 0xfe);
    CHECK(nearest_integer(2.5f) == 2 && nearest_integer(-0.5f) == 0 && nearest_integer(-1.5f) == 0xfe);
    OK(cudaFree(from));
    OK(cudaFree(to));
    return finish();
}
