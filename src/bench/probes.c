// bench/probes: see probes.h. The PTX is written by hand: each thread moves 4 or 8 pieces of 16 bytes, all
// loads issued before the first use, which keeps 16 to 32 KB per block in flight.
#include "bench/probes.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"

enum {
    FMA_TURNS = 512,
    FMA_PER_TURN = 64,
    FMA_BLOCKS = 8,
    DIGEST_BLOCKS = 8,
    THREADS = 256,
    COPY_PIECES = 4,
    READ_PIECES = 8,
    PIECE = 16,
    LEAST_FLUSH = 1 << 20
};

static const double FASTEST_MEMORY = 5e12; // bytes per second
static const double LEAST_LAUNCH = 2e-6;   // seconds

// Register %rd4 is the thread's first piece, %rd3 how many there are; piece i is 256 further.
#define HEAD(pieces_per_block)                                                                               \
    "  mov.u32 %r1, %ctaid.x;\n"                                                                             \
    "  mov.u32 %r2, %tid.x;\n"                                                                               \
    "  mul.wide.u32 %rd4, %r1, " pieces_per_block ";\n"                                                      \
    "  cvt.u64.u32 %rd5, %r2;\n"                                                                             \
    "  add.u64 %rd4, %rd4, %rd5;\n"                                                                          \
    "  shl.b64 %rd6, %rd4, 4;\n"
#define BOUND(i, offset)                                                                                     \
    "  add.u64 %rd7, %rd4, " offset ";\n"                                                                    \
    "  setp.lt.u64 %p" i ", %rd7, %rd3;\n"
#define LOAD(i, bytes, a, b, c, d)                                                                           \
    "  @%p" i " ld.global.v4.u32 {%v" a ", %v" b ", %v" c ", %v" d "}, [%rd8+" bytes "];\n"
#define STORE(i, bytes, a, b, c, d)                                                                          \
    "  @%p" i " st.global.v4.u32 [%rd9+" bytes "], {%v" a ", %v" b ", %v" c ", %v" d "};\n"
#define FOLD(i, a, b, c, d)                                                                                  \
    "  @%p" i " xor.b32 %r4, %r4, %v" a ";\n"                                                                \
    "  @%p" i " xor.b32 %r4, %r4, %v" b ";\n"                                                                \
    "  @%p" i " xor.b32 %r4, %r4, %v" c ";\n"                                                                \
    "  @%p" i " xor.b32 %r4, %r4, %v" d ";\n"

#define CHAIN(op, i) "  " op " %f" i ", %f0, %f9;\n"
#define FMA(i)       "  fma.rn.f32 %f" i ", %f" i ", %f8, %f9;\n"
#define FMAS         FMA("0") FMA("1") FMA("2") FMA("3") FMA("4") FMA("5") FMA("6") FMA("7")
#define ADD(i)       "  add.f32 %f0, %f0, %f" i ";\n"

