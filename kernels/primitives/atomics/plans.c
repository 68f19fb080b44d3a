// atomics: the plans, and the table of variants.
//
// Each prepares the output and then launches its kernel; append launches another one that works the queue off. The
// workspace is append's queue, or a word (for tickets two) for each lock.
#include <math.h>

#include "private.h"
#include "tune.h"

static const kz_type types[] = {KZ_U32, KZ_F32, KZ_F32, KZ_I32};

static uint64_t count_of(const kz_case *c) { return (uint64_t)c->axes[N]; }
static uint64_t keys_of(const kz_case *c) { return (uint64_t)c->axes[K]; }

static kz_status supported(const kz_planner *p) {
    const kz_case *c = p->c;
    const char *name = atomics_operations[c->operation];
    if (c->type != types[c->operation])
        return kz_plan_refuse(p->error, "atomics has %s of %s, not of %s", name,
                              kz_type_name(types[c->operation]), kz_type_name(c->type));
    if (c->axes[K] < 1 || (c->operation == KZ_ATOMICS_APPEND && c->axes[K] != 1))
        return kz_plan_refuse(p->error, "k is %lld; %s", (long long)c->axes[K],
                              c->axes[K] < 1 ? "at least one word is needed"
                                             : "append has one queue: k is 1");
    if (c->axes[N] >= 1LL << 32 || c->axes[K] >= 1LL << 30)
        return kz_plan_refuse(p->error, "n must be below 2^32 and k below 2^30: keys and counts are u32");
    if (!(p->variant->does >> c->operation & 1))
        return kz_plan_refuse(p->error, "this variant does not %s; the README has who does what", name);
    return KZ_OK;
}

// ---- before, and after ---------------------------------------------------------------------------------

static kz_status prepare(const kz_planner *p) {
    const kz_case *c = p->c;
    kz_arg out = kz_arg_buffer(OUT);
    switch (c->operation) {
    case KZ_ATOMICS_COUNT: kz_plan_add_fill(p->plan, out, 0, keys_of(c) * sizeof(uint32_t)); break;
    case KZ_ATOMICS_APPEND:
        if (count_of(c)) kz_plan_add_fill(p->plan, out, 0, count_of(c) * sizeof(float));
        kz_plan_add_fill(p->plan, kz_arg_buffer(VALUES), 0, sizeof(uint32_t));
        break;
    case KZ_ATOMICS_MAX: kz_plan_add_fill(p->plan, out, 0xff, keys_of(c) * sizeof(float)); break;
    default:
        return KZ_LAUNCH(p, .idea = "clear", .blocks = kz_ceil_div(keys_of(c), ATOMICS_THREADS),
                         .threads = ATOMICS_THREADS, KZ_ARGS(out, kz_arg_u64(keys_of(c))));
    }
    return KZ_OK;
}

static uint64_t blocks_of(const kz_case *c, const kz_device_info *device, uint64_t most, uint64_t rounds) {
    uint64_t full = (uint64_t)device->multiprocessors * most;
    return kz_min_u64(kz_ceil_div(count_of(c), ATOMICS_THREADS * rounds), full);
}

typedef struct shape {
    uint64_t blocks;       // per multiprocessor, at most
    uint64_t rounds;       // elements that a thread has at least
    uint64_t locks;        // words for each key
    uint64_t shared_bytes; // of dynamic shared memory
} shape;

