// Which kata today.
#include "learn/kata_choice.h"

#include <math.h>

enum { MANY_ATTEMPTS = 6, PATIENCE = 5 }; // PATIENCE: two days each that what went well waits
static const double FRESH_EASE = 2.5;     // of a kata that never gave trouble, at least

learn_kata_when learn_kata_state(const store_kata *schedule, const char *today) {
    int64_t now, due;
    if (!schedule->due[0]) return LEARN_KATA_NEW;
    if (!store_day_number(today, &now) || !store_day_number(schedule->due, &due)) return LEARN_KATA_DUE;
    // Further away than its interval: it was done while the clock was ahead.
    return due <= now || due - now > schedule->interval ? LEARN_KATA_DUE : LEARN_KATA_LATER;
}

// The larger, the sooner: classes are far apart, weakness decides within.
static double urgency(const learn_kata_candidate *k, const char *today) {
    int64_t now = 0, due = 0;
    store_day_number(today, &now);
    store_day_number(k->schedule.due, &due);
    double overdue = fmax(0, fmin(30, (double)(now - due)));
    bool went_well = k->schedule.lapses == 0 && k->schedule.ease >= FRESH_EASE;
    switch (learn_kata_state(&k->schedule, today)) {
    case LEARN_KATA_DUE:
        if (went_well) return 1e6 + 10 * k->weakness + overdue / 2 - PATIENCE;
        return 2e6 + 10 * k->weakness + 3 * (double)(k->schedule.lapses < 5 ? k->schedule.lapses : 5) +
               overdue / 2;
    case LEARN_KATA_NEW: return (k->unmet ? 5e5 : 1e6) + 10 * k->weakness - k->level - 10.0 * k->unmet;
    default: return -(double)(due - now);
    }
}

size_t learn_kata_choose(const learn_kata_candidate *katas, size_t count, const char *today) {
    size_t best = count;
    double most = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        double u = urgency(&katas[i], today);
        if (!katas[i].taken && u > most) most = u, best = i; // equal ones: the first
    }
    return best;
}

double learn_kata_trouble(const store_task *task) {
    double again = task->attempts > 1 ? (double)(task->attempts - 1) : 0;
    double trouble = fmin(1, again / MANY_ATTEMPTS) * 0.6 + fmin(1, (double)task->hints / 3) * 0.4;
    if (task->seen_solution && !task->passed) trouble += 0.3;
    return fmin(1, trouble);
}

int learn_kata_quality(bool passed, uint64_t failed_before, uint64_t hints, bool seen_solution) {
    if (!passed) return seen_solution ? 0 : 1;
    int quality = failed_before == 0 ? 5 : failed_before <= 2 ? 4 : 3;
    if (hints > 0 && quality > 3) quality = 3;
    if (hints >= 3 || seen_solution) quality = 2;
    return quality;
}
