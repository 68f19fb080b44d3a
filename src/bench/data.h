// bench/data: the bytes of one case, the same for every candidate: inputs and the reference on the host, and
// several sets of buffers on the device to rotate through.
//
// Set s of buffer b holds the same bytes as set 0. Inputs come from the seed alone; the reference is computed
// once.
#ifndef BENCH_DATA_H
#define BENCH_DATA_H

#include "bench/code.h"
#include "bench/probes.h"
#include "family/compare.h"
#include "kz/family.h"

typedef struct bench_data {
    kz_device *device;
    const kz_family *family;
    kz_case c;
    uint64_t seed;
    size_t buffer_count;
    kz_buffer buffers[KZ_FAMILY_BUFFERS];
    void *host[KZ_FAMILY_BUFFERS]; // inputs and inouts as they are before a run; NULL for outputs
    double *expected[KZ_FAMILY_BUFFERS], *bound[KZ_FAMILY_BUFFERS]; // outputs and inouts; NULL for inputs
    void *got;                                                      // room for the largest output
    size_t sets;
    uint64_t footprint;                      // bytes of one set
    kz_ptr base[KZ_FAMILY_BUFFERS];          // one allocation per buffer, `sets` strides long
    size_t stride[KZ_FAMILY_BUFFERS];        // a multiple of 256
    kz_ptr pristine[KZ_FAMILY_BUFFERS];      // inouts: what to restore from; 0 for the rest
    double input_seconds, reference_seconds; // what making them took on the host
    bool unchecked;                          // there is no reference, and nothing is compared with it
    const bench_assembler *assembler;        // for the candidates' code; may be NULL
    bench_probes *probes;               // that tell what inputs hold; NULL: they are compared on the host
    uint64_t digest[KZ_FAMILY_BUFFERS]; // of an input, in any set, or of `pristine`
} bench_data;

// How many sets make the footprint several times L2, within what memory allows; at least 1.
size_t bench_data_sets(kz_device *device, const kz_family *family, const kz_case *c);

// `probes` may be NULL. `data` says beforehand whether it is unchecked, and is 0 otherwise.
kz_status bench_data_open(kz_device *device, bench_probes *probes, const kz_family *family, const kz_case *c,
                          uint64_t seed, size_t sets, bench_data *data, kz_error *error);
void bench_data_close(bench_data *data);

// ---- sets of buffers (sets.c) ---------------------------------------------------------------------------
// They need the device, the buffers, the case's misalignment, and where the sets lie: a bench_data that was filled by
// hand will do.

size_t bench_data_bytes(const bench_data *data, size_t buffer);
size_t bench_data_offset(const bench_data *data, size_t buffer); // of a misaligned case, in bytes
kz_ptr bench_data_address(const bench_data *data, size_t buffer, size_t set);
// The addresses a plan takes, misalignment included.
void bench_data_addresses(const bench_data *data, size_t set, kz_ptr addresses[KZ_FAMILY_BUFFERS]);
bool bench_data_has_inout(const bench_data *data);

// Inouts of [first, first + count) as they were. Enqueued only.
kz_status bench_data_restore(const bench_data *data, kz_stream *stream, size_t first, size_t count,
                             kz_error *error);
// Outputs of [first, first + count) overwritten with the bytes 0xff, which are NaN or -1. Enqueued only.
kz_status bench_data_blank(const bench_data *data, kz_stream *stream, size_t first, size_t count,
                           kz_error *error);
// The set's inputs written again with what they hold, by a kernel. Enqueued only.
kz_status bench_data_produce(const bench_data *data, bench_probes *probes, kz_stream *stream, size_t set,
                             kz_error *error);

// ---- what is in them (data.c) -----------------------------------------------------------------------------

// Outputs of a set overwritten with what no kernel writes, and inouts restored.
kz_status bench_data_poison(const bench_data *data, kz_stream *stream, size_t set, kz_error *error);
// Compares a set's outputs with the reference: the first output that is wrong, or the one nearest to it.
kz_status bench_data_check(const bench_data *data, kz_stream *stream, size_t set,
                           family_comparison *comparison, kz_error *error);
// What was written since and is only to be read, in words: an input of the first `sets`, or the copy that an inout is
// restored from; "": nothing was. Waits for the device. On a GPU what lies around an input counts too.
enum { BENCH_WRITTEN = 96 };
kz_status bench_data_find_written(const bench_data *data, size_t sets, char what[BENCH_WRITTEN],
                                  kz_error *error);
kz_status bench_data_renew(const bench_data *data, kz_error *error); // all inputs and inouts as they were
// Other inputs and their reference into set 0: a result remembered from before is wrong now.
kz_status bench_data_reseed(bench_data *data, uint64_t seed, kz_error *error);

#endif
