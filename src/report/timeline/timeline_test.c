// Timelines: sums over operations that overlap, the drawing, records.

#include <math.h>
#include <stdlib.h>

#include "report/record/record.h"
#include "report/timeline/timeline.h"
#include "unit.h"

// Two pieces through two streams: 4 up, 4 of kernel, 2 down each.
static report_timeline_span spans[] = {
    {DEVICE_ENGINE_TO_DEVICE, 7, "copy", 64, 0, 4}, {DEVICE_ENGINE_COMPUTE, 7, "work", 0, 4, 8},
    {DEVICE_ENGINE_TO_HOST, 7, "copy", 64, 8, 10},  {DEVICE_ENGINE_TO_DEVICE, 9, "copy", 64, 4, 8},
    {DEVICE_ENGINE_COMPUTE, 9, "work", 0, 8, 12},   {DEVICE_ENGINE_TO_HOST, 9, "copy", 64, 12, 14},
};
static const report_timeline two = {
    .title = "two", .device = "sim:h200", .modelled = true, .seconds = 14, .spans = spans, .count = 6};

static void sums(void **state) {
    report_timeline_totals t = report_timeline_sum(&two);
    assert_true(t.busy[DEVICE_ENGINE_TO_DEVICE] == 8 && t.busy[DEVICE_ENGINE_COMPUTE] == 8 &&
                t.busy[DEVICE_ENGINE_TO_HOST] == 4);
    assert_true(t.copied == 12 && t.hidden == 6 && t.alone == 20 && t.beside == 6);
    assert_true(t.covered == 14 && t.kernels == 2);
}

static void three_at_once_count_once(void **state) {
    report_timeline_span all[] = {{DEVICE_ENGINE_TO_DEVICE, 1, "copy", 1, 0, 4},
                                  {DEVICE_ENGINE_COMPUTE, 2, "work", 0, 1, 5},
                                  {DEVICE_ENGINE_COMPUTE, 4, "work", 0, 2, 3}, // inside the other
                                  {DEVICE_ENGINE_TO_HOST, 3, "copy", 1, 2, 6}};
    report_timeline t = {.seconds = 6, .spans = all, .count = 4};
    report_timeline_totals s = report_timeline_sum(&t);
    assert_true(s.busy[DEVICE_ENGINE_COMPUTE] == 4 && s.alone == 13 && s.covered == 6);
    assert_true(s.beside == 4); // from 1 to 5
    assert_true(s.hidden == 3 + 3);
}

static void the_drawing(void **state) {
    base_text out = {0};
    report_timeline_print(&out, &two, 12 + 28 + 5); // two columns a second
    assert_non_null(strstr(out.data, "to device   7777777799999999............  57%\n"));
    assert_non_null(strstr(out.data, "compute     ........7777777799999999....  57%\n"));
    assert_non_null(strstr(out.data, "stream 9    ........>>>>>>>>########<<<<\n"));
    assert_non_null(strstr(out.data, "one after the other 20.0 s: 1.43x"));
    assert_non_null(strstr(out.data, "hidden      50% of the copying"));
    base_text_free(&out);
}

static void no_gain_where_nothing_overlaps(void **state) {
    report_timeline_span one = {DEVICE_ENGINE_COMPUTE, 1, "work", 0, 4, 7};
    report_timeline t = {
        .title = "one", .device = "sim:h200", .modelled = true, .seconds = 8, .spans = &one, .count = 1};
    base_text out = {0};
    report_timeline_print(&out, &t, 80);
    assert_non_null(strstr(out.data, "end to end  8.00 s, 3.00 s of it busy; nothing runs side by side\n"));
    assert_non_null(
        strstr(out.data, "kernels     2.30 us of each is start and end, 900 ns right after another kernel"));
    assert_null(strstr(out.data, "one after the other"));
    base_text_free(&out);
    t.modelled = false;
    report_timeline_print(&out, &t, 80);
    assert_null(strstr(out.data, "is its launch"));
    base_text_free(&out);
    // A little overlap in a long wait gains nothing either.
    report_timeline_span pair[] = {one, {DEVICE_ENGINE_TO_HOST, 2, "copy", 1, 6, 8}};
    report_timeline p = {.seconds = 20, .spans = pair, .count = 2};
    report_timeline_print(&out, &p, 80);
    assert_non_null(strstr(out.data, "4.00 s of it busy; little runs side by side\n"));
    base_text_free(&out);
}

static void pictures(void **state) {
    base_text svg = {0}, html = {0};
    report_timeline_svg(&svg, &two);
    size_t bars = 0;
    for (const char *at = svg.data; (at = strstr(at, "<rect class=\"f")); at++) bars++;
    assert_int_equal(bars, 12); // each in its engine's row and in its stream's
    report_timeline_html(&html, &two);
    assert_non_null(strstr(html.data, "<td>work</td><td>compute</td><td>9</td>"));
    base_text_free(&svg);
    base_text_free(&html);
}

static kz_status read(const char *text, report_timeline *t, kz_error *error) {
    report_record record = {0};
    assert_int_equal(report_record_parse("test", text, strlen(text), &record, error), KZ_OK);
    kz_status status = report_timeline_read(&record, t, error);
    report_record_free(&record);
    return status;
}

static void records(void **state) {
    report_timeline t;
    kz_error error = {0};
    const char *good = "{\"type\":\"record\",\"program\":\"app\",\"gpu\":\"t4\"}\n"
                       "{\"type\":\"operation\",\"number\":1,\"kind\":\"copy_to_device\",\"stream\":3,"
                       "\"bytes\":8,\"engine\":\"to "
                       "device\",\"start\":1e-6,\"end\":3e-6}\n"
                       "{\"type\":\"operation\",\"number\":2,\"kind\":\"kernel\",\"stream\":4,\"kernel\":"
                       "\"f\",\"engine\":\"compute\","
                       "\"start\":3e-6,\"end\":5e-6}\n"
                       "{\"type\":\"host\",\"operations\":5}\n";
    assert_int_equal(read(good, &t, &error), KZ_OK);
    assert_true(t.count == 2 && t.left_out == 3 && t.seconds == 5e-6 && t.modelled);
    assert_string_equal(t.device, "sim:t4");
    assert_string_equal(t.spans[0].name, "copy");
    assert_true(t.spans[0].engine == DEVICE_ENGINE_TO_DEVICE && t.spans[0].bytes == 8 &&
                t.spans[0].stream == 3);
    assert_string_equal(t.spans[1].name, "f");
    char name[REPORT_STREAM_NAME]; // the numbers that findings have
    report_timeline_name_stream(&t, 3, name);
    assert_string_equal(name, "stream 3");
    report_timeline_name_stream(&t, 1, name);
    assert_string_equal(name, "default 1");
    report_timeline_free(&t);
    assert_int_equal(read("{\"type\":\"record\",\"program\":\"app\",\"gpu\":\"t4\"}\n", &t, &error),
                     KZ_INVALID);
    assert_non_null(strstr(error.message, "kz run app"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums),        cmocka_unit_test(three_at_once_count_once),
        cmocka_unit_test(the_drawing), cmocka_unit_test(no_gain_where_nothing_overlaps),
        cmocka_unit_test(pictures),    cmocka_unit_test(records)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
