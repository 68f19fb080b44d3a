// Any operation by its family's name, its buffers by theirs: `kz info attention` lists both. Two queries, of a sequence of three
// keys and of one of two, in arrays with room for four: all scores are 0, so each gets the mean of its sequence's values. On
// the best device there is, or on the one named: ./named sim
//
//     cc named.c -o named $(pkg-config --cflags --libs kz)
#include <stdio.h>

#include "kz/family.h"
#include "kz/operation.h"

#define CHECK(call)                                                                                          \
    if ((call) != KZ_OK) goto failed

enum { PADDED = 3, BATCH = 2, KEYS = 4, DIMENSION = 8 }; // the fourth of attention's operations

int main(int argc, char **argv) {
    kz_error error = {0};
    kz_device *device = NULL;
    kz_operation *attention = NULL;
    kz_ptr memory = 0, workspace = 0;
    struct {
        float q[BATCH][DIMENSION], k[BATCH][KEYS][DIMENSION], v[BATCH][KEYS][DIMENSION],
            out[BATCH][DIMENSION];
        int lengths[BATCH];
    } host = {.lengths = {3, 2}};
    int code = 1;
    for (int i = 0; i < BATCH * KEYS * DIMENSION; i++)
        host.v[i / DIMENSION / KEYS][i / DIMENSION % KEYS][i % DIMENSION] = (float)(i / DIMENSION % KEYS);

    // batch, heads, heads of keys, queries, keys, dimension
    const kz_case c = {.operation = PADDED, .type = KZ_F32, .axes = {BATCH, 1, 1, 1, KEYS, DIMENSION}};
    CHECK(kz_device_open(argc > 1 ? argv[1] : NULL, &device, &error));
    CHECK(kz_operation_open(device, "attention", &c, NULL, &attention, &error));
    uint64_t bytes = kz_operation_workspace(attention);
    CHECK(kz_memory_alloc(device, sizeof host, &memory, &error));
    CHECK(kz_memory_alloc(device, bytes, &workspace, &error));
    CHECK(kz_copy_to_device(device, NULL, memory, &host, sizeof host, &error));
    kz_ptr k = memory + sizeof host.q, v = k + sizeof host.k, out = v + sizeof host.v;
    const kz_named_buffer buffers[] = {
        {"q", memory}, {"k", k}, {"v", v}, {"key_lengths", out + sizeof host.out}, {"out", out}};
    CHECK(kz_operation_run_named(attention, NULL, buffers, sizeof buffers / sizeof *buffers, workspace, bytes,
                                 &error));
    CHECK(kz_copy_to_host(device, NULL, &host, memory, sizeof host, &error));
    CHECK(kz_device_synchronize(device, &error));
    printf("the means are %g and %g\n", (double)host.out[0][0], (double)host.out[1][0]);
    code = 0;

failed:
    if (code) fprintf(stderr, "%s\n", error.message);
    kz_operation_close(attention);
    if (device) {
        kz_memory_free(device, memory, NULL);
        kz_memory_free(device, workspace, NULL);
    }
    kz_device_close(device);
    return code;
}
