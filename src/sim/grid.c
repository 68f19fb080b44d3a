// A launch: checks it, gives blocks to workers, finds out when nothing can move any more.
//
// Blocks that do not communicate are spread over the host's cores; those that may (atomics
// with a result, volatile accesses, fences: see decode.c) run on one, in a fixed order, so that
// results never depend on the number of cores. A worker runs a block to its end if it can. Only
// when all blocks it has begun are waiting does it begin more, up to what the GPU could hold at once.

#include "sim/core.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    DRAWN_TURNS = 512, // of a drawn schedule: about as much as one round of another
    WATCH_AFTER = 32,  // fruitless rounds before memory is watched for changes
    LONG_ROUND = 8,    // as many of them is one in which no block waits: each used up its patience
    STIRS = 64,        // rounds in which blocks of a cluster help each other on before others begin
};

// ---- can it be launched? ----------------------------------------------------------------------------------

static kz_status check_dimensions(const sim_config *c, const ptx_function *f, const sim_launch *l,
                                  kz_error *error) {
    static const uint32_t block_limit[3] = {1024, 1024, 64}, grid_limit[3] = {INT32_MAX, 65535, 65535};
    uint64_t threads = 1;
    for (int i = 0; i < 3; i++) {
        if (l->grid[i] == 0 || l->block[i] == 0)
            return base_fail(
                error, KZ_INVALID,
                "launch of %s: grid %u x %u x %u, block %u x %u x %u has a zero: nothing would run", f->name,
                l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2]);
        if (l->block[i] > block_limit[i] || l->grid[i] > grid_limit[i])
            return base_fail(error, KZ_LIMIT, "launch of %s: %s dimension %c is %u, at most %u are allowed",
                             f->name, l->block[i] > block_limit[i] ? "block" : "grid", 'x' + i,
                             l->block[i] > block_limit[i] ? l->block[i] : l->grid[i],
                             l->block[i] > block_limit[i] ? block_limit[i] : grid_limit[i]);
        threads *= l->block[i];
    }
    uint64_t limit = c->max_threads_per_block;
    uint64_t bound = (uint64_t)f->max_threads[0] * (f->max_threads[1] ? f->max_threads[1] : 1) *
                     (f->max_threads[2] ? f->max_threads[2] : 1);
    if (threads > limit)
        return base_fail(error, KZ_LIMIT,
                         "launch of %s: %" PRIu64 " threads per block, the GPU allows %" PRIu64
                         "\nuse more, smaller blocks",
                         f->name, threads, limit);
    if (f->max_threads[0] && threads > bound)
        return base_fail(error, KZ_LIMIT,
                         "launch of %s: %" PRIu64
                         " threads per block, but the kernel was compiled for at most %" PRIu64
                         " (__launch_bounds__)",
                         f->name, threads, bound);
    if (f->required_threads[0])
        for (int i = 0; i < 3; i++)
            if (l->block[i] != (f->required_threads[i] ? f->required_threads[i] : 1))
                return base_fail(error, KZ_INVALID,
                                 "launch of %s: the kernel requires blocks of exactly %u x %u x %u threads",
                                 f->name, f->required_threads[0], f->required_threads[1],
                                 f->required_threads[2]);
    uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    if (blocks > UINT32_MAX - 1)
        return base_fail(error, KZ_UNSUPPORTED,
                         "launch of %s: %" PRIu64 " blocks are more than the simulator numbers", f->name,
                         blocks);
    return KZ_OK;
}

