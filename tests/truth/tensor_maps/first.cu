// Tensor maps, first probe: what the encoder makes, what copies do, what fails; one line per fact. README.md says how it is run.
#include "probe.cuh"

__constant__ CUtensorMap constant_map;
__global__ void load_constant(int rank, Where at, unsigned offset, unsigned expect, unsigned dump,
                              unsigned char *out, int *done) {
    load_and_dump(rank, 0, &constant_map, at, offset, expect, dump, out, done);
}

// space 0: shared memory, 1: local memory
__global__ void load_elsewhere(const __grid_constant__ CUtensorMap map, int space, Where at, unsigned expect,
                               unsigned dump, unsigned char *out, int *done) {
    __shared__ CUtensorMap in_shared;
    CUtensorMap in_local;
    volatile CUtensorMap *v = &in_local;
    for (int i = 0; i < 16; i++) v->opaque[i] = map.opaque[i];
    if (threadIdx.x == 0)
        for (int i = 0; i < 16; i++) in_shared.opaque[i] = map.opaque[i];
    __syncthreads();
    load_and_dump(2, 0, space == 0 ? (const void *)&in_shared : (const void *)v, at, 0, expect, dump, out,
                  done);
}

__global__ void prefetches(const __grid_constant__ CUtensorMap map) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
    asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(&map), "r"(0), "r"(0)
                 : "memory");
}

// Each field of a map of zeros, set alone: which bits change?
__global__ void replace_each(CUtensorMap *out) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    int n = 0;
#define FIELD(text, ...)                                                                                     \
    asm volatile("tensormap.replace.tile." text ";" ::"l"(out + n++), ##__VA_ARGS__ : "memory")
    FIELD("global_address.global.b1024.b64 [%0], %1", "l"(0x123456789abcdef0ull));
    FIELD("rank.global.b1024.b32 [%0], %1", "r"(4));
    FIELD("rank.global.b1024.b32 [%0], %1", "r"(0xff));
    FIELD("box_dim.global.b1024.b32 [%0], 0, %1", "r"(0x77));
    FIELD("box_dim.global.b1024.b32 [%0], 1, %1", "r"(256));
    FIELD("box_dim.global.b1024.b32 [%0], 2, %1", "r"(3));
    FIELD("box_dim.global.b1024.b32 [%0], 3, %1", "r"(4));
    FIELD("box_dim.global.b1024.b32 [%0], 4, %1", "r"(5));
    FIELD("global_dim.global.b1024.b32 [%0], 0, %1", "r"(0x12345678));
    FIELD("global_dim.global.b1024.b32 [%0], 1, %1", "r"(1));
    FIELD("global_dim.global.b1024.b32 [%0], 2, %1", "r"(0));
    FIELD("global_dim.global.b1024.b32 [%0], 3, %1", "r"(7));
    FIELD("global_dim.global.b1024.b32 [%0], 4, %1", "r"(9));
    FIELD("global_stride.global.b1024.b64 [%0], 0, %1", "l"(0x123456789ab0ull));
    FIELD("global_stride.global.b1024.b64 [%0], 1, %1", "l"(0x8000000010ull));
    FIELD("global_stride.global.b1024.b64 [%0], 2, %1", "l"(0xf000000020ull));
    FIELD("global_stride.global.b1024.b64 [%0], 3, %1", "l"(0xffffffffffull));
    FIELD("element_stride.global.b1024.b32 [%0], 0, %1", "r"(1));
    FIELD("element_stride.global.b1024.b32 [%0], 1, %1", "r"(2));
    FIELD("element_stride.global.b1024.b32 [%0], 2, %1", "r"(8));
    FIELD("element_stride.global.b1024.b32 [%0], 3, %1", "r"(5));
    FIELD("element_stride.global.b1024.b32 [%0], 4, %1", "r"(7));
    FIELD("elemtype.global.b1024.b32 [%0], 1");
    FIELD("elemtype.global.b1024.b32 [%0], 6");
    FIELD("elemtype.global.b1024.b32 [%0], 7");
    FIELD("elemtype.global.b1024.b32 [%0], 8");
    FIELD("elemtype.global.b1024.b32 [%0], 9");
    FIELD("elemtype.global.b1024.b32 [%0], 10");
    FIELD("elemtype.global.b1024.b32 [%0], 11");
    FIELD("elemtype.global.b1024.b32 [%0], 12");
    FIELD("interleave_layout.global.b1024.b32 [%0], 1");
    FIELD("interleave_layout.global.b1024.b32 [%0], 2");
    FIELD("swizzle_mode.global.b1024.b32 [%0], 1");
    FIELD("swizzle_mode.global.b1024.b32 [%0], 2");
    FIELD("swizzle_mode.global.b1024.b32 [%0], 3");
    FIELD("fill_mode.global.b1024.b32 [%0], 1");
#endif
}
static const int replaced_fields = 36;

// A whole map from zeros, in shared memory, then to global memory.
__global__ void make_map(CUtensorMap *out, uint64_t address, unsigned d0, unsigned d1, uint64_t stride,
                         unsigned b0, unsigned b1) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    __shared__ CUtensorMap made;
    if (threadIdx.x < 16) made.opaque[threadIdx.x] = 0;
    __syncwarp();
    unsigned s = shared_address(&made);
    if (threadIdx.x == 0) {
        asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(s),
                     "l"(address)
                     : "memory");
        asm volatile("tensormap.replace.tile.rank.shared::cta.b1024.b32 [%0], 1;" ::"r"(s) : "memory");
        asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 0, %1;" ::"r"(s), "r"(d0)
                     : "memory");
        asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 1, %1;" ::"r"(s), "r"(d1)
                     : "memory");
        asm volatile("tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], 0, %1;" ::"r"(s),
                     "l"(stride)
                     : "memory");
        asm volatile("tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%0], 0, %1;" ::"r"(s), "r"(b0)
                     : "memory");
        asm volatile("tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%0], 1, %1;" ::"r"(s), "r"(b1)
                     : "memory");
        asm volatile("tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%0], 0, %1;" ::"r"(s),
                     "r"(1)
                     : "memory");
        asm volatile("tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%0], 1, %1;" ::"r"(s),
                     "r"(1)
                     : "memory");
        asm volatile("tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%0], 2;" ::"r"(s) : "memory");
        asm volatile("tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%0], 0;" ::"r"(s)
                     : "memory");
        asm volatile("tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%0], 0;" ::"r"(s)
                     : "memory");
        asm volatile("tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%0], 0;" ::"r"(s) : "memory");
    }
    __syncwarp();
    asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
                 "[%0], [%1], 128;" ::"l"(out),
                 "r"(s)
                 : "memory");
#endif
}

