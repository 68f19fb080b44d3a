// bench/micro: the clock, arithmetic, chains against warps, barriers and shuffles.
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "bench/micro_lab.h"

enum { CHAINS = 8, STARTS = 8 };

static double known(double figure) { return figure > 0 ? figure : NAN; }

// ---- the clock -------------------------------------------------------------------------------------------

// 20 ms of all multiprocessors, which also bring the clocks up for what follows.
kz_status bench_micro_group_clock(bench_micro_lab *lab, kz_error *error) {
    bench_micro_job job =
        bench_micro_job_of(BENCH_MICRO_clock, "multiprocessor", "Hz", MICRO_MEMORY, "clock");
    if (!lab->timed || !bench_micro_goes_on(lab)) return KZ_OK;
    job.blocks = lab->multiprocessors;
    job.n = 20000000;
    job.nominal = known(lab->gpu.clock);
    bench_micro_point point = bench_micro_point_of(&job);
    for (int i = 0; i < 8 && !point.status; i++) {
        uint64_t taken[2] = {0};
        point.status = bench_micro_launch(lab, &job, &point.error);
        if (!point.status)
            point.status =
                kz_copy_to_host(lab->device, lab->stream, taken, lab->cycles, sizeof taken, &point.error);
        if (!point.status) point.status = kz_stream_synchronize(lab->device, lab->stream, &point.error);
        if (!point.status && taken[1] < job.n)
            point.status = base_fail(&point.error, KZ_WRONG, "the device's timer went %g ns in %g ns",
                                     (double)taken[1], (double)job.n);
        else if (!point.status && i > 2)
            point.samples[point.count++] = (double)taken[0] / (double)taken[1] * 1e9;
    }
    return bench_micro_hand_over(lab, &point, error);
}

// ---- fused multiply-adds -----------------------------------------------------------------------------------

typedef uint64_t (*step)(uint64_t bits);

static uint64_t step_f32(uint64_t bits) {
    uint32_t word = (uint32_t)bits;
    float x;
    memcpy(&x, &word, 4);
    x = fmaf(x, x, -1.8125f);
    memcpy(&word, &x, 4);
    return word;
}
static uint64_t step_f64(uint64_t bits) {
    double x;
    memcpy(&x, &bits, 8);
    x = fma(x, x, -1.8125);
    memcpy(&bits, &x, 8);
    return bits;
}
static uint64_t step_i32(uint64_t bits) { return (uint32_t)((uint32_t)bits * (uint32_t)bits + 0x9e3779b9u); }
// The square of 11 bits and the sum are exact in double: one rounding, as the instruction has it.
static uint64_t step_f16(uint64_t bits) {
    double x = base_f16_to_f32((uint16_t)bits);
    return base_f64_to_f16(x * x - 1.8125) * 0x10001u;
}
static uint64_t step_bf16(uint64_t bits) {
    double x = base_bf16_to_f32((uint16_t)bits);
    return base_f64_to_bf16(x * x - 1.8125) * 0x10001u;
}

typedef enum start_kind { START_F32, START_F64, START_I32, START_F16, START_BF16 } start_kind;

static uint64_t start_of(start_kind kind, uint32_t lane, uint32_t chain) {
    uint32_t number = 1 + lane % STARTS + STARTS * chain, word;
    float x = (float)number / 128.0f;
    double wide = number / 128.0;
    uint64_t bits;
    memcpy(&word, &x, 4);
    memcpy(&bits, &wide, 8);
    switch (kind) {
    case START_F32: return word;
    case START_F64: return bits;
    case START_I32: return number;
    case START_F16: return base_f32_to_f16(x) * 0x10001u;
    case START_BF16: return base_f32_to_bf16(x) * 0x10001u;
    }
    return 0;
}

typedef struct rate {
    const char *name, *entry, *unit;
    bench_micro_file file;
    start_kind start;
    step step;   // NULL for a special function
    double rest; // where a special function comes to rest
    uint32_t turns;
    double per_step; // flops or operations of a thread's instruction
} rate;

