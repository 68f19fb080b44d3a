// The inside of the race detector: who knows of whose accesses, and what is remembered of each word.
//
// One clock counts the events that order threads. An access is remembered with the clock's value; a thread
// *knows* of it when a chain of barriers, warp synchronisations or releases and acquires leads from it to the thread (the
// PTX memory model's causality order). What a thread knows has three layers, the cheap ones first: all of its
// block before the block's `base` (the last barrier of all), all of its warp before the warp's `base` (the
// last synchronisation of all lanes), and an observe_known, made only where threads synchronise in other ways.
//
// Who did it is a number: block << 10 | warp << 5 | lane, and a kind for those that are not threads.
#ifndef OBSERVE_RACES_H
#define OBSERVE_RACES_H

#include "observe/observe.h"

enum { RACES_LANES = 32, RACES_WARPS = 32, RACES_BARRIERS = 16, RACES_SCOPES = 3, RACES_LINKS = 16 };
#define RACES_LAST_CLOCK (UINT32_MAX - 64) // the rest of a launch is not looked at
#define RACES_BLOCK_MASK ((UINT32_C(1) << 22) - 1)

// Who accesses memory: threads, and what they start. Accesses of the latter are ordered by waiting alone.
typedef enum races_kind {
    RACES_THREAD,
    RACES_COPY,       // cp.async
    RACES_BULK_READ,  // a bulk group's reads of its sources
    RACES_BULK_WRITE, // and its writes
    RACES_PRODUCT,    // a warpgroup's product (wgmma) reads its matrices
    RACES_TRACKED,    // what an mbarrier waits for; instead of warp and lane the number of the mbarrier
    // No accesses, but how far threads have come:
    RACES_REACHED,        // where a barrier orders no more than that
    RACES_ISSUED,         // they have executed a product that is over
    RACES_PROXIED,        // a fence.proxy.async of shared memory came after their accesses,
    RACES_PROXIED_COPY,   // and after their cp.asyncs
    RACES_PROXIED_GLOBAL, // one of global memory
    RACES_PROXIED_GLOBAL_COPY,
    RACES_PUBLISHED, // a release fence.proxy.tensormap came after their accesses,
    RACES_PUBLISHED_COPY,
    RACES_MAPPED, // and an acquire one after that
    RACES_MAPPED_COPY,
    RACES_MAPS_ACQUIRED, // the block has executed an acquire one; warp 0 stands for all
} races_kind;

// ---- what is known (races_known.c) -----------------------------------------------------------------------

// "Of block b all before clock c", "of a slot (warp, or the copies of a warp) and lane up to clock c". An
// immutable tree by block, shared by all who know the same; NULL knows nothing. `levels` is the depth.
typedef struct observe_known observe_known;
enum { OBSERVE_ALL_LANES = 0xffff };
typedef struct observe_fact {
    uint16_t slot, lane; // slot: kind * 32 + warp
    uint32_t clock;      // up to and with this
} observe_fact;

unsigned observe_known_levels(uint64_t blocks);
// `facts` sorted by slot and lane; `all` is of the block's threads. NULL when out of memory.
observe_known *observe_known_of(unsigned levels, uint32_t block, uint32_t all, const observe_fact *facts,
                                uint32_t count);
observe_known *observe_known_keep(observe_known *known);
void observe_known_drop(observe_known *known);
// `*into` becomes what both know. False when out of memory.
bool observe_known_absorb(observe_known **into, observe_known *other);
// What `known` says of threads and of their cp.asyncs, said of the two kinds from `kind` on, of `warps` warps at most. NULL when
// out of memory.
// What is known of the kind `from` and the next, said of the kind `to` and the next.
observe_known *observe_known_as(const observe_known *known, unsigned from, unsigned to, uint32_t warps);
bool observe_known_holds(const observe_known *known, uint32_t block, unsigned slot, unsigned lane,
                         uint32_t clock);

