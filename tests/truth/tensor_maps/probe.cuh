// What the probes of tensor maps share on the host: the encoder's arguments, launches that copy one box, and lines that say
// what came of it. A probe that breaks the context ends its process; so each section runs in processes of its own, one after the other.
#ifndef PROBE_CUH
#define PROBE_CUH

#include "boxes.cuh"

#include <cuda.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <functional>
#include <string>
#include <vector>

#define TRY(call)                                                                                            \
    do {                                                                                                     \
        cudaError_t e_ = (call);                                                                             \
        if (e_ != cudaSuccess) printf("FAILED line %d: %s\n", __LINE__, cudaGetErrorName(e_));               \
    } while (0)

// ---- arguments of the encoder ------------------------------------------------------------------------

struct Args {
    bool im2col = false;
    int type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    unsigned rank = 2;
    uint64_t address = 0x7f0000000000ull;
    uint64_t dim[5] = {256, 128, 1, 1, 1};
    uint64_t stride[5] = {512, 0, 0, 0, 0};
    unsigned box[5] = {64, 32, 1, 1, 1};
    unsigned es[5] = {1, 1, 1, 1, 1};
    int lower[3] = {0, 0, 0}, upper[3] = {0, 0, 0};
    unsigned channels = 8, pixels = 16;
    int interleave = 0, swizzle = 0, l2 = 0, fill = 0;
    unsigned shift = 0; // of the map's own address
};

static CUresult encode(const Args &a, CUtensorMap *map) {
    if (a.im2col)
        return cuTensorMapEncodeIm2col(map, (CUtensorMapDataType)a.type, a.rank, (void *)a.address,
                                       (const cuuint64_t *)a.dim, (const cuuint64_t *)a.stride, a.lower,
                                       a.upper, a.channels, a.pixels, a.es,
                                       (CUtensorMapInterleave)a.interleave, (CUtensorMapSwizzle)a.swizzle,
                                       (CUtensorMapL2promotion)a.l2, (CUtensorMapFloatOOBfill)a.fill);
    return cuTensorMapEncodeTiled(map, (CUtensorMapDataType)a.type, a.rank, (void *)a.address,
                                  (const cuuint64_t *)a.dim, (const cuuint64_t *)a.stride, a.box, a.es,
                                  (CUtensorMapInterleave)a.interleave, (CUtensorMapSwizzle)a.swizzle,
                                  (CUtensorMapL2promotion)a.l2, (CUtensorMapFloatOOBfill)a.fill);
}

static const unsigned sizes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};

static void print_map(const char *name, const void *map) {
    uint32_t w[32];
    memcpy(w, map, 128);
    printf("map %s:", name);
    int last = 31;
    while (last >= 0 && !w[last]) last--;
    for (int i = 0; i <= last; i++) printf(" %08x", w[i]);
    printf("\n");
}

// ---- host side of the probes ---------------------------------------------------------------------------

enum { SOURCE_BYTES = 16 << 20, DUMP = 96 << 10 };
static unsigned char *source, *out;
static int *done;
static std::vector<unsigned char> dumped(8 * DUMP);

static void fill_source(unsigned unit) { // element i holds i + 1
    std::vector<unsigned char> v(SOURCE_BYTES);
    for (size_t i = 0; i < SOURCE_BYTES / unit; i++) {
        uint64_t value = i + 1;
        memcpy(&v[i * unit], &value, unit);
    }
    TRY(cudaMemcpy(source, v.data(), v.size(), cudaMemcpyHostToDevice));
}

static void open_all(std::initializer_list<const void *> more_kernels) {
    std::vector<const void *> kernels = {(const void *)load_param, (const void *)load_pointer,
                                         (const void *)store_param, (const void *)multicast,
                                         (const void *)remote_load};
    kernels.insert(kernels.end(), more_kernels);
    TRY(cudaMalloc(&source, SOURCE_BYTES));
    TRY(cudaMalloc(&out, 8 * DUMP));
    TRY(cudaMalloc(&done, 64));
    for (auto k : kernels)
        TRY(cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, DUMP + 1024));
}

// A probe that breaks the context ends its process; the section goes on after it in a new one.
static int probe, skip;
static bool skipped() { return probe++ < skip; }
static void broken() {
    printf("RESTART %d\n", probe);
    fflush(stdout);
    _exit(0);
}

