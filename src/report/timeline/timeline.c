// Timelines in the terminal and as JSON; the sums. See timeline.h.
#include "report/timeline/timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/record/record.h"
#include "report/report.h"

enum { NAME = 11, SHARE = 5, LEAST_WIDTH = 40, IDLE = '.' };

void report_timeline_free(report_timeline *timeline) {
    free(timeline->spans);
    timeline->spans = NULL;
    timeline->count = 0;
}

// ---- sums ------------------------------------------------------------------------------------------------

static int by_start(const void *a, const void *b) {
    double left = ((const double *)a)[0], right = ((const double *)b)[0];
    return (left > right) - (left < right);
}

typedef struct pieces { // from, to; sorted, apart from each other
    double (*at)[2];
    size_t count;
} pieces;

// When an engine was busy; DEVICE_ENGINES: any of them.
static pieces busy_pieces(const report_timeline *t, device_engine engine) {
    pieces p = {.at = malloc((t->count + 1) * sizeof *p.at)};
    size_t count = 0;
    for (size_t i = 0; p.at && i < t->count; i++) {
        if (engine != DEVICE_ENGINES && t->spans[i].engine != engine) continue;
        p.at[count][0] = t->spans[i].start;
        p.at[count++][1] = t->spans[i].end;
    }
    if (count) qsort(p.at, count, sizeof *p.at, by_start);
    for (size_t i = 0; i < count; i++) {
        if (p.count && p.at[i][0] <= p.at[p.count - 1][1]) {
            p.at[p.count - 1][1] = fmax(p.at[p.count - 1][1], p.at[i][1]);
            continue;
        }
        p.at[p.count][0] = p.at[i][0];
        p.at[p.count++][1] = p.at[i][1];
    }
    return p;
}

static double length(const pieces *p) {
    double sum = 0;
    for (size_t i = 0; i < p->count; i++) sum += p->at[i][1] - p->at[i][0];
    return sum;
}

static double common(const pieces *a, const pieces *b) {
    double sum = 0;
    for (size_t i = 0, k = 0; i < a->count && k < b->count;) {
        sum += fmax(0, fmin(a->at[i][1], b->at[k][1]) - fmax(a->at[i][0], b->at[k][0]));
        if (a->at[i][1] < b->at[k][1])
            i++;
        else
            k++;
    }
    return sum;
}

// Seconds in which all three are busy: those of the first pair that lie in the third.
static double common_of_three(const pieces p[DEVICE_ENGINES]) {
    pieces pair = {.at = malloc((p[0].count + p[1].count + 1) * sizeof *pair.at)};
    for (size_t i = 0, k = 0; pair.at && i < p[0].count && k < p[1].count;) {
        double from = fmax(p[0].at[i][0], p[1].at[k][0]), to = fmin(p[0].at[i][1], p[1].at[k][1]);
        if (to > from) {
            pair.at[pair.count][0] = from;
            pair.at[pair.count++][1] = to;
        }
        if (p[0].at[i][1] < p[1].at[k][1])
            i++;
        else
            k++;
    }
    double sum = common(&pair, &p[2]);
    free(pair.at);
    return sum;
}

report_timeline_totals report_timeline_sum(const report_timeline *t) {
    report_timeline_totals sums = {0};
    pieces p[DEVICE_ENGINES];
    for (int e = 0; e < DEVICE_ENGINES; e++) {
        p[e] = busy_pieces(t, (device_engine)e);
        sums.busy[e] = length(&p[e]);
    }
    const pieces *up = &p[DEVICE_ENGINE_TO_DEVICE], *down = &p[DEVICE_ENGINE_TO_HOST];
    const pieces *work = &p[DEVICE_ENGINE_COMPUTE];
    sums.copied = length(up) + length(down);
    sums.hidden = common(up, work) + common(down, work);
    sums.beside = common(up, work) + common(down, work) + common(up, down) - 2 * common_of_three(p);
    for (size_t i = 0; i < t->count; i++) {
        const report_timeline_span *s = &t->spans[i];
        sums.alone += s->end - s->start;
        sums.kernels += s->engine == DEVICE_ENGINE_COMPUTE && !s->bytes;
    }
    pieces any = busy_pieces(t, DEVICE_ENGINES);
    sums.covered = length(&any);
    free(any.at);
    for (int e = 0; e < DEVICE_ENGINES; e++) free(p[e].at);
    return sums;
}

// ---- rows ------------------------------------------------------------------------------------------------

