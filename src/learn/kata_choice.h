// Which kata today: pure functions over what is known.
//
// First come those that gave trouble and are due, the weakest first; then those never done, the ones of weak skills
// first, and what went well when it has been due for some days; then those never done that stand on tasks not yet
// passed; then the one that is due soonest. Weak is what took many attempts or hints.
#ifndef LEARN_KATA_CHOICE_H
#define LEARN_KATA_CHOICE_H

#include "store/store.h"

typedef struct learn_kata_candidate {
    const char *id;
    int level;
    double weakness;     // of its skills: 0 strong or unknown, 1 weak
    store_kata schedule; // zeroed: never done
    unsigned unmet;      // tasks it needs that are not passed
    bool taken;          // given today already, and another one was asked for
} learn_kata_candidate;

typedef enum learn_kata_when { LEARN_KATA_NEW, LEARN_KATA_DUE, LEARN_KATA_LATER } learn_kata_when;
learn_kata_when learn_kata_state(const store_kata *schedule, const char *today);

// The index of today's kata; `count` where all are taken, or there is none.
size_t learn_kata_choose(const learn_kata_candidate *katas, size_t count, const char *today);

// How hard one task was, 0 to 1.
double learn_kata_trouble(const store_task *task);

// The quality of a result for store_add_kata, from the attempts of that day up to and with the first that
// passed.
int learn_kata_quality(bool passed, uint64_t failed_before, uint64_t hints, bool seen_solution);

#endif
