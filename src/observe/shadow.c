// Memory's definedness. See shadow.h.
#include "observe/shadow.h"

#include <stdlib.h>
#include <string.h>

// ---- words ----------------------------------------------------------------------------------------------

static size_t slot_of(const shadow_table *table, uint64_t key) {
    size_t at = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (table->capacity - 1);
    while (table->slots[at].key && table->slots[at].key != key) at = (at + 1) & (table->capacity - 1);
    return at;
}

shadow_word *observe_shadow_find_word(const shadow_table *table, uint64_t address) {
    if (!table->count) return NULL;
    shadow_word *word = &table->slots[slot_of(table, address / 8 + 1)];
    return word->key ? word : NULL;
}

static bool grow_table(shadow_table *table) {
    shadow_table grown = {.count = table->count, .capacity = table->capacity ? table->capacity * 2 : 256};
    grown.slots = calloc(grown.capacity, sizeof *grown.slots);
    if (!grown.slots) return false;
    for (size_t i = 0; i < table->capacity; i++)
        if (table->slots[i].key) grown.slots[slot_of(&grown, table->slots[i].key)] = table->slots[i];
    free(table->slots);
    *table = grown;
    return true;
}

shadow_word *observe_shadow_make_word(shadow_table *table, uint64_t address) {
    if (table->count * 2 >= table->capacity && !grow_table(table)) return NULL;
    shadow_word *word = &table->slots[slot_of(table, address / 8 + 1)];
    if (!word->key) {
        *word = (shadow_word){.key = address / 8 + 1, .bits = UINT64_MAX};
        table->count++;
    }
    return word;
}

void observe_shadow_clear_table(shadow_table *table) {
    if (table->count) memset(table->slots, 0, table->capacity * sizeof *table->slots);
    table->count = 0;
}

void observe_shadow_free_table(shadow_table *table) {
    free(table->slots);
    *table = (shadow_table){0};
}

// ---- pages ----------------------------------------------------------------------------------------------

bool observe_shadow_memory_open(shadow_memory *memory) {
    *memory = (shadow_memory){.first = UINT64_MAX};
    memory->top = calloc(SHADOW_TOP, sizeof *memory->top);
    memory->undefined = malloc(sizeof *memory->undefined);
    if (!memory->top || !memory->undefined) return false;
    *memory->undefined = (shadow_page){.undefined = SHADOW_PAGE};
    memset(memory->undefined->bits, 0xff, sizeof memory->undefined->bits);
    return true;
}

void observe_shadow_memory_close(shadow_memory *memory) {
    for (uint64_t page = memory->first; memory->top && page < memory->end;) {
        shadow_page **middle = memory->top[page / SHADOW_MIDDLE];
        uint64_t end = (page / SHADOW_MIDDLE + 1) * SHADOW_MIDDLE; // of this middle
        for (; middle && page < end && page < memory->end; page++)
            if (middle[page % SHADOW_MIDDLE] != memory->undefined) free(middle[page % SHADOW_MIDDLE]);
        free(middle);
        page = end;
    }
    free(memory->top);
    free(memory->undefined);
    observe_shadow_free_table(&memory->words);
}

static shadow_page **entry_of(shadow_memory *memory, uint64_t address) {
    shadow_page ***middle = &memory->top[address >> 32 & (SHADOW_TOP - 1)];
    uint64_t page = address >> SHADOW_PAGE_SHIFT & ((uint64_t)SHADOW_TOP * SHADOW_MIDDLE - 1);
    if (!*middle) *middle = calloc(SHADOW_MIDDLE, sizeof **middle);
    if (page < memory->first) memory->first = page;
    if (page >= memory->end) memory->end = page + 1;
    return *middle ? &(*middle)[address >> SHADOW_PAGE_SHIFT & (SHADOW_MIDDLE - 1)] : NULL;
}

shadow_page *observe_shadow_memory_own(shadow_memory *memory, uint64_t address) {
    shadow_page **entry = entry_of(memory, address);
    if (!entry) return NULL;
    if (*entry && *entry != memory->undefined) return *entry;
    shadow_page *made = malloc(sizeof *made);
    if (!made) return NULL;
    if (*entry)
        *made = *memory->undefined;
    else
        memset(made, 0, sizeof *made);
    return *entry = made;
}

void observe_shadow_memory_settle(shadow_memory *memory, uint64_t address) {
    shadow_page **entry = entry_of(memory, address);
    if (!entry || !*entry || (*entry)->undefined) return;
    free(*entry);
    *entry = NULL;
}