// clang-format off
static const char probe_ptx[] =
    ".version 7.0\n"
    ".target sm_75\n"
    ".address_size 64\n"
    ".visible .entry bench_copy(.param .u64 to, .param .u64 from, .param .u64 pieces) {\n"
    "  .reg .pred %p<8>;\n  .reg .b32 %r<8>;\n  .reg .b32 %v<32>;\n  .reg .b64 %rd<16>;\n"
    "  ld.param.u64 %rd1, [to];\n"
    "  ld.param.u64 %rd2, [from];\n"
    "  ld.param.u64 %rd3, [pieces];\n"
    "  cvta.to.global.u64 %rd1, %rd1;\n"
    "  cvta.to.global.u64 %rd2, %rd2;\n"
    HEAD("1024")
    "  add.u64 %rd8, %rd2, %rd6;\n"
    "  add.u64 %rd9, %rd1, %rd6;\n"
    BOUND("0", "0") BOUND("1", "256") BOUND("2", "512") BOUND("3", "768")
    LOAD("0", "0", "0", "1", "2", "3")
    LOAD("1", "4096", "4", "5", "6", "7")
    LOAD("2", "8192", "8", "9", "10", "11")
    LOAD("3", "12288", "12", "13", "14", "15")
    STORE("0", "0", "0", "1", "2", "3")
    STORE("1", "4096", "4", "5", "6", "7")
    STORE("2", "8192", "8", "9", "10", "11")
    STORE("3", "12288", "12", "13", "14", "15")
    "  ret;\n"
    "}\n"
    // The sum goes nowhere, but only the kernel's end knows: a store that all but never happens.
    ".visible .entry bench_read(.param .u64 sink, .param .u64 from, .param .u64 pieces) {\n"
    "  .reg .pred %p<16>;\n  .reg .b32 %r<8>;\n  .reg .b32 %v<32>;\n  .reg .b64 %rd<16>;\n"
    "  ld.param.u64 %rd1, [sink];\n"
    "  ld.param.u64 %rd2, [from];\n"
    "  ld.param.u64 %rd3, [pieces];\n"
    "  cvta.to.global.u64 %rd1, %rd1;\n"
    "  cvta.to.global.u64 %rd2, %rd2;\n"
    HEAD("2048")
    "  add.u64 %rd8, %rd2, %rd6;\n"
    "  mov.u32 %r4, 0;\n"
    BOUND("0", "0") BOUND("1", "256") BOUND("2", "512") BOUND("3", "768")
    BOUND("4", "1024") BOUND("5", "1280") BOUND("6", "1536") BOUND("7", "1792")
    LOAD("0", "0", "0", "1", "2", "3")
    LOAD("1", "4096", "4", "5", "6", "7")
    LOAD("2", "8192", "8", "9", "10", "11")
    LOAD("3", "12288", "12", "13", "14", "15")
    LOAD("4", "16384", "16", "17", "18", "19")
    LOAD("5", "20480", "20", "21", "22", "23")
    LOAD("6", "24576", "24", "25", "26", "27")
    LOAD("7", "28672", "28", "29", "30", "31")
    FOLD("0", "0", "1", "2", "3")
    FOLD("1", "4", "5", "6", "7")
    FOLD("2", "8", "9", "10", "11")
    FOLD("3", "12", "13", "14", "15")
    FOLD("4", "16", "17", "18", "19")
    FOLD("5", "20", "21", "22", "23")
    FOLD("6", "24", "25", "26", "27")
    FOLD("7", "28", "29", "30", "31")
    "  setp.eq.u32 %p8, %r4, 0x5ca1ab1e;\n"
    "  @%p8 st.global.u32 [%rd1], %r4;\n"
    "  ret;\n"
    "}\n"
    ".visible .entry bench_empty() {\n"
    "  ret;\n"
    "}\n"
    // Eight chains hide the latency of one; 64 fused multiply-adds a turn.
    ".visible .entry bench_fma(.param .u64 sink, .param .u64 turns) {\n"
    "  .reg .pred %p<2>;\n  .reg .b32 %r<4>;\n  .reg .f32 %f<16>;\n  .reg .b64 %rd<4>;\n"
    "  ld.param.u64 %rd1, [sink];\n"
    "  ld.param.u64 %rd2, [turns];\n"
    "  cvta.to.global.u64 %rd1, %rd1;\n"
    "  mov.u32 %r1, %tid.x;\n"
    "  cvt.rn.f32.u32 %f0, %r1;\n"
    "  mov.f32 %f8, 0f3F7FFFFE;\n" // a little under 1, so that nothing overflows
    "  mov.f32 %f9, 0f33800000;\n"
    CHAIN("add.f32", "1") CHAIN("add.f32", "2") CHAIN("add.f32", "3") CHAIN("add.f32", "4")
    CHAIN("add.f32", "5") CHAIN("add.f32", "6") CHAIN("add.f32", "7")
    "again:\n"
    FMAS FMAS FMAS FMAS FMAS FMAS FMAS FMAS
    "  sub.u64 %rd2, %rd2, 1;\n"
    "  setp.ne.u64 %p0, %rd2, 0;\n"
    "  @%p0 bra again;\n"
    ADD("1") ADD("2") ADD("3") ADD("4") ADD("5") ADD("6") ADD("7")
    "  mov.b32 %r2, %f0;\n"
    "  setp.eq.u32 %p1, %r2, 0x5ca1ab1e;\n"
    "  @%p1 st.global.u32 [%rd1], %r2;\n"
    "  ret;\n"
    "}\n"
    // The sum over pieces of a mix of both words and of the place, each step of which can be undone: see digest_of in
    // probes_test.c.
    ".visible .entry bench_digest(.param .u64 sum, .param .u64 from, .param .u64 pieces) {\n"
    "  .reg .pred %p<2>;\n  .reg .b32 %r<8>;\n  .reg .b64 %rd<16>;\n"
    "  ld.param.u64 %rd1, [sum];\n"
    "  ld.param.u64 %rd2, [from];\n"
    "  ld.param.u64 %rd3, [pieces];\n"
    "  cvta.to.global.u64 %rd1, %rd1;\n"
    "  cvta.to.global.u64 %rd2, %rd2;\n"
    "  mov.u32 %r1, %ctaid.x;\n"
    "  mov.u32 %r2, %ntid.x;\n"
    "  mov.u32 %r3, %tid.x;\n"
    "  mov.u32 %r4, %nctaid.x;\n"
    "  mul.wide.u32 %rd4, %r1, %r2;\n"
    "  cvt.u64.u32 %rd5, %r3;\n"
    "  add.u64 %rd4, %rd4, %rd5;\n" // the piece
    "  mul.wide.u32 %rd5, %r4, %r2;\n"
    "  mov.u64 %rd6, 0;\n"
    "next:\n"
    "  setp.ge.u64 %p0, %rd4, %rd3;\n"
    "  @%p0 bra done;\n"
    "  shl.b64 %rd7, %rd4, 4;\n"
    "  add.u64 %rd7, %rd2, %rd7;\n"
    "  ld.global.v2.u64 {%rd8, %rd9}, [%rd7];\n"
    "  mul.lo.u64 %rd10, %rd4, 0x9e3779b97f4a7c15;\n"
    "  xor.b64 %rd8, %rd8, %rd10;\n"
    "  mul.lo.u64 %rd8, %rd8, 0xbf58476d1ce4e5b9;\n"
    "  shr.u64 %rd10, %rd8, 32;\n"
    "  xor.b64 %rd8, %rd8, %rd10;\n"
    "  add.u64 %rd8, %rd8, %rd9;\n"
    "  mul.lo.u64 %rd8, %rd8, 0x94d049bb133111eb;\n"
    "  shr.u64 %rd10, %rd8, 29;\n"
    "  xor.b64 %rd8, %rd8, %rd10;\n"
    "  add.u64 %rd6, %rd6, %rd8;\n"
    "  add.u64 %rd4, %rd4, %rd5;\n"
    "  bra next;\n"
    "done:\n"
    "  red.global.add.u64 [%rd1], %rd6;\n"
    "  ret;\n"
    "}\n";
