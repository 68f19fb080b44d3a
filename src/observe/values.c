// Which values kernels read from memory and which they wrote, for whoever wants to know whether a program's results are
// its kernels' work.
//
// Three sets of 32-bit words, each a bitmap over a hash of the word: what is in a set is always found there, what is not
// may be taken for another as often as the bitmap is full. Kernels' parameters count as read. A word is `given` where a
// kernel read it before any kernel had written it: it came from the host.
#include <stdlib.h>
#include <string.h>

#include "observe/observe.h"
#include "sim/inspect.h"

enum { WORD = 4, PIECE = 16, BITMAP_WORDS = OBSERVE_VALUES_BITS / 64 };

typedef struct range {
    uint64_t address;
    uint32_t bytes;
} range;

typedef struct values {
    observe_detector base; // first
    uint64_t read[BITMAP_WORDS], given[BITMAP_WORDS], written[BITMAP_WORDS];
    // The store under way: its values are in memory when it is done.
    const ptx_inst *store;
    uint32_t mask, bytes;
    uint64_t addresses[32];
    // Asynchronous ones, and wmma.store, of whose end nobody tells: when their threads end.
    range *pending;
    size_t pending_count, pending_capacity;
} values;

uint32_t observe_values_bit(uint32_t word) {
    return (uint32_t)((word * UINT64_C(0x9e3779b97f4a7c15)) >> 32) % OBSERVE_VALUES_BITS;
}

static bool has(const uint64_t *set, uint32_t bit) { return set[bit / 64] >> (bit % 64) & 1; }
static void add(uint64_t *set, uint32_t bit) { set[bit / 64] |= UINT64_C(1) << (bit % 64); }

static void add_read(values *self, uint32_t word) {
    uint32_t bit = observe_values_bit(word);
    add(self->read, bit);
    if (!has(self->written, bit)) add(self->given, bit);
}

// The aligned words that these bytes lie in.
static void look(values *self, const sim_warp *warp, uint32_t lane, uint64_t address, uint32_t bytes,
                 bool is_write) {
    uint64_t end = address + bytes;
    for (uint64_t at = address - address % WORD; at < end; at += PIECE) {
        uint32_t words[PIECE / WORD], count = 0;
        uint64_t left = (end - at + WORD - 1) / WORD * WORD;
        uint32_t size = left < PIECE ? (uint32_t)left : PIECE;
        if (sim_inspect_memory(warp, lane, at, words, size)) count = size / WORD;
        for (uint32_t i = 0; i < count; i++)
            if (is_write)
                add(self->written, observe_values_bit(words[i]));
            else
                add_read(self, words[i]);
    }
}

static void look_at_lanes(values *self, const sim_event *at, const uint64_t *addresses, uint32_t mask,
                          uint32_t bytes, bool is_write) {
    uint64_t last = 0; // many lanes often share one address
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        if (addresses[lane] != last) look(self, at->self, lane, addresses[lane], bytes, is_write);
        last = addresses[lane];
    }
}

static void keep(values *self, const sim_access *access) {
    for (uint32_t m = access->at.mask; m; m &= m - 1) {
        if (self->pending_count == self->pending_capacity) {
            size_t capacity = self->pending_capacity ? self->pending_capacity * 2 : 64;
            range *grown = realloc(self->pending, capacity * sizeof *grown);
            if (!grown) return;
            self->pending = grown;
            self->pending_capacity = capacity;
        }
        self->pending[self->pending_count++] = (range){access->addresses[__builtin_ctz(m)], access->bytes};
    }
}

// ---- events -------------------------------------------------------------------------------------------------

static void on_launch_begin(sim_listener *listener, const sim_launch_event *event) {
    values *self = (values *)listener;
    const ptx_function *entry = event->entry;
    for (size_t i = 0; i < entry->param_count && i < event->launch->arg_count; i++)
        for (size_t at = 0; at + WORD <= entry->params[i]->size; at += WORD) {
            uint32_t word;
            memcpy(&word, (const char *)event->launch->args[i] + at, sizeof word);
            add_read(self, word);
        }
}

