// Tensor maps, third probe: lines of the second that were lost, and what the simulator assumes. One line per fact.
//   nvcc -std=c++17 -gencode arch=compute_90a,code=sm_90a third.cu -o third -lcuda && ./third > third.h200
#include "probe.cuh"

// ---- the encoder ---------------------------------------------------------------------------------------

static void encoder() {
    auto picture = [](Args &a, unsigned interleave) {
        uint64_t dims[] = {64, 20, 18, 8, 1}, step = 128;
        a.im2col = true;
        a.rank = 4;
        for (unsigned i = 0; i < 4; i++) {
            a.dim[i] = dims[i];
            if (i) a.stride[i - 1] = step, step *= a.dim[i];
        }
        a.channels = 32;
        a.pixels = 48;
        a.interleave = interleave;
        a.swizzle = interleave == 2 ? 1 : 0;
    };
    auto sliced = [](Args &a, unsigned interleave, unsigned swizzle) {
        a.rank = 3;
        a.dim[0] = 64, a.dim[1] = 10, a.dim[2] = 12;
        a.stride[0] = 4096, a.stride[1] = 1024;
        a.box[0] = 16, a.box[1] = 4, a.box[2] = 3;
        a.interleave = interleave;
        a.swizzle = swizzle;
    };
    // clang-format off
    const std::vector<Case> cases = {
        CASE("interleave_16_u32_box0_4", sliced(a, 1, 3); a.type = U32; a.box[0] = 4),
        CASE("interleave_16_swizzle_1_box0_32", sliced(a, 1, 1); a.box[0] = 32),
        CASE("interleave_32_swizzle_0_address_16", sliced(a, 2, 0); a.address += 16),
        CASE("interleave_32_stride1_16", sliced(a, 2, 1); a.stride[1] += 16),
        CASE("im2col_interleave_16_channels_4", picture(a, 1); a.channels = 4),
        CASE("im2col_interleave_16_channels_8", picture(a, 1); a.channels = 8),
        CASE("im2col_interleave_32_channels_8", picture(a, 2); a.channels = 8),
        CASE("im2col_interleave_32_channels_64", picture(a, 2); a.channels = 64),
        CASE("im2col_interleave_32_swizzle_0", picture(a, 2); a.swizzle = 0),
        CASE("im2col_es0_2", picture(a, 0); a.es[0] = 2),
        CASE("im2col_es0_0", picture(a, 0); a.es[0] = 0),
        CASE("im2col_es0_9", picture(a, 0); a.es[0] = 9),
        CASE("im2col_es3_9", picture(a, 0); a.es[3] = 9),
        CASE("es_past_rank_0", a.es[2] = 0),
        CASE("map_shift_1", a.shift = 1),
        CASE("map_shift_4", a.shift = 4),
        CASE("im2col_interleave_16_corner_of_dim_0", picture(a, 1); a.channels = 8; a.dim[0] = 4; a.dim[1] = 20; a.upper[0] = -10),
        CASE("im2col_interleave_16_corner_of_dim_1", picture(a, 1); a.channels = 8; a.dim[0] = 20; a.dim[1] = 4; a.upper[0] = -10),
    };
    // clang-format on
    encode_cases(cases);
    alignas(128) unsigned char room[256] = {0};
    CUtensorMap *m = (CUtensorMap *)room;
    Args a;
    encode(a, m);
    for (uint64_t address : {1ull << 48, 1ull << 49, 1ull << 56, 1ull << 57, 0xfffffffffffffff0ull})
        printf("replace_address %llx: %d\n", (unsigned long long)address,
               (int)cuTensorMapReplaceAddress(m, (void *)address));
}