static kz_status check_shared(const sim_config *c, sim_grid *g, kz_error *error) {
    const sim_kernel *k = g->kernel;
    uint32_t align = k->dynamic_align;
    uint32_t dynamic_at = (k->static_shared + align - 1) / align * align;
    uint64_t total = (uint64_t)dynamic_at + g->launch->dynamic_shared_bytes;
    if (g->launch->dynamic_shared_bytes == 0) total = k->static_shared;
    if (total > c->shared_per_block_optin)
        return base_fail(error, KZ_LIMIT,
                         "launch of %s: %" PRIu64
                         " bytes of shared memory per block (%u static, %u dynamic), the GPU has %u",
                         k->entry->name, total, k->static_shared, g->launch->dynamic_shared_bytes,
                         c->shared_per_block_optin);
    g->dynamic_shared_at = k->reserved_shared + dynamic_at;
    g->own_shared_bytes = (uint32_t)total;
    g->shared_bytes = k->reserved_shared + g->own_shared_bytes;
    return KZ_OK;
}

static uint32_t resident_limit(const sim_config *c, const sim_grid *g) {
    uint32_t warps_threads = g->warps * SIM_LANES, per = c->max_blocks_per_multiprocessor;
    uint32_t by_threads = c->max_threads_per_multiprocessor / warps_threads;
    if (by_threads < per) per = by_threads;
    uint64_t shared = sim_shared_allocated(c->sm, g->own_shared_bytes);
    if (shared && c->shared_per_multiprocessor / shared < per)
        per = (uint32_t)(c->shared_per_multiprocessor / shared);
    if (per == 0) per = 1;
    return per * (uint32_t)c->multiprocessors;
}

// ---- blocks of a worker -----------------------------------------------------------------------------

static bool push(sim_block ***list, uint32_t *count, uint32_t *capacity, sim_block *block) {
    if (*count == *capacity) {
        uint32_t wanted = *capacity ? *capacity * 2 : 16;
        sim_block **grown = aligned_alloc(_Alignof(sim_worker), wanted * sizeof *grown);
        if (!grown) return false;
        if (*count) memcpy(grown, *list, *count * sizeof *grown);
        free(*list);
        *list = grown;
        *capacity = wanted;
    }
    (*list)[(*count)++] = block;
    return true;
}

// What is begun and ended together: a cluster, or a block where there are none.
static uint32_t unit_of(const sim_grid *g, uint32_t block) {
    return g->cluster_size > 1 ? sim_cluster_of(g, block) : block;
}

static void record_fault(sim_grid *g, const sim_fault *fault) {
    uint32_t unit = unit_of(g, fault->block);
    pthread_mutex_lock(&g->lock);
    if (g->fault.status == KZ_OK || unit < unit_of(g, g->fault.block)) g->fault = *fault;
    if (unit < atomic_load(&g->stop_at)) atomic_store(&g->stop_at, unit);
    pthread_mutex_unlock(&g->lock);
}

// The next unit to begin: workers take them a few at a time, so as not to queue for each one.
static bool claim_unit(sim_worker *worker, uint32_t *index) {
    sim_grid *g = worker->grid;
    if (worker->claimed == worker->claim_end) {
        uint32_t units = g->blocks / g->cluster_size, chunk = units / (g->workers * 32) + 1, first;
        if (chunk > 16) chunk = 16;
        if (atomic_load(&g->next_block) >= units) return false;
        first = atomic_fetch_add(&g->next_block, chunk);
        if (first >= units) return false;
        worker->claimed = first;
        worker->claim_end = units - first < chunk ? units : first + chunk;
    }
    *index = worker->claimed;
    if (*index >= atomic_load(&g->stop_at)) return false;
    worker->claimed++;
    return true;
}

static bool begin_failed(sim_worker *worker, uint32_t block) {
    record_fault(worker->grid, &(sim_fault){.status = KZ_NO_MEMORY,
                                            .block = block,
                                            .message = "no memory left for a block's registers"});
    return false;
}

static sim_block *add_block(sim_worker *worker) {
    sim_block *b = worker->spare_count ? worker->spare[--worker->spare_count] : sim_block_open(worker);
    if (b && push(&worker->resident, &worker->resident_count, &worker->resident_capacity, b)) return b;
    sim_block_close(b);
    return NULL;
}