static uint64_t hash(const unsigned char *p, size_t n) {
    uint64_t h = 1469598103934665603ull;
    for (size_t i = 0; i < n; i++) h = (h ^ p[i]) * 1099511628211ull;
    return h;
}

// Runs of elements: source index "a..b"; "0*n" zeros; ".*n" untouched bytes.
static void print_elements(const unsigned char *p, unsigned bytes, unsigned unit) {
    uint64_t untouched = 0xa5a5a5a5a5a5a5a5ull;
    untouched &= unit == 8 ? ~0ull : (1ull << unit * 8) - 1;
    unsigned n = bytes / unit;
    auto at = [&](unsigned i) {
        uint64_t v = 0;
        memcpy(&v, p + i * unit, unit);
        return v;
    };
    for (unsigned i = 0; i < n;) {
        uint64_t v = at(i);
        unsigned k = 1;
        if (v == 0 || v == untouched) {
            while (i + k < n && at(i + k) == v) k++;
            if (v == untouched && i + k == n) break;
            printf(" %s*%u", v ? "." : "0", k);
        } else {
            while (i + k < n && at(i + k) == v + k) k++;
            if (k == 1)
                printf(" %llu", (unsigned long long)v - 1);
            else
                printf(" %llu..%llu", (unsigned long long)v - 1, (unsigned long long)v + k - 2);
        }
        i += k;
    }
    printf("\n");
}

static void print_hex(const unsigned char *p, unsigned bytes, unsigned unit) {
    for (unsigned i = 0; i < bytes / unit; i++) {
        printf(" ");
        for (int j = (int)unit - 1; j >= 0; j--) printf("%02x", p[i * unit + j]);
    }
    printf("\n");
}

static unsigned box_bytes(const Args &a) {
    if (a.im2col) return a.channels * a.pixels * sizes[a.type];
    unsigned n = sizes[a.type];
    for (unsigned i = 0; i < a.rank; i++)
        n *= (i == 0 && !a.interleave) ? a.box[i] : (a.box[i] + a.es[i] - 1) / a.es[i];
    return n;
}

// Loads one box; false where the encoder or the kernel fails.
static bool load(const char *name, const Args &a, const Where &at, unsigned offset, unsigned expect,
                 unsigned dump) {
    if (skipped()) return false;
    alignas(128) CUtensorMap map;
    int finished = -1;
    CUresult r = encode(a, &map);
    if (r != CUDA_SUCCESS) {
        printf("load %s: encode %d\n", name, r);
        return false;
    }
    load_param<<<1, 128, DUMP + 1024>>>(map, a.rank, a.im2col, at, offset, expect, dump, out, done);
    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess) {
        printf("load %s: %s\n", name, cudaGetErrorName(e));
        broken();
    }
    TRY(cudaMemcpy(dumped.data(), out, dump, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(&finished, done, 4, cudaMemcpyDeviceToHost));
    printf("load %s: %s", name, finished ? "complete" : "INCOMPLETE");
    return true;
}

static void load_list(const char *name, const Args &a, const Where &at, unsigned unit, unsigned offset = 0,
                      unsigned extra = 256) {
    unsigned bytes = box_bytes(a), dump = offset + bytes + extra;
    if (!load(name, a, at, offset, bytes, dump)) return;
    printf(" hash %016llx:", (unsigned long long)hash(dumped.data(), dump));
    print_elements(dumped.data(), dump, unit);
}

static Args real(int type, unsigned rank, std::initializer_list<uint64_t> dim,
                 std::initializer_list<uint64_t> stride, std::initializer_list<unsigned> box) {
    Args a;
    a.type = type;
    a.rank = rank;
    a.address = (uint64_t)source;
    unsigned i = 0;
    for (auto v : dim) a.dim[i++] = v;
    i = 0;
    for (auto v : stride) a.stride[i++] = v;
    i = 0;
    for (auto v : box) a.box[i++] = v;
    return a;
}

static Where where(std::initializer_list<int> c, std::initializer_list<int> o = {}) {
    Where w;
    unsigned i = 0;
    for (auto v : c) w.c[i++] = v;
    i = 0;
    for (auto v : o) w.o[i++] = (unsigned short)v;
    return w;
}

enum { U8, U16, U32, S32, U64, S64, F16, F32, F64, BF16, F32_FTZ, TF32, TF32_FTZ };

