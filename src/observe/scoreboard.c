// See scoreboard.h.
#include "observe/scoreboard.h"

#include <stdlib.h>
#include <string.h>

#include "observe/contention.h"
#include "observe/costs.h"

enum { BLOCKS = 12, WARPS = 32, NOTES = 64, GROUPS = 16, GENERATIONS = 4, RECENT = 4, NOBODY = UINT32_MAX };
enum { MBARRIERS = 32, SYNCS = 16 }; // of a block that are known; of a basic block
// What a warp waits that finds another block not ready: calibrated on bfs, whose levels are barriers of the whole grid.
enum { POLL_CLOCKS = 3000 };

typedef struct value {
    uint64_t ready;
    uint32_t maker; // serial
} value;

// Asynchronous work of a warp: when it is done, by group, and what of it is in none yet.
typedef struct async_clock {
    value pending, groups[GROUPS];
    uint32_t count; // of groups so far
} async_clock;

// Straight code that matrix instructions cut into basic blocks is one to ptxas: it goes on where the last one ended.
typedef struct straight_code {
    uint64_t start, slots, end, stored;
    const ptx_inst *next; // what would continue it; NULL: nothing does
} straight_code;

typedef struct warp_clock {
    uint64_t now;
    value *registers;
    const ptx_inst *ran[RECENT]; // the basic blocks before
    bool polls;                  // in a loop that waits for another block
    uint32_t barriers;           // passed so far
    bool at_barrier;
    async_clock copies, products; // cp.async, wgmma
    uint64_t tensor;              // until then its products keep the tensor core busy
    straight_code code;
} warp_clock;

typedef struct block_clock {
    uint32_t block, warp_count;
    uint64_t swapping; // until then warps of it add floats in shared memory
    warp_clock warps[WARPS];
    struct {
        uint32_t barrier;
        uint64_t last; // arrival
    } generations[GENERATIONS];
    struct {
        uint64_t object;
        value last; // arrival
    } mbarriers[MBARRIERS];
} block_clock;

// What is known of memory instructions of the basic block that runs.
typedef struct note {
    uint32_t serial, clocks;
    bool swaps; // a loop of compare-and-swaps: see contention.h
} note;

// What the basic block that runs does with an mbarrier.
typedef struct sync_note {
    sim_sync_kind kind;
    uint64_t object;
    uint32_t serial, clocks;
} sync_note;

struct observe_scoreboard {
    const observe_inst_info *infos;
    uint32_t inst_count, register_count, stride;
    block_clock *blocks[BLOCKS];
    uint32_t block_count;
    uint64_t *waits;
    uint32_t wait_capacity;
    note notes[NOTES];
    uint32_t note_count;
    sync_note syncs[SYNCS];
    uint32_t sync_count, bulk_clocks;
    observe_sampled sampled;
};

// ---- opening and closing ---------------------------------------------------------------------------------------

static void free_block(block_clock *b) {
    if (!b) return;
    for (uint32_t i = 0; i < WARPS; i++) free(b->warps[i].registers);
    free(b);
}

static void free_blocks(observe_scoreboard *board) {
    for (uint32_t i = 0; i < board->block_count; i++) free_block(board->blocks[i]);
    board->block_count = 0;
}

observe_scoreboard *observe_scoreboard_open(void) { return calloc(1, sizeof(observe_scoreboard)); }

void observe_scoreboard_close(observe_scoreboard *board) {
    if (!board) return;
    free_blocks(board);
    free(board->waits);
    free(board);
}

void observe_scoreboard_begin(observe_scoreboard *board, const sim_launch_event *event,
                              const observe_inst_info *infos, uint32_t inst_count) {
    const uint32_t *grid = event->launch->grid;
    uint64_t blocks = (uint64_t)grid[0] * grid[1] * grid[2];
    free_blocks(board);
    board->infos = infos;
    board->inst_count = inst_count;
    board->stride = (uint32_t)((blocks + BLOCKS - 1) / BLOCKS);
    if (!board->stride) board->stride = 1;
    board->register_count = 0;
    for (uint32_t i = 0; event->module && i < event->module->function_count; i++)
        if (event->module->functions[i]->reg_count > board->register_count)
            board->register_count = event->module->functions[i]->reg_count;
    if (inst_count > board->wait_capacity) {
        free(board->waits);
        board->waits = calloc(inst_count, sizeof *board->waits);
        board->wait_capacity = board->waits ? inst_count : 0;
    } else if (board->waits) {
        memset(board->waits, 0, board->wait_capacity * sizeof *board->waits);
    }
    board->note_count = board->sync_count = board->bulk_clocks = 0;
}

bool observe_scoreboard_samples(const observe_scoreboard *board, uint32_t block) {
    return board->infos && block % board->stride == 0;
}

