// Operations, the pages they use, and who races with whom. See streams.h.
//
// While an operation runs, the pages that it uses are a table of its own. When it has ended they go, page by page, to
// the history: what comes before it is covered, with the others it is compared.
#include "observe/streams.h"

#include <stdlib.h>
#include <string.h>

#include "observe/races.h"
#include "observe/streams_entries.h"
#include "observe/streams_overlap.h"
#include "observe/streams_published.h"
#include "observe/streams_report.h"

enum { SWEEP_AT = 4096, EARLY = 16 };

// A page of the history.
typedef struct history {
    uint64_t number;
    streams_use *uses;
    uint32_t count, capacity;
} history;

// An access of a kernel that overlaps the one before it, to what that one uses.
typedef struct early {
    observe_site earlier, later;
    uint64_t address;
} early;

struct observe_streams {
    sim_listener listener; // first
    observe_findings *findings;
    streams_operation *operations; // one without uses is free
    uint32_t operation_count, operation_capacity;
    bool runs;           // between begin and end
    uint32_t current;    // index of the operation under way
    streams_entries now; // the pages that it uses
    history *pages;      // hash
    uint32_t page_count, page_capacity;
    uint64_t use_count, sweep_at;
    streams_reported reported;
    void (*name_of_host)(char *name, size_t capacity); // may be NULL
    uint64_t ordinal;                                  // of the last operation
    uint32_t overlaps; // index of the kernel that the one under way overlaps; UINT32_MAX: none
    observe_overlap overlap;
    early early[EARLY];
    uint32_t early_count;
    observe_published published;
    bool off; // out of memory: says nothing more
};

static uint64_t page_of(uint64_t address) { return address / OBSERVE_STREAMS_PAGE; }
static uint32_t hash(uint64_t number) { return observe_streams_hash(number); }

// ---- the operation's pages ------------------------------------------------------------------------------

static void use_bytes(observe_streams *s, uint64_t address, uint64_t bytes, streams_class class,
                      const observe_site *site) {
    while (bytes && !s->off) {
        uint32_t first = address % OBSERVE_STREAMS_PAGE;
        uint64_t room = OBSERVE_STREAMS_PAGE - first;
        uint32_t part = (uint32_t)(bytes < room ? bytes : room);
        streams_entry *page = observe_entries_find(&s->now, page_of(address), s->current);
        if (!page || !observe_streams_put(&page->use, class, first, part)) {
            s->off = true;
            return;
        }
        if (class == STREAMS_WEAK_WRITE && !page->use.writer.inst) page->use.begun = s->published.fences;
        observe_site *kept = site->is_write ? &page->use.writer : &page->use.reader;
        if (!kept->inst) *kept = *site;
        address += part;
        bytes -= part;
    }
}

// The usual case by itself: a page that was used so before, and bytes within a word of its set.
static inline bool use_again(observe_streams *s, uint64_t address, uint64_t bytes, streams_class class) {
    uint32_t recent = s->now.recent[page_of(address) % STREAMS_RECENT], first = address % 64;
    if (!recent || s->now.all[recent - 1].number != page_of(address)) return false;
    const streams_use *use = &s->now.all[recent - 1].use;
    if (use->full >> class & 1) return true;
    if (!use->bits[class] || first + bytes > 64) return false;
    use->bits[class][address % OBSERVE_STREAMS_PAGE / 64] |= (UINT64_MAX >> (64 - bytes)) << first;
    return true;
}

// ---- the history ----------------------------------------------------------------------------------------

static history *find_page(const observe_streams *s, uint64_t number) {
    if (!s->page_capacity) return NULL;
    uint32_t at = hash(number) & (s->page_capacity - 1);
    while (s->pages[at].uses && s->pages[at].number != number) at = (at + 1) & (s->page_capacity - 1);
    return s->pages[at].uses ? &s->pages[at] : NULL;
}

static void place_page(history *pages, uint32_t capacity, const history *page) {
    uint32_t at = hash(page->number) & (capacity - 1);
    while (pages[at].uses) at = (at + 1) & (capacity - 1);
    pages[at] = *page;
}

