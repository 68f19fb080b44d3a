// The variables that steer the simulator: KZ_SEED and KZ_SIM_ISA. What is no value of theirs is an error, for
// whoever sets one wants to see its effect. Empty is as good as not set.
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "sim/machine.h"

kz_status sim_seed_asked(uint64_t *seed, kz_error *error) {
    const char *text = getenv("KZ_SEED");
    *seed = 0;
    if (!text || !*text) return KZ_OK;
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 0);
    if (isdigit((unsigned char)text[0]) && !*end && !errno && value <= INT64_MAX) { // as records can say it
        *seed = value;
        return KZ_OK;
    }
    base_fail(error, KZ_INVALID, "KZ_SEED is \"%s\", and that is no number from 0 to 2^63 - 1", text);
    base_fail_note(error,
                   "each number above 0 draws another order of blocks and warps; 0 is the plain order");
    return KZ_INVALID;
}

kz_status sim_timeout_asked(double *seconds, kz_error *error) {
    const char *text = getenv("KZ_TIMEOUT");
    *seconds = 0;
    if (!text || !*text) return KZ_OK;
    char *end;
    double value = strtod(text, &end);
    if (end != text && !*end && value > 0 && value <= 1e9) {
        *seconds = value;
        return KZ_OK;
    }
    base_fail(error, KZ_INVALID, "KZ_TIMEOUT is \"%s\", and that is no number of seconds above 0", text);
    base_fail_note(error, "a program is stopped after that time; unset it for none");
    return KZ_INVALID;
}

kz_status sim_isa_check(kz_error *error) {
    const char *asked = getenv("KZ_SIM_ISA");
    if (!asked || !*asked || strcmp(asked, sim_isa_portable.name) == 0) return KZ_OK;
    if (strcmp(asked, sim_isa_best()->name) == 0) return KZ_OK;
    if (strcmp(asked, "avx2") == 0 || strcmp(asked, "avx512") == 0)
        base_fail(error, KZ_UNSUPPORTED, "KZ_SIM_ISA is %s, and this CPU or this build does not have it",
                  asked);
    else
        base_fail(error, KZ_INVALID, "KZ_SIM_ISA is \"%s\", and there is no such set: portable, avx2, avx512",
                  asked);
    base_fail_note(error, "without the variable the simulator takes the best that the CPU can run: %s",
                   sim_isa_best()->name);
    return error ? error->status : KZ_INVALID;
}
