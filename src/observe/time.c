// See time.h. Each constant says where it comes from; those calibrated are calibrated on tests/truth/times.cu (the set "fit")
// and to the zoo's times in results/h200.
#include "observe/time.h"

#include <math.h>

#include "observe/contention.h"
#include "observe/costs.h"

// Warp instructions per clock and SM: the CUDA Programming Guide, throughput of instructions, 9.0.
static const double SCHEDULERS = 4, FMA_RATE = 4, ALU_RATE = 2, SPECIAL_RATE = 0.5;
// Parts of the nominal bandwidth of DRAM that reads or writes alone reach, and what mixing them loses (kz microbench:
// 0.967, and 0.855 for a copy).
static const double DRAM_REACHED = 0.967, DRAM_MIXED = 0.224;
// Sectors per clock and SM that L2 sends and takes (kz microbench l2_read, l2_write); one that is filled in part takes
// four clocks (transpose/01_naive 3.9, transpose/02_coalesced_read 4.0). One SM by itself gets 64 bytes.
static const double L2_READ_RATE = 1.026, L2_WRITE_RATE = 0.514, L2_PARTIAL_CLOCKS = 4, L2_SM_RATE = 2;
// Shared memory of another block of the cluster: clocks of a request (kz microbench distributed_add).
static const double DISTRIBUTED_CLOCKS = 18;
// Clocks of the texture unit for a request: four texels at once.
static const double TEXTURE_CLOCKS = 8;
// Calibrated (constant_divergent): clocks for each further address of a load of constant memory.
static const double CONST_CLOCKS = 2.7;
// Calibrated: what starting a block takes besides its instructions, in clocks; how much resources overlap (the exponent of
// a norm); what DRAM takes to get going, from about which bytes on; what a stream needs to start and end a kernel.
static const double BLOCK_CLOCKS = 900, OVERLAP = 2, DRAM_START = 1.6e-6, DRAM_START_BYTES = 1e6,
                    LAUNCH_SECONDS = 2.3e-6, FIRST_BLOCK_SECONDS = 0.45e-6;

const char *observe_resource_name(observe_resource resource) {
    static const char *const names[] = {
#define OBSERVE_RESOURCE(id, name, title) name,
#include "observe/resources.def"
#undef OBSERVE_RESOURCE
    };
    return names[resource];
}

const char *observe_resource_title(observe_resource resource) {
    static const char *const titles[] = {
#define OBSERVE_RESOURCE(id, name, title) title,
#include "observe/resources.def"
#undef OBSERVE_RESOURCE
    };
    return titles[resource];
}

double observe_time_start(void) { return LAUNCH_SECONDS; }
double observe_time_empty(void) { return LAUNCH_SECONDS + FIRST_BLOCK_SECONDS; }

// ---- the machine that a launch has -------------------------------------------------------------------------------

typedef struct machine {
    double clock, sms, all_sms; // sms: those that have blocks
    double busiest;             // blocks of the SM that has most, of the average
    double waves;               // rounds in which blocks follow each other on an SM
    double threads;             // resident on an SM
    double share;
} machine;

static machine describe(const observe_launch *launch) {
    const observe_gpu *gpu = launch->gpu;
    const observe_occupancy_input *shape = &launch->shape;
    observe_occupancy_result o = observe_occupancy(gpu, shape);
    double blocks = fmax(1, (double)shape->blocks), resident = fmax(1, o.blocks);
    machine m = {.clock = gpu->clock > 0 ? gpu->clock : 1e9, .all_sms = fmax(1, gpu->multiprocessors)};
    m.sms = fmin(m.all_sms, blocks);
    m.busiest = ceil(blocks / m.all_sms) / (blocks / m.sms);
    // A block that ends makes room for the next at once: rounds are whole only where there are few.
    double each = ceil(blocks / m.all_sms);
    m.waves = fmax(1, each <= 2 * resident ? ceil(each / resident) : each / resident);
    m.share = o.waves > 0 && o.waves < 1 ? o.waves : 1;
    m.threads = shape->threads * fmin(resident, each);
    return m;
}

// ---- the resources -------------------------------------------------------------------------------------------------

static double sum_of(const observe_sums *s, observe_sum_index index) { return (double)s->value[index]; }