static const rate rates[] = {
    {"fma_f32", "fma_f32", "FLOP/s", MICRO_ARITHMETIC, START_F32, step_f32, 0, 512, 2},
    {"fma_f64", "fma_f64", "FLOP/s", MICRO_ARITHMETIC, START_F64, step_f64, 0, 256, 2},
    {"fma_f16x2", "fma_f16x2", "FLOP/s", MICRO_ARITHMETIC, START_F16, step_f16, 0, 512, 4},
    {"fma_bf16x2", "fma_bf16x2", "FLOP/s", MICRO_BF16, START_BF16, step_bf16, 0, 512, 4},
    {"mad_i32", "fma_i32", "op/s", MICRO_ARITHMETIC, START_I32, step_i32, 0, 256, 2},
    {"special_ex2", "special_ex2", "op/s", MICRO_ARITHMETIC, START_F32, NULL, 0.6411857445, 64, 1},
    {"special_rsqrt", "special_rsqrt", "op/s", MICRO_ARITHMETIC, START_F32, NULL, 1.0, 64, 1},
    {"special_cos", "special_cos", "op/s", MICRO_ARITHMETIC, START_F32, NULL, 0.7390851332, 64, 1},
};

static const rate *rate_of(const bench_micro_job *job) {
    for (size_t i = 0; i < BASE_COUNT(rates); i++)
        if (strcmp(rates[i].name, job->name) == 0) return &rates[i];
    return NULL;
}

// What thread `lane` leaves: the eight chains, shifted and folded together.
static uint32_t chains_end(const rate *r, uint32_t lane, uint32_t steps) {
    uint32_t folded = 0;
    for (uint32_t chain = 0; chain < CHAINS; chain++) {
        uint64_t bits = start_of(r->start, lane, chain);
        for (uint32_t i = 0; i < steps; i++) bits = r->step(bits);
        folded ^= ((uint32_t)bits ^ (uint32_t)(bits >> 32)) << chain;
    }
    return folded;
}

static bool right_chains(bench_micro_lab *lab, const bench_micro_job *job) {
    const rate *r = rate_of(job);
    uint32_t expected[STARTS];
    for (uint32_t lane = 0; lane < STARTS; lane++)
        expected[lane] = chains_end(r, lane, job->turns * MICRO_STEPS / CHAINS);
    for (uint32_t i = 0; i < job->values; i++)
        if (lab->host_values[i] != expected[i % 32 % STARTS]) return false;
    return true;
}

// All chains end at the same number, or one beside it: what they fold to is among what such numbers fold to. Eight
// chains of one value x fold to x ^ x << 1 ^ ... ^ x << 7, which is undone from the lowest bit up.
static bool right_special(bench_micro_lab *lab, const bench_micro_job *job) {
    double rest = rate_of(job)->rest;
    for (uint32_t i = 0; i < job->values; i++) {
        uint32_t folded = lab->host_values[i], word = 0;
        for (int bit = 0; bit < 32; bit++) {
            uint32_t parity = folded >> bit & 1;
            for (int c = 1; c < CHAINS && c <= bit; c++) parity ^= word >> (bit - c) & 1;
            word |= parity << bit;
        }
        float x;
        memcpy(&x, &word, 4);
        if (!(fabs(x - rest) < 1e-4)) return false;
    }
    return true;
}

static double nominal_of(const bench_micro_lab *lab, const char *name) {
    if (strcmp(name, "fma_f32") == 0) return known(lab->gpu.flops_f32);
    if (strcmp(name, "fma_f64") == 0) return known(lab->gpu.flops_f64);
    if (strcmp(name, "fma_f16x2") == 0) return known(lab->gpu.flops_f16);
    return NAN;
}

kz_status bench_micro_group_arithmetic(bench_micro_lab *lab, kz_error *error) {
    kz_status status = KZ_OK;
    for (size_t i = 0; i < BASE_COUNT(rates) && !status; i++) {
        const rate *r = &rates[i];
        bench_micro_job job = bench_micro_job_of(BENCH_MICRO_arithmetic, r->name, r->unit, r->file, r->entry);
        job.blocks = lab->timed ? lab->multiprocessors * 8 : 1;
        job.threads = lab->timed ? 256 : 64;
        job.turns = lab->timed ? r->turns : r->step ? 1 : 2;
        job.work = (double)job.blocks * job.threads * job.turns * MICRO_STEPS * r->per_step;
        job.values = job.blocks * job.threads;
        job.right = r->step ? right_chains : right_special;
        job.nominal = nominal_of(lab, r->name);
        status = bench_micro_measure(lab, &job, error);
    }
    return status;
}

// ---- chains against warps ------------------------------------------------------------------------------------

enum { CHAIN_STEPS = 128 };

