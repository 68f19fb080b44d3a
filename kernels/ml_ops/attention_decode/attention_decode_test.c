// attention_decode: the reference by hand and its bound, then the public operation: pages, splits, what lies behind lengths,
// lengths that change between launches of one graph, and what it refuses.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "private.h"
#include "unit.h"

// ---- the reference -----------------------------------------------------------------------------------

static void refer(const kz_case *c, void *const *host, size_t which, double *expected, double *bound) {
    assert_int_equal(attention_decode_reference(c, host, which, expected, bound, NULL), KZ_OK);
}

// Two queries of one number, three keys of which the last is behind the length: scores 0 for the first query, which sees the
// first key alone; 0 and log 3 for the second one.
static void by_hand(void **state) {
    static const decode_detail with_lse = {.lse = true};
    float q[] = {0.0f, 1.0f}, k[] = {0.0f, logf(3.0f), (float)NAN}, v[] = {8.0f, 16.0f, (float)NAN};
    double out[2], bound[2];
    for (int32_t length = 2; length <= 3; length++) {
        int32_t lengths[] = {2};
        const kz_case c = {.axes = {1, 1, 1, 2, length, 1}, .detail = &with_lse};
        void *host[] = {q, k, v, lengths, NULL, NULL};
        refer(&c, host, 4, out, bound);
        assert_float_equal(out[0], 8.0, 1e-12);
        assert_float_equal(out[1], 14.0, 1e-6); // weights 1/4 and 3/4
        refer(&c, host, 5, out, bound);
        assert_float_equal(out[0], 0.0, 1e-12);
        assert_float_equal(out[1], log(4.0), 1e-6);
    }
}

static void lengths_are_kept_inside(void **state) {
    float q[] = {1.0f}, k[] = {0.0f, 0.0f}, v[] = {2.0f, 4.0f};
    const int32_t lengths[] = {-5, 0, 1, 2, 9};
    const double wanted[] = {0.0, 0.0, 2.0, 3.0, 3.0};
    for (int i = 0; i < 5; i++) {
        double out, bound;
        const kz_case c = {.axes = {1, 1, 1, 1, 2, 1}};
        void *host[] = {q, k, v, (void *)&lengths[i], NULL};
        refer(&c, host, 4, &out, &bound);
        assert_float_equal(out, wanted[i], 1e-12);
    }
}

// Pages of two tokens in another order, one index below 0 and one past the pool; bytes of e4m3 and their scales.
static void pages_and_bytes_by_hand(void **state) {
    static const decode_detail pages = {.page = 2, .pages = 3};
    float q[] = {0.0f}, k_scale[] = {1.0f}, v_scale[] = {4.0f};
    uint8_t k[6] = {0}, v[] = {0x38, 0x40, 0x48, 0x7f, 0xb8, 0xb8}; // 1, 2 | 4, NaN | -1, -1
    int32_t lengths[] = {5}, table[] = {7, -1, 1};
    double out, bound;
    const kz_case c = {
        .operation = KZ_ATTENTION_DECODE_PAGED_FP8, .axes = {1, 1, 1, 1, 6, 1}, .detail = &pages};
    void *host[] = {q, k, v, lengths, table, k_scale, v_scale, NULL};
    refer(&c, host, 7, &out, &bound);
    assert_float_equal(out, 4.0 * (-1.0 - 1.0 + 1.0 + 2.0 + 4.0) / 5.0, 1e-12);
    lengths[0] = 6;
    refer(&c, host, 7, &out, &bound);
    assert_true(isnan(out));
}

enum { MANY = 1024, WIDE = 64 };

static double whole(double x) { return x; }
static double tf32(double x) { // 11 bits of the mantissa
    int exponent;
    double mantissa = frexp(x, &exponent);
    return ldexp(nearbyint(ldexp(mantissa, 11)), exponent - 11);
}
static double in(kz_type type, double value) { // rounded to the type
    double memory;
    kz_element_set(type, &memory, 0, value);
    return kz_element_get(type, &memory, 0);
}

