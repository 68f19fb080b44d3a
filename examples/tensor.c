// A tensor map: one instruction copies a box of a matrix to shared memory, what lies outside included as zeros. The
// kernel takes the map by value; runs on a GPU of sm_90 or newer, or on the simulator: ./tensor sim
//
//     cc tensor.c -o tensor $(pkg-config --cflags --libs kz)
#include <stdalign.h>
#include <stdio.h>

#include "kz/plan.h"

#define CHECK(call)                                                                                          \
    if ((call) != KZ_OK) goto failed

// Loads the box at (column, row) and stores it to `out`, one word per thread:
//     __global__ void box(const __grid_constant__ CUtensorMap map, int column, int row, float *out)
static const char ptx[] =
    ".version 8.0\n"
    ".target sm_90\n"
    ".address_size 64\n"
    ".visible .entry box(.param .align 64 .b8 map[128], .param .u32 column, .param .u32 row, .param .u64 "
    "out) {\n"
    "    .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<6>;\n"
    "    .shared .align 128 .b8 tile[128]; .shared .align 8 .b64 bar;\n"
    "    mov.u32 %r0, %tid.x;\n"
    "    setp.ne.u32 %p0, %r0, 0;\n"
    "    @%p0 bra wait;\n"
    "    mbarrier.init.shared::cta.b64 [bar], 1;\n"
    "    fence.mbarrier_init.release.cluster;\n"
    "    mov.b64 %rd0, map;\n"
    "    cvta.param.u64 %rd1, %rd0;\n"
    "    ld.param.u32 %r1, [column];\n"
    "    ld.param.u32 %r2, [row];\n"
    "    mbarrier.arrive.expect_tx.shared::cta.b64 %rd2, [bar], 128;\n"
    "    cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes\n"
    "        [tile], [%rd1, {%r1, %r2}], [bar];\n"
    "wait:\n"
    "    bar.sync 0;\n"
    "again:\n"
    "    mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0;\n"
    "    @!%p1 bra again;\n"
    "    mov.u32 %r3, tile;\n"
    "    shl.b32 %r4, %r0, 2;\n"
    "    add.u32 %r5, %r3, %r4;\n"
    "    ld.shared.u32 %r6, [%r5];\n"
    "    ld.param.u64 %rd3, [out];\n"
    "    mul.wide.u32 %rd4, %r0, 4;\n"
    "    add.u64 %rd5, %rd3, %rd4;\n"
    "    st.global.u32 [%rd5], %r6;\n"
    "    ret;\n"
    "}\n";

enum { COLUMNS = 12, ROWS = 5, WIDTH = 8, HEIGHT = 4 };

static void print(float box[HEIGHT][WIDTH]) {
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) printf(x + 1 < WIDTH ? "%g " : "%g\n", (double)box[y][x]);
}

int main(int argc, char **argv) {
    kz_error error = {0};
    kz_device *device = NULL;
    kz_module *module = NULL;
    kz_kernel *kernel;
    kz_ptr matrix = 0, out = 0;
    float numbers[ROWS][COLUMNS], box[HEIGHT][WIDTH];
    int column = 8, row = 3, code = 1; // a box begins at a multiple of 16 bytes of a row
    alignas(KZ_TENSOR_MAP_ALIGN) char map[KZ_TENSOR_MAP_BYTES];
    for (int i = 0; i < ROWS * COLUMNS; i++) numbers[i / COLUMNS][i % COLUMNS] = (float)(i + 1);

    CHECK(kz_device_open(argc > 1 ? argv[1] : NULL, &device, &error));
    kz_image image = {.size = sizeof image, .name = "box.ptx", .ptx = ptx, .ptx_size = sizeof ptx - 1};
    CHECK(kz_module_load(device, &image, &module, &error));
    CHECK(kz_module_kernel(module, "box", &kernel, &error));
    CHECK(kz_memory_alloc(device, sizeof numbers, &matrix, &error));
    CHECK(kz_memory_alloc(device, sizeof box, &out, &error));
    CHECK(kz_copy_to_device(device, NULL, matrix, numbers, sizeof numbers, &error));

    kz_tensor tensor = {.size = sizeof tensor,
                        .type = KZ_TENSOR_F32,
                        .rank = 2,
                        .address = matrix,
                        .dims = {COLUMNS, ROWS},
                        .strides = {0, sizeof numbers[0]},
                        .box = {WIDTH, HEIGHT}};
    CHECK(kz_tensor_map_encode(device, &tensor, map, &error));
    kz_launch launch = {.size = sizeof launch, .grid = {1, 1, 1}, .block = {WIDTH * HEIGHT, 1, 1}};
    const void *args[] = {map, &column, &row, &out};
    CHECK(kz_launch_kernel(device, NULL, kernel, &launch, args, 4, &error));
    CHECK(kz_copy_to_host(device, NULL, box, out, sizeof box, &error));
    CHECK(kz_device_synchronize(device, &error));
    print(box);

    // As a plan, which makes the map anew for the buffers of each run: the box at column 4 of row 0.
    static kz_plan plan;
    const kz_arg planned[] = {kz_plan_add_map(&plan, kz_arg_buffer(0), &tensor), kz_arg_u64(4), kz_arg_u64(0),
                              kz_arg_buffer(1)};
    kz_plan_add_kernel(&plan, 0, "box", &launch, planned, 4);
    CHECK(kz_plan_run(device, NULL, module, &plan, (const kz_ptr[]){matrix, out}, 2, 0, &error));
    CHECK(kz_copy_to_host(device, NULL, box, out, sizeof box, &error));
    CHECK(kz_device_synchronize(device, &error));
    print(box);
    code = 0;

failed:
    if (code) fprintf(stderr, "%s\n", error.message);
    kz_memory_free(device, matrix, NULL);
    kz_memory_free(device, out, NULL);
    kz_module_close(module);
    kz_device_close(device);
    return code;
}