static bool grow_pages(observe_streams *s) {
    uint32_t capacity = s->page_capacity ? s->page_capacity * 2 : 1024, kept = 0;
    history *made = calloc(capacity, sizeof *made);
    if (!made) return false;
    for (uint32_t i = 0; i < s->page_capacity; i++) {
        if (s->pages[i].count) place_page(made, capacity, &s->pages[i]), kept++;
        if (!s->pages[i].count) free(s->pages[i].uses);
    }
    free(s->pages);
    s->pages = made;
    s->page_capacity = capacity;
    s->page_count = kept;
    return true;
}

static history *make_page(observe_streams *s, uint64_t number) {
    history *page = find_page(s, number);
    if (page) return page;
    if (s->page_count * 2 >= s->page_capacity && !grow_pages(s)) return NULL;
    history made = {.number = number, .uses = malloc(sizeof(streams_use)), .capacity = 1};
    if (!made.uses) return NULL;
    place_page(s->pages, s->page_capacity, &made);
    s->page_count++;
    return find_page(s, number);
}

static void remove_use(observe_streams *s, history *page, uint32_t i) {
    s->operations[page->uses[i].operation].uses--;
    s->use_count--;
    observe_streams_drop(&page->uses[i]);
    page->uses[i] = page->uses[--page->count];
}

static bool add_use(observe_streams *s, history *page, streams_use *use) {
    if (page->count == page->capacity) {
        streams_use *grown = realloc(page->uses, 2 * page->capacity * sizeof *grown);
        if (!grown) return false;
        page->uses = grown;
        page->capacity *= 2;
    }
    page->uses[page->count++] = *use;
    memset(use->bits, 0, sizeof use->bits); // they are the page's now
    use->full = 0;
    s->operations[s->current].uses++;
    s->use_count++;
    return true;
}

static void forget_all(observe_streams *s) {
    for (uint32_t i = 0; i < s->page_capacity; i++) {
        for (uint32_t k = 0; k < s->pages[i].count; k++) observe_streams_drop(&s->pages[i].uses[k]);
        free(s->pages[i].uses);
    }
    if (s->pages) memset(s->pages, 0, s->page_capacity * sizeof *s->pages);
    s->page_count = 0;
    s->use_count = 0;
    for (uint32_t i = 0; i < s->operation_count; i++) s->operations[i].uses = 0;
}

static void forget_ended(observe_streams *s) {
    for (uint32_t i = 0; i < s->page_capacity; i++)
        for (uint32_t k = s->pages[i].count; k-- > 0;)
            if (s->operations[s->pages[i].uses[k].operation].has_ended) remove_use(s, &s->pages[i], k);
    s->sweep_at = s->use_count * 2 > SWEEP_AT ? s->use_count * 2 : SWEEP_AT;
}

void observe_streams_ended(observe_streams *s, const observe_order *host) {
    bool all = true;
    for (uint32_t i = 0; i < s->operation_count; i++) {
        streams_operation *o = &s->operations[i];
        if (o->uses && observe_order_has(host, o->given.turn)) o->has_ended = true;
        all &= !o->uses || o->has_ended;
    }
    if (all && s->use_count)
        forget_all(s);
    else if (s->use_count >= s->sweep_at)
        forget_ended(s);
}

// Memory comes or goes: what was there before is another's.
static void forget_bytes(observe_streams *s, history *page, uint64_t address, uint64_t bytes) {
    uint64_t begin = page->number * OBSERVE_STREAMS_PAGE, end = begin + OBSERVE_STREAMS_PAGE;
    if (begin < address) begin = address;
    if (end > address + bytes) end = address + bytes;
    for (uint32_t k = page->count; begin < end && k-- > 0;) {
        observe_streams_clear(&page->uses[k], begin % OBSERVE_STREAMS_PAGE, (uint32_t)(end - begin));
        observe_streams_pack(&page->uses[k]);
        if (observe_streams_is_empty(&page->uses[k])) remove_use(s, page, k);
    }
}

static void on_memory(sim_listener *listener, const sim_memory_event *event) {
    observe_streams *s = (observe_streams *)listener;
    if ((event->kind != SIM_MEMORY_ALLOC && event->kind != SIM_MEMORY_FREE) || !event->bytes) return;
    uint64_t first = page_of(event->address), last = page_of(event->address + event->bytes - 1);
    if (last - first < s->page_capacity) {
        for (uint64_t number = first; number <= last; number++) {
            history *page = find_page(s, number);
            if (page) forget_bytes(s, page, event->address, event->bytes);
        }
        return;
    }
    for (uint32_t i = 0; i < s->page_capacity; i++)
        if (s->pages[i].number >= first && s->pages[i].number <= last)
            forget_bytes(s, &s->pages[i], event->address, event->bytes);
}

