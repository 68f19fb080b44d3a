// See streams_entries.h.
#include "observe/streams_entries.h"

#include <stdlib.h>
#include <string.h>

static bool grow_index(streams_entries *s) {
    uint32_t capacity = s->index_capacity ? s->index_capacity * 2 : 1024;
    uint32_t *made = calloc(capacity, sizeof *made);
    if (!made) return false;
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t at = observe_streams_hash(s->all[i].number) & (capacity - 1);
        while (made[at]) at = (at + 1) & (capacity - 1);
        made[at] = i + 1;
    }
    free(s->index);
    s->index = made;
    s->index_capacity = capacity;
    return true;
}

static streams_entry *add_entry(streams_entries *s, uint64_t number, uint32_t at, uint32_t operation) {
    if (s->count == s->capacity) {
        uint32_t capacity = s->capacity ? s->capacity * 2 : 256;
        streams_entry *grown = realloc(s->all, capacity * sizeof *grown);
        if (!grown) return NULL;
        s->all = grown;
        s->capacity = capacity;
    }
    s->index[at] = s->count + 1;
    s->all[s->count] = (streams_entry){.number = number, .use.operation = operation};
    return &s->all[s->count++];
}

streams_entry *observe_entries_find(streams_entries *s, uint64_t number, uint32_t operation) {
    uint32_t *recent = &s->recent[number % STREAMS_RECENT];
    if (*recent && s->all[*recent - 1].number == number) return &s->all[*recent - 1];
    if (s->count * 2 >= s->index_capacity && !grow_index(s)) return NULL;
    uint32_t at = observe_streams_hash(number) & (s->index_capacity - 1);
    while (s->index[at] && s->all[s->index[at] - 1].number != number) at = (at + 1) & (s->index_capacity - 1);
    streams_entry *found = s->index[at] ? &s->all[s->index[at] - 1] : add_entry(s, number, at, operation);
    if (found) *recent = (uint32_t)(found - s->all) + 1;
    return found;
}

void observe_entries_forget(streams_entries *s) {
    for (uint32_t i = 0; i < s->count; i++) observe_streams_drop(&s->all[i].use);
    s->count = 0;
    if (s->index) memset(s->index, 0, s->index_capacity * sizeof *s->index);
    memset(s->recent, 0, sizeof s->recent);
}

void observe_entries_close(streams_entries *s) {
    observe_entries_forget(s);
    free(s->all);
    free(s->index);
}
