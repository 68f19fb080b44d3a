// The runtime for whole programs, the compiler, other programs, rivals, and the place for compiled kernels.
#include "doctor/doctor.h"

#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "bench/peers.h"
#include "toolchain/toolchain.h"

void doctor_look_at_runtime(doctor_findings *all) {
    char folder[TOOLCHAIN_PATH];
    kz_error error = {0};
    if (toolchain_cudart_folder(folder, &error) == KZ_OK)
        doctor_add(all, "runtime", DOCTOR_HAVE, NULL, "%s: whole CUDA programs run (kz run)", folder);
    else
        doctor_add(
            all, "runtime", DOCTOR_MISSING, "make setup && make build",
            "without it kz run, prof, sanitize and debug take no whole programs: it is built with CUDA 13");
}

void doctor_look_at_compiler(doctor_findings *all) {
    toolchain tools;
    kz_error error = {0};
    all->no_compiler = toolchain_find(&tools, &error) != KZ_OK;
    if (all->no_compiler)
        doctor_add(all, "nvcc", DOCTOR_MISSING, "make setup",
                   "needed to build Kernel Zoo, and for your own .cu files: %.*s",
                   (int)strcspn(error.message, "\n"), error.message);
    else
        doctor_add(all, "nvcc", DOCTOR_HAVE, NULL, "%s (%s)", tools.nvcc, tools.version);
    if (tools.ptxas[0])
        doctor_add(all, "ptxas", DOCTOR_HAVE, NULL, "%s", tools.ptxas);
    else if (!all->no_compiler)
        doctor_add(all, "ptxas", DOCTOR_MISSING, "make setup",
                   "not beside nvcc: your own kernels run in the simulator, and on a GPU by "
                   "its driver's compiler");
    if (tools.include[0])
        doctor_add(all, "headers", DOCTOR_HAVE, NULL, "%s", tools.include);
    else
        doctor_add(all, "headers", DOCTOR_MISSING, "make install",
                   "kz/kernel.cuh is not beside this command: your own kernels cannot "
                   "include it");
}

void doctor_look_at_programs(doctor_findings *all) {
    static const struct {
        const char *name, *why, *command;
        doctor_state without;
    } programs[] = {
        {"g++", "nvcc needs it", "sudo apt-get install g++", DOCTOR_MISSING},
        {"cmake", "builds Kernel Zoo", "sudo apt-get install cmake", DOCTOR_NOTE},
        {"ninja", "builds Kernel Zoo", "sudo apt-get install ninja-build", DOCTOR_NOTE},
        {"git", "results name the commit they belong to", "sudo apt-get install git", DOCTOR_NOTE},
        {"clang", "make test needs it for fuzzing", "sudo apt-get install clang", DOCTOR_NOTE},
        {"valgrind", "make test-all needs it", "sudo apt-get install valgrind", DOCTOR_NOTE},
    };
    for (size_t i = 0; i < BASE_COUNT(programs); i++) {
        char path[TOOLCHAIN_PATH];
        if (toolchain_find_program(programs[i].name, path))
            doctor_add(all, programs[i].name, DOCTOR_HAVE, NULL, "%s", path);
        else
            doctor_add(all, programs[i].name, programs[i].without, programs[i].command, "not here (%s)",
                       programs[i].why);
    }
}

// Versions of the packages that rivals in Python measure; NULL and the error where there is no Python.
static json_t *python_packages(kz_error *error) {
    json_t *names = json_array(), *versions = NULL;
    for (size_t i = 0; i < BENCH_RIVALS; i++)
        if (bench_rivals[i].package) json_array_append_new(names, json_string(bench_rivals[i].package));
    bench_python_packages(names, &versions, error);
    return versions;
}

static bool lacks_package(const bench_rival *rival, const json_t *packages, const kz_error *no_python,
                          base_text *why) {
    const char *version = rival->package ? json_string_value(json_object_get(packages, rival->package)) : "";
    if (!rival->package || (version && *version)) return false;
    if (packages)
        base_text_add(why,
                      "no package %s: `tools/setup python` installs it, KZ_PYTHON names another interpreter",
                      rival->package);
    else
        base_text_add(why, "%s", no_python->message);
    return true;
}

void doctor_look_at_rivals(doctor_findings *all) {
    bench_peers peers;
    kz_error error = {0};
    bench_absences absent = {0};
    base_text here = {0};
    kz_error no_python = {0};
    json_t *packages = python_packages(&no_python);
    if (bench_peers_open_named(&peers, NULL, 0, true, &error)) {
        doctor_add(all, "rivals", DOCTOR_NOTE, "make peers", "%s", error.message);
        json_decref(packages);
        return;
    }
    for (size_t i = 0; i < BENCH_RIVALS; i++) {
        base_text why = {0};
        const bench_rival *rival = &bench_rivals[i];
        if (bench_rival_missing(rival, &peers, &why) || lacks_package(rival, packages, &no_python, &why))
            bench_absences_add(&absent, rival->name, why.data ? why.data : "no memory");
        else
            base_text_add(&here, "%s%s", here.length ? ", " : "", rival->name);
        base_text_free(&why);
    }
    doctor_add(all, "rivals", here.length ? DOCTOR_HAVE : DOCTOR_NOTE, NULL, "%s",
               here.length ? here.data : "kz bench races against none");
    for (size_t i = 0; i < absent.count; i++)
        doctor_add(all, "rivals", DOCTOR_NOTE, NULL, "%s: %s", absent.items[i].names.data,
                   absent.items[i].reason.data);
    bench_absences_free(&absent);
    bench_peers_close(&peers);
    base_text_free(&here);
    json_decref(packages);
}

void doctor_look_at_cache(doctor_findings *all) {
    toolchain tools;
    toolchain_find(&tools, NULL); // fills the cache's place whatever else it finds
    if (!tools.cache[0]) {
        doctor_add(all, "cache", DOCTOR_NOTE, "export XDG_CACHE_HOME=/var/tmp",
                   "no home folder: compiled kernels are not kept");
        return;
    }
    struct statvfs disk;
    kz_error error = {0};
    if (base_make_folders(tools.cache, &error) != KZ_OK || access(tools.cache, W_OK) != 0) {
        doctor_add(all, "cache", DOCTOR_NOTE, "export XDG_CACHE_HOME=/var/tmp",
                   "%s cannot be written: compiled kernels are not kept", tools.cache);
    } else if (statvfs(tools.cache, &disk) == 0) {
        double free_gib = (double)disk.f_bavail * (double)disk.f_frsize / (1 << 30);
        doctor_add(all, "cache", free_gib >= 0.1 ? DOCTOR_HAVE : DOCTOR_NOTE, NULL,
                   "%s, %.1f GiB free on its disk", tools.cache, free_gib);
    }
}
