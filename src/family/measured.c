// Choice by shape: what was measured of nearly this shape, else what a model says. See measured.h and kz_choose.
#include "family/measured.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "family/case.h"
#include "family/choice.h"

// ---- rows ----------------------------------------------------------------------------------------

enum { LINE = 320, COLUMNS = 4, MOST_BYTES = 1 << 22, SHOWN = 3 };
static const double near = 0.15; // powers of two: what lies further off is another problem

static bool read_row(const kz_family *family, char *line, family_measured_row *row) {
    char *column[COLUMNS], *rest = line, *end;
    for (size_t i = 0; i < COLUMNS; i++)
        if (!(column[i] = strsep(&rest, ","))) return false;
    if (rest || strlen(column[0]) >= sizeof row->gpu || strlen(column[1]) >= FAMILY_CASE_NAME) return false;
    strcpy(row->gpu, column[0]);
    row->variant = kz_variant_find(family, column[2]);
    row->microseconds = strtod(column[3], &end);
    if (end == column[3] || *end || !(row->microseconds > 0)) return false;
    return row->variant && family_case_read(family, column[1], &row->c, NULL) == KZ_OK;
}

bool family_measured_next(const kz_family *family, const char **text, family_measured_row *row, size_t *bad) {
    while (**text) {
        const char *line = *text;
        size_t length = strcspn(line, "\n");
        *text = line + length + (line[length] == '\n');
        if (length == 0 || line[0] == '#') continue;
        if (strncmp(line, FAMILY_MEASURED_HEADER, length) == 0) continue;
        char own[LINE];
        if (length < sizeof own) {
            memcpy(own, line, length);
            own[length] = 0;
            if (read_row(family, own, row)) return true;
        }
        if (bad) ++*bad;
    }
    return false;
}

double family_measured_distance(const kz_family *family, const kz_case *a, const kz_case *b) {
    if (a->operation != b->operation || a->type != b->type || a->misalign != b->misalign) return HUGE_VAL;
    double distance = 0.0;
    for (size_t i = 0; i < KZ_CASE_AXES && family->axes[i]; i++) {
        if ((a->axes[i] % 8 == 0) != (b->axes[i] % 8 == 0)) return HUGE_VAL;
        distance += fabs(log2((double)a->axes[i] + 1.0) - log2((double)b->axes[i] + 1.0));
    }
    return distance;
}

// Whether a row behind `text` is about the same GPU and case.
static bool is_replaced(const kz_family *family, const family_measured_row *row, const char *text) {
    family_measured_row other;
    while (family_measured_next(family, &text, &other, NULL))
        if (strcmp(other.gpu, row->gpu) == 0 && family_measured_distance(family, &row->c, &other.c) == 0)
            return true;
    return false;
}

void family_measured_tidy(const kz_family *family, const char *text, base_text *tidy) {
    base_text_add(tidy, "%s", FAMILY_MEASURED_HEADER);
    while (*text) {
        const char *line = text, *one = text;
        size_t length = strcspn(line, "\n");
        text += length + (line[length] == '\n');
        family_measured_row row;
        if (length == 0 || strncmp(line, FAMILY_MEASURED_HEADER, length) == 0) continue;
        bool is_row = line[0] != '#' && family_measured_next(family, &one, &row, NULL) && one == text;
        if (is_row && is_replaced(family, &row, text)) continue;
        base_text_add(tidy, "%.*s\n", (int)length, line);
    }
}

bool family_measured_path(const kz_family *family, base_text *path) {
    if (!base_state_folder(path)) return false;
    base_text_add(path, "/measured_%s.csv", family->name);
    return !path->failed;
}

// ---- by what was measured ------------------------------------------------------------------------------

typedef struct question {
    const kz_family *family;
    const kz_case *c;
    const kz_device_info *device;
    bool deterministic;
} question;

typedef struct finding {
    family_measured_row row;
    double distance;
    size_t shapes, bad; // of this GPU; lines passed over
} finding;

// The nearest row whose variant does the case; of equals the last, for new rows come behind.
static finding search(const question *q, const char *text) {
    finding found = {.distance = HUGE_VAL};
    family_measured_row row;
    while (family_measured_next(q->family, &text, &row, &found.bad)) {
        if (strcmp(row.gpu, q->device->gpu) != 0) continue;
        found.shapes++;
        double distance = family_measured_distance(q->family, q->c, &row.c);
        if (distance > near || distance > found.distance) continue;
        if (!family_will_do(q->family, row.variant, q->c, q->device, q->deterministic)) continue;
        found.row = row;
        found.distance = distance;
    }
    return found;
}

