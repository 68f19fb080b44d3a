// The runtime's end of a channel: serves the calls of one thread of the program.
//
// Nothing that comes from the program is trusted. Its addresses are numbers, which only the program itself follows; a
// handle that the runtime would follow is looked up first; sizes have limits.
#include "serve.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "channel.h"
#include "cudart/fatbin.h"
#include "cudart/library_call.h"
#include "cudart/runtime.h"

enum {
    PAGE = 4096,
    CHUNK = 1 << 20,
    MOST_LINKED = 4096,
    MOST_NODES = 1 << 16,
    MOST_ATTRIBUTES = 64,
    MOST_DEPTH = 8
};
#define ADDRESSES (UINT64_C(1) << 47) // that a program can have

static _Thread_local int channel = -1;
static _Thread_local bool is_gone;          // the program: whatever is asked for fails from now on
static _Thread_local unsigned depth;        // questions that wait for their answers
static _Thread_local bool in_host_function; // the innermost of them is to run one
static int shared_file = -1;                // of memory that the program has registered

static void handle(const remote_message *message);

// ---- questions to the program -------------------------------------------------------------------------------------

static bool say(const remote_message *message, const void *bytes) {
    if (channel < 0 || is_gone || !remote_send(channel, message, bytes)) is_gone = true;
    return !is_gone;
}

// Until the answer comes, the program may ask for more: a host function calls, an access stops.
static bool await(remote_kind question, remote_message *answer) {
    bool before = in_host_function;
    in_host_function = question == REMOTE_RUN;
    if (++depth > MOST_DEPTH) is_gone = true; // whoever asks without end
    while (!is_gone) {
        if (!remote_receive(channel, answer)) is_gone = true;
        if (is_gone || answer->kind == REMOTE_ANSWER) break;
        handle(answer);
    }
    depth--;
    in_host_function = before;
    return !is_gone && answer->words[0];
}

// Asks, and takes the answer's bytes: at most so many. False where it cannot be had; nothing of it is left in the channel.
static bool ask_for(const remote_message *question, const void *bytes, void *to, size_t most, size_t *count) {
    remote_message answer;
    if (!say(question, bytes) || !await(question->kind, &answer)) {
        if (!is_gone && answer.bytes) is_gone = true;
        return false;
    }
    *count = answer.bytes;
    if (answer.bytes > most || !remote_take(channel, to, answer.bytes)) is_gone = true; // nonsense
    return !is_gone;
}

static bool ask(const remote_message *question, const void *bytes) {
    size_t none;
    return ask_for(question, bytes, NULL, 0, &none);
}

static bool read_part(char *to, uint64_t from, size_t bytes) {
    size_t got;
    return ask_for(&(remote_message){.kind = REMOTE_READ, .words = {from, bytes}}, NULL, to, bytes, &got) &&
           got == bytes;
}

static const void *look(uint64_t from, size_t bytes, void *buffer) {
    for (size_t done = 0; done < bytes; done += CHUNK) {
        size_t part = bytes - done < CHUNK ? bytes - done : CHUNK;
        if (!read_part((char *)buffer + done, from + done, part)) return NULL;
    }
    return buffer;
}

static bool write_to(uint64_t to, const void *from, size_t bytes) {
    for (size_t done = 0; done < bytes; done += CHUNK) {
        size_t part = bytes - done < CHUNK ? bytes - done : CHUNK;
        if (!ask(&(remote_message){.kind = REMOTE_WRITE, .bytes = part, .words = {to + done}},
                 (const char *)from + done))
            return false;
    }
    return true;
}

static bool read_text(uint64_t from, char text[REMOTE_MOST_TEXT]) {
    remote_message question = {.kind = REMOTE_TEXT, .words = {from}};
    size_t length;
    if (!from || !ask_for(&question, NULL, text, REMOTE_MOST_TEXT - 1, &length)) return false;
    text[length] = 0;
    return true;
}

static void call_host(const cudart_op *op) {
    remote_message m = {.kind = REMOTE_RUN,
                        .words = {0, (uint64_t)(uintptr_t)op->host.data, op->host.callback != NULL,
                                  (uint64_t)(uintptr_t)op->host.stream, (uint64_t)cudart.fault}};
    if (op->host.callback)
        memcpy(&m.words[0], &op->host.callback, sizeof op->host.callback);
    else
        memcpy(&m.words[0], &op->host.function, sizeof op->host.function);
    ask(&m, NULL);
}

