// Barriers that not all reach, or that some reach elsewhere; member masks that name lanes which go another way.
//
// A barrier is judged when it opens, by who came from where: in a drawn schedule the lanes of a warp may come
// one after the other to a barrier that they all reach. Threads that end before others come are left in peace
// (an early return), unless they went past the barrier and did what comes after it, or diverged from those who
// wait at a branch whose sides reconverge.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "observe/guards.h"
#include "observe/observe.h"

enum { LANES = 32, WARPS = 32, BARRIERS = 16, PLACES = 4 };

typedef struct arrival {
    const ptx_inst *inst;
    uint32_t mask;
} arrival;

// Who came to a barrier since it last opened.
typedef struct barrier {
    uint64_t object;
    uint32_t warps; // bit i: lanes of warp i have come
    bool counted;   // the instruction said how many threads
    arrival came[WARPS][PLACES];
} barrier;

typedef struct sync_block {
    uint32_t index, warp_count, threads;
    uint32_t live[WARPS];
    uint32_t past[WARPS]; // lanes that did what only comes after the last barrier
    const ptx_inst *past_inst[WARPS];
    uint32_t barrier_count;
    barrier barriers[BARRIERS];
    observe_rounds *rounds[2]; // by observe_guarded: [warps][guards][lanes]; NULL where there are no guards
} sync_block;

typedef struct detector {
    observe_detector detector; // first
    observe_findings *findings;
    const ptx_function *entry;
    observe_guards *guards[2]; // by observe_guarded; NULL for none
    uint8_t *is_past;          // of the entry's instructions, by index; NULL where it has no barrier
    uint32_t threads, blocks;
    sync_block **resident;
    sync_block *last, *spare;
    observe_finding finding;
} detector;

static sync_block *block_of(detector *self, uint32_t index) {
    if (self->last && self->last->index == index) return self->last;
    sync_block *block = self->resident && index < self->blocks ? self->resident[index] : NULL;
    if (block) self->last = block;
    return block;
}

// ---- what comes after the last barrier -------------------------------------------------------------------

enum { AFTER = 1, BEFORE = 2 }; // a barrier can have led here; one can be reached from here

// Goes over the function until nothing changes: backward for BEFORE converges fast when done from the end.
static void spread(const ptx_function *f, uint8_t *marks) {
    uint32_t to[256];
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < f->inst_count; i++) {
            if (!(marks[i] & AFTER) && !observe_is_barrier(&f->insts[i])) continue;
            uint32_t count = observe_successors(f, i, to, BASE_COUNT(to));
            for (uint32_t j = 0; j < count; j++) {
                if (to[j] >= f->inst_count || marks[to[j]] & AFTER) continue;
                marks[to[j]] |= AFTER;
                changed = true;
            }
        }
        for (uint32_t i = f->inst_count; i-- > 0;) {
            if (marks[i] & BEFORE) continue;
            uint32_t count = observe_successors(f, i, to, BASE_COUNT(to));
            bool reaches = observe_is_barrier(&f->insts[i]) || count == BASE_COUNT(to);
            for (uint32_t j = 0; j < count; j++)
                reaches |= to[j] < f->inst_count && (marks[to[j]] & BEFORE) != 0;
            if (!reaches) continue;
            marks[i] |= BEFORE;
            changed = true;
        }
    }
}

// Marks what can only come after the last barrier of the kernel. Calls may hold barriers: then nobody knows.
static void find_past(detector *self) {
    const ptx_function *f = self->entry;
    bool any = false;
    free(self->is_past);
    self->is_past = NULL;
    for (uint32_t i = 0; i < f->inst_count; i++) {
        any |= observe_is_barrier(&f->insts[i]);
        if (f->insts[i].op == PTX_OP_CALL) return;
    }
    uint8_t *marks = any ? calloc(f->inst_count, 1) : NULL;
    if (!marks) return;
    spread(f, marks);
    for (uint32_t i = 0; i < f->inst_count; i++) marks[i] = marks[i] == AFTER;
    self->is_past = marks;
}

// ---- telling ---------------------------------------------------------------------------------------------

