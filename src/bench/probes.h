// bench/probes: the few kernels the bench itself needs: copy, read and write again as fast as memory allows, multiply and
// add as fast as the cores do.
//
// They are the measured peaks, and they prepare the caches: flushed by reading, for what a write leaves in L2 is dirty,
// and is written back at the expense of the kernel that is timed next.
#ifndef BENCH_PROBES_H
#define BENCH_PROBES_H

#include "kz/kz.h"

typedef struct bench_probes bench_probes;

// On devices without PTX (`cpu`) they are native code, on all cores. A driver without its PTX compiler has none: there
// flushes are fills, and copies the device's own.
kz_status bench_probes_open(kz_device *device, bench_probes **probes, kz_error *error);
void bench_probes_close(bench_probes *probes);
bool bench_probes_has_kernels(const bench_probes *probes); // those that are peaks
bool bench_probes_has_digests(const bench_probes *probes); // not on a CPU, which checks memory itself

// Whole 16-byte pieces of `bytes`; addresses on 16 bytes.
kz_status bench_probe_copy(bench_probes *probes, kz_stream *stream, kz_ptr to, kz_ptr from, size_t bytes,
                           kz_error *error);
kz_status bench_probe_read(bench_probes *probes, kz_stream *stream, kz_ptr from, size_t bytes,
                           kz_error *error);

// Fused multiply-adds in f32 on every multiprocessor, from registers alone; `flops` gets how many operations it
// is, two for each.
kz_status bench_probe_fma(bench_probes *probes, kz_stream *stream, double *flops, kz_error *error);

// A kernel that does nothing. KZ_UNSUPPORTED on a CPU, whose launches are calls.
bool bench_probes_has_empty(const bench_probes *probes);
kz_status bench_probe_empty(bench_probes *probes, kz_stream *stream, kz_error *error);

// Nothing that was used before stays in the caches: twice L2 is read (written, where nothing can read).
kz_status bench_probe_flush(bench_probes *probes, kz_stream *stream, kz_error *error);
size_t bench_probe_flush_bytes(const bench_probes *probes);
bool bench_probe_flush_reads(const bench_probes *probes);
// As many flushes as take `seconds` or more, so that what is enqueued next waits. Nothing on a CPU, which runs at once what
// is enqueued.
kz_status bench_probe_busy(bench_probes *probes, kz_stream *stream, double seconds, kz_error *error);
// The same memory written: the caches are full of lines that must be written back.
kz_status bench_probe_dirty(bench_probes *probes, kz_stream *stream, kz_error *error);
// Every byte written again with what it is, as if a kernel had just made it. Whole 16-byte pieces, as above.
kz_status bench_probe_rewrite(bench_probes *probes, kz_stream *stream, kz_ptr at, size_t bytes,
                              kz_error *error);
// A number that changes with any one piece, and by all but a chance of 2^-64 with several. Waits for the result.
// KZ_UNSUPPORTED on devices without those kernels.
kz_status bench_probe_digest(bench_probes *probes, kz_ptr from, size_t bytes, uint64_t *digest,
                             kz_error *error);

#endif
