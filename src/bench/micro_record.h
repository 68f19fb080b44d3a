// bench/micro_record: what `kz microbench` measured, kept as JSON: one object per line, one line per point.
//
// A file belongs to one GPU and is added to; of a point that was measured several times the newest counts. Read, it
// is a list of figures in the order of the groups: tables, pages and peaks are made from that.
#ifndef BENCH_MICRO_RECORD_H
#define BENCH_MICRO_RECORD_H

#include "bench/micro.h"
#include "bench/record.h"

// A new reference, or NULL when out of memory.
json_t *bench_micro_record(const bench_run_info *run, const bench_micro_point *point);

typedef struct bench_micro_figure {
    bench_micro_group group;
    char name[BENCH_MICRO_NAME], unit[BENCH_MICRO_UNIT];
    double x, y;           // NAN where nothing was varied
    double value, nominal; // NAN where there is none
    double spread;         // half the middle half of the samples over the median; NAN where there are few
    char time[32];         // "2026-11-15T15:10:00Z"; "" for what was measured just now
    kz_status status;
    kz_counters counters; // of a simulated point
} bench_micro_figure;

// {0} is empty. The names are those of the newest line.
typedef struct bench_micro_list {
    bench_micro_figure *items;
    size_t count, capacity;
    char gpu[32], device[96], time[32], commit[48], driver[48];
} bench_micro_list;

void bench_micro_list_free(bench_micro_list *list);
// Adds it, or takes it in the place of the same one measured before. False when out of memory.
bool bench_micro_list_add(bench_micro_list *list, const bench_micro_figure *figure);
bench_micro_figure bench_micro_figure_of(const bench_micro_point *point);
// Adds the lines of a text; lines that are no such record (cut off by a crash, say) are passed over. False when out
// of memory.
bool bench_micro_list_read(bench_micro_list *list, const char *text, size_t size);
// NULL where there is none; x and y may be NAN for whatever they are.
const bench_micro_figure *bench_micro_list_find(const bench_micro_list *list, bench_micro_group group,
                                                const char *name, double x, double y);

#endif