// Its results have 32 bits.
static bool is_texture(const ptx_inst *inst) {
    return (inst->op == PTX_OP_TEX || inst->op == PTX_OP_TLD4) && inst->operand_count &&
           inst->operands[0].kind == PTX_OPERAND_VECTOR && inst->type_count &&
           ptx_type_bits((ptx_type)inst->types[0]) == 32;
}

static unsigned on_wants(sim_listener *listener, const ptx_inst *inst) {
    (void)listener;
    bool ends = is_texture(inst); // wanted when it is done
    for (uint32_t i = 0; i < inst->operand_count && inst->op != PTX_OP_LD; i++)
        ends = ends || inst->operands[i].kind == PTX_OPERAND_ADDRESS;
    return SIM_WANT_ACCESS | (ends ? SIM_WANT_DONE : 0);
}

static void on_access(sim_listener *listener, const sim_access *access) {
    values *self = (values *)listener;
    bool is_memory =
        access->space == SIM_GLOBAL || access->space == SIM_CONST || access->space == SIM_TEXTURE;
    if (!is_memory || !access->at.self || is_texture(access->at.inst)) return;
    if (access->kind != SIM_STORE)
        look_at_lanes(self, &access->at, access->addresses, access->at.mask, access->bytes, false);
    if (access->kind == SIM_LOAD) return;
    if (access->agent == SIM_ASYNC_PROXY || access->at.inst->op == PTX_OP_WMMA) {
        keep(self, access);
        return;
    }
    if (self->store != access->at.inst) self->mask = 0; // surfaces tell of each lane alone
    self->store = access->at.inst;
    self->mask |= access->at.mask;
    self->bytes = access->bytes;
    for (uint32_t m = access->at.mask; m; m &= m - 1)
        self->addresses[__builtin_ctz(m)] = access->addresses[__builtin_ctz(m)];
}

// Which texels were read is not told, so what came of them counts.
static void look_at_texels(values *self, const sim_event *event) {
    const ptx_operand *to = event->inst->operands;
    for (uint32_t i = 0; i < to->element_count; i++) {
        int32_t reg = to->elements[i].kind == PTX_OPERAND_REG ? to->elements[i].reg : -1;
        const uint32_t *lanes =
            reg >= 0 ? sim_inspect_register(event->self, sim_inspect_frame(event->self), reg) : NULL;
        for (uint32_t m = event->mask; m && lanes; m &= m - 1) add_read(self, lanes[__builtin_ctz(m)]);
    }
}

static void on_done(sim_listener *listener, const sim_event *event) {
    values *self = (values *)listener;
    if (is_texture(event->inst)) look_at_texels(self, event);
    if (!self->store || self->store != event->inst) return;
    self->store = NULL;
    look_at_lanes(self, event, self->addresses, self->mask, self->bytes, true);
}

static void on_leave(sim_listener *listener, const sim_event *event) {
    values *self = (values *)listener;
    if (!event->mask) return;
    for (size_t i = 0; i < self->pending_count; i++)
        look(self, event->self, (uint32_t)__builtin_ctz(event->mask), self->pending[i].address,
             self->pending[i].bytes, true);
    self->pending_count = 0;
}

// ---- the whole ----------------------------------------------------------------------------------------------

static void write_set(base_text *out, const char *name, const uint64_t *set) {
    base_text_add(out, ",\"%s\":\"", name);
    for (size_t i = 0; i < BITMAP_WORDS; i++) base_text_add(out, "%016llx", (unsigned long long)set[i]);
    base_text_add(out, "\"");
}

static void write_line(const observe_detector *detector, base_text *out) {
    const values *self = (const values *)detector;
    base_text_add(out, "{\"type\":\"values\"");
    write_set(out, "read", self->read);
    write_set(out, "given", self->given);
    write_set(out, "written", self->written);
    base_text_add(out, "}\n");
}

static void close_detector(observe_detector *detector) {
    free(((values *)detector)->pending);
    free(detector);
}

observe_detector *observe_values_open(observe_findings *findings) {
    (void)findings;
    values *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->base = (observe_detector){.listener = {.launch_begin = on_launch_begin,
                                                 .wants = on_wants,
                                                 .access = on_access,
                                                 .done = on_done,
                                                 .leave = on_leave},
                                    .close = close_detector,
                                    .write = write_line};
    return &self->base;
}
