// Metrics of kernels from a record: every name of metrics.def, sums over kernels, ratios, and the line that costs most.

#include "gate.h"
#include "gates.h"
#include "observe/observe.h"
#include "unit.h"

static report_record parse(const char *text) {
    report_record record = {0};
    kz_error error = {0};
    if (report_record_parse("test", text, strlen(text), &record, &error)) fail_msg("%s", error.message);
    return record;
}

// A record with every metric there is, each 1: what a gate may ask for is then known.
static void every_metric_of_kernels_is_found(void **state) {
    base_text text = {0};
    size_t count;
    const observe_metric *metrics = observe_metrics(&count);
    base_text_add(&text,
                  "{\"type\":\"record\",\"gpu\":\"h200\",\"sm\":90}\n{\"type\":\"kernel\",\"launches\":1,"
                  "\"metrics\":{\"none\":0");
    for (size_t i = 0; i < count; i++) base_text_add(&text, ",\"%s\":1", metrics[i].name);
    base_text_add(&text, "}}\n");
    report_record record = parse(text.data);
    const course_metric *all = course_metrics(&count);
    bool other = false; // behind those of kernels stand those of the host and of C
    for (size_t i = 0; i < count; i++) {
        other = other || strcmp(all[i].name, "streams") == 0;
        course_metric_value value;
        bool found = course_metric_of_record(&record, all[i].name, 32, &value);
        if (found == other) fail_msg("%s: found %d", all[i].name, found);
        if (found && !(value.known && value.value > 0)) fail_msg("%s is not known", all[i].name);
    }
    report_record_free(&record);
    base_text_free(&text);
}

static const char two_kernels[] =
    "{\"type\":\"record\",\"gpu\":\"h200\",\"sm\":90}\n"
    "{\"type\":\"kernel\",\"launches\":2,\"metrics\":{\"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum\":10,"
    "\"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum\":220,\"launch__thread_count\":64,\"launch__block_"
    "size\":64,"
    "\"launch__shared_mem_per_block_static\":100,\"launch__shared_mem_per_block_dynamic\":28},"
    "\"lines\":[{\"file\":\"/a/"
    "k.cu\",\"line\":7,\"metrics\":{\"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum\":5,"
    "\"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum\":20}},{\"file\":\"/a/k.cu\",\"line\":9,\"metrics\":{"
    "\"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum\":5,\"l1tex__t_sectors_pipe_lsu_mem_global_op_ld."
    "sum\":200}}]}\n"
    "{\"type\":\"kernel\",\"launches\":1,\"metrics\":{\"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum\":10,"
    "\"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum\":40,\"launch__thread_count\":1024,\"launch__block_"
    "size\":1024,"
    "\"launch__shared_mem_per_block_static\":64}}\n";

static double value_of(const report_record *record, const char *metric, uint32_t registers) {
    course_metric_value value;
    assert_true(course_metric_of_record(record, metric, registers, &value));
    assert_true(value.known);
    return value.value;
}

static void kernels_are_summed(void **state) {
    report_record record = parse(two_kernels);
    assert_true(value_of(&record, "loads", 0) == 20);
    assert_true(value_of(&record, "load_sectors", 0) == 260);
    assert_true(value_of(&record, "launches", 0) == 3);
    assert_true(value_of(&record, "threads", 0) == 2 * 64 + 1024);
    assert_true(value_of(&record, "shared_bytes", 0) == 128);
    assert_true(value_of(&record, "registers", 40) == 40);
    assert_true(value_of(&record, "occupancy", 64) ==
                0.5); // 1024 threads with 64 registers: one block of two
    course_metric_value value;
    assert_true(course_metric_of_record(&record, "registers", 0, &value));
    assert_false(value.known);
    assert_false(course_metric_of_record(&record, "no_such", 0, &value));
    report_record_free(&record);
}

static void the_line_that_costs_most_is_named(void **state) {
    report_record record = parse(two_kernels);
    course_metric_value value;
    course_metric_of_record(&record, "load_sectors", 0, &value);
    assert_true(value.mean == 13);
    assert_int_equal(value.line, 9);
    assert_string_equal(value.file, "/a/k.cu");
    assert_true(value.share > 0.9 && value.share < 0.92);
    report_record_free(&record);
}

// 4096 floats in, as many out: 512 sectors each, of which inputs may be read in part.
static course_outcome outcome_of(const char *metric, const char *max, const char *min, double value) {
    const course_parameter x = {
        .name = "x", .type = KZ_F32, .count = "4096", .fill = -1, .role = COURSE_INPUT};
    const course_parameter y = {
        .name = "y", .type = KZ_F32, .count = "4096", .fill = -1, .role = COURSE_OUTPUT};
    course_task task = {.id = "test", .parameters = {x, y}, .parameter_count = 2};
    const course_gate gate = {.metric = metric, .max = max, .min = min};
    task.gates = &gate;
    task.gate_count = 1;
    course_verdict verdict = {.task = &task, .arena = base_arena_open(), .passed = true};
    kz_error error = {0};
    if (course_gate_add(&verdict, &gate, value, "", &error)) fail_msg("%s", error.message);
    course_outcome outcome = verdict.checks[0].outcome;
    course_verdict_close(&verdict);
    return outcome;
}