size_t report_timeline_streams(const report_timeline *t, unsigned streams[REPORT_TIMELINE_STREAMS]) {
    size_t count = 0;
    for (size_t i = 0; i < t->count; i++) {
        size_t k = 0;
        while (k < count && streams[k] != t->spans[i].stream) k++;
        if (k == count && count < REPORT_TIMELINE_STREAMS) streams[count++] = t->spans[i].stream;
    }
    return count;
}

void report_timeline_name_stream(const report_timeline *t, unsigned stream, char name[REPORT_STREAM_NAME]) {
    snprintf(name, REPORT_STREAM_NAME, "%s %u",
             t->default_stream && stream == t->default_stream ? "default" : "stream", stream);
}

static char stream_mark(unsigned stream) {
    static const char marks[] = "0123456789abcdefghijklmnopqrstuvwxyz";
    return stream < sizeof marks - 1 ? marks[stream] : '*';
}

// The operation that fills most of a column, among those of the row; NULL: it is idle for most of it.
static const report_timeline_span *find_span(const report_timeline *t, bool by_engine, unsigned row,
                                             double from, double to) {
    const report_timeline_span *best = NULL;
    double most = 0, in_all = 0;
    for (size_t i = 0; i < t->count; i++) {
        const report_timeline_span *s = &t->spans[i];
        if ((by_engine ? (unsigned)s->engine : s->stream) != row) continue;
        double part = fmin(s->end, to) - fmax(s->start, from);
        if (part <= 0) continue;
        in_all += part;
        if (part > most) most = part, best = s;
    }
    return in_all * 2 >= to - from ? best : NULL;
}

static void print_row(base_text *out, const report_timeline *t, bool by_engine, unsigned row,
                      const char *name, unsigned columns) {
    static const char engine_marks[] = {'>', '#', '<'};
    base_text_add(out, "%-*s ", NAME, name);
    for (unsigned c = 0; c < columns; c++) {
        double step = t->seconds / columns;
        const report_timeline_span *s = find_span(t, by_engine, row, c * step, (c + 1) * step);
        char mark = IDLE;
        if (s) mark = by_engine ? stream_mark(s->stream) : engine_marks[s->engine];
        base_text_add(out, "%c", mark);
    }
}

// What overlap gains: nothing to be said of where nothing overlaps, or where waiting between operations eats
// it up.
static void print_gain(base_text *out, const report_timeline *t, const report_timeline_totals *sums) {
    char text[REPORT_NUMBER], other[REPORT_NUMBER];
    bool overlap = sums->alone > sums->covered * (1 + 1e-6);
    base_text_add(out, "\nend to end  %s", report_seconds(text, t->seconds));
    if (overlap && sums->alone > t->seconds)
        base_text_add(out, "; one after the other %s: %.2fx\n", report_seconds(other, sums->alone),
                      sums->alone / t->seconds);
    else
        base_text_add(out, ", %s of it busy; %s\n", report_seconds(other, sums->covered),
                      overlap ? "little runs side by side" : "nothing runs side by side");
    if (t->modelled && sums->kernels)
        base_text_add(out, "kernels     %s of each is start and end, %s right after another kernel\n",
                      report_seconds(text, observe_time_start()),
                      report_seconds(other, observe_time_start() - device_queued_seconds()));
}

static void print_sums(base_text *out, const report_timeline *t, const report_timeline_totals *sums) {
    char text[REPORT_NUMBER], alone[REPORT_NUMBER];
    base_text_add(out, "busy        ");
    for (int e = 0; e < DEVICE_ENGINES; e++)
        base_text_add(out, "%s%s %s", e ? ", " : "", device_engine_name((device_engine)e),
                      report_seconds(text, sums->busy[e]));
    print_gain(out, t, sums);
    if (sums->copied > 0)
        base_text_add(out, "hidden      %.0f%% of the copying runs behind a kernel\n",
                      100 * sums->hidden / sums->copied);
    double each = t->count ? sums->alone / (double)t->count : 0;
    if (t->modelled && t->count > 3 && each < 2 * device_call_seconds())
        base_text_add(out, "small       operations take %s, issuing one %s: larger pieces overlap more\n",
                      report_seconds(text, each), report_seconds(alone, device_call_seconds()));
    if (t->left_out)
        base_text_add(out, "left out    %llu more operations, which came after the first %zu\n",
                      (unsigned long long)t->left_out, t->count);
}

