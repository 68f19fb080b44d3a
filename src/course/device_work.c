// Kernels must read the inputs and write the outputs. See device_work.h.
//
// All of it is told by values: an input's elements must be among the words that kernels read, an output's among those
// that they wrote, on whatever way they came there (copies, pinned or managed memory, parameters). And an output's may
// not be among the words that the host gave to kernels: a kernel that copies what the processor computed is no work.
#include "device_work.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "observe/observe.h"

// Fewer inputs than a warp has lanes may be treated apart, by the host. What is in a set is always found; some slack is
// for elements at an end. A set that is fuller than MOST_FULL has many words that nobody put there.
static const double ENOUGH = 0.9, MOST_FULL = 0.4, MOST_GIVEN = 0.5;
// So full it may be with much data, or after many steps, but not with so many words for each word of the data.
static const double MOST_GIVEN_EACH = 16, MOST_WRITTEN_EACH = 128, SCRATCH = 4096;
enum { FEW = 32, WORD = 4, SET_WORDS = OBSERVE_VALUES_BITS / 64 };

typedef struct set {
    uint64_t bits[SET_WORDS];
    double full; // part of the bits
} set;

typedef struct sets {
    set read, given, written, inputs;
} sets;

static bool read_set(const json_t *line, const char *name, set *s) {
    const char *text = report_get_text(line, name);
    if (strlen(text) != SET_WORDS * 16) return false;
    size_t ones = 0;
    for (size_t i = 0; i < SET_WORDS; i++) {
        char word[17] = {0};
        memcpy(word, text + i * 16, 16);
        s->bits[i] = strtoull(word, NULL, 16);
        ones += (size_t)__builtin_popcountll(s->bits[i]);
    }
    s->full = (double)ones / OBSERVE_VALUES_BITS;
    return true;
}

static bool has(const set *s, const void *words, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint32_t word, bit;
        memcpy(&word, (const char *)words + i * WORD, sizeof word);
        bit = observe_values_bit(word);
        if (!(s->bits[bit / 64] >> (bit % 64) & 1)) return false;
    }
    return true;
}

static void add(set *s, const void *data, size_t bytes) {
    for (size_t i = 0; i + WORD <= bytes; i += WORD) {
        uint32_t word, bit;
        memcpy(&word, (const char *)data + i, sizeof word);
        bit = observe_values_bit(word);
        s->bits[bit / 64] |= UINT64_C(1) << (bit % 64);
    }
}

// ---- one buffer -------------------------------------------------------------------------------------------

typedef struct tally {
    double elements, found, strange, given; // strange: in no input
} tally;

// Elements of less than a word are looked at by words.
static tally count(const course_data *data, size_t i, const void *from, const set *in, const sets *all) {
    size_t size = kz_type_size(data->task->parameters[i].type), unit = size < WORD ? WORD : size;
    double of_unit = (double)unit / (double)size;
    tally t = {0};
    for (size_t at = 0; at + unit <= data->bytes[i]; at += unit) {
        const char *words = (const char *)from + at;
        bool strange = !has(&all->inputs, words, unit / WORD);
        t.elements += of_unit;
        if (has(in, words, unit / WORD)) t.found += of_unit;
        if (strange) t.strange += of_unit;
        if (strange && has(&all->given, words, unit / WORD)) t.given += of_unit;
    }
    return t;
}

static void add_row(course_verdict *verdict, const char *summary, const char *likely, const char *next) {
    base_text detail = {0};
    base_text_add(&detail,
                  "The results are right, but kernels did not make them, as far as the simulator "
                  "saw.\nlikely: %s\nnext: %s\n",
                  likely, next);
    course_verdict_add(verdict, "device", COURSE_BAD, COURSE_FINDING, "device", summary,
                       detail.data ? detail.data : "");
    base_text_free(&detail);
}

