// What is remembered of memory: cells in pages of 1 KiB, made when they are first touched.
//
// A cell takes 28 bytes and stands for 4 bytes of memory, so the shadow is seven times what a kernel touches;
// a page that is accessed in halves or bytes has cells of their size, 14 or 28 times; one that copies and products access in
// 16 bytes at a time has cells of 16, until somebody wants less. Lists come on top. Nothing
// is cleared between launches or blocks: a shadow is born at a clock, and older entries mean nothing.
#include <stdlib.h>
#include <string.h>

#include "observe/races.h"

enum { REGION_SHIFT = 12, REGION = 1 << REGION_SHIFT, FIRST_ROOM = 4 }; // a region: 4096 pages

static bool spend(races_shadow *shadow, uint64_t bytes) {
    if (!observe_races_spend(shadow->budget, bytes)) return false;
    shadow->bytes += bytes;
    return true;
}

static void give_back(races_shadow *shadow, uint64_t bytes) {
    shadow->bytes -= bytes;
    if (shadow->budget) shadow->budget->spent -= bytes;
}

// ---- lists -----------------------------------------------------------------------------------------------

void observe_races_release_clear(races_release *release) {
    for (int i = 0; i < RACES_SCOPES; i++) observe_known_drop(release->known[i]);
    observe_known_drop(release->fenced);
    observe_known_drop(release->relaxed);
    *release = (races_release){0};
}

enum { RELEASE_BYTES = sizeof(races_release) + 512 }; // with what it tells, which others may share

races_release *observe_races_release_of(races_shadow *shadow, races_list *list) {
    if (list->release) return list->release;
    if (!spend(shadow, RELEASE_BYTES)) return NULL;
    return list->release = calloc(1, sizeof *list->release);
}

static void drop_release(races_shadow *shadow, races_list *list) {
    if (!list->release) return;
    observe_races_release_clear(list->release);
    free(list->release);
    list->release = NULL;
    give_back(shadow, RELEASE_BYTES);
}

void observe_races_list_clear(races_shadow *shadow, races_list *list) {
    drop_release(shadow, list);
    list->count = list->next = 0;
    list->strong_clock = list->strong_who = list->strong_tag = 0;
}

void observe_races_list_add(races_shadow *shadow, races_list *list, uint32_t at, const races_access *access) {
    if (at < list->count) {
        list->accesses[at] = *access;
        return;
    }
    if (list->count == list->capacity && list->capacity < RACES_LIST_LIMIT) {
        uint32_t capacity = list->capacity ? list->capacity * 2 : FIRST_ROOM;
        bool may = spend(shadow, (capacity - list->capacity) * sizeof *list->accesses);
        races_access *grown = may ? realloc(list->accesses, capacity * sizeof *grown) : NULL;
        if (grown) {
            list->accesses = grown;
            list->capacity = capacity;
        }
    }
    // A full list forgets: a race may be missed so, but none is made up.
    if (list->count == list->capacity) {
        if (list->count) list->accesses[list->next++ % list->count] = *access;
        return;
    }
    list->accesses[list->count++] = *access;
}

static races_list *new_list(races_shadow *shadow, uint32_t *index) {
    if (shadow->list_count == shadow->list_capacity) {
        uint32_t capacity = shadow->list_capacity ? shadow->list_capacity * 2 : 64;
        if (!spend(shadow, (capacity - shadow->list_capacity) * sizeof *shadow->lists)) return NULL;
        races_list *grown = realloc(shadow->lists, capacity * sizeof *grown);
        if (!grown) return NULL;
        memset(grown + shadow->list_capacity, 0, (capacity - shadow->list_capacity) * sizeof *grown);
        shadow->lists = grown;
        shadow->list_capacity = capacity;
    }
    *index = shadow->list_count++;
    return &shadow->lists[*index];
}

// The last of a chain goes on in the list.
static void take_chain(races_shadow *shadow, races_list *list, races_cell *cell) {
    observe_races_list_add(shadow, list, UINT32_MAX,
                           &(races_access){.clock = cell->write_clock,
                                           .who = cell->write_who & ~UINT32_C(31),
                                           .mask = UINT32_C(1) << (cell->write_who & 31),
                                           .tag = cell->write_tag,
                                           .order = ++list->order});
    list->strong_clock = cell->write_clock;
    list->strong_who = cell->write_who;
    list->strong_tag = cell->write_tag;
    cell->write_clock = cell->write_tag = 0;
}

races_list *observe_races_list_of(races_shadow *shadow, races_cell *cell) {
    if (observe_races_has_list(cell, shadow->birth)) return &shadow->lists[cell->read_who];
    bool is_old = cell->read_clock < shadow->birth || cell->read_tag & RACES_TAG_LIST;
    uint32_t index;
    races_list *list = new_list(shadow, &index);
    if (!list) return NULL;
    uint32_t tag = cell->read_tag & ~(uint32_t)(RACES_TAG_MANY | RACES_TAG_LIST);
    if (!is_old && cell->read_tag & RACES_TAG_MANY) {
        uint32_t readers[2] = {cell->read_who, cell->read_mask};
        for (int i = 0; i < 2; i++)
            observe_races_list_add(shadow, list, UINT32_MAX,
                                   &(races_access){.clock = cell->read_clock,
                                                   .who = readers[i] & ~UINT32_C(31),
                                                   .mask = UINT32_C(1) << (readers[i] & 31),
                                                   .tag = tag});
    } else if (!is_old) {
        observe_races_list_add(shadow, list, UINT32_MAX,
                               &(races_access){.clock = cell->read_clock,
                                               .who = cell->read_who & ~UINT32_C(31),
                                               .mask = cell->read_mask,
                                               .tag = tag});
    }
    if (cell->write_clock >= shadow->birth && observe_races_is_chained(cell->write_tag))
        take_chain(shadow, list, cell);
    cell->read_clock = UINT32_MAX; // the entries have clocks of their own
    cell->read_who = index;
    cell->read_mask = shadow->birth;
    cell->read_tag = RACES_TAG_LIST;
    return list;
}

