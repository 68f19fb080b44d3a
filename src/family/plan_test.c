// The helpers that append steps to a plan, and the reader of choice.csv.

#include <stdlib.h>

#include "device/plan.h"
#include "family/choice.h"
#include "kz/family.h"
#include "unit.h"

static void steps_are_appended(void **state) {
    kz_plan plan = {0};
    kz_plan_add_fill(&plan, kz_arg_workspace(8), 0xff, 4);
    kz_arg args[] = {kz_arg_buffer(1), kz_arg_u64(UINT64_MAX), kz_arg_f32(1.0f)};
    kz_plan_add_kernel(&plan, 0, "entry",
                       &(kz_launch){.size = sizeof(kz_launch), .grid = {7, 1, 1}, .block = {64, 1, 1}}, args,
                       3);
    kz_plan_add_copy(&plan, 2, kz_arg_buffer(1), kz_arg_buffer(0), 12);
    assert_int_equal(plan.step_count, 3);

    const kz_step *fill = &plan.steps[0], *launch = &plan.steps[1];
    assert_int_equal(fill->kind, KZ_STEP_FILL);
    assert_true(fill->args[0].kind == KZ_ARG_WORKSPACE && fill->args[0].offset == 8);
    assert_true(fill->fill == 0xff && fill->bytes == 4);

    const kz_step *copy = &plan.steps[2];
    assert_int_equal(copy->kind, KZ_STEP_COPY);
    assert_true(copy->args[0].buffer == 1 && copy->args[1].buffer == 0 && copy->bytes == 12 &&
                copy->stream == 2);

    assert_int_equal(launch->kind, KZ_STEP_LAUNCH);
    assert_string_equal(launch->entry, "entry");
    assert_true(launch->launch.grid[0] == 7 && launch->launch.grid[1] == 1 && launch->launch.grid[2] == 1);
    assert_true(launch->launch.block[0] == 64 && launch->launch.block[2] == 1);
    assert_true(launch->arg_count == 3 && launch->args[0].kind == KZ_ARG_BUFFER &&
                launch->args[0].buffer == 1);
    assert_true(launch->args[1].scalar == UINT64_MAX && launch->args[2].scalar == 0x3f800000);
}

// What does not fit is counted or carried, so that kz_plan_run can refuse it, and nothing is written past an array.
static void a_plan_carries_what_does_not_fit(void **state) {
    struct {
        kz_plan plan;
        char guard[sizeof(kz_step)];
    } its = {0}, untouched = {0};
    const kz_launch launch = {.size = sizeof launch, .grid = {1, 1, 1}, .block = {1, 1, 1}};
    kz_arg args[KZ_PLAN_ARGS + 8] = {{0}};
    kz_device *cpu;
    kz_error error = {0};
    assert_int_equal(kz_device_open("cpu", &cpu, NULL), KZ_OK);

    char entry[80] = {0};
    memset(entry, 'x', sizeof entry - 1);
    kz_plan_add_kernel(&its.plan, 0, entry, &launch, args, 1);
    assert_int_equal(kz_plan_run(cpu, NULL, NULL, &its.plan, NULL, 0, 0, &error), KZ_INVALID);
    assert_has(error.message, "without an end");
    its.plan.step_count = 0;
    kz_plan_add_kernel(&its.plan, 0, "entry", &launch, args, sizeof args / sizeof *args);
    assert_int_equal(kz_plan_run(cpu, NULL, NULL, &its.plan, NULL, 0, 0, &error), KZ_INVALID);
    assert_has(error.message, "40 arguments; 32 are the most");
    its.plan.step_count = 0;
    kz_plan_add_record(&its.plan, 1, KZ_PLAN_EVENTS);
    assert_int_equal(kz_plan_run(cpu, NULL, NULL, &its.plan, NULL, 0, 0, &error), KZ_INVALID);
    assert_has(error.message, "event 64");
    its.plan.step_count = 0;
    kz_plan_add_synchronize(&its.plan, KZ_PLAN_STREAMS);
    assert_int_equal(kz_plan_run(cpu, NULL, NULL, &its.plan, NULL, 0, 0, &error), KZ_INVALID);
    assert_has(error.message, "stream 9");

    its.plan.step_count = 0;
    its.plan.map_count = KZ_PLAN_MAPS;
    kz_arg map = kz_plan_add_map(&its.plan, kz_arg_buffer(0), &(kz_tensor){.rank = 2});
    assert_true(map.kind == KZ_ARG_TENSOR_MAP && map.buffer == KZ_PLAN_MAPS);
    assert_int_equal(kz_plan_run(cpu, NULL, NULL, &its.plan, NULL, 0, 0, &error), KZ_INVALID);
    assert_has(error.message, "97 tensor maps; 96 are the most");
    its.plan.map_count = 0;

    its.plan.step_count = KZ_PLAN_STEPS;
    kz_plan_add_kernel(&its.plan, 0, "entry", &launch, args, 1);
    kz_plan_add_fill(&its.plan, kz_arg_buffer(0), 1, 4);
    kz_plan_add_copy(&its.plan, 0, kz_arg_buffer(0), kz_arg_buffer(1), 4);
    kz_plan_add_record(&its.plan, 0, 1);
    kz_plan_add_wait(&its.plan, 0, 1);
    kz_plan_add_synchronize(&its.plan, 1);
    assert_memory_equal(its.guard, untouched.guard, sizeof its.guard);
    assert_int_equal(kz_plan_run(cpu, NULL, NULL, &its.plan, NULL, 0, 0, &error), KZ_INVALID);
    assert_has(error.message, "102 steps; 96 are the most");
    kz_device_close(cpu);
}

