// Tensor maps, second probe: what the first one left open; one line per fact. README.md says how it is run.
#include "probe.cuh"

__global__ void prefetch2(const __grid_constant__ CUtensorMap map, int x, int y) {
    asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(&map), "r"(x), "r"(y)
                 : "memory");
}
__global__ void prefetch3(const __grid_constant__ CUtensorMap map, int x, int y, int z) {
    asm volatile("cp.async.bulk.prefetch.tensor.3d.L2.global.tile [%0, {%1, %2, %3}];" ::"l"(&map), "r"(x),
                 "r"(y), "r"(z)
                 : "memory");
}

// ---- the encoder ---------------------------------------------------------------------------------------

static void encoder() {
    auto box = [](Args &a, int type, std::initializer_list<unsigned> sides) {
        a.type = type;
        a.rank = 0;
        for (auto s : sides)
            a.box[a.rank] = s, a.dim[a.rank] = 256, a.stride[a.rank] = 4096ull << 8 * a.rank, a.rank++;
    };
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
        CASE("box_227KiB", box(a, U8, {256, 227, 4})),
        CASE("box_228KiB", box(a, U8, {256, 228, 4})),
        CASE("box_229KiB", box(a, U8, {256, 229, 4})),
        CASE("box_255KiB", box(a, U8, {256, 255, 4})),
        CASE("box_256KiB-16", box(a, U8, {240, 156, 7})),
        CASE("box_256KiB", box(a, F32, {256, 256})),
        CASE("box_512KiB_4d", box(a, U8, {256, 256, 4, 1}); a.box[3] = 2),
        CASE("box_512KiB", box(a, F64, {256, 256})),
        CASE("box_1MiB", box(a, F64, {256, 256, 2})),
        CASE("box_16MiB", box(a, U8, {256, 256, 256})),
        CASE("box_2GiB", box(a, U8, {256, 256, 256, 128})),
        CASE("box_4GiB", box(a, U8, {256, 256, 256, 256})),
        CASE("box_8GiB", box(a, U16, {256, 256, 256, 256})),
        CASE("box_512KiB_es1_4", box(a, F64, {256, 256}); a.es[1] = 4),
        CASE("box_512KiB_es0_4", box(a, F64, {256, 256}); a.es[0] = 4),
        CASE("box_512KiB_es_0_slices", box(a, F64, {256, 256, 2}); a.es[2] = 3),
        CASE("im2col_256KiB", picture(a, 0); a.channels = 128; a.pixels = 1024),
        CASE("im2col_512KiB", picture(a, 0); a.channels = 256; a.pixels = 1024),
        CASE("im2col_228KiB", picture(a, 0); a.channels = 256; a.pixels = 456),
        CASE("im2col_227KiB", picture(a, 0); a.channels = 256; a.pixels = 454),
        CASE("address_2^40", a.address = 1ull << 40),
        CASE("address_2^47", a.address = 1ull << 47),
        CASE("address_2^48", a.address = 1ull << 48),
        CASE("address_2^49-16", a.address = (1ull << 49) - 16),
        CASE("address_2^49", a.address = 1ull << 49),
        CASE("address_2^52", a.address = 1ull << 52),
        CASE("address_2^56", a.address = 1ull << 56),
        CASE("address_2^57-16", a.address = (1ull << 57) - 16),
        CASE("address_2^63", a.address = 1ull << 63),
        CASE("interleave_32_swizzle_3", sliced(a, 2, 3)),
        CASE("interleave_16_swizzle_2", sliced(a, 1, 2)),
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
    auto tiled = [&](CUtensorMap *map, const cuuint64_t *d, const cuuint64_t *s, const cuuint32_t *b,
                     const cuuint32_t *e, unsigned rank) {
        return (int)cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, rank, (void *)a.address, d,
                                           s, b, e, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                           CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    };
    const cuuint64_t *d = (const cuuint64_t *)a.dim, *s = (const cuuint64_t *)a.stride;
    printf("no map: %d\n", tiled(NULL, d, s, a.box, a.es, 2));
    printf("no sizes: %d\n", tiled(m, NULL, s, a.box, a.es, 2));
    printf("no strides: %d\n", tiled(m, d, NULL, a.box, a.es, 2));
    printf("no strides, rank 1: %d\n", tiled(m, d, NULL, a.box, a.es, 1));
    printf("no box: %d\n", tiled(m, d, s, NULL, a.es, 2));
    printf("no element strides: %d\n", tiled(m, d, s, a.box, NULL, 2));
    printf("replace_address of no map: %d\n",
           (int)cuTensorMapReplaceAddress(NULL, (void *)0x7f0000001000ull));
}