static bool begin_cluster(sim_worker *worker, uint32_t index) {
    sim_grid *g = worker->grid;
    sim_cluster *cluster = sim_cluster_open(g, index);
    uint32_t first = worker->resident_count;
    for (uint32_t rank = 0; rank < g->cluster_size; rank++) {
        sim_block *b = cluster ? add_block(worker) : NULL;
        if (!b) {
            while (worker->resident_count > first)
                sim_block_close(worker->resident[--worker->resident_count]);
            if (rank == 0) free(cluster);
            return begin_failed(worker, sim_cluster_block(g, index, rank));
        }
        sim_cluster_join(cluster, b, rank);
    }
    for (uint32_t rank = 0; rank < g->cluster_size; rank++)
        sim_block_begin(worker->resident[first + rank], sim_cluster_block(g, index, rank));
    return true;
}

static bool begin_unit(sim_worker *worker) {
    sim_grid *g = worker->grid;
    uint32_t index;
    if (!claim_unit(worker, &index)) return false;
    if (g->cluster_size > 1 || g->kernel->clusters) return begin_cluster(worker, index);
    sim_block *b = add_block(worker);
    if (!b) return begin_failed(worker, index);
    sim_block_begin(b, index);
    return true;
}

static void keep_print(sim_grid *g, sim_block *b) {
    if (!b->printed.length) return;
    pthread_mutex_lock(&g->lock);
    if (g->print_count == g->print_capacity) {
        size_t wanted = g->print_capacity ? g->print_capacity * 2 : 64;
        void *grown = realloc(g->prints, wanted * sizeof *g->prints);
        if (grown) {
            g->prints = grown;
            g->print_capacity = wanted;
        }
    }
    if (g->print_count < g->print_capacity) {
        g->prints[g->print_count].block = b->index;
        g->prints[g->print_count].length = b->printed.length;
        g->prints[g->print_count++].text = b->printed.data;
        b->printed = (base_text){0};
    }
    pthread_mutex_unlock(&g->lock);
}

// The block has ended, well or not: it can be used again.
static void retire(sim_worker *worker, uint32_t at) {
    sim_block *b = worker->resident[at];
    sim_listener *listener = worker->listener;
    if (listener && listener->block_end) listener->block_end(listener, b->index);
    keep_print(worker->grid, b);
    base_text_free(&b->printed);
    sim_cluster_close(b);
    memmove(worker->resident + at, worker->resident + at + 1, (worker->resident_count - at - 1) * sizeof b);
    worker->resident_count--;
    if (!push(&worker->spare, &worker->spare_count, &worker->spare_capacity, b)) sim_block_close(b);
}

// The block has ended. Others of its cluster may still reach for its shared memory: all are retired together.
// Gives how many blocks before `at` went.
static uint32_t end_block(sim_worker *worker, uint32_t at) {
    sim_block *b = worker->resident[at];
    const sim_cluster *cluster = b->cluster;
    uint32_t before = 0;
    if (b->async) sim_async_finish_block(b);
    if (!cluster) {
        retire(worker, at);
        return 0;
    }
    b->waits = true;
    worker->stirred = true;
    if (!sim_cluster_leave(b)) return UINT32_MAX;
    for (uint32_t i = worker->resident_count; i-- > 0;)
        if (worker->resident[i]->cluster == cluster) {
            before += i < at;
            retire(worker, i);
        }
    return before;
}

// ---- can anything still move? -----------------------------------------------------------------------

static uint64_t mix(uint64_t h, const void *data, size_t bytes) {
    const uint8_t *p = data;
    for (size_t i = 0; i + 8 <= bytes; i += 8) {
        uint64_t word;
        memcpy(&word, p + i, 8);
        h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 32;
    }
    return h;
}

