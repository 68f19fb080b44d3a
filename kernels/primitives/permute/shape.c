// permute: shapes and strides, and the merging of axes.
#include "private.h"

const char *const permute_orders[] = {"abcd", "abdc", "acbd", "acdb", "adbc", "adcb", "bacd", "badc", "bcad",
                                      "bcda", "bdac", "bdca", "cabd", "cadb", "cbad", "cbda", "cdab", "cdba",
                                      "dabc", "dacb", "dbac", "dbca", "dcab", "dcba", NULL};

static void set_strides(permute_shape *s) {
    uint64_t in = 1, out = 1;
    for (int i = s->rank - 1; i >= 0; i--) {
        s->in[i] = in;
        in *= s->n[i];
        s->out[s->order[i]] = out;
        out *= s->n[s->order[i]];
    }
}

permute_shape permute_shape_of(const kz_case *c) {
    permute_shape s = {.rank = PERMUTE_AXES};
    for (int i = 0; i < PERMUTE_AXES; i++) {
        s.n[i] = (uint64_t)c->axes[i];
        s.order[i] = permute_orders[c->operation][i] - 'a';
    }
    set_strides(&s);
    return s;
}

// Takes the input's axis out of the shape; those behind it move up.
static void drop(permute_shape *s, int axis) {
    int at = 0;
    for (int i = 0; i < s->rank; i++)
        if (s->order[i] != axis) s->order[at++] = s->order[i] - (s->order[i] > axis);
    s->rank--;
    for (int i = axis; i < s->rank; i++) s->n[i] = s->n[i + 1];
}

permute_shape permute_merge(const permute_shape *shape) {
    permute_shape s = *shape;
    for (int axis = s.rank - 1; axis >= 0; axis--)
        if (s.n[axis] == 1 && s.rank > 1) drop(&s, axis);
    for (int i = 0; i + 1 < s.rank;) {
        int axis = s.order[i];
        if (s.order[i + 1] != axis + 1) {
            i++;
            continue;
        }
        s.n[axis] *= s.n[axis + 1];
        drop(&s, axis + 1);
    }
    set_strides(&s);
    return s;
}

uint64_t permute_elements(const permute_shape *s) {
    uint64_t count = 1;
    for (int i = 0; i < s->rank; i++) count *= s->n[i];
    return count;
}
