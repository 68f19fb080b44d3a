// A learner's pages: what they say, that they fit the terminal, and that the HTML is whole.
#include "report/learner/learner.h"

#include <math.h>
#include <stdlib.h>

#include "unit.h"

static const report_share topics[] = {{"Execution model", 9, 9},
                                      {"Memory, and a title that is longer than any line", 1, 40},
                                      {"Streams", 0, 8}};
static const report_stage stages[] = {
    {"The machine", "", 3, 3, REPORT_NO_GATE, false},
    {"First checkpoint", "", 2, 2, REPORT_GATE_PASSED, false},
    {"Memory", "", 1, 4, REPORT_NO_GATE, true},
    {"Second checkpoint", "still to pass: coalescing-fix, transpose-tiled", 0, 2, REPORT_GATE_OPEN, false},
    {"Last gate", "waits for <Tensor cores>", 0, 1, REPORT_GATE_WAITING, false},
};
static const store_day days[] = {
    {"2026-10-01", 1, 1}, {"2026-11-13", 4, 0}, {"2026-11-14", 9, 2}, {"2026-11-15", 30, 3}};
static const report_best bests[] = {
    {"Add two vectors", "vector-add", "sectors_per_load", "sim:h200", 4, "2026-11-14"},
    {"Sum & <fast>", "reduce-5-whole", "of_peak", "cuda:0 NVIDIA H200", 0.874, "2026-11-15"},
};
static const report_next nexts[] = {{"Coalesce the loads", "kz learn"}, {"today's kata", "kz kata"}};

static report_learner learner(void) {
    return (report_learner){.today = "2026-11-15",
                            .done = 10,
                            .total = 57,
                            .skipped = 1,
                            .readings_done = 4,
                            .reading_total = 38,
                            .katas_done = 2,
                            .kata_total = 30,
                            .attempts = 44,
                            .streak = 3,
                            .topics = topics,
                            .skills = topics,
                            .topic_count = BASE_COUNT(topics),
                            .skill_count = BASE_COUNT(topics),
                            .path = "Fast track",
                            .stages = stages,
                            .stage_count = BASE_COUNT(stages),
                            .days = days,
                            .day_count = BASE_COUNT(days),
                            .bests = bests,
                            .best_count = BASE_COUNT(bests),
                            .next = nexts,
                            .next_count = BASE_COUNT(nexts)};
}

static char *print(report_style style, const report_learner *l) {
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    report_learner_print(file, &style, l);
    fclose(file);
    return text;
}

static void expect_within(const char *text, size_t width) {
    char *copy = strdup(text), *rest = copy;
    for (char *line; (line = strsep(&rest, "\n"));)
        if (report_width(line) > width) fail_msg("%zu columns: %s", report_width(line), line);
    free(copy);
}

// The first week is May's last: its name would take June's place.
static void calendar_names_every_month(void **state) {
    report_learner l = learner();
    strcpy(l.today, "2026-11-16");
    char *text = print((report_style){.width = 80}, &l);
    assert_non_null(strstr(text, "\n         Jun "));
    assert_null(strstr(text, "May"));
    free(text);
}

static void terminal_page_says_it_all(void **state) {
    report_learner l = learner();
    char *text = print((report_style){.terminal = true, .utf8 = true, .width = 80}, &l);
    static const char *const words[] = {"10 of 57 tasks passed",
                                        "4 of 38 readings",
                                        "2 of 30 katas",
                                        "1 skipped",
                                        "3 in a row",
                                        "Execution model",
                                        "9/9",
                                        "✓",
                                        "→",
                                        "gate: passed",
                                        "gate: open",
                                        "gate: waiting",
                                        "coalescing-fix",
                                        "Tensor",
                                        "counted, sim:h200",
                                        "0.874",
                                        "kz learn",
                                        "█",
                                        "░",
                                        "Nov",
                                        "Mon"};
    for (size_t i = 0; i < BASE_COUNT(words); i++)
        if (!strstr(text, words[i])) fail_msg("\"%s\" is missing:\n%s", words[i], text);
    assert_null(strchr(text, '\033'));
    free(text);
}