static uint64_t offset_in_page(uint64_t address) { return address % PAGE; }
static uint64_t pages_of(uint64_t address, uint64_t bytes) {
    return (offset_in_page(address) + bytes + PAGE - 1) / PAGE * PAGE;
}

static void *share_pages(uint64_t address, uint64_t bytes) {
    uint64_t first = address - offset_in_page(address), length = pages_of(address, bytes);
    if (address >= ADDRESSES || bytes > ADDRESSES - PAGE - address) return NULL;
    if (!ask(&(remote_message){.kind = REMOTE_SHARE, .words = {address, bytes}}, NULL)) return NULL;
    char *data = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, shared_file, (off_t)first);
    return data == MAP_FAILED ? NULL : data + offset_in_page(address);
}

static void unshare_pages(uint64_t address, uint64_t bytes, void *data) {
    munmap((char *)data - offset_in_page(address), pages_of(address, bytes));
    ask(&(remote_message){.kind = REMOTE_UNSHARE, .words = {address, bytes}}, NULL);
}

static bool protect(uint64_t address, uint64_t bytes, observe_in_flight use) {
    uint64_t access = use == OBSERVE_IS_WRITTEN ? PROT_NONE
                      : use == OBSERVE_IS_READ  ? PROT_READ
                                                : PROT_READ | PROT_WRITE;
    return say(&(remote_message){.kind = REMOTE_PROTECT, .words = {address, bytes, access}}, NULL);
}

static void view(uint64_t address, uint64_t bytes, bool is_seen) {
    say(&(remote_message){.kind = REMOTE_VIEW, .words = {address, bytes, is_seen}}, NULL);
}

static void flush(void) { ask(&(remote_message){.kind = REMOTE_FLUSH}, NULL); }
static bool watch_calls(void) { return ask(&(remote_message){.kind = REMOTE_WATCH}, NULL); }

static const cudart_host host_elsewhere = {.look = look,
                                           .write = write_to,
                                           .share = share_pages,
                                           .unshare = unshare_pages,
                                           .call = call_host,
                                           .protect = protect,
                                           .flush = flush,
                                           .watch_calls = watch_calls,
                                           .view = view};

// ---- what a call points at ----------------------------------------------------------------------------------------

// Copies of it, for as long as the call takes.
typedef struct copies {
    void *list[REMOTE_WORDS + 8];
    size_t count;
} copies;

static void *make(copies *c, size_t bytes) {
    if (c->count == BASE_COUNT(c->list)) return NULL;
    void *made = calloc(1, bytes ? bytes : 1);
    if (made) c->list[c->count++] = made;
    return made;
}

static void *take(copies *c, uint64_t from, size_t bytes) {
    void *made = make(c, bytes);
    return made && look(from, bytes, made) ? made : NULL;
}

static void drop(copies *c) {
    while (c->count) free(c->list[--c->count]);
}

static uint64_t word_of(const void *pointer) { return (uint64_t)(uintptr_t)pointer; }
static void *pointer_of(uint64_t word) { return (void *)(uintptr_t)word; }

static bool is_module(uint64_t word) {
    for (const cudart_module *m = cudart.modules; m; m = m->next)
        if (m == pointer_of(word)) return true;
    return false;
}

static bool are_nodes(const cudaGraphNode_t *nodes, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!cudart_is_node(nodes[i])) return false;
    return true;
}

// The values of a kernel's arguments, and pointers at them: by the kernel's own parameters. NULL where they cannot be had.
static void **take_arguments(copies *c, const void *symbol, uint64_t from) {
    cudart_function *f = cudart_function_find(symbol);
    if (!f || cudart_function_describe(f)) return make(c, 1); // the launch says why
    const ptx_function *entry = f->entry;
    size_t count = entry->param_count, bytes = 0;
    for (size_t i = 0; i < count; i++) bytes += (entry->params[i]->size + 15) / 16 * 16;
    uint64_t *theirs = from ? take(c, from, count * sizeof *theirs) : make(c, count * sizeof *theirs);
    void **ours = make(c, (count + 1) * sizeof *ours);
    char *values = make(c, bytes);
    if (!theirs || !ours || !values) return NULL;
    for (size_t i = 0; i < count; i++) {
        if (!theirs[i] || !look(theirs[i], entry->params[i]->size, values)) return NULL;
        ours[i] = values;
        values += (entry->params[i]->size + 15) / 16 * 16;
    }
    return ours;
}

