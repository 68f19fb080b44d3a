// The host's own accesses to memory that it shares with the device: pinned and managed.
//
// Host code is not instrumented. So the pages that operations use are protected until the host has waited for those
// operations: against reading where they are written, against writing where they are read. The processor stops at
// an access; the bytes in flight say whether it races. One that does is reported, and opens the page; for another the page
// is open for one instruction. That needs a processor that stops after an instruction, and a system that lets us look
// at its calls (syscalls.c): without them no page is protected.
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

enum { STEPPED = 8, MOST_STEPS = 100000 };

// A page that is protected, and a change of one.
typedef struct page {
    uint64_t address; // 0: a free slot
    observe_in_flight state;
} page;

typedef struct page_list {
    page *all;
    size_t count, capacity;
} page_list;

static struct {
    page *slots; // hash
    size_t count, capacity;
    bool tried, works; // system calls are watched
    unsigned steps;    // taken since the host last waited: too many open what they step on
} guarded;

// Pages that are open while this thread executes one instruction.
static _Thread_local struct {
    uint64_t pages[STEPPED];
    unsigned count;
} stepping;

static uint64_t page_of(uint64_t address) { return address / OBSERVE_STREAMS_PAGE * OBSERVE_STREAMS_PAGE; }

// ---- which pages are protected --------------------------------------------------------------------------

static page *slot_of(page *slots, size_t capacity, uint64_t address) {
    size_t at =
        (size_t)(address / OBSERVE_STREAMS_PAGE * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (capacity - 1);
    while (slots[at].address && slots[at].address != address) at = (at + 1) & (capacity - 1);
    return &slots[at];
}

static bool make_room(void) {
    if (guarded.count * 2 < guarded.capacity) return true;
    size_t capacity = guarded.capacity ? guarded.capacity * 2 : 256;
    page *grown = calloc(capacity, sizeof *grown);
    if (!grown) return false;
    guarded.count = 0;
    for (size_t i = 0; i < guarded.capacity; i++) {
        if (!guarded.slots[i].address || guarded.slots[i].state == OBSERVE_IDLE) continue;
        *slot_of(grown, capacity, guarded.slots[i].address) = guarded.slots[i];
        guarded.count++;
    }
    free(guarded.slots);
    guarded.slots = grown;
    guarded.capacity = capacity;
    return true;
}

static observe_in_flight state_of(uint64_t address) {
    if (!guarded.capacity) return OBSERVE_IDLE;
    return slot_of(guarded.slots, guarded.capacity, address)->state;
}

static bool keep_state(uint64_t address, observe_in_flight state) {
    if (!make_room()) return false;
    page *slot = slot_of(guarded.slots, guarded.capacity, address);
    guarded.count += !slot->address;
    *slot = (page){address, state};
    return true;
}

static bool protect(uint64_t address, uint64_t bytes, observe_in_flight state) {
    return cudart.host->protect(address, bytes, state);
}

static int compare_pages(const void *a, const void *b) {
    uint64_t x = ((const page *)a)->address, y = ((const page *)b)->address;
    return x < y ? -1 : x > y;
}

// Neighbours of one state by one call. A page that cannot be protected stays open, and counts as such.
static void change(page_list *list) {
    if (list->count) qsort(list->all, list->count, sizeof *list->all, compare_pages);
    for (size_t i = 0, end; i < list->count; i = end) {
        const page *first = &list->all[i];
        for (end = i + 1; end < list->count && list->all[end].state == first->state &&
                          list->all[end].address == first->address + (end - i) * OBSERVE_STREAMS_PAGE;)
            end++;
        bool done = protect(first->address, (end - i) * OBSERVE_STREAMS_PAGE, first->state);
        for (size_t k = i; k < end; k++)
            if (!keep_state(list->all[k].address, done ? first->state : OBSERVE_IDLE))
                protect(list->all[k].address, OBSERVE_STREAMS_PAGE, OBSERVE_IDLE);
    }
    free(list->all);
    *list = (page_list){0};
}

static void add_change(page_list *list, uint64_t address, observe_in_flight state) {
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? list->capacity * 2 : 64;
        page *grown = realloc(list->all, capacity * sizeof *grown);
        if (!grown) return;
        list->all = grown;
        list->capacity = capacity;
    }
    list->all[list->count++] = (page){address, state};
}

// Where this thread was stopped.
static _Thread_local const void *stopped_at;

static void name_host(char *name, size_t capacity) {
    if (stopped_at) cudart_function_at(stopped_at, name, capacity);
}

// ---- operations end, the host waits ---------------------------------------------------------------------

static void look_at_page(void *context, uint64_t address) {
    if (!sim_memory_is_visible(cudart.machine, address)) return;
    observe_in_flight state = observe_streams_page(cudart.uses, address, &cudart.journal.host.set);
    if (state != state_of(address)) add_change(context, address, state);
}