static void sizes_without_a_type(void **state) {
    assert_int_equal(kz_type_of_size(8), KZ_I64);
    for (size_t bytes = 9; bytes < 100; bytes++) assert_int_equal(kz_type_of_size(bytes), KZ_TYPE_COUNT);
    assert_int_equal(kz_type_of_size(3), KZ_TYPE_COUNT);
    assert_int_equal(kz_type_of_size(SIZE_MAX), KZ_TYPE_COUNT);
}

// ---- launches of a family's variants ------------------------------------------------------------------

static size_t two_buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    list[0] = (kz_buffer){"in", KZ_INPUT, c->type, 1};
    list[1] = (kz_buffer){"out", KZ_OUTPUT, c->type, 1};
    return 2;
}
static kz_status plan_three(const kz_planner *p) {
    kz_status status =
        KZ_LAUNCH(p, .part = "sums", .blocks = 3, .threads = 64, KZ_ARGS(kz_arg_u64(5), kz_arg_buffer(1)));
    if (!status) status = KZ_LAUNCH(p, .idea = "finish", .operation = "any", .blocks = 1, .threads = 1);
    if (status) return status;
    return KZ_LAUNCH(p, .entry = "whole_name", .blocks = 2, .threads = 32, .cluster = 2, .shared_bytes = 512,
                     .overlap = true, .cooperative = true, .stream = 3);
}
static kz_status plan_nothing(const kz_planner *p) { return KZ_LAUNCH(p, .blocks = 0, .threads = 64); }
static const kz_variant rows[] = {
    {"01_tiled", 75, kz_plan_tiles, "", NULL, .threads = 128, .tile = 256},
    {"02_strided", 75, kz_plan_tiles, "", NULL, .threads = 128, .tile = 256, .blocks = 2},
    {"03_square", 75, kz_plan_tiles, "", NULL, .threads = 128, .tile = 16, .width = 8},
    {"04_three", 75, plan_three, "", .natives = NULL},
    {"05_nothing", 75, plan_nothing, "", .natives = NULL},
};
static kz_family toy = {.name = "toy",
                        .operations = (const char *const[]){"fold", "find", NULL},
                        .axes = (const char *const[]){"rows", "columns", NULL},
                        .types = KZ_TYPE_BIT(F32) | KZ_TYPE_BIT(U16),
                        .buffers = two_buffers};
static const kz_device_info gpu = {.kind = KZ_DEVICE_CUDA, .id = "cuda:0", .sm = 90, .multiprocessors = 10};

