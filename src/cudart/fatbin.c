// Reads fat binaries. The layout is not documented; it was found by looking at what nvcc writes:
// a header (magic, version, its size, the size of the rest), then entries, each with a header of 64 bytes or
// more (kind, header size, payload size, packed size, architecture, flags, unpacked size) and its payload.
#include "fatbin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include <zstd.h>

#define FATBIN_MAGIC UINT32_C(0xba55ed50)

enum {
    HEADER = CUDART_FATBIN_HEADER,
    ENTRY_HEADER = 64,
    FLAG_LZ4 = 0x2000,
    FLAG_ZSTD = 0x8000,
    FLAG_ARCH = 0x100000,   // sm_90a
    FLAG_FAMILY = 0x200000, // sm_100f
};
#define LARGEST (UINT64_C(1) << 30) // of one entry, unpacked

static uint16_t u16(const uint8_t *at) { return (uint16_t)(at[0] | at[1] << 8); }
static uint32_t u32(const uint8_t *at) { return u16(at) | (uint32_t)u16(at + 2) << 16; }
static uint64_t u64(const uint8_t *at) { return u32(at) | (uint64_t)u32(at + 4) << 32; }

bool cudart_is_fatbin(const void *data) { return u32(data) == FATBIN_MAGIC; }

uint64_t cudart_fatbin_claims(const void *header) {
    const uint8_t *at = header;
    uint64_t rest = u64(at + 8);
    return cudart_is_fatbin(header) && u16(at + 6) >= HEADER && rest <= LARGEST ? u16(at + 6) + rest : 0;
}

bool cudart_fatbin_next(const void *data, size_t size, size_t *offset, cudart_entry *entry) {
    const uint8_t *bytes = data;
    if (*offset == 0) {
        if (size < HEADER || u32(bytes) != FATBIN_MAGIC || u16(bytes + 6) < HEADER) return false;
        *offset = u16(bytes + 6);
    }
    if (*offset > size || size - *offset < ENTRY_HEADER) return false;
    const uint8_t *at = bytes + *offset;
    uint64_t room = size - *offset, header = u32(at + 4), payload = u64(at + 8), packed = u32(at + 16);
    uint64_t flags = u64(at + 40), whole = u64(at + 56);
    if (header < ENTRY_HEADER || header > room || payload > room - header) return false;
    bool is_packed = (flags & (FLAG_LZ4 | FLAG_ZSTD)) != 0;
    if (is_packed && (packed > payload || whole > LARGEST)) return false;
    *entry = (cudart_entry){
        .kind = (cudart_entry_kind)u16(at),
        .packing = flags & FLAG_ZSTD  ? CUDART_ZSTD
                   : flags & FLAG_LZ4 ? CUDART_LZ4
                                      : CUDART_PLAIN,
        .sm = (int)(u32(at + 28) & 0xffff),
        .suffix = flags & FLAG_ARCH     ? 'a'
                  : flags & FLAG_FAMILY ? 'f'
                                        : 0,
        .bytes = at + header,
        .size = is_packed ? (size_t)packed : (size_t)payload,
        .whole_size = is_packed ? (size_t)whole : (size_t)payload,
    };
    *offset += (size_t)(header + payload);
    return true;
}

// Whether the process can read so many bytes, asked of the kernel: one byte of every page. Where it may not be asked,
// the answer is yes.
static bool is_readable(const uint8_t *data, uint64_t size) {
    enum { PAGES = 512, PAGE = 4096 };
    for (uint64_t done = 0; done < size;) {
        struct iovec pages[PAGES];
        uint8_t bytes[PAGES];
        size_t count = 0;
        for (; count < PAGES && done < size; count++) {
            const uint8_t *at = data + done;
            pages[count] = (struct iovec){(void *)(uintptr_t)at, 1};
            done += PAGE - (uintptr_t)at % PAGE;
        }
        ssize_t got = process_vm_readv(getpid(), &(struct iovec){bytes, count}, 1, pages, count, 0);
        if (got < 0 && errno != EFAULT) return true;
        if (got != (ssize_t)count) return false;
    }
    return true;
}

static size_t damaged(const char *what, uint64_t bytes, kz_error *error) {
    base_fail(error, KZ_SYNTAX,
              "the fat binary that holds the device code is damaged: %s (%llu bytes by its header)", what,
              (unsigned long long)bytes);
    base_fail_note(error, "build the program anew; if it loads the code itself, pass the whole of the file");
    return 0;
}

size_t cudart_fatbin_size(const void *data, kz_error *error) {
    const uint8_t *at = data;
    uint64_t header = u16(at + 6), rest = u64(at + 8);
    if (header < HEADER) return damaged("its header is too short", header, error);
    if (rest > UINT64_C(1) << 40 || !is_readable(at, header + rest))
        return damaged("the memory ends before it does", header + rest, error);
    size_t size = (size_t)(header + rest), offset = 0;
    cudart_entry entry;
    while (cudart_fatbin_next(data, size, &offset, &entry)) continue;
    if (size - offset >= ENTRY_HEADER) return damaged("the sizes of its entries do not add up", size, error);
    return size;
}

kz_status cudart_entry_unpack(const cudart_entry *entry, char **data, size_t *size, kz_error *error) {
    *size = entry->whole_size;
    *data = malloc(*size + 1);
    if (!*data) return base_fail(error, KZ_NO_MEMORY, "no memory to unpack %zu bytes of device code", *size);
    bool right = true;
    switch (entry->packing) {
    case CUDART_PLAIN: memcpy(*data, entry->bytes, *size); break;
    case CUDART_LZ4: right = base_lz4_unpack(entry->bytes, entry->size, (uint8_t *)*data, *size); break;
    case CUDART_ZSTD: right = ZSTD_decompress(*data, *size, entry->bytes, entry->size) == *size; break;
    }
    (*data)[*size] = 0;
    if (right) return KZ_OK;
    free(*data);
    *data = NULL;
    return base_fail(error, KZ_SYNTAX,
                     "the device code for sm_%d in the program is damaged: it cannot be unpacked", entry->sm);
}

// Whether a GPU of `sm` runs code for `entry`.
static bool runs(const cudart_entry *entry, int sm) {
    if (entry->suffix == 'a') return entry->sm == sm;
    if (entry->suffix == 'f') return entry->sm <= sm && entry->sm / 10 == sm / 10;
    return entry->sm <= sm;
}

bool cudart_fatbin_choose_ptx(const void *data, size_t size, int sm, cudart_entry *entry, int *nearest) {
    size_t offset = 0;
    cudart_entry at;
    bool found = false;
    *nearest = 0;
    while (cudart_fatbin_next(data, size, &offset, &at)) {
        if (at.kind != CUDART_ENTRY_PTX) continue;
        if (!runs(&at, sm)) {
            if (*nearest == 0 || at.sm < *nearest) *nearest = at.sm;
        } else if (!found || at.sm > entry->sm || (at.sm == entry->sm && at.suffix && !entry->suffix)) {
            *entry = at;
            found = true;
        }
    }
    return found;
}

bool cudart_fatbin_choose_cubin(const void *data, size_t size, int sm, cudart_entry *entry) {
    size_t offset = 0;
    cudart_entry at;
    bool found = false;
    while (cudart_fatbin_next(data, size, &offset, &at)) {
        bool fits = at.kind == CUDART_ENTRY_CUBIN && at.sm <= sm && at.sm / 10 == sm / 10;
        if (!fits || (found && (at.sm < entry->sm || (at.sm == entry->sm && !at.suffix)))) continue;
        *entry = at;
        found = true;
    }
    return found;
}
