// A program that speaks to kz-device itself, and means it ill: handles of nothing, calls in the middle of calls, answers
// that were not asked for, descriptors that are no sockets. Prints what it got; kz-device must live to the end.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cudart/remote/channel.h"

static int door, view, shared;
static uint64_t slot;        // what calls give goes here
static remote_message inner; // said in place of the next answer
static uint64_t inner_result;

static int knock(int with) {
    remote_greeting greeting = {0};
    remote_message heard;
    int ends[2];
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    remote_greet(door, &greeting, with >= 0 ? with : ends[1]);
    close(ends[1]);
    if (with >= 0 || !remote_receive(ends[0], &heard)) {
        close(ends[0]);
        return -1;
    }
    return ends[0];
}

static uint64_t call(int channel, unsigned which, const uint64_t words[REMOTE_WORDS]);

// Answers by what is in our own memory; false: the channel is gone.
static bool answer(int channel, const remote_message *question) {
    remote_message done = {.kind = REMOTE_ANSWER, .words = {1}};
    const uint64_t *w = question->words;
    if (inner.kind == REMOTE_CALL && inner.words[REMOTE_WORDS - 1]) {
        remote_message now = inner;
        inner.words[REMOTE_WORDS - 1] = 0;
        inner_result = call(channel, now.call, now.words);
    }
    if (question->kind == REMOTE_WRITE)
        return remote_take(channel, (void *)(uintptr_t)w[0], question->bytes) &&
               remote_send(channel, &done, NULL);
    if (question->kind == REMOTE_READ) {
        done.bytes = w[1];
        return remote_send(channel, &done, (void *)(uintptr_t)w[0]);
    }
    return remote_send(channel, &done, NULL);
}

static uint64_t call(int channel, unsigned which, const uint64_t words[REMOTE_WORDS]) {
    remote_message message = {.kind = REMOTE_CALL, .call = which}, heard;
    memcpy(message.words, words, sizeof message.words);
    bool here = remote_send(channel, &message, NULL);
    while (here && (here = remote_receive(channel, &heard)) && heard.kind != REMOTE_RESULT)
        here = answer(channel, &heard);
    return here ? heard.words[0] : UINT64_MAX;
}

#define CALL(channel, name, ...) call(channel, REMOTE_##name, (const uint64_t[REMOTE_WORDS]){__VA_ARGS__})

static uint64_t at(void *pointer) { return (uint64_t)(uintptr_t)pointer; }

static void wrong_handles(int channel) {
    uint64_t graph, node;
    CALL(channel, cudaGraphCreate, at(&slot)), graph = slot;
    printf("a child that is no graph: %lu\n",
           CALL(channel, cudaGraphAddChildGraphNode, at(&slot), graph, 0, 0, 0x1000));
    CALL(channel, cudaGraphAddEmptyNode, at(&slot), graph), node = slot;
    inner = (remote_message){
        .kind = REMOTE_CALL, .call = REMOTE_cudaGraphDestroy, .words = {graph, [REMOTE_WORDS - 1] = 1}};
    printf("a node while its graph is destroyed: %lu", CALL(channel, cudaGraphNodeGetType, node, at(&slot)));
    printf(" %lu\n", inner_result);
    printf("the graph is still there: %lu\n", CALL(channel, cudaGraphDestroy, graph));
}

// The graph of a capture takes the place of one that was destroyed, so its handle is known.
static void capture(int channel) {
    uint64_t stream, graph;
    CALL(channel, cudaStreamCreate, at(&slot)), stream = slot;
    CALL(channel, cudaGraphCreate, at(&slot)), graph = slot;
    CALL(channel, cudaGraphDestroy, graph);
    CALL(channel, cudaStreamBeginCapture, stream, 2);
    printf("a captured graph: %lu\n", CALL(channel, cudaGraphDestroy, graph));
    CALL(channel, cudaStreamDestroy, stream);
    CALL(channel, cudaMalloc, at(&slot), 64);
    printf("after a captured stream has gone: %lu\n", CALL(channel, cudaMemset, slot, 0, 64));
    printf("more than there is: %lu\n", CALL(channel, cudaMemset, slot, 0, UINT64_C(1) << 46));
    printf("host memory around it: %lu\n", CALL(channel, cudaHostRegister, slot - 4096, 8192));
    printf("host memory beyond all: %lu\n",
           CALL(channel, cudaHostRegister, (UINT64_C(1) << 47) - 4096, 1 << 20));
}

static void nonsense(void) {
    remote_message bytes = {.kind = REMOTE_ANSWER, .bytes = UINT64_MAX, .words = {1}}, heard;
    int file = open("/dev/null", O_RDWR), ends[2];
    for (int i = 0; i < 3; i++) knock(i == 0 ? file : i == 1 ? shared : view);
    if (pipe(ends) == 0) knock(ends[0]), knock(ends[1]);
    int channel = knock(-1);
    remote_message asks = {.kind = REMOTE_CALL, .call = REMOTE_cudaGetDevice, .words = {at(&slot)}};
    remote_send(channel, &asks, NULL);
    remote_receive(channel, &heard);
    remote_send(channel, &bytes, NULL);
    printf("an answer without end: %d\n", remote_receive(channel, &heard));
    printf("the memory that both have: %d %d\n", ftruncate(shared, 0), ftruncate(view, 0));
}

// Each question is answered by an access that asks again.
static void ask_without_end(int channel, uint64_t device) {
    remote_message stopped = {.kind = REMOTE_STOPPED, .words = {device, 1, 0}}, heard = {0};
    for (int i = 0; i < 100000; i++)
        if (!remote_send(channel, &stopped, NULL) || !remote_receive(channel, &heard)) break;
    printf("questions without end: %d\n",
           remote_send(channel, &stopped, NULL) && remote_receive(channel, &heard));
}

int main(void) {
    const char *text = getenv(REMOTE_VARIABLE);
    if (!text || sscanf(text, "%d,%d,%d", &door, &view, &shared) != 3) return 1;
    int channel = knock(-1);
    wrong_handles(channel);
    capture(channel);
    nonsense();
    ask_without_end(knock(-1), slot);
    printf("it still serves: %lu\n", CALL(channel, cudaGetDevice, at(&slot)));
    fflush(stdout);
    return 5;
}