// clang-format on

// ---- native: what prepares the caches of a CPU, and its peaks ------------------------------------------------

enum { LINE = 64, LEAST_PART = 1 << 20 }; // bytes; a part of the memory is one core's

typedef uint64_t vector __attribute__((vector_size(PIECE)));

typedef struct part { // pieces
    uint64_t first, count;
} part;

static part part_of(const kz_native_launch *l) {
    uint64_t pieces = *(const uint64_t *)l->args[2], each = (pieces + l->grid[0] - 1) / l->grid[0];
    uint64_t first = each * l->block_index[0] < pieces ? each * l->block_index[0] : pieces;
    return (part){first, pieces - first < each ? pieces - first : each};
}

static char *argument(const kz_native_launch *l, int which, part p) {
    return (char *)(uintptr_t) * (const kz_ptr *)l->args[which] + p.first * PIECE;
}

// A byte of a line brings all of it.
static void native_read(const kz_native_launch *l) {
    part p = part_of(l);
    const volatile char *from = argument(l, 1, p);
    for (uint64_t i = 0; i < p.count * PIECE; i += LINE) (void)from[i];
}

static void native_rewrite(const kz_native_launch *l) {
    part p = part_of(l);
    volatile vector *at = (volatile vector *)argument(l, 0, p);
    for (uint64_t i = 0; i < p.count; i++) at[i] = at[i];
}

