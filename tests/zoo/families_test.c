// What every family must have: well-formed plans for every case, on a large and a small GPU and on the cpu;
// code for every entry that a plan names; tables that name variants and cases there are; a README that tells of
// every variant.
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "device/device.h"
#include "family/case.h"
#include "family/choice.h"
#include "family/measured.h"
#include "kz/family.h"
#include "unit.h"

static const kz_device_info devices[] = {
    {.kind = KZ_DEVICE_CUDA,
     .id = "cuda:0",
     .gpu = "h200",
     .sm = 90,
     .multiprocessors = 132,
     .shared_per_block_optin = 232448},
    {.kind = KZ_DEVICE_CUDA, .id = "cuda:0", .gpu = "", .sm = 75, .multiprocessors = 14},
    {.kind = KZ_DEVICE_CPU, .id = "cpu", .multiprocessors = 2},
    // Blocks with little shared memory; and what comes after Hopper, where code for sm_90a does not run.
    {.kind = KZ_DEVICE_CUDA,
     .id = "cuda:0",
     .gpu = "",
     .sm = 89,
     .multiprocessors = 128,
     .shared_per_block_optin = 101376},
    {.kind = KZ_DEVICE_CUDA,
     .id = "cuda:0",
     .gpu = "",
     .sm = 100,
     .multiprocessors = 148,
     .shared_per_block_optin = 232448},
};

// One plan of the zoo. `entries` has a line for each kernel of the variant: the image's name and the kernel's, for native code
// the kernel's alone.
typedef struct subject {
    const kz_family *family;
    const kz_variant *variant;
    const kz_case *c;
    const kz_device_info *device;
    const kz_image *image;
    const char *entries;
} subject;

static void visit_variant(subject *at, void (*visit)(const subject *)) {
    for (size_t c = 0; c < at->family->case_count; c++)
        for (size_t d = 0; d < BASE_COUNT(devices); d++) {
            at->c = &at->family->cases[c], at->device = &devices[d];
            if (kz_variant_fits(at->variant, at->device)) visit(at);
        }
}

// ---- plans -----------------------------------------------------------------------------------------

static void read_image(const kz_image *image, base_text *names) {
    static const char mark[] = ".visible .entry ";
    kz_error error = {0};
    char *ptx = NULL;
    if (kz_image_ptx(image, &ptx, &error)) fail_msg("%s", error.message);
    for (char *line = ptx, *end = ptx + image->ptx_size, *next; line < end; line = next) {
        char *stop = memchr(line, '\n', (size_t)(end - line));
        next = stop ? stop + 1 : end;
        if (next - line < (long)sizeof mark || memcmp(line, mark, sizeof mark - 1) != 0) continue;
        line += sizeof mark - 1;
        char *paren = memchr(line, '(', (size_t)(next - line));
        assert_non_null(paren);
        base_text_add(names, "%s ", image->name);
        base_text_add_bytes(names, line, (size_t)(paren - line));
        base_text_add(names, "\n");
    }
    free(ptx);
}

// Images are large, and plans are many.
static void read_entries(const kz_family *family, const kz_variant *variant, kz_image *image,
                         base_text *names) {
    kz_error error = {0};
    if (kz_variant_image(family, variant, image, &error)) fail_msg("%s", error.message);
    base_text_add(names, "\n");
    for (const kz_native_entry *e = image->natives; e && e->name; e++) base_text_add(names, "%s\n", e->name);
    if (image->natives) return;
    read_image(image, names);
    for (const kz_image_set *const *set = image->others; set && *set; set++)
        for (size_t i = 0; i < (*set)->count; i++)
            if (strcmp((*set)->images[i].name, image->name) != 0) read_image(&(*set)->images[i], names);
}

static void visit_all(void (*visit)(const subject *)) {
    size_t count;
    const kz_family *const *list = kz_family_list(&count);
    assert_true(count >= 5);
    for (size_t f = 0; f < count; f++)
        for (size_t v = 0; v < list[f]->variant_count; v++) {
            base_text names = {0};
            kz_image image;
            read_entries(list[f], &list[f]->variants[v], &image, &names);
            visit_variant(&(subject){list[f], &list[f]->variants[v], .image = &image, .entries = names.data},
                          visit);
            base_text_free(&names);
        }
}