// ---- what is remembered of memory (races_shadow.c) --------------------------------------------------------

// Tags: the instruction's serial number, and what kind of access it was.
enum {
    RACES_TAG_KIND = 7, // races_kind
    RACES_TAG_STRONG = 1 << 3,
    RACES_TAG_SCOPE_SHIFT = 4, // two bits
    RACES_TAG_WRITE = 1 << 6,
    RACES_TAG_ATOMIC = 1 << 7, // reads and writes at once
    RACES_TAG_MANY = 1 << 8,   // state of a cell's readers, see there
    RACES_TAG_LIST = 1 << 9,
    RACES_TAG_VOLATILE = 1 << 10,
    RACES_TAG_SERIAL_SHIFT = 11,
};

// The last weak write, or the last of a chain of atomics (races_atomics.c), and the readers since, of 4 bytes of
// memory, of 16, of 2 or of 1. An entry whose clock is before the shadow's birth means nothing. Readers: lanes `read_mask` of
// a warp, read_who one of them; MANY: read_who and read_mask are readers of different warps (of different blocks if
// there are such), others are forgotten; LIST: list number read_who, also of strong accesses; the clock is the last
// there is, and read_mask the shadow's birth, without which the list is another life's.
typedef struct races_cell {
    uint32_t write_clock, write_who, write_tag;
    uint32_t read_clock, read_who, read_mask, read_tag;
} races_cell;

enum { RACES_PAGE_SHIFT = 10, RACES_PAGE_BYTES = 1 << RACES_PAGE_SHIFT, RACES_LIST_LIMIT = 64 };
// Columns: each member of the cells by itself, so that many are compared at once.
enum { RACES_COLUMNS = sizeof(races_cell) / sizeof(uint32_t) };
typedef struct races_page {
    uint32_t shift; // bytes of a cell: 1 << shift
    uint32_t count; // of cells
    uint32_t
        stride; // from column to column: not a power of two, since addresses 4 KiB apart disturb each other
    uint32_t column[]; // [RACES_COLUMNS][stride]
} races_page;

// Where each member of a cell stands; those of its neighbours follow.
typedef struct races_columns {
    uint32_t *write_clock, *write_who, *write_tag, *read_clock, *read_who, *read_mask, *read_tag;
} races_columns;

static inline races_columns observe_races_columns(races_page *page, uint32_t index) {
    uint32_t *first = page->column + index;
    size_t stride = page->stride;
    return (races_columns){first,
                           first + stride,
                           first + 2 * stride,
                           first + 3 * stride,
                           first + 4 * stride,
                           first + 5 * stride,
                           first + 6 * stride};
}

static inline races_cell observe_races_cell_load(const races_page *page, uint32_t at) {
    races_cell cell;
    uint32_t *to = (uint32_t *)&cell;
    for (uint32_t i = 0; i < RACES_COLUMNS; i++) to[i] = page->column[i * page->stride + at];
    return cell;
}

static inline void observe_races_cell_store(races_page *page, uint32_t at, const races_cell *cell) {
    const uint32_t *from = (const uint32_t *)cell;
    for (uint32_t i = 0; i < RACES_COLUMNS; i++) page->column[i * page->stride + at] = from[i];
}

static inline bool observe_races_has_list(const races_cell *cell, uint32_t birth) {
    return cell->read_tag & RACES_TAG_LIST && cell->read_mask == birth;
}

static inline bool observe_races_is_chained(uint32_t write_tag) { return write_tag & RACES_TAG_ATOMIC; }

typedef struct races_access {
    uint32_t clock, who, mask, tag;
    uint32_t order; // among those of its list, where clocks are equal; 0: not known
} races_access;

// What strong writes of a word hand over to those who read it, by scope (block, cluster, GPU and beyond).
typedef struct races_release {
    observe_known *known[RACES_SCOPES];
    uint32_t block[RACES_SCOPES]; // that released; UINT32_MAX: several
    uint32_t writer;
    observe_known *fenced, *relaxed; // what is presumed, see races_presumed.c
} races_release;

