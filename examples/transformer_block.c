// A transformer's block, recorded in a graph: prints the plan of its memory, runs it twice, and sees that a token's output depends on
// the tokens before it alone. On the best device there is, or on the one named: ./transformer_block sim
//
//     cc transformer_block.c -o transformer_block $(pkg-config --cflags --libs kz)
#include <stdio.h>
#include <string.h>

#include "kz/ops/transformer_block.h"
#include "kz/plan.h"

#define CHECK(call)                                                                                          \
    if ((call) != KZ_OK) goto failed

enum {
    TOKENS = 16,
    WIDTH = 32,
    HEADS = 4,
    KV_HEADS = 2,
    HIDDEN = 48,
    QKV = (HEADS + 2 * KV_HEADS) * WIDTH / HEADS
};
enum { ROWS = TOKENS * WIDTH, WEIGHTS = (QKV + WIDTH + 3 * HIDDEN + 2) * WIDTH };

static float x[ROWS], weights[WEIGHTS], y[ROWS], again[ROWS];
static int positions[TOKENS];

// Where each buffer lies in one piece of memory.
static kz_transformer_block_buffers place(kz_ptr memory) {
    kz_transformer_block_buffers b = {.size = sizeof b, .x = memory};
    b.y = b.x + sizeof x;
    b.positions = b.y + sizeof y;
    b.norm1 = b.positions + sizeof positions;
    b.norm2 = b.norm1 + WIDTH * sizeof(float);
    b.wqkv = b.norm2 + WIDTH * sizeof(float);
    b.wo = b.wqkv + QKV * WIDTH * sizeof(float);
    b.wgu = b.wo + WIDTH * WIDTH * sizeof(float);
    b.wd = b.wgu + 2 * HIDDEN * WIDTH * sizeof(float);
    return b;
}

int main(int argc, char **argv) {
    kz_error error = {0};
    kz_device *device = NULL;
    kz_stream *stream = NULL;
    kz_graph *graph = NULL;
    kz_operation *block = NULL;
    kz_ptr memory = 0, workspace = 0;
    int code = 1, same = 0;
    const kz_transformer_block_shape shape = {.size = sizeof shape,
                                              .batch = 1,
                                              .tokens = TOKENS,
                                              .width = WIDTH,
                                              .heads = HEADS,
                                              .kv_heads = KV_HEADS,
                                              .hidden = HIDDEN};
    for (int i = 0; i < TOKENS; i++) positions[i] = i;
    for (int i = 0; i < ROWS; i++) x[i] = (float)(i * 37 % 101) / 50.0f - 1.0f;
    for (int i = 0; i < WEIGHTS; i++) weights[i] = (float)(i * 53 % 211) / 400.0f - 0.25f;

    CHECK(kz_device_open(argc > 1 ? argv[1] : NULL, &device, &error));
    CHECK(kz_transformer_block_open(device, KZ_TRANSFORMER_BLOCK_FORWARD, KZ_F32, &shape, NULL, &block,
                                    &error));
    uint64_t bytes = kz_operation_workspace(block);
    const kz_plan *plan = kz_operation_plan(block);
    for (uint32_t i = 0; i < plan->region_count; i++) {
        const kz_region *r = &plan->regions[i];
        if (r->first <= r->last)
            printf("%-24s %6llu bytes at %6llu, steps %u to %u\n", r->name, (unsigned long long)r->bytes,
                   (unsigned long long)r->offset, r->first + 1, r->last + 1);
    }
    CHECK(kz_memory_alloc(device, sizeof x + sizeof y + sizeof positions + sizeof weights, &memory, &error));
    CHECK(kz_memory_alloc(device, bytes, &workspace, &error));
    const kz_transformer_block_buffers buffers = place(memory);
    CHECK(kz_copy_to_device(device, NULL, buffers.x, x, sizeof x, &error));
    CHECK(kz_copy_to_device(device, NULL, buffers.positions, positions, sizeof positions, &error));
    CHECK(kz_copy_to_device(device, NULL, buffers.norm1, weights, sizeof weights, &error));

    CHECK(kz_stream_open(device, &stream, &error));
    CHECK(kz_graph_begin(device, stream, &error));
    CHECK(kz_transformer_block_run(block, stream, &buffers, workspace, bytes, &error));
    CHECK(kz_graph_end(device, stream, &graph, &error));

    CHECK(kz_graph_launch(device, graph, stream, &error));
    CHECK(kz_copy_to_host(device, stream, y, buffers.y, sizeof y, &error));
    CHECK(kz_stream_synchronize(device, stream, &error));
    x[ROWS - 1] += 1.0f; // of the last token
    CHECK(kz_copy_to_device(device, stream, buffers.x, x, sizeof x, &error));
    CHECK(kz_graph_launch(device, graph, stream, &error));
    CHECK(kz_copy_to_host(device, stream, again, buffers.y, sizeof again, &error));
    CHECK(kz_stream_synchronize(device, stream, &error));
    for (int i = 0; i < TOKENS; i++)
        same += memcmp(y + i * WIDTH, again + i * WIDTH, WIDTH * sizeof(float)) == 0;
    printf("the last token was changed, and %d of %d rows are the same, by %s\n", same, TOKENS,
           kz_operation_variant(block));
    code = 0;

failed:
    if (code != 0) fprintf(stderr, "%s\n", error.message);
    if (device) {
        kz_graph_close(graph);
        kz_operation_close(block);
        kz_stream_close(stream);
        kz_memory_free(device, workspace, NULL);
        kz_memory_free(device, memory, NULL);
        kz_device_close(device);
    }
    return code;
}
