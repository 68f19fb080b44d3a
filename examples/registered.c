// Registered memory: a buffer that the program has already (from malloc, a mapped file, another library) is
// pinned, and copied at the speed of memory that was allocated pinned. On the best device there is, or on the
// one named: ./registered sim
//
//     cc registered.c -o registered $(pkg-config --cflags --libs kz)
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kz/kz.h"

#define CHECK(call)                                                                                          \
    if ((call) != KZ_OK) goto failed

// Copies the buffer to the device, twice to be warm, and prints how fast the second one was, where there is a
// clock.
static kz_status copy(const char *what, kz_device *device, kz_ptr to, const void *from, size_t bytes,
                      kz_error *error) {
    kz_event *begin = NULL, *end = NULL;
    double seconds = 0;
    kz_status status = kz_event_open(device, &begin, error);
    if (!status) status = kz_event_open(device, &end, error);
    for (int i = 0; i < 2 && !status; i++) {
        status = kz_event_record(device, begin, NULL, error);
        if (!status) status = kz_copy_to_device(device, NULL, to, from, bytes, error);
        if (!status) status = kz_event_record(device, end, NULL, error);
        if (!status) status = kz_device_synchronize(device, error);
    }
    if (!status && kz_device_get_info(device)->has_clock) {
        status = kz_event_elapsed(device, begin, end, &seconds, error);
        if (!status) printf("%-10s %6.1f GB/s\n", what, (double)bytes / seconds / 1e9);
    } else if (!status)
        printf("%-10s copied\n", what);
    kz_event_close(begin);
    kz_event_close(end);
    return status;
}

int main(int argc, char **argv) {
    const size_t bytes = argc > 2 ? strtoull(argv[2], NULL, 10) : 1 << 20;
    kz_error error = {0};
    kz_device *device = NULL;
    kz_ptr there = 0, pinned = 0;
    int code = 1;
    char *memory = malloc(bytes), *back = malloc(bytes);
    if (!memory || !back) goto failed;
    memset(memory, 7, bytes);
    memset(back, 0, bytes);

    CHECK(kz_device_open(argc > 1 ? argv[1] : NULL, &device, &error));
    CHECK(kz_memory_alloc(device, bytes, &there, &error));
    CHECK(copy("pageable", device, there, memory, bytes, &error));
    CHECK(kz_memory_register(device, memory, bytes, &error));
    CHECK(copy("registered", device, there, memory, bytes, &error));
    CHECK(kz_memory_unregister(device, memory, &error)); // before it is freed
    if (kz_device_get_info(device)->kind ==
        KZ_DEVICE_CUDA) { // elsewhere its address is no pointer, or nothing is pinned
        CHECK(kz_memory_alloc_host(device, bytes, true, &pinned, &error));
        memset((void *)(uintptr_t)pinned, 7, bytes);
        CHECK(copy("pinned", device, there, (void *)(uintptr_t)pinned, bytes, &error));
    }
    CHECK(kz_copy_to_host(device, NULL, back, there, bytes, &error));
    CHECK(kz_device_synchronize(device, &error));
    printf("%s\n", memcmp(memory, back, bytes) == 0 ? "the same bytes came back" : "other bytes came back");
    code = memcmp(memory, back, bytes) != 0;

failed:
    if (code) fprintf(stderr, "%s\n", error.message);
    kz_memory_free(device, pinned, NULL);
    kz_memory_free(device, there, NULL);
    kz_device_close(device);
    free(memory);
    free(back);
    return code;
}
