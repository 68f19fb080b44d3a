// Memory that two processes share: `cpu` by a mapping, `cuda` by handles of tests/fake_cuda.

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/share.h"
#include "fake_cuda.h"
#include "unit.h"

enum { BYTES = 10000 };

static unsigned char *bytes_at(kz_ptr address) { return (unsigned char *)(uintptr_t)address; }

// What another process does: 0 where it read the pattern and wrote its own.
static int be_the_other(const device_memory_handle *handle) {
    kz_device *device;
    kz_ptr address;
    if (kz_device_open("cpu", &device, NULL) || device_memory_import(device, handle, &address, NULL))
        return 1;
    for (int i = 0; i < BYTES; i++)
        if (bytes_at(address)[i] != 0x11) return 2;
    if (kz_memory_fill(device, NULL, address, 0x22, BYTES, NULL)) return 3; // the device knows it as its own
    if (device_memory_close(device, address, NULL)) return 4;
    kz_device_close(device);
    return 0;
}

static void two_processes_see_the_same_bytes(void **state) {
    kz_device *device;
    kz_ptr address;
    device_memory_handle handle;
    assert_int_equal(kz_device_open("cpu", &device, NULL), KZ_OK);
    assert_int_equal(device_memory_alloc_shared(device, BYTES, &address, NULL), KZ_OK);
    assert_int_equal(kz_memory_fill(device, NULL, address, 0x11, BYTES, NULL), KZ_OK);
    assert_int_equal(device_memory_export(device, address, &handle, NULL), KZ_OK);
    pid_t child = fork();
    if (child == 0) _exit(be_the_other(&handle));
    int ended = -1;
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_int_equal(ended, 0);
    for (int i = 0; i < BYTES; i++) assert_int_equal(bytes_at(address)[i], 0x22);
    assert_int_equal(kz_memory_free(device, address, NULL), KZ_OK);
    kz_error error = {0};
    assert_int_equal(device_memory_import(device, &handle, &address, &error), KZ_INVALID); // freed
    assert_has(error.message, "that process has ended, or freed it");
    kz_device_close(device);
}

enum { PAGES = 512, PAGE = 4096 };

static long count_faults(kz_ptr address) {
    struct rusage before, after;
    volatile char *memory = (volatile char *)(uintptr_t)address;
    getrusage(RUSAGE_SELF, &before);
    for (int k = 0; k < PAGES; k++) memory[k * PAGE] = 1;
    getrusage(RUSAGE_SELF, &after);
    return after.ru_minflt - before.ru_minflt;
}

// Neither who made it nor who opens it waits for a page when it is first written.
static void its_pages_are_there(void **state) {
    (void)state;
    kz_device *device;
    device_memory_handle handle;
    kz_ptr addresses[2];
    assert_int_equal(kz_device_open("cpu", &device, NULL), KZ_OK);
    assert_int_equal(device_memory_alloc_shared(device, PAGES * PAGE, &addresses[0], NULL), KZ_OK);
    assert_int_equal(device_memory_export(device, addresses[0], &handle, NULL), KZ_OK);
    assert_int_equal(device_memory_import(device, &handle, &addresses[1], NULL), KZ_OK);
    for (int i = 0; i < 2; i++) // what is left are those of sanitizers and valgrind, in memory of their own
        assert_true(count_faults(addresses[i]) < PAGES / 2);
    for (int i = 1; i >= 0; i--) assert_int_equal(kz_memory_free(device, addresses[i], NULL), KZ_OK);
    kz_device_close(device);
}

