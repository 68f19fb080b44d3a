// What words mean, for every command alike.

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "family/case.h"
#include "toolchain/toolchain.h"
#include "workload/names.h"
#include "workload/workload.h"
#include "unit.h"

enum { ALL = 1u << WORKLOAD_ZOO | 1u << WORKLOAD_GUEST | 1u << WORKLOAD_TASK | 1u << WORKLOAD_PROGRAM };

static const workload_request several = {.command = "sanitize", .kinds = ALL};
static const workload_request one = {.command = "debug", .kinds = ALL, .question = "which kernel?"};
static const workload_request program = {
    .command = "run", .kinds = 1u << WORKLOAD_PROGRAM | 1u << WORKLOAD_TASK, .question = "which program?"};

static kz_status try_words(const workload_request *request, workload *w, kz_error *error, size_t count, ...) {
    const char *words[8];
    va_list list;
    va_start(list, count);
    for (size_t i = 0; i < count; i++) words[i] = va_arg(list, const char *);
    va_end(list);
    *error = (kz_error){0};
    return workload_open(request, words, count, w, error);
}

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void test_zoo(void **state) {
    workload w;
    kz_error error;
    assert_int_equal(try_words(&one, &w, &error, 1, "reduce/atomic"), KZ_OK);
    assert_int_equal(w.kind, WORKLOAD_ZOO);
    assert_string_equal(w.family->name, "reduce");
    assert_non_null(w.variant);
    workload_close(&w);
    assert_int_equal(try_words(&several, &w, &error, 2, "reduce", "saxpy"), KZ_OK);
    assert_int_equal(w.zoo.count, 2);
    assert_null(w.family);
    workload_close(&w);
    assert_int_equal(try_words(&several, &w, &error, 0), KZ_OK); // the whole zoo
    assert_true(w.zoo.count > 2);
    assert_int_equal(w.zoo.wanted_count, 0);
    workload_close(&w);
}

static void test_wrong_names(void **state) {
    workload w;
    kz_error error;
    assert_int_equal(try_words(&one, &w, &error, 0), KZ_INVALID);
    assert_has(error.message, "which kernel?");
    assert_int_equal(try_words(&one, &w, &error, 2, "reduce", "saxpy"), KZ_INVALID);
    assert_has(error.message, "one word too many: saxpy");
    assert_int_equal(try_words(&one, &w, &error, 1, "redcue"), KZ_NOT_FOUND);
    assert_has(error.message, "did you mean reduce?");
    workload_request guest = several;
    guest.family = "reduce";
    assert_int_equal(try_words(&guest, &w, &error, 2, "a.cu", "b.cu"), KZ_INVALID);
    assert_has(error.message, "kz sanitize --family reduce my.cu");
    assert_int_equal(try_words(&guest, &w, &error, 1, "/nothing/here.ptx"), KZ_NOT_FOUND);
}

static void test_programs(void **state) {
    workload w;
    kz_error error;
    write_file("whole.cu", "int main() { return 0; }\n");
    write_file("part.cu", "__global__ void kernel() {}\n");
    assert_int_equal(try_words(&one, &w, &error, 1, "whole.cu"), KZ_OK);
    assert_int_equal(w.kind, WORKLOAD_PROGRAM);
    workload_close(&w);
    assert_int_equal(try_words(&several, &w, &error, 2, "part.cu", "whole.cu"), KZ_OK);
    assert_int_equal(w.kind, WORKLOAD_PROGRAM);
    assert_int_equal(w.file_count, 2);
    workload_close(&w);
    assert_int_equal(try_words(&one, &w, &error, 1, "./no-such-program"),
                     KZ_OK); // running it says that it is missing
    assert_int_equal(w.kind, WORKLOAD_PROGRAM);
    workload_close(&w);
    assert_int_equal(try_words(&program, &w, &error, 1, "reduce"), KZ_OK); // kz run knows no zoo
    assert_int_equal(w.kind, WORKLOAD_PROGRAM);
    workload_close(&w);
    write_file("suite.h", "#define SUITE_MAIN int mai##n() { return 0; }\n");
    write_file("suite.cu", "#include \"suite.h\"\nSUITE_MAIN\n");
    toolchain tools;
    if (toolchain_find(&tools, NULL) == KZ_OK) { // the preprocessor knows
        assert_int_equal(try_words(&one, &w, &error, 1, "suite.cu"), KZ_OK);
        assert_int_equal(w.kind, WORKLOAD_PROGRAM);
        workload_close(&w);
    }
    assert_int_equal(try_words(&one, &w, &error, 1, "part.cu"), KZ_INVALID);
    assert_has(error.message, "part.cu has no main");
    assert_has(error.message, "kz debug --family FAMILY part.cu");
    workload_close(&w);
}