// ---- calls with a function of their own ---------------------------------------------------------------------------

typedef uint64_t special(uint64_t *w, copies *c);

// A whole fat binary, for good: the runtime unpacks it when it is first needed.
static const void *keep_fatbin(uint64_t from) {
    uint8_t header[CUDART_FATBIN_HEADER];
    if (!from || !look(from, sizeof header, header)) return NULL;
    uint64_t bytes = cudart_fatbin_claims(header);
    void *kept = bytes ? malloc(bytes) : NULL;
    if (kept && look(from, bytes, kept)) return kept;
    free(kept);
    return NULL;
}

static void **keep_linked(uint64_t from) {
    void **kept = calloc(MOST_LINKED + 1, sizeof *kept);
    for (size_t i = 0; kept && i < MOST_LINKED; i++) {
        uint64_t part = 0;
        if (!look(from + i * sizeof part, sizeof part, &part) || !part) break;
        kept[i] = (void *)(uintptr_t)keep_fatbin(part);
        if (!kept[i]) break;
    }
    return kept;
}

void **__cudaRegisterFatBinary(void *image);

static uint64_t serve___cudaRegisterFatBinary(uint64_t *w, copies *c) {
    cudart_fatbin_wrapper *wrapper = take(c, w[0], sizeof *wrapper);
    cudart_fatbin_wrapper damaged = {0};
    if (!wrapper) wrapper = &damaged;
    wrapper->data = keep_fatbin(word_of(wrapper->data));
    bool is_linked = wrapper->version == 2 && wrapper->linked;
    wrapper->linked = is_linked ? keep_linked(word_of(wrapper->linked)) : NULL;
    if (!wrapper->data) wrapper->magic = 0; // no kernel can be loaded from it
    return word_of(__cudaRegisterFatBinary(wrapper));
}

static dim3 dim_of(const uint64_t *w) {
    return (dim3){(unsigned)w[0], (unsigned)(w[0] >> 32), (unsigned)w[1]};
}

typedef cudaError_t launch_function(const void *, dim3, dim3, void **, size_t, cudaStream_t);

// (kernel, grid, block, args, shared, stream): a dim3 takes two words.
static uint64_t serve_launch(uint64_t *w, copies *c, launch_function *launch) {
    void **args = take_arguments(c, pointer_of(w[0]), w[5]);
    if (!args) return cudaErrorInvalidValue;
    return launch(pointer_of(w[0]), dim_of(w + 1), dim_of(w + 3), args, w[6], pointer_of(w[7]));
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared,
                               cudaStream_t stream);
static cudaError_t launch_handle(const void *kernel, dim3 grid, dim3 block, void **args, size_t shared,
                                 cudaStream_t stream) {
    return __cudaLaunchKernel((cudaKernel_t)(uintptr_t)kernel, grid, block, args, shared, stream);
}

static uint64_t serve___cudaLaunchKernel(uint64_t *w, copies *c) { return serve_launch(w, c, launch_handle); }
static uint64_t serve_cudaLaunchKernel(uint64_t *w, copies *c) {
    return serve_launch(w, c, cudaLaunchKernel);
}
static uint64_t serve_cudaLaunchCooperativeKernel(uint64_t *w, copies *c) {
    return serve_launch(w, c, cudaLaunchCooperativeKernel);
}

// NULL: the work of the routine named last is done.
static uint64_t serve___cudaLibraryCall(uint64_t *w, copies *c) {
    char name[REMOTE_MOST_TEXT];
    __cudaLibraryCall(w[0] && read_text(w[0], name) ? name : NULL);
    return 0;
}

