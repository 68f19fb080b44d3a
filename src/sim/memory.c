// The simulated GPU's memory: one reserved range of the host's address space, handed out upwards.
//
// Allocations are 512-byte aligned with at least 512 bytes of nothing between them. A freed
// allocation keeps its entry, so that a late access can be explained, until its room is needed.

#include "sim/core.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ALIGN = 512, GAP = 512 };

kz_status sim_memory_open(sim_memory *memory, uint64_t limit, uint64_t heap_limit, kz_error *error) {
    *memory = (sim_memory){.limit = limit, .heap_limit = heap_limit};
    // More room than memory, so that freed ranges need not be used again soon.
    for (uint64_t reserved = limit * 4 + (UINT64_C(1) << 30); reserved >= UINT64_C(1) << 26; reserved /= 2) {
        void *host =
            mmap(NULL, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (host == MAP_FAILED) continue;
        madvise(host, reserved, MADV_DONTDUMP);
        memory->host = host;
        memory->reserved = reserved;
        if (memory->limit > reserved - reserved / 16) memory->limit = reserved - reserved / 16;
        memory->next = SIM_GLOBAL_BASE + ALIGN;
        return KZ_OK;
    }
    base_fail(error, KZ_NO_MEMORY, "cannot reserve address space for simulated device memory: %s",
              strerror(errno));
    base_fail_note(error, "cause: a limit on this process's address space; look at `ulimit -v`");
    return KZ_NO_MEMORY;
}

void sim_memory_close(sim_memory *memory) {
    if (memory->host) munmap(memory->host, memory->reserved);
    free(memory->allocations);
    *memory = (sim_memory){0};
}

// The index of the first allocation above `address`.
static size_t upper_bound(const sim_memory *memory, uint64_t address) {
    size_t low = 0, high = memory->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (memory->allocations[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint64_t room_of(uint64_t bytes) { return (bytes + GAP + ALIGN - 1) / ALIGN * ALIGN; }

// Above everything, or, when the range is used up, in the place of freed neighbours.
static bool find_room(sim_memory *memory, uint64_t bytes, size_t *index, uint64_t *address) {
    uint64_t end = SIM_GLOBAL_BASE + memory->reserved;
    if (memory->next + room_of(bytes) <= end) {
        *index = memory->count;
        *address = memory->next;
        memory->next += room_of(bytes);
        return true;
    }
    for (size_t first = 0; first < memory->count; first++) {
        if (memory->allocations[first].live) continue;
        size_t last = first;
        while (last + 1 < memory->count && !memory->allocations[last + 1].live) last++;
        uint64_t from = memory->allocations[first].address;
        uint64_t to = last + 1 < memory->count ? memory->allocations[last + 1].address : memory->next;
        if (to - from >= room_of(bytes)) {
            memmove(memory->allocations + first, memory->allocations + last + 1,
                    (memory->count - last - 1) * sizeof *memory->allocations);
            memory->count -= last - first + 1;
            *index = first;
            *address = from;
            return true;
        }
        first = last;
    }
    return false;
}

uint64_t sim_memory_take(sim_memory *memory, uint64_t bytes, const char *label) {
    if (bytes > memory->limit || memory->used > memory->limit - bytes) return 0;
    if (memory->count == memory->capacity) {
        size_t capacity = memory->capacity ? memory->capacity * 2 : 64;
        sim_allocation *grown = realloc(memory->allocations, capacity * sizeof *grown);
        if (!grown) return 0;
        memory->allocations = grown;
        memory->capacity = capacity;
    }
    size_t index;
    uint64_t address;
    if (!find_room(memory, bytes, &index, &address)) return 0;
    memmove(memory->allocations + index + 1, memory->allocations + index,
            (memory->count - index) * sizeof *memory->allocations);
    memory->count++;
    memory->allocations[index] = (sim_allocation){
        .address = address, .bytes = bytes, .serial = ++memory->serial, .live = true, .label = label};
    memory->used += bytes;
    return address;
}

bool sim_memory_give(sim_memory *memory, uint64_t address) {
    size_t index = upper_bound(memory, address);
    if (index == 0) return false;
    sim_allocation *a = &memory->allocations[index - 1];
    if (a->address != address || !a->live) return false;
    a->live = false;
    memory->used -= a->bytes;
    // The host gets whole pages back; what is read there later is zero, and is an error anyway.
    uint64_t first = (address + 4095) / 4096 * 4096, last = (address + a->bytes) / 4096 * 4096;
    if (last > first) madvise(sim_memory_host(memory, first), last - first, MADV_DONTNEED);
    return true;
}

void sim_memory_forget_label(sim_memory *memory, uint64_t address) {
    size_t index = upper_bound(memory, address);
    if (index && memory->allocations[index - 1].address == address)
        memory->allocations[index - 1].label = NULL;
}

const sim_allocation *sim_memory_find(const sim_memory *memory, uint64_t address, uint64_t bytes) {
    size_t index = upper_bound(memory, address);
    if (index == 0) return NULL;
    const sim_allocation *a = &memory->allocations[index - 1];
    if (!a->live || bytes > a->bytes || address - a->address > a->bytes - bytes) return NULL;
    return a;
}

static void name_of(const sim_allocation *a, base_text *out) {
    base_text_add(out, "%s (%" PRIu64 " byte%s at 0x%" PRIx64, a->label ? a->label : "a buffer", a->bytes,
                  a->bytes == 1 ? "" : "s", a->address);
    if (!a->label)
        base_text_add(out, ", the %" PRIu64 "%s allocated", a->serial,
                      a->serial % 10 == 1 && a->serial % 100 != 11   ? "st"
                      : a->serial % 10 == 2 && a->serial % 100 != 12 ? "nd"
                      : a->serial % 10 == 3 && a->serial % 100 != 13 ? "rd"
                                                                     : "th");
    base_text_add(out, ")");
}

void sim_memory_explain(const sim_memory *memory, uint64_t address, uint64_t bytes, base_text *out) {
    if (address < 4096) {
        base_text_add(out, "that is a null pointer%s", address ? " plus an offset" : "");
        return;
    }
    bool device = address >= SIM_GLOBAL_BASE && address < SIM_GLOBAL_BASE + memory->reserved;
    if (!device) {
        if (address >= UINT64_C(0x500000000000) && address < UINT64_C(0x800000000000))
            base_text_add(out,
                          "that looks like a host pointer: device code can only use memory allocated on the "
                          "device; copy the data there first");
        else
            base_text_add(
                out, "no memory of any kind is there: the pointer was not initialised, or was overwritten");
        return;
    }
    size_t index = upper_bound(memory, address);
    const sim_allocation *below = index ? &memory->allocations[index - 1] : NULL;
    const sim_allocation *above = index < memory->count ? &memory->allocations[index] : NULL;
    if (below && !below->live && address < below->address + below->bytes) {
        base_text_add(out, "that memory was freed: ");
        name_of(below, out);
        return;
    }
    uint64_t past = below ? address - (below->address + below->bytes) : UINT64_MAX;
    if (below && below->live && address < below->address + below->bytes) {
        base_text_add(out, "the last %" PRIu64 " of the %" PRIu64 " bytes are past the end of ",
                      address + bytes - (below->address + below->bytes), bytes);
        name_of(below, out);
    } else if (below && (!above || past <= above->address - address)) {
        if (past)
            base_text_add(out, "%" PRIu64 " byte%s past the end of ", past, past == 1 ? "" : "s");
        else
            base_text_add(out, "just past the end of ");
        if (!below->live) base_text_add(out, "what was freed: ");
        name_of(below, out);
    } else if (above) {
        base_text_add(out, "%" PRIu64 " bytes before the start of ", above->address - address);
        name_of(above, out);
    } else
        base_text_add(out, "nothing is allocated");
}

// ---- the host's side -----------------------------------------------------------------------------

kz_status sim_memory_alloc(sim_machine *machine, uint64_t bytes, uint64_t *address, kz_error *error) {
    sim_memory *memory = &machine->memory;
    *address = sim_memory_take(memory, bytes, NULL); // an empty buffer has an address, and no byte
    if (*address) return KZ_OK;
    base_fail(error, KZ_NO_MEMORY,
              "no room for %" PRIu64 " bytes of simulated device memory: %" PRIu64 " of %" PRIu64
              " bytes are free",
              bytes, memory->limit - memory->used, memory->limit);
    base_fail_note(error,
                   "the limit is the lesser of the simulated GPU's memory and what this host can back");
    return KZ_NO_MEMORY;
}

kz_status sim_memory_free(sim_machine *machine, uint64_t address, kz_error *error) {
    if (address == 0 || sim_memory_give(&machine->memory, address)) return KZ_OK;
    base_text why = {0};
    sim_memory_explain(&machine->memory, address, 1, &why);
    base_fail(error, KZ_INVALID, "cannot free 0x%" PRIx64 ": it is not the start of a live allocation",
              address);
    base_fail_note(error, "%s", why.data ? why.data : "");
    base_text_free(&why);
    return KZ_INVALID;
}

uint64_t sim_memory_available(const sim_machine *machine) {
    return machine->memory.limit - machine->memory.used;
}

static kz_status check_range(sim_machine *machine, const char *what, uint64_t address, uint64_t bytes,
                             kz_error *error) {
    if (bytes == 0 || sim_memory_find(&machine->memory, address, bytes)) return KZ_OK;
    base_text why = {0};
    sim_memory_explain(&machine->memory, address, bytes, &why);
    base_fail(error, KZ_INVALID,
              "%s of %" PRIu64 " bytes at 0x%" PRIx64 " is outside every device allocation", what, bytes,
              address);
    base_fail_note(error, "%s", why.data ? why.data : "");
    base_text_free(&why);
    return KZ_INVALID;
}

kz_status sim_memory_write(sim_machine *machine, uint64_t to, const void *from, uint64_t bytes,
                           kz_error *error) {
    kz_status status = check_range(machine, "copy to the device", to, bytes, error);
    if (status == KZ_OK && bytes) memcpy(sim_memory_host(&machine->memory, to), from, bytes);
    return status;
}

kz_status sim_memory_read(sim_machine *machine, void *to, uint64_t from, uint64_t bytes, kz_error *error) {
    kz_status status = check_range(machine, "copy to the host", from, bytes, error);
    if (status == KZ_OK && bytes) memcpy(to, sim_memory_host(&machine->memory, from), bytes);
    return status;
}

kz_status sim_memory_copy(sim_machine *machine, uint64_t to, uint64_t from, uint64_t bytes, kz_error *error) {
    kz_status status = check_range(machine, "copy on the device, reading", from, bytes, error);
    if (status == KZ_OK) status = check_range(machine, "copy on the device, writing", to, bytes, error);
    if (status == KZ_OK && bytes)
        memmove(sim_memory_host(&machine->memory, to), sim_memory_host(&machine->memory, from), bytes);
    return status;
}

kz_status sim_memory_fill(sim_machine *machine, uint64_t to, uint8_t byte, uint64_t bytes, kz_error *error) {
    kz_status status = check_range(machine, "fill", to, bytes, error);
    if (status == KZ_OK && bytes) memset(sim_memory_host(&machine->memory, to), byte, bytes);
    return status;
}
