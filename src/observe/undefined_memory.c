// Undefined bits on their way through memory: loads, stores, atomics, copies.
//
// The usual case, all bytes defined, is told from whole pages or from a count; then from bits, for 32 lanes
// side by side at once. What is left goes lane by lane.
#include <stdlib.h>
#include <string.h>

#include "observe/undefined.h"
#include "sim/inspect.h"

enum { WORDS_AT_MOST = 1 << 20 }; // beyond, where a value came from is no longer kept

static undefined_self *self_of(sim_listener *listener) { return (undefined_self *)listener; }

// An address in memory, as one lane sees it.
typedef struct spot {
    undefined_self *self;
    undefined_block *block;
    undefined_warp *warp;
    uint32_t warp_index, lane;
    sim_space space;
} spot;

static uint64_t word_key(const spot *s, uint64_t address) {
    if (s->space != SIM_LOCAL) return address;
    return UINT64_C(1) << 60 | (uint64_t)(s->warp_index * UNDEFINED_LANES + s->lane) << 32 | address;
}

static shadow_table *table_of(const spot *s) {
    return s->space == SIM_GLOBAL ? &s->self->memory.words : &s->block->words;
}

// The lanes for which these bytes of the stack are defined; NULL where it is not tracked.
static uint32_t *local_at(const spot *s, uint64_t offset, uint32_t bytes) {
    if (offset > s->self->local_bytes || bytes > s->self->local_bytes - offset) return NULL;
    if (!s->warp->local) s->warp->local = calloc(s->self->local_bytes, sizeof *s->warp->local);
    if (s->warp->local && offset + bytes > s->warp->local_used)
        s->warp->local_used = (uint32_t)(offset + bytes);
    return s->warp->local ? s->warp->local + offset : NULL;
}

static bool shared_fits(const spot *s, uint64_t offset, uint32_t bytes) {
    return offset <= s->self->shared_bytes && bytes <= s->self->shared_bytes - offset;
}

// ---- up to eight bytes of one lane ------------------------------------------------------------------

// Bit i for byte i: undefined.
static uint32_t read_bytes(const spot *s, uint64_t address, uint32_t bytes) {
    if (s->space == SIM_GLOBAL) {
        const shadow_page *page = observe_shadow_page_at(&s->self->memory, address);
        return page ? (uint32_t)observe_shadow_get(page->bits, address % SHADOW_PAGE, bytes) : 0;
    }
    if (s->space == SIM_LOCAL) {
        const uint32_t *lanes = local_at(s, address, bytes);
        uint32_t out = 0;
        for (uint32_t i = 0; lanes && i < bytes; i++) out |= (~lanes[i] >> s->lane & 1) << i;
        return out;
    }
    if (!s->block->shared_missing || !shared_fits(s, address, bytes)) return 0;
    return (uint32_t)observe_shadow_get(s->block->shared, address, bytes);
}

static void write_bytes(const spot *s, uint64_t address, uint32_t bytes, uint32_t undefined) {
    if (s->space == SIM_GLOBAL) {
        shadow_page *page = observe_shadow_page_at(&s->self->memory, address);
        if (!page && !undefined) return;
        page = observe_shadow_memory_own(&s->self->memory, address);
        if (!page) return;
        page->undefined += (uint32_t)observe_shadow_put(page->bits, address % SHADOW_PAGE, bytes, undefined);
        if (page->widest < bytes) page->widest = (uint8_t)bytes;
        if (!page->undefined) observe_shadow_memory_settle(&s->self->memory, address);
        return;
    }
    if (s->space == SIM_LOCAL) {
        uint32_t *lanes = local_at(s, address, bytes), bit = UINT32_C(1) << s->lane;
        for (uint32_t i = 0; lanes && i < bytes; i++)
            lanes[i] = undefined >> i & 1 ? lanes[i] & ~bit : lanes[i] | bit;
        return;
    }
    if (shared_fits(s, address, bytes))
        s->block->shared_missing += (uint32_t)observe_shadow_put(s->block->shared, address, bytes, undefined);
}

static uint64_t expand(uint32_t bytes) {
    uint64_t bits = 0;
    for (uint32_t i = 0; i < 8; i++)
        if (bytes >> i & 1) bits |= UINT64_C(255) << (8 * i);
    return bits;
}

