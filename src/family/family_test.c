// Cases, inputs, comparison, expressions and limits, on a family made for the test.
#include <math.h>
#include <stdlib.h>

#include "base/base.h"
#include "family/case.h"
#include "family/compare.h"
#include "family/expression.h"
#include "family/guest.h"
#include "family/inputs.h"
#include "family/lines.h"
#include "family/limits.h"
#include "unit.h"

static size_t two_buffers(const kz_case *c, kz_buffer buffers[KZ_FAMILY_BUFFERS]) {
    buffers[0] = (kz_buffer){"in", KZ_INPUT, c->type, (uint64_t)(c->axes[0] * c->axes[1])};
    buffers[1] = (kz_buffer){"out", KZ_OUTPUT, c->type, 1};
    return 2;
}
static const char *const operations[] = {"sum", "max", NULL};
static const char *const axes[] = {"rows", "cols", NULL};
static const kz_case cases[] = {{1, KZ_BF16, {31, 33}, KZ_DATA_NAN, 1, KZ_USE_CHECK, NULL}};
static const kz_family family = {.name = "fold",
                                 .operations = operations,
                                 .axes = axes,
                                 .cases = cases,
                                 .case_count = 1,
                                 .buffers = two_buffers};

// ---- cases --------------------------------------------------------------------------------------

static void a_name_parses_back(void **state) {
    (void)state;
    char name[FAMILY_CASE_NAME];
    kz_case c;
    family_case_name(&family, &cases[0], name);
    assert_string_equal(name, "max-bf16-rows31-cols33-nan-misalign1");
    assert_int_equal(family_case_parse(&family, name, &c, NULL), KZ_OK);
    assert_int_equal(c.operation, 1);
    assert_int_equal(c.type, KZ_BF16);
    assert_int_equal(c.axes[1], 33);
    assert_int_equal(c.data, KZ_DATA_NAN);
    assert_int_equal(c.misalign, 1);
    assert_int_equal(c.use, KZ_USE_CHECK);
    assert_int_equal(family_case_elements(&family, &c), 31 * 33);
}

static void a_case_of_any_size_can_be_named(void **state) {
    (void)state;
    kz_case c;
    kz_error error;
    assert_int_equal(family_case_parse(&family, "sum-f32-rows2^20-cols7-uniform", &c, NULL), KZ_OK);
    assert_int_equal(c.axes[0], 1 << 20);
    assert_int_equal(c.use, 0);
    const char *const wrong[] = {"",
                                 "sum",
                                 "sum-f99-rows1-cols1-uniform",
                                 "sum-f32-rows1-uniform",
                                 "sum-f32-rows1-cols1-odd",
                                 "sum-f32-rows1-cols1-uniform-x",
                                 "sum-f32-rows2^99-cols1-uniform",
                                 "sum-f32-rows-1-cols1-uniform",
                                 "sum-f32-rows99999999999999999999-cols1-uniform"};
    for (size_t i = 0; i < BASE_COUNT(wrong); i++) {
        assert_int_equal(family_case_parse(&family, wrong[i], &c, &error), KZ_INVALID);
        assert_non_null(strstr(error.message, "max-bf16-rows31"));
    }
    assert_non_null(strstr(error.message, "expected rows, a number below 2^63, at \"rows9999"));
    assert_int_equal(family_case_parse(&family, "median-f32-rows1-cols1-uniform", &c, &error), KZ_INVALID);
    assert_non_null(strstr(error.message, "expected an operation (sum, max) at"));
    assert_int_equal(family_case_parse(&family, "sum-f32-rows3", &c, &error), KZ_INVALID);
    assert_non_null(strstr(error.message, "at its end\na case of this family looks like"));
}

static void globs_match(void **state) {
    (void)state;
    assert_true(family_case_matches(&family, &cases[0], "max-*"));
    assert_true(family_case_matches(&family, &cases[0], "*-nan-*"));
    assert_false(family_case_matches(&family, &cases[0], "sum-*"));
    assert_false(family_case_matches(&family, &cases[0], "max"));
}

