// A session: the instruments of one run, and the record of what they saw.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "observe/bounds.h"
#include "observe/caches.h"
#include "observe/faults.h"
#include "observe/lines.h"
#include "observe/record.h"
#include "observe/streams.h"
#include "observe/time.h"
#include "observe/fanout.h"

// The words of the options, each with the detector that it asks for; those without one are apart.
static const struct {
    const char *name;
    size_t offset;
    observe_detector *(*open)(observe_findings *findings);
} instruments[] = {
    {"counters", offsetof(observe_options, counters), NULL},
    {"caches", offsetof(observe_options, caches), NULL},
    {"races", offsetof(observe_options, races), observe_races_open},
    {"sync", offsetof(observe_options, sync), observe_sync_open},
    {NULL, offsetof(observe_options, sync), observe_products_open}, // these two come with it
    {NULL, offsetof(observe_options, sync), observe_mbarriers_open},
    {"undefined", offsetof(observe_options, undefined), observe_undefined_open},
    {NULL, offsetof(observe_options, undefined), observe_extents_open}, // comes with it
    {"numerics", offsetof(observe_options, numerics), observe_numerics_open},
    {"leaks", offsetof(observe_options, leaks), observe_leaks_open},
    {"hashes", offsetof(observe_options, hashes), observe_hashes_open},
    {"values", offsetof(observe_options, values), observe_values_open},
    {"time", offsetof(observe_options, time), NULL},
    {"cold", offsetof(observe_options, cold), NULL},
};
enum { INSTRUMENTS = BASE_COUNT(instruments) };

struct observe_session {
    observe_options options;
    observe_profiles profiles;
    observe_findings *findings;
    observe_lines *lines;
    observe_caches *caches;
    observe_streams *streams; // NULL until asked for
    observe_detector *detectors[INSTRUMENTS];
    size_t detector_count;
    observe_fanout *fanout;
    char *program;
    char *note; // lines for the record
    uint64_t seed;
    kz_status status; // of the first launch that failed
    char message[sizeof((kz_error *)0)->message];
    bool finished;
    observe_declared declared;
    const ptx_function *entry; // of the launch under way, or the last one
    observe_shape shape;       // likewise
};

static bool is_on(const observe_options *options, size_t i) {
    return *(const bool *)((const char *)options + instruments[i].offset);
}

static bool is_called(size_t i, const char *word, size_t length) {
    const char *name = instruments[i].name;
    return name && strlen(name) == length && strncmp(name, word, length) == 0;
}

kz_status observe_options_parse(const char *words, observe_options *options, kz_error *error) {
    *options = (observe_options){0};
    for (const char *at = words ? words : ""; *at;) {
        size_t length = strcspn(at, ","), i = 0;
        while (i < INSTRUMENTS && !is_called(i, at, length)) i++;
        if (length && i == INSTRUMENTS) {
            base_fail(error, KZ_INVALID, "there is no instrument \"%.*s\"", length > 80 ? 80 : (int)length,
                      at);
            base_text names = {0};
            for (size_t k = 0; k < INSTRUMENTS; k++)
                if (instruments[k].name) base_text_add(&names, "%s%s", k ? ", " : "", instruments[k].name);
            base_fail_note(error, "there are: %s", names.data ? names.data : "");
            base_text_free(&names);
            return KZ_INVALID;
        }
        if (length) *(bool *)((char *)options + instruments[i].offset) = true;
        at += length + (at[length] == ',');
    }
    return KZ_OK;
}

// ---- launches ---------------------------------------------------------------------------------------

static void note_launch(observe_session *session, const sim_launch_event *event) {
    session->entry = event->entry;
    memcpy(session->shape.grid, event->launch->grid, sizeof session->shape.grid);
    memcpy(session->shape.block, event->launch->block, sizeof session->shape.block);
}

static void on_begin(void *context, const sim_launch_event *event) {
    observe_session *session = context;
    note_launch(session, event);
    observe_profiles_begin(&session->profiles, event);
    observe_findings_launch(session->findings, event);
}

static void on_end(void *context, kz_status status) {
    observe_session *session = context;
    observe_profiles_end(&session->profiles, status);
    if (status && !session->status) session->status = status;
}

// ---- opening and closing ----------------------------------------------------------------------------

static bool open_instruments(observe_session *s) {
    bool good =
        observe_fanout_add(s->fanout, observe_findings_listener(s->findings)); // the first to know buffers
    if (good && s->options.counters) {
        s->lines = observe_lines_open(&s->profiles);
        good = s->lines && observe_fanout_add(s->fanout, observe_lines_listener(s->lines));
    }
    if (good && s->options.caches) {
        s->caches = observe_caches_open(&s->profiles);
        if (s->caches && s->options.cold) observe_caches_keep_host_out(s->caches);
        good = s->caches && observe_fanout_add(s->fanout, observe_caches_listener(s->caches));
    }
    for (size_t i = 0; good && i < INSTRUMENTS; i++) {
        if (!instruments[i].open || !is_on(&s->options, i)) continue;
        observe_detector *detector = instruments[i].open(s->findings);
        if (detector) s->detectors[s->detector_count++] = detector;
        good = detector && observe_fanout_add(s->fanout, &detector->listener);
    }
    return good;
}

