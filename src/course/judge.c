// The child that runs a submission's kernel: opens the device, loads the PTX, makes every run and answers.
//
// On the simulator each buffer's allocation ends exactly where the buffer ends, and a session listens. On a GPU
// buffers stand between guard bands. A run that fails is the last one: what the device holds afterwards is
// not to be trusted.
#include "judge.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "device/device.h"
#include "family/inputs.h"
#include "observe/observe.h"

enum { GUARD = 512, GUARD_BYTE = 0xc3 };

typedef struct slot {
    kz_ptr base, data;
    uint64_t front, total;
} slot;

typedef struct judge {
    const course_judge_job *job;
    course_judge_target target;
    kz_module *module;
    int out;
} judge;

// ---- the time allowed -----------------------------------------------------------------------------------

static kz_device *volatile interrupted_device; // for the signal's handler alone

static void on_alarm(int number) {
    if (interrupted_device) device_sim_interrupt(interrupted_device);
}

static void set_alarm(const course_judge_target *p, bool on) {
    if (!p->is_sim || !p->deadline) return; // a GPU's kernel ends with the process
    double left = p->deadline - base_seconds();
    if (left < 0.05) left = 0.05;
    struct itimerval timer = {0};
    if (on) {
        timer.it_value.tv_sec = (time_t)left;
        timer.it_value.tv_usec = (suseconds_t)((left - (double)(time_t)left) * 1e6);
    }
    interrupted_device = on ? p->device : NULL;
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &timer, NULL);
}

// ---- buffers --------------------------------------------------------------------------------------------

static kz_status open_slot(const course_judge_target *p, const course_judge_run *run,
                           const course_judge_buffer *b, slot *s, kz_error *error) {
    uint64_t guard = p->is_sim ? 0 : GUARD;
    s->front = guard + run->misalign * kz_type_size(b->type);
    s->total = s->front + b->bytes + guard;
    if (s->total == 0) s->total = 1; // an empty buffer has an address all the same
    kz_status status = kz_memory_alloc(p->device, s->total, &s->base, error);
    s->data = s->base + s->front;
    return status;
}

static kz_status fill_slot(const course_judge_target *p, const course_judge_buffer *b, const slot *s,
                           kz_error *error) {
    kz_status status = kz_memory_fill(p->device, NULL, s->base, GUARD_BYTE, s->total, error);
    if (status || b->bytes == 0) return status;
    if (b->data && b->role != COURSE_OUTPUT)
        status = kz_copy_to_device(p->device, NULL, s->data, b->data, b->bytes, error);
    else if (b->fill >= 0)
        status = kz_memory_fill(p->device, NULL, s->data, (uint8_t)b->fill, b->bytes, error);
    else {
        void *poison = malloc(b->bytes);
        if (!poison) return base_fail(error, KZ_NO_MEMORY, "no memory for buffer %s", b->name);
        family_poison(b->type, b->count, poison);
        status = kz_copy_to_device(p->device, NULL, s->data, poison, b->bytes, error);
        if (!status) status = kz_device_synchronize(p->device, error);
        free(poison);
    }
    return status;
}

static kz_status check_band(const course_judge_target *p, const course_judge_buffer *b, kz_ptr from,
                            uint64_t bytes, bool behind, kz_error *error) {
    uint8_t *band = malloc(bytes + 1);
    kz_status status = band ? KZ_OK : base_fail(error, KZ_NO_MEMORY, "no memory for a guard band");
    if (!status && bytes) status = kz_copy_to_host(p->device, NULL, band, from, bytes, error);
    if (!status) status = kz_device_synchronize(p->device, error);
    for (uint64_t i = 0; i < bytes && !status; i++) {
        uint64_t near = behind ? i : bytes - 1 - i; // from the buffer outwards
        if (band[near] == GUARD_BYTE) continue;
        status =
            base_fail(error, KZ_WRONG, "wrote out of bounds: the byte %llu %s %s was overwritten",
                      (unsigned long long)i + 1, behind ? "past the end of" : "before the start of", b->name);
    }
    free(band);
    return status;
}