// How many results lie outside of the bound: factors of the scores as `factor` leaves them, weights rounded to `weight`, sums to
// `sum`.
static int outside(kz_type type, double (*factor)(double), kz_type weight, kz_type sum) {
    static double numbers[2 * MANY + 1][WIDE], expected[WIDE], bound[WIDE], weights[MANY];
    static char q[WIDE * 4], cache[2][MANY * WIDE * 4];
    int32_t lengths[] = {MANY};
    double total = 0.0;
    int count = 0;
    for (int i = 0; i < 2 * MANY + 1; i++)
        for (int d = 0; d < WIDE; d++) {
            void *to = i == 0 ? q : cache[i > MANY];
            uint64_t at = (uint64_t)(i == 0 ? d : (i - 1) % MANY * WIDE + d);
            kz_element_set(type, to, at,
                           (double)(kz_draw(7, (uint32_t)i, (uint64_t)d) >> 11) * 0x1p-52 - 1.0);
            numbers[i][d] = kz_element_get(type, to, at);
        }
    const kz_case c = {.type = type, .axes = {1, 1, 1, 1, MANY, WIDE}};
    void *host[] = {q, cache[0], cache[1], lengths, NULL};
    refer(&c, host, 4, expected, bound);
    for (int j = 0; j < MANY; j++) {
        double score = 0.0;
        for (int d = 0; d < WIDE; d++)
            score = in(KZ_F32, score + factor(numbers[0][d]) * factor(numbers[1 + j][d]));
        weights[j] = in(KZ_F32, exp(in(KZ_F32, score / 8.0)));
        total = in(KZ_F32, total + weights[j]);
        weights[j] = in(weight, weights[j]);
    }
    for (int d = 0; d < WIDE; d++) {
        double out = 0.0;
        for (int j = 0; j < MANY; j++) out = in(sum, out + weights[j] * numbers[1 + MANY + j][d]);
        count += !(fabs(in(type, out / total) - expected[d]) <= bound[d]);
    }
    return count;
}

static void bound_lets_floats_and_tensor_cores_pass(void **state) {
    assert_int_equal(outside(KZ_F32, whole, KZ_F32, KZ_F32), 0);
    assert_int_equal(outside(KZ_F16, whole, KZ_F16, KZ_F32), 0);
    assert_int_equal(outside(KZ_BF16, whole, KZ_BF16, KZ_F32), 0);
}

static void bound_fails_less_than_float(void **state) {
    assert_true(outside(KZ_F32, tf32, KZ_F32, KZ_F32) > 0);
    assert_true(outside(KZ_F32, whole, KZ_F16, KZ_F32) > 0);
    assert_true(outside(KZ_F16, whole, KZ_F32, KZ_F16) > 0);
    assert_true(outside(KZ_BF16, whole, KZ_F32, KZ_BF16) > 0);
}

// ---- the public operation ----------------------------------------------------------------------------

enum {
    SEQUENCES = 3,
    Q_HEADS = 4,
    CACHE_HEADS = 2,
    NEW = 2,
    ROOM = 400,
    D = 64,
    PAGE = 16,
    TABLE = ROOM / PAGE,
    Q_COUNT = SEQUENCES * Q_HEADS * NEW * D,
    ROW_COUNT = SEQUENCES * Q_HEADS * NEW,
    CACHE_COUNT = SEQUENCES * CACHE_HEADS * ROOM * D,
};
static const char *const kernels[] = {"01_row",        "02_grouped", "03_split",
                                      "04_one_launch", "05_async",   "06_bulk"};

// A problem on the host, as one array per buffer; elements of the cache have 1 or 2 bytes.
typedef struct world {
    kz_device *device;
    kz_ptr q, k, v, lengths, table, scale, out, lse, workspace;
    uint64_t workspace_bytes;
} world;
typedef struct answer {
    uint16_t out[Q_COUNT];
    float lse[ROW_COUNT];
} answer;

static const int32_t some_lengths[SEQUENCES] = {ROOM, 0, 277};

static kz_ptr upload(kz_device *device, const void *from, size_t bytes) {
    kz_ptr at = 0;
    assert_int_equal(kz_memory_alloc(device, bytes, &at, NULL), KZ_OK);
    if (from)
        assert_int_equal(kz_copy_to_device(device, NULL, at, from, bytes, NULL), KZ_OK);
    else
        assert_int_equal(kz_memory_fill(device, NULL, at, 0xff, bytes, NULL), KZ_OK);
    return at;
}

