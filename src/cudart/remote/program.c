// The libcudart of a program whose device is another process: every call travels there (channel.h). What is done here
// is what only the program's own process can do: its memory is read and written, its functions are called, its pages are
// protected. CUDA's headers are not included: a call is words, and the rows of calls.def know what they mean.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <ucontext.h>
#include <unistd.h>

#include "channel.h"
#include "cudart/configuration.h"
#include "cudart/error_words.h"
#include "cudart/host_process.h"

enum { FAILED = 3, PAGE = 4096, CHUNK = 1 << 20 }; // cudaErrorInitializationError

static struct {
    int door, shared;    // descriptors
    uint64_t base, size; // of the device's memory
    bool is_open;
    pthread_key_t ends;   // threads that have a channel: it is closed then
    pthread_mutex_t lock; // of the list of shared ranges
    struct range {
        uint64_t first, last; // pages: [first, last)
    } * ranges;
    size_t range_count;
} program;

static _Thread_local int channel = -1;

// The process that has the device is gone, and with it all that this program did; or the program closed the way there.
_Noreturn static void give_up(void) {
    static const char words[] =
        "kz: the way to the device is closed: descriptors from 100 on are the runtime's\n"
        "  close those that the program opened, not all there are\n";
    if ((errno == EBADF || errno == ENOTSOCK) && write(STDERR_FILENO, words, sizeof words - 1) < 0)
        _exit(122);
    _exit(121);
}

static void say(int to, const remote_message *message, const void *bytes) {
    if (!remote_send(to, message, bytes)) give_up();
}

static uint64_t page_down(uint64_t address) { return address / PAGE * PAGE; }
static uint64_t page_up(uint64_t address) { return (address + PAGE - 1) / PAGE * PAGE; }
static void *at(uint64_t address) { return (void *)(uintptr_t)address; }

// ---- memory that is registered ------------------------------------------------------------------------------------

static bool is_shared(uint64_t page) {
    for (size_t i = 0; i < program.range_count; i++)
        if (page >= program.ranges[i].first && page < program.ranges[i].last) return true;
    return false;
}

// Moves one page between this process's own memory and the shared file, with what is in it.
static bool move_page(uint64_t page, bool to_file) {
    char content[PAGE];
    memcpy(content, at(page), PAGE);
    int flags = MAP_FIXED | (to_file ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS);
    if (mmap(at(page), PAGE, PROT_READ | PROT_WRITE, flags, to_file ? program.shared : -1,
             to_file ? (off_t)page : 0) == MAP_FAILED)
        return false;
    memcpy(at(page), content, PAGE);
    return true;
}

static bool share(uint64_t address, uint64_t bytes) {
    struct range added = {page_down(address), page_up(address + bytes)};
    pthread_mutex_lock(&program.lock);
    bool done = true;
    for (uint64_t page = added.first; page < added.last && done; page += PAGE)
        if (!is_shared(page)) done = move_page(page, true);
    struct range *grown = realloc(program.ranges, (program.range_count + 1) * sizeof *grown);
    if (grown) program.ranges = grown;
    done = done && grown;
    if (done) program.ranges[program.range_count++] = added;
    pthread_mutex_unlock(&program.lock);
    return done;
}

static void stop_sharing(uint64_t address, uint64_t bytes) {
    struct range gone = {page_down(address), page_up(address + bytes)};
    pthread_mutex_lock(&program.lock);
    for (size_t i = 0; i < program.range_count; i++)
        if (program.ranges[i].first == gone.first && program.ranges[i].last == gone.last) {
            program.ranges[i] = program.ranges[--program.range_count];
            break;
        }
    for (uint64_t page = gone.first; page < gone.last; page += PAGE)
        if (!is_shared(page)) move_page(page, false);
    pthread_mutex_unlock(&program.lock);
}

// ---- what the device asks for -------------------------------------------------------------------------------------

// Through memory of our own: an access to a page in flight stops, and asks while no message is half said.
static void give_bytes(uint64_t address, uint64_t bytes) {
    remote_message answer = {.kind = REMOTE_ANSWER, .bytes = bytes, .words = {1}};
    char *copy = malloc(bytes ? bytes : 1);
    if (copy) memcpy(copy, at(address), bytes);
    if (!copy) answer = (remote_message){.kind = REMOTE_ANSWER};
    say(channel, &answer, copy);
    free(copy);
}

