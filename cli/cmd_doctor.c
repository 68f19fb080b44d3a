// kz doctor: what this machine has, what is missing, and the exact command that gets it.
//
// Each finding is a row: a topic, its state, what was found, and for what is missing a command. Only the
// CUDA compiler is worth an exit code: kz itself runs without everything else that is listed.
#include "bench/peers.h"
#include "options.h"
#include "workload/program.h"

#include "toolchain/toolchain.h"

#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

typedef enum health { HAVE, NOTE, MISSING } health;

typedef struct finding {
    const char *topic; // a word for JSON too: "cpu"
    health state;
    char text[1200];
    const char *command; // NULL where there is nothing to do
} finding;

enum { FINDINGS = 32 };

typedef struct findings {
    finding list[FINDINGS];
    size_t count;
    bool no_compiler;
} findings;

__attribute__((format(printf, 5, 6))) static void add(findings *all, const char *topic, health state,
                                                      const char *command, const char *format, ...) {
    if (all->count == FINDINGS) return;
    finding *f = &all->list[all->count++];
    *f = (finding){.topic = topic, .state = state, .command = command};
    va_list list;
    va_start(list, format);
    vsnprintf(f->text, sizeof f->text, format, list);
    va_end(list);
}

// ---- the machine ----------------------------------------------------------------------------------

