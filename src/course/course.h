// course: tasks, paths and items as data; the grader that judges a learner's file; what the runner shows.
//
// Everything that can be learnt is a folder (docs/tasks.md says how one is written). Loading gives a catalogue:
// one arena, read only. Grading takes a task and a file and gives a verdict: rows of checks in words. A
// submission never runs in this process: a child gets the inputs and gives back outputs, and only this side
// knows the right answer. Nothing here prints or exits; cli/cmd_learn.c and its kin do.
#ifndef COURSE_COURSE_H
#define COURSE_COURSE_H

#include "base/base.h"
#include "family/compare.h"
#include "sandbox/sandbox.h"

enum { COURSE_PATH = 1024, COURSE_PARAMETERS = 12, COURSE_AXES = 6, COURSE_NAME = 64 };

// ---- a task -------------------------------------------------------------------------------------------

typedef enum course_kind { COURSE_CUDA, COURSE_C, COURSE_COMMAND, COURSE_ANSWER } course_kind;
typedef enum course_form { COURSE_KERNEL, COURSE_PROGRAM } course_form;

typedef enum course_role { COURSE_INPUT, COURSE_OUTPUT, COURSE_INOUT, COURSE_SCALAR } course_role;

typedef enum course_scalar {
#define COURSE_SCALAR_TYPE(id, name, bytes, is_float) COURSE_##id,
#include "course/scalars.def"
#undef COURSE_SCALAR_TYPE
    COURSE_SCALAR_COUNT
} course_scalar;
typedef struct course_scalar_type {
    const char *name; // "long long"
    unsigned bytes;
    bool is_float;
} course_scalar_type;
const course_scalar_type *course_scalar_type_of(course_scalar scalar);

// One parameter of the signature.
typedef struct course_parameter {
    const char *name;
    course_role role;
    kz_type type;                  // of a buffer's elements
    course_scalar scalar;          // of a scalar
    int axis;                      // of a scalar: its index among the axes; -1: not an axis
    const char *count;             // of a buffer: elements, an expression
    const char *data;              // of an input: "uniform", "index(bins)", ...
    const char *value;             // of a scalar that is no axis: an expression, or "uniform"
    const char *reference, *bound; // of an output: expressions in C; NULL where reference.c says it
    int fill;                      // of an output: the byte before each launch; -1: poisoned
    const char *on_device;         // of a program's buffer: elements that kernels read or write; NULL: all
} course_parameter;

typedef struct course_case {
    int64_t axes[COURSE_AXES];
    const char *data; // instead of each input's own, for floating-point ones; NULL
    uint32_t misalign;
} course_case;

typedef struct course_gate {
    const char *metric;
    const char *min, *max; // expressions; NULL where there is none
    course_case at;
    const char *why;
} course_gate;

typedef struct course_speed {
    bool given;
    course_case at;
    const char *bytes, *flops; // expressions; one of them
    double peak, solution;     // parts of 1; 0 where not asked for
} course_speed;

typedef struct course_source_rule {
    const char *pattern, *why;
    bool forbid; // else it is required
} course_source_rule;

typedef struct course_common_error {
    const char *value, *says;
} course_common_error;

typedef struct course_answer {
    const char *name, *question;
    const char
        *value;     // an expression over `given`, a word, or words separated by spaces (a list); NULL: found
    bool is_number; // `value` is an expression
    double tolerance;
    const char *const *choices; // ends with NULL; NULL: any
    const char *run, *find;     // found: in the output of this command of the grader's, or
    const char *command;        // of this command of the learner's
    const course_common_error *common;
    size_t common_count;
} course_answer;

typedef struct course_command {
    const char *name;
    const char *const *must; // ends with NULL
    int exit_code;
    double seconds;
} course_command;

typedef struct course_given {
    const char *name;
    double value;
} course_given;

typedef struct course_launch {
    bool given, own, cooperative;
    const char *grid[3], *block[3]; // expressions; NULL: 1
    const char *shared;             // NULL: 0
} course_launch;