// ---- loads, all from a multiple of 16 bytes ------------------------------------------------------------

static void list(const char *name, const Args &a, const Where &at, unsigned unit, unsigned expect,
                 unsigned offset = 0, unsigned dump = 0) {
    if (!dump) dump = offset + expect + 512;
    if (!load(name, a, at, offset, expect, dump)) return;
    printf(" hash %016llx:", (unsigned long long)hash(dumped.data(), dump));
    print_elements(dumped.data(), dump, unit);
}

static void tiles() {
    fill_source(4);
    Args a2 = real(U32, 2, {40, 12}, {192}, {16, 4});
    load_list("2d left", a2, where({-4, 2}), 4);
    load_list("2d left by 12", a2, where({-12, 2}), 4);
    load_list("2d left by 16", a2, where({-16, 2}), 4);
    load_list("2d right", a2, where({28, 2}), 4);
    load_list("2d corner", a2, where({36, 9}), 4);
    load_list("2d corner before", a2, where({-8, -2}), 4);
    load_list("1d", real(U32, 1, {50}, {}, {64}), where({-8}), 4);
    load_list("1d right", real(U32, 1, {50}, {}, {64}), where({4}), 4);
    load_list("3d", real(U32, 3, {8, 5, 4}, {64, 512}, {8, 3, 2}), where({4, 3, 3}), 4);
    load_list("4d", real(U32, 4, {8, 5, 4, 3}, {64, 512, 2560}, {4, 2, 2, 2}), where({4, 1, 3, 1}), 4);
    Args a5 = real(U32, 5, {8, 5, 4, 3, 2}, {64, 512, 2560, 16384}, {4, 2, 2, 2, 2});
    load_list("5d", a5, where({4, 1, 2, 1, 0}), 4);
    load_list("5d out", a5, where({4, 4, 3, 2, 1}), 4);
    // A tensor that ends inside 16 bytes
    load_list("2d width 37", real(U32, 2, {37, 12}, {192}, {16, 4}), where({28, 2}), 4);
    Args nan = real(F32, 2, {37, 12}, {192}, {16, 4});
    nan.fill = 1;
    load_list("2d width 37, NaN", nan, where({28, 10}), 4);
    fill_source(2);
    load_list("u16 width 43", real(U16, 2, {43, 12}, {96}, {16, 4}), where({32, 2}), 2);
    fill_source(1);
    load_list("u8 width 51", real(U8, 2, {51, 12}, {64}, {32, 4}), where({32, 2}), 1);
    for (int type : {U8, U16, F16, BF16, TF32, F32_FTZ})
        for (int fill = 0; fill < 2; fill++) {
            unsigned size = sizes[type];
            Args a = real(type, 1, {64}, {}, {64 / size});
            a.fill = fill;
            char name[64];
            snprintf(name, sizeof name, "fill %d of type %d", fill, type);
            if (load(name, a, where({128}), 0, 64, 64)) print_hex(dumped.data(), 32, size);
        }
    fill_source(4);
    Args s = real(U32, 2, {40, 12}, {192}, {16, 4});
    s.es[0] = 3;
    load_list("stride 3 in dimension 0", s, where({28, 2}), 4);
}

