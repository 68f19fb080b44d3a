// What the machine's files say is read, and what was found is shown to people and to programs alike.
#include <stdlib.h>
#include <unistd.h>

#include "doctor/doctor.h"
#include "unit.h"

static void reads_what_stands_after_a_key(void **state) {
    char path[] = "/tmp/kz_doctor_XXXXXX", value[16];
    int file = mkstemp(path);
    static const char text[] =
        "NAME=\"A system\"\nMemTotal:       24 kB\nmodel name\t: a processor of many words\n";
    assert_int_equal(write(file, text, sizeof text - 1), sizeof text - 1);
    close(file);
    doctor_read_key(path, "NAME", value, sizeof value);
    assert_string_equal(value, "A system");
    doctor_read_key(path, "MemTotal", value, sizeof value);
    assert_string_equal(value, "24 kB");
    doctor_read_key(path, "model name", value, sizeof value);
    assert_string_equal(value, "a processor of "); // cut, and still ended
    doctor_read_key(path, "MemFree", value, sizeof value);
    assert_string_equal(value, "");
    unlink(path);
    doctor_read_key(path, "NAME", value, sizeof value);
    assert_string_equal(value, "");
}

static char *print(const doctor_findings *all) {
    char *text = NULL;
    size_t size;
    const report_style style = {.width = 120};
    FILE *file = open_memstream(&text, &size);
    doctor_print(file, &style, all);
    fclose(file);
    return text;
}

static void shows_the_command_that_helps(void **state) {
    static doctor_findings all;
    doctor_add(&all, "cpu", DOCTOR_HAVE, NULL, "%d cores", 2);
    char *text = print(&all);
    assert_string_equal(text, "ok       cpu        2 cores\n\n"
                              "Nothing is missing. Try: kz check, or kz run on a .cu of yours\n");
    free(text);
    doctor_add(&all, "nvcc", DOCTOR_MISSING, "make setup", "not here");
    text = print(&all);
    assert_non_null(strstr(text, "missing  nvcc       not here\n                    -> make setup\n"));
    assert_non_null(strstr(text, "1 missing; the arrows"));
    free(text);

    json_t *page = doctor_json(&all), *rows = json_object_get(page, "findings");
    assert_int_equal(json_array_size(rows), 2);
    json_t *last = json_array_get(rows, 1);
    assert_string_equal(json_string_value(json_object_get(last, "state")), "missing");
    assert_string_equal(json_string_value(json_object_get(last, "command")), "make setup");
    assert_null(json_object_get(json_array_get(rows, 0), "command"));
    json_decref(page);
}

static void more_findings_than_fit_are_left_out(void **state) {
    static doctor_findings all;
    for (int i = 0; i < DOCTOR_FINDINGS + 3; i++) doctor_add(&all, "gpu", DOCTOR_HAVE, NULL, "cuda:%d", i);
    assert_int_equal(all.count, DOCTOR_FINDINGS);
}

// Whatever the machine is, each topic that scripts rely on has a row.
static void looks_at_everything(void **state) {
    static doctor_findings all;
    static const char *const topics[] = {"system",  "cpu",  "memory", "gpu",  "simulator",
                                         "runtime", "nvcc", "rivals", "cache"};
    doctor_look(&all);
    for (size_t t = 0; t < BASE_COUNT(topics); t++) {
        bool found = false;
        for (size_t i = 0; i < all.count; i++) found = found || strcmp(all.list[i].topic, topics[t]) == 0;
        if (!found) fail_msg("nothing about %s", topics[t]);
    }
}

// Those that are missing for the same reason share a row.
static void missing_rivals_have_the_command_that_gets_them(void **state) {
    static doctor_findings all;
    setenv("KZ_PEERS", "/nowhere/at/all", 1);
    doctor_look_at_rivals(&all);
    unsetenv("KZ_PEERS");
    assert_true(all.count >= 2);
    assert_string_equal(all.list[0].text, "kz bench races against none");
    assert_non_null(strstr(all.list[1].text, "cub, cublas, "));
    assert_non_null(strstr(all.list[1].text, "not built: `make peers`"));
}

// A variable that names nothing is told of, and not the packages that it does not have.
static void a_python_that_is_not_there_is_the_reason(void **state) {
    static doctor_findings all;
    bool said = false;
    setenv("KZ_PYTHON", "/nowhere/python", 1);
    doctor_look_at_rivals(&all);
    unsetenv("KZ_PYTHON");
    for (size_t i = 0; i < all.count; i++) {
        assert_null(strstr(all.list[i].text, "no package"));
        said = said || strstr(all.list[i].text, "KZ_PYTHON names /nowhere/python: No such file");
    }
    assert_true(said);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_stands_after_a_key),
        cmocka_unit_test(shows_the_command_that_helps),
        cmocka_unit_test(more_findings_than_fit_are_left_out),
        cmocka_unit_test(looks_at_everything),
        cmocka_unit_test(missing_rivals_have_the_command_that_gets_them),
        cmocka_unit_test(a_python_that_is_not_there_is_the_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