typedef struct races_list {
    uint32_t count, capacity, next;
    uint32_t order; // the last that was given
    races_access *accesses;
    races_release *release;
    uint32_t strong_clock, strong_who, strong_tag; // the last strong write
} races_list;

// What all shadows of a detector have taken, and may take (races_limit.c).
typedef struct races_budget {
    uint64_t spent, limit;
    uint64_t program; // bytes of device memory that are allocated
    bool exceeded;
} races_budget;
void observe_races_budget_open(races_budget *budget);
bool observe_races_spend(races_budget *budget, uint64_t bytes); // false where there is no more

typedef struct races_region {
    uint64_t key; // number + 1
    races_page **pages;
} races_region;

// Of global memory, or of a block's shared memory.
typedef struct races_shadow {
    uint32_t birth; // clock
    races_budget *budget;
    uint64_t bytes; // that it has spent
    uint64_t page_count;
    races_page **pages;    // shared memory: by page
    races_region *regions; // global memory, pages by pages: hash
    uint32_t region_count, region_capacity, last_region;
    races_list *lists;
    uint32_t list_count, list_capacity;
    uint32_t *quick; // shared memory, by word: the block's base if reading it now needs no look, see races.c
    uint64_t quick_bytes; // of shared memory that it stands for: a power of two
} races_shadow;

// The page, with cells of at most `bytes` (1, 2, 4, 16): made finer where needed, or made, with cells of `made` bytes, no more
// than those. NULL: out of memory.
races_page *observe_races_page_of(races_shadow *shadow, uint64_t page, uint32_t bytes, uint32_t made);
// The list of a cell, which gets one if it has none; NULL: out of memory.
races_list *observe_races_list_of(races_shadow *shadow, races_cell *cell);
void observe_races_list_add(races_shadow *shadow, races_list *list, uint32_t at,
                            const races_access *access); // at UINT32_MAX: where there is room
void observe_races_list_clear(races_shadow *shadow, races_list *list);
// What the word of the list hands over, made if there is nothing yet; NULL: out of memory.
races_release *observe_races_release_of(races_shadow *shadow, races_list *list);
void observe_races_release_clear(races_release *release);
void observe_races_shadow_begin(races_shadow *shadow, uint32_t birth);
void observe_races_shadow_close(races_shadow *shadow);

// ---- threads (races_threads.c) ---------------------------------------------------------------------------

// What a fence fixed: strong writes after it publish what the thread knew then.
typedef struct races_fence {
    uint32_t clock, block_base, warp_base;
    observe_known *known;
    uint32_t *met; // [32], or NULL
} races_fence;

enum { RACES_GROUPS = 32 };
typedef struct races_lane {
    races_fence fences[RACES_SCOPES];
    observe_known *pending[RACES_SCOPES];  // read by relaxed accesses; a fence of that scope makes it known
    uint32_t commits[2];                   // groups committed: of cp.async, of bulk copies
    uint32_t group_clock[2][RACES_GROUPS]; // when, the latest ones
} races_lane;

// What hardware orders without a promise (races_presumed.c).
typedef enum races_presumption {
    RACES_FENCED,   // what threads did before fences that came before a barrier: a flag hands it on
    RACES_SEEN,     // what flags that were read hand on,
    RACES_ACQUIRED, // and that a fence followed
    RACES_TICKET, // what tickets hand on, without a fence that follows: atomics whose result no loop waits for
    RACES_RELEASED, // of what was seen, that which the writer of the flag released by the rules
    RACES_RELAXED,  // what precedes by strong accesses alone
    RACES_PRESUMPTIONS
} races_presumption;