// fma.rn.oob: which values of a count as "out of bounds"? out[a] = a*1+2 for all 16-bit patterns.
__global__ void fma_oob(unsigned short *f16, unsigned short *bf16, int position) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned short a = (unsigned short)i, r;
    unsigned short one = 0x3c00, two = 0x4000, bone = 0x3f80, btwo = 0x4000;
    unsigned short x = position == 0 ? a : one, y = position == 1 ? a : one, z = position == 2 ? a : two;
    asm volatile("fma.rn.oob.f16 %0, %1, %2, %3;" : "=h"(r) : "h"(x), "h"(y), "h"(z));
    f16[i] = r;
    x = position == 0 ? a : bone, y = position == 1 ? a : bone, z = position == 2 ? a : btwo;
    asm volatile("fma.rn.oob.bf16 %0, %1, %2, %3;" : "=h"(r) : "h"(x), "h"(y), "h"(z));
    bf16[i] = r;
}

// ---- the encoder ---------------------------------------------------------------------------------------

static void encoder() {
    auto to_im2col = [](Args &a, unsigned rank) {
        a.im2col = true;
        a.rank = rank;
        uint64_t dims[3][5] = {{64, 20, 8, 1, 1}, {64, 20, 18, 8, 1}, {64, 20, 18, 16, 8}};
        uint64_t step = 128;
        for (unsigned i = 0; i < rank; i++) {
            a.dim[i] = dims[rank - 3][i];
            if (i) a.stride[i - 1] = step, step *= a.dim[i];
        }
        a.channels = 32;
        a.pixels = 48;
    };
    auto rank3 = [](Args &a, unsigned interleave) {
        a.rank = 3;
        a.dim[0] = 64, a.dim[1] = 10, a.dim[2] = 12;
        a.stride[0] = 4096, a.stride[1] = 1024;
        a.box[0] = 16, a.box[1] = 4, a.box[2] = 3;
        a.interleave = interleave;
        a.swizzle = interleave == 2 ? 1 : 0;
    };
    // clang-format off
    const std::vector<Case> cases = {
        CASE("base", (void)a),
        CASE("map_shift_8", a.shift = 8),
        CASE("map_shift_16", a.shift = 16),
        CASE("map_shift_32", a.shift = 32),
        CASE("map_shift_64", a.shift = 64),
        CASE("type_13", a.type = 13),
        CASE("type_14", a.type = 14; a.box[0] = 128; a.dim[0] = 1024; a.stride[0] = 512),
        CASE("type_15", a.type = 15; a.box[0] = 128; a.dim[0] = 1024; a.stride[0] = 768),
        CASE("type_16", a.type = 16),
        CASE("type_-1", a.type = -1),
        CASE("rank_0", a.rank = 0),
        CASE("rank_6", a.rank = 6),
        CASE("address_0", a.address = 0),
        CASE("address_8", a.address += 8),
        CASE("address_16", a.address += 16),
        CASE("address_top", a.address = 0xfffffffffffffff0ull),
        CASE("address_2^57", a.address = 0x200000000000000ull),
        CASE("dim0_0", a.dim[0] = 0),
        CASE("dim1_0", a.dim[1] = 0),
        CASE("dim1_2^32", a.dim[1] = 1ull << 32),
        CASE("dim1_2^32+1", a.dim[1] = (1ull << 32) + 1),
        CASE("dim0_2^32", a.dim[0] = 1ull << 32; a.stride[0] = 1ull << 33),
        CASE("dim0_3", a.dim[0] = 3),
        CASE("stride_8", a.stride[0] = 520),
        CASE("stride_0", a.stride[0] = 0),
        CASE("stride_16", a.stride[0] = 16),
        CASE("stride_small", a.stride[0] = 496),
        CASE("stride_2^40", a.stride[0] = 1ull << 40),
        CASE("stride_2^40-16", a.stride[0] = (1ull << 40) - 16),
        CASE("stride_order", a.rank = 3; a.dim[2] = 4; a.stride[0] = 65536; a.stride[1] = 512),
        CASE("stride2_0", a.rank = 3; a.dim[2] = 4; a.stride[1] = 0),
        CASE("box0_0", a.box[0] = 0),
        CASE("box1_0", a.box[1] = 0),
        CASE("box0_256", a.box[0] = 256),
        CASE("box1_256", a.box[1] = 256),
        CASE("box1_257", a.box[1] = 257),
        CASE("box0_264", a.dim[0] = 512; a.stride[0] = 1024; a.box[0] = 264),
        CASE("box0_4", a.box[0] = 4),
        CASE("box0_12", a.box[0] = 12),
        CASE("box_beyond_dim", a.dim[0] = 32; a.dim[1] = 8; a.box[0] = 64; a.box[1] = 32),
        CASE("box_too_large", a.box[0] = 256; a.box[1] = 256),
        CASE("box_too_large_5", a.rank = 5; for (int i = 2; i < 5; i++) a.dim[i] = 256, a.stride[i - 1] = 65536ull << i, a.box[i] = 256; a.box[1] = 256),
        CASE("es0_0", a.es[0] = 0),
        CASE("es0_2", a.es[0] = 2),
        CASE("es0_9", a.es[0] = 9),
        CASE("es1_0", a.es[1] = 0),
        CASE("es1_2", a.es[1] = 2),
        CASE("es1_3", a.es[1] = 3),
        CASE("es1_8", a.es[1] = 8),
        CASE("es1_9", a.es[1] = 9),
        CASE("es1_8_box_256", a.es[1] = 8; a.box[1] = 256),
        CASE("swizzle_32", a.swizzle = 1; a.box[0] = 16),
        CASE("swizzle_32_over", a.swizzle = 1; a.box[0] = 24),
        CASE("swizzle_64", a.swizzle = 2; a.box[0] = 32),
        CASE("swizzle_64_over", a.swizzle = 2; a.box[0] = 40),
        CASE("swizzle_128", a.swizzle = 3; a.box[0] = 64),
        CASE("swizzle_128_under", a.swizzle = 3; a.box[0] = 32),
        CASE("swizzle_128_over", a.swizzle = 3; a.box[0] = 72),
        CASE("swizzle_4", a.swizzle = 4),
        CASE("swizzle_5", a.swizzle = 5),
        CASE("swizzle_6", a.swizzle = 6),
        CASE("swizzle_7", a.swizzle = 7),
        CASE("swizzle_-1", a.swizzle = -1),
        CASE("l2_1", a.l2 = 1),
        CASE("l2_2", a.l2 = 2),
        CASE("l2_3", a.l2 = 3),
        CASE("l2_4", a.l2 = 4),
        CASE("fill_nan_f16", a.fill = 1),
        CASE("fill_nan_u16", a.fill = 1; a.type = U16),
        CASE("fill_nan_u8", a.fill = 1; a.type = U8),
        CASE("fill_nan_s64", a.fill = 1; a.type = S64; a.stride[0] = 2048),
        CASE("fill_nan_f64", a.fill = 1; a.type = F64; a.stride[0] = 2048),
        CASE("fill_nan_f32", a.fill = 1; a.type = F32; a.stride[0] = 1024),
        CASE("fill_nan_tf32", a.fill = 1; a.type = TF32; a.stride[0] = 1024),
        CASE("fill_2", a.fill = 2),
        CASE("interleave_16_rank_2", a.interleave = 1),
        CASE("interleave_16_rank_1", a.rank = 1; a.interleave = 1),
        CASE("interleave_16", rank3(a, 1)),
        CASE("interleave_16_box0_3", rank3(a, 1); a.box[0] = 3),
        CASE("interleave_16_box0_8", rank3(a, 1); a.box[0] = 8),
        CASE("interleave_16_box0_256", rank3(a, 1); a.box[0] = 256),
        CASE("interleave_16_es0_2", rank3(a, 1); a.es[0] = 2),
        CASE("interleave_16_es0_0", rank3(a, 1); a.es[0] = 0),
        CASE("interleave_16_es0_9", rank3(a, 1); a.es[0] = 9),
        CASE("interleave_16_swizzle_1", rank3(a, 1); a.swizzle = 1),
        CASE("interleave_16_swizzle_3", rank3(a, 1); a.swizzle = 3),
        CASE("interleave_16_stride_small", rank3(a, 1); a.stride[0] = 16),
        CASE("interleave_32", rank3(a, 2)),
        CASE("interleave_32_swizzle_0", rank3(a, 2); a.swizzle = 0),
        CASE("interleave_32_swizzle_2", rank3(a, 2); a.swizzle = 2),
        CASE("interleave_32_address_16", rank3(a, 2); a.address += 16),
        CASE("interleave_32_stride_16", rank3(a, 2); a.stride[0] += 16),
        CASE("interleave_3", rank3(a, 3)),
        CASE("interleave_-1", rank3(a, 0); a.interleave = -1),
        CASE("interleave_16_rank_5", rank3(a, 1); a.rank = 5; a.dim[3] = 3; a.dim[4] = 2; a.stride[2] = 16384; a.stride[3] = 65536),
        CASE("rank_1", a.rank = 1; a.box[0] = 128),
        CASE("rank_1_dim_big", a.rank = 1; a.dim[0] = 1u << 20; a.box[0] = 256),
        CASE("rank_3", a.rank = 3; a.dim[2] = 6; a.stride[1] = 65536; a.box[2] = 5; a.es[2] = 4),
        CASE("rank_4", a.rank = 4; a.dim[2] = 6; a.dim[3] = 7; a.stride[1] = 65536; a.stride[2] = 65536 * 6; a.box[2] = 2; a.box[3] = 3; a.es[3] = 5),
        CASE("rank_5", a.rank = 5; a.dim[2] = 6; a.dim[3] = 7; a.dim[4] = 9; a.stride[1] = 65536; a.stride[2] = 65536 * 6; a.stride[3] = 0xf123456780; a.box[2] = 2; a.box[3] = 3; a.box[4] = 4; a.es[4] = 7),
        CASE("small_tensor", a.dim[1] = 4; a.box[1] = 4),
        CASE("127KiB", a.dim[1] = 254),
        CASE("128KiB", a.dim[1] = 256),
        CASE("129KiB", a.dim[1] = 258),
        CASE("u8", a.type = U8),
        CASE("u16", a.type = U16),
        CASE("u32", a.type = U32; a.stride[0] = 1024),
        CASE("s32", a.type = S32; a.stride[0] = 1024),
        CASE("u64", a.type = U64; a.stride[0] = 2048),
        CASE("s64", a.type = S64; a.stride[0] = 2048),
        CASE("f32", a.type = F32; a.stride[0] = 1024),
        CASE("f64", a.type = F64; a.stride[0] = 2048),
        CASE("bf16", a.type = BF16),
        CASE("f32_ftz", a.type = F32_FTZ; a.stride[0] = 1024),
        CASE("tf32", a.type = TF32; a.stride[0] = 1024),
        CASE("tf32_ftz", a.type = TF32_FTZ; a.stride[0] = 1024),
        CASE("im2col_3", to_im2col(a, 3)),
        CASE("im2col_4", to_im2col(a, 4)),
        CASE("im2col_5", to_im2col(a, 5)),
        CASE("im2col_2", to_im2col(a, 3); a.rank = 2),
        CASE("im2col_6", to_im2col(a, 5); a.rank = 6),
        CASE("im2col_3_corners", to_im2col(a, 3); a.lower[0] = -3; a.upper[0] = -5),
        CASE("im2col_3_lower_min", to_im2col(a, 3); a.lower[0] = -32768),
        CASE("im2col_3_lower_under", to_im2col(a, 3); a.lower[0] = -32769),
        CASE("im2col_3_upper_max", to_im2col(a, 3); a.upper[0] = 32767),
        CASE("im2col_3_upper_over", to_im2col(a, 3); a.upper[0] = 32768),
        CASE("im2col_4_corners", to_im2col(a, 4); a.lower[0] = -3; a.lower[1] = 2; a.upper[0] = -5; a.upper[1] = 7),
        CASE("im2col_4_lower_min", to_im2col(a, 4); a.lower[0] = -128),
        CASE("im2col_4_lower_under", to_im2col(a, 4); a.lower[0] = -129),
        CASE("im2col_4_upper_over", to_im2col(a, 4); a.upper[1] = 128),
        CASE("im2col_5_corners", to_im2col(a, 5); a.lower[0] = -1; a.lower[1] = 2; a.lower[2] = -3; a.upper[0] = -4; a.upper[1] = 5; a.upper[2] = -6),
        CASE("im2col_5_lower_min", to_im2col(a, 5); a.lower[2] = -16),
        CASE("im2col_5_lower_under", to_im2col(a, 5); a.lower[2] = -17),
        CASE("im2col_5_upper_max", to_im2col(a, 5); a.upper[0] = 15),
        CASE("im2col_5_upper_over", to_im2col(a, 5); a.upper[0] = 16),
        CASE("im2col_empty_box", to_im2col(a, 4); a.lower[0] = 10; a.upper[0] = -10),
        CASE("im2col_negative_box", to_im2col(a, 4); a.lower[0] = 15; a.upper[0] = -10),
        CASE("im2col_one_pixel_box", to_im2col(a, 4); a.lower[0] = 10; a.upper[0] = -9),
        CASE("im2col_channels_0", to_im2col(a, 4); a.channels = 0),
        CASE("im2col_channels_4", to_im2col(a, 4); a.channels = 4),
        CASE("im2col_channels_12", to_im2col(a, 4); a.channels = 12),
        CASE("im2col_channels_256", to_im2col(a, 4); a.channels = 256),
        CASE("im2col_channels_257", to_im2col(a, 4); a.channels = 257),
        CASE("im2col_channels_264", to_im2col(a, 4); a.channels = 264),
        CASE("im2col_pixels_0", to_im2col(a, 4); a.pixels = 0),
        CASE("im2col_pixels_1", to_im2col(a, 4); a.pixels = 1),
        CASE("im2col_pixels_7", to_im2col(a, 4); a.pixels = 7),
        CASE("im2col_pixels_1024", to_im2col(a, 4); a.pixels = 1024),
        CASE("im2col_pixels_1025", to_im2col(a, 4); a.pixels = 1025),
        CASE("im2col_es", to_im2col(a, 5); a.es[1] = 2; a.es[2] = 3; a.es[3] = 4; a.es[4] = 5),
        CASE("im2col_es_9", to_im2col(a, 4); a.es[1] = 9),
        CASE("im2col_swizzle_128", to_im2col(a, 4); a.swizzle = 3; a.channels = 64),
        CASE("im2col_swizzle_64_over", to_im2col(a, 4); a.swizzle = 2; a.channels = 40),
        CASE("im2col_interleave_16", to_im2col(a, 4); a.interleave = 1),
        CASE("im2col_interleave_32", to_im2col(a, 4); a.interleave = 2; a.swizzle = 1),
        CASE("im2col_nan", to_im2col(a, 4); a.fill = 1),
        CASE("im2col_all", to_im2col(a, 4); a.fill = 1; a.swizzle = 3; a.l2 = 2; a.type = TF32; a.stride[0] = 256; a.stride[1] = 5120; a.stride[2] = 92160; a.lower[0] = -1; a.lower[1] = -2; a.upper[0] = 3; a.upper[1] = 4; a.es[1] = 2; a.es[2] = 3),
    };
    // clang-format on
    encode_cases(cases);
    alignas(128) unsigned char room[256] = {0};
    CUtensorMap *m = (CUtensorMap *)room;
    Args a;
    encode(a, m);
    printf("replace_address 32: %d\n", (int)cuTensorMapReplaceAddress(m, (void *)0x7f0000001020ull));
    print_map("replace_address_32", m);
    printf("replace_address 8: %d\n", (int)cuTensorMapReplaceAddress(m, (void *)0x7f0000001008ull));
    printf("replace_address 0: %d\n", (int)cuTensorMapReplaceAddress(m, (void *)0));
    memset(room, 0, sizeof room);
    printf("replace_address of zeros: %d\n", (int)cuTensorMapReplaceAddress(m, (void *)0x7f0000001000ull));
    print_map("replace_address_of_zeros", m);
    rank3(a, 2);
    encode(a, m);
    printf("replace_address interleave_32 16: %d\n",
           (int)cuTensorMapReplaceAddress(m, (void *)0x7f0000001010ull));
}