static kz_status plan_row(size_t row, kz_case c, kz_plan *plan, kz_error *error) {
    return kz_variant_plan(&toy, &rows[row], &c, &gpu, plan, error);
}

static void a_row_says_how_tiles_are_launched(void **state) {
    kz_plan plan;
    const kz_case c = {.operation = 1, .type = KZ_U16, .axes = {10000, 20}};
    assert_int_equal(plan_row(0, c, &plan, NULL), KZ_OK);
    assert_int_equal(plan.step_count, 1);
    const kz_step *step = &plan.steps[0];
    assert_string_equal(step->entry, "toy_tiled_find_u16"); // the idea is the variant's
    assert_true(step->launch.grid[0] == 40 && step->launch.block[0] == 128);
    assert_int_equal(step->arg_count, 4); // a guest's: the buffers, then the axes
    assert_true(step->args[1].buffer == 1 && step->args[2].scalar == 10000 && step->args[3].scalar == 20);
    assert_int_equal(plan_row(1, c, &plan, NULL), KZ_OK);
    assert_int_equal(plan.steps[0].launch.grid[0], 20); // two for each multiprocessor
    assert_int_equal(plan_row(2, c, &plan, NULL), KZ_OK);
    assert_int_equal(plan.steps[0].launch.grid[0], 625 * 3);
}

static void a_launch_has_what_its_record_names(void **state) {
    kz_plan plan;
    assert_int_equal(plan_row(3, (kz_case){.type = KZ_F32}, &plan, NULL), KZ_OK);
    assert_int_equal(plan.step_count, 3);
    assert_string_equal(plan.steps[0].entry, "toy_three_sums_fold_f32");
    assert_true(plan.steps[0].arg_count == 2 && plan.steps[0].args[0].scalar == 5);
    assert_string_equal(plan.steps[1].entry, "toy_finish_any_f32");
    const kz_step *last = &plan.steps[2];
    assert_string_equal(last->entry, "whole_name");
    assert_true(last->launch.cluster[0] == 2 && last->launch.cluster[1] == 1 && last->stream == 3);
    assert_true(last->launch.dynamic_shared_bytes == 512 && last->launch.overlap && last->launch.cooperative);
    assert_int_equal(plan.steps[0].launch.cluster[1], 0);
    assert_int_equal(kz_plan_step_count(&plan), 3);
}

// ---- regions, and plans of plans ----------------------------------------------------------------------------

// Three steps: one -> two -> three, where `one` is dead before `three` is written, and `kept` lives from the first to the last.
static kz_status plan_regions(const kz_planner *p) {
    kz_plan *plan = p->plan;
    plan->workspace_bytes = 10;
    kz_arg one = kz_plan_add_region(plan, "one", 1000), two = kz_plan_add_region(plan, "two", 500),
           three = kz_plan_add_region(plan, "three", 900), kept = kz_plan_add_region(plan, "kept", 100);
    kz_plan_add_region(plan, "unused", 1 << 20);
    const kz_tensor tensor = {.rank = 1};
    one.offset = 8;
    kz_status status = KZ_LAUNCH(p, .blocks = 1, .threads = 32, KZ_ARGS(one, kept));
    if (!status)
        status = KZ_LAUNCH(p, .blocks = 1, .threads = 32, KZ_ARGS(one, kz_plan_add_map(plan, two, &tensor)));
    if (!status) status = KZ_LAUNCH(p, .blocks = 1, .threads = 32, KZ_ARGS(two, three, kept));
    return status ? status : kz_plan_place_regions(plan, p->error);
}
static bool apart(const kz_region *a, const kz_region *b) {
    return a->offset + a->bytes <= b->offset || b->offset + b->bytes <= a->offset;
}

