// Files of records: packed they say the same in fewer bytes, without samples; old files are read as they are.
#include "bench/records.h"

#include <stdlib.h>
#include <unistd.h>

#include "bench/compact.h"
#include "unit.h"

// Two candidates in two modes, as schema 1 had them; the second was not timed.
#define HEAD(mode, time, peak)                                                                               \
    "{\"schema\":1,\"run\":{\"id\":\"1\",\"time\":\"" time "\",\"command\":\"kz bench toy\"},"               \
    "\"device\":{\"id\":\"cuda:0\",\"gpu\":\"h200\",\"peaks\":{\"copy_bytes_per_s\":" peak "}},"             \
    "\"case\":{\"name\":\"sum-f32-n8-uniform\",\"family\":\"toy\"},\"mode\":\"" mode "\",\"figure\":true,"
#define TIMED                                                                                                \
    "\"candidate\":{\"by\":\"kz\",\"name\":\"01_naive\"},\"timer\":\"device events\","                       \
    "\"check\":{\"before\":{\"status\":\"right\"},\"after\":null},"
#define SAMPLES "\"samples_s\":[2e-6,1e-6,4e-6],\"statistics\":{\"count\":3,\"median_s\":2e-6}"

static const char file[] = HEAD("latency", "T1", "4e12") TIMED SAMPLES
    ",\"clocks\":{\"before\":{\"sm_hz\":2e9}},\"status\":\"ok\"}\n" HEAD("throughput", "T2", "5e12")
        TIMED SAMPLES ",\"compare\":[],\"status\":\"not converged\"}\n" HEAD(
            "latency", "T2", "4e12") "\"candidate\":{\"by\":\"kz\",\"name\":\"02_wrong\"},\"timer\":null,"
                                     "\"clocks\":{\"before\":null},\"statistics\":null,\"status\":\"wrong\","
                                     "\"reason\":\"all zero\"}\n"
                                     "{\"kind\":\"other\",\"value\":1.5}\n";

static char *write_file(const char *text) {
    char path[] = "/tmp/kz_records_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(base_file_write(path, text, strlen(text), NULL), KZ_OK);
    return strdup(path);
}

static json_t *read_text(const char *text) {
    char *path = write_file(text);
    json_t *records;
    assert_int_equal(bench_records_read(path, &records, NULL, NULL), KZ_OK);
    unlink(path);
    free(path);
    return records;
}

static json_t *at(json_t *object, const char *path) {
    char step[64];
    while (*path && object) {
        size_t length = strcspn(path, ".");
        snprintf(step, sizeof step, "%.*s", (int)length, path);
        object = json_is_array(object) ? json_array_get(object, (size_t)atoi(step))
                                       : json_object_get(object, step);
        path += length + (path[length] == '.');
    }
    return object;
}

static char *pack(const char *text) {
    base_text packed = {0};
    json_t *records = read_text(text);
    assert_int_equal(bench_records_pack(records, &packed, NULL), KZ_OK);
    json_decref(records);
    return packed.data;
}

static void records_with_samples_are_read_as_they_are(void **state) {
    json_t *records = read_text(file);
    (void)state;
    assert_int_equal(json_array_size(records), 4);
    assert_int_equal(json_array_size(at(records, "0.samples_s")), 3);
    assert_float_equal(json_number_value(at(records, "1.device.peaks.copy_bytes_per_s")), 5e12, 1);
    json_decref(records);
}

// The first line of a packed text is the head; this is the second, whole again.
static json_t *first_case(const char *text) {
    json_t *head = json_loads(text, JSON_DISABLE_EOF_CHECK, NULL);
    json_t *kept = json_loads(strchr(text, '\n') + 1, JSON_DISABLE_EOF_CHECK, NULL);
    assert_true(bench_is_head(head));
    assert_int_equal(json_integer_value(at(head, "schema")), BENCH_COMPACT_SCHEMA);
    json_t *line = bench_expand(head, kept);
    json_decref(head);
    json_decref(kept);
    return line;
}

