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
         "begin at a multiple of the size (__align__(16), padding, the widest type first), or access "
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
    [SIM_FAULT_TRAP] = {"the program ends itself there: __trap(), __brkpt() behind a check of its own, or "
                        "code that the compiler "
                        "takes to be unreachable",
                        "look at the condition that leads to this line; kz debug stops there"},
    [SIM_FAULT_STACK] = {"calls or local arrays need more stack than a thread has",
                         "cudaDeviceSetLimit(cudaLimitStackSize, bytes) allows more"},
    [SIM_FAULT_BARRIER_OPERAND] =
        {"the number of the barrier, or its count of threads, is computed wrongly",
         "barriers have the numbers 0 to 15; a count is a multiple of 32 up to 1024"},
    [SIM_FAULT_COPY_SIZE] =
        {"a size for another case: the tail of a tile, or elements where bytes are meant",
         "sizes are in bytes: multiples of 16 for bulk copies, of 8 for st.bulk; cp.async reads at most "
         "what it copies. Copy a tail by ordinary loads and stores"},
    [SIM_FAULT_NOT_SHARED] =
        {"a pointer to global or local memory where the instruction needs one to shared memory",
         "give it the address of a __shared__ variable, or of the dynamic shared memory"},
    [SIM_FAULT_CLUSTER_ENDED] = {"no cluster barrier before the block returns",
                                 "cluster.sync() before blocks end whose shared memory others use"},
    [SIM_FAULT_CLUSTER_RANK] =
        {"a rank from another cluster size than the launch has, or a launch without clusters",
         "ranks go from 0 to cluster.num_blocks() - 1; __cluster_dims__ or "
         "cudaLaunchAttributeClusterDimension gives the size"},
    [SIM_FAULT_CLUSTER_OWN] =
        {"an address that was mapped to another block of the cluster, where the block's own is needed",
         "the block's own address there; mapped ones (cluster.map_shared_rank) are for loads, stores, "
         "atomics "
         "and arrivals, and for data whose mbarrier is in the same block"},
    [SIM_FAULT_CLUSTER_BARRIER] =
        {"a thread takes a way with arrive or with wait alone, or twice with one of them",
         "cluster.sync(), or barrier_arrive() and then barrier_wait(), each once by every thread of the "
         "cluster"},
    [SIM_FAULT_MBARRIER_MISSING] =
        {"no barrier between its initialisation by one thread and the use by others",
         "__syncthreads() after mbarrier.init (init of a cuda::barrier), cluster.sync() where other blocks "
         "use "
         "it; invalidate it when all are done"},
    [SIM_FAULT_MBARRIER_OVERWRITTEN] =
        {"a store or a copy past the end of a neighbouring array in shared memory",
         "compare the sizes of the arrays beside it with the largest index"},
    [SIM_FAULT_MBARRIER_COUNT] =
        {"more or fewer arrivals, or bytes, than mbarrier.init and expect_tx were told of",
         "in each phase as many arrivals as mbarrier.init says, and expect_tx for the bytes that its copies "
         "bring"},
    [SIM_FAULT_TENSOR_MAP] =
        {"the map was never encoded, or is another tensor's",
         "encode it on the host (cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col) for the "
         "rank and mode of the copy"},
    [SIM_FAULT_TENSOR_BOUNDS] =
        {"the map's sizes or strides are another tensor's, or its buffer was freed",
         "sizes are elements, strides bytes, dimension 0 first; strides begin with that of dimension 1"},
    [SIM_FAULT_TENSOR_PLACE] =
        {"a parameter without __grid_constant__, or a map that was changed in shared memory",
         "pass it as const __grid_constant__ CUtensorMap, by constant or by global memory"},
    [SIM_FAULT_TENSOR_BOX] =
        {"an offset in elements, or coordinates that only loads may have",
         "begin the box at a multiple of 16 bytes in dimension 0, an im2col copy within its bounding box, a "
         "store inside the tensor; what lies past its end is left out"},
    [SIM_FAULT_TENSOR_REDUCE] =
        {"the map's element type has not the operation",
         "add takes u32, s32, u64 and floats; min and max u32, s32, u64, s64, f16, bf16; "
         "inc and dec u32; and, or, xor u32, s32, u64"},
    [SIM_FAULT_FREE] =
        {"it was freed before, or is the middle of an allocation, or is the host's: of cudaMalloc",
         "free once, by one thread, what malloc() or new gave in a kernel"},
    [SIM_FAULT_TEXTURE] = {"the object was never created, was destroyed, or is of the other kind",
                           "cudaCreateTextureObject for texture reads, cudaCreateSurfaceObject for surfaces; "
                           "destroy it after the last kernel that uses it"},
    [SIM_FAULT_SURFACE] = {"x of a surface counts bytes, not elements; or the edge is not guarded",
                           "x * sizeof(element), and compare the coordinates with the sizes, or "
                           "cudaBoundaryModeClamp or Zero"},
    [SIM_FAULT_MEMBER_MASK] = {"the mask names other lanes than those that come here",
                               "0xffffffff where the whole warp comes by; in a branch, the lanes that "
                               "__ballot_sync gave before it"},
    [SIM_FAULT_MEMBERS_APART] =
        {"threads of one mask take different ways, each with a *_sync call of its own",
         "one *_sync call for all threads of the mask, or a mask for each way"},
    [SIM_FAULT_ALIGNED] =
        {"a branch that only some threads take, an early return for threads without work, or blocks that "
         "are no multiple of a warp (of 128 threads, for wgmma)",
         "let all 32 threads of the warp (all 128 of the warpgroup) execute the same instruction with the "
         "same descriptors"},
    [SIM_FAULT_REGISTERS] =
        {".inc and .dec are exchanged, or the kernel begins with another number of registers than you think",
         "a kernel begins with 65536 by the threads that its launch bounds put on a multiprocessor, "
         "rounded down to a multiple of 8; what .dec gives must be enough for .inc"},
    [SIM_FAULT_CALL] = {"a function pointer that was never set, or that the host took",
                        "take the address in device code, in a __device__ variable that the host copies"},
    [SIM_FAULT_BRANCH_TABLE] = {"the value of a switch is undefined, or memory that holds it was overwritten",
                                "kz sanitize finds undefined values; look at what the switch reads"},
    [SIM_FAULT_NO_MEMORY] = {"the memory of this machine is used up",
                             "fewer threads or smaller data, or a machine with more memory"},
    [SIM_FAULT_LIMIT] = {"the kernel runs for longer than was allowed",
                         "allow more instructions, or look at its loops"},
};

