// See clock.h. Tasks are kept in the order of their issue; those without a time yet wait in `open`.
#include "device/clock.h"

#include <math.h>
#include <stdlib.h>

// A GPU's queues hold about this many operations; then the call that issues one waits.
enum { QUEUE = 1024, RUNNING = 128 };

// ---- how long things take ---------------------------------------------------------------------------------

// What a copy and a launch cost apart from their bytes and instructions, the share of the bus's nominal rate that
// packets leave, and pageable memory, which goes through a pinned buffer at the pace of one core of the host. Measured
// on an H200 and its host (kz microbench launch host, kz timeline streams; 2026-11-15), but for COPY_SECONDS and
// the graph's, which are typical. A launch that waits in its stream for the one before takes less of its own: what is
// saved was calibrated on the zoo's plans of several kernels.
// Copies both ways at once took 13% longer each (54.6 GB/s alone); the model lets the one that began later pay for both.
static const double COPY_SECONDS = 1.5e-6, QUEUED_SECONDS = 1.4e-6, GRAPH_SECONDS = 8e-6,
                    CALL_SECONDS = 3.9e-6, WAKE_SECONDS = 2.6e-6, BUS_SHARE = 0.87, BUS_BESIDE = 0.8,
                    PAGEABLE_TO_DEVICE = 7e9, PAGEABLE_TO_HOST = 12e9;

double device_bus_beside(void) { return BUS_BESIDE; }
double device_queued_seconds(void) { return QUEUED_SECONDS; }
double device_empty_launch_seconds(void) { return observe_time_empty(); }
double device_call_seconds(void) { return CALL_SECONDS; }
double device_graph_seconds(void) { return GRAPH_SECONDS; }
double device_wake_seconds(void) { return WAKE_SECONDS; }

static double over(double bytes, double rate) { return rate > 0 ? bytes / rate : 0; }

double device_copy_seconds(const device_gpu *gpu, device_engine engine, bool pageable, uint64_t bytes) {
    double bus = gpu->bus * BUS_SHARE,
           staged = engine == DEVICE_ENGINE_TO_HOST ? PAGEABLE_TO_HOST : PAGEABLE_TO_DEVICE;
    if (engine == DEVICE_ENGINE_COMPUTE)
        return COPY_SECONDS + over(2 * (double)bytes, gpu->bandwidth); // both ways
    return COPY_SECONDS + over((double)bytes, pageable ? fmin(bus, staged) : bus);
}

double device_fill_seconds(const device_gpu *gpu, uint64_t bytes) {
    return COPY_SECONDS + over((double)bytes, gpu->bandwidth);
}

const char *device_engine_name(device_engine engine) {
    static const char *const names[] = {
#define DEVICE_ENGINE(id, name) name,
#include "device/engines.def"
#undef DEVICE_ENGINE
    };
    return names[engine];
}

// ---- the clock --------------------------------------------------------------------------------------------

typedef struct task {
    device_moment after[2];
    double issued, seconds, share, queued;
    double start, end; // once known
    uint8_t engine;    // DEVICE_ENGINES: none; it marks a moment
    bool known;
} task;

typedef struct running {
    double start, end, share;
} running;

struct device_clock {
    task *tasks; // moment m is tasks[m - 1]
    size_t count, capacity;
    device_moment *open; // without a time yet, in the order of their issue
    size_t open_count, open_capacity;
    running engines[DEVICE_ENGINES][RUNNING]; // what runs on each, or ended last
    size_t running[DEVICE_ENGINES];
    double beside;
    double host, latest; // the host's time; the last end that is known
};

kz_status device_clock_open(double beside, device_clock **clock, kz_error *error) {
    *clock = calloc(1, sizeof **clock);
    if (!*clock) return base_fail(error, KZ_NO_MEMORY, "the host has no memory left for a clock");
    (*clock)->beside = beside;
    return KZ_OK;
}

void device_clock_close(device_clock *clock) {
    if (!clock) return;
    free(clock->tasks);
    free(clock->open);
    free(clock);
}

double device_clock_now(const device_clock *clock) { return clock->host; }
void device_clock_issue(device_clock *clock, double seconds) { clock->host += seconds; }

static const task *find(const device_clock *c, device_moment moment) { return &c->tasks[moment - 1]; }
static bool is_known(const device_clock *c, device_moment m) { return !m || find(c, m)->known; }
static double end_of(const device_clock *c, device_moment m) { return m ? find(c, m)->end : 0; }

// ---- the engines ------------------------------------------------------------------------------------------

// The first moment from `from` on at which the engine has `share` to spare.
static double find_room(const device_clock *c, device_engine engine, double from, double share) {
    const running *all = c->engines[engine];
    size_t count = c->running[engine];
    for (double at = from;;) {
        double used = 0, next = INFINITY;
        for (size_t i = 0; i < count; i++)
            if (all[i].end > at) used += all[i].share, next = fmin(next, all[i].end);
        if (used + share <= 1 + 1e-9 || isinf(next)) return at;
        at = next;
    }
}

static void occupy(device_clock *c, const task *t) {
    running *all = c->engines[t->engine];
    size_t *count = &c->running[t->engine], least = 0;
    if (*count == RUNNING) { // the one that ended first is of no interest any more
        for (size_t i = 1; i < *count; i++)
            if (all[i].end < all[least].end) least = i;
        all[least] = all[--*count];
    }
    all[(*count)++] = (running){t->start, t->end, t->share};
}

