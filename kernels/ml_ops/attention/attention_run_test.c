// attention, called as a user calls it: variants against each other where one problem can be asked for in two ways, what must not
// leak, what is refused and in which words, and the memory that plans ask for.
#include <math.h>
#include <stdlib.h>
#include <string.h>
// cmocka's header wants those before it

#include "kz/family.h"
#include "unit.h"

#include "attention.h"

// ---- a run ---------------------------------------------------------------------------------------------------

enum { ARRAYS = 9, MOST = 1 << 15 };
enum { IN_Q, IN_K, IN_V, OUT, LSE, KEY_LENGTHS, QUERY_OFFSETS, KEY_OFFSETS, MASK };

// Host arrays, in the order of kz_attention_buffers; NULL: there is none.
typedef struct arrays {
    void *at[ARRAYS];
    size_t bytes[ARRAYS];
} arrays;

static const char *const on_gpu[] = {
    "01_unfused",          "02_tiled",     "03_mma",     "04_async_copy", "05_wgmma",
    "06_warp_specialized", "07_ping_pong", "08_overlap", "09_persistent", NULL};
static const char *const on_cpu[] = {"00_native",   "10_cpu_naive",   "11_cpu_blocked",
                                     "12_cpu_simd", "13_cpu_threads", NULL};

// 05 to 09, to which tensor maps bring tiles: of no keys there is no map. Of those 06 to 08 have no added mask.
static bool has_maps(const char *variant) { return strcmp(variant, "05") > 0 && strcmp(variant, "10") < 0; }

static kz_device *open_device(const char *name) {
    kz_device *device;
    kz_error error = {0};
    if (kz_device_open(name, &device, &error)) fail_msg("%s", error.message);
    return device;
}

static kz_status run(kz_device *device, const char *variant, kz_attention_operation which, kz_type type,
                     const kz_attention_shape *shape, arrays *host) {
    kz_operation *operation;
    kz_error error = {0};
    kz_ptr at[ARRAYS] = {0}, workspace = 0;
    kz_status status = kz_attention_open(device, which, type, shape, variant, &operation, &error);
    if (status == KZ_UNSUPPORTED) return status;
    if (status) fail_msg("%s", error.message);
    uint64_t bytes = kz_operation_workspace(operation);
    assert_int_equal(kz_memory_alloc(device, bytes ? bytes : 1, &workspace, &error), KZ_OK);
    for (int i = 0; i < ARRAYS; i++) {
        if (!host->at[i]) continue;
        assert_int_equal(kz_memory_alloc(device, host->bytes[i], &at[i], &error), KZ_OK);
        assert_int_equal(kz_copy_to_device(device, NULL, at[i], host->at[i], host->bytes[i], &error), KZ_OK);
    }
    const kz_attention_buffers buffers = {.size = sizeof buffers,
                                          .q = at[IN_Q],
                                          .k = at[IN_K],
                                          .v = at[IN_V],
                                          .out = at[OUT],
                                          .lse = at[LSE],
                                          .key_lengths = at[KEY_LENGTHS],
                                          .query_offsets = at[QUERY_OFFSETS],
                                          .key_offsets = at[KEY_OFFSETS],
                                          .mask = at[MASK]};
    if (kz_attention_run(operation, NULL, &buffers, workspace, bytes, &error)) fail_msg("%s", error.message);
    for (int i = OUT; i <= LSE; i++)
        if (host->at[i])
            assert_int_equal(kz_copy_to_host(device, NULL, host->at[i], at[i], host->bytes[i], &error),
                             KZ_OK);
    assert_int_equal(kz_device_synchronize(device, &error), KZ_OK);
    for (int i = 0; i < ARRAYS; i++) kz_memory_free(device, at[i], NULL);
    kz_memory_free(device, workspace, NULL);
    kz_operation_close(operation);
    return KZ_OK;
}

static void draw(kz_type type, void *to, uint32_t which, uint64_t count) {
    for (uint64_t i = 0; i < count; i++)
        kz_element_set(type, to, i, (double)(kz_draw(11, which, i) >> 11) * 0x1p-51 - 2.0);
}

