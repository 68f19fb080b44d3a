// bench/remote: see remote.h.
//
// A candidate belongs to one process. Where that ended for another candidate's sake, it is prepared again in the next
// one, and the condition it was in is opened again.
#include "bench/remote.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/peers.h"
#include "bench/runner.h"

// How long each request may take. Compilers and autotuners run in `prepare`, in the first run, and where a graph is
// recorded; importing PyTorch from a cold disk takes its time too.
typedef struct request_kind {
    const char *name, *doing;
    const char *shown; // while it is waited for
    double seconds;
    bool compiles; // or may: no --timeout is for it
} request_kind;

static const request_kind kinds[] = {
    {"hello", "starting", "starting", 300, true},
    {"offers", "saying what it does", "", 60, true},
    {"case", "mapping the buffers", "", 60, true},
    {"prepare", "preparing", "compiling", 900, true},
    {"run", "running once", "running once", 300, true},
    {"condition", "getting ready for samples", "getting ready", 300, true},
    {"sample", "taking a sample", "", 60, false},
    {"replay", "running once more", "", 60, false},
    {"done", "closing the case", "", 60, true},
};

struct bench_remote {
    char label[64], name[24], version[64], code[BENCH_DIGEST];
    char file[PATH_MAX], folder[PATH_MAX], missing[512], device[64];
    bench_process process;
    kz_status start_status; // KZ_OK, or how it failed to start
    kz_error start_error;
    const bench_data *data; // whose buffers the process has mapped
    size_t users;           // candidates of that case
    bench_remote_watcher watcher;
    char at_work[64]; // the candidate whose request it is; "" for none
    struct {
        char name[64];
        bench_loss loss;
    } lost[BENCH_REMOTE_NAMES + 1]; // in this case: who was at work when the process ended
    size_t lost_count;
    const char *shown; // of that request
};

typedef struct remote_candidate {
    bench_remote *remote;
    const bench_data *data;
    char name[64];
    unsigned generation; // of the process that prepared it
    json_int_t id;       // there
    double prepare_seconds;
    bool open; // in a condition
    bench_condition condition;
    double seconds; // of one run, as the condition was told
    bench_sample_shape shape;
} remote_candidate;

// ---- requests --------------------------------------------------------------------------------------------------

// {"ok": false, "kind": ..., "why": ...} as an error.
static kz_status refuse(bench_remote *r, const request_kind *kind, const json_t *reply, kz_error *error) {
    const char *what = json_string_value(json_object_get(reply, "kind"));
    const char *why = json_string_value(json_object_get(reply, "why"));
    if (!what || !why) what = "failed", why = "it gave no reason";
    if (strcmp(what, "missing") == 0) {
        snprintf(r->missing, sizeof r->missing, "%s", why);
        return base_fail(error, KZ_NOT_FOUND, "%s is not here: %s", r->name, why);
    }
    if (strcmp(what, "unsupported") == 0)
        return base_fail(error, KZ_UNSUPPORTED, "%s does not do it: %s", r->name, why);
    if (strcmp(what, "failed") == 0 && strcmp(kind->name, "condition") == 0)
        return base_fail(error, KZ_UNSUPPORTED, "%s cannot be timed so: %s", r->name, why);
    if (strcmp(what, "version") == 0)
        return base_fail(error, KZ_TOOL, "%s is of the wrong version: %s", r->name, why);
    base_fail(error, KZ_TOOL, "%s failed while %s: %s", r->name, kind->doing, why);
    if (strcmp(what, "lost") == 0) { // its own context is; ours lives on
        base_fail_note(error, "the device no longer answered its process, which was ended");
        bench_process_end(&r->process);
    }
    return KZ_TOOL;
}

// The process is gone: it crashed, or was ended because no answer came. Nobody is to blame for an interruption.
static void note_loss(bench_remote *r, kz_status status) {
    bool stopped = r->watcher.interrupted && r->watcher.interrupted();
    if (r->process.id || status == KZ_NOT_FOUND || stopped || r->lost_count == BASE_COUNT(r->lost)) return;
    memcpy(r->lost[r->lost_count].name, r->at_work, sizeof r->at_work);
    r->lost[r->lost_count++].loss = status == KZ_TIMEOUT ? BENCH_HUNG : BENCH_CRASHED;
}

bench_loss bench_remote_loss(const bench_remote *r, const char *name) {
    for (size_t i = 0; i < r->lost_count; i++)
        if (strcmp(r->lost[i].name, name) == 0) return r->lost[i].loss;
    return BENCH_NOT_LOST;
}

