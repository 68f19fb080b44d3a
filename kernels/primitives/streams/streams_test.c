// streams: the reference by hand, and plans whose pieces cover the input once.
#include <math.h>
#include <stdlib.h>

#include "kz/family.h"
#include "unit.h"

static const kz_device_info h200 = {.kind = KZ_DEVICE_CUDA, .gpu = "", .sm = 90, .multiprocessors = 132};

static void the_reference(void **state) {
    float x[] = {0.0f, 0.5f, INFINITY, NAN};
    double expected[4], bound[4];
    kz_case c = {.type = KZ_F32, .axes = {4, 64}};
    kz_family_find("streams")->reference(&c, (void *[]){x, NULL}, 1, expected, bound, NULL);
    assert_true(expected[0] == 1.0 && expected[1] == 1.5 && expected[2] == INFINITY && isnan(expected[3]));
    assert_true(bound[0] == 64 * 0x1p-24); // half an ulp at 1, 64 times
    float sum = 0.3f;
    for (int i = 0; i < 64; i++) sum = fmaf(1.0f, sum, 0x1p-6f);
    x[0] = 0.3f;
    kz_family_find("streams")->reference(&c, (void *[]){x, NULL}, 1, expected, bound, NULL);
    assert_true(fabs((double)sum - expected[0]) <= bound[0]);
    assert_false(fabs((double)sum + 0x1p-6 - expected[0]) <= bound[0]); // a round too many
}

// Bytes that copies move between a buffer and the workspace, and whether they follow each other without a gap.
static uint64_t copied(const kz_plan *plan, uint32_t buffer) {
    uint64_t at = 0;
    for (uint32_t i = 0; i < plan->step_count; i++) {
        const kz_step *step = &plan->steps[i];
        if (step->kind != KZ_STEP_COPY) continue;
        const kz_arg *host = step->args[0].kind == KZ_ARG_BUFFER ? &step->args[0] : &step->args[1];
        if (host->buffer != buffer) continue;
        assert_int_equal(host->offset, at);
        at += step->bytes;
    }
    return at;
}

static void pieces_cover_the_input(void **state) {
    static const int64_t sizes[] = {1, 1024, 1025, 8191, 8192, 8193, 1 << 20, (1LL << 31) + 4099};
    const kz_family *family = kz_family_find("streams");
    kz_plan *plan = malloc(sizeof *plan);
    for (size_t v = 1; v < family->variant_count; v++)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            kz_case c = {.type = KZ_F32, .axes = {sizes[i], 4}};
            *plan = (kz_plan){0};
            assert_int_equal(kz_variant_plan(family, &family->variants[v], &c, &h200, plan, NULL), KZ_OK);
            assert_int_equal(copied(plan, 0), 4 * sizes[i]);
            assert_int_equal(copied(plan, 1), 4 * sizes[i]);
        }
    free(plan);
}

static const kz_plan *plan_of(const char *variant, kz_plan *plan) {
    const kz_family *family = kz_family_find("streams");
    kz_case c = {.type = KZ_F32, .axes = {1 << 20, 4}};
    *plan = (kz_plan){0};
    assert_int_equal(kz_variant_plan(family, kz_variant_find(family, variant), &c, &h200, plan, NULL), KZ_OK);
    return plan;
}

static void each_step_changes_what_it_says(void **state) {
    kz_plan *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    assert_int_equal(plan_of("01_synchronous", a)->step_count, 6);
    assert_int_equal(plan_of("02_one_stream", a)->step_count, 3);
    assert_int_equal(plan_of("03_two_buffers", a)->workspace_bytes, 2 * (4 << 17));
    plan_of("04_depth_first", a);
    plan_of("05_breadth_first", b);
    assert_int_equal(a->step_count, b->step_count); // the same steps in another order
    assert_int_equal(a->steps[1].kind, KZ_STEP_LAUNCH);
    assert_int_equal(b->steps[1].kind, KZ_STEP_COPY);
    plan_of("06_events", a);
    plan_of("07_graph", b);
    assert_true(b->graph && !a->graph && a->step_count == b->step_count);
    kz_error error = {0};
    kz_case pageable = {.operation = 1, .type = KZ_F32, .axes = {4096, 4}};
    assert_int_equal(kz_variant_plan(kz_family_find("streams"),
                                     kz_variant_find(kz_family_find("streams"), "07_graph"), &pageable, &h200,
                                     b, &error),
                     KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "pinned"));
    free(a), free(b);
}

// ---- order: what the simulator cannot show, for it does the steps one by one --------------------------

typedef struct set {
    uint64_t words[KZ_PLAN_STEPS / 64 + 1];
} set;
static void join(set *to, const set *from) {
    for (size_t i = 0; i < sizeof to->words / sizeof to->words[0]; i++) to->words[i] |= from->words[i];
}
static bool holds(const set *s, uint32_t i) { return s->words[i / 64] >> (i % 64) & 1; }

static const kz_arg *slot_of(const kz_step *step) {
    for (uint32_t i = 0; i < step->arg_count; i++)
        if (step->args[i].kind == KZ_ARG_WORKSPACE) return &step->args[i];
    return NULL;
}

// Pairs of steps that use the same buffer of the workspace, and neither of which waits for the other.
static size_t count_unordered(const kz_plan *plan) {
    set streams[KZ_PLAN_STREAMS] = {0}, events[KZ_PLAN_EVENTS] = {0}, before[KZ_PLAN_STEPS] = {0}, host = {0};
    size_t pairs = 0;
    for (uint32_t i = 0; i < plan->step_count; i++) {
        const kz_step *step = &plan->steps[i];
        set *stream = &streams[step->stream];
        join(stream, &host);
        if (step->kind == KZ_STEP_RECORD) events[step->event] = *stream;
        if (step->kind == KZ_STEP_WAIT) join(stream, &events[step->event]);
        if (step->kind == KZ_STEP_SYNCHRONIZE) join(&host, stream);
        if (!slot_of(step)) continue;
        before[i] = *stream;
        for (uint32_t k = 0; k < i; k++)
            if (slot_of(&plan->steps[k]) && slot_of(&plan->steps[k])->offset == slot_of(step)->offset)
                pairs += !holds(&before[i], k);
        stream->words[i / 64] |= (uint64_t)1 << (i % 64);
    }
    return pairs;
}

static void steps_on_one_buffer_are_in_order(void **state) {
    const kz_family *family = kz_family_find("streams");
    kz_plan *plan = malloc(sizeof *plan);
    for (size_t v = 1; v < family->variant_count; v++)
        assert_int_equal(count_unordered(plan_of(family->variants[v].name, plan)), 0);
    for (uint32_t i = 0; i < plan->step_count; i++) // and without its waits, 07 is not
        if (plan->steps[i].kind == KZ_STEP_WAIT) plan->steps[i].kind = KZ_STEP_RECORD;
    assert_true(count_unordered(plan) > 8);
    free(plan);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reference), cmocka_unit_test(pieces_cover_the_input),
        cmocka_unit_test(each_step_changes_what_it_says), cmocka_unit_test(steps_on_one_buffer_are_in_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
