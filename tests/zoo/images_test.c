// What the build embeds: every variant's code is there, whole, and names no folder of the machine it was
// built on.

#include "device/image.h"
#include "kz/family.h"

#include <stdlib.h>

#include "unit.h"

// Whether the variant has a file of its own.
static bool check_code(const kz_family *family, const kz_variant *variant) {
    kz_image image = {0};
    kz_error error = {0};
    if (kz_variant_image(family, variant, &image, &error)) fail_msg("%s", error.message);
    if (variant->natives || (variant->others && !strchr(image.name, '/'))) return false;
    // The file's line "// kz: sm" and the table agree on the least architecture.
    char *ptx;
    assert_int_equal(kz_image_ptx(&image, &ptx, &error), KZ_OK);
    const char *target = strstr(ptx, ".target sm_");
    assert_non_null(target);
    int sm = 0;
    for (target += strlen(".target sm_"); *target >= '0' && *target <= '9'; target++)
        sm = 10 * sm + *target - '0';
    if (*target == 'a') sm = KZ_SM_EXACT(sm);
    free(ptx);
    if (sm != variant->min_sm)
        fail_msg("%s is compiled for sm_%d, and its row says %d", image.name, sm, variant->min_sm);
    return true;
}

static void test_every_variant_has_code(void **state) {
    size_t count = 0;
    const kz_family *const *families = kz_family_list(&count);
    assert_true(count > 0);
    for (size_t f = 0; f < count; f++) {
        size_t rows = 0;
        for (size_t v = 0; v < families[f]->variant_count; v++)
            rows += check_code(families[f], &families[f]->variants[v]);
        assert_int_equal(rows, families[f]->embedded->code.count); // no file is without a row in the table
    }
}

static void visit_images(void (*visit)(const kz_image *)) {
    size_t count = 0;
    const kz_family *const *families = kz_family_list(&count);
    for (size_t f = 0; f < count; f++)
        for (size_t i = 0; i < families[f]->embedded->code.count; i++)
            visit(&families[f]->embedded->code.images[i]);
}

static void is_whole(const kz_image *image) {
    char *ptx;
    assert_int_equal(kz_image_ptx(image, &ptx, NULL), KZ_OK);
    assert_int_equal(strlen(ptx), image->ptx_size);
    assert_non_null(strstr(ptx, ".visible .entry "));
    free(ptx);
    if (image->machine_code_count == 0) return; // built where there is no GPU
    const void *code;
    void *unpacked;
    assert_int_equal(device_code_unpack("code", &image->machine_code[0], &code, &unpacked, NULL), KZ_OK);
    assert_true(image->machine_code[0].sm >= 90);
    assert_true(image->machine_code[0].size > 64);
    assert_memory_equal(code, "\177ELF", 4);
    free(unpacked);
}
static void test_images_are_whole(void **state) { visit_images(is_whole); }

static void names_no_folder(const kz_image *image) {
    char *ptx;
    assert_int_equal(kz_image_ptx(image, &ptx, NULL), KZ_OK);
    const char *at = ptx;
    assert_non_null(strstr(at, "\"kernels/")); // lines are kept, from the project's root
    while ((at = strstr(at, "\t.file"))) {
        const char *name = strchr(at, '"');
        assert_non_null(name);
        if (name[1] == '/') fail_msg("%s names %.80s", image->name, name);
        at = name;
    }
    free(ptx);
}
static void test_no_folder_of_this_machine(void **state) { visit_images(names_no_folder); }

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_variant_has_code),
        cmocka_unit_test(test_images_are_whole),
        cmocka_unit_test(test_no_folder_of_this_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
