// See padding.h.
#include "observe/padding.h"

#include <stdlib.h>
#include <string.h>

#include "observe/request.h"

enum { INSTRUCTIONS = 256, SAMPLES = 4, TURN = 128, LONGEST_ROW = 4096 };
static const double BETTER = 0.9; // of the wavefronts as they are: above it, nothing is said

typedef struct sample {
    uint32_t mask;
    uint64_t at[OBSERVE_LANES]; // bytes from the array's beginning
} sample;

typedef struct noted {
    const ptx_inst *inst;
    uint32_t array, bytes; // where the array begins; of a lane's access
    bool pairs_groups;     // see request.h
    uint64_t requests;
    uint32_t count;
    sample samples[SAMPLES];
    observe_padding padding;
} noted;

struct observe_paddings {
    noted items[INSTRUCTIONS];
    size_t count;
};

observe_paddings *observe_paddings_open(void) { return calloc(1, sizeof(observe_paddings)); }
void observe_paddings_close(observe_paddings *p) { free(p); }
void observe_paddings_begin(observe_paddings *p) { p->count = 0; }

static noted *find(observe_paddings *p, const sim_access *access, uint32_t begin) {
    for (size_t i = 0; i < p->count; i++)
        if (p->items[i].inst == access->at.inst && p->items[i].array == begin) return &p->items[i];
    if (p->count == INSTRUCTIONS) return NULL;
    noted *n = &p->items[p->count++];
    memset(n, 0, sizeof *n);
    n->inst = access->at.inst;
    n->array = begin;
    n->bytes = access->bytes;
    n->pairs_groups = observe_pairs_groups(access);
    return n;
}

void observe_paddings_note(observe_paddings *p, const sim_access *access, uint32_t begin) {
    noted *n = find(p, access, begin);
    if (!n) return;
    n->requests++;
    if (n->count == SAMPLES) return;
    sample *s = &n->samples[n->count++];
    s->mask = access->at.mask;
    for (uint32_t m = s->mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        if (access->addresses[lane] < begin) { // of another array
            n->count--;
            return;
        }
        s->at[lane] = access->addresses[lane] - begin;
    }
}

// ---- trying ----------------------------------------------------------------------------------------------------

// Wavefronts of a request if rows of `row` bytes were `to` long.
static uint32_t wavefronts_of(const noted *n, const sample *s, uint32_t row, uint32_t to) {
    uint64_t moved[OBSERVE_LANES] = {0};
    uint32_t wavefronts, ideal;
    for (uint32_t m = s->mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        moved[lane] = s->at[lane] / row * to + s->at[lane] % row;
    }
    observe_count_wavefronts(moved, s->mask, n->bytes, n->pairs_groups, &wavefronts, &ideal);
    return wavefronts;
}

static double average(const noted *n, uint32_t row, uint32_t to) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n->count; i++) sum += wavefronts_of(n, &n->samples[i], row, to);
    return n->count ? (double)sum / n->count : 0;
}

// All instructions on the array, each as often as it was executed.
static double all_of(const observe_paddings *p, uint32_t array, uint32_t row, uint32_t to) {
    double sum = 0, requests = 0;
    for (size_t i = 0; i < p->count; i++) {
        const noted *n = &p->items[i];
        if (n->array != array || !n->count) continue;
        sum += average(n, row, to) * (double)n->requests;
        requests += (double)n->requests;
    }
    return requests > 0 ? sum / requests : 0;
}

static uint32_t widest(const observe_paddings *p, uint32_t array) {
    uint32_t bytes = 4;
    for (size_t i = 0; i < p->count; i++)
        if (p->items[i].array == array && p->items[i].bytes > bytes) bytes = p->items[i].bytes;
    return bytes;
}

// A length of rows that a request shows: the distance of its runs, or of its threads.
static uint32_t row_of(const noted *n) {
    const sample *s = &n->samples[0];
    observe_pattern pattern = observe_find_pattern(s->at, s->mask, n->bytes);
    int64_t stride = pattern.stride < 0 ? -pattern.stride : pattern.stride,
            jump = pattern.jump < 0 ? -pattern.jump : pattern.jump;
    // Of ldmatrix each thread has a row's address, and runs of them begin side by side.
    int64_t bytes = pattern.kind == OBSERVE_ROWS     ? (jump > stride ? jump : stride)
                    : pattern.kind == OBSERVE_STRIDE ? stride
                                                     : 0;
    return bytes > (int64_t)n->bytes && bytes <= LONGEST_ROW && bytes % 4 == 0 ? (uint32_t)bytes : 0;
}

static bool has_conflicts(const noted *n) {
    uint32_t wavefronts, ideal;
    if (!n->count) return false;
    observe_count_wavefronts(n->samples[0].at, n->samples[0].mask, n->bytes, n->pairs_groups, &wavefronts,
                             &ideal);
    return wavefronts > ideal;
}

// The best length for rows of `row` bytes, the shortest of those alike.
static observe_padding try_row(const observe_paddings *p, uint32_t array, uint32_t row) {
    observe_padding best = {.row = row, .to = row, .now = all_of(p, array, row, row)};
    uint32_t step = widest(p, array);
    best.then = best.now;
    for (uint32_t to = row + step - row % step; to <= row + TURN; to += step) {
        double then = all_of(p, array, row, to);
        if (then < best.then * 0.999 && then < best.now * BETTER) {
            best.to = to;
            best.then = then;
        }
    }
    return best;
}

size_t observe_paddings_try(observe_paddings *p) {
    for (size_t i = 0; i < p->count; i++) {
        noted *n = &p->items[i];
        uint32_t row = has_conflicts(n) ? row_of(n) : 0;
        if (!row) continue;
        n->padding = try_row(p, n->array, row);
        n->padding.own_now = average(n, row, row);
        n->padding.own_then = average(n, row, n->padding.to);
    }
    return p->count;
}

const ptx_inst *observe_paddings_get(const observe_paddings *p, size_t i, observe_padding *padding) {
    *padding = p->items[i].padding;
    return p->items[i].inst;
}