void cudart_pages_used(void) {
    page_list changes = {0};
    observe_streams_each(cudart.uses, look_at_page, &changes);
    if (changes.count && !guarded.tried) {
        guarded.tried = true;
        guarded.works = cudart.host->watch_calls();
        observe_streams_name_host(cudart.uses, name_host);
    }
    if (!guarded.works) changes.count = 0;
    change(&changes);
}

void cudart_pages_waited(void) {
    page_list changes = {0};
    guarded.steps = 0;
    for (size_t i = 0; i < guarded.capacity; i++)
        if (guarded.slots[i].address && guarded.slots[i].state != OBSERVE_IDLE)
            look_at_page(&changes, guarded.slots[i].address);
    change(&changes);
}

void cudart_pages_open(void) {
    page_list changes = {0};
    for (size_t i = 0; i < guarded.capacity; i++)
        if (guarded.slots[i].address && guarded.slots[i].state != OBSERVE_IDLE)
            add_change(&changes, guarded.slots[i].address, OBSERVE_IDLE);
    change(&changes);
}

// ---- the processor stops --------------------------------------------------------------------------------

static void open_page(uint64_t address) {
    protect(address, OBSERVE_STREAMS_PAGE, OBSERVE_IDLE);
    keep_state(address, OBSERVE_IDLE);
}

// Opens the page for the instruction that stopped, where the processor can stop again after it.
static cudart_stop step(uint64_t address) {
#if defined(__x86_64__)
    if (stepping.count < STEPPED && guarded.steps++ < MOST_STEPS) {
        stepping.pages[stepping.count++] = address;
        protect(address, OBSERVE_STREAMS_PAGE, OBSERVE_IDLE);
        return CUDART_STOP_STEP;
    }
#endif
    open_page(address);
    return CUDART_STOP_GO_ON;
}

// Whether the page may stay as it is.
static bool look(uint64_t address, bool is_write) {
    // What a host function does comes after what its stream did before.
    cudart_journal *j = &cudart.journal;
    const observe_order *host = j->calls_host ? &j->base.set : &j->host.set;
    observe_turn seen;
    switch (observe_streams_host(cudart.uses, address, is_write, host, &seen)) {
    case OBSERVE_HOST_FREE: return true;
    case OBSERVE_HOST_RACES: open_page(page_of(address)); return false;
    case OBSERVE_HOST_SEES:
        observe_order_add(&j->host.set, seen);
        cudart_uses_waited();
        return state_of(page_of(address)) !=
               OBSERVE_IDLE; // the operation may have more that was not published
    }
    return false;
}

cudart_stop cudart_pages_stopped(uint64_t address, bool is_write, const void *instruction) {
    if (!cudart.uses) return CUDART_STOP_FOREIGN;
    stopped_at = instruction;
    pthread_mutex_lock(&cudart.lock);
    cudart_stop stop = CUDART_STOP_FOREIGN;
    if (state_of(page_of(address)) != OBSERVE_IDLE)
        stop = look(address, is_write) ? step(page_of(address)) : CUDART_STOP_GO_ON;
    else if (sim_memory_is_visible(cudart.machine, address))
        stop = CUDART_STOP_GO_ON; // another thread opened the page after this one was stopped
    pthread_mutex_unlock(&cudart.lock);
    return stop;
}

bool cudart_pages_stepped(void) {
    if (!stepping.count) return false;
    pthread_mutex_lock(&cudart.lock);
    for (; stepping.count; stepping.count--) {
        uint64_t address = stepping.pages[stepping.count - 1];
        protect(address, OBSERVE_STREAMS_PAGE, state_of(address));
    }
    pthread_mutex_unlock(&cudart.lock);
    return true;
}

// ---- the system uses memory for the host ----------------------------------------------------------------

void cudart_pages_look(uint64_t address, uint64_t bytes, bool is_write) {
    pthread_mutex_lock(&cudart.lock);
    stopped_at = NULL; // in a library
    for (uint64_t end = address + bytes; address < end;) {
        uint64_t here = page_of(address), next = here + OBSERVE_STREAMS_PAGE;
        for (; address < next && address < end && state_of(here) != OBSERVE_IDLE; address++)
            if (!look(address, is_write)) break;
        if (state_of(here) != OBSERVE_IDLE) protect(here, OBSERVE_STREAMS_PAGE, OBSERVE_IDLE);
        address = next;
    }
    pthread_mutex_unlock(&cudart.lock);
}

void cudart_pages_close(uint64_t address, uint64_t bytes) {
    pthread_mutex_lock(&cudart.lock);
    for (uint64_t here = page_of(address); here < address + bytes; here += OBSERVE_STREAMS_PAGE)
        if (state_of(here) != OBSERVE_IDLE) protect(here, OBSERVE_STREAMS_PAGE, state_of(here));
    pthread_mutex_unlock(&cudart.lock);
}