// ---- operations -----------------------------------------------------------------------------------------

static bool take_operation(observe_streams *s) {
    uint32_t i = 0;
    while (i < s->operation_count && s->operations[i].uses) i++;
    if (i == s->operation_capacity) {
        uint32_t capacity = i ? 2 * i : 64;
        streams_operation *grown = realloc(s->operations, capacity * sizeof *grown);
        if (!grown) return false;
        s->operations = grown;
        s->operation_capacity = capacity;
    }
    if (i == s->operation_count) s->operation_count++;
    s->current = i;
    return true;
}

// The kernel before this one in its stream, if nothing else came between; UINT32_MAX: none.
static uint32_t overlapped_by(const observe_streams *s, const observe_operation *operation) {
    uint32_t last = UINT32_MAX;
    for (uint32_t i = 0; operation->traits & OBSERVE_STREAM_OVERLAPS && i < s->operation_count; i++) {
        const streams_operation *o = &s->operations[i];
        bool is_before = i != s->current && o->uses && !o->has_ended && o->given.stream == operation->stream;
        if (is_before && (last == UINT32_MAX || o->ordinal > s->operations[last].ordinal)) last = i;
    }
    return last != UINT32_MAX && s->operations[last].module ? last : UINT32_MAX;
}

void observe_streams_begin(observe_streams *s, const observe_operation *operation) {
    observe_entries_forget(&s->now);
    s->runs = !s->off && take_operation(s);
    s->early_count = 0;
    s->overlaps = UINT32_MAX;
    if (!s->runs) return;
    s->overlaps = overlapped_by(s, operation);
    s->operations[s->current] = (streams_operation){.given = *operation, .ordinal = ++s->ordinal};
    observe_published_begin(&s->published);
}

void observe_streams_range(observe_streams *s, uint64_t address, uint64_t bytes, bool is_write) {
    observe_site none = {.is_write = is_write};
    if (s->runs) use_bytes(s, address, bytes, is_write ? STREAMS_WEAK_WRITE : STREAMS_WEAK_READ, &none);
}

static bool comes_after(const observe_streams *s, const streams_operation *earlier) {
    const streams_operation *now = &s->operations[s->current];
    return earlier->has_ended || earlier->was_met ||
           observe_order_has(now->given.before, earlier->given.turn);
}

// Whom this kernel has read from by strong accesses, with fences on both sides: it comes after them.
static void find_met(observe_streams *s) {
    if (!s->operations[s->current].has_fence) return;
    for (uint32_t i = 0; i < s->now.count; i++) {
        const history *page = find_page(s, s->now.all[i].number);
        for (uint32_t k = 0; page && k < page->count; k++) {
            streams_operation *other = &s->operations[page->uses[k].operation];
            if (other->has_fence && !comes_after(s, other) &&
                observe_streams_meet(&page->uses[k], &s->now.all[i].use))
                other->was_met = true;
        }
    }
}

static void compare(observe_streams *s, const streams_entry *mine, const streams_use *other) {
    streams_operation *earlier = &s->operations[other->operation];
    streams_conflict c = {.earlier = earlier, .later = &s->operations[s->current]};
    uint32_t byte = earlier->was_reported
                        ? UINT32_MAX
                        : observe_streams_conflict(other, &mine->use, &c.earlier_writes, &c.later_writes);
    if (byte == UINT32_MAX) return;
    earlier->was_reported = true;
    c.address = mine->number * OBSERVE_STREAMS_PAGE + byte;
    c.earlier_site = c.earlier_writes ? &other->writer : &other->reader;
    c.later_site = c.later_writes ? &mine->use.writer : &mine->use.reader;
    if (!observe_streams_is_known(&s->reported, &c)) observe_streams_report(s->findings, &c);
}

// What the kernel did before it had waited for the one that it overlaps.
static void report_early(observe_streams *s) {
    for (uint32_t i = 0; i < s->early_count; i++) {
        const early *e = &s->early[i];
        streams_conflict c = {.earlier = &s->operations[s->overlaps],
                              .later = &s->operations[s->current],
                              .earlier_site = &e->earlier,
                              .later_site = &e->later,
                              .earlier_writes = e->earlier.is_write,
                              .later_writes = e->later.is_write,
                              .address = e->address};
        if (!observe_streams_is_known(&s->reported, &c)) observe_streams_report(s->findings, &c);
    }
}

