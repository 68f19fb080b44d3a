// kz prof tables: what the simulator counts of every variant, as tables in the families' READMEs.
#ifndef CLI_PROF_TABLES_H
#define CLI_PROF_TABLES_H

#include "cli.h"

// Writes what is between the lines `<!-- counters:begin ASKED -->` and `<!-- counters:end -->` of the READMEs of
// these families (none named: of all); a README may have several such places. ASKED is a CASE (a row per variant,
// all columns) or "FIGURE of VARIANT... at CASE..." (a row per case, one figure of prof_tables.def). With `check`
// nothing is written, and a stale file is an error. In the sources' folder.
int prof_tables(const char *const *families, size_t count, bool check);

#endif
