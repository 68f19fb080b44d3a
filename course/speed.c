// The speed gate: only with a GPU. Without one the verdict says that time was not measured.
#include "grade_kernel.h"

kz_status course_kernel_speed(course_kernel_grading *g, bool on_gpu, course_verdict *verdict,
                              kz_error *error) {
    if (!g->job->task->speed.given) return KZ_OK;
    course_verdict_add(verdict, "speed", COURSE_NOT_DONE, COURSE_PASSED, NULL,
                       on_gpu ? "time was not measured"
                              : "time was not measured: there is no GPU; the counts above were",
                       "");
    return KZ_OK;
}

kz_status course_judge_time(kz_device *device, kz_module *module, const course_judge_job *job,
                            course_judge_times *times, base_arena *arena, kz_error *error) {
    return base_fail(error, KZ_UNSUPPORTED, "time is measured on a GPU alone");
}
