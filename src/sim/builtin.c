// The functions every CUDA program finds on the device: malloc, free, printf, assert.

#include "sim/core.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint64_t argument(const sim_warp *w, const sim_call *call, uint32_t local, unsigned lane,
                         uint32_t index) {
    uint64_t value = 0;
    if (index >= call->arg_count) return 0;
    const sim_variable_slot *slot = &call->args[index];
    uint64_t bytes = slot->variable->size < 8 ? slot->variable->size : 8;
    memcpy(&value, sim_local(w, lane, local + slot->offset), bytes);
    return value;
}

static void give_result(sim_warp *w, const sim_call *call, uint32_t local, unsigned lane, uint64_t value) {
    if (call->result_count == 0) return;
    const sim_variable_slot *slot = &call->results[0];
    sim_listener *listener = w->block->worker->listener;
    if (listener && listener->access) {
        uint64_t addresses[SIM_LANES] = {0};
        addresses[lane] = local + slot->offset;
        listener->access(listener, &(sim_access){.at = sim_event_of(w, call->inst, UINT32_C(1) << lane),
                                                 .kind = SIM_STORE,
                                                 .space = SIM_LOCAL,
                                                 .bytes = (uint32_t)slot->variable->size,
                                                 .addresses = addresses});
    }
    uint64_t bytes = slot->variable->size < 8 ? slot->variable->size : 8;
    memcpy(sim_local(w, lane, local + slot->offset), &value, bytes);
}

// Copies a string of the device, at most capacity - 1 characters.
static void read_string(sim_warp *w, const sim_op *op, unsigned lane, uint64_t address, char *to,
                        size_t capacity) {
    size_t n = 0;
    for (; n + 1 < capacity; n++) {
        to[n] = (char)*sim_lane_pointer(w, op, lane, address + n, 1, false);
        if (!to[n]) return;
    }
    to[n] = 0;
}

// ---- printf -----------------------------------------------------------------------------------------

typedef struct cursor {
    uint64_t at; // next argument in the buffer; each is aligned to its size
} cursor;

static uint64_t next_argument(sim_warp *w, const sim_op *op, unsigned lane, cursor *c, unsigned bytes) {
    c->at = (c->at + bytes - 1) / bytes * bytes;
    uint64_t value = 0;
    memcpy(&value, sim_lane_pointer(w, op, lane, c->at, bytes, false), bytes);
    c->at += bytes;
    return value;
}

static void print_conversion(sim_warp *w, const sim_op *op, unsigned lane, const char *spec, size_t length,
                             cursor *c, base_text *out) {
    char clean[64], string[1024];
    uint64_t address;
    char kind = spec[length - 1];
    unsigned wide = 0; // counts l, and z, j, t as l
    size_t n = 0;
    clean[n++] = '%';
    for (size_t i = 1; i + 1 < length && n < sizeof clean - 24; i++) {
        if (spec[i] == 'l' || spec[i] == 'z' || spec[i] == 'j' || spec[i] == 't')
            wide++;
        else if (spec[i] == '*')
            n += (size_t)snprintf(clean + n, 12, "%d", (int)next_argument(w, op, lane, c, 4));
        else if (spec[i] != 'h' && spec[i] != 'L')
            clean[n++] = spec[i];
    }
    switch (kind) {
    case 'd':
    case 'i': {
        uint64_t raw = next_argument(w, op, lane, c, wide ? 8 : 4);
        snprintf(clean + n, sizeof clean - n, "%s", PRId64);
        base_text_add(out, clean, wide ? (int64_t)raw : (int64_t)(int32_t)raw);
        break;
    }
    case 'u':
    case 'x':
    case 'X':
    case 'o':
        snprintf(clean + n, sizeof clean - n, "l%c", kind);
        base_text_add(out, clean, (unsigned long)next_argument(w, op, lane, c, wide ? 8 : 4));
        break;
    case 'c':
        snprintf(clean + n, sizeof clean - n, "c");
        base_text_add(out, clean, (int)next_argument(w, op, lane, c, 4));
        break;
    case 's':
        address = next_argument(w, op, lane, c, 8);
        if (address)
            read_string(w, op, lane, address, string, sizeof string);
        else
            snprintf(string, sizeof string, "(null)");
        snprintf(clean + n, sizeof clean - n, "s");
        base_text_add(out, clean, string);
        break;
    case 'p': base_text_add(out, "0x%" PRIx64, next_argument(w, op, lane, c, 8)); break;
    default: { // a e f g and their capitals
        uint64_t raw = next_argument(w, op, lane, c, 8);
        double value;
        memcpy(&value, &raw, 8);
        snprintf(clean + n, sizeof clean - n, "%c", kind);
        base_text_add(out, clean, value);
    }
    }
}

