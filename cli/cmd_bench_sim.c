// kz bench sim: how fast the simulator runs on this machine.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/speed.h"
#include "cli.h"

int cmd_bench_sim(int argc, char **argv);

typedef struct speed_options {
    double seconds;
    bool json, is_default;                     // is_default: counters beside the sanitizer
    const char *observe[BENCH_SPEED_OBSERVED]; // instruments
    const char *titles[BENCH_SPEED_OBSERVED];
} speed_options;

static int read_options(int argc, char **argv, speed_options *o) {
    *o = (speed_options){.seconds = 1.0,
                         .is_default = true,
                         .observe = {"counters", "races,sync,undefined,leaks"},
                         .titles = {"counters", "sanitizer"}};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--json"))
            o->json = true;
        else if (!strcmp(argv[i], "--time") && i + 1 < argc && atof(argv[i + 1]) > 0)
            o->seconds = atof(argv[++i]);
        else if (!strcmp(argv[i], "--observe") && i + 1 < argc) {
            o->is_default = false;
            o->observe[0] = argv[++i];
            o->titles[0] = "observed";
            o->observe[1] = NULL;
        } else
            return cli_fail_with(
                KZ_INVALID, "kz bench sim takes --time SECONDS, --observe INSTRUMENTS and --json, not %s",
                argv[i]);
    }
    return 0;
}

static void print_head(const speed_options *o, unsigned cores) {
    // A machine of one core has no second figure.
    printf("%-30s %14s %10s (median) %10s (median) %6s", "kernel", "work", "1 core",
           cores == 2 ? "2 cores" : "1 core", "ratio");
    for (int i = 0; i < BENCH_SPEED_OBSERVED && o->observe[i]; i++) printf(" %10s (median)", o->titles[i]);
    if (o->is_default) printf(" %6s", "ratio");
    puts("  correct");
}

// Thread-instructions by the billion, products of tensor cores by the million.
static void print_figure(const bench_speed_row *r, const bench_speed_figure *f) {
    char median[16];
    double unit = r->products ? 1e-6 : 1e-9;
    snprintf(median, sizeof median, "(%.2f)", unit * f->median);
    printf(" %6.2f %s %8s", unit * f->best, r->products ? "M/s" : "G/s", median);
}

static void print_row(const bench_speed_row *r, const speed_options *o) {
    uint64_t work = r->products ? r->products : r->thread_instructions;
    printf("%-30s %12.2f M", r->kernel, 1e-6 * (double)work);
    print_figure(r, &r->one_core);
    print_figure(r, &r->all_cores);
    printf(" %5.2fx", r->all_cores.best / r->one_core.best);
    for (int i = 0; i < BENCH_SPEED_OBSERVED && o->observe[i]; i++) print_figure(r, &r->observed[i]);
    if (o->is_default) printf(" %5.2fx", r->observed[0].best / r->observed[1].best);
    printf("  %s\n", r->correct ? "yes" : "NO");
}

static void print_json(const bench_speed_row *r, const speed_options *o) {
    printf("{\"schema\": 2, \"bench\": \"sim\", \"kernel\": \"%s\", \"thread_instructions\": %llu, "
           "\"products\": %llu, "
           "\"one_core_per_s\": %.6g, \"one_core_median_per_s\": %.6g, \"cores\": %u, "
           "\"all_cores_per_s\": %.6g, \"all_cores_median_per_s\": %.6g, ",
           r->kernel, (unsigned long long)r->thread_instructions, (unsigned long long)r->products,
           r->one_core.best, r->one_core.median, r->cores, r->all_cores.best, r->all_cores.median);
    for (int i = 0; i < BENCH_SPEED_OBSERVED && o->observe[i]; i++)
        printf("\"%s_per_s\": %.6g, \"%s_median_per_s\": %.6g, ", o->titles[i], r->observed[i].best,
               o->titles[i], r->observed[i].median);
    printf("\"correct\": %s}\n", r->correct ? "true" : "false");
}

static void explain(const speed_options *o) {
    puts("work per second, the fastest launch, by processor time on one core and by the clock on two; every "
         "access checked:\n"
         "G/s, thread-instructions of PTX; M/s, products of tensor cores, each the work of an m16n8k16");
    if (o->is_default)
        puts("counters, sanitizer: one core, with what kz prof counts and with what kz sanitize looks for; "
             "ratio: its time, of that with counters");
    else
        printf("observed: one core, with %s\n", o->observe[0]);
}

int cmd_bench_sim(int argc, char **argv) {
    speed_options o;
    int wrong = read_options(argc, argv, &o);
    if (wrong) return wrong;
    bench_speed_row rows[BENCH_SPEED_KERNELS];
    kz_error error;
    if (bench_speed(o.seconds, o.observe, rows, &error) != KZ_OK) return cli_fail(&error);
    bool correct = true;
    if (!o.json) print_head(&o, rows[0].cores);
    for (size_t i = 0; i < BENCH_SPEED_KERNELS; i++) {
        correct = correct && rows[i].correct;
        if (o.json)
            print_json(&rows[i], &o);
        else
            print_row(&rows[i], &o);
    }
    if (!o.json) explain(&o);
    return correct ? 0 : cli_fail_with(KZ_WRONG, "the simulator gave wrong results: please report it");
}
