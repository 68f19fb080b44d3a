// What tensor cores compute of drawn operands, a line for each form and kind of operands: a digest of all results. On an H200 these are
// the lines of h200.golden; the simulator must print the same (tests/tensor/README.md).
//
// A warp does one product. Each element is drawn from the seed, the warp, the lane and its place, as the kind says; the digest adds up a
// hash of every result with its place, so that the order of warps does not matter.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum type { F16, BF16, TF32, E4M3, E5M2, F32, F64, BITS }; // BITS: integers of any width
enum { NARROW, MIDDLE, ANY, SUBNORMAL, SPECIAL, HUGE_ONES, CANCEL, KINDS };
static const char *const kinds[KINDS] = {"narrow", "middle", "any", "subnormal", "special", "huge", "cancel"};
// Metadata of a sparse A: of each chunk two different elements, in order, or in any; one of two (tf32).
enum { ORDERED, ANY_ORDER, PAIRS };

struct format {
    int mantissa, exponent, bias;
};
__device__ format format_of(type t) {
    switch (t) {
    case F16: return {10, 5, 15};
    case BF16: return {7, 8, 127};
    case TF32:
    case F32: return {23, 8, 127};
    case E4M3: return {3, 4, 7};
    case E5M2: return {2, 5, 15};
    default: return {52, 11, 1023};
    }
}