// Calls `test` for every variant, in f32 and in a half type; it says whether the variant does it.
static void with_all(bool (*test)(kz_device *device, const char *variant, kz_type type)) {
    static const struct {
        const char *device;
        const char *const *variants;
    } devices[] = {{"sim:h200", on_gpu}, {"cpu", on_cpu}};
    for (size_t d = 0; d < 2; d++) {
        kz_device *device = open_device(devices[d].device);
        for (const char *const *variant = devices[d].variants; *variant; variant++)
            assert_true(test(device, *variant, KZ_F32) + test(device, *variant, KZ_BF16) > 0);
        kz_device_close(device);
    }
}

// ---- one problem, asked for in two ways -------------------------------------------------------------------------

enum { HEADS = 2, D = 32, TOKENS = 100, SEQUENCES = 3 };
static const int32_t offsets[] = {0, 70, 70, TOKENS}; // the second one is empty

// A packed sequence's results have the bits that the sequence alone would get, lse included, and what is in the others, NaN
// too, does not matter.
static bool packed_is_separate(kz_device *device, const char *variant, kz_type type) {
    static char q[MOST], k[MOST], v[MOST], packed[MOST], alone[MOST];
    float packed_lse[HEADS * TOKENS], lse[HEADS * TOKENS];
    size_t row = HEADS * D * kz_type_size(type);
    kz_attention_shape shape = {.size = sizeof shape,
                                .batch = SEQUENCES,
                                .heads = HEADS,
                                .kv_heads = HEADS,
                                .queries = TOKENS,
                                .keys = TOKENS,
                                .dimension = D,
                                .lse = true};
    arrays all = {{q, k, v, packed, packed_lse, NULL, (void *)offsets, (void *)offsets},
                  {TOKENS * row, TOKENS * row, TOKENS * row, TOKENS * row, sizeof packed_lse, 0,
                   sizeof offsets, sizeof offsets}};
    static const int spoilt[] = {-1, 0, 2}; // no sequence, the first one, the last one
    for (size_t i = 0; i < sizeof spoilt / sizeof *spoilt; i++) {
        draw(type, q, 0, TOKENS * HEADS * D);
        draw(type, k, 1, TOKENS * HEADS * D), draw(type, v, 2, TOKENS * HEADS * D);
        for (int32_t x = 0; spoilt[i] >= 0 && x < TOKENS * HEADS * D; x++) {
            int32_t token = x / (HEADS * D);
            if (token < offsets[spoilt[i]] || token >= offsets[spoilt[i] + 1]) continue;
            kz_element_set(type, k, (uint64_t)x, NAN), kz_element_set(type, v, (uint64_t)x, NAN);
        }
        if (run(device, variant, KZ_ATTENTION_PACKED_CAUSAL, type, &shape, &all)) return false;
        for (int s = 0; s < SEQUENCES; s++) {
            size_t from = (size_t)offsets[s], count = (size_t)(offsets[s + 1] - offsets[s]);
            kz_attention_shape own = shape;
            own.batch = 1, own.queries = own.keys = count;
            own.q = own.kv = own.out = (kz_attention_strides){HEADS * D, D, 0};
            arrays one = {{q + from * row, k + from * row, v + from * row, alone, lse},
                          {count * row, count * row, count * row, count * row, HEADS * count * sizeof *lse}};
            if (count == 0 || s == spoilt[i]) continue;
            assert_int_equal(run(device, variant, KZ_ATTENTION_CAUSAL, type, &own, &one), KZ_OK);
            assert_memory_equal(alone, packed + from * row, count * row);
            for (size_t h = 0; h < HEADS; h++)
                assert_memory_equal(lse + h * count, packed_lse + h * TOKENS + from, count * sizeof *lse);
        }
    }
    return true;
}
static void packed_sequences_are_separate(void **state) { with_all(packed_is_separate); }

