// The command kz: one table of verbs, one file cmd_<verb>.c each.
//
// A verb exports one constant `cli_command cli_command_<verb>` and has one row in verbs.def. Its
// options are a table that gives the parser, the help page and the completion alike. A verb prints
// its results on stdout, everything else on stderr, and returns one of the exit codes below.
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "base/base.h"

// ---- exit codes -------------------------------------------------------------------------------

typedef enum cli_exit {
#define CLI_EXIT(name, value, text) CLI_##name = value,
#include "exits.def"
#undef CLI_EXIT
} cli_exit;

cli_exit cli_exit_of(kz_status status);
// settings.c: an error where a variable of the environment has a value that cannot be.
kz_status cli_check_settings(kz_error *error);
// Prints the error on stderr, "kz: " before its first line, and gives the exit code that belongs to it.
int cli_fail(const kz_error *error);
// The same for an error that has no kz_error: a wrong command line and the like.
int cli_fail_with(kz_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Where a process ends: output that was lost is never a success. A full disk shows here at the latest.
int cli_check_output(int code);
// Makes the folder that the file is to lie in, and says so on stderr where it is new. "folder/" is a file in
// folder.
kz_status cli_make_folder_of(const char *path, kz_error *error);

// ---- options ----------------------------------------------------------------------------------

typedef enum cli_option_kind {
    CLI_FLAG,    // bool
    CLI_TEXT,    // const char *
    CLI_LIST,    // cli_list: may be repeated
    CLI_INTEGER, // cli_integer: decimal or 0x
    CLI_SECONDS, // double, above 0: 2.5; zeroed where it is not given
    CLI_OUTPUT,  // cli_output: --json, --json=PATH, or --json PATH where PATH looks like a file
} cli_option_kind;
bool cli_takes_value(cli_option_kind kind); // else it is a flag, or its value may be left out

enum { CLI_LIST_CAPACITY = 64 };

typedef struct cli_list {
    const char *items[CLI_LIST_CAPACITY];
    size_t count;
} cli_list;

typedef struct cli_integer {
    bool given;
    int64_t value;
} cli_integer;

typedef struct cli_output {
    bool given;
    const char *path; // NULL: stdout
} cli_output;

typedef struct cli_option {
    const char *name; // "device", without the dashes; NULL ends the table
    cli_option_kind kind;
    size_t offset;        // of the field in the verb's struct of options
    const char *argument; // "ID", for the help page; NULL for a flag
    const char *text;     // one line for the help page
} cli_option;
// Whether a word is a file that this option writes, by its suffix: x.svg for --svg, x.json and x.jsonl for --json.
bool cli_names_output(const cli_option *option, const char *word);

typedef struct cli_command cli_command;
struct cli_command {
    const char *usage;    // "kz check [FAMILY[/VARIANT]] [OPTIONS]"; more forms on more lines
    const char *about;    // paragraphs, wrapped by hand at 100 columns
    const char *examples; // lines "command   what it does"
    const cli_option *options;
    int (*run)(const cli_command *self, int argc, char **argv); // argv[0] is the verb
};

// Fills the struct of options (zeroed by the caller) and the list of other words. argv[0] is skipped.
kz_status cli_parse(const cli_command *command, int argc, char **argv, void *options, cli_list *words,
                    kz_error *error);
// The same for a command that takes no other words.
kz_status cli_parse_options(const cli_command *command, int argc, char **argv, void *options,
                            kz_error *error);
// The words of lists with commas, "cub,torch" and "liger": they lie in `kept`, which the caller frees.
kz_status cli_split(const cli_list *lists, base_text *kept, cli_list *words, kz_error *error);
void cli_print_help(const cli_command *command);

// ---- interruption -----------------------------------------------------------------------------

// After cli_catch_interrupts, the first SIGINT or SIGTERM makes cli_interrupted true; the second ends the
// process, unless it comes with the first.
void cli_catch_interrupts(void);
bool cli_interrupted(void);
// Where the records are: told where an interruption ends the process at once. The path must stay; NULL: none are kept.
void cli_keep_in_mind(const char *path);
// Once what was interrupted has ended: says what stopped it, `began` (base_seconds) being its beginning, and gives the
// report all the time it takes. False where nothing did.
bool cli_report_interruption(double began, char *text, size_t size);

// ---- the verbs --------------------------------------------------------------------------------

typedef struct cli_verb {
    const char *name, *text; // text: one line for the help page; NULL: for programs, not in it
    const cli_command *command;
} cli_verb;
extern const cli_verb cli_verbs[];
extern const size_t cli_verb_count;

#define CLI_VERB(name, text) extern const cli_command cli_command_##name;
#include "verbs.def"
#undef CLI_VERB

// The verbs of kz learn for people who write tasks (cmd_learn_author.c); argv[0] is the verb.
int cli_learn_author(int argc, char **argv);

#endif
