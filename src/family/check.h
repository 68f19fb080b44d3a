// One check: family x variant x case x device, and whether the answer was right.
//
// Outputs are poisoned, the workspace holds garbage, every buffer stands between guard bands (where
// the device itself stops accesses out of bounds, exactly at the end of its allocation instead).
// The plan runs twice, on different data, so that an answer that was kept from before is found.
#ifndef FAMILY_CHECK_H
#define FAMILY_CHECK_H

#include "family/compare.h"
#include "family/guest.h"
#include "kz/family.h"

#define FAMILY_SEED UINT64_C(2026) // the seed in public, where none is given

typedef enum family_outcome {
    FAMILY_PASSED,
    FAMILY_WRONG,   // the answer, a guard band or an input is not as it should be
    FAMILY_FAULTED, // the kernel stopped: out of bounds, misaligned, trap, deadlock
    FAMILY_SKIPPED, // this variant, device or memory does not do this case
    FAMILY_FAILED,  // something else failed: the driver, the module, the host's memory
    FAMILY_OUTCOMES
} family_outcome;

const char *family_outcome_name(family_outcome outcome); // "passed", "wrong", ...

typedef struct family_check_job {
    const kz_family *family;
    const kz_variant *variant; // NULL for a guest
    const family_guest *guest; // NULL for a variant of the zoo
    const kz_case *c;
    kz_device *device;
    kz_module *module; // of the variant's or the guest's image, on that device
    uint64_t seed;
    bool count; // fill `counters`, where the device counts
} family_check_job;

typedef struct family_check_result {
    family_outcome outcome;
    kz_error error;     // why, unless it passed; status is KZ_WRONG for a wrong answer
    uint64_t seed;      // of the run that decided
    const char *buffer; // the output the comparison is of: the worst one
    family_comparison comparison;
    kz_counters counters; // of one run
    kz_work work;
    uint64_t elements; // of the largest buffer
    bool device_lost;  // the device must be opened again before it is used
} family_check_result;

void family_check(const family_check_job *job, family_check_result *result);

// The plan of a variant or a guest for a device, or the reason why there is none (KZ_UNSUPPORTED).
kz_status family_make_plan(const family_check_job *job, kz_plan *plan, kz_error *error);

// One output, as it was read back, against its reference: KZ_WRONG says how they differ. `previous` is what it held
// after an earlier run, or NULL.
struct family_buffers;
kz_status family_compare_slot(const family_check_job *job, const struct family_buffers *buffers, size_t which,
                              const void *previous, family_comparison *comparison, kz_error *error);

// Whether a variant is meant for this kind of device at all: native ones for cpu, the rest elsewhere.
bool family_variant_suits(const kz_variant *variant, const kz_device_info *device);

#endif
