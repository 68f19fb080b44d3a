// What `kz info FAMILY` offers those who write a kernel of their own: for every case of every family the
// parameters are C, they are what the family gives, and a file of such kernels opens and plans every case.
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "family/case.h"
#include "family/guest.h"
#include "kz/family.h"
#include "unit.h"

enum { PARAMETERS = KZ_PLAN_ARGS };

typedef struct parameter {
    char text[96];
    const char *name; // in text
    bool pointer;
} parameter;

static size_t split(const kz_family *family, const kz_case *c, parameter list[PARAMETERS]) {
    base_text text = {0};
    char name[FAMILY_CASE_NAME];
    size_t count = 0;
    family_case_name(family, c, name);
    if (!family_guest_signature(family, c, &text)) fail_msg("%s %s has no signature", family->name, name);
    for (const char *at = text.data; *at;) {
        assert_true(count < PARAMETERS);
        parameter *p = &list[count++];
        size_t length = strcspn(at, ",");
        snprintf(p->text, sizeof p->text, "%.*s", (int)length, at);
        p->pointer = strchr(p->text, '*') != NULL;
        const char *before = strrchr(p->text, p->pointer ? '*' : ' ');
        assert_non_null(before);
        p->name = before + 1;
        at += length;
        at += strspn(at, ", ");
    }
    base_text_free(&text);
    return count;
}

// A buffer's parameter is spelt as the buffer is; an axis' holds that axis; the rest are floats and null
// pointers.
static void check_parameter(const kz_family *family, const kz_case *c, const parameter *p,
                            const kz_arg *arg) {
    kz_buffer buffers[KZ_FAMILY_BUFFERS];
    family->buffers(c, buffers);
    if (arg->kind == KZ_ARG_BUFFER) {
        const kz_buffer *b = &buffers[arg->buffer];
        char wanted[96];
        snprintf(wanted, sizeof wanted, "%s%s *%s", b->role == KZ_INPUT ? "const " : "",
                 base_type_of(b->type)->cuda, b->name);
        assert_string_equal(p->text, wanted);
        return;
    }
    if (p->pointer) {
        assert_string_equal(p->text, "const void *null");
        assert_int_equal(arg->scalar, 0);
        return;
    }
    bool is_float = strncmp(p->text, "float ", 6) == 0;
    assert_true(is_float || strncmp(p->text, "size_t ", 7) == 0 ||
                strncmp(p->text, "unsigned long long ", 19) == 0);
    for (size_t i = 0; i < KZ_CASE_AXES && family->axes[i]; i++)
        if (strcmp(family->axes[i], p->name) == 0) assert_int_equal(arg->scalar, (uint64_t)c->axes[i]);
    if (is_float) assert_true(arg->scalar <= UINT32_MAX);
}

static void signatures_are_what_is_given(void **state) {
    size_t count;
    const kz_family *const *families = kz_family_list(&count);
    for (size_t f = 0; f < count; f++)
        for (size_t i = 0; i < families[f]->case_count; i++) {
            const kz_case *c = &families[f]->cases[i];
            parameter list[PARAMETERS];
            kz_arg args[KZ_PLAN_ARGS];
            size_t given = kz_guest_args(families[f], c, args), written = split(families[f], c, list);
            if (given == 0) continue; // guests are not given the case
            if (given != written)
                fail_msg("%s %s: %zu parameters are written, and %zu are given", families[f]->name,
                         families[f]->operations[c->operation], written, given);
            for (size_t p = 0; p < given; p++) check_parameter(families[f], c, &list[p], &args[p]);
        }
}

// The PTX of an empty kernel for the case.
static void add_kernel(base_text *ptx, const kz_family *family, const kz_case *c) {
    parameter list[PARAMETERS];
    size_t count = split(family, c, list);
    base_text_add(ptx, ".visible .entry my_%s_%s(", family->operations[c->operation], kz_type_name(c->type));
    for (size_t p = 0; p < count; p++)
        base_text_add(ptx, "%s.param .%s p%zu", p ? ", " : "",
                      !list[p].pointer && strncmp(list[p].text, "float ", 6) == 0 ? "f32" : "u64", p);
    base_text_add(ptx, ")\n{\n    ret;\n}\n");
}