static void terminal_page_fits(void **state) {
    report_learner l = learner();
    static const int widths[] = {40, 50, 60, 80, 120, 200};
    for (size_t i = 0; i < BASE_COUNT(widths); i++) {
        char *text = print((report_style){.utf8 = true, .width = widths[i]}, &l);
        expect_within(text, (size_t)widths[i]);
        free(text);
    }
}

static void terminal_page_without_utf8(void **state) {
    report_learner l = learner();
    char *text = print((report_style){.width = 80}, &l);
    for (const char *at = text; *at; at++)
        if ((unsigned char)*at >= 128) fail_msg("a character that is not ASCII: %s", at);
    assert_non_null(strstr(text, "####"));
    free(text);
}

static void colours_where_they_are_wanted(void **state) {
    report_learner l = learner();
    char *text = print((report_style){.terminal = true, .colour = true, .utf8 = true, .width = 80}, &l);
    assert_non_null(strstr(text, "\033[32m"));
    free(text);
}

static void nothing_done_yet(void **state) {
    report_learner l = {.today = "2026-11-15", .total = 57, .kata_total = 30};
    char *text = print((report_style){.width = 80}, &l);
    assert_non_null(strstr(text, "0 of 57 tasks passed"));
    assert_non_null(strstr(text, "kz learn paths"));
    free(text);
    base_text page = {0};
    report_learner_html(&page, &l);
    assert_non_null(strstr(page.data, "</html>"));
    base_text_free(&page);
}

// Every element that is opened is closed, in order: the pages are written as XML.
static void expect_whole(const char *page) {
    char stack[40][20];
    int depth = 0;
    for (const char *at = strchr(page, '<'); at; at = strchr(at + 1, '<')) {
        const char *end = strchr(at, '>');
        assert_non_null(end);
        if (at[1] == '!' || end[-1] == '/') continue;
        size_t length = strcspn(at + 1 + (at[1] == '/'), " >");
        if (at[1] == '/') {
            if (depth == 0 || strlen(stack[depth - 1]) != length ||
                strncmp(stack[depth - 1], at + 2, length) != 0)
                fail_msg("closes what is not open: %.60s", at);
            depth--;
        } else {
            assert_true(depth < 40 && length < 20);
            snprintf(stack[depth++], sizeof stack[0], "%.*s", (int)length, at + 1);
        }
    }
    assert_int_equal(depth, 0);
}

static void page_is_whole_and_alone(void **state) {
    report_learner l = learner();
    base_text page = {0};
    report_learner_html(&page, &l);
    expect_whole(page.data);
    static const char *const words[] = {"prefers-color-scheme:dark",
                                        "First checkpoint",
                                        "gate, passed",
                                        "gate, waiting",
                                        "&lt;Tensor cores&gt;",
                                        "Sum &amp; &lt;fast&gt;",
                                        "timed on cuda:0 NVIDIA H200",
                                        "counted by the simulator (sim:h200)",
                                        "2026-11-15: 30 attempts, 3 passed"};
    for (size_t i = 0; i < BASE_COUNT(words); i++) assert_has(page.data, words[i]);
    static const char *const never[] = {"<script", "http://", "https://", "src=", "@import", "url("};
    for (size_t i = 0; i < BASE_COUNT(never); i++) assert_null(strstr(page.data, never[i]));
    base_text_free(&page);
}

static void json_says_the_same(void **state) {
    report_learner l = learner();
    json_t *json = report_learner_json(&l);
    assert_non_null(json);
    assert_int_equal(json_integer_value(json_object_get(json, "passed")), 10);
    assert_int_equal(json_array_size(json_object_get(json, "stages")), BASE_COUNT(stages));
    json_t *gate = json_array_get(json_object_get(json, "stages"), 4);
    assert_string_equal(json_string_value(json_object_get(gate, "gate")), "waiting");
    assert_int_equal(json_array_size(json_object_get(json, "days")), BASE_COUNT(days));
    json_decref(json);
    l.path = NULL;
    json = report_learner_json(&l);
    assert_true(json_is_null(json_object_get(json, "path")));
    json_decref(json);
}