typedef struct course_task {
    const char *id, *topic; // a kata's topic is "kata"
    const char *folder;     // absolute
    bool is_kata, is_reading, is_capstone;
    course_kind kind;
    course_form form;
    const char *title, *teaches;
    int level, minutes;
    const char *const *skills, *const *needs; // each ends with NULL
    const char *const *leads_to;              // families of the zoo that go on from here; ends with NULL
    const char *signature;                    // as written; NULL for answer and command
    const char *function;                     // its name
    course_parameter parameters[COURSE_PARAMETERS];
    size_t parameter_count;
    const char *axes[COURSE_AXES + 1]; // names, ends with NULL
    size_t axis_count;
    const course_case *cases;
    size_t case_count;
    course_launch launch;
    const course_gate *gates;
    size_t gate_count;
    course_speed speed;
    const course_source_rule *rules;
    size_t rule_count;
    const course_answer *answers;
    size_t answer_count;
    const course_command *commands;
    size_t command_count;
    const course_given *given; // ends with a NULL name
    const char *const *sanitize_skip;
    double limit_seconds; // 20 where the task says nothing
    uint64_t limit_bytes; // 2 GiB where the task says nothing
    const char *const *build_flags;
    const char *build_sanitize; // "address", "thread", "none"
    const char *extension;      // "cu", "c", "txt"
} course_task;

// One task from its folder, into the arena. KZ_SYNTAX names file, line, and what was expected.
kz_status course_task_load(base_arena *arena, const char *folder, course_task *task, kz_error *error);

// Texts of the folder, malloc'ed. The starter is made from the solution by its marks (markers.c).
kz_status course_task_text(const course_task *task, const char *name, char **text, kz_error *error);
kz_status course_task_solution(const course_task *task, char **text, kz_error *error);
kz_status course_task_starter(const course_task *task, char **text, kz_error *error);
// Hint `number` (from 0) of hints.md; KZ_NOT_FOUND past the last. `count` may be NULL.
kz_status course_task_hint(const course_task *task, size_t number, char **text, size_t *count,
                           kz_error *error);
// Writes the starter and files/ into `folder`; a file that is there stays as it is unless `overwrite`. `path`
// gets the file the learner edits. An overwritten file that was changed is kept beside, by the name
// that course_task_aside gives.
kz_status course_task_copy(const course_task *task, const char *folder, bool overwrite,
                           char path[COURSE_PATH], kz_error *error);
// ".before-reset" after its name; numbered from 2 on where there is one already.
enum { COURSE_ASIDE = COURSE_PATH + 32 };
void course_task_aside(const char *path, char aside[COURSE_ASIDE]);
// Whether the file is the starter, as it was copied, with the line before it that names the task.
bool course_task_is_untouched(const course_task *task, const char *file);

// ---- paths, items, parts ------------------------------------------------------------------------------

// A part of the project that items wait for: course/parts.toml.
typedef struct course_part {
    const char *id, *title;
    bool ready;
} course_part;

// One thing of the learning plans that the course grew from: course/items/*.toml.
typedef enum course_coverage {
    COURSE_BY_TASK,
    COURSE_BY_FAMILY,
    COURSE_BY_COMMAND,
    COURSE_BY_PAGE,
    COURSE_WAITING
} course_coverage;
typedef struct course_item {
    const char *id;   // "bootcamp-3-scan-lookback"
    const char *plan; // the plan it is of: "bootcamp", "syllabus", "paths", "tracker", "roadmap"
    const char *section, *text;
    course_coverage covered_by;
    const char *const
        *targets; // ids of tasks (readings too), families, commands, pages, or the part; ends with NULL
} course_item;

typedef struct course_step {
    const char *title, *text;
    const char *const *tasks;   // ids, in order; ends with NULL
    const char *const *reads;   // pages of docs/, without ".md"
    const char *const *waiting; // parts: the step is complete without them, its gate is not
} course_step;

// A gate asks for things that were run: tasks passed. While a part it waits for is missing it cannot be passed.
typedef struct course_path_gate {
    const char *title, *text;
    const char *const *tasks;
    const char *const *waiting;
    const char *const *questions; // self-assessment: beside the gate, never instead of it
    const char *const *deliverables;
    size_t after; // the number of steps before it
} course_path_gate;

