// bench/micro: memories: bandwidth, latency by chases, reach of the translations, banks, atomics.
#include <math.h>

#include "base/base.h"
#include "bench/micro_lab.h"

static const uint32_t WORD = 0x9e3779b1; // word i of the data is i * WORD + what was added: see memory.cu
static const size_t MANY = (size_t)1 << 30;

// ---- what the kernels leave -----------------------------------------------------------------------------

static uint32_t sum_of(const bench_micro_lab *lab, uint32_t count) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < count; i++) sum += lab->host_values[i];
    return sum;
}

// The sum of the words of n pieces to which `add` was added; modulo 2^32, as the kernels add.
static uint32_t words_sum(uint64_t n, uint32_t add) {
    uint64_t words = 4 * n;
    uint32_t pairs = (uint32_t)(words % 2 ? (words - 1) / 2 * words : words / 2 * (words - 1));
    return WORD * pairs + add * (uint32_t)words;
}

static bool right_read(bench_micro_lab *lab, const bench_micro_job *job) {
    return sum_of(lab, job->values) == job->turns * words_sum(job->n, 1);
}

// Reading adds up in slots that begin as 0.
static kz_status zero_sums(bench_micro_lab *lab, const bench_micro_job *job, kz_error *error) {
    return kz_memory_fill(lab->device, lab->stream, lab->values, 0, MICRO_SUMS * sizeof(uint32_t), error);
}

// Reads n pieces from `first` on and compares with the words that should be there.
static bool holds(bench_micro_lab *lab, const bench_micro_job *job, uint64_t first, uint32_t add) {
    bench_micro_job read = bench_micro_job_of(job->group, "", "", MICRO_MEMORY, "read");
    read.blocks = lab->multiprocessors * 2;
    read.threads = MICRO_THREADS;
    read.n = job->n;
    kz_ptr data = lab->data;
    kz_status status = zero_sums(lab, job, NULL);
    lab->data += first * 16;
    if (!status) status = bench_micro_launch(lab, &read, NULL);
    lab->data = data;
    if (!status)
        status = kz_copy_to_host(lab->device, lab->stream, lab->host_values, lab->values,
                                 MICRO_SUMS * sizeof(uint32_t), NULL);
    if (!status) status = kz_stream_synchronize(lab->device, lab->stream, NULL);
    return !status && sum_of(lab, MICRO_SUMS) == words_sum(job->n, add);
}
static bool right_write(bench_micro_lab *lab, const bench_micro_job *job) {
    return holds(lab, job, 0, job->a + job->turns - 1);
}
static bool right_copy(bench_micro_lab *lab, const bench_micro_job *job) {
    return holds(lab, job, job->n, 1);
}

// ---- bandwidth ------------------------------------------------------------------------------------------

// Fills the first n pieces with their words, 1 added.
static kz_status fill(bench_micro_lab *lab, uint64_t n, kz_error *error) {
    bench_micro_job write = bench_micro_job_of(BENCH_MICRO_bandwidth, "", "", MICRO_MEMORY, "write");
    write.blocks = lab->multiprocessors * 2;
    write.threads = MICRO_THREADS;
    write.n = n;
    return bench_micro_launch(lab, &write, error);
}

// A whole number of chunks for each of four blocks on a multiprocessor, so that all have as much to do; at least one.
static uint64_t pieces_near(const bench_micro_lab *lab, size_t bytes) {
    uint64_t round = (uint64_t)lab->multiprocessors * 4 * MICRO_CHUNK_BYTES;
    uint64_t rounds = (bytes + round / 2) / round;
    return (rounds ? rounds : 1) * round / 16;
}

typedef enum stream_kind { STREAM_READ, STREAM_WRITE, STREAM_COPY } stream_kind;