static bool has_entry(const subject *at, const kz_step *step) {
    char line[3 * KZ_ENTRY_NAME];
    const char *image = at->image->natives ? "" : device_step_image(at->image, step)->name;
    if (step->image) assert_string_equal(image, step->image); // `others` has it
    snprintf(line, sizeof line, "\n%s%s%s\n", image, *image ? " " : "", step->entry);
    return strstr(at->entries, line) != NULL;
}

static void check_arg(const kz_arg *arg, const kz_buffer *buffers, size_t buffer_count, const kz_plan *plan) {
    (void)buffers;
    if (arg->kind == KZ_ARG_BUFFER) assert_true(arg->buffer < buffer_count);
    if (arg->kind == KZ_ARG_WORKSPACE) assert_true(arg->offset < plan->workspace_bytes);
}

// Field by field, since bytes between them may hold anything.
static void assert_same_step(const kz_step *a, const kz_step *b) {
    assert_int_equal(a->kind, b->kind);
    assert_string_equal(a->entry, b->entry);
    const kz_launch *x = &a->launch, *y = &b->launch;
    assert_memory_equal(x->grid, y->grid, sizeof x->grid);
    assert_memory_equal(x->block, y->block, sizeof x->block);
    assert_memory_equal(x->cluster, y->cluster, sizeof x->cluster);
    assert_int_equal(x->dynamic_shared_bytes, y->dynamic_shared_bytes);
    assert_true(x->cooperative == y->cooperative && x->overlap == y->overlap);
    assert_int_equal(a->arg_count, b->arg_count);
    assert_memory_equal(a->args, b->args, a->arg_count * sizeof a->args[0]); // these have no bytes between
    assert_true(a->bytes == b->bytes && a->fill == b->fill && a->stream == b->stream && a->event == b->event);
}

static void assert_same_plan(const kz_plan *a, const kz_plan *b) {
    assert_true(a->workspace_bytes == b->workspace_bytes && a->graph == b->graph);
    assert_int_equal(a->step_count, b->step_count);
    for (uint32_t i = 0; i < a->step_count; i++) assert_same_step(&a->steps[i], &b->steps[i]);
}

// Well formed, and pure: asked again, it is the same.
static void check_plan(const subject *at) {
    kz_plan plan = {0}, again = {0};
    kz_error error = {0};
    kz_buffer buffers[KZ_FAMILY_BUFFERS];
    size_t buffer_count = at->family->buffers(at->c, buffers);
    kz_status status = kz_variant_plan(at->family, at->variant, at->c, at->device, &plan, &error);
    kz_variant_plan(at->family, at->variant, at->c, at->device, &again, NULL);
    assert_same_plan(&plan, &again);
    if (status == KZ_UNSUPPORTED) { // a rung may leave cases to others, and says why
        assert_true(error.message[0] != 0);
        return;
    }
    assert_int_equal(status, KZ_OK);
    assert_true(buffer_count <= KZ_FAMILY_BUFFERS && plan.step_count <= KZ_PLAN_STEPS);

    uint64_t output = 0;
    for (size_t b = 0; b < buffer_count; b++)
        if (buffers[b].role != KZ_INPUT) output += buffers[b].count;
    assert_int_equal(plan.step_count > 0, output > 0); // there is something to do where something is asked

    for (uint32_t s = 0; s < plan.step_count; s++) {
        const kz_step *step = &plan.steps[s];
        for (uint32_t a = 0; a < step->arg_count; a++)
            check_arg(&step->args[a], buffers, buffer_count, &plan);
        if (step->kind != KZ_STEP_LAUNCH) continue;
        if (!has_entry(at, step))
            fail_msg("%s/%s has no %s", at->family->name, at->variant->name, step->entry);
        for (int i = 0; i < 3; i++) assert_true(step->launch.grid[i] > 0 && step->launch.block[i] > 0);
        assert_true(step->launch.grid[0] <= INT32_MAX);
        assert_true(step->launch.block[0] <= 1024 && step->launch.block[1] == 1 &&
                    step->launch.block[2] == 1);
        if (at->device->kind != KZ_DEVICE_CPU && step->launch.block[0] > 1)
            assert_int_equal(step->launch.block[0] % 32, 0); // whole warps: shuffles rely on it
    }
}