static void test_records(void **state) {
    workload w;
    kz_error error;
    workload_request prof = one;
    prof.kinds |= 1u << WORKLOAD_RECORD;
    assert_int_equal(try_words(&prof, &w, &error, 1, "kept/record.jsonl"), KZ_OK);
    assert_int_equal(w.kind, WORKLOAD_RECORD);
    workload_close(&w);
    write_file("record.jsonl", "{}\n");
    assert_int_equal(try_words(&one, &w, &error, 1, "record.jsonl"), KZ_INVALID); // kz debug takes none
    assert_has(error.message, "kz prof record.jsonl shows it");
    workload_close(&w);
}

// A command that takes families and guests alone means the same by the same words, and says who takes them.
static void test_refused_kinds(void **state) {
    const workload_request check = {.command = "check", .kinds = 1u << WORKLOAD_ZOO | 1u << WORKLOAD_GUEST};
    workload w;
    kz_error error;
    write_file("whole.cu", "int main() { return 0; }\n");
    write_file("part.cu", "__global__ void kernel() {}\n");
    assert_int_equal(try_words(&check, &w, &error, 1, "./whole.cu"), KZ_INVALID);
    assert_has(error.message, "kz run ./whole.cu runs it");
    assert_int_equal(try_words(&check, &w, &error, 1, "part.cu"), KZ_INVALID);
    assert_has(error.message, "kz check --family FAMILY part.cu");
    assert_has(error.message, "kz grade part.cu --task ID");
    assert_null(strstr(error.message, "kz check part.cu --task"));
    static const char *const paths[] = {".", "./prog", "/nothing/here", "../part.cu", "./a.ptx"};
    for (size_t i = 0; i < BASE_COUNT(paths); i++) { // a path is never a family
        assert_true(try_words(&check, &w, &error, 1, paths[i]) != KZ_OK);
        assert_null(strstr(error.message, "no family"));
        assert_true(try_words(&check, &w, &error, 2, "reduce", paths[i]) != KZ_OK);
        assert_null(strstr(error.message, "no family"));
    }
}

static int enter_folder(void **state) {
    static char folder[] = "/tmp/workload_test.XXXXXX";
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state) {
    char folder[256];
    unlink("whole.cu");
    unlink("part.cu");
    unlink("record.jsonl");
    return getcwd(folder, sizeof folder) ? rmdir(folder) : -1;
}

// The case that is taken where none is named is large enough to say something of large ones, and small enough to
// simulate: for each family, and each variant of it.
static void expect_moderate(const kz_family *family, const kz_variant *variant, kz_device *device) {
    enum { MOST = 1 << 21 };
    const kz_device_info *info = kz_device_get_info(device);
    const workload_doer doer = {NULL, variant, info};
    char name[FAMILY_CASE_NAME];
    kz_error error = {0};
    kz_case c, again;
    kz_plan plan;
    if (workload_choose_case(family, &doer, NULL, MOST, &c, &error)) fail_msg("%s", error.message);
    family_case_name(family, &c, name);
    kz_work work = family->work(&c);
    bool large = work.bytes >= 0x1p17 || work.flops >= 0x1p27;
    if (!large || family_case_elements(family, &c) > MOST || work.flops > 0x1p33)
        fail_msg("%s/%s: %s has %.3g bytes and %.3g flops", family->name, variant ? variant->name : "", name,
                 work.bytes, work.flops);
    if (variant && kz_variant_plan(family, variant, &c, info, &plan, &error))
        fail_msg("%s/%s: %s: %s", family->name, variant->name, name, error.message);
    assert_non_null(kz_choose(family, &c, info, false, NULL));
    assert_int_equal(family_case_parse(family, name, &again, &error), KZ_OK); // --case NAME is the same again
    assert_memory_equal(again.axes, c.axes, sizeof c.axes);
}

static void test_moderate_cases(void **state) {
    size_t count;
    kz_device *device;
    const kz_family *const *families = kz_family_list(&count);
    assert_int_equal(kz_device_open("sim:h200", &device, NULL), KZ_OK);
    for (size_t f = 0; f < count; f++) {
        expect_moderate(families[f], NULL, device);
        for (size_t v = 0; v < families[f]->variant_count; v++)
            if (kz_variant_fits(&families[f]->variants[v], kz_device_get_info(device)))
                expect_moderate(families[f], &families[f]->variants[v], device);
    }
    // What is large enough as it is stays so.
    kz_case c;
    const kz_family *softmax = kz_family_find("softmax");
    const workload_doer doer = {NULL, NULL, kz_device_get_info(device)};
    assert_int_equal(workload_choose_case(softmax, &doer, NULL, 1 << 21, &c, NULL), KZ_OK);
    assert_true(c.axes[1] == 64 && c.axes[2] == 4096);
    assert_int_equal(workload_choose_case(softmax, &doer, NULL, 0, &c, NULL), KZ_OK);
    assert_true(c.use & KZ_USE_BENCH);
    kz_device_close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zoo),           cmocka_unit_test(test_wrong_names),
        cmocka_unit_test(test_programs),      cmocka_unit_test(test_records),
        cmocka_unit_test(test_refused_kinds), cmocka_unit_test(test_moderate_cases),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