kz_status observe_session_open(const observe_options *options, const observe_gpu *gpu,
                               observe_session **session, kz_error *error) {
    observe_session *made = calloc(1, sizeof *made);
    *session = NULL;
    if (!made) return base_fail(error, KZ_NO_MEMORY, "the host has no memory left for instruments");
    made->options = *options;
    made->profiles.gpu = *gpu;
    made->fanout = observe_fanout_open();
    made->findings = observe_findings_open();
    if (!made->fanout || !made->findings || !open_instruments(made)) {
        observe_session_close(made);
        return base_fail(error, KZ_NO_MEMORY, "the host has no memory left for instruments");
    }
    observe_fanout_set_hooks(made->fanout,
                             &(observe_fanout_hooks){.begin = on_begin, .end = on_end, .context = made});
    *session = made;
    return KZ_OK;
}

void observe_session_close(observe_session *session) {
    if (!session) return;
    for (size_t i = 0; i < session->detector_count; i++) session->detectors[i]->close(session->detectors[i]);
    observe_lines_close(session->lines);
    observe_caches_close(session->caches);
    observe_streams_close(session->streams);
    observe_profiles_close(&session->profiles);
    if (session->findings) observe_findings_close(session->findings);
    observe_fanout_close(session->fanout);
    free(session->program);
    free(session->note);
    free(session);
}

void observe_session_name(observe_session *session, const char *program, uint64_t seed) {
    free(session->program);
    size_t length = strlen(program ? program : "") + 1;
    session->program = malloc(length);
    if (session->program) memcpy(session->program, program ? program : "", length);
    session->seed = seed;
}

void observe_session_note(observe_session *session, const char *lines) {
    free(session->note);
    session->note = strdup(lines);
}

sim_listener *observe_session_listener(observe_session *session) {
    return observe_fanout_listener(session->fanout);
}

void observe_session_time(const observe_session *session, const observe_machine_code *code,
                          observe_time *time) {
    const observe_profiles *p = &session->profiles;
    observe_launch launch = {&p->gpu, p->shape, *code, 1};
    launch.shape.registers = code->registers;
    *time = (observe_time){0};
    if (session->caches && session->lines) *time = observe_time_of(&launch, &p->last);
}

bool observe_session_add(observe_session *session, observe_session *other) {
    return observe_fanout_add(session->fanout, observe_session_listener(other));
}

observe_streams *observe_session_streams(observe_session *session) {
    if (session->streams || !session->options.races) return session->streams;
    session->streams = observe_streams_open(session->findings);
    if (session->streams &&
        !observe_fanout_add(session->fanout, observe_streams_listener(session->streams))) {
        observe_streams_close(session->streams);
        session->streams = NULL;
    }
    return session->streams;
}

observe_findings *observe_session_findings(observe_session *session) { return session->findings; }

// ---- buffers ----------------------------------------------------------------------------------------

static void emit(sim_listener *listener, sim_memory_kind kind, uint64_t address, uint64_t bytes,
                 const char *name, uint64_t serial) {
    if (bytes == 0 || !listener->memory) return;
    listener->memory(listener,
                     &(sim_memory_event){
                         .kind = kind, .address = address, .bytes = bytes, .serial = serial, .label = name});
}

void observe_session_declare_buffer(observe_session *session, const observe_buffer *b) {
    sim_listener *listener = observe_session_listener(session);
    observe_declared_add(&session->declared, b);
    uint64_t front = b->data - b->base, behind = b->data + b->bytes, end = b->base + b->total;
    emit(listener, SIM_MEMORY_ALLOC, b->base, b->total, b->name, b->serial);
    if (b->element) observe_findings_describe(session->findings, b);
    emit(listener, SIM_MEMORY_HOST_WRITE, b->base, b->is_written ? b->total : front, NULL, 0);
    if (behind < end) emit(listener, SIM_MEMORY_HOST_WRITE, behind, end - behind, NULL, 0);
}

void observe_session_declare_written(observe_session *session, uint64_t address, uint64_t bytes) {
    emit(observe_session_listener(session), SIM_MEMORY_HOST_WRITE, address, bytes, NULL, 0);
}

// ---- faults -----------------------------------------------------------------------------------------

static observe_finding_kind kind_of(sim_fault_kind fault) {
    switch (fault) {
    case SIM_FAULT_BOUNDS: return OBSERVE_OUT_OF_BOUNDS;
    case SIM_FAULT_FREED: return OBSERVE_USE_AFTER_FREE;
    case SIM_FAULT_MISALIGNED: return OBSERVE_MISALIGNED;
    case SIM_FAULT_DEADLOCK: return OBSERVE_DEADLOCK;
    case SIM_FAULT_ENDLESS: return OBSERVE_ENDLESS_LOOP;
    case SIM_FAULT_BARRIER:
    case SIM_FAULT_BARRIER_OPERAND: return OBSERVE_BARRIER_DIVERGENT;
    case SIM_FAULT_SURFACE:
    case SIM_FAULT_TENSOR_BOUNDS: return OBSERVE_OUT_OF_BOUNDS;
    default: return OBSERVE_FAULT;
    }
}