// ---- loads ---------------------------------------------------------------------------------------------

static void tiles() {
    fill_source(4);
    // 40 x 12 words, rows of 48 words
    Args a2 = real(U32, 2, {40, 12}, {192}, {16, 4});
    load_list("2d inside", a2, where({8, 3}), 4);
    load_list("2d odd column", a2, where({5, 3}), 4);
    load_list("2d left", a2, where({-3, 2}), 4);
    load_list("2d right", a2, where({30, 2}), 4);
    load_list("2d top", a2, where({8, -2}), 4);
    load_list("2d bottom", a2, where({8, 10}), 4);
    load_list("2d corner", a2, where({33, 9}), 4);
    load_list("2d all outside", a2, where({100, 100}), 4);
    load_list("2d far outside", a2, where({-2147483647 - 1, 2147483647}), 4);
    load_list("2d wraps", a2, where({2147483640, 0}), 4);
    Args a1 = real(U32, 1, {50}, {}, {64});
    load_list("1d", a1, where({-6}), 4);
    Args a3 = real(U32, 3, {8, 5, 4}, {64, 512}, {8, 3, 2});
    load_list("3d", a3, where({2, 3, 3}), 4);
    Args a4 = real(U32, 4, {8, 5, 4, 3}, {64, 512, 2560}, {4, 2, 2, 2});
    load_list("4d", a4, where({2, 1, 3, 1}), 4);
    Args a5 = real(U32, 5, {8, 5, 4, 3, 2}, {64, 512, 2560, 16384}, {4, 2, 2, 2, 2});
    load_list("5d", a5, where({1, 1, 2, 1, 0}), 4);
    load_list("5d out", a5, where({6, 4, 3, 2, 1}), 4);
    Args overlap = real(U32, 2, {64, 16}, {16}, {16, 4});
    load_list("overlapping rows", overlap, where({0, 2}), 4);
    Args zero_stride = real(U32, 2, {64, 16}, {0}, {16, 4});
    load_list("stride 0", zero_stride, where({4, 2}), 4);
    // expected bytes: only those inside
    for (unsigned expect : {192u, 256u, 128u})
        if (load(("2d right, expects " + std::to_string(expect)).c_str(), a2, where({32, 2}), 0, expect, 256))
            printf("\n");
    for (unsigned expect : {0u, 256u})
        if (load(("2d all outside, expects " + std::to_string(expect)).c_str(), a2, where({100, 100}), 0,
                 expect, 256))
            printf("\n");
    // element strides
    Args s = real(U32, 3, {16, 20, 12}, {64, 1280}, {8, 7, 5});
    s.es[1] = 3, s.es[2] = 2;
    load_list("strides 1,3,2", s, where({4, 2, 1}), 4);
    load_list("strides out", s, where({4, 16, 9}), 4);
    load_list("strides before", s, where({4, -4, -1}), 4);
    s.es[0] = 2;
    load_list("stride in dimension 0", s, where({4, 2, 1}), 4);
    s = real(U32, 2, {16, 20}, {64}, {8, 20});
    s.es[1] = 8;
    load_list("stride 8", s, where({0, 1}), 4);
    // expected with strides: ceil or the whole box
    if (load("strides, expects the box", s, where({0, 1}), 0, 8 * 20 * 4, 1024)) printf("\n");
}

