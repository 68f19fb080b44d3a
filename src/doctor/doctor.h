// doctor: what this machine has, what is missing, and the exact command that gets it.
//
// Each finding is a row: a topic, its state, what was found, and for what is missing a command. machine.c, gpu.c and
// tools.c look; page.c shows. Only the CUDA compiler is worth an exit code: kz itself runs without everything else
// that is listed.
#ifndef DOCTOR_DOCTOR_H
#define DOCTOR_DOCTOR_H

#include "report/report.h"

typedef enum doctor_state { DOCTOR_HAVE, DOCTOR_NOTE, DOCTOR_MISSING } doctor_state;

typedef struct doctor_finding {
    const char *topic; // a word for JSON too: "cpu"
    doctor_state state;
    char text[1200];
    const char *command; // NULL where there is nothing to do
} doctor_finding;

enum { DOCTOR_FINDINGS = 48 };

typedef struct doctor_findings {
    doctor_finding list[DOCTOR_FINDINGS];
    size_t count;
    bool no_compiler;
} doctor_findings;

void doctor_look(doctor_findings *all); // at everything, in the order of the page

void doctor_print(FILE *file, const report_style *style, const doctor_findings *all);
json_t *doctor_json(const doctor_findings *all); // a new reference, or NULL when out of memory

// ---- inside ---------------------------------------------------------------------------------------------

void doctor_add(doctor_findings *all, const char *topic, doctor_state state, const char *command,
                const char *format, ...) __attribute__((format(printf, 5, 6)));
// The value after `key` in a file of lines "key<separators>value"; "" where there is none.
void doctor_read_key(const char *path, const char *key, char *value, size_t size);

void doctor_look_at_machine(doctor_findings *all);
void doctor_look_at_gpus(doctor_findings *all);
void doctor_look_at_simulator(doctor_findings *all);
void doctor_look_at_runtime(doctor_findings *all);
void doctor_look_at_compiler(doctor_findings *all);
void doctor_look_at_programs(doctor_findings *all);
void doctor_look_at_rivals(doctor_findings *all);
void doctor_look_at_cache(doctor_findings *all);
void doctor_look_at_sandbox(doctor_findings *all);

#endif
