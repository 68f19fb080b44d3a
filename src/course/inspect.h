// A learner's file for the tools that look inside it (kz run, prof, sanitize, debug): a case, its data, and what to
// run. Nothing is hidden here and nothing is graded: it is the learner's own file on the simulator, in this process
// or, for a program, in one that the caller starts.
#ifndef COURSE_INSPECT_H
#define COURSE_INSPECT_H

#include "harness.h"
#include "kernel.h"

// ---- cases ----------------------------------------------------------------------------------------------

// "n=4096", "rows=16,width=256", "n=1025, nan", "n=999, misaligned by 3": as verdicts name them. What the text does
// not say is taken from `c`.
kz_status course_case_read(const course_task *task, const char *text, course_case *c, kz_error *error);
// What a profile shows most in: the first gate's case; else the speed's, cut to what the simulator does within
// seconds; else the largest.
kz_status course_case_to_profile(const course_task *task, course_case *c, kz_error *error);
// Small, but with more than a warp to do: the first of the cases that have it.
kz_status course_case_to_debug(const course_task *task, course_case *c, kz_error *error);

// ---- kernels --------------------------------------------------------------------------------------------

typedef struct course_subject {
    const course_task *task;
    base_arena *arena;
    char *ptx;
    base_text warnings; // the compiler's
    kz_image image;     // what to load; its PTX is this one's
    family_lines lines;
    int fills[COURSE_PARAMETERS];
    course_reference *reference;
} course_subject;

typedef struct course_look {
    const course_case *c;
    const char *name;    // of the record
    const char *observe; // instruments; NULL: whoever listens to the device goes on
    uint64_t schedule;
    double seconds;      // 0: no limit
    device_trace *trace; // gets the times of the launch; NULL: nobody asks
} course_look;

typedef struct course_seen {
    kz_error fault;   // its status is not 0 where the kernel was stopped
    kz_error wrong;   // its status is KZ_WRONG where the answer is
    base_text record; // where instruments listened
} course_seen;

// Compiles the file, without optimisation where it is for a debugger. Close the subject whatever is returned.
kz_status course_subject_open(const course_task *task, const char *file, bool for_debugging,
                              course_subject *subject, kz_error *error);
void course_subject_close(course_subject *subject);
// One launch on the case's data, by the public seed. An error is none of the kernel's. Free the record.
kz_status course_subject_look(const course_subject *subject, kz_device *device, kz_module *module,
                              const course_look *look, course_seen *seen, kz_error *error);

// ---- programs -------------------------------------------------------------------------------------------

// The learner's file and the harness's main, to be built together, and one call's data for its stdin.
typedef struct course_program_subject {
    char folder[COURSE_PATH]; // for the harness, where there is no cache
    course_harness harness;
    const char *files[2];
    const char *before[3]; // flags of the first file
    const char *const *file_flags[2];
    int input, answer; // descriptors: the program's stdin, and its descriptor 3
    course_data data;
    course_case c;
    course_reference *reference;
} course_program_subject;

kz_status course_program_open(const course_task *task, const char *file, const course_case *c,
                              course_program_subject *subject, kz_error *error);
void course_program_close(course_program_subject *subject);
// After its end: KZ_WRONG and words where the answer is wrong; `answered` is false where the call did not return.
kz_status course_program_judge(course_program_subject *subject, bool *answered, kz_error *error);

#endif