static void plans_are_well_formed_and_pure(void **state) { visit_all(check_plan); }

static bool has_type(const kz_family *family, kz_type type) {
    for (size_t i = 0; i < family->case_count; i++)
        if (family->cases[i].type == type) return true;
    return false;
}

static void other_types_are_refused(void **state) {
    size_t count;
    const kz_family *const *list = kz_family_list(&count);
    for (size_t f = 0; f < count; f++)
        for (size_t v = 0; v < list[f]->variant_count; v++) {
            kz_case c = {.axes = {4, 4, 4, 4}};
            while (c.type < KZ_TYPE_COUNT && has_type(list[f], c.type)) c.type++;
            if (c.type == KZ_TYPE_COUNT) continue; // it has them all
            kz_plan plan = {0};
            kz_error error = {0};
            const kz_variant *variant = &list[f]->variants[v];
            const kz_device_info *device = &devices[variant->natives ? 2 : 0];
            kz_status status = kz_variant_plan(list[f], variant, &c, device, &plan, &error);
            if (status != KZ_UNSUPPORTED || !strstr(error.message, kz_type_name(c.type)))
                fail_msg("%s/%s does not say that it has no %s, but: %s", list[f]->name, variant->name,
                         kz_type_name(c.type), error.message);
        }
}

// ---- cases -----------------------------------------------------------------------------------------

static void cases_are_reported_apart_by_name(void **state) {
    size_t count;
    const kz_family *const *list = kz_family_list(&count);
    for (size_t f = 0; f < count; f++) {
        char(*names)[FAMILY_CASE_NAME] = calloc(list[f]->case_count, sizeof *names);
        assert_non_null(names);
        for (size_t a = 0; a < list[f]->case_count; a++) {
            family_case_name(list[f], &list[f]->cases[a], names[a]);
            for (size_t b = 0; b < a; b++)
                if (strcmp(names[a], names[b]) == 0) fail_msg("%s has %s twice", list[f]->name, names[a]);
        }
        free(names);
    }
}

// Every axis is 1, whatever the family stores for that: packed operands have whole steps.
static bool is_one(const kz_family *family, const kz_case *c) {
    for (size_t i = 0; family->axes[i]; i++)
        if (c->axes[i] != 1) return false;
    return true;
}

// Of others' operations, which have those edges in their own families.
static bool is_composed(const kz_family *family) {
    bool composed = false;
    for (size_t v = 0; v < family->variant_count; v++) composed |= family->variants[v].others != NULL;
    return composed;
}

static void every_family_has_the_edges(void **state) {
    size_t count;
    const kz_family *const *list = kz_family_list(&count);
    for (size_t f = 0; f < count; f++) {
        bool empty = false, bench = false, composed = is_composed(list[f]);
        bool one = composed, misaligned = composed, huge = composed, special = true; // NaN is a float's
        for (int t = 0; !composed && t < KZ_TYPE_COUNT; t++)
            special &= !base_type_is_float(t) || !has_type(list[f], t);
        for (size_t i = 0; i < list[f]->case_count; i++) {
            const kz_case *c = &list[f]->cases[i];
            uint64_t n = family_case_elements(list[f], c);
            bool check = c->use & KZ_USE_CHECK;
            empty |= check && c->axes[0] == 0;
            one |= check && (n == 1 || is_one(list[f], c));
            misaligned |= check && c->misalign > 0;
            special |= check && c->data == KZ_DATA_NAN;
            bench |= (c->use & KZ_USE_BENCH) != 0;
            huge |= c->use & KZ_USE_HUGE && n > (1ULL << 31);
        }
        if (!(empty && one && misaligned && special && bench && huge))
            fail_msg("%s has no case that is%s%s%s%s%s%s", list[f]->name, empty ? "" : " empty",
                     one ? "" : " of one element", misaligned ? "" : " misaligned", special ? "" : " of NaN",
                     bench ? "" : " for bench", huge ? "" : " past 2^31");
    }
}