static void report(detector *self, observe_finding_kind kind, const ptx_inst *first, uint32_t block,
                   uint32_t thread, const ptx_inst *second, uint32_t other, const char *text) {
    observe_finding *finding = &self->finding;
    finding->kind = kind;
    finding->first = (observe_site){.inst = first, .block = block, .thread = thread};
    finding->second = (observe_site){.inst = second, .block = block, .thread = other};
    snprintf(finding->text, sizeof finding->text, "%s", text);
    observe_findings_add(self->findings, finding);
}

static bool is_aligned(const ptx_inst *inst) {
    switch (inst->op) {
    case PTX_OP_BARRIER_SYNC:
    case PTX_OP_BARRIER_RED:
    case PTX_OP_BARRIER_ARRIVE: return inst->flags & PTX_FLAG(ALIGNED);
    default: return true;
    }
}

static uint32_t lowest(uint32_t warp, uint32_t mask) { return warp * LANES + (uint32_t)__builtin_ctz(mask); }

// ---- judging a barrier that opens ------------------------------------------------------------------------

static observe_rounds *rounds_of(const detector *self, const sync_block *block, uint32_t warp,
                                 observe_guarded guarded) {
    return block->rounds[guarded] + (size_t)warp * observe_guards_count(self->guards[guarded]) * LANES;
}

// Whether lanes of the warp came from different places.
static bool judge_warp(detector *self, const sync_block *block, const barrier *b, uint32_t warp) {
    const arrival *came = b->came[warp];
    uint32_t all = 0;
    bool diverged = false;
    for (uint32_t i = 0; i < PLACES && came[i].mask; i++) {
        bool again = all & came[i].mask; // bar.arrive and then bar.sync of the same lanes: they are together
        all |= came[i].mask;
        if (!i || again || !is_aligned(came[i].inst)) continue;
        diverged = true;
        report(
            self, OBSERVE_BARRIER_DIVERGENT, came[i].inst, block->index, lowest(warp, came[i].mask),
            came[0].inst, lowest(warp, came[0].mask),
            "lanes of one warp wait at different barriers and are taken to have synchronised\nlikely cause: "
            "__syncthreads() in both branches of an if, or in a loop that lanes leave after different "
            "numbers of "
            "rounds\nwhat to do: one __syncthreads() after the if, or as many rounds for all threads of the "
            "block");
    }
    uint32_t missing = block->live[warp] & ~all;
    if (missing && is_aligned(came[0].inst))
        report(
            self, OBSERVE_BARRIER_DIVERGENT, came[0].inst, block->index, lowest(warp, came[0].mask), NULL, 0,
            "only a part of a warp reaches the barrier, which then opens\nlikely cause: a barrier inside an "
            "if "
            "that divides a warp\nwhat to do: let whole warps come to the barrier; barriers count warps");
    return diverged;
}

static bool judge_past(detector *self, const sync_block *block, const barrier *b) {
    const ptx_inst *waited = NULL;
    uint32_t waiting = 0;
    for (uint32_t i = 0; i < block->warp_count && !waited; i++)
        if (b->warps >> i & 1 && observe_is_barrier(b->came[i][0].inst)) {
            waited = b->came[i][0].inst;
            waiting = lowest(i, b->came[i][0].mask);
        }
    for (uint32_t i = 0; waited && i < block->warp_count; i++) {
        uint32_t all = 0;
        for (uint32_t j = 0; j < PLACES && b->warps >> i & 1; j++) all |= b->came[i][j].mask;
        uint32_t skipped = block->past[i] & ~all;
        if (!skipped) continue;
        report(self, OBSERVE_BARRIER_DIVERGENT, waited, block->index, waiting, block->past_inst[i],
               lowest(i, skipped),
               "a thread went past the barrier without waiting, while others wait there\nlikely cause: "
               "__syncthreads() inside an if that not all threads of the block take\nwhat to do: move the "
               "barrier "
               "out of the if, so that all threads reach it");
        return true;
    }
    return false;
}

// Barrier 0 without a count is __syncthreads(). The others are named: warps may come to one from different instructions.
static bool is_syncthreads(const barrier *b) { return !b->counted && !(uint32_t)b->object; }

