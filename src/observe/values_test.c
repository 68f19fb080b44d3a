// The values that kernels read and wrote: from memory, from parameters, by atomics; and which came from the host.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "observe/observe.h"
#include "unit.h"

// to[tid] = from[tid] + more, by 32 threads; and *sum += 1000 by each.
static const char *const text =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry step(.param .u64 from, .param .u64 to, .param .u64 sum, .param .u32 more) {\n"
    "  .reg .b32 %r<5>; .reg .b64 %rd<7>;\n"
    "  ld.param.u64 %rd1, [from];\n  ld.param.u64 %rd2, [to];\n  ld.param.u64 %rd3, [sum];\n"
    "  ld.param.u32 %r1, [more];\n  mov.u32 %r2, %tid.x;\n  mul.wide.u32 %rd4, %r2, 4;\n"
    "  add.u64 %rd5, %rd1, %rd4;\n  add.u64 %rd6, %rd2, %rd4;\n  ld.global.u32 %r3, [%rd5];\n"
    "  add.u32 %r4, %r3, %r1;\n  st.global.u32 [%rd6], %r4;\n  red.global.add.u32 [%rd3], 1000;\n  ret;\n}\n";

static bool holds(const char *record, const char *set, uint32_t word) {
    char key[32], digits[17] = {0};
    snprintf(key, sizeof key, "\"%s\":\"", set);
    const char *at = strstr(strstr(record, "\"type\":\"values\""), key);
    assert_non_null(at);
    uint32_t bit = observe_values_bit(word);
    memcpy(digits, at + strlen(key) + bit / 64 * 16, 16);
    return strtoull(digits, NULL, 16) >> (bit % 64) & 1;
}

static void run(sim_program *program, uint64_t from, uint64_t to, uint64_t sum, uint32_t more) {
    const void *args[] = {&from, &to, &sum, &more};
    const sim_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .args = args, .arg_count = 4};
    kz_error error = {0};
    if (sim_run(program, "step", &launch, NULL, &error)) fail_msg("%s", error.message);
}

static void tells_what_came_from_where(void **state) {
    const sim_config config = {.sm = 90,
                               .multiprocessors = 1,
                               .max_threads_per_block = 1024,
                               .max_threads_per_multiprocessor = 2048,
                               .max_blocks_per_multiprocessor = 32,
                               .shared_per_block = 48 << 10,
                               .memory_bytes = 1 << 26,
                               .host_threads = 1};
    const observe_gpu gpu = {.key = "h200", .sm = 90, .multiprocessors = 1};
    const observe_options options = {.values = true};
    observe_session *session;
    sim_machine *machine;
    ptx_module *module;
    sim_program *program;
    uint64_t from, to, sum;
    uint32_t data[32];
    base_text record = {0};
    kz_error error = {0};
    for (uint32_t i = 0; i < 32; i++) data[i] = 70000 + 3 * i;
    assert_int_equal(observe_session_open(&options, &gpu, &session, &error), KZ_OK);
    assert_int_equal(sim_machine_open(&config, &machine, &error), KZ_OK);
    sim_machine_set_listener(machine, observe_session_listener(session));
    assert_int_equal(ptx_module_open("step.ptx", text, strlen(text), &module, &error), KZ_OK);
    assert_int_equal(sim_program_open(machine, module, &program, &error), KZ_OK);
    assert_int_equal(sim_memory_alloc(machine, sizeof data, &from, &error), KZ_OK);
    assert_int_equal(sim_memory_alloc(machine, sizeof data, &to, &error), KZ_OK);
    assert_int_equal(sim_memory_alloc(machine, 4, &sum, &error), KZ_OK);
    assert_int_equal(sim_memory_fill(machine, sum, 0, 4, &error), KZ_OK);
    assert_int_equal(sim_memory_write(machine, from, data, sizeof data, &error), KZ_OK);
    run(program, from, to, sum, 5000000);
    run(program, to, from, sum, 9000000); // reads what a kernel wrote
    sim_program_close(program);
    sim_machine_close(machine);
    observe_session_finish(session, &record);
    observe_session_close(session);
    for (uint32_t i = 0; i < 32; i++) {
        assert_true(holds(record.data, "read", data[i]) && holds(record.data, "given", data[i]));
        assert_true(holds(record.data, "written", data[i] + 5000000));
        assert_true(holds(record.data, "read", data[i] + 5000000));
        assert_false(holds(record.data, "given", data[i] + 5000000));
        assert_true(holds(record.data, "written", data[i] + 14000000));
        assert_false(holds(record.data, "written", data[i]));
        assert_false(holds(record.data, "read", data[i] + 14000000));
    }
    assert_true(holds(record.data, "given", 5000000)); // a parameter
    assert_true(holds(record.data, "written", 64000)); // by atomics, in all
    base_text_free(&record);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(tells_what_came_from_where)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