__device__ uint64_t mix(uint64_t x) { // SplitMix64 (Steele, Lea, Flood 2014)
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

__device__ uint64_t special(format f, uint64_t r) {
    uint64_t top = (1ull << f.exponent) - 1, one = (uint64_t)f.bias << f.mantissa,
             ones = (1ull << f.mantissa) - 1;
    uint64_t list[8] = {0,
                        top << f.mantissa,
                        top << f.mantissa | 1ull << (f.mantissa - 1),
                        (top - 1) << f.mantissa | ones,
                        1,
                        one,
                        one | 1,
                        1ull << f.mantissa};
    return list[r >> 8 & 7];
}

// An element's bits. `place` is the same for neighbours along k where they are to cancel.
__device__ uint64_t draw(type t, int kind, uint64_t r, bool odd) {
    if (t == BITS) return r;
    format f = format_of(t);
    uint64_t width = 1ull << f.exponent, mantissa = r >> 8 & ((1ull << f.mantissa) - 1), sign = r & 1;
    int spread = kind == NARROW ? 2 : f.bias < 10 ? 5 : 12;
    uint64_t exponent = (uint64_t)(f.bias + (int)(r >> 1 & 63) % (2 * spread) - spread);
    if (kind == ANY) exponent = r >> 1 & (width - 1);
    if (kind == SUBNORMAL) exponent = (r >> 1 & 3) == 0 ? (r >> 3 & 1) : 0;
    if (kind == HUGE_ONES) exponent = width - 2 - (r >> 1 & 1);
    if (kind == SPECIAL && (r >> 1 & 7) == 0) return special(f, r) | sign << (f.mantissa + f.exponent);
    if (kind == CANCEL) sign = odd;
    return mantissa | (exponent & (width - 1)) << f.mantissa | sign << (f.mantissa + f.exponent);
}

// A register of elements, `bits` wide each. Where sums are to cancel, the elements of a pair have one magnitude.
__device__ uint32_t word(type t, int bits, int kind, uint64_t seed, int part, int index) {
    uint32_t out = 0;
    for (int e = 0; e < 32 / bits; e++) {
        bool pair = kind == CANCEL && part < 2;
        uint64_t place = ((uint64_t)part << 32) + (uint64_t)index * 32 + (pair ? e & ~1 : e);
        out |= (uint32_t)draw(t, kind, mix(seed ^ mix(place)), part == 0 && (e & 1)) << bits * e;
    }
    return out;
}

__device__ uint32_t metadata(int codes, uint64_t seed) {
    uint32_t out = 0;
    for (int i = 0; i < 8; i++) {
        uint64_t r = mix(seed + 77 + i);
        out |= (uint32_t)(codes == PAIRS
                              ? "\x4\xe"[r % 2]
                              : "\x4\x8\x9\xc\xd\xe\x1\x2\x6\x3\x7\xb"[r % (codes == ORDERED ? 6 : 12)])
               << 4 * i;
    }
    return out;
}

// What a form is drawn for: the types and widths of the elements, and the codes of a sparse A's metadata.
struct operands {
    type a, b, c;
    int bits, c_bits, codes;
};
// Of a thread: A, B, C, metadata, and 16 f64 in their place; of a warpgroup both matrices too.
struct fragment {
    uint32_t a[4], b[4], c[8], metadata;
    double x[16];
};
enum { TILE = 1024 };
struct tiles {
    uint32_t a[TILE], b[TILE];
};

__global__ void generate(operands o, uint64_t form, int kind, fragment *fragments, tiles *groups) {
    uint64_t base = mix(form * 1000003 + (uint64_t)kind),
             thread = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    uint64_t seed = base ^ mix(thread + 1);
    fragment *f = &fragments[thread];
    for (int i = 0; i < 4; i++) f->a[i] = word(o.a, o.bits, kind, seed, 0, i);
    for (int i = 0; i < 4; i++) f->b[i] = word(o.b, o.bits, kind, seed, 1, i);
    for (int i = 0; i < 8; i++) f->c[i] = word(o.c, o.c_bits, kind, seed, 2, i);
    f->metadata = metadata(o.codes, seed);
    for (int i = 0; i < 16; i++)
        f->x[i] = __longlong_as_double((long long)draw(F64, kind, mix(seed + i), threadIdx.x & 1));
    for (int i = threadIdx.x; i < TILE; i += 128) {
        groups[blockIdx.x].a[i] = word(o.a, o.bits, kind, base ^ blockIdx.x, 0, i);
        groups[blockIdx.x].b[i] = word(o.b, o.bits, kind, base ^ blockIdx.x, 1, i);
    }
}

__global__ void digest_of(const uint64_t *results, int count, unsigned long long *digest) {
    uint64_t thread = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (int i = 0; i < count; i++) sum += mix(results[thread * 8 + i] ^ mix(thread * 64 + i));
    atomicAdd(digest, (unsigned long long)sum);
}

// ---- the forms ------------------------------------------------------------------------------------------------------------

// Operands by number: d 0 to 7, then a 8 to 11, b 12 to 15, c 16 to 23, metadata 24; of f64 d 0 to 3, a 4 to 11, b 12 to 15, c 16 to 19;
// of a warpgroup d 0 to 7, descriptors 8 and 9, metadata 11, a 12 to 15.
#define A1 "{%8}"
#define A2 "{%8,%9}"
#define A4 "{%8,%9,%10,%11}"
#define B1 "{%12}"
#define B2 "{%12,%13}"
#define B4 "{%12,%13,%14,%15}"
#define C2 "{%16,%17}"
#define C4 "{%16,%17,%18,%19}"
#define C8 "{%16,%17,%18,%19,%20,%21,%22,%23}"
#define D2 "{%0,%1}"
#define D4 "{%0,%1,%2,%3}"
#define D8 "{%0,%1,%2,%3,%4,%5,%6,%7}"

#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)
#define FORM(name, text, ...)                                                                                \
    __global__ void name(const fragment *fragments, const tiles *, uint64_t *results) {                      \
        const fragment f = fragments[THREAD];                                                                \
        uint32_t d[8] = {};                                                                                  \
        asm volatile("mma." text ";"                                                                         \
                     : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]), "=r"(d[4]), "=r"(d[5]), "=r"(d[6]),   \
                       "=r"(d[7])                                                                            \
                     : "r"(f.a[0]), "r"(f.a[1]), "r"(f.a[2]), "r"(f.a[3]), "r"(f.b[0]), "r"(f.b[1]),         \
                       "r"(f.b[2]), "r"(f.b[3]), "r"(f.c[0]), "r"(f.c[1]), "r"(f.c[2]), "r"(f.c[3]),         \
                       "r"(f.c[4]), "r"(f.c[5]), "r"(f.c[6]), "r"(f.c[7]), "r"(f.metadata));                 \
        for (int i = 0; i < 8; i++) results[THREAD * 8 + i] = d[i];                                          \
    }
#define FORM64(name, text, ...)                                                                              \
    __global__ void name(const fragment *fragments, const tiles *, uint64_t *results) {                      \
        const double *x = fragments[THREAD].x;                                                               \
        double d[4] = {};                                                                                    \
        asm volatile("mma.sync.aligned." text ";"                                                            \
                     : "=d"(d[0]), "=d"(d[1]), "=d"(d[2]), "=d"(d[3])                                        \
                     : "d"(x[0]), "d"(x[1]), "d"(x[2]), "d"(x[3]), "d"(x[4]), "d"(x[5]), "d"(x[6]),          \
                       "d"(x[7]), "d"(x[8]), "d"(x[9]), "d"(x[10]), "d"(x[11]), "d"(x[12]), "d"(x[13]),      \
                       "d"(x[14]), "d"(x[15]));                                                              \
        for (int i = 0; i < 4; i++) results[THREAD * 8 + i] = (uint64_t)__double_as_longlong(d[i]);          \
    }