// The undefined bits of up to eight bytes that lie in one aligned word; *origin where it is known, else 0.
static uint64_t read_word(const spot *s, uint64_t address, uint32_t bytes, uint32_t *origin) {
    uint64_t bits = expand(read_bytes(s, address, bytes));
    *origin = 0;
    if (!bits) return 0;
    const shadow_word *word = observe_shadow_find_word(table_of(s), word_key(s, address));
    if (!word) return bits;
    *origin = word->origin;
    return bits & word->bits >> (8 * (address % 8));
}

static void write_word(const spot *s, uint64_t address, uint32_t bytes, uint64_t bits, uint32_t origin,
                       uint32_t writer) {
    uint32_t undefined = 0;
    for (uint32_t i = 0; i < bytes; i++) undefined |= (uint32_t)((bits >> (8 * i) & 255) != 0) << i;
    write_bytes(s, address, bytes, undefined);
    if (!undefined) return;
    shadow_table *table = table_of(s);
    bool whole = (bits & observe_undefined_width_mask(8 * bytes)) == expand(undefined);
    if (whole && table->count >= WORDS_AT_MOST && !observe_shadow_find_word(table, word_key(s, address)))
        return;
    shadow_word *word = observe_shadow_make_word(table, word_key(s, address));
    if (!word) return;
    unsigned shift = 8 * (unsigned)(address % 8);
    uint64_t mask = observe_undefined_width_mask(8 * bytes) << shift;
    word->bits = (word->bits & ~mask) | (bits << shift & mask);
    word->origin = origin;
    word->writer = writer;
}

// ---- whole warps ------------------------------------------------------------------------------------

static bool side_by_side(const sim_access *access) {
    if (access->at.mask != UINT32_MAX) return false;
    uint64_t first = access->addresses[0], different = 0;
    if (access->addresses[31] != first + UINT64_C(31) * access->bytes) return false;
    for (uint32_t i = 0; i < UNDEFINED_LANES; i++)
        different |= access->addresses[i] ^ (first + i * access->bytes);
    return different == 0;
}

// The page that all lanes lie in; false where there are several.
static bool one_page(const undefined_self *self, const sim_access *access, shadow_page **page) {
    const uint64_t *address = access->addresses;
    uint64_t first = address[__builtin_ctz(access->at.mask)], different = 0;
    if (access->at.mask == UINT32_MAX) {
        for (uint32_t i = 0; i < UNDEFINED_LANES; i++) different |= address[i] ^ first;
    } else {
        for (uint32_t m = access->at.mask; m; m &= m - 1) different |= address[__builtin_ctz(m)] ^ first;
    }
    *page = observe_shadow_page_at(&self->memory, first);
    return different >> SHADOW_PAGE_SHIFT == 0;
}

static bool range_is_defined(const uint64_t *bits, uint64_t at, uint32_t count) {
    uint64_t found = 0;
    for (; count > 64; count -= 64, at += 64) found |= observe_shadow_get(bits, at, 64);
    return !(found | observe_shadow_get(bits, at, count));
}

static int define_range(uint64_t *bits, uint64_t at, uint32_t count) {
    int change = 0;
    for (; count > 64; count -= 64, at += 64) change += observe_shadow_put(bits, at, 64, 0);
    return change + observe_shadow_put(bits, at, count, 0);
}

static bool lanes_are_defined(const uint64_t *bits, uint64_t limit, const sim_access *access, uint64_t mask) {
    uint64_t found = 0;
    for (uint32_t m = access->at.mask; m; m &= m - 1) {
        uint64_t at = access->addresses[__builtin_ctz(m)] & mask;
        if (at + access->bytes <= limit) found |= observe_shadow_get(bits, at, access->bytes);
    }
    return !found;
}