void observe_session_fault(observe_session *session, const sim_launch_event *launch,
                           const sim_fault_info *fault, const kz_error *error) {
    if (error && !session->message[0])
        snprintf(session->message, sizeof session->message, "%s", error->message);
    if (!session->status) session->status = error && error->status ? error->status : KZ_FAULT;
    if (!fault || fault->kind == SIM_FAULT_NONE || fault->kind == SIM_FAULT_INTERRUPTED) return;
    if (launch) note_launch(session, launch);
    if (launch) observe_findings_launch(session->findings, launch);
    observe_finding finding = {
        .kind = kind_of(fault->kind),
        .first = {.inst = fault->inst,
                  .block = fault->block,
                  .thread = fault->thread,
                  .is_write = fault->is_write},
        .space = fault->space,
        .address = fault->address,
        .bytes = fault->bytes,
    };
    base_text words = {0};
    if (observe_explain_bounds(&session->declared, session->entry, &session->shape, fault, &words))
        snprintf(finding.text, sizeof finding.text, "%s", words.data ? words.data : "");
    else
        observe_explain_fault(fault, error ? error->message : "", finding.text, sizeof finding.text);
    base_text_free(&words);
    observe_findings_add(session->findings, &finding);
}

// ---- the record -------------------------------------------------------------------------------------

static void write_number(base_text *out, const char *name, double value) {
    base_text_add(out, ",\"%s\":", name);
    observe_write_number(out, value);
}

static void write_header(const observe_session *s, base_text *out) {
    const observe_gpu *gpu = &s->profiles.gpu;
    base_text_add(out, "{\"type\":\"record\",\"record\":\"kz\",\"version\":1,\"program\":");
    observe_write_string(out, s->program);
    base_text_add(out, ",\"gpu\":");
    observe_write_string(out, gpu->key);
    base_text_add(out, ",\"sm\":%u,\"multiprocessors\":%u", gpu->sm, gpu->multiprocessors);
    write_number(out, "l1_bytes", (double)gpu->l1_bytes);
    write_number(out, "l2_bytes", (double)gpu->l2_bytes);
    base_text_add(out, ",\"peaks\":{\"bandwidth\":");
    observe_write_number(out, gpu->bandwidth);
    write_number(out, "flops_f32", gpu->flops_f32);
    write_number(out, "flops_f64", gpu->flops_f64);
    write_number(out, "flops_f16", gpu->flops_f16);
    write_number(out, "clock", gpu->clock);
    base_text_add(out, "},\"seed\":%llu,\"instruments\":[", (unsigned long long)s->seed);
    const char *before = "";
    for (size_t i = 0; i < INSTRUMENTS; i++) {
        if (!instruments[i].name || !is_on(&s->options, i)) continue;
        base_text_add(out, "%s\"%s\"", before, instruments[i].name);
        before = ",";
    }
    base_text_add(out, "]}\n");
}

static void write_end(const observe_session *s, base_text *out) {
    const char *status = !s->status ? "ok" : s->status == KZ_TIMEOUT ? "timeout" : "fault";
    base_text_add(out, "{\"type\":\"end\",\"status\":\"%s\"", status);
    if (s->message[0]) {
        base_text_add(out, ",\"message\":");
        observe_write_string(out, s->message);
    }
    size_t errors = observe_findings_count(s->findings, OBSERVE_ERROR),
           warnings = observe_findings_count(s->findings, OBSERVE_WARNING),
           all = observe_findings_count(s->findings, OBSERVE_NOTE);
    base_text_add(out, ",\"launches\":%llu", (unsigned long long)s->profiles.launches);
    if (s->profiles.dropped) base_text_add(out, ",\"dropped\":%llu", (unsigned long long)s->profiles.dropped);
    base_text_add(out, ",\"findings\":{\"error\":%zu,\"warning\":%zu,\"note\":%zu}}\n", errors,
                  warnings - errors, all - warnings);
}

void observe_session_finish(observe_session *session, base_text *record) {
    for (size_t i = 0; i < session->detector_count && !session->finished; i++)
        if (session->detectors[i]->finish) session->detectors[i]->finish(session->detectors[i]);
    session->finished = true;
    write_header(session, record);
    observe_profiles_write(&session->profiles, record);
    observe_findings_write(session->findings, record);
    for (size_t i = 0; i < session->detector_count; i++)
        if (session->detectors[i]->write) session->detectors[i]->write(session->detectors[i], record);
    if (session->note) base_text_add_bytes(record, session->note, strlen(session->note));
    write_end(session, record);
}

void observe_session_peek(const observe_session *session, base_text *record) {
    write_header(session, record);
    observe_findings_write(session->findings, record);
}
