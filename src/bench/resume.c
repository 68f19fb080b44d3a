// bench/resume: see resume.h.
#include "bench/resume.h"

#include <stdlib.h>
#include <string.h>

#include "bench/records.h"

// ---- what a request is ------------------------------------------------------------------------------------

static uint64_t add_text(uint64_t hash, const char *text) { // with its end, so that "a","b" is not "ab"
    return base_hash(hash, text ? text : "", text ? strlen(text) + 1 : 1);
}

static uint64_t add_number(uint64_t hash, uint64_t value) {
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    return add_text(hash, text);
}

static uint64_t add_candidates(uint64_t h, const bench_request *q) {
    for (size_t i = 0; i < q->variant_count; i++) h = add_text(h, q->variants[i]->name);
    h = add_text(h, "guest");
    if (q->guest) {
        char code[BENCH_DIGEST];
        bench_image_hash(family_guest_image(q->guest), code);
        h = add_text(add_text(h, family_guest_name(q->guest)), code);
    }
    for (size_t i = 0; i < q->peer_count; i++) h = add_text(h, q->peers[i]->name);
    for (size_t i = 0; i < q->remote_count; i++) h = add_text(h, bench_remote_code(q->remotes[i]));
    return h;
}

static uint64_t add_rule(uint64_t h, const bench_rule *rule) {
    char text[160];
    snprintf(text, sizeof text, "%zu %g %g %g %g %g", rule->least_samples, rule->least_seconds,
             rule->precision, rule->most_seconds, rule->warm_precision, rule->warm_seconds);
    return add_text(h, text);
}

void bench_request_digest(const bench_run_info *run, const bench_request *q, char digest[BENCH_DIGEST]) {
    char name[FAMILY_CASE_NAME], how[BENCH_CONDITION_TEXT];
    family_case_name(q->family, q->c, name);
    uint64_t h = add_text(add_text(BASE_HASH, run->suite.digest), run->commit);
    h = add_text(add_text(h, run->device.name), run->device.gpu);
    h = add_number(add_number(h, run->device.kind), run->quick);
    h = add_number(add_text(add_text(h, q->family->name), name), q->seed);
    h = add_rule(add_candidates(h, q), &q->rule);
    h = add_text(h, "conditions");
    for (size_t i = 0; i < q->condition_count; i++)
        h = add_text(h, bench_condition_name(q->conditions[i], how));
    snprintf(digest, BENCH_DIGEST, "%016llx", (unsigned long long)h);
}

json_t *bench_request_rivals(const bench_request *q) {
    bool cpu = q->device && kz_device_get_info(q->device)->kind == KZ_DEVICE_CPU;
    json_t *rivals = json_object();
    int failed = !rivals;
    for (size_t i = 0; i < q->peer_count && !failed; i++) {
        const kz_peer *peer = q->peers[i];
        const char *why, *version;
        if (!bench_peer_offer(peer, q->family, q->c, cpu)) continue;
        version = peer->version(&why);
        failed = json_object_set_new(rivals, peer->name, version ? json_string(version) : json_null());
    }
    for (size_t i = 0; i < q->remote_count && !failed; i++) {
        const char *version = bench_remote_version(q->remotes[i]);
        failed = json_object_set_new(rivals, bench_remote_label(q->remotes[i]),
                                     version ? json_string(version) : json_null());
    }
    if (!failed) return rivals;
    json_decref(rivals);
    return NULL;
}

// ---- what there is ------------------------------------------------------------------------------------------

struct bench_resume {
    json_t *found; // by run and digest: the records that are there, each once, and whether one of them failed
    json_t *done;  // by digest: a list of runs, the rivals of each and whether a candidate failed
    json_t *providers; // by digest: who has a record
    size_t torn;
};

static bool has_failed(const json_t *record) {
    static const char *const names[] = {"crashed", "hung", "faulted", "failed", "wrong"};
    const char *status = json_string_value(json_object_get(record, "status"));
    for (size_t i = 0; status && i < BASE_COUNT(names); i++)
        if (strcmp(status, names[i]) == 0) return true;
    return false;
}

static bool add_run(json_t *done, const char *digest, json_t *rivals, bool failed) {
    if (!json_object_get(done, digest) && json_object_set_new(done, digest, json_array())) return false;
    json_t *one = json_pack("{sO?, sb}", "rivals", rivals, "failed", failed);
    return one && json_array_append_new(json_object_get(done, digest), one) == 0;
}