static uint32_t whose_turn(const sim_warp *w) {
    uint32_t ready = 0;
    for (uint32_t i = 0; i < w->path_count; i++) ready += w->paths[i].state == SIM_PATH_READY;
    return ready ? w->turn % ready : 0;
}

// What decides the future of the worker's blocks, memory aside.
static uint64_t state_of(const sim_worker *worker) {
    uint64_t h = worker->resident_count;
    for (uint32_t i = 0; i < worker->resident_count; i++) {
        const sim_block *b = worker->resident[i];
        h = mix(h, b->barriers, sizeof b->barriers);
        h = mix(h, b->shared, b->grid->shared_bytes / 8 * 8);
        for (uint32_t j = 0; j < b->warp_count; j++) {
            const sim_warp *w = &b->warps[j];
            const sim_frame *top = &w->frames[w->frame_count - 1];
            for (uint32_t p = 0; p < w->path_count; p++) {
                const sim_path *path = &w->paths[p];
                // Whose turn it is decides too.
                uint64_t words[3] = {(uint64_t)path->mask << 32 | path->basic_block,
                                     (uint64_t)path->frame << 32 | path->state,
                                     (uint64_t)path->at_end << 32 | (uint64_t)w->fair << 16 | whose_turn(w)};
                h = mix(h, words, sizeof words);
            }
            h = mix(h, w->registers, top->at + top->bytes);
        }
    }
    return h;
}

typedef struct cycle_watch {
    uint64_t rounds, since, power; // Brent's way to find a cycle
    uint64_t state;
    bool armed;
} cycle_watch;

static bool any_waits(const sim_worker *worker) {
    for (uint32_t i = 0; i < worker->resident_count; i++)
        if (worker->resident[i]->waits) return true;
    return false;
}

// After a round in which every block waited: stops the launch when the machine is back in a state it was in
// before and no memory has changed since, for then it would go round for ever.
static void look_for_cycle(sim_worker *worker, cycle_watch *watch) {
    watch->rounds += any_waits(worker) ? 1 : LONG_ROUND;
    if (watch->rounds < WATCH_AFTER) return;
    if (!worker->watch) {
        worker->watch = true;
        worker->random = 0; // a state that returns proves something only where the order is fixed
        atomic_fetch_add(&worker->grid->quiet, 1);
        for (uint32_t i = 0; i < worker->resident_count; i++)
            for (uint32_t j = 0; j < worker->resident[i]->warp_count; j++)
                worker->resident[i]->warps[j].attention = true;
        worker->changes = 0;
        return;
    }
    if (worker->changes) {
        worker->changes = 0;
        worker->polled = SIM_POLLED_NOTHING;
        watch->armed = false;
        return;
    }
    // As long as another worker gets on, it may yet do what is waited for.
    if (atomic_load(&worker->grid->quiet) < worker->grid->workers) return;
    uint64_t state = state_of(worker);
    if (watch->armed && state == watch->state) {
        watch->armed = false;
        if (sim_async_hurry(worker)) return;
        if (any_waits(worker))
            sim_fault_deadlock(worker, "every block waits for something that no thread will do",
                               SIM_CAUSES_OF_WAITING);
        sim_fault_endless(worker);
    }
    if (!watch->armed || watch->since == watch->power) {
        watch->power = watch->armed ? watch->power * 2 : 1;
        watch->since = 0;
        watch->state = state;
        watch->armed = true;
    }
    watch->since++;
}

// A drawn schedule has a few blocks under way at once, and goes on with any of them.
static void draw_blocks(sim_worker *worker, uint32_t limit) {
    uint32_t wanted = 1 + sim_draw(worker, limit < 8 ? limit : 8);
    while (worker->resident_count < wanted && begin_unit(worker)) {}
    for (uint32_t i = worker->resident_count; i-- > 1;) {
        uint32_t other = sim_draw(worker, i + 1);
        sim_block *block = worker->resident[i];
        worker->resident[i] = worker->resident[other];
        worker->resident[other] = block;
    }
}

