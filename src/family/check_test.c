// The check itself, on the cpu device: native kernels that are wrong in every way must fail for that reason.

#include "base/base.h"
#include "family/case.h"
#include "family/check.h"
#include "unit.h"

// ---- a family: out[i] = 2 * in[i], and its kernels -------------------------------------------------

static size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    list[0] = (kz_buffer){"in", KZ_INPUT, c->type, (uint64_t)c->axes[0]};
    list[1] = (kz_buffer){"out", KZ_OUTPUT, c->type, (uint64_t)c->axes[0]};
    return 2;
}

static kz_status reference(const kz_case *c, void *const *host, size_t which, double *expected, double *bound,
                           kz_error *error) {
    assert_int_equal(which, 1);
    for (int64_t i = 0; i < c->axes[0]; i++) {
        expected[i] = 2 * kz_element_get(c->type, host[0], (uint64_t)i);
        bound[i] = 0;
    }
    return KZ_OK;
}

static kz_work work(const kz_case *c) { return (kz_work){.bytes = 8.0 * (double)c->axes[0]}; }

#define ARGS(launch)                                                                                         \
    float *in = *(float *const *)(launch)->args[0], *out = *(float *const *)(launch)->args[1];               \
    uint64_t n = *(const uint64_t *)(launch)->args[2]

static void right(const kz_native_launch *l) {
    ARGS(l);
    for (uint64_t i = 0; i < n; i++) out[i] = 2 * in[i];
}
static void past_the_end(const kz_native_launch *l) {
    right(l);
    ARGS(l);
    (void)in;
    out[n] = 0;
}
static void before_the_start(const kz_native_launch *l) {
    right(l);
    ARGS(l);
    (void)in, (void)n;
    out[-1] = 0;
}
static void scratch(const kz_native_launch *l) {
    right(l);
    ARGS(l);
    (void)out;
    in[n / 2] += 1;
}
static void nothing(const kz_native_launch *l) { (void)l; }
static void stale(const kz_native_launch *l) {
    static float kept[64];
    static bool is_kept;
    ARGS(l);
    if (!is_kept) {
        right(l);
        memcpy(kept, out, n * sizeof *out);
    }
    (void)in;
    memcpy(out, kept, n * sizeof *out);
    is_kept = true;
}
static void restless(const kz_native_launch *l) { // another answer on every run
    static float runs;
    ARGS(l);
    (void)in;
    runs++;
    for (uint64_t i = 0; i < n; i++) out[i] = runs * (float)(i % 7) + 3;
}

static void copies(const kz_native_launch *l) { // half of what it should be
    ARGS(l);
    memcpy(out, in, n * sizeof *out);
}

static const kz_native_entry natives[] = {{"right", right},
                                          {"past_the_end", past_the_end},
                                          {"before_the_start", before_the_start},
                                          {"scratch", scratch},
                                          {"nothing", nothing},
                                          {"stale", stale},
                                          {"restless", restless},
                                          {"copies", copies},
                                          {NULL, NULL}};

// The variant's name is its kernel's; one that is called "refuse" has none.
static kz_status plan(const kz_planner *p) {
    const char *entry = p->variant->name;
    if (strcmp(entry, "refuse") == 0) return kz_plan_refuse(p->error, "not for me");
    return kz_plan_add_launch(p, &(kz_plan_launch){.entry = entry, .blocks = 1, .threads = 1});
}

static const char *const operations[] = {"twice", NULL};
static const char *const axes[] = {"n", NULL};
static const kz_case cases[] = {{.type = KZ_F32, .axes = {64}, .use = KZ_USE_CHECK}};
static const kz_family family = {.name = "doubling",
                                 .operations = operations,
                                 .axes = axes,
                                 .cases = cases,
                                 .case_count = 1,
                                 .buffers = buffers,
                                 .reference = reference,
                                 .work = work,
                                 .guest_signature = "const T *in, T *out, size_t n"};

static family_check_result check_of(const kz_family *of, const char *name, const kz_case *c) {
    static family_check_result result;
    kz_variant variant = {.name = name, .plan = plan, .natives = natives};
    kz_image image = {.size = sizeof(kz_image), .name = "doubling", .natives = natives};
    family_check_job job = {.family = of, .variant = &variant, .c = c, .seed = 1, .count = true};
    kz_error error = {0};
    assert_int_equal(kz_device_open("cpu", &job.device, &error), KZ_OK);
    assert_int_equal(kz_module_load(job.device, &image, &job.module, &error), KZ_OK);
    family_check(&job, &result);
    kz_module_close(job.module);
    kz_device_close(job.device);
    return result;
}

static family_check_result check_case(const char *name, const kz_case *c) {
    return check_of(&family, name, c);
}