// The same keys and values in one array or in pages; what is behind the lengths is `garbage`.
static void make_cache(bool paged, size_t size, const int32_t *table, uint8_t garbage, uint32_t which,
                       uint8_t *to) {
    memset(to, garbage, CACHE_COUNT * size);
    for (uint64_t b = 0; b < SEQUENCES; b++)
        for (uint64_t head = 0; head < CACHE_HEADS; head++)
            for (uint64_t token = 0; token < (uint64_t)some_lengths[b]; token++)
                for (uint64_t d = 0; d < D; d++) {
                    uint64_t plain = ((b * CACHE_HEADS + head) * ROOM + token) * D + d, at = plain;
                    if (paged) {
                        uint64_t page = (uint64_t)table[b * TABLE + token / PAGE];
                        at = ((page * PAGE + token % PAGE) * CACHE_HEADS + head) * D + d;
                    }
                    uint64_t draw = kz_draw(11, which, plain);
                    if (size == 1)
                        to[at] = (draw & 0x7f) == 0x7f ? 0 : (uint8_t)draw;
                    else
                        kz_element_set(KZ_BF16, to, at, (double)(draw >> 11) * 0x1p-52 - 1.0);
                }
}

static world world_open(bool paged, bool fp8, uint8_t garbage) {
    static uint8_t q[Q_COUNT * 2], cache[CACHE_COUNT * 2];
    static int32_t table[SEQUENCES * TABLE];
    const float scale[CACHE_HEADS] = {0x1p-8f, 0x1.8p-8f};
    world w = {0};
    size_t size = fp8 ? 1 : 2;
    assert_int_equal(kz_device_open("sim:h200", &w.device, NULL), KZ_OK);
    for (uint64_t i = 0; i < Q_COUNT; i++)
        kz_element_set(KZ_BF16, q, i, (double)(kz_draw(11, 0, i) >> 11) * 0x1p-50 - 4.0);
    for (int i = 0; i < SEQUENCES * TABLE; i++) table[i] = (i * 7 + 3) % (SEQUENCES * TABLE);
    w.q = upload(w.device, q, sizeof q);
    make_cache(paged, size, table, garbage, 1, cache);
    w.k = upload(w.device, cache, CACHE_COUNT * size);
    make_cache(paged, size, table, garbage, 2, cache);
    w.v = upload(w.device, cache, CACHE_COUNT * size);
    w.lengths = upload(w.device, some_lengths, sizeof some_lengths);
    w.table = paged ? upload(w.device, table, sizeof table) : 0;
    w.scale = fp8 ? upload(w.device, scale, sizeof scale) : 0;
    w.out = upload(w.device, NULL, sizeof((answer *)0)->out);
    w.lse = upload(w.device, NULL, sizeof((answer *)0)->lse);
    return w;
}

static void world_close(world *w) {
    const kz_ptr all[] = {w->q, w->k, w->v, w->lengths, w->table, w->scale, w->out, w->lse, w->workspace};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]) kz_memory_free(w->device, all[i], NULL);
    kz_device_close(w->device);
}

static kz_operation *open_in(world *w, const char *variant, size_t splits) {
    const kz_attention_decode_shape shape = {.size = sizeof shape,
                                             .batch = SEQUENCES,
                                             .heads = Q_HEADS,
                                             .kv_heads = CACHE_HEADS,
                                             .queries = NEW,
                                             .keys = ROOM,
                                             .dimension = D,
                                             .page = w->table ? PAGE : 0,
                                             .splits = splits,
                                             .lse = true};
    kz_operation *operation;
    kz_error error = {0};
    uint32_t which = (w->table ? KZ_ATTENTION_DECODE_PAGED : KZ_ATTENTION_DECODE_CONTIGUOUS) +
                     (w->scale ? KZ_ATTENTION_DECODE_FP8 - KZ_ATTENTION_DECODE_CONTIGUOUS : 0);
    if (kz_attention_decode_open(w->device, (kz_attention_decode_operation)which, KZ_BF16, &shape, variant,
                                 &operation, &error))
        fail_msg("%s", error.message);
    if (kz_operation_workspace(operation) > w->workspace_bytes) {
        if (w->workspace) kz_memory_free(w->device, w->workspace, NULL);
        w->workspace_bytes = kz_operation_workspace(operation);
        w->workspace = upload(w->device, NULL, w->workspace_bytes);
    }
    return operation;
}

static void enqueue(world *w, kz_operation *operation, kz_stream *stream) {
    const kz_attention_decode_buffers buffers = {.size = sizeof buffers,
                                                 .q = w->q,
                                                 .k = w->k,
                                                 .v = w->v,
                                                 .lengths = w->lengths,
                                                 .page_table = w->table,
                                                 .k_scale = w->scale,
                                                 .v_scale = w->scale,
                                                 .out = w->out,
                                                 .lse = w->lse};
    kz_error error = {0};
    if (kz_attention_decode_run(operation, stream, &buffers, w->workspace, w->workspace_bytes, &error))
        fail_msg("%s", error.message);
}