static kz_status read_slot(const course_judge_target *p, const course_judge_run *run, uint32_t i,
                           const slot *s, base_arena *arena, course_judge_result *result, kz_error *error) {
    const course_judge_buffer *b = &run->buffers[i];
    kz_status status = check_band(p, b, s->base, s->front, false, error);
    if (!status) {
        uint64_t behind = s->total - s->front - b->bytes;
        status = check_band(p, b, s->data + b->bytes, b->bytes ? behind : 0, true, error);
    }
    if (status || !run->want_outputs) return status;
    void *got = base_arena_alloc(arena, b->bytes + 1);
    if (!got) return base_fail(error, KZ_NO_MEMORY, "no memory for buffer %s", b->name);
    if (b->bytes) status = kz_copy_to_host(p->device, NULL, got, s->data, b->bytes, error);
    if (!status) status = kz_device_synchronize(p->device, error);
    if (status) return status;
    result->got[i] = got;
    result->bytes[i] = b->bytes;
    return KZ_OK;
}

// ---- listening ------------------------------------------------------------------------------------------

static kz_status open_session(const course_judge_target *p, const course_judge_run *run,
                              observe_session **session, kz_error *error) {
    *session = NULL;
    if (!p->is_sim) return KZ_OK;
    observe_options options = {0};
    observe_gpu gpu;
    kz_status status = device_sim_set_seed(p->device, run->schedule, error);
    if (status || !run->observe) return status; // somebody else listens
    status = run->observe[0] ? observe_options_parse(run->observe, &options, error) : KZ_OK;
    options.leaks = false; // the buffers are the grader's
    if (!status) status = device_sim_gpu(p->device, &gpu, error);
    if (!status) status = observe_session_open(&options, &gpu, session, error);
    if (!status) observe_session_name(*session, run->name, run->schedule);
    return status;
}

// The session is told of the buffers as a program would have made them: see observe_session_declare_buffer.
static void declare_buffers(const course_judge_run *run, const slot *slots, observe_session *session) {
    for (uint32_t i = 0; i < run->buffer_count; i++) {
        const course_judge_buffer *b = &run->buffers[i];
        uint32_t parameter = 0;
        while (parameter < run->argument_count &&
               !(run->arguments[parameter].is_buffer && run->arguments[parameter].buffer == i))
            parameter++;
        observe_session_declare_buffer(
            session, &(observe_buffer){.name = b->name,
                                       .serial = i + 1,
                                       .base = slots[i].base,
                                       .total = slots[i].total,
                                       .data = slots[i].data,
                                       .bytes = b->bytes,
                                       .element = (uint32_t)kz_type_size(b->type),
                                       .parameter = parameter + 1,
                                       .is_written = b->role != COURSE_OUTPUT || b->fill >= 0});
    }
}

// ---- a run ----------------------------------------------------------------------------------------------

// The launch as a plan of one step.
static kz_status trace_launch(const course_judge_target *p, const course_judge_run *run, const slot *slots,
                              kz_error *error) {
    kz_plan plan = {0};
    kz_arg args[COURSE_PARAMETERS];
    kz_ptr buffers[COURSE_PARAMETERS];
    for (uint32_t i = 0; i < run->buffer_count; i++) buffers[i] = slots[i].data;
    for (uint32_t i = 0; i < run->argument_count; i++) {
        const course_judge_argument *a = &run->arguments[i];
        args[i] = a->is_buffer ? kz_arg_buffer(a->buffer) : kz_arg_u64(a->bits);
    }
    kz_plan_add_kernel(&plan, 0, p->entry, &run->launch, args, run->argument_count);
    const device_plan_call call = {.device = p->device,
                                   .module = p->module,
                                   .plan = &plan,
                                   .buffers = buffers,
                                   .buffer_count = run->buffer_count};
    return device_plan_trace(&call, p->trace, error);
}

