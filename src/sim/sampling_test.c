// Texture fetches and surface accesses: coordinates, address modes, filters, formats, layers, cubes, levels.
#include <stdio.h>

#include "sim/test_machine.h"
#include "sim/texture.h"
#include "unit.h"

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"

typedef struct bed {
    sim_machine *sim;
    uint64_t texels, in, out;
} bed;

static bed open_bed(void) {
    bed b = {0};
    kz_error error = {0};
    sim_config config = test_config(80);
    assert_int_equal(sim_machine_open(&config, &b.sim, &error), KZ_OK);
    assert_int_equal(sim_memory_alloc(b.sim, 4096, &b.texels, &error), KZ_OK);
    assert_int_equal(sim_memory_alloc(b.sim, 4096, &b.in, &error), KZ_OK);
    assert_int_equal(sim_memory_alloc(b.sim, 4096, &b.out, &error), KZ_OK);
    return b;
}

// A 4 x 4 texture of floats, 10 * y + x.
static sim_texture grid_texture(const bed *b) {
    float texels[64];
    kz_error error = {0};
    for (int i = 0; i < 64; i++) texels[i] = (float)(i / 16 * 100 + i / 4 % 4 * 10 + i % 4);
    assert_int_equal(sim_memory_write(b->sim, b->texels, texels, sizeof texels, &error), KZ_OK);
    return (sim_texture){
        .dimensions = 2,
        .kind = SIM_TEXEL_FLOAT,
        .channels = 1,
        .bits = {32},
        .element_bytes = 4,
        .level_count = 1,
        .levels = {{.address = b->texels, .width = 4, .height = 4, .depth = 1, .pitch = 16, .slice = 64}},
        .address_mode = {SIM_ADDRESS_CLAMP, SIM_ADDRESS_CLAMP, SIM_ADDRESS_CLAMP}};
}

// Runs `instruction` in lane 0 with %f1.. and %r1.. = in[0..3] (as bits), %rd1 the object; out[0..3] =
// %f5..%f8.
static kz_status run(bed *b, const sim_texture *t, const char *instruction, const void *in, void *out,
                     kz_error *error) {
    char text[4096];
    snprintf(text, sizeof text,
             HEAD ".visible .entry k(.param .u64 object, .param .u64 in, .param .u64 out) {\n"
                  "  .reg .b32 %%r<9>; .reg .f32 %%f<9>; .reg .b64 %%rd<4>; .reg .b16 %%h<9>;\n"
                  "  ld.param.u64 %%rd1, [object]; ld.param.u64 %%rd2, [in]; ld.param.u64 %%rd3, [out];\n"
                  "  ld.global.v4.f32 {%%f1, %%f2, %%f3, %%f4}, [%%rd2];\n"
                  "  ld.global.v4.b32 {%%r1, %%r2, %%r3, %%r4}, [%%rd2];\n"
                  "  mov.f32 %%f5, 0f00000000; mov.f32 %%f6, 0f00000000; mov.f32 %%f7, 0f00000000;\n"
                  "  mov.f32 %%f8, 0f00000000;\n"
                  "  %s\n"
                  "  st.global.v4.f32 [%%rd3], {%%f5, %%f6, %%f7, %%f8};\n  ret;\n}\n",
             instruction);
    uint64_t handle;
    ptx_module *module;
    sim_program *program;
    assert_int_equal(sim_texture_create(b->sim, t, &handle, error), KZ_OK);
    assert_int_equal(sim_memory_write(b->sim, b->in, in, 16, error), KZ_OK);
    assert_int_equal(ptx_module_open("t.ptx", text, strlen(text), &module, error), KZ_OK);
    assert_int_equal(sim_program_open(b->sim, module, &program, error), KZ_OK);
    const void *args[] = {&handle, &b->in, &b->out};
    sim_launch launch = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .args = args, .arg_count = 3};
    kz_status status = sim_run(program, "k", &launch, NULL, error);
    if (status == KZ_OK) assert_int_equal(sim_memory_read(b->sim, out, b->out, 16, error), KZ_OK);
    sim_program_close(program);
    assert_int_equal(sim_texture_destroy(b->sim, handle, error), KZ_OK);
    return status;
}