static void swizzles() {
    fill_source(4);
    static const char *names[] = {"none", "32B", "64B", "128B"};
    for (int w = 0; w < 4; w++) {
        unsigned span = w ? 16u << w : 128;
        for (unsigned inner = 16; inner <= span; inner += 16)
            for (unsigned offset : {0u, 128u, 256u, 384u, 512u, 640u}) {
                Args a = real(U32, 2, {256, 64}, {1024}, {inner / 4, 24});
                a.swizzle = w;
                char name[64];
                snprintf(name, sizeof name, "swizzle %s inner %u at +%u", names[w], inner, offset);
                if (offset && inner != span) {
                    unsigned bytes = box_bytes(a), dump = offset + bytes + 2048;
                    if (load(name, a, where({0, 0}), offset, bytes, dump))
                        printf(" hash %016llx\n", (unsigned long long)hash(dumped.data(), dump));
                } else
                    load_list(name, a, where({0, 0}), 4, offset, 2048);
            }
    }
    Args a = real(U32, 3, {64, 8, 8}, {256, 2048}, {32, 3, 3});
    a.swizzle = 3;
    load_list("swizzle 128B 3d", a, where({4, 1, 1}), 4, 0, 1024);
    a = real(U32, 3, {64, 8, 8}, {256, 2048}, {8, 5, 3});
    a.swizzle = 1;
    load_list("swizzle 32B 3d", a, where({60, 1, 1}), 4, 0, 1024);
}

