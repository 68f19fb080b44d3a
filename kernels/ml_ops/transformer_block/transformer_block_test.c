// transformer_block: the model's gradients by finite differences, the reference's bound against what must fail, the plan of memory,
// the public call, in a graph as well.
#include <math.h>
#include <stdlib.h>
#include <string.h>
// cmocka's header wants those before it

#include "unit.h"

#include "kz/plan.h"
#include "private.h"

static const kz_case tiny = {
    .operation = KZ_TRANSFORMER_BLOCK_GRADIENTS, .type = KZ_F32, .axes = {2, 3, 8, 2, 1, 6}};
static const int32_t positions[] = {0, 1, 2, 5, 6, 7};

static double draw(uint32_t which, uint64_t i) {
    return (double)(kz_draw(3, which, i) >> 11) * 0x1p-52 - 1.0;
}

// The model of a case, its inputs drawn.
static void make(block_model *b, const kz_case *c, kz_type rounding) {
    block_shape s = block_shape_of(c);
    kz_buffer list[KZ_FAMILY_BUFFERS];
    block_buffers(c, list);
    assert_true(block_model_open(b, &s, rounding));
    double *const inputs[] = {b->x, NULL, b->norm1, b->wqkv, b->wo, b->norm2, b->wgu, b->wd, b->dy};
    for (uint32_t i = 0; i <= DY; i++)
        for (uint64_t e = 0; inputs[i] && e < list[i].count; e++) inputs[i][e] = draw(i, e);
    b->positions = positions;
}

// sum of dy y: what the gradients are of.
static double loss(block_model *b) {
    double sum = 0.0;
    block_model_forward(b);
    for (uint64_t i = 0; i < b->s.rows * b->s.width; i++) sum += b->y[i] * b->dy[i];
    return sum;
}

static void gradients_are_differences(void **state) {
    block_model b;
    kz_buffer list[KZ_FAMILY_BUFFERS];
    const double step = 1e-5;
    make(&b, &tiny, KZ_F64);
    block_buffers(&tiny, list);
    loss(&b);
    block_model_backward(&b);
    const struct {
        double *of;
        size_t output;
    } pairs[] = {{b.x, DX},         {b.norm1, DNORM1}, {b.wqkv, DWQKV}, {b.wo, DWO},
                 {b.norm2, DNORM2}, {b.wgu, DWGU},     {b.wd, DWD}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const double *gradient = block_model_output(&b, tiny.operation, pairs[i].output);
        for (uint64_t e = 0; e < list[pairs[i].output].count; e++) {
            double before = pairs[i].of[e];
            pairs[i].of[e] = before + step;
            double above = loss(&b);
            pairs[i].of[e] = before - step;
            double below = loss(&b), difference = (above - below) / (2.0 * step);
            pairs[i].of[e] = before;
            assert_float_equal(gradient[e], difference, 1e-6 * (1.0 + fabs(difference)));
        }
    }
    block_model_close(&b);
}

// What the model says of an input's change moves the output by, in the reference's bounds.
static double outside(double *array(block_model *), double change) {
    kz_case c = {.type = KZ_BF16, .axes = {1, 6, 32, 2, 1, 48}};
    kz_buffer list[KZ_FAMILY_BUFFERS];
    size_t count = block_buffers(&c, list);
    void *host[KZ_FAMILY_BUFFERS];
    block_model b;
    block_shape s = block_shape_of(&c);
    double worst = 0.0;
    for (size_t i = 0; i < count; i++) {
        host[i] = calloc(list[i].count + 1, 8);
        const kz_family *family = kz_family_find("transformer_block");
        if (i < Y && !family->fill(&c, i, 7, 0, list[i].count, host[i]))
            for (uint64_t e = 0; e < list[i].count; e++)
                kz_element_set(c.type, host[i], e, draw((uint32_t)i, e));
    }
    uint64_t rows = s.rows * s.width;
    double *expected = calloc(2 * rows, sizeof *expected), *bound = expected + rows;
    assert_int_equal(block_reference(&c, host, Y, expected, bound, NULL), KZ_OK);
    assert_true(block_model_open(&b, &s, KZ_BF16));
    double *const inputs[] = {b.x, NULL, b.norm1, b.wqkv, b.wo, b.norm2, b.wgu, b.wd};
    for (size_t i = 0; i < Y; i++)
        for (uint64_t e = 0; inputs[i] && e < list[i].count; e++)
            inputs[i][e] = kz_element_get(c.type, host[i], e);
    b.positions = host[POSITIONS];
    if (array) array(&b)[0] += change;
    block_model_forward(&b);
    for (uint64_t i = 0; i < rows; i++) worst = fmax(worst, fabs(b.y[i] - expected[i]) / bound[i]);
    block_model_close(&b);
    for (size_t i = 0; i < count; i++) free(host[i]);
    free(expected);
    return worst;
}
static double *first_x(block_model *b) { return b->x; }
static double *first_wo(block_model *b) { return b->wo; }

