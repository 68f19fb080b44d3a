// Finds memory that was never freed, the device's own malloc too.
#include <stdio.h>
#include <stdlib.h>

#include "observe/observe.h"

enum { LEAKS_LISTED = 20 }; // places that allocate; the rest as a sum

typedef struct leak {
    uint64_t address, bytes, serial;
    const observe_words *who; // device malloc; else NULL
} leak;

typedef struct leaks {
    observe_detector base; // first
    observe_findings *findings;
    leak *live; // in the order of their making
    size_t count, capacity;
} leaks;

static void add(leaks *self, const sim_memory_event *event) {
    if (event->label) return; // variables of modules, which go with them; the host's own memory
    if (self->count == self->capacity) {
        size_t capacity = self->capacity ? self->capacity * 2 : 64;
        leak *grown = realloc(self->live, capacity * sizeof *grown);
        if (!grown) return;
        self->live = grown;
        self->capacity = capacity;
    }
    leak made = {.address = event->address, .bytes = event->bytes, .serial = event->serial};
    if (event->at) {
        observe_site site = {.inst = event->at->inst,
                             .block = event->at->block,
                             .thread = event->at->warp * 32 +
                                       (event->at->mask ? (uint32_t)__builtin_ctz(event->at->mask) : 0)};
        made.who = observe_findings_words(self->findings, &site);
    }
    self->live[self->count++] = made;
}

static void on_memory(sim_listener *listener, const sim_memory_event *event) {
    leaks *self = (leaks *)listener;
    if (event->kind == SIM_MEMORY_ALLOC) add(self, event);
    if (event->kind != SIM_MEMORY_FREE) return;
    for (size_t i = self->count; i-- > 0;) // what is freed is mostly young
        if (self->live[i].address == event->address) {
            for (size_t k = i + 1; k < self->count; k++) self->live[k - 1] = self->live[k];
            self->count--;
            return;
        }
}

// Those that one call of the program, or one line of a kernel, made.
typedef struct group {
    const leak *first;
    uint64_t count, bytes;
    const char *function; // that called; NULL: not known
} group;

static bool are_alike(const leak *a, uint64_t caller, const leak *b, uint64_t other_caller) {
    if (a->who || b->who) return a->who && b->who && observe_words_are_of_one_line(a->who, b->who);
    return caller == other_caller && (caller || a->bytes == b->bytes);
}

// The groups, the first of them; what belongs to none of those is counted in the last, which has no `first`.
static size_t sort_out(const leaks *self, group groups[LEAKS_LISTED + 1]) {
    uint64_t callers[LEAKS_LISTED];
    size_t count = 0;
    groups[LEAKS_LISTED] = (group){0};
    for (size_t i = 0; i < self->count; i++) {
        const leak *l = &self->live[i];
        uint64_t caller = 0;
        const char *function = observe_findings_caller(self->findings, l->address, &caller);
        size_t k = 0;
        while (k < count && !are_alike(groups[k].first, callers[k], l, caller)) k++;
        if (k == count && count < LEAKS_LISTED) {
            callers[count] = caller;
            groups[count++] = (group){.first = l, .function = function};
        }
        groups[k].count++;
        groups[k].bytes += l->bytes;
    }
    return count;
}

static void say(leaks *self, const group *g) {
    const leak *l = g->first;
    observe_finding finding = {.kind = OBSERVE_LEAK,
                               .first_words = l->who,
                               .place = l->serial,
                               .space = SIM_GLOBAL,
                               .address = l->address,
                               .bytes = l->bytes < UINT32_MAX ? (uint32_t)l->bytes : UINT32_MAX};
    const char *remedy = l->who ? "free() it in the kernel, by any thread, when nobody uses it any more"
                                : "cudaFree it when the last kernel that uses it has ended";
    char others[80] = "";
    if (g->count > 1)
        snprintf(others, sizeof others, "; with %llu more from the same place, %llu bytes in all",
                 (unsigned long long)g->count - 1, (unsigned long long)g->bytes);
    snprintf(
        finding.text, sizeof finding.text,
        "%s %llu, %llu bytes, was never freed%s%s%s\nlikely cause: a missing %s, or a way out before it\n"
        "what to do: %s",
        l->who ? "device malloc" : "allocation", (unsigned long long)l->serial, (unsigned long long)l->bytes,
        others, g->function ? "\nallocated in " : "", g->function ? g->function : "",
        l->who ? "free" : "cudaFree", remedy);
    for (uint64_t i = 0; i < g->count; i++) observe_findings_add(self->findings, &finding);
}

static void finish(observe_detector *detector) {
    leaks *self = (leaks *)detector;
    group groups[LEAKS_LISTED + 1];
    size_t count = sort_out(self, groups);
    for (size_t i = 0; i < count; i++) say(self, &groups[i]);
    const group *others = &groups[LEAKS_LISTED];
    if (count < LEAKS_LISTED || !others->count) return;
    observe_finding rest = {.kind = OBSERVE_LEAK};
    snprintf(rest.text, sizeof rest.text,
             "%llu more allocations, %llu bytes together, were never freed\nlikely cause: as above\nwhat to "
             "do: free them as those above",
             (unsigned long long)others->count, (unsigned long long)others->bytes);
    observe_findings_add(self->findings, &rest);
}

static void close_detector(observe_detector *detector) {
    free(((leaks *)detector)->live);
    free(detector);
}

observe_detector *observe_leaks_open(observe_findings *findings) {
    leaks *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->findings = findings;
    self->base =
        (observe_detector){.listener = {.memory = on_memory}, .close = close_detector, .finish = finish};
    return &self->base;
}