static void fills() {
    for (int type = 0; type < 13; type++)
        for (int fill = 0; fill < 2; fill++) {
            unsigned size = sizes[type];
            Args a = real(type, 1, {64}, {}, {256 < 64 / size ? 256 : 64 / size});
            a.fill = fill;
            char name[64];
            snprintf(name, sizeof name, "fill %d of type %d", fill, type);
            if (!load(name, a, where({100}), 0, 64, 64)) continue;
            print_hex(dumped.data(), 32, size);
        }
    static const uint32_t words[] = {
        0x3f800000, 0x3f800fff, 0x3f801000, 0x3f801001, 0x3f802fff, 0x3f803000, 0x3f803001, 0xbf801000,
        0xbf803000, 0x7f7fffff, 0x7f7fefff, 0x7f800000, 0xff800000, 0x7f800001, 0x7fc00000, 0x7fffffff,
        0xffc01234, 0x7f801000, 0x7f802000, 0x00000001, 0x00001000, 0x00001001, 0x00003000, 0x007fffff,
        0x007fefff, 0x007ff000, 0x80000001, 0x80003000, 0x00800000, 0x00800fff, 0x80000000, 0x12345678};
    unsigned n = sizeof words / sizeof *words;
    printf("converted from:");
    print_hex((const unsigned char *)words, sizeof words, 4);
    for (int type : {F32, F32_FTZ, TF32, TF32_FTZ, U32}) {
        TRY(cudaMemcpy(source, words, sizeof words, cudaMemcpyHostToDevice));
        Args a = real(type, 1, {n}, {}, {n});
        char name[64];
        snprintf(name, sizeof name, "converts type %d", type);
        if (load(name, a, where({0}), 0, sizeof words, sizeof words))
            print_hex(dumped.data(), sizeof words, 4);
    }
    static const uint16_t halves[] = {0x0001, 0x03ff, 0x8001, 0x7c00, 0x7c01, 0x7e00, 0x7fff, 0xfc01,
                                      0x0400, 0x3c00, 0x7f81, 0x7f80, 0xff81, 0x0040, 0x7ff7, 0xffff};
    for (int type : {F16, BF16}) {
        TRY(cudaMemcpy(source, halves, sizeof halves, cudaMemcpyHostToDevice));
        Args a = real(type, 1, {16}, {}, {16});
        char name[64];
        snprintf(name, sizeof name, "converts type %d", type);
        if (load(name, a, where({0}), 0, 32, 32)) print_hex(dumped.data(), 32, 2);
    }
    // Stores of the same words
    for (int type : {F32, F32_FTZ, TF32, TF32_FTZ}) {
        TRY(cudaMemset(source, 0x11, 4096));
        TRY(cudaMemcpy(out, words, sizeof words, cudaMemcpyHostToDevice));
        Args a = real(type, 1, {n}, {}, {n});
        alignas(128) CUtensorMap map;
        CUresult r = encode(a, &map);
        store_param<<<1, 32, DUMP + 1024>>>(map, 1, 0, -1, where({0}), 0, sizeof words, out);
        TRY(cudaDeviceSynchronize());
        TRY(cudaMemcpy(dumped.data(), source, sizeof words, cudaMemcpyDeviceToHost));
        printf("stores type %d (encode %d):", type, (int)r);
        print_hex(dumped.data(), sizeof words, 4);
    }
}

static void interleaves() {
    fill_source(2);
    for (int layout : {1, 2})
        for (unsigned box0 : {8u, 16u, 24u, 32u, 5u, 20u})
            for (int c0 : {0, 8, 16, 4, -8, 32}) {
                // 16-bit elements; strides that show in the addresses
                Args a = real(U16, 3, {40, 6, 5}, {6400, 1280}, {box0, 3, 2});
                a.interleave = layout;
                a.swizzle = layout == 2 ? 1 : 0;
                char name[64];
                snprintf(name, sizeof name, "interleave %d 3d box0 %u from %d", 16 * layout, box0, c0);
                load_list(name, a, where({c0, 1, 2}), 2, 0, 1024);
            }
    for (int layout : {1, 2}) {
        Args a = real(U16, 4, {40, 6, 5, 4}, {320, 2560, 20480}, {16, 3, 2, 2});
        a.interleave = layout;
        a.swizzle = layout == 2 ? 1 : 0;
        load_list(layout == 1 ? "interleave 16 4d" : "interleave 32 4d", a, where({0, 1, 2, 1}), 2, 0, 1024);
        load_list(layout == 1 ? "interleave 16 4d out" : "interleave 32 4d out", a, where({16, 4, 4, 3}), 2,
                  0, 1024);
        a = real(U16, 5, {40, 6, 5, 4, 3}, {320, 2560, 10240, 40960}, {16, 2, 2, 2, 2});
        a.interleave = layout;
        a.swizzle = layout == 2 ? 1 : 0;
        load_list(layout == 1 ? "interleave 16 5d" : "interleave 32 5d", a, where({0, 1, 2, 1, 1}), 2, 0,
                  1024);
        a = real(U16, 3, {40, 6, 5}, {6400, 1280}, {16, 3, 2});
        a.interleave = layout;
        a.swizzle = layout == 2 ? 1 : 0;
        a.es[0] = 2;
        load_list(layout == 1 ? "interleave 16 stride 2 in dimension 0"
                              : "interleave 32 stride 2 in dimension 0",
                  a, where({0, 1, 2}), 2, 0, 1024);
        a.es[0] = 1, a.es[1] = 2;
        load_list(layout == 1 ? "interleave 16 stride 2 in dimension 1"
                              : "interleave 32 stride 2 in dimension 1",
                  a, where({0, 0, 2}), 2, 0, 1024);
    }
    fill_source(4);
    for (int layout : {1, 2}) {
        Args a = real(U32, 3, {20, 6, 5}, {6400, 1280}, {8, 3, 2});
        a.interleave = layout;
        a.swizzle = layout == 2 ? 1 : 0;
        load_list(layout == 1 ? "interleave 16 of words" : "interleave 32 of words", a, where({4, 1, 2}), 4,
                  0, 1024);
        a.swizzle = layout == 2 ? 1 : 3;
        load_list(layout == 1 ? "interleave 16 of words, 128B swizzle" : "interleave 32 of words again", a,
                  where({4, 1, 2}), 4, 0, 1024);
    }
}

