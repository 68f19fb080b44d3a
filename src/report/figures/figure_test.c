// The figures' writers: places on axes, cells, and texts that stay inside their elements.
#include <stdlib.h>

#include "report/figures/figure.h"
#include "report/pages/svg.h"
#include "unit.h"

static int count(const char *text, const char *part) {
    int found = 0;
    for (; (text = strstr(text, part)); text += strlen(part)) found++;
    return found;
}

static void places_values_on_axes(void **state) {
    (void)state;
    report_svg_axis plain = {.low = 0, .high = 10, .from = 100, .to = 0};
    report_svg_axis log = {.low = 1, .high = 100, .from = 0, .to = 200, .log = true};
    assert_float_equal(report_svg_position(&plain, 0), 100, 1e-6);
    assert_float_equal(report_svg_position(&plain, 2.5), 75, 1e-6);
    assert_float_equal(report_svg_position(&log, 10), 100, 1e-6);
}

static void escapes_texts(void **state) {
    (void)state;
    base_text out = {0};
    report_svg_text(&out, "mono", "start", 1, 2, "if (a < b && c > \"d\")");
    assert_non_null(strstr(out.data, "if (a &lt; b &amp;&amp; c &gt; &quot;d&quot;)"));
    base_text_free(&out);
}

// What a viewer assumes anyway is not written, nor are digits that nobody sees; spaces that it would drop are kept.
static void writes_no_more_than_is_needed(void **state) {
    (void)state;
    base_text out = {0};
    report_svg_text(&out, "", "start", 16, -0.01, "a b");
    assert_string_equal(out.data, "<text x=\"16\" y=\"0\">a b</text>\n");
    base_text_free(&out);
    report_svg_text(&out, "dim", "end", 1.26, 1000.5, "a  b");
    assert_string_equal(out.data, "<text class=\"dim\" text-anchor=\"end\" x=\"1.3\" y=\"1000.5\" "
                                  "xml:space=\"preserve\">a  b</text>\n");
    base_text_free(&out);
    report_svg_line(&out, "grid", 0, 0.04, 719.96, 2.5);
    assert_string_equal(out.data, "<line class=\"grid\" x1=\"0\" y1=\"0\" x2=\"720\" y2=\"2.5\" />\n");
    base_text_free(&out);
}

// In the widest font that a reader may have, no line of the note reaches the edge.
static void wraps_the_note(void **state) {
    static const char note[] =
        "that kz prof estimates. Dashed: reading 4.64 TB/s (measured 2026-11-15), cores 65.6 "
        "TFLOP/s (measured 2026-11-15).";
    report_figure_bar bars[] = {{"a", "10", 10, 0}};
    base_text out = {0};
    report_figure_bars_write(
        &out, &(report_figure_bars){.text = {"t", note}, .bars = bars, .count = 1, .full = 10});
    assert_null(strstr(out.data, note));
    assert_has(out.data, ">that kz prof estimates. Dashed: ");
    assert_has(out.data, " TFLOP/s (measured</text>");
    assert_has(out.data, ">2026-11-15).</text>");
    base_text_free(&out);
}

static void draws_one_cell_for_each_lane(void **state) {
    (void)state;
    report_figure_row rows[] = {{.name = "heading"}, {.name = "row", .count = 5, .end = "3 lanes"}};
    base_text out = {0};
    memcpy(rows[1].tone, (uint8_t[]){0, REPORT_FIGURE_OFF, 0, 1, REPORT_FIGURE_BLANK}, 5);
    rows[1].inside[2] = "7";
    report_figure_rows_write(&out, &(report_figure_rows){.text = {"title", "note"},
                                                         .rows = rows,
                                                         .count = 2,
                                                         .name_width = 50,
                                                         .cell_width = 10,
                                                         .cell_height = 10});
    assert_int_equal(count(out.data, "h8v10h-8z"), 4);
    assert_int_equal(count(out.data, "<path class=\"f0\""), 1);
    assert_int_equal(count(out.data, "<path class=\"off\""), 1);
    assert_int_equal(count(out.data, ">7</text>"), 1);
    assert_string_equal(out.data + out.length - 7, "</svg>\n");
    base_text_free(&out);
}

static void bars_are_as_long_as_their_values(void **state) {
    (void)state;
    report_figure_bar bars[] = {{"a", "10", 10, 0}, {"b", "5", 5, 1}};
    base_text out = {0};
    double widths[2];
    report_figure_bars_write(&out,
                             &(report_figure_bars){.text = {"t", "n"}, .bars = bars, .count = 2, .full = 10});
    for (int i = 0; i < 2; i++) {
        const char *bar = strstr(out.data, i ? "<rect class=\"f1\"" : "<rect class=\"f0\"");
        assert_non_null(bar);
        widths[i] = atof(strstr(bar, "width=\"") + 7);
    }
    assert_true(widths[0] > 100);
    assert_float_equal(widths[0], 2 * widths[1], 0.2);
    assert_null(strstr(out.data, "class=\"mark\""));
    base_text_free(&out);
}

static void a_plot_has_its_series_and_legend(void **state) {
    (void)state;
    static const double x[] = {1, 2, 3}, y[] = {4, 5, 6}, ticks[] = {1, 2};
    base_text out = {0};
    report_figure_plot plot = {.text = {"t", "n"},
                               .x = {"across", 1, 3, false, ticks, 2, NULL},
                               .y = {"up", 0, 6, false, ticks, 2, NULL},
                               .series = {{"one", x, y, 3, true}, {"two", x, y, 3, false}},
                               .series_count = 2};
    report_figure_plot_write(&out, &plot);
    assert_int_equal(count(out.data, "<polyline"), 2);
    assert_int_equal(count(out.data, "<circle"), 3);
    assert_int_equal(count(out.data, ">two</text>"), 1);
    base_text_free(&out);
}

static void a_roofline_numbers_its_kernels(void **state) {
    (void)state;
    report_figure_kernel kernels[] = {{"first", 0.1, 1e11}, {"second", 100, 5e13}};
    base_text out = {0};
    report_figure_roofline_write(
        &out, &(report_figure_roofline){
                  .text = {"t", "n"}, .bandwidth = 1e12, .peak = 6e13, .kernels = kernels, .count = 2});
    assert_int_equal(count(out.data, "<circle"), 4); // on the peak and in the list
    assert_int_equal(count(out.data, "class=\"peak\""), 1);
    assert_int_equal(count(out.data, ">2</text>"), 2);
    base_text_free(&out);
    report_figure_roofline_write(&out, &(report_figure_roofline){.text = {"t", "n"},
                                                                 .bandwidth = 1e12,
                                                                 .peak = 6e13,
                                                                 .measured_bandwidth = 9e11,
                                                                 .measured_peak = 5e13,
                                                                 .kernels = kernels,
                                                                 .count = 2});
    assert_int_equal(count(out.data, "class=\"peak\" stroke-dasharray"), 1);
    base_text_free(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_values_on_axes),
        cmocka_unit_test(escapes_texts),
        cmocka_unit_test(writes_no_more_than_is_needed),
        cmocka_unit_test(wraps_the_note),
        cmocka_unit_test(draws_one_cell_for_each_lane),
        cmocka_unit_test(bars_are_as_long_as_their_values),
        cmocka_unit_test(a_plot_has_its_series_and_legend),
        cmocka_unit_test(a_roofline_numbers_its_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
