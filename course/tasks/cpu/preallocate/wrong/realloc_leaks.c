// fails: leak
// Grows by a factor, which is good, and forgets to free the lists.
#include <stdlib.h>
typedef struct list { float *items; int count, room; } list;
void group(const int *key, const float *x, int *start, float *grouped, int n, int groups) {
    list *lists = calloc((size_t)groups, sizeof *lists);
    for (int i = 0; i < n; i++) {
        list *l = &lists[key[i]];
        if (l->count == l->room) {
            l->room = l->room ? 2 * l->room : 8;
            l->items = realloc(l->items, (size_t)l->room * sizeof *l->items);
        }
        l->items[l->count++] = x[i];
    }
    int at = 0;
    for (int g = 0; g < groups; g++) {
        start[g] = at;
        for (int i = 0; i < lists[g].count; i++) grouped[at++] = lists[g].items[i];
    }
    start[groups] = at;
    free(lists);
}