static void only_shared_memory_of_the_cpu_is_exported(void **state) {
    kz_device *device;
    kz_ptr plain, shared;
    device_memory_handle handle;
    kz_error error = {0};
    assert_int_equal(kz_device_open("cpu", &device, NULL), KZ_OK);
    assert_int_equal(kz_memory_alloc(device, 16, &plain, NULL), KZ_OK);
    assert_int_equal(device_memory_export(device, plain, &handle, &error), KZ_INVALID);
    assert_has(error.message, "no shared allocation");
    assert_int_equal(device_memory_alloc_shared(device, 0, &shared, NULL), KZ_OK);
    assert_int_equal(shared, 0);
    assert_int_equal(device_memory_close(device, 0, NULL), KZ_OK);
    kz_device_close(device);
    assert_int_equal(kz_device_open("sim", &device, NULL), KZ_OK);
    assert_int_equal(kz_memory_alloc(device, 16, &plain, NULL), KZ_OK);
    assert_int_equal(device_memory_export(device, plain, &handle, &error), KZ_UNSUPPORTED);
    kz_memory_free(device, plain, NULL);
    kz_device_close(device);
}

// An allocation that ends within a page of 2 MiB is mapped by smaller ones where it is opened, and read at half the speed.
static void cuda_shares_whole_pages(void **state) {
    const size_t page = (size_t)2 << 20, wanted[] = {1, BYTES, page, page + 1}, given[] = {1, 1, 1, 2};
    setenv("KZ_LIBCUDA", FAKE_CUDA, 1);
    kz_device *device;
    kz_ptr address;
    assert_int_equal(kz_device_open("cuda", &device, NULL), KZ_OK);
    void *library = dlopen(FAKE_CUDA, RTLD_NOW | RTLD_NOLOAD);
    const fake_cuda_state *fake = dlsym(library, "fake_cuda_now");
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        size_t before = fake->live_bytes;
        assert_int_equal(device_memory_alloc_shared(device, wanted[i], &address, NULL), KZ_OK);
        assert_int_equal(fake->live_bytes - before, given[i] * page);
        assert_int_equal(kz_memory_free(device, address, NULL), KZ_OK);
    }
    kz_device_close(device);
    dlclose(library);
}

static void cuda_shares_by_handles(void **state) {
    setenv("KZ_LIBCUDA", FAKE_CUDA, 1);
    kz_device *device;
    kz_ptr address, host, same;
    device_memory_handle handle, wrong = {{0}};
    kz_error error = {0};
    assert_int_equal(kz_device_open("cuda", &device, NULL), KZ_OK);
    assert_int_equal(device_memory_alloc_shared(device, BYTES, &address, NULL), KZ_OK);
    assert_int_equal(device_memory_export(device, address, &handle, NULL), KZ_OK);
    assert_int_equal(device_memory_export(device, address + 1, &handle, &error), KZ_INVALID);
    assert_has(error.message, "sharing the memory");
    assert_int_equal(device_memory_export(device, address, &handle, NULL), KZ_OK);
    assert_int_equal(device_memory_import(device, &handle, &same, NULL), KZ_OK);
    assert_int_equal(same, address);
    void *library = dlopen(FAKE_CUDA, RTLD_NOW | RTLD_NOLOAD);
    const fake_cuda_state *fake = dlsym(library, "fake_cuda_now");
    assert_int_equal(fake->live_imports, 1);
    assert_int_equal(device_memory_close(device, same, NULL), KZ_OK);
    assert_int_equal(fake->live_imports, 0);
    assert_true(device_memory_import(device, &wrong, &same, &error));
    assert_has(error.message, "opening another process's memory");
    assert_int_equal(kz_memory_alloc_host(device, 64, true, &host, NULL), KZ_OK);
    assert_int_equal(device_memory_export(device, host, &handle, &error), KZ_UNSUPPORTED);
    assert_int_equal(kz_memory_free(device, host, NULL), KZ_OK);
    assert_int_equal(kz_memory_free(device, address, NULL), KZ_OK);
    kz_device_close(device);
    dlclose(library);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_processes_see_the_same_bytes),
        cmocka_unit_test(its_pages_are_there),
        cmocka_unit_test(only_shared_memory_of_the_cpu_is_exported),
        cmocka_unit_test(cuda_shares_whole_pages),
        cmocka_unit_test(cuda_shares_by_handles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