static size_t lines_in(const char *text) {
    size_t count = 0;
    for (; *text; text++) count += *text == '\n';
    return count;
}

static void a_packed_case_is_one_line_without_samples(void **state) {
    char *text = pack(file);
    json_t *line = first_case(text);
    (void)state;
    assert_non_null(strstr(text, "{\"kind\":\"other\",\"value\":1.5}\n"));
    assert_int_equal(lines_in(text), 3); // the head, the case, the other
    assert_null(strstr(text, "samples_s"));
    assert_null(at(line, "device.peaks")); // each mode has its own
    assert_string_equal(json_string_value(at(line, "timer")), "device events");
    assert_float_equal(json_number_value(at(line, "modes.throughput.peaks.copy_bytes_per_s")), 5e12, 1);
    assert_int_equal(json_array_size(at(line, "candidates")), 2);
    assert_string_equal(json_string_value(at(line, "candidates.0.check.before.status")), "right");
    json_t *statistics = at(line, "candidates.0.results.latency.statistics");
    assert_string_equal(json_string_value(at(statistics, "digest")), "5de1fbc741875ad5");
    assert_float_equal(json_number_value(at(statistics, "p05_s")), 1.1e-6, 1e-12);
    assert_float_equal(json_number_value(at(statistics, "p95_s")), 3.8e-6, 1e-12);
    assert_float_equal(json_number_value(at(statistics, "p99_s")), 3.96e-6, 1e-12);
    json_decref(line);
    free(text);
}

static void unpacked_a_record_says_what_it_said(void **state) {
    char *text = pack(file), *again = pack(text);
    json_t *records = read_text(text);
    (void)state;
    assert_string_equal(text, again);
    assert_int_equal(json_array_size(records), 4);
    static const char *const said[][2] = {{"0.mode", "latency"},
                                          {"0.candidate.name", "01_naive"},
                                          {"0.timer", "device events"},
                                          {"0.status", "ok"},
                                          {"1.mode", "throughput"},
                                          {"1.status", "not converged"},
                                          {"1.check.before.status", "right"},
                                          {"1.run.command", "kz bench toy"},
                                          {"2.candidate.name", "02_wrong"},
                                          {"2.reason", "all zero"},
                                          {"2.case.family", "toy"},
                                          {"2.run.time", "T1"}, // the case's
                                          {"3.kind", "other"}};
    for (size_t i = 0; i < BASE_COUNT(said); i++)
        assert_string_equal(json_string_value(at(records, said[i][0])), said[i][1]);
    assert_float_equal(json_number_value(at(records, "0.device.peaks.copy_bytes_per_s")), 4e12, 1);
    assert_float_equal(json_number_value(at(records, "1.device.peaks.copy_bytes_per_s")), 5e12, 1);
    assert_true(json_is_null(at(records, "2.timer"))); // it was not timed, though others of its case were
    assert_true(json_is_null(at(records, "2.clocks.before")));
    assert_null(at(records, "0.modes"));
    json_decref(records);
    free(text);
    free(again);
}

// Files from before peaks were called so: they are read, and packing leaves their words.
static void older_files_say_roofs(void **state) {
    char *text = pack("{\"schema\":1,\"run\":{\"id\":\"1\"},\"device\":{\"id\":\"cuda:0\",\"roofs\":"
                      "{\"copy_bytes_per_s\":4e12}},\"case\":{\"name\":\"n8\",\"family\":\"toy\"},"
                      "\"mode\":\"latency\",\"candidate\":{\"by\":\"roof\",\"name\":\"read\"}," SAMPLES
                      ",\"status\":\"ok\"}\n");
    char *again = pack(text);
    json_t *records = read_text(text), *line = first_case(text);
    assert_string_equal(text, again);
    assert_float_equal(json_number_value(at(line, "modes.latency.roofs.copy_bytes_per_s")), 4e12, 1);
    assert_float_equal(json_number_value(at(records, "0.device.roofs.copy_bytes_per_s")), 4e12, 1);
    assert_true(bench_records_by_peak(json_string_value(at(records, "0.candidate.by"))));
    assert_true(bench_records_by_peak("peak"));
    assert_false(bench_records_by_peak("kz"));
    json_decref(line);
    json_decref(records);
    free(text);
    free(again);
}

