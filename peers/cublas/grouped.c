// See grouped.h. In columns the family's b is the left operand and its a the right one, so a group's rows are columns.
#include "peers/cublas/grouped.h"

#include <stdlib.h>

enum { LISTS = 9, MATRICES = 3 };

bool grouped_open(grouped *g, uint64_t groups) {
    size_t count = (size_t)groups;
    int **const lists[LISTS] = {&g->turn_a,   &g->turn_b,   &g->m,        &g->n,    &g->k,
                                &g->a_column, &g->b_column, &g->c_column, &g->sizes};
    *g = (grouped){.most = (int)groups};
    int *numbers = calloc(LISTS * count + 1, sizeof *numbers);
    for (size_t i = 0; numbers && i < LISTS; i++) *lists[i] = numbers + i * count;
    g->offsets = calloc(count + 1, sizeof *g->offsets);
    g->alpha = calloc(count + 1, sizeof(double));
    g->beta = calloc(count + 1, sizeof(double));
    g->addresses = calloc(MATRICES * count + 1, sizeof *g->addresses);
    return numbers && g->offsets && g->alpha && g->beta && g->addresses;
}

void grouped_close(grouped *g) {
    free(g->turn_a); // the first of the lists
    free(g->offsets), free(g->alpha), free(g->beta), free(g->addresses);
    *g = (grouped){0};
}

size_t grouped_address_bytes(const grouped *g) { return MATRICES * (size_t)g->most * sizeof *g->addresses; }

static size_t bytes_of(int type) {
    return type == PRODUCT_F64 ? 8 : type == PRODUCT_F32 ? 4 : 2; // of those that groups are of
}

static void set_scalar(void *list, int at, const product *p, double value) {
    if (product_scalar_type(p) == PRODUCT_F64)
        ((double *)list)[at] = value;
    else
        ((float *)list)[at] = (float)value;
}

static void add_group(grouped *g, const product *p, const kz_ptr *buffers, uint64_t group) {
    uint64_t first = g->offsets[group], rows = g->offsets[group + 1] - first;
    int at = g->count++;
    kz_ptr *left = g->addresses, *right = left + g->most, *out = right + g->most;
    g->turn_a[at] = p->b_transposed, g->turn_b[at] = p->a_transposed;
    g->m[at] = (int)p->c.columns, g->n[at] = (int)rows, g->k[at] = (int)p->a.columns;
    g->a_column[at] = (int)p->b.ld, g->b_column[at] = (int)p->a.ld, g->c_column[at] = (int)p->c.ld;
    g->sizes[at] = 1;
    set_scalar(g->alpha, at, p, p->alpha), set_scalar(g->beta, at, p, p->beta);
    left[at] = buffers[p->b.buffer] + group * p->b.stride * bytes_of(p->in);
    right[at] = buffers[p->a.buffer] + first * p->a.ld * bytes_of(p->in);
    out[at] = buffers[p->c.buffer] + first * p->c.ld * bytes_of(p->out);
}

void grouped_plan(grouped *g, const product *p, const kz_ptr *buffers) {
    g->count = 0;
    for (int group = 0; group < g->most; group++)
        if (g->offsets[group + 1] > g->offsets[group]) add_group(g, p, buffers, (uint64_t)group);
}

int grouped_run(const grouped *g, const product *p, grouped_multiply *multiply, void *handle,
                kz_ptr addresses) {
    if (g->count == 0) return 0;
    void *const *left = (void *const *)(uintptr_t)addresses, *const *right = left + g->most,
                *const *out = right + g->most;
    return multiply(handle, g->turn_a, g->turn_b, g->m, g->n, g->k, g->alpha, (const void *const *)left,
                    p->in, g->a_column, (const void *const *)right, p->in, g->b_column, g->beta, out, p->out,
                    g->c_column, g->count, g->sizes, p->compute);
}