// ---- tables ------------------------------------------------------------------------------------------

// `to` is the first size that is not meant, so the next row of the same kind begins there. Or it is another list, for
// where the variants before do not do the case: after the end of one, or over the same range.
static void check_no_gap(const char *family, const family_choice_row *before, const family_choice_row *row) {
    for (size_t i = CHOICE_GPU; i <= CHOICE_OPERATION; i++)
        if (strcmp(before->column[i], row->column[i]) != 0) return;
    if (!before->column[CHOICE_TO][0]) return;
    if (strcmp(before->column[CHOICE_FROM], row->column[CHOICE_FROM]) == 0 &&
        strcmp(before->column[CHOICE_TO], row->column[CHOICE_TO]) == 0)
        return;
    if (strcmp(before->column[CHOICE_TO], row->column[CHOICE_FROM]) != 0)
        fail_msg("choice.csv of %s: a row ends before %s and the next begins at %s", family,
                 before->column[CHOICE_TO], row->column[CHOICE_FROM]);
}

static void measured_tables_hold(void **state) {
    size_t count;
    const kz_family *const *list = kz_family_list(&count);
    for (size_t f = 0; f < count; f++) {
        const char *text = list[f]->embedded ? list[f]->embedded->measured : "";
        family_measured_row row;
        size_t bad = 0;
        assert_int_equal(*text != 0, list[f]->estimate != NULL); // a header at least
        while (family_measured_next(list[f], &text, &row, &bad))
            assert_true(kz_variant_find(list[f], row.variant->name) == row.variant);
        if (bad) fail_msg("measured.csv of %s has %zu bad rows", list[f]->name, bad);
    }
}

static void choice_tables_hold(void **state) {
    size_t count;
    const kz_family *const *list = kz_family_list(&count);
    for (size_t f = 0; f < count; f++) {
        const char *text = family_choice_text(list[f]);
        family_choice_row rows[2]; // this one and the one before, by turns
        assert_true(family_choice_next_row(&text, &rows[0]) && rows[0].whole);
        assert_string_equal(rows[0].column[CHOICE_VARIANT], "variant"); // the header
        size_t n = 0;
        for (; family_choice_next_row(&text, &rows[n % 2]); n++) {
            const family_choice_row *row = &rows[n % 2];
            assert_true(row->whole);
            assert_non_null(kz_variant_find(list[f], row->column[CHOICE_VARIANT]));
            if (n > 0) check_no_gap(list[f]->name, &rows[(n + 1) % 2], row);
        }
        assert_true(n > 0);
    }
}

// A heading "## 03_vector: ..." or, in a list, "**03_vector**".
static bool has_readme_entry(const char *readme, const char *variant) {
    char heading[128], bold[128];
    snprintf(heading, sizeof heading, "\n## %s:", variant);
    snprintf(bold, sizeof bold, "**%s**", variant);
    return strstr(readme, heading) || strstr(readme, bold);
}

static void every_variant_has_a_readme_entry(void **state) {
    size_t count, size;
    const kz_family *const *list = kz_family_list(&count);
    for (size_t f = 0; f < count; f++) {
        char path[256], *readme;
        snprintf(path, sizeof path, "kernels/%s/%s/README.md", list[f]->group, list[f]->name);
        assert_int_equal(base_file_read(path, &readme, &size, NULL), KZ_OK);
        for (size_t v = 0; v < list[f]->variant_count; v++) {
            const char *name = list[f]->variants[v].name;
            if (!has_readme_entry(readme, name))
                fail_msg("%s says nothing of %s: add \"## %s: the idea\" or \"- **%s**: the idea\", then "
                         "make pages",
                         path, name, name, name);
        }
        free(readme);
    }
}