static bool is_access(const sim_fault_info *fault) {
    return fault->inst && (fault->kind == SIM_FAULT_BOUNDS || fault->kind == SIM_FAULT_FREED ||
                           fault->kind == SIM_FAULT_MISALIGNED);
}

static bool begins(const char *line, const char *with) { return strncmp(line, with, strlen(with)) == 0; }

// One kind of the lines of the machine's words. Thread and source line are the finding's site.
static void copy_lines(const sim_fault_info *fault, const char *message, bool causes, base_text *out) {
    static const char of_deadlock[] = "  likely causes: ";
    for (const char *at = message; *at;) {
        size_t length = strcspn(at, "\n");
        bool is_cause = begins(at, of_deadlock) || begins(at, "likely cause: ") || begins(at, "what to do: ");
        bool is_site =
            fault->inst && (begins(at, "  by block") || begins(at, "  at ") || begins(at, "  in kernel "));
        size_t indent = is_access(fault) && begins(at, "  ") ? 2 : 0;
        const char *before = out->length ? "\n" : "";
        if (begins(at, of_deadlock)) indent = sizeof of_deadlock - 1;
        if (is_cause == causes && !is_site)
            base_text_add(out, "%s%s%.*s", before, begins(at, of_deadlock) ? "likely cause: " : "",
                          (int)(length - indent), at + indent);
        at += length + (at[length] == '\n');
    }
}

static const char *special_advice(const sim_fault_info *fault, const char *message) {
    if (!is_access(fault) || fault->kind != SIM_FAULT_BOUNDS || strstr(message, "likely cause: "))
        return NULL;
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

// What the machine's words, `text`, lack of a likely cause and what to do.
static void add_advice(const sim_fault_info *fault, const char *message, base_text *text) {
    const char *advice = special_advice(fault, message);
    if (advice) base_text_add(text, "%s%s", text->length ? "\n" : "", advice);
    unsigned kind = fault->kind < BASE_COUNT(by_kind) ? fault->kind : SIM_FAULT_NONE;
    bool has_cause = text->data && strstr(text->data, "likely cause"),
         has_advice = text->data && strstr(text->data, "what to do");
    if (by_kind[kind].cause && !has_cause)
        base_text_add(text, "%slikely cause: %s", text->length ? "\n" : "", by_kind[kind].cause);
    if (by_kind[kind].advice && !has_advice)
        base_text_add(text, "%swhat to do: %s", text->length ? "\n" : "", by_kind[kind].advice);
}

// What happened, cut at the end of a line where it is long, so that there is room for the causes.
static void join(const base_text *what, const base_text *causes, char *out, size_t size) {
    static const char cut[] = "\n  ...";
    size_t room = size > causes->length + sizeof cut + 1 ? size - causes->length - sizeof cut - 1 : 0;
    size_t length = what->length;
    if (length > room + sizeof cut)
        for (length = room; length && what->data[length] != '\n';) length--;
    snprintf(out, size, "%.*s%s%s%s", (int)length, what->data ? what->data : "",
             length < what->length ? cut : "", causes->length && length ? "\n" : "",
             causes->data ? causes->data : "");
}

void observe_explain_fault(const sim_fault_info *fault, const char *message, char *out, size_t size) {
    base_text what = {0}, causes = {0};
    copy_lines(fault, message, false, &what);
    copy_lines(fault, message, true, &causes);
    add_advice(fault, message, &causes);
    join(&what, &causes, out, size);
    base_text_free(&what);
    base_text_free(&causes);
}

void observe_print_fault(const sim_fault_info *fault, const char *message, base_text *out) {
    base_text text = {0};
    base_text_add(&text, "%s", message);
    add_advice(fault, message, &text);
    for (const char *at = text.data ? text.data : ""; *at;) {
        size_t length = strcspn(at, "\n");
        base_text_add(out, "\n%s%.*s", *at == ' ' ? "" : "  ", (int)length, at);
        at += length + (at[length] == '\n');
    }
    base_text_free(&text);
}
