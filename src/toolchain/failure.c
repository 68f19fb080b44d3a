// Why a compiler failed: the source's fault, or the machine's. A learner whose disk is full has made no mistake in
// the program, and is not helped by looking for one.
#include "toolchain/internal.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

typedef struct trouble {
    const char *words; // of the compiler or a program that it starts
    kz_status status;
    const char *what, *next;
} trouble;

#define MACHINE "this is about the machine, not about what is in the file"
static const char FULL[] = "the disk is full", NO_HOST[] = "there is no usable host compiler (gcc, g++)",
                  NO_MEMORY[] = "there was not enough memory for it",
                  CANNOT_WRITE[] = "it cannot write its temporary files";

// Of nvcc, whatever the host compiler has died of.
#define UNCLEAR "Failed to preprocess host compiler properties"
#define FREE    "free some space, or set TMPDIR to a folder on another disk, and try again"
#define WRITE   "set TMPDIR to a folder that can be written (kz doctor shows what there is), and try again"
#define MEMORY  "close other programs or raise the limit (ulimit -v), and try again"
#define INSTALL "install it (sudo apt-get install g++), or put it into the PATH; kz doctor looks for it"

static const trouble troubles[] = {
    {"No space left on device", KZ_IO, FULL, FREE},
    {"Disk quota exceeded", KZ_IO, FULL, FREE},
    {"File size limit exceeded", KZ_IO, CANNOT_WRITE, WRITE},
    {"Could not open output file", KZ_IO, CANNOT_WRITE, WRITE},
    {"Cannot create temporary file", KZ_IO, CANNOT_WRITE, WRITE},
    {"Read-only file system", KZ_IO, CANNOT_WRITE, WRITE},
    {"died due to signal 9", KZ_NO_MEMORY, "it was killed, as the system does when memory runs out", MEMORY},
    {"Killed signal terminated program", KZ_NO_MEMORY,
     "it was killed, as the system does when memory runs out", MEMORY},
    {"out of memory", KZ_NO_MEMORY, NO_MEMORY, MEMORY},
    {"virtual memory exhausted", KZ_NO_MEMORY, NO_MEMORY, MEMORY},
    {"Cannot allocate memory", KZ_NO_MEMORY, NO_MEMORY, MEMORY},
    {"gcc: No such file", KZ_NOT_FOUND, NO_HOST, INSTALL},
    {"gcc: not found", KZ_NOT_FOUND, NO_HOST, INSTALL},
    {"g++: No such file", KZ_NOT_FOUND, NO_HOST, INSTALL},
    {"g++: not found", KZ_NOT_FOUND, NO_HOST, INSTALL},
    {UNCLEAR, KZ_NOT_FOUND, "the host compiler (gcc, g++) is missing or does not work",
     "see what g++ --version says, and whether space, memory and limits (ulimit -a) suffice"},
    {"Cannot find compiler", KZ_NOT_FOUND, NO_HOST, INSTALL},
    {"cannot execute", KZ_NOT_FOUND, NO_HOST, INSTALL},
    {"error trying to exec", KZ_NOT_FOUND, NO_HOST, INSTALL},
    {"unsupported GNU version", KZ_NOT_FOUND, "the host compiler (gcc) is too new for this nvcc",
     "install an older gcc and name it: NVCC_PREPEND_FLAGS=\"-ccbin g++-13\""},
};

// The end of the first "FILE:3" or "FILE(3)" of a line, with a column where it has one; 0 where it has none.
static size_t end_of_place(const char *line, size_t length) {
    for (size_t i = 1; i < length; i++) {
        bool is_bracket = line[i] == '(';
        if (line[i - 1] == ' ' || !(is_bracket || line[i] == ':')) continue;
        size_t digits = strspn(line + i + 1, "0123456789"), end = i + 1 + digits;
        if (!digits || (is_bracket && line[end] != ')')) continue;
        size_t column = line[end] == ':' ? strspn(line + end + 1, "0123456789") : 0;
        return is_bracket ? end + 1 : column ? end + 1 + column : end;
    }
    return 0;
}

static bool begins(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }
static const char WRITING[] = ": fatal error: error writing to ";