// The products of a warp: when the latest ones were executed, and how many there were at the latest commits.
enum { RACES_PRODUCTS = 256 };
typedef struct races_products {
    uint32_t count, commits;
    uint32_t clock[RACES_PRODUCTS], at_commit[RACES_GROUPS];
} races_products;

typedef struct races_warp {
    uint32_t index, base, live; // live: lanes that have not ended
    observe_known *known;
    observe_known **lane_known;   // [32], where the lanes know different things; `known` is NULL then
    uint32_t (*met)[RACES_LANES]; // [i][j]: lane i knows lane j up to and with this; NULL where base says it
    races_lane *lanes;            // [32], made when needed
    races_products *products;     // made when needed
    uint32_t waited[RACES_TRACKED]; // by kind: each lane's own copies up to this clock are done
    observe_known *presumed[RACES_PRESUMPTIONS];
    bool has_fenced; // since the lanes last met
} races_warp;

// Barriers of bar.sync: who waits is frozen until the barrier opens, so nothing is handed over before.
typedef struct races_barrier {
    uint64_t object;
    uint32_t waiting[RACES_WARPS];
    observe_known *handed; // by bar.arrive
    uint32_t arrived;      // bit i: of warp i lanes have come
    bool counted;          // the instruction said how many threads
} races_barrier;

// A strong read of what another thread wrote: perhaps a flag that publishes data.
typedef struct races_link {
    uint32_t write_clock, write_who, write_tag, read_clock, read_who, read_tag;
    int released; // the widest scope of what the writer released with it, or -1
    uint64_t address;
} races_link;

// A strong write to global memory. Of each block the last of its last few instructions are kept, also when it has
// ended: perhaps a counter that it told others by.
enum { RACES_WRITES = 4, RACES_WRITERS = 1 << 20 }; // blocks at most
typedef struct races_write {
    uint64_t address;
    uint32_t clock, tag;
} races_write;

typedef struct races_block {
    uint32_t index, id; // id: index within RACES_BLOCK_MASK
    uint32_t base, warp_count;
    bool any_known; // a warp has an observe_known
    bool presumes;  // a warp presumes something
    races_shadow shadow;
    uint32_t barrier_count;
    races_barrier barriers[RACES_BARRIERS];
    races_link links[RACES_LINKS];
    uint32_t link_next;
    races_access *visits; // of other blocks of the cluster to this one's shared memory
    uint32_t visit_count, visit_capacity;
    uint32_t begun; // bit i: a thread here knows that block i of the cluster has begun, or was told of
    uint32_t channel_who[1024]; // who started what this block's mbarriers track
    races_warp warps[RACES_WARPS];
} races_block;

// mbarriers and barriers of clusters.
typedef struct races_object {
    uint64_t object;
    observe_known *handed, *done; // to the phase that runs; to all that are over
    uint32_t phase;
    uint32_t *came; // warps, since the phase began
    uint32_t came_count, came_capacity;
    uint32_t made_clock, made_who, made_tag; // by mbarrier.init; clock 0: not known
} races_object;

// An access of one lane.
typedef struct races_stashed {
    sim_access access; // without its addresses
    uint64_t address;
} races_stashed;

// What the host wrote, or copied, since kernels did (races_maps.c).
typedef struct races_host_write {
    uint64_t begin, end;
    uint32_t clock;
} races_host_write;
enum { RACES_HOST_WRITES = 1024 };

// A piece that a bulk copy moves from shared to global memory (races_same.c).
typedef struct races_piece {
    uint64_t to;
    uint32_t from, bytes, who;
} races_piece;
enum { RACES_PIECES = 8192 }; // the last ones: of four tiles of 32 KB

// What was asked of what is known, while nobody learns: the same again for the next words.
enum { RACES_ANSWERS = 128 };
typedef struct races_answer {
    const observe_known *known;
    uint64_t life;
    uint32_t who, kind, clock;
    bool holds;
} races_answer;
typedef struct races_memo {
    uint64_t life; // counts; answers of others mean nothing
    races_answer kept[RACES_ANSWERS];
} races_memo;