static void bounds_see_what_is_wrong(void **state) {
    assert_true(outside(NULL, 0.0) < 0.6);     // rounding alone is well inside
    assert_true(outside(first_x, 0.5) > 1.0);  // one element of x
    assert_true(outside(first_wo, 0.5) > 1.0); // one weight
}

static void memory_is_shared_over_time(void **state) {
    const kz_family *family = kz_family_find("transformer_block");
    kz_device *device;
    kz_plan *plan = calloc(1, sizeof *plan);
    const kz_case c = {.type = KZ_BF16, .axes = {1, 1024, 512, 8, 2, 1536}};
    assert_int_equal(kz_device_open("sim", &device, NULL), KZ_OK);
    assert_int_equal(kz_variant_plan(family, kz_variant_find(family, "composed"), &c,
                                     kz_device_get_info(device), plan, NULL),
                     KZ_OK);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < plan->region_count; i++) {
        const kz_region *a = &plan->regions[i];
        if (a->first > a->last) continue;
        sum += a->bytes;
        for (uint32_t k = 0; k < i; k++) {
            const kz_region *b = &plan->regions[k];
            bool together = a->first <= b->last && b->first <= a->last && b->first <= b->last;
            assert_true(!together || a->offset + a->bytes <= b->offset || b->offset + b->bytes <= a->offset);
        }
    }
    assert_true(plan->workspace_bytes < sum);
    free(plan);
    kz_device_close(device);
}

// Recorded, and replayed into what earlier runs left in the outputs and in the workspace.
static void a_graph_gives_the_same_bits(kz_transformer_block which, const char *variant) {
    const kz_transformer_block_shape shape = {
        .size = sizeof shape, .batch = 1, .tokens = 9, .width = 64, .heads = 2, .kv_heads = 1, .hidden = 48};
    const kz_case c = {.operation = which, .type = KZ_BF16, .axes = {1, 9, 64, 2, 1, 48}};
    kz_buffer list[KZ_FAMILY_BUFFERS];
    size_t count = block_buffers(&c, list);
    void *host[KZ_FAMILY_BUFFERS], *first[KZ_FAMILY_BUFFERS];
    kz_ptr at[KZ_FAMILY_BUFFERS], workspace;
    kz_device *device;
    kz_operation *operation;
    kz_stream *stream;
    kz_graph *graph;
    assert_int_equal(kz_device_open("sim:h200", &device, NULL), KZ_OK);
    assert_int_equal(kz_transformer_block_open(device, which, KZ_BF16, &shape, variant, &operation, NULL),
                     KZ_OK);
    assert_int_equal(kz_stream_open(device, &stream, NULL), KZ_OK);
    for (size_t i = 0; i < count; i++) {
        uint64_t bytes = list[i].count * kz_type_size(list[i].type);
        host[i] = malloc(bytes), first[i] = malloc(bytes);
        for (uint64_t e = 0; e < list[i].count; e++)
            kz_element_set(list[i].type, host[i], e,
                           list[i].type == KZ_I32 ? (double)e : draw((uint32_t)i, e));
        assert_int_equal(kz_memory_alloc(device, bytes, &at[i], NULL), KZ_OK);
        assert_int_equal(kz_copy_to_device(device, NULL, at[i], host[i], bytes, NULL), KZ_OK);
    }
    uint64_t room = kz_operation_workspace(operation);
    assert_int_equal(kz_memory_alloc(device, room, &workspace, NULL), KZ_OK);
    kz_transformer_block_buffers buffers = {.size = sizeof buffers,
                                            .x = at[X],
                                            .positions = at[POSITIONS],
                                            .norm1 = at[NORM1],
                                            .wqkv = at[WQKV],
                                            .wo = at[WO],
                                            .norm2 = at[NORM2],
                                            .wgu = at[WGU],
                                            .wd = at[WD]};
    size_t outputs = Y;
    if (which == KZ_TRANSFORMER_BLOCK_FORWARD) {
        buffers.y = at[Y];
    } else {
        outputs = GRADIENTS_Y;
        buffers.dy = at[DY], buffers.y = at[GRADIENTS_Y], buffers.dx = at[DX], buffers.dnorm1 = at[DNORM1];
        buffers.dwqkv = at[DWQKV], buffers.dwo = at[DWO], buffers.dnorm2 = at[DNORM2],
        buffers.dwgu = at[DWGU];
        buffers.dwd = at[DWD];
    }
    assert_int_equal(kz_graph_begin(device, stream, NULL), KZ_OK);
    assert_int_equal(kz_transformer_block_run(operation, stream, &buffers, workspace, room, NULL), KZ_OK);
    assert_int_equal(kz_graph_end(device, stream, &graph, NULL), KZ_OK);
    for (int run = 0; run < 3; run++) { // the first one is not the graph's
        if (run == 0)
            assert_int_equal(kz_transformer_block_run(operation, stream, &buffers, workspace, room, NULL),
                             KZ_OK);
        else
            assert_int_equal(kz_graph_launch(device, graph, stream, NULL), KZ_OK);
        assert_int_equal(kz_stream_synchronize(device, stream, NULL), KZ_OK);
        for (size_t i = outputs; i < count; i++) {
            uint64_t bytes = list[i].count * kz_type_size(list[i].type);
            void *result = run ? host[i] : first[i];
            assert_int_equal(kz_copy_to_host(device, NULL, result, at[i], bytes, NULL), KZ_OK);
            if (run) assert_memory_equal(result, first[i], bytes);
            assert_int_equal(kz_memory_fill(device, NULL, at[i], 0xff, bytes, NULL), KZ_OK);
        }
        assert_int_equal(kz_memory_fill(device, NULL, workspace, 0xff, room, NULL), KZ_OK);
    }
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(kz_memory_free(device, at[i], NULL), KZ_OK);
        free(host[i]);
        free(first[i]);
    }
    assert_int_equal(kz_memory_free(device, workspace, NULL), KZ_OK);
    kz_graph_close(graph);
    kz_stream_close(stream);
    kz_operation_close(operation);
    kz_device_close(device);
}
static void graphs_of_it_give_the_same_bits(void **state) {
    a_graph_gives_the_same_bits(KZ_TRANSFORMER_BLOCK_FORWARD, "02_fused");
    a_graph_gives_the_same_bits(KZ_TRANSFORMER_BLOCK_GRADIENTS, "01_composed");
}