// Diagnostics of a source, whether the file itself or a header, say a line of it; what they quote of it is indented.
// Where gcc cannot write, it says where in the source it had come to, and ends with the reason.
static bool is_of_source(const char *line, size_t length, const char *words) {
    if (*line == ' ' || *line == '\t') return true;
    size_t place = end_of_place(line, length), size = strlen(words);
    if (!place) return false;
    return !begins(line + place, WRITING) || !begins(line + length - size, words);
}

// Names of the source stand in quotes: a linker misses a function that may be called anything.
static bool is_quoted(const char *line, const char *words) {
    bool is_open = false;
    for (; line < words; line++) is_open ^= *line == '\'' || *line == '`' || *line == '"';
    return is_open;
}

static bool is_source_error(const char *line, size_t length) {
    size_t place = end_of_place(line, length);
    const char *rest = line + place;
    return place && !begins(rest, WRITING) && (begins(rest, ": error: ") || begins(rest, ": fatal error: "));
}

// nvcc counts the errors that it found in the source. Beside them a wrapper around it may complain of its own cache.
static bool counts_errors(const char *said) {
    static const char catastrophic[] = "catastrophic error", *const counts[] = {
                                                                 " error detected in the compilation",
                                                                 " errors detected in the compilation"};
    for (size_t i = 0; i < BASE_COUNT(counts); i++)
        if (strstr(said, counts[i]) && !strstr(said, catastrophic)) return true;
    return false;
}

static const trouble *find_in_words(const char *said) {
    const trouble *found = NULL;
    if (counts_errors(said)) return NULL;
    for (const char *line = said; *line;) {
        size_t length = strcspn(line, "\n");
        if (is_source_error(line, length)) return NULL; // gcc does not count them
        for (size_t i = 0; i < BASE_COUNT(troubles); i++) {
            const char *words = troubles[i].words, *at = strstr(line, words);
            bool is_said = at && at < line + length;
            if (is_said && !found && !is_of_source(line, length, words) && !is_quoted(line, at))
                found = &troubles[i];
        }
        line += length + (line[length] == '\n');
    }
    return found;
}

// Whether compilers have no room for their temporary files.
static bool is_full(void) {
    enum { LEAST = 256 << 10 };
    const char *folder = getenv("TMPDIR");
    struct statvfs about;
    return statvfs(folder && *folder ? folder : "/tmp", &about) == 0 &&
           about.f_bavail * (uint64_t)about.f_frsize < LEAST;
}

static const trouble *find_in_code(int code) {
    static const trouble killed = {"", KZ_NO_MEMORY, "it was killed, as the system does when memory runs out",
                                   MEMORY},
                         too_large = {"", KZ_IO, "it may not write files of the size that it needs",
                                      "raise the limit (ulimit -f unlimited), and try again"},
                         too_long = {"", KZ_LIMIT, "it used up the processor time that it was allowed",
                                     "raise the limit (ulimit -t unlimited), and try again"},
                         crashed = {
                             "", KZ_NO_MEMORY, "it crashed: its own fault, or too little memory",
                             "try again with more memory; if it crashes again, take the last change back"};
    switch (code - 128) {
    case SIGKILL:
    case SIGTERM:
    case SIGHUP: return &killed;
    case SIGXFSZ: return &too_large;
    case SIGXCPU: return &too_long;
    case SIGSEGV:
    case SIGBUS:
    case SIGABRT: return &crashed;
    default: return NULL;
    }
}

kz_status toolchain_fail_tool(kz_error *error, const char *tool, const char *what, const char *source,
                              int code, const base_text *said) {
    const trouble *found = find_in_words(said->data ? said->data : "");
    if (!found) found = find_in_code(code);
    if (found && strcmp(found->words, UNCLEAR) == 0 && is_full()) found = &troubles[0];
    if (!found) return toolchain_fail_output(error, what, said);
    char line[TOOLCHAIN_PATH + 256];
    snprintf(line, sizeof line, "%s could not do its work on %.800s: %s", tool, source, found->what);
    toolchain_fail_output(error, line, said);
    base_fail_note(error, MACHINE);
    base_fail_note(error, "what to do: %s", found->next);
    if (error) error->status = found->status;
    return found->status;
}

bool toolchain_lacks_compiler(const kz_error *error) {
    return error->status == KZ_NOT_FOUND &&
           (strstr(error->message, MACHINE) || strstr(error->message, TOOLCHAIN_NO_CC));
}