// Rivals are those that there are.
static void rivals_are_known(void **state) {
    static const char *const known[] = {
#define BENCH_RIVAL(name, on_cpu, library)              #name,
#define BENCH_PYTHON_RIVAL(name, on_cpu, file, package) #name,
#include "bench/rivals.def"
    };
    size_t count;
    const kz_family *const *list = kz_family_list(&count);
    for (size_t f = 0; f < count; f++)
        for (const char *const *rival = list[f]->rivals; rival && *rival; rival++) {
            size_t i = 0;
            while (i < BASE_COUNT(known) && strcmp(known[i], *rival) != 0) i++;
            if (i == BASE_COUNT(known)) fail_msg("%s: bench/rivals.def has no %s", list[f]->name, *rival);
        }
}

static void check_choice(const kz_family *family, const kz_case *c, const kz_device_info *device) {
    char why[KZ_CHOICE_WHY] = "";
    const kz_variant *chosen = kz_choose(family, c, device, false, why);
    assert_non_null(chosen);
    if (strstr(why, "no row of choice.csv"))
        fail_msg("choice.csv of %s has no \"*\" row whose variant does %s on %s", family->name,
                 family->operations[c->operation], device->id);
    kz_plan plan;
    assert_int_equal(kz_variant_plan(family, chosen, c, device, &plan, NULL),
                     KZ_OK); // no case is left to nobody
}

static void every_device_has_a_choice(void **state) {
    size_t count;
    const kz_family *const *list = kz_family_list(&count);
    for (size_t f = 0; f < count; f++)
        for (size_t c = 0; c < list[f]->case_count; c++)
            for (size_t d = 0; d < BASE_COUNT(devices); d++)
                check_choice(list[f], &list[f]->cases[c], &devices[d]);
}

// What is appended to a family's table is there to be measured; only a row of choice.csv makes the library take it.
static void a_new_variant_changes_no_choice(void **state) {
    size_t count;
    const kz_family *const *list = kz_family_list(&count);
    for (size_t f = 0; f < count; f++) {
        size_t old = list[f]->variant_count;
        kz_variant *variants = calloc(2 * old, sizeof *variants);
        assert_non_null(variants);
        for (size_t v = 0; v < 2 * old; v++) variants[v] = list[f]->variants[v % old];
        for (size_t v = old; v < 2 * old; v++)
            variants[v].name = "99_new"; // one does whatever any other does
        kz_family longer = *list[f];
        longer.variants = variants, longer.variant_count = 2 * old;
        for (size_t c = 0; c < longer.case_count; c++)
            for (size_t d = 0; d < BASE_COUNT(devices); d++) {
                const kz_case *one = &longer.cases[c];
                assert_string_equal(kz_choose(&longer, one, &devices[d], false, NULL)->name,
                                    kz_choose(list[f], one, &devices[d], false, NULL)->name);
            }
        free(variants);
    }
}

static void a_plan_stays_within_the_device(void **state) {
    const kz_family *family = kz_family_find("sgemm");
    const kz_case c = {.type = KZ_F32, .axes = {4096, 4096, 4096}};
    kz_plan plan;
    kz_error error = {0};
    assert_int_equal(
        kz_variant_plan(family, kz_variant_find(family, "08_async_copy"), &c, &devices[3], &plan, &error),
        KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "shared memory"));
    const kz_variant *exact = kz_variant_find(family, "10_tile_selection");
    assert_int_equal(kz_variant_plan(family, exact, &c, &devices[0], &plan, &error), KZ_OK);
    assert_int_equal(kz_variant_plan(family, exact, &c, &devices[4], &plan, &error), KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "sm_90 and no other"));
}

// What choice.csv says first of this GPU and type; it is written by measuring, so no test knows it by heart.
static const char *row_for(const char *family, const char *gpu, const char *type) {
    static family_choice_row row;
    const char *text = family_choice_text(kz_family_find(family));
    while (family_choice_next_row(&text, &row))
        if (strcmp(row.column[CHOICE_GPU], gpu) == 0 &&
            (strcmp(row.column[CHOICE_TYPE], type) == 0 || strcmp(row.column[CHOICE_TYPE], "*") == 0))
            return row.column[CHOICE_VARIANT];
    fail_msg("choice.csv of %s has no row for %s,%s", family, gpu, type);
    return NULL;
}