// ---- inputs -------------------------------------------------------------------------------------

static void examples_are_in_f32_or_in_what_there_is(void **state) {
    (void)state;
    const kz_case whole[] = {{.type = KZ_I32}, {.type = KZ_U8}},
                  both[] = {{.type = KZ_I32}, {.type = KZ_F32}},
                  other[] = {{.type = KZ_U32}, {.operation = 1, .type = KZ_F32}};
    kz_family search = {.name = "search",
                        .operations = (const char *const[]){"levels", NULL},
                        .axes = (const char *const[]){"n", NULL},
                        .cases = whole,
                        .case_count = 2,
                        .guest_signature = "T *levels, size_t n"};
    char text[512];
    assert_int_equal(family_plain_type(&search), KZ_I32);
    family_guest_example(&search, text, sizeof text);
    assert_non_null(strstr(text, "my_levels_i32(int *levels, size_t n)"));
    search.cases = both;
    assert_int_equal(family_plain_type(&search), KZ_F32);
    family_guest_example(&search, text, sizeof text);
    assert_non_null(strstr(text, "my_levels_f32(float *levels, size_t n)"));
    search.cases = other; // the first operation has no f32
    assert_int_equal(family_plain_type(&search), KZ_U32);
}

static void any_part_of_an_input_can_be_made_alone(void **state) {
    (void)state;
    float whole[1000], part[100];
    for (int data = 0; data < KZ_DATA_COUNT; data++) {
        family_fill_input(KZ_F32, (kz_data)data, 7, 1, 0, 1000, 1000, whole);
        for (uint64_t first = 301; first < 303; first++) { // an odd and an even start
            family_fill_input(KZ_F32, (kz_data)data, 7, 1, first, 100, 1000, part);
            assert_memory_equal(part, whole + first, sizeof part);
        }
    }
}

static void a_large_input_is_the_same_from_any_number_of_threads(void **state) {
    (void)state;
    enum { LARGE = (4 << 20) + 17, PART = 1000 };
    uint16_t *whole = malloc(LARGE * sizeof *whole), part[PART];
    assert_non_null(whole);
    family_fill_input(KZ_F16, KZ_DATA_UNIFORM, 7, 2, 0, LARGE, LARGE, whole);
    for (uint64_t first = 0; first + PART <= LARGE; first += LARGE / 61) {
        family_fill_input(KZ_F16, KZ_DATA_UNIFORM, 7, 2, first, PART, LARGE, part); // too small for threads
        assert_memory_equal(part, whole + first, sizeof part);
    }
    free(whole);
}

static void inputs_differ_by_seed_and_buffer(void **state) {
    (void)state;
    float a[64], b[64], c[64];
    family_fill_input(KZ_F32, KZ_DATA_UNIFORM, 7, 0, 0, 64, 64, a);
    family_fill_input(KZ_F32, KZ_DATA_UNIFORM, 8, 0, 0, 64, 64, b);
    family_fill_input(KZ_F32, KZ_DATA_UNIFORM, 7, 1, 0, 64, 64, c);
    for (int i = 0; i < 64; i++) {
        assert_true(a[i] != b[i]);
        assert_true(a[i] != c[i]);
    }
}

