// System, CPU and memory.
#include "doctor/doctor.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "sandbox/sandbox.h"

void doctor_read_key(const char *path, const char *key, char *value, size_t size) {
    char line[512];
    value[0] = 0;
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, key, strlen(key)) != 0) continue;
        char *at = line + strlen(key) + strspn(line + strlen(key), " \t:=\"");
        at[strcspn(at, "\"\n")] = 0;
        snprintf(value, size, "%s", at);
        break;
    }
    if (file) fclose(file);
}

void doctor_look_at_machine(doctor_findings *all) {
    char name[256];
    struct utsname kernel;
    doctor_read_key("/etc/os-release", "PRETTY_NAME", name, sizeof name);
    if (uname(&kernel) == 0)
        doctor_add(all, "system", DOCTOR_HAVE, NULL, "%s, %s %s, %s", name[0] ? name : "unknown",
                   kernel.sysname, kernel.release, kernel.machine);

    doctor_read_key("/proc/cpuinfo", "model name", name, sizeof name);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
#ifdef __x86_64__
    const char *vectors = __builtin_cpu_supports("avx512f") ? "AVX-512"
                          : __builtin_cpu_supports("avx2")  ? "AVX2"
                                                            : NULL;
    if (vectors)
        doctor_add(all, "cpu", DOCTOR_HAVE, NULL, "%s, %ld cores, %s", name, cores, vectors);
    else
        doctor_add(all, "cpu", DOCTOR_NOTE, NULL,
                   "%s, %ld cores, no AVX2: the simulator works, at a fraction of its speed", name, cores);
#else
    doctor_add(all, "cpu", DOCTOR_HAVE, NULL, "%s, %ld cores", name[0] ? name : "unknown", cores);
#endif

    char total[64], available[64];
    doctor_read_key("/proc/meminfo", "MemTotal", total, sizeof total);
    doctor_read_key("/proc/meminfo", "MemAvailable", available, sizeof available);
    double gib = 1024.0 * 1024.0; // these are in kB
    double left = atof(available) / gib;
    doctor_add(all, "memory", left >= 1 ? DOCTOR_HAVE : DOCTOR_NOTE, NULL, "%.1f GiB, %.1f GiB available%s",
               atof(total) / gib, left, left >= 1 ? "" : ": simulated devices will be small");
}

void doctor_look_at_sandbox(doctor_findings *all) {
    uint32_t enforced = sandbox_probe();
    base_text guards = {0}, missing = {0};
    sandbox_guards_name(enforced, &guards);
    for (size_t i = 0; i < SANDBOX_GUARDS; i++)
        if (!(enforced >> i & 1))
            base_text_add(&missing, "; not %s, which need%s %s", sandbox_guards[i].word,
                          base_ends_with(sandbox_guards[i].word, "s") ? "" : "s", sandbox_guards[i].means);
    const char *asked = getenv("KZ_SANDBOX");
    if (asked && strcmp(asked, "off") == 0)
        doctor_add(all, "sandbox", DOCTOR_NOTE, NULL,
                   "off, as KZ_SANDBOX says: submissions have your rights");
    else
        doctor_add(all, "sandbox", enforced == SANDBOX_ALL ? DOCTOR_HAVE : DOCTOR_NOTE, NULL,
                   "submissions are kept from: %s%s", guards.data ? guards.data : "nothing",
                   missing.data ? missing.data : "");
    base_text_free(&guards);
    base_text_free(&missing);
}
