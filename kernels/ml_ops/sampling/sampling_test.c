// sampling: random bits, the judge by hand, right and wrong samplers before it, the distribution, and the public operation.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "private.h"
#include "unit.h"

// The known answers of Philox4x32-10 (Random123: kat_vectors): the first two of four words, by counter and key.
static void random_bits_are_philox(void **state) {
    assert_true(sampling_random(0, 0, 0) == 0xe169c58d6627e8d5u);
    assert_true(sampling_random(UINT64_MAX, UINT64_MAX, UINT64_MAX) == 0x41c83b0e408f276du);
    assert_true(sampling_random(0x299f31d0a4093822, 0x0370734413198a2e, 0x85a308d3243f6a88) ==
                0x94fdccebd16cfe09);
}

// ---- the judge by hand ------------------------------------------------------------------------------------------------

enum { MOST = 1000 };

static int accepted_count(const kz_case *c, const float *logits, int64_t step, bool *accepted) {
    void *host[] = {(void *)logits, NULL, &step};
    int count = 0;
    assert_int_equal(sampling_judge(c, host, 0, accepted, NULL), KZ_OK);
    for (int64_t i = 0; i < c->axes[VOCABULARY]; i++) count += accepted[i];
    return count;
}

// With weights 1, 4, 2, 4, 1 of 12, which tokens come up in many steps.
static void assert_drawn(int64_t top_k, int64_t top_p, int64_t min_p, const char *wanted) {
    const float logits[] = {0.0f, logf(4.0f), logf(2.0f), logf(4.0f), 0.0f};
    const kz_case c = {.type = KZ_F32, .axes = {1, 5, top_k, top_p, min_p}};
    char drawn[] = ".....";
    bool accepted[5];
    for (int64_t step = 0; step < 400; step++) {
        assert_int_equal(accepted_count(&c, logits, step, accepted), 1);
        for (int i = 0; i < 5; i++)
            if (accepted[i]) drawn[i] = 'x';
    }
    assert_string_equal(drawn, wanted);
}

static void filters_keep_what_they_say(void **state) {
    assert_drawn(0, 0, 0, "xxxxx");
    assert_drawn(1, 0, 0, ".x.x."); // equals of the last one are kept
    assert_drawn(3, 0, 0, ".xxx.");
    assert_drawn(4, 0, 0, "xxxxx");
    assert_drawn(0, 600, 0, ".x.x."); // 8 of 12 reach 0.6
    assert_drawn(0, 700, 0, ".xxx.");
    assert_drawn(3, 790, 0, ".x.x."); // 8 of the 10 that top_k left; of 12 they would be too few
    assert_drawn(0, 0, 510, ".x.x.");
    assert_drawn(0, 0, 490, ".xxx.");
    assert_drawn(0, 0, 1000, ".x.x.");
}

// At an exact limit both ways are right: the double knows no better than the kernel.
static void open_limits_accept_both(void **state) {
    float logits[MOST];
    bool accepted[MOST];
    for (int i = 0; i < MOST; i++) logits[i] = 0.0f; // 1000 equal weights: no error at all
    const kz_case flat = {.type = KZ_F32, .axes = {1, MOST}};
    for (int64_t step = 0; step < 100; step++)
        assert_int_equal(accepted_count(&flat, logits, step, accepted), 1);
    const float two[] = {0.0f, -logf(2.0f)};
    const kz_case c = {.type = KZ_F32, .axes = {1, 2, 0, 0, 500}}; // min_p 0.5, and p is 0.5 of the greatest
    int both = 0;
    for (int64_t step = 0; step < 100; step++) both += accepted_count(&c, two, step, accepted) == 2;
    assert_true(both > 10); // a third of the steps would draw the second
}

static void odd_rows(void **state) {
    bool accepted[4];
    const kz_case sample = {.type = KZ_F32, .axes = {1, 4, 2, 900}};
    const kz_case greedy = {.operation = GREEDY, .type = KZ_F32, .axes = {1, 4}};
    const float infinite[] = {1.0f, INFINITY, NAN, -INFINITY}, nothing[] = {NAN, -INFINITY, -INFINITY, NAN},
                equal[] = {NAN, 2.0f, -3.0f, 2.0f};
    assert_true(accepted_count(&sample, infinite, 0, accepted) == 1 && accepted[1]);
    assert_true(accepted_count(&greedy, infinite, 0, accepted) == 1 && accepted[1]);
    assert_int_equal(accepted_count(&sample, nothing, 0, accepted), 0);
    assert_int_equal(accepted_count(&greedy, nothing, 0, accepted), 0);
    assert_true(accepted_count(&greedy, equal, 0, accepted) == 1 && accepted[1]);
}