static float fetch(bed *b, const sim_texture *t, const char *instruction, float x, float y, float z) {
    float in[4] = {x, y, z, 0}, out[4];
    kz_error error = {0};
    assert_int_equal(run(b, t, instruction, in, out, &error), KZ_OK);
    return out[0];
}

#define TEX_2D "tex.2d.v4.f32.f32 {%f5, %f6, %f7, %f8}, [%rd1, {%f1, %f2}];"
#define TEX_1I "tex.1d.v4.f32.s32 {%f5, %f6, %f7, %f8}, [%rd1, {%r1}];"

static void nearest_texel_and_edges(void **state) {
    bed b = open_bed();
    sim_texture t = grid_texture(&b);
    assert_float_equal(fetch(&b, &t, TEX_2D, 2.9f, 1.1f, 0), 12, 0);
    assert_float_equal(fetch(&b, &t, TEX_2D, -3, 9, 0), 30, 0); // clamped
    t.address_mode[0] = SIM_ADDRESS_WRAP;                       // not for plain coordinates: clamps
    assert_float_equal(fetch(&b, &t, TEX_2D, 5, 0, 0), 3, 0);
    t.normalised_coordinates = true;
    assert_float_equal(fetch(&b, &t, TEX_2D, 1.30f, 0, 0), 1, 0); // 5.2 -> 1
    assert_float_equal(fetch(&b, &t, TEX_2D, -0.1f, 0, 0), 3, 0);
    t.address_mode[0] = SIM_ADDRESS_MIRROR;
    assert_float_equal(fetch(&b, &t, TEX_2D, 1.30f, 0, 0), 2, 0); // 5 -> 2
    assert_float_equal(fetch(&b, &t, TEX_2D, -0.1f, 0, 0), 0, 0);
    t.address_mode[0] = SIM_ADDRESS_BORDER;
    t.border[0] = 7;
    assert_float_equal(fetch(&b, &t, TEX_2D, 1.30f, 0, 0), 7, 0);
    assert_float_equal(fetch(&b, &t, TEX_2D, 0.3f, 0.6f, 0), 21, 0);
    sim_machine_close(b.sim);
}

static void linear_filter(void **state) {
    bed b = open_bed();
    sim_texture t = grid_texture(&b);
    t.filter_linear = true;
    assert_float_equal(fetch(&b, &t, TEX_2D, 1.5f, 2.5f, 0), 21, 0); // a texel's middle
    assert_float_equal(fetch(&b, &t, TEX_2D, 2.0f, 2.0f, 0), 16.5, 0);
    assert_float_equal(fetch(&b, &t, TEX_2D, 1.75f, 2.5f, 0), 21.25, 0);
    assert_float_equal(fetch(&b, &t, TEX_2D, 1.5f + 1.0f / 1024, 2.5f, 0), 21, 0); // 8 bits of fraction
    assert_float_equal(fetch(&b, &t, TEX_2D, 0, 0.5f, 0), 0, 0); // clamped to the first texel
    sim_machine_close(b.sim);
}

static void plain_memory_reads_zero_outside(void **state) {
    bed b = open_bed();
    sim_texture t = grid_texture(&b);
    t.dimensions = 1;
    t.is_linear = true;
    t.levels[0].width = 5;
    t.levels[0].height = 1;
    int32_t in[4] = {4, 0, 0, 0};
    float out[4];
    kz_error error = {0};
    assert_int_equal(run(&b, &t, TEX_1I, in, out, &error), KZ_OK);
    assert_float_equal(out[0], 10, 0);
    in[0] = 5;
    assert_int_equal(run(&b, &t, TEX_1I, in, out, &error), KZ_OK);
    assert_float_equal(out[0], 0, 0);
    in[0] = -1;
    assert_int_equal(run(&b, &t, TEX_1I, in, out, &error), KZ_OK);
    assert_float_equal(out[0], 0, 0);
    sim_machine_close(b.sim);
}