// Coordinates that are no multiple of 16 bytes
static void unaligned() {
    fill_source(4);
    struct {
        const char *name;
        int type, swizzle, c;
    } cases[] = {{"u64 at 1", U64, 0, 1},
                 {"f16 at 4", F16, 0, 4},
                 {"u8 at 8", U8, 0, 8},
                 {"u32 at 2", U32, 0, 2},
                 {"u32 at 1, 32B swizzle", U32, 1, 1},
                 {"u32 at 1, 64B swizzle", U32, 2, 1},
                 {"u32 at 1, 128B swizzle", U32, 3, 1},
                 {"f16 at 4, 128B swizzle", F16, 3, 4},
                 {"u32 at -1, 128B swizzle", U32, 3, -1}};
    for (auto &c : cases) {
        Args a = real(c.type, 2, {64, 16}, {512}, {32 / sizes[c.type], 8});
        a.swizzle = c.swizzle;
        load_list(("unaligned " + std::string(c.name)).c_str(), a, where({c.c, 1}), 4);
    }
    for (auto &c : cases) {
        Args a = real(c.type, 2, {64, 16}, {512}, {32 / sizes[c.type], 8});
        a.swizzle = c.swizzle;
        if (c.c > 0) store(("unaligned " + std::string(c.name)).c_str(), a, -1, where({c.c, 1}), 4, 8192);
    }
    store("unaligned reduction", real(U32, 2, {64, 16}, {512}, {16, 4}), 0, where({1, 1}), 4, 8192);
    store("unaligned, outside", real(U32, 2, {64, 16}, {512}, {16, 4}), -1, where({101, 1}), 4, 8192);
    fill_source(4);
    Args a = real(U32, 2, {64, 16}, {512}, {16, 4});
    load_list(
        "unaligned, stride 2 in dimension 0",
        [&] {
            Args b = a;
            b.es[0] = 2;
            return b;
        }(),
        where({2, 1}), 4);
}

static void prefetching() {
    alignas(128) CUtensorMap map;
    auto line = [](const char *name) {
        cudaError_t e = cudaDeviceSynchronize();
        printf("prefetch %s: %s\n", name, cudaGetErrorName(e));
        if (e != cudaSuccess) broken();
    };
    Args a = real(U32, 2, {40, 12}, {192}, {16, 4});
    encode(a, &map);
    if (!skipped()) prefetch2<<<1, 1>>>(map, 4, 0), line("aligned");
    if (!skipped()) prefetch2<<<1, 1>>>(map, 1, 0), line("unaligned");
    if (!skipped()) prefetch2<<<1, 1>>>(map, -4, -1), line("before");
    if (!skipped()) prefetch3<<<1, 1>>>(map, 4, 0, 0), line("of another rank");
    a.address = 0;
    encode(a, &map);
    if (!skipped()) prefetch2<<<1, 1>>>(map, 0, 0), line("of address 0");
    memset(&map, 0, sizeof map);
    if (!skipped()) prefetch2<<<1, 1>>>(map, 0, 0), line("of a map of zeros");
}

// A tensor whose memory is not there, but whose box lies outside it
static void bases() {
    fill_source(4);
    struct {
        const char *name;
        uint64_t address;
    } cases[] = {{"16", 16},
                 {"1 MiB", 1 << 20},
                 {"4 GiB", 1ull << 32},
                 {"2^46", 1ull << 46},
                 {"1 GiB before the buffer", (uint64_t)source - (1 << 30)},
                 {"64 GiB past the buffer", (uint64_t)source + (64ull << 30)},
                 {"in the buffer", (uint64_t)source + 4096},
                 {"at its last 16 bytes", (uint64_t)source + SOURCE_BYTES - 16}};
    for (auto &c : cases) {
        Args a = real(U32, 2, {40, 12}, {192}, {16, 4});
        a.address = c.address;
        load_list(("outside, base at " + std::string(c.name)).c_str(), a, where({100, 100}), 4);
        load_list(("one row outside, base at " + std::string(c.name)).c_str(), a, where({0, 12}), 4);
        store(("outside, base at " + std::string(c.name)).c_str(), a, -1, where({100, 100}), 4, 4096);
    }
    Args a = real(U32, 2, {40, 12}, {192}, {16, 4});
    a.address = 0;
    store("outside, base at 0", a, -1, where({100, 100}), 4, 4096);
    fill_source(4);
    a = real(U32, 2, {40, 1u << 20}, {1u << 20}, {16, 4});
    load_list("rows below the buffer, box before the tensor", a, where({0, -4}), 4);
    load_list("half of the box in memory that is not there", a, where({0, 14}), 4);
}

// ---- interleave ----------------------------------------------------------------------------------------

