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
    for (size_t i = 0; i < q->remote_count; i++) h = add_text(h, bench_remote_name(q->remotes[i]));
    return h;
}

void bench_request_digest(const bench_run_info *run, const bench_request *q, char digest[BENCH_DIGEST]) {
    char name[FAMILY_CASE_NAME], how[BENCH_CONDITION_TEXT];
    family_case_name(q->family, q->c, name);
    uint64_t h = add_text(add_text(BASE_HASH, run->suite.digest), run->commit);
    h = add_text(add_text(h, run->device.name), run->device.gpu);
    h = add_number(add_number(h, run->device.kind), run->quick);
    h = add_number(add_text(add_text(h, q->family->name), name), q->seed);
    h = add_candidates(h, q);
    h = add_text(h, "conditions");
    for (size_t i = 0; i < q->condition_count; i++)
        h = add_text(h, bench_condition_name(q->conditions[i], how));
    snprintf(digest, BENCH_DIGEST, "%016llx", (unsigned long long)h);
}

// ---- what there is ------------------------------------------------------------------------------------------

struct bench_resume {
    json_t *found; // by run and digest: how many records are still missing
    json_t *done;  // by digest
    size_t torn;
};

static bool take_record(bench_resume *r, const json_t *record) {
    const json_t *request = json_object_get(record, "request");
    const char *digest = json_string_value(json_object_get(request, "digest"));
    const char *run = json_string_value(json_object_get(json_object_get(record, "run"), "id"));
    char key[80];
    if (!digest || !run) return true;
    snprintf(key, sizeof key, "%.40s %.20s", run, digest);
    json_t *left = json_object_get(r->found, key);
    json_int_t missing = json_integer_value(left ? left : json_object_get(request, "records")) - 1;
    if (json_object_set_new(r->found, key, json_integer(missing))) return false;
    return missing > 0 || json_object_set_new(r->done, digest, json_true()) == 0;
}

kz_status bench_resume_open(const char *path, bench_resume **out, kz_error *error) {
    bench_resume *r = *out = calloc(1, sizeof *r);
    if (r) r->found = json_object(), r->done = json_object();
    if (!r || !r->found || !r->done) return base_fail(error, KZ_NO_MEMORY, "no memory for earlier records");
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
    free(r);
}

size_t bench_resume_torn(const bench_resume *r) { return r ? r->torn : 0; }

bool bench_resume_has(const bench_resume *r, const char *digest) {
    return r && json_object_get(r->done, digest);
}