// ---- samplers that are right, and wrong ---------------------------------------------------------------------------------

typedef enum fault {
    RIGHT,
    ROUNDED, // weights off by as much as a kernel's may be
    NO_TOP_K,
    ONE_MORE, // top_k + 1
    NO_TOP_P,
    TOP_P_OPEN,  // the token with which the sum reaches the share is dropped
    TOP_P_FIRST, // before top_k
    NO_MIN_P,
    NO_TEMPERATURE,
    ANOTHER_STEP,
    BY_RANK,   // the draw goes down the sorted tokens
    HALF_SUMS, // in f16
    FAULTS
} fault;

typedef struct choice {
    double value, weight;
    int index;
} choice;

static int by_value(const void *a, const void *b) {
    const choice *x = a, *y = b;
    if (x->value != y->value) return x->value > y->value ? -1 : 1;
    return x->index - y->index;
}
static int by_index(const void *a, const void *b) {
    return ((const choice *)a)->index - ((const choice *)b)->index;
}

static int cut_top_k(const choice *list, int count, int k) {
    if (k == 0 || k >= count) return count;
    while (k < count && list[k].value == list[k - 1].value) k++;
    return k;
}
static int cut_top_p(const choice *list, int count, double p, bool open) {
    double all = 0.0, sum = 0.0;
    for (int i = 0; i < count; i++) all += list[i].weight;
    for (int i = 0; i < count; i++)
        if ((sum += list[i].weight) >= p * all) {
            int end = i + 1;
            while (end < count && list[end].value == list[i].value) end++;
            return open && i > 0 ? i : end;
        }
    return count;
}

static double weight_with(fault f, double exponent, uint64_t noise) {
    double off = f == ROUNDED ? ((double)(noise >> 11) * 0x1p-52 - 1.0) * 0x1p-22 : 0.0;
    return exp(exponent) * (1.0 + off);
}

static double add_with(fault f, double sum, double weight) {
    uint16_t half;
    if (f != HALF_SUMS) return sum + weight;
    kz_element_set(KZ_F16, &half, 0, sum + weight);
    return kz_element_get(KZ_F16, &half, 0);
}

static int draw_with(fault f, const kz_case *c, const float *logits, uint64_t row, int64_t step) {
    static choice list[MOST];
    sampling_filters asked = sampling_filters_of(c);
    int count = (int)c->axes[VOCABULARY], k = f == NO_TOP_K ? 0 : (int)asked.top_k + (f == ONE_MORE);
    double most = -INFINITY, temperature = f == NO_TEMPERATURE ? 1.0 : (double)asked.temperature, all = 0.0,
           sum = 0.0;
    double top_p = f == NO_TOP_P ? 1.0 : (double)asked.top_p,
           min_p = f == NO_MIN_P ? 0.0 : (double)asked.min_p;
    for (int i = 0; i < count; i++) most = fmax(most, (double)logits[i]);
    for (int i = 0; i < count; i++) {
        double exponent = ((double)logits[i] - most) / temperature;
        list[i] = (choice){(double)logits[i],
                           weight_with(f, exponent, kz_draw(77, 0, row * MOST + (uint64_t)i)), i};
    }
    qsort(list, (size_t)count, sizeof *list, by_value);
    if (f == TOP_P_FIRST) count = cut_top_p(list, count, top_p, false);
    count = cut_top_k(list, count, k);
    if (f != TOP_P_FIRST && top_p < 1.0) count = cut_top_p(list, count, top_p, f == TOP_P_OPEN);
    while (count > 1 && list[count - 1].weight < min_p) count--;
    if (f != BY_RANK) qsort(list, (size_t)count, sizeof *list, by_index);
    for (int i = 0; i < count; i++) all = add_with(f, all, list[i].weight);
    double u = (double)sampling_random(asked.seed, row, (uint64_t)step + (f == ANOTHER_STEP)) * 0x1p-64;
    for (int i = 0; i < count; i++)
        if ((sum = add_with(f, sum, list[i].weight)) > u * all) return list[i].index;
    return list[count - 1].index;
}

enum { JUDGED = 200 };

static float judged_logits[JUDGED * MOST];
static bool judged[JUDGED * MOST];
enum { JUDGED_STEP = 11 };