static Args image(unsigned rank, std::initializer_list<uint64_t> dim, unsigned channels, unsigned pixels,
                  std::initializer_list<int> lower, std::initializer_list<int> upper) {
    Args a = real(U32, rank, dim, {}, {});
    uint64_t step = a.dim[0] * 4;
    for (unsigned i = 1; i < rank; i++) a.stride[i - 1] = step, step *= a.dim[i];
    a.im2col = true;
    a.channels = channels;
    a.pixels = pixels;
    unsigned i = 0;
    for (auto v : lower) a.lower[i++] = v;
    i = 0;
    for (auto v : upper) a.upper[i++] = v;
    return a;
}

// One number per pixel: source words / channels of the tensor; "-": filled; ".": untouched
static void load_pixels(const char *name, const Args &a, const Where &at) {
    unsigned bytes = box_bytes(a);
    if (!load(name, a, at, 0, bytes, bytes + 256)) return;
    printf(" hash %016llx:", (unsigned long long)hash(dumped.data(), bytes + 256));
    for (unsigned p = 0; p < a.pixels; p++) {
        uint32_t w, last;
        memcpy(&w, &dumped[p * a.channels * 4], 4);
        memcpy(&last, &dumped[(p + 1) * a.channels * 4 - 4], 4);
        if (w == 0xa5a5a5a5)
            printf(" .");
        else if (!w)
            printf(last ? " -+%u" : " -", last);
        else {
            uint32_t c = (uint32_t)a.dim[0];
            printf(" %u", (w - 1) / c);
            if ((w - 1) % c) printf("+%u", (w - 1) % c);
            if (last != w + a.channels - 1) printf("!%u", last);
        }
    }
    printf("\n");
}

// ---- stores, reductions --------------------------------------------------------------------------------

static const char *const operations[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};

static void store(const char *name, const Args &a, int op, const Where &at, unsigned unit,
                  unsigned show_bytes, unsigned offset = 0) {
    if (skipped()) return;
    unsigned bytes = box_bytes(a);
    alignas(128) CUtensorMap map;
    CUresult r = encode(a, &map);
    if (r != CUDA_SUCCESS) {
        printf("store %s: encode %d\n", name, (int)r);
        return;
    }
    std::vector<unsigned char> v(DUMP);
    for (size_t i = 0; i < v.size() / unit; i++) {
        uint64_t value = i + 1;
        memcpy(&v[i * unit], &value, unit);
    }
    TRY(cudaMemset(source, 0xa5, SOURCE_BYTES));
    TRY(cudaMemcpy(out, v.data(), v.size(), cudaMemcpyHostToDevice));
    store_param<<<1, 128, DUMP + 1024>>>(map, a.rank, a.im2col, op, at, offset, bytes + 2048, out);
    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess) {
        printf("store %s: %s\n", name, cudaGetErrorName(e));
        broken();
    }
    TRY(cudaMemcpy(dumped.data(), source, show_bytes, cudaMemcpyDeviceToHost));
    printf("store %s: hash %016llx:", name, (unsigned long long)hash(dumped.data(), show_bytes));
    print_elements(dumped.data(), show_bytes, unit);
}