static double l1_clocks(const observe_sums *s) {
    static const observe_sum_index wavefronts[] = {OBSERVE_SUM_L1_WAVEFRONTS,
                                                   OBSERVE_SUM_SHARED_LD_WAVEFRONTS,
                                                   OBSERVE_SUM_SHARED_ST_WAVEFRONTS,
                                                   OBSERVE_SUM_SHARED_ATOM_WAVEFRONTS,
                                                   OBSERVE_SUM_SHARED_LDGSTS_WAVEFRONTS,
                                                   OBSERVE_SUM_SHUFFLES};
    double clocks = 0,
           bulk = sum_of(s, OBSERVE_SUM_BULK_GLOBAL_LD_BYTES) + sum_of(s, OBSERVE_SUM_BULK_GLOBAL_ST_BYTES);
    for (size_t i = 0; i < BASE_COUNT(wavefronts); i++) clocks += sum_of(s, wavefronts[i]);
    // Different addresses of constant memory are served one after another; one that the code names is an operand.
    clocks += sum_of(s, OBSERVE_SUM_PIPE_CONST) +
              CONST_CLOCKS * (sum_of(s, OBSERVE_SUM_CONST_DISTINCT) - sum_of(s, OBSERVE_SUM_CONST_REQUESTS));
    clocks += sum_of(s, OBSERVE_SUM_DISTRIBUTED_REQUESTS) * DISTRIBUTED_CLOCKS;
    // Copy engine and warpgroups' products move 128 bytes of shared memory in a clock.
    bulk += sum_of(s, OBSERVE_SUM_GROUP_BYTES);
    return clocks + bulk / 128 + sum_of(s, OBSERVE_SUM_INST_LOAD_TEXTURE) * TEXTURE_CLOCKS;
}

static double l2_clocks(const observe_sums *s, const machine *m, double spilled) {
    double reads = sum_of(s, OBSERVE_SUM_L2_READS) + spilled / 2,
           writes = sum_of(s, OBSERVE_SUM_L2_WRITES) + spilled / 2,
           partial = sum_of(s, OBSERVE_SUM_L2_PARTIAL);
    double sent = reads / L2_READ_RATE,
           taken = (writes - partial) / L2_WRITE_RATE + partial * L2_PARTIAL_CLOCKS;
    return fmax(fmax(sent, taken) / m->all_sms, (reads + writes) / L2_SM_RATE / m->sms);
}

typedef struct dram_time {
    double start, moving; // seconds
} dram_time;

static dram_time dram_of(const observe_gpu *gpu, const observe_sums *s, double launches) {
    double reads = sum_of(s, OBSERVE_SUM_DRAM_READ), writes = sum_of(s, OBSERVE_SUM_WRITTEN_BACK);
    double bytes = reads + writes + sum_of(s, OBSERVE_SUM_DRAM_ISOLATED);
    if (bytes <= 0 || gpu->bandwidth <= 0) return (dram_time){0};
    double reached = DRAM_REACHED - DRAM_MIXED * fmin(reads, writes) / (reads + writes);
    return (dram_time){.start = DRAM_START * bytes / (bytes + launches * DRAM_START_BYTES),
                       .moving = bytes / (gpu->bandwidth * reached) / launches};
}

// Each path at its own peak, sparse ones at twice it; mma gets a part of it on sm_90, wgmma all.
static double tensor_seconds(const observe_gpu *gpu, const observe_sums *s) {
    static const struct {
        observe_sum_index ops;
        observe_tensor_type type;
        bool sparse;
    } paths[] = {
#define OBSERVE_TENSOR_PATH(id, path, type, sparse) {OBSERVE_SUM_PATH_##id, OBSERVE_TENSOR_##type, sparse},
#include "observe/tensor.def"
    };
    double seconds = 0, all = 0;
    for (size_t i = 0; i < BASE_COUNT(paths); i++) {
        double ops = sum_of(s, paths[i].ops), peak = gpu->tensor[paths[i].type] * (paths[i].sparse ? 2 : 1);
        all += ops;
        if (peak > 0) seconds += ops / peak;
    }
    double by_warps = all > 0 ? 1 - sum_of(s, OBSERVE_SUM_GROUP_OPS) / all : 0;
    return gpu->sm < 90 ? seconds : seconds * (1 + fmax(0, by_warps) * (100.0 / OBSERVE_MMA_PERCENT - 1));
}

static double pipe_seconds(double slots, double flops, double sms, double all_sms) {
    return flops > 0 ? slots * 64 / (flops * sms / all_sms) : 0; // 32 lanes, and a fused multiply-add is two
}

// Spilled registers go through L1; what does not fit there goes on to L2, four sectors for each request.
typedef struct spill_traffic {
    double wavefronts, sectors;
} spill_traffic;

double observe_time_spills(const observe_launch *launch, const observe_sums *sums) {
    return sum_of(sums, OBSERVE_SUM_HOTTEST) * launch->code.spills;
}

static spill_traffic spills_of(const observe_launch *launch, const machine *m, const observe_sums *s) {
    spill_traffic spilled = {.wavefronts = observe_time_spills(launch, s)};
    double room = fmax(0, (double)launch->gpu->l1_bytes - launch->shape.shared_static -
                              launch->shape.shared_dynamic),
           wanted = launch->code.spill_bytes * m->threads;
    if (wanted > room) spilled.sectors = 4 * spilled.wavefronts * (1 - room / wanted);
    return spilled;
}