static bench_micro_job stream_job(const bench_micro_lab *lab, const char *name, stream_kind kind, uint64_t n,
                                  uint32_t turns) {
    static const char *const entries[] = {"read", "write", "copy"};
    static bool (*const right[])(bench_micro_lab *, const bench_micro_job *) = {right_read, right_write,
                                                                                right_copy};
    bench_micro_job job = bench_micro_job_of(BENCH_MICRO_bandwidth, name, "B/s", MICRO_MEMORY, entries[kind]);
    job.blocks = lab->multiprocessors * 2;
    job.threads = MICRO_THREADS;
    job.n = n;
    job.turns = turns;
    job.work = (double)n * 16 * turns * (kind == STREAM_COPY ? 2 : 1);
    job.right = right[kind];
    if (kind == STREAM_READ) {
        job.values = MICRO_SUMS;
        job.prepare = zero_sums;
    }
    return job;
}

// The best of three shapes: two blocks on a multiprocessor, four, and a block for every chunk. A launch takes a
// millisecond or so: what starts and ends it is then nothing beside it. DRAM is gone over once; what is in L2 again and
// again, and there a block for every chunk would have the next turn's bytes in its own L1.
static kz_status stream(bench_micro_lab *lab, const char *name, stream_kind kind, size_t bytes, bool by_size,
                        double nominal, kz_error *error) {
    uint64_t n = pieces_near(lab, bytes), chunks = n * 16 / MICRO_CHUNK_BYTES;
    if (n * 16 * (kind == STREAM_COPY ? 2 : 1) > lab->data_bytes) return KZ_OK; // more than there is
    bool once = bytes >= MANY;
    double turns = once ? 1 : ceil(4e9 / ((double)n * 16));
    const uint32_t shapes[] = {lab->multiprocessors * 2, lab->multiprocessors * 4, (uint32_t)chunks};
    bench_micro_point best = {0}, point;
    kz_status status = fill(lab, n, error);
    for (size_t i = 0; i < BASE_COUNT(shapes) && !status && bench_micro_goes_on(lab); i++) {
        bench_micro_job job =
            stream_job(lab, name, kind, n, bench_micro_turns(lab, turns > 2000 ? 2000 : (uint32_t)turns));
        if (i == 2 && (!once || chunks > INT32_MAX)) break;
        job.blocks = shapes[i];
        job.x = by_size ? (double)n * 16 : (double)NAN;
        job.nominal = nominal;
        bench_micro_take(lab, &job, &point);
        if (i == 0 || point.status || point.value > best.value) best = point;
        if (point.status || !lab->timed) break;
    }
    return status || !best.unit[0] ? status : bench_micro_hand_over(lab, &best, error);
}

// The driver's own copy, timed like a kernel.
static kz_status copy_by_driver(bench_micro_lab *lab, size_t bytes, double nominal, kz_error *error) {
    bench_micro_job job =
        bench_micro_job_of(BENCH_MICRO_bandwidth, "dram_copy_driver", "B/s", MICRO_MEMORY, "copy");
    job.blocks = lab->multiprocessors * 2;
    job.threads = MICRO_THREADS;
    job.n = pieces_near(lab, bytes);
    job.nominal = nominal;
    if (!bench_micro_goes_on(lab) || job.n * 32 > lab->data_bytes) return lab->fatal;
    bench_micro_point point = bench_micro_point_of(&job);
    kz_status status = fill(lab, job.n, error);
    if (status) return status;
    kz_memory_fill(lab->device, lab->stream, lab->data + job.n * 16, 0, job.n * 16, NULL);
    for (int i = 0; i < 11 && !point.status; i++) {
        double seconds = 0;
        if (lab->timed) point.status = kz_event_record(lab->device, lab->start, lab->stream, &point.error);
        if (!point.status)
            point.status = kz_copy_on_device(lab->device, lab->stream, lab->data + job.n * 16, lab->data,
                                             job.n * 16, &point.error);
        if (!point.status && lab->timed)
            point.status = kz_event_record(lab->device, lab->stop, lab->stream, &point.error);
        if (!point.status) point.status = kz_stream_synchronize(lab->device, lab->stream, &point.error);
        if (!lab->timed) break;
        if (!point.status)
            point.status = kz_event_elapsed(lab->device, lab->start, lab->stop, &seconds, &point.error);
        if (i && seconds > 0) point.samples[point.count++] = 32.0 * (double)job.n / seconds;
    }
    if (!point.status && !right_copy(lab, &job))
        point.status = base_fail(&point.error, KZ_WRONG, "the driver's copy differs from what was copied");
    return bench_micro_hand_over(lab, &point, error);
}

