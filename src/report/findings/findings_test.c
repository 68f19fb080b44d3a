// Findings merged over runs, chosen, suppressed; and whether JSON, JUnit and SARIF are what readers expect.

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "report/findings/findings.h"
#include "unit.h"

#define PLACE(line, thread)                                                                                  \
    "{\"file\":\"/src/a <b>&.cu\",\"line\":" #line ",\"column\":5,\"block\":[1,0,0],\"thread\":[" #thread    \
    ",0,0],\"ptx_line\":3,\"ptx\":\"x\",\"access\":\"write\"}"
#define RACE(first, second)                                                                                  \
    "{\"type\":\"finding\",\"kind\":\"race\",\"severity\":\"error\",\"title\":\"data race\",\"text\":\"two " \
    "<threads>\\nlikely cause: \\\"x\\\"\",\"kernel\":\"_Z1kv\",\"launch\":1,\"first\":" first               \
    ",\"second\":" second ",\"space\":\"shared\",\"address\":\"0x10\",\"bytes\":4,\"buffer\":\"tile\","      \
    "\"count\":3}\n"
#define LEAK                                                                                                 \
    "{\"type\":\"finding\",\"kind\":\"leak\",\"severity\":\"warning\",\"title\":\"memory\",\"text\":\"4 "    \
    "bytes\",\"count\":1}\n"
#define NOTE                                                                                                 \
    "{\"type\":\"finding\",\"kind\":\"race-same-value\",\"severity\":\"note\",\"title\":\"same\",\"text\":"  \
    "\"t\",\"first\":" PLACE(9, 1) ",\"count\":1}\n"
#define KERNEL "{\"type\":\"kernel\",\"name\":\"_Z1kv\",\"short\":\"k\"}\n"
#define END    "{\"type\":\"end\",\"status\":\"ok\",\"launches\":2}\n"

static void add(report_findings *findings, const char *text, const char *target, uint64_t seed) {
    report_record record;
    kz_error error = {0};
    if (report_record_parse("test", text, strlen(text), &record, &error)) fail_msg("%s", error.message);
    report_findings_add(findings, &record, target, seed);
    report_record_free(&record);
}

static void fill(report_findings *findings) {
    assert_true(report_findings_open(findings));
    add(findings, KERNEL RACE(PLACE(14, 3), PLACE(18, 35)) LEAK NOTE END, "prog", 0);
    add(findings, KERNEL RACE(PLACE(18, 1), PLACE(14, 2)) END, "prog", 1); // the other way round
    add(findings, END, "clean & quiet", 0);
}

static void runs_are_merged(void **state) {
    report_findings findings;
    fill(&findings);
    assert_int_equal(report_findings_count(&findings, "error"), 1);
    assert_int_equal(report_findings_count(&findings, "warning"), 1);
    assert_int_equal(report_findings_count(&findings, "note"), 1);
    const json_t *race = json_array_get(findings.items, 0);
    assert_int_equal(report_get_count(race, "count"), 6);
    assert_int_equal(json_array_size(report_get(race, "seeds")), 2);
    assert_string_equal(report_get_text(race, "short"), "k");
    assert_int_equal(findings.runs, 3);
    assert_int_equal(findings.launches, 6);
    base_text title = {0};
    report_finding_title(race, &title);
    assert_string_equal(title.data, "race at a <b>&.cu:14 and a <b>&.cu:18");
    base_text_free(&title);
    report_findings_close(&findings);
}

#define LONG_CAUSE                                                                                           \
    "{\"type\":\"finding\",\"kind\":\"leak\",\"severity\":\"warning\",\"title\":\"memory\",\"text\":"        \
    "\"t\\nlikely "                                                                                          \
    "cause: words that go past the end of a narrow terminal\",\"count\":1}\n"