static bool global_is_defined(const undefined_self *self, const sim_access *access) {
    shadow_page *page;
    if (one_page(self, access, &page)) {
        if (!page) return true;
        uint64_t at = access->addresses[__builtin_ctz(access->at.mask)] % SHADOW_PAGE;
        if (side_by_side(access)) return range_is_defined(page->bits, at, 32 * access->bytes);
        return lanes_are_defined(page->bits, SHADOW_PAGE, access, SHADOW_PAGE - 1);
    }
    for (uint32_t m = access->at.mask; m; m &= m - 1) {
        uint64_t address = access->addresses[__builtin_ctz(m)];
        page = observe_shadow_page_at(&self->memory, address);
        if (page && observe_shadow_get(page->bits, address % SHADOW_PAGE, access->bytes)) return false;
    }
    return true;
}

static bool local_is_defined(const spot *s, const sim_access *access) {
    uint32_t mask = access->at.mask;
    uint64_t first = access->addresses[__builtin_ctz(mask)];
    for (uint32_t m = mask; m; m &= m - 1)
        if (access->addresses[__builtin_ctz(m)] != first) return false; // lane by lane
    const uint32_t *lanes = local_at(s, first, access->bytes);
    uint32_t defined = mask;
    for (uint32_t i = 0; lanes && i < access->bytes; i++) defined &= lanes[i];
    return defined == mask;
}

static bool is_defined(const spot *s, const sim_access *access) {
    switch (access->space) {
    case SIM_GLOBAL: return global_is_defined(s->self, access);
    case SIM_LOCAL: return local_is_defined(s, access);
    case SIM_SHARED:
        return !s->block->shared_missing ||
               lanes_are_defined(s->block->shared, s->self->shared_bytes, access, UINT64_MAX);
    default: return false;
    }
}

// ---- loads ------------------------------------------------------------------------------------------

// Another block's shared memory is that block's to know.
static bool spot_of(undefined_self *self, const undefined_at *at, const sim_access *access, uint32_t lane,
                    spot *s, uint64_t *address) {
    *s = (spot){.self = self,
                .block = at->block,
                .warp = at->warp,
                .warp_index = access->at.warp,
                .lane = lane,
                .space = access->space};
    *address = access->addresses[lane];
    if (access->space != SIM_DISTRIBUTED) return true;
    s->block = observe_undefined_block_at(self, (uint32_t)(*address >> 32));
    s->space = SIM_SHARED;
    *address &= UINT32_MAX;
    return s->block != NULL;
}

// What malloc and printf return is written by no instruction.
static bool is_builtin_result(const ptx_function *function, const ptx_inst *load) {
    const ptx_variable *variable = load->operand_count > 1 ? load->operands[1].variable : NULL;
    if (!variable) return false;
    for (uint32_t i = 0; i < function->inst_count; i++) {
        const ptx_inst *inst = &function->insts[i];
        if (inst->op != PTX_OP_CALL || inst->operand_count < 2) continue;
        if (inst->operands[1].kind != PTX_OPERAND_FUNCTION || inst->operands[1].function->has_body) continue;
        for (uint32_t k = 0; k < inst->operands[0].element_count; k++)
            if (inst->operands[0].elements[k].variable == variable) return true;
    }
    return false;
}

static uint64_t extend(const undefined_at *at, const ptx_inst *inst, uint32_t reg, uint64_t bits,
                       uint32_t bytes) {
    unsigned width = ptx_type_bits(at->function->regs[reg].type);
    bool is_signed = inst->type_count && ptx_type_class(inst->types[0]) == 's';
    if (is_signed && bits >> (8 * bytes - 1) & 1) bits |= ~observe_undefined_width_mask(8 * bytes);
    return bits & observe_undefined_width_mask(width);
}

static void load_lane(const spot *s, const undefined_at *at, undefined_plan *plan, const sim_access *access,
                      uint64_t address) {
    const ptx_inst *inst = access->at.inst;
    const ptx_operand *to = &inst->operands[0];
    uint32_t count = to->kind == PTX_OPERAND_VECTOR ? to->element_count : 1;
    uint32_t each = count ? access->bytes / count : 0;
    for (uint32_t i = 0; each && i < count; i++) {
        const ptx_operand *part = to->kind == PTX_OPERAND_VECTOR ? &to->elements[i] : to;
        uint32_t origin = 0;
        uint64_t from = address + i * each, bits = read_word(s, from, each < 8 ? each : 8, &origin);
        if (each > 8 && !bits) bits = read_word(s, from + 8, 8, &origin);
        if (!bits || part->kind != PTX_OPERAND_REG || part->reg < 0) continue;
        if (each > 8) bits = UINT64_MAX;
        if (!origin) origin = observe_undefined_new_origin(s->self, plan, &access->at, s->lane, access, NULL);
        observe_undefined_set(at, (uint32_t)part->reg, s->lane,
                              extend(at, inst, (uint32_t)part->reg, bits, each), origin);
    }
}

