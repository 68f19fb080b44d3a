// Undefined values in words.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "observe/undefined.h"
#include "sim/inspect.h"

enum { ORIGINS_AT_MOST = 4096, REPORTS_PER_INSTRUCTION = 100 };

// ---- origins ----------------------------------------------------------------------------------------

static void describe(undefined_self *self, const sim_event *event, uint32_t lane, undefined_origin *origin) {
    base_text text = {0};
    char name[OBSERVE_NAME];
    uint32_t begin = 0;
    const ptx_variable *variable = NULL;
    if (origin->space == SIM_SHARED && event->self)
        variable = sim_inspect_shared_variable(event->self, (uint32_t)origin->address, &begin);
    if (origin->space == SIM_GLOBAL && observe_findings_buffer(self->findings, origin->address, &text))
        snprintf(origin->what, sizeof origin->what, "%s", text.data ? text.data : "");
    else if (variable)
        snprintf(origin->what, sizeof origin->what, "byte %u of shared variable %s (%llu bytes)",
                 (uint32_t)origin->address - begin, observe_plain_name(variable->name, name),
                 (unsigned long long)variable->size);
    else if (origin->space == SIM_SHARED || origin->space == SIM_DISTRIBUTED)
        snprintf(origin->what, sizeof origin->what, "byte %u of the block's shared memory",
                 (uint32_t)origin->address);
    else if (origin->space == SIM_LOCAL)
        snprintf(origin->what, sizeof origin->what, "the thread's own memory (a local array or variable)");
    else
        snprintf(origin->what, sizeof origin->what, "address 0x%llx", (unsigned long long)origin->address);
    base_text_free(&text);
}

static bool has_ended(const sim_warp *warp, uint32_t lane) {
    sim_inspect_path path;
    for (uint32_t i = 0; warp && i < sim_inspect_paths(warp); i++)
        if (sim_inspect_path_at(warp, i, &path) && path.mask >> lane & 1) return false;
    return warp != NULL;
}

static void describe_shuffle(const undefined_self *self, const sim_exchange_event *event, uint32_t lane,
                             undefined_origin *origin) {
    uint32_t from = event->from[lane];
    const char *why = event->named >> from & 1 ? "is not here" : "is not in the mask";
    if (event->at.warp * UNDEFINED_LANES + from >= self->threads)
        why = "does not exist: the block is not that large";
    else if (has_ended(event->at.self, from))
        why = "has ended";
    snprintf(origin->what, sizeof origin->what, "lane %u reads lane %u, which %s", lane, from, why);
}

uint32_t observe_undefined_new_origin(undefined_self *self, undefined_plan *plan, const sim_event *event,
                                      uint32_t lane, const sim_access *access,
                                      const sim_exchange_event *exchange) {
    if (plan->origin) return plan->origin - 1;
    if (self->origin_count >= ORIGINS_AT_MOST) return 0;
    if (self->origin_count == self->origin_capacity) {
        uint32_t capacity = self->origin_capacity * 2;
        undefined_origin *grown = realloc(self->origins, capacity * sizeof *grown);
        if (!grown) return 0;
        self->origins = grown;
        self->origin_capacity = capacity;
    }
    undefined_origin *origin = &self->origins[self->origin_count];
    observe_site site = {
        .inst = event->inst, .block = event->block, .thread = event->warp * UNDEFINED_LANES + lane};
    *origin = (undefined_origin){.is_shuffle = exchange != NULL};
    if (exchange) describe_shuffle(self, exchange, lane, origin);
    if (access) {
        origin->space = access->space;
        origin->address = access->addresses[lane];
        origin->bytes = access->bytes;
        site.is_write = access->kind == SIM_STORE;
        site.is_atomic = access->kind == SIM_ATOMIC;
        site.agent = access->agent;
        describe(self, event, lane, origin);
    }
    origin->words = observe_findings_words(self->findings, &site);
    plan->origin = ++self->origin_count;
    return plan->origin - 1;
}

// ---- causes and remedies ----------------------------------------------------------------------------

// A buffer that whoever launches made and filled: the kernel's author allocates nothing.
static const char NOT_SET[] =
    "likely cause: an output holds nothing of use before the launch, and this element is read or added to "
    "(+=) before it was written\n"
    "what to do: store with = before anything is added to it, or correct the index of what is read";