static void fetch(world *w, answer *a) {
    assert_int_equal(kz_copy_to_host(w->device, NULL, a->out, w->out, sizeof a->out, NULL), KZ_OK);
    assert_int_equal(kz_copy_to_host(w->device, NULL, a->lse, w->lse, sizeof a->lse, NULL), KZ_OK);
    assert_int_equal(kz_device_synchronize(w->device, NULL), KZ_OK);
}

static void run(world *w, const char *variant, size_t splits, answer *a) {
    kz_operation *operation = open_in(w, variant, splits);
    enqueue(w, operation, NULL);
    fetch(w, a);
    kz_operation_close(operation);
}

static void assert_same(const answer *a, const answer *b, const char *what) {
    if (memcmp(a, b, sizeof *a)) fail_msg("%s: other bits", what);
}

static void pages_change_no_bit(void **state) {
    static answer plain, paged;
    for (int fp8 = 0; fp8 < 2; fp8++) {
        world one = world_open(false, fp8, 0xff), other = world_open(true, fp8, 0xff);
        for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
            run(&one, kernels[i], 0, &plain);
            run(&other, kernels[i], 0, &paged);
            assert_same(&plain, &paged, kernels[i]);
        }
        world_close(&one);
        world_close(&other);
    }
}

static void garbage_behind_lengths_changes_no_bit(void **state) {
    static answer nan, zeros;
    world one = world_open(true, false, 0xff), other = world_open(true, false, 0x00);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        run(&one, kernels[i], 0, &nan);
        run(&other, kernels[i], 0, &zeros);
        assert_same(&nan, &zeros, kernels[i]);
        for (int j = 0; j < Q_HEADS * NEW; j++) { // of the sequence that is empty
            assert_true(zeros.lse[Q_HEADS * NEW + j] == -INFINITY);
            for (int d = 0; d < D; d++) assert_int_equal(zeros.out[(Q_HEADS * NEW + j) * D + d], 0);
        }
    }
    world_close(&one);
    world_close(&other);
}

static void splits_agree(void **state) {
    static answer one, many, added;
    world w = world_open(false, false, 0xff);
    run(&w, "03_split", 4, &many);
    run(&w, "04_one_launch", 4, &added);
    assert_same(&many, &added, "whoever adds the parts");
    for (size_t i = 2; i < sizeof kernels / sizeof *kernels; i++) {
        run(&w, kernels[i], 1, &one);
        run(&w, kernels[i], 4, &many);
        int other = 0;
        for (int j = 0; j < Q_COUNT; j++) {
            double a = kz_element_get(KZ_BF16, one.out, (uint64_t)j),
                   b = kz_element_get(KZ_BF16, many.out, (uint64_t)j);
            assert_true(fabs(a - b) <= 0x1p-6 * fmax(fabs(a), 0x1p-4));
            other += a != b;
        }
        for (int j = 0; j < ROW_COUNT; j++)
            if (isfinite(one.lse[j])) assert_float_equal(one.lse[j], many.lse[j], 1e-4);
        other += memcmp(one.lse, many.lse, sizeof one.lse) != 0;
        if (other == 0) fail_msg("%s: one block or four gave the same bits: were there four?", kernels[i]);
    }
    world_close(&w);
}

