// workload/supervise: a run in a child process, which a kernel or a rival may take down with it.
//
// Parent and child share a page. The child writes where it is and what is done; each call into a candidate is a beat.
// Where it dies, or gives no beat for longer than it said, the parent notes who was at work and starts another child,
// which goes on with the same case without that candidate. The child is forked before any device is opened, has a process
// group of its own, and is killed with its parent. Ctrl-Z stops the parent, and the child before its next sample.
#ifndef WORKLOAD_SUPERVISE_H
#define WORKLOAD_SUPERVISE_H

#include <stdatomic.h>

#include "report/bench/run.h"

enum {
    WORKLOAD_LOSSES = 64,
    WORKLOAD_LOST_CASES = 2
}; // candidates; cases after which one is not tried again

typedef struct workload_page {
    // Where the child is.
    atomic_uint_fast64_t beats;
    _Atomic double patience; // seconds that may pass until the next beat
    atomic_bool pause;       // the parent is stopped: nothing is to be sampled
    bool in_case;            // it measures case number `done` of device number `device`
    char phase[100];         // "verifying"
    char by[24], name[64];   // who is at work; "" for nobody
    bool faulted;            // ... broke the device, with this error: the child ends because of it
    kz_error fault;
    bool finished; // it came to its end, with this exit status; what remains is to clean up
    int code;

    // What the next child goes on with.
    size_t children; // so many were started before this one
    size_t device, done;
    report_bench_counts counts;
    bench_lost lost[BENCH_CANDIDATES]; // in the case at hand
    size_t lost_count;
    struct {
        char by[24], name[64];
        bench_loss loss;
        size_t cases;
    } losses[WORKLOAD_LOSSES]; // of the whole run: who is lost again and again is not tried any more
    size_t loss_count;
    bool without_rivals; // opening them was too much
    char
        rivals[4096]; // of the device at hand, as bench_request_rivals has them; "" where they were not asked
    kz_error given_up; // why the case at hand is left out; status 0: it is not
} workload_page;

void workload_page_beat(workload_page *page, const char *by, const char *name, double patience);
void workload_page_count_loss(workload_page *page, const bench_lost *lost); // in one more case
void workload_page_pause(const workload_page *page); // while the parent is stopped; asked between samples

typedef struct workload_supervision {
    int (*run)(void *context, workload_page *page); // in the child: its exit status
    void *context;
    bool here; // no child: in this process
    void (*complain)(const kz_error *error, const char *consequence);
} workload_supervision;

// The exit status of the last child; where a signal stopped the run, that of the child it was passed on to. Where no
// child comes as far as the first case, -1 and the error.
int workload_supervise(const workload_supervision *supervision, kz_error *error);

#endif
