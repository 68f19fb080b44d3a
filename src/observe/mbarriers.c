// mbarriers: phases, and blocks, that end without all bytes of their copies, and objects that the asynchronous proxy uses before it can
// know of them. What orders threads by them is the race detector's (races_order.c).
#include <stdio.h>
#include <stdlib.h>

#include "observe/observe.h"

typedef struct barrier_object {
    uint64_t object;
    const ptx_inst *made, *expects; // mbarrier.init; the latest arrive.expect_tx
    uint32_t maker, expecter;       // threads of the block
    bool is_ready;                  // a fence, or a synchronisation of its thread, came after the init
} barrier_object;

typedef struct barrier_block {
    barrier_object *objects;
    uint32_t count, capacity, unready;
} barrier_block;

typedef struct detector {
    observe_detector detector; // first
    observe_findings *findings;
    barrier_block **resident; // by block; NULL where it has no mbarriers
    uint32_t blocks;
    observe_finding finding;
} detector;

static barrier_object *object_of(const detector *self, uint64_t object) {
    uint32_t index = (uint32_t)(object >> 32);
    const barrier_block *block = index < self->blocks ? self->resident[index] : NULL;
    for (uint32_t i = 0; block && i < block->count; i++)
        if (block->objects[i].object == object) return &block->objects[i];
    return NULL;
}

static uint32_t thread_of(const sim_event *at) { return at->warp * 32 + (uint32_t)__builtin_ctz(at->mask); }

// ---- telling ---------------------------------------------------------------------------------------------

static void report(detector *self, observe_finding_kind kind, const sim_event *at, const ptx_inst *other,
                   uint32_t other_thread, uint64_t object) {
    observe_finding *finding = &self->finding;
    bool across = object >> 32 != at->block;
    finding->kind = kind;
    finding->first = (observe_site){
        .inst = at->inst, .block = at->block, .thread = thread_of(at), .agent = SIM_ASYNC_PROXY};
    finding->second = (observe_site){
        .inst = other, .block = (uint32_t)(object >> 32), .thread = other_thread, .is_write = true};
    finding->self = at->self;
    finding->space = across ? SIM_DISTRIBUTED : SIM_SHARED;
    finding->address = object & (across ? ~(UINT64_C(1) << 31) : (uint64_t)INT32_MAX);
    finding->bytes = 8;
    observe_findings_add(self->findings, finding);
}

static void report_left(detector *self, const sim_sync *sync) {
    const barrier_object *o = object_of(self, sync->object);
    snprintf(self->finding.text, sizeof self->finding.text,
             "a phase of the mbarrier is over while a bulk copy of %u bytes that it tracks is under way: "
             "whoever waits for the "
             "phase does not wait for them\n"
             "likely cause: fewer bytes are expected than the copies of the phase bring (a tensor copy "
             "counts its whole box, with "
             "what is filled), or a copy is started in the phase before the one that expects it\n"
             "what to do: in each phase one arrive.expect_tx with the sum of the bytes of its copies",
             sync->count);
    report(self, OBSERVE_MBARRIER_BYTES, &sync->at, o ? o->expects : NULL, o ? o->expecter : 0, sync->object);
}

static void report_ended(detector *self, const sim_sync *sync) {
    const barrier_object *o = object_of(self, sync->object);
    snprintf(self->finding.text, sizeof self->finding.text,
             "a block ends while a copy of %u bytes into its shared memory is under way, which then may be "
             "another block's\n"
             "likely cause: nobody waits for the last phase of the mbarrier, a stage is filled that no round "
             "uses, or the mbarrier was invalidated too early\n"
             "what to do: start no copy that is not needed, and wait for each that was started",
             sync->count);
    self->finding.is_warning = true;
    report(self, OBSERVE_ASYNC_NO_WAIT, &sync->at, o ? o->expects : NULL, o ? o->expecter : 0, sync->object);
    self->finding.is_warning = false;
}

static void report_unready(detector *self, const sim_sync *sync, barrier_object *o) {
    snprintf(
        self->finding.text, sizeof self->finding.text,
        "a bulk copy uses an mbarrier that its thread has just made, with neither a fence nor a barrier "
        "between: it works on GPUs, and PTX does not promise it\n"
        "likely cause: the asynchronous proxy, which counts the bytes, need not see the initialisation yet\n"
        "what to do: fence.mbarrier_init.release.cluster or fence.proxy.async behind mbarrier.init, then a "
        "barrier for the "
        "threads that wait");
    self->finding.is_warning = true;
    report(self, OBSERVE_RACE, &sync->at, o->made, o->maker, sync->object);
    self->finding.is_warning = false;
}