static void every_kind_of_data_is_what_it_says(void **state) {
    (void)state;
    enum { N = 4096 };
    static const kz_type types[] = {KZ_F32, KZ_F16, KZ_BF16, KZ_F64};
    static double memory[N];
    for (size_t t = 0; t < BASE_COUNT(types); t++) {
        for (int data = 0; data < KZ_DATA_COUNT; data++) {
            size_t special = 0, near_the_low_end = 0, changes = 0;
            family_fill_input(types[t], (kz_data)data, 3, 0, 0, N, N, memory);
            double first = kz_element_get(types[t], memory, 0), mean = 0;
            for (uint64_t i = 0; i < N; i++) {
                double x = kz_element_get(types[t], memory, i);
                double normal = types[t] == KZ_F16 ? 0x1p-14 : types[t] == KZ_F64 ? 0x1p-1022 : 0x1p-126;
                if (isnan(x) || isinf(x)) special++;
                mean += x / N;
                switch ((kz_data)data) {
                case KZ_DATA_UNIFORM: assert_true(x >= -1 && x < 1); break;
                case KZ_DATA_POSITIVE: assert_true(x >= 0.5 && x < 1.5 + 0x1p-8); break;
                case KZ_DATA_ZEROS: assert_true(x == 0); break;
                case KZ_DATA_ONES: assert_true(x == 1); break;
                case KZ_DATA_EQUAL: assert_true(x == first && x != 0); break;
                case KZ_DATA_DENORMAL: assert_true(x != 0 && fabs(x) < normal); break;
                case KZ_DATA_SMALL: assert_true(fabs(x) >= normal && fabs(x) <= 2 * normal); break;
                case KZ_DATA_LARGE: assert_true(isfinite(x) && fabs(x) > 1e4); break;
                case KZ_DATA_BIASED: near_the_low_end += x < -1 + 2.0 / 256; break;
                case KZ_DATA_RUNS: changes += i > 0 && x != kz_element_get(types[t], memory, i - 1); break;
                default: break;
                }
            }
            bool has_special = data == KZ_DATA_NAN || data == KZ_DATA_INF;
            assert_int_equal(special > 0, has_special);
            assert_true(special < N / 16);
            if (data == KZ_DATA_UNIFORM) assert_true(fabs(mean) < 0.05);
            if (data == KZ_DATA_BIASED) assert_in_range(near_the_low_end, N * 45 / 100, N * 55 / 100);
            if (data == KZ_DATA_RUNS) assert_in_range(changes, N / 5, N / 2);
        }
    }
}

static void narrow_integers_stay_in_range(void **state) {
    (void)state;
    enum { N = 4096 };
    static uint16_t words[N];
    static uint8_t bytes[N];
    family_fill_input(KZ_U16, KZ_DATA_BIASED, 3, 0, 0, N, N, words);
    family_fill_input(KZ_U8, KZ_DATA_BIASED, 3, 0, 0, N, N, bytes);
    size_t low_words = 0, low_bytes = 0;
    for (size_t i = 0; i < N; i++) {
        low_words += words[i] < 256;
        low_bytes += bytes[i] == 0;
    }
    assert_in_range(low_words, N * 45 / 100, N * 55 / 100);
    assert_in_range(low_bytes, N * 45 / 100, N * 55 / 100);
    family_fill_input(KZ_U16, KZ_DATA_LARGE, 3, 0, 0, N, N, words);
    for (size_t i = 0; i < N; i++) assert_true(words[i] > UINT16_MAX - 16);
}

static bool fill_first(const kz_case *c, size_t which, uint64_t seed, uint64_t first, uint64_t count,
                       void *host) {
    if (which != 0) return false;
    for (uint64_t i = 0; i < count; i++) ((float *)host)[i] = (float)(first + i);
    return true;
}

static void a_family_may_fill_an_input_itself(void **state) {
    (void)state;
    kz_family own = {.fill = fill_first};
    kz_case c = {.data = KZ_DATA_ONES};
    kz_buffer buffer = {"x", KZ_INPUT, KZ_F32, 8};
    float x[4];
    family_make_input(&own, &c, 0, &buffer, 1, 3, 4, x);
    assert_true(x[0] == 3 && x[3] == 6);
    family_make_input(&own, &c, 1, &buffer, 1, 3, 4, x);
    assert_true(x[0] == 1 && x[3] == 1);
}

static void an_element_may_be_left_to_the_kernel(void **state) {
    (void)state;
    assert_true(family_is_right(NAN, 0, KZ_ANYTHING));
    assert_true(family_is_right(3, NAN, KZ_ANYTHING));
}