// Tickets are 0 again after every launch, whatever lengths it saw, and the workspace holds what the launch before left.
static void graph_replays_with_other_lengths(void **state) {
    static answer wanted, got;
    world w = world_open(false, false, 0xff);
    kz_stream *stream;
    assert_int_equal(kz_stream_open(w.device, &stream, NULL), KZ_OK);
    const int32_t steps[][SEQUENCES] = {{1, 0, 1}, {130, 0, 64}, {ROOM, 0, 277}, {129, 0, 128}, {2, 0, 270}};
    for (size_t i = 2; i < sizeof kernels / sizeof *kernels; i++) {
        kz_operation *operation = open_in(&w, kernels[i], 4);
        kz_graph *graph;
        assert_int_equal(kz_graph_begin(w.device, stream, NULL), KZ_OK);
        enqueue(&w, operation, stream);
        assert_int_equal(kz_graph_end(w.device, stream, &graph, NULL), KZ_OK);
        for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
            assert_int_equal(kz_copy_to_device(w.device, NULL, w.lengths, steps[s], sizeof steps[s], NULL),
                             KZ_OK);
            run(&w, "01_row", 0, &wanted);
            assert_int_equal(kz_memory_fill(w.device, NULL, w.out, 0xff, sizeof wanted.out, NULL), KZ_OK);
            assert_int_equal(kz_graph_launch(w.device, graph, stream, NULL), KZ_OK);
            assert_int_equal(kz_stream_synchronize(w.device, stream, NULL), KZ_OK);
            fetch(&w, &got);
            for (int j = 0; j < Q_COUNT; j++) {
                double a = kz_element_get(KZ_BF16, wanted.out, (uint64_t)j),
                       b = kz_element_get(KZ_BF16, got.out, (uint64_t)j);
                if (!(fabs(a - b) <= 0x1p-6 * fmax(fabs(a), 0x1p-4)))
                    fail_msg("%s, step %zu: %d is %g, not %g", kernels[i], s, j, b, a);
            }
        }
        kz_graph_close(graph);
        kz_operation_close(operation);
    }
    kz_stream_close(stream);
    world_close(&w);
}

// One key of weight 1 and many of 2^-23.4, a number that f16 would round to 2^-23: on the whole a third too much.
static void small_weights_of_f16_are_kept(void **state) {
    enum { MANY_KEYS = 300 };
    static uint16_t row[D], k[MANY_KEYS * D], v[MANY_KEYS * D];
    const int32_t length = MANY_KEYS;
    const double score = -16.21875, weight = exp(score);
    kz_element_set(KZ_F16, row, 0, 1.0);
    for (uint64_t j = 1; j < MANY_KEYS; j++) {
        kz_element_set(KZ_F16, k, j * D, score);
        for (uint64_t d = 0; d < D; d++) kz_element_set(KZ_F16, v, j * D + d, 1.0);
    }
    world w = {0};
    assert_int_equal(kz_device_open("sim:h200", &w.device, NULL), KZ_OK);
    w.q = upload(w.device, row, sizeof row);
    w.k = upload(w.device, k, sizeof k);
    w.v = upload(w.device, v, sizeof v);
    w.lengths = upload(w.device, &length, sizeof length);
    w.out = upload(w.device, NULL, sizeof row);
    const kz_attention_decode_shape shape = {.size = sizeof shape,
                                             .batch = 1,
                                             .heads = 1,
                                             .kv_heads = 1,
                                             .queries = 1,
                                             .keys = MANY_KEYS,
                                             .dimension = D,
                                             .scale = 1.0f,
                                             .splits = 1};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        kz_operation *operation;
        assert_int_equal(kz_attention_decode_open(w.device, KZ_ATTENTION_DECODE_CONTIGUOUS, KZ_F16, &shape,
                                                  kernels[i], &operation, NULL),
                         KZ_OK);
        w.workspace_bytes = kz_operation_workspace(operation);
        if (w.workspace_bytes) w.workspace = upload(w.device, NULL, w.workspace_bytes);
        enqueue(&w, operation, NULL);
        assert_int_equal(kz_copy_to_host(w.device, NULL, row, w.out, sizeof row, NULL), KZ_OK);
        assert_int_equal(kz_device_synchronize(w.device, NULL), KZ_OK);
        double others = (MANY_KEYS - 1) * weight, wanted = others / (1.0 + others);
        assert_float_equal(kz_element_get(KZ_F16, row, D - 1) / wanted, 1.0, 0.01);
        kz_operation_close(operation);
        if (w.workspace) kz_memory_free(w.device, w.workspace, NULL);
        w.workspace = 0;
    }
    world_close(&w);
}

// ---- plans -------------------------------------------------------------------------------------------

static uint64_t blocks_of(const char *variant, int64_t batch, int64_t keys, uint32_t type) {
    const kz_family *family = kz_family_find("attention_decode");
    const kz_case c = {.type = (kz_type)type, .axes = {batch, 32, 8, 1, keys, 128}};
    kz_plan plan;
    kz_device *device;
    assert_int_equal(kz_device_open("sim:h200", &device, NULL), KZ_OK);
    assert_int_equal(kz_variant_plan(family, kz_variant_find(family, variant), &c, kz_device_get_info(device),
                                     &plan, NULL),
                     KZ_OK);
    kz_device_close(device);
    return plan.steps[0].launch.grid[0];
}