static void regions_share_memory_over_time(void **state) {
    const kz_variant row = {"01_regions", 75, plan_regions, "", .natives = NULL};
    const kz_case c = {.type = KZ_F32};
    kz_plan plan;
    assert_int_equal(kz_variant_plan(&toy, &row, &c, &gpu, &plan, NULL), KZ_OK);
    const kz_region *one = &plan.regions[0], *two = &plan.regions[1], *three = &plan.regions[2],
                    *kept = &plan.regions[3];
    assert_true(one->first == 0 && one->last == 1 && two->first == 1 && two->last == 2 && kept->last == 2);
    assert_int_equal(one->offset, three->offset); // at different times
    assert_true(apart(one, two) && apart(two, three) && apart(kept, one) && apart(kept, two) &&
                apart(kept, three));
    for (int i = 0; i < 4; i++) {
        assert_int_equal(plan.regions[i].offset % 256, 0);
        assert_true(plan.regions[i].offset >= 10 &&
                    plan.regions[i].offset + plan.regions[i].bytes <= plan.workspace_bytes);
    }
    assert_true(plan.workspace_bytes <
                2500); // the largest two that meet, and `kept`; nothing for the one without a use
    assert_true(plan.regions[4].first > plan.regions[4].last);
    const kz_arg *arg = &plan.steps[0].args[0];
    assert_true(arg->kind == KZ_ARG_WORKSPACE && arg->offset == one->offset + 8);
    assert_true(plan.maps[0].at.kind == KZ_ARG_WORKSPACE && plan.maps[0].at.offset == two->offset);
}

static void regions_of_several_streams_share_nothing(void **state) {
    kz_plan plan = {0};
    kz_arg a = kz_plan_add_region(&plan, "a", 100), b = kz_plan_add_region(&plan, "b", 100);
    kz_plan_add_fill(&plan, a, 0, 100);
    kz_plan_add_copy(&plan, 1, b, b, 100);
    assert_int_equal(kz_plan_place_regions(&plan, NULL), KZ_OK);
    assert_true(apart(&plan.regions[0], &plan.regions[1]));
}

static void too_many_regions_are_refused(void **state) {
    kz_plan plan = {0};
    kz_error error = {0};
    for (int i = 0; i <= KZ_PLAN_REGIONS; i++) kz_plan_add_region(&plan, "x", 1);
    assert_int_equal(kz_plan_place_regions(&plan, &error), KZ_INVALID);
    assert_has(error.message, "65 regions; 64 are the most");
    // A plan whose regions have no place does not run.
    kz_device *cpu;
    kz_plan bare = {.workspace_bytes = 8};
    assert_int_equal(kz_device_open("cpu", &cpu, NULL), KZ_OK);
    kz_plan_add_fill(&bare, kz_plan_add_region(&bare, "x", 8), 0, 8);
    assert_int_equal(kz_plan_run(cpu, NULL, NULL, &bare, NULL, 0, 64, &error), KZ_INVALID);
    assert_has(error.message, "has no place yet");
    kz_device_close(cpu);
}

// The outer plan runs the inner one on a region and a buffer of its own.
static kz_status plan_inner(const kz_planner *p) {
    const kz_tensor tensor = {.rank = 2};
    p->plan->workspace_bytes = 64;
    kz_arg in = kz_arg_buffer(0);
    in.offset = 4;
    return KZ_LAUNCH(p, .blocks = 1, .threads = 32,
                     KZ_ARGS(in, kz_arg_workspace(16), kz_plan_add_map(p->plan, kz_arg_buffer(1), &tensor),
                             kz_arg_u64(7)));
}
static const kz_variant inner_row = {"01_inner", 75, plan_inner, "", .natives = NULL};
static const kz_image inner_image = {.size = sizeof inner_image, .name = "inner/01_inner"};
static const kz_embedded inner_code = {.choice = "", .code = {&inner_image, 1}};
static kz_family inner = {
    .name = "inner", .variants = &inner_row, .variant_count = 1, .embedded = &inner_code};
static kz_status plan_outer(const kz_planner *p) {
    kz_plan_add_map(p->plan, kz_arg_buffer(3), &(kz_tensor){.rank = 1});
    kz_arg buffers[] = {kz_arg_buffer(5), kz_plan_add_region(p->plan, "between", 32)};
    buffers[0].offset = 100;
    kz_status status = kz_plan_add_operation(p, &inner, p->c, "01_inner", buffers, 2);
    return status ? status : kz_plan_place_regions(p->plan, p->error);
}

