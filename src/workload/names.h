// What words mean: families, variants, cases, devices, guests.
#ifndef WORKLOAD_NAMES_H
#define WORKLOAD_NAMES_H

#include "bench/facts.h"
#include "family/guest.h"
#include "kz/family.h"

// "reduce"; an unknown name gets the nearest ones suggested.
kz_status workload_find_family(const char *word, const kz_family **family, kz_error *error);

// "reduce" or "reduce/03_warp_shuffle" (or "reduce/warp_shuffle"); `*variant` is NULL for the whole family.
kz_status workload_find_variant(const char *word, const kz_family **family, const kz_variant **variant,
                                kz_error *error);

// What several such words mean together: each family once, in the order it was first named.
enum { WORKLOAD_FAMILIES = 256, WORKLOAD_WORDS = 64 };
typedef struct workload_zoo {
    const kz_family *families[WORKLOAD_FAMILIES];
    size_t count;
    struct {
        const kz_family *family;
        const kz_variant *variant; // NULL: all of them
    } wanted[WORKLOAD_WORDS];
    size_t wanted_count; // 0: the whole zoo
} workload_zoo;

kz_status workload_find_zoo(const char *const *words, size_t count, workload_zoo *zoo, kz_error *error);
bool workload_wants(const workload_zoo *zoo, const kz_family *family, const kz_variant *variant);

// The family's cases that `pattern` (a name or a glob) means; NULL means those for `use`. A name that is
// in no list but reads as a case is one case of its own. The array is malloc'ed; none is KZ_NOT_FOUND.
kz_status workload_find_cases(const kz_family *family, const char *pattern, uint32_t use, kz_case **cases,
                              size_t *count, kz_error *error);

// Whose case it is: a guest's, or a variant's on a device. All NULL: anybody's.
typedef struct workload_doer {
    const family_guest *guest;
    const kz_variant *variant;
    const kz_device_info *device;
} workload_doer;

// One case to look into: the first that `pattern` means; where it is NULL, the largest case to time that the doer does, of at
// most `most` elements and 1024 flops for each. Where that has less than a 16th of them, or there is none, the first case to
// time that the doer does once its longest axis is halved until it has as many, and 256 flops for each; without such a case,
// the largest edge case. With a `most` of 0, the first case to time.
kz_status workload_choose_case(const kz_family *family, const workload_doer *doer, const char *pattern,
                               uint64_t most, kz_case *c, kz_error *error);

// Prints the compiler's warnings to stderr, as the compiler itself does.
void workload_show_warnings(const base_text *warnings);
// KZ_TOOL where ptxas, if there is one, refuses the text for the GPU that is chosen.
kz_status workload_check_ptx(const char *path, const char *ptx, kz_error *error);
// A .cu file as PTX for the architecture that it asks for, malloc'ed; for a debugger without optimisation.
// `headers` (may be NULL) is one more folder to find headers in; `facts` (may be NULL) gets what compiling it took, if it was
// not kept from an earlier run.
kz_status workload_compile(const char *path, const char *headers, bool for_debugging, char **ptx,
                           size_t *size, bench_facts *facts, kz_error *error);
// Compiles a .cu file (or takes a .ptx file as it is) as a guest of the family, and tells what is known of it.
kz_status workload_open_guest(const kz_family *family, const char *path, bool for_debugging,
                              family_guest **guest, bench_facts *facts, kz_error *error);

// The devices to work on, opened.
typedef struct workload_devices {
    kz_device *items[WORKLOAD_WORDS];
    size_t count;
} workload_devices;

// Those named; where none is named all GPUs, or the simulator where there is none, and `cpu` too where asked
// for.
kz_status workload_open_devices(const char *const *ids, size_t count, bool with_cpu,
                                workload_devices *devices, kz_error *error);
void workload_close_devices(workload_devices *devices);

#endif