static void load(undefined_self *self, const undefined_at *at, undefined_plan *plan,
                 const sim_access *access) {
    spot s;
    uint64_t address;
    if (!spot_of(self, at, access, 0, &s, &address) && access->space != SIM_DISTRIBUTED) return;
    if (is_defined(&s, access) || is_builtin_result(at->function, access->at.inst)) return;
    if (access->at.self) sim_inspect_closely(access->at.self);
    for (uint32_t m = access->at.mask; m; m &= m - 1)
        if (spot_of(self, at, access, (uint32_t)__builtin_ctz(m), &s, &address))
            load_lane(&s, at, plan, access, address);
}

// ---- stores -----------------------------------------------------------------------------------------

static void define_global(undefined_self *self, const sim_access *access) {
    shadow_page *page;
    if (one_page(self, access, &page)) {
        if (!page) return;
        uint64_t first = access->addresses[__builtin_ctz(access->at.mask)];
        if (side_by_side(access) && (page = observe_shadow_memory_own(&self->memory, first))) {
            if (page->widest < access->bytes) page->widest = (uint8_t)access->bytes;
            page->undefined +=
                (uint32_t)define_range(page->bits, first % SHADOW_PAGE, UNDEFINED_LANES * access->bytes);
            if (!page->undefined) observe_shadow_memory_settle(&self->memory, first);
            return;
        }
    }
    spot s = {.self = self, .space = SIM_GLOBAL};
    for (uint32_t m = access->at.mask; m; m &= m - 1)
        write_bytes(&s, access->addresses[__builtin_ctz(m)], access->bytes, 0);
}

static void define_lanes(undefined_self *self, const undefined_at *at, const sim_access *access) {
    for (uint32_t m = access->at.mask; m; m &= m - 1) {
        spot s;
        uint64_t address;
        if (!spot_of(self, at, access, (uint32_t)__builtin_ctz(m), &s, &address)) continue;
        for (uint32_t done = 0; done < access->bytes; done += 16)
            write_bytes(&s, address + done, access->bytes - done < 16 ? access->bytes - done : 16, 0);
    }
}

static void define_local(const spot *s, const undefined_at *at, const sim_access *access) {
    uint32_t mask = access->at.mask;
    uint64_t first = access->addresses[__builtin_ctz(mask)];
    for (uint32_t m = mask; m; m &= m - 1)
        if (access->addresses[__builtin_ctz(m)] != first) {
            define_lanes(s->self, at, access);
            return;
        }
    uint32_t *lanes = local_at(s, first, access->bytes);
    for (uint32_t i = 0; lanes && i < access->bytes; i++) lanes[i] |= mask;
}

static void define(undefined_self *self, const undefined_at *at, const sim_access *access) {
    spot s;
    uint64_t address;
    // Lane 0 may take no part: its address then names any block, or none.
    if (access->bytes > 32 || access->space == SIM_DISTRIBUTED) {
        define_lanes(self, at, access);
        return;
    }
    if (!spot_of(self, at, access, 0, &s, &address)) return;
    if (access->space == SIM_GLOBAL) {
        define_global(self, access);
    } else if (access->space == SIM_LOCAL) {
        define_local(&s, at, access);
    } else if (access->space == SIM_SHARED) {
        if (!s.block->shared_missing) return;
        if (side_by_side(access) && shared_fits(&s, access->addresses[0], UNDEFINED_LANES * access->bytes))
            s.block->shared_missing += (uint32_t)define_range(s.block->shared, access->addresses[0],
                                                              UNDEFINED_LANES * access->bytes);
        else
            define_lanes(self, at, access);
    } else {
        define_lanes(self, at, access);
    }
}