// Lanes that have ended since, but went another way round the barrier before.
static bool judge_diverged(detector *self, const sync_block *block, const barrier *b, uint32_t warp) {
    uint32_t all = 0;
    for (uint32_t i = 0; i < PLACES; i++) all |= b->came[warp][i].mask;
    if (!block->rounds[OBSERVE_GUARDED_BARRIERS] || block->live[warp] & ~all)
        return false; // of those that live, more is known
    for (uint32_t i = 0; i < PLACES && b->came[warp][i].mask; i++) {
        const arrival *came = &b->came[warp][i];
        const ptx_inst *branch = NULL;
        bool ends;
        if (!observe_is_barrier(came->inst) || !is_aligned(came->inst)) continue;
        uint32_t past = observe_guards_past(
            self->guards[OBSERVE_GUARDED_BARRIERS], rounds_of(self, block, warp, OBSERVE_GUARDED_BARRIERS),
            came->inst, (uint32_t)__builtin_ctz(came->mask), ~all, &branch, &ends);
        if (!past) continue;
        report(self, OBSERVE_BARRIER_DIVERGENT, came->inst, block->index, lowest(warp, came->mask), branch,
               lowest(warp, past),
               "a lane went another way round the barrier and on, while lanes of its warp wait there\n"
               "likely cause: __syncthreads() inside an if or a loop that only some lanes of a warp go "
               "through\nwhat to do: move the barrier out of it, so that all threads of the block reach it");
        return true;
    }
    return false;
}

static void judge(detector *self, const sync_block *block, const barrier *b) {
    const ptx_inst *first = NULL;
    uint32_t who = 0;
    bool diverged = false;
    for (uint32_t i = 0; i < block->warp_count; i++) {
        if (!(b->warps >> i & 1)) continue;
        diverged |= judge_warp(self, block, b, i);
        const arrival *came = &b->came[i][0];
        if (!first) {
            first = came->inst;
            who = lowest(i, came->mask);
        } else if (!diverged && is_syncthreads(b) && observe_is_barrier(first) &&
                   observe_is_barrier(came->inst) && first != came->inst)
            report(self, OBSERVE_BARRIER_MISMATCH, came->inst, block->index, lowest(i, came->mask), first,
                   who,
                   "warps of one block wait at different __syncthreads() and are taken to have "
                   "synchronised\nlikely "
                   "cause: "
                   "a barrier inside an if, or in a loop that warps leave after different numbers of "
                   "rounds\nwhat "
                   "to do: all threads of the block must come to the same __syncthreads()");
    }
    if (b->counted || judge_past(self, block, b)) return;
    for (uint32_t i = 0; i < block->warp_count; i++)
        if (b->warps >> i & 1 && judge_diverged(self, block, b, i)) return;
}

// Lanes wait for others, which the member mask names; those did not come, but went past and ended.
static void judge_mask(detector *self, const sim_event *at, uint32_t named, uint32_t all) {
    sync_block *block = block_of(self, at->block);
    const uint32_t threads = self->threads - at->warp * LANES;
    uint32_t absent = named & ~all & (threads >= LANES ? UINT32_MAX : (UINT32_C(1) << threads) - 1);
    if (!absent || !block || !block->rounds[OBSERVE_GUARDED_LANES] || !at->mask) return;
    const ptx_inst *branch = NULL;
    bool ends = false;
    uint32_t past = observe_guards_past(self->guards[OBSERVE_GUARDED_LANES],
                                        rounds_of(self, block, at->warp, OBSERVE_GUARDED_LANES), at->inst,
                                        (uint32_t)__builtin_ctz(at->mask), absent, &branch, &ends);
    if (!past) return;
    self->finding.is_warning = ends;
    report(self, OBSERVE_MASK_ABSENT, at->inst, at->block, lowest(at->warp, at->mask), branch,
           lowest(at->warp, past),
           ends ? "the mask names lanes that went the other way and ended, and never come here: a GPU waits "
                  "until they "
                  "have ended, CUDA calls it undefined\nlikely cause: a mask of all lanes inside an if that "
                  "divides the "
                  "warp\nwhat to do: take the mask from __ballot_sync(0xffffffff, condition) before the if, "
                  "or move the "
                  "call out of it"
                : "the mask names lanes that went past and on, and never come here: the others wait until "
                  "those have "
                  "ended\nlikely cause: a mask of all lanes inside an if or a loop that divides the "
                  "warp\nwhat to do: "
                  "take the mask from __ballot_sync(0xffffffff, condition) before the if, or let all lanes "
                  "come here");
    self->finding.is_warning = false;
}

// ---- the listener ----------------------------------------------------------------------------------------