static kz_status run(const kz_planner *p, shape s) {
    const kz_case *c = p->c;
    bool appends = c->operation == KZ_ATOMICS_APPEND;
    kz_arg workspace = kz_arg_workspace(0);
    p->plan->workspace_bytes =
        appends ? count_of(c) * sizeof(uint32_t) : keys_of(c) * s.locks * sizeof(uint32_t);
    kz_status status = prepare(p);
    if (status || count_of(c) == 0) return status;
    if (s.locks) kz_plan_add_fill(p->plan, workspace, 0, p->plan->workspace_bytes);
    kz_arg args[6];
    size_t count = 0;
    args[count++] = kz_arg_buffer(KEYS);
    args[count++] = appends ? workspace : kz_arg_buffer(OUT);
    if (c->operation != KZ_ATOMICS_COUNT) args[count++] = kz_arg_buffer(VALUES);
    if (s.locks) args[count++] = workspace;
    args[count++] = kz_arg_u64(count_of(c));
    if (!appends) args[count++] = kz_arg_u64(keys_of(c));
    status = KZ_LAUNCH(p, .blocks = blocks_of(c, p->device, s.blocks, s.rounds), .threads = ATOMICS_THREADS,
                       .shared_bytes = (uint32_t)s.shared_bytes, .args = args, .arg_count = count);
    if (status || !appends) return status;
    return KZ_LAUNCH(p, .idea = "work_off", .blocks = blocks_of(c, p->device, ATOMICS_BLOCKS, 1),
                     .threads = ATOMICS_THREADS,
                     KZ_ARGS(kz_arg_buffer(KEYS), kz_arg_buffer(OUT), workspace, kz_arg_buffer(VALUES)));
}

// ---- the variants ----------------------------------------------------------------------------------------

enum {
    COUNT = 1 << KZ_ATOMICS_COUNT,
    APPEND = 1 << KZ_ATOMICS_APPEND,
    MAX = 1 << KZ_ATOMICS_MAX,
    UPDATE = 1 << KZ_ATOMICS_UPDATE
};

static kz_status plan_native(const kz_planner *p) {
    const kz_case *c = p->c;
    kz_status status = supported(p);
    if (status != KZ_OK) return status;
    return KZ_LAUNCH(p, .blocks = 1, .threads = 1,
                     KZ_ARGS(kz_arg_buffer(KEYS), kz_arg_buffer(OUT),
                             c->operation == KZ_ATOMICS_COUNT ? kz_arg_u64(0) : kz_arg_buffer(VALUES),
                             kz_arg_u64(count_of(c)), kz_arg_u64(keys_of(c))));
}

static kz_status plan_atomic(const kz_planner *p) {
    kz_status status = supported(p);
    return status ? status : run(p, (shape){ATOMICS_BLOCKS, 1, 0, 0});
}

// Words that are set up, and brought to L2, by each block should be fewer than the elements that it has.
static kz_status plan_privatized(const kz_planner *p) {
    const kz_case *c = p->c;
    kz_status status = supported(p);
    if (status != KZ_OK) return status;
    shape s = {ATOMICS_BLOCKS, 1, 0, 0};
    if (c->operation == KZ_ATOMICS_APPEND) {
        s.rounds = ATOMICS_APPEND_ROUNDS;
        return run(p, s);
    }
    uint64_t words = keys_of(c) * (c->operation == KZ_ATOMICS_UPDATE ? PARTS : 1);
    uint64_t room = p->device->shared_per_block_optin ? p->device->shared_per_block_optin : 48 << 10;
    s.shared_bytes = words * sizeof(uint32_t);
    if (s.shared_bytes > room)
        return kz_plan_refuse(p->error, "%lld keys need %llu KiB of shared memory in a block, which has %llu",
                              (long long)c->axes[K], (unsigned long long)(s.shared_bytes >> 10),
                              (unsigned long long)(room >> 10));
    s.rounds = kz_ceil_div(words, ATOMICS_THREADS);
    s.blocks = kz_min_u64(ATOMICS_BLOCKS, (room + 1024) / (s.shared_bytes + 1024));
    return run(p, s);
}

// What the most crowded word gets of all elements. Biased keys are k x^8: the first word has all x below k^(-1/8).
static double largest_share(const kz_case *c) {
    double even = 1 / (double)keys_of(c);
    return c->data == KZ_DATA_EQUAL ? 1 : c->data == KZ_DATA_BIASED ? pow(even, 1.0 / 8) : even;
}
// How many words with even shares would be as crowded: one over the sum of the shares' squares, to which only the first
// one of biased keys adds much.
static double even_words(const kz_case *c) {
    double share = largest_share(c);
    return c->data == KZ_DATA_BIASED ? 1 / (share * share) : 1 / share;
}