static void im2col() {
    fill_source(4);
    Args a = image(3, {8, 10, 3}, 4, 24, {0}, {0});
    load_pixels("im2col 3d whole", a, where({0, 0, 0}, {0}));
    load_pixels("im2col 3d from 7", a, where({4, 7, 1}, {0}));
    load_pixels("im2col 3d offset 2", a, where({0, 7, 1}, {2}));
    load_pixels("im2col 3d end", a, where({0, 4, 2}, {0}));
    load_pixels("im2col 3d n 5", a, where({0, 4, 5}, {0}));
    load_pixels("im2col 3d n -1", a, where({0, 4, -1}, {0}));
    load_pixels("im2col 3d c 6", a, where({6, 4, 1}, {0}));
    load_pixels("im2col 3d c -2", a, where({-2, 4, 1}, {0}));
    load_pixels("im2col 3d c 100", a, where({100, 4, 1}, {0}));
    a = image(3, {8, 10, 3}, 4, 24, {-1}, {-2});
    load_pixels("im2col 3d padded", a, where({0, -1, 0}, {0}));
    load_pixels("im2col 3d padded offset 1", a, where({0, -1, 0}, {1}));
    load_pixels("im2col 3d padded offset 3", a, where({0, -1, 0}, {3}));
    load_pixels("im2col 3d padded from 5", a, where({0, 5, 0}, {2}));
    load_pixels("im2col 3d before its box", a, where({0, -3, 0}, {0}));
    load_pixels("im2col 3d past its box", a, where({0, 9, 0}, {0}));
    load_pixels("im2col 3d far past its box", a, where({0, 15, 0}, {0}));
    a = image(3, {8, 10, 3}, 4, 24, {1}, {2});
    load_pixels("im2col 3d box 1..2", a, where({0, 1, 0}, {0}));
    a = image(3, {8, 10, 3}, 4, 24, {-1}, {0});
    a.es[1] = 2;
    load_pixels("im2col 3d stride 2", a, where({0, -1, 0}, {0}));
    load_pixels("im2col 3d stride 2 from 2", a, where({0, 2, 0}, {1}));
    a.es[1] = 3;
    load_pixels("im2col 3d stride 3", a, where({0, -1, 0}, {0}));
    a.es[1] = 1, a.es[2] = 2;
    load_pixels("im2col 3d stride 2 of n", a, where({0, -1, 0}, {0}));
    a = image(4, {8, 6, 5, 3}, 4, 48, {-1, -1}, {-1, -1});
    load_pixels("im2col 4d", a, where({0, -1, -1, 0}, {0, 0}));
    load_pixels("im2col 4d offset 1 0", a, where({0, -1, -1, 0}, {1, 0}));
    load_pixels("im2col 4d offset 0 1", a, where({0, -1, -1, 0}, {0, 1}));
    load_pixels("im2col 4d offset 2 2", a, where({0, -1, -1, 0}, {2, 2}));
    load_pixels("im2col 4d from 3 2", a, where({4, 3, 2, 1}, {0, 0}));
    load_pixels("im2col 4d from 3 2 offset 2 1", a, where({4, 3, 2, 1}, {2, 1}));
    load_pixels("im2col 4d before its box", a, where({0, -2, -2, 0}, {0, 0}));
    load_pixels("im2col 4d past w", a, where({0, 5, 0, 0}, {0, 0}));
    load_pixels("im2col 4d past h", a, where({0, 0, 4, 0}, {0, 0}));
    a.es[1] = 2, a.es[2] = 2;
    load_pixels("im2col 4d strides 2 2", a, where({0, -1, -1, 0}, {0, 0}));
    load_pixels("im2col 4d strides 2 2 from 0 1", a, where({0, 0, 1, 0}, {1, 1}));
    a.es[1] = 3, a.es[2] = 1;
    load_pixels("im2col 4d strides 3 1", a, where({0, -1, -1, 0}, {0, 0}));
    a = image(4, {8, 6, 5, 3}, 4, 48, {0, 0}, {-2, -2});
    load_pixels("im2col 4d box -2", a, where({0, 0, 0, 0}, {2, 2}));
    load_pixels("im2col 4d box -2 offset 255", a, where({0, 0, 0, 0}, {255, 255}));
    a = image(4, {8, 6, 5, 3}, 4, 48, {0, 1}, {-2, 1});
    load_pixels("im2col 4d corners differ by dimension", a, where({0, 0, 1, 0}, {0, 0}));
    a = image(5, {4, 4, 3, 3, 2}, 4, 64, {-1, 0, -1}, {0, -1, 0});
    load_pixels("im2col 5d", a, where({0, -1, 0, -1, 0}, {0, 0, 0}));
    load_pixels("im2col 5d offset 1 1 1", a, where({0, -1, 0, -1, 0}, {1, 1, 1}));
    load_pixels("im2col 5d offset 3 0 31", a, where({0, -1, 0, -1, 0}, {3, 0, 31}));
    a.es[1] = 2, a.es[2] = 2, a.es[3] = 2;
    load_pixels("im2col 5d strides 2", a, where({0, -1, 0, -1, 0}, {0, 0, 0}));
    a = image(4, {64, 6, 5, 3}, 32, 24, {-1, -1}, {-1, -1});
    a.swizzle = 3;
    load_list("im2col swizzle 128B", a, where({32, -1, -1, 0}, {1, 1}), 4, 0, 1024);
    a = image(4, {8, 6, 5, 3}, 4, 7, {-1, -1}, {-1, -1});
    load_pixels("im2col 7 pixels", a, where({0, -1, -1, 0}, {1, 1}));
    a = image(4, {8, 6, 5, 3}, 4, 4, {0, 0}, {0, 0});
    a.fill = 1, a.type = F32;
    load_pixels("im2col nan", a, where({0, 5, 4, 2}, {0, 0}));
}

// ---- stores, reductions --------------------------------------------------------------------------------

static void stores() {
    Args a = real(U32, 2, {40, 12}, {192}, {16, 4});
    store("2d inside", a, -1, where({8, 3}), 4, 4096);
    store("2d right", a, -1, where({30, 2}), 4, 4096);
    store("2d bottom", a, -1, where({8, 10}), 4, 4096);
    store("2d corner", a, -1, where({33, 9}), 4, 4096);
    store("2d outside", a, -1, where({64, 9}), 4, 4096);
    store("1d", real(U32, 1, {50}, {}, {64}), -1, where({6}), 4, 1024);
    store("3d", real(U32, 3, {8, 5, 4}, {64, 512}, {8, 3, 2}), -1, where({2, 3, 3}), 4, 4096);
    store("4d", real(U32, 4, {8, 5, 4, 3}, {64, 512, 2560}, {4, 2, 2, 2}), -1, where({2, 1, 3, 1}), 4, 16384);
    store("5d", real(U32, 5, {8, 5, 4, 3, 2}, {64, 512, 2560, 16384}, {4, 2, 2, 2, 2}), -1,
          where({1, 1, 2, 1, 0}), 4, 65536);
    a.es[1] = 2;
    store("2d stride 2", a, -1, where({8, 3}), 4, 4096);
    for (int w = 1; w < 4; w++)
        for (unsigned offset : {0u, 128u}) {
            a = real(U32, 2, {64, 20}, {256}, {(16u << w) / 4, 12});
            a.swizzle = w;
            store(("2d swizzle " + std::to_string(16 << w) + " at +" + std::to_string(offset)).c_str(), a, -1,
                  where({4, 2}), 4, 8192, offset);
        }
    for (int layout : {1, 2}) {
        a = real(U16, 3, {40, 6, 5}, {6400, 1280}, {16, 3, 2});
        a.interleave = layout;
        a.swizzle = layout == 2 ? 1 : 0;
        store(layout == 1 ? "interleave 16" : "interleave 32", a, -1, where({8, 1, 2}), 2, 65536);
    }
    a = image(4, {8, 6, 5, 3}, 4, 24, {0, 0}, {-1, -2});
    store("im2col", a, -1, where({4, 3, 1, 1}), 4, 4096);
    store("im2col end", a, -1, where({4, 3, 1, 2}), 4, 4096);
    a.es[1] = 2;
    store("im2col stride 2", a, -1, where({4, 2, 1, 1}), 4, 4096);
    a = image(3, {8, 10, 3}, 4, 24, {0}, {0});
    store("im2col 3d", a, -1, where({0, 7, 1}), 4, 4096);
    a = image(5, {4, 4, 3, 3, 2}, 4, 32, {0, 0, 0}, {0, -1, 0});
    store("im2col 5d", a, -1, where({0, 1, 0, 1, 0}), 4, 4096);
}

