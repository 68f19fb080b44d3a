// Fat binaries: the container that nvcc puts PTX and machine code into, one entry per architecture.
//
// Nothing in one is trusted: every offset is checked against the container's end.
#ifndef CUDART_FATBIN_H
#define CUDART_FATBIN_H

#include "base/base.h"

typedef enum cudart_entry_kind { CUDART_ENTRY_PTX = 1, CUDART_ENTRY_CUBIN = 2 } cudart_entry_kind;
typedef enum cudart_packing { CUDART_PLAIN, CUDART_LZ4, CUDART_ZSTD } cudart_packing;

typedef struct cudart_entry {
    cudart_entry_kind kind;
    cudart_packing packing;
    int sm;               // 90
    char suffix;          // 'a', 'f' or 0
    const uint8_t *bytes; // in the container
    size_t size;          // packed
    size_t whole_size;    // unpacked
} cudart_entry;

// What nvcc puts into the program beside a fat binary.
typedef struct cudart_fatbin_wrapper {
    uint32_t magic, version;
    const void *data;
    void *const *linked; // version 2: the fat binaries that were linked, NULL-terminated
} cudart_fatbin_wrapper;
#define CUDART_FATBIN_WRAPPER UINT32_C(0x466243b1) // its magic

enum { CUDART_FATBIN_HEADER = 16 };
// Bytes of a container by its first 16 bytes alone; 0 where they are no header.
uint64_t cudart_fatbin_claims(const void *header);

bool cudart_is_fatbin(const void *data);
// Bytes of the container that begins at `data`, by its own header. 0 and an error where that cannot be: the memory ends
// before, or the entries do not add up to it.
size_t cudart_fatbin_size(const void *data, kz_error *error);
// The entry at *offset (0 for the first), which then stands at the next. False at the end, and where the rest
// cannot be understood.
bool cudart_fatbin_next(const void *data, size_t size, size_t *offset, cudart_entry *entry);
// The whole of an entry, malloc'ed, with a NUL behind it.
kz_status cudart_entry_unpack(const cudart_entry *entry, char **data, size_t *size, kz_error *error);
// The best PTX for a GPU of `sm`: the highest architecture it can run, its own special one before all.
// False where there is none; `*nearest` is then the lowest that is too new, or 0.
bool cudart_fatbin_choose_ptx(const void *data, size_t size, int sm, cudart_entry *entry, int *nearest);
bool cudart_fatbin_choose_cubin(const void *data, size_t size, int sm, cudart_entry *entry);

#endif