// Formats one call. Gives what printf does on the device: the number of arguments that the format takes ("*" is one).
static int format_lane(sim_warp *w, const sim_op *op, unsigned lane, uint64_t format_at, uint64_t arguments,
                       base_text *out) {
    char format[4096];
    int count = 0;
    cursor c = {.at = arguments};
    read_string(w, op, lane, format_at, format, sizeof format);
    for (const char *p = format; *p;) {
        if (*p != '%') {
            size_t n = strcspn(p, "%");
            base_text_add_bytes(out, p, n);
            p += n;
            continue;
        }
        size_t n = 1 + strspn(p + 1, "-+ #0123456789.*hlLzjt");
        if (p[n] == '%' && n == 1) {
            base_text_add_bytes(out, "%", 1);
            p += 2;
        } else if (p[n] && strchr("diuxXocspaAeEfFgG", p[n])) {
            print_conversion(w, op, lane, p, n + 1, &c, out);
            for (size_t i = 0; i < n; i++) count += p[i] == '*';
            count++;
            p += n + 1;
        } else
            base_text_add_bytes(out, p++, 1);
    }
    return count;
}

// A record of the block's output is its length and its text.
static int print_lane(sim_warp *w, const sim_op *op, unsigned lane, uint64_t format_at, uint64_t arguments) {
    base_text *out = &w->block->printed;
    uint64_t length = 0;
    if (!format_at) return -1;
    size_t begin = out->length;
    base_text_add_bytes(out, (const char *)&length, sizeof length);
    int count = format_lane(w, op, lane, format_at, arguments, out);
    if (out->failed) return -2; // an internal error, in CUDA's words
    length = out->length - begin - sizeof length;
    memcpy(out->data + begin, &length, sizeof length);
    return count;
}

// ---- the others -------------------------------------------------------------------------------------

static void emit_heap(sim_warp *w, const sim_op *op, unsigned lane, sim_memory_kind kind, uint64_t address,
                      uint64_t bytes) {
    sim_listener *listener = w->block->worker->listener;
    if (!listener || !listener->memory) return;
    sim_event at = sim_event_of(w, op->inst, UINT32_C(1) << lane);
    listener->memory(listener, &(sim_memory_event){.kind = kind,
                                                   .address = address,
                                                   .bytes = bytes,
                                                   .serial = w->block->grid->memory->serial,
                                                   .at = &at});
}

static uint64_t heap_take(sim_warp *w, uint64_t bytes) {
    sim_memory *memory = w->block->grid->memory;
    w->block->worker->changes++;
    if (bytes > memory->heap_limit || memory->heap_used > memory->heap_limit - bytes) return 0;
    uint64_t address = sim_memory_suballocate_heap(memory, bytes);
    if (address) memory->heap_used += bytes;
    return address;
}

static void heap_give(sim_warp *w, const sim_op *op, unsigned lane, uint64_t address) {
    sim_memory *memory = w->block->grid->memory;
    if (!address) return;
    const sim_allocation *a = sim_memory_find(memory, address, 0);
    uint64_t bytes = a ? a->bytes : 0;
    if (!a || a->address != address || !sim_memory_release(memory, address)) {
        base_text why = {0};
        sim_memory_explain(memory, address, 1, &why);
        char text[512];
        snprintf(text, sizeof text, "%s", why.data ? why.data : "");
        base_text_free(&why);
        sim_fault_here(w, op, lane, SIM_FAULT_FREE,
                       "free(0x%" PRIx64 "): no live allocation begins there\n  %s", address, text);
    }
    // An extent remembered for this range would let it be used after all.
    for (uint32_t i = 0; i <= w->block->grid->kernel->memory_op_count; i++)
        if (w->extents[i].low == address) w->extents[i] = (sim_extent){0};
    memory->heap_used -= bytes < memory->heap_used ? bytes : memory->heap_used;
    w->block->worker->changes++;
    emit_heap(w, op, lane, SIM_MEMORY_FREE, address, bytes);
}

static _Noreturn void assertion_failed(sim_warp *w, const sim_op *op, const sim_call *call, uint32_t local,
                                       unsigned lane) {
    char message[512], file[512], function[512];
    read_string(w, op, lane, argument(w, call, local, lane, 0), message, sizeof message);
    read_string(w, op, lane, argument(w, call, local, lane, 1), file, sizeof file);
    read_string(w, op, lane, argument(w, call, local, lane, 3), function, sizeof function);
    sim_fault_here(w, op, lane, SIM_FAULT_ASSERT, "%s:%u: %s: assertion `%s` failed", file,
                   (unsigned)argument(w, call, local, lane, 2), function, message);
}

void sim_call_builtin(sim_warp *w, const sim_op *op, const sim_call *call, uint32_t local) {
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t first = argument(w, call, local, lane, 0);
        switch (call->builtin) {
        case SIM_BUILTIN_MALLOC: {
            uint64_t address = heap_take(w, first);
            give_result(w, call, local, lane, address);
            if (address) emit_heap(w, op, lane, SIM_MEMORY_ALLOC, address, first);
            break;
        }
        case SIM_BUILTIN_FREE: heap_give(w, op, lane, first); break;
        case SIM_BUILTIN_VPRINTF:
            give_result(w, call, local, lane,
                        (uint32_t)print_lane(w, op, lane, first, argument(w, call, local, lane, 1)));
            break;
        default: assertion_failed(w, op, call, local, lane);
        }
    }
}
