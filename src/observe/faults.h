// What ended a launch, in the words of a finding.
#ifndef OBSERVE_FAULTS_H
#define OBSERVE_FAULTS_H

#include "sim/sim.h"

void observe_explain_fault(const sim_fault_info *fault, const char *message, char *out, size_t size);
// For people: all that the machine says, and the same two; each line indented, after a line feed.
void observe_print_fault(const sim_fault_info *fault, const char *message, base_text *out);

#endif
