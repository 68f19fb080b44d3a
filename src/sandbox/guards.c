// What is enforced: the table of guards, what is asked for, what this machine can do.
#include "sandbox/sandbox.h"

#include <stdlib.h>
#include <string.h>

const sandbox_guard sandbox_guards[SANDBOX_GUARDS] = {
#define GUARD(name, word, what, means) {word, what, means},
#include "guards.def"
#undef GUARD
};

kz_status sandbox_mode_asked(sandbox_mode *mode, kz_error *error) {
    static const char *const words[] = {
        [SANDBOX_AUTO] = "auto", [SANDBOX_REQUIRE] = "require", [SANDBOX_OFF] = "off"};
    const char *asked = getenv("KZ_SANDBOX");
    *mode = SANDBOX_AUTO;
    if (!asked || !*asked) return KZ_OK;
    for (size_t i = 0; i < BASE_COUNT(words); i++)
        if (strcmp(asked, words[i]) == 0) {
            *mode = (sandbox_mode)i;
            return KZ_OK;
        }
    base_fail(error, KZ_INVALID, "there is no sandbox \"%s\" (--sandbox, KZ_SANDBOX)", asked);
    base_fail_note(
        error,
        "auto enforces what this machine can, require refuses to run without, off leaves limits alone");
    return KZ_INVALID;
}

void sandbox_guards_name(uint32_t guards, base_text *text) {
    bool is_first = true;
    for (size_t i = 0; i < SANDBOX_GUARDS; i++) {
        if (!(guards & 1u << i)) continue;
        base_text_add(text, "%s%s", is_first ? "" : ", ", sandbox_guards[i].word);
        is_first = false;
    }
}

uint32_t sandbox_probe(void) {
    sandbox_result result;
    const sandbox_process nothing = {.seconds = 10, .is_confined = true};
    uint32_t enforced = sandbox_run(&nothing, &result, NULL) ? 0 : result.enforced;
    sandbox_result_free(&result);
    return enforced;
}