typedef struct races races;
struct races {
    observe_detector detector; // first
    observe_findings *findings;
    observe_finding finding;
    uint32_t now;
    races_memo memo; // until the next event that orders threads
    bool off;        // out of memory, or of clocks: says nothing more of this launch
    races_budget budget;
    bool has_avx2;
    bool exact; // this kernel orders threads in other ways than by barriers of all and warp synchronisations
    bool presumes_fences, presumes_relaxed; // it has fences for the GPU; volatile loads of data
    unsigned levels;
    const ptx_module *module;
    const ptx_function *entry;
    const ptx_inst **insts; // by serial number
    const ptx_inst *guess;  // see races_guess.c
    bool is_guess;
    uint32_t inst_capacity;
    uint8_t *polls; // by serial number, see races_volatile.c; NULL until asked
    uint32_t grid[3], cluster[3];
    bool has_clusters, is_cooperative;
    uint32_t threads, warps, blocks, shared_bytes, reserved_shared_bytes;
    races_shadow global;
    races_block **resident;              // by block
    races_write (*writes)[RACES_WRITES]; // by block; NULL until there are any
    races_block *last;
    races_block *spare;
    uint32_t spare_shared;
    races_object *objects; // hash
    uint32_t object_count, object_capacity;
    uint64_t *seen; // pairs of instructions that were told of; hash
    uint32_t seen_count, seen_capacity;
    races_host_write *host_writes; // RACES_HOST_WRITES of them; NULL until there are any
    uint32_t host_write_count;     // more than there is room for: it is not known what the host wrote
    races_piece *pieces;           // a ring of RACES_PIECES; NULL until there are any
    uint32_t piece_count;          // that there ever were
    races_piece piece_read;        // what was told of its reading, and not yet of its writing
    races_stashed *stash;          // bulk copies whose mbarrier is not yet known; a tensor copy's rows
    uint32_t stash_count, stash_capacity;
};

static inline uint32_t observe_races_who(const races_block *block, uint32_t warp, uint32_t lane) {
    return block->id << 10 | warp << 5 | lane;
}

// An access of a warp, while its lanes are looked at.
typedef struct races_view {
    races *self;
    const sim_access *access;
    races_block *block;
    races_warp *warp;
    races_shadow *shadow;
    uint32_t tag;     // of the access
    uint32_t who;     // without the lane, if it is a thread's or a copy's
    uint64_t address; // of the lane that is looked at
    uint32_t bytes;
    uint32_t birth;
    bool is_write, strong;
    bool exact;       // readers are remembered each for itself
    bool chains;      // an atomic that can be one of a chain, unless its thread releases something by it
    races_memo *memo; // NULL where lanes learn by the access
} races_view;
// Weak accesses of whole warps in patterns that are told at a glance; false where each lane needs a look.
bool observe_races_look_at_runs(races_view *view); // races_runs.c

// Whether nobody can conflict any more with an access to shared memory: it was before the barrier of all threads that
// can reach it.
static inline bool observe_races_is_over(const races_view *v, uint32_t clock) {
    return v->shadow != &v->self->global && !v->self->has_clusters && clock < v->block->base;
}

// ---- chains of atomics (races_atomics.c) -------------------------------------------------------------------

void observe_races_see_atomic(races_view *view); // begins the view of an atomic: sets `chains`
// The lane's atomic becomes the cell's last; false where it needs a list.
bool observe_races_chain(const races_view *view, uint32_t lane, races_cell *cell);
// Does what can be done at a glance; the lanes that each need a look.
uint32_t observe_races_look_at_atomics(races_view *view);

// Whether lane `lane` of the warp knows of an access. `memo` may be NULL.
bool observe_races_knows(const races_block *block, const races_warp *warp, uint32_t lane, uint32_t who,
                         unsigned kind, uint32_t clock, races_memo *memo);