// On a terminal the cause is wrapped to its width, at a blank; in a file it stays one line.
static void causes_fit_the_terminal(void **state) {
    report_findings findings;
    assert_true(report_findings_open(&findings));
    add(&findings, LONG_CAUSE END, "prog", 0);
    for (int terminal = 0; terminal < 2; terminal++) {
        char *text = NULL;
        size_t size = 0;
        FILE *file = open_memstream(&text, &size);
        const report_style style = {.terminal = terminal, .width = 40};
        report_findings_print(file, &style, &findings, NULL);
        fclose(file);
        bool whole = strstr(text, "  likely cause: words that go past the end of a narrow terminal\n");
        bool wrapped = strstr(text, "  likely cause: words that go past the\n    end of a narrow terminal\n");
        if (whole == (bool)terminal || wrapped != (bool)terminal) fail_msg("%d: %s", terminal, text);
        free(text);
    }
    report_findings_close(&findings);
}

#define RACE_BETWEEN(who, line)                                                                              \
    "{\"type\":\"finding\",\"kind\":\"race\",\"severity\":\"error\",\"title\":\"data race\",\"text\":\"" who \
    "\",\"first\":" PLACE(line, 1) ",\"second\":" PLACE(9, 2) ",\"between\":\"" who "\",\"count\":2}\n"

// A barrier for the block cures the race within a warp too: one mistake, told by its widest race.
static void the_widest_race_is_reported(void **state) {
    report_findings findings;
    assert_true(report_findings_open(&findings));
    add(&findings, RACE_BETWEEN("lanes", 14) END, "prog", 0);
    report_findings_name_case(&findings, "n=2");
    add(&findings, RACE_BETWEEN("warps", 14) RACE_BETWEEN("lanes", 20) END, "prog", 0);
    report_findings_name_case(&findings, "n=33");
    add(&findings, RACE_BETWEEN("lanes", 14) END, "prog", 1);
    report_findings_name_case(&findings, "n=64");
    assert_int_equal(json_array_size(findings.items), 2);
    const json_t *race = json_array_get(findings.items, 0);
    assert_string_equal(report_get_text(race, "text"), "warps");
    assert_string_equal(report_get_text(race, "case"), "n=33");
    assert_int_equal(report_get_count(race, "count"), 6);
    assert_int_equal(json_array_size(report_get(race, "seeds")), 2);
    assert_string_equal(report_get_text(json_array_get(findings.items, 1), "text"), "lanes");
    report_findings_close(&findings);
}

static void kinds_are_chosen(void **state) {
    report_findings findings;
    kz_error error = {0};
    assert_true(report_findings_open(&findings));
    assert_int_equal(report_findings_choose(&findings, "race", "race-same-value", &error), KZ_OK);
    add(&findings, RACE(PLACE(1, 1), PLACE(2, 2)) LEAK NOTE, "prog", 0);
    assert_int_equal(json_array_size(findings.items), 1);
    assert_int_equal(report_findings_choose(&findings, "rac", NULL, &error), KZ_INVALID);
    assert_non_null(strstr(error.message, "undefined-branch"));
    report_findings_close(&findings);
}

static void known_ones_are_suppressed(void **state) {
    char path[] = "/tmp/kz-suppress-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    const char *rules = "# known\nrace *.cu:18  # both sides count\nleak *\n";
    assert_int_equal(write(fd, rules, strlen(rules)), (ssize_t)strlen(rules));
    close(fd);
    report_findings findings;
    kz_error error = {0};
    assert_true(report_findings_open(&findings));
    assert_int_equal(report_findings_suppress(&findings, path, &error), KZ_OK);
    add(&findings, RACE(PLACE(14, 3), PLACE(18, 35)) RACE(PLACE(14, 3), PLACE(19, 35)) LEAK, "prog", 0);
    assert_int_equal(json_array_size(findings.items), 1);
    assert_int_equal(findings.suppressed, 2);
    report_findings_close(&findings);
    assert_int_equal(base_file_write(path, "race\n", 5, &error), KZ_OK);
    assert_true(report_findings_open(&findings));
    assert_int_equal(report_findings_suppress(&findings, path, &error), KZ_SYNTAX);
    report_findings_close(&findings);
    unlink(path);
}

// ---- SARIF ---------------------------------------------------------------------------------------------

static void check_location(const json_t *location) {
    const char *uri = report_get_text(location, "physicalLocation.artifactLocation.uri");
    assert_true(uri[0] != 0);
    assert_null(strpbrk(uri, " <>\"&"));
    assert_true(report_get_count(location, "physicalLocation.region.startLine") >= 1);
    assert_true(report_get_text(location, "message.text")[0] != 0);
}