void observe_scoreboard_block(observe_scoreboard *board, uint32_t block, uint32_t warps) {
    if (!observe_scoreboard_samples(board, block) || board->block_count == BLOCKS) return;
    block_clock *b = calloc(1, sizeof *b);
    if (!b) return;
    b->block = block;
    b->warp_count = warps < WARPS ? warps : WARPS;
    board->blocks[board->block_count++] = b;
}

static block_clock *find_block(observe_scoreboard *board, uint32_t block) {
    for (uint32_t i = board->block_count; i-- > 0;)
        if (board->blocks[i]->block == block) return board->blocks[i];
    return NULL;
}

// ---- operands --------------------------------------------------------------------------------------------------

static void read_operand(const observe_scoreboard *board, const warp_clock *w, const ptx_operand *o,
                         value *latest) {
    if (o->reg >= 0 && (uint32_t)o->reg < board->register_count && w->registers[o->reg].ready > latest->ready)
        *latest = w->registers[o->reg];
    for (uint32_t i = 0; i < o->element_count; i++) read_operand(board, w, &o->elements[i], latest);
}

static void write_operand(const observe_scoreboard *board, warp_clock *w, const ptx_operand *o, value made) {
    if (o->reg >= 0 && (uint32_t)o->reg < board->register_count) w->registers[o->reg] = made;
    if (o->second >= 0 && (uint32_t)o->second < board->register_count) w->registers[o->second] = made;
    for (uint32_t i = 0; i < o->element_count; i++) write_operand(board, w, &o->elements[i], made);
}

// Destinations come first; stores, branches and calls have none.
static bool has_destination(const ptx_inst *inst) {
    if (!inst->operand_count || inst->op == PTX_OP_CALL || inst->op == PTX_OP_BRX_IDX) return false;
    ptx_operand_kind kind = inst->operands[0].kind;
    if (kind != PTX_OPERAND_REG && kind != PTX_OPERAND_VECTOR) return false;
    ptx_class class = ptx_op_get(inst->op)->class;
    return class != PTX_CLASS_STORE && class != PTX_CLASS_BARRIER && class != PTX_CLASS_CONTROL;
}

// ---- running ---------------------------------------------------------------------------------------------------

void observe_scoreboard_access(observe_scoreboard *board, const sim_access *access, uint32_t clocks) {
    bool swaps =
        access->space == SIM_SHARED && access->kind == SIM_ATOMIC && observe_is_float(access->at.inst);
    if (board->note_count < NOTES)
        board->notes[board->note_count++] =
            (note){.serial = access->at.inst->serial, .clocks = clocks, .swaps = swaps};
}

static note latency_of(const observe_scoreboard *board, const ptx_inst *inst) {
    for (uint32_t i = 0; i < board->note_count; i++)
        if (board->notes[i].serial == inst->serial) return board->notes[i];
    return (note){.clocks = board->infos[inst->serial].cost.latency};
}

static void pass_barrier(block_clock *b, warp_clock *w) {
    uint32_t slot = w->barriers % GENERATIONS;
    if (b->generations[slot].barrier == w->barriers && b->generations[slot].last > w->now)
        w->now = b->generations[slot].last;
    w->now += OBSERVE_LATENCY_BARRIER + 2 * b->warp_count;
    w->at_barrier = false;
}

static void arrive(block_clock *b, warp_clock *w) {
    uint32_t slot = ++w->barriers % GENERATIONS;
    if (b->generations[slot].barrier != w->barriers) {
        b->generations[slot].barrier = w->barriers;
        b->generations[slot].last = 0;
    }
    if (w->now > b->generations[slot].last) b->generations[slot].last = w->now;
    w->at_barrier = true;
}

static void blame(observe_scoreboard *board, uint32_t serial, uint64_t clocks) {
    if (board->waits && serial < board->inst_count) board->waits[serial] += clocks;
}

static void wait_until(observe_scoreboard *board, warp_clock *w, value until) {
    if (until.ready <= w->now) return;
    blame(board, until.maker, until.ready - w->now);
    w->now = until.ready;
}

static void keep_later(value *latest, value other) {
    if (other.ready > latest->ready) *latest = other;
}

// All but the latest `open` groups.
static void wait_groups(observe_scoreboard *board, warp_clock *w, const async_clock *a, uint32_t open) {
    for (uint32_t i = a->count > GROUPS ? a->count - GROUPS : 0; i + open < a->count; i++)
        wait_until(board, w, a->groups[i % GROUPS]);
}

static void commit(async_clock *a) {
    a->groups[a->count++ % GROUPS] = a->pending;
    a->pending = (value){0};
}