static const kz_variant *take(const question *q, const char *text, const char *where, base_text *why) {
    finding found = search(q, text);
    if (found.bad)
        base_text_add(why, "%zu line%s of %s passed over: not gpu,case,variant,microseconds; ", found.bad,
                      found.bad == 1 ? "" : "s", where);
    if (found.distance == HUGE_VAL) return NULL;
    char name[FAMILY_CASE_NAME];
    family_case_name(q->family, &found.row.c, name);
    base_text_add(why, "measured: %.4g us for %s, %s %zu shapes of %s in %s", found.row.microseconds, name,
                  found.distance == 0 ? "one of the" : "the nearest of", found.shapes, q->device->gpu, where);
    return found.row.variant;
}

static const kz_variant *choose_measured(const question *q, base_text *why) {
    if (!q->device->gpu[0]) return NULL;
    const kz_variant *chosen = NULL;
    base_text path = {0};
    char *own = NULL;
    size_t size;
    if (family_measured_path(q->family, &path) && base_file_exists(path.data) &&
        base_file_read_untrusted(path.data, MOST_BYTES, &own, &size, NULL) == KZ_OK)
        chosen = take(q, own, path.data, why);
    free(own);
    base_text_free(&path);
    const char *built_in = q->family->embedded ? q->family->embedded->measured : NULL;
    if (!chosen && built_in) chosen = take(q, built_in, "measured.csv", why);
    return chosen;
}

// ---- by the model --------------------------------------------------------------------------------------

typedef struct estimate {
    const kz_variant *variant;
    double time;
    char how[KZ_ESTIMATE_HOW];
} estimate;

// Into the `SHOWN` best, the least time first; of equals the first variant stays first.
static void insert(estimate best[SHOWN], const estimate *new) {
    size_t at = SHOWN;
    while (at > 0 && (!best[at - 1].variant || new->time < best[at - 1].time)) at--;
    if (at == SHOWN) return;
    memmove(&best[at + 1], &best[at], (SHOWN - 1 - at) * sizeof *best);
    best[at] = *new;
}

// The best, and those that nobody has timed.
static void explain_estimated(const question *q, const estimate best[SHOWN], const base_text *untimed,
                              base_text *why) {
    const char *known = q->device->gpu[0] ? q->device->gpu : q->device->id;
    base_text_add(why, "the model, for no near shape was measured on %s: ", known);
    for (size_t i = 0; i < SHOWN && best[i].variant; i++)
        base_text_add(why, "%s%s: %s, %.3g us", i ? "; " : "", best[i].variant->name, best[i].how,
                      best[i].time);
    if (untimed->length) base_text_add(why, "; not timed on a GPU yet, so left out: %s", untimed->data);
}

static const kz_variant *choose_estimated(const question *q, base_text *why) {
    estimate best[SHOWN] = {{0}};
    base_text waiting = {0};
    for (size_t i = 0; i < q->family->variant_count; i++) {
        estimate one = {.variant = &q->family->variants[i]};
        if (!family_will_do(q->family, one.variant, q->c, q->device, q->deterministic)) continue;
        one.time = q->family->estimate(q->c, q->device, one.variant, one.how);
        if (one.time >= 0 && one.variant->untimed)
            base_text_add(&waiting, "%s%s", waiting.length ? ", " : "", one.variant->name);
        if (one.time >= 0 && !one.variant->untimed) insert(best, &one);
    }
    if (best[0].variant) explain_estimated(q, best, &waiting, why);
    base_text_free(&waiting);
    return best[0].variant;
}

const kz_variant *family_choose_shape(const kz_family *family, const kz_case *c, const kz_device_info *device,
                                      bool deterministic, char *why) {
    question q = {family, c, device, deterministic};
    base_text text = {0};
    const kz_variant *chosen = choose_measured(&q, &text);
    if (!chosen) chosen = choose_estimated(&q, &text);
    if (why) snprintf(why, KZ_CHOICE_WHY, "%s", text.data ? text.data : "");
    base_text_free(&text);
    return chosen;
}