static void reduce(int type, int op) {
    if (skipped()) return;
    static const uint64_t before64[] = {
        0, 1, 5, 0x7fffffffffffffffull, 0x8000000000000000ull, ~0ull, 0x0123456789abcdefull, 100};
    static const uint64_t values64[] = {1, ~0ull, 7, 1, 0x8000000000000001ull, 1, 0xfedcba9876543210ull, 50};
    static const uint32_t before32[] = {
        0,          1,          5,          0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000, 0x00000001,
        0x7fc00000, 0x7f800000, 0x80000000, 0x00800000, 0x33800000, 0x40490fdb, 100,        7};
    static const uint32_t values32[] = {
        1,          0xffffffff, 7,          1,          0x80000001, 1,          0x33800001, 0x00000001,
        0x3f800000, 0xff800000, 0x00000000, 0x80800001, 0x3f800000, 0xc0490fda, 50,         9};
    static const uint16_t before16[] = {0x3c00, 0x0001, 0x7e00, 0x7c00, 0x8000, 0x7bff, 0x0400, 0x1000,
                                        0x3f80, 0x7f80, 0x0080, 0xbc00, 0x7c01, 0xfc00, 0x3555, 0x7fff};
    static const uint16_t values16[] = {0x1000, 0x0001, 0x3c00, 0xfc00, 0x0000, 0x7bff, 0x8401, 0x3c01,
                                        0x3380, 0xff80, 0x8081, 0x3c00, 0x3c00, 0x7e01, 0x4aaa, 0x0000};
    unsigned size = sizes[type], bytes = size == 8 ? 64 : size == 4 ? 64 : 32;
    const void *before = size == 8   ? (const void *)before64
                         : size == 4 ? (const void *)before32
                                     : (const void *)before16;
    const void *values = size == 8   ? (const void *)values64
                         : size == 4 ? (const void *)values32
                                     : (const void *)values16;
    reduce_values(type, op, before, values, bytes);
}

static const int legal[][2] = {{0, U32}, {0, S32}, {0, U64}, {0, F32},  {0, F16},  {0, BF16}, {1, U32},
                               {1, S32}, {1, U64}, {1, S64}, {1, F16},  {1, BF16}, {2, U32},  {2, S32},
                               {2, U64}, {2, S64}, {2, F16}, {2, BF16}, {3, U32},  {4, U32},  {5, U32},
                               {5, S32}, {5, U64}, {5, S64}, {6, U32},  {6, U64},  {7, S32},  {7, S64}};
static const int doubtful[][2] = {{0, U8},       {0, U16}, {0, S64},     {0, F64},    {0, F32_FTZ}, {0, TF32},
                                  {0, TF32_FTZ}, {1, F32}, {1, F64},     {2, F32},    {1, U8},      {1, U16},
                                  {3, S32},      {4, S32}, {3, U64},     {5, U8},     {5, U16},     {5, F32},
                                  {6, F16},      {7, F64}, {7, F32_FTZ}, {2, F32_FTZ}};

// ---- clusters, places of the map -----------------------------------------------------------------------