// cp.async and wgmma, their groups, and the waits for all but the latest of them.
static void run_async(observe_scoreboard *board, warp_clock *w, const ptx_inst *inst, value made) {
    uint32_t open = inst->operand_count ? (uint32_t)inst->operands[0].value : 0;
    switch (inst->op) {
    case PTX_OP_CP_ASYNC: keep_later(&w->copies.pending, made); break;
    case PTX_OP_CP_ASYNC_COMMIT_GROUP: commit(&w->copies); break;
    case PTX_OP_CP_ASYNC_WAIT_GROUP: wait_groups(board, w, &w->copies, open); break;
    case PTX_OP_CP_ASYNC_WAIT_ALL:
        wait_groups(board, w, &w->copies, 0);
        wait_until(board, w, w->copies.pending);
        break;
    case PTX_OP_WGMMA_MMA_ASYNC: keep_later(&w->products.pending, made); break;
    case PTX_OP_WGMMA_COMMIT_GROUP: commit(&w->products); break;
    case PTX_OP_WGMMA_WAIT_GROUP: wait_groups(board, w, &w->products, open); break;
    default: break;
    }
}

static bool is_matrix(ptx_op op) {
    return op == PTX_OP_MMA || op == PTX_OP_WMMA || op == PTX_OP_LDMATRIX || op == PTX_OP_STMATRIX ||
           op == PTX_OP_MOVMATRIX;
}

// One basic block. `start` is when it may begin; every instruction begins as soon as its operands are there.
static void advance(observe_scoreboard *board, block_clock *b, warp_clock *w, const ptx_inst *first,
                    uint32_t count) {
    bool goes_on = w->code.next == first;
    uint64_t start = goes_on ? w->code.start : w->now, slots = goes_on ? w->code.slots : 0,
             end = goes_on ? w->code.end : start, stored = goes_on ? w->code.stored : start;
    uint32_t last_wait = NOBODY;
    for (uint32_t i = 0; i < count; i++) {
        const ptx_inst *inst = &first[i];
        if (inst->serial >= board->inst_count) return;
        const observe_inst_info *info = &board->infos[inst->serial];
        bool writes = has_destination(inst);
        value latest = {.ready = start, .maker = NOBODY};
        if (inst->guard >= 0 && (uint32_t)inst->guard < board->register_count &&
            w->registers[inst->guard].ready > latest.ready)
            latest = w->registers[inst->guard];
        for (uint32_t o = writes ? 1 : 0; o < inst->operand_count; o++)
            read_operand(board, w, &inst->operands[o], &latest);
        ptx_class class = ptx_op_get(inst->op)->class;
        bool loads = class == PTX_CLASS_LOAD && !(inst->flags & PTX_FLAG(NC));
        if (loads && stored > latest.ready) latest.ready = stored;
        note known = latency_of(board, inst);
        uint32_t latency = known.clocks;
        uint64_t begins = latest.ready;
        bool changes = class == PTX_CLASS_STORE || class == PTX_CLASS_ATOMIC || class == PTX_CLASS_REDUCTION;
        if (changes && begins > stored) stored = begins;
        if (known.swaps) { // the warp goes round until all of its lanes are through
            begins = b->swapping > begins ? b->swapping : begins;
            stored = b->swapping = begins + latency;
            if (stored > end) end = stored;
        }
        if (info->cost.tensor) {
            if (w->tensor > begins) begins = w->tensor;
            w->tensor = begins + info->cost.tensor;
        }
        if (info->cost.issue && begins + info->cost.issue > end) {
            end = begins + info->cost.issue;
            last_wait = latest.maker;
        }
        slots += info->cost.issue;
        blame(board, inst->serial, info->cost.issue);
        value made = {begins + latency, inst->serial};
        run_async(board, w, inst, made);
        if (inst->op == PTX_OP_WGMMA_MMA_ASYNC) made.ready = start; // who reads it waits for the group first
        if (writes) write_operand(board, w, &inst->operands[0], made);
        if (class == PTX_CLASS_BARRIER) {
            if (end > w->now) w->now = end;
            arrive(b, w);
        }
    }
    if (end < start + slots) end = start + slots;
    if (last_wait != NOBODY && end > start + slots) blame(board, last_wait, end - start - slots);
    if (end > w->now) w->now = end;
    const ptx_inst *last = &first[count - 1];
    w->code = (straight_code){start, slots, end, stored, is_matrix(last->op) ? last + 1 : NULL};
}

static bool has_poll(const ptx_inst *first, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        uint16_t order = first[i].by_category[PTX_CAT_ORDER];
        ptx_class class = ptx_op_get(first[i].op)->class;
        if (class == PTX_CLASS_LOAD && order != PTX_MOD_NONE && order != PTX_MOD_WEAK) return true;
        uint16_t does = first[i].by_category[PTX_CAT_ATOMIC];
        if (class == PTX_CLASS_ATOMIC && (does == PTX_MOD_CAS || does == PTX_MOD_EXCH)) return true; // a lock
    }
    return false;
}

