// truth_counters: launches every microkernel with every pattern, on the GPU (for ncu to watch) or on the
// simulator, which counts.
//
//   truth_counters [--device cuda|sim:h200] [--space global|shared|local|matrix] [BEGINNING]
//
// Prints a line per launch, "number,test,kernel", in the order of the launches; on the simulator also
// "number,metric,value" lines with ncu's names. Exit: 0, or 2 where it could not run.
#include <stdio.h>
#include <string.h>

#include "truth.h"

typedef struct bench {
    kz_device *device;
    kz_ptr room, sink;
    bool counts;
    unsigned launches;
} bench;

// The metrics that speak of this operation: "mem_global_op_ld".
static void name_metrics(const micro_op *op, char only[40]) {
    static const char *const spaces[] = {"global", "shared", "local", "shared"};
    snprintf(only, 40, "%s_op_%s", spaces[op->space], op->word);
}

static kz_status run_pattern(bench *b, kz_module *module, const micro_op *op, const micro_pattern *p,
                             kz_error *error) {
    kz_kernel *kernel;
    kz_ptr where;
    size_t bytes;
    char only[40];
    observe_session *session = NULL;
    uint32_t mask = p->mask, never = 0x6b7a3d51;
    const void *args[] = {&b->room, &mask, &never, &b->sink};
    kz_launch launch = {.size = sizeof(kz_launch), .grid = {1, 1, 1}, .block = {32, 1, 1}};
    kz_status status = kz_module_kernel(module, op->name, &kernel, error);
    if (!status) status = kz_module_global(module, "pattern", &where, &bytes, error);
    if (!status) status = kz_copy_to_device(b->device, NULL, where, p->offsets, sizeof p->offsets, error);
    if (!status && b->counts) status = observed_begin(b->device, &session, error);
    if (!status) status = kz_launch_kernel(b->device, NULL, kernel, &launch, args, 4, error);
    if (!status) status = kz_device_synchronize(b->device, error);
    if (status) return status;
    printf("%u,%s/%s,%s\n", b->launches, op->name, p->name, op->name);
    name_metrics(op, only);
    if (b->counts) observed_end(b->device, session, b->launches, only);
    b->launches++;
    return KZ_OK;
}

static kz_status run_op(bench *b, const micro_op *op, kz_error *error) {
    static micro_pattern patterns[MICRO_PATTERNS];
    base_text text = {0};
    kz_module *module = NULL;
    micro_write(op, &text);
    kz_image image = {.size = sizeof(kz_image), .name = op->name, .ptx = text.data, .ptx_size = text.length};
    kz_status status = kz_module_load(b->device, &image, &module, error);
    size_t count = micro_patterns(op, patterns);
    for (size_t i = 0; !status && i < count; i++) status = run_pattern(b, module, op, &patterns[i], error);
    if (module) kz_module_close(module);
    base_text_free(&text);
    return status;
}

int main(int argc, char **argv) {
    const char *id = "sim:h200", *filter = NULL, *space = NULL;
    static const char *const spaces[] = {"global", "shared", "local", "matrix"};
    bench b = {0};
    kz_error error = {0};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--device") && i + 1 < argc)
            id = argv[++i];
        else if (!strcmp(argv[i], "--space") && i + 1 < argc)
            space = argv[++i];
        else
            filter = argv[i];
    }
    kz_status status = kz_device_open(id, &b.device, &error);
    if (!status) b.counts = kz_device_get_info(b.device)->kind == KZ_DEVICE_SIM;
    if (!status) status = kz_memory_alloc(b.device, MICRO_ROOM, &b.room, &error);
    if (!status) status = kz_memory_alloc(b.device, 4, &b.sink, &error);
    if (!status) status = kz_memory_fill(b.device, NULL, b.room, 0, MICRO_ROOM, &error);
    for (size_t i = 0; !status && i < micro_op_count; i++)
        if ((!filter || !strncmp(micro_ops[i].name, filter, strlen(filter))) &&
            (!space || !strcmp(space, spaces[micro_ops[i].space])))
            status = run_op(&b, &micro_ops[i], &error);
    if (status) fprintf(stderr, "truth_counters: %s\n", error.message);
    if (b.device) kz_device_close(b.device);
    return status ? 2 : 0;
}