static const char PASSED_ON[] =
    "likely cause: what was stored or added there before was undefined itself\n"
    "what to do: follow the value that is stored there back to what it is computed from";

static const char *cause_of(const observe_findings *findings, const undefined_origin *origin) {
    bool was_filled = false;
    if (!origin)
        return "likely cause: a variable that has no value on this way through the code\n"
               "what to do: give it a value where it is declared";
    if (origin->is_shuffle)
        return "likely cause: a shuffle after an early return or inside an if, or a mask that leaves out "
               "lanes "
               "that are read\n"
               "what to do: let all lanes that are read come to the shuffle and name them in its mask, or do "
               "not "
               "use what comes from others";
    switch (origin->space) {
    case SIM_SHARED:
    case SIM_DISTRIBUTED:
        return "likely cause: shared memory holds nothing when a block begins; the tile was not filled this "
               "far, "
               "or the index leaves the part that was\n"
               "what to do: write every element that is read (zeros past the edge), then __syncthreads()";
    case SIM_LOCAL:
        return "likely cause: a local array or variable is read before it was written\n"
               "what to do: initialise it, or correct the index";
    default:
        if (observe_findings_is_described(findings, origin->address, &was_filled))
            return was_filled ? PASSED_ON : NOT_SET;
        return "likely cause: cudaMalloc does not clear memory, and no kernel or copy wrote this element "
               "before\n"
               "what to do: cudaMemcpy the input there, or cudaMemset it; or check size, grid and indices of "
               "what should fill it";
    }
}

static void say_origin(const undefined_origin *origin, base_text *out) {
    if (!origin)
        base_text_add(out, "a variable that was never set");
    else if (origin->is_shuffle)
        base_text_add(out, "what a shuffle read from a lane that took no part in it");
    else
        base_text_add(out, "%u byte%s at %s that nobody had written", origin->bytes,
                      origin->bytes == 1 ? "" : "s", origin->what);
}

// What came from a lane that takes no part is used.
static void report_shuffle(undefined_self *self, const sim_event *event, uint32_t lane,
                           observe_finding_kind kind, const undefined_origin *origin) {
    observe_finding finding = {.kind = OBSERVE_SHUFFLE_OUTSIDE,
                               .first_words = origin->words,
                               .second = {.inst = event->inst,
                                          .block = event->block,
                                          .thread = event->warp * UNDEFINED_LANES + lane,
                                          .is_write = kind == OBSERVE_SHUFFLE_OUTSIDE},
                               .self = event->self};
    const char *use = kind == OBSERVE_UNDEFINED_BRANCH    ? "decides a branch"
                      : kind == OBSERVE_UNDEFINED_ADDRESS ? "is part of an address"
                                                          : "is stored";
    snprintf(finding.text, sizeof finding.text, "%s: what it gets is undefined, and it %s\n%s", origin->what,
             use, cause_of(self->findings, origin));
    observe_findings_add(self->findings, &finding);
}

void observe_undefined_report(undefined_self *self, undefined_plan *plan, const sim_event *event,
                              uint32_t lane, observe_finding_kind kind, uint32_t number) {
    if (plan->reports >= REPORTS_PER_INSTRUCTION) return;
    plan->reports++;
    const undefined_origin *origin = number ? &self->origins[number] : NULL;
    if (origin && origin->is_shuffle) {
        report_shuffle(self, event, lane, kind, origin);
        return;
    }
    ptx_class class = ptx_op_get(event->inst->op)->class;
    observe_finding finding = {
        .kind = kind,
        .first = {.inst = event->inst,
                  .block = event->block,
                  .thread = event->warp * UNDEFINED_LANES + lane,
                  .is_write = class == PTX_CLASS_STORE || class == PTX_CLASS_REDUCTION,
                  .is_atomic = class == PTX_CLASS_ATOMIC || class == PTX_CLASS_REDUCTION},
        .second_words = origin ? origin->words : NULL,
        .self = event->self};
    if (origin) {
        finding.space = origin->space;
        finding.address = origin->address;
        finding.bytes = origin->bytes;
    }
    base_text text = {0};
    base_text_add(&text, kind == OBSERVE_UNDEFINED_BRANCH ? "the way taken here depends on "
                                                          : "the address used here depends on ");
    say_origin(origin, &text);
    base_text_add(&text, "\n%s", cause_of(self->findings, origin));
    snprintf(finding.text, sizeof finding.text, "%s", text.data ? text.data : "");
    base_text_free(&text);
    observe_findings_add(self->findings, &finding);
}