typedef struct course_path {
    const char *id, *title, *goal, *prerequisites, *time;
    const char *group; // "paths", "topics", "bootcamp", "syllabus", ...
    const course_step *steps;
    size_t step_count;
    const course_path_gate *gates;
    size_t gate_count;
} course_path;

// course/order.toml and tasks/<id>/topic.toml.
typedef struct course_topic {
    const char *id, *title, *about;
} course_topic;

// course/skills.toml.
typedef struct course_skill {
    const char *id, *title;
} course_skill;

// A folder whose task.toml could not be loaded, and why.
typedef struct course_broken {
    const char *id, *message;
} course_broken;

typedef struct course_catalogue {
    base_arena *arena;
    const char *folder;
    const course_task *tasks; // tasks, then katas; by topic and order (course/order.toml, topic.toml)
    size_t task_count;
    const course_broken *broken; // left out: one bad folder does not stop the others
    size_t broken_count;
    const course_path *paths;
    size_t path_count;
    const course_item *items;
    size_t item_count;
    const course_part *parts;
    size_t part_count;
    const course_topic *topics; // in order; "kata" is none of them
    size_t topic_count;
    const course_skill *skills; // in order
    size_t skill_count;
} course_catalogue;

// The folder with the course's data: $KZ_COURSE, else share/kz/course beside the executable's folder.
kz_status course_find(char folder[COURSE_PATH], kz_error *error);
// The learner's folder in their home, where KZ_LEARN names no other. Not the name of the project: that is what a
// clone of it is called, and whoever deletes or cleans a clone should lose nothing.
#define COURSE_HOME "kz-learn"
// $KZ_LEARN made absolute, else ~/COURSE_HOME. Nothing is made.
kz_status course_home(char folder[COURSE_PATH], kz_error *error);
// Loads all of it. KZ_SYNTAX names file and line of what is wrong in itself, an item that nothing covers too; a task
// that cannot be loaded is left out, among `broken`.
kz_status course_open(const char *folder, course_catalogue **catalogue, kz_error *error);
// What is wrong between the files, one line each in `problems`, and KZ_WRONG: names that point nowhere, cycles in
// `needs`, folders that no topic lists, families of the zoo that no task leads to. `commands` are the verbs of kz, `docs` the folder of the pages; what is
// NULL is not checked.
kz_status course_review(const course_catalogue *catalogue, const char *const *commands, const char *docs,
                        base_text *problems, kz_error *error);
void course_close(course_catalogue *catalogue);
const course_task *course_find_task(const course_catalogue *catalogue, const char *id); // NULL
// KZ_NOT_FOUND, with the id that was probably meant, or what is wrong with the task's folder.
kz_status course_fail_task(const course_catalogue *catalogue, const char *id, kz_error *error);
const course_path *course_find_path(const course_catalogue *catalogue, const char *id); // NULL
const course_part *course_find_part(const course_catalogue *catalogue, const char *id); // NULL
// docs/coverage.md, whole.
void course_write_coverage(const course_catalogue *catalogue, base_text *out);
// A new task's folder from a template, compiling and passing. The folder's name is the id.
kz_status course_new_task(const char *folder, course_kind kind, course_form form, kz_error *error);
// Adds a task to the list in its topic's topic.toml, which is made where there is none.
kz_status course_list_task(const char *topic_folder, const char *id, kz_error *error);
// What docs/tasks.md asks of a folder beside task.toml: hints, marks, wrong files with their reasons.
kz_status course_lint_task(const course_task *task, kz_error *error);
// `kz new`: a project of one's own (CMake, a kernel, its test and benchmark).
kz_status course_new_project(const char *folder, const char *name, kz_error *error);

// ---- grading ------------------------------------------------------------------------------------------