static void mark_page(shadow_memory *memory, uint64_t address, uint32_t bytes, bool undefined) {
    shadow_page **entry = entry_of(memory, address);
    if (!entry) return;
    if (bytes == SHADOW_PAGE) {
        if (*entry != memory->undefined) free(*entry);
        *entry = undefined ? memory->undefined : NULL;
        return;
    }
    if (*entry == (undefined ? memory->undefined : NULL)) return;
    shadow_page *page = observe_shadow_memory_own(memory, address);
    if (!page) return;
    for (uint64_t at = address % SHADOW_PAGE, end = at + bytes; at < end;) {
        uint32_t count = (uint32_t)(64 - at % 64 < end - at ? 64 - at % 64 : end - at);
        page->undefined += (uint32_t)observe_shadow_put(page->bits, at, count, undefined ? UINT64_MAX : 0);
        at += count;
    }
    if (!undefined) observe_shadow_memory_settle(memory, address);
}

// What was known of values that lay here before is not true of new memory.
static void forget_words(shadow_table *table, uint64_t address, uint64_t bytes) {
    uint64_t first = address / 8 + 1, last = (address + bytes - 1) / 8 + 1;
    if (!table->count || !bytes) return;
    if (last - first < table->capacity) {
        for (uint64_t key = first; key <= last; key++) {
            shadow_word *word = &table->slots[slot_of(table, key)];
            if (word->key) *word = (shadow_word){.key = key, .bits = UINT64_MAX};
        }
        return;
    }
    for (size_t i = 0; i < table->capacity; i++)
        if (table->slots[i].key >= first && table->slots[i].key <= last)
            table->slots[i] = (shadow_word){.key = table->slots[i].key, .bits = UINT64_MAX};
}

void observe_shadow_memory_mark(shadow_memory *memory, uint64_t address, uint64_t bytes, bool undefined) {
    if (undefined) forget_words(&memory->words, address, bytes);
    for (uint64_t end = address + bytes; address < end;) {
        uint64_t left = SHADOW_PAGE - address % SHADOW_PAGE;
        if (left > end - address) left = end - address;
        mark_page(memory, address, (uint32_t)left, undefined);
        address += left;
    }
}

uint64_t observe_shadow_memory_run(const shadow_memory *memory, uint64_t address, uint64_t end) {
    const shadow_page *first = observe_shadow_page_at(memory, address);
    bool undefined = first && observe_shadow_get(first->bits, address % SHADOW_PAGE, 1);
    while (address < end) {
        const shadow_page *page = observe_shadow_page_at(memory, address);
        if (!page || page == memory->undefined) {
            if (undefined != (page != NULL)) return address;
            address = (address | (SHADOW_PAGE - 1)) + 1;
            continue;
        }
        uint64_t at = address % SHADOW_PAGE, word = page->bits[at / 64] ^ (undefined ? UINT64_MAX : 0);
        word >>= at % 64;
        if (word) {
            address += (uint64_t)__builtin_ctzll(word);
            return address < end ? address : end;
        }
        address += 64 - at % 64;
    }
    return end;
}

bool observe_shadow_memory_has(const shadow_memory *memory, uint64_t address, uint64_t bytes,
                               uint64_t *first) {
    if (!bytes) return false;
    const shadow_page *page = observe_shadow_page_at(memory, address);
    *first = address;
    if (page && observe_shadow_get(page->bits, address % SHADOW_PAGE, 1)) return true;
    *first = observe_shadow_memory_run(memory, address, address + bytes);
    return *first < address + bytes;
}

// Which bits of the words are undefined comes along with the bytes.
static void copy_word(shadow_memory *memory, uint64_t to, uint64_t from) {
    const shadow_word *word = observe_shadow_find_word(&memory->words, from);
    if (!word) return;
    shadow_word held = *word;
    if (to % 8 != from % 8) return; // a rare way to copy: all bits of the bytes count
    shadow_word *made = observe_shadow_make_word(&memory->words, to);
    if (made) *made = (shadow_word){made->key, held.bits, held.origin, held.writer};
}

void observe_shadow_memory_copy(shadow_memory *memory, uint64_t to, uint64_t from, uint64_t bytes) {
    observe_shadow_memory_mark(memory, to, bytes, false);
    for (uint64_t at = 0; at < bytes;) {
        uint64_t end = observe_shadow_memory_run(memory, from + at, from + bytes) - from;
        const shadow_page *page = observe_shadow_page_at(memory, from + at);
        if (page && observe_shadow_get(page->bits, (from + at) % SHADOW_PAGE, 1)) {
            observe_shadow_memory_mark(memory, to + at, end - at, true);
            for (uint64_t k = at; memory->words.count && k < end; k += 8 - (to + k) % 8)
                copy_word(memory, to + k, from + k);
        }
        at = end;
    }
}
