// Fat binaries and what is packed in them: damaged ones are refused, and nothing outside them is touched.
//
// The input is a container; its entries are unpacked, and what comes out is read as machine code. The first
// byte chooses whether the rest is instead handed to a decompressor directly.
#include <stdlib.h>

#include "cudart/fatbin.h"
#include "device/cubin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LARGEST = 1 << 16 };

static void unpack_directly(const uint8_t *data, size_t size, cudart_packing packing) {
    const cudart_entry entry = {.packing = packing, .bytes = data, .size = size, .whole_size = LARGEST};
    char *whole;
    size_t whole_size;
    if (cudart_entry_unpack(&entry, &whole, &whole_size, NULL) == KZ_OK) free(whole);
}

static void read_container(const uint8_t *data, size_t size) {
    size_t offset = 0;
    cudart_entry entry;
    while (cudart_fatbin_next(data, size, &offset, &entry)) {
        char *whole;
        size_t whole_size;
        device_cubin_info info;
        if (entry.whole_size > LARGEST || cudart_entry_unpack(&entry, &whole, &whole_size, NULL)) continue;
        device_cubin_find(whole, whole_size, "kernel", &info);
        free(whole);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size && (data[0] == 'z' || data[0] == '4'))
        unpack_directly(data + 1, size - 1, data[0] == 'z' ? CUDART_ZSTD : CUDART_LZ4);
    else
        read_container(data, size);
    return 0;
}
