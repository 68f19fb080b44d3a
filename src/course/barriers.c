// See barriers.h. One pass over the words: which names hold what depends on the thread, which braces a condition on such
// a name stands before.
#include "barriers.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source_text.h"

enum { NAMES = 64, DEPTH = 64 };

typedef struct scope {
    int branch;      // the line of the condition on a thread that it stands behind; 0: none
    bool is_braced;  // else it ends with its statement
    int parentheses; // open where it began
} scope;

typedef struct scan {
    const char *at;
    int line, parentheses;
    const char *names[NAMES]; // with their lengths: what depends on the thread
    size_t lengths[NAMES], name_count;
    scope scopes[DEPTH];
    size_t depth;
    int last_branch; // of the if that ended last, for its else
    int returned;    // the branch that some threads of this function have returned in; 0: none
} scan;

static size_t word_length(const char *at) {
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_') length++;
    return isdigit((unsigned char)*at) ? 0 : length;
}

static bool is_word(const char *at, size_t length, const char *word) {
    return strlen(word) == length && strncmp(at, word, length) == 0;
}

// "blockIdx.y" says nothing of a variable y.
static bool is_of_the_launch(const char *at, size_t length) {
    return is_word(at, length, "blockIdx") || is_word(at, length, "blockDim") ||
           is_word(at, length, "gridDim");
}

static bool depends(const scan *s, const char *from, const char *to) {
    for (const char *at = from; at < to;) {
        size_t length = word_length(at);
        if (is_word(at, length, "threadIdx") || is_word(at, length, "thread_rank")) return true;
        if (is_of_the_launch(at, length)) length += at[length] == '.' ? 2 : 0;
        for (size_t i = 0; length && i < s->name_count; i++)
            if (s->lengths[i] == length && strncmp(at, s->names[i], length) == 0) return true;
        at += length ? length : 1;
    }
    return false;
}

// "i = threadIdx.x + 1;": from the name on, where an assignment follows it.
static void note_assignment(scan *s, const char *name, size_t length) {
    const char *at = name + length + strspn(name + length, " \t\n");
    if (*at && strchr("+-*/%&|^", *at) && at[1] == '=') at++;
    if (*at != '=' || at[1] == '=') return;
    const char *end = ++at;
    for (int open = 0; *end && *end != ';' && (open > 0 || *end != ','); end++)
        if (*end == '(')
            open++;
        else if (*end == ')' && open-- == 0)
            break;
    if (s->name_count == NAMES || !depends(s, at, end)) return;
    s->names[s->name_count] = name;
    s->lengths[s->name_count++] = length;
}

static const char *end_of_parentheses(const char *at) {
    int open = 0;
    for (; *at; at++)
        if (*at == '(')
            open++;
        else if (*at == ')' && --open == 0)
            return at + 1;
    return at;
}

static void push(scan *s, int branch) {
    const char *body = s->at + strspn(s->at, " \t\r\n");
    if (s->depth == DEPTH) return;
    s->scopes[s->depth++] = (scope){branch, *body == '{', s->parentheses};
    for (; s->at < body; s->at++) s->line += *s->at == '\n';
    s->at += *body == '{';
}

// Ends the scope on top, and with it those without braces that it was the statement of.
static void pop(scan *s) {
    bool again = s->depth > 0;
    while (again) {
        s->last_branch = s->scopes[--s->depth].branch;
        again = s->depth > 0 && !s->scopes[s->depth - 1].is_braced;
    }
}

// "if (...)", "for (...)", "while (...)": its body is a scope. What a for assigns counts before its condition.
static void enter(scan *s, const char *word, size_t length) {
    const char *from = word + length, *end = end_of_parentheses(from);
    int line = s->line;
    for (s->at = from; s->at < end;) {
        size_t name = word_length(s->at);
        if (name) note_assignment(s, s->at, name);
        s->line += *s->at == '\n';
        s->at += name ? name : 1;
    }
    push(s, depends(s, from, end) ? line : 0);
}

static int branch_around(const scan *s) {
    for (size_t i = s->depth; i-- > 0;)
        if (s->scopes[i].branch) return s->scopes[i].branch;
    return 0;
}

static void take_mark(scan *s) {
    const scope *top = s->depth ? &s->scopes[s->depth - 1] : NULL;
    char c = *s->at++;
    s->line += c == '\n';
    s->parentheses += (c == '(') - (c == ')');
    if (c == '{' && s->depth < DEPTH)
        s->scopes[s->depth++] = (scope){.is_braced = true, .parentheses = s->parentheses};
    if (c == '}') pop(s);
    if (c == '}' && s->depth == 0) s->returned = 0, s->name_count = 0; // the function ends, and its names
    if (c == ';' && top && !top->is_braced && s->parentheses == top->parentheses) pop(s);
}

course_barrier course_find_barrier(const char *bare) {
    scan s = {.at = bare, .line = 1};
    while (*s.at) {
        size_t length = word_length(s.at);
        const char *word = s.at;
        if (!length) {
            take_mark(&s);
            continue;
        }
        s.at += length;
        if (is_word(word, length, "if") || is_word(word, length, "for") || is_word(word, length, "while"))
            enter(&s, word, length);
        else if (is_word(word, length, "else"))
            push(&s, s.last_branch);
        else if (strncmp(word, "__syncthreads", 13) == 0 && branch_around(&s))
            return (course_barrier){s.line, branch_around(&s), false};
        else if (strncmp(word, "__syncthreads", 13) == 0 && s.returned)
            return (course_barrier){s.line, s.returned, true};
        else if (is_word(word, length, "return") && !s.returned)
            s.returned = branch_around(&s);
        else
            note_assignment(&s, word, length);
    }
    return (course_barrier){0};
}

void course_verdict_add_barrier(course_verdict *verdict, const char *file, const char *source) {
    char *bare = course_bare_source(source), summary[160];
    course_barrier found = bare ? course_find_barrier(bare) : (course_barrier){0};
    free(bare);
    if (!found.line || (!verdict->passed && !found.is_after)) return; // the sanitizer has told of the others
    snprintf(summary, sizeof summary, "%.80s:%d: a barrier that not all threads of the block come to",
             base_file_name(file), found.line);
    base_text detail = {0};
    if (found.is_after)
        base_text_add(
            &detail,
            "the threads that take the branch of line %d have returned before it\nlikely: %s\nnext: let "
            "all threads come to it: if (...) load, else store a neutral value; __syncthreads(); guard "
            "what is after it too\n",
            found.branch,
            verdict->passed
                ? "it went well here because nobody needed what they would have stored; a barrier "
                  "waits only for threads that have not ended"
                : "the others read what these never stored: a barrier waits only for threads that "
                  "have not ended");
    else
        base_text_add(
            &detail,
            "it is inside of the branch of line %d, whose condition depends on the thread\nlikely: it "
            "went well here because the other threads had ended or waited too; CUDA promises nothing "
            "then\nnext: take the barrier out: if (...) load; __syncthreads(); if (...) use\n",
            found.branch);
    base_text_add(&detail, "read: kz learn read execution_model#barriers");
    course_verdict_add(verdict, "note", COURSE_NOT_DONE, COURSE_PASSED, NULL, summary, detail.data);
    base_text_free(&detail);
}