// What a shuffle got from a lane that takes no part goes to global memory: that is reported here and now. Values that are
// undefined for other reasons are reported where they matter.
static bool is_reported(const spot *s, undefined_plan *plan, const sim_event *event, uint32_t origin) {
    if (s->space != SIM_GLOBAL || !origin || !s->self->origins[origin].is_shuffle) return false;
    observe_undefined_report(s->self, plan, event, s->lane, OBSERVE_SHUFFLE_OUTSIDE, origin);
    return true;
}

static void store_lane(const spot *s, const undefined_at *at, undefined_plan *plan, const sim_access *access,
                       uint64_t address, const ptx_operand *data) {
    uint32_t count = data->kind == PTX_OPERAND_VECTOR ? data->element_count : 1;
    uint32_t each = count ? access->bytes / count : 0, writer = 0;
    for (uint32_t i = 0; each && i < count; i++) {
        const ptx_operand *part = data->kind == PTX_OPERAND_VECTOR ? &data->elements[i] : data;
        bool is_register = part->kind == PTX_OPERAND_REG && part->reg >= 0;
        uint64_t bits = is_register ? observe_undefined_bits_of(at, (uint32_t)part->reg, s->lane) : 0;
        uint32_t origin = bits ? observe_undefined_origin_of(at, (uint32_t)part->reg, s->lane) : 0;
        bits &= observe_undefined_width_mask(each < 8 ? 8 * each : 64);
        if (bits && is_reported(s, plan, &access->at, origin)) bits = 0;
        if (bits && !writer)
            writer = observe_undefined_new_origin(s->self, plan, &access->at, s->lane, access, NULL);
        for (uint32_t done = 0; done < each; done += 8)
            write_word(s, address + i * each + done, each - done < 8 ? each - done : 8, bits, origin, writer);
    }
}

static uint32_t data_lanes(const undefined_self *self, const undefined_at *at, const undefined_plan *plan) {
    const uint32_t *regs = self->lists + plan->at + plan->sources + plan->destinations;
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < plan->data; i++) lanes |= at->undefined[regs[i]];
    return lanes;
}

static void store(undefined_self *self, const undefined_at *at, undefined_plan *plan,
                  const sim_access *access) {
    uint32_t lanes = data_lanes(self, at, plan) & access->at.mask;
    const ptx_inst *inst = access->at.inst;
    if (!lanes || inst->op != PTX_OP_ST || inst->operand_count < 2) {
        define(self, at, access);
        return;
    }
    for (uint32_t m = access->at.mask; m; m &= m - 1) {
        spot s;
        uint64_t address;
        if (spot_of(self, at, access, (uint32_t)__builtin_ctz(m), &s, &address))
            store_lane(&s, at, plan, access, address, &inst->operands[1]);
    }
}

// ---- atomics ----------------------------------------------------------------------------------------

// *origin is that of the operand, where a bit of it is undefined.
static uint64_t operand_bits(const undefined_at *at, const ptx_operand *operand, uint32_t lane,
                             uint32_t *origin) {
    uint64_t bits = 0;
    if (operand->kind == PTX_OPERAND_REG && operand->reg >= 0) {
        bits = observe_undefined_bits_of(at, (uint32_t)operand->reg, lane);
        if (bits) *origin = observe_undefined_origin_of(at, (uint32_t)operand->reg, lane);
    }
    for (uint32_t i = 0; i < operand->element_count; i++)
        bits |= operand_bits(at, &operand->elements[i], lane, origin);
    return bits;
}