static void native_copy(const kz_native_launch *l) {
    part p = part_of(l);
    memcpy(argument(l, 0, p), argument(l, 1, p), p.count * PIECE);
}

static const kz_native_entry natives[] = {
    {"read", native_read}, {"rewrite", native_rewrite}, {"copy", native_copy}, {0}};

// ---- the module --------------------------------------------------------------------------------------------

struct bench_probes {
    kz_device *device;
    kz_module *module; // NULL: no kernels here
    bool native;
    kz_kernel *copy, *read, *rewrite; // of PTX the copy works in place
    kz_kernel *fma, *digest, *empty;  // NULL: native
    kz_ptr scratch, sink;
    size_t flush_bytes;
};

static kz_status load_native(bench_probes *probes, kz_error *error) {
    const kz_image image = {.size = sizeof(kz_image), .name = "bench/probes", .natives = natives};
    kz_status status = kz_module_load(probes->device, &image, &probes->module, error);
    if (status == KZ_OK) status = kz_module_kernel(probes->module, "copy", &probes->copy, error);
    if (status == KZ_OK) status = kz_module_kernel(probes->module, "rewrite", &probes->rewrite, error);
    if (status == KZ_OK) status = kz_module_kernel(probes->module, "read", &probes->read, error);
    return status;
}

static kz_status load(bench_probes *probes, kz_error *error) {
    const kz_image image = {
        .size = sizeof(kz_image), .name = "bench/probes", .ptx = probe_ptx, .ptx_size = sizeof probe_ptx - 1};
    kz_status status = kz_module_load(probes->device, &image, &probes->module, error);
    if (status == KZ_OK) status = kz_module_kernel(probes->module, "bench_copy", &probes->copy, error);
    if (status == KZ_OK) status = kz_module_kernel(probes->module, "bench_read", &probes->read, error);
    if (status == KZ_OK) status = kz_module_kernel(probes->module, "bench_fma", &probes->fma, error);
    if (status == KZ_OK) status = kz_module_kernel(probes->module, "bench_digest", &probes->digest, error);
    if (status == KZ_OK) status = kz_module_kernel(probes->module, "bench_empty", &probes->empty, error);
    probes->rewrite = probes->copy; // each thread has read its pieces before it writes them
    return status;
}

kz_status bench_probes_open(kz_device *device, bench_probes **probes, kz_error *error) {
    *probes = NULL;
    bench_probes *made = calloc(1, sizeof *made);
    if (!made) return base_fail(error, KZ_NO_MEMORY, "no memory for the bench's own kernels");
    const kz_device_info *info = kz_device_get_info(device);
    made->device = device;
    made->flush_bytes = info->l2_bytes > LEAST_FLUSH / 2 ? 2 * info->l2_bytes : LEAST_FLUSH;
    made->flush_bytes -= made->flush_bytes % PIECE;
    kz_status status = kz_memory_alloc(device, made->flush_bytes, &made->scratch, error);
    if (status == KZ_OK) status = kz_memory_alloc(device, PIECE, &made->sink, error);
    if (status == KZ_OK) status = kz_memory_fill(device, NULL, made->scratch, 0x5a, made->flush_bytes, error);
    made->native = info->kind == KZ_DEVICE_CPU;
    if (status == KZ_OK && made->native) status = load_native(made, error);
    if (status == KZ_OK && !made->native) {
        status = load(made, error);
        // A driver without its PTX compiler cannot make them; the rest can still be measured.
        if (status == KZ_DRIVER || status == KZ_UNSUPPORTED || status == KZ_SYNTAX || status == KZ_TOOL) {
            if (made->module) kz_module_close(made->module);
            made->module = NULL;
            status = KZ_OK;
        }
    }
    if (status != KZ_OK) {
        bench_probes_close(made);
        return status;
    }
    *probes = made;
    return KZ_OK;
}