// Judges the rows of a case, and returns how many of them leave more than one token open.
static int judge_rows(const kz_case *c) {
    int64_t step = JUDGED_STEP;
    void *host[] = {judged_logits, NULL, &step};
    int open = 0;
    for (uint64_t i = 0; i < JUDGED * MOST; i++) { // about normal: the sum of four uniform numbers
        uint64_t sum = 0;
        for (uint32_t part = 0; part < 4; part++) sum += kz_draw(9, part, i) >> 48;
        judged_logits[i] = (float)((double)sum * 0x1p-13 - 16.0);
    }
    for (uint64_t row = 0; row < JUDGED; row++) {
        bool *accepted = judged + row * MOST;
        assert_int_equal(sampling_judge(c, host, row, accepted, NULL), KZ_OK);
        int right = 0;
        for (int i = 0; i < MOST; i++) right += accepted[i];
        assert_true(right >= 1);
        open += right > 1;
    }
    return open;
}

// How many of the rows' tokens are not accepted.
static int refused(fault f, const kz_case *c) {
    int count = 0;
    for (uint64_t row = 0; row < JUDGED; row++)
        count +=
            !judged[row * MOST + (uint64_t)draw_with(f, c, judged_logits + row * MOST, row, JUDGED_STEP)];
    return count;
}

// Nearly every row has one token alone that is right, so nearly every wrong one shows.
static void right_samplers_pass_and_wrong_ones_fail(void **state) {
    static const kz_case cases[] = {{.type = KZ_F32, .axes = {JUDGED, MOST, 40, 800, 100, 2000}},
                                    {.type = KZ_F32, .axes = {JUDGED, MOST, 300, 900, 0, 3000}}};
    int wrong[FAULTS] = {0};
    for (int i = 0; i < 2; i++) {
        assert_true(judge_rows(&cases[i]) <= JUDGED / 50);
        for (fault f = RIGHT; f < FAULTS; f++) wrong[f] += refused(f, &cases[i]);
    }
    for (fault f = RIGHT; f < FAULTS; f++) {
        if (f <= ROUNDED && wrong[f] != 0)
            fail_msg("sampler %d is right, and %d rows are refused", f, wrong[f]);
        if (f > ROUNDED && wrong[f] < 10)
            fail_msg("sampler %d is wrong, and %d rows are refused", f, wrong[f]);
    }
}

// The bound of the reference is as narrow: one token where one is right, else the span of those that are.
static void the_reference_spans_what_is_accepted(void **state) {
    const float logits[] = {NAN, 0.0f, -9.0f, -logf(2.0f), NAN, NAN};
    int64_t step = 0;
    bool accepted[3];
    double expected[2], bound[2];
    const kz_case c = {.type = KZ_F32, .axes = {2, 3, 0, 0, 500, 0}},
                  one = {.type = KZ_F32, .axes = {1, 2, 0, 0, 500}};
    const float two[] = {0.0f, -logf(2.0f)};
    while (accepted_count(&one, two, step, accepted) != 2) step++;
    void *host[] = {(void *)logits, NULL, &step};
    assert_int_equal(sampling_reference(&c, host, TOKEN, expected, bound, NULL), KZ_OK);
    assert_true(expected[0] == 1.0 && bound[0] == 0.0); // -9 is out
    assert_true(expected[1] == 0.0 && bound[1] == 0.0); // the other row: its first token alone is a number
    void *pair[] = {(void *)two, NULL, &step};
    assert_int_equal(sampling_reference(&one, pair, TOKEN, expected, bound, NULL), KZ_OK);
    assert_true(expected[0] == 0.5 && bound[0] == 0.5);
}

// ---- the operation ------------------------------------------------------------------------------------------------------

typedef struct session {
    kz_device *device;
    kz_operation *operation;
    kz_ptr logits, step, token, workspace;
    uint64_t workspace_bytes;
} session;