static void a_gate_has_a_floor(void **state) {
    assert_int_equal(outcome_of("load_sectors", "600", NULL, 512), COURSE_RIGHT);
    assert_int_equal(outcome_of("load_sectors", "600", NULL, 601), COURSE_BAD);
    assert_int_equal(outcome_of("load_sectors", "600", NULL, 64), COURSE_RIGHT);
    assert_int_equal(outcome_of("load_sectors", "600", NULL, 63), COURSE_BAD);
    assert_int_equal(outcome_of("load_sectors", "600", "0", 0), COURSE_RIGHT); // the task says so
    assert_int_equal(outcome_of("load_sectors", "8", NULL, 1),
                     COURSE_RIGHT); // and here: it asks for a search
    assert_int_equal(outcome_of("store_sectors", "600", NULL, 511), COURSE_BAD);
    assert_int_equal(outcome_of("launches", "3", NULL, 0), COURSE_BAD);
    assert_int_equal(outcome_of("d1_misses", "1000", NULL, 10), COURSE_BAD);
    assert_int_equal(outcome_of("atomics", "0", NULL, 0), COURSE_RIGHT);
    assert_int_equal(outcome_of("barriers", "4", NULL, 0), COURSE_RIGHT);
}

// 2 of 32 lanes, or 16; a gate of the task's own takes the place of the common one.
static size_t lane_rows(const char *metric, const char *record_text) {
    const course_gate gate = {.metric = metric, .max = "600"};
    const course_task task = {.id = "test", .gates = &gate, .gate_count = 1};
    course_verdict verdict = {.task = &task, .arena = base_arena_open(), .passed = true};
    report_record record = parse(record_text);
    kz_error error = {0};
    if (course_gate_check_lanes(&verdict, &gate.at, &record, &error)) fail_msg("%s", error.message);
    size_t rows = verdict.check_count;
    if (rows) assert_string_equal(verdict.checks[0].name, "lanes_per_instruction");
    if (rows) assert_non_null(strstr(verdict.checks[0].detail, "stands idle"));
    report_record_free(&record);
    course_verdict_close(&verdict);
    return rows;
}

#define LANES(threads)                                                                                       \
    "{\"type\":\"record\",\"gpu\":\"h200\",\"sm\":90}\n{\"type\":\"kernel\",\"launches\":1,"                 \
    "\"metrics\":{\"ptx__thread_inst_executed.sum\":" threads ",\"ptx__inst_executed.sum\":100}}\n"

// Of 100 elements of 4 bytes, 300 bytes may pass by one thread after the other.
static size_t narrow_rows(const char *record_text) {
    const course_parameter x = {.name = "x", .type = KZ_F32, .role = COURSE_INPUT, .count = "100"};
    course_task task = {.id = "test", .parameter_count = 1};
    task.parameters[0] = x;
    course_verdict verdict = {.task = &task, .arena = base_arena_open(), .passed = true};
    const course_case at = {0};
    report_record record = parse(record_text);
    kz_error error = {0};
    if (course_gate_check_lanes(&verdict, &at, &record, &error)) fail_msg("%s", error.message);
    size_t rows = verdict.check_count;
    if (rows) assert_string_equal(verdict.checks[0].name, "narrow_bytes");
    report_record_free(&record);
    course_verdict_close(&verdict);
    return rows;
}

#define NARROW(bytes)                                                                                        \
    "{\"type\":\"record\",\"gpu\":\"h200\",\"sm\":90}\n{\"type\":\"kernel\",\"launches\":1,"                 \
    "\"metrics\":{\"ptx__bytes_narrow.sum\":" bytes "}}\n"

static void no_thread_moves_it_all(void **state) {
    assert_int_equal(narrow_rows(NARROW("300")), 0);
    assert_int_equal(narrow_rows(NARROW("301")), 1);
}

static void kernels_use_their_lanes(void **state) {
    assert_int_equal(lane_rows("barriers", LANES("200")), 1);
    assert_int_equal(lane_rows("barriers", LANES("799")), 1);
    assert_int_equal(lane_rows("barriers", LANES("800")), 0);
    assert_int_equal(lane_rows("lanes_per_instruction", LANES("200")), 0);
}

static void atomics_and_bulk_copies_move_sectors(void **state) {
    report_record record =
        parse("{\"type\":\"record\",\"gpu\":\"h200\",\"sm\":90}\n"
              "{\"type\":\"kernel\",\"launches\":1,\"metrics\":{\"l1tex__t_sectors_pipe_lsu_mem_global_op_"
              "atom.sum\":7,"
              "\"l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum\":20,\"ptx__bulk_bytes_global_ld.sum\":3200,"
              "\"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum\":1}}\n");
    assert_true(value_of(&record, "load_sectors", 0) == 107);
    assert_true(value_of(&record, "store_sectors", 0) == 27);
    report_record_free(&record);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_metric_of_kernels_is_found),
        cmocka_unit_test(kernels_are_summed),
        cmocka_unit_test(a_gate_has_a_floor),
        cmocka_unit_test(kernels_use_their_lanes),
        cmocka_unit_test(no_thread_moves_it_all),
        cmocka_unit_test(atomics_and_bulk_copies_move_sectors),
        cmocka_unit_test(the_line_that_costs_most_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