// ---- events ----------------------------------------------------------------------------------------------

static void make(detector *self, const sim_sync *sync) {
    uint32_t index = (uint32_t)(sync->object >> 32);
    if (index >= self->blocks) return;
    barrier_block **slot = &self->resident[index];
    if (!*slot && !(*slot = calloc(1, sizeof **slot))) return;
    barrier_block *block = *slot;
    barrier_object *o = object_of(self, sync->object);
    if (!o && block->count == block->capacity) {
        uint32_t capacity = block->capacity ? block->capacity * 2 : 16;
        barrier_object *grown = realloc(block->objects, capacity * sizeof *grown);
        if (!grown) return;
        block->objects = grown;
        block->capacity = capacity;
    }
    if (o && !o->is_ready) block->unready--;
    if (!o) o = &block->objects[block->count++];
    *o = (barrier_object){.object = sync->object, .made = sync->at.inst, .maker = thread_of(&sync->at)};
    block->unready++;
}

// The threads have fenced, or met others.
static void settle(const detector *self, const sim_event *at) {
    barrier_block *block = at->block < self->blocks ? self->resident[at->block] : NULL;
    for (uint32_t i = 0; block && block->unready && i < block->count; i++) {
        barrier_object *o = &block->objects[i];
        if (o->is_ready || o->maker / 32 != at->warp || !(at->mask >> o->maker % 32 & 1)) continue;
        o->is_ready = true;
        block->unready--;
    }
}

static void on_sync(sim_listener *listener, const sim_sync *sync) {
    detector *self = (detector *)listener;
    barrier_object *o;
    if (!sync->at.mask) return;
    switch (sync->kind) {
    case SIM_INIT: make(self, sync); break;
    case SIM_LEFT: report_left(self, sync); break;
    case SIM_ENDED: report_ended(self, sync); break;
    case SIM_ARRIVE:
        if (!(sync->at.inst->flags & PTX_FLAG(EXPECT_TX)) || !(o = object_of(self, sync->object))) break;
        o->expects = sync->at.inst;
        o->expecter = thread_of(&sync->at);
        break;
    case SIM_TRACK:
        o = sync->agent == SIM_ASYNC_PROXY ? object_of(self, sync->object) : NULL;
        if (!o || o->is_ready || sync->object >> 32 != sync->at.block || o->maker != thread_of(&sync->at))
            break;
        report_unready(self, sync, o);
        settle(self, &sync->at);
        break;
    case SIM_FENCE:
    case SIM_WARP_SYNC:
    case SIM_PASS: settle(self, &sync->at); break;
    case SIM_COMMIT:
    case SIM_WAIT:
    case SIM_ISSUE:
    case SIM_GRID_WAIT: break;
    }
}

static void on_block_end(sim_listener *listener, uint32_t index) {
    detector *self = (detector *)listener;
    if (index >= self->blocks || !self->resident[index]) return;
    free(self->resident[index]->objects);
    free(self->resident[index]);
    self->resident[index] = NULL;
}

static void forget(detector *self) {
    for (uint32_t i = 0; i < self->blocks; i++) on_block_end(&self->detector.listener, i);
    free(self->resident);
    self->resident = NULL;
    self->blocks = 0;
}

// Most kernels have no mbarriers, and are not listened to.
static bool has_mbarriers(const sim_launch_event *event) {
    for (uint32_t i = 0; i < event->module->function_count; i++) {
        const ptx_function *f = event->module->functions[i];
        for (uint32_t k = 0; (!f->is_entry || f == event->entry) && k < f->inst_count; k++)
            if (f->insts[k].op == PTX_OP_MBARRIER_INIT) return true;
    }
    return false;
}

static void on_launch_begin(sim_listener *listener, const sim_launch_event *event) {
    detector *self = (detector *)listener;
    uint32_t blocks = 1;
    forget(self);
    for (int i = 0; i < 3; i++) blocks *= event->launch->grid[i] ? event->launch->grid[i] : 1;
    bool any = has_mbarriers(event) && (self->resident = calloc(blocks, sizeof *self->resident));
    self->blocks = any ? blocks : 0;
    listener->sync = any ? on_sync : NULL;
    listener->block_end = any ? on_block_end : NULL;
}

static void close_detector(observe_detector *base) {
    forget((detector *)base);
    free(base);
}

observe_detector *observe_mbarriers_open(observe_findings *findings) {
    detector *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->findings = findings;
    self->detector =
        (observe_detector){.listener = {.launch_begin = on_launch_begin}, .close = close_detector};
    return &self->detector;
}