static void the_call_says_what_is_wrong(void **state) {
    kz_device *device;
    kz_operation *operation;
    kz_error error = {0};
    assert_int_equal(kz_device_open("sim", &device, NULL), KZ_OK);
    kz_transformer_block_shape shape = {
        .size = sizeof shape, .batch = 1, .tokens = 8, .width = 32, .heads = 3, .kv_heads = 1, .hidden = 16};
#define OPEN()                                                                                               \
    kz_transformer_block_open(device, KZ_TRANSFORMER_BLOCK_FORWARD, KZ_F32, &shape, NULL, &operation, &error)
    assert_int_equal(OPEN(), KZ_UNSUPPORTED);
    assert_has(error.message, "3 heads of a width of 32");
    shape.heads = 4, shape.kv_heads = 3;
    assert_int_equal(OPEN(), KZ_UNSUPPORTED);
    assert_has(error.message, "kv_heads must divide heads");
    shape.kv_heads = 2, shape.size = 3;
    assert_int_equal(OPEN(), KZ_INVALID);
    assert_has(error.message, "set its size");
    shape.size = sizeof shape;
    assert_int_equal(OPEN(), KZ_OK);
    kz_transformer_block_buffers buffers = {.size = sizeof buffers, .dx = 256};
    assert_int_equal(
        kz_transformer_block_run(operation, NULL, &buffers, 256, kz_operation_workspace(operation), &error),
        KZ_INVALID);
    assert_has(error.message, "takes no dx");
    buffers.dx = 0;
    assert_int_equal(
        kz_transformer_block_run(operation, NULL, &buffers, 256, kz_operation_workspace(operation), &error),
        KZ_INVALID);
    assert_has(error.message, "the buffer x is 0");
    assert_int_equal(kz_transformer_block_run(operation, NULL, NULL, 0, 0, &error), KZ_INVALID);
    kz_operation_close(operation);
    kz_device_close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_differences),   cmocka_unit_test(bounds_see_what_is_wrong),
        cmocka_unit_test(memory_is_shared_over_time),  cmocka_unit_test(graphs_of_it_give_the_same_bits),
        cmocka_unit_test(the_call_says_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