static bool all_wait(const sim_worker *worker) {
    for (uint32_t i = 0; i < worker->resident_count; i++)
        if (!worker->resident[i]->waits) return false;
    return true;
}

// Gives each block its turn. Whether any has been retired.
static bool run_each(sim_worker *worker) {
    const sim_grid *g = worker->grid;
    bool ended = false;
    worker->stirred = false;
    for (uint32_t i = 0; i < worker->resident_count;) {
        sim_block *b = worker->running = worker->resident[i];
        if (unit_of(g, b->index) >= atomic_load(&g->stop_at)) {
            retire(worker, i);
            ended = true;
        } else if (b->alive && sim_block_run(b)) {
            uint32_t before = end_block(worker, i);
            ended = ended || before != UINT32_MAX;
            i = before == UINT32_MAX ? i + 1 : i - before;
        } else
            i++;
    }
    return ended;
}

static void run_blocks(sim_worker *worker, uint32_t limit) {
    cycle_watch watch = {0};
    uint32_t stirs = 0, drawn = 0;
    for (;;) {
        if (worker->random) draw_blocks(worker, limit);
        if (worker->resident_count == 0 && !begin_unit(worker)) return;
        bool ended = run_each(worker);
        if (ended) {
            watch = (cycle_watch){0};
            continue;
        }
        // Where blocks of a cluster do things for each other, nothing more needs to begin; not for ever,
        // though, since one of them may wait for a block that has not.
        if (worker->stirred && ++stirs % STIRS) {
            watch = (cycle_watch){0};
            continue;
        }
        // A loop that looks at nothing is no waiting: after many short turns it is worth a look all the same.
        if (worker->random && !all_wait(worker) && ++drawn % DRAWN_TURNS) continue;
        uint32_t wanted = worker->resident_count * 2 < limit ? worker->resident_count * 2 : limit,
                 before = worker->resident_count;
        while (worker->resident_count < wanted && begin_unit(worker)) {}
        if (worker->resident_count == before) look_for_cycle(worker, &watch);
    }
}

static void *work(void *argument) {
    sim_worker *worker = argument;
    sim_grid *g = worker->grid;
    // A fault jumps here from wherever the block was; its message is recorded already.
    while (setjmp(worker->stop)) {
        for (uint32_t i = worker->resident_count; i-- > 0;)
            if (unit_of(g, worker->resident[i]->index) >= atomic_load(&g->stop_at) || g->kernel->communicates)
                retire(worker, i);
        if (g->kernel->communicates) return NULL;
    }
    run_blocks(worker, g->resident_limit);
    if (!worker->watch) atomic_fetch_add(&g->quiet, 1);
    return NULL;
}

// ---- the launch -------------------------------------------------------------------------------------

static kz_status copy_params(sim_grid *g, kz_error *error) {
    const sim_kernel *k = g->kernel;
    const ptx_function *f = k->entry;
    if (g->launch->arg_count != f->param_count)
        return base_fail(error, KZ_INVALID, "launch of %s: %zu arguments given, the kernel takes %u", f->name,
                         g->launch->arg_count, f->param_count);
    g->params = calloc(1, k->param_bytes + 16);
    if (!g->params) return base_fail(error, KZ_NO_MEMORY, "launch of %s: out of memory", f->name);
    for (uint32_t i = 0; i < f->param_count; i++)
        memcpy(g->params + k->param_offset[i], g->launch->args[i], f->params[i]->size);
    return KZ_OK;
}