// Three conditions of one mode share a line and stay apart; what an unusual one says of its caches stands once.
static void conditions_stay_apart(void **state) {
#define UNDER(cache, stream, median)                                                                         \
    HEAD("latency", "T1", "4e12")                                                                            \
    "\"candidate\":{\"by\":\"kz\",\"name\":\"01_naive\"},\"cache\":{\"state\":\"" cache "\",\"sets\":4},"    \
    "\"stream\":\"" stream "\",\"processes\":2,\"beside\":\"torch\",\"statistics\":{\"median_s\":" median    \
    "},\"status\":\"ok\"}\n"
    char *text =
        pack(UNDER("cold", "later", "1e-6") UNDER("dirty", "first", "2e-6") UNDER("dirty", "later", "3e-6"));
    char *again = pack(text);
    (void)state;
    assert_string_equal(text, again);
    assert_int_equal(lines_in(text), 2); // the head, the case
    json_t *records = read_text(text), *line = first_case(text);
    static const char *const said[][3] = {{"cold", "later"}, {"dirty", "first"}, {"dirty", "later"}};
    assert_int_equal(json_array_size(records), BASE_COUNT(said));
    for (size_t i = 0; i < BASE_COUNT(said); i++) {
        json_t *one = json_array_get(records, i);
        assert_string_equal(json_string_value(at(one, "mode")), "latency");
        assert_string_equal(json_string_value(at(one, "cache.state")), said[i][0]);
        assert_string_equal(json_string_value(at(one, "stream")), said[i][1]);
        assert_int_equal(json_integer_value(at(one, "processes")), 2);
        assert_string_equal(json_string_value(at(one, "beside")), "torch");
        assert_float_equal(json_number_value(at(one, "statistics.median_s")), 1e-6 * (double)(i + 1), 1e-12);
    }
    assert_string_equal(json_string_value(at(line, "cache.state")), "cold");
    assert_string_equal(json_string_value(at(line, "modes.latency dirty first.cache.state")), "dirty");
    assert_null(at(line, "candidates.0.results.latency dirty first.cache"));
    json_decref(line);
    json_decref(records);
    free(text);
    free(again);
}

static void what_was_timed_twice_stays_twice(void **state) {
    char *text = pack(HEAD("latency", "T1", "4e12") TIMED SAMPLES ",\"status\":\"ok\"}\n" HEAD(
        "latency", "T2", "4e12") TIMED SAMPLES ",\"status\":\"ok\"}\n");
    json_t *records = read_text(text);
    (void)state;
    assert_int_equal(json_array_size(records), 2);
    assert_string_equal(json_string_value(at(records, "1.run.time")), "T2");
    json_decref(records);
    free(text);
}

static json_t *lines_of(const char *text) {
    json_t *lines = json_loads(text, 0, NULL);
    assert_true(json_is_array(lines));
    return lines;
}