#define EXPECT(name, wanted, words)                                                                          \
    do {                                                                                                     \
        family_check_result result = check_case(#name, &cases[0]);                                           \
        if (result.outcome != (wanted)) print_message("%s\n", result.error.message);                         \
        assert_int_equal(result.outcome, wanted);                                                            \
        assert_non_null(strstr(result.error.message, words));                                                \
    } while (0)

static void right_passes(void **state) {
    (void)state;
    family_check_result result = check_case("right", &cases[0]);
    assert_int_equal(result.outcome, FAMILY_PASSED);
    assert_int_equal(result.elements, 64);
    assert_string_equal(result.error.message, "");
    assert_false(result.counters.valid);
    kz_case odd = cases[0];
    odd.misalign = 3;
    assert_int_equal(check_case("right", &odd).outcome, FAMILY_PASSED);
    odd.axes[0] = 0;
    assert_int_equal(check_case("right", &odd).outcome, FAMILY_PASSED);
}

static void wrong_fails_for_its_reason(void **state) {
    (void)state;
    EXPECT(past_the_end, FAMILY_WRONG, "the byte 1 past the end of out was overwritten");
    EXPECT(before_the_start, FAMILY_WRONG, "before the start of out was overwritten");
    EXPECT(scratch, FAMILY_WRONG, "the input in was changed, first at element 32");
    EXPECT(nothing, FAMILY_WRONG, "never written");
    EXPECT(stale, FAMILY_WRONG, "stale");
    EXPECT(restless, FAMILY_WRONG, "a race?");
}

// Elements that no type describes are what the family reads in them.
static double twice(const void *data, uint64_t i) { return 2 * (double)((const float *)data)[i]; }
static kz_read *read_twice(const kz_case *c, size_t which) { return which == 1 ? twice : NULL; }

static void elements_are_what_the_family_reads(void **state) {
    (void)state;
    kz_family reads = family;
    assert_int_equal(check_of(&reads, "copies", &cases[0]).outcome, FAMILY_WRONG);
    reads.read = read_twice;
    assert_int_equal(check_of(&reads, "copies", &cases[0]).outcome, FAMILY_PASSED);
    assert_int_equal(check_of(&reads, "right", &cases[0]).outcome, FAMILY_WRONG);
}

// What is asked for is said where several answers look right, of the output that is wrong.
static const char *rule_of_out(const kz_case *c, size_t which) {
    return which == 1 ? "twice, never once" : NULL;
}
static const char *no_rule(const kz_case *c, size_t which) { return NULL; }

static void the_rule_is_said_where_it_is_broken(void **state) {
    (void)state;
    kz_family ruled = family;
    ruled.rule = rule_of_out;
    assert_non_null(
        strstr(check_of(&ruled, "copies", &cases[0]).error.message, "\nthe rule: twice, never once"));
    assert_string_equal(check_of(&ruled, "right", &cases[0]).error.message, "");
    ruled.rule = no_rule;
    assert_null(strstr(check_of(&ruled, "copies", &cases[0]).error.message, "the rule"));
}

static void what_cannot_run_is_skipped_with_a_reason(void **state) {
    (void)state;
    EXPECT(refuse, FAMILY_SKIPPED, "not for me");
    kz_case large = {.type = KZ_F32, .axes = {INT64_C(1) << 50}};
    family_check_result result = check_case("right", &large);
    assert_int_equal(result.outcome, FAMILY_SKIPPED);
    assert_int_equal(result.error.status, KZ_NO_MEMORY);
    large.axes[0] = INT64_C(1) << 62;
    assert_int_equal(check_case("right", &large).outcome, FAMILY_SKIPPED);
    kz_case huge = cases[0];
    huge.use = KZ_USE_HUGE;
    assert_int_equal(check_case("right", &huge).outcome, FAMILY_SKIPPED);
}

// ---- guests ---------------------------------------------------------------------------------------

#define ENTRY(name, params) ".visible .entry " name "(" params ")\n{\n    ret;\n}\n"
#define GOOD_PARAMS         ".param .u64 a, .param .u64 b, .param .u32 c"
static const char head[] = ".version 8.0\n.target sm_75\n.address_size 64\n";

static kz_status open_guest(const char *lines, const char *entry, family_guest **guest, kz_error *error) {
    base_text ptx = {0};
    base_text_add(&ptx, "%s%s", head, entry);
    kz_status status = family_guest_open(&family, "mine.cu", lines, ptx.data, guest, error);
    base_text_free(&ptx);
    return status;
}

static void a_guest_is_launched_as_its_lines_say(void **state) {
    (void)state;
    family_guest *guest;
    kz_error error = {0};
    kz_plan plan;
    const kz_device_info device = {.multiprocessors = 10};
    kz_case c = {.type = KZ_F32, .axes = {1025}};
    const char lines[] = "// kz: block 32 4\n  // kz: grid min(ceil(n/block), sms)\n//kz: shared 4*block\n"
                         "// kz: fill out 0xff\n// kz: grid 7 for other_f32\n";
    kz_status status = open_guest(lines, ENTRY("my_twice_f32", GOOD_PARAMS), &guest, &error);
    if (status) print_message("%s\n", error.message);
    assert_int_equal(status, KZ_OK);
    assert_string_equal(family_guest_entry(guest, &c), "my_twice_f32");
    assert_int_equal(family_guest_plan(guest, &c, &device, &plan, &error), KZ_OK);
    assert_int_equal(plan.step_count, 2);
    assert_int_equal(plan.steps[0].kind, KZ_STEP_FILL);
    assert_int_equal(plan.steps[0].fill, 0xff);
    assert_int_equal(plan.steps[0].bytes, 1025 * 4);
    const kz_launch *launch = &plan.steps[1].launch;
    assert_int_equal(launch->block[0] * launch->block[1], 128);
    assert_int_equal(launch->grid[0], 9);
    assert_int_equal(launch->dynamic_shared_bytes, 512);
    assert_int_equal(plan.steps[1].arg_count, 3);
    c.axes[0] = 1 << 20;
    assert_int_equal(family_guest_plan(guest, &c, &device, &plan, &error), KZ_OK);
    assert_int_equal(plan.steps[1].launch.grid[0], 10);
    c.axes[0] = INT64_C(1) << 33; // the kernel's n has 32 bits
    assert_int_equal(family_guest_plan(guest, &c, &device, &plan, &error), KZ_UNSUPPORTED);
    c.type = KZ_F64;
    assert_null(family_guest_entry(guest, &c));
    assert_int_equal(family_guest_plan(guest, &c, &device, &plan, &error), KZ_UNSUPPORTED);
    family_guest_close(guest);
}

static void a_guest_without_lines_has_a_thread_per_element(void **state) {
    (void)state;
    family_guest *guest;
    kz_plan plan;
    const kz_device_info device = {.multiprocessors = 10};
    kz_case c = {.type = KZ_F32, .axes = {1025}};
    assert_int_equal(open_guest("", ENTRY("doubling", GOOD_PARAMS), &guest, NULL), KZ_OK);
    assert_int_equal(family_guest_plan(guest, &c, &device, &plan, NULL), KZ_OK);
    assert_int_equal(plan.steps[0].launch.block[0], 256);
    assert_int_equal(plan.steps[0].launch.grid[0], 5);
    family_guest_close(guest);
}

static void a_guest_that_does_not_fit_is_explained(void **state) {
    (void)state;
    const struct {
        const char *lines, *entry, *words;
        kz_status status;
    } wrong[] = {
        {"", ENTRY("unrelated", GOOD_PARAMS), "no kernel in it is named", KZ_INVALID},
        {"", ENTRY("_Z3twice_twice_f32x", GOOD_PARAMS), "extern \"C\"", KZ_INVALID},
        {"", ENTRY("my_twice_f32", ".param .u64 a"), "takes 1 parameters, but the family gives 3",
         KZ_INVALID},
        {"", ENTRY("my_twice_f32", ".param .u32 a, .param .u64 b, .param .u64 c"), "parameter 1", KZ_INVALID},
        {"// kz: blok 2\n", ENTRY("my_twice_f32", GOOD_PARAMS), "mine.cu:1", KZ_SYNTAX},
        {"\n// kz: grid ceil(m/2)\n", ENTRY("my_twice_f32", GOOD_PARAMS), "mine.cu:2", KZ_SYNTAX},
        {"// kz: block 1 2 3 4\n", ENTRY("my_twice_f32", GOOD_PARAMS), "more than was expected", KZ_SYNTAX},
        {"// kz: fill in 0\n", ENTRY("my_twice_f32", GOOD_PARAMS), "input", KZ_SYNTAX},
        {"// kz: fill z 0\n", ENTRY("my_twice_f32", GOOD_PARAMS), "no such buffer", KZ_SYNTAX},
        {"// kz: fill out 256\n", ENTRY("my_twice_f32", GOOD_PARAMS), "0 to 255", KZ_SYNTAX},
        {"", "this is not PTX", "mine.cu", KZ_SYNTAX},
    };
    for (size_t i = 0; i < BASE_COUNT(wrong); i++) {
        family_guest *guest;
        kz_error error = {0};
        assert_int_equal(open_guest(wrong[i].lines, wrong[i].entry, &guest, &error), wrong[i].status);
        if (!strstr(error.message, wrong[i].words)) print_message("%s\n", error.message);
        assert_non_null(strstr(error.message, wrong[i].words));
        assert_null(guest);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_passes),
        cmocka_unit_test(wrong_fails_for_its_reason),
        cmocka_unit_test(elements_are_what_the_family_reads),
        cmocka_unit_test(the_rule_is_said_where_it_is_broken),
        cmocka_unit_test(what_cannot_run_is_skipped_with_a_reason),
        cmocka_unit_test(a_guest_is_launched_as_its_lines_say),
        cmocka_unit_test(a_guest_without_lines_has_a_thread_per_element),
        cmocka_unit_test(a_guest_that_does_not_fit_is_explained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
