// What the host reads, as hashes and, where it is small, as bytes: two runs under different schedules can be
// compared. Each output names the kernels that wrote the buffer, and an atomic operation that may be why the
// order of threads shows in it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "observe/observe.h"

enum { WRITERS = 8, KEEP_AT_MOST = 64 << 10, KEEP_IN_ALL = 4 << 20 };

typedef struct target { // an allocation
    uint64_t address, bytes;
    uint32_t writers[WRITERS]; // kernels
    uint32_t writer_count;
    ptx_type element;
    const observe_words *atomic; // the first atomic on it whose order can show
    bool atomic_is_float;
} target;

typedef struct hashes {
    observe_detector base; // first
    observe_findings *findings;
    target *targets; // by address
    size_t count, capacity;
    size_t last; // that was hit
    char **kernels;
    uint32_t kernel_count, kernel_capacity, kernel; // the last is the one that runs
    base_text lines;
    uint64_t outputs, kept;
} hashes;

static hashes *self_of(sim_listener *listener) { return (hashes *)listener; }

static uint64_t hash_of(const uint8_t *data, uint64_t bytes) {
    uint64_t hash = BASE_HASH ^ bytes, word;
    for (; bytes >= 8; bytes -= 8, data += 8) {
        memcpy(&word, data, 8);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    hash = base_hash(hash, data, bytes);
    return hash ^ hash >> 32;
}

// ---- allocations and who writes them -------------------------------------------------------------------

static size_t after(const hashes *self, uint64_t address) {
    size_t low = 0, high = self->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (self->targets[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool holds(const target *t, uint64_t address) { return address - t->address < t->bytes; }

static target *find(hashes *self, uint64_t address) {
    if (self->last < self->count && holds(&self->targets[self->last], address))
        return &self->targets[self->last];
    size_t at = after(self, address);
    if (!at || !holds(&self->targets[at - 1], address)) return NULL;
    self->last = at - 1;
    return &self->targets[at - 1];
}

static void add(hashes *self, const sim_memory_event *event) {
    if (self->count == self->capacity) {
        size_t capacity = self->capacity ? self->capacity * 2 : 64;
        target *grown = realloc(self->targets, capacity * sizeof *grown);
        if (!grown) return;
        self->targets = grown;
        self->capacity = capacity;
    }
    size_t at = after(self, event->address);
    memmove(self->targets + at + 1, self->targets + at, (self->count - at) * sizeof *self->targets);
    self->targets[at] = (target){.address = event->address, .bytes = event->bytes};
    self->count++;
}

static void drop(hashes *self, uint64_t address) {
    size_t at = after(self, address);
    if (!at || self->targets[at - 1].address != address) return;
    memmove(self->targets + at - 1, self->targets + at, (self->count - at) * sizeof *self->targets);
    self->count--;
}

// Sums of integers come out alike in any order; what returns the value before does not.
static bool order_shows(const ptx_inst *inst, bool *is_float) {
    ptx_type type = inst->type_count ? (ptx_type)inst->types[0] : PTX_B32;
    char class = ptx_type_class(type);
    uint16_t how = inst->by_category[PTX_CAT_ATOMIC];
    *is_float = (class == 'f' || class == 'v') && how == PTX_MOD_ADD;
    return *is_float || how == PTX_MOD_EXCH || how == PTX_MOD_CAS ||
           (inst->op == PTX_OP_ATOM && inst->operand_count && inst->operands[0].kind == PTX_OPERAND_REG);
}

static void on_access(sim_listener *listener, const sim_access *access) {
    if (access->kind == SIM_LOAD || access->space != SIM_GLOBAL || !access->at.mask) return;
    hashes *self = self_of(listener);
    uint32_t lane = (uint32_t)__builtin_ctz(access->at.mask);
    target *t = find(self, access->addresses[lane]);
    if (!t) return;
    const ptx_inst *inst = access->at.inst;
    if (inst->type_count) t->element = (ptx_type)inst->types[0];
    if (!t->writer_count || t->writers[t->writer_count - 1] != self->kernel) {
        uint32_t i = 0;
        while (i < t->writer_count && t->writers[i] != self->kernel) i++;
        if (i == t->writer_count && i < WRITERS) t->writers[t->writer_count++] = self->kernel;
    }
    bool is_float;
    if (access->kind != SIM_ATOMIC || !order_shows(inst, &is_float)) return;
    if (t->atomic && (t->atomic_is_float || !is_float)) return;
    observe_site site = {.inst = inst,
                         .block = access->at.block,
                         .thread = access->at.warp * 32 + lane,
                         .is_write = true,
                         .is_atomic = true,
                         .agent = access->agent};
    t->atomic = observe_findings_words(self->findings, &site);
    t->atomic_is_float = is_float;
}

// ---- outputs -------------------------------------------------------------------------------------------

static void add_writers(hashes *self, const target *t) {
    const char *before = ",\"kernels\":[";
    for (uint32_t i = 0; i < t->writer_count; i++) {
        base_text_add(&self->lines, "%s", before);
        base_text_add_json(&self->lines, self->kernels[t->writers[i]]);
        before = ",";
    }
    if (t->writer_count) base_text_add(&self->lines, "],\"element\":\"%s\"", ptx_type_name(t->element));
    if (!t->atomic) return;
    base_text_add(&self->lines, ",\"atomic\":");
    observe_findings_write_words(t->atomic, &self->lines);
    base_text_add(&self->lines, ",\"atomic_is_float\":%s", t->atomic_is_float ? "true" : "false");
}

static void output(hashes *self, const sim_memory_event *event) {
    static const char digits[] = "0123456789abcdef";
    base_text buffer = {0};
    const uint8_t *data = event->data;
    const target *t = find(self, event->address);
    base_text_add(&self->lines, "{\"type\":\"output\",\"number\":%llu,\"bytes\":%llu,\"hash\":\"%016llx\"",
                  (unsigned long long)++self->outputs, (unsigned long long)event->bytes,
                  (unsigned long long)hash_of(data, event->bytes));
    if (observe_findings_buffer(self->findings, event->address, &buffer)) {
        base_text_add(&self->lines, ",\"buffer\":");
        base_text_add_json(&self->lines, buffer.data);
    }
    base_text_free(&buffer);
    if (t) add_writers(self, t);
    if (event->bytes <= KEEP_AT_MOST && self->kept + event->bytes <= KEEP_IN_ALL) {
        self->kept += event->bytes;
        base_text_add(&self->lines, ",\"data\":\"");
        for (uint64_t i = 0; i < event->bytes; i++) {
            char pair[2] = {digits[data[i] >> 4], digits[data[i] & 15]};
            base_text_add_bytes(&self->lines, pair, 2);
        }
        base_text_add(&self->lines, "\"");
    }
    base_text_add(&self->lines, "}\n");
}

static void on_memory(sim_listener *listener, const sim_memory_event *event) {
    hashes *self = self_of(listener);
    switch (event->kind) {
    case SIM_MEMORY_ALLOC: add(self, event); break;
    case SIM_MEMORY_HOST_READ:
        if (event->data) output(self, event);
        break;
    case SIM_MEMORY_FREE: { // memory that the host sees itself was an output if a kernel wrote it
        const target *t = find(self, event->address);
        if (event->data && t && t->writer_count) output(self, event);
        drop(self, event->address);
        break;
    }
    default: break;
    }
}

static void on_launch_begin(sim_listener *listener, const sim_launch_event *event) {
    hashes *self = self_of(listener);
    for (uint32_t i = 0; i < self->kernel_count; i++)
        if (!strcmp(self->kernels[i], event->entry->name)) {
            self->kernel = i;
            return;
        }
    if (self->kernel_count == self->kernel_capacity) {
        uint32_t capacity = self->kernel_capacity ? self->kernel_capacity * 2 : 16;
        char **grown = realloc(self->kernels, capacity * sizeof *grown);
        if (!grown) return;
        self->kernels = grown;
        self->kernel_capacity = capacity;
    }
    char *name = strdup(event->entry->name);
    if (!name) return;
    self->kernel = self->kernel_count;
    self->kernels[self->kernel_count++] = name;
}

static void write_lines(const observe_detector *detector, base_text *out) {
    const hashes *self = (const hashes *)detector;
    if (self->lines.data) base_text_add_bytes(out, self->lines.data, self->lines.length);
}

static void close_detector(observe_detector *detector) {
    hashes *self = (hashes *)detector;
    for (uint32_t i = 0; i < self->kernel_count; i++) free(self->kernels[i]);
    free(self->kernels);
    free(self->targets);
    base_text_free(&self->lines);
    free(self);
}

observe_detector *observe_hashes_open(observe_findings *findings) {
    hashes *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->findings = findings;
    self->base = (observe_detector){
        .listener = {.launch_begin = on_launch_begin, .access = on_access, .memory = on_memory},
        .close = close_detector,
        .write = write_lines};
    return &self->base;
}