static void a_plan_has_others_as_parts(void **state) {
    const kz_variant row = {"01_outer", 75, plan_outer, "", .natives = NULL};
    const kz_case c = {.type = KZ_F32};
    kz_plan plan;
    inner.operations = toy.operations, inner.axes = toy.axes, inner.buffers = toy.buffers;
    assert_int_equal(kz_variant_plan(&toy, &row, &c, &gpu, &plan, NULL), KZ_OK);
    assert_int_equal(plan.step_count, 1);
    const kz_step *step = &plan.steps[0];
    assert_string_equal(step->entry, "inner_inner_fold_f32");
    assert_true(step->args[0].kind == KZ_ARG_BUFFER && step->args[0].buffer == 5 &&
                step->args[0].offset == 104);
    assert_int_equal(plan.region_count, 2);
    assert_string_equal(plan.regions[1].name, "inner workspace");
    assert_true(step->args[1].kind == KZ_ARG_WORKSPACE &&
                step->args[1].offset == plan.regions[1].offset + 16);
    assert_true(step->args[2].kind == KZ_ARG_TENSOR_MAP && step->args[2].buffer == 1 && plan.map_count == 2);
    assert_int_equal(plan.maps[1].at.offset, plan.regions[0].offset);
    assert_int_equal(step->args[3].scalar, 7);
    assert_ptr_equal(step->image, inner_image.name); // whatever the kernel's name says
    kz_error error = {0};
    kz_plan own = {0};
    assert_int_equal(kz_plan_add_operation(&(kz_planner){&toy, &row, &c, &gpu, &own, &error}, &inner, &c,
                                           "09_none", NULL, 0),
                     KZ_UNSUPPORTED);
    assert_has(error.message, "inner has no variant 09_none");
}

static kz_status plan_far_buffer(const kz_planner *p) {
    return KZ_LAUNCH(p, .blocks = 1, .threads = 32, KZ_ARGS(kz_arg_buffer(0), kz_arg_buffer(2)));
}
static kz_status plan_far_map(const kz_planner *p) {
    return KZ_LAUNCH(p, .blocks = 1, .threads = 32,
                     KZ_ARGS(kz_plan_add_map(p->plan, kz_arg_buffer(2), &(kz_tensor){.rank = 1})));
}
static kz_status plan_no_map(const kz_planner *p) {
    return KZ_LAUNCH(p, .blocks = 1, .threads = 32, KZ_ARGS({.kind = KZ_ARG_TENSOR_MAP}));
}
static kz_status plan_homeless(const kz_planner *p) {
    return KZ_LAUNCH(p, .blocks = 1, .threads = 32, KZ_ARGS(kz_plan_add_region(p->plan, "x", 8)));
}
static kz_status plan_waits(const kz_planner *p) {
    kz_plan_add_synchronize(p->plan, 0);
    return KZ_OK;
}
static kz_status plan_many(const kz_planner *p) {
    for (int i = 0; i < KZ_PLAN_STEPS / 2 + 1; i++) kz_plan_add_fill(p->plan, kz_arg_buffer(0), 0, 1);
    return KZ_OK;
}
static const kz_native_entry no_natives[] = {{0}};
#define BAD(name, plan)                                                                                      \
    { name, 75, plan, "", .natives = NULL }
static const kz_variant bad_rows[] = {
    BAD("01_far_buffer", plan_far_buffer),
    BAD("02_far_map", plan_far_map),
    BAD("03_no_map", plan_no_map),
    BAD("04_homeless", plan_homeless),
    BAD("05_waits", plan_waits),
    BAD("06_many", plan_many),
    {"07_native", 0, plan_waits, "", .natives = no_natives},
};

