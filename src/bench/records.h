// bench/records: files of records, and the form in which results/ keeps them.
//
// `kz bench` writes a record per candidate and condition, whole in itself (record.h). What is kept for good is packed:
// a line per case of a run, where each fact stands once, and no samples.
//
//   {"run": .., "code": .., "environment": .., "device": .., "case": .., "cache": .., "work": ..,
//    "modes": {"latency": {"figure": .., "clocks": .., "peaks": ..}, ..},
//    "candidates": [{"candidate": .., "kernel": .., "check": .., ..,
//                    "results": {"latency": {"statistics": .., "derived": .., ..}, ..}}, ..]}
//
// A condition is called by its mode, an unusual one by mode, cache and stream ("latency dirty later"). A result that
// differs from what stands above it says so itself; what is null is left out. A head in front of the lines has what all
// of them share (compact.h). results/README.md lists the fields.
#ifndef BENCH_RECORDS_H
#define BENCH_RECORDS_H

#include <jansson.h>

#include "base/base.h"

// All records of a file as an array (a new reference) of whole records, however they were written. A line that a killed run
// left torn is an error, or where `torn` is not NULL passed over and added to it.
kz_status bench_records_read(const char *path, json_t **records, size_t *torn, kz_error *error);
// The same of a file, or of all *.jsonl of a folder.
kz_status bench_records_read_all(const char *path, json_t **records, size_t *torn, kz_error *error);

// Whether a candidate of a record is a peak that was measured beside: by "peak", or "roof" in older files.
bool bench_records_by_peak(const char *by);

// The lines of such an array as results/ keeps them. Statistics that a record lacks are made from its samples, and
// these are left out. Lines of another kind stay as they are.
kz_status bench_records_pack(const json_t *records, base_text *out, kz_error *error);

#endif