// What compact.h promises, on lines that make it hard: a member that some lack, that is null, empty, of another type or
// with other keys; a number that is an integer here and a real there; lists of objects.
static void compacted_lines_expand_to_what_they_were(void **state) {
    static const char text[] =
        "[{\"device\":{\"id\":1,\"gpu\":\"h\"},\"axes\":{},\"note\":null,\"modes\":{\"latency\":{\"clocks\":"
        "{\"before\":{\"hz\":1.0,\"w\":2},\"after\":{\"hz\":1.0,\"w\":3}}}},\"candidates\":[{\"check\":{"
        "\"before\":"
        "{\"b\":1,\"a\":[1,[2]]},\"after\":null},\"results\":{\"latency\":{\"compare\":[{\"x\":1},{\"x\":2}]}"
        "}}]},"
        "{\"device\":{\"id\":1,\"gpu\":\"h\"},\"axes\":{\"n\":1},\"note\":{},\"modes\":{},\"candidates\":[]},"
        "{\"device\":{\"id\":1.0,\"gpu\":\"h\"},\"axes\":{},\"modes\":{\"latency\":{\"clocks\":{\"before\":"
        "null}}},"
        "\"candidates\":[{\"check\":{\"before\":{\"b\":2,\"a\":[3]},\"after\":{\"b\":0}},\"results\":{"
        "\"latency\":"
        "{\"compare\":[]},\"throughput\":{\"compare\":[{\"y\":1}]}}}]}]";
    json_t *lines = lines_of(text), *head, *kept;
    (void)state;
    assert_true(bench_compact(lines, &head, &kept));
    assert_string_equal(json_string_value(at(head, "shared.device.gpu")), "h");
    assert_null(at(head, "shared.device.id"));
    json_t *columns = json_object_get(json_object_get(head, "columns"), "check.before");
    assert_string_equal(json_string_value(json_array_get(columns, 1)), "b");
    for (size_t i = 0; i < json_array_size(lines); i++) {
        json_t *whole = bench_expand(head, json_array_get(kept, i));
        assert_true(json_equal(whole, json_array_get(lines, i)));
        json_decref(whole);
    }
    json_decref(lines);
    json_decref(head);
    json_decref(kept);
}

// What a candidate has in case after case stands once in the head, and comes back to each.
static void what_candidates_repeat_stands_once(void **state) {
    json_t *lines =
        lines_of("[{\"candidates\":[{\"candidate\":{\"by\":\"kz\",\"name\":\"a\"},\"source\":{\"lines\":7}},"
                 "{\"candidate\":{\"by\":\"cub\",\"name\":\"b\"},\"kernel\":null}]},"
                 "{\"candidates\":[{\"candidate\":{\"by\":\"cub\",\"name\":\"b\"}},"
                 "{\"candidate\":{\"by\":\"kz\",\"name\":\"a\"},\"source\":{\"lines\":7}}]},{\"modes\":{}}]");
    json_t *head, *kept;
    (void)state;
    assert_true(bench_compact(lines, &head, &kept));
    assert_int_equal(json_array_size(at(head, "repeated.candidate")), 2);
    assert_int_equal(json_array_size(at(head, "repeated.source")), 1);
    char *text = json_dumps(json_array_get(kept, 1), JSON_COMPACT);
    assert_string_equal(text, "{\"candidates\":[[1],[0,0]]}");
    free(text);
    for (size_t i = 0; i < json_array_size(lines); i++) {
        json_t *whole = bench_expand(head, json_array_get(kept, i));
        assert_true(json_equal(whole, json_array_get(lines, i)));
        json_decref(whole);
    }
    // A damaged index gives back what stands there, and touches nothing else.
    json_t *damaged = json_loads("{\"candidates\":[[99]]}", 0, NULL), *whole = bench_expand(head, damaged);
    assert_int_equal(json_integer_value(at(whole, "candidates.0.candidate")), 99);
    json_decref(whole);
    json_decref(damaged);
    json_decref(lines);
    json_decref(head);
    json_decref(kept);
}

// A result is a row of the columns that most have first; it may end early, and one with a hole stays an object.
static void results_are_rows_that_may_end_early(void **state) {
    json_t *lines =
        lines_of("[{\"candidates\":[{\"results\":{\"a\":{\"status\":\"ok\",\"time\":null,\"compare\":3},"
                 "\"b\":{\"status\":\"ok\",\"time\":2},\"c\":{\"status\":\"no\",\"compare\":4}}}]},"
                 "{\"candidates\":[{\"results\":{\"a\":{\"status\":\"ok\",\"time\":5},\"b\":{}}}]}]");
    json_t *head, *kept;
    (void)state;
    assert_true(bench_compact(lines, &head, &kept));
    json_t *results = at(kept, "0.candidates.0.0"); // the only column of a candidate
    assert_int_equal(json_array_size(at(results, "a")), 3);
    assert_int_equal(json_array_size(at(results, "b")), 2);
    assert_true(json_is_object(at(results, "c")));
    for (size_t i = 0; i < json_array_size(lines); i++) {
        json_t *whole = bench_expand(head, json_array_get(kept, i));
        assert_true(json_equal(whole, json_array_get(lines, i)));
        json_decref(whole);
    }
    json_decref(lines);
    json_decref(head);
    json_decref(kept);
}

