// Races between operations, and with the host, in words. See streams.h.
#include "observe/streams_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t calls_of(const streams_conflict *c) {
    uint64_t key = base_hash(BASE_HASH, c->earlier->given.what, strlen(c->earlier->given.what));
    return c->later ? base_hash(key, c->later->given.what, strlen(c->later->given.what)) : key;
}

// Whether such a pair of instructions, or of calls, was reported before; a loop may show it a million times.
bool observe_streams_is_known(streams_reported *set, const streams_conflict *c) {
    uint64_t key = calls_of(c);
    const ptx_inst *insts[2] = {c->earlier_site->inst, c->later ? c->later_site->inst : NULL};
    key = base_hash(key, insts, sizeof insts) | 1; // 0 is a free slot
    if (set->count * 2 >= set->capacity) {
        uint32_t capacity = set->capacity ? set->capacity * 2 : 64;
        uint64_t *grown = calloc(capacity, sizeof *grown);
        if (!grown) return true;
        for (uint32_t i = 0; i < set->capacity; i++) {
            uint32_t at = set->keys[i] & (capacity - 1);
            while (set->keys[i] && grown[at]) at = (at + 1) & (capacity - 1);
            if (set->keys[i]) grown[at] = set->keys[i];
        }
        free(set->keys);
        set->keys = grown;
        set->capacity = capacity;
    }
    uint32_t at = key & (set->capacity - 1);
    while (set->keys[at] && set->keys[at] != key) at = (at + 1) & (set->capacity - 1);
    bool known = set->keys[at] != 0;
    set->keys[at] = key;
    set->count += !known;
    return known;
}

static void add_name(base_text *out, const streams_operation *o) {
    base_text_add(out, "%s", o->given.what);
    if (o->given.traits & OBSERVE_STREAM_OF_GRAPH) base_text_add(out, ", a node of a graph,");
    if (o->given.traits & OBSERVE_STREAM_LEGACY)
        base_text_add(out, " in the default stream");
    else if (o->given.traits & OBSERVE_STREAM_OF_THREAD)
        base_text_add(out, " in a thread's default stream (%llu)", o->given.stream);
    else
        base_text_add(out, " in stream %llu", o->given.stream);
}

// What happened, in a sentence.
static void add_sentence(base_text *out, const streams_conflict *c) {
    const char *did = c->earlier_writes ? "writes" : "reads", *does = c->later_writes ? "writes" : "reads";
    if (!c->later) {
        base_text_add(out, "the host%s%s%s %s memory that ", c->host[0] ? ", in " : "", c->host,
                      c->host[0] ? "," : "", does);
        add_name(out, c->earlier);
        base_text_add(out, " %s, and %s", did,
                      c->was_polled ? "a flag that it polled does not say that this was done"
                                    : "has not waited for it");
        return;
    }
    if (c->later->given.traits & OBSERVE_STREAM_FREES) does = "frees";
    if (c->earlier->given.traits & OBSERVE_STREAM_ALLOCATES) did = "allocates";
    add_name(out, c->earlier);
    base_text_add(out, " %s memory that ", did);
    add_name(out, c->later);
    base_text_add(out, " %s, and nothing orders the two", does);
}

static const char *advice_of(const streams_conflict *c) {
    unsigned traits = c->later ? c->earlier->given.traits | c->later->given.traits : 0;
    if (!c->later && c->was_polled)
        return "likely cause: no system fence stands between this write and that of the flag, or the flag is "
               "written first: the host may see the flag before the data\n"
               "what to do: __threadfence_system() after the data by those who write it, a barrier, then the "
               "flag "
               "by one thread; or cudaStreamSynchronize instead of polling";
    if (!c->later)
        return "likely cause: the call that starts work in a stream returns before the work is done\n"
               "what to do: cudaStreamSynchronize of that stream, or cudaEventSynchronize of an event "
               "recorded "
               "after it, before the host uses the memory";
    if (c->later->given.traits & OBSERVE_STREAM_OVERLAPS &&
        c->earlier->given.stream == c->later->given.stream)
        return "likely cause: with programmatic stream serialization a kernel may begin before the one "
               "before it has "
               "ended, and this access does not come after cudaGridDependencySynchronize() "
               "(griddepcontrol.wait)\n"
               "what to do: cudaGridDependencySynchronize() in every thread before it reads what the other "
               "kernel "
               "writes, or writes what that uses; or a barrier after it, where one thread waits for all";
    if (c->later->given.traits & OBSERVE_STREAM_WAITED_IN_VAIN)
        return "likely cause: cudaStreamWaitEvent of an event that was not recorded yet waits for nothing\n"
               "what to do: cudaEventRecord after the first of the two, then cudaStreamWaitEvent, then the "
               "second";
    if (c->earlier->given.traits & c->later->given.traits & OBSERVE_STREAM_OF_GRAPH &&
        c->earlier->given.stream == c->later->given.stream)
        return "likely cause: no path of the graph leads from one to the other\n"
               "what to do: let one depend on the other; while a stream is captured, by an event recorded "
               "after "
               "the first and cudaStreamWaitEvent before the second";
    if (traits & OBSERVE_STREAM_LEGACY)
        return "likely cause: a stream made with cudaStreamNonBlocking does not wait for the default stream, "
               "nor "
               "that for it\n"
               "what to do: one stream for both, or cudaEventRecord after the first of the two and "
               "cudaStreamWaitEvent before the second";
    return "likely cause: the two are in different streams, and nothing leads from the end of the first to "
           "the "
           "start of the second\n"
           "what to do: cudaEventRecord after the first, then cudaStreamWaitEvent before the second; or one "
           "stream for both";
}

// The site of an operation whose launch may be long over; NULL where it has none.
static const observe_words *words_of(observe_findings *findings, const streams_operation *o,
                                     const observe_site *site) {
    if (!o->module || !site || !site->inst) return NULL;
    sim_launch launch = {0};
    memcpy(launch.grid, o->grid, sizeof launch.grid);
    memcpy(launch.block, o->block, sizeof launch.block);
    observe_findings_launch(
        findings,
        &(sim_launch_event){.module = o->module, .entry = o->entry, .launch = &launch, .serial = o->serial});
    return observe_findings_words(findings, site);
}

void observe_streams_report(observe_findings *findings, const streams_conflict *c) {
    observe_finding finding = {
        .kind =
            c->later && c->later->given.traits & OBSERVE_STREAM_FREES ? OBSERVE_USE_AFTER_FREE : OBSERVE_RACE,
        .space = SIM_GLOBAL,
        .address = c->address,
        .bytes = 1,
        .reach = OBSERVE_REACH_OPERATIONS,
    };
    if (c->later) finding.place = calls_of(c);
    base_text text = {0};
    add_sentence(&text, c);
    snprintf(finding.text, sizeof finding.text, "%s\n%s", text.data ? text.data : "", advice_of(c));
    base_text_free(&text);
    finding.first_words = words_of(findings, c->earlier, c->earlier_site);
    if (c->later) finding.second_words = words_of(findings, c->later, c->later_site);
    if (!finding.first_words) {
        finding.first_words = finding.second_words;
        finding.second_words = NULL;
    }
    observe_findings_add(findings, &finding);
}