// A warpgroup's product of m64n16: both matrices in shared memory as core matrices one behind the other, or A in registers.
__device__ uint64_t describe(const void *at, int pieces) {
    return ((uint64_t)__cvta_generic_to_shared(at) & 0x3ffff) >> 4 | 8ull << 16 |
           (uint64_t)(8 * pieces) << 32;
}
#define GROUP(name, text, tail, a_pieces, b_pieces, ...)                                                     \
    __global__ void name(const fragment *fragments, const tiles *groups, uint64_t *results) {                \
        __shared__ __align__(1024) tiles t;                                                                  \
        const fragment f = fragments[THREAD];                                                                \
        for (int i = threadIdx.x; i < TILE; i += 128) {                                                      \
            t.a[i] = groups[blockIdx.x].a[i];                                                                \
            t.b[i] = groups[blockIdx.x].b[i];                                                                \
        }                                                                                                    \
        uint32_t d[8];                                                                                       \
        for (int i = 0; i < 8; i++) d[i] = f.c[i];                                                           \
        uint64_t a = describe(t.a, a_pieces), b = describe(t.b, b_pieces);                                   \
        int adds = blockIdx.x % 8 != 0;                                                                      \
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");                                         \
        __syncthreads();                                                                                     \
        asm volatile(                                                                                        \
            "{.reg .pred p; setp.ne.b32 p, %10, 0; wgmma.fence.sync.aligned;\n"                              \
            "wgmma.mma_async." text ", p" tail ";\n"                                                         \
            "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;}"                             \
            : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7]) \
            : "l"(a), "l"(b), "r"(adds), "r"(f.metadata), "r"(f.a[0]), "r"(f.a[1]), "r"(f.a[2]), "r"(f.a[3]) \
            : "memory");                                                                                     \
        for (int i = 0; i < 8; i++) results[THREAD * 8 + i] = d[i];                                          \
    }
#include "forms.def"
#undef FORM
#undef FORM64
#undef GROUP

struct form {
    const char *name;
    void (*kernel)(const fragment *, const tiles *, uint64_t *);
    operands from;
    int registers, threads;
};
static const form forms[] = {
#define FORM(name, text, a, bits, b, c, c_bits, registers, codes)                                            \
    {#name, name, {a, b, c, bits, c_bits, codes}, registers, 32},
#define FORM64(name, text, registers) {#name, name, {BITS, BITS, BITS, 32, 32, ORDERED}, registers, 32},
#define GROUP(name, text, tail, a_pieces, b_pieces, a, bits, b, c, c_bits, registers, codes)                 \
    {#name, name, {a, b, c, bits, c_bits, codes}, registers, 128},
#include "forms.def"
};

// sums WARPS [FORM]: so many products of each form and kind; of all forms, or of those whose names begin so.
int main(int count, char **words) {
    size_t warps = count > 1 ? strtoul(words[1], NULL, 10) : 64;
    const char *asked = count > 2 ? words[2] : "";
    fragment *fragments;
    tiles *groups;
    uint64_t *results;
    unsigned long long *digest, got;
    cudaMalloc(&fragments, warps * 32 * sizeof *fragments);
    cudaMalloc(&groups, warps * sizeof *groups);
    cudaMalloc(&results, warps * 32 * 8 * sizeof *results);
    cudaMalloc(&digest, sizeof *digest);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const form *f = &forms[i];
        if (strncmp(f->name, asked, strlen(asked))) continue;
        for (int kind = 0; kind < KINDS; kind++) {
            int blocks = (int)(warps * 32 / f->threads);
            cudaMemset(digest, 0, sizeof *digest);
            generate<<<blocks, f->threads>>>(f->from, i, kind, fragments, groups);
            f->kernel<<<blocks, f->threads>>>(fragments, groups, results);
            digest_of<<<blocks, f->threads>>>(results, f->registers, digest);
            cudaError_t error = cudaMemcpy(&got, digest, sizeof got, cudaMemcpyDeviceToHost);
            if (error) return printf("%s: %s\n", f->name, cudaGetErrorString(error)), 1;
            printf("%s %s %016llx\n", f->name, kinds[kind], got);
        }
    }
    return 0;
}
