// What a kernel costs: each variant of transpose on the simulator, which counts the 32-byte sectors of memory that its
// warps touch, and what the fewest would be. ./count sim:t4 asks another GPU.
//
//     cc count.c -o count $(pkg-config --cflags --libs kz)
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kz/family.h"
#include "kz/operation.h"

#define CHECK(call)                                                                                          \
    if ((call) != KZ_OK) goto failed

enum { ROWS = 512, COLUMNS = 512, BYTES = ROWS * COLUMNS * 4 };

static kz_status count_one(kz_device *device, const kz_family *family, const kz_variant *variant,
                           const kz_case *c, const kz_ptr buffers[2], kz_error *error) {
    kz_operation *operation = NULL;
    kz_image image = {.size = sizeof image};
    kz_counters counters = {.size = sizeof counters};
    char *ptx = NULL;
    kz_status status = kz_operation_open_family(device, family, c, variant->name, &operation, error);
    if (!status) status = kz_variant_image(family, variant, &image, error);
    if (!status) status = kz_image_ptx(&image, &ptx, error);
    if (!status) status = kz_counters_read(device, &counters, true, error); // from here on
    if (!status) status = kz_operation_run(operation, NULL, buffers, 2, 0, 0, error);
    if (!status) status = kz_counters_read(device, &counters, false, error);
    if (!status)
        printf("%-20s %7zu bytes of PTX, %6llu sectors, %6llu at best\n", variant->name, strlen(ptx),
               (unsigned long long)counters.global_sectors,
               (unsigned long long)counters.global_ideal_sectors);
    free(ptx);
    kz_operation_close(operation);
    return status;
}

int main(int argc, char **argv) {
    kz_error error = {0};
    kz_device *device = NULL;
    kz_operation *chosen = NULL;
    kz_ptr buffers[2] = {0};
    const kz_case c = {.type = KZ_F32, .axes = {ROWS, COLUMNS}};
    const kz_family *family = kz_family_find("transpose");
    int code = 1;

    CHECK(kz_device_open(argc > 1 ? argv[1] : "sim", &device, &error));
    CHECK(kz_device_set_threads(device, 2, &error)); // of the host; the counts do not depend on it
    CHECK(kz_counters_enable(device, true, &error));
    for (int i = 0; i < 2; i++) CHECK(kz_memory_alloc(device, BYTES, &buffers[i], &error));
    CHECK(kz_memory_fill(device, NULL, buffers[0], 0, BYTES, &error));
    for (size_t i = 0; i < family->variant_count; i++)
        if (kz_variant_fits(&family->variants[i], kz_device_get_info(device)))
            CHECK(count_one(device, family, &family->variants[i], &c, buffers, &error));

    // By its name, and without a variant's: what the library would take.
    CHECK(kz_operation_open(device, "transpose", &c, NULL, &chosen, &error));
    printf("the library takes %s, in %zu steps\n", kz_operation_variant(chosen),
           kz_plan_step_count(kz_operation_plan(chosen)));
    code = 0;

failed:
    if (code) fprintf(stderr, "%s\n", error.message);
    kz_operation_close(chosen);
    for (int i = 0; i < 2; i++) kz_memory_free(device, buffers[i], NULL);
    kz_device_close(device);
    return code;
}