static void take_bytes(uint64_t address, uint64_t bytes) {
    char *copy = malloc(bytes ? bytes : 1);
    if (!copy || !remote_take(channel, copy, bytes)) give_up();
    memcpy(at(address), copy, bytes);
    free(copy);
    say(channel, &(remote_message){.kind = REMOTE_ANSWER, .words = {1}}, NULL);
}

static void run_function(const uint64_t *words) {
    if (words[2]) {
        void (*callback)(void *, int, void *);
        memcpy(&callback, &words[0], sizeof callback);
        callback(at(words[3]), (int)words[4], at(words[1]));
    } else {
        void (*function)(void *);
        memcpy(&function, &words[0], sizeof function);
        function(at(words[1]));
    }
    say(channel, &(remote_message){.kind = REMOTE_ANSWER, .words = {1}}, NULL);
}

static void answer_question(const remote_message *question) {
    const uint64_t *w = question->words;
    remote_message done = {.kind = REMOTE_ANSWER, .words = {1}};
    switch (question->kind) {
    case REMOTE_READ: give_bytes(w[0], w[1]); return;
    case REMOTE_TEXT: give_bytes(w[0], strnlen(at(w[0]), REMOTE_MOST_TEXT - 1)); return;
    case REMOTE_WRITE: take_bytes(w[0], question->bytes); return;
    case REMOTE_RUN: run_function(w); return;
    case REMOTE_SHARE: done.words[0] = share(w[0], w[1]); break;
    case REMOTE_UNSHARE: stop_sharing(w[0], w[1]); break;
    case REMOTE_PROTECT: mprotect(at(w[0]), w[1], (int)w[2]); return;
    case REMOTE_VIEW: mprotect(at(w[0]), w[1], w[2] ? PROT_READ | PROT_WRITE : PROT_NONE); return;
    case REMOTE_FLUSH: fflush(stdout); break;
    case REMOTE_WATCH: done.words[0] = cudart_calls_watch(program.base, program.size); break;
    default: give_up();
    }
    say(channel, &done, NULL);
}

// Says it and does what is asked for until the result comes.
static uint64_t ask(const remote_message *message) {
    remote_message heard;
    say(channel, message, NULL);
    for (;;) {
        if (!remote_receive(channel, &heard)) give_up();
        if (heard.kind == REMOTE_RESULT) return heard.words[0];
        answer_question(&heard);
    }
}

// ---- channels -----------------------------------------------------------------------------------------------------

static void close_channel(void *opened) {
    if (channel >= 0) close(channel);
    channel = -1;
}

static bool open_channel(void) {
    int ends[2];
    remote_message heard;
    remote_greeting greeting = {.bias = cudart_program_bias(),
                                .is_per_thread = cudart_has_per_thread_default()};
    if (program.door < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) return false;
    bool met = remote_greet(program.door, &greeting, ends[1]);
    close(ends[1]);
    met = met && remote_receive(ends[0], &heard) && heard.kind == REMOTE_RESULT;
    if (!met) {
        close(ends[0]);
        return false;
    }
    channel = fcntl(ends[0], F_DUPFD_CLOEXEC, REMOTE_FIRST_FD);
    if (channel < 0)
        channel = ends[0];
    else
        close(ends[0]);
    program.base = heard.words[0];
    program.size = heard.words[1];
    pthread_setspecific(program.ends, &program);
    return true;
}

static uint64_t call(unsigned which, const uint64_t words[REMOTE_WORDS], const void *caller) {
    if (!program.is_open || (channel < 0 && !open_channel())) return FAILED;
    const void *written = cudart_configuration_caller();
    if (written) caller = written; // of the kernel's stub, otherwise
    remote_message message = {.kind = REMOTE_CALL, .call = which, .caller = (uint64_t)(uintptr_t)caller};
    memcpy(message.words, words, sizeof message.words);
    int before = errno;
    uint64_t result = ask(&message);
    errno = before;
    return result;
}

// ---- the processor stops, the system looks ------------------------------------------------------------------------

static bool is_in_range(uint64_t address) {
    return address >= program.base && address - program.base < program.size;
}

void cudart_pages_look(uint64_t address, uint64_t bytes, bool is_write) {
    ask(&(remote_message){.kind = REMOTE_LOOK, .words = {address, bytes, is_write}});
}