// Where threads try until they succeed, and all that share a word disturb each other, the tries grow with the
// square of the crowd: one that would take long is not begun. An H200 makes 1.36 tries in a nanosecond at one word
// (15 November 2026): 2^26 of them are 50 ms.
static kz_status too_crowded(const kz_planner *p) {
    const kz_case *c = p->c;
    uint64_t threads = kz_min_u64(count_of(c), (uint64_t)p->device->multiprocessors * ATOMICS_RETRY_BLOCKS *
                                                   ATOMICS_THREADS);
    double tries = (double)count_of(c) * (double)threads / even_words(c);
    if (tries <= 0x1p26) return KZ_OK;
    return kz_plan_refuse(p->error,
                          "%lld elements at %lld words, as crowded as %.0f: they would be tried %.0e times; "
                          "fewer elements, or more words",
                          (long long)c->axes[N], (long long)c->axes[K], even_words(c), tries);
}

// A lock is handed on in microseconds, one after another.
static kz_status too_long(const kz_planner *p) {
    double handovers = (double)count_of(p->c) * largest_share(p->c);
    if (handovers <= 1 << 14) return KZ_OK;
    return kz_plan_refuse(
        p->error, "a lock would be handed on %.0f times, some microseconds each: more keys, or 05_privatized",
        handovers);
}

static kz_status plan_cas(const kz_planner *p) {
    kz_status status = supported(p);
    if (status == KZ_OK && p->c->operation == KZ_ATOMICS_COUNT) status = too_crowded(p);
    return status ? status : run(p, (shape){ATOMICS_RETRY_BLOCKS, 1, 0, 0});
}
static kz_status plan_spin_lock(const kz_planner *p) {
    kz_status status = supported(p);
    if (status == KZ_OK) status = too_crowded(p);
    return status ? status : run(p, (shape){ATOMICS_RETRY_BLOCKS, 1, 1, 0});
}
static kz_status add_locks(const kz_planner *p, uint64_t words) {
    kz_status status = supported(p);
    if (status == KZ_OK) status = too_long(p);
    return status ? status : run(p, (shape){ATOMICS_RETRY_BLOCKS, 1, words, 0});
}
static kz_status plan_lock(const kz_planner *p) { return add_locks(p, 1); }
static kz_status plan_ticket_lock(const kz_planner *p) { return add_locks(p, 2); }

// clang-format off
const kz_variant atomics_variants[ATOMICS_VARIANTS] = {
    {"00_native", 0, plan_native, "plain C on one core", atomics_natives,
     .does = COUNT | APPEND | MAX | UPDATE},
    {"01_atomic", 75, plan_atomic, "one atomic per element, its result used", .does = COUNT | APPEND},
    {"02_red", 75, plan_atomic, "no result wanted: red instead of atom", .does = COUNT | MAX | UPDATE},
    {"03_cas", 75, plan_cas, "compare and swap until it succeeds", .does = COUNT | MAX},
    {"04_warp_aggregated", 80, plan_atomic, "lanes with the same key send one atomic",
     .does = COUNT | APPEND | MAX | UPDATE},
    {"05_privatized", 75, plan_privatized, "a copy in shared memory for each block",
     .does = COUNT | APPEND | MAX | UPDATE},
    {"06_spin_lock", 75, plan_spin_lock, "a lock for each key: exchange until it is free", .does = UPDATE},
    {"07_backoff_lock", 75, plan_lock, "load before trying, sleep after failing", .does = UPDATE},
    {"08_ticket_lock", 75, plan_ticket_lock, "first come, first served", .does = UPDATE},
    {"09_leader_lock", 80, plan_lock, "a lock for a warp's lanes with the same key", .does = UPDATE},
};
// clang-format on