// Why a submission fails: COURSE_REASON(ID, "word"), the words of "// fails:" in wrong/.
typedef enum course_reason {
    COURSE_PASSED,
    COURSE_COMPILE,   // the compiler refuses it
    COURSE_SIGNATURE, // there is no such function, or with other parameters
    COURSE_SOURCE,    // a forbidden or missing pattern, or an included file of the course
    COURSE_FAULT,     // out of bounds, misaligned, trap, deadlock, signal
    COURSE_TIMEOUT,
    COURSE_WRONG,          // "result"
    COURSE_INPUT_CHANGED,  // "input"
    COURSE_FINDING,        // of a sanitizer; detail: its kind
    COURSE_GATE_MISSED,    // "gate"; detail: the metric
    COURSE_SLOW,           // "speed"
    COURSE_ANSWER_WRONG,   // "answer"; detail: its name
    COURSE_COMMAND_FAILED, // "command"; detail: its name
    COURSE_REASONS
} course_reason;
const char *course_reason_name(course_reason reason); // "result"

typedef enum course_outcome { COURSE_RIGHT, COURSE_BAD, COURSE_NOT_DONE } course_outcome;

// One line of the verdict.
typedef struct course_check {
    const char *name; // "compiles", "results", "sanitizer", "load_sectors", "speed"
    course_outcome outcome;
    const char *summary;       // one line: "19 cases, 2 seeds"
    const char *detail;        // whole lines: what, where, likely why, what next; "" where all is well
    double value, limit;       // of a gate; NAN
    course_reason reason;      // of a bad one
    const char *reason_detail; // "" where there is none
} course_check;

enum { COURSE_CHECKS = 32 };

typedef struct course_verdict {
    base_arena *arena; // all texts
    const course_task *task;
    char file[COURSE_PATH]; // what was graded: absolute
    bool passed;
    course_reason reason; // of the check that is to be mended first
    const char *reason_detail;
    course_check checks[COURSE_CHECKS];
    size_t check_count;
    char device[32]; // "sim:h200", "cuda:0", "cpu"
    bool timed;      // false: no time was measured, and the report says so
    uint64_t public_seed, fresh_seed;
    const char *figure_name; // the task's best figure: "load_sectors", "of_peak"; NULL
    double figure;           // smaller is better unless it is a share of something
    bool figure_larger_is_better;
    double seconds;     // that grading took
    uint32_t unguarded; // guards of the sandbox that were not enforced for something that ran
} course_verdict;

typedef struct course_replay course_replay; // replay.h

typedef struct course_grade_job {
    const course_task *task;
    const char *file;    // the submission
    const char *device;  // "sim", "sim:a100", "cuda:0"; NULL: a GPU where there is one, else the simulator
    const char *kz;      // this executable, for the child and for commands
    uint64_t fresh_seed; // 0: from the clock
    bool no_time;        // leave speed out, whatever the device
    bool (*interrupted)(void);                         // may be NULL
    void (*progress)(const char *what, void *context); // may be NULL: "compiling", "case n=1025", ...
    void *progress_context;
    course_replay *replay; // NULL, or for proofs: commands that were run before say what they said then
} course_grade_job;

// An error is a failure of the grader (no compiler, no course, a task whose reference is broken); what is wrong
// with the submission is in the verdict. Close the verdict whatever is returned.
kz_status course_grade(const course_grade_job *job, course_verdict *verdict, kz_error *error);
void course_verdict_close(course_verdict *verdict);

// Each kind's own part, called by course_grade after the source was read (`source`) and its rules were checked.
// They add checks with course_verdict_add and stop at the first that makes further ones pointless.
kz_status course_grade_kernel(const course_grade_job *job, const char *source, course_verdict *verdict,
                              kz_error *error);
kz_status course_grade_c(const course_grade_job *job, const char *source, course_verdict *verdict,
                         kz_error *error);
// Compiles files of a task with programs into the cache, in one run of nvcc where that can be done.
void course_compile_programs(const course_task *task, const char *device, const char *const *files,
                             size_t count);
kz_status course_grade_program(const course_grade_job *job, const char *source, course_verdict *verdict,
                               kz_error *error);
kz_status course_grade_answers(const course_grade_job *job, const char *source, course_verdict *verdict,
                               kz_error *error);