static const char *text_of(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

// What a request has one record of: a candidate under a condition. A line may be there twice, where files were merged.
static bool add_record(json_t *seen, const json_t *record) {
    const json_t *candidate = json_object_get(record, "candidate");
    base_text name = {0};
    base_text_add(&name, "%s %s / %s %s %s", text_of(candidate, "by"), text_of(candidate, "name"),
                  text_of(record, "mode"), text_of(json_object_get(record, "cache"), "state"),
                  text_of(record, "stream"));
    bool added = !name.failed && json_object_set_new(seen, name.data, json_true()) == 0;
    base_text_free(&name);
    return added;
}

static bool add_provider(json_t *providers, const char *digest, const json_t *record) {
    const char *by = text_of(json_object_get(record, "candidate"), "by");
    if (!json_object_get(providers, digest) && json_object_set_new(providers, digest, json_object()))
        return false;
    return json_object_set_new(json_object_get(providers, digest), by, json_true()) == 0;
}

static bool take_record(bench_resume *r, const json_t *record) {
    const json_t *request = json_object_get(record, "request");
    const char *digest = text_of(request, "digest"), *run = text_of(json_object_get(record, "run"), "id");
    char key[80];
    if (!*digest || !*run) return true;
    if (!add_provider(r->providers, digest, record)) return false;
    snprintf(key, sizeof key, "%.40s %.20s", run, digest);
    json_t *found = json_object_get(r->found, key);
    if (!found) {
        found = json_pack("{s{}, sb}", "seen", "failed", 0);
        if (json_object_set_new(r->found, key, found)) return false;
    }
    json_t *seen = json_object_get(found, "seen");
    size_t before = json_object_size(seen);
    if (!add_record(seen, record)) return false;
    if (json_object_size(seen) == before) return true;
    if (has_failed(record) && json_object_set_new(found, "failed", json_true())) return false;
    json_int_t all = json_integer_value(json_object_get(request, "records"));
    return (json_int_t)json_object_size(seen) != all ||
           add_run(r->done, digest, json_object_get(request, "rivals"),
                   json_is_true(json_object_get(found, "failed")));
}

kz_status bench_resume_open(const char *path, bench_resume **out, kz_error *error) {
    bench_resume *r = *out = calloc(1, sizeof *r);
    if (r) r->found = json_object(), r->done = json_object(), r->providers = json_object();
    if (!r || !r->found || !r->done || !r->providers)
        return base_fail(error, KZ_NO_MEMORY, "no memory for earlier records");
    if (!base_file_exists(path)) return KZ_OK;
    json_t *records = NULL, *record;
    size_t i;
    kz_status status = bench_records_read_all(path, &records, &r->torn, error);
    bool kept = true;
    json_array_foreach(records, i, record) kept = kept && take_record(r, record);
    json_decref(records);
    if (!status && !kept) status = base_fail(error, KZ_NO_MEMORY, "no memory for the records in %s", path);
    return status;
}

void bench_resume_close(bench_resume *r) {
    if (!r) return;
    json_decref(r->found);
    json_decref(r->done);
    json_decref(r->providers);
    free(r);
}

size_t bench_resume_torn(const bench_resume *r) { return r ? r->torn : 0; }

// Whoever can be used now was there, of the same version.
static bool had_rivals(const json_t *then, const json_t *now) {
    const char *name;
    json_t *version;
    json_object_foreach((json_t *)now, name, version) {
        json_t *was = json_object_get(then, name);
        if (was && json_is_string(version) && !json_equal(was, version)) return false;
    }
    return true;
}

size_t bench_resume_runs(const bench_resume *r, const char *digest) {
    return r ? json_array_size(json_object_get(r->done, digest)) : 0;
}

json_t *bench_resume_providers(const bench_resume *r, const char *digest) {
    return r ? json_object_get(r->providers, digest) : NULL;
}

bench_resume_answer bench_resume_ask(const bench_resume *r, const char *digest, const json_t *rivals) {
    bench_resume_answer best = BENCH_NOT_MEASURED;
    size_t i;
    json_t *run;
    json_array_foreach(r ? json_object_get(r->done, digest) : NULL, i, run) {
        bool failed = json_is_true(json_object_get(run, "failed")),
             without = !had_rivals(json_object_get(run, "rivals"), rivals);
        bench_resume_answer one = without  ? BENCH_MEASURED_WITHOUT
                                  : failed ? BENCH_MEASURED_FAILING
                                           : BENCH_MEASURED;
        if (one > best) best = one;
    }
    return best;
}