static kz_status open_workers(sim_grid *g, unsigned count, sim_worker **workers, kz_error *error) {
    *workers = aligned_alloc(_Alignof(sim_worker), count * sizeof **workers);
    if (*workers) memset(*workers, 0, count * sizeof **workers);
    bool good = *workers != NULL;
    for (unsigned i = 0; good && i < count; i++) {
        sim_worker *w = &(*workers)[i];
        sim_listener *listener = g->listener;
        w->grid = g;
        // The seed's bits are spread, so that neighbouring seeds draw different schedules.
        if (g->launch->seed) w->random = g->launch->seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
        w->listener = listener && listener->fork ? listener->fork(listener) : listener;
        size_t bytes = (g->kernel->memory_op_count + 1) * sizeof *w->extents;
        w->extents = aligned_alloc(_Alignof(sim_worker), (bytes + 127) / 128 * 128);
        if (w->extents) memset(w->extents, 0, bytes);
        good = w->extents != NULL && sim_ask_wants(w);
    }
    return good ? KZ_OK
                : base_fail(error, KZ_NO_MEMORY, "launch of %s: out of memory", g->kernel->entry->name);
}

static void close_workers(sim_grid *g, sim_worker *workers, unsigned count) {
    for (unsigned i = 0; workers && i < count; i++) {
        sim_worker *w = &workers[i];
        for (uint32_t b = 0; b < w->resident_count; b++) sim_block_close(w->resident[b]);
        for (uint32_t b = 0; b < w->spare_count; b++) sim_block_close(w->spare[b]);
        free(w->resident);
        free(w->spare);
        free(w->extents);
        free(w->wants);
        free(w->fragments);
        sim_listener *listener = g->listener;
        if (listener && w->listener != listener && w->listener && listener->join)
            listener->join(listener, w->listener);
    }
    free(workers);
}

static int by_block(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b; // `block` comes first
    return (x > y) - (x < y);
}

static void print_all(sim_grid *g) {
    if (g->print_count) qsort(g->prints, g->print_count, sizeof *g->prints, by_block);
    for (size_t i = 0; i < g->print_count; i++) {
        const char *at = g->prints[i].text, *end = at + g->prints[i].length;
        while (g->launch->print && at < end) { // records: builtin.c
            uint64_t length;
            memcpy(&length, at, sizeof length);
            at += sizeof length;
            g->launch->print(g->launch->print_context, at, length);
            at += length;
        }
        free(g->prints[i].text);
    }
    free(g->prints);
}

static unsigned worker_count(const sim_grid *g) {
    const sim_machine *m = g->program->machine;
    if (g->kernel->communicates || g->launch->seed || (g->listener && !g->listener->fork)) return 1;
    unsigned threads = m->config.host_threads ? m->config.host_threads : m->cores;
    if (threads > 256) threads = 256;
    return threads < g->blocks ? threads : g->blocks;
}

static kz_status run_grid(sim_grid *g, sim_result *result, kz_error *error) {
    sim_worker *workers = NULL;
    g->workers = worker_count(g);
    kz_status status = open_workers(g, g->workers, &workers, error);
    unsigned started = 0;
    if (status == KZ_OK) {
        for (unsigned i = 1; i < g->workers; i++, started++)
            if (pthread_create(&workers[i].thread, NULL, work, &workers[i])) {
                atomic_fetch_add(&g->quiet, g->workers - i); // the others do it all
                break;
            }
        work(&workers[0]);
        for (unsigned i = 1; i <= started; i++) pthread_join(workers[i].thread, NULL);
        for (unsigned i = 0; result && i < g->workers; i++) {
            result->warp_instructions += workers[i].warp_instructions;
            result->thread_instructions += workers[i].thread_instructions;
        }
    }
    close_workers(g, workers, g->workers);
    if (result && status == KZ_OK) result->fault = g->fault.info;
    if (status == KZ_OK && g->fault.status != KZ_OK)
        status = base_fail(error, g->fault.status, "%s", g->fault.message);
    return status;
}