// What the lanes may hand over now: all they know, and their own accesses so far.
observe_known *observe_races_knowledge(races *self, const races_block *block, const races_warp *warp,
                                       uint32_t mask);
observe_known *observe_races_knowledge_at(races *self, const races_block *block, const races_warp *warp,
                                          uint32_t lane, const races_fence *fence);
void observe_races_learn(races *self, races_block *block, races_warp *warp, uint32_t mask,
                         observe_known *known);
void observe_races_meet(races *self, races_block *block, races_warp *warp, uint32_t mask);
races_lane *observe_races_lane_of(races *self, races_warp *warp, uint32_t lane); // NULL: out of memory
races_block *observe_races_block_begin(races *self, uint32_t index, uint32_t warps);
void observe_races_block_end(races *self, races_block *block);
void observe_races_block_free(races_block *block);

// ---- presuming (races_presumed.c) --------------------------------------------------------------------------

void observe_races_presume_fence(races *self, races_block *block, races_warp *warp); // for the GPU
void observe_races_presume_sync(races *self, const races_block *block, races_warp *warp);
void observe_races_presume_barrier(races *self, races_block *block, uint32_t warps); // of these warps
bool observe_races_has_presumed(const races *self, const races_warp *warp); // so that a strong write says it
void observe_races_presume_write(races *self, const races_block *block, const races_warp *warp, uint32_t lane,
                                 races_release *release);
void observe_races_presume_read(races *self, races_block *block, races_warp *warp,
                                const races_release *release, bool is_ticket);
bool observe_races_presumes(const races_warp *warp, races_presumption which, uint32_t who, uint32_t clock);
void observe_races_presume_nothing(races_warp *warp); // drops what it has

// ---- the asynchronous proxy (races_proxy.c) ----------------------------------------------------------------

void observe_races_proxy_fence(races *self, races_block *block, races_warp *warp, const sim_sync *sync);
// Whether the access, of which the lane knows, is one that the asynchronous proxy need not see yet.
bool observe_races_lacks_proxy_fence(const races_view *view, uint32_t lane, uint32_t who, uint32_t clock,
                                     uint32_t tag);
void observe_races_begin_product(races *self, races_warp *warp); // whose reads are told of next
void observe_races_commit_products(races *self, races_warp *warp);
void observe_races_wait_for_products(races *self, races_block *block, races_warp *warp, const sim_sync *sync);

// ---- tensor maps that earlier kernels changed (races_maps.c) ------------------------------------------------

void observe_races_note_host_write(races *self, uint64_t address, uint64_t bytes);
// A tensor copy reads its map in global memory.
void observe_races_check_old_map(const races_view *view, uint32_t lane, uint64_t address);

// ---- order (races_order.c) -------------------------------------------------------------------------------

void observe_races_on_sync(races *self, races_block *block, races_warp *warp, const sim_sync *sync);
void observe_races_objects_clear(races *self);
unsigned observe_races_scope_of(const ptx_inst *inst,
                                unsigned otherwise); // 0: block, 1: cluster, 2: GPU and beyond
unsigned observe_races_scope_between(const races *self, uint32_t block,
                                     uint32_t other); // that reaches the other
bool observe_races_acquires(const ptx_inst *inst);
bool observe_races_releases(const ptx_inst *inst);
bool observe_races_same_cluster(const races *self, uint32_t block, uint32_t other);
// A strong access of a lane to a word: takes what was released there, and publishes.
void observe_races_strong(races *self, races_block *block, races_warp *warp, uint32_t lane,
                          const sim_access *access, races_shadow *shadow, races_list *list, uint32_t tag);
// Notes that the lane has read what was written strongly, perhaps a flag.
void observe_races_note_link(races_block *block, const races_link *link);
void observe_races_note_write(races *self, const races_view *view); // of a warp, for links to come
// The number of an mbarrier among its block's.
uint32_t observe_races_channel(uint64_t object);
// Handles accesses that an mbarrier will tell the end of, now that it is known (races.c).
void observe_races_tracked(races *self, races_block *block, races_warp *warp, uint64_t object);