static void tell_waiting(void *self) {
    bench_remote *r = self;
    if (r->watcher.waiting) r->watcher.waiting(r->name, r->at_work, r->shown, r->watcher.context);
}

static bench_process_wait wait_for(bench_remote *r, const request_kind *kind) {
    const char *cap = getenv("KZ_RUNNER_TIMEOUT"); // whatever the request
    double seconds = cap ? atof(cap) : 0;
    if (seconds <= 0 && !kind->compiles) seconds = r->watcher.timeout;
    r->shown = kind->shown;
    return (bench_process_wait){.name = r->name,
                                .doing = kind->doing,
                                .seconds = seconds > 0 ? seconds : kind->seconds,
                                .interrupted = r->watcher.interrupted,
                                .waiting = tell_waiting,
                                .context = r};
}

// Takes the request, whose "do" is one of `kinds`. The reply may not be wanted.
static kz_status ask(bench_remote *r, json_t *request, json_t **reply, kz_error *error) {
    const char *name = json_string_value(json_object_get(request, "do"));
    const request_kind *kind = kinds;
    while (strcmp(kind->name, name) != 0) kind++;
    const bench_process_wait wait = wait_for(r, kind);
    json_t *got = NULL;
    kz_status status = bench_process_ask(&r->process, request, &wait, &got, error);
    if (status) note_loss(r, status);
    if (!status && !json_is_true(json_object_get(got, "ok"))) status = refuse(r, kind, got, error);
    json_decref(request);
    if (reply) *reply = status ? NULL : json_incref(got);
    json_decref(got);
    return status;
}

// ---- the process -----------------------------------------------------------------------------------------------

static void digest_file(const char *path, char digest[BENCH_DIGEST]) {
    char *text = NULL;
    size_t size = 0;
    uint64_t hash = BASE_HASH;
    if (base_file_read(path, &text, &size, NULL) == KZ_OK) hash = base_hash(hash, text, size);
    free(text);
    snprintf(digest, BENCH_DIGEST, "%016llx", (unsigned long long)hash);
}

kz_status bench_remote_open(const char *name, const char *file, const char *folder, bench_remote **remote,
                            kz_error *error) {
    bench_remote *r = *remote = calloc(1, sizeof *r);
    if (!r) return base_fail(error, KZ_NO_MEMORY, "no memory for a rival in Python");
    snprintf(r->label, sizeof r->label, "%s", name);
    snprintf(r->name, sizeof r->name, "%s", name);
    snprintf(r->file, sizeof r->file, "%s", file);
    snprintf(r->folder, sizeof r->folder, "%s", folder);
    digest_file(file, r->code);
    return KZ_OK;
}

void bench_remote_close(bench_remote *r) {
    if (!r) return;
    bench_process_end(&r->process);
    free(r);
}

const char *bench_remote_name(const bench_remote *r) { return r->name; }
const char *bench_remote_label(const bench_remote *r) { return r->label; }
const char *bench_remote_code(const bench_remote *r) { return r->code; }
const char *bench_remote_version(const bench_remote *r) { return r->version[0] ? r->version : NULL; }
bool bench_remote_is_alive(const bench_remote *r) { return r->process.id != 0; }
const char *bench_remote_missing(const bench_remote *r) { return r->missing; }

// $KZ_PYTHON; the environment that `tools/setup python` made in this checkout; the system's.
static void find_python(char path[PATH_MAX]) {
    const char *given = getenv("KZ_PYTHON");
    char above[BASE_PATH];
    snprintf(path, PATH_MAX, "%s", given && *given ? given : "python3");
    if ((given && *given) || base_self_path(above, NULL)) return;
    while (base_path_up(above)) {
        char own[PATH_MAX];
        snprintf(own, sizeof own, "%.4000s/.kz/python/bin/python", above);
        if (access(own, X_OK) == 0) {
            memcpy(path, own, sizeof own);
            return;
        }
    }
}

// There is no such program.
static kz_status fail_no_python(kz_error *error) {
    const char *given = getenv("KZ_PYTHON");
    if (!given || !*given)
        return base_fail(error, KZ_NOT_FOUND, "no Python: install python3, or let KZ_PYTHON name one");
    const char *why = !strchr(given, '/')        ? "there is no such program in PATH"
                      : access(given, X_OK) == 0 ? "it cannot be run"
                                                 : strerror(errno);
    return base_fail(error, KZ_NOT_FOUND,
                     "KZ_PYTHON names %.300s: %s; name a Python that is there, or unset it", given, why);
}