static void formats(void **state) {
    bed b = open_bed();
    sim_texture t = grid_texture(&b);
    uint8_t bytes[16] = {255, 128, 0, 51};
    kz_error error = {0};
    assert_int_equal(sim_memory_write(b.sim, b.texels, bytes, sizeof bytes, &error), KZ_OK);
    t.kind = SIM_TEXEL_UNSIGNED;
    t.channels = 4;
    memset(t.bits, 8, 4);
    t.normalised_values = true;
    float in[4] = {0}, out[4];
    assert_int_equal(run(&b, &t, TEX_2D, in, out, &error), KZ_OK);
    assert_float_equal(out[0], 1, 0);
    assert_float_equal(out[3], 0.2f, 1e-7);
    t.kind = SIM_TEXEL_SIGNED;
    assert_int_equal(run(&b, &t, TEX_2D, in, out, &error), KZ_OK);
    assert_float_equal(out[1], -1, 0); // -128 is -1 as well
    t.normalised_values = false;
    assert_int_equal(run(&b, &t,
                         "tex.2d.v4.s32.f32 {%r5, %r6, %r7, %r8}, [%rd1, {%f1, %f2}];"
                         "cvt.rn.f32.s32 %f5, %r5; cvt.rn.f32.s32 %f6, %r6; cvt.rn.f32.s32 %f8, %r8;",
                         in, out, &error),
                     KZ_OK);
    assert_float_equal(out[0], -1, 0);
    assert_float_equal(out[1], -128, 0);
    assert_float_equal(out[3], 51, 0);
    sim_machine_close(b.sim);
}

static void layers_volumes_cubes_and_levels(void **state) {
    bed b = open_bed();
    sim_texture t = grid_texture(&b);
    t.is_layered = true;
    t.layers = 4;
    int32_t layer = 2;
    float in[4] = {0, 1.5f, 3.5f, 0}, out[4];
    memcpy(in, &layer, 4);
    kz_error error = {0};
    assert_int_equal(run(&b, &t, "tex.a2d.v4.f32.f32 {%f5, %f6, %f7, %f8}, [%rd1, {%r1, %f2, %f3, %f3}];", in,
                         out, &error),
                     KZ_OK);
    assert_float_equal(out[0], 231, 0);
    t = grid_texture(&b);
    t.dimensions = 3;
    t.levels[0].depth = 4;
    assert_float_equal(
        fetch(&b, &t, "tex.3d.v4.f32.f32 {%f5, %f6, %f7, %f8}, [%rd1, {%f1, %f2, %f3, %f3}];", 1, 2, 3), 321,
        0);
    t = grid_texture(&b); // six faces of 2 x 2
    t.is_cubemap = true;
    t.layers = 6;
    t.levels[0].width = t.levels[0].height = 2;
    t.levels[0].slice = 32;
    t.levels[0].pitch = 8;
    float face2 = fetch(&b, &t, "tex.cube.v4.f32.f32 {%f5, %f6, %f7, %f8}, [%rd1, {%f1, %f2, %f3, %f3}];",
                        0.5f, 1, -0.5f);
    assert_float_equal(face2, 101, 0); // +y is face 2, at s = 0.75, t = 0.25: texel (1, 0) of 64 bytes on
    t = grid_texture(&b);
    t.level_count = 2;
    t.levels[1] = (sim_texture_level){
        .address = b.texels + 64, .width = 2, .height = 2, .depth = 1, .pitch = 8, .slice = 16};
    t.max_level = 1;
    t.normalised_coordinates = true;
    const char *lod = "tex.level.2d.v4.f32.f32 {%f5, %f6, %f7, %f8}, [%rd1, {%f1, %f2}], %f3;";
    assert_float_equal(fetch(&b, &t, lod, 0.6f, 0.6f, 0), 22, 0);
    assert_float_equal(fetch(&b, &t, lod, 0.6f, 0.6f, 1), 103, 0);
    t.mipmap_linear = true;
    assert_float_equal(fetch(&b, &t, lod, 0.6f, 0.6f, 0.5f), 62.5, 0);
    sim_machine_close(b.sim);
}