static void open_session(session *s, const char *device, const char *variant,
                         const kz_sampling_params *params, const float *logits, uint64_t rows,
                         uint64_t vocabulary) {
    kz_error error = {0};
    *s = (session){0};
    assert_int_equal(kz_device_open(device, &s->device, &error), KZ_OK);
    if (kz_sampling_open(s->device, KZ_F32, rows, vocabulary, params, variant, &s->operation, &error) !=
        KZ_OK)
        fail_msg("%s", error.message);
    s->workspace_bytes = kz_operation_workspace(s->operation);
    assert_int_equal(kz_memory_alloc(s->device, rows * vocabulary * 4, &s->logits, &error), KZ_OK);
    assert_int_equal(kz_memory_alloc(s->device, 8, &s->step, &error), KZ_OK);
    assert_int_equal(kz_memory_alloc(s->device, rows * 4, &s->token, &error), KZ_OK);
    assert_int_equal(kz_memory_alloc(s->device, s->workspace_bytes + 16, &s->workspace, &error), KZ_OK);
    for (uint64_t row = 0; row < rows; row++) // the same for all
        assert_int_equal(kz_copy_to_device(s->device, NULL, s->logits + row * vocabulary * 4, logits,
                                           vocabulary * 4, &error),
                         KZ_OK);
}

static void run_session(session *s, int64_t step, int32_t *tokens, uint64_t rows) {
    kz_error error = {0};
    assert_int_equal(kz_copy_to_device(s->device, NULL, s->step, &step, 8, &error), KZ_OK);
    assert_int_equal(kz_sampling_run(s->operation, NULL, s->logits, s->step, s->token, s->workspace,
                                     s->workspace_bytes, &error),
                     KZ_OK);
    assert_int_equal(kz_copy_to_host(s->device, NULL, tokens, s->token, rows * 4, &error), KZ_OK);
    assert_int_equal(kz_device_synchronize(s->device, &error), KZ_OK);
}

static void close_session(session *s) {
    kz_operation_close(s->operation);
    kz_memory_free(s->device, s->logits, NULL);
    kz_memory_free(s->device, s->step, NULL);
    kz_memory_free(s->device, s->token, NULL);
    kz_memory_free(s->device, s->workspace, NULL);
    kz_device_close(s->device);
}

enum { TOKENS = 40, DRAWS = 1000, STEPS = 20, KEPT = 12 };

static void make_logits(float logits[TOKENS]) {
    for (uint64_t i = 0; i < TOKENS; i++)
        logits[i] = (float)((double)(kz_draw(3, 0, i) >> 11) * 0x1p-51 - 2.0);
}

// Chi-square of counts against the kept weights; `kept` gets how many tokens those are.
static double chi_square(const float *logits, double temperature, const int *counts, double draws,
                         int *kept) {
    choice list[TOKENS];
    double all = 0.0, sum = 0.0;
    for (int i = 0; i < TOKENS; i++)
        list[i] = (choice){(double)logits[i], exp((double)logits[i] / temperature), i};
    qsort(list, TOKENS, sizeof *list, by_value);
    for (int i = 0; i < KEPT; i++) all += list[i].weight;
    *kept = 0;
    for (int i = 0; i < TOKENS; i++) {
        double wanted = i < KEPT ? draws * list[i].weight / all : 0.0, off = counts[list[i].index] - wanted;
        if (i >= KEPT) assert_int_equal(counts[list[i].index], 0);
        if (wanted > 0.0) sum += off * off / wanted, (*kept)++;
    }
    return sum;
}

// Over rows and steps of one seed, and apart for the rows of one step and the steps of one row. 31.3 is passed by one of
// 1000 right samplers with 11 degrees of freedom; the seed is fixed, so the outcome is too.
static void draws_follow_the_distribution(void **state) {
    static int32_t tokens[DRAWS];
    static int counts[TOKENS], of_step[TOKENS], of_rows[TOKENS];
    float logits[TOKENS];
    kz_sampling_params params = {.size = sizeof params, .temperature = 0.7f, .top_k = KEPT, .seed = 12};
    session s;
    make_logits(logits);
    open_session(&s, "cpu", NULL, &params, logits, DRAWS, TOKENS);
    for (int64_t step = 0; step < STEPS; step++) {
        run_session(&s, step, tokens, DRAWS);
        for (int i = 0; i < DRAWS; i++) {
            assert_in_range(tokens[i], 0, TOKENS - 1);
            counts[tokens[i]]++;
            if (step == 0) of_step[tokens[i]]++;
            if (i % 50 == 0) of_rows[tokens[i]]++;
        }
    }
    close_session(&s);
    int kept;
    assert_true(chi_square(logits, 0.7, counts, DRAWS * STEPS, &kept) < 31.3 && kept == KEPT);
    assert_true(chi_square(logits, 0.7, of_step, DRAWS, &kept) < 31.3);
    assert_true(chi_square(logits, 0.7, of_rows, DRAWS / 50 * STEPS, &kept) < 31.3);
    assert_true(chi_square(logits, 1.0, counts, DRAWS * STEPS, &kept) > 100.0); // another temperature shows
}