// What a plan cannot be a part with is refused while it is made: an index must not come to mean something of the whole's.
static void parts_that_do_not_fit_are_refused(void **state) {
    static const struct {
        const char *variant, *says;
        kz_status status;
    } bad[] = {
        {"01_far_buffer", "the plan of bad uses its buffer 2, and 2 were given\npass all", KZ_INVALID},
        {"02_far_map", "uses its buffer 2", KZ_INVALID},
        {"03_no_map", "uses its tensor map 0, and has 0", KZ_INVALID},
        {"04_homeless", "regions without a place\nits last call", KZ_INVALID},
        {"05_waits", "waits for one, and cannot be a part", KZ_UNSUPPORTED},
        {"07_native", "bad/07_native is plain C", KZ_UNSUPPORTED},
    };
    const kz_family family = {.name = "bad",
                              .operations = toy.operations,
                              .axes = toy.axes,
                              .buffers = toy.buffers,
                              .variants = bad_rows,
                              .variant_count = sizeof bad_rows / sizeof *bad_rows};
    const kz_case c = {.type = KZ_F32};
    kz_plan *whole = calloc(1, sizeof *whole);
    kz_error error;
    const kz_planner p = {&toy, &rows[0], &c, &gpu, whole, &error};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        *whole = (kz_plan){0};
        kz_arg own[2] = {kz_plan_add_region(whole, "a", 8), kz_plan_add_region(whole, "b", 8)};
        assert_int_equal(kz_plan_add_operation(&p, &family, &c, bad[i].variant, own, 2), bad[i].status);
        assert_has(error.message, bad[i].says);
    }
    // Too many steps in all are counted, and refused with the whole.
    *whole = (kz_plan){0};
    const kz_arg buffers[2] = {kz_arg_buffer(0), kz_arg_buffer(1)};
    for (int i = 0; i < 2; i++)
        assert_int_equal(kz_plan_add_operation(&p, &family, &c, "06_many", buffers, 2), KZ_OK);
    assert_int_equal(whole->step_count, KZ_PLAN_STEPS + 2);
    assert_int_equal(device_plan_check(whole, &error), KZ_INVALID);
    assert_has(error.message, "98 steps; 96 are the most");
    free(whole);
}

static void a_variant_may_have_the_code_of_others_alone(void **state) {
    const kz_image_set none = {NULL, 0}, *const empty[] = {&none, &none, NULL},
                       *const some[] = {&none, &inner_code.code, NULL};
    kz_variant row = {"01_parts", 75, plan_outer, "", .others = some};
    kz_image image;
    kz_error error = {0};
    assert_int_equal(kz_variant_image(&toy, &row, &image, NULL), KZ_OK);
    assert_string_equal(image.name, "01_parts");
    assert_ptr_equal(image.others, some);
    row.others = empty; // a build that had no compiler
    assert_int_equal(kz_variant_image(&toy, &row, &image, &error), KZ_NOT_FOUND);
    assert_has(error.message, "the code of toy/01_parts is not in this build");
}

static kz_entry named_for_size(const kz_case *c) {
    return (kz_entry){"move", kz_type_of_size(kz_type_size(c->type))};
}

static void kernels_may_be_named_for_a_size(void **state) {
    kz_plan plan;
    toy.entry = named_for_size;
    assert_int_equal(plan_row(0, (kz_case){.type = KZ_F32, .axes = {1}}, &plan, NULL), KZ_OK);
    assert_string_equal(plan.steps[0].entry, "toy_tiled_move_u32");
    toy.entry = NULL;
}

static void what_cannot_be_launched_is_refused(void **state) {
    kz_plan plan;
    kz_error error = {0};
    assert_int_equal(plan_row(4, (kz_case){.type = KZ_F32}, &plan, &error), KZ_OK);
    assert_int_equal(plan.step_count, 0); // no blocks, no launch
    assert_int_equal(plan_row(0, (kz_case){.type = KZ_F32, .axes = {1LL << 40}}, &plan, &error),
                     KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "tiled takes 4294967296 blocks here"));
    assert_int_equal(plan_row(0, (kz_case){.type = KZ_F64}, &plan, &error), KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "toy has no f64"));
    assert_int_equal(plan_row(0, (kz_case){.operation = 2}, &plan, &error), KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "no such operation"));
}

static void entries_are_named(void **state) {
    char name[KZ_ENTRY_NAME];
    kz_entry_name(name, "reduce", "warp_shuffle", "sum", KZ_BF16);
    assert_string_equal(name, "reduce_warp_shuffle_sum_bf16");
}