// ---- the host ---------------------------------------------------------------------------------------

static bool is_defined(const undefined_self *self, uint64_t from, uint64_t to) {
    uint64_t first;
    return !observe_shadow_memory_has(&self->memory, from, to - from, &first);
}

// Gaps between the members of structures are copied with them. Such a gap ends where something of a larger
// alignment may begin, is shorter than that alignment, and has a whole element of it behind or before it
// (before it: the gap at the structure's end, where the next one begins with something small).
static bool is_padding(const undefined_self *self, uint64_t base, uint64_t from, uint64_t to, uint64_t end) {
    const shadow_page *page = observe_shadow_page_at(&self->memory, from);
    uint32_t widest = page ? page->widest : 0;
    if (from == base) return false;
    for (uint64_t align = 2; align <= 16 && align <= widest; align *= 2) {
        if (to - from >= align || (to - base) % align) continue;
        if (is_defined(self, to, to + align < end ? to + align : end)) return true;
        if (to - base >= 2 * align && is_defined(self, to - 2 * align, to - align)) return true;
    }
    return false;
}

// The first run of undefined bytes that is no padding; its length in *bytes, and how many there are in
// *total.
static uint64_t find_gap(const undefined_self *self, uint64_t address, uint64_t end, uint64_t *bytes,
                         uint64_t *total) {
    uint64_t found = end, at = address;
    *total = *bytes = 0;
    while (at < end) {
        uint64_t from;
        if (!observe_shadow_memory_has(&self->memory, at, end - at, &from)) break;
        uint64_t to = observe_shadow_memory_run(&self->memory, from, end);
        at = to;
        if (is_padding(self, address, from, to, end)) continue;
        *total += to - from;
        if (found == end) {
            found = from;
            *bytes = to - from;
        }
    }
    return found;
}

void observe_undefined_host_read(undefined_self *self, uint64_t address, uint64_t bytes) {
    uint64_t first, length, total;
    if (!observe_shadow_memory_has(&self->memory, address, bytes, &first)) return;
    first = find_gap(self, address, address + bytes, &length, &total);
    if (first == address + bytes) return;
    const shadow_word *word = observe_shadow_find_word(&self->memory.words, first);
    const undefined_origin *origin = word && word->origin ? &self->origins[word->origin] : NULL;
    const undefined_origin *writer = word && word->writer ? &self->origins[word->writer] : NULL;
    observe_finding finding = {.kind = OBSERVE_UNDEFINED_OUTPUT,
                               .first_words = writer ? writer->words : NULL,
                               .second_words = origin ? origin->words : NULL,
                               .space = SIM_GLOBAL,
                               .address = first,
                               .bytes = length < UINT32_MAX ? (uint32_t)length : UINT32_MAX};
    base_text text = {0}, buffer = {0};
    if (!observe_findings_buffer(self->findings, first, &buffer))
        base_text_add(&buffer, "address 0x%llx", (unsigned long long)first);
    bool was_filled, is_described = observe_findings_is_described(self->findings, first, &was_filled);
    base_text_add(
        &text,
        is_described
            ? "of %llu bytes that the kernel leaves behind %llu are undefined, the first at %s"
            : "the host copies %llu bytes from the device; %llu of them are undefined, the first at %s",
        (unsigned long long)bytes, (unsigned long long)total, buffer.data ? buffer.data : "?");
    if (writer) {
        base_text_add(&text, "\nit was stored there from ");
        say_origin(origin, &text);
        base_text_add(&text, "\n%s", cause_of(self->findings, origin));
    } else if (is_described) {
        base_text_add(
            &text, "\nlikely cause: no thread writes this element: too few threads, a guard that keeps them "
                   "out, or a wrong index\n"
                   "what to do: say which thread should write it, and follow that thread to its store");
    } else {
        base_text_add(&text,
                      "\nlikely cause: the kernel does not write all elements (too few threads, a wrong "
                      "bound), did not run, or the copy is larger than what it wrote\n"
                      "what to do: check grid size and bounds; cudaMemset what is meant to stay zero");
    }
    snprintf(finding.text, sizeof finding.text, "%s", text.data ? text.data : "");
    base_text_free(&text);
    base_text_free(&buffer);
    observe_findings_add(self->findings, &finding);
    observe_shadow_memory_mark(&self->memory, address, bytes, false); // said once
}