static kz_status launch_plainly(const course_judge_target *p, const course_judge_run *run, const slot *slots,
                                kz_error *error) {
    uint64_t values[COURSE_PARAMETERS];
    const void *args[COURSE_PARAMETERS];
    for (uint32_t i = 0; i < run->argument_count; i++) {
        const course_judge_argument *a = &run->arguments[i];
        values[i] = a->is_buffer ? slots[a->buffer].data : a->bits;
        args[i] = &values[i];
    }
    return kz_launch_kernel(p->device, NULL, p->kernel, &run->launch, args, run->argument_count, error);
}

static kz_status launch(const course_judge_target *p, const course_judge_run *run, const slot *slots,
                        kz_error *error) {
    set_alarm(p, true);
    kz_status status = p->trace ? trace_launch(p, run, slots, error) : launch_plainly(p, run, slots, error);
    if (!status) status = kz_device_synchronize(p->device, error);
    set_alarm(p, false);
    return status;
}

void course_judge_make_run(const course_judge_target *p, const course_judge_run *run, base_arena *arena,
                           course_judge_result *result, base_text *record) {
    slot slots[COURSE_PARAMETERS] = {0};
    kz_error error = {0};
    observe_session *session = NULL;
    kz_status status = KZ_OK;
    for (uint32_t i = 0; i < run->buffer_count && !status; i++)
        status = open_slot(p, run, &run->buffers[i], &slots[i], &error);
    for (uint32_t i = 0; i < run->buffer_count && !status; i++)
        status = fill_slot(p, &run->buffers[i], &slots[i], &error);
    if (!status) status = kz_device_synchronize(p->device, &error);
    if (!status) status = open_session(p, run, &session, &error);
    if (!status && session) status = device_sim_observe(p->device, session, &error);
    if (!status) {
        if (session) declare_buffers(run, slots, session);
        status = launch(p, run, slots, &error);
        for (uint32_t i = 0; i < run->buffer_count && !status; i++)
            status = read_slot(p, run, i, &slots[i], arena, result, &error);
        if (session) device_sim_observe(p->device, NULL, NULL);
        if (session) observe_session_finish(session, record);
    }
    observe_session_close(session);
    for (uint32_t i = 0; i < run->buffer_count; i++)
        if (slots[i].base) kz_memory_free(p->device, slots[i].base, NULL);
    result->status = status;
    result->message = status ? base_arena_string(arena, error.message, strlen(error.message)) : "";
    if (!result->message) result->message = "";
    result->record = record->data ? record->data : "";
    result->record_length = record->length;
}

kz_status course_judge_target_open(kz_device *device, kz_module *module, const char *entry, double seconds,
                                   course_judge_target *target, kz_error *error) {
    *target = (course_judge_target){.device = device,
                                    .module = module,
                                    .entry = entry,
                                    .is_sim = kz_device_get_info(device)->kind == KZ_DEVICE_SIM,
                                    .deadline = seconds > 0 ? base_seconds() + seconds : 0};
    return kz_module_kernel(module, entry, &target->kernel, error);
}

// ---- the whole ------------------------------------------------------------------------------------------

static bool send_all(int fd, const base_text *text) {
    size_t done = 0;
    while (done < text->length) {
        ssize_t put = write(fd, text->data + done, text->length - done);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        done += (size_t)put;
    }
    return !text->failed;
}

static bool send_piece(const judge *j, char letter, base_text *body) {
    base_text piece = {0};
    base_text_add_bytes(&piece, &letter, 1);
    if (body->length) base_text_add_bytes(&piece, body->data, body->length);
    bool sent = send_all(j->out, &piece);
    base_text_free(&piece);
    base_text_free(body);
    return sent;
}