static void atomic_lane(const spot *s, const undefined_at *at, undefined_plan *plan, const sim_access *access,
                        uint64_t address) {
    const ptx_inst *inst = access->at.inst;
    uint32_t first = inst->op == PTX_OP_ATOM ? 2 : 1, origin = 0, given_origin = 0;
    uint64_t old = 0, given = 0;
    for (uint32_t done = 0; done < access->bytes; done += 8)
        old |= read_word(s, address + done, access->bytes - done < 8 ? access->bytes - done : 8, &origin);
    uint16_t how = inst->by_category[PTX_CAT_ATOMIC];
    for (uint32_t i = first; i < inst->operand_count; i++)
        given |= operand_bits(at, &inst->operands[i], s->lane, &given_origin);
    if (given && is_reported(s, plan, &access->at, given_origin)) given = 0;
    uint64_t after = how == PTX_MOD_EXCH ? given : old | given;
    if (!old && !after) return;
    if (!old)
        origin = given_origin;
    else if (!origin)
        origin = observe_undefined_new_origin(s->self, plan, &access->at, s->lane, access, NULL);
    uint32_t writer =
        after ? observe_undefined_new_origin(s->self, plan, &access->at, s->lane, access, NULL) : 0;
    for (uint32_t done = 0; done < access->bytes; done += 8)
        write_word(s, address + done, access->bytes - done < 8 ? access->bytes - done : 8,
                   after ? UINT64_MAX : 0, origin, writer);
    if (!old || inst->op != PTX_OP_ATOM) return;
    const uint32_t *to = s->self->lists + plan->at + plan->sources;
    for (uint32_t i = 0; i < plan->destinations; i++)
        observe_undefined_set(at, to[i], s->lane, UINT64_MAX, origin);
}

static void atomic(undefined_self *self, const undefined_at *at, undefined_plan *plan,
                   const sim_access *access) {
    spot s;
    uint64_t address;
    bool given = data_lanes(self, at, plan) & access->at.mask;
    if (!spot_of(self, at, access, 0, &s, &address) && access->space != SIM_DISTRIBUTED) return;
    if (!given && is_defined(&s, access)) return;
    if (access->at.self) sim_inspect_closely(access->at.self);
    for (uint32_t m = access->at.mask; m; m &= m - 1)
        if (spot_of(self, at, access, (uint32_t)__builtin_ctz(m), &s, &address))
            atomic_lane(&s, at, plan, access, address);
}

// ---- copies -----------------------------------------------------------------------------------------

static void copy_range(const spot *to, uint64_t to_at, const spot *from, uint64_t from_at, uint32_t bytes,
                       uint32_t origin) {
    uint32_t step = (to_at | from_at | bytes) % 8 == 0 ? 8 : (to_at | from_at | bytes) % 4 == 0 ? 4 : 1;
    for (uint32_t done = 0; done < bytes; done += step) {
        uint32_t known;
        uint64_t bits = read_word(from, from_at + done, step, &known);
        write_word(to, to_at + done, step, bits, known ? known : origin, origin);
    }
}

static void asynchronous(undefined_self *self, const undefined_at *at, undefined_plan *plan,
                         const sim_access *access) {
    if (access->kind == SIM_LOAD) {
        self->copy.inst = access->at.inst;
        self->copy.self = access->at.self;
        self->copy.mask = access->at.mask;
        self->copy.bytes = access->bytes;
        self->copy.space = access->space;
        memcpy(self->copy.addresses, access->addresses, sizeof self->copy.addresses);
        return;
    }
    define_lanes(self, at, access);
    bool follows = self->copy.inst == access->at.inst && self->copy.self == access->at.self;
    if (access->kind != SIM_STORE || !follows) return;
    sim_access source = *access;
    source.space = self->copy.space;
    source.addresses = self->copy.addresses;
    uint32_t bytes = self->copy.bytes < access->bytes ? self->copy.bytes : access->bytes;
    for (uint32_t m = access->at.mask & self->copy.mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        spot to, from;
        uint64_t to_at, from_at, first;
        if (!spot_of(self, at, access, lane, &to, &to_at) ||
            !spot_of(self, at, &source, lane, &from, &from_at))
            continue;
        if (from.space == SIM_GLOBAL && !observe_shadow_memory_has(&self->memory, from_at, bytes, &first))
            continue;
        source.bytes = bytes;
        copy_range(&to, to_at, &from, from_at, bytes,
                   observe_undefined_new_origin(self, plan, &access->at, lane, &source, NULL));
    }
    self->copy.inst = NULL;
}

