// A rival for the tests: adds vectors on the GPU that is not there (tests/fake_cuda), whose memory is the
// host's. One operation of the fake driver moves its clock, so the rival takes as long as one launch.
// FAKE_PEER_FAIL makes it fail.
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "peers/peer.h"

static const char *offers(const kz_peer_problem *problem) {
    return strcmp(problem->family, "vector_add") == 0 ? "Add" : NULL;
}

static const char *version(const char **why) {
    (void)why;
    return "1.0";
}

static int prepare(const kz_peer_problem *problem, kz_peer_plan *plan, const char **why) {
    (void)problem, (void)why;
    plan->algorithms = 1;
    return 0;
}

static int run(const kz_peer_problem *problem, const kz_peer_plan *plan, const kz_peer_call *call,
               const char **why) {
    (void)plan;
    const kz_ptr *buffers = call->buffers;
    *why = getenv("FAKE_PEER_FAIL") ? "it was told to" : "there is no fake driver";
    if (getenv("FAKE_PEER_FAIL")) return 1;
    void *driver = dlopen(getenv("KZ_LIBCUDA"), RTLD_NOW | RTLD_NOLOAD);
    int (*fill)(uint64_t, unsigned char, size_t, void *) = NULL;
    if (driver) *(void **)&fill = dlsym(driver, "cuMemsetD8Async");
    const float *x = (const float *)(uintptr_t)buffers[0], *y = (const float *)(uintptr_t)buffers[1];
    float *z = (float *)(uintptr_t)buffers[2];
    if (!fill || fill(buffers[2], 0, (size_t)problem->axes[0] * sizeof *z, call->stream) != 0) return 1;
    for (int64_t i = 0; i < problem->axes[0]; i++) z[i] = x[i] + y[i];
    return 0;
}

static const kz_peer peer = {KZ_PEER_INTERFACE, "fake", false, version, offers, prepare, run, NULL, NULL};

const kz_peer *kz_peer_get(void) { return &peer; }
