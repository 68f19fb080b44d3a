// What was found, for people and for programs.
#include "doctor/doctor.h"

#include <stdarg.h>

#include "kz/kz.h"

void doctor_add(doctor_findings *all, const char *topic, doctor_state state, const char *command,
                const char *format, ...) {
    if (all->count == DOCTOR_FINDINGS) return;
    doctor_finding *f = &all->list[all->count++];
    *f = (doctor_finding){.topic = topic, .state = state, .command = command};
    va_list list;
    va_start(list, format);
    vsnprintf(f->text, sizeof f->text, format, list);
    va_end(list);
}

void doctor_look(doctor_findings *all) {
    doctor_look_at_machine(all);
    doctor_look_at_gpus(all);
    doctor_look_at_simulator(all);
    doctor_look_at_runtime(all);
    doctor_look_at_compiler(all);
    doctor_look_at_programs(all);
    doctor_look_at_rivals(all);
    doctor_look_at_cache(all);
    doctor_look_at_sandbox(all);
}

static const struct {
    const char *word;
    report_tone tone;
} states[] = {[DOCTOR_HAVE] = {"ok", REPORT_GOOD},
              [DOCTOR_NOTE] = {"note", REPORT_WARN},
              [DOCTOR_MISSING] = {"missing", REPORT_BAD}};

void doctor_print(FILE *file, const report_style *style, const doctor_findings *all) {
    size_t missing = 0;
    for (size_t i = 0; i < all->count; i++) {
        const doctor_finding *f = &all->list[i];
        report_print(file, style, states[f->state].tone, "%-8s", states[f->state].word);
        fprintf(file, " %-10s %s\n", f->topic, f->text);
        if (f->command) fprintf(file, "%-19s -> %s\n", "", f->command);
        missing += f->state == DOCTOR_MISSING;
    }
    if (missing)
        fprintf(file, "\n%zu missing; the arrows show the commands that help.\n", missing);
    else
        fprintf(file, "\nNothing is missing. Try: kz check, or kz run on a .cu of yours\n");
}

json_t *doctor_json(const doctor_findings *all) {
    json_t *rows = json_array();
    for (size_t i = 0; i < all->count; i++) {
        const doctor_finding *f = &all->list[i];
        json_t *row =
            json_pack("{s:s, s:s, s:s}", "topic", f->topic, "state", states[f->state].word, "text", f->text);
        if (row && f->command) json_object_set_new(row, "command", json_string(f->command));
        json_array_append_new(rows, row);
    }
    return json_pack("{s:s, s:o}", "version", kz_version(), "findings", rows);
}