static void gather_goes_round(void **state) {
    bed b = open_bed();
    sim_texture t = grid_texture(&b);
    float in[4] = {2, 2, 0, 0}, out[4];
    kz_error error = {0};
    assert_int_equal(
        run(&b, &t, "tld4.r.2d.v4.f32.f32 {%f5, %f6, %f7, %f8}, [%rd1, {%f1, %f2}];", in, out, &error),
        KZ_OK);
    assert_float_equal(out[0], 21, 0);
    assert_float_equal(out[1], 22, 0);
    assert_float_equal(out[2], 12, 0);
    assert_float_equal(out[3], 11, 0);
    sim_machine_close(b.sim);
}

static void surfaces(void **state) {
    bed b = open_bed();
    sim_texture t = grid_texture(&b);
    t.is_surface = true;
    int32_t in[4] = {8, 1, 0, 0}; // x counts bytes
    float out[4];
    kz_error error = {0};
    const char *load = "suld.b.2d.b32.trap {%r5}, [%rd1, {%r1, %r2}]; mov.b32 %f5, %r5;";
    const char *zero = "suld.b.2d.b32.zero {%r5}, [%rd1, {%r1, %r2}]; mov.b32 %f5, %r5;";
    const char *clamp = "suld.b.2d.b32.clamp {%r5}, [%rd1, {%r1, %r2}]; mov.b32 %f5, %r5;";
    assert_int_equal(run(&b, &t, load, in, out, &error), KZ_OK);
    assert_float_equal(out[0], 12, 0);
    in[0] = 16;
    assert_int_equal(run(&b, &t, zero, in, out, &error), KZ_OK);
    assert_float_equal(out[0], 0, 0);
    assert_int_equal(run(&b, &t, clamp, in, out, &error), KZ_OK);
    assert_float_equal(out[0], 13, 0);
    assert_int_equal(run(&b, &t, load, in, out, &error), KZ_FAULT);
    assert_non_null(strstr(error.message, "x = 16"));
    in[0] = 4;
    assert_int_equal(run(&b, &t, "sust.b.2d.b32.trap [%rd1, {%r1, %r2}], {%r1};", in, out, &error), KZ_OK);
    int32_t stored;
    assert_int_equal(sim_memory_read(b.sim, &stored, b.texels + 20, 4, &error), KZ_OK);
    assert_int_equal(stored, 4);
    assert_int_equal(run(&b, &t, TEX_2D, in, out, &error), KZ_FAULT); // a surface is no texture
    sim_machine_close(b.sim);
}

static void a_dead_handle_is_a_fault(void **state) {
    bed b = open_bed();
    sim_texture t = grid_texture(&b);
    float in[4] = {0}, out[4];
    kz_error error = {0};
    assert_int_equal(run(&b, &t, "mov.b64 %rd1, 12345; " TEX_2D, in, out, &error), KZ_FAULT);
    assert_non_null(strstr(error.message, "no texture object"));
    sim_machine_close(b.sim);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_texel_and_edges),
        cmocka_unit_test(linear_filter),
        cmocka_unit_test(plain_memory_reads_zero_outside),
        cmocka_unit_test(formats),
        cmocka_unit_test(layers_volumes_cubes_and_levels),
        cmocka_unit_test(gather_goes_round),
        cmocka_unit_test(surfaces),
        cmocka_unit_test(a_dead_handle_is_a_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
