// What there is to run on: every device of this machine; then whether a matrix of each element type fits on the one named:
// ./devices sim
//
//     cc devices.c -o devices $(pkg-config --cflags --libs kz)
#include <stdio.h>

#include "kz/kz.h"

int main(int argc, char **argv) {
    enum { MOST = 64 };
    kz_error error = {0};
    kz_device_info infos[MOST] = {{.size = sizeof infos[0]}}; // the first one's size holds for all
    size_t count, available;
    printf("libkz %s\n", kz_version());
    kz_status status = kz_device_list(infos, MOST, &count, &error);
    for (size_t i = 0; !status && i < count && i < MOST; i++)
        printf("%-12s %s, %d multiprocessors\n", infos[i].id, infos[i].name, infos[i].multiprocessors);

    kz_device *device = NULL;
    if (!status) status = kz_device_open(argc > 1 ? argv[1] : NULL, &device, &error);
    if (!status) status = kz_memory_available(device, &available, &error);
    for (kz_type type = 0; !status && type < KZ_TYPE_COUNT; type++)
        printf("10000 x 10000 %s %s\n", kz_type_name(type),
               kz_type_size(type) * 100000000 <= available ? "fit" : "do not fit");
    kz_device_close(device);
    if (status)
        fprintf(stderr, "%s (%s): %s\n", kz_status_name(status), kz_status_text(status), error.message);
    return status ? 1 : 0;
}