// A reduction of `bytes` bytes, which it prints.
static void reduce_values(int type, int op, const void *before, const void *values, unsigned bytes) {
    unsigned size = sizes[type];
    TRY(cudaMemcpy(source, before, bytes, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy(out, values, bytes, cudaMemcpyHostToDevice));
    Args a = real(type, 1, {bytes / size}, {}, {bytes / size});
    alignas(128) CUtensorMap map;
    CUresult r = encode(a, &map);
    store_param<<<1, 32, DUMP + 1024>>>(map, 1, 0, op, where({0}), 0, bytes, out);
    cudaError_t e = cudaDeviceSynchronize();
    printf("reduce %s type %d (encode %d): %s", operations[op], type, (int)r, cudaGetErrorName(e));
    if (e == cudaSuccess) {
        TRY(cudaMemcpy(dumped.data(), source, bytes, cudaMemcpyDeviceToHost));
        print_hex(dumped.data(), bytes, size);
    } else {
        printf("\n");
        broken();
    }
}

// ---- clusters ------------------------------------------------------------------------------------------

static void launch_cluster(const void *kernel, unsigned size, void **args) {
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute[1];
    attribute[0].id = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim.x = size;
    attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
    config.gridDim = dim3(size);
    config.blockDim = dim3(128);
    config.dynamicSmemBytes = DUMP + 1024;
    config.attrs = attribute;
    config.numAttrs = 1;
    TRY(cudaLaunchKernelExC(&config, kernel, args));
    TRY(cudaDeviceSynchronize());
}

// Boxes at this column, to blocks of a cluster.
static void multicast_from(int column) {
    fill_source(4);
    Args a = real(U32, 2, {40, 12}, {192}, {16, 4});
    alignas(128) CUtensorMap map;
    encode(a, &map);
    struct {
        unsigned size;
        unsigned short mask;
        int issuer;
    } cases[] = {{2, 3, 0}, {2, 2, 0}, {2, 1, 1}, {4, 0xd, 2}, {8, 0xff, 7}, {4, 0xf, 0}};
    for (auto &c : cases) {
        unsigned dump = 512, expect = 256;
        Where at = where({column, 2});
        void *args[] = {&map, &c.mask, &c.issuer, &at, &expect, &dump, &out, &done};
        int finished[8] = {};
        TRY(cudaMemset(out, 0x77, 8 * dump));
        launch_cluster((const void *)multicast, c.size, args);
        TRY(cudaMemcpy(dumped.data(), out, c.size * dump, cudaMemcpyDeviceToHost));
        TRY(cudaMemcpy(finished, done, 32, cudaMemcpyDeviceToHost));
        printf("multicast of %u to 0x%x by %d:", c.size, c.mask, c.issuer);
        for (unsigned i = 0; i < c.size; i++)
            printf(" %d/%016llx", finished[i], (unsigned long long)hash(&dumped[i * dump], dump));
        printf("\n");
    }
    unsigned dump = 512, expect = 256;
    Where at = where({8, 2});
    void *args[] = {&map, &at, &expect, &dump, &out, &done};
    int finished[8] = {};
    launch_cluster((const void *)remote_load, 2, args);
    TRY(cudaMemcpy(dumped.data(), out, 2 * dump, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(finished, done, 32, cudaMemcpyDeviceToHost));
    printf("remote load: %d/%016llx %d/%016llx\n", finished[0], (unsigned long long)hash(&dumped[0], dump),
           finished[1], (unsigned long long)hash(&dumped[dump], dump));
}

// ---- the encoder ---------------------------------------------------------------------------------------

struct Case {
    const char *name;
    std::function<void(Args &)> change;
};
// A case on a line.
#define CASE(name, ...)                                                                                      \
    {                                                                                                        \
        name, [&](Args &a) { __VA_ARGS__; }                                                                  \
    }

static void encode_cases(const std::vector<Case> &cases) {
    alignas(128) unsigned char room[256];
    for (auto &c : cases) {
        Args a;
        c.change(a);
        memset(room, 0, sizeof room);
        CUresult r = encode(a, (CUtensorMap *)(room + a.shift));
        printf("encode %s: %d\n", c.name, (int)r);
        if (r == CUDA_SUCCESS) print_map(c.name, room + a.shift);
    }
}

// ---- sections ------------------------------------------------------------------------------------------

struct Section {
    const char *name;
    void (*run)();
};

// Runs this program again for one section or fault; the probe to go on with, or -1.
static int run_child(const char *self, const std::string &words) {
    std::string command = std::string(self) + " " + words + " 2>/dev/null";
    static char line[1 << 20];
    int next = -1;
    bool any = false;
    fflush(stdout);
    FILE *p = popen(command.c_str(), "r");
    while (p && fgets(line, sizeof line, p)) {
        any = true;
        if (sscanf(line, "RESTART %d", &next) != 1) fputs(line, stdout);
    }
    if (p) pclose(p);
    if (!any) printf("(nothing)\n");
    fflush(stdout);
    return next;
}

static std::string own_path() {
    char self[4096] = {0};
    return readlink("/proc/self/exe", self, sizeof self - 1) < 0 ? std::string() : std::string(self);
}

// Each section in a process of its own, and in another one after each probe that breaks the context.
static void run_all(const std::string &self, const std::vector<Section> &sections) {
    for (auto &section : sections)
        for (int next = 0; next >= 0;)
            next = run_child(self.c_str(), std::string(section.name) + " " + std::to_string(next));
}

// In such a process: the section that the first word names, from the probe on that the second numbers.
static void run_section(int argc, char **argv, const std::vector<Section> &sections) {
    setvbuf(stdout, NULL, _IOLBF, 0); // a process that dies loses no line
    if (argc > 2) skip = atoi(argv[2]);
    for (auto &section : sections)
        if (!strcmp(argv[1], section.name)) section.run();
}

#endif