// ---- pages -----------------------------------------------------------------------------------------------

static size_t page_bytes(uint32_t stride) {
    return sizeof(races_page) + (size_t)stride * RACES_COLUMNS * sizeof(uint32_t);
}

static races_page *new_page(races_shadow *shadow, uint32_t shift) {
    uint32_t count = (uint32_t)RACES_PAGE_BYTES >> shift;
    uint32_t stride = count + 24;
    races_page *page = spend(shadow, page_bytes(stride)) ? calloc(1, page_bytes(stride)) : NULL;
    if (!page) return NULL;
    page->shift = shift;
    page->count = count;
    page->stride = stride;
    return page;
}

// A list belongs to one cell: the new cells of a split one get copies.
static bool copy_list(races_shadow *shadow, races_cell *to) {
    uint32_t from = to->read_who, index;
    races_list *list = new_list(shadow, &index);
    if (!list) return false;
    const races_list *old = &shadow->lists[from];
    for (uint32_t i = 0; i < old->count; i++)
        observe_races_list_add(shadow, list, UINT32_MAX, &old->accesses[i]);
    list->strong_clock = old->strong_clock;
    list->strong_who = old->strong_who;
    list->strong_tag = old->strong_tag;
    to->read_who = index;
    return true;
}

static races_page *split_page(races_shadow *shadow, races_page *page, uint32_t shift) {
    races_page *fine = new_page(shadow, shift);
    if (!fine) return NULL;
    uint32_t parts = 1u << (page->shift - shift);
    for (uint32_t i = 0; i < page->count; i++) {
        const races_cell old = observe_races_cell_load(page, i);
        bool has_list = observe_races_has_list(&old, shadow->birth);
        for (uint32_t j = 0; j < parts; j++) {
            races_cell cell = old;
            if (has_list && j && !copy_list(shadow, &cell)) cell = (races_cell){0};
            observe_races_cell_store(fine, i * parts + j, &cell);
        }
    }
    give_back(shadow, page_bytes(page->stride));
    free(page);
    return fine;
}

// The region with this number among those of global memory; made where there is none.
static races_page **region_of(races_shadow *shadow, uint64_t number) {
    uint64_t key = number + 1;
    if (shadow->region_capacity && shadow->regions[shadow->last_region].key == key)
        return shadow->regions[shadow->last_region].pages;
    if ((shadow->region_count + 1) * 2 > shadow->region_capacity) {
        uint32_t capacity = shadow->region_capacity ? shadow->region_capacity * 2 : 64;
        races_region *grown = calloc(capacity, sizeof *grown);
        if (!grown) return NULL;
        for (uint32_t i = 0; i < shadow->region_capacity; i++) {
            if (!shadow->regions[i].key) continue;
            uint32_t at = (uint32_t)((shadow->regions[i].key * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
            while (grown[at & (capacity - 1)].key) at++;
            grown[at & (capacity - 1)] = shadow->regions[i];
        }
        free(shadow->regions);
        shadow->regions = grown;
        shadow->region_capacity = capacity;
    }
    uint32_t at = (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
    for (;; at++) {
        races_region *region = &shadow->regions[at & (shadow->region_capacity - 1)];
        if (!region->key) {
            if (!spend(shadow, REGION * sizeof *region->pages)) return NULL;
            if (!(region->pages = calloc(REGION, sizeof *region->pages))) return NULL;
            region->key = key;
            shadow->region_count++;
        }
        if (region->key != key) continue;
        shadow->last_region = at & (shadow->region_capacity - 1);
        return region->pages;
    }
}

races_page *observe_races_page_of(races_shadow *shadow, uint64_t number, uint32_t bytes, uint32_t made) {
    uint32_t shift = (uint32_t)__builtin_ctz(bytes);
    if (number >= shadow->page_count) return NULL;
    races_page **pages = shadow->pages;
    if (!pages) {
        if (!(pages = region_of(shadow, number >> REGION_SHIFT))) return NULL;
        number &= REGION - 1;
    }
    races_page **slot = &pages[number];
    if (!*slot)
        *slot = new_page(shadow, (uint32_t)__builtin_ctz(made));
    else if ((*slot)->shift > shift) {
        races_page *fine = split_page(shadow, *slot, shift);
        if (!fine) return NULL;
        *slot = fine;
    }
    return *slot;
}

void observe_races_shadow_begin(races_shadow *shadow, uint32_t birth) {
    for (uint32_t i = 0; i < shadow->list_count; i++) observe_races_list_clear(shadow, &shadow->lists[i]);
    shadow->list_count = 0;
    shadow->birth = birth;
}

void observe_races_shadow_close(races_shadow *shadow) {
    for (uint32_t i = 0; i < shadow->region_capacity; i++) {
        for (uint32_t j = 0; shadow->regions[i].pages && j < REGION; j++) free(shadow->regions[i].pages[j]);
        free(shadow->regions[i].pages);
    }
    for (uint64_t i = 0; shadow->pages && i < shadow->page_count; i++) free(shadow->pages[i]);
    observe_races_shadow_begin(shadow, 0);
    for (uint32_t i = 0; i < shadow->list_capacity; i++) free(shadow->lists[i].accesses);
    free(shadow->lists);
    free(shadow->regions);
    free(shadow->pages);
    free(shadow->quick);
    give_back(shadow, shadow->bytes);
    *shadow = (races_shadow){.budget = shadow->budget};
}