void cudart_pages_close(uint64_t address, uint64_t bytes) {
    ask(&(remote_message){.kind = REMOTE_CLOSE, .words = {address, bytes}});
}

static void die(int signal_number) {
    signal(signal_number, SIG_DFL);
    raise(signal_number); // taken when the handler returns
}

static void on_signal(int signal_number, siginfo_t *info, void *context) {
    uint64_t address = (uint64_t)(uintptr_t)info->si_addr;
    if (channel < 0 && (!program.is_open || !open_channel())) {
        die(signal_number);
        return;
    }
    if (signal_number == SIGSYS && cudart_calls_stopped(info, context)) return;
    if (signal_number == SIGTRAP && ask(&(remote_message){.kind = REMOTE_STEPPED})) {
        cudart_context_step(context, false);
        return;
    }
    if (signal_number == SIGSEGV && info->si_code > 0 && is_in_range(address)) {
        uint64_t stop =
            ask(&(remote_message){.kind = REMOTE_STOPPED,
                                  .words = {address, (uint64_t)cudart_context_touch(context),
                                            (uint64_t)(uintptr_t)cudart_context_instruction(context)}});
        if (stop == CUDART_STOP_STEP) cudart_context_step(context, true);
        if (stop != CUDART_STOP_FOREIGN) return;
    }
    die(signal_number);
}

// ---- opening ------------------------------------------------------------------------------------------------------

static void watch_signals(void) {
    static const int watched[] = {SIGSEGV, SIGTRAP, SIGSYS};
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof watched / sizeof *watched; i++) sigaction(watched[i], &action, NULL);
}

__attribute__((constructor)) static void open_program(void) {
    const char *text = getenv(REMOTE_VARIABLE);
    int view = -1;
    program.door = program.shared = -1;
    pthread_mutex_init(&program.lock, NULL);
    pthread_key_create(&program.ends, close_channel);
    if (!text || sscanf(text, "%d,%d,%d", &program.door, &view, &program.shared) != 3) {
        fprintf(stderr, "kz: this libcudart is for graded programs, which kz-device starts\n"
                        "  for a program of your own: kz run PROGRAM\n");
        return;
    }
    program.is_open = open_channel();
    if (!program.is_open) return;
    if (program.size && mmap(at(program.base), program.size, PROT_NONE,
                             MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_NORESERVE, view, 0) != at(program.base)) {
        fprintf(stderr, "kz: the device's addresses are taken in this process\n");
        program.is_open = false;
    }
    watch_signals();
}

// ---- the calls ----------------------------------------------------------------------------------------------------

// The first words are in registers, the others where the caller put them: as many as any call has.
#define PARAMETERS                                                                                           \
    uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g, uint64_t h,          \
        uint64_t i, uint64_t j
#define WORDS ((const uint64_t[REMOTE_WORDS]){a, b, c, d, e, f, g, h, i, j})

#define REMOTE(name, ...)                                                                                    \
    uint64_t name(PARAMETERS);                                                                               \
    uint64_t name(PARAMETERS) { return call(REMOTE_##name, WORDS, __builtin_return_address(0)); }
#define REMOTE_OF_TEXT(name)
#define REMOTE_TWIN(name, suffix) extern __typeof__(name) name##suffix __attribute__((alias(#name)));
#include "calls.def"
#undef REMOTE
#undef REMOTE_OF_TEXT
#undef REMOTE_TWIN

const char *cudaGetErrorName(int error);
const char *cudaGetErrorName(int error) {
    call(REMOTE_cudaGetErrorName, (const uint64_t[REMOTE_WORDS]){(uint64_t)error}, NULL);
    return cudart_error_name(error);
}

const char *cudaGetErrorString(int error);
const char *cudaGetErrorString(int error) {
    call(REMOTE_cudaGetErrorString, (const uint64_t[REMOTE_WORDS]){(uint64_t)error}, NULL);
    return cudart_error_text(error);
}

typedef struct channel_format {
    int bits[4];
    unsigned kind;
} channel_format;

channel_format cudaCreateChannelDesc(int x, int y, int z, int w, unsigned kind);
channel_format cudaCreateChannelDesc(int x, int y, int z, int w, unsigned kind) {
    return (channel_format){{x, y, z, w}, kind};
}