static bool looks_at_mbarrier(const ptx_inst *first, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (first[i].op == PTX_OP_MBARRIER_TRY_WAIT || first[i].op == PTX_OP_MBARRIER_TEST_WAIT) return true;
    return false;
}

// How often a loop that waits for another block asks again is the simulator's affair, and not a GPU's: it waits once.
static bool polls_again(warp_clock *w, const ptx_inst *first, uint32_t count) {
    bool again = false;
    if (w->ran[0] == first && looks_at_mbarrier(first, count)) return true; // its clock is the mbarrier's
    for (int i = 0; i < RECENT; i++) again |= w->ran[i] == first;
    memmove(&w->ran[1], w->ran, (RECENT - 1) * sizeof w->ran[0]);
    w->ran[0] = first;
    if (!again) w->polls = false;
    if (again && !w->polls && has_poll(first, count)) {
        w->polls = true;
        w->now += POLL_CLOCKS;
    }
    return again && w->polls;
}

// ---- mbarriers -------------------------------------------------------------------------------------------------

void observe_scoreboard_bulk(observe_scoreboard *board, const sim_access *access, uint32_t clocks) {
    if (access->kind == SIM_LOAD && access->space == SIM_GLOBAL && clocks > board->bulk_clocks)
        board->bulk_clocks = clocks;
}

void observe_scoreboard_sync(observe_scoreboard *board, const sim_sync *sync) {
    bool known = sync->kind == SIM_ARRIVE || sync->kind == SIM_PASS || sync->kind == SIM_TRACK;
    if (!known || sync->is_barrier || !observe_scoreboard_samples(board, sync->at.block)) return;
    if (board->sync_count < SYNCS && sync->at.inst)
        board->syncs[board->sync_count++] =
            (sync_note){sync->kind, sync->object, sync->at.inst->serial, board->bulk_clocks};
    if (sync->kind == SIM_TRACK) board->bulk_clocks = 0;
}

// Which of a block's mbarriers is known by its object; others share a clock where there are too many.
static value *mbarrier_of(block_clock *b, uint64_t object) {
    uint32_t at = (uint32_t)(object >> 3) % MBARRIERS;
    for (uint32_t i = 0; i < MBARRIERS; i++, at = (at + 1) % MBARRIERS)
        if (b->mbarriers[at].object == object || !b->mbarriers[at].object) break;
    b->mbarriers[at].object = object;
    return &b->mbarriers[at].last;
}

static void pass_mbarriers(observe_scoreboard *board, block_clock *b, warp_clock *w) {
    for (uint32_t i = 0; i < board->sync_count; i++)
        if (board->syncs[i].kind == SIM_PASS) wait_until(board, w, *mbarrier_of(b, board->syncs[i].object));
}

// Threads arrive when they have done what comes before, bulk copies when the bytes are there.
static void reach_mbarriers(observe_scoreboard *board, block_clock *b, const warp_clock *w) {
    for (uint32_t i = 0; i < board->sync_count; i++) {
        const sync_note *s = &board->syncs[i];
        uint64_t takes = s->kind == SIM_TRACK ? s->clocks : 0;
        if (s->kind != SIM_PASS) keep_later(mbarrier_of(b, s->object), (value){w->now + takes, s->serial});
    }
}

void observe_scoreboard_run(observe_scoreboard *board, const ptx_inst *first, uint32_t count, uint32_t block,
                            uint32_t warp) {
    block_clock *b = find_block(board, block);
    if (b && warp < b->warp_count) {
        warp_clock *w = &b->warps[warp];
        if (!w->registers) w->registers = calloc(board->register_count + 1, sizeof *w->registers);
        if (w->registers) {
            if (w->at_barrier) pass_barrier(b, w);
            pass_mbarriers(board, b, w);
            if (!polls_again(w, first, count)) advance(board, b, w, first, count);
            reach_mbarriers(board, b, w);
        }
    }
    board->note_count = board->sync_count = 0;
}

observe_sampled observe_scoreboard_end(observe_scoreboard *board) {
    observe_sampled sampled = {.waits = board->waits};
    for (uint32_t i = 0; i < board->block_count; i++) {
        uint64_t longest = 0;
        for (uint32_t k = 0; k < board->blocks[i]->warp_count; k++)
            if (board->blocks[i]->warps[k].now > longest) longest = board->blocks[i]->warps[k].now;
        sampled.blocks++;
        sampled.clocks += longest;
    }
    free_blocks(board);
    board->infos = NULL;
    return sampled;
}