void bench_probes_close(bench_probes *probes) {
    if (!probes) return;
    if (probes->module) kz_module_close(probes->module);
    kz_memory_free(probes->device, probes->scratch, NULL);
    kz_memory_free(probes->device, probes->sink, NULL);
    free(probes);
}

bool bench_probes_has_kernels(const bench_probes *probes) { return probes->module != NULL; }
bool bench_probes_has_digests(const bench_probes *probes) { return probes->digest != NULL; }
bool bench_probes_has_empty(const bench_probes *probes) { return probes->empty != NULL; }
bool bench_probe_flush_reads(const bench_probes *probes) { return probes->module != NULL; }
size_t bench_probe_flush_bytes(const bench_probes *probes) { return probes->flush_bytes; }

// A part for each core, as a native variant has, but none that is not worth waking one.
static uint32_t count_parts(const bench_probes *probes, size_t bytes) {
    size_t cores = (size_t)kz_device_get_info(probes->device)->multiprocessors;
    size_t parts = (bytes + LEAST_PART - 1) / LEAST_PART;
    return (uint32_t)(parts < cores ? parts : cores ? cores : 1);
}

static kz_status launch(bench_probes *probes, kz_stream *stream, kz_kernel *kernel, int pieces_per_thread,
                        kz_ptr first, kz_ptr second, size_t bytes, kz_error *error) {
    uint64_t pieces = bytes / PIECE, per_block = (uint64_t)THREADS * (uint64_t)pieces_per_thread;
    if (pieces == 0) return KZ_OK;
    kz_launch how = {.size = sizeof(kz_launch),
                     .grid = {(uint32_t)((pieces + per_block - 1) / per_block), 1, 1},
                     .block = {THREADS, 1, 1}};
    if (probes->native) how.grid[0] = count_parts(probes, bytes), how.block[0] = 1;
    const void *args[] = {&first, &second, &pieces};
    return kz_launch_kernel(probes->device, stream, kernel, &how, args, 3, error);
}

kz_status bench_probe_copy(bench_probes *probes, kz_stream *stream, kz_ptr to, kz_ptr from, size_t bytes,
                           kz_error *error) {
    if (!bench_probes_has_kernels(probes))
        return kz_copy_on_device(probes->device, stream, to, from, bytes, error);
    return launch(probes, stream, probes->copy, COPY_PIECES, to, from, bytes, error);
}

kz_status bench_probe_read(bench_probes *probes, kz_stream *stream, kz_ptr from, size_t bytes,
                           kz_error *error) {
    if (!bench_probes_has_kernels(probes))
        return base_fail(error, KZ_UNSUPPORTED, "%s has no kernel that only reads",
                         kz_device_get_info(probes->device)->id);
    return launch(probes, stream, probes->read, READ_PIECES, probes->sink, from, bytes, error);
}