static void check_example(const kz_family *family) {
    char example[FAMILY_GUEST_EXAMPLE];
    base_text ptx = {0};
    kz_error error = {0};
    family_guest *guest;
    family_guest_example(family, example, sizeof example);
    assert_non_null(strstr(example, "{ ... }"));
    base_text_add(&ptx, ".version 7.0\n.target sm_75\n.address_size 64\n");
    for (size_t i = 0; i < family->case_count; i++) {
        const kz_case *c = &family->cases[i];
        bool first = true;
        for (size_t k = 0; k < i && first; k++)
            first = family->cases[k].operation != c->operation || family->cases[k].type != c->type;
        if (first) add_kernel(&ptx, family, c);
    }
    if (family_guest_open(family, "my.cu", example, ptx.data, &guest, &error))
        fail_msg("%s: %s", family->name, error.message); // it plans every case, past 2^31 too
    kz_plan plan;
    const kz_device_info device = {.multiprocessors = 132, .kind = KZ_DEVICE_SIM};
    uint64_t elements = family_case_elements(family, &family->cases[0]), blocks = kz_ceil_div(elements, 256);
    assert_int_equal(family_guest_plan(guest, &family->cases[0], &device, &plan, &error), KZ_OK);
    assert_int_equal(plan.steps[0].launch.grid[0], blocks ? blocks : 1);
    family_guest_close(guest);
    base_text_free(&ptx);
}

static void examples_open(void **state) {
    size_t count;
    const kz_family *const *families = kz_family_list(&count);
    for (size_t f = 0; f < count; f++) check_example(families[f]);
}

// A name that ends as another operation's does.
static void the_longer_name_counts(void **state) {
    const kz_family *softmax = kz_family_find("softmax");
    char example[FAMILY_GUEST_EXAMPLE];
    family_guest *guest;
    kz_error error = {0};
    family_guest_example(softmax, example, sizeof example);
    const char *ptx =
        ".version 7.0\n.target sm_75\n.address_size 64\n"
        ".visible .entry my_log_softmax_f32(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d, "
        ".param .u64 e)\n{\n    ret;\n}\n";
    if (family_guest_open(softmax, "my.cu", example, ptx, &guest, &error)) fail_msg("%s", error.message);
    for (size_t i = 0; i < softmax->case_count; i++) {
        const kz_case *c = &softmax->cases[i];
        bool own = strcmp(softmax->operations[c->operation], "log_softmax") == 0 && c->type == KZ_F32;
        if ((family_guest_entry(guest, c) != NULL) != own)
            fail_msg("%s of %s", family_guest_entry(guest, c), softmax->operations[c->operation]);
    }
    family_guest_close(guest);
}

static void every_signature_is_shown(void **state) {
    char example[FAMILY_GUEST_EXAMPLE];
    family_guest_example(kz_family_find("reduce"), example, sizeof example);
    assert_non_null(strstr(example,
                           "\n    extern \"C\" __global__ void my_sum_f32(const float *in, float *out, "
                           "size_t n) { ... }\n"));
    assert_non_null(strstr(example, "\n    // the same parameters: min, max, mean\n"));
    assert_non_null(strstr(example, "_f32(const float *in, float *out, long long *index, size_t n) { ... }"));
    family_guest_example(kz_family_find("histogram"), example, sizeof example);
    assert_non_null(strstr(example, "my_even_f32(const float *in, unsigned *out, const void *null, size_t n, "
                                    "size_t bins, float lower, float upper)"));
    assert_non_null(strstr(example, "my_range_f32("));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signatures_are_what_is_given), cmocka_unit_test(examples_open),
        cmocka_unit_test(the_longer_name_counts), cmocka_unit_test(every_signature_is_shown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