// Two chunks by turns.
static bool right_l1(bench_micro_lab *lab, const bench_micro_job *job) {
    return sum_of(lab, job->values) ==
           job->blocks * (job->turns / 2) * words_sum(2 * MICRO_CHUNK_BYTES / 16, 1);
}

// Word i of a piece p of the tile is p times 1, 3, 5, 7: see shared.cu.
static bool right_shared_read(bench_micro_lab *lab, const bench_micro_job *job) {
    for (uint32_t i = 0; i < job->values; i++) {
        uint32_t t = i % MICRO_THREADS, sum = 0;
        for (uint32_t k = 0; k < 4; k++) sum += 16 * (t + k * MICRO_THREADS);
        if (lab->host_values[i] != sum * job->turns) return false;
    }
    return true;
}
static bool right_shared_write(bench_micro_lab *lab, const bench_micro_job *job) {
    for (uint32_t i = 0; i < job->values; i++)
        if (lab->host_values[i] != 4 * (16 * (i % MICRO_THREADS) + job->turns)) return false;
    return true;
}

static bool right_shared_copy(bench_micro_lab *lab, const bench_micro_job *job) {
    for (uint32_t i = 0; i < job->values; i++) {
        uint32_t t = i % MICRO_THREADS;
        if (lab->host_values[i] != 16 * (2 * t + MICRO_THREADS) + 2 * job->turns) return false;
    }
    return true;
}

static kz_status on_chip(bench_micro_lab *lab, const char *name, bench_micro_file file, const char *entry,
                         bool (*right)(bench_micro_lab *, const bench_micro_job *), double nominal,
                         kz_error *error) {
    bench_micro_job job = bench_micro_job_of(BENCH_MICRO_bandwidth, name, "B/s", file, entry);
    job.blocks = lab->multiprocessors * 2;
    job.threads = MICRO_THREADS;
    job.turns = bench_micro_turns(lab, 4096);
    job.work = (double)job.blocks * MICRO_CHUNK_BYTES * job.turns;
    job.values = right == right_l1 ? MICRO_SUMS : job.blocks * job.threads;
    job.prepare = right == right_l1 ? zero_sums : NULL;
    job.n = 1;
    job.right = right;
    job.nominal = nominal;
    return bench_micro_measure(lab, &job, error);
}

// Reading against the size of what is read: where L2 ends.
static kz_status read_by_size(bench_micro_lab *lab, kz_error *error) {
    kz_status status = KZ_OK;
    uint64_t last = 0;
    for (size_t bytes = (size_t)12 << 20; bytes <= MANY && !status && bench_micro_goes_on(lab);
         bytes = bytes / 4 * 5) {
        uint64_t n = pieces_near(lab, bytes);
        if (n == last || n * 16 > lab->data_bytes) continue;
        last = n;
        status = stream(lab, "read_by_size", STREAM_READ, bytes, true, NAN, error);
    }
    return status;
}

static double known(double figure) { return figure > 0 ? figure : NAN; }