static void the_table_decides_for_known_gpus(void **state) {
    kz_case c = {.type = KZ_F32, .axes = {0}};
    const kz_family *family = kz_family_find("elementwise");
    assert_string_equal(kz_choose(family, &c, &devices[0], false, NULL)->name,
                        row_for("elementwise", "h200", "f32"));
    c.type = KZ_F16;
    assert_string_equal(kz_choose(family, &c, &devices[0], false, NULL)->name,
                        row_for("elementwise", "h200", "f16"));
    c.type = KZ_F32; // an unknown GPU of sm 75: the default that runs there
    assert_string_equal(kz_choose(family, &c, &devices[1], false, NULL)->name, "03_unrolled");
    assert_string_equal(kz_choose(family, &c, &devices[2], false, NULL)->name, "00_native");
}

static bool all_are_nondeterministic(const kz_case *c, const kz_variant *variant) { return true; }
static bool the_chosen_is_nondeterministic(const kz_case *c, const kz_variant *variant) {
    return variant == kz_choose(kz_family_find("reduce"), c, &devices[0], false, NULL);
}

static void the_same_bits_can_be_asked_for(void **state) {
    kz_case c = {.type = KZ_F32, .axes = {1 << 20}};
    kz_family family = *kz_family_find("reduce");
    const kz_variant *fastest = kz_choose(&family, &c, &devices[0], false, NULL);
    assert_false(family.nondeterministic(&c, kz_choose(&family, &c, &devices[0], true, NULL)));
    assert_true(family.nondeterministic(&c, kz_variant_find(&family, "06_vector")));
    family.nondeterministic = the_chosen_is_nondeterministic; // another one must step in
    const kz_variant *other = kz_choose(&family, &c, &devices[0], true, NULL);
    assert_non_null(other);
    assert_ptr_not_equal(other, fastest);
    assert_ptr_equal(kz_choose(&family, &c, &devices[0], false, NULL), fastest);
    family.nondeterministic = all_are_nondeterministic;
    assert_null(kz_choose(&family, &c, &devices[0], true, NULL));
}

static void a_choice_says_why(void **state) {
    kz_case c = {.type = KZ_F32, .axes = {1 << 20}};
    char why[KZ_CHOICE_WHY];
    const kz_family *family = kz_family_find("reduce");
    kz_choose(family, &c, &devices[0], false, why);
    assert_non_null(strstr(why, "choice.csv has it for h200"));
    assert_non_null(strstr(why, "the size is 1048576"));
    kz_choose(family, &c, &devices[1], false, why);
    assert_non_null(strstr(why, "the default of choice.csv: no row for cuda:0 does the case"));
    kz_family without_rows = *family;
    without_rows.embedded = NULL;
    assert_string_equal(kz_choose(&without_rows, &c, &devices[0], false, why)->name, "01_atomic");
    assert_non_null(strstr(why, "the first that runs there"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_are_well_formed_and_pure),
        cmocka_unit_test(other_types_are_refused),
        cmocka_unit_test(cases_are_reported_apart_by_name),
        cmocka_unit_test(every_family_has_the_edges),
        cmocka_unit_test(measured_tables_hold),
        cmocka_unit_test(choice_tables_hold),
        cmocka_unit_test(every_variant_has_a_readme_entry),
        cmocka_unit_test(rivals_are_known),
        cmocka_unit_test(every_device_has_a_choice),
        cmocka_unit_test(a_new_variant_changes_no_choice),
        cmocka_unit_test(a_plan_stays_within_the_device),
        cmocka_unit_test(the_table_decides_for_known_gpus),
        cmocka_unit_test(the_same_bits_can_be_asked_for),
        cmocka_unit_test(a_choice_says_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
