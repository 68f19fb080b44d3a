// Blocks take the storage of blocks that ended: nothing of what those held may be seen.
#include <stdlib.h>

#include "sim/core.h"
#include "sim/test_machine.h"
#include "unit.h"

// `fill` leaves 7 in its registers, local and shared memory; `show` stores registers and local memory that it never
// set. Both have the same frame.
static const char *const program_text = ".version 8.0\n.target sm_80\n.address_size 64\n"
                                        ".visible .entry fill(.param .u64 to) {\n"
                                        "  .local .align 4 .b8 own[16];\n"
                                        "  .reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
                                        "  mov.u32 %r1, 7;\n"
                                        "  mov.u32 %r2, 7;\n"
                                        "  mov.u64 %rd2, 7;\n"
                                        "  st.local.u32 [own], %r1;\n"
                                        "  ret;\n"
                                        "}\n"
                                        ".visible .entry show(.param .u64 to) {\n"
                                        "  .local .align 4 .b8 own[16];\n"
                                        "  .reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
                                        "  ld.param.u64 %rd1, [to];\n"
                                        "  ld.local.u32 %r3, [own];\n"
                                        "  st.global.u32 [%rd1], %r1;\n"
                                        "  st.global.u32 [%rd1+4], %r2;\n"
                                        "  st.global.u64 [%rd1+8], %rd2;\n"
                                        "  st.global.u32 [%rd1+16], %r3;\n"
                                        "  ret;\n"
                                        "}\n";

static void what_a_block_held_is_gone(void **state) {
    kz_error error = {0};
    sim_config config = test_config(80);
    config.host_threads = 1;
    sim_machine *machine;
    assert_int_equal(sim_machine_open(&config, &machine, &error), KZ_OK);
    ptx_module *module;
    assert_int_equal(ptx_module_open("t.ptx", program_text, strlen(program_text), &module, &error), KZ_OK);
    sim_program *program;
    assert_int_equal(sim_program_open(machine, module, &program, &error), KZ_OK);
    uint64_t buffer;
    uint32_t got[6];
    assert_int_equal(sim_memory_alloc(machine, sizeof got, &buffer, &error), KZ_OK);
    const void *args[] = {&buffer};
    sim_launch launch = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .args = args, .arg_count = 1};
    assert_int_equal(sim_run(program, "fill", &launch, NULL, &error), KZ_OK);
    assert_int_equal(machine->storage_count, 1); // kept, so the next one takes it
    assert_int_equal(sim_run(program, "show", &launch, NULL, &error), KZ_OK);
    assert_int_equal(machine->storage_count, 1);
    assert_int_equal(sim_memory_read(machine, got, buffer, sizeof got, &error), KZ_OK);
    for (int i = 0; i < 5; i++) assert_int_equal(got[i], 0);
    sim_program_close(program);
    sim_machine_close(machine);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_a_block_held_is_gone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