// Adds a row; the first BAD one gives the verdict its reason. Texts are copied. The row is given back, NULL when
// there is no room or memory.
course_check *course_verdict_add(course_verdict *verdict, const char *name, course_outcome outcome,
                                 course_reason reason, const char *reason_detail, const char *summary,
                                 const char *detail);
// The row with the compiler's warnings about a file that it takes; none where there are none, or the file is the starter as
// it is.
void course_verdict_add_warnings(course_verdict *verdict, const base_text *warnings);

// The task that a file is for: a line "kz: task <id>" in its first lines, else the folder it lies in, else its own name.
kz_status course_task_of_file(const course_catalogue *catalogue, const char *file, const course_task **task,
                              kz_error *error);

// Compiles the kernels that proofs of these tasks grade in a few runs of nvcc, into the cache, where the proofs find
// them. Where that cannot be done the proofs do without.
void course_compile_tasks(const course_task *tasks, size_t count);

// Proves a task: starter fails, solution passes, each wrong one fails for its reason. One line per proof goes to
// `report`; KZ_WRONG where one does not hold. `kz` and `device` as in course_grade_job.
kz_status course_prove_task(const course_task *task, const char *kz, const char *device, base_text *report,
                            kz_error *error);

// ---- metrics ------------------------------------------------------------------------------------------

typedef struct course_metric {
    const char *name, *unit, *text;
    const char *page; // for kz learn read, "memory_hierarchy#coalescing"; "" where there is none
    bool larger_is_better;
} course_metric;
const course_metric *course_metrics(size_t *count); // of metrics.def
const course_metric *course_find_metric(const char *name);

// ---- one run's data (shared by the kinds) ----------------------------------------------------------------

// The buffers and scalars of one case and seed on the host, poisoned outputs, and the right answer. data.c.
typedef struct course_data {
    const course_task *task;
    const course_case *c;
    uint64_t seed;
    uint64_t counts[COURSE_PARAMETERS]; // of a buffer: elements
    uint64_t bytes[COURSE_PARAMETERS];
    void *host[COURSE_PARAMETERS];       // of a buffer: what it holds before the run
    void *got[COURSE_PARAMETERS];        // what came back; NULL before
    uint64_t scalars[COURSE_PARAMETERS]; // of a scalar: its bits, little-endian
    double values[COURSE_PARAMETERS];    // of a scalar: its value
    // For words about what is wrong, set by the caller; may be 0 and NULL.
    const kz_launch *launch;          // of a kernel
    bool is_grid_given;               // by the task, not by the learner's lines
    const int *fills;                 // of each parameter: the byte before the launch; -1: none
    const struct course_data *before; // the run before, on other data: was its output kept?
    bool is_defined;                  // instruments listened, and nothing was read that was never set
    bool is_chance;                   // other wrong runs are neither off by a factor nor near
} course_data;

typedef struct course_reference
    course_reference; // reference.c compiled and loaded, or the expressions as such
kz_status course_reference_open(const course_task *task, course_reference **reference, kz_error *error);
void course_reference_close(course_reference *reference);

kz_status course_data_open(const course_task *task, course_reference *reference, const course_case *c,
                           uint64_t seed, course_data *data, kz_error *error);
void course_data_close(course_data *data);
// Compares `got` with the right answer. KZ_WRONG and words in `error` where it differs; `input` tells that an
// input changed.
kz_status course_data_judge(const course_data *data, course_reference *reference, bool *input_changed,
                            family_comparison *comparison, kz_error *error);
void course_case_name(const course_task *task, const course_case *c, char *text,
                      size_t size); // "n=1025, nan"
// A line about another wrong case, from what was said of it: "smallest wrong case: n=1, seed 2026: z[0] is 1 and should be
// 2, from x = 1, y = 1".
void course_case_add_smallest(base_text *out, const char *where, const char *message);
// An expression over the case's axes (and `block`, where not 0).
kz_status course_evaluate(const course_task *task, const course_case *c, const char *expression, double block,
                          double *value, kz_error *error);

#endif