// What lies behind a padded length may hold any bits; a sequence of no keys gives zeros.
static bool padding_is_nothing(kz_device *device, const char *variant, kz_type type) {
    enum { B = 3, Q = 9, K = 75 };
    static char q[MOST], k[MOST], v[MOST], clean[MOST], dirty[MOST];
    static const int32_t lengths[B] = {K - 10, 0, 3};
    float clean_lse[B * Q], dirty_lse[B * Q];
    size_t size = kz_type_size(type), row = D * size;
    const kz_attention_shape shape = {.size = sizeof shape,
                                      .batch = B,
                                      .heads = 1,
                                      .kv_heads = 1,
                                      .queries = Q,
                                      .keys = K,
                                      .dimension = D,
                                      .lse = true};
    arrays host = {{q, k, v, clean, clean_lse, (void *)lengths},
                   {B * Q * row, B * K * row, B * K * row, B * Q * row, sizeof clean_lse, sizeof lengths}};
    draw(type, q, 0, B * Q * D), draw(type, k, 1, B * K * D), draw(type, v, 2, B * K * D);
    if (run(device, variant, KZ_ATTENTION_PADDED, type, &shape, &host)) return false;
    for (int i = 0; i < B * K * D; i++) {
        if (i / D % K < lengths[i / (K * D)]) continue;
        kz_element_set(type, k, (uint64_t)i, i % 3 ? NAN : INFINITY);
        kz_element_set(type, v, (uint64_t)i, i % 2 ? NAN : -INFINITY);
    }
    host.at[OUT] = dirty, host.at[LSE] = dirty_lse;
    assert_int_equal(run(device, variant, KZ_ATTENTION_PADDED, type, &shape, &host), KZ_OK);
    assert_memory_equal(clean, dirty, B * Q * row);
    assert_memory_equal(clean_lse, dirty_lse, sizeof clean_lse);
    for (uint64_t i = 0; i < Q * D; i++) {
        assert_true(kz_element_get(type, dirty, Q * D + i) == 0.0);
        assert_true(kz_element_get(type, dirty, i) != 0.0);
    }
    for (int i = Q; i < 2 * Q; i++) assert_true(dirty_lse[i] == -INFINITY);
    return true;
}
static void padding_has_no_influence(void **state) { with_all(padding_is_nothing); }

// A mask of zeros and -Inf is the causal one, within the rounding of another order.
static bool additive_is_causal(kz_device *device, const char *variant, kz_type type) {
    enum { Q = 40, K = 67 };
    static char q[MOST], k[MOST], v[MOST], mask[MOST], causal[MOST], added[MOST];
    size_t row = D * kz_type_size(type);
    const kz_attention_shape shape = {
        .size = sizeof shape, .batch = 1, .heads = 1, .kv_heads = 1, .queries = Q, .keys = K, .dimension = D};
    arrays host = {{q, k, v, causal}, {Q * row, K * row, K * row, Q * row}};
    draw(type, q, 0, Q * D), draw(type, k, 1, K * D), draw(type, v, 2, K * D);
    for (int i = 0; i < Q * K; i++)
        kz_element_set(type, mask, (uint64_t)i, i % K <= i / K + K - Q ? 0.0 : (double)-INFINITY);
    if (run(device, variant, KZ_ATTENTION_CAUSAL, type, &shape, &host)) return false;
    host.at[OUT] = added, host.at[MASK] = mask, host.bytes[MASK] = Q * K * kz_type_size(type);
    if (run(device, variant, KZ_ATTENTION_ADDITIVE, type, &shape, &host)) {
        assert_true(has_maps(variant) && strcmp(variant, "06") > 0 && strcmp(variant, "09") < 0);
        return true;
    }
    for (uint64_t i = 0; i < Q * D; i++)
        assert_float_equal(kz_element_get(type, causal, i), kz_element_get(type, added, i),
                           type == KZ_F32 ? 1e-5 : 0.02);
    return true;
}
static void an_additive_mask_can_be_causal(void **state) { with_all(additive_is_causal); }