static uint64_t serve_cudaLaunchKernelExC(uint64_t *w, copies *c) {
    cudaLaunchConfig_t *config = w[0] ? take(c, w[0], sizeof *config) : NULL;
    if (!config || config->numAttrs > MOST_ATTRIBUTES) return cudaErrorInvalidValue;
    if (config->numAttrs)
        config->attrs = take(c, word_of(config->attrs), config->numAttrs * sizeof *config->attrs);
    void **args = take_arguments(c, pointer_of(w[1]), w[2]);
    if (!args || (config->numAttrs && !config->attrs)) return cudaErrorInvalidValue;
    return cudaLaunchKernelExC(config, pointer_of(w[1]), args);
}

static struct cudaKernelNodeParams *take_node_params(copies *c, uint64_t from) {
    struct cudaKernelNodeParams *p = from ? take(c, from, sizeof *p) : NULL;
    if (!p) return NULL;
    p->kernelParams = p->kernelParams ? take_arguments(c, p->func, word_of(p->kernelParams)) : NULL;
    p->extra = NULL;
    return p;
}

static uint64_t serve_cudaGraphAddKernelNode(uint64_t *w, copies *c) {
    cudaGraphNode_t node = NULL, *needs = NULL;
    if (w[3] > MOST_NODES) return cudaErrorInvalidValue;
    if (w[3]) needs = take(c, w[2], w[3] * sizeof *needs);
    struct cudaKernelNodeParams *params = take_node_params(c, w[4]);
    if (!w[0] || !params || (w[3] && (!needs || !are_nodes(needs, w[3])))) return cudaErrorInvalidValue;
    cudaError_t error = cudaGraphAddKernelNode(&node, pointer_of(w[1]), needs, w[3], params);
    if (!error) write_to(w[0], &node, sizeof node);
    return error;
}

static uint64_t serve_cudaGraphKernelNodeSetParams(uint64_t *w, copies *c) {
    struct cudaKernelNodeParams *params = take_node_params(c, w[1]);
    if (!params || !cudart_is_node(pointer_of(w[0]))) return cudaErrorInvalidValue;
    return cudaGraphKernelNodeSetParams(pointer_of(w[0]), params);
}

static uint64_t serve_cudaGraphExecKernelNodeSetParams(uint64_t *w, copies *c) {
    struct cudaKernelNodeParams *params = take_node_params(c, w[2]);
    if (!params || !cudart_is_node(pointer_of(w[1]))) return cudaErrorInvalidValue;
    return cudaGraphExecKernelNodeSetParams(pointer_of(w[0]), pointer_of(w[1]), params);
}

// ---- the table ----------------------------------------------------------------------------------------------------

typedef enum argument_kind {
    ARGUMENT_END,
    ARGUMENT_VALUE,
    ARGUMENT_GIVES,
    ARGUMENT_TAKES,
    ARGUMENT_TEXT,
    ARGUMENT_NODE,
    ARGUMENT_NODES,
    ARGUMENT_EVENT,
    ARGUMENT_MODULE,
    ARGUMENT_ARRAY,
    ARGUMENT_RESOURCE,
    ARGUMENT_SPECIAL,
} argument_kind;

typedef struct argument {
    argument_kind kind;
    size_t bytes; // it points at; NODES: the argument that says how many
} argument;

typedef struct row {
    void (*function)(
        void); // called with words, as every function of this machine's ABI takes integers and pointers
    argument arguments[REMOTE_WORDS];
} row;

// The entry points that nvcc's stubs call; no header declares them for C.
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
char __cudaInitModule(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int thread_limit,
                            uint3 *thread, uint3 *block, dim3 *block_size, dim3 *grid_size, int *warp_size);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external, size_t bytes,
                       int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int external,
                              size_t bytes, int constant, int global);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function);
cudaError_t cudaProfilerStart(void); // whose header not every package of CUDA has
cudaError_t cudaProfilerStop(void);

#define VALUE                                                                                                \
    { ARGUMENT_VALUE, 0 }
#define GIVES(type)                                                                                          \
    { ARGUMENT_GIVES, sizeof(type) }
#define TAKES(type)                                                                                          \
    { ARGUMENT_TAKES, sizeof(type) }
#define TEXT                                                                                                 \
    { ARGUMENT_TEXT, 0 }
#define NODE                                                                                                 \
    { ARGUMENT_NODE, 0 }