static void settle(observe_streams *s, streams_entry *mine) {
    observe_streams_pack(&mine->use);
    if (observe_streams_is_empty(&mine->use)) return;
    history *page = make_page(s, mine->number);
    for (uint32_t k = page ? page->count : 0; k-- > 0;) {
        streams_use *other = &page->uses[k];
        if (!comes_after(s, &s->operations[other->operation])) {
            compare(s, mine, other);
            continue;
        }
        if (!s->operations[other->operation].has_ended) observe_streams_cover(other, &mine->use);
        if (s->operations[other->operation].has_ended || observe_streams_is_empty(other))
            remove_use(s, page, k);
    }
    if (!page || !add_use(s, page, &mine->use)) s->off = true;
}

void observe_streams_end(observe_streams *s) {
    if (!s->runs) return;
    s->runs = false;
    for (uint32_t i = 0; i < s->operation_count; i++)
        s->operations[i].was_met = s->operations[i].was_reported = false;
    find_met(s);
    report_early(s);
    observe_overlap_end(&s->overlap);
    for (uint32_t i = 0; i < s->now.count && !s->off; i++) settle(s, &s->now.all[i]);
    if (s->off)
        observe_findings_unchecked(s->findings,
                                   "races between streams: the host has no memory left for them");
    s->operations[s->current].given.before = NULL; // the caller's
}

// ---- what kernels do ------------------------------------------------------------------------------------

static void on_launch_begin(sim_listener *listener, const sim_launch_event *event) {
    observe_streams *s = (observe_streams *)listener;
    if (!s->runs) return;
    streams_operation *o = &s->operations[s->current];
    o->module = event->module;
    o->entry = event->entry;
    o->serial = event->serial;
    memcpy(o->grid, event->launch->grid, sizeof o->grid);
    memcpy(o->block, event->launch->block, sizeof o->block);
    if (s->overlaps != UINT32_MAX) observe_overlap_begin(&s->overlap, event->launch);
}

static bool is_strong(const sim_access *access) {
    const ptx_inst *inst = access->at.inst;
    uint16_t order = inst->by_category[PTX_CAT_ORDER];
    if (order == PTX_MOD_VOLATILE || order == PTX_MOD_MMIO) return true;
    if (access->kind != SIM_ATOMIC && (order == PTX_MOD_NONE || order == PTX_MOD_WEAK)) return false;
    return observe_races_scope_of(inst, 2) >= 2; // a narrower one means nothing to others
}

// ---- what the host may learn by polling ------------------------------------------------------------------

static void note_published(observe_streams *s, const sim_access *access) {
    uint32_t fence = observe_published_by(&s->published, access->at.block);
    for (uint32_t m = access->at.mask; m && fence; m &= m - 1) {
        streams_entry *page =
            observe_entries_find(&s->now, page_of(access->addresses[__builtin_ctz(m)]), s->current);
        if (page && page->use.published < fence) page->use.published = fence;
    }
}

// Whether weak writes of the operation to the page may come after what the host has seen of it.
static bool is_unpublished(const streams_operation *o, const streams_use *use) {
    bool writes = use->full >> STREAMS_WEAK_WRITE & 1 || use->bits[STREAMS_WEAK_WRITE];
    return writes && use->begun >= o->published;
}

// The host has seen the strong write of a use.
static observe_turn see(observe_streams *s, streams_operation *o, const streams_use *use) {
    observe_turn seen = o->given.turn;
    o->was_polled = true;
    if (o->published < use->published) o->published = use->published;
    uint32_t index = (uint32_t)(o - s->operations);
    for (uint32_t i = 0; i < s->page_capacity; i++)
        for (uint32_t k = 0; k < s->pages[i].count; k++)
            if (s->pages[i].uses[k].operation == index && is_unpublished(o, &s->pages[i].uses[k])) {
                seen.number--;
                return seen;
            }
    return seen;
}

static bool is_fence(const ptx_inst *inst) {
    switch (inst->by_category[PTX_CAT_ORDER]) {
    case PTX_MOD_ACQUIRE:
    case PTX_MOD_RELEASE:
    case PTX_MOD_ACQ_REL: return true;
    default: return false;
    }
}