static void interleaves() {
    fill_source(2);
    for (int layout : {1, 2})
        for (unsigned slices : {1u, 7u, 8u, 9u, 16u, 17u, 24u, 32u, 64u}) {
            Args a = real(U16, 3, {40, 6, 5}, {6400, 1280}, {8, slices, 2});
            unsigned per = 8u * layout, n = (slices + per - 1) / per;
            a.interleave = layout;
            a.swizzle = layout == 2 ? 1 : 0;
            char name[80];
            snprintf(name, sizeof name, "interleave %d box1 %u", 16 * layout, slices);
            list(name, a, where({0, 1, 2}), 2, 8 * 16 * layout * n * 2, 0, 8192);
        }
    for (int type : {U8, U32, U64}) {
        fill_source(sizes[type]);
        unsigned size = sizes[type];
        for (unsigned channels : {4u, 16u, 32u}) {
            Args a = real(type, 3, {40, 6, 5}, {6400, 1280}, {16, channels, 2});
            a.interleave = 1;
            unsigned per = 16 / size, n = (channels + per - 1) / per;
            char name[80];
            snprintf(name, sizeof name, "interleave 16 type %d box1 %u", type, channels);
            list(name, a, where({0, 1, 2}), size, 16 * 16 * n * 2, 0, 8192);
        }
    }
    fill_source(2);
    for (int c1 : {-1, -2, 4, 5, 6, 8}) {
        Args a = real(U16, 3, {40, 6, 5}, {6400, 1280}, {8, 16, 2});
        a.interleave = 1;
        list(("interleave 16 box1 16 from slice " + std::to_string(c1)).c_str(), a, where({0, c1, 2}), 2,
             8 * 16 * 2 * 2);
    }
    for (unsigned es : {2u, 3u, 8u}) {
        Args a = real(U16, 3, {40, 6, 5}, {6400, 1280}, {8, 32, 2});
        a.interleave = 1;
        a.es[1] = es;
        list(("interleave 16 box1 32 stride " + std::to_string(es)).c_str(), a, where({0, 1, 2}), 2,
             8 * 16 * ((4 + es - 1) / es) * 2, 0, 4096);
    }
    Args d4 = real(U16, 4, {40, 6, 5, 4}, {320, 2560, 20480}, {8, 3, 16, 2});
    d4.interleave = 1;
    list("interleave 16 4d box2 16", d4, where({0, 1, 2, 1}), 2, 8 * 16 * 3 * 2 * 2);
    d4.es[1] = 2, d4.es[3] = 2;
    list("interleave 16 4d box2 16 strides 1 2 1 2", d4, where({0, 1, 2, 1}), 2, 8 * 16 * 2 * 2 * 1, 0, 4096);
    fill_source(4);
    for (int layout : {1, 2})
        for (int swizzle : {0, 1, 2, 3})
            for (unsigned box0 : {4u, 8u, 16u}) {
                Args a = real(U32, 3, {40, 6, 5}, {6400, 1280}, {box0, 4, 3});
                a.interleave = layout;
                a.swizzle = swizzle;
                char name[80];
                snprintf(name, sizeof name, "interleave %d words swizzle %d box0 %u", 16 * layout, swizzle,
                         box0);
                list(name, a, where({4, 1, 1}), 4, box0 * 16 * layout * 3, 0, 4096);
            }
    for (int layout : {1, 2}) {
        Args a = real(U32, 3, {40, 6, 5}, {6400, 1280}, {8, 8u * layout, 3});
        a.interleave = layout;
        a.swizzle = layout == 2 ? 1 : 0;
        store(layout == 1 ? "interleave 16 two slices" : "interleave 32 two slices", a, -1, where({36, 4, 3}),
              4, 65536);
        store(layout == 1 ? "interleave 16 two slices inside" : "interleave 32 two slices inside", a, -1,
              where({4, 2, 1}), 4, 65536);
    }
    fill_source(4);
    for (int layout : {1, 2})
        for (unsigned channels : {4u, 8u, 16u}) {
            Args a = image(4, {10, 6, 5, 3}, channels, 12, {-1, 0}, {0, 0});
            a.stride[0] = 320, a.stride[1] = 1920, a.stride[2] = 9600;
            a.interleave = layout;
            a.swizzle = layout == 2 ? 1 : 0;
            unsigned per = 4 * layout, n = (channels + per - 1) / per;
            char name[80];
            snprintf(name, sizeof name, "im2col interleave %d channels %u", 16 * layout, channels);
            list(name, a, where({-1, 1, 2, 0}, {0, 1}), 4, 12 * 16 * layout * n, 0, 4096);
            snprintf(name, sizeof name, "im2col interleave %d channels %u without offsets", 16 * layout,
                     channels);
            list(name, a, where({0, 0, 0, 0}, {0, 0}), 4, 12 * 16 * layout * n, 0, 4096);
        }
}

