// What the grader and its child say to each other: `kz judge` reads a job from stdin and answers on fd 3.
//
// A job is a device, a kernel as PTX and a list of runs: buffers, a launch, what to listen to. The child knows
// no right answers. All numbers are little-endian, texts and bytes have their length before them.
// course_judge is the child's whole work; the rest is the grader's side, and both use the same two functions
// per struct.
#ifndef COURSE_JUDGE_H
#define COURSE_JUDGE_H

#include "course.h"
#include "device/trace.h"

enum { COURSE_JUDGE_VERSION = 2, COURSE_JUDGE_RUNS = 512, COURSE_JUDGE_FD = 3 };

typedef struct course_judge_buffer {
    const char *name;
    kz_type type;
    course_role role;
    int fill; // the byte before the launch; -1: `data` for inputs and inouts, poison for outputs
    uint64_t count, bytes;
    const void *data; // what it holds before
} course_judge_buffer;

typedef struct course_judge_argument {
    bool is_buffer;
    uint32_t buffer; // its index
    uint64_t bits;   // a scalar's
} course_judge_argument;

typedef struct course_judge_run {
    const char *name;    // the case and seed, for messages
    const char *observe; // instruments, "races,sync"; "" for none; simulator only. NULL: others listen
    uint64_t schedule;   // seed of the schedule; simulator only
    uint32_t misalign;   // elements
    bool want_outputs;
    bool is_alone; // in a module of its own: its variables hold nothing of the runs before
    kz_launch launch;
    course_judge_buffer buffers[COURSE_PARAMETERS];
    uint32_t buffer_count;
    course_judge_argument arguments[COURSE_PARAMETERS];
    uint32_t argument_count;
} course_judge_run;

// Timing, on a GPU: after the runs, run 0 of the job is timed beside a rival and the peaks.
typedef struct course_judge_timing {
    bool wanted;
    double bytes, flops;     // the least that a run moves and computes; 0 where not given
    const char *rival;       // PTX of the solution; "" for none
    const char *rival_entry; // its kernel
    kz_launch rival_launch;
} course_judge_timing;

typedef struct course_judge_job {
    const char *device;
    const char *name; // the source, for messages
    const char *entry;
    const char *ptx;
    double seconds; // for all runs together
    course_judge_run *runs;
    uint32_t run_count;
    course_judge_timing timing;
} course_judge_job;

// The outcome of one run. Texts and bytes are in the answer's arena.
typedef struct course_judge_result {
    kz_status status;    // KZ_FAULT, KZ_DEADLOCK, KZ_TIMEOUT ...: the kernel's; KZ_WRONG: a guard band
    const char *message; // "" where it ran
    const char *record;  // the observe record, or ""
    size_t record_length;
    const void
        *got[COURSE_PARAMETERS]; // each buffer's bytes afterwards, at any alignment; NULL where not sent
    uint64_t bytes[COURSE_PARAMETERS];
} course_judge_result;

// Seconds per run, medians; 0 where not measured.
typedef struct course_judge_times {
    bool measured;
    double kernel, rival, copy, fma;
    double copy_bytes_per_s, fma_flops_per_s; // the peaks
    double relative_error;                    // of the kernel's median
    course_judge_result check;                // the outputs after timing, on data of their own
} course_judge_times;

typedef struct course_judge_answer {
    base_arena *arena;
    char device[32];              // that it ran on
    course_judge_result *results; // of the runs that were made, in order
    uint32_t count;
    kz_status status; // what kept it from going on: the module does not load and the like
    const char *message;
    bool complete; // it came to its end by itself
    course_judge_times times;
} course_judge_answer;

// ---- the grader's side ----------------------------------------------------------------------------------

void course_judge_job_write(const course_judge_job *job, base_text *out);
kz_status course_judge_answer_read(const void *data, size_t size, course_judge_answer *answer,
                                   kz_error *error);
void course_judge_answer_close(course_judge_answer *answer);

// ---- the child's side -----------------------------------------------------------------------------------

// `data` must outlive the job, whose texts and bytes point into it or into the arena.
kz_status course_judge_job_read(base_arena *arena, const void *data, size_t size, course_judge_job *job,
                                kz_error *error);
void course_judge_result_write(const course_judge_result *result, uint32_t buffers, base_text *out);
// Timing on an open device: judge_time.c.
kz_status course_judge_time(kz_device *device, kz_module *module, const course_judge_job *job,
                            course_judge_times *times, base_arena *arena, kz_error *error);

// A whole answer is a sequence of pieces, each with a letter before it.
enum {
    COURSE_JUDGE_PIECE_DEVICE = 'd',
    COURSE_JUDGE_PIECE_RESULT = 'r',
    COURSE_JUDGE_PIECE_TIMES = 't',
    COURSE_JUDGE_PIECE_END = 'e'
};
void course_judge_times_write(const course_judge_times *times, uint32_t buffers, base_text *out);
void course_judge_put_text(base_text *out, const char *text);
void course_judge_put_u32(base_text *out, uint32_t value);

// One run, where a device is open and the module loaded. `seconds` are for all runs there together; 0: no limit.
typedef struct course_judge_target {
    kz_device *device;
    kz_kernel *kernel;
    kz_module *module;
    const char *entry;
    bool is_sim;
    double deadline;     // 0: none
    device_trace *trace; // gets the times of the launch; NULL: nobody asks
} course_judge_target;
kz_status course_judge_target_open(kz_device *device, kz_module *module, const char *entry, double seconds,
                                   course_judge_target *target, kz_error *error);
// Everything about the run is in the result; `record` gets the text that it points to.
void course_judge_make_run(const course_judge_target *target, const course_judge_run *run, base_arena *arena,
                           course_judge_result *result, base_text *record);

// `kz judge`: does the job that stands in `data` and writes the answer to `out`. An error means that no answer
// could be given; what is wrong with the submission is in the answer.
kz_status course_judge(const void *data, size_t size, int out, kz_error *error);

#endif