// Each may end its process.
static void nulls(int which) {
    alignas(128) CUtensorMap map;
    Args a;
    const cuuint64_t *d = (const cuuint64_t *)a.dim, *s = (const cuuint64_t *)a.stride;
    auto tiled = [&](CUtensorMap *m, const cuuint64_t *d, const cuuint64_t *s, const cuuint32_t *b,
                     const cuuint32_t *e, unsigned rank) {
        return (int)cuTensorMapEncodeTiled(m, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, rank, (void *)a.address, d, s,
                                           b, e, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                           CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    };
    switch (which) {
    case 0: printf("no map: %d\n", tiled(NULL, d, s, a.box, a.es, 2)); break;
    case 1: printf("no sizes: %d\n", tiled(&map, NULL, s, a.box, a.es, 2)); break;
    case 2: printf("no strides: %d\n", tiled(&map, d, NULL, a.box, a.es, 2)); break;
    case 3: printf("no strides, rank 1: %d\n", tiled(&map, d, NULL, a.box, a.es, 1)); break;
    case 4: printf("no box: %d\n", tiled(&map, d, s, NULL, a.es, 2)); break;
    case 5: printf("no element strides: %d\n", tiled(&map, d, s, a.box, NULL, 2)); break;
    case 6:
        printf("replace_address of no map: %d\n",
               (int)cuTensorMapReplaceAddress(NULL, (void *)0x7f0000001000ull));
    }
}

// ---- what is assumed -----------------------------------------------------------------------------------

static void list(const char *name, const Args &a, const Where &at, unsigned unit, unsigned expect,
                 unsigned dump) {
    if (!load(name, a, at, 0, expect, dump)) return;
    printf(" hash %016llx:", (unsigned long long)hash(dumped.data(), dump));
    print_elements(dumped.data(), dump, unit);
}

static Args sliced(unsigned channels, unsigned pixels, int lower, int upper) {
    Args a = image(4, {10, 6, 5, 3}, channels, pixels, {lower, 0}, {upper, 0});
    a.stride[0] = 320, a.stride[1] = 1920, a.stride[2] = 9600;
    a.interleave = 1;
    return a;
}

// W, H, slice, image: does the walk go on in the next image, and in which slice?
static void interleaved() {
    fill_source(4);
    list("im2col interleave 16 to the next image", sliced(4, 80, 0, 0), where({0, 0, 2, 0}, {0, 0}), 4,
         80 * 16, 4096);
    list("im2col interleave 16 past the last image", sliced(4, 80, 0, 0), where({0, 0, 2, 2}, {0, 0}), 4,
         80 * 16, 4096);
    Args a = sliced(4, 40, 0, 0);
    a.es[0] = 2, a.es[1] = 2;
    list("im2col interleave 16 strides 2 2", a, where({0, 0, 1, 0}, {0, 0}), 4, 40 * 16, 4096);
    a.es[2] = 2, a.es[3] = 2;
    list("im2col interleave 16 strides 2 2 2 2", a, where({0, 0, 1, 0}, {0, 0}), 4, 40 * 16, 4096);
    list("im2col interleave 16 before w", sliced(4, 12, -1, 0), where({-2, 0, 0, 0}, {0, 0}), 4, 12 * 16,
         4096);
    list("im2col interleave 16 past w", sliced(4, 12, -1, 0), where({10, 0, 0, 0}, {0, 0}), 4, 12 * 16, 4096);
    list("im2col interleave 16 slice -1", sliced(4, 12, -1, 0), where({0, 0, -1, 0}, {0, 0}), 4, 12 * 16,
         4096);
    list("im2col interleave 16 slice 5", sliced(4, 12, -1, 0), where({0, 0, 5, 0}, {0, 0}), 4, 12 * 16, 4096);
    store("im2col interleave 16", sliced(4, 24, 0, 0), -1, where({3, 1, 2, 0}), 4, 65536);
    store("im2col interleave 16, upper corner 1", sliced(4, 24, 0, 1), -1, where({3, 1, 2, 0}), 4, 65536);
}

// A row of channels that ends inside 16 bytes
static void pieces() {
    Args a = real(U32, 4, {6, 6, 5, 3}, {32, 192, 960}, {});
    a.im2col = true, a.channels = 8, a.pixels = 12;
    store("im2col width 6", a, -1, where({0, 0, 0, 0}), 4, 4096);
    a = real(U64, 2, {5, 4}, {48}, {4, 2});
    store("u64 width 5", a, -1, where({4, 1}), 8, 1024);
    a = real(U32, 3, {40, 6, 5}, {6400, 1280}, {8, 4, 3});
    a.es[2] = 2;
    store("3d strides, width 40", a, -1, where({36, 1, 1}), 4, 65536);
}

// The tensor begins in no memory, and a part of the box lies in memory that is there.
static void bases() {
    fill_source(4);
    Args a = real(U32, 2, {40, 1u << 20}, {1u << 20}, {16, 4});
    a.address = (uint64_t)source - (1ull << 40);
    a.dim[1] = (1u << 20) + 8;
    list("base 1 TiB before, box in the buffer", a, where({0, 1 << 20}), 4, 256, 512);
    a.address = (uint64_t)source - (1ull << 39);
    a.dim[1] = (1u << 19) + 2;
    list("base 512 GiB before, half of the box in the buffer", a, where({0, 1 << 19}), 4, 256, 512);
}

__global__ void prefetch_im2col(const __grid_constant__ CUtensorMap map, int w) {
    asm volatile(
        "cp.async.bulk.prefetch.tensor.4d.L2.global.im2col [%0, {%1, %2, %3, %4}], {%5, %6};" ::"l"(&map),
        "r"(0), "r"(w), "r"(0), "r"(0), "h"((unsigned short)0), "h"((unsigned short)0)
        : "memory");
}
__global__ void breakpoint() { asm volatile("brkpt;"); }

static void others() {
    alignas(128) CUtensorMap map;
    auto line = [](const char *name) {
        cudaError_t e = cudaDeviceSynchronize();
        printf("%s: %s\n", name, cudaGetErrorName(e));
        if (e != cudaSuccess) broken();
    };
    encode(image(4, {8, 6, 5, 3}, 4, 24, {0, 0}, {0, 0}), &map);
    if (!skipped()) prefetch_im2col<<<1, 1>>>(map, 0), line("prefetch im2col");
    if (!skipped()) prefetch_im2col<<<1, 1>>>(map, 6), line("prefetch im2col past w");
    if (!skipped()) prefetch_im2col<<<1, 1>>>(map, -1), line("prefetch im2col before w");
    for (unsigned bit : {10u, 16u, 31u}) {
        if (skipped()) continue;
        uint32_t w[32];
        encode(image(4, {8, 6, 5, 3}, 4, 24, {0, 0}, {0, 0}), &map);
        memcpy(w, &map, 128);
        w[15] |= 1u << bit;
        memcpy(&map, w, 128);
        load_param<<<1, 128, DUMP + 1024>>>(map, 4, 1, where({0, 0, 0, 0}), 0, 24 * 16, 1024, out, done);
        cudaError_t e = cudaDeviceSynchronize();
        int finished = -1;
        cudaMemcpy(&finished, done, 4, cudaMemcpyDeviceToHost);
        printf("im2col map, word 15 bit %u: %s done %d\n", bit, cudaGetErrorName(e), finished);
        if (e != cudaSuccess) broken();
    }
    if (!skipped()) breakpoint<<<1, 1>>>(), line("brkpt");
}

static const std::vector<Section> sections = {{"encoder", encoder},
                                              {"interleaved", interleaved},
                                              {"pieces", pieces},
                                              {"bases", bases},
                                              {"others", others}};

int main(int argc, char **argv) {
    std::string self = own_path();
    if (argc == 1) {
        run_all(self, sections);
        for (int i = 0; i < 7; i++) run_child(self.c_str(), "null " + std::to_string(i));
        return 0;
    }
    TRY(cudaFree(0));
    open_all({});
    if (!strcmp(argv[1], "null"))
        nulls(atoi(argv[2]));
    else
        run_section(argc, argv, sections);
    return 0;
}