// The value after `key` in a file of lines "key<separators>value"; "" where there is none.
static void read_key(const char *path, const char *key, char *value, size_t size) {
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

static void look_at_machine(findings *all) {
    char name[256];
    struct utsname kernel;
    read_key("/etc/os-release", "PRETTY_NAME", name, sizeof name);
    if (uname(&kernel) == 0)
        add(all, "system", HAVE, NULL, "%s, %s %s, %s", name[0] ? name : "unknown", kernel.sysname,
            kernel.release, kernel.machine);

    read_key("/proc/cpuinfo", "model name", name, sizeof name);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
#ifdef __x86_64__
    const char *vectors = __builtin_cpu_supports("avx512f") ? "AVX-512"
                          : __builtin_cpu_supports("avx2")  ? "AVX2"
                                                            : NULL;
    if (vectors)
        add(all, "cpu", HAVE, NULL, "%s, %ld cores, %s", name, cores, vectors);
    else
        add(all, "cpu", NOTE, NULL, "%s, %ld cores, no AVX2: the simulator works, at a fraction of its speed",
            name, cores);
#else
    add(all, "cpu", HAVE, NULL, "%s, %ld cores", name[0] ? name : "unknown", cores);
#endif

    char total[64], available[64];
    read_key("/proc/meminfo", "MemTotal", total, sizeof total);
    read_key("/proc/meminfo", "MemAvailable", available, sizeof available);
    double gib = 1024.0 * 1024.0; // these are in kB
    double left = atof(available) / gib;
    add(all, "memory", left >= 1 ? HAVE : NOTE, NULL, "%.1f GiB, %.1f GiB available%s", atof(total) / gib,
        left, left >= 1 ? "" : ": simulated devices will be small");
}

// ---- the GPU --------------------------------------------------------------------------------------

static bool has_file_with(const char *folder, const char *file, const char *text) {
    char path[512], content[64] = "";
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *in = fopen(path, "r");
    if (!in) return false;
    bool found = fgets(content, sizeof content, in) && strncmp(content, text, strlen(text)) == 0;
    fclose(in);
    return found;
}

// Whether a display controller (class 03) of NVIDIA's (vendor 10de) is on the PCI bus.
static bool has_nvidia_hardware(void) {
    static const char bus[] = "/sys/bus/pci/devices";
    DIR *listing = opendir(bus);
    bool found = false;
    for (struct dirent *entry; listing && !found && (entry = readdir(listing));) {
        char folder[400];
        snprintf(folder, sizeof folder, "%s/%s", bus, entry->d_name);
        found = has_file_with(folder, "vendor", "0x10de") && has_file_with(folder, "class", "0x03");
    }
    if (listing) closedir(listing);
    return found;
}

static const char *driver_command(void) {
    char id[64];
    read_key("/etc/os-release", "ID=", id, sizeof id);
    if (strcmp(id, "ubuntu") == 0) return "sudo ubuntu-drivers install";
    return "sudo apt-get install nvidia-driver (Debian has it in its component non-free)";
}

static void look_at_gpus(findings *all) {
    kz_device_info infos[16] = {{.size = sizeof infos[0]}};
    size_t count = 0, gpus = 0;
    kz_error error = {0};
    if (kz_device_list(infos, BASE_COUNT(infos), &count, &error) != KZ_OK) {
        add(all, "gpu", MISSING, NULL, "the devices cannot be listed: %s", error.message);
        return;
    }
    if (count > BASE_COUNT(infos)) count = BASE_COUNT(infos);
    for (size_t i = 0; i < count; i++) {
        const kz_device_info *d = &infos[i];
        if (d->kind != KZ_DEVICE_CUDA) continue;
        gpus++;
        add(all, "gpu", HAVE, NULL, "%s: %s, sm_%d, %.1f GiB", d->id, d->name, d->sm,
            (double)d->memory_bytes / (1 << 30));
    }
    if (gpus > 0) return;
    if (base_file_exists("/proc/driver/nvidia/version"))
        add(all, "gpu", MISSING, "nvidia-smi",
            "the NVIDIA driver is loaded, but its library libcuda.so.1 gives no GPU: see what nvidia-smi "
            "says, and in a "
            "container start it with --gpus all");
    else if (has_nvidia_hardware())
        add(all, "gpu", MISSING, driver_command(), "there is an NVIDIA GPU, but no driver for it");
    else
        add(all, "gpu", NOTE, NULL, "no NVIDIA GPU: kernels run in the simulator");
}

static void look_at_simulator(findings *all) {
    kz_device *device = NULL;
    kz_error error = {0};
    if (kz_device_open("sim", &device, &error) != KZ_OK) {
        add(all, "simulator", MISSING, NULL, "%s", error.message);
        return;
    }
    const kz_device_info *info = kz_device_get_info(device);
    add(all, "simulator", HAVE, NULL, "%s: %s, %.1f GiB", info->id, info->name,
        (double)info->memory_bytes / (1 << 30));
    kz_device_close(device);
}

static void look_at_runtime(findings *all) {
    char folder[WORKLOAD_PATH];
    kz_error error = {0};
    if (toolchain_cudart_folder(folder, &error) == KZ_OK)
        add(all, "runtime", HAVE, NULL, "%s: whole CUDA programs run (kz run)", folder);
    else
        add(all, "runtime", MISSING, "make setup && make build",
            "without it kz run, prof, sanitize and debug take no whole programs: it is built with CUDA 13");
}

// ---- tools ----------------------------------------------------------------------------------------

static bool find_on_path(const char *program, char path[TOOLCHAIN_PATH]) {
    for (const char *at = getenv("PATH"); at && *at;) {
        size_t length = strcspn(at, ":");
        snprintf(path, TOOLCHAIN_PATH, "%.*s/%s", (int)length, at, program);
        if (access(path, X_OK) == 0) return true;
        at += length + (at[length] == ':');
    }
    return false;
}

static void look_at_compiler(findings *all) {
    toolchain tools;
    kz_error error = {0};
    all->no_compiler = toolchain_find(&tools, &error) != KZ_OK;
    if (all->no_compiler)
        add(all, "nvcc", MISSING, "make setup",
            "needed to build Kernel Zoo, and for your own .cu files: %.*s", (int)strcspn(error.message, "\n"),
            error.message);
    else
        add(all, "nvcc", HAVE, NULL, "%s (%s)", tools.nvcc, tools.version);
    if (tools.ptxas[0])
        add(all, "ptxas", HAVE, NULL, "%s", tools.ptxas);
    else if (!all->no_compiler)
        add(all, "ptxas", MISSING, "make setup",
            "not beside nvcc: your own kernels run in the simulator, and on a GPU by "
            "its driver's compiler");
    if (tools.include[0])
        add(all, "headers", HAVE, NULL, "%s", tools.include);
    else
        add(all, "headers", MISSING, "make install",
            "kz/kernel.cuh is not beside this command: your own kernels cannot "
            "include it");
}

static void look_at_programs(findings *all) {
    static const struct {
        const char *name, *why, *command;
        health without;
    } programs[] = {
        {"g++", "nvcc needs it", "sudo apt-get install g++", MISSING},
        {"cmake", "builds Kernel Zoo", "sudo apt-get install cmake", NOTE},
        {"ninja", "builds Kernel Zoo", "sudo apt-get install ninja-build", NOTE},
        {"git", "results name the commit they belong to", "sudo apt-get install git", NOTE},
        {"clang", "make test needs it for fuzzing", "sudo apt-get install clang", NOTE},
        {"valgrind", "make test-all needs it", "sudo apt-get install valgrind", NOTE},
    };
    for (size_t i = 0; i < BASE_COUNT(programs); i++) {
        char path[TOOLCHAIN_PATH];
        if (find_on_path(programs[i].name, path))
            add(all, programs[i].name, HAVE, NULL, "%s", path);
        else
            add(all, programs[i].name, programs[i].without, programs[i].command, "not here (%s)",
                programs[i].why);
    }
}

static void look_at_rivals(findings *all) {
    bench_peers peers;
    kz_error error = {0};
    base_text missing = {0}, here = {0};
    if (bench_peers_open(&peers, &error)) {
        add(all, "rivals", NOTE, "cmake --build --preset release --target peers", "%s", error.message);
        return;
    }
    for (size_t i = 0; i < BENCH_RIVALS; i++) {
        base_text why = {0};
        const bench_rival *rival = &bench_rivals[i];
        bool unknown =
            rival->library && !rival->on_cpu; // on a GPU alone it can say whether it finds its library
        if (bench_rival_missing(rival, &peers, &why) && !(unknown && strstr(why.data, "own library")))
            base_text_add(&missing, "%s%s", missing.length ? "; " : "", why.data);
        else
            base_text_add(&here, "%s%s", here.length ? ", " : "", rival->name);
        base_text_free(&why);
    }
    add(all, "rivals", missing.length ? NOTE : HAVE, NULL, "%s%s%s",
        here.length ? here.data : "kz bench races against none", missing.length ? "; " : "",
        missing.length ? missing.data : "");
    bench_peers_close(&peers);
    base_text_free(&missing);
    base_text_free(&here);
}

static void look_at_cache(findings *all) {
    toolchain tools;
    toolchain_find(&tools, NULL); // fills the cache's place whatever else it finds
    if (!tools.cache[0]) {
        add(all, "cache", NOTE, "export XDG_CACHE_HOME=/var/tmp",
            "no home folder: compiled kernels are not kept");
        return;
    }
    struct statvfs disk;
    kz_error error = {0};
    if (base_make_folders(tools.cache, &error) != KZ_OK || access(tools.cache, W_OK) != 0) {
        add(all, "cache", NOTE, "export XDG_CACHE_HOME=/var/tmp",
            "%s cannot be written: compiled kernels are not kept", tools.cache);
    } else if (statvfs(tools.cache, &disk) == 0) {
        double free_gib = (double)disk.f_bavail * (double)disk.f_frsize / (1 << 30);
        add(all, "cache", free_gib >= 0.1 ? HAVE : NOTE, NULL, "%s, %.1f GiB free on its disk", tools.cache,
            free_gib);
    }
}

// ---- output ---------------------------------------------------------------------------------------

static const char *const state_words[] = {[HAVE] = "ok", [NOTE] = "note", [MISSING] = "missing"};

static void print_findings(const findings *all) {
    bool colour = isatty(1) && !getenv("NO_COLOR");
    static const char *const colours[] = {[HAVE] = "\033[32m", [NOTE] = "\033[33m", [MISSING] = "\033[31m"};
    size_t missing = 0;
    for (size_t i = 0; i < all->count; i++) {
        const finding *f = &all->list[i];
        printf("%s%-8s%s %-10s %s\n", colour ? colours[f->state] : "", state_words[f->state],
               colour ? "\033[0m" : "", f->topic, f->text);
        if (f->command) printf("%-19s -> %s\n", "", f->command);
        missing += f->state == MISSING;
    }
    printf("\n");
    if (missing > 0)
        printf("%zu missing; the arrows show the commands that help.\n", missing);
    else
        printf("Nothing is missing. Try: kz check, or kz run on a .cu of yours\n");
}

static int write_json(const findings *all, const cli_output *to) {
    json_t *rows = json_array();
    for (size_t i = 0; i < all->count; i++) {
        const finding *f = &all->list[i];
        json_t *row =
            json_pack("{s:s, s:s, s:s}", "topic", f->topic, "state", state_words[f->state], "text", f->text);
        if (row && f->command) json_object_set_new(row, "command", json_string(f->command));
        json_array_append_new(rows, row);
    }
    json_t *page = json_pack("{s:s, s:o}", "version", kz_version(), "findings", rows);
    char *text = page ? json_dumps(page, JSON_INDENT(2)) : NULL;
    json_decref(page);
    if (!text) return cli_fail_with(KZ_NO_MEMORY, "no memory for the JSON");
    int code = CLI_OK;
    kz_error error = {0};
    if (!to->path)
        puts(text);
    else if (base_file_write(to->path, text, strlen(text), &error) != KZ_OK)
        code = cli_fail(&error);
    free(text);
    return code;
}

static int run(const cli_command *self, int argc, char **argv) {
    cli_shared o = {0};
    kz_error error = {0};
    if (cli_parse_options(self, argc, argv, &o, &error)) return cli_fail(&error);

    findings *all = calloc(1, sizeof *all);
    if (!all) return cli_fail_with(KZ_NO_MEMORY, "no memory");
    look_at_machine(all);
    look_at_gpus(all);
    look_at_simulator(all);
    look_at_runtime(all);
    look_at_compiler(all);
    look_at_programs(all);
    look_at_rivals(all);
    look_at_cache(all);
    int code = CLI_OK;
    if (o.json.given) code = write_json(all, &o.json);
    if (!o.json.given || o.json.path) print_findings(all);
    if (code == CLI_OK && all->no_compiler) code = CLI_TOOL;
    free(all);
    return code;
}

static const cli_option option_table[] = {
    CLI_JSON_OF("the findings"),
    {0},
};

const cli_command cli_command_doctor = {
    .usage = "kz doctor [--json[=PATH]]",
    .about =
        "Looks at this machine: system, CPU, memory, GPU and driver, the CUDA compiler, the programs that\n"
        "building and testing need, and the place for compiled kernels. For what is missing it shows the\n"
        "command that gets it. The exit status is 6 where there is no CUDA compiler.",
    .examples = "  kz doctor                 the page for people\n"
                "  kz doctor --json          the same for programs",
    .options = option_table,
    .run = run,
};
