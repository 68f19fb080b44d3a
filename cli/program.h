// Whole CUDA programs: builds one, and runs it as a process of its own on the simulator.
//
// The program loads the runtime library of src/cudart in place of NVIDIA's, from the folder lib/kz-cudart
// beside kz's own. What it is to do there is told by variables: KZ_GPU, KZ_OBSERVE, KZ_SESSION, KZ_SEED,
// KZ_TIMEOUT (docs/whole_programs.md). Its output goes where kz's own goes.
#ifndef CLI_PROGRAM_H
#define CLI_PROGRAM_H

#include "cli.h"

enum { CLI_PROGRAM_PATH = 1024 };

typedef struct cli_program {
    const char *const *files; // .cu (and .cpp, .c, .o ...) to be built together, or one executable
    size_t file_count;
    char *const *arguments; // the program's own
    size_t argument_count;
    const char *gpu; // as device_gpu_choose takes it
    const char *const *nvcc_flags;
    size_t nvcc_flag_count;
    const char *observe; // the words of KZ_OBSERVE; NULL: no instruments
    const char *session; // the folder for the record; NULL: one is made where `observe` is given
    uint64_t seed;       // 0: the plain order
    double timeout;      // seconds; 0: none
    int output;          // what the program's stdout becomes; 0: kz's own. stderr stays.
    int input;           // what its stdin becomes; 0: kz's own
    int answer;          // what its descriptor 3 becomes; 0: none
    const char *const *const *file_flags; // of toolchain_program; may be NULL
    const char *const *environment;       // more variables, "NAME=value", ends with NULL; may be NULL
} cli_program;

typedef struct cli_program_result {
    int exit_code; // the program's own; 128 + signal where one ended it; 124 after the time allowed
    int signal;    // 0 where it ended by itself
    bool timed_out;
    double seconds;                 // of the program, without building it
    char session[CLI_PROGRAM_PATH]; // the folder with record.jsonl and module-<n>.ptx; "" without instruments
    bool own_session;               // it was made by cli_program_run
    char executable[CLI_PROGRAM_PATH];
} cli_program_result;

// Builds (through the cache), runs and waits. An error means that the program could not be run at all: it
// does not compile, is no program, has NVIDIA's runtime inside. How it ended is in `result`.
kz_status cli_program_run(const cli_program *program, cli_program_result *result, kz_error *error);
// Removes the session folder where it was made for this run.
void cli_program_discard(cli_program_result *result);
// One sentence on stderr about an end by a signal or after the time allowed; nothing for an ordinary end.
void cli_program_explain_end(const cli_program_result *result);

// "2.5": seconds above zero.
kz_status cli_program_seconds(const char *text, double *seconds, kz_error *error);

// Whether `word` names a whole program: a .cu file that has a main of its own, or an executable file.
bool cli_program_is(const char *word);
// Whether a main stands in this source, as far as its text tells.
bool cli_program_has_main(const char *source);

// Parts a command line: kz's own options (and the verb) stay in argv[0 .. own), then come the files of the
// program and its arguments. "--" ends what is kz's wherever it stands; without one, all after the files is
// the program's. `files` gets at most `most` of the words that end in a source's suffix.
typedef struct cli_program_words {
    int own;          // argv[0 .. own) is for cli_parse
    cli_list files;   // the program
    char **arguments; // NULL-terminated, as main got them
    size_t argument_count;
    bool parted; // by "--"
} cli_program_words;
kz_status cli_program_split(const cli_command *command, int argc, char **argv, size_t most,
                            cli_program_words *words, kz_error *error);
// A note on stderr where a word for the program is called like an option of the command, and no "--" says
// that this is meant.
void cli_program_note_options(const cli_command *command, const cli_program_words *words);

#endif