static inline void use_run(observe_streams *s, uint64_t begin, uint64_t end, streams_class class,
                           const observe_site *site) {
    if (begin == end || (end - begin <= 64 && use_again(s, begin, end - begin, class))) return;
    use_bytes(s, begin, end - begin, class, site);
}

// Lanes at neighbouring addresses together.
static void use_lanes(observe_streams *s, const sim_access *access, streams_class class,
                      const observe_site *site) {
    uint64_t begin = 0, end = 0;
    for (uint32_t m = access->at.mask; m; m &= m - 1) {
        uint64_t address = access->addresses[__builtin_ctz(m)];
        if (address - begin < end - begin) continue; // another lane's
        if (address != end) {
            use_run(s, begin, end, class, site);
            begin = address;
        }
        end = address + access->bytes;
    }
    use_run(s, begin, end, class, site);
}

static bool has_bit(const streams_use *use, streams_class class, uint32_t byte) {
    return observe_streams_word(use, class, byte / 64) >> byte % 64 & 1;
}

// A byte that the overlapped kernel uses too; NULL where it does not, or both only read it, or by strong accesses.
static const observe_site *site_of_other(const observe_streams *s, uint64_t address, bool is_write,
                                         bool strong) {
    const history *page = find_page(s, page_of(address));
    uint32_t byte = address % OBSERVE_STREAMS_PAGE;
    for (uint32_t k = 0; page && k < page->count; k++) {
        const streams_use *use = &page->uses[k];
        if (use->operation != s->overlaps) continue;
        if (has_bit(use, STREAMS_WEAK_WRITE, byte) || (!strong && has_bit(use, STREAMS_STRONG_WRITE, byte)))
            return &use->writer;
        if (is_write &&
            (has_bit(use, STREAMS_WEAK_READ, byte) || (!strong && has_bit(use, STREAMS_STRONG_READ, byte))))
            return &use->reader;
    }
    return NULL;
}

static void look_early(observe_streams *s, const sim_access *access, const observe_site *site, bool strong) {
    for (uint32_t m = access->at.mask; m && s->early_count < EARLY; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        const observe_site *other = site_of_other(s, access->addresses[lane], site->is_write, strong);
        if (!other) continue;
        for (uint32_t i = 0; i < s->early_count; i++)
            if (s->early[i].later.inst == site->inst) return; // once for each instruction
        early *found = &s->early[s->early_count++];
        *found = (early){*other, *site, access->addresses[lane]};
        found->later.thread = access->at.warp * 32 + lane;
    }
}

static void on_access(sim_listener *listener, const sim_access *access) {
    observe_streams *s = (observe_streams *)listener;
    bool is_shared_by_all = access->space == SIM_GLOBAL || access->space == SIM_CONST;
    if (!s->runs || !is_shared_by_all || !access->at.mask || !access->bytes) return;
    bool strong = is_strong(access), is_write = access->kind != SIM_LOAD;
    observe_site site = {.inst = access->at.inst,
                         .block = access->at.block,
                         .thread = access->at.warp * 32 + (uint32_t)__builtin_ctz(access->at.mask),
                         .is_write = is_write,
                         .is_atomic = access->kind == SIM_ATOMIC,
                         .agent = access->agent};
    if (strong && is_fence(access->at.inst)) {
        s->operations[s->current].has_fence = true;
        if (is_write && access->at.inst->by_category[PTX_CAT_SCOPE] == PTX_MOD_SYS)
            observe_published_fence(&s->published, access->at.block);
    }
    if (s->overlap.count && observe_overlap_is_early(&s->overlap, &access->at))
        look_early(s, access, &site, strong);
    streams_class write = strong ? STREAMS_STRONG_WRITE : STREAMS_WEAK_WRITE,
                  read = strong ? STREAMS_STRONG_READ : STREAMS_WEAK_READ;
    use_lanes(s, access, is_write ? write : read, &site); // an atomic is a write that reads
    if (strong && is_write && s->published.fences) note_published(s, access);
}

static void on_sync(sim_listener *listener, const sim_sync *sync) {
    observe_streams *s = (observe_streams *)listener;
    if (s->runs && sync->kind == SIM_FENCE && observe_races_scope_of(sync->at.inst, 2) >= 2)
        s->operations[s->current].has_fence = true;
    if (s->runs && sync->kind == SIM_FENCE && sync->at.inst->by_category[PTX_CAT_SCOPE] == PTX_MOD_SYS)
        observe_published_fence(&s->published, sync->at.block);
    if (s->overlap.count) observe_overlap_sync(&s->overlap, sync);
}

