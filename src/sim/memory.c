// The simulated GPU's memory: one reserved range of the host's address space, handed out upwards.
//
// Allocations are 512-byte aligned with at least 512 bytes of nothing between them. A freed
// allocation keeps its entry, so that a late access can be explained, until its room is needed.
// With a host's view, a second range is reserved at the very addresses that programs see. The host may touch
// there only what is visible to it (managed, pinned): those pages are one file in memory, mapped in both.

#include "sim/core.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { ALIGN = 512, GAP = 512, PAGE = 4096 };

static void *reserve(void *at, uint64_t bytes, int protection, int flags) {
    return mmap(at, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
}

// A limit on the size of files (ulimit -f) is about disks, and passing it would end the process; these pages are in
// memory, and most of them are never touched. So it is lifted meanwhile, as far as that is allowed.
static bool make_room(int file, uint64_t bytes) {
    struct rlimit before;
    if (getrlimit(RLIMIT_FSIZE, &before) != 0) return false;
    if (before.rlim_max != RLIM_INFINITY && before.rlim_max < bytes) {
        errno = EFBIG;
        return false;
    }
    struct rlimit lifted = {.rlim_cur = before.rlim_max, .rlim_max = before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &lifted);
    bool done = ftruncate(file, (off_t)bytes) == 0;
    setrlimit(RLIMIT_FSIZE, &before);
    return done;
}

static bool open_host_view(sim_memory *memory) {
    void *at = (void *)(uintptr_t)SIM_GLOBAL_BASE;
    void *view = reserve(at, memory->reserved, PROT_NONE, MAP_FIXED_NOREPLACE);
    if (view != at) {
        if (view != MAP_FAILED) munmap(view, memory->reserved);
        return false;
    }
    memory->visible = memfd_create("kz-device-memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    memory->host_view = memory->visible >= 0 && make_room(memory->visible, memory->reserved);
    fcntl(memory->visible, F_ADD_SEALS,
          F_SEAL_SHRINK | F_SEAL_SEAL); // whoever has it too cannot take pages away
    if (memory->host_view) return true;
    if (memory->visible >= 0) close(memory->visible);
    munmap(at, memory->reserved);
    return false;
}

kz_status sim_memory_open(sim_memory *memory, uint64_t limit, uint64_t heap_limit, bool host_view,
                          kz_error *error) {
    *memory = (sim_memory){.limit = limit, .heap_limit = heap_limit};
    // More room than memory, so that freed ranges need not be used again soon.
    for (uint64_t reserved = limit * 4 + (UINT64_C(1) << 30); reserved >= UINT64_C(1) << 26; reserved /= 2) {
        reserved = reserved / PAGE * PAGE;
        void *host = reserve(NULL, reserved, PROT_READ | PROT_WRITE, 0);
        if (host == MAP_FAILED) continue;
        madvise(host, reserved, MADV_DONTDUMP);
        memory->host = host;
        memory->reserved = reserved;
        if (host_view && !open_host_view(memory)) {
            munmap(host, reserved);
            memory->host = NULL;
            continue;
        }
        if (memory->limit > reserved - reserved / 16) memory->limit = reserved - reserved / 16;
        memory->next = SIM_GLOBAL_BASE + ALIGN;
        return KZ_OK;
    }
    base_fail(error, KZ_NO_MEMORY, "cannot reserve address space for simulated device memory: %s",
              strerror(errno));
    if (errno == EFBIG)
        base_fail_note(error, "cause: a limit on the size of this process's files; look at `ulimit -Hf`");
    else
        base_fail_note(error, "cause: a limit on this process's address space; look at `ulimit -v`");
    return KZ_NO_MEMORY;
}

void sim_memory_close(sim_memory *memory) {
    if (memory->host) munmap(memory->host, memory->reserved);
    if (memory->host_view) {
        munmap((void *)(uintptr_t)SIM_GLOBAL_BASE, memory->reserved);
        close(memory->visible);
    }
    free(memory->allocations);
    free(memory->registered);
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

static uint64_t suballocate(sim_memory *memory, uint64_t bytes, const char *label) {
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

uint64_t sim_memory_suballocate(sim_memory *memory, uint64_t bytes, const char *label) {
    return suballocate(memory, bytes, label);
}

uint64_t sim_memory_suballocate_heap(sim_memory *memory, uint64_t bytes) {
    uint64_t address = suballocate(memory, bytes, NULL);
    if (address) memory->allocations[upper_bound(memory, address) - 1].heap = true;
    return address;
}

static uint64_t page_up(uint64_t bytes) { return (bytes + PAGE - 1) / PAGE * PAGE; }

// The same pages of the file in both ranges. Neighbours of the file are neighbours in memory, so that the
// kernel joins the mappings of many small allocations.
static bool show(sim_memory *memory, uint64_t address, uint64_t bytes) {
    void *const mappings[2] = {sim_memory_host(memory, address), (void *)(uintptr_t)address};
    for (int i = 0; i < 2; i++)
        if (mmap(mappings[i], bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memory->visible,
                 (off_t)(address - SIM_GLOBAL_BASE)) == MAP_FAILED)
            return false;
    if (memory->on_view) memory->on_view(address, bytes, true);
    return true;
}

static void hide(sim_memory *memory, uint64_t address, uint64_t bytes) {
    if (memory->on_view) memory->on_view(address, bytes, false);
    fallocate(memory->visible, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)(address - SIM_GLOBAL_BASE),
              (off_t)bytes);
    reserve(sim_memory_host(memory, address), bytes, PROT_READ | PROT_WRITE, MAP_FIXED);
    reserve((void *)(uintptr_t)address, bytes, PROT_NONE, MAP_FIXED);
}

uint64_t sim_memory_suballocate_visible(sim_memory *memory, uint64_t bytes, const char *label) {
    if (!memory->host_view || bytes > memory->limit) return 0;
    // Whole pages of its own: nothing else may become visible with it.
    uint64_t before = memory->next;
    memory->next = SIM_GLOBAL_BASE + page_up(before - SIM_GLOBAL_BASE);
    uint64_t room = page_up(bytes + GAP);
    if (memory->next + room > SIM_GLOBAL_BASE + memory->reserved) {
        memory->next = before;
        return 0;
    }
    uint64_t address = suballocate(memory, bytes, label);
    if (!address || address % PAGE || !show(memory, address, page_up(bytes ? bytes : 1))) {
        if (address) sim_memory_release(memory, address);
        return 0;
    }
    memory->next = address + room;
    memory->allocations[upper_bound(memory, address) - 1].visible = true;
    return address;
}

bool sim_memory_release(sim_memory *memory, uint64_t address) {
    size_t index = upper_bound(memory, address);
    if (index == 0) return false;
    sim_allocation *a = &memory->allocations[index - 1];
    if (a->address != address || !a->live) return false;
    a->live = false;
    memory->used -= a->bytes;
    if (a->visible) {
        hide(memory, address, page_up(a->bytes ? a->bytes : 1));
        return true;
    }
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

// Whether this process has memory there. (msync says it too, and valgrind takes its address for a mistake.)
static bool is_mapped(uint64_t address) {
    unsigned char present;
    return mincore((void *)(uintptr_t)(address / PAGE * PAGE), 1, &present) == 0;
}

void sim_memory_explain(const sim_memory *memory, uint64_t address, uint64_t bytes, base_text *out) {
    if (address < 4096) {
        base_text_add(out, "that is a null pointer%s", address ? " plus an offset" : "");
        return;
    }
    bool device = address >= SIM_GLOBAL_BASE && address < SIM_GLOBAL_BASE + memory->reserved;
    if (!device) {
        if (is_mapped(address))
            base_text_add(out, "that is a host pointer: device code can only use memory allocated on the "
                               "device; copy the data there first");
        else if (address >= UINT64_C(0x500000000000) && address < UINT64_C(0x800000000000))
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

// ---- events ---------------------------------------------------------------------------------------------

static void emit_all(sim_machine *machine, const sim_memory_event *event) {
    sim_listener *listener = machine->listener;
    if (listener && listener->memory) listener->memory(listener, event);
}

static void emit(sim_machine *machine, sim_memory_kind kind, uint64_t address, uint64_t bytes, uint64_t from,
                 uint64_t serial, const char *label) {
    emit_all(machine, &(sim_memory_event){.kind = kind,
                                          .address = address,
                                          .bytes = bytes,
                                          .from = from,
                                          .serial = serial,
                                          .label = label});
}

// ---- the host's own memory, made reachable -------------------------------------------------------------

uint8_t *sim_memory_registered(const sim_memory *memory, uint64_t address, uint64_t bytes, bool write) {
    for (size_t i = 0; i < memory->registered_count; i++) {
        const sim_registration *r = &memory->registered[i];
        if (address - r->address < r->bytes && bytes <= r->bytes - (address - r->address))
            return write && r->read_only ? NULL : r->data + (address - r->address);
    }
    return NULL;
}

kz_status sim_memory_register(sim_machine *machine, uint64_t address, void *data, uint64_t bytes,
                              bool read_only, kz_error *error) {
    sim_memory *memory = &machine->memory;
    for (size_t i = 0; i < memory->registered_count; i++) {
        const sim_registration *r = &memory->registered[i];
        if (address < r->address + r->bytes && r->address < address + bytes)
            return base_fail(error, KZ_BUSY,
                             "part of the %" PRIu64 " bytes at 0x%" PRIx64 " is registered already", bytes,
                             address);
    }
    if (memory->registered_count == memory->registered_capacity) {
        size_t capacity = memory->registered_capacity ? memory->registered_capacity * 2 : 16;
        sim_registration *grown = realloc(memory->registered, capacity * sizeof *grown);
        if (!grown) return base_fail(error, KZ_NO_MEMORY, "no memory to register the host's");
        memory->registered = grown;
        memory->registered_capacity = capacity;
    }
    memory->registered[memory->registered_count++] =
        (sim_registration){.address = address, .data = data, .bytes = bytes, .read_only = read_only};
    emit(machine, SIM_MEMORY_ALLOC, address, bytes, 0, ++memory->serial, "registered host memory");
    emit(machine, SIM_MEMORY_HOST_WRITE, address, bytes, 0, 0, NULL); // what is in it was defined elsewhere
    return KZ_OK;
}

kz_status sim_memory_unregister(sim_machine *machine, uint64_t address, kz_error *error) {
    sim_memory *memory = &machine->memory;
    for (size_t i = 0; i < memory->registered_count; i++) {
        if (memory->registered[i].address != address) continue;
        emit(machine, SIM_MEMORY_FREE, address, memory->registered[i].bytes, 0, 0, "registered host memory");
        memory->registered[i] = memory->registered[--memory->registered_count];
        return KZ_OK;
    }
    return base_fail(error, KZ_INVALID, "no registered memory begins at 0x%" PRIx64, address);
}

// ---- the host's side -----------------------------------------------------------------------------

static kz_status allocate(sim_machine *machine, uint64_t bytes, bool visible, uint64_t *address,
                          kz_error *error) {
    sim_memory *memory = &machine->memory;
    // An empty buffer has an address, and no byte.
    *address = visible ? sim_memory_suballocate_visible(memory, bytes, NULL)
                       : sim_memory_suballocate(memory, bytes, NULL);
    if (*address) {
        emit(machine, SIM_MEMORY_ALLOC, *address, bytes, 0, memory->serial, NULL);
        // What the host writes there itself is not seen: all of it may be defined.
        if (visible) emit(machine, SIM_MEMORY_HOST_WRITE, *address, bytes, 0, 0, NULL);
        return KZ_OK;
    }
    base_fail(error, KZ_NO_MEMORY,
              "no room for %" PRIu64 " bytes of simulated device memory: %" PRIu64 " of %" PRIu64
              " bytes are free",
              bytes, memory->limit - memory->used, memory->limit);
    base_fail_note(error,
                   "the limit is the lesser of the simulated GPU's memory and what this host can back");
    return KZ_NO_MEMORY;
}

kz_status sim_memory_alloc(sim_machine *machine, uint64_t bytes, uint64_t *address, kz_error *error) {
    return allocate(machine, bytes, false, address, error);
}

kz_status sim_memory_alloc_visible(sim_machine *machine, uint64_t bytes, uint64_t *address, kz_error *error) {
    if (!machine->memory.host_view)
        return base_fail(error, KZ_UNSUPPORTED, "the machine was opened without a view for the host");
    return allocate(machine, bytes, true, address, error);
}

bool sim_memory_is_device(const sim_machine *machine, uint64_t address) {
    return address - SIM_GLOBAL_BASE < machine->memory.reserved;
}

void sim_memory_range(const sim_machine *machine, uint64_t *base, uint64_t *bytes) {
    *base = SIM_GLOBAL_BASE;
    *bytes = machine->memory.reserved;
}

int sim_memory_view(const sim_machine *machine) {
    return machine->memory.host_view ? machine->memory.visible : -1;
}

bool sim_memory_is_visible(const sim_machine *machine, uint64_t address) {
    const sim_allocation *a = sim_memory_find(&machine->memory, address, 1);
    return a && a->visible;
}

bool sim_memory_is_heap(const sim_machine *machine, uint64_t address) {
    const sim_allocation *a = sim_memory_find(&machine->memory, address, 0);
    return a && a->heap;
}

void sim_memory_describe(const sim_machine *machine, uint64_t address, base_text *out) {
    sim_memory_explain(&machine->memory, address, 1, out);
}

void sim_memory_set_heap(sim_machine *machine, uint64_t bytes) {
    machine->config.heap_bytes = machine->memory.heap_limit = bytes;
}

kz_status sim_memory_free(sim_machine *machine, uint64_t address, kz_error *error) {
    if (address == 0) return KZ_OK;
    const sim_allocation *a = sim_memory_find(&machine->memory, address, 0);
    if (a && a->address == address && a->live) {
        sim_memory_event event = {
            .kind = SIM_MEMORY_FREE, .address = address, .bytes = a->bytes, .serial = a->serial};
        if (a->visible) event.data = sim_memory_host(&machine->memory, address);
        emit_all(machine, &event);
    }
    if (sim_memory_release(&machine->memory, address)) return KZ_OK;
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
    if (status == KZ_OK && bytes) {
        memcpy(sim_memory_host(&machine->memory, to), from, bytes);
        emit(machine, SIM_MEMORY_HOST_WRITE, to, bytes, 0, 0, NULL);
    }
    return status;
}

kz_status sim_memory_read(sim_machine *machine, void *to, uint64_t from, uint64_t bytes, kz_error *error) {
    kz_status status = check_range(machine, "copy to the host", from, bytes, error);
    if (status == KZ_OK && bytes) {
        const void *data = sim_memory_host(&machine->memory, from);
        emit_all(machine, &(sim_memory_event){
                              .kind = SIM_MEMORY_HOST_READ, .address = from, .bytes = bytes, .data = data});
        memcpy(to, sim_memory_host(&machine->memory, from), bytes);
    }
    return status;
}

kz_status sim_memory_copy(sim_machine *machine, uint64_t to, uint64_t from, uint64_t bytes, kz_error *error) {
    kz_status status = check_range(machine, "copy on the device, reading", from, bytes, error);
    if (status == KZ_OK) status = check_range(machine, "copy on the device, writing", to, bytes, error);
    if (status == KZ_OK && bytes) {
        memmove(sim_memory_host(&machine->memory, to), sim_memory_host(&machine->memory, from), bytes);
        emit(machine, SIM_MEMORY_COPY, to, bytes, from, 0, NULL);
    }
    return status;
}

kz_status sim_memory_fill(sim_machine *machine, uint64_t to, uint8_t byte, uint64_t bytes, kz_error *error) {
    kz_status status = check_range(machine, "fill", to, bytes, error);
    if (status == KZ_OK && bytes) {
        memset(sim_memory_host(&machine->memory, to), byte, bytes);
        emit(machine, SIM_MEMORY_HOST_WRITE, to, bytes, 0, 0, NULL);
    }
    return status;
}

// Variables of a module: they are placed by program.c, which fills them.
void sim_memory_emit_variable(sim_machine *machine, uint64_t address, uint64_t bytes, const char *name) {
    const sim_allocation *a = sim_memory_find(&machine->memory, address, 0);
    emit(machine, SIM_MEMORY_ALLOC, address, bytes, 0, a ? a->serial : 0, name);
    emit(machine, SIM_MEMORY_HOST_WRITE, address, bytes, 0, 0, NULL);
}

void sim_memory_emit_gone(sim_machine *machine, uint64_t address, uint64_t bytes, const char *name) {
    emit(machine, SIM_MEMORY_FREE, address, bytes, 0, 0, name);
}