static barrier *barrier_of(sync_block *block, uint64_t object) {
    for (uint32_t i = 0; i < block->barrier_count; i++)
        if (block->barriers[i].object == object) return &block->barriers[i];
    if (block->barrier_count == BARRIERS) return NULL;
    barrier *b = &block->barriers[block->barrier_count++];
    b->object = object;
    b->warps = 0;
    return b;
}

static void arrive(barrier *b, const sim_sync *sync) {
    uint32_t warp = sync->at.warp;
    arrival *came = b->came[warp];
    if (!b->warps) b->counted = false;
    if (!(b->warps >> warp & 1)) memset(came, 0, sizeof b->came[warp]);
    b->warps |= UINT32_C(1) << warp;
    b->counted |=
        sync->count != 0 || (sync->at.inst->operand_count > 1 && sync->at.inst->op != PTX_OP_BAR_RED &&
                             sync->at.inst->op != PTX_OP_BARRIER_RED);
    for (uint32_t i = 0; i < PLACES; i++) {
        if (came[i].mask && came[i].inst != sync->at.inst) continue;
        came[i].inst = sync->at.inst;
        came[i].mask |= sync->at.mask;
        return;
    }
}

static void on_sync(sim_listener *listener, const sim_sync *sync) {
    detector *self = (detector *)listener;
    if (sync->kind == SIM_WARP_SYNC) judge_mask(self, &sync->at, sync->count, sync->at.mask);
    if (!sync->is_barrier || !sync->at.mask) return;
    sync_block *block = block_of(self, sync->at.block);
    barrier *b = block ? barrier_of(block, sync->object) : NULL;
    if (!b) return;
    if (sync->kind == SIM_ARRIVE) {
        arrive(b, sync);
    } else if (sync->kind == SIM_PASS && b->warps >> sync->at.warp & 1) {
        judge(self, block, b);
        b->warps = 0;
    }
}

static bool comes_past(const detector *self, const ptx_inst *inst) {
    if (!self->is_past) return false;
    if (inst < self->entry->insts || inst >= self->entry->insts + self->entry->inst_count) return false;
    return self->is_past[inst - self->entry->insts];
}

static unsigned on_wants(sim_listener *listener, const ptx_inst *inst) {
    return comes_past((detector *)listener, inst) ? SIM_WANT_ACCESS : 0;
}

static void on_access(sim_listener *listener, const sim_access *access) {
    detector *self = (detector *)listener;
    const ptx_inst *inst = access->at.inst;
    if (!comes_past(self, inst)) return;
    sync_block *block = block_of(self, access->at.block);
    if (!block) return;
    block->past[access->at.warp] |= access->at.mask;
    block->past_inst[access->at.warp] = inst;
}

static void on_branch(sim_listener *listener, const sim_event *event, uint32_t taken) {
    detector *self = (detector *)listener;
    sync_block *block = block_of(self, event->block);
    for (int i = 0; block && i < 2; i++)
        if (block->rounds[i])
            observe_guards_branch(self->guards[i], rounds_of(self, block, event->warp, (observe_guarded)i),
                                  event->inst, event->mask, taken);
}

static void on_exchange(sim_listener *listener, const sim_exchange_event *event) {
    // Where a lane that took no part is read, its value says it (undefined.c).
    if (!event->outside) judge_mask((detector *)listener, &event->at, event->named, event->all);
}

static void on_leave(sim_listener *listener, const sim_event *event) {
    sync_block *block = block_of((detector *)listener, event->block);
    if (block) block->live[event->warp] &= ~event->mask;
}

static void on_block_begin(sim_listener *listener, uint32_t index, uint32_t warps) {
    detector *self = (detector *)listener;
    if (index >= self->blocks || warps > WARPS || !self->resident) return;
    sync_block *block = self->spare ? self->spare : calloc(1, sizeof *block);
    self->spare = NULL;
    self->resident[index] = self->last = block;
    if (!block) return;
    block->index = index;
    block->warp_count = warps;
    block->barrier_count = 0;
    for (int i = 0; i < 2; i++) {
        size_t rounds = (size_t)warps * observe_guards_count(self->guards[i]) * LANES;
        free(block->rounds[i]);
        block->rounds[i] = rounds ? calloc(rounds, sizeof *block->rounds[i]) : NULL;
    }
    for (uint32_t i = 0; i < warps; i++) {
        uint32_t lanes = self->threads > i * LANES ? self->threads - i * LANES : 0;
        block->live[i] = lanes >= LANES ? UINT32_MAX : (UINT32_C(1) << lanes) - 1;
        block->past[i] = 0;
    }
}