// Lines of another kind are kept behind a head too, where each says the schema that all have in common.
static void lines_of_another_kind_share_a_head(void **state) {
    static const char lines[] =
        "{\"schema\":1,\"device\":{\"gpu\":\"h200\"},\"microbench\":{\"name\":\"copy\"},\"value\":1.5}\n"
        "{\"schema\":1,\"device\":{\"gpu\":\"h200\"},\"microbench\":{\"name\":\"read\"},\"value\":2.5}\n";
    char *text = pack(lines), *again = pack(text);
    json_t *records = read_text(text), *before = read_text(lines);
    (void)state;
    assert_int_equal(lines_in(text), 3);
    assert_null(strstr(strchr(text, '\n'), "h200")); // the head alone has it
    assert_true(json_equal(records, before));
    assert_string_equal(again, text);
    json_decref(records);
    json_decref(before);
    free(text);
    free(again);
}

// A record says which suite and request it is of; packed and read again it still does.
static void the_suite_and_the_request_are_kept(void **state) {
    static const char line[] =
        "{\"schema\":1,\"run\":{\"id\":\"1\"},\"device\":{\"id\":\"cuda:0\"},"
        "\"case\":{\"name\":\"c\",\"family\":\"toy\"},\"mode\":\"latency\","
        "\"candidate\":{\"by\":\"kz\",\"name\":\"01\"},\"status\":\"ok\",\"quick\":true,"
        "\"suite\":{\"name\":\"h200\",\"digest\":\"d\"},"
        "\"request\":{\"digest\":\"aa\",\"records\":1}}\n";
    json_t *records = read_text(line);
    base_text packed = {0};
    assert_int_equal(bench_records_pack(records, &packed, NULL), KZ_OK);
    json_t *again = read_text(packed.data);
    assert_int_equal(json_array_size(again), 1);
    static const char *const kept[] = {"suite", "request", "quick"};
    for (size_t i = 0; i < BASE_COUNT(kept); i++)
        assert_true(json_equal(json_object_get(json_array_get(again, 0), kept[i]),
                               json_object_get(json_array_get(records, 0), kept[i])));
    json_decref(records);
    json_decref(again);
    base_text_free(&packed);
}

static void a_line_that_is_cut_off_is_named(void **state) {
    char *path = write_file("{\"schema\":1}\n{\"cut");
    json_t *records;
    kz_error error = {0};
    (void)state;
    assert_int_equal(bench_records_read(path, &records, NULL, &error), KZ_IO);
    assert_null(records);
    assert_non_null(strstr(error.message, ":2 is no JSON"));
    unlink(path);
    free(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_with_samples_are_read_as_they_are),
        cmocka_unit_test(a_packed_case_is_one_line_without_samples),
        cmocka_unit_test(unpacked_a_record_says_what_it_said),
        cmocka_unit_test(older_files_say_roofs),
        cmocka_unit_test(conditions_stay_apart),
        cmocka_unit_test(what_was_timed_twice_stays_twice),
        cmocka_unit_test(compacted_lines_expand_to_what_they_were),
        cmocka_unit_test(what_candidates_repeat_stands_once),
        cmocka_unit_test(results_are_rows_that_may_end_early),
        cmocka_unit_test(lines_of_another_kind_share_a_head),
        cmocka_unit_test(the_suite_and_the_request_are_kept),
        cmocka_unit_test(a_line_that_is_cut_off_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
