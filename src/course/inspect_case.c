// Which case of a task the tools look at; see inspect.h.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "family/case.h"
#include "inspect.h"

// What the simulator does within seconds.
enum { MOST_ELEMENTS = 1 << 20, MOST_FLOPS = 1 << 24, WARP = 32 };

// ---- reading --------------------------------------------------------------------------------------------

static kz_status fail_word(const course_task *task, const char *word, kz_error *error) {
    base_text axes = {0};
    for (size_t i = 0; i < task->axis_count; i++)
        base_text_add(&axes, "%s%s=%lld", i ? "," : "", task->axes[i],
                      task->case_count ? (long long)task->cases[0].axes[i] : 1);
    base_fail(error, KZ_INVALID, "task %s has no case with \"%s\"", task->id, word);
    if (axes.length) base_fail_note(error, "name its sizes: --case %s", axes.data);
    base_fail_note(error, "kinds of data (nan, large, ...) and \"misaligned by 1\" may follow");
    base_text_free(&axes);
    return KZ_INVALID;
}

static bool read_number(const char *text, int64_t *value) {
    char *end;
    *value = strtoll(text, &end, 10);
    return end != text && *end == 0 && *value >= -(INT64_C(1) << 40) && *value <= INT64_C(1) << 40;
}

static kz_status read_word(const course_task *task, char *word, course_case *c, kz_error *error) {
    static const char misaligned[] = "misaligned by ", misalign[] = "misalign=";
    char *equals = strchr(word, '=');
    int64_t value = 0;
    const char *behind = NULL;
    if (strncmp(word, misaligned, sizeof misaligned - 1) == 0) behind = word + sizeof misaligned - 1;
    if (strncmp(word, misalign, sizeof misalign - 1) == 0) behind = word + sizeof misalign - 1;
    if (behind && read_number(behind, &value) && value >= 0 && value <= 1024) {
        c->misalign = (uint32_t)value;
        return KZ_OK;
    }
    for (size_t i = 0; equals && i < task->axis_count; i++) {
        size_t length = strlen(task->axes[i]);
        if ((size_t)(equals - word) != length || strncmp(word, task->axes[i], length)) continue;
        if (read_number(equals + 1, &value)) {
            c->axes[i] = value;
            return KZ_OK;
        }
    }
    kz_data data;
    if (!family_data_find(word, &data)) return fail_word(task, word, error);
    c->data = family_data_name(data);
    return KZ_OK;
}

kz_status course_case_read(const course_task *task, const char *text, course_case *c, kz_error *error) {
    char *copy = strdup(text), *state = NULL;
    if (!copy) return base_fail(error, KZ_NO_MEMORY, "no memory for a case");
    kz_status status = KZ_OK;
    c->data = NULL;
    c->misalign = 0;
    for (char *word = strtok_r(copy, ",", &state); word && !status; word = strtok_r(NULL, ",", &state)) {
        while (isspace((unsigned char)*word)) word++;
        for (size_t n = strlen(word); n && isspace((unsigned char)word[n - 1]); n--) word[n - 1] = 0;
        status = read_word(task, word, c, error);
    }
    free(copy);
    return status;
}

// ---- choosing -------------------------------------------------------------------------------------------

// Elements of all buffers together, or of the largest.
static kz_status count_elements(const course_task *task, const course_case *c, double *all, double *largest,
                                kz_error *error) {
    kz_status status = KZ_OK;
    *all = *largest = 0;
    for (size_t i = 0; i < task->parameter_count && !status; i++) {
        double count = 0;
        if (task->parameters[i].role == COURSE_SCALAR || !task->parameters[i].count) continue;
        status = course_evaluate(task, c, task->parameters[i].count, 0, &count, error);
        *all += count;
        if (count > *largest) *largest = count;
    }
    return status;
}

// Halves the largest size until elements and arithmetic are few enough.
static kz_status cut(const course_task *task, course_case *c, kz_error *error) {
    for (int step = 0; step < 64 * COURSE_AXES; step++) {
        double all = 0, largest = 0, flops = 0;
        kz_status status = count_elements(task, c, &all, &largest, error);
        if (!status && task->speed.flops)
            status = course_evaluate(task, c, task->speed.flops, 0, &flops, error);
        if (status || (all <= MOST_ELEMENTS && flops <= MOST_FLOPS)) return status;
        size_t longest = 0;
        for (size_t i = 1; i < task->axis_count; i++)
            if (c->axes[i] > c->axes[longest]) longest = i;
        if (task->axis_count == 0 || c->axes[longest] < 2) return KZ_OK;
        c->axes[longest] /= 2;
    }
    return KZ_OK;
}

static bool is_plain(const course_case *c) { return !c->data && !c->misalign; }

kz_status course_case_to_profile(const course_task *task, course_case *c, kz_error *error) {
    *c = (course_case){0};
    if (task->gate_count) {
        *c = task->gates[0].at;
        return KZ_OK;
    }
    if (task->speed.given) {
        *c = task->speed.at;
        return cut(task, c, error);
    }
    double most = -1;
    kz_status status = KZ_OK;
    for (size_t i = 0; i < task->case_count && !status; i++) {
        double all = 0, largest = 0;
        status = count_elements(task, &task->cases[i], &all, &largest, error);
        if (all <= most || (!is_plain(&task->cases[i]) && most >= 0)) continue;
        most = all;
        *c = task->cases[i];
    }
    return status;
}

kz_status course_case_to_debug(const course_task *task, course_case *c, kz_error *error) {
    *c = task->case_count ? task->cases[0] : (course_case){0};
    kz_status status = KZ_OK;
    for (size_t i = 0; i < task->case_count && !status; i++) {
        double all = 0, largest = 0;
        status = count_elements(task, &task->cases[i], &all, &largest, error);
        if (status || largest <= WARP || !is_plain(&task->cases[i])) continue;
        *c = task->cases[i];
        return KZ_OK;
    }
    return status;
}