// ---- rows narrower than the swizzle --------------------------------------------------------------------

static void narrow() {
    fill_source(4);
    for (int w = 1; w < 4; w++)
        for (unsigned inner = 16; inner < 16u << w; inner += 16) {
            Args a = real(U32, 2, {64, 20}, {256}, {inner / 4, 6});
            a.swizzle = w;
            char name[64];
            snprintf(name, sizeof name, "narrow %u of %u", inner, 16 << w);
            store(name, a, -1, where({4, 2}), 4, 8192);
        }
    Args a = real(U32, 2, {64, 20}, {256}, {4, 6});
    a.swizzle = 2;
    store("narrow reduction", a, 7, where({4, 2}), 4, 8192);
    a = image(4, {64, 6, 5, 3}, 8, 12, {0, 0}, {-1, -2});
    a.swizzle = 3;
    store("narrow im2col", a, -1, where({4, 3, 1, 1}), 4, 65536);
    fill_source(4);
    a = image(4, {64, 6, 5, 3}, 8, 12, {-1, -1}, {-1, -1});
    a.swizzle = 3;
    load_list("narrow im2col", a, where({32, -1, -1, 0}, {1, 1}), 4, 0, 2048);
    a = real(U32, 3, {64, 8, 8}, {256, 2048}, {4, 3, 2});
    a.swizzle = 1;
    load_list("narrow 3d", a, where({4, 1, 1}), 4, 128, 1024);
    a = real(U32, 2, {64, 40}, {256}, {4, 10});
    a.swizzle = 3;
    a.es[1] = 3;
    load_list("narrow with strides", a, where({4, 1}), 4, 0, 2048);
    a = real(U32, 1, {64}, {}, {4});
    a.swizzle = 3;
    load_list("narrow 1d", a, where({4}), 4, 128, 1024);
}

// ---- im2col --------------------------------------------------------------------------------------------

static void im2col() {
    fill_source(4);
    Args a = image(4, {8, 6, 5, 3}, 4, 24, {-1, -1}, {-1, -1});
    load_pixels("im2col last w", a, where({0, 4, 0, 0}));
    load_pixels("im2col last h", a, where({0, 0, 3, 0}));
    load_pixels("im2col w -2", a, where({0, -2, 0, 0}));
    load_pixels("im2col h -2", a, where({0, 0, -2, 0}));
    load_pixels("im2col n -2", a, where({0, 0, 0, -2}));
    load_pixels("im2col n far", a, where({0, 0, 0, 2147483647}));
    load_pixels("im2col c -4", a, where({-4, 0, 0, 0}));
    load_pixels("im2col c 8", a, where({8, 0, 0, 0}));
    a.es[0] = 2;
    load_pixels("im2col stride 2 of c", a, where({0, 0, 0, 0}));
    a = image(4, {8, 6, 5, 3}, 8, 24, {0, 0}, {0, 0});
    load_pixels("im2col c 4 of 8", a, where({4, 0, 0, 0}));
    a = image(5, {4, 4, 3, 3, 2}, 4, 32, {0, 0, 0}, {0, -1, 0});
    load_pixels("im2col 5d past h", a, where({0, 0, 2, 0, 0}));
    load_pixels("im2col 5d past d", a, where({0, 0, 0, 3, 0}));
    a.es[4] = 2;
    load_pixels("im2col 5d stride 2 of n", a, where({0, 0, 0, 0, 0}));
    a = image(4, {8, 6, 5, 3}, 4, 24, {0, 0}, {-1, -2});
    store("im2col past w", a, -1, where({0, 5, 0, 0}), 4, 4096);
    store("im2col past h", a, -1, where({0, 0, 3, 0}), 4, 4096);
    store("im2col past n", a, -1, where({0, 0, 0, 3}), 4, 4096);
    store("im2col past c", a, -1, where({8, 0, 0, 0}), 4, 4096);
    store("im2col c 2", a, -1, where({2, 0, 0, 0}), 4, 4096);
    a = image(4, {8, 6, 5, 3}, 4, 24, {1, 0}, {0, 0});
    store("im2col lower corner 1", a, -1, where({0, 1, 0, 0}), 4, 4096);
    store("im2col before the lower corner", a, -1, where({0, 0, 0, 0}), 4, 4096);
}

// ---- clusters ------------------------------------------------------------------------------------------

// ---- stores, reductions --------------------------------------------------------------------------------