kz_status bench_micro_group_bandwidth(bench_micro_lab *lab, kz_error *error) {
    size_t dram = lab->data_bytes / 4 < 4 * MANY ? lab->data_bytes / 4 : 4 * MANY;
    size_t l2 = lab->info->l2_bytes / 4 < lab->data_bytes / 4 ? lab->info->l2_bytes / 4 : lab->data_bytes / 4;
    double bandwidth = known(lab->gpu.bandwidth);
    // 32 banks of 4 bytes on every multiprocessor since sm_50.
    double shared = known(128 * lab->gpu.multiprocessors * lab->gpu.clock);
    kz_status status = stream(lab, "dram_read", STREAM_READ, dram, false, bandwidth, error);
    if (!status) status = stream(lab, "dram_write", STREAM_WRITE, dram, false, bandwidth, error);
    if (!status) status = stream(lab, "dram_copy", STREAM_COPY, dram, false, bandwidth, error);
    if (!status) status = copy_by_driver(lab, dram, bandwidth, error);
    if (!status) status = stream(lab, "l2_read", STREAM_READ, l2, false, NAN, error);
    if (!status) status = stream(lab, "l2_write", STREAM_WRITE, l2, false, NAN, error);
    if (!status) status = stream(lab, "l2_copy", STREAM_COPY, l2 / 2, false, NAN, error);
    if (!status) status = fill(lab, 2 * MICRO_CHUNK_BYTES / 16, error);
    if (!status) status = on_chip(lab, "l1_read", MICRO_MEMORY, "read_l1", right_l1, NAN, error);
    if (!status)
        status = on_chip(lab, "shared_read", MICRO_SHARED, "shared_read", right_shared_read, shared, error);
    if (!status)
        status =
            on_chip(lab, "shared_write", MICRO_SHARED, "shared_write", right_shared_write, shared, error);
    if (!status)
        status = on_chip(lab, "shared_copy", MICRO_SHARED, "shared_copy", right_shared_copy, shared, error);
    if (!status && lab->timed) status = read_by_size(lab, error);
    return status;
}

// ---- latency ---------------------------------------------------------------------------------------------

static uint32_t ring_end(uint64_t slots, uint32_t factor, uint64_t steps) {
    uint64_t at = 0;
    for (uint64_t i = 0; i < steps; i++) at = ((uint64_t)factor * at + 7) % slots;
    return (uint32_t)at;
}

static bool right_ring(bench_micro_lab *lab, const bench_micro_job *job) {
    return lab->host_values[0] == ring_end(job->n, MICRO_RING_FACTOR, job->a + (uint64_t)job->turns * 8);
}
static bool right_small_ring(bench_micro_lab *lab, const bench_micro_job *job) {
    return lab->host_values[0] == ring_end(256, 13, job->a + (uint64_t)job->turns * 8);
}

// All of the ring is read before each launch: what fits into L2 is there then, and what does not is not.
static kz_status read_ring(bench_micro_lab *lab, const bench_micro_job *job, kz_error *error) {
    if (!lab->timed || job->b != MICRO_LINE) return KZ_OK;
    bench_micro_job read = bench_micro_job_of(job->group, "", "", MICRO_MEMORY, "read");
    read.blocks = lab->multiprocessors * 2;
    read.threads = MICRO_THREADS;
    read.n = job->n * MICRO_LINE / 16;
    return bench_micro_launch(lab, &read, error);
}

static kz_status chase(bench_micro_lab *lab, bench_micro_group group, const char *name, const char *entry,
                       uint64_t slots, uint32_t stride, bool by_size, kz_error *error) {
    bench_micro_job ring = bench_micro_job_of(group, "", "", MICRO_MEMORY, "ring");
    if (slots * stride > lab->data_bytes) return KZ_OK;
    ring.blocks = lab->multiprocessors * 2;
    ring.threads = MICRO_THREADS;
    ring.n = slots;
    ring.a = MICRO_RING_FACTOR;
    ring.b = stride;
    kz_status status = bench_micro_launch(lab, &ring, error);
    bench_micro_job job = bench_micro_job_of(group, name, "cycles", MICRO_MEMORY, entry);
    job.threads = 1;
    job.n = slots;
    job.b = stride;
    job.x = by_size ? (double)slots * stride : (double)NAN;
    job.a = lab->timed ? (uint32_t)(slots < 16384 ? slots : 1024) : 8;
    job.turns = bench_micro_turns(lab, 512);
    job.work = job.turns * 8.0;
    job.by_clock = true;
    job.values = 1;
    job.right = right_ring;
    job.prepare = read_ring;
    return status ? status : bench_micro_measure(lab, &job, error);
}