static void free_block(sync_block *block) {
    for (int i = 0; block && i < 2; i++) free(block->rounds[i]);
    free(block);
}

static void on_block_end(sim_listener *listener, uint32_t index) {
    detector *self = (detector *)listener;
    sync_block *block = block_of(self, index);
    if (!block) return;
    free_block(self->spare);
    self->spare = block;
    self->resident[index] = self->last = NULL;
}

// Some wait at a barrier, others wait elsewhere: the launch ends as a deadlock, and this says for whom.
static void judge_stuck(detector *self, const sync_block *block) {
    for (uint32_t i = 0; i < block->barrier_count; i++) {
        const barrier *b = &block->barriers[i];
        uint32_t missing = UINT32_MAX, came = UINT32_MAX;
        for (uint32_t w = 0; w < block->warp_count; w++) {
            uint32_t all = 0;
            for (uint32_t j = 0; j < PLACES && b->warps >> w & 1; j++) all |= b->came[w][j].mask;
            if (all && came == UINT32_MAX) came = w;
            if (block->live[w] & ~all && missing == UINT32_MAX) missing = lowest(w, block->live[w] & ~all);
        }
        if (came == UINT32_MAX || missing == UINT32_MAX) continue;
        const ptx_inst *other = NULL;
        for (uint32_t k = 0; k < block->barrier_count && !other; k++)
            if (k != i && block->barriers[k].warps >> missing / LANES & 1)
                other = block->barriers[k].came[missing / LANES][0].inst;
        report(self, OBSERVE_BARRIER_DIVERGENT, b->came[came][0].inst, block->index,
               lowest(came, b->came[came][0].mask), other, missing,
               "threads wait at the barrier for others that never come\nlikely cause: a barrier inside an if "
               "or a "
               "loop that not all threads of the block go through\nwhat to do: let all threads of the block "
               "reach "
               "it, or give it the number of those that do");
        return;
    }
}

static void forget(detector *self) {
    for (uint32_t i = 0; self->resident && i < self->blocks; i++) free_block(self->resident[i]);
    free(self->resident);
    free_block(self->spare);
    self->resident = NULL;
    self->last = self->spare = NULL;
    self->blocks = 0;
}

static void on_launch_begin(sim_listener *listener, const sim_launch_event *event) {
    detector *self = (detector *)listener;
    forget(self);
    self->entry = event->entry;
    find_past(self);
    for (int i = 0; i < 2; i++) {
        observe_guards_close(self->guards[i]);
        self->guards[i] = observe_guards_open(self->entry, (observe_guarded)i);
    }
    self->detector.listener.branch = self->guards[0] || self->guards[1] ? on_branch : NULL;
    self->blocks = self->threads = 1;
    for (int i = 0; i < 3; i++) {
        self->blocks *= event->launch->grid[i] ? event->launch->grid[i] : 1;
        self->threads *= event->launch->block[i] ? event->launch->block[i] : 1;
    }
    self->resident = calloc(self->blocks, sizeof *self->resident);
    if (!self->resident) self->blocks = 0;
}

static void on_launch_end(sim_listener *listener, kz_status status) {
    detector *self = (detector *)listener;
    for (uint32_t i = 0; status == KZ_DEADLOCK && self->resident && i < self->blocks; i++)
        if (self->resident[i]) judge_stuck(self, self->resident[i]);
    forget(self);
}

static void close_sync(observe_detector *base) {
    detector *self = (detector *)base;
    forget(self);
    for (int i = 0; i < 2; i++) observe_guards_close(self->guards[i]);
    free(self->is_past);
    free(self);
}

observe_detector *observe_sync_open(observe_findings *findings) {
    detector *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->findings = findings;
    self->detector = (observe_detector){.listener = {.launch_begin = on_launch_begin,
                                                     .launch_end = on_launch_end,
                                                     .block_begin = on_block_begin,
                                                     .block_end = on_block_end,
                                                     .wants = on_wants,
                                                     .access = on_access,
                                                     .sync = on_sync,
                                                     .exchange = on_exchange,
                                                     .leave = on_leave},
                                        .close = close_sync};
    return &self->detector;
}
