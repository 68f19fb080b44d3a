// How a graph is made, element by element (the configuration model of random graphs).
//
// The rows of the graph are lengths that a formula gives; so are those of its transpose. Edge p, the p-th in the
// graph, is the edge perm(p) of the transpose, with perm a permutation that the seed draws and that can be undone:
// so it leads from the owner of p, by the first lengths, to the owner of perm(p), by the second. Whoever asks for
// the transpose's edge q undoes the permutation. A lattice needs none of this: it is its own transpose.
#include "graph.h"

#include <math.h>

typedef struct maker {
    uint64_t n, m; // vertices, edges
    graph_shape shape;
    double ratio; // m / n
    uint64_t seed;
    unsigned bits; // of the permutation: 2^bits >= m
    uint64_t factor[3], inverse[3], added[3];
} maker;

enum { ROUNDS = 3 };

// 64 bits that look random (the finaliser of splitmix64, Steele, Lea and Flood 2014).
static uint64_t mix(uint64_t x) {
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static maker make(const kz_case *c, uint64_t seed) {
    maker g = {.n = (uint64_t)c->axes[VERTICES],
               .m = (uint64_t)c->axes[EDGES],
               .shape = (graph_shape)c->axes[SHAPE],
               .seed = mix(seed)};
    g.ratio = g.n ? (double)g.m / (double)g.n : 0.0;
    for (g.bits = 1; g.m >> g.bits; g.bits++) {}
    for (int i = 0; i < ROUNDS; i++) {
        g.factor[i] = kz_draw(seed, OUT_TARGETS, 2 * (uint64_t)i) | 1;
        g.added[i] = kz_draw(seed, OUT_TARGETS, 2 * (uint64_t)i + 1);
        uint64_t x = g.factor[i]; // right in 3 bits; each of Newton's steps doubles that
        for (int step = 0; step < 5; step++) x *= 2 - g.factor[i] * x;
        g.inverse[i] = x;
    }
    return g;
}

// ---- lengths ----------------------------------------------------------------------------------------------

// Where row v begins; from 0 to m as v goes from 0 to n, and never falling. `in`: of the transpose.
static uint64_t offset_of(const maker *g, bool in, uint64_t v) {
    if (v == 0) return 0;
    if (v >= g->n) return g->m;
    double even = (double)v * g->ratio, m = (double)g->m, n = (double)g->n;
    switch (g->shape) {
    case GRAPH_POWER: return (uint64_t)(m * sqrt(sqrt((double)v / n)));
    case GRAPH_STAR: return (uint64_t)(even / 2) + (v > g->n / 2 ? g->m - g->m / 2 : 0);
    case GRAPH_EMPTY: { // sixteen rows' edges to one: the last of the out-rows, the first of the in-rows
        uint64_t group = in ? (v + 15) / 16 * 16 : v / 16 * 16;
        return group >= g->n ? g->m : (uint64_t)((double)group * g->ratio);
    }
    case GRAPH_LATTICE: return v * (g->m / g->n);
    default: { // moved up by at most a mean row
        uint64_t draw = mix(g->seed + 2 * v + in) >> 32, mean = (uint64_t)g->ratio;
        return (uint64_t)even + (draw * (mean + 1) >> 32);
    }
    }
}

// Whose edge p is: a guess by the formula's inverse, then a step or a few.
static uint64_t owner_of(const maker *g, bool in, uint64_t p) {
    double at = ((double)p + 0.5) / (double)g->m, n = (double)g->n, guess = at * n;
    if (g->shape == GRAPH_POWER) guess = at * at * at * at * n;
    if (g->shape == GRAPH_STAR) {
        uint64_t hub = g->n / 2, from = offset_of(g, in, hub);
        if (p >= from && p < offset_of(g, in, hub + 1)) return hub;
        guess = 2 * (p < from ? (double)p : (double)(p - (g->m - g->m / 2))) / (double)g->m * n;
    }
    uint64_t v = guess < n ? (uint64_t)guess : g->n - 1;
    while (v > 0 && offset_of(g, in, v) > p) v--;
    while (v + 1 < g->n && offset_of(g, in, v + 1) <= p) v++;
    return v;
}

// ---- the permutation of edges -----------------------------------------------------------------------------

// Of 2^bits numbers: an odd factor permutes them, and x ^ x >> (half the bits) undoes itself.
static uint64_t permute(const maker *g, uint64_t x) {
    uint64_t mask = (UINT64_C(1) << g->bits) - 1;
    for (int i = 0; i < ROUNDS; i++) {
        x = (x * g->factor[i] + g->added[i]) & mask;
        x ^= x >> (g->bits + 1) / 2;
    }
    return x;
}

static uint64_t undo(const maker *g, uint64_t x) {
    uint64_t mask = (UINT64_C(1) << g->bits) - 1;
    for (int i = ROUNDS - 1; i >= 0; i--) {
        x ^= x >> (g->bits + 1) / 2;
        x = (x - g->added[i]) * g->inverse[i] & mask;
    }
    return x;
}

// Of m numbers: whoever lands outside walks on along the cycle until it is inside, forth or back.
static uint64_t other_end(const maker *g, bool in, uint64_t p) {
    do p = in ? undo(g, p) : permute(g, p);
    while (p >= g->m);
    return owner_of(g, !in, p);
}

// ---- lattices ---------------------------------------------------------------------------------------------

// Neighbour k of v: a step up or down in dimension k / 2, whose steps are the power n^(k / 2 / dimensions). The last
// of an odd number of neighbours is v itself.
static uint64_t neighbour(const maker *g, uint64_t v, uint64_t k) {
    uint64_t dimensions = g->m / g->n / 2;
    if (k / 2 >= dimensions) return v;
    uint64_t step = (uint64_t)(pow((double)g->n, (double)(k / 2) / (double)dimensions) + 0.5) % g->n;
    return k % 2 ? (v + g->n - step) % g->n : (v + step) % g->n;
}

// ---- for the families -------------------------------------------------------------------------------------

void graph_buffers(const kz_case *c, kz_buffer list[GRAPH_BUFFERS]) {
    uint64_t n = (uint64_t)c->axes[VERTICES], m = (uint64_t)c->axes[EDGES];
    list[OUT_OFFSETS] = (kz_buffer){"out_offsets", KZ_INPUT, KZ_U32, n + 1};
    list[OUT_TARGETS] = (kz_buffer){"out_targets", KZ_INPUT, KZ_U32, m};
    list[IN_OFFSETS] = (kz_buffer){"in_offsets", KZ_INPUT, KZ_U32, n + 1};
    list[IN_SOURCES] = (kz_buffer){"in_sources", KZ_INPUT, KZ_U32, m};
}

bool graph_fill(const kz_case *c, size_t which, uint64_t seed, uint64_t first, uint64_t count, void *host) {
    if (which >= GRAPH_BUFFERS) return false;
    maker g = make(c, seed);
    bool in = which >= IN_OFFSETS, offsets = which == OUT_OFFSETS || which == IN_OFFSETS;
    uint64_t degree = g.n && g.m >= g.n ? g.m / g.n : 1; // of a lattice
    uint32_t *to = host;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t p = first + i;
        if (g.n == 0) // edges between no vertices: plans refuse it
            to[i] = 0;
        else if (offsets)
            to[i] = (uint32_t)offset_of(&g, in, p);
        else if (g.shape == GRAPH_LATTICE)
            to[i] = (uint32_t)neighbour(&g, p / degree, p % degree);
        else
            to[i] = (uint32_t)other_end(&g, in, p);
    }
    return true;
}

kz_status graph_supported(const char *family, const kz_case *c, kz_error *error) {
    int64_t n = c->axes[VERTICES], m = c->axes[EDGES], shape = c->axes[SHAPE];
    if (n >= INT32_MAX || m >= UINT32_MAX)
        return kz_plan_refuse(error,
                              "%s counts vertices in 31 bits and edges in 32, and there are %lld and %lld",
                              family, (long long)n, (long long)m);
    if (shape < 0 || shape >= GRAPH_SHAPES)
        return kz_plan_refuse(error,
                              "shape is %lld: 0 uniform, 1 power law, 2 lattice, 3 star, 4 mostly empty",
                              (long long)shape);
    if (n == 0 && m > 0) return kz_plan_refuse(error, "%lld edges between no vertices", (long long)m);
    if (shape == GRAPH_LATTICE && n > 0 && m % n != 0)
        return kz_plan_refuse(error,
                              "a lattice has as many edges at each vertex, and %lld is no multiple of %lld",
                              (long long)m, (long long)n);
    return KZ_OK;
}