static void a_refusal_has_its_reason(void **state) {
    kz_error error = {0};
    assert_int_equal(kz_plan_refuse(&error, "there is no %s", "u8"), KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "there is no u8"));
    assert_int_equal(kz_plan_refuse(NULL, "no"), KZ_UNSUPPORTED);
}

static void rows_are_read(void **state) {
    const char *text = "gpu,type,operation,from,to,variant\n\n# a remark\nh200,*,sum,0,,07_x\nshort,row\n"
                       "one,two,three,4,5,six,seven";
    family_choice_row row;
    assert_true(family_choice_next_row(&text, &row) && row.whole);
    assert_string_equal(row.column[CHOICE_FROM], "from");
    assert_true(family_choice_next_row(&text, &row) && row.whole);
    assert_string_equal(row.column[CHOICE_GPU], "h200");
    assert_string_equal(row.column[CHOICE_TO], "");
    assert_string_equal(row.column[CHOICE_VARIANT], "07_x");
    assert_true(family_choice_next_row(&text, &row) && !row.whole);
    assert_true(family_choice_next_row(&text, &row) && !row.whole);
    assert_false(family_choice_next_row(&text, &row));
}

static const char *chosen(const char *choice, int64_t size, kz_type type) {
    const kz_embedded embedded = {.choice = choice};
    kz_family family = toy;
    kz_device_info h200 = gpu;
    family.embedded = &embedded;
    family.variants = rows;
    family.variant_count = sizeof rows / sizeof rows[0];
    strcpy(h200.gpu, "h200");
    const kz_case c = {.type = type, .axes = {size, 1}};
    const kz_variant *variant = kz_choose(&family, &c, &h200, false, NULL);
    return variant ? variant->name : "none";
}

static void a_row_holds_from_its_first_size_to_before_its_last(void **state) {
    static const char table[] = "h100,*,*,0,,05_nothing\n"
                                "h200,u16,*,0,,04_three\n"
                                "h200,*,find,0,,04_three\n"
                                "h200,*,*,10,100,02_strided\n"
                                "h200,*,*,100,1000,03_square\n"
                                "*,*,*,0,,05_nothing\n";
    assert_string_equal(chosen(table, 9, KZ_F32), "05_nothing");
    assert_string_equal(chosen(table, 10, KZ_F32), "02_strided");
    assert_string_equal(chosen(table, 99, KZ_F32), "02_strided");
    assert_string_equal(chosen(table, 100, KZ_F32), "03_square");
    assert_string_equal(chosen(table, 999, KZ_F32), "03_square");
    assert_string_equal(chosen(table, 1000, KZ_F32), "05_nothing");
    assert_string_equal(chosen(table, 50, KZ_U16), "04_three");
    assert_string_equal(chosen("", 50, KZ_F32), "01_tiled");
    // Where rows overlap, the first one counts; the last size of a row is not its own.
    assert_string_equal(chosen("h200,*,*,0,100,02_strided\nh200,*,*,0,,03_square\n", 100, KZ_F32),
                        "03_square");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_appended),
        cmocka_unit_test(a_plan_carries_what_does_not_fit),
        cmocka_unit_test(sizes_without_a_type),
        cmocka_unit_test(a_row_says_how_tiles_are_launched),
        cmocka_unit_test(a_launch_has_what_its_record_names),
        cmocka_unit_test(regions_share_memory_over_time),
        cmocka_unit_test(regions_of_several_streams_share_nothing),
        cmocka_unit_test(too_many_regions_are_refused),
        cmocka_unit_test(a_plan_has_others_as_parts),
        cmocka_unit_test(parts_that_do_not_fit_are_refused),
        cmocka_unit_test(a_variant_may_have_the_code_of_others_alone),
        cmocka_unit_test(kernels_may_be_named_for_a_size),
        cmocka_unit_test(what_cannot_be_launched_is_refused),
        cmocka_unit_test(entries_are_named),
        cmocka_unit_test(a_refusal_has_its_reason),
        cmocka_unit_test(rows_are_read),
        cmocka_unit_test(a_row_holds_from_its_first_size_to_before_its_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