kz_status bench_python_packages(json_t *names, json_t **versions, kz_error *error) {
    static char script[] =
        "import importlib.metadata as m, json\n"
        "def version(name):\n"
        "    try: return m.version(name)\n"
        "    except m.PackageNotFoundError: return ''\n"
        "print(json.dumps({name: version(name) for name in json.loads(input())['names']}), flush=True)";
    const bench_process_wait wait = {.name = "Python", .doing = "listing its packages", .seconds = 60};
    bench_process process = {0};
    char python[PATH_MAX];
    json_t *request = json_pack("{so}", "names", names);
    find_python(python);
    kz_status status =
        bench_process_start(&process, (char *const[]){python, "-B", "-c", script, NULL}, error);
    if (!status) status = bench_process_ask(&process, request, &wait, versions, error);
    if (status == KZ_NOT_FOUND) fail_no_python(error);
    bench_process_end(&process);
    json_decref(request);
    return status;
}

static kz_status launch(bench_remote *r, const char *device, kz_error *error) {
    char python[PATH_MAX], runner[PATH_MAX + 32], library[PATH_MAX + 32];
    find_python(python);
    snprintf(runner, sizeof runner, "%s/kz-python/runner.py", r->folder);
    snprintf(library, sizeof library, "%s/libkz_runner.so", r->folder);
    snprintf(r->device, sizeof r->device, "%s", device);
    char *const arguments[] = {python, "-B", "-u", runner, r->file, library, r->device, NULL};
    r->data = NULL;
    return bench_process_start(&r->process, arguments, error);
}

// ---- names: they stand in tables, records and terminals ------------------------------------------------------------

static bool is_name(const char *name, size_t size, const char *others) {
    size_t length = strlen(name);
    bool good = length > 0 && length < size && name[0] != ' ' && name[length - 1] != ' ';
    for (const char *c = name; *c && good; c++)
        good = (*c >= '0' && *c <= '9') || (*c >= 'A' && *c <= 'Z') || (*c >= 'a' && *c <= 'z') ||
               strchr(others, *c);
    return good;
}

// What can be shown of a name that cannot.
static const char *shown(const char *name, char text[48]) {
    size_t i = 0;
    for (; name[i] && i < 40; i++) text[i] = name[i];
    for (size_t k = 0; k < i; k++)
        if (text[k] < ' ' || text[k] > '~') text[k] = '?';
    snprintf(text + i, 8, "%s", name[i] ? "..." : "");
    return text;
}

// A provider of one's own takes nobody's name: by it, records tell our own kernels, peaks and rivals apart.
static kz_status check_name(const bench_remote *r, const char *name, kz_error *error) {
    static const char *const reserved[] = {"kz", "guest", "peak", "none", "all", "chosen", "best", "rivals"};
    bool taken = bench_rival_find(name);
    char text[48];
    for (size_t i = 0; i < BASE_COUNT(reserved); i++) taken = taken || strcmp(name, reserved[i]) == 0;
    if (!is_name(name, sizeof r->name, "_-."))
        return base_fail(error, KZ_TOOL,
                         "%s: NAME = \"%s\" is no name: write 1 to %zu letters, digits, _ - or .", r->file,
                         shown(name, text), sizeof r->name - 1);
    if (taken && strcmp(name, r->name) != 0)
        return base_fail(error, KZ_TOOL, "%s: NAME = \"%s\" means something else to kz: write another, my_%s",
                         r->file, name, name);
    return KZ_OK;
}

// A version stands in records, and --resume compares it: it is whole, or refused.
static kz_status check_version(const bench_remote *r, const char *version, kz_error *error) {
    char text[48];
    if (is_name(version, sizeof r->version, " _-.,:;+*/=()~!")) return KZ_OK;
    return base_fail(
        error, KZ_TOOL,
        "%s: version() gives \"%s\", which is none: give 1 to %zu letters, digits, spaces within, or "
        "plain signs, as in \"2.11.0+cu130\"",
        r->file, shown(version, text), sizeof r->version - 1);
}

static kz_status check_offer(const bench_remote *r, const bench_remote_offer *offer, const char *name,
                             kz_error *error) {
    char text[48];
    if (offer->count == BENCH_REMOTE_NAMES)
        return base_fail(error, KZ_TOOL, "%s offers more than %d candidates for a case: offer fewer", r->name,
                         BENCH_REMOTE_NAMES);
    if (!name) return base_fail(error, KZ_TOOL, "%s: offers() must give a list of strings", r->name);
    for (size_t i = 0; i < offer->count; i++)
        if (strcmp(offer->names[i], name) == 0)
            return base_fail(error, KZ_TOOL, "%s offers two candidates that are called \"%s\"", r->name,
                             name);
    if (is_name(name, sizeof offer->names[0], " _-.,:;+*/=<>()[]{}#@%&|^~!?'$")) return KZ_OK;
    return base_fail(error, KZ_TOOL,
                     "%s offers a candidate \"%s\", which is no name: write 1 to %zu letters, digits, spaces "
                     "within, or plain signs, no quotes",
                     r->name, shown(name, text), sizeof offer->names[0] - 1);
}

