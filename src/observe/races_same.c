// Whether two writes that race write the same bytes. Then the result is the same, and it is a note.
#include <stdlib.h>
#include <string.h>

#include "observe/races.h"
#include "sim/inspect.h"

// ---- stores of threads -----------------------------------------------------------------------------------

// The bytes that a store writes for a lane.
static bool stored_bytes(const sim_access *access, uint32_t lane, uint8_t bytes[64]) {
    const ptx_inst *inst = access->at.inst;
    const sim_warp *warp = access->at.self;
    if (inst->op != PTX_OP_ST || inst->operand_count < 2 || inst->type_count == 0 || !warp) return false;
    const ptx_operand *data = &inst->operands[1];
    const ptx_operand *list = data->kind == PTX_OPERAND_VECTOR ? data->elements : data;
    uint32_t count = data->kind == PTX_OPERAND_VECTOR ? data->element_count : 1;
    uint32_t size = ptx_type_bits(inst->types[0]) / 8, frame = sim_inspect_frame(warp);
    const ptx_function *function = sim_inspect_function(warp, frame);
    if (!function || size * count > 64) return false;
    for (uint32_t i = 0; i < count; i++) {
        if (list[i].kind == PTX_OPERAND_INT || list[i].kind == PTX_OPERAND_FLOAT) {
            uint64_t value = ptx_immediate(&list[i], inst->types[0]);
            if (size > 8) return false;
            memcpy(bytes + i * size, &value, size);
            continue;
        }
        if (list[i].kind != PTX_OPERAND_REG) return false;
        const uint8_t *lanes = sim_inspect_register(warp, frame, list[i].reg);
        uint32_t width = ptx_type_bits(function->regs[list[i].reg].type) / 8;
        if (width < 2) width = 2; // 8-bit registers take 16
        if (!lanes || width < size) return false;
        memcpy(bytes + i * size, lanes + (size_t)lane * width, size);
    }
    return true;
}

bool observe_races_store_same(const races_conflict *c) {
    const sim_access *access = c->access;
    uint8_t mine[64], before[64];
    if (!(c->tag & c->other_tag & RACES_TAG_WRITE) || !observe_races_is_plain(c->tag) ||
        !observe_races_is_plain(c->other_tag))
        return false;
    if (!stored_bytes(access, c->lane, mine)) return false;
    const uint8_t *value = mine + (c->address - access->addresses[c->lane]);
    uint32_t other = c->who & 31;
    bool together = c->who >> 5 == (c->block->id << 5 | access->at.warp) && access->at.mask >> other & 1 &&
                    access->addresses[other] <= c->address &&
                    c->address - access->addresses[other] < access->bytes &&
                    !((c->tag ^ c->other_tag) >> RACES_TAG_SERIAL_SHIFT);
    if (together)
        return stored_bytes(access, other, before) &&
               !memcmp(value, before + (c->address - access->addresses[other]), c->bytes);
    if (access->space == SIM_DISTRIBUTED) return false;
    uint64_t window = access->space == SIM_SHARED ? sim_inspect_window(SIM_SHARED) : 0;
    return sim_inspect_memory(access->at.self, c->lane, c->address + window, before, c->bytes) &&
           !memcmp(value, before, c->bytes);
}

// ---- bulk copies from shared memory ------------------------------------------------------------------------

// A copy tells of each piece twice: what it reads, then what it writes.
void observe_races_note_piece(races *self, const races_block *block, const sim_access *access,
                              races_kind kind) {
    uint32_t lane = (uint32_t)__builtin_ctz(access->at.mask);
    uint32_t who = observe_races_who(block, access->at.warp, lane);
    races_piece *read = &self->piece_read;
    if (kind == RACES_BULK_READ && access->space == SIM_SHARED)
        *read = (races_piece){.from = (uint32_t)access->addresses[lane], .bytes = access->bytes, .who = who};
    if (kind != RACES_BULK_WRITE || access->space != SIM_GLOBAL || read->who != who ||
        read->bytes != access->bytes)
        return;
    if (!self->pieces) self->pieces = malloc(RACES_PIECES * sizeof *self->pieces);
    if (!self->pieces) return;
    read->to = access->addresses[lane];
    self->pieces[self->piece_count++ % RACES_PIECES] = *read;
}

static bool covers(const races_piece *piece, const races_conflict *c) {
    return c->address >= piece->to && c->address - piece->to + c->bytes <= piece->bytes;
}

static const races_piece *find_piece(const races *self, const races_conflict *c) {
    uint32_t kept = self->piece_count < RACES_PIECES ? self->piece_count : RACES_PIECES;
    for (uint32_t back = 2; back <= kept; back++) {
        const races_piece *piece = &self->pieces[(self->piece_count - back) % RACES_PIECES];
        if (piece->who == c->who && covers(piece, c)) return piece;
    }
    return NULL;
}

static bool read_source(const races_conflict *c, const races_piece *piece, uint8_t bytes[64]) {
    uint64_t at = sim_inspect_window(SIM_SHARED) + piece->from + (c->address - piece->to);
    return sim_inspect_memory(c->access->at.self, c->lane, at, bytes, c->bytes);
}

// Neither may have arrived yet, but what they read still lies in the block's shared memory.
bool observe_races_copy_same(const races *self, const races_conflict *c) {
    uint8_t mine[64], theirs[64];
    if ((c->tag & RACES_TAG_KIND) != RACES_BULK_WRITE || (c->other_tag & RACES_TAG_KIND) != RACES_BULK_WRITE)
        return false;
    if (c->who >> 10 != c->block->id || !self->piece_count || c->bytes > sizeof mine) return false;
    const races_piece *now = &self->pieces[(self->piece_count - 1) % RACES_PIECES];
    const races_piece *other = covers(now, c) ? find_piece(self, c) : NULL;
    return other && read_source(c, now, mine) && read_source(c, other, theirs) &&
           !memcmp(mine, theirs, c->bytes);
}