static kz_status chase_small(bench_micro_lab *lab, const char *name, bench_micro_file file, const char *entry,
                             kz_error *error) {
    bench_micro_job job = bench_micro_job_of(BENCH_MICRO_latency, name, "cycles", file, entry);
    job.threads = 1;
    job.cluster = file == MICRO_CLUSTER ? 2 : 0;
    job.blocks = job.cluster ? job.cluster : 1;
    job.a = lab->timed ? 512 : 8;
    job.turns = bench_micro_turns(lab, 512);
    job.work = job.turns * 8.0;
    job.by_clock = true;
    job.values = 1;
    job.right = right_small_ring;
    return bench_micro_measure(lab, &job, error);
}

// The host's memory, over the bus: the ring lies there for as long as it is followed.
static kz_status chase_host(bench_micro_lab *lab, kz_error *error) {
    kz_ptr data = lab->data, host;
    size_t bytes = lab->data_bytes, host_bytes = (size_t)MICRO_HOST_LINES * MICRO_LINE;
    bench_micro_job job = bench_micro_job_of(BENCH_MICRO_latency, "host", "cycles", MICRO_MEMORY, "chase_l2");
    bench_micro_point point = bench_micro_point_of(&job);
    point.status = kz_memory_alloc_host(lab->device, host_bytes, true, &host, &point.error);
    if (point.status) return bench_micro_hand_over(lab, &point, error);
    lab->data = host;
    lab->data_bytes = host_bytes;
    kz_status status = chase(lab, job.group, job.name, job.entry, MICRO_HOST_LINES, MICRO_LINE, false, error);
    lab->data = data;
    lab->data_bytes = bytes;
    kz_memory_free(lab->device, host, NULL);
    return status;
}

kz_status bench_micro_group_latency(bench_micro_lab *lab, kz_error *error) {
    size_t most = lab->data_bytes < MANY ? lab->data_bytes : MANY;
    uint64_t lines = most / MICRO_LINE, dram = 1;
    while (2 * dram <= lines) dram *= 2;
    kz_status status = chase_small(lab, "shared", MICRO_MEMORY, "chase_shared", error);
    if (!status) status = chase_small(lab, "distributed", MICRO_CLUSTER, "chase_distributed", error);
    if (!status) status = chase_small(lab, "constant", MICRO_MEMORY, "chase_constant", error);
    if (!status) status = chase_small(lab, "local", MICRO_MEMORY, "chase_local", error);
    if (!status) status = chase(lab, BENCH_MICRO_latency, "l1", "chase_l1", 128, MICRO_LINE, false, error);
    if (!status)
        status = chase(lab, BENCH_MICRO_latency, "l2", "chase_l2", lab->timed ? 32768 : 256, MICRO_LINE,
                       false, error);
    if (!status)
        status = chase(lab, BENCH_MICRO_latency, "dram", "chase_l2", lab->timed ? dram : 512, MICRO_LINE,
                       false, error);
    if (!status) status = chase_host(lab, error);
    // 2^k and 3 * 2^k lines: the staircase.
    for (uint64_t n = 32; n <= lines && !status && bench_micro_goes_on(lab); n *= 2) {
        if (!lab->timed && n > 256) break;
        status = chase(lab, BENCH_MICRO_latency, "by_size", "chase_l1", n, MICRO_LINE, true, error);
        if (!status && n / 2 * 3 <= lines)
            status =
                chase(lab, BENCH_MICRO_latency, "by_size", "chase_l1", n / 2 * 3, MICRO_LINE, true, error);
    }
    return status;
}

// A line more than 2 MiB, so that the lines do not all fall into the same sets of L2.
kz_status bench_micro_group_tlb(bench_micro_lab *lab, kz_error *error) {
    uint32_t stride = lab->timed ? (2 << 20) + MICRO_LINE : 4096 + MICRO_LINE;
    kz_status status = KZ_OK;
    for (uint64_t n = 8; n <= 8192 && !status && bench_micro_goes_on(lab); n *= 2) {
        if (!lab->timed && n > 64) break;
        status = chase(lab, BENCH_MICRO_tlb, "lines_2MiB_apart", "chase_l2", n, stride, true, error);
    }
    return status;
}