void observe_undefined_copy_local(sim_listener *listener, const sim_event *event, uint32_t to, uint32_t from,
                                  uint32_t bytes) {
    undefined_self *self = self_of(listener);
    undefined_block *block = observe_undefined_block_at(self, event->block);
    if (!block || event->warp >= block->warp_count) return;
    spot s = {.self = self,
              .block = block,
              .warp = &block->warps[event->warp],
              .warp_index = event->warp,
              .space = SIM_LOCAL};
    uint32_t *source = local_at(&s, from, bytes), *target = local_at(&s, to, bytes), missing = 0;
    if (!source || !target) return;
    for (uint32_t i = 0; i < bytes; i++) missing |= ~source[i] & event->mask;
    for (uint32_t i = 0; !missing && i < bytes; i++) target[i] |= event->mask;
    if (!missing) return;
    for (uint32_t m = event->mask; m; m &= m - 1) {
        s.lane = (uint32_t)__builtin_ctz(m);
        copy_range(&s, to, &s, from, bytes, 0);
    }
}

// The variables of a function that is entered hold nothing, though its stack was used before.
void observe_undefined_enter_locals(const undefined_at *at, const sim_event *event) {
    if (!event->self || !at->warp->local) return;
    for (uint32_t i = 0; i < at->function->local_count; i++) {
        const ptx_variable *variable = at->function->locals[i];
        uint64_t address;
        if (variable->space != PTX_MOD_LOCAL ||
            !sim_inspect_variable(event->self, at->frame, variable, &address))
            continue;
        uint64_t begin = address - sim_inspect_window(SIM_LOCAL);
        for (uint64_t k = begin; k < begin + variable->size && k < at->warp->local_used; k++)
            at->warp->local[k] &= ~event->mask;
    }
}

// What is stored to a surface counts as defined: its bytes lie in global memory, where the host reads them.
static void define_surface(undefined_self *self, const sim_access *access) {
    spot s = {.self = self, .space = SIM_GLOBAL};
    for (uint32_t m = access->at.mask; m; m &= m - 1)
        write_bytes(&s, access->addresses[__builtin_ctz(m)], access->bytes, 0);
}

// ---- for matrices -----------------------------------------------------------------------------------

uint64_t observe_undefined_read(undefined_self *self, const undefined_at *at, const sim_access *access,
                                uint32_t lane, uint32_t offset, uint32_t bytes, uint32_t *origin) {
    spot s;
    uint64_t address;
    *origin = 0;
    return spot_of(self, at, access, lane, &s, &address) ? read_word(&s, address + offset, bytes, origin) : 0;
}

void observe_undefined_write(undefined_self *self, const undefined_at *at, const sim_access *access,
                             uint32_t lane, uint32_t offset, uint32_t bytes, uint64_t bits, uint32_t origin,
                             uint32_t writer) {
    spot s;
    uint64_t address;
    if (spot_of(self, at, access, lane, &s, &address))
        write_word(&s, address + offset, bytes, bits, origin, writer);
}

bool observe_undefined_is_defined(undefined_self *self, const undefined_at *at, const sim_access *access) {
    spot s;
    uint64_t address;
    return !spot_of(self, at, access, 0, &s, &address) || is_defined(&s, access);
}

// ---- the event --------------------------------------------------------------------------------------

void observe_undefined_access(sim_listener *listener, const sim_access *access) {
    undefined_self *self = self_of(listener);
    if (!access->at.mask || !access->bytes || access->part == SIM_PART_MAP) return;
    const undefined_at *at = observe_undefined_find(self, &access->at);
    if (!at) return;
    if (access->space == SIM_TEXTURE && access->kind == SIM_STORE) define_surface(self, access);
    if (access->space == SIM_PARAM || access->space == SIM_CONST || access->space == SIM_TEXTURE) return;
    undefined_plan *plan = observe_undefined_plan_of(self, access->at.inst, at->function);
    if (!plan || observe_undefined_matrix_access(self, at, plan, access)) return;
    if (access->agent != SIM_THREAD) {
        asynchronous(self, at, plan, access);
        return;
    }
    ptx_class class = ptx_op_get(access->at.inst->op)->class;
    bool usual = class == PTX_CLASS_LOAD || class == PTX_CLASS_STORE || class == PTX_CLASS_ATOMIC ||
                 class == PTX_CLASS_REDUCTION;
    if (access->kind == SIM_STORE) {
        store(self, at, plan, access);
    } else if (!usual || access->bytes > 32) {
        if (access->kind == SIM_ATOMIC) define(self, at, access);
    } else if (access->kind == SIM_LOAD) {
        load(self, at, plan, access);
    } else {
        atomic(self, at, plan, access);
    }
}
