// See scoreboard.h.
#include "observe/scoreboard.h"

#include <stdlib.h>
#include <string.h>

#include "observe/contention.h"
#include "observe/costs.h"

enum { BLOCKS = 12, WARPS = 32, NOTES = 64, GROUPS = 16, GENERATIONS = 4, RECENT = 4, NOBODY = UINT32_MAX };
// What a warp waits that finds another block not ready: calibrated on bfs, whose levels are barriers of the whole grid.
enum { POLL_CLOCKS = 3000 };

typedef struct value {
    uint64_t ready;
    uint32_t maker; // serial
} value;

typedef struct warp_clock {
    uint64_t now;
    value *registers;
    const ptx_inst *ran[RECENT]; // the basic blocks before
    bool polls;                  // in a loop that waits for another block
    uint32_t barriers;           // passed so far
    bool at_barrier;
    uint64_t copies, groups[GROUPS]; // when asynchronous copies are there: those not committed, and by group
    uint32_t group_count;
} warp_clock;

typedef struct block_clock {
    uint32_t block, warp_count;
    uint64_t swapping; // until then warps of it add floats in shared memory
    warp_clock warps[WARPS];
    struct {
        uint32_t barrier;
        uint64_t last; // arrival
    } generations[GENERATIONS];
} block_clock;

// What is known of memory instructions of the basic block that runs.
typedef struct note {
    uint32_t serial, clocks;
    bool swaps; // a loop of compare-and-swaps: see contention.h
} note;

struct observe_scoreboard {
    const observe_inst_info *infos;
    uint32_t inst_count, register_count, stride;
    block_clock *blocks[BLOCKS];
    uint32_t block_count;
    uint64_t *waits;
    uint32_t wait_capacity;
    note notes[NOTES];
    uint32_t note_count;
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
    board->note_count = 0;
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

// cp.async, its groups, and the waits for all but the latest of them.
static void copy_async(warp_clock *w, const ptx_inst *inst, uint64_t begins, uint32_t latency) {
    switch (inst->op) {
    case PTX_OP_CP_ASYNC:
        if (begins + latency > w->copies) w->copies = begins + latency;
        break;
    case PTX_OP_CP_ASYNC_COMMIT_GROUP:
        w->groups[w->group_count++ % GROUPS] = w->copies;
        w->copies = 0;
        break;
    case PTX_OP_CP_ASYNC_WAIT_GROUP:
    case PTX_OP_CP_ASYNC_WAIT_ALL: {
        bool all = inst->op == PTX_OP_CP_ASYNC_WAIT_ALL;
        uint32_t open = all || !inst->operand_count ? 0 : (uint32_t)inst->operands[0].value;
        for (uint32_t i = w->group_count > GROUPS ? w->group_count - GROUPS : 0; i + open < w->group_count;
             i++)
            if (w->groups[i % GROUPS] > w->now) w->now = w->groups[i % GROUPS];
        if (all && w->copies > w->now) w->now = w->copies;
        break;
    }
    default: break;
    }
}

static void blame(observe_scoreboard *board, uint32_t serial, uint64_t clocks) {
    if (board->waits && serial < board->inst_count) board->waits[serial] += clocks;
}

// One basic block. `start` is when it may begin; every instruction begins as soon as its operands are there.
static void advance(observe_scoreboard *board, block_clock *b, warp_clock *w, const ptx_inst *first,
                    uint32_t count) {
    uint64_t start = w->now, slots = 0, end = start, stored = start;
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
        if (info->cost.issue && begins + info->cost.issue > end) {
            end = begins + info->cost.issue;
            last_wait = latest.maker;
        }
        slots += info->cost.issue;
        blame(board, inst->serial, info->cost.issue);
        copy_async(w, inst, begins, latency);
        if (writes) write_operand(board, w, &inst->operands[0], (value){begins + latency, inst->serial});
        if (class == PTX_CLASS_BARRIER) {
            if (end > w->now) w->now = end;
            arrive(b, w);
        }
    }
    if (end < start + slots) end = start + slots;
    if (last_wait != NOBODY && end > start + slots) blame(board, last_wait, end - start - slots);
    if (end > w->now) w->now = end;
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

// How often a loop that waits for another block asks again is the simulator's affair, and not a GPU's: it waits once.
static bool polls_again(warp_clock *w, const ptx_inst *first, uint32_t count) {
    bool again = false;
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

void observe_scoreboard_run(observe_scoreboard *board, const ptx_inst *first, uint32_t count, uint32_t block,
                            uint32_t warp) {
    block_clock *b = find_block(board, block);
    if (b && warp < b->warp_count) {
        warp_clock *w = &b->warps[warp];
        if (!w->registers) w->registers = calloc(board->register_count + 1, sizeof *w->registers);
        if (w->registers) {
            if (w->at_barrier) pass_barrier(b, w);
            if (!polls_again(w, first, count)) advance(board, b, w, first, count);
        }
    }
    board->note_count = 0;
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
