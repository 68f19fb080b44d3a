// What words on the command line mean: families, variants, cases, devices, guests.
#ifndef CLI_SELECT_H
#define CLI_SELECT_H

#include "cli.h"
#include "family/guest.h"
#include "kz/family.h"

// "reduce"; an unknown name gets the nearest ones suggested.
kz_status cli_find_family(const char *word, const kz_family **family, kz_error *error);

// "reduce" or "reduce/03_warp_shuffle" (or "reduce/warp_shuffle"); `*variant` is NULL for the whole family.
kz_status cli_find_target(const char *word, const kz_family **family, const kz_variant **variant,
                          kz_error *error);

// What several such words mean together: each family once, in the order it was first named.
enum { CLI_FAMILIES = 256 };
typedef struct cli_targets {
    const kz_family *families[CLI_FAMILIES];
    size_t count;
    struct {
        const kz_family *family;
        const kz_variant *variant; // NULL: all of them
    } wanted[CLI_LIST_CAPACITY];
    size_t wanted_count; // 0: the whole zoo
} cli_targets;

kz_status cli_find_targets(const cli_list *words, cli_targets *targets, kz_error *error);
bool cli_wants(const cli_targets *targets, const kz_family *family, const kz_variant *variant);

// The family's cases that `pattern` (a name or a glob) means; NULL means those for `use`. A name that is
// in no list but reads as a case is one case of its own. The array is malloc'ed; none is KZ_NOT_FOUND.
kz_status cli_find_cases(const kz_family *family, const char *pattern, uint32_t use, kz_case **cases,
                         size_t *count, kz_error *error);

// One case to look into: the first that `pattern` means; where it is NULL, the largest plain one of at most `most`
// elements that `guest` (may be NULL) has a kernel for, and with a `most` of 0 the first for benchmarks.
kz_status cli_choose_case(const kz_family *family, const family_guest *guest, const char *pattern,
                          uint64_t most, kz_case *c, kz_error *error);

// Compiles a .cu file (or takes a .ptx file as it is) as a guest of the family.
kz_status cli_open_guest(const kz_family *family, const char *path, family_guest **guest, kz_error *error);

// The devices to work on, opened.
typedef struct cli_devices {
    kz_device *items[CLI_LIST_CAPACITY];
    size_t count;
} cli_devices;

// Those named; where none is named all GPUs, or the simulator where there is none, and `cpu` too where asked
// for.
kz_status cli_open_devices(const cli_list *ids, bool with_cpu, cli_devices *devices, kz_error *error);
void cli_close_devices(cli_devices *devices);

#endif