static void finish(const char *name, unsigned dump) {
    int finished = -1;
    cudaError_t e = cudaDeviceSynchronize();
    TRY(cudaMemcpy(dumped.data(), out, dump, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(&finished, done, 4, cudaMemcpyDeviceToHost));
    printf("%s: %s %d hash %016llx\n", name, cudaGetErrorName(e), finished,
           (unsigned long long)hash(dumped.data(), dump));
}

static void places() {
    fill_source(4);
    Args a = real(U32, 2, {40, 12}, {192}, {16, 4});
    alignas(128) CUtensorMap map;
    encode(a, &map);
    Where at = where({8, 3});
    load_list("by parameter", a, at, 4);
    TRY(cudaMemset(out, 0, 512));
    TRY(cudaMemcpyToSymbol(constant_map, &map, sizeof map));
    load_constant<<<1, 128, DUMP + 1024>>>(2, at, 0, 256, 512, out, done);
    finish("by constant", 512);
    unsigned char *maps;
    TRY(cudaMalloc(&maps, 16384));
    TRY(cudaMemset(maps, 0, 16384));
    for (unsigned shift : {0u, 64u}) {
        TRY(cudaMemset(out, 0, 512));
        TRY(cudaMemcpy(maps + shift, &map, sizeof map, cudaMemcpyHostToDevice));
        load_pointer<<<1, 128, DUMP + 1024>>>(maps + shift, 2, at, 0, 256, 512, out, done);
        finish(shift ? "by global memory at +64" : "by global memory", 512);
    }
    prefetches<<<1, 32>>>(map);
    printf("prefetches: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    TRY(cudaMemset(maps, 0, 16384));
    replace_each<<<1, 1>>>((CUtensorMap *)maps);
    printf("replace each: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    std::vector<unsigned char> got(16384);
    TRY(cudaMemcpy(got.data(), maps, got.size(), cudaMemcpyDeviceToHost));
    for (int i = 0; i < replaced_fields; i++)
        print_map(("replaced " + std::to_string(i)).c_str(), &got[i * 128]);
    TRY(cudaMemset(maps, 0, 128));
    make_map<<<1, 32>>>((CUtensorMap *)maps, (uint64_t)source, 40, 12, 192, 16, 4);
    printf("make map: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    TRY(cudaMemcpy(got.data(), maps, 128, cudaMemcpyDeviceToHost));
    memset(got.data(), 0, 8); // the address differs between machines
    print_map("made", got.data());
    load_pointer<<<1, 128, DUMP + 1024>>>(maps, 2, at, 0, 256, 512, out, done);
    finish("by a map made on the device", 512);
    memcpy(got.data(), &map, 128);
    memset(got.data(), 0, 8);
    print_map("the same by the driver", got.data());
    for (int position = 0; position < 3; position++) {
        std::vector<uint16_t> f(65536), b(65536);
        fma_oob<<<512, 128>>>((unsigned short *)source, (unsigned short *)(source + 131072), position);
        TRY(cudaDeviceSynchronize());
        TRY(cudaMemcpy(f.data(), source, 131072, cudaMemcpyDeviceToHost));
        TRY(cudaMemcpy(b.data(), source + 131072, 131072, cudaMemcpyDeviceToHost));
        for (int kind = 0; kind < 2; kind++) {
            auto &v = kind ? b : f;
            printf("fma.oob %s operand %d: hash %016llx zeros:", kind ? "bf16" : "f16", position,
                   (unsigned long long)hash((unsigned char *)v.data(), 131072));
            for (unsigned i = 0; i < 65536; i++)
                if (!(v[i] & 0x7fff)) printf(" %04x->%04x", i, v[i]);
            printf("\n");
        }
    }
}

// ---- what must fail: each in a process of its own ------------------------------------------------------

static void load_at(const Args &a, const Where &at, int rank, int mode, unsigned offset) {
    alignas(128) CUtensorMap map;
    int finished = -1;
    CUresult r = encode(a, &map);
    load_param<<<1, 128, DUMP + 1024>>>(map, rank, mode, at, offset, box_bytes(a), 8192, out, done);
    cudaError_t e = cudaDeviceSynchronize();
    cudaMemcpy(&finished, done, 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(dumped.data(), out, 8192, cudaMemcpyDeviceToHost);
    printf("encode %d, %s", (int)r, cudaGetErrorName(e));
    if (e == cudaSuccess)
        printf(", done %d hash %016llx:", finished, (unsigned long long)hash(dumped.data(), 8192)),
            print_elements(dumped.data(), 8192, 4);
    else
        printf("\n");
}

static void store_at(const Args &a, const Where &at, int rank, int mode, unsigned offset) {
    alignas(128) CUtensorMap map;
    CUresult r = encode(a, &map);
    std::vector<uint32_t> v(4096);
    for (unsigned i = 0; i < 4096; i++) v[i] = i + 1;
    TRY(cudaMemset(source, 0xa5, 65536));
    TRY(cudaMemcpy(out, v.data(), 16384, cudaMemcpyHostToDevice));
    store_param<<<1, 128, DUMP + 1024>>>(map, rank, mode, -1, at, offset, 4096, out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaMemcpy(dumped.data(), source, 8192, cudaMemcpyDeviceToHost);
    printf("encode %d, %s", (int)r, cudaGetErrorName(e));
    if (e == cudaSuccess)
        printf(", hash %016llx:", (unsigned long long)hash(dumped.data(), 8192)),
            print_elements(dumped.data(), 8192, 4);
    else
        printf("\n");
}

static void load_from(int shift, bool zeros, int space) {
    Args a = real(U32, 2, {40, 12}, {192}, {16, 4});
    alignas(128) CUtensorMap map;
    unsigned char *maps;
    encode(a, &map);
    if (zeros) memset(&map, 0, sizeof map);
    TRY(cudaMalloc(&maps, 16384));
    TRY(cudaMemset(maps, 0, 16384));
    TRY(cudaMemcpy(maps + shift, &map, sizeof map, cudaMemcpyHostToDevice));
    if (space < 0)
        load_pointer<<<1, 128, DUMP + 1024>>>(maps + shift, 2, where({8, 3}), 0, 256, 512, out, done);
    else
        load_elsewhere<<<1, 128, DUMP + 1024>>>(map, space, where({8, 3}), 256, 512, out, done);
    finish("", 512);
}

struct Fault {
    const char *name;
    std::function<void()> run;
};
#define FAULT(name, ...)                                                                                     \
    {                                                                                                        \
        name, [=] { __VA_ARGS__; }                                                                           \
    }

static std::vector<Fault> fault_list() {
    auto base = [] { return real(U32, 2, {40, 12}, {192}, {16, 4}); };
    // clang-format off
    std::vector<Fault> f = {
        FAULT("load to +16", load_at(base(), where({8, 3}), 2, 0, 16)),
        FAULT("load to +32", load_at(base(), where({8, 3}), 2, 0, 32)),
        FAULT("load to +64", load_at(base(), where({8, 3}), 2, 0, 64)),
        FAULT("load to +4", load_at(base(), where({8, 3}), 2, 0, 4)),
        FAULT("load past shared memory", load_at(base(), where({8, 3}), 2, 0, 230 << 10)),
        FAULT("load past the block's own shared memory", load_at(base(), where({8, 3}), 2, 0, 120 << 10)),
        FAULT("store from +16", store_at(base(), where({8, 3}), 2, 0, 16)),
        FAULT("store from +64", store_at(base(), where({8, 3}), 2, 0, 64)),
        FAULT("store at column -4", store_at(base(), where({-4, 3}), 2, 0, 0)),
        FAULT("store at row -1", store_at(base(), where({8, -1}), 2, 0, 0)),
        FAULT("3d load of a 2d map", load_at(base(), where({8, 3, 0}), 3, 0, 0)),
        FAULT("1d load of a 2d map", load_at(base(), where({8}), 1, 0, 0)),
        FAULT("3d store of a 2d map", store_at(base(), where({8, 3, 0}), 3, 0, 0)),
        FAULT("tile load of an im2col map", load_at(image(4, {8, 6, 5, 3}, 4, 24, {0, 0}, {0, 0}), where({0, 0, 0, 0}), 4, 0, 0)),
        FAULT("im2col load of a tile map", load_at(real(U32, 4, {8, 5, 4, 3}, {64, 512, 2560}, {4, 2, 2, 2}), where({0, 0, 0, 0}), 4, 1, 0)),
        FAULT("im2col store, lower corner -1", store_at(image(4, {8, 6, 5, 3}, 4, 24, {-1, -1}, {-1, -1}), where({0, 0, 0, 0}), 4, 1, 0)),
        FAULT("im2col store, upper corner 1", store_at(image(4, {8, 6, 5, 3}, 4, 24, {0, 0}, {1, 1}), where({0, 0, 0, 0}), 4, 1, 0)),
        FAULT("im2col store at n -1", store_at(image(4, {8, 6, 5, 3}, 4, 24, {0, 0}, {0, 0}), where({0, 0, 0, -1}), 4, 1, 0)),
        FAULT("global memory that is not there", Args a = real(U32, 2, {40, 1u << 20}, {1u << 20}, {16, 4}); load_at(a, where({8, 1 << 19}), 2, 0, 0)),
        FAULT("address 0", Args a = base(); a.address = 0; load_at(a, where({8, 3}), 2, 0, 0)),
        FAULT("address 0, box outside", Args a = base(); a.address = 0; load_at(a, where({100, 100}), 2, 0, 0)),
        FAULT("map of zeros", load_from(0, true, -1)),
        FAULT("map at +16", load_from(16, false, -1)),
        FAULT("map at +32", load_from(32, false, -1)),
        FAULT("map in shared memory", load_from(0, false, 0)),
        FAULT("map in local memory", load_from(0, false, 1)),
    };
    // clang-format on
    for (auto &d : doubtful) {
        int op = d[0], type = d[1];
        f.push_back({"reduction", [=] { reduce(type, op); }});
    }
    return f;
}

static void reduces() {
    for (auto &l : legal) reduce(l[1], l[0]);
}

static void clusters() { multicast_from(33); }

static const std::vector<Section> sections = {
    {"encoder", encoder},   {"places", places},           {"tiles", tiles},   {"swizzles", swizzles},
    {"fills", fills},       {"interleaves", interleaves}, {"im2col", im2col}, {"stores", stores},
    {"clusters", clusters}, {"reduces", reduces}};

int main(int argc, char **argv) {
    std::string self = own_path();
    auto faults = fault_list();
    if (argc == 1) {
        run_all(self, sections);
        for (size_t i = 0; i < faults.size(); i++) {
            printf("fault %s: ", faults[i].name);
            run_child(self.c_str(), "fault " + std::to_string(i));
        }
        return 0;
    }
    TRY(cudaFree(0));
    open_all({(const void *)load_constant, (const void *)load_elsewhere});
    if (argc > 2 && !strcmp(argv[1], "fault")) {
        fill_source(4);
        fault_list()[atoi(argv[2])].run();
    } else
        run_section(argc, argv, sections);
    return 0;
}