static void resources_of(const observe_launch *launch, const machine *m, const observe_sums *s, double *r) {
    const observe_gpu *gpu = launch->gpu;
    double launches = launch->count;
    spill_traffic spilled = spills_of(launch, m, s);
    double per_sm = m->sms * m->clock * launches / m->busiest;
    for (int i = 0; i < OBSERVE_RESOURCES; i++) r[i] = 0;
    dram_time dram = dram_of(gpu, s, launches);
    r[OBSERVE_BY_DRAM] = dram.start + dram.moving;
    r[OBSERVE_BY_L2] = (l2_clocks(s, m, spilled.sectors) +
                        sum_of(s, OBSERVE_SUM_ATOMIC_CLOCKS) / OBSERVE_ATOMIC_UNIT / OBSERVE_ATOMIC_SLICES) /
                       (m->clock * launches);
    r[OBSERVE_BY_L1] = (l1_clocks(s) + spilled.wavefronts) / per_sm;
    r[OBSERVE_BY_ISSUE] = sum_of(s, OBSERVE_SUM_ISSUE) / SCHEDULERS / per_sm;
    r[OBSERVE_BY_FP32] = sum_of(s, OBSERVE_SUM_PIPE_FMA) / FMA_RATE / per_sm;
    r[OBSERVE_BY_INTEGER] = sum_of(s, OBSERVE_SUM_PIPE_ALU) / ALU_RATE / per_sm;
    r[OBSERVE_BY_SPECIAL] = sum_of(s, OBSERVE_SUM_PIPE_SPECIAL) / SPECIAL_RATE / per_sm;
    double busy = m->sms / m->busiest * launches;
    r[OBSERVE_BY_FP64] = pipe_seconds(sum_of(s, OBSERVE_SUM_PIPE_FP64), gpu->flops_f64, busy, m->all_sms);
    r[OBSERVE_BY_FP16] = pipe_seconds(2 * sum_of(s, OBSERVE_SUM_PIPE_FP16), gpu->flops_f16, busy, m->all_sms);
    r[OBSERVE_BY_TENSOR] = tensor_seconds(gpu, s) / (busy / m->all_sms);
}

static double waits_of(const machine *m, const observe_sums *all) {
    double blocks = sum_of(all, OBSERVE_SUM_SAMPLED_BLOCKS), clocks = sum_of(all, OBSERVE_SUM_SAMPLED_CLOCKS);
    return m->waves * (blocks > 0 ? clocks / blocks : 0) / m->clock;
}

// What an SM issues goes to one pipe or another at the same time, and a block waits after it was started. Memory,
// waiting and computing overlap, but not wholly.
static double combine(const double resource[OBSERVE_RESOURCES]) {
    static const observe_resource pipes[] = {OBSERVE_BY_ISSUE, OBSERVE_BY_FP32, OBSERVE_BY_INTEGER,
                                             OBSERVE_BY_FP64,  OBSERVE_BY_FP16, OBSERVE_BY_SPECIAL,
                                             OBSERVE_BY_TENSOR};
    static const observe_resource memories[] = {OBSERVE_BY_DRAM, OBSERVE_BY_L2, OBSERVE_BY_L1,
                                                OBSERVE_BY_ATOMICS};
    double computing = 0;
    for (size_t i = 0; i < BASE_COUNT(pipes); i++) computing = fmax(computing, resource[pipes[i]]);
    double norm =
        pow(computing, OVERLAP) + pow(resource[OBSERVE_BY_LATENCY] + resource[OBSERVE_BY_BLOCKS], OVERLAP);
    for (size_t i = 0; i < BASE_COUNT(memories); i++) norm += pow(resource[memories[i]], OVERLAP);
    return pow(norm, 1 / OVERLAP);
}

observe_time observe_time_of(const observe_launch *launch, const observe_sums *sums) {
    machine m = describe(launch);
    observe_time t = {.share = m.share, .dram_start = dram_of(launch->gpu, sums, launch->count).start};
    resources_of(launch, &m, sums, t.resource);
    t.resource[OBSERVE_BY_ATOMICS] =
        sum_of(sums, OBSERVE_SUM_ATOMIC_MOST) / OBSERVE_ATOMIC_UNIT / (m.clock * launch->count);
    t.resource[OBSERVE_BY_LATENCY] = waits_of(&m, sums);
    t.resource[OBSERVE_BY_BLOCKS] = m.waves * BLOCK_CLOCKS / m.clock;
    t.kernel = combine(t.resource);
    t.launch = LAUNCH_SECONDS + t.kernel;
    return t;
}

void observe_time_of_part(const observe_launch *launch, const observe_sums *all, const observe_sums *part,
                          double resource[OBSERVE_RESOURCES]) {
    machine m = describe(launch);
    observe_launch unspilled = *launch; // where spills are is not in the counts
    unspilled.code.spills = 0;
    resources_of(&unspilled, &m, part, resource);
    double units = sum_of(all, OBSERVE_SUM_ATOMIC_CLOCKS), waits = sum_of(all, OBSERVE_SUM_WAITS);
    observe_time whole = observe_time_of(launch, all);
    if (units > 0)
        resource[OBSERVE_BY_ATOMICS] =
            whole.resource[OBSERVE_BY_ATOMICS] * sum_of(part, OBSERVE_SUM_ATOMIC_CLOCKS) / units;
    if (waits > 0)
        resource[OBSERVE_BY_LATENCY] =
            whole.resource[OBSERVE_BY_LATENCY] * sum_of(part, OBSERVE_SUM_WAITS) / waits;
}