#define NODES(at)                                                                                            \
    { ARGUMENT_NODES, at }
#define EVENT                                                                                                \
    { ARGUMENT_EVENT, 0 }
#define MODULE                                                                                               \
    { ARGUMENT_MODULE, 0 }
#define ARRAY                                                                                                \
    { ARGUMENT_ARRAY, 0 }
#define RESOURCE                                                                                             \
    { ARGUMENT_RESOURCE, sizeof(struct cudaResourceDesc) }
#define SPECIAL                                                                                              \
    { ARGUMENT_SPECIAL, 0 }

static const row rows[REMOTE_CALLS] = {
#define REMOTE(name, ...)    {.function = (void (*)(void))name, .arguments = {__VA_ARGS__}},
#define REMOTE_OF_TEXT(name) {.function = (void (*)(void))name, .arguments = {VALUE}},
#define REMOTE_TWIN(name, suffix)
#include "calls.def"
#undef REMOTE
#undef REMOTE_OF_TEXT
#undef REMOTE_TWIN
};

static special *special_of(uint32_t call) {
    switch (call) {
    case REMOTE___cudaRegisterFatBinary: return serve___cudaRegisterFatBinary;
    case REMOTE___cudaLibraryCall: return serve___cudaLibraryCall;
    case REMOTE___cudaLaunchKernel: return serve___cudaLaunchKernel;
    case REMOTE_cudaLaunchKernel: return serve_cudaLaunchKernel;
    case REMOTE_cudaLaunchCooperativeKernel: return serve_cudaLaunchCooperativeKernel;
    case REMOTE_cudaLaunchKernelExC: return serve_cudaLaunchKernelExC;
    case REMOTE_cudaGraphAddKernelNode: return serve_cudaGraphAddKernelNode;
    case REMOTE_cudaGraphKernelNodeSetParams: return serve_cudaGraphKernelNodeSetParams;
    case REMOTE_cudaGraphExecKernelNodeSetParams: return serve_cudaGraphExecKernelNodeSetParams;
    default: return NULL;
    }
}

static bool is_resource(const struct cudaResourceDesc *r) {
    if (r->resType == cudaResourceTypeArray) return cudart_is_array(r->res.array.array);
    return r->resType != cudaResourceTypeMipmappedArray;
}

// Puts a copy of what the argument points at in its place. False where that cannot be, or a handle is none.
static bool prepare(const argument *a, uint64_t *w, size_t i, copies *c) {
    char text[REMOTE_MOST_TEXT];
    size_t count = a->kind == ARGUMENT_NODES ? w[a->bytes] : 0;
    switch (a->kind) {
    case ARGUMENT_GIVES:
    case ARGUMENT_TAKES:
        if (w[i])
            w[i] = word_of(take(c, w[i], a->bytes));
        else
            return true;
        return w[i] != 0;
    case ARGUMENT_TEXT:
        if (!read_text(w[i], text)) return false;
        w[i] = word_of(make(c, sizeof text));
        if (w[i]) memcpy(pointer_of(w[i]), text, sizeof text);
        return w[i] != 0;
    case ARGUMENT_NODES:
        if (count > MOST_NODES) return false;
        if (count) w[i] = word_of(take(c, w[i], count * sizeof(cudaGraphNode_t)));
        return !count || (w[i] && are_nodes(pointer_of(w[i]), count));
    case ARGUMENT_RESOURCE:
        w[i] = w[i] ? word_of(take(c, w[i], a->bytes)) : 0;
        return w[i] && is_resource(pointer_of(w[i]));
    case ARGUMENT_ARRAY: return cudart_is_array(pointer_of(w[i]));
    case ARGUMENT_NODE: return cudart_is_node(pointer_of(w[i]));
    case ARGUMENT_EVENT: return cudart_is_event(pointer_of(w[i]));
    case ARGUMENT_MODULE: return is_module(w[i]);
    default: return true;
    }
}