// When a copy that begins at `start` ends: copies of the other direction that are known take some of its rate.
static double copy_end(const device_clock *c, const task *t, double start) {
    device_engine other =
        t->engine == DEVICE_ENGINE_TO_HOST ? DEVICE_ENGINE_TO_DEVICE : DEVICE_ENGINE_TO_HOST;
    double at = start, left = t->seconds;
    for (;;) { // from change to change
        double next = INFINITY, rate = 1;
        for (size_t i = 0; i < c->running[other]; i++) {
            const running *r = &c->engines[other][i];
            if (r->start <= at && at < r->end) rate = c->beside;
            if (r->start > at) next = fmin(next, r->start);
            if (r->end > at) next = fmin(next, r->end);
        }
        if (at + left / rate <= next) return at + left / rate;
        left -= (next - at) * rate;
        at = next;
    }
}

// Gives the next task its time: of all whose predecessors have theirs, the one that can begin first; of two that
// can at once, the one that was ready first, then the one that was issued first. None that is issued later can
// come before it, as long as the host's time is not before its start.
static void settle_next(device_clock *c) {
    size_t best = SIZE_MAX;
    double best_start = INFINITY, best_ready = INFINITY;
    for (size_t i = 0; i < c->open_count; i++) {
        const task *t = find(c, c->open[i]);
        if (!is_known(c, t->after[0]) || !is_known(c, t->after[1])) continue;
        double ready = fmax(t->issued, fmax(end_of(c, t->after[0]), end_of(c, t->after[1])));
        double start = t->engine == DEVICE_ENGINES ? ready : find_room(c, t->engine, ready, t->share);
        if (start > best_start || (start == best_start && ready >= best_ready)) continue;
        best = i;
        best_start = start;
        best_ready = ready;
    }
    task *t = &c->tasks[c->open[best] - 1];
    t->start = best_start;
    if (t->after[0] && find(c, t->after[0])->engine == t->engine && t->issued <= best_start &&
        best_start <= end_of(c, t->after[0]))
        t->seconds -= t->queued;
    t->end = t->engine == DEVICE_ENGINE_TO_DEVICE || t->engine == DEVICE_ENGINE_TO_HOST
                 ? copy_end(c, t, best_start)
                 : best_start + t->seconds;
    t->known = true;
    c->latest = fmax(c->latest, t->end);
    if (t->engine != DEVICE_ENGINES) occupy(c, t);
    for (size_t i = best + 1; i < c->open_count; i++) c->open[i - 1] = c->open[i];
    c->open_count--;
}

static void settle(device_clock *c, device_moment moment) {
    while (!is_known(c, moment)) settle_next(c);
}

// ---- what the host does -----------------------------------------------------------------------------------

static device_moment append(device_clock *c, const task *made) {
    if (c->count == c->capacity) {
        size_t capacity = c->capacity ? 2 * c->capacity : 64;
        task *larger = realloc(c->tasks, capacity * sizeof *larger);
        if (!larger) return 0;
        c->tasks = larger;
        c->capacity = capacity;
    }
    if (c->open_count == c->open_capacity) {
        size_t capacity = c->open_capacity ? 2 * c->open_capacity : 64;
        device_moment *larger = realloc(c->open, capacity * sizeof *larger);
        if (!larger) return 0;
        c->open = larger;
        c->open_capacity = capacity;
    }
    c->tasks[c->count++] = *made;
    c->open[c->open_count++] = (device_moment)c->count;
    return (device_moment)c->count;
}

device_moment device_clock_add(device_clock *c, const device_task *wanted) {
    while (c->open_count >= QUEUE) {
        device_moment oldest = c->open[0];
        settle(c, oldest);
        c->host = fmax(c->host, find(c, oldest)->start);
    }
    device_moment moment = append(c, &(task){.after = {wanted->after},
                                             .issued = c->host,
                                             .seconds = wanted->seconds,
                                             .share = wanted->share,
                                             .queued = wanted->queued,
                                             .engine = (uint8_t)wanted->engine});
    if (wanted->blocking) device_clock_wait(c, moment);
    return moment;
}

device_moment device_clock_join(device_clock *c, device_moment a, device_moment b) {
    if (a == b || !b) return a;
    if (!a) return b;
    if (find(c, a)->known && find(c, b)->known) return end_of(c, a) >= end_of(c, b) ? a : b;
    return append(c, &(task){.after = {a, b}, .engine = DEVICE_ENGINES});
}

device_moment device_clock_mark(device_clock *c, device_moment after) {
    return append(c, &(task){.after = {after}, .issued = c->host, .engine = DEVICE_ENGINES});
}

void device_clock_wait(device_clock *c, device_moment moment) {
    if (!moment) return;
    settle(c, moment);
    c->host = fmax(c->host, end_of(c, moment));
}

void device_clock_wait_all(device_clock *c) {
    while (c->open_count) settle_next(c);
    c->host = fmax(c->host, c->latest);
}

void device_clock_span(device_clock *c, device_moment moment, double *start, double *end) {
    *start = *end = 0;
    if (!moment) return;
    settle(c, moment);
    *start = find(c, moment)->start;
    *end = find(c, moment)->end;
}
