// The GPU files: those that are embedded, and how bad ones are refused.

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "device/gpus.h"
#include "unit.h"

static void embedded_ones(void **state) {
    device_gpu gpus[32], gpu;
    size_t count = device_gpu_list(gpus, BASE_COUNT(gpus));
    assert_int_equal(count, device_gpu_file_count); // every one parses
    assert_true(count >= 5);
    for (size_t i = 1; i < count; i++) assert_true(gpus[i - 1].bandwidth >= gpus[i].bandwidth);
    for (size_t room = 0; room < count; room++) { // the best that there is room for, and nothing past it
        device_gpu few[BASE_COUNT(gpus)] = {0};
        assert_int_equal(device_gpu_list(few, room), count);
        for (size_t i = 0; i < room; i++) assert_string_equal(few[i].key, gpus[i].key);
        assert_string_equal(few[room].key, "");
    }

    assert_int_equal(device_gpu_load("h200", &gpu, NULL), KZ_OK);
    assert_string_equal(gpu.name, "NVIDIA H200");
    assert_int_equal((int)gpu.sm, 90);
    assert_int_equal((int)gpu.multiprocessors, 132);
    assert_int_equal((int)gpu.shared_per_block_optin, 227 * 1024);
    assert_true(gpu.bandwidth == 4.8e12);
    assert_int_equal(device_gpu_load("t4", &gpu, NULL), KZ_OK);
    assert_int_equal((int)gpu.sm, 75);
    assert_int_equal((int)gpu.max_threads_per_multiprocessor, 1024);
}

static void choice_of_a_gpu(void **state) {
    device_gpu gpu;
    unsetenv("KZ_GPU");
    assert_string_equal(device_gpu_choose(NULL), device_gpu_default);
    assert_int_equal(device_gpu_load(device_gpu_default, &gpu, NULL), KZ_OK);
    setenv("KZ_GPU", "t4", 1);
    assert_string_equal(device_gpu_choose(NULL), "t4");
    assert_string_equal(device_gpu_choose("a100"), "a100");
    setenv("KZ_GPU", "", 1);
    assert_string_equal(device_gpu_choose(NULL), device_gpu_default);
    unsetenv("KZ_GPU");
}

static void unknown_key(void **state) {
    device_gpu gpu;
    kz_error error = {0};
    assert_int_equal(device_gpu_load("voodoo2", &gpu, &error), KZ_NOT_FOUND);
    assert_non_null(strstr(error.message, "voodoo2"));
    assert_non_null(strstr(error.message, "h200"));
}

static void real_devices_are_recognised(void **state) {
    device_gpu gpu;
    assert_true(device_gpu_match("NVIDIA H200", 90, 132, 150.1e9, &gpu));
    assert_string_equal(gpu.key, "h200");
    assert_true(device_gpu_match("NVIDIA H100 80GB HBM3", 90, 132, 85e9, &gpu));
    assert_string_equal(gpu.key, "h100");
    assert_true(device_gpu_match("NVIDIA A100-SXM4-80GB", 80, 108, 85e9, &gpu));
    assert_true(device_gpu_match("Tesla T4", 75, 40, 15.8e9, &gpu));
    assert_false(device_gpu_match("NVIDIA A100-SXM4-40GB", 80, 108, 42.5e9, &gpu)); // other memory
    assert_false(device_gpu_match("NVIDIA H100 PCIe", 90, 114, 85e9, &gpu));        // fewer multiprocessors
    assert_false(device_gpu_match("NVIDIA T400 4GB", 75, 6, 4e9, &gpu));
    assert_false(device_gpu_match("NVIDIA GeForce RTX 4090 Laptop GPU", 89, 76, 17e9, &gpu));
}

// A good file, with one line changed: `from` becomes `to`.
static char *changed(const char *from, const char *to) {
    const char *text = NULL;
    for (size_t i = 0; i < device_gpu_file_count; i++)
        if (strcmp(device_gpu_files[i].key, "h200") == 0) text = device_gpu_files[i].text;
    assert_non_null(text);
    const char *at = strstr(text, from);
    assert_non_null(at);
    base_text out = {0};
    base_text_add_bytes(&out, text, (size_t)(at - text));
    base_text_add(&out, "%s%s", to, at + strlen(from));
    return out.data;
}

static void expect_refused(const char *from, const char *to, const char *says) {
    char *text = changed(from, to);
    device_gpu gpu;
    kz_error error = {0};
    assert_int_equal(device_gpu_parse("my.gpu", text, &gpu, &error), KZ_SYNTAX);
    assert_non_null(strstr(error.message, "my.gpu"));
    assert_has(error.message, says);
    free(text);
}

static void bad_files(void **state) {
    expect_refused("sm                             = 90", "sm = ninety", ":10: expected a number: ninety");
    expect_refused("sm                             = 90", "sm 90", ":10: expected `key = value`");
    expect_refused("sm                             = 90", "", "`sm` is missing");
    expect_refused("sm                             = 90", "sm = 90\nsm = 90",
                   ":11: this key was given before");
    expect_refused("sm                             = 90", "sm = 90.5", "whole number");
    expect_refused("multiprocessors                = 132", "multiprocessors = 0", "multiprocessors is 0");
    expect_refused("multiprocessors                = 132", "multiprocessors = nan", "expected a number");
    expect_refused("multiprocessors                = 132", "multiprocessor = 132",
                   "unknown key: multiprocessor");
    expect_refused("4.8 TB/s", "4.8 TiB", "unknown unit for this key: TiB");
    expect_refused("4.8 TB/s", "4.8 MHz", "unknown unit");
    expect_refused("= 227 KiB", "= 229 KiB", "does not hold");
    expect_refused("= NVIDIA H200", "=", "expected a text");
    expect_refused(
        "= NVIDIA H200\n",
        "= a name that is much too long for anybody to print in a table, and goes on and on and on\n",
        "too long");
    device_gpu gpu;
    assert_int_equal(device_gpu_parse("my.gpu", "", &gpu, NULL), KZ_SYNTAX);
    assert_int_equal(device_gpu_parse("my.gpu", "====\n", &gpu, NULL), KZ_SYNTAX);
}

static void a_file_of_ones_own(void **state) {
    char path[] = "/tmp/kz_gpus_test_XXXXXX.gpu";
    int fd = mkstemps(path, 4);
    assert_true(fd >= 0);
    char *text = changed("= 132", "= 7 # a small one");
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    free(text);
    device_gpu gpu;
    assert_int_equal(device_gpu_load(path, &gpu, NULL), KZ_OK);
    assert_int_equal((int)gpu.multiprocessors, 7);
    assert_int_equal(strncmp(gpu.key, "kz_gpus_test_", 13), 0);
    char as_device[sizeof path + 4];
    snprintf(as_device, sizeof as_device, "sim:%s", path);
    assert_int_equal(device_gpu_load(device_gpu_choose(as_device), &gpu, NULL), KZ_OK);
    unlink(path);
    kz_error error = {0};
    assert_int_equal(device_gpu_load(path, &gpu, &error), KZ_NOT_FOUND);
    assert_non_null(strstr(error.message, path));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(embedded_ones), cmocka_unit_test(choice_of_a_gpu),
        cmocka_unit_test(unknown_key),   cmocka_unit_test(real_devices_are_recognised),
        cmocka_unit_test(bad_files),     cmocka_unit_test(a_file_of_ones_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