static void a_single_element_is_special_too(void **state) {
    (void)state;
    float x;
    family_fill_input(KZ_F32, KZ_DATA_NAN, 1, 0, 0, 1, 1, &x);
    assert_true(isnan(x));
}

static void data_has_names(void **state) {
    base_text list = {0};
    family_data_list(&list);
    for (int d = 0; d < KZ_DATA_COUNT; d++) {
        kz_data found = KZ_DATA_COUNT;
        assert_non_null(strstr(list.data, family_data_name((kz_data)d)));
        assert_true(family_data_find(family_data_name((kz_data)d), &found));
        assert_int_equal(found, d);
    }
    kz_data none;
    assert_false(family_data_find("wild", &none));
    base_text_free(&list);
}

static void poison_is_recognised(void **state) {
    (void)state;
    for (int type = 0; type < KZ_TYPE_COUNT; type++) {
        uint64_t memory[2] = {0};
        assert_false(family_is_poison((kz_type)type, memory));
        family_poison((kz_type)type, 1, memory);
        assert_true(family_is_poison((kz_type)type, memory));
        bool is_float = type == KZ_F32 || type == KZ_F16 || type == KZ_BF16 || type == KZ_F64;
        assert_int_equal(isnan(kz_element_get((kz_type)type, memory, 0)) != 0, is_float);
    }
}

// ---- launch lines -------------------------------------------------------------------------------

// Lines for others are no launch lines, and a word that nobody knows is a mistake at its line.
static void launch_lines_of_a_learners_file(void **state) {
    (void)state;
    base_arena *arena = base_arena_open();
    family_lines lines;
    kz_error error = {0};
    const family_name_value names[] = {{"n", 1000}, {NULL, 0}};
    kz_launch launch = {.size = sizeof(kz_launch), .grid = {9, 9, 9}, .block = {9, 9, 9}};
    bool has_grid;
    assert_int_equal(family_lines_read(arena, "a.cu",
                                       "// kz: task vector-add\n// kz: begin\n// kz: block 64 2\n// kz: end\n"
                                       "// kz: grid ceil(n/block)\n// kz: fill z 0xff\n",
                                       &lines, &error),
                     KZ_OK);
    assert_int_equal(family_lines_shape(&lines, "vector_add", names, &launch, &has_grid, &error), KZ_OK);
    assert_true(has_grid && launch.grid[0] == 8 && launch.grid[1] == 1 && launch.block[1] == 2);
    family_fill fill;
    size_t at = 0;
    bool found;
    assert_int_equal(family_lines_fill(&lines, "vector_add", &at, &fill, &found, &error), KZ_OK);
    assert_true(found && fill.byte == 0xff && strcmp(fill.buffer, "z") == 0);
    // No blocks at all: one for the zoo's guests, who meet empty inputs; an error for who learns to launch.
    assert_int_equal(family_lines_read(arena, "a.cu", "// kz: grid floor(n/4096)\n", &lines, &error), KZ_OK);
    assert_int_equal(family_lines_shape(&lines, "vector_add", names, &launch, &has_grid, &error), KZ_OK);
    assert_int_equal(launch.grid[0], 1);
    lines.is_strict = true;
    assert_int_equal(family_lines_shape(&lines, "vector_add", names, &launch, &has_grid, &error), KZ_SYNTAX);
    assert_non_null(strstr(error.message, "a launch of nothing"));
    assert_int_equal(family_lines_read(arena, "a.cu", "\n// kz: blok 64\n", &lines, &error), KZ_SYNTAX);
    assert_non_null(strstr(error.message, "a.cu:2"));
    base_arena_close(arena);
}

// ---- expressions --------------------------------------------------------------------------------

static double value_of(const char *text) {
    const family_name_value names[] = {{"n", 1025}, {"block", 256}, {NULL, 0}};
    double value = NAN;
    kz_error error;
    if (family_evaluate(&text, names, &value, &error)) return NAN;
    return *text ? NAN : value;
}