static void portfolio_shows_works(void **state) {
    static const report_point points[] = {{16, "2026-11-13"}, {8, "2026-11-14"}, {4, "2026-11-15"}};
    static const report_line lines[] = {{"sectors_per_load", "sim:h200", false, points, 3, 4},
                                        {"of_peak", "cuda:0 NVIDIA H200", true, points, 1, 16}};
    static const char *const insights[] = {"Coalescing", "It was the <stride>.\nAnd nothing else."};
    const report_work works[] = {
        {"Transpose", "transpose-padded", "Turn a matrix.", "2026-11-15", true, 5, "if (a < b) c();\n",
         "t.cu", lines, 2, insights, 1},
        {"Warp sum", "warp-sum", "Sum it.", "2026-11-14", false, 1, NULL, NULL, NULL, 0, NULL, 0}};
    const report_portfolio p = {
        .today = "2026-11-15", .done = 2, .total = 57, .works = works, .work_count = 2};
    base_text page = {0};
    report_portfolio_html(&page, &p);
    expect_whole(page.data);
    static const char *const words[] = {"capstone",
                                        "if (a &lt; b) c();\n",
                                        "The code that passed was not kept",
                                        "counted by the simulator (sim:h200); smaller is better",
                                        "timed on cuda:0 NVIDIA H200; larger is better",
                                        "after 5 attempts",
                                        "after 1 attempt<",
                                        "It was the &lt;stride&gt;.\nAnd",
                                        "polyline"};
    for (size_t i = 0; i < BASE_COUNT(words); i++) assert_has(page.data, words[i]);
    assert_null(strstr(page.data, "nan"));
    base_text_free(&page);
    const report_portfolio empty = {.today = "2026-11-15", .total = 57};
    report_portfolio_html(&page, &empty);
    assert_non_null(strstr(page.data, "Nothing has been passed"));
    base_text_free(&page);
}

static void counted_or_timed(void **state) {
    char how[80], value[REPORT_NUMBER];
    assert_string_equal(report_figure(value, 4), "4");
    assert_string_equal(report_figure(value, 0.87432), "0.8743");
    assert_string_equal(report_figure(value, 32768), "32768");
    assert_string_equal(report_figure(value, 123456789), "123 M");
    assert_string_equal(report_how_measured("of_peak", "cuda:0 NVIDIA H200", how, sizeof how),
                        "timed on cuda:0 NVIDIA H200");
    // The results were checked on a GPU; the sectors were counted all the same.
    assert_string_equal(report_how_measured("sectors_per_load", "cuda:0 NVIDIA H200", how, sizeof how),
                        "counted by the simulator");
    assert_string_equal(report_how_measured("sectors_per_load", "sim:a100", how, sizeof how),
                        "counted by the simulator (sim:a100)");
    assert_string_equal(report_how_measured("d1_misses", "cpu", how, sizeof how), "counted by cachegrind");
    assert_string_equal(report_how_measured("ratio_to_solution", "cpu", how, sizeof how), "timed on cpu");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terminal_page_says_it_all),
        cmocka_unit_test(calendar_names_every_month),
        cmocka_unit_test(terminal_page_fits),
        cmocka_unit_test(terminal_page_without_utf8),
        cmocka_unit_test(colours_where_they_are_wanted),
        cmocka_unit_test(nothing_done_yet),
        cmocka_unit_test(page_is_whole_and_alone),
        cmocka_unit_test(json_says_the_same),
        cmocka_unit_test(counted_or_timed),
        cmocka_unit_test(portfolio_shows_works),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