static bool no_keys_give_zeros(kz_device *device, const char *variant, kz_type type) {
    char q[4 * 8 * 4], out[sizeof q];
    float lse[4];
    memset(q, 0x40, sizeof q);
    const kz_attention_shape shape = {.size = sizeof shape,
                                      .batch = 1,
                                      .heads = 1,
                                      .kv_heads = 1,
                                      .queries = 4,
                                      .keys = 0,
                                      .dimension = 8,
                                      .lse = true};
    size_t bytes = 32 * kz_type_size(type);
    arrays host = {{q, NULL, NULL, out, lse}, {bytes, 0, 0, bytes, sizeof lse}};
    memset(out, 0x40, sizeof out);
    if (run(device, variant, KZ_ATTENTION_FULL, type, &shape, &host)) return has_maps(variant);
    for (uint64_t i = 0; i < 32; i++) assert_true(kz_element_get(type, out, i) == 0.0);
    for (int i = 0; i < 4; i++) assert_true(lse[i] == -INFINITY);
    return true;
}
static void no_keys(void **state) { with_all(no_keys_give_zeros); }

// ---- refusals ------------------------------------------------------------------------------------------------

static const kz_attention_shape plain = {
    .size = sizeof plain, .batch = 1, .heads = 2, .kv_heads = 2, .queries = 4, .keys = 4, .dimension = 8};

static void refused(kz_device *device, kz_attention_operation which, const kz_attention_shape *shape,
                    kz_status status, const char *text) {
    kz_operation *operation = (kz_operation *)&device;
    kz_error error = {0};
    assert_int_equal(kz_attention_open(device, which, KZ_F32, shape, NULL, &operation, &error), status);
    assert_null(operation);
    assert_has(error.message, text);
}

static void shapes_that_mean_nothing(void **state) {
    kz_device *device = open_device("cpu");
    kz_attention_shape shape = plain;
    refused(device, KZ_ATTENTION_FULL, NULL, KZ_INVALID, "the shape is NULL");
    shape.size--;
    refused(device, KZ_ATTENTION_FULL, &shape, KZ_INVALID, "{.size = sizeof shape}");
    shape = plain;
    refused(device, KZ_ATTENTION_WINDOW, &shape, KZ_INVALID, "a window of 0 keys");
    shape.window = 3;
    refused(device, KZ_ATTENTION_CAUSAL, &shape, KZ_INVALID,
            "a window of 3 keys, which this operation has not");
    shape = plain;
    shape.kv_heads = 3;
    refused(device, KZ_ATTENTION_FULL, &shape, KZ_UNSUPPORTED, "kv_heads must divide heads");
    shape = plain;
    shape.scale = NAN;
    refused(device, KZ_ATTENTION_FULL, &shape, KZ_INVALID, "set .scale to a number");
    shape = plain;
    shape.keys = (size_t)1 << 31;
    refused(device, KZ_ATTENTION_FULL, &shape, KZ_UNSUPPORTED, "less than 2^31");
    kz_device_close(device);
}