// ---- the kernel (races_module.c) ---------------------------------------------------------------------------

bool observe_races_is_whole_block(const ptx_inst *inst);    // a barrier of the whole block, by a constant
races_kind observe_races_kind_of(const sim_access *access); // who makes it, and how its end is known
uint32_t observe_races_tag_of(const sim_access *access, races_kind kind);
// Before a launch; false when out of memory.
bool observe_races_know_module(races *self, const sim_launch_event *event);

// ---- telling (races_report.c) ----------------------------------------------------------------------------

typedef struct races_conflict {
    const sim_access *access;
    const races_block *block;
    uint32_t lane, tag; // of the access that showed it
    uint64_t address;   // in the form of sim_access
    uint32_t bytes;
    uint32_t who, clock, other_tag; // the one before
    bool proxy;                     // ordered, but no fence.proxy.async between
} races_conflict;
void observe_races_report(races *self, const races_conflict *conflict);
// Whether a product reads what a warp of its warpgroup wrote before it executed the product itself (races_proxy.c).
bool observe_races_is_before_issue(const races_conflict *conflict);
// Likely cause and what to do; `reach` is 0 for lanes of a warp, 1 for warps of a block, 2 for blocks (races_advice.c).
const char *observe_races_advice(const races *self, const races_conflict *conflict, uint32_t reach);
const ptx_inst *observe_races_inst_of(const races *self, uint32_t tag);
void observe_races_say_unchecked(races *self); // the launch was not looked at to its end, and why
// Whether it lies in the scratch memory of cooperative groups (races_library.c).
bool observe_races_is_library(const races *self, const races_conflict *conflict);
// The function that an instruction is in.
const ptx_function *observe_races_function_of(const ptx_module *module, const ptx_inst *inst);
// Whether the tag is that of a volatile load that polls, so that it has seen what it waited for; that of a store, or of a
// load whose value is data: it neither polls nor tests a flag (races_volatile.c).
bool observe_races_polls(races *self, uint32_t tag);
bool observe_races_is_ticket(races *self,
                             uint32_t tag); // of an atomic whose result is used, and which does not poll
bool observe_races_is_data(races *self, uint32_t tag);
// Whether what the store writes is computed from what the load read.
bool observe_races_depends(const ptx_function *f, const ptx_inst *load, const ptx_inst *store);
// Whether the tags are those of an atomic and of a loop's first guess at what a compare-and-swap will find.
bool observe_races_is_guess(races *self, uint32_t tag, uint32_t other);
// A thread uses an mbarrier and does not know that it was made.
void observe_races_report_unmade(races *self, const races_block *block, const sim_sync *sync, uint32_t lane,
                                 const races_object *object);
// A block of a cluster ended while another one may still be at its shared memory.
// Tells of an access to the shared memory of a block that the lane does not know to have begun (races_threads.c).
// Of a thread, neither atomic nor relaxed; volatile ones are.
static inline bool observe_races_is_plain(uint32_t tag) {
    return !(tag & RACES_TAG_KIND) && (!(tag & RACES_TAG_STRONG) || tag & RACES_TAG_VOLATILE);
}
// races_same.c: both write the same bytes, as stores of threads, as copies of one block.
bool observe_races_store_same(const races_conflict *conflict);
bool observe_races_copy_same(const races *self, const races_conflict *conflict);
void observe_races_note_piece(races *self, const races_block *block, const sim_access *access,
                              races_kind kind);
void observe_races_check_begun(races *self, const races_block *owner, const races_view *view, uint32_t lane);
void observe_races_report_early(races *self, const races_view *view, uint32_t lane, const races_block *owner);
void observe_races_report_visit(races *self, const races_block *block, const races_access *visit);

#endif
