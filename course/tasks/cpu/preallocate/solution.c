// Puts the elements of x together by their key: group g is
// grouped[start[g]] to grouped[start[g + 1] - 1], in the order of x.
#include <stdlib.h>
#include <string.h>

// kz: begin
void group(const int *key, const float *x, int *start, float *grouped,
           int n, int groups) {
    memset(start, 0, (size_t)(groups + 1) * sizeof *start);
    for (int i = 0; i < n; i++) start[key[i] + 1]++; // count
    // where each group begins
    for (int g = 0; g < groups; g++) start[g + 1] += start[g];
    int *next = malloc((size_t)groups * sizeof *next);
    if (!next) return;
    memcpy(next, start, (size_t)groups * sizeof *next);
    for (int i = 0; i < n; i++) grouped[next[key[i]]++] = x[i]; // fill
    free(next);
}
// kz: starter
//| typedef struct list {
//|     float *items;
//|     int count;
//| } list;
//|
//| // Makes room for one more and puts it there.
//| static void append(list *l, float value) {
//|     float *larger = malloc((size_t)(l->count + 1) * sizeof *larger);
//|     if (!larger) return;
//|     for (int i = 0; i < l->count; i++) larger[i] = l->items[i];
//|     larger[l->count++] = value;
//|     free(l->items);
//|     l->items = larger;
//| }
//|
//| void group(const int *key, const float *x, int *start, float *grouped,
//|            int n, int groups) {
//|     list *lists = calloc((size_t)groups, sizeof *lists);
//|     if (!lists) return;
//|     for (int i = 0; i < n; i++) append(&lists[key[i]], x[i]);
//|     int at = 0;
//|     for (int g = 0; g < groups; g++) {
//|         start[g] = at;
//|         for (int i = 0; i < lists[g].count; i++)
//|             grouped[at++] = lists[g].items[i];
//|         free(lists[g].items);
//|     }
//|     start[groups] = at;
//|     free(lists);
//| }
// kz: end
