// The main program around a learner's function (kind c, and programs): its source, what goes in, what comes out.
//
// The child reads jobs from stdin: every buffer and scalar of a case. It allocates each buffer exactly, calls the
// function, and sends the buffers back through fd 3, which is moved out of sight and closed for the function.
// Numbers are of 8 bytes, little-endian:
//     in    magic, nonce, jobs; each job: calls, flags, misalign; each parameter: bytes and data, or a scalar; and with
//           OTHER_DATA each parameter once more
//     out   for each job: nonce, buffers whose guards were touched (a bit each; the highest two: the last job leaks,
//           or keeps memory that it allocated),
//           the CUDA error that was left,
//           calls and the seconds of each; then every buffer's bytes
#ifndef COURSE_HARNESS_H
#define COURSE_HARNESS_H

#include "course.h"

typedef enum course_harness_flag {
    COURSE_HARNESS_COUNTED =
        1, // for one call: it starts with cold caches, and the harness does as little as it can
    COURSE_HARNESS_OTHER_DATA =
        2, // every other call but the last gets `other`: who keeps an answer gives a wrong one
} course_harness_flag;

typedef struct course_harness_job {
    course_data *data;        // `got` is filled
    const course_data *other; // of the same case; with COURSE_HARNESS_OTHER_DATA alone
    uint32_t calls, flags;
    // What came back:
    bool answered, leaks, keeps;
    uint64_t guards; // a bit for each parameter whose surroundings were written to
    int cuda_error;
    double seconds; // the median of the calls
} course_harness_job;

// Where the sources lie: by content, so that the compiler's results can be kept.
typedef struct course_harness {
    char main_file[COURSE_PATH], prototype_file[COURSE_PATH];
} course_harness;

// Writes both sources, into the cache where there is one, else into `folder`.
kz_status course_harness_write(const course_task *task, const char *folder, course_harness *harness,
                               kz_error *error);
// "void f(const float *x, int n)"
void course_harness_prototype(const course_task *task, base_text *text);
void course_harness_parameter(const course_task *task, size_t i, base_text *text); // "const float *x"

kz_status course_harness_pack(const course_harness_job *jobs, size_t count, uint64_t nonce, base_text *input,
                              kz_error *error);
// What comes back from them at most: whoever sends more is not the harness.
size_t course_harness_answer_bytes(const course_harness_job *jobs, size_t count);
// KZ_NO_MEMORY alone is an error; jobs that did not answer have `answered` false.
kz_status course_harness_unpack(const base_text *answer, uint64_t nonce, course_harness_job *jobs,
                                size_t count, kz_error *error);

extern const char course_harness_guard_text[], course_harness_openmp_text[];
extern const char course_harness_text[]; // harness_text.c: the part that is the same for all tasks

#endif