static kz_status run_observed(sim_grid *g, sim_result *result, kz_error *error) {
    sim_listener *listener = g->listener;
    sim_machine *machine = g->program->machine;
    uint64_t serial = machine->launches++;
    if (listener && listener->launch_begin)
        listener->launch_begin(listener,
                               &(sim_launch_event){.module = g->program->module,
                                                   .entry = g->kernel->entry,
                                                   .launch = g->launch,
                                                   .static_shared_bytes = g->kernel->static_shared,
                                                   .shared_bytes = g->shared_bytes,
                                                   .reserved_shared_bytes = g->kernel->reserved_shared,
                                                   .local_bytes = g->kernel->local_room,
                                                   .serial = serial,
                                                   .kernel = g->kernel});
    kz_status status = run_grid(g, result, error);
    if (listener && listener->launch_end) listener->launch_end(listener, status);
    if (status == KZ_TIMEOUT) atomic_store(&machine->interrupted, false);
    return status;
}

kz_status sim_run(sim_program *program, const char *name, const sim_launch *asked, sim_result *result,
                  kz_error *error) {
    sim_launch own = *asked, *launch = &own; // with what the kernel says of clusters
    const sim_config *c = &program->machine->config;
    if (result) *result = (sim_result){0};
    sim_kernel *kernel;
    kz_status status = sim_program_kernel(program, name, &kernel, error);
    if (status == KZ_OK) status = sim_cluster_check(c, kernel->entry, launch, error);
    if (status == KZ_OK) status = check_dimensions(c, kernel->entry, launch, error);
    if (status != KZ_OK) return status;
    sim_kernel_size_stack(kernel, c->stack_bytes);
    sim_grid g = {
        .program = program, .kernel = kernel, .launch = launch, .memory = &program->machine->memory};
    g.listener = launch->listener ? launch->listener : program->machine->listener;
    g.blocks = launch->grid[0] * launch->grid[1] * launch->grid[2];
    g.threads = launch->block[0] * launch->block[1] * launch->block[2];
    g.warps = (g.threads + SIM_LANES - 1) / SIM_LANES;
    g.explicit_cluster = launch->cluster[0] != 0;
    for (int i = 0; i < 3; i++) g.cluster[i] = launch->cluster[i] ? launch->cluster[i] : 1;
    g.cluster_size = g.cluster[0] * g.cluster[1] * g.cluster[2];
    atomic_init(&g.next_block, 0);
    atomic_init(&g.stop_at, UINT32_MAX);
    atomic_init(&g.quiet, 0);
    pthread_mutex_init(&g.lock, NULL);
    status = check_shared(c, &g, error);
    if (!status) status = sim_check_local_limit(kernel, error);
    if (status == KZ_OK) {
        g.resident_limit = resident_limit(c, &g);
        if (launch->cooperative && g.blocks > g.resident_limit)
            status = base_fail(error, KZ_LIMIT,
                               "cooperative launch of %s: %u blocks, but only %u of this shape fit on the "
                               "GPU at once\nuse fewer "
                               "blocks and let each do more",
                               kernel->entry->name, g.blocks, g.resident_limit);
    }
    if (status == KZ_OK) status = copy_params(&g, error);
    g.by_turns = launch->cooperative && !launch->seed && g.listener && !g.listener->fork;
    if (status == KZ_OK && launch->cooperative) {
        g.grid_workspace = sim_memory_suballocate(g.memory, 256, "the grid barrier's workspace");
        if (g.grid_workspace)
            memset(sim_memory_host(g.memory, g.grid_workspace), 0, 256);
        else
            status = base_fail(error, KZ_NO_MEMORY,
                               "launch of %s: no device memory left for the grid barrier", name);
    }
    if (status == KZ_OK) status = run_observed(&g, result, error);
    print_all(&g);
    if (g.grid_workspace) sim_memory_release(g.memory, g.grid_workspace);
    free(g.params);
    pthread_mutex_destroy(&g.lock);
    return status;
}

void sim_grid_fault(sim_worker *worker, const sim_fault *fault) {
    record_fault(worker->grid, fault);
    longjmp(worker->stop, 1);
}