// What the standard demands of the members that we write.
static void check_result(const json_t *result, const json_t *rules) {
    const char *level = report_get_text(result, "level");
    assert_true(!strcmp(level, "error") || !strcmp(level, "warning") || !strcmp(level, "note"));
    assert_true(report_get_text(result, "message.text")[0] != 0);
    uint64_t index = report_get_count(result, "ruleIndex");
    assert_true(index < json_array_size(rules));
    assert_string_equal(report_get_text(json_array_get(rules, index), "id"),
                        report_get_text(result, "ruleId"));
    assert_true(report_get_count(result, "occurrenceCount") >= 1);
    size_t i;
    json_t *location;
    json_array_foreach(report_get(result, "locations"), i, location) check_location(location);
    json_array_foreach(report_get(result, "relatedLocations"), i, location) check_location(location);
}

static void sarif_is_valid(void **state) {
    report_findings findings;
    fill(&findings);
    json_t *sarif = report_findings_to_sarif(&findings);
    assert_non_null(sarif);
    assert_string_equal(report_get_text(sarif, "version"), "2.1.0");
    assert_int_equal(json_array_size(report_get(sarif, "runs")), 1);
    const json_t *run = json_array_get(report_get(sarif, "runs"), 0);
    assert_string_equal(report_get_text(run, "tool.driver.name"), "kz sanitize");
    const json_t *rules = report_get(run, "tool.driver.rules"), *results = report_get(run, "results");
    assert_true(json_array_size(rules) > 10);
    assert_int_equal(json_array_size(results), 3);
    size_t i;
    json_t *item;
    json_array_foreach(rules, i, item) {
        assert_true(report_get_text(item, "shortDescription.text")[0] != 0);
        assert_true(report_get_text(item, "defaultConfiguration.level")[0] != 0);
    }
    json_array_foreach(results, i, item) check_result(item, rules);
    const json_t *race = json_array_get(results, 0);
    assert_int_equal(json_array_size(report_get(race, "locations")), 1);
    assert_int_equal(json_array_size(report_get(race, "relatedLocations")), 1);
    assert_null(report_get(json_array_get(results, 1), "locations")); // a leak is nowhere
    json_decref(sarif);
    report_findings_close(&findings);
}

// ---- JUnit and JSON ------------------------------------------------------------------------------------

// Tags are closed in the order they were opened, and nothing stands bare that must not.
static void check_xml(const char *at) {
    char open[16][32];
    size_t depth = 0;
    while (*at) {
        if (*at == '&') assert_non_null(memchr(at, ';', 8));
        if (*at++ != '<') continue;
        const char *end = strchr(at, '>');
        assert_non_null(end);
        assert_null(memchr(at, '<', (size_t)(end - at)));
        if (*at == '?') continue;
        char name[32];
        size_t length = strcspn(at + (*at == '/'), " />");
        snprintf(name, sizeof name, "%.*s", (int)length, at + (*at == '/'));
        if (*at == '/') {
            assert_true(depth > 0);
            assert_string_equal(open[--depth], name);
        } else if (end[-1] != '/') {
            assert_true(depth < BASE_COUNT(open));
            strcpy(open[depth++], name);
        }
        at = end + 1;
    }
    assert_int_equal(depth, 0);
}

static void junit_is_well_formed(void **state) {
    char path[] = "/tmp/kz-junit-XXXXXX", *text;
    size_t size;
    close(mkstemp(path));
    report_findings findings;
    kz_error error = {0};
    fill(&findings);
    assert_int_equal(report_findings_write_junit(&findings, path, &error), KZ_OK);
    assert_int_equal(base_file_read(path, &text, &size, &error), KZ_OK);
    check_xml(text);
    assert_non_null(strstr(text, "tests=\"4\" failures=\"2\" errors=\"0\" skipped=\"1\""));
    assert_non_null(strstr(text, "classname=\"clean &amp; quiet\" name=\"clean\""));
    free(text);
    unlink(path);
    report_findings_close(&findings);
}