// Whoever draws, the tokens are the same; and a step that lies in memory is what makes them new.
static void every_variant_draws_the_same(void **state) {
    enum { FEW = 24 };
    static const char *const variants[] = {"01_launches", "02_sort", "03_search", "04_cluster"};
    int32_t first[FEW], again[FEW], later[FEW], tokens[FEW];
    float logits[TOKENS];
    kz_sampling_params params = {.size = sizeof params,
                                 .temperature = 0.9f,
                                 .top_k = 30,
                                 .top_p = 0.95f,
                                 .min_p = 0.05f,
                                 .seed = UINT64_MAX - 5};
    session s;
    make_logits(logits);
    open_session(&s, "cpu", NULL, &params, logits, FEW, TOKENS);
    run_session(&s, 1LL << 40, first, FEW);
    run_session(&s, 1LL << 40, again, FEW);
    run_session(&s, (1LL << 40) + 1, later, FEW);
    close_session(&s);
    assert_memory_equal(first, again, sizeof first);
    assert_memory_not_equal(first, later, sizeof first);
    for (size_t v = 0; v < sizeof variants / sizeof variants[0]; v++) {
        open_session(&s, "sim", variants[v], &params, logits, FEW, TOKENS);
        run_session(&s, 1LL << 40, tokens, FEW);
        assert_memory_equal(first, tokens, sizeof first);
        run_session(&s, (1LL << 40) + 1, tokens, FEW);
        assert_memory_equal(later, tokens, sizeof first);
        close_session(&s);
    }
}

static void temperature_zero_is_greedy(void **state) {
    const float logits[] = {1.0f, 3.0f, -2.0f, 3.0f};
    kz_sampling_params params = {.size = sizeof params, .top_k = 3, .seed = 4};
    int32_t tokens[2];
    session s;
    open_session(&s, "sim", NULL, &params, logits, 2, 4);
    assert_int_equal(kz_operation_workspace(s.operation), 0);
    run_session(&s, 0, tokens, 2);
    assert_true(tokens[0] == 1 && tokens[1] == 1);
    assert_int_equal(kz_sampling_run(s.operation, NULL, s.logits, 0, s.token, 0, 0, NULL),
                     KZ_OK); // no step is needed
    close_session(&s);
}

static void refuse(kz_device *device, kz_sampling_params params, kz_status status, const char *reason) {
    kz_error error = {0};
    kz_operation *operation = NULL;
    assert_int_equal(kz_sampling_open(device, KZ_F32, 2, 10, &params, NULL, &operation, &error), status);
    if (!strstr(error.message, reason)) fail_msg("\"%s\" does not say \"%s\"", error.message, reason);
    assert_null(operation);
}

static void odd_parameters_are_refused(void **state) {
    enum { SIZE = sizeof(kz_sampling_params) };
    kz_device *device;
    assert_int_equal(kz_device_open("sim", &device, NULL), KZ_OK);
    refuse(device, (kz_sampling_params){.size = SIZE, .temperature = -1.0f}, KZ_UNSUPPORTED,
           "temperature is -1");
    refuse(device, (kz_sampling_params){.size = SIZE, .temperature = NAN}, KZ_UNSUPPORTED, "temperature is");
    refuse(device, (kz_sampling_params){.size = SIZE, .temperature = INFINITY}, KZ_UNSUPPORTED,
           "temperature is inf");
    refuse(device, (kz_sampling_params){.size = SIZE, .temperature = 1, .top_p = NAN}, KZ_UNSUPPORTED,
           "top_p is");
    refuse(device, (kz_sampling_params){.size = SIZE, .temperature = 1, .min_p = 1.5f}, KZ_UNSUPPORTED,
           "min_p 1.5");
    refuse(device, (kz_sampling_params){.temperature = 1}, KZ_INVALID, "params.size");
    kz_device_close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_bits_are_philox),
        cmocka_unit_test(filters_keep_what_they_say),
        cmocka_unit_test(open_limits_accept_both),
        cmocka_unit_test(odd_rows),
        cmocka_unit_test(right_samplers_pass_and_wrong_ones_fail),
        cmocka_unit_test(the_reference_spans_what_is_accepted),
        cmocka_unit_test(draws_follow_the_distribution),
        cmocka_unit_test(every_variant_draws_the_same),
        cmocka_unit_test(temperature_zero_is_greedy),
        cmocka_unit_test(odd_parameters_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
