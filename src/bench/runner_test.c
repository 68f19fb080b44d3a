// The runner's own library, on a GPU that is not there (tests/fake_cuda). Its use by Python is tested in remote_test.c.
#include "bench/runner.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "device/share.h"
#include "fake_cuda/fake_cuda.h"
#include "unit.h"

enum { COUNT = 64, STRIDE = 256 };

static fake_cuda_state *fake;
static int run_here(void *stream, size_t set) { return 0; }
static int run_beside(void *stream, size_t set) {
    fake->rest = 300e-6; // in a stream of its own
    return 0;
}

// What goes on when the stream that is timed is done is not timed.
static void work_in_another_stream_is_found(void **state) {
    static const kz_runner_enqueue functions[] = {run_here, run_beside};
    kz_device *device;
    kz_runner *runner;
    kz_ptr memory, same;
    device_memory_handle handle;
    size_t runs, graph_sets;
    double seconds = 0;
    setenv("KZ_LIBCUDA", FAKE_CUDA, 1);
    setenv("FAKE_CUDA_STEP", "2e-6", 1);
    void *library = dlopen(FAKE_CUDA, RTLD_NOW);
    assert_non_null(library);
    fake = dlsym(library, "fake_cuda_now");
    assert_int_equal(kz_device_open("cuda", &device, NULL), KZ_OK);
    assert_int_equal(device_memory_alloc_shared(device, STRIDE, &memory, NULL), KZ_OK);
    assert_int_equal(device_memory_export(device, memory, &handle, NULL), KZ_OK);
    assert_int_equal(kz_runner_open("cuda", &runner), KZ_OK);
    assert_int_equal(kz_runner_case(runner, 1, 0), KZ_OK);
    assert_int_equal(kz_runner_buffer(runner, "f32", "output", COUNT, STRIDE,
                                      (const unsigned char *)handle.bytes, NULL, &same),
                     KZ_OK);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(kz_runner_candidate(runner, functions[i]), KZ_OK);
        assert_int_equal(kz_runner_condition(runner, i, "latency", "cold", "later", 1e-3, &runs, &graph_sets),
                         KZ_OK);
        assert_int_equal(kz_runner_sample(runner, i, &seconds), i ? KZ_TOOL : KZ_OK);
    }
    assert_has(kz_runner_error(runner), "it runs in another stream, and is not waited for");
    // A context of the rival's own process works before its samples.
    assert_int_equal(kz_runner_condition(runner, 0, "latency", "cold", "switched", 1e-3, &runs, &graph_sets),
                     KZ_OK);
    for (int i = 0; i < 2; i++) {
        fake->order[0] = 0;
        assert_int_equal(kz_runner_sample(runner, 0, &seconds), KZ_OK);
        assert_true(fake->order[0] == 'x' && !strchr(fake->order + 1, 'x'));
    }
    kz_runner_close(runner);
    assert_int_equal(kz_memory_free(device, memory, NULL), KZ_OK);
    kz_device_close(device);
    dlclose(library);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(work_in_another_stream_is_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
