// Faults in words: what the machine says, without what the finding's site has, then the likely cause and what to do.
#include "observe/faults.h"

#include <stdio.h>
#include <string.h>

// Where the machine's own words have no cause, or no advice.
static const struct {
    const char *cause, *advice;
} by_kind[] = {
    [SIM_FAULT_BOUNDS] =
        {"an index past the end, or below 0: more threads than elements, or a loop that runs once too "
         "often",
         "compare the index with the number of elements before the access"},
    [SIM_FAULT_FREED] =
        {"the memory was freed before, by the host or by another thread, and the pointer was kept",
         "free it after its last use: when the last kernel that uses it has ended; in a kernel, after a "
         "barrier that follows all uses"},
    [SIM_FAULT_MISALIGNED] =
        {"the address is no multiple of the size of what is accessed: a vector or a double at an "
         "odd element, or after parts of shared memory with other types",
         "begin at a multiple of the size (alignas, padding, the widest type first), or access "
         "element by element"},
    [SIM_FAULT_READ_ONLY] = {"a pointer to constant memory or to a parameter is written through",
                             "write to global or shared memory"},
    [SIM_FAULT_DEADLOCK] =
        {"threads wait for each other in a circle, or for one that has ended",
         "follow those that wait, above: what each waits for must be done by a thread that does not "
         "wait itself"},
    [SIM_FAULT_ENDLESS] = {"the loop's condition depends on nothing that the loop or another thread changes",
                           "look at what the condition reads, and at who should change it"},
    [SIM_FAULT_BARRIER] =
        {"threads that come to one barrier give different numbers of threads for it",
         "one barrier number for each group of threads, with the same count wherever it is used"},
    [SIM_FAULT_ASSERT] = {"the condition does not hold for this thread",
                          "kz debug stops there and shows the thread's variables"},
    [SIM_FAULT_TRAP] =
        {"the program ends itself there: __trap(), or code that the compiler takes to be unreachable",
         "look at the condition that leads to this line; kz debug stops there"},
    [SIM_FAULT_STACK] = {"calls or local arrays need more stack than a thread has",
                         "cudaDeviceSetLimit(cudaLimitStackSize, bytes) allows more"},
    [SIM_FAULT_OTHER] = {"an operand breaks the rule that the first line names",
                         "compare the operands at this line with that rule"},
};

static bool is_access(const sim_fault_info *fault) {
    return fault->inst && (fault->kind == SIM_FAULT_BOUNDS || fault->kind == SIM_FAULT_FREED ||
                           fault->kind == SIM_FAULT_MISALIGNED);
}

// The machine's words: thread and source line are the finding's site.
static void copy_message(const sim_fault_info *fault, const char *message, base_text *out) {
    static const char causes[] = "  likely causes: ";
    for (const char *at = message; *at;) {
        size_t length = strcspn(at, "\n");
        bool is_site = strncmp(at, "  by block", 10) == 0 || strncmp(at, "  at ", 5) == 0;
        size_t indent = is_access(fault) && strncmp(at, "  ", 2) == 0 ? 2 : 0;
        const char *before = at == message ? "" : "\n";
        if (strncmp(at, causes, sizeof causes - 1) == 0)
            base_text_add(out, "%slikely cause: %.*s", before, (int)(length - (sizeof causes - 1)),
                          at + sizeof causes - 1);
        else if (!is_access(fault) || !is_site)
            base_text_add(out, "%s%.*s", before, (int)(length - indent), at + indent);
        at += length + (at[length] == '\n');
    }
}

static const char *special_advice(const sim_fault_info *fault, const char *message) {
    if (strstr(message, "not in its own member mask"))
        return "likely cause: the mask names other lanes than those that come here"
               "\nwhat to do: 0xffffffff where the whole warp comes by; in a branch, the lanes that "
               "__ballot_sync gave before it";
    if (!is_access(fault) || fault->kind != SIM_FAULT_BOUNDS) return NULL;
    if (fault->space == SIM_SHARED)
        return (uint32_t)fault->address > INT32_MAX
                   ? "likely cause: an index below 0: a neighbour before the array's first element"
                     "\nwhat to do: leave room for it (a halo, which the indices count too), or test the "
                     "index "
                     "before the access"
                   : "likely cause: the index goes past the array's last element: it is too large, or the "
                     "array "
                     "is too small (one element per thread, warp or tile)"
                     "\nwhat to do: compare the array's size with the largest index at this line, and "
                     "dynamic shared memory with the bytes of the launch";
    if (fault->space != SIM_GLOBAL) return NULL;
    if (strstr(message, "past the end of a buffer"))
        return "likely cause: more threads than elements, or a buffer that was made too small"
               "\nwhat to do: compare the index with the size first, if (i < n); sizes of cudaMalloc are in "
               "bytes";
    if (strstr(message, "host pointer"))
        return "likely cause: the address of a variable or of malloc() of the host was given to the kernel"
               "\nwhat to do: cudaMalloc and cudaMemcpy, or cudaMallocManaged, and give the kernel that "
               "pointer";
    if (fault->address < 4096)
        return "likely cause: a null pointer: an allocation that failed, or a pointer that was never set"
               "\nwhat to do: look at what cudaMalloc returned, and at the arguments of the launch";
    return NULL;
}

void observe_explain_fault(const sim_fault_info *fault, const char *message, char *out, size_t size) {
    base_text text = {0};
    copy_message(fault, message, &text);
    const char *advice = special_advice(fault, message);
    if (advice) base_text_add(&text, "\n%s", advice);
    unsigned kind = fault->kind < BASE_COUNT(by_kind) ? fault->kind : SIM_FAULT_OTHER;
    if (by_kind[kind].cause && text.data && !strstr(text.data, "likely cause"))
        base_text_add(&text, "\nlikely cause: %s", by_kind[kind].cause);
    if (by_kind[kind].advice && text.data && !strstr(text.data, "what to do"))
        base_text_add(&text, "\nwhat to do: %s", by_kind[kind].advice);
    snprintf(out, size, "%s", text.data ? text.data : "");
    base_text_free(&text);
}
