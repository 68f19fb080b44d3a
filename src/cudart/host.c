// The host is this process.
#include "host.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime.h"

static const void *look(uint64_t from, size_t bytes, void *buffer) { return (const void *)(uintptr_t)from; }

static bool write_to(uint64_t to, const void *from, size_t bytes) {
    memmove((void *)(uintptr_t)to, from, bytes);
    return true;
}

static void *share_here(uint64_t address, uint64_t bytes) { return (void *)(uintptr_t)address; }
static void unshare_here(uint64_t address, uint64_t bytes, void *data) {}

static void call(const cudart_op *op) {
    if (op->host.callback)
        op->host.callback(op->host.stream, cudart.fault, op->host.data);
    else
        op->host.function(op->host.data);
}

static bool protect(uint64_t address, uint64_t bytes, observe_in_flight use) {
    int access = use == OBSERVE_IS_WRITTEN ? PROT_NONE
                 : use == OBSERVE_IS_READ  ? PROT_READ
                                           : PROT_READ | PROT_WRITE;
    return mprotect((void *)(uintptr_t)address, bytes, access) == 0;
}

static void flush(void) { fflush(stdout); }

static bool watch_calls(void) {
    uint64_t base, bytes;
    sim_memory_range(cudart.machine, &base, &bytes);
    return cudart_calls_watch(base, bytes);
}

const cudart_host cudart_host_here = {.look = look,
                                      .is_here = true,
                                      .write = write_to,
                                      .share = share_here,
                                      .unshare = unshare_here,
                                      .call = call,
                                      .protect = protect,
                                      .flush = flush,
                                      .watch_calls = watch_calls};
