// bench/candidate: what can be timed: a variant, a guest, a rival from peers/, or a peak. All are one
// function that enqueues a run on a set of buffers.
#ifndef BENCH_CANDIDATE_H
#define BENCH_CANDIDATE_H

#include "bench/code.h"
#include "bench/condition.h"
#include "bench/data.h"
#include "bench/facts.h"
#include "bench/probes.h"
#include "family/guest.h"
#include "peers/peer.h"

// What a sample of a candidate is under a condition.
typedef struct bench_sample_shape {
    size_t runs;
    size_t
        graph_sets; // the sets that its graph visits, from 0 on; 0: its runs are enqueued one by one, on any set
} bench_sample_shape;

// How a candidate that lives in another process is sampled: there, by the same sampler.
typedef struct bench_elsewhere {
    // Gets ready for samples under the condition. `seconds` is what one run takes. KZ_UNSUPPORTED: not in this
    // condition; another failure is the candidate's end.
    kz_status (*open)(void *self, bench_condition condition, double seconds, bench_sample_shape *shape,
                      kz_error *error);
    kz_status (*sample)(void *self, double *seconds, kz_error *error);
    kz_status (*replay)(void *self, size_t set, kz_error *error); // as bench_sampler_replay
} bench_elsewhere;

// How a candidate was lost: it took its process with it, or its device.
typedef enum bench_loss { BENCH_NOT_LOST, BENCH_CRASHED, BENCH_HUNG, BENCH_FAULTED } bench_loss;
const char *bench_loss_name(bench_loss loss); // "crashed"

typedef enum bench_provider { BENCH_ZOO, BENCH_GUEST, BENCH_PEER, BENCH_PEAK } bench_provider;

typedef struct bench_candidate {
    bench_provider provider;
    char by[24];        // "kz", "guest", "cub", "peak"
    char name[64];      // "03_warp_shuffle", "DeviceReduce", "copy by the driver"
    char version[64];   // of a peer; "" elsewhere
    char code_hash[20]; // of PTX and machine code; "" where unknown
    uint64_t workspace_bytes;
    double prepare_seconds; // what a rival took to compile or plan; 0 where it was not asked
    uint64_t own_bytes;     // of a peer: device memory that it took by itself; UINT64_MAX where unknown
    bench_code code;        // of a variant or a guest
    bench_facts facts;      // the same
    void *self;
    kz_status (*enqueue)(void *self, kz_stream *stream, size_t set, kz_error *error);
    // Writes the inputs of a set again, by a kernel; NULL: they are the data's.
    kz_status (*produce)(void *self, kz_stream *stream, size_t set, kz_error *error);
    const bench_elsewhere *elsewhere; // NULL: it is sampled here. Else `enqueue` returns when the run is done
    void (*close)(void *self);
} bench_candidate;

// One of which nothing is known but its name.
bench_candidate bench_candidate_blank(bench_provider provider, const char *by, const char *name);

// The data must outlive the candidate. KZ_UNSUPPORTED with the reason where it does not do this case.
kz_status bench_candidate_variant(const bench_data *data, const kz_variant *variant,
                                  bench_candidate *candidate, kz_error *error);
kz_status bench_candidate_guest(const bench_data *data, const family_guest *guest, bench_candidate *candidate,
                                kz_error *error);
// What a rival would do the case with; NULL where it does not do it on such a device. Opens nothing.
const char *bench_peer_offer(const kz_peer *peer, const kz_family *family, const kz_case *c, bool cpu);
kz_status bench_candidate_peer(const bench_data *data, const kz_peer *peer, bench_candidate *candidate,
                               kz_error *error);

typedef enum bench_peak {
    BENCH_PEAK_COPY_DRIVER,
    BENCH_PEAK_COPY_KERNEL,
    BENCH_PEAK_READ,
    BENCH_PEAK_IN_PLACE, // read and written over: on a CPU faster than a copy, whose target is read too
    BENCH_PEAKS
} bench_peak;

// Moves `bytes` in all, as the case's work does: a copy reads and writes half each.
kz_status bench_candidate_peak(const bench_data *data, bench_probes *probes, bench_peak peak, double bytes,
                               bench_candidate *candidate, kz_error *error);
// Of PTX and machine code; "" where there is neither.
enum { BENCH_DIGEST = 20 };
void bench_image_hash(const kz_image *image, char text[BENCH_DIGEST]);
void bench_candidate_close(bench_candidate *candidate); // a zeroed one is allowed

#endif