static bool right_ilp(bench_micro_lab *lab, const bench_micro_job *job) {
    uint32_t expected[STARTS] = {0}, chains = (uint32_t)job->x;
    for (uint32_t lane = 0; lane < STARTS; lane++)
        for (uint32_t c = 0; c < chains; c++) {
            uint64_t bits = start_of(START_F32, lane, c);
            for (uint32_t i = 0; i < job->turns * CHAIN_STEPS / chains; i++) bits = step_f32(bits);
            expected[lane] ^= (uint32_t)bits;
        }
    for (uint32_t i = 0; i < job->values; i++)
        if (lab->host_values[i] != expected[i % 32 % STARTS]) return false;
    return true;
}

kz_status bench_micro_group_ilp(bench_micro_lab *lab, kz_error *error) {
    static const char *const entries[] = {"chains_1", "chains_2", "chains_4", "chains_8"};
    kz_status status = KZ_OK;
    for (int i = 0; i < 4; i++)
        for (uint32_t warps = 1; warps <= 32 && !status; warps *= 2) {
            if (!lab->timed && warps > 2) break;
            bench_micro_job job =
                bench_micro_job_of(BENCH_MICRO_ilp, "fma_f32", "/cycle", MICRO_ARITHMETIC, entries[i]);
            job.threads = 32 * warps;
            job.x = 1 << i;
            job.y = warps;
            job.turns = bench_micro_turns(lab, 64);
            job.work = (double)job.turns * CHAIN_STEPS * job.threads;
            job.by_clock = job.per_cycle = true;
            job.nominal = known(lab->gpu.flops_f32 / 2 / lab->gpu.multiprocessors / lab->gpu.clock);
            job.values = job.threads;
            job.right = right_ilp;
            status = bench_micro_measure(lab, &job, error);
        }
    return status;
}

// ---- barriers and shuffles -----------------------------------------------------------------------------------

static bool right_barrier(bench_micro_lab *lab, const bench_micro_job *job) {
    for (uint32_t i = 0; i < job->values; i++)
        if (lab->host_values[i] != job->turns) return false;
    return true;
}
static bool right_shuffle(bench_micro_lab *lab, const bench_micro_job *job) {
    for (uint32_t i = 0; i < job->values; i++) {
        uint32_t lane = (i + job->turns * 4) % 32; // a quarter of 16 for each chain
        if (lab->host_values[i] != lane + 3 * (lane + 32) + 5 * (lane + 64) + 7 * (lane + 96)) return false;
    }
    return true;
}
static bool right_shuffle_latency(bench_micro_lab *lab, const bench_micro_job *job) {
    for (uint32_t i = 0; i < job->values; i++)
        if (lab->host_values[i] != (i + job->turns * MICRO_UNROLL) % 32) return false;
    return true;
}
static bool right_vote(bench_micro_lab *lab, const bench_micro_job *job) { // an even number of complements
    for (uint32_t i = 0; i < job->values; i++)
        if (lab->host_values[i] != 0x5a5a00ffu) return false;
    return true;
}

static kz_status sync_job(bench_micro_lab *lab, const char *name, const char *entry, uint32_t warps,
                          uint32_t unroll, double per_warp, bool by_warps,
                          bool (*right)(bench_micro_lab *, const bench_micro_job *), kz_error *error) {
    bench_micro_job job = bench_micro_job_of(BENCH_MICRO_sync, name, "cycles", MICRO_SHARED, entry);
    job.threads = 32 * warps;
    job.x = by_warps ? warps : (double)NAN;
    job.turns = bench_micro_turns(lab, 256);
    job.work = (double)job.turns * unroll * per_warp;
    job.by_clock = true;
    job.values = job.threads;
    job.right = right;
    return bench_micro_measure(lab, &job, error);
}

kz_status bench_micro_group_sync(bench_micro_lab *lab, kz_error *error) {
    kz_status status = KZ_OK;
    for (uint32_t warps = 1; warps <= 32 && !status; warps *= 2)
        status = sync_job(lab, "barrier", "barrier", warps, MICRO_UNROLL, 1, true, right_barrier, error);
    if (!status)
        status = sync_job(lab, "shuffle_latency", "shuffle_latency", 1, MICRO_UNROLL, 1, false,
                          right_shuffle_latency, error);
    if (!status)
        status = sync_job(lab, "shuffle", "shuffle", 32, 2 * MICRO_UNROLL, 32, false, right_shuffle, error);
    if (!status)
        status = sync_job(lab, "vote_latency", "vote_latency", 1, MICRO_UNROLL, 1, false, right_vote, error);
    return status;
}