static void json_ends_with_a_summary(void **state) {
    report_findings findings;
    fill(&findings);
    json_t *lines = report_findings_to_json(&findings);
    const json_t *summary = json_array_get(lines, json_array_size(lines) - 1);
    assert_string_equal(report_get_text(summary, "type"), "summary");
    assert_int_equal(report_get_count(summary, "findings.error"), 1);
    assert_int_equal(json_array_size(lines), 4);
    json_decref(lines);
    report_findings_close(&findings);
}

// ---- outputs -------------------------------------------------------------------------------------------

#define OUTPUT(hash, data)                                                                                   \
    "{\"type\":\"output\",\"number\":1,\"bytes\":8,\"hash\":\"" hash                                         \
    "\",\"buffer\":\"byte 0 of allocation 2\","                                                              \
    "\"kernels\":[\"sum\"],\"element\":\"f32\",\"atomic\":" PLACE(                                           \
        12, 0) ",\"atomic_is_float\":true,\"data\":\"" data "\"}\n"

// What is said of two f32 that have these bits and that no atomic wrote.
static void expect_cause(const char *one, const char *other, const char *cause) {
    static const char *const form =
        "{\"type\":\"output\",\"number\":1,\"bytes\":4,\"hash\":\"%s\",\"buffer\":\"b\","
        "\"kernels\":[\"k\"],\"element\":\"f32\",\"data\":\"%s\"}\n";
    const char *data[] = {one, other};
    report_record records[2];
    uint64_t seeds[] = {0, 1};
    report_findings findings;
    assert_true(report_findings_open(&findings));
    for (size_t i = 0; i < 2; i++) {
        char text[300];
        snprintf(text, sizeof text, form, data[i], data[i]);
        assert_int_equal(report_record_parse("test", text, strlen(text), &records[i], NULL), KZ_OK);
    }
    report_findings_compare(&findings, records, seeds, 2, "prog");
    assert_non_null(strstr(report_get_text(json_array_get(findings.items, 0), "text"), cause));
    for (size_t i = 0; i < 2; i++) report_record_free(&records[i]);
    report_findings_close(&findings);
}

static void rounding_is_no_race(void **state) {
    expect_cause("00000040", "01000040", "floats round by the order"); // the last bit
    expect_cause("00000040", "0000803f", "likely cause: a data race"); // 2 and 1
    expect_cause("00000040", "0000c07f", "likely cause: a data race"); // 2 and NaN
}

static void outputs_are_compared(void **state) {
    // 1.0 and 2.0; then 1.0 and 2.0 + 2^-22
    const char *texts[] = {OUTPUT("aa", "0000803f00000040"), OUTPUT("aa", "0000803f00000040"),
                           OUTPUT("ab", "0000803f01000040")};
    report_record records[3];
    uint64_t seeds[] = {0, 1, 2};
    report_findings findings;
    assert_true(report_findings_open(&findings));
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(report_record_parse("test", texts[i], strlen(texts[i]), &records[i], NULL), KZ_OK);
    report_findings_compare(&findings, records, seeds, 2, "prog");
    assert_int_equal(json_array_size(findings.items), 0);
    report_findings_compare(&findings, records, seeds, 3, "prog");
    assert_int_equal(json_array_size(findings.items), 1);
    const char *text = report_get_text(json_array_get(findings.items, 0), "text");
    assert_non_null(
        strstr(text, "written by sum) differs between the schedules 0 and 2: 1 of 2 elements (f32), the "
                     "first is element 1: 2 and 2.00000024"));
    assert_non_null(strstr(text, "floating-point atomic"));
    for (size_t i = 0; i < 3; i++) report_record_free(&records[i]);
    report_findings_close(&findings);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_widest_race_is_reported), cmocka_unit_test(runs_are_merged),
        cmocka_unit_test(causes_fit_the_terminal),     cmocka_unit_test(kinds_are_chosen),
        cmocka_unit_test(known_ones_are_suppressed),   cmocka_unit_test(sarif_is_valid),
        cmocka_unit_test(junit_is_well_formed),        cmocka_unit_test(json_ends_with_a_summary),
        cmocka_unit_test(outputs_are_compared),        cmocka_unit_test(rounding_is_no_race),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
