// What the race detector has to say, in words.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "observe/races.h"
#include "sim/inspect.h"

const ptx_inst *observe_races_inst_of(const races *self, uint32_t tag) {
    uint32_t serial = tag >> RACES_TAG_SERIAL_SHIFT;
    return serial < self->inst_capacity ? self->insts[serial] : NULL;
}

// Whether this kind was told of this pair before in this launch; remembers it.
static bool is_known(races *self, observe_finding_kind kind, bool presumed, uint32_t reach, uint32_t first,
                     uint32_t second) {
    if ((self->seen_count + 1) * 2 > self->seen_capacity) {
        uint32_t capacity = self->seen_capacity ? self->seen_capacity * 2 : 256;
        uint64_t *grown = calloc(capacity, sizeof *grown);
        if (!grown) return true;
        for (uint32_t i = 0; i < self->seen_capacity; i++) {
            if (!self->seen[i]) continue;
            uint32_t at = (uint32_t)((self->seen[i] * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
            while (grown[at & (capacity - 1)]) at++;
            grown[at & (capacity - 1)] = self->seen[i];
        }
        free(self->seen);
        self->seen = grown;
        self->seen_capacity = capacity;
    }
    uint64_t key = (uint64_t)(first >> RACES_TAG_SERIAL_SHIFT) << 32 |
                   (uint64_t)(second >> RACES_TAG_SERIAL_SHIFT) << 8 | reach << 6 | (unsigned)(kind + 1) |
                   (presumed ? 32 : 0);
    uint32_t at = (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
    for (;; at++) {
        uint64_t *slot = &self->seen[at & (self->seen_capacity - 1)];
        if (*slot == key) return true;
        if (*slot) continue;
        *slot = key;
        self->seen_count++;
        return false;
    }
}

// ---- publication -----------------------------------------------------------------------------------------

static bool mentions(const ptx_operand *operand, int32_t reg) {
    if ((operand->kind == PTX_OPERAND_REG || operand->kind == PTX_OPERAND_ADDRESS) && operand->reg == reg)
        return true;
    for (uint32_t i = 0; i < operand->element_count; i++)
        if (mentions(&operand->elements[i], reg)) return true;
    return false;
}

// Whether somebody looks at what the instruction read: an atomic whose result nobody uses is no flag.
static bool is_used(const races *self, const ptx_inst *inst) {
    if (inst->operand_count == 0 || inst->operands[0].kind != PTX_OPERAND_REG)
        return inst->operand_count && inst->operands[0].kind == PTX_OPERAND_VECTOR;
    int32_t reg = inst->operands[0].reg;
    for (uint32_t i = 0; i < self->module->function_count; i++) {
        const ptx_function *f = self->module->functions[i];
        if (!f->inst_count || inst < f->insts || inst >= f->insts + f->inst_count) continue;
        for (uint32_t j = 0; j < f->inst_count; j++) {
            if (&f->insts[j] == inst) continue;
            for (uint32_t k = 0; k < f->insts[j].operand_count; k++)
                if (mentions(&f->insts[j].operands[k], reg)) return true;
        }
    }
    return false;
}

// Whether the word was written by the block that has the data, after it made the data; `tag` says by what.
static bool was_written(const races *self, const races_link *link, const races_conflict *c, uint32_t *tag) {
    uint32_t block = c->who >> 10;
    *tag = link->write_tag;
    if (link->write_who >> 10 == block && link->write_clock >= c->clock) return true;
    if (!self->writes || block >= self->blocks || link->address == c->address) return false;
    for (uint32_t i = 0; i < RACES_WRITES; i++) { // others have written it since
        const races_write *write = &self->writes[block][i];
        *tag = write->tag;
        bool is_between = write->clock && write->clock >= c->clock && write->clock <= link->read_clock;
        if (write->address == link->address && is_between) return true;
    }
    return false;
}

static const races_link *link_of(races *self, const races_conflict *c, uint32_t *write_tag) {
    for (uint32_t i = RACES_LINKS; i-- > 0;) {
        const races_link *link = &c->block->links[(c->block->link_next + i) % RACES_LINKS];
        if (!link->write_clock || !was_written(self, link, c, write_tag)) continue;
        const ptx_inst *read = observe_races_inst_of(self, link->read_tag);
        // Of what lanes of one warp test and use, only what they wait for is a flag.
        bool is_flag = !(link->read_tag & RACES_TAG_VOLATILE) || observe_races_polls(self, link->read_tag) ||
                       (c->who >> 5 != (c->block->id << 5 | c->access->at.warp) &&
                        !observe_races_is_data(self, link->read_tag));
        if (read && is_flag && is_used(self, read)) return link;
    }
    return NULL;
}

static void add_source(const races *self, uint32_t tag, base_text *out) {
    const ptx_inst *inst = observe_races_inst_of(self, tag);
    if (inst) ptx_print_source(self->module, inst, out);
}

static void publication_text(const races *self, const races_conflict *c, const races_link *link,
                             uint32_t write_tag, base_text *out) {
    const races_block *block = c->block;
    const races_warp *warp = &block->warps[link->read_who >> 5 & 31];
    const ptx_inst *read = observe_races_inst_of(self, link->read_tag);
    unsigned needed = observe_races_scope_between(self, block->id, c->who >> 10);
    int acquired = observe_races_acquires(read) ? (int)(link->read_tag >> RACES_TAG_SCOPE_SHIFT & 3) : -1;
    for (int s = 0; warp->lanes && s < RACES_SCOPES; s++) {
        const races_fence *fence = &warp->lanes[link->read_who & 31].fences[s];
        if (fence->clock >= link->read_clock && s > acquired) acquired = s;
    }
    static const char *const reach[] = {"block", "cluster", "GPU"};
    static const char *const fences[] = {"__threadfence_block()", "a fence of cluster scope",
                                         "__threadfence()"};
    base_text_add(out, "data is handed from one thread to another through a flag that does not order it\n");
    base_text_add(out, "the flag is written at ");
    add_source(self, write_tag, out);
    base_text_add(out, " and read at ");
    add_source(self, link->read_tag, out);
    bool releases = link->released >= (int)needed, acquires = acquired >= (int)needed;
    base_text_add(out, "\nlikely cause: ");
    if (releases && acquires) {
        base_text_add(
            out,
            "fences are there, but do not stand between this data and the flag: data comes after the "
            "writer's "
            "or before the reader's; or another thread uses the flag, and no barrier is between it and "
            "this one\nwhat to do: data, barrier if others wrote it, %s, flag; on the other side flag, %s, "
            "barrier if others read it, data",
            fences[needed], fences[needed]);
        return;
    }
    if (link->released < 0)
        base_text_add(out, "nothing releases the data before the flag is written");
    else if (!releases)
        base_text_add(out, "the data is released for the %s only, and the reader is outside it",
                      reach[link->released]);
    if (acquired < 0)
        base_text_add(out, "%snothing acquires the data after the flag is read", releases ? "" : "; ");
    else if (!acquires)
        base_text_add(out, "%sthe flag is acquired for the %s only, and the writer is outside it",
                      releases ? "" : "; ", reach[acquired]);
    base_text_add(out,
                  "\nwhat to do: %s%s%s%s of the flag, or a cuda::atomic_ref with %s at the scope of the %s",
                  fences[needed], releases ? "" : " before the write", releases || acquires ? "" : " and",
                  acquires ? "" : " after the read",
                  releases   ? "memory_order_acquire"
                  : acquires ? "memory_order_release"
                             : "memory_order_release and memory_order_acquire",
                  needed == 2 ? "device" : reach[needed]);
}

// Fences and a barrier for a flag that one thread uses for all: the side where PTX asks for one fence more.
static void presumed_text(const races *self, const races_conflict *c, const races_link *link,
                          uint32_t write_tag, base_text *out) {
    const races_warp *warp = &c->block->warps[c->access->at.warp];
    bool is_acquired = observe_races_presumes(warp, RACES_ACQUIRED, c->who, c->clock);
    base_text_add(out, "data is handed on by %s; hardware orders it so, PTX does not promise it\n",
                  is_acquired ? "fences, a barrier and a flag" : "a fence and a ticket");
    if (link) {
        base_text_add(out, "the flag is written at ");
        add_source(self, write_tag, out);
        base_text_add(out, " and read at ");
        add_source(self, link->read_tag, out);
        base_text_add(out, "\n");
    }
    if (!is_acquired)
        base_text_add(
            out,
            "likely cause: no fence follows the atomic that takes the ticket; loads wait for its result, but "
            "in "
            "the PTX memory model only a fence of that thread, or an atomic that acquires, orders what comes "
            "after it\nwhat to do: __threadfence() after the atomic, by the thread that takes the ticket, "
            "before "
            "the barrier if others read the data");
    else if (observe_races_presumes(warp, RACES_RELEASED, c->who, c->clock))
        base_text_add(
            out,
            "likely cause: one thread reads the flag, and after a barrier others fence; in the PTX memory "
            "model a fence acquires for the thread that read the flag\nwhat to do: __threadfence() by "
            "that thread too, between its read of the flag and the barrier");
    else
        base_text_add(
            out,
            "likely cause: each thread fences for itself, and after a barrier one thread writes the flag; "
            "in the PTX memory model a fence releases for the thread that writes the flag\nwhat to do: "
            "__threadfence() by that thread too, between the barrier and its write of the flag");
}

// ---- races -----------------------------------------------------------------------------------------------

static const char *verb_of(uint32_t tag) {
    if (tag & RACES_TAG_ATOMIC) return "atomic";
    return tag & RACES_TAG_WRITE ? "write" : "read";
}

// A barrier that orders warps orders lanes too, so where lines race in several ways the widest one is told.
static uint32_t reach_of(const races_conflict *c) {
    if (c->who >> 10 != c->block->id) return 2;
    return (c->who >> 5 & 31) != c->access->at.warp;
}

static const char *relation_of(const races_conflict *c) {
    static const char *const relations[] = {"two lanes of one warp", "two warps of one block", "two blocks"};
    return relations[reach_of(c)];
}

// A bulk copy writes what others still use.
static void refill_text(const races_conflict *c, base_text *out) {
    bool product = (c->other_tag & RACES_TAG_KIND) == RACES_PRODUCT;
    base_text_add(out,
                  "a bulk copy writes bytes that %s %s, with nothing that orders them\n"
                  "likely cause: the copy does not wait until the stage is empty: no wait for the mbarrier "
                  "at which its users arrive, "
                  "a wait for the wrong phase, or users that arrive before they are done%s\n"
                  "what to do: an mbarrier for each stage that says that it is empty; users arrive there%s, "
                  "and who starts the copy waits "
                  "for that phase first",
                  product ? "a product (wgmma)" : "a thread",
                  c->other_tag & RACES_TAG_WRITE ? "writes" : "reads",
                  product ? " (a product is done when its group was waited for)" : "",
                  product ? " after wgmma.wait_group" : " after their last access");
}

static bool is_refill(const races_conflict *c) {
    unsigned kind = c->other_tag & RACES_TAG_KIND;
    return (c->tag & RACES_TAG_KIND) == RACES_TRACKED && c->tag & RACES_TAG_WRITE &&
           c->access->space != SIM_GLOBAL && (kind == RACES_THREAD || kind == RACES_PRODUCT);
}

static void race_text(const races *self, const races_conflict *c, observe_finding_kind kind, base_text *out) {
    if (is_refill(c)) {
        refill_text(c, out);
        return;
    }
    bool same = !((c->tag ^ c->other_tag) >> RACES_TAG_SERIAL_SHIFT);
    base_text_add(out, "%s and %s of the same bytes by %s, with nothing that orders them", verb_of(c->tag),
                  verb_of(c->other_tag), relation_of(c));
    if (same && c->who >> 5 == (c->block->id << 5 | c->access->at.warp))
        base_text_add(out, " (the same instruction)");
    if (kind == OBSERVE_RACE_SAME_VALUE)
        base_text_add(out, "; both write the same value, so the result is the same\nlikely cause: all set "
                           "one flag, or store one result\nwhat to do: nothing, or let "
                           "one thread write");
    else
        base_text_add(out, "\n%s", observe_races_advice(self, c, reach_of(c)));
}

// ---- asynchronous copies ----------------------------------------------------------------------------

// Who started what the tag and `who` say.
static uint32_t starter_of(const races *self, uint32_t who, uint32_t tag) {
    if ((tag & RACES_TAG_KIND) != RACES_TRACKED) return who;
    const races_block *owner = self->resident && who >> 10 < self->blocks ? self->resident[who >> 10] : NULL;
    return owner ? owner->channel_who[who & 1023] : who & ~UINT32_C(1023);
}

// Whether it is a barrier that is missing, not a wait: the thread does not even know that the copy was
// started; or the mbarrier was waited for, though not by this thread.
static bool is_barrier_missing(const races *self, const races_conflict *c) {
    uint32_t who = starter_of(self, c->who, c->other_tag), block = who >> 10;
    unsigned kind = c->other_tag & RACES_TAG_KIND;
    const races_warp *mine = &c->block->warps[c->access->at.warp];
    const races_block *owner = self->resident && block < self->blocks ? self->resident[block] : NULL;
    if (observe_races_is_before_issue(c)) return true;
    if (kind == RACES_PRODUCT)
        return owner && observe_races_knows(owner, &owner->warps[who >> 5 & 31], who & 31, c->who, kind,
                                            c->clock, NULL);
    if (kind != RACES_TRACKED)
        return !observe_races_knows(c->block, mine, c->lane, who, RACES_THREAD, c->clock, NULL) ||
               (owner && observe_races_knows(owner, &owner->warps[who >> 5 & 31], who & 31, c->who, kind,
                                             c->clock, NULL));
    for (uint32_t w = 0; owner && w < owner->warp_count; w++)
        for (uint32_t lane = 0; lane < RACES_LANES; lane++)
            if (observe_races_knows(owner, &owner->warps[w], lane, c->who, kind, c->clock, NULL)) return true;
    return false;
}

// Which of the two fences a changed map lacks.
static void map_text(const races_conflict *c, base_text *out) {
    const races_warp *mine = &c->block->warps[c->access->at.warp];
    unsigned kind = RACES_PUBLISHED + (c->other_tag & RACES_TAG_KIND);
    bool released = observe_races_knows(c->block, mine, c->lane, c->who, kind, c->clock, NULL);
    base_text_add(out,
                  "a tensor copy uses a map that the kernel changed, with no %s fence for maps between\n"
                  "likely cause: copies read maps through a cache of their own, which stores do not reach\n"
                  "what to do: ",
                  released ? "acquire" : "release");
    if (!released)
        base_text_add(out,
                      "fence.proxy.tensormap::generic.release by the thread that changed it, or change it in "
                      "shared memory and copy it by tensormap.cp_fenceproxy; then hand it over, and then ");
    base_text_add(out,
                  "fence.proxy.tensormap::generic.acquire (cuda::ptx::fence_proxy_tensormap_generic) of the "
                  "map's 128 bytes by the thread that starts the copy");
}

static void proxy_text(const races_conflict *c, base_text *out) {
    bool is_global = c->access->space == SIM_GLOBAL;
    bool product = (c->tag & RACES_TAG_KIND) == RACES_PRODUCT;
    if (c->access->part == SIM_PART_MAP) {
        map_text(c, out);
        return;
    }
    base_text_add(out,
                  "%s reads %s memory that %s wrote, with no proxy fence between\n"
                  "likely cause: %s go another way to memory than stores%s do%s\nwhat to do: "
                  "fence.proxy.async (cuda::ptx::fence_proxy_async) by the threads that wrote%s, then the "
                  "barrier, then the %s",
                  product ? "a product (wgmma)" : "a bulk copy", is_global ? "global" : "shared",
                  (c->other_tag & RACES_TAG_KIND) == RACES_COPY ? "a cp.async" : "a thread",
                  product ? "products" : "bulk copies",
                  (c->other_tag & RACES_TAG_KIND) == RACES_COPY ? " and cp.async" : "",
                  is_global ? ", and a fence of .shared::cta is not for global memory" : "",
                  (c->other_tag & RACES_TAG_KIND) == RACES_COPY ? ", after their wait" : "",
                  product ? "product" : "copy");
}

static void async_text(const races_conflict *c, base_text *out) {
    unsigned kind = c->other_tag & RACES_TAG_KIND;
    if (c->proxy) {
        proxy_text(c, out);
        return;
    }
    const char *what = kind == RACES_COPY      ? "cp.async"
                       : kind == RACES_PRODUCT ? "product (wgmma)"
                                               : "bulk copy";
    base_text_add(out, "%s of bytes that a %s %s, before the %s was waited for\n", verb_of(c->tag), what,
                  c->other_tag & RACES_TAG_WRITE ? "writes" : "reads",
                  kind == RACES_PRODUCT ? "product" : "copy");
    if (kind == RACES_TRACKED)
        base_text_add(out,
                      "likely cause: no wait on the copy's mbarrier, or a wait for the wrong phase\nwhat to "
                      "do: mbarrier.try_wait in a loop, with the parity of the phase the copy belongs to");
    else if (kind == RACES_COPY)
        base_text_add(
            out, "likely cause: no cp.async.wait_group (__pipeline_wait_prior), or one that lets too many "
                 "groups be under way\nwhat to do: wait for the copy's group, then __syncthreads() if "
                 "other threads use the bytes");
    else if (kind == RACES_PRODUCT)
        base_text_add(
            out,
            "likely cause: no wgmma.wait_group, or one that lets the product's group be under way; or the "
            "product was never "
            "committed\nwhat to do: wgmma.commit_group and wgmma.wait_group before the tile is given back");
    else
        base_text_add(out,
                      "likely cause: no cp.async.bulk.wait_group%s\nwhat to do: wait for the group before "
                      "these bytes are used again",
                      kind == RACES_BULK_READ
                          ? ".read by the thread that committed the copy"
                          : ", or its form with .read, which waits for the sources alone");
}

// ---- telling ---------------------------------------------------------------------------------------------

static sim_agent agent_of(uint32_t tag) {
    switch (tag & RACES_TAG_KIND) {
    case RACES_THREAD: return SIM_THREAD;
    case RACES_COPY: return SIM_ASYNC_COPY;
    case RACES_PRODUCT: return SIM_PRODUCT;
    default: return SIM_ASYNC_PROXY;
    }
}

static observe_site site_of(const races *self, uint32_t who, uint32_t tag) {
    who = starter_of(self, who, tag);
    return (observe_site){.inst = observe_races_inst_of(self, tag),
                          .block = who >> 10,
                          .thread = who & ((tag & RACES_TAG_KIND) == RACES_PRODUCT ? 992 : 1023),
                          .is_write = tag & RACES_TAG_WRITE,
                          .is_atomic = tag & RACES_TAG_ATOMIC,
                          .agent = agent_of(tag)};
}

static void add_text(observe_finding *finding, base_text *text) {
    snprintf(finding->text, sizeof finding->text, "%s", text->data ? text->data : "");
    base_text_free(text);
}

static bool is_presumed(const races_conflict *c) {
    const races_warp *warp = &c->block->warps[c->access->at.warp];
    return !((c->tag | c->other_tag) & RACES_TAG_KIND) &&
           (observe_races_presumes(warp, RACES_ACQUIRED, c->who, c->clock) ||
            observe_races_presumes(warp, RACES_TICKET, c->who, c->clock));
}

void observe_races_report(races *self, const races_conflict *c) {
    if (observe_races_is_library(self, c)) return;
    observe_finding_kind kind = OBSERVE_RACE;
    const races_link *link = NULL;
    uint32_t write_tag = 0;
    if (observe_races_copy_same(self, c))
        kind = OBSERVE_RACE_SAME_VALUE;
    else if (c->proxy || ((c->other_tag & RACES_TAG_KIND) != RACES_THREAD && !is_barrier_missing(self, c)))
        kind = OBSERVE_ASYNC_NO_WAIT;
    else if (observe_races_store_same(c))
        kind = OBSERVE_RACE_SAME_VALUE;
    else if (observe_races_is_plain(c->tag) && observe_races_is_plain(c->other_tag) &&
             (link = link_of(self, c, &write_tag)))
        kind = OBSERVE_RACE_PUBLICATION;
    bool presumed = kind != OBSERVE_ASYNC_NO_WAIT && kind != OBSERVE_RACE_SAME_VALUE && is_presumed(c);
    if (presumed) {
        kind = OBSERVE_RACE_PUBLICATION;
        if (!link) link = link_of(self, c, &write_tag);
    }
    observe_finding *finding = &self->finding;
    finding->kind = kind;
    finding->is_warning = presumed || (kind == OBSERVE_RACE && observe_races_is_before_issue(c));
    finding->first = site_of(self, observe_races_who(c->block, c->access->at.warp, c->lane), c->tag);
    finding->first.block = c->block->index;
    if ((c->tag & RACES_TAG_KIND) == RACES_TRACKED) finding->first.thread = c->access->at.warp << 5 | c->lane;
    finding->second = site_of(self, c->who, c->other_tag);
    finding->self = c->access->at.self;
    finding->space = c->access->space;
    finding->address = c->address;
    finding->bytes = c->bytes;
    finding->reach = kind == OBSERVE_ASYNC_NO_WAIT ? 0 : reach_of(c);
    if (!finding->second.inst) return;
    if (!is_known(self, kind, presumed, finding->reach, c->tag, c->other_tag)) {
        base_text text = {0};
        if (kind == OBSERVE_ASYNC_NO_WAIT)
            async_text(c, &text);
        else if (presumed)
            presumed_text(self, c, link, write_tag, &text);
        else if (kind == OBSERVE_RACE_PUBLICATION)
            publication_text(self, c, link, write_tag, &text);
        else
            race_text(self, c, kind, &text);
        add_text(finding, &text);
    }
    observe_findings_add(self->findings, finding);
}

void observe_races_report_unmade(races *self, const races_block *block, const sim_sync *sync, uint32_t lane,
                                 const races_object *object) {
    observe_finding *finding = &self->finding;
    uint32_t who = observe_races_who(block, sync->at.warp, lane);
    uint32_t tag = sync->at.inst->serial << RACES_TAG_SERIAL_SHIFT | RACES_TAG_ATOMIC;
    bool across = object->made_who >> 10 != block->id;
    *finding =
        (observe_finding){.kind = OBSERVE_RACE,
                          .first = site_of(self, who, tag),
                          .second = site_of(self, object->made_who, object->made_tag),
                          .self = sync->at.self,
                          .space = across ? SIM_DISTRIBUTED : SIM_SHARED,
                          .address = sync->object & (across ? ~(UINT64_C(1) << 31) : (uint64_t)INT32_MAX),
                          .bytes = 8,
                          .reach = across ? 2 : object->made_who >> 5 != who >> 5};
    finding->first.block = block->index;
    if (!finding->second.inst) return;
    snprintf(
        finding->text, sizeof finding->text,
        "an mbarrier is used by a thread that does not know that another one has made it\nlikely cause: no "
        "barrier between mbarrier.init (init of a cuda::barrier) by one thread and the first use by "
        "others\nwhat to do: %s after the initialisation",
        across ? "fence.mbarrier_init and cluster.sync()" : "__syncthreads()");
    observe_findings_add(self->findings, finding);
}

void observe_races_report_visit(races *self, const races_block *block, const races_access *visit) {
    observe_finding *finding = &self->finding;
    uint32_t who =
        visit->who |
        ((visit->tag & RACES_TAG_KIND) == RACES_TRACKED ? 0 : (uint32_t)__builtin_ctz(visit->mask));
    *finding = (observe_finding){.kind = OBSERVE_RACE, .first = site_of(self, who, visit->tag)};
    finding->space = SIM_DISTRIBUTED;
    if (!finding->first.inst || is_known(self, OBSERVE_FINDING_COUNT, false, 0, visit->tag, 0)) return;
    base_text text = {0};
    base_text_add(
        &text,
        "%s of the shared memory of block %u of the cluster, which may have ended by then\nlikely cause: "
        "no cluster barrier between the access and the end of that block\nwhat to do: cluster.sync() "
        "before blocks end whose shared memory others use",
        verb_of(visit->tag), block->index);
    add_text(finding, &text);
    observe_findings_add(self->findings, finding);
}

void observe_races_report_early(races *self, const races_view *v, uint32_t lane, const races_block *owner) {
    observe_finding *finding = &self->finding;
    uint32_t who = starter_of(self, v->who | ((v->tag & RACES_TAG_KIND) == RACES_TRACKED ? 0 : lane), v->tag);
    *finding = (observe_finding){.kind = OBSERVE_RACE, .first = site_of(self, who, v->tag)};
    finding->first.block = v->block->index;
    finding->first.thread = v->access->at.warp << 5 | lane;
    finding->space = SIM_DISTRIBUTED;
    if (!finding->first.inst) return;
    snprintf(finding->text, sizeof finding->text,
             "%s of the shared memory of block %u of the cluster, which need not have begun\nlikely cause: "
             "no cluster "
             "barrier before the first access to another block's shared memory\nwhat to do: cluster.sync() "
             "at the start "
             "of the kernel",
             verb_of(v->tag), owner->index);
    observe_findings_add(self->findings, finding);
}
