// How much memory the race detector may take, and what it says when that is not enough.
//
// A cell of 28 bytes for 4 bytes of memory is what every access needs; lists come on top where threads release
// something by many words. So the bound is relative to the program's own memory, and absolute by a setting.
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "observe/races.h"

#define RELATIVE 32 // times the program's memory: cells of single bytes take 28
#define ANYWAY   (UINT64_C(1) << 30)

// Half of the machine's memory.
static uint64_t limit_of_machine(void) {
    long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && bytes > 0 ? (uint64_t)pages * (uint64_t)bytes / 2 : 4 * ANYWAY;
}

kz_status observe_shadow_limit(uint64_t *bytes, kz_error *error) {
    const char *text = getenv("KZ_SHADOW_LIMIT");
    *bytes = limit_of_machine();
    if (!text || !*text) return KZ_OK;
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    unsigned shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
    if (isdigit((unsigned char)text[0]) && !errno && !end[shift != 0] && value > 0 &&
        value <= UINT64_MAX >> 1 >> shift) {
        *bytes = (uint64_t)value << shift;
        return KZ_OK;
    }
    base_fail(error, KZ_INVALID, "KZ_SHADOW_LIMIT is \"%s\", and that is no number of bytes", text);
    base_fail_note(error, "it is a number above 0, with K, M or G behind it if you like: 512M, 8G");
    return KZ_INVALID;
}

void observe_races_budget_open(races_budget *budget) {
    *budget = (races_budget){0};
    observe_shadow_limit(&budget->limit, NULL); // a wrong setting was told of before anything ran
}

static uint64_t allowed(const races_budget *budget) {
    uint64_t relative = ANYWAY + RELATIVE * budget->program;
    return relative < budget->limit ? relative : budget->limit;
}

bool observe_races_spend(races_budget *budget, uint64_t bytes) {
    if (!budget) return true;
    if (budget->spent + bytes > allowed(budget)) {
        budget->exceeded = true;
        return false;
    }
    budget->spent += bytes;
    return true;
}

// ---- giving up -------------------------------------------------------------------------------------------

void observe_races_say_unchecked(races *self) {
    const races_budget *budget = &self->budget;
    char plain[OBSERVE_NAME];
    const char *name = observe_plain_name(self->entry->name, plain);
    if (!budget->exceeded) {
        observe_findings_unchecked(self->findings, "races in the rest of a launch of %s: %s", name,
                                   self->now >= RACES_LAST_CLOCK ? "too many events order its threads"
                                                                 : "the host has no memory left");
        return;
    }
    uint64_t bytes = allowed(budget);
    unsigned shift = bytes >> 30 ? 30 : bytes >> 20 ? 20 : 10;
    char more[96] = "";
    if (bytes == budget->limit)
        snprintf(more, sizeof more, ", or KZ_SHADOW_LIMIT=%lluG if the machine has so much memory",
                 (unsigned long long)(2 * bytes >> 30) + 1);
    observe_findings_unchecked(self->findings,
                               "races in the rest of a launch of %s: the shadow of memory would take more "
                               "than its limit of %.1f %ciB; try a smaller input%s",
                               name, (double)bytes / (double)(UINT64_C(1) << shift), "KMG"[shift / 10 - 1],
                               more);
}