static void stores() {
    Args a = real(U32, 2, {40, 12}, {192}, {16, 4});
    store("2d right", a, -1, where({28, 2}), 4, 4096);
    store("2d corner", a, -1, where({36, 9}), 4, 4096);
    store("1d", real(U32, 1, {50}, {}, {64}), -1, where({8}), 4, 1024);
    store("3d", real(U32, 3, {8, 5, 4}, {64, 512}, {8, 3, 2}), -1, where({4, 3, 3}), 4, 4096);
    store("4d", real(U32, 4, {8, 5, 4, 3}, {64, 512, 2560}, {4, 2, 2, 2}), -1, where({4, 1, 3, 1}), 4, 16384);
    store("5d", real(U32, 5, {8, 5, 4, 3, 2}, {64, 512, 2560, 16384}, {4, 2, 2, 2, 2}), -1,
          where({4, 1, 2, 1, 0}), 4, 65536);
    store("2d width 37", real(U32, 2, {37, 12}, {192}, {16, 4}), -1, where({28, 2}), 4, 4096);
    store("u8 width 51", real(U8, 2, {51, 12}, {64}, {32, 4}), -1, where({32, 2}), 1, 1024);
    store("f16 width 43", real(F16, 2, {43, 12}, {96}, {16, 4}), -1, where({32, 2}), 2, 2048);
    store("f16 width 43, reduction", real(U32, 2, {43, 12}, {192}, {16, 4}), 7, where({32, 2}), 4, 4096);
}

static void reduce_bits(int type, int op) {
    if (skipped()) return;
    static const uint64_t before64[] = {0x3ff0000000000000ull, 0x7ff0000000000001ull, 0x7ff0000000000000ull,
                                        0x000fffffffffffffull, 0x8000000000000001ull, 0x7fefffffffffffffull,
                                        0xfff8000000000123ull, 0x4000000000000000ull};
    static const uint64_t values64[] = {0x3ca0000000000001ull, 0x3ff0000000000000ull, 0xfff0000000000000ull,
                                        0x0000000000000001ull, 0x0000000000000003ull, 0x7fefffffffffffffull,
                                        0x7ff8000000000456ull, 0x7ff4000000000789ull};
    static const uint32_t before32[] = {0x00000003, 0x80000001, 0x00800000, 0x7f800001,
                                        0x7f7fffff, 0xff800000, 0x3f800000, 0x00400000};
    static const uint32_t values32[] = {0x00000005, 0x00000001, 0x80000001, 0x3f800000,
                                        0x7f7fffff, 0x7f800000, 0x33800000, 0x00400000};
    unsigned size = sizes[type], bytes = size * 8;
    const void *before = size == 8 ? (const void *)before64 : (const void *)before32;
    const void *values = size == 8 ? (const void *)values64 : (const void *)values32;
    reduce_values(type, op, before, values, bytes);
}

static void reduces() {
    static const int cases[][2] = {{0, F64}, {0, F32}, {0, F32_FTZ}, {0, TF32}, {6, S32}, {6, S64}, {5, S32},
                                   {7, U32}, {7, U64}, {3, F32},     {1, TF32}, {1, S64}, {5, F64}, {4, U64}};
    for (auto &c : cases) reduce_bits(c[1], c[0]);
}

// ---- maps that no encoder writes -----------------------------------------------------------------------