kz_status bench_probe_fma(bench_probes *probes, kz_stream *stream, double *flops, kz_error *error) {
    if (!probes->fma)
        return base_fail(error, KZ_UNSUPPORTED, "this device has no kernel for fused multiply-adds");
    int multiprocessors = kz_device_get_info(probes->device)->multiprocessors;
    uint64_t turns = FMA_TURNS;
    const void *args[] = {&probes->sink, &turns};
    const kz_launch launch = {
        .size = sizeof(kz_launch),
        .grid = {(uint32_t)(multiprocessors > 0 ? multiprocessors : 1) * FMA_BLOCKS, 1, 1},
        .block = {THREADS, 1, 1}};
    *flops = 2.0 * FMA_PER_TURN * FMA_TURNS * launch.grid[0] * THREADS;
    return kz_launch_kernel(probes->device, stream, probes->fma, &launch, args, BASE_COUNT(args), error);
}

kz_status bench_probe_empty(bench_probes *probes, kz_stream *stream, kz_error *error) {
    const kz_launch launch = {.size = sizeof(kz_launch), .grid = {1, 1, 1}, .block = {32, 1, 1}};
    if (!probes->empty)
        return base_fail(error, KZ_UNSUPPORTED, "this device has no kernel that does nothing");
    return kz_launch_kernel(probes->device, stream, probes->empty, &launch, NULL, 0, error);
}

kz_status bench_probe_flush(bench_probes *probes, kz_stream *stream, kz_error *error) {
    if (!probes->module) return bench_probe_dirty(probes, stream, error);
    return launch(probes, stream, probes->read, READ_PIECES, probes->sink, probes->scratch,
                  probes->flush_bytes, error);
}

kz_status bench_probe_busy(bench_probes *probes, kz_stream *stream, double seconds, kz_error *error) {
    double each = (double)probes->flush_bytes / FASTEST_MEMORY;
    size_t flushes = (size_t)(seconds / (each > LEAST_LAUNCH ? each : LEAST_LAUNCH)) + 1;
    kz_status status = KZ_OK;
    for (size_t i = 0; i < flushes && !probes->native && !status; i++)
        status = bench_probe_flush(probes, stream, error);
    return status;
}

kz_status bench_probe_dirty(bench_probes *probes, kz_stream *stream, kz_error *error) {
    return kz_memory_fill(probes->device, stream, probes->scratch, 0x5a, probes->flush_bytes, error);
}

kz_status bench_probe_rewrite(bench_probes *probes, kz_stream *stream, kz_ptr at, size_t bytes,
                              kz_error *error) {
    if (!probes->module)
        return base_fail(error, KZ_UNSUPPORTED, "%s cannot write inputs again: its driver compiles no PTX",
                         kz_device_get_info(probes->device)->id);
    return launch(probes, stream, probes->rewrite, COPY_PIECES, at, at, bytes, error);
}

kz_status bench_probe_digest(bench_probes *probes, kz_ptr from, size_t bytes, uint64_t *digest,
                             kz_error *error) {
    if (!probes->digest) return base_fail(error, KZ_UNSUPPORTED, "this device has no kernel for digests");
    int multiprocessors = kz_device_get_info(probes->device)->multiprocessors;
    uint32_t most = (uint32_t)(multiprocessors > 0 ? multiprocessors : 1) * DIGEST_BLOCKS;
    uint64_t pieces = bytes / PIECE, blocks = (pieces + THREADS - 1) / THREADS;
    const void *args[] = {&probes->sink, &from, &pieces};
    const kz_launch launch = {.size = sizeof(kz_launch),
                              .grid = {blocks > most ? most
                                       : blocks      ? (uint32_t)blocks
                                                     : 1,
                                       1, 1},
                              .block = {THREADS, 1, 1}};
    kz_status status = kz_memory_fill(probes->device, NULL, probes->sink, 0, sizeof *digest, error);
    if (!status)
        status =
            kz_launch_kernel(probes->device, NULL, probes->digest, &launch, args, BASE_COUNT(args), error);
    if (!status) status = kz_copy_to_host(probes->device, NULL, digest, probes->sink, sizeof *digest, error);
    return status ? status : kz_stream_synchronize(probes->device, NULL, error);
}