static void buffers_are_named(void **state) {
    kz_device *device = open_device("cpu");
    kz_operation *operation;
    kz_error error = {0};
    float host[4][64] = {{0}};
    _Alignas(KZ_WORKSPACE_ALIGNMENT) static char workspace[1 << 16];
    assert_int_equal(
        kz_attention_open(device, KZ_ATTENTION_CAUSAL, KZ_F32, &plain, "00_native", &operation, &error),
        KZ_OK);
    assert_true(kz_operation_workspace(operation) <= sizeof workspace);
    kz_ptr work = (kz_ptr)(uintptr_t)workspace;
    kz_attention_buffers buffers = {.size = sizeof buffers,
                                    .q = (kz_ptr)(uintptr_t)host[0],
                                    .k = (kz_ptr)(uintptr_t)host[1],
                                    .v = (kz_ptr)(uintptr_t)host[2],
                                    .out = (kz_ptr)(uintptr_t)host[3]};
    assert_int_equal(kz_attention_run(operation, NULL, &buffers, work, sizeof workspace, &error), KZ_OK);
    buffers.lse = buffers.q;
    assert_int_equal(kz_attention_run(operation, NULL, &buffers, work, sizeof workspace, &error), KZ_INVALID);
    assert_has(error.message, "takes no lse as it was opened: it takes q, k, v, out");
    buffers.lse = 0, buffers.k = 0;
    assert_int_equal(kz_attention_run(operation, NULL, &buffers, work, sizeof workspace, &error), KZ_INVALID);
    assert_has(error.message, "the buffer k is 0");
    buffers.size = 0;
    assert_int_equal(kz_attention_run(operation, NULL, &buffers, work, sizeof workspace, &error), KZ_INVALID);
    assert_has(error.message, "sizeof buffers");
    assert_int_equal(kz_attention_run(operation, NULL, NULL, work, sizeof workspace, &error), KZ_INVALID);
    assert_int_equal(kz_device_synchronize(device, &error), KZ_OK);
    kz_operation_close(operation);
    kz_device_close(device);
}

// ---- plans ---------------------------------------------------------------------------------------------------

static uint64_t workspace_of(kz_device *device, const char *variant, size_t length, kz_type type) {
    kz_attention_shape shape = plain;
    shape.queries = shape.keys = length, shape.dimension = 64;
    kz_operation *operation;
    kz_error error = {0};
    if (kz_attention_open(device, KZ_ATTENTION_CAUSAL, type, &shape, variant, &operation, &error))
        fail_msg("%s", error.message);
    uint64_t bytes = kz_operation_workspace(operation);
    kz_operation_close(operation);
    return bytes;
}

static void memory_does_not_grow_with_the_square(void **state) {
    kz_device *device = open_device("sim:h200");
    double few = (double)workspace_of(device, "01_unfused", 1024, KZ_BF16),
           many = (double)workspace_of(device, "01_unfused", 4096, KZ_BF16);
    assert_float_equal(many / few, 16.0, 1e-3);
    for (const char *const *variant = on_gpu + 1; *variant; variant++)
        assert_int_equal(workspace_of(device, *variant, 4096, KZ_BF16), 0);
    kz_device_close(device);
}

static void the_choice_is_the_last_that_does_it(void **state) {
    static const struct {
        kz_type type;
        size_t dimension;
        const char *variant;
    } wanted[] = {{KZ_F32, 64, "02_tiled"},       {KZ_F32, 256, "02_tiled"},
                  {KZ_F32, 264, "01_unfused"},    {KZ_BF16, 264, "01_unfused"},
                  {KZ_BF16, 64, "09_persistent"}, {KZ_F16, 256, "09_persistent"},
                  {KZ_F16, 60, "04_async_copy"}};
    kz_device *device = open_device("sim:h200");
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        kz_attention_shape shape = plain;
        shape.dimension = wanted[i].dimension;
        kz_operation *operation;
        kz_error error = {0};
        assert_int_equal(
            kz_attention_open(device, KZ_ATTENTION_FULL, wanted[i].type, &shape, NULL, &operation, &error),
            KZ_OK);
        assert_string_equal(kz_operation_variant(operation), wanted[i].variant);
        kz_operation_close(operation);
        if (wanted[i].type == KZ_F32 && wanted[i].dimension > 256) {
            assert_int_equal(
                kz_attention_open(device, KZ_ATTENTION_FULL, KZ_F32, &shape, "02_tiled", &operation, &error),
                KZ_UNSUPPORTED);
            assert_has(error.message, "at most 256");
        }
    }
    kz_device_close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packed_sequences_are_separate),
        cmocka_unit_test(padding_has_no_influence),
        cmocka_unit_test(an_additive_mask_can_be_causal),
        cmocka_unit_test(no_keys),
        cmocka_unit_test(shapes_that_mean_nothing),
        cmocka_unit_test(buffers_are_named),
        cmocka_unit_test(memory_does_not_grow_with_the_square),
        cmocka_unit_test(the_choice_is_the_last_that_does_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