static uint64_t call_plainly(const row *r, uint64_t *w, copies *c) {
    uint64_t theirs[REMOTE_WORDS];
    memcpy(theirs, w, sizeof theirs);
    for (size_t i = 0; r->arguments[i].kind; i++)
        if (!prepare(&r->arguments[i], w, i, c)) return cudaErrorInvalidResourceHandle;
    typedef uint64_t words_function(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                                    uint64_t, uint64_t, uint64_t);
    words_function *function = (words_function *)r->function;
    uint64_t result = function(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9]);
    for (size_t i = 0; r->arguments[i].kind; i++)
        if (r->arguments[i].kind == ARGUMENT_GIVES && theirs[i])
            write_to(theirs[i], pointer_of(w[i]), r->arguments[i].bytes);
    return (uint32_t)result;
}

// What was looked up for one call must stay until that call has ended: while it asks, the program may make no other.
// Host functions may make none either, says CUDA; what our cuBLAS and cuRAND do in theirs ends nothing.
static bool is_permitted(uint32_t call) {
    if (!depth) return true;
    switch (call) {
    case REMOTE___cudaLibraryCall:
    case REMOTE_cudaMemcpy:
    case REMOTE_cudaMemcpy2D:
    case REMOTE_cudaGetErrorName:
    case REMOTE_cudaGetErrorString:
    case REMOTE_cudaGetLastError:
    case REMOTE_cudaPeekAtLastError:
    case REMOTE_cudaGetDevice:
    case REMOTE_cudaDeviceGetAttribute:
    case REMOTE_cudaPointerGetAttributes:
    case REMOTE_cudaStreamIsCapturing: return in_host_function;
    default: return false;
    }
}

static void serve_call(const remote_message *message) {
    remote_message result = {.kind = REMOTE_RESULT, .words = {cudaErrorInvalidValue}};
    uint64_t words[REMOTE_WORDS];
    copies c = {0};
    memcpy(words, message->words, sizeof words);
    if (message->call < REMOTE_CALLS && !is_permitted(message->call))
        result.words[0] = cudaErrorNotPermitted;
    else if (message->call < REMOTE_CALLS) {
        special *function = special_of(message->call);
        cudart_called_from = pointer_of(message->caller ? message->caller : 1);
        // What is looked up must still be there when it is used.
        pthread_mutex_lock(&cudart.lock);
        result.words[0] = function ? function(words, &c) : call_plainly(&rows[message->call], words, &c);
        pthread_mutex_unlock(&cudart.lock);
        cudart_called_from = NULL;
    }
    drop(&c);
    say(&result, NULL);
}

// ---- messages -----------------------------------------------------------------------------------------------------

static uint64_t stopped(const uint64_t *w) {
    cudart_touch touch = w[1] <= CUDART_TOUCH_WRITE ? (cudart_touch)w[1] : CUDART_TOUCH_UNKNOWN;
    cudart_stop stop = cudart_pages_stopped(w[0], touch == CUDART_TOUCH_WRITE, pointer_of(w[2]));
    if (stop == CUDART_STOP_FOREIGN && sim_memory_is_device(cudart.machine, w[0]))
        cudart_explain_touch(w[0], touch, pointer_of(w[2]));
    return stop;
}

static void handle(const remote_message *message) {
    const uint64_t *w = message->words;
    remote_message result = {.kind = REMOTE_RESULT};
    if (message->bytes) is_gone = true; // no such message has any: nonsense
    if (is_gone || (message->kind != REMOTE_CALL && !cudart.machine)) return;
    switch (message->kind) {
    case REMOTE_CALL: serve_call(message); return;
    case REMOTE_STOPPED: result.words[0] = stopped(w); break;
    case REMOTE_STEPPED: result.words[0] = cudart_pages_stepped(); break;
    case REMOTE_LOOK: cudart_pages_look(w[0], w[1], w[2] != 0); break;
    case REMOTE_CLOSE: cudart_pages_close(w[0], w[1]); break;
    default: is_gone = true; return;
    }
    say(&result, NULL);
}

void remote_serve(int number) {
    remote_message message = {.kind = REMOTE_RESULT};
    channel = number;
    if (cudart.machine) sim_memory_range(cudart.machine, &message.words[0], &message.words[1]);
    say(&message, NULL);
    while (!is_gone && remote_receive(channel, &message)) handle(&message);
    close(channel);
}

void remote_open(int shared) {
    shared_file = shared;
    cudart.host = &host_elsewhere;
    cudart_enter(NULL); // opens the device
    cudart_leave(cudaSuccess);
}