static void expressions_evaluate(void **state) {
    (void)state;
    assert_true(value_of("256") == 256);
    assert_true(value_of("ceil(n/256)") == 5);
    assert_true(value_of("1.5e3 * 2e-1") == 300);
    assert_true(value_of(" min(ceil( n / block ), 4) ") == 4);
    assert_true(value_of("max(1, 2, 3) * (2 + 3) - -1") == 16);
    assert_true(value_of("floor(n/block)*block") == 1024);
    assert_true(isnan(value_of("ceil(n/256")));
    assert_true(isnan(value_of("m")));
    assert_true(isnan(value_of("sin(n)")));
    assert_true(isnan(value_of("n/0")));
    assert_true(isnan(value_of("")));
    char deep[400];
    memset(deep, '(', sizeof deep);
    deep[399] = 0;
    assert_true(isnan(value_of(deep)));
}

// ---- limits -------------------------------------------------------------------------------------

static void limits_are_named(void **state) {
    (void)state;
    const kz_device_info device = {.peak_bytes_per_s = 4.8e12, .peak_flops_f32 = 67e12};
    const kz_work stream = {.bytes = 4 * 32 * 1000, .flops = 1000};
    char text[FAMILY_LIMIT];
    kz_counters k = {.valid = true,
                     .warp_instructions = 1000,
                     .thread_instructions = 32000,
                     .global_requests = 1000,
                     .global_sectors = 4000,
                     .global_ideal_sectors = 4000};
    family_describe_limit(&device, &stream, &k, text);
    assert_string_equal(text, "peak: DRAM, 4.0 sectors/request");
    k.global_sectors = 32000;
    family_describe_limit(&device, &stream, &k, text);
    assert_string_equal(text, "uncoalesced: 32 sectors, ideal 4");
    k.global_sectors = 4000;
    k.shared_requests = k.shared_ideal_wavefronts = 100;
    k.shared_wavefronts = 3200;
    family_describe_limit(&device, &stream, &k, text);
    assert_string_equal(text, "bank conflicts, 32-way");
    k.atomic_requests = 1000;
    k.atomic_lane_conflicts = 31000;
    family_describe_limit(&device, &stream, &k, text);
    assert_string_equal(text, "atomics: 32 lanes on one address");
    k.atomic_requests = k.shared_requests = k.shared_wavefronts = k.shared_ideal_wavefronts = 0;
    k.warp_instructions = 100000;
    k.thread_instructions = 3200000;
    family_describe_limit(&device, &stream, &k, text);
    assert_string_equal(text, "instruction issue, 3.6x bytes");
    family_describe_limit(&device, &stream, NULL, text);
    assert_string_equal(text, "peak: memory");
    family_describe_limit(&device, &(kz_work){.bytes = 1, .flops = 100}, NULL, text);
    assert_string_equal(text, "peak: arithmetic");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_parses_back),
        cmocka_unit_test(a_case_of_any_size_can_be_named),
        cmocka_unit_test(globs_match),
        cmocka_unit_test(examples_are_in_f32_or_in_what_there_is),
        cmocka_unit_test(any_part_of_an_input_can_be_made_alone),
        cmocka_unit_test(a_large_input_is_the_same_from_any_number_of_threads),
        cmocka_unit_test(inputs_differ_by_seed_and_buffer),
        cmocka_unit_test(every_kind_of_data_is_what_it_says),
        cmocka_unit_test(narrow_integers_stay_in_range),
        cmocka_unit_test(a_family_may_fill_an_input_itself),
        cmocka_unit_test(an_element_may_be_left_to_the_kernel),
        cmocka_unit_test(a_single_element_is_special_too),
        cmocka_unit_test(data_has_names),
        cmocka_unit_test(poison_is_recognised),
        cmocka_unit_test(launch_lines_of_a_learners_file),
        cmocka_unit_test(expressions_evaluate),
        cmocka_unit_test(limits_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
