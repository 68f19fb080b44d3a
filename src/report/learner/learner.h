// How a learner's progress and portfolio look: plain data in, a terminal page, an HTML page or JSON out.
//
// Whoever fills the structs owns all texts and arrays. Nothing here knows the course or opens a file.
#ifndef REPORT_LEARNER_H
#define REPORT_LEARNER_H

#include "report/report.h"
#include "store/store.h"

// So much of a topic or a skill is done.
typedef struct report_share {
    const char *title;
    size_t done, total;
} report_share;

typedef enum report_gate {
    REPORT_NO_GATE,
    REPORT_GATE_OPEN,
    REPORT_GATE_PASSED,
    REPORT_GATE_WAITING
} report_gate;

// A step of the learner's path, or a gate between steps.
typedef struct report_stage {
    const char *title;
    const char *note; // "still to pass: a, b", "waits for ..."; "" where there is nothing to say
    size_t done, total;
    report_gate gate;
    bool here; // the first step that is not complete
} report_stage;

typedef struct report_best {
    const char *title, *task;
    const char *figure, *device;
    double value;
    char day[STORE_DAY];
} report_best;

typedef struct report_next {
    const char *title, *command;
} report_next;

typedef struct report_learner {
    char today[STORE_DAY];
    size_t done, total, skipped; // tasks, without readings and katas; skipped: readings too
    size_t readings_done, reading_total, katas_done, kata_total;
    uint64_t attempts;
    int streak;
    const report_share *topics, *skills;
    size_t topic_count, skill_count;
    const char *path; // its title; NULL: the whole course in its order
    const report_stage *stages;
    size_t stage_count;
    const store_day *days; // ascending
    size_t day_count;
    const report_best *bests;
    size_t best_count;
    const report_next *next;
    size_t next_count;
} report_learner;

void report_learner_print(FILE *file, const report_style *style, const report_learner *learner);
void report_learner_html(base_text *out, const report_learner *learner);
json_t *report_learner_json(const report_learner *learner); // NULL when out of memory

// A figure's value for people: "4", "0.875", "32768", "12.3 M".
const char *report_figure(char text[REPORT_NUMBER], double value);

// A figure that is time or a share of a speed ("of_peak", "ratio_to_solution") was timed: "timed on cuda:0
// NVIDIA H200". All others were counted, by the simulator even where the results were checked on a GPU, and
// of C functions by cachegrind.
bool report_is_timed(const char *figure);
const char *report_how_measured(const char *figure, const char *device, char *text, size_t size);

// ---- portfolio ------------------------------------------------------------------------------------------

// One value of a figure; points of one line belong to the same figure and device.
typedef struct report_point {
    double value;
    char day[STORE_DAY];
} report_point;

typedef struct report_line {
    const char *figure, *device;
    bool larger_is_better;
    const report_point *points; // in the order of the attempts
    size_t point_count;
    double best;
} report_line;

typedef struct report_work {
    const char *title, *task, *about; // about: the statement's first paragraph
    char day[STORE_DAY];              // passed
    bool capstone;
    uint64_t attempts;       // up to the one that passed
    const char *code, *file; // NULL where the content that passed was not kept
    const report_line *lines;
    size_t line_count;
    const char *const *insights; // titles of notebook pages that name it, then their texts, in pairs
    size_t insight_count;        // pairs
} report_work;

typedef struct report_portfolio {
    char today[STORE_DAY];
    size_t done, total;
    const report_work *works; // capstones first
    size_t work_count;
    const char *name, *introduction; // the learner's own words; NULL or "" where there are none
} report_portfolio;

void report_portfolio_html(base_text *out, const report_portfolio *portfolio);

// The figure over the attempts, as an SVG with its own words for those who cannot see it.
void report_line_svg(base_text *out, const report_line *line);

#endif
