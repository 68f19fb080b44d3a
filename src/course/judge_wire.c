// The bytes between the grader and `kz judge`. See judge.h.
#include <string.h>

#include "judge.h"

// ---- writing --------------------------------------------------------------------------------------------

void course_judge_put_u32(base_text *out, uint32_t value) {
    base_text_add_bytes(out, (const char *)&value, sizeof value);
}
static void put_u64(base_text *out, uint64_t value) {
    base_text_add_bytes(out, (const char *)&value, sizeof value);
}
static void put_double(base_text *out, double value) {
    base_text_add_bytes(out, (const char *)&value, sizeof value);
}
static void put_bytes(base_text *out, const void *data, uint64_t size) {
    put_u64(out, data ? size : UINT64_MAX);
    if (data && size) base_text_add_bytes(out, data, size);
}
void course_judge_put_text(base_text *out, const char *text) {
    put_bytes(out, text ? text : "", strlen(text ? text : ""));
}

static void put_launch(base_text *out, const kz_launch *launch) {
    for (int i = 0; i < 3; i++) course_judge_put_u32(out, launch->grid[i]);
    for (int i = 0; i < 3; i++) course_judge_put_u32(out, launch->block[i]);
    course_judge_put_u32(out, launch->dynamic_shared_bytes);
    course_judge_put_u32(out, launch->cooperative);
}

static void put_run(base_text *out, const course_judge_run *run) {
    course_judge_put_text(out, run->name);
    course_judge_put_text(out, run->observe);
    put_u64(out, run->schedule);
    course_judge_put_u32(out, run->misalign);
    course_judge_put_u32(out, run->want_outputs);
    course_judge_put_u32(out, run->is_alone);
    put_launch(out, &run->launch);
    course_judge_put_u32(out, run->buffer_count);
    for (uint32_t i = 0; i < run->buffer_count; i++) {
        const course_judge_buffer *b = &run->buffers[i];
        course_judge_put_text(out, b->name);
        course_judge_put_u32(out, (uint32_t)b->type);
        course_judge_put_u32(out, (uint32_t)b->role);
        course_judge_put_u32(out, (uint32_t)b->fill);
        put_u64(out, b->count);
        put_u64(out, b->bytes);
        put_bytes(out, b->role == COURSE_OUTPUT ? NULL : b->data, b->bytes);
    }
    course_judge_put_u32(out, run->argument_count);
    for (uint32_t i = 0; i < run->argument_count; i++) {
        course_judge_put_u32(out, run->arguments[i].is_buffer);
        course_judge_put_u32(out, run->arguments[i].buffer);
        put_u64(out, run->arguments[i].bits);
    }
}

void course_judge_job_write(const course_judge_job *job, base_text *out) {
    course_judge_put_u32(out, COURSE_JUDGE_VERSION);
    course_judge_put_text(out, job->device);
    course_judge_put_text(out, job->name);
    course_judge_put_text(out, job->entry);
    course_judge_put_text(out, job->ptx);
    put_double(out, job->seconds);
    course_judge_put_u32(out, job->run_count);
    for (uint32_t i = 0; i < job->run_count; i++) put_run(out, &job->runs[i]);
    const course_judge_timing *t = &job->timing;
    course_judge_put_u32(out, t->wanted);
    put_double(out, t->bytes);
    put_double(out, t->flops);
    course_judge_put_text(out, t->rival);
    course_judge_put_text(out, t->rival_entry);
    put_launch(out, &t->rival_launch);
}

void course_judge_result_write(const course_judge_result *result, uint32_t buffers, base_text *out) {
    course_judge_put_u32(out, (uint32_t)result->status);
    course_judge_put_text(out, result->message);
    put_bytes(out, result->record ? result->record : "", result->record ? result->record_length : 0);
    course_judge_put_u32(out, buffers);
    for (uint32_t i = 0; i < buffers; i++) put_bytes(out, result->got[i], result->bytes[i]);
}