// ---- the host's own accesses ----------------------------------------------------------------------------

observe_in_flight observe_streams_page(const observe_streams *s, uint64_t address,
                                       const observe_order *host) {
    const history *page = find_page(s, page_of(address));
    observe_in_flight state = OBSERVE_IDLE;
    for (uint32_t k = 0; page && k < page->count; k++) {
        const streams_use *use = &page->uses[k];
        const streams_operation *o = &s->operations[use->operation];
        if (o->has_ended || observe_order_has(host, o->given.turn)) continue;
        const uint32_t writes = 1u << STREAMS_WEAK_WRITE | 1u << STREAMS_STRONG_WRITE;
        if (use->full & writes || use->bits[STREAMS_WEAK_WRITE] || use->bits[STREAMS_STRONG_WRITE])
            return OBSERVE_IS_WRITTEN;
        state = OBSERVE_IS_READ;
    }
    return state;
}

void observe_streams_each(const observe_streams *s, void (*page)(void *context, uint64_t address),
                          void *context) {
    for (uint32_t i = 0; i < s->now.count; i++) page(context, s->now.all[i].number * OBSERVE_STREAMS_PAGE);
}

void observe_streams_used(const observe_streams *s, void (*page)(void *context, const observe_extent *extent),
                          void *context) {
    for (uint32_t i = 0; s->runs && i < s->now.count; i++) {
        observe_extent extent =
            observe_streams_extent(&s->now.all[i].use, s->now.all[i].number * OBSERVE_STREAMS_PAGE);
        page(context, &extent);
    }
}

void observe_streams_name_host(observe_streams *s, void (*name_of_host)(char *name, size_t capacity)) {
    s->name_of_host = name_of_host;
}

observe_host_access observe_streams_host(observe_streams *s, uint64_t address, bool is_write,
                                         const observe_order *host, observe_turn *seen) {
    const history *page = find_page(s, page_of(address));
    uint32_t byte = address % OBSERVE_STREAMS_PAGE;
    for (uint32_t k = 0; page && k < page->count; k++) {
        const streams_use *use = &page->uses[k];
        streams_operation *o = &s->operations[use->operation];
        if (o->has_ended || observe_order_has(host, o->given.turn)) continue;
        if (!is_write && has_bit(use, STREAMS_STRONG_WRITE, byte)) {
            *seen = see(s, o, use);
            return OBSERVE_HOST_SEES;
        }
        bool written = has_bit(use, STREAMS_WEAK_WRITE, byte);
        if (!written && !(is_write && has_bit(use, STREAMS_WEAK_READ, byte))) continue;
        if (o->was_polled && !(written && is_unpublished(o, use))) continue;
        streams_conflict c = {.earlier = o,
                              .earlier_site = written ? &use->writer : &use->reader,
                              .earlier_writes = written,
                              .later_writes = is_write,
                              .was_polled = o->was_polled,
                              .address = address};
        if (observe_streams_is_known(&s->reported, &c)) return OBSERVE_HOST_RACES;
        if (s->name_of_host) s->name_of_host(c.host, sizeof c.host);
        observe_streams_report(s->findings, &c);
        return OBSERVE_HOST_RACES;
    }
    return OBSERVE_HOST_FREE;
}

// ---- opening and closing --------------------------------------------------------------------------------

observe_streams *observe_streams_open(observe_findings *findings) {
    observe_streams *made = calloc(1, sizeof *made);
    if (!made) return NULL;
    made->findings = findings;
    made->sweep_at = SWEEP_AT;
    made->listener = (sim_listener){
        .launch_begin = on_launch_begin, .access = on_access, .sync = on_sync, .memory = on_memory};
    return made;
}

void observe_streams_close(observe_streams *s) {
    if (!s) return;
    observe_entries_forget(&s->now);
    forget_all(s);
    observe_overlap_end(&s->overlap);
    free(s->operations);
    observe_entries_close(&s->now);
    free(s->pages);
    free(s->reported.keys);
    observe_published_close(&s->published);
    free(s);
}

sim_listener *observe_streams_listener(observe_streams *s) { return &s->listener; }