// ---- banks -----------------------------------------------------------------------------------------------

static bool right_banks(bench_micro_lab *lab, const bench_micro_job *job) {
    for (uint32_t i = 0; i < job->values; i++)
        if (lab->host_values[i] != job->turns * (8 * (i % 32) * job->a + 28)) return false;
    return true;
}

kz_status bench_micro_group_banks(bench_micro_lab *lab, kz_error *error) {
    kz_status status = KZ_OK;
    for (uint32_t stride = 0; stride <= 33 && !status; stride++) {
        bench_micro_job job = bench_micro_job_of(BENCH_MICRO_banks, "load", "cycles", MICRO_SHARED, "banks");
        job.threads = lab->timed ? 1024 : 64;
        job.a = stride;
        job.x = stride;
        job.turns = bench_micro_turns(lab, 256);
        job.work = (double)job.turns * MICRO_UNROLL * (job.threads / 32); // accesses of a warp
        job.by_clock = true;
        job.values = job.threads;
        job.right = right_banks;
        status = bench_micro_measure(lab, &job, error);
    }
    return status;
}

// ---- atomics ----------------------------------------------------------------------------------------------

// What was there is what is added next; both begin with `first`.
static uint32_t rabbits(uint32_t there, uint32_t steps) {
    uint32_t v = 1;
    for (uint32_t i = 0; i < steps; i++) {
        uint32_t old = there;
        there += v;
        v = old;
    }
    return v;
}
static bool right_latency_global(bench_micro_lab *lab, const bench_micro_job *job) {
    return lab->host_values[0] == rabbits(0, job->turns * MICRO_UNROLL);
}
static bool right_latency_shared(bench_micro_lab *lab, const bench_micro_job *job) {
    return lab->host_values[0] == rabbits(1, job->turns * MICRO_UNROLL);
}

static kz_status zero_counters(bench_micro_lab *lab, const bench_micro_job *job, kz_error *error) {
    return kz_memory_fill(lab->device, lab->stream, lab->data, 0, job->n * job->b * sizeof(uint32_t), error);
}

// Each address has its threads' additions, to the last one.
static bool right_counters(bench_micro_lab *lab, const bench_micro_job *job) {
    size_t words = job->n * job->b;
    kz_status status = kz_copy_to_host(lab->device, lab->stream, lab->host_values, lab->data,
                                       words * sizeof(uint32_t), NULL);
    if (!status) status = kz_stream_synchronize(lab->device, lab->stream, NULL);
    uint64_t threads = (uint64_t)job->blocks * job->threads;
    uint32_t each = (uint32_t)(threads / job->n) * job->turns * MICRO_UNROLL;
    for (size_t i = 0; i < words && !status; i++)
        if (lab->host_values[i] != (i % job->b ? 0 : each)) return false;
    return !status;
}

static kz_status add_global(bench_micro_lab *lab, const char *name, uint64_t addresses, uint32_t apart,
                            uint32_t together, kz_error *error) {
    bench_micro_job job = bench_micro_job_of(BENCH_MICRO_atomics, name, "op/s", MICRO_ATOMICS, "atomic");
    job.threads = MICRO_THREADS;
    job.blocks = lab->timed ? 256 : 2; // a power of two, so that every address has as many threads
    job.n = addresses;
    job.a = together;
    job.b = apart;
    job.x = (double)addresses;
    job.turns = bench_micro_turns(lab, 4);
    job.work = (double)job.blocks * job.threads * job.turns * MICRO_UNROLL;
    job.prepare = zero_counters;
    job.right = right_counters;
    return bench_micro_measure(lab, &job, error);
}

