// What a variant is made of, without running it: its kernel as the device and ptxas see it.
#ifndef WORKLOAD_DESCRIBE_H
#define WORKLOAD_DESCRIBE_H

#include "bench/code.h"
#include "family/case.h"
#include "toolchain/toolchain.h"
#include "workload/workload.h"

// ptxas as the bench's assembler. {0} is one that was not looked for yet; it must outlive what is made of it.
typedef struct workload_ptxas {
    bool looked;
    toolchain tools;
} workload_ptxas;
bench_assembler workload_assembler(workload_ptxas *ptxas);

typedef struct workload_description {
    kz_case c;
    char name[FAMILY_CASE_NAME]; // the case's
    uint64_t workspace_bytes;
    bench_code code;
} workload_description;

// For the first case of `pattern` (NULL: of those for benchmarks, else of all) that the variant does on the device.
// KZ_UNSUPPORTED, with the last reason, where it does none of them.
kz_status workload_describe(const kz_family *family, const kz_variant *variant, const char *pattern,
                            kz_device *device, workload_description *description, kz_error *error);

#endif