static bool check_buffer(course_verdict *verdict, const course_data *data, size_t i, const sets *all,
                         const char *where) {
    const course_parameter *p = &data->task->parameters[i];
    double wanted = 0;
    if (course_evaluate(data->task, data->c, p->on_device ? p->on_device : p->count, 0, &wanted, NULL))
        return false;
    char summary[480];
    if (p->role != COURSE_OUTPUT) {
        tally t = count(data, i, data->host[i], &all->read, all);
        wanted = fmin(wanted, t.elements);
        if (t.found >= ENOUGH * wanted) return false;
        snprintf(summary, sizeof summary, "%s: kernels read %.0f of %.0f elements of %s", where, t.found,
                 wanted, p->name);
        add_row(verdict, summary, "the processor computes, and kernels see only a part of the data, or none",
                "copy the inputs to the device, or let kernels read them in pinned or managed memory");
        return true;
    }
    if (!data->got[i]) return false;
    tally t = count(data, i, data->got[i], &all->written, all);
    wanted = fmin(wanted, t.elements);
    if (t.found < ENOUGH * wanted) {
        snprintf(summary, sizeof summary, "%s: kernels wrote %.0f of %.0f elements of %s", where, t.found,
                 wanted, p->name);
        add_row(verdict, summary, "the processor computes them, or finishes what kernels began",
                "let a kernel write the results, and copy them back as they are");
        return true;
    }
    if (wanted <= 0 || t.strange < FEW || all->given.full > MOST_FULL || t.given <= MOST_GIVEN * t.strange)
        return false;
    snprintf(summary, sizeof summary, "%s: kernels read %.0f of %.0f elements of the result %s from the host",
             where, t.given, t.elements, p->name);
    add_row(verdict, summary, "the processor computes them, and a kernel copies what it was given",
            "give the inputs to the device, and let kernels compute");
    return true;
}

// Who floods a set finds everything in it.
static bool check_flood(course_verdict *verdict, const set *s, const char *did, double most,
                        const char *where) {
    double ones = s->full * OBSERVE_VALUES_BITS;
    char summary[300];
    if (s->full <= MOST_FULL || ones <= most + SCRATCH) return false;
    snprintf(summary, sizeof summary, "%s: kernels %s more than %.0f different values", where, did, ones);
    add_row(verdict, summary,
            "kernels use values that have nothing to do with the task, among which any would be found",
            "let kernels read the inputs and write the results, and little else");
    return true;
}

static double words_of(const course_data *data) {
    double words = 0;
    for (size_t i = 0; i < data->task->parameter_count; i++) words += (double)data->bytes[i] / WORD;
    return words;
}

// ---- all of them ------------------------------------------------------------------------------------------

static double inputs_of(const course_data *data, set *inputs) {
    double elements = 0;
    for (size_t i = 0; i < data->task->parameter_count; i++) {
        course_role role = data->task->parameters[i].role;
        if (role != COURSE_INPUT && role != COURSE_INOUT) continue;
        elements += (double)data->counts[i];
        add(inputs, data->host[i], data->bytes[i]);
    }
    return elements;
}

// Who keeps the simulator from listening has something to hide.
static bool add_silence(course_verdict *verdict, const char *where) {
    char summary[300];
    snprintf(summary, sizeof summary, "%s: the record does not say what kernels read and wrote", where);
    add_row(verdict, summary, "the program changes what the runtime library is told by its environment",
            "leave the environment, and the functions that read it, as they are");
    return true;
}

bool course_check_device_work(course_verdict *verdict, const course_data *data, size_t count,
                              const report_record *record, const char *where) {
    size_t at = 0;
    const json_t *line = report_record_next(record, "values", &at);
    sets *all = calloc(1, sizeof *all);
    if (!all) return false;
    bool is_known = read_set(line, "read", &all->read) && read_set(line, "given", &all->given) &&
                    read_set(line, "written", &all->written);
    bool bad = !is_known && add_silence(verdict, where);
    double words = 0;
    for (size_t k = 0; k < count; k++) words += words_of(&data[k]);
    bad = bad || check_flood(verdict, &all->written, "wrote", MOST_WRITTEN_EACH * words, where) ||
          check_flood(verdict, &all->given, "were given", MOST_GIVEN_EACH * words, where);
    for (size_t k = 0; k < count && !bad; k++) {
        if (inputs_of(&data[k], &all->inputs) < FEW) continue;
        for (size_t i = 0; i < data[k].task->parameter_count && !bad; i++)
            if (data[k].task->parameters[i].role != COURSE_SCALAR)
                bad = check_buffer(verdict, &data[k], i, all, where);
    }
    free(all);
    return bad;
}