void course_judge_times_write(const course_judge_times *times, uint32_t buffers, base_text *out) {
    const double values[] = {
        times->kernel,           times->rival,           times->copy,          times->fma,
        times->copy_bytes_per_s, times->fma_flops_per_s, times->relative_error};
    for (size_t i = 0; i < BASE_COUNT(values); i++) put_double(out, values[i]);
    course_judge_result_write(&times->check, buffers, out);
}

// ---- reading: never past the end ------------------------------------------------------------------------

typedef struct reader {
    const char *at, *end;
    base_arena *arena;
    bool failed;
} reader;

static void take(reader *r, void *value, size_t size) {
    memset(value, 0, size);
    if (r->failed || (size_t)(r->end - r->at) < size) {
        r->failed = true;
        return;
    }
    memcpy(value, r->at, size);
    r->at += size;
}
static uint32_t take_u32(reader *r) {
    uint32_t value;
    take(r, &value, sizeof value);
    return value;
}
static uint64_t take_u64(reader *r) {
    uint64_t value;
    take(r, &value, sizeof value);
    return value;
}
static double take_double(reader *r) {
    double value;
    take(r, &value, sizeof value);
    return value;
}
// NULL where none were sent.
static const void *take_bytes(reader *r, uint64_t *size) {
    *size = take_u64(r);
    if (r->failed || *size == UINT64_MAX) {
        *size = 0;
        return NULL;
    }
    if ((uint64_t)(r->end - r->at) < *size) {
        r->failed = true;
        *size = 0;
        return NULL;
    }
    const void *data = r->at;
    r->at += *size;
    return data;
}
static const char *take_text(reader *r, size_t *length) {
    uint64_t size;
    const char *bytes = take_bytes(r, &size);
    const char *text = bytes ? base_arena_string(r->arena, bytes, size) : "";
    if (!text) r->failed = true;
    if (length) *length = size;
    return text ? text : "";
}

static void take_launch(reader *r, kz_launch *launch) {
    *launch = (kz_launch){.size = sizeof(kz_launch)};
    for (int i = 0; i < 3; i++) launch->grid[i] = take_u32(r);
    for (int i = 0; i < 3; i++) launch->block[i] = take_u32(r);
    launch->dynamic_shared_bytes = take_u32(r);
    launch->cooperative = take_u32(r) != 0;
}

static void take_run(reader *r, course_judge_run *run) {
    run->name = take_text(r, NULL);
    run->observe = take_text(r, NULL);
    run->schedule = take_u64(r);
    run->misalign = take_u32(r);
    run->want_outputs = take_u32(r) != 0;
    run->is_alone = take_u32(r) != 0;
    take_launch(r, &run->launch);
    run->buffer_count = take_u32(r);
    if (run->buffer_count > COURSE_PARAMETERS) r->failed = true;
    for (uint32_t i = 0; i < run->buffer_count && !r->failed; i++) {
        course_judge_buffer *b = &run->buffers[i];
        uint64_t size;
        b->name = take_text(r, NULL);
        b->type = (kz_type)take_u32(r);
        b->role = (course_role)take_u32(r);
        b->fill = (int)take_u32(r);
        b->count = take_u64(r);
        b->bytes = take_u64(r);
        b->data = take_bytes(r, &size);
        if (b->type >= KZ_TYPE_COUNT || (b->data && size != b->bytes)) r->failed = true;
    }
    run->argument_count = take_u32(r);
    if (run->argument_count > COURSE_PARAMETERS) r->failed = true;
    for (uint32_t i = 0; i < run->argument_count && !r->failed; i++) {
        run->arguments[i].is_buffer = take_u32(r) != 0;
        run->arguments[i].buffer = take_u32(r);
        run->arguments[i].bits = take_u64(r);
        if (run->arguments[i].is_buffer && run->arguments[i].buffer >= run->buffer_count) r->failed = true;
    }
}