static kz_status greet(bench_remote *r, kz_error *error) {
    json_t *reply = NULL;
    kz_status status =
        ask(r, json_pack("{ss, si}", "do", "hello", "interface", BENCH_RUNNER_INTERFACE), &reply, error);
    const char *name = json_string_value(json_object_get(reply, "name"));
    const char *version = json_string_value(json_object_get(reply, "version"));
    if (!status && (!name || !*name || !version))
        status = base_fail(error, KZ_TOOL, "%s does not say its NAME and version()", r->file);
    if (!status) status = check_name(r, name, error);
    if (!status) status = check_version(r, version, error);
    if (!status) {
        snprintf(r->name, sizeof r->name, "%s", name);
        snprintf(r->version, sizeof r->version, "%s", version);
    }
    json_decref(reply);
    return status;
}

// One that does not start would not the next time either, and may have hung for minutes.
static kz_status start(bench_remote *r, const char *device, kz_error *error) {
    if (strcmp(r->device, device) != 0) bench_process_end(&r->process); // it was for another
    if (r->process.id) return KZ_OK;
    if (r->start_status) {
        if (error) *error = r->start_error;
        return r->start_status;
    }
    kz_error own = {0};
    kz_status status = launch(r, device, &own);
    if (!status) status = greet(r, &own);
    if (status) bench_process_end(&r->process);
    if (status == KZ_NOT_FOUND && !r->missing[0]) {
        fail_no_python(&own);
        snprintf(r->missing, sizeof r->missing, "%.500s", own.message);
    }
    if (status && error) *error = own;
    if (!r->watcher.interrupted || !r->watcher.interrupted()) r->start_status = status, r->start_error = own;
    return status;
}

void bench_remote_identify(bench_remote *r, const char *device, bool (*interrupted)(void)) {
    if (r->version[0] || r->start_status) return;
    r->watcher = (bench_remote_watcher){.interrupted = interrupted};
    start(r, device, NULL);
    bench_process_end(&r->process);
}

// ---- a case ------------------------------------------------------------------------------------------------------

// The process runs, and has this case's buffers mapped.
static kz_status share_case(bench_remote *r, const bench_data *data, kz_error *error) {
    kz_status status = start(r, kz_device_get_info(data->device)->id, error);
    if (status || r->data == data) return status;
    json_t *buffers;
    status = bench_remote_buffers(data, &buffers, error);
    json_t *request =
        json_pack("{ss, so, sI, sI, so}", "do", "case", "problem", bench_remote_problem(data), "sets",
                  (json_int_t)data->sets, "misalign", (json_int_t)data->c.misalign, "buffers", buffers);
    if (status) {
        json_decref(request);
        return status;
    }
    status = ask(r, request, NULL, error);
    if (!status) r->data = data;
    return status;
}

kz_status bench_remote_offers(bench_remote *r, const bench_data *data, const bench_remote_watcher *watcher,
                              bench_remote_offer *offer, kz_error *error) {
    *offer = (bench_remote_offer){0};
    r->watcher = *watcher;
    r->at_work[0] = 0;
    r->lost_count = 0;
    kz_status status = start(r, kz_device_get_info(data->device)->id, error);
    json_t *reply = NULL, *one;
    size_t index;
    if (!status)
        status = ask(r, json_pack("{ss, so}", "do", "offers", "problem", bench_remote_problem(data)), &reply,
                     error);
    json_array_foreach(json_object_get(reply, "names"), index, one) {
        const char *name = json_string_value(one);
        status = check_offer(r, offer, name, error);
        if (status) break;
        snprintf(offer->names[offer->count++], sizeof offer->names[0], "%s", name);
    }
    json_decref(reply);
    return status;
}

// ---- a candidate ---------------------------------------------------------------------------------------------------

static kz_status prepare(remote_candidate *c, kz_error *error) {
    memcpy(c->remote->at_work, c->name, sizeof c->name);
    kz_status status = share_case(c->remote, c->data, error);
    json_t *reply = NULL;
    if (!status)
        status = ask(c->remote, json_pack("{ss, ss}", "do", "prepare", "name", c->name), &reply, error);
    if (!status) {
        c->id = json_integer_value(json_object_get(reply, "candidate"));
        c->prepare_seconds = json_number_value(json_object_get(reply, "seconds"));
        c->generation = c->remote->process.generation;
    }
    json_decref(reply);
    return status;
}