static kz_status load_module(judge *j, kz_error *error) {
    const kz_image image = {
        .size = sizeof(kz_image), .name = j->job->name, .ptx = j->job->ptx, .ptx_size = strlen(j->job->ptx)};
    kz_module_close(j->module);
    j->module = NULL;
    kz_status status = kz_module_load(j->target.device, &image, &j->module, error);
    j->target.module = j->module;
    if (!status) status = kz_module_kernel(j->module, j->job->entry, &j->target.kernel, error);
    return status;
}

static kz_status make_runs(judge *j, kz_error *error) {
    for (uint32_t i = 0; i < j->job->run_count; i++) {
        if (j->job->runs[i].is_alone && i) {
            kz_status status = load_module(j, error);
            if (status) return status;
        }
        base_arena *arena = base_arena_open();
        if (!arena) return base_fail(error, KZ_NO_MEMORY, "no memory for a run");
        course_judge_result result = {0};
        base_text record = {0}, body = {0};
        course_judge_make_run(&j->target, &j->job->runs[i], arena, &result, &record);
        course_judge_result_write(&result, j->job->runs[i].buffer_count, &body);
        bool sent = send_piece(j, COURSE_JUDGE_PIECE_RESULT, &body);
        kz_status status = result.status;
        base_text_free(&record);
        base_arena_close(arena);
        if (!sent) return base_fail(error, KZ_IO, "the grader does not listen any more");
        if (status) return KZ_OK; // the run's own error: it was told
    }
    return KZ_OK;
}

// What a kernel prints: the grader keeps the beginning.
static void print(void *context, const char *text, size_t length) {
    (void)context;
    fwrite(text, 1, length, stdout);
}

static kz_status open_all(judge *j, kz_error *error) {
    kz_device *device = NULL;
    kz_status status = kz_device_open(j->job->device, &device, error);
    if (status) return status;
    j->target.device = device;
    if (kz_device_get_info(device)->kind == KZ_DEVICE_SIM) kz_device_set_print(device, print, NULL, NULL);
    status = load_module(j, error);
    if (!status)
        status =
            course_judge_target_open(device, j->module, j->job->entry, j->job->seconds, &j->target, error);
    return status;
}

static kz_status measure(const judge *j, kz_error *error) {
    base_arena *arena = base_arena_open();
    course_judge_times times = {0};
    base_text body = {0};
    kz_status status = arena ? course_judge_time(j->target.device, j->module, j->job, &times, arena, error)
                             : base_fail(error, KZ_NO_MEMORY, "no memory to measure");
    if (!status) {
        course_judge_times_write(&times, j->job->runs[0].buffer_count, &body);
        if (!send_piece(j, COURSE_JUDGE_PIECE_TIMES, &body)) status = KZ_IO;
    }
    base_arena_close(arena);
    return status;
}

kz_status course_judge(const void *data, size_t size, int out, kz_error *error) {
    base_arena *arena = base_arena_open();
    course_judge_job job;
    judge j = {.job = &job, .out = out};
    kz_status status = arena ? course_judge_job_read(arena, data, size, &job, error)
                             : base_fail(error, KZ_NO_MEMORY, "no memory for the grader's job");
    if (status) {
        base_arena_close(arena);
        return status;
    }
    kz_error own = {0};
    base_text body = {0};
    status = open_all(&j, &own);
    if (!status) {
        course_judge_put_text(&body, kz_device_get_info(j.target.device)->id);
        send_piece(&j, COURSE_JUDGE_PIECE_DEVICE, &body);
        status = make_runs(&j, &own);
    }
    if (!status && job.timing.wanted && job.run_count) status = measure(&j, &own);
    course_judge_put_u32(&body, (uint32_t)status);
    course_judge_put_text(&body, own.message);
    bool sent = send_piece(&j, COURSE_JUDGE_PIECE_END, &body);
    kz_module_close(j.module);
    kz_device_close(j.target.device);
    base_arena_close(arena);
    return sent ? KZ_OK : base_fail(error, KZ_IO, "the grader does not listen any more");
}