kz_status course_judge_job_read(base_arena *arena, const void *data, size_t size, course_judge_job *job,
                                kz_error *error) {
    reader r = {.at = data, .end = (const char *)data + size, .arena = arena};
    *job = (course_judge_job){0};
    uint32_t version = take_u32(&r);
    if (r.failed || version != COURSE_JUDGE_VERSION) {
        base_fail(error, KZ_INVALID, "kz judge reads a grader's job from stdin, and this is none");
        base_fail_note(error, "it is started by kz grade and kz learn: kz grade FILE");
        return KZ_INVALID;
    }
    job->device = take_text(&r, NULL);
    job->name = take_text(&r, NULL);
    job->entry = take_text(&r, NULL);
    job->ptx = take_text(&r, NULL);
    job->seconds = take_double(&r);
    job->run_count = take_u32(&r);
    if (job->run_count > COURSE_JUDGE_RUNS) r.failed = true;
    job->runs = r.failed ? NULL : base_arena_alloc(arena, (job->run_count + 1) * sizeof *job->runs);
    for (uint32_t i = 0; job->runs && i < job->run_count && !r.failed; i++) take_run(&r, &job->runs[i]);
    course_judge_timing *t = &job->timing;
    t->wanted = take_u32(&r) != 0;
    t->bytes = take_double(&r);
    t->flops = take_double(&r);
    t->rival = take_text(&r, NULL);
    t->rival_entry = take_text(&r, NULL);
    take_launch(&r, &t->rival_launch);
    if (!r.failed && job->runs) return KZ_OK;
    return base_fail(error, KZ_INVALID, "the grader's job is cut short or damaged");
}

static void take_result(reader *r, course_judge_result *result) {
    result->status = (kz_status)(int32_t)take_u32(r);
    result->message = take_text(r, NULL);
    result->record = take_text(r, &result->record_length);
    uint32_t buffers = take_u32(r);
    if (buffers > COURSE_PARAMETERS) r->failed = true;
    for (uint32_t i = 0; i < buffers && !r->failed; i++) result->got[i] = take_bytes(r, &result->bytes[i]);
}

static void take_times(reader *r, course_judge_times *times) {
    double *const values[] = {
        &times->kernel,           &times->rival,           &times->copy,          &times->fma,
        &times->copy_bytes_per_s, &times->fma_flops_per_s, &times->relative_error};
    for (size_t i = 0; i < BASE_COUNT(values); i++) *values[i] = take_double(r);
    take_result(r, &times->check);
    times->measured = !r->failed;
}

kz_status course_judge_answer_read(const void *data, size_t size, course_judge_answer *answer,
                                   kz_error *error) {
    *answer = (course_judge_answer){.arena = base_arena_open(), .message = ""};
    if (answer->arena)
        answer->results = base_arena_alloc(answer->arena, COURSE_JUDGE_RUNS * sizeof(course_judge_result));
    if (!answer->results) return base_fail(error, KZ_NO_MEMORY, "no memory for the judge's answer");
    reader r = {.at = data, .end = (const char *)data + size, .arena = answer->arena};
    while (!r.failed && r.at < r.end && !answer->complete) {
        char piece = *r.at++;
        if (piece == COURSE_JUDGE_PIECE_DEVICE) {
            size_t length;
            const char *id = take_text(&r, &length);
            memcpy(answer->device, id, length < sizeof answer->device ? length : sizeof answer->device - 1);
        } else if (piece == COURSE_JUDGE_PIECE_RESULT && answer->count < COURSE_JUDGE_RUNS) {
            course_judge_result result = {0};
            take_result(&r, &result);
            if (!r.failed) answer->results[answer->count++] = result;
        } else if (piece == COURSE_JUDGE_PIECE_TIMES) {
            take_times(&r, &answer->times);
        } else if (piece == COURSE_JUDGE_PIECE_END) {
            answer->status = (kz_status)(int32_t)take_u32(&r);
            answer->message = take_text(&r, NULL);
            answer->complete = !r.failed;
        } else
            r.failed = true;
    }
    return KZ_OK; // a child that was stopped leaves a part: `complete` says so
}

void course_judge_answer_close(course_judge_answer *answer) {
    base_arena_close(answer->arena);
    *answer = (course_judge_answer){0};
}