static kz_status open_condition(remote_candidate *c, kz_error *error) {
    json_t *reply = NULL;
    json_t *request =
        json_pack("{ss, sI, ss, ss, ss, sf}", "do", "condition", "candidate", c->id, "mode",
                  bench_mode_name(c->condition.mode), "cache", bench_cache_name(c->condition.cache), "stream",
                  bench_stream_name(c->condition.stream), "seconds", c->seconds);
    kz_status status = ask(c->remote, request, &reply, error);
    c->open = !status;
    c->shape.runs = (size_t)json_integer_value(json_object_get(reply, "runs"));
    c->shape.graph_sets = (size_t)json_integer_value(json_object_get(reply, "graph_sets"));
    json_decref(reply);
    return status;
}

// The process it was prepared in may have ended with another candidate.
static kz_status revive(remote_candidate *c, kz_error *error) {
    const bench_process *process = &c->remote->process;
    memcpy(c->remote->at_work, c->name, sizeof c->name);
    if (process->id && c->generation == process->generation) return KZ_OK;
    bool was_open = c->open;
    kz_status status = prepare(c, error);
    return !status && was_open ? open_condition(c, error) : status;
}

static json_t *request(const remote_candidate *c, const char *what) {
    return json_pack("{ss, sI}", "do", what, "candidate", c->id);
}

// One whole run on set 0, for the check: it begins after what was enqueued here, and has ended when this returns.
static kz_status remote_enqueue(void *self, kz_stream *stream, size_t set, kz_error *error) {
    remote_candidate *c = self;
    kz_status status = kz_stream_synchronize(c->data->device, stream, error);
    if (!status) status = revive(c, error);
    if (status) return status;
    json_t *run = request(c, "run");
    json_object_set_new(run, "seed", json_integer((json_int_t)c->data->seed)); // new ones are packed first
    return ask(c->remote, run, NULL, error);
}

static kz_status remote_open(void *self, bench_condition condition, double seconds, bench_sample_shape *shape,
                             kz_error *error) {
    remote_candidate *c = self;
    c->open = false;
    c->condition = condition;
    c->seconds = seconds;
    kz_status status = revive(c, error);
    if (!status) status = open_condition(c, error);
    *shape = c->shape;
    return status;
}

static kz_status remote_sample(void *self, double *seconds, kz_error *error) {
    remote_candidate *c = self;
    json_t *reply = NULL;
    kz_status status = revive(c, error);
    if (!status) status = ask(c->remote, request(c, "sample"), &reply, error);
    *seconds = json_number_value(json_object_get(reply, "seconds"));
    json_decref(reply);
    if (status || (isfinite(*seconds) && *seconds > 0)) return status;
    return base_fail(error, KZ_TOOL, "%s gave %g s for a sample, which is no time", c->remote->name,
                     *seconds);
}

static kz_status remote_replay(void *self, size_t set, kz_error *error) {
    remote_candidate *c = self;
    kz_status status = revive(c, error);
    if (status) return status;
    json_t *replay = request(c, "replay");
    json_object_set_new(replay, "set", json_integer((json_int_t)set));
    return ask(c->remote, replay, NULL, error);
}

// The last one of a case makes the process let go of the memory, which is freed next.
static void remote_close(void *self) {
    remote_candidate *c = self;
    bench_remote *r = c->remote;
    if (--r->users == 0 && r->data) {
        if (r->process.id) ask(r, json_pack("{ss}", "do", "done"), NULL, NULL);
        r->data = NULL;
    }
    free(c);
}

static const bench_elsewhere elsewhere = {remote_open, remote_sample, remote_replay};

kz_status bench_candidate_remote(const bench_data *data, bench_remote *r, const char *name,
                                 bench_candidate *candidate, kz_error *error) {
    *candidate = bench_candidate_blank(BENCH_PEER, r->name, name);
    snprintf(candidate->version, sizeof candidate->version, "%s", r->version);
    remote_candidate *c = calloc(1, sizeof *c);
    if (!c) return base_fail(error, KZ_NO_MEMORY, "no memory for a candidate");
    c->remote = r;
    c->data = data;
    snprintf(c->name, sizeof c->name, "%s", name);
    r->users++;
    candidate->self = c;
    candidate->enqueue = remote_enqueue;
    candidate->elsewhere = &elsewhere;
    candidate->close = remote_close;
    kz_status status = prepare(c, error);
    candidate->prepare_seconds = c->prepare_seconds;
    if (status) bench_candidate_close(candidate);
    return status;
}
