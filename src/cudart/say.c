// What the runtime has to say, on stderr. A message that comes again from the same call of the program, with perhaps other
// numbers in it, is a loop's: it is counted, and the count is told at the end.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runtime.h"

enum { KEPT = 64, FIRST_LINE = 200 }; // messages that are told apart; what comes after them is said each time

typedef struct message {
    uint64_t key;
    unsigned repeated;
    char first_line[FIRST_LINE];
} message;

static struct {
    message list[KEPT];
    size_t count;
} said; // under the runtime's lock

// Of the text without its numbers, and of where the program called.
static uint64_t key_of(const char *text) {
    uint64_t key = base_hash(BASE_HASH, &cudart.caller, sizeof cudart.caller);
    while (*text) {
        size_t number = strspn(text, text[0] == '0' && text[1] == 'x' ? "0123456789abcdefx" : "0123456789");
        if (number == 0) key = base_hash(key, text, number = 1);
        text += number;
    }
    return key;
}

// Whether it is to be said: it is new.
static bool keep(const char *text) {
    uint64_t key = key_of(text);
    for (size_t i = 0; i < said.count; i++)
        if (said.list[i].key == key) return said.list[i].repeated++, false;
    if (said.count == KEPT) return true;
    message *m = &said.list[said.count++];
    *m = (message){.key = key};
    snprintf(m->first_line, sizeof m->first_line, "%.*s", (int)strcspn(text, "\n"), text);
    return true;
}

void cudart_say(const char *format, ...) {
    char text[6000];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    pthread_mutex_lock(&cudart.lock);
    bool is_new = keep(text);
    pthread_mutex_unlock(&cudart.lock);
    if (!is_new) return;
    cudart.host->flush();
    fprintf(stderr, "kz: %s\n", text);
}

void cudart_say_repeated(void) {
    for (size_t i = 0; i < said.count; i++) {
        message *m = &said.list[i];
        if (m->repeated)
            fprintf(stderr, "kz: %u time%s more: %s\n", m->repeated, m->repeated == 1 ? "" : "s",
                    m->first_line);
        m->repeated = 0;
    }
}

cudaError_t cudart_misuse(cudaError_t error, const char *format, ...) {
    observe_finding finding = {.kind = OBSERVE_INVALID_CALL, .place = (uint64_t)(uintptr_t)cudart.caller};
    char words[sizeof finding.text], caller[128];
    va_list list;
    va_start(list, format);
    vsnprintf(words, sizeof words, format, list);
    va_end(list);
    size_t first = strcspn(words, "\n");
    bool is_named = cudart.session && cudart_function_at(cudart.caller, caller, sizeof caller);
    snprintf(finding.text, sizeof finding.text, "%.*s%s%s%s", (int)first, words,
             is_named ? "\ncalled in " : "", is_named ? caller : "", words + first);
    base_text lines = {0};
    for (const char *at = finding.text; *at; at += strcspn(at, "\n"), at += *at == '\n')
        base_text_add(&lines, "%s%.*s", at == finding.text ? "" : "\n  ", (int)strcspn(at, "\n"), at);
    cudart_say("%s", lines.data ? lines.data : finding.text);
    base_text_free(&lines);
    if (cudart.session) observe_findings_add(observe_session_findings(cudart.session), &finding);
    return error;
}