void report_timeline_print(base_text *out, const report_timeline *t, unsigned width) {
    unsigned streams[REPORT_TIMELINE_STREAMS],
        columns = (width < LEAST_WIDTH ? LEAST_WIDTH : width) - NAME - 1 - SHARE;
    size_t count = report_timeline_streams(t, streams);
    char text[REPORT_NUMBER], name[REPORT_STREAM_NAME];
    base_text_add(out, "%s\non %s, %s\n\n", t->title, t->device,
                  t->modelled ? "by the model of time" : "measured");
    base_text_add(out, "%-*s 0%*s\n", NAME, "", (int)columns - 1, report_seconds(text, t->seconds));
    report_timeline_totals sums = report_timeline_sum(t);
    for (int e = 0; e < DEVICE_ENGINES; e++) {
        print_row(out, t, true, (unsigned)e, device_engine_name((device_engine)e), columns);
        base_text_add(out, "%*.0f%%\n", SHARE - 1, t->seconds > 0 ? 100 * sums.busy[e] / t->seconds : 0);
    }
    base_text_add(out, "\n");
    for (size_t i = 0; i < count; i++) {
        report_timeline_name_stream(t, streams[i], name);
        print_row(out, t, false, streams[i], name, columns);
        base_text_add(out, "\n");
    }
    base_text_add(out, "\n%-*s > to device, # compute, < to host; digits are streams\n", NAME, "");
    print_sums(out, t, &sums);
}

// ---- JSON ------------------------------------------------------------------------------------------------

json_t *report_timeline_to_json(const report_timeline *t) {
    report_timeline_totals sums = report_timeline_sum(t);
    json_t *spans = json_array(), *busy = json_object();
    for (size_t i = 0; i < t->count; i++) {
        const report_timeline_span *s = &t->spans[i];
        json_t *span = json_pack("{ss si ss sf sf}", "engine", device_engine_name(s->engine), "stream",
                                 (int)s->stream, "name", s->name, "start", s->start, "end", s->end);
        if (s->bytes) json_object_set_new(span, "bytes", json_integer((json_int_t)s->bytes));
        json_array_append_new(spans, span);
    }
    for (int e = 0; e < DEVICE_ENGINES; e++)
        json_object_set_new(busy, device_engine_name((device_engine)e), json_real(sums.busy[e]));
    return json_pack("{ss ss ss sb sf so sf sf sf sf so}", "type", "timeline", "title", t->title, "device",
                     t->device, "modelled", t->modelled, "seconds", t->seconds, "busy", busy, "copied",
                     sums.copied, "hidden", sums.hidden, "side_by_side", sums.beside, "one_after_the_other",
                     sums.alone, "operations", spans);
}

// ---- records
// -----------------------------------------------------------------------------------------------

static bool read_engine(const char *name, device_engine *engine) {
    for (int e = 0; e < DEVICE_ENGINES; e++)
        if (strcmp(device_engine_name((device_engine)e), name) == 0) {
            *engine = (device_engine)e;
            return true;
        }
    return false;
}

kz_status report_timeline_read(const report_record *record, report_timeline *t, kz_error *error) {
    size_t at = 0, lines = json_array_size(record->lines);
    const json_t *head = report_record_next(record, "record", &at), *line;
    *t = (report_timeline){
        .modelled = true, .default_stream = 1, .spans = calloc(lines + 1, sizeof *t->spans)};
    if (!t->spans) return base_fail(error, KZ_NO_MEMORY, "no memory for a timeline");
    snprintf(t->title, sizeof t->title, "%s", report_get_text(head, "program"));
    snprintf(t->device, sizeof t->device, "sim:%s", report_get_text(head, "gpu"));
    for (at = 0; (line = report_record_next(record, "operation", &at));) {
        report_timeline_span *s = &t->spans[t->count];
        if (!read_engine(report_get_text(line, "engine"), &s->engine)) continue;
        const char *kernel = report_get_text(line, "kernel"), *kind = report_get_text(line, "kind");
        snprintf(s->name, sizeof s->name, "%s",
                 kernel[0]                  ? kernel
                 : strncmp(kind, "copy", 4) ? kind
                                            : "copy");
        s->stream = (unsigned)report_get_count(line, "stream");
        s->bytes = report_get_count(line, "bytes");
        s->start = report_get_number(line, "start", 0);
        s->end = report_get_number(line, "end", 0);
        t->seconds = fmax(t->seconds, s->end);
        t->count++;
    }
    at = 0;
    line = report_record_next(record, "host", &at);
    uint64_t operations = report_get_count(line, "operations");
    t->left_out = operations > t->count ? operations - t->count : 0;
    if (t->count) return KZ_OK;
    report_timeline_free(t);
    base_fail(error, KZ_INVALID, "%s asked the GPU for nothing: no copy, no fill, no kernel", t->title);
    base_fail_note(error, "check that it reaches its calls: kz run %s", t->title);
    return KZ_INVALID;
}
