// A rival for the tests that adds vectors on the CPU, and does what FAKE_RIVAL says from its run number n on:
// "crash n", "abort n", "exit n", "hang n", "nan n"; with n = 0 when it is prepared. FAKE_RIVAL_VERSION is its version;
// "" means that its library is not there.
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "peers/peer.h"

static int runs;

static bool misbehaves(const char *how) {
    char what[16] = "";
    int from = 0;
    if (sscanf(getenv("FAKE_RIVAL") ? getenv("FAKE_RIVAL") : "", "%15s %d", what, &from) < 1) return false;
    return strcmp(what, how) == 0 && runs >= from;
}

static void misbehave(void) {
    if (misbehaves("crash")) raise(SIGSEGV);
    if (misbehaves("abort")) abort();
    if (misbehaves("exit")) exit(0);
    while (misbehaves("hang")) sleep(1);
}

static const char *offers(const kz_peer_problem *problem) {
    return strcmp(problem->family, "vector_add") == 0 ? "Add" : NULL;
}

static const char *version(const char **why) {
    const char *given = getenv("FAKE_RIVAL_VERSION");
    *why = "its library is not there";
    return !given ? "1.0" : *given ? given : NULL;
}

static int prepare(const kz_peer_problem *problem, kz_peer_plan *plan, const char **why) {
    (void)problem, (void)why;
    plan->algorithms = 1;
    misbehave();
    return 0;
}

static int run(const kz_peer_problem *problem, const kz_peer_plan *plan, const kz_peer_call *call,
               const char **why) {
    (void)plan, (void)why;
    const float *x = (const float *)(uintptr_t)call->buffers[0],
                *y = (const float *)(uintptr_t)call->buffers[1];
    float *z = (float *)(uintptr_t)call->buffers[2];
    runs++;
    misbehave();
    for (int64_t i = 0; i < problem->axes[0]; i++) z[i] = x[i] + y[i];
    if (misbehaves("nan")) z[0] = NAN;
    return 0;
}

static const kz_peer peer = {KZ_PEER_INTERFACE, "rival", true, version, offers, prepare, run, NULL, NULL};

const kz_peer *kz_peer_get(void) { return &peer; }