static void strange() {
    fill_source(4);
    struct {
        const char *name;
        int word;
        uint32_t keep, set;
    } cases[] = {{"as it is", 2, ~0u, 0},
                 {"word 2 bit 1", 2, ~0u, 1u << 1},
                 {"word 2 bit 2", 2, ~0u, 1u << 2},
                 {"word 2 bit 3", 2, ~0u, 1u << 3},
                 {"word 2 bit 19", 2, ~0u, 1u << 19},
                 {"word 2 bit 20", 2, ~0u, 1u << 20},
                 {"word 2 bit 21", 2, ~0u, 1u << 21},
                 {"word 2 bit 22", 2, ~0u, 1u << 22},
                 {"word 2 bit 24", 2, ~0u, 1u << 24},
                 {"word 2 bit 31", 2, ~0u, 1u << 31},
                 {"rank 6", 2, ~0x70u, 5 << 4},
                 {"rank 8", 2, ~0x70u, 7 << 4},
                 {"type 11", 2, ~0x780u, 11 << 7},
                 {"type 12", 2, ~0x780u, 12 << 7},
                 {"type 15", 2, ~0x780u, 15 << 7},
                 {"type u32, rounds to tf32", 2, ~0u, 1u << 16},
                 {"type f16, rounds to tf32", 2, ~0x780u, 6 << 7 | 1 << 16},
                 {"interleave 1 of rank 2", 2, ~0x1800u, 1 << 11},
                 {"interleave 3", 2, ~0x1800u, 3 << 11},
                 {"NaN for u32", 2, ~0u, 1u << 15},
                 {"32B swizzle, rows of 64 bytes", 2, ~0x6000u, 1 << 13},
                 {"im2col bit", 2, ~0u, 1},
                 {"address + 8", 0, ~0u, 8},
                 {"address + 1", 0, ~0u, 1},
                 {"address bit 57", 1, ~0u, 1u << 25},
                 {"address bit 63", 1, ~0u, 1u << 31},
                 {"word 7 bit 16", 7, ~0u, 1u << 16},
                 {"word 7 bit 4", 7, ~0u, 1u << 4},
                 {"word 7 bit 31", 7, ~0u, 1u << 31},
                 {"stride of dimension 2", 4, 0, 77},
                 {"size of dimension 2", 10, 0, 77},
                 {"size of dimension 4", 12, 0, 77},
                 {"word 13 bit 6", 13, ~0u, 1u << 6},
                 {"word 13 bit 15", 13, ~0u, 1u << 15},
                 {"word 13 bit 23", 13, ~0u, 1u << 23},
                 {"box 15", 13, 0xffffffu, 14u << 24},
                 {"box 17", 13, 0xffffffu, 16u << 24},
                 {"box 1", 13, 0xffffffu, 0},
                 {"box of dimension 2", 14, ~0u, 3 << 8},
                 {"word 15", 15, 0, 5},
                 {"word 15 bit 31", 15, 0, 1u << 31},
                 {"word 16", 16, 0, 7},
                 {"word 17", 17, 0, 7},
                 {"word 18", 18, 0, 7},
                 {"word 19", 19, 0, 7},
                 {"word 20", 20, 0, ~0u},
                 {"word 24", 24, 0, ~0u},
                 {"word 31", 31, 0, ~0u},
                 {"L2 promotion 3", 2, ~0u, 3 << 17}};
    unsigned char *maps;
    TRY(cudaMalloc(&maps, 16384));
    for (auto &c : cases) {
        if (skipped()) continue;
        Args a = real(U32, 2, {40, 12}, {192}, {16, 4});
        alignas(128) CUtensorMap map;
        uint32_t w[32];
        encode(a, &map);
        memcpy(w, &map, 128);
        w[c.word] = (w[c.word] & c.keep) | c.set;
        TRY(cudaMemcpy(maps, w, 128, cudaMemcpyHostToDevice));
        TRY(cudaMemset(out, 0, 8192));
        load_pointer<<<1, 128, DUMP + 1024>>>(maps, 2, where({8, 3}), 0, 256, 1024, out, done);
        cudaError_t e = cudaDeviceSynchronize();
        int finished = -1;
        printf("map with %s: %s", c.name, cudaGetErrorName(e));
        if (e != cudaSuccess) {
            printf("\n");
            broken();
        }
        TRY(cudaMemcpy(dumped.data(), out, 1024, cudaMemcpyDeviceToHost));
        TRY(cudaMemcpy(&finished, done, 4, cudaMemcpyDeviceToHost));
        printf(" done %d hash %016llx:", finished, (unsigned long long)hash(dumped.data(), 1024));
        print_elements(dumped.data(), 1024, 4);
    }
}

static void clusters() { multicast_from(32); }

static const std::vector<Section> sections = {
    {"encoder", encoder},         {"tiles", tiles},     {"unaligned", unaligned},
    {"prefetching", prefetching}, {"bases", bases},     {"interleaves", interleaves},
    {"narrow", narrow},           {"im2col", im2col},   {"clusters", clusters},
    {"stores", stores},           {"reduces", reduces}, {"strange", strange}};

int main(int argc, char **argv) {
    if (argc == 1) {
        run_all(own_path(), sections);
        return 0;
    }
    TRY(cudaFree(0));
    open_all({});
    run_section(argc, argv, sections);
    return 0;
}
