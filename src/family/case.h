// Names of cases: "sum-f32-n1025-uniform", stable, readable, and parseable back into the case.
//
// <operation>-<type>-<axis><size>...-<data>[-misalign<elements>]. A size may be written "2^20".
#ifndef FAMILY_CASE_H
#define FAMILY_CASE_H

#include "base/base.h"
#include "kz/family.h"

enum { FAMILY_CASE_NAME = 128 };

const char *family_data_name(kz_data data);
bool family_data_find(const char *name, kz_data *data);
void family_data_list(base_text *out); // "uniform, positive, ..."

// What the family says of its types; where it leaves that to its plans, those of its cases.
bool family_has_type(const kz_family *family, kz_type type);

// The type that examples and figures are shown in: f32 where its first operation has it, else
// that of this operation's first case.
kz_type family_plain_type(const kz_family *family);

void family_case_name(const kz_family *family, const kz_case *c, char name[FAMILY_CASE_NAME]);

// Makes a case of any size from its name; `use` becomes 0 for one that is not in the family's list.
kz_status family_case_parse(const kz_family *family, const char *name, kz_case *c, kz_error *error);

// The same, but `use` is 0 for all.
kz_status family_case_read(const kz_family *family, const char *name, kz_case *c, kz_error *error);

// Takes a size from *at: digits, or digits^digits. False where there is none, or one past 2^63 - 1.
bool family_size_parse(const char **at, int64_t *value);

// Whether the case's name is `pattern`, or matches it as a glob: "sum-f32-*".
bool family_case_matches(const kz_family *family, const kz_case *c, const char *pattern);

// The greatest number of elements in any of its buffers.
uint64_t family_case_elements(const kz_family *family, const kz_case *c);

#endif