static bool right_shared_add(bench_micro_lab *lab, const bench_micro_job *job) {
    uint32_t each = job->threads / job->b * job->turns * MICRO_UNROLL;
    for (uint32_t i = 0; i < job->values; i++)
        if (lab->host_values[i] != (i < job->b ? each : 0)) return false;
    return true;
}

static kz_status add_shared(bench_micro_lab *lab, const char *name, const char *entry, uint32_t addresses,
                            uint32_t together, kz_error *error) {
    bench_micro_job job = bench_micro_job_of(BENCH_MICRO_atomics, name, "cycles", MICRO_SHARED, entry);
    job.threads = 1024;
    job.n = 1; // what is added
    job.a = together;
    job.b = addresses;
    job.x = addresses;
    job.turns = bench_micro_turns(lab, 64);
    job.work = (double)job.turns * MICRO_UNROLL * 32; // of a warp
    job.by_clock = true;
    job.values = job.threads;
    job.right = right_shared_add;
    return bench_micro_measure(lab, &job, error);
}

static bool right_distributed_add(bench_micro_lab *lab, const bench_micro_job *job) {
    uint32_t each = job->turns * MICRO_UNROLL * (job->threads / job->a);
    for (uint32_t i = 0; i < job->values; i++) {
        uint32_t thread = i % job->threads;
        if (lab->host_values[i] != thread + (thread < job->a ? each : 0)) return false;
    }
    return true;
}

// Two blocks, each in the other's memory.
static kz_status add_distributed(bench_micro_lab *lab, uint32_t addresses, kz_error *error) {
    bench_micro_job job = bench_micro_job_of(BENCH_MICRO_atomics, "distributed_add", "cycles", MICRO_CLUSTER,
                                             "distributed_add");
    job.blocks = job.cluster = 2;
    job.threads = 1024;
    job.a = addresses;
    job.x = addresses;
    job.turns = bench_micro_turns(lab, 64);
    job.work = (double)job.turns * MICRO_UNROLL * (job.threads / 32); // of a warp
    job.by_clock = true;
    job.values = job.blocks * job.threads;
    job.right = right_distributed_add;
    return bench_micro_measure(lab, &job, error);
}

static kz_status atomic_latency(bench_micro_lab *lab, bool shared, kz_error *error) {
    bench_micro_job job = bench_micro_job_of(
        BENCH_MICRO_atomics, shared ? "latency_shared" : "latency_global", "cycles",
        shared ? MICRO_SHARED : MICRO_ATOMICS, shared ? "shared_atomic_latency" : "atomic_latency");
    job.threads = 1;
    job.n = 1;
    job.turns = bench_micro_turns(lab, 128);
    job.work = (double)job.turns * MICRO_UNROLL;
    job.by_clock = true;
    job.values = 1;
    job.prepare = shared ? NULL : zero_counters;
    job.right = shared ? right_latency_shared : right_latency_global;
    return bench_micro_measure(lab, &job, error);
}

kz_status bench_micro_group_atomics(bench_micro_lab *lab, kz_error *error) {
    uint64_t threads = lab->timed ? 256 * MICRO_THREADS : 2 * MICRO_THREADS;
    kz_status status = atomic_latency(lab, false, error);
    if (!status) status = atomic_latency(lab, true, error);
    for (uint64_t n = 1; n < threads && !status; n *= 32) status = add_global(lab, "global", n, 1, 1, error);
    if (!status) status = add_global(lab, "global", threads, 1, 1, error);
    if (!status) status = add_global(lab, "global_one_per_warp", threads / 32, 8, 32, error);
    for (uint32_t n = 1; n <= 1024 && !status; n *= 32)
        status = add_shared(lab, "shared_add", "shared_add", n, 1, error);
    for (uint32_t n = 1; n <= 1024 && !status; n *= 32)
        status = add_shared(lab, "shared_increment", "shared_increment", n, 1, error);
    if (!status) status = add_shared(lab, "shared_add_one_per_warp", "shared_add", 32, 32, error);
    for (uint32_t n = 32; n <= 1024 && !status; n *= 32) status = add_distributed(lab, n, error);
    return status;
}
