// The variables of docs/commands.md that can be wrong whatever the verb does: checked before it begins, so that a verb
// neither ignores one nor takes it for a mistake in the kernel.
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"
#include "device/gpus.h"
#include "observe/observe.h"
#include "sandbox/sandbox.h"
#include "sim/machine.h"
#include "toolchain/toolchain.h"

static const struct {
    const char *name;
    bool is_folder;
} files[] = {
    {"KZ_LIBCUDA", false},
    {"KZ_LIBNVML", false},
    {"KZ_PEERS", true},
};

// A library's name without a slash is the loader's to find.
static kz_status check_file(const char *name, bool is_folder, kz_error *error) {
    const char *path = getenv(name);
    struct stat about;
    if (!path || !*path || (!is_folder && !strchr(path, '/'))) return KZ_OK;
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode) == is_folder) return KZ_OK;
    base_fail(error, KZ_INVALID, "%s names %s: there is no such %s", name, path,
              is_folder ? "folder" : "file");
    base_fail_note(error, "correct it, or unset %s to take what is found", name);
    return KZ_INVALID;
}

static kz_status check_gpu(kz_error *error) {
    device_gpu gpu;
    kz_status status = device_gpu_load(device_gpu_choose(NULL), &gpu, error);
    if (status) base_fail_note(error, "it was named by the variable KZ_GPU");
    return status;
}

kz_status cli_check_settings(kz_error *error) {
    uint64_t seed, bytes;
    kz_status status = sim_seed_asked(&seed, error);
    sandbox_mode mode;
    double seconds;
    if (!status) status = sim_timeout_asked(&seconds, error);
    if (!status) status = sandbox_mode_asked(&mode, error);
    if (!status) status = sim_isa_check(error);
    if (!status) status = observe_shadow_limit(&bytes, error);
    if (!status) status = toolchain_check_limits(error);
    if (!status) status = check_gpu(error);
    for (size_t i = 0; i < BASE_COUNT(files) && !status; i++)
        status = check_file(files[i].name, files[i].is_folder, error);
    return status;
}