static void splits_fill_the_device(void **state) {
    for (size_t i = 2; i < sizeof kernels / sizeof *kernels; i++) {
        uint64_t blocks = blocks_of(kernels[i], 1, 131072, KZ_BF16);
        assert_true(blocks >= 2 * 132 && blocks <= 3 * 132 && blocks % 8 == 0);
        assert_int_equal(blocks_of(kernels[i], 256, 1024, KZ_BF16), 2048); // enough: one block for each
        assert_int_equal(blocks_of(kernels[i], 1, 100, KZ_BF16), 8);
    }
}

static void refuse(kz_device *device, kz_attention_decode_operation which, kz_type type,
                   const kz_attention_decode_shape *shape, const char *variant, const char *words) {
    kz_operation *operation = NULL;
    kz_error error = {0};
    kz_status status = kz_attention_decode_open(device, which, type, shape, variant, &operation, &error);
    assert_true(status != KZ_OK && operation == NULL);
    if (!strstr(error.message, words)) fail_msg("\"%s\" is not in: %s", words, error.message);
}

static void what_means_nothing_is_refused(void **state) {
    kz_device *device;
    assert_int_equal(kz_device_open("sim:h200", &device, NULL), KZ_OK);
    const kz_attention_decode_shape good = {
        .size = sizeof good, .batch = 1, .heads = 4, .kv_heads = 2, .queries = 1, .keys = 9, .dimension = 64};
    const kz_attention_decode_operation plain = KZ_ATTENTION_DECODE_CONTIGUOUS;
    refuse(device, plain, KZ_F32, NULL, NULL, "the shape is NULL");
    kz_attention_decode_shape s = good;
    s.size = 8;
    refuse(device, plain, KZ_F32, &s, NULL, "size in kz_attention_decode_shape is 8");
    s = good, s.kv_heads = 3;
    refuse(device, plain, KZ_F32, &s, "04_one_launch", "kv_heads must divide heads");
    s = good, s.queries = 9;
    refuse(device, plain, KZ_F32, &s, "04_one_launch", "9 queries per sequence");
    s = good, s.dimension = 264;
    refuse(device, plain, KZ_F32, &s, "04_one_launch", "264 numbers");
    s = good, s.keys = (size_t)1 << 31;
    refuse(device, plain, KZ_F32, &s, "04_one_launch", "2^31");
    s = good, s.scale = (float)INFINITY;
    refuse(device, plain, KZ_F32, &s, NULL, "the scale is inf");
    s = good, s.page = 16;
    refuse(device, plain, KZ_F32, &s, NULL, "a cache that has none");
    s = good, s.dimension = 80;
    refuse(device, plain, KZ_F16, &s, "06_bulk", "04_one_launch does the rest");
    refuse(device, plain, KZ_F32, &good, "05_async", "04_one_launch does f32");
    kz_operation *operation;
    kz_error error = {0};
    assert_int_equal(kz_attention_decode_open(device, plain, KZ_F32, &good, NULL, &operation, &error), KZ_OK);
    assert_string_equal(kz_operation_variant(operation), "04_one_launch");
    assert_int_equal(kz_attention_decode_run(operation, NULL, NULL, 0, 0, &error), KZ_INVALID);
    kz_attention_decode_buffers b = {.size = sizeof b, .q = 16, .k = 16, .v = 16, .out = 16};
    assert_int_equal(kz_attention_decode_run(operation, NULL, &b, 0, 0, &error), KZ_INVALID);
    assert_non_null(strstr(error.message, "lengths"));
    b.lengths = 16, b.page_table = 16;
    assert_int_equal(kz_attention_decode_run(operation, NULL, &b, 0, 0, &error), KZ_INVALID);
    assert_non_null(strstr(error.message, "page_table"));
    kz_operation_close(operation);
    kz_device_close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(lengths_are_kept_inside),
        cmocka_unit_test(pages_and_bytes_by_hand),
        cmocka_unit_test(bound_lets_floats_and_tensor_cores_pass),
        cmocka_unit_test(bound_fails_less_than_float),
        cmocka_unit_test(pages_change_no_bit),
        cmocka_unit_test(garbage_behind_lengths_changes_no_bit),
        cmocka_unit_test(splits_agree),
        cmocka_unit_test(graph_replays_with_other_lengths),
        cmocka_unit_test(small_weights_of_f16_are_kept),
        cmocka_unit_test(splits_fill_the_device),
        cmocka_unit_test(what_means_nothing_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
